//===- TraceStore.h - Questions to an indexed trace -------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A TraceStore answers questions about a trace from the index on disk, without
// the trace. Opening maps the file and reads its directory; nothing is loaded.
//
// All queries are const, keep no state and may be called from several threads.
// An Error always means that the store is damaged (its text names the place):
// an answer that does not exist is an empty optional.
//
// "before M" means moments < M, "after M" means moments > M; nothing is before
// BeforeTrace, and all is after it. Costs: B is a
// block (some hundred instructions), n the length of the trace.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_TRACESTORE_H
#define REWIND_STORE_TRACESTORE_H

#include "core/store/StoreAnswers.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <array>
#include <memory>
#include <optional>

namespace rw {

class TraceStore {
public:
  /// Opens a store. Fails with a clear message if \p Path is no store, of
  /// another version, truncated or damaged. Cost: milliseconds at any size.
  static llvm::Expected<std::unique_ptr<TraceStore>> open(llvm::StringRef Path);
  ~TraceStore();

  const TraceHeader &header() const;
  const RegisterFile &registerFile() const;
  uint64_t storeBytes() const;
  /// As it was opened, whatever has become of its file since.
  llvm::ArrayRef<uint8_t> bytes() const;
  struct StoreIdentity identity() const;
  /// The trace that it was made from.
  const struct SourceStamp &source() const;

  // Extent.
  uint64_t numInstructions() const; ///< of all threads: moments 0..n-1
  unsigned numThreads() const;
  uint64_t numInstructions(ThreadIndex T) const;

  // Moments and positions. O(log n + B).
  llvm::Expected<Moment> momentOf(ThreadIndex T, Position P) const;
  /// Number of instructions of \p T before \p M: where T stands at M.
  llvm::Expected<Position> positionOf(ThreadIndex T, Moment M) const;
  llvm::Expected<ThreadIndex> threadAt(Moment M) const;
  /// That thread, and the instruction at \p M among its own.
  llvm::Expected<std::pair<ThreadIndex, Position>> positionAt(Moment M) const;

  // Time and lines. O(log n + B). Time never falls with the moment: where a
  // trace's clock goes back, it is held.
  llvm::Expected<std::optional<uint64_t>> timeAt(Moment M) const;
  /// The first instruction whose time is told: each from it on has one.
  /// numInstructions() if none has.
  Moment firstTimed() const;
  uint64_t firstTime() const;
  uint64_t lastTime() const;
  /// First instruction whose time is >= \p Time; numInstructions() if none.
  llvm::Expected<Moment> momentAtTime(uint64_t Time) const;
  /// The instruction that line \p Line belongs to.
  llvm::Expected<std::optional<Moment>> momentAtLine(uint64_t Line) const;
  /// 1-based line of the instruction, 0 if the trace is not a text.
  llvm::Expected<uint64_t> lineAt(Moment M) const;

  // Instructions.
  llvm::Expected<Instruction> instruction(Moment M) const; ///< O(log n + B)
  std::unique_ptr<InstructionCursor> cursor(bool WithEffects) const;

  // State before instruction M. M == numInstructions(): after the last one.
  /// Floating-point registers may cost some microseconds each: those that
  /// memory was known to hold when they were loaded are looked up there.
  enum class RegisterSet {
    All,
    General ///< floating-point registers may be left unknown
  };
  llvm::Expected<RegisterState>
  registersAt(ThreadIndex T, Moment M,
              RegisterSet Set = RegisterSet::All) const;
  /// Fills \p Bytes from \p Addr on and \p Known (same size, 0 or 1 each).
  /// Unknown bytes are left alone.
  llvm::Error memoryAt(Moment M, uint64_t Addr,
                       llvm::MutableArrayRef<uint8_t> Bytes,
                       llvm::MutableArrayRef<uint8_t> Known) const;
  llvm::Expected<ByteOrigin> memoryOrigin(Moment M, uint64_t Addr) const;

  // Writes of registers: of any byte in \p Mask of \p Lane of thread \p T.
  // A result of BeforeTrace means: what the trace told before its first
  // instruction (a register dump). OrTold: or the last effect that is no write
  // (RegItem::NotWritten) but told what is known of it.
  llvm::Expected<std::optional<Moment>>
  lastRegisterWrite(ThreadIndex T, unsigned Lane, uint8_t Mask, Moment Before,
                    bool OrTold = false) const;
  llvm::Expected<std::optional<Moment>> nextRegisterWrite(ThreadIndex T,
                                                          unsigned Lane,
                                                          uint8_t Mask,
                                                          Moment After) const;

