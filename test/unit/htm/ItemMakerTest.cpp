//===- ItemMakerTest.cpp - Items by blocks and one by one -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an ItemMaker makes of executions of blocks must be what it makes of
// their instructions.
//
//===----------------------------------------------------------------------===//

#include "core/formats/htm/ItemMaker.h"
#include "Encode.h"
#include "Generated.h"
#include "core/arch/PPCInsn.h"
#include <map>
#include <random>

namespace rw::htm::test {
namespace {

/// All items of a trace, in order, as text to compare.
struct Items : TraceSink {
  bool Flow;
  std::vector<std::string> Lines;
  uint64_t Executions = 0;
  size_t Longest = 0; ///< instructions of an execution
  explicit Items(bool Flow) : Flow(Flow) {}
  bool takesFlow() const override { return Flow; }

  static std::string text(std::initializer_list<uint64_t> Values) {
    std::string S;
    for (uint64_t V : Values)
      S += llvm::utohexstr(V) + " ";
    return S;
  }
  void reg(const RegItem &R) {
    Lines.push_back("  reg " + text({R.Lane, R.Value, R.Written, R.Unknown,
                                     R.Thread, R.Flags}));
  }
  llvm::Error consume(ItemBatch &B) override {
    EXPECT_TRUE(Flow || B.Flow.empty());
    Executions += B.Flow.size();
    for (const FlowItem &F : B.Flow)
      Longest = std::max(Longest, B.Code->insns(F.Sequence).size());
    if (Flow)
      expandFlow(B);
    size_t Reg = B.LeadRegs, Mem = 0, Event = 0;
    for (size_t R = 0; R < Reg; ++R)
      reg(B.Regs[R]);
    auto eventsUpTo = [&](size_t Insn) {
      for (; Event < B.Events.size() && B.Events[Event].Before <= Insn;
           ++Event) {
        const EventItem &E = B.Events[Event];
        Lines.push_back("event " +
                        text({uint64_t(E.Kind), E.Thread, E.PC, E.Value}) +
                        E.Text);
      }
    };
    for (size_t N = 0; N < B.Insns.size(); ++N) {
      eventsUpTo(N);
      const InsnItem &I = B.Insns[N];
      Lines.push_back("insn " + text({I.PC, I.Opcode, I.Time, I.Size, I.Flags,
                                      uint64_t(I.Isa), I.NumRegs, I.NumMems}));
      for (unsigned K = 0; K < I.NumRegs; ++K)
        reg(B.Regs[Reg++]);
      for (unsigned K = 0; K < I.NumMems; ++K) {
        const MemItem &M = B.Mems[Mem++];
        Lines.push_back("  mem " + text({M.Addr, M.Real, M.Value, M.Size,
                                         M.Flags, M.Known}));
      }
    }
    eventsUpTo(B.Insns.size());
    EXPECT_EQ(Reg, B.Regs.size());
    EXPECT_EQ(Mem, B.Mems.size());
    EXPECT_EQ(Event, B.Events.size());
    return llvm::Error::success();
  }
  llvm::Error finish(const TraceHeader &H) override {
    for (auto &[What, Count] : H.Ignored)
      Lines.push_back(What + " " + llvm::utostr(Count));
    Lines.push_back(text({uint64_t(H.Architecture)}));
    return llvm::Error::success();
  }
};

/// Keeps blocks from a sink.
struct OneByOne : BatchSink {
  BatchSink &To;
  explicit OneByOne(BatchSink &To) : To(To) {}
  llvm::Error batch(const Batch &B) override {
    EXPECT_TRUE(B.Executions.empty());
    return To.batch(B);
  }
};

Items itemsOf(llvm::ArrayRef<uint8_t> Bytes, bool Blocks, bool Flow) {
  Items Out(Flow);
  CodeTable Code;
  ItemMaker Maker(Out, Code, false);
  OneByOne Plain(Maker);
  HtmDecoder D(
      [Bytes](uint8_t *Buffer, size_t Size) mutable -> llvm::Expected<size_t> {
        Size = std::min(Size, Bytes.size());
        std::copy_n(Bytes.begin(), Size, Buffer);
        Bytes = Bytes.drop_front(Size);
        return Size;
      },
      Blocks ? static_cast<BatchSink &>(Maker) : Plain, {});
  llvm::cantFail(D.run());
  llvm::cantFail(Maker.end(D.summary()));
  return Out;
}

void expectSame(llvm::ArrayRef<uint8_t> Bytes) {
  Items Plain = itemsOf(Bytes, false, false);
  for (bool Flow : {false, true}) {
    Items ByBlocks = itemsOf(Bytes, true, Flow);
    size_t N = std::min(Plain.Lines.size(), ByBlocks.Lines.size());
    for (size_t K = 0; K < N; ++K)
      ASSERT_EQ(Plain.Lines[K], ByBlocks.Lines[K])
          << "line " << K << " after " << (K ? Plain.Lines[K - 1] : "");
    ASSERT_EQ(Plain.Lines.size(), ByBlocks.Lines.size());
  }
}

TEST(ItemMaker, GeneratedDumps) {
  for (const char *Options : {"p8 --stamp-every 7", "p10 --stamp-every 11",
                              "p10", "p10 --xlate --stamp-every 500"}) {
    SCOPED_TRACE(Options);
    Generated G = generate(Options, 20000);
    expectSame(bytes(G.Dump));
    Items Flow = itemsOf(bytes(G.Dump), true, true);
    EXPECT_GT(Flow.Executions, 0u);
    EXPECT_LT(Flow.Executions, 20000u * 3 / 4);
  }
}

/// Straight pieces of code of the kinds that imply values, with jumps between
/// them, interrupts, changes of the mode, stamps and gaps.
class RandomCode {
public:
  /// \p Habit: how often a block is followed by the same one.
  explicit RandomCode(uint64_t Seed, double Habit = 0) : R(Seed), Habit(Habit) {
    for (unsigned B = 0; B < 12; ++B) {
      std::vector<uint32_t> Code;
      for (uint64_t N = 1 + below(8); N; --N)
        Code.push_back(opcode());
      Code.push_back(branch());
      Blocks.push_back(Code);
    }
  }

