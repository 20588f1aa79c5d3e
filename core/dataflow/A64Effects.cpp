//===- A64Effects.cpp - What A64 instructions read and write --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's tables, and what they lack: which flags a condition looks at, what
// mrs and msr name, arguments of system calls, which operands only make the
// address, how a pair is divided. Encodings are those of the Arm Architecture
// Reference Manual for A-profile (DDI 0487), C4.1.
//
//===----------------------------------------------------------------------===//

#include "core/dataflow/ArmConditions.h"
#include "core/dataflow/EffectsDraft.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace rw::dataflow {
namespace {

using namespace armcell;

constexpr CellRef NZCV = {N, 4};
CellRef x(unsigned R) { return {Cell(X0 + R), 1}; }

/// A register of LLVM's: the cells that a read of it reads, in the order of
/// memory for lists, and those that a write of it writes.
struct Register {
  CellList Read, Write;
  /// Cells of each register of a list or pair, or of the only one.
  SmallVector<CellRef, 4> Parts;
  unsigned Bytes = 0; ///< of each part
};

Register describe(StringRef Name) {
  Register R;
  auto general = [&](CellRef C, unsigned Bytes) {
    R.Read = R.Write = {C};
    R.Parts = {C};
    R.Bytes = Bytes;
  };
  auto vector = [&](unsigned Number, unsigned Cells, unsigned Bytes) {
    CellRef Part = {Cell(Vec + 4 * Number), uint16_t(Cells)};
    R.Read.push_back(Part);
    R.Parts.push_back(Part);
    // What lies above is set to zero.
    R.Write.push_back({Part.First, 4});
    R.Bytes = Bytes;
  };
  if (Name == "SP" || Name == "WSP") {
    general({SP, 1}, Name == "SP" ? 8 : 4);
    return R;
  }
  if (Name == "NZCV") {
    general(NZCV, 4);
    return R;
  }
  if (Name == "FFR") {
    general({FFR, 1}, 0);
    return R;
  }
  if (Name.starts_with("ZA") || Name == "ZT0") {
    general({ZA, 1}, 0);
    return R;
  }
  // "X0", "FP", "D3", "Q0_Q1", "X2_X3", "P1_P2", "FP_LR"?
  SmallVector<StringRef, 4> Names;
  Name.split(Names, '_');
  for (StringRef Part : Names) {
    unsigned Number = 0;
    if (Part == "FP" || Part == "LR") {
      general(x(Part == "FP" ? 29 : 30), 8);
      continue;
    }
    char Kind = Part.empty() ? ' ' : Part.front();
    StringRef Digits = Part.substr(1);
    if (Kind == 'P' && Digits.consume_front("N"))
      Kind = 'P';
    if (Digits.getAsInteger(10, Number) || Number > 31) {
      if (Part == "XZR" || Part == "WZR")
        R.Parts.push_back({});
      else if (Part != Names.front() || Names.size() > 1)
        return {};
      continue;
    }
    switch (Kind) {
    case 'X':
    case 'W':
      R.Read.push_back(x(Number));
      R.Write.push_back(x(Number));
      R.Parts.push_back(x(Number));
      R.Bytes = Kind == 'X' ? 8 : 4;
      break;
    case 'P':
      R.Read.push_back({Cell(P0 + Number % 16), 1});
      R.Write = R.Read;
      R.Parts.push_back(R.Read.back());
      break;
    case 'B':
      vector(Number, 1, 1);
      break;
    case 'H':
      vector(Number, 1, 2);
      break;
    case 'S':
      vector(Number, 1, 4);
      break;
    case 'D':
      vector(Number, 2, 8);
      break;
    case 'Q':
      vector(Number, 4, 16);
      break;
    case 'Z':
      vector(Number, 4, 0);
      break;
    default:
      break; // FPCR, FPSR, VG and others that are not followed
    }
  }
  return R;
}

class A64Effects final : public EffectsDecoder {
public:
  A64Effects() : Target(ISA::A64) {
    if (!Target)
      return;
    for (unsigned R = 0; R < Target.Registers->getNumRegs(); ++R)
      Registers.push_back(describe(R ? Target.Registers->getName(R) : ""));
  }

  bool decode(const OpcodeQuery &Q, EffectsDraft &Out) override {
    if (!Target)
      return false;
    const uint32_t Op = uint32_t(Q.Opcode);
    if (flow(Op, Q.Class, Out) || system(Op, Out))
      return true;
    MCInst Inst;
    uint64_t Size = 0;
    if (Target.Decoder->getInstruction(Inst, Size, Q.Bytes, 0, nulls()) !=
        MCDisassembler::Success)
      return false;
    McOperands M{Inst, Target.Instructions->get(Inst.getOpcode())};
    StringRef Name = Target.Instructions->getName(Inst.getOpcode());
    if (Name.starts_with("PRF")) { // the address is read, memory is not
      EffectDraft &E = Out.add();
      for (unsigned I = 0; I < M.Inst.getNumOperands(); ++I)
        if (M.isReg(I))
          append(E.Addresses, readOf(M.reg(I)));
      return true;
    }
    int Base = baseOperand(M);
    if ((M.Desc.mayLoad() || M.Desc.mayStore()) && Base >= 0)
      memory(Op, Name, M, unsigned(Base), Out);
    else
      compute(Op, Name, M, Out);
    if (Base < 0)
      accesses(Op, M, Out);
    const auto Parts = partsOf(Op, M);
    for (EffectDraft &E : Out.Effects)
      E.Parts = Parts;
    return true;
  }

private:
  McTarget Target;
  std::vector<Register> Registers; ///< by LLVM's number

