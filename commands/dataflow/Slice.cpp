//===- Slice.cpp - rewind slice -------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/dataflow/Modes.h"
#include "commands/support/Access.h"
#include "commands/support/JsonRows.h"
#include "commands/support/Listing.h"
#include "commands/support/NameGlob.h"
#include "core/dataflow/ForwardSlice.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

using dataflow::SliceEnd;
using dataflow::SliceStep;

static StringRef endName(SliceEnd K) {
  static constexpr StringLiteral Names[] = {
      "constant", "system",    "input",   "before the trace",
      "unknown",  "structure", "stopped", "not looked at"};
  return Names[size_t(K)];
}

static StringRef endText(SliceEnd K) {
  static constexpr StringLiteral Texts[] = {
      "a constant in this instruction",
      "the answer of the system",
      "input: nothing in the trace wrote it before",
      "from before the trace",
      "unknown: the trace does not tell what was read",
      "the stack pointer is not followed (--no-suppress)",
      "not followed, as asked",
      "not looked at before "};
  return Texts[size_t(K)];
}

namespace {

/// Steps of a slice by the source line that they belong to.
struct LineGroup {
  uint64_t Instructions = 0;
  Instruction First, Last; ///< in the order of the slice
};

/// The steps of a slice as they come.
class SlicePrinter {
public:
  /// \p From: where the slice begins.
  SlicePrinter(Session &S, const dataflow::CellMap &Cells,
               const ParsedOptions &Options, std::string From)
      : S(S), Cells(Cells), Json(Options.has("json")),
        ByLine(Options.has("lines")), Forward(Options.has("forward")),
        From(std::move(From)), Items(S.Out) {}

  Error step(const SliceStep &Step);
  void ends(ArrayRef<SliceStep::End> Ends, unsigned Indent,
            bool OtherReads = false);
  void finishLines(uint64_t Limit);
  JsonItems &items() { return Items; }
  json::Array endsJson(ArrayRef<SliceStep::End> Ends, bool OtherReads = false);
  Expected<json::Array> needsJson(ArrayRef<SliceStep::Need> Needs);
  uint64_t Count = 0;
  uint64_t NumLines() const { return Lines.size(); }

private:
  /// Each kind once, with all its places. That an instruction also read the
  /// stack pointer is not told where it read anything else.
  std::map<SliceEnd, std::vector<dataflow::DataPlace>>
  sorted(ArrayRef<SliceStep::End> Ends, bool OtherReads) {
    std::map<SliceEnd, std::vector<dataflow::DataPlace>> Kinds;
    for (const SliceStep::End &E : Ends) {
      if (E.Kind == SliceEnd::Structure && OtherReads)
        continue;
      auto &List = Kinds[E.Kind];
      if (E.Of.Memory.Size || E.Of.Cells.Count)
        List.push_back(E.Of);
    }
    return Kinds;
  }

  Session &S;
  const dataflow::CellMap &Cells;
  bool Json, ByLine, Forward;
  std::string From;
  JsonItems Items;
  std::vector<std::pair<std::string, LineGroup>> Lines; ///< as they came
  StringMap<size_t> LineNumbers;
};

} // namespace

static bool readsOthers(const SliceStep &Step) {
  return any_of(Step.Needs,
                [](const SliceStep::Need &N) { return N.By.has_value(); }) ||
         any_of(Step.Ends, [](const SliceStep::End &E) {
           return E.Kind != SliceEnd::Structure;
         });
}

void SlicePrinter::ends(ArrayRef<SliceStep::End> Ends, unsigned Indent,
                        bool OtherReads) {
  for (auto &[Kind, Places] : sorted(Ends, OtherReads)) {
    S.Out.indent(Indent);
    if (!Places.empty())
      S.Out << formatPlaces(S, Cells, Places) << ": ";
    S.Out << endText(Kind) << (Kind == SliceEnd::NotSearched ? From : "")
          << "\n";
  }
}

