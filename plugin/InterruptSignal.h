//===- InterruptSignal.h - Ctrl-C as the process sees it --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_INTERRUPTSIGNAL_H
#define REWIND_PLUGIN_INTERRUPTSIGNAL_H

#include <chrono>
#include <optional>

namespace rw {

/// LLDB forgets a Ctrl-C that comes while it tests a condition, ends if another
/// one comes while it deals with one, and waits for itself if one comes while
/// it writes to the terminal. While the program that we are in handles SIGINT,
/// its handler is called through one of ours, which remembers when that was,
/// on a thread of its own, one signal at a time, and not at all if a recording
/// that runs takes the signal within 0.2 s.
void watchInterruptSignal();

/// When the last Ctrl-C came, if after \p When. For a recording that runs: if
/// so, it stops. To be asked as often as it can.
std::optional<std::chrono::steady_clock::time_point>
takeInterruptSince(std::chrono::steady_clock::time_point When);

/// A recording stands, and the user knows.
void recordingRests();

/// Ctrl-C is for other threads than the calling one.
void blockInterruptSignal();

} // namespace rw

#endif // REWIND_PLUGIN_INTERRUPTSIGNAL_H
