//===- Arm32Effects.cpp - What A32 and T32 instructions read and write ----===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's tables, and what they lack: which flags are read and written, Q and
// GE, lists of registers, arguments of system calls, what it means to be in an
// IT block. Semantics are those of the Arm Architecture Reference Manual
// (DDI 0487), chapter F5.
//
//===----------------------------------------------------------------------===//

#include "core/dataflow/ArmConditions.h"
#include "core/dataflow/EffectsDraft.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace rw::dataflow {
namespace {

using namespace armcell;

constexpr CellRef NZCV = {N, 4};
CellRef one(unsigned C) { return {Cell(C), 1}; }
CellRef general(unsigned R) { return one(R < 13 ? X0 + R : R13 + (R - 13)); }

struct Register {
  SmallVector<CellRef, 4> Parts; ///< in the order of lists
  unsigned Bytes = 0;            ///< of each
  bool IsPC = false;
};

Register describe(StringRef Name) {
  Register R;
  if (Name == "PC") {
    R.IsPC = true;
    R.Bytes = 4;
    return R;
  }
  auto system = [&](CellRef C) {
    R.Parts = {C};
    R.Bytes = 4;
    return R;
  };
  if (Name == "CPSR" || Name == "APSR_NZCV" || Name == "APSR")
    return system(NZCV);
  if (Name == "FPSCR_NZCV")
    return system(one(FPFlags));
  if (Name == "FPSCR")
    return system({FPFlags, 3});
  if (Name == "VPR" || Name == "P0")
    return system(one(VPR));
  if (Name == "SPSR")
    return system(one(PState));
  if (Name.starts_with("FPEXC") || Name.starts_with("FPINST") ||
      Name.starts_with("FPSID") || Name.starts_with("MVFR"))
    return system(one(System));
  SmallVector<StringRef, 4> Names;
  Name.split(Names, '_');
  for (StringRef Part : Names) {
    unsigned Number = 0;
    if (Part == "SP" || Part == "LR") {
      R.Parts.push_back(general(Part == "SP" ? 13 : 14));
      R.Bytes = 4;
      continue;
    }
    if (Part.empty() || Part.drop_front().getAsInteger(10, Number) ||
        Number > 31)
      return {};
    switch (Part[0]) {
    case 'R':
      if (Number > 12)
        return {};
      R.Parts.push_back(general(Number));
      R.Bytes = 4;
      break;
    case 'S':
      R.Parts.push_back(one(Vec + Number));
      R.Bytes = 4;
      break;
    case 'D':
      R.Parts.push_back({Cell(Vec + 2 * Number), 2});
      R.Bytes = 8;
      break;
    case 'Q':
      R.Parts.push_back({Cell(Vec + 4 * Number), 4});
      R.Bytes = 16;
      break;
    default:
      return {};
    }
  }
  return R;
}

/// What an instruction makes: a register, or where the program goes on.
struct Destination {
  CellList Cells;
  bool IsPC = false;
};

class Arm32Effects final : public EffectsDecoder {
public:
  bool decode(const OpcodeQuery &Q, EffectsDraft &Out) override {
    if (Q.Isa == ISA::A32)
      return decode(Q, A32, Out);
    // A would store pc exclusively there, which nobody may; M has tt.
    if ((Q.Opcode & 0xfff0f000) == 0xe840f000 && decode(Q, T32M, Out))
      return true;
    // Where the profiles have the same encodings for different things, A is
    // meant: the others have no vector units of that kind.
    return decode(Q, T32A, Out) || decode(Q, T32M, Out);
  }

private:
  struct Set {
    std::unique_ptr<McTarget> Target;
    std::vector<Register> Registers;
    bool Fallback = false;
  };
  Set A32, T32A{nullptr, {}, true}, T32M;
  /// What is being decoded.
  struct Context {
    const OpcodeQuery &Q;
    const Set &In;
    McOperands M;
    StringRef Name; ///< without t or t2
    CellList Predicate;
    bool Thumb, Narrow;
    uint32_t op() const { return uint32_t(Q.Opcode); }
    const Register &reg(unsigned I) const { return In.Registers[M.reg(I)]; }
    bool isMemory(unsigned I) const {
      return I < M.Desc.getNumOperands() &&
             M.Desc.operands()[I].OperandType == MCOI::OPERAND_MEMORY;
    }
    bool isPredicate(unsigned I) const {
      return I < M.Desc.getNumOperands() && M.Desc.operands()[I].isPredicate();
    }
    bool isFlagsOut(unsigned I) const {
      return I < M.Desc.getNumOperands() &&
             M.Desc.operands()[I].isOptionalDef();
    }
  };

