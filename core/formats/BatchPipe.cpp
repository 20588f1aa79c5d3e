//===- BatchPipe.cpp - Reading on a thread of its own ---------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/BatchPipe.h"
#include "core/support/Guarded.h"
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

namespace rw {

namespace {

class Pipe final : public TraceSink {
public:
  explicit Pipe(TraceSink &Sink) : Sink(Sink) {}

  // On the reader's thread.
  bool takesFlow() const override { return Sink.takesFlow(); }
  llvm::Error consume(ItemBatch &Batch) override {
    std::unique_lock<std::mutex> Lock(M);
    Changed.wait(Lock, [&] { return Full.size() < MaxWaiting || Stopped; });
    if (Stopped)
      return stopped();
    Full.emplace_back();
    std::swap(Full.back(), Batch);
    if (!Empty.empty()) {
      std::swap(Batch, Empty.back());
      Empty.pop_back();
    }
    Changed.notify_all();
    return llvm::Error::success();
  }
  llvm::Error finish(const TraceHeader &H) override {
    std::lock_guard<std::mutex> Lock(M);
    if (Stopped)
      return stopped();
    Header = H;
    return llvm::Error::success();
  }
  void ended() {
    std::lock_guard<std::mutex> Lock(M);
    Ended = true;
    Changed.notify_all();
  }

  // On the caller's thread.
  /// False at the end.
  bool next(ItemBatch &Batch) {
    std::unique_lock<std::mutex> Lock(M);
    Changed.wait(Lock, [&] { return !Full.empty() || Ended; });
    if (Full.empty())
      return false;
    Empty.emplace_back();
    std::swap(Empty.back(), Batch);
    Empty.back().clear();
    std::swap(Batch, Full.front());
    Full.pop_front();
    Changed.notify_all();
    return true;
  }
  void stop() {
    std::lock_guard<std::mutex> Lock(M);
    Stopped = true;
    Changed.notify_all();
  }
  std::optional<TraceHeader> Header;

private:
  static constexpr size_t MaxWaiting = 4;
  static llvm::Error stopped() {
    return llvm::createStringError(std::errc::operation_canceled,
                                   "the reader was stopped");
  }

  TraceSink &Sink;
  std::mutex M;
  std::condition_variable Changed;
  std::deque<ItemBatch> Full;
  std::vector<ItemBatch> Empty; ///< their room is used again
  bool Ended = false, Stopped = false;
};

} // namespace

llvm::Error readAhead(TraceSink &Sink,
                      llvm::function_ref<llvm::Error(TraceSink &)> Read,
                      const std::function<void()> &Consumed) {
  Pipe P(Sink);
  llvm::Error ReadError = llvm::Error::success();
  llvm::consumeError(std::move(ReadError)); // checked: the thread assigns it
  std::thread Reader([&] {
    ReadError = guarded([&] { return Read(P); });
    P.ended();
  });
  llvm::Error E = llvm::Error::success();
  ItemBatch Batch;
  while (!E && P.next(Batch)) {
    E = Sink.consume(Batch);
    if (!E && Consumed)
      Consumed();
  }
  if (E)
    P.stop();
  Reader.join();
  if (E) {
    llvm::consumeError(std::move(ReadError));
    return E;
  }
  if (ReadError)
    return ReadError;
  assert(P.Header && "a reader that succeeds finishes");
  return Sink.finish(*P.Header);
}

} // namespace rw
