//===- TraceModel.h - Where one stands in a trace --------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a browser in a terminal asks, it asks of the same answers as the page
// (commands/view/Answers.h). This is what it keeps of them: the position, the
// folds, the jumps. It knows nothing of panes.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_VIEW_TERMINAL_TRACEMODEL_H
#define REWIND_COMMANDS_VIEW_TERMINAL_TRACEMODEL_H

#include "core/model/Types.h"
#include "core/support/Digits.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace rw::term {

/// A thread (from 1) at a position.
struct Spot {
  unsigned Thread = 1;
  Position At = 0;
  bool operator==(const Spot &) const = default;
};
/// "2:#31408", as commands understand it.
std::string positionText(Spot S);

/// Fields of an answer; nothing where they are missing or null.
std::optional<uint64_t> numberIn(const llvm::json::Object &O,
                                 llvm::StringRef Name);
std::string textIn(const llvm::json::Object &O, llvm::StringRef Name);
/// "set_label+0x74"; empty if it is not known.
std::string codeName(const llvm::json::Object &O);
/// "inventory.c:99"; empty if it is not known.
std::string sourceName(const llvm::json::Object &O);

/// What `rewind browse` shows and where it stands: asks the trace as a page of
/// `rewind view` does, and keeps the answers that panes share.
class TraceModel {
public:
  /// Answers a question; {"error": text} where there is no other answer.
  using Asker = std::function<llvm::json::Object(llvm::StringRef What,
                                                 llvm::json::Object Fields)>;
  static llvm::Expected<TraceModel> open(Asker Ask);

  /// Nothing: what is wrong was told in the status.
  std::optional<llvm::json::Object> ask(llvm::StringRef What,
                                        llvm::json::Object Fields);
  /// Asks about the position, with the folds.
  std::optional<llvm::json::Object> askHere(llvm::StringRef What,
                                            llvm::json::Object Fields);
  using Fields = std::initializer_list<llvm::json::Object::KV>;
  std::optional<llvm::json::Object> ask(llvm::StringRef What, Fields F = {}) {
    return ask(What, llvm::json::Object(F));
  }
  std::optional<llvm::json::Object> askHere(llvm::StringRef What,
                                            Fields F = {}) {
    return askHere(What, llvm::json::Object(F));
  }

  // What the trace is.
  std::string Trace, TimeUnit, StackPointer;
  bool HasRegisters = false, HasMemoryValues = false,
       HasMemoryAddresses = false, HasTime = false, HasLines = false,
       HasCalls = false, HasSymbols = false, HasBookmarks = false;
  unsigned numThreads() const { return Lengths.size(); }
  Position length() const { return lengthOf(Here.Thread); }
  Position lengthOf(unsigned Thread) const { return Lengths[Thread - 1]; }

  // Where one stands.
  const Spot &here() const { return Here; }
  const std::string &folds() const { return Folds; }
  /// Changes whenever what is shown may have changed: position, folds,
  /// bookmarks.
  unsigned revision() const { return Revision; }
  void changed() { ++Revision; }

  void step(Position To); ///< moves; no jump
  void jump(Spot To);     ///< moves, and remembers where from
  void jump(Position To) { jump(Spot{Here.Thread, To}); }
  void back();
  void forward();
  void nextThread();

  /// An action of the question "fold".
  void fold(llvm::StringRef Action);
  /// Goes to what somebody typed. An address of memory that is no code is
  /// returned: it is to be shown.
  std::optional<std::string> resolve(const std::string &Text,
                                     bool Back = false);
  /// The next or last visit of a place of the code, and there.
  void visit(const std::string &Text, bool Back);
  void searchOn(bool Back);
  /// A position that was typed, a number being a line or a time ("l", "t"), or,
  /// of no kind, a position.
  std::optional<Spot> place(llvm::StringRef Kind, llvm::StringRef Text);
  void event(llvm::StringRef Kind, bool Back);
  /// "last-write" and its kin, seen from a position.
  void access(llvm::StringRef What, const std::string &Of,
              std::optional<uint64_t> Size, Position From);
  void call(bool Next);

  // What the last key came to.
  struct {
    std::string Text;
    bool IsError = false;
  } Status;
  void tell(const llvm::Twine &Text);
  void complain(const llvm::Twine &Text);

private:
  Asker Ask;
  std::vector<Position> Lengths; ///< of the threads
  Spot Here;
  std::string Folds;
  std::vector<Spot> Before, After; ///< jumps
  std::string Searched;
  unsigned Revision = 0;
  void stand(Spot To);
};

} // namespace rw::term

#endif // REWIND_COMMANDS_VIEW_TERMINAL_TRACEMODEL_H