  bool decode(const OpcodeQuery &Q, Set &In, EffectsDraft &Out) {
    if (!In.Target) {
      In.Target = std::make_unique<McTarget>(Q.Isa, In.Fallback);
      if (*In.Target)
        for (unsigned R = 0; R < In.Target->Registers->getNumRegs(); ++R)
          In.Registers.push_back(
              describe(R ? In.Target->Registers->getName(R) : ""));
    }
    if (!*In.Target)
      return false;
    MCInst Inst;
    uint64_t Size = 0;
    auto Status =
        In.Target->Decoder->getInstruction(Inst, Size, Q.Bytes, 0, nulls());
    const bool IsIt = Q.Isa == ISA::T32 && Q.Bytes.size() == 2 &&
                      Q.Bytes[1] == 0xbf && (Q.Bytes[0] & 0xf);
    if (IsIt) { // the decoder remembers it
      In.Target->resetDecoder();
      return true;
    }
    if (Status == MCDisassembler::Fail || Size != Q.Bytes.size())
      return false;
    StringRef Name = In.Target->Instructions->getName(Inst.getOpcode());
    const bool Thumb = Q.Isa == ISA::T32;
    if (Thumb && !Name.consume_front("t2"))
      Name.consume_front("t");
    Context C{Q,
              In,
              {Inst, In.Target->Instructions->get(Inst.getOpcode())},
              Name,
              {},
              Thumb,
              Q.Bytes.size() == 2};
    C.Predicate = predicate(C);
    Out.Predicate = C.Predicate;
    if (Q.Class == InsnClass::ExceptionReturn) {
      Out.add({}, {one(System)}, Effect::Flow);
      return true;
    }
    if (special(C, Out))
      return true;
    if (isList(C))
      list(C, Out);
    else if (isStructure(C))
      structure(C, Out);
    else if (Name.starts_with("MVE_VLD") || Name.starts_with("MVE_VST"))
      mve(C, Out);
    else if (any_of(seq<unsigned>(0, Inst.getNumOperands()),
                    [&](unsigned I) { return C.isMemory(I); }))
      memory(C, Out);
    else
      compute(C, Out);
    return true;
  }

  static CellList predicate(const Context &C) {
    if (C.Thumb && C.Q.ItCondition != NoItCondition)
      return conditionCells(C.Q.ItCondition);
    for (unsigned I = 0; I < C.M.Inst.getNumOperands(); ++I)
      if (C.isPredicate(I) && C.M.isImm(I))
        return conditionCells(unsigned(C.M.imm(I)));
    return {};
  }

  /// Where the program goes on is decided by the condition as well.
  static EffectDraft &flow(const Context &C, CellList Values,
                           EffectsDraft &Out) {
    append(Values, C.Predicate);
    return Out.add({}, Values, Effect::Flow);
  }

