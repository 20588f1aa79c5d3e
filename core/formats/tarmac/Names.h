//===- Names.h - Registers and CPUs that a trace names ----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chunks of a trace are parsed in parallel, but lanes of named registers and
// thread numbers must not depend on who comes first. So only the tracker, which
// sees the chunks in file order, gives them out. A parser works with the table
// as it was when its chunk began; what it meets beyond that gets a provisional
// number, which the tracker replaces.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_TARMAC_NAMES_H
#define REWIND_FORMATS_TARMAC_NAMES_H

#include "core/model/ItemBatch.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <mutex>

namespace rw::tarmac {

/// Lanes from here on are provisional.
constexpr uint16_t FirstProvisional = 0x8000;
/// So many lanes for named registers; a trace that names more is damaged.
constexpr uint16_t MaxNamedLanes = 8192;
constexpr unsigned MaxThreads = 255;

struct NameTable {
  llvm::StringMap<uint16_t> Lanes; ///< by canonical name
  std::vector<std::string> Cpus;
};
using NameSnapshot = std::shared_ptr<const NameTable>;

/// The published table. Thread-safe.
class SharedNames {
public:
  NameSnapshot get() const {
    std::lock_guard<std::mutex> Lock(M);
    return Current;
  }
  void set(NameSnapshot S) {
    std::lock_guard<std::mutex> Lock(M);
    Current = std::move(S);
  }

private:
  mutable std::mutex M;
  NameSnapshot Current = std::make_shared<const NameTable>();
};

} // namespace rw::tarmac

#endif // REWIND_FORMATS_TARMAC_NAMES_H
