//===- HtrLoop.cpp - rewind htr loop --------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "commands/htr/HtrOutline.h"
#include "core/store/TraceStore.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

using htr::LoopChoice;
using htr::LoopPath;
using htr::LoopPaths;
using htr::PathChoice;
using htr::PathStep;

namespace {

class LoopPage {
public:
  LoopPage(Session &S, const HtrFile &File, BlockId Loop, NameLength Length)
      : S(S), File(File), Loop(Loop), Names(S, File, Length) {}

  Error gather() {
    const std::vector<htr::BlockTimes> Stays = htr::staysOf(File, Loop);
    Summary = htr::summarizeLoop(File, Stays);
    auto Found = htr::loopPaths(File, Stays, S.Watch);
    if (!Found)
      return Found.takeError();
    Paths = std::move(*Found);
    return Error::success();
  }
  const LoopPaths &paths() const { return Paths; }

  Error print(uint64_t Max);
  Expected<json::Object> toJson(uint64_t Max);
  std::string pathText(const LoopPath &P);

private:
  Session &S;
  const HtrFile &File;
  const BlockId Loop;
  HtrNames Names;
  htr::LoopSummary Summary;
  LoopPaths Paths;

  uint64_t instructions() const {
    return Paths.Own + Paths.InLoops + Paths.InCalls;
  }
  BlockId headerId() const {
    const auto F = File.loopFacts(Loop);
    return F ? F->Header : File.block(Loop).Entry;
  }
  std::string sourceOf(BlockId I) {
    return I == htr::NoBlock ? std::string() : Names.source(I, I);
  }
  /// The disassembly of an instruction that was executed.
  Expected<std::string> instruction(BlockId I) {
    auto M = S.Store.visitAtOrAfter(File.block(I).Value, 0);
    if (!M)
      return M.takeError();
    if (!*M)
      return std::string();
    auto Found = S.Store.instruction(**M);
    if (!Found)
      return Found.takeError();
    return formatInstruction(S, Found->Insn);
  }
};

} // namespace

std::string LoopPage::pathText(const LoopPath &P) {
  if (P.Choices.empty())
    return Paths.Paths.size() == 1 ? "the only one" : "";
  constexpr size_t Most = 4;
  std::string Text;
  for (const PathChoice &C : ArrayRef(P.Choices).take_front(Most)) {
    if (!Text.empty())
      Text += ", ";
    Text += Names.step(C.After) + " > " + Names.step(C.To);
    if (std::string Source = sourceOf(C.To.At); !Source.empty())
      Text += " " + Source;
  }
  if (P.Choices.size() > Most)
    Text += ", ... " + grouped(P.Choices.size() - Most) + " more";
  return Text;
}

