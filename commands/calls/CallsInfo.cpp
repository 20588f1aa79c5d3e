//===- CallsInfo.cpp - rewind calls info ----------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/calls/CallSupport.h"
#include "commands/support/JsonRows.h"
#include "commands/support/Listing.h"
#include "commands/support/TraceLines.h"
#include "core/arch/CodeAddress.h"
#include "core/calls/CallContexts.h"
#include "core/store/TraceStore.h"
#include "core/support/BriefName.h"
#include "llvm/ADT/StringExtras.h"
#include <deque>
#include <unordered_map>

using namespace llvm;

namespace rw {

/// Every arrival at an address, with its time, line and byte in the trace, as
/// tarmac-callinfo lists them.
static Error printTtuInfo(Session &S, StringRef Name, uint64_t Address) {
  auto Text = traceLines(S);
  if (!Text)
    return Text.takeError();
  if (!isDigit(Name.empty() ? '0' : Name[0]) && S.Symbols) {
    uint64_t Size = 0;
    auto Found = S.Symbols->findSymbol(Name);
    if (!Found.empty())
      Size = Found.front().Size;
    S.Out << "Symbol '" << Name << "' at " << hex(Address) << " (" << Size
          << " bytes) called from :\n";
  }
  for (Moment M = 0;; ++M) {
    if (Error E = S.Watch.check())
      return E;
    auto Visit = S.Store.visitAtOrAfter(Address, M);
    if (!Visit)
      return Visit.takeError();
    if (!*Visit)
      return Error::success();
    M = **Visit;
    auto I = S.Store.instruction(M);
    if (!I)
      return I.takeError();
    auto Line = Text->line(I->Line);
    if (!Line)
      return Line.takeError();
    S.Out << " - time: " << I->Insn.Time << " (line:" << I->Line
          << ", pos:" << Text->offset() << ")\n";
  }
}

namespace {

/// Reports the calls of one function.
class CallLister final : public CallVisitor {
public:
  /// Calls that begin before \p From are left out.
  CallLister(Session &S, FunctionNames &Names, uint64_t Start, ThreadIndex T,
             Position From, uint64_t Limit, JsonItems *Items)
      : S(S), Names(Names), Start(Start), From(From), Limit(Limit),
        Items(Items), Sites(S.Store, T) {}

  Error enter(const CallNode &N) override {
    bool Wanted =
        N.Call.EntryPC == Start || functionOf(Names, N).Start == Start;
    uint64_t Slot = None;
    if (Wanted && N.Call.Start >= From && ++Count <= Limit) {
      Slot = Printed + Found.size();
      Found.push_back({N, !Slots.empty()});
    }
    Slots.push_back(Slot);
    Last = N.Call.Start;
    return Error::success();
  }

  Error leave(const CallNode &N, const CallNode *) override {
    if (Slots.back() != None) {
      Item &F = Found[Slots.back() - Printed];
      F.Node = N;
      F.Left = true;
    }
    Slots.pop_back();
    for (; !Found.empty() && Found.front().Left; Found.pop_front(), ++Printed)
      if (Error E = print(Found.front()))
        return E;
    return Error::success();
  }

  /// All that are wanted of the calls that begin before it were told.
  Position reached() const {
    return Found.empty() ? Last : Found.front().Node.Call.Start;
  }
  uint64_t printed() const { return Printed; }
  uint64_t Count = 0;

private:
  static constexpr uint64_t None = ~uint64_t(0);
  struct Item {
    CallNode Node;
    bool HasCaller;
    bool Left = false;
  };

  /// What rows say of the instruction that made the call: worked out once for
  /// each of the program's.
  struct Caller {
    std::string Text;  ///< "  from main+0xf0 at main.c:12"
    JsonFields Fields; ///< "call_pc", "called_from"
  };

  Caller &callerAt(uint64_t PC) {
    // Memory is bounded, however large the program is.
    constexpr size_t Most = 1 << 15;
    if (Callers.size() == Most)
      Callers.clear();
    auto [It, New] = Callers.try_emplace(PC);
    Caller &C = It->second;
    if (!New)
      return C;
    std::string From =
        formatCode(S, PC, Items ? NameLength::Whole : NameLength::Brief);
    if (From.empty())
      From = hex(PC);
    C.Text = "  from " + From;
    if (Items)
      C.Fields = Items->rows().prepare(
          json::Object{{"called_from", std::move(From)}, {"call_pc", hex(PC)}});
    return C;
  }

  Error print(const Item &F) {
    const Activation &A = F.Node.Call;
    Caller *From = &NoCaller;
    // In the order in which they are read.
    if (F.HasCaller && A.Start > 0) {
      auto Call = Sites.at(A.Start - 1);
      if (!Call)
        return Call.takeError();
      From = &callerAt(Call->PC);
    }
    auto At = Sites.at(A.Start);
    if (!At)
      return At.takeError();
    const std::string Remarks = activationRemarks(A, F.Node.TailCall);
    if (Items)
      addItem(F.Node, *At, *From, Remarks);
    else
      printRow(A, *At, *From, Remarks);
    return Error::success();
  }

