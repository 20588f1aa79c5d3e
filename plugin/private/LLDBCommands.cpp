//===- LLDBCommands.cpp - LLDB's own commands -----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/private/LLDBCommands.h"
#include "core/expr/Expression.h"
#include "core/expr/ExpressionSize.h"
#include "core/expr/StoreInput.h"
#include "core/store/TraceStore.h"
#include "core/support/Backoff.h"
#include "core/support/ReadOnlyMessage.h"
#include "core/support/Words.h"
#include "lldb/Interpreter/CommandObjectMultiword.h"
#include "plugin/EventMarker.h"
#include "plugin/LoadedTrace.h"
#include "plugin/Navigation.h"
#include "plugin/TargetExpressions.h"
#include "plugin/TargetTypes.h"
#include "plugin/UnknownVariables.h"
#include "plugin/private/CommandContext.h"
#include "plugin/private/DebuggerState.h"
#include "plugin/private/PrivateCommands.h"
#include "plugin/private/RunState.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <unistd.h>

using namespace lldb;
using llvm::ArrayRef;
using llvm::StringRef;

namespace rw {
using lldb_private::CommandObject;
using lldb_private::CommandObjectMultiword;

struct SubcommandsOf {
  typedef CommandObject::CommandMap CommandObjectMultiword::*type;
  friend type memberOf(SubcommandsOf);
};
template struct Expose<SubcommandsOf,
                       &CommandObjectMultiword::m_subcommand_dict>;
} // namespace rw

using namespace rw;

/// \p Baton is what overrideCommands() gives LLDB: what outlives a debugger
/// must not keep it.
static SBDebugger debuggerOf(void *Baton) {
  return SBDebugger::FindDebuggerWithID(int(reinterpret_cast<intptr_t>(Baton)));
}

static std::shared_ptr<LoadedTrace> selected(void *Debugger, SBDebugger &D,
                                             SBTarget &Target) {
  D = debuggerOf(Debugger);
  if (OwnCommand::Depth)
    return nullptr;
  Target = commandTarget(D);
  return traceOf(Target);
}

/// They end with a null.
static ArrayRef<const char *> all(const char **Words) {
  size_t Count = 0;
  while (Words[Count])
    ++Count;
  return {Words, Count};
}

/// As it was typed, or as good.
static std::string commandLine(const char **Words) {
  std::string Line = *Words;
  for (++Words; *Words; ++Words) {
    StringRef Word = *Words;
    if (Word.find_first_of(" \t\"'`\\") == StringRef::npos && !Word.empty()) {
      Line += " " + Word.str();
      continue;
    }
    Line += " \"";
    for (char C : Word) {
      if (StringRef("\"`\\").contains(C))
        Line += '\\';
      Line += C;
    }
    Line += '"';
  }
  return Line;
}

/// Called before a command of LLDB; false lets it run. LLDB has its own words
/// for a process that runs on.
static bool waitFirst(void *Debugger, const char **,
                      lldb_private::CommandReturnObject &) {
  SBDebugger D = debuggerOf(Debugger);
  if (!OwnCommand::Depth)
    awaitAllStops(D);
  return false;
}

/// Waits before a command that looks for a thread. LLDB has done so already,
/// and found none if it ran: then the command is begun anew. That is not known
/// of the first one at a stop. LLDB's own thread, which runs hooks, hands a
/// thread on to their commands.
static bool waitForThread(void *Debugger, const char **Words,
                          lldb_private::CommandReturnObject &Result) {
  SBDebugger D;
  SBTarget Target;
  auto Trace = selected(Debugger, D, Target);
  if (!Trace)
    return waitFirst(Debugger, Words, Result);
  SBProcess Process = Target.GetProcess();
  const bool Stands = stands(Process, *Trace);
  if (Stands && (!D.GetAsync() || eventTaker(D) != EventTaker::LLDB))
    return waitFirst(Debugger, Words, Result);
  if (llvm::Error E = awaitStop(D, Target, *Trace)) {
    llvm::consumeError(std::move(E));
    return false;
  }
  if (!Trace->firstAtStop(Process.GetStopID()) && Stands)
    return waitFirst(Debugger, Words, Result);
  OpenResult R(Result);
  SBExecutionContext Context(commandFrame(Target));
  D.GetCommandInterpreter().HandleCommand(commandLine(Words).c_str(), Context,
                                          R);
  return true;
}

