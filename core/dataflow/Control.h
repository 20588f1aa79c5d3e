//===- Control.h - Which branches decide over an instruction ----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_DATAFLOW_CONTROL_H
#define REWIND_DATAFLOW_CONTROL_H

#include "core/dataflow/Step.h"
#include "llvm/ADT/DenseSet.h"

namespace rw::dataflow {

/// What depends on a branch (conditional, or an indirect jump):
enum class ControlMode : uint8_t {
  None,  ///< nothing
  Exact, ///< in its activation, until control is where all ways from it meet
  Call,  ///< everything after it until its activation returns
  All,   ///< everything after it
};

/// The ways that control was seen to go within activations, by static numbers,
/// and where the ways from an instruction meet again (its immediate
/// postdominator). Ways that the trace does not take do not count.
class ControlFlow {
public:
  static constexpr uint32_t None = ~uint32_t(0);

  /// Feeds one execution, in order.
  void step(const Step &S) {
    if (S.Thread >= Last.size())
      Last.resize(S.Thread + 1, {None});
    std::vector<uint32_t> &Open = Last[S.Thread];
    if (Open.back() != None)
      link(Open.back(), S.Code->Static);
    Open.back() = S.Code->Static;
    for (unsigned K = 0; K < S.Leaves && Open.size() > 1; ++K) {
      if (Open.back() != None)
        link(Open.back(), None);
      Open.pop_back();
    }
    Open.insert(Open.end(), S.Enters, None);
  }
  /// Ends what is still open and works the postdominators out. O(edges) for
  /// code as compilers make it.
  void finish();

  /// Where all ways from instruction \p Static meet again. None: only at the
  /// end.
  uint32_t meet(uint32_t Static) const {
    return Static < Meets.size() ? Meets[Static] : None;
  }

private:
  void link(uint32_t From, uint32_t To) {
    if (From < RecentTo.size() && RecentTo[From] == To)
      return;
    if (From >= RecentTo.size())
      RecentTo.resize(From + 1 + From / 2, None - 1);
    RecentTo[From] = To;
    Edges.insert({From, To});
  }

  std::vector<std::vector<uint32_t>> Last; ///< by thread and open activation
  std::vector<uint32_t> RecentTo;          ///< where it went last
  llvm::DenseSet<std::pair<uint32_t, uint32_t>> Edges; ///< To None: the end
  std::vector<uint32_t> Meets;
};

/// The branches of an activation that instructions still depend on, innermost
/// last: exact control. \p Time is the domain's.
template <typename Time> class OpenBranches {
public:
  /// Control is at \p Static: what depends on branches that meet here ends.
  void reach(uint32_t Static) {
    while (!List.empty() && List.back().first == Static)
      List.pop_back();
  }
  void branch(uint32_t Meet, Time T) {
    // All that meets there waits for the last of them.
    if (!List.empty() && List.back().first == Meet)
      List.back().second = T;
    else
      List.push_back({Meet, T});
  }
  bool empty() const { return List.empty(); }
  Time innermost() const { return List.empty() ? Time() : List.back().second; }

private:
  llvm::SmallVector<std::pair<uint32_t, Time>, 2> List;
};

} // namespace rw::dataflow

#endif // REWIND_DATAFLOW_CONTROL_H
