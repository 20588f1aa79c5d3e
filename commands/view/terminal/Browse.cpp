//===- Browse.cpp - rewind browse -----------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/AnswerFile.h"
#include "commands/support/PositionExpr.h"
#include "commands/support/Visits.h"
#include "commands/view/Answers.h"
#include "commands/view/View.h"
#include "commands/view/terminal/Browser.h"
#include "commands/view/terminal/Screen.h"
#include "core/store/TraceStore.h"
#include <chrono>
#include <csignal>
#include <cstdlib>
#ifdef __linux__
#include <sys/prctl.h>
#endif

using namespace llvm;
using namespace rw::term;

namespace rw {

using Clock = std::chrono::steady_clock;

/// How far something long is, once it takes long enough to be noticed.
class ProgressLine {
public:
  explicit ProgressLine(Screen &On) : On(On) {}
  void begin() { Next = Clock::now() + std::chrono::milliseconds(250); }
  void update(StringRef What, uint64_t Done, uint64_t Total) {
    auto Now = Clock::now();
    if (Now < Next)
      return;
    Next = Now + std::chrono::milliseconds(100);
    std::string Text = What.str() + ": ";
    Text += Total ? std::to_string(Done * 100 / Total) + "%" : grouped(Done);
    On.showBottom(Text + " (Ctrl-C stops it)");
  }

private:
  Screen &On;
  Clock::time_point Next;
};

static bool wantsColour(const ParsedOptions &O) {
  if (O.has("no-colour"))
    return false;
  const char *NoColour = std::getenv("NO_COLOR");
  return O.has("colour") || !NoColour || !*NoColour;
}

static void work(Browser &B, Screen &On, ProgressLine &Progress, bool Utf8) {
  auto Draw = [&] {
    Progress.begin();
    Canvas C(On.width(), On.height(), Utf8);
    B.draw(C);
    if (!On.ended())
      On.show(C);
  };
  Draw();
  auto Drawn = Clock::now();
  bool Stale = false;
  while (!On.ended()) {
    // Keys that wait come first: who holds a key down does not wait for
    // pictures that are old already. But some of them are to be seen.
    Key K = On.read(Stale ? 0 : 250);
    if (K == key::None) {
      if (Stale && !On.ended())
        Draw(), Drawn = Clock::now(), Stale = false;
      continue;
    }
    Progress.begin();
    if (!B.key(K))
      return;
    if (B.takeRedraw() || K == key::Resize)
      On.forget();
    Stale = true;
    if (Clock::now() - Drawn > std::chrono::milliseconds(40))
      Draw(), Drawn = Clock::now(), Stale = false;
  }
}

/// For whoever started it: "2:#31408".
static Error tellWhere(Session &S, const ParsedOptions &O, Spot Here) {
  auto Path = O.value("tell");
  if (!Path)
    return Error::success();
  auto File = OutputFile::create(*Path, answerOptions(O, reservedFiles(S)));
  if (!File)
    return File.takeError();
  (*File)->os() << positionText(Here) << "\n";
  return (*File)->commit();
}

/// A position, or the first visit of a place of the code.
static Expected<Place> startAt(Session &S, StringRef Text) {
  auto P = parsePosition(S, Text);
  if (P)
    return P;
  auto Code = parseCodePlace(S, S.Here, Text, /*Entry=*/false);
  if (!Code) {
    consumeError(Code.takeError());
    return P.takeError();
  }
  consumeError(P.takeError());
  auto Found = visitFrom(S.Store, *Code, 0, S.Here.Thread);
  if (!Found)
    return Found.takeError();
  if (!*Found)
    return userError("this thread never runs '" + Text + "'");
  return Place{S.Here.Thread, **Found};
}

static Error runBrowse(Session &S, const ParsedOptions &O) {
  if (O.has("keys")) {
    S.Out << keysAsMarkdown();
    return Error::success();
  }
  auto At = O.value("at");
  auto Start = At ? startAt(S, *At) : Expected<Place>(S.Here);
  if (!Start)
    return Start.takeError();
  auto Position = S.Store.positionOf(Start->Thread, Start->When);
  if (!Position)
    return Position.takeError();
#ifdef __linux__
  // Nobody else would give the terminal back.
  if (O.has("tell"))
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
  const bool Utf8 = Screen::localeIsUtf8() && !O.has("ascii");
  auto On = Screen::open({Utf8, wantsColour(O)});
  if (!On)
    return On.takeError();
  ProgressLine Progress(**On);
  // What remarks there are would be drawn over: the questions keep them.
  S.Warn = nullptr;
  S.Watch.Cancel = nullptr;
  S.Watch.Interrupted = [&] { return (*On)->interrupted(); };
  S.Watch.Progress = [&](StringRef What, uint64_t Done, uint64_t Total) {
    Progress.update(What, Done, Total);
  };
  auto Answers = ViewAnswers::open(S);
  if (!Answers)
    return Answers.takeError();
  (*Answers)->showProgress();
  auto Model = TraceModel::open([&](StringRef What, json::Object Fields) {
    return (*Answers)->answer({What.str(), ViewFields(std::move(Fields))});
  });
  if (!Model)
    return Model.takeError();
  Model->jump({unsigned(Start->Thread) + 1, *Position});
  Browser B(*Model);
  work(B, **On, Progress, Utf8);
  const int Signal = (*On)->ended();
  On->reset();
  if (!Signal)
    return tellWhere(S, O, Model->here());
  // The shell's own handler knows what else there is to be done.
  raise(Signal);
  return userError("interrupted");
}

static constexpr OptionSpec BrowseOptions[] = {
    {"at", 0, "position",
     "begin there, or at the first visit of a place of the code"},
    {"tell", 0, "path", "write there at which position it was left"},
    {"ascii", 0, "", "draw with ASCII only, whatever the locale is"},
    {"colour", 0, "", "with colours even if NO_COLOR is set"},
    {"no-colour", 0, "", "without colours"},
    {"keys", 0, "", "print what the keys do, and draw nothing"},
};

extern const Command BrowseCommand = {
    .Name = "browse",
    .Summary = "Show the trace in the terminal",
    .Help = R"(
The trace on a terminal, with the keys of tarmac-browser: instructions with what
they read and wrote, calls that can be folded, registers and memory as they were
at the position, calls, history, source, profile, slices, layers and bookmarks.
? shows the keys, q quits. See docs/browse.md.

  rewind browse --keys
)",
    .Options = BrowseOptions,
    .MaxArguments = 0,
    .Run = runBrowse,
};

} // namespace rw
