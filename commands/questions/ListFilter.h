//===- ListFilter.h - Which instructions are listed -------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_QUESTIONS_LISTFILTER_H
#define REWIND_COMMANDS_QUESTIONS_LISTFILTER_H

#include "commands/lvalues/SlotOwner.h"
#include "commands/support/Listing.h"
#include "llvm/Support/Regex.h"

namespace rw {

namespace opt {
inline constexpr OptionSpec Depth{
    "depth", 'd', "depth",
    "only at that call depth, or <a>..<b>; 0 is what the trace began in"};
inline constexpr OptionSpec InFunction{
    "function", 'f', "glob", "only in such functions, inlined ones as well"};
inline constexpr OptionSpec Writes{"writes", 'w', "location",
                                   "only those that wrote it"};
inline constexpr OptionSpec Grep{
    "grep", 0, "regex", "only those with a line, as listed, that it matches"};
} // namespace opt

/// The instructions that --depth, --function, --writes and --grep leave: those
/// that all of them take that are given. Made for one listing, forwards.
class ListFilter {
public:
  static llvm::Expected<std::unique_ptr<ListFilter>>
  create(Session &S, const ParsedOptions &O, std::optional<ThreadIndex> T);
  virtual ~ListFilter() = default;

  /// Whether the options ask for one at all.
  static bool given(const ParsedOptions &O);

  /// The first instruction in [From, To) that all but --grep take. None, too,
  /// if Ctrl-C ended the search, which the session tells: reached() is how far
  /// it came. Writes are searched for in the index; for --depth and --function
  /// alone every instruction is looked at (some 20 ns each), but for long
  /// stretches that the calls or the visits in the index show to be of others.
  virtual llvm::Expected<std::optional<Moment>> next(Moment From,
                                                     Moment To) = 0;
  virtual Moment reached() const = 0;

  /// Whether --grep takes an instruction that is listed as \p Lines.
  bool takes(llvm::StringRef Lines) const;
  bool wantsText() const { return Pattern.has_value(); }

  /// If --writes is of a local variable: whose it is. What others wrote at its
  /// place is no part of the answer.
  std::optional<SlotOwner> Owner;

protected:
  std::optional<llvm::Regex> Pattern;
};

} // namespace rw

#endif // REWIND_COMMANDS_QUESTIONS_LISTFILTER_H
