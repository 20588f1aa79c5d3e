//===- ProtoReader.h - Protocol buffers by hand -----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_EXPORT_PROTOREADER_H
#define REWIND_EXPORT_PROTOREADER_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace rw {

/// The fields of a message, front to back. The bytes must stay.
class ProtoReader {
public:
  explicit ProtoReader(llvm::StringRef Message) : Rest(Message) {}

  unsigned Field = 0;
  uint64_t Value = 0;    ///< of a number
  llvm::StringRef Bytes; ///< of a string, a message, packed numbers
  bool IsBytes = false;

  /// Moves to the next field; false at the end, or where it is malformed.
  bool next() {
    if (Rest.empty())
      return false;
    uint64_t Tag, Size;
    if (!varint(Rest, Tag))
      return fail();
    Field = unsigned(Tag >> 3);
    IsBytes = false;
    switch (Tag & 7) {
    case 0:
      return varint(Rest, Value) || fail();
    case 1:
      return fixed(8) || fail();
    case 2:
      if (!varint(Rest, Size) || Size > Rest.size())
        return fail();
      Bytes = Rest.take_front(Size);
      Rest = Rest.drop_front(Size);
      return IsBytes = true;
    case 5:
      return fixed(4) || fail();
    }
    return fail();
  }
  bool malformed() const { return Malformed; }

  /// Calls \p F with the numbers of a repeated field, packed or one of them;
  /// false if it is malformed.
  template <typename Function> bool numbers(Function F) const {
    if (!IsBytes) {
      F(Value);
      return true;
    }
    uint64_t V;
    for (llvm::StringRef Packed = Bytes; !Packed.empty(); F(V))
      if (!varint(Packed, V))
        return false;
    return true;
  }

private:
  static bool varint(llvm::StringRef &From, uint64_t &V) {
    V = 0;
    for (unsigned I = 0; I < From.size() && I < 10; ++I) {
      V |= uint64_t(From[I] & 0x7f) << (7 * I);
      if (!(From[I] & 0x80)) {
        From = From.drop_front(I + 1);
        return true;
      }
    }
    return false;
  }
  bool fixed(size_t Size) {
    if (Rest.size() < Size)
      return false;
    Value = 0;
    for (size_t I = 0; I < Size; ++I)
      Value |= uint64_t(uint8_t(Rest[I])) << (8 * I);
    Rest = Rest.drop_front(Size);
    return true;
  }
  bool fail() {
    Malformed = true;
    Rest = {};
    return false;
  }

  llvm::StringRef Rest;
  bool Malformed = false;
};

} // namespace rw

#endif // REWIND_EXPORT_PROTOREADER_H