Error LoopPage::print(uint64_t Max) {
  auto line = [&](StringRef Label, const Twine &Text) {
    S.Out << formatv("{0,-14}", Label) << Text << "\n";
  };
  const std::string Source = sourceOf(headerId());
  line("Loop:", loopText(S, File, Summary, Names.header(Loop)) +
                    (Source.empty() ? "" : "  " + Source));
  line("Stays:", grouped(Summary.Stays) + ", in all " + grouped(Summary.Trips) +
                     (Summary.Trips == 1 ? " round" : " rounds"));
  line("Instructions:", grouped(instructions()) + " (" +
                            percent(instructions(), File.numInstructions()) +
                            "): " + grouped(Paths.Own) + " its own, " +
                            grouped(Paths.InLoops) + " in loops inside, " +
                            grouped(Paths.InCalls) + " in calls");
  S.Out << formatv("\n{0,12} {1,11} {2,6} {3,14} {4,6} {5,8}  {6,-16} {7}\n",
                   "position", "rounds", "", "instructions", "insns", "own",
                   "each", "path");
  const size_t Shown = std::min<uint64_t>(Max, Paths.Paths.size());
  for (const LoopPath &P : ArrayRef(Paths.Paths).take_front(Shown))
    S.Out << formatv(
        "{0,12} {1,11} {2,6} {3,14} {4,6} {5,8}  {6,-16} {7}\n",
        formatHtrPlace(S, File, P.First), grouped(P.Rounds),
        percent(P.Rounds, Paths.Rounds), grouped(P.Instructions),
        percent(P.Instructions, File.numInstructions()), grouped(P.Own),
        P.Least == P.Most ? grouped(P.Most)
                          : grouped(P.Least) + ".." + grouped(P.Most),
        pathText(P));
  uint64_t Rest = 0, RestInstructions = 0;
  for (const LoopPath &P : ArrayRef(Paths.Paths).drop_front(Shown)) {
    Rest += P.Rounds;
    RestInstructions += P.Instructions;
  }
  if (Rest)
    S.Out << formatv("{0,12} {1,11} {2,6} {3,14} {4,6} {5,26} other paths\n",
                     "", grouped(Rest), percent(Rest, Paths.Rounds),
                     grouped(RestInstructions),
                     percent(RestInstructions, File.numInstructions()), "");
  if (Paths.Tests)
    S.Out << formatv(
        "{0,12} {1,11} {2,6} {3,14} {4,6} {5,26} last passes, only the test\n",
        formatHtrPlace(S, File, Paths.FirstTest), grouped(Paths.Tests), "",
        grouped(Paths.TestInstructions),
        percent(Paths.TestInstructions, File.numInstructions()), "");
  S.Out << "-- " << grouped(Shown) << " of " << grouped(Paths.Paths.size())
        << (Paths.Paths.size() == 1 ? " path" : " paths");
  if (Rest)
    S.Out << "; the others are " << percent(Rest, Paths.Rounds)
          << " of the rounds (see more with --count)";
  S.Out << "\n";
  if (Paths.Choices.empty())
    return Error::success();
  S.Out << "\nWhat chose:\n";
  const size_t Choices = std::min<uint64_t>(Max, Paths.Choices.size());
  for (const LoopChoice &C : ArrayRef(Paths.Choices).take_front(Choices)) {
    std::string Text = Names.step(C.After);
    if (C.After.What == PathStep::Instruction) {
      auto Insn = instruction(C.After.At);
      if (!Insn)
        return Insn.takeError();
      Text += "  " + *Insn;
    }
    if (std::string Source = sourceOf(C.After.At); !Source.empty())
      Text += "  " + Source;
    S.Out << "  " << Text << "\n";
    for (auto [To, Rounds] : C.Ways) {
      const std::string Source = sourceOf(To.At);
      S.Out << formatv("{0,24} {1,6}  to {2}{3}\n", grouped(Rounds),
                       percent(Rounds, Paths.Rounds), Names.step(To),
                       Source.empty() ? "" : "  " + Source);
    }
  }
  if (Choices < Paths.Choices.size())
    S.Out << "-- " << grouped(Choices) << " of "
          << grouped(Paths.Choices.size()) << " choices\n";
  return Error::success();
}

Expected<json::Object> LoopPage::toJson(uint64_t Max) {
  json::Array Items, Choices;
  for (const LoopPath &P :
       ArrayRef(Paths.Paths)
           .take_front(std::min<uint64_t>(Max, Paths.Paths.size()))) {
    auto [T, Pos] = File.positionOf(P.First);
    json::Array Chosen;
    for (const PathChoice &C : P.Choices)
      Chosen.push_back(json::Object{{"after", Names.stepJson(C.After)},
                                    {"to", Names.stepJson(C.To)}});
    Items.push_back(json::Object{{"thread", int64_t(T) + 1},
                                 {"position", Pos},
                                 {"rounds", P.Rounds},
                                 {"last", P.Last},
                                 {"instructions", P.Instructions},
                                 {"own", P.Own},
                                 {"min", P.Least},
                                 {"max", P.Most},
                                 {"choices", std::move(Chosen)}});
  }
  for (const LoopChoice &C : Paths.Choices) {
    json::Object After = Names.stepJson(C.After);
    if (C.After.What == PathStep::Instruction) {
      auto Insn = instruction(C.After.At);
      if (!Insn)
        return Insn.takeError();
      After["instruction"] = *Insn;
    }
    json::Array Ways;
    for (auto [To, Rounds] : C.Ways)
      Ways.push_back(
          json::Object{{"to", Names.stepJson(To)}, {"rounds", Rounds}});
    Choices.push_back(
        json::Object{{"after", std::move(After)}, {"ways", std::move(Ways)}});
  }
  json::Object O{{"id", int64_t(Loop)},
                 {"name", "loop " + Names.header(Loop)},
                 {"rounds", loopJson(File, Summary)},
                 {"instructions", instructions()},
                 {"own", Paths.Own},
                 {"in_loops", Paths.InLoops},
                 {"in_calls", Paths.InCalls},
                 {"paths", uint64_t(Paths.Paths.size())},
                 {"tests", Paths.Tests},
                 {"test_instructions", Paths.TestInstructions},
                 {"items", std::move(Items)},
                 {"choices", std::move(Choices)},
                 {"complete", Max >= Paths.Paths.size()}};
  if (std::string Source = sourceOf(headerId()); !Source.empty())
    O["source"] = Source;
  return O;
}

