//===- CodePageTracker.h - Learns where code is -----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_PPC_CODEPAGETRACKER_H
#define REWIND_FORMATS_PPC_CODEPAGETRACKER_H

#include "core/model/CodePage.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Compiler.h"

namespace rw {

/// Notes where the instructions of a trace are in real memory, in the order in
/// which they are executed. Only changes are kept, and no more of them than
/// bounded memory holds.
class CodePageTracker {
public:
  /// \p Out may be null: nobody asks.
  explicit CodePageTracker(std::vector<CodePage> *Out,
                           size_t MaxPages = size_t(1) << 20)
      : Out(Out), MaxPages(MaxPages) {}

  bool isWanted() const { return Out; }
  /// The instruction \p When is at \p EA, which is \p RA in real memory, ~0 if
  /// that is not known.
  void instruction(Moment When, uint64_t EA, uint64_t RA) {
    const uint64_t Real =
        RA == ~uint64_t(0) ? CodePage::Unknown : RA >> CodePage::Bits;
    if (LLVM_LIKELY(EA >> CodePage::Bits == Last.Effective &&
                    Real == Last.Real))
      return;
    Last = {EA >> CodePage::Bits, 0, Real};
    page(When, Last.Effective, Real);
  }
  /// Counts the times that a page came to be elsewhere: while it stays as it
  /// is, what was noted before still holds.
  uint64_t changes() const { return Changes; }

private:
  void page(Moment When, uint64_t Effective, uint64_t Real) {
    if (!Out || Full)
      return;
    auto [It, New] = Pages.try_emplace(Effective, Real);
    if (New ? Real == CodePage::Unknown : It->second == Real) {
      if (New)
        Pages.erase(It);
      return;
    }
    It->second = Real;
    Changes += !New;
    if (Out->size() + 1 >= MaxPages) {
      Full = true;
      Out->push_back({CodePage::Any, When, CodePage::Unknown});
      return;
    }
    Out->push_back({Effective, When, Real});
  }

  std::vector<CodePage> *Out;
  size_t MaxPages;
  llvm::DenseMap<uint64_t, uint64_t> Pages; ///< that are known, or were
  CodePage Last{CodePage::Any, 0, CodePage::Unknown};
  uint64_t Changes = 0;
  bool Full = false;
};

} // namespace rw

#endif // REWIND_FORMATS_PPC_CODEPAGETRACKER_H
