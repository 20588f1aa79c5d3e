//===- SliceWalk.cpp - rewind slice next, slice prev ----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "commands/support/Access.h"
#include "commands/support/Listing.h"
#include "commands/support/PlaceReport.h"
#include "core/store/TraceStore.h"

using namespace llvm;

namespace rw {

static Error walk(Session &S, const ParsedOptions &Options, Looks Direction) {
  const auto &Slice = S.Memory.Slice;
  if (Slice.Of.empty())
    return userError("there is no slice to walk through: 'slice <location>' "
                     "lists one, and its instructions are remembered");
  uint64_t Count = 1;
  if (!Options.arguments().empty()) {
    auto N = parseNumber(Options.arguments()[0]);
    if (!N || !*N)
      return usageError("'" + Options.arguments()[0] +
                        "' is not a number of instructions");
    Count = *N;
  }
  auto At = askedAt(S, Options, Direction);
  if (!At)
    return At.takeError();
  const bool Back = Direction == Looks::Back;
  const std::vector<Moment> &All = Slice.Moments;
  auto Before = llvm::lower_bound(All, At->When);
  auto After = llvm::upper_bound(All, At->When);
  const uint64_t Left =
      uint64_t(Back ? Before - All.begin() : All.end() - After);
  if (Count > Left) {
    std::string Text = "instructions of the " + Slice.Of + " " +
                       (Back ? "before" : "after") +
                       " this position: " + grouped(Left);
    if (!Slice.Complete)
      Text += "; the list is not whole: it ended after " + grouped(All.size()) +
              " (-c, or an interrupt)";
    return userError(Text);
  }
  const Moment To = Back ? *(Before - Count) : *(After + (Count - 1));
  auto I = S.Store.instruction(To);
  if (!I)
    return I.takeError();
  const Place Where{I->Thread, To};
  S.TellsPlace = true;
  // The shell has nothing to move; there, finding the place is all.
  if (S.Move)
    if (Error E = S.moveTo(Where, Slice.Of))
      return E;
  if (Options.has("json"))
    return printArrival(S, Where, Slice.Of);
  return printPlace(S, Where, S.Out);
}

static Error runNext(Session &S, const ParsedOptions &Options) {
  return walk(S, Options, Looks::Ahead);
}

static Error runPrev(Session &S, const ParsedOptions &Options) {
  return walk(S, Options, Looks::Back);
}

static constexpr OptionSpec WalkOptions[] = {opt::At, opt::Json};

extern const Command SliceNextCommand = {
    .Name = "slice next",
    .Summary = "Go to the next instruction of the slice",
    .Arguments = "[<n>]",
    .Help = R"(
Goes on in the trace, to the next instruction (or the n-th) of those that the
last 'slice' listed. Where nothing can be moved it tells where that is, from
--at on. 'list' marks these instructions with a *.

  (lldb) rewind slice item->quantity -c 5 --goto
  (lldb) rewind slice prev
  (lldb) rewind slice next
)",
    .Options = WalkOptions,
    .MaxArguments = 1,
    .Run = runNext,
    .OnlyAsks = true,
};

extern const Command SlicePrevCommand = {
    .Name = "slice prev",
    .Summary = "Go to the previous instruction of the slice",
    .Arguments = "[<n>]",
    .Help = R"(
Goes back in the trace, to the instruction before (or the n-th) of those that
the last 'slice' listed; see 'slice next'.

  (lldb) rewind slice item->quantity -c 5
  (lldb) rewind slice prev
)",
    .Options = WalkOptions,
    .MaxArguments = 1,
    .Run = runPrev,
    .OnlyAsks = true,
};

} // namespace rw
