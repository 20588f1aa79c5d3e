//===- ValueSource.cpp - What an instruction made a value of --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/dataflow/ValueSource.h"
#include "commands/dataflow/Widening.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace rw {

using dataflow::Cell;
using dataflow::CellRef;
using dataflow::Effect;

StringRef originName(OriginKind K) {
  static constexpr StringLiteral Names[] = {
      "computed", "constant",    "call",   "outside", "initial state",
      "image",    "semihosting", "system", "pieces",  "stack pointer",
      "told",     "unknown",     "limit"};
  return Names[size_t(K)];
}

std::string byteRange(uint64_t Offset, uint64_t Size) {
  return Size == 1 ? "byte " + std::to_string(Offset)
                   : "bytes " + std::to_string(Offset) + ".." +
                         std::to_string(Offset + Size - 1);
}

ValueSources::ValueSources(Session &S, const CallIndex *Calls)
    : S(S), Calls(Calls), Codes(S.Store, {}),
      Searches(S.Store, Codes, Calls, {}) {}

/// First byte of the lanes that \p S covers.
static unsigned firstByte(RegisterSlice S) { return S.Lane * 8u + S.Offset; }

/// An order of addresses in which 0 follows the last one: an access may go on
/// there.
static bool isBelow(uint64_t A, uint64_t B) { return int64_t(A) < int64_t(B); }

auto ValueSources::bytesOf(const Instruction &I, bool Write)
    -> std::vector<MemoryByte> {
  std::vector<MemoryByte> Bytes;
  for (const MemAccess &M : I.Mems)
    if (M.isWrite() == Write)
      for (size_t B = 0; B < M.Bytes.size(); ++B)
        Bytes.push_back({M.Addr + B, M.Bytes[B], bool(M.Known[B])});
  // Some traces tell the upper half of a pair first.
  llvm::stable_sort(Bytes, [](const MemoryByte &A, const MemoryByte &B) {
    return isBelow(A.Addr, B.Addr);
  });
  return Bytes;
}

static ValueSource ended(OriginKind Kind, std::string Reason) {
  ValueSource R;
  R.End = Kind;
  R.Reason = std::move(Reason);
  return R;
}

static ValueSource copied(const Instruction &I, Location From,
                          std::string How) {
  ValueSource R;
  R.How = std::move(How);
  R.Before = I.When;
  R.Copy = std::move(From);
  return R;
}

/// A register, or a part of it, under a name.
static Location registerAt(ThreadIndex T, StringRef Name, RegisterSlice Slice) {
  Location L;
  L.Where = Location::Register;
  L.Thread = T;
  L.Text = L.RegisterName = Name.str();
  L.Slice = Slice;
  L.Size = Slice.Size;
  L.SizeGiven = true;
  return L;
}

static Location registerPart(ThreadIndex T, const Operands::Operand &O,
                             unsigned Offset, uint64_t Size) {
  RegisterSlice Slice = O.Register->Slice;
  const bool Whole = !Offset && Size == Slice.Size;
  Slice.Offset = uint16_t(Slice.Offset + Offset);
  Slice.Size = uint16_t(Size);
  Location L = registerAt(T, O.Register->Name, Slice);
  if (!Whole)
    L.Text = byteRange(Offset, Size) + " of " + L.Text;
  return L;
}

static Location memoryAt(uint64_t Addr, uint64_t Size) {
  Location L;
  L.Addr = Addr;
  L.Text = hex(Addr);
  L.Size = Size;
  L.SizeGiven = true;
  return L;
}

SmallVector<Cell, 4> ValueSources::cellsOf(const Location &L) const {
  SmallVector<Cell, 4> List;
  for (CellRef R : cells().cellsOf(L.Slice))
    for (unsigned C = R.First; C < R.end(); ++C) {
      if (uint64_t Bits = cells().info(Cell(C)).Bits; Bits && L.FieldWidth) {
        const unsigned Lo = firstByte(cells().info(Cell(C)).Slice) * 8 +
                            unsigned(countr_zero(Bits)),
                       Own = firstByte(L.Slice) * 8 + L.FieldLo;
        if (Lo + unsigned(popcount(Bits)) <= Own || Own + L.FieldWidth <= Lo)
          continue;
      }
      List.push_back(Cell(C));
    }
  return List;
}

bool ValueSources::isStackPointer(const Location &L) {
  return L.Where == Location::Register && any_of(cellsOf(L), [&](Cell C) {
           return any_of(Codes.stackPointers(),
                         [&](CellRef R) { return R.contains(C); });
         });
}

