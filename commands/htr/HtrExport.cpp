//===- HtrExport.cpp - rewind htr export ----------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/export/HtrExport.h"
#include "commands/htr/Htr.h"
#include "commands/support/AnswerFile.h"
#include "core/store/TraceStore.h"
#include "core/support/Printable.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace rw {

/// Time at a position; at the end of a thread that of its last instruction.
static Expected<uint64_t> timeAt(Session &S, const HtrFile &File, ThreadIndex T,
                                 Position P) {
  P = std::min(P, File.numInstructions(T) - 1);
  auto M = S.Store.momentOf(T, P);
  if (!M)
    return M.takeError();
  auto Time = S.Store.timeAt(*M);
  if (!Time)
    return Time.takeError();
  // Before the first time that the trace tells, the clock stands still.
  return Time->value_or(S.Store.firstTime());
}

static Error runHtrExport(Session &S, const ParsedOptions &Options) {
  HtrExportOptions Export;
  StringRef Format = Options.arguments()[0];
  if (Format == "perfetto")
    Export.Format = HtrExportFormat::Perfetto;
  else if (Format != "ctf")
    return usageError("'" + Format +
                      "' is no format; there are ctf (Chrome's "
                      "trace event JSON) and perfetto");
  auto Path = Options.value("output");
  if (!Path || *Path == "-")
    return usageError("where to? name a file with -o");
  auto Max = Options.number("max-slices");
  if (!Max)
    return Max.takeError();
  if (*Max == 0)
    return usageError("--max-slices must be at least 1");
  Export.MaxSlices = Max->value_or(Export.MaxSlices);

  auto Out = AnswerFile::open(S, Options);
  if (!Out)
    return Out.takeError();
  auto Opened = openHtr(S);
  if (!Opened)
    return Opened.takeError();
  const HtrFile &File = **Opened;
  if (File.numLayers() == 1)
    return userError("there are no layers above the instructions: no pass "
                     "found anything to condense");
  HtrNames Names(S, File);
  std::map<BlockId, std::string> Known;
  Export.Title = sys::path::filename(S.TracePath).str();
  bool Times = byTime(S, Options);
  if (Times)
    Export.TimeUnit = S.Store.header().TimeUnit;
  for (ThreadIndex T = 0; T < File.numThreads(); ++T)
    Export.ThreadNames.push_back("thread " + threadLabel(S.Store, T));
  Export.NameOf = [&](BlockId B) {
    auto [It, New] = Known.try_emplace(B);
    if (New)
      It->second = Names.block(B);
    return It->second;
  };
  Export.TimeAt = [&](ThreadIndex T, Position P) {
    return Times ? timeAt(S, File, T, P) : Expected<uint64_t>(P);
  };
  Export.Watch = S.Watch;

  auto Tracks = exportHtr(File, Export, (*Out)->os());
  if (Error E = (*Out)->close(Tracks ? Error::success() : Tracks.takeError()))
    return E;
  uint64_t Bytes = (*Out)->bytes();
  uint64_t Slices = 0, Flat = 0;
  json::Array Items;
  for (const HtrExportTrack &T : *Tracks) {
    Slices += T.Slices;
    Flat += T.Flat;
    Items.push_back(json::Object{{"thread", int64_t(T.Thread) + 1},
                                 {"layer", int64_t(T.Layer)},
                                 {"slices", T.Slices},
                                 {"shortest", T.MinLength},
                                 {"flat", T.Flat},
                                 {"gaps", T.Gaps}});
    if (T.MinLength > 1)
      S.warn("layer " + std::to_string(T.Layer) + " of thread " +
             threadLabel(S.Store, T.Thread) + ": blocks of fewer than " +
             grouped(T.MinLength) +
             " instructions are left out (see --max-slices)");
    if (!T.Gaps)
      S.warn("layer " + std::to_string(T.Layer) + " of thread " +
             threadLabel(S.Store, T.Thread) +
             ": there are too many gaps to show (see --max-slices)");
  }
  if (Times)
    warnOfFlat(S, Flat, "blocks");
  if (Options.has("json"))
    printJson(S.Out, json::Object{{"file", json::fixUTF8(*Path)},
                                  {"bytes", Bytes},
                                  {"slices", Slices},
                                  {"tracks", std::move(Items)}});
  else
    S.Out << "wrote " << grouped(Slices) << " slices on "
          << grouped(Tracks->size()) << " tracks to " << printable(*Path)
          << " (" << grouped(Bytes) << " bytes)\n";
  return Error::success();
}

static constexpr OptionSpec HtrExportOptions[] = {
    opt::Json,
    opt::Output,
    opt::Replace,
    {"max-slices", 0, "n", "at most n slices per layer and thread (100000)"},
    opt::ByInstructions,
};

extern const Command HtrExportCommand = {
    .Name = "htr export",
    .Summary = "Write the layers for chrome://tracing or Perfetto",
    .Arguments = "ctf|perfetto",
    .Help = R"(
Writes every layer of blocks as a track: its blocks are slices, with position,
instructions, occurrences and iterations as arguments. ctf is the JSON that
chrome://tracing and ui.perfetto.dev open (and that LLDB's own `thread trace
export ctf` was meant to write); perfetto is Perfetto's protobuf. Where the
trace's clock stands still most of the time, --instructions shows more.

  rewind htr export ctf -o layers.json
  rewind htr export perfetto -o layers.pftrace
)",
    .Options = HtrExportOptions,
    .MinArguments = 1,
    .MaxArguments = 1,
    .Run = runHtrExport,
};

} // namespace rw
