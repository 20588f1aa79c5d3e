//===- DepsLinks.cpp - What single instructions depend on -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/dataflow/DepsLinks.h"
#include "core/store/TraceStore.h"

using namespace llvm;

namespace rw {

using dataflow::DataPlace;
using dataflow::NodeCode;
using dataflow::Range;

StringRef name(DepsLink::Reason R) {
  static constexpr StringLiteral Names[] = {"raw", "war", "waw", "control",
                                            "call"};
  return Names[size_t(R)];
}

StringRef name(dataflow::Storage S) {
  static constexpr StringLiteral Names[] = {"register", "stack", "memory"};
  return Names[size_t(S)];
}

std::vector<Range> DepsOf::take(std::vector<Range> &Left, Range R,
                                bool Remove) {
  std::vector<Range> Common, Rest;
  for (Range L : Left) {
    if (!L.overlaps(R)) {
      Rest.push_back(L);
      continue;
    }
    Common.push_back(L.common(R));
    auto [Before, Behind] = L.around(Common.back());
    if (Before.Size)
      Rest.push_back(Before);
    if (Behind.Size)
      Rest.push_back(Behind);
  }
  if (Remove)
    Left = std::move(Rest);
  return Common;
}

/// What \p Left has of \p Ranges is what \p Of goes through.
static void takeThrough(DepsLink &Of, ArrayRef<Range> Ranges,
                        std::vector<Range> &Left, bool Remove) {
  for (Range R : Ranges)
    for (Range C : DepsOf::take(Left, R, Remove))
      Of.Through.push_back({Of.Of.Thread, {}, C});
}

/// Whether \p FP is a frame pointer: made of the stack pointer, or of itself
/// when it was one, plus a constant. What was restored was made before.
Expected<bool> DepsOf::isFrame(ThreadIndex T, dataflow::Cell FP,
                               Moment Before) const {
  while (true) {
    dataflow::BackwardSlice::Options O;
    O.MaxDepth = 0;
    dataflow::BackwardSlice Made(S.Store, Codes, Calls, O);
    if (Error E = Made.add({T, {FP, 1}, {}}, Before))
      return E;
    auto Step = Made.next(S.Watch);
    if (!Step)
      return Step.takeError();
    if (!*Step)
      return false;
    const dataflow::StepCode &Code = Codes.of((*Step)->Insn);
    auto N = find_if(Code.Nodes, [&](const NodeCode &N) {
      return is_contained(Code.writes(N), FP);
    });
    if (N == Code.Nodes.end() || !(N->Flags & NodeCode::FrameCopy))
      return false;
    if (!N->Source.contains(FP))
      return true;
    Before = (*Step)->Insn.When;
  }
}

Expected<dataflow::Storage> DepsOf::storage(const Instruction &Of,
                                            bool Stores) const {
  const dataflow::StepCode &Code = Codes.of(Of);
  for (const NodeCode &N : Code.Nodes) {
    if (!(Stores ? N.Store : N.Load))
      continue;
    bool Stack = N.BaseSP;
    if (N.BaseFP) {
      auto Frame = isFrame(Of.Thread, Code.FP, Of.When);
      if (!Frame)
        return Frame.takeError();
      Stack = *Frame;
    }
    return Stack ? dataflow::Storage::Stack : dataflow::Storage::Memory;
  }
  return dataflow::Storage::Memory;
}

/// Who wrote the bytes of \p R last, each with the bytes that are its. What
/// nobody wrote goes to \p Rest.
Error DepsOf::addWriters(Range R, DepsLink::Reason Why,
                         std::vector<DataPlace> *Rest,
                         std::vector<DepsLink> &To) const {
  auto Where = storage(I, Why == DepsLink::Waw);
  if (!Where)
    return Where.takeError();
  Moment Before = I.When;
  std::vector<Range> Left = {R};
  while (!Left.empty()) {
    std::optional<Moment> Last;
    for (Range L : Left) {
      auto M = S.Store.lastAccess(L.Addr, L.Size, AccessKind::Write, Before);
      if (!M)
        return M.takeError();
      Last = std::max(Last, *M);
    }
    if (!Last) {
      for (Range L : Left)
        if (Rest)
          Rest->push_back({0, {}, L});
      break;
    }
    auto By = S.Store.instruction(*Last);
    if (!By)
      return By.takeError();
    DepsLink Of{std::move(*By), Why, *Where, {}};
    takeThrough(Of, dataflow::Accesses(Of.Of).Stores, Left, /*Remove=*/true);
    To.push_back(std::move(Of));
    Before = *Last;
  }
  return Error::success();
}

/// Who read the bytes of \p R since they were written, the latest first.
Error DepsOf::addReaders(Range R, uint64_t Limit, std::vector<DepsLink> &To,
                         Ending &End) const {
  auto Where = storage(I, /*Stores=*/true);
  if (!Where)
    return Where.takeError();
  Moment Before = I.When;
  std::vector<Range> Left = {R};
  for (uint64_t Found = 0; !Left.empty();) {
    if (Error E = S.Watch.check())
      return E;
    std::optional<Moment> Read, Written;
    for (Range L : Left)
      for (bool Write : {false, true}) {
        auto M = S.Store.lastAccess(
            L.Addr, L.Size, Write ? AccessKind::Write : AccessKind::Read,
            Before);
        if (!M)
          return M.takeError();
        (Write ? Written : Read) = std::max(Write ? Written : Read, *M);
      }
    if (!Read || *Read < Part.From)
      break;
    auto By = S.Store.instruction(std::max(*Read, Written.value_or(0)));
    if (!By)
      return By.takeError();
    Before = By->When;
    // What it wrote itself it read before that.
    const dataflow::Accesses At(*By);
    for (Range Stored : At.Stores)
      take(Left, Stored, true);
    DepsLink Of{std::move(*By), DepsLink::War, *Where, {}};
    takeThrough(Of, At.Loads, Left, /*Remove=*/false);
    if (Of.Through.empty() || Before >= Part.To)
      continue;
    if (++Found > Limit) {
      End.Complete = false;
      break;
    }
    To.push_back(std::move(Of));
  }
  return Error::success();
}

/// Who overwrites the bytes of \p R next, each with the bytes that are its.
Error DepsOf::addOverwriters(Range R, DepsLink::Reason Why,
                             std::vector<DepsLink> &To) const {
  Moment After = I.When;
  std::vector<Range> Left = {R};
  while (!Left.empty()) {
    std::optional<Moment> Next;
    for (Range L : Left) {
      auto M = S.Store.nextAccess(L.Addr, L.Size, AccessKind::Write, After);
      if (!M)
        return M.takeError();
      if (*M)
        Next = std::min(Next.value_or(**M), **M);
    }
    if (!Next)
      break;
    auto By = S.Store.instruction(*Next);
    if (!By)
      return By.takeError();
    auto Where = storage(*By, /*Stores=*/true);
    if (!Where)
      return Where.takeError();
    DepsLink Of{std::move(*By), Why, *Where, {}};
    takeThrough(Of, dataflow::Accesses(Of.Of).Stores, Left, /*Remove=*/true);
    To.push_back(std::move(Of));
    After = *Next;
  }
  return Error::success();
}

Error DepsOf::addAt(Position P, DepsLink::Reason Why,
                    std::vector<DepsLink> &To) const {
  auto M = S.Store.momentOf(I.Thread, P);
  if (!M)
    return M.takeError();
  auto Of = S.Store.instruction(*M);
  if (!Of)
    return Of.takeError();
  To.push_back({std::move(*Of), Why, {}, {}});
  return Error::success();
}

/// One for each instruction and kind.
static std::vector<DepsLink> merged(std::vector<DepsLink> All) {
  std::vector<DepsLink> Links;
  for (DepsLink &L : All) {
    auto Same = find_if(Links, [&](const DepsLink &Of) {
      return Of.Of.When == L.Of.When && Of.Why == L.Why && Of.Where == L.Where;
    });
    if (Same == Links.end())
      Links.push_back(std::move(L));
    else
      append_range(Same->Through, L.Through);
  }
  return Links;
}

std::vector<DepsLink> DepsOf::inPart(std::vector<DepsLink> Links) const {
  erase_if(Links, [&](const DepsLink &L) {
    return L.Of.When < Part.From || L.Of.When >= Part.To;
  });
  return Links;
}

Expected<std::vector<DepsLink>> DepsOf::needs(uint64_t Limit,
                                              std::vector<DataPlace> &Before,
                                              Ending &End) const {
  std::vector<DepsLink> Links;
  if (Raw) {
    dataflow::BackwardSlice::Options O;
    O.Suppress = false;
    O.MaxDepth = 1;
    dataflow::BackwardSlice Slice(S.Store, Codes, nullptr, O);
    Slice.add(I.When);
    auto Step = Slice.next(S.Watch);
    if (!Step)
      return Step.takeError();
    for (const dataflow::SliceStep::Need &N : (*Step)->Needs) {
      if (N.Of.Memory.Size) {
        if (Error E = addWriters(N.Of.Memory, DepsLink::Raw, &Before, Links))
          return E;
        continue;
      }
      if (!N.By) {
        Before.push_back(N.Of);
        continue;
      }
      auto By = S.Store.instruction(*N.By);
      if (!By)
        return By.takeError();
      Links.push_back(
          {std::move(*By), DepsLink::Raw, dataflow::Storage::Register, {N.Of}});
    }
  }
  for (Range R : dataflow::Accesses(I).Stores) {
    if (Waw)
      if (Error E = addWriters(R, DepsLink::Waw, nullptr, Links))
        return E;
    if (War)
      if (Error E = addReaders(R, Limit, Links, End))
        return E;
  }
  std::optional<Position> Caller;
  if (Structure && Calls) {
    auto A = Calls->enclosing(I.Thread, I.Pos);
    if (!A)
      return A.takeError();
    if (*A && (*A)->Depth && (*A)->Start &&
        !((*A)->Flags & Activation::BeforeTrace)) {
      Caller = (*A)->Start - 1;
      if (Error E = addAt(*Caller, DepsLink::Call, Links))
        return E;
    }
  }
  if (Control) {
    auto By = Control->parent(I.When);
    if (!By)
      return By.takeError();
    if (*By) {
      auto Of = S.Store.instruction(**By);
      if (!Of)
        return Of.takeError();
      if (Of->Pos != Caller)
        Links.push_back({std::move(*Of), DepsLink::Control, {}, {}});
    }
  }
  Links = inPart(merged(std::move(Links)));
  llvm::sort(Links, [](const DepsLink &A, const DepsLink &B) {
    return std::tuple(~A.Of.When, A.Why, A.Where) <
           std::tuple(~B.Of.When, B.Why, B.Where);
  });
  return Links;
}

Expected<std::vector<DepsLink>> DepsOf::feeds(uint64_t Limit,
                                              Ending &End) const {
  const dataflow::Accesses At(I);
  std::vector<DepsLink> Links;
  for (Range R : At.Stores)
    if (Waw)
      if (Error E = addOverwriters(R, DepsLink::Waw, Links))
        return E;
  for (Range R : At.Loads)
    if (War)
      if (Error E = addOverwriters(R, DepsLink::War, Links))
        return E;
  if (Structure && Calls) {
    auto A = Calls->enclosing(I.Thread, I.Pos);
    auto Inside = Calls->enclosing(I.Thread, I.Pos + 1);
    if (!A || !Inside)
      return joinErrors(A.takeError(), Inside.takeError());
    if (*Inside && (*Inside)->Start == I.Pos + 1 && (*Inside)->Depth)
      if (Error E = addAt(I.Pos + 1, DepsLink::Call, Links))
        return E;
    if (*A && (*A)->returned() && (*A)->Depth && (*A)->End > I.Pos + 1)
      if (Error E = addAt((*A)->End - 1, DepsLink::Call, Links))
        return E;
  }

  std::vector<dataflow::Cell> Cells;
  std::vector<Range> Memory;
  if (Raw && (I.Insn.Flags & InsnItem::Executed)) {
    const dataflow::StepCode &Code = Codes.of(I);
    for (const NodeCode &N : Code.Nodes)
      for (dataflow::Cell C : Code.writes(N))
        Cells.push_back(C);
    Memory.assign(At.Stores.begin(), At.Stores.end());
  }
  const Moment To =
      std::max(I.When + 1, std::min(Part.To, S.Store.numInstructions()));
  dataflow::StepReader Reader(S.Store, nullptr, Codes, {I.When + 1, To, {}});
  uint64_t Total = To - I.When;
  Pace P(S.Watch, "looking ahead", Total);
  End.Searched = {I.When, I.When};
  uint64_t Steps = 0, Readers = 0;
  while (!Cells.empty() || !Memory.empty()) {
    if (Steps++ % 4096 == 0 && S.cancelled()) {
      End.Cancelled = true;
      End.Complete = false;
      break;
    }
    if (Readers == Limit) {
      End.Complete = false;
      break;
    }
    const dataflow::Step *Step = Reader.next();
    if (!Step)
      break;
    End.Searched.To = Step->When + 1;
    if (Error E = P.at(Step->When - I.When)) {
      consumeError(std::move(E));
      End.Cancelled = true;
      End.Complete = false;
      break;
    }
    std::vector<DataPlace> InRegisters, InMemory;
    const dataflow::StepCode &Code = *Step->Code;
    const bool Mine = Step->Thread == I.Thread;
    auto Reads = [&](ArrayRef<dataflow::Cell> Of) {
      for (dataflow::Cell C : Of)
        if (Mine && is_contained(Cells, C))
          InRegisters.push_back({I.Thread, {C, 1}, {}});
    };
    if (!Step->Executed)
      Reads(Code.Predicate);
    else
      for (const NodeCode &N : Code.Nodes)
        Reads(Code.reads(N));
    for (Range R : Step->Loads)
      for (Range C : take(Memory, R, false))
        InMemory.push_back({I.Thread, {}, C});
    if (!InRegisters.empty() || !InMemory.empty()) {
      Readers += Step->When >= Part.From;
      auto By = S.Store.instruction(Step->When);
      if (!By)
        return joinErrors(By.takeError(), Reader.takeError());
      if (!InRegisters.empty())
        Links.push_back({*By, DepsLink::Raw, dataflow::Storage::Register,
                         std::move(InRegisters)});
      if (!InMemory.empty()) {
        auto Where = storage(*By, /*Stores=*/false);
        if (!Where)
          return joinErrors(Where.takeError(), Reader.takeError());
        Links.push_back(
            {std::move(*By), DepsLink::Raw, *Where, std::move(InMemory)});
      }
    }
    if (!Step->Executed)
      continue;
    if (Mine)
      for (const NodeCode &N : Code.Nodes)
        for (dataflow::Cell C : Code.writes(N))
          llvm::erase(Cells, C);
    for (Range R : Step->Stores)
      take(Memory, R, true);
  }
  if (Error E = Reader.takeError())
    return E;
  Links = inPart(merged(std::move(Links)));
  llvm::sort(Links, [](const DepsLink &A, const DepsLink &B) {
    return std::tuple(A.Of.When, A.Why, A.Where) <
           std::tuple(B.Of.When, B.Why, B.Where);
  });
  return Links;
}

} // namespace rw
