//===- DebuggerState.cpp - What LLDB does not tell a process --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/private/DebuggerState.h"
#include "core/expr/ExpressionSize.h"
#include "core/support/Backoff.h"
#include "core/support/Shortened.h"
#include "lldb/API/LLDB.h"
#include "lldb/Breakpoint/Breakpoint.h"
#include "lldb/Breakpoint/BreakpointLocation.h"
#include "lldb/Breakpoint/BreakpointSite.h"
#include "lldb/Breakpoint/Watchpoint.h"
#include "lldb/Breakpoint/WatchpointResource.h"
#include "lldb/Expression/UserExpression.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/Target.h"
#include "plugin/LoadedTrace.h"
#include "plugin/private/AwaitedFrame.h"
#include "plugin/private/PrivateLLDB.h"
#include "plugin/private/TestedCondition.h"
#include "plugin/private/WatchedValues.h"
#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <thread>

namespace {
using namespace lldb_private;
struct OpenBroadcaster : Broadcaster {
  using Impl = BroadcasterImpl;
};
using Impl = OpenBroadcaster::Impl;
} // namespace

namespace rw {
/// Opens one private member, under a name.
#define REWIND_OPEN(Name, Class, Type, Field)                                  \
  struct Name {                                                                \
    typedef Type Class::*type;                                                 \
    friend type memberOf(Name);                                                \
  };                                                                           \
  template struct Expose<Name, &Class::Field>;

REWIND_OPEN(BroadcasterImplOf, Broadcaster, std::shared_ptr<Impl>,
            m_broadcaster_sp)
REWIND_OPEN(ListenersMutex, Impl, std::mutex, m_listeners_mutex)
REWIND_OPEN(Hijackers, Impl, std::vector<lldb::ListenerSP>,
            m_hijacking_listeners)
REWIND_OPEN(APIMutex, Target, std::recursive_mutex, m_mutex)
REWIND_OPEN(UserBreakpoints, Target, BreakpointList, m_breakpoint_list)
REWIND_OPEN(BreakpointsMutex, BreakpointList, std::recursive_mutex, m_mutex)
REWIND_OPEN(OptionsOf, Breakpoint, BreakpointOptions, m_options)
REWIND_OPEN(LocationsOf, Breakpoint, BreakpointLocationList, m_locations)
REWIND_OPEN(LocationsMutex, BreakpointLocationList, std::recursive_mutex,
            m_mutex)
REWIND_OPEN(OwnOptions, BreakpointLocation, std::unique_ptr<BreakpointOptions>,
            m_options_up)
REWIND_OPEN(Compiled, BreakpointLocation, lldb::UserExpressionSP,
            m_user_expression_sp)
REWIND_OPEN(CompiledHash, BreakpointLocation, size_t, m_condition_hash)
REWIND_OPEN(CompiledMutex, BreakpointLocation, std::mutex, m_condition_mutex)
REWIND_OPEN(IdOf, Stoppoint, lldb::break_id_t, m_bid)
REWIND_OPEN(HitsOf, Breakpoint, StoppointHitCounter, m_hit_counter)
REWIND_OPEN(LocationHits, BreakpointLocation, StoppointHitCounter,
            m_hit_counter)
REWIND_OPEN(WatchHits, StoppointSite, StoppointHitCounter, m_hit_counter)
REWIND_OPEN(HitCount, StoppointHitCounter, uint32_t, m_hit_count)
REWIND_OPEN(ThreadSpecOf, BreakpointOptions, std::unique_ptr<ThreadSpec>,
            m_thread_spec_up)
REWIND_OPEN(ConditionOf, BreakpointOptions, StopCondition, m_condition)
REWIND_OPEN(GivenOptions, BreakpointOptions, Flags, m_set_flags)
REWIND_OPEN(Injected, BreakpointOptions, bool, m_inject_condition)
REWIND_OPEN(Sites, Process, StopPointSiteList<BreakpointSite>,
            m_breakpoint_site_list)
REWIND_OPEN(SitesMutex, StopPointSiteList<BreakpointSite>, std::recursive_mutex,
            m_mutex)
REWIND_OPEN(WatchedMutex, StopPointSiteList<WatchpointResource>,
            std::recursive_mutex, m_mutex)
REWIND_OPEN(LocationsAt, BreakpointSite, BreakpointLocationCollection,
            m_constituents)
REWIND_OPEN(Watched, Process, StopPointSiteList<WatchpointResource>,
            m_watchpoint_resource_list)
REWIND_OPEN(WatchedAddr, WatchpointResource, lldb::addr_t, m_addr)
REWIND_OPEN(WatchedSize, WatchpointResource, size_t, m_size)
REWIND_OPEN(WatchCondition, Watchpoint, std::unique_ptr<UserExpression>,
            m_condition_up)
REWIND_OPEN(WatchIgnores, Watchpoint, uint32_t, m_ignore_count)
REWIND_OPEN(WatchDisabledCount, Watchpoint, uint32_t, m_disabled_count)
#undef REWIND_OPEN
struct ImplOfWatchpoint {
  typedef lldb::WatchpointSP (lldb::SBWatchpoint::*type)() const;
  friend type memberOf(ImplOfWatchpoint);
};
template struct Expose<ImplOfWatchpoint, &lldb::SBWatchpoint::GetSP>;
struct HasFacades {
  typedef bool (Breakpoint::*type)();
  friend type memberOf(HasFacades);
};
template struct Expose<HasFacades, &Breakpoint::HasFacadeLocations>;
} // namespace rw

