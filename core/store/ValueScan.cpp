//===- ValueScan.cpp - When something may become a value ------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/ValueScan.h"
#include "core/store/BlockMemory.h"
#include "core/store/BlockWalker.h"
#include "core/store/FloatOps.h"
#include "core/store/TraceStore.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/ThreadPool.h"

using namespace rw;
using namespace rw::format;

/// Blocks of one segment, one after the other.
struct ValueScan::Piece {
  SegmentView S;
  unsigned Begin = 0, End = 0;
  std::vector<Hit> Hits;
  unsigned Damaged = ~0u; ///< the block that is
};

namespace {

/// Decodes blocks as BlockDecoder does, for one question only: nothing is kept
/// of an instruction. Registers go on from block to block.
class PieceScan {
public:
  PieceScan(const TraceStore::Impl &I, const SoughtValue &What,
            const SegmentView &S, std::vector<ValueScan::Hit> &Hits)
      : I(I), What(What), S(S), Hits(Hits),
        Values(size_t(I.NumThreads) * I.NumLanes), Known(Values.size()),
        Start(Values.size()), StartKnown(Values.size()) {
    for (unsigned B = 0; B < 8; ++B)
      if (What.LaneBits >> 8 * B & 0xff)
        LaneBytes |= uint8_t(1u << B);
  }
  /// False if it is damaged.
  bool block(unsigned B) {
    if (!Entered && !loadState(I, S, BlockStreams(S, B), Values, Known))
      return false;
    Entered = true;
    if (!Looking) {
      // Few programs compute with floating-point numbers: what only those need
      // is left out, until it is needed.
      const size_t Had = Hits.size();
      Start = Values;
      StartKnown = Known;
      const Outcome O =
          What.Words ? scan<true, false>(B) : scan<false, false>(B);
      if (O != NeedsMemory)
        return O == Done;
      Hits.resize(Had);
      Values = Start;
      Known = StartKnown;
    }
    if (Memory)
      Memory->enter(S, B);
    else
      Memory.emplace(I, S, B);
    Looking = false;
    const Outcome O = scan<true, true>(B);
    if (!Looking)
      Memory.reset();
    return O == Done;
  }

private:
  enum Outcome { Done, Damaged, NeedsMemory };
  /// \p Accesses: looks at them; \p Looks: also at what memory held.
  template <bool Accesses, bool Looks> Outcome scan(unsigned Block);
  std::optional<bool> makes();

  const TraceStore::Impl &I;
  const SoughtValue &What;
  const SegmentView S;
  std::vector<ValueScan::Hit> &Hits;
  uint8_t LaneBytes = 0;
  bool Entered = false;
  bool Looking = false;         ///< at memory: the block before had to
  std::vector<uint64_t> Values; ///< [thread][lane]
  std::vector<uint8_t> Known;
  std::vector<uint64_t> Start;
  std::vector<uint8_t> StartKnown;
  std::optional<BlockMemory> Memory;
  llvm::SmallVector<DecodedMem, 8> Mems;
};

} // namespace

/// Whether an access wrote bytes of a word that agree with the one sought.
static bool mayMake(const SoughtValue &What, uint64_t Addr, uint64_t Value,
                    unsigned Size, uint8_t KnownBytes) {
  const unsigned N = What.WordBytes;
  const auto In = unsigned((Addr - What.RangeBegin) & (N - 1));
  const uint64_t Told = expandMask(KnownBytes);
  // The access of most programs lies in one word.
  if (In + Size <= N)
    return ((Value ^ (What.Word >> 8 * In)) & Told &
            llvm::maskTrailingOnes<uint64_t>(8 * Size)) == 0;
  for (unsigned At = 0, From = In; At < Size; From = 0) {
    const unsigned Bytes = std::min(N - From, Size - At);
    const uint64_t Mask =
        Told >> 8 * At & llvm::maskTrailingOnes<uint64_t>(8 * Bytes);
    if (((Value >> 8 * At ^ What.Word >> 8 * From) & Mask) == 0)
      return true;
    At += Bytes;
  }
  return false;
}

