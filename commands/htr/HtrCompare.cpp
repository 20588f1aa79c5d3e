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

static Error runHtrCompare(Session &S, const ParsedOptions &Options) {
  auto Opened = openHtr(S);
  if (!Opened)
    return Opened.takeError();
  const HtrFile &File = **Opened;
  ArrayRef<std::string> Words = Options.arguments();
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
  HtrNames Names(S, File);
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
                   {"calls", std::move(Items)}};
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
  return Error::success();
}

static constexpr OptionSpec HtrCompareOptions[] = {opt::Json};

extern const Command HtrCompareCommand = {
    .Name = "htr compare",
    .Summary = "Tell where two iterations, or two blocks, part",
    .Arguments = "<loop> <iteration> <iteration> | <block> <block>",
    .Help = R"(
Tells how many instructions the two have in common from their beginnings on, the
instruction after which they part (usually the branch that decided) and where
each goes on, and the functions that one of them calls more often. Iterations are
those of the loop's first occurrence; of blocks, too, the first ones are told.

  rewind htr compare B1187 4 5
  rewind htr compare B746 B747
)",
    .Options = HtrCompareOptions,
    .MinArguments = 2,
    .MaxArguments = 3,
    .Run = runHtrCompare,
};

} // namespace rw
