//===- CopyChain.cpp - A value followed back through copies ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/questions/CopyChain.h"
#include "commands/questions/SystemCallMade.h"
#include "commands/support/Operands.h"
#include "core/dataflow/StepReader.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace rw {

StringRef originName(OriginKind K) {
  static constexpr StringLiteral Names[] = {
      "computed",    "constant", "call",   "outside", "initial state", "image",
      "semihosting", "system",   "pieces", "unknown", "limit"};
  return Names[size_t(K)];
}

namespace {

/// Where a link leads: on to another location, or to the end.
struct Step {
  std::optional<Location> Next;
  std::string How;
  OriginKind End = OriginKind::Unknown;
  std::string Reason;
};

struct MemoryByte {
  uint64_t Addr;
  uint8_t Byte;
  bool Known;
};

class Follower {
public:
  Follower(Session &S, CopyChain &Chain) : S(S), Chain(Chain) {}

  /// Follows one link back from \p L at \p When. False at the end.
  Expected<bool> step(Location &L, Moment &When);

private:
  Expected<Step> fromRegister(const Instruction &I, const Location &L,
                              const Operands &Ops);
  Expected<Step> fromMove(const Instruction &I, const Location &L,
                          const Operands &Ops);
  Expected<Step> fromLoad(const Instruction &I, const Location &L,
                          const Operands &Ops, ArrayRef<MemoryByte> Bytes);
  Expected<Step> fromStore(const Instruction &I, const Location &L,
                           const Operands &Ops);
  Expected<Step> computed(const Instruction &I, const Operands &Ops);
  Expected<Step> fromEffects(const Instruction &I, const Location &L);
  const dataflow::TemplateEffects &effects(const Instruction &I);
  /// The effects of \p I that make \p L.
  std::vector<const dataflow::Effect *> makers(const Instruction &I,
                                               const Location &L);
  Expected<bool> endWithoutWrite(const Location &L, Moment When,
                                 std::optional<Moment> Write);

  Location registerPart(ThreadIndex T, const Operands::Operand &O,
                        unsigned Offset, uint64_t Size) const;
  bool end(OriginKind Kind, std::string Reason) {
    Chain.End = Kind;
    Chain.Reason = std::move(Reason);
    return false;
  }

  Session &S;
  CopyChain &Chain;
  std::optional<dataflow::StepCodes> Codes; ///< made at first need
};

} // namespace

/// An order of addresses in which 0 follows the last one: an access may go on
/// there.
static bool isBelow(uint64_t A, uint64_t B) { return int64_t(A) < int64_t(B); }

