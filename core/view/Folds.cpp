//===- Folds.cpp ----------------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/view/Folds.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace rw {

bool Folds::isFolded(uint64_t Number) const {
  auto Next = Begin.upper_bound(Number);
  return Next != Begin.begin() && std::prev(Next)->second;
}

void Folds::set(uint64_t From, uint64_t To, bool Folded) {
  if (From >= To)
    return;
  bool Before = From && isFolded(From - 1);
  bool After = isFolded(To);
  Begin.erase(Begin.lower_bound(From), Begin.upper_bound(To));
  if (Before != Folded)
    Begin[From] = Folded;
  if (To != ~uint64_t(0) && After != Folded)
    Begin[To] = After;
}

std::string Folds::text() const {
  std::string Text;
  for (auto I = Begin.begin(); I != Begin.end();) {
    uint64_t First = I++->first;
    if (!Text.empty())
      Text += ',';
    Text += utostr(First);
    if (I == Begin.end())
      return Text + '-';
    uint64_t Last = I++->first - 1;
    if (Last != First)
      Text += '-' + utostr(Last);
  }
  return Text;
}

Expected<Folds> Folds::parse(StringRef Text, size_t MaxRuns) {
  Folds Result;
  SmallVector<StringRef> Runs;
  if (!Text.empty())
    Text.split(Runs, ',');
  if (Runs.size() > MaxRuns)
    return createStringError("more than " + Twine(MaxRuns) +
                             " runs of folded calls");
  for (StringRef Run : Runs) {
    auto [FirstText, LastText] = Run.split('-');
    bool IsRange = FirstText.size() != Run.size();
    uint64_t First, Last;
    if (FirstText.getAsInteger(10, First))
      return createStringError("folds: a number was expected in '" + Run + "'");
    Last = First;
    if (IsRange && LastText.empty())
      Last = ~uint64_t(0) - 1;
    else if (IsRange && LastText.getAsInteger(10, Last))
      return createStringError("folds: a number was expected in '" + Run + "'");
    if (Last < First || Last == ~uint64_t(0))
      return createStringError("folds: '" + Run + "' is no range");
    Result.set(First, Last + 1, true);
  }
  return Result;
}

Expected<uint64_t> endOfSubtree(const CallIndex &Calls, const Activation &A) {
  // What begins before its end and after it is inside it.
  return Calls.firstFrom(A.Thread, A.End);
}

} // namespace rw
