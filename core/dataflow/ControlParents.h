//===- ControlParents.h - Why an instruction was reached --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For slices: of each step the one that decided, as the last, that it was
// reached. All others that did are found by going on from there: the branches
// that a ControlMode names, and the calls of the activations that are open.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_DATAFLOW_CONTROLPARENTS_H
#define REWIND_DATAFLOW_CONTROLPARENTS_H

#include "core/dataflow/Control.h"
#include "core/dataflow/NodeLog.h"
#include "core/dataflow/StepReader.h"
#include "core/support/Watch.h"

namespace rw::dataflow {

/// Follows the steps of a trace. \p Of is what stands for a step.
template <typename Of> class ControlParents {
public:
  /// \p Flow: finished, for exact control, and must stay; else null.
  ControlParents(ControlMode Mode, const ControlFlow *Flow, unsigned Threads)
      : Mode(Mode), Flow(Flow), Threads(Threads) {
    for (std::vector<Frame> &Frames : this->Threads)
      Frames.emplace_back();
  }

  /// \p S is reached. What decided that: the innermost branch of its activation
  /// that it still depends on, for exact control; else the latest branch that
  /// counts. Where that is none, or before the call of its activation: the
  /// call. Nothing: nobody did.
  std::optional<Of> before(const Step &S) {
    Frame &F = Threads[S.Thread].back();
    if (Mode != ControlMode::Exact)
      return F.Latest;
    F.Open.reach(S.Code->Static);
    if (F.Open.empty())
      return F.Latest;
    return F.Open.innermost();
  }
  /// That step is over; \p Self stands for it.
  void after(const Step &S, Of Self) {
    std::vector<Frame> &Frames = Threads[S.Thread];
    if (S.Code->Branch) {
      Frame &F = Frames.back();
      F.Branched = true;
      if (Mode == ControlMode::Exact)
        F.Open.branch(Flow->meet(S.Code->Static), Self);
      else
        F.Latest = Self;
    }
    for (unsigned N = 0; N < S.Leaves && Frames.size() > 1; ++N) {
      Frame Left = std::move(Frames.back());
      Frames.pop_back();
      if (Mode != ControlMode::All || !Left.Branched)
        continue;
      Frames.back().Branched = true;
      Frames.back().Latest = Left.Latest;
    }
    for (unsigned N = 0; N < S.Enters; ++N)
      Frames.push_back({Self, {}, false});
  }

private:
  /// An activation.
  struct Frame {
    std::optional<Of> Latest; ///< exact control: the call alone
    OpenBranches<Of> Open;    ///< exact control
    bool Branched = false;    ///< Latest, or one of Open, is a branch
  };
  const ControlMode Mode;
  const ControlFlow *Flow;
  std::vector<std::vector<Frame>> Threads;
};

/// The ways that control takes in the whole of \p Store: one pass.
llvm::Error followControl(const TraceStore &Store, const CallIndex *Calls,
                          StepCodes &Codes, const Watch &W, ControlFlow &Flow);

/// ControlParents as a table, to be asked backwards. Two bytes an instruction
/// at the most, mostly one, in a temporary file.
class ControlTable {
public:
  /// Instructions before \p To, \p Flow as in ControlParents. One pass;
  /// an Error too if there are more than 2^32.
  static llvm::Expected<std::unique_ptr<ControlTable>>
  make(const TraceStore &Store, const CallIndex *Calls, StepCodes &Codes,
       ControlMode Mode, const ControlFlow *Flow, Moment To, const Watch &W);
  /// What decided that instruction \p M was reached. Moments must not ascend
  /// from call to call, or it takes long.
  llvm::Expected<std::optional<Moment>> parent(Moment M);

private:
  NodeLog Log; ///< node M + 1 is instruction M
};

} // namespace rw::dataflow

#endif // REWIND_DATAFLOW_CONTROLPARENTS_H
