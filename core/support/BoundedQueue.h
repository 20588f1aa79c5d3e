//===- BoundedQueue.h - Things on their way between threads -----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_SUPPORT_BOUNDEDQUEUE_H
#define REWIND_SUPPORT_BOUNDEDQUEUE_H

#include <condition_variable>
#include <mutex>
#include <optional>
#include <vector>

namespace rw {

/// A queue between threads, first in, first out, with room for a fixed number:
/// whoever is too fast waits. All its memory is there from the beginning, so
/// that nothing here throws on a thread of its own. A lock and at most one
/// wake-up each time: for things that take microseconds or more to make.
template <typename T> class BoundedQueue {
public:
  explicit BoundedQueue(size_t Room) : Slots(Room) {}

  /// Waits for room. False, and \p Value is as it was, once it is closed.
  bool push(T &&Value) {
    std::unique_lock<std::mutex> Lock(M);
    HasRoom.wait(Lock, [&] { return Count < Slots.size() || Closed; });
    if (Closed)
      return false;
    Slots[(First + Count++) % Slots.size()].emplace(std::move(Value));
    Lock.unlock();
    HasMore.notify_one();
    return true;
  }
  /// Waits for something. Nothing once it is closed and all is taken.
  std::optional<T> pop() {
    std::unique_lock<std::mutex> Lock(M);
    HasMore.wait(Lock, [&] { return Count || Closed; });
    return take(Lock);
  }
  /// Does not wait.
  std::optional<T> tryPop() {
    std::unique_lock<std::mutex> Lock(M);
    return take(Lock);
  }
  /// No more comes; what is there can still be taken. Wakes all who wait.
  void close() {
    std::lock_guard<std::mutex> Lock(M);
    Closed = true;
    HasRoom.notify_all();
    HasMore.notify_all();
  }

private:
  std::optional<T> take(std::unique_lock<std::mutex> &Lock) {
    if (!Count)
      return std::nullopt;
    std::optional<T> Value = std::move(*Slots[First]);
    Slots[First].reset();
    First = (First + 1) % Slots.size();
    --Count;
    Lock.unlock();
    HasRoom.notify_one();
    return Value;
  }

  std::mutex M;
  std::condition_variable HasRoom, HasMore;
  std::vector<std::optional<T>> Slots; ///< a ring
  size_t First = 0, Count = 0;
  bool Closed = false;
};

} // namespace rw

#endif // REWIND_SUPPORT_BOUNDEDQUEUE_H
