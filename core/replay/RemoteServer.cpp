//===- RemoteServer.cpp - A replay behind the gdb-remote protocol ---------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/replay/RemoteServer.h"
#include "core/expr/StoreInput.h"
#include "core/replay/TargetDescription.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace rw;
using llvm::StringRef;

static constexpr uint64_t MaxRead = 0x20000;

static std::string hex(llvm::ArrayRef<uint8_t> Bytes) {
  return llvm::toHex(Bytes, /*LowerCase=*/true);
}
static std::string hex(StringRef Text) {
  return llvm::toHex(Text, /*LowerCase=*/true);
}

static bool parseHex(StringRef &Text, uint64_t &Value) {
  return !Text.consumeInteger(16, Value);
}

uint64_t RemoteServer::idOf(ThreadIndex T) const {
  const auto &Threads = Engine.store().header().Threads;
  return T < Threads.size() ? Threads[T].Id : T + 1;
}

/// The thread that a thread-id field names: "-1" and "0" mean the selected one.
std::optional<ThreadIndex> RemoteServer::threadOf(StringRef Id) const {
  if (Id.empty() || Id == "-1" || Id == "0")
    return Engine.here().Thread;
  uint64_t Wanted;
  if (Id.getAsInteger(16, Wanted))
    return std::nullopt;
  for (ThreadIndex T = 0; T < Engine.store().numThreads(); ++T)
    if (idOf(T) == Wanted)
      return T;
  return std::nullopt;
}

std::string RemoteServer::refusal(StringRef Message) const {
  return ErrorStrings ? "E01;" + hex(Message) : "E01";
}

static constexpr StringRef ReadOnlyMessage =
    "this is a recording: it cannot be changed";

RemoteServer::Reply RemoteServer::handle(StringRef Packet) {
  if (Packet.empty())
    return {};
  switch (Packet.front()) {
  case '?':
    return {stopReply(Engine.lastStop())};
  case 'q':
  case 'Q':
    return query(Packet);
  case 'H':
    if (auto T =
            threadOf(Packet.drop_front(std::min<size_t>(2, Packet.size()))))
      Selected = *T;
    else
      return {"E02"};
    return {"OK"};
  case 'T':
    return {threadOf(Packet.drop_front()) ? "OK" : "E02"};
  case 'p':
    return {readRegister(Packet.drop_front())};
  case 'm':
    return {readMemory(Packet.drop_front())};
  case 'Z':
  case 'z':
    return {setStop(Packet)};
  case 'c':
    return moved(Engine.runForward());
  case 's':
    return moved(Engine.stepForward(Selected));
  case 'b':
    if (Packet == "bc")
      return moved(Engine.runBackward());
    if (Packet == "bs")
      return moved(Engine.stepBackward(Selected));
    return {};
  case 'v':
    if (Packet == "vCont?")
      return {"vCont;c;C;s;S"};
    if (Packet.consume_front("vCont;"))
      return resume(Packet);
    return {};
  case 'P':
  case 'G':
  case 'M':
  case 'X':
    // Nobody asked for what a call of a function writes: its refusal ends the
    // call, and LLDB says so.
    if (!std::exchange(Calling, false) && Notice)
      Notice(ReadOnlyMessage);
    return {refusal(ReadOnlyMessage)};
  case 'j':
    if (Packet != "jThreadsInfo" || !PublicStop)
      return {};
    PublicStop();
    return {"[]"}; // it knows them all
  case 'D':
    return {"OK", true};
  case 'k':
    return {"X09", true};
  default:
    return {};
  }
}

