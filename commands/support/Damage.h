//===- Damage.h - What of a trace is not there ------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_DAMAGE_H
#define REWIND_COMMANDS_SUPPORT_DAMAGE_H

#include "core/store/StoreAnswers.h"
#include <optional>
#include <string>
#include <vector>

namespace rw {

/// For whoever has an index built: what of the trace the reader could not use,
/// and where the first of it is. Empty if it could use all.
std::string malformedRemark(const TraceHeader &Header);

/// Something that was recorded and is not in the store, or that the recorder
/// lost.
struct Damage {
  std::string Text;               ///< "3 lines are malformed and left out"
  std::optional<EventKind> Event; ///< the kind of event that is at each place
  struct Place {
    uint64_t Line;    ///< 1-based; 0 where the format has no lines
    std::string Text; ///< "line 71: an address was expected"
  };
  std::vector<Place> First; ///< some of the places
};

/// What is malformed, missing or was left out, as far as the reader knows; what
/// it read but has no use for (the ignored kinds) is told only beside that.
/// Empty if nothing is. Looks at all events.
std::vector<Damage> damageOf(const TraceStore &Store);

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_DAMAGE_H