  Words dump(unsigned Executions) {
    Words W;
    size_t B = 0;
    for (; Executions; --Executions) {
      B = chance(Habit) ? (B + 5) % Blocks.size() : below(Blocks.size());
      if (chance(0.02))
        Mode ^= chance(0.5) ? uint64_t(MsrEE) << 48 : uint64_t(MsrPR) << 48;
      uint64_t EA = 0x10000000 + 0x100 * B;
      unsigned First = chance(0.1) ? unsigned(below(Blocks[B].size())) : 0;
      uint64_t Line = 1;
      for (unsigned K = First; K < Blocks[B].size(); ++K) {
        uint64_t At = EA + 4 * K;
        if ((At & ~uint64_t(0x7f)) != Line) {
          Line = At & ~uint64_t(0x7f);
          line(W, Line, 0x40000000 + Line);
        }
        insn(W, Blocks[B][K], At);
        if (chance(0.01))
          W.push_back(time(unsigned(below(100))));
        if (chance(0.002))
          W.push_back(uint64_t(0xACEFF9) << 40); // dropped: a gap
        if (chance(0.02))
          break; // an interrupt
      }
    }
    return W;
  }

private:
  void insn(Words &W, uint32_t Op, uint64_t EA) {
    bool Data = ppc::memoryKind(0, Op).accesses() && chance(0.97);
    W.insert(W.end(), {p10Info(Op, EA, Data), Mode});
    if (!Data)
      return;
    // Mostly where it was before, or a little further.
    uint64_t &At = Places[Op];
    if (!At || chance(0.05))
      At = 0x3fff80000000 + below(0x4000);
    else if (chance(0.5))
      At += 16;
    W.insert(W.end(), {At, dra(0x7000000000 + (At & 0xffff000))});
  }
  uint32_t opcode() {
    uint32_t T = uint32_t(below(6) + 3), A = uint32_t(below(6) + 3),
             B = uint32_t(below(6) + 3), D = uint32_t(below(64)) * 16;
    switch (below(15)) {
    case 14:
      return chance(0.5) ? 0x44000002 : 0x44000001; // sc, scv
    case 0:
      return 0x38000000 | T << 21 | D; // li
    case 1:
      return 0x38000000 | T << 21 | A << 16 | D; // addi
    case 2:
      return 0x60000000 | A << 21 | T << 16 | D; // ori
    case 3:
      return 0x7c000378 | A << 21 | T << 16 | B << 11; // or
    case 4:
      return 0x7c000214 | T << 21 | A << 16 | B << 11; // add
    case 5:
      return 0x7c0903a6 | T << 21; // mtctr
    case 6:
      return 0x7c0802a6 | T << 21; // mflr
    case 7:
      return 0xf8000001 | T << 21 | A << 16 | D; // stdu
    case 8:
      return 0xf8000000 | T << 21 | A << 16 | D; // std
    case 9:
      return 0xf4000001 | T << 21 | A << 16 | D; // lxv
    case 10:
      return 0x78000000 | A << 21 | T << 16 | 4 << 11 | 2 << 5; // rldicl
    case 11:
      return 0x7c000050 | T << 21 | A << 16 | B << 11; // subf
    default:
      return 0xe8000000 | T << 21 | A << 16 | D; // ld
    }
  }
  uint32_t branch() {
    switch (below(5)) {
    case 0:
      return 0x48000101; // bl
    case 1:
      return 0x4e800020; // blr
    case 2:
      return 0x4e800420; // bctr
    case 3:
      return 0x4200ffe0; // bdnz
    default:
      return 0x48000100; // b
    }
  }
  uint64_t below(uint64_t N) { return R() % N; }
  bool chance(double P) { return double(R() >> 11) < P * 0x1p53; }

