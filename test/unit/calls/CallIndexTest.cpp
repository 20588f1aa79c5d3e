//===- CallIndexTest.cpp --------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random programs are executed, the recogniser's activations compared with the
// true ones, and every query of the index with a search through a plain list.
//
//===----------------------------------------------------------------------===//

#include "CallTrace.h"
#include <random>

using namespace rw;
using namespace rw::calltest;

namespace {

/// Runs a random program, knows its true activations.
class RandomProgram {
public:
  struct True {
    uint64_t Start, End, EntryPC;
    bool Returned;
  };

  RandomProgram(CallTrace &T, uint8_t Thread, unsigned Seed, unsigned Length,
                unsigned Skip)
      : T(T), Thread(Thread), Random(Seed), Length(Length), Skip(Skip) {
    SP = 0x100000 - 0x10000 * Thread;
  }

  /// Functions call each other, leave by tail calls and by longjmp, or still
  /// run when the length is reached.
  void run() {
    insn(0x100, a64::Nop, {T.sp(SP)});
    function(0x10000, 0);
  }

  std::vector<True> Calls;
  uint64_t Executed = 0;

private:
  bool over() const { return Executed >= Length; }
  void insn(uint64_t PC, uint32_t Opcode, std::vector<RegItem> Regs = {}) {
    if (over())
      return;
    if (Executed++ < Skip)
      return;
    T.Thread = Thread;
    T.insn(PC, Opcode, std::move(Regs));
  }
  unsigned random(unsigned N) { return unsigned(Random() % N); }

  /// \p PC runs on from \p Entry until it returns; true if it did. Returns
  /// false at the end of the trace or while a longjmp passes.
  bool function(uint64_t Entry, unsigned Depth) {
    uint64_t PC = Entry, Saved = LR, FrameSP = SP;
    SP -= 16 * (1 + random(3));
    uint64_t BodySP = SP;
    insn(PC, a64::Nop, {T.sp(SP)});
    PC += 4;
    unsigned Statements = 1 + random(Depth ? 7 : 1000000);
    uint64_t Setjmp = PC;
    for (unsigned S = 0; S < Statements && !over(); ++S) {
      switch (random(10)) {
      case 0: // a loop
        for (unsigned I = random(4); I-- > 0;) {
          insn(PC, a64::Nop);
          insn(PC + 4, a64::BCond);
        }
        insn(PC, a64::Nop);
        insn(PC + 4, a64::BCond);
        PC += 8;
        break;
      case 1: // longjmp to a frame further out, which has none nested
        if (Depth > 3 && random(8) == 0) {
          insn(PC, a64::Nop);
          JumpTo = Depth - 2 - random(2);
          return false;
        }
        break;
      case 2:
      case 3:
      case 4:
        if (Depth > 40)
          break;
        if (!call(PC, Depth)) {
          if (over() || JumpTo != Depth)
            return false;
          // Landed here: as longjmp does, sp first, then the jump.
          SP = BodySP;
          insn(JumpFrom, a64::Nop, {T.sp(SP)});
          insn(JumpFrom + 4, a64::Br);
          endCalls(Depth);
          PC = Setjmp;
          JumpTo = ~0u;
        } else {
          PC += 8;
        }
        break;
      default:
        insn(PC, a64::Nop);
        PC += 4;
      }
    }
    if (over())
      return false;
    insn(PC, a64::B);
    PC = Entry + 0x4000;
    SP = FrameSP;
    LR = Saved;
    insn(PC, a64::Nop, {T.sp(SP), T.lr(LR)});
    PC += 4;
    if (random(8) == 0 && Depth) {
      insn(PC, a64::B);
      return function(0x10000 * (1 + random(20)), Depth);
    }
    insn(PC, a64::Ret);
    return !over();
  }

  bool call(uint64_t PC, unsigned Depth) {
    insn(PC, a64::Nop);
    LR = PC + 8;
    insn(PC + 4, random(4) ? a64::Bl : a64::Blr, {T.lr(LR)});
    if (over())
      return false;
    uint64_t Entry = 0x10000 * (1 + random(20));
    size_t Index = Calls.size();
    Calls.push_back({Executed, 0, Entry, false});
    Open.push_back({Index, Depth});
    JumpFrom = Entry + 0x8000;
    if (!function(Entry, Depth + 1))
      return false;
    Calls[Index].End = Executed;
    Calls[Index].Returned = true;
    Open.pop_back();
    return true;
  }

  void endCalls(unsigned Depth) {
    while (!Open.empty() && Open.back().second >= Depth) {
      Calls[Open.back().first].End = Executed;
      Open.pop_back();
    }
  }

