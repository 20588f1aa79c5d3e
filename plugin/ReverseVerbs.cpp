//===- ReverseVerbs.cpp - reverse-step and its kin ------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/ReverseVerbs.h"
#include "core/replay/ReverseStepper.h"
#include "core/store/TraceStore.h"
#include "lldb/API/LLDB.h"
#include "plugin/LoadedTrace.h"
#include "plugin/Navigation.h"
#include "plugin/TargetSymbols.h"
#include "plugin/private/CommandContext.h"
#include "plugin/private/InlinedDepth.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/Regex.h"

using namespace rw;
using namespace lldb;

static constexpr ReverseVerbInfo Verbs[] = {
    {ReverseVerb::StepInstruction, "reverse-stepi", "rsi",
     "Go back by one instruction.",
     "Goes back by that many instructions, into "
     "calls that returned.\nA breakpoint or watchpoint on the way stops it.\n"},
    {ReverseVerb::NextInstruction, "reverse-nexti", "rni",
     "Go back by one instruction, over calls.",
     "Goes back by that many instructions; a call "
     "that returned here is undone\nas a whole. A breakpoint or watchpoint on "
     "the way stops it.\n"},
    {ReverseVerb::Step, "reverse-step", "rs",
     "Go back to the beginning of the previous line, into calls.",
     "Goes back to the beginning of the previous "
     "line (of this one, from within\nit). A call that returned there is "
     "entered from its end, if its function has\nline information; else it is "
     "passed over, as is what LLDB's\nsettings step-avoid-regexp (functions of "
     "std::, unless you say otherwise) and\nstep-avoid-libraries name. A "
     "breakpoint or watchpoint on the\nway stops it.\n"},
    {ReverseVerb::Next, "reverse-next", "rn",
     "Go back to the beginning of the previous line, over calls.",
     "Goes back to the beginning of the previous "
     "line (of this one, from within\nit) of the same activation: calls in it, "
     "however deep, are undone as a whole.\nFrom the first line of a function "
     "it goes to the caller. A breakpoint or\nwatchpoint on the way stops "
     "it.\n"},
    {ReverseVerb::Finish, "reverse-finish", "rf",
     "Go back to the call of the current function.",
     "Goes back to the call instruction in the "
     "caller of the selected frame's\nfunction. A breakpoint or watchpoint on "
     "the way stops it.\n"},
    {ReverseVerb::Continue, "reverse-continue", "rc",
     "Run backwards to the last breakpoint or watchpoint.",
     "Runs backwards that many times. Unlike "
     "'process continue -R' it does not change\nthe direction in which the "
     "next 'continue' goes.\n"},
};

llvm::ArrayRef<ReverseVerbInfo> rw::reverseVerbs() { return Verbs; }

namespace {
/// The functions that LLDB's `step` does not go into, by its settings.
class AvoidedFunctions {
public:
  explicit AvoidedFunctions(SBDebugger Debugger);
  bool all(SBModule Module) const;
  bool named(const std::string &Name) const {
    return Names && Names->match(Name);
  }

private:
  std::optional<llvm::Regex> Names;
  std::vector<SBFileSpec> Libraries;
};

/// The debug information of a target.
class TargetLines final : public LineSource {
public:
  explicit TargetLines(SBTarget Target)
      : Target(Target), Avoided(Target.GetDebugger()) {}
  CodeLine at(uint64_t PC) override;

private:
  SBTarget Target;
  AvoidedFunctions Avoided;
};
} // namespace

static std::string textOf(SBStructuredData Value) {
  std::string Text(Value.GetStringValue(nullptr, 0), '\0');
  // With the zero behind it.
  Value.GetStringValue(Text.data(), Text.size() + 1);
  return Text;
}

AvoidedFunctions::AvoidedFunctions(SBDebugger Debugger) {
  const std::string Name =
      textOf(Debugger.GetSetting("target.process.thread.step-avoid-regexp"));
  if (!Name.empty())
    Names.emplace(Name);
  SBStructuredData Files =
      Debugger.GetSetting("target.process.thread.step-avoid-libraries");
  for (size_t I = 0; I < Files.GetSize(); ++I)
    Libraries.emplace_back(textOf(Files.GetItemAtIndex(I)).c_str(),
                           /*resolve=*/false);
}

