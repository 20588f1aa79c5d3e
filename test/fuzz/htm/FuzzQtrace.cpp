//===- FuzzQtrace.cpp - Any bytes as a Qtrace file ------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/qtrace/QtraceReader.h"
#include <cstdlib>

using namespace rw;

namespace {
struct CheckItems : TraceSink {
  llvm::Error consume(ItemBatch &B) override {
    size_t Regs = B.LeadRegs, Mems = B.LeadMems;
    for (const InsnItem &I : B.Insns) {
      Regs += I.NumRegs;
      Mems += I.NumMems;
    }
    if (Regs != B.Regs.size() || Mems != B.Mems.size())
      abort();
    for (const MemItem &M : B.Mems)
      if (M.Size < 1 || M.Size > 8)
        abort();
    return llvm::Error::success();
  }
  llvm::Error finish(const TraceHeader &) override {
    return llvm::Error::success();
  }
};
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  llvm::ArrayRef<uint8_t> Bytes(Data, Size);
  CheckItems Items;
  auto Reader = qtrace::makeReader(
      [&](uint8_t *Buffer, size_t Room) -> llvm::Expected<size_t> {
        Room = std::min({Room, Bytes.size(), size_t(777)});
        std::copy_n(Bytes.begin(), Room, Buffer);
        Bytes = Bytes.drop_front(Room);
        return Room;
      },
      Size, {});
  consumeError(Reader->read(Items));
  return 0;
}
