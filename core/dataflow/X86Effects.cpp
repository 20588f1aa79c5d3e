//===- X86Effects.cpp - What x86-64 instructions read and write -----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's tables, and what they lack: single flags, the stack of calls and of
// x87, strings with a repeat prefix, x ^ x, which parts of a vector register a
// scalar operation touches. From the Intel SDM, volume 2.
//
//===----------------------------------------------------------------------===//

#include "core/dataflow/EffectsDraft.h"
#include "core/dataflow/X87Shape.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace rw::dataflow {
namespace {

using namespace x86cell;

CellRef one(unsigned C) { return {Cell(C), 1}; }
CellRef whole(unsigned Gpr) { return {gpr(Gpr), 3}; }
CellRef vec(unsigned N, unsigned Cells) {
  return {Cell(Vec + 5 * N), uint16_t(Cells)};
}
constexpr CellRef Status = {CF, 4};
const CellRef Rsp = whole(x86::RSP), Rbp = whole(x86::RBP),
              Rcx = whole(x86::RCX);

struct Register {
  CellList Read, Write;
  bool IsVector = false;
};

/// A general register's number, by LLVM's name, and its bytes. High: ah..bh.
bool general(StringRef Name, unsigned &Number, unsigned &Bytes, bool &High) {
  static constexpr StringLiteral Old[] = {"AX", "BX", "CX", "DX",
                                          "DI", "SI", "BP", "SP"};
  High = false;
  for (unsigned N = 0; N < 8; ++N) {
    Number = N;
    StringRef Base = Old[N];
    if (Name == Base)
      return Bytes = 2, true;
    if (Name.size() == 3 && Name.ends_with(Base))
      return Bytes = Name[0] == 'R' ? 8 : 4, Name[0] == 'R' || Name[0] == 'E';
    // al, ah; dil
    StringRef Letter = Base.drop_back(N < 4 ? 1 : 0);
    if (Name.size() == Letter.size() + 1 && Name.starts_with(Letter) &&
        (Name.back() == 'L' || (N < 4 && Name.back() == 'H'))) {
      High = Name.back() == 'H';
      return Bytes = 1, true;
    }
  }
  if (!Name.consume_front("R"))
    return false;
  Bytes = 8;
  if (Name.consume_back("D"))
    Bytes = 4;
  else if (Name.consume_back("W"))
    Bytes = 2;
  else if (Name.consume_back("B"))
    Bytes = 1;
  return !Name.getAsInteger(10, Number) && Number >= 8 && Number < 32;
}

Register describe(StringRef Name) {
  Register R;
  unsigned N, Bytes;
  bool High;
  auto both = [&](CellRef C) { R.Read = R.Write = {C}; };
  if (general(Name, N, Bytes, High)) {
    Cell First = gpr(N);
    both(Bytes >= 4   ? CellRef{First, 3}
         : Bytes == 2 ? CellRef{First, 2}
                      : one(High ? First + 1 : First));
    return R;
  }
  auto numbered = [&](StringRef Prefix, unsigned Limit) {
    StringRef Rest = Name;
    return Rest.consume_front(Prefix) && !Rest.getAsInteger(10, N) && N < Limit;
  };
  if (numbered("XMM", 32) || numbered("YMM", 32) || numbered("ZMM", 32)) {
    both(vec(N, Name[0] == 'X' ? 3 : Name[0] == 'Y' ? 4 : 5));
    R.IsVector = true;
  } else if (numbered("K", 8)) {
    both(one(K0 + N));
  } else if (numbered("ST", 8) || numbered("MM", 8)) {
    both(one(ST0 + N));
  } else if (Name == "EFLAGS") {
    both(Status);
  } else if (Name == "DF") {
    both(one(DF));
  } else if (Name == "FS_BASE") {
    both(one(FSBase));
  } else if (Name == "GS_BASE") {
    both(one(GSBase));
  } else if (Name.size() == 2 && Name[1] == 'S') {
    both(one(System));
  } else if (Name.starts_with("K") && Name.contains("_")) { // pairs of masks
    if (!Name.drop_front().split('_').first.getAsInteger(10, N) && N < 7)
      both({Cell(K0 + N), 2});
  } else if ((Name.starts_with("CR") || Name.starts_with("DR")) &&
             Name.size() > 2) {
    both(one(System));
  }
  return R; // rip, mxcsr, the x87 status and others are not followed here
}

/// Which flags a condition looks at; as in encodings.
CellList conditionCells(unsigned Condition) {
  switch (Condition >> 1) {
  case 0: // o
    return {one(OF)};
  case 1: // b
    return {one(CF)};
  case 2: // e
    return {one(ZF)};
  case 3: // be
    return {{CF, 2}};
  case 4: // s, p
  case 5:
    return {one(PAS)};
  case 6: // l
    return {{PAS, 2}};
  default: // le
    return {{ZF, 3}};
  }
}

struct Encoding {
  bool Repeat = false, IsVex = false, OneByte = false;
  uint8_t Op = 0, ModRM = 0;

