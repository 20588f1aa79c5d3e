//===- Generated.h - Dumps whose contents are known -------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_HTM_GENERATED_H
#define REWIND_TEST_HTM_GENERATED_H

#include "test/unit/support/TestData.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace rw::htm::test {

inline std::string contents(const llvm::Twine &Path) {
  auto B = llvm::MemoryBuffer::getFile(Path);
  return B ? (*B)->getBuffer().str() : std::string();
}

inline llvm::ArrayRef<uint8_t> bytes(const std::string &S) {
  return llvm::ArrayRef(reinterpret_cast<const uint8_t *>(S.data()), S.size());
}

/// A dump of real hardware with what is expected of it.
struct RealDump {
  std::string Name, Bytes, Lines, Disassembly;
};
/// Empty if they are not there.
inline std::vector<RealDump> realDumps() {
  std::vector<RealDump> Dumps;
  for (const std::string &Path :
       rw::test::entries(rw::test::otherData("htm"))) {
    if (llvm::sys::path::extension(Path) != ".htm")
      continue;
    std::string Stem = llvm::StringRef(Path).drop_back(4).str();
    Dumps.push_back({Path, contents(Path), contents(Stem + ".insn"),
                     contents(Stem + ".dis")});
  }
  return Dumps;
}
/// Ends a test that has none of them.
#define NEEDS_REAL_DUMPS(Dumps)                                                \
  if (Dumps.empty())                                                           \
  REWIND_SKIP(rw::test::whyNoOther("htm: dumps of hardware"))

struct Generated {
  std::string Dump, Truth;
};
/// \p Options: the generator's, the processor first.
inline Generated generate(llvm::StringRef Options, unsigned Insns) {
  llvm::SmallString<128> Dump, Truth;
  EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("rewind", "htm", Dump));
  EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("rewind", "truth", Truth));
  auto Python = llvm::sys::findProgramByName("python3");
  EXPECT_TRUE(bool(Python));
  const std::string Script = rw::test::sourceFile("test/tools/make_htm.py");
  llvm::SmallVector<llvm::StringRef, 8> Words, Args = {*Python, Script};
  Options.split(Words, ' ');
  std::string N = llvm::utostr(Insns);
  Args.append({Words[0], Dump, "--insns", N, "--truth", Truth});
  Args.append(Words.begin() + 1, Words.end());
  EXPECT_EQ(llvm::sys::ExecuteAndWait(
                *Python, Args, std::nullopt,
                {std::nullopt, llvm::StringRef(""), std::nullopt}),
            0);
  Generated G = {contents(Dump), contents(Truth)};
  llvm::sys::fs::remove(Dump);
  llvm::sys::fs::remove(Truth);
  return G;
}

} // namespace rw::htm::test

#endif // REWIND_TEST_HTM_GENERATED_H
