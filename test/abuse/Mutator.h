//===- Mutator.h - Changes what a file says, not its checksums --*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random damage hardly ever gets past a checksum. What is changed here knows
// the parts of a file (the header, the directory, a section, a segment, JSON),
// puts in numbers that break things, and makes the checksums right again.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_ABUSE_MUTATOR_H
#define REWIND_TEST_ABUSE_MUTATOR_H

#include "test/unit/support/RandomTrace.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace rw {

/// A file that was changed, and what was done to it, for a report.
struct Mutant {
  std::string Bytes, What;
};

/// A seed makes the same mutant everywhere.
Mutant mutateStore(llvm::StringRef Store, uint64_t Seed);
Mutant mutateLayers(llvm::StringRef Layers, uint64_t Seed);
/// Mutates an ELF file, above all its debug information.
Mutant mutateImage(llvm::StringRef Elf, uint64_t Seed);

} // namespace rw

#endif // REWIND_TEST_ABUSE_MUTATOR_H
