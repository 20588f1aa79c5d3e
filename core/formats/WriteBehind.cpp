//===- WriteBehind.cpp - Output written on another thread -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/WriteBehind.h"

namespace rw {

WriteBehind::Buffer WriteBehind::exchange(Buffer Full, size_t Used) {
  if (!Writer.joinable())
    Writer = std::thread([this] { write(); });
  Waiting.push({std::move(Full), Used});
  auto B = Empty.tryPop();
  return B ? std::move(*B) : buffer();
}

void WriteBehind::write() {
  while (auto Next = Waiting.pop()) {
    auto &[Bytes, Used] = *Next;
    OS.write(reinterpret_cast<const char *>(Bytes.get()), Used);
    Empty.push(std::move(Bytes)); // never full: no more are made
  }
}

void WriteBehind::finish() {
  if (!Writer.joinable())
    return;
  Waiting.close();
  Writer.join();
  OS.flush();
}

} // namespace rw
