//===- UnknownName.h - That nothing is called so ----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_UNKNOWNNAME_H
#define REWIND_COMMANDS_SUPPORT_UNKNOWNNAME_H

#include "llvm/Support/Error.h"

namespace rw {

/// Nothing has the name at that place of the code, at any time.
class NoSuchName : public llvm::ErrorInfo<NoSuchName, llvm::StringError> {
public:
  static char ID;
  explicit NoSuchName(const llvm::Twine &Text)
      : ErrorInfo(Text, llvm::inconvertibleErrorCode()) {}
};

/// No variable has the name. Whoever else knows names may know it; another
/// Error of ExpressionSource::locate() says what is wrong with one that there
/// is.
class UnknownName : public llvm::ErrorInfo<UnknownName, NoSuchName> {
public:
  static char ID;
  explicit UnknownName(const llvm::Twine &Text, std::string In = "")
      : ErrorInfo(Text), In(std::move(In)) {}
  /// Where the variables are that were looked through, "in 'f'"; or empty.
  const std::string In;
};

/// The text is no lvalue that the source understands: it has an operator that
/// computes, perhaps.
class NotUnderstood : public llvm::ErrorInfo<NotUnderstood, llvm::StringError> {
public:
  static char ID;
  explicit NotUnderstood(const llvm::Twine &Text)
      : ErrorInfo(Text, llvm::inconvertibleErrorCode()) {}
};

/// There is no such value at that place, or the trace does not tell it: nothing
/// is wrong with the words.
class UnknownValue : public llvm::ErrorInfo<UnknownValue, llvm::StringError> {
public:
  static char ID;
  explicit UnknownValue(const llvm::Twine &Text)
      : ErrorInfo(Text, llvm::inconvertibleErrorCode()) {}
};

/// C does not say what the value is: a debugger's would be any.
class NotDefined : public llvm::ErrorInfo<NotDefined, llvm::StringError> {
public:
  static char ID;
  explicit NotDefined(const llvm::Twine &Text)
      : ErrorInfo(Text, llvm::inconvertibleErrorCode()) {}
};

/// An index, a number that the user wrote, leads out of the address space.
class OutsideAddressSpace
    : public llvm::ErrorInfo<OutsideAddressSpace, llvm::StringError> {
public:
  static char ID;
  explicit OutsideAddressSpace(const llvm::Twine &Text)
      : ErrorInfo(Text, llvm::inconvertibleErrorCode()) {}
};

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_UNKNOWNNAME_H