  /// What LLVM's operands do not tell. False: it is something else.
  static bool special(const Context &C, EffectsDraft &Out) {
    StringRef Name = C.Name;
    const McOperands &M = C.M;
    if (Name == "SVC") {
      // Linux: the number in r7, at most seven arguments.
      Out.add({general(0)}, {{X0, 8}}, Effect::System);
      return true;
    }
    if (Name == "HVC" || Name == "SMC" || Name == "BKPT" || Name == "UDF" ||
        Name.starts_with("HINT"))
      return true;
    if (Name.starts_with("PLD") || Name.starts_with("PLI")) {
      // The address is read, memory is not.
      EffectDraft &E = Out.add();
      for (unsigned I = 0; I < M.Inst.getNumOperands(); ++I)
        if (M.isReg(I) && !C.isPredicate(I))
          append(E.Addresses, CellList(C.reg(I).Parts));
      return true;
    }
    if (Name == "DMB" || Name == "DSB" || Name == "ISB" || Name == "TSB") {
      Out.Barrier = true;
      return true;
    }
    if (Name == "CLREX") {
      Out.add({one(Monitor)});
      return true;
    }
    if (Name.starts_with("MRS")) {
      CellList From = Name == "MRS" || Name == "MRS_AR" || Name == "MRS_M"
                          ? CellList{{N, 7}}
                          : CellList{one(System)};
      if (M.isReg(0) && !C.reg(0).Parts.empty())
        Out.add({C.reg(0).Parts[0]}, From);
      return true;
    }
    if (Name.starts_with("MSR")) {
      CellList Values;
      unsigned Mask = 0;
      for (unsigned I = 0; I < M.Inst.getNumOperands(); ++I) {
        if (C.isPredicate(I))
          continue;
        if (M.isReg(I))
          append(Values, CellList(C.reg(I).Parts));
        else if (I == 0 && M.isImm(0))
          Mask = unsigned(M.imm(0));
      }
      if (Name == "MSRbanked" || (C.Thumb && Name == "MSR_M" && Mask > 0xc00)) {
        Out.add({one(System)}, Values);
        return true;
      }
      if (Name == "MSR_M") // which fields, bits 11 and 10 tell
        Mask = Mask >> 8 & 0xc;
      if (Mask & 16) { // spsr
        Out.add({one(System)}, Values);
        return true;
      }
      if (Mask & 8)
        Out.add({{N, 5}}, Values);
      if (Mask & 4)
        Out.add({one(GE)}, Values);
      if (Mask & 3) {
        Values.push_back(one(PState));
        Out.add({one(PState)}, Values);
      }
      return true;
    }
    if (Name.starts_with("CPS") || Name.starts_with("SETEND") ||
        Name.starts_with("SETPAN")) {
      Out.add({one(PState)}, {one(PState)});
      return true;
    }
    if (Name == "FMSTAT") {
      Out.add({NZCV}, {one(FPFlags)}, Effect::Copy).Moved = NZCV;
      return true;
    }
    if (Name == "VMRS") {
      Out.add(CellList(C.reg(0).Parts), {{FPFlags, 3}});
      return true;
    }
    if (Name == "VMSR") {
      Out.add({{FPFlags, 3}}, CellList(C.reg(0).Parts));
      return true;
    }
    if (Name.starts_with("MRC") || Name.starts_with("MRRC") ||
        Name.starts_with("MCR") || Name.starts_with("MCRR")) {
      CellList Registers;
      for (unsigned I = 0; I < M.Inst.getNumOperands(); ++I)
        if (M.isReg(I) && !C.isPredicate(I))
          append(Registers, CellList(C.reg(I).Parts));
      if (Name[1] == 'R')
        Out.add(Registers, {one(System)});
      else
        Out.add({one(System)}, Registers);
      return true;
    }
    return branch(C, Out);
  }

  static bool branch(const Context &C, EffectsDraft &Out) {
    const McOperands &M = C.M;
    StringRef Name = C.Name;
    if (Name.starts_with("CBZ") || Name.starts_with("CBNZ")) {
      flow(C, CellList(C.reg(0).Parts), Out);
      return true;
    }
    switch (C.Q.Class) {
    case InsnClass::CondBranch:
    case InsnClass::Branch:
      if (!C.Predicate.empty())
        flow(C, {}, Out);
      return true;
    case InsnClass::Call:
    case InsnClass::IndirectCall: {
      CellList Target;
      for (unsigned I = 0; I < M.Inst.getNumOperands(); ++I)
        if (M.isReg(I) && !C.isPredicate(I))
          append(Target, CellList(C.reg(I).Parts));
      Out.add({one(R14)}, {}, Effect::ReturnAddress);
      if (!Target.empty() || !C.Predicate.empty())
        flow(C, Target, Out);
      return true;
    }
    default:
      break;
    }
    if (Name.starts_with("BX") || Name.starts_with("BXJ") || Name == "Br") {
      CellList Target;
      for (unsigned I = 0; I < M.Inst.getNumOperands(); ++I)
        if (M.isReg(I) && !C.isPredicate(I))
          append(Target, CellList(C.reg(I).Parts));
      // LLVM names no register where there is only one.
      if (Target.empty())
        Target = {one(R14)};
      flow(C, Target, Out);
      return true;
    }
    if (Name == "TBB" || Name == "TBH") {
      EffectDraft &E = flow(C, {}, Out);
      for (unsigned I = 0; I < 2; ++I)
        append(E.Addresses, CellList(C.reg(I).Parts));
      E.Load = {0, MemoryPart::All};
      return true;
    }
    return false;
  }

  static bool isList(const Context &C) {
    StringRef N = C.Name;
    return N == "PUSH" || N == "POP" || N.starts_with("LDM") ||
           N.starts_with("STM") || N.starts_with("sysLDM") ||
           N.starts_with("sysSTM") || N.starts_with("VLDM") ||
           N.starts_with("VSTM") || N.starts_with("FLDMX") ||
           N.starts_with("FSTMX");
  }

