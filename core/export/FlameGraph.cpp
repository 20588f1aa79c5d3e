//===- FlameGraph.cpp - Collapsed stacks ----------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/calls/CallContexts.h"
#include "core/export/CallExport.h"
#include "core/store/TraceStore.h"
#include "core/support/Printable.h"
#include <algorithm>

namespace rw {

/// Names in a line are separated by semicolons and end at the last blank.
static std::string stackName(std::string Name) {
  std::replace(Name.begin(), Name.end(), ';', ':');
  return printable(Name);
}

llvm::Error exportFlameGraph(const CallQuery &Q, CostUnit Unit,
                             llvm::raw_ostream &Out) {
  SweepOptions Options;
  Options.Times = Unit == CostUnit::Time;
  auto Contexts = CallContexts::collect(Q, Options);
  if (!Contexts)
    return Contexts.takeError();
  bool Threads = Contexts->roots().size() > 1;
  // Threads that run the same add up, unless they have names of their own.
  std::map<std::string, uint64_t> Stacks;
  struct Item {
    const CallContext *Context;
    size_t Callers;
  };
  std::string Stack;
  std::vector<Item> Work;
  for (const CallContext *Root : Contexts->roots()) {
    Stack.clear();
    if (Threads) {
      const auto &Infos = Q.Store.header().Threads;
      Stack = Root->Thread < Infos.size() && !Infos[Root->Thread].Name.empty()
                  ? stackName(Infos[Root->Thread].Name)
                  : "thread " + std::to_string(Root->Thread + 1);
    }
    Work.push_back({Root, Stack.size()});
    while (!Work.empty()) {
      Item I = Work.back();
      Work.pop_back();
      Stack.resize(I.Callers);
      if (I.Callers)
        Stack += ';';
      Stack += stackName(functionLabel(Q.Names, I.Context->Function));
      uint64_t Cost =
          Unit == CostUnit::Time ? I.Context->OwnTime : I.Context->Own;
      if (Cost)
        Stacks[Stack] += Cost;
      size_t Size = Stack.size();
      for (auto &[Key, Callee] : I.Context->Callees)
        Work.push_back({Callee, Size});
    }
  }
  for (const auto &[Text, Cost] : Stacks)
    Out << Text << ' ' << Cost << '\n';
  return llvm::Error::success();
}

} // namespace rw
