//===- TtuTree.cpp - The call tree of the Tarmac Trace Utilities ----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/calls/TtuTree.h"
#include "core/store/TraceStore.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <deque>
#include <functional>
#include <map>

namespace rw {

llvm::Error TtuCalls::refill() {
  constexpr uint64_t AtOnce = 1024;
  Batch.clear();
  InBatch = 0;
  while (Batch.empty() && NextNumber < Index.size(T)) {
    uint64_t To = NextNumber + AtOnce;
    llvm::Error E = Index.forEach(T, NextNumber, To, [&](const Activation &A) {
      if (A.Kind == ActivationKind::Root || (A.Flags & Activation::TtuCall))
        Batch.push_back({A.Start, A.End});
      return true;
    });
    if (E)
      return E;
    NextNumber = To;
  }
  return llvm::Error::success();
}

/// Makes Ahead the next call of both lists.
llvm::Error TtuCalls::advance() {
  if (InBatch == Batch.size())
    if (llvm::Error E = refill())
      return E;
  const bool HaveListed = InBatch < Batch.size();
  if (Only && (!HaveListed || Only->Start < Batch[InBatch].Start)) {
    Ahead = {Only->Start, Only->End};
    auto Next = Index.nextTtuOnly(T, Place);
    if (!Next)
      return Next.takeError();
    Only = *Next;
  } else if (HaveListed) {
    Ahead = Batch[InBatch++];
  } else {
    Ahead.reset();
  }
  return llvm::Error::success();
}

llvm::Expected<std::optional<TtuCalls::Event>> TtuCalls::next() {
  if (!Begun) {
    Begun = true;
    auto First = Index.nextTtuOnly(T, Place);
    if (!First)
      return First.takeError();
    Only = *First;
    if (llvm::Error E = advance())
      return E;
  }
  if (!Ends.empty() && (!Ahead || Ends.front() <= Ahead->Start)) {
    Position End = Ends.front();
    std::pop_heap(Ends.begin(), Ends.end(), std::greater<>());
    Ends.pop_back();
    return Event{false, End, End};
  }
  if (!Ahead)
    return std::nullopt;
  Event E{true, Ahead->Start, Ahead->End};
  Ends.push_back(Ahead->End);
  std::push_heap(Ends.begin(), Ends.end(), std::greater<>());
  if (llvm::Error Failure = advance())
    return Failure;
  return E;
}

namespace {

/// The exits of calls, by number, where they are not their own.
llvm::Expected<std::map<uint64_t, Position>>
exchangedExits(const CallIndex &Index, ThreadIndex T) {
  std::map<uint64_t, Position> Exchanged;
  TtuCalls Calls(Index, T);
  std::vector<std::pair<uint64_t, Position>> Open; ///< number, own end
  for (uint64_t Number = 0;;) {
    auto Event = Calls.next();
    if (!Event)
      return Event.takeError();
    if (!*Event)
      return Exchanged;
    if ((*Event)->Entry) {
      Open.push_back({Number++, (*Event)->End});
    } else {
      if (Open.back().second != (*Event)->At)
        Exchanged[Open.back().first] = (*Event)->At;
      Open.pop_back();
    }
  }
}

llvm::Expected<Site> ttuSite(SiteReader &Sites, Position P) {
  auto S = Sites.at(P);
  // TTU's addresses of code have a Thumb bit.
  if (S && S->Isa == ISA::T32)
    S->PC |= 1;
  return S;
}

void printSite(llvm::raw_ostream &Out, const Site &S) {
  Out << "t:" << S.Time << " l:" << S.Line << " pc:0x";
  Out.write_hex(S.PC);
}

/// A call's line tells where it ends: calls wait until that is read, but not
/// for long. The ends of long ones are looked up.
class TreePrinter {
public:
  TreePrinter(const CallQuery &Q, ThreadIndex T, uint64_t FirstLine,
              const std::map<uint64_t, Position> &Exchanged,
              llvm::raw_ostream &Out)
      : Q(Q), FirstLine(FirstLine), Exchanged(Exchanged), Out(Out),
        Near(Q.Store, T), Far(Q.Store, T), N(Q.Store.numInstructions(T)) {}

