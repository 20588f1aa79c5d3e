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

#include "plugin/private/CallUnwind.h"
#include "core/replay/CallFrames.h"
#include "core/store/TraceStore.h"
#include "core/support/Guarded.h"
#include "lldb/API/LLDB.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Thread.h"
#include "lldb/Target/Unwind.h"
#include "plugin/LoadedTrace.h"
#include "plugin/private/AwaitedFrame.h"
#include "plugin/private/CallerRegisters.h"
#include "plugin/private/PrivateLLDB.h"
#include "plugin/private/RecordedABI.h"

using namespace lldb;

namespace rw {
struct ThreadUnwinder {
  typedef std::unique_ptr<lldb_private::Unwind> lldb_private::Thread::*type;
  friend type memberOf(ThreadUnwinder);
};
template struct Expose<ThreadUnwinder, &lldb_private::Thread::m_unwinder_up>;
} // namespace rw

using namespace rw;

namespace {

/// Frames from the call index, as far as it knows them. Beyond, and where the
/// trace does not tell a frame's address, those of LLDB's own unwinder, if it
/// comes to the same frames until there.
class CallUnwind final : public lldb_private::Unwind {
public:
  /// \p Own is null where there are no values to unwind with.
  CallUnwind(lldb_private::Thread &Thread, std::shared_ptr<LoadedTrace> Trace,
             std::shared_ptr<CallFrames> Calls, ThreadIndex T,
             std::unique_ptr<Unwind> Own)
      : Unwind(Thread), Trace(std::move(Trace)), Calls(std::move(Calls)), T(T),
        Own(std::move(Own)) {}

protected:
  void DoClear() override {
    Known.reset();
    if (Own)
      Own->Clear();
    Calls->await(T, awaitedFrame(m_thread));
  }
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
    uint64_t PC = 0;
    std::optional<Activation> Of; ///< empty: the index does not know it
    std::optional<Moment> Before; ///< of its call, whence its registers are
    std::optional<uint64_t> Address;
    bool Told = false; ///< the trace tells Address
    uint64_t Id = 0;
    bool Interrupted = false;
  };
  /// False if there are no more.
  bool addFrame();
  llvm::Expected<std::optional<Frame>> nextFrame();
  std::optional<Frame> ownFrame(size_t Index);
  bool agree(size_t Last);
  llvm::Error findAddress();

  const std::shared_ptr<LoadedTrace> Trace;
  const std::shared_ptr<CallFrames> Calls;
  const ThreadIndex T;
  const std::unique_ptr<Unwind> Own;
  std::optional<Moment> Known; ///< that Frames belong to
  bool Complete = false;
  std::vector<Frame> Frames;
  size_t Agreed = 0; ///< so many frames are as Own has them
};

/// What LLDB's own unwinder has at \p Index.
std::optional<CallUnwind::Frame> CallUnwind::ownFrame(size_t Index) {
  addr_t CFA = LLDB_INVALID_ADDRESS, PC = LLDB_INVALID_ADDRESS;
  bool Zeroth = Index == 0;
  if (!Own || !Own->GetFrameInfoAtIndex(uint32_t(Index), CFA, PC, Zeroth))
    return std::nullopt;
  Frame F;
  F.PC = PC;
  if (CFA != LLDB_INVALID_ADDRESS)
    F.Address = CFA;
  F.Interrupted = Zeroth && Index;
  return F;
}

/// Whether LLDB's own unwinder has the same frames up to \p Last.
bool CallUnwind::agree(size_t Last) {
  for (; Agreed <= Last; ++Agreed) {
    auto F = ownFrame(Agreed);
    if (!F || F->PC != Frames[Agreed].PC)
      return false;
  }
  return true;
}

llvm::Expected<std::optional<CallUnwind::Frame>> CallUnwind::nextFrame() {
  if (Frames.empty()) {
    auto P = Trace->store().positionOf(T, *Known);
    auto PC = Trace->engine().pc(T);
    if (!P || !PC)
      return llvm::joinErrors(P ? llvm::Error::success() : P.takeError(),
                              PC ? llvm::Error::success() : PC.takeError());
    auto A = Calls->innermost(T, *P);
    if (!A)
      return A.takeError();
    if (!*A || !*PC)
      return std::nullopt;
    Frame F;
    F.PC = **PC;
    F.Of = **A;
    return F;
  }
  const size_t Last = Frames.size() - 1;
  if (auto Of = Frames[Last].Of) {
    auto C = Calls->caller(*Of);
    if (!C)
      return C.takeError();
    if (*C) {
      Frame F;
      F.PC = (*C)->PC;
      F.Of = (*C)->Of;
      F.Before = (*C)->Before;
      F.Interrupted = Of->Kind == ActivationKind::Exception;
      return F;
    }
    if (Calls->isOutermost(*Of))
      return std::nullopt;
  }
  return agree(Last) ? ownFrame(Last + 1) : std::nullopt;
}

