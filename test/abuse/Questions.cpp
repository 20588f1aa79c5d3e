//===- Questions.cpp - Everything that can be asked of a trace ------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Questions.h"
#include "commands/Command.h"
#include "commands/support/DebugInfo.h"
#include "commands/support/ProgramVariables.h"
#include "core/replay/ReplayEngine.h"
#include "core/store/TraceStore.h"
#include "core/support/ElfFile.h"
#include "test/unit/support/RandomTrace.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"

using namespace llvm;
using namespace rw;

// {pc}, {addr}, {reg}, {block} and {n} stand for something of the trace, {any}
// for a number that breaks things, {out} for a file; {fn}, {var} and {line} for
// something of the image.
static constexpr StringLiteral Lines[] = {
    "info",
    "info --json",
    "list",
    "list 50% -c 40",
    "list #{n} --json -c 30",
    "list end -c 20",
    "list #{any} -c {any}",
    "where 30%",
    "where #{n} --json",
    "goto 60%",
    "goto #{n} --json",
    "back",
    "forward",
    "find {pc} --all -c 50",
    "find {pc} --next --json",
    "find {pc} --prev --at end -g",
    "find --event gap --all",
    "find --event exception --all --json",
    "find --event sync-point --all -c 20",
    "last-write {reg}",
    "last-write {addr} --size 8 --at end",
    "last-write {addr} --size 64 --pieces --at 70%",
    "last-write {addr} --size {any}",
    "next-write {addr} --size 4 --json",
    "next-write {reg} -c 10",
    "first-write {addr} --size 8",
    "last-read {addr} --size 8 --at end --real",
    "last-read {addr} --size 2 --at 80% --json",
    "next-read {addr} --size 16 -c 20",
    "history {addr} --size 8 --reads -c 50",
    "history {reg} -c 50 --json",
    "history {addr} --size {any} -c {any}",
    "diff 10% 90%",
    "diff start end --json -c 100",
    "origin {reg} --at end",
    "origin {addr} --size 8 --at 90% --json",
    "why {reg} --at end",
    "why {addr} --size 32 --at end --json",
    "eval {reg} --at {pc} -c 20",
    "calls tree -c 200",
    "calls tree --json --no-fold -c 200",
    "calls tree --fold --depth {any} -c 100",
    "calls tree --style tarmac -o {out}",
    "calls info {pc} -c 100",
    "calls info {pc} --json -c {any}",
    "calls where 50%",
    "calls where #{n} --json",
    "calls parent --at 50%",
    "calls enter --at 60%",
    "calls leave --at 40%",
    "profile functions",
    "profile functions --json --sort time",
    "profile functions --style tarmac",
    "profile tree --json --metric bytes-read/reads",
    "profile self --by htr --metric lines",
    "profile self --by lines --metric time --from 25%",
    "profile dominated --metric taken-branches --fold *",
    "profile sequences --metric exceptions",
    "profile diff {out}",
    "profile block {pc}",
    "profile block {pc} --json --by lines --metric reads",
    "slice {reg} --at end -c 100",
    "slice {reg} --at 80% --lines --depth {any}",
    "slice {addr} --size 8 --at 90% --addresses --no-suppress --json -c 100",
    "slice {reg} --at 20% --forward --to 70%",
    "slice {addr} --size 8 --at 10% --forward -a --lines --json -c 99",
    "slice {reg} --at 70% --control exact --json -c 99",
    "slice {addr} --size 8 --at 30% --control {any} --from 10% -c 99",
    "slice {reg} --at 20% --forward --control exact --depth {any} -c 99",
    "slice {reg} --at 20% --forward --control all --to 70% -c 99",
    "slice prev {any}",
    "slice next --json",
    "deps {reg} --at end --json",
    "deps #{n} -c {any}",
    "deps #{n} --control exact --json -c 50",
    "deps {addr} --size 8 --kinds war,waw -c 50",
    "deps #{n} --from 20% --to 70% --json",
    "deps lines -c 50",
    "deps lines --json",
    "deps lines --calls -c 20",
    "deps lines --calls --kinds raw --no-suppress --json",
    "critical-path --steps -c 50",
    "critical-path --slack -c 20",
    "critical-path --show-suppressed -c 20",
    "critical-path --slack --calls none --control exact --storage "
    "+war+waw:registers,memory --json",
    "critical-path --calls atomic --control all --storage +war+waw --json",
    "parallelism --json",
    "parallelism --control exact --from 20% --to 70% -c {any}",
    "export flamegraph -o {out}",
    "export flamegraph --time -o {out}",
    "export svg -o {out}",
    "export speedscope -o {out}",
    "export pprof -o {out}",
    "export profile -o {out}",
    "export perfetto -o {out}",
    "export ctf -o {out}",
    "export vcd -o {out}",
    "export vcd --use-tarmac-timestamps -o {out}",
    "bookmark add here #{n} --note x",
    "bookmark list --json",
    "bookmark delete here",
    "htr run",
    "htr run bsb,loops --similar --json",
    "htr run functions,grammar --recursion 5",
};

