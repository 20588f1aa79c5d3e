//===- ActivationSorter.h - Preorder with bounded memory --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_CALLS_ACTIVATIONSORTER_H
#define REWIND_CALLS_ACTIVATIONSORTER_H

#include "core/model/Types.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <future>
#include <vector>

namespace rw {

/// Activations come in the order in which they end and are wanted in the order
/// in which they begin: an external merge sort. More than a given number at
/// once go to an unnamed temporary file as sorted runs; a thread sorts and
/// writes one while the next one is collected.
class ActivationSorter {
public:
  struct Record {
    Position Start = 0, End = 0;
    uint32_t Entry = 0;
    uint32_t Sequence = 0; ///< of equal ranges, the later is the outer
  };

  explicit ActivationSorter(size_t MaxBuffered) : MaxBuffered(MaxBuffered) {}
  ActivationSorter(ActivationSorter &&Other);
  ~ActivationSorter();

  /// An error of the temporary file is kept until merge().
  void add(Position Start, Position End, uint32_t Entry) {
    Buffer.push_back({Start, End, Entry, NextSequence++});
    if (Buffer.size() >= MaxBuffered)
      spill();
  }

  /// Calls \p F with all records: ascending start, of equal starts the longer
  /// first. The sorter is empty afterwards.
  llvm::Error merge(llvm::function_ref<llvm::Error(const Record &)> F);

private:
  void spill();
  void open();
  void finishWriting();
  void fail(llvm::Error E);

  size_t MaxBuffered;
  uint32_t NextSequence = 0;
  std::vector<Record> Buffer;
  std::vector<Record> Written;    ///< Writing's
  std::future<int> Writing;       ///< gives errno
  std::vector<uint64_t> RunSizes; ///< records
  int File = -1;
  llvm::Error Failure = llvm::Error::success();
};

} // namespace rw

#endif // REWIND_CALLS_ACTIVATIONSORTER_H
