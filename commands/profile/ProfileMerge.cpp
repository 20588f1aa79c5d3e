//===- ProfileMerge.cpp - rewind profile merge ----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/AnswerFile.h"
#include "commands/support/Format.h"
#include "core/export/PprofMerge.h"
#include "core/support/InputFile.h"
#include "core/support/Printable.h"

using namespace llvm;

namespace rw {

static Error runProfileMerge(const FileRequest &R) {
  auto Target = R.Options.value("output");
  if (!Target)
    return usageError("that format is binary: name a file with -o");
  constexpr uint64_t MostBytes = uint64_t(2) << 30;
  PprofMerger All;
  FileRequest To = R;
  for (const std::string &Path : R.Options.arguments())
    To.Reserved.push_back({Path, "one of those to be merged"});
  auto File = AnswerFile::open(To);
  if (!File)
    return File.takeError();
  uint64_t Done = 0;
  for (const std::string &Path : R.Options.arguments()) {
    if (Error E = R.Watch.step("merging", Done++, R.Options.arguments().size()))
      return E;
    auto Bytes = readWholeFile(Path, MostBytes);
    if (!Bytes)
      return Bytes.takeError();
    if (Error E = All.add(Path, (*Bytes)->getBuffer()))
      return E;
  }
  if (Error E = (*File)->close(All.write(R.Watch, (*File)->os())))
    return E;
  if (*Target == "-")
    return Error::success();
  auto Totals = All.totals();
  if (R.Options.has("json")) {
    json::Object Sums;
    for (const PprofMerger::Total &T : Totals)
      Sums[json::fixUTF8(T.Type)] = T.Value;
    printJson(R.Out, json::Object{{"file", json::fixUTF8(*Target)},
                                  {"bytes", (*File)->bytes()},
                                  {"profiles", R.Options.arguments().size()},
                                  {"samples", All.numSamples()},
                                  {"total", std::move(Sums)}});
    return Error::success();
  }
  R.Out << printable(*Target) << ": " << grouped((*File)->bytes()) << " bytes, "
        << grouped(All.numSamples()) << " samples";
  for (const PprofMerger::Total &T : Totals)
    R.Out << ", " << T.Value << " " << printable(T.Type);
  R.Out << "\n";
  return Error::success();
}

static constexpr OptionSpec ProfileMergeOptions[] = {opt::Json, opt::Output,
                                                     opt::Replace};

extern const Command ProfileMergeCommand = {
    .Name = "profile merge",
    .Summary = "Add up profiles of several traces",
    .Arguments = "<profile>...",
    .Help = R"(
Profiles in pprof's format, as 'export pprof' and 'export profile --as pprof'
write them (or other tools), become one that pprof reads. They must count the
same things.

  rewind profile merge a.pb.gz b.pb.gz -o all.pb.gz
)",
    .Options = ProfileMergeOptions,
    .MinArguments = 1,
    .RunOnFile = runProfileMerge,
    .WithoutTrace = true,
};

} // namespace rw
