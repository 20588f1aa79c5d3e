//===- ElfSegments.h - What an ELF file puts into memory --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_ELFSEGMENTS_H
#define REWIND_COMMANDS_SUPPORT_ELFSEGMENTS_H

#include "core/model/CodeMapping.h"
#include "llvm/Object/ELFObjectFile.h"
#include <vector>

namespace rw {

/// A loadable segment, at the address that the file says.
struct ElfSegment {
  uint64_t Start = 0;
  uint64_t Size = 0; ///< in memory
  uint32_t Flags = 0;
  llvm::StringRef Contents; ///< what the file has of it
};

/// In the order of the file.
llvm::Expected<std::vector<ElfSegment>>
loadableSegments(const llvm::object::ELFObjectFileBase &File);

/// Its executable segments, \p Slide bytes further up.
llvm::Expected<std::vector<CodeMapping>>
codeMappings(const llvm::object::ELFObjectFileBase &File, llvm::StringRef Path,
             uint64_t Slide);

/// The address that the one in --image <elf>@<address> is in place of.
uint64_t lowestAddress(llvm::ArrayRef<ElfSegment> Segments);

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_ELFSEGMENTS_H