/// Whether a command is refused for what \p Check says of its words.
static bool refuse(llvm::Error (*Check)(StringRef), void *Debugger,
                   const char **Words,
                   lldb_private::CommandReturnObject &Result) {
  SBDebugger D;
  SBTarget Target;
  if (!selected(Debugger, D, Target))
    return false;
  llvm::Error E = Check(commandLine(Words));
  if (!E)
    return false;
  OpenResult(Result).SetError(llvm::toString(std::move(E)).c_str());
  return true;
}

/// Called before a command whose arguments LLDB may parse as expressions.
static bool refuseTooDeep(void *Debugger, const char **Words,
                          lldb_private::CommandReturnObject &Result) {
  return refuse(checkExpressionSize, Debugger, Words, Result);
}

static bool checkAndWait(void *Debugger, const char **Words,
                         lldb_private::CommandReturnObject &Result) {
  return refuseTooDeep(Debugger, Words, Result) ||
         waitForThread(Debugger, Words, Result);
}

/// Called before a command that may understand variables without Clang.
static bool checkPathAndWait(void *Debugger, const char **Words,
                             lldb_private::CommandReturnObject &Result) {
  return refuse(checkVariablePath, Debugger, Words, Result) ||
         checkAndWait(Debugger, Words, Result);
}

/// Called before what would change the process. Some write a hundred registers.
static bool refuseToChange(void *Debugger, const char **,
                           lldb_private::CommandReturnObject &Result) {
  SBDebugger D;
  SBTarget Target;
  if (!selected(Debugger, D, Target))
    return false;
  OpenResult(Result).SetError(ReadOnlyMessage.data());
  return true;
}

namespace {
/// Watches a variable of which nothing is known: LLDB has no value of it, and
/// so no size.
struct WatchByAddress {
  std::string Command; ///< empty: it is none that stays where it is
  SBType Type;
};
} // namespace

/// \p Words are "watchpoint set variable [-w type] path".
static WatchByAddress watchByAddress(SBTarget Target, LoadedTrace &Trace,
                                     ArrayRef<const char *> Words) {
  if (Words.size() < 4 || StringRef(Words[2]) != "variable")
    return {};
  std::string Kind; // of accesses
  for (auto Option = Words.slice(3, Words.size() - 4); !Option.empty();
       Option = Option.drop_front(2)) {
    if (Option.size() < 2 || StringRef(Option[0]) != "-w")
      return {};
    Kind = std::string(" -w ") + Option[1];
  }
  const StringRef Path = Words.back();
  const std::string First = Path.take_while(isWord).str();
  SBFrame Frame = commandFrame(Target);
  if (First.empty() || Frame.FindVariable(First.c_str()).IsValid())
    return {};
  auto L = TargetExpressions(Target, Trace)
               .locate(Path, commandPlace(Target, Trace));
  if (!L) {
    llvm::consumeError(L.takeError());
    return {};
  }
  if (L->Where != Location::Memory || L->FieldWidth || !L->Type ||
      !L->Type->isScalar() || !llvm::isPowerOf2_64(L->Size) || L->Size > 16)
    return {};
  const bool Float = L->Type->Kind == TypeKind::Float, Sign = L->Type->Signed;
  if (Float && L->Size < 4)
    return {};
  const BasicType Is = Float          ? L->Size == 4   ? eBasicTypeFloat
                                        : L->Size == 8 ? eBasicTypeDouble
                                                       : eBasicTypeLongDouble
                       : L->Size <= 8 ? integerType(L->Size, Sign)
                       : Sign         ? eBasicTypeInt128
                                      : eBasicTypeUnsignedInt128;
  SBType Type = Target.GetBasicType(Is);
  if (Type.GetByteSize() != L->Size)
    return {};
  return {llvm::formatv("watchpoint set expression{0} -s {1} -- ({2} *){3:x}",
                        Kind, L->Size, Type.GetName(), L->Addr)
              .str(),
          Type};
}

