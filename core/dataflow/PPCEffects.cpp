//===- PPCEffects.cpp - What POWER instructions read and write ------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's tables tell the registers of what computes. From the encoding (Power
// ISA 3.1C, and 2.07 for what was removed) come addresses, lists of registers,
// branches, special registers, fields of CR, SO and OV.
//
//===----------------------------------------------------------------------===//

#include "core/arch/PPCInsn.h"
#include "core/dataflow/EffectsDraft.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace rw::dataflow {
namespace {

using namespace ppccell;

CellRef one(unsigned C) { return {Cell(C), 1}; }
CellRef r(unsigned N) { return one(R0 + (N & 31)); }
CellRef vsr(unsigned N) { return {Cell(VSR0 + 2 * N), 2}; }
/// The field of CR that a bit of it lies in.
CellRef fieldOf(unsigned Bit) { return one(CR0 + (Bit & 31) / 4); }

struct Register {
  CellList Read, Write;
};

Register describe(StringRef Name) {
  Register R;
  unsigned N = 0;
  auto numbered = [&](StringRef Prefix, unsigned Limit) {
    StringRef Rest = Name;
    return Rest.consume_front(Prefix) && !Rest.getAsInteger(10, N) && N < Limit;
  };
  auto vector = [&](unsigned V, bool Half) {
    R.Read.push_back(Half ? one(vsr(V).First) : vsr(V));
    // What becomes of the half that an instruction does not set is up to the
    // implementation.
    R.Write.push_back(vsr(V));
  };
  if (numbered("X", 32) || numbered("R", 32)) {
    R.Read = R.Write = {r(N)};
  } else if (numbered("G8p", 16)) {
    R.Read = R.Write = {r(2 * N), r(2 * N + 1)};
  } else if (numbered("F", 32)) {
    vector(N, true);
  } else if (numbered("Fpair", 32)) {
    vector(N, true);
    vector(N + 1, true);
  } else if (numbered("VSL", 32)) {
    vector(N, false);
  } else if (numbered("VF", 32)) {
    vector(32 + N, true);
  } else if (numbered("V", 32)) {
    vector(32 + N, false);
  } else if (numbered("VSRp", 32)) {
    vector(2 * N, false);
    vector(2 * N + 1, false);
  } else if (numbered("ACC", 8) || numbered("UACC", 8)) {
    for (unsigned K = 0; K < 4; ++K)
      vector(4 * N + K, false);
  } else if (Name.starts_with("CR") && Name.size() > 2 && Name[2] >= '0' &&
             Name[2] < '8') {
    R.Read = R.Write = {one(CR0 + unsigned(Name[2] - '0'))};
  } else if (Name == "LR" || Name == "LR8") {
    R.Read = R.Write = {one(LR)};
  } else if (Name == "CTR" || Name == "CTR8") {
    R.Read = R.Write = {one(CTR)};
  } else if (Name == "CARRY") {
    R.Read = R.Write = {one(CA)};
  }
  // XER stands for OV, of which the encoding tells more; the rounding mode and
  // others are not followed.
  return R;
}

/// The cells of a special register, by its number.
CellList special(unsigned Number) {
  switch (Number) {
  case 1:
    return {{CA, 4}};
  case 8:
    return {one(LR)};
  case 9:
    return {one(CTR)};
  case 815:
    return {one(TAR)};
  default:
    return {one(System)};
  }
}

class PPCEffects final : public EffectsDecoder {
public:
  PPCEffects() : Target(ISA::PPC64) {
    if (!Target)
      return;
    for (unsigned R = 0; R < Target.Registers->getNumRegs(); ++R)
      Registers.push_back(describe(R ? Target.Registers->getName(R) : ""));
  }

