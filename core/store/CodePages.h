//===- CodePages.h - Real addresses of instructions -------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_CODEPAGES_H
#define REWIND_STORE_CODEPAGES_H

#include "core/model/CodePage.h"
#include "core/store/StoreAnswers.h"

namespace rw {

/// Tells where instructions were in real memory, if the trace does. Must not
/// outlive the store.
class CodePages {
public:
  static constexpr llvm::StringRef Section = "codepages";
  static llvm::Expected<CodePages> open(const TraceStore &Store);

  /// The real address of the instruction \p When, which is at \p PC.
  /// O(log n).
  std::optional<uint64_t> realAddress(Moment When, uint64_t PC) const;

private:
  llvm::ArrayRef<CodePage> Pages; ///< ascending
};

} // namespace rw

#endif // REWIND_STORE_CODEPAGES_H