  /// Branches and system calls. LLVM says that calls use the stack pointer.
  static bool flow(uint32_t Op, InsnClass Class, EffectsDraft &Out) {
    const CellRef Rn = register31(Op >> 5), Rt = register31(Op);
    switch (Class) {
    case InsnClass::CondBranch: {
      EffectDraft &E = Out.add({}, {}, Effect::Flow);
      if ((Op & 0xff000000) == 0x54000000)
        append(E.Values, conditionCells(Op & 0xf));
      else {
        E.Values.push_back(Rt);
        // A bit, or all of w or x: tbz, cbz.
        const bool Bit = (Op & 0x7e000000) == 0x36000000;
        const unsigned Byte = (Op >> 31) << 2 | (Op >> 22 & 3);
        if (Rt.Count && (Bit || !(Op >> 31)))
          E.Parts = {{Rt.First, uint8_t(Bit ? 1u << Byte : 0x0fu)}};
      }
      return true;
    }
    case InsnClass::Branch:
      return true;
    case InsnClass::Call:
      Out.add({x(30)}, {}, Effect::ReturnAddress);
      return true;
    case InsnClass::IndirectBranch:
    case InsnClass::IndirectCall:
    case InsnClass::Return: {
      EffectDraft &E = Out.add({}, {}, Effect::Flow);
      // Authenticated ones: a modifier in Rm (braa), or sp (retaa), or none.
      if (Class == InsnClass::Return && (Op >> 10 & 0x3f) >= 2)
        E.Values = {x(30), {SP, 1}};
      else
        E.Values = {Rn};
      if (Op >> 24 & 1)
        E.Values.push_back((Op & 0x1f) == 31 ? CellRef{SP, 1} : x(Op & 0x1f));
      if (Class == InsnClass::IndirectCall)
        Out.add({x(30)}, {}, Effect::ReturnAddress);
      return true;
    }
    case InsnClass::SystemCall:
      // Linux: the number in x8, at most six arguments.
      if ((Op & 3) == 1)
        Out.add({x(0)}, {{X0, 6}, x(8)}, Effect::System);
      return true;
    case InsnClass::ExceptionReturn:
      Out.add({NZCV, {PState, 1}}, {{System, 1}});
      Out.add({}, {{System, 1}}, Effect::Flow);
      return true;
    default:
      break;
    }
    if ((Op & 0xffe0001f) == 0xd4400000) {
      // hlt: semihosting with the number in w0 and its argument in x1.
      if ((Op >> 5 & 0xffff) == 0xf000)
        Out.add({x(0)}, {{X0, 2}}, Effect::System);
      return true;
    }
    return (Op & 0xff000000) == 0xd4000000; // brk, dcps
  }

  /// Cells of which the operands are parts: w0 of x0, h0 of a vector's first.
  SmallVector<CellPart, 2> partsOf(uint32_t Op, const McOperands &M) const {
    SmallVector<CellPart, 2> Parts;
    auto Add = [&](Cell Of, uint8_t Bytes) {
      for (CellPart &P : Parts)
        if (P.Of == Of) {
          P.Bytes |= Bytes;
          return;
        }
      Parts.push_back({Of, Bytes});
    };
    int Last = -1; // of bit-fields and logical ones: what the numbers are about
    for (unsigned I = M.numDefs(); I < M.Inst.getNumOperands(); ++I)
      if (M.isReg(I))
        Last = int(I);
    for (unsigned I = M.numDefs(); I < M.Inst.getNumOperands(); ++I) {
      if (!M.isReg(I))
        continue;
      const Register &R = Registers[M.reg(I)];
      uint8_t Bytes = R.Bytes && R.Bytes < 8
                          ? maskTrailingOnes<uint8_t>(R.Bytes)
                          : uint8_t(0xff);
      if (int(I) == Last)
        Bytes &= bytesOfImmediate(Op);
      for (CellRef C : R.Read)
        for (unsigned K = C.First; K < C.end(); ++K)
          Add(Cell(K), C.Count == 1 ? Bytes : uint8_t(0xff));
    }
    for (MCPhysReg R : M.Desc.implicit_uses())
      for (CellRef C : readOf(R))
        for (unsigned K = C.First; K < C.end(); ++K)
          Add(Cell(K), 0xff);
    erase_if(Parts, [](CellPart P) { return P.Bytes == 0xff; });
    return Parts;
  }

