//===- Find.cpp - rewind find ---------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "commands/support/Listing.h"
#include "commands/support/PositionExpr.h"
#include "commands/support/Visits.h"
#include "core/support/Printable.h"

using namespace llvm;

namespace rw {

namespace {

/// Something to look for: visits of code, or exceptions. Answers moments.
class Target {
public:
  virtual ~Target() = default;
  virtual Expected<std::optional<Moment>> last(Moment Before) = 0;
  virtual Expected<std::optional<Moment>> from(Moment First) = 0;
  /// More to say of the one found at \p M.
  virtual Expected<std::string> remark(Moment) { return std::string(); }
};

class VisitTarget final : public Target {
public:
  VisitTarget(const TraceStore &Store, CodePlace Code,
              std::optional<ThreadIndex> T)
      : Store(Store), Code(std::move(Code)), T(T) {}
  Expected<std::optional<Moment>> last(Moment Before) override {
    return lastVisit(Store, Code, Before, T);
  }
  Expected<std::optional<Moment>> from(Moment First) override {
    return visitFrom(Store, Code, First, T);
  }

private:
  const TraceStore &Store;
  CodePlace Code;
  std::optional<ThreadIndex> T;
};

/// Events are few beside instructions, but those of other kinds lie between.
class EventTarget final : public Target {
public:
  EventTarget(const TraceStore &Store, EventKind Kind,
              std::optional<ThreadIndex> T)
      : Store(Store), Kind(Kind), T(T) {}

  Expected<std::optional<Moment>> last(Moment Before) override {
    auto Index = Store.firstEventFrom(Before);
    if (!Index)
      return Index.takeError();
    for (uint64_t I = *Index; I-- > 0;) {
      auto E = Store.event(I);
      if (!E)
        return E.takeError();
      if (wanted(*E))
        return std::optional<Moment>(E->Before);
    }
    return std::nullopt;
  }

  Expected<std::optional<Moment>> from(Moment First) override {
    auto Index = Store.firstEventFrom(First);
    if (!Index)
      return Index.takeError();
    for (uint64_t I = *Index; I < Store.numEvents(); ++I) {
      auto E = Store.event(I);
      if (!E)
        return E.takeError();
      if (wanted(*E))
        return std::optional<Moment>(E->Before);
    }
    return std::nullopt;
  }