  explicit Encoding(ArrayRef<uint8_t> B) {
    size_t I = 0;
    for (; I < B.size() && isX86Prefix(B[I]); ++I)
      Repeat |= B[I] == 0xf2 || B[I] == 0xf3;
    auto at = [&](size_t K) { return K < B.size() ? B[K] : uint8_t(0); };
    IsVex = at(I) == 0xc4 || at(I) == 0xc5 || at(I) == 0x62 ||
            (at(I) == 0x8f && (at(I + 1) & 0x1f) >= 8);
    OneByte = !IsVex && at(I) != 0x0f;
    Op = at(I);
    ModRM = at(I + 1);
  }
  bool isX87() const { return OneByte && Op >= 0xd8 && Op <= 0xdf; }
};

class X86Effects final : public EffectsDecoder {
public:
  X86Effects() : Target(ISA::X86_64) {
    if (!Target)
      return;
    for (unsigned R = 0; R < Target.Registers->getNumRegs(); ++R)
      Registers.push_back(describe(R ? Target.Registers->getName(R) : ""));
  }

  bool decode(const OpcodeQuery &Q, EffectsDraft &Out) override {
    if (!Target)
      return false;
    MCInst Inst;
    uint64_t Size = 0, Prefixes = 0;
    StringRef Name;
    // LLVM takes lock for an instruction of its own.
    do {
      Prefixes += Size;
      if (Prefixes >= Q.Bytes.size() ||
          Target.Decoder->getInstruction(Inst, Size,
                                         Q.Bytes.drop_front(Prefixes), 0,
                                         nulls()) != MCDisassembler::Success)
        return false;
      Name = Target.Instructions->getName(Inst.getOpcode());
    } while (Name.ends_with("_PREFIX"));
    Context C{Q,
              {Inst, Target.Instructions->get(Inst.getOpcode())},
              Name,
              Encoding(Q.Bytes)};
    operands(C);
    if (flow(C, Out) || stack(C, Out) || string(C, Out) || x87(C, Out) ||
        exchange(C, Out) || special(C, Out))
      return true;
    general(C, Out);
    return true;
  }

private:
  McTarget Target;
  std::vector<Register> Registers; ///< by LLVM's number

  struct Context {
    const OpcodeQuery &Q;
    McOperands M;
    StringRef Name;
    Encoding E;
    CellList Address = {}; ///< of the memory operand
    CellList Values = {};  ///< register operands and implied ones, read
    CellList Data = {};    ///< those that are written, but for flags
    bool WritesFlags = false, ReadsFlags = false, HasMemory = false;
    int Condition = -1;
  };

  void operands(Context &C) const {
    const McOperands &M = C.M;
    const bool Vex = C.E.IsVex;
    auto writes = [&](unsigned R) {
      for (CellRef W : Registers[R].Write) {
        if (W == Status)
          C.WritesFlags = true;
        else if (Registers[R].IsVector && Vex)
          C.Data.push_back({W.First, 5}); // zero above
        else
          C.Data.push_back(W);
      }
    };
    auto reads = [&](CellRef R) {
      if (R == Status)
        C.ReadsFlags = true;
      else
        C.Values.push_back(R);
    };
    for (unsigned I = 0; I < M.Inst.getNumOperands(); ++I) {
      const auto &Info = M.Desc.operands();
      const bool Memory =
          I < Info.size() && Info[I].OperandType == MCOI::OPERAND_MEMORY;
      C.HasMemory |= Memory;
      if (!M.isReg(I) || !M.reg(I))
        continue;
      const unsigned R = M.reg(I);
      if (Memory) {
        StringRef Segment = Target.Registers->getName(R);
        if (Segment == "FS")
          C.Address.push_back(one(FSBase));
        else if (Segment == "GS")
          C.Address.push_back(one(GSBase));
        else if (Segment.size() != 2 || Segment[1] != 'S')
          append(C.Address, Registers[R].Read);
      } else if (I < M.numDefs()) {
        writes(R);
      } else {
        for (CellRef X : Registers[R].Read)
          reads(narrowed(C, I, X));
      }
    }
    for (MCPhysReg R : M.Desc.implicit_uses())
      for (CellRef X : Registers[R].Read)
        reads(X);
    for (MCPhysReg R : M.Desc.implicit_defs())
      writes(R);
    if (C.Name.starts_with("JCC") || C.Name.starts_with("SETCC") ||
        (C.Name.starts_with("CMOV") && C.ReadsFlags && !C.E.isX87()) ||
        C.Name.starts_with("CFCMOV"))
      for (unsigned I = M.Inst.getNumOperands(); I-- > 0;)
        if (M.isImm(I)) {
          C.Condition = int(M.imm(I)) & 15;
          break;
        }
  }

  /// Scalar operands that are in the low part of a vector register.
  CellRef narrowed(const Context &C, unsigned I, CellRef R) const {
    if (R.First < Vec || R.Count != 3)
      return R;
    StringRef Name = C.Name;
    Name.consume_front("V");
    const auto &Info = C.M.Desc.operands();
    int Class = I < Info.size() ? int(Info[I].RegClass) : -1;
    if (Class >= 0) {
      StringRef ClassName = Target.Registers->getRegClassName(
          &Target.Registers->getRegClass(unsigned(Class)));
      if (ClassName.starts_with("FR64"))
        return {R.First, 2};
      if (ClassName.starts_with("FR32"))
        return {R.First, 1};
    }
    const bool Last = C.M.Inst.getNumOperands() == I + 1 || !C.M.isReg(I + 1);
    if (Name.starts_with("CVTSD2SI") || Name.starts_with("CVTTSD2SI") ||
        Name.starts_with("MOVPQIto64") || Name.starts_with("MOVPQI2QI"))
      return {R.First, 2};
    if (Name.starts_with("CVTSS2SI") || Name.starts_with("CVTTSS2SI") ||
        Name.starts_with("MOVPDI2DI"))
      return {R.First, 1};
    if (!Last || I == 0)
      return R;
    if (scalarBytes(Name) == 8)
      return {R.First, 2};
    if (scalarBytes(Name) == 4)
      return {R.First, 1};
    return R;
  }

