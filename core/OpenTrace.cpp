//===- OpenTrace.cpp - The one door to a trace ----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/OpenTrace.h"
#include "core/calls/CallRecogniser.h"
#include "core/store/CheckedSink.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace rw {

Expected<OpenedTrace> openTraceStore(StringRef Path, IndexOptions Options,
                                     const Watch &W) {
  CallRecogniser Calls;
  Options.Observers = {&Calls};
  Options.Sections = {"calls"};
  // Readers look at a flag only; whoever has to be asked is asked when they
  // tell how far they are.
  std::atomic<bool> Stop = false;
  Options.Reader.Cancel = W.Cancel ? W.Cancel : &Stop;
  Options.Reader.Progress = [&](uint64_t Done, uint64_t Total) {
    if (W.Progress)
      W.Progress("indexing", Done, Total);
    if (W.Interrupted && W.Interrupted())
      Stop = true;
  };
  OpenedTrace Opened;
  auto Store = openOrBuildStore(Path, Options, &Opened.Report);
  if (!Store)
    return Store.takeError();
  Opened.Store = std::move(*Store);
  return Opened;
}

Expected<std::unique_ptr<TraceStore>>
makeTraceStore(TraceReader &Reader, const NonlocalTargets &Targets) {
  std::string Path = unnamedStorePath();
  scope_exit Remove([&] { sys::fs::remove(Path); });
  StoreBuilder::Options Options;
  Options.Private = true;
  auto Builder = StoreBuilder::create(Path, SourceStamp(), Options);
  if (!Builder)
    return Builder.takeError();
  CallRecogniser Calls;
  Calls.add(Targets);
  (*Builder)->addObserver(Calls);
  if (Error E = CheckedSink::read(Reader, **Builder))
    return E;
  Builder->reset();
  return TraceStore::open(Path);
}

} // namespace rw
