//===- StandardTypes.h - Numbers that C names -------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_EXPR_STANDARDTYPES_H
#define REWIND_EXPR_STANDARDTYPES_H

#include "core/expr/NameSource.h"

namespace rw {

/// The number that the standard gives \p Name to ("uint8_t"), whether the
/// program uses it or not; nothing if none.
inline std::optional<NumberType> standardNumber(llvm::StringRef Name,
                                                unsigned AddressBytes) {
  static constexpr struct {
    llvm::StringRef Name;
    uint8_t Bytes; ///< 0: those of an address
    bool Signed;
  } All[] = {
      {"int8_t", 1, true},     {"uint8_t", 1, false},  {"int16_t", 2, true},
      {"uint16_t", 2, false},  {"int32_t", 4, true},   {"uint32_t", 4, false},
      {"int64_t", 8, true},    {"uint64_t", 8, false}, {"intptr_t", 0, true},
      {"uintptr_t", 0, false}, {"ptrdiff_t", 0, true}, {"size_t", 0, false}};
  for (const auto &S : All)
    if (Name == S.Name)
      return NumberType{S.Bytes ? S.Bytes : uint8_t(AddressBytes), S.Signed};
  return std::nullopt;
}

/// Whether compilers for the machine take plain char for a signed type, unless
/// told otherwise.
constexpr bool isPlainCharSigned(Arch Machine) {
  return Machine == Arch::X86_64;
}

} // namespace rw

#endif // REWIND_EXPR_STANDARDTYPES_H
