//===- effects_check.cpp - Checks declared effects against execution ------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   effects-check --elf <program>... [--surplus] -- <emulator> <probe>
//   effects-check --isa a32 --hex 040091e5 ... -- <emulator> <probe>
//   effects-check --isa a32 --random 100000 ... -- <emulator> <probe>
//
// Looks at every distinct instruction of the programs, at those given (with
// what is declared of each), or at random ones. Prints what was found to
// happen without being declared, and how much of what is declared never showed.
// Ends with 1 if there is anything undeclared.
//
//===----------------------------------------------------------------------===//

#include "core/arch/Disassembler.h"
#include "core/arch/McTarget.h"
#include "test/effects/EffectsCheck.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/MC/MCInst.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace llvm;
using namespace rw;
using namespace rw::dataflow;

static cl::list<std::string> Elves("elf", cl::desc("Programs"));
static cl::opt<bool> Surplus("surplus", cl::desc("Also look for surplus"));
static cl::opt<bool> Verbose("v", cl::desc("Tell each surplus and unexecuted"));
static cl::opt<unsigned> NumStates("states", cl::init(4));
static cl::opt<unsigned> Every("every", cl::init(1),
                               cl::desc("Only each n-th instruction"));
static cl::opt<std::string>
    IsaName("isa", cl::desc("a64 a32 t32 ppc x86; of a program, only these"));
static cl::list<std::string> Hex("hex", cl::desc("Bytes in memory order"));
static cl::opt<unsigned> NumRandom("random", cl::desc("So many opcodes"));
static cl::opt<uint64_t> Seed("seed", cl::init(1));
static cl::list<std::string> Command(cl::Positional, cl::desc("-- probe"));

static int report(Error E) {
  errs() << "effects-check: " << toString(std::move(E)) << "\n";
  return 2;
}

static ISA isaOf(StringRef Name) {
  return StringSwitch<ISA>(Name)
      .Case("a64", ISA::A64)
      .Case("a32", ISA::A32)
      .Case("t32", ISA::T32)
      .Case("ppc", ISA::PPC64)
      .Case("x86", ISA::X86_64)
      .Default(ISA::Unknown);
}

/// Instructions that LLVM knows and does not take for unpredictable.
static void random(ISA Isa, std::set<Sample> &Out) {
  std::mt19937_64 Random(Seed);
  McTarget Target(Isa, /*Fallback=*/Isa == ISA::T32);
  while (Out.size() < NumRandom) {
    uint64_t V = Random();
    Sample S;
    S.Isa = Isa;
    unsigned Size = 4;
    if (Isa == ISA::A32 && (V >> 32 & 3))
      V = (V & 0x0fffffff) | 0xe0000000; // mostly always executed
    if (Isa == ISA::T32) {
      if (V >> 40 & 1) // a long one
        V |= 0xe800;
      Size = (V & 0xffff) >> 11 >= 0x1d ? 4 : 2;
    }
    if (Isa == ISA::X86_64)
      Size = 8;
    for (unsigned I = 0; I < Size; ++I)
      S.Bytes.push_back(uint8_t(V >> 8 * I));
    MCInst Inst;
    uint64_t Length = 0;
    auto Status =
        Target.Decoder->getInstruction(Inst, Length, S.Bytes, 0, nulls());
    if (Isa == ISA::T32) // it remembers "it"
      Target.resetDecoder();
    if (Status != MCDisassembler::Success || Length > S.Bytes.size())
      continue;
    S.Bytes.resize(Length);
    Out.insert(S);
  }
}

int main(int Argc, char **Argv) {
  cl::ParseCommandLineOptions(Argc, Argv);
  std::set<Sample> Samples;
  for (const std::string &Path : Elves)
    if (Error E = harvest(Path, Samples))
      return report(std::move(E));
  if (!IsaName.empty()) // of a program only these
    std::erase_if(Samples,
                  [](const Sample &S) { return S.Isa != isaOf(IsaName); });
  for (const std::string &H : Hex) {
    std::string Bytes;
    if (!tryGetFromHex(H, Bytes))
      return report(createStringError("not bytes: " + H));
    Samples.insert({isaOf(IsaName), NoItCondition,
                    std::vector<uint8_t>(Bytes.begin(), Bytes.end())});
  }
  if (NumRandom)
    random(isaOf(IsaName), Samples);
  if (Samples.empty())
    return report(createStringError("no instructions"));
  auto P = Probe::start({Command.begin(), Command.end()});
  if (!P)
    return report(P.takeError());
  Arch A = Arch::AArch64;
  switch (Samples.begin()->Isa) {
  case ISA::A32:
  case ISA::T32:
    A = Arch::Arm;
    break;
  case ISA::PPC64:
    A = Arch::PPC64LE;
    break;
  case ISA::X86_64:
    A = Arch::X86_64;
    break;
  default:
    break;
  }
  EffectsCheck Check(**P, A, 1);
  Disassembler Text;
  size_t Count = 0, Unknown = 0, NotExecuted = 0, Wrong = 0, Surpluses = 0,
         WithSurplus = 0, N = 0;
  struct Kind {
    size_t Count = 0;
    std::string Example;
  };
  std::map<std::string, Kind> Undeclared, Declared, Dead, Lost;
  for (const Sample &S : Samples) {
    if (N++ % Every)
      continue;
    ++Count;
    std::string Line = Text.text(S.Isa, S.Bytes, 0);
    std::string Name = StringRef(Line).split(' ').first.str();
    auto add = [&](std::map<std::string, Kind> &To, const Twine &Key) {
      Kind &K = To[Key.str()];
      if (!K.Count++)
        K.Example = toHex(S.Bytes, true) + " " + Line;
    };
    if (!Hex.empty()) {
      outs() << toHex(S.Bytes, true) << " " << Line << "\n";
      outs() << effectsText(Check.table().cells(),
                            Check.table().find(S.Isa, logicalOpcode(S),
                                               S.Bytes.size(), S.ItCondition,
                                               S.Bytes));
    }
    Expected<Verdict> V = Check.check(S, NumStates, Surplus);
    if (!V) {
      errs() << toHex(S.Bytes) << " " << Line << ": " << toString(V.takeError())
             << "\n";
      P = Probe::start({Command.begin(), Command.end()});
      return 2;
    }
    Unknown += !V->Known;
    if (!V->Known && !Line.empty())
      add(Lost, Name);
    NotExecuted += V->Known && !V->Executed;
    if (V->Known && !V->Executed)
      add(Dead, Name);
    Wrong += !V->Undeclared.empty();
    for (const std::string &U : V->Undeclared)
      add(Undeclared, Name + ": " + U.substr(0, 60));
    WithSurplus += !V->Surplus.empty();
    Surpluses += V->Surplus.size();
    for (const std::string &U : V->Surplus)
      add(Declared, Name + ": " + U);
  }
  auto print = [](StringRef Title, const std::map<std::string, Kind> &Of) {
    for (const auto &[Name, K] : Of)
      outs() << formatv("{0}: {1} x {2}   ({3})\n", Title, K.Count, Name,
                        K.Example);
  };
  print("undeclared", Undeclared);
  if (Verbose) {
    print("surplus", Declared);
    print("not executed", Dead);
    print("not known", Lost);
  }
  outs() << formatv("{0} opcodes: {1} not known, {2} known and not executable "
                    "here, {3} with undeclared effects, {4} with surplus "
                    "({5} reads)\n",
                    Count, Unknown, NotExecuted, Wrong, WithSurplus, Surpluses);
  return Wrong ? 1 : 0;
}
