//===- CursorReader.cpp - Traces that LLDB has loaded itself --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/CursorReader.h"
#include "core/formats/intelpt/UnwindTables.h"
#include "core/model/LossNotes.h"
#include "lldb/API/LLDB.h"
#include "plugin/TargetSymbols.h"
#include "llvm/ADT/StringExtras.h"

using namespace rw;
using namespace lldb;

const CursorReader::Known &CursorReader::codeAt(uint64_t PC) {
  auto [It, New] = Code.try_emplace(PC);
  Known &K = It->second;
  if (!New)
    return K;
  uint8_t Bytes[X86Insn::MaxSize];
  SBError Error;
  // At the end of a section there may be less.
  size_t N =
      Target.ReadMemory(SBAddress(PC, Target), Bytes, sizeof(Bytes), Error);
  X86Insn I = Decoder.decode(llvm::ArrayRef(Bytes, N));
  K.Insn.PC = PC;
  K.Insn.Isa = ISA::X86_64;
  if (I.Size == 0) {
    // It has some length; which, nobody knows.
    K.Insn.Size = 1;
    ++NoCode;
    return K;
  }
  K.Insn.Size = I.Size;
  K.Insn.Opcode = I.Opcode;
  K.Insn.Flags |= InsnItem::OpcodeKnown;
  K.Insn.NumRegs = uint16_t(I.Writes.size());
  K.Writes = I.Writes.vec();
  K.Bytes.assign(Bytes, Bytes + I.Size);
  return K;
}

llvm::Error CursorReader::readThread(SBThread Thread, uint8_t Number,
                                     TraceSink &Sink) {
  SBError Error;
  SBTraceCursor Cursor = Target.GetTrace().CreateNewCursor(Error, Thread);
  if (Error.Fail() || !Cursor.IsValid())
    return llvm::createStringError(
        "LLDB does not give the trace of thread " +
        llvm::Twine(Thread.GetThreadID()) + ": " +
        (Error.GetCString() ? Error.GetCString() : "no reason given"));
  Cursor.Seek(0, eTraceCursorSeekTypeEnd);
  const uint64_t Total = Cursor.HasValue() ? Cursor.GetId() + 1 : 0;
  Cursor.SetForwards(true);
  Cursor.Seek(0, eTraceCursorSeekTypeBeginning);

  ItemBatch Batch;
  auto Event = [&](EventKind Kind, std::string Text, uint64_t Value = 0) {
    EventItem E;
    E.Before = uint32_t(Batch.Insns.size());
    E.Kind = Kind;
    E.Thread = Number;
    E.Value = Value;
    E.Text = std::move(Text);
    Batch.Events.push_back(std::move(E));
  };
  auto Flush = [&](uint64_t Done) -> llvm::Error {
    if (llvm::Error E = Progress.step("reading LLDB's trace", Done, Total))
      return E;
    llvm::Error E = Sink.consume(Batch);
    Batch.clear();
    return E;
  };
  for (uint64_t Done = 0; Cursor.HasValue(); Cursor.Next(), ++Done) {
    if (Done % 16384 == 16383)
      if (llvm::Error E = Flush(Done))
        return E;
    // The accessors of the other kinds abort the debugger.
    switch (Cursor.GetItemKind()) {
    case eTraceItemKindInstruction: {
      const Known &K = codeAt(Cursor.GetLoadAddress());
      Batch.Insns.push_back(K.Insn);
      Batch.Insns.back().Thread = Number;
      for (RegItem R : K.Writes) {
        R.Thread = Number;
        Batch.Regs.push_back(R);
      }
      break;
    }
    case eTraceItemKindError:
      Event(EventKind::Gap, Cursor.GetError() ? Cursor.GetError() : "");
      break;
    case eTraceItemKindEvent:
      switch (Cursor.GetEventType()) {
      case eTraceEventDisabledSW:
        Event(EventKind::Pause, "software disabled tracing", 1);
        break;
      case eTraceEventDisabledHW:
        Event(EventKind::Pause, "hardware disabled tracing");
        break;
      case eTraceEventCPUChanged:
        Event(EventKind::CpuChange, "", Cursor.GetCPU());
        break;
      case eTraceEventHWClockTick:
        ++Ticks;
        break;
      case eTraceEventSyncPoint:
        ++SyncPoints;
        break;
      }
      break;
    }
  }
  return Flush(Total);
}