  /// Which bytes of their source ubfm, sbfm, bfm (lsr, sxtw, bfi and others)
  /// and and, ands of an immediate look at. All of other instructions.
  static uint8_t bytesOfImmediate(uint32_t Op) {
    const unsigned Bits = Op >> 31 ? 64 : 32;
    const unsigned R = Op >> 16 & 63, S = Op >> 10 & 63;
    uint64_t Looked = ~uint64_t(0);
    if ((Op & 0x1f800000) == 0x13000000) {
      Looked = maskTrailingOnes<uint64_t>(S + 1);
      if (S >= R)
        Looked &= maskTrailingZeros<uint64_t>(R);
    } else if ((Op & 0x1f800000) == 0x12000000 &&
               ((Op >> 29 & 3) == 0 || (Op >> 29 & 3) == 3)) {
      // DecodeBitMasks of the manual: a run of ones, rotated, again and again.
      const unsigned Levels = (Op >> 22 & 1) << 6 | (~S & 63);
      if (Levels < 2)
        return 0xff;
      const unsigned Size = 1u << Log2_32(Levels);
      const unsigned Ones = (S & (Size - 1)) + 1, By = R & (Size - 1);
      Looked = 0;
      for (unsigned K = 0; K < Ones; ++K)
        for (unsigned At = (K + Size - By) % Size; At < Bits; At += Size)
          Looked |= uint64_t(1) << At;
    }
    uint8_t Bytes = 0;
    for (unsigned B = 0; B < 8; ++B)
      if (Looked >> 8 * B & 0xff)
        Bytes |= uint8_t(1u << B);
    return Bytes;
  }

  static CellRef register31(uint32_t Field) {
    return (Field & 0x1f) == 31 ? CellRef{} : x(Field & 0x1f);
  }

  /// The system instruction class, bits 31:22 1101010100.
  static bool system(uint32_t Op, EffectsDraft &Out) {
    if ((Op & 0xffc00000) != 0xd5000000)
      return false;
    const CellRef Rt = register31(Op);
    const bool Reads = Op >> 21 & 1;
    const unsigned Op0 = Op >> 19 & 3;
    if (Op0 >= 2) { // mrs, msr
      CellRef Named = systemRegister(Op >> 5 & 0xffff);
      if (Reads)
        Out.add({Rt}, {Named});
      else
        Out.add({Named}, {Rt});
      return true;
    }
    if (Op0 == 1) { // sys, sysl
      const bool Dc = (Op & 0xfff8f000) == 0xd5087000;
      const unsigned Op1 = Op >> 16 & 7, CRm = Op >> 8 & 15, Op2 = Op >> 5 & 7;
      if (Dc && Op1 == 3 && CRm == 4 && (Op2 == 1 || Op2 == 4)) {
        // dc zva, dc gzva
        EffectDraft &E = Out.add();
        E.Addresses = {Rt};
        E.Store = {0, MemoryPart::All};
      } else if (Reads) {
        Out.add({Rt}, {{System, 1}});
      } else if (!Dc) {
        Out.add({{System, 1}}, {Rt});
      } else {
        Out.add().Addresses = {Rt};
      }
      return true;
    }
    const unsigned CRn = Op >> 12 & 15, CRm = Op >> 8 & 15, Op2 = Op >> 5 & 7;
    switch (CRn) {
    case 2:                    // hints: those that sign or check an address
      if (CRm == 1 && Op2 < 7) // pacia1716 and others
        Out.add({x(17)}, {{X0 + 16, 2}});
      else if (CRm == 0 && Op2 == 7) // xpaclri
        Out.add({x(30)}, {x(30)}, Effect::ReturnAddress);
      else if (CRm == 3) // paciaz, paciasp and others
        Out.add({x(30)}, {x(30), Op2 & 1 ? CellRef{SP, 1} : CellRef{}},
                Effect::ReturnAddress);
      return true;
    case 3: // barriers
      if (Op2 == 2)
        Out.add({{Monitor, 1}}); // clrex
      else
        Out.Barrier = true;
      return true;
    case 4: // msr immediate; cfinv, xaflag, axflag
      if (Op >> 16 & 7 || Op2 > 2)
        Out.add({{PState, 1}}, {{PState, 1}});
      else if (Op2 == 0)
        Out.add({{C, 1}}, {{C, 1}});
      else
        Out.add({NZCV}, {NZCV});
      return true;
    default:
      return false;
    }
  }

  /// op0:op1:CRn:CRm:op2 with op0's upper bit.
  static CellRef systemRegister(unsigned Number) {
    switch (Number) {
    case 0xda10:
      return NZCV;
    case 0xda11: // DAIF
      return {PState, 1};
    case 0xda20:
      return {FPCR, 1};
    case 0xda21:
      return {FPSR, 1};
    case 0xde82:
      return {ThreadPointer, 1};
    default:
      return {System, 1};
    }
  }

  /// The operand that is the base of an address: in instructions that access
  /// memory, the last one of a class with sp. -1 if there is none.
  int baseOperand(const McOperands &M) const {
    for (unsigned I = M.Inst.getNumOperands(); I-- > M.numDefs();) {
      if (!M.isReg(I) || I >= M.Desc.getNumOperands())
        continue;
      int Class = M.Desc.operands()[I].RegClass;
      if (Class < 0)
        continue;
      StringRef Name = Target.Registers->getRegClassName(
          &Target.Registers->getRegClass(unsigned(Class)));
      if (Name.starts_with("GPR64sp"))
        return int(I);
    }
    return -1;
  }

