//===- X86Decoder.cpp - What x86-64 code does -----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/arch/X86Decoder.h"
#include "core/arch/McTarget.h"
#include "core/arch/X87Effects.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/MC/MCInst.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace rw {
namespace {

using LaneMasks = SmallVectorImpl<LaneBytes>;

void addLane(LaneMasks &Out, unsigned Lane, uint8_t Mask = 0xff) {
  auto It = lower_bound(Out, Lane,
                        [](LaneBytes B, unsigned L) { return B.Lane < L; });
  if (It != Out.end() && It->Lane == Lane)
    It->Mask |= Mask;
  else
    Out.insert(It, {uint16_t(Lane), Mask});
}

void addLanes(LaneMasks &Out, unsigned First, unsigned Count) {
  for (unsigned L = First; L < First + Count; ++L)
    addLane(Out, L);
}

void addStack(LaneMasks &Out, uint8_t Registers) {
  for (unsigned N = 0; N < 8; ++N)
    if (Registers >> N & 1) {
      addLane(Out, x86::ST0 + 2 * N);
      addLane(Out, x86::ST0 + 2 * N + 1, 3);
    }
}

/// What the encoding says beside LLVM's tables.
struct Encoding {
  enum Space : uint8_t { OneByte, TwoByte, Vector, Other };
  Space Where = Other;
  uint8_t Op = 0;
  uint8_t ModRM = 0; ///< the byte behind Op, if there is one
  bool Repeat = false;

  explicit Encoding(ArrayRef<uint8_t> B) {
    size_t I = 0;
    auto at = [&](size_t K) { return K < B.size() ? B[K] : uint8_t(0); };
    for (; I < B.size() && isX86Prefix(B[I]); ++I)
      Repeat |= B[I] == 0xf2 || B[I] == 0xf3;
    // In 64-bit mode c4, c5 and 62 are VEX and EVEX; 8f is XOP unless its
    // mod/rm byte is that of a pop.
    if (at(I) == 0xc4 || at(I) == 0xc5 || at(I) == 0x62 ||
        (at(I) == 0x8f && (at(I + 1) & 0x1f) >= 8)) {
      Where = Vector;
      return;
    }
    Where = OneByte;
    if (at(I) == 0xd5) {
      if (at(I + 1) & 0x80)
        Where = TwoByte;
      I += 2;
    }
    if (Where == OneByte && at(I) == 0x0f) {
      Where = TwoByte;
      ++I;
      if (at(I) == 0x38 || at(I) == 0x3a)
        Where = Other;
    }
    Op = at(I);
    ModRM = at(I + 1);
  }

  bool isString() const {
    return Where == OneByte &&
           ((Op >= 0xa4 && Op <= 0xaf && Op != 0xa8 && Op != 0xa9) ||
            (Op >= 0x6c && Op <= 0x6f));
  }
  bool isX87() const { return Where == OneByte && Op >= 0xd8 && Op <= 0xdf; }
  unsigned extension() const { return ModRM >> 3 & 7; }
  bool hasMemory() const { return ModRM < 0xc0; }
};

} // namespace

struct X86Decoder::Impl : McTarget {
  std::vector<SmallVector<LaneBytes, 1>> Lanes; ///< by LLVM register number
  BitVector Vectors;                            ///< LLVM's xmm, ymm and zmm
  unsigned Mxcsr = 0;                           ///< LLVM's number of it

  SmallVector<LaneBytes, 16> Defs, Uses;
  std::vector<RegItem> Writes;

  Impl() : McTarget(ISA::X86_64) {
    assert(*this && "LLVM without its X86 target");
    RegisterFile File(Arch::X86_64, {});
    Lanes.resize(Registers->getNumRegs());
    Vectors.resize(Lanes.size());
    for (unsigned R = 1; R < Lanes.size(); ++R)
      describe(R, Registers->getName(R), File);
  }

  void describe(unsigned R, StringRef Name, const RegisterFile &File) {
    StringRef Ours = Name;
    if (Name == "EFLAGS") {
      Lanes[R].push_back({x86::RFLAGS, 3});
      return;
    }
    if (Name == "DF") {
      Lanes[R].push_back({x86::RFLAGS, 2});
      return;
    }
    if (Name == "FPCW")
      Ours = "fctrl";
    else if (Name == "FPSW")
      Ours = "fstat";
    else if (Name == "MXCSR")
      Mxcsr = R;
    unsigned Size = 0;
    const RegisterInfo *Info = File.find(Ours);
    if (!Info && !Ours.empty()) {
      // The parts of r16..r31 have no names of their own here.
      Size = Ours.back() == 'D' ? 4 : Ours.back() == 'W' ? 2 : 1;
      Info = File.find(Ours.drop_back());
      if (Info && Info->Slice.Lane < x86::R16)
        Info = nullptr;
    }
    // Others have no place here: ssp, control and debug registers, tiles.
    if (!Info || Info->IsPC)
      return;
    RegisterSlice S = Info->Slice;
    if (Size)
      S.Size = uint16_t(Size);
    Vectors[R] = S.Lane >= x86::ZMM0 && S.Lane < x86::FirstNamed;
    for (unsigned Byte = 0; Byte < S.Size;) {
      unsigned N = std::min<unsigned>(8 - S.Offset, S.Size - Byte);
      Lanes[R].push_back(
          {uint16_t(S.Lane + Byte / 8), uint8_t(((1u << N) - 1) << S.Offset)});
      Byte += N;
    }
  }

