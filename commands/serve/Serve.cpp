//===- Serve.cpp - rewind serve -------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "commands/serve/Listener.h"
#include "commands/serve/Patience.h"
#include "commands/support/CommandHost.h"
#include "commands/support/ElfSegments.h"
#include "commands/support/LoadOptions.h"
#include "commands/support/Movements.h"
#include "core/replay/GDBServer.h"
#include "core/replay/PacketChannel.h"
#include "core/store/TraceStore.h"
#include "core/support/ElfFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include <fcntl.h>
#include <unistd.h>

using namespace llvm;

namespace rw {

static constexpr OptionSpec ServeOptions[] = {
    {"stdio", 0, "", "speak on standard input and output"},
    {"listen", 0, "address",
     "wait for connections: 127.0.0.1:port (0: any port that is free) or "
     "unix:path"},
};

/// What the read-only sections of the images hold.
static void addReadOnly(Session &S, MemoryView &Memory) {
  if (!S.Symbols)
    return;
  for (const auto &[Start, Bytes] : S.Symbols->readOnly())
    Memory.addReadOnly(Start, Bytes.vec());
}

/// What the program's file says of itself.
static Error describeProgram(const Session &S, const ParsedOptions &O,
                             GDBSetup &Setup) {
  // Registers that only this profile has.
  for (StringRef Name : {"primask", "basepri", "faultmask"})
    if (S.Store.registerFile().find(Name))
      Setup.MProfile = S.Store.header().Architecture == Arch::Arm;
  if (S.Images.empty())
    return Error::success();
  auto Images = imageOptions(O);
  if (!Images)
    return Images.takeError();
  placeImages(*Images, S.Store.header());
  if (!Images->empty())
    Setup.Program = Images->front().Base;
  else if (!S.Store.header().Modules.empty())
    for (const ModuleInfo &M : S.Store.header().Modules)
      if (M.Path == S.Images.front())
        Setup.Program = M.LoadAddress;
  for (const std::string &Path : S.Images) {
    SmallString<256> Full(Path);
    sys::fs::make_absolute(Full);
    Setup.Images.push_back(Full.str().str());
  }
  auto File = openElf(S.Images.front());
  if (!File)
    return File.takeError();
  auto Features = File->getBinary()->getFeatures();
  if (!Features)
    return Features.takeError();
  if (is_contained(Features->getFeatures(), "+mclass"))
    Setup.MProfile = true;
  return Error::success();
}

/// One debugger, from its first packet to its last. Each begins anew.
static Error converse(Session &S, const GDBSetup &Program,
                      const MemoryView &Memory, PacketChannel &Channel,
                      CommandHost::Trust Trust) {
  // The session owns the store.
  ReplayEngine Engine(std::shared_ptr<const TraceStore>(
      std::shared_ptr<const TraceStore>(), &S.Store));
  Engine.setHooks(nullptr, [&] { return Channel.interrupted(); });
  CommandHost Host(S, Trust);
  Host.Interrupted = [&] { return Channel.interrupted(); };
  // GDB's selected thread; after a move, which GDB does not know of, the one
  // that was moved to, until another one is selected.
  ThreadIndex Selected = 0;
  struct Arrival {
    ThreadIndex Selected;
    Place At;
  };
  std::optional<Arrival> Arrived;
  Host.Where = [&] {
    const Moment When = Engine.here().When;
    if (Arrived && Arrived->Selected == Selected && Arrived->At.When == When)
      return Arrived->At;
    return Place{Selected, When};
  };
  auto Here = [&] { return Place{Engine.here().Thread, Engine.here().When}; };
  Movements Moves;
  Moves.cameTo(Here(), /*Stepped=*/false);
  GDBSetup Setup = Program;
  Setup.Send = [&](StringRef Packet) { Channel.send(Packet); };
  Setup.Told = [&](bool Stepped, ThreadIndex From) {
    if (auto Before = Moves.cameTo(Here(), Stepped, From))
      Host.memory().cameFrom(*Before);
  };
  Setup.Monitor = [&](StringRef Command, ThreadIndex OfGDB,
                      const GDBSetup::Print &Print) {
    Selected = OfGDB;
    bool Moved = false;
    Host.Move = [&](Place To, const std::string &) {
      Engine.look({To.When, To.Thread});
      Arrived = Arrival{Selected, To};
      Moves.expectOwn(true);
      Moves.cameTo(To, /*Stepped=*/false);
      Moved = true;
      return Error::success();
    };
    Host.runLine(Command, Print);
    if (Moved)
      Print("GDB does not know yet: maintenance flush register-cache\n");
  };
  Setup.Warn = [&](StringRef Text) { S.warn(Text.str()); };
  GDBServer Server(Engine, Memory, std::move(Setup));
  servePackets(Channel, Server,
               [&](Error E) { S.warn(toString(std::move(E))); });
  if (Channel.wasTooLong())
    return userError("a packet had more than a megabyte: its connection was "
                     "closed");
  return Error::success();
}

static int inputCopy() { return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3); }
static int outputCopy() { return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3); }

/// GDB has started us and asks already.
static std::shared_ptr<void> waitForIndex(const ParsedOptions &Options) {
  if (!Options.has("stdio"))
    return nullptr;
  return std::make_shared<Patience>(inputCopy(), outputCopy());
}

static Error runServe(Session &S, const ParsedOptions &Options) {
  auto Address = Options.value("listen");
  if (Options.has("stdio") == Address.has_value())
    return usageError("say either --stdio or --listen <address>");
  GDBSetup Setup;
  if (Error E = describeProgram(S, Options, Setup))
    return E;
  MemoryView Memory(std::shared_ptr<const TraceStore>(
      std::shared_ptr<const TraceStore>(), &S.Store));
  addReadOnly(S, Memory);
  auto Stop = [&] { return S.cancelled(); };
  if (!Address) {
    PacketChannel Channel(inputCopy(), outputCopy(), Stop);
    return converse(S, Setup, Memory, Channel, CommandHost::All);
  }
  auto Door = Listener::open(*Address);
  if (!Door)
    return Door.takeError();
  S.warn("waiting for GDB: target remote " + (*Door)->address());
  // Whoever may use this computer may connect to a port.
  const auto Trust =
      (*Door)->isPrivate() ? CommandHost::All : CommandHost::Answers;
  for (;;) {
    auto FD = (*Door)->accept(Stop);
    if (!FD)
      return FD.takeError();
    if (*FD < 0)
      return Error::success();
    PacketChannel Channel(*FD, *FD, Stop);
    if (Error E = converse(S, Setup, Memory, Channel, Trust))
      S.warn(toString(std::move(E)));
  }
}

extern const Command ServeCommand = {
    .Name = "serve",
    .Summary = "Let GDB debug the trace",
    .Help = R"(
Serves the trace in GDB's remote protocol, both directions of time included, so
that GDB and whatever is built on it can debug the recording:

    gdb-multiarch sample.elf -ex "target remote | rewind serve --stdio sample.tarmac -i sample.elf"

With --listen it waits for one debugger after the other, until Ctrl-C; each of
them begins at the start. A port is open to everybody on this computer, and
other computers cannot reach it; a socket of unix:path is yours alone. In GDB
`monitor rewind ...` runs any command. docs/gdb.md tells more.

  rewind serve --stdio
)",
    .Options = ServeOptions,
    .MaxArguments = 0,
    .Run = runServe,
    .WhileOpening = waitForIndex,
    .ShellOnly = true,
};

} // namespace rw
