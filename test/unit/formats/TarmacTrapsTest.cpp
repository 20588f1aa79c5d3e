//===- TarmacTrapsTest.cpp - One test per trap of the format --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/arch/RegisterFile.h"
#include "test/unit/formats/Collect.h"
#include "gtest/gtest.h"

using namespace rw;

namespace {

/// Reads a trace that must be read without error.
Collect read(llvm::StringRef Text, ReaderOptions Options = {}) {
  Collect C;
  if (llvm::Error E = readText(Text, C, Options))
    ADD_FAILURE() << toString(std::move(E));
  return C;
}

const char A64[] = "1 clk IT (1) 00008000 d503201f O EL3h_s : NOP\n";
const char A32[] = "1 clk IT (1) 00008000 e1a00000 A svc_s : NOP\n";

/// The value of a lane after all items; nullopt if a byte of Mask is unknown.
std::optional<uint64_t> lane(const Collect &C, unsigned Lane,
                             uint8_t Mask = 0xff, unsigned Thread = 0) {
  uint64_t Value = 0;
  uint8_t Known = 0;
  for (const RegItem &R : C.All.Regs) {
    if (R.Lane != Lane || R.Thread != Thread)
      continue;
    for (unsigned I = 0; I < 8; ++I)
      if (R.Written >> I & 1) {
        Value &= ~(uint64_t(0xff) << (8 * I));
        Value |= R.Value & (uint64_t(0xff) << (8 * I));
      }
    Known = uint8_t((Known | R.Written) & ~(R.Written & R.Unknown));
  }
  if ((Known & Mask) != Mask)
    return std::nullopt;
  uint64_t Bits = 0;
  for (unsigned I = 0; I < 8; ++I)
    if (Mask >> I & 1)
      Bits |= uint64_t(0xff) << (8 * I);
  return Value & Bits;
}
std::optional<uint64_t> named(const Collect &C, llvm::StringRef Name,
                              uint8_t Mask = 0xff, unsigned Thread = 0) {
  for (const NamedRegister &N : C.Header.NamedRegisters)
    if (N.Name == Name)
      return lane(C, N.Lane, Mask, Thread);
  return std::nullopt;
}
uint64_t ignored(const Collect &C, llvm::StringRef Kind) {
  for (auto &[K, N] : C.Header.Ignored)
    if (K == Kind)
      return N;
  return 0;
}
bool hasNote(const Collect &C, llvm::StringRef What) {
  return llvm::any_of(C.Header.Notes, [&](auto &N) { return N.first == What; });
}
using Opt = std::optional<uint64_t>;

struct Mem {
  uint64_t Addr, Value;
  unsigned Size, Flags, Known;
  bool operator==(const Mem &O) const {
    return std::tie(Addr, Value, Size, Flags, Known) ==
           std::tie(O.Addr, O.Value, O.Size, O.Flags, O.Known);
  }
};
void PrintTo(const Mem &M, std::ostream *OS) {
  *OS << std::hex << M.Addr << "=" << M.Value << "/" << M.Size << " flags "
      << M.Flags << " known " << M.Known;
}
std::vector<Mem> mems(const Collect &C) {
  std::vector<Mem> Out;
  for (const MemItem &M : C.All.Mems)
    Out.push_back({M.Addr, M.Value, M.Size, M.Flags, M.Known});
  return Out;
}
using V = std::vector<Mem>;
constexpr unsigned W = MemItem::Write, J = MemItem::Joined,
                   X = MemItem::Exclusive, N = MemItem::NoValue,
                   Implied = MemItem::Implied;

} // namespace

TEST(TarmacTrap, T01_BracketsMeanFourThings) {
  Collect C = read(
      "0 clk IT (0) 00008000 fa000000 A svc_s : BLX {pc}+8\n"
      "6000000 cs IT (00000000004d6eb8) 54fffea1 O  ---_- :  b.ne 0x4d6e8c\n"
      "7000000 cyc IT (00022a7c:00000006) 00022a7c     48f6 T16 LDR r0,[pc]\n"
      "7000001 cyc IT 00000350 490d        LDR\n");
  ASSERT_EQ(C.All.Insns.size(), 4u);
  EXPECT_EQ(C.All.Insns[0].PC, 0x8000u);
  EXPECT_EQ(C.All.Insns[1].PC, 0x4d6eb8u);
  EXPECT_EQ(C.All.Insns[1].Opcode, 0x54fffea1u);
  EXPECT_EQ(C.All.Insns[1].Isa, ISA::A64);
  EXPECT_EQ(C.All.Insns[2].PC, 0x22a7cu);
  EXPECT_EQ(C.All.Insns[2].Size, 2);
  EXPECT_EQ(C.All.Insns[3].PC, 0x350u);
  EXPECT_EQ(C.All.Insns[3].Isa, ISA::T32);
  EXPECT_EQ(C.Header.NumMalformed, 0u);
}

TEST(TarmacTrap, T02_T03_PhysicalAddresses) {
  Collect C = read("3 clk IT (3) 0000800a:00000000800a_NS,00000000800c_NS "
                   "e8900c00 T hyp_n : LDM r0,{r10,r11}\n"
                   "4 ps MR8 0000010006fffcc0:010116fffcc0_NS "
                   "00000100_05101000\n");
  EXPECT_EQ(C.All.Insns[0].PC, 0x800au);
  EXPECT_EQ(C.All.Insns[0].Size, 4);
  EXPECT_EQ(mems(C), (V{{0x10006fffcc0, 0x10005101000, 8, 0, 0xff}}));
  EXPECT_EQ(C.All.Mems[0].Real, 0x10116fffcc0u);
  EXPECT_TRUE(C.Header.Can.RealAddresses);
}

