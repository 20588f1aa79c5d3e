//===- TraceFormat.cpp - Which format a trace has -------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/TraceFormat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace rw {

Error badTrace(const Twine &Text) {
  return createStringError(std::make_error_code(std::errc::invalid_argument),
                           Text);
}

namespace {
/// Nobody can have named the format of a pipe after the fact: look further.
constexpr size_t PipeHeadBytes = 1 << 20;

std::string formatNames() {
  std::string S;
  for (const TraceFormat *F : traceFormats())
    S += "\n  " + F->Name.str() + ": " + F->Description.str();
  return S;
}
} // namespace

std::string FormatSettings::fingerprint() const {
  std::string S;
  for (const auto &[Name, Value] : Given) {
    S += Name + (Value.empty() ? "" : "=");
    // A folder's name may have what ends a value.
    for (char C : Value)
      S += C == ';' || C == '%' ? "%" + toHex(StringRef(&C, 1))
                                : StringRef(&C, 1).str();
    S += ";";
  }
  return S;
}

FormatSettings FormatSettings::fromFingerprint(StringRef Text) {
  FormatSettings Settings;
  SmallVector<StringRef> Parts;
  Text.split(Parts, ';', -1, /*KeepEmpty=*/false);
  for (StringRef Part : Parts) {
    auto [Name, Value] = Part.split('=');
    std::string &To = Settings.Given[Name.str()];
    for (; !Value.empty(); Value = Value.drop_front()) {
      unsigned Code = 0;
      if (Value.starts_with("%") && !Value.substr(1, 2).getAsInteger(16, Code))
        Value = Value.drop_front(2);
      To += Code ? char(Code) : Value.front();
    }
  }
  return Settings;
}

const TraceFormat *findFormat(StringRef Name) {
  for (const TraceFormat *F : traceFormats())
    if (F->Name == Name)
      return F;
  return nullptr;
}

std::vector<OptionSpec> formatOptions() {
  std::vector<OptionSpec> All;
  for (const TraceFormat *F : traceFormats())
    for (const OptionSpec &O : F->Options)
      if (none_of(All, [&](const OptionSpec &A) { return A.Long == O.Long; }))
        All.push_back(O);
  return All;
}

std::vector<std::string> companionFiles(StringRef Path,
                                        const FormatSettings &Settings) {
  std::vector<std::string> All;
  for (const TraceFormat *F : traceFormats())
    if (F->Companions)
      append_range(All, F->Companions(Path, Settings));
  return All;
}

/// The formats that a file looks most like, equally much.
static SmallVector<const TraceFormat *>
likeliestFormats(StringRef Path, ArrayRef<uint8_t> Head) {
  SmallVector<const TraceFormat *> Best;
  unsigned BestScore = 0;
  for (const TraceFormat *F : traceFormats()) {
    if (Path == "-" && !F->streams())
      continue;
    const unsigned Score = F->Sniff(Path, Head);
    if (Score == 0 || Score < BestScore)
      continue;
    if (Score > BestScore)
      Best.clear();
    BestScore = Score;
    Best.push_back(F);
  }
  return Best;
}

const TraceFormat *recogniseFormat(StringRef Path, ArrayRef<uint8_t> Head) {
  auto Best = likeliestFormats(Path, Head);
  return Best.empty() ? nullptr : Best.front();
}

static TraceFormat::Reader openAs(const TraceFormat &Format, StringRef Path,
                                  std::unique_ptr<InputStream> In,
                                  const ReaderOptions &Options) {
  if (!Format.streams()) {
    if (Path == "-")
      return badTrace(
          "a trace of the format " + Format.Name +
          " cannot be read from standard input: it has several files");
    return Format.OpenFiles(Path, Options);
  }
  if (!In) {
    auto Opened = InputStream::open(Path, Options.Cancel);
    if (!Opened)
      return Opened.takeError();
    In = std::move(*Opened);
  }
  return Format.OpenStream(std::move(In), Options);
}

Expected<std::unique_ptr<TraceReader>>
openTrace(StringRef Path, StringRef Format, const ReaderOptions &Options) {
  if (!Format.empty()) {
    if (const TraceFormat *F = findFormat(Format))
      return openAs(*F, Path, nullptr, Options);
    return badTrace("there is no trace format '" + Format +
                    "'; there are:" + formatNames());
  }

  // What is read once is opened once: the head that is looked at here is read
  // by the format again. A directory (a bundle) has none.
  std::unique_ptr<InputStream> In;
  ArrayRef<uint8_t> Head;
  if (!sys::fs::is_directory(Path)) {
    auto Opened = InputStream::open(Path, Options.Cancel);
    if (!Opened)
      return Opened.takeError();
    In = std::move(*Opened);
    auto Peeked = In->peek(Path == "-" ? PipeHeadBytes : SniffedBytes);
    if (!Peeked)
      return Peeked.takeError();
    Head = *Peeked;
    if (Head.empty())
      return badTrace("'" + In->name() + "' is empty");
  }
  const std::string Name = (In ? In->name() : Path).str();
  auto Best = likeliestFormats(Path, Head);
  if (Best.empty())
    return badTrace(
        "'" + Name +
        "' does not look like a trace of any known format. Looked for:" +
        formatNames());
  if (Best.size() > 1)
    return badTrace("'" + Name + "' looks as much like " + Best[0]->Name +
                    " as like " + Best[1]->Name +
                    ": name the one it is with --format");
  return openAs(*Best.front(), Path, std::move(In), Options);
}

} // namespace rw
