//===- TraceReader.cpp - The registry of trace formats --------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/TraceReader.h"
#include "core/formats/InputStream.h"
#include "core/formats/htm/HtmReader.h"
#include "core/formats/intelpt/IntelPTReader.h"
#include "core/formats/qtrace/QtraceReader.h"
#include "core/formats/tarmac/TarmacReader.h"
#include "llvm/Support/FileSystem.h"

namespace rw {

static constexpr TraceFormat Formats[] = {
    tarmac::Format,
    htm::Format,
    intelpt::Format,
    qtrace::Format,
};

llvm::ArrayRef<TraceFormat> traceFormats() { return Formats; }

std::string ReaderOptions::fingerprint() const {
  std::string S;
  if (BigEndian)
    S += "big-endian;";
  if (ImplicitThumb)
    S += "implicit-thumb;";
  if (MissingModules)
    S += "missing-modules;";
  return S;
}

static std::string formatNames() {
  std::string S;
  for (const TraceFormat &F : Formats)
    S += "\n  " + F.Name.str() + ": " + F.Description.str();
  return S;
}

llvm::Expected<std::unique_ptr<TraceReader>>
openTrace(llvm::StringRef Path, llvm::StringRef Format,
          const ReaderOptions &Options) {
  if (!Format.empty()) {
    for (const TraceFormat &F : Formats)
      if (F.Name == Format)
        return F.Open(Path, Options);
    return llvm::createStringError(
        std::make_error_code(std::errc::invalid_argument),
        "there is no trace format '" + Format +
            "'; there are:" + formatNames());
  }

  // Standard input can be read only once, so it is opened by the format that
  // is read as a stream; a directory (a bundle) has no beginning to sniff.
  if (Path == "-")
    return tarmac::Format.Open(Path, Options);
  std::vector<uint8_t> Head;
  if (!llvm::sys::fs::is_directory(Path)) {
    auto In = InputStream::open(Path, Options.Cancel);
    if (!In)
      return In.takeError();
    auto Peeked = (*In)->peek(64 << 10);
    if (!Peeked)
      return Peeked.takeError();
    Head = Peeked->vec();
    if (Head.empty())
      return llvm::createStringError(
          std::make_error_code(std::errc::invalid_argument),
          "'" + Path + "' is empty");
  }
  const TraceFormat *Best = nullptr;
  unsigned BestScore = 0;
  for (const TraceFormat &F : Formats)
    if (unsigned Score = F.Sniff(Path, Head); Score > BestScore) {
      Best = &F;
      BestScore = Score;
    }
  if (!Best)
    return llvm::createStringError(
        std::make_error_code(std::errc::invalid_argument),
        "'" + Path +
            "' does not look like a trace of any known format. Looked for:" +
            formatNames());
  return Best->Open(Path, Options);
}

} // namespace rw
