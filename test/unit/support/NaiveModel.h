//===- NaiveModel.h - Answers by replay, to check a store with --*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps every item of a trace in memory and answers the questions of TraceStore
// by linear scans. It is written from the public headers alone and shares no
// code with the store: where the two differ, one of them is wrong.
//
// BeforeTrace counts as less than every other moment: nothing is before it, and
// everything is after it.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_NAIVEMODEL_H
#define REWIND_TEST_NAIVEMODEL_H

#include "core/store/StoreAnswers.h"

namespace rw {

class NaiveModel final : public TraceSink {
public:
  llvm::Error consume(ItemBatch &Batch) override;
  llvm::Error finish(const TraceHeader &Header) override;

  const TraceHeader &header() const { return Header; }
  uint64_t numInstructions() const { return Insns.size(); }
  uint64_t numInstructions(ThreadIndex T) const;

  Moment momentOf(ThreadIndex T, Position P) const; ///< end if there is none
  Position positionOf(ThreadIndex T, Moment M) const;
  ThreadIndex threadAt(Moment M) const { return Insns[M].Item.Thread; }

  std::optional<uint64_t> timeAt(Moment M) const;
  Moment momentAtTime(uint64_t Time) const;
  std::optional<Moment> momentAtLine(uint64_t Line) const;
  uint64_t lineAt(Moment M) const;

  Instruction instruction(Moment M) const;

  /// What is known of one byte.
  struct Byte {
    bool Known = false;
    uint8_t Value = 0;
    Provenance From = Provenance::Unknown;
    Moment Origin = BeforeTrace;
    bool AfterImplied = false; ///< unknown through the call ImpliedBy
    Moment ImpliedBy = BeforeTrace;
  };
  /// At least \p NumLanes lanes, more if the trace writes more.
  RegisterState registersAt(ThreadIndex T, Moment M, unsigned NumLanes) const;
  std::vector<Byte> memoryAt(Moment M, uint64_t Addr, size_t Size) const;

  std::optional<Moment> lastRegisterWrite(ThreadIndex T, unsigned Lane,
                                          uint8_t Mask, Moment Before,
                                          bool OrTold = false) const;
  std::optional<Moment> nextRegisterWrite(ThreadIndex T, unsigned Lane,
                                          uint8_t Mask, Moment After) const;
  std::optional<Moment> lastAccess(uint64_t Addr, uint64_t Size,
                                   AccessKind Kind, Moment Before) const;
  std::optional<Moment> nextAccess(uint64_t Addr, uint64_t Size,
                                   AccessKind Kind, Moment After) const;
  std::optional<Moment> lastRealAccess(uint64_t Real, uint64_t Size,
                                       AccessKind Kind, Moment Before) const;
  std::optional<Moment> nextRealAccess(uint64_t Real, uint64_t Size,
                                       AccessKind Kind, Moment After) const;
  /// Every byte that some item tells a value of, ascending.
  std::vector<uint64_t> knownBytes() const;
  /// Every granule that some item touches, ascending.
  std::vector<uint64_t> touchedGranules() const;
  std::vector<uint64_t> writtenGranules(Moment From, Moment To) const;

  std::optional<Moment> lastVisit(uint64_t PC, Moment Before,
                                  std::optional<ThreadIndex> T) const;
  std::optional<Moment> nextVisit(uint64_t PC, Moment After,
                                  std::optional<ThreadIndex> T) const;
  std::optional<Moment> visitAtOrAfter(uint64_t PC, Moment From,
                                       std::optional<ThreadIndex> T) const;
  std::vector<uint64_t> distinctPCs() const;

  const std::vector<StoredEvent> &events() const { return Events; }
  uint64_t firstEventFrom(Moment M) const;

  // The raw items, for tests that pick questions from them.
  struct Insn {
    InsnItem Item;
    uint64_t FirstReg = 0, EndReg = 0; ///< its effects in regs()
    uint64_t FirstMem = 0, EndMem = 0; ///< and in mems()
    std::optional<uint64_t> Time;      ///< held where the clock goes back
    uint64_t Line = 0;                 ///< counted even if the trace is no text
  };
  const std::vector<Insn> &insns() const { return Insns; }
  const std::vector<RegItem> &regs() const { return Regs; }
  const std::vector<MemItem> &mems() const { return Mems; }
  /// Effects before the first instruction come first in regs() and mems().
  uint64_t numInitialRegs() const { return InitialRegs; }
  uint64_t numInitialMems() const { return InitialMems; }

private:
  /// Calls \p F(Moment, MemItem) for the items from \p From (BeforeTrace for
  /// all) up to, not including, \p To.
  template <typename Fn> void eachMem(Moment From, Moment To, Fn F) const;

  TraceHeader Header;
  std::vector<Insn> Insns;
  template <typename F>
  std::optional<Moment> lastWith(Moment Before, F Is) const;
  template <typename F>
  std::optional<Moment> nextWith(Moment After, F Is) const;
  std::vector<RegItem> Regs;
  std::vector<MemItem> Mems;
  std::vector<StoredEvent> Events;
  uint64_t InitialRegs = 0, InitialMems = 0, InitialLines = 0;
};

} // namespace rw

#endif // REWIND_TEST_NAIVEMODEL_H
