//===- FindValue.cpp - rewind find value ----------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/questions/FindTarget.h"
#include "commands/support/Access.h"
#include "commands/support/Format.h"
#include "core/store/StateCursor.h"
#include "core/store/TraceStore.h"
#include "core/store/ValueScan.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace rw {

namespace {

/// What an instruction gave the value to.
struct Holder {
  bool IsRegister = false;
  ThreadIndex Thread = 0;
  unsigned Lane = 0;
  uint64_t Addr = 0;
};

/// "Became": after the instruction it is known to be the value, and before, it
/// was not. Registers: a lane (all 8 bytes, or its lowest) that the instruction
/// wrote; memory: aligned words with a byte that it wrote.
class ValueTarget final : public FindTarget {
public:
  ValueTarget(Session &S, const ValueQuestion &Question,
              const ValueQuestion::Form &F, ThreadFilter T)
      : S(S), Q(Question, F), T(T), Near(StateCursor::open(S.Store)),
        Told(StateCursor::open(S.Store)),
        Big(S.Store.header().Order == ByteOrder::Big) {
    // A number that has more bytes than an int is looked for in larger words.
    const uint64_t High = Q.Number >> 32;
    const bool IsInt = High == 0 || (High == 0xffffffff && Q.Number >> 31 & 1);
    MemoryBytes = unsigned(Q.Size.value_or(IsInt ? 4 : 8));
    MemoryNumber = MemoryBytes == 8
                       ? Q.Number
                       : Q.Number & maskTrailingOnes<uint64_t>(8 * MemoryBytes);
    for (unsigned B = 0; B < MemoryBytes; ++B)
      Pattern[B] = uint8_t(MemoryNumber >> 8 * (Big ? MemoryBytes - 1 - B : B));
    // More of a general register of AArch32 is never known.
    const bool IsWord = IsInt && S.Store.header().Architecture == Arch::Arm;
    LaneBytes = unsigned(Q.Size.value_or(IsWord ? 4 : 8));
    LaneBits = maskTrailingOnes<uint64_t>(8 * std::min(LaneBytes, 8u));
    // A negative int in a register of 8 bytes may be extended, or not.
    if (!Q.Size && High == 0xffffffff)
      Alternative = Q.Number & 0xffffffff;
    if (auto What = sought())
      Scan.emplace(S.Store, *What);
    constexpr uint64_t Narrow = 1 << 12; // ranges that the index is asked about
    Indexed = Q.Where && (Q.Where->Size <= Narrow || !Scan);
  }

  bool scans() const override { return Scanned; }
  StringRef scanned() const override {
    return Indexed ? "where much is written there, every instruction was "
                     "looked at, which is faster than the index"
                   : FindTarget::scanned();
  }
  Answer from(Moment First) override {
    return firstWanted(
        S, First, [&](Moment First) { return mayFrom(First); },
        [&](Moment M) { return isSo(M); });
  }
  Answer last(Moment Before) override {
    return lastWanted(
        S, Before, [&](Moment Before) { return mayBefore(Before); },
        [&](Moment M) { return isSo(M); });
  }
  Expected<std::string> remark(Moment M, uint64_t, json::Object &Json) override;

private:
  std::optional<SoughtValue> sought() const;
  Answer mayFrom(Moment First);
  Answer mayBefore(Moment Before);
  Expected<bool> isSo(Moment M) { return Certain ? true : givesAt(M); }
  /// Takes note of an answer of the index: where those are near to one another,
  /// looking at every instruction is faster.
  void answered(Moment M);
  bool isDense(Moment M) const {
    return Scan && (!Indexed || (M >= DenseFrom && M < DenseTo));
  }
  Answer scan(Moment From, Moment To, bool Last) {
    Scanned = true;
    auto Hit = Scan->find(From, To, Last, [&](Moment Reached) {
      if (S.cancelled())
        Cut = Reached;
      return Cut.has_value();
    });
    if (!Hit)
      return Hit.takeError();
    if (!*Hit)
      return std::nullopt;
    Certain = (*Hit)->Certain;
    return (*Hit)->When;
  }
  Expected<bool> givesAt(Moment M) {
    auto I = Told->at(M);
    if (!I)
      return I.takeError();
    return gives(**I, nullptr);
  }
  /// A lane that an instruction wrote.
  struct LaneChange {
    const RegItem *By;
    RegisterSlice Slice;
    std::optional<uint64_t> Old;
  };
  /// A word that it wrote a part of and that was something else before.
  struct WordChange {
    uint64_t Addr;
    bool Looks; ///< only memory can tell what it is now
  };
  Expected<bool> gives(const Instruction &I, std::vector<Holder> *All) const;
  Error lanesBefore(const Instruction &I,
                    SmallVectorImpl<LaneChange> &Lanes) const;
  Error wordsBefore(const Instruction &I,
                    SmallVectorImpl<WordChange> &Words) const;
  bool holds(uint64_t Lane) const {
    return (Lane & LaneBits) == (Q.Number & LaneBits) ||
           (Alternative && Lane == *Alternative);
  }
  bool inRange(uint64_t Addr) const {
    return !Q.Where || (Addr >= Q.Where->Addr &&
                        Addr - Q.Where->Addr + MemoryBytes <= Q.Where->Size);
  }
  Expected<bool> wordIs(uint64_t Addr, Moment M) const;

