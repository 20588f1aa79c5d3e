//===- StoreFuzzer.cpp - Opens damaged stores and asks them ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An input whose first byte is 0xff is a store as it is. Any other is a list of
// edits of one of some good stores that are made at the start, so that the
// fuzzer need not find out what a store looks like: the first byte tells which
// store (and, in its highest bit, whether the checksums are left wrong), then
// each edit is two bytes of place (scaled to the store's size), one byte of
// fine place, one of length (1..8) and the new bytes.
//
//===----------------------------------------------------------------------===//

#include "core/store/StoreBuilder.h"
#include "core/store/TraceStore.h"
#include "test/unit/store/AskAnything.h"
#include "test/unit/store/Reseal.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

using namespace rw;
using namespace llvm;

namespace {

std::vector<std::string> makeStores() {
  std::vector<std::string> Stores;
  SmallString<128> Folder;
  if (sys::fs::createUniqueDirectory("rewind-fuzz", Folder))
    std::abort();
  for (uint64_t Seed = 0; Seed < 8; ++Seed) {
    TraceKnobs K = randomKnobs(Seed, Seed * Seed * 20);
    K.Registers = K.Memory = K.Values = true;
    std::string Path = (Folder + "/store").str();
    StoreBuilder::Options Opts;
    Opts.Threads = 1;
    auto Builder = cantFail(StoreBuilder::create(Path, SourceStamp(), Opts));
    cantFail(RandomTrace(K, Seed).feed(*Builder, BatchCut()));
    Builder.reset();
    auto Buffer = MemoryBuffer::getFile(Path, false, false);
    if (!Buffer)
      std::abort();
    Stores.push_back((*Buffer)->getBuffer().str());
  }
  sys::fs::remove_directories(Folder);
  return Stores;
}

std::string edited(const uint8_t *Data, size_t Size) {
  static const std::vector<std::string> Stores = makeStores();
  if (!Size)
    return "";
  if (Data[0] == 0xff)
    return std::string(Data + 1, Data + Size);
  std::string Bytes = Stores[Data[0] % Stores.size()];
  size_t I = 1;
  while (I + 4 < Size) {
    size_t At =
        (size_t(Data[I] << 8 | Data[I + 1]) * Bytes.size() >> 16) + Data[I + 2];
    size_t Length = 1 + Data[I + 3] % 8;
    I += 4;
    for (; Length-- && I < Size; ++I, ++At)
      if (At < Bytes.size())
        Bytes[At] = char(Data[I]);
  }
  if (Data[0] < 0x80)
    reseal(Bytes);
  return Bytes;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::string Bytes = edited(Data, Size);
  int FD = memfd_create("store", 0);
  if (FD < 0)
    std::abort();
  size_t Done = 0;
  while (Done < Bytes.size()) {
    ssize_t N = ::write(FD, Bytes.data() + Done, Bytes.size() - Done);
    if (N <= 0)
      std::abort();
    Done += N;
  }
  auto Store = TraceStore::open("/proc/self/fd/" + std::to_string(FD));
  if (Store)
    askAnything(**Store, Size, 30);
  else
    consumeError(Store.takeError());
  ::close(FD);
  return 0;
}
