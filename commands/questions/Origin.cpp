//===- Origin.cpp - rewind origin -----------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "commands/questions/CopyChain.h"
#include "commands/support/Listing.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

static void print(Session &S, const CopyChain &Chain) {
  S.Out << describe(Chain.Start) << " = " << shown(S, Chain.What) << "\n";
  unsigned N = 0;
  for (const ChainLink &Link : Chain.Links) {
    S.Out << formatv("{0,3}  ", ++N).str() << instructionRow(S, Link.By)
          << "\n     " << formatInstruction(S, Link.By.Insn) << "\n     "
          << describe(Link.Where) << " = " << shown(S, Link.What) << ", "
          << Link.How << "\n";
  }
  bool Told = !Chain.Links.empty() && Chain.Links.back().How == Chain.Reason;
  if (!Told)
    S.Out << "     " << Chain.Reason << "\n";
}

/// From where the chain ends: where nothing made the value, all was searched.
static Ending endingOf(const Session &S, const CopyChain &Chain, Moment Asked) {
  bool Made = false;
  switch (Chain.End) {
  case OriginKind::Computed:
  case OriginKind::Constant:
  case OriginKind::Call:
  case OriginKind::Semihosting:
  case OriginKind::System:
  case OriginKind::Pieces:
  case OriginKind::Limit:
    Made = !Chain.Links.empty();
    break;
  case OriginKind::Outside:
  case OriginKind::Initial:
  case OriginKind::Image:
  case OriginKind::Unknown:
    break;
  }
  Ending End;
  End.Searched = {Made ? Chain.Links.back().By.When : 0, Asked};
  End.Cancelled = S.cancelled();
  End.Complete = Chain.End != OriginKind::Limit && !End.Cancelled;
  return End;
}

static json::Object toJson(Session &S, const CopyChain &Chain, Moment Asked) {
  json::Array Items;
  for (const ChainLink &Link : Chain.Links) {
    json::Object O = placeJson(S, Link.By);
    O["instruction"] = formatInstruction(S, Link.By.Insn);
    O["location"] = toJson(Link.Where);
    putValue(S, O, "value", Link.What);
    O["how"] = Link.How;
    Items.push_back(std::move(O));
  }
  json::Object O = listJson(std::move(Items), endingOf(S, Chain, Asked));
  O["location"] = toJson(Chain.Start);
  putValue(S, O, "value", Chain.What);
  O["end"] =
      json::Object{{"kind", originName(Chain.End)}, {"text", Chain.Reason}};
  return O;
}

static Error runOrigin(Session &S, const ParsedOptions &Options) {
  auto Limit = listLimit(S, Options, 100);
  if (!Limit)
    return Limit.takeError();
  auto LinkNumber = Options.number("link");
  if (!LinkNumber)
    return LinkNumber.takeError();
  auto Question = askedAbout(S, Options, Looks::Back);
  if (!Question)
    return Question.takeError();
  const auto &[At, L] = *Question;
  if (Error E = checkCapable(S.Store, L))
    return E;
  if (L.FieldWidth && L.Where == Location::Register)
    return usageError("a field of a register is computed, not copied; ask for "
                      "the last-write of " +
                      L.Text);
  auto Chain = followBack(S, L, At.When, *Limit);
  if (!Chain)
    return Chain.takeError();
  if (Options.has("json"))
    printJson(S.Out, toJson(S, *Chain, At.When));
  else
    print(S, *Chain);
  if (!Options.has("goto"))
    return Error::success();
  size_t N = Chain->Links.size();
  uint64_t Wanted = LinkNumber->value_or(N);
  if (!N)
    return userError("there is no instruction to go to");
  if (Wanted < 1 || Wanted > N)
    return userError("--link " + Twine(Wanted) + ": the chain has 1 to " +
                     Twine(N));
  const Instruction &I = Chain->Links[Wanted - 1].By;
  return S.moveTo({I.Thread, I.When}, "origin of " + L.Text);
}

static constexpr OptionSpec OriginOptions[] = {
    opt::Size,
    opt::At,
    opt::Thread,
    opt::Count,
    opt::Goto,
    {"link", 'l', "n", "with --goto: move to line n instead of the last one"},
    opt::Format,
    opt::Raw,
    opt::Json};

extern const Command OriginCommand = {
    .Name = "origin",
    .Summary = "Follow a value back to where it was made",
    .Arguments = "<location>",
    .Help = R"(
Goes back through plain copies (moves, loads of what was stored, stores of what
was loaded, saves and restores) to the instruction that computed the value, to
a constant, or to where it came from outside. A numbered chain, newest first.
With --goto it moves to the last line of it.

  rewind origin x0
  (lldb) rewind origin item->quantity --goto
)",
    .Options = OriginOptions,
    .MinArguments = 1,
    .Run = runOrigin,
};

} // namespace rw
