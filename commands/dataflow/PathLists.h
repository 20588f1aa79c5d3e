//===- PathLists.h - What critical-path lists on request --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_DATAFLOW_PATHLISTS_H
#define REWIND_COMMANDS_DATAFLOW_PATHLISTS_H

#include "commands/dataflow/Modes.h"
#include "commands/support/JsonRows.h"
#include "commands/support/Listing.h"

namespace rw {

/// A list that is printed, or, if \p Items is not null, added to it.
struct PathList {
  uint64_t Limit;
  JsonItems *Items;
  Ending &End; ///< is told if there is more than Limit

  size_t shown(size_t All) const { return std::min<uint64_t>(All, Limit); }
  /// Behind the rows: whether there are more.
  void finish(Session &S, size_t All);
};

/// Source lines by the slack of their instructions, least first. Returns where
/// the first one is.
llvm::Expected<std::optional<Instruction>>
listSlack(Session &S, const dataflow::StepCodes &Codes,
          const dataflow::PathAnswer &A, PathList To);

/// What was stepped over, by instruction. Returns the first one.
llvm::Expected<std::optional<Instruction>>
listSuppressed(Session &S, dataflow::StepCodes &Codes,
               llvm::ArrayRef<dataflow::SuppressedAt> List, PathList To);

} // namespace rw

#endif // REWIND_COMMANDS_DATAFLOW_PATHLISTS_H
