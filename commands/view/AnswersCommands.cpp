//===- AnswersCommands.cpp - Commands that a page may run -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A page names a command of a fixed list and values for some of its options. It
// never sends a command line: values become words that begin with the option's
// name, and arguments come behind "--", so none of them is taken for something
// else. What comes back is the command's own --json.
//
//===----------------------------------------------------------------------===//

#include "commands/view/Answers.h"
#include "core/store/TraceStore.h"
#include "core/support/Json.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace rw {

namespace {
struct Allowed {
  StringLiteral What;    ///< as the page says it
  StringLiteral Command; ///< as a user types it
  StringLiteral Texts;   ///< options with a value
  StringLiteral Lists;   ///< options that may come several times
  StringLiteral Flags;
  StringLiteral Arguments; ///< fields, in order
  unsigned Required;       ///< how many of them there must be
  bool Slow;               ///< it looks at the whole trace: answers are kept
};
} // namespace

/// How many items an answer has at most, whatever the page asks for, and how
/// many where it does not say. What is left out, "complete": false tells.
static constexpr uint64_t MaxCount = 5000, DefaultCount = 1000;
/// Nor is an answer longer than this, however long its items are.
static constexpr size_t MaxAnswer = 1 << 20;

static constexpr StringLiteral ProfileTexts =
    "by,metric,from,to,thread,sort,count";
static constexpr Allowed List[] = {
    {"info", "info", "", "", "", "", 0, false},
    {"find", "find", "at,count,thread", "", "prev,next,entry,exception", "of",
     0, false},
    {"last-write", "last-write", "at,size,thread", "", "", "of", 1, false},
    {"next-write", "next-write", "at,size,thread", "", "", "of", 1, false},
    {"last-read", "last-read", "at,size,thread", "", "", "of", 1, false},
    {"next-read", "next-read", "at,size,thread", "", "", "of", 1, false},
    {"history", "history", "at,size,thread,from,to,count", "", "reads,own",
     "of", 1, false},
    {"origin", "origin", "at,size,thread", "", "", "of", 1, false},
    {"diff", "diff", "count", "", "", "from,to", 2, false},
    {"calls-info", "calls info", "thread,from,count", "", "", "of", 1, true},
    {"htr-where", "htr where", "", "", "", "at", 1, false},
    {"htr-expand", "htr expand", "occurrence,layer,count", "", "", "of", 1,
     false},
    {"profile-tree", "profile tree", "by,metric,from,to,thread,count,depth",
     "select,exclude,fold", "", "", 0, true},
    {"profile-self", "profile self", ProfileTexts, "select,exclude,fold", "",
     "", 0, true},
    {"profile-dominated", "profile dominated", ProfileTexts,
     "select,exclude,fold", "", "", 0, true},
    {"profile-block", "profile block", ProfileTexts, "select,exclude,fold", "",
     "of", 1, true},
    {"profile-sequences", "profile sequences", ProfileTexts,
     "select,exclude,fold", "", "", 0, true},
    {"slice", "slice", "at,size,count", "", "", "of", 0, true},
    {"critical-path", "critical-path", "from,to,thread,count", "", "steps", "",
     0, true},
    {"bookmarks", "bookmark list", "", "", "", "", 0, false},
    {"bookmark-add", "bookmark add", "note", "", "", "name,at", 2, false},
    {"bookmark-delete", "bookmark delete", "", "", "", "name", 1, false},
};

template <typename Each> static Error forEachName(StringRef Names, Each F) {
  SmallVector<StringRef> List;
  Names.split(List, ',', -1, /*KeepEmpty=*/false);
  for (StringRef Name : List)
    if (Error E = F(Name))
      return E;
  return Error::success();
}

/// The "count" of a question, or what bounds it instead.
static Expected<std::string> countAsked(const ViewFields &F) {
  if (!F.has("count"))
    return utostr(DefaultCount);
  auto Text = F.text("count");
  uint64_t N;
  // What is no number, the command says.
  if (!Text || StringRef(*Text).getAsInteger(10, N) || N <= MaxCount)
    return Text;
  return utostr(MaxCount);
}

static Expected<std::vector<std::string>> words(const Allowed &A,
                                                const ViewFields &F) {
  std::vector<std::string> Words = {"--json"};
  Error E = forEachName(A.Texts, [&](StringRef Name) -> Error {
    // One is asked for where "find" is to look for the next or last.
    const bool Counts = Name == "count" && !F.has("next") && !F.has("prev");
    if (!F.has(Name) && !Counts)
      return Error::success();
    auto Text = Name == "count" ? countAsked(F) : F.text(Name);
    if (!Text)
      return Text.takeError();
    Words.push_back(("--" + Name + "=" + *Text).str());
    return Error::success();
  });
  E = joinErrors(std::move(E),
                 forEachName(A.Lists, [&](StringRef Name) -> Error {
                   auto Texts = F.texts(Name);
                   if (!Texts)
                     return Texts.takeError();
                   for (const std::string &Text : *Texts)
                     Words.push_back(("--" + Name + "=" + Text).str());
                   return Error::success();
                 }));
  E = joinErrors(std::move(E),
                 forEachName(A.Flags, [&](StringRef Name) -> Error {
                   auto Given = F.flag(Name);
                   if (!Given)
                     return Given.takeError();
                   if (*Given)
                     Words.push_back(("--" + Name).str());
                   return Error::success();
                 }));
  Words.push_back("--");
  unsigned Needed = A.Required;
  E = joinErrors(std::move(E),
                 forEachName(A.Arguments, [&](StringRef Name) -> Error {
                   if (!F.has(Name) && !Needed)
                     return Error::success();
                   Needed -= Needed > 0;
                   auto Text = F.text(Name);
                   if (!Text)
                     return Text.takeError();
                   Words.push_back(std::move(*Text));
                   return Error::success();
                 }));
  if (E)
    return E;
  return Words;
}

