//===- BatchPipe.cpp - Reading on a thread of its own ---------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/BatchPipe.h"
#include "core/support/BoundedQueue.h"
#include "core/support/Guarded.h"
#include <thread>

namespace rw {

namespace {

class Pipe final : public TraceSink {
public:
  explicit Pipe(TraceSink &Sink) : Sink(Sink) {}

  // On the reader's thread.
  bool takesFlow() const override { return Sink.takesFlow(); }
  llvm::Error consume(ItemBatch &Batch) override {
    if (!Full.push(std::move(Batch)))
      return llvm::createStringError(std::errc::operation_canceled,
                                     "the reader was stopped");
    Batch = Empty.tryPop().value_or(ItemBatch());
    return llvm::Error::success();
  }
  llvm::Error finish(const TraceHeader &H) override {
    Header = H;
    return llvm::Error::success();
  }
  void ended() { Full.close(); }

  // On the caller's thread.
  /// False at the end.
  bool next(ItemBatch &Batch) {
    auto Next = Full.pop();
    if (!Next)
      return false;
    Batch.clear();
    Empty.push(std::move(Batch)); // there is room: see there
    Batch = std::move(*Next);
    return true;
  }
  void stop() { Full.close(); }
  std::optional<TraceHeader> Header; ///< set by the reader before it ends

private:
  static constexpr size_t MaxWaiting = 4;

  TraceSink &Sink;
  BoundedQueue<ItemBatch> Full{MaxWaiting};
  /// Their memory is used again. Besides those that wait, each side has one.
  BoundedQueue<ItemBatch> Empty{MaxWaiting + 2};
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
