//===- Companions.cpp - The files that a recording names ------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/intelpt/IntelPTReader.h"
#include "core/support/InputFile.h"
#include "core/support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace rw::intelpt {

static void collect(const json::Value &V, StringRef Dir,
                    std::vector<std::string> &Out) {
  static constexpr StringLiteral Names[] = {"iptTrace", "traceBuffer",
                                            "contextSwitchTrace", "file"};
  if (const json::Array *A = V.getAsArray())
    for (const json::Value &E : *A)
      collect(E, Dir, Out);
  if (const json::Object *O = V.getAsObject())
    for (const auto &[Key, Value] : *O) {
      auto Text = Value.getAsString();
      if (Text && is_contained(Names, StringRef(Key))) {
        SmallString<128> Path(*Text);
        if (sys::path::is_relative(Path)) {
          Path = Dir;
          sys::path::append(Path, *Text);
        }
        Out.push_back(Path.str().str());
      }
      collect(Value, Dir, Out);
    }
}

std::vector<std::string> companions(StringRef Path,
                                    const FormatSettings &Settings) {
  if (isPerfData(Path))
    return perfModules(Path, Settings.value(Symfs));
  std::vector<std::string> Files;
  SmallString<128> Json(Path);
  if (sys::fs::is_directory(Json)) {
    sys::path::append(Json, "trace.json");
    Files.push_back(Json.str().str());
  } else if (!Json.ends_with(".json")) {
    return {};
  }
  auto Text = readWholeFile(Json, MaxDescriptionBytes);
  if (!Text) {
    consumeError(Text.takeError()); // the reader will tell
    return Files;
  }
  auto Value = parseJson((*Text)->getBuffer());
  if (!Value) {
    consumeError(Value.takeError());
    return Files;
  }
  const json::Object *Top = Value->getAsObject();
  if (Top && Top->getString("type") == "intel-pt")
    collect(*Value, sys::path::parent_path(Json), Files);
  llvm::sort(Files); // objects have no order
  return Files;
}

} // namespace rw::intelpt
