//===- Patience.cpp - Keeps GDB waiting -----------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/serve/Patience.h"

using namespace rw;

/// GDB's `remotetimeout` is 2 s, and a second at least.
static constexpr auto Period = std::chrono::milliseconds(250);

Patience::Patience(int In, int Out) : Channel(In, Out) {
  Thread = std::thread([this] {
    std::unique_lock<std::mutex> Lock(Mutex);
    while (!Done.wait_for(Lock, Period, [this] { return IsDone; }))
      if (!Channel.write("+"))
        return;
  });
}

Patience::~Patience() {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    IsDone = true;
  }
  Done.notify_one();
  Thread.join();
}
