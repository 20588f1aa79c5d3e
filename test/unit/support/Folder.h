//===- Folder.h - A folder of a test ----------------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_SUPPORT_FOLDER_H
#define REWIND_TEST_SUPPORT_FOLDER_H

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace rw {

/// A new folder that goes with its contents.
class Folder {
public:
  Folder() {
    llvm::SmallString<128> Path;
    llvm::sys::fs::createUniqueDirectory("rewind-test", Path);
    llvm::SmallString<128> Real; // messages are compared with paths
    llvm::sys::fs::real_path(Path, Real);
    Root = Real.str().str();
  }
  ~Folder() { // LLVM's leaves pipes and sockets
    std::error_code EC;
    std::filesystem::remove_all(Root, EC);
  }

  std::string operator/(llvm::StringRef Name) const {
    return Root + "/" + Name.str();
  }
  std::string path() const { return Root; }
  std::string write(llvm::StringRef Name, llvm::StringRef Text) const {
    std::ofstream(*this / Name, std::ios::binary)
        .write(Text.data(), Text.size());
    return *this / Name;
  }
  std::string read(llvm::StringRef Name) const {
    std::ostringstream Text;
    Text << std::ifstream(*this / Name, std::ios::binary).rdbuf();
    return Text.str();
  }
  /// The names in it, hidden ones included, in order.
  std::vector<std::string> names() const {
    std::vector<std::string> Names;
    std::error_code EC;
    for (llvm::sys::fs::directory_iterator I(Root, EC), E; I != E && !EC;
         I.increment(EC))
      Names.push_back(llvm::StringRef(I->path()).rsplit('/').second.str());
    std::sort(Names.begin(), Names.end());
    return Names;
  }

private:
  std::string Root;
};

} // namespace rw

#endif // REWIND_TEST_SUPPORT_FOLDER_H
