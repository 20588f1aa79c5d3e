//===- RegisterTables.h - What RegisterFile is built from -------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to arch/. One function per architecture, each in a file of its own;
// RegisterFile's constructor picks one.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_ARCH_REGISTERTABLES_H
#define REWIND_ARCH_REGISTERTABLES_H

#include "core/arch/RegisterFile.h"

namespace rw {

struct RegisterTable {
  std::vector<RegisterInfo> Registers;
  /// Further names, lower case, for the register with that index.
  std::vector<std::pair<std::string, unsigned>> Aliases;
  struct Bits {
    const char *Name; ///< lower case, without the register's name
    uint8_t Lo, Width;
  };
  /// Fields of the register with that index; they go by all of its names.
  std::vector<std::pair<unsigned, llvm::ArrayRef<Bits>>> Fields;

  unsigned add(RegisterInfo Info) {
    Registers.push_back(std::move(Info));
    return Registers.size() - 1;
  }
};

RegisterTable aarch64Registers();
RegisterTable armRegisters();
RegisterTable ppc64Registers();
RegisterTable x86Registers();

} // namespace rw

#endif // REWIND_ARCH_REGISTERTABLES_H