RemoteServer::Reply RemoteServer::query(StringRef Packet) {
  auto [Name, Args] = Packet.split(':');
  const TraceHeader &H = Engine.store().header();
  if (Name == "qSupported")
    return {"PacketSize=20000;qXfer:features:read+;ReverseContinue+;"
            "ReverseStep+;QStartNoAckMode+;vContSupported+"};
  if (Name == "QStartNoAckMode")
    return {"OK", false, true};
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
                                     hex(Triple), addressSize(H.Architecture),
                                     isBigEndian(H) ? "big" : "little");
    if (Name == "qProcessInfo")
      return {llvm::formatv("pid:{0:x-};{1}", Pid, Text).str()};
    // LLDB would otherwise step over the access on some architectures.
    return {Text + "watchpoint_exceptions_received:after;"};
  }
  if (Name == "qfThreadInfo")
    return {"m" + threadList()};
  if (Name == "qsThreadInfo")
    return {"l"};
  if (Name == "qC")
    return {llvm::formatv("QC{0:x-}", idOf(Engine.here().Thread)).str()};
  if (Name == "qAttached")
    return {"1"};
  if (Name == "qWatchpointSupportInfo")
    return {"num:64;"};
  if (Name == "qVAttachOrWaitSupported")
    return {};
  if (Name == "qXfer" && Args.consume_front("features:read:target.xml:"))
    return {transfer(Args)};
  if (StringRef(Packet).starts_with("qThreadStopInfo")) {
    auto T = threadOf(Packet.drop_front(strlen("qThreadStopInfo")));
    if (!T)
      return {"E02"};
    ReplayStop Stop = Engine.lastStop();
    if (*T == Stop.Thread)
      return {stopReply(Stop)};
    return {llvm::formatv("T00thread:{0:x-};", idOf(*T)).str()};
  }
  return {};
}

std::string RemoteServer::transfer(StringRef Args) {
  uint64_t Offset, Length;
  if (!parseHex(Args, Offset) || !Args.consume_front(",") ||
      !parseHex(Args, Length))
    return "E03";
  if (XML.empty())
    XML = targetXML(Engine.store());
  if (Offset >= XML.size())
    return "l";
  StringRef Part = StringRef(XML).substr(Offset, Length);
  return (Offset + Part.size() < XML.size() ? "m" : "l") + Part.str();
}

std::string RemoteServer::threadList() const {
  std::string Text;
  for (ThreadIndex T = 0; T < Engine.store().numThreads(); ++T)
    Text += llvm::formatv("{0}{1:x-}", T ? "," : "", idOf(T)).str();
  return Text;
}

std::optional<uint64_t> RemoteServer::shownPC(ThreadIndex T) const {
  if (auto Nowhere = Engine.nowhere())
    return Nowhere;
  auto PC = Engine.pc(T);
  if (PC)
    return *PC;
  llvm::consumeError(PC.takeError());
  return std::nullopt;
}

std::optional<std::string> RemoteServer::registerBytes(ThreadIndex T,
                                                       unsigned Number) {
  auto Regs = Engine.store().registerFile().registers();
  const TraceHeader &H = Engine.store().header();
  llvm::SmallVector<uint8_t, 32> Bytes;
  if (Number >= Regs.size()) {
    if (Number - Regs.size() >= std::size(TracePartNames))
      return std::nullopt;
    auto Value = StoreInput(Engine.store(), T, Engine.here().When)
                     .tracePart(TracePart(Number - Regs.size()));
    if (!Value) {
      llvm::consumeError(Value.takeError());
      return std::nullopt;
    }
    if (!*Value)
      return std::nullopt;
    for (unsigned I = 0; I < 8; ++I)
      Bytes.push_back(uint8_t(**Value >> 8 * I));
  } else if (const RegisterInfo &R = Regs[Number]; R.IsPC) {
    auto PC = shownPC(T);
    if (!PC)
      return std::nullopt;
    for (unsigned I = 0; I < addressSize(H.Architecture); ++I)
      Bytes.push_back(uint8_t(*PC >> 8 * I));
  } else {
    auto State = Engine.registers(T);
    if (!State) {
      llvm::consumeError(State.takeError());
      return std::nullopt;
    }
    Bytes.resize(R.Slice.Size);
    if (!(*State)->read(R.Slice, Bytes.data()))
      return std::nullopt;
  }
  if (isBigEndian(H))
    std::reverse(Bytes.begin(), Bytes.end());
  return hex(Bytes);
}

std::string RemoteServer::readRegister(StringRef Args) {
  uint64_t Number;
  if (!parseHex(Args, Number))
    return "E03";
  auto T = std::optional<ThreadIndex>(Selected);
  if (Args.consume_front(";thread:"))
    T = threadOf(Args.take_until([](char C) { return C == ';'; }));
  if (!T)
    return "E02";
  if (auto Bytes = registerBytes(*T, unsigned(Number)))
    return *Bytes;
  return refusal("the trace does not tell this register's value here");
}

