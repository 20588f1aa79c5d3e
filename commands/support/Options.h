//===- Options.h - One option parser for LLDB and the shell -----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_OPTIONS_H
#define REWIND_COMMANDS_SUPPORT_OPTIONS_H

#include "core/support/OptionSpec.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rw {

/// Options that many commands share; use these, so that they mean the same
/// everywhere.
namespace opt {
inline constexpr OptionSpec Json{"json", 0, "", "print JSON (docs/json.md)"};
inline constexpr OptionSpec Count{"count", 'c', "n", "at most n of them"};
inline constexpr OptionSpec At{
    "at", 0, "position", "ask from that position instead of the current one"};
inline constexpr OptionSpec From{"from", 0, "position", "search from there on"};
inline constexpr OptionSpec To{"to", 0, "position", "search up to there"};
inline constexpr OptionSpec Goto{"goto", 'g', "", "move there"};
inline constexpr OptionSpec Thread{
    "thread", 't', "thread",
    "number (from 1) or name of the thread meant (=2: its name is 2)"};
inline constexpr OptionSpec Size{"size", 's', "bytes", "size of the location"};
inline constexpr OptionSpec Format{
    "format", 0, "letter",
    "show values as x hexadecimal, d decimal, u unsigned, f floating point, c "
    "character, s text, b binary",
    "x|d|u|f|c|s|b"};
inline constexpr OptionSpec Raw{"raw", 0, "",
                                "show values as bytes, not by their type"};
inline constexpr OptionSpec Entry{
    "entry", 0, "", "the first instruction of a function, before its prologue"};
inline constexpr OptionSpec ByInstructions{
    "instructions", 0, "", "use instructions instead of time as the axis"};
} // namespace opt

/// The words of a command line, sorted.
class ParsedOptions {
public:
  bool has(llvm::StringRef Long) const { return value(Long).has_value(); }
  /// The last value given; empty for a flag.
  std::optional<llvm::StringRef> value(llvm::StringRef Long) const;
  /// Every value given, in order.
  std::vector<llvm::StringRef> values(llvm::StringRef Long) const;
  /// The value as a number (decimal, 0x..., with separators); an Error names
  /// the option.
  llvm::Expected<std::optional<uint64_t>> number(llvm::StringRef Long) const;

  llvm::ArrayRef<std::string> arguments() const { return Arguments; }
  /// The arguments from \p First on, joined by blanks: an expression needs no
  /// quotes.
  std::string text(unsigned First = 0) const;
  /// Removes an argument: the shell's trace is none of the command's.
  std::string take(size_t Index);

private:
  friend llvm::Expected<ParsedOptions>
      parseOptions(llvm::ArrayRef<llvm::ArrayRef<OptionSpec>>,
                   llvm::ArrayRef<llvm::StringRef>);
  std::vector<std::pair<std::string, std::string>> Given;
  std::vector<std::string> Arguments;
};

/// Sorts \p Words by the tables of options. "--x=v", "--x v", "-c5" and "-c 5"
/// are understood; "--" ends the options; "-10" is an argument, not an option.
llvm::Expected<ParsedOptions>
parseOptions(llvm::ArrayRef<llvm::ArrayRef<OptionSpec>> Tables,
             llvm::ArrayRef<llvm::StringRef> Words);

/// What help says of the options: a line for each.
std::string optionHelp(llvm::ArrayRef<OptionSpec> Options);

/// A number as people type it: "1234", "1,234", "1_234", "0x4d2". A comma
/// stands between groups of three decimal digits, as answers have it.
std::optional<uint64_t> parseNumber(llvm::StringRef Text);
/// Why \p Text, which begins with a digit, is none; empty for all else.
std::string whyNoNumber(llvm::StringRef Text);

/// An Error whose text is for the user.
llvm::Error userError(const llvm::Twine &Text);

/// A command line that is wrong whatever the trace is: the shell's exit status
/// tells it from a question that has no answer.
class UsageError : public llvm::ErrorInfo<UsageError, llvm::StringError> {
public:
  static char ID;
  explicit UsageError(const llvm::Twine &Text);
};
llvm::Error usageError(const llvm::Twine &Text);

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_OPTIONS_H
