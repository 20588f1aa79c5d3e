//===- Effects.cpp - What an instruction reads and writes -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/dataflow/Effects.h"
#include "core/arch/Disassembler.h"
#include "core/dataflow/EffectsDraft.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Allocator.h"
#include <mutex>
#include <shared_mutex>

using namespace llvm;

namespace rw::dataflow {

void normalise(SmallVectorImpl<CellRef> &List) {
  erase_if(List, [](CellRef R) { return R.Count == 0; });
  sort(List);
  size_t Kept = 0;
  for (CellRef R : List) {
    if (Kept && R.First <= List[Kept - 1].end()) {
      CellRef &Last = List[Kept - 1];
      Last.Count = uint16_t(std::max(R.end(), Last.end()) - Last.First);
    } else {
      List[Kept++] = R;
    }
  }
  List.truncate(Kept);
}

void subtract(SmallVectorImpl<CellRef> &List, ArrayRef<CellRef> Minus) {
  CellList Left;
  for (CellRef R : List) {
    for (CellRef M : Minus) {
      if (!R.overlaps(M))
        continue;
      if (M.First > R.First)
        Left.push_back({R.First, uint16_t(M.First - R.First)});
      Cell From = std::min(M.end(), R.end());
      R = {From, uint16_t(R.end() - From)};
    }
    if (R.Count)
      Left.push_back(R);
  }
  List.assign(Left.begin(), Left.end());
}

namespace {

/// Keeps what never changes again.
class Pool {
public:
  ArrayRef<CellRef> keep(ArrayRef<CellRef> List) { return List.copy(Room); }
  ArrayRef<CellPart> keepParts(EffectDraft &E) {
    erase_if(E.Parts, [&](CellPart P) {
      auto Has = [&](CellRef R) { return R.contains(P.Of); };
      return none_of(E.Values, Has) && none_of(E.Addresses, Has);
    });
    return ArrayRef<CellPart>(E.Parts).copy(Room);
  }
  const TemplateEffects *keep(EffectsDraft &D, InsnClass Class) {
    CellList Reads = D.Predicate, Writes;
    SmallVector<Effect, 4> Effects;
    normalise(D.Predicate);
    for (EffectDraft &E : D.Effects) {
      normalise(E.Writes);
      normalise(E.Values);
      normalise(E.Addresses);
      if (E.Store && any_of(E.Addresses, [&](CellRef A) {
            return any_of(E.Values, [&](CellRef V) { return V.overlaps(A); });
          }))
        E.Flags |= Effect::StoresAddress;
      subtract(E.Addresses, E.Values);
      // What a result that goes nowhere (xzr) is made of is read all the same.
      if (E.Writes.empty() && !E.Store && !E.Load &&
          !(E.Flags & Effect::Flow) && E.Values.empty() && E.Addresses.empty())
        continue;
      append(Reads, E.Values);
      append(Reads, E.Addresses);
      append(Writes, E.Writes);
      Effects.push_back({E.Flags, keep(E.Writes), keep(E.Values),
                         keep(E.Addresses), keepParts(E), E.Load, E.Store,
                         E.Moved, E.Addend});
    }
    normalise(Reads);
    normalise(Writes);
    auto *T = new (Room) TemplateEffects;
    T->Known = true;
    T->Varies = D.Varies;
    T->Barrier = D.Barrier;
    T->Class = Class;
    T->Predicate = keep(D.Predicate);
    T->Effects = ArrayRef(Effects).copy(Room);
    T->Reads = keep(Reads);
    T->Writes = keep(Writes);
    return T;
  }

private:
  BumpPtrAllocator Room;
};

} // namespace

struct EffectsTable::Impl {
  std::shared_mutex Lock;
  StringMap<const TemplateEffects *> Known; ///< by key
  Pool Kept;
  TemplateEffects Unknown;
  std::unique_ptr<EffectsDecoder> Decoders[unsigned(ISA::X86_64) + 1];

  const TemplateEffects *make(const OpcodeQuery &Q) {
    auto &Decoder = Decoders[unsigned(Q.Isa)];
    if (!Decoder) {
      switch (Q.Isa) {
      case ISA::A64:
        Decoder = makeA64Effects();
        break;
      case ISA::A32:
      case ISA::T32:
        Decoder = makeArm32Effects();
        break;
      case ISA::PPC64:
        Decoder = makePPCEffects();
        break;
      case ISA::X86_64:
        Decoder = makeX86Effects();
        break;
      case ISA::Unknown:
        return &Unknown;
      }
    }
    EffectsDraft D;
    return Decoder->decode(Q, D) ? Kept.keep(D, Q.Class) : &Unknown;
  }
};

EffectsTable::EffectsTable(Arch A) : Map(A), I(std::make_unique<Impl>()) {}
EffectsTable::~EffectsTable() = default;

const TemplateEffects &EffectsTable::find(ISA Isa, uint64_t Opcode,
                                          unsigned Size, uint8_t ItCondition,
                                          ArrayRef<uint8_t> Bytes) {
  if (!Map.has(Isa))
    return I->Unknown;
  SmallVector<uint8_t, 16> Short;
  if (Bytes.empty()) {
    if (Size > 8)
      return I->Unknown;
    Short = opcodeBytes(Isa, Opcode, Size);
    Bytes = Short;
  }
  SmallString<24> Key;
  Key.push_back(char(unsigned(Isa) << 4 | ItCondition));
  Key.append(toStringRef(Bytes));
  {
    std::shared_lock Guard(I->Lock);
    if (auto It = I->Known.find(Key); It != I->Known.end())
      return *It->second;
  }
  std::unique_lock Guard(I->Lock);
  const TemplateEffects *&Entry = I->Known[Key];
  if (!Entry) {
    OpcodeQuery Q{
        Isa, Opcode, ItCondition,
        Isa == ISA::X86_64 ? classifyX86(Bytes) : classify(Isa, Opcode), Bytes};
    Entry = I->make(Q);
  }
  return *Entry;
}

} // namespace rw::dataflow