  /// Loads and stores of lists: the registers come after the condition.
  static void list(const Context &C, EffectsDraft &Out) {
    const McOperands &M = C.M;
    // LLVM does not say so of fldmx.
    const bool Loads = C.M.Desc.mayLoad() || C.Name.starts_with("FLDMX");
    const bool Implied = C.Name == "PUSH" || C.Name == "POP";
    CellRef Base = one(R13);
    unsigned I = 0;
    bool Update = Implied || C.Name.contains("_UPD");
    if (!Implied) {
      Base = C.reg(I).Parts.empty() ? CellRef{} : C.reg(I).Parts[0];
      while (!C.isPredicate(I))
        ++I;
    }
    unsigned Offset = 0;
    bool HasBase = false;
    for (I += 2; I < M.Inst.getNumOperands(); ++I) {
      const Register &R = C.reg(I);
      EffectDraft E;
      E.Addresses = {Base};
      const MemoryPart Part = {uint16_t(Offset), uint16_t(R.Bytes)};
      Offset += R.Bytes;
      if (R.IsPC) {
        if (!Loads)
          E.Store = Part;
        else {
          E.Flags = Effect::Flow;
          E.Values = C.Predicate;
          E.Load = Part;
        }
      } else {
        HasBase |= R.Parts[0] == Base;
        E.Flags = Effect::Copy;
        E.Moved = R.Parts[0];
        (Loads ? E.Writes : E.Values).push_back(R.Parts[0]);
        (Loads ? E.Load : E.Store) = Part;
      }
      Out.Effects.push_back(std::move(E));
    }
    // ldm of T16 writes back unless the base is in the list.
    if (C.Narrow && C.Name == "LDMIA")
      Update = !HasBase;
    if (!Update)
      return;
    if (C.Name.contains("MX")) // as if there was half a register more
      Offset += 4;
    const bool Down =
        C.Name == "PUSH" || C.Name.contains("DB") || C.Name.contains("DA");
    EffectDraft &E =
        Out.add({Base}, {Base}, Effect::Writeback | Effect::AddConstant);
    E.Addend = Down ? -int64_t(Offset) : int64_t(Offset);
  }

  /// vld1..vld4, vst1..vst4. LLVM names the first of some lists only.
  static bool isStructure(const Context &C) {
    return !C.Narrow &&
           (C.op() & 0xff100000) == (C.Thumb ? 0xf9000000 : 0xf4000000);
  }

  static void structure(const Context &C, EffectsDraft &Out) {
    const uint32_t Op = C.op();
    const unsigned Rn = Op >> 16 & 15, Rm = Op & 15, Kind = Op >> 8 & 15;
    unsigned First = (Op >> 12 & 15) | (Op >> 18 & 16);
    const bool Stores = !(Op >> 21 & 1), Single = Op >> 23 & 1;
    unsigned Count, Step = 1;
    bool Straight = false, Keeps = false;
    if (!Single) {
      static constexpr uint8_t Counts[] = {4, 4, 4, 4, 3, 3, 3, 1, 2, 2, 2};
      if (Kind >= std::size(Counts))
        return;
      Count = Counts[Kind];
      Step = Kind == 1 || Kind == 5 || Kind == 9 ? 2 : 1;
      Straight = Kind == 2 || Kind == 6 || Kind == 7 || Kind == 10;
    } else {
      const unsigned Log = Kind >> 2;
      Count = (Kind & 3) + 1;
      if (Log == 3) { // to all lanes
        if (Count == 1)
          Count += Op >> 5 & 1;
        else
          Step += Op >> 5 & 1;
      } else {
        Keeps = !Stores;
        Step += Log == 1 ? Op >> 5 & 1 : Log == 2 ? Op >> 6 & 1 : 0;
      }
    }
    CellList Values;
    for (unsigned K = 0; K < Count; ++K) {
      CellRef D = {Cell(Vec + 2 * ((First + K * Step) & 31)), 2};
      if (Stores && !Straight) {
        Values.push_back(D);
        continue;
      }
      EffectDraft &E = Out.add();
      E.Addresses = {general(Rn)};
      const MemoryPart Part = Straight ? MemoryPart{uint16_t(8 * K), 8}
                                       : MemoryPart{0, MemoryPart::All};
      (Stores ? E.Store : E.Load) = Part;
      (Stores ? E.Values : E.Writes).push_back(D);
      if (Keeps)
        E.Values.push_back(D);
      if (Straight) {
        E.Flags |= Effect::Copy;
        E.Moved = D;
      }
    }
    if (!Values.empty()) {
      EffectDraft &E = Out.add({}, Values);
      E.Addresses = {general(Rn)};
      E.Store = {0, MemoryPart::All};
    }
    if (Rm == 15)
      return;
    EffectDraft &E = Out.add({general(Rn)}, {general(Rn)}, Effect::Writeback);
    if (Rm != 13)
      E.Values.push_back(general(Rm));
    else if (!Single) {
      E.Flags |= Effect::AddConstant;
      E.Addend = 8 * Count;
    }
  }

