//===- History.cpp - rewind history ---------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "commands/lvalues/SlotOwner.h"
#include "commands/support/Access.h"
#include "commands/support/Listing.h"
#include "commands/support/PlaceRows.h"

using namespace llvm;

namespace rw {

namespace {

/// One access after the other, as text or as JSON.
class Rows {
public:
  explicit Rows(Session &S) : Items(S.Out), S(S), Places(S), Values(S) {}
  void print(const AccessAnswer &A);
  void add(const AccessAnswer &A);
  JsonItems Items;

private:
  Session &S;
  PlaceRows Places;
  ChangingValue Values;
  std::string Row;
  std::vector<uint8_t> Covered; ///< by the last access,
  std::string Coverage;         ///< and as JSON
};

} // namespace

void Rows::print(const AccessAnswer &A) {
  Row.clear();
  Places.text(Row, A.Insn);
  Row += A.Write ? "  " : "  read ";
  appendShown(Row, S, A.New);
  if (A.Write && A.Old == A.New && A.New.anyKnown())
    Row += "  (unchanged)";
  if (A.Inferred)
    Row += "  (inferred)";
  if (is_contained(A.Bytes, 0))
    Row += "  " + formatCoverage(A.Bytes);
  if (A.Write) {
    constexpr size_t Most = 4;
    const std::vector<ChangedPart> Parts = changedParts(A.Old, A.New);
    for (size_t N = 0; N < std::min(Parts.size(), Most); ++N)
      Row += (N ? ", " : "  changed ") + Parts[N].Path;
    if (Parts.size() > Most)
      Row += " and " + std::to_string(Parts.size() - Most) + " more";
  }
  Row += '\n';
  S.Out << Row;
}

/// toJson() of the access, with "changed".
void Rows::add(const AccessAnswer &A) {
  const Instruction &I = A.Insn;
  JsonRows &Row = Items.begin(Places.fields(
      Items.rows(), I, [&](json::Object &O, const InsnItem &Insn) {
        O["instruction"] = formatInstruction(S, Insn);
      }));
  Row.plainField("access", A.Write ? "write" : "read");
  if (Coverage.empty() || Covered != A.Bytes) {
    Covered = A.Bytes;
    Coverage = Row.text(coverageJson(A));
  }
  Row.field("bytes") += Coverage;
  Row.field("changed") += A.Write && A.Old != A.New ? "true" : "false";
  if (A.Effective)
    Row.plainField("effective_address", hex(*A.Effective));
  if (A.Inferred)
    Row.field("inferred") += "true";
  Places.line(Row, I);
  if (A.Write)
    Values.put(Row, A.New, A.Old);
  if (auto Parts = changedJson(S, A); !Parts.empty())
    Row.field("parts", std::move(Parts));
  Places.position(Row, I);
  Places.threadAndTime(Row, I);
  if (!A.Write)
    putValue(S, Row, "value", A.New);
  if (A.NoValue)
    Row.plainField("value_unknown", whyUnknown(A));
  Row.end();
}

static Error runHistory(Session &S, const ParsedOptions &Options) {
  auto Range = searchSpan(S, Options);
  if (!Range)
    return Range.takeError();
  auto Limit = listLimit(S, Options);
  if (!Limit)
    return Limit.takeError();
  auto Question = askedAbout(S, Options, Looks::Back);
  if (!Question)
    return Question.takeError();
  const auto &[At, L] = *Question;
  AccessKind Kind = Options.has("reads") ? AccessKind::Any : AccessKind::Write;
  if (Error E = checkQuestion(L, Kind))
    return E;

  // Before and after, the bytes of a local variable are others'.
  auto Owner = ownerOf(S, At, L);
  if (!Owner)
    return Owner.takeError();
  const bool Own = Options.has("own");
  if (Own && Options.has("all"))
    return usageError("--own leaves out what --all asks for");
  const bool From = !Options.has("from"), To = !Options.has("to");
  const bool Limited = *Owner && !Options.has("all") && (From || To || Own);
  if (Limited && From)
    Range->From = std::min((*Owner)->Life.From, Range->To);
  if (Limited && To)
    Range->To = std::max((*Owner)->Life.To, Range->From);
  if (*Owner && Own) {
    Range->From = std::clamp((*Owner)->Life.From, Range->From, Range->To);
    Range->To = std::clamp((*Owner)->Life.To, Range->From, Range->To);
  }

  bool Json = Options.has("json");
  auto Initial = readLocation(S, L, Range->From);
  if (!Initial)
    return Initial.takeError();
  Expected<bool> There =
      Limited ? isThere(S, **Owner, L, Range->From) : Expected<bool>(true);
  if (!There)
    return There.takeError();
  if (!Json)
    S.Out << describe(L) << ": "
          << (*There ? shown(S, *Initial) : "not there yet") << " at "
          << formatPosition(Range->From) << "\n";
  if (!Json && *Owner)
    S.Out << "a variable of " << describe(S, **Owner)
          << (Limited ? "; --all lists what other calls wrote there" : "")
          << "\n";
  Rows Found(S);
  AccessTeller Teller(S, L, Kind);
  uint64_t Count = 0;
  Ending End;
  End.Searched = *Range;
  for (Moment Cursor = Range->From; Cursor < Range->To;) {
    auto M = Teller.from(Cursor);
    if (!M)
      return M.takeError();
    if (!*M || **M >= Range->To)
      break;
    // In its own call, a register is also that of the functions called, and
    // a place is another variable's elsewhere in the code.
    if (Limited && **M >= (*Owner)->Life.From && **M < (*Owner)->Life.To) {
      auto Its = isOwn(S, **Owner, L, **M);
      if (!Its)
        return Its.takeError();
      if (!*Its) {
        Cursor = **M + 1;
        continue;
      }
    }
    if (End.before(S, Count, *Limit, **M))
      break;
    auto A = Teller.at(**M);
    if (!A)
      return A.takeError();
    ++Count;
    Cursor = **M + 1;
    if (Json)
      Found.add(**A);
    else
      Found.print(**A);
  }
  if (!Count)
    if (Error E = checkCapable(S.Store, L))
      return E;
  if (!Json) {
    printEnding(S, Count, Kind == AccessKind::Any ? "access" : "write", End);
    return Error::success();
  }
  S.FoundNothing |= !Count;
  json::Object O = listJson({}, End);
  O["location"] = toJson(L);
  if (*Owner)
    O["owner"] = toJson(S, **Owner);
  if (*There)
    putValue(S, O, "initial", *Initial);
  Found.Items.print(std::move(O));
  return Error::success();
}

static constexpr OptionSpec HistoryOptions[] = {
    opt::Size,
    opt::From,
    opt::To,
    opt::Count,
    opt::At,
    opt::Thread,
    opt::Format,
    opt::Raw,
    {"all", 0, "",
     "of a local variable, what other calls wrote at its place as well"},
    {"own", 0, "",
     "of a local variable, only what is its own, whatever --from and --to say"},
    {"reads", 'r', "", "list reads as well (memory only)"},
    opt::Json};

extern const Command HistoryCommand = {
    .Name = "history",
    .Summary = "List every write of a location",
    .Arguments = "<location>",
    .Help = R"(
A table of all that was written to a register or to memory (see last-write for
what a location may be), with the value that the location had afterwards. A
write that left the value as it was is marked.

The place of a local variable is that of others before and after its call, and a
register also in the functions that it calls: only what is written during that
is listed, and to a register by its function itself, unless --from, --to or
--all ask for more.

  rewind history x0 -c 20
  rewind history seed --from 100 --to 50% --reads
)",
    .Options = HistoryOptions,
    .MinArguments = 1,
    .Run = runHistory,
    .OnlyAsks = true,
};

} // namespace rw
