//===- DebuggerPages.h - Pages that stand where LLDB does -------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_DEBUGGERPAGES_H
#define REWIND_PLUGIN_DEBUGGERPAGES_H

#include "commands/lvalues/ImageSession.h"
#include "commands/view/Answers.h"
#include "commands/view/Server.h"
#include "core/replay/ReplayEngine.h"
#include "lldb/API/SBTarget.h"
#include <condition_variable>
#include <thread>

namespace rw {

class LoadedTrace;

/// The pages of one recording in a debugger, and two threads for them. One
/// serves: it asks nothing of LLDB, so pages are answered whatever that does,
/// and after the process has gone, too; then until nobody has looked for
/// LonelySeconds. The other takes LLDB where pages go.
///
/// Symbols and images are those of the shell's `rewind view`, not the target's:
/// they stay when the target goes.
class DebuggerPages : public std::enable_shared_from_this<DebuggerPages> {
public:
  /// \p Warn is told what is odd about an image. May take as long as reading
  /// those takes; \p Shown can end that.
  static llvm::Expected<std::shared_ptr<DebuggerPages>>
  open(lldb::SBDebugger Debugger, lldb::SBTarget Target,
       std::shared_ptr<LoadedTrace> Trace, uint16_t Port, const Watch &Shown,
       const std::function<void(const std::string &)> &Warn);

  static constexpr unsigned LonelySeconds = 10;

  const std::string &url() const { return Url; }
  const std::string &tracePath() const { return TracePath; }
  bool isOf(const LoadedTrace &T) const;
  struct Status {
    bool Gone;      ///< the process is
    unsigned Pages; ///< that are connected
  };
  /// None if they have ended.
  std::optional<Status> status() const;
  /// Ends the threads. Waits for no lock of LLDB's longer than some seconds.
  /// Never called by one of them.
  void stop();

private:
  DebuggerPages(lldb::SBDebugger Debugger, lldb::SBTarget Target,
                std::shared_ptr<LoadedTrace> T);
  void start();
  void serve();
  /// What fails is shown to the user.
  void guard(llvm::function_ref<llvm::Error()> Body);
  void freeAll();
  /// Whether the process has gone, and nobody looks any more.
  bool isLeft();

  struct Wish {
    Place To;
    uint64_t Revision, By;
  };
  /// Called by the thread that answers.
  llvm::Error want(Wish W);
  /// Called when LLDB has stopped, on any of its threads, or the process gone.
  void stopped(bool Gone);
  void moveAsWanted();
  llvm::Error move(const Wish &W);
  lldb::SBTarget target(lldb::SBDebugger Debugger) const;
  /// As pages are told. To be called with the mutex.
  llvm::json::Object state() const;
  void tell(llvm::json::Object O);

  const std::string TracePath;
  const lldb::user_id_t Debugger;
  const uint32_t Process; ///< LLDB's number for it
  const bool Told;        ///< LLDB's stops are
  std::string Url;
  llvm::raw_null_ostream Nowhere;
  /// What is large. The thread that serves takes it along when it ends.
  std::shared_ptr<LoadedTrace> Trace;
  std::unique_ptr<ImageSession> Session;
  std::unique_ptr<ViewAnswers> Answers;
  std::unique_ptr<ViewServer> Server;

  mutable std::mutex Mutex;
  std::condition_variable Changed;
  Instant Here;          ///< at the last stop that the user was told of
  uint64_t Revision = 1; ///< counts those stops
  bool Gone = false;
  std::optional<Wish> Next;
  uint64_t MovedBy = 0; ///< whose wish the next stop is; 0: nobody's
  std::atomic<bool> Ending = false;
  bool Ended = false;
  std::optional<std::chrono::steady_clock::time_point> LeftSince;
  std::thread Serving; ///< joins Moving
  std::thread Moving;
};

} // namespace rw

#endif // REWIND_PLUGIN_DEBUGGERPAGES_H