/// Whether the writes in Mems make a word what is sought; none if not all that
/// counts is known now. (What is told later may be known in hindsight.)
std::optional<bool> PieceScan::makes() {
  const uint64_t Size = What.WordBytes;
  const uint64_t Bits = llvm::maskTrailingOnes<uint64_t>(8 * What.WordBytes);
  for (const DecodedMem &M : Mems)
    if (llvm::popcount(M.Shape->Known) != M.Shape->Size)
      return std::nullopt;
  for (const DecodedMem &M : Mems) {
    const uint64_t First = M.Addr - ((M.Addr - What.RangeBegin) & (Size - 1));
    for (uint64_t Word = First; Word - First < M.Addr - First + M.Shape->Size;
         Word += Size) {
      if (Word + Size < Word)
        return std::nullopt;
      if (Word - What.RangeBegin > What.RangeLast - What.RangeBegin ||
          What.RangeLast - Word < Size - 1)
        continue;
      const auto Old = Memory->read(Word, unsigned(Size));
      if (!Old)
        return std::nullopt;
      uint64_t New = *Old;
      for (const DecodedMem &By : Mems)
        for (unsigned B = 0; B < By.Shape->Size; ++B)
          if (const uint64_t At = By.Addr + B - Word; At < Size)
            New = (New & ~(uint64_t(0xff) << 8 * At)) |
                  (By.Value >> 8 * B & 0xff) << 8 * At;
      if ((New & Bits) == What.Word && (*Old & Bits) != What.Word)
        return true;
    }
  }
  return false;
}