  bool decode(const OpcodeQuery &Q, EffectsDraft &Out) override {
    if (!Target)
      return false;
    const uint32_t Op = uint32_t(Q.Opcode), Prefix = uint32_t(Q.Opcode >> 32);
    if (!Prefix &&
        (branch(Op, Out) || special(Op, Out) || conditionBits(Op, Out)))
      return true;
    const ppc::MemoryKind Kind = ppc::memoryKind(Prefix, Op);
    SmallVector<CellRef, 4> List;
    // LLVM lacks some of these.
    if (Kind.accesses() && (several(Prefix, Op, List), !List.empty())) {
      memory(Prefix, Op, Kind, nullptr, Out);
      return true;
    }
    MCInst Inst;
    uint64_t Size = 0;
    if (Target.Decoder->getInstruction(Inst, Size, Q.Bytes, 0, nulls()) !=
        MCDisassembler::Success)
      return false;
    McOperands M{Inst, Target.Instructions->get(Inst.getOpcode())};
    if (Kind.Flags & ppc::MemoryKind::Touch)
      return true;
    // Loads and stores that LLVM knows and no ISA has yet.
    const StringRef Name = Target.Instructions->getName(Inst.getOpcode());
    if (!Kind.accesses() &&
        (Name.starts_with("LXV") || Name.starts_with("STXV")))
      return false;
    if (Kind.accesses())
      memory(Prefix, Op, Kind, &M, Out);
    else
      compute(Prefix, Op, M, Out);
    return true;
  }

private:
  McTarget Target;
  std::vector<Register> Registers; ///< by LLVM's number

  static unsigned major(uint32_t Op) { return Op >> 26; }
  static unsigned extended(uint32_t Op) { return Op >> 1 & 0x3ff; }
  static unsigned rt(uint32_t Op) { return Op >> 21 & 31; }
  static unsigned ra(uint32_t Op) { return Op >> 16 & 31; }
  static unsigned rb(uint32_t Op) { return Op >> 11 & 31; }

  static bool branch(uint32_t Op, EffectsDraft &Out) {
    const unsigned XO = extended(Op);
    const bool ToRegister =
        major(Op) == 19 && (XO == 16 || XO == 528 || XO == 560);
    if (major(Op) == 17) { // sc and scv, as Linux uses them
      if ((Op & 3) == 1)
        Out.add({one(LR), one(CTR)}, {}, Effect::System);
      Out.add({r(3)}, {r(0), {Cell(R0 + 3), 6}}, Effect::System);
      if ((Op & 3) != 1)
        Out.add({one(CR0)}, {r(0), {Cell(R0 + 3), 6}}, Effect::System);
      return true;
    }
    if (major(Op) == 19 &&
        (XO == 18 || XO == 82 || XO == 146 || XO == 274 || XO == 306)) {
      Out.add({}, {one(System)}, Effect::Flow);
      return true;
    }
    if (major(Op) != 16 && major(Op) != 18 && !ToRegister)
      return false;
    CellList Decides;
    if (major(Op) != 18) {
      const unsigned BO = rt(Op), BI = ra(Op);
      if (!(BO & 16))
        Decides.push_back(fieldOf(BI));
      // bcctr does not count.
      if (!(BO & 4) && !(ToRegister && XO == 528)) {
        Decides.push_back(one(CTR));
        Out.add({one(CTR)}, {one(CTR)}, Effect::AddConstant).Addend = -1;
      }
    }
    if (ToRegister)
      Decides.push_back(one(XO == 16 ? LR : XO == 528 ? CTR : TAR));
    if (!Decides.empty())
      Out.add({}, Decides, Effect::Flow);
    if (Op & 1) // "bcl 20,31,$+4" only asks where it is
      Out.add({one(LR)}, {},
              Op == 0x429f0005 ? 0 : uint16_t(Effect::ReturnAddress));
    return true;
  }