using namespace rw;

namespace {
class LockedBreakpoints;

class OpenState final : public DebuggerState {
public:
  OpenState(const lldb::ProcessSP &P, std::weak_ptr<LoadedTrace> Trace,
            lldb::SBTarget Target)
      : Trace(std::move(Trace)), Values(Target), Truth(Target),
        Events(static_cast<Broadcaster &>(*P).*memberOf(BroadcasterImplOf())),
        P(P) {}

  bool stopWanted() const override {
    return hijackedBy("lldb.process.halt_listener") ||
           hijackedBy("lldb.Process.StopForDestroyOrDetach.hijack");
  }
  std::optional<ConditionTexts> conditions() const override;
  bool count(const IgnoredHits &Passed) const override;
  std::optional<uint64_t> hitsAt(uint64_t PC) const override;
  bool runsOn(lldb::tid_t Id) const override {
    lldb::ProcessSP Here = P.lock();
    return Here && hasNoSteps(*Here, Id);
  }
  void forgetUnknown(bool Ended) const override;
  void setAside(uint64_t Addr, const rw::StopReason &Why) const override;
  std::vector<std::string> putBack() const override;
  std::optional<std::string> watchedText(lldb::SBValue Value) const override;
  bool isShownOtherwise(lldb::SBWatchpoint W, lldb::SBType Type,
                        bool ByAddress) const override;
  std::vector<ProgramVariables::Image> images() const override {
    lldb::ProcessSP Here = P.lock();
    lldb::TargetSP T = Here ? Here->CalculateTarget() : nullptr;
    if (!T)
      return {};
    return loadedImages(publicTarget(T));
  }

private:
  /// Whoever waits for a particular stop takes the process's events from all
  /// others, under a name.
  bool hijackedBy(llvm::StringRef Name) const {
    std::lock_guard<std::mutex> Lock(Events.get()->*memberOf(ListenersMutex()));
    for (const lldb::ListenerSP &L : Events.get()->*memberOf(Hijackers()))
      if (L && L->GetName() == Name)
        return true;
    return false;
  }
  bool waitForAPI(std::unique_lock<std::recursive_mutex> &API) const;
  /// Not held if somebody else keeps LLDB's breakpoint sites.
  static std::unique_lock<std::recursive_mutex> trySites(Process &Its) {
    return {(Its.*memberOf(rw::Sites())).*memberOf(SitesMutex()),
            std::try_to_lock};
  }
  class LockedWatchpoints;
  void addBreakpoints(LockedBreakpoints &All, Process &P,
                      ConditionTexts &Texts) const;
  void prepare(const lldb::BreakpointLocationSP &L, const StopCondition &C,
               Process &P) const;

