//===- LibraryValue.h - What objects of the C++ library hold ----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strings, containers and their kin, as libstdc++ and libc++ lay them out.
// Their elements are found by the members that the type's description has, and
// by memory at the same moment.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TYPES_LIBRARYVALUE_H
#define REWIND_TYPES_LIBRARYVALUE_H

#include "core/types/TypePrinter.h"

namespace rw {

struct LibraryValue {
  enum Kind : uint8_t {
    Text,     ///< one part, an array of characters: all of it if it is short
    Row,      ///< one part, an array: all elements or the first ones
    List,     ///< a part for each element
    Map,      ///< the same, of pairs
    Bits,     ///< truth values: Truths
    Tuple,    ///< a part for each, always all
    Optional, ///< one part, or none
    Variant,  ///< one part, or none; Number is its index
    Shared,   ///< one part, a pointer; Number and Weak count who shares it
    Inner,    ///< one part: it is only something around that
  };
  /// An object that it holds.
  struct Part {
    TypeRef Is;
    bool Inside = false; ///< At is an offset in the value, else an address
    uint64_t At = 0;
  };

  Kind What = Inner;
  /// Elements that it has, also those that are not among the parts; empty if
  /// only walking through all of them would tell.
  std::optional<uint64_t> Count;
  std::vector<Part> Parts;
  std::vector<std::optional<bool>> Truths; ///< empty: unknown
  std::optional<uint64_t> Number, Weak;
  /// There are more elements behind the parts: they were not asked for, or what
  /// leads to them is not known (Lost).
  bool More = false, Lost = false;
};

/// What \p V, an object of type \p T, holds: at most \p Most elements. Empty if
/// \p T is no class of the library that is known, or what its members say is
/// not known, or makes no sense: nobody has constructed it yet, perhaps; nor is
/// anything known without C.Read.
std::optional<LibraryValue> libraryValue(const Type &T, KnownBytes V,
                                         const PrinterContext &C,
                                         unsigned Most);

} // namespace rw

#endif // REWIND_TYPES_LIBRARYVALUE_H
