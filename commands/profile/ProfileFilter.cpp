//===- ProfileFilter.cpp - A block as a person names it -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/profile/ProfileFilter.h"
#include "core/support/BriefName.h"
#include "core/support/Printable.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace rw {

/// The part behind the last colon, if it is a line's number or a pattern of
/// one; "ns::*" is none.
static bool hasLine(StringRef Text) {
  auto [File, Line] = Text.rsplit(':');
  return !File.empty() && File.back() != ':' && !Line.empty() &&
         Line.find_first_not_of("0123456789*?[]-") == StringRef::npos;
}

/// Names of functions have dots, too: "sort.part.0", "f.cold", "memcpy@@2.14".
static bool isSourceFile(StringRef Text) {
  static constexpr StringRef Extensions[] = {
      ".c",   ".h",   ".cc", ".hh", ".cpp", ".hpp", ".cxx", ".hxx", ".C",
      ".tcc", ".inc", ".S",  ".s",  ".asm", ".rs",  ".go",  ".f",   ".f90",
      ".m",   ".mm",  ".d",  ".c*", ".h*",  ".zig", ".ada", ".adb"};
  return is_contained(Extensions, sys::path::extension(Text));
}

Expected<ProfileFilter> ProfileFilter::parse(Session &S, StringRef Text) {
  ProfileFilter F;
  F.Text = Text.str();
  if (Text.empty())
    return usageError("a block has a name");
  F.OneLine = hasLine(Text);
  F.Lines = F.OneLine || isSourceFile(Text);
  if (Text.find_first_of("*?") != StringRef::npos) {
    auto Glob = NameGlob::create("the pattern", Text);
    if (!Glob)
      return Glob.takeError();
    F.Glob = std::move(*Glob);
  } else if (Text.starts_with("0x")) {
    F.Address = parseNumber(Text);
  } else if (!F.Lines && S.Symbols) {
    // printf is __printf, too, and which of them is shown is the image's.
    for (const DataSymbol &D : S.Symbols->findSymbol(Text)) {
      F.Starts.push_back(D.Start);
      if (auto Sym = S.Symbols->symbolizeCode(D.Start)) {
        F.Shown.push_back(printable(Sym->Function));
        if (!Sym->Frames.empty())
          F.Shown.push_back(printable(Sym->Frames.back().Function));
      }
    }
  }
  return F;
}

bool ProfileFilter::namesFunction(StringRef Name) const {
  return Name == Text || is_contained(Shown, Name) ||
         Name.starts_with(Text + " ") || plainName(Name) == Text ||
         (Glob && Glob->match(Name));
}

bool ProfileFilter::names(const ProfileBlock &B, bool IsFunction) const {
  return namesFunction(B.Name) || (Address && *Address == B.Address) ||
         (IsFunction && is_contained(Starts, B.Address));
}

/// A path or its tail.
bool ProfileFilter::isPath(StringRef Path) const {
  if (Path == Text ||
      (Path.ends_with(Text) &&
       sys::path::is_separator(Path.drop_back(Text.size()).back())))
    return true;
  return Glob && (Glob->matchWhole(Path) ||
                  Glob->matchWhole(sys::path::filename(Path)));
}

bool ProfileFilter::namesFile(const CodeFrame &F) const {
  return !F.File.empty() && isPath(F.File);
}

bool ProfileFilter::namesLine(const CodeFrame &F) const {
  return F.Line && !F.File.empty() &&
         (isPath(F.File) || isPath(F.File + ":" + std::to_string(F.Line)));
}

} // namespace rw