  /// One form of it.
  struct OneQuestion {
    OneQuestion(const ValueQuestion &Q, const ValueQuestion::Form &F)
        : Number(F.Number), Size(F.Size), Registers(Q.Registers),
          Memory(Q.Memory), Where(Q.Where) {}
    uint64_t Number;
    std::optional<uint64_t> Size;
    bool Registers, Memory;
    std::optional<Location> Where;
  };

  Session &S;
  const OneQuestion Q;
  const ThreadFilter T;
  std::optional<ValueScan> Scan; ///< none: only the index can tell
  bool Indexed = false;          ///< the index is asked first
  bool Scanned = false;
  bool Certain = false; ///< what was answered last needs no look
  /// Where instructions that write there are near to one another.
  Moment DenseFrom = 0, DenseTo = 0;
  Moment Mark = BeforeTrace; ///< an answer of the index, and how many since
  unsigned Since = 0;
  /// What was before and after an instruction, and what it did. These are two,
  /// since a cursor that has read an instruction stands behind it, and goes
  /// back to what was before at the cost of a block.
  const std::unique_ptr<StateCursor> Near, Told;
  const bool Big;
  unsigned MemoryBytes = 8, LaneBytes = 8;
  uint64_t MemoryNumber = 0;
  uint8_t Pattern[8] = {};
  uint64_t LaneBits = 0; ///< bits that count
  std::optional<uint64_t> Alternative;
};

} // namespace

/// What it read may tell that memory was changed from outside: then what it
/// wrote is not all that counts.
static bool readsToo(const Instruction &I) {
  return any_of(I.Mems, [](const MemAccess &M) { return !M.isWrite(); });
}

/// What is looked for in a scan; none if that cannot tell.
std::optional<SoughtValue> ValueTarget::sought() const {
  SoughtValue What;
  What.Thread = T;
  What.Lanes = Q.Registers;
  What.LaneBits = LaneBits;
  What.LaneNumber = Q.Number;
  What.LaneAlternative = Alternative.value_or(Q.Number);
  What.Words = Q.Memory;
  What.WordBytes = MemoryBytes;
  for (unsigned B = 0; B < MemoryBytes; ++B)
    What.Word |= uint64_t(Pattern[B]) << 8 * B;
  if (!Q.Where)
    return What;
  if (Q.Where->Where != Location::Register) {
    if (!Q.Where->Size)
      return std::nullopt;
    What.RangeBegin = Q.Where->Addr;
    What.RangeLast = Q.Where->Addr + (Q.Where->Size - 1);
    return What;
  }
  const RegisterSlice &Slice = Q.Where->Slice;
  const unsigned In = Slice.Offset % 8;
  if (In + *Q.Size > 8)
    return std::nullopt;
  What.Only = {Q.Where->Thread, uint16_t(Slice.Lane + Slice.Offset / 8)};
  What.LaneBits <<= 8 * In;
  What.LaneNumber = Q.Number << 8 * In & What.LaneBits;
  What.LaneAlternative = What.LaneNumber;
  return What;
}

void ValueTarget::answered(Moment M) {
  // An answer costs as much as looking at so many instructions.
  constexpr unsigned Some = 64, Near = 64;
  constexpr uint64_t Stretch = 1 << 20;
  if (Mark == BeforeTrace)
    Mark = M;
  if (!Scan || ++Since < Some)
    return;
  const Moment Least = std::min(M, Mark), Most = std::max(M, Mark);
  if (Most - Least < uint64_t(Some) * Near) {
    DenseFrom = Least - std::min(Least, Stretch);
    DenseTo = Most + Stretch;
  }
  Mark = M;
  Since = 0;
}

