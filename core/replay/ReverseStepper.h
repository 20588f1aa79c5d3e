//===- ReverseStepper.h - Where a step backwards ends --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_REPLAY_REVERSESTEPPER_H
#define REWIND_REPLAY_REVERSESTEPPER_H

#include "core/calls/CallIndex.h"
#include "core/store/StoreAnswers.h"
#include <map>

namespace rw {

/// What the debug information says of an instruction's address.
struct CodeLine {
  struct Level {
    uint64_t Block = 0; ///< tells one inlined call from another; 0: function
    std::string File;
    unsigned Line = 0; ///< of the code itself, or of the inlined call in it
    /// Steps do not go into this function, but over it, for all its lines.
    bool Avoided = false;
    bool operator==(const Level &) const = default;
  };
  /// From the function to the innermost inlined call. Empty: no line known.
  std::vector<Level> Levels;
  /// The first instruction of a row of the line table.
  bool StartsRow = false;
  /// Before the place where a breakpoint on the function stops: a step into the
  /// function passes over it.
  bool Prologue = false;
  /// So many inlined calls, from the innermost on, begin with it.
  unsigned Entered = 0;

  bool known() const { return !Levels.empty(); }
};

class LineSource {
public:
  virtual ~LineSource() = default;
  virtual CodeLine at(uint64_t PC) = 0;
};

/// Finds where reverse-step and its kin end, from a position of one thread.
/// Whole calls are passed over by the call index, so the cost is that of the
/// instructions of the line itself.
///
/// A step ends where a forward step of LLDB would have stopped: at the first
/// instruction of a row of the line table whose line differs from that of the
/// instruction before it in the same activation. In code without lines, and
/// from a function into a caller without lines, it is a step of an instruction.
class ReverseStepper {
public:
  ReverseStepper(const TraceStore &Store, const CallIndex &Calls,
                 LineSource &Lines, ThreadIndex T);

  static constexpr size_t AllLevels = ~size_t(0);
  /// Empty: the beginning of the trace comes first.
  using Answer = llvm::Expected<std::optional<Position>>;
  /// Back by one instruction, over the call that returned to \p P.
  Answer nextInstruction(Position P);
  /// To the beginning of the previous line, into calls that have lines and are
  /// not avoided. \p Depth is how many levels of inlined calls a frame shows at
  /// \p P, the function itself counted, and then how many it should at the
  /// answer: it is outside of inlined calls that are avoided.
  Answer step(Position P, size_t &Depth) { return stepLine(P, true, Depth); }
  /// To the beginning of the previous line of this activation, from where a
  /// step over calls leads to \p P. \p Depth is as for step: calls further in
  /// than the frame's are stepped over.
  Answer next(Position P, size_t &Depth) { return stepLine(P, false, Depth); }
  /// To the call in the caller of the activation \p Up levels above \p P's.
  Answer finish(Position P, unsigned Up);

private:
  struct Walk;
  Answer stepLine(Position P, bool Into, size_t &Depth);
  llvm::Error enterCall(Walk &W);
  /// The levels of a line that a step sees, from the function on.
  using View =
      llvm::function_ref<llvm::ArrayRef<CodeLine::Level>(const CodeLine &)>;
  llvm::Expected<bool> beginsLine(const Walk &W, View Seen);
  llvm::Expected<const CodeLine *> line(Position P);
  llvm::Expected<uint64_t> pc(Position P);

  const TraceStore &Store;
  const CallIndex &Calls;
  LineSource &Lines;
  const ThreadIndex Thread;
  std::map<uint64_t, CodeLine> Known;
  std::unique_ptr<InstructionCursor> Cursor;
  Position First = 0;
  std::vector<uint64_t> PCs; ///< of the positions from First on
};

} // namespace rw

#endif // REWIND_REPLAY_REVERSESTEPPER_H