static constexpr StringLiteral LayerLines[] = {
    "htr layers",
    "htr layers --json",
    "htr dump",
    "htr dump top --json -c {any} --depth 3",
    "htr dump 1 --flat --from 50% -c 20",
    "htr dump 2 --from 10% --to 70% -c 30",
    "htr dump 0 -c 20",
    "htr dump --depth 1000 -c 500 --json",
    "htr block {block}",
    "htr block {block} --json",
    "htr loop {block}",
    "htr loop {block} -c 3 --goto 1 --json",
    "htr hot",
    "htr hot --blocks --json",
    "htr compare {block} 1 2",
    "htr compare {block} --iteration 2 1",
    "htr compare {block} {block}",
    "htr expand {block}",
    "htr expand {block} --depth 2",
    "htr expand {block} --depth 1000 -c 2000 --json",
    "htr expand {block} -k {any}",
    "htr goto {block}",
    "htr goto {block} --next",
    "htr goto {block} --prev",
    "htr goto {block} -k 2 -i 2",
    "htr goto {block} -i {any}",
    "htr where 50%",
    "htr where #{n} --json",
    "htr export ctf -o {out}",
    "htr export perfetto -o {out}",
    "htr export ctf --max-slices 1 -o {out}",
    "htr export perfetto --instructions --max-slices {any} -o {out}",
};

static constexpr StringLiteral ImageLines[] = {
    "list #{n} -c 30",
    "list --function {fn} -c 5",
    "list --writes {var} -c 5",
    "where #{n}",
    "calls tree -c 100",
    "calls where #{n} --json",
    "calls info {fn} -c 5",
    "find {line} -c 3",
    "find {fn} --all -c 3",
    "find {pc} --json -c 3",
    "eval {var} --at {fn} -c 5",
    "eval {var} --at {fn} -c 5 --json",
    "eval {var} --at {line} -c 5",
    "eval *{var} --at {fn} -c 5",
    "eval {var}[1] --at {fn} -c 5",
    "eval {var}->{var} --at {fn} -c 5",
    "eval {var}.{var} --at {line} -c 5",
    "last-write {var}",
    "last-write {var} --at #{n} --json",
    "next-write {var} --at #{n}",
    "history {var} -c 20",
    "history {addr} --size 8 -c 20",
    "origin {var} --at #{n}",
    "why {var} --at #{n}",
    "diff 30% 70% -c 20",
    "profile functions",
    "profile self --by lines --metric time",
    "slice {var} --at #{n} --lines -c 20",
    "deps lines --calls -c 20",
    "export flamegraph -o {out}",
};

