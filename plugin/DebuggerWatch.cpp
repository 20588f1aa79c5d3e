//===- DebuggerWatch.cpp - Progress and Ctrl-C in LLDB --------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/DebuggerWatch.h"

using namespace rw;

Watch DebuggerWatch::watch() {
  return {&Cancel, [this] { return ask(); },
          [this](llvm::StringRef NowWhat, uint64_t NowDone, uint64_t Total) {
            ask();
            report(NowWhat, NowDone, Total);
          }};
}

bool DebuggerWatch::ask() {
  if (!Cancel && Debugger.InterruptRequested())
    Cancel = true;
  return Cancel;
}

void DebuggerWatch::report(llvm::StringRef NowWhat, uint64_t NowDone,
                           uint64_t Total) {
  // What is done quickly is not shown.
  auto Now = std::chrono::steady_clock::now();
  if (Now < Next)
    return;
  Next = Now + std::chrono::milliseconds(50);
  if (!Shown || What != NowWhat || NowDone < Done) {
    Shown.reset();
    What = NowWhat.str();
    Done = 0;
    if (Total)
      Shown.emplace(Title.c_str(), What.c_str(), Total, Debugger);
    else
      Shown.emplace(Title.c_str(), What.c_str(), Debugger);
  }
  if (NowDone > Done)
    Shown->Increment(NowDone - Done);
  Done = NowDone;
}
