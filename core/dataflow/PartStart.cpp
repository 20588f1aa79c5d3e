//===- PartStart.cpp - What came before a part of a trace -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/dataflow/PartStart.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;

namespace rw::dataflow {

namespace {

class Beginnings {
public:
  Beginnings(const TraceStore &Store, const CallIndex *Calls, StepCodes &Codes,
             Moment From)
      : Store(Store), Calls(Calls), Codes(Codes), From(From),
        Eng(options(Store, Codes), Nothing) {}

  /// Lets the engine see how the activations of \p T began.
  Error look(ThreadIndex T, const Watch &W) {
    auto P = Store.positionOf(T, From);
    if (!P)
      return P.takeError();
    if (!*P)
      return Error::success();
    auto Stack = Calls->stack(T, *P - 1);
    if (!Stack)
      return Stack.takeError();
    constexpr size_t Most = 1000;
    if (Stack->size() > Most)
      Stack->resize(Most);
    std::optional<Position> Last;
    for (const Activation &A : reverse(*Stack)) {
      if (Error E = W.check())
        return E;
      // An interrupt that came first is another one at the same place.
      if (Last == A.Start)
        continue;
      Last = A.Start;
      if (Error E = lookAt(T, A))
        return E;
    }
    return Error::success();
  }

  Expected<EngineStart> found() {
    EngineStart S = Eng.state();
    for (auto &P : S.Places) {
      auto By =
          Store.lastAccess(P.Where.Addr, P.Where.Size, AccessKind::Write, From);
      if (!By)
        return By.takeError();
      if (*By != P.When)
        P.Where = {};
    }
    erase_if(S.Places, [](auto &P) { return !P.Where.Size; });
    for (ThreadIndex T = 0; T < S.Tags.size(); ++T)
      if (Error E = check(T, S.Tags[T]))
        return E;
    return S;
  }

private:
  static EngineOptions options(const TraceStore &Store, StepCodes &Codes) {
    EngineOptions O;
    O.Threads = Store.numThreads();
    O.Cells = Codes.cells().size();
    O.PlacesKnown = Store.header().Can.MemAddresses;
    for (CellRef R : Codes.stackPointers())
      O.StackPointers.push_back(R);
    return O;
  }

  /// From the call on.
  Error lookAt(ThreadIndex T, const Activation &A) {
    auto First = Store.momentOf(T, A.Start ? A.Start - 1 : 0);
    if (!First)
      return First.takeError();
    StepReader Reader(Store, Calls, Codes, {*First, From, T});
    constexpr unsigned Most = 64;
    for (unsigned N = 0; N < Most; ++N) {
      const Step *S = Reader.next();
      if (!S || (N && (S->Enters || S->Leaves)))
        break;
      Eng.step(*S);
      Seen[T] = S->When + 1;
      Isa = S->Code->Isa;
    }
    return Reader.takeError();
  }

  /// Leaves only those in \p Tags that are true at From as well.
  Error check(ThreadIndex T, std::vector<uint8_t> &Tags) {
    const CellRef Link = Codes.cells().link(Isa);
    std::optional<RegisterState> Then, Now;
    for (unsigned C = 0; C < Tags.size(); ++C) {
      const RegisterSlice &At = Codes.cells().info(Cell(C)).Slice;
      const bool IsSP = any_of(Codes.stackPointers(),
                               [&](CellRef R) { return R.contains(C); });
      if (IsSP || (!Tags[C] && !Link.contains(C)) ||
          At.Lane == RegisterSlice::NoLane)
        continue;
      auto Written = Store.lastRegisterWrite(T, At.Lane, 0xff, From);
      if (!Written)
        return Written.takeError();
      if (!*Written || **Written == BeforeTrace || **Written < Seen[T])
        continue;
      if (!Then) {
        auto A = Store.registersAt(T, Seen[T],
                                   TraceStore::RegisterSet::General),
             B = Store.registersAt(T, From, TraceStore::RegisterSet::General);
        if (!A || !B)
          return joinErrors(A.takeError(), B.takeError());
        Then = std::move(*A);
        Now = std::move(*B);
      }
      const auto Was = Then->get(At), Is = Now->get(At);
      const bool Same = Was && Is && *Was == *Is;
      if (Tags[C] && Same)
        continue;
      Tags[C] = EngineStart::NoTag;
      if (!Link.contains(C))
        continue;
      auto I = Store.instruction(**Written);
      if (!I)
        return I.takeError();
      if (isCall(Codes.effects(I->Insn).Class))
        Tags[C] = EngineStart::ReturnTag;
    }
    return Error::success();
  }

  const TraceStore &Store;
  const CallIndex *Calls;
  StepCodes &Codes;
  const Moment From;
  NoTimes Nothing;
  Engine<NoTimes> Eng;
  std::map<ThreadIndex, Moment> Seen; ///< up to there
  ISA Isa = ISA::Unknown;
};

} // namespace

Expected<EngineStart> partStart(const TraceStore &Store, const CallIndex *Calls,
                                StepCodes &Codes,
                                const StepReader::Options &Part,
                                const Watch &W) {
  if (!Part.From || !Calls)
    return EngineStart();
  Beginnings B(Store, Calls, Codes, Part.From);
  for (ThreadIndex T = 0; T < std::min(Calls->numThreads(), Store.numThreads());
       ++T)
    if (!Part.Thread || *Part.Thread == T)
      if (Error E = B.look(T, W))
        return E;
  return B.found();
}

} // namespace rw::dataflow
