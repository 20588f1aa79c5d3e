//===- ByteChannel.h - Bytes from and to another process --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_SUPPORT_BYTECHANNEL_H
#define REWIND_SUPPORT_BYTECHANNEL_H

#include "llvm/ADT/StringRef.h"
#include <functional>
#include <string>
#include <sys/types.h>

namespace rw {

/// A socket, or the ends of two pipes, that somebody else speaks at the other
/// end of. Blocking; one thread reads and one writes, any thread may shut a
/// socket down. No signal comes of an end that has gone, if it is a socket.
class ByteChannel {
public:
  /// Owns both, which may be one. \p Stop is asked some ten times a second
  /// while nothing comes: true is the end.
  ByteChannel(int In, int Out, std::function<bool()> Stop = nullptr)
      : In(In), Out(Out), Stop(std::move(Stop)) {}
  ~ByteChannel();
  ByteChannel(const ByteChannel &) = delete;
  ByteChannel &operator=(const ByteChannel &) = delete;

  /// The next byte, or -1 at the end.
  int read() {
    return Begin == End && fill(Forever) == 0 ? -1 : uint8_t(Buffer[Begin++]);
  }
  /// The next line, without its end; false at the end, or if it has more than
  /// \p Most bytes.
  bool readLine(std::string &Line, size_t Most);
  /// The next \p Size bytes; false if there are no more so many.
  bool readBytes(std::string &Bytes, size_t Size);

  enum class Next { Nothing, Byte, Ended };
  /// What is there without waiting; the byte is left for read().
  Next peek(char &C);

  bool write(llvm::StringRef Bytes);
  /// Nobody will read what is written.
  bool isUnheard() const;
  /// Makes the reading thread see the end.
  void shutdown();
  /// Nothing will be written any more.
  void finish();

private:
  enum Wait : int { Forever = -1, No = 0 };
  /// How much there is to be read; 0 at the end, negative (No only) if there is
  /// nothing.
  ssize_t fill(Wait W);

  const int In, Out;
  const std::function<bool()> Stop;
  char Buffer[1 << 14];
  size_t Begin = 0, End = 0;
};

} // namespace rw

#endif // REWIND_SUPPORT_BYTECHANNEL_H
