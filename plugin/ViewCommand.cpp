//===- ViewCommand.cpp ----------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/view/View.h"
#include "plugin/DebuggerCommand.h"
#include "plugin/DebuggerPages.h"
#include "plugin/DebuggerWatch.h"
#include "plugin/LoadedTrace.h"
#include "plugin/Navigation.h"
#include "plugin/private/CommandContext.h"
#include "plugin/private/PrivateLLDB.h"
#include "llvm/ADT/STLExtras.h"

using namespace rw;
using namespace lldb;

namespace {
using PagesRef = std::shared_ptr<DebuggerPages>;

/// All pages of the process, by their debugger. Its destructor runs at exit,
/// when debuggers may not have been destroyed.
class AllPages {
public:
  ~AllPages() {
    for (auto &[Debugger, Pages] : ByDebugger)
      Pages->stop();
  }
  PagesRef find(const LoadedTrace &Trace) {
    std::lock_guard<std::mutex> Lock(Mutex);
    for (auto &[Debugger, Pages] : ByDebugger)
      if (Pages->isOf(Trace))
        return Pages;
    return nullptr;
  }
  /// Those that have not ended; the threads of others are joined.
  std::vector<PagesRef> of(SBDebugger Debugger) {
    take([](auto &Entry) { return !Entry.second->status(); });
    std::lock_guard<std::mutex> Lock(Mutex);
    std::vector<PagesRef> All;
    auto [Begin, End] = ByDebugger.equal_range(Debugger.GetID());
    for (auto It = Begin; It != End; ++It)
      All.push_back(It->second);
    return All;
  }
  void add(SBDebugger Debugger, PagesRef Pages) {
    std::lock_guard<std::mutex> Lock(Mutex);
    const user_id_t Id = Debugger.GetID();
    if (Asked.insert(Id).second)
      Debugger.AddDestroyCallback(
          [](user_id_t Id, void *All) {
            static_cast<AllPages *>(All)->take(
                [&](auto &Entry) { return Entry.first == Id; });
          },
          this);
    ByDebugger.emplace(Id, std::move(Pages));
  }
  void stop(const PagesRef &Pages) {
    take([&](auto &Entry) { return Entry.second == Pages; });
  }

private:
  using Map = std::multimap<user_id_t, PagesRef>;
  /// Stops them, too.
  void take(llvm::function_ref<bool(const Map::value_type &)> Is) {
    std::vector<PagesRef> Ended;
    {
      std::lock_guard<std::mutex> Lock(Mutex);
      for (auto It = ByDebugger.begin(); It != ByDebugger.end();) {
        if (!Is(*It)) {
          ++It;
          continue;
        }
        Ended.push_back(std::move(It->second));
        It = ByDebugger.erase(It);
      }
    }
    for (auto &Pages : Ended)
      Pages->stop();
  }

  std::mutex Mutex;
  std::set<user_id_t> Asked; ///< debuggers that tell when they end
  Map ByDebugger;
};
} // namespace

static AllPages &allPages() {
  static AllPages All;
  return All;
}

/// Those that the shell's rewind view has not.
static constexpr OptionSpec LldbOptions[] = {
    {"stop", 0, "", "end the pages of this recording, and of ended processes"},
    {"list", 0, "", "print what pages there are"}};

/// One line each, or one JSON object with the list named \p Key.
static void printPages(llvm::ArrayRef<PagesRef> List, llvm::StringRef Key,
                       bool Json, llvm::raw_ostream &Out) {
  llvm::json::Array Array;
  for (const PagesRef &P : List) {
    auto Status = P->status();
    if (!Status)
      continue;
    if (Json) {
      Array.push_back(
          llvm::json::Object{{"url", P->url()},
                             {"trace", llvm::json::fixUTF8(P->tracePath())},
                             {"state", Status->Gone ? "gone" : "running"},
                             {"connected", int64_t(Status->Pages)}});
      continue;
    }
    Out << P->url() << "  " << P->tracePath() << ", "
        << "open in " << Status->Pages
        << (Status->Pages == 1 ? " tab" : " tabs")
        << (Status->Gone ? ", the process has ended" : "") << "\n";
  }
  if (Json)
    printJsonLine(Out, llvm::json::Object{{Key, std::move(Array)}});
}

