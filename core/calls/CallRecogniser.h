//===- CallRecogniser.h - Finds calls in a stream ---------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds function activations while a store is built and writes them as its
// section "calls" (see CallIndex.h). Two rules run side by side, per thread:
//
//  * That of the Tarmac Trace Utilities ("Identifying function calls in a
//    trace" in their documentation): a transfer of control is a potential call
//    if lr was written within the previous 8 instructions and is within 64
//    bytes of the natural return address; it is one if a later transfer goes to
//    that address with the same sp, no higher sp between.
//  * Rewind's own, which also knows calls and returns by their encoding, so
//    that calls that never return, exceptions and traces without registers
//    have their place.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_CALLS_CALLRECOGNISER_H
#define REWIND_CALLS_CALLRECOGNISER_H

#include "core/arch/InstructionClass.h"
#include "core/model/NonlocalTargets.h"
#include "core/store/StoreBuilder.h"
#include <memory>

namespace rw {

class CallRecogniser final : public StreamObserver {
public:
  struct Options {
    /// Finished activations kept in memory before they go to a temporary file.
    size_t MaxBuffered = size_t(1) << 16;
  };
  CallRecogniser();
  explicit CallRecogniser(Options Opts);
  ~CallRecogniser() override;

  /// For traces without stack pointers; what a CodeTable tells is added.
  void add(const NonlocalTargets &Targets);

  void instruction(Moment When, const InsnItem &Insn,
                   llvm::ArrayRef<RegItem> Regs, llvm::ArrayRef<MemItem> Mems,
                   const uint64_t *LaneValue,
                   const uint8_t *LaneKnown) override;
  /// Costs as much as there are transfers of control.
  void sequence(Moment When, const FlowItem &Flow, const CodeTable &Code,
                const FlowEffects &Effects, const uint64_t *LaneValue,
                const uint8_t *LaneKnown) override;
  void event(Moment Before, const EventItem &Event) override;
  llvm::Error finish(const TraceHeader &Header, SectionWriter &Out) override;

private:
  struct Impl;
  std::unique_ptr<Impl> I;
};

} // namespace rw

#endif // REWIND_CALLS_CALLRECOGNISER_H
