//===- Cursor.cpp - Walking the instructions of a store -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/BlockWalker.h"
#include "core/store/PageIndex.h"
#include "core/store/StateCursor.h"
#include "core/store/TraceStore.h"

using namespace rw;
using namespace rw::format;

namespace {

class StoreCursor final : public StateCursor {
public:
  StoreCursor(const TraceStore::Impl &I,
              std::optional<BlockDecoder::Detail> Wanted)
      : I(I), W(I, Wanted) {}

  void seek(Moment M) override { W.seek(M); }
  const Instruction *next() override;
  llvm::Error takeError() override { return W.takeError(); }
  llvm::Expected<const Instruction *> at(Moment M) override;
  llvm::Expected<const Instruction *> placeAt(Moment M) override;
  llvm::Error readRegister(ThreadIndex T, Moment M, RegisterSlice Slice,
                           llvm::MutableArrayRef<uint8_t> Bytes,
                           llvm::MutableArrayRef<uint8_t> Known) override;
  llvm::Error readMemory(Moment M, uint64_t Addr,
                         llvm::MutableArrayRef<uint8_t> Bytes,
                         llvm::MutableArrayRef<uint8_t> Known) override;
  llvm::Expected<std::optional<Moment>>
  nextAccess(uint64_t Addr, AccessKind Kind, Moment From,
             llvm::MutableArrayRef<uint8_t> Bytes,
             llvm::MutableArrayRef<uint8_t> Known) override;
  const TraceStore::Impl &impl() const { return I; }

private:
  bool enterBlock();
  bool step();
  void describe();
  llvm::Error readBackDates();
  bool goOn() { return !W.atEnd() && (W.Left || enterBlock()) && step(); }
  bool goTo(Moment M);
  void fillEffects();
  bool hasEffects() const { return W.wanted() == BlockDecoder::Everything; }
  /// What a cursor of registers cannot tell is worth all of them.
  void wantEverything() {
    if (!hasEffects())
      W.want(BlockDecoder::Everything);
  }

  const TraceStore::Impl &I;
  BlockWalker W;
  std::optional<BlockTimes> Times;
  uint64_t FirstLine = 0; ///< of the block
  std::optional<BackDateTable> Back;
  Instruction Out;
};

} // namespace

bool StoreCursor::enterBlock() {
  std::optional<unsigned> Skip = W.enterBlock();
  if (!Skip)
    return false;
  Times.emplace(W.S, W.Block);
  FirstLine =
      W.S.Info->FirstLine +
      (I.M.Header.Can.Lines ? W.S.array<uint32_t>(W.S.H->BlockLines)[W.Block]
                            : 0);
  return W.step(*Skip);
}

/// Stands before \p M in its block, or behind the last instruction of the block
/// before, which is the same state.
bool StoreCursor::goTo(Moment M) {
  if (!W.Entered || M < W.Next || M - W.Next > W.Left) {
    seek(M);
    return enterBlock();
  }
  return W.step(unsigned(M - W.Next));
}

/// Moves over one instruction, which Out then describes but for its effects.
bool StoreCursor::step() {
  if (!W.step())
    return false;
  describe();
  return true;
}

void StoreCursor::describe() {
  const Template &T = W.insn();
  const ThreadIndex Thread = W.thread();
  Out.When = W.when();
  Out.Thread = Thread;
  Out.Pos = W.position();
  Out.Insn = {T.PC,           T.Opcode,   Times->moveTo(W.index()),
              T.Lines,        T.NumRegs,  T.NumMems,
              T.Size,         ISA(T.Isa), T.Flags,
              uint8_t(Thread)};
  Out.Line = I.M.Header.Can.Lines ? FirstLine + W.lines() - T.Lines : 0;
}

void StoreCursor::fillEffects() {
  Out.Regs.clear();
  Out.Mems.clear();
  const RegShape *Sh = W.Decoder->regShapes();
  for (uint64_t V : W.Decoder->regValues()) {
    Out.Regs.push_back(
        {V, Sh->Lane, Sh->Written, Sh->Unknown,
         uint8_t(Sh->Thread == SameThread ? W.thread() : Sh->Thread),
         Sh->Flags});
    ++Sh;
  }
  for (const DecodedMem &M : W.Decoder->mems()) {
    if (!(M.Shape->Flags & MemItem::Joined) || Out.Mems.empty()) {
      Out.Mems.emplace_back();
      Out.Mems.back().Addr = M.Addr;
      Out.Mems.back().Real = M.Real;
      Out.Mems.back().Flags = M.Shape->Flags & ~MemItem::Joined;
    }
    MemAccess &A = Out.Mems.back();
    const uint64_t Known = expandMask(M.Shape->Known), Value = M.Value & Known,
                   Ones = Known & 0x0101010101010101;
    const size_t Before = A.Bytes.size(), Size = M.Shape->Size;
    A.Bytes.resize_for_overwrite(Before + Size);
    A.Known.resize_for_overwrite(Before + Size);
    std::memcpy(A.Bytes.data() + Before, &Value, Size);
    std::memcpy(A.Known.data() + Before, &Ones, Size);
  }
  Out.Insn.NumRegs = uint16_t(Out.Regs.size());
  Out.Insn.NumMems = uint16_t(Out.Mems.size());
}

