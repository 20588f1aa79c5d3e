//===- GuestFiles.h - Numbers of Linux's calls for files -------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_RECORDER_GUESTFILES_H
#define REWIND_RECORDER_GUESTFILES_H

#include <cstdint>
#include <cstring>
#include <string>

namespace rw::record {

/// Arm's; the host's may be others (asm/fcntl.h).
enum GuestOpen : uint64_t {
  AccessMode = 3,
  CreateFile = 0100,
  MustBeNew = 0200,
  TruncateFile = 01000,
  FolderOnly = 040000,
  NoFollow = 0100000,
  PathOnly = 010000000,
  NamelessFile = 020000000 | FolderOnly
};
enum GuestAt : uint64_t { NoFollowAt = 0x100, EmptyPath = 0x1000 };
constexpr int64_t AtCurrent = -100;

template <class T> void putField(std::string &Bytes, size_t At, T Value) {
  memcpy(Bytes.data() + At, &Value, sizeof Value);
}

/// A descriptor in a register.
inline int64_t descriptorOf(uint64_t Argument) { return int32_t(Argument); }

} // namespace rw::record

#endif // REWIND_RECORDER_GUESTFILES_H
