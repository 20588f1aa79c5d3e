//===- FuzzDapProxy.cpp - Any order of what a client and lldb-dap do ------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each byte decides what is done next; zero when they are used up.
//
//===----------------------------------------------------------------------===//

#include "test/unit/commands/DapModel.h"
#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  size_t At = 0;
  rw::DapModel Model(
      [&](unsigned Below) { return At < Size ? Data[At++] % Below : 0; });
  const std::string Wrong = Model.run(unsigned(std::min<size_t>(Size, 2000)));
  if (!Wrong.empty()) {
    std::fprintf(stderr, "%s\n", Wrong.c_str());
    std::abort();
  }
  return 0;
}
