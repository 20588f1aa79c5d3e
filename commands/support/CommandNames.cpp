//===- CommandNames.cpp - Commands as a person types them -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/CommandNames.h"
#include "commands/support/NearNames.h"
#include "core/support/Printable.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace rw {

StringRef shortFor(StringRef Word) {
  // What is asked most. The others that begin so want a letter more.
  return Word == "last" ? "last-write" : Word == "next" ? "next-write" : "";
}

/// Those of \p Names that are \p Typed or, if none is, begin so.
static std::vector<StringRef> completions(ArrayRef<StringRef> Names,
                                          StringRef Typed) {
  std::vector<StringRef> Found;
  if (is_contained(Names, Typed))
    return {Typed};
  if (StringRef Meant = shortFor(Typed); is_contained(Names, Meant))
    return {Meant};
  for (StringRef Name : Names)
    if (!Typed.empty() && Name.starts_with(Typed) && !is_contained(Found, Name))
      Found.push_back(Name);
  return Found;
}

static std::string ambiguous(StringRef Typed, ArrayRef<StringRef> May) {
  return "'" + Typed.str() + "' is ambiguous: " + join(May, ", ");
}

static std::string unknown(StringRef Typed, const NearNames &Near) {
  return "no command '" + printable(Typed) + "'" + Near.question();
}

NamedCommand nameCommand(ArrayRef<const Command *> All,
                         ArrayRef<StringRef> Words,
                         ArrayRef<StringRef> Others) {
  NamedCommand N;
  if (Words.empty())
    return N;
  std::vector<StringRef> Firsts(Others.begin(), Others.end());
  for (const Command *C : All)
    Firsts.push_back(C->Name.split(' ').first);
  const auto First = completions(Firsts, Words[0]);
  if (First.size() > 1) {
    N.Wrong = ambiguous(Words[0], First);
    return N;
  }
  if (First.empty()) {
    NearNames Near(Words[0]);
    for (StringRef Name : Firsts)
      Near.add(Name);
    // "tree" is a word that people remember.
    for (const Command *C : All)
      if (C->Name.split(' ').second == Words[0])
        Near.add(Words[0], C->Name);
    N.Wrong = unknown(Words[0], Near);
    return N;
  }

  const Command *Alone = nullptr;
  std::vector<StringRef> Seconds;
  std::vector<std::string> Whole;
  for (const Command *C : All) {
    auto [Its, Second] = C->Name.split(' ');
    if (Its != First[0])
      continue;
    if (Second.empty())
      Alone = C;
    else
      Seconds.push_back(Second);
    Whole.push_back(C->Name.str());
  }
  auto Take = [&](StringRef Second) {
    for (const Command *C : All)
      if (C->Name == (First[0] + " " + Second).str())
        N.What = C;
    N.Used = 2;
  };
  const StringRef Next = Words.size() > 1 ? Words[1] : StringRef();
  // What follows a command may be its argument: only a whole word goes on from
  // its name.
  if (Alone && !is_contained(Seconds, Next)) {
    N.What = Alone;
    N.Used = 1;
    return N;
  }
  const auto Second = completions(Seconds, Next);
  if (Second.size() == 1) {
    Take(Second[0]);
    return N;
  }
  if (Seconds.empty()) // one of Others
    return N;
  if (Words.size() == 1)
    N.Family = First[0];
  if (Second.size() > 1) {
    N.Wrong = ambiguous((First[0] + " " + Next).str(), Second);
    return N;
  }
  NearNames Near(Next);
  for (StringRef Name : Seconds)
    Near.add(Name, (First[0] + " " + Name).str());
  N.Wrong =
      Near.question().empty()
          ? "'" + First[0].str() + "' wants one more word: " + join(Whole, ", ")
          : unknown((First[0] + " " + Next).str(), Near);
  return N;
}

StringRef familyAction(StringRef Family) {
  return Family == "htr" ? "dump" : "";
}

} // namespace rw
