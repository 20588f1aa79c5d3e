//===- ProfileRows.h - Lines of a profile, and their places ----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_PROFILE_PROFILEROWS_H
#define REWIND_COMMANDS_PROFILE_PROFILEROWS_H

#include "commands/profile/ProfileView.h"

namespace rw {

namespace opt {
inline constexpr OptionSpec ProfileGoto{
    "goto", 'g', "which",
    "LLDB only: move to an activation of a line: longest, first, next, prev, "
    "or the k-th",
    "longest|first|next|prev"};
inline constexpr OptionSpec Row{"row", 0, "n",
                                "with --goto: of that line (default: 1)"};
inline constexpr OptionSpec ProfileSort{
    "sort", 0, "key", "cost (default), ratio, activations or name",
    "cost|ratio|activations|name"};
} // namespace opt

/// Options of the listings whose lines can be sorted and gone to.
inline constexpr OptionSpec ProfileListOptions[] = {opt::Json,
                                                    opt::Count,
                                                    opt::MetricOption,
                                                    opt::ProfileSort,
                                                    REWIND_PROFILE_OPTIONS,
                                                    opt::ProfileGoto,
                                                    opt::Row};

/// What a line of a listing is about, and what it costs.
struct ProfileRow {
  enum { Outside, Block, Edge, Node } About = Outside;
  uint32_t Id = 0; ///< of the block, the edge, the node
  /// By metric: what the listing is sorted by, and, where there is room for
  /// both, the block's own.
  std::vector<uint64_t> Cost, Self;
  ActivationSummary Activations;
  std::string Name; ///< of the block, or of all on the path
  ProfileBlockId Of = NoProfileBlock;
  unsigned Depth = 0;
};

ProfileRow blockRow(const ProfileView &V, ProfileBlockId B,
                    ContextProfile::Costs Cost);
/// How a block is called, or what is called by none.
std::string blockName(const ProfileView &V, ProfileBlockId B);
/// No costs at all.
bool isFree(const ProfileRow &R);

llvm::Error sortRows(const ProfileView &V, const ParsedOptions &O,
                     std::vector<ProfileRow> &Rows);

/// Prints a table. \p What is the heading of the costs ("self", "dominated").
void printRows(Session &S, const ProfileView &V,
               llvm::ArrayRef<ProfileRow> Rows, llvm::StringRef What);
/// "-- 12 functions, 1,000 instructions; selected: sum; that is all"; if not,
/// which \p Options cut it.
void printEnding(Session &S, const ProfileView &V, size_t Listed, size_t All,
                 llvm::StringRef Noun, llvm::StringRef Options = "--count");

/// {"block":, "address":, ..., "<What>": {"<metric>": n}, "ratio":,
/// "activations":, "first":, "longest":}
llvm::json::Object rowJson(const ProfileView &V, const ProfileRow &R,
                           llvm::StringRef What);
/// The envelope of a listing, and what was asked for.
llvm::json::Object profileJson(Session &S, const ProfileView &V,
                               llvm::json::Array Items, bool Complete);

/// Cuts the rows at --count, prints them one way or the other, or moves for
/// --goto.
llvm::Error listRows(Session &S, const ParsedOptions &O, ProfileView &V,
                     std::vector<ProfileRow> Rows, llvm::StringRef What,
                     llvm::StringRef Noun);
/// For --goto, before any work: whether it can be done at all. \p Summary: only
/// to what an ActivationSummary tells.
llvm::Error checkGoto(const Session &S, const ParsedOptions &O,
                      bool Summary = false);
/// --row, from 0; an Error if there are no more than \p Lines.
llvm::Expected<size_t> gotoRow(const ParsedOptions &O, size_t Lines);
/// Does --goto, with --row if \p Rows are several.
llvm::Error gotoActivation(Session &S, const ParsedOptions &O, ProfileView &V,
                           llvm::ArrayRef<ProfileRow> Rows);

} // namespace rw

#endif // REWIND_COMMANDS_PROFILE_PROFILEROWS_H
