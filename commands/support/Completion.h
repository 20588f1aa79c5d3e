//===- Completion.h - What a word of a command line may be ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Completion for LLDB and the shells. Commands say nothing for it: what they
// call their arguments and the values of their options tells what these may be.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_COMPLETION_H
#define REWIND_COMMANDS_SUPPORT_COMPLETION_H

#include "commands/Command.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace rw {

/// Collects what begins as a word does that is being typed. Nothing is an
/// error: what cannot be known is left out. Names of symbols cost a walk over
/// all of them.
class Completion {
public:
  struct Candidate {
    std::string Text; ///< all of the word
    std::string Note; ///< a few words about it, or empty
  };

  /// \p S null: nothing is known of a trace.
  Completion(Session *S, llvm::StringRef Word) : S(S), Word(Word) {}

  /// The next word of a name of \p All that begins with \p Before.
  void commandNames(llvm::ArrayRef<const Command *> All,
                    llvm::ArrayRef<llvm::StringRef> Before);
  /// An option, the value of one, or an argument of \p C, of which the words
  /// \p Before it are known. \p Tables are the options, C's own first.
  void line(const Command &C, llvm::ArrayRef<llvm::ArrayRef<OptionSpec>> Tables,
            llvm::ArrayRef<llvm::StringRef> Before);
  void add(llvm::StringRef Text, llvm::StringRef Note = "");

  /// The words of a line, as parseOptions() would understand them.
  struct Sorted {
    std::vector<size_t> Arguments; ///< which of the words are no options
    llvm::StringRef Option;        ///< whose value comes next; empty: none
    bool Ended = false;            ///< "--" was one of them
  };
  static Sorted sort(llvm::ArrayRef<llvm::ArrayRef<OptionSpec>> Tables,
                     llvm::ArrayRef<llvm::StringRef> Words);
  /// Whether \p Word is to be an option, if none of the line ended them.
  static bool isOption(llvm::StringRef Word) {
    return Word.starts_with("-") &&
           (Word.size() < 2 || !llvm::isDigit(Word[1]));
  }

  llvm::ArrayRef<Candidate> found() const { return Found; }
  /// The word may be a file's path, too, which whoever asks completes: rest().
  bool Files = false;
  /// What is to be completed of the word: all, or what is behind "--at=".
  llvm::StringRef rest() const {
    return llvm::StringRef(Word).drop_front(Prefix.size());
  }

  /// Whether it is known what an argument or value that is called \p Name may
  /// be, be it nothing that can be completed. For a test of the registry.
  static bool knows(llvm::StringRef Name);
  /// Whether that may be a file; so may what is not known.
  static bool isFile(llvm::StringRef Name);
  /// The names of all arguments of \p C.
  static std::vector<llvm::StringRef> argumentNames(const Command &C);

private:
  void options(llvm::ArrayRef<llvm::ArrayRef<OptionSpec>> Tables);
  void values(const Command &C,
              llvm::ArrayRef<llvm::ArrayRef<OptionSpec>> Tables,
              llvm::StringRef Option);
  void argument(const Command &C, llvm::ArrayRef<llvm::StringRef> Before);
  void slot(const Command &C, llvm::StringRef Token);
  void named(const Command &C, llvm::StringRef Name);
  void position();
  void bookmarks();
  void threads();
  void layers();
  void passes();
  void registers();
  void functions();
  void variables();
  enum class SymbolsOf { Code, Data };
  void symbols(SymbolsOf Kind, llvm::StringRef Begin);
  /// The end of an expression: a variable, a member, a register.
  void expression();
  void members(llvm::StringRef Base, llvm::StringRef Arrow,
               llvm::StringRef Begin);

  Session *const S;
  const std::string Word;
  std::string Prefix; ///< of Word, that is not to be completed
  std::vector<Candidate> Found;
  llvm::StringSet<> Texts; ///< of Found
};

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_COMPLETION_H
