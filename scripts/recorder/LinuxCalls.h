//===- LinuxCalls.h - A Linux kernel for one program -----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_RECORDER_LINUXCALLS_H
#define REWIND_RECORDER_LINUXCALLS_H

#include "core/support/NumberMap.h"
#include "scripts/recorder/AddressSpace.h"
#include "scripts/recorder/OpenFiles.h"
#include "scripts/recorder/Program.h"
#include "scripts/recorder/Services.h"
#include <map>

namespace rw::record {

/// Linux system calls: those that a statically linked program makes which
/// starts no other program and writes no files. Threads take turns: the
/// kernel's clock is the number of instructions, so everything that happens
/// does so at the same instruction in each recording.
class LinuxCalls {
public:
  /// \p Wrote is told of each range of memory that a call has written.
  using WriteHook = std::function<void(uint64_t Addr, llvm::StringRef Bytes)>;
  /// \p Forget is told of memory that has become another one: code may have
  /// changed.
  using ForgetHook = AddressSpace::RangeHook;
  /// Finds the pages of a range of which the trace has said something,
  /// ascending.
  using ShownHook =
      std::function<std::vector<uint64_t>(uint64_t Addr, uint64_t Size)>;
  /// Says where the current call is: "#17, pc 0x400734 in fork".
  using PlaceHook = std::function<std::string()>;
  LinuxCalls(Guest &G, World &W, const Image &I, WriteHook Wrote,
             ForgetHook Forget, ShownHook Shown, PlaceHook Place);

  /// Makes the stack and what is on it, and the pages of the kernel.
  llvm::Error setUp(const Image &I);

  enum class Served {
    Done,    ///< the result is in its register
    Jumps,   ///< registers and current().PC are new: the end of a handler
    Waits,   ///< current() waits. The call is done when it runs again
    Ends,    ///< current() is over
    Finished ///< the program is over; see ending()
  };
  /// Does the call that the registers ask for. \p Next: where the thread goes
  /// on, with Thumb bit.
  Served call(uint64_t Next);
  const Ending &ending() const { return *End; }

  Thread &current() { return *Current; }
  const Thread &current() const { return *Current; }
  bool hasThreads() const { return Threads.size() > 1; }
  const std::vector<std::unique_ptr<Thread>> &threads() const {
    return Threads;
  }
  /// The thread whose turn it is, which becomes current(), after time has
  /// passed if all sleep. Null: all wait for each other.
  Thread *next();
  /// Ends the wait of current() in a call, once its registers are back.
  void endWait();
  /// Whether the current thread, which is Ready, has to wait on in its call:
  /// another thread has taken the signal that would have ended it.
  bool waitsOn();
  /// How many instructions the recording has when the current turn is over.
  uint64_t turnEnd() const;
  /// Starts the clock of the current turn.
  void beginTurn();

  /// Whether a signal of current() is to be delivered now.
  bool hasSignal() const;
  struct Delivery {
    int Signal = 0;        ///< 0: nothing was to be done
    bool Fatal = false;    ///< the program is over; see ending()
    uint64_t ReturnTo = 0; ///< without Thumb bit
  };
  /// Delivers a signal to current(), which would go on at current().PC: makes
  /// the frame of its handler and sets the registers. \p IfThen: state of the
  /// If-Then block of Thumb that it is in.
  Delivery deliver(uint8_t IfThen);
  /// Makes a fault of the current instruction a signal. False if the program
  /// has no handler for it.
  bool fault(int Signal, int Code, uint64_t Addr);
  /// The If-Then state after a handler's end (Served::Jumps), or 0.
  uint8_t ifThen() const { return ReturnedIfThen; }
  AddressSpace &memory() { return Memory; }

  /// What was refused, and why, a line each.
  std::vector<std::string> refusals() const;
  /// Calls that are not known.
  std::vector<std::string> unsupported() const;
  /// "thread 1001 waits for the futex at 0x..." for each.
  std::string describeDeadlock() const;

private:
  static constexpr uint64_t StackSize = 8 << 20, UserNumber = 1000,
                            ProcessNumber = 1000;
  /// How much memory a call may write: the trace has it as effects of one
  /// instruction, of which there may not be too many.
  static constexpr uint64_t MaxTransfer = 256 << 10;
  static constexpr size_t MaxThreads = 250;
  enum class Call : uint8_t;
  Call callOf(uint64_t Number);