  /// Moves from and to registers that the encoding names.
  static bool special(uint32_t Op, EffectsDraft &Out) {
    const unsigned XO = extended(Op);
    if (major(Op) == 31) {
      const unsigned Number = ra(Op) | rb(Op) << 5;
      const bool Fields = Op >> 20 & 1; // mfocrf, mtocrf
      CellList Named;
      for (unsigned F = 0; F < 8; ++F)
        if (Op >> 12 & (0x80u >> F))
          Named.push_back(one(CR0 + F));
      switch (XO) {
      case 339: // mfspr
      case 467: // mtspr
      {
        CellList S = rw::dataflow::special(Number);
        EffectDraft &E =
            XO == 339 ? Out.add({r(rt(Op))}, S) : Out.add(S, {r(rt(Op))});
        if (S.size() == 1 && S[0].Count == 1 && S[0].First != System) {
          E.Flags |= Effect::Copy;
          E.Moved = XO == 339 ? r(rt(Op)) : S[0];
        }
        return true;
      }
      case 371: // mftb
      case 83:  // mfmsr
        Out.add({r(rt(Op))}, {one(System)});
        return true;
      case 146: // mtmsr, mtmsrd
      case 178:
        Out.add({one(System)}, {r(rt(Op)), one(System)});
        return true;
      case 19: // mfcr, mfocrf
        Out.add({r(rt(Op))}, Fields ? Named : CellList{{CR0, 8}});
        return true;
      case 144: // mtcrf
        for (CellRef F : Named)
          Out.add({F}, {r(rt(Op))});
        return true;
      case 576: // mcrxrx
        Out.add({one(CR0 + rt(Op) / 4)}, {{CA, 2}});
        return true;
      case 598: // sync and its kin
      case 854: // eieio
        Out.Barrier = true;
        return true;
      default:
        return false;
      }
    }
    if (major(Op) == 19 && XO == 150) { // isync
      Out.Barrier = true;
      return true;
    }
    if (major(Op) == 4) {
      const unsigned VX = Op & 0x7ff;
      if (VX == 1540) // mfvscr
        Out.add({vsr(32 + rt(Op))}, {one(VSCR)});
      else if (VX == 1604) // mtvscr
        Out.add({one(VSCR)}, {vsr(32 + rb(Op))});
      return VX == 1540 || VX == 1604;
    }
    if (major(Op) != 63)
      return false;
    switch (XO) {
    case 583: { // mffs and its kin
      CellList Values = {one(FPSCR)};
      Out.add({vsr(rt(Op))}, Values);
      const unsigned Kind = ra(Op);
      if (Kind == 20 || Kind == 22) // they set the rounding mode
        Values.push_back(one(vsr(rb(Op)).First));
      if (Kind != 0 && Kind != 24)
        Out.add({one(FPSCR)}, Values);
      break;
    }
    case 711: // mtfsf
      Out.add({one(FPSCR)}, {one(FPSCR), one(vsr(rb(Op)).First)});
      break;
    case 134: // mtfsfi
    case 70:  // mtfsb0
    case 38:  // mtfsb1
      Out.add({one(FPSCR)}, {one(FPSCR)});
      break;
    case 64: // mcrfs
      Out.add({one(CR0 + rt(Op) / 4)}, {one(FPSCR)});
      Out.add({one(FPSCR)}, {one(FPSCR)});
      return true;
    default:
      return false;
    }
    if (Op & 1)
      Out.add({one(CR0 + 1)}, {one(FPSCR)});
    return true;
  }

  /// What is done with single bits changes a field, of which the rest stays.
  static bool conditionBits(uint32_t Op, EffectsDraft &Out) {
    if (major(Op) != 19)
      return false;
    switch (extended(Op)) {
    case 0: // mcrf
      Out.add({one(CR0 + rt(Op) / 4)}, {one(CR0 + ra(Op) / 4)}, Effect::Copy)
          .Moved = one(CR0 + rt(Op) / 4);
      return true;
    case 193: // crxor, creqv: of a bit with itself, a constant
    case 289:
      if (ra(Op) == rb(Op)) {
        Out.add({fieldOf(rt(Op))}, {fieldOf(rt(Op))});
        return true;
      }
      break;
    case 33:
    case 129:
    case 225:
    case 257:
    case 417:
    case 449:
      break;
    default:
      return false;
    }
    Out.add({fieldOf(rt(Op))},
            {fieldOf(rt(Op)), fieldOf(ra(Op)), fieldOf(rb(Op))});
    return true;
  }

