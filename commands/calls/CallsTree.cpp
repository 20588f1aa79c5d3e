//===- CallsTree.cpp - rewind calls tree ----------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/calls/CallSupport.h"
#include "commands/calls/FoldedTree.h"
#include "commands/support/Listing.h"
#include "commands/support/NameGlob.h"
#include "commands/support/NearNames.h"
#include "commands/support/PlaceReport.h"
#include "commands/support/TraceLines.h"
#include "core/calls/TtuTree.h"
#include "core/store/TraceStore.h"
#include "core/support/BriefName.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace rw {

static Error printTtu(Session &S, CallsOfSession &Calls, raw_ostream &Out) {
  CallQuery Q = Calls.query();
  for (ThreadIndex T = 0; T < S.Store.numThreads(); ++T) {
    if (S.Store.numInstructions(T) == 0)
      continue;
    // What the trace tells at the time of its first instruction but before it
    // is only in the trace itself.
    uint64_t FirstLine = 0;
    auto Line = S.Store.lineAt(0);
    auto Time = S.Store.timeAt(0);
    if (!Line || !Time)
      return joinErrors(Line.takeError(), Time.takeError());
    if (T == 0 && *Line > 1 && *Time) {
      auto Text = traceLines(S);
      if (Text) {
        auto First = firstLineOfMoment(*Text, *Line, **Time);
        if (!First)
          return First.takeError();
        FirstLine = *First;
      } else {
        S.warn("the first line number may differ from tarmac-calltree's: " +
               toString(Text.takeError()));
      }
    }
    if (Error E = printTtuTree(Q, T, FirstLine, Out))
      return E;
  }
  return Error::success();
}

namespace {

/// Prints a folded tree, iteratively: recursion may be as deep as the traced
/// program's.
class TreePrinter {
public:
  TreePrinter(Session &S, FunctionNames &Names, const FoldedTree &Tree)
      : S(S), Names(Names), Lines(Tree.lines()), Total(Tree.numLines()) {}

  /// At most \p Limit lines; takes off what it has shown.
  Error text(raw_ostream &Out, uint64_t &Limit) {
    std::vector<std::pair<uint32_t, uint32_t>> Work; // line, depth
    if (Lines[0].FirstChild)
      Work.push_back({Lines[0].FirstChild, 0});
    while (!Work.empty() && Limit) {
      auto [I, Depth] = Work.back();
      Work.pop_back();
      --Limit;
      if (++Shown % 1024 == 0)
        if (Error E = S.Watch.check())
          return E;
      const FoldedCall &L = Lines[I];
      if (L.Next)
        Work.push_back({L.Next, Depth});
      if (L.FirstChild)
        Work.push_back({L.FirstChild, Depth + 1});
      line(Out, L, Depth);
    }
    return Error::success();
  }
  bool showedAll() const { return Shown == Total; }

  /// Closes what it has opened even if it is told to stop.
  Error json(json::OStream &J) {
    Error Stop = Error::success();
    // Pushed twice: to open and to close.
    std::vector<std::pair<uint32_t, bool>> Work;
    if (Lines[0].FirstChild)
      Work.push_back({Lines[0].FirstChild, false});
    while (!Work.empty()) {
      auto [I, Close] = Work.back();
      Work.pop_back();
      if (!Stop && ++Shown % 1024 == 0)
        Stop = S.Watch.check();
      if (Close) {
        J.arrayEnd();
        J.attributeEnd();
        J.objectEnd();
        continue;
      }
      if (Stop)
        continue;
      const FoldedCall &L = Lines[I];
      if (L.Next)
        Work.push_back({L.Next, false});
      Work.push_back({I, true});
      if (L.FirstChild)
        Work.push_back({L.FirstChild, false});
      object(J, L);
    }
    return Stop;
  }

private:
  void line(raw_ostream &Out, const FoldedCall &L, uint32_t Depth) {
    Out.indent(2 * Depth) << briefName(functionLabel(Names, L.Function));
    if (L.Count > 1)
      Out << " x " << grouped(L.Count);
    const FunctionNames::Function &F = Names.at(L.Call.EntryPC);
    if (F.Line)
      Out << " at " << sys::path::filename(F.File) << ":" << F.Line;
    Out << "  " << formatActivation(S.Store, L.Call) << "  "
        << formatPosition(L.Call.Start) << ".." << formatPosition(L.LastEnd - 1)
        << "  " << grouped(L.Instructions)
        << (L.Instructions == 1 ? " instruction" : " instructions");
    if (L.Own != L.Instructions)
      Out << ", " << grouped(L.Own) << " own";
    if (L.Count == 1 || (L.Call.Flags & Activation::Truncated))
      if (std::string R = activationRemarks(L.Call, L.TailCall); !R.empty())
        Out << "  (" << R << ")";
    Out << "\n";
  }

