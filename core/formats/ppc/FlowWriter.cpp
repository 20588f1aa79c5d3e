//===- FlowWriter.cpp - Items as executions of sequences ------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/ppc/FlowWriter.h"
#include "core/support/Golden.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace rw {

namespace {
constexpr uint64_t NoAddress = ~uint64_t(0);

/// What is the same in all executions of a sequence.
auto shapeOf(const InsnItem &I) {
  return std::tuple(I.PC, I.Opcode, I.NumRegs, I.NumMems, I.Size, I.Isa,
                    I.Flags);
}
auto shapeOf(const RegItem &R) {
  return std::tuple(R.Lane, R.Written, R.Unknown, R.Flags);
}
class Hash {
public:
  void add(uint64_t V) {
    State = golden(State ^ V);
    State ^= State >> 32;
  }
  void add(const RegItem &R) {
    add(uint64_t(R.Lane) << 24 | R.Written << 16 | R.Unknown << 8 | R.Flags);
  }
  void add(const MemItem &M) {
    add(uint64_t(M.Size) << 16 | M.Flags << 8 | (M.Real != NoAddress));
  }
  /// DenseMap keeps the highest keys for itself.
  uint64_t get() const { return State >> 1; }

private:
  uint64_t State = 0x2545f4914f6cdd1d;
};

/// The place of an access is each execution's own, but for whether its real
/// address is known.
MemItem withoutPlace(MemItem M) {
  M.Addr = 0;
  M.Real = M.Real == NoAddress ? NoAddress : 0;
  return M;
}
} // namespace

bool FlowWriter::isSequence(uint32_t Id, const ItemBatch &One) const {
  auto same = [](const auto &A, const auto &B) {
    return shapeOf(A) == shapeOf(B);
  };
  return equal(Code.insns(Id), One.Insns, same) &&
         equal(Code.regs(Id), One.Regs, same) &&
         equal(Code.mems(Id), One.Mems, sameShape);
}

uint32_t FlowWriter::sequence(const ItemBatch &One) {
  Hash H;
  for (const InsnItem &I : One.Insns) {
    H.add(I.PC);
    H.add(I.Opcode);
    H.add(uint64_t(I.Flags) << 32 | I.NumRegs << 16 | I.NumMems);
  }
  for (const RegItem &R : One.Regs)
    H.add(R);
  for (const MemItem &M : One.Mems)
    H.add(M);
  auto &Candidates = Known[H.get()];
  for (uint32_t Id : Candidates)
    if (isSequence(Id, One))
      return Id;
  ItemBatch Shape = One;
  for (MemItem &M : Shape.Mems)
    M = withoutPlace(M);
  Candidates.push_back(Code.add(Shape.Insns, Shape.Regs, Shape.Mems));
  return Candidates.back();
}

/// The latest execution's sequence with what was added.
uint32_t FlowWriter::withExtra() {
  Hash H;
  for (const RegItem &R : Last.Extra)
    H.add(R);
  auto [It, New] = Extended.try_emplace({Last.Sequence, uint32_t(H.get())}, 0u);
  ArrayRef<RegItem> Regs = Code.regs(Last.Sequence);
  if (!New) {
    ArrayRef<RegItem> Then = Code.regs(It->second);
    if (Then.size() == Regs.size() + Last.Extra.size() &&
        equal(Then.take_back(Last.Extra.size()), Last.Extra,
              [](const RegItem &A, const RegItem &B) {
                return shapeOf(A) == shapeOf(B);
              }))
      return It->second;
  }
  ItemBatch One;
  One.Insns = Code.insns(Last.Sequence);
  One.Regs = Regs;
  One.Mems = Code.mems(Last.Sequence);
  One.Regs.insert(One.Regs.end(), Last.Extra.begin(), Last.Extra.end());
  One.Insns.back().NumRegs += uint16_t(Last.Extra.size());
  return It->second = sequence(One);
}

/// Nothing more will be added to the latest execution.
void FlowWriter::commit() {
  if (!Last.Valid)
    return;
  Last.Valid = false;
  if (!Last.Extra.empty()) {
    Last.Sequence = withExtra();
    for (const RegItem &R : Last.Extra)
      if (CodeTable::tellsValue(R))
        Items.FlowValues.push_back(R.Value);
    Last.Extra.clear();
  }
  Items.Flow.push_back({Last.Time, Last.Sequence, 0});
}

Error FlowWriter::flush() {
  if (Items.Flow.empty() && Items.Events.empty() && Items.Regs.empty())
    return Error::success();
  if (!Sink.takesFlow())
    expandFlow(Items);
  Error E = Sink.consume(Items);
  Items.clear();
  Items.Code = &Code;
  return E;
}

Error FlowWriter::begin(uint64_t Offset) {
  commit();
  if (Items.Flow.size() >= BatchItems || Items.FlowPlaces.size() >= BatchPlaces)
    if (Error E = flush())
      return E;
  if (Items.Flow.empty())
    Items.FileOffset = Offset;
  return Error::success();
}

void FlowWriter::end(uint32_t Sequence, uint64_t Time) {
  Last.Valid = true;
  Last.Sequence = Sequence;
  Last.Time = Time;
}

Error FlowWriter::execute(const ItemBatch &One, uint64_t Offset) {
  if (Error E = begin(Offset))
    return E;
  for (const RegItem &R : One.Regs)
    if (CodeTable::tellsValue(R))
      Items.FlowValues.push_back(R.Value);
  for (const MemItem &M : One.Mems)
    Items.FlowPlaces.push_back({M.Addr, M.Real});
  end(sequence(One), One.Insns.front().Time);
  return Error::success();
}

void FlowWriter::addToLast(const RegItem &R) {
  if (Last.Valid) {
    Last.Extra.push_back(R);
    return;
  }
  assert(Items.Flow.empty() && "before the first execution of all");
  Items.Regs.push_back(R);
  ++Items.LeadRegs;
}

EventItem &FlowWriter::addEvent(EventKind Kind, std::string Text) {
  EventItem &E = Items.Events.emplace_back();
  E.Before = uint32_t(Items.Flow.size() + Last.Valid);
  E.Kind = Kind;
  E.Text = std::move(Text);
  return E;
}

Error FlowWriter::finish() {
  commit();
  return flush();
}

} // namespace rw