namespace {

/// Counts what is written, and keeps nothing.
class Nowhere final : public raw_ostream {
public:
  Nowhere() { SetUnbuffered(); }
  ~Nowhere() override { flush(); }

private:
  uint64_t Bytes = 0;
  void write_impl(const char *, size_t N) override { Bytes += N; }
  uint64_t current_pos() const override { return Bytes; }
};

StringRef registerOf(Arch A) {
  switch (A) {
  case Arch::AArch64:
    return "x0";
  case Arch::Arm:
    return "r0";
  case Arch::PPC64:
  case Arch::PPC64LE:
    return "r3";
  case Arch::X86_64:
    return "rax";
  case Arch::Unknown:
    break;
  }
  return "pc";
}

class Asker {
public:
  Asker(const TraceStore &Store, const Questioning &Q,
        const ImageNames &Names = {})
      : Store(Store), Q(Q), Names(Names), R(Q.Seed), PCs(Store.distinctPCs()) {
    PCs.push_back(R.next());
    consumeError(Store.forEachTouchedRange([&](uint64_t Addr, uint64_t Size) {
      Addrs.push_back(Addr + R.below(Size));
      return Addrs.size() < 100;
    }));
    Addrs.push_back(R.next());
  }

  void ask(ArrayRef<StringLiteral> Questions) {
    for (StringRef Line : Questions) {
      InDebugger = R.chance(0.5);
      ask(Line);
    }
  }

  /// The replay process of a debugger.
  void replay() {
    // The engine wants to own what it asks.
    ReplayEngine E(std::shared_ptr<const TraceStore>(
        std::shared_ptr<const TraceStore>(), &Store));
    const uint64_t Addr = R.pick(Addrs);
    E.addWatchpoint(Addr, R.between(1, 16), AccessKind::Any);
    E.addBreakpoint(R.pick(PCs));
    for (unsigned I = 0; I < 60; ++I) {
      const ThreadIndex T = R.below(std::max(1u, Store.numThreads()));
      switch (R.below(6)) {
      case 0:
        drop(E.runForward());
        break;
      case 1:
        drop(E.runBackward());
        break;
      case 2:
        drop(E.stepForward(T));
        break;
      case 3:
        drop(E.stepBackward(T));
        break;
      case 4:
        E.look({R.below(Store.numInstructions() + 1), T});
        break;
      default:
        E.land({R.below(Store.numInstructions() + 1), T},
               ReplayStop(ReplayStop::Landing));
        drop(E.runForward());
      }
      drop(E.pc(T));
      drop(E.registers(T));
    }
  }

  /// What a condition in LLDB reads.
  void variables(StringRef Elf) {
    ProgramVariables Of;
    Of.setImages({{Elf.str(), 0}});
    for (unsigned I = 0; I < 20; ++I) {
      auto Known = Of.at(R.pick(PCs));
      auto V = Known->variable(R.pick(Names.Variables));
      for (unsigned Steps = 0; V && Steps < 20; ++Steps) {
        auto Inner = Known->member(V->Type, R.pick(Names.Variables));
        if (auto Element = Known->element(V->Type))
          V->Type = *Element;
        else
          V = Inner;
      }
    }
  }

private:
  const TraceStore &Store;
  const Questioning &Q;
  const ImageNames &Names;
  Rng R;
  SessionMemory Memory;
  Place Here;
  bool InDebugger = false;
  std::vector<uint64_t> PCs, Addrs;

  template <typename T> static void drop(Expected<T> E) {
    if (!E)
      consumeError(E.takeError());
  }

  std::string meant(StringRef What) {
    static constexpr uint64_t Breaking[] = {0,
                                            1,
                                            uint64_t(1) << 31,
                                            (uint64_t(1) << 32) - 1,
                                            uint64_t(1) << 32,
                                            uint64_t(1) << 63,
                                            ~uint64_t(0)};
    if (What == "pc")
      return "0x" + utohexstr(R.pick(PCs));
    if (What == "addr")
      return "0x" + utohexstr(R.pick(Addrs));
    if (What == "reg")
      return registerOf(Store.header().Architecture).str();
    if (What == "block")
      return std::to_string(R.below(R.chance(0.5) ? 60 : 2000));
    if (What == "n")
      return std::to_string(R.below(Store.numInstructions() + 1));
    if (What == "any")
      return std::to_string(Breaking[R.below(std::size(Breaking))]);
    if (What == "fn")
      return R.pick(Names.Functions);
    if (What == "var")
      return R.pick(Names.Variables);
    if (What == "line")
      return R.pick(Names.Lines);
    return Q.Folder + "/" + What.str();
  }

