//===- PerfRecords.h - The kernel's layout of perf records ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As perf_event_open(2) and tools/perf/Documentation/perf.data-file-format.txt
// describe it, as far as Intel PT needs it.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_INTELPT_PERFRECORDS_H
#define REWIND_FORMATS_INTELPT_PERFRECORDS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Endian.h"
#include <algorithm>
#include <cstdint>

namespace rw::intelpt::perf {

enum RecordType : uint32_t {
  Mmap = 1,
  Comm = 3,
  Exit = 4,
  Fork = 7,
  Mmap2 = 10,
  Aux = 11,
  ItraceStart = 12,
  Switch = 14,
  SwitchCpuWide = 15,
  AuxtraceInfo = 70,
  Auxtrace = 71,
  TimeConv = 79,
  Compressed = 81,
  Compressed2 = 83,
};

enum Misc : uint16_t {
  CpuModeMask = 7,
  CpuModeKernel = 1,
  CpuModeUser = 2,
  MmapData = 1 << 13, ///< MMAP, MMAP2: not executable
  CommExec = 1 << 13,
  SwitchOut = 1 << 13,
  MmapBuildId = 1 << 14,
};

enum AuxFlags : uint64_t { AuxTruncated = 1, AuxOverwrite = 2, AuxPartial = 4 };

enum SampleBit : uint64_t {
  SampleTid = 1 << 1,
  SampleTime = 1 << 2,
  SampleId = 1 << 6,
  SampleCpu = 1 << 7,
  SampleStreamId = 1 << 9,
  SampleIdentifier = 1 << 16,
};

struct RecordHeader {
  static constexpr size_t Size = 8;
  uint32_t Type = 0;
  uint16_t Misc = 0;
  uint16_t Bytes = 0; ///< with this header
};

/// Little-endian fields one after the other. Reading beyond the end gives zeros
/// and makes ok() false.
class FieldReader {
public:
  explicit FieldReader(llvm::ArrayRef<uint8_t> Bytes) : Bytes(Bytes) {}
  bool ok() const { return Ok; }
  size_t left() const { return Bytes.size(); }
  uint16_t u16() { return get<uint16_t>(); }
  uint32_t u32() { return get<uint32_t>(); }
  uint64_t u64() { return get<uint64_t>(); }
  void skip(size_t N) { (void)take(N); }
  /// A string that is padded with NULs up to the end of \p Field bytes.
  llvm::StringRef string(size_t Field) {
    llvm::ArrayRef<uint8_t> B = take(Field);
    llvm::StringRef S(reinterpret_cast<const char *>(B.data()), B.size());
    return S.take_until([](char C) { return C == 0; });
  }
  llvm::ArrayRef<uint8_t> take(size_t N) {
    Ok &= N <= Bytes.size();
    N = std::min(N, Bytes.size());
    auto Front = Bytes.take_front(N);
    Bytes = Bytes.drop_front(N);
    return Front;
  }

private:
  template <typename T> T get() {
    auto B = take(sizeof(T));
    return B.size() == sizeof(T)
               ? llvm::support::endian::read<T, llvm::endianness::little>(
                     B.data())
               : T(0);
  }
  llvm::ArrayRef<uint8_t> Bytes;
  bool Ok = true;
};

inline RecordHeader readHeader(FieldReader &F) {
  RecordHeader H;
  H.Type = F.u32();
  H.Misc = F.u16();
  H.Bytes = F.u16();
  return H;
}

/// What sample_id_all puts at the end of every record that is no sample.
struct SampleIds {
  uint32_t Pid = ~0u, Tid = ~0u, Cpu = ~0u;
  uint64_t Time = 0;

  static size_t bytes(uint64_t SampleType) {
    size_t N = 0;
    for (uint64_t Bit : {SampleTid, SampleTime, SampleId, SampleStreamId,
                         SampleCpu, SampleIdentifier})
      N += SampleType & Bit ? 8 : 0;
    return N;
  }
  /// From the end of a record's bytes.
  static SampleIds read(llvm::ArrayRef<uint8_t> Record, uint64_t SampleType) {
    SampleIds S;
    size_t N = bytes(SampleType);
    if (N > Record.size())
      return S;
    FieldReader F(Record.take_back(N));
    if (SampleType & SampleTid) {
      S.Pid = F.u32();
      S.Tid = F.u32();
    }
    if (SampleType & SampleTime)
      S.Time = F.u64();
    if (SampleType & SampleId)
      F.u64();
    if (SampleType & SampleStreamId)
      F.u64();
    if (SampleType & SampleCpu) {
      S.Cpu = F.u32();
      F.u32();
    }
    return S;
  }
};

} // namespace rw::intelpt::perf

#endif // REWIND_FORMATS_INTELPT_PERFRECORDS_H
