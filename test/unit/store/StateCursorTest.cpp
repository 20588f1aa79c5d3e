//===- StateCursorTest.cpp - A cursor answers as the store does -----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/StateCursor.h"
#include "StoreTestSupport.h"
#include "core/store/TraceStore.h"

using namespace rw;
using namespace llvm;

namespace {

std::string text(const Instruction &I) {
  std::string Text;
  raw_string_ostream OS(Text);
  const InsnItem &N = I.Insn;
  OS << I.When << " " << I.Thread << " " << I.Pos << " " << I.Line << " "
     << N.PC << " " << N.Opcode << " " << N.Time << " " << unsigned(N.Size)
     << " " << unsigned(N.Isa) << " " << unsigned(N.Flags);
  for (const RegItem &R : I.Regs)
    OS << " r" << R.Value << " " << R.Lane << " " << unsigned(R.Written) << " "
       << unsigned(R.Unknown) << " " << unsigned(R.Thread) << " "
       << unsigned(R.Flags);
  for (const MemAccess &M : I.Mems) {
    OS << " m" << M.Addr << " " << M.Real << " " << unsigned(M.Flags);
    for (size_t B = 0; B < M.Bytes.size(); ++B)
      OS << " " << unsigned(M.Bytes[B]) << "/" << unsigned(M.Known[B]);
  }
  return Text;
}

class StateCursorTest : public StoreTest {
protected:
  /// Asks \p Near and the store about one moment; what differs.
  /// \p Registers: only what a cursor of registers is for.
  std::string ask(const TraceStore &Store, StateCursor &Near, Moment M, Rng &R,
                  bool Registers) {
    if (M < Store.numInstructions() && R.chance(0.5)) {
      auto Want = Store.instruction(M);
      const bool Place = Registers || R.chance(0.3);
      auto Got = Place ? Near.placeAt(M) : Near.at(M);
      if (!Want || !Got)
        return toString(joinErrors(Want.takeError(), Got.takeError()));
      Instruction Told = **Got;
      for (Instruction *I : {&*Want, &Told})
        if (Place) {
          I->Regs.clear();
          I->Mems.clear();
        }
      return text(*Want) == text(Told) ? "" : text(*Want) + "\n" + text(Told);
    }
    if (M < Store.numInstructions() && !Registers)
      if (auto I = Store.instruction(M); I && !I->Mems.empty())
        Addresses.push_back(I->Mems[0].Addr + R.below(20) - 10);
    if (!Registers && !Addresses.empty() && R.chance(0.5)) {
      const uint64_t Addr = R.pick(Addresses), Size = R.between(1, 20);
      uint8_t Want[20] = {}, WantKnown[20] = {}, Got[20] = {},
              GotKnown[20] = {};
      if (Error E = joinErrors(
              Store.memoryAt(M, Addr, {Want, Size}, {WantKnown, Size}),
              Near.readMemory(M, Addr, {Got, Size}, {GotKnown, Size})))
        return toString(std::move(E));
      return std::equal(Want, Want + 20, Got) &&
                     std::equal(WantKnown, WantKnown + 20, GotKnown)
                 ? ""
                 : "memory";
    }
    // Also of threads and lanes that are none.
    const ThreadIndex T = ThreadIndex(R.below(Store.numThreads() + 1));
    RegisterSlice Slice;
    Slice.Lane = uint16_t(
        R.below(R.chance(0.1) ? 1000 : Store.registerFile().numLanes()));
    Slice.Offset = uint16_t(R.below(8));
    Slice.Size = uint16_t(R.between(1, 20));
    auto State = Store.registersAt(T, M);
    if (!State)
      return toString(State.takeError());
    uint8_t Want[20] = {}, WantKnown[20] = {}, Got[20] = {}, GotKnown[20] = {};
    State->read(Slice, Want, WantKnown);
    if (Error E = Near.readRegister(T, M, Slice, {Got, Slice.Size},
                                    {GotKnown, Slice.Size}))
      return toString(std::move(E));
    if (!std::equal(Want, Want + 20, Got) ||
        !std::equal(WantKnown, WantKnown + 20, GotKnown))
      return "registers";
    Slice.Size = uint16_t(R.between(1, 8));
    auto Number = Near.getRegister(T, M, Slice);
    if (!Number)
      return toString(Number.takeError());
    return *Number == State->get(Slice) ? "" : "a register as a number";
  }
  std::vector<uint64_t> Addresses; ///< of memory that is used
};

TEST_F(StateCursorTest, AnswersInAnyOrder) {
  for (uint64_t Seed = 0; Seed < 24; ++Seed) {
    const TraceKnobs Knobs =
        randomKnobs(Seed, std::vector<uint64_t>{1, 70, 3000}[Seed % 3]);
    RandomTrace T(Knobs, Seed);
    if (!build(T, path("store"), {}))
      return;
    auto Store = open(path("store"));
    ASSERT_TRUE(Store);
    const uint64_t N = Store->numInstructions();
    auto Near = Seed % 2 ? StateCursor::openRegisters(*Store)
                         : StateCursor::open(*Store);
    Addresses.clear();
    Rng R(Seed);
    for (int Step : {1, -1, 0}) {
      // The cursor is asked about memory and effects later on, if at all.
      const bool Registers = Seed % 2 && (Step != 0 || Seed % 4 == 1);
      Moment M = Step < 0 ? N : 0;
      for (unsigned Asked = 0; Asked < 600; ++Asked) {
        const std::string Difference = ask(*Store, *Near, M, R, Registers);
        ASSERT_EQ(Difference, "")
            << "seed " << Seed << ", moment " << M << ", question " << Asked
            << ": " << Knobs.describe();
        // Mostly near, some in the same place, some far.
        const uint64_t By =
            R.chance(0.3) ? 0 : R.below(R.chance(0.1) ? 700 : 4);
        M = Step > 0   ? std::min(M + By, N)
            : Step < 0 ? M - std::min(M, By)
                       : R.below(N + 1);
      }
    }
  }
}

TEST_F(StateCursorTest, WalksOnFromWhereItAnswered) {
  RandomTrace T(randomKnobs(3, 2000), 3);
  ASSERT_TRUE(build(T, path("store"), {}));
  auto Store = open(path("store"));
  ASSERT_TRUE(Store);
  auto Near = StateCursor::open(*Store);
  auto First = Near->at(100);
  ASSERT_TRUE(bool(First)) << toString(First.takeError());
  const Instruction *Next = Near->next();
  ASSERT_TRUE(Next);
  EXPECT_EQ(Next->When, 101u);
  // What is not there is an error, and no end of the cursor.
  auto None = Near->at(Store->numInstructions());
  ASSERT_FALSE(bool(None));
  consumeError(None.takeError());
  auto Again = Near->at(7);
  ASSERT_TRUE(bool(Again)) << toString(Again.takeError());
  EXPECT_EQ((*Again)->When, 7u);
}

} // namespace
