//===- TypePrinter.h - Values as the program would write them ---*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TYPES_TYPEPRINTER_H
#define REWIND_TYPES_TYPEPRINTER_H

#include "core/types/Type.h"
#include "llvm/ADT/ArrayRef.h"
#include <functional>

namespace rw {

/// Letters as LLDB's: x hexadecimal, d decimal, u without sign, f floating
/// point, c character, s text, b binary. None: as the type says.
enum class ValueFormat : char {
  None = 0,
  Hex = 'x',
  Decimal = 'd',
  Unsigned = 'u',
  Float = 'f',
  Character = 'c',
  Text = 's',
  Binary = 'b',
};
std::optional<ValueFormat> parseValueFormat(llvm::StringRef Letter);

/// Bytes of memory, in its order, and which are known (1) or not (0).
struct KnownBytes {
  llvm::ArrayRef<uint8_t> Bytes, Known;

  size_t size() const { return Bytes.size(); }
  KnownBytes slice(uint64_t From, uint64_t Size) const {
    return {Bytes.slice(From, Size), Known.slice(From, Size)};
  }
  bool all() const;
  bool any() const;
};

struct PrinterContext {
  bool BigEndian = false;
  unsigned PointerBytes = 8;
  ValueFormat Format = ValueFormat::None;
  /// Members as they are, also those of strings and containers.
  bool Raw = false;
  /// "main+0x8" of an address; empty if it has no name. May be null.
  std::function<std::string(uint64_t)> Symbol;
  /// Reads memory there, as far as it is known: sets Known for each byte. May
  /// be null: then no texts behind pointers are shown.
  std::function<void(uint64_t Addr, llvm::MutableArrayRef<uint8_t> Bytes,
                     llvm::MutableArrayRef<uint8_t> Known)>
      Read;
};

/// One line: "-471", "RED", "65 'A'", "\"text\"", "0x4200f0 <items+0x10>",
/// "{x = 1, y = {2, 3}}", of strings and containers of the C++ library what
/// they hold: "size=2 {["a"] = 1, ["b"] = 2}". What is not known is
/// "<unknown>", a part of a scalar
/// "??" per byte. \p Value has T.Size bytes. Long arrays are cut ("...") and
/// runs of equal elements counted.
std::string typedText(const Type &T, KnownBytes Value, const PrinterContext &C);

/// The text of a bit-field of type \p T: \p Bits, the lowest first.
std::string typedBits(const Type &T, uint64_t Bits, unsigned Width,
                      const PrinterContext &C);

/// Bytes without a type, by C.Format, which is not None.
std::string formattedText(KnownBytes Value, const PrinterContext &C);

} // namespace rw

#endif // REWIND_TYPES_TYPEPRINTER_H
