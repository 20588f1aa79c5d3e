//===- DapModel.h - Somebody on either side of the proxy --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_UNIT_COMMANDS_DAPMODEL_H
#define REWIND_TEST_UNIT_COMMANDS_DAPMODEL_H

#include "commands/dap/Proxy.h"
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace rw {

/// A client and an lldb-dap that do what is chosen for them, with a proxy
/// between them. What they must see of it, whatever they do, is checked:
/// each request is answered once, no stop is lost or told twice, messages are
/// numbered without a gap.
class DapModel {
public:
  /// A number below its argument.
  using Choose = std::function<unsigned(unsigned)>;
  explicit DapModel(Choose C);
  ~DapModel();

  /// Does \p Steps steps, then lets all be done that is under way. What is
  /// wrong; empty: nothing.
  std::string run(unsigned Steps);

  uint64_t answered() const { return Answered; }
  uint64_t stops() const { return StopsTold; }
  bool died() const { return Dead; }

private:
  using Object = llvm::json::Object;

  void wrong(const std::string &What, const Object &Message);
  // The client.
  void ask();
  void ask(llvm::StringRef Command, Object Arguments);
  Object argumentsFor(llvm::StringRef Command);
  void replyToReverse();
  void seen(Object Message);
  // lldb-dap.
  void work();
  void tell(llvm::StringRef Event, Object Body);
  void reply(const Object &Request, bool Success, Object Rest);
  void stop(bool Again = false);
  void happen();
  bool tested();
  void evaluate(const Object &Request);
  void reached(Object Message);
  void end();
  /// Reads what the proxy has sent.
  void drain();

  const Choose C;
  std::unique_ptr<ByteChannel> ToClient, ToAdapter;       ///< the proxy's
  std::unique_ptr<ByteChannel> FromProxy, FromProxyToDap; ///< ours
  std::unique_ptr<dap::Proxy> P;

  std::string Wrong;
  int64_t LastAsked = 0, LastSeen = 0, LastReached = 0, LastOfAdapter = 0;
  std::map<int64_t, std::string> Open; ///< requests that have no answer
  std::deque<int64_t> ReverseAsked;    ///< of lldb-dap, as the client sees them
  std::set<int64_t> ReverseOpen;       ///< as lldb-dap has numbered them
  std::deque<Object> Work;             ///< what lldb-dap has been asked
  bool Launched = false; ///< it has a launch that it has not refused
  bool Recording = false, Running = false, Dead = false, Goodbye = false;
  unsigned Tested = 0; ///< attempts to stop that came in vain
  uint64_t Answered = 0, StopsTold = 0, StopsSeen = 0, Ends = 0, Complaints = 0;
};

} // namespace rw

#endif // REWIND_TEST_UNIT_COMMANDS_DAPMODEL_H