const Instruction *StoreCursor::next() {
  if (W.wanted())
    wantEverything();
  if (!goOn())
    return nullptr;
  if (W.wanted())
    fillEffects();
  return &Out;
}

std::unique_ptr<InstructionCursor> TraceStore::cursor(bool WithEffects) const {
  return std::make_unique<StoreCursor>(
      *I, WithEffects ? std::optional(BlockDecoder::Everything) : std::nullopt);
}

// All cursors of a store are of this one kind.
const TraceStore::Impl &BlockWalker::implOf(const TraceStore &Store) {
  return static_cast<StoreCursor &>(*Store.cursor(/*WithEffects=*/false))
      .impl();
}

static std::unique_ptr<StateCursor>
stateCursor(const TraceStore &Store,
            std::optional<BlockDecoder::Detail> Wanted) {
  return std::make_unique<StoreCursor>(BlockWalker::implOf(Store), Wanted);
}

std::unique_ptr<StateCursor> StateCursor::open(const TraceStore &Store) {
  return stateCursor(Store, BlockDecoder::Everything);
}

std::unique_ptr<StateCursor>
StateCursor::openRegisters(const TraceStore &Store) {
  return stateCursor(Store, BlockDecoder::Registers);
}

std::unique_ptr<StateCursor> StateCursor::openPlaces(const TraceStore &Store) {
  return stateCursor(Store, std::nullopt);
}

llvm::Expected<const Instruction *> StoreCursor::at(Moment M) {
  if (W.wanted())
    wantEverything();
  auto In = placeAt(M);
  if (In && W.wanted())
    fillEffects();
  return In;
}

llvm::Expected<const Instruction *> StoreCursor::placeAt(Moment M) {
  if (W.isBehind(M)) {
    describe();
    return &Out;
  }
  const bool Has = M < I.M.NumInstructions && goTo(M) && goOn();
  if (llvm::Error E = takeError())
    return E;
  // Moments come from tables of the store, which may lie.
  if (!Has)
    return I.damaged("it tells of an instruction that it does not have");
  return &Out;
}

llvm::Error StoreCursor::readRegister(ThreadIndex T, Moment M,
                                      RegisterSlice Slice,
                                      llvm::MutableArrayRef<uint8_t> Bytes,
                                      llvm::MutableArrayRef<uint8_t> Known) {
  assert(W.wanted() && "a cursor of places has no registers");
  std::fill(Known.begin(), Known.end(), 0);
  if (T >= I.NumThreads)
    return llvm::Error::success();
  if (!goTo(std::min(M, I.M.NumInstructions)))
    return takeError();
  const unsigned First = Slice.Lane + Slice.Offset / 8u,
                 Last = Slice.Lane + (Slice.Offset + Slice.Size - 1u) / 8;
  for (unsigned Lane = First; !hasEffects() && Lane <= Last; ++Lane)
    if (Lane < I.NumLanes && W.Decoder->lacks(T, Lane)) {
      W.want(BlockDecoder::Everything);
      return readRegister(T, M, Slice, Bytes, Known);
    }
  if (W.Decoder->damaged())
    return I.damagedBlock(W.S, W.Block);
  const uint64_t *Value = W.Decoder->values(T);
  const uint8_t *Mask = W.Decoder->known(T);
  if (First == Last && First < I.NumLanes && Mask[First] == 0xff) {
    const uint64_t V = Value[First] >> 8 * (Slice.Offset % 8);
    std::memcpy(Bytes.data(), &V, Slice.Size);
    std::memset(Known.data(), 1, Slice.Size);
    return llvm::Error::success();
  }
  for (unsigned K = 0; K < Slice.Size; ++K) {
    const unsigned At = Slice.Offset + K, Lane = Slice.Lane + At / 8;
    if (Lane >= I.NumLanes || !(Mask[Lane] >> (At % 8) & 1))
      continue;
    Bytes[K] = uint8_t(Value[Lane] >> (8 * (At % 8)));
    Known[K] = 1;
  }
  return llvm::Error::success();
}

