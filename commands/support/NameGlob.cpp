//===- NameGlob.cpp - Functions as an option names them -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/NameGlob.h"
#include "commands/support/Options.h"
#include "core/support/SymbolPattern.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/GlobPattern.h"

using namespace llvm;

namespace rw {

struct NameGlob::State {
  std::string Text, Pattern;
  std::optional<GlobPattern> Glob; ///< refers to Pattern
  StringMap<bool> Known;
};

Expected<NameGlob> NameGlob::create(const Twine &Option, StringRef Text) {
  // "" would match what has no name.
  if (Text.empty())
    return usageError(Option + " '': expected a name or a glob, not nothing");
  auto S = std::make_shared<State>();
  S->Text = Text.str();
  S->Pattern = withPlainBrackets(Text);
  auto G = GlobPattern::create(S->Pattern);
  if (!G)
    return usageError(Option + " '" + Text + "': " + toString(G.takeError()));
  S->Glob = std::move(*G);
  return NameGlob(std::move(S));
}

bool NameGlob::match(StringRef Name) const {
  auto [It, New] = S->Known.try_emplace(Name);
  if (New) {
    const std::string Short = nameWithoutParameters(Name);
    It->second = Name == S->Text || Short == S->Text || matchWhole(Name) ||
                 matchWhole(Short);
  }
  return It->second;
}

bool NameGlob::matchWhole(StringRef Text) const { return S->Glob->match(Text); }

StringRef NameGlob::text() const { return S->Text; }

} // namespace rw
