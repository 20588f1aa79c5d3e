//===- ProfileLists.h - Lists of what costs ---------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_PROFILE_PROFILELISTS_H
#define REWIND_COMMANDS_PROFILE_PROFILELISTS_H

#include "commands/profile/ProfileRows.h"

namespace rw {

/// The costs of block \p B in \p All, which has \p K for each block.
std::vector<uint64_t> costsOf(llvm::ArrayRef<uint64_t> All, size_t B, size_t K);

/// A row for what runs where every block is folded, unless it is free.
void addOutside(const ProfileView &V, std::vector<ProfileRow> &Rows,
                bool WithSelf = false);

/// Makes the profile that \p O asks for and lists the \p Rows of it, or moves
/// for --goto. \p What is the heading of the costs; \p Noun is of a row, empty:
/// the blocks'.
llvm::Error
listProfile(Session &S, const ParsedOptions &O, llvm::StringRef What,
            llvm::StringRef Noun,
            llvm::function_ref<std::vector<ProfileRow>(ProfileView &)> Rows);

} // namespace rw

#endif // REWIND_COMMANDS_PROFILE_PROFILELISTS_H
