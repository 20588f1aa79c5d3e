//===- FindTest.cpp - What rewind find finds ------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyTrace.h"
#include "core/store/TraceStore.h"
#include "test/unit/support/NaiveModel.h"
#include "test/unit/support/RandomTrace.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include <cstdlib>
#include <map>

using namespace rw;
using namespace llvm;

namespace {

class FindTest : public TinyTrace {
protected:
  /// Moments of what is found.
  std::vector<Moment> found(std::vector<StringRef> Words) {
    Words.push_back("--json");
    const std::string Text = run(Words);
    auto Parsed = json::parse(Text);
    std::vector<Moment> Found;
    if (!Parsed) {
      ADD_FAILURE() << toString(Parsed.takeError()) << " in " << Text;
      return Found;
    }
    if (StringRef(Text).starts_with("{") &&
        Parsed->getAsObject()->getArray("items"))
      for (const json::Value &V : *Parsed->getAsObject()->getArray("items")) {
        const json::Object &O = *V.getAsObject();
        Found.push_back(
            cantFail(Store->momentOf(ThreadIndex(*O.getInteger("thread") - 1),
                                     Position(*O.getInteger("position")))));
      }
    else
      ADD_FAILURE() << Text;
    return Found;
  }
  /// A random trace, of which \p Model knows everything, and its store.
  bool make(const TraceKnobs &Knobs, unsigned Seed, NaiveModel &Model);
  void ask(const NaiveModel &Model, unsigned Seed, unsigned Questions,
           const std::string &Of);
};

/// What is asked for.
struct Asked {
  uint64_t Value = 0;
  std::optional<uint64_t> Size;
  bool Registers = true, Memory = true;
  const RegisterInfo *In = nullptr; ///< of the first thread
  uint64_t From = 0, Bytes = 0;     ///< a range, if it has bytes
};

/// The naive way: the whole state before and after each instruction.
class NaiveFinder {
public:
  NaiveFinder(const NaiveModel &Model, unsigned Lanes)
      : Model(Model), Lanes(Lanes) {}

  bool gives(Moment M, const Asked &A) {
    const Instruction I = Model.instruction(M);
    bool Does = false;
    if (A.Registers)
      for (const RegItem &R : I.Regs)
        if (!(R.Flags & RegItem::NotWritten))
          Does |= registerBecame(R, M, A);
    if (!A.Memory)
      return Does;
    const auto S = int64_t(A.Value);
    const uint64_t N =
        A.Size.value_or(S == int32_t(S) || A.Value <= 0xffffffff ? 4 : 8);
    for (const MemAccess &Access : I.Mems)
      if (Access.isWrite())
        for (size_t B = 0; B < Access.Bytes.size(); ++B) {
          const uint64_t At = Access.Addr + B;
          const uint64_t Word = At - (At - A.From) % N;
          if (A.Bytes && (Word < A.From || Word - A.From + N > A.Bytes))
            continue;
          Does |=
              wordIs(Word, N, A.Value, M + 1) && !wordIs(Word, N, A.Value, M);
        }
    return Does;
  }

private:
  std::optional<uint64_t> bytes(ThreadIndex T, RegisterSlice Slice, Moment M) {
    auto [It, New] = States.try_emplace({M, T});
    if (New)
      It->second = Model.registersAt(T, M, Lanes);
    uint8_t Bytes[8] = {};
    if (!It->second.read(Slice, Bytes))
      return std::nullopt;
    uint64_t V;
    std::memcpy(&V, Bytes, 8);
    return V;
  }
  bool registerBecame(const RegItem &R, Moment M, const Asked &A) {
    RegisterSlice Slice{R.Lane, 0, uint16_t(A.Size.value_or(8))};
    if (A.In) {
      if (R.Thread || R.Lane != A.In->Slice.Lane + A.In->Slice.Offset / 8)
        return false;
      Slice = A.In->Slice;
      if (A.Size)
        Slice.Size = uint16_t(*A.Size);
    }
    auto New = bytes(R.Thread, Slice, M + 1), Old = bytes(R.Thread, Slice, M);
    const bool Natural = !A.Size && !A.In;
    uint64_t Value = A.Value;
    if (Slice.Size < 8)
      Value &= (uint64_t(1) << 8 * Slice.Size) - 1;
    // A negative int may be in a register in its own size, without its sign.
    bool Is = New && (*New == Value || (Natural && Value >> 32 == 0xffffffff &&
                                        *New == (Value & 0xffffffff)));
    return Is && Old != New;
  }
  bool wordIs(uint64_t Addr, uint64_t N, uint64_t Value, Moment M) {
    auto [It, New] = Words.try_emplace({M, Addr, N});
    if (New) {
      const auto Bytes = Model.memoryAt(M, Addr, N);
      const bool Big = Model.header().Order == ByteOrder::Big;
      It->second = 0;
      for (uint64_t I = 0; I < N; ++I) {
        if (!Bytes[I].Known) {
          It->second.reset();
          break;
        }
        *It->second |= uint64_t(Bytes[I].Value) << 8 * (Big ? N - 1 - I : I);
      }
    }
    return It->second ==
           (N == 8 ? Value : Value & ((uint64_t(1) << 8 * N) - 1));
  }

