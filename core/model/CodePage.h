//===- CodePage.h - Where code is in real memory ----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_MODEL_CODEPAGE_H
#define REWIND_MODEL_CODEPAGE_H

#include "core/model/Types.h"
#include <compare>
#include <vector>

namespace rw {

/// From a moment on, instructions that are executed at a page of effective
/// addresses come from this page of real memory, until the next entry for the
/// page. What a mapping's own page size is does not matter.
struct CodePage {
  static constexpr unsigned Bits = 12;
  static constexpr uint64_t Unknown = ~uint64_t(0);
  /// As Effective: of no page anything is known from there on.
  static constexpr uint64_t Any = ~uint64_t(0);

  uint64_t Effective = 0; ///< number of the page: address >> Bits
  Moment From = 0;
  uint64_t Real = Unknown; ///< number of the page
  auto operator<=>(const CodePage &) const = default;
};

} // namespace rw

#endif // REWIND_MODEL_CODEPAGE_H
