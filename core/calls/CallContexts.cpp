//===- CallContexts.cpp - Costs by chain of callers -----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/calls/CallContexts.h"

namespace rw {

FunctionKey functionOf(FunctionNames &Names, const CallNode &N) {
  const FunctionNames::Function &F = Names.at(N.Call.EntryPC);
  return {F.Name.empty() ? N.Call.EntryPC : F.Start,
          N.Call.Kind == ActivationKind::Exception};
}

std::string functionLabel(FunctionNames &Names, const FunctionKey &F) {
  return (F.Exception ? "[exception] " : "") + Names.nameOr(F.Start);
}

class ContextCollector final : public CallVisitor {
public:
  ContextCollector(CallContexts &To, FunctionNames &Names, ThreadIndex T)
      : To(To), Names(Names), Thread(T) {}

  llvm::Error enter(const CallNode &N) override {
    FunctionKey F = functionOf(Names, N);
    CallContext *&C = Open.empty() ? Root : Open.back()->Callees[F];
    if (!C) {
      C = &To.Nodes.emplace_back();
      C->Function = F;
      C->Parent = Open.empty() ? nullptr : Open.back();
      C->Thread = Thread;
      if (Open.empty())
        To.Roots.push_back(C);
    }
    Open.push_back(C);
    return llvm::Error::success();
  }

  llvm::Error leave(const CallNode &N, const CallNode *) override {
    CallContext &C = *Open.back();
    Open.pop_back();
    ++C.Calls;
    C.Instructions += N.Call.inclusive();
    C.Own += N.own();
    C.Time += N.time();
    C.OwnTime += N.ownTime();
    return llvm::Error::success();
  }

private:
  CallContexts &To;
  FunctionNames &Names;
  ThreadIndex Thread;
  CallContext *Root = nullptr;
  std::vector<CallContext *> Open;
};

llvm::Expected<CallContexts>
CallContexts::collect(const CallQuery &Q, const SweepOptions &Options) {
  CallContexts Result;
  for (ThreadIndex T = 0; T < Q.Index.numThreads(); ++T) {
    ContextCollector C(Result, Q.Names, T);
    if (llvm::Error E = sweepCalls(Q, T, Options, C))
      return E;
  }
  return Result;
}

} // namespace rw
