//===- TarMember.cpp - A trace inside a tar archive -----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/TarMember.h"
#include "llvm/ADT/StringExtras.h"
#include <vector>

using namespace llvm;

namespace rw {

namespace {
constexpr size_t BlockSize = 512;
/// Far enough for a member behind extended headers.
constexpr size_t HeadSize = 64 * 1024;
} // namespace

TarMember firstTarMember(ArrayRef<uint8_t> Head) {
  // POSIX.1-1988 ustar and GNU: magic at 257, type at 156, size at 124 in
  // octal, or in binary with the uppermost bit of its first byte set.
  for (uint64_t At = 0; At + BlockSize <= Head.size();) {
    StringRef Block(reinterpret_cast<const char *>(&Head[At]), BlockSize);
    if (Block.substr(257, 5) != "ustar")
      return {};
    uint64_t Size = 0;
    StringRef Field = Block.substr(124, 12);
    if (uint8_t(Field[0]) & 0x80) {
      for (char C : Field.drop_front(4))
        Size = Size << 8 | uint8_t(C);
    } else {
      Field = Field.take_until([](char C) { return C == 0; }).trim(' ');
      if (Field.getAsInteger(8, Size))
        return {};
    }
    char Type = Block[156];
    if ((Type == '0' || Type == 0 || Type == '7') && Size)
      return {At + BlockSize, Size};
    if (Size > Head.size())
      return {};
    At += BlockSize + (Size + BlockSize - 1) / BlockSize * BlockSize;
  }
  return {};
}

Expected<ByteSource> openBytes(std::unique_ptr<InputStream> Stream) {
  Expected<ArrayRef<uint8_t>> Head = Stream->peek(HeadSize);
  if (!Head)
    return Head.takeError();
  TarMember Member = firstTarMember(*Head);
  std::shared_ptr<InputStream> In = std::move(Stream);
  auto read = [In](uint8_t *Buffer, size_t Size) {
    return In->read(MutableArrayRef(reinterpret_cast<char *>(Buffer), Size));
  };
  if (!Member.Offset)
    return ByteSource(read);
  std::vector<uint8_t> Skipped(Member.Offset);
  Expected<size_t> Got = read(Skipped.data(), Skipped.size());
  if (!Got)
    return Got.takeError();
  uint64_t Left = Member.Size;
  return ByteSource([read, Left](uint8_t *Buffer,
                                 size_t Size) mutable -> Expected<size_t> {
    Expected<size_t> Got = read(Buffer, size_t(std::min<uint64_t>(Size, Left)));
    if (Got)
      Left -= *Got;
    return Got;
  });
}

} // namespace rw
