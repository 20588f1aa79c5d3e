//===- ProtoWriter.h - Protocol buffers by hand -----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_EXPORT_PROTOWRITER_H
#define REWIND_EXPORT_PROTOWRITER_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace rw {

/// One message of Google's protocol buffers being written, front to back:
/// https://protobuf.dev/programming-guides/encoding/. Fields with their default
/// value may be left out by the caller.
class ProtoWriter {
public:
  void varint(unsigned Field, uint64_t Value) {
    raw(uint64_t(Field) << 3);
    raw(Value);
  }
  void bytes(unsigned Field, llvm::StringRef Value) {
    raw(uint64_t(Field) << 3 | 2);
    raw(Value.size());
    Data.append(Value.data(), Value.size());
  }
  void message(unsigned Field, const ProtoWriter &M) { bytes(Field, M.Data); }
  /// One element of a packed repeated field under construction.
  void raw(uint64_t V) {
    for (; V >= 0x80; V >>= 7)
      Data.push_back(char(V | 0x80));
    Data.push_back(char(V));
  }
  llvm::StringRef data() const { return Data; }
  void clear() { Data.clear(); }

private:
  std::string Data;
};

} // namespace rw

#endif // REWIND_EXPORT_PROTOWRITER_H