TEST(TarmacTrap, T04_StateAndModeAndColonMayLack) {
  Collect C =
      read("1 ns IT (00000000:00000000) 00000000 ea000006 A :   B pc+0x18\n"
           "354ns IT 00000350 490d        LDR\n"
           "355ns IT 00000352 f000f801    BL\n");
  ASSERT_EQ(C.All.Insns.size(), 2u);
  EXPECT_EQ(C.Header.NumMalformed, 1u); // 32 bits without a state: Thumb?
  EXPECT_NE(C.Header.Malformed[0].What.find("--implicit-thumb"),
            std::string::npos);
  ReaderOptions O;
  O.Settings.set(tarmac::ImplicitThumb);
  C = read("354ns IT 00000350 490d        LDR\n"
           "355ns IT 00000352 f000f801    BL\n",
           O);
  ASSERT_EQ(C.All.Insns.size(), 2u);
  EXPECT_EQ(C.All.Insns[1].Isa, ISA::T32);
  EXPECT_EQ(C.All.Insns[1].Size, 4);
}

TEST(TarmacTrap, T05_FetchFailed) {
  Collect C = read("11519 tic ES (10000b58:--------) T thrd_s:\n"
                   "11520 tic ES (10000b5c:f7ffef76) T thrd_s: BL\n"
                   "11520 tic ES (10000b60:bf00) T thrd_s: NOP\n");
  EXPECT_EQ(C.All.Insns[0].Flags & (InsnItem::Executed | InsnItem::OpcodeKnown),
            0);
  EXPECT_EQ(C.All.Insns[1].Opcode, 0xf7ffef76u); // first halfword on top
  EXPECT_EQ(C.All.Insns[2].Size, 2);
}

TEST(TarmacTrap, T07_T08_ConditionFailedAndFolded) {
  Collect C = read("12 clk IS (12) 0000802c 1afb T svc_s : SUBNE r3,r7,r3\n"
                   "13 clk IF (13) 0000802e bf00 T svc_s : NOP\n"
                   "14 ns ES (000001a4:03a06a01) A svc:     CCFAIL MOVEQ r6\n"
                   "14 ns ES (000001a8:03a06a01) A svc:            MOVEQ r6\n"
                   "14 ns ES (000001ac:03a06a01) A svc:     CCFAIL MOVEQ r6\n"
                   "14 ns ES (000001b0:03a06a01) A svc:     CCFAI_ MOVEQ r6\n");
  ASSERT_EQ(C.All.Insns.size(), 6u);
  bool Executed[] = {false, true, false, true, false, true};
  for (int I = 0; I < 6; ++I)
    EXPECT_EQ(bool(C.All.Insns[I].Flags & InsnItem::Executed), Executed[I]);
}

TEST(TarmacTrap, T09_ExceptionsAreNoInstructions) {
  Collect C =
      read("1 ns  ES  EXC [0x00] Reset\n"
           "          EXC [0x200] Synchronous Current EL with SP_ELx\n" +
           std::string(A64) +
           "2 ns  ES  Reset\n"
           "       EXC [0x00] Reset\n"
           "3 ns ES EXC [1] Reset\n");
  ASSERT_EQ(C.All.Insns.size(), 1u);
  ASSERT_EQ(C.All.Events.size(), 4u); // ES Reset + EXC is one
  EXPECT_EQ(C.All.Events[1].Value, 0x200u);
  EXPECT_EQ(C.All.Events[1].Text, "Synchronous Current EL with SP_ELx");
  EXPECT_EQ(C.All.Events[1].Before, 0u);
  EXPECT_EQ(C.All.Events[2].Text, "Reset");
  EXPECT_EQ(C.All.Events[2].Before, 1u);
  EXPECT_EQ(C.All.Events[3].Value, 1u);
}

TEST(TarmacTrap, T10_MissingTimestampRepeats) {
  Collect C = read("7 clk IT (1) 00008000 d503201f O EL3h_s : NOP\n"
                   "IT (1) 00008004 d503201f O EL3h_s : NOP\n");
  EXPECT_EQ(C.All.Insns[1].Time, 7u);
  EXPECT_TRUE(C.All.Insns[0].Flags & InsnItem::TimeKnown);
  EXPECT_FALSE(C.All.Insns[1].Flags & InsnItem::TimeKnown);
  EXPECT_EQ(C.Header.TimeUnit, "clk");
}

TEST(TarmacTrap, T11_ContinuedDiagrams) {
  Collect C = read(
      "3981 tic ES  (000000d8:c878)     T thrd_s:         LDMCS r0!\n"
      "                    LD 00004020  ........ 626d654d 2043424d 4545203e   "
      "S:0000000000004020  NM NSH\n"
      "                       00004010  3e000a73 ........ ........ ........   "
      "S:0000000000004010  NM NSH\n"
      "                       00004000  ........ ........ ........ ......01\n"
      "                     00005000  ........ ........ ........ ......01\n");
  EXPECT_EQ(mems(C), (V{{0x4020, 0x2043424d4545203e, 8, 0, 0xff},
                        {0x4028, 0x626d654d, 4, J, 0x0f},
                        {0x401c, 0x3e000a73, 4, 0, 0x0f},
                        {0x4000, 1, 1, 0, 1}}));
  EXPECT_EQ(C.All.Mems[1].Real, 0x4028u);
  EXPECT_EQ(C.All.Insns[0].Time, 3981u);
}

TEST(TarmacTrap, T12_GluedAndFloatTimes) {
  Collect C = read("271ns IT (1) 00008000 d503201f O EL3h_s : NOP\n");
  EXPECT_EQ(C.All.Insns[0].Time, 271u);
  EXPECT_EQ(C.Header.TimeUnit, "ns");
  C = read("1166.177000us IT (1) 00008000 d503201f O EL3h_s : NOP\n"
           "1166.2 us IT (1) 00008000 d503201f O EL3h_s : NOP\n");
  EXPECT_EQ(C.All.Insns[0].Time, 1166177000u);
  EXPECT_EQ(C.All.Insns[1].Time, 1166200000u);
  EXPECT_EQ(C.Header.TimeUnit, "ps");
}

TEST(TarmacTrap, T13_T14_TimeGoesBack) {
  Collect C = read("20 cs IT (1) 00008000 d503201f O EL3h_s : NOP\n"
                   "15 cs R cpsr 20000000 __C_\n"
                   "16 cs IT (1) 00008004 d503201f O EL3h_s : NOP\n"
                   "16 cs IT (1) 00008008 d503201f O EL3h_s : NOP\n"
                   "21 cs IT (1) 0000800c d503201f O EL3h_s : NOP\n");
  uint64_t Want[] = {20, 20, 20, 21};
  for (int I = 0; I < 4; ++I)
    EXPECT_EQ(C.All.Insns[I].Time, Want[I]);
  EXPECT_EQ(lane(C, arm::CPSR, 0x0f), Opt(0x20000000));
  EXPECT_TRUE(hasNote(C, "time"));
}