/// Does that for the address that "watchpoint set expression [options --]
/// address" is given: LLDB reads variables in it of which it needs only the
/// place.
static WatchByAddress watchExpression(SBTarget Target, StringRef Line) {
  constexpr StringRef Command = "watchpoint set expression";
  StringRef Rest = Line;
  if (!Rest.consume_front(Command))
    return {};
  const size_t End = Rest.find(" -- ");
  if (Rest.ltrim().starts_with("-") && End == StringRef::npos)
    return {};
  const StringRef Address =
      Rest.ltrim().starts_with("-") ? Rest.substr(End + 4) : Rest;
  SBFrame Frame = commandFrame(Target);
  SBValue V = interpret(Frame, Address.trim());
  SBType Type = V.GetType().GetCanonicalType();
  if (!isGood(V) || !Type.IsPointerType())
    return {};
  const std::string Name = Type.GetName() ? Type.GetName() : "(";
  return {llvm::formatv("{0} -- ({1}){2:x}",
                        Line.drop_back(Address.size()).rtrim(" -"),
                        StringRef(Name).contains('(') ? "void *" : Name,
                        V.GetValueAsUnsigned())
              .str(),
          SBType()};
}

/// What `-s` in \p Line says, in any way of writing it.
static std::optional<uint64_t> watchedSize(StringRef Line) {
  llvm::SmallVector<StringRef> Words;
  Line.split(" -- ").first.split(Words, ' ', -1, /*KeepEmpty=*/false);
  std::optional<uint64_t> Size;
  for (size_t I = 0; I < Words.size(); ++I) {
    StringRef Number = Words[I];
    if ((Number == "-s" || Number == "--size") && I + 1 < Words.size())
      Number = Words[++I];
    else if (!Number.consume_front("--size=") && !Number.consume_front("-s"))
      continue;
    uint64_t N;
    if (!Number.getAsInteger(0, N))
      Size = N;
  }
  return Size;
}

/// Called before `watchpoint set`, which shows zeros and errors of reading for
/// what is unknown.
static bool setWatchpoint(void *Debugger, const char **Words,
                          lldb_private::CommandReturnObject &Result) {
  static thread_local bool Inside = false;
  if (Inside)
    return false;
  if (checkPathAndWait(Debugger, Words, Result))
    return true;
  SBDebugger D;
  SBTarget Target;
  auto Trace = selected(Debugger, D, Target);
  auto State = Trace ? Trace->debuggerState() : nullptr;
  if (!State)
    return false;
  auto Newest = [&] { // one that it overlaps goes
    const uint32_t Count = Target.GetNumWatchpoints();
    return Count ? Target.GetWatchpointAtIndex(Count - 1) : SBWatchpoint();
  };
  const watch_id_t Before = Newest().GetID();
  const std::string Line = commandLine(Words);
  if (const auto Size = watchedSize(Line))
    if (std::string Why = whyNotWatched(*Size); !Why.empty()) {
      OpenResult(Result).SetError(Why.c_str());
      return true;
    }
  bool ByAddress = StringRef(Line).starts_with("watchpoint set e");
  OpenResult R(Result);
  Inside = true;
  D.GetCommandInterpreter().HandleCommand(Line.c_str(), R);
  SBType Type;
  if (!R.Succeeded()) {
    WatchByAddress Other = ByAddress
                               ? watchExpression(Target, Line)
                               : watchByAddress(Target, *Trace, all(Words));
    if (!Other.Command.empty()) {
      R.Clear();
      D.GetCommandInterpreter().HandleCommand(Other.Command.c_str(), R);
      Type = Other.Type;
      ByAddress = true;
    } else if (const char *Why = R.GetError();
               Why && StringRef(Why).contains("watch_size of 0")) {
      const std::string Path = all(Words).back();
      R.Clear();
      R.SetError(("nothing is known of '" + Path +
                  "' here, so LLDB has no size for it: watch its address, "
                  "`watchpoint set expression -s <bytes> -- &" +
                  Path + "`")
                     .c_str());
    }
  }
  Inside = false;
  SBWatchpoint W = Newest();
  if (!R.Succeeded() || !W.IsValid() || W.GetID() == Before)
    return true;
  SBStream Text;
  if (!State->isShownOtherwise(W, Type, ByAddress) ||
      !W.GetDescription(Text, eDescriptionLevelFull))
    return true;
  R.Clear();
  R.AppendMessage(("Watchpoint created: " +
                   StringRef(Text.GetData(), Text.GetSize()).rtrim())
                      .str()
                      .c_str());
  R.SetStatus(eReturnStatusSuccessFinishResult);
  return true;
}

/// The condition that \p Words give to a watchpoint.
static StringRef conditionIn(ArrayRef<const char *> Words) {
  for (size_t I = 0; I < Words.size(); ++I) {
    StringRef Word = Words[I];
    if (Word.consume_front("--condition="))
      return Word;
    if ((Word == "-c" || Word == "--condition") && I + 1 < Words.size())
      return Words[I + 1];
  }
  return "";
}