/// Whether \p At is a call of the system that was not answered there: the trace
/// ends, or goes on with the system's own code.
Expected<bool> ValueSources::isVoidAnswer(Moment At, const Location &L) {
  auto I = S.Store.instruction(At);
  if (!I)
    return I.takeError();
  const auto Makers = makers(*I, L);
  if (Makers.empty() || !all_of(Makers, [](const Effect *E) {
        return E->Flags & Effect::System;
      }))
    return false;
  if (I->Pos + 1 >= S.Store.numInstructions(I->Thread))
    return true;
  auto Next = S.Store.momentOf(I->Thread, I->Pos + 1);
  if (!Next)
    return Next.takeError();
  auto Then = S.Store.instruction(*Next);
  if (!Then)
    return Then.takeError();
  return Then->Insn.PC != I->Insn.PC + I->Insn.Size;
}

Expected<std::optional<Moment>> ValueSources::lastWrite(const Location &L,
                                                        Moment Before) {
  std::optional<Moment> Last;
  auto Take = [&](std::optional<Moment> M) {
    // BeforeTrace is the earliest of all, though the largest number.
    if (M &&
        (!Last || *Last == BeforeTrace || (*M != BeforeTrace && *M > *Last)))
      Last = M;
  };
  for (Moment Until = Before; !L.FieldWidth;) {
    auto Told = lastAccess(S.Store, L, AccessKind::Write, Until);
    if (!Told)
      return Told.takeError();
    if (*Told && **Told != BeforeTrace) {
      auto I = S.Store.instruction(**Told);
      if (!I)
        return I.takeError();
      auto Bytes = written(*I, L);
      if (!Bytes)
        return Bytes.takeError();
      if (!is_contained(*Bytes, 1) && !S.cancelled()) {
        Until = **Told;
        continue;
      }
    }
    Take(*Told);
    break;
  }
  for (Cell C : cellsOf(L)) {
    std::optional<Moment> After;
    if (Last && *Last != BeforeTrace)
      After = Last;
    for (Moment Until = Before;;) {
      auto M = L.FieldWidth ? Searches.lastWrite(L.Thread, C, Until)
                            : Searches.untoldWrite(L.Thread, C, After, Until);
      if (!M)
        return M.takeError();
      auto Void = *M ? isVoidAnswer(**M, L) : false;
      if (!Void)
        return Void.takeError();
      if (*Void) {
        Until = **M;
        continue;
      }
      Take(*M);
      break;
    }
  }
  return Last;
}

/// Whether an instruction writes elements of vectors that are shorter than a
/// cell, and leaves the others: "mov v0.b[1], w5", "ld1 { v0.h }[3], [x0]".
static bool insertsShortElements(StringRef Text) {
  auto [Mnemonic, Operands] = Text.split(' ');
  Operands = Operands.ltrim();
  const bool Load = Mnemonic.starts_with("ld") && Operands.contains("}[");
  const StringRef To =
      Load ? Operands.split('}').first : Operands.split(',').first;
  if (!Load && (!To.starts_with("v") || !To.contains('[')))
    return false;
  return To.contains(".b") || To.contains(".h");
}

