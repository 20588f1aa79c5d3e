//===- Cpuid.h - Stepping over CPUID ----------------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_TOOLS_PT_RECORD_CPUID_H
#define REWIND_TEST_TOOLS_PT_RECORD_CPUID_H

#include <cpuid.h>
#include <cstdint>
#include <sys/ptrace.h>
#include <sys/user.h>

namespace rw::ptrecord {

/// Executes a CPUID of \p Size bytes for a stopped thread that stands at it;
/// false if there is no such thread. A hypervisor may answer CPUID and forget
/// the trap that ends a single step (Firecracker on AMD EPYC 9005 does): such a
/// step takes the instruction behind it along.
inline bool executeCpuid(pid_t Tid, unsigned Size) {
  user_regs_struct R;
  if (ptrace(PTRACE_GETREGS, Tid, nullptr, &R))
    return false;
  uint32_t A, B, C, D;
  __cpuid_count(uint32_t(R.rax), uint32_t(R.rcx), A, B, C, D);
  R.rax = A;
  R.rbx = B;
  R.rcx = C;
  R.rdx = D;
  R.rip += Size;
  return !ptrace(PTRACE_SETREGS, Tid, nullptr, &R);
}

} // namespace rw::ptrecord

#endif // REWIND_TEST_TOOLS_PT_RECORD_CPUID_H
