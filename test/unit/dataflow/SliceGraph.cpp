//===- SliceGraph.cpp - Slices, slowly and plainly ------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SliceGraph.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/STLExtras.h"

namespace rw::dataflow {

SliceGraph::SliceGraph(const TraceStore &Store, const CallIndex *Calls,
                       StepCodes &Codes, ControlMode Control)
    : Mode(Control) {
  std::set<Cell> SP;
  for (CellRef R : Codes.stackPointers())
    for (unsigned C = R.First; C < R.end(); ++C)
      SP.insert(Cell(C));
  auto SizeOf = [&](Cell C) {
    const CellInfo &Info = Codes.cells().info(C);
    return Info.Bits || Info.Slice.Lane == RegisterSlice::NoLane
               ? 1u
               : unsigned(Info.Slice.Size);
  };
  // Who made each byte of a register.
  std::vector<std::map<std::pair<Cell, unsigned>, size_t>> CellsOf(
      Store.numThreads());
  std::map<uint64_t, size_t> Bytes;
  std::vector<std::vector<int>> Open(Store.numThreads());
  for (std::vector<int> &Stack : Open) {
    Stack.push_back(int(Activations.size()));
    Activations.emplace_back();
  }
  StepReader Reader(Store, Calls, Codes, {});
  while (const Step *S = Reader.next()) {
    auto &Cells = CellsOf[S->Thread];
    std::vector<size_t> Here;
    Node Flow{S->When, {}, {}, true};
    auto ReadByte = [&](Node &N, Cell C, unsigned B) {
      if (!SP.count(C) && Cells.count({C, B}))
        N.From.push_back(Cells[{C, B}]);
    };
    auto Reads = [&](const NodeCode &Of, Cell C, unsigned B) {
      return B >= 64 || (S->Code->bytesRead(Of, C) >> B & 1);
    };
    auto Read = [&](Node &N, const NodeCode &Of, Cell C) {
      for (unsigned B = 0; B < SizeOf(C); ++B)
        if (Reads(Of, C, B))
          ReadByte(N, C, B);
    };
    auto ReadMemory = [&](Node &N, uint64_t Addr) {
      if (Bytes.count(Addr))
        N.From.push_back(Bytes[Addr]);
    };
    // The bytes of a run of cells.
    auto BytesOf = [&](CellRef R) {
      std::vector<std::pair<Cell, unsigned>> All;
      for (unsigned C = R.First; C < R.end(); ++C)
        for (unsigned B = 0; B < SizeOf(Cell(C)); ++B)
          All.push_back({Cell(C), B});
      return All;
    };
    std::vector<std::pair<std::pair<Cell, unsigned>, size_t>> NewCells;
    std::vector<std::pair<uint64_t, size_t>> NewBytes;
    auto Add = [&](Node New) {
      Here.push_back(Nodes.size());
      Nodes.push_back(std::move(New));
      return Nodes.size() - 1;
    };
    if (S->Executed)
      for (const NodeCode &N : S->Code->Nodes) {
        Node New{S->When, {}, {}};
        New.Keeps = N.Flags & (NodeCode::Save | NodeCode::Restore);
        const Range In = onePart(N.Load, S->Loads),
                    To = onePart(N.Store, S->Stores);
        const bool OfMemory = N.Load || N.Store;
        if ((N.Flags & NodeCode::ByByte) &&
            (!OfMemory || (In.Size ? In.Size : To.Size))) {
          // A node for each byte, and one for the zeros behind them.
          const CellRef From = !OfMemory ? N.Source
                               : N.Store ? N.Moved
                                         : CellRef();
          const auto Sources = BytesOf(From);
          const auto Targets = BytesOf(N.Store ? CellRef() : N.Moved);
          for (Cell C : S->Code->reads(N))
            if (!From.contains(C))
              Read(New, N, C);
          const size_t Rest = Add(New);
          const size_t Count = OfMemory ? In.Size + To.Size : Sources.size();
          for (Cell C : S->Code->writes(N)) {
            Nodes[Rest].Makes.push_back({S->Thread, {C, 1}, {}});
            for (auto Byte : BytesOf({C, 1}))
              NewCells.push_back({Byte, Rest});
          }
          for (size_t B = 0; B < Count; ++B) {
            Node Of = New;
            if (N.Load)
              ReadMemory(Of, In.Addr + B);
            else if (B < Sources.size() &&
                     Reads(N, Sources[B].first, Sources[B].second))
              ReadByte(Of, Sources[B].first, Sources[B].second);
            if (N.Store)
              Of.Makes.push_back({S->Thread, {}, {To.Addr + B, 1}});
            const size_t At = Add(Of);
            if (N.Store)
              NewBytes.push_back({To.Addr + B, At});
            else if (B < Targets.size())
              NewCells.push_back({Targets[B], At});
          }
          continue;
        }
        if (N.Flags & (NodeCode::Lanes4 | NodeCode::Lanes8)) {
          // A node for each lane.
          const unsigned Words = N.Flags & NodeCode::Lanes8 ? 2 : 1;
          for (unsigned Lane = 0; Lane < 4 / Words; ++Lane) {
            auto In = [&](Cell C) {
              return (C - armcell::Vec) % 4 / Words == Lane;
            };
            Node Of = New;
            for (Cell C : S->Code->reads(N))
              if (In(C))
                Read(Of, N, C);
            for (Cell C : S->Code->writes(N))
              if (In(C))
                Of.Makes.push_back({S->Thread, {C, 1}, {}});
            const size_t At = Add(Of);
            for (Cell C : S->Code->writes(N))
              if (In(C))
                for (auto Byte : BytesOf({C, 1}))
                  NewCells.push_back({Byte, At});
          }
          continue;
        }
        for (Cell C : S->Code->reads(N))
          Read(New, N, C);
        forEachPart(N.Load, S->Loads, [&](Range R) {
          for (uint32_t B = 0; B < R.Size; ++B)
            ReadMemory(New, R.Addr + B);
        });
        if (N.Flags & NodeCode::Flow)
          llvm::append_range(Flow.From, New.From);
        for (Cell C : S->Code->writes(N))
          New.Makes.push_back({S->Thread, {C, 1}, {}});
        forEachPart(N.Store, S->Stores, [&](Range R) {
          New.Makes.push_back({S->Thread, {}, R});
        });
        const size_t At = Add(New);
        for (Cell C : S->Code->writes(N))
          for (auto Byte : BytesOf({C, 1}))
            NewCells.push_back({Byte, At});
        forEachPart(N.Store, S->Stores, [&](Range R) {
          for (uint32_t B = 0; B < R.Size; ++B)
            NewBytes.push_back({R.Addr + B, At});
        });
      }
    else
      for (Cell C : S->Code->Predicate)
        for (unsigned B = 0; B < SizeOf(C); ++B)
          if (B >= 64 || (S->Code->bytesOfPredicate(C) >> B & 1))
            ReadByte(Flow, C, B);
    for (auto [Byte, At] : NewCells)
      Cells[Byte] = At;
    for (auto [Addr, At] : NewBytes)
      Bytes[Addr] = At;
    std::vector<int> &Stack = Open[S->Thread];
    Activations[Stack.back()].Steps.push_back(Steps.size());
    Steps.push_back({Stack.back(), S->Code->Static, S->Code->Branch, S->Thread,
                     Nodes.size(), Here});
    if (S->Code->Branch)
      Activations[Stack.back()].Branches.push_back(Nodes.size());
    for (unsigned N = 0; N < S->Leaves; ++N)
      Stack.pop_back();
    for (unsigned N = 0; N < S->Enters; ++N) {
      Activations.push_back({Stack.back(), Nodes.size(), {}, {}});
      Stack.push_back(int(Activations.size() - 1));
    }
    Nodes.push_back(std::move(Flow));
  }
  if (Mode == ControlMode::Exact)
    findMeets();
}

/// Postdominators as sets, until nothing changes.
void SliceGraph::findMeets() {
  unsigned Statics = 0;
  for (const StepOf &S : Steps)
    Statics = std::max(Statics, S.Static + 1);
  const unsigned End = Statics;
  std::vector<std::set<unsigned>> Next(Statics);
  for (const Activation &A : Activations)
    for (size_t K = 0; K < A.Steps.size(); ++K)
      Next[Steps[A.Steps[K]].Static].insert(
          K + 1 < A.Steps.size() ? Steps[A.Steps[K + 1]].Static : End);
  std::vector<llvm::BitVector> After(Statics + 1,
                                     llvm::BitVector(Statics + 1, true));
  After[End].reset();
  After[End].set(End);
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (unsigned N = Statics; N--;) {
      llvm::BitVector Now(Statics + 1, true);
      for (unsigned To : Next[N])
        Now &= After[To];
      Now.set(N);
      Changed |= Now != After[N];
      After[N] = std::move(Now);
    }
  }
  Meets.assign(Statics, -1);
  for (unsigned N = 0; N < Statics; ++N)
    for (unsigned P : After[N].set_bits())
      if (P != N && P != End && After[P].count() + 1 == After[N].count())
        Meets[N] = int(P);
}

