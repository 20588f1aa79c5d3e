//===- TestData.cpp - The folders of this tree ------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/support/TestData.h"

std::string rw::test::sourceFile(llvm::StringRef Path) {
  return (REWIND_SOURCE_DIR "/" + Path).str();
}

std::string rw::test::madeData(llvm::StringRef Name) {
  return (REWIND_MADE_DATA "/" + Name).str();
}