static std::vector<MemoryByte> bytesOf(const Instruction &I, bool Write) {
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

static Step ended(OriginKind Kind, std::string Reason) {
  Step R;
  R.End = Kind;
  R.Reason = std::move(Reason);
  return R;
}

static Step copied(Location From, std::string How) {
  Step R;
  R.How = std::move(How);
  R.Next = std::move(From);
  return R;
}

Location Follower::registerPart(ThreadIndex T, const Operands::Operand &O,
                                unsigned Offset, uint64_t Size) const {
  Location L;
  L.Where = Location::Register;
  L.Thread = T;
  L.Text = L.RegisterName = O.Register->Name;
  L.Slice = O.Register->Slice;
  L.Slice.Offset = uint16_t(L.Slice.Offset + Offset);
  L.Slice.Size = uint16_t(Size);
  L.Size = Size;
  L.SizeGiven = true;
  return L;
}

/// First byte of the lanes that \p S covers.
static unsigned firstByte(RegisterSlice S) { return S.Lane * 8u + S.Offset; }

const dataflow::TemplateEffects &Follower::effects(const Instruction &I) {
  if (!Codes)
    Codes.emplace(S.Store, dataflow::StepCodes::Options());
  return Codes->effects(I.Insn);
}

std::vector<const dataflow::Effect *> Follower::makers(const Instruction &I,
                                                       const Location &L) {
  std::vector<const dataflow::Effect *> Found;
  for (const dataflow::Effect &E : effects(I).Effects) {
    const bool Makes = L.Where == Location::Memory
                           ? bool(E.Store)
                           : any_of(E.Writes, [&](dataflow::CellRef W) {
                               return any_of(Codes->cells().cellsOf(L.Slice),
                                             [&](dataflow::CellRef C) {
                                               return C.overlaps(W);
                                             });
                             });
    if (Makes)
      Found.push_back(&E);
  }
  return Found;
}

namespace {

/// What an instruction reads, with the values that it found. The encoding tells
/// it (as `rewind deps` does): in a text, an operand that is changed, flags and
/// what is implied do not look like something that is read.
class Inputs {
public:
  Inputs(const Session &S, const dataflow::CellMap &Cells,
         const RegisterState &State, ArrayRef<dataflow::CellRef> Reads)
      : S(S), Cells(Cells), State(State), Left(Cells.size()) {
    for (dataflow::CellRef R : Reads)
      Left.set(R.First, R.end());
  }

  /// A register as the text names it, if it is read: "w0", not "x0".
  void add(const Operands::Operand &O) {
    if (!O.Register || O.Register->IsPC)
      return;
    bool Read = false;
    for (dataflow::CellRef R : Cells.cellsOf(O.Register->Slice))
      for (unsigned C = R.First; C < R.end(); ++C)
        if (Left.test(C)) {
          Left.reset(C);
          Read = true;
        }
    if (Read)
      tell(O.Text, O.Register->Slice, 0);
  }

  /// The rest of what is read in registers.
  void addRest() {
    for (int C = Left.find_first(); C >= 0;) {
      int End = C + 1;
      while (unsigned(End) < Left.size() && Left.test(End))
        ++End;
      addRun({dataflow::Cell(C), uint16_t(End - C)});
      C = Left.find_next(End - 1);
    }
  }

  void add(const MemAccess &M) {
    Value V(M.Bytes.size());
    std::copy(M.Bytes.begin(), M.Bytes.end(), V.Bytes.begin());
    std::copy(M.Known.begin(), M.Known.end(), V.Known.begin());
    V.Order = S.Store.header().Order;
    Location L;
    L.Addr = M.Addr;
    L.Text = hex(M.Addr);
    L.Size = M.Bytes.size();
    L.SizeGiven = true;
    tell(describe(L), V);
  }

  const std::string &text() const { return Text; }

private:
  static bool isOne(StringRef Name) {
    return !Name.empty() && !Name.contains(',');
  }

  /// As few registers as there are in a run of cells.
  void addRun(dataflow::CellRef Run) {
    while (Run.Count) {
      dataflow::CellRef Part = Run;
      while (Part.Count > 1 && !isOne(Cells.name(Part)))
        --Part.Count;
      const dataflow::CellInfo &First = Cells.info(Part.First);
      const dataflow::CellInfo &Last =
          Cells.info(dataflow::Cell(Part.end() - 1));
      RegisterSlice Slice = First.Slice;
      Slice.Size =
          uint16_t(firstByte(Last.Slice) + Last.Slice.Size - firstByte(Slice));
      tell(Cells.name(Part), Slice, Part.Count == 1 ? First.Bits : 0);
      Run.First = Part.end();
      Run.Count = uint16_t(Run.Count - Part.Count);
    }
  }

  void tell(StringRef Name, RegisterSlice Slice, uint64_t Bits) {
    if (Slice.Lane == RegisterSlice::NoLane)
      return tell(Name, Value());
    Value V(Slice.Size);
    State.read(Slice, V.Bytes.data(), V.Known.data());
    if (Bits) {
      V.FieldLo = unsigned(countr_zero(Bits));
      V.FieldWidth = unsigned(popcount(Bits));
    }
    tell(Name, V);
  }

  void tell(StringRef Name, const Value &V) {
    Text += (Text.empty() ? " from " : ", ") + Name.str();
    if (!V.Bytes.empty())
      Text += " = " + shown(S, V);
  }

  const Session &S;
  const dataflow::CellMap &Cells;
  const RegisterState &State;
  BitVector Left; ///< cells that are read and not yet told
  std::string Text;
};

} // namespace

Expected<Step> Follower::computed(const Instruction &I, const Operands &Ops) {
  const dataflow::TemplateEffects &E = effects(I);
  if (!E.Known)
    return ended(OriginKind::Computed,
                 "computed by this instruction; what it reads is not known");
  auto State = S.Store.registersAt(I.Thread, I.When);
  if (!State)
    return State.takeError();
  Inputs From(S, Codes->cells(), *State, E.Reads);
  for (const Operands::Operand &O : Ops.List)
    From.add(O);
  From.addRest();
  for (const MemAccess &M : I.Mems)
    if (!M.isWrite())
      From.add(M);
  return ended(OriginKind::Computed,
               "computed by this instruction" + From.text());
}

/// For code whose copies nobody follows.
Expected<Step> Follower::fromEffects(const Instruction &I, const Location &L) {
  using dataflow::Effect;
  const auto Makers = makers(I, L);
  auto Any = [&](uint16_t Flags) {
    return any_of(Makers, [&](const Effect *E) { return E->Flags & Flags; });
  };
  if (Makers.empty() || Any(Effect::Copy | Effect::Rename | Effect::System))
    return ended(OriginKind::Unknown, "what an instruction of x86-64 copies is "
                                      "not worked out");
  if (Any(Effect::ReturnAddress))
    return ended(OriginKind::Call, "the return address of this call");
  return computed(I, Operands());
}

Expected<Step> Follower::fromMove(const Instruction &I, const Location &L,
                                  const Operands &Ops) {
  StringRef M = Ops.Mnemonic;
  if (M.starts_with("bl"))
    return ended(OriginKind::Call, "the return address of this call");
  if (M.starts_with("adr"))
    return ended(OriginKind::Constant, "an address in this instruction");
  bool Move =
      M.starts_with("mov") || M.starts_with("fmov") || M.starts_with("vmov");
  bool AddsNothing = Ops.List.size() == 3 &&
                     (Ops.List[2].Text == "#0x0" || Ops.List[2].Text == "#0") &&
                     (M.starts_with("add") || M.starts_with("sub") ||
                      M.starts_with("orr") || M.starts_with("eor"));
  if (!Move && !AddsNothing)
    return computed(I, Ops);
  if (Ops.List.size() < 2)
    return computed(I, Ops);
  const Operands::Operand &To = Ops.List[0], &From = Ops.List[1];
  // movk and its kin keep a part of what was there.
  if (From.Zero && any_of(makers(I, L), [](const dataflow::Effect *E) {
        return !E->Values.empty();
      }))
    return computed(I, Ops);
  if (From.Zero)
    return ended(OriginKind::Constant, "a constant in this instruction");
  if (!To.Register || !From.Register || From.Register->IsPC)
    return computed(I, Ops);
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
  if (Before->Bytes != After->Bytes || Before->Known != After->Known)
    return computed(I, Ops);
  return copied(std::move(Source), "moved from " + From.Text);
}

Expected<Step> Follower::fromLoad(const Instruction &I, const Location &L,
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
    return computed(I, Ops);
  size_t SlotSize = Bytes.size() / Data.size();
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
    return Bytes[Slot * SlotSize + InSlot];
  };
  for (uint64_t B = 0; B < Size; ++B) {
    if (!At(B).Known || !After->Known[B])
      return ended(OriginKind::Unknown, "the trace does not tell what was "
                                        "loaded");
    if (At(B).Byte != After->Bytes[B])
      return computed(I, Ops);
  }
  Location Source;
  Source.Addr = std::min(At(0).Addr, At(Size - 1).Addr, isBelow);
  Source.Text = hex(Source.Addr);
  Source.Size = Size;
  Source.SizeGiven = true;
  std::string Name = formatData(S, Source.Addr);
  return copied(Source, "loaded from " + describe(Source) +
                            (Name.empty() ? "" : " " + Name));
}

