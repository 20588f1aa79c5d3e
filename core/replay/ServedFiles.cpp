//===- ServedFiles.cpp - Files that a debugger may read -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/replay/ServedFiles.h"
#include "core/support/InputFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

using namespace rw;
using llvm::StringRef;

// Answers of the File-I/O protocol, in hex.
static constexpr StringRef NoSuchFile = "F-1,2", BadNumber = "F-1,9",
                           Refused = "F-1,d", Invalid = "F-1,16",
                           TooMany = "F-1,17";
static constexpr size_t MaxOpen = 16;
static constexpr uint64_t MaxFileRead = 0x8000;

std::string ServedFiles::answer(StringRef Packet) {
  auto [Operation, Args] = Packet.split(':');
  uint64_t Number;
  if (Operation == "setfs")
    return "F0";
  if (Operation == "open")
    return open(Args);
  if (Operation == "pread")
    return read(Args);
  if (Operation == "fstat")
    return status(Args);
  if (Operation == "close")
    return !Args.getAsInteger(16, Number) && Open.erase(Number)
               ? "F0"
               : BadNumber.str();
  if (Operation == "readlink")
    return Invalid.str(); // no link
  return "";
}

/// "path,flags,mode", all in hex.
std::string ServedFiles::open(StringRef Args) {
  auto [Hex, Rest] = Args.split(',');
  std::string Path;
  uint64_t Flags;
  if (!llvm::tryGetFromHex(Hex, Path) ||
      Rest.split(',').first.getAsInteger(16, Flags))
    return Invalid.str();
  if (!llvm::is_contained(Paths, Path))
    return NoSuchFile.str();
  if (Flags != 0) // O_RDONLY
    return Refused.str();
  if (Open.size() == MaxOpen)
    return TooMany.str();
  // Copied: others may change it meanwhile.
  auto File = readWholeFile(Path);
  if (!File) {
    llvm::consumeError(File.takeError());
    return NoSuchFile.str();
  }
  Open[Next] = std::move(*File);
  return "F" + llvm::utohexstr(Next++, /*LowerCase=*/true);
}

/// "number,count,offset".
std::string ServedFiles::read(StringRef Args) const {
  uint64_t Number, Count, Offset;
  if (Args.consumeInteger(16, Number) || !Args.consume_front(",") ||
      Args.consumeInteger(16, Count) || !Args.consume_front(",") ||
      Args.consumeInteger(16, Offset))
    return Invalid.str();
  auto It = Open.find(Number);
  if (It == Open.end())
    return BadNumber.str();
  StringRef Whole = It->second->getBuffer();
  StringRef Part = Whole.substr(std::min<uint64_t>(Offset, Whole.size()),
                                std::min(Count, MaxFileRead));
  return "F" + llvm::utohexstr(Part.size(), /*LowerCase=*/true) + ";" +
         Part.str();
}

/// The protocol's struct stat, in big endian.
std::string ServedFiles::status(StringRef Args) const {
  uint64_t Number;
  auto It = Args.getAsInteger(16, Number) ? Open.end() : Open.find(Number);
  if (It == Open.end())
    return BadNumber.str();
  char Stat[64] = {};
  llvm::support::endian::write32be(Stat + 8, 0100444); // a file, to be read
  llvm::support::endian::write32be(Stat + 12, 1);
  llvm::support::endian::write64be(Stat + 28, It->second->getBufferSize());
  return "F40;" + std::string(Stat, sizeof(Stat));
}
