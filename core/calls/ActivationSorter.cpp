//===- ActivationSorter.cpp - Preorder with bounded memory ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/calls/ActivationSorter.h"
#include "core/support/OutputFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <array>
#include <queue>
#include <unistd.h>

namespace rw {
namespace {

/// Not a function: sorting calls it through a pointer, then.
constexpr auto before = [](const ActivationSorter::Record &A,
                           const ActivationSorter::Record &B) {
  if (A.Start != B.Start)
    return A.Start < B.Start;
  if (A.End != B.End)
    return A.End > B.End;
  return A.Sequence > B.Sequence;
};

/// By digits of Start, which takes a fraction of the time of comparisons.
/// Memory: 40 bytes a record.
void sortRecords(ActivationSorter::Record *Records, size_t Count) {
  constexpr unsigned Digit = 11;
  constexpr size_t Few = 1 << 8;
  uint64_t Low = ~uint64_t(0), High = 0;
  for (size_t I = 0; I < Count; ++I) {
    Low = std::min<uint64_t>(Low, Records[I].Start);
    High = std::max<uint64_t>(High, Records[I].Start);
  }
  const unsigned IndexBits = llvm::Log2_64_Ceil(Count + 1);
  const unsigned Bits = llvm::Log2_64_Ceil(High - Low + 1);
  if (Count < Few || High - Low == ~uint64_t(0) || IndexBits + Bits > 64)
    return llvm::sort(Records, Records + Count, before);
  std::vector<uint64_t> Keys(Count), Other(Count);
  for (size_t I = 0; I < Count; ++I)
    Keys[I] = (Records[I].Start - Low) << IndexBits | I;
  for (unsigned Shift = IndexBits; Shift < IndexBits + Bits; Shift += Digit) {
    std::array<uint32_t, 1 << Digit> At = {};
    for (uint64_t K : Keys)
      ++At[K >> Shift & (At.size() - 1)];
    uint32_t Sum = 0;
    for (uint32_t &N : At)
      N = std::exchange(Sum, Sum + N);
    for (uint64_t K : Keys)
      Other[At[K >> Shift & (At.size() - 1)]++] = K;
    Keys.swap(Other);
  }
  std::vector<ActivationSorter::Record> Sorted(Count);
  for (size_t I = 0; I < Count; ++I)
    Sorted[I] = Records[Keys[I] & ((uint64_t(1) << IndexBits) - 1)];
  for (size_t I = 0, End; I < Count; I = End) {
    for (End = I + 1; End < Count && Sorted[End].Start == Sorted[I].Start;)
      ++End;
    if (End > I + 1)
      llvm::sort(Sorted.begin() + I, Sorted.begin() + End, before);
  }
  std::copy(Sorted.begin(), Sorted.end(), Records);
}

llvm::Error ioError(llvm::StringRef What) {
  return llvm::createStringError(llvm::errnoAsErrorCode(),
                                 "temporary file of the call index: " + What);
}

/// Errno.
int writeSorted(int File, ActivationSorter::Record *Records, size_t Count) {
  // Whoever asks for the result may be a destructor.
  try {
    sortRecords(Records, Count);
  } catch (const std::bad_alloc &) {
    return ENOMEM;
  }
  FileStream Out(File);
  Out.write(reinterpret_cast<const char *>(Records), Count * sizeof(*Records));
  Out.flush();
  return Out.error().value();
}

/// A sorted run in the file, read in pieces.
class RunReader {
public:
  RunReader(int File, uint64_t First, uint64_t Count, size_t PieceSize)
      : File(File), Next(First), Left(Count), PieceSize(PieceSize) {}

  bool empty() const { return I == Piece.size() && !Left; }
  /// Only after a successful fill() of a run that is not empty.
  const ActivationSorter::Record &front() const { return Piece[I]; }
  void pop() { ++I; }