Expected<std::vector<uint8_t>> ValueSources::written(const Instruction &I,
                                                     const Location &L) {
  std::vector<uint8_t> Told(L.Size), Made(L.Size);
  const unsigned First = firstByte(L.Slice);
  auto Mark = [&](std::vector<uint8_t> &Bytes, unsigned At) {
    if (At >= First && At - First < Bytes.size())
      Bytes[At - First] = 1;
  };
  for (const RegItem &R : I.Regs)
    if (R.Thread == L.Thread && !(R.Flags & RegItem::NotWritten))
      for (unsigned B = 0; B < 8; ++B)
        if (R.Written >> B & 1)
          Mark(Told, R.Lane * 8u + B);
  if (!(I.Insn.Flags & InsnItem::Executed) || I.Thread != L.Thread)
    return Told;
  const dataflow::TemplateEffects &Effects = Codes.effects(I.Insn);
  for (CellRef W : Effects.Writes)
    for (unsigned C = W.First; C < W.end(); ++C) {
      const dataflow::CellInfo &Info = cells().info(Cell(C));
      if (Info.Slice.Lane == RegisterSlice::NoLane ||
          (Info.Bits && !L.FieldWidth))
        continue;
      for (unsigned B = 0; B < Info.Slice.Size; ++B)
        Mark(Made, firstByte(Info.Slice) + B);
    }
  // Some traces tell all of a register of which an instruction writes a part.
  // But what changed was written, be it by an exception, and what the system
  // answers is not in the encoding.
  const bool Answers =
      Effects.Writes.empty() || any_of(Effects.Effects, [](const Effect &E) {
        return E.Flags & Effect::System;
      });
  const bool Short = I.Insn.Isa == ISA::A64 && L.Slice.Lane >= arm::V0 &&
                     insertsShortElements(S.Memory.Code.text(I.Insn));
  if (Effects.Known && !Answers && (Short || Told != Made)) {
    auto Old = readLocation(S, L, I.When);
    if (!Old)
      return Old.takeError();
    auto New = readLocation(S, L, I.When + 1);
    if (!New)
      return New.takeError();
    for (size_t B = 0; B < L.Size; ++B)
      if (Old->Known[B] && New->Known[B] && Old->Bytes[B] == New->Bytes[B]) {
        Told[B] = 0;
        Made[B] &= !Short;
      }
  }
  // What keeps its value is not told by all traces.
  for (size_t B = 0; B < L.Size; ++B)
    Told[B] |= Made[B];
  return Told;
}

SmallVector<const Effect *, 2> ValueSources::makers(const Instruction &I,
                                                    const Location &L) {
  SmallVector<const Effect *, 2> Found;
  const SmallVector<Cell, 4> Own =
      L.Where == Location::Memory ? SmallVector<Cell, 4>() : cellsOf(L);
  for (const Effect &E : Codes.effects(I.Insn).Effects) {
    const bool Makes =
        L.Where == Location::Memory
            ? bool(E.Store)
            : any_of(E.Writes, [&](CellRef W) {
                return any_of(Own, [&](Cell C) { return W.contains(C); });
              });
    if (Makes)
      Found.push_back(&E);
  }
  return Found;
}

bool ValueSources::copiesByEncoding(const Instruction &I, const Location &L) {
  return any_of(makers(I, L),
                [](const Effect *E) { return E->Flags & Effect::Copy; });
}

bool ValueSources::isConstant(const Instruction &I, const Location &L) {
  const auto Makers = makers(I, L);
  return (I.Insn.Flags & InsnItem::Executed) && !Makers.empty() &&
         none_of(Makers, [](const Effect *E) {
           return !E->Values.empty() || E->Load ||
                  (E->Flags & (Effect::ReturnAddress | Effect::System));
         });
}

namespace {

/// What an instruction reads, with the values that it found. The encoding tells
/// it (as `rewind deps` does): in a text, an operand that is changed, flags and
/// what is implied do not look like something that is read.
class Inputs {
public:
  /// \p Makers: what tells the data; empty: everything is.
  Inputs(const TraceStore &Store, const dataflow::CellMap &Cells,
         const RegisterState &State, const Instruction &I,
         ArrayRef<CellRef> Reads, ArrayRef<const Effect *> Makers)
      : Store(Store), Cells(Cells), State(State), I(I), Left(Cells.size()),
        Data(Cells.size(), Makers.empty()), AllLoads(Makers.empty()) {
    for (CellRef R : Reads)
      Left.set(R.First, R.end());
    const dataflow::Accesses At(I);
    for (const Effect *E : Makers) {
      for (CellRef R : E->Values)
        Data.set(R.First, R.end());
      dataflow::forEachPart(E->Load, At.Loads,
                            [&](dataflow::Range R) { Loaded.push_back(R); });
    }
  }

  /// A register as the text names it, if it is read: "w0", not "x0".
  void add(const Operands::Operand &O) {
    if (!O.Register || O.Register->IsPC)
      return;
    bool Read = false, IsData = false;
    for (CellRef R : Cells.cellsOf(O.Register->Slice))
      for (unsigned C = R.First; C < R.end(); ++C)
        if (Left.test(C)) {
          Left.reset(C);
          Read = true;
          IsData |= Data.test(C);
        }
    if (Read)
      tell(O.Text, O.Register->Slice, 0, IsData);
  }

  /// The rest of what is read in registers.
  void addRest() {
    for (int C = Left.find_first(); C >= 0;) {
      int End = C + 1;
      while (unsigned(End) < Left.size() && Left.test(End) &&
             Data.test(End) == Data.test(C))
        ++End;
      addRun({Cell(C), uint16_t(End - C)});
      C = Left.find_next(End - 1);
    }
  }

