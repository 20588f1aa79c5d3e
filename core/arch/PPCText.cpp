//===- PPCText.cpp - POWER instructions as text ---------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/arch/PPCText.h"
#include "core/arch/PPCInsn.h"
#include "core/arch/PPCTextTable.h"
#include "core/support/Digits.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MathExtras.h"
#include <optional>

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

/// A branch on a condition, as the GNU tools have it. Empty if BO is none that
/// they know.
std::string conditional(uint32_t Op, StringRef Target) {
  const unsigned BO = Op >> 21 & 31, BI = Op >> 16 & 31;
  const bool ToRegister = Op >> 26 == 19;
  const unsigned XO = Op >> 1 & 0x3ff;
  const bool ToCTR = ToRegister && XO == 528;
  StringRef To;
  if (ToRegister)
    To = XO == 16 ? "lr" : ToCTR ? "ctr" : "tar";
  const std::string Tail =
      std::string(Op & 1 ? "l" : "") + (!ToRegister && Op & 2 ? "a" : "");
  const unsigned BH = ToRegister ? Op >> 11 & 3 : 0;
  // What the middle of the mnemonic says, and its operands.
  std::string Name;
  StringRef Hint;
  SmallVector<std::string, 3> Operands;
  // The static prediction: "a" and "t" are where they are free.
  auto hint = [&](unsigned At) {
    if (At == 1 && ToRegister)
      return false; // reserved
    Hint = At == 2 ? "-" : At == 3 ? "+" : "";
    return true;
  };
  bool Raw = false; // no extended mnemonic
  if ((BO & 0x14) == 0x14) {
    if (BO != 20)
      return {};
    Raw = BI || !ToRegister;
  } else if (BO & 0x10) {
    if (!hint((BO >> 2 & 2) | (BO & 1)))
      return {};
    Raw = BI || ToCTR;
    if (Raw && (BO & 9) == 1)
      return {};
    Name = BO & 2 ? "dz" : "dnz";
  } else if (BO & 4) {
    if (!hint(BO & 3))
      return {};
    Name = Conditions[BO >> 3 & 1][BI & 3].str();
    if (BI >= 4 || BH)
      Operands.push_back("cr" + utostr(BI >> 2));
  } else {
    if (BO & 1 && ToRegister)
      return {};
    Raw = ToCTR;
    Name = (BO & 2 ? "dz" : "dnz") + std::string(BO & 8 ? "t" : "f");
    Operands.push_back(bitName(BI));
  }
  if (Raw) {
    Name = "c";
    Operands = {utostr(BO), bitName(BI)};
  }
  if (!Target.empty())
    Operands.push_back(Target.str());
  if (BH)
    Operands.push_back(utostr(BH));
  std::string Text = "b" + Name + To.str() + Tail + Hint.str();
  if (!Operands.empty())
    Text += " " + join(Operands, ",");
  return Text;
}

std::string branch(uint32_t Op, uint64_t PC) {
  std::string Target;
  if (auto T = branchTarget(Op, PC))
    Target = hex(*T);
  if (Op >> 26 != 18)
    return conditional(Op, Target);
  return std::string("b") + (Op & 1 ? "l" : "") + (Op & 2 ? "a" : "") + " " +
         Target;
}

/// plq and pstq.
std::optional<std::string> pairAccess(uint32_t Prefix, uint32_t Op) {
  const unsigned Major = Op >> 26, RT = Op >> 21 & 31, RA = Op >> 16 & 31;
  if ((Prefix >> 24 & 3) || (Major != 56 && Major != 60))
    return std::nullopt;
  const int64_t Offset =
      SignExtend64<34>(uint64_t(Prefix & 0x3ffff) << 16 | (Op & 0xffff));
  std::string Text = (Major == 56 ? "plq r" : "pstq r") + utostr(RT & ~1u) +
                     "," + itostr(Offset);
  if (Prefix >> 20 & 1)
    return RA ? std::nullopt : std::optional(Text);
  return Text + (RA ? "(r" + utostr(RA) + ")" : "(0)");
}

/// Traps on conditions for which LLVM has no names.
std::optional<std::string> trap(uint32_t Op) {
  StringRef When;
  switch (Op >> 21 & 31) {
  case 5:
    When = "lge";
    break;
  case 6:
    When = "lle";
    break;
  case 12:
    When = "ge";
    break;
  case 20:
    When = "le";
    break;
  default:
    return std::nullopt;
  }
  const bool IsImmediate = Op >> 26 != 31;
  const bool IsDouble = IsImmediate ? Op >> 26 == 2 : (Op >> 1 & 0x3ff) == 68;
  return (IsDouble ? "td" : "tw") + When.str() + (IsImmediate ? "i r" : " r") +
         utostr(Op >> 16 & 31) + "," +
         (IsImmediate ? itostr(int16_t(Op)) : "r" + utostr(Op >> 11 & 31));
}