  /// Instructions of XO form that may set OV and SO.
  static bool setsOverflow(uint32_t Op) {
    if (major(Op) != 31 || !(Op >> 10 & 1))
      return false;
    switch (Op >> 1 & 0x1ff) {
    case 8:   // subfc
    case 10:  // addc
    case 40:  // subf
    case 104: // neg
    case 136: // subfe
    case 138: // adde
    case 200: // subfze
    case 202: // addze
    case 232: // subfme
    case 233: // mulld
    case 234: // addme
    case 235: // mullw
    case 266: // add
    case 393: // divdeu
    case 395: // divweu
    case 425: // divde
    case 427: // divwe
    case 457: // divdu
    case 459: // divwu
    case 489: // divd
    case 491: // divw
      return true;
    default:
      return false;
    }
  }

  /// vinsertb, vinserth, vinsertw, vinsertd.
  static bool inserts(uint32_t Op) {
    const unsigned VX = Op & 0x7ff;
    return VX == 781 || VX == 845 || VX == 909 || VX == 973;
  }

  /// Whether its result does not depend on what it reads: x ^ x.
  static bool isConstant(uint32_t Prefix, uint32_t Op) {
    if (Prefix)
      return false;
    if (major(Op) == 31 && extended(Op) == 316) // xor
      return rt(Op) == rb(Op);
    if (major(Op) == 4 && (Op & 0x7ff) == 1220) // vxor
      return ra(Op) == rb(Op);
    if (major(Op) == 60 && (Op >> 3 & 0xff) == 154) // xxlxor
      return ra(Op) == rb(Op) && (Op >> 2 & 1) == (Op >> 1 & 1);
    return false;
  }

  void compute(uint32_t Prefix, uint32_t Op, const McOperands &M,
               EffectsDraft &Out) const {
    CellList Values, Data, Carry, Condition;
    auto writes = [&](unsigned R) {
      for (CellRef C : Registers[R].Write)
        (C.First == CA                         ? Carry
         : C.First >= CR0 && C.First < CR0 + 8 ? Condition
                                               : Data)
            .push_back(C);
    };
    for (unsigned I = 0; I < M.Inst.getNumOperands(); ++I) {
      if (!M.isReg(I))
        continue;
      if (I < M.numDefs())
        writes(M.reg(I));
      else
        append(Values, Registers[M.reg(I)].Read);
    }
    for (MCPhysReg R : M.Desc.implicit_uses())
      append(Values, Registers[R].Read);
    for (MCPhysReg R : M.Desc.implicit_defs())
      writes(R);
    // LLVM gives extswsli a carry, record forms of decimal numbers the wrong
    // field, and does not tell that an insertion keeps the rest.
    if (!Prefix && major(Op) == 31 && (Op >> 2 & 0x1ff) == 445)
      Carry.clear();
    if (!Prefix && (major(Op) == 59 || major(Op) == 63) && (Op & 1))
      for (CellRef &C : Condition)
        if (C == one(CR0))
          C = one(CR0 + 1);
    if (!Prefix && major(Op) == 4 && inserts(Op))
      append(Values, Data);
    normalise(Values);
    if (isConstant(Prefix, Op))
      Values.clear();
    const bool Extends = !Prefix && major(Op) == 31 &&
                         (Op >> 1 & 0xff) == 170; // addex: OV for CA
    if (Extends) {
      Values.push_back(one(OV));
      Out.add({one(OV)}, Values);
    }
    if (!Data.empty())
      simple(Prefix, Op, M, Out.add(Data, Values));
    if (!Carry.empty())
      Out.add(Carry, Values);
    if (!Prefix && setsOverflow(Op)) {
      Out.add({one(OV)}, Values);
      CellList Old = Values;
      Old.push_back(one(SO));
      Out.add({one(SO)}, Old, Effect::Sticky);
      Values.push_back(one(SO));
    }
    for (CellRef C : Condition) {
      CellList From = Values;
      if (copiesSummary(Prefix, Op))
        From.push_back(one(SO));
      // A record form of floating point shows sticky bits.
      if (!Prefix && (major(Op) == 63 || major(Op) == 59) && (Op & 1))
        From.push_back(one(FPSCR));
      Out.add({C}, From);
    }
  }

