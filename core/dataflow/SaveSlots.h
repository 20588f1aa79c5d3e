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

#include "core/dataflow/Granules.h"
#include "core/dataflow/Step.h"
#include <array>
#include <optional>

namespace rw::dataflow {

template <class Domain> struct SaveSlot {
  static constexpr unsigned MaxCells = 4;
  enum : uint8_t { Free, Save, Return } Kind = Free;
  bool Confirmed = false; ///< a restore was seen
  bool Before = false;    ///< saved before the first step (EngineStart)
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
  bool any(Range R) {
    return forEachKey(
        R, [&](uint64_t Key) { return mayHave(Key) && idAt(Key) != None; });
  }

  /// The slot that is exactly there; null if there is none.
  Slot *find(Range R) {
    if (!canBe(R) || !mayHave(R.Addr / 4))
      return nullptr;
    const uint32_t Id = idAt(R.Addr / 4);
    if (Id == None)
      return nullptr;
    Slot &E = All[Id];
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
      setId(Key, Id);
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
      const uint32_t Id = idAt(Key);
      if (Id == None || !F(All[Id]))
        return false;
      forEachKey(All[Id].Where, [&](uint64_t K) {
        setId(K, None);
        return false;
      });
      All[Id].Kind = Slot::Free;
      Unused.push_back(Id);
      return false;
    });
  }

  /// Calls \p F with each slot.
  template <typename Fn> void each(Fn F) const {
    for (const Slot &E : All)
      if (E.Kind != Slot::Free)
        F(E);
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

  static constexpr uint32_t None = ~uint32_t(0);
  uint32_t idAt(uint64_t Key) {
    uint32_t Found = 0;
    Ids.read({Key * 4, 4}, [&](uint32_t Id) { Found = Id; });
    return Found - 1;
  }
  void setId(uint64_t Key, uint32_t Id) { Ids.write({Key * 4, 4}, Id + 1); }

  // Most accesses are nowhere near a slot: a bit tells.
  static size_t bit(uint64_t Key) { return size_t(Key) % (64 * 1024); }
  bool mayHave(uint64_t Key) const {
    return Filter[bit(Key) / 64] >> (bit(Key) % 64) & 1;
  }
  void note(uint64_t Key) {
    if (++Noted == 16 * 1024) {
      Noted = 0;
      Filter.fill(0);
      for (const Slot &E : All)
        if (E.Kind != Slot::Free)
          forEachKey(E.Where, [&](uint64_t K) {
            Filter[bit(K) / 64] |= uint64_t(1) << (bit(K) % 64);
            return false;
          });
    }
    Filter[bit(Key) / 64] |= uint64_t(1) << (bit(Key) % 64);
  }

  std::array<uint64_t, 1024> Filter = {};
  unsigned Noted = 0;
  Granules<uint32_t> Ids; ///< and 1; 0: none. A key is the number of a granule.
  std::vector<Slot> All;
  std::vector<uint32_t> Unused;
};

} // namespace rw::dataflow

#endif // REWIND_DATAFLOW_SAVESLOTS_H
