//===- SlackLog.cpp - All dependences, to be read backwards ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/dataflow/SlackLog.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Compression.h"

using namespace llvm;

namespace rw::dataflow {

namespace {

// A record begins with a byte: for a node, how many it depends on and what its
// other fields are not; above these, the other kinds.
enum : uint8_t {
  Many = 7, ///< so many or more: the rest follows
  NotNewStep = 1 << 3,
  Jumped = 1 << 4, ///< not at the address behind the last: Static follows
  Timed = 1 << 5,  ///< it does not start when the first that it depends on ends
  Special = 1 << 6, ///< thread, moment, latency or being a branch follow
  Others = 1 << 7,
};

} // namespace

/// What writers and readers of a block share, from its first record on.
struct SlackLog::Context {
  explicit Context(uint32_t First) : First(First), Next(First) {}
  uint32_t First, Next; ///< numbers
  uint32_t Static = 0;
  ThreadIndex Thread = 0;
  Moment When = 0;
  uint64_t Start = 0;
  std::vector<uint32_t> Ends; ///< from First on

  /// When a node starts that depends on these, as far as this block tells.
  uint64_t startOf(ArrayRef<uint32_t> After) const {
    return After.empty() || After[0] < First ? Start : Ends[After[0] - First];
  }
};

SlackLog::SlackLog(size_t BlockBytes)
    : BlockBytes(BlockBytes), Last(std::make_unique<Context>(1)) {}
SlackLog::~SlackLog() = default;

static void putNumbers(Bytes &Out, ArrayRef<uint32_t> Numbers, uint32_t From) {
  for (uint32_t N : Numbers)
    putVarint(Out, From - N);
}

void SlackLog::add(const Record &R) {
  // All of an instruction is in one block.
  if (R.NewStep && Out.size() >= BlockBytes)
    flush();
  Context &C = *Last;
  if (R.What != Node) {
    Out.push_back(
        uint8_t(Others | unsigned(R.What) | (R.Returns ? NotNewStep : 0)));
    if (R.What == Enter || R.What == Leave) {
      putVarint(Out, R.Thread);
    } else {
      putVarint(Out, R.After.size());
      putNumbers(Out, R.After, C.Next);
      putVarint(Out, R.Start);
      if (R.What == Later)
        putVarint(Out, C.Next - R.Number);
    }
    if (R.What == Join) {
      assert(R.Number == C.Next);
      ++C.Next;
      C.Ends.push_back(uint32_t(R.Start));
    }
  } else {
    assert(R.Number == C.Next);
    // In the same instruction all of it is as it was.
    bool Differs =
        R.Latency != 1 || R.Branch ||
        (R.NewStep && (R.Thread != C.Thread || R.When != C.When + 1));
    bool Elsewhere = R.NewStep && R.Static != C.Static + 1;
    bool Later = R.Start != C.startOf(R.After);
    size_t Count = R.After.size();
    Out.push_back(uint8_t(std::min<size_t>(Count, Many)) |
                  (R.NewStep ? 0 : NotNewStep) | (Elsewhere ? Jumped : 0) |
                  (Later ? Timed : 0) | (Differs ? Special : 0));
    if (Count >= Many)
      putVarint(Out, Count - Many);
    putNumbers(Out, R.After, C.Next);
    if (Elsewhere)
      putVarint(Out, zigzag(int64_t(R.Static) - C.Static));
    if (Later)
      putVarint(Out, zigzag(int64_t(R.Start - C.Start)));
    if (Differs) {
      putVarint(Out, uint64_t(R.Latency) << 1 | R.Branch);
      putVarint(Out, R.Thread);
      putVarint(Out, zigzag(int64_t(R.When - C.When)));
    }
    ++C.Next;
    C.Static = R.Static;
    C.Thread = R.Thread;
    C.When = R.When;
    C.Start = R.Start;
    C.Ends.push_back(uint32_t(R.Start + R.Latency));
  }
}

void SlackLog::flush() {
  if (Out.empty())
    return;
  SmallVector<uint8_t, 0> Packed;
  const uint8_t *Data = Out.data();
  size_t Size = Out.size();
  if (compression::zstd::isAvailable()) {
    compression::zstd::compress(Out, Packed, /*Level=*/1);
    Data = Packed.data();
    Size = Packed.size();
  }
  File.write(ArrayRef(Data, Size));
  Blocks.push_back({Last->First, Written, Size, Out.size()});
  Written += Size;
  const uint32_t Next = Last->Next;
  Out.clear();
  Last = std::make_unique<Context>(Next);
}

Error SlackLog::readBackwards(function_ref<Error(const Record &)> F) {
  flush();
  if (Error E = File.finish())
    return E;
  auto Damaged = [] {
    return createStringError("cannot read back a temporary file");
  };
  std::vector<Record> Records;
  std::vector<size_t> Ends;      ///< by record: where its After end
  std::vector<uint32_t> Numbers; ///< all After of a block
  Bytes Packed;
  SmallVector<uint8_t, 0> Plain;
  for (const Block &B : reverse(Blocks)) {
    Packed.resize(B.Packed);
    if (Error E = File.read(B.Offset, Packed))
      return E;
    ArrayRef<uint8_t> Text = Packed;
    if (compression::zstd::isAvailable()) {
      if (Error E = compression::zstd::decompress(Packed, Plain, B.Plain))
        return E;
      Text = Plain;
    }
    Records.clear();
    Ends.assign(1, 0);
    Numbers.clear();
    Context C(B.First);
    ByteReader In(Text.begin(), Text.end());
    SmallVector<uint32_t, 8> After;
    auto Read = [&](size_t Count) {
      After.clear();
      for (; Count && !In.failed(); --Count)
        After.push_back(C.Next - uint32_t(In.varint()));
      Numbers.insert(Numbers.end(), After.begin(), After.end());
    };
    while (!In.atEnd()) {
      Record R;
      const uint8_t Head = uint8_t(In.bytes(1));
      if (Head & Others) {
        R.What = Kind(Head & 7);
        R.Returns = Head & NotNewStep;
        if (R.What == Enter || R.What == Leave) {
          R.Thread = ThreadIndex(In.varint());
        } else {
          Read(In.varint());
          R.Start = In.varint();
          R.Number = R.What == Later ? C.Next - uint32_t(In.varint()) : C.Next;
        }
        if (R.What == Join) {
          ++C.Next;
          C.Ends.push_back(uint32_t(R.Start));
        }
      } else {
        size_t Count = Head & 7;
        if (Count == Many)
          Count += In.varint();
        Read(Count);
        R.NewStep = !(Head & NotNewStep);
        R.Number = C.Next;
        R.Thread = C.Thread;
        R.Static = C.Static + (R.NewStep ? 1 : 0);
        R.When = C.When + (R.NewStep ? 1 : 0);
        if (Head & Jumped)
          R.Static = uint32_t(C.Static + unzigzag(In.varint()));
        R.Start = C.startOf(After);
        if (Head & Timed)
          R.Start = C.Start + uint64_t(unzigzag(In.varint()));
        if (Head & Special) {
          uint64_t V = In.varint();
          R.Branch = V & 1;
          R.Latency = uint32_t(V >> 1);
          R.Thread = ThreadIndex(In.varint());
          R.When = C.When + uint64_t(unzigzag(In.varint()));
        }
        ++C.Next;
        C.Static = R.Static;
        C.Thread = R.Thread;
        C.When = R.When;
        C.Start = R.Start;
        C.Ends.push_back(uint32_t(R.Start + R.Latency));
      }
      if (In.failed())
        return Damaged();
      Records.push_back(R);
      Ends.push_back(Numbers.size());
    }
    for (size_t N = Records.size(); N--;) {
      Records[N].After =
          ArrayRef(Numbers).slice(Ends[N], Ends[N + 1] - Ends[N]);
      if (Error E = F(Records[N]))
        return E;
    }
  }
  return Error::success();
}

} // namespace rw::dataflow
