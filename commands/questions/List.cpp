//===- List.cpp - rewind list ---------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "commands/questions/InstructionRows.h"
#include "commands/questions/ListFilter.h"
#include "commands/support/Listing.h"
#include "commands/support/PositionExpr.h"
#include "core/store/TraceStore.h"
#include "core/support/Printable.h"

using namespace llvm;

namespace rw {

namespace {

/// Events of the trace as the list comes by them.
class EventWalk {
public:
  explicit EventWalk(const TraceStore &Store) : Store(Store) {}

  Error start(Moment From) {
    auto Index = Store.firstEventFrom(From);
    if (!Index)
      return Index.takeError();
    Next = *Index;
    return fetch();
  }

  /// Calls \p F with those that happened before instruction \p M.
  Error upTo(Moment M, function_ref<void(const StoredEvent &)> F) {
    while (Event && Event->Before <= M) {
      F(*Event);
      if (Error E = fetch())
        return E;
    }
    return Error::success();
  }

private:
  Error fetch() {
    Event.reset();
    if (Next >= Store.numEvents())
      return Error::success();
    auto E = Store.event(Next++);
    if (!E)
      return E.takeError();
    Event = std::move(*E);
    return Error::success();
  }

  const TraceStore &Store;
  uint64_t Next = 0;
  std::optional<StoredEvent> Event;
};

/// One instruction after the other, as text or as JSON.
class Lister {
public:
  Lister(Session &S, bool Json, InstructionRows Rows)
      : S(S), Json(Json), Rows(std::move(Rows)) {}