TEST(TarmacTrap, T15_EffectsBelongToTheInstructionBefore) {
  Collect C = read("1 ns IT (0:1) 00000000 e1a00000 A : NOP\n"
                   "957006 ns R r14_svc 00000024\n"
                   "957089 ns IT (20:1) 00000020 eb000000 A : BL\n");
  EXPECT_EQ(C.All.Insns[0].NumRegs, 2); // LR_SVC and r14
  EXPECT_EQ(C.All.Insns[1].NumRegs, 0);
}

TEST(TarmacTrap, T16_T43_HeaderCommentsLineEndsAndCut) {
  Collect C = read("# CORTEXM0PLUS TARMAC 00000001\r\n\r\n"
                   "Tarmac Text Rev 3t\r\n" +
                   std::string("1 clk IT (1) 00008000 d503201f O EL3h_s : "
                               "NOP \t; \x80 any (thing)\r\n") +
                   "1 clk R X0 0000000000000001\r\n1 clk R X1 00000000000");
  EXPECT_EQ(C.All.LeadLines, 3u);
  EXPECT_EQ(C.All.Insns[0].Lines, 3u);
  EXPECT_EQ(lane(C, 0), Opt(1));
  EXPECT_EQ(lane(C, 1, 1), Opt());
  EXPECT_EQ(C.Header.NumMalformed, 0u);
  EXPECT_TRUE(hasNote(C, "last line"));
  EXPECT_TRUE(C.Header.Ignored.empty());
  // Anywhere else a line of this shape is an error.
  C = read(std::string(A64) + "1 clk R X1 0000000001\n" + A64);
  EXPECT_EQ(C.Header.NumMalformed, 1u);
  EXPECT_EQ(C.Header.Malformed[0].Line, 2u);
  EXPECT_EQ(C.Header.Malformed[0].Offset, sizeof(A64) - 1);
  EXPECT_EQ(C.All.Insns.size(), 2u);
}

/// What the parts of a last line without end must not become.
TEST(TarmacTrap, T43_EveryCutOfALastLineInventsNothing) {
  const std::string Begin =
      "1 clk cpu0 IT (1) 00001000 d503201f O EL1h_s : NOP\n"
      "2 clk cpu0 R cpsr 600003c5\n";
  // What a line is from so many of its characters on; before, it is cut.
  struct {
    const char *Line;
    size_t WholeFrom;
  } const Lines[] = {
      {"3 clk cpu0 IT (3) 00001008 d503201f O EL1h_s : NOP", 48},
      {"3 clk cpu0 ES (00001008:d503201f) O EL1h_s: CCFAIL NOP", 50},
      {"3 clk cpu0 R x1 0000000000000001", 32},
      {"3 clk cpu0 R sp 0000000000000001", 32},
      {"3 clk cpu0 R TCR_EL1 0000000000000001", ~size_t(0)},
      {"3 clk cpu0 MW4 00001000:000080001000_NS 00000001", 48},
      {"3 clk cpu0 MR2_D 00001000 00000001", 34},
      {"3 clk cpu0 ST 0000000000001000 ........ ........ ........ 00000001",
       66},
      {"3 clk cpu0 E 00001000 00000088 CoreEvent_ModeChange", 51},
  };
  const Collect Without = read(Begin);
  for (auto &L : Lines) {
    const llvm::StringRef Line = L.Line;
    for (size_t N = 1; N <= Line.size(); ++N) {
      SCOPED_TRACE(Line.take_front(N).str());
      Collect C = read(Begin + Line.take_front(N).str());
      EXPECT_EQ(C.Header.NumMalformed, 0u);
      EXPECT_TRUE(C.Header.Ignored == Without.Header.Ignored);
      EXPECT_FALSE(hasNote(C, "time"));
      EXPECT_FALSE(hasNote(C, "time unit"));
      EXPECT_EQ(C.Header.TotalLines, 3u);
      const bool Cut = N < L.WholeFrom;
      EXPECT_EQ(hasNote(C, "last line"), Cut);
      if (!Cut)
        continue;
      EXPECT_EQ(C.All.Insns.size(), Without.All.Insns.size());
      EXPECT_EQ(C.All.Regs.size(), Without.All.Regs.size());
      EXPECT_EQ(C.All.Mems.size(), Without.All.Mems.size());
      EXPECT_EQ(C.All.Events.size(), Without.All.Events.size());
      EXPECT_EQ(C.Header.Threads.size(), 1u);
      EXPECT_EQ(C.Header.NamedRegisters.size(),
                Without.Header.NamedRegisters.size());
    }
  }
}

/// "d503" of "d503201f" is an opcode, too, but no Thumb one.
TEST(TarmacTrap, T43_ACutOpcodeIsNoOpcode) {
  const std::string Begin = "1 clk IT (1) 00001000 d503201f O EL1h_s : NOP\n";
  Collect C = read(Begin + "3 clk IT (3) 00001008 d503");
  EXPECT_EQ(C.All.Insns.size(), 1u);
  ASSERT_TRUE(hasNote(C, "last line"));
  for (auto &[What, Text] : C.Header.Notes)
    if (What == "last line") {
      EXPECT_TRUE(llvm::StringRef(Text).starts_with("line 2 is cut:")) << Text;
    }
}

TEST(TarmacTrap, T17_MemoryOrderAndBuses) {
  Collect C = read(A32 + std::string("3 cyc MNW4___D 2002fa00 efbeefbe\n"
                                     "4 cyc MNR4O__I 00022ae4 f7ffffcb\n"
                                     "5 cyc MR2_I 0000010a b5100000\n"
                                     "6 cyc MR2_D 0000010a b5100000\n"
                                     "7 clk MW4 00001000 12345678\n"));
  EXPECT_EQ(mems(C), (V{{0x2002fa00, 0xbeefbeef, 4, W, 0x0f},
                        {0x10a, 0xb510, 2, 0, 3},
                        {0x1000, 0x12345678, 4, W, 0x0f}}));
  EXPECT_EQ(ignored(C, "MNR4O__I"), 1u);
  EXPECT_EQ(ignored(C, "MR2_I"), 1u);
}

