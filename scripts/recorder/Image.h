//===- Image.h - A static Arm ELF file -------------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_RECORDER_IMAGE_H
#define REWIND_RECORDER_IMAGE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>
#include <vector>

namespace rw::record {

/// What of an ELF file has to be in memory for it to run.
struct Image {
  struct Segment {
    uint64_t Addr = 0; ///< where it is loaded, Bias included
    uint64_t MemSize = 0;
    llvm::StringRef Data; ///< the first bytes; the rest is zero
    uint32_t Flags = 0;   ///< PF_R, PF_W, PF_X
  };

  std::string Path;
  bool Is64 = true;     ///< AArch64, else AArch32
  bool IsThumb = false; ///< state at the entry point
  bool IsLinux = false; ///< looks like a Linux program, not a bare-metal one
  bool RunsOnStack = false; ///< its stack may have code: nested functions
  uint64_t Entry = 0;       ///< without Thumb bit
  uint64_t Bias = 0;        ///< not 0 for a static PIE
  uint64_t End = 0;         ///< one past the highest address
  uint64_t HeaderAddr = 0;  ///< of the program headers in memory; 0: not loaded
  unsigned HeaderSize = 0, HeaderCount = 0;
  std::vector<Segment> Segments;

  /// Reads \p Path. Refuses what cannot run here: not an ELF file, not Arm,
  /// big-endian, not an executable, dynamically linked.
  static llvm::Expected<Image> load(llvm::StringRef Path);

  /// Where a function begins, without Thumb bit: its name, also as C++ has it
  /// in its source ("ns::f", with or without parameters), or an address. There
  /// may be several of a name. An Error if there is none.
  llvm::Expected<std::vector<uint64_t>> functions(llvm::StringRef Name) const;

  /// The name of the function that an address is in; "" if no symbol says.
  std::string functionAt(uint64_t Addr) const;

private:
  template <class ELFT> llvm::Error parse();
  std::unique_ptr<llvm::MemoryBuffer> Buffer;
};

} // namespace rw::record

#endif // REWIND_RECORDER_IMAGE_H
