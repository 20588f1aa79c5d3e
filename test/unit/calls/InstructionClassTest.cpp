//===- InstructionClassTest.cpp -------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/arch/InstructionClass.h"
#include "core/arch/Targets.h"
#include "test/unit/support/TestData.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "gtest/gtest.h"
#include <random>

using namespace rw;

namespace {

struct Case {
  uint64_t Opcode;
  InsnClass Class;
};

TEST(InstructionClass, A64) {
  using enum InsnClass;
  for (Case C : {Case{0x94000012, Call},
                 {0xd63f0020, IndirectCall},
                 {0xd73f0a11, IndirectCall}, // blraa x16, x17
                 {0xd65f03c0, Return},       // ret
                 {0xd65f0bff, Return},       // retaa
                 {0xd61f0020, IndirectBranch},
                 {0x14000008, Branch},
                 {0x54000062, CondBranch},
                 {0xb4000040, CondBranch},
                 {0x37000040, CondBranch},
                 {0xd69f03e0, ExceptionReturn},
                 {0xd4000001, SystemCall},
                 {0xd4000002, SystemCall},
                 {0xd45e0000, None},  // hlt
                 {0xd503201f, None},  // nop
                 {0xa9bf7bf3, None}}) // stp
    EXPECT_EQ(int(classify(ISA::A64, C.Opcode)), int(C.Class))
        << std::hex << C.Opcode;
}

TEST(InstructionClass, A32) {
  using enum InsnClass;
  for (Case C : {Case{0xeb000010, Call},
                 {0xfa000010, Call},
                 {0x0b000010, Call},
                 {0xe12fff33, IndirectCall},
                 {0xe12fff1e, Return},         // bx lr
                 {0xe12fff11, IndirectBranch}, // bx r1
                 {0xe1a0f00e, Return},         // mov pc, lr
                 {0xe1a0f003, IndirectBranch}, // mov pc, r3
                 {0xe8bd8010, Return},         // pop {r4, pc}
                 {0xe49df004, Return},         // pop {pc}
                 {0xe59ff018, IndirectBranch}, // ldr pc, [pc, #24]
                 {0xea000006, Branch},
                 {0x1a000006, CondBranch},
                 {0xe25ef004, ExceptionReturn}, // subs pc, lr, #4
                 {0xe1b0f00e, ExceptionReturn}, // movs pc, lr
                 {0xef123456, SystemCall},
                 {0xe10f0070, None},            // hlt
                 {0xe3500000, None},            // cmp r0, #0
                 {0xe8bd4010, None},            // pop {r4, lr}
                 {0xe08ff101, IndirectBranch}}) // add pc, pc, r1, lsl #2
    EXPECT_EQ(int(classify(ISA::A32, C.Opcode)), int(C.Class))
        << std::hex << C.Opcode;
}

TEST(InstructionClass, T32) {
  using enum InsnClass;
  for (Case C : {Case{0xf000f810, Call},
                 {0xf000e810, Call}, // bl, blx
                 {0x4798, IndirectCall},
                 {0x4770, Return}, // blx r3, bx lr
                 {0x4708, IndirectBranch},
                 {0x46f7, Return},     // bx r1, mov pc, lr
                 {0xbd10, Return},     // pop {r4, pc}
                 {0xe8bd87f0, Return}, // pop.w {r4-r10, pc}
                 {0xe7fe, Branch},
                 {0xf000b810, Branch},
                 {0xd1fd, CondBranch},
                 {0xf0408010, CondBranch},
                 {0xb108, CondBranch},
                 {0xb908, CondBranch},
                 {0xe8dff001, IndirectBranch}, // tbb
                 {0xdf00, SystemCall},
                 {0xf3de8f00, ExceptionReturn},
                 {0xf85dfb04, Return}, // ldr pc, [sp], #4
                 {0xbc10, None},
                 {0xbf00, None},
                 {0xbeab, None}})
    EXPECT_EQ(int(classify(ISA::T32, C.Opcode)), int(C.Class))
        << std::hex << C.Opcode;
}

TEST(InstructionClass, PPC) {
  using enum InsnClass;
  for (Case C : {Case{0x48000101, Call},
                 {0x48000100, Branch},
                 {0x4e800020, Return},
                 {0x4e800021, IndirectCall},   // blrl
                 {0x4d820020, Return},         // beqlr
                 {0x4e800420, IndirectBranch}, // bctr
                 {0x4e800421, IndirectCall},   // bctrl
                 {0x41820010, CondBranch},
                 {0x41820011, Call},       // beq, beql
                 {0x429f0005, CondBranch}, // bcl 20,31,$+4
                 {0x44000002, SystemCall},
                 {0x4c000024, ExceptionReturn},
                 {0x60000000, None},
                 {0x0600000038600000, None}})
    EXPECT_EQ(int(classify(ISA::PPC64, C.Opcode)), int(C.Class))
        << std::hex << C.Opcode;
}

/// What LLVM's tables say of encodings taken at random.
class Reference {
public:
  Reference(const char *Triple, const char *Features) {
    initializeTargets();
    std::string Error;
    llvm::Triple TT(Triple);
    const llvm::Target *T = llvm::TargetRegistry::lookupTarget(TT, Error);
    if (!T)
      return;
    MRI.reset(T->createMCRegInfo(TT));
    llvm::MCTargetOptions Options;
    MAI.reset(T->createMCAsmInfo(*MRI, TT, Options));
    MII.reset(T->createMCInstrInfo());
    STI.reset(T->createMCSubtargetInfo(TT, "", Features));
    Context =
        std::make_unique<llvm::MCContext>(TT, MAI.get(), MRI.get(), STI.get());
    Disassembler.reset(T->createMCDisassembler(*STI, *Context));
  }
  explicit operator bool() const { return bool(Disassembler); }