  /// Literals; copies and sets of memory; and SVE's accesses whose addresses
  /// are in a vector: of these it is not told apart what is an address.
  void accesses(uint32_t Op, const McOperands &M, EffectsDraft &Out) const {
    if ((Op & 0x3b200c00) == 0x19000400) { // cpyp, setp and others
      const bool Sets = (Op >> 22 & 3) == 3;
      EffectDraft &E = Out.add();
      E.Addresses = {register31(Op), register31(Op >> 5)};
      (Sets ? E.Values : E.Addresses).push_back(register31(Op >> 16));
      for (MCPhysReg R : M.Desc.implicit_uses())
        append(E.Values, readOf(R));
      if (!Sets)
        E.Load = {0, MemoryPart::All};
      E.Store = {0, MemoryPart::All};
      return;
    }
    const bool Literal = (Op & 0x3b000000) == 0x18000000;
    const bool Scalable =
        (Op & 0x1e000000) == 0x04000000 || Op >> 29 == 4 || Op >> 29 == 7;
    if (!Literal && !Scalable)
      return;
    if (M.Desc.mayLoad()) {
      if (Out.Effects.empty())
        Out.add();
      for (EffectDraft &E : Out.Effects) {
        E.Load = {0, MemoryPart::All};
        if (Literal && !E.Writes.empty() &&
            (Op >> 30 != 2 || Op >> 26 & 1)) { // not ldrsw
          E.Flags |= Effect::Copy;
          E.Moved = {E.Writes[0].First,
                     uint16_t(Op >> 26 & 1 ? 1 << (Op >> 30) : 1)};
        }
      }
    } else if (M.Desc.mayStore()) {
      EffectDraft &E = Out.add();
      for (unsigned I = 0; I < M.Inst.getNumOperands(); ++I)
        if (M.isReg(I))
          append(E.Values, readOf(M.reg(I)));
      E.Store = {0, MemoryPart::All};
    }
  }

  CellList readOf(unsigned R) const { return Registers[R].Read; }

  /// Everything that has no address.
  void compute(uint32_t Op, StringRef Name, const McOperands &M,
               EffectsDraft &Out) const {
    CellList Values, Data;
    bool WritesFlags = false;
    for (unsigned I = 0; I < M.Inst.getNumOperands(); ++I) {
      if (!M.isReg(I))
        continue;
      if (I < M.numDefs())
        append(Data, Registers[M.reg(I)].Write);
      else
        append(Values, readOf(M.reg(I)));
    }
    for (MCPhysReg R : M.Desc.implicit_uses())
      append(Values, readOf(R));
    for (MCPhysReg R : M.Desc.implicit_defs())
      append(Data, Registers[R].Write);
    // Which flags it reads.
    auto looksAt = [&](CellList Flags) {
      erase_if(Values, [](CellRef C) { return C == NZCV; });
      append(Values, Flags);
    };
    if ((Op & 0x1fe00000) == 0x1a800000 || // csel
        (Op & 0x1fe00000) == 0x1a400000 || // ccmp
        (Op & 0x5f200400) == 0x1e200400)   // fcsel, fccmp
      looksAt(conditionCells(Op >> 12 & 15));
    else if ((Op & 0x1fe0fc00) == 0x1a000000) // adc, sbc
      looksAt({{C, 1}});
    // Which flags it writes.
    erase_if(Data, [&](CellRef C) {
      WritesFlags |= C == NZCV;
      return C == NZCV;
    });
    normalise(Values);
    if (Name.starts_with("EOR") && M.numDefs() == 1 && isSame(M, Op))
      Values.clear();
    insertElement(Op, Data, Values);
    takeElement(Op, Values);
    if (rearranges(Op, Out))
      return;
    if (!Data.empty()) {
      EffectDraft &E = Out.add(Data, Values);
      simple(Op, Name, E);
      if (!(E.Flags & Effect::Copy))
        E.Flags |= lanes(Op);
    } else if (!WritesFlags) { // to a zero register
      Out.add({}, Values);
    }
    if (!WritesFlags)
      return;
    CellList Flags = {NZCV};
    if ((Op & 0xffffbc1f) == 0x3a00080d) // setf8, setf16
      Flags = {{N, 2}, {V, 1}};
    else if ((Op & 0xffe07c10) == 0xba000400) { // rmif
      Flags.clear();
      for (unsigned K = 0; K < 4; ++K)
        if (Op & (8u >> K))
          Flags.push_back({Cell(N + K), 1});
    }
    Out.add(Flags, Values);
  }

  /// x ^ x, of vectors without a mask as well.
  static bool isSame(const McOperands &M, uint32_t Op) {
    unsigned Rn = Op >> 5 & 31, Rm = Op >> 16 & 31;
    bool General = (Op & 0x1f20fc00) == 0x0a000000;
    bool Vector = (Op & 0xbfe0fc00) == 0x2e201c00;
    return (General || Vector) && Rn == Rm && M.isReg(1);
  }

  /// ins, fmov to the upper half: what is not inserted stays. An element that
  /// is less than a cell changes all of it.
  static void insertElement(uint32_t Op, CellList &Data, CellList &Values) {
    unsigned Rd = Op & 31, Rn = Op >> 5 & 31;
    const bool General = (Op & 0xffe0fc00) == 0x4e001c00;
    const bool Element = (Op & 0xffe08400) == 0x6e000400;
    const bool High = (Op & 0xfffffc00) == 0x9eaf0000;
    if (!General && !Element && !High)
      return;
    const unsigned Imm5 = Op >> 16 & 31;
    if (!High && !(Imm5 & 15))
      return;
    const unsigned Log = High ? 3 : unsigned(llvm::countr_zero(Imm5));
    const unsigned To = High ? 1 : Imm5 >> (Log + 1);
    auto cells = [&](unsigned R, unsigned Index) {
      unsigned Byte = Index << Log;
      return CellRef{Cell(Vec + 4 * R + Byte / 4), uint16_t(Log == 3 ? 2 : 1)};
    };
    Data = {cells(Rd, To)};
    Values.clear();
    if (Element)
      Values.push_back(cells(Rn, (Op >> 11 & 15) >> Log));
    else
      Values.push_back(register31(Rn));
    if (Log < 2)
      Values.push_back(Data[0]);
  }

