//===- CriticalPath.h - What a program was waiting for ----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The longest chain of dependences in an execution: how long it would have
// taken a machine without limits. After Embla (Faxen) and Kremlin (Garcia and
// others).
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_DATAFLOW_CRITICALPATH_H
#define REWIND_DATAFLOW_CRITICALPATH_H

#include "core/dataflow/Regions.h"
#include "core/dataflow/StepReader.h"
#include "core/dataflow/Times.h"
#include "core/support/Watch.h"
#include "llvm/ADT/BitVector.h"

namespace rw::dataflow {

struct PathQuery {
  enum CallMode : uint8_t {
    None,   ///< calls are instructions as others
    Fine,   ///< nothing in a call starts before it, it ends after all in it
    Atomic, ///< and it is one unit to all others
    Static, ///< and what once depended on something always does
  };
  CallMode Calls = Fine;
  ControlMode Control = ControlMode::None;
  StorageModes Storage;
  Latencies Latency;
  bool Suppress = true;
  bool Chain = false; ///< wanted; only None and Fine have it
  bool Slack = false; ///< the same; not with Chain
  StepReader::Options Part;
};

/// How much later the executions of an instruction could have been, each alone,
/// without making the path longer.
struct SlackOf {
  uint64_t Executed = 0;
  uint64_t Critical = 0; ///< of these, without any slack
  uint64_t Least = ~uint64_t(0);
  Moment Where = 0; ///< the first with so little
  uint64_t Sum = 0;
};

struct PathAnswer {
  uint64_t Length = 0;       ///< of the longest thread's
  uint64_t Work = 0;         ///< all latencies together
  uint64_t Instructions = 0; ///< measured
  uint64_t Unknown = 0;      ///< of those, nobody knows what they read
  /// Dependences on other threads that atomic calls leave out.
  uint64_t Crossings = 0;
  SuppressionCounts Suppressed;
  /// The chain, if wanted: the moments of its instructions, counted from
  /// Part.From, and how much each adds, in order; empty: 1 each.
  llvm::BitVector OnPath;
  std::vector<uint32_t> Latencies;
  /// If wanted: by static number.
  std::vector<SlackOf> Slack;
};

/// One or two passes over the part, three for exact control of static
/// dependences. Memory: as much as was touched, and 2 bytes an instruction in a
/// temporary file if the chain or slack is wanted. An Error too if the path is
/// longer than 2^31.
llvm::Expected<PathAnswer> criticalPath(const TraceStore &Store,
                                        const CallIndex *Calls,
                                        StepCodes &Codes, const PathQuery &Q,
                                        const Watch &W);

/// What an instruction did by the conventions of calls.
struct SuppressedAt {
  uint32_t Static = 0;
  Suppressed What = Suppressed::Save;
  CellRef Of; ///< the register
  uint64_t Times = 0;
  Moment First = 0;
};

/// All of that in a part, most frequent first. One pass; of the query only Part
/// and Storage count.
llvm::Expected<std::vector<SuppressedAt>>
suppressedIn(const TraceStore &Store, const CallIndex *Calls, StepCodes &Codes,
             const PathQuery &Q, const Watch &W);

struct RegionCosts {
  /// By the address where activations begin, those with the most work first.
  std::vector<RegionCost> Functions;
  /// All of each thread: also what ran in functions that were entered before
  /// the part began, which are not among the others.
  std::vector<RegionCost> Threads;
};
/// One pass, two with exact control.
llvm::Expected<RegionCosts> regionCosts(const TraceStore &Store,
                                        const CallIndex *Calls,
                                        StepCodes &Codes, const PathQuery &Q,
                                        const Watch &W);

} // namespace rw::dataflow

#endif // REWIND_DATAFLOW_CRITICALPATH_H