  /// Leaves object and children open.
  void object(json::OStream &J, const FoldedCall &L) {
    J.objectBegin();
    J.attribute("id", formatActivation(S.Store, L.Call));
    J.attribute("function", json::fixUTF8(functionLabel(Names, L.Function)));
    J.attribute("pc", hex(L.Call.EntryPC));
    const FunctionNames::Function &F = Names.at(L.Call.EntryPC);
    if (F.Line) {
      J.attribute("file", json::fixUTF8(F.File));
      J.attribute("source_line", F.Line);
    }
    J.attribute("count", L.Count);
    J.attribute("start", L.Call.Start);
    J.attribute("end", L.LastEnd);
    J.attribute("instructions", L.Instructions);
    J.attribute("own", L.Own);
    J.attribute("kind", L.Call.Kind == ActivationKind::Root        ? "root"
                        : L.Call.Kind == ActivationKind::Exception ? "exception"
                        : L.TailCall                               ? "tail call"
                                                                   : "call");
    J.attribute("returned", L.Call.returned());
    if (std::string R = activationRemarks(L.Call, L.TailCall); !R.empty())
      J.attribute("remarks", R);
    J.attributeBegin("calls");
    J.arrayBegin();
  }

  Session &S;
  FunctionNames &Names;
  const std::vector<FoldedCall> &Lines;
  const uint64_t Total;
  uint64_t Shown = 0;
};

} // namespace

static Error moveToId(Session &S, const ParsedOptions &O, CallsOfSession &Calls,
                      StringRef Id) {
  auto A = parseActivation(S, Calls.index(), Id);
  if (!A)
    return A.takeError();
  auto M = S.Store.momentOf(A->Thread, A->Start);
  if (!M)
    return M.takeError();
  return moveAndTell(S, O, {A->Thread, *M},
                     "entry of " + briefName(Calls.names().nameOr(A->EntryPC)));
}

