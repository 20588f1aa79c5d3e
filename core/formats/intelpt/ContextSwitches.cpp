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

void sortSwitches(std::vector<ContextSwitch> &S) {
  llvm::stable_sort(S, [](const ContextSwitch &A, const ContextSwitch &B) {
    return A.Tsc < B.Tsc;
  });
  S.erase(std::unique(S.begin(), S.end(),
                      [](const ContextSwitch &A, const ContextSwitch &B) {
                        return A.Tid == B.Tid && A.Pid == B.Pid;
                      }),
          S.end());
}

Expected<std::vector<ContextSwitch>>
readContextSwitches(ArrayRef<uint8_t> Bytes, const std::string &Name,
                    const TimeConversion &Time) {
  constexpr uint64_t Sample = perf::SampleTid | perf::SampleTime;
  std::vector<ContextSwitch> Switches;
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
    // Switched out: what comes next is told by the next record.
    bool Out = H.Misc & perf::SwitchOut;
    Switches.push_back({Time.ticks(Ids.Time), Out ? 0 : uint64_t(Ids.Pid),
                        Out ? 0 : uint64_t(Ids.Tid)});
  }
  sortSwitches(Switches);
  return Switches;
}

} // namespace rw::intelpt
