//===- effects_check.cpp - Checks declared effects against execution ------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   effects-check --elf <program>... [--surplus] -- <emulator> <probe>
//
// Looks at every distinct instruction of the programs. Prints what was found to
// happen without being declared, and how much of what is declared never showed.
// Ends with 1 if there is anything undeclared.
//
//===----------------------------------------------------------------------===//

#include "core/arch/Disassembler.h"
#include "test/effects/EffectsCheck.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
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
static cl::list<std::string> Command(cl::Positional, cl::desc("-- probe"));

static int report(Error E) {
  errs() << "effects-check: " << toString(std::move(E)) << "\n";
  return 2;
}

int main(int Argc, char **Argv) {
  cl::ParseCommandLineOptions(Argc, Argv);
  std::set<Sample> Samples;
  for (const std::string &Path : Elves)
    if (Error E = harvest(Path, Samples))
      return report(std::move(E));
  if (Samples.empty())
    return report(createStringError("no instructions"));
  auto P = Probe::start({Command.begin(), Command.end()});
  if (!P)
    return report(P.takeError());
  Arch A = Arch::AArch64;
  switch (Samples.begin()->Isa) {
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
