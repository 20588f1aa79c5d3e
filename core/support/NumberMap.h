//===- NumberMap.h - Hash tables of any 64-bit number -----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A DenseMap keeps two values of its key's type for itself. Of a uint64_t these
// are the two highest numbers, which are addresses that a trace may have:
// adding one is an assertion, or an endless loop.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_SUPPORT_NUMBERMAP_H
#define REWIND_SUPPORT_NUMBERMAP_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <cstdint>

namespace rw {

/// A number as a key; keys that a table keeps for itself are no numbers.
class NumberKey {
public:
  constexpr NumberKey(uint64_t Value) : Value(Value) {}
  constexpr operator uint64_t() const { return Value; }

private:
  enum KeyKind : uint8_t { Number, Empty, Tombstone };
  friend llvm::DenseMapInfo<NumberKey>;
  constexpr NumberKey(KeyKind Kind) : Kind(Kind) {}

  uint64_t Value = 0;
  KeyKind Kind = Number;
};

/// For keys that a file or a program chooses: addresses, opcodes, hashes. Keys
/// of which the two highest cannot be (numbers of pages, indices) need 8 bytes
/// less each in a DenseMap.
template <typename V> using NumberMap = llvm::DenseMap<NumberKey, V>;
using NumberSet = llvm::DenseSet<NumberKey>;

} // namespace rw

template <> struct llvm::DenseMapInfo<rw::NumberKey> {
  using Key = rw::NumberKey;
  static constexpr Key getEmptyKey() { return Key::Empty; }
  static constexpr Key getTombstoneKey() { return Key::Tombstone; }
  static unsigned getHashValue(const Key &K) {
    return DenseMapInfo<uint64_t>::getHashValue(K.Value);
  }
  static bool isEqual(const Key &A, const Key &B) {
    return A.Value == B.Value && A.Kind == B.Kind;
  }
};

#endif // REWIND_SUPPORT_NUMBERMAP_H
