//===- Programs.cpp - Hand-made and random executions ---------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Programs.h"
#include "llvm/ADT/STLExtras.h"

namespace rw::dataflow {

Program::Program()
    : Map(Arch::AArch64),
      Convention(callConvention(Map, Arch::AArch64, ISA::A64)) {}

unsigned Program::code(std::vector<Makes> Effects, InsnClass Class,
                       std::vector<CellRef> Predicate) {
  std::vector<Effect> List;
  for (Makes &M : Effects) {
    llvm::sort(M.Values);
    llvm::sort(M.Addresses);
    Effect E;
    E.Flags = M.Flags;
    E.Writes = M.Writes;
    E.Values = M.Values;
    E.Addresses = M.Addresses;
    E.Load = M.Load;
    E.Store = M.Store;
    E.Moved = M.Moved;
    List.push_back(E);
  }
  TemplateEffects T;
  T.Known = true;
  T.Class = Class;
  T.Predicate = Predicate;
  T.Effects = List;
  Codes.push_back(prepare(T, Convention));
  Codes.back().Static = unsigned(Codes.size() - 1);
  return Codes.back().Static;
}

unsigned Program::mov(CellRef To) {
  return code({{{To}, {}, {}, {}, {}, 0, {}}});
}
unsigned Program::op(CellRef To, std::vector<CellRef> From) {
  return code({{{To}, std::move(From), {}, {}, {}, 0, {}}});
}
unsigned Program::move(CellRef To, CellRef From) {
  return code({{{To}, {From}, {}, {}, {}, Effect::Copy, To}});
}
unsigned Program::addConstant(CellRef To, CellRef From) {
  return code({{{To}, {From}, {}, {}, {}, Effect::AddConstant, {}}});
}
unsigned Program::load(CellRef To, CellRef Base, unsigned Size) {
  return code({{{To}, {}, {Base}, {0, uint16_t(Size)}, {}, Effect::Copy, To}});
}
unsigned Program::store(CellRef From, CellRef Base, unsigned Size) {
  return code(
      {{{}, {From}, {Base}, {}, {0, uint16_t(Size)}, Effect::Copy, From}});
}
unsigned Program::cmp(CellRef A) {
  return code({{{Flags}, {A}, {}, {}, {}, 0, {}}});
}
unsigned Program::branch() {
  return code({{{}, {Flags}, {}, {}, {}, Effect::Flow, {}}},
              InsnClass::CondBranch);
}
unsigned Program::call() {
  return code({{{}, {}, {}, {}, {}, Effect::Flow, {}},
               {{LR}, {}, {}, {}, {}, Effect::ReturnAddress, {}}},
              InsnClass::Call);
}
unsigned Program::ret() {
  return code({{{}, {LR}, {}, {}, {}, Effect::Flow, {}}}, InsnClass::Return);
}

void Program::run(unsigned Code, std::vector<Range> Loads,
                  std::vector<Range> Stores, Flow How) {
  Places.push_back({std::move(Loads), std::move(Stores)});
  Step S;
  S.Code = &Codes[Code];
  S.When = Steps.size();
  S.Thread = How.Thread;
  S.Executed = How.Executed;
  S.Returns = How.Returns;
  S.Leaves = How.Leaves;
  S.Enters = How.Enters;
  S.Loads = Places.back().first;
  S.Stores = Places.back().second;
  Steps.push_back(S);
}

std::unique_ptr<Program> randomProgram(std::mt19937_64 &Random,
                                       unsigned MaxSteps, unsigned Threads) {
  auto Pick = [&](unsigned N) { return unsigned(Random() % N); };
  auto P = std::make_unique<Program>();
  // Some argument registers and some that functions preserve.
  auto Register = [&] {
    static const unsigned Numbers[] = {0, 1, 2, 19, 20, 21, 29, 30};
    return x(Numbers[Pick(8)]);
  };
  auto Base = [&] {
    unsigned N = Pick(6);
    return N < 3 ? SP : N == 3 ? FP : Register();
  };
  auto Size = [&] { return uint16_t(1 + Pick(16)); };
  enum Kind { Plain, Call, Return, Save };
  std::vector<Kind> Kinds;
  auto Add = [&](Kind K, unsigned Code) {
    (void)Code;
    Kinds.push_back(K);
  };
  unsigned Wanted = 6 + Pick(24);
  while (P->Codes.size() < Wanted) {
    CellRef A = Register(), B = Register(), C = Register();
    switch (Pick(22)) {
    case 0:
      Add(Plain, P->mov(A));
      break;
    case 1:
    case 2:
      Add(Plain, P->op(A, {B, C}));
      break;
    case 3:
      Add(Plain, P->move(A, B));
      break;
    case 4:
      Add(Plain, P->load(A, Base(), Size()));
      break;
    case 5:
      Add(Plain, P->store(A, Base(), Size()));
      break;
    case 6:
    case 7:
      Add(Save, P->store(A, Pick(4) ? SP : FP));
      break;
    case 8:
    case 9:
      Add(Save, P->load(A, Pick(4) ? SP : FP));
      break;
    case 10: // a pair, with write-back
      Add(Save, P->code({{{}, {A}, {SP}, {}, {0, 8}, Effect::Copy, A},
                         {{}, {B}, {SP}, {}, {8, 8}, Effect::Copy, B},
                         {{SP}, {SP}, {}, {}, {}, Effect::Writeback, {}}}));
      break;
    case 11:
      if (A == B)
        break;
      Add(Save, P->code({{{A}, {}, {SP}, {0, 8}, {}, Effect::Copy, A},
                         {{B}, {}, {SP}, {8, 8}, {}, Effect::Copy, B},
                         {{SP}, {SP}, {}, {}, {}, Effect::Writeback, {}}}));
      break;
    case 12:
      Add(Plain, P->cmp(A));
      break;
    case 13:
      Add(Plain, P->branch());
      break;
    case 14: // an indirect jump, or a branch that counts down
      Add(Plain, Pick(2) ? P->code({{{}, {A}, {}, {}, {}, Effect::Flow, {}}},
                                   InsnClass::IndirectBranch)
                         : P->code({{{A}, {A}, {}, {}, {}, 0, {}},
                                    {{}, {A}, {}, {}, {}, Effect::Flow, {}}},
                                   InsnClass::CondBranch));
      break;
    case 15:
      Add(Call, P->call());
      break;
    case 16: // pushes the return address
      Add(Call, P->code({{{}, {}, {}, {}, {}, Effect::Flow, {}},
                         {{}, {}, {SP}, {}, {0, 8}, Effect::ReturnAddress, {}},
                         {{SP}, {SP}, {}, {}, {}, Effect::Writeback, {}}},
                        InsnClass::Call));
      break;
    case 17:
      Add(Return, P->ret());
      break;
    case 18: // pops a register and the return address
      Add(Return, P->code({{{A}, {}, {SP}, {0, 8}, {}, Effect::Copy, A},
                           {{}, {}, {SP}, {8, 8}, {}, Effect::Flow, {}},
                           {{SP}, {SP}, {}, {}, {}, Effect::Writeback, {}}},
                          InsnClass::Return));
      break;
    case 19: // the frame pointer, or what might be one
      Add(Plain, Pick(2) ? P->move(FP, Pick(2) ? SP : A)
                         : P->addConstant(FP, Pick(2) ? SP : FP));
      break;
    case 20: // conditional
      Add(Pick(2) ? Plain : Return,
          P->code({{{A}, {B}, {}, {}, {}, 0, {}},
                   {{}, {C}, {}, {}, {}, Effect::Flow, {}}},
                  InsnClass::Branch, {Flags}));
      break;
    case 21: // in memory; or from several places
      Add(Plain,
          Pick(2)
              ? P->code({{{},
                          {A},
                          {Base()},
                          {0, MemoryPart::All},
                          {0, MemoryPart::All},
                          0,
                          {}}})
              : P->code({{{A}, {}, {B, C}, {0, MemoryPart::All}, {}, 0, {}}}));
      break;
    }
  }

  std::vector<unsigned> Depth(Threads, 0);
  auto Place = [&](bool OfSave) {
    return OfSave && Pick(4) ? 0x8000 + 8 * Pick(6)
           : Pick(2)         ? 0x8000 + Pick(64)
                             : 0x1000 + Pick(40);
  };
  unsigned Count = 1 + Pick(MaxSteps), At = 0;
  for (unsigned N = 0; N < Count; ++N) {
    // Mostly one after the other, as code is.
    At = Pick(4) ? (At + 1) % unsigned(Kinds.size())
                 : Pick(unsigned(Kinds.size()));
    const StepCode &Code = P->Codes[At];
    Program::Flow How;
    How.Thread = Pick(8) ? 0 : Pick(Threads);
    How.Executed = Code.Predicate.empty() || Pick(3);
    unsigned &D = Depth[How.Thread];
    if (How.Executed && Kinds[At] == Call && Pick(8))
      How.Enters = Pick(16) ? 1 : 2;
    if (How.Executed && Kinds[At] == Return && D && Pick(8)) {
      How.Returns = true;
      How.Leaves = 1 + (Pick(8) ? 0 : Pick(D));
    }
    if (!Pick(40) && D)
      How.Leaves = std::max(How.Leaves, 1 + Pick(D)); // a longjmp
    if (!Pick(40))
      How.Enters = std::max(How.Enters, 1u); // an interrupt
    D = D - How.Leaves + How.Enters;
    std::vector<Range> Loads, Stores;
    uint32_t Reads = 0, Writes = 0;
    bool All = false;
    for (const NodeCode &M : Code.Nodes) {
      All |= M.Load.Size == MemoryPart::All;
      if (M.Load)
        Reads = std::max<uint32_t>(Reads, M.Load.Offset + M.Load.Size);
      if (M.Store)
        Writes = std::max<uint32_t>(Writes, M.Store.Offset + M.Store.Size);
    }
    uint64_t Addr = Place(Kinds[At] != Plain);
    if (All) {
      Loads.push_back({Addr, Size()});
      if (!Writes && Pick(2))
        Loads.push_back({Addr + 20 + Pick(8), Size()});
      if (Writes)
        Stores.push_back(Loads[0]);
    } else {
      if (Reads)
        Loads.push_back({Addr, Reads});
      if (Writes)
        Stores.push_back({Addr, Writes});
    }
    if (!How.Executed) {
      Loads.clear();
      Stores.clear();
    }
    P->run(At, Loads, Stores, How);
  }
  return P;
}

} // namespace rw::dataflow
