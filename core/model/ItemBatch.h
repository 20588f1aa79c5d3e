//===- ItemBatch.h - What readers hand to sinks -----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one interface between trace formats and everything behind them. A reader
// turns a file into batches of items in trace order; a sink (the store builder,
// a naive model in a test, a converter) consumes them.
//
// The items of a batch are kept in parallel arrays: instructions in order, and
// the register and memory effects of all instructions, in order, each
// instruction owning the next NumRegs and NumMems of them. There is no
// allocation per item.
//
// Invariants:
//  1. The effects of instruction i are those that the trace reports from its
//     own line up to the next instruction of any thread.
//  2. Effects, lines and events that come before the first instruction of a
//     batch belong to the last instruction of the batch before. In the first
//     batch they are the initial state (moment BeforeTrace).
//  3. An effect applies to the thread of its instruction, unless a reader says
//     otherwise through RegItem::Thread.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_MODEL_ITEMBATCH_H
#define REWIND_MODEL_ITEMBATCH_H

#include "core/model/Types.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace rw {

struct InsnItem {
  enum : uint8_t {
    Executed = 1,    ///< clear: its condition failed, it had no effect
    OpcodeKnown = 2, ///< Opcode was in the trace
    TimeKnown = 4,   ///< Time was in the trace (else it repeats the last one)
  };
  uint64_t PC = 0;     ///< without Thumb bit
  uint64_t Opcode = 0; ///< logical value; PPC prefix (and T32 first halfword)
                       ///< in the upper half; x86-64: its first 8 bytes, the
                       ///< first one lowest (all are in TraceHeader::Code)
  uint64_t Time = 0;   ///< in the trace's own unit (TraceHeader::TimeUnit)
  uint32_t Lines = 0;  ///< text lines from this one to the next instruction's
  uint16_t NumRegs = 0;
  uint16_t NumMems = 0;
  uint8_t Size = 0; ///< bytes in memory
  ISA Isa = ISA::Unknown;
  uint8_t Flags = Executed;
  uint8_t Thread = 0; ///< index in the trace's thread table; at most 256
};

/// A write to one 8-byte lane of a thread's register file. A register wider
/// than 8 bytes is several lanes (see arch/RegisterFile.h).
struct RegItem {
  enum : uint8_t {
    /// The trace does not tell the value: it follows from the code.
    Inferred = 1,
    /// The instruction does not write the register. It shows what is in it (an
    /// address, a jump), or from here on it is not known any more (a gap).
    NotWritten = 2,
  };
  uint64_t Value = 0; ///< bytes at their place in the lane; 0 outside Written
  uint16_t Lane = 0;
  uint8_t Written = 0; ///< mask of the bytes of the lane that were written
  uint8_t Unknown = 0; ///< mask of written bytes whose new value is not known
  uint8_t Thread = 0;  ///< the thread whose register it is
  uint8_t Flags = 0;
};

/// One memory access of at most 8 bytes. A longer one is several items, of
/// which all but the first have Joined set. Items ascend in address within one
/// access.
struct MemItem {
  enum : uint8_t {
    Write = 1,
    Joined = 2, ///< continues the access of the item before
    Exclusive = 4,
    NoValue = 8,  ///< the trace tells the address but no value
    Implied = 16, ///< not in the trace: what a semihosting call may have
                  ///< written (always Write|NoValue; any Size up to 8)
  };
  uint64_t Addr = 0;  ///< effective (virtual) address
  uint64_t Value = 0; ///< byte k of memory at bits 8k..8k+7, whatever the
                      ///< trace's byte order
  uint64_t Real = 0;  ///< real (physical) address, ~0 if not known
  uint8_t Size = 0;
  uint8_t Flags = 0;
  uint8_t Known = 0; ///< mask of bytes whose value is known; 0 if NoValue
};

struct EventItem {
  uint32_t Before = 0; ///< it happened before this instruction of the batch;
                       ///< equal to the number of instructions: at its end
  EventKind Kind = EventKind::Error;
  uint8_t Thread = 0;
  uint64_t PC = ~uint64_t(0); ///< where, if the trace says so
  uint64_t Value = 0;         ///< exception number, mark value, CPU number,
                              ///< what EventKind says
  std::string Text;           ///< as a person should read it
};

class CodeTable;

/// An execution of a sequence of instructions that is in a CodeTable.
struct FlowItem {
  uint64_t Time = 0; ///< if its instructions have TimeKnown
  uint32_t Sequence = 0;
  uint8_t Thread = 0;
};

/// Where an access of such an execution went; of the MemItem in the CodeTable,
/// all else.
struct FlowPlace {
  uint64_t Addr = 0;
  uint64_t Real = ~uint64_t(0);
};

