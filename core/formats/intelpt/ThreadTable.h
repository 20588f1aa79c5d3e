//===- ThreadTable.h - Who ran what a buffer tells --------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_INTELPT_THREADTABLE_H
#define REWIND_FORMATS_INTELPT_THREADTABLE_H

#include "core/formats/intelpt/Recording.h"
#include "core/model/ItemBatch.h"
#include "core/support/NumberMap.h"
#include <optional>

namespace rw::intelpt {

/// The threads of the trace: those that the recording lists, and those of its
/// processes that context switches tell of.
class ThreadTable {
public:
  static llvm::Expected<ThreadTable> make(const Recording &R);
  std::optional<uint8_t> index(uint64_t Tid) const {
    auto It = ByTid.find(Tid);
    return It == ByTid.end() ? std::nullopt : std::optional(It->second);
  }
  llvm::ArrayRef<ThreadInfo> infos() const { return Infos; }

private:
  llvm::Error add(const Recording &R, const ThreadSpec &T);
  std::vector<ThreadInfo> Infos;
  NumberMap<uint8_t> ByTid;
};

/// Tells the thread of each time of one buffer. Times must ascend.
class ThreadCursor {
public:
  ThreadCursor(const Buffer &B, const ThreadTable &Table);
  /// Empty: a thread that is none of the recording's.
  std::optional<uint8_t> at(uint64_t Tsc);

private:
  const Buffer &B;
  const ThreadTable &Table;
  size_t Next = 0;
  std::optional<uint8_t> Now;
};

} // namespace rw::intelpt

#endif // REWIND_FORMATS_INTELPT_THREADTABLE_H
