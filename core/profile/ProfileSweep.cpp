//===- ProfileSweep.cpp - One pass over the stacks of a trace -------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/profile/ProfileSweep.h"
#include "core/store/TraceStore.h"

namespace rw {

namespace {

/// Which 64-byte lines have been touched, by pages of 64 of them.
class TouchedLines {
public:
  /// How many of [Addr, Addr + Size) were not touched before.
  unsigned touch(uint64_t Addr, uint64_t Size) {
    if (Size == 0)
      return 0;
    unsigned New = 0;
    // An access may go round the end of the address space.
    constexpr uint64_t Mask = ~uint64_t(0) >> 6;
    for (uint64_t L = Addr >> 6, Last = (Addr + Size - 1) >> 6;;
         L = (L + 1) & Mask) {
      if (L != Latest) {
        Latest = L;
        uint64_t &Page = Pages[L >> 6];
        New += !(Page >> (L & 63) & 1);
        Page |= uint64_t(1) << (L & 63);
      }
      if (L == Last)
        break;
    }
    return New;
  }

private:
  llvm::DenseMap<uint64_t, uint64_t> Pages;
  uint64_t Latest = ~uint64_t(0);
};

/// The columns of the metrics; one that nobody asked for is past the others.
struct Columns {
  explicit Columns(llvm::ArrayRef<Metric> Metrics) : Count(Metrics.size()) {
    std::fill(std::begin(Of), std::end(Of), Count);
    for (unsigned I = 0; I < Count; ++I) {
      Of[unsigned(Metrics[I])] = I;
      Needs = std::max(Needs, metricInfo(Metrics[I]).Needs);
    }
  }
  unsigned operator[](Metric M) const { return Of[unsigned(M)]; }
  bool has(Metric M) const { return (*this)[M] != Count; }

  unsigned Count;
  unsigned Of[NumMetrics];
  MetricNeeds Needs = MetricNeeds::Calls;
};

/// A thread: what ran on its stack since the stack last changed.
class ThreadSweep final : public BlockWalk::Listener {
public:
  ThreadSweep(const ProfileRequest &R, const Columns &Of, ContextProfile &P,
              ThreadIndex T, ContextTree::NodeId Root, Position From,
              Position To)
      : From(From), To(To), Thread(T), R(R), Of(Of), P(P), Stack(P, T, Root),
        Last(From), Pending(Of.Count + 1), Call(Of.Count + 1) {
    Call[Of[Metric::Calls]] = 1;
  }

  const Position From;
  Position To;
  unsigned __int128 Elapsed = 0;

  /// All before \p P has run; nothing that happens at it is to count.
  void stopAt(Position P) {
    To = P;
    Stopped = true;
  }
  bool stopped() const { return Stopped; }

  void addWalks(BlockWalkMaker Walks) {
    for (const ProfileGate &G : R.Gates) {
      Gates.push_back(std::make_unique<Gate>(*this, G));
      Gates.back()->Walk = G.Walk(Thread, From, To, *Gates.back());
    }
    Walk = Walks(Thread, From, To, *this);
    LookingAtCode = Walk->looksAtCode();
    for (auto &G : Gates)
      LookingAtCode |= G->Walk->looksAtCode();
    Next = From;
  }
  bool looksAtCode() const { return LookingAtCode; }

  /// The instruction at \p At runs. Gates first: what comes onto the stack
  /// there is counted as they are then.
  llvm::Error runs(Position At, uint64_t PC) {
    if (!LookingAtCode)
      return At >= Next ? advance(At) : llvm::Error::success();
    return advance(At, [&](BlockWalk &W) { W.instruction(At, PC); });
  }
  /// All that happens up to \p At, where nobody looks at code: gates and stack
  /// in turn.
  llvm::Error runTo(Position At) {
    while (!Gates.empty() && Next < At)
      if (llvm::Error E = advance(Next))
        return E;
    return advance(At);
  }

  void push(ProfileBlockId X, Position At, Entry How) override {
    flush(At);
    if (X >= Asked.size())
      Asked.resize(X + 1);
    if (R.RoleOf && !Asked[X]) {
      Asked[X] = true;
      P.setRole(X, R.RoleOf(X));
    }
    Stack.push(X, At, How == Entry::TailCall);
    if (How != Entry::Running && Of.has(Metric::Calls))
      Stack.sample(Call);
  }
  void pop(Position At) override {
    flush(At);
    Stack.pop();
  }