  static bool insertsElement(uint32_t Op) {
    return (Op & 0xffe0fc00) == 0x4e001c00 || (Op & 0xffe08400) == 0x6e000400;
  }

  /// smov, umov, fmov from the upper half: what they read of a register.
  static void takeElement(uint32_t Op, CellList &Values) {
    const unsigned Rn = Op >> 5 & 31, Imm5 = Op >> 16 & 31;
    if ((Op & 0xfffffc00) == 0x9eae0000)
      Values = {elementCells(Rn, 8, 8)};
    else if (((Op & 0xbfe0fc00) == 0x0e003c00 ||
              (Op & 0xbfe0fc00) == 0x0e002c00) &&
             Imm5 & 15) {
      const unsigned Log = unsigned(llvm::countr_zero(Imm5));
      Values = {elementCells(Rn, (Imm5 >> (Log + 1)) << Log, 1u << Log)};
    }
  }

  /// A byte of a vector register; none: a zero.
  struct VectorByte {
    unsigned R = 0, Byte = 0;
  };
  using VectorBytes = SmallVector<VectorByte, 16>;

  /// Where the bytes of the result come from: zip, uzp, trn, ext, rev, dup.
  /// Empty: it is another instruction.
  static VectorBytes sources(uint32_t Op) {
    const unsigned Rn = Op >> 5 & 31, Rm = Op >> 16 & 31;
    const unsigned Bytes = Op >> 30 & 1 ? 16 : 8;
    VectorBytes From;
    // Byte Of of two registers side by side.
    auto Add = [&](unsigned Of) {
      From.push_back({Of < Bytes ? Rn : Rm, Of % Bytes});
    };
    if ((Op & 0xbf208c00) == 0x0e000800 && (Op >> 12 & 3)) { // zip and others
      const unsigned Log = Op >> 22 & 3, Count = Bytes >> Log;
      const unsigned Second = Op >> 14 & 1;
      for (unsigned B = 0; B < Bytes; ++B) {
        const unsigned I = B >> Log, In = B & ((1u << Log) - 1);
        unsigned From = 0; // the element
        switch (Op >> 12 & 3) {
        case 1: // uzp
          From = 2 * I + Second;
          break;
        case 2: // trn
          From = (I & ~1u) + Second + (I & 1) * Count;
          break;
        case 3: // zip
          From = Second * Count / 2 + I / 2 + (I & 1) * Count;
          break;
        }
        Add((From << Log) + In);
      }
    } else if ((Op & 0xbfe08400) == 0x2e000000) { // ext
      for (unsigned B = 0; B < Bytes; ++B)
        Add((Op >> 11 & 15) + B);
    } else if ((Op & 0x9f3eec00) == 0x0e200800) { // rev64, rev32, rev16
      const unsigned Log = Op >> 22 & 3;
      const unsigned Whole = Op >> 12 & 1 ? 2 : Op >> 29 & 1 ? 4 : 8;
      if ((Op >> 12 & 1 && Op >> 29 & 1) || (1u << Log) >= Whole)
        return {};
      for (unsigned B = 0; B < Bytes; ++B) {
        const unsigned Last = (Whole >> Log) - 1;
        Add((B & ~(Whole - 1)) + ((Last - ((B & (Whole - 1)) >> Log)) << Log) +
            (B & ((1u << Log) - 1)));
      }
    } else if (const bool Scalar = (Op & 0xffe0fc00) == 0x5e000400;
               Scalar || (Op & 0xbfe0fc00) == 0x0e000400) { // dup
      const unsigned Imm5 = Op >> 16 & 31;
      if (!(Imm5 & 15))
        return {};
      const unsigned Log = unsigned(llvm::countr_zero(Imm5));
      for (unsigned B = 0; B < (Scalar ? 1u << Log : Bytes); ++B)
        From.push_back({Rn, ((Imm5 >> (Log + 1)) << Log) + B % (1u << Log)});
    }
    return From;
  }

  /// An effect for each part of the result that comes from elsewhere.
  static bool rearranges(uint32_t Op, EffectsDraft &Out) {
    const VectorBytes From = sources(Op);
    if (From.empty())
      return false;
    const Cell First = Cell(Vec + 4 * (Op & 31));
    auto cellOf = [](VectorByte B) { return Cell(Vec + 4 * B.R + B.Byte / 4); };
    for (unsigned K = 0; K < 4; ++K) {
      CellList Values;
      bool Copies = true;
      for (unsigned B = 4 * K; B < 4 * K + 4; ++B) {
        if (B >= From.size()) {
          Copies = false;
          continue;
        }
        Values.push_back({cellOf(From[B]), 1});
        Copies &= From[B].Byte % 4 == B % 4 && Values.back() == Values.front();
      }
      normalise(Values);
      const Cell To = Cell(First + K);
      EffectDraft *Last = Out.Effects.empty() ? nullptr : &Out.Effects.back();
      const bool Joins = Last && Last->Moved.Count && Copies &&
                         Last->Values.back().end() == Values[0].First;
      if (Joins) { // 8 bytes that lie side by side
        ++Last->Values.back().Count;
        ++Last->Writes.back().Count;
        ++Last->Moved.Count;
      } else if (Last && Last->Values == Values) { // several times the same
        Last->Writes.push_back({To, 1});
        Last->Flags = 0;
        Last->Moved = {};
      } else {
        EffectDraft &E = Out.add({{To, 1}}, Values);
        if (Copies) {
          E.Flags = Effect::Copy;
          E.Moved = {To, 1};
        }
      }
    }
    return true;
  }

