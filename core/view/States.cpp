//===- States.cpp ---------------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/view/States.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace rw {

bool RegisterRow::changed() const {
  return any_of(Bytes, [](const ViewByte &B) { return B.Changed; });
}

bool RegisterRow::anyKnown() const {
  return any_of(Bytes, [](const ViewByte &B) { return B.Known; });
}

std::vector<const RegisterInfo *> registerOfLane(const RegisterFile &F) {
  std::vector<const RegisterInfo *> Owner(F.numLanes());
  for (const RegisterInfo &R : F.registers()) {
    if (R.IsPC)
      continue;
    unsigned First = R.Slice.Lane + R.Slice.Offset / 8;
    unsigned Last = R.Slice.Lane + (R.Slice.Offset + R.Slice.Size - 1) / 8;
    for (unsigned L = First; L <= Last && L < Owner.size(); ++L)
      if (!Owner[L] || R.Slice.Size > Owner[L]->Slice.Size)
        Owner[L] = &R;
  }
  return Owner;
}

std::vector<const RegisterInfo *> widestRegisters(const RegisterFile &F) {
  std::vector<const RegisterInfo *> Result;
  for (const RegisterInfo *R : registerOfLane(F))
    if (R && (Result.empty() || Result.back() != R))
      Result.push_back(R);
  return Result;
}

static std::vector<ViewByte> compare(ArrayRef<uint8_t> Now,
                                     ArrayRef<uint8_t> NowKnown,
                                     ArrayRef<uint8_t> Then,
                                     ArrayRef<uint8_t> ThenKnown) {
  std::vector<ViewByte> Bytes(Now.size());
  for (size_t I = 0; I < Now.size(); ++I) {
    bool Known = NowKnown[I], Was = ThenKnown[I];
    Bytes[I] = {Known ? Now[I] : uint8_t(0), Known,
                Known != Was || (Known && Now[I] != Then[I])};
  }
  return Bytes;
}

Expected<std::vector<RegisterRow>>
registerRows(const TraceStore &Store, ThreadIndex T, Moment At, Moment Since) {
  auto Now = Store.registersAt(T, At);
  if (!Now)
    return Now.takeError();
  auto Then = Store.registersAt(T, Since);
  if (!Then)
    return Then.takeError();
  std::vector<RegisterRow> Rows;
  for (const RegisterInfo *R : widestRegisters(Store.registerFile())) {
    size_t Size = R->Slice.Size;
    std::vector<uint8_t> New(Size), NewKnown(Size), Old(Size), OldKnown(Size);
    Now->read(R->Slice, New.data(), NewKnown.data());
    Then->read(R->Slice, Old.data(), OldKnown.data());
    Rows.push_back({R, compare(New, NewKnown, Old, OldKnown)});
  }
  return Rows;
}

Expected<std::vector<ViewByte>> memoryBytes(const TraceStore &Store,
                                            uint64_t Addr, size_t Size,
                                            Moment At, Moment Since,
                                            ImageBytes Image) {
  std::vector<uint8_t> New(Size), NewKnown(Size), Old(Size), OldKnown(Size);
  if (Error E = Store.memoryAt(At, Addr, New, NewKnown))
    return E;
  if (Error E = Store.memoryAt(Since, Addr, Old, OldKnown))
    return E;
  Image(Addr, New, NewKnown);
  Image(Addr, Old, OldKnown);
  return compare(New, NewKnown, Old, OldKnown);
}

} // namespace rw