/// The first instruction from \p First on that may have done it.
FindTarget::Answer ValueTarget::mayFrom(Moment First) {
  const Moment End = S.Store.numInstructions();
  Certain = false;
  if (isDense(First)) {
    const Moment To = Indexed ? std::min(DenseTo, End) : End;
    auto M = scan(First, To, /*Last=*/false);
    if (!M || *M || To == End || Cut)
      return M;
    First = To;
    Mark = BeforeTrace;
    Since = 0;
  }
  auto M = accessFrom(S.Store, *Q.Where, AccessKind::Write, First);
  if (M && *M)
    answered(**M);
  return M;
}

/// The last one before \p Before.
FindTarget::Answer ValueTarget::mayBefore(Moment Before) {
  Certain = false;
  if (!Before)
    return std::nullopt;
  if (isDense(Before - 1)) {
    const Moment From = Indexed ? DenseFrom : 0;
    auto M = scan(From, Before, /*Last=*/true);
    if (!M || *M || !From || Cut)
      return M;
    Before = From;
    Mark = BeforeTrace;
    Since = 0;
  }
  auto M = lastAccess(S.Store, *Q.Where, AccessKind::Write, Before);
  if (M && *M == BeforeTrace)
    return std::nullopt;
  if (M && *M)
    answered(**M);
  return M;
}

Expected<bool> ValueTarget::gives(const Instruction &I,
                                  std::vector<Holder> *All) const {
  if (T && I.Thread != *T)
    return false;
  // In the order in which the cursor goes: before, then after.
  SmallVector<LaneChange, 4> Lanes;
  SmallVector<WordChange, 4> Words;
  if (Q.Registers)
    if (Error E = lanesBefore(I, Lanes))
      return E;
  if (Q.Memory)
    if (Error E = wordsBefore(I, Words))
      return E;
  bool Does = false;
  for (const LaneChange &C : Lanes) {
    auto New = Near->getRegister(C.By->Thread, I.When + 1, C.Slice);
    if (!New)
      return New.takeError();
    if (!*New || !holds(**New) || C.Old == *New)
      continue;
    Does = true;
    if (!All)
      return true;
    if (none_of(*All, [&](const Holder &H) {
          return H.IsRegister && H.Lane == C.By->Lane &&
                 H.Thread == C.By->Thread;
        }))
      All->push_back({true, C.By->Thread, C.By->Lane, 0});
  }
  for (const WordChange &C : Words) {
    if (C.Looks) {
      auto After = wordIs(C.Addr, I.When + 1);
      if (!After)
        return After.takeError();
      if (!*After)
        continue;
    }
    Does = true;
    if (!All)
      return true;
    if (none_of(*All, [&](const Holder &H) {
          return !H.IsRegister && H.Addr == C.Addr;
        }))
      All->push_back({false, 0, 0, C.Addr});
  }
  return Does;
}

Error ValueTarget::lanesBefore(const Instruction &I,
                               SmallVectorImpl<LaneChange> &Lanes) const {
  for (const RegItem &R : I.Regs) {
    if (R.Flags & RegItem::NotWritten)
      continue;
    RegisterSlice Slice{uint16_t(R.Lane), 0, uint16_t(LaneBytes)};
    if (Q.Where) {
      if (R.Thread != Q.Where->Thread ||
          R.Lane != Q.Where->Slice.Lane + Q.Where->Slice.Offset / 8u)
        continue;
      Slice = Q.Where->Slice;
      Slice.Size = uint16_t(*Q.Size);
    }
    auto Old = Near->getRegister(R.Thread, I.When, Slice);
    if (!Old)
      return Old.takeError();
    Lanes.push_back({&R, Slice, *Old});
  }
  return Error::success();
}

Expected<bool> ValueTarget::wordIs(uint64_t Addr, Moment M) const {
  uint8_t Bytes[8], Known[8] = {};
  if (Error E =
          Near->readMemory(M, Addr, {Bytes, MemoryBytes}, {Known, MemoryBytes}))
    return E;
  for (unsigned B = 0; B < MemoryBytes; ++B)
    if (!Known[B] || Bytes[B] != Pattern[B])
      return false;
  return true;
}