  void add(const MemAccess &M) {
    ValueOperand O;
    O.Was = toValue(Store, M);
    O.At = memoryAt(M.Addr, M.Bytes.size());
    O.Name = describe(*O.At);
    const dataflow::Range Own{M.Addr, uint32_t(M.Bytes.size())};
    O.Data = AllLoads ||
             any_of(Loaded, [&](dataflow::Range R) { return R.overlaps(Own); });
    List.push_back(std::move(O));
  }

  std::vector<ValueOperand> List;

private:
  static bool isOne(StringRef Name) {
    return !Name.empty() && !Name.contains(',');
  }

  /// As few registers as there are in a run of cells.
  void addRun(CellRef Run) {
    while (Run.Count) {
      CellRef Part = Run;
      while (Part.Count > 1 && !isOne(Cells.name(Part)))
        --Part.Count;
      const dataflow::CellInfo &First = Cells.info(Part.First);
      const dataflow::CellInfo &Last = Cells.info(Cell(Part.end() - 1));
      RegisterSlice Slice = First.Slice;
      Slice.Size =
          uint16_t(firstByte(Last.Slice) + Last.Slice.Size - firstByte(Slice));
      uint64_t Bits = 0;
      for (unsigned C = Part.First; C < Part.end(); ++C)
        Bits |= Cells.info(Cell(C)).Bits;
      tell(Cells.name(Part), Slice, Bits, Data.test(Part.First));
      Run.First = Part.end();
      Run.Count = uint16_t(Run.Count - Part.Count);
    }
  }

  void tell(StringRef Name, RegisterSlice Slice, uint64_t Bits, bool IsData) {
    ValueOperand O;
    O.Name = Name.str();
    O.Data = IsData;
    if (Slice.Lane != RegisterSlice::NoLane) {
      O.At = registerAt(I.Thread, Name, Slice);
      O.Was = Value(Slice.Size);
      State.read(Slice, O.Was.Bytes.data(), O.Was.Known.data());
      if (Bits) {
        const unsigned Lo = unsigned(countr_zero(Bits));
        O.Was.FieldLo = O.At->FieldLo = Lo;
        O.Was.FieldWidth = O.At->FieldWidth =
            64 - unsigned(countl_zero(Bits)) - Lo;
      }
    }
    List.push_back(std::move(O));
  }

  const TraceStore &Store;
  const dataflow::CellMap &Cells;
  const RegisterState &State;
  const Instruction &I;
  BitVector Left; ///< cells that are read and not yet told
  BitVector Data;
  SmallVector<dataflow::Range, 4> Loaded;
  bool AllLoads;
};

} // namespace

Expected<std::vector<ValueOperand>> ValueSources::operands(const Instruction &I,
                                                           const Location *Of) {
  const dataflow::TemplateEffects &E = Codes.effects(I.Insn);
  auto State = S.Store.registersAt(I.Thread, I.When);
  if (!State)
    return State.takeError();
  SmallVector<const Effect *, 2> Makers;
  if (Of)
    Makers = makers(I, *Of);
  Inputs From(S.Store, cells(), *State, I, E.Reads, Makers);
  if (I.Insn.Isa != ISA::X86_64)
    for (const Operands::Operand &O :
         parseOperands(S.Memory.Code.text(I.Insn), S.Store.registerFile()).List)
      From.add(O);
  From.addRest();
  // The new address of a base register is made of nothing that is loaded.
  const bool Loads = Makers.empty() || any_of(Makers, [](const Effect *E) {
                       return bool(E->Load);
                     });
  for (const MemAccess &M : I.Mems)
    if (!M.isWrite() && Loads)
      From.add(M);
  return std::move(From.List);
}

