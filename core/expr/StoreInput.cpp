//===- StoreInput.cpp - What expressions read in a trace ------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/expr/StoreInput.h"
#include "core/expr/StandardTypes.h"
#include "core/store/TraceStore.h"

using namespace rw;

bool rw::isBigEndian(const TraceHeader &H) {
  return H.Architecture == Arch::PPC64 || H.Order == ByteOrder::Big;
}

ExpressionContext rw::expressionContext(const TraceStore &Store) {
  const Arch Machine = Store.header().Architecture;
  ExpressionContext C{Store.registerFile(), Machine == Arch::Arm ? 4u : 8u};
  C.SignedChar = isPlainCharSigned(Machine);
  C.BigEndian = isBigEndian(Store.header());
  return C;
}

StoreInput::Value StoreInput::readRegister(RegisterSlice S) {
  if (!State) {
    auto Read = Store.registersAt(T, M, TraceStore::RegisterSet::General);
    if (!Read)
      return Read.takeError();
    State = std::move(*Read);
  }
  return State->get(S);
}

/// A thread that has run out of instructions stays at its last one.
StoreInput::Value StoreInput::pc() {
  uint64_t Count = Store.numInstructions(T);
  if (Count == 0)
    return std::nullopt;
  auto P = Store.positionOf(T, M);
  if (!P)
    return P.takeError();
  auto At = Store.momentOf(T, std::min(*P, Count - 1));
  if (!At)
    return At.takeError();
  auto I = Store.instruction(*At);
  if (!I)
    return I.takeError();
  return I->Insn.PC;
}

StoreInput::Value StoreInput::tracePart(TracePart Which) {
  uint64_t Count = Store.numInstructions(T);
  if (Which == TracePart::End)
    return Count;
  auto P = Store.positionOf(T, M);
  if (!P)
    return P.takeError();
  if (Which == TracePart::Position)
    return *P;
  if (*P >= Count)
    return std::nullopt;
  auto At = Store.momentOf(T, *P);
  if (!At)
    return At.takeError();
  return Store.timeAt(*At);
}

llvm::Error StoreInput::bytes(uint64_t Addr,
                              llvm::MutableArrayRef<uint8_t> Bytes,
                              llvm::MutableArrayRef<uint8_t> Known) {
  return Store.memoryAt(M, Addr, Bytes, Known);
}

StoreInput::Value StoreInput::readMemory(uint64_t Addr, unsigned Size) {
  assert(Size <= 8 && "an integer");
  uint8_t Bytes[8], Known[8] = {};
  if (Addr + (Size - 1) < Addr)
    return std::nullopt;
  if (llvm::Error E = bytes(Addr, {Bytes, Size}, {Known, Size}))
    return E;
  const bool Big = isBigEndian(Store.header());
  uint64_t V = 0;
  for (unsigned I = 0; I < Size; ++I) {
    if (!Known[I])
      return std::nullopt;
    V |= uint64_t(Bytes[I]) << 8 * (Big ? Size - 1 - I : I);
  }
  return V;
}
