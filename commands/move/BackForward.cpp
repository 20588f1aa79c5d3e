//===- BackForward.cpp - rewind back and forward --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "commands/support/Listing.h"
#include "commands/support/PlaceReport.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

/// One (or several) along the movements: takes from \p From, puts onto \p To.
static Error walkMovements(Session &S, const ParsedOptions &Options,
                           std::deque<Place> &From, std::deque<Place> &To,
                           StringRef Name) {
  if (Error E = S.checkMovable())
    return E;
  uint64_t Count = 1;
  if (!Options.arguments().empty()) {
    auto N = parseNumber(Options.arguments()[0]);
    if (!N || !*N)
      return usageError("'" + Options.arguments()[0] +
                        "' is not a number of movements");
    Count = *N;
  }
  if (From.empty())
    return userError("there is no movement to go " + Name + " to");
  if (Count > From.size())
    return userError(
        (From.size() == 1
             ? "there is only 1 movement"
             : "there are only " + std::to_string(From.size()) + " movements") +
        " to go " + Name.str() + " to");
  S.TellsPlace = true;
  // Not moveTo(): that would begin a new branch of history.
  Place Target = From[From.size() - Count];
  if (Error E = S.Move(Target, Name.str()))
    return E;
  To.push_back(S.Here);
  for (uint64_t I = 0; I + 1 < Count; ++I) {
    To.push_back(From.back());
    From.pop_back();
  }
  From.pop_back();
  S.Here = Target;
  return tellPlace(S, Options, S.Here);
}

/// \p Away: what leads there.
static Error listMovement(Session &S, StringRef Away, Place Where,
                          json::Array *Items) {
  if (Items) {
    Position Pos;
    auto I = nextInstruction(S.Store, Where, &Pos);
    if (!I)
      return I.takeError();
    json::Object O = *I ? placeJson(S, **I) : endJson(Where.Thread, Pos);
    O["movement"] = Away.str();
    Items->push_back(std::move(O));
    return Error::success();
  }
  std::string Text;
  raw_string_ostream OS(Text);
  if (Error E = printPlace(S, Where, OS))
    return E;
  S.Out << formatv("{0,-11} {1}", Away, StringRef(Text).split('\n').first).str()
        << "\n";
  return Error::success();
}

/// Both ways, in the order in which they would be walked.
static Error listMovements(Session &S, const ParsedOptions &Options) {
  if (Error E = S.checkMovable())
    return E;
  if (!Options.arguments().empty())
    return usageError("--list tells all movements, and takes no number");
  auto Count = Options.number("count");
  if (!Count)
    return Count.takeError();
  const uint64_t Most = Count->value_or(20);
  const std::deque<Place> &Back = S.Memory.Back, &Ahead = S.Memory.Forward;
  json::Array Items;
  json::Array *Into = Options.has("json") ? &Items : nullptr;
  const size_t NumBack = std::min<uint64_t>(Back.size(), Most),
               NumAhead = std::min<uint64_t>(Ahead.size(), Most);
  for (size_t Away = NumBack; Away > 0; --Away)
    if (Error E = listMovement(S, ("back " + Twine(Away)).str(),
                               Back[Back.size() - Away], Into))
      return E;
  if (Error E = listMovement(S, "here", S.Here, Into))
    return E;
  for (size_t Away = 1; Away <= NumAhead; ++Away)
    if (Error E = listMovement(S, ("forward " + Twine(Away)).str(),
                               Ahead[Ahead.size() - Away], Into))
      return E;
  const bool Complete = NumBack == Back.size() && NumAhead == Ahead.size();
  if (Into)
    printJson(S.Out, json::Object{{"items", std::move(Items)},
                                  {"complete", Complete}});
  else
    S.Out << "-- " << Back.size() << " back, " << Ahead.size() << " forward; "
          << completeness(Complete) << "\n";
  return Error::success();
}

static Error runBack(Session &S, const ParsedOptions &Options) {
  if (Options.has("list"))
    return listMovements(S, Options);
  return walkMovements(S, Options, S.Memory.Back, S.Memory.Forward, "back");
}

static Error runForward(Session &S, const ParsedOptions &Options) {
  return walkMovements(S, Options, S.Memory.Forward, S.Memory.Back, "forward");
}

static constexpr OptionSpec MovementOptions[] = {opt::Json};
static constexpr OptionSpec BackOptions[] = {
    {"list", 'l', "", "list the movements, back and forward, and stay"},
    {"count", 'c', "n", "with --list: at most n each way (20)"},
    opt::Json,
};

extern const Command BackCommand = {
    .Name = "back",
    .Summary = "Go back to where the last movement came from",
    .Arguments = "[<n>]",
    .Help = R"(
Movements are those of this program and of the debugger alike: goto, --goto,
continue, rc, finish, until, and GDB's. Steps that follow one another count as
one. Like the back button of a browser; 'forward' undoes it.

  (lldb) rewind back
  (lldb) rewind back --list
)",
    .Options = BackOptions,
    .MaxArguments = 1,
    .Run = runBack,
    .OnlyAsks = true,
};

extern const Command ForwardCommand = {
    .Name = "forward",
    .Summary = "Undo 'back'",
    .Arguments = "[<n>]",
    .Help = R"(
  (lldb) rewind forward
)",
    .Options = MovementOptions,
    .MaxArguments = 1,
    .Run = runForward,
    .OnlyAsks = true,
};

} // namespace rw
