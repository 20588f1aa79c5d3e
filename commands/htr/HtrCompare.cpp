//===- HtrCompare.cpp - rewind htr compare --------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/htr/HtrCompare.h"
#include "commands/Command.h"
#include "commands/htr/Htr.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

namespace {

/// One of the two.
struct Side {
  std::string Label; ///< "iteration 37", "B12"
  BlockId Id = htr::NoBlock;
  htr::Place At = 0;
};

} // namespace

static Expected<Side> blockSide(const HtrFile &File, StringRef Text) {
  auto B = parseBlock(File, Text);
  if (!B)
    return B.takeError();
  if (File.kind(*B) <= BlockKind::Break || !File.block(*B).Occurrences)
    return userError(blockLabel(*B) + " is one instruction or a gap: there is "
                                      "nothing in it");
  return Side{blockLabel(*B), *B, File.occurrence(*B, 0)};
}

static Expected<Side> roundSide(const HtrFile &File, const Side &Loop,
                                StringRef Text) {
  const uint64_t All = File.numRounds(Loop.Id);
  if (!All)
    return userError(Loop.Label + " is no loop; it has no iterations");
  auto N = parseNumber(Text);
  if (!N || !*N || *N > All)
    return userError(Loop.Label + " has iterations 1 to " + grouped(All) +
                     ", not '" + Text + "'");
  Side Found{"iteration " + grouped(*N), htr::NoBlock, 0};
  File.forEachRounds(Loop.Id, [&](const HtrFile::Rounds &R) {
    const uint64_t Into = *N - 1 - R.Before;
    Found.Id = R.Id;
    Found.At = Loop.At + R.Offset + Into * File.length(R.Id);
    return Into >= R.Times;
  });
  return Found;
}

static json::Array codeJson(HtrNames &Names, const HtrFile &File,
                            ArrayRef<htr::CodeCounts> Code) {
  json::Array Items;
  for (const htr::CodeCounts &C : Code) {
    json::Object O{{"name", Names.code(C.First, C.Last)},
                   {"pc", hex(File.block(C.First).Value)},
                   {"instructions", C.Instructions},
                   {"a", C.A},
                   {"b", C.B}};
    if (std::string Source = Names.source(C.First, C.Last); !Source.empty())
      O["source"] = Source;
    Items.push_back(std::move(O));
  }
  return Items;
}

static void printCode(Session &S, HtrNames &Names,
                      ArrayRef<htr::CodeCounts> Code, const Side &A,
                      const Side &B) {
  constexpr size_t Lines = 8;
  if (Code.empty()) {
    S.Out << "They execute the same code equally often, in another order.\n";
    return;
  }
  S.Out << formatv("{0,14} {1,14}  {2}\n", A.Label, B.Label,
                   "code that runs more often in one");
  for (const htr::CodeCounts &C : Code.take_front(Lines)) {
    const std::string Source = Names.source(C.First, C.Last);
    S.Out << formatv("{0,14} {1,14}  {2}{3}\n", "x" + grouped(C.A),
                     "x" + grouped(C.B), Names.code(C.First, C.Last),
                     Source.empty() ? "" : "  " + Source);
  }
  if (Code.size() > Lines)
    S.Out << formatv("{0,14} {1,14}  ... {2} more\n", "", "",
                     grouped(Code.size() - Lines));
}

/// The two things to compare as words: "B7 4 5", however they were given:
/// "B7 --iteration 4 5", "B7 --iteration 4 --iteration 5".
static Expected<std::vector<std::string>> words(const ParsedOptions &Options) {
  std::vector<std::string> Words = Options.arguments();
  const std::vector<StringRef> Given = Options.values("iteration");
  Words.insert(Words.begin() + 1, Given.begin(), Given.end());
  if (!Given.empty() && Words.size() == 2)
    return usageError("which other iteration is it compared with?");
  if (Words.size() < 2 || Words.size() > 3)
    return usageError("two iterations of a loop, or two blocks, are compared");
  return Words;
}

