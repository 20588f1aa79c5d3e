//===- Movements.h - What `rewind back` undoes ------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_MOVEMENTS_H
#define REWIND_COMMANDS_SUPPORT_MOVEMENTS_H

#include "commands/support/Session.h"

namespace rw {

/// Tells a debugger's movements by the stops that its user is told of. Those of
/// Rewind's own commands are none: they remember themselves. Steps that follow
/// one another, of one thread, are one movement. Not thread-safe.
class Movements {
public:
  /// The next stop is that of such a command, or, \p On being false, there will
  /// be none.
  void expectOwn(bool On) { Own = On; }
  /// The user is told of a stop at \p Where, to which a step led (\p Stepped)
  /// or something else. \p Selected: the thread that was, where one went from.
  /// Returns where the movement that ended there had begun, once for each.
  std::optional<Place>
  cameTo(Place Where, bool Stepped,
         std::optional<ThreadIndex> Selected = std::nullopt) {
    std::optional<Place> From = std::exchange(Stood, Where);
    if (std::exchange(Own, false)) {
      Stepping = false;
      return std::nullopt;
    }
    if (!From || From->When == Where.When)
      return std::nullopt;
    bool More = std::exchange(Stepping, Stepped) && Stepped;
    if (Selected && *Selected != From->Thread) {
      From->Thread = *Selected;
      More = false;
    }
    return More ? std::nullopt : From;
  }

private:
  std::optional<Place> Stood; ///< at the last stop that was told
  bool Stepping = false;      ///< a step led there
  bool Own = false;
};

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_MOVEMENTS_H
