//===- LinuxObjects.cpp - Pipes, sockets, and files of events -------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/CallNumbers.h"
#include "scripts/recorder/GuestFiles.h"
#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/socket.h>

using namespace llvm;
using namespace rw::record;

int64_t LinuxCalls::performObject(Call What) {
  switch (What) {
  case Call::PipeMake:
  case Call::PipeMakeOld: {
    constexpr size_t Capacity = 64 << 10;
    uint64_t Flags = What == Call::PipeMake ? arg(1) : 0;
    if (Flags & ~uint64_t(O_NONBLOCK | O_CLOEXEC))
      return -EINVAL;
    auto P = std::make_shared<Pipe>(Capacity);
    return addPair(std::make_shared<Stream>(Stream::Type::Pipe, P, nullptr),
                   std::make_shared<Stream>(Stream::Type::Pipe, nullptr, P),
                   Flags, arg(0));
  }
  case Call::SocketPair:
    return makeSockets();
  case Call::Socket:
    return refuse("socket (there is no network)", EAFNOSUPPORT);
  case Call::SocketNamed:
    return !Files.get(arg(0))                                     ? -EBADF
           : objectOf<Stream>(arg(0), KernelObject::Kind::Stream) ? -EOPNOTSUPP
                                                                  : -ENOTSOCK;
  case Call::ShutDown:
    return shutDown(arg(0), arg(1));
  case Call::Send:
  case Call::SendTo: {
    if (What == Call::SendTo && arg(4))
      return -EISCONN;
    std::string Bytes(std::min<uint64_t>(arg(2), 1 << 28), '\0');
    if (!G.readMemory(arg(1), Bytes.data(), Bytes.size()))
      return -EFAULT;
    return sendBytes(arg(0), Bytes, arg(3));
  }
  case Call::Receive:
  case Call::ReceiveFrom: {
    int64_t Got = receive(arg(0), arg(1), arg(2), arg(3));
    // The other end has no name.
    if (Got >= 0 && How != Served::Waits && What == Call::ReceiveFrom && arg(5))
      store(arg(5), StringRef("\0\0\0\0", 4));
    return Got;
  }
  case Call::SendMessage:
  case Call::ReceiveMessage:
    return message(What == Call::SendMessage);
  case Call::GetOption:
  case Call::SetOption:
    return socketOption(What == Call::SetOption);
  case Call::CounterMake:
  case Call::CounterMakeOld: {
    constexpr uint64_t OneByOne = 1;
    uint64_t Flags = What == Call::CounterMake ? arg(1) : 0;
    return addObject(
        std::make_shared<Counter>(uint32_t(arg(0)), Flags & OneByOne), Flags);
  }
  case Call::TimerFileMake:
    return addObject(std::make_shared<TimerFile>(/*IsRealTime=*/arg(0) == 0),
                     arg(1));
  case Call::TimerFileSet:
  case Call::TimerFileSetWide:
  case Call::TimerFileGet:
  case Call::TimerFileGetWide: {
    bool Wide = G.is64() || What == Call::TimerFileSetWide ||
                What == Call::TimerFileGetWide;
    if (What == Call::TimerFileSet || What == Call::TimerFileSetWide)
      return setTimerFile(arg(0), arg(2), arg(3), Wide);
    return setTimerFile(arg(0), 0, arg(1), Wide);
  }
  case Call::SignalFileMake:
    return signalFile(arg(3));
  case Call::SignalFileMakeOld:
    return signalFile(0);
  default:
    return -ENOSYS;
  }
}

int64_t LinuxCalls::addObject(std::shared_ptr<KernelObject> O, uint64_t Flags) {
  auto F = std::make_shared<OpenFile>();
  F->Is = OpenFile::Special;
  F->Flags = O_RDWR | (Flags & O_NONBLOCK);
  F->Object = std::move(O);
  int Fd = Files.add(std::move(F));
  if (Fd >= 0)
    Files.setClosesOnExec(Fd, Flags & O_CLOEXEC);
  return Fd;
}

