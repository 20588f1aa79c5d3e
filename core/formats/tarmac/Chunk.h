//===- Chunk.h - A piece of a Tarmac trace and what is in it ----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_TARMAC_CHUNK_H
#define REWIND_FORMATS_TARMAC_CHUNK_H

#include "core/formats/tarmac/RegisterNames.h"
#include "core/model/ItemBatch.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rw::tarmac {

/// The last known value of a banked register.
struct BankValue {
  uint64_t Value = 0;
  uint8_t Unknown = 0; ///< mask of bytes
};

/// What the meaning of a CPU's next line depends on. A parser begins a chunk
/// with an empty one and fills in what it sees; the tracker has the true one.
struct CpuState {
  bool SeenInsn = false; ///< the fields below are true, not just unknown yet
  ISA Isa = ISA::Unknown;
  rw::tarmac::Mode Mode = rw::tarmac::Mode::Unknown;
  uint64_t Opcode = 0;          ///< of its last instruction, 0 if not known
  Selection OfMode;             ///< banks that Mode selects
  Selection Selected;           ///< the last ones that any mode selected
  uint8_t ThreadStack = NoBank; ///< M profile: the bank that was reported last
                                ///< in thread mode
  uint64_t BanksKnown = 0;      ///< bit per bank whose value is in Banks
  std::array<BankValue, NumBanks> Banks;
};
static_assert(NumBanks <= 64);

/// One of the four fields of a Selection.
enum BankSlot : uint8_t { SlotSP64, SlotSP32, SlotLR32, SlotR8, NumSlots };
uint8_t &slotOf(Selection &S, unsigned Slot);

/// The CPU changed to another bank here, if it did not have it already; the
/// current register then has the value of that bank. Recorded where the parser
/// cannot decide it because that depends on what came before the chunk.
struct BankCheck {
  uint32_t RegIndex, InsnCount;
  uint8_t Cpu, Slot;
  uint8_t From;    ///< the bank it had; NoBank: as before the chunk
  uint8_t To;      ///< the bank it has now, or ThreadStackBank
  bool ValueKnown; ///< the chunk itself told the value of that bank
  bool Banked;     ///< the chunk itself told some bank of this register
  BankValue Value;
};
/// In place of a bank: the stack that M-profile thread mode used last.
constexpr uint8_t ThreadStackBank = 0xfe;
/// A line's CPU: that of the line before, which is not in the chunk.
constexpr uint8_t InheritedCpu = 0xff;

/// A line that cannot be understood without what came before the chunk.
struct DeferredLine {
  const char *Begin; ///< in the chunk's text
  uint64_t Line;     ///< number in the chunk, from 1
  uint32_t RegIndex, MemIndex, InsnCount;
  uint8_t Cpu;
};

struct ParsedChunk {
  ItemBatch Batch;
  uint64_t Lines = 0;

  std::vector<std::string> CpuNames; ///< by local number; "": without a name
  std::vector<CpuState> Cpus;
  uint8_t LastCpu = InheritedCpu;
  unsigned SnapshotCpus = 0; ///< so many local numbers are final ones

  /// Instructions before the first timestamp: their time is that before.
  uint32_t UntimedInsns = 0;
  bool HasTime = false;
  uint64_t FirstTime = 0, LastTime = 0; ///< timestamps, if HasTime
  uint64_t MaxTime = 0;
  bool TimeWentBack = false;

  std::vector<BankCheck> Checks;
  std::vector<DeferredLine> Deferred;
  std::vector<uint32_t> SemihostingCalls; ///< numbers of instructions

  struct NewName {
    std::string Name;
    uint16_t Lane = 0, Lanes = 1; ///< provisional
  };
  std::vector<NewName> NewNames;
  std::vector<std::pair<std::string, uint16_t>> NewSizes;
  std::vector<std::pair<std::string, std::string>> NewAliases;

  struct IgnoredKind {
    uint64_t Count = 0, Order = 0; ///< Order: of the kinds' first lines
  };
  std::map<std::string, IgnoredKind> Ignored;
  std::vector<MalformedLine> Malformed; ///< Line and Offset within the chunk
  uint64_t NumMalformed = 0;

  // What kinds of thing there were.
  bool MemValues = false, RealAddresses = false, Opcodes = false;
  bool SawA64 = false, SawA32 = false;
  bool SawES = false, SawIT = false, Header = false;
  uint64_t SpecialLanes = 0; ///< those below 64 that AArch64 does not have
  uint64_t LoadsLoggedAsWrites = 0;
  uint64_t NumBranchLines = 0; ///< BR lines: ignored, but very frequent
  std::string Unit;
  bool UnitsDiffer = false;
  uint8_t LastLineKind = 0;       ///< 1 LD, 2 ST: the next may continue it...
  uint32_t LastAddressColumn = 0; ///< ...if it begins in this column
  uint64_t CutLine = 0;           ///< number of the last line, if it was cut

  void clear();
};

/// A run of whole lines, and what the parser made of it.
struct Chunk {
  uint64_t Offset = 0; ///< of the first byte in the decompressed trace
  std::unique_ptr<char[]> Text;
  size_t Size = 0;     ///< there are SlackBytes more, beginning with '\n'
  size_t Capacity = 0; ///< without the slack
  bool Last = false;
  bool EndsInNewline = true;
  ParsedChunk Parsed;

  const char *begin() const { return Text.get(); }
  const char *end() const { return Text.get() + Size; }
  /// Makes room for \p NewCapacity bytes and slack, keeping the first Size.
  void reserve(size_t NewCapacity);
  /// Fills the slack, so that no scan runs on.
  void seal();
};

} // namespace rw::tarmac

#endif // REWIND_FORMATS_TARMAC_CHUNK_H
