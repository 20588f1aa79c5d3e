//===- KernelObject.h - Descriptors that are no files ----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_RECORDER_KERNELOBJECT_H
#define REWIND_RECORDER_KERNELOBJECT_H

#include "scripts/recorder/Program.h"
#include "llvm/ADT/StringRef.h"
#include <deque>
#include <list>
#include <memory>
#include <optional>

namespace rw::record {

struct OpenFile;

/// What poll(2) and epoll(7) tell of a descriptor.
constexpr uint32_t CanRead = 1, IsUrgent = 2, CanWrite = 4, HasFailed = 8,
                   HasHungUp = 0x10, IsNotOpen = 0x20, PeerClosed = 0x2000;

/// Who asks what is there, and when.
struct Asker {
  uint64_t Now = 0;      ///< nanoseconds of the recording's clock
  SignalSet Pending = 0; ///< signals that the asking thread could take
};

/// What is behind a descriptor that is no file: bytes or events that come and
/// go, for which threads wait.
class KernelObject {
public:
  enum class Kind { Stream, Counter, Timer, Signals, Interest };
  explicit KernelObject(Kind K) : K(K) {}
  virtual ~KernelObject();
  Kind kind() const { return K; }

  /// The events that are there now.
  virtual uint32_t ready(const Asker &A) const = 0;
  /// Another number whenever there is something new of what ready() tells.
  virtual uint64_t arrivals(const Asker &A) const = 0;
  /// When ready() changes without a call, at the earliest.
  virtual uint64_t nextChange(uint64_t Now) const;
  /// Takes up to \p Size bytes. -EAGAIN: there are none yet.
  virtual int64_t read(std::string &Bytes, uint64_t Size, uint64_t Now);
  /// How many bytes were taken. -EAGAIN: there is no room yet.
  virtual int64_t write(llvm::StringRef Bytes);

private:
  const Kind K;
};

/// Bytes, or packets, on their way.
struct Pipe {
  explicit Pipe(size_t Capacity) : Capacity(Capacity) {}
  std::string Bytes;
  size_t At = 0;              ///< of the first byte that nobody has taken
  std::deque<size_t> Packets; ///< their sizes, if they are kept apart
  size_t Capacity;
  unsigned Readers = 0, Writers = 0;
  uint64_t Written = 0, Taken = 0; ///< how often
  size_t size() const { return Bytes.size() - At; }
  size_t room() const { return Capacity - std::min(Capacity, size()); }
};

/// An end of a pipe, or one of two sockets that are connected.
class Stream : public KernelObject {
public:
  enum class Type { Pipe, Stream, Datagram, Packets };
  /// \p In: what it reads, \p Out: where it writes; null: it does not.
  Stream(Type T, std::shared_ptr<Pipe> In, std::shared_ptr<Pipe> Out);
  ~Stream() override;
  Type type() const { return T; }
  bool isSocket() const { return T != Type::Pipe; }
  bool keepsPackets() const {
    return T == Type::Datagram || T == Type::Packets;
  }
  Pipe *pipe() const { return In ? In.get() : Out.get(); }
  /// How many bytes could be read at once.
  size_t available() const;
  void shutDown(bool Reading, bool Writing);
  /// As read(), but what is read stays there.
  int64_t peek(std::string &Bytes, uint64_t Size) const;

  uint32_t ready(const Asker &A) const override;
  uint64_t arrivals(const Asker &A) const override;
  int64_t read(std::string &Bytes, uint64_t Size, uint64_t Now) override;
  int64_t write(llvm::StringRef Bytes) override;

private:
  const Type T;
  std::shared_ptr<Pipe> In, Out;
};

/// eventfd(2).
class Counter : public KernelObject {
public:
  Counter(uint64_t Value, bool OneByOne)
      : KernelObject(Kind::Counter), Value(Value), OneByOne(OneByOne) {}
  uint32_t ready(const Asker &A) const override;
  uint64_t arrivals(const Asker &A) const override;
  int64_t read(std::string &Bytes, uint64_t Size, uint64_t Now) override;
  int64_t write(llvm::StringRef Bytes) override;

private:
  uint64_t Value, Changes = 0;
  bool OneByOne;
};

/// timerfd_create(2).
class TimerFile : public KernelObject {
public:
  explicit TimerFile(bool IsRealTime)
      : KernelObject(Kind::Timer), IsRealTime(IsRealTime) {}
  const bool IsRealTime;
  uint64_t At = Thread::Never, Interval = 0;
  /// How often it has gone off, and nobody has read that.
  uint64_t expired(uint64_t Now) const;
  uint32_t ready(const Asker &A) const override;
  uint64_t arrivals(const Asker &A) const override;
  uint64_t nextChange(uint64_t Now) const override;
  int64_t read(std::string &Bytes, uint64_t Size, uint64_t Now) override;

private:
  uint64_t Read = 0;
};

/// signalfd(2). Its reader takes signals, which it does not have itself.
class SignalFile : public KernelObject {
public:
  explicit SignalFile(SignalSet Set) : KernelObject(Kind::Signals), Set(Set) {}
  SignalSet Set;
  uint64_t Sent = 0; ///< signals of the program so far
  uint32_t ready(const Asker &A) const override;
  uint64_t arrivals(const Asker &) const override { return Sent; }
};

/// epoll(7).
class Interest : public KernelObject {
public:
  Interest() : KernelObject(Kind::Interest) {}
  enum : uint32_t { EdgeTriggered = 1u << 31, OneShot = 1u << 30 };
  struct Item {
    int Fd = 0;
    std::weak_ptr<OpenFile> File;
    uint32_t Events = 0;
    uint64_t Data = 0;
    bool Disabled = false;                ///< a OneShot that has been told
    std::optional<uint64_t> ToldArrivals; ///< if EdgeTriggered
  };
  Item *find(int Fd, const std::shared_ptr<OpenFile> &F);
  void add(Item I) { Items.push_back(std::move(I)); }
  void remove(int Fd, const std::shared_ptr<OpenFile> &F);
  /// Whether it watches \p Other, or what it watches does. Deep ones do.
  bool leadsTo(const KernelObject *Other, unsigned Depth = 0) const;

  struct Told {
    uint32_t Events;
    uint64_t Data;
  };
  /// Up to \p Most, which go behind the others.
  std::vector<Told> take(const Asker &A, size_t Most);

  uint32_t ready(const Asker &A) const override;
  uint64_t arrivals(const Asker &A) const override;
  uint64_t nextChange(uint64_t Now) const override;

private:
  static uint32_t events(const Item &I, const Asker &A);
  std::list<Item> Items;
};

} // namespace rw::record

#endif // REWIND_RECORDER_KERNELOBJECT_H
