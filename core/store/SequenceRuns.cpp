//===- SequenceRuns.cpp - Sequences as runs -------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/SequenceRuns.h"
#include <algorithm>

using namespace rw;
using namespace rw::format;

SequenceRuns::Code &SequenceRuns::code(const CodeTable &Source,
                                       uint32_t Sequence) {
  if (Sequence >= Codes.size())
    Codes.resize(std::max<size_t>(Source.size(), Sequence + 1));
  Code &C = Codes[Sequence];
  if (!C.Templates.empty())
    return C;
  const RegItem *R = Source.regs(Sequence).data();
  uint32_t Hint = ~0u;
  for (const InsnItem &I : Source.insns(Sequence)) {
    assert(!I.NumMems && !I.Lines && "a sequence has only register effects");
    Hint = Templates.lookup(I, R, nullptr, Hint);
    assert(!Templates[Hint].TellsRegs && "a sequence cannot tell values");
    C.Templates.push_back(Hint);
    for (unsigned K = 0; K < I.NumRegs; ++K)
      C.NumLanes = std::max(C.NumLanes, R[K].Lane + 1u);
    R += I.NumRegs;
    C.EndPC = I.PC + I.Size;
    C.TimeKnown |= (I.Flags & InsnItem::TimeKnown) != 0;
  }
  return C;
}

SequenceRuns::Known SequenceRuns::work(uint32_t Sequence, uint64_t ExpectedPC) {
  Known K;
  K.Node = Runs.node();
  K.Sequence = Sequence;
  K.FirstPiece = uint32_t(Pieces.size());
  llvm::ArrayRef<uint32_t> Ids = Codes[Sequence].Templates;
  uint32_t Done = 0;
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

static size_t slotOf(uint32_t Node, uint32_t Sequence, size_t Size) {
  uint64_t H = (uint64_t(Node) << 32 | Sequence) * 0x9e3779b97f4a7c15ull;
  return (H ^ H >> 32) & (Size - 1);
}

void SequenceRuns::grow() {
  std::vector<Known> Old(Table.size() * 2);
  Old.swap(Table);
  for (const Known &K : Old) {
    if (K.Sequence == ~0u)
      continue;
    size_t At = slotOf(K.Node, K.Sequence, Table.size());
    while (Table[At].Sequence != ~0u)
      At = (At + 1) & (Table.size() - 1);
    Table[At] = K;
  }
}

SequenceRuns::Step SequenceRuns::append(const CodeTable &Source,
                                        uint32_t Sequence,
                                        uint64_t ExpectedPC) {
  Code &C = code(Source, Sequence);
  uint32_t Node = Runs.node();
  if (C.Last.Node != Node) {
    size_t At = slotOf(Node, Sequence, Table.size());
    while (Table[At].Sequence != ~0u &&
           (Table[At].Sequence != Sequence || Table[At].Node != Node))
      At = (At + 1) & (Table.size() - 1);
    if (Table[At].Sequence == ~0u) {
      Table[At] = work(Sequence, ExpectedPC);
      C.Last = Table[At];
      if (++Used * 2 > Table.size())
        grow();
    } else {
      C.Last = Table[At];
    }
  }
  Runs.resume(C.Last.EndNode, C.Last.EndLength);
  return {llvm::ArrayRef(Pieces).slice(C.Last.FirstPiece, C.Last.NumPieces),
          C.Templates, C.EndPC, C.NumLanes, C.TimeKnown};
}