  /// Bytes of the source of a scalar operation; 0: it is none. Without the v.
  static unsigned scalarBytes(StringRef Name) {
    static constexpr StringLiteral Verbs[] = {"ADD",   "SUB", "MUL",   "DIV",
                                              "MIN",   "MAX", "SQRT",  "CMP",
                                              "ROUND", "RCP", "RSQRT", "MOV"};
    if (Name.starts_with("CVTSD2SS"))
      return 8;
    if (Name.starts_with("CVTSS2SD"))
      return 4;
    for (StringRef V : Verbs) {
      StringRef Rest = Name;
      if (!Rest.consume_front(V))
        continue;
      if (Rest.starts_with("SDr") || Rest.starts_with("SDm"))
        return 8;
      if (Rest.starts_with("SSr") || Rest.starts_with("SSm"))
        return 4;
    }
    return 0;
  }

  static CellList flagsRead(const Context &C) {
    StringRef N = C.Name;
    if (!C.ReadsFlags)
      return {};
    if (C.Condition >= 0)
      return conditionCells(unsigned(C.Condition));
    if (N.starts_with("ADC") || N.starts_with("SBB") || N.starts_with("RC") ||
        N == "CMC" || N.starts_with("SALC"))
      return {one(CF)};
    if (N.starts_with("ADOX"))
      return {one(OF)};
    if (N == "LAHF")
      return {{CF, 3}};
    return {Status};
  }

  static CellList undefinedFlags(StringRef Name) {
    if (Name.starts_with("MUL") || Name.starts_with("IMUL"))
      return {{ZF, 2}};
    if (Name.starts_with("TZCNT") || Name.starts_with("LZCNT"))
      return {{PAS, 2}};
    return {};
  }

  static CellList flagsWritten(const Context &C) {
    StringRef N = C.Name;
    if (N.starts_with("INC") || N.starts_with("DEC"))
      return {{ZF, 3}};
    if (N.starts_with("ROL") || N.starts_with("ROR") || N.starts_with("RCL") ||
        N.starts_with("RCR"))
      return {one(CF), one(OF)};
    if (N.starts_with("BT") || N == "CLC" || N == "STC" || N == "CMC" ||
        N.starts_with("ADCX"))
      return {one(CF)};
    if (N.starts_with("ADOX"))
      return {one(OF)};
    if (N == "SAHF")
      return {{CF, 3}};
    if (N.starts_with("CMPXCHG8B") || N.starts_with("CMPXCHG16B") ||
        N.starts_with("LAR") || N.starts_with("LSL") || N.starts_with("VERR") ||
        N.starts_with("VERW"))
      return {one(ZF)};
    return {Status};
  }

  /// Shifts by a number in cl: by none, the flags stay. What a division or a
  /// rotation by more than one bit does to them is up to the processor.
  static bool mayKeepFlags(const Context &C) {
    StringRef N = C.Name;
    if (N.starts_with("SH") || N.starts_with("SA")) {
      const unsigned Last = C.M.Inst.getNumOperands() - 1;
      if (C.M.isImm(Last) && !(C.M.imm(Last) & 31))
        return true;
    }
    return N.starts_with("DIV") || N.starts_with("IDIV") ||
           N.starts_with("RO") || N.starts_with("RC") || N.ends_with("CL") ||
           N.ends_with("CL_EVEX") || N.ends_with("CL_ND");
  }