TEST(TarmacTrap, T17_BigEndian) {
  ReaderOptions O;
  O.Settings.set(format_option::BigEndian);
  Collect C = read(A32 + std::string("1 clk MW4 00001000 12345678\n"
                                     "1 clk MW8 00001008 1234567890abcdef x\n"
                                     "1 clk MNW4___D 00001010 12345678\n"
                                     "LD 00001020 ........ ........ ........ "
                                     "12345678\n"),
                   O);
  EXPECT_EQ(mems(C), (V{{0x1000, 0x78563412, 4, W, 0x0f},
                        {0x1008, 0xefcdab9078563412, 8, W, 0xff},
                        {0x1010, 0x78563412, 4, W, 0x0f},
                        {0x1020, 0x12345678, 4, 0, 0x0f}}));
  EXPECT_EQ(C.Header.Order, ByteOrder::Big);
}

TEST(TarmacTrap, T18_DiagramsOfSeveralAccesses) {
  Collect C = read(
      A64 + std::string("LD 000000007ff80fe0 ........ 44444444 ........ "
                        "2222..11    S:007ff80fe0    nGnRnE OSH\n"
                        "ST b0000000  ........ ........ ........ ......##\n"
                        "ST b0000010  ........ ........ ##34.... ........\n"
                        "ST 4001b60 02000000 00000000 00000000 00000020\n"));
  EXPECT_EQ(mems(C), (V{{0x7ff80fe0, 0x11, 1, 0, 1},
                        {0x7ff80fe2, 0x2222, 2, 0, 3},
                        {0x7ff80fe8, 0x44444444, 4, 0, 0x0f},
                        {0xb0000000, 0, 1, W | N, 0},
                        {0xb0000016, 0x34, 2, W, 1},
                        {0x4001b60, 0x20, 8, W, 0xff},
                        {0x4001b68, 0x200000000000000, 8, W | J, 0xff}}));
  EXPECT_EQ(C.All.Mems[2].Real, 0x7ff80fe8u);
}

TEST(TarmacTrap, T19_WriteOfUnknownData) {
  Collect C = read(A32 + std::string("1 ns MSW4___D 201fffec xxxxxxxx\n"
                                     "1 ns MSW4___D 201ffff0 12xx34Xx\n"));
  EXPECT_EQ(mems(C),
            (V{{0x201fffec, 0, 4, W | N, 0}, {0x201ffff0, 0x340012, 4, W, 5}}));
}

TEST(TarmacTrap, T20_SixteenBytesAndTwoWords) {
  Collect C =
      read(A32 +
           std::string("1 clk MR16 400171e0 400f731b40000000 3ff87cc460000000\n"
                       "1 clk MR16 400171e0 "
                       "400f731b400000003ff87cc460000000\n"
                       "1 ns MNW8____ (0101462c:0000011d) 01013ff8 11111111 "
                       "01000028\n"));
  EXPECT_EQ(mems(C), (V{{0x400171e0, 0x3ff87cc460000000, 8, 0, 0xff},
                        {0x400171e8, 0x400f731b40000000, 8, J, 0xff},
                        {0x400171e0, 0x3ff87cc460000000, 8, 0, 0xff},
                        {0x400171e8, 0x400f731b40000000, 8, J, 0xff},
                        {0x1013ff8, 0x0100002811111111, 8, W, 0xff}}));
}

TEST(TarmacTrap, T21_T23_NotAnAccess) {
  Collect C = read(A32 + std::string("1 clk MR4 dfdfdfcf (ABORTED)\n"
                                     "1 ns MCW4___R (01000250:000000bb) "
                                     "TRANSFER 00000000\n"
                                     "1 ns MMU something 0x1000\n"
                                     "1 ns \x1b[31mMMU something\n"));
  EXPECT_TRUE(C.All.Mems.empty());
  EXPECT_EQ(ignored(C, "\\x1b[31mMMU"), 1u); // a terminal would obey
  EXPECT_EQ(ignored(C, "(ABORTED)"), 1u);
  EXPECT_EQ(ignored(C, "MCW4___R"), 1u);
  EXPECT_EQ(ignored(C, "MMU"), 1u);
  EXPECT_EQ(C.Header.NumMalformed, 0u);
}

TEST(TarmacTrap, T22_ExclusiveAndOtherSuffixes) {
  Collect C = read(A64 + std::string("1 cs W04 X ffffffbdc3c15c30 010c010b\n"
                                     "1 clk MR4X 00001000 00000001\n"
                                     "1 clk MW2T 00001000 0001\n"
                                     "1 cs R08 0000007f99d14af4 "
                                     "4305000042ea0000\n"));
  EXPECT_EQ(mems(C), (V{{0xffffffbdc3c15c30, 0x10c010b, 4, W | X, 0x0f},
                        {0x1000, 1, 4, X, 0x0f},
                        {0x1000, 1, 2, W, 3},
                        {0x7f99d14af4, 0x4305000042ea0000, 8, 0, 0xff}}));
}

