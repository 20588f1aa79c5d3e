//===- Metric.cpp - What a profile counts ---------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/profile/Metric.h"

namespace rw {

static constexpr MetricInfo Infos[] = {
    {Metric::Instructions, "instructions", "instructions", "count",
     MetricNeeds::Calls},
    {Metric::Time, "time", "time", "", MetricNeeds::Instructions},
    {Metric::Calls, "calls", "calls", "count", MetricNeeds::Calls},
    {Metric::Reads, "reads", "reads", "count", MetricNeeds::Accesses},
    {Metric::Writes, "writes", "writes", "count", MetricNeeds::Accesses},
    {Metric::BytesRead, "bytes-read", "bytes read", "bytes",
     MetricNeeds::Accesses},
    {Metric::BytesWritten, "bytes-written", "bytes written", "bytes",
     MetricNeeds::Accesses},
    {Metric::Lines, "lines", "64-byte lines", "count", MetricNeeds::Accesses},
    {Metric::TakenBranches, "taken-branches", "taken branches", "count",
     MetricNeeds::Instructions},
    {Metric::Exceptions, "exceptions", "exceptions", "count",
     MetricNeeds::Instructions},
    {Metric::FailedConditions, "failed-conditions", "failed conditions",
     "count", MetricNeeds::Instructions},
};
static_assert(std::size(Infos) == NumMetrics);

const MetricInfo &metricInfo(Metric M) { return Infos[unsigned(M)]; }
llvm::ArrayRef<MetricInfo> allMetrics() { return Infos; }

std::optional<Metric> metricNamed(llvm::StringRef Name) {
  for (const MetricInfo &I : Infos)
    if (I.Name == Name)
      return I.Id;
  return std::nullopt;
}

std::string whyNotTold(Metric M, const TraceHeader &Header) {
  switch (M) {
  case Metric::Time:
    return Header.Can.Time ? "" : "the trace tells no time";
  case Metric::Reads:
  case Metric::Writes:
  case Metric::BytesRead:
  case Metric::BytesWritten:
  case Metric::Lines:
    return Header.Can.MemAddresses ? ""
           : Header.Format == "intelpt"
               ? "Intel PT records where control went, not what was read and "
                 "written"
               : "the trace does not tell what was read and written";
  case Metric::FailedConditions:
    return Header.Architecture == Arch::AArch64 ||
                   Header.Architecture == Arch::Arm
               ? ""
               : "only Arm's traces tell of instructions whose condition "
                 "failed";
  case Metric::Instructions:
  case Metric::Calls:
  case Metric::TakenBranches:
  case Metric::Exceptions:
    return "";
  }
  return "";
}

std::vector<Metric> metricsOf(const TraceHeader &Header) {
  std::vector<Metric> Told;
  for (const MetricInfo &I : Infos)
    if (whyNotTold(I.Id, Header).empty())
      Told.push_back(I.Id);
  return Told;
}

} // namespace rw