  void addItem(const CallNode &N, const Site &At, Caller &From,
               StringRef Remarks) {
    const Activation &A = N.Call;
    JsonRows &Row = Items->begin(From.Fields);
    Row.field("end", A.End);
    Row.plainField("id", formatActivation(S.Store, A));
    Row.field("instructions", A.inclusive());
    if (At.Line)
      Row.field("line", At.Line);
    Row.field("own", N.own());
    if (!Remarks.empty())
      Row.plainField("remarks", Remarks);
    Row.field("returned") += A.returned() ? "true" : "false";
    Row.field("start", A.Start);
    Row.field("thread", uint64_t(A.Thread) + 1);
    if (S.Store.header().Can.Time)
      Row.field("time", At.Time);
    Row.end();
  }

  void printRow(const Activation &A, const Site &At, const Caller &From,
                StringRef Remarks) {
    Row.clear();
    Row += formatActivation(S.Store, A);
    Row += "  #";
    appendDecimal(Row, A.Start);
    Row += "..#";
    appendDecimal(Row, A.End - 1);
    if (S.Store.header().Can.Time) {
      Row += "  ";
      appendTime(Row, S.Store, At.Time, 0);
    }
    if (At.Line) {
      Row += "  line ";
      appendDecimal(Row, At.Line);
    }
    Row += "  ";
    Row += grouped(A.inclusive());
    Row += A.inclusive() == 1 ? " instruction" : " instructions";
    Row += From.Text;
    if (!Remarks.empty())
      Row += ("  (" + Remarks + ")").str();
    Row += '\n';
    S.Out << Row;
  }

  Session &S;
  FunctionNames &Names;
  uint64_t Start;
  Position From;
  uint64_t Limit;
  JsonItems *Items; ///< null: as text
  SiteReader Sites;
  std::unordered_map<uint64_t, Caller> Callers; ///< by address
  Caller NoCaller;
  std::string Row;
  std::vector<uint64_t> Slots; ///< of the open calls: how many wanted before it
  /// In the order of their entries; an open one keeps those inside of it back.
  std::deque<Item> Found;
  uint64_t Printed = 0;
  Position Last = 0; ///< where the last call began
};

} // namespace

static Error info(Session &S, const ParsedOptions &O) {
  auto Ttu = ttuStyle(O);
  if (!Ttu)
    return Ttu.takeError();
  std::string Name = O.text();
  auto Address = parseAddress(S, S.Here, Name);
  if (!Address)
    return Address.takeError();
  uint64_t Start = codeAddress(S.Store.header().Architecture, *Address);
  if (*Ttu) {
    if (O.has("from"))
      return usageError("--style tarmac lists all arrivals: without --from");
    return printTtuInfo(S, Name, Start);
  }
  auto Calls = CallsOfSession::open(S, false);
  auto Limit = listLimit(S, O);
  auto Threads = selectedThreads(S, O);
  auto Range = searchSpan(S, O);
  if (!Calls || !Limit || !Threads || !Range)
    return joinErrors(joinErrors(Calls.takeError(), Limit.takeError()),
                      joinErrors(Threads.takeError(), Range.takeError()));
  FunctionNames &Names = (*Calls)->names();
  JsonItems Items(S.Out);
  Ending End;
  End.Searched = *Range;
  uint64_t Count = 0;
  CallQuery Q = (*Calls)->query();
  for (ThreadIndex T : *Threads) {
    auto From = S.Store.positionOf(T, Range->From);
    if (!From)
      return From.takeError();
    CallLister Lister(S, Names, Start, T, *From, *Limit,
                      O.has("json") ? &Items : nullptr);
    if (Error E = sweepCalls(Q, T, SweepOptions(), Lister)) {
      if (!S.cancelled())
        return E;
      consumeError(std::move(E));
      // The threads behind this one were not looked at.
      auto To = T == Threads->back() ? S.Store.momentOf(T, Lister.reached())
                                     : Expected<Moment>(Range->From);
      if (!To)
        return To.takeError();
      End = {/*Complete=*/false, /*Cancelled=*/true, {Range->From, *To}};
      Count += Lister.printed();
      break;
    }
    Count += Lister.Count;
    End.Complete = End.Complete && Lister.Count <= *Limit;
  }
  if (O.has("json")) {
    S.FoundNothing |= Items.empty();
    json::Object Result = listJson({}, End);
    Result["count"] = Count;
    Items.print(std::move(Result));
    return Error::success();
  }
  S.FoundNothing |= !Count;
  if (End.Cancelled) {
    printEnding(S, Count, "call", End);
    return Error::success();
  }
  S.Out << "-- " << briefName(Names.nameOr(Start)) << " is called "
        << grouped(Count) << (Count == 1 ? " time" : " times");
  if (Range->From)
    S.Out << " from " << formatPosition(Range->From) << " on";
  if (!End.Complete)
    S.Out << "; the first " << grouped(*Limit) << " are listed (--count)";
  S.Out << "\n";
  return Error::success();
}

static constexpr OptionSpec CallsInfoOptions[] = {
    opt::Json,
    opt::Count,
    opt::Thread,
    {"from", 0, "position", "only calls that begin there or later"},
    opt::Style};
extern const Command CallsInfoCommand = {
    .Name = "calls info",
    .Summary = "List every call of a function",
    .Arguments = "<function|address>",
    .Help = R"(
A line for each call: its id, positions, time, line, instructions and where it
was called from. With --style tarmac, a line for each arrival at the address, as
tarmac-callinfo has them (which leaves out arrivals on consecutive lines).

  rewind calls info sort
  rewind calls info 0x4003ec -c 10
)",
    .Options = CallsInfoOptions,
    .MinArguments = 1,
    .Run = info,
    .OnlyAsks = true,
};

} // namespace rw