  /// Whether a vector instruction works element by element: bit 22 tells of all
  /// of these whether elements may have 8 bytes.
  static uint16_t lanes(uint32_t Op) {
    const bool U = Op >> 29 & 1;
    bool Lanes = false;
    if ((Op & 0x9f200400) == 0x0e200400) { // three of the same
      switch (Op >> 11 & 31) {
      case 0x14: // pairs: smaxp, sminp, addp
      case 0x15:
      case 0x17:
        break;
      case 0x18: // fmaxnmp, faddp, fmaxp; fmlal2
      case 0x19:
      case 0x1a:
      case 0x1e:
        Lanes = !U;
        break;
      case 0x1d: // fmlal
        Lanes = U;
        break;
      default:
        Lanes = true;
      }
    } else if ((Op & 0x9f3e0c00) == 0x0e200800) { // two
      switch (Op >> 12 & 31) {
      case 0x00: // rev
      case 0x01:
      case 0x02: // they add pairs
      case 0x06:
      case 0x12: // they make elements narrower or wider
      case 0x13:
      case 0x14:
      case 0x16:
      case 0x17:
        break;
      default:
        Lanes = true;
      }
    } else if ((Op & 0x9f800400) == 0x0f000400 && Op >> 19 & 15) { // shifts
      const unsigned Opcode = Op >> 11 & 31;
      Lanes = Opcode < 0x10 || Opcode >= 0x1c;
    }
    if (!Lanes)
      return 0;
    return Op >> 22 & 1 ? Effect::Lanes8 : Effect::Lanes4;
  }

  /// Moves, and additions of constants.
  static void simple(uint32_t Op, StringRef Name, EffectDraft &E) {
    if (E.Values.size() != 1)
      return;
    const bool MovesGeneral = (Op & 0x7fe0ffe0) == 0x2a0003e0;
    // add or sub of a 64-bit register and an immediate
    if ((Op & 0xbf800000) == 0x91000000) {
      int64_t Addend = int64_t(Op >> 10 & 0xfff) << (Op >> 22 & 1 ? 12 : 0);
      if (Op >> 30 & 1)
        Addend = -Addend;
      E.Flags |= Addend ? Effect::AddConstant : Effect::Copy;
      E.Addend = Addend;
      E.Moved = Addend ? CellRef{} : E.Writes[0];
    } else if (MovesGeneral) {
      E.Flags |= Effect::Copy;
      E.Moved = E.Writes[0];
    } else if (Name == "FMOVXDr") {
      E.Flags |= Effect::Copy;
      E.Moved = {E.Writes[0].First, 2};
    } else if (Name == "FMOVDr" || Name == "FMOVSr" || Name == "FMOVWSr" ||
               Name == "FMOVDXr" || Name == "FMOVSWr" ||
               Name == "FMOVDXHighr" || Name == "FMOVXDHighr" ||
               Name.starts_with("UMOVvi32") || Name.starts_with("UMOVvi64") ||
               (insertsElement(Op) && (Op >> 16 & 3) == 0) ||
               ((Op & 0xbfe0fc00) == 0x0ea01c00 &&
                (Op >> 5 & 31) == (Op >> 16 & 31))) { // orr with itself: mov
      E.Flags |= Effect::Copy;
      E.Moved = {E.Writes[0].First,
                 Name == "FMOVXDHighr" || insertsElement(Op)
                     ? E.Writes[0].Count
                     : std::min(E.Writes[0].Count, E.Values[0].Count)};
    }
  }

  void memory(uint32_t Op, StringRef Name, const McOperands &M, unsigned Base,
              EffectsDraft &Out) const {
    CellList Address;
    CellRef BaseCell;
    int Written = -1; // the def that gets the new address
    for (unsigned I = Base; I < M.Inst.getNumOperands(); ++I)
      if (M.isReg(I)) {
        append(Address, readOf(M.reg(I)));
        if (I == Base) {
          Written = M.tiedTo(I);
          if (!Address.empty())
            BaseCell = Address[0];
        }
      }
    for (MCPhysReg R : M.Desc.implicit_uses())
      append(Address, readOf(R));
    const bool Exclusive = (Op & 0x3f000000) == 0x08000000;
    const bool Swap = Name.starts_with("CAS");
    // LLVM lets exclusive accesses do both.
    const bool Plain = Exclusive && !Swap;
    const bool Loads = Plain ? Op >> 22 & 1 : M.Desc.mayLoad();
    const bool Stores = Plain ? !Loads : M.Desc.mayStore();
    // The other registers.
    SmallVector<unsigned, 4> Loaded, Stored;
    CellList Kept; // of what is loaded: predicates, the rest of a vector
    for (unsigned I = 0; I < Base; ++I) {
      if (!M.isReg(I) || int(I) == Written)
        continue;
      if (I < M.numDefs())
        Loaded.push_back(M.reg(I));
      else if (Stores)
        Stored.push_back(M.reg(I));
      else
        append(Kept, readOf(M.reg(I)));
    }
    if (Loads && Stores)
      atomic(Op, Name, Loaded, Stored, Address, Swap, Out);
    else if (Loads)
      load(Op, Name, Loaded, Kept, Address, Out);
    else
      store(Op, Name, Loaded, Stored, Address, Out);
    if (Written >= 0)
      writeback(Op, M, Base, BaseCell, Out);
    // ldxr and stxr; not ldar, stlr and cas.
    if (Plain && !(Op >> 23 & 1) && Loads) {
      EffectDraft &E = Out.add({{Monitor, 1}});
      E.Addresses = Address;
    }
  }