  /// All up to \p At ran on the stack as it is.
  void flush(Position At) {
    if (At == Last)
      return;
    Pending[Of[Metric::Instructions]] += At - Last;
    Last = At;
    if (Of.has(Metric::Time))
      Elapsed += Pending[Of[Metric::Time]];
    Stack.sample(Pending);
    std::fill(Pending.begin(), Pending.end(), 0);
  }
  void finish() {
    flush(To);
    Stack.popAll();
  }

  void add(Metric M, uint64_t Cost) { Pending[Of[M]] += Cost; }
  bool counts() const { return Stack.counts(); }

  /// The instruction at the cursor begins: what that tells of the one before.
  void begins(const Instruction &I) {
    if (I.Pos != From) {
      add(Metric::Time, I.Insn.Time - LastTime);
      if (!Interrupted && I.Insn.PC != ExpectedPC)
        add(Metric::TakenBranches, 1);
    }
    Interrupted = false;
    LastTime = I.Insn.Time;
    ExpectedPC = I.Insn.PC + I.Insn.Size;
  }
  void ends(uint64_t NextPC, uint64_t Time, bool Broken) {
    add(Metric::Time, Time - LastTime);
    if (!Interrupted && !Broken && NextPC != ExpectedPC)
      add(Metric::TakenBranches, 1);
  }
  /// Whether what comes after it is not where the last instruction led.
  static bool breaks(EventKind K) {
    return K == EventKind::Exception || K == EventKind::Gap ||
           K == EventKind::Pause || K == EventKind::Error;
  }
  void event(const StoredEvent &E) {
    if (E.Kind == EventKind::Exception)
      add(Metric::Exceptions, 1);
    Interrupted |= breaks(E.Kind);
  }

private:
  /// A gate's stack.
  struct Gate final : BlockWalk::Listener {
    Gate(ThreadSweep &S, const ProfileGate &Of) : S(S), Of(Of) {}
    void push(ProfileBlockId X, Position At, Entry) override {
      if (X >= Roles.size())
        Roles.resize(X + 1);
      if (!Roles[X])
        Roles[X] = Of.RoleOf(X);
      change(*Roles[X], At, 1);
      Blocks.push_back(X);
    }
    void pop(Position At) override {
      change(*Roles[Blocks.back()], At, -1);
      Blocks.pop_back();
    }
    void change(const BlockRole &Role, Position At, int By) {
      if (!Role.Selected && !Role.Excluded)
        return;
      S.flush(At);
      S.Stack.gate(Role, By);
    }

    ThreadSweep &S;
    const ProfileGate &Of;
    std::unique_ptr<BlockWalk> Walk;
    std::vector<std::optional<BlockRole>> Roles;
    std::vector<ProfileBlockId> Blocks;
  };

  template <typename Fn> llvm::Error advance(Position At, Fn Then) {
    bool Due = At >= Next;
    Position Soonest = ~Position(0);
    auto One = [&](BlockWalk &W) -> llvm::Error {
      if (Due) {
        if (llvm::Error E = W.advance(At))
          return E;
        Soonest = std::min(Soonest, W.next());
      }
      Then(W);
      return llvm::Error::success();
    };
    for (auto &G : Gates)
      if (llvm::Error E = One(*G->Walk))
        return E;
    if (llvm::Error E = One(*Walk))
      return E;
    if (Due)
      Next = Soonest;
    return llvm::Error::success();
  }
  llvm::Error advance(Position At) {
    return advance(At, [](BlockWalk &) {});
  }