/// The register that \p I moved to \p L, by its encoding.
std::optional<Location> ValueSources::movedFrom(const Instruction &I,
                                                const Location &L) {
  const auto Makers = makers(I, L);
  if (Makers.size() != 1 || L.Where != Location::Register)
    return std::nullopt;
  const Effect &E = *Makers.front();
  if (!(E.Flags & Effect::Copy) || E.Load || E.Values.size() != 1 ||
      !E.Moved.Count)
    return std::nullopt;
  auto bytesOf = [&](CellRef R) {
    RegisterSlice All = cells().info(R.First).Slice;
    const RegisterSlice Last = cells().info(Cell(R.end() - 1)).Slice;
    All.Size = uint16_t(firstByte(Last) + Last.Size - firstByte(All));
    return All;
  };
  const RegisterSlice To = bytesOf(E.Moved);
  RegisterSlice From = bytesOf(E.Values[0]);
  unsigned Moved = std::min(To.Size, From.Size);
  for (const dataflow::CellPart &P : E.Parts)
    if (P.Of == E.Values[0].First)
      Moved = std::min(Moved, unsigned(bit_width(P.Bytes)));
  const unsigned Skipped = firstByte(L.Slice) - firstByte(To);
  if (firstByte(L.Slice) < firstByte(To) || Skipped + L.Size > Moved ||
      L.FieldWidth)
    return std::nullopt;
  From.Offset = uint16_t(From.Offset + Skipped);
  From.Size = uint16_t(L.Size);
  std::string Name;
  for (CellRef R : cells().cellsOf(From))
    Name += (Name.empty() ? "" : ",") + cells().name(R);
  return registerAt(I.Thread, Name, From);
}

/// The low bytes of the one register that \p I widens to \p L.
std::optional<Location> ValueSources::widenedFrom(const Instruction &I,
                                                  const Location &L,
                                                  ArrayRef<ValueOperand> Read) {
  const unsigned Bytes = widenedBytes(S.Memory.Code.text(I.Insn));
  const ValueOperand *From = nullptr;
  for (const ValueOperand &O : Read)
    if (O.Data && std::exchange(From, &O))
      return std::nullopt;
  if (!From || !From->At || From->At->Where != Location::Register ||
      L.Where != Location::Register || L.FieldWidth || From->At->Slice.Offset ||
      L.Slice.Offset >= Bytes || From->At->Slice.Size < Bytes)
    return std::nullopt;
  RegisterSlice Part = From->At->Slice;
  Part.Offset = L.Slice.Offset;
  Part.Size = uint16_t(std::min<uint64_t>(L.Size, Bytes - Part.Offset));
  Location Source = registerAt(I.Thread, From->At->RegisterName, Part);
  if (Part.Size != From->At->Slice.Size)
    Source.Text = byteRange(Part.Offset, Part.Size) + " of " + Source.Text;
  return Source;
}

/// The instruction that began the constant which \p I completes in \p L: movz,
/// movk, movk.
Expected<std::optional<Position>>
ValueSources::constantSince(const Instruction &I, const Location &L) {
  constexpr unsigned Most = 4; // parts of a register
  if (L.Where != Location::Register)
    return std::nullopt;
  Instruction At = I;
  for (unsigned N = 0;
       N < Most && continuesConstant(S.Memory.Code.text(At.Insn)); ++N) {
    auto M = lastWrite(L, At.When);
    if (!M)
      return M.takeError();
    if (!*M || **M == BeforeTrace)
      return std::nullopt;
    auto Before = S.Store.instruction(**M);
    if (!Before)
      return Before.takeError();
    At = std::move(*Before);
    if (At.Thread == I.Thread && isConstant(At, L))
      return At.Pos;
  }
  return std::nullopt;
}

/// Whether \p To became what \p From was, as far as the trace tells both.
Expected<bool> ValueSources::agrees(const Location &From, const Location &To,
                                    Moment When) {
  auto Before = readLocation(S, From, When);
  if (!Before)
    return Before.takeError();
  auto After = readLocation(S, To, When + 1);
  if (!After)
    return After.takeError();
  for (size_t B = 0; B < std::min(From.Size, To.Size); ++B)
    if (Before->Known[B] && After->Known[B] &&
        Before->Bytes[B] != After->Bytes[B])
      return false;
  return true;
}