json::Array SlicePrinter::endsJson(ArrayRef<SliceStep::End> Ends,
                                   bool OtherReads) {
  json::Array A;
  for (auto &[Kind, Places] : sorted(Ends, OtherReads)) {
    json::Object O{{"kind", endName(Kind)}};
    if (!Places.empty())
      O["location"] = formatPlaces(S, Cells, Places);
    A.push_back(std::move(O));
  }
  return A;
}

/// What was read, by the instruction that had made it, nearest first.
Expected<json::Array> SlicePrinter::needsJson(ArrayRef<SliceStep::Need> Needs) {
  std::map<Moment, std::vector<dataflow::DataPlace>, std::greater<Moment>> Made;
  for (const SliceStep::Need &N : Needs)
    if (N.By)
      Made[*N.By].push_back(N.Of);
  json::Array A;
  for (const auto &[By, Of] : Made) {
    auto Maker = S.Store.positionAt(By);
    if (!Maker)
      return Maker.takeError();
    A.push_back(json::Object{{"location", formatPlaces(S, Cells, Of)},
                             {"position", Maker->second},
                             {"thread", int64_t(Maker->first) + 1}});
  }
  return A;
}

Error SlicePrinter::step(const SliceStep &Step) {
  ++Count;
  if (ByLine) {
    const uint64_t PC = Step.Insn.Insn.PC;
    auto [It, New] =
        LineNumbers.try_emplace(codeKeys(S, PC).Source, Lines.size());
    if (New)
      Lines.push_back({sourcePlace(S, PC), {}});
    LineGroup &G = Lines[It->second].second;
    if (!G.Instructions++)
      G.First = Step.Insn;
    G.Last = Step.Insn;
    return Error::success();
  }
  std::optional<Position> LedTo;
  if (Step.LedTo) {
    auto Pos = S.Store.positionOf(Step.Insn.Thread, *Step.LedTo);
    if (!Pos)
      return Pos.takeError();
    LedTo = *Pos;
  }
  if (Json) {
    json::Object O = placeJson(S, Step.Insn);
    O["instruction"] = formatInstruction(S, Step.Insn.Insn);
    O["depth"] = Step.Depth;
    if (LedTo)
      O["led_to"] = *LedTo;
    O["made"] = formatPlaces(S, Cells, Step.Made);
    std::vector<dataflow::DataPlace> Of;
    for (const SliceStep::Need &N : Step.Needs)
      Of.push_back(N.Of);
    O["needed"] = formatPlaces(S, Cells, Of);
    if (!Forward) {
      auto Needs = needsJson(Step.Needs);
      if (!Needs)
        return Needs.takeError();
      O["needs"] = std::move(*Needs);
    }
    O["ends"] = endsJson(Step.Ends, readsOthers(Step));
    Items.add(std::move(O));
    return Error::success();
  }
  S.Out << instructionRow(S, Step.Insn) << "\n     "
        << formatInstruction(S, Step.Insn.Insn);
  if (std::string Made = formatPlaces(S, Cells, Step.Made); !Made.empty())
    S.Out << "   makes " << Made;
  if (LedTo)
    S.Out << "   led to " << formatPlace(S.Store, Step.Insn.Thread, *LedTo);
  if (Forward && Step.Needs.empty())
    S.Out << "   by control";
  S.Out << "\n";
  ends(Step.Ends, 5, readsOthers(Step));
  S.Out.flush();
  return Error::success();
}

