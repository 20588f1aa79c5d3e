//===- HtrRun.cpp - Runs passes over a store ------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/htr/HtrRun.h"
#include "core/calls/CallIndex.h"
#include "core/htr/InstructionLayer.h"
#include "core/store/TraceStore.h"
#include "core/support/NumberMap.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace rw::htr {

static bool isCall(const Activation &A) {
  return A.Kind != ActivationKind::Root;
}

/// Fills in the pcs at which functions were entered.
static Error findEntries(const CallIndex &Calls, const Watch &Watch,
                         FileHeader &Header) {
  NumberSet Seen, Called;
  Error Stop = Error::success();
  for (ThreadIndex T = 0; T < Calls.numThreads() && !Stop; ++T)
    if (Error E = Calls.forEach(T, 0, Calls.size(T), [&](const Activation &A) {
          if (isCall(A) && !(A.Flags & Activation::BeforeTrace)) {
            Seen.insert(A.EntryPC);
            if (A.Kind == ActivationKind::Function)
              Called.insert(A.EntryPC);
          }
          if (A.Number % 0x10000 == 0)
            Stop = Watch.check();
          return !Stop;
        }))
      return joinErrors(std::move(E), std::move(Stop));
  if (Stop)
    return Stop;
  for (uint64_t PC : Seen) {
    Header.FunctionEntries.push_back(PC);
    if (!Called.contains(PC))
      Header.Handlers.push_back(PC);
  }
  sort(Header.FunctionEntries);
  sort(Header.Handlers);
  return Error::success();
}

Expected<RunResult> runPasses(const TraceStore &Store,
                              const RunOptions &Options) {
  auto Pipeline = parsePipeline(Options.Pipeline);
  if (!Pipeline)
    return Pipeline.takeError();
  const Watch &Watch = Options.Watch;
  auto Layer0 = readInstructionLayer(Store, Watch);
  if (!Layer0)
    return Layer0.takeError();
  auto &[H, Times] = *Layer0;

  Statistics Leaves = countLeaves(H, Times);

  auto Calls = CallIndex::open(Store);
  if (!Calls)
    return Calls.takeError();
  FileHeader Header;
  Header.Store = Store.identity();
  Header.Pipeline = Options.Pipeline;
  if (*Calls)
    if (Error E = findEntries(**Calls, Watch, Header))
      return E;

  PassContext Context;
  Context.Options = Options.Passes;
  Context.Watch = Watch;
  if (*Calls)
    Context.Calls = [&](ThreadIndex T, function_ref<bool(const Call &)> F) {
      return (*Calls)->forEach(
          T, 0, (*Calls)->size(T), [&](const Activation &A) {
            return !isCall(A) || F({A.Start, A.End, A.EntryPC});
          });
    };
  for (const Pass *P : *Pipeline) {
    if (Error E = Watch.step(P->Name, 0, 0))
      return E;
    if (P->Name == "functions" && !Context.Calls) {
      Header.Notes.push_back("functions: left out, the store has no call "
                             "index (index the trace again)");
      continue;
    }
    size_t Before = H.Layers.size();
    if (Error E = P->Run(H, Context))
      return E;
    if (H.Layers.size() == Before)
      Header.Notes.push_back(
          (P->Name + ": found nothing to condense, no layer added").str());
    else
      H.dropInstructions();
  }
  auto Stats = collect(H, Times, std::move(Leaves), Watch);
  if (!Stats)
    return Stats.takeError();
  return RunResult{std::move(H), std::move(*Stats), std::move(Header)};
}

bool isReplaced(const TraceStore &Store, StringRef StorePath) {
  if (!sys::fs::exists(StorePath))
    return false;
  auto There = TraceStore::open(StorePath);
  if (There)
    return (*There)->identity() != Store.identity();
  consumeError(There.takeError());
  return true;
}

Expected<std::unique_ptr<HtrFile>>
openLayers(const TraceStore &Store, StringRef StorePath, std::string &Why) {
  std::string Path = layersPath(StorePath);
  if (!sys::fs::exists(Path)) {
    Why = "there are none yet";
    return nullptr;
  }
  auto File = HtrFile::open(Path);
  if (!File) {
    Why = toString(File.takeError());
    return nullptr;
  }
  bool Same = (*File)->header().Store == Store.identity() &&
              (*File)->numInstructions() == Store.numInstructions() &&
              (*File)->numThreads() == std::max(1u, Store.numThreads());
  if (!Same) {
    Why = Path + " was made from another state of the store";
    return nullptr;
  }
  return File;
}

} // namespace rw::htr
