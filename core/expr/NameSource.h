//===- NameSource.h - Variables of a program in expressions -----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_EXPR_NAMESOURCE_H
#define REWIND_EXPR_NAMESOURCE_H

#include "core/arch/RegisterFile.h"
#include "core/model/Types.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>

namespace rw {

struct NumberType {
  uint8_t Bytes = 4; ///< 1, 2, 4 or 8
  bool Signed = true;
  bool Float = false;   ///< float or double: 4 or 8 bytes, and Signed
  bool Address = false; ///< a pointer, which is only compared
  bool Char = false;    ///< char, signed or not, which is shown as one
  bool operator==(const NumberType &) const = default;
};

/// The type of a variable, as far as an expression looks at it.
struct DataType {
  enum Kind : uint8_t {
    Arithmetic, ///< an enumeration of C, too
    Truth,      ///< a byte that is 0 or 1
    Pointer,
    Array,
    Record,
  } What = Arithmetic;
  NumberType Number;  ///< of an Arithmetic
  uint64_t Bytes = 0; ///< of one value; 0 of an array without a bound
  /// A bit-field has up to 64 bits; all else 0. They begin with FirstBit of its
  /// first byte, as the machine counts bits: on a big-endian one the highest is
  /// 0.
  uint8_t NumBits = 0, FirstBit = 0;
  /// The source's own.
  void *Unit = nullptr;
  const void *In = nullptr;
  unsigned Dimension = 0;
};

/// What the names in an expression mean at one place. A source that is not sure
/// of a name does not know it.
class NameSource {
public:
  struct Thing {
    uint64_t Where = 0; ///< its address, or how far inside
    DataType Type;
    /// A register that Where is counted from.
    std::optional<RegisterSlice> Base = std::nullopt;
    bool Held = false; ///< Base has the value
  };
  virtual ~NameSource() = default;
  virtual std::optional<Thing> variable(llvm::StringRef Name) = 0;
  /// A member of a Record.
  virtual std::optional<Thing> member(const DataType &Of,
                                      llvm::StringRef Name) = 0;
  /// What an Array is made of, or a Pointer points to.
  virtual std::optional<DataType> element(const DataType &Of) = 0;
  /// The type that the program calls \p Name, if it is an Arithmetic or a
  /// Truth.
  virtual std::optional<DataType> type(llvm::StringRef) { return std::nullopt; }
  /// The structure or union that \p Name means in C, or, unless it is a \p Tag
  /// ("struct x"), a typedef of one; nothing in other languages.
  virtual std::optional<DataType> record(llvm::StringRef, bool /*Tag*/) {
    return std::nullopt;
  }
  /// The value, as an int, of an enumerator that can be named by \p Name alone.
  virtual std::optional<uint64_t> enumerator(llvm::StringRef) {
    return std::nullopt;
  }
  /// Whether the program was compiled with plain char as a signed type; nothing
  /// if that is not known.
  virtual std::optional<bool> signedChar() { return std::nullopt; }
};

/// Finds the values of lvalues that are written in another way than those of a
/// NameSource, at one place: an expression that has one is compiled for it.
class OperandSource {
public:
  struct Operand {
    size_t Length = 0; ///< letters of the text
    NumberType Type;
    /// Extended as a node's value is; nothing: it is not known.
    std::optional<uint64_t> Value;
    bool Typed = true;   ///< false: its type is not known, either
    bool IsBits = false; ///< it is a bit-field
  };
  virtual ~OperandSource() = default;
  /// What \p Text begins with. The Error is all that there is to say.
  virtual llvm::Expected<Operand> operand(llvm::StringRef Text) = 0;
  /// The bytes of what \p Text begins with, which need not be known, as a
  /// Value.
  virtual llvm::Expected<Operand> sizeOf(llvm::StringRef Text) = 0;
  /// What \p Text begins with as a sum, "p + i", or a difference, of a pointer.
  virtual llvm::Expected<Operand> sumOf(llvm::StringRef Text) = 0;
  /// Whether \p Text begins with a cast that operand() understands: to an
  /// enumeration, or to a pointer.
  virtual bool castsAhead(llvm::StringRef Text) = 0;
  /// As NameSource has them.
  virtual std::optional<DataType> type(llvm::StringRef Name) = 0;
  virtual std::optional<bool> signedChar() = 0;
};

/// The names of a program.
class ProgramNames {
public:
  virtual ~ProgramNames() = default;
  /// As they are seen at \p PC; without, those that mean the same everywhere.
  /// \p Inlined: by the function so many inlined calls deep there; without, by
  /// the innermost one. Valid as long as this.
  virtual std::unique_ptr<NameSource>
  at(std::optional<uint64_t> PC,
     std::optional<unsigned> Inlined = std::nullopt) = 0;
};

} // namespace rw

#endif // REWIND_EXPR_NAMESOURCE_H