  static bool flow(const Context &C, EffectsDraft &Out) {
    StringRef N = C.Name;
    auto pushed = [&](uint16_t Flags) {
      EffectDraft &E = Out.add({}, {}, Flags);
      E.Addresses = {Rsp};
      E.Store = {0, 8};
      Out.add({Rsp}, {Rsp}, Effect::Writeback | Effect::AddConstant).Addend =
          -8;
    };
    switch (C.Q.Class) {
    case InsnClass::CondBranch: {
      EffectDraft &E = Out.add({}, flagsRead(C), Effect::Flow);
      if (N.starts_with("LOOP") || N.starts_with("JRCXZ") ||
          N.starts_with("JECXZ")) {
        if (N == "LOOPE" || N == "LOOPNE")
          E.Values = {one(ZF)};
        else
          E.Values.clear();
        E.Values.push_back(Rcx);
        if (N.starts_with("LOOP"))
          Out.add({Rcx}, {Rcx}, Effect::AddConstant).Addend = -1;
      }
      return true;
    }
    case InsnClass::Branch:
      return true;
    case InsnClass::Call:
      pushed(Effect::ReturnAddress);
      return true;
    case InsnClass::IndirectCall:
    case InsnClass::IndirectBranch: {
      EffectDraft &E = Out.add({}, {}, Effect::Flow);
      for (CellRef V : C.Values)
        if (V != Rsp || N.contains("r")) // named, not implied
          E.Values.push_back(V);
      // LLVM says that calls use the stack pointer.
      if (C.Q.Class == InsnClass::IndirectCall &&
          !(C.M.isReg(0) && !C.HasMemory && explicitRsp(C)))
        erase_if(E.Values, [](CellRef V) { return V == Rsp; });
      E.Addresses = C.Address;
      if (C.HasMemory)
        E.Load = {0, MemoryPart::All};
      if (C.Q.Class == InsnClass::IndirectCall)
        pushed(Effect::ReturnAddress);
      return true;
    }
    case InsnClass::Return: {
      EffectDraft &E = Out.add({}, {}, Effect::Flow);
      E.Addresses = {Rsp};
      E.Load = {0, MemoryPart::All};
      EffectDraft &W =
          Out.add({Rsp}, {Rsp}, Effect::Writeback | Effect::AddConstant);
      W.Addend = 8 + (C.M.isImm(0) ? C.M.imm(0) : 0);
      return true;
    }
    case InsnClass::SystemCall:
      if (N == "SYSCALL") {
        Out.add({whole(x86::RAX)},
                {whole(x86::RAX), whole(x86::RDX), whole(x86::RDI),
                 whole(x86::RSI), whole(8), whole(9), whole(10)},
                Effect::System);
        Out.add({Rcx}, {}, Effect::System);
        Out.add({whole(11)}, {{CF, 6}}, Effect::System);
      }
      return true;
    case InsnClass::ExceptionReturn:
      Out.add({}, {one(System)}, Effect::Flow);
      return true;
    default:
      return false;
    }
  }
  static bool explicitRsp(const Context &C) {
    return any_of(C.Values, [&](CellRef V) { return V == Rsp; }) &&
           C.Q.Bytes.back() == 0xd4; // call rsp
  }

  /// push, pop, leave, enter.
  static bool stack(const Context &C, EffectsDraft &Out) {
    StringRef N = C.Name;
    const int64_t Bytes = N.contains("16") ? 2 : 8;
    auto moves = [&](int64_t By) {
      Out.add({Rsp}, {Rsp}, Effect::Writeback | Effect::AddConstant).Addend =
          By;
    };
    if (N == "LEAVE64" || N == "LEAVE") {
      EffectDraft &E = Out.add({Rbp}, {}, Effect::Copy);
      E.Addresses = {Rbp};
      E.Load = {0, MemoryPart::All};
      E.Moved = Rbp;
      Out.add({Rsp}, {Rbp}, Effect::AddConstant).Addend = 8;
      return true;
    }
    if (N.starts_with("ENTER")) {
      EffectDraft &E = Out.add({}, {Rbp});
      E.Addresses = {Rsp};
      E.Store = {0, MemoryPart::All};
      Out.add({Rbp}, {Rsp});
      Out.add({Rsp}, {Rsp});
      return true;
    }
    if (N.starts_with("PUSHF")) {
      EffectDraft &E = Out.add({}, {{CF, 6}});
      E.Addresses = {Rsp};
      E.Store = {0, MemoryPart::All};
      moves(-Bytes);
      return true;
    }
    if (N.starts_with("POPF")) {
      EffectDraft &E = Out.add({{CF, 6}});
      E.Addresses = {Rsp};
      E.Load = {0, MemoryPart::All};
      moves(Bytes);
      return true;
    }
    if (N.starts_with("PUSH") && !N.starts_with("PUSH2")) {
      EffectDraft &E = Out.add();
      // What is pushed may be rsp, which LLVM names as implied as well.
      if (C.M.isReg(0) && !C.HasMemory) {
        E.Values = C.Values;
        if (E.Values.size() > 1 && E.Values[0] != Rsp)
          erase_if(E.Values, [](CellRef V) { return V == Rsp; });
      }
      E.Addresses = C.Address;
      E.Addresses.push_back(Rsp);
      if (C.HasMemory)
        E.Load = {0, MemoryPart::All};
      E.Store = {0, MemoryPart::All};
      if (E.Values.size() == 1 && E.Values[0].Count == 3) {
        E.Flags |= Effect::Copy;
        E.Moved = E.Values[0];
      }
      moves(-Bytes);
      return true;
    }
    if (N.starts_with("POP") && !N.contains("CNT") && !N.starts_with("POP2")) {
      EffectDraft &E = Out.add();
      const bool ToRegister = C.M.numDefs() == 1 && !C.HasMemory;
      if (ToRegister)
        E.Writes = {C.Data[0]};
      E.Addresses = C.Address;
      E.Addresses.push_back(Rsp);
      E.Load = {0, MemoryPart::All};
      if (C.HasMemory)
        E.Store = {0, MemoryPart::All};
      if (ToRegister && E.Writes[0].Count == 3) {
        E.Flags |= Effect::Copy;
        E.Moved = E.Writes[0];
      }
      if (!ToRegister || !E.Writes[0].overlaps(Rsp)) {
        moves(Bytes);
      } else if (E.Writes[0] != Rsp) { // the rest of it moves
        E.Writes = {Rsp};
        E.Values = {Rsp};
      }
      return true;
    }
    return false;
  }