static Error runHtrLoop(Session &S, const ParsedOptions &Options) {
  auto Opened = openBlock(S, Options);
  if (!Opened)
    return Opened.takeError();
  const HtrFile &File = *Opened->File;
  const BlockId B = Opened->Id;
  auto Count = Options.number("count"), Goto = Options.number("goto");
  if (!Count || !Goto)
    return joinErrors(Count.takeError(), Goto.takeError());
  if (File.kind(B) != BlockKind::Repeat &&
      File.kind(B) != BlockKind::Iterations)
    return userError(blockLabel(B) + " is no loop; htr dump shows which are");
  if (!File.block(B).Occurrences)
    return userError(blockLabel(B) + " does not occur");
  LoopPage Page(S, File, B, nameLength(Options));
  if (Error E = Page.gather())
    return E;
  const std::vector<LoopPath> &Paths = Page.paths().Paths;
  if (*Goto) {
    if (!**Goto || **Goto > Paths.size())
      return userError(blockLabel(B) + " has paths 1 to " +
                       grouped(Paths.size()));
    const LoopPath &P = Paths[**Goto - 1];
    auto [T, Pos] = File.positionOf(P.First);
    auto M = S.Store.momentOf(T, Pos);
    if (!M)
      return M.takeError();
    if (S.Move)
      if (Error E = S.moveTo(rw::Place{T, *M}, "path " + grouped(**Goto) +
                                                   " of " + blockLabel(B)))
        return E;
  }
  const uint64_t Max = std::max<uint64_t>(1, Count->value_or(20));
  if (!Options.has("json"))
    return Page.print(Max);
  auto O = Page.toJson(Max);
  if (!O)
    return O.takeError();
  printJson(S.Out, std::move(*O));
  return Error::success();
}

static constexpr OptionSpec HtrLoopOptions[] = {
    opt::Json,
    {"count", 'c', "n", "at most n paths, and n choices (20)"},
    {"goto", 'g', "n", "go to the first round on the n-th path"},
};

extern const Command HtrLoopCommand = {
    .Name = "htr loop",
    .Summary = "Tell which ways a loop takes, and what chose them",
    .Arguments = "<loop>",
    .Help = R"(
Tells of a loop, all stays in it together: how often it goes round and what a
round costs, what of that is its own, in loops inside of it and in what it
calls; and the paths that rounds take through its body, the most frequent first:
where the first round on each is, how many there are, their instructions, how
many of a round are the loop's own, and how many each has in all. Rounds are on
one path if they execute the same instructions of the loop's own and call the
same functions, whatever these and inner loops do. Last passes that only execute
the test that fails are on no path; they have a line of their own.

"What chose" are the branches (and calls, and inner loops) after which not all
rounds go on to the same place, with how many went where.

  rewind htr loop B1190
  (lldb) rewind htr loop B1190 --goto 2
)",
    .Options = HtrLoopOptions,
    .MinArguments = 1,
    .MaxArguments = 1,
    .Run = runHtrLoop,
    .OnlyAsks = true,
};

} // namespace rw
