//===- Origin.cpp - rewind origin -----------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "commands/dataflow/OriginTree.h"
#include "commands/support/Listing.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

namespace {

/// The tree as a list: links numbered from 1, branch by branch.
class Printer {
public:
  Printer(Session &S, const OriginTree &Tree)
      : S(S), Tree(Tree), Order(Tree.order()), First(Tree.Branches.size()),
        Depth(Tree.Branches.size()) {
    uint64_t N = 1;
    for (size_t B : Order) {
      const OriginBranch &Branch = Tree.Branches[B];
      First[B] = N;
      N += Branch.Links.size();
      if (Branch.Parent)
        Depth[B] = Depth[*Branch.Parent] + 1;
    }
  }

  void print();
  json::Object json(Moment Asked);
  /// The link with that number, from 1; null if there is none.
  const OriginLink *link(uint64_t Number) const;

private:
  void print(size_t B);
  /// The number of the link that led to a branch; 0: the question.
  uint64_t above(size_t B) const;
  std::string reason(const OriginBranch &B) const;
  Ending ending(Moment Asked) const;

  Session &S;
  const OriginTree &Tree;
  const std::vector<size_t> Order;
  std::vector<uint64_t> First; ///< by branch: the number of its first link
  std::vector<unsigned> Depth;
};

} // namespace

const OriginLink *Printer::link(uint64_t Number) const {
  for (size_t B : Order)
    if (const uint64_t N = Number - First[B]; N < Tree.Branches[B].Links.size())
      return &Tree.Branches[B].Links[N];
  return nullptr;
}

uint64_t Printer::above(size_t B) const {
  for (std::optional<size_t> P = Tree.Branches[B].Parent; P;
       P = Tree.Branches[*P].Parent)
    if (const size_t N = Tree.Branches[*P].Links.size())
      return First[*P] + N - 1;
  return 0;
}

std::string Printer::reason(const OriginBranch &B) const {
  if (B.End != OriginKind::Told)
    return B.Reason;
  return "goes on as line " +
         std::to_string(First[B.Same.Branch] + B.Same.Link);
}

void Printer::print(size_t B) {
  const OriginBranch &Branch = Tree.Branches[B];
  constexpr unsigned MostIndent = 8;
  const unsigned Indent = 2 * std::min(Depth[B], MostIndent);
  if (Branch.Parent) {
    S.Out.indent(Indent) << "-- " << Branch.Of;
    if (const uint64_t N = above(B))
      S.Out << ", of line " << N;
    S.Out << ": " << shown(S, Branch.What) << "\n";
  }
  uint64_t N = First[B];
  for (const OriginLink &Link : Branch.Links) {
    S.Out.indent(Indent) << formatv("{0,3}  ", N++).str()
                         << instructionRow(S, Link.By) << "\n";
    S.Out.indent(Indent + 5) << formatInstruction(S, Link.By.Insn) << "\n";
    S.Out.indent(Indent + 5) << describe(Link.Where) << " = "
                             << shown(S, Link.What) << ", " << Link.How << "\n";
  }
  const bool Told =
      !Branch.Links.empty() && Branch.Links.back().How == Branch.Reason;
  if (!Told)
    S.Out.indent(Indent + 5) << reason(Branch) << "\n";
}

void Printer::print() {
  const OriginBranch &Root = Tree.Branches.front();
  S.Out << describe(Root.Start) << " = " << shown(S, Root.What) << "\n";
  for (size_t B : Order)
    print(B);
  if (!Tree.Complete)
    S.Out << "-- " << grouped(Tree.Links) << " lines"
          << (S.cancelled() ? ", interrupted" : "; there are more (--count)")
          << "\n";
}

/// From where on all was searched: where nothing made a value, from the
/// beginning of the trace.
Ending Printer::ending(Moment Asked) const {
  Ending End;
  End.Searched = {Asked, Asked};
  for (const OriginBranch &Branch : Tree.Branches) {
    if (!Branch.Links.empty())
      End.Searched.From =
          std::min(End.Searched.From, Branch.Links.back().By.When);
    switch (Branch.End) {
    case OriginKind::Outside:
    case OriginKind::Initial:
    case OriginKind::Image:
    case OriginKind::Unknown:
      End.Searched.From = 0;
      break;
    default:
      break;
    }
  }
  End.Cancelled = !Tree.Complete && S.cancelled();
  End.Complete = Tree.Complete;
  return End;
}