/// Finds the last frame's address: from the trace, else by LLDB's own unwinder.
llvm::Error CallUnwind::findAddress() {
  const size_t Index = Frames.size() - 1;
  Frame &F = Frames[Index];
  if (!F.Of) {
    F.Id = Frames[Index - 1].Id + 1;
    return llvm::Error::success();
  }
  auto Address = Calls->address(*F.Of);
  if (!Address)
    return Address.takeError();
  auto Id = Calls->id(*F.Of);
  if (!Id)
    return Id.takeError();
  F.Id = *Id;
  F.Address = *Address;
  F.Told = F.Address.has_value();
  if (!F.Told && agree(Index))
    F.Address = ownFrame(Index)->Address;
  return llvm::Error::success();
}

bool CallUnwind::addFrame() {
  const Moment Now = Trace->engine().here().When;
  if (Known != Now) {
    Known = Now;
    Frames.clear();
    Complete = false;
    Agreed = 0;
  }
  if (Complete)
    return false;
  const size_t Before = Frames.size();
  llvm::Error E = guarded([&]() -> llvm::Error {
    auto Next = nextFrame();
    if (!Next)
      return Next.takeError();
    if (!*Next)
      return llvm::Error::success();
    Frames.push_back(**Next);
    return findAddress();
  });
  if (!E && Frames.size() > Before)
    return true;
  Frames.resize(Before);
  if (E)
    Trace->notice("the call stack ends here: " + llvm::toString(std::move(E)));
  Complete = true;
  return false;
}

bool CallUnwind::DoGetFrameInfoAtIndex(uint32_t Index, addr_t &CFA, addr_t &PC,
                                       bool &BehavesLikeZeroth) {
  if (Known != Trace->engine().here().When)
    addFrame();
  while (Frames.size() <= Index)
    if (!addFrame())
      return false;
  const Frame &F = Frames[Index];
  PC = F.PC;
  CFA = F.Address.value_or(LLDB_INVALID_ADDRESS);
  // An address that is known at times cannot tell frames apart.
  toldFrame() = F.Told && CFA == F.Id ? ToldFrame() : ToldFrame{CFA, F.Id};
  BehavesLikeZeroth = Index == 0 || F.Interrupted;
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
  const auto &F = Frames[Index];
  if (!F.Before && agree(Index))
    return Own->CreateRegisterContextForFrame(Frame);
  RegistersBefore State;
  if (F.Before && Own)
    State = [Trace = Trace, T = T, When = *F.Before] {
      return Trace->store().registersAt(T, When);
    };
  return makeCallerRegisters(m_thread, Index, PC, Trace->store(),
                             std::move(State));
}

/// Whether the trace of \p T begins with the first instruction of a program.
bool beginsProgram(SBTarget Target, const TraceStore &Store, ThreadIndex T) {
  auto When = Store.numInstructions(T) ? Store.momentOf(T, 0)
                                       : llvm::Expected<Moment>(0);
  auto First = When ? Store.instruction(*When) : When.takeError();
  if (!First) {
    llvm::consumeError(First.takeError());
    return false;
  }
  for (uint32_t M = 0; M < Target.GetNumModules(); ++M)
    if (Target.GetModuleAtIndex(M)
            .GetObjectFileEntryPointAddress()
            .GetLoadAddress(Target) == First->Insn.PC)
      return true;
  return false;
}

} // namespace

std::string rw::unwindByCalls(SBTarget Target,
                              std::shared_ptr<LoadedTrace> Trace) {
  const TraceStore &Store = Trace->store();
  const bool Values = Store.header().Can.MemValues;
  if (std::string Other = otherLLDB(); !Other.empty())
    return Values
               ? "`bt` shows what LLDB can unwind, and steps over calls that "
                 "longjmp leaves do not end: " +
                     Other
               : "`bt` shows one frame, and `next` and `finish` do not "
                 "work: " +
                     Other;
  auto Index = Trace->calls();
  if (!Index)
    return llvm::toString(Index.takeError());
  useRecordedABI(Target, Values);
  auto Calls = std::make_shared<CallFrames>(Store, **Index);
  Trace->engine().setDepartures(
      [Calls](Moment From, std::optional<Moment> Before) {
        return Calls->departure(From, Before);
      });
  const auto &Threads = Store.header().Threads;
  SBProcess Process = Target.GetProcess();
  for (uint32_t I = 0; I < Process.GetNumThreads(); ++I) {
    SBThread Thread = Process.GetThreadAtIndex(I);
    Thread.GetNumFrames(); // LLDB makes its own unwinder at first need
    ThreadSP Found = threadOf(Thread);
    for (ThreadIndex T = 0; Found && T < Threads.size(); ++T)
      if (Threads[T].Id == Thread.GetThreadID()) {
        auto &Slot = Found.get()->*memberOf(ThreadUnwinder());
        auto Own = Values ? std::move(Slot) : nullptr;
        if (beginsProgram(Target, Store, T))
          Calls->setOutermost(T);
        Slot = std::make_unique<CallUnwind>(*Found, Trace, Calls, T,
                                            std::move(Own));
      }
  }
  return "";
}