int64_t LinuxCalls::addPair(std::shared_ptr<KernelObject> A,
                            std::shared_ptr<KernelObject> B, uint64_t Flags,
                            uint64_t To) {
  if (!Memory.isWritable(To, 8))
    return -EFAULT;
  bool IsPipe = !static_cast<Stream &>(*A).isSocket();
  int64_t First = addObject(std::move(A), Flags);
  int64_t Second = First < 0 ? First : addObject(std::move(B), Flags);
  if (Second < 0) {
    if (First >= 0)
      Files.close(First);
    return Second;
  }
  if (IsPipe) {
    auto SetMode = [&](int64_t Fd, uint64_t Mode) {
      auto F = Files.get(Fd);
      F->Flags = (F->Flags & ~uint64_t(AccessMode)) | Mode;
    };
    SetMode(First, O_RDONLY);
    SetMode(Second, O_WRONLY);
  }
  std::string Bytes(8, '\0');
  putField<int32_t>(Bytes, 0, First);
  putField<int32_t>(Bytes, 4, Second);
  return store(To, Bytes);
}

int64_t LinuxCalls::makeSockets() {
  constexpr size_t Capacity = 208 << 10;
  uint64_t Type = arg(1) & ~uint64_t(O_NONBLOCK | O_CLOEXEC);
  if (arg(0) != AF_UNIX)
    return refuse("socketpair that is not AF_UNIX", EAFNOSUPPORT);
  Stream::Type T = Type == SOCK_STREAM  ? Stream::Type::Stream
                   : Type == SOCK_DGRAM ? Stream::Type::Datagram
                                        : Stream::Type::Packets;
  if (T == Stream::Type::Packets && Type != SOCK_SEQPACKET)
    return -ESOCKTNOSUPPORT;
  auto There = std::make_shared<Pipe>(Capacity),
       Back = std::make_shared<Pipe>(Capacity);
  return addPair(std::make_shared<Stream>(T, There, Back),
                 std::make_shared<Stream>(T, Back, There), arg(1), arg(3));
}

int64_t LinuxCalls::shutDown(uint64_t Fd, uint64_t How) {
  auto *S = objectOf<Stream>(Fd, KernelObject::Kind::Stream);
  if (!S || !S->isSocket())
    return Files.get(Fd) ? -ENOTSOCK : -EBADF;
  if (How > SHUT_RDWR)
    return -EINVAL;
  S->shutDown(How != SHUT_WR, How != SHUT_RD);
  return 0;
}

int64_t LinuxCalls::sendBytes(uint64_t Fd, StringRef Bytes, uint64_t Flags) {
  auto *S = objectOf<Stream>(Fd, KernelObject::Kind::Stream);
  auto F = Files.get(Fd);
  if (!S || !S->isSocket())
    return F ? -ENOTSOCK : -EBADF;
  return writeObject(F, Bytes,
                     !(F->Flags & O_NONBLOCK) && !(Flags & MSG_DONTWAIT),
                     Flags & MSG_NOSIGNAL);
}

int64_t LinuxCalls::receive(uint64_t Fd, uint64_t To, uint64_t Size,
                            uint64_t Flags) {
  auto *S = objectOf<Stream>(Fd, KernelObject::Kind::Stream);
  auto F = Files.get(Fd);
  if (!S || !S->isSocket())
    return F ? -ENOTSOCK : -EBADF;
  if (Flags & MSG_OOB)
    return -EOPNOTSUPP;
  if (Size && !Memory.isWritable(To, 1))
    return -EFAULT;
  Size = std::min(Size, MaxTransfer);
  bool MayWait = !(F->Flags & O_NONBLOCK) && !(Flags & MSG_DONTWAIT);
  const Asker A = asker(*Current);
  // All of it, unless the other end has no more.
  if ((Flags & MSG_WAITALL) && MayWait && !S->keepsPackets() &&
      S->available() < Size && !(S->ready(A) & (PeerClosed | HasHungUp))) {
    Current->Restarts = Thread::IfWanted;
    waitForFile(F, CanRead | PeerClosed | HasHungUp);
    if (!IsRetry)
      Current->TriedArrivals = S->arrivals(A);
    return 0;
  }
  size_t Whole = S->available();
  std::string Bytes;
  int64_t Got = readObject(F, Bytes, Size, MayWait, Flags & MSG_PEEK);
  if (Got <= 0 || How == Served::Waits)
    return Got;
  if (int64_t E = store(To, Bytes))
    return E;
  return S->keepsPackets() && (Flags & MSG_TRUNC) ? int64_t(Whole) : Got;
}

