//===- LLDBServer.h - LLDB's dialect of the remote protocol -----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_REPLAY_LLDBSERVER_H
#define REWIND_REPLAY_LLDBSERVER_H

#include "core/replay/RemoteServer.h"
#include <functional>

namespace rw {

/// LLDB's docs/resources/lldbgdbremote.
class LLDBServer final : public RemoteServer {
public:
  /// \p Triple is what the debugger's target has: LLDB drops the target's
  /// modules if the process reports another one. \p Notice is called with a
  /// line for the user where the protocol's error would not tell enough: LLDB
  /// hides the texts of most errors. \p PublicStop is called when LLDB is about
  /// to tell of a stop, before it evaluates the condition of a breakpoint
  /// there, \p FirstStop when it asks where the process is and knows of no
  /// thread yet.
  LLDBServer(ReplayEngine &Engine, const MemoryView &Memory, uint64_t Pid,
             std::string Triple,
             std::function<void(llvm::StringRef)> Notice = nullptr,
             std::function<void()> PublicStop = nullptr,
             std::function<void()> FirstStop = nullptr)
      : RemoteServer(Engine, Memory), Pid(Pid), Triple(std::move(Triple)),
        Notice(std::move(Notice)), PublicStop(std::move(PublicStop)),
        FirstStop(std::move(FirstStop)) {}

  Reply handle(llvm::StringRef Packet) override;

private:
  Reply query(llvm::StringRef Packet) override;
  std::string describeTarget() const override;
  std::string registerReply(ThreadIndex T, unsigned Number) override;
  std::string stopReply(const ReplayStop &Stop) override;
  std::string nameField(ThreadIndex T) const;
  std::string refusal(llvm::StringRef Message) const override;
  std::string refuseWrite() override;
  Reply moved(llvm::Expected<ReplayStop> Stop) override;

  const uint64_t Pid;
  const std::string Triple;
  const std::function<void(llvm::StringRef)> Notice;
  const std::function<void()> PublicStop;
  std::function<void()> FirstStop;
  bool ErrorStrings = false;
  bool ListThreads = false;
  bool Calling = false; ///< the debugger is about to call a function
};

} // namespace rw

#endif // REWIND_REPLAY_LLDBSERVER_H
