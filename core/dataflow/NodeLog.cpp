//===- NodeLog.cpp - Which node each one waited for -----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/dataflow/NodeLog.h"
#include "core/support/Coding.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/LEB128.h"

using namespace llvm;

namespace rw::dataflow {

static constexpr size_t BlockBytes = 1 << 16;

/// No node takes more: three varints.
static constexpr size_t NodeBytes = 32;

NodeLog::NodeLog() : Bytes(BlockBytes + NodeBytes), Tail(Bytes.data()) {}

/// A node is the distance to the one it waited for, shifted left by 1 and, if
/// it is not a node of latency 1 one moment after the last, 1 and what it is.
void NodeLog::add(Moment When, uint32_t Latency, uint32_t After) {
  if (Tail == Bytes.data())
    Blocks.push_back({Count + 1, Last, Written});
  ++Count;
  uint64_t Distance = After ? Count - After : 0;
  uint64_t Ahead = When - Last;
  bool Plain = Ahead == 1 && Latency == 1;
  putVarintAt(Tail, Distance << 1 | !Plain);
  if (!Plain) {
    putVarintAt(Tail, Ahead);
    putVarintAt(Tail, Latency);
  }
  Last = When;
  if (size_t(Tail - Bytes.data()) >= BlockBytes)
    flush();
}

void NodeLog::flush() {
  const size_t Size = size_t(Tail - Bytes.data());
  File.write(ArrayRef(Bytes.data(), Size));
  Written += Size;
  Tail = Bytes.data();
}

Error NodeLog::finish() {
  flush();
  return File.finish();
}

Error NodeLog::load(size_t Index) {
  const Block &B = Blocks[Index];
  uint64_t End = Index + 1 < Blocks.size() ? Blocks[Index + 1].Offset : Written;
  std::vector<uint8_t> Of(End - B.Offset);
  if (Error E = File.read(B.Offset, Of))
    return E;
  Nodes.clear();
  const uint8_t *At = Of.data(), *Stop = At + Of.size();
  auto Get = [&] {
    unsigned N = 0;
    uint64_t V = decodeULEB128(At, &N, Stop);
    At += N;
    return V;
  };
  Moment When = B.When;
  uint32_t Number = B.First;
  while (At < Stop) {
    Node N;
    uint64_t Head = Get();
    uint64_t Ahead = 1;
    if (Head & 1) {
      Ahead = Get();
      N.Latency = uint32_t(Get());
    }
    N.When = When += Ahead;
    uint32_t Distance = uint32_t(Head >> 1);
    N.After = Distance ? Number - Distance : 0;
    ++Number;
    Nodes.push_back(N);
  }
  Loaded = Index;
  return Error::success();
}

Expected<NodeLog::Node> NodeLog::at(uint32_t Number) {
  auto It = llvm::partition_point(
      Blocks, [&](const Block &B) { return B.First <= Number; });
  assert(It != Blocks.begin() && "nodes count from 1");
  size_t Index = size_t(It - Blocks.begin()) - 1;
  if (Index != Loaded)
    if (Error E = load(Index))
      return E;
  Node N = Nodes[Number - Blocks[Index].First];
  if (auto C = Changed.find(Number); C != Changed.end())
    N.After = C->second;
  return N;
}

} // namespace rw::dataflow