static Error runHtrCompare(Session &S, const ParsedOptions &Options) {
  auto Asked = words(Options);
  if (!Asked)
    return Asked.takeError();
  ArrayRef<std::string> Words = *Asked;
  auto Opened = openHtr(S);
  if (!Opened)
    return Opened.takeError();
  const HtrFile &File = **Opened;
  auto A = blockSide(File, Words[0]);
  if (!A)
    return A.takeError();
  Expected<Side> B = Side();
  if (Words.size() == 2) {
    // Blocks may be named without a B; with one and without, they are not both
    // blocks.
    if (File.numRounds(A->Id) &&
        StringRef(Words[0]).starts_with_insensitive("b") &&
        parseNumber(Words[1]))
      return joinErrors(usageError("'" + Words[1] + "' is one iteration of " +
                                   A->Label +
                                   "; which other one is it compared with?"),
                        B.takeError());
    B = blockSide(File, Words[1]);
  } else {
    const Side Loop = *A;
    A = roundSide(File, Loop, Words[1]);
    if (!A)
      return joinErrors(A.takeError(), B.takeError());
    B = roundSide(File, Loop, Words[2]);
  }
  if (!B)
    return joinErrors(A.takeError(), B.takeError());

  const unsigned Top = File.numLayers() - 1;
  const htr::Difference D = htr::firstDifference(File, Top, A->Id, B->Id);
  struct Calls {
    uint64_t A = 0, B = 0;
  };
  std::map<uint64_t, Calls> ByFunction;
  for (auto [PC, N] : File.callsIn(A->Id))
    ByFunction[PC].A = N;
  for (auto [PC, N] : File.callsIn(B->Id))
    ByFunction[PC].B = N;
  const std::vector<htr::CodeCounts> Code =
      htr::differentCode(File, A->Id, B->Id);
  HtrNames Names(S, File, nameLength(Options));
  auto where = [&](BlockId I) {
    if (I == htr::NoBlock)
      return std::string("its end");
    const std::string Source = Names.source(I, I);
    return Names.pc(File.block(I).Value) +
           (Source.empty() ? "" : "  " + Source);
  };
  const bool Same = D.A == htr::NoBlock && D.B == htr::NoBlock;
  if (Options.has("json")) {
    auto side = [&](const Side &X, BlockId Next) {
      auto [T, Pos] = File.positionOf(X.At);
      json::Object O{{"what", X.Label},
                     {"block", int64_t(X.Id)},
                     {"thread", int64_t(T) + 1},
                     {"position", Pos},
                     {"instructions", File.length(X.Id)}};
      if (Next != htr::NoBlock)
        O["next_pc"] = hex(File.block(Next).Value);
      return O;
    };
    json::Array Items;
    for (auto [PC, N] : ByFunction)
      if (N.A != N.B)
        Items.push_back(json::Object{{"function", Names.function(PC)},
                                     {"pc", hex(PC)},
                                     {"a", N.A},
                                     {"b", N.B}});
    json::Object O{{"same", Same},
                   {"common", D.Common},
                   {"a", side(*A, D.A)},
                   {"b", side(*B, D.B)},
                   {"calls", std::move(Items)},
                   {"code", codeJson(Names, File, Code)}};
    if (D.Last != htr::NoBlock)
      O["last_pc"] = hex(File.block(D.Last).Value);
    printJson(S.Out, std::move(O));
    return Error::success();
  }
  for (const Side *X : {&*A, &*B})
    S.Out << X->Label << ": " << grouped(File.length(X->Id))
          << " instructions from " << formatHtrPlace(S, File, X->At) << " on, "
          << Names.block(X->Id) << "\n";
  if (Same) {
    S.Out << "They execute the same instructions.\n";
    return Error::success();
  }
  if (!D.Common) {
    S.Out << "They begin differently:\n";
  } else {
    S.Out << "The first " << grouped(D.Common)
          << " instructions are the same, to " << where(D.Last) << ", then\n";
  }
  for (auto [X, Next] : {std::pair(&*A, D.A), {&*B, D.B}})
    S.Out << formatv("{0,12}  {1} comes to {2}\n",
                     formatHtrPlace(S, File, X->At + D.Common), X->Label,
                     where(Next));
  bool Header = false;
  for (auto [PC, N] : ByFunction)
    if (N.A != N.B) {
      if (!Header)
        S.Out << formatv("{0,14} {1,14}  {2}\n", A->Label, B->Label,
                         "calls that differ");
      Header = true;
      S.Out << formatv("{0,14} {1,14}  {2}\n", grouped(N.A), grouped(N.B),
                       Names.function(PC));
    }
  if (!Header)
    S.Out << "They call the same functions equally often.\n";
  printCode(S, Names, Code, *A, *B);
  return Error::success();
}

static constexpr OptionSpec HtrCompareOptions[] = {
    opt::Json,
    {"iteration", 0, "n", "an iteration of the loop; another follows"},
};

extern const Command HtrCompareCommand = {
    .Name = "htr compare",
    .Summary = "Tell where two iterations, or two blocks, part",
    .Arguments = "<loop> <iteration> <iteration> | <block> <block>",
    .Help = R"(
Tells how many instructions the two have in common from their beginnings on, the
instruction after which they part (usually the branch that decided) and where
each goes on, the functions that one of them calls more often, and the code that
it executes more often: its other paths. Iterations are those of the loop's first
occurrence; of blocks, too, the first ones are told.

  rewind htr compare B1187 4 5
  rewind htr compare B1187 --iteration 4 5
  rewind htr compare B746 B747
)",
    .Options = HtrCompareOptions,
    .MinArguments = 1,
    .MaxArguments = 3,
    .Run = runHtrCompare,
    .OnlyAsks = true,
};

} // namespace rw