  const NaiveModel &Model;
  const unsigned Lanes;
  std::map<std::pair<Moment, ThreadIndex>, RegisterState> States;
  std::map<std::tuple<Moment, uint64_t, uint64_t>, std::optional<uint64_t>>
      Words;
};

} // namespace

bool FindTest::make(const TraceKnobs &Knobs, unsigned Seed, NaiveModel &Model) {
  RandomTrace T(Knobs, Seed);
  BatchCut Cut;
  Cut.Seed = Seed;
  cantFail(T.feed(Model, Cut));
  SourceStamp Stamp;
  Stamp.Path = path("tiny.tarmac");
  const std::string Name = path("find" + std::to_string(Seed));
  cantFail(T.feed(*cantFail(StoreBuilder::create(Name, Stamp, {})), Cut));
  Store = cantFail(TraceStore::open(Name));
  return Model.numInstructions() && Store->header().Can.Registers &&
         Store->header().Can.MemValues;
}

void FindTest::ask(const NaiveModel &Model, unsigned Seed, unsigned Questions,
                   const std::string &Of) {
  NaiveFinder Naive(Model, Store->registerFile().numLanes());
  Rng R(Seed);
  for (unsigned Q = 0; Q < Questions; ++Q) {
    // Mostly a value that occurs.
    const Instruction I = Model.instruction(R.below(Model.numInstructions()));
    Asked A;
    A.Value = R.below(4);
    if (R.chance(0.6))
      A.Size = uint64_t(1) << R.below(4);
    if (!I.Regs.empty() && R.chance(0.5))
      A.Value = I.Regs[R.below(I.Regs.size())].Value;
    else if (!I.Mems.empty())
      for (size_t B = 0; B < std::min<size_t>(8, I.Mems[0].Bytes.size()); ++B)
        A.Value = A.Value << 8 | I.Mems[0].Bytes[B];
    if (A.Size && *A.Size < 8)
      A.Value &= (uint64_t(1) << 8 * *A.Size) - 1;
    std::string In;
    if (!I.Mems.empty() && R.chance(0.2)) {
      const uint64_t Wide = uint64_t(1) << R.between(0, 15);
      A.From = I.Mems[0].Addr - std::min(I.Mems[0].Addr, R.below(Wide));
      A.Bytes = std::min(Wide + R.below(9), ~A.From);
      A.Registers = false;
      In = "0x" + utohexstr(A.From) + "..0x" + utohexstr(A.From + A.Bytes);
      if (!A.Bytes)
        continue;
    } else if (!I.Regs.empty() && R.chance(0.3)) {
      // A name may be an alias of another register.
      for (const RegisterInfo &R2 : Store->registerFile().registers())
        if (!R2.IsPC && R2.Slice.Lane == I.Regs[0].Lane && R.chance(0.7))
          A.In = Store->registerFile().find(R2.Name);
      if (A.In && A.In->Slice.Size > 8)
        continue;
      if (!A.In || (A.Size && *A.Size > A.In->Slice.Size))
        continue;
      A.Memory = false;
      In = A.In->Name;
    } else {
      A.Registers = R.chance(0.7);
      A.Memory = !A.Registers || R.chance(0.5);
      In = !A.Memory ? "reg" : !A.Registers ? "mem" : "";
    }
    const std::string Text = "0x" + utohexstr(A.Value),
                      SizeText = std::to_string(A.Size.value_or(0));
    std::vector<StringRef> Words{"find", "value", Text};
    if (A.Size)
      Words.insert(Words.end(), {"--size", SizeText});
    if (!In.empty())
      Words.insert(Words.end(), {"--in", In});
    // A range of the size of a number is one.
    if (!A.Size && A.Bytes && A.Bytes <= 8 && isPowerOf2_64(A.Bytes))
      A.Size = A.Bytes;
    std::vector<Moment> Expected;
    for (Moment M = 0; M < Model.numInstructions(); ++M)
      if (Naive.gives(M, A))
        Expected.push_back(M);
    auto With = [&](std::vector<StringRef> More) {
      More.insert(More.begin(), Words.begin(), Words.end());
      return found(More);
    };
    ASSERT_EQ(With({"--all"}), Expected)
        << "seed " << Seed << ": " << join(Words, " ") << "\n"
        << Of;
    ASSERT_EQ(With({"--last"}), Expected.empty()
                                    ? Expected
                                    : std::vector<Moment>{Expected.back()})
        << "seed " << Seed << ": " << join(Words, " ");
    if (Expected.empty())
      continue;
    const uint64_t Nth = R.below(Expected.size());
    const std::string NthText = std::to_string(Nth + 1);
    ASSERT_EQ(With({"--nth", NthText}), std::vector<Moment>{Expected[Nth]})
        << "seed " << Seed << ": " << join(Words, " ");
    // From the last one back.
    const std::string FromLast = std::to_string(Expected.size() - Nth);
    ASSERT_EQ(With({"--last", "--nth", FromLast}),
              std::vector<Moment>{Expected[Nth]})
        << "seed " << Seed << ": " << join(Words, " ");
  }
}

