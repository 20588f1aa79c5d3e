//===- CallSweep.h - Entries and exits of activations, in order -*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_CALLS_CALLSWEEP_H
#define REWIND_CALLS_CALLSWEEP_H

#include "core/calls/CallIndex.h"
#include "core/calls/FunctionNames.h"
#include "core/calls/SiteReader.h"
#include "core/support/Watch.h"
#include "llvm/ADT/SmallVector.h"

namespace rw {

/// What is asked for again and again, and how it is broken off.
struct CallQuery {
  CallQuery(const TraceStore &Store, const CallIndex &Index,
            FunctionNames &Names)
      : Store(Store), Index(Index), Names(Names) {}

  const TraceStore &Store;
  const CallIndex &Index;
  FunctionNames &Names;
  rw::Watch Watch;
};

/// An activation as the tree shows it.
struct CallNode {
  Activation Call; ///< a tail call has the number of the one that it is in
  bool TailCall = false;
  uint32_t Depth = 0;   ///< as shown: tail calls count
  Position Entered = 0; ///< Call.Start, though it lie before the range
  uint64_t StartTime = 0, EndTime = 0;
  /// What its callees cost; complete when the node is left.
  uint64_t CalleeInstructions = 0, CalleeTime = 0;

  uint64_t own() const { return Call.inclusive() - CalleeInstructions; }
  uint64_t time() const { return EndTime - StartTime; }
  uint64_t ownTime() const { return time() - CalleeTime; }
};

/// Gets the nodes of a thread: enter() in preorder, leave() when their end is
/// reached. An Error ends the sweep and is handed on.
class CallVisitor {
public:
  virtual ~CallVisitor() = default;
  /// EndTime is not set yet.
  virtual llvm::Error enter(const CallNode &Node) = 0;
  /// \p Parent is null for the first node.
  virtual llvm::Error leave(const CallNode &Node, const CallNode *Parent) = 0;
};

/// The activation that makes a tail call of the function that begins at \p
/// Target by coming to \p P, where \p Target is; nothing if that is none.
llvm::Expected<std::optional<uint64_t>> tailCallIn(const CallQuery &Q,
                                                   ThreadIndex T,
                                                   SiteReader &Sites,
                                                   uint64_t Target, Position P);

struct SweepOptions {
  Position From = 0, To = ~Position(0); ///< activations are cut to this range
  bool Times = false;                   ///< fill in StartTime and EndTime
  bool TailCalls = true;
  /// Deeper ones are left out, and count for the innermost one shown.
  uint32_t MaxDepth = ~uint32_t(0);
};

/// Walks the activations of a thread that touch [From, To). Memory: depth.
/// Tail calls (f ends with "b g", and g returns to f's caller) are what jumps
/// to another function's first instruction are, if symbols show it.
///
/// A BL inside a function, which old Thumb code uses as a long branch, is
/// recognised by the symbols and left out.
llvm::Error sweepCalls(const CallQuery &Q, ThreadIndex T,
                       const SweepOptions &Options, CallVisitor &Visitor);

/// sweepCalls in steps, for those who look at the instructions beside it.
class CallWalk {
public:
  /// \p Q, \p Options and \p Visitor must stay.
  CallWalk(const CallQuery &Q, ThreadIndex T, const SweepOptions &Options,
           CallVisitor &Visitor);
  ~CallWalk();
  /// Enters and leaves all there is up to \p P, and what begins at \p P.
  llvm::Error advance(Position P);
  /// Nothing is entered or left before that position. Asked after advance().
  Position next() const;

private:
  class Impl;
  std::unique_ptr<Impl> I;
};

} // namespace rw

#endif // REWIND_CALLS_CALLSWEEP_H
