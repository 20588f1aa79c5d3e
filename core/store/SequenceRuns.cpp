//===- SequenceRuns.cpp - Sequences as runs -------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/SequenceRuns.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace rw;
using namespace rw::format;

/// Templates tell whether the real address of an access is known, but that may
/// differ between executions. Null where it does so too much.
SequenceRuns::Code *SequenceRuns::variant(uint32_t Sequence,
                                          llvm::ArrayRef<FlowPlace> Places) {
  auto hasReal = [](const FlowPlace &P) { return P.Real != ~uint64_t(0); };
  Code *C = &Codes[Sequence];
  for (unsigned Most = 8; Most--; C = C->Other.get()) {
    if (C->State == Code::New) {
      C->HasReal.resize(Places.size());
      llvm::transform(Places, C->HasReal.begin(), hasReal);
      return C;
    }
    if (std::equal(
            Places.begin(), Places.end(), C->HasReal.begin(),
            [&](const FlowPlace &P, bool Has) { return hasReal(P) == Has; }))
      return C;
    if (!C->Other)
      C->Other = std::make_unique<Code>();
  }
  return nullptr;
}

void SequenceRuns::lookUp(const CodeTable &Source, uint32_t Sequence, Code &C) {
  C.Id = NumCodes++;
  std::vector<MemItem> Mems(Source.mems(Sequence));
  for (size_t K = 0; K < Mems.size(); ++K)
    Mems[K].Real = C.HasReal[K] ? 0 : ~uint64_t(0);
  llvm::ArrayRef<RegItem> Regs = Source.regs(Sequence);
  const RegItem *R = Regs.data();
  const MemItem *M = Mems.data();
  uint32_t Hint = ~0u;
  for (const InsnItem &I : Source.insns(Sequence)) {
    assert(!I.Lines && "a sequence has no text");
    Hint = Templates.lookup(I, R, M, Hint);
    C.Templates.push_back(Hint);
    R += I.NumRegs;
    M += I.NumMems;
    C.EndPC = I.PC + I.Size;
    C.TimeKnown |= (I.Flags & InsnItem::TimeKnown) != 0;
  }
  for (const RegItem &Reg : Regs)
    C.NumLanes = std::max(C.NumLanes, Reg.Lane + 1u);
  std::vector<uint8_t> Overwritten(C.NumLanes);
  uint32_t Value = Source.numValues(Sequence);
  C.ValueBytes.resize(Value);
  for (const RegItem &Reg : llvm::reverse(Regs)) {
    if (CodeTable::tellsValue(Reg))
      C.ValueBytes[--Value] = Reg.Written & ~Reg.Unknown;
    uint8_t Left = Reg.Written & ~Overwritten[Reg.Lane];
    Overwritten[Reg.Lane] |= Left;
    if (Left)
      C.Lanes.push_back({Reg.Lane, Left, uint8_t(Reg.Unknown & Left), Value});
  }
}

SequenceRuns::Code *SequenceRuns::find(const CodeTable &Source,
                                       uint32_t Sequence,
                                       llvm::ArrayRef<FlowPlace> Places) {
  if (Sequence >= Codes.size())
    Codes.resize(std::max<size_t>(Source.size(), Sequence + 1));
  Code *C = variant(Sequence, Places);
  if (!C || C->State == Code::Settled)
    return C;
  // Its instructions make the templates, each in its turn: what is learned of
  // one depends on when it came up.
  if (C->State == Code::New &&
      (!Places.empty() || Source.numValues(Sequence))) {
    C->State = Code::Executed;
    return nullptr;
  }
  if (C->State != Code::LookedUp)
    lookUp(Source, Sequence, *C);
  C->State = Code::LookedUp;
  if (llvm::any_of(C->Templates,
                   [&](uint32_t Id) { return Templates.stillLearns(Id); }))
    return nullptr;
  C->State = Code::Settled;
  return C;
}

SequenceRuns::Known SequenceRuns::work(const Code &C, uint64_t ExpectedPC) {
  Known K;
  K.Node = Runs.node();
  K.Code = C.Id;
  K.FirstPiece = uint32_t(Pieces.size());
  uint32_t Done = 0;
  for (uint32_t I = 0; I < C.Templates.size(); ++I) {
    const Template &T = Templates[C.Templates[I]];
    if (Runs.length() && (T.PC != ExpectedPC || Runs.length() == MaxRun)) {
      Pieces.push_back({I - Done, Runs.end()});
      Done = I;
    }
    Runs.append(C.Templates[I]);
    ExpectedPC = T.PC + T.Size;
  }
  K.NumPieces = uint32_t(Pieces.size()) - K.FirstPiece;
  K.EndNode = Runs.node();
  K.EndLength = Runs.length();
  return K;
}

static size_t slotOf(uint32_t Node, uint32_t Code, size_t Size) {
  uint64_t H = (uint64_t(Node) << 32 | Code) * 0x9e3779b97f4a7c15ull;
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