  llvm::Error enter(const TtuCalls::Event &E) {
    const uint64_t Number = Printed + Waiting.size();
    if (Number % 4096 == 0)
      if (llvm::Error Stop = Q.Watch.step("walking calls", E.At, N))
        return Stop;
    Line L;
    L.Depth = unsigned(Open.size());
    L.End = E.End;
    if (Number > 0)
      if (llvm::Error Failure = read(Near, E.At - 1, L.Call))
        return Failure;
    if (llvm::Error Failure = read(Near, E.At, L.Entry))
      return Failure;
    if (Number == 0 && FirstLine)
      L.Entry.Line = FirstLine;
    Waiting.push_back(L);
    Open.push_back(Number);
    return flush(MaxWaiting);
  }

  llvm::Error leave(const TtuCalls::Event &E) {
    uint64_t Number = Open.back();
    Open.pop_back();
    if (Number < Printed)
      return llvm::Error::success();
    return readExit(Near, E.At, Waiting[Number - Printed]);
  }

  llvm::Error finish() { return flush(0); }

private:
  static constexpr size_t MaxWaiting = 1024;
  struct Line {
    unsigned Depth = 0;
    bool Complete = false;
    Position End = 0;
    Site Call, Entry, Exit, Resume;
  };

  static llvm::Error read(SiteReader &Sites, Position P, Site &To) {
    auto S = ttuSite(Sites, P);
    if (!S)
      return S.takeError();
    To = *S;
    return llvm::Error::success();
  }

  llvm::Error readExit(SiteReader &Sites, Position End, Line &To) {
    To.Complete = true;
    if (llvm::Error E = read(Sites, End - 1, To.Exit))
      return E;
    return End < N ? read(Sites, End, To.Resume) : llvm::Error::success();
  }

  llvm::Error flush(size_t Leave) {
    while (!Waiting.empty() &&
           (Waiting.front().Complete || Waiting.size() > Leave)) {
      Line &L = Waiting.front();
      if (!L.Complete) {
        auto It = Exchanged.find(Printed);
        if (llvm::Error E =
                readExit(Far, It == Exchanged.end() ? L.End : It->second, L))
          return E;
      }
      print(L);
      Waiting.pop_front();
      ++Printed;
    }
    return llvm::Error::success();
  }

  void print(const Line &L) {
    unsigned Indent = L.Depth * 4;
    if (Printed > 0) {
      Out.indent(Indent - 2) << "- ";
      printSite(Out, L.Call);
      Out << " - ";
      printSite(Out, L.Resume);
      Out << "\n";
    }
    Out.indent(Indent) << "o ";
    printSite(Out, L.Entry);
    Out << " - ";
    printSite(Out, L.Exit);
    Out << " : " << Q.Names.at(L.Entry.PC).Name << "\n";
  }

