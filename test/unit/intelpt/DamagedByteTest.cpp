//===- DamagedByteTest.cpp - One wrong byte is never silent ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wrong byte costs at most what is between the sync points around it, and
// what it changes comes after a gap or a mark. But packets may be wrong and fit
// the code all the same (another way through an "if"): then nobody can tell.
// What is told then must be such a way, complete from sync point to sync point.
//
//===----------------------------------------------------------------------===//

#include "Bundles.h"
#include "Synth.h"
#include "core/arch/X86Decoder.h"

using namespace llvm;

namespace rw::intelpt {

namespace {
class Damaged {
public:
  /// \p Good has one buffer.
  explicit Damaged(const Recording &Good) : Good(Good) {
    Trace T;
    decode(Good, 0, T);
    EXPECT_EQ(T.Header.NumMalformed, 0u);
    Truth = T.PCs[0];
    for (const EventItem &E : T.Events)
      if (E.Kind == EventKind::SyncPoint)
        Syncs.push_back({size_t(E.Value), E.Before});
  }

  void check(size_t Byte, uint8_t Value) {
    SCOPED_TRACE("byte " + std::to_string(Byte) + " is " +
                 std::to_string(Value));
    if (Syncs.size() > 8 && Number % 100)
      return checkPart(Byte, Value);
    Recording R = Good;
    R.Buffers[0].Bytes[Byte] = Value;
    ReaderOptions Options;
    Options.Threads = 1;
    T = Trace();
    if (Error E = makeReader(std::move(R), Options)->read(T)) {
      ASSERT_EQ(Syncs.size(), 1u) << toString(std::move(E));
      consumeError(std::move(E)); // nothing is left to begin with
      ++Number;
      ++Marked;
      return;
    }
    const std::vector<uint64_t> &Got = T.PCs[0];
    auto After = llvm::partition_point(
        Syncs, [&](const Sync &S) { return S.Offset <= Byte; });
    // What a sync point says is of what is before it, too.
    auto Before = std::prev(After);
    if (Byte < Before->Offset + PsbPlus && Before != Syncs.begin())
      --Before;
    size_t Begin = Before->PCs,
           Tail = After == Syncs.end() ? 0 : Truth.size() - After->PCs;
    ASSERT_GE(Got.size(), Begin + Tail) << events();
    size_t End = Got.size() - Tail;
    size_t Same =
        size_t(std::mismatch(Got.begin(), Got.end(), Truth.begin(), Truth.end())
                   .first -
               Got.begin());
    ASSERT_GE(Same, Begin) << "lost what is before" << events();
    ASSERT_TRUE(std::equal(Got.begin() + End, Got.end(), Truth.end() - Tail))
        << "lost what is after" << events();
    ++Number;
    if (Got == Truth) {
      ++Unharmed;
      return;
    }
    if (marked(Begin, Same)) {
      ++Marked;
      return;
    }
    size_t Stop = After == Syncs.end() ? End : End + 1;
    for (size_t I = std::max<size_t>(Begin, 1); I < Stop && I < Got.size(); ++I)
      ASSERT_TRUE(follows(I)) << "lost silently before #" << I << events();
  }

  size_t numBytes() const { return Good.Buffers[0].Bytes.size(); }
  uint8_t byte(size_t I) const { return Good.Buffers[0].Bytes[I]; }

  std::vector<uint64_t> Truth;
  struct Sync {
    size_t Offset = 0;
    size_t PCs = 0; ///< before it
  };
  std::vector<Sync> Syncs;
  size_t Number = 0, Unharmed = 0, Marked = 0;

private:
  static constexpr size_t PsbPlus = 48;

  /// In a recording of some sync points around the byte: the others take their
  /// time and know nothing of it.
  void checkPart(size_t Byte, uint8_t Value) {
    size_t After =
        size_t(llvm::partition_point(
                   Syncs, [&](const Sync &S) { return S.Offset <= Byte; }) -
               Syncs.begin());
    size_t From = After < 3 ? 0 : After - 3;
    size_t Begin = Syncs[From].Offset, End = After + 3 < Syncs.size()
                                                 ? Syncs[After + 3].Offset
                                                 : numBytes();
    std::unique_ptr<Damaged> &Part = Parts[After];
    if (!Part) {
      Recording R = Good;
      auto &Bytes = R.Buffers[0].Bytes;
      Bytes.assign(Good.Buffers[0].Bytes.begin() + Begin,
                   Good.Buffers[0].Bytes.begin() + End);
      Part = std::make_unique<Damaged>(R);
      ASSERT_LE(Syncs[From].PCs + Part->Truth.size(), Truth.size());
      ASSERT_TRUE(std::equal(Part->Truth.begin(), Part->Truth.end(),
                             Truth.begin() + Syncs[From].PCs));
    }
    Part->Number = Part->Unharmed = Part->Marked = 0;
    Part->check(Byte - Begin, Value);
    Number += Part->Number;
    Unharmed += Part->Unharmed;
    Marked += Part->Marked;
  }

