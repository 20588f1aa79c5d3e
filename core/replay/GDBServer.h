//===- GDBServer.h - GDB's dialect of the remote protocol -------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_REPLAY_GDBSERVER_H
#define REWIND_REPLAY_GDBSERVER_H

#include "core/replay/GDBDescription.h"
#include "core/replay/RemoteServer.h"
#include "core/replay/ServedFiles.h"
#include "core/support/ReadOnlyMessage.h"
#include <chrono>
#include <functional>
#include <set>

namespace rw {

/// What GDB is told besides the trace.
struct GDBSetup {
  /// The program first, then its libraries: files that GDB may read.
  std::vector<std::string> Images;
  /// Where the program's lowest segment lay, if not where its file says.
  std::optional<uint64_t> Program;
  bool MProfile = false; ///< an Arm of the M profile
  /// Runs what was typed after `monitor`, about GDB's selected thread, and
  /// hands what it prints, in pieces, to the function. Null: there is no
  /// `monitor`.
  using Print = std::function<void(llvm::StringRef)>;
  std::function<void(llvm::StringRef Command, ThreadIndex Selected,
                     const Print &)>
      Monitor;
  /// Called when GDB tells its user of a stop. \p Stepped: a step led there,
  /// and nothing else. \p From: the thread that was selected before.
  std::function<void(bool Stepped, ThreadIndex From)> Told;
  /// Tells the user what GDB does not: it hides why a packet was refused.
  std::function<void(llvm::StringRef)> Warn;
  /// Sends a packet out of turn.
  std::function<void(llvm::StringRef Packet)> Send;
};

/// GDB's manual, "Remote Protocol", as GDB 13 speaks it. What is unknown is
/// "xx" in a register, so `<unavailable>`, and an error in memory.
///
/// GDB thinks that on all architectures but x86 a watchpoint traps before the
/// access, whichever way time goes: it then takes its watchpoints away, steps
/// once, on in the same direction, and compares. So a hit is told in front of
/// the access forwards and behind it backwards, and also to a single step that
/// would make the access, which does not move then.
///
/// GDB looks at breakpoints wherever it stops, but at a watchpoint only when it
/// is told of an address in it, of which each stop has one. So going back an
/// access is told before a breakpoint at the same instruction, and of several
/// watchpoints the address that lies in most of those at which GDB will stop.
class GDBServer final : public RemoteServer {
public:
  GDBServer(ReplayEngine &Engine, const MemoryView &Memory, GDBSetup Setup);

  Reply handle(llvm::StringRef Packet) override;
  void interruptedLate() override { Late = std::chrono::steady_clock::now(); }

private:
  Reply query(llvm::StringRef Packet) override;
  std::string describeTarget() const override { return Registers.XML; }
  std::string registerReply(ThreadIndex T, unsigned Number) override;
  std::string stopReply(const ReplayStop &Stop) override;
  std::string refusal(llvm::StringRef Message) const override;
  std::string refuseWrite() override { return refusal(ReadOnlyMessage); }
  std::string selectThread(llvm::StringRef Args) override;
  ThreadIndex stepsBack() const override { return Stepped.value_or(Selected); }
  llvm::Expected<ReplayStop> step(ThreadIndex T, bool Forward) override;
  llvm::Expected<ReplayStop> run(bool Forward,
                                 std::optional<ThreadIndex> Alone) override;
  std::string setStop(llvm::StringRef Packet) override;
  llvm::Error chooseAddress(ReplayStop &Stop) const;
  llvm::Expected<bool> stopsGDB(const ReplayWatchpoint &W, Moment Access) const;
  /// Whether GDB was interrupted between two resumes of its own: it tests
  /// conditions itself, and goes on where they do not hold. Asked once.
  bool takeLate();
  Reply moved(llvm::Expected<ReplayStop> Stop) override;
  std::string allRegisters();
  std::string threadsXML() const;
  Reply monitor(llvm::StringRef Hex);
  /// Whom the user has selected, as far as packets tell.
  /// Not what Hg says: `info threads` looks at all, and GDB's own thread is not
  /// told again.
  ThreadIndex selectedByUser() const {
    return Chosen.value_or(Engine.here().Thread);
  }

  const GDBSetup Setup;
  const GDBDescription Registers;
  ServedFiles Files;
  const bool TrapsBefore;
  bool WarnedOfWatchpoints = false;
  /// What GDB has resumed since its user was told of a stop.
  struct Resumes {
    ThreadIndex From; ///< the user's thread
    bool Ran = false, StepsInARow = false, LastWasStep = false;
  };
  std::optional<Resumes> Resumed;
  void resumes(bool Step);
  void tellStop();
  std::optional<std::chrono::steady_clock::time_point> Late;
  std::optional<ThreadIndex> Stepped; ///< by Hc; empty: any
  /// By T since the last stop. GDB asks whether the thread is alive that a user
  /// selects; H comes only when registers are read, which it may know already.
  std::optional<ThreadIndex> Chosen;
  bool ChosenAgain = false;         ///< another, since then
  std::multiset<uint64_t> Hardware; ///< pcs of hardware breakpoints
  std::vector<ReplayWatchpoint> Watches;
};

} // namespace rw

#endif // REWIND_REPLAY_GDBSERVER_H
