//===- ReplayServer.cpp - The thread behind a replay process
//----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/ReplayServer.h"
#include "plugin/LoadedTrace.h"
#include "plugin/PacketChannel.h"
#include "plugin/RemoteServer.h"
#include <cerrno>
#include <fcntl.h>
#include <list>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace rw;

namespace {
/// A connection and its thread.
struct Connection {
  Connection(int Ours, int Theirs) : Channel(Ours), Theirs(Theirs) {}
  ~Connection() { ::close(Theirs); }
  PacketChannel Channel;
  /// The debugger's end: LLDB never closes what it is given by number. Closed
  /// when LLDB has let go of it, which it has by the time of another load.
  const int Theirs;
  std::thread Thread;
  std::atomic<bool> Finished = false;
};

/// All connections of the process. Its destructor runs at exit, when LLDB may
/// have gone without saying goodbye.
class Connections {
public:
  ~Connections() {
    for (Connection &C : List)
      C.Channel.shutdown();
    for (Connection &C : List)
      C.Thread.join();
  }

  void add(int Ours, int Theirs, std::shared_ptr<LoadedTrace> Trace);

private:
  std::mutex Mutex;
  std::list<Connection> List;
};
} // namespace

static Connections &connections() {
  static Connections All;
  return All;
}

static void serve(PacketChannel &Channel, LoadedTrace &Trace) {
  RemoteServer Server(Trace.engine(), Trace.memory(), Trace.pid(),
                      Trace.triple(),
                      [&](llvm::StringRef Line) { Trace.notice(Line); });
  std::string Packet;
  for (;;) {
    switch (Channel.receive(Packet)) {
    case PacketChannel::Event::Closed:
      return;
    case PacketChannel::Event::Interrupt:
      // Every resume has been answered before the next byte is read: there is
      // never anything running that could be interrupted.
      break;
    case PacketChannel::Event::Packet: {
      RemoteServer::Reply R = Server.handle(Packet);
      if (!Channel.send(R.Text) || R.Finished)
        return;
      if (R.StopAcks)
        Channel.stopAcknowledging();
      break;
    }
    }
  }
}

void Connections::add(int Ours, int Theirs,
                      std::shared_ptr<LoadedTrace> Trace) {
  std::lock_guard<std::mutex> Lock(Mutex);
  for (auto It = List.begin(); It != List.end();) {
    if (!It->Finished) {
      ++It;
      continue;
    }
    It->Thread.join();
    It = List.erase(It);
  }
  Connection &C = List.emplace_back(Ours, Theirs);
  C.Thread = std::thread([&C, Trace = std::move(Trace)]() mutable {
    serve(C.Channel, *Trace);
    C.Channel.shutdown();
    forgetTrace(*Trace);
    Trace.reset();
    C.Finished = true;
  });
}

llvm::Expected<int> rw::startReplayServer(std::shared_ptr<LoadedTrace> Trace) {
  int FDs[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, FDs) != 0)
    return llvm::createStringError(
        std::error_code(errno, std::generic_category()),
        "cannot make a socket for the replay process");
  connections().add(FDs[0], FDs[1], std::move(Trace));
  return FDs[1];
}