TEST(TarmacTrap, T24_T25_ValuesInPieces) {
  Collect C =
      read(A64 + std::string("1 clk R FPCR 01230123:23452345\n"
                             "R X0 01234567 89abcdef\n"
                             "R q1 93c467e37db0c7a4_d1be3f810152cb56\n"
                             "R q2 93c467e37db0c7a4d1be3f810152cb56\n"
                             "R Q3 93c467e3 7db0c7a4 d1be3f81 0152cb56\n"
                             "R V4 00000000000000000000000000000000\n"
                             "R Q4 -------- -------- 3ff6a09e 667f3bcd\n"
                             "R V5<127:64> ffeeddccbbaa9988\n"));
  EXPECT_EQ(lane(C, arm::FPCR, 0x0f), Opt(0x23452345));
  EXPECT_EQ(lane(C, 0), Opt(0x0123456789abcdef));
  for (unsigned Q : {1, 2, 3}) {
    EXPECT_EQ(lane(C, arm::v(Q)), Opt(0xd1be3f810152cb56)) << Q;
    EXPECT_EQ(lane(C, arm::v(Q, 1)), Opt(0x93c467e37db0c7a4)) << Q;
  }
  EXPECT_EQ(lane(C, arm::v(4)), Opt(0x3ff6a09e667f3bcd));
  EXPECT_EQ(lane(C, arm::v(4, 1)), Opt(0));
  EXPECT_EQ(lane(C, arm::v(5, 1)), Opt(0xffeeddccbbaa9988));
  EXPECT_EQ(lane(C, arm::v(5), 1), Opt());
}

TEST(TarmacTrap, T26_ShortValues) {
  Collect C = read(A64 + std::string("R V5<63:0> 00000000\n"
                                     "R X1 0000000000000007\nR X1 --------\n"
                                     "R X2 00001234\n"));
  EXPECT_EQ(lane(C, arm::v(5)), Opt(0));
  EXPECT_EQ(lane(C, 1), Opt(7));
  EXPECT_EQ(lane(C, 2, 1), Opt());
  EXPECT_EQ(C.Header.NumMalformed, 1u);
}

TEST(TarmacTrap, T27_UnknownDigits) {
  Collect C = read(A32 + std::string("R psr f1000003\nR psr xx0xxXxx\n"
                                     "R fpscr 61xxxxxx\nR r1 1234xxxx\n"));
  EXPECT_EQ(C.Header.NumMalformed, 0u);
  EXPECT_EQ(lane(C, arm::CPSR, 1), Opt());
  EXPECT_EQ(lane(C, arm::CPSR, 4), Opt()); // "0x": half a byte is not a byte
  EXPECT_EQ(lane(C, arm::FPSCR, 8), Opt(0x61000000));
  EXPECT_EQ(lane(C, arm::FPSCR, 7), Opt());
  EXPECT_EQ(lane(C, 1, 0x0c), Opt(0x12340000));
  EXPECT_EQ(lane(C, 1, 1), Opt());
}

TEST(TarmacTrap, T28_ElasticCpsr) {
  Collect C = read(A64 + std::string("R cpsr 1220023cd\n"));
  EXPECT_EQ(lane(C, arm::CPSR, 0x0f), Opt(0x220023cd));
  C = read(A64 + std::string("R CPSR 20000000 __C_\n"));
  EXPECT_EQ(lane(C, arm::CPSR, 0x0f), Opt(0x20000000));
  C = read(A64 + std::string("R XPSR f9000000\n"));
  EXPECT_EQ(lane(C, arm::CPSR, 0x0f), Opt(0xf9000000));
}

TEST(TarmacTrap, T29_StackPointersOfAllKinds) {
  Collect C = read(A64 + std::string("R SP 01234567\n"
                                     "R SP 0123456789abcdef\n"
                                     "R LR 0000000000008008\n"
                                     "R SP_EL2 fedcba98 76543210\n"));
  EXPECT_EQ(lane(C, arm::R13, 0x0f), Opt(0x1234567));
  EXPECT_EQ(lane(C, arm::SP), Opt(0x0123456789abcdef)); // EL3h: not SP_EL2
  EXPECT_EQ(named(C, "SP_EL2"), Opt(0xfedcba9876543210));
  EXPECT_EQ(lane(C, arm::X30), Opt(0x8008)); // not x14
  EXPECT_EQ(lane(C, 14, 1), Opt());
  C = read("1 clk IT (1) 00008000 bf00 T thread_s : NOP\n"
           "R r13_main_s 30040000\nR MSP_S 30040000\n");
  EXPECT_EQ(named(C, "MSP_S", 0x0f), Opt(0x30040000));
  EXPECT_EQ(named(C, "r13_main_s", 0x0f), Opt(0x30040000));
  EXPECT_EQ(lane(C, arm::R13, 0x0f), Opt(0x30040000));
  C = read(A32 + std::string("271ns R r13 20001fff (MSP)\n"));
  EXPECT_EQ(named(C, "MSP", 0x0f), Opt(0x20001fff));
}

TEST(TarmacTrap, T30_NamesOfOtherDialectsAndOverlaps) {
  Collect C = read(A64 + std::string("R E15 0000007f99d14b94\n"
                                     "R Q17 42211549420dd96e41fed91542211526\n"
                                     "R e99 0123456789abcdef\n"));
  EXPECT_EQ(lane(C, 15), Opt(0x7f99d14b94));
  EXPECT_EQ(lane(C, arm::v(17, 1)), Opt(0x42211549420dd96e));
  EXPECT_EQ(named(C, "e99"), Opt(0x0123456789abcdef)); // not inside z2
  C = read(A32 + std::string("R s5 11111111\nR d3 2222222222222222\n"
                             "R r8 00000008\n"));
  EXPECT_EQ(lane(C, arm::v(1), 0xf0), Opt(0x1111111100000000));
  EXPECT_EQ(lane(C, arm::v(1, 1)), Opt(0x2222222222222222));
  EXPECT_EQ(lane(C, 8, 0x0f), Opt(8));
  EXPECT_EQ(lane(C, 8), Opt());
}

TEST(TarmacTrap, TtuC_ScalarWritesClearTheRest) {
  const char Ones[] = "R q0 ffffffffffffffffffffffffffffffff\n";
  Collect C = read(A64 + std::string(Ones) + "R s0 3f800000\n");
  EXPECT_EQ(lane(C, arm::v(0)), Opt(0x3f800000));
  EXPECT_EQ(lane(C, arm::v(0, 1)), Opt(0));
  C = read(A64 + std::string(Ones) + "R d0 3f80000000000000\n");
  EXPECT_EQ(lane(C, arm::v(0, 1)), Opt(0));
  C = read(A32 + std::string(Ones) + "R s0 3f800000\n");
  EXPECT_EQ(lane(C, arm::v(0)), Opt(0xffffffff3f800000));
}