  /// Integer compares and record forms put SO into the field.
  static bool copiesSummary(uint32_t Prefix, uint32_t Op) {
    if (Prefix)
      return false;
    switch (major(Op)) {
    case 10: // cmpli, cmpi
    case 11:
    case 13: // addic.
    case 28: // andi., andis.
    case 29:
    case 20: // rotates
    case 21:
    case 23:
    case 30:
      return true;
    case 31:
      return extended(Op) == 0 || extended(Op) == 32 || (Op & 1);
    default:
      return false;
    }
  }

  /// Moves, and additions of constants.
  static void simple(uint32_t Prefix, uint32_t Op, const McOperands &M,
                     EffectDraft &E) {
    if (E.Values.size() != 1 || E.Writes.size() != 1)
      return;
    auto copy = [&] {
      E.Flags |= Effect::Copy;
      E.Moved = {E.Writes[0].First,
                 std::min(E.Writes[0].Count, E.Values[0].Count)};
    };
    auto plus = [&](int64_t N) {
      E.Flags |= Effect::AddConstant;
      E.Addend = N;
    };
    if (Prefix) {
      if (major(Op) == 14 && M.isImm(2)) // paddi
        plus(M.imm(2));
      return;
    }
    switch (major(Op)) {
    case 14: // addi
      plus(int16_t(Op));
      break;
    case 15: // addis
      plus(int64_t(int16_t(Op)) * 65536);
      break;
    case 31: // mr
      if (extended(Op) == 444 && rt(Op) == rb(Op))
        copy();
      break;
    case 63: // fmr
      if (extended(Op) == 72)
        copy();
      break;
    case 60: // xxlor with itself
      if ((Op >> 3 & 0xff) == 146 && E.Values[0].Count == E.Writes[0].Count)
        copy();
      break;
    case 4: // vor with itself
      if ((Op & 0x7ff) == 1156 && E.Values[0].Count == E.Writes[0].Count)
        copy();
      break;
    default:
      break;
    }
  }

  struct Form {
    bool Update = false, Indexed = false, Copies = false;
    int64_t Displacement = 0;
  };
  static Form formOf(uint32_t Prefix, uint32_t Op) {
    Form F;
    const unsigned Major = major(Op), XO = extended(Op);
    if (Prefix) {
      // pld, pstd; plwz and others have the same numbers without a prefix.
      const bool EightLS = (Prefix >> 24 & 3) == 0;
      F.Copies = EightLS ? Major == 57 || Major == 61
                         : Major == 32 || Major == 34 || Major == 40 ||
                               Major == 36 || Major == 38 || Major == 44 ||
                               Major == 50 || Major == 54;
      return F;
    }
    F.Displacement = int16_t(Op);
    if (Major >= 32 && Major < 56) {
      F.Update = (Major & 1) && Major != 47; // lmw and stmw are 46 and 47
      F.Copies = Major != 42 && Major != 43 && Major != 48 && Major != 49 &&
                 Major != 52 && Major != 53;
    } else if (Major == 58 || Major == 62) { // ld, ldu, lwa; std, stdu, stq
      F.Update = (Op & 3) == 1;
      F.Copies = (Op & 3) < 2;
      F.Displacement &= ~int64_t(3);
    } else if (Major == 61) { // lxv, stxv
      F.Copies = (Op & 3) == 1;
    } else if (Major == 31) {
      F.Indexed = XO != 597 && XO != 725; // lswi, stswi
      switch (XO) {
      case 53: // ldux
      case 55:
      case 119:
      case 311:
      case 181:
      case 183:
      case 247:
      case 439:
      case 631:
      case 759: // stfdux
        F.Update = F.Copies = true;
        break;
      case 375: // lhaux, lwaux, lfsux, stfsux
      case 373:
      case 567:
      case 695:
        F.Update = true;
        break;
      case 21: // ldx
      case 23:
      case 87:
      case 279:
      case 149:
      case 151:
      case 215:
      case 407:
      case 599:
      case 727:
      case 103: // lvx, lvxl, stvx, stvxl
      case 359:
      case 231:
      case 487:
      case 268: // lxvx, stxvx
      case 396:
      case 20: // larx
      case 52:
      case 84:
      case 116:
        F.Copies = true;
        break;
      default:
        break;
      }
    }
    return F;
  }