llvm::Error StoreCursor::readMemory(Moment M, uint64_t Addr,
                                    llvm::MutableArrayRef<uint8_t> Bytes,
                                    llvm::MutableArrayRef<uint8_t> Known) {
  assert(W.wanted() && "a cursor of places has no memory");
  wantEverything();
  M = std::min(M, I.M.NumInstructions);
  if (llvm::Error E = readBackDates())
    return E;
  if (!goTo(M))
    return takeError();
  size_t At = 0;
  bool Whole = true, Told = true;
  forEachPiece(Addr, Bytes.size(), [&](Piece What) {
    const GranuleState *G = W.Decoder->granule(What.Granule);
    Whole = G;
    Told = G && tellPiece(*Back, M, What, *G, At, Bytes, Known);
    return Told;
  });
  if (!Whole || W.Decoder->damaged())
    return I.damagedBlock(W.S, W.Block);
  return Told ? llvm::Error::success() : I.damaged("section 'backdates'");
}

llvm::Error StoreCursor::readBackDates() {
  if (Back)
    return llvm::Error::success();
  auto Table = I.backDates();
  if (!Table)
    return Table.takeError();
  Back = *Table;
  return llvm::Error::success();
}

llvm::Expected<std::optional<Moment>>
StoreCursor::nextAccess(uint64_t Addr, AccessKind Kind, Moment From,
                        llvm::MutableArrayRef<uint8_t> Bytes,
                        llvm::MutableArrayRef<uint8_t> Known) {
  assert(W.wanted() && "a cursor of places has no memory");
  wantEverything();
  if (llvm::Error E = readBackDates())
    return E;
  const uint64_t Size = Bytes.size();
  llvm::SmallVector<GranuleState, 2> Before;
  bool Whole = true;
  auto Keep = [&] {
    forEachPiece(Addr, Size, [&](Piece What) {
      const GranuleState *G = W.Decoder->granule(What.Granule);
      if ((Whole = G))
        Before.push_back(*G);
      return Whole;
    });
  };
  for (Moment M = From; M < I.M.NumInstructions; M = W.Next) {
    if (!W.Entered || M < W.Next || M - W.Next >= W.Left) {
      auto P = I.locate(M);
      if (!P)
        return P.takeError();
      auto H = nextAccessBlock(I, Addr, Size, Kind, P->S.Index, P->Block);
      if (!H)
        return H.takeError();
      if (!*H)
        return std::nullopt;
      M = std::max(M, I.momentAt((*H)->S, (*H)->E.Block, 0));
      seek(M);
    }
    if (!goTo(M))
      return takeError();
    // Tables may lie about the sizes of blocks.
    if (!W.Left)
      return I.damagedBlock(W.S, W.Block);
    auto Found = W.stepToAccess(Addr, Size, Kind, Keep);
    if (!Found)
      return takeError();
    if (!*Found)
      continue;
    size_t At = 0;
    bool Told = true;
    const GranuleState *G = Before.begin();
    if (Whole && !W.Decoder->damaged())
      forEachPiece(Addr, Size, [&](Piece What) {
        Told = tellPiece(*Back, W.when(), What, *G++, At, Bytes, Known);
        return Told;
      });
    else
      return I.damagedBlock(W.S, W.Block);
    if (!Told)
      return I.damaged("section 'backdates'");
    return W.when();
  }
  return std::nullopt;
}

llvm::Expected<std::optional<uint64_t>>
StateCursor::getRegister(ThreadIndex T, Moment M, RegisterSlice Slice) {
  uint8_t Bytes[8] = {}, Known[8];
  if (Slice.Size > 8)
    return std::nullopt;
  if (llvm::Error E =
          readRegister(T, M, Slice, {Bytes, Slice.Size}, {Known, Slice.Size}))
    return E;
  for (unsigned K = 0; K < Slice.Size; ++K)
    if (!Known[K])
      return std::nullopt;
  uint64_t V;
  std::memcpy(&V, Bytes, 8);
  return V;
}

llvm::Expected<Instruction> TraceStore::instruction(Moment M) const {
  StoreCursor C(*I, BlockDecoder::Everything);
  auto In = C.at(M);
  if (!In)
    return In.takeError();
  return **In;
}
