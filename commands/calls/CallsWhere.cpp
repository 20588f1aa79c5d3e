//===- CallsWhere.cpp - rewind calls where --------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/calls/CallSupport.h"
#include "commands/support/Listing.h"
#include "commands/support/Symbols.h"
#include "commands/support/Visits.h"
#include "core/calls/CallContexts.h"
#include "core/store/TraceStore.h"

using namespace llvm;

namespace rw {

/// Where the function of \p PC, at \p At, was entered in \p A, if that began in
/// another function, which jumped there: glibc's _start does so to main.
static Expected<std::optional<Position>>
jumpedTo(Session &S, const CallIndex &Calls, const Activation &A, ThreadIndex T,
         Position At, uint64_t PC) {
  auto F = S.Symbols ? S.Symbols->symbolizeCode(PC) : std::nullopt;
  // A cold part is of the function that jumps to it.
  if (!F || F->Start == A.EntryPC || StringRef(F->Function).contains(".cold"))
    return std::nullopt;
  const CodePlace Entry{F->Function, {F->Start}};
  auto When = S.Store.momentOf(T, At);
  if (!When)
    return When.takeError();
  // It may have been called in between, from itself, too.
  constexpr unsigned Most = 16;
  Moment Before = *When + 1;
  for (unsigned Try = 0; Try < Most; ++Try) {
    auto Visit = lastVisit(S.Store, Entry, Before, T);
    if (!Visit)
      return Visit.takeError();
    if (!*Visit)
      break;
    Before = **Visit;
    auto P = S.Store.positionOf(T, Before);
    if (!P)
      return P.takeError();
    if (*P <= A.Start)
      break;
    auto Innermost = Calls.enclosing(T, *P);
    if (!Innermost)
      return Innermost.takeError();
    if (*Innermost && (*Innermost)->Start == A.Start)
      return *P;
  }
  return std::nullopt;
}

static Error where(Session &S, const ParsedOptions &O) {
  auto Where = placeAsked(S, O);
  if (!Where)
    return Where.takeError();
  auto Calls = CallsOfSession::open(S, false);
  if (!Calls)
    return Calls.takeError();
  auto P = positionThere(S, *Where);
  if (!P)
    return P.takeError();
  auto Stack = (*Calls)->index().stack(Where->Thread, *P);
  if (!Stack)
    return Stack.takeError();
  SiteReader Sites(S.Store, Where->Thread);
  json::Array Items;
  Position At = *P;
  unsigned Frame = 0;
  for (const Activation &A : *Stack) {
    // Outer frames stand at their call.
    auto Site = Sites.at(At);
    if (!Site)
      return Site.takeError();
    std::string Code = formatCode(
        S, Site->PC, O.has("json") ? NameLength::Whole : NameLength::Brief);
    std::string Remarks = activationRemarks(A, false);
    auto Jump = jumpedTo(S, (*Calls)->index(), A, Where->Thread, At, Site->PC);
    if (!Jump)
      return Jump.takeError();
    if (O.has("json")) {
      json::Object Item{{"frame", int64_t(Frame)},
                        {"id", formatActivation(S.Store, A)},
                        {"position", At},
                        {"pc", hex(Site->PC)},
                        {"entry", A.Start},
                        {"entry_pc", hex(A.EntryPC)},
                        {"end", A.End},
                        {"returned", A.returned()}};
      if (*Jump)
        Item["function_entry"] = **Jump;
      if (!Code.empty())
        Item["code"] = Code;
      if (!Remarks.empty())
        Item["remarks"] = Remarks;
      Items.push_back(std::move(Item));
    } else {
      S.Out << "frame " << Frame << ": " << hex(Site->PC)
            << (Code.empty() ? "" : " " + Code) << "  "
            << formatActivation(S.Store, A) << "  "
            << (Frame ? "calls at " : "at ") << formatPosition(At)
            << ", entered at " << formatPosition(A.Start);
      if (*Jump)
        S.Out << ", by a jump at " << formatPosition(**Jump - 1);
      if (!Remarks.empty())
        S.Out << "  (" << Remarks << ")";
      S.Out << "\n";
    }
    ++Frame;
    if (A.Start == 0)
      At = 0; // entered before the trace: the call is not in it
    else
      At = A.Start - 1;
  }
  if (O.has("json")) {
    Ending End;
    End.Searched = {0, Where->When};
    json::Object Result = listJson(std::move(Items), End);
    Result["thread"] = int64_t(Where->Thread) + 1;
    Result["position"] = *P;
    printJson(S.Out, std::move(Result));
  }
  return Error::success();
}

static constexpr OptionSpec CallsWhereOptions[] = {opt::Json, opt::At,
                                                   opt::Thread};

extern const Command CallsWhereCommand = {
    .Name = "calls where",
    .Summary = "Show the calls that are active at a position",
    .Arguments = "[<position>]",
    .Help = R"(
The stack of activations, innermost first, from the trace's calls: it needs no
debug information and no memory. Outer frames stand at their call.

  rewind calls where
  rewind calls where t:2044
)",
    .Options = CallsWhereOptions,
    .Run = where,
    .OnlyAsks = true,
};

} // namespace rw