  /// Vector loads and stores of M. Which lanes are where in memory is not told
  /// apart; LLVM marks no operand as an address.
  static void mve(const Context &C, EffectsDraft &Out) {
    const McOperands &M = C.M;
    const bool Stores = C.Name.starts_with("MVE_VST");
    // Each of the two or four of vld2 and vld4 fills some bytes of all.
    const bool Interleaved =
        C.Name.starts_with("MVE_VLD2") || C.Name.starts_with("MVE_VLD4") ||
        C.Name.starts_with("MVE_VST2") || C.Name.starts_with("MVE_VST4");
    const unsigned Defs = M.numDefs();
    auto IsGeneral = [&](unsigned I) {
      return C.reg(I).Parts.size() == 1 && C.reg(I).Bytes == 4;
    };
    CellList Data, Kept, Address, Base;
    for (unsigned I = Defs; I < M.Inst.getNumOperands(); ++I) {
      if (!M.isReg(I) || C.reg(I).Parts.empty())
        continue;
      const CellList Cells(C.reg(I).Parts);
      if (Cells[0] == one(VPR)) {
        append(Kept, Cells);
        continue;
      }
      const bool IsData = Interleaved ? !IsGeneral(I) : Stores && Data.empty();
      if (IsData) {
        append(Stores ? Data : Kept, Cells);
        continue;
      }
      append(Address, Cells);
      if (M.tiedTo(I) >= 0)
        Base = Cells;
    }
    if (!Stores)
      for (unsigned I = 0; I < Defs; ++I)
        if (M.isReg(I) && CellList(C.reg(I).Parts) != Base)
          append(Data, CellList(C.reg(I).Parts));
    EffectDraft &E = Stores ? Out.add({}, Data) : Out.add(Data, Kept);
    if (Stores)
      append(E.Values, Kept);
    E.Addresses = Address;
    (Stores ? E.Store : E.Load) = {0, MemoryPart::All};
    if (!Base.empty())
      Out.add(Base, Base, Effect::Writeback);
  }

  static void memory(const Context &C, EffectsDraft &Out) {
    const McOperands &M = C.M;
    StringRef Name = C.Name;
    CellList Address, Stored, Kept;
    CellRef Base;
    int Written = -1;
    bool Register = false;
    SmallVector<unsigned, 4> Loaded;
    for (unsigned I = 0; I < M.Inst.getNumOperands(); ++I)
      if (C.isMemory(I) && M.isReg(I)) {
        for (CellRef P : C.reg(I).Parts) {
          if (Address.empty())
            Base = P;
          else
            Register = true;
          Address.push_back(P);
        }
        if (Written < 0)
          Written = M.tiedTo(I);
      }
    // An index that is shifted by rrx.
    if (!C.Thumb && Register && (C.op() & 0x0e000ff0) == 0x06000060)
      Address.push_back(one(armcell::C));
    const bool Exclusive =
        Name.contains("REX") || Name.contains("AEX") || Name.contains("LEX");
    const bool Swaps = Name.starts_with("SWP");
    const bool Stores =
        Name.starts_with("ST") || Name.starts_with("VST") || Swaps;
    const bool Loads = !Stores || Swaps;
    SmallVector<Destination, 4> Status;
    for (unsigned I = 0; I < M.Inst.getNumOperands(); ++I) {
      if (!M.isReg(I) || C.isPredicate(I) || C.isMemory(I) || C.isFlagsOut(I))
        continue;
      if (I < M.numDefs()) {
        if (int(I) == Written)
          continue;
        if (Stores && !Swaps)
          Status.push_back({CellList(C.reg(I).Parts), false});
        else
          Loaded.push_back(I);
      } else if (Stores) {
        append(Stored, CellList(C.reg(I).Parts));
      } else {
        append(Kept, CellList(C.reg(I).Parts));
      }
    }
    const bool Copies = !Name.contains("SB") && !Name.contains("SH");
    if (Loads)
      load(C, Loaded, Kept, Address, Copies && Kept.empty(), Out);
    if (Stores)
      store(Stored, Address, Copies, Out);
    if (Exclusive) {
      if (Loads)
        Out.add({one(Monitor)}).Addresses = Address;
      for (EffectDraft &E : Out.Effects)
        if (E.Store) {
          E.Values.push_back(one(Monitor));
          E.Flags &= uint16_t(~Effect::Copy);
          E.Moved = {};
        }
      if (Stores)
        Out.add({one(Monitor)});
    }
    for (Destination &D : Status)
      Out.add(D.Cells, {one(Monitor)}).Addresses = Address;
    if (Written < 0)
      return;
    EffectDraft &E = Out.add({Base}, {Base}, Effect::Writeback);
    if (Register) {
      append(E.Values, ArrayRef(Address).drop_front());
      return;
    }
    if (std::optional<int64_t> N = displacement(C)) {
      E.Flags |= Effect::AddConstant;
      E.Addend = *N;
    }
  }

