//===- ProfileSweep.h - One pass over the stacks of a trace -----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PROFILE_PROFILESWEEP_H
#define REWIND_PROFILE_PROFILESWEEP_H

#include "core/profile/Blocks.h"
#include "core/profile/ContextProfile.h"
#include "core/profile/Metric.h"

namespace rw {

/// Moves the stack of blocks of one thread forward.
class BlockWalk {
public:
  /// What a walk tells of: all at the position that it was asked for, or where
  /// the walk goes by itself.
  class Listener {
  public:
    virtual ~Listener() = default;
    /// How it came onto the stack: it is found to be running, or entered there.
    enum class Entry : uint8_t { Running, Call, TailCall };
    virtual void push(ProfileBlockId X, Position P, Entry How) = 0;
    virtual void pop(Position P) = 0;
  };
  virtual ~BlockWalk() = default;
  /// Nothing happens before that position.
  virtual Position next() const = 0;
  /// All that happens up to \p P, and at it.
  virtual llvm::Error advance(Position P) = 0;
  /// The instruction at \p P runs, after advance(P); asked only if it
  /// looksAtCode(), of each one.
  virtual void instruction(Position, uint64_t) {}
  virtual bool looksAtCode() const { return false; }
};

/// Makes the walk of a thread over [From, To) of its positions.
using BlockWalkMaker = llvm::function_ref<std::unique_ptr<BlockWalk>(
    ThreadIndex T, Position From, Position To, BlockWalk::Listener &L)>;

/// By functions. \p Q and \p Blocks must stay.
std::unique_ptr<BlockWalk> walkFunctions(const CallQuery &Q,
                                         FunctionBlocks &Blocks, ThreadIndex T,
                                         Position From, Position To,
                                         BlockWalk::Listener &L);
/// By source lines: of each function on the stack, the line where it is.
std::unique_ptr<BlockWalk> walkLines(const CallQuery &Q, LineBlocks &Blocks,
                                     ThreadIndex T, Position From, Position To,
                                     BlockWalk::Listener &L);

/// Stacks of another kind of block beside those that are profiled: functions
/// select lines, lines select functions. Their roles count, but for
/// BlockRole::Folded.
struct ProfileGate {
  std::function<std::unique_ptr<BlockWalk>(ThreadIndex T, Position From,
                                           Position To, BlockWalk::Listener &L)>
      Walk;
  std::function<BlockRole(ProfileBlockId)> RoleOf; ///< of a gate's block
};

struct ProfileRequest {
  std::vector<Metric> Metrics; ///< at least one; the trace tells them
  Moment From = 0, To = ~Moment(0);
  std::vector<ThreadIndex> Threads;
  bool ThreadsApart = false; ///< a root for each, in their order; else one
  /// Even if they can be swept one after the other.
  bool ThreadsTogether = false;
  Moment Stretch = 1 << 18; ///< from one look at the watch to the next
  /// The role of a block, asked before it is first pushed; empty: no filters.
  std::function<BlockRole(ProfileBlockId)> RoleOf;
  std::vector<ProfileGate> Gates;
};

/// Fills \p P, which has a column for each metric, and nothing else in it, and
/// tells how far it came: to Request.To or the end of the trace; if \p Watch
/// stopped it, to the moment up to which \p P tells all threads' costs. Cost:
/// where metrics need only calls, the activations; else also 15 ns for each
/// instruction of the trace in the range, 60 with accesses.
llvm::Expected<Moment> sweepProfile(const TraceStore &Store,
                                    const ProfileRequest &Request,
                                    BlockWalkMaker Walks, const Watch &Watch,
                                    ContextProfile &P);

} // namespace rw

#endif // REWIND_PROFILE_PROFILESWEEP_H