static Error runCallsTree(Session &S, const ParsedOptions &O) {
  auto Ttu = ttuStyle(O);
  if (!Ttu)
    return Ttu.takeError();
  auto Calls = CallsOfSession::open(S, *Ttu, !O.has("no-offsets"));
  if (!Calls)
    return Calls.takeError();
  if (auto Id = O.value("goto"))
    return moveToId(S, O, **Calls, *Id);
  auto File = AnswerFile::open(S, O);
  if (!File)
    return File.takeError();
  raw_ostream &Out = (*File)->os();
  if (*Ttu)
    return (*File)->finish(printTtu(S, **Calls, Out));

  auto Depth = O.number("depth");
  // A debugger's console wants an end, a file does not.
  auto Limit = listLimit(S, O, O.has("output") ? ~uint64_t(0) : 200);
  auto Threads = selectedThreads(S, O);
  if (!Depth || !Limit || !Threads)
    return joinErrors(joinErrors(Depth.takeError(), Limit.takeError()),
                      Threads.takeError());
  if (O.has("fold") && O.has("no-fold"))
    return usageError("--fold and --no-fold contradict each other");
  std::function<bool(const std::string &)> Wanted;
  std::optional<NameGlob> Glob;
  if (auto Text = O.value("function")) {
    auto G = NameGlob::create("--function", *Text);
    if (!G)
      return G.takeError();
    Glob = std::move(*G);
    Wanted = [&](const std::string &Name) { return Glob->match(Name); };
  }
  Folding Fold = O.has("fold")      ? Folding::ByFunction
                 : O.has("no-fold") ? Folding::None
                                    : Folding::Repeats;
  std::optional<json::OStream> J;
  if (O.has("json")) {
    J.emplace(Out, 1);
    J->arrayBegin();
  }
  CallQuery Q = (*Calls)->query();
  uint64_t Left = *Limit;
  bool Found = false, More = false;
  Error Failure = Error::success();
  for (ThreadIndex T : *Threads) {
    if ((More = !Left && !J))
      break;
    auto Range = positionRange(S, O, T);
    if (!Range) {
      Failure = Range.takeError();
      break;
    }
    FoldedTree Tree((*Calls)->names(), Fold,
                    uint32_t(std::min<uint64_t>(Depth->value_or(~0u), ~0u)),
                    J ? ~uint64_t(0) : Left, Wanted);
    SweepOptions Sweep;
    Sweep.From = Range->From;
    Sweep.To = Range->To;
    if ((Failure = sweepCalls(Q, T, Sweep, Tree)))
      break;
    Found |= Tree.lines()[0].FirstChild != 0;
    TreePrinter Printer(S, (*Calls)->names(), Tree);
    if (J) {
      if ((Failure = Printer.json(*J)))
        break;
      continue;
    }
    if (Threads->size() > 1)
      Out << "thread " << threadLabel(S.Store, T) << ":\n";
    if ((Failure = Printer.text(Out, Left)) || (More = !Printer.showedAll()))
      break;
  }
  if (More && !Failure)
    Out << "... and more (--count, --depth)\n";
  if (J) {
    J->arrayEnd();
    Out << "\n";
  }
  S.FoundNothing |= !Found;
  if (!Failure && !Found && !J)
    Out << (Glob ? "-- no call of a function like '" +
                       O.value("function")->str() + "' there" +
                       nearFunctions(S.Symbols, *O.value("function")) + "\n"
                 : std::string("-- the trace has no instructions there\n"));
  return (*File)->finish(std::move(Failure));
}

static constexpr OptionSpec CallsTreeOptions[] = {
    opt::Json,
    opt::Count,
    {"depth", 'd', "n", "at most n levels below the outermost"},
    opt::From,
    opt::To,
    {"function", 'f', "glob",
     "only calls of functions that match, with their callees"},
    {"fold", 0, "", "one line for all calls of a function from the same place"},
    {"no-fold", 0, "", "a line for each call"},
    {"goto", 'g', "id", "move to the entry of a line's call"},
    opt::Thread,
    opt::Style,
    opt::NoOffsets,
    opt::Output,
    opt::Replace,
};

extern const Command CallsTreeCommand = {
    .Name = "calls tree",
    .Summary = "Show who called whom",
    .Help = R"(
An indented line for each activation of a function: its name and source line, an
id, the positions from its entry to its end, and its instructions with and
without callees. Neighbours that look the same are folded ("quicksort x 1,024").
Calls that never returned, tail calls, exceptions and what was running when the
trace began are there and say so.

With --style tarmac the output equals that of tarmac-calltree, byte for byte.

  rewind calls tree --depth 3
  rewind calls tree --function 'sort*' --fold
  (lldb) rewind calls tree --goto @12
)",
    .Options = CallsTreeOptions,
    .MaxArguments = 0,
    .Run = runCallsTree,
    .OnlyAsks = true,
};

} // namespace rw