Expected<ValueSource> ValueSources::computed(const Instruction &I,
                                             const Location &L) {
  if (!Codes.effects(I.Insn).Known)
    return ended(OriginKind::Computed,
                 "computed by this instruction; what it reads is not known");
  if (isConstant(I, L))
    return ended(OriginKind::Constant, "a constant in this instruction");
  if (auto From = movedFrom(I, L)) {
    auto Agrees = agrees(*From, L, I.When);
    if (!Agrees)
      return Agrees.takeError();
    if (*Agrees)
      return copied(I, *From, "moved from " + From->Text);
  }
  auto Since = constantSince(I, L);
  if (!Since)
    return Since.takeError();
  if (*Since)
    return ended(OriginKind::Constant,
                 "a constant, in this instruction and those from " +
                     formatPlace(S.Store, I.Thread, **Since) + " on");
  auto Read = operands(I, &L);
  if (!Read)
    return Read.takeError();
  if (auto From = widenedFrom(I, L, *Read)) {
    auto Agrees = agrees(*From, L, I.When);
    if (!Agrees)
      return Agrees.takeError();
    if (*Agrees)
      return copied(I, *From, "widened from " + From->Text);
  }
  std::string Text;
  for (const ValueOperand &O : *Read) {
    Text += (Text.empty() ? " from " : ", ") + O.Name;
    if (!O.Was.Bytes.empty())
      Text += " = " + shown(S, O.Was);
  }
  ValueSource Made =
      ended(OriginKind::Computed, "computed by this instruction" + Text);
  Made.Operands = std::move(*Read);
  return Made;
}

/// What was loaded to where it had been saved from, by one and the same call.
Expected<std::optional<ValueSource>>
ValueSources::restored(const Instruction &I, const Location &L) {
  if (L.Where != Location::Register || !Calls)
    return std::nullopt;
  const SmallVector<Cell, 4> Own = cellsOf(L);
  for (const dataflow::NodeCode &N : Codes.of(I).Nodes) {
    if (!N.Load || Own.empty() ||
        !all_of(Own, [&](Cell C) { return N.Moved.contains(C); }))
      continue;
    auto Saved = Searches.savedBefore(I, N);
    if (!Saved)
      return Saved.takeError();
    if (!*Saved)
      continue;
    auto Save = S.Store.instruction(**Saved);
    if (!Save)
      return Save.takeError();
    auto Call = Calls->enclosing(I.Thread, I.Pos);
    if (!Call)
      return Call.takeError();
    std::string By = *Call ? formatCode(S, (*Call)->EntryPC) : std::string();
    By = StringRef(By).split(" at ").first.str();
    if (By.empty() && *Call)
      By = hex((*Call)->EntryPC);
    ValueSource R =
        copied(I, registerAt(L.Thread, L.RegisterName, L.Slice),
               "saved and restored by " + By + " (saved at " +
                   formatPlace(S.Store, Save->Thread, Save->Pos) + ")");
    R.Copy->Text = L.Text;
    R.Before = Save->When;
    return R;
  }
  return std::nullopt;
}

/// For code whose text nobody takes apart: by its encoding alone.
Expected<ValueSource> ValueSources::ofX86(const Instruction &I,
                                          const Location &L) {
  const auto Makers = makers(I, L);
  if (Makers.empty())
    return ended(OriginKind::Unknown, "what this instruction writes there is "
                                      "not known");
  const Effect &E = *Makers.front();
  if (E.Flags & Effect::ReturnAddress)
    return ended(OriginKind::Call, "the return address of this call");
  if (E.Flags & Effect::System)
    return ended(OriginKind::System, "the system's answer");
  if (Makers.size() == 1 && (E.Flags & Effect::Copy) && E.Load)
    return ended(OriginKind::Unknown, "loaded from memory; this trace does not "
                                      "tell from where, nor who wrote it");
  return computed(I, L);
}

/// A selection is a copy of the one register that has the value.
Expected<ValueSource> ValueSources::ofSelect(const Instruction &I,
                                             const Location &L,
                                             const Operands &Ops) {
  auto After = readLocation(S, L, I.When + 1);
  if (!After)
    return After.takeError();
  std::optional<Location> Chosen;
  if (Ops.List.size() < 3 || !Ops.List[0].Register || !After->allKnown())
    return computed(I, L);
  const unsigned To = firstByte(Ops.List[0].Register->Slice);
  for (unsigned N : {1u, 2u}) {
    const Operands::Operand &From = Ops.List[N];
    if (!From.Register || firstByte(L.Slice) < To ||
        firstByte(L.Slice) - To + L.Size > From.Register->Slice.Size)
      return computed(I, L);
    Location Source =
        registerPart(I.Thread, From, firstByte(L.Slice) - To, L.Size);
    auto Before = readLocation(S, Source, I.When);
    if (!Before)
      return Before.takeError();
    if (!Before->allKnown())
      return computed(I, L);
    if (Before->Bytes != After->Bytes)
      continue;
    if (Chosen)
      return computed(I, L);
    Chosen = std::move(Source);
  }
  if (!Chosen)
    return computed(I, L);
  return copied(I, *Chosen, "selected: " + Chosen->Text);
}