  void ask(StringRef Line) {
    std::string Text;
    while (true) {
      auto [Plain, Rest] = Line.split('{');
      Text += Plain;
      if (Rest.empty())
        break;
      auto [What, After] = Rest.split('}');
      Text += meant(What);
      Line = After;
    }
    if (Q.Asking)
      Q.Asking(Text);
    SmallVector<StringRef> Words;
    StringRef(Text).split(Words, ' ');
    unsigned Used = 0;
    const Command *C = findCommand(Words, Used);
    if (!C)
      report_fatal_error(Twine("no such command: ") + Text);
    Nowhere Out;
    Session S(Store, Out, Memory);
    S.TracePath = "mutant";
    S.StorePath = Q.StorePath;
    S.Here = Here;
    S.Symbols = Q.Symbols;
    S.Expressions = Q.Expressions;
    if (InDebugger)
      S.Move = [&](Place Where, const std::string &) {
        Here = Where;
        return Error::success();
      };
    consumeError(runCommand(*C, S, ArrayRef(Words).drop_front(Used)));
  }
};

} // namespace

void rw::askCommands(const TraceStore &Store, const Questioning &Q) {
  Asker A(Store, Q);
  if (Q.Asking)
    Q.Asking("replay");
  A.replay();
  A.ask(Lines);
  A.ask(LayerLines);
}

void rw::askLayers(const TraceStore &Store, const Questioning &Q) {
  Asker(Store, Q).ask(LayerLines);
}

ImageNames rw::namesOf(StringRef Elf) {
  ImageNames Names;
  ElfFile File = cantFail(openElf(Elf.str()));
  DebugInfo Info(*File.getBinary(), Elf, nullptr);
  for (const auto &Unit : Info.units()) {
    if (!Info.entries(*Unit))
      continue;
    for (const DWARFDebugInfoEntry &E : Unit->dies()) {
      const DWARFDie D(Unit.get(), &E);
      const char *Name = D.getShortName();
      if (Name && D.getTag() == dwarf::DW_TAG_subprogram)
        Names.Functions.push_back(Name);
      if (Name && is_contained({dwarf::DW_TAG_variable, dwarf::DW_TAG_member,
                                dwarf::DW_TAG_formal_parameter},
                               D.getTag()))
        Names.Variables.push_back(Name);
    }
    if (const auto *Table = Info.linesOf(*Unit))
      for (const auto &Row : Table->Rows)
        if (std::string File;
            Row.Line &&
            Table->getFileNameByIndex(
                Row.File, "", DILineInfoSpecifier::FileLineInfoKind::RawValue,
                File))
          Names.Lines.push_back(File + ":" + std::to_string(Row.Line));
  }
  if (Names.Functions.empty() || Names.Variables.empty() || Names.Lines.empty())
    report_fatal_error("an image without debug information");
  return Names;
}

void rw::askImage(const TraceStore &Store, const Questioning &Q, StringRef Elf,
                  const ImageNames &Names) {
  Asker A(Store, Q, Names);
  A.ask(ImageLines);
  if (Q.Asking)
    Q.Asking("variables of conditions");
  A.variables(Elf);
}

std::vector<std::string> rw::commandsNotAsked() {
  std::vector<std::string> Names;
  for (const Command *C : commands()) {
    auto asks = [&](StringRef Line) {
      return Line == C->Name || Line.starts_with((C->Name + " ").str());
    };
    if (!C->RunOnFile && !C->ShellOnly && none_of(Lines, asks) &&
        none_of(LayerLines, asks))
      Names.push_back(C->Name.str());
  }
  return Names;
}
