//===- Metric.h - What a profile counts -------------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PROFILE_METRIC_H
#define REWIND_PROFILE_METRIC_H

#include "core/model/ItemBatch.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace rw {

/// All of them add up: what a block costs itself, summed over the blocks, is
/// the total.
enum class Metric : uint8_t {
  Instructions,
  Time,
  Calls, ///< activations entered in the range: by calls, tail calls, exceptions
  Reads,
  Writes,
  BytesRead,
  BytesWritten,
  Lines, ///< distinct lines of 64 bytes; each counts where it is touched first
  TakenBranches, ///< instructions after which control went elsewhere than on
  Exceptions,
  FailedConditions,
};
constexpr unsigned NumMetrics = unsigned(Metric::FailedConditions) + 1;

/// What must be read of a trace to count something.
enum class MetricNeeds : uint8_t {
  Calls,        ///< where activations begin and end
  Instructions, ///< each of them, without its effects
  Accesses,     ///< its accesses, too
};

struct MetricInfo {
  Metric Id;
  llvm::StringLiteral Name; ///< as typed, and in JSON: "bytes-read"
  llvm::StringLiteral Text; ///< "bytes read"
  /// As pprof has it: "count", "bytes"; empty: the trace's unit of time.
  llvm::StringLiteral Unit;
  MetricNeeds Needs;
};

const MetricInfo &metricInfo(Metric M);
llvm::ArrayRef<MetricInfo> allMetrics();
std::optional<Metric> metricNamed(llvm::StringRef Name);
/// Why a trace cannot tell it; empty if it can.
std::string whyNotTold(Metric M, const TraceHeader &Header);
/// Those that a trace tells.
std::vector<Metric> metricsOf(const TraceHeader &Header);

} // namespace rw

#endif // REWIND_PROFILE_METRIC_H
