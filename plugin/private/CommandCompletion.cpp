//===- CommandCompletion.cpp - Words of commands completed ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/private/CommandCompletion.h"
#include "lldb/Utility/CompletionRequest.h"
#include "plugin/private/VirtualTable.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
#include <mutex>

using lldb_private::Args;
using lldb_private::CommandObject;
using lldb_private::CompletionMode;
using lldb_private::CompletionRequest;
using lldb_private::CompletionResult;
using llvm::StringRef;

namespace rw {
struct MostElements {
  typedef size_t CompletionRequest::*type;
  friend type memberOf(MostElements);
};
template struct Expose<MostElements, &CompletionRequest::m_max_return_elements>;

struct ResultsOf {
  typedef std::vector<CompletionResult::Completion> CompletionResult::*type;
  friend type memberOf(ResultsOf);
};
template struct Expose<ResultsOf, &CompletionResult::m_results>;
} // namespace rw

using namespace rw;

static std::mutex CompletersMutex;

/// As the manners of groups: see CommandGroups.cpp.
static std::map<const CommandObject *, Completer> &completers() {
  static auto &All = *new std::map<const CommandObject *, Completer>;
  return All;
}

/// Where the answers of \p Request go. What adds one is not exported, and
/// nothing points to a member that is a reference: it is the last one, behind
/// the number of answers that are wanted. Null if there is more behind that.
static CompletionResult *resultOf(CompletionRequest &Request) {
  const size_t *Number = &(Request.*memberOf(MostElements()));
  const char *Last = reinterpret_cast<const char *>(Number + 1);
  CompletionResult *Result;
  if (Last + sizeof(Result) !=
      reinterpret_cast<const char *>(&Request) + sizeof(Request))
    return nullptr;
  std::memcpy(&Result, Last, sizeof(Result));
  return Result;
}

static void complete(CommandObject *Command, CompletionRequest &Request) {
  Completer C;
  {
    std::lock_guard<std::mutex> Lock(CompletersMutex);
    C = completers()[Command];
  }
  CompletionResult *Result = resultOf(Request);
  if (!C || !Result)
    return;
  std::vector<StringRef> Words;
  for (const Args::ArgEntry &Entry : Request.GetParsedLine().entries())
    Words.push_back(Entry.ref());
  const size_t At = Request.GetCursorIndex();
  Words.resize(std::max(Words.size(), At + 1));
  auto &Answers = Result->*memberOf(ResultsOf());
  for (const CompletedWord &W :
       C(llvm::ArrayRef(Words).take_front(At), Words[At])) {
    if (!Request.ShouldAddCompletions())
      break;
    Answers.emplace_back(W.Text, W.Note,
                         W.Open ? CompletionMode::Partial
                                : CompletionMode::Normal);
  }
}

/// The length of the character literal that \p Text begins with: 'a', '\n'.
static size_t characterLength(StringRef Text) {
  StringRef Rest = Text;
  if (!Rest.consume_front("'") || Rest.empty())
    return 0;
  const char First = Rest.front();
  Rest = Rest.drop_front();
  if (First == '\'')
    return 0;
  if (First == '\\') {
    if (Rest.empty())
      return 0;
    Rest = Rest.drop_front(); // that may be a quote
    Rest = Rest.drop_while([](char C) { return llvm::isHexDigit(C); });
  }
  return Rest.consume_front("'") ? Text.size() - Rest.size() : 0;
}

/// \p Line, which LLDB takes quotes off, so that those of characters are left
/// that an operator stands before or behind (m->name[1] == '1'), or that are
/// looked for (find value 'x').
static std::string keepCharacters(StringRef Line) {
  std::string Kept;
  char Before = ' '; // the last one that is no blank
  while (!Line.empty()) {
    const char C = Line.front();
    const size_t Length = characterLength(Line);
    const StringRef Behind = Line.drop_front(Length).ltrim();
    // No operator ends the options.
    const StringRef Ended = StringRef(Kept).rtrim();
    const bool Meant =
        Ended == "value" ||
        (StringRef("=!<>+-*/%&|^~(,?:").contains(Before) && Ended != "--" &&
         !Ended.ends_with(" --")) ||
        (!Behind.empty() && StringRef("=!<>+*/%&|^?").contains(Behind[0]));
    if (Length && Meant) {
      for (char Quoted : Line.take_front(Length)) {
        if (StringRef("'\"`\\ \t").contains(Quoted))
          Kept += '\\';
        Kept += Quoted;
      }
      Before = '\'';
      Line = Line.drop_front(Length);
      continue;
    }
    size_t Taken = 1;
    if (C == '\\' && Line.size() > 1)
      Taken = 2;
    else if (C == '\'' || C == '"' || C == '`')
      Taken = std::min(Line.find(C, 1), Line.size() - 1) + 1;
    Kept += Line.take_front(Taken);
    if (!llvm::isSpace(C))
      Before = Line[Taken - 1];
    Line = Line.drop_front(Taken);
  }
  return Kept;
}

static void (*LldbCommandExecute)(CommandObject *, const char *,
                                  lldb_private::CommandReturnObject &);

static void executeWhole(CommandObject *Command, const char *Line,
                         lldb_private::CommandReturnObject &Result) {
  LldbCommandExecute(Command, Line ? keepCharacters(Line).c_str() : nullptr,
                     Result);
}

void rw::setCompleter(lldb::SBCommand Command, Completer C) {
  CommandObject *Object = objectOf(Command);
  if (!Object || !privateLLDB())
    return;
  static const CommandTable *const Table = [&] {
    auto *T = new CommandTable(Object, /*Own=*/1); // DoExecute
    LldbCommandExecute = T->replace(&CommandObject::Execute, executeWhole);
    return LldbCommandExecute &&
                   T->replace(&CommandObject::HandleCompletion, complete)
               ? T
               : nullptr;
  }();
  if (!Table)
    return;
  {
    std::lock_guard<std::mutex> Lock(CompletersMutex);
    completers()[Object] = std::move(C);
  }
  Table->giveTo(Object);
}
