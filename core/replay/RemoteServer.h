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

namespace rw {

class PacketChannel;

/// Answers the packets of one debugger (GDB manual, "Remote Protocol"). Knows
/// nothing of sockets. The debuggers speak two dialects: LLDBServer and
/// GDBServer have all that differs.
class RemoteServer {
public:
  RemoteServer(ReplayEngine &Engine, const MemoryView &Memory)
      : Engine(Engine), Memory(Memory) {}
  virtual ~RemoteServer();
  RemoteServer(const RemoteServer &) = delete;
  RemoteServer &operator=(const RemoteServer &) = delete;

  struct Reply {
    std::string Text;
    bool Finished = false; ///< the session is over once this is sent
    bool StopAcks = false; ///< no acknowledgements after this one
  };
  virtual Reply handle(llvm::StringRef Packet);
  /// Called for an interrupt that nothing has taken: every resume is answered
  /// before the next byte is read.
  virtual void interruptedLate() {}

protected:
  using RegisterBytes = llvm::SmallVector<uint8_t, 32>;

  virtual Reply query(llvm::StringRef Packet);
  /// target.xml.
  virtual std::string describeTarget() const = 0;
  /// Register \p Number of target.xml.
  virtual std::string registerReply(ThreadIndex T, unsigned Number) = 0;
  virtual std::string stopReply(const ReplayStop &Stop) = 0;
  /// The error packet that says \p Message, as far as the debugger understands
  /// more than that it is one.
  virtual std::string refusal(llvm::StringRef Message) const = 0;
  virtual std::string refuseWrite() = 0;
  /// "g<id>" or "c<id>", of an H packet.
  virtual std::string selectThread(llvm::StringRef Args);
  /// The thread that bs means.
  virtual ThreadIndex stepsBack() const { return Selected; }
  virtual llvm::Expected<ReplayStop> step(ThreadIndex T, bool Forward);
  virtual llvm::Expected<ReplayStop>
  run(bool Forward, std::optional<ThreadIndex> Alone = std::nullopt);
  virtual std::string setStop(llvm::StringRef Packet);
  virtual Reply moved(llvm::Expected<ReplayStop> Stop);

  static bool parseHex(llvm::StringRef &Text, uint64_t &Value);
  static std::string transfer(llvm::StringRef Whole, llvm::StringRef Args);
  static llvm::StringRef watchWord(AccessKind Kind);
  std::string threadList() const;
  std::optional<uint64_t> shownPC(ThreadIndex T) const;
  std::optional<RegisterBytes> registerBytes(ThreadIndex T, unsigned Number);
  std::string inTargetOrder(RegisterBytes Bytes) const;
  std::optional<ThreadIndex> threadOf(llvm::StringRef Id) const;
  uint64_t idOf(ThreadIndex T) const;

  ReplayEngine &Engine;
  const MemoryView &Memory;
  ThreadIndex Selected = 0; ///< by Hg, or by the last stop

private:
  Reply resume(llvm::StringRef Actions);
  std::string readRegister(llvm::StringRef Args);
  std::string readMemory(llvm::StringRef Args);

  std::string XML;
};

/// Lets \p Server answer what comes over \p Channel, until the debugger says
/// that it is done (true) or goes away. \p Problem is told what kept a packet
/// from being answered: it ran out of memory, say. \p Answered is called before
/// each answer is sent.
bool servePackets(PacketChannel &Channel, RemoteServer &Server,
                  llvm::function_ref<void(llvm::Error)> Problem,
                  llvm::function_ref<void()> Answered = nullptr);

} // namespace rw

#endif // REWIND_REPLAY_REMOTESERVER_H
