//===- Answers.h - Answers to the questions of a page ----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_VIEW_ANSWERS_H
#define REWIND_COMMANDS_VIEW_ANSWERS_H

#include "commands/calls/CallSupport.h"
#include "commands/htr/Htr.h"
#include "commands/questions/InstructionRows.h"
#include "commands/view/Message.h"
#include "core/view/CallPyramid.h"
#include "core/view/EventTrack.h"
#include "core/view/States.h"
#include "core/view/TraceRows.h"
#include <list>

namespace rw {

/// A debugger that stands in the trace that pages show. Its functions are
/// called on the thread that answers, and wait for nothing.
struct ViewDebugger {
  /// As pages are told of it: see docs/view.md, "In LLDB".
  std::function<llvm::json::Object()> State;
  /// Asks it to go to \p To. It is told by another State, in which "by" is \p
  /// By, how that ended. An Error if it has stopped since \p Revision.
  std::function<llvm::Error(Place To, uint64_t Revision, uint64_t By)> Go;
};

/// Answers questions about one trace. It keeps no state of a page: each
/// question says what it is about, folds included. Used by one thread.
///
/// Positions in questions and answers are those of the thread named; "at" is
/// the state before that instruction.
class ViewAnswers {
public:
  /// \p Trace must stay until this has gone; what it has of places, output and
  /// watch is not used but for its Watch.Cancel.
  static llvm::Expected<std::unique_ptr<ViewAnswers>> open(Session &Trace);

  /// What takes long tells the trace's watch how far it is.
  void showProgress() { S.Watch.Progress = Trace.Watch.Progress; }

  void setDebugger(ViewDebugger D) { Debugger = std::move(D); }

  /// The whole answer to a message. Never fails: what is wrong is told in it.
  std::string answer(llvm::StringRef Message);
  llvm::json::Object answer(const ViewMessage::Question &Q);

  /// An object. A list that is long is text already: an object for each of its
  /// items would take most of the time.
  struct Reply {
    Reply(llvm::json::Object Fields) : Fields(std::move(Fields)) {}
    llvm::json::Object Fields;
    llvm::StringLiteral ListName = ""; ///< the field; empty: there is none
    std::string List;                  ///< "[{...}]"
  };
  using Answer = llvm::Expected<Reply>;
  using Method = Answer (ViewAnswers::*)(const ViewFields &F);

private:
  explicit ViewAnswers(Session &Trace);
  Reply reply(const ViewMessage::Question &Q);
  std::string bookmarksRevision() const;

  // AnswersPlaces.cpp
  const llvm::json::Array &lacks();
  Answer hello(const ViewFields &F);
  Answer where(const ViewFields &F);
  Answer resolve(const ViewFields &F);
  Answer event(const ViewFields &F);
  Answer stack(const ViewFields &F);
  Answer source(const ViewFields &F);
  Answer go(const ViewFields &F);
  // AnswersNames.cpp
  Answer moment(const ViewFields &F);
  Answer symbol(const ViewFields &F);
  Answer complete(const ViewFields &F);
  // AnswersRows.cpp
  Answer rows(const ViewFields &F);
  Answer fold(const ViewFields &F);
  Answer registers(const ViewFields &F);
  Answer memory(const ViewFields &F);
  // AnswersTracks.cpp
  Answer timeline(const ViewFields &F);
  Answer layers(const ViewFields &F);
  Answer marks(const ViewFields &F);
  Answer activation(const ViewFields &F);
  // AnswersThreads.cpp
  Answer meanwhile(const ViewFields &F);
  // AnswersWindows.cpp
  Answer writesBefore(const ViewFields &F);
  Answer callsBefore(const ViewFields &F);
  std::string callName(ThreadIndex T, Position Start, uint64_t EntryPC);
  llvm::Expected<std::optional<Position>> neighbour(const Activation &A,
                                                    bool Ahead) const;

  /// One of the commands, with --json. AnswersCommands.cpp
  Answer command(llvm::StringRef What, const ViewFields &F);
  llvm::Expected<llvm::json::Object> commandJson(llvm::StringRef What,
                                                 const ViewFields &F);
  /// To the items of a command where there is an "axis": "here".
  llvm::Error addHere(llvm::json::Object &O, const ViewFields &F) const;

  /// A thread by its number from 1; \p Else where none is named.
  llvm::Expected<ThreadIndex> thread(const ViewFields &F,
                                     llvm::StringRef Name = "thread",
                                     ThreadIndex Else = 0) const;
  /// A position of the thread; its end is one, too.
  llvm::Expected<Position> position(const ViewFields &F, llvm::StringRef Name,
                                    ThreadIndex T) const;
  /// An address, or where a variable of the program lies: as locations are
  /// understood everywhere.
  llvm::Expected<uint64_t> addressOf(Place Here, llvm::StringRef Text);
  struct Asked {
    ThreadIndex Thread;
    Position At;
    Moment When;
  };
  /// "thread" and "at" of a question.
  llvm::Expected<Asked> asked(const ViewFields &F) const;
  struct Standing : Asked {
    /// Since when changes are told: "since", or the row before.
    ThreadIndex SinceThread;
    Position Since;
    Moment SinceWhen;
  };
  llvm::Expected<Standing> standing(const ViewFields &F) const;
  llvm::Expected<TraceRows> rowsOf(const ViewFields &F, ThreadIndex T,
                                   Folds &Hidden) const;
  llvm::Expected<const CallPyramid *> pyramid(ThreadIndex T);
  /// Appends an instruction as an object.
  llvm::Error appendRow(std::string &Out, const TraceRow &R,
                        const Instruction &I);
  /// Its attributes.
  void printRegister(llvm::json::OStream &J, const RegisterRow &R);
  /// What happened to the thread since its instruction before.
  llvm::Expected<llvm::json::Array> happened(const Instruction &I,
                                             bool &More) const;
  /// The number of a source file: pages know files by no other name.
  int64_t fileNumber(llvm::StringRef Path);
  /// {"pc":, "name":, "file":, "line":} of a code address.
  void addCode(llvm::json::Object &To, uint64_t PC);

  Session &Trace;
  SessionMemory Memory;
  std::string Printed;
  llvm::raw_string_ostream Out{Printed};
  Session S;
  std::unique_ptr<CallIndex> Calls; ///< null: the store has none
  std::unique_ptr<FunctionNames> Names;
  std::vector<std::string> Completions; ///< names of the images, sorted
  std::map<ThreadIndex, CallPyramid> Pyramids;
  std::optional<EventTrack> Events;
  std::optional<llvm::json::Array> Lacks; ///< as a page is told it
  std::optional<ViewDebugger> Debugger;
  std::shared_ptr<HtrFile> Htr;
  std::string WhyNoHtr;
  std::vector<std::string> Files;
  llvm::StringMap<int64_t> FileNumbers;
  /// What commands answered that look at the whole trace, the last first.
  std::list<std::pair<std::string, std::string>> Kept;
  std::optional<InstructionRows> Lines; ///< opened at first need
  CodeCache<std::optional<int64_t>> FileOfCode;
};

} // namespace rw

#endif // REWIND_COMMANDS_VIEW_ANSWERS_H