struct ItemBatch {
  std::vector<InsnItem> Insns;
  std::vector<RegItem> Regs;
  std::vector<MemItem> Mems;
  std::vector<EventItem> Events;
  /// Instead of Insns, Regs and Mems: executions of sequences of *Code, which
  /// the reader keeps until the trace is finished. EventItem::Before then
  /// counts flow items. Only for sinks that take it.
  std::vector<FlowItem> Flow;
  /// The first batch has it, or none. A trace that has one tells nothing of
  /// what is in memory: no access of it has a Known byte.
  const CodeTable *Code = nullptr;
  /// What all executions tell, in order: the values of the register effects
  /// that have one (Written is not Unknown), and the places of the accesses.
  std::vector<uint64_t> FlowValues;
  std::vector<FlowPlace> FlowPlaces;
  /// Effects before the first instruction (invariant 2): the first LeadRegs of
  /// Regs and LeadMems of Mems, and this many text lines.
  uint32_t LeadRegs = 0, LeadMems = 0, LeadLines = 0;
  /// Byte offset in the (uncompressed) trace of the batch's first byte.
  uint64_t FileOffset = 0;

  void clear() {
    Insns.clear();
    Regs.clear();
    Mems.clear();
    Events.clear();
    Flow.clear();
    FlowValues.clear();
    FlowPlaces.clear();
    LeadRegs = LeadMems = LeadLines = 0;
    FileOffset = 0;
  }
};

/// What kinds of question a trace can answer at all.
struct Capabilities {
  bool Registers = false;      ///< register values
  bool RegisterWrites = false; ///< which registers are written, at least; also
                               ///< if Registers
  bool MemAddresses = false;   ///< addresses of accesses
  bool MemValues = false;      ///< values of accesses
  bool RealAddresses = false;  ///< real addresses of accesses
  bool Opcodes = false;        ///< opcodes of instructions
  bool Time = false;
  bool Lines = false; ///< it is a text: positions have line numbers
};

struct ThreadInfo {
  std::string Name; ///< "cpu0", "tid 4711"; empty in a single-thread trace
  uint64_t Id = 1;  ///< what the debugger shows as thread id; unique, not 0
};

/// A register that the architecture's table does not have (a system register
/// that the trace named). Its lane is Lane, and the following ones if wider.
struct NamedRegister {
  std::string Name;
  uint16_t Lane = 0;
  uint16_t Size = 8; ///< bytes
};

/// A file that was mapped when the trace was recorded.
struct ModuleInfo {
  std::string Path;         ///< where it is now
  std::string Recorded;     ///< where it was, as the trace says
  std::string BuildId;      ///< hex digits; empty if not told
  uint64_t LoadAddress = 0; ///< of its lowest segment
  uint64_t Bytes = 0;       ///< that it takes there; 0 if not known
};

/// Bytes of the program, where no opcodes of fixed size tell them.
struct CodeRange {
  uint64_t Address = 0;
  std::vector<uint8_t> Bytes;
};

/// A line that a reader could not use, and where.
struct MalformedLine {
  uint64_t Line = 0;   ///< 1-based; 0 where the format has no lines
  uint64_t Offset = 0; ///< byte offset
  std::string What;    ///< what was expected
};

/// What is known of a trace when its last batch has been consumed.
struct TraceHeader {
  std::string Format; ///< "tarmac", "htm", "intelpt", "qtrace"
  Arch Architecture = Arch::Unknown;
  ByteOrder Order = ByteOrder::Little;
  std::string TimeUnit; ///< "clk", "ns", "tsc"...; empty: no time at all
  Capabilities Can;
  std::vector<ThreadInfo> Threads;
  std::vector<NamedRegister> NamedRegisters;
  std::vector<ModuleInfo> Modules; ///< if the trace names them
  /// What was executed, ascending, disjoint: for x86-64, whose instructions do
  /// not fit InsnItem::Opcode.
  std::vector<CodeRange> Code;
  /// Lines (or records) of kinds that the reader does not know: kind, count.
  std::vector<std::pair<std::string, uint64_t>> Ignored;
  /// The first few malformed ones, and how many there were.
  std::vector<MalformedLine> Malformed;
  uint64_t NumMalformed = 0;
  uint64_t TotalLines = 0;
  /// Free text about how the trace was understood ("dialect" -> "ES").
  std::vector<std::pair<std::string, std::string>> Notes;
};

/// Consumes a trace. Errors end the reading and are handed to the user.
class TraceSink {
public:
  virtual ~TraceSink() = default;
  /// Whether batches may have Flow in place of Insns. If not, the reader
  /// expands it (expandFlow).
  virtual bool takesFlow() const { return false; }
  /// Batches come in trace order. The sink may swap out the vectors; the caller
  /// clears the batch before it fills it again.
  virtual llvm::Error consume(ItemBatch &Batch) = 0;
  /// Called once, after the last batch.
  virtual llvm::Error finish(const TraceHeader &Header) = 0;
};

} // namespace rw

#endif // REWIND_MODEL_ITEMBATCH_H
