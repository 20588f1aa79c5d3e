//===- LineParser.h - Lines of Tarmac to items ------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every line is first tried by the fast path (FastLines.cpp), which knows the
// few shapes that nearly all lines of nearly all traces have, and does nothing
// if the line is not exactly such a shape. The slow path (SlowParser.cpp) knows
// all of the grammar.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_TARMAC_LINEPARSER_H
#define REWIND_FORMATS_TARMAC_LINEPARSER_H

#include "core/formats/tarmac/Chunk.h"
#include "core/formats/tarmac/LineText.h"
#include "core/formats/tarmac/Names.h"
#include "core/formats/tarmac/Scan.h"
#include "llvm/ADT/StringMap.h"

namespace rw::tarmac {

struct ParserOptions {
  bool BigEndian = false;
  bool ImplicitThumb = false;
};

class RegisterValue;
constexpr unsigned MaxMalformed =
    16; ///< kept with their place; more only count

/// Parses chunks, one after the other. Keeps what it learned about names
/// between chunks; else a chunk is parsed the same whoever parses it and
/// whatever it parsed before.
class LineParser {
public:
  LineParser(const ParserOptions &Options, const SharedNames &Names)
      : Options(Options), Names(Names) {}

  /// Fills C.Parsed from C's text.
  void parse(Chunk &C);

  /// Whether a chunk may begin with this line: it is an instruction, and says
  /// by itself when or where.
  bool isCutPoint(const char *Line, const char *End);

  /// The instruction set of the first instruction in \p Text (padded), and in
  /// \p Recognised the number of lines that are certainly Tarmac.
  ISA examine(const char *Text, const char *End, unsigned &Recognised,
              unsigned &Lines);

  /// Parses one line, which ends before the newline at \p End, of a CPU with
  /// all context known: for the tracker. \p LastKind and \p Column tell of the
  /// line before as ParsedChunk does. The items are left in \p Out's batch.
  void parseDeferred(const char *Line, const char *End, CpuState &State,
                     uint8_t Thread, uint8_t LastKind, uint32_t Column,
                     bool IsCut, ParsedChunk &Out);

private:
  // --- FastLines.cpp: the fast path.
  const char *fastLine(const char *P);
  const char *fastPrefix(const char *P);
  const char *fastInsn(const char *Q);
  const char *fastES(const char *Q);
  const char *fastRegister(const char *Q);
  const char *fastMemory(const char *Q, bool Write, unsigned Size,
                         const char *AfterKind);
  const char *fastDiagram(const char *Line, const char *Q, bool Write);
  bool matchCpu(const char *&Q);

  // --- What both paths do: LineItems.cpp, ParserNames.cpp.
  void begin(Chunk *C, ParsedChunk &Out);
  void parseCutLine(const char *P);
  InsnItem &beginInsn(uint64_t PC, bool Timed);
  void closeInsn();
  void finishInsn(InsnItem &I, uint64_t Opcode, unsigned OpcodeDigits, ISA Isa);
  void setTime(uint64_t T);
  void addReg(uint16_t Lane, uint64_t Value, uint8_t Written,
              uint8_t Unknown = 0) {
    RegItem R;
    R.Value = Value;
    R.Lane = Lane;
    R.Written = Written;
    R.Unknown = Unknown;
    R.Thread = Cur;
    Batch->Regs.push_back(R);
  }
  void addMem(uint64_t Addr, uint64_t Value, uint64_t Real, uint8_t Size,
              uint8_t Flags, uint8_t Known) {
    MemItem M;
    M.Addr = Addr;
    M.Value = Value;
    M.Real = Real;
    M.Size = Size;
    M.Flags = Flags;
    M.Known = Known;
    Batch->Mems.push_back(M);
  }
  /// One access of up to 64 bytes in memory order, split as ItemBatch wants it.
  void addAccess(uint64_t Addr, uint64_t Real, unsigned Size, uint8_t Flags,
                 const uint8_t *Bytes, const bool *Known);
  void write32(uint8_t Lane, uint32_t Value, uint8_t Unknown, uint8_t Written);
  void writeFloat(const RegDesc &D, uint64_t Value, uint8_t Written,
                  uint8_t Unknown);
  uint16_t bankLane(uint8_t Bank);
  void writeBanked(uint8_t Bank, uint64_t Value, uint8_t Written,
                   uint8_t Unknown);
  void setBank(uint8_t Bank, uint64_t Value, uint8_t Written, uint8_t Unknown);
  void setMode(Mode M);
  void selectBank(unsigned Slot, uint8_t Bank);
  void setCpu(uint8_t Number);

