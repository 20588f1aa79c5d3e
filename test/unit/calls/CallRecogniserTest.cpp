//===- CallRecogniserTest.cpp ---------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallTrace.h"

using namespace rw;
using namespace rw::calltest;

namespace {

TEST(CallRecogniser, CallAndReturn) {
  CallTrace T;
  T.insn(0x100, a64::Nop, {T.sp(0x1000)});
  T.insn(0x104, a64::Bl, {T.lr(0x108)});
  T.insn(0x200, a64::Nop, {T.sp(0xff0)});
  T.insn(0x204, a64::Nop, {T.sp(0x1000)});
  T.insn(0x208, a64::Ret);
  T.insn(0x108, a64::Nop);
  EXPECT_EQ(describe(*T.finish()), "[0,6) 100 root\n"
                                   " [2,5) 200 returned ttu\n");
}

TEST(CallRecogniser, PresetLinkRegisterIsACallByItsReturn) {
  CallTrace T;
  T.insn(0x144, a64::Nop, {T.sp(0x1000)});
  T.insn(0x150, a64::LdrLR, {T.lr(0x144)});
  T.insn(0x154, a64::B);
  T.insn(0x200, a64::Nop);
  T.insn(0x204, a64::Ret);
  T.insn(0x144, a64::Nop);
  EXPECT_EQ(describe(*T.finish()), "[0,6) 144 root\n"
                                   " [3,5) 200 returned heuristic ttu\n");
}

TEST(CallRecogniser, JumpsNearAFreshLinkRegisterAreNoCalls) {
  CallTrace T;
  T.insn(0x100, a64::Nop, {T.sp(0x1000)});
  T.insn(0x104, a64::Bl, {T.lr(0x108)});
  T.insn(0x10c, a64::BCond);
  T.insn(0x120, a64::Nop); // right after entry, lr still near
  T.insn(0x124, a64::Ret);
  T.insn(0x108, a64::BCond);
  T.insn(0x130, a64::Nop); // right after return
  auto Index = T.finish();
  EXPECT_EQ(describe(*Index), "[0,7) 100 root\n"
                              " [2,5) 10c returned ttu\n");
  EXPECT_TRUE(Index->jumpTargets().empty());
}

TEST(CallRecogniser, UnreturnedCallsAreThereButNotForTtu) {
  CallTrace T;
  T.insn(0x100, a64::Nop, {T.sp(0x1000)});
  T.insn(0x104, 0x94000001, {T.lr(0x108)}); // bl .+4: no transfer at all
  T.insn(0x108, a64::Nop, {T.sp(0xff0)});
  T.insn(0x10c, a64::Bl, {T.lr(0x110)});
  T.insn(0x200, a64::Ret);
  T.insn(0x110, a64::Bl, {T.lr(0x114)});
  T.insn(0x300, a64::Nop);
  EXPECT_EQ(describe(*T.finish()), "[0,7) 100 root\n"
                                   " [2,7) 108 truncated\n"
                                   "  [4,5) 200 returned ttu\n"
                                   "  [6,7) 300 truncated\n");
}

TEST(CallRecogniser, LongjmpEndsWhatItLeaves) {
  CallTrace T;
  T.insn(0x100, a64::Nop, {T.sp(0x1000)});
  T.insn(0x104, a64::Bl, {T.lr(0x108)}); // setjmp
  T.insn(0x800, a64::Ret);
  T.insn(0x108, a64::Bl, {T.lr(0x10c)});
  T.insn(0x200, a64::Nop, {T.sp(0xfe0)});
  T.insn(0x204, a64::Bl, {T.lr(0x208)});
  T.insn(0x300, a64::Nop, {T.sp(0xfd0)});
  T.insn(0x304, a64::Bl, {T.lr(0x308)}); // longjmp
  T.insn(0x900, a64::Nop, {T.sp(0x1000)});
  T.insn(0x904, a64::Nop, {T.lr(0x108)});
  T.insn(0x908, a64::Ret);
  T.insn(0x108, a64::Bl, {T.lr(0x10c)}); // the same call again
  T.insn(0x200, a64::Ret);
  T.insn(0x10c, a64::Nop);
  EXPECT_EQ(describe(*T.finish()), "[0,14) 100 root\n"
                                   " [2,3) 800 returned ttu\n"
                                   " [4,11) 200\n"
                                   "  [6,11) 300\n"
                                   "   [8,11) 900\n"
                                   " [12,13) 200 returned\n");
}

TEST(CallRecogniser, LongjmpOutOfASignalHandler) {
  CallTrace T;
  T.insn(0x100, a64::Nop, {T.sp(0x1000)});
  T.insn(0x104, a64::Bl, {T.lr(0x108)}); // sigsetjmp
  T.insn(0x800, a64::Ret);
  T.insn(0x108, a64::Bl, {T.lr(0x10c)});
  T.insn(0x200, a64::Nop, {T.sp(0xfe0)}); // faults
  T.event(EventKind::Exception, 0x200);
  T.insn(0x500, a64::Nop, {T.sp(0xf00)});
  T.insn(0x504, a64::Bl, {T.lr(0x508)}); // siglongjmp
  T.insn(0x900, a64::Nop, {T.sp(0x1000)});
  T.insn(0x904, a64::Nop, {T.lr(0x108)});
  T.insn(0x908, a64::Ret);
  T.insn(0x108, a64::Nop);
  T.insn(0x10c, a64::Bl, {T.lr(0x110)});
  T.insn(0x300, a64::Ret);
  T.insn(0x110, a64::Nop);
  EXPECT_EQ(describe(*T.finish()), "[0,14) 100 root\n"
                                   " [2,3) 800 returned ttu\n"
                                   " [4,10) 200\n"
                                   "  [5,10) 500 exception\n"
                                   "   [7,10) 900\n"
                                   " [12,13) 300 returned ttu\n");
}

TEST(CallRecogniser, LongjmpWithTheStackPointerUnchanged) {
  CallTrace T;
  T.insn(0x100, a64::Nop, {T.sp(0x1000)});
  T.insn(0x104, a64::Bl, {T.lr(0x108)}); // setjmp
  T.insn(0x800, a64::Ret);
  T.insn(0x108, a64::Bl, {T.lr(0x10c)});
  T.insn(0x200, a64::B); // longjmp, and sp is as it was all the time
  T.insn(0x900, a64::Nop, {T.lr(0x108)});
  T.insn(0x904, a64::Br);
  T.insn(0x108, a64::Nop);
  T.insn(0x10c, a64::Bl, {T.lr(0x110)});
  T.insn(0x300, a64::Ret);
  T.insn(0x110, a64::Nop);
  EXPECT_EQ(describe(*T.finish()), "[0,11) 100 root\n"
                                   " [2,3) 800 returned ttu\n"
                                   " [4,7) 200\n"
                                   " [9,10) 300 returned ttu\n");
}

TEST(CallRecogniser, JumpTablesAreNotTakenForLongjmp) {
  // Behind each call in the function is a case of a switch. A deeper
  // activation that jumps to one has another sp than its caller had there.
  CallTrace T;
  T.insn(0x100, a64::Nop, {T.sp(0x1000)});
  T.insn(0x104, a64::Bl, {T.lr(0x108)});
  T.insn(0x800, a64::Ret);
  T.insn(0x108, a64::Bl, {T.lr(0x10c)});
  T.insn(0x100, a64::Nop, {T.sp(0xff0)});
  T.insn(0x104, a64::Br);
  T.insn(0x108, a64::Nop, {T.sp(0x1000), T.lr(0x10c)});
  T.insn(0x118, a64::Ret);
  T.insn(0x10c, a64::Nop);
  EXPECT_EQ(describe(*T.finish()), "[0,9) 100 root\n"
                                   " [2,3) 800 returned ttu\n"
                                   " [4,8) 100 returned ttu\n");
  // In the same activation it leaves nothing.
  CallTrace U;
  U.insn(0x80, a64::Nop, {U.sp(0x1000)});
  U.insn(0x84, a64::Bl, {U.lr(0x88)});
  U.insn(0x100, a64::Bl, {U.lr(0x104)});
  U.insn(0x800, a64::Ret);
  U.insn(0x104, a64::Br);
  U.insn(0x110, a64::Br);
  U.insn(0x104, a64::Nop, {U.lr(0x88)});
  U.insn(0x108, a64::Ret);
  U.insn(0x88, a64::Nop);
  EXPECT_EQ(describe(*U.finish()), "[0,9) 80 root\n"
                                   " [2,8) 100 returned ttu\n"
                                   "  [3,4) 800 returned ttu\n");
}

/// The frame pointer of a trace that never tells sp.
static RegItem fp(uint64_t V) { return CallTrace::reg(arm::X29, V); }

TEST(CallRecogniser, LongjmpWhereTheTraceLeavesOutTheStackPointer) {
  // The function that calls setjmp runs twice; the jump is to the outer one,
  // and only the frame pointer tells which.
  CallTrace T;
  T.insn(0x100, a64::Nop, {fp(0x1000)});
  for (unsigned Level = 0; Level < 2; ++Level) {
    T.insn(Level ? 0x20c : 0x104, a64::Bl, {T.lr(Level ? 0x210 : 0x108)});
    T.insn(0x200, a64::Nop, {fp(0xff0 - 16 * Level)});
    T.insn(0x204, a64::Bl, {T.lr(0x208)}); // setjmp
    T.insn(0x800, a64::Ret);
    T.insn(0x208, a64::Nop);
  }
  T.insn(0x20c, a64::Bl, {T.lr(0x210)});
  T.insn(0x300, a64::Nop, {fp(0xfd0)});
  T.insn(0x304, a64::Bl, {T.lr(0x308)}); // longjmp
  T.insn(0x900, a64::Nop, {fp(0xff0)});
  T.insn(0x904, a64::Nop, {T.lr(0x208)});
  T.insn(0x908, a64::Br);
  T.insn(0x208, a64::Nop, {fp(0x1000), T.lr(0x108)});
  T.insn(0x218, a64::Ret);
  T.insn(0x108, a64::Nop);
  EXPECT_EQ(describe(*T.finish()), "[0,20) 100 root\n"
                                   " [2,19) 200 returned ttu\n"
                                   "  [4,5) 800 returned ttu\n"
                                   "  [7,17) 200\n"
                                   "   [9,10) 800 returned ttu\n"
                                   "   [12,17) 300\n"
                                   "    [14,17) 900\n");
  // Nothing but the return of setjmp tells it where no register is known.
  CallTrace U;
  U.insn(0x100, a64::Nop);
  U.insn(0x104, a64::Bl);
  U.insn(0x800, a64::Ret); // setjmp
  U.insn(0x108, a64::Bl);
  U.insn(0x300, a64::Bl);
  U.insn(0x900, a64::Br); // longjmp
  U.insn(0x108, a64::Nop);
  U.insn(0x10c, a64::Bl);
  U.insn(0x400, a64::Nop);
  EXPECT_EQ(describe(*U.finish()), "[0,9) 100 root\n"
                                   " [2,3) 800 returned\n"
                                   " [4,6) 300\n"
                                   "  [5,6) 900\n"
                                   " [8,9) 400 truncated\n");
}

TEST(CallRecogniser, ALandingPadWhereTheTraceLeavesOutTheStackPointer) {
  // It is behind the call that throws, where that one could return to.
  CallTrace T;
  T.insn(0x100, a64::Nop, {fp(0x1000)});
  T.insn(0x104, a64::Bl, {T.lr(0x108)});
  T.insn(0x200, a64::Nop, {fp(0xff0)});
  T.insn(0x204, a64::Bl, {T.lr(0x208)});
  T.insn(0x200, a64::Nop, {fp(0xfe0)});
  T.insn(0x210, a64::Bl, {T.lr(0x214)});
  T.insn(0x700, a64::Nop, {fp(0xfd0)});
  T.insn(0x704, a64::Nop, {fp(0xff0), T.lr(0x108)});
  T.insn(0x708, a64::Br);
  T.insn(0x214, a64::Nop, {fp(0x1000)});
  T.insn(0x218, a64::Ret);
  T.insn(0x108, a64::Nop);
  EXPECT_EQ(describe(*T.finish()), "[0,12) 100 root\n"
                                   " [2,11) 200 returned ttu\n"
                                   "  [4,9) 200\n"
                                   "   [6,9) 700\n");
}

TEST(CallRecogniser,
     JumpsThatLeaveNothingWhereTheTraceLeavesOutTheStackPointer) {
  CallTrace T;
  T.insn(0x100, a64::Nop, {fp(0x1000)});
  T.insn(0x104, a64::Bl, {T.lr(0x108)});
  T.insn(0x800, a64::Ret);
  T.insn(0x108, a64::Bl, {T.lr(0x10c)});
  T.insn(0x200, a64::Bl, {T.lr(0x204)}); // without a frame of its own
  T.insn(0x100, a64::Nop, {T.lr(0xabc)});
  T.insn(0x104, a64::Br); // a jump table, to where the outer one was resumed
  T.insn(0x108, a64::Nop, {T.lr(0x204)});
  T.insn(0x10c, a64::Ret);
  T.insn(0x204, a64::Nop, {T.lr(0x10c)});
  T.insn(0x208, a64::Br); // a tail call to a function not seen before
  T.insn(0x180, a64::Ret);
  T.insn(0x10c, a64::Nop);
  EXPECT_EQ(describe(*T.finish()), "[0,13) 100 root\n"
                                   " [2,3) 800 returned ttu\n"
                                   " [4,12) 200 returned ttu\n"
                                   "  [5,9) 100 returned ttu\n");
}

TEST(CallRecogniser, TruncatedAtTheBeginning) {
  CallTrace T;
  T.insn(0x200, a64::Nop, {T.sp(0xff0)});
  T.insn(0x204, a64::Nop, {T.sp(0x1000)});
  T.insn(0x208, a64::Ret);
  T.insn(0x108, a64::Bl, {T.lr(0x10c)});
  T.insn(0x300, a64::Ret);
  T.insn(0x10c, a64::Nop, {T.sp(0x1010)});
  T.insn(0x110, a64::Ret);
  T.insn(0x80, a64::Nop);
  EXPECT_EQ(describe(*T.finish()), "[0,8) 80 root\n"
                                   " [0,7) 108 returned before\n"
                                   "  [0,3) 200 returned before\n"
                                   "  [4,5) 300 returned ttu\n");
}

TEST(CallRecogniser, ExceptionsAreActivationsOfTheirOwn) {
  CallTrace T;
  T.insn(0x100, a64::Nop, {T.sp(0x1000)});
  T.insn(0x104, a64::Bl, {T.lr(0x108)});
  T.insn(0x200, a64::Nop, {T.sp(0xff0)});
  T.insn(0x204, a64::Svc, {T.sp(0xffff0000)});
  T.event(EventKind::Exception, 0x208);
  T.insn(0x8000, a64::Bl, {T.lr(0x8004)});
  T.insn(0x9000, a64::Ret);
  T.insn(0x8004, a64::Eret, {T.sp(0xff0)});
  T.insn(0x208, a64::Nop, {T.sp(0x1000), T.lr(0x108)});
  T.insn(0x20c, a64::Ret);
  T.insn(0x108, a64::Nop);
  // TTU loses the call: the handler's stack lies higher.
  EXPECT_EQ(describe(*T.finish()), "[0,10) 100 root\n"
                                   " [2,9) 200 returned\n"
                                   "  [4,7) 8000 exception returned\n"
                                   "   [5,6) 9000 returned ttu\n");
}

TEST(CallRecogniser, ExceptionWhoseHandlerIsNotInTheTrace) {
  CallTrace T;
  T.insn(0x100, a64::Svc, {T.sp(0x1000)});
  T.event(EventKind::Exception);
  T.insn(0x104, a64::Nop);
  EXPECT_EQ(describe(*T.finish()), "[0,2) 100 root\n");
}

TEST(CallRecogniser, MProfileHandlerReturnsWithoutEret) {
  CallTrace T;
  T.Isa = ISA::T32;
  T.insn(0x100, 0xbf00, {T.sp(0x1000)});
  T.event(EventKind::Exception);
  T.insn(0x800, 0xbf00, {T.sp(0xfe0), T.lr(0xfffffff9)});
  T.insn(0x802, 0x4770); // bx lr
  T.insn(0x102, 0xbf00, {T.sp(0x1000)});
  EXPECT_EQ(describe(*T.finish()), "[0,4) 100 root\n"
                                   " [1,3) 800 exception returned\n");
}

TEST(CallRecogniser, GapsEndWhatIsPending) {
  CallTrace T;
  T.insn(0x100, a64::Nop, {T.sp(0x1000)});
  T.insn(0x104, a64::Bl, {T.lr(0x108)});
  T.insn(0x200, a64::Nop);
  T.event(EventKind::Gap);
  T.insn(0x500, a64::Nop);
  T.insn(0x504, a64::Ret);
  T.insn(0x108, a64::Nop);
  EXPECT_EQ(describe(*T.finish()), "[0,6) 100 root\n"
                                   " [2,3) 200 gap\n"
                                   " [3,6) 108 truncated before\n"
                                   "  [3,5) 500 returned before\n");
}

TEST(CallRecogniser, WithoutSPTheReturnAddressDecides) {
  CallTrace T;
  T.Isa = ISA::PPC64;
  T.insn(0x100, 0x60000000);
  T.insn(0x104, 0x48000101); // bl
  T.insn(0x204, 0x48000101); // bl
  T.insn(0x304, 0x42800010); // bc, taken, to what is also a return address
  T.insn(0x208, 0x60000000);
  T.insn(0x20c, 0x4e800020); // blr, to the outer caller
  T.insn(0x108, 0x4e800421); // bctrl
  T.insn(0x400, 0x429f0005); // bcl 20,31,$+4 is not a call
  T.insn(0x404, 0x4e800020);
  T.insn(0x10c, 0x60000000);
  EXPECT_EQ(describe(*T.finish()), "[0,10) 100 root\n"
                                   " [2,6) 204 returned\n"
                                   "  [3,6) 304\n"
                                   " [7,9) 400 returned\n");
}

/// An interrupt before the first instruction of what was called, before that
/// where a function returned to, nested, and after a tail call.
TEST(CallRecogniser, InterruptsRightAfterTransfers) {
  constexpr uint32_t Nop = 0x60000000, Blr = 0x4e800020, Rfid = 0x4c000024,
                     Bctr = 0x4e800420, Bctrl = 0x4e800421;
  CallTrace T;
  T.Isa = ISA::PPC64;
  auto interrupted = [&](bool Nested = false) {
    T.event(EventKind::Exception);
    T.insn(0x500, Nop);
    if (Nested) {
      T.insn(0x504, Rfid);
      T.event(EventKind::Exception);
      T.insn(0x900, Nop);
    }
    T.insn(Nested ? 0x904 : 0x504, Rfid);
  };
  T.insn(0x1000, 0x48000101); // bl 0x1100
  interrupted();
  T.insn(0x1100, Nop);
  T.insn(0x1104, Blr);
  interrupted();
  T.insn(0x1004, Bctrl);
  interrupted(true);
  T.insn(0x1200, Bctr);
  interrupted();
  T.insn(0x1300, Blr);
  interrupted(true);
  T.insn(0x1008, Nop);
  std::string Text = describe(*T.finish());
  EXPECT_EQ(Text, "[0,21) 1000 root\n"
                  " [1,3) 500 exception returned\n"
                  " [3,7) 1100 returned\n"
                  "  [5,7) 500 exception returned\n"
                  " [8,12) 500 exception returned\n"
                  "  [10,12) 900 exception returned\n"
                  " [12,20) 1200 returned\n"
                  "  [13,15) 500 exception returned\n"
                  "  [16,20) 500 exception returned\n"
                  "   [18,20) 900 exception returned\n");
}

/// An interrupt behind a call, where the event tells its return address.
TEST(CallRecogniser, InterruptRightAfterACallOnA64) {
  for (bool Handler : {false, true}) {
    CallTrace T;
    T.insn(0x100, a64::Bl, {T.sp(0x1000), T.lr(0x104)});
    T.event(EventKind::Exception, 0x140);
    if (Handler)
      T.insn(0x8000, a64::Eret);
    T.insn(0x140, a64::Nop);
    T.insn(0x144, a64::Ret);
    T.insn(0x104, a64::Nop);
    EXPECT_EQ(describe(*T.finish()), Handler
                                         ? "[0,5) 100 root\n"
                                           " [1,2) 8000 exception returned\n"
                                           " [2,4) 140 returned\n"
                                         : "[0,4) 100 root\n"
                                           " [1,3) 140 returned ttu\n");
  }
}

TEST(CallRecogniser, X86) {
  CallTrace T;
  T.Isa = ISA::X86_64;
  T.insn(0x100, 0x00000000bf);   // mov
  T.insn(0x104, 0x00000000e8);   // call
  T.insn(0x200, 0x00000000c3f3); // rep ret
  T.insn(0x108, 0x0000441f0f);   // nop
  EXPECT_EQ(describe(*T.finish()), "[0,4) 100 root\n"
                                   " [2,3) 200 returned\n");
}

TEST(CallRecogniser, X86Signals) {
  constexpr uint64_t Nop = 0x90, Call = 0xe8, Ret = 0xc3, Syscall = 0x050f;
  // Two signals while a function is in a system call; the second one makes it
  // begin again. Then one that comes between any two instructions.
  CallTrace T;
  T.Isa = ISA::X86_64;
  T.insn(0x100, Call);
  T.insn(0x200, Syscall);
  T.event(EventKind::Pause);
  T.insn(0x300, Nop); // the handler
  T.insn(0x304, Ret);
  T.insn(0x400, Syscall); // sigreturn
  T.insn(0x204, Syscall);
  T.insn(0x300, Ret);
  T.insn(0x400, Syscall);
  T.insn(0x206, Nop); // as if the system call were two bytes long
  T.event(EventKind::Pause, 0x20a);
  T.event(EventKind::Exception, 0x20a);
  T.insn(0x300, Ret);
  T.insn(0x400, Syscall);
  T.insn(0x20a, Ret);
  T.insn(0x104, Syscall);
  T.insn(0x108, Nop);
  EXPECT_EQ(describe(*T.finish()), "[0,14) 100 root\n"
                                   " [1,12) 200 returned\n"
                                   "  [2,5) 300 exception returned\n"
                                   "  [6,8) 300 exception returned\n"
                                   "  [9,11) 300 exception returned\n");
}

TEST(CallRecogniser, X86Pauses) {
  constexpr uint64_t Nop = 0x90, Call = 0xe8, Ret = 0xc3, Syscall = 0x050f;
  CallTrace T;
  T.Isa = ISA::X86_64;
  T.insn(0x100, Call);
  T.insn(0x200, Syscall);
  T.event(EventKind::Pause);
  T.insn(0x204, Call); // after the system call
  T.event(EventKind::Pause, 0x300);
  T.insn(0x300, Ret); // interrupted, and goes on there
  T.insn(0x208, Call);
  T.event(EventKind::Pause);
  T.insn(0x20c, Nop); // what was called is not traced
  T.insn(0x210, Call);
  T.event(EventKind::Pause);
  T.insn(0x900, Nop); // something is missing
  EXPECT_EQ(describe(*T.finish()), "[0,8) 100 root\n"
                                   " [1,7) 200 gap\n"
                                   "  [3,4) 300 returned\n"
                                   " [7,8) 900 truncated before\n");
}

/// Programs of x86-64 in functions of 256 bytes; each instruction has 4 bytes.
namespace x86 {
constexpr uint64_t Nop = 0x90, Call = 0xe8, Ret = 0xc3, JmpReg = 0xe0ff,
                   Jmp = 0xe9;
}

/// The function at 0x200 handles what its calls at 0x204 and 0x20c throw at
/// 0x2f0, and at 0x280 in its other part (0x900) what its call at 0x210 throws.
static NonlocalTargets handlers() {
  return {{{0x2f0, 0x204, 0x208}, {0x2f0, 0x20c, 0x210}, {0x980, 0x210, 0x214}},
          {0x700}};
}

TEST(CallRecogniser, AnExceptionEndsWhatTheHandlersActivationCalled) {
  using namespace x86;
  CallTrace T;
  T.Isa = ISA::X86_64;
  T.add(handlers());
  T.insn(0x100, Call);
  // Twice in itself; the innermost call is not one that handles anything.
  T.insn(0x200, Nop);
  T.insn(0x204, Call);
  T.insn(0x200, Nop);
  T.insn(0x20c, Call);
  T.insn(0x200, Nop);
  T.insn(0x208, Call);
  T.insn(0x300, Call); // the unwinder
  T.insn(0x400, JmpReg);
  T.insn(0x2f0, Nop); // in the second
  T.insn(0x2f4, Call);
  T.insn(0x500, Ret);
  T.insn(0x2f8, Call); // throws it again
  T.insn(0x400, Ret);  // older unwinders return to the handler
  T.insn(0x2f0, Nop);  // in the first
  T.insn(0x2f4, Ret);
  T.insn(0x104, Nop);
  EXPECT_EQ(describe(*T.finish()), "[0,17) 100 root\n"
                                   " [1,16) 200 returned\n"
                                   "  [3,14) 200\n"
                                   "   [5,9) 200\n"
                                   "    [7,9) 300\n"
                                   "     [8,9) 400\n"
                                   "   [11,12) 500 returned\n"
                                   "   [13,14) 400\n");
}

TEST(CallRecogniser, LandingPadsInAnotherPartOfTheFunction) {
  using namespace x86;
  CallTrace T;
  T.Isa = ISA::X86_64;
  T.add(handlers());
  T.insn(0x100, Call);
  T.insn(0x200, Nop);
  T.insn(0x210, Call);
  T.insn(0x300, Call);
  T.insn(0x400, JmpReg);
  T.insn(0x980, Jmp);
  T.insn(0x214, Ret);
  T.insn(0x104, Nop);
  EXPECT_EQ(describe(*T.finish()), "[0,8) 100 root\n"
                                   " [1,7) 200 returned\n"
                                   "  [3,5) 300\n"
                                   "   [4,5) 400\n");
}

TEST(CallRecogniser, WhatOnlyLooksLikeALandingIsNone) {
  using namespace x86;
  CallTrace T;
  T.Isa = ISA::X86_64;
  // A call that returns to where a handler begins; jump tables; a direct jump.
  T.add({{{0x208, 0x204, 0x208}}, {}});
  T.insn(0x100, Call);
  T.insn(0x200, Nop);
  T.insn(0x204, Call);
  T.insn(0x300, Ret);
  T.insn(0x208, Jmp);
  T.insn(0x204, Call);
  T.insn(0x300, JmpReg);
  T.insn(0x310, Jmp);
  T.insn(0x208, Ret);
  T.insn(0x104, Nop);
  EXPECT_EQ(describe(*T.finish()), "[0,10) 100 root\n"
                                   " [1,9) 200 returned\n"
                                   "  [3,4) 300 returned\n"
                                   "  [6,9) 300\n");
}

TEST(CallRecogniser, AHandlerThatWasCalledBeforeTheTraceBegan) {
  using namespace x86;
  CallTrace T;
  T.Isa = ISA::X86_64;
  T.add(handlers());
  T.insn(0x600, Call);
  T.insn(0x300, Call);
  T.insn(0x400, JmpReg);
  T.insn(0x2f0, Nop);
  T.insn(0x2f4, Ret);
  T.insn(0x104, Nop);
  EXPECT_EQ(describe(*T.finish()), "[0,6) 104 root\n"
                                   " [0,5) 2f0 returned before\n"
                                   "  [0,3) 600 before\n"
                                   "   [1,3) 300\n"
                                   "    [2,3) 400\n");
}

TEST(CallRecogniser, AHandlerOfASignalThatThrows) {
  using namespace x86;
  CallTrace T;
  T.Isa = ISA::X86_64;
  T.add(handlers());
  T.insn(0x100, Call);
  T.insn(0x200, Nop);
  T.event(EventKind::Pause, 0x204);
  T.event(EventKind::Exception, 0x204);
  T.insn(0x800, Call);
  T.insn(0x400, JmpReg);
  T.insn(0x2f0, Ret);
  T.insn(0x104, Nop);
  EXPECT_EQ(describe(*T.finish()), "[0,6) 100 root\n"
                                   " [1,5) 200 returned\n"
                                   "  [2,4) 800 exception\n"
                                   "   [3,4) 400\n");
}

TEST(CallRecogniser, LongjmpWithoutAStackPointer) {
  using namespace x86;
  CallTrace T;
  T.Isa = ISA::X86_64;
  T.add(handlers());
  // In two activations of a function; the inner one returns.
  for (unsigned Level = 0; Level < 2; ++Level) {
    T.insn(Level ? 0x208 : 0x100, Call);
    T.insn(0x200, Nop);
    T.insn(0x204, Call);
    T.insn(0x600, JmpReg); // through a table of linkage
    T.insn(0x700, Ret);    // setjmp
  }
  T.insn(0x208, Jmp);
  T.insn(0x280, Ret);
  T.insn(0x20c, Call);
  T.insn(0x300, JmpReg); // a jump table
  T.insn(0x310, Call);   // longjmp
  T.insn(0x400, JmpReg);
  T.insn(0x208, Ret);
  T.insn(0x104, Nop);
  EXPECT_EQ(describe(*T.finish()), "[0,18) 100 root\n"
                                   " [1,17) 200 returned\n"
                                   "  [3,5) 600 returned\n"
                                   "  [6,12) 200 returned\n"
                                   "   [8,10) 600 returned\n"
                                   "  [13,16) 300\n"
                                   "   [15,16) 400\n");
}

TEST(CallRecogniser, ThreadsDoNotMix) {
  CallTrace T;
  for (unsigned Thread = 0; Thread < 2; ++Thread) {
    T.Thread = uint8_t(Thread);
    T.insn(0x100, a64::Nop, {T.sp(0x1000 + 0x1000 * Thread)});
  }
  T.Thread = 0;
  T.insn(0x104, a64::Bl, {T.lr(0x108)});
  T.Thread = 1;
  T.insn(0x104, a64::Bl, {T.lr(0x108)});
  T.Thread = 0;
  T.insn(0x200, a64::Ret);
  T.Thread = 1;
  T.insn(0x300, a64::Nop);
  T.Thread = 0;
  T.insn(0x108, a64::Nop);
  auto Index = T.finish();
  EXPECT_EQ(Index->numThreads(), 2u);
  EXPECT_EQ(describe(*Index, 0), "[0,4) 100 root\n"
                                 " [2,3) 200 returned ttu\n");
  EXPECT_EQ(describe(*Index, 1), "[0,3) 100 root\n"
                                 " [2,3) 300 truncated\n");
}

TEST(CallRecogniser, WhatOnlyTtuPairsIsKeptApart) {
  // TTU keeps the older of two equal pending calls.
  CallTrace T;
  T.insn(0x100, a64::Nop, {T.sp(0x1000)});
  T.insn(0x104, a64::Bl, {T.lr(0x108)});
  T.insn(0x200, a64::Br); // leaves without a return
  T.insn(0x100, a64::Nop);
  T.insn(0x104, a64::Bl, {T.lr(0x108)});
  T.insn(0x200, a64::Ret);
  T.insn(0x108, a64::Nop);
  auto Index = T.finish();
  EXPECT_EQ(describe(*Index), "[0,7) 100 root\n"
                              " [2,5) 200\n"
                              " [5,6) 200 returned\n");
  CallIndex::TtuOnlyPlace Place;
  auto Only = Index->nextTtuOnly(0, Place);
  ASSERT_TRUE(Only && *Only);
  EXPECT_EQ((*Only)->Start, 2u);
  EXPECT_EQ((*Only)->End, 6u);
  auto End = Index->nextTtuOnly(0, Place);
  EXPECT_TRUE(End && !*End);
  EXPECT_EQ(Index->jumpTargets(), llvm::ArrayRef<uint64_t>({0x100}));
}

} // namespace