json::Object Printer::json(Moment Asked) {
  json::Array Items, Ends;
  for (size_t B : Order) {
    const OriginBranch &Branch = Tree.Branches[B];
    uint64_t N = First[B];
    for (const OriginLink &Link : Branch.Links) {
      json::Object O = placeJson(S, Link.By);
      O["instruction"] = formatInstruction(S, Link.By.Insn);
      O["location"] = toJson(Link.Where);
      putValue(S, O, "value", Link.What);
      O["how"] = Link.How;
      O["link"] = N;
      if (N > First[B])
        O["from"] = N - 1;
      else if (const uint64_t Above = above(B))
        O["from"] = Above;
      if (N++ == First[B] && Branch.Parent)
        O["of"] = json::fixUTF8(Branch.Of);
      Items.push_back(std::move(O));
    }
    if (!Branch.Branches.empty())
      continue;
    json::Object End{{"kind", originName(Branch.End)},
                     {"text", json::fixUTF8(reason(Branch))}};
    if (const uint64_t Last = Branch.Links.empty()
                                  ? above(B)
                                  : First[B] + Branch.Links.size() - 1)
      End["link"] = Last;
    if (Branch.Parent) {
      End["of"] = json::fixUTF8(Branch.Of);
      End["location"] = toJson(Branch.Start);
      putValue(S, End, "value", Branch.What);
    }
    Ends.push_back(std::move(End));
  }
  const OriginBranch &Root = Tree.Branches.front();
  json::Object O = listJson(std::move(Items), ending(Asked));
  O["location"] = toJson(Root.Start);
  putValue(S, O, "value", Root.What);
  O["end"] = json::Object{{"kind", originName(Root.End)},
                          {"text", json::fixUTF8(reason(Root))}};
  O["ends"] = std::move(Ends);
  return O;
}

static Expected<OriginOptions> parseMode(Session &S,
                                         const ParsedOptions &Options) {
  OriginOptions O;
  auto Limit = listLimit(S, Options, 100);
  if (!Limit)
    return Limit.takeError();
  O.Limit = *Limit;
  for (StringRef Text : Options.values("operand"))
    O.Operands.push_back(Text.str());
  if (Options.has("tree")) {
    if (!O.Operands.empty())
      return usageError("--operand chooses one of several; --tree follows all");
    O.How = OriginOptions::Tree;
  } else if (Options.has("through") || !O.Operands.empty()) {
    O.How = OriginOptions::Through;
  }
  // What a value was computed from may be all of a trace, and a tree is held in
  // memory.
  constexpr uint64_t MostUnasked = 10000;
  if (O.How != OriginOptions::Copies && !Options.has("count"))
    O.Limit = std::min(O.Limit, MostUnasked);
  return O;
}

static Error runOrigin(Session &S, const ParsedOptions &Options) {
  auto Mode = parseMode(S, Options);
  if (!Mode)
    return Mode.takeError();
  auto LinkNumber = Options.number("link");
  if (!LinkNumber)
    return LinkNumber.takeError();
  auto Question = askedAbout(S, Options, Looks::Back);
  if (!Question)
    return Question.takeError();
  const auto &[At, L] = *Question;
  if (Error E = checkCapable(S.Store, L))
    return E;
  if (L.FieldWidth && L.Where == Location::Register &&
      Mode->How == OriginOptions::Copies)
    return usageError("a field of a register is computed, not copied; ask for "
                      "the last-write of " +
                      L.Text + ", or go on with --through or --tree");
  auto Tree = followBack(S, L, At.When, *Mode);
  if (!Tree)
    return Tree.takeError();
  Printer P(S, *Tree);
  if (Options.has("json"))
    printJson(S.Out, P.json(At.When));
  else
    P.print();
  if (!Options.has("goto"))
    return Error::success();
  if (!Tree->Links)
    return userError("there is no instruction to go to");
  const uint64_t Wanted = LinkNumber->value_or(Tree->Links);
  const OriginLink *To = Wanted ? P.link(Wanted) : nullptr;
  if (!To)
    return userError("--link " + Twine(Wanted) + ": the lines are 1 to " +
                     Twine(Tree->Links));
  return S.moveTo({To->By.Thread, To->By.When}, "origin of " + L.Text);
}

static constexpr OptionSpec OriginOptionList[] = {
    opt::Size,
    opt::At,
    opt::Thread,
    opt::Count,
    {"through", 0, "",
     "go on through what computes the value: with the operand that is no "
     "constant, or else the one that differs from the execution before"},
    {"operand", 0, "operand",
     "--through, with that operand (w1, memory; 12:w1: at #12 only); may be "
     "given several times"},
    {"tree", 0, "", "go on through computations, with all operands"},
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
was loaded, instructions that only widen a value) to the instruction that
computed it, to a constant, or to where it came from outside: the system's
answer, a device, the image. Lines are numbered, newest first. A register that a
function saved and restored is one line. What several instructions have written
is followed piece by piece.

With --through it goes on through computations, as long as it is clear with
which operand; with --tree it follows all operands. With --goto it moves to the
last line.

  rewind origin x0
  rewind origin x0 --through
  (lldb) rewind origin item->quantity --goto
)",
    .Options = OriginOptionList,
    .MinArguments = 1,
    .Run = runOrigin,
    .OnlyAsks = true,
};

} // namespace rw
