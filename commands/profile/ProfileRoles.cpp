//===- ProfileRoles.cpp - What a profile selects, excludes and folds ------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/profile/ProfileView.h"

using namespace llvm;

namespace rw {

Error ProfileView::checkFold(const ProfileFilter &F) const {
  if (By == ByWhat::Functions && F.namesOneLine())
    return usageError("--fold " + F.text() +
                      ": a line is no part of a stack of functions; --by lines "
                      "has stacks of lines");
  return Error::success();
}

bool ProfileView::isBlock(const ProfileFilter &F, const ProfileBlock &B) const {
  return F.names(B, By == ByWhat::Functions) ||
         (By == ByWhat::Lines && F.namesLines() && !B.Frames.empty() &&
          F.namesLine(B.Frames.front()));
}

bool ProfileView::folds(const ProfileFilter &F, const ProfileBlock &B) const {
  if (F.names(B, By == ByWhat::Functions))
    return true;
  if (By == ByWhat::Htr || B.Frames.empty())
    return false;
  const CodeFrame &Innermost = B.Frames.front();
  if (By == ByWhat::Functions)
    return F.namesLines() && F.namesFile(Innermost);
  return F.namesLines() ? F.namesLine(Innermost)
                        : F.namesFunction(Innermost.Function);
}

BlockRole
ProfileView::rolesBy(function_ref<bool(const ProfileFilter &)> Names) const {
  BlockRole R;
  for (size_t I = 0; I < Selected.size(); ++I)
    if (Names(Selected[I])) {
      R.Selected |= uint64_t(1) << I;
      Selected[I].Used = true;
    }
  for (const ProfileFilter &F : Excluded)
    if (Names(F))
      R.Excluded = F.Used = true;
  return R;
}

BlockRole ProfileView::roleOf(ProfileBlockId Id) const {
  const ProfileBlock &B = (*Blocks)[Id];
  BlockRole R = rolesBy([&](const ProfileFilter &F) { return isBlock(F, B); });
  for (const ProfileFilter &F : Folded)
    if (folds(F, B))
      R.Folded = F.Used = true;
  return R;
}

/// What is selected and excluded, but blocks of the kind that is profiled, is
/// looked for in stacks beside theirs.
Error ProfileView::addGates() {
  bool Functions = false, Lines = false;
  for (auto *List : {&Selected, &Excluded})
    for (const ProfileFilter &F : *List)
      (F.namesLines() ? Lines : Functions) = true;
  Functions &= By != ByWhat::Functions;
  Lines &= By != ByWhat::Lines;
  if (!Functions && !Lines)
    return Error::success();
  if (Lines && !S.Symbols)
    return needsDebugInfo();
  if (Error E = openCalls())
    return E;
  if (Functions) {
    GateBlocks.push_back(std::make_unique<FunctionBlocks>(Calls->names()));
    auto &Of = static_cast<FunctionBlocks &>(*GateBlocks.back());
    Request.Gates.push_back({[this, &Of](ThreadIndex T, Position From,
                                         Position To, BlockWalk::Listener &L) {
                               return walkFunctions(*Query, Of, T, From, To, L);
                             },
                             [this, &Of](ProfileBlockId X) {
                               return rolesBy([&](const ProfileFilter &F) {
                                 return !F.namesLines() && F.names(Of[X], true);
                               });
                             }});
  }
  // Lines belong to inlined functions, too.
  if (Lines || By == ByWhat::Lines) {
    openFrames();
    GateBlocks.push_back(
        std::make_unique<LineBlocks>(*Frames, /*Apart=*/!Lines));
    auto &Of = static_cast<LineBlocks &>(*GateBlocks.back());
    Request.Gates.push_back(
        {[this, &Of](ThreadIndex T, Position From, Position To,
                     BlockWalk::Listener &L) {
           return walkLines(*Query, Of, T, From, To, L);
         },
         [this, &Of, Lines](ProfileBlockId X) {
           const std::vector<CodeFrame> &At = Of[X].Frames;
           return rolesBy([&](const ProfileFilter &F) {
             if (Lines)
               return F.namesLines() && F.namesLine(At.front());
             return !F.namesLines() && any_of(At, [&](const CodeFrame &Level) {
               return F.namesFunction(Level.Function);
             });
           });
         }});
  }
  return Error::success();
}

/// Nothing that \p F names is on a stack in the range. \p Any: functions and
/// lines had been looked for, too.
Error ProfileView::noneRuns(const ProfileFilter &F, bool Any) const {
  std::string What = F.namesLines() && Any ? "line" : blockNoun().str();
  std::string Hint = "'profile self' lists those that do";
  if (!F.namesLines() && By != ByWhat::Functions && Any)
    What += " or function";
  else if (By == ByWhat::Htr && !Any)
    Hint += "; functions and lines are no parts of blocks";
  else if (F.namesLines() && By == ByWhat::Functions)
    Hint += " (--by lines: lines)";
  else if (!F.namesLines() && By == ByWhat::Lines)
    Hint += " (--by functions: functions)";
  return userError("no " + What + " '" + F.text() + "' runs there; " + Hint);
}

Error ProfileView::notFound(const ProfileFilter &F) const {
  for (ProfileBlockId X : Pushed) {
    const ProfileBlock &B = (*Blocks)[X];
    if (!isBlock(F, B))
      continue;
    const std::string Name = "'" + F.text() + "' runs there, but ";
    const BlockRole &Role = Profile->role(X);
    auto Option = [&](const std::vector<ProfileFilter> &Of, auto Is) {
      auto It = find_if(Of, Is);
      return It == Of.end() ? std::string() : " " + It->text();
    };
    if (Role.Excluded)
      return userError(
          Name +
          "is excluded: nothing counts while it is on the stack "
          "(--exclude" +
          Option(Excluded, [&](auto &E) { return isBlock(E, B); }) + ")");
    if (Role.Folded)
      return userError(Name + "is folded, and so on no stack (--fold" +
                       Option(Folded, [&](auto &E) { return folds(E, B); }) +
                       ")");
    return userError(Name + "not where anything counts; " + filters());
  }
  return noneRuns(F, /*Any=*/false);
}

Error ProfileView::checkFilters(const ProfileView *Other) const {
  if (interrupted() || (Other && Other->interrupted()))
    return Error::success();
  for (auto List :
       {&ProfileView::Selected, &ProfileView::Excluded, &ProfileView::Folded})
    for (size_t I = 0; I < (this->*List).size(); ++I) {
      const ProfileFilter &F = (this->*List)[I];
      if (F.Used || (Other && (Other->*List)[I].Used))
        continue;
      return noneRuns(F, List != &ProfileView::Folded);
    }
  return Error::success();
}

std::string ProfileView::filters() const {
  std::string Text;
  for (auto [What, List] :
       {std::pair("selected", &Selected), std::pair("excluded", &Excluded),
        std::pair("folded", &Folded)}) {
    if (List->empty())
      continue;
    Text += (Text.empty() ? "" : "; ") + std::string(What) + ": ";
    for (const ProfileFilter &F : *List)
      Text += (&F == List->data() ? "" : ", ") + F.text();
  }
  return Text;
}

void ProfileView::addFilters(json::Object &To) const {
  for (auto [What, List] :
       {std::pair("selected", &Selected), std::pair("excluded", &Excluded),
        std::pair("folded", &Folded)}) {
    if (List->empty())
      continue;
    json::Array Texts;
    for (const ProfileFilter &F : *List)
      Texts.push_back(json::fixUTF8(F.text()));
    To[What] = std::move(Texts);
  }
}

} // namespace rw