  Expected<std::string> remark(Moment M) override {
    auto Index = Store.firstEventFrom(M);
    if (!Index)
      return Index.takeError();
    std::string Text;
    for (uint64_t I = *Index; I < Store.numEvents(); ++I) {
      auto E = Store.event(I);
      if (!E)
        return E.takeError();
      if (E->Before != M)
        break;
      if (wanted(*E))
        Text += (Text.empty() ? "" : "; ") +
                (E->Text.empty() ? eventName(Kind) : printable(E->Text));
    }
    return Text;
  }

private:
  bool wanted(const StoredEvent &E) const {
    return E.Kind == Kind && (!T || E.Thread == *T);
  }
  const TraceStore &Store;
  const EventKind Kind;
  std::optional<ThreadIndex> T;
};

struct Found {
  std::vector<Moment> Moments;
  Ending End;
};

} // namespace

static Error report(Session &S, Target &What, StringRef Noun,
                    const Found &Result, bool Json) {
  json::Array Items;
  for (Moment M : Result.Moments) {
    auto Remark = What.remark(M);
    if (!Remark)
      return Remark.takeError();
    if (M >= S.Store.numInstructions()) { // an event that ended the trace
      if (Json)
        Items.push_back(json::Object{{"position", M}, {"text", *Remark}});
      else
        S.Out << formatPosition(M) << "  (end)  " << *Remark << "\n";
      continue;
    }
    auto I = S.Store.instruction(M);
    if (!I)
      return I.takeError();
    bool Executed = I->Insn.Flags & InsnItem::Executed;
    if (Json) {
      json::Object O = placeJson(S, *I);
      O["executed"] = Executed;
      if (!Remark->empty())
        O["text"] = *Remark;
      Items.push_back(std::move(O));
      continue;
    }
    S.Out << instructionRow(S, *I) << (Executed ? "" : "  (not executed)");
    if (!Remark->empty())
      S.Out << "  " << *Remark;
    S.Out << "\n";
  }
  if (Json)
    printJson(S.Out, listJson(S, std::move(Items), Result.End));
  else if (Result.Moments.size() != 1 || !Result.End.Complete)
    printEnding(S, Result.Moments.size(), Noun, Result.End);
  return Error::success();
}

/// "cpu-change", "cpu change".
static Expected<EventKind> parseKind(StringRef Text) {
  std::string Kinds;
  for (unsigned K = 0; K < NumEventKinds; ++K) {
    std::string Name = eventName(EventKind(K));
    if (Text == Name)
      return EventKind(K);
    std::replace(Name.begin(), Name.end(), ' ', '-');
    if (Text == Name)
      return EventKind(K);
    Kinds += (K ? ", " : "") + Name;
  }
  return usageError("no kind of event: '" + Text + "'; there are " + Kinds);
}

static Error run(Session &S, const ParsedOptions &Options) {
  auto At =
      askedAt(S, Options, Options.has("prev") ? Looks::Back : Looks::Ahead);
  if (!At)
    return At.takeError();
  auto Limit = listLimit(S, Options);
  if (!Limit)
    return Limit.takeError();
  bool Next = Options.has("next"), Prev = Options.has("prev"),
       All = Options.has("all");
  if (Next + Prev + All > 1)
    return usageError("only one of --next, --prev and --all at a time");
  if (All && Options.has("goto"))
    return usageError("--goto needs one place to go to: --next or --prev");
  // At a prompt one wants the next one; a script wants them all.
  if (!Next && !Prev && !All)
    (S.inDebugger() || Options.has("goto") ? Next : All) = true;
  if (!All && !Options.has("count"))
    Limit = 1;

  std::optional<ThreadIndex> T;
  if (Options.has("thread"))
    T = At->Thread;
  std::string Text = Options.text();
  std::unique_ptr<Target> What;
  std::string Noun = "visit";
  if (Text == "exception" || Options.has("event")) {
    auto Kind = Options.has("event") ? parseKind(*Options.value("event"))
                                     : EventKind::Exception;
    if (!Kind)
      return Kind.takeError();
    if (Options.has("event") && !Text.empty())
      return usageError("either --event or a place in the code");
    What = std::make_unique<EventTarget>(S.Store, *Kind, T);
    Noun = eventName(*Kind);
  } else if (Text.empty()) {
    return usageError("find what? An address, a symbol, file:line, or --event");
  } else {
    auto Code = parseCodePlace(S, *At, Text, Options.has("entry"));
    if (!Code)
      return Code.takeError();
    What = std::make_unique<VisitTarget>(S.Store, std::move(*Code), T);
  }

  Found Result;
  Moment End = S.Store.numInstructions();
  Span &Searched = Result.End.Searched;
  if (Prev)
    Searched = {0, At->When};
  else
    Searched = {All ? 0 : std::min(At->When + 1, End), End};
  // One more than wanted, to tell whether there are more.
  Moment Cursor = Prev ? Searched.To : Searched.From;
  bool More = true;
  while (More && Result.Moments.size() < *Limit && !S.cancelled()) {
    auto M = Prev ? What->last(Cursor) : What->from(Cursor);
    if (!M)
      return M.takeError();
    More = M->has_value();
    if (!More)
      break;
    Result.Moments.push_back(**M);
    Cursor = Prev ? **M : **M + 1;
  }
  if (More && !S.cancelled()) {
    auto M = Prev ? What->last(Cursor) : What->from(Cursor);
    if (!M)
      return M.takeError();
    More = M->has_value();
  }
  Result.End.Complete = !More;
  Result.End.Cancelled = S.cancelled();
  // Asked for one, one was found: that there are others is no news.
  if (!All && *Limit == 1 && Result.Moments.size() == 1 && !Options.has("json"))
    Result.End.Complete = true;

  if (Result.Moments.empty() && !Options.has("json") && !All)
    return userError("no " +
                     Twine(Noun == "visit" ? "visit of " + Text : Noun) +
                     (Prev ? " before " : " after ") + "here (searched " +
                     formatPosition(Searched.From) + " to " +
                     formatPosition(Searched.To) + ")");
  if (Error E = report(S, *What, Noun, Result, Options.has("json")))
    return E;
  if (!Options.has("goto") || Result.Moments.empty())
    return Error::success();
  Moment M = Result.Moments.back();
  ThreadIndex Thread = At->Thread;
  if (M < End) {
    auto Whose = S.Store.threadAt(M);
    if (!Whose)
      return Whose.takeError();
    Thread = *Whose;
  }
  return S.moveTo({Thread, M},
                  (Prev ? "previous " : "next ") +
                      (Noun == "visit" ? "visit of " + Text : Noun));
}

static constexpr OptionSpec Options[] = {
    {"next", 'n', "", "the next one after here"},
    {"prev", 'p', "", "the last one before here"},
    {"all", 'a', "", "all of the trace"},
    {"event", 'e', "kind",
     "find an event instead of a place in the code: exception, gap, pause, "
     "mark, "
     "cpu-change, mode-change, error, clock-tick, sync-point"},
    opt::Entry,
    opt::Count,
    opt::At,
    opt::Thread,
    opt::Goto,
    opt::Json};

extern const Command FindCommand = {
    .Name = "find",
    .Summary = "Find when a place of the code was reached, or an event",
    .Arguments = "<address | symbol | file:line | exception>",
    .Help = R"(
Tells when the instruction at an address, a function's body (where a breakpoint
on it stops; --entry: its first instruction) or the code of a source line was
about to run. Answered from the index: the distance does not matter. Without --next, --prev or --all it finds the next one, or, in
the shell, all. An instruction whose condition failed counts and is marked.

  (lldb) rewind find sort --prev --goto
  rewind find inventory.c:99 --all -c 5
  rewind find exception --next
  rewind find --event pause --all
)",
    .Options = Options,
    .Run = run,
};

} // namespace rw
