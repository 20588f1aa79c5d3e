//===- Services.h - What the recorder does for the program -----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_RECORDER_SERVICES_H
#define REWIND_RECORDER_SERVICES_H

#include "scripts/recorder/Guest.h"
#include "scripts/recorder/HostFolder.h"
#include "scripts/recorder/MadeFiles.h"
#include <algorithm>
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
  uint64_t Idle = 0;         ///< nanoseconds in which all threads slept
  uint64_t Turn = 10000;     ///< instructions until another thread's turn
  const HostFolder *Root = nullptr;        ///< the program's files; null: none
  MadeFiles *Made = nullptr;               ///< what it writes
  const std::atomic<bool> *Stop = nullptr; ///< set by a signal

  /// Takes up to \p Size bytes of the input.
  llvm::StringRef take(size_t Size);
  void put(llvm::StringRef Bytes);

  static constexpr uint64_t Epoch = 1704067200;        ///< 2024-01-01
  uint64_t now() const { return Instructions + Idle; } ///< nanoseconds
  /// When \p Nanoseconds from now are over. Far away is far enough.
  uint64_t after(uint64_t Nanoseconds) const {
    constexpr uint64_t Last = uint64_t(1) << 63;
    return std::max(now(), std::min(now() + std::min(Nanoseconds, Last), Last));
  }
  uint64_t seconds() const { return Epoch + now() / 1000000000; }
};

/// How the program ended.
struct Ending {
  int Status = 0;
  int Signal = 0; ///< 0: it ended itself
};

/// Semihosting calls, as in Arm's "Semihosting for AArch32 and AArch64".
class SemihostingCalls {
public:
  /// \p Wrote is told of each range of memory that a call has written.
  using WriteHook = std::function<void(uint64_t Addr, llvm::StringRef Bytes)>;
  SemihostingCalls(Guest &G, World &W, const Image &I, WriteHook Wrote)
      : G(G), W(W), Wrote(std::move(Wrote)), End(I.End) {}

  /// Does the call that the registers ask for. A value: the program is over.
  /// \p HasResult: it has set the result register. What a
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