  llvm::Error fill() {
    if (I < Piece.size() || !Left)
      return llvm::Error::success();
    Piece.resize(std::min<uint64_t>(Left, PieceSize));
    I = 0;
    size_t Bytes = Piece.size() * sizeof(Piece[0]), Done = 0;
    auto *To = reinterpret_cast<char *>(Piece.data());
    while (Done < Bytes) {
      ssize_t N = pread(File, To + Done, Bytes - Done,
                        off_t(Next * sizeof(Piece[0]) + Done));
      if (N < 0 && errno == EINTR)
        continue;
      if (N <= 0)
        return ioError("cannot be read");
      Done += size_t(N);
    }
    Next += Piece.size();
    Left -= Piece.size();
    return llvm::Error::success();
  }

private:
  int File;
  uint64_t Next, Left;
  size_t PieceSize, I = 0;
  std::vector<ActivationSorter::Record> Piece;
};

} // namespace

ActivationSorter::ActivationSorter(ActivationSorter &&O)
    : MaxBuffered(O.MaxBuffered), NextSequence(O.NextSequence),
      Buffer(std::move(O.Buffer)), Written(std::move(O.Written)),
      Writing(std::move(O.Writing)), RunSizes(std::move(O.RunSizes)),
      File(O.File), Failure(std::move(O.Failure)) {
  O.File = -1;
}

ActivationSorter::~ActivationSorter() {
  finishWriting();
  if (File >= 0)
    ::close(File);
  llvm::consumeError(std::move(Failure));
}

void ActivationSorter::fail(llvm::Error E) {
  // The first failure decides; later records have nowhere to go.
  if (Failure)
    llvm::consumeError(std::move(E));
  else
    Failure = std::move(E);
}

void ActivationSorter::open() {
  llvm::SmallString<128> Path;
  if (auto EC =
          llvm::sys::fs::createTemporaryFile("rewind-calls", "tmp", File, Path))
    return fail(llvm::createStringError(
        EC,
        "cannot make a temporary file for the call index: " + EC.message()));
  llvm::sys::fs::remove(Path);
}

void ActivationSorter::finishWriting() {
  if (!Writing.valid())
    return;
  errno = Writing.get();
  if (errno)
    fail(ioError("cannot be written"));
}

void ActivationSorter::spill() {
  finishWriting();
  if (!Failure && File < 0)
    open();
  if (Failure)
    return Buffer.clear();
  RunSizes.push_back(Buffer.size());
  std::swap(Buffer, Written);
  Buffer.clear();
  // A thread is not worth it for a few.
  constexpr size_t Few = 4096;
  Writing = std::async(Written.size() < Few ? std::launch::deferred
                                            : std::launch::async,
                       writeSorted, File, Written.data(), Written.size());
}

llvm::Error
ActivationSorter::merge(llvm::function_ref<llvm::Error(const Record &)> F) {
  finishWriting();
  Written = {};
  if (Failure)
    return std::move(Failure);
  sortRecords(Buffer.data(), Buffer.size());
  std::vector<RunReader> Runs;
  uint64_t First = 0;
  size_t PieceSize =
      std::max<size_t>(MaxBuffered / (RunSizes.size() + 1), 1024);
  for (uint64_t Size : RunSizes) {
    Runs.emplace_back(File, First, Size, PieceSize);
    First += Size;
  }
  auto Later = [&](size_t A, size_t B) {
    return before(Runs[B].front(), Runs[A].front());
  };
  std::priority_queue<size_t, std::vector<size_t>, decltype(Later)> Queue(
      Later);
  for (size_t R = 0; R < Runs.size(); ++R) {
    if (llvm::Error E = Runs[R].fill())
      return E;
    Queue.push(R);
  }
  size_t InBuffer = 0;
  while (!Queue.empty() || InBuffer < Buffer.size()) {
    bool FromBuffer =
        Queue.empty() || (InBuffer < Buffer.size() &&
                          before(Buffer[InBuffer], Runs[Queue.top()].front()));
    if (FromBuffer) {
      if (llvm::Error E = F(Buffer[InBuffer++]))
        return E;
      continue;
    }
    // Runs follow each other in time, but for what calls everything else.
    size_t R = Queue.top();
    Queue.pop();
    do {
      if (llvm::Error E = F(Runs[R].front()))
        return E;
      Runs[R].pop();
      if (llvm::Error E = Runs[R].fill())
        return E;
    } while (
        !Runs[R].empty() &&
        (Queue.empty() || before(Runs[R].front(), Runs[Queue.top()].front())) &&
        (InBuffer == Buffer.size() ||
         before(Runs[R].front(), Buffer[InBuffer])));
    if (!Runs[R].empty())
      Queue.push(R);
  }
  Buffer = {};
  RunSizes.clear();
  return llvm::Error::success();
}

} // namespace rw