std::string RemoteServer::readMemory(StringRef Args) {
  uint64_t Addr, Size;
  if (!parseHex(Args, Addr) || !Args.consume_front(",") ||
      !parseHex(Args, Size))
    return "E03";
  Size = std::min(Size, MaxRead / 2);
  if (Addr + Size < Addr)
    Size = 0 - Addr;
  std::vector<uint8_t> Bytes(Size), Known(Size);
  if (llvm::Error E = Memory.read(Engine.here().When, Addr, Bytes, Known))
    return refusal(llvm::toString(std::move(E)));
  size_t N = size_t(llvm::find(Known, 0) - Known.begin());
  if (N == 0 && Size != 0)
    return refusal("the trace does not tell this memory here");
  return hex(llvm::ArrayRef(Bytes).take_front(N));
}

std::string RemoteServer::setStop(StringRef Packet) {
  bool Set = Packet.front() == 'Z';
  char Kind = Packet.size() > 1 ? Packet[1] : 0;
  uint64_t Addr, Size;
  Packet = Packet.drop_front(std::min<size_t>(2, Packet.size()));
  if (!Packet.consume_front(",") || !parseHex(Packet, Addr) ||
      !Packet.consume_front(",") || !parseHex(Packet, Size))
    return "E03";
  AccessKind Access = AccessKind::Any;
  switch (Kind) {
  case '0':
  case '1':
    if (Set)
      Engine.addBreakpoint(Addr);
    else
      Engine.removeBreakpoint(Addr);
    return "OK";
  case '2':
    Access = AccessKind::Write;
    break;
  case '3':
    Access = AccessKind::Read;
    break;
  case '4':
    break;
  default:
    return "";
  }
  if (!Engine.store().header().Can.MemAddresses)
    return refusal("this kind of trace does not tell memory accesses");
  if (Set)
    Engine.addWatchpoint(Addr, Size, Access);
  else
    Engine.removeWatchpoint(Addr, Size, Access);
  return "OK";
}

/// "s:1;c" and the like. Time is one for all threads, so one action decides: a
/// step of a single thread, if there is one, else running.
RemoteServer::Reply RemoteServer::resume(StringRef Actions) {
  // LLDB takes no notice of a stop of a thread that it did not resume.
  std::optional<ThreadIndex> Alone;
  const bool One = !Actions.contains(';');
  while (!Actions.empty()) {
    auto [Action, Rest] = Actions.split(';');
    Actions = Rest;
    auto [What, Id] = Action.split(':');
    if (What.empty())
      continue;
    const bool Step = What.front() == 's' || What.front() == 'S';
    if (!Step && (!One || Id.empty() || Id == "-1"))
      continue;
    auto T = threadOf(Id);
    if (!T)
      return {"E02"};
    if (Step)
      return moved(Engine.stepForward(*T));
    Alone = *T;
  }
  return moved(Engine.runForward(Alone));
}

RemoteServer::Reply RemoteServer::moved(llvm::Expected<ReplayStop> Stop) {
  Calling = false;
  if (!Stop)
    return {refusal(llvm::toString(Stop.takeError()))};
  Selected = Stop->Thread;
  return {stopReply(*Stop)};
}

std::string RemoteServer::stopReply(const ReplayStop &Stop) {
  const auto &Threads = Engine.store().header().Threads;
  std::string Text = llvm::formatv("T05thread:{0:x-};", idOf(Stop.Thread));
  if (Stop.Thread < Threads.size() && !Threads[Stop.Thread].Name.empty())
    Text += "hexname:" + hex(Threads[Stop.Thread].Name) + ";";
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
      Text += llvm::formatv("{0:x-2}:{1};", Number, *Bytes).str();
  }
  auto Say = [&](StringRef Reason, StringRef What) {
    Text += ("reason:" + Reason + ";description:" + hex(What) + ";").str();
  };
  switch (Stop.What) {
  case ReplayStop::Initial:
    Say("exception", "start of the recording");
    break;
  case ReplayStop::Step:
    // Plain: only so does LLDB take the step for one that it asked for.
    break;
  case ReplayStop::Breakpoint:
    Text += "reason:breakpoint;";
    break;
  case ReplayStop::Watchpoint:
    Text += llvm::formatv("{0}watch:{1:x-};",
                          Stop.Access == AccessKind::Write  ? ""
                          : Stop.Access == AccessKind::Read ? "r"
                                                            : "a",
                          Stop.Addr)
                .str();
    break;
  case ReplayStop::HistoryBegin:
    Text += "replaylog:begin;";
    break;
  case ReplayStop::HistoryEnd:
    // LLDB's plan for `finish` takes a history boundary for a stop on its way
    // and resumes, for ever. An exception it lets through.
    if (Stop.Again)
      Say("exception", "history boundary (end of the recording)");
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
