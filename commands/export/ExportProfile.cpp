//===- ExportProfile.cpp - rewind export pprof, export profile ------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/profile/ProfileView.h"
#include "core/export/ProfileExport.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace rw {

/// With whole paths: who reads them may be elsewhere.
static std::vector<CodeMapping> mappings(Session &S) {
  if (!S.Symbols)
    return {};
  std::vector<CodeMapping> All = S.Symbols->codeMappings();
  for (CodeMapping &M : All) {
    SmallString<256> Path(M.Path);
    if (!sys::fs::make_absolute(Path))
      M.Path = Path.str();
  }
  return All;
}

static Error write(Session &S, const ParsedOptions &O,
                   const ProfileView::Kind &K, bool AsJson) {
  if (O.has("json") && O.value("output").value_or("-") == "-")
    return usageError("--json tells what was written: name a file with -o");
  if (!AsJson && S.inDebugger() && !O.has("output"))
    return usageError("that format is binary: name a file with -o");
  auto V = ProfileView::open(S, O, K);
  if (!V)
    return V.takeError();
  auto File = AnswerFile::open(S, O);
  if (!File)
    return File.takeError();
  if (Error E = (*V)->sweepAndCheck(/*Whole=*/true))
    return E;
  ProfileExport E{S.Store,
                  (*V)->profile(),
                  (*V)->blocks(),
                  (*V)->metrics(),
                  K.ThreadsApart ? (*V)->threads() : ArrayRef<ThreadIndex>(),
                  sys::path::filename(S.TracePath).str(),
                  mappings(S)};
  if (std::string Filters = (*V)->filters(); !Filters.empty())
    E.Title += " (" + Filters + ")";
  Error Written = AsJson ? writeProfileJson(E, S.Watch, (*File)->os())
                         : writePprof(E, S.Watch, (*File)->os());
  return (*File)->finish(std::move(Written), O.has("json"));
}

static Error pprof(Session &S, const ParsedOptions &O) {
  ProfileView::Kind K;
  K.Rule = ContextTree::Rule::KeepEdges;
  K.AllMetrics = K.Lines = K.ThreadsApart = true;
  return write(S, O, K, /*AsJson=*/false);
}

static Error profile(Session &S, const ParsedOptions &O) {
  ProfileView::Kind K;
  K.AllMetrics = K.ThreadsApart = true;
  StringRef Format = O.value("as").value_or("json");
  if (Format != "json" && Format != "pprof")
    return usageError("--as wants json or pprof, not '" + Format + "'");
  return write(S, O, K, Format == "json");
}

static constexpr OptionSpec Metrics{
    "metric", 0, "name",
    "only this one (several: these); see 'profile self'. Default: all that the "
    "trace tells",
    "instructions|time|calls|reads|writes|bytes-read|bytes-written|lines|taken-"
    "branches|exceptions|failed-conditions"};

static constexpr OptionSpec PprofOptions[] = {opt::JsonOfFile, Metrics,
                                              REWIND_PROFILE_OPTIONS,
                                              opt::Output, opt::Replace};
static constexpr OptionSpec ProfileOptions[] = {
    opt::JsonOfFile,
    {"as", 0, "format", "json (default), or pprof", "json|pprof"},
    Metrics,
    REWIND_PROFILE_OPTIONS,
    opt::Output,
    opt::Replace};

extern const Command ExportPprofCommand = {
    .Name = "export pprof",
    .Summary = "Write a profile for pprof",
    .Arguments = "",
    .Help = R"(
Every metric that the trace tells, by chain of callers, each with its line, as a
gzip-compressed profile.proto. Chains are as short as they can be without losing
a function, a line or a call that is on the stack. With --by functions, pprof's
cumulative sums are those of 'profile dominated'; by lines (the default) costs are
those of the function whose code runs, inlined ones apart.

  rewind export pprof -o out.pb.gz
  rewind export pprof --by functions --metric calls -o calls.pb.gz
)",
    .Options = PprofOptions,
    .MinArguments = 0,
    .MaxArguments = 0,
    .Run = pprof,
};

extern const Command ExportProfileCommand = {
    .Name = "export profile",
    .Summary = "Write the tree that 'profile tree' shows",
    .Arguments = "",
    .Help = R"(
All of it, with every metric that the trace tells, as JSON or for pprof (which
then sums up too little where a chain has lost a function: see 'export pprof').

  rewind export profile -o out.json
  rewind export profile --as pprof --by lines -o out.pb.gz
)",
    .Options = ProfileOptions,
    .MinArguments = 0,
    .MaxArguments = 0,
    .Run = profile,
    .OnlyAsks = true,
};

} // namespace rw
