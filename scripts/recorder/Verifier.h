//===- Verifier.h - Checks that a trace tells the truth --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_RECORDER_VERIFIER_H
#define REWIND_RECORDER_VERIFIER_H

#include "core/support/NumberMap.h"
#include "scripts/recorder/TarmacWriter.h"
#include <string>

namespace rw::record {

/// Does what a reader of the trace would do with it, and compares that with the
/// CPU: after each instruction all registers, at each read the bytes that were
/// read, and at the end all bytes of memory that the trace has shown. Slow.
class Verifier {
public:
  explicit Verifier(const Guest &G) : G(G) {}

  void accesses(uint64_t PC, llvm::ArrayRef<Access> Accesses);
  /// \p Written: what the trace has said of each register of this CPU.
  void registers(uint64_t PC, const RegValue *Written);
  void end();
  /// Memory of which the trace says nothing has changed.
  void forget(uint64_t Addr, uint64_t Size);

  /// The first difference, or "".
  const std::string &difference() const { return Difference; }

private:
  void differ(uint64_t PC, const std::string &What, uint64_t Trace,
              uint64_t Cpu);

  const Guest &G;
  NumberMap<uint8_t> Memory;
  std::string Difference;
};

} // namespace rw::record

#endif // REWIND_RECORDER_VERIFIER_H
