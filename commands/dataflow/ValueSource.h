//===- ValueSource.h - What an instruction made a value of ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One link of `origin`: an instruction wrote a location; is that a copy, and
// where was the value before? What an instruction copies is read from its text,
// and believed only if the values that the trace tells agree; where it tells
// none, its encoding (core/dataflow) must say that it copies. What it computes
// from is told by the encoding, too, as `rewind deps` has it.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_DATAFLOW_VALUESOURCE_H
#define REWIND_COMMANDS_DATAFLOW_VALUESOURCE_H

#include "commands/support/Access.h"
#include "commands/support/Operands.h"
#include "core/dataflow/Slice.h"

namespace rw {

/// Where a value comes from at last.
enum class OriginKind : uint8_t {
  Computed,    ///< by the last link's instruction
  Constant,    ///< in the last link's instruction
  Call,        ///< the return address of a call
  Outside,     ///< a read saw what nothing in the trace had written
  Initial,     ///< told by the trace before its first instruction
  Image,       ///< as the image has it
  Semihosting, ///< the answer of a semihosting call
  System,      ///< the system's answer to a call
  Pieces,      ///< written by several instructions
  Stack,       ///< the stack pointer, which is not followed
  Told,        ///< another branch has it already
  Unknown,     ///< nothing tells
  Limit,       ///< it was cut: --count, or interrupted
};
llvm::StringRef originName(OriginKind K);

/// "byte 2", "bytes 4..7"
std::string byteRange(uint64_t Offset, uint64_t Size);

/// What an instruction read.
struct ValueOperand {
  std::string Name; ///< "w1", "[0x1000, 4 bytes]"
  /// None: a trace tells of no such place (a monitor of exclusive accesses).
  std::optional<Location> At;
  Value Was; ///< before the instruction
  /// The value was computed from it. Else it tells where memory is, or whether
  /// the instruction was executed.
  bool Data = false;
};

struct ValueSource {
  /// It was copied from there, as it was before the moment Before.
  std::optional<Location> Copy;
  Moment Before = 0;
  std::string How; ///< "loaded from [0x1000, 8 bytes]"

  /// Else, if not empty, it has parts, each with its own source: first byte and
  /// size.
  std::vector<std::pair<uint64_t, uint64_t>> Parts;

  /// Else it ends here; Computed may go on with the operands.
  OriginKind End = OriginKind::Unknown;
  std::string Reason;
  std::vector<ValueOperand> Operands;
};

class ValueSources {
public:
  /// \p Calls: null: saves of registers are not recognised. Both must outlive
  /// it.
  ValueSources(Session &S, const CallIndex *Calls);

  /// What \p I, which wrote all bytes of \p L, took them from.
  llvm::Expected<ValueSource> of(const Instruction &I, const Location &L);
  /// The last write of any byte of a register, also one that the trace does not
  /// tell because the value stayed. BeforeTrace as in TraceStore.
  llvm::Expected<std::optional<Moment>> lastWrite(const Location &L,
                                                  Moment Before);
  /// Which bytes of a register \p I wrote: 1 each. Not those that the trace
  /// tells again because \p I wrote others of the register.
  llvm::Expected<std::vector<uint8_t>> written(const Instruction &I,
                                               const Location &L);
  /// All that \p I reads. \p Of: what it is asked for, which tells the data;
  /// null: everything is.
  llvm::Expected<std::vector<ValueOperand>> operands(const Instruction &I,
                                                     const Location *Of);
  /// Whether all that \p I writes to \p L is told by the instruction alone.
  bool isConstant(const Instruction &I, const Location &L);
  bool isStackPointer(const Location &L);

private:
  struct MemoryByte {
    uint64_t Addr;
    uint8_t Byte;
    bool Known;
  };
  static std::vector<MemoryByte> bytesOf(const Instruction &I, bool Write);
  llvm::Expected<std::optional<ValueSource>> restored(const Instruction &I,
                                                      const Location &L);
  llvm::Expected<ValueSource>
  ofRegister(const Instruction &I, const Location &L, const Operands &Ops);
  llvm::Expected<ValueSource> ofMove(const Instruction &I, const Location &L,
                                     const Operands &Ops);
  llvm::Expected<ValueSource> ofSelect(const Instruction &I, const Location &L,
                                       const Operands &Ops);
  llvm::Expected<ValueSource> ofLoad(const Instruction &I, const Location &L,
                                     const Operands &Ops,
                                     llvm::ArrayRef<MemoryByte> Bytes);
  llvm::Expected<ValueSource> ofStore(const Instruction &I, const Location &L,
                                      const Operands &Ops);
  llvm::Expected<ValueSource> ofX86(const Instruction &I, const Location &L);
  llvm::Expected<ValueSource> computed(const Instruction &I, const Location &L);
  std::optional<Location> movedFrom(const Instruction &I, const Location &L);
  std::optional<Location> widenedFrom(const Instruction &I, const Location &L,
                                      llvm::ArrayRef<ValueOperand> Read);
  llvm::Expected<std::optional<Position>> constantSince(const Instruction &I,
                                                        const Location &L);
  llvm::Expected<bool> agrees(const Location &From, const Location &To,
                              Moment When);
  llvm::Expected<bool> isVoidAnswer(Moment At, const Location &L);
  llvm::SmallVector<dataflow::Cell, 4> cellsOf(const Location &L) const;
  /// The effects of \p I that make \p L.
  llvm::SmallVector<const dataflow::Effect *, 2> makers(const Instruction &I,
                                                        const Location &L);
  bool copiesByEncoding(const Instruction &I, const Location &L);
  const dataflow::CellMap &cells() const { return Codes.cells(); }

  Session &S;
  const CallIndex *Calls;
  dataflow::StepCodes Codes;
  dataflow::BackwardSlice Searches;
};

} // namespace rw

#endif // REWIND_COMMANDS_DATAFLOW_VALUESOURCE_H
