//===- View.cpp - rewind view ---------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/view/View.h"
#include "commands/view/Answers.h"
#include "commands/view/Server.h"

using namespace llvm;

namespace rw {

static Error runView(Session &S, const ParsedOptions &O) {
  auto Port = viewPort(O);
  if (!Port)
    return Port.takeError();
  auto Answers = ViewAnswers::open(S);
  if (!Answers)
    return Answers.takeError();
  ViewServer::Options Options;
  Options.Port = *Port;
  Options.Answer = [&](StringRef Message) {
    return (*Answers)->answer(Message);
  };
  auto Server = ViewServer::open(std::move(Options));
  if (!Server)
    return Server.takeError();
  showUrl(O, (*Server)->url(), S.Out, S.Warn);
  return (*Server)->run([&] { return S.cancelled(); });
}

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
    .Options = ViewOptions,
    .MaxArguments = 0,
    .Run = runView,
};

} // namespace rw
