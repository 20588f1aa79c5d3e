//===- ProfileSweepTest.cpp -----------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random programs of several threads are traced and indexed, and profiled by
// functions, lines and HTR blocks, in ranges and under filters. A model has the
// whole stack of each instruction.
//
//===----------------------------------------------------------------------===//

#include "core/profile/ProfileSweep.h"
#include "core/arch/RegisterFile.h"
#include "core/calls/CallRecogniser.h"
#include "core/htr/HtrRun.h"
#include "core/profile/HtrWalk.h"
#include "core/store/TraceStore.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <random>
#include <set>

using namespace rw;

namespace {

constexpr uint32_t Nop = 0xd503201f, Ret = 0xd65f03c0, Bl = 0x94000010,
                   B = 0x14000010, Eret = 0xd69f03e0;
constexpr uint64_t Handler = 0x800000;

/// 64 KiB each; "f1" is at 0x10000.
std::string functionAt(uint64_t PC) { return "f" + std::to_string(PC >> 16); }
std::string lineAt(uint64_t PC) {
  return "x.c:" + std::to_string((PC >> 16) * 1000 + (PC & 0xffff) / 12 + 1);
}

class Names final : public FunctionNames {
  Function lookup(uint64_t PC) override {
    return {functionAt(PC), PC & ~uint64_t(0xffff), "x.c", 1};
  }
};

class Lines final : public CodeFrames {
  std::vector<CodeFrame> framesAt(uint64_t PC) override {
    return {{functionAt(PC), "/src/x.c",
             unsigned((PC >> 16) * 1000 + (PC & 0xffff) / 12 + 1)}};
  }
};

/// What the model knows of an instruction.
struct True {
  uint8_t Thread;
  uint64_t PC, Time;
  bool Executed = true, Called = false;
  unsigned Exceptions = 0; ///< before it
  struct Access {
    uint64_t Addr;
    unsigned Size;
    bool Write;
  };
  std::vector<Access> Accesses;
  std::vector<std::string> Functions, LinesOf; ///< the stack, with it on top
  std::vector<std::string> Gated; ///< a stack below one of another kind
  Position Pos = 0;
  const True *Next = nullptr; ///< of the thread
};

/// A thread that runs a random program, instruction by instruction.
class Program {
public:
  Program(std::mt19937 &Random, uint8_t Thread)
      : Random(Random), Thread(Thread) {
    Frames.push_back({"f1", 0x10000, 0});
  }