  const std::weak_ptr<LoadedTrace> Trace;
  mutable WatchedValues Values;
  const TruthValues Truth;
  const std::shared_ptr<Impl> Events;
  const std::weak_ptr<Process> P;
  struct PlainText {
    std::string Text;
    Moment Since;
  };
  /// Whose condition LLDB interprets, and from when on: what is known then was
  /// perhaps not known before. Only the thread that answers LLDB asks.
  mutable std::map<std::weak_ptr<BreakpointLocation>, PlainText,
                   std::owner_less<>>
      Plain;
  struct Untested {
    std::weak_ptr<Watchpoint> Whose;
    std::unique_ptr<UserExpression> Condition;
    rw::StopReason::Kind Why;
  };
  mutable std::mutex AsideMutex;
  mutable std::vector<Untested> Aside;
};

} // namespace

/// Whether \p Done comes true within 5 ms. Who resumed in a command holds locks
/// until he has answered, which is soon: a step back is not to wait longer. The
/// pauses are counted and not the time, as on a busy machine both take longer.
template <typename Function> static bool soon(Function Done) {
  Backoff Look(std::chrono::microseconds(256));
  for (unsigned Left = 25; !Done(); --Left) {
    if (Left == 0)
      return false;
    Look.pause();
  }
  return true;
}

/// Whoever changes a breakpoint holds the target's mutex. A thread that resumes
/// synchronously holds it, too, until the answer has come: then nobody changes
/// anything.
bool OpenState::waitForAPI(std::unique_lock<std::recursive_mutex> &API) const {
  return soon([&] {
    return API.try_lock() ||
           hijackedBy("lldb.internal.Process.ResumeSynchronous.hijack");
  });
}

/// The text of a condition that C's rules hold for; null if there is none.
static const StopCondition *conditionOf(Breakpoint &B, BreakpointLocation &L) {
  const auto &Own = L.*memberOf(OwnOptions());
  const BreakpointOptions &O = Own && ((*Own).*memberOf(GivenOptions()))
                                           .Test(BreakpointOptions::eCondition)
                                   ? *Own
                                   : B.*memberOf(OptionsOf());
  const StopCondition &C = O.*memberOf(ConditionOf());
  return C && !(O.*memberOf(Injected())) ? &C : nullptr;
}

/// LLDB 22 goes on testing what it compiled before a condition was changed: the
/// hash that tells is that of an empty text. Null \p Condition: nobody knows
/// what it is now.
static void forgetOld(BreakpointLocation &L, const std::string *Condition) {
  // Who tests it just then is not to wait for us, who are to answer him.
  std::unique_lock<std::mutex> Lock(L.*memberOf(CompiledMutex()),
                                    std::try_to_lock);
  if (!Lock)
    return;
  lldb::UserExpressionSP &E = L.*memberOf(Compiled());
  if (E && (!Condition || *Condition != E->GetUserText()))
    E.reset();
}

/// The user's breakpoints and their locations, while nobody changes these
/// lists. LLDB's commands change them without the target's mutex, and whoever
/// holds a list's may wait for our answer: so it is not waited for long.
namespace {
class LockedBreakpoints {
public:
  explicit LockedBreakpoints(Target &T) : All(T.*memberOf(UserBreakpoints())) {
    soon([&] { return lock(); });
  }
  explicit operator bool() const { return List.owns_lock(); }

  /// \p F(Breakpoint, location).
  template <typename Function> void forEach(Function F) {
    for (const lldb::BreakpointSP &B : All.Breakpoints())
      for (const lldb::BreakpointLocationSP &L :
           ((*B).*memberOf(LocationsOf())).BreakpointLocations())
        F(*B, L);
  }

private:
  using Guard = std::unique_lock<std::recursive_mutex>;
  bool lock() {
    List = Guard(All.*memberOf(BreakpointsMutex()), std::try_to_lock);
    if (!List)
      return false;
    for (const lldb::BreakpointSP &B : All.Breakpoints())
      if (!Locations
               .emplace_back(((*B).*memberOf(LocationsOf())).*
                                 memberOf(LocationsMutex()),
                             std::try_to_lock)
               .owns_lock()) {
        Locations.clear();
        List.unlock();
        return false;
      }
    return true;
  }

  BreakpointList &All;
  Guard List;
  std::vector<Guard> Locations;
};
} // namespace