  /// The displacement of pre- and post-indexed forms with an immediate.
  static std::optional<int64_t> displacement(const Context &C) {
    const uint32_t Op = C.op();
    int64_t N;
    bool Up = Op >> 23 & 1;
    if (!C.Thumb) {
      if ((Op >> 25 & 7) == 2)
        N = Op & 0xfff;
      else if ((Op >> 25 & 7) == 0 && (Op >> 22 & 1))
        N = (Op >> 4 & 0xf0) | (Op & 0xf);
      else
        return std::nullopt;
    } else if (C.Name.starts_with("LDRD") || C.Name.starts_with("STRD")) {
      N = (Op & 0xff) * 4;
    } else {
      N = Op & 0xff;
      Up = Op >> 9 & 1;
    }
    return Up ? N : -N;
  }

  static void load(const Context &C, ArrayRef<unsigned> Loaded,
                   const CellList &Kept, const CellList &Address, bool Copies,
                   EffectsDraft &Out) {
    unsigned Offset = 0, Count = 0;
    for (unsigned I : Loaded)
      Count += std::max<unsigned>(C.reg(I).Parts.size(), 1);
    for (unsigned I : Loaded) {
      const Register &R = C.reg(I);
      auto part = [&] {
        MemoryPart P = {0, MemoryPart::All};
        if (Count > 1)
          P = {uint16_t(Offset), uint16_t(R.Bytes)};
        Offset += R.Bytes;
        return P;
      };
      if (R.IsPC) {
        EffectDraft &E = flow(C, {}, Out);
        E.Addresses = Address;
        E.Load = part();
      }
      for (CellRef P : R.Parts) {
        EffectDraft &E = Out.add({P}, Kept);
        E.Addresses = Address;
        E.Load = part();
        if (Copies) {
          E.Flags |= Effect::Copy;
          E.Moved = P;
        }
      }
    }
  }

  static void store(const CellList &Stored, const CellList &Address,
                    bool Copies, EffectsDraft &Out) {
    if (Stored.size() != 2) { // no pair
      EffectDraft &E = Out.add({}, Stored);
      E.Addresses = Address;
      E.Store = {0, MemoryPart::All};
      if (Copies && Stored.size() == 1) {
        E.Flags |= Effect::Copy;
        E.Moved = Stored[0];
      }
      return;
    }
    unsigned Offset = 0;
    for (CellRef R : Stored) {
      EffectDraft &E = Out.add({}, {R}, Effect::Copy);
      E.Addresses = Address;
      E.Moved = R;
      E.Store = {uint16_t(Offset), uint16_t(4 * R.Count)};
      Offset += 4 * R.Count;
    }
  }

  /// What becomes of C in an instruction of the logical kind that sets flags:
  /// the carry of its shifter (LSL_C and its kin in chapter E2 of the Arm
  /// Architecture Reference Manual).
  struct Carry {
    bool Kept = true; ///< neither read nor written
    CellList Values;  ///< else: what it comes from; empty: a constant
  };

  /// By an immediate. \p Type: lsl, lsr, ror by 1 to 3. An amount of 0 is none
  /// of lsl, 32 of lsr and asr, and rrx of ror.
  static Carry shifted(unsigned Rm, unsigned Type, unsigned Amount) {
    if (Type == 0 && Amount == 0)
      return {};
    return {false, Rm == 15 ? CellList() : CellList{general(Rm)}};
  }

  /// By a register, whose lowest byte may be 0: then C is as it was.
  static Carry shiftedBy(unsigned Rm, unsigned Rs) {
    return {false, {general(Rm), general(Rs), one(armcell::C)}}; // never pc
  }

  static Carry carry(const Context &C) {
    const uint32_t Op = C.op();
    if (!C.Thumb) {
      if (Op >> 25 & 1) // eight bits, rotated
        return {!(Op >> 8 & 15), {}};
      if (Op >> 4 & 1)
        return shiftedBy(Op & 15, Op >> 8 & 15);
      return shifted(Op & 15, Op >> 5 & 3, Op >> 7 & 31);
    }
    if (C.Narrow) {
      if (Op >> 13 == 0)
        return shifted(Op >> 3 & 7, Op >> 11 & 3, Op >> 6 & 31);
      const unsigned Kind = Op >> 6 & 15; // of those on two registers
      if (Op >> 10 == 0x10 &&
          (Kind == 2 || Kind == 3 || Kind == 4 || Kind == 7))
        return shiftedBy(Op & 7, Op >> 3 & 7);
      return {};
    }
    if (Op >> 27 == 0x1e) // i:imm3 below 4: a byte, or several copies of one
      return {!((Op >> 26 & 1) || (Op >> 14 & 1)), {}};
    if (Op >> 25 == 0x75)
      return shifted(Op & 15, Op >> 4 & 3, (Op >> 10 & 0x1c) | (Op >> 6 & 3));
    return shiftedBy(Op >> 16 & 15, Op & 15);
  }

