//===- HtrFormat.h - Layout of a file of layers -----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   [0:8)    magic
//   [8:16)   version
//   [16:24)  size of the file
//   [24:32)  xxh3 of everything from byte 32 on
//   [32:40)  number of sections n
//   [40:40+24n)  per section: tag and layer (4 bytes each), offset, size
//   ...      sections, 8-byte aligned
//
// All numbers are little endian. Section Meta is JSON, the others are packed
// arrays (PackedArray.h).
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_HTR_HTRFORMAT_H
#define REWIND_HTR_HTRFORMAT_H

#include <cstddef>
#include <cstdint>

namespace rw::htr::format {

constexpr char Magic[8] = {'R', 'W', 'H', 'T', 'R', 0, '\r', '\n'};
constexpr uint64_t Version = 1;
constexpr size_t ChecksumAt = 24, HashedFrom = 32, TableAt = 40,
                 EntryBytes = 24;
/// Sums of lengths are kept for every so many elements.
constexpr uint64_t SumEvery = 64;

enum Tag : uint32_t {
  Meta,
  Kind, ///< kind | home << 3
  Value,
  First, ///< in the elements of the home layer
  Count,
  Length,
  Entry,
  Exit,
  Occurrences,
  Time,
  FirstPlace,
  Places,
  LayerBegin,
  LayerElements,
  LayerSums,
};

} // namespace rw::htr::format

#endif // REWIND_HTR_HTRFORMAT_H
