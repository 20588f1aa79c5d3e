//===- FloatText.h - Floating-point numbers as text -------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TYPES_FLOATTEXT_H
#define REWIND_TYPES_FLOATTEXT_H

#include "core/model/Types.h"
#include "core/types/Type.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace rw {

/// The kind of a floating-point type of \p Size bytes, as compilers for \p
/// Machine have it; its name tells only what the size leaves open.
FloatKind floatKind(Arch Machine, llvm::StringRef Name, uint64_t Size);

/// The number of bytes that count: 10 of an x87 number.
unsigned floatBytes(FloatKind Kind);

/// The shortest text that stands for no other number of the kind (of kinds
/// larger than a double: one with enough digits): "0.1", "-1.5e+300", "nan",
/// "inf". \p Bytes are those of the number, the lowest first.
std::string floatText(FloatKind Kind, llvm::ArrayRef<uint8_t> Bytes);

/// A constant of C with exactly that value, written as a long double; "nan" and
/// "inf", with a sign perhaps, are none.
std::string floatLiteral(FloatKind Kind, llvm::ArrayRef<uint8_t> Bytes);

/// Whether \p Bytes are a zero of either sign.
bool isFloatZero(FloatKind Kind, llvm::ArrayRef<uint8_t> Bytes);

/// The bytes of \p Parts, the first of which is the sum of all, rounded, the
/// second that of the rest, and so on. As many as a number of the kind has.
std::vector<uint8_t> floatOfParts(FloatKind Kind, llvm::ArrayRef<double> Parts);

} // namespace rw

#endif // REWIND_TYPES_FLOATTEXT_H