  /// The condition flags that an instruction writes.
  static void flags(const Context &C, const CellList &Values,
                    EffectsDraft &Out) {
    static constexpr StringLiteral Logical[] = {
        "AND", "EOR", "TST", "TEQ", "ORR", "ORN", "MOV",
        "MVN", "BIC", "LSL", "LSR", "ASR", "ROR", "RRX"};
    static constexpr StringLiteral Multiply[] = {"MUL",  "MLA",   "UMUL",
                                                 "SMUL", "UMLAL", "SMLAL"};
    auto begins = [&](StringRef P) { return C.Name.starts_with(P); };
    if (any_of(Multiply, begins)) {
      Out.add({{N, 2}}, Values);
      return;
    }
    if (!any_of(Logical, begins)) {
      Out.add({NZCV}, Values);
      return;
    }
    Out.add({{N, 2}}, Values);
    if (Carry From = carry(C); !From.Kept)
      Out.add({one(armcell::C)}, From.Values);
  }

  static void compute(const Context &C, EffectsDraft &Out) {
    const McOperands &M = C.M;
    StringRef Name = C.Name;
    SmallVector<Destination, 2> Data;
    CellList Values;
    bool WritesFlags = false, WritesFPFlags = false, ReadsPC = false;
    auto writes = [&](const Register &R) {
      for (CellRef P : R.Parts)
        if (P == NZCV)
          WritesFlags = true;
        else if (P == one(FPFlags))
          WritesFPFlags = true;
      if (R.IsPC)
        Data.push_back({{}, true});
      else if (!R.Parts.empty() && R.Parts[0] != NZCV &&
               R.Parts[0] != one(FPFlags))
        Data.push_back({CellList(R.Parts), false});
    };
    for (unsigned I = 0; I < M.Inst.getNumOperands(); ++I) {
      if (!M.isReg(I) || C.isPredicate(I) || !M.reg(I))
        continue;
      const Register &R = C.reg(I);
      if (C.isFlagsOut(I)) {
        WritesFlags = true;
      } else if (I < M.numDefs()) {
        writes(R);
      } else {
        ReadsPC |= R.IsPC;
        for (CellRef P : R.Parts)
          if (P != NZCV)
            Values.push_back(P);
      }
    }
    for (MCPhysReg R : M.Desc.implicit_uses())
      for (CellRef P : C.In.Registers[R].Parts)
        if (P != NZCV && P != one(R13))
          Values.push_back(P);
    for (MCPhysReg R : M.Desc.implicit_defs())
      if (!M.Desc.hasOptionalDef() || C.In.Registers[R].Parts != ArrayRef(NZCV))
        writes(C.In.Registers[R]);
    // In an IT block, only compares write flags.
    if (C.Narrow && C.Q.ItCondition != NoItCondition)
      WritesFlags &= Name.starts_with("CMP") || Name.starts_with("CMN") ||
                     Name.starts_with("TST");
    // Carry in.
    const bool Rotates = Name == "RRX" || Name == "RRXi" || extends(C);
    if (Name.starts_with("ADC") || Name.starts_with("SBC") ||
        Name.starts_with("RSC") || Rotates)
      Values.push_back(one(armcell::C));
    if (Name == "SEL")
      Values.push_back(one(GE));
    if (Name.starts_with("VSEL"))
      vsel(C, Values);
    // LLVM names the first register of the table only.
    if (Name.starts_with("VTBL") || Name.starts_with("VTBX")) {
      const unsigned First = (C.op() >> 16 & 15) | (C.op() >> 3 & 16);
      for (unsigned K = 0; K <= (C.op() >> 8 & 3); ++K)
        Values.push_back({Cell(Vec + 2 * ((First + K) & 31)), 2});
    }
    normalise(Values);
    if (isSame(C) && !Rotates)
      Values.clear();
    for (Destination &D : Data) {
      if (D.IsPC) {
        flow(C, Values, Out);
        continue;
      }
      simple(C, Out.add(D.Cells, Values), ReadsPC);
    }
    if (WritesFlags)
      flags(C, Values, Out);
    if (WritesFPFlags)
      Out.add({one(FPFlags)}, Values);
    if (saturates(Name)) {
      CellList Old = Values;
      Old.push_back(one(armcell::Q));
      Out.add({one(armcell::Q)}, Old, Effect::Sticky);
    }
    if (setsGE(Name))
      Out.add({one(GE)}, Values);
  }