static unsigned times() {
  const char *Factor = std::getenv("REWIND_TEST_SEEDS");
  return unsigned(Factor ? std::max(1, std::atoi(Factor)) : 1);
}

/// 10,000 questions. REWIND_TEST_SEEDS multiplies the number of traces.
TEST_F(FindTest, ValuesAsANaiveScanFindsThem) {
  InDebugger = false;
  for (unsigned Seed = 1; Seed <= 400 * times(); ++Seed) {
    TraceKnobs Knobs = randomKnobs(Seed, /*Length=*/120);
    Knobs.WrapAround = 0;
    NaiveModel Model;
    if (make(Knobs, Seed, Model))
      ask(Model, Seed, 35, Knobs.describe());
    if (HasFatalFailure())
      return;
  }
}

/// Registers go on from block to block, and where there are many answers the
/// index is no longer asked.
TEST_F(FindTest, ValuesInTracesOfSeveralBlocks) {
  InDebugger = false;
  for (unsigned Seed = 1; Seed <= 6 * times(); ++Seed) {
    TraceKnobs Knobs = randomKnobs(Seed + 1000, /*Length=*/2500);
    Knobs.WrapAround = 0;
    Knobs.HeapBytes = std::min<uint64_t>(Knobs.HeapBytes, 1 << 12);
    NaiveModel Model;
    if (make(Knobs, Seed, Model))
      ask(Model, Seed, 20, Knobs.describe());
    if (HasFatalFailure())
      return;
  }
}

TEST_F(FindTest, WhatIsAskedWrongly) {
  InDebugger = false;
  auto Says = [&](std::vector<StringRef> Words, StringRef Error) {
    EXPECT_EQ(StringRef(run(Words)).take_front(7 + Error.size()),
              "error: " + Error.str())
        << join(Words, " ");
  };
  Says({"find", "value", "abc"}, "'abc' is no value");
  Says({"find", "value", "5", "--size", "3"}, "--size of a value is");
  Says({"find", "value", "256", "--size", "1"}, "'256' does not fit into 1");
  Says({"find", "0x1000", "--in", "reg"}, "--in is for 'find value'");
  Says({"find", "opcode", "xyz"}, "'xyz' is no opcode");
  Says({"find", "syscall", "opnat"}, "there is no system call 'opnat'");
  Says({"find", "0x1000", "--nth", "0"}, "--nth counts from 1");
  Says({"find", "0x1000", "--first", "--last"}, "only one of");
  Says({"find", "0x1000", "--kind", "irq"}, "--kind is for");
  Says({"find", "exception", "irq"}, "'find exception' takes no more words");
}