  const ThreadIndex Thread;
  const ProfileRequest &R;
  const Columns &Of;
  ContextProfile &P;
  ProfileStack Stack;
  std::unique_ptr<BlockWalk> Walk;
  std::vector<std::unique_ptr<Gate>> Gates;
  Position Next = 0; ///< of the walks
  bool LookingAtCode = false;
  Position Last;
  std::vector<uint64_t> Pending, Call;
  std::vector<bool> Asked;
  uint64_t LastTime = 0, ExpectedPC = 0;
  bool Interrupted = false; ///< see breaks()
  bool Stopped = false;
};

/// Whether \p W lets a sweep go on: it fails with nothing but "interrupted".
bool goesOn(const Watch &W, Moment Done, Moment Of) {
  llvm::Error E = W.step("profiling", Done, Of);
  const bool On = !E;
  llvm::consumeError(std::move(E));
  return On;
}

/// Each sweep, of R.Threads in their order, ends where its thread stands at
/// \p M.
llvm::Error stopAll(const TraceStore &Store, const ProfileRequest &R,
                    llvm::ArrayRef<std::unique_ptr<ThreadSweep>> Sweeps,
                    Moment M) {
  for (size_t I = 0; I < Sweeps.size(); ++I) {
    auto P = Store.positionOf(R.Threads[I], M);
    if (!P)
      return P.takeError();
    Sweeps[I]->stopAt(*P);
  }
  return llvm::Error::success();
}

/// Reads instructions in the order of the trace.
class InstructionPass {
public:
  InstructionPass(const TraceStore &Store, const ProfileRequest &R,
                  const Columns &Of,
                  std::vector<std::unique_ptr<ThreadSweep>> &Sweeps)
      : Store(Store), R(R), Of(Of), Sweeps(Sweeps), SweepOf(Store.numThreads()),
        To(std::min<Moment>(R.To, Store.numInstructions())) {
    for (size_t I = 0; I < R.Threads.size(); ++I)
      SweepOf[R.Threads[I]] = Sweeps[I].get();
  }

  /// See sweepProfile().
  llvm::Expected<Moment> run(const Watch &Watch) {
    if (llvm::Error E = findEvents())
      return E;
    auto Cursor = Store.cursor(Of.Needs == MetricNeeds::Accesses);
    Cursor->seek(R.From);
    for (Moment Now = R.From; Now < To; ++Now) {
      if ((Now - R.From) % R.Stretch == 0 &&
          !goesOn(Watch, Now - R.From, To - R.From)) {
        To = Now;
        if (llvm::Error E = stopAll(Store, R, Sweeps, To))
          return E;
        break;
      }
      const Instruction *I = Cursor->next();
      if (!I)
        break;
      while (NextEvent && NextEvent->Before <= I->When)
        if (llvm::Error E = event())
          return E;
      ThreadSweep *S = SweepOf[I->Thread];
      if (!S)
        continue;
      S->begins(*I);
      if (llvm::Error E = S->runs(I->Pos, I->Insn.PC))
        return E;
      add(*S, *I);
    }
    if (llvm::Error E = Cursor->takeError())
      return E;
    if (llvm::Error E = end())
      return E;
    return To;
  }

private:
  void add(ThreadSweep &S, const Instruction &I) {
    if (!(I.Insn.Flags & InsnItem::Executed))
      S.add(Metric::FailedConditions, 1);
    for (const MemAccess &A : I.Mems) {
      if (A.Flags & MemItem::Implied)
        continue;
      S.add(A.isWrite() ? Metric::Writes : Metric::Reads, 1);
      S.add(A.isWrite() ? Metric::BytesWritten : Metric::BytesRead,
            A.Bytes.size());
      if (Of.has(Metric::Lines) && S.counts())
        S.add(Metric::Lines, Touched.touch(A.Addr, A.Bytes.size()));
    }
  }

  llvm::Error findEvents() {
    auto First = Store.firstEventFrom(R.From);
    if (!First)
      return First.takeError();
    EventIndex = *First;
    return readEvent();
  }
  llvm::Error readEvent() {
    NextEvent.reset();
    if (EventIndex >= Store.numEvents())
      return llvm::Error::success();
    auto E = Store.event(EventIndex++);
    if (!E)
      return E.takeError();
    NextEvent = std::move(*E);
    return llvm::Error::success();
  }
  llvm::Error event() {
    if (NextEvent->Thread < SweepOf.size())
      if (ThreadSweep *S = SweepOf[NextEvent->Thread])
        S->event(*NextEvent);
    return readEvent();
  }

  /// The last instruction of each thread: the one after it, beyond the range,
  /// tells how long it took and whether it branched.
  llvm::Error end() {
    for (size_t I = 0; I < Sweeps.size(); ++I) {
      ThreadSweep &S = *Sweeps[I];
      ThreadIndex T = R.Threads[I];
      if (S.From == S.To)
        continue;
      if (S.To < Store.numInstructions(T)) {
        auto After = SiteReader(Store, T).at(S.To);
        if (!After)
          return After.takeError();
        auto Broken = isBroken(T, After->When);
        if (!Broken)
          return Broken.takeError();
        S.ends(After->PC, After->Time, *Broken);
      }
      if (!S.stopped())
        if (llvm::Error E = S.runTo(S.To))
          return E;
      S.finish();
    }
    return llvm::Error::success();
  }
  /// Whether something happens to a thread after the range and before \p M.
  llvm::Expected<bool> isBroken(ThreadIndex T, Moment M) {
    uint64_t Index = NextEvent ? EventIndex - 1 : EventIndex;
    for (; Index < Store.numEvents(); ++Index) {
      auto E = Store.event(Index);
      if (!E)
        return E.takeError();
      if (E->Before > M)
        break;
      if (E->Thread == T && ThreadSweep::breaks(E->Kind))
        return true;
    }
    return false;
  }

