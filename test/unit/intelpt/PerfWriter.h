//===- PerfWriter.h - perf.data files made by hand --------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After perf_event_open(2) and perf's perf.data-file-format.txt.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_INTELPT_PERFWRITER_H
#define REWIND_TEST_INTELPT_PERFWRITER_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>
#include <zstd.h>

namespace rw::intelpt {

template <typename T> void put(std::string &S, T Value) {
  S.append(reinterpret_cast<const char *>(&Value), sizeof Value);
}

inline std::string perfRecord(uint32_t Type, uint16_t Misc,
                              const std::string &Body) {
  std::string S;
  put(S, Type);
  put(S, Misc);
  put(S, uint16_t(8 + Body.size()));
  return S + Body;
}

inline std::string padded(llvm::StringRef Name) {
  std::string S = Name.str();
  S.resize((S.size() + 8) & ~size_t(7));
  return S;
}

/// PERF_SAMPLE_TID | TIME, and CPU and IDENTIFIER if there is one.
inline std::string sampleIds(uint32_t Pid, uint32_t Tid, uint64_t Time,
                             std::optional<uint32_t> Cpu, uint64_t Event = 0) {
  std::string S;
  put(S, Pid);
  put(S, Tid);
  put(S, Time);
  if (Cpu)
    put(S, uint64_t(*Cpu));
  if (Event)
    put(S, Event);
  return S;
}

inline std::string perfSwitch(uint64_t Time, uint32_t Pid, uint32_t Tid,
                              bool Out, std::optional<uint32_t> Cpu,
                              uint64_t Event = 0) {
  return perfRecord(14, Out ? 1 << 13 : 0,
                    sampleIds(Pid, Tid, Time, Cpu, Event));
}

/// What `perf record -e intel_pt//u` writes.
class PerfWriter {
public:
  static constexpr uint32_t Pmu = 8, NoThread = ~0u;
  std::string Records;
  uint64_t Event = 0; ///< the id of intel_pt//; then there is another, too
  std::string CpuId = "GenuineIntel,6,143,8";
  std::vector<std::pair<std::string, std::string>> BuildIds; ///< path, bytes
  /// What HEADER_COMPRESSED says: the kind of compression, a buffer's length.
  std::optional<uint32_t> Compression;
  uint32_t BufferBytes = 1 << 20;

  void info(uint64_t Shift, uint64_t Mult, uint64_t Zero) {
    std::string B;
    put(B, uint32_t(1));
    put(B, uint32_t(0));
    for (uint64_t W : {uint64_t(Pmu), Shift, Mult, Zero, uint64_t(1)})
      put(B, W);
    for (unsigned I = 0; I < 11; ++I)
      put(B, uint64_t(0));
    Records += perfRecord(70, 0, B);
  }
  void comm(uint32_t Pid, uint32_t Tid, llvm::StringRef Name, bool Exec) {
    std::string B;
    put(B, Pid);
    put(B, Tid);
    Records += perfRecord(3, Exec ? 1 << 13 : 0,
                          B + padded(Name) + sampleIds(Pid, Tid, 0, 0, Event));
  }
  void mmap2(uint32_t Pid, uint64_t Address, uint64_t Bytes, uint64_t Offset,
             llvm::StringRef Path, llvm::StringRef BuildId = "") {
    std::string B;
    put(B, Pid);
    put(B, Pid);
    put(B, Address);
    put(B, Bytes);
    put(B, Offset);
    std::string Id(24, 0);
    if (!BuildId.empty()) {
      Id[0] = char(BuildId.size());
      Id.replace(4, BuildId.size(), BuildId.str());
    }
    B += Id;
    put(B, uint32_t(5)); // PROT_READ | PROT_EXEC
    put(B, uint32_t(2));
    Records += perfRecord(10, 2 | (BuildId.empty() ? 0 : 1 << 14),
                          B + padded(Path) + sampleIds(Pid, Pid, 0, 0, Event));
  }
  void itraceStart(uint32_t Pid, uint32_t Tid, uint64_t Time, uint32_t Cpu) {
    std::string B;
    put(B, Pid);
    put(B, Tid);
    Records += perfRecord(12, 0, B + sampleIds(Pid, Tid, Time, Cpu, Event));
  }
  void aux(uint64_t Offset, const std::vector<uint8_t> &Packets, uint32_t Index,
           uint32_t Tid, uint32_t Cpu) {
    std::string B;
    put(B, uint64_t(Packets.size()));
    put(B, Offset);
    put(B, uint64_t(0));
    for (uint32_t W : {Index, Tid, Cpu, 0u})
      put(B, W);
    Records += perfRecord(71, 0, B);
    Records.append(Packets.begin(), Packets.end());
  }

