//===- Reals.h - Numbers with a fraction, as written ------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_SUPPORT_REALS_H
#define REWIND_SUPPORT_REALS_H

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace rw {

/// LLVM takes stack for each digit of a number: longer ones are none.
inline constexpr size_t LongestNumber = 4096;

/// Reads \p Text into \p V: "1.5", "-2e3", "0x1p-3", "inf". What was lost;
/// nothing if it is no number.
inline std::optional<llvm::APFloat::opStatus> readReal(llvm::StringRef Text,
                                                       llvm::APFloat &V) {
  if (Text.size() > LongestNumber)
    return std::nullopt;
  auto Done = V.convertFromString(Text, llvm::APFloat::rmNearestTiesToEven);
  if (Done)
    return *Done;
  llvm::consumeError(Done.takeError());
  return std::nullopt;
}

/// As a double; nothing if it is no number.
inline std::optional<double> readReal(llvm::StringRef Text) {
  llvm::APFloat V(llvm::APFloat::IEEEdouble());
  if (!readReal(Text, V))
    return std::nullopt;
  return V.convertToDouble();
}

} // namespace rw

#endif // REWIND_SUPPORT_REALS_H
