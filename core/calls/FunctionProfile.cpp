//===- FunctionProfile.cpp - Costs by function ----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/calls/FunctionProfile.h"

namespace rw {

namespace {

class ProfileCollector final : public CallVisitor {
public:
  struct Entry {
    FunctionCost Cost;
    unsigned Active = 0; ///< activations on the stack
  };
  ProfileCollector(std::map<FunctionKey, Entry> &To, FunctionNames &Names)
      : To(To), Names(Names) {}

  llvm::Error enter(const CallNode &N) override {
    Entry &E = To[functionOf(Names, N)];
    if (E.Active++)
      E.Cost.Recursive = true;
    Open.push_back(&E);
    return llvm::Error::success();
  }

  llvm::Error leave(const CallNode &N, const CallNode *) override {
    Entry &E = *Open.back();
    Open.pop_back();
    ++E.Cost.Calls;
    E.Cost.Own += N.own();
    E.Cost.OwnTime += N.ownTime();
    if (--E.Active == 0) {
      E.Cost.Instructions += N.Call.inclusive();
      E.Cost.Time += N.time();
    }
    return llvm::Error::success();
  }

private:
  std::map<FunctionKey, Entry> &To;
  FunctionNames &Names;
  std::vector<Entry *> Open;
};

} // namespace

llvm::Expected<std::vector<FunctionCost>>
profileFunctions(const CallQuery &Q, const SweepOptions &Options) {
  std::map<FunctionKey, ProfileCollector::Entry> Sums;
  for (ThreadIndex T = 0; T < Q.Index.numThreads(); ++T) {
    ProfileCollector C(Sums, Q.Names);
    if (llvm::Error E = sweepCalls(Q, T, Options, C))
      return E;
  }
  std::vector<FunctionCost> Costs;
  for (auto &[Key, E] : Sums) {
    E.Cost.Function = Key;
    Costs.push_back(E.Cost);
  }
  return Costs;
}

} // namespace rw