  /// General registers of instructions that move several, and the bytes of
  /// each; of others none.
  static unsigned several(uint32_t Prefix, uint32_t Op,
                          SmallVectorImpl<CellRef> &List) {
    const unsigned Major = major(Op), XO = extended(Op);
    unsigned Count = 0, Bytes = 4;
    if (Prefix) {
      if ((Prefix >> 24 & 3) == 0 && (Major == 56 || Major == 60)) // plq, pstq
        Count = 2, Bytes = 8;
    } else if (Major == 46 || Major == 47) { // lmw, stmw
      Count = 32 - rt(Op);
    } else if (Major == 56 || (Major == 62 && (Op & 3) == 2) ||
               (Major == 31 && (XO == 276 || XO == 182))) {
      Count = 2, Bytes = 8; // lq, stq, lqarx, stqcx.
    } else if (Major == 31 && (XO == 597 || XO == 725)) { // lswi, stswi
      Count = ((rb(Op) ? rb(Op) : 32) + 3) / 4;
    } else if (Major == 31 && (XO == 533 || XO == 661)) { // lswx, stswx
      Count = 32;
    } else if (Major == 31 && (XO == 582 || XO == 614)) { // lwat, ldat
      Count = 3, Bytes = 8;
    }
    for (unsigned K = 0; K < Count; ++K)
      List.push_back(r(rt(Op) + K));
    return Bytes;
  }

  /// \p M: of what moves no list of registers.
  void memory(uint32_t Prefix, uint32_t Op, ppc::MemoryKind Kind,
              const McOperands *M, EffectsDraft &Out) const {
    using MK = ppc::MemoryKind;
    const Form F = formOf(Prefix, Op);
    const unsigned XO = extended(Op);
    const bool Relative = Prefix && (Prefix >> 20 & 1);
    CellList Address, Length;
    if (ra(Op) && !Relative)
      Address.push_back(r(ra(Op)));
    if (F.Indexed)
      Address.push_back(r(rb(Op)));
    if (!(Kind.Flags & MK::SizeKnown)) {
      Out.Varies = true;
      if (major(Op) == 31 && (XO == 533 || XO == 661)) // lswx, stswx
        Length = {one(XER)};
      else { // lxvl and its kin: the length in rb
        Address.pop_back();
        Length = {r(rb(Op))};
      }
    }
    SmallVector<CellRef, 4> List;
    unsigned Bytes = several(Prefix, Op, List);
    const bool IsList = !List.empty();
    Register Data;
    // A store's results are the address that it writes back.
    if (!IsList)
      for (unsigned I = Kind.Flags & MK::Load ? 0 : M->numDefs();
           I < M->Inst.getNumOperands(); ++I)
        if (M->isReg(I)) {
          Data = Registers[M->reg(I)];
          break;
        }
    const bool Zeroes = major(Op) == 31 && XO == 1014 && !Prefix; // dcbz
    if (Zeroes)
      Data = {};
    const bool Exclusive = Kind.Flags & MK::Exclusive;
    const bool Both = (Kind.Flags & MK::Load) && (Kind.Flags & MK::Store);
    if (Both) {
      // lwat and its kin: what is computed with are the registers after RT.
      EffectDraft &L = Out.add({r(rt(Op))});
      L.Addresses = Address;
      L.Load = {0, MemoryPart::All};
      EffectDraft &S = Out.add({}, IsList ? List : Data.Read);
      S.Addresses = Address;
      S.Load = S.Store = {0, MemoryPart::All};
    } else if (Kind.Flags & MK::Load) {
      load(Op, F, IsList, List, Bytes, Data, Address, Length, Out);
    } else {
      store(F, IsList, List, Bytes, Data, Address, Length, Out);
    }
    if (Exclusive && (Kind.Flags & MK::Load))
      Out.add({one(Reservation)}).Addresses = Address;
    if (Exclusive && !(Kind.Flags & MK::Load)) {
      for (EffectDraft &E : Out.Effects) {
        E.Values.push_back(one(Reservation));
        E.Flags &= uint16_t(~Effect::Copy);
        E.Moved = {};
      }
      Out.add({one(CR0)}, {one(Reservation), one(SO)}).Addresses = Address;
      Out.add({one(Reservation)});
    }
    if (F.Update && ra(Op)) {
      EffectDraft &E = Out.add({r(ra(Op))}, {r(ra(Op))}, Effect::Writeback);
      if (F.Indexed) {
        E.Values.push_back(r(rb(Op)));
      } else {
        E.Flags |= Effect::AddConstant;
        E.Addend = F.Displacement;
      }
    }
  }

