//===- FindTest.cpp - What rewind find finds ------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyTrace.h"
#include "commands/support/Location.h"
#include "commands/support/Session.h"
#include "core/store/TraceStore.h"
#include "test/unit/support/NaiveModel.h"
#include "test/unit/support/RandomTrace.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"
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
  void askTyped(const NaiveModel &Model, unsigned Seed, unsigned Questions);
};

/// Knows one variable, whatever it is just now.
struct OneVariable final : ExpressionSource {
  Location Its;
  Expected<Location> locate(StringRef Text, rw::Place) override {
    if (Text != "it")
      return createStringError("use of undeclared identifier '" + Text + "'");
    Location L = Its;
    L.Text = Text.str();
    return L;
  }
  Expected<Evaluated> evaluate(StringRef, rw::Place, ValueStyle) override {
    return createStringError("it has no value");
  }
  Expected<std::optional<int64_t>> enumerator(StringRef Name,
                                              rw::Place) override {
    return Name == "OPEN" ? std::optional<int64_t>(5) : std::nullopt;
  }
  std::vector<std::string> variables(rw::Place) override { return {}; }
  std::optional<Object> objectAt(uint64_t) override { return std::nullopt; }
};

static TypeRef typeOf(TypeKind Kind, uint64_t Size, StringRef Name) {
  auto T = std::make_shared<Type>();
  T->Kind = Kind;
  T->Size = Size;
  T->Name = Name.str();
  T->Signed = Kind == TypeKind::Signed;
  T->Float = Size == 4 ? FloatKind::Single : FloatKind::Double;
  if (Kind == TypeKind::Enum)
    T->Enumerators = {{"ns::CLOSED", 0}, {"ns::OPEN", 2}};
  return T;
}

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
    const uint64_t N = A.Size.value_or(isInt(A.Value) ? 4 : 8);
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
  static bool isInt(uint64_t Value) {
    const auto S = int64_t(Value);
    return S == int32_t(S) || Value <= 0xffffffff;
  }
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
    const bool IsWord =
        Model.header().Architecture == Arch::Arm && isInt(A.Value);
    RegisterSlice Slice{R.Lane, 0, uint16_t(A.Size.value_or(IsWord ? 4 : 8))};
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
    // A place may be smaller than the number: that is refused.
    const uint64_t Place = A.In ? A.In->Slice.Size : A.Bytes ? A.Bytes : 8;
    if (!A.Size && Place < 8)
      A.Value &= (uint64_t(1) << 8 * Place) - 1;
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

