//===- View.cpp - rewind view ---------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/cli/ShellOptions.h"
#include "commands/support/Format.h"
#include "commands/view/Answers.h"
#include "commands/view/Server.h"
#include "llvm/Support/Program.h"
#include <cstdlib>

using namespace llvm;

namespace rw {

/// Where there is a desktop.
static void openInBrowser(Session &S, StringRef Url) {
  if (!std::getenv("DISPLAY") && !std::getenv("WAYLAND_DISPLAY"))
    return;
  auto Program = sys::findProgramByName("xdg-open");
  if (!Program)
    return;
  std::string Message;
  // What it prints is none of the answer.
  std::optional<StringRef> Nowhere[] = {StringRef(), StringRef(), StringRef()};
  sys::ProcessInfo P =
      sys::ExecuteNoWait(*Program, {*Program, Url}, std::nullopt, Nowhere,
                         /*MemoryLimit=*/0, &Message);
  if (P.Pid == sys::ProcessInfo::InvalidPid)
    S.warn("cannot run xdg-open: " + Message);
}

static Error run(Session &S, const ParsedOptions &O) {
  auto Port = O.number("port");
  if (!Port)
    return Port.takeError();
  if (Port->value_or(0) > 65535)
    return usageError("--port must be at most 65535");
  auto Answers = ViewAnswers::open(S);
  if (!Answers)
    return Answers.takeError();
  ViewServer::Options Options;
  Options.Port = uint16_t(Port->value_or(0));
  Options.Answer = [&](StringRef Message) {
    return (*Answers)->answer(Message);
  };
  auto Server = ViewServer::open(std::move(Options));
  if (!Server)
    return Server.takeError();
  std::string Url = (*Server)->url();
  if (O.has("json"))
    printJsonLine(S.Out, json::Object{{"url", Url}});
  else
    S.Out << Url << "\n";
  S.Out.flush();
  if (!O.has("no-open"))
    openInBrowser(S, Url);
  return (*Server)->run([&] { return S.cancelled(); });
}

static constexpr OptionSpec Options[] = {
    {"port", 'p', "n", "listen there (default: any port that is free)"},
    {"no-open", 0, "", "only print the URL; open no browser"},
    opt::Json};

extern const Command ViewCommand = {
    .Name = "view",
    .Summary = "Show the trace in a browser",
    .Help = R"(
Serves a page on 127.0.0.1, for this machine alone, until Ctrl-C: the whole
trace as a timeline of calls, the instructions with their effects, source,
registers, memory, history and profiles. The URL that is printed holds a token
without which nothing of the trace is told; whoever has it can look. Where there
is a desktop, the page is opened there. See docs/view.md.

  rewind view
  rewind view --no-open --json
)",
    .Options = Options,
    .MaxArguments = 0,
    .Run = run,
};

} // namespace rw