  void load(uint32_t Op, StringRef Name, ArrayRef<unsigned> Loaded,
            const CellList &Kept, const CellList &Address,
            EffectsDraft &Out) const {
    const bool List = isList(Op);
    unsigned Offset = 0;
    for (unsigned R : Loaded) {
      const Register &Reg = Registers[R];
      // An interleaved list goes everywhere.
      const bool Apart = Loaded.size() > 1 || (List && Name.starts_with("LD1"));
      for (CellRef Part : Reg.Parts) {
        // A zero register has no size of its own: all of a pair have one.
        unsigned Bytes =
            Name.starts_with("LDPSW") ? 4 : pairBytes(Op, Reg.Bytes);
        EffectDraft E;
        E.Addresses = Address;
        E.Values = Kept;
        E.Load = Apart ? MemoryPart{uint16_t(Offset), uint16_t(Bytes)}
                       : MemoryPart{0, MemoryPart::All};
        Offset += Bytes;
        if (Part.Count)
          E.Writes = {Part.First >= Vec ? CellRef{Part.First, 4} : Part};
        if (Part.Count && copies(Op, Name) && Kept.empty() &&
            (Apart || !List)) {
          E.Flags |= Effect::Copy;
          E.Moved = Part;
        }
        Out.Effects.push_back(std::move(E));
      }
    }
    singleElement(Op, Out);
  }

  void store(uint32_t Op, StringRef Name, ArrayRef<unsigned> Status,
             ArrayRef<unsigned> Stored, const CellList &Address,
             EffectsDraft &Out) const {
    const bool List = isList(Op);
    const bool Exclusive = !Status.empty() && (Op & 0x3f000000) == 0x08000000;
    // Stores of SVE, which tells no size. st2g stores tags.
    const bool Predicated =
        !List && !isSingle(Op) && !Name.starts_with("ST2G") &&
        any_of(ArrayRef<StringRef>{"ST1", "ST2", "ST3", "ST4", "STNT1"},
               [&](StringRef N) { return Name.contains(N); });
    unsigned Offset = 0, Count = 0;
    for (unsigned R : Stored)
      Count += Registers[R].Parts.size();
    const bool Apart = Count > 1 && !Predicated && !isSingle(Op) &&
                       (!List || Name.starts_with("ST1"));
    if (!Apart) {
      EffectDraft &E = Out.add();
      E.Addresses = Address;
      for (unsigned R : Stored)
        append(E.Values, readOf(R));
      E.Store = {0, MemoryPart::All};
      if (copies(Op, Name) && Count == 1 && E.Values.size() == 1) {
        E.Flags |= Effect::Copy;
        E.Moved = E.Values[0];
      }
      if (isSingle(Op))
        storedElement(Op, E);
    } else {
      for (unsigned R : Stored) {
        for (CellRef Part : Registers[R].Parts) {
          // A zero register has no size of its own: all of a pair have one.
          unsigned Bytes = pairBytes(Op, Registers[R].Bytes);
          EffectDraft &E = Out.add({}, {Part});
          E.Addresses = Address;
          E.Store = {uint16_t(Offset), uint16_t(Bytes)};
          Offset += Bytes;
          if (Part.Count) {
            E.Flags |= Effect::Copy;
            E.Moved = Part;
          }
        }
      }
    }
    if (!Exclusive)
      return;
    for (EffectDraft &E : Out.Effects) {
      E.Values.push_back({Monitor, 1});
      E.Flags &= uint16_t(~Effect::Copy);
      E.Moved = {};
    }
    for (unsigned R : Status) {
      EffectDraft &E = Out.add(Registers[R].Write, {{Monitor, 1}});
      E.Addresses = Address;
    }
    Out.add({{Monitor, 1}});
  }

  /// What is in memory goes to a register, and something goes to memory.
  void atomic(uint32_t Op, StringRef Name, ArrayRef<unsigned> Loaded,
              ArrayRef<unsigned> Stored, const CellList &Address, bool Compares,
              EffectsDraft &Out) const {
    for (unsigned R : Loaded) {
      unsigned Offset = 0;
      for (CellRef Part : Registers[R].Parts) {
        EffectDraft &E = Out.add({Part});
        E.Addresses = Address;
        const bool Pair = Registers[R].Parts.size() > 1;
        E.Load = {uint16_t(Offset),
                  Pair ? uint16_t(Registers[R].Bytes) : MemoryPart::All};
        Offset += Registers[R].Bytes;
        if (Part.Count && !Compares && copies(Op, Name)) {
          E.Flags |= Effect::Copy;
          E.Moved = Part;
        }
      }
    }
    EffectDraft &E = Out.add();
    E.Addresses = Address;
    for (unsigned R : Stored)
      append(E.Values, readOf(R));
    E.Store = {0, MemoryPart::All};
    if (!Name.starts_with("SWP"))
      E.Load = {0, MemoryPart::All};
  }

