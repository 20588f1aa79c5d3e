//===- BlockGroups.h - Blocks that follow each other ------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_HTM_BLOCKGROUPS_H
#define REWIND_FORMATS_HTM_BLOCKGROUPS_H

#include "core/formats/JoinPolicy.h"
#include "core/formats/htm/HtmDecoder.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <deque>

namespace rw::htm {

/// Code blocks that are often executed one after the other are a *group*: see
/// JoinPolicy. The groups form a tree: each is another one and the block after
/// it. Finding one costs some nanoseconds a block; memory is bounded.
class BlockGroups {
public:
  struct Group {
    uint32_t Id = 0; ///< from 0 on
    uint32_t NumInsns = 0;
    std::vector<const CodeBlock *> Blocks; ///< at least one

  private:
    friend BlockGroups;
    struct Next {
      uint32_t Block; ///< its id
      uint32_t Times = 0;
      Group *Longer = nullptr; ///< once the policy has decided
    };
    uint8_t Heat = 0; ///< executions, up to Hot
    std::vector<Next> Nexts;
  };
  /// Whether a block can be executed as a part of what comes before it. Asked
  /// once for each.
  using CanJoin = llvm::function_ref<bool(const Group &, const CodeBlock &)>;

  /// The group of \p B alone.
  Group &single(const CodeBlock &B);
  /// The longest group that \p Executions begin with. They are not empty; those
  /// of one group have the same time and context.
  Group &longest(llvm::ArrayRef<Execution> Executions, CanJoin Can);
  void clear();

private:
  /// Blocks that are counted after a group.
  static constexpr size_t MaxNexts = 8;

  Group &add(llvm::ArrayRef<const CodeBlock *> Blocks);
  Group *longer(Group &G, const CodeBlock &B, CanJoin Can);
  Group *otherLonger(Group &G, const CodeBlock &B, CanJoin Can);

  std::deque<Group> Groups;
  std::vector<Group *> Singles; ///< by block
  JoinPolicy Policy;
};

} // namespace rw::htm

#endif // REWIND_FORMATS_HTM_BLOCKGROUPS_H