/// Whoever changes the lists just now changes conditions at other times, and is
/// seen then.
static void forgetAll(Target &T) {
  if (LockedBreakpoints All(T); All)
    All.forEach([](Breakpoint &, const lldb::BreakpointLocationSP &L) {
      forgetOld(*L, nullptr);
    });
}

/// Sees to it that LLDB tests what the condition is now, and as `p` would. What
/// it interprets without help is compiled, once.
void OpenState::prepare(const lldb::BreakpointLocationSP &L,
                        const StopCondition &C, Process &P) const {
  const std::string Text = C.GetText().str();
  forgetOld(*L, &Text);
  std::unique_lock<std::mutex> Lock((*L).*memberOf(CompiledMutex()),
                                    std::try_to_lock);
  if (!Lock)
    return;
  lldb::UserExpressionSP &E = (*L).*memberOf(Compiled());
  const auto T = Trace.lock();
  const Moment Now = T ? T->engine().here().When : 0;
  const auto *Ours = TestedCondition::of(E.get());
  auto It = Plain.find(L);
  bool IsPlain =
      It != Plain.end() && It->second.Text == Text && It->second.Since <= Now;
  if (!IsPlain && Ours && Ours->isPlain() &&
      (It == Plain.end() || It->second.Text != Text)) {
    Plain[L] = {Text, Now};
    IsPlain = true;
  }
  if (IsPlain ? CompiledCondition::isOne(E.get()) : Ours != nullptr)
    return;
  if (IsPlain)
    E = std::make_shared<CompiledCondition>(P, Text, Truth, Trace);
  else
    E = std::make_shared<TestedCondition>(P, Text, Truth, Trace);
  (*L).*memberOf(CompiledHash()) = C.GetHash();
}

static uint32_t idOf(Breakpoint &B) { return uint32_t(B.*memberOf(IdOf())); }

/// The counter at \p Id, new if there is none.
static size_t counterOf(std::vector<IgnoredHits::Counter> &All, uint32_t Id,
                        uint64_t Left) {
  for (size_t I = 0; I < All.size(); ++I)
    if (All[I].Id == Id)
      return I;
  All.push_back({Id, Left});
  return All.size() - 1;
}

/// For a breakpoint whose hits LLDB ignores by nothing but counts: how many are
/// left, its own or its location's. What is for one thread, once, or asks a
/// callback before it counts, is LLDB's.
static std::optional<std::pair<uint32_t, uint32_t>>
ignoreCounts(Breakpoint &B, BreakpointLocation &L) {
  const BreakpointOptions &Whole = B.*memberOf(OptionsOf());
  const BreakpointOptions *Own = (L.*memberOf(OwnOptions())).get();
  if (B.GetPrecondition())
    return std::nullopt;
  for (const BreakpointOptions *O : {&Whole, Own})
    if (O && (O->*memberOf(ThreadSpecOf()) || O->IsOneShot() ||
              O->IsCallbackSynchronous()))
      return std::nullopt;
  const std::pair Left(Whole.GetIgnoreCount(), Own ? Own->GetIgnoreCount() : 0);
  return Left.first || Left.second ? std::optional(Left) : std::nullopt;
}