  void step(ItemBatch &Batch, std::vector<True> &All, uint64_t Time) {
    Frame &F = Frames.back();
    InsnItem I;
    I.PC = F.PC;
    I.Time = Time;
    I.Size = 4;
    I.Isa = ISA::A64;
    I.Thread = Thread;
    I.Flags = InsnItem::Executed | InsnItem::OpcodeKnown | InsnItem::TimeKnown;
    True T;
    T.Thread = Thread;
    T.PC = F.PC;
    T.Time = Time;
    T.Called = Entered;
    T.Pos = Position(Executed++);
    if (Excepted) {
      EventItem E;
      E.Before = uint32_t(Batch.Insns.size());
      E.Kind = EventKind::Exception;
      E.Thread = Thread;
      E.PC = Frames[Frames.size() - 2].PC;
      Batch.Events.push_back(E);
      T.Exceptions = 1;
    }
    Entered = Excepted = false;
    F.Line = lineAt(F.PC);
    for (const Frame &Each : Frames) {
      T.Functions.push_back(Each.Name);
      T.LinesOf.push_back(Each.Line);
    }
    I.Opcode = Nop;
    bool InHandler = F.Name[0] == '[';
    unsigned Kind = Random() % 20;
    uint64_t Target = 0x10000 * (1 + Random() % 6);
    auto Enter = [&](uint64_t Entry, uint64_t Return) {
      Frames.push_back({functionAt(Entry), Entry, Return});
      Entered = true;
    };
    if (Kind < 3 && Frames.size() < 25) {
      I.Opcode = Bl;
      uint64_t Back = F.PC += 4;
      link(Batch, I, Back);
      Enter(Target, Back);
    } else if (Kind < 7 && Frames.size() > 1 &&
               Frames[Frames.size() - 2].PC != F.PC + 4) {
      I.Opcode = InHandler ? Eret : Ret;
      Frames.pop_back();
    } else if (Kind == 7 && Frames.size() > 1 && !InHandler &&
               functionAt(Target) != F.Name) {
      I.Opcode = B; // a tail call
      uint64_t Return = F.Return;
      Frames.pop_back();
      Enter(Target, Return);
    } else if (Kind == 8) {
      I.Opcode = B; // on, or back
      F.PC = (F.PC & ~uint64_t(0xffff)) + 4 + 4 * (Random() % 16);
    } else if (Kind == 9) {
      I.Flags &= ~InsnItem::Executed;
      T.Executed = false;
      F.PC += 4;
    } else {
      F.PC += 4;
      if (Kind < 15)
        access(Batch, I, T);
      if (Kind == 19 && !InHandler && Frames.size() < 25) {
        Frames.push_back({"[exception] " + functionAt(Handler), Handler, 0});
        Entered = Excepted = true;
      }
    }
    if ((Frames.back().PC & 0xffff) > 0xff00)
      Frames.back().PC &= ~uint64_t(0xffff);
    Batch.Insns.push_back(I);
    All.push_back(std::move(T));
  }

private:
  struct Frame {
    std::string Name;
    uint64_t PC, Return;
    std::string Line = {};
  };
  void link(ItemBatch &Batch, InsnItem &I, uint64_t Value) {
    RegItem R;
    R.Lane = arm::X30;
    R.Value = Value;
    R.Written = 0xff;
    R.Thread = Thread;
    Batch.Regs.push_back(R);
    ++I.NumRegs;
  }
  void access(ItemBatch &Batch, InsnItem &I, True &T) {
    for (unsigned N = 1 + Random() % 2; N > 0; --N) {
      MemItem M;
      M.Addr = 0x100000 + Random() % 0x3000;
      M.Real = ~uint64_t(0);
      M.Size = uint8_t(1 + Random() % 8);
      M.Flags = (Random() % 2 ? MemItem::Write : 0) | MemItem::NoValue;
      if (Random() % 8 == 0)
        M.Flags = MemItem::Write | MemItem::NoValue | MemItem::Implied;
      else
        T.Accesses.push_back({M.Addr, M.Size, (M.Flags & MemItem::Write) != 0});
      Batch.Mems.push_back(M);
      ++I.NumMems;
    }
  }