/// Variables of memory: whole ones by their values in their types, and some
/// bits of their bytes.
void FindTest::askTyped(const NaiveModel &Model, unsigned Seed,
                        unsigned Questions) {
  OneVariable Variable;
  Expressions = &Variable;
  const bool Big = Model.header().Order == ByteOrder::Big;
  Rng R(Seed);
  for (unsigned Q = 0; Q < Questions; ++Q) {
    const Instruction I = Model.instruction(R.below(Model.numInstructions()));
    if (I.Mems.empty())
      continue;
    const uint64_t Size = uint64_t(1) << R.below(4);
    Location &L = Variable.Its = Location();
    L.Addr = I.Mems[0].Addr;
    L.Size = Size;
    if (L.Addr + Size < L.Addr)
      continue;
    auto Value = [&](Moment M) -> std::optional<uint64_t> {
      const auto Bytes = Model.memoryAt(M, L.Addr, Size);
      uint64_t N = 0;
      for (uint64_t B = 0; B < Size; ++B) {
        const unsigned At = unsigned(8 * (Big ? Size - 1 - B : B));
        const uint64_t Counts =
            L.FieldWidth ? maskTrailingOnes<uint64_t>(L.FieldWidth) << L.FieldLo
                         : ~uint64_t(0);
        if (!(Counts >> At & 0xff))
          continue;
        if (!Bytes[B].Known)
          return std::nullopt;
        N |= uint64_t(Bytes[B].Value) << At;
      }
      return L.FieldWidth
                 ? N >> L.FieldLo & maskTrailingOnes<uint64_t>(L.FieldWidth)
                 : N;
    };
    unsigned Bits = unsigned(8 * Size);
    const bool Field = R.chance(0.5), Real = !Field && Size >= 4;
    if (Field) {
      L.FieldLo = unsigned(R.below(Bits));
      L.FieldWidth = unsigned(R.between(1, Bits - L.FieldLo));
      Bits = L.FieldWidth;
    }
    const bool Signed = !Real && R.chance(0.5);
    L.Type = typeOf(Real     ? TypeKind::Float
                    : Signed ? TypeKind::Signed
                             : TypeKind::Unsigned,
                    Size, "kind");
    // A value that it has somewhere.
    const auto Has = Value(R.below(Model.numInstructions() + 1));
    const uint64_t Wanted =
        Has ? *Has : R.below(4) & maskTrailingOnes<uint64_t>(Bits);
    std::string Text = Signed && Bits < 64
                           ? std::to_string(SignExtend64(Wanted, Bits))
                       : Signed ? std::to_string(int64_t(Wanted))
                                : std::to_string(Wanted);
    if (Real) {
      raw_string_ostream OS(Text = "");
      if (Size == 4)
        OS << llvm::format("%.9e", double(bit_cast<float>(uint32_t(Wanted))));
      else
        OS << llvm::format("%.17e", bit_cast<double>(Wanted));
      // A nan is many numbers.
      if (StringRef(Text).contains("nan"))
        continue;
    }
    std::vector<Moment> Expected;
    for (Moment M = 0; M < Model.numInstructions(); ++M)
      if (Value(M + 1) == Wanted && Value(M) != Wanted &&
          any_of(Model.instruction(M).Mems, [&](const MemAccess &A) {
            return A.isWrite() && A.Addr < L.Addr + Size &&
                   A.Addr + A.Bytes.size() > L.Addr;
          }))
        Expected.push_back(M);
    const std::string Of =
        "seed " + std::to_string(Seed) + ": " + Text + " in " +
        std::to_string(L.Addr) + " bits " + std::to_string(L.FieldLo) + "+" +
        std::to_string(L.FieldWidth) + " of " + std::to_string(Size) + " bytes";
    ASSERT_EQ(found({"find", "value", Text, "--in", "it", "--all"}), Expected)
        << Of;
    ASSERT_EQ(found({"find", "value", Text, "--in", "it", "--last"}),
              Expected.empty() ? Expected
                               : std::vector<Moment>{Expected.back()})
        << Of;
  }
  Expressions = nullptr;
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

TEST_F(FindTest, VariablesAndBitFields) {
  InDebugger = false;
  for (unsigned Seed = 1; Seed <= 150 * times(); ++Seed) {
    TraceKnobs Knobs = randomKnobs(Seed + 2000, /*Length=*/120);
    Knobs.WrapAround = 0;
    NaiveModel Model;
    if (make(Knobs, Seed, Model))
      askTyped(Model, Seed, 20);
    if (HasFatalFailure())
      return;
  }
}

/// A number with a fraction is found as a float and as a double.
TEST_F(FindTest, FloatsOfEitherSize) {
  InDebugger = false;
  for (unsigned Seed = 1; Seed <= 60; ++Seed) {
    TraceKnobs Knobs = randomKnobs(Seed + 3000, /*Length=*/120);
    Knobs.WrapAround = 0;
    NaiveModel Model;
    if (!make(Knobs, Seed, Model))
      continue;
    for (double V : {0.0, 1.5, -0.25}) {
      std::string Text;
      raw_string_ostream(Text) << llvm::format("%.2f", V);
      const std::string Single = "0x" + utohexstr(bit_cast<uint32_t>(float(V)));
      const std::string Double = "0x" + utohexstr(bit_cast<uint64_t>(V));
      auto Both = found({"find", "value", Single, "--size", "4", "--all"});
      append_range(Both,
                   found({"find", "value", Double, "--size", "8", "--all"}));
      llvm::sort(Both);
      Both.erase(std::unique(Both.begin(), Both.end()), Both.end());
      ASSERT_EQ(found({"find", "value", Text, "--all"}), Both)
          << "seed " << Seed << ": " << Text;
      std::vector<Moment> Back;
      for (size_t N = 1; N <= Both.size() && N < 20; ++N) {
        const std::string Nth = std::to_string(N);
        ASSERT_EQ(found({"find", "value", Text, "--last", "--nth", Nth}),
                  std::vector<Moment>{Both[Both.size() - N]});
      }
    }
  }
}

TEST_F(FindTest, ValuesThatTypesDoNotHave) {
  InDebugger = false;
  OneVariable Variable;
  Expressions = &Variable;
  Variable.Its.Addr = 0x8000;
  auto Says = [&](TypeKind Kind, uint64_t Size, StringRef Value,
                  StringRef Wanted) {
    Variable.Its.Type = typeOf(Kind, Size, "kind");
    Variable.Its.Size = Size;
    EXPECT_EQ(StringRef(run({"find", "value", Value, "--in", "it", "--all"}))
                  .take_front(Wanted.size()),
              Wanted)
        << Value.str();
  };
  Says(TypeKind::Signed, 1, "200", "error: '200' does not fit into kind");
  Says(TypeKind::Signed, 1, "0xc8", "-- 0 instructions");
  Says(TypeKind::Signed, 1, "-129", "error: '-129' does not fit into kind");
  Says(TypeKind::Unsigned, 1, "200", "-- 0 instructions");
  Says(TypeKind::Unsigned, 1, "256", "error: '256' does not fit into kind");
  Says(TypeKind::Unsigned, 4, "1.5", "error: '1.5' is no value of it, which");
  Says(TypeKind::Bool, 1, "true", "-- 0 instructions");
  Says(TypeKind::Bool, 1, "2", "error: '2' does not fit into kind");
  Says(TypeKind::Enum, 4, "OPEN", "-- 0 instructions");
  Says(
      TypeKind::Enum, 4, "AJAR",
      "error: 'AJAR' is no value of type kind, which has ns::CLOSED, ns::OPEN");
  Says(TypeKind::Float, 4, "1e300", "error: '1e300' does not fit into a float");
  Says(TypeKind::Float, 8, "42", "-- 0 instructions");
  Says(TypeKind::Float, 8, "nan", "error: 'nan' is many values");
  Says(TypeKind::Float, 16, "1.5", "error: --in: it is of type kind, of 16");
  Says(TypeKind::Char, 1, "'\\n'", "-- 0 instructions");
  Says(TypeKind::Unsigned, 4, "OPEN", "-- 0 instructions");
  Says(TypeKind::Unsigned, 4, "SHUT",
       "error: 'SHUT' is no value, such as 42, -471, 0x6c00000067, 1.5, "
       "\"'x'\", "
       "and no enumerator of the program");
  Variable.Its.FieldLo = 2;
  Variable.Its.FieldWidth = 3;
  Says(TypeKind::Unsigned, 1, "7", "-- 0 instructions");
  Says(TypeKind::Unsigned, 1, "8", "error: '8' does not fit into 3 bits of");
  Says(TypeKind::Signed, 1, "-4", "-- 0 instructions");
  Says(TypeKind::Signed, 1, "4", "error: '4' does not fit into 3 bits of");
  Says(TypeKind::Unsigned, 1, "1.5", "error: '1.5' is no value of it");
  Expressions = nullptr;
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
