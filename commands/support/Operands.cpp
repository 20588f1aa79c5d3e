//===- Operands.cpp - Operands from an instruction's text -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/Operands.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace rw {

static Operands::Operand makeOperand(StringRef Text,
                                     const RegisterFile &Registers) {
  Operands::Operand O;
  O.Text = Text.str();
  StringRef Name = Text;
  Name.consume_front("%");
  Name.consume_back("!");
  O.Register = Registers.find(Name);
  if (!O.Register) // "v0.16b"
    O.Register = Registers.find(Name.split('.').first);
  O.Zero = Name == "xzr" || Name == "wzr" || Name.starts_with("#") ||
           Name.starts_with("$") || (!Name.empty() && isDigit(Name[0])) ||
           Name.starts_with("-");
  return O;
}

/// "r0-r3": all four of them.
static bool appendRange(Operands &Ops, StringRef Text,
                        const RegisterFile &Registers) {
  auto [First, Last] = Text.split('-');
  First = First.trim();
  Last = Last.trim();
  StringRef Stem = First.rtrim("0123456789");
  unsigned From, To;
  if (Last.empty() || Stem.empty() || !Last.starts_with(Stem) ||
      First.drop_front(Stem.size()).getAsInteger(10, From) ||
      Last.drop_front(Stem.size()).getAsInteger(10, To) || From > To ||
      To - From > 63)
    return false;
  for (unsigned N = From; N <= To; ++N)
    Ops.List.push_back(makeOperand((Stem + Twine(N)).str(), Registers));
  return true;
}

Operands parseOperands(StringRef Text, const RegisterFile &Registers) {
  Operands Ops;
  auto [Mnemonic, Rest] = Text.trim().split(' ');
  Ops.Mnemonic = Mnemonic.lower();
  std::string Current;
  unsigned Brackets = 0;
  auto Flush = [&] {
    StringRef Operand = StringRef(Current).trim();
    if (!Operand.empty() && !appendRange(Ops, Operand, Registers))
      Ops.List.push_back(makeOperand(Operand, Registers));
    Current.clear();
  };
  for (char C : Rest) {
    if (C == '[' || C == '(') {
      if (!Ops.Memory)
        Ops.BeforeMemory = Ops.List.size();
      Ops.Memory = true;
      ++Brackets;
      Current.clear(); // a displacement in front of it: 8(r1)
    } else if (C == ']' || C == ')') {
      Brackets -= Brackets > 0;
    } else if (Brackets || C == '{' || C == '}' ||
               (C == '!' && StringRef(Current).trim().empty())) {
      continue;
    } else if (C == ',') {
      Flush();
    } else {
      Current.push_back(C);
    }
  }
  Flush();
  if (!Ops.Memory)
    Ops.BeforeMemory = Ops.List.size();
  return Ops;
}

ArrayRef<Operands::Operand> Operands::data() const {
  ArrayRef<Operand> Data = ArrayRef(List).take_front(BeforeMemory);
  StringRef M = Mnemonic;
  // The first operand is the base register, or tells whether an exclusive store
  // succeeded.
  bool Skip = (!Memory && (M.starts_with("ldm") || M.starts_with("stm") ||
                           M.starts_with("vldm") || M.starts_with("vstm"))) ||
              M.starts_with("stx") || M.starts_with("stlx") ||
              M.starts_with("strex") || M.starts_with("stlex");
  return Skip && !Data.empty() ? Data.drop_front() : Data;
}

} // namespace rw
