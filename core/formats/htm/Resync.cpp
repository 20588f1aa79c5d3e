//===- Resync.cpp - Records with words missing or too many ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/htm/Resync.h"
#include "core/arch/PPCInsn.h"

namespace rw::htm {

Slots announcedBy(uint64_t W) {
  Slots S;
  if (tagOf(W) == P8Tag) {
    bool Slb = bit(W, 61);
    if (bit(W, 57))
      S.add(Slot::Iea);
    if (bit(W, 58))
      S.add(Slot::Ira);
    if (bit(W, 59))
      S.add(Slb ? Slot::Esid : Slot::Dea);
    if (bit(W, 60))
      S.add(Slb ? Slot::Vsid : Slot::P8Dra);
    return S;
  }
  S.add(Slot::Msr);
  if (bit(W, 33))
    S.add(Slot::Prefix);
  switch (W & 3) {
  case 2:
    S.add(Slot::Dea);
    S.add(Slot::Dra);
    [[fallthrough]];
  case 1:
    S.add(Slot::Dea);
    S.add(Slot::Dra);
    break;
  case 3:
    S.add(Slot::Esid);
    S.add(Slot::Vsid);
    break;
  }
  return S;
}

static bool tagged(uint64_t W) {
  uint32_t Tag = tagOf(W);
  return Tag == P8Tag || (Tag == P10Tag && p10Type(W) != P10Type::Invalid);
}

/// Whether a record may begin at \p I by its tag: all that is asked of the
/// neighbour of a record.
static bool boundary(const Lookahead &Ahead, size_t I) {
  if (I >= Ahead.Words.size())
    return true; // the end, or beyond what we can see
  return Ahead.Words[I] == 0 || tagged(Ahead.Words[I]);
}

bool isWalkEntry(uint64_t W) {
  if (!walk::isGuest(W) && !walk::isHost(W))
    return false;
  unsigned Level = walk::level(W);
  return walk::isFinal(W) ? walk::pageShift(W) != 0
                          : Level % 2 == 0 || Level == 7;
}

bool recordAt(const Lookahead &Ahead, size_t I) {
  if (I >= Ahead.Words.size())
    return false;
  uint64_t W = Ahead.Words[I];
  if (!tagged(W))
    return false;
  bool P10 = tagOf(W) == P10Tag;
  auto word = [&](size_t N) {
    return I + N < Ahead.Words.size() ? Ahead.Words[I + N] : 0;
  };
  if (P10 && p10Type(W) == P10Type::IEARA)
    return W == 0x3abcdf00 && (word(1) & 0x7f) == 0 &&
           (word(2) & 0xffffff) == 0 && boundary(Ahead, I + 3);
  if (P10 && p10Type(W) == P10Type::Xlate)
    return (W & 0xff) == 0 && !bit(W, 33) && isWalkEntry(word(1));

  uint32_t Opcode = uint32_t(W >> 32);
  bool Branch = bit(W, 32), Prefixed = P10 && bit(W, 33);
  if (P10 ? bit(W, 56) : !bit(W, 56))
    return false;
  if (!Branch && !Prefixed) {
    if (!ppc::isPlausible(0, Opcode))
      return false;
    bool HasData = P10 ? W & 3 : bit(W, 59);
    if (ppc::memoryKind(0, Opcode).accesses() && !HasData)
      return false;
  }
  Slots S = announcedBy(W);
  for (unsigned N = 0; N < S.Size; ++N) {
    if (I + 1 + N >= Ahead.Words.size())
      return true;
    if (!fits(S.At[N], Ahead.Words[I + 1 + N]))
      return false;
  }
  return boundary(Ahead, I + 1 + S.Size);
}

namespace {
/// What each assumption costs. A word is lost or put in rarely; a record that
/// is right in all respects is hardly ever the content of a data word.
enum Cost : unsigned {
  CostUnlikely = 1,
  CostLost = 4,
  CostBadPageSize = 3,
  CostSurplus = 6,
  CostMisfit = 6,
  CostNoBoundary = 7,
  CostRecordAsData = 20,
  CostInfinite = 10000
};

class Search {
public:
  Search(const Slots &Expected, const Lookahead &Ahead)
      : Expected(Expected), Ahead(Ahead) {
    for (size_t I = 0; I < MaxWords; ++I)
      IsRecord[I] = recordAt(Ahead, I);
  }

  Reading run() {
    Reading Now{};
    descend(0, 0, 0, Now);
    return Best;
  }

private:
  static constexpr size_t MaxWords = 9;

  unsigned costOf(Slot S, size_t I) const {
    uint64_t W = Ahead.Words[I];
    unsigned C = IsRecord[I] ? unsigned(CostRecordAsData) : 0;
    if (!fits(S, W))
      return C + (S == Slot::Ira || S == Slot::P8Dra ? CostBadPageSize
                                                     : CostMisfit);
    // What looks like the word that should come next is more likely just that.
    if ((S == Slot::Dea && (fits(Slot::Dra, W) || fits(Slot::P8Dra, W))) ||
        (S == Slot::Iea && fits(Slot::Ira, W)))
      C += CostUnlikely;
    return C;
  }

  void descend(unsigned Slot, size_t I, unsigned C, Reading &Now) {
    if (C >= BestCost)
      return;
    if (Slot == Expected.Size) {
      const bool Bounded = boundary(Ahead, I);
      if (!Bounded)
        C += CostNoBoundary;
      if (C < BestCost) {
        BestCost = C;
        Best = Now;
        Best.Used = unsigned(I);
        Best.Bounded = Bounded;
      }
      return;
    }
    bool Here = I < Ahead.Words.size() && I < MaxWords;
    if (Here) {
      Now.Index[Slot] = int8_t(I);
      descend(Slot + 1, I + 1, C + costOf(Expected.At[Slot], I), Now);
    }
    Now.Index[Slot] = -1;
    ++Now.Lost;
    descend(Slot + 1, I, C + CostLost, Now);
    --Now.Lost;
    if (Here && !IsRecord[I]) {
      ++Now.Surplus;
      descend(Slot, I + 1, C + CostSurplus, Now);
      --Now.Surplus;
    }
  }

  const Slots &Expected;
  const Lookahead &Ahead;
  bool IsRecord[MaxWords] = {};
  unsigned BestCost = CostInfinite;
  Reading Best{};
};
} // namespace

Reading bestReading(const Slots &Expected, const Lookahead &Ahead) {
  return Search(Expected, Ahead).run();
}

} // namespace rw::htm
