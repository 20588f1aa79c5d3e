//===- Checksum.h - Checksums of store sections -----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_CHECKSUM_H
#define REWIND_STORE_CHECKSUM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/xxhash.h"

namespace rw {

/// XXH3, 64 bits: guards against damage, not against forgery.
inline uint64_t checksum(llvm::ArrayRef<uint8_t> Bytes) {
  return llvm::xxh3_64bits(Bytes);
}

} // namespace rw

#endif // REWIND_STORE_CHECKSUM_H
