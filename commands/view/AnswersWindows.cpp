//===- AnswersWindows.cpp - Where a part of a long list begins ------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Commands list from somewhere on. A list that is longer than a screen is shown
// around the position: these questions tell where the items before it begin.
//
//===----------------------------------------------------------------------===//

#include "commands/lvalues/SlotOwner.h"
#include "commands/support/Access.h"
#include "commands/view/Answers.h"
#include "core/arch/CodeAddress.h"
#include "core/calls/CallContexts.h"
#include "core/store/TraceStore.h"
#include <deque>

using namespace llvm;

namespace rw {

static constexpr uint64_t MaxWindow = 10000;

/// The last "count" writes of the location "of" (as it is understood at "at")
/// before "before", or before the end: {"count":, "from": position of the first
/// of them, "thread": its thread, "complete": no write is before it}. Of a
/// local variable, those during its call. Few are told of what is big: the
/// "count" that is wanted of it is told as "window".
ViewAnswers::Answer ViewAnswers::writesBefore(const ViewFields &F) {
  auto Now = asked(F);
  if (!Now)
    return Now.takeError();
  const Place Here{Now->Thread, Now->When};
  auto Of = F.text("of");
  auto Count = F.number("count", MaxWindow);
  auto BeforeThread =
      F.numberOr("before_thread", S.Store.numThreads(), Here.Thread + 1);
  if (!Of || !Count || !BeforeThread)
    return joinErrors(joinErrors(Of.takeError(), Count.takeError()),
                      BeforeThread.takeError());
  if (!*BeforeThread)
    return userError("threads count from 1");
  Moment Cursor = S.Store.numInstructions();
  if (F.has("before")) {
    auto P = position(F, "before", ThreadIndex(*BeforeThread - 1));
    if (!P)
      return P.takeError();
    auto M = S.Store.momentOf(ThreadIndex(*BeforeThread - 1), *P);
    if (!M)
      return M.takeError();
    Cursor = *M;
  }
  auto L = parseLocation(S, Here, *Of, std::nullopt);
  if (!L)
    return L.takeError();
  if (Error E = checkQuestion(*L, AccessKind::Write))
    return E;
  auto Owner = ownerOf(S, Here, *L);
  if (!Owner)
    return Owner.takeError();
  Moment First = 0;
  if (*Owner) {
    First = (*Owner)->Life.From;
    Cursor = std::min(Cursor, std::max((*Owner)->Life.To, First));
  }
  // Each item tells the whole value twice.
  const uint64_t Window =
      std::clamp<uint64_t>(*Count * 64 / std::max<uint64_t>(L->Size, 1),
                           std::min<uint64_t>(*Count, 50), *Count);
  uint64_t Found = 0;
  bool Complete = false;
  while (Found < Window && !S.cancelled()) {
    auto M = lastAccess(S.Store, *L, AccessKind::Write, Cursor);
    if (!M)
      return M.takeError();
    if (!*M || **M == BeforeTrace || **M < First) {
      Complete = true;
      break;
    }
    Cursor = **M;
    ++Found;
  }
  json::Object O{{"count", Found}, {"window", Window}, {"complete", Complete}};
  if (!Found)
    return O;
  auto At = S.Store.positionAt(Cursor);
  if (!At)
    return At.takeError();
  O["thread"] = int64_t(At->first) + 1;
  O["from"] = At->second;
  return O;
}

namespace {

/// Where the last calls of a function before a position began, and how many
/// there are.
class CallsBefore final : public CallVisitor {
public:
  CallsBefore(FunctionNames &Names, uint64_t Start, Position Before,
              uint64_t Most)
      : Names(Names), Start(Start), Before(Before), Most(Most) {}
  Error enter(const CallNode &N) override {
    if (N.Call.EntryPC != Start && functionOf(Names, N).Start != Start)
      return Error::success();
    ++Count;
    if (N.Call.Start >= Before)
      return Error::success();
    ++Earlier;
    Last.push_back(N.Call.Start);
    if (Last.size() > Most)
      Last.pop_front();
    return Error::success();
  }
  Error leave(const CallNode &, const CallNode *) override {
    return Error::success();
  }

  uint64_t Count = 0, Earlier = 0;
  std::deque<Position> Last;

private:
  FunctionNames &Names;
  const uint64_t Start;
  const Position Before;
  const uint64_t Most;
};

} // namespace

/// The last "count" calls of the function "of" in the thread that began before
/// "at": {"count":, "from": where the first of them began, "earlier": all that
/// began before "at", "of": all of the thread}. Looks at all calls of the
/// thread.
ViewAnswers::Answer ViewAnswers::callsBefore(const ViewFields &F) {
  auto Now = asked(F);
  if (!Now)
    return Now.takeError();
  auto Of = F.text("of");
  auto Count = F.number("count", MaxWindow);
  if (!Of || !Count)
    return joinErrors(Of.takeError(), Count.takeError());
  if (!Calls)
    return userError("no call was found in this trace");
  auto Address = parseAddress(S, {Now->Thread, Now->When}, *Of);
  if (!Address)
    return Address.takeError();
  CallQuery Q(S.Store, *Calls, *Names);
  Q.Watch = S.Watch;
  CallsBefore Visitor(*Names,
                      codeAddress(S.Store.header().Architecture, *Address),
                      Now->At, *Count);
  if (Error E = sweepCalls(Q, Now->Thread, SweepOptions(), Visitor))
    return E;
  json::Object O{{"count", int64_t(Visitor.Last.size())},
                 {"earlier", Visitor.Earlier},
                 {"of", Visitor.Count}};
  if (!Visitor.Last.empty())
    O["from"] = Visitor.Last.front();
  return O;
}

} // namespace rw