void SlicePrinter::finishLines(uint64_t Limit) {
  uint64_t N = 0;
  for (auto &[Line, G] : Lines) {
    if (N++ == Limit)
      break;
    if (Json) {
      json::Object O = placeJson(S, G.First);
      O["source"] = json::fixUTF8(Line);
      O["instructions"] = G.Instructions;
      O[Forward ? "newest" : "oldest"] = G.Last.Pos;
      Items.add(std::move(O));
      continue;
    }
    const uint64_t PC = G.First.Insn.PC;
    const std::string Place = sourcePlace(S, PC, NameLength::Brief),
                      Function = functionAt(S, PC, NameLength::Brief);
    auto Column = [](std::string Text, size_t Width) {
      Text.resize(std::max(Width, Text.size() + 1), ' ');
      return Text;
    };
    S.Out << formatv("{0,10}  ", grouped(G.Instructions))
          << Column(formatPlace(S.Store, G.First.Thread, G.First.Pos), 10)
          << Column(G.Instructions > 1
                        ? ".." + formatPlace(S.Store, G.Last.Thread, G.Last.Pos)
                        : "",
                    11)
          << Place << (Place == Function ? "" : "  " + Function) << "\n";
  }
}

/// --stop: the instructions of those functions. Empty: none.
static Expected<std::function<bool(uint64_t)>>
parseStops(Session &S, const ParsedOptions &Options) {
  std::vector<NameGlob> Stops;
  for (StringRef Text : Options.values("stop")) {
    auto G = NameGlob::create("--stop", Text);
    if (!G)
      return G.takeError();
    Stops.push_back(std::move(*G));
  }
  for (const NameGlob &G : Stops)
    if (Error E = checkExecuted(S, "--stop", G))
      return E;
  if (Stops.empty())
    return std::function<bool(uint64_t)>();
  return [&S, Stops = std::move(Stops)](uint64_t PC) {
    return any_of(Stops, [&](const NameGlob &G) { return isOf(S, PC, G); });
  };
}

/// What 'slice next' walks through and 'list' marks.
static void remember(Session &S, std::string Of, std::vector<Moment> Moments,
                     bool Complete) {
  llvm::sort(Moments);
  S.Memory.Slice = {std::move(Of), std::move(Moments), Complete};
}

