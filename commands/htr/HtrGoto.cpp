//===- HtrGoto.cpp - rewind htr goto --------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "commands/htr/Htr.h"
#include "commands/support/PlaceReport.h"
#include "core/store/TraceStore.h"

using namespace llvm;

namespace rw {

/// Which occurrence the options ask for.
static Expected<Place> occurrence(Session &S, HtrOccurrences &Of,
                                  StringRef Label,
                                  const ParsedOptions &Options) {
  bool Next = Options.has("next"), Prev = Options.has("prev");
  auto K = Options.number("occurrence");
  if (!K)
    return K.takeError();
  if (Next + Prev + K->has_value() > 1)
    return usageError("--occurrence, --next and --prev exclude each other");
  if (!Next && !Prev) {
    uint64_t N = K->value_or(1);
    if (N == 0)
      return userError("occurrences are counted from 1");
    return Of.get(N - 1);
  }
  auto Found = Next ? Of.next(S.Here) : Of.previous(S.Here);
  if (!Found)
    return Found.takeError();
  if (!*Found)
    return userError("there is no " + Twine(Next ? "later" : "earlier") +
                     " occurrence of " + Label + " from here");
  return **Found;
}

static Error runHtrGoto(Session &S, const ParsedOptions &Options) {
  auto Opened = openBlock(S, Options);
  if (!Opened)
    return Opened.takeError();
  const HtrFile &File = *Opened->File;
  const BlockId B = Opened->Id;
  std::string Label = blockLabel(B);
  auto Iteration = Options.number("iteration");
  if (!Iteration)
    return Iteration.takeError();

  uint64_t Skip = 0;
  if (*Iteration) {
    const uint64_t Passes = File.numRounds(B);
    if (!Passes)
      return userError(Label + " is no loop; it has no iterations");
    if (!**Iteration || **Iteration > Passes)
      return userError(Label + " has iterations 1 to " + grouped(Passes));
    File.forEachRounds(B, [&](const HtrFile::Rounds &R) {
      const uint64_t Into = **Iteration - 1 - R.Before;
      Skip = R.Offset + Into * File.length(R.Id);
      return Into >= R.Times;
    });
  }
  HtrOccurrences Of(S, File, B);
  auto Where = occurrence(S, Of, Label, Options);
  if (!Where)
    return Where.takeError();
  if (Skip) {
    auto Pos = S.Store.positionOf(Where->Thread, Where->When);
    if (!Pos)
      return Pos.takeError();
    auto M = S.Store.momentOf(Where->Thread, *Pos + Skip);
    if (!M)
      return M.takeError();
    Where->When = *M;
  }
  auto what = [&](NameLength Length) {
    return HtrNames(S, File, Length).block(B) +
           (*Iteration ? ", iteration " + grouped(**Iteration) : "");
  };
  const std::string What = what(NameLength::Brief);
  S.TellsPlace = true;
  // The shell has nothing to move; there, finding the place is all.
  if (S.Move)
    if (Error E = S.moveTo(*Where, Label + " " + What))
      return E;
  if (Options.has("json")) {
    auto O = placeToJson(S, *Where);
    if (!O)
      return O.takeError();
    (*O)["block"] = int64_t(B);
    (*O)["name"] = what(NameLength::Whole);
    printJson(S.Out, std::move(*O));
    return Error::success();
  }
  S.Out << Label << "  " << What << "\n";
  return printPlace(S, *Where, S.Out);
}

static constexpr OptionSpec HtrGotoOptions[] = {
    opt::Json,
    {"occurrence", 'k', "n", "its n-th occurrence, from 1 (the first)"},
    {"next", 'n', "", "the first one after the current position"},
    {"prev", 'p', "", "the last one before the current position"},
    {"iteration", 0, "n", "the n-th time round the loop, from 1"},
};

extern const Command HtrGotoCommand = {
    .Name = "htr goto",
    .Summary = "Go to where a block occurs",
    .Arguments = "<block>",
    .Help = R"(
Goes to the beginning of an occurrence of a block, or of an iteration of a loop.
In the shell, which has no position to move, it tells where that is.

  rewind htr goto B682
  (lldb) rewind htr goto B682 --prev
  rewind htr goto B1187 --occurrence 1 --iteration 50
)",
    .Options = HtrGotoOptions,
    .MinArguments = 1,
    .MaxArguments = 1,
    .Run = runHtrGoto,
    .OnlyAsks = true,
};

} // namespace rw