template <bool Accesses, bool Looks>
PieceScan::Outcome PieceScan::scan(unsigned Block) {
  const BlockStreams B(S, Block);
  RunTokenReader Tokens(B.begin(B.Tokens), B.end(B.Tokens));
  ByteReader ThreadIn(B.begin(B.Threads), B.end(B.Threads));
  BitReader RegBits(B.begin(B.RegBits), B.end(B.RegBits));
  NibbleReader RegNibbles(B.begin(B.RegNibbles), B.end(B.RegNibbles));
  ByteReader RegPayload(B.begin(B.RegPayload), B.end(B.RegPayload));
  BitReader MemBits(B.begin(B.MemBits), B.end(B.MemBits));
  NibbleReader MemNibbles(B.begin(B.MemNibbles), B.end(B.MemNibbles));
  ByteReader MemPayload(B.begin(B.MemPayload), B.end(B.MemPayload));
  codec::RecentValues Recent;
  const Moment First = I.momentAt(S, Block, 0);
  const unsigned Size = S.blockSize(Block), NumLanes = I.NumLanes;
  const uint64_t Bits = What.LaneBits, Number = What.LaneNumber,
                 Alternative = What.LaneAlternative;
  const uint64_t RangeBytes = What.RangeLast - What.RangeBegin; // less one
  const bool Lanes = What.Lanes;
  uint64_t ThreadLeft = S.H->NumThreads > 1 ? 0 : ~uint64_t(0), LastAddr = 0;
  ThreadIndex Thread = 0;
  uint64_t *Own = Values.data();

  for (unsigned Insn = 0; Insn < Size;) {
    const uint32_t Run = Tokens.next();
    if (Run >= I.RunLanes.size() || I.RunStarts[Run] == I.RunStarts[Run + 1])
      return Damaged;
    const llvm::ArrayRef<uint32_t> Ids = I.run(Run).take_front(Size - Insn);
    for (const uint32_t Id : Ids) {
      const unsigned At = Insn++;
      if (!ThreadLeft) {
        Thread = ThreadIn.byte();
        ThreadLeft = ThreadIn.varint();
        if (!ThreadLeft || Thread >= I.NumThreads)
          return Damaged;
        Own = Values.data() + size_t(Thread) * NumLanes;
      }
      --ThreadLeft;
      const Template &T = I.Templates[Id];
      if (!(T.NumRegs | T.NumMems))
        continue;
      const MemShape *const Shapes = I.Mems.data() + T.FirstMem;
      bool May = false, Certain = false;

      // What is written, and where all accesses are: from the registers before.
      const bool MemPredicted = Accesses && T.NumMems && !MemBits.get();
      bool Reads = false;
      if (Accesses) {
        if (Looks)
          Mems.clear();
        bool Agrees = false, Touches = false;
        for (const MemShape *Sh = Shapes, *E = Shapes + T.NumMems; Sh != E;
             ++Sh) {
          uint64_t Addr = codec::predictAddr(*Sh, Own), Real = ~uint64_t(0),
                   Value = 0;
          if (!MemPredicted)
            Addr =
                codec::decodeAddr(MemNibbles.get(), Addr, LastAddr, MemPayload);
          LastAddr = Addr + Sh->Size;
          if (Sh->HasReal && !MemPredicted)
            if (const uint8_t Code = MemNibbles.get(); Code != DataPredicted)
              codec::decodeData(Code, MemPayload);
          if (!(Sh->Flags & MemItem::Write)) {
            Reads = true;
          } else {
            if (Sh->Known) {
              const uint8_t Code =
                  MemPredicted ? uint8_t(DataPredicted) : MemNibbles.get();
              Value = Code == DataPredicted
                          ? codec::predictData(*Sh, Own)
                          : codec::decodeData(Code, MemPayload);
            }
            Agrees |= mayMake(What, Addr, Value, Sh->Size, Sh->Known);
            // An access may go round the end of the address space.
            Touches |= Addr - What.RangeBegin <= RangeBytes ||
                       What.RangeBegin - Addr < Sh->Size;
          }
          if (Looks)
            Mems.push_back({Sh, Addr, Value, Real});
        }
        // What it reads may tell that memory was changed from outside: then
        // what it writes is not all that counts.
        if (What.Words && Touches && Reads) {
          May = true;
        } else if (What.Words && Touches && Agrees) {
          if (!Looks)
            return NeedsMemory;
          Looking = true;
          const std::optional<bool> Does = makes();
          May = Does.value_or(true);
          Certain = Does.value_or(false);
        }
      }

      if (T.NumRegs) {
        const bool Predicted = T.TellsRegs && !RegBits.get();
        const RegShape *Sh = I.Regs.data() + T.FirstReg;
        for (const RegShape *E = Sh + T.NumRegs; Sh != E; ++Sh) {
          const size_t Owner = Sh->Thread == SameThread ? Thread : Sh->Thread;
          const size_t Index = Owner * NumLanes + Sh->Lane;
          uint64_t &Lane = Values[Index];
          const uint64_t Mask = expandMask(Sh->Written & ~Sh->Unknown);
          uint64_t V = 0;
          if (Mask) {
            const uint8_t Code =
                Predicted ? uint8_t(RegPredicted) : RegNibbles.get();
            if (Code != RegPredicted) {
              if (Code < RegDelta1)
                V = Code - RegConst0 < Sh->NumConsts
                        ? I.Consts[Sh->FirstConst + (Code - RegConst0)]
                        : 0;
              else
                V = codec::decodeReg(Code, Mask, Lane, RegPayload,
                                     Sh->Lane >= PredictorLanes, Recent);
              Recent.add(V);
            } else if (!codec::isDeferred(*Sh)) {
              V = codec::predictReg(*Sh, Mask, Own);
              Recent.add(V);
            } else if (Sh->Source == FromFloats) {
              auto Result = FloatOp::unpack(uint64_t(Sh->Offset)).evaluate(Own);
              if (!Result)
                return Damaged;
              V = *Result & Mask;
            } else if (!Looks) {
              return NeedsMemory;
            } else {
              Looking = true;
              if (uint64_t(Sh->Offset) >= Mems.size())
                return Damaged;
              const DecodedMem &M = Mems[size_t(Sh->Offset)];
              auto Held = Memory->read(M.Addr, M.Shape->Size);
              if (!Held)
                return Damaged;
              V = *Held & Mask;
            }
          }
          const uint64_t Old = Lane, New = (Old & ~expandMask(Sh->Written)) | V;
          uint8_t &Kn = Known[Index];
          const uint8_t OldKnown = Kn;
          Lane = New;
          Kn = uint8_t((OldKnown | Sh->Written) & ~Sh->Unknown);
          if (Lanes && (((New ^ Number) & Bits) == 0 || New == Alternative))
              [[unlikely]] {
            if ((LaneBytes & ~Kn) ||
                (What.Only &&
                 (What.Only->Lane != Sh->Lane || What.Only->Thread != Owner)))
              continue;
            // What is written twice, or only shown, is looked at again.
            const bool Was =
                !(LaneBytes & ~OldKnown) && ((Old ^ New) & Bits) == 0;
            if (Was && T.NumRegs == 1)
              continue;
            May = true;
            Certain |=
                !Was && !(Sh->Flags & RegItem::NotWritten) && T.NumRegs == 1;
          }
        }
      }

      // What is read: only where one must know how far the codes go.
      if (Accesses && Reads && (Looks || !MemPredicted)) {
        unsigned K = 0;
        for (const MemShape *Sh = Shapes, *E = Shapes + T.NumMems; Sh != E;
             ++Sh, ++K) {
          if ((Sh->Flags & MemItem::Write) || !Sh->Known)
            continue;
          const uint8_t Code =
              MemPredicted ? uint8_t(DataPredicted) : MemNibbles.get();
          const uint64_t Value = Code == DataPredicted
                                     ? codec::predictData(*Sh, Own)
                                     : codec::decodeData(Code, MemPayload);
          if (Looks)
            Mems[K].Value = Value;
        }
      }
      if (Looks)
        Memory->apply(Mems);
      if (May && (!What.Thread || *What.Thread == Thread))
        Hits.push_back({First + At, Certain});
    }
  }
  return RegPayload.failed() || MemPayload.failed() ? Damaged : Done;
}