static Error runSlice(Session &S, const ParsedOptions &Options) {
  if (Error E = dataflow::StepCodes::check(S.Store))
    return E;
  const bool Forward = Options.has("forward");
  if (Forward && Options.has("from"))
    return usageError("--from is of slices that go back; --forward begins at "
                      "--at and has --to and --stop");
  if (!Forward && Options.has("to"))
    return usageError("--to is of --forward; a slice that goes back begins at "
                      "--at and has --from");
  auto At = askedAt(S, Options, Forward ? Looks::Ahead : Looks::Back);
  if (!At)
    return At.takeError();
  auto Size = Options.number("size");
  if (!Size)
    return Size.takeError();
  auto Limit = listLimit(S, Options, 50);
  if (!Limit)
    return Limit.takeError();
  auto Depth = Options.number("depth");
  if (!Depth)
    return Depth.takeError();
  const auto MaxDepth = unsigned(std::min<uint64_t>(Depth->value_or(~0u), ~0u));
  auto Control = parseControl(Options);
  if (!Control)
    return Control.takeError();
  auto L = parseLocation(S, *At, Options.text(), *Size);
  auto Part = searchSpan(S, Options, *At);
  if (!L)
    return joinErrors(L.takeError(), Part.takeError());
  if (!Part)
    return Part.takeError();
  if (Part->To < At->When && Forward)
    return usageError("--to lies before the position");
  if (Part->From > At->When && !Forward)
    return usageError("--from lies after the position");

  auto Stop = parseStops(S, Options);
  if (!Stop)
    return Stop.takeError();

  dataflow::StepCodes Codes(S.Store, {!Options.has("addresses"), {}});
  auto Calls = CallIndex::open(S.Store);
  if (!Calls)
    return Calls.takeError();
  auto Places = placesOf(Codes.cells(), *L);
  if (!Places)
    return Places.takeError();
  const bool Suppress = !Options.has("no-suppress");
  dataflow::ControlFlow Flow;
  std::unique_ptr<dataflow::ControlTable> Decided;
  if (!Forward) {
    auto Table = controlTable(S, Options, Codes, Calls->get(), At->When);
    if (!Table)
      return Table.takeError();
    Decided = std::move(*Table);
  } else if (*Control == dataflow::ControlMode::Exact) {
    if (Error E = followControl(S.Store, Calls->get(), Codes, S.Watch, Flow))
      return E;
  }
  std::optional<dataflow::BackwardSlice> Back;
  std::optional<dataflow::ForwardSlice> Ahead;
  if (Forward) {
    Ahead.emplace(S.Store, Codes,
                  dataflow::ForwardSlice::Options{
                      Suppress, At->When, Part->To, std::move(*Stop), MaxDepth,
                      *Control, &Flow, Calls->get()});
  } else {
    Back.emplace(S.Store, Codes, Calls->get(),
                 dataflow::BackwardSlice::Options{MaxDepth, Suppress,
                                                  Part->From, std::move(*Stop),
                                                  Decided.get()});
  }
  bool Json = Options.has("json"), ByLine = Options.has("lines");
  std::vector<std::string> Limits = dataflowLimits(S.Store);
  if (!Json) {
    for (const std::string &Line : Limits)
      S.Out << "note: " << Line << "\n";
    auto V = readLocation(S, *L, At->When);
    if (!V)
      return V.takeError();
    S.Out << describe(*L) << " = " << shown(S, *V) << "\n";
    S.Out.flush();
  }
  Moment Before = At->When;
  if (Back && L->Where == Location::Memory && L->FieldWidth) {
    // What changed other bits of its bytes did not make it.
    auto M = lastAccess(S.Store, *L, AccessKind::Write, Before);
    if (!M)
      return M.takeError();
    Before = *M ? **M + 1 : 0;
  }
  for (const dataflow::DataPlace &P : *Places)
    if (Ahead)
      Ahead->add(P);
    else if (Error E = Back->add(P, Before))
      return E;

  std::string FromText;
  if (Part->From) {
    auto Pos = S.Store.positionOf(At->Thread, Part->From);
    if (!Pos)
      return Pos.takeError();
    FromText = formatPlace(S.Store, At->Thread, *Pos);
  }
  SlicePrinter Out(S, Codes.cells(), Options, FromText);
  Ending End;
  End.Searched = {At->When, At->When};
  std::optional<Instruction> First;
  uint64_t Taken = 0;
  constexpr size_t MostRemembered = 1 << 22;
  std::vector<Moment> Moments;
  while (true) {
    auto Step = Back ? Back->next(S.Watch) : Ahead->next(S.Watch);
    if (!Step) {
      if (!S.cancelled())
        return Step.takeError();
      consumeError(Step.takeError());
      End.Cancelled = true;
      End.Complete = false;
      break;
    }
    if (!*Step) {
      End.Searched.From = Part->From;
      break;
    }
    if (!ByLine && Taken == *Limit) {
      End.Complete = false;
      break;
    }
    if (++Taken % 256 == 0 && Back)
      (void)S.Watch.step("slicing", At->When - (*Step)->Insn.When, At->When);
    if (!First)
      First = (*Step)->Insn;
    End.Searched.From = (*Step)->Insn.When;
    if (Moments.size() < MostRemembered)
      Moments.push_back((*Step)->Insn.When);
    if (Error E = Out.step(**Step))
      return E;
  }
  ArrayRef<SliceStep::End> Ends;
  std::vector<std::string> Remarks;
  if (Back) {
    Ends = Back->ends();
  } else {
    // At the limit that is where the last one is; one more was looked for.
    const bool AtLimit = !End.Complete && !End.Cancelled;
    End.Searched = {At->When, AtLimit ? End.Searched.From : Ahead->reached()};
    if (End.Complete && Ahead->gone())
      Remarks.push_back(Ahead->cutOff()
                            ? "what was made of it, and was followed, is "
                              "overwritten everywhere"
                            : "what was made of it is overwritten everywhere");
    if (Codes.unknown())
      Remarks.push_back(notUnderstood(Codes.unknown()));
  }
  auto AskedAt = S.Store.positionOf(At->Thread, At->When);
  if (!AskedAt)
    return AskedAt.takeError();
  remember(S,
           (Forward ? "forward slice of " : "slice of ") + L->Text + " at " +
               formatPlace(S.Store, At->Thread, *AskedAt),
           std::move(Moments), End.Complete && Taken <= MostRemembered);
  if (ByLine) {
    End.Complete &= Out.NumLines() <= *Limit;
    Out.finishLines(*Limit);
  }
  if (Json) {
    json::Array EndsJson = Out.endsJson(Ends);
    S.FoundNothing |= Out.items().empty();
    json::Object J = listJson({}, End);
    J["location"] = toJson(*L);
    J["instructions"] = Out.Count;
    if (Back)
      J["bypassed"] = Back->bypassed();
    else
      J["remarks"] = json::Array(Remarks);
    J["ends"] = std::move(EndsJson);
    J["limits"] = json::Array(Limits);
    Out.items().print(std::move(J));
  } else {
    Out.ends(Ends, 0);
    for (const std::string &Line : Remarks)
      S.Out << Line << "\n";
    if (ByLine)
      S.Out << "-- " << grouped(Out.Count) << " instructions of "
            << grouped(Out.NumLines()) << " lines\n";
    printEnding(S, Out.Count, "instruction", End);
  }
  if (!Options.has("goto"))
    return Error::success();
  if (!First)
    return userError("there is no instruction to go to");
  return S.moveTo({First->Thread, First->When}, "slice of " + L->Text);
}