/// The flow nodes that decided that instruction \p M was reached: all.
std::vector<size_t> SliceGraph::control(Moment M) {
  std::vector<size_t> From;
  if (Mode == ControlMode::None)
    return From;
  const StepOf &S = Steps[M];
  std::set<int> Open;
  for (int A = S.Activation; A >= 0; A = Activations[A].Parent) {
    Open.insert(A);
    if (Activations[A].Parent >= 0)
      From.push_back(Activations[A].Call);
  }
  if (Mode == ControlMode::Exact) {
    // The last branch since which control was not where its ways meet.
    const std::vector<size_t> &Mine = Activations[S.Activation].Steps;
    std::set<int> Since;
    for (auto It = llvm::upper_bound(Mine, M); It != Mine.begin();) {
      const StepOf &B = Steps[*--It];
      if (*It != M && B.Branch && !Since.count(Meets[B.Static])) {
        From.push_back(B.Flow);
        break;
      }
      Since.insert(int(B.Static));
    }
    return From;
  }
  for (int A = 0; A < int(Activations.size()); ++A)
    if (Mode == ControlMode::All || Open.count(A))
      for (size_t B : Activations[A].Branches)
        if (Nodes[B].When < M && Steps[Nodes[B].When].Thread == S.Thread)
          From.push_back(B);
  return From;
}

