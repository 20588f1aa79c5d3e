//===- LineParser.cpp - Parses chunks of Tarmac text ----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/tarmac/LineParser.h"
#include <cstring>

namespace rw::tarmac {

void Chunk::reserve(size_t NewCapacity) {
  if (NewCapacity <= Capacity)
    return;
  std::unique_ptr<char[]> New(new char[NewCapacity + SlackBytes]);
  if (Size)
    std::memcpy(New.get(), Text.get(), Size);
  Text = std::move(New);
  Capacity = NewCapacity;
}

void Chunk::seal() {
  if (!Text)
    reserve(1);
  std::memset(Text.get() + Size, '\n', SlackBytes);
}

void ParsedChunk::clear() {
  ItemBatch B = std::move(Batch);
  auto Kept = std::move(CpuNames);
  auto KeptCpus = std::move(Cpus);
  *this = ParsedChunk();
  B.clear();
  Kept.clear();
  KeptCpus.clear();
  Batch = std::move(B);
  CpuNames = std::move(Kept);
  Cpus = std::move(KeptCpus);
}

void LineParser::begin(Chunk *C, ParsedChunk &Target) {
  Current = C;
  Out = &Target;
  Batch = &Target.Batch;
  Snapshot = Names.get();
  ++Epoch;
  ProvisionalLanes = 0;
  Out->CpuNames = Snapshot->Cpus;
  Out->SnapshotCpus = Snapshot->Cpus.size();
  Out->Cpus.assign(Snapshot->Cpus.size(), CpuState());
  NamedCpus = false;
  for (const std::string &N : Out->CpuNames)
    NamedCpus |= !N.empty();
  LineNo = InsnLine = 0;
  RegBegin = MemBegin = 0;
  Cur = InheritedCpu;
  State = nullptr;
  Time = MaxTime = 0;
  Timed = false;
  Deferring = true;
  PrefixLength = UnitLength = 0;
  Modes.fill(ModeText());
  ContinuesAt = 0;
  DeferredContinuation = false;
  LastIsCut = C && C->Last && !C->EndsInNewline;
  PlainResetAt = 0;
}

void LineParser::parse(Chunk &C) {
  C.Parsed.clear();
  begin(&C, C.Parsed);
  C.Parsed.Batch.FileOffset = C.Offset;
  End = C.end();
  // Some room to begin with: a typical trace has 120 bytes per instruction.
  Batch->Insns.reserve(C.Size / 96);
  Batch->Regs.reserve(C.Size / 80);
  Batch->Mems.reserve(C.Size / 200);
  const char *P = C.begin(), *Whole = End;
  if (LastIsCut)
    while (Whole > P && Whole[-1] != '\n')
      --Whole;
  while (P < Whole) {
    ++LineNo;
    uint8_t CpuBefore = Cur;
    const char *Next = fastLine(P);
    if (!Next) {
      // The fast path may have recognised the CPU of a line that it then left.
      if (Cur != CpuBefore)
        setCpu(CpuBefore);
      Next = slowLine(P);
    }
    P = Next;
  }
  if (P < End)
    parseCutLine(P);
  ++LineNo;
  closeInsn();
  Out->Lines = LineNo - 1;
  Out->LastCpu = Cur;
  Out->LastTime = Time;
  Out->MaxTime = MaxTime;
  Out->LastLineKind = ContinuesAt == LineNo ? (ContinuesWrite ? 2 : 1) : 0;
  Out->LastAddressColumn = ContinuesColumn;
}

/// The last line, which has no end: as any other if it is complete, else as if
/// it were not there. What was told of the chunk before is copied for that, as
/// its time and its kind are noted before its end is seen.
void LineParser::parseCutLine(const char *P) {
  ++LineNo;
  ParsedChunk Before = *Out;
  const uint8_t CpuBefore = Cur;
  const uint64_t TimeBefore = Time, MaxTimeBefore = MaxTime;
  slowLine(P);
  if (!Out->CutLine)
    return;
  Before.CutLine = Out->CutLine;
  *Out = std::move(Before);
  setCpu(CpuBefore);
  Time = TimeBefore;
  MaxTime = MaxTimeBefore;
}

void LineParser::parseDeferred(const char *Line, const char *LineEnd,
                               CpuState &CpuOfLine, uint8_t Thread,
                               uint8_t LastKind, uint32_t Column, bool IsCut,
                               ParsedChunk &Target) {
  begin(nullptr, Target);
  End = LineEnd;
  LastIsCut = IsCut;
  Deferring = false;
  Cur = Thread;
  State = &CpuOfLine;
  LineNo = 1;
  if (LastKind) {
    ContinuesAt = 1;
    ContinuesColumn = Column;
    ContinuesWrite = LastKind == 2;
  }
  slowLine(Line);
  LineNo = 2;
  Target.LastLineKind = ContinuesAt == 2 ? (ContinuesWrite ? 2 : 1) : 0;
  Target.LastAddressColumn = ContinuesColumn;
}

} // namespace rw::tarmac
