//===- LocationAlong.h - A location, at one place after another -*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_LOCATIONALONG_H
#define REWIND_COMMANDS_SUPPORT_LOCATIONALONG_H

#include "commands/support/Session.h"
#include <unordered_map>

namespace rw {

/// What ExpressionSource::locate() answers at one place after the other.
class LvalueAlong {
public:
  virtual ~LvalueAlong();
  /// Its answer at \p At, where the thread is about to execute what is at \p
  /// PC; null if that takes locate(). Valid until the next call.
  virtual const Location *at(const Place &At, uint64_t PC) = 0;
};

/// parseLocation() for a listing, which asks at one place after the other: what
/// does not depend on the place is understood once.
class LocationAlong {
public:
  /// \p S and \p Near must stay.
  LocationAlong(Session &S, StateCursor &Near, llvm::StringRef Text,
                std::optional<uint64_t> Size)
      : S(S), Near(Near), Text(Text), Size(Size) {}

  /// The location at \p At, where the thread is about to execute what is at
  /// \p PC. Valid until the next call.
  llvm::Expected<const Location *> at(const Place &At, uint64_t PC);

private:
  const Location *inThread(Location &L, ThreadIndex T) const;

  Session &S;
  StateCursor &Near;
  const std::string Text;
  const std::optional<uint64_t> Size;
  std::optional<Location> Always;
  std::unordered_map<uint64_t, Location> ByCode; ///< as Holds::AtCode
  std::unique_ptr<LvalueAlong> Lvalue;
  Location Last;
};

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_LOCATIONALONG_H
