//===- PPCText.cpp - POWER instructions as text ---------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/arch/PPCText.h"
#include "core/arch/PPCInsn.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace llvm;

namespace rw::ppc {

namespace {

constexpr StringLiteral Conditions[2][4] = {{"ge", "le", "ne", "ns"},
                                            {"lt", "gt", "eq", "so"}};

/// "lt", "4*cr7+eq".
std::string bitName(unsigned BI) {
  std::string Bit = Conditions[1][BI & 3].str();
  return BI < 4 ? Bit : "4*cr" + utostr(BI >> 2) + "+" + Bit;
}

/// What BO and BI say, as the middle of a mnemonic. Empty if there is no
/// extended mnemonic.
struct Condition {
  std::string Name;
  StringRef Hint;
  bool Always = false;
  bool NeedsField = false; ///< of the condition register, if not cr0
};

Condition conditionOf(unsigned BO, unsigned BI) {
  Condition C;
  if ((BO & 0x14) == 0x14) {
    C.Always = BO == 20 && BI == 0;
    return C;
  }
  // "a" and "t", the static prediction, are where they are free.
  unsigned At = BO & 0x10 ? (BO >> 2 & 2) | (BO & 1) : BO & 3;
  if (At == 1 || (BO & 0x14) == 0)
    return C;
  C.Hint = At == 2 ? "-" : At == 3 ? "+" : "";
  if (BO & 0x10) {
    if (BI == 0)
      C.Name = BO & 2 ? "dz" : "dnz";
    return C;
  }
  C.Name = Conditions[BO >> 3 & 1][BI & 3].str();
  C.NeedsField = true;
  return C;
}

std::string branch(uint32_t Op, uint64_t PC) {
  unsigned BO = Op >> 21 & 31, BI = Op >> 16 & 31, Major = Op >> 26;
  bool Link = Op & 1, Absolute = Major != 19 && (Op & 2);
  std::string Target;
  if (auto T = branchTarget(Op, PC))
    Target = "0x" + utohexstr(*T, /*LowerCase=*/true);
  std::string Tail = std::string(Link ? "l" : "") + (Absolute ? "a" : "");
  if (Major == 18)
    return "b" + Tail + " " + Target;

  StringRef To;
  unsigned BH = 0;
  if (Major == 19) {
    unsigned XO = Op >> 1 & 0x3ff;
    To = XO == 16 ? "lr" : XO == 528 ? "ctr" : "tar";
    BH = Op >> 11 & 3;
  }
  Condition C = conditionOf(BO, BI);
  bool Named = (!C.Name.empty() || (C.Always && Major == 19)) && !BH;
  if (Named) {
    std::string Text = "b" + C.Name + To.str() + Tail + C.Hint.str();
    bool Field = C.NeedsField && BI >= 4;
    if (Field)
      Text += " cr" + utostr(BI >> 2);
    if (!Target.empty())
      Text += (Field ? "," : " ") + Target;
    return Text;
  }
  std::string Text =
      "bc" + To.str() + Tail + " " + utostr(BO) + "," + bitName(BI);
  if (Major == 19)
    return BH ? Text + "," + utostr(BH) : Text;
  return Text + "," + Target;
}

} // namespace

std::string extendedText(uint64_t Opcode, uint64_t PC) {
  uint32_t Op = uint32_t(Opcode), Prefix = uint32_t(Opcode >> 32);
  if (Prefix) {
    // An MRR prefix whose opcode field is 0: whatever comes after it.
    bool IsNop = (Prefix & 0xfff00000) == 0x07000000 && !(Prefix & 0x3ffff);
    return IsNop ? "pnop" : "";
  }
  switch (Op >> 26) {
  case 16:
  case 18:
    return branch(Op, PC);
  case 19:
    switch (Op >> 1 & 0x3ff) {
    case 16:
    case 528:
    case 560:
      return branch(Op, PC);
    case 82:
      return "rfscv";
    }
    return {};
  default:
    return {};
  }
}

} // namespace rw::ppc