static constexpr OptionSpec SliceOptions[] = {
    opt::Size,
    opt::At,
    opt::Thread,
    opt::From,
    opt::To,
    opt::Count,
    {"forward", 0, "", "what the value went on into, oldest first"},
    {"addresses", 'a', "", "also what told where memory was accessed"},
    {"control", 0, "mode",
     "also what decided that they were reached: none (default), exact, call or "
     "all",
     "none|exact|call|all"},
    {"depth", 'd', "n", "at most n steps from the location"},
    {"stop", 0, "glob", "do not look behind such functions"},
    {"lines", 0, "", "sum it up by source line"},
    opt::NoSuppress,
    opt::Goto,
    opt::Format,
    opt::Raw,
    opt::Json};

extern const Command SliceCommand = {
    .Name = "slice",
    .Summary = "List the instructions that made a value, or that it went into",
    .Arguments = "<location>",
    .Help = R"(
Goes back from a location over everything that its value was computed from,
newest first, each line as it is found. Without --addresses only values are
followed, not the pointers that led to them (a thin slice). Saves and restores
of registers are stepped over. Where nothing more can be followed, the line says
why: a constant, input, from before the trace, unknown.

In LLDB, 'slice next' and 'slice prev' walk through the instructions that were
listed last, and 'list' marks them.

With --forward it goes on from the location (at --at) and lists, oldest first,
what its value went into: through registers and memory, until that is
overwritten everywhere, or to --to. Saves and restores are listed then.

--control exact also follows, of each instruction, the branch that decided
whether it would be reached, or else the call of its activation: what these were
made of is in the slice, too, and forward what they led to. With call it is every
branch before it in the activations that are open, with all every branch. This
takes a pass over the trace first.

  rewind slice x0 -c 5
  rewind slice x0 --forward --at 1200 -c 5
  rewind slice x0 --lines
  rewind slice x0 --control exact -c 5
  (lldb) rewind slice item->quantity -c 5
)",
    .Options = SliceOptions,
    .MinArguments = 1,
    .Run = runSlice,
    .OnlyAsks = true,
};

} // namespace rw
