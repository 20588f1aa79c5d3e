//===- Modes.cpp - Which dependences count --------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/dataflow/Modes.h"
#include "commands/support/Listing.h"
#include "commands/support/NameGlob.h"
#include "commands/support/PositionExpr.h"
#include "core/support/InputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace rw {

using dataflow::ControlMode;

static Error parseStorage(StringRef Text, dataflow::StorageModes &Modes) {
  auto Bad = [&] {
    return usageError("--storage wants raw, +war, +waw or +war+waw, and behind "
                      "a colon any of registers, stack, memory; not '" +
                      Text + "'");
  };
  auto [What, Where] = Text.split(':');
  if (Where.empty() && Text.contains(':'))
    return usageError("--storage " + Text +
                      " names nothing behind the colon: "
                      "registers, stack, memory, or several with commas");
  uint8_t Bits = 0;
  SmallVector<StringRef, 3> Classes;
  (Where.empty() ? StringRef("memory") : Where).split(Classes, ',');
  for (StringRef C : Classes) {
    int N = StringSwitch<int>(C)
                .Case("registers", 0)
                .Case("stack", 1)
                .Case("memory", 2)
                .Default(-1);
    if (N < 0)
      return Bad();
    Bits |= 1 << N;
  }
  bool War = false, Waw = false;
  if (What != "raw")
    for (StringRef Rest = What; !Rest.empty();) {
      if (Rest.consume_front("+war"))
        War = true;
      else if (Rest.consume_front("+waw"))
        Waw = true;
      else
        return Bad();
    }
  if (What.empty())
    return Bad();
  Modes.WAR = (Modes.WAR & ~Bits) | (War ? Bits : 0);
  Modes.WAW = (Modes.WAW & ~Bits) | (Waw ? Bits : 0);
  return Error::success();
}

Expected<ControlMode> parseControl(const ParsedOptions &O) {
  StringRef Control = O.value("control").value_or("none");
  if (Control == "none")
    return ControlMode::None;
  if (Control == "exact")
    return ControlMode::Exact;
  if (Control == "call")
    return ControlMode::Call;
  if (Control == "all")
    return ControlMode::All;
  return usageError("--control wants none, exact, call or all, not '" +
                    Control + "'");
}

Expected<std::unique_ptr<dataflow::ControlTable>>
controlTable(Session &S, const ParsedOptions &O, dataflow::StepCodes &Codes,
             const CallIndex *Calls, Moment To) {
  auto Mode = parseControl(O);
  if (!Mode)
    return Mode.takeError();
  if (*Mode == ControlMode::None)
    return nullptr;
  dataflow::ControlFlow Flow;
  if (*Mode == ControlMode::Exact)
    if (Error E = followControl(S.Store, Calls, Codes, S.Watch, Flow))
      return E;
  return dataflow::ControlTable::make(S.Store, Calls, Codes, *Mode, &Flow, To,
                                      S.Watch);
}

Error parseModes(const ParsedOptions &O, dataflow::PathQuery &Q) {
  auto Control = parseControl(O);
  if (!Control)
    return Control.takeError();
  Q.Control = *Control;
  for (StringRef Text : O.values("storage"))
    if (Error E = parseStorage(Text, Q.Storage))
      return E;
  auto Load = O.number("load-latency"), Stack = O.number("stack-latency");
  if (!Load || !Stack)
    return joinErrors(Load.takeError(), Stack.takeError());
  for (auto N : {*Load, *Stack})
    if (N && *N > 1000000)
      return usageError("a latency is at most 1000000, not " + Twine(*N));
  Q.Latency.Load = uint32_t(Load->value_or(1));
  Q.Latency.StackLoad = uint32_t(Stack->value_or(Q.Latency.Load));
  Q.Suppress = !O.has("no-suppress");
  return Error::success();
}

Error parsePart(Session &S, const ParsedOptions &O, dataflow::PathQuery &Q) {
  auto Span = searchSpan(S, O);
  if (!Span)
    return Span.takeError();
  Q.Part.From = Span->From;
  Q.Part.To = Span->To;
  if (auto Text = O.value("thread")) {
    auto T = parseThread(S.Store, *Text);
    if (!T)
      return T.takeError();
    Q.Part.Thread = *T;
  }
  return Error::success();
}

std::string partText(const Session &S, const ParsedOptions &O,
                     const dataflow::PathQuery &Q) {
  std::string Text;
  if (O.has("from") || O.has("to")) {
    Text = formatPosition(Q.Part.From) + " to " +
           formatPosition(std::min(Q.Part.To, S.Store.numInstructions()));
    if (S.Store.numThreads() > 1)
      Text += " of all threads together";
  }
  if (Q.Part.Thread) {
    Text += Text.empty() ? "" : ", ";
    Text += "thread " + threadLabel(S.Store, *Q.Part.Thread);
  }
  return Text.empty() ? Text : " (" + Text + ")";
}