  CallTrace &T;
  uint8_t Thread;
  std::mt19937 Random;
  uint64_t Length, Skip, SP, LR = 0;
  unsigned JumpTo = ~0u;
  uint64_t JumpFrom = 0;
  std::vector<std::pair<size_t, unsigned>> Open;
};

std::string show(const std::optional<Activation> &A) {
  return A ? std::to_string(A->Number) + " [" + std::to_string(A->Start) + "," +
                 std::to_string(A->End) + ") " + std::to_string(A->Depth)
           : "none";
}

template <class T> T value(llvm::Expected<T> V) {
  EXPECT_TRUE(bool(V)) << llvm::toString(V.takeError());
  return std::move(*V);
}

/// Every query against the list.
void compareWithList(const CallIndex &Index, ThreadIndex T, uint64_t Length,
                     std::mt19937 &Random) {
  std::vector<Activation> List = all(Index, T);
  ASSERT_EQ(List.size(), Index.size(T));
  std::vector<std::optional<Activation>> Parent(List.size());
  std::vector<size_t> Stack;
  uint32_t MaxDepth = 0;
  for (size_t I = 0; I < List.size(); ++I) {
    const Activation &A = List[I];
    ASSERT_EQ(A.Number, I);
    ASSERT_LT(A.Start, A.End);
    while (!Stack.empty() && List[Stack.back()].End <= A.Start)
      Stack.pop_back();
    if (!Stack.empty()) {
      Parent[I] = List[Stack.back()];
      ASSERT_LE(A.End, Parent[I]->End);
    }
    ASSERT_EQ(A.Depth, Stack.size());
    MaxDepth = std::max(MaxDepth, A.Depth);
    Stack.push_back(I);
  }
  ASSERT_EQ(List[0].Kind, ActivationKind::Root);
  ASSERT_EQ(List[0].Start, 0u);
  ASSERT_EQ(List[0].End, Length);
  EXPECT_EQ(Index.maxDepth(T), MaxDepth);
  for (unsigned N = 0; N < 500; ++N) {
    const Activation &A = List[Random() % List.size()];
    EXPECT_EQ(show(value(Index.activation(T, A.Number))), show(A));
    EXPECT_EQ(show(value(Index.parent(A))), show(Parent[A.Number]));
    std::vector<Activation> Children;
    for (size_t I = A.Number + 1; I < List.size(); ++I)
      if (Parent[I] && Parent[I]->Number == A.Number)
        Children.push_back(List[I]);
    auto Child = value(Index.firstChild(A));
    for (const Activation &C : Children) {
      ASSERT_EQ(show(Child), show(C));
      Child = value(Index.nextSibling(*Child));
    }
    EXPECT_EQ(show(Child), "none");
    Position P = A.Start + Random() % (A.End - A.Start + 1);
    std::optional<Activation> Last;
    for (const Activation &C : Children)
      if (C.Start < P)
        Last = C;
    EXPECT_EQ(show(value(Index.lastChildBefore(A, P))), show(Last)) << P;
  }
  for (unsigned N = 0; N < 500; ++N) {
    Position P = Random() % (Length + 2);
    std::optional<Activation> Inner;
    size_t First = 0;
    for (const Activation &A : List) {
      if (A.contains(P))
        Inner = A;
      First += A.Start < P;
    }
    EXPECT_EQ(show(value(Index.enclosing(T, P))), show(Inner));
    EXPECT_EQ(value(Index.firstFrom(T, P)), First);
    std::string Chain, Expected;
    for (const Activation &A : value(Index.stack(T, P)))
      Chain += show(A) + "\n";
    for (auto A = Inner; A; A = Parent[A->Number])
      Expected += show(A) + "\n";
    EXPECT_EQ(Chain, Expected);
  }
  uint64_t From = Random() % List.size(), To = From + Random() % 300, Seen = 0;
  EXPECT_FALSE(bool(Index.forEach(T, From, To, [&](const Activation &A) {
    EXPECT_EQ(show(A), show(List[From + Seen]));
    ++Seen;
    return true;
  })));
  EXPECT_EQ(Seen, std::min<uint64_t>(To, List.size()) - From);
}

constexpr unsigned SettlingTime = 100;

class RandomCalls : public testing::TestWithParam<unsigned> {};

TEST_P(RandomCalls, AreFoundAndAnswered) {
  unsigned Seed = GetParam();
  std::mt19937 Random(Seed);
  CallRecogniser::Options Opts;
  // Small enough that runs are merged from the temporary file too.
  Opts.MaxBuffered = Seed % 2 ? 100 : 100000;
  CallTrace T(Opts);
  unsigned Length = 2000 + Random() % 60000;
  unsigned NumThreads = Seed % 3 == 0 ? 3 : 1;
  unsigned Skip = Seed % 4 == 1 ? Random() % 1000 : 0;
  std::vector<RandomProgram> Programs;
  for (unsigned I = 0; I < NumThreads; ++I) {
    Programs.emplace_back(T, uint8_t(I), Seed * 10 + I, Length, Skip);
    Programs.back().run();
  }
  auto Index = T.finish();
  ASSERT_EQ(Index->numThreads(), NumThreads);
  for (unsigned I = 0; I < NumThreads; ++I) {
    uint64_t N = Programs[I].Executed - Skip;
    compareWithList(*Index, I, N, Random);
    // The truth: as executed; what began before the trace is checked elsewhere.
    std::map<uint64_t, const Activation *> Found;
    std::vector<Activation> List = all(*Index, I);
    for (const Activation &A : List)
      if (!(A.Flags & Activation::BeforeTrace) &&
          (!Skip || A.Start >= SettlingTime))
        Found[A.Start] = &A;
    size_t Expected = 0;
    for (const RandomProgram::True &C : Programs[I].Calls) {
      // While sp is not known yet, a longjmp cannot be told.
      if (C.Start >= Programs[I].Executed ||
          (Skip && C.Start < Skip + SettlingTime))
        continue;
      ++Expected;
      auto It = Found.find(C.Start - Skip);
      ASSERT_NE(It, Found.end()) << "no call at " << C.Start;
      const Activation A = *It->second;
      Found.erase(It);
      EXPECT_EQ(A.EntryPC, C.EntryPC) << C.Start;
      EXPECT_EQ(A.returned(), C.Returned && C.End < Programs[I].Executed)
          << C.Start;
      EXPECT_EQ(A.End, C.End ? C.End - Skip : N) << C.Start;
    }
    for (const auto &[Start, A] : Found)
      ADD_FAILURE() << "no such call: " << show(*A) << " flags "
                    << unsigned(A->Flags);
    EXPECT_GT(Expected, 20u);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomCalls, testing::Range(1u, 25u));

TEST(CallIndex, DeepRecursionAnswersFast) {
  CallTrace T;
  const unsigned Depth = 30000;
  T.insn(0x100, a64::Nop, {T.sp(0x10000000)});
  for (unsigned D = 0; D < Depth; ++D) {
    T.insn(0x104, a64::Bl, {T.lr(0x108)});
    T.insn(0x100, a64::Nop, {T.sp(0x10000000 - 16 * (D + 1))});
  }
  for (unsigned D = Depth; D-- > 0;) {
    T.insn(0x200, a64::Nop, {T.sp(0x10000000 - 16 * D)});
    T.insn(0x204, a64::Ret);
    T.insn(0x108, a64::Nop);
  }
  auto Index = T.finish();
  EXPECT_EQ(Index->maxDepth(0), Depth);
  std::mt19937 Random(1);
  for (unsigned N = 0; N < 1000; ++N) {
    // On the way back every position is far from where its activation began.
    unsigned D = Random() % Depth;
    Position P = 1 + 2 * Depth + 3 * uint64_t(D) + 1;
    auto A = value(Index->enclosing(0, P));
    ASSERT_TRUE(A.has_value());
    EXPECT_EQ(A->Depth, Depth - D);
  }
  // Well below 8 bytes for each.
  EXPECT_LT(T.Section.Size, 8 * Depth);
}

TEST(CallIndex, DamageIsAnErrorNotACrash) {
  CallTrace T;
  RandomProgram Program(T, 0, 7, 5000, 0);
  Program.run();
  auto Good = T.finish();
  ASSERT_GT(Good->size(0), 100u);
  std::mt19937 Random(3);
  for (unsigned N = 0; N < 3000; ++N) {
    MemorySection Copy = T.Section;
    for (unsigned K = 0; K < 3; ++K)
      Copy.bytes()[Random() % Copy.Size] ^= uint8_t(1 + Random() % 255);
    if (N % 3 == 0)
      Copy.Size = Random() % Copy.Size;
    auto Index = CallIndex::open(Copy.bytes());
    if (!Index) {
      EXPECT_NE(llvm::toString(Index.takeError()).find("damaged call index"),
                std::string::npos);
      continue;
    }
    for (ThreadIndex Thread = 0; Thread < std::min((*Index)->numThreads(), 4u);
         ++Thread) {
      llvm::consumeError((*Index)->forEach(
          Thread, 0, 1000, [](const Activation &) { return true; }));
      for (unsigned Q = 0; Q < 5; ++Q) {
        auto A = (*Index)->enclosing(Thread, Random() % 5000);
        if (!A) {
          llvm::consumeError(A.takeError());
          continue;
        }
        if (*A) {
          llvm::consumeError((*Index)->parent(**A).takeError());
          llvm::consumeError((*Index)->nextSibling(**A).takeError());
        }
      }
      CallIndex::TtuOnlyPlace Place;
      for (unsigned Q = 0; Q < 100; ++Q) {
        auto A = (*Index)->nextTtuOnly(Thread, Place);
        if (!A)
          llvm::consumeError(A.takeError());
        if (!A || !*A)
          break;
      }
    }
  }
}

} // namespace
