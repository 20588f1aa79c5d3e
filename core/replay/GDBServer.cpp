//===- GDBServer.cpp - GDB's dialect of the remote protocol ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/replay/GDBServer.h"
#include "core/replay/TargetDescription.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace rw;
using llvm::StringRef;

/// Bytes of what `monitor` prints, in one packet.
static constexpr size_t MaxConsole = 4096;
/// Bytes of a watchpoint that are looked at for a change. GDB asks for less.
static constexpr uint64_t MaxCompared = 4096;

GDBServer::GDBServer(ReplayEngine &Engine, const MemoryView &Memory, GDBSetup S)
    : RemoteServer(Engine, Memory), Setup(std::move(S)),
      Registers(describeForGDB(Engine.store(), Setup.MProfile)),
      Files(Setup.Images),
      TrapsBefore(Engine.store().header().Architecture != Arch::X86_64) {}

/// GDB shows the text of some errors. It has no '#' and the like.
std::string GDBServer::refusal(StringRef Message) const {
  return ("E." + Message).str();
}

RemoteServer::Reply GDBServer::handle(StringRef Packet) {
  if (Packet == "g")
    return {allRegisters()};
  // Only so is it an error of memory to GDB.
  if (Packet.starts_with("m")) {
    Reply R = RemoteServer::handle(Packet);
    return {StringRef(R.Text).starts_with("E.") ? "E01" : R.Text};
  }
  if (Packet.consume_front("vFile:"))
    return {Files.answer(Packet)};
  if (Packet.starts_with("T"))
    if (auto T = threadOf(Packet.drop_front())) {
      ChosenAgain |= Chosen && Chosen != *T;
      Chosen = *T;
    }
  return RemoteServer::handle(Packet);
}

RemoteServer::Reply GDBServer::moved(llvm::Expected<ReplayStop> Stop) {
  Chosen.reset();
  ChosenAgain = false;
  return RemoteServer::moved(std::move(Stop));
}

RemoteServer::Reply GDBServer::query(StringRef Packet) {
  auto [Name, Args] = Packet.split(':');
  if (Name == "qSupported") {
    std::string Text =
        "PacketSize=20000;qXfer:features:read+;qXfer:threads:read+;"
        "ReverseContinue+;ReverseStep+;QStartNoAckMode+;vContSupported+;"
        "swbreak+;hwbreak+";
    if (!Setup.Images.empty())
      Text += ";qXfer:exec-file:read+";
    return {Text};
  }
  if (Name == "qXfer" && Args.consume_front("threads:read::")) {
    // GDB asks so at every stop that it tells of, and at no other.
    tellStop();
    return {transfer(threadsXML(), Args)};
  }
  if (Name == "qXfer" && Args.consume_front("exec-file:read:") &&
      !Setup.Images.empty()) {
    // The process that GDB asks for comes first: there is but one.
    return {transfer(Setup.Images.front(), Args.split(':').second)};
  }
  if (Name == "qOffsets" && Setup.Program)
    return {"TextSeg=" + llvm::utohexstr(*Setup.Program, /*LowerCase=*/true)};
  if (Packet.consume_front("qRcmd,") && Setup.Monitor)
    return monitor(Packet);
  return RemoteServer::query(Packet);
}

RemoteServer::Reply GDBServer::monitor(StringRef Hex) {
  std::string Command;
  if (!llvm::tryGetFromHex(Hex, Command))
    return {"E03"};
  auto Print = [&](StringRef Text) {
    for (; !Text.empty();
         Text = Text.drop_front(std::min(MaxConsole, Text.size())))
      Setup.Send("O" + llvm::toHex(Text.take_front(MaxConsole),
                                   /*LowerCase=*/true));
  };
  tellStop();
  // GDB goes back to its thread after `thread apply all`, and does not say so.
  const ThreadIndex T = selectedByUser();
  if (ChosenAgain)
    Print("of thread " + std::to_string(idOf(T)) + ":\n");
  Setup.Monitor(Command, T, Print);
  return {"OK"};
}