  uint64_t arg(unsigned N) const;
  /// A path that the program has at \p Addr; false with \p Error set.
  bool text(uint64_t Addr, std::string &Out, int64_t &Error) const;
  /// A struct timespec in nanoseconds; negative is an errno. \p Unit: of its
  /// fraction.
  int64_t duration(uint64_t Addr, bool Wide, unsigned Unit = 1) const;
  uint64_t word(uint64_t Addr, unsigned Size, bool &Ok) const;
  int64_t store(uint64_t To, llvm::StringRef Bytes);
  int64_t dispatch(uint64_t Number);
  int64_t perform(Call What);
  int64_t refuse(const std::string &What, int Error);

  // LinuxFiles.cpp
  int64_t performFile(Call What);
  int64_t openFile(int64_t Folder, uint64_t Path, uint64_t Flags,
                   uint64_t Mode);
  int64_t openMade(const MadeFiles::Found &At, uint64_t Flags);
  int64_t openHost(MadeFiles::Found At, const std::string &Name,
                   uint64_t Flags);
  int64_t addHeld(const std::string &Path, std::shared_ptr<FileContents> Held,
                  uint64_t Flags);
  int64_t notFound(const std::string &Name, int64_t Error);
  int64_t findPlace(int64_t Folder, uint64_t Path, bool Follow, bool MayBeEmpty,
                    HostFolder::Place &Out, std::shared_ptr<OpenFile> &File);
  int64_t absolute(int64_t Folder, uint64_t Path, std::string &Out);
  int64_t writeFile(uint64_t Fd, uint64_t Addr, uint64_t Size,
                    std::optional<uint64_t> At = std::nullopt);
  int64_t writeBytes(uint64_t Fd, llvm::StringRef Bytes,
                     std::optional<uint64_t> At = std::nullopt);
  int64_t writeMemoryFile(OpenFile &F, llvm::StringRef Bytes,
                          std::optional<uint64_t> At);
  int64_t addMemoryFile(llvm::StringRef Path, uint64_t Flags);
  int64_t truncate(uint64_t Fd, uint64_t Size);
  int64_t resize(FileContents &Of, uint64_t Size);
  int64_t readFile(uint64_t Fd, uint64_t Addr, uint64_t Size,
                   std::optional<uint64_t> At, bool MayWait = true);
  int64_t readVector(uint64_t Fd, uint64_t Vector, uint64_t Count);
  bool partOf(uint64_t Vector, uint64_t K, uint64_t &Base,
              uint64_t &Length) const;
  /// The bytes that a vector of a write has.
  int64_t gather(uint64_t Vector, uint64_t Count, std::string &Out) const;
  int64_t seek(uint64_t Fd, int64_t Offset, unsigned Whence);
  int64_t seekWide();
  int64_t status(int64_t Folder, uint64_t Path, uint64_t To, uint64_t Flags);
  int64_t statusOfOpen(uint64_t Fd, uint64_t To);
  int64_t statusExtended();
  int64_t putStatus(const struct stat &S, uint64_t To);
  int64_t access(int64_t Folder, uint64_t Path, uint64_t Mode);
  int64_t readLink(int64_t Folder, uint64_t Path, uint64_t To, uint64_t Size);
  int64_t listFolder(uint64_t Fd, uint64_t To, uint64_t Size);
  int64_t currentFolder(uint64_t To, uint64_t Size);
  int64_t changeFolder(int64_t Folder, uint64_t Path);

  // LinuxChanges.cpp
  int64_t changeFile(Call What);
  int64_t writable(const std::string &Name, bool Follow, MadeFiles::Found &At);
  int64_t makeFolder(int64_t Folder, uint64_t Path, uint64_t Mode);
  int64_t remove(int64_t Folder, uint64_t Path, bool IsFolder);
  int64_t rename(int64_t FromFolder, uint64_t From, int64_t ToFolder,
                 uint64_t To);
  int64_t truncateNamed(uint64_t Path, uint64_t Size);
  int64_t setAttributes(int64_t Folder, uint64_t Path);

