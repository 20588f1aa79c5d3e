//===- Semihosting.cpp - Writes that a trace does not show ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/tarmac/Semihosting.h"

namespace rw::tarmac {

SemihostingEffect semihostingEffect(
    ISA Isa, std::optional<uint64_t> Op, std::optional<uint64_t> Param,
    llvm::function_ref<std::optional<uint64_t>(uint64_t, unsigned)> Word) {
  unsigned W = Isa == ISA::A64 ? 8 : 4;
  SemihostingEffect E;
  if (!Op) {
    E.Problem = "its operation number is not known";
    return E;
  }
  if (!Param) {
    E.Problem = "the address of its parameters is not known";
    return E;
  }
  auto Buffer = [&](unsigned AddrWord, unsigned SizeWord) {
    std::optional<uint64_t> A = Word(*Param + AddrWord * W, W);
    std::optional<uint64_t> S = Word(*Param + SizeWord * W, W);
    if (!A || !S)
      E.Problem = "its parameter block is not known";
    else
      E.Ranges.push_back({*A, *S});
  };
  switch (uint32_t(*Op)) {
  case 0x06: // SYS_READ: file, buffer, length
    Buffer(1, 2);
    break;
  case 0x0d: // SYS_TMPNAM: buffer, id, length
    Buffer(0, 2);
    break;
  case 0x15: // SYS_GET_CMDLINE: buffer, length; the length is written back
    Buffer(0, 1);
    E.Ranges.push_back({*Param + W, W});
    break;
  case 0x16: // SYS_HEAPINFO: address of a block of four words
    if (std::optional<uint64_t> A = Word(*Param, W))
      E.Ranges.push_back({*A, 4 * W});
    else
      E.Problem = "its parameter block is not known";
    break;
  case 0x30: // SYS_ELAPSED: into the block itself, 64 bits
    E.Ranges.push_back({*Param, 2 * W});
    break;
  default: // the others only read memory
    break;
  }
  return E;
}

} // namespace rw::tarmac