  struct LocalName {
    std::string Name;
    uint16_t Lane = 0; ///< 0: not met in this chunk, not in the snapshot
    uint16_t Lanes = 1;
    uint16_t Size = 0; ///< largest seen by this parser
    uint32_t Epoch = 0;
  };
  /// A register name as the parser remembers it.
  struct KnownName {
    RegDesc Desc;
    uint32_t Local = ~0u; ///< number of its LocalName
  };
  const KnownName &lookUp(llvm::StringRef Name, llvm::StringRef Bank);
  const KnownName *fastLookUp(const char *P, unsigned Length);
  uint32_t localName(llvm::StringRef Name, unsigned Lanes);
  /// The lane of a named register, or 0 if there are too many.
  uint16_t laneOf(uint32_t Local, unsigned Size);
  bool useCpu(llvm::StringRef Name);

  // --- SlowParser.cpp: the whole grammar.
  const char *slowLine(const char *P);
  void slowParse(LineText T);
  bool parseTime(LineText &T);
  void parseRecord(LineText T, llvm::StringRef Kind);
  void parseIT(LineText T, llvm::StringRef Kind);
  void parseES(LineText T);
  void parseInsn(LineText T, uint64_t PC, llvm::StringRef Opcode,
                 bool Executed);
  void parseException(LineText T, bool AfterES);
  static bool looksLikeException(LineText T);
  void parseEvent(LineText T);
  void parseRegister(LineText T);
  void writeRegister(const KnownName &K, const RegisterValue &V, bool Range);
  void writeLanes(uint16_t Lane, const RegisterValue &V, unsigned From,
                  unsigned Lanes);
  void parseMemory(LineText T, llvm::StringRef Kind);
  bool parseDiagram(LineText T, bool Write, bool MustFit);
  void ignore(llvm::StringRef Kind);
  /// Counts the line as malformed, or as cut if it has no end. Returns false.
  bool malformed(const llvm::Twine &What);
  /// True, and counted so, if this is a line without end that \p Lacks what
  /// such a line has when it is whole.
  bool isCut(bool Lacks) { return OnCutLine && Lacks && !malformed(""); }
  bool needsContext() const { return Deferring && !State->SeenInsn; }
  /// Leaves the line to the tracker.
  void defer(const char *Line);

  const ParserOptions Options;
  const SharedNames &Names;
  NameSnapshot Snapshot;

  // Names, kept from chunk to chunk.
  llvm::StringMap<KnownName> NameCache; ///< "name" or "name(bank)"
  std::vector<LocalName> LocalNames;
  llvm::StringMap<uint32_t> LocalByName;
  uint32_t Epoch = 0; ///< number of the chunk, to notice stale lanes
  struct QuickName {
    uint64_t K0 = 0, K1 = 0;
    const KnownName *Known = nullptr;
  };
  std::array<QuickName, 256> Quick;
  std::array<uint32_t, NumBanks> BankLocals = filled();
  static std::array<uint32_t, NumBanks> filled() {
    std::array<uint32_t, NumBanks> A;
    A.fill(~0u);
    return A;
  }

  // The chunk at hand.
  Chunk *Current = nullptr;
  ParsedChunk *Out = nullptr;
  ItemBatch *Batch = nullptr;
  const char *End = nullptr;
  uint64_t LineNo = 0;
  uint64_t InsnLine = 0; ///< line of the last instruction
  uint32_t RegBegin = 0, MemBegin = 0;
  uint8_t Cur = InheritedCpu; ///< CPU of this line
  CpuState *State = nullptr;  ///< its state
  bool NamedCpus = false;
  bool Timed = false; ///< this line has a timestamp
  bool Deferring = true;
  uint16_t ProvisionalLanes = 0;
  uint64_t Time = 0, MaxTime = 0;

  // The prefix (time, unit, CPU) of the last timed line, if it is short.
  uint64_t Prefix0 = 0, Prefix1 = 0, PrefixMask0 = 0, PrefixMask1 = 0;
  unsigned PrefixLength = 0;
  uint8_t PrefixCpu = 0;
  // The unit as it stood in the last timed line, with the blank behind it.
  uint32_t UnitRaw = 0, UnitMask = 0;
  unsigned UnitLength = 0;

  // The mode of each CPU's last instruction, as text.
  struct ModeText {
    uint64_t Raw = 0, RawTail = 0; ///< 8 bytes from its start, 8 to the colon
    int8_t Colon = -1; ///< distance of the colon; -1: no such text yet
  };
  std::array<ModeText, MaxThreads> Modes;

  // A line that may go on in the next.
  uint64_t ContinuesAt = 0; ///< number of the line that may be a continuation
  uint32_t ContinuesColumn = 0;
  bool ContinuesWrite = false;
  bool DeferredContinuation = false;

  const char *LineStart = nullptr; ///< of the line in the slow path
  bool OnCutLine = false;          ///< it is the last, and has no end
  bool LastIsCut = false;
  uint64_t PlainResetAt = 0; ///< number of a line "ES  Reset"
  ParsedChunk Scratch;       ///< for looking ahead
};

} // namespace rw::tarmac

#endif // REWIND_FORMATS_TARMAC_LINEPARSER_H