ValueScan::ValueScan(const TraceStore &Store, const SoughtValue &What)
    : I(BlockWalker::implOf(Store)), What(What) {}
ValueScan::~ValueScan() = default;

/// The blocks of [From, To), in pieces that a thread looks at alone.
llvm::Error ValueScan::collect(Moment From, Moment To,
                               std::vector<Piece> &Pieces) const {
  constexpr unsigned Most = 64; // blocks: some 30,000 instructions
  auto P = I.locate(From);
  if (!P)
    return P.takeError();
  unsigned Block = P->Block;
  for (uint32_t Segment = P->S.Index; From < To; ++Segment, Block = 0) {
    auto S = I.segment(Segment);
    if (!S)
      return S.takeError();
    while (Block < S->H->NumBlocks && From < To) {
      Piece New;
      New.S = *S;
      New.Begin = Block;
      while (Block < S->H->NumBlocks && Block - New.Begin < Most && From < To)
        From = I.momentAt(*S, ++Block, 0);
      New.End = Block;
      Pieces.push_back(std::move(New));
    }
  }
  return llvm::Error::success();
}

/// Looks at all blocks that have instructions in [From, To).
llvm::Error ValueScan::scan(Moment From, Moment To) {
  std::vector<Piece> Pieces;
  if (llvm::Error E = collect(From, To, Pieces))
    return E;
  auto Look = [this](Piece &P) {
    PieceScan Scan(I, What, P.S, P.Hits);
    for (unsigned B = P.Begin; B < P.End && P.Damaged == ~0u; ++B)
      if (!Scan.block(B))
        P.Damaged = B;
  };
  if (Pieces.size() == 1) {
    Look(Pieces.front());
  } else {
    if (!Pool)
      Pool = std::make_unique<llvm::DefaultThreadPool>(
          llvm::hardware_concurrency());
    for (Piece &P : Pieces)
      Pool->async([&Look, &P] { Look(P); });
    Pool->wait();
  }
  Hits.clear();
  for (const Piece &P : Pieces) {
    if (P.Damaged != ~0u)
      return I.damagedBlock(P.S, P.Damaged);
    Hits.insert(Hits.end(), P.Hits.begin(), P.Hits.end());
  }
  const Piece &A = Pieces.front(), &Z = Pieces.back();
  ScannedFrom = I.momentAt(A.S, A.Begin, 0);
  ScannedTo = I.momentAt(Z.S, Z.End, 0);
  return llvm::Error::success();
}

llvm::Expected<std::optional<ValueScan::Hit>>
ValueScan::find(Moment From, Moment To, bool Last,
                llvm::function_ref<bool(Moment)> Interrupted) {
  // An answer that is near is found at once; others are worth a longer stretch.
  constexpr uint64_t Least = 1 << 10, Most = 1 << 20;
  To = std::min(To, I.M.NumInstructions);
  while (From < To) {
    const Moment Next = Last ? To - 1 : From;
    if (Next < ScannedFrom || Next >= ScannedTo) {
      if (Interrupted(Last ? To : From))
        return std::nullopt;
      const bool GoesOn =
          ScannedTo && (Last ? To == ScannedFrom : From == ScannedTo);
      Stretch = GoesOn ? std::min(2 * Stretch, Most) : Least;
      const Moment A = Last ? To - std::min(To - From, Stretch) : From;
      const Moment Z = Last ? To : From + std::min(To - From, Stretch);
      if (llvm::Error E = scan(A, Z))
        return E;
    }
    // Those of the scanned part that lie in the range.
    auto Before = [](const Hit &H, Moment M) { return H.When < M; };
    auto Lower = std::lower_bound(Hits.begin(), Hits.end(), From, Before);
    auto Upper = std::lower_bound(Lower, Hits.end(), To, Before);
    if (Lower != Upper)
      return Last ? *std::prev(Upper) : *Lower;
    if (Last)
      To = std::min(To, ScannedFrom);
    else
      From = std::max(From, ScannedTo);
  }
  return std::nullopt;
}
