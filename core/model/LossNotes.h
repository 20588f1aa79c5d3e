//===- LossNotes.h - Notes about what is not there --------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_CORE_MODEL_LOSSNOTES_H
#define REWIND_CORE_MODEL_LOSSNOTES_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <utility>

namespace rw {

/// Why something that was recorded is not in the store, or that the recorder
/// lost something. A reader tells of it by lossNote(), and whoever shows the
/// trace marks it as damage.
enum class Loss : uint8_t {
  CodeWithoutFile,
  LastLine, ///< cut
  LeftOut,
  MappedOver,
  Missing, ///< files
  PerfCouldNotKeepUp,
  UnknownSemihosting,
  StampsLeftOut,
  WithoutCode
};

/// Their keys in TraceHeader::Notes, which stores keep.
inline constexpr llvm::StringLiteral LossKeys[] = {
    "code without a file",
    "last line",
    "left out",
    "mapped over",
    "missing",
    "perf could not keep up",
    "semihosting calls with unknown effect",
    "stamps left out",
    "instructions without code"};
static_assert(std::size(LossKeys) == size_t(Loss::WithoutCode) + 1);

/// For TraceHeader::Notes.
inline std::pair<std::string, std::string> lossNote(Loss Why,
                                                    std::string Text) {
  return {LossKeys[size_t(Why)].str(), std::move(Text)};
}

/// Whether a note of this key was made by lossNote().
inline bool isLossNote(llvm::StringRef Key) {
  return llvm::is_contained(LossKeys, Key);
}

} // namespace rw

#endif // REWIND_CORE_MODEL_LOSSNOTES_H