  std::mt19937_64 R;
  double Habit;
  std::vector<std::vector<uint32_t>> Blocks;
  std::map<uint32_t, uint64_t> Places;
  uint64_t Mode = Msr;
};

TEST(ItemMaker, RandomCode) {
  for (uint64_t Seed = 0; Seed < 20 && !HasFailure(); ++Seed) {
    SCOPED_TRACE(Seed);
    expectSame(bytesOf(RandomCode(Seed).dump(3000)));
  }
}

/// Long enough for blocks that follow each other to become groups, which then
/// meet interrupts, gaps, other modes and registers that are not known.
TEST(ItemMaker, GroupsOfRandomCode) {
  size_t Longest = 0;
  for (uint64_t Seed = 100; Seed < 108 && !HasFailure(); ++Seed) {
    SCOPED_TRACE(Seed);
    std::vector<uint8_t> Dump = bytesOf(RandomCode(Seed, 0.9).dump(20000));
    expectSame(Dump);
    Longest = std::max(Longest, itemsOf(Dump, true, true).Longest);
  }
  // Branches that go where they say are as rare as random code makes them.
  constexpr size_t LongestBlock = 9;
  EXPECT_GT(Longest, 2 * LongestBlock);
}

/// A loop and what it calls become a few groups.
TEST(ItemMaker, GroupsOfGeneratedDumps) {
  for (const char *Options : {"p8", "p10 --chunk-iters 20"}) {
    SCOPED_TRACE(Options);
    Generated G = generate(Options, 200000);
    Items Flow = itemsOf(bytes(G.Dump), true, true);
    EXPECT_LT(Flow.Executions, 200000u / 16);
  }
}

} // namespace
} // namespace rw::htm::test