  const llvm::MCInstrDesc *decode(llvm::ArrayRef<uint8_t> Bytes) {
    uint64_t Size;
    if (Disassembler->getInstruction(Inst, Size, Bytes, 0, llvm::nulls()) !=
        llvm::MCDisassembler::Success)
      return nullptr;
    return &MII->get(Inst.getOpcode());
  }
  llvm::StringRef name() const { return MII->getName(Inst.getOpcode()); }

private:
  llvm::MCInst Inst;
  std::unique_ptr<llvm::MCRegisterInfo> MRI;
  std::unique_ptr<llvm::MCAsmInfo> MAI;
  std::unique_ptr<llvm::MCInstrInfo> MII;
  std::unique_ptr<llvm::MCSubtargetInfo> STI;
  std::unique_ptr<llvm::MCContext> Context;
  std::unique_ptr<llvm::MCDisassembler> Disassembler;
};

void agree(const llvm::MCInstrDesc &D, InsnClass C, llvm::StringRef Name) {
  bool IsReturn = C == InsnClass::Return || C == InsnClass::ExceptionReturn;
  EXPECT_EQ(D.isCall() && !D.isReturn(), isCall(C)) << Name.str();
  EXPECT_EQ(D.isReturn(), IsReturn) << Name.str();
  bool Jumps = C == InsnClass::Branch || C == InsnClass::CondBranch ||
               C == InsnClass::IndirectBranch;
  EXPECT_EQ(D.isBranch() && !D.isCall() && !D.isReturn(), Jumps) << Name.str();
}

TEST(InstructionClass, A64AgreesWithLLVM) {
  Reference R("aarch64-linux-gnu", "+v8.5a,+pauth");
  if (!R)
    REWIND_SKIP("this LLVM has no AArch64");
  std::mt19937 Random(1);
  unsigned Decoded = 0;
  for (unsigned N = 0; N < 300000; ++N) {
    uint32_t Op = uint32_t(Random());
    if (N % 2)
      Op = (Op & ~0x1c000000u) | 0x14000000; // the branches' corner
    if (N % 8 == 1)
      Op = (Op & 0x00ffffff) | 0xd6000000;
    uint8_t Bytes[4] = {uint8_t(Op), uint8_t(Op >> 8), uint8_t(Op >> 16),
                        uint8_t(Op >> 24)};
    const llvm::MCInstrDesc *D = R.decode(Bytes);
    if (!D)
      continue;
    ++Decoded;
    // LLVM does not mark drps as a return.
    if (R.name() == "DRPS")
      continue;
    agree(*D, classify(ISA::A64, Op), R.name());
  }
  EXPECT_GT(Decoded, 10000u);
}

TEST(InstructionClass, X86AgreesWithLLVM) {
  Reference R("x86_64-linux-gnu", "");
  if (!R)
    REWIND_SKIP("this LLVM has no x86");
  std::mt19937 Random(2);
  unsigned Decoded = 0;
  for (unsigned N = 0; N < 300000; ++N) {
    uint8_t Bytes[15];
    for (uint8_t &B : Bytes)
      B = uint8_t(Random());
    static const uint8_t Interesting[] = {0xe8, 0xe9, 0xeb, 0xff, 0xc3, 0xc2,
                                          0x74, 0x0f, 0xf2, 0xf3, 0x41, 0x66};
    if (N % 2)
      Bytes[0] = Interesting[N / 2 % sizeof(Interesting)];
    const llvm::MCInstrDesc *D = R.decode(Bytes);
    if (!D)
      continue;
    llvm::StringRef Name = R.name();
    // LLVM models these with the flags of what they are used for, or as
    // prefixes on their own.
    if (Name.contains("PREFIX") || Name.contains("SYS") ||
        Name.contains("XBEGIN") || Name.contains("XABORT") ||
        Name.starts_with("INT") || Name == "UIRET")
      continue;
    ++Decoded;
    agree(*D, classifyX86(Bytes),
          (Name + " " + llvm::toHex(llvm::ArrayRef(Bytes, 6))).str());
  }
  EXPECT_GT(Decoded, 10000u);
}

} // namespace
