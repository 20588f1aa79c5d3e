//===- Session.cpp - What a command runs in -------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/Session.h"
#include "commands/support/Options.h"
#include "commands/support/UnknownName.h"
#include "core/calls/FunctionNames.h"

using namespace llvm;

namespace rw {

SymbolSource::~SymbolSource() = default;
std::vector<ImageSymbol> SymbolSource::symbolTable() { return {}; }
std::vector<CodeMapping> SymbolSource::codeMappings() { return {}; }
std::vector<std::pair<uint64_t, ArrayRef<uint8_t>>> SymbolSource::readOnly() {
  return {};
}
ExpressionSource::~ExpressionSource() = default;
char UnknownName::ID;

Error Session::moveTo(Place Where, const std::string &Description) {
  if (!Move)
    return userError("the shell has no position to move; use this in LLDB");
  Place From = Here;
  if (Error E = Move(Where, Description))
    return E;
  Memory.Back.push_back(From);
  Memory.Forward.clear();
  Here = Where;
  return Error::success();
}

} // namespace rw
