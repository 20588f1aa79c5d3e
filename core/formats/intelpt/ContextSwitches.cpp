//===- ContextSwitches.cpp - Who ran on a CPU, from perf's records --------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/intelpt/ContextSwitches.h"
#include "core/formats/intelpt/PerfRecords.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw::intelpt {

void SwitchList::add(uint64_t Nanoseconds, uint64_t Pid, uint64_t Tid,
                     bool Out) {
  Entries.push_back({{Time.ticks(Nanoseconds), Pid, Tid}, Out});
}

std::vector<ContextSwitch> SwitchList::take() {
  llvm::stable_sort(Entries, [](const Entry &A, const Entry &B) {
    return A.Switch.Tsc < B.Switch.Tsc;
  });
  std::vector<ContextSwitch> Result;
  for (const Entry &E : Entries) {
    if (Result.empty() && E.Out)
      Result.push_back({0, E.Switch.Pid, E.Switch.Tid});
    else if (!E.Out && (Result.empty() || Result.back().Tid != E.Switch.Tid))
      Result.push_back(E.Switch);
  }
  Entries.clear();
  return Result;
}

Expected<std::vector<ContextSwitch>>
readContextSwitches(ArrayRef<uint8_t> Bytes, const std::string &Name,
                    const TimeConversion &Time) {
  constexpr uint64_t Sample = perf::SampleTid | perf::SampleTime;
  SwitchList Switches(Time);
  size_t Offset = 0;
  while (Offset < Bytes.size()) {
    perf::FieldReader F(Bytes.drop_front(Offset));
    perf::RecordHeader H = perf::readHeader(F);
    if (!F.ok() || H.Bytes < perf::RecordHeader::Size ||
        H.Bytes > Bytes.size() - Offset)
      return createStringError(
          std::make_error_code(std::errc::invalid_argument),
          formatv("'{0}': no perf record at byte {1}: expected a record of at "
                  "most {2} bytes, it says {3}",
                  Name, Offset, Bytes.size() - Offset, H.Bytes));
    auto Record = Bytes.slice(Offset, H.Bytes);
    Offset += H.Bytes;
    if (H.Type != perf::Switch && H.Type != perf::SwitchCpuWide)
      continue;
    if (Record.size() <
        perf::RecordHeader::Size + perf::SampleIds::bytes(Sample))
      return createStringError(
          std::make_error_code(std::errc::invalid_argument),
          formatv("'{0}': the context switch before byte {1} has no thread "
                  "and time (PERF_SAMPLE_TID, PERF_SAMPLE_TIME)",
                  Name, Offset));
    auto Ids = perf::SampleIds::read(Record, Sample);
    Switches.add(Ids.Time, Ids.Pid, Ids.Tid, H.Misc & perf::SwitchOut);
  }
  return Switches.take();
}

} // namespace rw::intelpt