Expected<ValueSource> ValueSources::ofMove(const Instruction &I,
                                           const Location &L,
                                           const Operands &Ops) {
  StringRef M = Ops.Mnemonic;
  if (M.starts_with("bl"))
    return ended(OriginKind::Call, "the return address of this call");
  if (M.starts_with("adr"))
    return ended(OriginKind::Constant, "an address in this instruction");
  if (M == "csel" || M == "fcsel")
    return ofSelect(I, L, Ops);
  bool Move =
      M.starts_with("mov") || M.starts_with("fmov") || M.starts_with("vmov");
  bool AddsNothing = Ops.List.size() == 3 &&
                     (Ops.List[2].Text == "#0x0" || Ops.List[2].Text == "#0") &&
                     (M.starts_with("add") || M.starts_with("sub") ||
                      M.starts_with("orr") || M.starts_with("eor"));
  if (!Move && !AddsNothing)
    return computed(I, L);
  if (Ops.List.size() < 2)
    return computed(I, L);
  const Operands::Operand &To = Ops.List[0], &From = Ops.List[1];
  // movk and its kin keep a part of what was there.
  if (From.Zero &&
      any_of(makers(I, L), [](const Effect *E) { return !E->Values.empty(); }))
    return computed(I, L);
  if (From.Zero)
    return ended(OriginKind::Constant, "a constant in this instruction");
  if (!To.Register || !From.Register || From.Register->IsPC)
    return computed(I, L);
  unsigned Delta = firstByte(L.Slice) - firstByte(To.Register->Slice);
  if (firstByte(L.Slice) < firstByte(To.Register->Slice) ||
      Delta >= From.Register->Slice.Size)
    return ended(OriginKind::Constant, "zero-extended by this instruction");
  uint64_t Size = std::min<uint64_t>(L.Size, From.Register->Slice.Size - Delta);
  Location Source = registerPart(I.Thread, From, Delta, Size);
  auto Before = readLocation(S, Source, I.When);
  if (!Before)
    return Before.takeError();
  auto After = readLocation(S, part(L, 0, Size), I.When + 1);
  if (!After)
    return After.takeError();
  for (uint64_t B = 0; B < Size; ++B) {
    const bool Known = Before->Known[B] && After->Known[B];
    if (Known ? Before->Bytes[B] != After->Bytes[B] : !copiesByEncoding(I, L))
      return computed(I, L);
  }
  return copied(I, std::move(Source), "moved from " + From.Text);
}

Expected<ValueSource> ValueSources::ofLoad(const Instruction &I,
                                           const Location &L,
                                           const Operands &Ops,
                                           ArrayRef<MemoryByte> Bytes) {
  ArrayRef<Operands::Operand> Data = Ops.data();
  const Operands::Operand *To = nullptr;
  size_t Slot = 0;
  for (; Slot < Data.size(); ++Slot)
    if (const RegisterInfo *R = Data[Slot].Register;
        R && !R->IsPC && firstByte(R->Slice) <= firstByte(L.Slice) &&
        firstByte(L.Slice) <
            firstByte(R->Slice) + std::max(R->Slice.Size, uint16_t(8))) {
      To = &Data[Slot];
      break;
    }
  if (!To)
    return computed(I, L);
  size_t SlotSize = Bytes.size() / Data.size(), First = Slot * SlotSize;
  // What is compared, added or stored by the same instruction is no slot.
  if (const auto Makers = makers(I, L); Makers.size() == 1) {
    dataflow::MemoryPart Part = Makers[0]->Load;
    if (Part.Size == dataflow::MemoryPart::All)
      Part = {0, uint16_t(Bytes.size())};
    if (Part && size_t(Part.Offset) + Part.Size <= Bytes.size()) {
      First = Part.Offset;
      SlotSize = Part.Size;
    }
  }
  unsigned Delta = firstByte(L.Slice) - firstByte(To->Register->Slice);
  if (Delta >= SlotSize)
    return ended(OriginKind::Constant, "extended by this load");
  uint64_t Size = std::min<uint64_t>(L.Size, SlotSize - Delta);
  auto After = readLocation(S, part(L, 0, Size), I.When + 1);
  if (!After)
    return After.takeError();
  bool Big = S.Store.header().Order == ByteOrder::Big;
  auto At = [&](uint64_t B) -> const MemoryByte & {
    uint64_t InSlot = Big ? SlotSize - 1 - (Delta + B) : Delta + B;
    return Bytes[First + InSlot];
  };
  for (uint64_t B = 0; B < Size; ++B) {
    const bool Known = At(B).Known && After->Known[B];
    if (!Known && !copiesByEncoding(I, L))
      return ended(OriginKind::Unknown, "the trace does not tell what was "
                                        "loaded");
    if (Known && At(B).Byte != After->Bytes[B])
      return computed(I, L);
  }
  const Location Source =
      memoryAt(std::min(At(0).Addr, At(Size - 1).Addr, isBelow), Size);
  std::string Name = formatData(S, Source.Addr);
  return copied(I, Source,
                "loaded from " + describe(Source) +
                    (Name.empty() ? "" : " " + Name));
}

