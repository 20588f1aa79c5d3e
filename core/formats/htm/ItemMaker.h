//===- ItemMaker.h - Decoded dumps as items ---------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_HTM_ITEMMAKER_H
#define REWIND_FORMATS_HTM_ITEMMAKER_H

#include "core/arch/PPCInference.h"
#include "core/formats/htm/BlockGroups.h"
#include "core/formats/htm/HtmDecoder.h"
#include "core/formats/ppc/CodePageTracker.h"
#include "core/formats/ppc/FlowWriter.h"
#include "core/support/NumberMap.h"

namespace rw::htm {

/// Makes of a decoded dump the items of a trace. What code blocks that follow
/// each other do to registers is worked out once for each set of registers that
/// may be known before them.
class ItemMaker : public BatchSink {
public:
  /// \p Code: see FlowWriter. \p BigEndian: if the dump does not tell. \p
  /// Pages: see ReaderOptions::CodePages.
  ItemMaker(TraceSink &Sink, CodeTable &Code, bool BigEndian,
            std::vector<CodePage> *Pages = nullptr)
      : Sink(Sink), BigEndian(BigEndian), Out(Sink, Code), Pages(Pages) {}

  bool takesBlocks() const override { return true; }
  llvm::Error batch(const Batch &B) override;
  /// Call after the last batch.
  llvm::Error end(const Summary &S);

private:
  /// The accesses of an instruction of a group.
  struct PlannedAccess {
    ppc::MemoryKind Kind;
    uint8_t NumData;  ///< data addresses
    uint8_t NumItems; ///< what they become
    bool IsSimple;    ///< one of each, and which does not depend on them
    bool HasReal;     ///< if IsSimple
  };
  /// What a group does, if the registers are as Registers says.
  struct GroupPlan {
    uint32_t Sequence = 0;
    PPCPlan Registers;
    std::vector<PlannedAccess> Accesses;
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
  struct GroupInfo {
    std::vector<GroupPlan> Plans; ///< the one used last comes first
    Done After;
    /// When its pages were noted last: CodePageTracker::changes(), plus 1.
    uint64_t PagesNoted = 0;
  };
  /// A group before which as many sets of registers are known is followed
  /// instruction by instruction if it is a block, else block by block.
  static constexpr size_t MaxPlans = 16;

  void gap();
  void forget();
  void addToLast();
  void event(const Event &E);
  void endUnplaced();
  void arrive(const Instruction &I, bool ContextKnown, uint32_t NewContext,
              uint64_t Time);
  void countModes(const Instruction &I, unsigned NumInsns);
  void notePages(const BlockGroups::Group &G, GroupInfo &Info);
  static bool isExpected(const Done &After, const Instruction &I) {
    return !After.Valid || I.EA == After.Next || I.EA == After.Target;
  }
  bool mayEndTransaction(const Done &Before, const Instruction &I) const {
    return !Handlers.empty() && Before.Valid && I.EA != Before.Next &&
           Handlers.contains(I.EA);
  }
  static bool cameBack(const Done &Before, const Instruction &I) {
    return Before.Class == InsnClass::SystemCall && Before.Valid &&
           I.EA == Before.Next;
  }
  void discontinuity(const Instruction &I);
  void jumped(const Instruction &I, std::vector<RegItem> &Effects);
  void state(const Instruction &I, bool ContextKnown, uint32_t NewContext);
  void set(uint16_t Lane, uint64_t Value, unsigned Bytes);
  std::string modeText() const;
  llvm::Error instruction(const Instruction &I);
  void seeTime();
  void append(const Instruction &I, uint64_t Time, const DataPlace *Data,
              GroupPlan *Plan);
  llvm::Error executions(llvm::ArrayRef<Execution> Same, const DataPlace *Data);
  bool canJoin(const BlockGroups::Group &G, const CodeBlock &B) const;
  GroupInfo &infoOf(const BlockGroups::Group &G);
  bool follow(GroupInfo &Info, uint64_t Time, const DataPlace *Data);
  bool run(const GroupPlan &Plan, const DataPlace *Data);
  bool place(const GroupPlan &Plan, const DataPlace *Data);
  llvm::Error record(const BlockGroups::Group &G, GroupInfo &Info,
                     const Execution &First, const DataPlace *Data);

  TraceSink &Sink;
  bool BigEndian;
  FlowWriter Out;
  ItemBatch One; ///< an instruction, or a group that is looked at
  std::vector<MemItem> Accesses;
  std::vector<RegItem> Added;
  BlockGroups Groups;
  std::vector<GroupInfo> Infos; ///< by group
  PPCInference Registers;
  CodePageTracker Pages;
  Moment Placed = 0; ///< instructions so far
  Done After;        ///< of the instruction before
  /// Where failed transactions go on.
  NumberSet Handlers;
  bool NewHandler = false; ///< groups may be there that jump to it
  bool Forget = false, Paused = false, TimeSeen = false, SeenMsr = false,
       ContextValid = false;
  uint16_t Msr = 0, MsrValid = 0;
  uint32_t Context = 0;
  uint64_t Unplaced = 0, UnknownAccesses = 0, MsrInsns = 0, LittleInsns = 0;
};

} // namespace rw::htm

#endif // REWIND_FORMATS_HTM_ITEMMAKER_H