  /// movs, cmps, stos, lods, scas; ins, outs.
  static bool string(const Context &C, EffectsDraft &Out) {
    const unsigned Kind = C.E.Op & 0xfe;
    if (!C.E.OneByte || (Kind != 0x6c && Kind != 0x6e &&
                         (Kind < 0xa4 || Kind > 0xae || Kind == 0xa8)))
      return false;
    const CellRef Rdi = whole(x86::RDI), Rsi = whole(x86::RSI);
    const bool Compares = Kind == 0xa6 || Kind == 0xae;
    const bool Loads = Kind != 0xaa && Kind != 0x6c;
    const bool Stores = Kind == 0xa4 || Kind == 0xaa || Kind == 0x6c;
    const bool Rep = C.E.Repeat;
    CellList Pointers;
    if (Loads && Kind != 0xae)
      Pointers.push_back(Rsi);
    if (Stores || Compares)
      Pointers.push_back(Rdi);
    CellList Values; // al..rax of scas, stos
    for (CellRef V : C.Values)
      if (V.First == gpr(x86::RAX))
        Values.push_back(V);
    CellList Common;
    if (Rep)
      Common = {Rcx, one(DF)};
    EffectDraft E;
    E.Addresses = Pointers;
    append(E.Addresses, C.Address);
    E.Values = Values;
    append(E.Values, Common);
    if (Loads)
      E.Load = {0, MemoryPart::All};
    if (Stores)
      E.Store = {0, MemoryPart::All};
    if (Compares) {
      E.Writes = {Status};
      if (Rep)
        E.Values.push_back(Status);
    }
    if (Kind == 0xac) {
      for (CellRef W : C.Data)
        if (W.First == gpr(x86::RAX))
          E.Writes.push_back(W);
      if (Rep)
        append(E.Values, E.Writes);
    }
    Out.Effects.push_back(E);
    auto moved = [&](CellRef R) {
      EffectDraft &W = Out.add({R}, {R}, R == Rcx ? 0 : Effect::Writeback);
      if (R != Rcx)
        W.Values.push_back(one(DF));
      if (!Rep)
        return;
      W.Values.push_back(Rcx);
      if (Compares) { // how often tells what is read
        W.Values.append(Values.begin(), Values.end());
        append(W.Addresses, Pointers);
        W.Values.push_back(one(DF));
        W.Load = {0, MemoryPart::All};
      }
    };
    for (CellRef P : Pointers)
      moved(P);
    if (Rep)
      moved(Rcx);
    return true;
  }

  static bool x87(const Context &C, EffectsDraft &Out) {
    if (!C.E.isX87())
      return false;
    auto st = [](unsigned N) { return one(ST0 + (N & 7)); };
    const X87Shape S = x87Shape(C.E.Op, C.E.ModRM);
    StringRef N = C.Name;
    if (N.starts_with("FNSTSW")) {
      EffectDraft &E = Out.add({}, {one(FStat)});
      if (C.HasMemory) {
        E.Addresses = C.Address;
        E.Store = {0, MemoryPart::All};
      } else {
        E.Writes = {{gpr(x86::RAX), 2}};
      }
      return true;
    }
    if (N.starts_with("FLDCW") || N.starts_with("FNSTCW")) {
      const bool Loads = N.starts_with("FLD");
      EffectDraft &E =
          Loads ? Out.add({one(FCtrl)}) : Out.add({}, {one(FCtrl)});
      E.Addresses = C.Address;
      (Loads ? E.Load : E.Store) = {0, MemoryPart::All};
      return true;
    }
    const CellRef Stack = {ST0, 8};
    if (S.All) {
      EffectDraft &E = Out.add({Stack, {FCtrl, 3}}, {Stack, {FCtrl, 3}});
      E.Addresses = C.Address;
      if (S.Load)
        E.Load = {0, MemoryPart::All};
      if (S.Store)
        E.Store = {0, MemoryPart::All};
      Out.Varies = true;
      return true;
    }
    CellList From;
    for (unsigned R = 0; R < 8; ++R)
      if (S.Reads >> R & 1)
        From.push_back(st(R));
    if ((C.E.Op == 0xda || C.E.Op == 0xdb) && C.E.ModRM >= 0xc0 &&
        C.E.ModRM < 0xe0) // fcmov
      append(From, fcmovFlags(C.E));
    auto fill = [&](EffectDraft &E) {
      E.Values = From;
      if (S.Load) {
        E.Addresses = C.Address;
        E.Load = {0, MemoryPart::All};
      }
    };
    if (S.Store) {
      EffectDraft &E = Out.add({}, From);
      E.Addresses = C.Address;
      E.Store = {0, MemoryPart::All};
    }
    if (S.Status) {
      EffectDraft &E = Out.add({one(FStat)});
      fill(E);
    }
    if (S.Flags) {
      EffectDraft &E = Out.add({Status});
      fill(E);
    }
    auto rename = [&](unsigned To, unsigned Source) {
      if ((To & 7) != (Source & 7))
        Out.add({st(To)}, {st(Source)}, Effect::Copy | Effect::Rename).Moved =
            st(To);
    };
    if (S.Push) {
      fill(Out.add({st(0)}));
      if (C.E.Op == 0xd9 && C.E.ModRM >= 0xc0 && C.E.ModRM < 0xc8) {
        Out.Effects.back().Flags |= Effect::Copy;
        Out.Effects.back().Moved = st(0);
      }
      for (unsigned R = 0; R < 7; ++R)
        if (R == S.Second)
          fill(Out.add({st(R + 1)}));
        else
          rename(R + 1, R);
      return true;
    }
    if (S.Second != X87Shape::None) { // fxch
      rename(0, S.Second);
      rename(S.Second, 0);
      return true;
    }
    if (S.Into != X87Shape::None)
      fill(Out.add({st(S.Into + 8 - S.Pops)}));
    for (unsigned R = 0; R < 8 && S.Pops; ++R)
      if (R != S.Into)
        rename(R + 8 - S.Pops, R);
    return true;
  }