/// What is there without a condition, LLDB's own breakpoints too, stops, unless
/// its hits are to be ignored.
void OpenState::addBreakpoints(LockedBreakpoints &All, Process &P,
                               ConditionTexts &Texts) const {
  struct Tested {
    std::string Condition;
    uint32_t Of = 0; ///< the breakpoint
    uint32_t Counted = ConditionTexts::NotCounted;
  };
  std::map<const BreakpointLocation *, Tested> Conditions;
  All.forEach([&](Breakpoint &B, const lldb::BreakpointLocationSP &L) {
    // A script decides what such a breakpoint is.
    if ((B.*memberOf(HasFacades()))())
      return;
    const StopCondition *C = conditionOf(B, *L);
    const auto Ignores = ignoreCounts(B, *L);
    if (!C && !Ignores)
      return;
    Tested &T = Conditions[L.get()];
    T.Of = idOf(B);
    if (Ignores) {
      T.Counted = uint32_t(Texts.Ignored.Locations.size());
      const size_t Of =
          counterOf(Texts.Ignored.Breakpoints, T.Of, Ignores->first);
      Texts.Ignored.Locations.push_back(
          {{uint32_t(L->GetID()), Ignores->second}, uint32_t(Of)});
    }
    if (!C)
      return;
    T.Condition = C->GetText().str();
    prepare(L, *C, P);
  });
  if (Conditions.empty())
    return;
  (P.*memberOf(Sites())).ForEach([&](BreakpointSite *Site) {
    ConditionTexts::List All;
    std::vector<uint32_t> Counted;
    std::set<uint32_t> Breakpoints;
    for (const lldb::BreakpointLocationSP &L :
         (Site->*memberOf(LocationsAt())).BreakpointLocations()) {
      auto It = Conditions.find(L.get());
      if (It == Conditions.end())
        return;
      // LLDB asks only one of two locations of a breakpoint at one place.
      const bool First = Breakpoints.insert(It->second.Of).second;
      if (It->second.Condition.empty() && !First)
        return;
      All.push_back(It->second.Condition);
      Counted.push_back(First ? It->second.Counted
                              : ConditionTexts::NotCounted);
    }
    if (All.empty())
      return;
    const uint64_t PC = Site->GetLoadAddress();
    Texts.Breakpoints[PC] = std::move(All);
    Texts.Counted[PC] = std::move(Counted);
  });
}

/// How many hits of \p W are still to be ignored: LLDB ignores as many as its
/// count says from the first on, and its count never changes.
static uint64_t ignoredHitsLeft(Watchpoint &W) {
  const uint32_t Most = W.*memberOf(WatchIgnores()), Hits = W.GetHitCount();
  return Most > Hits ? Most - Hits : 0;
}

static void countAccesses(Process &P, const IgnoredHits &Passed) {
  std::set<uint32_t> Counted;
  (P.*memberOf(Watched())).ForEach([&](WatchpointResource *R) {
    for (const lldb::WatchpointSP &W : R->Constituents())
      for (const IgnoredHits::Watchpoint &Its : Passed.Watchpoints)
        if (Its.Id == uint32_t(W->GetID()) && Counted.insert(Its.Id).second) {
          StoppointSite &Site = *W;
          (Site.*memberOf(WatchHits())).*memberOf(HitCount()) +=
              uint32_t(Its.Hits);
        }
  });
}

bool OpenState::count(const IgnoredHits &Passed) const {
  lldb::ProcessSP Here = P.lock();
  lldb::TargetSP T = Here ? Here->CalculateTarget() : nullptr;
  if (!T)
    return true;
  std::unique_lock<std::recursive_mutex> API(T.get()->*memberOf(APIMutex()),
                                             std::defer_lock);
  if (!waitForAPI(API))
    return false;
  std::unique_lock<std::recursive_mutex> Watched(
      ((*Here).*memberOf(rw::Watched())).*memberOf(WatchedMutex()),
      std::try_to_lock);
  LockedBreakpoints All(*T);
  if (!Watched || !All)
    return false;
  countAccesses(*Here, Passed);
  auto Use = [](BreakpointOptions &O, uint64_t Used) {
    if (Used)
      O.SetIgnoreCount(O.GetIgnoreCount() -
                       uint32_t(std::min<uint64_t>(Used, O.GetIgnoreCount())));
  };
  std::set<const Breakpoint *> Done;
  All.forEach([&](Breakpoint &B, const lldb::BreakpointLocationSP &L) {
    for (const IgnoredHits::Location &Its : Passed.Locations) {
      const IgnoredHits::Counter &Whole = Passed.Breakpoints[Its.Of];
      if (Whole.Id != idOf(B))
        continue;
      if (Done.insert(&B).second) {
        (B.*memberOf(HitsOf())).*memberOf(HitCount()) += uint32_t(Whole.Hits);
        Use(B.*memberOf(OptionsOf()), Whole.Used);
      }
      if (Its.Id != uint32_t(L->GetID()))
        continue;
      ((*L).*memberOf(LocationHits())).*memberOf(HitCount()) +=
          uint32_t(Its.Hits);
      if (const auto &Own = (*L).*memberOf(OwnOptions()))
        Use(*Own, Its.Used);
    }
  });
  return true;
}

