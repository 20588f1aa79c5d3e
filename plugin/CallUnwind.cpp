//===- CallUnwind.cpp - Call stacks without a stack -----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLDB 22 has scripted frame providers for this, but their frames have no frame
// address, by which LLDB's steps over and out of calls tell an activation from
// another one of the same function: they end anywhere in a recursion.
//
//===----------------------------------------------------------------------===//

#include "plugin/CallUnwind.h"
#include "lldb/API/LLDB.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Thread.h"
#include "lldb/Target/Unwind.h"
#include "plugin/CallerRegisters.h"
#include "plugin/LoadedTrace.h"
#include "plugin/PrivateLLDB.h"
#include "plugin/RecordedABI.h"

using namespace lldb;

namespace rw {
struct ThreadUnwinder {
  typedef std::unique_ptr<lldb_private::Unwind> lldb_private::Thread::*type;
  friend type memberOf(ThreadUnwinder);
};
template struct Expose<ThreadUnwinder, &lldb_private::Thread::m_unwinder_up>;

struct ThreadOf {
  typedef ThreadSP (SBThread::*type)() const;
  friend type memberOf(ThreadOf);
};
template struct Expose<ThreadOf, &SBThread::GetSP>;
} // namespace rw

using namespace rw;

namespace {

class CallUnwind final : public lldb_private::Unwind {
public:
  CallUnwind(lldb_private::Thread &Thread, std::shared_ptr<LoadedTrace> Trace,
             ThreadIndex T)
      : Unwind(Thread), Trace(std::move(Trace)), T(T) {}

protected:
  void DoClear() override { Known.reset(); }
  uint32_t DoGetFrameCount() override {
    while (addFrame())
      ;
    return uint32_t(Frames.size());
  }
  bool DoGetFrameInfoAtIndex(uint32_t Index, addr_t &CFA, addr_t &PC,
                             bool &BehavesLikeZeroth) override;
  RegisterContextSP
  DoCreateRegisterContextForFrame(lldb_private::StackFrame *Frame) override;

private:
  struct Frame {
    uint64_t PC;
    Activation Of;
  };
  /// False if there are no more.
  bool addFrame();
  llvm::Expected<std::optional<Frame>> innermost() const;
  llvm::Expected<std::optional<Frame>> callerOf(const Activation &A) const;

  const std::shared_ptr<LoadedTrace> Trace;
  const ThreadIndex T;
  std::optional<Moment> Known; ///< that Frames belong to
  bool Complete = false;
  std::vector<Frame> Frames;
};

llvm::Expected<std::optional<CallUnwind::Frame>> CallUnwind::innermost() const {
  const TraceStore &Store = Trace->store();
  auto Calls = Trace->calls();
  if (!Calls)
    return Calls.takeError();
  auto P = Store.positionOf(T, *Known);
  auto PC = Trace->engine().pc(T);
  if (!P || !PC)
    return llvm::joinErrors(P ? llvm::Error::success() : P.takeError(),
                            PC ? llvm::Error::success() : PC.takeError());
  const uint64_t N = Store.numInstructions(T);
  if (N == 0 || !*PC)
    return std::nullopt;
  auto A = (*Calls)->enclosing(T, std::min<Position>(*P, N - 1));
  if (!A)
    return A.takeError();
  if (!*A)
    return std::nullopt;
  return Frame{**PC, **A};
}

llvm::Expected<std::optional<CallUnwind::Frame>>
CallUnwind::callerOf(const Activation &A) const {
  const TraceStore &Store = Trace->store();
  auto Calls = Trace->calls();
  if (!Calls)
    return Calls.takeError();
  auto Parent = (*Calls)->parent(A);
  if (!Parent)
    return Parent.takeError();
  if (!*Parent)
    return std::nullopt;
  // What was entered before the trace was called from where it returns to, if
  // the trace gets that far.
  const bool CallSeen = !(A.Flags & Activation::BeforeTrace) && A.Start;
  if (!CallSeen && !A.returned())
    return std::nullopt;
  auto When = Store.momentOf(T, CallSeen ? A.Start - 1 : A.End);
  if (!When)
    return When.takeError();
  auto Insn = Store.instruction(*When);
  if (!Insn)
    return Insn.takeError();
  return Frame{CallSeen ? Insn->Insn.PC + Insn->Insn.Size : Insn->Insn.PC,
               **Parent};
}

bool CallUnwind::addFrame() {
  const Moment Now = Trace->engine().here().When;
  if (Known != Now) {
    Known = Now;
    Frames.clear();
    Complete = false;
  }
  if (Complete)
    return false;
  auto Next = Frames.empty() ? innermost() : callerOf(Frames.back().Of);
  if (!Next) {
    Trace->notice("the call stack ends here: " +
                  llvm::toString(Next.takeError()));
    Complete = true;
    return false;
  }
  if (!*Next) {
    Complete = true;
    return false;
  }
  Frames.push_back(std::move(**Next));
  return true;
}

bool CallUnwind::DoGetFrameInfoAtIndex(uint32_t Index, addr_t &CFA, addr_t &PC,
                                       bool &BehavesLikeZeroth) {
  if (Known != Trace->engine().here().When)
    addFrame();
  while (Frames.size() <= Index)
    if (!addFrame())
      return false;
  PC = Frames[Index].PC;
  CFA = LLDB_INVALID_ADDRESS;
  frameNumber() = (addr_t(1) << 63) - (addr_t(Frames[Index].Of.Depth) + 1);
  BehavesLikeZeroth = Index == 0;
  return true;
}

RegisterContextSP
CallUnwind::DoCreateRegisterContextForFrame(lldb_private::StackFrame *Frame) {
  const uint32_t Index = Frame ? Frame->GetConcreteFrameIndex() : 0;
  addr_t CFA, PC;
  bool Zeroth;
  if (Index == 0)
    return m_thread.GetRegisterContext();
  if (!DoGetFrameInfoAtIndex(Index, CFA, PC, Zeroth))
    return nullptr;
  return makeCallerRegisters(m_thread, Index, PC);
}

} // namespace

std::string rw::unwindByCalls(SBTarget Target,
                              std::shared_ptr<LoadedTrace> Trace) {
  if (std::string Other = otherLLDB(); !Other.empty())
    return "`bt` shows one frame, and `next` and `finish` do not work: " +
           Other;
  useRecordedABI(Target);
  const auto &Threads = Trace->store().header().Threads;
  SBProcess Process = Target.GetProcess();
  for (uint32_t I = 0; I < Process.GetNumThreads(); ++I) {
    SBThread Thread = Process.GetThreadAtIndex(I);
    ThreadSP T = (Thread.*memberOf(ThreadOf()))();
    for (ThreadIndex Number = 0; T && Number < Threads.size(); ++Number)
      if (Threads[Number].Id == Thread.GetThreadID())
        T.get()->*memberOf(ThreadUnwinder()) =
            std::make_unique<CallUnwind>(*T, Trace, Number);
  }
  return "";
}
