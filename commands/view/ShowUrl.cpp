//===- ShowUrl.cpp - Where the page is ------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/Format.h"
#include "commands/view/View.h"
#include "llvm/Support/Program.h"
#include <cstdlib>

using namespace llvm;

namespace rw {

Expected<uint16_t> viewPort(const ParsedOptions &O) {
  auto Port = O.number("port");
  if (!Port)
    return Port.takeError();
  if (Port->value_or(0) > 65535)
    return usageError("--port must be at most 65535");
  return uint16_t(Port->value_or(0));
}

static void
openInBrowser(StringRef Url,
              const std::function<void(const std::string &)> &Warn) {
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
  if (P.Pid == sys::ProcessInfo::InvalidPid && Warn)
    Warn("cannot run xdg-open: " + Message);
}

void showUrl(const ParsedOptions &O, StringRef Url, raw_ostream &Out,
             const std::function<void(const std::string &)> &Warn) {
  if (O.has("json"))
    printJsonLine(Out, json::Object{{"url", Url}});
  else
    Out << Url << "\n";
  Out.flush();
  if (!O.has("no-open"))
    openInBrowser(Url, Warn);
}

} // namespace rw