  // LinuxFiles.cpp
  int64_t fileControl(uint64_t Fd, uint64_t Command, uint64_t Argument);
  int64_t ioctl(uint64_t Fd, uint64_t Request, uint64_t To);

  // LinuxPoll.cpp
  int64_t performPoll(Call What);
  int64_t poll(uint64_t Until);
  int64_t select(uint64_t Until);
  int64_t pollInterest(uint64_t Until);
  int64_t changeInterest();
  int64_t setMaskOfWait(uint64_t At, uint64_t Size);
  Asker asker(const Thread &T) const;
  void waitForFile(std::shared_ptr<OpenFile> F, uint32_t Events,
                   uint64_t Until = Thread::Never);
  bool tryAgain();
  void wakeFileWaiters();
  uint64_t nextTime() const;
  void tellRemainder(uint64_t Until);

  // LinuxObjects.cpp
  int64_t performObject(Call What);
  int64_t addObject(std::shared_ptr<KernelObject> O, uint64_t Flags);
  int64_t addPair(std::shared_ptr<KernelObject> A,
                  std::shared_ptr<KernelObject> B, uint64_t Flags, uint64_t To);
  int64_t makeSockets();
  /// Null if the descriptor is none of them.
  template <class T> T *objectOf(uint64_t Fd, KernelObject::Kind K) const {
    auto F = Files.get(Fd);
    return F && F->Object && F->Object->kind() == K
               ? static_cast<T *>(F->Object.get())
               : nullptr;
  }
  int64_t shutDown(uint64_t Fd, uint64_t How);
  int64_t receive(uint64_t Fd, uint64_t To, uint64_t Size, uint64_t Flags);
  int64_t sendBytes(uint64_t Fd, llvm::StringRef Bytes, uint64_t Flags);
  int64_t message(bool IsSend);
  int64_t socketOption(bool IsSet);
  int64_t setTimerFile(uint64_t Fd, uint64_t New, uint64_t Old, bool Wide);
  int64_t signalFile(uint64_t Flags);
  int64_t readSignals(SignalFile &F, std::string &Bytes, uint64_t Size);
  int64_t writeObject(const std::shared_ptr<OpenFile> &F, llvm::StringRef Bytes,
                      bool MayWait, bool IsQuiet);
  int64_t readObject(const std::shared_ptr<OpenFile> &F, std::string &Bytes,
                     uint64_t Size, bool MayWait, bool Stays = false);

  // LinuxMemory.cpp
  int64_t setBreak(uint64_t To);
  int64_t map(uint64_t Hint, uint64_t Size, uint32_t Prot, uint32_t Flags,
              uint64_t Fd, uint64_t Offset);
  int64_t unmap(uint64_t Addr, uint64_t Size);
  int64_t remap(uint64_t Old, uint64_t OldSize, uint64_t NewSize,
                uint64_t Flags, uint64_t NewAddr);
  /// What a call answers that found no room for memory; told if that is because
  /// there are too many regions.
  int64_t noRoom();
  int64_t protect(uint64_t Addr, uint64_t Size, uint32_t Prot);
  void replaced(uint64_t Addr, uint64_t Size);
  void tellReplaced();
  int64_t advise(uint64_t Addr, uint64_t Size, uint64_t Advice);

  // LinuxThreads.cpp
  int64_t performThread(Call What);
  int64_t clone();
  void endThread();
  int64_t scheduling(Call What);
  int64_t processControl();
  Thread *find(uint64_t Id); ///< that has not ended

  // LinuxFutex.cpp
  int64_t futex(bool Wide);
  int64_t futexWait(uint64_t Addr, uint32_t Value, uint64_t Until,
                    uint32_t Bits);
  int64_t futexWake(uint64_t Addr, uint64_t Count, uint32_t Bits);
  int64_t futexRequeue(uint64_t From, uint64_t Wake, uint64_t Move,
                       uint64_t To);
  int64_t futexWakeOp();
  int64_t futexLock(uint64_t Addr, uint64_t Until, bool MayWait);
  int64_t futexUnlock(uint64_t Addr);
  bool handOver(uint64_t Addr, unsigned Owner, uint32_t Bits);
  void releaseOwned();
  void releaseRobust(uint64_t Entry, uint64_t Offset, bool IsPending);
  int64_t sleep(uint64_t Until, uint64_t Remainder, bool Wide);
  int64_t clockSleep(bool Wide);
  void wait(uint64_t Until, int64_t TimeoutResult);
  void wake(Thread &T, int64_t Result);