  void addDef(unsigned R, const Encoding &E) {
    // What VEX and EVEX leave of a vector register is cleared.
    if (Vectors[R] && E.Where == Encoding::Vector)
      addLanes(Defs, Lanes[R][0].Lane, 8);
    else
      for (LaneBytes B : Lanes[R]) {
        bool Half = B.Mask == 0x0f && (B.Lane < x86::RFLAGS ||
                                       (B.Lane >= x86::R16 && !Vectors[R]));
        // A write of 32 bits clears the upper half.
        addLane(Defs, B.Lane, Half ? 0xff : B.Mask);
      }
  }

  void operands(const MCInst &Inst, const Encoding &E) {
    const MCInstrDesc &Desc = Instructions->get(Inst.getOpcode());
    unsigned NumDefs = std::min(Desc.getNumDefs(), Inst.getNumOperands());
    for (unsigned I = 0; I < Inst.getNumOperands(); ++I) {
      if (!Inst.getOperand(I).isReg())
        continue;
      unsigned R = Inst.getOperand(I).getReg().id();
      if (I < NumDefs)
        addDef(R, E);
      else
        for (LaneBytes B : Lanes[R])
          addLane(Uses, B.Lane, B.Mask);
    }
    for (MCPhysReg R : Desc.implicit_defs())
      addDef(R, E);
    for (MCPhysReg R : Desc.implicit_uses())
      for (LaneBytes B : Lanes[R])
        addLane(Uses, B.Lane, B.Mask);
    // The flags of arithmetic exceptions stick there.
    if (Desc.mayRaiseFPException() && Desc.hasImplicitUseOfPhysReg(Mxcsr))
      addLane(Defs, x86::MXCSR, 1);
  }

  /// LLVM takes a prefix that does not belong to what follows for an
  /// instruction of its own.
  bool isPrefix(const MCInst &Inst) const {
    return Instructions->getName(Inst.getOpcode()).ends_with("_PREFIX");
  }

  /// What LLVM, which needs it for compiling, does not say.
  void amend(const MCInst &Inst, const Encoding &E, InsnClass Class) {
    StringRef Name = Instructions->getName(Inst.getOpcode());
    switch (Class) {
    case InsnClass::Call:
    case InsnClass::IndirectCall:
    case InsnClass::Return:
      addLane(Defs, x86::RSP);
      addLane(Uses, x86::RSP);
      break;
    case InsnClass::SystemCall:
      if (E.Where == Encoding::OneByte && E.Op != 0xcd)
        break; // int3: a debugger's
      addLane(Defs, x86::RAX);
      addLane(Uses, x86::RAX);
      if (E.Where == Encoding::TwoByte && E.Op == 0x05) {
        addLane(Defs, x86::RCX);
        addLane(Defs, x86::R11);
      }
      break;
    case InsnClass::ExceptionReturn:
      addLane(Defs, x86::RFLAGS);
      if (E.Where == Encoding::OneByte) { // iret
        addLane(Defs, x86::RSP);
        addLane(Uses, x86::RSP);
      } else {
        addLane(Uses, x86::RCX);
        addLane(Uses, E.Op == 0x07 ? x86::R11 : x86::RDX); // sysret, sysexit
      }
      break;
    case InsnClass::CondBranch:
      if (E.Where == Encoding::OneByte && E.Op >= 0xe0 && E.Op <= 0xe3) {
        addLane(Uses, x86::RCX);
        if (E.Op != 0xe3) // jrcxz only looks
          addLane(Defs, x86::RCX);
        if (E.Op <= 0xe1) // loope, loopne
          addLane(Uses, x86::RFLAGS, 3);
      }
      break;
    default:
      break;
    }
    // push and pop of fs and gs.
    if (E.Where == Encoding::TwoByte && (E.Op & 0xf6) == 0xa0) {
      addLane(Defs, x86::RSP);
      addLane(Uses, x86::RSP);
      if (E.Op & 1)
        addLane(Defs, E.Op & 8 ? x86::GS : x86::FS);
    }
    if (E.isString() && E.Repeat) {
      addLane(Defs, x86::RCX);
      addLane(Uses, x86::RCX);
    }
    if (E.isX87()) {
      erase_if(Defs, [](LaneBytes B) {
        return B.Lane == x86::FStat || B.Lane == x86::FCtrl;
      });
      X87Effects X = x87Effects(E.Op, E.ModRM);
      addStack(Defs, X.Stack);
      if (X.Status)
        addLane(Defs, x86::FStat, 3);
      if (X.Control)
        addLane(Defs, x86::FCtrl, 3);
      if (X.Tag)
        addLane(Defs, x86::FTag, 3);
      if (X.Flags)
        addLane(Defs, x86::RFLAGS, 3);
      if (X.AX)
        addLane(Defs, x86::RAX, 3);
    }
    if (Name == "CQO" || Name == "CDQ" || Name == "CWD")
      erase_if(Defs, [](LaneBytes B) { return B.Lane == x86::RAX; });
    else if (Name == "POPF16" || Name == "POPF64") // not "pop fs"
      addLane(Defs, x86::RFLAGS);
    else if (Name.starts_with("WRFSBASE"))
      addLane(Defs, x86::FSBase);
    else if (Name.starts_with("WRGSBASE") || Name == "SWAPGS")
      addLane(Defs, x86::GSBase);
    else if (Name.starts_with("ENTER"))
      for (unsigned L : {x86::RBP, x86::RSP}) {
        addLane(Defs, L);
        addLane(Uses, L);
      }
    else if (Name.starts_with("MMX_"))
      // It makes the x87 stack begin at st0, whose exponents are set.
      addLane(Defs, x86::FTag, 3);
    else if (Name == "VZEROUPPER")
      erase_if(Defs, [](LaneBytes B) { return (B.Lane - x86::ZMM0) % 8 < 2; });
    else if (Name.starts_with("FXRSTOR") || Name.starts_with("XRSTOR"))
      restoreAll(Name.starts_with("X"));
  }

