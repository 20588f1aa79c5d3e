//===- SystemCalls.h - What a program asks its system for -------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_ARCH_SYSTEMCALLS_H
#define REWIND_ARCH_SYSTEMCALLS_H

#include "core/model/ItemBatch.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace rw {

enum class SystemCallKind : uint8_t {
  None,
  Linux,
  Semihosting,
  Other, ///< svc with a number in it, of a system that we do not know
};

/// Which kind of call an instruction is, by its code alone: svc, sc, syscall,
/// and what Arm's semihosting uses (hlt, bkpt, svc with its number). \p Bytes
/// are those of memory, needed for x86-64 only.
SystemCallKind systemCallKind(ISA Isa, uint64_t Opcode,
                              llvm::ArrayRef<uint8_t> Bytes);

/// The number that an svc of the kind Other has.
uint64_t numberInSvc(ISA Isa, uint64_t Opcode);

/// Names of registers: that of the number, those of arguments, and that of the
/// result.
struct SystemCallRegisters {
  llvm::StringRef Number, Result;
  llvm::ArrayRef<llvm::StringRef> Arguments;
};
SystemCallRegisters systemCallRegisters(ISA Isa, SystemCallKind Kind);

struct SystemCallInfo {
  llvm::StringRef Name; ///< "openat", "SYS_WRITE0"
  /// A letter for each argument: d a number, u one without sign, x flags, p an
  /// address, s a text. "?": not known.
  llvm::StringRef Arguments;
};
/// None: there is none of that number.
std::optional<SystemCallInfo> systemCall(ISA Isa, SystemCallKind Kind,
                                         uint64_t Number);
/// Whether any system has a call of that name, in any case.
bool isSystemCallName(llvm::StringRef Name);
/// Their names, some of them several times.
void eachSystemCallName(llvm::function_ref<void(llvm::StringRef)> F);

} // namespace rw

#endif // REWIND_ARCH_SYSTEMCALLS_H