  // LinuxSignals.cpp
  int64_t performSignal(Call What);
  int64_t setAction();
  int64_t setMask();
  int64_t setAltStack();
  int64_t suspend();
  int64_t awaitSignal(bool Wide);
  int64_t send(unsigned Signal, Thread *To, SignalInfo Info);
  bool isIgnored(unsigned Signal) const;
  bool interrupts(const Thread &T, unsigned Signal) const;
  std::optional<SignalInfo> take(SignalSet From);
  void forgetPending(unsigned S);
  void dropIgnored();
  void replaceMask(SignalSet S);
  void restoreMask();

  // LinuxTimers.cpp
  int64_t setTimer(bool IsSet);
  int64_t performTimer(Call What);
  int64_t makeTimer();
  void noteTimer(SignalInfo &I);
  void checkTimer();
  /// A struct itimerspec; a negative errno.
  int64_t timerValues(uint64_t Addr, bool Wide, uint64_t &Interval,
                      uint64_t &Time) const;
  /// Where a timer of such values goes off first.
  uint64_t timerStart(uint64_t Time, bool IsAbsolute, bool IsRealTime) const;
  int64_t putTimer(uint64_t To, bool Wide, uint64_t At, uint64_t Interval);

  // SignalFrame.cpp
  bool pushFrame(const SignalInfo &Info, const SignalAction &A, uint8_t IfThen);
  bool popFrame(bool HasInfo);
  std::string signalInfo(const SignalInfo &Info) const;

  // LinuxClock.cpp
  int64_t time(uint64_t Clock, uint64_t To, bool Wide);
  int64_t usage(uint64_t To);
  int64_t times(uint64_t To);
  int64_t systemName(uint64_t To);
  int64_t systemInfo(uint64_t To);
  int64_t random(uint64_t To, uint64_t Size);
  int64_t limits(uint64_t Which, uint64_t To, bool Wide);
  int64_t end(int Status, int Signal);

  Guest &G;
  World &W;
  WriteHook Wrote;
  ForgetHook Forget;
  ShownHook Shown;
  PlaceHook Place;
  AddressSpace Memory;
  OpenFiles Files;
  std::string ProgramPath;
  uint64_t Break = 0, BreakMapped = 0, BreakStart = 0;
  std::vector<std::unique_ptr<Thread>> Threads;
  Thread *Current = nullptr;
  unsigned NextId = ProcessNumber;
  uint64_t WaitCount = 0, TurnEnd = Thread::Never;
  std::array<SignalAction, 65> Actions;
  std::vector<SignalInfo> Pending;    ///< for any thread
  std::vector<SignalTimer> Timers{3}; ///< the first are setitimer's
  uint64_t Trampoline = 0; ///< the kernel's code that a handler returns to
  uint64_t ResumePC = 0;   ///< behind the current call
  uint8_t ReturnedIfThen = 0;
  uint64_t RandomState = 0x5eed;
  /// What the current call has replaced, by address and size.
  std::vector<std::pair<uint64_t, uint64_t>> Replaced;
  bool IsRetry = false; ///< the current call has waited, and tries again
  uint64_t SignalsSent = 0;
  Served How = Served::Done;
  std::optional<Ending> End;
  NumberMap<Call> Known; ///< by number
  /// What the program did not get, how often, and where first.
  struct Missed {
    unsigned Count = 0;
    std::string Place;
  };
  void note(Missed &M);
  static std::string describe(const std::string &What, const Missed &M);
  std::map<uint64_t, Missed> Unknown;
  std::map<std::string, Missed> Refused;
};

} // namespace rw::record

#endif // REWIND_RECORDER_LINUXCALLS_H
