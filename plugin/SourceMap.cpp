//===- SourceMap.cpp - Where sources are now ------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/SourceMap.h"
#include "lldb/API/SBStringList.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <utility>
#include <vector>

using namespace lldb;
using llvm::StringRef;

std::function<std::string(StringRef)> rw::movedSources(SBDebugger Debugger) {
  std::vector<std::pair<std::string, std::string>> Map;
  SBStringList Lines = SBDebugger::GetInternalVariableValue(
      "target.source-map", Debugger.GetInstanceName());
  for (uint32_t I = 0; I < Lines.GetSize(); ++I) {
    // [0] "/built/here" -> "/is/there"
    auto [From, To] = StringRef(Lines.GetStringAtIndex(I)).split("\" -> \"");
    From = From.split('"').second;
    if (To.consume_back("\""))
      Map.emplace_back(From.rtrim('/'), To.rtrim('/'));
  }
  if (Map.empty())
    return nullptr;
  return [Map = std::move(Map)](StringRef Path) {
    // Compilers keep "../inc" in names; LLDB does not.
    llvm::SmallString<256> Plain(Path);
    llvm::sys::path::remove_dots(Plain, /*remove_dot_dot=*/true);
    for (const auto &[From, To] : Map)
      if (StringRef Rest = Plain;
          Rest.consume_front(From) && Rest.starts_with("/"))
        if (std::string Now = To + Rest.str(); llvm::sys::fs::exists(Now))
          return Now;
    return Path.str();
  };
}