Expected<ValueSource> ValueSources::ofRegister(const Instruction &I,
                                               const Location &L,
                                               const Operands &Ops) {
  std::vector<MemoryByte> Read = bytesOf(I, /*Write=*/false);
  // Write-back changes the base register of a load, too.
  ArrayRef<Operands::Operand> Data = Ops.data();
  bool IsData = any_of(Data, [&](const Operands::Operand &O) {
    return O.Register && !O.Register->IsPC &&
           O.Register->Slice.Lane == L.Slice.Lane;
  });
  if (Read.empty())
    return ofMove(I, L, Ops);
  if (!IsData)
    return computed(I, L);
  return ofLoad(I, L, Ops, Read);
}

Expected<ValueSource> ValueSources::ofStore(const Instruction &I,
                                            const Location &L,
                                            const Operands &Ops) {
  std::vector<MemoryByte> Written = bytesOf(I, /*Write=*/true);
  ArrayRef<Operands::Operand> Data = Ops.data();
  if (Data.empty() || Written.empty())
    return computed(I, L);
  size_t SlotSize = Written.size() / Data.size();
  size_t First = 0;
  while (First < Written.size() && Written[First].Addr != L.Addr)
    ++First;
  if (!SlotSize || First + L.Size > Written.size())
    return computed(I, L);
  size_t Slot = First / SlotSize, Delta = First % SlotSize;
  if (Slot >= Data.size())
    return computed(I, L);
  if (Delta + L.Size > SlotSize) {
    ValueSource Split = ended(OriginKind::Pieces, "stored from several "
                                                  "registers");
    for (uint64_t Done = 0; Done < L.Size; Delta = 0) {
      const uint64_t Size = std::min(L.Size - Done, uint64_t(SlotSize - Delta));
      Split.Parts.push_back({Done, Size});
      Done += Size;
    }
    return Split;
  }
  const Operands::Operand &From = Data[Slot];
  if (From.Zero)
    return ended(OriginKind::Constant, "zero, stored by this instruction");
  if (!From.Register || From.Register->IsPC)
    return computed(I, L);
  bool Big = S.Store.header().Order == ByteOrder::Big;
  unsigned Offset = Big ? SlotSize - Delta - L.Size : Delta;
  if (Offset + L.Size > From.Register->Slice.Size)
    return computed(I, L);
  Location Source = registerPart(I.Thread, From, Offset, L.Size);
  auto Before = readLocation(S, Source, I.When);
  if (!Before)
    return Before.takeError();
  for (uint64_t B = 0; B < L.Size; ++B) {
    const MemoryByte &M = Written[First + (Big ? L.Size - 1 - B : B)];
    if (!M.Known && !copiesByEncoding(I, L))
      return ended(OriginKind::Unknown, "the trace does not tell what was "
                                        "stored");
    // A register that the trace has not told of yet is known from this store.
    if (M.Known && Before->Known[B] && Before->Bytes[B] != M.Byte)
      return computed(I, L);
  }
  return copied(I, std::move(Source), "stored from " + From.Text);
}

Expected<ValueSource> ValueSources::of(const Instruction &I,
                                       const Location &L) {
  auto Saved = restored(I, L);
  if (!Saved)
    return Saved.takeError();
  if (*Saved)
    return std::move(**Saved);
  if (I.Insn.Isa == ISA::X86_64)
    return ofX86(I, L);
  const std::string Text = S.Memory.Code.text(I.Insn);
  if (Text.empty())
    return ended(OriginKind::Unknown, "the trace does not tell what this "
                                      "instruction is");
  const Operands Ops = parseOperands(Text, S.Store.registerFile());
  return L.Where == Location::Register ? ofRegister(I, L, Ops)
                                       : ofStore(I, L, Ops);
}

} // namespace rw