  static CellList fcmovFlags(const Encoding &E) {
    static constexpr unsigned Conditions[] = {2, 4, 6, 10}; // b e be u
    return conditionCells(Conditions[E.ModRM >> 3 & 3]);
  }

  /// xchg, xadd, cmpxchg.
  static bool exchange(const Context &C, EffectsDraft &Out) {
    StringRef N = C.Name;
    const MemoryPart All = {0, MemoryPart::All};
    auto atMemory = [&](EffectDraft &E, bool Loads, bool Stores) {
      E.Addresses = C.Address;
      if (Loads)
        E.Load = All;
      if (Stores)
        E.Store = All;
    };
    if (N.starts_with("XCHG")) {
      if (C.HasMemory) {
        EffectDraft &R = Out.add({C.Data[0]}, {}, Effect::Copy);
        R.Moved = C.Data[0];
        atMemory(R, true, false);
        EffectDraft &S = Out.add({}, {C.Data[0]}, Effect::Copy);
        S.Moved = C.Data[0];
        atMemory(S, false, true);
        return true;
      }
      CellList Both = C.Data;
      append(Both, C.Values);
      sort(Both);
      Both.erase(llvm::unique(Both), Both.end());
      if (Both.size() == 2)
        for (unsigned K = 0; K < 2; ++K)
          Out.add({Both[K]}, {Both[1 - K]}, Effect::Copy).Moved = Both[K];
      else if (Both.size() == 1) // with itself: 32 bits set the upper half
        Out.add({Both[0]}, {Both[0]}, Effect::Copy).Moved = Both[0];
      return true;
    }
    if (N.starts_with("XADD")) {
      if (C.HasMemory) {
        EffectDraft &R = Out.add({C.Data[0]}, {}, Effect::Copy);
        R.Moved = C.Data[0];
        atMemory(R, true, false);
        atMemory(Out.add({}, {C.Data[0]}), true, true);
        atMemory(Out.add({Status}, {C.Data[0]}), true, false);
        return true;
      }
      for (CellRef D : C.Data)
        Out.add({D}, C.Values);
      Out.add({Status}, C.Values);
      return true;
    }
    if (!N.starts_with("CMPXCHG"))
      return false;
    CellList Values = C.Values;
    for (CellRef D : C.Data) {
      EffectDraft &E = Out.add({D}, Values);
      E.Values.push_back(D);
      if (C.HasMemory)
        atMemory(E, true, false);
    }
    EffectDraft &F = Out.add(flagsWritten(C), Values);
    if (C.HasMemory) {
      atMemory(F, true, false);
      atMemory(Out.add({}, Values), true, true);
    }
    return true;
  }

