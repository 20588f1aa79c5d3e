//===- Services.h - What the recorder does for the program -------*- C++
//-*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_RECORDER_SERVICES_H
#define REWIND_RECORDER_SERVICES_H

#include "scripts/recorder/Guest.h"
#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rw::record {

/// The outside world of a program: the same in every run, so that a recording
/// is, too. It has an input, an output, and a clock that counts instructions.
struct World {
  std::string Input; ///< what is on the program's standard input
  size_t InputAt = 0;
  llvm::raw_ostream *Output = nullptr; ///< null: thrown away
  std::vector<std::string> Arguments;
  uint64_t Instructions = 0; ///< done so far; one takes a nanosecond
  const std::atomic<bool> *Stop = nullptr; ///< set by a signal

  /// Takes up to \p Size bytes of the input.
  llvm::StringRef take(size_t Size);
  void put(llvm::StringRef Bytes);

  static constexpr uint64_t Epoch = 1704067200; ///< 2024-01-01
  uint64_t seconds() const { return Epoch + Instructions / 1000000000; }
};

/// How the program ended.
struct Ending {
  int Status = 0;
  int Signal = 0; ///< 0: it ended itself
};

/// Linux system calls: those that a statically linked program without files or
/// threads makes.
class LinuxCalls {
public:
  /// \p Wrote is told of each range of memory that a call has written.
  using WriteHook = std::function<void(uint64_t Addr, llvm::StringRef Bytes)>;
  LinuxCalls(Guest &G, World &W, const Image &I, WriteHook Wrote);

  /// Makes the stack and what is on it, and the helper page of AArch32.
  llvm::Error setUp(const Image &I);
  /// Does the call that the registers ask for. A value: the program is over.
  std::optional<Ending> call();
  /// Calls that are not known, and how often each was made.
  const std::map<uint64_t, unsigned> &unsupported() const { return Unknown; }

private:
  static constexpr uint64_t StackSize = 8 << 20, UserNumber = 1000;
  enum class Call : uint8_t;
  struct Entry {
    uint32_t Number;
    Call What;
  };
  static llvm::ArrayRef<Entry> table(bool Is64);

  uint64_t arg(unsigned N) const;
  int64_t perform(Call What);
  int64_t writeFile(uint64_t Fd, uint64_t Addr, uint64_t Size);
  int64_t readFile(uint64_t Fd, uint64_t Addr, uint64_t Size);
  int64_t vectored(bool IsWrite);
  int64_t setBreak(uint64_t To);
  int64_t map(uint64_t Hint, uint64_t Size, uint32_t Prot, uint32_t Flags,
              uint64_t Fd);
  int64_t unmap(uint64_t Addr, uint64_t Size);
  int64_t remap(uint64_t Old, uint64_t OldSize, uint64_t NewSize,
                uint64_t Flags);
  int64_t status(uint64_t Fd, uint64_t To);
  int64_t statusExtended(uint64_t Fd, uint64_t To);
  int64_t time(uint64_t Clock, uint64_t To, bool Wide);
  int64_t systemName(uint64_t To);
  int64_t random(uint64_t To, uint64_t Size);
  int64_t limits(uint64_t Which, uint64_t To, bool Wide);
  int64_t end(int Status, int Signal);
  int64_t store(uint64_t To, llvm::StringRef Bytes);

  Guest &G;
  World &W;
  WriteHook Wrote;
  uint64_t Break = 0, BreakMapped = 0, BreakStart = 0, NextMap = 0;
  uint64_t RandomState = 0x5eed;
  std::optional<Ending> End;
  std::map<uint64_t, unsigned> Unknown;
};

/// Semihosting calls, as in Arm's "Semihosting for AArch32 and AArch64".
class SemihostingCalls {
public:
  /// \p Wrote: as for LinuxCalls.
  using WriteHook = LinuxCalls::WriteHook;
  SemihostingCalls(Guest &G, World &W, const Image &I, WriteHook Wrote)
      : G(G), W(W), Wrote(std::move(Wrote)), End(I.End) {}

  /// As LinuxCalls::call; \p HasResult: it has set the result register. What a
  /// call writes to memory is not logged: as in the traces of Arm's models, it
  /// shows when the program reads it.
  std::optional<Ending> call(bool &HasResult);
  const std::map<uint64_t, unsigned> &unsupported() const { return Unknown; }

private:
  uint64_t word(unsigned N) const; ///< of the parameter block
  void setWord(uint64_t Addr, unsigned N, uint64_t Value);
  std::optional<Ending> exit(bool Extended);
  int64_t open();
  int64_t commandLine();
  bool store(uint64_t To, llvm::StringRef Bytes);

  Guest &G;
  World &W;
  WriteHook Wrote;
  uint64_t End; ///< of the program in memory
  std::map<uint64_t, unsigned> Unknown;
};

} // namespace rw::record

#endif // REWIND_RECORDER_SERVICES_H
