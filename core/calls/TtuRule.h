//===- TtuRule.h - The rule of the Tarmac Trace Utilities -------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_CALLS_TTURULE_H
#define REWIND_CALLS_TTURULE_H

#include "core/model/Types.h"
#include <algorithm>
#include <optional>
#include <vector>

namespace rw {

/// The potential calls of one thread, as Arm's Tarmac Trace Utilities (TTU)
/// keep them: a set of (sp, return address), in which the first of two equal
/// ones stays. Asked at transfers of control only. Exact, but a trace must tell
/// sp.
class TtuRule {
public:
  struct Pending {
    uint64_t SP, Return;
    Position Start;
    uint64_t EntryPC;
  };

  bool empty() const { return Set.empty(); }
  /// sp has been as high as \p SP: calls made with a lower one are forgotten.
  void raiseSP(uint64_t SP) {
    while (!Set.empty() && Set.back().SP < SP)
      Set.pop_back();
  }

  /// The transfer goes to \p PC (with Thumb bit): the call it returns from.
  std::optional<Pending> matchReturn(uint64_t SP, uint64_t PC) {
    auto It = find(SP, PC);
    if (It == Set.end() || It->SP != SP || It->Return != PC)
      return std::nullopt;
    Pending P = *It;
    Set.erase(It);
    return P;
  }

  void addCall(const Pending &P) {
    auto It = find(P.SP, P.Return);
    if (It != Set.end() && It->SP == P.SP && It->Return == P.Return)
      return;
    // A trace that calls and calls without ever returning.
    if (Set.size() == MaxPending) {
      auto Index = It - Set.begin();
      Set.erase(Set.begin(), Set.begin() + MaxPending / 2);
      It = Set.begin() + std::max<ptrdiff_t>(Index - MaxPending / 2, 0);
    }
    Set.insert(It, P);
  }

private:
  static constexpr ptrdiff_t MaxPending = 1 << 20;

  /// Descending by sp, then return address: what is pending nests, so the end
  /// is where things happen.
  std::vector<Pending>::iterator find(uint64_t SP, uint64_t Return) {
    auto It = Set.end();
    while (It != Set.begin()) {
      const Pending &P = It[-1];
      if (P.SP > SP || (P.SP == SP && P.Return > Return))
        break;
      if (Set.end() - It >= 16) // no stack discipline here: search properly
        return std::lower_bound(
            Set.begin(), It, std::pair(SP, Return),
            [](const Pending &A, auto &K) {
              return A.SP > K.first || (A.SP == K.first && A.Return > K.second);
            });
      --It;
    }
    return It;
  }

  std::vector<Pending> Set;
};

} // namespace rw

#endif // REWIND_CALLS_TTURULE_H
