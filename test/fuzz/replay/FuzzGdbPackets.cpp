//===- FuzzGdbPackets.cpp - Any bytes from GDB ----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first byte chooses the recording, the others are what comes over the
// connection. Whatever that is, the server answers until it ends.
//
//===----------------------------------------------------------------------===//

#include "core/replay/GDBServer.h"
#include "core/replay/PacketChannel.h"
#include "core/store/StoreBuilder.h"
#include "core/store/TraceStore.h"
#include "test/unit/support/RandomTrace.h"
#include "llvm/Support/FileSystem.h"
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace rw;
using namespace llvm;

static std::vector<std::shared_ptr<const TraceStore>> makeStores() {
  static constexpr Arch Archs[] = {Arch::AArch64, Arch::Arm, Arch::PPC64,
                                   Arch::PPC64LE, Arch::X86_64};
  std::vector<std::shared_ptr<const TraceStore>> Stores;
  SmallString<128> Folder;
  if (sys::fs::createUniqueDirectory("rewind-fuzz", Folder))
    std::abort();
  std::string Path = (Folder + "/store").str();
  for (Arch A : Archs) {
    TraceKnobs K = randomKnobs(uint64_t(A), 300);
    K.Architecture = A;
    RandomTrace Trace(K, uint64_t(A));
    auto B = StoreBuilder::create(Path, SourceStamp(), {});
    if (!B || Trace.feed(**B, BatchCut()))
      std::abort();
    auto S = TraceStore::open(Path);
    if (!S)
      std::abort();
    Stores.push_back(std::move(*S));
    sys::fs::remove(Path);
  }
  sys::fs::remove(Folder);
  return Stores;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  static const auto Stores = makeStores();
  if (Size == 0)
    return 0;
  const auto &Store = Stores[Data[0] % Stores.size()];
  int In = memfd_create("fuzz", 0), Out = open("/dev/null", O_WRONLY);
  if (In < 0 || Out < 0 || write(In, Data + 1, Size - 1) != ssize_t(Size - 1) ||
      lseek(In, 0, SEEK_SET) != 0)
    std::abort();
  PacketChannel Channel(In, Out, nullptr);
  ReplayEngine Engine(Store);
  MemoryView Memory(Store);
  Engine.setHooks(nullptr, [&] { return Channel.interrupted(); });
  GDBSetup Setup;
  Setup.Images = {"/proc/self/status"};
  Setup.Send = [&](StringRef Packet) { Channel.send(Packet); };
  Setup.Monitor = [](StringRef Command, ThreadIndex,
                     const GDBSetup::Print &Print) { Print(Command); };
  GDBServer Server(Engine, Memory, std::move(Setup));
  servePackets(Channel, Server, [](Error E) {
    consumeError(std::move(E));
    std::abort();
  });
  return 0;
}
