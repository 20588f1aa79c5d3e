//===- QtraceWriter.h - Writes Qtrace files ---------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_QTRACE_QTRACEWRITER_H
#define REWIND_FORMATS_QTRACE_QTRACEWRITER_H

#include "core/formats/WriteBehind.h"
#include "core/formats/ppc/RadixWalk.h"
#include "core/formats/qtrace/QtraceFormat.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>

namespace rw::qtrace {

/// A real address with what is known of its translation.
struct RealAddress {
  uint64_t RA = ~uint64_t(0); ///< ~0: not known
  uint8_t PageShift = 0;      ///< 0: not known
  uint8_t GuestShift = 0;     ///< 0: none
  const ppc::RadixWalk *Walk = nullptr;
};

struct Insn {
  uint64_t EA = 0;
  uint32_t Opcode = 0;
  uint32_t Prefix = 0; ///< if Prefixed
  bool Prefixed = false;
  bool Branch = false, Conditional = false;
  bool HasData = false;
  uint64_t DataEA = 0;
  RealAddress Real, DataReal;
};

/// Streams instructions into a Qtrace file, in constant memory, some
/// nanoseconds each. What is more than a buffer is written on another thread:
/// use the stream again after close(). Errors of the stream are the stream's.
class QtraceWriter {
public:
  explicit QtraceWriter(llvm::raw_ostream &OS);
  ~QtraceWriter();
  /// The walks that \p I points to are read before this returns.
  void add(const Insn &I);
  /// Writes what is held back. Without it the file lacks its last instruction.
  void close();
  /// Real addresses left out: a page number has 32 bits.
  uint64_t droppedRealAddresses() const { return Dropped; }

private:
  /// What goes into a record beside the opcode, kept for one instruction.
  struct Place {
    bool Has = false, HasShift = false;
    uint32_t Rpn = 0;
    uint8_t Shift = 0, GuestShift = 0;
    const ppc::RadixWalk *Walk = nullptr; ///< valid during add()
    uint64_t GuestReal = 0;               ///< of the access, with its offset
    Translation Host = Translation::Undefined, Guest = Translation::Undefined;
  };
  void fill(Place &P, const RealAddress &R, uint64_t EA);
  void header(const Insn &First, const Place &P);
  void record(const Insn *Next, const Place &NextPlace);
  template <typename T> void put(T V);
  static uint8_t *putRadix(uint8_t *Out, const Place &P);
  void room();

  static constexpr size_t BufferSize = 256 * 1024;
  /// No record with its header is longer.
  static constexpr size_t MaxRecord = 1024;
  llvm::raw_ostream &OS;
  WriteBehind Behind;
  WriteBehind::Buffer Buffer;
  uint8_t *At, *Limit;
  bool Started = false, Closed = false;
  uint64_t Dropped = 0;
  Insn Held;
  Place HeldData, Current, Spare;
  /// The radix block of HeldData, ready to be written.
  uint8_t HeldBlock[2 + 8 * (5 * 4 + 4 + 5)];
  size_t HeldBlockSize = 0;
};

} // namespace rw::qtrace

#endif // REWIND_FORMATS_QTRACE_QTRACEWRITER_H