  /// Packs the records from byte \p From on as `perf record -z` does: one zstd
  /// stream, flushed at the end of each compressed record, which holds so many
  /// bytes of records as \p Each says. \p Padded: as newer kernels have it,
  /// with the size, in whole words.
  void compress(size_t From, size_t Each, bool Padded) {
    std::string Plain = Records.substr(From), Packed(1 << 16, 0);
    Records.resize(From);
    ZSTD_CStream *Stream = ZSTD_createCStream();
    ZSTD_initCStream(Stream, 1);
    for (size_t At = 0; At < Plain.size(); At += Each) {
      ZSTD_inBuffer In{Plain.data() + At, std::min(Each, Plain.size() - At), 0};
      ZSTD_outBuffer Out{Packed.data(), Packed.size(), 0};
      ZSTD_compressStream(Stream, &Out, &In);
      ZSTD_flushStream(Stream, &Out);
      std::string Body(Packed, 0, Out.pos);
      if (Padded) {
        std::string Sized;
        put(Sized, uint64_t(Out.pos));
        Body = Sized + Body;
        Body.resize((Body.size() + 7) & ~size_t(7));
      }
      Records += perfRecord(Padded ? 83 : 81, 0, Body);
    }
    ZSTD_freeCStream(Stream);
    Compression = 1;
  }

  std::string file() const {
    constexpr uint64_t HeaderBytes = 104, AttrBytes = 144;
    std::string Attrs;
    auto attr = [&](uint32_t Type, uint64_t SampleType, uint64_t IdsAt) {
      std::string A;
      put(A, Type);
      put(A, uint32_t(128));
      put(A, uint64_t(0));
      put(A, uint64_t(1));
      put(A, SampleType);
      put(A, uint64_t(0));
      put(A, uint64_t(1 << 18)); // sample_id_all
      A.resize(128);
      put(A, IdsAt);
      put(A, uint64_t(IdsAt ? 8 : 0));
      Attrs += A;
    };
    std::string Ids;
    constexpr uint64_t Sample = 1 << 1 | 1 << 2 | 1 << 7; // TID, TIME, CPU
    if (Event) {
      // Another event's records look different.
      uint64_t IdsAt = HeaderBytes + 2 * AttrBytes;
      attr(1, 1 << 1 | 1 << 16, IdsAt);
      attr(Pmu, Sample | 1 << 16, IdsAt + 8);
      put(Ids, Event + 1);
      put(Ids, Event);
    } else {
      attr(Pmu, Sample, 0);
    }
    std::string Features[3];
    for (const auto &[Path, Id] : BuildIds) {
      std::string B;
      put(B, uint32_t(-1));
      std::string Padded = Id;
      Padded.resize(24);
      Features[0] += perfRecord(67, 2, B + Padded + padded(Path));
    }
    put(Features[1], uint32_t(64));
    Features[1] += CpuId;
    Features[1].resize(68);
    if (Compression)
      for (uint32_t Word : {1u, *Compression, 1u, 3u, BufferBytes})
        put(Features[2], Word);
    const unsigned NumFeatures = Compression ? 3 : 2;

    uint64_t DataAt = HeaderBytes + Attrs.size() + Ids.size();
    uint64_t SectionsAt = DataAt + Records.size(),
             At = SectionsAt + 16 * NumFeatures;
    std::string S = "PERFILE2";
    for (uint64_t W :
         {HeaderBytes, AttrBytes, HeaderBytes, uint64_t(Attrs.size()), DataAt,
          uint64_t(Records.size()), uint64_t(0), uint64_t(0),
          uint64_t(1 << 2 | 1 << 9 | (Compression ? 1 << 27 : 0)), uint64_t(0),
          uint64_t(0), uint64_t(0)})
      put(S, W);
    S += Attrs + Ids + Records;
    for (unsigned I = 0; I < NumFeatures; ++I) {
      put(S, At);
      put(S, uint64_t(Features[I].size()));
      At += Features[I].size();
    }
    return S + Features[0] + Features[1] + Features[2];
  }
};

} // namespace rw::intelpt

#endif // REWIND_TEST_INTELPT_PERFWRITER_H
