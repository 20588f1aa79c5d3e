//===- Model.cpp - Dependences, slowly and plainly ------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"
#include "llvm/ADT/STLExtras.h"

namespace rw::dataflow {

namespace {
enum { NoTag, FrameTag, ReturnTag };

bool contains(CellRef R, unsigned C) { return C >= R.First && C < R.end(); }
} // namespace

Model::Model(llvm::ArrayRef<Step> Steps, const ModelOptions &O)
    : Steps(Steps), O(O) {
  build();
  addStructure();
  addControl();
  if (O.Calls == CallMode::Atomic || O.Calls == CallMode::Static)
    mapToAncestors();
  if (O.Calls == CallMode::Static)
    closeStatically();
  measure();
}

void Model::undo(Slot &S) {
  for (const Written &W : S.Was)
    if (W.By >= 0 && W.Tag == NoTag)
      Edges.push_back({W.By, S.Store, Why::Data});
}

/// All that was done so far.
void Model::forget() {
  Nodes.clear();
  Edges.clear();
  BranchNodes.clear();
  Activations.clear();
  Work = 0;
  for (std::vector<int> &Of : StepNodes)
    Of.clear();
  for (Slot &S : Slots) {
    S.Activation = S.Thread;
    S.Store = -1;
    for (Written &W : S.Was) {
      const int Tag = W.Tag;
      W = Written();
      W.Tag = Tag;
    }
  }
}

void Model::build() {
  bool Atomic = O.Calls == CallMode::Atomic || O.Calls == CallMode::Static;
  std::vector<std::map<unsigned, Written>> Cells(O.Threads);
  std::map<uint64_t, Written> Memory;
  std::vector<std::vector<int>> Open(O.Threads);
  for (unsigned T = 0; T < O.Threads; ++T) {
    for (CellRef R : O.StackPointers)
      for (unsigned C = R.First; C < R.end(); ++C)
        Cells[T][C].Tag = FrameTag;
    Open[T].push_back(int(Activations.size()));
    Activations.emplace_back();
    Activations.back().Thread = T;
  }
  std::vector<int> Began(O.Threads, -1); // by activation, grows
  auto Virtual = [&](int Activation) {
    Node N;
    N.Activation = Activation;
    Nodes.push_back(N);
    return int(Nodes.size() - 1);
  };

  for (int I = 0; I < int(Steps.size()); ++I) {
    if (I && I == O.From) {
      forget();
      Memory.clear();
      Began.assign(O.Threads, -1);
      for (unsigned T = 0; T < O.Threads; ++T) {
        for (auto &[C, W] : Cells[T]) {
          const int Tag = W.Tag;
          W = Written();
          W.Tag = Tag;
        }
        Open[T] = {int(Activations.size())};
        Activations.emplace_back();
        Activations.back().Thread = T;
      }
    }
    const Step &S = Steps[I];
    const StepCode &Code = *S.Code;
    auto &Cell = Cells[S.Thread];
    int Here = Open[S.Thread].back();
    bool Unit = !S.Executed || S.isUnit() || Code.Nodes.size() == 1 ||
                O.Calls == CallMode::Static;
    OpenAt.push_back(Open[S.Thread]);
    StepNodes.emplace_back();
    uint32_t StepWork = 0;
    auto OnStack = [&](const NodeCode &N) {
      return N.BaseSP || (N.BaseFP && Cell[Code.FP].Tag == FrameTag);
    };
    auto Add = [&](uint32_t Latency) {
      Node N;
      N.Step = I;
      N.Activation = Here;
      N.Latency = Latency;
      Nodes.push_back(N);
      StepNodes.back().push_back(int(Nodes.size() - 1));
      StepWork = std::max(StepWork, Latency);
    };
    auto From = [&](const Written &W, int To) {
      if (W.By >= 0)
        Edges.push_back({W.By, To, Why::Data});
    };

    if (!S.Executed) {
      Add(Code.Latency);
      int N = StepNodes.back()[0];
      for (unsigned C : Code.Predicate) {
        if (!(O.Suppress && Cell[C].Tag))
          From(Cell[C], N);
        Cell[C].Readers.push_back(N);
      }
      if (Code.Branch)
        BranchNodes.push_back(N);
    } else {
      std::vector<std::optional<Slot>> Restored(Code.Nodes.size());
      std::vector<bool> Saved(Code.Nodes.size());
      auto NodeOf = [&](size_t K) { return StepNodes.back()[Unit ? 0 : K]; };
      if (Unit) {
        uint32_t L = Code.Latency;
        if (!S.isUnit()) {
          L = 0;
          for (const NodeCode &N : Code.Nodes)
            L = std::max(L, O.Latency.of(S, &N, OnStack(N)));
        }
        Add(L);
      }
      for (size_t K = 0; K < Code.Nodes.size(); ++K) {
        const NodeCode &N = Code.Nodes[K];
        if (!Unit)
          Add(O.Latency.of(S, &N, OnStack(N)));
        int V = NodeOf(K);
        Range In = onePart(N.Load, S.Loads), Out = onePart(N.Store, S.Stores);
        auto Plain = [](Range R) {
          return R.Size && R.Size <= 16 && R.Size % 4 == 0 && R.Addr % 4 == 0;
        };
        if (O.Suppress && OnStack(N) && (N.Flags & NodeCode::Restore) &&
            Plain(In))
          for (Slot &E : Slots)
            if (!E.Return && E.Where == In && E.Activation == Here &&
                E.Cells == N.Moved)
              Restored[K] = E;
        if (O.Suppress && !S.isUnit() && OnStack(N) &&
            (N.Flags & NodeCode::Save) && Plain(Out)) {
          Saved[K] = true;
          for (unsigned C = N.Moved.First; C < N.Moved.end(); ++C)
            if (Cell[C].Step > Began[Here] || Cell[C].Tag == ReturnTag)
              Saved[K] = false;
        }
        for (unsigned C : Code.reads(N))
          if (!(Saved[K] && contains(N.Moved, C)) &&
              !(O.Suppress && Cell[C].Tag))
            From(Cell[C], V);
        if (!Restored[K])
          forEachPart(N.Load, S.Loads, [&](Range R) {
            if (O.Suppress && Plain(R))
              for (Slot &E : Slots)
                if (E.Return && E.Where == R)
                  return;
            for (auto It = Slots.begin(); It != Slots.end();) {
              auto E = It++;
              if (!E->Return && E->Where.overlaps(R)) {
                undo(*E);
                Slots.erase(E);
              }
            }
            for (uint32_t B = 0; B < R.Size; ++B)
              From(Memory[R.Addr + B], V);
          });
        for (unsigned C : Code.writes(N)) {
          if (Restored[K] && contains(N.Moved, C))
            continue;
          if (O.Modes.waw(Storage::Register) && !(O.Suppress && Cell[C].Tag))
            From(Cell[C], V);
          if (O.Modes.war(Storage::Register))
            for (int R : Cell[C].Readers)
              Edges.push_back({R, V, Why::Data});
        }
        Storage Where = OnStack(N) ? Storage::Stack : Storage::Memory;
        forEachPart(N.Store, S.Stores, [&](Range R) {
          for (uint32_t B = 0; B < R.Size; ++B) {
            Written &W = Memory[R.Addr + B];
            if (O.Modes.waw(Where) && W.By >= 0)
              Edges.push_back({W.By, V, Why::Data, R});
            if (O.Modes.war(Where))
              for (int By : W.Readers)
                Edges.push_back({By, V, Why::Data, R});
          }
        });
      }
      for (size_t K = 0; K < Code.Nodes.size(); ++K)
        if (Code.Branch &&
            (Unit ? K == 0 : (Code.Nodes[K].Flags & NodeCode::Flow) != 0))
          BranchNodes.push_back(NodeOf(K));

      for (size_t K = 0; K < Code.Nodes.size(); ++K) {
        const NodeCode &N = Code.Nodes[K];
        for (unsigned C : Code.reads(N))
          if (!(O.Suppress && Cell[C].Tag) &&
              !(Saved[K] && contains(N.Moved, C)))
            Cell[C].Readers.push_back(NodeOf(K));
        if (!Restored[K])
          forEachPart(N.Load, S.Loads, [&](Range R) {
            for (uint32_t B = 0; B < R.Size; ++B)
              Memory[R.Addr + B].Readers.push_back(NodeOf(K));
          });
      }
      for (size_t K = 0; K < Code.Nodes.size(); ++K) {
        const NodeCode &N = Code.Nodes[K];
        int V = NodeOf(K);
        if ((N.Flags & NodeCode::System) && S.Enters)
          continue;
        auto Tagged = [&](CellRef R) {
          bool All = R.Count != 0;
          for (unsigned C = R.First; C < R.end(); ++C)
            All &= Cell[C].Tag == ReturnTag;
          return All;
        };
        Range In = onePart(N.Load, S.Loads), Out = onePart(N.Store, S.Stores);
        bool FromSlot = false;
        for (Slot &E : Slots)
          FromSlot |= E.Return && E.Where == In;
        int Tag = NoTag;
        if ((N.Flags & NodeCode::WritesSP) ||
            ((N.Flags & NodeCode::FrameCopy) &&
             Cell[N.Source.First].Tag == FrameTag))
          Tag = FrameTag;
        else if (((N.Flags & NodeCode::ReturnsTo) && S.calls()) ||
                 ((N.Flags & NodeCode::MovesReg) && Tagged(N.Source)) ||
                 ((N.Flags & NodeCode::MovesMemory) && N.Load && O.Suppress &&
                  FromSlot))
          Tag = ReturnTag;
        bool StoresReturn =
            (Tag == ReturnTag && (N.Flags & NodeCode::ReturnsTo)) ||
            ((N.Flags & NodeCode::MovesMemory) && N.Store && Tagged(N.Moved));
        forEachPart(N.Store, S.Stores, [&](Range R) {
          for (auto It = Slots.begin(); It != Slots.end();) {
            auto E = It++;
            if (!E->Where.overlaps(R))
              continue;
            if (!E->Return && !E->Confirmed)
              undo(*E);
            Slots.erase(E);
          }
          for (uint32_t B = 0; B < R.Size; ++B) {
            Memory[R.Addr + B] = Written();
            Memory[R.Addr + B].By = V;
          }
        });
        if (Saved[K] || (O.Suppress && StoresReturn && Out.Size % 4 == 0 &&
                         Out.Addr % 4 == 0 && Out.Size && Out.Size <= 16)) {
          Slot E;
          E.Return = !Saved[K];
          E.Where = Out;
          E.Thread = int(S.Thread);
          E.Activation = Here;
          E.Store = V;
          if (Saved[K]) {
            E.Cells = N.Moved;
            for (unsigned C = N.Moved.First; C < N.Moved.end(); ++C)
              E.Was.push_back(Cell[C]);
          }
          Slots.push_back(E);
        }
        for (unsigned C : Code.writes(N)) {
          if (Restored[K] && contains(N.Moved, C)) {
            Cell[C] = Restored[K]->Was[C - N.Moved.First];
            Cell[C].Readers.clear();
            continue;
          }
          bool Filled =
              (N.Flags & (NodeCode::MovesReg | NodeCode::MovesMemory)) &&
              !contains(N.Moved, C);
          Cell[C] = Written();
          Cell[C].By = V;
          Cell[C].Step = I;
          Cell[C].Tag = Filled ? NoTag : Tag;
        }
        if (Restored[K])
          for (Slot &E : Slots)
            if (!E.Return && E.Where == Restored[K]->Where)
              E.Confirmed = true;
      }
    }
    Work += StepWork;

    for (unsigned K = 0; K < S.Leaves; ++K) {
      int A = Open[S.Thread].back();
      for (auto It = Slots.begin(); It != Slots.end();) {
        auto E = It++;
        if (E->Return || E->Activation != A)
          continue;
        if (!E->Confirmed)
          undo(*E);
        Slots.erase(E);
      }
      Activations[A].Return =
          S.Returns && K == 0 ? StepNodes.back()[0] : Virtual(A);
      Open[S.Thread].pop_back();
    }
    for (unsigned K = 0; K < S.Enters; ++K) {
      Activation A;
      A.Parent = Open[S.Thread].back();
      A.Thread = S.Thread;
      A.Before = I;
      A.RealCall = K == 0 && S.calls();
      A.Call = A.RealCall ? StepNodes.back()[0] : Virtual(A.Parent);
      Open[S.Thread].push_back(int(Activations.size()));
      Began.resize(Activations.size() + 1, -1);
      Began.back() = I;
      Activations.push_back(A);
    }
  }
  for (Slot &S : Slots)
    if (!S.Return && !S.Confirmed)
      undo(S);
  // Whatever is open ends at the end.
  for (auto &Stack : Open)
    while (Stack.size() > 1) {
      Activations[Stack.back()].Return = Virtual(Stack.back());
      Stack.pop_back();
    }
  (void)Atomic;
}

void Model::addStructure() {
  if (O.Calls == CallMode::None)
    return;
  for (int I = 0; I < int(Steps.size()); ++I)
    for (int V : StepNodes[I])
      for (int A : OpenAt[I]) {
        const Activation &Act = Activations[A];
        if (Act.Parent < 0)
          continue;
        for (int U : StepNodes[Act.Before])
          Edges.push_back({U, V, Why::Structure});
        Edges.push_back({Act.Call, V, Why::Structure});
        if (V != Act.Return)
          Edges.push_back({V, Act.Return, Why::Structure});
      }
  for (const Activation &A : Activations)
    if (A.Parent >= 0 && !A.RealCall)
      for (int U : StepNodes[A.Before])
        Edges.push_back({U, A.Call, Why::Order});
  for (const Activation &A : Activations)
    if (A.Parent >= 0 && Activations[A.Parent].Parent >= 0) {
      const Activation &Outer = Activations[A.Parent];
      if (Outer.Call < A.Call)
        Edges.push_back({Outer.Call, A.Call, Why::Structure});
      if (A.Return < Outer.Return)
        Edges.push_back({A.Return, Outer.Return, Why::Structure});
    }
}

/// Where all ways from each instruction meet again; -1: only at the end.
static std::map<uint32_t, int> meets(llvm::ArrayRef<Step> Steps,
                                     unsigned Threads) {
  std::set<std::pair<int, int>> Ways; // -1: the end
  std::vector<std::vector<int>> Last(Threads, {-2});
  std::set<int> All;
  for (const Step &S : Steps) {
    auto &L = Last[S.Thread];
    int Here = int(S.Code->Static);
    All.insert(Here);
    if (L.back() != -2)
      Ways.insert({L.back(), Here});
    L.back() = Here;
    for (unsigned K = 0; K < S.Leaves; ++K) {
      if (L.back() != -2)
        Ways.insert({L.back(), -1});
      L.pop_back();
    }
    for (unsigned K = 0; K < S.Enters; ++K)
      L.push_back(-2);
  }
  for (auto &L : Last)
    for (int S : L)
      if (S != -2)
        Ways.insert({S, -1});
  // P postdominates N: without P there is no way from N to the end.
  auto Reaches = [&](int N, int Without) {
    std::set<int> Seen = {N};
    std::vector<int> Todo = {N};
    while (!Todo.empty()) {
      int M = Todo.back();
      Todo.pop_back();
      for (auto It = Ways.lower_bound({M, -1});
           It != Ways.end() && It->first == M; ++It) {
        if (It->second == -1)
          return true;
        if (It->second != Without && Seen.insert(It->second).second)
          Todo.push_back(It->second);
      }
    }
    return false;
  };
  std::map<int, std::set<int>> After;
  for (int N : All)
    for (int P : All)
      if (P != N && !Reaches(N, P))
        After[N].insert(P);
  std::map<uint32_t, int> Meets;
  for (int N : All) {
    Meets[uint32_t(N)] = -1;
    // The nearest one: all others come after it.
    for (int P : After[N])
      if (After[P].size() + 1 == After[N].size())
        Meets[uint32_t(N)] = P;
  }
  return Meets;
}

void Model::addControl() {
  if (O.Control == ControlMode::None)
    return;
  std::map<uint32_t, int> Meets;
  if (O.Control == ControlMode::Exact)
    Meets = meets(Steps, O.Threads);
  for (int I = 0; I < int(Steps.size()); ++I) {
    std::vector<int> On;
    for (int B : BranchNodes) {
      const Node &Branch = Nodes[B];
      if (Branch.Step >= I)
        break;
      if (Steps[Branch.Step].Thread != Steps[I].Thread)
        continue;
      if (O.Control == ControlMode::Call &&
          !llvm::is_contained(OpenAt[I], Branch.Activation))
        continue;
      if (O.Control == ControlMode::Exact) {
        if (Branch.Activation != OpenAt[I].back())
          continue;
        int Meet = Meets[Steps[Branch.Step].Code->Static];
        bool Met = false;
        for (int J = Branch.Step + 1; J <= I; ++J)
          Met |= OpenAt[J].back() == Branch.Activation &&
                 int(Steps[J].Code->Static) == Meet;
        if (Met)
          continue;
        // Only the last one; all its nodes.
        if (!On.empty() && Nodes[On.back()].Step != Branch.Step)
          On.clear();
      }
      On.push_back(B);
    }
    for (int V : StepNodes[I])
      for (int U : On)
        Edges.push_back({U, V, Why::Control});
  }
}

void Model::mapToAncestors() {
  auto Chain = [&](int A) {
    std::vector<int> C;
    for (; A >= 0; A = Activations[A].Parent)
      C.insert(C.begin(), A);
    return C;
  };
  std::vector<Edge> Mapped;
  for (Edge E : Edges) {
    if (E.Reason == Why::Structure) {
      Mapped.push_back(E); // both ends are of one call
      continue;
    }
    std::vector<int> From = Chain(Nodes[E.From].Activation),
                     To = Chain(Nodes[E.To].Activation);
    if (From[0] != To[0])
      continue; // of different threads
    size_t Common = 0;
    while (Common < From.size() && Common < To.size() &&
           From[Common] == To[Common])
      ++Common;
    if (Common < From.size())
      E.From = Activations[From[Common]].Return;
    if (Common < To.size())
      E.To = Activations[To[Common]].Call;
    if (E.From != E.To)
      Mapped.push_back(E);
  }
  Edges = std::move(Mapped);
}

void Model::closeStatically() {
  // What a node is as the source and as the target of a dependence: twice the
  // static number, and 1 for the return of a call.
  std::map<int, int64_t> AsSource, AsTarget;
  for (int N = 0; N < int(Nodes.size()); ++N)
    if (Nodes[N].Step >= 0)
      AsSource[N] = AsTarget[N] =
          2 * int64_t(Steps[Nodes[N].Step].Code->Static);
  // A return is in the activation that it ends, and a source in its parent.
  struct Member {
    int Node;
    int64_t Source, Target;
  };
  std::vector<std::vector<Member>> Members(Activations.size());
  for (int N = 0; N < int(Nodes.size()); ++N) {
    const Node &Of = Nodes[N];
    if (Of.Step >= 0)
      Members[Of.Activation].push_back({N, AsSource[N], AsTarget[N]});
    for (const Activation &A : Activations) {
      if (A.Parent < 0)
        continue;
      int64_t Site = 2 * int64_t(Steps[A.Before].Code->Static);
      if (A.Return == N)
        Members[A.Parent].push_back({N, Site + 1, -1});
      if (A.Call == N && !A.RealCall)
        Members[A.Parent].push_back({N, -1, Site});
    }
  }
  std::set<std::pair<int64_t, int64_t>> Pairs;
  for (const Edge &E : Edges) {
    if (E.Reason != Why::Data)
      continue;
    // The activation that both are members of.
    for (const auto &List : Members) {
      int64_t Source = -1, Target = -1;
      for (const Member &M : List) {
        if (M.Node == E.From && M.Source >= 0)
          Source = M.Source;
        if (M.Node == E.To && M.Target >= 0)
          Target = M.Target;
      }
      if (Source >= 0 && Target >= 0)
        Pairs.insert({Source, Target});
    }
  }
  for (const auto &List : Members)
    for (size_t K = 0; K < List.size(); ++K)
      for (size_t L = K + 1; L < List.size(); ++L)
        if (List[K].Node < List[L].Node &&
            Pairs.count({List[K].Source, List[L].Target}))
          Edges.push_back({List[K].Node, List[L].Node, Why::Data});
  // One latency for an instruction: the longest.
  std::map<uint32_t, uint32_t> Longest;
  for (const Node &N : Nodes)
    if (N.Step >= 0) {
      uint32_t &L = Longest[Steps[N.Step].Code->Static];
      L = std::max(L, N.Latency);
    }
  for (Node &N : Nodes)
    if (N.Step >= 0)
      N.Latency = Longest[Steps[N.Step].Code->Static];
}

void Model::measure() {
  std::vector<std::vector<int>> Into(Nodes.size());
  for (const Edge &E : Edges)
    Into[E.To].push_back(E.From);
  for (size_t N = 0; N < Nodes.size(); ++N)
    for (int U : Into[N]) {
      assert(size_t(U) < N && "time runs backwards");
      Nodes[N].T = std::max(Nodes[N].T, Nodes[U].end());
    }
}

uint64_t Model::length(unsigned Thread) const {
  uint64_t Max = 0;
  for (const Node &N : Nodes)
    if (Activations[N.Activation].Thread == Thread)
      Max = std::max(Max, N.end());
  return Max;
}

uint64_t Model::length() const {
  uint64_t Max = 0;
  for (unsigned T = 0; T < O.Threads; ++T)
    Max = std::max(Max, length(T));
  return Max;
}

std::vector<int> Model::nodesOf(int Step) const { return StepNodes[Step]; }

} // namespace rw::dataflow
