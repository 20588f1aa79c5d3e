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
#include "core/store/TraceStore.h"
#include "core/support/InputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
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
    if (N < 0 || Bits >> N & 1)
      return Bad();
    Bits |= 1 << N;
  }
  bool War = false, Waw = false;
  if (What != "raw")
    for (StringRef Rest = What; !Rest.empty();) {
      bool &Named = Rest.starts_with("+war") ? War : Waw;
      if (Named || !(Rest.consume_front("+war") || Rest.consume_front("+waw")))
        return Bad(); // also what is named twice
      Named = true;
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

namespace {

/// The rules of --latency and --free: the last one that an instruction answers
/// to counts.
class LatencyRules {
public:
  enum Kind { Mnemonic, Place };

  explicit LatencyRules(Session &S) : S(S) {}

  /// \p Unused loses \p Given once the rule is of use.
  Error add(const Twine &By, StringRef Glob, Kind Of, uint32_t Latency,
            std::set<std::string> &Unused, StringRef Given) {
    auto G = NameGlob::create(By, Glob);
    if (!G)
      return G.takeError();
    const size_t Number = Rules.size();
    if (Of == Place)
      Places.push_back(Number);
    else if (Glob.find_first_of("*?[{\\") == StringRef::npos)
      Names[Glob].push_back(Number);
    else
      Globs.push_back(Number);
    Rules.push_back({std::move(*G), Latency, Given.str(), &Unused});
    Unused.insert(Given.str());
    return Error::success();
  }
  bool empty() const { return Rules.empty(); }

  /// After an interrupt, anything: whoever asks must look at the watch.
  std::optional<uint32_t> of(const InsnItem &I) {
    const std::string Text = formatInstruction(S, I);
    std::optional<size_t> Last = ofMnemonic(StringRef(Text).split(' ').first);
    for (size_t N : Places) {
      const NameGlob &Of = Rules[N].Of;
      if (isOf(S, I.PC, Of) || Of.matchWhole(sourcePlace(S, I.PC)))
        Last = std::max(Last, used(N));
    }
    return Last ? std::optional(Rules[*Last].Latency) : std::nullopt;
  }

private:
  struct Rule {
    NameGlob Of;
    uint32_t Latency;
    std::string Given; ///< the option, or the line of the file
    std::set<std::string> *Unused;
  };
  std::optional<size_t> used(size_t N) {
    Rules[N].Unused->erase(Rules[N].Given);
    return N;
  }
  std::optional<size_t> ofMnemonic(StringRef Mnemonic) {
    if (auto It = Known.find(Mnemonic); It != Known.end())
      return It->second;
    std::optional<size_t> Last;
    if (auto It = Names.find(Mnemonic); It != Names.end())
      for (size_t N : It->second)
        Last = std::max(Last, used(N));
    for (const auto &[Tried, N] : llvm::enumerate(Globs)) {
      if (Tried % 1024 == 0 && S.Watch.cancelled())
        return Last;
      if (Rules[N].Of.matchWhole(Mnemonic))
        Last = std::max(Last, used(N));
    }
    Known[Mnemonic] = Last;
    return Last;
  }

  Session &S;
  std::vector<Rule> Rules;
  // Their numbers.
  std::vector<size_t> Places, Globs;
  StringMap<SmallVector<size_t, 1>> Names;
  StringMap<std::optional<size_t>> Known; ///< by mnemonic: the last one
};

} // namespace

Expected<Latencies> parseLatencies(Session &S, const ParsedOptions &O) {
  Latencies L;
  L.Unused = std::make_shared<std::set<std::string>>();
  L.UnusedLines = std::make_shared<std::set<std::string>>();
  auto Rules = std::make_shared<LatencyRules>(S);
  if (auto Path = O.value("latency")) {
    auto Text = readWholeFile(*Path, /*MaxBytes=*/1 << 20);
    if (!Text)
      return Text.takeError();
    SmallVector<StringRef, 0> Lines;
    StringRef Rest = (*Text)->getBuffer();
    Rest.consume_front("\xef\xbb\xbf"); // what some editors begin a file with
    Rest.split(Lines, '\n');
    for (size_t N = 0; N < Lines.size(); ++N) {
      StringRef Line = Lines[N].split('#').first.trim();
      if (Line.empty())
        continue;
      const size_t End = Line.find_first_of(" \t");
      const StringRef Name = Line.take_front(End), Number = Line.substr(End);
      auto Value = parseNumber(Number.trim());
      if (!Value || *Value > 1000000)
        return userError(*Path + ":" + Twine(N + 1) +
                         ": expected a mnemonic and a number up to 1000000");
      if (Error E = Rules->add(*Path + ":" + Twine(N + 1) + ":", Name,
                               LatencyRules::Mnemonic, uint32_t(*Value),
                               *L.UnusedLines, Name))
        return E;
    }
  }
  for (StringRef Given : O.values("free")) {
    StringRef Glob = Given;
    const bool Op = Glob.consume_front("op:");
    if (Error E = Rules->add("--free", Glob,
                             Op ? LatencyRules::Mnemonic : LatencyRules::Place,
                             /*Latency=*/0, *L.Unused, Given))
      return E;
  }
  if (Rules->empty())
    return L;
  // Asked once for each instruction of the program.
  L.Of = [Rules, Unused = L.Unused, Lines = L.UnusedLines](const InsnItem &I) {
    return Rules->of(I);
  };
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
