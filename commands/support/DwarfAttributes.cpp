//===- DwarfAttributes.cpp - What attributes of DWARF say -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/DwarfAttributes.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Support/LEB128.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace rw {

std::optional<uint64_t> dwarfConstant(DWARFDie D, Attribute A) {
  auto V = D.find(A);
  if (!V)
    return std::nullopt;
  if (auto U = V->getAsUnsignedConstant())
    return *U;
  if (auto S = V->getAsSignedConstant())
    return uint64_t(*S);
  return std::nullopt;
}

int64_t enumeratorValue(const DWARFFormValue &V) {
  if (V.getForm() == DW_FORM_sdata || V.getForm() == DW_FORM_implicit_const)
    return V.getAsSignedConstant().value_or(0);
  return int64_t(V.getAsUnsignedConstant().value_or(0));
}

/// Where a member begins: a number, or before DWARF 3 an expression that adds
/// one to the object's address.
static std::optional<uint64_t> memberByte(const DWARFFormValue &At) {
  if (auto Byte = At.getAsUnsignedConstant())
    return Byte;
  const auto Block = At.getAsBlock();
  if (!Block || Block->size() < 2 || Block->front() != DW_OP_plus_uconst)
    return std::nullopt;
  unsigned Size = 0;
  const char *Error = nullptr;
  const uint64_t Byte =
      decodeULEB128(Block->data() + 1, &Size, Block->end(), &Error);
  if (Error || Size + 1 != Block->size())
    return std::nullopt;
  return Byte;
}

std::optional<MemberPlace> memberPlace(DWARFDie M) {
  MemberPlace P;
  if (auto At = M.find(DW_AT_data_member_location)) {
    auto Byte = memberByte(*At);
    if (!Byte)
      return std::nullopt;
    P.Bits = 8 * *Byte;
  }
  if (!M.find(DW_AT_bit_size))
    return P;
  auto Width = dwarfConstant(M, DW_AT_bit_size);
  if (!Width || *Width == 0 || *Width > 64)
    return std::nullopt;
  P.BitWidth = unsigned(*Width);
  if (auto Bit = dwarfConstant(M, DW_AT_data_bit_offset)) {
    P.Bits += *Bit;
    return P;
  }
  // Before DWARF 4: from the highest bit of a unit that holds it.
  if (auto Bit = dwarfConstant(M, DW_AT_bit_offset)) {
    DWARFUnit *U = M.getDwarfUnit();
    auto Unit = dwarfConstant(M, DW_AT_byte_size);
    if (!Unit)
      if (DWARFDie T = M.getAttributeValueAsReferencedDie(DW_AT_type))
        Unit = T.getTypeSize(U->getAddressByteSize());
    if (!Unit)
      return std::nullopt;
    P.Bits += U->isLittleEndian() ? 8 * *Unit - *Bit - *Width : *Bit;
  }
  return P;
}

std::string declaredIn(DWARFDie D, DILineInfoSpecifier::FileLineInfoKind Kind) {
  std::string File = D.getDeclFile(Kind);
  // LLVM does not find the file where a number that the abbreviation has
  // (DW_FORM_implicit_const) tells which.
  const auto Index = File.empty() ? dwarfConstant(D, DW_AT_decl_file)
                                  : std::optional<uint64_t>();
  DWARFUnit *Unit = Index ? D.getDwarfUnit() : nullptr;
  const DWARFDebugLine::LineTable *Lines =
      Unit ? Unit->getContext().getLineTableForUnit(Unit) : nullptr;
  if (Lines)
    Lines->getFileNameByIndex(*Index, Unit->getCompilationDir(), Kind, File);
  return File;
}

} // namespace rw
