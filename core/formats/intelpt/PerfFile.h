//===- PerfFile.h - The frame of a perf.data file ---------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_INTELPT_PERFFILE_H
#define REWIND_FORMATS_INTELPT_PERFFILE_H

#include "core/formats/intelpt/PerfRecords.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace rw::intelpt::perf {

/// A kind of event that was recorded.
struct Attribute {
  uint32_t Type = 0;
  uint64_t Config = 0, SampleType = 0;
  bool SampleIdAll = false;
  std::vector<uint64_t> Ids;
};

/// What stands around the records. Refers to the bytes it was read from.
struct File {
  std::vector<Attribute> Attributes;
  llvm::ArrayRef<uint8_t> Data; ///< the records
  uint64_t DataOffset = 0;      ///< where they begin in the file
  std::string CpuId;            ///< "GenuineIntel,6,143,8"; empty if not told
  llvm::StringMap<std::string> BuildIds; ///< upper case hex digits, by path
  /// How records are compressed, and how much of perf's buffers one may hold,
  /// if the file tells.
  static constexpr uint32_t Zstd = 1;
  std::optional<uint32_t> Compression;
  uint64_t BufferBytes = 0;

  /// Errors name byte offsets; the caller adds the file's name.
  static llvm::Expected<File> read(llvm::ArrayRef<uint8_t> Bytes);
  /// Who and when at the end of a record that is no sample.
  SampleIds ids(llvm::ArrayRef<uint8_t> Record) const;
};

inline bool isPerfData(llvm::ArrayRef<uint8_t> Head) {
  return Head.size() >= 8 &&
         llvm::StringRef(reinterpret_cast<const char *>(Head.data()), 8) ==
             "PERFILE2";
}

} // namespace rw::intelpt::perf

#endif // REWIND_FORMATS_INTELPT_PERFFILE_H