Expected<Step> Follower::fromRegister(const Instruction &I, const Location &L,
                                      const Operands &Ops) {
  std::vector<MemoryByte> Read = bytesOf(I, /*Write=*/false);
  // Write-back changes the base register of a load, too.
  ArrayRef<Operands::Operand> Data = Ops.data();
  bool IsData = any_of(Data, [&](const Operands::Operand &O) {
    return O.Register && !O.Register->IsPC &&
           O.Register->Slice.Lane == L.Slice.Lane;
  });
  if (Read.empty())
    return fromMove(I, L, Ops);
  if (!IsData)
    return computed(I, Ops);
  return fromLoad(I, L, Ops, Read);
}

Expected<Step> Follower::fromStore(const Instruction &I, const Location &L,
                                   const Operands &Ops) {
  std::vector<MemoryByte> Written = bytesOf(I, /*Write=*/true);
  ArrayRef<Operands::Operand> Data = Ops.data();
  if (Data.empty() || Written.empty())
    return computed(I, Ops);
  size_t SlotSize = Written.size() / Data.size();
  size_t First = 0;
  while (First < Written.size() && Written[First].Addr != L.Addr)
    ++First;
  if (!SlotSize || First + L.Size > Written.size())
    return computed(I, Ops);
  size_t Slot = First / SlotSize, Delta = First % SlotSize;
  if (Slot >= Data.size() || Delta + L.Size > SlotSize)
    return ended(OriginKind::Pieces, "stored from several registers");
  const Operands::Operand &From = Data[Slot];
  if (From.Zero)
    return ended(OriginKind::Constant, "zero, stored by this instruction");
  if (!From.Register || From.Register->IsPC)
    return computed(I, Ops);
  bool Big = S.Store.header().Order == ByteOrder::Big;
  unsigned Offset = Big ? SlotSize - Delta - L.Size : Delta;
  if (Offset + L.Size > From.Register->Slice.Size)
    return computed(I, Ops);
  Location Source = registerPart(I.Thread, From, Offset, L.Size);
  auto Before = readLocation(S, Source, I.When);
  if (!Before)
    return Before.takeError();
  for (uint64_t B = 0; B < L.Size; ++B) {
    const MemoryByte &M = Written[First + (Big ? L.Size - 1 - B : B)];
    if (!M.Known)
      return ended(OriginKind::Unknown, "the trace does not tell what was "
                                        "stored");
    // A register that the trace has not told of yet is known from this store.
    if (Before->Known[B] && Before->Bytes[B] != M.Byte)
      return computed(I, Ops);
  }
  return copied(std::move(Source), "stored from " + From.Text);
}

