//===- Proxy.h - Time travel before lldb-dap --------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_DAP_PROXY_H
#define REWIND_COMMANDS_DAP_PROXY_H

#include "core/support/ByteChannel.h"
#include "llvm/Support/JSON.h"
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace rw::dap {

/// Stands between a client of the Debug Adapter Protocol and lldb-dap. Messages
/// pass with new sequence numbers; what lldb-dap cannot do is made of LLDB's
/// and Rewind's commands, which its `evaluate` runs. A move, ours or lldb-dap's
/// own, has ended when its stop is told: until then the next one waits. It also
/// waits for what was asked before, of which we may make several commands, and
/// after a command in the console until it is known whether that has moved.
/// While something moves, all waits but what stops it and what sets
/// breakpoints.
///
/// fromClient() and fromAdapter() may be called by two threads.
class Proxy {
public:
  /// \p Plugin is what LLDB loads for a trace.
  Proxy(ByteChannel &Client, ByteChannel &Adapter, std::string Plugin)
      : Client(Client), Adapter(Adapter), Plugin(std::move(Plugin)) {}

  void fromClient(llvm::json::Object Message);
  void fromAdapter(llvm::json::Object Message);
  /// lldb-dap has ended as \p How tells: everybody who waits is told. Whether
  /// it did so by itself: the client had not left.
  bool adapterEnded(const std::string &How);
  /// The client has said goodbye.
  bool disconnecting();
  /// It has gone without. Before lldb-dap is told, it is to be standing():
  /// otherwise it may wait for itself.
  void leave();
  bool standing();
  /// To be called now and then: a goodbye that has waited too long for a stop
  /// is passed on.
  void hurry();

  /// Reference of the scope "Rewind"; lldb-dap counts from 1, and from 2^31.
  static constexpr int64_t RewindReference = 0x3fff0000;

private:
  /// The bits of lldb-dap's frame ids that are the frame's index; the thread's,
  /// as LLDB counts them, is above.
  static constexpr unsigned FrameBits = 19;
  static int64_t indexOf(int64_t Frame) {
    return Frame & ((int64_t(1) << FrameBits) - 1);
  }
  using Object = llvm::json::Object;
  using Clock = std::chrono::steady_clock;
  using Then = std::function<void(const Object &Response)>;
  /// A request that lldb-dap has not answered yet.
  struct Pending {
    /// The client's that it is, or is done for: who cancels that cancels this.
    /// Empty: none.
    Object Request;
    Then Next; ///< null: the response goes to the client
  };

  // Requests of the client.
  void request(Object Message);
  void perform(Object Message);
  bool emulate(const Object &Message, llvm::StringRef Command);
  bool mustWait(const Object &Message) const;
  bool mustHold(const Object &Message) const;
  /// Something begins to move, or may do so.
  void begin() {
    Began = Clock::now();
    ToldRunning = Interrupted = false;
  }
  /// Something moves, or is about to.
  bool isBusy() const { return State != Standing || InConsole; }
  /// Whether lldb-dap has answered all that may make us ask for more.
  bool quiet() const;
  void drain();
  void load(Object Message);
  void cancel(Object Message);
  void evaluate(Object Message);
  /// A command in the console has been answered: goes on when lldb-dap has said
  /// whether that has resumed the process.
  void settle(unsigned Tries);
  /// Answers an evaluation that lldb-dap \p Failed to do as `p` would.
  /// lldb-dap evaluates with LLDB's API, which knows less than `p` does:
  /// nothing of conversions, of ?:, and of structures that are known in part
  /// where they are no variables. Nor can it say why there is no value. A word
  /// under the mouse changes no variables of LLDB's. What neither knows Rewind
  /// may.
  void printInstead(const Object &Request, Object Failed);
  /// Answers as for the list of watched expressions where the console's answer
  /// may be wrong.
  bool watchInstead(const Object &Request, const Object &First);
  void complete(Object Message);
  void dataBreakpointInfo(Object Message);
  void setDataBreakpoints(Object Message);
  void gotoTargets(const Object &Message);
  void jump(const Object &Message);
  void restartFrame(const Object &Message);
  void rewindScope(const Object &Message);
  void ask(const Object &Message, llvm::StringRef Name);
  /// Runs a command that ends in a stop, which is told with \p Reason, in the
  /// thread that \p Message names; answers \p Message once it is under way.
  void move(Object Message, std::string Command, std::string Reason,
            bool Retry = true);

  // What comes from lldb-dap.
  void response(Object Message);
  void event(Object Message);
  void pass(Object Event); ///< to the client, and does what follows
  void improve(llvm::StringRef Command, Object &Response) const;
  void notePaths(const Object &Request, const Object &Response);
  void noteExceptions(const Object &Response);
  void stopped(Object &Body);
  void tellFrameCount(const Object &Request, Object &Response);
  void moveEnded();
  /// Stops lldb-dap, whose stop is told as any other.
  void pause();
  /// Does so for a client's \p Request.
  void interrupt(Object Request);
  /// Lets the Stoppers try, if it is time for them.
  void tryToStop();
  void hasStopped(const Object &Request); ///< answers it
  bool isDoubtful(const Object &Stop) const;
  /// Tells it truthfully once that is known.
  void clearUp(Object Stop);
  void isHit(llvm::json::Array Ids, size_t First,
             std::function<void(bool Hit)> Then);
  /// Has lldb-dap try \p Attempt, until it stops or until \p Until; that
  /// answers \p Request, if there is one.
  void interrupt(Object Attempt, Object Request, Clock::time_point Until);
  void tellPosition();
  void noteSource(const Object &Arguments);
  /// Says which of NewSources the program has in another folder only: their
  /// breakpoints are never reached.
  void tellMovedSources();
  void say(const std::string &Text, llvm::StringRef Category);

  // Sending.
  void toClient(Object Message);
  int64_t toAdapter(Object Message, Pending P);
  void forward(Object Message);
  void answer(const Object &Request, Object Body);
  void refuse(const Object &Request, const std::string &Text);
  /// What was asked, or is still to be asked, of an adapter that has ended.
  void fail(const Pending &P);
  /// LLDB's commands are about the selected thread and frame; lldb-dap selects
  /// those of "scopes" only, whatever the frame of an evaluation is.
  void selectFrame(int64_t Frame);
  void selectThread(int64_t Thread);
  /// Selects what a request of the client's is about, if it says that, for what
  /// comes next, too. \p Then, which may be called at once, gets why that
  /// cannot be, or nothing.
  void focusOn(const Object &Arguments,
               std::function<void(const std::string &Why)> Then);
  /// Selects it again.
  void selectFocus();
  /// Runs a command of LLDB; \p Next gets what it says, and whether that is an
  /// error. \p Frame is the frame that it is about, or 0: that of the focus;
  /// \p For the client's request that it is done for.
  void run(std::string Command,
           std::function<void(llvm::StringRef Text, bool Failed)> Next,
           int64_t Frame = 0, Object For = {});
  /// Runs a command that says JSON; \p Next gets null if it fails, and
  /// the text.
  void
  runJson(std::string Command,
          std::function<void(const Object *Json, llvm::StringRef Text)> Next,
          Object For = {}, int64_t Frame = 0);

  ByteChannel &Client, &Adapter;
  const std::string Plugin;
  std::mutex Mutex;
  int64_t LastToClient = 0, LastToAdapter = 0;
  std::map<int64_t, Pending> InFlight; ///< by sequence number to lldb-dap
  std::map<int64_t, int64_t> Reverse;  ///< requests of lldb-dap: ours -> its
  std::deque<Object> Held;
  bool Begun = false;   ///< a launch or attach was passed on; it has not failed
  bool Loading = false; ///< the launch has not been answered
  bool InConsole = false; ///< a command there may move
  std::string LastTyped;  ///< there
  bool Recording = false; ///< the session is about a trace
  bool Disconnecting = false, Dead = false;
  /// The client's goodbye, until the process stands, and when it came.
  std::optional<Object> Farewell;
  Clock::time_point FarewellAt;
  /// Somebody moves: the stop has not been told yet.
  enum { Standing, Moving, MovedByUs } State = Standing;
  std::string Reason;       ///< of the stop that MovedByUs will end in
  bool ToldRunning = false; ///< the client has heard that this move runs
  uint64_t Stops = 0;       ///< how many were told
  bool Interrupted = false; ///< somebody tries to stop this move
  Clock::time_point Began;  ///< when this move did
  struct Stopper {
    Object Attempt, Request; ///< as interrupt() takes them
    Clock::time_point Until;
    uint64_t Before; ///< Stops, when it was asked for
  };
  std::vector<Stopper> Stoppers; ///< that wait until it is older
  /// A stop of which it is not known yet whether that has made it.
  std::optional<Object> LateStop;
  std::string Escape = "`";
  /// Folders of sources: when they were compiled, now.
  std::vector<std::pair<std::string, std::string>> SourceMap;
  /// Files of breakpoints, of which nobody has asked yet where they were
  /// compiled; and all of them.
  std::set<std::string> NewSources, Sources;
  std::optional<int64_t> OnlyThread; ///< if lldb-dap says that there is but one
  /// What the user looks at: the thread of the last stop, or the frame that was
  /// asked for since; 0: none.
  int64_t FocusThread = 0, FocusFrame = 0;
  std::string LoadError;    ///< what `rewind load` says if it fails
  std::string LoadProgress; ///< id
  bool LoadCancelled = false;
  /// How many frames threads have, where somebody has asked for the last one
  /// since the last stop.
  std::map<int64_t, int64_t> FrameCounts;
  /// How an expression names what "variables" has told of since the last stop,
  /// by the reference and the name in it.
  std::map<std::pair<int64_t, std::string>, std::string> Paths;
  /// lldb-dap's filters, as it describes stops at them.
  std::set<std::string, std::less<>> Exceptions;
  std::map<int64_t, std::string> Targets; ///< of goto: positions
  int64_t LastTarget = 0;
};

} // namespace rw::dap

#endif // REWIND_COMMANDS_DAP_PROXY_H