std::string GDBServer::threadsXML() const {
  std::string Text = "<?xml version=\"1.0\"?><threads>";
  llvm::raw_string_ostream OS(Text);
  const auto &Threads = Engine.store().header().Threads;
  for (ThreadIndex T = 0; T < Engine.store().numThreads(); ++T) {
    OS << "<thread id=\"" << llvm::utohexstr(idOf(T), /*LowerCase=*/true)
       << '"';
    if (T < Threads.size() && !Threads[T].Name.empty()) {
      OS << " name=\"";
      llvm::printHTMLEscaped(Threads[T].Name, OS);
      OS << '"';
    }
    OS << "/>";
  }
  OS << "</threads>";
  return Text;
}

/// H with g: whose registers; with c: whom bs steps.
std::string GDBServer::selectThread(StringRef Args) {
  if (!Args.consume_front("c"))
    return RemoteServer::selectThread(Args);
  if (Args == "0" || Args == "-1") {
    Stepped.reset();
    return "OK";
  }
  auto T = threadOf(Args);
  if (!T)
    return "E02";
  Stepped = *T;
  return "OK";
}

std::string GDBServer::registerReply(ThreadIndex T, unsigned Number) {
  if (Number >= Registers.Registers.size())
    return "E01";
  const GDBRegister &R = Registers.Registers[Number];
  auto Bytes =
      R.Source ? registerBytes(T, *R.Source) : std::optional<RegisterBytes>();
  if (!Bytes)
    return std::string(2 * R.Bytes, 'x');
  Bytes->resize(R.Bytes); // eflags is 4 bytes to GDB
  return inTargetOrder(std::move(*Bytes));
}

std::string GDBServer::allRegisters() {
  std::string Text;
  for (unsigned N = 0; N < Registers.Registers.size(); ++N)
    Text += registerReply(Selected, N);
  return Text;
}

bool GDBServer::takeLate() {
  // Whoever resumes by hand takes longer, and has seen the stop.
  constexpr auto Fresh = std::chrono::seconds(1);
  const auto Since = std::exchange(Late, std::nullopt);
  return Since && std::chrono::steady_clock::now() - *Since < Fresh;
}

void GDBServer::resumes(bool Step) {
  if (!Resumed)
    Resumed = {.From = selectedByUser()};
  Resumed->Ran |= !Step;
  Resumed->StepsInARow |= Step && Resumed->LastWasStep;
  Resumed->LastWasStep = Step;
}

/// `continue` steps once, off a breakpoint, and runs. `next` steps more often,
/// and runs out of calls.
void GDBServer::tellStop() {
  auto Since = std::exchange(Resumed, std::nullopt);
  if (Since && Setup.Told)
    Setup.Told(Since->StepsInARow || !Since->Ran, Since->From);
}

llvm::Expected<ReplayStop> GDBServer::step(ThreadIndex T, bool Forward) {
  resumes(/*Step=*/true);
  if (takeLate()) {
    ReplayStop Stop(ReplayStop::Interrupted);
    Stop.Thread = T;
    return Stop;
  }
  auto Watched = Engine.watchedByStep(T, Forward);
  if (!Watched)
    return Watched.takeError();
  if (*Watched)
    if (llvm::Error E = chooseAddress(**Watched))
      return E;
  if (*Watched && TrapsBefore)
    return **Watched;
  auto Stop = RemoteServer::step(T, Forward);
  return Stop && *Watched ? **Watched : std::move(Stop);
}

llvm::Expected<ReplayStop> GDBServer::run(bool Forward,
                                          std::optional<ThreadIndex> Alone) {
  resumes(/*Step=*/false);
  if (takeLate()) {
    ReplayStop Stop(ReplayStop::Interrupted);
    Stop.Thread = Alone.value_or(Engine.here().Thread);
    return Stop;
  }
  auto Stop = RemoteServer::run(Forward, Alone);
  if (!Stop)
    return Stop;
  if (!Forward && Stop->What == ReplayStop::Breakpoint) {
    auto Watched = Engine.watchedByStep(Stop->Thread, /*Forward=*/true);
    if (!Watched)
      return Watched.takeError();
    if (*Watched)
      *Stop = std::move(**Watched);
  }
  if (llvm::Error E = chooseAddress(*Stop))
    return E;
  if (Stop->What == ReplayStop::Watchpoint && TrapsBefore) {
    Moment When = Engine.here().When;
    Engine.look({Forward ? When - 1 : When + 1, Stop->Thread});
  }
  return Stop;
}

