//===- Slice.cpp - rewind slice -------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/dataflow/DataflowSupport.h"
#include "commands/support/Access.h"
#include "commands/support/Listing.h"
#include "commands/support/NameGlob.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

using dataflow::SliceEnd;
using dataflow::SliceStep;

static StringRef endName(SliceEnd K) {
  static constexpr StringLiteral Names[] = {
      "constant", "system",    "input",  "before the trace",
      "unknown",  "structure", "stopped"};
  return Names[size_t(K)];
}

static StringRef endText(SliceEnd K) {
  static constexpr StringLiteral Texts[] = {
      "a constant in this instruction",
      "the answer of the system",
      "input: nothing in the trace wrote it before",
      "from before the trace",
      "unknown: the trace does not tell what was read",
      "the stack pointer",
      "not followed, as asked"};
  return Texts[size_t(K)];
}

namespace {

/// Steps of a slice by the source line that they belong to.
struct LineGroup {
  uint64_t Instructions = 0;
  Instruction First, Last; ///< in the order of the slice: newest first
};

/// The steps of a slice as they come.
class SlicePrinter {
public:
  SlicePrinter(Session &S, const dataflow::CellMap &Cells, bool Json,
               bool ByLine)
      : S(S), Cells(Cells), Json(Json), ByLine(ByLine) {}

  void step(const SliceStep &Step);
  void ends(ArrayRef<SliceStep::End> Ends, unsigned Indent);
  void finishLines(uint64_t Limit);
  json::Array takeItems() { return std::move(Items); }
  json::Array endsJson(ArrayRef<SliceStep::End> Ends);
  uint64_t Count = 0;
  uint64_t NumLines() const { return Lines.size(); }

private:
  /// Each kind once, with all its places.
  std::map<SliceEnd, std::vector<dataflow::DataPlace>>
  sorted(ArrayRef<SliceStep::End> Ends) {
    std::map<SliceEnd, std::vector<dataflow::DataPlace>> Kinds;
    for (const SliceStep::End &E : Ends)
      if (E.Kind != SliceEnd::Structure) {
        auto &List = Kinds[E.Kind];
        if (E.Of.Memory.Size || E.Of.Cells.Count)
          List.push_back(E.Of);
      }
    return Kinds;
  }

  Session &S;
  const dataflow::CellMap &Cells;
  bool Json, ByLine;
  json::Array Items;
  std::vector<std::pair<std::string, LineGroup>> Lines; ///< newest first
  StringMap<size_t> LineNumbers;
};

} // namespace

void SlicePrinter::ends(ArrayRef<SliceStep::End> Ends, unsigned Indent) {
  for (auto &[Kind, Places] : sorted(Ends)) {
    S.Out.indent(Indent);
    if (!Places.empty())
      S.Out << formatPlaces(S, Cells, Places) << ": ";
    S.Out << endText(Kind) << "\n";
  }
}

json::Array SlicePrinter::endsJson(ArrayRef<SliceStep::End> Ends) {
  json::Array A;
  for (auto &[Kind, Places] : sorted(Ends)) {
    json::Object O{{"kind", endName(Kind)}};
    if (!Places.empty())
      O["location"] = formatPlaces(S, Cells, Places);
    A.push_back(std::move(O));
  }
  return A;
}

void SlicePrinter::step(const SliceStep &Step) {
  ++Count;
  if (ByLine) {
    std::string Line = sourcePlace(S, Step.Insn.Insn.PC);
    auto [It, New] = LineNumbers.try_emplace(Line, Lines.size());
    if (New)
      Lines.push_back({Line, {}});
    LineGroup &G = Lines[It->second].second;
    if (!G.Instructions++)
      G.First = Step.Insn;
    G.Last = Step.Insn;
    return;
  }
  if (Json) {
    json::Object O = placeJson(S, Step.Insn);
    O["instruction"] = formatInstruction(S, Step.Insn.Insn);
    O["depth"] = Step.Depth;
    O["made"] = formatPlaces(S, Cells, Step.Made);
    json::Array Needs;
    std::vector<dataflow::DataPlace> Of;
    for (const SliceStep::Need &N : Step.Needs)
      Of.push_back(N.Of);
    O["needed"] = formatPlaces(S, Cells, Of);
    O["ends"] = endsJson(Step.Ends);
    Items.push_back(std::move(O));
    return;
  }
  S.Out << instructionRow(S, Step.Insn) << "\n     "
        << formatInstruction(S, Step.Insn.Insn);
  if (std::string Made = formatPlaces(S, Cells, Step.Made); !Made.empty())
    S.Out << "   makes " << Made;
  S.Out << "\n";
  ends(Step.Ends, 5);
  S.Out.flush();
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
      O["oldest"] = G.Last.Pos;
      Items.push_back(std::move(O));
      continue;
    }
    S.Out << formatv("{0,10}  {1,-10}{2,-11}", grouped(G.Instructions),
                     formatPlace(S.Store, G.First.Thread, G.First.Pos),
                     G.Instructions > 1
                         ? ".." +
                               formatPlace(S.Store, G.Last.Thread, G.Last.Pos)
                         : "")
          << Line << "  " << functionAt(S, G.First.Insn.PC) << "\n";
  }
}

