//===- NameGlob.h - Functions as an option names them -----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_NAMEGLOB_H
#define REWIND_COMMANDS_SUPPORT_NAMEGLOB_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace rw {

/// The functions that an option names by a glob ("sort*"), which every option
/// that takes one understands alike: a name answers to it with its parameters
/// or without, and as it is written ("operator[]"). Copies share what is known.
class NameGlob {
public:
  /// A malformed glob is misuse; \p Option is for the message ("--function").
  static llvm::Expected<NameGlob> create(const llvm::Twine &Option,
                                         llvm::StringRef Text);

  /// A function's demangled name. What was asked for once is remembered.
  bool match(llvm::StringRef Name) const;
  /// Anything else, such as a file: as it is.
  bool matchWhole(llvm::StringRef Text) const;
  llvm::StringRef text() const;

private:
  struct State;
  explicit NameGlob(std::shared_ptr<State> S) : S(std::move(S)) {}
  std::shared_ptr<State> S;
};

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_NAMEGLOB_H
