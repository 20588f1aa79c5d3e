//===- Decoder.h - What one instruction can do -----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_RECORDER_DECODER_H
#define REWIND_RECORDER_DECODER_H

#include "core/support/NumberMap.h"
#include "scripts/recorder/Guest.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"

namespace rw::record {

/// What is known of an instruction before it runs.
struct StaticInsn {
  enum : uint16_t {
    CondBranch64 = 1, ///< A64 branch that may fall through
    Exclusive = 2,    ///< load or store exclusive
    StoreExclusive = 4,
    ZeroBlock = 8, ///< DC ZVA
    Link = 16,     ///< sets the link register to the next address
    Indirect = 32, ///< branches to an address from a register or memory
    IfThen = 64,   ///< a Thumb IT
    Jump = 128,    ///< branches, if its condition holds, maybe to the next one
  };
  /// A register that it may change. Always: it does write it, even if the value
  /// stays the same.
  struct RegCheck {
    uint8_t Reg;
    bool Always;
  };

  uint32_t Opcode = 0; ///< of a 32-bit Thumb one: first halfword on top
  uint8_t Size = 4;
  uint8_t Cond = 14;     ///< of AArch32; 14 and 15: always
  uint8_t StatusReg = 0; ///< of a store exclusive
  uint16_t Flags = 0;
  std::vector<RegCheck> Regs;
  std::string Text;
};

class Disassembler;

/// Decodes each instruction once. The registers that an instruction may change
/// are those that its encoding has room for, so none is missed if LLVM does not
/// know it; LLVM tells which are written for certain, and the text.
class Decoder {
public:
  explicit Decoder(bool Is64);
  ~Decoder();

  /// The reference holds until the next call, whatever is written meanwhile.
  const StaticInsn &decode(const Guest &G, uint64_t PC, bool IsThumb,
                           unsigned Size);

  /// To be told of writes to memory: code may have changed. A look at each of
  /// their pages, and at each byte of those that have code.
  void written(uint64_t Addr, uint64_t Size);

private:
  static constexpr uint64_t PageSize = 4096;

  bool Is64;
  std::unique_ptr<Disassembler> Arm, Thumb;
  llvm::DenseSet<uint64_t> CodePages; ///< by number; instructions begin in them
  uint64_t CodeBegin = ~0ull, CodeEnd = 0;
  NumberMap<std::unique_ptr<StaticInsn>> Known;
  std::vector<std::unique_ptr<StaticInsn>> Overwritten;
};

/// Whether an AArch32 condition holds.
bool conditionHolds(unsigned Cond, uint32_t Cpsr);

/// The next If-Then state: 0 at the end of the block.
inline uint8_t advanceIfThen(uint8_t State) {
  return (State & 7) ? (State & 0xe0) | ((State << 1) & 0x1f) : 0;
}

} // namespace rw::record

#endif // REWIND_RECORDER_DECODER_H