/// The bytes of instructions, as ranges. Code that was jumped into the middle
/// of an instruction overlaps; the bytes are the same.
static std::vector<CodeRange>
ranges(const std::map<uint64_t, llvm::ArrayRef<uint8_t>> &Code) {
  std::vector<CodeRange> Ranges;
  for (auto &[PC, Bytes] : Code) {
    uint64_t End =
        Ranges.empty() ? 0 : Ranges.back().Address + Ranges.back().Bytes.size();
    if (Ranges.empty() || PC > End)
      Ranges.push_back({PC, Bytes.vec()});
    else if (PC + Bytes.size() > End)
      llvm::append_range(Ranges.back().Bytes, Bytes.drop_front(End - PC));
  }
  return Ranges;
}

std::vector<ModuleInfo> CursorReader::modules() {
  std::vector<ModuleInfo> Modules;
  for (uint32_t I = 0; I < Target.GetNumModules(); ++I) {
    SBModule M = Target.GetModuleAtIndex(I);
    ModuleInfo Info;
    Info.Path = pathOf(M.GetFileSpec());
    Info.Recorded = pathOf(M.GetPlatformFileSpec());
    for (const char *C = M.GetUUIDString(); C && *C; ++C)
      if (llvm::isHexDigit(*C))
        Info.BuildId += *C;
    Info.LoadAddress = M.GetObjectFileHeaderAddress().GetLoadAddress(Target);
    if (Info.LoadAddress != LLDB_INVALID_ADDRESS)
      Modules.push_back(std::move(Info));
  }
  return Modules;
}

NonlocalTargets CursorReader::nonlocalTargets() {
  NonlocalTargets Targets;
  for (const ModuleInfo &M : modules())
    if (auto File = intelpt::ElfModule::read(M.Path))
      addNonlocalTargets(*File, unwindTables(*File),
                         M.LoadAddress - File->lowestPage(), Targets);
    else
      llvm::consumeError(File.takeError());
  return Targets;
}

TraceHeader CursorReader::header() {
  TraceHeader H;
  H.Format = formatName().str();
  H.Architecture = Arch::X86_64;
  H.Can.Opcodes = H.Can.RegisterWrites = true;
  H.Threads = Threads;
  H.Modules = modules();
  std::map<uint64_t, llvm::ArrayRef<uint8_t>> Bytes;
  for (auto &[PC, K] : Code)
    if (!K.Bytes.empty())
      Bytes[PC] = K.Bytes;
  H.Code = ranges(Bytes);
  for (auto [What, N] : {std::pair("clock ticks", Ticks),
                         std::pair("synchronization points", SyncPoints)})
    if (N)
      H.Ignored.push_back({What, N});
  if (NoCode)
    H.Notes.push_back(lossNote(Loss::WithoutCode, std::to_string(NoCode)));
  if (Threads.size() > 1)
    H.Notes.push_back({"order of threads", "not known: one after the other"});
  return H;
}

llvm::Error CursorReader::read(TraceSink &Sink) {
  SBProcess Process = Target.GetProcess();
  uint32_t N = Process.GetNumThreads();
  if (N > 256)
    return llvm::createStringError("the trace has " + llvm::Twine(N) +
                                   " threads: 256 at most can be read");
  for (uint32_t I = 0; I < N; ++I) {
    SBThread Thread = Process.GetThreadAtIndex(I);
    Threads.push_back(
        {Thread.GetName() ? Thread.GetName() : "", Thread.GetThreadID()});
    if (llvm::Error E = readThread(Thread, uint8_t(I), Sink))
      return E;
  }
  return Sink.finish(header());
}
