//===- PeerTree.h - The call tree of the Tarmac Trace Utilities -*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_CALLS_PEERTREE_H
#define REWIND_CALLS_PEERTREE_H

#include "core/calls/CallSweep.h"

namespace rw {

/// A node of the tree that tarmac-calltree shows: only calls that its rule
/// confirms, and a root.
struct PeerNode {
  Position Start = 0, End = 0; ///< End is where the caller went on
  uint32_t Depth = 0;
};

/// All of them in preorder; number 0 is the root, which spans the thread.
/// Memory: 24 bytes for each.
llvm::Expected<std::vector<PeerNode>> peerTree(const CallIndex &Index,
                                               ThreadIndex T);

/// Prints as tarmac-calltree does. What a trace tells before its first
/// instruction, at the same time, belongs to that instruction for the peer:
/// \p FirstLine is where that begins, 0 if it is the instruction's own line.
llvm::Error printPeerTree(const CallQuery &Q, ThreadIndex T, uint64_t FirstLine,
                          llvm::raw_ostream &Out);

/// As tarmac-profile: every activation counts with its time and one more.
llvm::Error printPeerProfile(const CallQuery &Q, llvm::raw_ostream &Out);

/// As tarmac-flamegraph.
llvm::Error printPeerFlameGraph(const CallQuery &Q, llvm::raw_ostream &Out);

} // namespace rw

#endif // REWIND_CALLS_PEERTREE_H