static Expected<json::Object> parsed(StringRef Text) {
  auto V = parseJson(Text);
  if (!V)
    return V.takeError();
  if (json::Object *O = V->getAsObject())
    return std::move(*O);
  return createStringError("the answer is no object");
}

/// Leaves out the last items where the answer would be too long.
static Error shorten(json::Object &O) {
  size_t Bytes = 0;
  std::string Text;
  auto Add = [&](const json::Value &V) {
    Text.clear();
    raw_string_ostream(Text) << V;
    return Bytes += Text.size() + 1;
  };
  json::Array *Items = O.getArray("items");
  for (const auto &[Name, V] : O)
    if (Name != "items")
      Add(V);
  size_t Fit = 0;
  while (Items && Fit < Items->size() && Add((*Items)[Fit]) <= MaxAnswer)
    ++Fit;
  if (Items && Fit < Items->size()) {
    while (Items->size() > Fit)
      Items->pop_back();
    O["complete"] = false;
  }
  if (Bytes > MaxAnswer && !Fit)
    return userError("the answer would be longer than " + Twine(MaxAnswer) +
                     " bytes, which no page is sent");
  return Error::success();
}

/// Where the thread of the axis was when the items happened, some of which may
/// be of others.
Error ViewAnswers::addHere(json::Object &O, const ViewFields &F) const {
  json::Array *Items = O.getArray("items");
  if (!F.has("axis") || !Items)
    return Error::success();
  auto T = thread(F, "axis");
  if (!T)
    return T.takeError();
  for (json::Value &V : *Items) {
    json::Object *Item = V.getAsObject();
    if (!Item)
      continue;
    auto Of = Item->getInteger("thread"), At = Item->getInteger("position");
    if (!Of || !At || *Of < 1 || uint64_t(*Of) > S.Store.numThreads())
      continue;
    auto When = S.Store.momentOf(ThreadIndex(*Of - 1), Position(*At));
    if (!When)
      return When.takeError();
    auto Here = S.Store.positionOf(*T, *When);
    if (!Here)
      return Here.takeError();
    (*Item)["here"] = *Here;
  }
  return Error::success();
}

ViewAnswers::Answer ViewAnswers::command(StringRef What, const ViewFields &F) {
  auto O = commandJson(What, F);
  if (!O)
    return O.takeError();
  if (Error E = addHere(*O, F))
    return E;
  return std::move(*O);
}

Expected<json::Object> ViewAnswers::commandJson(StringRef What,
                                                const ViewFields &F) {
  static constexpr size_t MostKept = 24;
  const Allowed *A =
      find_if(List, [&](const Allowed &A) { return A.What == What; });
  if (A == std::end(List))
    return userError("there is no question '" + What + "'");
  auto Words = words(*A, F);
  if (!Words)
    return Words.takeError();
  std::string Key = A->Command.str();
  for (const std::string &Word : *Words)
    Key += '\0' + Word;
  for (auto I = Kept.begin(); A->Slow && I != Kept.end(); ++I)
    if (I->first == Key) {
      Kept.splice(Kept.begin(), Kept, I);
      return parsed(Kept.front().second);
    }
  SmallVector<StringRef> Name;
  A->Command.split(Name, ' ');
  unsigned Used = 0;
  const Command *C = findCommand(Name, Used);
  if (!C)
    return userError("there is no command '" + A->Command + "'");
  std::string Remarks;
  S.Warn = [&](const std::string &Text) {
    Remarks += (Remarks.empty() ? "" : "; ") + Text;
  };
  S.Here = {};
  Printed.clear();
  Error E =
      runCommand(*C, S, SmallVector<StringRef>(Words->begin(), Words->end()));
  S.Warn = nullptr;
  Out.flush();
  std::string Text = std::exchange(Printed, {});
  if (E)
    return E;
  auto O = parsed(Text);
  if (!O)
    return O.takeError();
  if (Text.size() > MaxAnswer) {
    if (Error E = shorten(*O))
      return E;
    Text.clear();
    raw_string_ostream(Text) << json::Value(json::Object(*O));
  }
  if (!Remarks.empty())
    (*O)["remarks"] = json::fixUTF8(Remarks);
  if (A->Slow) {
    Kept.emplace_front(std::move(Key), std::move(Text));
    if (Kept.size() > MostKept)
      Kept.pop_back();
  }
  return O;
}

} // namespace rw
