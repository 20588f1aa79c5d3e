//===- Semihosting.cpp - Calls to the debug host --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/Services.h"

using namespace llvm;
using namespace rw::record;

StringRef World::take(size_t Size) {
  StringRef Bytes = StringRef(Input).substr(InputAt, Size);
  InputAt += Bytes.size();
  return Bytes;
}

void World::put(StringRef Bytes) {
  if (Output)
    *Output << Bytes;
}

uint64_t SemihostingCalls::word(unsigned N) const {
  uint64_t Value = 0;
  unsigned Size = G.is64() ? 8 : 4;
  G.readMemory(G.read(X0 + 1).Lo + N * Size, &Value, Size);
  return Value;
}

void SemihostingCalls::setWord(uint64_t Addr, unsigned N, uint64_t Value) {
  unsigned Size = G.is64() ? 8 : 4;
  store(Addr + N * Size,
        StringRef(reinterpret_cast<const char *>(&Value), Size));
}

bool SemihostingCalls::store(uint64_t To, StringRef Bytes) {
  Wrote(To, Bytes);
  return G.writeMemory(To, Bytes.data(), Bytes.size());
}

std::optional<Ending> SemihostingCalls::exit(bool Extended) {
  // AArch32's SYS_EXIT has the reason itself where the others have a block.
  constexpr uint64_t ApplicationExit = 0x20026;
  bool Block = G.is64() || Extended;
  uint64_t Reason = Block ? word(0) : G.read(X0 + 1).Lo;
  if (Reason != ApplicationExit)
    return Ending{1, 0};
  return Ending{Block ? int(word(1)) : 0, 0};
}

/// The only file is the console, ":tt": read for input, or else for output.
int64_t SemihostingCalls::open() {
  std::string Name(std::min<uint64_t>(word(2), 4096), '\0');
  if (!G.readMemory(word(0), Name.data(), Name.size()) || Name != ":tt")
    return -1;
  return word(1) < 4 ? 1 : word(1) < 8 ? 2 : 3;
}

int64_t SemihostingCalls::commandLine() {
  std::string Line;
  for (const std::string &A : W.Arguments)
    Line += (Line.empty() ? "" : " ") + A;
  uint64_t Buffer = word(0), Room = word(1);
  if (Line.size() + 1 > Room)
    return -1;
  setWord(G.read(X0 + 1).Lo, 1, Line.size());
  return store(Buffer, StringRef(Line.c_str(), Line.size() + 1)) ? 0 : -1;
}

std::optional<Ending> SemihostingCalls::call(bool &HasResult) {
  uint64_t Operation = uint32_t(G.read(X0).Lo), Block = G.read(X0 + 1).Lo;
  int64_t Result = 0;
  switch (Operation) {
  case 0x01: // SYS_OPEN
    Result = open();
    break;
  case 0x02: // SYS_CLOSE
    break;
  case 0x03: { // SYS_WRITEC
    char C = 0;
    G.readMemory(Block, &C, 1);
    W.put(StringRef(&C, 1));
    return std::nullopt; // the register keeps its value
  }
  case 0x04: { // SYS_WRITE0
    char C = 0;
    for (uint64_t A = Block; G.readMemory(A, &C, 1) && C; ++A)
      W.put(StringRef(&C, 1));
    return std::nullopt;
  }
  case 0x05: { // SYS_WRITE: how many bytes were not written
    std::string Bytes(std::min<uint64_t>(word(2), 1 << 28), '\0');
    if (G.readMemory(word(1), Bytes.data(), Bytes.size()))
      W.put(Bytes);
    else
      Result = word(2);
    break;
  }
  case 0x06: { // SYS_READ: how many bytes were not read
    uint64_t Size = word(2);
    StringRef Bytes = W.take(Size);
    store(word(1), Bytes);
    Result = Size - Bytes.size();
    break;
  }
  case 0x07: { // SYS_READC
    StringRef Bytes = W.take(1);
    Result = Bytes.empty() ? -1 : uint8_t(Bytes[0]);
    break;
  }
  case 0x08: // SYS_ISERROR
    Result = int64_t(word(0)) < 0 ? -1 : 0;
    break;
  case 0x09: // SYS_ISTTY
    Result = 1;
    break;
  case 0x0a: // SYS_SEEK
  case 0x0c: // SYS_FLEN
    Result = -1;
    break;
  case 0x10: // SYS_CLOCK, in centiseconds
    Result = W.Instructions / 10000000;
    break;
  case 0x11: // SYS_TIME
    Result = W.seconds();
    break;
  case 0x13: // SYS_ERRNO
    break;
  case 0x15: // SYS_GET_CMDLINE
    Result = commandLine();
    break;
  case 0x16: { // SYS_HEAPINFO: heap base and limit, stack base and limit
    uint64_t To = word(0), Heap = Guest::pageUp(End);
    constexpr uint64_t Size = 1 << 24;
    setWord(To, 0, Heap);
    setWord(To, 1, Heap + Size);
    setWord(To, 2, Heap + 2 * Size);
    setWord(To, 3, Heap + Size);
    break;
  }
  case 0x18: // SYS_EXIT
    return exit(false);
  case 0x20: // SYS_EXIT_EXTENDED
    return exit(true);
  case 0x30: // SYS_ELAPSED
    if (G.is64()) {
      setWord(Block, 0, W.Instructions);
    } else {
      setWord(Block, 0, uint32_t(W.Instructions));
      setWord(Block, 1, W.Instructions >> 32);
    }
    break;
  case 0x31: // SYS_TICKFREQ
    Result = 1000000000;
    break;
  default:
    ++Unknown[Operation];
    Result = -1;
  }
  G.write(X0, G.is64() ? Result : uint32_t(Result));
  HasResult = true;
  return std::nullopt;
}
