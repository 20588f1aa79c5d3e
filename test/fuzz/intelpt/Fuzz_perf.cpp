//===- Fuzz_perf.cpp - Any bytes as a perf.data file ----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/intelpt/ContextSwitches.h"
#include "core/formats/intelpt/ThreadTable.h"

using namespace rw::intelpt;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  llvm::ArrayRef<uint8_t> Bytes(Data, Size);
  if (auto R = readPerfData("fuzz", Bytes)) {
    if (R->Buffers.empty())
      abort();
    if (auto T = ThreadTable::make(*R); !T)
      llvm::consumeError(T.takeError());
  } else {
    llvm::consumeError(R.takeError());
  }
  auto S = readContextSwitches(Bytes, "fuzz", TimeConversion{1, 3, 7});
  if (!S)
    llvm::consumeError(S.takeError());
  return 0;
}
