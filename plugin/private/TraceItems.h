//===- TraceItems.h - A thread's trace as LLDB counts it ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_PRIVATE_TRACEITEMS_H
#define REWIND_PLUGIN_PRIVATE_TRACEITEMS_H

#include "core/store/StoreAnswers.h"
#include <array>

namespace rw {

/// The items of one thread as LLDB's trace API numbers them: instructions and
/// events in one sequence, from 0. An event comes before the instruction that
/// it happened before. Immutable once made; making it costs the thread's
/// events.
class TraceItems {
public:
  static llvm::Expected<std::shared_ptr<const TraceItems>>
  make(std::shared_ptr<const TraceStore> Store, ThreadIndex T);

  uint64_t size() const { return NumInstructions + Events.size(); }
  uint64_t numInstructions() const { return NumInstructions; }
  uint64_t numEvents() const { return Events.size(); }
  uint64_t numEvents(EventKind K) const { return ByKind[size_t(K)]; }

  /// What item \p Id is. An event is known by its index in the store, an
  /// instruction by its position; an event also has the position it precedes.
  struct Item {
    std::optional<uint64_t> Event;
    Position Pos = 0;
  };
  Item item(uint64_t Id) const;
  /// The CPU on which item \p Id ran, as far as the trace tells.
  std::optional<uint64_t> cpu(uint64_t Id) const;

  const TraceStore &store() const { return *Store; }
  ThreadIndex thread() const { return Thread; }

private:
  struct EventAt {
    Position Before;
    uint64_t Index;
  };
  std::shared_ptr<const TraceStore> Store;
  ThreadIndex Thread = 0;
  uint64_t NumInstructions = 0;
  std::vector<EventAt> Events;
  std::array<uint64_t, NumEventKinds> ByKind = {};
  /// CPU changes: item id, CPU.
  std::vector<std::pair<uint64_t, uint64_t>> CPUs;
  std::optional<uint64_t> FirstCPU;
};

/// Instructions of one thread by position, read in blocks: a walk in either
/// direction costs a few ns each.
class InstructionWindow {
public:
  explicit InstructionWindow(std::shared_ptr<const TraceItems> Items);
  /// Null if the store is damaged there.
  const InsnItem *at(Position P);

private:
  static constexpr uint64_t BlockSize = 512;
  std::shared_ptr<const TraceItems> Items;
  std::unique_ptr<InstructionCursor> Cursor;
  Position First = 0;
  std::vector<InsnItem> Block;
};

} // namespace rw

#endif // REWIND_PLUGIN_PRIVATE_TRACEITEMS_H