  // Accesses to any byte of [Addr, Addr + Size) by any thread.
  llvm::Expected<std::optional<Moment>> lastAccess(uint64_t Addr, uint64_t Size,
                                                   AccessKind Kind,
                                                   Moment Before) const;
  llvm::Expected<std::optional<Moment>>
  nextAccess(uint64_t Addr, uint64_t Size, AccessKind Kind, Moment After) const;
  // Accesses that went to any byte of real memory [Real, Real + Size), at
  // whatever effective address. Cost: a search for each effective page that
  // the real page was ever seen at, and for each access there while it was
  // mapped to another one.
  llvm::Expected<std::optional<Moment>> lastRealAccess(uint64_t Real,
                                                       uint64_t Size,
                                                       AccessKind Kind,
                                                       Moment Before) const;
  llvm::Expected<std::optional<Moment>> nextRealAccess(uint64_t Real,
                                                       uint64_t Size,
                                                       AccessKind Kind,
                                                       Moment After) const;
  /// The effective address at which the instruction \p When accessed the real
  /// one; none if it did not. If it accessed only later bytes, where \p Real
  /// would have been.
  llvm::Expected<std::optional<uint64_t>>
  realAccess(Moment When, uint64_t Real, uint64_t Size, AccessKind Kind) const;
  /// All ranges of memory of which anything is known anywhere in the trace:
  /// calls \p F with (address, size) in ascending order until it returns false.
  llvm::Error
  forEachTouchedRange(llvm::function_ref<bool(uint64_t, uint64_t)> F) const;
  /// The addresses of the granules (8 aligned bytes) that were written by
  /// instructions in [From, To), ascending.
  llvm::Expected<std::vector<uint64_t>> writtenGranules(Moment From,
                                                        Moment To) const;

  // Visits of a pc, by thread \p T or, without, by any. Also counts
  // instructions whose condition failed (Insn.Flags tells).
  llvm::Expected<std::optional<Moment>>
  lastVisit(uint64_t PC, Moment Before,
            std::optional<ThreadIndex> T = std::nullopt) const;
  llvm::Expected<std::optional<Moment>>
  nextVisit(uint64_t PC, Moment After,
            std::optional<ThreadIndex> T = std::nullopt) const;
  /// As nextVisit, but may answer \p From itself.
  llvm::Expected<std::optional<Moment>>
  visitAtOrAfter(uint64_t PC, Moment From,
                 std::optional<ThreadIndex> T = std::nullopt) const;
  /// The distinct pcs of the trace, ascending. Cost: number of pcs.
  std::vector<uint64_t> distinctPCs() const;
  /// Calls \p F with every way that some instruction was executed: as in
  /// Instruction::Insn (without time and thread), and the registers that the
  /// trace told it to write then. Cost: number of those ways.
  void forEachKind(
      llvm::function_ref<void(const InsnItem &, llvm::ArrayRef<LaneBytes>)> F)
      const;
  /// An opcode executed at \p PC anywhere in the trace, and its size.
  struct Code {
    uint64_t Opcode = 0;
    uint8_t Size = 0;
    ISA Isa = ISA::Unknown;
    bool operator==(const Code &) const = default;
  };
  std::optional<Code> codeAt(uint64_t PC) const;
  /// The condition of the IT block that a T32 instruction is in.
  uint8_t itCondition(const InsnItem &I) const;
  /// All of them: code that changes has several.
  llvm::SmallVector<Code, 1> codesAt(uint64_t PC) const;
  /// At most \p Most pcs whose opcodes are known, ascending, from the whole
  /// trace; all if there are not more. Cost: a look at some times \p Most
  /// static instructions.
  std::vector<uint64_t> somePCs(size_t Most) const;
  /// The program's bytes from \p Addr on, up to \p Size or to where they are no
  /// longer known; mapped. Only traces of x86-64 have them. O(log n).
  llvm::ArrayRef<uint8_t> codeBytes(uint64_t Addr, uint64_t Size) const;

  // Events, in order.
  uint64_t numEvents() const;
  /// By kind; looks at all of them.
  std::array<uint64_t, NumEventKinds> countEvents() const;
  llvm::Expected<StoredEvent> event(uint64_t Index) const;
  /// Index of the first event that happened before an instruction >= \p M.
  llvm::Expected<uint64_t> firstEventFrom(Moment M) const;

  /// A further section that another room put into the store ("calls", "htr"),
  /// mapped, its checksum checked; empty if there is none.
  llvm::Expected<llvm::ArrayRef<uint8_t>> section(llvm::StringRef Name) const;

  /// The nearest line at or before that of \p M whose place in the
  /// (uncompressed) trace file is known; some MiB away at most. Line is
  /// 1-based.
  struct FilePlace {
    uint64_t Line = 1;
    uint64_t Offset = 0;
  };
  llvm::Expected<FilePlace> filePlaceNear(Moment M) const;

  struct Impl; ///< for the store's own files

private:
  TraceStore();
  llvm::Expected<std::optional<Moment>> searchReal(uint64_t Real, uint64_t Size,
                                                   AccessKind Kind, Moment From,
                                                   bool Forward) const;
  std::unique_ptr<Impl> I;
};

} // namespace rw

#endif // REWIND_STORE_TRACESTORE_H