TEST(TarmacTrap, TtuD_WZeroExtends) {
  Collect C = read(A64 + std::string("R X8 ffffffffffffffff\n"
                                     "R W8 00000001\nR wsp 00001000\n"));
  EXPECT_EQ(lane(C, 8), Opt(1));
  EXPECT_EQ(lane(C, arm::SP), Opt(0x1000));
}

TEST(TarmacTrap, T31_EMeansManyThings) {
  Collect C =
      read("0 ps E 00000000 00000000 CoreEvent_Reset\n" + std::string(A64) +
           "1 ps E 00008100 00000084 CoreEvent_CURRENT_SPx_SYNC\n"
           "1 ps E 00008100:000000008100_NS abt 00000019 CoreEvent_ModeChange\n"
           "1 ps E DebugEvent_HaltingDebugState 00000000\n"
           "1 ps E LOCKUP 0\n1 ps E HALTED 0\n1 ps E ATOMIC 1\n"
           "1 ps CADI E simulation_stopped\n");
  ASSERT_EQ(C.All.Events.size(), 3u);
  EXPECT_EQ(C.All.Events[0].Before, 0u);
  EXPECT_EQ(C.All.Events[1].Kind, EventKind::Exception);
  EXPECT_EQ(C.All.Events[1].PC, 0x8100u);
  EXPECT_EQ(C.All.Events[1].Value, 0x84u);
  EXPECT_EQ(C.All.Events[2].Kind, EventKind::ModeChange);
  EXPECT_EQ(ignored(C, "E"), 5u);
  EXPECT_EQ(C.Header.Threads.size(), 1u); // no CPU "CADI"
}

TEST(TarmacTrap, T32_Operations) {
  Collect C = read(A64 + std::string("40 clk R DC CISW 00000000:00000000\n"
                                     "1678 clk R IC IALLU 00000000:0000000\n"
                                     "35977 clk R TLBI ALLE3 00000000\n"
                                     "39319 clk R AT S12E1W 00000000\n"));
  EXPECT_TRUE(C.All.Regs.empty());
  EXPECT_EQ(ignored(C, "R DC"), 1u);
  EXPECT_EQ(ignored(C, "R TLBI"), 1u);
  EXPECT_EQ(C.Header.NumMalformed, 0u);
}

TEST(TarmacTrap, T33_TtuF_BanksAreApart) {
  // In EL1h the current sp is SP_EL1.
  Collect C = read("1 clk IT (1) 00008000 d503201f O EL1h_n : NOP\n"
                   "1 clk R SP_EL1 0000000000001000\n"
                   "1 clk R SP_EL0 0000000000002000\n");
  EXPECT_EQ(lane(C, arm::SP), Opt(0x1000));
  EXPECT_EQ(named(C, "SP_EL0"), Opt(0x2000));
  C = read(A32 + std::string("R r14_svc 00000011\nR r14_irq 00000022\n"
                             "R r13_abt 00000033\nR R1 (USR) 00000044\n"
                             "R SCTLR (AARCH32) 00c50878\n"
                             "R R14 (IRQ) 00000055\n"));
  EXPECT_EQ(lane(C, arm::R14, 0x0f), Opt(0x11));
  EXPECT_EQ(named(C, "LR_IRQ", 0x0f), Opt(0x55));
  EXPECT_EQ(named(C, "SP_ABT", 0x0f), Opt(0x33));
  EXPECT_EQ(lane(C, arm::R13, 1), Opt());
  EXPECT_EQ(lane(C, 1, 0x0f), Opt(0x44));
  EXPECT_EQ(named(C, "SCTLR", 0x0f), Opt(0xc50878));
}

TEST(TarmacTrap, T42_ModeChangesSelectBanks) {
  std::string Text = "1 clk IT (1) 00008000 d503201f O EL1h_n : NOP\n"
                     "1 clk R SP_EL0 0000000000002000\n"
                     "1 clk R SP_EL1 0000000000001000\n"
                     "2 clk IT (2) 00008004 d69f03e0 O EL1h_n : ERET\n"
                     "3 clk IT (3) 00009000 d503201f O EL0t_n : NOP\n"
                     "4 clk IT (4) 00009004 d4000001 O EL0t_n : SVC\n"
                     "5 clk IT (5) 0000a000 d503201f O EL2h_n : NOP\n";
  Collect C = read(Text);
  ASSERT_EQ(C.regs(1).size(), 1u); // of the ERET
  EXPECT_EQ(C.regs(1)[0].Lane, arm::SP);
  EXPECT_EQ(C.regs(1)[0].Value, 0x2000u);
  ASSERT_EQ(C.regs(3).size(), 1u); // SP_EL2 was never told
  EXPECT_EQ(C.regs(3)[0].Unknown, 0xff);
  EXPECT_EQ(lane(C, arm::SP, 1), Opt());
  // FIQ has its own r8..r12.
  C = read("1 clk IT (1) 00008000 e1a00000 A usr_n : NOP\n"
           "R r8 00000001\nR r9 00000009\nR r8_fiq 00000002\n"
           "2 clk IT (2) 00000018 e1a00000 A fiq_n : NOP\n"
           "R r8 00000003\n"
           "3 clk IT (2) 0000001c e1a00000 A fiq_n : NOP\n"
           "4 clk IT (2) 00008004 e1a00000 A usr_n : NOP\n");
  EXPECT_EQ(lane(C, 8, 0x0f), Opt(1));
  EXPECT_EQ(C.regs(0).back().Lane, 9); // FIQ's own r9 is not known
  EXPECT_EQ(C.regs(0).back().Unknown, 0x0f);
  // M profile: a thread on the process stack, a handler on the main one.
  C = read("1 clk IT (1) 00008000 bf00 T thread : NOP\n"
           "R MSP 00001000\nR PSP 00002000\n"
           "2 clk IT (2) 00000018 bf00 T handler : NOP\n"
           "R MSP 00000ff0\n"
           "3 clk IT (2) 0000001c 4770 T handler : BX lr\n"
           "4 clk IT (2) 00008004 bf00 T thread : NOP\n");
  EXPECT_EQ(C.regs(0).back().Value, 0x1000u);
  EXPECT_EQ(lane(C, arm::R13, 0x0f), Opt(0x2000));
}

