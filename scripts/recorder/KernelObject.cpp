//===- KernelObject.cpp - Descriptors that are no files -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/KernelObject.h"
#include "scripts/recorder/OpenFiles.h"
#include <algorithm>
#include <cerrno>
#include <cstring>

using namespace llvm;
using namespace rw::record;

KernelObject::~KernelObject() = default;
uint64_t KernelObject::nextChange(uint64_t) const { return Thread::Never; }
int64_t KernelObject::read(std::string &, uint64_t, uint64_t) {
  return -EINVAL;
}
int64_t KernelObject::write(StringRef) { return -EINVAL; }

static std::string bytesOf(uint64_t Value) {
  return std::string(reinterpret_cast<const char *>(&Value), sizeof Value);
}

//===----------------------------------------------------------------------===//
// Pipes and sockets
//===----------------------------------------------------------------------===//

/// What a pipe takes as a whole or not at all: PIPE_BUF.
static constexpr size_t Unbroken = 4096;

Stream::Stream(Type T, std::shared_ptr<Pipe> In, std::shared_ptr<Pipe> Out)
    : KernelObject(Kind::Stream), T(T), In(std::move(In)), Out(std::move(Out)) {
  if (this->In)
    ++this->In->Readers;
  if (this->Out)
    ++this->Out->Writers;
}

Stream::~Stream() { shutDown(true, true); }

void Stream::shutDown(bool Reading, bool Writing) {
  if (Reading && In) {
    --In->Readers;
    In = nullptr;
  }
  if (Writing && Out) {
    --Out->Writers;
    Out = nullptr;
  }
}

uint32_t Stream::ready(const Asker &) const {
  uint32_t E = 0;
  // A datagram socket does not know whether anybody will write.
  bool Ends = T != Type::Datagram;
  bool NoWriter = !In || (Ends && !In->Writers);
  bool NoReader = !Out || !Out->Readers;
  if (In && In->size())
    E |= CanRead;
  if (isSocket()) {
    if (NoWriter)
      E |= CanRead | PeerClosed;
    if (NoReader ||
        (keepsPackets() ? Out->room() > 0 : Out->room() >= Unbroken))
      E |= CanWrite;
    if (NoWriter && NoReader)
      E |= HasHungUp;
    return E;
  }
  if (In && NoWriter)
    E |= HasHungUp;
  if (Out && NoReader)
    E |= HasFailed;
  if (Out && Out->room() >= Unbroken)
    E |= CanWrite;
  return E;
}

uint64_t Stream::arrivals(const Asker &) const {
  // A closed end is news, too.
  return (In ? In->Written + (In->Writers == 0) : 0) +
         (Out ? Out->Taken + (Out->Readers == 0) : 0);
}

size_t Stream::available() const {
  // A pipe tells it at both ends.
  const rw::record::Pipe *P = isSocket() ? In.get() : pipe();
  return !P                   ? 0
         : !keepsPackets()    ? P->size()
         : P->Packets.empty() ? 0
                              : P->Packets.front();
}

int64_t Stream::peek(std::string &Bytes, uint64_t Size) const {
  if (!In)
    return isSocket() ? 0 : -EBADF;
  if (!In->size() && In->Packets.empty())
    return In->Writers || T == Type::Datagram ? -EAGAIN : 0;
  if (keepsPackets())
    Size = std::min<uint64_t>(Size, In->Packets.front());
  Bytes = In->Bytes.substr(In->At, Size);
  return Bytes.size();
}

int64_t Stream::read(std::string &Bytes, uint64_t Size, uint64_t) {
  int64_t Got = peek(Bytes, Size);
  if (Got < 0 || !In || (!Got && In->Packets.empty()))
    return Got;
  ++In->Taken;
  In->At += Got;
  if (keepsPackets()) { // the rest of a packet is lost
    In->At += In->Packets.front() - Got;
    In->Packets.pop_front();
  }
  if (In->At > In->Bytes.size() / 2) {
    In->Bytes.erase(0, In->At);
    In->At = 0;
  }
  return Got;
}

int64_t Stream::write(StringRef Bytes) {
  if (!Out || !Out->Readers)
    return !Out && !isSocket()          ? -EBADF
           : Out && T == Type::Datagram ? -ECONNREFUSED
                                        : -EPIPE;
  size_t Room = Out->room();
  if (keepsPackets() && Bytes.size() > Out->Capacity)
    return -EMSGSIZE;
  bool AsWhole = T == Type::Pipe && Bytes.size() <= Unbroken;
  if (AsWhole ? Room < Bytes.size() : !Room)
    return -EAGAIN;
  if (!keepsPackets())
    Bytes = Bytes.take_front(Room);
  Out->Bytes.append(Bytes.data(), Bytes.size());
  if (keepsPackets())
    Out->Packets.push_back(Bytes.size());
  ++Out->Written;
  return Bytes.size();
}

//===----------------------------------------------------------------------===//
// Counters, timers, signals
//===----------------------------------------------------------------------===//

