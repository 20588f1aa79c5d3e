//===- CallsMove.cpp - rewind calls parent, enter, leave ------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/calls/CallSupport.h"
#include "commands/support/PlaceReport.h"
#include "core/store/TraceStore.h"
#include "core/support/BriefName.h"

using namespace llvm;

namespace rw {

namespace {
enum class Step { Parent, Enter, Leave };
}

static Error step(Session &S, const ParsedOptions &O, Step To) {
  auto Calls = CallsOfSession::open(S, false);
  if (!Calls)
    return Calls.takeError();
  Activation A;
  if (!O.arguments().empty() && O.text().find('@') != std::string::npos) {
    auto Parsed = parseActivation(S, (*Calls)->index(), O.text());
    if (!Parsed)
      return Parsed.takeError();
    A = *Parsed;
  } else {
    auto Where = placeAsked(S, O);
    if (!Where)
      return Where.takeError();
    auto P = positionThere(S, *Where);
    if (!P)
      return P.takeError();
    auto Enclosing = (*Calls)->index().enclosing(Where->Thread, *P);
    if (!Enclosing)
      return Enclosing.takeError();
    if (!*Enclosing)
      return userError("no function is known to run there");
    A = **Enclosing;
  }
  std::string Name = briefName((*Calls)->names().nameOr(A.EntryPC)), What;
  Position P = 0;
  switch (To) {
  case Step::Parent:
    if (A.Start == 0 || A.Kind == ActivationKind::Root ||
        (A.Flags & Activation::BeforeTrace))
      return userError("the call of " + Name +
                       " is not in the trace: it was running when the trace, "
                       "or what follows a gap, begins");
    P = A.Start - 1;
    What =
        (A.Kind == ActivationKind::Exception ? "interrupted by " : "call of ") +
        Name;
    break;
  case Step::Enter:
    P = A.Start;
    What = "entry of " + Name;
    break;
  case Step::Leave:
    P = A.End - 1;
    What = A.returned() ? "return of " + Name
                        : "last instruction of " + Name + " (" +
                              activationRemarks(A, false) + ")";
    break;
  }
  auto M = S.Store.momentOf(A.Thread, P);
  if (!M)
    return M.takeError();
  Place There{A.Thread, *M};
  // The shell has nothing to move: it tells the place.
  if (S.inDebugger()) {
    Error E = S.moveTo(There, What);
    if (E || !O.has("json"))
      return E;
  }
  if (O.has("json"))
    return printArrival(S, There, What);
  S.Out << What << ": ";
  return printPlace(S, There, S.Out);
}

static Error parent(Session &S, const ParsedOptions &O) {
  return step(S, O, Step::Parent);
}
static Error enter(Session &S, const ParsedOptions &O) {
  return step(S, O, Step::Enter);
}
static Error leave(Session &S, const ParsedOptions &O) {
  return step(S, O, Step::Leave);
}

static constexpr OptionSpec CallsMoveOptions[] = {opt::Json, opt::At,
                                                  opt::Thread};

extern const Command CallsParentCommand = {
    .Name = "calls parent",
    .Summary = "Move to the call of the current function",
    .Arguments = "[<position>|@<id>]",
    .Help = R"(
To the call instruction in the caller; for a handler, to what it interrupted.

  (lldb) rewind calls parent
  rewind calls parent 50%
  rewind calls parent @12
)",
    .Options = CallsMoveOptions,
    .Run = parent,
    .OnlyAsks = true,
};

extern const Command CallsEnterCommand = {
    .Name = "calls enter",
    .Summary = "Move to the entry of the current function",
    .Arguments = "[<position>|@<id>]",
    .Help = R"(
To the first instruction of the activation that runs there, or of an id.

  rewind calls enter
  rewind calls enter @12
)",
    .Options = CallsMoveOptions,
    .Run = enter,
    .OnlyAsks = true,
};

extern const Command CallsLeaveCommand = {
    .Name = "calls leave",
    .Summary = "Move to the return of the current function",
    .Arguments = "[<position>|@<id>]",
    .Help = R"(
To the last instruction of the activation that runs there, or of an id.

  rewind calls leave
  rewind calls leave @12
)",
    .Options = CallsMoveOptions,
    .Run = leave,
    .OnlyAsks = true,
};

} // namespace rw
