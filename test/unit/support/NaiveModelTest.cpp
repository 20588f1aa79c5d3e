//===- NaiveModelTest.cpp - The judge is tested by hand-made cases --------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NaiveModel.h"
#include "RandomTrace.h"
#include "gtest/gtest.h"

using namespace rw;

namespace {

/// Builds a trace by hand: effects go to the last instruction.
struct Script {
  ItemBatch Batch;

  Script &insn(uint64_t PC, uint8_t Thread = 0) {
    InsnItem I;
    I.PC = PC;
    I.Thread = Thread;
    I.Lines = 1;
    Batch.Insns.push_back(I);
    return *this;
  }
  Script &time(uint64_t Time) {
    Batch.Insns.back().Time = Time;
    Batch.Insns.back().Flags |= InsnItem::TimeKnown;
    return *this;
  }
  Script &mem(uint64_t Addr, uint8_t Size, uint64_t Value, uint8_t Flags,
              uint8_t Known) {
    MemItem I;
    I.Addr = Addr;
    I.Size = Size;
    I.Value = Value;
    I.Flags = Flags;
    I.Known = Known;
    Batch.Mems.push_back(I);
    Batch.Insns.empty() ? ++Batch.LeadMems : ++Batch.Insns.back().NumMems;
    return *this;
  }
  Script &write(uint64_t Addr, uint8_t Value) {
    return mem(Addr, 1, Value, MemItem::Write, 1);
  }
  Script &read(uint64_t Addr, uint8_t Value) {
    return mem(Addr, 1, Value, 0, 1);
  }
  Script &implied(uint64_t Addr) {
    return mem(Addr, 1, 0, MemItem::Write | MemItem::NoValue | MemItem::Implied,
               0);
  }
  Script &reg(uint16_t Lane, uint64_t Value, uint8_t Written = 0xff,
              uint8_t Unknown = 0, uint8_t Thread = 0) {
    Batch.Regs.push_back({Value, Lane, Written, Unknown, Thread});
    Batch.Insns.empty() ? ++Batch.LeadRegs : ++Batch.Insns.back().NumRegs;
    return *this;
  }
  void finish(NaiveModel &M) {
    TraceHeader H;
    H.Threads.resize(2);
    H.Can.Lines = true;
    EXPECT_FALSE(bool(M.consume(Batch)));
    EXPECT_FALSE(bool(M.finish(H)));
  }
};

std::string state(const NaiveModel &M, Moment At, uint64_t Addr = 0x10) {
  static const char *const Names[] = {"?", "write", "read", "later", "semi"};
  NaiveModel::Byte B = M.memoryAt(At, Addr, 1)[0];
  std::string Text = B.Known ? std::to_string(B.Value) : "?";
  Text += " " + std::string(Names[int(B.From)]);
  if (B.Known && B.Origin != BeforeTrace)
    Text += " " + std::to_string(B.Origin);
  return Text;
}

TEST(NaiveModel, ReadIsDatedBack) {
  NaiveModel M;
  Script().insn(0).insn(4).read(0x10, 7).insn(8).read(0x10, 7).finish(M);
  EXPECT_EQ(state(M, 0), "7 later 1");
  EXPECT_EQ(state(M, 1), "7 later 1");
  EXPECT_EQ(state(M, 2), "7 read 1");
  EXPECT_EQ(state(M, 3), "7 read 1"); // the first read that told
  EXPECT_EQ(state(M, 0, 0x11), "? ?");
}

TEST(NaiveModel, ReadIsNotDatedBackBeyondAWrite) {
  NaiveModel M;
  Script()
      .insn(0)
      .insn(4)
      .mem(0x10, 1, 0, MemItem::Write | MemItem::NoValue, 0)
      .insn(8)
      .read(0x10, 7)
      .insn(12)
      .write(0x10, 9)
      .finish(M);
  EXPECT_EQ(state(M, 1), "? ?");
  EXPECT_EQ(state(M, 2), "7 later 2");
  EXPECT_EQ(state(M, 3), "7 read 2");
  EXPECT_EQ(state(M, 4), "9 write 3");
}

TEST(NaiveModel, SemihostingCallIsRevealedByRead) {
  NaiveModel M;
  Script()
      .insn(0)
      .write(0x10, 1)
      .insn(4)
      .implied(0x10)
      .insn(8)
      .read(0x10, 7)
      .insn(12)
      .implied(0x10)
      .finish(M);
  EXPECT_EQ(state(M, 1), "1 write 0");
  EXPECT_EQ(state(M, 2), "7 semi 1");
  EXPECT_EQ(state(M, 3), "7 semi 1");
  EXPECT_EQ(state(M, 4), "? ?");
}

TEST(NaiveModel, ContradictingReadCountsFromThenOn) {
  NaiveModel M;
  Script().write(0x10, 1).insn(0).insn(4).read(0x10, 7).insn(8).finish(M);
  EXPECT_EQ(state(M, 0), "1 write");
  EXPECT_EQ(state(M, 1), "1 write");
  EXPECT_EQ(state(M, 2), "7 read 1");
}

TEST(NaiveModel, ReadAndWriteInOneInstruction) {
  NaiveModel M;
  Script().insn(0).insn(4).read(0x10, 7).write(0x10, 8).finish(M);
  EXPECT_EQ(state(M, 1), "7 later 1");
  EXPECT_EQ(state(M, 2), "8 write 1");
}

TEST(NaiveModel, ReadOfUnknownTellsNothing) {
  NaiveModel M;
  Script()
      .insn(0)
      .mem(0x10, 4, 0x44332211, 0, 0b0101)
      .mem(0x10, 4, 0, MemItem::NoValue, 0)
      .finish(M);
  EXPECT_EQ(state(M, 0, 0x10), "17 later 0");
  EXPECT_EQ(state(M, 0, 0x11), "? ?");
  EXPECT_EQ(state(M, 0, 0x12), "51 later 0");
}

TEST(NaiveModel, AddressesWrapAround) {
  NaiveModel M;
  Script()
      .insn(0)
      .mem(~uint64_t(0) - 1, 4, 0x44332211, MemItem::Write, 0xf)
      .finish(M);
  EXPECT_EQ(state(M, 1, ~uint64_t(0)), "34 write 0");
  EXPECT_EQ(state(M, 1, 0), "51 write 0");
  EXPECT_EQ(M.nextAccess(1, 1, AccessKind::Write, BeforeTrace), Moment(0));
  EXPECT_EQ(M.nextAccess(2, 1, AccessKind::Write, BeforeTrace), std::nullopt);
  EXPECT_EQ(M.memoryAt(1, ~uint64_t(0), 3)[2].Value, 0x44);
}

TEST(NaiveModel, Registers) {
  NaiveModel M;
  Script()
      .reg(3, 0x1111)
      .insn(0)
      .reg(3, 0x22, 0x01)
      .insn(4)
      .reg(3, 0, 0x03, 0x02)
      .reg(3, 5, 0xff, 0, 1)
      .finish(M);
  EXPECT_EQ(M.registersAt(0, 0, 8).Value[3], 0x1111u);
  EXPECT_EQ(M.registersAt(0, 1, 8).Value[3], 0x1122u);
  EXPECT_EQ(M.registersAt(0, 2, 8).Known[3], 0xfd);
  EXPECT_EQ(M.registersAt(1, 2, 8).Value[3], 5u);
  EXPECT_EQ(M.registersAt(1, 1, 8).Known[3], 0);
  EXPECT_EQ(M.lastRegisterWrite(0, 3, 0xff, 2), Moment(1));
  EXPECT_EQ(M.lastRegisterWrite(0, 3, 0x04, 2), BeforeTrace);
  EXPECT_EQ(M.lastRegisterWrite(1, 3, 0xff, 1), std::nullopt);
  EXPECT_EQ(M.nextRegisterWrite(0, 3, 0x02, BeforeTrace), Moment(1));
  EXPECT_EQ(M.lastRegisterWrite(0, 3, 0xff, BeforeTrace), std::nullopt);
}

TEST(NaiveModel, TimeIsHeld) {
  NaiveModel M;
  Script()
      .insn(0)
      .insn(4)
      .time(20)
      .insn(8)
      .time(10)
      .insn(12)
      .insn(16, 1)
      .time(30)
      .finish(M);
  EXPECT_EQ(M.timeAt(0), std::nullopt);
  EXPECT_EQ(M.timeAt(2), 20u);
  EXPECT_EQ(M.timeAt(3), 20u);
  EXPECT_EQ(M.momentAtTime(0), 1u);
  EXPECT_EQ(M.momentAtTime(21), 4u);
  EXPECT_EQ(M.momentAtTime(31), 5u);
  EXPECT_EQ(M.positionOf(0, 5), 4u);
  EXPECT_EQ(M.momentOf(1, 0), 4u);
}

TEST(NaiveModel, LeadingEffectsBelongToTheInstructionBefore) {
  NaiveModel M;
  Script First, Second;
  First.Batch.LeadLines = 3;
  First.insn(0).insn(4);
  EXPECT_FALSE(bool(M.consume(First.Batch)));
  Second.Batch.LeadLines = 2;
  Second.reg(1, 5).write(0x10, 7).insn(8).reg(1, 6).finish(M);
  EXPECT_EQ(M.instruction(1).Regs.size(), 1u);
  EXPECT_EQ(M.instruction(1).Mems.size(), 1u);
  EXPECT_EQ(M.lineAt(1), 5u);
  EXPECT_EQ(M.lineAt(2), 8u);
  EXPECT_EQ(M.momentAtLine(3), std::nullopt);
  EXPECT_EQ(M.momentAtLine(7), Moment(1));
  EXPECT_EQ(M.momentAtLine(9), std::nullopt);
  EXPECT_EQ(state(M, 1), "? ?");
  EXPECT_EQ(state(M, 2), "7 write 1");
}

/// However a trace is cut into batches, it is the same trace.
TEST(RandomTrace, CutsDoNotMatter) {
  for (uint64_t Seed = 0; Seed < 60; ++Seed) {
    RandomTrace T(randomKnobs(Seed, 400), Seed);
    NaiveModel Whole, Cut;
    ASSERT_FALSE(bool(T.feed(Whole, {1, 1000000, false, true})));
    ASSERT_FALSE(bool(T.feed(Cut, {Seed, unsigned(Seed % 50), true, true})));
    ASSERT_EQ(Whole.numInstructions(), 400u);
    ASSERT_EQ(Cut.numInstructions(), 400u);
    EXPECT_EQ(Whole.numInitialRegs(), Cut.numInitialRegs());
    EXPECT_EQ(Whole.numInitialMems(), Cut.numInitialMems());
    for (Moment M = 0; M < 400; ++M) {
      const NaiveModel::Insn &A = Whole.insns()[M], &B = Cut.insns()[M];
      ASSERT_EQ(A.EndReg, B.EndReg) << "seed " << Seed << " #" << M;
      ASSERT_EQ(A.EndMem, B.EndMem) << "seed " << Seed << " #" << M;
      ASSERT_EQ(A.Line, B.Line) << "seed " << Seed << " #" << M;
      ASSERT_EQ(A.Item.Lines, B.Item.Lines) << "seed " << Seed << " #" << M;
    }
    ASSERT_EQ(Whole.events().size(), Cut.events().size());
    for (size_t I = 0; I < Whole.events().size(); ++I)
      ASSERT_EQ(Whole.events()[I].Before, Cut.events()[I].Before);
  }
}

/// What the tests rely on being in the traces is there.
TEST(RandomTrace, HasWhatItShould) {
  unsigned Wraps = 0, Implied = 0, Joined = 0, PartlyKnown = 0, NoValue = 0,
           Named = 0, UnknownRegs = 0, Skipped = 0, Contradictions = 0,
           TimeBack = 0, OtherThread = 0, Semihosting = 0, Later = 0;
  for (uint64_t Seed = 0; Seed < 200; ++Seed) {
    RandomTrace T(randomKnobs(Seed, 1500), Seed);
    NaiveModel M;
    ASSERT_FALSE(bool(T.feed(M, {Seed, 100, true, true})));
    for (const MemItem &I : M.mems()) {
      Wraps += I.Addr + (I.Size - 1) < I.Addr;
      Implied += bool(I.Flags & MemItem::Implied);
      Joined += bool(I.Flags & MemItem::Joined);
      NoValue += I.Flags == MemItem::NoValue;
      PartlyKnown += I.Known && I.Known != 0xff >> (8 - I.Size);
    }
    for (const RegItem &I : M.regs()) {
      Named += I.Lane >= 200;
      UnknownRegs += I.Unknown != 0;
    }
    uint64_t Time = 0;
    for (const NaiveModel::Insn &N : M.insns()) {
      Skipped += !(N.Item.Flags & InsnItem::Executed);
      if (N.Item.Flags & InsnItem::TimeKnown) {
        TimeBack += N.Item.Time < Time;
        Time = N.Item.Time;
      }
      for (uint64_t I = N.FirstReg; I != N.EndReg; ++I)
        OtherThread += M.regs()[I].Thread != N.Item.Thread;
    }
    Rng R(Seed);
    for (unsigned I = 0; I < 50 && !M.mems().empty(); ++I) {
      uint64_t Addr = R.pick(M.mems()).Addr;
      NaiveModel::Byte A = M.memoryAt(R.below(1500), Addr, 1)[0];
      Semihosting += A.From == Provenance::Semihosting;
      Later += A.From == Provenance::LaterRead;
      if (A.From == Provenance::Read && A.Origin != BeforeTrace) {
        NaiveModel::Byte Before = M.memoryAt(A.Origin, Addr, 1)[0];
        Contradictions += Before.Known && Before.Value != A.Value;
      }
    }
  }
  for (unsigned Count :
       {Wraps, Implied, Joined, PartlyKnown, NoValue, Named, UnknownRegs,
        Skipped, Contradictions, TimeBack, OtherThread, Semihosting, Later})
    EXPECT_GT(Count, 20u);
}

} // namespace