  static void load(uint32_t Op, const Form &F, bool IsList,
                   ArrayRef<CellRef> List, unsigned Bytes, const Register &Data,
                   const CellList &Address, const CellList &Length,
                   EffectsDraft &Out) {
    if (IsList) {
      for (unsigned K = 0; K < List.size(); ++K) {
        EffectDraft &E = Out.add({List[K]}, Length);
        E.Addresses = Address;
        // Which register of lq gets which half depends on the order of bytes.
        E.Load = Bytes == 8 ? MemoryPart{0, MemoryPart::All}
                            : MemoryPart{uint16_t(4 * K), 4};
        // How many lswx loads is not known.
        if (!Length.empty()) {
          E.Values.push_back(List[K]);
          E.Load = {0, MemoryPart::All};
        }
      }
      return;
    }
    EffectDraft &E = Out.add(Data.Write, Length);
    E.Addresses = Address;
    E.Load = {0, MemoryPart::All};
    // lvebx and its kin set an element; what becomes of the others is up to
    // the implementation.
    const unsigned XO = extended(Op);
    if (major(Op) == 31 && (XO == 7 || XO == 39 || XO == 71))
      append(E.Values, Data.Write);
    if (F.Copies && Length.empty()) {
      E.Flags |= Effect::Copy;
      E.Moved = Data.Read[0];
    }
  }

  static void store(const Form &F, bool IsList, ArrayRef<CellRef> List,
                    unsigned Bytes, const Register &Data,
                    const CellList &Address, const CellList &Length,
                    EffectsDraft &Out) {
    if (IsList && Bytes == 4 && Length.empty()) {
      for (unsigned K = 0; K < List.size(); ++K) {
        EffectDraft &E = Out.add({}, {List[K]});
        E.Addresses = Address;
        E.Store = {uint16_t(4 * K), 4};
      }
      return;
    }
    EffectDraft &E = Out.add({}, IsList ? CellList(List) : Data.Read);
    append(E.Values, Length);
    E.Addresses = Address;
    E.Store = {0, MemoryPart::All};
    if (F.Copies && !IsList && Length.empty() && Data.Read.size() == 1) {
      E.Flags |= Effect::Copy;
      E.Moved = Data.Read[0];
    }
  }
};

} // namespace

std::unique_ptr<EffectsDecoder> makePPCEffects() {
  return std::make_unique<PPCEffects>();
}

} // namespace rw::dataflow
