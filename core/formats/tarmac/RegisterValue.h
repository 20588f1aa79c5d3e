//===- RegisterValue.h - The value on a register line -----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_TARMAC_REGISTERVALUE_H
#define REWIND_FORMATS_TARMAC_REGISTERVALUE_H

#include "core/formats/tarmac/LineText.h"
#include "core/formats/tarmac/RegisterNames.h"
#include <array>
#include <bitset>

namespace rw::tarmac {

/// Up to 2048 bits, of which some are not written ("--") or not known ("x").
class RegisterValue {
public:
  /// Reads the value at \p T. \p Expected is the number of digits of a full
  /// value, 0 if several are possible. \p MayBeCut: the line may have lost its
  /// end, so that nothing short is a zero. Returns what is wrong, or null.
  const char *read(LineText &T, RegKind Kind, unsigned Expected, bool MayBeCut);

  /// Makes byte 0 byte \p Offset.
  void moveTo(unsigned Offset);
  bool empty() const { return Size == 0; }
  unsigned size() const { return Size; }
  /// A zero with fewer digits than the register has.
  bool isShort() const { return Short; }
  /// Eight bytes from \p From on, as a number and as masks.
  uint64_t word(unsigned From) const;
  uint8_t written(unsigned From) const;
  uint8_t unknown(unsigned From) const;

private:
  unsigned Size = 0; ///< bytes
  bool Short = false;
  std::array<uint8_t, 256> Bytes = {};
  std::bitset<256> Written, Unknown;
};

} // namespace rw::tarmac

#endif // REWIND_FORMATS_TARMAC_REGISTERVALUE_H