  void event(const StoredEvent &E);
  /// Whether --grep takes it.
  Expected<bool> isWanted(const Instruction &I, const ListFilter &Filter);
  Error instruction(const Instruction &I);
  /// What happened after the last instruction.
  void finish();
  /// What the marks of a slice mean, if there is one.
  void legend();

private:
  Session &S;
  bool Json;
  InstructionRows Rows;
  std::string Row;
  json::Array Events;
};

} // namespace

void Lister::event(const StoredEvent &E) {
  if (Json) {
    Events.push_back(InstructionJson::tell(E));
    return;
  }
  S.Out << "   -- ";
  if (S.Store.numThreads() > 1)
    S.Out << "thread " << threadLabel(S.Store, E.Thread) << ": ";
  S.Out << eventName(E.Kind);
  if (!E.Text.empty())
    S.Out << ": " << printable(E.Text);
  S.Out << "\n";
}

Expected<bool> Lister::isWanted(const Instruction &I,
                                const ListFilter &Filter) {
  if (!Filter.wantsText())
    return true;
  Row.clear();
  if (Error E = Rows.row(Row, I))
    return E;
  return Filter.takes(Row) || Filter.takes(Rows.source(I));
}

Error Lister::instruction(const Instruction &I) {
  Row.clear();
  Error E =
      Json ? Rows.json(Row, I, std::exchange(Events, {})) : Rows.text(Row, I);
  // One after the other: the whole list may be larger than memory.
  S.Out << Row;
  return E;
}

void Lister::finish() {
  if (!Events.empty())
    S.Out << json::Value(json::Object{{"events", std::exchange(Events, {})}})
          << "\n";
}

void Lister::legend() {
  const auto &Slice = S.Memory.Slice;
  if (Json || Slice.Of.empty())
    return;
  S.Out << "-- *: in the " << Slice.Of;
  if (!Slice.Complete)
    S.Out << ", of which " << grouped(Slice.Moments.size())
          << " instructions were listed (slice --count)";
  S.Out << "\n";
}

/// Instructions of the thread asked for, or of all.
struct Window {
  Moment From = 0, To = 0;
  Moment EventsFrom = 0;
  uint64_t Count = 0;
  std::optional<ThreadIndex> Thread;
};

static Expected<Window> windowFor(Session &S, const ParsedOptions &Options,
                                  bool Filtered) {
  Window W;
  auto Range = searchSpan(S, Options);
  if (!Range)
    return Range.takeError();
  W.From = W.EventsFrom = Range->From;
  W.To = Range->To;
  auto Count = listLimit(S, Options, 20);
  if (!Count)
    return Count.takeError();
  W.Count = *Count;
  auto T = threadAsked(S, Options);
  if (!T)
    return T.takeError();
  W.Thread = *T;
  bool Given = !Options.arguments().empty();
  if (Given && Options.has("from"))
    return usageError("either a position or --from");
  if (Options.has("from") || (!Given && (Filtered || !S.inDebugger())))
    return W;

  // Around a place: half of them before it.
  Place Where = S.Here;
  if (Given) {
    auto P = positionAsked(S, Options, Options.text());
    if (!P)
      return P.takeError();
    Where = *P;
  }
  if (Filtered) {
    if (Where.When > W.To)
      return usageError("the position lies after --to");
    W.From = Where.When;
    return W;
  }
  if (!Options.has("count"))
    W.Count = std::min<uint64_t>(W.Count, 20);
  if (!W.Thread) {
    W.From = Where.When - std::min<uint64_t>(Where.When, W.Count / 2);
    W.EventsFrom = W.From;
    return W;
  }
  auto P = S.Store.positionOf(*W.Thread, Where.When);
  if (!P)
    return P.takeError();
  Position First = *P - std::min<uint64_t>(*P, W.Count / 2);
  // What happened to the thread while others ran is before its instruction.
  W.EventsFrom = 0;
  if (First) {
    auto Last = S.Store.momentOf(
        *W.Thread, std::min(First, S.Store.numInstructions(*W.Thread)) - 1);
    if (!Last)
      return Last.takeError();
    W.EventsFrom = *Last + 1;
  }
  if (First >= S.Store.numInstructions(*W.Thread)) {
    W.From = W.To;
    return W;
  }
  auto M = S.Store.momentOf(*W.Thread, First);
  if (!M)
    return M.takeError();
  W.From = *M;
  return W;
}

/// Those that the filter leaves, without the events between them.
static Error runFiltered(Session &S, const ParsedOptions &Options, Window W,
                         Lister Out) {
  auto Filter = ListFilter::create(S, Options, W.Thread);
  if (!Filter)
    return Filter.takeError();
  const bool Json = Options.has("json");
  ListFilter &F = **Filter;
  if (F.Owner) {
    const bool From = Options.arguments().empty() && !Options.has("from");
    if (From)
      W.From = std::min(F.Owner->Life.From, W.To);
    if (!Options.has("to"))
      W.To = std::max(F.Owner->Life.To, W.From);
    if (!Json)
      S.Out << "a variable of " << describe(S, *F.Owner)
            << "; --from and --to list what other calls wrote there\n";
  }
  Ending End;
  End.Searched = {W.From, W.To};
  auto Cursor = S.Store.cursor(/*WithEffects=*/true);
  uint64_t Listed = 0, Looked = 0;
  Moment CursorAt = ~Moment(0);
  for (Moment Next = W.From;;) {
    auto M = F.next(Next, W.To);
    if (!M)
      return M.takeError();
    if (S.cancelled() || !*M) {
      End.Searched.To = *M ? **M : F.reached();
      break;
    }
    constexpr unsigned Often = 1 << 12;
    if (++Looked % Often == 0 && S.Watch.Progress)
      S.Watch.Progress("looking for instructions", **M, W.To);
    if (CursorAt != **M)
      Cursor->seek(**M);
    CursorAt = Next = **M + 1;
    const Instruction *I = Cursor->next();
    if (!I)
      break;
    auto Is = Out.isWanted(*I, F);
    if (!Is)
      return Is.takeError();
    if (!*Is)
      continue;
    // One more than wanted tells that there are more.
    if (Listed == W.Count) {
      End.Complete = false;
      End.Searched.To = **M;
      break;
    }
    if (Error E = Out.instruction(*I))
      return E;
    ++Listed;
  }
  if (Error E = Cursor->takeError())
    return E;
  End.Cancelled = S.cancelled();
  End.Complete &= !End.Cancelled;
  Out.legend();
  if (!Json) {
    printEnding(S, Listed, "instruction", End);
    return Error::success();
  }
  json::Object O = listJson({}, End);
  O.erase("items");
  if (F.Owner)
    O["owner"] = toJson(S, *F.Owner);
  S.FoundNothing |= !Listed;
  printJsonLine(S.Out, std::move(O));
  return Error::success();
}

static Error runList(Session &S, const ParsedOptions &Options) {
  const bool Filtered = ListFilter::given(Options);
  auto W = windowFor(S, Options, Filtered);
  if (!W)
    return W.takeError();
  if (!Filtered)
    for (const OptionSpec &O : {opt::At, opt::Size})
      if (Options.has(O.Long))
        return usageError("--" + O.Long + " is of the location of --writes");
  bool Json = Options.has("json");
  if (Json && S.Style.Format != ValueFormat::None)
    return usageError("--format is of the text; the JSON of a list has the "
                      "bytes");
  auto Rows = InstructionRows::open(S);
  if (!Rows)
    return Rows.takeError();
  Lister Out(S, Json, std::move(*Rows));
  if (Filtered)
    return runFiltered(S, Options, *W, std::move(Out));
  EventWalk Events(S.Store);
  if (Error E = Events.start(W->EventsFrom))
    return E;
  auto Happened = [&](const StoredEvent &Event) {
    if (!W->Thread || Event.Thread == *W->Thread)
      Out.event(Event);
  };
  auto Cursor = S.Store.cursor(/*WithEffects=*/true);
  Cursor->seek(W->From);
  uint64_t Listed = 0;
  Moment Next = W->From;
  while (Next < W->To && Listed < W->Count && !S.cancelled()) {
    const Instruction *I = Cursor->next();
    if (!I)
      break;
    Next = I->When + 1;
    if (W->Thread && I->Thread != *W->Thread)
      continue;
    if (Error E = Events.upTo(I->When, Happened))
      return E;
    if (Error E = Out.instruction(*I))
      return E;
    ++Listed;
  }
  if (Error E = Cursor->takeError())
    return E;
  const bool Cancelled = S.cancelled() && Next < W->To && Listed < W->Count;
  if (!Cancelled && Next >= S.Store.numInstructions()) {
    if (Error E = Events.upTo(~Moment(0), Happened))
      return E;
    Out.finish();
  }
  Out.legend();
  if (!Json) {
    S.Out << "-- " << Listed << " of " << S.Store.numInstructions()
          << " instructions";
    if (Cancelled)
      S.Out << ", listed " << formatPosition(W->From) << " to "
            << formatPosition(Next) << "; interrupted";
    else if (Next < W->To && Listed == W->Count)
      S.Out << "; more follow (--count)";
    S.Out << "\n";
  } else if (Cancelled) {
    Ending End{/*Complete=*/false, Cancelled, {W->From, Next}};
    json::Object O = listJson({}, End);
    O.erase("items");
    printJsonLine(S.Out, std::move(O));
  }
  return Cancelled ? userError("interrupted") : Error::success();
}

static constexpr OptionSpec ListOptions[] = {
    opt::Json,  opt::Count,      opt::From,   opt::To, opt::Thread,
    opt::Depth, opt::InFunction, opt::Writes, opt::At, opt::Size,
    opt::Grep,  opt::Format,     opt::Raw};

extern const Command ListCommand = {
    .Name = "list",
    .Summary = "List instructions and what they did",
    .Arguments = "[<position>]",
    .Help = R"(
Each instruction with its position, time, pc and text, the memory it read and
wrote and the registers it wrote, under the source line it belongs to, and the
real addresses where the trace tells them. Lists the trace around a position (half of the count before it), or from --from to
--to. Without any of these: around where you are, or, in the shell, everything.

--depth, --function, --writes and --grep leave only those instructions that all
of them take, from the position on, or without one in the whole trace. A depth
is that of `calls tree`; what --writes takes is told by last-write, and of a
local variable it is that of one call, the one at --at. --grep looks at each
line of an instruction as it is listed, and at the function and the line of the
source above it. What happens between instructions is left out then, and the
last line tells what was searched.

With --json, one object per line and instruction.

  rewind list 1200 -c 10
  rewind list --from 50% -c 100 --json
  rewind list --function main --depth ..3 --to 5%
  rewind list --writes x0 --grep 'ldr .*\[sp' -c 5
)",
    .Options = ListOptions,
    .Run = runList,
    .OnlyAsks = true,
};

} // namespace rw
