//===- AnswerFile.cpp - The file that -o names ----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/AnswerFile.h"
#include "commands/support/Bookmarks.h"
#include "commands/support/Format.h"
#include "core/KnownFile.h"
#include "core/formats/TraceFormat.h"
#include "core/htr/HtrRun.h"
#include "core/store/TraceStore.h"
#include "core/support/Printable.h"

using namespace llvm;

namespace rw {

std::vector<ReservedFile> reservedFiles(StringRef TracePath,
                                        StringRef StorePath,
                                        ArrayRef<std::string> Images,
                                        const FormatSettings &Settings) {
  std::vector<ReservedFile> Files;
  if (!TracePath.empty()) {
    Files.push_back({TracePath.str(), "the trace"});
    for (const std::string &File : companionFiles(TracePath, Settings))
      Files.push_back({File, "a part of the trace"});
  }
  for (const std::string &Image : Images)
    Files.push_back({Image, "an image"});
  if (!StorePath.empty()) {
    Files.push_back({StorePath.str(), "the index"});
    Files.push_back({htr::layersPath(StorePath), "the file of layers"});
    Files.push_back({bookmarksPath(StorePath), "the file of bookmarks"});
  }
  return Files;
}

std::vector<ReservedFile> reservedFiles(const Session &S) {
  auto Files = reservedFiles(S.TracePath, S.StorePath, S.Images);
  for (const ModuleInfo &M : S.Store.header().Modules)
    Files.push_back({M.Path, "a module of the trace"});
  return Files;
}

OutputFile::Options answerOptions(const ParsedOptions &O,
                                  std::vector<ReservedFile> Reserved) {
  OutputFile::Options Options;
  Options.Reserved = std::move(Reserved);
  if (!O.has(opt::Replace.Long))
    Options.Known = knownFile;
  Options.Unless = ", or give --force";
  return Options;
}

Expected<std::unique_ptr<AnswerFile>>
AnswerFile::open(const ParsedOptions &O, raw_ostream &Else, const Watch &W,
                 std::vector<ReservedFile> Reserved) {
  std::unique_ptr<AnswerFile> F(new AnswerFile(Else));
  auto Path = O.value("output");
  if (!Path || *Path == "-")
    return F;
  OutputFile::Options Options = answerOptions(O, std::move(Reserved));
  Options.Cancel = W.Cancel;
  Options.Interrupted = [&W] { return W.cancelled(); };
  auto File = OutputFile::create(*Path, Options);
  if (!File)
    return File.takeError();
  F->Path = Path->str();
  F->File = std::move(*File);
  return F;
}

Expected<std::unique_ptr<AnswerFile>> AnswerFile::open(Session &S,
                                                       const ParsedOptions &O) {
  return open(O, S.Out, S.Watch, reservedFiles(S));
}

Expected<std::unique_ptr<AnswerFile>> AnswerFile::open(const FileRequest &R) {
  return open(R.Options, R.Out, R.Watch, R.Reserved);
}

Error AnswerFile::close(Error E) {
  if (!File || E)
    return E;
  Bytes = File->os().tell();
  return File->commit();
}

Error AnswerFile::finish(Error Failure, bool Json) {
  if (Error E = close(std::move(Failure)))
    return E;
  if (Path.empty())
    return Error::success();
  if (Json)
    printJson(Else,
              json::Object{{"file", json::fixUTF8(Path)}, {"bytes", Bytes}});
  else
    Else << printable(Path) << ": " << grouped(Bytes) << " bytes\n";
  return Error::success();
}

} // namespace rw
