//===- LoopForest.cpp - The loops of a flow graph -------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/htr/passes/LoopForest.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace rw::htr {
namespace {

class Finder {
public:
  explicit Finder(const FlowGraph &G) : G(G), N(G.Root.size()) {
    Forest.Innermost.assign(N, FlowLoop::None);
    index(Succ, SuccAt, [](auto E) { return E; });
    index(Pred, PredAt, [](auto E) { return std::pair(E.second, E.first); });
    Dead.assign(Succ.size(), 0);
    Region.assign(N, 0);
    Order.assign(N, 0);
    Low.assign(N, 0);
    Mark.assign(N, 0);
  }

  Expected<LoopForest> run(const Watch &Watch) {
    std::vector<Part> Work(1);
    for (uint32_t V = 0; V < N; ++V)
      Work[0].Nodes.push_back(V);
    while (!Work.empty()) {
      Part P = std::move(Work.back());
      Work.pop_back();
      if (P.Parent != FlowLoop::None)
        if (Forest.Loops[P.Parent].Depth + 1 >= MaxLoopDepth)
          continue;
      if (Error E = Watch.check())
        return E;
      const uint32_t Id = ++LastRegion;
      for (uint32_t V : P.Nodes) {
        Region[V] = Id;
        Order[V] = 0;
      }
      for (std::vector<uint32_t> &C : components(P.Nodes, Id)) {
        makeLoop(C, P.Parent);
        Work.push_back({std::move(C), uint32_t(Forest.Loops.size() - 1)});
      }
    }
    return std::move(Forest);
  }

private:
  struct Part {
    std::vector<uint32_t> Nodes;
    uint32_t Parent = FlowLoop::None;
  };
  const FlowGraph &G;
  const uint32_t N;
  LoopForest Forest;
  // Successors of v: Succ[SuccAt[v]..SuccAt[v + 1]); so with predecessors.
  std::vector<uint32_t> Succ, SuccAt, Pred, PredAt;
  std::vector<uint8_t> Dead;    ///< by index in Succ: the edge is taken away
  std::vector<uint32_t> Region; ///< by node: the part that it was last in
  uint32_t LastRegion = 0;
  std::vector<uint32_t> Order,
      Low; ///< Tarjan's; 0: not seen, FlowLoop::None: done
  std::vector<uint32_t> Mark;
  uint32_t LastMark = 0;

  template <typename F>
  void index(std::vector<uint32_t> &To, std::vector<uint32_t> &At, F Turn) {
    At.assign(N + 1, 0);
    for (auto E : G.Edges)
      ++At[Turn(E).first + 1];
    for (uint32_t V = 0; V < N; ++V)
      At[V + 1] += At[V];
    To.resize(G.Edges.size());
    std::vector<uint32_t> Next(At.begin(), At.end() - 1);
    for (auto E : G.Edges)
      To[Next[Turn(E).first]++] = Turn(E).second;
  }

  /// Tarjan's components of a part that have an edge inside of them.
  std::vector<std::vector<uint32_t>> components(ArrayRef<uint32_t> Nodes,
                                                uint32_t Id) {
    std::vector<std::vector<uint32_t>> Found;
    std::vector<uint32_t> Stack;
    std::vector<std::pair<uint32_t, uint32_t>> Path; // node, next edge
    uint32_t Count = 0;
    for (uint32_t Start : Nodes) {
      if (Order[Start])
        continue;
      auto visit = [&](uint32_t V) {
        Order[V] = Low[V] = ++Count;
        Stack.push_back(V);
        Path.push_back({V, SuccAt[V]});
      };
      visit(Start);
      while (!Path.empty()) {
        auto &[V, E] = Path.back();
        if (E < SuccAt[V + 1]) {
          const uint32_t W = Succ[E];
          const bool Gone = Dead[E] || Region[W] != Id;
          ++E;
          if (Gone || Order[W] == FlowLoop::None)
            continue;
          if (Order[W])
            Low[V] = std::min(Low[V], Order[W]);
          else
            visit(W);
          continue;
        }
        const uint32_t Done = V;
        Path.pop_back();
        if (!Path.empty())
          Low[Path.back().first] = std::min(Low[Path.back().first], Low[Done]);
        if (Low[Done] != Order[Done])
          continue;
        std::vector<uint32_t> C;
        do {
          C.push_back(Stack.back());
          Order[Stack.back()] = FlowLoop::None;
          Stack.pop_back();
        } while (C.back() != Done);
        if (C.size() > 1 || hasSelfEdge(Done)) {
          sort(C);
          Found.push_back(std::move(C));
        }
      }
    }
    return Found;
  }

  bool hasSelfEdge(uint32_t V) const {
    for (uint32_t E = SuccAt[V]; E < SuccAt[V + 1]; ++E)
      if (Succ[E] == V && !Dead[E])
        return true;
    return false;
  }

  void makeLoop(ArrayRef<uint32_t> C, uint32_t Parent) {
    const uint32_t Id = ++LastRegion;
    for (uint32_t V : C)
      Region[V] = Id;
    std::vector<uint32_t> Entries;
    for (uint32_t V : C) {
      bool Entered = G.Root[V];
      for (uint32_t P = PredAt[V]; P < PredAt[V + 1] && !Entered; ++P)
        Entered = Region[Pred[P]] != Id;
      if (Entered)
        Entries.push_back(V);
    }
    FlowLoop L;
    L.Header = Entries.empty() ? C[0] : Entries[0];
    L.Parent = Parent;
    L.Depth = Parent == FlowLoop::None ? 0 : Forest.Loops[Parent].Depth + 1;
    L.Irreducible = Entries.size() > 1;
    for (uint32_t V : C)
      Forest.Innermost[V] = Forest.Loops.size();
    Forest.Loops.push_back(L);
    if (!L.Irreducible) {
      takeAway(C, L.Header, [](uint32_t) { return true; });
      return;
    }
    for (uint32_t Entry : Entries) {
      // What the other entries reach without this one is not dominated by it.
      const uint32_t Reached = ++LastMark;
      std::vector<uint32_t> Queue;
      for (uint32_t V : Entries)
        if (V != Entry) {
          Mark[V] = Reached;
          Queue.push_back(V);
        }
      while (!Queue.empty()) {
        const uint32_t V = Queue.back();
        Queue.pop_back();
        for (uint32_t E = SuccAt[V]; E < SuccAt[V + 1]; ++E) {
          const uint32_t W = Succ[E];
          if (Region[W] == Id && W != Entry && Mark[W] != Reached) {
            Mark[W] = Reached;
            Queue.push_back(W);
          }
        }
      }
      takeAway(C, Entry, [&](uint32_t From) { return Mark[From] == Reached; });
    }
  }

  /// Takes edges from \p C to a node away.
  template <typename F>
  void takeAway(ArrayRef<uint32_t> C, uint32_t To, F IsBack) {
    for (uint32_t V : C)
      if (IsBack(V))
        for (uint32_t E = SuccAt[V]; E < SuccAt[V + 1]; ++E)
          if (Succ[E] == To)
            Dead[E] = 1;
  }
};

} // namespace

Expected<LoopForest> findLoops(const FlowGraph &G, const Watch &Watch) {
  return Finder(G).run(Watch);
}

} // namespace rw::htr
