//===- RemoteServer.cpp - A replay behind the gdb-remote protocol ---------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/replay/RemoteServer.h"
#include "core/expr/StoreInput.h"
#include "core/replay/PacketChannel.h"
#include "core/replay/TargetDescription.h"
#include "core/store/TraceStore.h"
#include "core/support/Guarded.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace rw;
using llvm::StringRef;

static constexpr uint64_t MaxRead = 0x20000;

RemoteServer::~RemoteServer() = default;

bool RemoteServer::parseHex(StringRef &Text, uint64_t &Value) {
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

RemoteServer::Reply RemoteServer::handle(StringRef Packet) {
  if (Packet.empty())
    return {};
  if (!StringRef("Zzcsv").contains(Packet.front()))
    Engine.stopIsLookedAt();
  switch (Packet.front()) {
  case '?':
    return {stopReply(Engine.lastStop())};
  case 'q':
  case 'Q':
    return query(Packet);
  case 'H':
    return {selectThread(Packet.drop_front())};
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
    return moved(run(/*Forward=*/true));
  case 's':
    return moved(step(Selected, /*Forward=*/true));
  case 'b':
    if (Packet == "bc")
      return moved(run(/*Forward=*/false));
    if (Packet == "bs")
      return moved(step(stepsBack(), /*Forward=*/false));
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
    return {refuseWrite()};
  case 'D':
    return {"OK", true};
  case 'k':
    return {"X09", true};
  default:
    return {};
  }
}

std::string RemoteServer::selectThread(StringRef Args) {
  auto T = threadOf(Args.drop_front(std::min<size_t>(1, Args.size())));
  if (!T)
    return "E02";
  Selected = *T;
  return "OK";
}

/// What both dialects ask.
RemoteServer::Reply RemoteServer::query(StringRef Packet) {
  auto [Name, Args] = Packet.split(':');
  if (Name == "QStartNoAckMode")
    return {"OK", false, true};
  if (Name == "qfThreadInfo")
    return {"m" + threadList()};
  if (Name == "qsThreadInfo")
    return {"l"};
  if (Name == "qC")
    return {llvm::formatv("QC{0:x-}", idOf(Engine.here().Thread)).str()};
  if (Name == "qAttached")
    return {"1"};
  if (Name == "qXfer" && Args.consume_front("features:read:target.xml:")) {
    if (XML.empty())
      XML = describeTarget();
    return {transfer(XML, Args)};
  }
  return {};
}

/// The part of \p Whole that \p Args, "offset,length", asks for.
std::string RemoteServer::transfer(StringRef Whole, StringRef Args) {
  uint64_t Offset, Length;
  if (!parseHex(Args, Offset) || !Args.consume_front(",") ||
      !parseHex(Args, Length))
    return "E03";
  if (Offset >= Whole.size())
    return "l";
  StringRef Part = Whole.substr(Offset, Length);
  return (Offset + Part.size() < Whole.size() ? "m" : "l") + Part.str();
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

/// Register \p Number as the register file and TracePartNames count them, in
/// little endian.
std::optional<RemoteServer::RegisterBytes>
RemoteServer::registerBytes(ThreadIndex T, unsigned Number) {
  auto Regs = Engine.store().registerFile().registers();
  const TraceHeader &H = Engine.store().header();
  RegisterBytes Bytes;
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
  return Bytes;
}

std::string RemoteServer::inTargetOrder(RegisterBytes Bytes) const {
  if (isBigEndian(Engine.store().header()))
    std::reverse(Bytes.begin(), Bytes.end());
  return llvm::toHex(Bytes, /*LowerCase=*/true);
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
  return registerReply(*T, unsigned(Number));
}

std::string RemoteServer::readMemory(StringRef Args) {
  uint64_t Addr, Size;
  if (!parseHex(Args, Addr) || !Args.consume_front(",") ||
      !parseHex(Args, Size))
    return "E03";
  Size = std::min(Size, MaxRead / 2);
  if (Size && Addr + (Size - 1) < Addr)
    Size = 0 - Addr;
  std::vector<uint8_t> Bytes(Size), Known(Size);
  if (llvm::Error E = Memory.read(Engine.here().When, Addr, Bytes, Known))
    return refusal(llvm::toString(std::move(E)));
  size_t N = size_t(llvm::find(Known, 0) - Known.begin());
  if (N == 0 && Size != 0)
    return refusal("the trace does not tell this memory here");
  return llvm::toHex(llvm::ArrayRef(Bytes).take_front(N), /*LowerCase=*/true);
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
  if (std::string Why = whyNotWatched(Size); Set && !Why.empty())
    return refusal(Why);
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
    if (!StringRef("cCsS").contains(What.front()))
      return {"E03"};
    const bool Step = What.front() == 's' || What.front() == 'S';
    if (!Step && (!One || Id.empty() || Id == "-1"))
      continue;
    auto T = threadOf(Id);
    if (!T)
      return {"E02"};
    if (Step)
      return moved(step(*T, /*Forward=*/true));
    Alone = *T;
  }
  return moved(run(/*Forward=*/true, Alone));
}

llvm::Expected<ReplayStop> RemoteServer::step(ThreadIndex T, bool Forward) {
  return Forward ? Engine.stepForward(T) : Engine.stepBackward(T);
}

llvm::Expected<ReplayStop> RemoteServer::run(bool Forward,
                                             std::optional<ThreadIndex> Alone) {
  return Forward ? Engine.runForward(Alone) : Engine.runBackward();
}

RemoteServer::Reply RemoteServer::moved(llvm::Expected<ReplayStop> Stop) {
  if (!Stop)
    return {refusal(llvm::toString(Stop.takeError()))};
  Selected = Stop->Thread;
  return {stopReply(*Stop)};
}

StringRef RemoteServer::watchWord(AccessKind Kind) {
  switch (Kind) {
  case AccessKind::Write:
    return "watch";
  case AccessKind::Read:
    return "rwatch";
  case AccessKind::Any:
    break;
  }
  return "awatch";
}

bool rw::servePackets(PacketChannel &Channel, RemoteServer &Server,
                      llvm::function_ref<void(llvm::Error)> Problem,
                      llvm::function_ref<void()> Answered) {
  std::string Packet;
  for (;;) {
    switch (Channel.receive(Packet)) {
    case PacketChannel::Event::Closed:
      return false;
    case PacketChannel::Event::Interrupt:
      Server.interruptedLate();
      break;
    case PacketChannel::Event::Packet: {
      RemoteServer::Reply R{"E0c"}; // no memory
      if (llvm::Error E = guarded([&] {
            R = Server.handle(Packet);
            return llvm::Error::success();
          }))
        Problem(std::move(E));
      if (Answered)
        Answered();
      if (!Channel.send(R.Text))
        return false;
      if (R.Finished)
        return true;
      if (R.StopAcks)
        Channel.stopAcknowledging();
      break;
    }
    }
  }
}
