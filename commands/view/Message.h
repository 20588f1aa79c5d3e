//===- Message.h - What a page may ask -------------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A message is {"n": <number>, "ask": [{"what": <verb>, ...}, ...]}; its answer
// {"n": <the same>, "answers": [...], "bookmarks": <text>}, in order, each an
// object: {"error": <text>} where there is no other; "bookmarks" is another one
// once anybody has changed them. To what is no message the answer is {"n":
// <where it can be read>, "error": <text>}. What comes in is a stranger's.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_VIEW_MESSAGE_H
#define REWIND_COMMANDS_VIEW_MESSAGE_H

#include "llvm/Support/JSON.h"
#include <optional>
#include <string>
#include <vector>

namespace rw {

/// The fields of a question. Whatever is there must be of the kind and size
/// that is asked for.
class ViewFields {
public:
  static constexpr size_t MaxText = 4096, MaxList = 64;

  explicit ViewFields(llvm::json::Object Fields) : Fields(std::move(Fields)) {}
  bool has(llvm::StringRef Name) const;
  /// A whole number from 0 to \p Max.
  llvm::Expected<uint64_t> number(llvm::StringRef Name, uint64_t Max) const;
  llvm::Expected<uint64_t> numberOr(llvm::StringRef Name, uint64_t Max,
                                    uint64_t Default) const;
  llvm::Expected<bool> flag(llvm::StringRef Name) const; ///< false if missing
  llvm::Expected<std::string> text(llvm::StringRef Name,
                                   size_t Max = MaxText) const;
  llvm::Expected<std::string> textOr(llvm::StringRef Name,
                                     llvm::StringRef Default,
                                     size_t Max = MaxText) const;
  /// A list of texts; empty if missing.
  llvm::Expected<std::vector<std::string>> texts(llvm::StringRef Name) const;

private:
  llvm::json::Object Fields;
};

struct ViewMessage {
  static constexpr size_t MaxBytes = 1 << 16, MaxQuestions = 64;
  std::optional<uint64_t> Number; ///< nothing where it cannot be read
  struct Question {
    std::string What;
    ViewFields Fields;
  };
  std::vector<Question> Ask;
};

/// Reads it into \p M, which is empty. An Error tells what is wrong with it; M
/// has its number all the same, where that can be read.
llvm::Error parseViewMessage(llvm::StringRef Text, ViewMessage &M);

/// The first message of a page: {"token": <text>}.
std::optional<std::string> parseViewToken(llvm::StringRef Text);

} // namespace rw

#endif // REWIND_COMMANDS_VIEW_MESSAGE_H
