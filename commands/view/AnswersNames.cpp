//===- AnswersNames.cpp - Names, and what lies at a moment ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/Bookmarks.h"
#include "commands/support/PositionExpr.h"
#include "commands/view/Answers.h"
#include "core/calls/FunctionNames.h"
#include "core/store/TraceStore.h"
#include "core/support/SymbolPattern.h"

using namespace llvm;

namespace rw {

/// Where thread "of" stands when "thread" stands at "at".
ViewAnswers::Answer ViewAnswers::moment(const ViewFields &F) {
  auto T = thread(F);
  if (!T)
    return T.takeError();
  auto At = position(F, "at", *T);
  auto Of = F.number("of", S.Store.numThreads());
  if (!At || !Of)
    return joinErrors(At.takeError(), Of.takeError());
  if (!*Of)
    return userError("there is no thread 0");
  auto When = S.Store.momentOf(*T, *At);
  if (!When)
    return When.takeError();
  auto P = S.Store.positionOf(ThreadIndex(*Of - 1), *When);
  if (!P)
    return P.takeError();
  return json::Object{{"at", *P}};
}

/// "head+0x8" for an address; empty where no image knows.
ViewAnswers::Answer ViewAnswers::symbol(const ViewFields &F) {
  auto Text = F.text("address");
  if (!Text)
    return Text.takeError();
  uint64_t Addr = 0;
  if (StringRef(*Text).getAsInteger(0, Addr))
    return userError("'" + *Text + "' is no address");
  return json::Object{{"name", formatData(S, Addr)}};
}

/// The names that begin with "word": of the images, registers, bookmarks, and
/// what positions are called.
ViewAnswers::Answer ViewAnswers::complete(const ViewFields &F) {
  static constexpr size_t Most = 200;
  auto Word = F.text("word");
  if (!Word)
    return Word.takeError();
  if (Completions.empty()) {
    if (S.Symbols)
      for (const ImageSymbol &Symbol : S.Symbols->symbolTable())
        Completions.push_back(readableName(Symbol.Name));
    for (const RegisterInfo &R : S.Store.registerFile().registers())
      Completions.push_back(R.Name);
    for (StringRef Name : positionWords())
      Completions.push_back(Name.str());
    sort(Completions);
    Completions.erase(std::unique(Completions.begin(), Completions.end()),
                      Completions.end());
  }
  std::vector<std::string> Found;
  bool Complete = true;
  for (auto It = lower_bound(Completions, *Word);
       It != Completions.end() && StringRef(*It).starts_with(*Word); ++It) {
    if (Found.size() == Most) {
      Complete = false;
      break;
    }
    Found.push_back(*It);
  }
  // Bookmarks come and go.
  auto Marks = loadBookmarks(S);
  if (!Marks)
    return Marks.takeError();
  for (const Bookmark &B : *Marks)
    if (StringRef(B.Name).starts_with(*Word))
      Found.insert(Found.begin(), B.Name);
  return json::Object{{"names", json::Array(Found)}, {"complete", Complete}};
}

} // namespace rw
