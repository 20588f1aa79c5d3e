//===- Frames.h - Frames of calls, byte by byte -----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_UNIT_DATAFLOW_FRAMES_H
#define REWIND_TEST_UNIT_DATAFLOW_FRAMES_H

#include "Model.h"
#include "Programs.h"

namespace rw::dataflow {

/// The bytes of the frames of each activation and of those in it, and the stack
/// pointer after it: a set that grows where the pointer is moved down from a
/// place of it, from where it was at the call.
struct Frames {
  std::vector<std::set<uint64_t>> Bytes;
  std::vector<std::optional<uint64_t>> Top, After;

  Frames(const Program &P, const Model &M)
      : Bytes(M.Activations.size()), Top(Bytes.size()), After(Bytes.size()) {
    std::vector<std::vector<int>> Open;
    for (int A = 0; A < int(M.Activations.size()); ++A)
      if (M.Activations[A].Parent < 0)
        Open.push_back({A});
    std::vector<std::optional<uint64_t>> SP(Open.size());
    int Next = int(Open.size());
    for (const Step &S : P.Steps) {
      auto &Stack = Open[S.Thread];
      std::optional<uint64_t> Was = std::exchange(SP[S.Thread], S.SP);
      if (Was && S.SP && S.Code->MovesSP && touches(Stack.back(), *Was))
        for (uint64_t B = *S.SP; B < *Was; ++B)
          Bytes[Stack.back()].insert(B);
      for (unsigned K = 0; K < S.Leaves; ++K) {
        const int A = Stack.back();
        Stack.pop_back();
        After[A] = S.SP;
        if (Top[A] && touches(Stack.back(), *Top[A]))
          Bytes[Stack.back()].insert(Bytes[A].begin(), Bytes[A].end());
      }
      for (unsigned K = 0; K < S.Enters; ++K) {
        Stack.push_back(Next);
        Top[Next++] = S.SP;
      }
    }
  }
  bool touches(int A, uint64_t At) const {
    return Top[A] && (*Top[A] == At || Bytes[A].count(At));
  }
  bool hold(int A, Range R) const {
    for (uint64_t B = R.Addr; B != R.end(); ++B)
      if (!Bytes[A].count(B) || !After[A] || B >= *After[A])
        return false;
    return true;
  }
};

/// A stack pointer that mostly goes up and down where the program stores, and
/// sometimes elsewhere, or is not known.
inline void addStackPointers(Program &P, unsigned Threads,
                             std::mt19937_64 &Random) {
  std::vector<std::optional<uint64_t>> SP(Threads, 0x8030);
  for (Step &S : P.Steps) {
    std::optional<uint64_t> &Now = SP[S.Thread];
    if (!(Random() % 40))
      Now = Random() % 4 ? std::optional(0x8000 + 8 * (Random() % 8))
                         : std::nullopt;
    else if (Now && S.Executed && S.Code->MovesSP)
      Now = S.Stores.empty() ? std::min<uint64_t>(*Now + 16, 0x8040)
                             : std::max<uint64_t>(*Now - 16, 0x8000);
    S.SP = Now;
  }
}

} // namespace rw::dataflow

#endif // REWIND_TEST_UNIT_DATAFLOW_FRAMES_H
