//===- Type.h - What bytes mean in the program's language -------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A type as far as values of it are shown, wherever its description came from:
// a debugger's type system, or debug information. It is finite: of a pointer it
// tells what sort of thing is there, not its type.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TYPES_TYPE_H
#define REWIND_TYPES_TYPE_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rw {

enum class TypeKind : uint8_t {
  Signed,
  Unsigned,
  Bool,
  Char,    ///< of 1, 2 or 4 bytes: a unit of UTF-8, 16 or 32
  Float,   ///< Float tells which
  Enum,    ///< Enumerators
  Pointer, ///< also to a function, and a reference
  Text,    ///< a pointer to characters: Element is their type
  Record,  ///< struct, class, union: Members
  Array,   ///< Count times Element
  Vector,  ///< the same, of lanes
  Complex, ///< two of Element: the real part, then the imaginary one
  Opaque,  ///< shown as bytes: what is not described here
};

enum class FloatKind : uint8_t {
  Half,
  BFloat,
  Single,
  Double,
  X87,
  Quad,
  DoubleDouble
};

struct Type;
using TypeRef = std::shared_ptr<const Type>;

struct Type {
  struct Enumerator {
    std::string Name;
    uint64_t Value = 0; ///< as wide as the type, the rest 0
  };
  struct Member {
    std::string Name; ///< empty: a base class or an unnamed member
    TypeRef Is; ///< null: not described, or a virtual base without a place
    uint64_t Offset = 0; ///< in bits, from the beginning; see BitWidth
    /// Bits of a bit-field, else 0. Offset then counts from the lowest bit
    /// of the first byte on little-endian machines, from the highest on others.
    unsigned BitWidth = 0;
    bool Base = false; ///< a base class: Name is its name
  };

  TypeKind Kind = TypeKind::Opaque;
  FloatKind Float = FloatKind::Double;
  bool Signed = false; ///< of an enum: its values may be negative
  bool Union = false;
  std::string Name;  ///< as the program says it: "unsigned int"
  uint64_t Size = 0; ///< bytes
  uint64_t Count = 0;
  TypeRef Element;
  std::vector<Enumerator> Enumerators;
  std::vector<Member> Members;
  /// The name of a class of namespace std, without arguments: "vector". Empty
  /// for all other types.
  std::string Library;
  /// The type that is argument \p I of a template, the parts of a pack counted
  /// one by one; null if it is none. It is asked for only when it is needed,
  /// since an object may hold others of its own type. May be null.
  std::function<TypeRef(unsigned I)> Argument;

  bool isScalar() const { return Kind <= TypeKind::Text; }
};

/// Makes \p T a complex number of \p Part and another one.
void makeComplex(Type &T, Type Part);

/// The bits [Lo, Lo + Width), from the lowest, of the bytes [First, First +
/// Size) that hold a bit-field.
struct FieldBytes {
  uint64_t First = 0, Size = 0;
  unsigned Lo = 0, Width = 0;
};
FieldBytes fieldBytes(const Type::Member &M, bool BigEndian);

/// The template's name in \p Name, that of a class in namespace std, "std::"
/// and inner namespaces of the library included; empty if it is none.
/// "std::__cxx11::basic_string<char>" is "basic_string".
llvm::StringRef libraryName(llvm::StringRef Name);

/// A part of a type.
struct TypePart {
  std::string Path; ///< ".watchers[0]"; empty: all of it
  TypeRef Is;
  uint64_t Offset = 0; ///< in bytes
};
/// The smallest part of \p T that has all bytes [Offset, Offset + Size): a
/// member, an element, no further than a scalar or a bit-field's record, and
/// not into unions.
TypePart partAt(TypeRef T, uint64_t Offset, uint64_t Size);

} // namespace rw

#endif // REWIND_TYPES_TYPE_H
