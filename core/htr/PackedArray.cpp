//===- PackedArray.cpp - Numbers in few bits ------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/htr/PackedArray.h"

using namespace llvm;

namespace rw::htr {

std::optional<PackedArray> PackedArray::open(ArrayRef<uint8_t> Bytes) {
  if (Bytes.size() < 8)
    return std::nullopt;
  PackedArray A;
  A.Size = support::endian::read64le(Bytes.data());
  uint64_t Blocks = A.Size / BlockSize + (A.Size % BlockSize != 0);
  if (Blocks > (Bytes.size() - 8) / 16)
    return std::nullopt;
  A.Directory = Bytes.data() + 8;
  A.Data = A.Directory + Blocks * 16;
  A.DataBytes = Bytes.end() - A.Data;
  return A;
}

} // namespace rw::htr