  const TraceStore &Store;
  const ProfileRequest &R;
  const Columns &Of;
  std::vector<std::unique_ptr<ThreadSweep>> &Sweeps;
  std::vector<ThreadSweep *> SweepOf; ///< by thread; null: not asked for
  Moment To;
  TouchedLines Touched;
  uint64_t EventIndex = 0;
  std::optional<StoredEvent> NextEvent;
};

} // namespace

/// Costs are compared and exported as signed numbers of 64 bits; no sum of a
/// part is more than that of all.
static llvm::Error
checkTime(llvm::ArrayRef<std::unique_ptr<ThreadSweep>> Sweeps) {
  unsigned __int128 All = 0;
  for (auto &S : Sweeps)
    All += S->Elapsed;
  if (All <= uint64_t(INT64_MAX))
    return llvm::Error::success();
  return llvm::createStringError(
      "the time of all threads does not fit 63 bits: it cannot be added up. "
      "Ask for one thread or for a part of the trace (--thread, --from, --to)");
}

/// All threads side by side, a stretch after the other, where nobody looks at
/// instructions: whoever waits may stop it. See sweepProfile().
static llvm::Expected<Moment>
sweepStretches(const TraceStore &Store, const ProfileRequest &R,
               llvm::ArrayRef<std::unique_ptr<ThreadSweep>> Sweeps,
               const Watch &Watch) {
  const Moment To = std::min<Moment>(R.To, Store.numInstructions());
  Moment Now = std::min(R.From, To);
  bool On = true;
  while (Now < To && (On = goesOn(Watch, Now - R.From, To - R.From))) {
    Now += std::min(To - Now, R.Stretch);
    for (size_t I = 0; I < Sweeps.size(); ++I) {
      auto P = Store.positionOf(R.Threads[I], Now);
      if (!P)
        return P.takeError();
      // What happens at P is the next stretch's.
      if (*P > Sweeps[I]->From)
        if (llvm::Error E = Sweeps[I]->runTo(*P - 1))
          return E;
    }
  }
  if (!On)
    if (llvm::Error E = stopAll(Store, R, Sweeps, Now))
      return E;
  for (const std::unique_ptr<ThreadSweep> &S : Sweeps) {
    if (S->From == S->To)
      continue;
    if (On)
      if (llvm::Error E = S->runTo(S->To))
        return E;
    S->finish();
  }
  return Now;
}

llvm::Expected<Moment> sweepProfile(const TraceStore &Store,
                                    const ProfileRequest &Request,
                                    BlockWalkMaker Walks, const Watch &Watch,
                                    ContextProfile &P) {
  assert(P.numMetrics() == Request.Metrics.size());
  Columns Of(Request.Metrics);
  std::vector<std::unique_ptr<ThreadSweep>> Sweeps;
  ContextTree::NodeId Root = P.addRoot();
  bool Together = Request.ThreadsTogether || Of.Needs != MetricNeeds::Calls;
  for (ThreadIndex T : Request.Threads) {
    auto From = Store.positionOf(T, Request.From);
    auto To = Store.positionOf(
        T, std::min<Moment>(Request.To, Store.numInstructions()));
    if (!From || !To)
      return llvm::joinErrors(From.takeError(), To.takeError());
    if (Request.ThreadsApart && !Sweeps.empty())
      Root = P.addRoot();
    Sweeps.push_back(
        std::make_unique<ThreadSweep>(Request, Of, P, T, Root, *From, *To));
    ThreadSweep &S = *Sweeps.back();
    S.addWalks(Walks);
    Together |= S.looksAtCode();
  }
  if (!Together)
    return sweepStretches(Store, Request, Sweeps, Watch);
  auto Reached = InstructionPass(Store, Request, Of, Sweeps).run(Watch);
  if (Reached)
    if (llvm::Error E = checkTime(Sweeps))
      return E;
  return Reached;
}

} // namespace rw