  /// An operand that is shifted by rrx.
  static bool extends(const Context &C) {
    const uint32_t Op = C.op();
    if (C.Thumb)
      return !C.Narrow && C.Name.ends_with("rs") &&
             (Op & 0xfe000000) == 0xea000000 && (Op & 0x70f0) == 0x30;
    return (Op & 0x0e000ff0) == 0x00000060 && C.Name.ends_with("si");
  }

  /// x ^ x.
  static bool isSame(const Context &C) {
    if (!C.Name.starts_with("EOR") && !C.Name.starts_with("VEOR"))
      return false;
    const uint32_t Op = C.op();
    if (C.Name == "VEORd" || C.Name == "VEORq")
      return (Op >> 16 & 0xf) == (Op & 0xf) && (Op >> 7 & 1) == (Op >> 5 & 1);
    if (C.Thumb)
      return C.Name == "EORrr" && (Op >> 16 & 0xf) == (Op & 0xf);
    return C.Name == "EORrr" && (Op >> 16 & 0xf) == (Op & 0xf);
  }

  /// vsel has a condition of its own.
  static void vsel(const Context &C, CellList &Values) {
    if (C.Name.starts_with("VSELEQ"))
      append(Values, conditionCells(0));
    else if (C.Name.starts_with("VSELVS"))
      append(Values, conditionCells(6));
    else if (C.Name.starts_with("VSELGE"))
      append(Values, conditionCells(10));
    else
      append(Values, conditionCells(12));
  }

  static bool saturates(StringRef Name) {
    static constexpr StringLiteral Sticky[] = {
        "QADD",   "QSUB",   "QDADD",  "QDSUB", "SMLABB", "SMLABT", "SMLATB",
        "SMLATT", "SMLAWB", "SMLAWT", "SMLAD", "SMLADX", "SMLSD",  "SMLSDX",
        "SMUAD",  "SMUADX", "SSAT",   "USAT",  "SSAT16", "USAT16"};
    return is_contained(Sticky, Name);
  }

  static bool setsGE(StringRef Name) {
    if (!Name.consume_front("S") && !Name.consume_front("U"))
      return false;
    return Name == "ADD8" || Name == "ADD16" || Name == "SUB8" ||
           Name == "SUB16" || Name == "ASX" || Name == "SAX";
  }

  /// Moves, and additions of constants.
  static void simple(const Context &C, EffectDraft &E, bool ReadsPC) {
    if (E.Values.size() != 1 || E.Writes.size() != 1 || ReadsPC)
      return;
    StringRef Name = C.Name;
    auto copy = [&] {
      E.Flags |= Effect::Copy;
      E.Moved = E.Writes[0];
    };
    if (Name == "MOVr" || Name == "MOVSr" || Name == "VMOVD" ||
        Name == "VMOVS" || Name == "VMOVRS" || Name == "VMOVSR") {
      copy();
      return;
    }
    if ((Name == "VORRd" || Name == "VORRq") &&
        E.Values[0].Count == E.Writes[0].Count) {
      copy();
      return;
    }
    const bool Subtracts = Name.starts_with("SUB");
    if (!Subtracts && !Name.starts_with("ADD"))
      return;
    // The immediate is the last operand that is one and not the condition.
    int At = -1;
    for (unsigned I = 1; I < C.M.Inst.getNumOperands(); ++I)
      if (C.M.isImm(I) && !C.isPredicate(I))
        At = int(I);
    if (At < 0 || Name.ends_with("rs") || Name.ends_with("si"))
      return;
    int64_t Value = C.M.imm(unsigned(At));
    if (Name == "ADDri" || Name == "SUBri") {
      // A32 keeps 8 bits and how far they are rotated.
      if (!C.Thumb)
        Value = llvm::rotr<uint32_t>(uint32_t(Value & 0xff),
                                     int(Value >> 8 & 15) * 2);
    } else if (Name.ends_with("spi") || Name == "ADDrSPi") {
      Value *= 4;
    }
    E.Flags |= Effect::AddConstant;
    E.Addend = Subtracts ? -Value : Value;
  }
};

} // namespace

std::unique_ptr<EffectsDecoder> makeArm32Effects() {
  return std::make_unique<Arm32Effects>();
}

} // namespace rw::dataflow
