//===- Elements.cpp - Names for elements of containers --------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/dap/Elements.h"
#include <optional>
#include <string>

using namespace llvm;

namespace rw::dap {

/// LLDB writes children that a formatter makes up as if they were members.
static bool hasMadeUpName(StringRef Path) {
  return Path.contains("->[") || Path.contains(".[");
}

/// A vector's elements have an operator of C++.
static std::string byIndex(StringRef Path) {
  constexpr StringLiteral Start = "._M_impl._M_start->[";
  std::string Name;
  for (size_t At; (At = Path.find(Start)) != StringRef::npos;
       Path = Path.drop_front(At + Start.size()))
    Name += (Path.take_front(At) + "[").str();
  return Name + Path.str();
}

/// None if \p Type cannot be written in a cast that LLDB understands, which
/// knows no templates by their names.
static std::optional<std::string> byAddress(StringRef Type, StringRef Addr) {
  if (Type.empty() || Addr.empty() || Type.find_first_of("<(") != Type.npos)
    return std::nullopt;
  const auto [Element, Count] = Type.split('[');
  if (Count.empty())
    return ("*(" + Type + " *)" + Addr).str();
  return ("*(" + Element.rtrim() + " (*)[" + Count + ")" + Addr).str();
}

void nameElements(json::Object &Body) {
  json::Array *Variables = Body.getArray("variables");
  if (!Variables)
    return;
  for (json::Value &Each : *Variables) {
    json::Object *V = Each.getAsObject();
    auto Path = V ? V->getString("evaluateName") : std::nullopt;
    if (!Path || !hasMadeUpName(*Path))
      continue;
    std::string Name = byIndex(*Path);
    if (hasMadeUpName(Name))
      Name = byAddress(V->getString("type").value_or(""),
                       V->getString("memoryReference").value_or(""))
                 .value_or("");
    if (Name.empty())
      V->erase("evaluateName");
    else
      (*V)["evaluateName"] = std::move(Name);
  }
}

} // namespace rw::dap
