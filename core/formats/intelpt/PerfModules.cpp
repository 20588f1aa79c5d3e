//===- PerfModules.cpp - Where the files of a perf.data are ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/intelpt/PerfModules.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"
#include <cstdlib>

using namespace llvm;

namespace rw::intelpt::perf {

static std::string cacheFolder(StringRef Symfs) {
  SmallString<128> Path(Symfs);
  if (Symfs.empty()) {
    if (const char *Named = std::getenv("PERF_BUILDID_DIR"); Named && *Named)
      return Named;
    if (!sys::path::home_directory(Path))
      return "";
  }
  sys::path::append(Path, ".debug");
  return Path.str().str();
}

std::vector<std::string> placesOf(StringRef Recorded, StringRef BuildId,
                                  StringRef Symfs) {
  std::vector<std::string> Places;
  const bool IsFile = Recorded.starts_with("/");
  if (IsFile)
    Places.push_back(
        (Symfs.empty() ? Recorded : Symfs.rtrim('/') + Recorded).str());
  std::string Cache = cacheFolder(Symfs);
  constexpr size_t Least = 4; // digits of an id
  if (BuildId.size() < Least || Cache.empty())
    return Places;
  std::string Id = BuildId.lower();
  SmallString<128> Entry(Cache);
  sys::path::append(Entry, ".build-id", Id.substr(0, 2), Id.substr(2));
  SmallString<128> File(Entry);
  sys::path::append(File, IsFile ? "elf" : "vdso");
  Places.push_back(File.str().str());
  // Before Linux 4.8 the entry itself was the file.
  Places.push_back(Entry.str().str());
  return Places;
}

} // namespace rw::intelpt::perf