  void writeback(uint32_t Op, const McOperands &M, unsigned Base, CellRef Cell,
                 EffectsDraft &Out) const {
    EffectDraft &E = Out.add({Cell}, {Cell}, Effect::Writeback);
    bool Register = false;
    for (unsigned I = Base + 1; I < M.Inst.getNumOperands(); ++I)
      if (M.isReg(I) && !readOf(M.reg(I)).empty()) {
        append(E.Values, readOf(M.reg(I)));
        Register = true;
      }
    if (Register || isSingle(Op))
      return;
    if (isList(Op)) {
      static constexpr uint8_t Count[] = {4, 0, 4, 0, 3, 0, 3, 1,
                                          2, 0, 2, 0, 0, 0, 0, 0};
      E.Flags |= Effect::AddConstant;
      E.Addend = Count[Op >> 12 & 15] * (Op >> 30 & 1 ? 16 : 8);
      return;
    }
    E.Flags |= Effect::AddConstant;
    if ((Op & 0x3a000000) == 0x28000000) // pairs
      E.Addend = SignExtend64<7>(Op >> 15 & 0x7f) *
                 (isTagged(Op) ? 16 : pairBytes(Op, 0));
    else if ((Op & 0x3b200c00) == 0x38000400 || (Op & 0x3b200c00) == 0x38000c00)
      E.Addend = SignExtend64<9>(Op >> 12 & 0x1ff);
    else
      E.Flags &= uint16_t(~Effect::AddConstant);
  }

  // The classes of loads and stores.
  static bool isList(uint32_t Op) { return (Op & 0xbf000000) == 0x0c000000; }
  static bool isSingle(uint32_t Op) { return (Op & 0xbf000000) == 0x0d000000; }
  /// Bytes of each register of a pair; \p Otherwise if it is none.
  static unsigned pairBytes(uint32_t Op, unsigned Otherwise) {
    if ((Op & 0x3a000000) != 0x28000000)
      return Otherwise;
    if (Op >> 26 & 1)
      return 4u << (Op >> 30);
    // 01: ldpsw, and stgp.
    return Op >> 31 || isTagged(Op) ? 8 : 4;
  }
  /// stgp counts in granules of 16 bytes.
  static bool isTagged(uint32_t Op) { return (Op & 0xfc400000) == 0x68000000; }

  /// Whether a register gets what is in memory, or the other way round, and no
  /// sign is extended.
  static bool copies(uint32_t Op, StringRef Name) {
    if ((Op & 0x0a000000) != 0x08000000)
      return false; // SVE and others
    return !Name.contains("RS") || !Name.starts_with("LD");
  }

  /// ld1 to one element keeps the others; ld1r fills all.
  static void singleElement(uint32_t Op, EffectsDraft &Out) {
    if (!isSingle(Op))
      return;
    for (EffectDraft &E : Out.Effects) {
      E.Flags &= uint16_t(~Effect::Copy);
      E.Moved = {};
    }
    const unsigned Opcode = Op >> 13 & 7;
    if (Opcode >= 6) { // replicated
      for (EffectDraft &E : Out.Effects)
        E.Values.clear();
      return;
    }
    const unsigned Count = 1 + (Opcode & 1) * 2 + (Op >> 21 & 1);
    const auto [Byte, Bytes] = element(Op);
    Out.Effects.resize(1);
    EffectDraft First = Out.Effects[0];
    Out.Effects.clear();
    for (unsigned K = 0; K < Count; ++K) {
      EffectDraft E = First;
      E.Writes = {elementCells((Op + K) & 31, Byte, Bytes)};
      E.Values.clear();
      if (Bytes < 4)
        E.Values = E.Writes;
      E.Load = {uint16_t(K * Bytes), uint16_t(Bytes)};
      Out.Effects.push_back(std::move(E));
    }
  }

  static void storedElement(uint32_t Op, EffectDraft &E) {
    const unsigned Count = 1 + (Op >> 13 & 1) * 2 + (Op >> 21 & 1);
    const auto [Byte, Bytes] = element(Op);
    E.Flags &= uint16_t(~Effect::Copy);
    E.Moved = {};
    E.Values.clear();
    for (unsigned K = 0; K < Count; ++K)
      E.Values.push_back(elementCells((Op + K) & 31, Byte, Bytes));
  }

  /// Where in the registers ld1..ld4 and st1..st4 of single structures work.
  static std::pair<unsigned, unsigned> element(uint32_t Op) {
    const unsigned Index = (Op >> 30 & 1) << 3 | (Op >> 10 & 7);
    switch (Op >> 14 & 3) {
    case 0:
      return {Index, 1};
    case 1:
      return {Index & 14, 2};
    default:
      return Op >> 10 & 1 ? std::pair(Index & 8, 8u)
                          : std::pair(Index & 12, 4u);
    }
  }
  static CellRef elementCells(unsigned R, unsigned Byte, unsigned Bytes) {
    return {Cell(Vec + 4 * R + Byte / 4), uint16_t(Bytes == 8 ? 2 : 1)};
  }
};

} // namespace

std::unique_ptr<EffectsDecoder> makeA64Effects() {
  return std::make_unique<A64Effects>();
}

} // namespace rw::dataflow
