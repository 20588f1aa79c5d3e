//===- Operands.h - Operands from an instruction's text ---------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_OPERANDS_H
#define REWIND_COMMANDS_SUPPORT_OPERANDS_H

#include "core/arch/RegisterFile.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace rw {

/// An instruction's text taken apart: the mnemonic and the operands outside of
/// memory brackets. Register lists ("{r4, lr}", "{r0-r3}") are flattened.
struct Operands {
  std::string Mnemonic; ///< lower case
  struct Operand {
    std::string Text;
    const RegisterInfo *Register = nullptr; ///< null: not a known register
    bool Zero = false; ///< the zero register or an immediate
  };
  std::vector<Operand> List;
  /// How many of them come before the memory operand; all if there is none.
  size_t BeforeMemory = 0;
  bool Memory = false; ///< there is a memory operand

  /// The registers that a load fills or a store stores, in the order in which
  /// their values lie in memory.
  llvm::ArrayRef<Operand> data() const;
};

Operands parseOperands(llvm::StringRef Text, const RegisterFile &Registers);

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_OPERANDS_H
