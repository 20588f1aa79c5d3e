//===- Widening.cpp - Instructions that only widen a value ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/dataflow/Widening.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace rw {

/// "sxtb" of "sxtb.w r0, r1"; its operands stay in \p Text.
static StringRef takeMnemonic(StringRef &Text) {
  Text = Text.ltrim();
  const StringRef Word =
      Text.take_until([](char C) { return C == ' ' || C == '\t'; });
  Text = Text.drop_front(Word.size());
  StringRef Name = Word;
  if (Name.ends_with(".w") || Name.ends_with(".n"))
    Name = Name.drop_back(2);
  return Name;
}

/// What is left of "and w1, w0, #0xff".
static unsigned maskedBytes(StringRef Operands) {
  const StringRef Mask = Operands.rsplit(',').second.trim();
  return StringSwitch<unsigned>(Mask)
      .Cases({"#0xff", "#255"}, 1)
      .Cases({"#0xffff", "#65535"}, 2)
      .Cases({"#0xffffffff", "#4294967295"}, 4)
      .Default(0);
}

/// What is left by "clrldi r3, r4, 32" of 64 bits, "clrlwi r3, r4, 24" of 32.
static unsigned clearedBytes(StringRef Operands, unsigned Of) {
  unsigned Cleared = 0;
  if (Operands.rsplit(',').second.trim().getAsInteger(0, Cleared))
    return 0;
  const unsigned Left = Cleared < Of ? Of - Cleared : 0;
  return Left == 8 || Left == 16 || Left == 32 ? Left / 8 : 0;
}

unsigned widenedBytes(StringRef Text) {
  StringRef Operands = Text;
  const StringRef Name = takeMnemonic(Operands);
  // Another byte than the lowest.
  if (Operands.contains("ror"))
    return 0;
  if (Name == "and")
    return maskedBytes(Operands);
  if (Name == "clrldi" || Name == "clrlwi")
    return clearedBytes(Operands, Name == "clrldi" ? 64 : 32);
  return StringSwitch<unsigned>(Name)
      .Cases({"sxtb", "uxtb", "extsb"}, 1)
      .Cases({"sxth", "uxth", "extsh"}, 2)
      .Cases({"sxtw", "uxtw", "extsw"}, 4)
      .Cases({"movsbw", "movsbl", "movsbq", "movzbw", "movzbl", "movzbq"}, 1)
      .Cases({"movswl", "movswq", "movzwl", "movzwq", "cwtl"}, 2)
      .Cases({"movslq", "cltq"}, 4)
      .Default(0);
}

bool continuesConstant(StringRef Text) {
  const StringRef Name = takeMnemonic(Text);
  return Name == "movk" || Name == "movt";
}

} // namespace rw
