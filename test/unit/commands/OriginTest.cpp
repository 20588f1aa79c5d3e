//===- OriginTest.cpp - origin against a walk that keeps everything -------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyTrace.h"
#include "commands/dataflow/OriginTree.h"
#include "core/store/TraceStore.h"
#include <array>
#include <map>
#include <random>
#include <set>

using namespace llvm;
using namespace rw;

namespace {

/// All that is known of where a byte came from.
struct ByteHistory {
  std::set<Moment> Copies; ///< the instructions that moved or made it
  std::set<Moment> All;    ///< and those that made what it was computed from
  /// Who made it; nothing if nobody in the trace did, or if it fills up.
  std::set<std::pair<std::string, Moment>> Makers;
  uint8_t Value = 0;

  ByteHistory after(Moment M) const {
    ByteHistory H = *this;
    H.Copies.insert(M);
    H.All.insert(M);
    return H;
  }
};

ByteHistory made(Moment M, const char *Kind, uint8_t Value) {
  ByteHistory H;
  H.Value = Value;
  if (Kind)
    H.Makers = {{Kind, M}};
  return H.after(M);
}

/// A machine of registers and a little memory that knows each byte's history,
/// and tells what it does as a trace.
class Machine {
public:
  static constexpr uint64_t Memory = 0x9000;
  static constexpr unsigned MemoryBytes = 160, Registers = 8;

  explicit Machine(std::mt19937_64 &Random) : Random(Random) {
    for (unsigned R = 0; R < Registers; ++R)
      for (ByteHistory &H : Regs[R])
        H.Value = uint8_t(Random());
    for (ByteHistory &H : Mem)
      H.Value = uint8_t(Random());
    // Half of the registers are told beforehand.
    for (unsigned R = 0; R < Registers / 2; ++R)
      addReg(B, R, value(R));
    addReg(B, arm::SP, 0x8000);
    for (unsigned N = 0; N < 3; ++N)
      addReg(B, 10 + N, Bases[N] = Memory + N * 17);
  }

  /// An instruction of the program.
  struct Code {
    enum Kind { Constant, Move, Add, AddOne, Load, Store, LoadTwo, StoreTwo };
    Kind Does;
    unsigned D, N, M, Log, Offset;
    bool Wide, Signed;
    uint64_t PC;
  };
  Code make(uint64_t PC) {
    Code C{Code::Kind(Random() % 8),
           unsigned(Random() % Registers),
           unsigned(Random() % Registers),
           unsigned(Random() % Registers),
           unsigned(Random() % 4),
           unsigned(Random() % 6),
           Random() % 2 == 0,
           Random() % 4 == 0,
           PC};
    if (C.Does == Code::LoadTwo && C.D == C.M)
      C.M = (C.D + 1) % Registers;
    return C;
  }
  void run(const Code &C);

  uint64_t value(unsigned R) const {
    uint64_t V = 0;
    for (unsigned K = 0; K < 8; ++K)
      V |= uint64_t(Regs[R][K].Value) << 8 * K;
    return V;
  }

  std::array<std::array<ByteHistory, 8>, Registers> Regs;
  std::array<ByteHistory, MemoryBytes> Mem;
  ItemBatch B;
  uint64_t Untold = 0;

private:
  void set(unsigned R, const std::array<ByteHistory, 8> &To) {
    const uint64_t Before = value(R);
    const bool New = Regs[R][0].All.empty();
    Regs[R] = To;
    // Tarmac need not tell a register that keeps its value.
    if (!New && value(R) == Before && Random() % 2)
      ++Untold;
    else
      addReg(B, R, value(R));
  }
  void load(unsigned R, uint64_t Addr, unsigned Size, bool Signed);
  void store(unsigned R, uint64_t Addr, unsigned Size, uint8_t Flags);
  Moment now() const { return B.Insns.size() - 1; }