/// Rotations that are shifts, or clear bits on the right.
std::optional<std::string> rotate(uint32_t Op) {
  const unsigned RS = Op >> 21 & 31, RA = Op >> 16 & 31;
  auto text = [&](StringRef Name, unsigned N) {
    return (Name + (Op & 1 ? ". r" : " r")).str() + utostr(RA) + ",r" +
           utostr(RS) + "," + utostr(N);
  };
  if (Op >> 26 == 21) {
    const unsigned SH = Op >> 11 & 31, MB = Op >> 6 & 31, ME = Op >> 1 & 31;
    if (MB == 0 && SH == 0)
      return ME == 31 ? text("rotlwi", 0) : text("clrrwi", 31 - ME);
    if (MB == 0 && SH && ME == 31 - SH)
      return text("slwi", SH);
    if (MB && ME == 31 && SH == 32 - MB)
      return text("srwi", MB);
    return std::nullopt;
  }
  const unsigned SH = (Op >> 11 & 31) | (Op >> 1 & 1) << 5;
  const unsigned M = (Op >> 6 & 31) | (Op >> 5 & 1) << 5;
  switch (Op >> 2 & 7) {
  case 0: // rldicl
    if (M && SH == 64 - M)
      return text("srdi", M);
    break;
  case 1: // rldicr
    if (SH && M == 63 - SH)
      return text("sldi", SH);
    if (SH == 0 && (M != 63 || Op & 1))
      return text("clrrdi", 63 - M);
    break;
  }
  return std::nullopt;
}

} // namespace

std::optional<std::string> extendedText(uint64_t Opcode, uint64_t PC) {
  uint32_t Op = uint32_t(Opcode), Prefix = uint32_t(Opcode >> 32);
  if (Prefix) {
    // An MRR prefix whose opcode field is 0: whatever comes after it.
    bool IsNop = (Prefix & 0xfff00000) == 0x07000000 && !(Prefix & 0x3ffff);
    return IsNop ? std::optional<std::string>("pnop") : pairAccess(Prefix, Op);
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
    break;
  case 2: // tdi, twi
  case 3:
    return trap(Op);
  case 31: // td, tw
    if ((Op >> 1 & 0x3ff) == 4 || (Op >> 1 & 0x3ff) == 68)
      return Op & 1 ? std::nullopt : trap(Op);
    break;
  case 21: // rlwinm, rldicl, rldicr
  case 30:
    return rotate(Op);
  }
  return tabledText(Op);
}

uint64_t withoutReserved(uint64_t Opcode) {
  const uint32_t Op = uint32_t(Opcode);
  if (Opcode >> 32)
    return Opcode;
  switch (Op >> 26) {
  case 10: // cmpli, cmpi
  case 11:
    return Op & ~(1u << 22);
  case 56: // lq
    return Op & ~15u;
  case 31:
    return (Op & 0x3e) == 15 << 1 ? Op & ~1u : Op; // isel
  }
  return Opcode;
}

