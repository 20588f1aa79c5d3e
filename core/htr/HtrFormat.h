//===- HtrFormat.h - Layout of a file of layers -----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A container as a store is one (store/Format.h). Section "meta" is JSON, the
// others are packed arrays (PackedArray.h): of all blocks ("kind", "value"...),
// and of each layer ("1.begin", "1.elements", "1.sums").
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_HTR_HTRFORMAT_H
#define REWIND_HTR_HTRFORMAT_H

#include <cstdint>

namespace rw::htr::format {

constexpr char Magic[8] = {'R', 'W', 'H', 'T', 'R', 0, '\r', '\n'};
constexpr uint32_t Version = 5;
/// Sums of lengths are kept for every so many elements.
constexpr uint64_t SumEvery = 64;

} // namespace rw::htr::format

#endif // REWIND_HTR_HTRFORMAT_H