  static bool special(const Context &C, EffectsDraft &Out) {
    StringRef N = C.Name;
    if (N.starts_with("PREFETCH") || N.starts_with("CLFLUSH") ||
        N.starts_with("CLWB") || N.starts_with("CLDEMOTE")) {
      Out.add().Addresses = C.Address; // that is read, memory is not
      return true;
    }
    if (N.starts_with("NOOP") || N == "NOOP" || N == "PAUSE" || N == "HLT" ||
        N.starts_with("ENDBR") || N == "TRAP" || N.starts_with("UD"))
      return true;
    if (N.starts_with("PTWRITE")) { // into the trace
      EffectDraft &E = Out.add();
      E.Addresses = C.Address;
      if (C.HasMemory)
        E.Load = {0, MemoryPart::All};
      else
        E.Values = C.Values;
      return true;
    }
    // Bytes that the mask leaves out stay as they were.
    if (N.starts_with("MASKMOV") || N.starts_with("VMASKMOVDQU")) {
      const CellRef Rdi = whole(x86::RDI);
      EffectDraft &E = Out.add({}, C.Values);
      erase_if(E.Values, [&](CellRef V) { return V.overlaps(Rdi); });
      E.Addresses = C.Address;
      E.Addresses.push_back(Rdi);
      E.Load = E.Store = {0, MemoryPart::All};
      return true;
    }
    if (N == "MFENCE" || N == "LFENCE" || N == "SFENCE") {
      Out.Barrier = true;
      return true;
    }
    if (N == "CQO" || N == "CDQ" || N == "CWD") {
      CellRef Rdx = {gpr(x86::RDX), uint16_t(N == "CWD" ? 2 : 3)};
      Out.add({Rdx}, C.Values);
      return true;
    }
    if (N == "VZEROUPPER" || N == "VZEROALL") {
      EffectDraft &E = Out.add();
      for (unsigned R = 0; R < 16; ++R)
        E.Writes.push_back(N == "VZEROALL"
                               ? vec(R, 5)
                               : CellRef{Cell(vec(R, 5).First + 3), 2});
      return true;
    }
    const bool ReadsBase =
        N.starts_with("RDFSBASE") || N.starts_with("RDGSBASE");
    const bool WritesBase =
        N.starts_with("WRFSBASE") || N.starts_with("WRGSBASE");
    if (ReadsBase || WritesBase) {
      CellRef Base = one(N[2] == 'F' ? FSBase : GSBase);
      Out.add(ReadsBase ? C.Data : CellList{Base},
              ReadsBase ? CellList{Base} : C.Values);
      return true;
    }
    if (N.ends_with("LDMXCSR") || N.ends_with("STMXCSR")) {
      const bool Loads = N.ends_with("LDMXCSR");
      EffectDraft &E =
          Loads ? Out.add({one(MXCSR)}) : Out.add({}, {one(MXCSR)});
      E.Addresses = C.Address;
      (Loads ? E.Load : E.Store) = {0, MemoryPart::All};
      return true;
    }
    if (N.starts_with("FXRSTOR") || N.starts_with("XRSTOR") ||
        N.starts_with("FXSAVE") || N.starts_with("XSAVE")) {
      // Which parts, memory and registers tell.
      CellList Everything = {{K0, 8}, {ST0, 8}, {FCtrl, 4}, {Vec, 5 * 32}};
      const bool Loads = N.contains("RSTOR");
      Out.Varies = true;
      EffectDraft &E = Out.add(Loads ? Everything : CellList{}, Everything);
      append(E.Values, C.Values);
      E.Addresses = C.Address;
      E.Load = {0, MemoryPart::All};
      if (!Loads)
        E.Store = {0, MemoryPart::All};
      return true;
    }
    if (N == "XGETBV" || N.starts_with("RDTSC") || N == "RDPMC") {
      CellList Values = C.Values;
      Values.push_back(one(System));
      for (CellRef D : C.Data)
        Out.add({D}, Values);
      return true;
    }
    if (N.starts_with("XBEGIN")) { // an abort comes back here
      Out.add({whole(x86::RAX)}, {whole(x86::RAX), one(System)});
      Out.add({}, {one(System)}, Effect::Flow);
      return true;
    }
    if (N.starts_with("RDRAND") || N.starts_with("RDSEED")) {
      Out.add(C.Data, {one(System)});
      Out.add({Status}, {one(System)});
      return true;
    }
    if (N == "CLI" || N == "STI") {
      Out.add({one(RFlags)}, {one(RFlags)});
      return true;
    }
    return false;
  }

  /// x ^ x and its kin: what is read does not matter.
  static bool isConstant(const Context &C) {
    StringRef N = C.Name;
    N.consume_front("V");
    static constexpr StringLiteral Verbs[] = {
        "XOR", "SUB8", "SUB16", "SUB32",  "SUB64",
        "SBB", "PXOR", "PSUB",  "PCMPEQ", "PCMPGT"};
    if (none_of(Verbs, [&](StringRef V) { return N.starts_with(V); }) ||
        !N.contains("rr") || N.contains("rrk"))
      return false;
    // The last two register operands.
    SmallVector<unsigned, 4> Sources;
    for (unsigned I = C.M.numDefs(); I < C.M.Inst.getNumOperands(); ++I)
      if (C.M.isReg(I))
        Sources.push_back(C.M.reg(I));
    return Sources.size() == 2 && Sources[0] == Sources[1];
  }

  void general(Context &C, EffectsDraft &Out) const {
    CellList Values = C.Values, Data = C.Data;
    StringRef N = C.Name;
    const bool Constant = isConstant(C);
    if (Constant)
      Values.clear();
    append(Values, flagsRead(C));
    const bool Loads = C.HasMemory && C.M.Desc.mayLoad();
    const bool Stores = C.HasMemory && C.M.Desc.mayStore();
    if (C.HasMemory && !Loads && !Stores) // lea
      append(Values, C.Address);
    auto fill = [&](EffectDraft &E) {
      if (!Loads)
        return;
      E.Addresses = C.Address;
      E.Load = {0, MemoryPart::All};
    };
    if (!C.E.IsVex)
      partial(C, Values, Data);
    normalise(Values);
    // What several registers get does not differ in where it is from, but of
    // mul and div.
    for (CellRef D : Data) {
      EffectDraft &E = Out.add({D}, Values);
      fill(E);
      simple(C, Loads, E);
    }
    if (Stores) {
      EffectDraft &E = Out.add({}, Values);
      E.Addresses = C.Address;
      E.Store = {0, MemoryPart::All};
      if (Loads)
        E.Load = {0, MemoryPart::All};
      else if (N.starts_with("MOV") && Values.size() == 1 && !masked(C)) {
        E.Flags |= Effect::Copy;
        E.Moved = Values[0];
      } else if (N.starts_with("VMOV") && Values.size() == 1 && !masked(C)) {
        E.Flags |= Effect::Copy;
        E.Moved = Values[0];
      }
    }
    if (!C.WritesFlags)
      return;
    CellList Flags = flagsWritten(C);
    // Flags that are undefined; some processors leave them as they are.
    CellList Undefined = undefinedFlags(C.Name);
    if (!Undefined.empty()) {
      normalise(Flags);
      subtract(Flags, Undefined);
      EffectDraft &Rest = Out.add(Undefined, Values);
      fill(Rest);
      append(Rest.Values, Undefined);
    }
    EffectDraft &E = Out.add(Flags, Values);
    fill(E);
    if (mayKeepFlags(C))
      append(E.Values, Flags);
  }