uint32_t Counter::ready(const Asker &) const {
  constexpr uint64_t Most = ~0ull - 1;
  return (Value ? CanRead : 0) | (Value < Most ? CanWrite : 0);
}

uint64_t Counter::arrivals(const Asker &) const { return Changes; }

int64_t Counter::read(std::string &Bytes, uint64_t Size, uint64_t) {
  if (Size < sizeof Value)
    return -EINVAL;
  if (!Value)
    return -EAGAIN;
  uint64_t Taken = OneByOne ? 1 : Value;
  Value -= Taken;
  ++Changes;
  Bytes = bytesOf(Taken);
  return Bytes.size();
}

int64_t Counter::write(StringRef Bytes) {
  uint64_t More;
  if (Bytes.size() < sizeof More)
    return -EINVAL;
  memcpy(&More, Bytes.data(), sizeof More);
  if (More == ~0ull)
    return -EINVAL;
  if (Value + More < Value || Value + More == ~0ull)
    return -EAGAIN;
  Value += More;
  ++Changes;
  return sizeof More;
}

uint64_t TimerFile::expired(uint64_t Now) const {
  return Now < At ? 0 : Interval ? (Now - At) / Interval + 1 : 1;
}

uint32_t TimerFile::ready(const Asker &A) const {
  return expired(A.Now) ? CanRead : 0;
}

uint64_t TimerFile::arrivals(const Asker &A) const {
  return Read + expired(A.Now);
}

uint64_t TimerFile::nextChange(uint64_t Now) const {
  return At > Now ? At : Thread::Never;
}

int64_t TimerFile::read(std::string &Bytes, uint64_t Size, uint64_t Now) {
  uint64_t Times = expired(Now);
  if (Size < sizeof Times)
    return -EINVAL;
  if (!Times)
    return -EAGAIN;
  Read += Times;
  At = Interval ? At + Times * Interval : Thread::Never;
  Bytes = bytesOf(Times);
  return Bytes.size();
}

uint32_t SignalFile::ready(const Asker &A) const {
  return A.Pending & Set ? CanRead : 0;
}

//===----------------------------------------------------------------------===//
// What several descriptors are watched with
//===----------------------------------------------------------------------===//

Interest::Item *Interest::find(int Fd, const std::shared_ptr<OpenFile> &F) {
  auto It = llvm::find_if(
      Items, [&](const Item &I) { return I.Fd == Fd && I.File.lock() == F; });
  return It == Items.end() ? nullptr : &*It;
}

void Interest::remove(int Fd, const std::shared_ptr<OpenFile> &F) {
  Items.remove_if(
      [&](const Item &I) { return I.Fd == Fd && I.File.lock() == F; });
}

bool Interest::leadsTo(const KernelObject *Other, unsigned Depth) const {
  constexpr unsigned Deepest = 5;
  if (this == Other || Depth == Deepest)
    return true;
  return llvm::any_of(Items, [&](const Item &I) {
    auto F = I.File.lock();
    return F && F->Object && F->Object->kind() == Kind::Interest &&
           static_cast<const Interest &>(*F->Object).leadsTo(Other, Depth + 1);
  });
}

uint32_t Interest::events(const Item &I, const Asker &A) {
  auto F = I.File.lock();
  if (!F || I.Disabled)
    return 0;
  uint32_t E = readiness(*F, A) & (I.Events | HasFailed | HasHungUp);
  if (E && (I.Events & EdgeTriggered) && F->Object &&
      I.ToldArrivals == F->Object->arrivals(A))
    return 0;
  return E;
}

std::vector<Interest::Told> Interest::take(const Asker &A, size_t Most) {
  Items.remove_if([](const Item &I) { return I.File.expired(); });
  std::vector<Told> Out;
  std::list<Item> Behind;
  for (auto It = Items.begin(); It != Items.end() && Out.size() < Most;) {
    auto Here = It++;
    uint32_t E = events(*Here, A);
    if (!E)
      continue;
    Out.push_back({E, Here->Data});
    if (auto F = Here->File.lock(); F && F->Object)
      Here->ToldArrivals = F->Object->arrivals(A);
    Here->Disabled = Here->Events & OneShot;
    Behind.splice(Behind.end(), Items, Here);
  }
  Items.splice(Items.end(), Behind);
  return Out;
}

uint32_t Interest::ready(const Asker &A) const {
  return llvm::any_of(Items, [&](const Item &I) { return events(I, A) != 0; })
             ? CanRead
             : 0;
}

uint64_t Interest::arrivals(const Asker &A) const {
  uint64_t Sum = 0;
  for (const Item &I : Items)
    if (auto F = I.File.lock(); F && F->Object)
      Sum += F->Object->arrivals(A);
  return Sum;
}

uint64_t Interest::nextChange(uint64_t Now) const {
  uint64_t Next = Thread::Never;
  for (const Item &I : Items)
    if (auto F = I.File.lock(); F && F->Object)
      Next = std::min(Next, F->Object->nextChange(Now));
  return Next;
}