std::optional<uint64_t> OpenState::hitsAt(uint64_t PC) const {
  lldb::ProcessSP Here = P.lock();
  lldb::TargetSP T = Here ? Here->CalculateTarget() : nullptr;
  if (!T)
    return std::nullopt;
  std::unique_lock<std::recursive_mutex> API(T.get()->*memberOf(APIMutex()),
                                             std::defer_lock);
  if (!waitForAPI(API))
    return std::nullopt;
  const auto Sites = trySites(*Here);
  LockedBreakpoints All(*T);
  if (!Sites || !All)
    return std::nullopt;
  uint64_t Hits = 0;
  ((*Here).*memberOf(rw::Sites())).ForEach([&](BreakpointSite *Site) {
    if (Site->GetLoadAddress() != PC)
      return;
    for (const lldb::BreakpointLocationSP &L :
         (Site->*memberOf(LocationsAt())).BreakpointLocations())
      Hits += ((*L).*memberOf(LocationHits())).*memberOf(HitCount());
  });
  return Hits;
}

/// A bit field has no pointer to it; it lies between two members that have one.
static bool watchesChangesOnly(const Watchpoint &W) {
  const uint32_t *Before = &(W.*memberOf(WatchDisabledCount()));
  const uint32_t *After = &(W.*memberOf(WatchIgnores()));
  constexpr uint32_t Read = 1, Write = 2, Modify = 4;
  return After == Before + 2 && (Before[1] & (Read | Write | Modify)) == Modify;
}

static void addWatchpoints(Process &P, ConditionTexts &Texts) {
  (P.*memberOf(Watched())).ForEach([&](WatchpointResource *R) {
    std::pair<uint64_t, uint64_t> Key(R->*memberOf(WatchedAddr()),
                                      R->*memberOf(WatchedSize()));
    std::vector<lldb::WatchpointSP> Constituents;
    for (const lldb::WatchpointSP &W : R->Constituents())
      Constituents.push_back(W);
    for (const lldb::WatchpointSP &W : Constituents) {
      const auto &Condition = (*W).*memberOf(WatchCondition());
      const uint64_t Left = ignoredHitsLeft(*W);
      // LLDB counts, of several at one place, the hits of the first alone, and
      // those that it ignores before it tests the condition.
      const bool Alone = Constituents.size() == 1;
      uint32_t Counted = ConditionTexts::NotCounted;
      if (Left && Alone) {
        auto &Counters = Texts.Ignored.Watchpoints;
        const uint32_t Id = uint32_t(W->GetID());
        auto It = llvm::find_if(Counters, [&](auto &C) { return C.Id == Id; });
        Counted = uint32_t(It - Counters.begin());
        if (It == Counters.end())
          Counters.push_back({{Id, Left}});
      }
      const bool Tested = Condition && (!Left || Alone);
      Texts.Watchpoints[Key].push_back(
          {W->GetLoadAddress(), W->GetByteSize(), watchesChangesOnly(*W),
           Tested ? Condition->GetUserText() : "", Counted});
    }
  });
}

/// The watchpoints of a process, which nobody changes meanwhile. False if they
/// could not be had without waiting: as in conditions().
class OpenState::LockedWatchpoints {
public:
  LockedWatchpoints(const OpenState &State, Target &Its, Process &P)
      : API(Its.*memberOf(APIMutex()), std::defer_lock),
        List((P.*memberOf(Watched())).*memberOf(WatchedMutex()),
             std::defer_lock),
        Held(State.waitForAPI(API) && List.try_lock()) {}
  explicit operator bool() const { return Held; }

private:
  std::unique_lock<std::recursive_mutex> API, List;
  const bool Held;
};

/// LLDB reads what is unknown as zeros, and goes on from a write that changes
/// nothing: from that of a zero, or of a part of what is watched.
void OpenState::forgetUnknown(bool Ended) const {
  lldb::ProcessSP Process = P.lock();
  lldb::TargetSP Its = Process ? Process->CalculateTarget() : nullptr;
  auto T = Trace.lock();
  if (!Its || !T)
    return;
  const LockedWatchpoints Locked(*this, *Its, *Process);
  if (!Locked)
    return;
  // A long one has a resource for every few bytes.
  std::set<lldb::WatchpointSP> All;
  (Process.get()->*memberOf(Watched())).ForEach([&](WatchpointResource *R) {
    for (const lldb::WatchpointSP &W : R->Constituents())
      All.insert(W);
  });
  for (const lldb::WatchpointSP &W : All)
    Values.note(W, *T, Ended);
}