  /// Which parts are restored is told by memory and registers.
  void restoreAll(bool Extended) {
    addStack(Defs, 0xff);
    for (unsigned L : {x86::FCtrl, x86::FStat, x86::FTag})
      addLane(Defs, L, 3);
    addLane(Defs, x86::MXCSR, 0x0f);
    for (unsigned N = 0; N < (Extended ? 32 : 16); ++N)
      addLanes(Defs, x86::ZMM0 + 8 * N, Extended ? 8 : 2);
    if (Extended)
      addLanes(Defs, x86::K0, 8);
  }
};

X86Decoder::X86Decoder() = default;
X86Decoder::~X86Decoder() = default;
X86Decoder::X86Decoder(X86Decoder &&) noexcept = default;
X86Decoder &X86Decoder::operator=(X86Decoder &&) noexcept = default;

X86Insn X86Decoder::decode(ArrayRef<uint8_t> Bytes) {
  if (!I)
    I = std::make_unique<Impl>();
  X86Insn Result;
  MCInst Inst;
  uint64_t Size = 0;
  Bytes = Bytes.take_front(X86Insn::MaxSize);
  // LLVM takes lock for an instruction of its own.
  uint64_t Prefixes = 0;
  do {
    Prefixes += Size;
    if (I->Decoder->getInstruction(Inst, Size, Bytes.drop_front(Prefixes), 0,
                                   nulls()) != MCDisassembler::Success ||
        !Size || Size > Bytes.size() - Prefixes)
      return Result;
  } while (I->isPrefix(Inst) && Prefixes + Size < Bytes.size());
  if (I->isPrefix(Inst))
    return Result;
  Size += Prefixes;
  Bytes = Bytes.take_front(Size);
  Result.Size = uint8_t(Size);
  Result.Class = classifyX86(Bytes);
  for (size_t K = 0; K < std::min<size_t>(Size, 8); ++K)
    Result.Opcode |= uint64_t(Bytes[K]) << 8 * K;

  Encoding E(Bytes);
  if (Result.Class == InsnClass::Call || Result.Class == InsnClass::Branch ||
      Result.Class == InsnClass::CondBranch) {
    bool Short = E.Where == Encoding::OneByte && E.Op != 0xe8 && E.Op != 0xe9;
    if (Short)
      Result.Displacement = int8_t(Bytes.back());
    else if (Size >= 5)
      Result.Displacement =
          int32_t(support::endian::read32le(&Bytes[Size - 4]));
  }
  I->Defs.clear();
  I->Uses.clear();
  I->operands(Inst, E);
  I->amend(Inst, E, Result.Class);
  I->Writes.clear();
  for (LaneBytes B : I->Defs) {
    RegItem R;
    R.Lane = B.Lane;
    R.Written = R.Unknown = B.Mask;
    I->Writes.push_back(R);
  }
  Result.Writes = I->Writes;
  Result.Reads = I->Uses;
  return Result;
}

} // namespace rw
