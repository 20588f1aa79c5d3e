//===- PprofMerge.h - Profiles of many traces in one ------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_EXPORT_PPROFMERGE_H
#define REWIND_EXPORT_PPROFMERGE_H

#include "core/support/Watch.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <string>
#include <vector>

namespace rw {

/// Adds profiles in pprof's format up, ours or anybody's. They must count the
/// same things, in whatever order. Samples with the same stack and labels
/// become one. Memory: the distinct samples.
class PprofMerger {
public:
  PprofMerger();
  ~PprofMerger();
  /// \p Bytes are a profile.proto, compressed by gzip or not. An Error names
  /// \p Name and what is wrong with it; what was merged is then of no use.
  llvm::Error add(llvm::StringRef Name, llvm::StringRef Bytes);
  /// How many samples there are now, and what they sum up to, by type.
  uint64_t numSamples() const;
  struct Total {
    std::string Type, Unit;
    int64_t Value = 0;
  };
  std::vector<Total> totals() const;
  /// Compressed by gzip.
  llvm::Error write(const Watch &Watch, llvm::raw_ostream &Out) const;

  struct Impl; ///< for its own file

private:
  std::unique_ptr<Impl> I;
};

} // namespace rw

#endif // REWIND_EXPORT_PPROFMERGE_H