/// Whether GDB stops when it is told that \p W was hit at \p Access: what
/// `watch` watches has to change.
llvm::Expected<bool> GDBServer::stopsGDB(const ReplayWatchpoint &W,
                                         Moment Access) const {
  auto Last = Engine.store().lastAccess(W.Addr, W.Size, W.Kind, Access + 1);
  if (!Last)
    return Last.takeError();
  if (*Last != std::optional(Access))
    return false;
  if (W.Kind != AccessKind::Write || W.Size > MaxCompared)
    return true;
  auto A = Memory.around(Access, W.Addr, W.Size);
  if (!A)
    return A.takeError();
  return A->Bytes[0] != A->Bytes[1] || A->Known[0] != A->Known[1];
}

/// The one to tell of, of the places that were accessed at once.
llvm::Error GDBServer::chooseAddress(ReplayStop &Stop) const {
  if (Stop.What != ReplayStop::Watchpoint || Watches.size() < 2)
    return llvm::Error::success();
  std::vector<const ReplayWatchpoint *> Stopping;
  for (const ReplayWatchpoint &W : Watches) {
    auto Stops = stopsGDB(W, Stop.Accessed);
    if (!Stops)
      return Stops.takeError();
    if (*Stops)
      Stopping.push_back(&W);
  }
  long Most = 0;
  for (const ReplayWatchpoint *W : Stopping) {
    const long Covering =
        llvm::count_if(Stopping, [&](const ReplayWatchpoint *Other) {
          return W->Addr - Other->Addr < Other->Size;
        });
    if (Covering <= Most)
      continue;
    Most = Covering;
    Stop.Addr = W->Addr;
    Stop.Access = W->Kind;
  }
  return llvm::Error::success();
}

std::string GDBServer::setStop(StringRef Packet) {
  StringRef Place = Packet.drop_front(std::min<size_t>(3, Packet.size()));
  uint64_t PC;
  const bool IsHardware = Packet.drop_front().starts_with("1,");
  std::string Answer = RemoteServer::setStop(Packet);
  if (!Engine.store().header().Can.MemAddresses && Packet.size() > 1 &&
      Packet[1] >= '2' && Packet[1] <= '4' && Setup.Warn &&
      !std::exchange(WarnedOfWatchpoints, true))
    Setup.Warn("no watchpoints: this kind of trace does not tell memory "
               "accesses");
  if (Answer != "OK" || !parseHex(Place, PC))
    return Answer;
  const bool IsSet = Packet.front() == 'Z';
  const char Kind = Packet[1];
  if (Kind >= '2') {
    ReplayWatchpoint W{PC, 0,
                       Kind == '2'   ? AccessKind::Write
                       : Kind == '3' ? AccessKind::Read
                                     : AccessKind::Any};
    if (!Place.consume_front(",") || !parseHex(Place, W.Size))
      return Answer;
    std::erase(Watches, W);
    if (IsSet)
      Watches.push_back(W);
    return Answer;
  }
  if (!IsHardware)
    return Answer;
  if (IsSet)
    Hardware.insert(PC);
  else if (auto It = Hardware.find(PC); It != Hardware.end())
    Hardware.erase(It);
  return Answer;
}

std::string GDBServer::stopReply(const ReplayStop &Stop) {
  std::string Text = llvm::formatv("T05thread:{0:x-};", idOf(Stop.Thread));
  switch (Stop.What) {
  case ReplayStop::Initial:
  case ReplayStop::Step:
  case ReplayStop::Landing:
    break;
  case ReplayStop::Breakpoint:
    Text += Hardware.count(Stop.Addr) ? "hwbreak:;" : "swbreak:;";
    break;
  case ReplayStop::Watchpoint:
    Text += llvm::formatv("{0}:{1:x-};", watchWord(Stop.Access), Stop.Addr);
    break;
  case ReplayStop::HistoryBegin:
    Text += "replaylog:begin;";
    break;
  case ReplayStop::HistoryEnd:
    // Each time: without, GDB's `step` goes on for ever.
    Text += "replaylog:end;";
    break;
  case ReplayStop::Interrupted:
    Text.replace(0, 3, "T02"); // SIGINT
    break;
  }
  return Text;
}