static Error run(Session &S, const ParsedOptions &Options) {
  if (Error E = dataflow::StepCodes::check(S.Store))
    return E;
  auto At = askedAt(S, Options, Looks::Back);
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
  auto L = parseLocation(S, *At, Options.text(), *Size);
  Place Here = std::exchange(S.Here, *At); // "-100" counts from there
  auto From = searchSpan(S, Options);
  S.Here = Here;
  if (!L)
    return joinErrors(L.takeError(), From.takeError());
  if (!From)
    return From.takeError();

  dataflow::BackwardSlice::Options O;
  O.MaxDepth = unsigned(std::min<uint64_t>(Depth->value_or(~0u), ~0u));
  O.Suppress = !Options.has("no-suppress");
  O.From = From->From;
  std::vector<NameGlob> Stops;
  for (StringRef Text : Options.values("stop")) {
    auto G = NameGlob::create("--stop", Text);
    if (!G)
      return G.takeError();
    Stops.push_back(std::move(*G));
  }
  if (!Stops.empty())
    O.Stop = [&](uint64_t PC) {
      return any_of(
          Stops, [&](const NameGlob &G) { return G.match(functionAt(S, PC)); });
    };

  dataflow::StepCodes Codes(S.Store, {!Options.has("addresses"), {}});
  auto Calls = CallIndex::open(S.Store);
  if (!Calls)
    return Calls.takeError();
  auto Places = placesOf(Codes.cells(), *L);
  if (!Places)
    return Places.takeError();
  dataflow::BackwardSlice Slice(S.Store, Codes, Calls->get(), O);
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
  for (const dataflow::DataPlace &P : *Places)
    if (Error E = Slice.add(P, At->When))
      return E;

  SlicePrinter Out(S, Codes.cells(), Json, ByLine);
  Ending End;
  End.Searched = {At->When, At->When};
  std::optional<Instruction> First;
  uint64_t Taken = 0;
  while (true) {
    if (!ByLine && Taken == *Limit) {
      End.Complete = false;
      break;
    }
    auto Step = Slice.next(S.Watch);
    if (!Step) {
      if (!S.cancelled())
        return Step.takeError();
      consumeError(Step.takeError());
      End.Cancelled = true;
      End.Complete = false;
      break;
    }
    if (!*Step) {
      End.Searched.From = O.From;
      break;
    }
    if (++Taken % 256 == 0)
      (void)S.Watch.step("slicing", At->When - (*Step)->Insn.When, At->When);
    if (!First)
      First = (*Step)->Insn;
    End.Searched.From = (*Step)->Insn.When;
    Out.step(**Step);
  }
  if (ByLine) {
    End.Complete &= Out.NumLines() <= *Limit;
    Out.finishLines(*Limit);
  }
  if (Json) {
    json::Array Ends = Out.endsJson(Slice.ends());
    json::Object J = listJson(S, Out.takeItems(), End);
    J["location"] = toJson(*L);
    J["instructions"] = Out.Count;
    J["bypassed"] = Slice.bypassed();
    J["ends"] = std::move(Ends);
    J["limits"] = json::Array(Limits);
    printJson(S.Out, std::move(J));
  } else {
    Out.ends(Slice.ends(), 0);
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

static constexpr OptionSpec Options[] = {
    opt::Size,
    opt::At,
    opt::Thread,
    opt::From,
    opt::Count,
    {"addresses", 'a', "", "also what told where memory was accessed"},
    {"depth", 'd', "n", "at most n steps from the location"},
    {"stop", 0, "glob", "do not look behind such functions"},
    {"lines", 0, "", "sum it up by source line"},
    opt::NoSuppress,
    opt::Goto,
    opt::Json};

extern const Command SliceCommand = {
    .Name = "slice",
    .Summary = "List the instructions that made a value",
    .Arguments = "<location>",
    .Help = R"(
Goes back from a location over everything that its value was computed from,
newest first, each line as it is found. Without --addresses only values are
followed, not the pointers that led to them (a thin slice). Saves and restores
of registers are stepped over. Where nothing more can be followed, the line says
why: a constant, input, from before the trace, unknown.

  rewind slice x0 -c 5
  rewind slice x0 --lines
  (lldb) rewind slice item->quantity -c 5
)",
    .Options = Options,
    .MinArguments = 1,
    .Run = run,
};

} // namespace rw