  std::string events() const {
    std::string Text = "\n";
    for (const EventItem &E : T.Events)
      if (E.Kind == EventKind::Gap || E.Kind == EventKind::Error ||
          E.Kind == EventKind::SyncPoint)
        Text += std::to_string(E.Before) + " " + E.Text + "\n";
    return Text;
  }
  bool marked(size_t Begin, size_t End) const {
    return llvm::any_of(T.Events, [&](const EventItem &E) {
      return (E.Kind == EventKind::Gap || E.Kind == EventKind::Error) &&
             E.Before >= Begin && E.Before <= End;
    });
  }
  bool interrupted(size_t At) const {
    return llvm::any_of(T.Events, [&](const EventItem &E) {
      return E.Before == At && E.Kind <= EventKind::Pause;
    });
  }
  ArrayRef<uint8_t> codeAt(uint64_t Address) const {
    for (const CodeRange &R : T.Header.Code)
      if (Address >= R.Address && Address - R.Address < R.Bytes.size())
        return ArrayRef(R.Bytes).drop_front(Address - R.Address);
    return {};
  }
  /// Whether \p At can be what ran after the one before.
  bool follows(size_t At) {
    uint64_t From = T.PCs[0][At - 1], To = T.PCs[0][At];
    X86Insn I = Decoder.decode(codeAt(From));
    uint64_t Next = From + I.Size, Target = Next + I.Displacement.value_or(0);
    switch (I.Class) {
    case InsnClass::None:
    case InsnClass::Unknown:
      return To == Next || interrupted(At);
    case InsnClass::Branch:
    case InsnClass::Call:
      return To == Target || interrupted(At);
    case InsnClass::CondBranch:
      return To == Target || To == Next || interrupted(At);
    default:
      return true;
    }
  }

  const Recording Good;
  std::map<size_t, std::unique_ptr<Damaged>>
      Parts; ///< by the sync points before them
  X86Decoder Decoder;
  Trace T;
};
} // namespace

/// REWIND_TEST_SEEDS multiplies the number of bytes that are damaged.
static unsigned many(unsigned Usual) {
  const char *Factor = std::getenv("REWIND_TEST_SEEDS");
  return Factor ? Usual * std::max(1, std::atoi(Factor)) : Usual;
}

TEST(DamagedByte, AllOfASmallTrace) {
  for (const RunOptions &O : {RunOptions{.Seed = 3, .Instructions = 400},
                              RunOptions{.Seed = 4,
                              .Instructions = 400,
                              .CompressReturns = true,
                              .MtcEvery = 100,
                              .InterruptEvery = 90},
                              RunOptions{.Seed = 5,
                              .Instructions = 500,
                              .LongTnt = true,
                              .CycEvery = 60,
                              .OverflowEvery = 150}}) {
    Program P = Program::random(O.Seed);
    TempDir Dir;
    std::string Elf = Dir.write("program", P.elf(TestBuildId, {P.Base}));
    Execution X = run(P, O);
    Damaged D(recording(P, Elf, {X}));
    checkSame(D.Truth, X.PCs);
    ASSERT_GT(D.Syncs.size(), 3u);
    for (size_t Byte = 0; Byte < D.numBytes(); ++Byte) {
      // Another bit, another value or nothing, in turn.
      const uint8_t Values[] = {uint8_t(D.byte(Byte) ^ 1u << Byte / 3 % 8),
                                uint8_t(D.byte(Byte) + 1 + Byte % 255), 0};
      D.check(Byte, Values[Byte % 3]);
      ASSERT_FALSE(HasFailure());
    }
    EXPECT_GT(D.Marked, D.Number / 2);
    EXPECT_GT(D.Marked + D.Unharmed, D.Number * 3 / 4);
  }
}

TEST(DamagedByte, SomeOfALargeTrace) {
  for (bool Compress : {false, true}) {
    Program P = Program::random(2, 0x401000, 2000);
    TempDir Dir;
    std::string Elf = Dir.write("program", P.elf(TestBuildId));
    Execution X = run(P, {.Seed = 6,
                          .Instructions = 20000,
                          .PsbBytes = 512,
                          .CompressReturns = Compress});
    Damaged D(recording(P, Elf, {X}));
    checkSame(D.Truth, X.PCs);
    ASSERT_GT(D.Syncs.size(), 10u);
    std::mt19937 Rng(7);
    while (D.Number < many(600)) {
      D.check(Rng() % D.numBytes(), uint8_t(Rng()));
      ASSERT_FALSE(HasFailure());
    }
    EXPECT_GT(D.Marked, D.Number / 4);
  }
}

/// By hand: $REWIND_PT_DAMAGE is another bundle with one thread. scripts/abuse
/// damages five times as many bytes. A small one is damaged all over.
TEST(DamagedByte, OfARecordedTrace) {
  std::string Reason = test::whyNotMade("intelpt"), Path;
  if (const char *Given = getenv("REWIND_PT_DAMAGE"))
    Path = Given;
  else if (Reason.empty())
    Path = test::madeData("intelpt/fib");
  else
    REWIND_SKIP(Reason);
  auto R = readBundle(Path);
  ASSERT_TRUE(bool(R)) << toString(R.takeError());
  ASSERT_EQ(R->Buffers.size(), 1u);
  Damaged D(*R);
  std::mt19937 Rng(8);
  const size_t Size = D.numBytes(), Number = many(400);
  while (D.Number < (Size < Number ? Size : Number)) {
    size_t Byte = Size < Number ? D.Number : Rng() % Size;
    // Another value than it has.
    D.check(Byte, uint8_t(D.byte(Byte) + 1 + Rng() % 255));
    ASSERT_FALSE(HasFailure());
  }
  outs() << D.Number << " damaged bytes: " << D.Unharmed << " without effect, "
         << D.Marked << " marked, " << D.Number - D.Unharmed - D.Marked
         << " that fit the code\n";
}

} // namespace rw::intelpt