/// "std::sort<int *>" of "void std::sort<int *>(int *, int *)": what LLDB
/// compares. Of functions local to others, it is the whole name.
static std::string avoidableName(SBFunction Function) {
  const char *Mangled = Function.GetMangledName();
  llvm::ItaniumPartialDemangler D;
  if (Mangled && !llvm::StringRef(Mangled).starts_with("_ZZ") &&
      !D.partialDemangle(Mangled) && D.isFunction()) {
    char *Name = D.getFunctionName(nullptr, nullptr);
    std::string Text = Name ? Name : "";
    std::free(Name);
    if (!Text.empty())
      return Text;
  }
  return Function.GetName() ? Function.GetName() : "";
}

bool AvoidedFunctions::all(SBModule Module) const {
  SBFileSpec File = Module.GetFileSpec();
  auto Same = [](const char *A, const char *B) {
    return llvm::StringRef(A ? A : "") == (B ? B : "");
  };
  return llvm::any_of(Libraries, [&](const SBFileSpec &L) {
    return Same(L.GetFilename(), File.GetFilename()) &&
           (Same(L.GetDirectory(), "") ||
            Same(L.GetDirectory(), File.GetDirectory()));
  });
}

CodeLine TargetLines::at(uint64_t PC) {
  CodeLine Result;
  SBAddress A = Target.ResolveLoadAddress(PC);
  SBSymbolContext Context =
      Target.ResolveSymbolContextForAddress(A, eSymbolContextEverything);
  SBLineEntry Line = Context.GetLineEntry();
  SBFunction Function = Context.GetFunction();
  if (!Line.IsValid() || !Function.IsValid())
    return Result;
  Result.StartsRow = Line.GetStartAddress().GetLoadAddress(Target) == PC;
  uint64_t Start = Function.GetStartAddress().GetLoadAddress(Target);
  Result.Prologue = PC >= Start && PC < Start + Function.GetPrologueByteSize();
  const bool AllAvoided = Avoided.all(Context.GetModule());
  // From the inside out: each level's line is where its code, or the call
  // inlined into it, stands.
  CodeLine::Level Level{0, pathOf(Line.GetFileSpec()), Line.GetLine()};
  bool Entered = true;
  for (SBBlock B = Context.GetBlock().GetContainingInlinedBlock(); B.IsValid();
       B = B.GetParent().GetContainingInlinedBlock()) {
    uint32_t Range = B.GetRangeIndexForBlockAddress(A);
    Entered &= Range != UINT32_MAX &&
               B.GetRangeStartAddress(Range).GetLoadAddress(Target) == PC;
    Result.Entered += Entered;
    const std::string Name = B.GetInlinedName() ? B.GetInlinedName() : "";
    Level.Block = B.GetRangeStartAddress(0).GetLoadAddress(Target) * 31 +
                  std::hash<std::string>()(Name) + 1;
    Level.Avoided = AllAvoided || Avoided.named(Name);
    Result.Levels.push_back(std::move(Level));
    Level = {0, pathOf(B.GetInlinedCallSiteFile()), B.GetInlinedCallSiteLine()};
  }
  Level.Avoided = AllAvoided || Avoided.named(avoidableName(Function));
  Result.Levels.push_back(std::move(Level));
  std::reverse(Result.Levels.begin(), Result.Levels.end());
  return Result;
}

static const char *reasonFor(ReverseVerb Verb) {
  switch (Verb) {
  case ReverseVerb::StepInstruction:
    return "reverse step (instruction)";
  case ReverseVerb::NextInstruction:
    return "reverse next (instruction)";
  case ReverseVerb::Step:
    return "reverse step";
  case ReverseVerb::Next:
    return "reverse next";
  case ReverseVerb::Finish:
    return "reverse finish";
  case ReverseVerb::Continue:
    break;
  }
  return "reverse continue";
}

/// How many functions (not inlined calls) lie inside the selected frame.
static unsigned framesBelow(SBThread Thread) {
  unsigned N = 0;
  uint32_t Selected = Thread.GetSelectedFrame().GetFrameID();
  for (uint32_t I = 0; I < Selected; ++I)
    N += !Thread.GetFrameAtIndex(I).IsInlined();
  return N;
}