static llvm::Error listPages(SBDebugger Debugger, bool Json,
                             llvm::raw_ostream &Out) {
  std::vector<PagesRef> All = allPages().of(Debugger);
  if (All.empty() && !Json)
    Out << "no pages are served\n";
  else
    printPages(All, "pages", Json, Out);
  return llvm::Error::success();
}

static llvm::Error stopPages(SBDebugger Debugger, SBTarget Target, bool Json,
                             llvm::raw_ostream &Out) {
  auto Trace = traceOf(Target);
  std::vector<PagesRef> Others = allPages().of(Debugger);
  auto StopsNow = [&](const PagesRef &P) {
    auto Status = P->status();
    return !Status || Status->Gone || (Trace && P->isOf(*Trace));
  };
  auto First = llvm::partition(Others, std::not_fn(StopsNow));
  std::vector<PagesRef> Stopped(First, Others.end());
  Others.erase(First, Others.end());
  if (Stopped.empty()) {
    if (Others.empty())
      return llvm::createStringError("no pages are served");
    return llvm::createStringError(
        "there is no page of the selected recording; rewind view --list tells "
        "of which there are");
  }
  printPages(Stopped, "stopped", Json, Out);
  for (const PagesRef &P : Stopped)
    allPages().stop(P);
  return llvm::Error::success();
}

static llvm::Error viewTrace(const DebuggerRequest &Request) {
  SBDebugger Debugger = Request.Debugger;
  SBTarget Target = commandTarget(Debugger);
  llvm::raw_ostream &Out = Request.Out;
  auto Options = parseOptions({ViewOptions, LldbOptions}, Request.Words);
  if (!Options)
    return Options.takeError();
  const bool Json = Options->has("json");
  if (!Options->arguments().empty() ||
      (Options->has("list") && Options->has("stop")))
    return userError("usage: rewind view [options], with --list or --stop");
  if (Options->has("list"))
    return listPages(Debugger, Json, Out);
  if (Options->has("stop"))
    return stopPages(Debugger, Target, Json, Out);
  auto Port = viewPort(*Options);
  if (!Port)
    return Port.takeError();
  auto Trace = standingTrace(Debugger, Target);
  if (!Trace)
    return Trace.takeError();
  auto Pages = allPages().find(**Trace);
  if (!Pages) {
    DebuggerWatch Shown(Debugger, "rewind view");
    auto Opened = DebuggerPages::open(Debugger, Target, std::move(*Trace),
                                      *Port, Shown.watch(), Request.Warn);
    if (!Opened)
      return Opened.takeError();
    Pages = std::move(*Opened);
    allPages().add(Debugger, Pages);
    if (std::string Other = otherLLDB(); !Other.empty())
      Request.Warn("the page and LLDB do not move each other: " + Other);
  } else if (Options->has("port") &&
             !llvm::StringRef(Pages->url())
                  .contains((":" + llvm::Twine(*Port) + "/").str())) {
    Request.Warn(
        "the page is served at another port already; rewind view --stop ends "
        "that");
  }
  showUrl(*Options, Pages->url(), Out, Request.Warn);
  return llvm::Error::success();
}

static std::string viewHelp() {
  return R"(
Serves a page on 127.0.0.1, for this machine alone, until LLDB ends: the trace
as a timeline, instructions, source, registers, memory, history and profiles.
LLDB and the page are one: a stop moves the page, and a click in the page is a
stop in LLDB, unless "follow" is switched off there. The page stays when the
process goes, until nobody looks at it any more. --stop ends it, and prints what
it ended. The URL holds a token without which nothing of the trace is told. See
docs/view.md.

  (lldb) rewind view --no-open
  (lldb) rewind view --list
  (lldb) rewind view --stop

Options:
)" + optionHelp(ViewOptions) +
         optionHelp(LldbOptions);
}

const DebuggerCommand rw::LldbView = {
    .Words = {.Name = "view",
              .Summary = "Show the trace in a browser",
              .Help = "",
              .MaxArguments = 0},
    .Run = viewTrace,
    .Help = viewHelp,
    .Options =
        [] {
          return std::vector<llvm::ArrayRef<OptionSpec>>{ViewOptions,
                                                         LldbOptions};
        },
};
