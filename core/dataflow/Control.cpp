//===- Control.cpp - Which branches decide over an instruction ------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/dataflow/Control.h"
#include "llvm/ADT/STLExtras.h"

namespace rw::dataflow {

namespace {

/// Lists of neighbours, by node.
struct Adjacency {
  std::vector<uint32_t> Starts, Items;
  llvm::ArrayRef<uint32_t> of(uint32_t N) const {
    return llvm::ArrayRef(Items).slice(Starts[N], Starts[N + 1] - Starts[N]);
  }
};

Adjacency adjacency(size_t Nodes,
                    llvm::ArrayRef<std::pair<uint32_t, uint32_t>> Edges) {
  Adjacency A;
  A.Starts.assign(Nodes + 1, 0);
  for (auto [From, To] : Edges)
    ++A.Starts[From + 1];
  for (size_t N = 0; N < Nodes; ++N)
    A.Starts[N + 1] += A.Starts[N];
  A.Items.resize(Edges.size());
  std::vector<uint32_t> Next(A.Starts.begin(), A.Starts.end() - 1);
  for (auto [From, To] : Edges)
    A.Items[Next[From]++] = To;
  return A;
}

} // namespace

/// Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm, on the graph
/// turned round; node `End` is its root.
void ControlFlow::finish() {
  for (std::vector<uint32_t> &Open : Last)
    for (uint32_t S : Open)
      if (S != None)
        link(S, None);
  Last.clear();

  uint32_t End = 0;
  for (auto [From, To] : Edges)
    End = std::max({End, From + 1, To == None ? 0 : To + 1});
  std::vector<std::pair<uint32_t, uint32_t>> Ahead, Back;
  for (auto [From, To] : Edges) {
    uint32_t T = To == None ? End : To;
    Ahead.push_back({From, T});
    Back.push_back({T, From});
  }
  Edges.clear();
  const Adjacency Next = adjacency(End + 1, Ahead);
  const Adjacency Before = adjacency(End + 1, Back);

  // Postorder of a walk backwards from the end.
  std::vector<uint32_t> Number(End + 1, None), Order;
  std::vector<std::pair<uint32_t, uint32_t>> Stack = {{End, 0}};
  std::vector<bool> Seen(End + 1);
  Seen[End] = true;
  while (!Stack.empty()) {
    auto &[N, K] = Stack.back();
    llvm::ArrayRef<uint32_t> To = Before.of(N);
    if (K < To.size()) {
      uint32_t M = To[K++];
      if (!Seen[M]) {
        Seen[M] = true;
        Stack.push_back({M, 0});
      }
      continue;
    }
    Number[N] = uint32_t(Order.size());
    Order.push_back(N);
    Stack.pop_back();
  }

  std::vector<uint32_t> Dom(End + 1, None);
  Dom[End] = End;
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (uint32_t N : llvm::reverse(Order)) {
      if (N == End)
        continue;
      uint32_t New = None;
      for (uint32_t P : Next.of(N)) {
        if (Dom[P] == None)
          continue;
        if (New == None) {
          New = P;
          continue;
        }
        uint32_t A = P, B = New;
        while (A != B) {
          while (Number[A] < Number[B])
            A = Dom[A];
          while (Number[B] < Number[A])
            B = Dom[B];
        }
        New = A;
      }
      if (New != Dom[N]) {
        Dom[N] = New;
        Changed = true;
      }
    }
  }
  Meets.assign(End, None);
  for (uint32_t N = 0; N < End; ++N)
    if (Dom[N] != End)
      Meets[N] = Dom[N];
}

} // namespace rw::dataflow