void OpenState::setAside(uint64_t Addr, const rw::StopReason &Why) const {
  if (Why.What == rw::StopReason::None || Why.What == rw::StopReason::True)
    return;
  lldb::ProcessSP Process = P.lock();
  lldb::TargetSP Its = Process ? Process->CalculateTarget() : nullptr;
  if (!Its)
    return;
  const LockedWatchpoints Locked(*this, *Its, *Process);
  if (!Locked)
    return;
  std::lock_guard<std::mutex> Lock(AsideMutex);
  (Process.get()->*memberOf(Watched())).ForEach([&](WatchpointResource *R) {
    if (R->*memberOf(WatchedAddr()) != Addr)
      return;
    for (const lldb::WatchpointSP &W : R->Constituents())
      if (auto &C = (*W).*memberOf(WatchCondition());
          C && Why.Condition == C->GetUserText())
        Aside.push_back({W, std::move(C), Why.What});
  });
}

std::vector<std::string> OpenState::putBack() const {
  std::lock_guard<std::mutex> Lock(AsideMutex);
  std::vector<std::string> Told;
  for (Untested &U : Aside)
    if (auto W = U.Whose.lock()) {
      if (U.Why != rw::StopReason::Holds)
        Told.push_back(
            "error evaluating condition of watchpoint " +
            std::to_string(W->GetID()) + ": \"" +
            rw::shortened(U.Condition->GetUserText()) + "\"\n" +
            (U.Why == rw::StopReason::Divides ? "division by zero"
             : U.Why == rw::StopReason::TooDeep
                 ? llvm::toString(
                       checkExpressionSize(U.Condition->GetUserText()))
                 : "unknown: the trace does not tell all of it here"));
      if (auto &C = (*W).*memberOf(WatchCondition()); !C)
        C = std::move(U.Condition);
    }
  Aside.clear();
  return Told;
}

std::optional<std::string> OpenState::watchedText(lldb::SBValue Value) const {
  auto T = Trace.lock();
  return T ? Values.text(*T, Value) : std::nullopt;
}

bool OpenState::isShownOtherwise(lldb::SBWatchpoint W, lldb::SBType Type,
                                 bool ByAddress) const {
  auto T = Trace.lock();
  lldb::WatchpointSP Its = (W.*memberOf(ImplOfWatchpoint()))();
  return T && Its &&
         Values.adopt(publicTarget(Its->GetTarget().shared_from_this()), Its,
                      *T, Type, ByAddress);
}

std::optional<ConditionTexts> OpenState::conditions() const {
  lldb::ProcessSP Here = P.lock();
  lldb::TargetSP T = Here ? Here->CalculateTarget() : nullptr;
  if (!T)
    return std::nullopt;
  std::unique_lock<std::recursive_mutex> API(T.get()->*memberOf(APIMutex()),
                                             std::defer_lock);
  if (!waitForAPI(API)) {
    forgetAll(*T);
    return std::nullopt;
  }

  // LLDB walks these lists, to remove what it has set, and waits for our answer
  // to each packet meanwhile.
  const auto Sites = trySites(*Here);
  std::unique_lock<std::recursive_mutex> Watched(
      ((*Here).*memberOf(rw::Watched())).*memberOf(WatchedMutex()),
      std::try_to_lock);
  LockedBreakpoints All(*T);
  if (!Sites || !Watched || !All) {
    forgetAll(*T);
    return std::nullopt;
  }

  ConditionTexts Texts;
  addBreakpoints(All, *Here, Texts);
  addWatchpoints(*Here, Texts);
  return Texts;
}

std::shared_ptr<DebuggerState>
DebuggerState::of(lldb::SBTarget Target, std::weak_ptr<LoadedTrace> Trace) {
  if (!privateLLDB())
    return nullptr;
  lldb::ProcessSP P = processOf(Target.GetProcess());
  return P ? std::make_shared<OpenState>(P, std::move(Trace), Target) : nullptr;
}
