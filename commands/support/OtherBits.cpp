//===- OtherBits.cpp - Writes of what lies beside a location --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/OtherBits.h"
#include "core/store/TraceStore.h"

using namespace llvm;

namespace rw {

bool overlaps(const MemAccess &M, const Location &L) {
  return M.Addr - L.Addr < L.Size || L.Addr - M.Addr < M.Bytes.size();
}

/// The vector register that \p L is a part of; null if it is of none.
static const RegisterInfo *vectorAround(const TraceStore &Store,
                                        const Location &L) {
  if (L.Where != Location::Register || L.FieldWidth)
    return nullptr;
  const unsigned First = 8u * L.Slice.Lane + L.Slice.Offset;
  for (const RegisterInfo &R : Store.registerFile().registers()) {
    const unsigned Begin = 8u * R.Slice.Lane + R.Slice.Offset;
    if (R.Format == RegisterFormat::Vector && R.Slice.Size > L.Slice.Size &&
        Begin <= First && First + L.Slice.Size <= Begin + R.Slice.Size)
      return &R;
  }
  return nullptr;
}

OtherBits::OtherBits(const TraceStore &Store, const Location &L,
                     AccessKind Kind)
    : Store(Store), L(L), IsField(L.Where == Location::Memory && L.FieldWidth &&
                                  Kind == AccessKind::Write),
      Whole(vectorAround(Store, L)) {}

Expected<bool> OtherBits::wrote(Moment When) {
  if (!any())
    return false;
  if (!Near)
    Near = Whole ? StateCursor::openRegisters(Store) : StateCursor::open(Store);
  return Whole ? wroteLanes(When) : wroteField(When);
}

Expected<bool> OtherBits::wroteLanes(Moment When) {
  State Old, New;
  for (auto [Its, At] : {std::pair(&Old, When), std::pair(&New, When + 1)}) {
    Its->resize(Whole->Slice.Size);
    if (Error E = Near->readRegister(L.Thread, At, Whole->Slice, Its->Bytes,
                                     Its->Known))
      return E;
  }
  const size_t First = 8u * (L.Slice.Lane - Whole->Slice.Lane) +
                       L.Slice.Offset - Whole->Slice.Offset;
  bool Others = false;
  for (size_t B = 0; B < Whole->Slice.Size; ++B) {
    const bool Known = Old.Known[B] && New.Known[B];
    const bool Changed = Old.Bytes[B] != New.Bytes[B];
    const bool Own = B >= First && B - First < L.Slice.Size;
    if (Own && (!Known || Changed))
      return false;
    Others |= Known && Changed;
  }
  return Others;
}

/// The bits of a byte of memory that are the field's.
uint8_t OtherBits::ownBits(uint64_t Addr) const {
  const uint64_t At = Addr - L.Addr;
  const bool Big = Store.header().Order == ByteOrder::Big;
  uint8_t Own = 0;
  for (unsigned Bit = 0; At < L.Size && Bit < 8; ++Bit) {
    const uint64_t Place = 8 * (Big ? L.Size - 1 - At : At) + Bit;
    if (Place >= L.FieldLo && Place < L.FieldLo + L.FieldWidth)
      Own |= uint8_t(1u << Bit);
  }
  return Own;
}

Expected<bool> OtherBits::wroteField(Moment When) {
  if (!Told)
    Told = StateCursor::open(Store);
  auto I = Told->at(When);
  if (!I)
    return I.takeError();
  struct Write {
    uint64_t Addr;
    State Old, New;
  };
  // In the order in which the cursor goes: before, then after.
  SmallVector<Write, 2> Writes;
  for (const MemAccess &M : (*I)->Mems)
    if (M.isWrite() && overlaps(M, L)) {
      Write &W = Writes.emplace_back();
      W.Addr = M.Addr;
      W.Old.resize(M.Bytes.size());
      W.New.resize(M.Bytes.size());
      if (Error E = Near->readMemory(When, M.Addr, W.Old.Bytes, W.Old.Known))
        return E;
    }
  bool Others = false;
  for (Write &W : Writes) {
    if (Error E = Near->readMemory(When + 1, W.Addr, W.New.Bytes, W.New.Known))
      return E;
    for (size_t B = 0; B < W.Old.Bytes.size(); ++B) {
      const uint8_t Own = ownBits(W.Addr + B);
      const bool Known = W.Old.Known[B] && W.New.Known[B];
      const uint8_t Changed = W.Old.Bytes[B] ^ W.New.Bytes[B];
      if (Own && (!Known || (Changed & Own)))
        return false;
      Others |= Known && (Changed & ~Own);
    }
  }
  return Others;
}

} // namespace rw