Error ValueTarget::wordsBefore(const Instruction &I,
                               SmallVectorImpl<WordChange> &Words) const {
  const bool Reads = readsToo(I);
  for (const MemAccess &A : I.Mems) {
    if (!A.isWrite())
      continue;
    std::optional<uint64_t> Done; // the word that was looked at last
    for (size_t B = 0; B < A.Bytes.size(); ++B) {
      const uint64_t At = A.Addr + B;
      // Words in a range lie as it does.
      const uint64_t Base = Q.Where ? Q.Where->Addr % MemoryBytes : 0;
      const uint64_t Word = At - ((At - Base) & (uint64_t(MemoryBytes) - 1));
      if (Word == Done || !inRange(Word))
        continue;
      Done = Word;
      if (Word + (MemoryBytes - 1) < Word)
        continue;
      // Where it wrote something else it needs no look at memory.
      bool Differs = false;
      unsigned Tells = 0; // bytes of the word
      for (size_t C = 0; C < A.Bytes.size(); ++C) {
        const uint64_t In = A.Addr + C - Word;
        if (In >= MemoryBytes || !A.Known[C])
          continue;
        Differs |= A.Bytes[C] != Pattern[In];
        ++Tells;
      }
      if (Differs && !Reads)
        continue;
      auto Before = wordIs(Word, I.When);
      if (!Before)
        return Before.takeError();
      // The only access tells all of the word, or memory does.
      if (!*Before)
        Words.push_back(
            {Word, Differs || Tells < MemoryBytes || I.Mems.size() > 1});
    }
  }
  return Error::success();
}

Expected<std::string> ValueTarget::remark(Moment M, uint64_t,
                                          json::Object &Json) {
  auto At = Told->at(M);
  if (!At)
    return At.takeError();
  const Instruction &I = **At;
  std::vector<Holder> All;
  auto Does = gives(I, &All);
  if (!Does)
    return Does.takeError();
  std::string Text;
  json::Array Holders;
  for (const Holder &H : All) {
    std::string Name;
    json::Object O;
    if (H.IsRegister) {
      Name = Q.Where ? Q.Where->Text
                     : S.Store.registerFile().laneName(H.Lane).str();
      O["register"] = Name;
      O["thread"] = int64_t(H.Thread) + 1;
      if (H.Thread != I.Thread)
        Name = std::to_string(H.Thread + 1) + ":" + Name;
    } else {
      Name = "[" + hex(H.Addr) + ", " + std::to_string(MemoryBytes) +
             (MemoryBytes == 1 ? " byte]" : " bytes]");
      O["address"] = hex(H.Addr);
      O["size"] = int64_t(MemoryBytes);
      std::string Object = formatData(S, H.Addr);
      if (!Object.empty()) {
        Name += " " + Object;
        O["symbol"] = Object;
      }
    }
    Holders.push_back(std::move(O));
    Text += (Text.empty() ? "" : ", ") + Name;
  }
  Json["holders"] = std::move(Holders);
  return Text;
}

/// What is looked at for values of \p Size bytes: the lanes of a vector
/// register, each of which has a value of its own; all else is one place.
static std::vector<Location> placesIn(const Session &S, const Location &L,
                                      uint64_t Size) {
  const RegisterInfo *R = L.Where == Location::Register
                              ? S.Store.registerFile().find(L.RegisterName)
                              : nullptr;
  if (!R || R->Format != RegisterFormat::Vector || L.Size <= Size)
    return {L};
  std::vector<Location> Lanes;
  const unsigned First = L.Slice.Offset - R->Slice.Offset;
  for (uint64_t Offset = 0; Offset + Size <= L.Size; Offset += Size) {
    Location Lane = part(L, Offset, Size);
    Lane.Text = (R->Name + "." + Twine("bhsd"[Log2_64(Size)]) + "[" +
                 Twine((First + Offset) / Size) + "]")
                    .str();
    if (L.Type && L.Type->Element && L.Type->Element->Size == Size)
      Lane.Type = L.Type->Element;
    Lanes.push_back(std::move(Lane));
  }
  return Lanes;
}

std::unique_ptr<FindTarget> findValue(Session &S, ValueQuestion Q,
                                      ThreadFilter T) {
  if (Q.Where && Q.Where->FieldWidth)
    return findFieldValue(S, *Q.Where, Q.Forms[0].Number, T);
  std::unique_ptr<FindTarget> All;
  auto Add = [&](const ValueQuestion &One, const ValueQuestion::Form &F) {
    auto Its = std::make_unique<ValueTarget>(S, One, F, T);
    All = All ? findEither(std::move(All), std::move(Its)) : std::move(Its);
  };
  for (const ValueQuestion::Form &F : Q.Forms) {
    if (!Q.Where || !F.Size) {
      Add(Q, F);
      continue;
    }
    ValueQuestion One = Q;
    for (Location &L : placesIn(S, *Q.Where, *F.Size)) {
      One.Where = std::move(L);
      Add(One, F);
    }
  }
  return All;
}

} // namespace rw