TEST(TarmacTrap, T34_TtuG_CpusAreThreads) {
  Collect C = read("0 clk cpu0 R r0 00000001\n0 clk cpu1 R r0 00000002\n"
                   "1 clk cluster0.cpu1 IT (1) 10001848 f64f6000 T thread_s : "
                   "MOV\n"
                   "1 clk cpu0 IT (1) 10001848 f64f6000 T thread_s : MOV\n"
                   "  R r1 00000003\n"
                   "cpu1 R r1 00000004\n");
  ASSERT_EQ(C.Header.Threads.size(), 3u);
  EXPECT_EQ(C.Header.Threads[0].Name, "cpu0");
  EXPECT_EQ(C.Header.Threads[1].Name, "cpu1");
  EXPECT_EQ(C.Header.Threads[2].Name, "cluster0.cpu1");
  EXPECT_EQ(C.All.Insns[0].Thread, 2);
  EXPECT_EQ(lane(C, 0, 0x0f, 0), Opt(1));
  EXPECT_EQ(lane(C, 0, 0x0f, 1), Opt(2));
  EXPECT_EQ(lane(C, 1, 0x0f, 0), Opt(3));
  EXPECT_EQ(lane(C, 1, 0x0f, 1), Opt(4));
}

TEST(TarmacTrap, T35_DumpBeforeTheFirstInstruction) {
  Collect C = read("0 clk R X0 0000000000000005\n0 clk R s3 3f800000\n"
                   "0 clk R TCR_EL3 0000000080800000\n" +
                   std::string(A64));
  EXPECT_EQ(C.All.LeadRegs, 4u);
  EXPECT_EQ(C.All.LeadLines, 3u);
  EXPECT_EQ(lane(C, arm::v(3, 1)), Opt(0)); // it will be A64
  EXPECT_EQ(named(C, "TCR_EL3"), Opt(0x80800000));
}

TEST(TarmacTrap, T36_Semihosting) {
  std::string Setup = "1 clk IT (1) 00008000 d503201f O EL1h_n : NOP\n"
                      "R X0 0000000000000006\nR X1 0000000000001000\n"
                      "MW8 00001000 0000000000000001\n"
                      "MW8 00001008 0000000000002004\n"
                      "MW8 00001010 000000000000000a\n";
  std::string Call = "2 clk IT (2) 00008004 d45e0000 O EL1h_n : HLT\n"
                     "R X0 0000000000000000\n";
  Collect C = read(Setup + Call);
  ASSERT_EQ(C.mems(1).size(), 2u);
  EXPECT_EQ(mems(C)[3], (Mem{0x2004, 0, 8, W | N | Implied, 0}));
  EXPECT_EQ(mems(C)[4], (Mem{0x200c, 0, 2, W | N | J | Implied, 0}));
  // Not if the condition failed.
  C = read(Setup + "2 clk IS (2) 00008004 d45e0000 O EL1h_n : HLT\n");
  EXPECT_TRUE(C.mems(1).empty());
  // Parameters that are not known: said, and nothing marked.
  C = read("1 clk IT (1) 00008000 d503201f O EL1h_n : NOP\n"
           "R X0 0000000000000006\n" +
           Call);
  EXPECT_TRUE(C.All.Mems.empty());
  EXPECT_TRUE(hasNote(C, "semihosting calls with unknown effect"));
  // SYS_ELAPSED in A32 writes the block itself, SYS_HEAPINFO what it points to.
  C = read(A32 + std::string("R r0 00000030\nR r1 00003000\n"
                             "2 clk IT (2) 00008004 ef123456 A svc_s : SVC\n"
                             "R r0 00000016\nMW4 00003000 00004000\n"
                             "2 clk IT (2) 00008008 e10f0070 A svc_s : HLT\n"));
  EXPECT_EQ(mems(C)[0], (Mem{0x3000, 0, 8, W | N | Implied, 0}));
  EXPECT_EQ(mems(C)[2], (Mem{0x4000, 0, 8, W | N | Implied, 0}));
  EXPECT_EQ(mems(C)[3], (Mem{0x4008, 0, 8, W | N | J | Implied, 0}));
  // T32; a length beyond all measure marks nothing.
  for (const char *Op : {"beab", "dfab", "babc"}) {
    C = read("1 clk IT (1) 00008000 bf00 T svc_s : NOP\nR r0 00000015\n"
             "R r1 00001000\nMW4 00001000 00002000\nMW4 00001004 "
             "fffffff0\n2 clk IT (1) 00008002 " +
             std::string(Op) + " T svc_s : BKPT\n");
    ASSERT_EQ(C.mems(1).size(), 1u) << Op; // the length that is written back
    EXPECT_EQ(C.mems(1)[0].Addr, 0x1004u);
    EXPECT_TRUE(hasNote(C, "semihosting calls with unknown effect"));
  }
}

TEST(TarmacTrap, T38_AddressesWrap) {
  Collect C = read(A64 + std::string("MW4 fffffffffffffffe 12345678\n"));
  EXPECT_EQ(mems(C), (V{{0xfffffffffffffffe, 0x5678, 2, W, 3},
                        {0, 0x1234, 2, W | J, 3}}));
}

TEST(TarmacTrap, T39_ScalableVectors) {
  Collect C = read(
      A64 + std::string("R Z3 00000007_00000006_00000005_00000004_00000003_"
                        "00000002_00000001_00000000\n"
                        "R P0 a682\nR P1 01010101_01010101\n"));
  EXPECT_EQ(lane(C, arm::v(3)), Opt(0x100000000));
  EXPECT_EQ(lane(C, arm::v(3, 1)), Opt(0x300000002));
  EXPECT_EQ(named(C, "z3_q1"), Opt(0x500000004));
  EXPECT_EQ(named(C, "p0", 3), Opt(0xa682));
  EXPECT_EQ(named(C, "p1"), Opt(0x101010101010101));
}

TEST(TarmacTrap, T45_TwoRecordsOnOneLine) {
  Collect C = read(A32 + std::string("R R1 00       ST 200016c0 00...... "
                                     "........ ........ ........\n"));
  EXPECT_EQ(lane(C, 1, 0x0f), Opt(0));
  EXPECT_EQ(mems(C), (V{{0x200016cf, 0, 1, W, 1}}));
}