Expected<bool> Follower::endWithoutWrite(const Location &L, Moment When,
                                         std::optional<Moment> Write) {
  if (L.Where == Location::Register)
    return Write ? end(OriginKind::Initial,
                       "told by the trace before its first instruction")
                 : end(OriginKind::Unknown,
                       "the trace does not tell of a write of " + L.Text +
                           " before");
  auto O = S.Store.memoryOrigin(When, L.Addr);
  if (!O)
    return O.takeError();
  bool Seen = O->From == Provenance::Read || O->From == Provenance::LaterRead;
  if (O->From != Provenance::Unknown && O->Origin == BeforeTrace)
    return end(OriginKind::Initial,
               "told by the trace before its first instruction");
  if (S.Symbols)
    if (auto Section = S.Symbols->sectionAt(L.Addr))
      if (!Section->Writable)
        return end(OriginKind::Image,
                   "a constant in section " + Section->Name + " of the image");
  if (!Seen)
    return end(OriginKind::Unknown,
               "no access of the trace tells of " + describe(L));
  auto P = S.Store.instruction(O->Origin);
  if (!P)
    return P.takeError();
  return end(OriginKind::Outside,
             describe(L) + " was first seen by the read at " +
                 formatPlace(S.Store, P->Thread, P->Pos) +
                 "; written before the trace or outside it");
}

