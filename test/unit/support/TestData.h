//===- TestData.h - Where tests find traces ---------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_UNIT_SUPPORT_TESTDATA_H
#define REWIND_TEST_UNIT_SUPPORT_TESTDATA_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <string>
#include <vector>

/// Ends a test that cannot run here, as skipped; as failed if
/// REWIND_REQUIRE_ALL is set. \p Reason is for whoever reads the summary.
#define REWIND_SKIP(Reason)                                                    \
  do {                                                                         \
    if (rw::test::mustRunAll())                                                \
      FAIL() << "REWIND_REQUIRE_ALL is set, but: " << (Reason);                \
    GTEST_SKIP() << (Reason);                                                  \
  } while (false)

/// Skips a test where \p Lack of the processor is the reason: that cannot be
/// installed, so that REWIND_REQUIRE_ALL does not ask for it.
#define REWIND_SKIP_PROCESSOR(Lack)                                            \
  GTEST_SKIP() << "this processor has no " << (Lack)

namespace rw::test {

inline bool mustRunAll() {
  const char *Value = std::getenv("REWIND_REQUIRE_ALL");
  return Value && *Value && llvm::StringRef(Value) != "0";
}

/// A file of this source tree.
std::string sourceFile(llvm::StringRef Path);

/// What the build made, test/tools/make_test_data.py: \p Name begins with its
/// kind, "tarmac" or "intelpt".
std::string madeData(llvm::StringRef Name);

/// Why there is no made data of this kind; empty if there is.
inline std::string whyNotMade(llvm::StringRef Kind) {
  std::string Folder = madeData(Kind);
  if (!llvm::sys::fs::is_directory(Folder))
    return "the target test-data was not built";
  auto Reason = llvm::MemoryBuffer::getFile(Folder + "/NOT-MADE");
  return Reason ? (*Reason)->getBuffer().trim().str() : "";
}

/// Traces and expected results of others, in the folders tarmac, htm and
/// intelpt of $REWIND_TEST_DATA. Empty if that is not set or does not have \p
/// Name.
inline std::string otherData(llvm::StringRef Name) {
  const char *Root = std::getenv("REWIND_TEST_DATA");
  if (!Root || !*Root)
    return "";
  std::string Path = (Root + llvm::Twine("/") + Name).str();
  return llvm::sys::fs::exists(Path) ? Path : "";
}

inline std::string whyNoOther(llvm::StringRef Name) {
  return ("REWIND_TEST_DATA names no folder with " + Name).str();
}

/// Every entry of a folder, sorted; nothing if it is not there.
inline std::vector<std::string> entries(const std::string &Folder) {
  std::vector<std::string> Found;
  std::error_code EC;
  for (llvm::sys::fs::directory_iterator I(Folder, EC), E; I != E && !EC;
       I.increment(EC))
    Found.push_back(I->path());
  llvm::sort(Found);
  return Found;
}

/// The Tarmac traces, then the Intel PT bundles: made ones and those of others.
inline std::vector<std::string> tarmacTraces() {
  std::vector<std::string> Found;
  for (const std::string &Folder : {madeData("tarmac"), otherData("tarmac")})
    for (const std::string &Path : entries(Folder))
      if (llvm::sys::path::extension(Path) == ".tarmac")
        Found.push_back(Path);
  return Found;
}
inline std::vector<std::string> intelptBundles() {
  std::vector<std::string> Found;
  for (const std::string &Folder : {madeData("intelpt"), otherData("intelpt")})
    for (const std::string &Path : entries(Folder))
      if (llvm::sys::fs::exists(Path + "/trace.json"))
        Found.push_back(Path);
  return Found;
}

} // namespace rw::test

#endif // REWIND_TEST_UNIT_SUPPORT_TESTDATA_H
