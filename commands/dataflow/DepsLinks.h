//===- DepsLinks.h - What single instructions depend on ---------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_DATAFLOW_DEPSLINKS_H
#define REWIND_COMMANDS_DATAFLOW_DEPSLINKS_H

#include "commands/dataflow/DataflowSupport.h"
#include "commands/support/Listing.h"
#include "core/dataflow/Engine.h"

namespace rw {

/// Another instruction, and why one of the two depends on the other.
struct DepsLink {
  enum Reason : uint8_t { Raw, War, Waw, Control, Call };
  Instruction Of;
  Reason Why = Raw;
  dataflow::Storage Where = dataflow::Storage::Register; ///< of Raw to Waw
  std::vector<dataflow::DataPlace> Through;              ///< of Raw to Waw
};

/// "raw", "control"; "register", "stack", "memory".
llvm::StringRef name(DepsLink::Reason R);
llvm::StringRef name(dataflow::Storage S);

/// What 'deps' asks about.
struct DepsOf {
  Session &S;
  dataflow::StepCodes &Codes; ///< not thin
  const CallIndex *Calls;
  const Instruction &I;
  bool Raw = true, War = true, Waw = true, Structure = true; ///< asked for
  dataflow::ControlTable *Control = nullptr;                 ///< null: none
  Span Part = {0, ~Moment(0)}; ///< where the others are looked for

  /// Takes \p R out of \p Left; what of it was there.
  static std::vector<dataflow::Range> take(std::vector<dataflow::Range> &Left,
                                           dataflow::Range R, bool Remove);
  /// Where \p Of loads, or stores.
  llvm::Expected<dataflow::Storage> storage(const Instruction &Of,
                                            bool Stores) const;
  /// What it needs, nearest first; \p Before gets what it reads that nothing in
  /// the trace wrote. At most \p Limit earlier readers of what it overwrites;
  /// \p End is told if there are more.
  llvm::Expected<std::vector<DepsLink>>
  needs(uint64_t Limit, std::vector<dataflow::DataPlace> &Before,
        Ending &End) const;
  /// What it feeds, nearest first, at most \p Limit: who reads what it made
  /// before that is overwritten, who overwrites what it read or made, and the
  /// calls that are built on it.
  llvm::Expected<std::vector<DepsLink>> feeds(uint64_t Limit,
                                              Ending &End) const;

private:
  llvm::Error addWriters(dataflow::Range R, DepsLink::Reason Why,
                         std::vector<dataflow::DataPlace> *Rest,
                         std::vector<DepsLink> &To) const;
  llvm::Error addReaders(dataflow::Range R, uint64_t Limit,
                         std::vector<DepsLink> &To, Ending &End) const;
  llvm::Error addOverwriters(dataflow::Range R, DepsLink::Reason Why,
                             std::vector<DepsLink> &To) const;
  llvm::Error addAt(Position P, DepsLink::Reason Why,
                    std::vector<DepsLink> &To) const;
  /// Those of \p Links that lie in Part.
  std::vector<DepsLink> inPart(std::vector<DepsLink> Links) const;
  llvm::Expected<bool> isFrame(ThreadIndex T, dataflow::Cell FP,
                               Moment Before) const;
};

} // namespace rw

#endif // REWIND_COMMANDS_DATAFLOW_DEPSLINKS_H
