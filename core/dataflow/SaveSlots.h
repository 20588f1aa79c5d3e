//===- SaveSlots.h - Places that hold a caller's registers ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The save look-aside buffer of the Embla notes (2.2.1), and beside it the
// places where return addresses are.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_DATAFLOW_SAVESLOTS_H
#define REWIND_DATAFLOW_SAVESLOTS_H

#include "core/dataflow/Step.h"
#include "llvm/ADT/DenseMap.h"
#include <array>
#include <optional>

namespace rw::dataflow {

template <class Domain> struct SaveSlot {
  static constexpr unsigned MaxCells = 4;
  enum : uint8_t { Free, Save, Return } Kind = Free;
  bool Confirmed = false; ///< a restore was seen
  Range Where;
  uint32_t Thread = 0, Depth = 0; ///< of the activation that saved them
  const StepCode *Code = nullptr; ///< the instruction that did
  Moment When = 0;
  CellRef Cells;
  /// As they were at the save.
  std::array<typename Domain::Stamp, MaxCells> Stamps = {};
  std::array<uint64_t, MaxCells> Written = {};
  std::array<uint8_t, MaxCells> Tags = {};
  typename Domain::Stamp Stored = {}; ///< of the store itself
  typename Domain::Deferred Made = {};
};

/// Slots by place; they never overlap.
template <class Domain> class SaveSlots {
  using Slot = SaveSlot<Domain>;

public:
  /// Whether registers that lie there can be told from others.
  static bool canBe(Range R) {
    return R.Size && R.Size <= 16 && R.Size % 4 == 0 && R.Addr % 4 == 0;
  }

  /// Whether any slot overlaps \p R.
  bool any(Range R) const {
    return forEachKey(
        R, [&](uint64_t Key) { return mayHave(Key) && ByKey.count(Key) != 0; });
  }

  /// The slot that is exactly there; null if there is none.
  Slot *find(Range R) {
    if (!canBe(R) || !mayHave(R.Addr / 4))
      return nullptr;
    auto It = ByKey.find(R.Addr / 4);
    if (It == ByKey.end())
      return nullptr;
    Slot &E = All[It->second];
    return E.Where == R ? &E : nullptr;
  }
  bool holdsReturn(Range R) {
    const Slot *E = find(R);
    return E && E->Kind == Slot::Return;
  }

  /// There must be none. Returns a number for at().
  uint32_t insert(const Slot &E) {
    uint32_t Id;
    if (!Unused.empty()) {
      Id = Unused.back();
      Unused.pop_back();
    } else {
      Id = uint32_t(All.size());
      All.emplace_back();
    }
    All[Id] = E;
    forEachKey(E.Where, [&](uint64_t Key) {
      ByKey[Key] = Id;
      note(Key);
      return false;
    });
    return Id;
  }

  /// The slot with that number if it is still one of that activation.
  Slot *at(uint32_t Id, size_t Depth, unsigned Thread) {
    Slot &E = All[Id];
    return E.Kind == Slot::Save && E.Depth == Depth && E.Thread == Thread
               ? &E
               : nullptr;
  }

  void erase(Range R) {
    forEach(R, [](Slot &) { return true; });
  }

  /// Calls \p F with each slot that overlaps \p R; if it returns true, the slot
  /// goes.
  template <typename Fn> void forEach(Range R, Fn F) {
    forEachKey(R, [&](uint64_t Key) {
      if (!mayHave(Key))
        return false;
      auto It = ByKey.find(Key);
      if (It == ByKey.end())
        return false;
      uint32_t Id = It->second;
      if (!F(All[Id]))
        return false;
      forEachKey(All[Id].Where, [&](uint64_t K) {
        ByKey.erase(K);
        return false;
      });
      All[Id].Kind = Slot::Free;
      Unused.push_back(Id);
      return false;
    });
  }

  template <typename Fn> void rewrite(Fn F) {
    for (Slot &E : All)
      if (E.Kind != Slot::Free) {
        E.Stored = F(E.Stored);
        for (auto &S : E.Stamps)
          S = F(S);
      }
  }

private:
  /// Calls \p F with the numbers of the 4 bytes that \p R touches until it
  /// returns true; whether it did.
  template <typename Fn> static bool forEachKey(Range R, Fn F) {
    if (!R.Size)
      return false;
    uint64_t First = R.Addr / 4;
    uint64_t Count = (R.Addr % 4 + R.Size + 3) / 4;
    for (uint64_t K = 0; K < Count; ++K)
      if (F((First + K) & (~uint64_t(0) / 4)))
        return true;
    return false;
  }

  // Most accesses are nowhere near a slot: a bit tells.
  static size_t bit(uint64_t Key) { return size_t(Key) % (64 * 1024); }
  bool mayHave(uint64_t Key) const {
    return Filter[bit(Key) / 64] >> (bit(Key) % 64) & 1;
  }
  void note(uint64_t Key) {
    if (++Noted == 16 * 1024) {
      Noted = 0;
      Filter.fill(0);
      for (auto &[K, Id] : ByKey)
        Filter[bit(K) / 64] |= uint64_t(1) << (bit(K) % 64);
    }
    Filter[bit(Key) / 64] |= uint64_t(1) << (bit(Key) % 64);
  }

  std::array<uint64_t, 1024> Filter = {};
  unsigned Noted = 0;
  llvm::DenseMap<uint64_t, uint32_t> ByKey;
  std::vector<Slot> All;
  std::vector<uint32_t> Unused;
};

} // namespace rw::dataflow

#endif // REWIND_DATAFLOW_SAVESLOTS_H
