//===- CallIndex.h - Who called whom, and when ------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The activations of functions that the call recogniser found, as a tree per
// thread: the section "calls" of a store. Nothing is loaded on opening but a
// small directory.
//
// An activation is a half-open range of positions of one thread. Activations
// of a thread are numbered in the order of their entries, outer before inner
// (preorder); number 0 is the root, which spans the thread. They nest: of two
// either one contains the other or they are disjoint.
//
// An Error means that the section is damaged; an answer that does not exist is
// an empty optional. All queries are const and may run on several threads.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_CALLS_CALLINDEX_H
#define REWIND_CALLS_CALLINDEX_H

#include "core/model/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <vector>

namespace rw {

class TraceStore;

enum class ActivationKind : uint8_t {
  Root,      ///< what the thread was doing when the trace began
  Function,  ///< entered by a call
  Exception, ///< a handler, entered by an exception or interrupt
};

/// One activation of a function.
struct Activation {
  enum : uint8_t {
    Returned = 1,    ///< it returned, and End is where its caller went on
    Truncated = 2,   ///< it was still active when the trace of its thread ended
    BeforeTrace = 4, ///< entered before the trace began or in a gap: Start is
                     ///< where the trace finds it, EntryPC is the pc there
    EndedByGap = 8,  ///< instructions are missing at End; whether it returned
                     ///< is not known
    Heuristic = 16,  ///< the encoding does not say call; it was recognised by
                     ///< link register and return
    TtuCall = 32,    ///< tarmac-calltree of TTU lists it too
  };
  ThreadIndex Thread = 0;
  uint64_t Number = 0; ///< in its thread
  Position Start = 0;  ///< its first instruction; the call is at Start - 1
  Position End = 0;    ///< one past its last instruction, callees included
  uint64_t EntryPC = 0;
  uint32_t Depth = 0; ///< 0: the root
  ActivationKind Kind = ActivationKind::Function;
  uint8_t Flags = 0;

  bool returned() const { return Flags & Returned; }
  bool contains(Position P) const { return Start <= P && P < End; }
  /// Instructions including those of callees.
  uint64_t inclusive() const { return End - Start; }
};

/// Queries cost O(log n) plus the decoding of one or two blocks of 128
/// activations (about a microsecond), n being the thread's activations.
class CallIndex {
public:
  /// The section of \p Store, which must outlive the index; empty if the store
  /// has none (it was built without a recogniser).
  static llvm::Expected<std::unique_ptr<CallIndex>>
  open(const TraceStore &Store);
  /// Opens the section from bytes, which must stay.
  static llvm::Expected<std::unique_ptr<CallIndex>>
  open(llvm::ArrayRef<uint8_t> Section);
  ~CallIndex();

  unsigned numThreads() const;
  /// Number of activations of \p T, the root included; 0 for a thread without
  /// instructions.
  uint64_t size(ThreadIndex T) const;
  /// Number of activations of all threads together.
  uint64_t size() const;
  uint32_t maxDepth(ThreadIndex T) const;

  llvm::Expected<Activation> activation(ThreadIndex T, uint64_t Number) const;

  /// The innermost activation that is running at \p P: instruction P belongs to
  /// it. Empty only past the thread's end.
  llvm::Expected<std::optional<Activation>> enclosing(ThreadIndex T,
                                                      Position P) const;
  /// Who called it; empty for the root.
  llvm::Expected<std::optional<Activation>> parent(const Activation &A) const;
  /// The activations at \p P, innermost first.
  llvm::Expected<std::vector<Activation>> stack(ThreadIndex T,
                                                Position P) const;

  /// Which call of \p A's \p P is in, callees included; empty where \p A runs
  /// itself. \p P must be in \p A. O(what is between them).
  llvm::Expected<std::optional<Activation>> calledAt(const Activation &A,
                                                     Position P) const;

  llvm::Expected<std::optional<Activation>>
  firstChild(const Activation &A) const;
  llvm::Expected<std::optional<Activation>>
  nextSibling(const Activation &A) const;

  /// The last activation called directly from \p A that had been entered before
  /// \p P (Start < P): what a backward step over calls must skip, if its End is
  /// >= P.
  llvm::Expected<std::optional<Activation>> lastChildBefore(const Activation &A,
                                                            Position P) const;

  /// First activation with Start >= \p P; size(T) if none.
  llvm::Expected<uint64_t> firstFrom(ThreadIndex T, Position P) const;

  /// Calls \p F with the activations numbered [From, To) in order until it
  /// returns false. About 10 ns each; bounded memory.
  llvm::Error forEach(ThreadIndex T, uint64_t From, uint64_t To,
                      llvm::function_ref<bool(const Activation &)> F) const;

  /// A place in the list of calls that only TTU's rule (TtuRule.h) sees.
  struct TtuOnlyPlace {
    uint64_t Count = 0, Offset = 0;
    Position Start = 0;
  };
  /// The next of them, ascending; empty at the end. They are rare, since they
  /// cross activations listed here. Depth and Number are not set.
  llvm::Expected<std::optional<Activation>>
  nextTtuOnly(ThreadIndex T, TtuOnlyPlace &Place) const;

  /// Addresses that a jump other than a recognised call or return went to,
  /// ascending: where tail calls can be.
  llvm::ArrayRef<uint64_t> jumpTargets() const;

private:
  CallIndex();
  struct Impl;
  std::unique_ptr<Impl> I;
};

} // namespace rw

#endif // REWIND_CALLS_CALLINDEX_H
