//===- RemoteServer.h - A replay behind the gdb-remote protocol -*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_REPLAY_REMOTESERVER_H
#define REWIND_REPLAY_REMOTESERVER_H

#include "core/replay/MemoryView.h"
#include "core/replay/ReplayEngine.h"
#include <functional>

namespace rw {

/// Answers the packets of one debugger. Knows the protocol (GDB manual and
/// LLDB's docs/resources/lldbgdbremote) and nothing of sockets.
class RemoteServer {
public:
  /// \p Triple is what the debugger's target has: LLDB drops the target's
  /// modules if the process reports another one. \p Notice is called with a
  /// line for the user where the protocol's error would not tell enough: LLDB
  /// hides the texts of most errors. \p PublicStop is called when LLDB is about
  /// to tell of a stop, before it evaluates the condition of a breakpoint
  /// there.
  RemoteServer(ReplayEngine &Engine, const MemoryView &Memory, uint64_t Pid,
               std::string Triple,
               std::function<void(llvm::StringRef)> Notice = nullptr,
               std::function<void()> PublicStop = nullptr)
      : Engine(Engine), Memory(Memory), Pid(Pid), Triple(std::move(Triple)),
        Notice(std::move(Notice)), PublicStop(std::move(PublicStop)) {}

  struct Reply {
    std::string Text;
    bool Finished = false; ///< the session is over once this is sent
    bool StopAcks = false; ///< no acknowledgements after this one
  };
  Reply handle(llvm::StringRef Packet);

private:
  Reply query(llvm::StringRef Packet);
  Reply resume(llvm::StringRef Actions);
  std::string stopReply(const ReplayStop &Stop);
  std::string threadList() const;
  std::string readRegister(llvm::StringRef Args);
  std::string readMemory(llvm::StringRef Args);
  std::string setStop(llvm::StringRef Packet);
  std::string transfer(llvm::StringRef Args);
  Reply moved(llvm::Expected<ReplayStop> Stop);
  std::optional<uint64_t> shownPC(ThreadIndex T) const;
  std::optional<std::string> registerBytes(ThreadIndex T, unsigned Number);
  std::string refusal(llvm::StringRef Message) const;
  std::optional<ThreadIndex> threadOf(llvm::StringRef Id) const;
  uint64_t idOf(ThreadIndex T) const;

  ReplayEngine &Engine;
  const MemoryView &Memory;
  const uint64_t Pid;
  const std::string Triple;
  const std::function<void(llvm::StringRef)> Notice;
  const std::function<void()> PublicStop;
  bool ErrorStrings = false;
  bool ListThreads = false;
  bool Calling = false;     ///< the debugger is about to call a function
  ThreadIndex Selected = 0; ///< by Hg
  std::string XML;
};

} // namespace rw

#endif // REWIND_REPLAY_REMOTESERVER_H
