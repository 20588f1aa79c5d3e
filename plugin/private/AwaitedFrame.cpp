//===- AwaitedFrame.cpp - What LLDB's steps wait for ----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLDB steps over and out of calls with a breakpoint where they return to, and
// knows nothing of calls that do not.
//
//===----------------------------------------------------------------------===//

#include "plugin/private/AwaitedFrame.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/Thread.h"
#include "lldb/Target/ThreadPlanStack.h"
#include "lldb/Target/ThreadPlanStepOut.h"
#include "lldb/Target/ThreadPlanStepRange.h"
#include "lldb/Target/ThreadPlanStepUntil.h"
#include "plugin/private/PrivateLLDB.h"
#include <shared_mutex>

using namespace lldb_private;
using namespace rw;

namespace rw {
struct ProcessPlans {
  typedef ThreadPlanStackMap Process::*type;
  friend type memberOf(ProcessPlans);
};
template struct Expose<ProcessPlans, &Process::m_thread_plans>;

struct PlansOfStack {
  typedef ThreadPlanStack::PlanStack ThreadPlanStack::*type;
  friend type memberOf(PlansOfStack);
};
template struct Expose<PlansOfStack, &ThreadPlanStack::m_plans>;

struct DiscardedOfStack {
  typedef ThreadPlanStack::PlanStack ThreadPlanStack::*type;
  friend type memberOf(DiscardedOfStack);
};
template struct Expose<DiscardedOfStack, &ThreadPlanStack::m_discarded_plans>;

struct CompletedOfStack {
  typedef ThreadPlanStack::PlanStack ThreadPlanStack::*type;
  friend type memberOf(CompletedOfStack);
};
template struct Expose<CompletedOfStack, &ThreadPlanStack::m_completed_plans>;

struct StackMutex {
  typedef llvm::sys::RWMutex ThreadPlanStack::*type;
  friend type memberOf(StackMutex);
};
template struct Expose<StackMutex, &ThreadPlanStack::m_stack_mutex>;

struct StepOutTo {
  typedef StackID ThreadPlanStepOut::*type;
  friend type memberOf(StepOutTo);
};
template struct Expose<StepOutTo, &ThreadPlanStepOut::m_step_out_to_id>;

struct StepRangeOf {
  typedef StackID ThreadPlanStepRange::*type;
  friend type memberOf(StepRangeOf);
};
template struct Expose<StepRangeOf, &ThreadPlanStepRange::m_stack_id>;

struct StepUntilOf {
  typedef StackID ThreadPlanStepUntil::*type;
  friend type memberOf(StepUntilOf);
};
template struct Expose<StepUntilOf, &ThreadPlanStepUntil::m_stack_id>;
} // namespace rw

static ThreadPlanStack *plansOf(Process &Its, lldb::tid_t Id) {
  return (Its.*memberOf(ProcessPlans())).Find(Id);
}

static ThreadPlanStack *plansOf(Thread &Thread) {
  lldb::ProcessSP Process = Thread.GetProcess();
  return Process ? plansOf(*Process, Thread.GetID()) : nullptr;
}

bool rw::hasNoSteps(Process &Its, lldb::tid_t Id) {
  ThreadPlanStack *Stack = plansOf(Its, Id);
  if (!Stack)
    return false;
  std::shared_lock<llvm::sys::RWMutex> Lock(Stack->*memberOf(StackMutex()),
                                            std::try_to_lock);
  return Lock &&
         llvm::all_of(Stack->*memberOf(PlansOfStack()),
                      [](const lldb::ThreadPlanSP &Plan) {
                        const auto Kind = Plan->GetKind();
                        return Kind == ThreadPlan::eKindBase ||
                               Kind == ThreadPlan::eKindStepOverBreakpoint;
                      });
}

void rw::discardSteps(Thread &Thread) {
  ThreadPlanStack *Stack = plansOf(Thread);
  if (!Stack)
    return;
  std::unique_lock<llvm::sys::RWMutex> Lock(Stack->*memberOf(StackMutex()));
  ThreadPlanStack::PlanStack &Plans = Stack->*memberOf(PlansOfStack());
  while (Plans.size() > 1) { // the first is what stays
    Plans.back()->DidPop();
    (Stack->*memberOf(DiscardedOfStack())).push_back(std::move(Plans.back()));
    Plans.pop_back();
  }
}

bool rw::hasStepped(Thread &Thread) {
  ThreadPlanStack *Stack = plansOf(Thread);
  if (!Stack)
    return false;
  std::shared_lock<llvm::sys::RWMutex> Lock(Stack->*memberOf(StackMutex()));
  const ThreadPlanStack::PlanStack &Plans =
      Stack->*memberOf(CompletedOfStack());
  for (const lldb::ThreadPlanSP &Plan : llvm::reverse(Plans)) {
    if (Plan->GetPrivate())
      continue; // a part of what was asked for
    switch (Plan->GetKind()) {
    case ThreadPlan::eKindStepInstruction:
    case ThreadPlan::eKindStepOverRange:
    case ThreadPlan::eKindStepInRange:
    case ThreadPlan::eKindStepThrough:
      return true;
    default:
      return false;
    }
  }
  return false;
}

std::optional<rw::AwaitedFrame> rw::awaitedFrame(Thread &Thread) {
  ThreadPlanStack *Stack = plansOf(Thread);
  if (!Stack)
    return std::nullopt;
  // Whoever changes the plans is not about to resume.
  std::shared_lock<llvm::sys::RWMutex> Lock(Stack->*memberOf(StackMutex()),
                                            std::try_to_lock);
  if (!Lock)
    return std::nullopt;
  const ThreadPlanStack::PlanStack &Plans = Stack->*memberOf(PlansOfStack());
  for (size_t I = Plans.size(); I-- > 0;) {
    ThreadPlan &Plan = *Plans[I];
    AwaitedFrame Result;
    const StackID *Id;
    switch (Plan.GetKind()) {
    case ThreadPlan::eKindStepOut:
      Result.What = AwaitedFrame::ReturnTo;
      Id = &(static_cast<ThreadPlanStepOut &>(Plan).*memberOf(StepOutTo()));
      break;
    case ThreadPlan::eKindStepOverRange:
    case ThreadPlan::eKindStepInRange:
      Result.What = AwaitedFrame::StepIn;
      Id = &(static_cast<ThreadPlanStepRange &>(Plan).*memberOf(StepRangeOf()));
      break;
    case ThreadPlan::eKindStepUntil:
      Result.What = AwaitedFrame::RunIn;
      Id = &(static_cast<ThreadPlanStepUntil &>(Plan).*memberOf(StepUntilOf()));
      break;
    default:
      continue;
    }
    Result.Id = Id->GetCallFrameAddressWithoutMetadata();
    // The stop has a reason of its own. What the user asked for would otherwise
    // go on with his next command, as after a breakpoint.
    for (size_t Asked = I + 1; Asked-- > 0;)
      if (Plans[Asked]->IsControllingPlan()) {
        Result.Left = [Weak = std::weak_ptr(Plans[Asked])] {
          if (lldb::ThreadPlanSP Over = Weak.lock())
            Over->SetOkayToDiscard(true);
        };
        break;
      }
    return Result;
  }
  return std::nullopt;
}
