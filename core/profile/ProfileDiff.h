//===- ProfileDiff.h - What changed between two profiles --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PROFILE_PROFILEDIFF_H
#define REWIND_PROFILE_PROFILEDIFF_H

#include "core/profile/Blocks.h"
#include "core/profile/ContextProfile.h"
#include <optional>

namespace rw {

/// A context, by the names of the blocks on the way to it, in one profile or in
/// both.
struct ContextChange {
  struct Side {
    std::vector<uint64_t> Self;
    ActivationSummary Activations; ///< of nodes of the same names, together
  };
  std::vector<std::string> Path;
  std::optional<Side> Before, After; ///< none: it is not there
};

/// Contexts of both, by their paths; with \p Flat, blocks whoever calls them.
/// Blocks are the same if their names are: addresses are those of two builds.
std::vector<ContextChange> diffProfiles(const ContextProfile &Before,
                                        ProfileBlocks &BlocksBefore,
                                        const ContextProfile &After,
                                        ProfileBlocks &BlocksAfter,
                                        bool Flat = false);

} // namespace rw

#endif // REWIND_PROFILE_PROFILEDIFF_H