  const CallQuery &Q;
  uint64_t FirstLine;
  const std::map<uint64_t, Position> &Exchanged;
  llvm::raw_ostream &Out;
  SiteReader Near, Far;
  uint64_t N;
  uint64_t Printed = 0; ///< calls that are done with
  std::deque<Line> Waiting;
  std::vector<uint64_t> Open; ///< numbers
};

/// Gets the calls of a thread with the sites of their first and last
/// instructions.
class TtuVisitor {
public:
  virtual ~TtuVisitor() = default;
  virtual void enter(const Site &Entry) = 0;
  virtual void leave(const Site &Exit) = 0;
};

llvm::Error sweepTtuCalls(const CallQuery &Q, ThreadIndex T,
                          TtuVisitor &Visitor) {
  TtuCalls Calls(Q.Index, T);
  SiteReader Sites(Q.Store, T);
  for (uint64_t Count = 0;; ++Count) {
    auto Event = Calls.next();
    if (!Event)
      return Event.takeError();
    if (!*Event)
      return llvm::Error::success();
    if (Count % 4096 == 0)
      if (llvm::Error E = Q.Watch.step("walking calls", (*Event)->At,
                                       Q.Store.numInstructions(T)))
        return E;
    const bool Entry = (*Event)->Entry;
    auto S = ttuSite(Sites, Entry ? (*Event)->At : (*Event)->At - 1);
    if (!S)
      return S.takeError();
    Entry ? Visitor.enter(*S) : Visitor.leave(*S);
  }
}

} // namespace

llvm::Error printTtuTree(const CallQuery &Q, ThreadIndex T, uint64_t FirstLine,
                         llvm::raw_ostream &Out) {
  auto Exchanged = exchangedExits(Q.Index, T);
  if (!Exchanged)
    return Exchanged.takeError();
  TreePrinter Printer(Q, T, FirstLine, *Exchanged, Out);
  TtuCalls Calls(Q.Index, T);
  for (;;) {
    auto Event = Calls.next();
    if (!Event)
      return Event.takeError();
    if (!*Event)
      return Printer.finish();
    if (llvm::Error E =
            (*Event)->Entry ? Printer.enter(**Event) : Printer.leave(**Event))
      return E;
  }
}

llvm::Error printTtuProfile(const CallQuery &Q, llvm::raw_ostream &Out) {
  struct Sum {
    uint64_t Count = 0, Time = 0;
  };
  struct Collector final : TtuVisitor {
    std::map<uint64_t, Sum> Sums;
    std::vector<std::pair<Sum *, uint64_t>> Open; ///< with the time of entry
    void enter(const Site &Entry) override {
      Open.push_back({&Sums[Entry.PC], Entry.Time});
    }
    void leave(const Site &Exit) override {
      auto [Sum, Time] = Open.back();
      Open.pop_back();
      ++Sum->Count;
      Sum->Time += Exit.Time - Time + 1;
    }
  } Collector;
  for (ThreadIndex T = 0; T < Q.Index.numThreads(); ++T)
    if (llvm::Error E = sweepTtuCalls(Q, T, Collector))
      return E;
  Out << llvm::format("%-12s%-12s%-12s%s\n", "Address", "Count", "Time",
                      "Function name");
  for (const auto &[PC, S] : Collector.Sums)
    Out << llvm::format("0x%-9llx %-11llu %-11llu ", (unsigned long long)PC,
                        (unsigned long long)S.Count, (unsigned long long)S.Time)
        << Q.Names.at(PC).Name << "\n";
  return llvm::Error::success();
}

llvm::Error printTtuFlameGraph(const CallQuery &Q, llvm::raw_ostream &Out) {
  struct Collector final : TtuVisitor {
    FunctionNames &Names;
    std::map<std::string, uint64_t> Stacks;
    struct Call {
      uint64_t *Sum, Time;
      size_t NameEnd;
    };
    std::vector<Call> Open;
    std::string Stack;

    explicit Collector(FunctionNames &Names) : Names(Names) {}
    void enter(const Site &Entry) override {
      if (!Open.empty())
        Stack += ';';
      Stack += Names.nameOr(Entry.PC);
      Open.push_back({&Stacks[Stack], Entry.Time, Stack.size()});
    }
    /// Own time of a call: what it took less what its callees took. Sums wrap
    /// around and come right in the end, as in the original.
    void leave(const Site &Exit) override {
      Call C = Open.back();
      Open.pop_back();
      uint64_t Time = Exit.Time - C.Time;
      *C.Sum += Time;
      if (!Open.empty())
        *Open.back().Sum -= Time;
      Stack.resize(Open.empty() ? 0 : Open.back().NameEnd);
    }
  } Collector(Q.Names);
  for (ThreadIndex T = 0; T < Q.Index.numThreads(); ++T)
    if (llvm::Error E = sweepTtuCalls(Q, T, Collector))
      return E;
  for (const auto &[Stack, Time] : Collector.Stacks)
    Out << Stack << ' ' << Time << '\n';
  return llvm::Error::success();
}

} // namespace rw