Expected<bool> Follower::step(Location &L, Moment &When) {
  auto W = lastAccess(S.Store, L, AccessKind::Write, When);
  if (!W)
    return W.takeError();
  if (L.Where == Location::Memory) {
    auto O = S.Store.memoryOrigin(When, L.Addr);
    if (!O)
      return O.takeError();
    // A read that saw something else than was written last: a device, another
    // processor.
    if (*W && O->From == Provenance::Read && O->Origin != BeforeTrace &&
        O->Origin > **W) {
      auto I = S.Store.instruction(O->Origin);
      if (!I)
        return I.takeError();
      return end(OriginKind::Outside,
                 describe(L) + " was changed from outside: the read at " +
                     formatPlace(S.Store, I->Thread, I->Pos) +
                     " saw what no instruction of the trace had written");
    }
  }
  if (!*W || **W == BeforeTrace)
    return endWithoutWrite(L, When, *W);
  auto A = explainAccess(S, L, AccessKind::Write, **W);
  if (!A)
    return A.takeError();
  const Instruction &I = A->Insn;
  Chain.Links.push_back({L, I, "", A->New});
  ChainLink &Link = Chain.Links.back();
  auto Finish = [&](OriginKind Kind, const std::string &Reason) {
    Link.How = Reason;
    return end(Kind, Reason);
  };
  auto Call = SystemCallMade::at(S, I.When);
  if (!Call)
    return Call.takeError();
  if (Call->isCall()) {
    auto Answered = Call->answeredAtOnce();
    if (!Answered)
      return Answered.takeError();
    if (A->Implied || *Answered) {
      auto Text = Call->describe(nullptr);
      if (!Text)
        return Text.takeError();
      const bool Semihosting = Call->kind() == SystemCallKind::Semihosting;
      return Finish(Semihosting ? OriginKind::Semihosting : OriginKind::System,
                    (Semihosting ? "the answer of this semihosting call: "
                                 : "the system's answer: ") +
                        *Text);
    }
  }
  if (A->Implied)
    return Finish(OriginKind::Semihosting, "written by this semihosting call");
  if (size_t(llvm::count(A->Bytes, 1)) != A->Bytes.size())
    return Finish(OriginKind::Pieces, "wrote only " + formatCoverage(A->Bytes) +
                                          "; last-write --pieces tells more");
  if (I.Insn.Isa == ISA::X86_64) {
    auto Made = fromEffects(I, L);
    return Made ? Expected<bool>(Finish(Made->End, Made->Reason))
                : Made.takeError();
  }
  std::string Text = S.Memory.Code.text(I.Insn);
  if (Text.empty())
    return Finish(OriginKind::Unknown, "the trace does not tell what this "
                                       "instruction is");
  Operands Ops = parseOperands(Text, S.Store.registerFile());
  auto Next = L.Where == Location::Register ? fromRegister(I, L, Ops)
                                            : fromStore(I, L, Ops);
  if (!Next)
    return Next.takeError();
  if (!Next->Next)
    return Finish(Next->End, Next->Reason);
  Link.How = Next->How;
  When = I.When;
  L = std::move(*Next->Next);
  // It is the same value.
  if (!Chain.Start.FieldWidth && L.Size == Chain.Start.Size)
    L.Type = Chain.Start.Type;
  return true;
}

Expected<CopyChain> followBack(Session &S, const Location &L, Moment When,
                               uint64_t Limit) {
  CopyChain Chain;
  Chain.Start = L;
  auto V = readLocation(S, L, When);
  if (!V)
    return V.takeError();
  Chain.What = std::move(*V);
  Follower F(S, Chain);
  Location Now = L;
  while (true) {
    if (Chain.Links.size() >= Limit || S.cancelled()) {
      Chain.End = OriginKind::Limit;
      Chain.Reason =
          S.cancelled() ? "interrupted" : "cut here: -c sets how far";
      return Chain;
    }
    auto More = F.step(Now, When);
    if (!More)
      return More.takeError();
    if (!*More)
      return Chain;
  }
}

} // namespace rw