/// How many levels of inlined calls the innermost frame shows, the function
/// itself counted.
static size_t shownLevels(SBThread Thread) { return shownInlined(Thread) + 1; }

/// Back to the last breakpoint or watchpoint, \p Count times.
static llvm::Error continueBack(uint64_t Count, SBDebugger Debugger,
                                SBTarget Target, LoadedTrace &Trace,
                                ThreadIndex Thread, llvm::raw_ostream &Out) {
  // Conditions and ignore counts are LLDB's business, so each run is its own;
  // all but the last are waited for.
  bool Async = Debugger.GetAsync();
  for (uint64_t I = 1;; ++I) {
    Debugger.SetAsync(I == Count && Async);
    Trace.setQuiet(I < Count);
    Trace.engine().runBackTo({0, Thread}, ReplayStop::HistoryBegin);
    std::string Text;
    llvm::raw_string_ostream Stream(Text);
    llvm::Error E = resume(Debugger, Target, Stream);
    Trace.setQuiet(false);
    bool AtBegin =
        I < Count && Trace.engine().lastStop().What == ReplayStop::HistoryBegin;
    if (E || I == Count || AtBegin) {
      Debugger.SetAsync(Async);
      Out << Text;
      return E;
    }
  }
}

llvm::Error rw::runReverse(ReverseVerb Verb, uint64_t Count,
                           SBDebugger Debugger, SBTarget Target,
                           LoadedTrace &Trace, llvm::raw_ostream &Out) {
  const TraceStore &Store = Trace.store();
  Place Here = commandPlace(Target, Trace);
  if (Verb == ReverseVerb::Continue)
    return continueBack(Count, Debugger, Target, Trace, Here.Thread, Out);
  auto P = Store.positionOf(Here.Thread, Here.When);
  if (!P)
    return P.takeError();

  SBThread Thread = commandThread(Target);
  size_t Depth = shownLevels(Thread);
  std::optional<Position> To = *P;
  if (Verb == ReverseVerb::StepInstruction) {
    if (*P >= Count)
      To = *P - Count;
    else
      To.reset();
  } else {
    auto Calls = Trace.calls();
    if (!Calls)
      return Calls.takeError();
    TargetLines Lines(Target);
    ReverseStepper Stepper(Store, **Calls, Lines, Here.Thread);
    unsigned Up = Verb == ReverseVerb::Finish ? framesBelow(Thread) : 0;
    for (uint64_t I = 0; I < Count && To; ++I, Up = 0) {
      auto Next = Verb == ReverseVerb::Step     ? Stepper.step(*To, Depth)
                  : Verb == ReverseVerb::Next   ? Stepper.next(*To, Depth)
                  : Verb == ReverseVerb::Finish ? Stepper.finish(*To, Up)
                                                : Stepper.nextInstruction(*To);
      if (!Next)
        return Next.takeError();
      if (!*Next && Verb == ReverseVerb::Finish)
        return llvm::createStringError(
            "the trace begins inside this function: it does not show the call");
      To = *Next;
    }
  }
  ReplayStop Why;
  Instant End{0, Here.Thread};
  if (To) {
    auto M = Store.momentOf(Here.Thread, *To);
    if (!M)
      return M.takeError();
    if (Verb == ReverseVerb::Next || Verb == ReverseVerb::Step) {
      auto Insn = Store.instruction(*M);
      if (!Insn)
        return Insn.takeError();
      CodeLine Line = TargetLines(Target).at(Insn->Insn.PC);
      if (Line.Levels.size() > Depth)
        showOutside(Thread, Insn->Insn.PC,
                    unsigned(std::min<size_t>(Line.Entered,
                                              Line.Levels.size() - Depth)));
    }
    End.When = *M;
    Why.What = ReplayStop::Landing;
    Why.Text = reasonFor(Verb);
  } else {
    auto M = Store.momentOf(Here.Thread, 0);
    if (!M)
      return M.takeError();
    // A thread may stand before its first instruction from the start.
    End.When = std::min(*M, Here.When);
    Why.What = ReplayStop::HistoryBegin;
  }
  Trace.engine().runBackTo(End, std::move(Why));
  return resume(Debugger, Target, Out);
}