  static bool masked(const Context &C) {
    return any_of(C.Values,
                  [](CellRef V) { return V.First >= K0 && V.First < ST0; });
  }

  /// Legacy SSE instructions that write a part of a register: what stays is not
  /// touched.
  void partial(const Context &C, CellList &Values, CellList &Data) const {
    StringRef N = C.Name;
    if (Data.size() != 1 || Data[0].First < Vec || Data[0].Count != 3)
      return;
    const CellRef D = Data[0];
    const CellRef Low = {D.First, 2}, High = one(D.First + 2u);
    auto drops = [&] { // the old value of the destination
      auto It = find(Values, D);
      if (It != Values.end())
        Values.erase(It);
    };
    auto becomes = [&](CellRef Part) { Data[0] = Part; };
    if (N == "MOVLPSrm" || N == "MOVLPDrm") {
      drops();
      becomes(Low);
      return;
    }
    if (N == "MOVHPSrm" || N == "MOVHPDrm") {
      drops();
      becomes(High);
      return;
    }
    if (N == "MOVHLPSrr" || N == "MOVLHPSrr") {
      const CellRef S = Values.back();
      drops();
      becomes(N == "MOVHLPSrr" ? Low : High);
      Values = {N == "MOVHLPSrr" ? one(S.First + 2u) : CellRef{S.First, 2}};
      return;
    }
    if (N.starts_with("CVTSI2SD") || N.starts_with("CVTSI642SD")) {
      drops();
      becomes(Low);
      return;
    }
    if (N.starts_with("CVTSI2SS") || N.starts_with("CVTSI642SS")) {
      drops();
      becomes(one(D.First));
      return;
    }
    unsigned Bytes = scalarBytes(N);
    if (!Bytes || N.starts_with("MOVSSrm") || N.starts_with("MOVSDrm"))
      return;
    if (N.starts_with("CVTSD2SS"))
      Bytes = 4;
    else if (N.starts_with("CVTSS2SD"))
      Bytes = 8;
    const CellRef Part = Bytes == 8 ? Low : one(D.First);
    const bool ReadsOld = !N.starts_with("MOV") && !N.starts_with("CVT") &&
                          !N.starts_with("SQRT") && !N.starts_with("ROUND") &&
                          !N.starts_with("RCP") && !N.starts_with("RSQRT");
    drops();
    if (ReadsOld)
      Values.push_back(Part);
    becomes(Part);
  }

  /// Moves, loads, and additions of constants.
  static void simple(const Context &C, bool Loads, EffectDraft &E) {
    StringRef N = C.Name;
    N.consume_front("V");
    if (masked(C))
      return;
    const bool Extends = N.starts_with("MOVSX") || N.starts_with("MOVSH") ||
                         N.starts_with("MOVSLDUP") ||
                         N.starts_with("MOVDDUP") || N.starts_with("MOVMSK") ||
                         N.starts_with("MOVBE");
    if (N.starts_with("MOV") && !Extends) {
      // vmovsd and others of three operands take the rest from one of them.
      const bool Merges =
          C.E.IsVex && C.M.Inst.getNumOperands() > 2 &&
          (N.starts_with("MOVSDr") || N.starts_with("MOVSSr") ||
           N.starts_with("MOVHLPS") || N.starts_with("MOVLHPS"));
      if (Loads ? E.Values.empty() : E.Values.size() == 1 && !Merges) {
        E.Flags |= Effect::Copy;
        E.Moved = E.Writes[0];
        // To a general register, and from the half of a vector register, all
        // that is written is as large as what is read, or zero behind it.
        if (!Loads && E.Moved.First >= Vec && !N.starts_with("MOVHLPS"))
          E.Moved.Count = std::min(E.Moved.Count, E.Values[0].Count);
        // Above what is moved there are zeros.
        if (N.starts_with("MOVSS") || N.starts_with("MOVDI2PDI"))
          E.Moved.Count = 1;
        else if (N.starts_with("MOVSDr") || N.starts_with("MOV64toPQI") ||
                 N.starts_with("MOVQI2PQI"))
          E.Moved.Count = 2;
        else if (E.Moved.First >= Vec && C.E.IsVex)
          E.Moved.Count = N.contains("Z256") || N.contains("Y")    ? 4
                          : N.contains("Z") && !N.contains("Z128") ? 5
                                                                   : 3;
      }
      return;
    }
    if (E.Values.size() != 1 || Loads || E.Values[0].Count != 3)
      return;
    auto plus = [&](int64_t By) {
      E.Flags |= Effect::AddConstant;
      E.Addend = By;
    };
    const McOperands &M = C.M;
    if (N == "LEA64r" && M.isReg(1) && M.isImm(4)) {
      // base, scale, index, displacement
      if (!M.reg(3))
        plus(M.imm(4));
      return;
    }
    if ((N.starts_with("ADD64ri") || N.starts_with("SUB64ri")) && M.isImm(2))
      plus(N[0] == 'A' ? M.imm(2) : -M.imm(2));
    else if (N == "INC64r" || N == "DEC64r")
      plus(N[0] == 'I' ? 1 : -1);
  }
};

} // namespace

std::unique_ptr<EffectsDecoder> makeX86Effects() {
  return std::make_unique<X86Effects>();
}

} // namespace rw::dataflow
