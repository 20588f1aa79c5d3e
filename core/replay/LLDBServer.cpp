//===- LLDBServer.cpp - LLDB's dialect of the remote protocol -------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/replay/LLDBServer.h"
#include "core/expr/StoreInput.h"
#include "core/replay/TargetDescription.h"
#include "core/store/TraceStore.h"
#include "core/support/ReadOnlyMessage.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace rw;
using llvm::StringRef;

static std::string asHex(StringRef Text) {
  return llvm::toHex(Text, /*LowerCase=*/true);
}

std::string LLDBServer::refusal(StringRef Message) const {
  return ErrorStrings ? "E01;" + asHex(Message) : "E01";
}

std::string LLDBServer::refuseWrite() {
  // Nobody asked for what a call of a function writes: its refusal ends the
  // call, and LLDB says so.
  if (!std::exchange(Calling, false) && Notice)
    Notice(ReadOnlyMessage);
  return refusal(ReadOnlyMessage);
}

RemoteServer::Reply LLDBServer::handle(StringRef Packet) {
  if (Packet == "?" && FirstStop)
    std::exchange(FirstStop, nullptr)();
  if (Packet != "jThreadsInfo" || !PublicStop)
    return RemoteServer::handle(Packet);
  Engine.stopIsLookedAt();
  PublicStop();
  return {"[]"}; // it knows them all
}

std::string LLDBServer::describeTarget() const {
  return targetXML(Engine.store());
}

std::string LLDBServer::registerReply(ThreadIndex T, unsigned Number) {
  if (auto Bytes = registerBytes(T, Number))
    return inTargetOrder(std::move(*Bytes));
  return refusal("the trace does not tell this register's value here");
}

RemoteServer::Reply LLDBServer::moved(llvm::Expected<ReplayStop> Stop) {
  Calling = false;
  return RemoteServer::moved(std::move(Stop));
}

RemoteServer::Reply LLDBServer::query(StringRef Packet) {
  StringRef Name = Packet.split(':').first;
  const TraceHeader &H = Engine.store().header();
  if (Name == "qSupported")
    return {"PacketSize=20000;qXfer:features:read+;ReverseContinue+;"
            "ReverseStep+;QStartNoAckMode+;vContSupported+"};
  // LLDB saves the registers before it calls a function of the program, and
  // restores them, one by one where it must, when that fails. Here they never
  // change.
  if (Name.starts_with("QSaveRegisterState")) {
    Calling = true;
    return {"1"};
  }
  if (Name == "QRestoreRegisterState") {
    Calling = false;
    return {"OK"};
  }
  if (Name == "QThreadSuffixSupported")
    return {"OK"};
  if (Name == "QListThreadsInStopReply") {
    ListThreads = true;
    return {"OK"};
  }
  if (Name == "QEnableErrorStrings") {
    ErrorStrings = true;
    return {"OK"};
  }
  if (Name == "qHostInfo" || Name == "qProcessInfo") {
    std::string Text = llvm::formatv("triple:{0};ptrsize:{1};endian:{2};",
                                     asHex(Triple), addressSize(H.Architecture),
                                     isBigEndian(H) ? "big" : "little");
    if (Name == "qProcessInfo")
      return {llvm::formatv("pid:{0:x-};{1}", Pid, Text).str()};
    // LLDB would otherwise step over the access on some architectures.
    return {Text + "watchpoint_exceptions_received:after;"};
  }
  if (Name == "qWatchpointSupportInfo")
    return {"num:64;"};
  if (StringRef(Packet).starts_with("qThreadStopInfo")) {
    auto T = threadOf(Packet.drop_front(strlen("qThreadStopInfo")));
    if (!T)
      return {"E02"};
    ReplayStop Stop = Engine.lastStop();
    if (*T == Stop.Thread)
      return {stopReply(Stop)};
    return {
        llvm::formatv("T00thread:{0:x-};{1}", idOf(*T), nameField(*T)).str()};
  }
  return RemoteServer::query(Packet);
}

std::string LLDBServer::nameField(ThreadIndex T) const {
  const auto &Threads = Engine.store().header().Threads;
  if (T >= Threads.size() || Threads[T].Name.empty())
    return "";
  return "hexname:" + asHex(Threads[T].Name) + ";";
}

std::string LLDBServer::stopReply(const ReplayStop &Stop) {
  std::string Text = llvm::formatv("T05thread:{0:x-};{1}", idOf(Stop.Thread),
                                   nameField(Stop.Thread));
  if (ListThreads) {
    Text += "threads:" + threadList() + ";";
    std::string PCs;
    for (ThreadIndex T = 0; T < Engine.store().numThreads(); ++T) {
      auto PC = shownPC(T);
      if (!PC) {
        PCs.clear();
        break;
      }
      PCs += llvm::formatv("{0}{1:x-}", T ? "," : "", *PC).str();
    }
    if (!PCs.empty())
      Text += "thread-pcs:" + PCs + ";";
  }
  // The registers that every unwind begins with.
  const RegisterFile &File = Engine.store().registerFile();
  for (const RegisterInfo *R : {File.pc(), File.sp(), File.lr()}) {
    if (!R)
      continue;
    unsigned Number = unsigned(R - File.registers().data());
    if (auto Bytes = registerBytes(Stop.Thread, Number))
      Text += llvm::formatv("{0:x-2}:{1};", Number,
                            inTargetOrder(std::move(*Bytes)))
                  .str();
  }
  auto Say = [&](StringRef Reason, StringRef What) {
    Text += ("reason:" + Reason + ";description:" + asHex(What) + ";").str();
  };
  switch (Stop.What) {
  case ReplayStop::Initial:
    Say("exception", "start of the recording");
    break;
  case ReplayStop::Step:
    // Plain: only so does LLDB take the step for one that it asked for. Where
    // the pc of an instruction stays that was the last, it would take it for
    // another visit of a breakpoint there.
    if (Engine.atEnd(Stop.Thread))
      Text += "reason:trace;";
    break;
  case ReplayStop::Breakpoint:
    Text += "reason:breakpoint;";
    break;
  case ReplayStop::Watchpoint:
    Text += llvm::formatv("{0}:{1:x-};", watchWord(Stop.Access), Stop.Addr);
    break;
  case ReplayStop::HistoryBegin:
    Text += "replaylog:begin;";
    break;
  case ReplayStop::HistoryEnd:
    // LLDB's plan for `finish` takes a history boundary for a stop on its way
    // and resumes, for ever. An exception it lets through.
    if (Stop.Again)
      Say("exception", Engine.here().When < Engine.store().numInstructions()
                           ? "history boundary (end of the thread)"
                           : "history boundary (end of the recording)");
    else
      Text += "replaylog:end;";
    break;
  case ReplayStop::Landing:
    Say("exception", Stop.Text);
    break;
  case ReplayStop::Interrupted:
    Text.replace(0, 3, "T02"); // SIGINT
    Text += "reason:signal;";
    break;
  }
  return Text;
}