  std::array<uint64_t, 3> Bases;
  std::mt19937_64 &Random;
};

void Machine::load(unsigned R, uint64_t Addr, unsigned Size, bool Signed) {
  std::array<ByteHistory, 8> To;
  uint64_t V = 0;
  for (unsigned K = 0; K < Size; ++K) {
    To[K] = Mem[Addr - Memory + K].after(now());
    V |= uint64_t(To[K].Value) << 8 * K;
  }
  const uint8_t Fill = Signed && (To[Size - 1].Value & 0x80) ? 0xff : 0;
  for (unsigned K = Size; K < 8; ++K)
    To[K] = made(now(), nullptr, Fill);
  addMem(B, Addr, Size, V, 0);
  set(R, To);
}

void Machine::store(unsigned R, uint64_t Addr, unsigned Size, uint8_t Flags) {
  for (unsigned K = 0; K < Size; ++K)
    Mem[Addr - Memory + K] = Regs[R][K].after(now());
  addMem(B, Addr, Size,
         Size == 8 ? value(R) : value(R) & ((uint64_t(1) << 8 * Size) - 1),
         uint8_t(MemItem::Write | Flags));
}

void Machine::run(const Code &C) {
  const unsigned Base = C.N % 3, Size = 1u << C.Log;
  const uint64_t Addr = Bases[Base] + uint64_t(C.Offset) * Size,
                 AddrOfTwo = Bases[Base] + uint64_t(C.Offset) * 8;
  const uint32_t W = C.Wide ? 1u << 31 : 0;
  const uint32_t Log = uint32_t(C.Log) << 30;
  const uint32_t Two = C.Offset << 15 | C.M << 10 | (10 + Base) << 5 | C.D;
  const uint32_t One = C.Offset << 10 | (10 + Base) << 5 | C.D;
  auto begin = [&](uint32_t Opcode) { addInsn(B, C.PC, Opcode); };
  auto filled = [&](std::array<ByteHistory, 8> To) {
    if (!C.Wide)
      for (unsigned K = 4; K < 8; ++K)
        To[K] = made(now(), nullptr, 0);
    return To;
  };
  std::array<ByteHistory, 8> To;
  switch (C.Does) {
  case Code::Constant:
    begin(0xd2800000 | C.Offset << 5 | C.D);
    for (unsigned K = 0; K < 8; ++K)
      To[K] = made(now(), "constant", uint8_t(K ? 0 : C.Offset));
    return set(C.D, To);
  case Code::Move:
    begin(0x2a0003e0 | W | C.M << 16 | C.D);
    for (unsigned K = 0; K < 8; ++K)
      To[K] = Regs[C.M][K].after(now());
    return set(C.D, filled(To));
  case Code::Add:
  case Code::AddOne: {
    const bool Both = C.Does == Code::Add;
    begin(Both ? 0x0b000000 | W | C.M << 16 | C.N << 5 | C.D
               : 0x11000400 | W | C.N << 5 | C.D);
    uint64_t V = value(C.N) + (Both ? value(C.M) : 1);
    if (!C.Wide)
      V = uint32_t(V);
    ByteHistory H = made(now(), "computed", 0);
    for (unsigned K = 0; K < (C.Wide ? 8 : 4); ++K) {
      H.All.insert(Regs[C.N][K].All.begin(), Regs[C.N][K].All.end());
      if (Both)
        H.All.insert(Regs[C.M][K].All.begin(), Regs[C.M][K].All.end());
    }
    for (unsigned K = 0; K < 8; ++K) {
      To[K] = H;
      To[K].Value = uint8_t(V >> 8 * K);
    }
    return set(C.D, To);
  }
  case Code::Load:
    if (C.Signed && C.Log < 3) {
      begin(0x39800000 | Log | One);
      return load(C.D, Addr, Size, true);
    }
    begin(0x39400000 | Log | One);
    return load(C.D, Addr, Size, false);
  case Code::Store:
    begin(0x39000000 | Log | One);
    return store(C.D, Addr, Size, 0);
  case Code::LoadTwo: {
    begin(0xa9400000 | Two);
    load(C.D, AddrOfTwo, 8, false);
    return load(C.M, AddrOfTwo + 8, 8, false);
  }
  case Code::StoreTwo:
    begin(0xa9000000 | Two);
    store(C.D, AddrOfTwo, 8, 0);
    return store(C.M, AddrOfTwo + 8, 8, MemItem::Joined);
  }
}

class OriginOfRandom : public TinyTrace {
protected:
  struct Found {
    std::set<Moment> Links;
    std::set<std::pair<std::string, Moment>> Makers;
    bool Forks = false;
  };
  Found ask(const Location &L, OriginOptions::Mode Mode) {
    std::string Text;
    raw_string_ostream Out(Text);
    Session S(*Store, Out, Memory);
    OriginOptions O;
    O.How = Mode;
    Found F;
    auto Tree = followBack(S, L, Store->numInstructions(), O);
    if (!Tree) {
      ADD_FAILURE() << toString(Tree.takeError());
      return F;
    }
    EXPECT_TRUE(Tree->Complete);
    EXPECT_EQ(Tree->order().size(), Tree->Branches.size());
    F.Forks = Tree->Branches.size() > 1;
    for (const OriginBranch &Branch : Tree->Branches) {
      Moment Before = Store->numInstructions();
      for (const OriginLink &Link : Branch.Links) {
        EXPECT_LT(Link.By.When, Before);
        Before = Link.By.When;
        F.Links.insert(Link.By.When);
      }
      const bool Fills = StringRef(Branch.Reason).contains("extended");
      if (!Branch.Links.empty() && !Fills &&
          (Branch.End == OriginKind::Computed ||
           Branch.End == OriginKind::Constant))
        F.Makers.insert({originName(Branch.End).str(), Before});
      if (Branch.End == OriginKind::Told) {
        const auto &To = Tree->Branches[Branch.Same.Branch].Links;
        EXPECT_LT(Branch.Same.Link, To.size());
      }
    }
    return F;
  }

