//===- FuzzDapMessages.cpp - Any bytes from a client, or from lldb-dap ----===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first byte tells whose they are. The proxy takes all that is a message.
//
//===----------------------------------------------------------------------===//

#include "commands/dap/Messages.h"
#include "commands/dap/Proxy.h"
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace rw;
using namespace llvm;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  if (Size == 0)
    return 0;
  const int In = memfd_create("fuzz", MFD_CLOEXEC);
  auto nowhere = [] { return open("/dev/null", O_RDWR | O_CLOEXEC); };
  if (In < 0 || write(In, Data + 1, Size - 1) != ssize_t(Size - 1) ||
      lseek(In, 0, SEEK_SET) != 0)
    std::abort();
  ByteChannel From(In, nowhere()), Client(nowhere(), nowhere()),
      Adapter(nowhere(), nowhere());
  dap::Proxy Proxy(Client, Adapter, "/plugin.so");
  const bool OfAdapter = Data[0] & 1;
  if (Data[0] & 2)
    Proxy.fromClient(
        json::Object{{"type", "request"},
                     {"seq", 1},
                     {"command", "attach"},
                     {"arguments", json::Object{{"trace", "/proc/self/exe"}}}});
  for (;;) {
    auto Message = dap::receive(From);
    if (!Message) {
      consumeError(Message.takeError());
      break;
    }
    if (!*Message)
      break;
    if (OfAdapter)
      Proxy.fromAdapter(std::move(**Message));
    else
      Proxy.fromClient(std::move(**Message));
  }
  Proxy.adapterEnded("signal 9");
  return 0;
}
