//===- RegisterFile.cpp - Registers of an architecture --------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/arch/RegisterFile.h"
#include "core/arch/RegisterTables.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

namespace rw {

static RegisterTable tableFor(Arch A) {
  switch (A) {
  case Arch::AArch64:
    return aarch64Registers();
  case Arch::Arm:
    return armRegisters();
  case Arch::PPC64:
  case Arch::PPC64LE:
    return ppc64Registers();
  case Arch::X86_64:
    return x86Registers();
  case Arch::Unknown:
    break;
  }
  return {};
}

RegisterFile::RegisterFile(Arch A, llvm::ArrayRef<NamedRegister> Named) {
  RegisterTable Table = tableFor(A);
  for (RegisterInfo &Info : Table.Registers)
    add(std::move(Info));
  for (auto &[Name, Index] : Table.Aliases)
    ByName.try_emplace(Name, Index);
  for (auto &[Index, Bits] : Table.Fields)
    for (const RegisterTable::Bits &B : Bits)
      Fields.try_emplace((llvm::Twine(Index) + "." + B.Name).str(),
                         FieldBits{B.Lo, B.Width});
  for (const NamedRegister &N : Named) {
    RegisterInfo Info;
    Info.Name = N.Name;
    Info.Slice = {N.Lane, 0, N.Size};
    Info.Format = N.Size > 8 ? RegisterFormat::Vector : RegisterFormat::Hex;
    Info.Set = RegisterSet::System;
    add(std::move(Info));
  }
}

void RegisterFile::add(RegisterInfo Info) {
  unsigned Index = Registers.size();
  // The first register of a name keeps it: a trace cannot redefine x0.
  for (const std::string *Name : {&Info.Name, &Info.AltName, &Info.Generic})
    if (!Name->empty())
      ByName.try_emplace(llvm::StringRef(*Name).lower(), Index);
  if (Info.IsPC)
    PCIndex = Index;
  else
    NumLanes = std::max<unsigned>(
        NumLanes,
        Info.Slice.Lane + (Info.Slice.Offset + Info.Slice.Size + 7) / 8);
  if (Info.Generic == "sp")
    SPIndex = Index;
  if (Info.Generic == "ra")
    LRIndex = Index;
  Registers.push_back(std::move(Info));
}

const RegisterInfo *RegisterFile::find(llvm::StringRef Name) const {
  Name.consume_front("$");
  auto It = ByName.find(Name.lower());
  return It == ByName.end() ? nullptr : &Registers[It->second];
}

const RegisterInfo *RegisterFile::findDwarf(uint64_t Number) const {
  const RegisterInfo *Best = nullptr;
  for (const RegisterInfo &R : Registers)
    if (R.Dwarf >= 0 && uint64_t(R.Dwarf) == Number &&
        (!Best || R.Slice.Size > Best->Slice.Size))
      Best = &R;
  return Best;
}

std::optional<RegisterFile::Field>
RegisterFile::findField(llvm::StringRef Name) const {
  auto [RegName, FieldName] = Name.rsplit('.');
  const RegisterInfo *Info = find(RegName);
  if (!Info || FieldName.empty())
    return std::nullopt;
  auto It = Fields.find(
      (llvm::Twine(unsigned(Info - Registers.data())) + "." + FieldName.lower())
          .str());
  if (It == Fields.end())
    return std::nullopt;
  return Field{Info, It->second.Lo, It->second.Width};
}

llvm::StringRef RegisterFile::laneName(unsigned Lane) const {
  // The widest register that begins in the lane; failing that (the upper half
  // of a vector register) the widest that covers it.
  const RegisterInfo *Begins = nullptr, *Covers = nullptr;
  for (const RegisterInfo &R : Registers) {
    if (R.IsPC || Lane < R.Slice.Lane)
      continue;
    unsigned Begin = R.Slice.Lane + R.Slice.Offset / 8;
    unsigned End = R.Slice.Lane + (R.Slice.Offset + R.Slice.Size + 7) / 8;
    if (Lane < Begin || Lane >= End)
      continue;
    const RegisterInfo *&Best = Lane == Begin ? Begins : Covers;
    if (!Best || R.Slice.Size > Best->Slice.Size)
      Best = &R;
  }
  if (Begins)
    return Begins->Name;
  return Covers ? llvm::StringRef(Covers->Name) : llvm::StringRef();
}

} // namespace rw