  static std::string text(const std::set<Moment> &Set) {
    std::string T;
    for (Moment M : Set)
      T += " " + std::to_string(M);
    return T;
  }
  void compare(const Location &L, ArrayRef<ByteHistory> Bytes, unsigned Seed);
  uint64_t Asked = 0, Forked = 0;
};

void OriginOfRandom::compare(const Location &L, ArrayRef<ByteHistory> Bytes,
                             unsigned Seed) {
  Found Copies, All;
  for (const ByteHistory &H : Bytes) {
    Copies.Links.insert(H.Copies.begin(), H.Copies.end());
    Copies.Makers.insert(H.Makers.begin(), H.Makers.end());
    All.Links.insert(H.All.begin(), H.All.end());
  }
  const Found C = ask(L, OriginOptions::Copies),
              T = ask(L, OriginOptions::Tree);
  ++Asked;
  Forked += C.Forks;
  const std::string What = describe(L) + ", program " + std::to_string(Seed);
  EXPECT_EQ(text(C.Links), text(Copies.Links)) << What;
  EXPECT_EQ(C.Makers, Copies.Makers) << What;
  EXPECT_EQ(text(T.Links), text(All.Links)) << What << ", tree";
}

TEST_F(OriginOfRandom, IsTheHistoryOfItsBytes) {
  uint64_t Untold = 0;
  for (unsigned Seed = 1; Seed <= 60 && !HasFailure(); ++Seed) {
    std::mt19937_64 Random(Seed);
    Machine M(Random);
    std::vector<Machine::Code> Program;
    for (unsigned N = 0; N < 24; ++N)
      Program.push_back(M.make(0x1000 + 4 * N));
    for (unsigned N = 0; N < 150; ++N)
      M.run(Program[Random() % Program.size()]);
    Untold += M.Untold;
    build(M.B, header());
    for (unsigned N = 0; N < 20; ++N) {
      Location L;
      L.SizeGiven = true;
      if (Random() % 3 == 0) {
        const unsigned R = unsigned(Random() % Machine::Registers);
        const bool Wide = Random() % 2;
        L.Where = Location::Register;
        L.Text = L.RegisterName = (Wide ? "x" : "w") + std::to_string(R);
        L.Slice = Store->registerFile().find(L.Text)->Slice;
        L.Size = L.Slice.Size;
        compare(L, ArrayRef(M.Regs[R]).take_front(L.Size), Seed);
        continue;
      }
      L.Size = 1 + Random() % 24;
      const uint64_t Offset = Random() % (Machine::MemoryBytes - L.Size);
      L.Addr = Machine::Memory + Offset;
      L.Text = hex(L.Addr);
      compare(L, ArrayRef(M.Mem).slice(Offset, L.Size), Seed);
    }
  }
  EXPECT_GT(Asked, 1000u);
  EXPECT_GT(Forked, 300u);
  EXPECT_GT(Untold, 30u);
}

} // namespace
