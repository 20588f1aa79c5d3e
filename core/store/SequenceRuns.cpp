//===- SequenceRuns.cpp - Sequences as runs -------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/SequenceRuns.h"
#include "core/support/Golden.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace rw;
using namespace rw::format;

void SequenceRuns::count(const CodeTable &Source, uint32_t Sequence) {
  if (Sequence >= Codes.size())
    Codes.resize(std::max<size_t>(Source.size(), Sequence + 1));
  Code &C = Codes[Sequence];
  C.NumValues = Source.numValues(Sequence);
  C.NumAccesses = uint32_t(Source.mems(Sequence).size());
  C.Counted = true;
}

void SequenceRuns::lookUp(const CodeTable &Source, uint32_t Sequence, Code &C) {
  C.Id = NumCodes++;
  llvm::ArrayRef<RegItem> Regs = Source.regs(Sequence);
  llvm::ArrayRef<InsnItem> Insns = Source.insns(Sequence);
  const RegItem *R = Regs.data();
  const MemItem *M = Source.mems(Sequence).data();
  C.FirstTemplate = uint32_t(Ids.size());
  C.NumTemplates = uint32_t(Insns.size());
  uint32_t Hint = ~0u;
  for (const InsnItem &I : Insns) {
    assert(!I.Lines && "a sequence has no text");
    Hint = Templates.lookup(I, R, M, Hint);
    Ids.push_back(Hint);
    R += I.NumRegs;
    M += I.NumMems;
    C.TimeKnown |= (I.Flags & InsnItem::TimeKnown) != 0;
  }
  if (!Insns.empty()) {
    C.FirstPC = Insns.front().PC;
    C.EndPC = Insns.back().PC + Insns.back().Size;
  }
  for (const RegItem &Reg : Regs)
    C.NumLanes = std::max(C.NumLanes, Reg.Lane + 1u);
  C.FirstValue = uint32_t(ValueBytes.size());
  ValueBytes.resize(C.FirstValue + C.NumValues);
  C.FirstEffect = uint32_t(Effects.size());
  C.WholeValues = true;
  std::vector<uint8_t> Overwritten(C.NumLanes);
  uint32_t Value = C.NumValues;
  for (const RegItem &Reg : llvm::reverse(Regs)) {
    if (CodeTable::tellsValue(Reg)) {
      uint8_t Tells = Reg.Written & ~Reg.Unknown;
      ValueBytes[C.FirstValue + --Value] = Tells;
      C.WholeValues &= Tells == 0xff;
    }
    uint8_t Left = Reg.Written & ~Overwritten[Reg.Lane];
    Overwritten[Reg.Lane] |= Left;
    if (Left)
      Effects.push_back({Reg.Lane, Left, uint8_t(Reg.Unknown & Left), Value});
  }
  C.NumEffects = uint32_t(Effects.size()) - C.FirstEffect;
}

bool SequenceRuns::settle(Code &C, const CodeTable &Source, uint32_t Sequence) {
  if (C.State == Code::New) {
    C.State = Code::Executed;
    // Its instructions make the templates, each in its turn: what is learned
    // of one depends on when it came up.
    if (C.NumValues || C.NumAccesses)
      return false;
  }
  if (C.State == Code::Executed)
    lookUp(Source, Sequence, C);
  C.State = Code::LookedUp;
  if (llvm::any_of(templates(C),
                   [&](uint32_t Id) { return Templates.stillLearns(Id); }))
    return false;
  C.State = Code::Settled;
  return true;
}

SequenceRuns::Known SequenceRuns::work(const Code &C, uint64_t ExpectedPC) {
  Known K;
  K.Node = Runs.node();
  K.Code = C.Id;
  K.FirstPiece = uint32_t(Pieces.size());
  uint32_t Done = 0;
  llvm::ArrayRef<uint32_t> Ids = templates(C);
  for (uint32_t I = 0; I < Ids.size(); ++I) {
    const Template &T = Templates[Ids[I]];
    if (Runs.length() && (T.PC != ExpectedPC || Runs.length() == MaxRun)) {
      Pieces.push_back({I - Done, Runs.end()});
      Done = I;
    }
    Runs.append(Ids[I]);
    ExpectedPC = T.PC + T.Size;
  }
  K.NumPieces = uint32_t(Pieces.size()) - K.FirstPiece;
  K.EndNode = Runs.node();
  K.EndLength = Runs.length();
  return K;
}

static size_t slotOf(uint32_t Node, uint32_t Code, size_t Size) {
  uint64_t H = golden(uint64_t(Node) << 32 | Code);
  return (H ^ H >> 32) & (Size - 1);
}

void SequenceRuns::grow() {
  std::vector<Known> Old(Table.size() * 2);
  Old.swap(Table);
  for (const Known &K : Old) {
    if (K.Code == ~0u)
      continue;
    size_t At = slotOf(K.Node, K.Code, Table.size());
    while (Table[At].Code != ~0u)
      At = (At + 1) & (Table.size() - 1);
    Table[At] = K;
  }
}

llvm::ArrayRef<SequenceRuns::Piece> SequenceRuns::append(Code &C,
                                                         uint64_t ExpectedPC) {
  Known &Last = C.Last;
  uint32_t Node = Runs.node();
  if (Last.Node != Node) {
    size_t At = slotOf(Node, C.Id, Table.size());
    while (Table[At].Code != ~0u &&
           (Table[At].Code != C.Id || Table[At].Node != Node))
      At = (At + 1) & (Table.size() - 1);
    if (Table[At].Code == ~0u) {
      Table[At] = work(C, ExpectedPC);
      Last = Table[At];
      if (++Used * 2 > Table.size())
        grow();
    } else {
      Last = Table[At];
    }
  }
  Runs.resume(Last.EndNode, Last.EndLength);
  return llvm::ArrayRef(Pieces).slice(Last.FirstPiece, Last.NumPieces);
}