TEST(TarmacTrap, T46_LoadsLoggedAsWrites) {
  Collect C = read("1 clk IT (148) 0021102c a9437bfd O EL3h_s : LDP\n"
                   "1 clk MW16 000ffae0:0000000ffae0 "
                   "00000000000000000000000000210f58\n"
                   "2 clk IT (149) 00211030 a9037bfd O EL3h_s : STP\n"
                   "2 clk MW16 000ffae0:0000000ffae0 "
                   "0000000000000001000000000000000f\n");
  EXPECT_EQ(mems(C), (V{{0xffae0, 0, 8, N, 0},
                        {0xffae8, 0, 8, N | J, 0},
                        {0xffae0, 0xf, 8, W, 0xff},
                        {0xffae8, 1, 8, W | J, 0xff}}));
  EXPECT_TRUE(hasNote(C, "loads logged as writes"));
}

TEST(TarmacTrap, TtuN_OverlongNumbers) {
  Collect C = read(
      A64 +
      std::string("MW8 1000 111122223333444455\n"
                  "99999999999999999999999 clk R X0 0000000000000001\n"
                  "R FOO<31:0> 00000000\nR FOO<7:> 0\nR FOO<9999:0> 0\n"
                  "MW99 1000 00\nMR8 11112222333344445 00\n"
                  "LD 11112222333344445 ........ ........ ........ 00000000\n"
                  "IT (1) 11112222333344445 d503201f O : NOP\n"
                  "R X0 zz\nR\nR \nMR8\nLD\nES\nES (\nIT\nIT (\n"));
  EXPECT_EQ(C.All.Insns.size(), 1u);
  EXPECT_EQ(lane(C, 0, 1), Opt());
  EXPECT_TRUE(C.All.Mems.empty());
  EXPECT_EQ(named(C, "FOO", 0x0f), Opt(0));
  EXPECT_GE(C.Header.NumMalformed, 14u);
  EXPECT_NE(C.Header.Malformed[0].What.find("expected 16 hex digits of data, "
                                            "found 18"),
            std::string::npos);
}

TEST(TarmacReader, NotTarmacAtAll) {
  Collect C;
  std::string Message =
      toString(readText("Dear reader,\nthis is a letter.\n", C));
  EXPECT_NE(Message.find("is no Tarmac trace"), std::string::npos) << Message;
  EXPECT_FALSE(C.Finished);
  EXPECT_NE(toString(readText("", C)).find("is empty"), std::string::npos);
  EXPECT_NE(toString(readText("Tarmac Text Rev 3t\nR X0 0000000000000001\n", C))
                .find("holds no instruction"),
            std::string::npos);
  std::string Endless(17 << 20, 'R');
  EXPECT_TRUE(errorToBool(readText("R X0 0000000000000001\n" + Endless, C)));
}

/// Every line of a register that there is no room for is counted, wherever the
/// reader cuts the file.
TEST(TarmacTraps, DroppedRegisterLinesAreCounted) {
  constexpr unsigned Names = 30000;
  std::string Text = A64;
  for (unsigned I = 0; I < Names; ++I) {
    Text += "1 clk R R_" + std::to_string(I) + " 00000000000000aa\n";
    if (I % 3 == 0)
      Text += A64 + ("1 clk R R_" + std::to_string(I)) + " 00000000000000bb\n";
  }
  Collect C = read(Text);
  std::set<std::string> Kept;
  for (const NamedRegister &N : C.Header.NamedRegisters)
    Kept.insert(N.Name);
  uint64_t Expected = 0;
  for (unsigned I = 0; I < Names; ++I)
    if (!Kept.count("r_" + std::to_string(I)) &&
        !Kept.count("R_" + std::to_string(I)))
      Expected += I % 3 == 0 ? 2 : 1;
  EXPECT_GT(Expected, 0u);
  EXPECT_EQ(ignored(C, "R (more registers than can be)"), Expected);
  EXPECT_EQ(C.All.Regs.size(), Names + (Names + 2) / 3 - Expected);
}

TEST(TarmacReader, SniffsAndLists) {
  TempFile Good(A64), Bad("hello\n"), Binary(std::string("\0\1\2\3\n", 5));
  EXPECT_TRUE(bool(openTrace(Good.Path, "", {})));
  for (TempFile *F : {&Bad, &Binary}) {
    auto R = openTrace(F->Path, "", {});
    ASSERT_FALSE(bool(R));
    EXPECT_NE(toString(R.takeError()).find("tarmac"), std::string::npos);
  }
  auto R = openTrace(Good.Path, "nonsense", {});
  ASSERT_FALSE(bool(R));
  EXPECT_NE(toString(R.takeError()).find("tarmac"), std::string::npos);
}

TEST(TarmacReader, CancelStops) {
  std::atomic<bool> Cancel = true;
  ReaderOptions O;
  O.Cancel = &Cancel;
  TempFile F(A64);
  Collect C;
  llvm::Error E = readFile(F.Path, C, O);
  EXPECT_EQ(llvm::errorToErrorCode(std::move(E)),
            std::make_error_code(std::errc::interrupted));
  EXPECT_FALSE(C.Finished);
}

TEST(TarmacReader, ErrorsOfTheSinkEndTheReading) {
  struct Failing final : TraceSink {
    llvm::Error consume(ItemBatch &) override {
      return llvm::createStringError("enough");
    }
    llvm::Error finish(const TraceHeader &) override {
      ADD_FAILURE() << "finished after an error";
      return llvm::Error::success();
    }
  } Sink;
  std::string Text;
  for (int I = 0; I < 5000; ++I)
    Text += A64;
  TempFile F(Text);
  for (unsigned Threads : {1, 4}) {
    ReaderOptions O;
    O.Threads = Threads;
    O.ChunkBytes = 1000;
    auto R = openTrace(F.Path, "", O);
    ASSERT_TRUE(bool(R));
    EXPECT_EQ(toString((*R)->read(Sink)), "enough");
  }
}