/// LLDB's interpreter gives a division by zero a value. What the recording
/// tests is told at the stop.
static void warnOfDivision(const LoadedTrace &Trace, StringRef Condition) {
  if (Condition.find_first_of("/%") == StringRef::npos)
    return;
  auto LLDB = Trace.debuggerState();
  ProgramVariables Variables;
  if (LLDB)
    Variables.setImages(LLDB->images());
  const auto Names = Variables.at(std::nullopt);
  ExpressionContext Context = expressionContext(Trace.store());
  Context.Names = Names.get();
  auto E = rw::Expression::compile(Condition, Context);
  if (E)
    return;
  llvm::consumeError(E.takeError());
  Trace.notice("a division by zero is not noticed in this condition: LLDB "
               "tests it, and gives that a value");
}

/// Called before `watchpoint modify`: LLDB itself tests the condition.
static bool checkCondition(void *Debugger, const char **Words,
                           lldb_private::CommandReturnObject &Result) {
  if (checkAndWait(Debugger, Words, Result))
    return true;
  SBDebugger D;
  SBTarget Target;
  if (auto Trace = selected(Debugger, D, Target))
    warnOfDivision(*Trace, conditionIn(all(Words)));
  return false;
}

/// Called before `process launch`, which `run` is.
static bool refuseToRun(void *Debugger, const char **,
                        lldb_private::CommandReturnObject &Result) {
  SBDebugger D;
  SBTarget Target;
  if (!selected(Debugger, D, Target))
    return false;
  OpenResult(Result).SetError(
      "this is a recording: it cannot be run again. 'rewind goto start' goes "
      "to its beginning, 'continue' on from where it stands");
  return true;
}

/// Waits until a stop that was wanted is there. A front end may not take it
/// before the command has ended: lldb-dap's thread for events waits for its
/// thread for requests.
static void awaitWantedStop(SBDebugger D, SBTarget Target, LoadedTrace &Trace) {
  if (eventTaker(D) != EventTaker::Others)
    return llvm::consumeError(awaitStop(D, Target, Trace));
  constexpr auto Patience = std::chrono::seconds(3);
  for (Backoff Look; Trace.stopWanted() && !Trace.lastStopIsTold() &&
                     Trace.engine().idle() < Patience;)
    Look.pause();
}

static void stopRun(SBDebugger D, SBTarget Target, LoadedTrace &Trace) {
  Trace.wantStop(true);
  awaitWantedStop(D, Target, Trace);
  Trace.wantStop(false);
}

/// Called before `process interrupt`, which fails if LLDB is testing the
/// condition of a breakpoint just then: the next run ends where it begins.
static bool interruptRun(void *Debugger, const char **,
                         lldb_private::CommandReturnObject &Result) {
  SBDebugger D;
  SBTarget Target;
  auto Trace = selected(Debugger, D, Target);
  if (!Trace)
    return false;
  const uint64_t Before = Trace->engine().moves();
  stopRun(D, Target, *Trace);
  // LLDB says that nothing runs, if nothing does.
  if (Trace->engine().moves() == Before)
    return false;
  OpenResult(Result).SetStatus(eReturnStatusSuccessFinishNoResult);
  return true;
}

/// A run that takes long is interrupted where somebody waits for it at a
/// terminal: it would go on for as long as conditions are tested, and then end
/// with LLDB. Commands that are piped in want its end.
static void endRuns(SBDebugger D) {
  using Clock = std::chrono::steady_clock;
  const auto Latest = Clock::now() + std::chrono::seconds(1);
  for (uint32_t I = 0; I < D.GetNumTargets(); ++I) {
    SBTarget Target = D.GetTargetAtIndex(I);
    auto Trace = traceOf(Target);
    if (!Trace)
      continue;
    if (llvm::Error E = awaitStop(D, Target, *Trace,
                                  [&] { return Clock::now() > Latest; })) {
      llvm::consumeError(std::move(E));
      stopRun(D, Target, *Trace);
    }
  }
}

