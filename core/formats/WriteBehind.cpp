//===- WriteBehind.cpp - Output written on another thread -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/WriteBehind.h"

namespace rw {

WriteBehind::Buffer WriteBehind::exchange(Buffer Full, size_t Used) {
  if (!Writer.joinable()) {
    Empty.reserve(MaxWaiting + 1); // so that the thread needs no memory
    Writer = std::thread([this] { write(); });
  }
  std::unique_lock<std::mutex> Lock(M);
  Changed.wait(Lock, [&] { return Waiting.size() < MaxWaiting; });
  Waiting.emplace_back(std::move(Full), Used);
  Changed.notify_all();
  if (Empty.empty())
    return buffer();
  Buffer B = std::move(Empty.back());
  Empty.pop_back();
  return B;
}

void WriteBehind::write() {
  std::unique_lock<std::mutex> Lock(M);
  for (;;) {
    Changed.wait(Lock, [&] { return Ending || !Waiting.empty(); });
    if (Waiting.empty())
      return;
    // It stays in the queue while it is written, so that it counts.
    auto &[Bytes, Used] = Waiting.front();
    Lock.unlock();
    OS.write(reinterpret_cast<const char *>(Bytes.get()), Used);
    Lock.lock();
    Empty.push_back(std::move(Bytes));
    Waiting.pop_front();
    Changed.notify_all();
  }
}

void WriteBehind::finish() {
  if (!Writer.joinable())
    return;
  {
    std::lock_guard<std::mutex> Lock(M);
    Ending = true;
    Changed.notify_all();
  }
  Writer.join();
  OS.flush();
}

} // namespace rw
