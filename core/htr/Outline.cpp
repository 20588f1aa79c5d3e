//===- Outline.cpp - A trace as a tree of calls and loops -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/htr/Outline.h"
#include "llvm/ADT/DenseSet.h"
#include <queue>
#include <tuple>

using namespace llvm;

namespace rw::htr {

/// Rows that are being gathered, by what they are.
class Outliner::Children {
public:
  uint64_t Fold = 0; ///< entry pc of the function that is opened
  bool Folds = false;
  std::vector<OutlineRow> Rows;

  void add(OutlineRow::Kind What, BlockId Site, uint64_t Value, BlockId B,
           uint64_t Times, Place At, uint64_t Length) {
    auto [It, New] = Known.try_emplace({What, Site, Value}, Rows.size());
    if (New) {
      OutlineRow R;
      R.What = What;
      R.Id = B;
      R.At = At;
      if (What == OutlineRow::Call) {
        R.Functions.push_back(Value);
        R.Chain.push_back(B);
      }
      Rows.push_back(std::move(R));
    }
    OutlineRow &R = Rows[It->second];
    if (At < R.At) {
      R.At = At;
      R.Id = B;
    }
    R.Times += Times;
    R.Instructions += Times * Length;
    R.Of.push_back({B, Times, At});
  }

private:
  std::map<std::tuple<uint8_t, BlockId, uint64_t>, size_t> Known;
};

Outliner::Outliner(const HtrFile &File, const OutlineOptions &Options)
    : File(File), Options(Options),
      Layer(std::min(Options.Layer, File.numLayers() - 1)),
      TimesOf(File.numBlocks()), FirstOf(File.numBlocks()),
      BeforeOf(File.numBlocks()) {}

void Outliner::note(BlockId B, uint64_t Times, Place At, BlockId Before) {
  if (!TimesOf[B]) {
    Heap.push_back(B);
    std::push_heap(Heap.begin(), Heap.end());
    FirstOf[B] = At;
    BeforeOf[B] = Before;
  } else if (At < FirstOf[B]) {
    FirstOf[B] = At;
    BeforeOf[B] = Before;
  }
  TimesOf[B] += Times;
}

void Outliner::part(Children &To, BlockId B, uint64_t Times, Place At,
                    BlockId &Before) {
  switch (File.kind(B)) {
  case BlockKind::Function: {
    const BlockInfo I = File.block(B);
    if (To.Folds && To.Fold == I.Value) {
      note(B, Times, At, NoBlock);
    } else {
      const BlockId Site =
          Before == NoBlock ? NoBlock : File.block(Before).Exit;
      To.add(OutlineRow::Call, Site, I.Value, B, Times, At, I.Length);
    }
    Before = NoBlock;
    return;
  }
  case BlockKind::Repeat:
  case BlockKind::Iterations: {
    const auto F = File.loopFacts(B);
    To.add(OutlineRow::Loop, NoBlock, F ? F->Header : File.block(B).Entry, B,
           Times, At, File.length(B));
    break;
  }
  case BlockKind::Break:
    To.add(OutlineRow::Gap, NoBlock, B, B, Times, At, 0);
    return;
  case BlockKind::Instruction:
  case BlockKind::Sequence:
    note(B, Times, At, Before);
  }
  Before = B;
}

bool Outliner::isPlain(BlockId B) const {
  if (File.kind(B) == BlockKind::Instruction)
    return true;
  if (File.kind(B) != BlockKind::Sequence)
    return false;
  const UnitRange R = File.parts(B, Layer);
  for (uint64_t K = 0; K < R.size(); ++K)
    if (File.kind(File.unit(R, K)) != BlockKind::Instruction)
      return false;
  return true;
}

/// Parts have smaller ids than what they are parts of: when the largest is
/// taken, all its executions are known.
std::vector<OutlineRow> Outliner::finish(Children &To) {
  while (!Heap.empty()) {
    std::pop_heap(Heap.begin(), Heap.end());
    const BlockId B = Heap.back();
    Heap.pop_back();
    const uint64_t Times = TimesOf[B];
    TimesOf[B] = 0;
    if (isPlain(B)) {
      To.add(OutlineRow::Code, NoBlock, B, B, Times, FirstOf[B],
             File.length(B));
      continue;
    }
    const UnitRange R = File.parts(B, Layer);
    BlockId Before = BeforeOf[B];
    Place At = FirstOf[B];
    for (uint64_t K = 0; K < R.size(); ++K) {
      const BlockId P = File.unit(R, K);
      part(To, P, Times, At, Before);
      At += File.length(P);
    }
  }
  for (OutlineRow &R : To.Rows)
    complete(R);
  stable_sort(To.Rows, [](const OutlineRow &A, const OutlineRow &B) {
    return A.At < B.At;
  });
  return std::move(To.Rows);
}

void Outliner::complete(OutlineRow &R) const {
  llvm::sort(R.Of, [](const BlockTimes &A, const BlockTimes &B) {
    return A.Id < B.Id;
  });
  size_t Kept = 0;
  for (size_t I = 0; I < R.Of.size(); ++I) {
    if (I && R.Of[Kept - 1].Id == R.Of[I].Id) {
      R.Of[Kept - 1].Times += R.Of[I].Times;
      R.Of[Kept - 1].At = std::min(R.Of[Kept - 1].At, R.Of[I].At);
    } else {
      R.Of[Kept++] = R.Of[I];
    }
  }
  R.Of.resize(Kept);
  // Where all occurrences of a block are here, its time is known.
  if (File.hasTime()) {
    uint64_t Time = 0;
    bool All = true;
    for (const BlockTimes &M : R.Of) {
      const BlockInfo I = File.block(M.Id);
      All &= I.Occurrences == M.Times;
      Time += I.Time.value_or(0);
    }
    if (All)
      R.Time = Time;
  }
}

LoopSummary summarizeLoop(const HtrFile &File, ArrayRef<BlockTimes> Stays) {
  LoopSummary S;
  std::map<uint64_t, uint64_t> Costs;
  uint64_t Count = 0;
  S.MinTrips = ~uint64_t(0);
  for (const BlockTimes &M : Stays) {
    const auto F = File.loopFacts(M.Id);
    uint64_t Trips = 0;
    uint64_t Last = 0, LastLength = 0, LastTimes = 0;
    auto take = [&] {
      if (!LastTimes)
        return;
      Trips += LastTimes;
      Costs[LastLength] += LastTimes * M.Times;
      if (!S.Dearest || LastLength > S.Max ||
          (LastLength == S.Max && M.At + Last < *S.Dearest)) {
        S.Max = LastLength;
        S.Dearest = M.At + Last;
      }
    };
    File.forEachRounds(M.Id, [&](const HtrFile::Rounds &R) {
      take();
      Last = R.Offset;
      LastLength = File.length(R.Id);
      LastTimes = R.Times;
      return true;
    });
    if (F && F->EndsInTest)
      --LastTimes;
    take();
    S.Stays += M.Times;
    S.Trips += Trips * M.Times;
    S.MinTrips = std::min(S.MinTrips, Trips);
    S.MaxTrips = std::max(S.MaxTrips, Trips);
    if (F) {
      S.Irreducible |= F->Irreducible;
      if (F->BeginsInside && !F->Irreducible)
        S.Cut += M.Times;
    }
    Count += Trips * M.Times;
  }
  // The p-th of n values in order, the first one having rank 1.
  auto percentile = [&](unsigned P) -> uint64_t {
    const uint64_t Rank =
        std::max<uint64_t>(1, (Count / 100) * P + (Count % 100 * P + 99) / 100);
    uint64_t Before = 0;
    for (auto [Cost, Times] : Costs)
      if ((Before += Times) >= Rank)
        return Cost;
    return 0;
  };
  if (!Costs.empty())
    S.Min = Costs.begin()->first;
  S.Median = percentile(50);
  S.P99 = percentile(99);
  return S;
}

/// Code is one row where there is something else.
static std::vector<OutlineRow> withOwn(std::vector<OutlineRow> All) {
  auto isCode = [](const OutlineRow &R) { return R.What == OutlineRow::Code; };
  const size_t Pieces = llvm::count_if(All, isCode);
  if (Pieces < 2 || Pieces == All.size())
    return All;
  OutlineRow Own;
  Own.What = OutlineRow::Own;
  std::vector<OutlineRow> Rows;
  for (OutlineRow &R : All) {
    if (!isCode(R)) {
      Rows.push_back(std::move(R));
      continue;
    }
    if (Own.Of.empty())
      Own.At = R.At;
    Own.Instructions += R.Instructions;
    Own.Of.insert(Own.Of.end(), R.Of.begin(), R.Of.end());
  }
  Rows.push_back(std::move(Own));
  stable_sort(Rows, [](const OutlineRow &A, const OutlineRow &B) {
    return A.At < B.At;
  });
  return Rows;
}

/// What is told of rows that are on the page only.
void Outliner::describe(OutlineRow &Row) const {
  if (Row.What == OutlineRow::Loop)
    Row.Rounds = summarizeLoop(File, Row.Of);
  if (Row.What != OutlineRow::Call)
    return;
  Row.Nested = 0;
  Row.HasOthers = false;
  for (const BlockTimes &M : Row.Of) {
    const FunctionFacts F = File.functionFacts(M.Id);
    Row.Nested += M.Times * F.Itself;
    Row.HasOthers |= F.HasOthers;
  }
}

std::vector<OutlineRow> Outliner::inside(const OutlineRow &Row) {
  Children To;
  if (Row.What == OutlineRow::Own) {
    for (const BlockTimes &M : Row.Of)
      To.add(OutlineRow::Code, NoBlock, M.Id, M.Id, M.Times, M.At,
             File.length(M.Id));
    return finish(To);
  }
  if (Row.What == OutlineRow::Call) {
    To.Folds = true;
    To.Fold = Row.Functions.back();
  }
  for (const BlockTimes &M : Row.Of) {
    if (Row.What != OutlineRow::Loop) {
      if (!isPlain(M.Id) && File.kind(M.Id) != BlockKind::Break)
        note(M.Id, M.Times, M.At, NoBlock);
      continue;
    }
    File.forEachRounds(M.Id, [&](const HtrFile::Rounds &R) {
      BlockId Before = NoBlock;
      part(To, R.Id, R.Times * M.Times, M.At + R.Offset, Before);
      return true;
    });
  }
  return withOwn(finish(To));
}

/// The \p Count largest rows; of equal ones the first.
static DenseSet<const OutlineRow *> largest(ArrayRef<OutlineRow> Rows,
                                            size_t Count) {
  std::vector<const OutlineRow *> All;
  for (const OutlineRow &R : Rows)
    All.push_back(&R);
  stable_sort(All, [](const OutlineRow *A, const OutlineRow *B) {
    return A->Instructions > B->Instructions;
  });
  All.resize(std::min(All.size(), Count));
  return {All.begin(), All.end()};
}

/// Puts what hardly matters into one row; with MaxDepth, what there are no
/// lines for.
std::vector<OutlineRow> Outliner::chosen(std::vector<OutlineRow> Rows) {
  if (Options.MaxDepth && Rows.size() <= Left)
    return Rows;
  std::vector<OutlineRow> Kept;
  OutlineRow Rest;
  Rest.What = OutlineRow::Rest;
  auto leaveOut = [&](const OutlineRow &R) {
    if (!Rest.Times++)
      Rest.At = R.At;
    Rest.Instructions += R.Instructions;
  };
  if (Options.MaxDepth) {
    Cut = true;
    const DenseSet<const OutlineRow *> Keep =
        largest(Rows, Left ? Left - 1 : 0);
    for (OutlineRow &R : Rows)
      if (Keep.contains(&R))
        Kept.push_back(std::move(R));
      else
        leaveOut(R);
    Kept.push_back(std::move(Rest));
    return Kept;
  }
  // The line of what is left out is one of those that there is room for.
  const uint64_t Room = std::min(std::max<uint64_t>(6, Left / 3), Left);
  const DenseSet<const OutlineRow *> Keep =
      largest(Rows, Rows.size() > Room ? (Room ? Room - 1 : 0) : Rows.size());
  const uint64_t Least = uint64_t(Options.Small * Whole);
  auto stays = [&](const OutlineRow &R) {
    return R.What == OutlineRow::Gap ||
           (R.Instructions >= Least && Keep.contains(&R));
  };
  if (Rows.size() - llvm::count_if(Rows, stays) < 2)
    return Rows;
  for (OutlineRow &R : Rows)
    if (stays(R))
      Kept.push_back(std::move(R));
    else
      leaveOut(R);
  Kept.push_back(std::move(Rest));
  return Kept;
}

/// Instructions that are no block of their own, one after the other.
void Outliner::joinInstructions(std::vector<OutlineRow> &Rows) const {
  std::vector<OutlineRow> Joined;
  for (OutlineRow &R : Rows) {
    const bool Single = R.What == OutlineRow::Code && R.Id != NoBlock &&
                        File.kind(R.Id) == BlockKind::Instruction;
    if (Single && !Joined.empty()) {
      OutlineRow &Last = Joined.back();
      if (Last.First != NoBlock && Last.Times == R.Times &&
          R.At == Last.At + Last.Of.size()) {
        Last.Id = NoBlock;
        Last.Last = R.Id;
        Last.Instructions += R.Instructions;
        Last.Time.reset();
        append_range(Last.Of, R.Of);
        continue;
      }
    }
    if (Single)
      R.First = R.Last = R.Id;
    Joined.push_back(std::move(R));
  }
  Rows = std::move(Joined);
}

/// What opening a row is worth. A function in one of the same name has mostly
/// rows that are on the page already, and what code is made of is told when
/// there is room.
uint64_t Outliner::rank(const OutlineRow &Row) {
  if (Row.What == OutlineRow::Own)
    return Row.Instructions / 8;
  unsigned Again = 0;
  if (Row.What == OutlineRow::Call)
    for (const OutlineRow *P = Row.Parent; P && Again < 16; P = P->Parent)
      Again += P->What == OutlineRow::Call &&
               is_contained(P->Functions, Row.Functions.back());
  return Row.Instructions >> (2 * Again);
}

void Outliner::open(std::vector<OutlineRow> &Rows) {
  struct Smaller {
    bool operator()(const OutlineRow *A, const OutlineRow *B) const {
      return std::tuple(A->Rank, B->At) < std::tuple(B->Rank, A->At);
    }
  };
  // Rows do not move once they are in Inside of their parent.
  std::priority_queue<OutlineRow *, std::vector<OutlineRow *>, Smaller> Queue;
  std::map<const OutlineRow *, unsigned> DepthOf;
  auto add = [&](OutlineRow &R, unsigned Depth) {
    if (R.What == OutlineRow::Rest || R.What == OutlineRow::Gap ||
        Depth >= Options.MaxDepth.value_or(MaxOutlineDepth))
      return;
    DepthOf[&R] = Depth;
    R.Rank = rank(R);
    Queue.push(&R);
  };
  for (OutlineRow &R : Rows)
    add(R, 0);
  while (!Queue.empty() && (Left || (Options.MaxDepth && !Cut))) {
    if (Options.Stop && Options.Stop->cancelled()) {
      Cut = true;
      return;
    }
    OutlineRow &R = *Queue.top();
    Queue.pop();
    if (!Options.MaxDepth && R.Rank < 5 * Options.Small * Whole)
      continue;
    std::vector<OutlineRow> In;
    uint64_t Glue = 0, Pieces = 0;
    std::optional<Place> GlueAt;
    // What only calls on is no line of its own.
    for (;;) {
      In = inside(R);
      if (Options.MaxDepth || R.What != OutlineRow::Call)
        break;
      size_t Main = In.size();
      uint64_t Others = 0;
      for (size_t I = 0; I < In.size(); ++I)
        if (Main == In.size() || In[I].Instructions > In[Main].Instructions)
          Main = I;
      for (size_t I = 0; I < In.size(); ++I)
        if (I != Main)
          Others += In[I].Instructions;
      if (Main == In.size() || In[Main].What != OutlineRow::Call ||
          In[Main].Times != R.Times || R.Nested ||
          Glue + Others >= Options.Small * Whole ||
          is_contained(R.Functions, In[Main].Functions[0]) ||
          any_of(In,
                 [](const OutlineRow &C) { return C.What == OutlineRow::Gap; }))
        break;
      for (size_t I = 0; I < In.size(); ++I)
        if (I != Main) {
          ++Pieces;
          GlueAt = std::min(GlueAt.value_or(In[I].At), In[I].At);
        }
      Glue += Others;
      R.Functions.push_back(In[Main].Functions[0]);
      R.Chain.push_back(In[Main].Id);
      R.Of = std::move(In[Main].Of);
      describe(R);
    }
    if (!Options.MaxDepth)
      joinInstructions(In);
    // A run of plain code under a name of its own says nothing new.
    if (In.size() == 1 && In[0].What == OutlineRow::Code && !Glue)
      continue;
    if (In.empty() && !Glue)
      continue;
    if (!Left) { // only to know whether anything is left out
      Cut = true;
      return;
    }
    const size_t All = In.size();
    In = chosen(std::move(In));
    // One or two of many things and a line for the rest tell little: what is
    // smaller may fit.
    if (!Options.MaxDepth && All > Left && In.size() == Left && Left < 4)
      continue;
    if (Glue) {
      if (In.empty() || In.back().What != OutlineRow::Rest) {
        OutlineRow Rest;
        Rest.What = OutlineRow::Rest;
        Rest.At = *GlueAt;
        In.push_back(std::move(Rest));
      }
      In.back().Times += Pieces;
      In.back().Instructions += Glue;
      In.back().At = std::min(In.back().At, *GlueAt);
    }
    // A line that says only how much there is in it tells nothing.
    if (In.size() > Left ||
        (!Options.MaxDepth && In[0].What == OutlineRow::Rest))
      continue;
    Left -= In.size();
    R.Inside = std::move(In);
    const unsigned Depth = DepthOf[&R];
    for (OutlineRow &C : R.Inside) {
      C.Parent = &R;
      describe(C);
      add(C, Depth + 1);
    }
  }
}

std::vector<OutlineRow> Outliner::outline(const UnitRange &Range, uint64_t From,
                                          uint64_t To, Place At) {
  // As if the range were what some row is made of.
  Children Top;
  BlockId Before = NoBlock;
  for (uint64_t I = From; I < To; ++I) {
    const BlockId B = File.unit(Range, I);
    part(Top, B, 1, At, Before);
    At += File.length(B);
  }
  std::vector<OutlineRow> Rows = withOwn(finish(Top));
  for (const OutlineRow &R : Rows)
    Whole += R.Instructions;
  Left = Options.MaxRows;
  Rows = chosen(std::move(Rows));
  Left -= std::min<uint64_t>(Left, Rows.size());
  for (OutlineRow &R : Rows)
    describe(R);
  open(Rows);
  return Rows;
}

std::vector<OutlineRow> Outliner::list(const UnitRange &Range, uint64_t From,
                                       uint64_t To, Place At, uint64_t Times) {
  std::vector<OutlineRow> Rows;
  Whole = (File.offsetOf(Range, To) - File.offsetOf(Range, From)) * Times;
  for (uint64_t I = From; I < To; ++I) {
    const BlockId B = File.unit(Range, I);
    const BlockInfo Info = File.block(B);
    const bool Plain = Info.Kind == BlockKind::Instruction;
    if (Plain && !Rows.empty() && Rows.back().First != NoBlock) {
      Rows.back().Id = NoBlock;
      Rows.back().Of.clear();
      Rows.back().Last = B;
      Rows.back().Instructions += Times;
      Rows.back().Time.reset();
    } else if (Rows.size() == Options.MaxRows) {
      OutlineRow R;
      R.What = OutlineRow::Rest;
      R.Times = To - I;
      R.At = At;
      R.Instructions =
          (File.offsetOf(Range, To) - File.offsetOf(Range, I)) * Times;
      Rows.push_back(std::move(R));
      break;
    } else {
      OutlineRow R;
      R.What =
          Info.Kind == BlockKind::Function ? OutlineRow::Call
          : Info.Kind == BlockKind::Break  ? OutlineRow::Gap
          : Info.Kind == BlockKind::Repeat || Info.Kind == BlockKind::Iterations
              ? OutlineRow::Loop
              : OutlineRow::Code;
      R.Id = B;
      if (Plain)
        R.First = R.Last = B;
      if (R.What == OutlineRow::Call) {
        R.Functions.push_back(Info.Value);
        R.Chain.push_back(B);
      }
      R.At = At;
      R.Times = Times;
      R.Instructions = Info.Length * Times;
      R.Of.push_back({B, Times, At});
      complete(R);
      describe(R);
      Rows.push_back(std::move(R));
    }
    At += Info.Length;
  }
  Left = Options.MaxRows - std::min<uint64_t>(Options.MaxRows, Rows.size());
  if (Options.MaxDepth.value_or(0))
    open(Rows);
  return Rows;
}

} // namespace rw::htr