/// Called before `quit`, and runs it. LLDB's thread for events removes the
/// status line when it hears of it, while that of the prompt takes the prompt
/// away: each has locked what the other one wants. Without a line neither does.
static bool quitAlone(void *Debugger, const char **Words,
                      lldb_private::CommandReturnObject &Result) {
  static thread_local bool Inside = false;
  if (Inside || OwnCommand::Depth)
    return false;
  SBDebugger D = debuggerOf(Debugger);
  if (::isatty(STDIN_FILENO))
    endRuns(D);
  waitFirst(Debugger, Words, Result);
  if (!hasStatusLine(D))
    return false;
  // Its thread may be taking a prompt away after a stop.
  EventMarker(D).await(eventTaker(D), std::chrono::seconds(1));
  showStatusLine(D, false);
  Inside = true;
  OpenResult R(Result);
  D.GetCommandInterpreter().HandleCommand(commandLine(Words).c_str(), R);
  Inside = false;
  if (R.GetStatus() != eReturnStatusQuit)
    showStatusLine(D, true);
  return true;
}

/// LLDB 22 knows calls and returns of x86 only. Elsewhere its tree of calls
/// goes one deeper with each change of function, and so does the indentation of
/// what it prints: 855,000 instructions become a gigabyte of blanks.
static bool callsNestForEver(const TraceStore &Store) {
  constexpr uint64_t Bearable = 300'000;
  return Store.header().Architecture != Arch::X86_64 &&
         Store.numInstructions() > Bearable;
}

/// Called before `thread trace dump function-calls`, which would end LLDB.
static bool refuseEndlessCalls(void *Debugger, const char **Words,
                               lldb_private::CommandReturnObject &Result) {
  SBDebugger D;
  SBTarget Target;
  auto Trace = selected(Debugger, D, Target);
  const bool ToFile = llvm::any_of(all(Words), [](StringRef Word) {
    return Word.starts_with("-F") || Word.starts_with("--file");
  });
  if (!Trace || ToFile || !callsNestForEver(Trace->store()))
    return checkAndWait(Debugger, Words, Result);
  OpenResult(Result).SetError(
      "LLDB takes every return for a call here, and this trace would need "
      "gigabytes: use 'rewind calls tree'. With '-F <file>' it writes them");
  return true;
}

static lldb_private::CommandOverrideCallbackWithResult
overrideFor(StringRef Name, const lldb_private::Flags &Needs) {
  if (Name == "process launch")
    return refuseToRun;
  if (llvm::is_contained({"memory write", "memory tag write", "register write",
                          "thread jump", "thread return", "process load",
                          "process unload", "process signal"},
                         Name))
    return refuseToChange;
  // What ends a run does not wait for the end of it.
  if (Name == "process interrupt")
    return interruptRun;
  // Those that change breakpoints take no lock that the recording could wait
  // for, and say that they need nothing; where they are piped in they are meant
  // for the stop before them.
  if (Name.starts_with("breakpoint "))
    return checkAndWait;
  if (Name == "dwim-print" || Name == "frame variable")
    return checkPathAndWait;
  if (Name.starts_with("watchpoint set "))
    return setWatchpoint;
  if (Name == "watchpoint modify")
    return checkCondition;
  if (Name == "thread trace dump function-calls")
    return refuseEndlessCalls;
  // They go on, or away, with what a new beginning would hold.
  if (Name == "quit")
    return quitAlone;
  if (Name.starts_with("process ") ||
      llvm::is_contained({"target create", "target delete", "target select"},
                         Name))
    return waitFirst;
  // The text of a script tells nothing of what it needs, and is no expression.
  if (Name == "scripting run")
    return waitForThread;
  return Needs.Get() ? checkAndWait : refuseTooDeep;
}

static void overrideAll(const CommandObject::CommandMap &Commands,
                        const std::string &Group, void *Debugger) {
  for (const auto &[Word, Command] : Commands) {
    const std::string Name = Group + Word;
    if (CommandObjectMultiword *Words = Command->GetAsMultiwordCommand())
      overrideAll(Words->*memberOf(SubcommandsOf()), Name + " ", Debugger);
    else
      Command->SetOverrideCallback(overrideFor(Name, Command->GetFlags()),
                                   Debugger);
  }
}

void rw::overrideCommands(SBDebugger Debugger) {
  if (!privateLLDB())
    return;
  SBCommandInterpreter Interpreter = Debugger.GetCommandInterpreter();
  overrideAll((Interpreter.*memberOf(InterpreterOf()))->GetCommands(), "",
              reinterpret_cast<void *>(intptr_t(Debugger.GetID())));
}