  std::mt19937 &Random;
  uint8_t Thread;
  std::vector<Frame> Frames;
  uint64_t Executed = 0;
  bool Entered = false, Excepted = false;
};

using Costs = std::vector<uint64_t>;

struct Question {
  std::vector<Metric> Metrics;
  Moment From, To;
  std::vector<ThreadIndex> Threads;
  std::set<std::string> Selected, Excluded, Folded; ///< all of the first
};

struct Answer {
  Costs Total;
  std::map<std::string, Costs> Self, Dominated;
  std::map<std::pair<std::string, std::string>, Costs> Over;
  bool operator==(const Answer &) const = default;
};

/// A sample counts for what it finds on the stack.
class SweepModel {
public:
  explicit SweepModel(const Question &Q) : Q(Q) {
    A.Total.resize(Q.Metrics.size());
  }
  bool counts(const std::vector<std::string> &Stack) const {
    std::set<std::string> On(Stack.begin(), Stack.end());
    return llvm::all_of(Q.Selected, [&](auto &S) { return On.count(S); }) &&
           llvm::none_of(Q.Excluded, [&](auto &S) { return On.count(S); });
  }
  void add(const std::vector<std::string> &Stack, Metric M, uint64_t Cost) {
    auto It = llvm::find(Q.Metrics, M);
    if (It == Q.Metrics.end() || !Cost || !counts(Stack))
      return;
    size_t K = size_t(It - Q.Metrics.begin());
    std::vector<std::string> Left;
    for (auto &F : Stack)
      if (!Q.Folded.count(F))
        Left.push_back(F);
    auto Add = [&](Costs &C) {
      C.resize(Q.Metrics.size());
      C[K] += Cost;
    };
    Add(A.Total);
    if (!Left.empty())
      Add(A.Self[Left.back()]);
    for (auto &F : std::set(Left.begin(), Left.end()))
      Add(A.Dominated[F]);
    std::set<std::pair<std::string, std::string>> Edges;
    for (size_t I = 0; I < Left.size(); ++I)
      Edges.insert({I ? Left[I - 1] : "", Left[I]});
    for (auto &E : Edges)
      Add(A.Over[E]);
  }
  Answer A;

private:
  const Question &Q;
};

Answer bruteForce(const std::vector<True> &All, const Question &Q,
                  std::vector<std::string> True::*Stack) {
  SweepModel M(Q);
  std::set<uint64_t> Touched;
  std::map<uint8_t, const True *> Before;
  for (Moment Now = Q.From; Now < Q.To; ++Now) {
    const True &T = All[Now];
    if (!llvm::is_contained(Q.Threads, T.Thread))
      continue;
    const auto &On = T.*Stack;
    const True *Last = std::exchange(Before[T.Thread], &T);
    M.add(Last ? Last->*Stack : On, Metric::Exceptions, T.Exceptions);
    M.add(On, Metric::Instructions, 1);
    M.add(On, Metric::Calls, T.Called);
    M.add(On, Metric::FailedConditions, !T.Executed);
    if (T.Next) {
      M.add(On, Metric::Time, T.Next->Time - T.Time);
      M.add(On, Metric::TakenBranches,
            !T.Next->Exceptions && T.Next->PC != T.PC + 4);
    }
    for (const True::Access &A : T.Accesses) {
      M.add(On, A.Write ? Metric::Writes : Metric::Reads, 1);
      M.add(On, A.Write ? Metric::BytesWritten : Metric::BytesRead, A.Size);
      if (M.counts(On))
        for (uint64_t L = A.Addr / 64; L <= (A.Addr + A.Size - 1) / 64; ++L)
          M.add(On, Metric::Lines, Touched.insert(L).second);
    }
  }
  return M.A;
}

class ProfileSweepTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(
        llvm::sys::fs::createUniqueDirectory("rewind-profile", Folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(Folder); }

  void make(unsigned Seed, unsigned NumThreads, unsigned Length) {
    Random.seed(Seed);
    ItemBatch Batch;
    std::vector<Program> Programs;
    for (unsigned T = 0; T < NumThreads; ++T)
      Programs.emplace_back(Random, uint8_t(T));
    All.clear();
    All.reserve(Length);
    uint64_t Time = 5;
    for (unsigned T = 0; All.size() < Length;) {
      if (Random() % 6 == 0)
        T = Random() % NumThreads;
      Programs[T].step(Batch, All, Time += Random() % 4);
    }
    std::map<uint8_t, const True *> Later;
    for (True &T : llvm::reverse(All))
      T.Next = std::exchange(Later[T.Thread], &T);
    TraceHeader H;
    H.Format = "tarmac";
    H.Architecture = Arch::AArch64;
    H.TimeUnit = "clk";
    H.Can.Registers = H.Can.MemAddresses = H.Can.Opcodes = H.Can.Time = true;
    H.Threads.resize(NumThreads);
    llvm::SmallString<128> Path(Folder);
    llvm::sys::path::append(Path, "t.rewind");
    SourceStamp Stamp;
    Stamp.Path = "t";
    auto Builder = StoreBuilder::create(Path, Stamp, {});
    ASSERT_TRUE(bool(Builder)) << llvm::toString(Builder.takeError());
    CallRecogniser Calls;
    (*Builder)->addObserver(Calls);
    ASSERT_FALSE(llvm::errorToBool((*Builder)->consume(Batch)));
    ASSERT_FALSE(llvm::errorToBool((*Builder)->finish(H)));
    auto Opened = TraceStore::open(Path);
    ASSERT_TRUE(bool(Opened)) << llvm::toString(Opened.takeError());
    Store = std::move(*Opened);
    auto I = CallIndex::open(*Store);
    ASSERT_TRUE(bool(I)) << llvm::toString(I.takeError());
    Index = std::move(*I);
  }

  Question question(bool Filters) {
    Question Q;
    for (const MetricInfo &I : allMetrics())
      if (Random() % 3 == 0)
        Q.Metrics.push_back(I.Id);
    if (Q.Metrics.empty())
      Q.Metrics = {Metric::Instructions};
    llvm::shuffle(Q.Metrics.begin(), Q.Metrics.end(), Random);
    Q.From = 0;
    Q.To = All.size();
    if (Random() % 2) {
      Q.From = Random() % All.size();
      Q.To = Q.From + Random() % (All.size() - Q.From + 1);
    }
    for (ThreadIndex T = 0; T < Store->numThreads(); ++T)
      if (Store->numThreads() == 1 || Random() % 4)
        Q.Threads.push_back(T);
    if (Filters) {
      auto Name = [&] {
        return Random() % 8 ? "f" + std::to_string(1 + Random() % 6)
                            : "[exception] " + functionAt(Handler);
      };
      for (unsigned N = Random() % 3; N > 0; --N)
        Q.Selected.insert(Name());
      for (unsigned N = Random() % 2; N > 0; --N)
        Q.Excluded.insert(Name());
      for (unsigned N = Random() % 4; N > 0; --N)
        Q.Folded.insert(Name());
    }
    return Q;
  }

  /// What is asked of blocks below a stack is asked by this name.
  static std::string gateName(const std::string &Name) { return "~" + Name; }

  /// Asks the sweep \p Q, perhaps with a gate. It may be stopped
  /// somewhere, which ends the question's range there.
  Answer ask(Question &Q, BlockWalkMaker Walks, ProfileBlocks &Blocks,
             bool Together, ProfileGate Gate = {},
             ProfileBlocks *GateBlocks = nullptr) {
    ProfileRequest R;
    R.Metrics = Q.Metrics;
    R.From = Q.From;
    R.To = Q.To;
    R.Threads = Q.Threads;
    R.ThreadsTogether = Together;
    std::vector<std::string> Selected(Q.Selected.begin(), Q.Selected.end());
    auto RoleOf = [&](const std::string &Name) {
      BlockRole Role;
      for (size_t I = 0; I < Selected.size(); ++I)
        Role.Selected |= uint64_t(Selected[I] == Name) << I;
      Role.Excluded = Q.Excluded.count(Name);
      Role.Folded = Q.Folded.count(Name);
      return Role;
    };
    R.RoleOf = [&](ProfileBlockId X) { return RoleOf(Blocks[X].Name); };
    if (GateBlocks) {
      Gate.RoleOf = [&](ProfileBlockId X) {
        return RoleOf(gateName((*GateBlocks)[X].Name));
      };
      R.Gates.push_back(std::move(Gate));
    }
    ContextProfile P(unsigned(Q.Metrics.size()), ContextTree::Rule::EdgeOnce,
                     (uint64_t(1) << Selected.size()) - 1);
    R.Stretch = 1 + Random() % 100;
    uint64_t Steps = Random() % 3 ? ~uint64_t(0) : Random() % 30;
    Watch Stopping;
    Stopping.Interrupted = [&] { return Steps-- == 0; };
    auto Reached = sweepProfile(*Store, R, Walks, Stopping, P);
    if (!Reached) {
      ADD_FAILURE() << llvm::toString(Reached.takeError());
      return {};
    }
    EXPECT_LE(*Reached, std::max(Q.From, Q.To));
    EXPECT_TRUE(*Reached == Q.To || Steps == ~uint64_t(0));
    Q.To = *Reached;
    Answer A;
    A.Total = P.total().vec();
    size_t K = Q.Metrics.size();
    auto Add = [&](auto &To, auto Key, llvm::ArrayRef<uint64_t> C) {
      if (llvm::all_of(C, [](uint64_t V) { return V == 0; }))
        return;
      Costs &Sum = To[Key];
      Sum.resize(K);
      for (size_t M = 0; M < K; ++M)
        Sum[M] += C[M];
    };
    std::vector<uint64_t> Self = P.selfOfBlocks();
    for (ProfileBlockId X = 0; X < P.numBlocks(); ++X) {
      if (!P.ofBlock(X).Count)
        continue;
      Add(A.Self, Blocks[X].Name, llvm::ArrayRef(Self).slice(X * K, K));
      Add(A.Dominated, Blocks[X].Name, P.dominated(X));
    }
    for (size_t I = 0; I < P.tree().edges().size(); ++I) {
      auto [From, To] = P.tree().edges()[I];
      Add(A.Over,
          std::pair(From == NoProfileBlock ? "" : Blocks[From].Name,
                    Blocks[To].Name),
          P.over(ContextTree::EdgeId(I)));
    }
    return A;
  }

  void expectSame(const Answer &Ours, const Answer &True) {
    EXPECT_EQ(Ours.Total, True.Total);
    EXPECT_EQ(Ours.Self, True.Self);
    EXPECT_EQ(Ours.Dominated, True.Dominated);
    EXPECT_EQ(Ours.Over, True.Over);
  }

  llvm::SmallString<128> Folder;
  std::mt19937 Random;
  std::vector<True> All;
  std::unique_ptr<TraceStore> Store;
  std::unique_ptr<CallIndex> Index;
};

TEST_F(ProfileSweepTest, Functions) {
  for (unsigned Seed = 0; Seed < 24; ++Seed) {
    SCOPED_TRACE("seed " + std::to_string(Seed));
    make(Seed, 1 + Seed % 3, 200 + 50 * (Seed % 30));
    Names Symbols;
    CallQuery Query(*Store, *Index, Symbols);
    for (unsigned N = 0; N < 8; ++N) {
      Question Q = question(N % 2);
      FunctionBlocks Blocks(Symbols);
      Answer Ours = ask(
          Q,
          [&](ThreadIndex T, Position From, Position To,
              BlockWalk::Listener &L) {
            return walkFunctions(Query, Blocks, T, From, To, L);
          },
          Blocks, N % 3 == 0);
      expectSame(Ours, bruteForce(All, Q, &True::Functions));
    }
    if (HasFailure())
      return;
  }
}

TEST_F(ProfileSweepTest, Lines) {
  for (unsigned Seed = 0; Seed < 24; ++Seed) {
    SCOPED_TRACE("seed " + std::to_string(Seed));
    make(1000 + Seed, 1 + Seed % 3, 200 + 50 * (Seed % 30));
    Names Symbols;
    CallQuery Query(*Store, *Index, Symbols);
    Lines Code;
    for (unsigned N = 0; N < 8; ++N) {
      Question Q = question(false);
      LineBlocks Blocks(Code, N % 2);
      Answer Ours = ask(
          Q,
          [&](ThreadIndex T, Position From, Position To,
              BlockWalk::Listener &L) {
            return walkLines(Query, Blocks, T, From, To, L);
          },
          Blocks, false);
      expectSame(Ours, bruteForce(All, Q, &True::LinesOf));
    }
    if (HasFailure())
      return;
  }
}

/// Functions select and exclude lines, and lines functions. In the model, one
/// stack with the other below it, all of which is folded.
TEST_F(ProfileSweepTest, Gates) {
  for (unsigned Seed = 0; Seed < 24; ++Seed) {
    SCOPED_TRACE("seed " + std::to_string(Seed));
    make(3000 + Seed, 1 + Seed % 3, 200 + 50 * (Seed % 30));
    Names Symbols;
    CallQuery Query(*Store, *Index, Symbols);
    Lines Code;
    for (unsigned N = 0; N < 12; ++N) {
      bool ByLines = N % 3 != 2;
      FunctionBlocks Functions(Symbols);
      LineBlocks OfLines(Code, false);
      auto WalkFunctions = [&](ThreadIndex T, Position From, Position To,
                               BlockWalk::Listener &L) {
        return walkFunctions(Query, Functions, T, From, To, L);
      };
      auto WalkLines = [&](ThreadIndex T, Position From, Position To,
                           BlockWalk::Listener &L) {
        return walkLines(Query, OfLines, T, From, To, L);
      };
      bool Same = N % 3 == 1; // functions by functions: instructions not read
      Question Q = question(false);
      auto Below = ByLines ? &True::Functions : &True::LinesOf;
      auto Above = ByLines && !Same ? &True::LinesOf : &True::Functions;
      for (True &T : All) {
        T.Gated.clear();
        for (const std::string &Name : T.*Below) {
          T.Gated.push_back(gateName(Name));
          Q.Folded.insert(T.Gated.back());
        }
        llvm::append_range(T.Gated, T.*Above);
      }
      auto Any = [&] { return All[Random() % All.size()].Gated.front(); };
      auto Deep = [&] {
        const True &T = All[Random() % All.size()];
        return gateName((T.*Below)[Random() % (T.*Below).size()]);
      };
      if (N % 4 != 1)
        Q.Selected.insert(Deep());
      if (N % 4 == 2)
        Q.Selected.insert(Any());
      if (N % 2)
        Q.Excluded.insert(Deep());
      Answer Ours = Same      ? ask(Q, WalkFunctions, Functions, false,
                                    {WalkFunctions, {}}, &Functions)
                    : ByLines ? ask(Q, WalkLines, OfLines, false,
                                    {WalkFunctions, {}}, &Functions)
                              : ask(Q, WalkFunctions, Functions, N % 2,
                                    {WalkLines, {}}, &OfLines);
      expectSame(Ours, bruteForce(All, Q, &True::Gated));
    }
    if (HasFailure())
      return;
  }
}

/// Every instruction is looked up in the layers by its place.
TEST_F(ProfileSweepTest, HtrBlocks) {
  class Numbers final : public ProfileBlocks {
    const ProfileBlock &operator[](ProfileBlockId B) override {
      Known[B].Name = std::to_string(B);
      return Known[B];
    }
    std::map<ProfileBlockId, ProfileBlock> Known;
  };
  for (unsigned Seed = 0; Seed < 16; ++Seed) {
    SCOPED_TRACE("seed " + std::to_string(Seed));
    make(2000 + Seed, 1 + Seed % 3, 500 + 200 * (Seed % 10));
    htr::RunOptions Options;
    Options.Pipeline = Seed % 2 ? "functions,bsb,loops" : "bsb,grammar";
    auto Run = htr::runPasses(*Store, Options);
    ASSERT_TRUE(bool(Run)) << llvm::toString(Run.takeError());
    auto File = htr::openInMemory(*Run);
    ASSERT_TRUE(bool(File)) << llvm::toString(File.takeError());
    const htr::HtrFile &H = **File;
    unsigned Layer = 1 + Random() % (H.numLayers() - 1);
    std::vector<std::vector<std::string>> Stacks;
    for (True &T : All) {
      htr::UnitRange R = H.sequence(Layer, T.Thread);
      uint64_t Offset = T.Pos;
      T.Functions.clear();
      for (;;) {
        htr::UnitAt U = H.unitAt(R, Offset % H.offsetOf(R, R.size()));
        if (H.kind(U.Id) == htr::BlockKind::Instruction)
          break;
        Offset = Offset % H.offsetOf(R, R.size()) - U.Offset;
        T.Functions.push_back(std::to_string(U.Id));
        R = H.parts(U.Id, Layer);
      }
    }
    for (unsigned N = 0; N < 6; ++N) {
      Question Q = question(false);
      llvm::erase(Q.Metrics, Metric::Calls);
      if (Q.Metrics.empty())
        Q.Metrics = {Metric::Instructions};
      Numbers Blocks;
      Answer Ours = ask(
          Q,
          [&](ThreadIndex T, Position From, Position To,
              BlockWalk::Listener &L) {
            return walkHtr(H, Layer, T, From, To, L);
          },
          Blocks, N % 2);
      expectSame(Ours, bruteForce(All, Q, &True::Functions));
    }
    if (HasFailure())
      return;
  }
}

} // namespace
