//===- ItemMaker.h - Decoded dumps as items ---------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_HTM_ITEMMAKER_H
#define REWIND_FORMATS_HTM_ITEMMAKER_H

#include "core/arch/PPCInference.h"
#include "core/formats/htm/HtmDecoder.h"
#include "core/formats/ppc/FlowWriter.h"

namespace rw::htm {

/// Makes of a decoded dump the items of a trace. What a code block does to
/// registers is worked out once for each set of registers that may be known
/// before it.
class ItemMaker : public BatchSink {
public:
  /// \p Code: see FlowWriter. \p BigEndian: if the dump does not tell.
  ItemMaker(TraceSink &Sink, CodeTable &Code, bool BigEndian)
      : Sink(Sink), BigEndian(BigEndian), Out(Sink, Code) {}

  bool takesBlocks() const override { return true; }
  llvm::Error batch(const Batch &B) override;
  /// Call after the last batch.
  llvm::Error end(const Summary &S);

private:
  /// The accesses of an instruction of a block.
  struct BlockAccess {
    ppc::MemoryKind Kind;
    uint8_t NumData;  ///< data addresses
    uint8_t NumItems; ///< what they become
    bool IsSimple;    ///< one of each, and which does not depend on them
    bool HasReal;     ///< if IsSimple
  };
  /// What a block does, if the registers are as Registers says.
  struct BlockPlan {
    uint32_t Sequence = 0;
    PPCPlan Registers;
    llvm::SmallVector<BlockAccess, 2> Accesses;
    uint64_t UnknownAccesses = 0;
  };
  /// What matters of an instruction when the next one comes.
  struct Done {
    bool Valid = false;
    uint64_t PC = 0, Next = 0, Opcode = 0;
    uint64_t Target = NoAddress; ///< of a direct branch
    uint16_t Msr = 0;
    uint8_t JumpsTo = PPCFacts::None;
    InsnClass Class = InsnClass::Unknown;
  };
  struct BlockInfo {
    std::vector<BlockPlan> Plans; ///< the one used last comes first
    Done After;
  };
  /// Registers of which as many are known before a block, in different ways,
  /// are followed instruction by instruction.
  static constexpr size_t MaxPlans = 16;

  void gap();
  void forget();
  void addToLast();
  void event(const Event &E);
  void endUnplaced();
  void arrive(const Instruction &I, unsigned NumInsns, bool ContextKnown,
              uint32_t NewContext, uint64_t Time);
  void discontinuity(const Instruction &I);
  void state(const Instruction &I, unsigned NumInsns, bool ContextKnown,
             uint32_t NewContext);
  void set(uint16_t Lane, uint64_t Value, unsigned Bytes);
  std::string modeText() const;
  llvm::Error instruction(const Instruction &I);
  void seeTime();
  void append(const Instruction &I, uint64_t Time, const DataPlace *Data,
              BlockPlan *Plan);
  llvm::Error execution(const Execution &E, const DataPlace *Data);
  bool follow(const BlockPlan &Plan, const DataPlace *Data);
  bool place(const BlockPlan &Plan, const DataPlace *Data);

  TraceSink &Sink;
  bool BigEndian;
  FlowWriter Out;
  ItemBatch One; ///< an instruction, or a block that is looked at
  std::vector<MemItem> Accesses;
  std::vector<RegItem> Added;
  std::vector<BlockInfo> Blocks; ///< by number
  PPCInference Registers;
  Done After; ///< of the instruction before
  bool Forget = false, Paused = false, TimeSeen = false, SeenMsr = false,
       ContextValid = false;
  uint16_t Msr = 0, MsrValid = 0;
  uint32_t Context = 0;
  uint64_t Unplaced = 0, UnknownAccesses = 0, MsrInsns = 0, LittleInsns = 0;
};

} // namespace rw::htm

#endif // REWIND_FORMATS_HTM_ITEMMAKER_H