Error Latencies::check() const {
  if (Unused->empty())
    return Error::success();
  return userError("--free " + *Unused->begin() +
                   ": no such function, file:line or mnemonic was executed");
}

std::vector<std::string> Latencies::remarks() const {
  if (UnusedLines->empty())
    return {};
  constexpr size_t Shown = 3;
  std::vector<std::string> Names;
  for (const std::string &Line : *UnusedLines)
    if (Names.size() < Shown)
      Names.push_back(Line);
  std::string Text = "--latency: nothing was executed of " + join(Names, ", ");
  if (UnusedLines->size() > Shown)
    Text += " and " + grouped(UnusedLines->size() - Shown) + " others";
  return {Text};
}

Expected<Latencies> parseLatencies(Session &S, const ParsedOptions &O) {
  struct Rule {
    NameGlob Of;
    uint32_t Latency;
    enum { Mnemonic, Place } Kind;
    std::string Given; ///< the option, or the line of the file
  };
  Latencies L;
  L.Unused = std::make_shared<std::set<std::string>>();
  L.UnusedLines = std::make_shared<std::set<std::string>>();
  std::vector<Rule> Rules;
  auto Add = [&](const Twine &By, StringRef Glob, uint32_t Latency,
                 auto Kind) -> Error {
    auto G = NameGlob::create(By, Glob);
    if (!G)
      return G.takeError();
    Rules.push_back({std::move(*G), Latency, Kind, Glob.str()});
    return Error::success();
  };
  if (auto Path = O.value("latency")) {
    auto Text = readWholeFile(*Path, /*MaxBytes=*/1 << 20);
    if (!Text)
      return Text.takeError();
    SmallVector<StringRef, 0> Lines;
    (*Text)->getBuffer().split(Lines, '\n');
    for (size_t N = 0; N < Lines.size(); ++N) {
      StringRef Line = Lines[N].split('#').first.trim();
      if (Line.empty())
        continue;
      auto [Name, Number] = Line.split(' ');
      auto Value = parseNumber(Number.trim());
      if (!Value || *Value > 1000000)
        return userError(*Path + ":" + Twine(N + 1) +
                         ": expected a mnemonic and a number up to 1000000");
      if (Error E = Add(*Path + ":" + Twine(N + 1) + ":", Name,
                        uint32_t(*Value), Rule::Mnemonic))
        return E;
      L.UnusedLines->insert(Name.str());
    }
  }
  const size_t FromFile = Rules.size();
  for (StringRef Text : O.values("free")) {
    L.Unused->insert(Text.str());
    const std::string Given = Text.str();
    bool Op = Text.consume_front("op:");
    if (Error E = Add("--free", Text, 0, Op ? Rule::Mnemonic : Rule::Place))
      return E;
    Rules.back().Given = Given;
  }
  if (Rules.empty())
    return L;
  // Asked once for each instruction of the program.
  L.Of = dataflow::StepCodes::LatencyOf(
      [&S, Unused = L.Unused, Lines = L.UnusedLines, FromFile,
       Rules = std::move(Rules)](const InsnItem &I) -> std::optional<uint32_t> {
        std::optional<uint32_t> Latency;
        std::string Text = formatInstruction(S, I);
        StringRef Mnemonic = StringRef(Text).split(' ').first;
        for (const auto &[N, R] : llvm::enumerate(Rules))
          if (R.Kind == Rule::Mnemonic
                  ? R.Of.matchWhole(Mnemonic)
                  : isOf(S, I.PC, R.Of) ||
                        R.Of.matchWhole(sourcePlace(S, I.PC))) {
            Latency = R.Latency;
            (N < FromFile ? Lines : Unused)->erase(R.Given);
          }
        return Latency;
      });
  return L;
}

std::string notUnderstood(uint64_t Count) {
  return grouped(Count) +
         (Count == 1
              ? " instruction is not understood: what it reads is missing"
              : " instructions are not understood: what they read is missing");
}

std::string leftOut(uint64_t Crossings) {
  return grouped(Crossings) + (Crossings == 1
                                   ? " dependence between threads is left out"
                                   : " dependences between threads are left "
                                     "out");
}

std::vector<std::string> pathRemarks(const dataflow::PathAnswer &A) {
  std::vector<std::string> Lines;
  if (A.Unknown)
    Lines.push_back(notUnderstood(A.Unknown) + ", so the path may be longer");
  if (A.Crossings)
    Lines.push_back(leftOut(A.Crossings) +
                    ": atomic calls of different threads have no common "
                    "ancestor");
  return Lines;
}

} // namespace rw