/// sendmsg and recvmsg: struct msghdr.
int64_t LinuxCalls::message(bool IsSend) {
  unsigned Word = G.is64() ? 8 : 4;
  bool Ok = true;
  auto Field = [&](unsigned N) { return word(arg(1) + N * Word, Word, Ok); };
  // The name's length is an int, with a hole behind it.
  uint64_t Vector = Field(2), Count = Field(3), Control = Field(4),
           ControlSize = Field(5);
  if (!Ok)
    return -EFAULT;
  std::string Bytes;
  if (IsSend) {
    if (Control && ControlSize)
      return refuse("sendmsg of descriptors", EINVAL);
    int64_t E = gather(Vector, Count, Bytes);
    return E ? E : sendBytes(arg(0), Bytes, arg(2));
  }
  auto *S = objectOf<Stream>(arg(0), KernelObject::Kind::Stream);
  auto F = Files.get(arg(0));
  if (!S || !S->isSocket())
    return F ? -ENOTSOCK : -EBADF;
  uint64_t Size = 0;
  std::vector<std::pair<uint64_t, uint64_t>> Parts;
  if (Count > 1024)
    return -EMSGSIZE;
  for (uint64_t K = 0; K < Count; ++K) {
    uint64_t Base, Length;
    if (!partOf(Vector, K, Base, Length))
      return -EFAULT;
    Parts.push_back({Base, Length});
    Size = std::min(Size + Length, MaxTransfer);
  }
  size_t Whole = S->available();
  bool MayWait = !(F->Flags & O_NONBLOCK) && !(arg(2) & MSG_DONTWAIT);
  int64_t Got = readObject(F, Bytes, Size, MayWait, arg(2) & MSG_PEEK);
  if (Got < 0 || How == Served::Waits)
    return Got;
  StringRef Rest = Bytes;
  for (auto [Base, Length] : Parts) {
    StringRef Part = Rest.take_front(Length);
    if (!Part.empty() && store(Base, Part))
      return -EFAULT;
    Rest = Rest.drop_front(Part.size());
  }
  bool Lost = S->keepsPackets() && Whole > uint64_t(Got);
  std::string Flags(4, '\0');
  putField<uint32_t>(Flags, 0, Lost ? MSG_TRUNC : 0);
  // No name, no control data.
  const std::string Zero(Word, '\0');
  if (store(arg(1) + Word, StringRef(Zero).take_front(4)) ||
      store(arg(1) + 5 * Word, Zero) || store(arg(1) + 6 * Word, Flags))
    return -EFAULT;
  return Lost && (arg(2) & MSG_TRUNC) ? int64_t(Whole) : Got;
}

int64_t LinuxCalls::socketOption(bool IsSet) {
  auto *S = objectOf<Stream>(arg(0), KernelObject::Kind::Stream);
  if (!S || !S->isSocket())
    return Files.get(arg(0)) ? -ENOTSOCK : -EBADF;
  if (IsSet)
    return 0;
  constexpr uint64_t Level = 1; // SOL_SOCKET
  enum { Type = 3, Error, SendSize = 7, ReceiveSize, Protocol = 38, Domain };
  int32_t Value = 0;
  if (arg(1) != Level)
    return -EOPNOTSUPP;
  switch (arg(2)) {
  case Type:
    Value = S->type() == Stream::Type::Stream     ? SOCK_STREAM
            : S->type() == Stream::Type::Datagram ? SOCK_DGRAM
                                                  : SOCK_SEQPACKET;
    break;
  case Error:
  case Protocol:
    break;
  case SendSize:
  case ReceiveSize:
    Value = 208 << 10;
    break;
  case Domain:
    Value = AF_UNIX;
    break;
  default:
    return -ENOPROTOOPT;
  }
  bool Ok = true;
  if (word(arg(4), 4, Ok) < 4 || !Ok)
    return Ok ? -EINVAL : -EFAULT;
  std::string Bytes(4, '\0');
  putField(Bytes, 0, Value);
  int64_t E = store(arg(3), Bytes);
  putField<uint32_t>(Bytes, 0, 4);
  return E ? E : store(arg(4), Bytes);
}