std::set<Moment> SliceGraph::closure(Moment At) {
  std::set<size_t> Seen(Steps[At].Nodes.begin(), Steps[At].Nodes.end());
  if (Seen.empty())
    Seen.insert(Steps[At].Flow);
  std::vector<size_t> Todo(Seen.begin(), Seen.end());
  std::set<Moment> Moments, Asked = {};
  Moments.insert(At);
  while (!Todo.empty()) {
    const size_t N = Todo.back();
    Todo.pop_back();
    Moments.insert(Nodes[N].When);
    auto Add = [&](size_t U) {
      if (Seen.insert(U).second)
        Todo.push_back(U);
    };
    for (size_t U : Nodes[N].From)
      Add(U);
    if (Asked.insert(Nodes[N].When).second)
      for (size_t U : control(Nodes[N].When))
        Add(U);
  }
  return Moments;
}

std::map<Moment, unsigned> SliceGraph::comesFrom(Moment At, Moment To) {
  constexpr unsigned Not = ~0u;
  std::vector<unsigned> Depth(Nodes.size(), Not);
  std::map<Moment, unsigned> Moments;
  for (Moment M = At + 1; M < To && M < Steps.size(); ++M) {
    bool Led = false;
    for (size_t U : control(M))
      Led |= Depth[U] != Not;
    std::vector<size_t> Here = Steps[M].Nodes;
    if (Mode != ControlMode::None || Here.empty())
      Here.push_back(Steps[M].Flow);
    for (size_t N : Here) {
      if (Led)
        Depth[N] = 0;
      for (size_t U : Nodes[N].From) {
        if (Nodes[U].When == At)
          Depth[N] = 0;
        else if (Depth[U] != Not)
          Depth[N] = std::min(Depth[N], Depth[U] + !Nodes[U].Keeps);
      }
      if (Depth[N] != Not) {
        auto [It, New] = Moments.try_emplace(M, Depth[N]);
        It->second = std::min(It->second, Depth[N]);
      }
    }
  }
  return Moments;
}

std::vector<DataPlace> SliceGraph::made(Moment At) const {
  std::vector<DataPlace> All;
  for (size_t N : Steps[At].Nodes)
    llvm::append_range(All, Nodes[N].Makes);
  return All;
}

} // namespace rw::dataflow
