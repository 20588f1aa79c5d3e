//===- ElfModule.h - Code and build id of an ELF file -----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_INTELPT_ELFMODULE_H
#define REWIND_FORMATS_INTELPT_ELFMODULE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rw::intelpt {

/// A function, or another stretch of code that is known to begin with an
/// instruction and to end with one. Never empty.
struct FunctionRange {
  uint64_t Begin = 0, Size = 0;
};

/// A 64-bit x86 ELF file. The contents of segments point into Data. libelf
/// reads it, and nothing else in Rewind: segments, build id and sizes of
/// symbols come from memory that was read once, since the file may be replaced.
/// Images are read with llvm::object (core/support/ElfFile.h), which LLVM's
/// DWARF reader needs and which knows all architectures.
struct ElfModule {
  struct Segment {
    uint64_t Address = 0; ///< as linked
    uint64_t MemorySize = 0;
    uint64_t FileOffset = 0;
    bool Executable = false;
    llvm::StringRef Contents;
  };
  std::unique_ptr<llvm::MemoryBuffer> Data;
  std::vector<Segment> Segments; ///< the loadable ones
  std::string BuildId; ///< upper case hex digits; empty if it has none
  std::optional<uint64_t> EhFrameHeader; ///< address of .eh_frame_hdr
  /// Functions whose sizes symbols tell, as linked, in any order.
  std::vector<FunctionRange> Functions;
  /// Addresses of setjmp and its like, as far as symbols tell.
  std::vector<uint64_t> Setjmps;

  /// Address of the page that the lowest segment begins in, as linked.
  uint64_t lowestPage() const;
  /// What the file has at \p Address, up to its segment's end.
  llvm::StringRef contentsFrom(uint64_t Address) const;
  bool isCode(uint64_t Address) const;
  /// Errors name the file.
  static llvm::Expected<ElfModule> read(const std::string &Path);
};

} // namespace rw::intelpt

#endif // REWIND_FORMATS_INTELPT_ELFMODULE_H
