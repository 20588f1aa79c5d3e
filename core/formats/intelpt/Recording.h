//===- Recording.h - What a file says of an Intel PT trace ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Packets alone mean nothing: one needs the code that ran and to know who ran
// it. LLDB's bundles and perf.data files tell the same in different ways; both
// end up as a Recording, and everything behind it does not know which it was.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_INTELPT_RECORDING_H
#define REWIND_FORMATS_INTELPT_RECORDING_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <intel-pt.h>
#include <optional>
#include <string>
#include <vector>

namespace rw {
class FormatSettings;
}

namespace rw::intelpt {

/// The kernel's rule for turning TSC ticks into perf's nanoseconds.
struct TimeConversion {
  uint64_t Zero = 0;
  uint32_t Mult = 1;
  uint16_t Shift = 0; ///< below 64

  uint64_t nanoseconds(uint64_t Tsc) const {
    uint64_t Low = Tsc & ((uint64_t(1) << Shift) - 1);
    return Zero + (Tsc >> Shift) * Mult + ((Low * Mult) >> Shift);
  }
  /// The smallest TSC at least that late, give or take a tick.
  uint64_t ticks(uint64_t Nanoseconds) const;
};

/// Code that was mapped while the trace was recorded.
struct ModuleSpec {
  std::string Recorded; ///< where the file was
  std::string Path;     ///< where it is; with Places, where to look first
  /// Where else it may be: the first file of the recorded build is taken.
  std::vector<std::string> Places;
  std::string BuildId; ///< upper case hex digits; empty if not told
  uint64_t Pid = 0;
  uint64_t LoadAddress = 0; ///< of its lowest segment, or of Mapping
  /// One mapping of it (perf tells these); without it, all loadable segments
  /// are where LoadAddress puts them.
  struct Mapping {
    uint64_t Bytes = 0, FileOffset = 0;
  };
  std::optional<Mapping> Only;
  bool Kernel = false;
};

struct ThreadSpec {
  uint64_t Pid = 0, Tid = 0;
  std::string Name; ///< of the program, if known
};

/// From this time on, the CPU runs this thread.
struct ContextSwitch {
  uint64_t Tsc = 0;
  uint64_t Pid = 0, Tid = 0; ///< Tid 0: nobody that is known
};

/// The packets of one thread, or of all that ran on one CPU.
struct Buffer {
  std::string Name; ///< for messages: a path, "cpu 3"
  std::vector<uint8_t> Bytes;
  uint64_t FileOffset = 0; ///< of its first byte, where that means something
  std::optional<uint32_t> Cpu;
  uint64_t Tid = 0; ///< without Cpu; in a kernel trace the CPU's number + 1
  /// With Cpu: ascending in time. The first one counts from the beginning.
  std::vector<ContextSwitch> Switches;
};

struct Recording {
  std::string Path; ///< of the file that describes it
  pt_cpu Cpu = {};
  /// For MTC and CYC packets; 0 where not told.
  uint32_t TscCtcNumerator = 0, TscCtcDenominator = 0; ///< CPUID 15H: EBX, EAX
  uint8_t MtcFrequency = 0;
  uint8_t NominalFrequency = 0; ///< in units of the bus clock, 100 MHz
  /// How it is known: by Time, or by the packets (CycleClock.h).
  enum : uint8_t { Told, Implied, Measured } FrequencyFrom = Told;
  std::optional<TimeConversion> Time;
  std::vector<ModuleSpec> Modules;
  std::vector<ThreadSpec> Threads;
  std::vector<Buffer> Buffers;
  /// Context switches may tell of threads that Threads lacks; take those of
  /// these processes (all, if empty).
  std::vector<uint64_t> Processes;
  bool KernelOnly = false;
  std::vector<std::pair<std::string, std::string>> Notes;
};

/// Reads LLDB's trace.json and the files that it names. \p Path may be the
/// directory that it lies in.
llvm::Expected<Recording> readBundle(llvm::StringRef Path);

/// Reads what `perf record -e intel_pt//` wrote. \p Symfs: the folder that
/// modules are looked for in; empty: where they were.
llvm::Expected<Recording> readPerfData(llvm::StringRef Path,
                                       llvm::StringRef Symfs = "");
/// Reads it from memory; \p Path is for messages.
llvm::Expected<Recording> readPerfData(llvm::StringRef Path,
                                       llvm::ArrayRef<uint8_t> Bytes,
                                       llvm::StringRef Symfs = "");

/// No description of a trace is longer.
inline constexpr uint64_t MaxDescriptionBytes = 64 << 20;

/// Whether the file begins as perf writes it. False for what cannot be read.
bool isPerfData(llvm::StringRef Path);
/// The files whose code a perf.data file says was mapped, wherever they may be.
/// Reads the heads of its records, not the packets. Nothing if it cannot be
/// understood.
std::vector<std::string> perfModules(llvm::StringRef Path,
                                     llvm::StringRef Symfs);
/// See TraceFormat::Companions.
std::vector<std::string> companions(llvm::StringRef Path,
                                    const FormatSettings &Settings);

/// Upper case hex digits of a build id, whatever stands between them.
std::string normalBuildId(llvm::StringRef Text);

/// The processor's nominal frequency: the TSC counts at it, in all processors
/// that have Intel PT, but for what the crystal's multiples leave. 0: none that
/// a processor has.
uint8_t nominalRatio(const TimeConversion &Time);

} // namespace rw::intelpt

#endif // REWIND_FORMATS_INTELPT_RECORDING_H
