//===- StepReader.h - The steps of a stored trace ---------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_DATAFLOW_STEPREADER_H
#define REWIND_DATAFLOW_STEPREADER_H

#include "core/calls/CallIndex.h"
#include "core/dataflow/Step.h"
#include "core/store/ExecutionCursor.h"
#include "core/store/TraceStore.h"
#include "core/support/Watch.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <deque>
#include <functional>
#include <unordered_map>

namespace rw::dataflow {

/// Instructions of a store, prepared as they are asked for. Not thread-safe; it
/// must not outlive the store. One serves any number of readers.
class StepCodes {
public:
  /// Nothing: as all others of its kind.
  using LatencyOf = std::function<std::optional<uint32_t>(const InsnItem &)>;
  struct Options {
    bool Thin = false;      ///< as in prepare()
    LatencyOf Latency = {}; ///< of single instructions; may be empty
  };
  StepCodes(const TraceStore &Store, Options O);
  ~StepCodes();

  /// Whether dependences in this store can be told at all: an Error says what
  /// is missing.
  static llvm::Error check(const TraceStore &Store);

  /// How \p I is executed. Its Static is that of its address. Some ns, the
  /// first time microseconds.
  const StepCode &of(const Instruction &I);
  /// The code of \p E. Never more than a look into a table but for the first
  /// execution of a template.
  const StepCode &of(const Execution &E) {
    OfTemplate &Found = ByTemplate[E.Template];
    if (!Found.Code) {
      const Entry &Made =
          make(ExecutionCursor::describe(Store, E.Template, E.Thread));
      Found = {Made.Code, !Made.Known};
    }
    Unknown += Found.Unknown;
    return *Found.Code;
  }

  const CellMap &cells() const;
  /// What \p I does; Known is false where nobody knows it.
  const TemplateEffects &effects(const InsnItem &I);
  const CallConvention &convention(ISA Isa);
  std::vector<CellRef> stackPointers();

  /// The address of a static number.
  uint64_t pc(uint32_t Static) const { return PCs[Static]; }
  /// Executions (of of()) of instructions that nobody knows: their reads are
  /// missing.
  uint64_t unknown() const { return Unknown; }

private:
  struct Entry {
    uint64_t PC = ~uint64_t(0), Opcode = 0;
    uint32_t Traits = ~uint32_t(0);
    const StepCode *Code = nullptr;
    bool Known = false;
  };
  const Entry &make(const Instruction &I);

  const TraceStore &Store;
  const Options O;
  std::unique_ptr<EffectsTable> Table;
  std::deque<StepCode> Codes;
  std::unordered_multimap<uint64_t, Entry> ByPC;
  std::unordered_map<uint64_t, uint32_t> Statics;
  std::vector<uint64_t> PCs;
  struct OfTemplate {
    const StepCode *Code = nullptr; ///< null: not seen yet
    bool Unknown = false;
  };
  std::vector<OfTemplate> ByTemplate;
  std::vector<std::pair<ISA, CallConvention>> Conventions;
  uint64_t Unknown = 0;
};

/// Walks the instructions [From, To) of a store, of one thread or of all.
/// Activations that were entered before From count as one, which lasts.
class StepReader {
public:
  struct Options {
    Moment From = 0, To = ~Moment(0);
    std::optional<ThreadIndex> Thread;
    bool StackPointer = false; ///< steps tell it, where the trace does
  };
  /// \p Calls: null: there are none. All must outlive the reader.
  StepReader(const TraceStore &Store, const CallIndex *Calls, StepCodes &Codes,
             const Options &O);

  /// The next step; valid until the next call. Null at the end, or on damage
  /// (see takeError).
  const Step *next();
  llvm::Error takeError();

private:
  /// The activations of a thread as they come.
  struct ThreadCalls {
    bool Started = false;
    std::vector<Activation> Ahead; ///< a batch
    size_t NextAhead = 0;
    uint64_t NextNumber = 0;
    struct Open {
      Position End;
      bool Returned;
    };
    std::vector<Open> Stack;
    Position Next = 0; ///< where an activation ends or begins; none before
  };
  llvm::Error start(ThreadIndex T, Position P);
  llvm::Error fill(ThreadIndex T);
  llvm::Error addCalls(const Execution &E);
  void addPlaces(const Execution &E);
  void addStackPointer();

  const CallIndex *Calls;
  StepCodes &Codes;
  const Options O;
  std::unique_ptr<ExecutionCursor> Cursor;
  std::vector<ThreadCalls> Threads;
  llvm::SmallVector<Range, 4> Loads, Stores;
  llvm::Error Failed = llvm::Error::success();
  Step Out;
};

/// Paces what takes some 100 ns a step: asks whether to stop about every two
/// milliseconds, however little is done.
class StepPace {
public:
  StepPace(const Watch &W, llvm::StringRef What, uint64_t Total)
      : W(W), P(W, What, Total) {}
  llvm::Error at(uint64_t Done) {
    if (Steps++ % 16384 == 0)
      if (llvm::Error E = W.check())
        return E;
    return P.at(Done);
  }

private:
  const Watch &W;
  Pace P;
  uint64_t Steps = 0;
};

/// Feeds the steps of \p Part to \p F; one pass, that tells \p W, under the
/// name \p What, how far it is, and ends with its Error.
template <typename Fn>
llvm::Error forEachStep(const TraceStore &Store, const CallIndex *Calls,
                        StepCodes &Codes, const StepReader::Options &Part,
                        llvm::StringRef What, const Watch &W, Fn F) {
  StepReader Reader(Store, Calls, Codes, Part);
  const Moment To = std::min<Moment>(Part.To, Store.numInstructions());
  StepPace P(W, What, To - std::min(Part.From, To));
  while (const Step *S = Reader.next()) {
    if (llvm::Error E = P.at(S->When - Part.From))
      return joinErrors(std::move(E), Reader.takeError());
    F(*S);
  }
  return Reader.takeError();
}

} // namespace rw::dataflow

#endif // REWIND_DATAFLOW_STEPREADER_H