std::string respelled(uint64_t Opcode, StringRef Text) {
  auto [Name, Rest] = Text.split(' ');
  SmallVector<StringRef, 6> Operands;
  Rest.split(Operands, ',', -1, /*KeepEmpty=*/false);
  const uint32_t Op = uint32_t(Opcode);
  const unsigned Major = Op >> 26;
  SmallVector<std::string, 6> Out;
  for (StringRef O : Operands)
    Out.push_back(O.str());
  std::string NewName = Name.str();
  auto join = [&] {
    return NewName + (Out.empty() ? "" : " " + llvm::join(Out, ","));
  };
  auto number = [](StringRef From,
                   StringRef Prefix) -> std::optional<unsigned> {
    unsigned N;
    if (!From.consume_front(Prefix) || From.getAsInteger(10, N))
      return std::nullopt;
    return N;
  };
  if (Opcode >> 32) {
    for (std::string &O : Out)
      if (auto N = number(O, "vsp"))
        O = "vs" + utostr(*N);
    // The last one says that the address counts from the instruction's own.
    if (Out.size() < 3 || (Out.back() != "0" && Out.back() != "1"))
      return join();
    const bool FromHere = Out.back() == "1";
    if (Name == "paddi" && FromHere && Out[1] == "0") {
      NewName = "pla";
      Out = {Out[0], Out[2]};
    } else if (Name == "paddi" ||
               StringRef(Out[Out.size() - 2]).ends_with(")")) {
      if (FromHere && Name == "paddi")
        return join();
      Out.pop_back();
      StringRef Place = Out.back();
      if (FromHere && Place.consume_back("(0)"))
        Out.back() = Place.str();
    }
    return join();
  }
  if (Major == 31) {
    // The GNU tools prefer the instruction that there is.
    if (Name == "sub" || Name == "sub." || Name == "subc" || Name == "subc.") {
      NewName.insert(3, "f");
      if (Out.size() == 3)
        std::swap(Out[1], Out[2]);
      return join();
    }
    if (Name == "dcbt" || Name == "dcbtst") {
      const unsigned Hint = Op >> 21 & 31;
      NewName += Hint < 8 ? "ct" : Hint < 16 ? "ds" : "";
      return join();
    }
    // Where the register in the place of a base is 0, there is none.
    if (Out.size() == 3 && Out[1] == "r0" &&
        (Name.ends_with("cix") || Name == "stswi" || Name == "stwat" ||
         Name == "stdat"))
      Out[1] = "0";
    if ((Name == "lswi" || Name == "stswi") && Out.size() == 3 && Out[2] == "0")
      Out[2] = "32";
    if (Name == "sync" && Out.empty())
      return "hwsync";
    if (Name == "tbegin." && Out.size() == 1 && Out[0] == "0")
      return "tbegin.";
    if (Name == "tlbie" && Out.size() == 1)
      return join() + ",r0";
    if (Name == "tlbie" && Out.size() == 5 && Out[4] == "0") {
      Out.pop_back();
      if (Out[3] == "0")
        Out.pop_back();
      return join();
    }
    if (Name == "icbt" && Out.size() == 3 && Out[0] == "0")
      return "icbt " + Out[1] + "," + Out[2];
    if ((Name == "tabortdci." || Name == "tabortwci.") && Out.size() == 3)
      if (auto N = number(Out[2], ""); N && *N > 15 && *N < 32)
        Out[2] = "-" + utostr(32 - *N);
    // Moves between the files, of the upper half of the vector-scalar one.
    if (Name.starts_with("mfvsr") || Name.starts_with("mtvsr")) {
      const bool From = Name[1] == 'f';
      const StringRef Part = Name.drop_front(5);
      if (Out.size() == 2 && (Part == "d" || Part == "wz" || Part == "wa"))
        if (auto N = number(Out[From ? 1 : 0], "vs"); N && *N >= 32) {
          Out[From ? 1 : 0] = "v" + utostr(*N - 32);
          NewName.erase(3, 1); // mfvsrd: mfvrd
          return join();
        }
    }
  }
  if (Name == "xsiexpqp" && Out.size() == 3 && Out[2][0] == 'f')
    Out[2][0] = 'v';
  const bool IsVsx =
      Major == 60 || Name.starts_with("lxs") || Name.starts_with("stxs");
  for (std::string &O : Out) {
    if (auto N = number(O, "vsp"))
      O = "vs" + utostr(*N);
    else if (IsVsx && Major != 57 && Major != 61)
      if (auto F = number(O, "f"))
        O = "vs" + utostr(*F);
  }
  if (Out.size() == 3 && Out[1] == Out[2] &&
      (Name == "xxlor" || Name == "xxlnor")) {
    NewName = Name == "xxlor" ? "xxmr" : "xxlnot";
    Out.pop_back();
  }
  if (Name.starts_with("xxgenpcv") && Out.size() == 3 && Out[2][0] == '-')
    if (auto N = number(Out[2], "-"))
      Out[2] = utostr(32 - *N);
  if ((Name == "mtvsrbmi" || Name == "addpcis") && Out.size() == 2)
    if (auto N = number(Out[1], ""); N && *N > 0x7fff && *N <= 0xffff)
      Out[1] = "-" + utostr(0x10000 - *N);
  // "un" is what a floating-point comparison makes of it.
  if ((Name.starts_with("cr") && Major == 19) || Name == "isel" ||
      Name.starts_with("setbc") || Name.starts_with("setnbc"))
    for (std::string &O : Out)
      if (O == "un" || StringRef(O).ends_with("+un"))
        O.replace(O.size() - 2, 2, "so");
  return join();
}

} // namespace rw::ppc