int64_t LinuxCalls::setTimerFile(uint64_t Fd, uint64_t New, uint64_t Old,
                                 bool Wide) {
  constexpr uint64_t IsAbsolute = 1;
  auto *T = objectOf<TimerFile>(Fd, KernelObject::Kind::Timer);
  if (!T)
    return Files.get(Fd) ? -EINVAL : -EBADF;
  uint64_t Interval = 0, Time = 0;
  if (New)
    if (int64_t E = timerValues(New, Wide, Interval, Time))
      return E;
  if (Old) {
    // One that has gone off goes off next after its interval.
    uint64_t Next = T->At;
    if (uint64_t Times = T->expired(W.now()))
      Next = T->Interval ? T->At + Times * T->Interval : Thread::Never;
    if (int64_t E = putTimer(Old, Wide, Next, T->Interval))
      return E;
  }
  if (!New)
    return 0;
  T->Interval = Interval;
  T->At = timerStart(Time, arg(1) & IsAbsolute, T->IsRealTime);
  return 0;
}

int64_t LinuxCalls::signalFile(uint64_t Flags) {
  bool Ok = arg(2) == sizeof(SignalSet);
  if (!Ok)
    return -EINVAL;
  SignalSet Set = word(arg(1), 8, Ok);
  if (!Ok)
    return -EFAULT;
  int32_t Fd = int32_t(arg(0));
  if (Fd == -1)
    return addObject(std::make_shared<SignalFile>(Set), Flags);
  auto *F = objectOf<SignalFile>(uint32_t(Fd), KernelObject::Kind::Signals);
  if (!F)
    return Files.get(uint32_t(Fd)) ? -EINVAL : -EBADF;
  F->Set = Set;
  return Fd;
}

/// As struct signalfd_siginfo has them.
int64_t LinuxCalls::readSignals(SignalFile &F, std::string &Bytes,
                                uint64_t Size) {
  constexpr size_t One = 128;
  if (Size < One)
    return -EINVAL;
  while (Bytes.size() + One <= Size) {
    std::optional<SignalInfo> I = take(F.Set);
    if (!I)
      break;
    size_t At = Bytes.size();
    Bytes.resize(At + One);
    putField<uint32_t>(Bytes, At, I->Signal);
    putField<int32_t>(Bytes, At + 8, I->Code);
    putField<uint32_t>(Bytes, At + 12, I->Sender);
    putField<uint32_t>(Bytes, At + 16, I->Sender ? UserNumber : 0);
    putField<uint32_t>(Bytes, At + 24, I->Timer);
    putField<uint32_t>(Bytes, At + 32, I->Overrun);
    putField<uint32_t>(Bytes, At + 44, I->Value);
    putField<uint64_t>(Bytes, At + 48, I->Value);
    putField<uint64_t>(Bytes, At + 72, I->Address);
  }
  return Bytes.empty() ? -EAGAIN : int64_t(Bytes.size());
}

int64_t LinuxCalls::readObject(const std::shared_ptr<OpenFile> &F,
                               std::string &Bytes, uint64_t Size, bool MayWait,
                               bool Stays) {
  KernelObject &O = *F->Object;
  int64_t Got = O.kind() == KernelObject::Kind::Signals
                    ? readSignals(static_cast<SignalFile &>(O), Bytes, Size)
                : Stays ? static_cast<Stream &>(O).peek(Bytes, Size)
                        : O.read(Bytes, Size, W.now());
  if (Got != -EAGAIN || !MayWait)
    return Got;
  Current->Restarts = Thread::IfWanted;
  waitForFile(F, CanRead | HasFailed | HasHungUp);
  return 0;
}

/// \p IsQuiet: without SIGPIPE.
int64_t LinuxCalls::writeObject(const std::shared_ptr<OpenFile> &F,
                                StringRef Bytes, bool MayWait, bool IsQuiet) {
  constexpr unsigned BrokenPipe = 13;
  uint64_t &Done = Current->Done;
  if (Bytes.empty() && F->Object->kind() == KernelObject::Kind::Stream &&
      !static_cast<Stream &>(*F->Object).keepsPackets())
    return 0;
  while (true) {
    int64_t Now = F->Object->write(Bytes.drop_front(Done));
    if (Now == -EPIPE && !IsQuiet) {
      SignalInfo Info;
      Info.Sender = ProcessNumber;
      send(BrokenPipe, Current, Info);
    }
    if (Now == -EAGAIN && MayWait)
      break;
    if (Now < 0)
      return Done ? int64_t(Done) : Now;
    Done += Now;
    if (Done >= Bytes.size())
      return int64_t(Done);
  }
  Current->Restarts = Thread::IfWanted;
  waitForFile(F, CanWrite | HasFailed | HasHungUp);
  return 0;
}
