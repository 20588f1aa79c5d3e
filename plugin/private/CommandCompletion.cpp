//===- CommandCompletion.cpp - Words of commands completed ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/private/CommandCompletion.h"
#include "lldb/Utility/CompletionRequest.h"
#include "plugin/private/VirtualTable.h"
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

void rw::setCompleter(lldb::SBCommand Command, Completer C) {
  CommandObject *Object = objectOf(Command);
  if (!Object || !privateLLDB())
    return;
  static const CommandTable *const Table = [&] {
    auto *T = new CommandTable(Object, /*Own=*/1); // DoExecute
    return T->replace(&CommandObject::HandleCompletion, complete) ? T : nullptr;
  }();
  if (!Table)
    return;
  {
    std::lock_guard<std::mutex> Lock(CompletersMutex);
    completers()[Object] = std::move(C);
  }
  Table->giveTo(Object);
}
