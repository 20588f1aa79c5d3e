//===- VirtualBases.cpp - Bases that only the object places ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/lvalues/LvalueParser.h"
#include "commands/support/Format.h"
#include "commands/support/UnknownName.h"
#include "core/store/TraceStore.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/DebugInfo/DWARF/LowLevel/DWARFExpression.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace rw {

/// What the trace does not tell of tables that nothing changes once the program
/// is loaded. Offsets of bases are no addresses: loading leaves them as they
/// are in the file.
static void readTables(const Session &S, uint64_t Addr,
                       MutableArrayRef<uint8_t> Bytes,
                       MutableArrayRef<uint8_t> Known) {
  if (!S.Symbols || is_contained(Known, 1))
    return;
  const auto Section = S.Symbols->sectionAt(Addr);
  if (Section && StringRef(Section->Name).starts_with(".data.rel.ro") &&
      S.Symbols->readImage(Addr, Bytes) == Bytes.size())
    std::fill(Known.begin(), Known.end(), 1);
}

/// Where \p V lies of the object at \p Object: by the expression that debug
/// information has for it, which asks the object's table of virtual functions.
Expected<uint64_t> LvalueParser::baseAddress(const DwarfTypes::Found &V,
                                             uint64_t Object) const {
  const char *Name = typeOf(V.Member).getShortName();
  auto Unclear = [&] {
    return userError("'" + read() + "': where the virtual base " +
                     Twine(Name ? Name : "") +
                     " lies is not understood here; LLDB may know it");
  };
  const auto Form = V.Member.find(DW_AT_data_member_location);
  const auto Block = Form ? Form->getAsBlock() : std::nullopt;
  if (!Block)
    return Unclear();
  const DWARFUnit &Unit = *V.Member.getDwarfUnit();
  const unsigned Bytes = Unit.getAddressByteSize();
  const bool Big = !Unit.isLittleEndian();
  const PrinterContext Memory = printerContext(S, At.When);
  DataExtractor Data(toStringRef(*Block), !Big, uint8_t(Bytes));
  SmallVector<uint64_t, 4> Stack{Object};
  for (const DWARFExpression::Operation &Op :
       DWARFExpression(Data, uint8_t(Bytes), Unit.getFormParams().Format)) {
    const uint8_t Code = Op.getCode();
    if (Op.isError() || Stack.empty() || Stack.size() > 100)
      return Unclear();
    if (Code >= DW_OP_lit0 && Code <= DW_OP_lit31) {
      Stack.push_back(Code - DW_OP_lit0);
      continue;
    }
    uint8_t Read[8] = {}, Known[8] = {};
    uint64_t Loaded = 0;
    switch (Code) {
    case DW_OP_dup:
      Stack.push_back(Stack.back());
      break;
    case DW_OP_const1u:
    case DW_OP_const1s:
    case DW_OP_const2u:
    case DW_OP_const2s:
    case DW_OP_const4u:
    case DW_OP_const4s:
    case DW_OP_const8u:
    case DW_OP_const8s:
    case DW_OP_constu:
    case DW_OP_consts:
      Stack.push_back(Op.getRawOperand(0));
      break;
    case DW_OP_plus_uconst:
      Stack.back() += Op.getRawOperand(0);
      break;
    case DW_OP_plus:
    case DW_OP_minus: {
      const uint64_t Right = Stack.pop_back_val();
      if (Stack.empty())
        return Unclear();
      Stack.back() += Code == DW_OP_plus ? Right : 0 - Right;
      break;
    }
    case DW_OP_deref:
      if (!Memory.Read || Bytes > 8)
        return Unclear();
      Memory.Read(Stack.back(), {Read, Bytes}, {Known, Bytes});
      readTables(S, Stack.back(), {Read, Bytes}, {Known, Bytes});
      for (unsigned B = 0; B < Bytes; ++B) {
        if (!Known[B])
          return make_error<UnknownValue>(
              "'" + read() + "': where the virtual base " + (Name ? Name : "") +
              " lies is not known at that place");
        Loaded |= uint64_t(Read[B]) << 8 * (Big ? Bytes - 1 - B : B);
      }
      Stack.back() = Loaded;
      break;
    default:
      return Unclear();
    }
  }
  if (Stack.empty())
    return Unclear();
  return Bytes < 8 ? Stack.back() & maskTrailingOnes<uint64_t>(8 * Bytes)
                   : Stack.back();
}

/// The virtual base of \p L that has a member \p Name, or has a base that has
/// it; none if there is none.
Expected<std::optional<Lvalue>> LvalueParser::virtualBase(const Lvalue &L,
                                                          StringRef Name) {
  std::optional<Lvalue> Only;
  for (const DwarfTypes::Found &V : Source.Types.virtualBases(L.Type)) {
    if (!Source.Types.hasMember(typeOf(V.Member), Name))
      continue;
    Fixed = false;
    Lvalue Base;
    Base.Type = typeOf(V.Member);
    if (TypesOnly)
      return Base;
    if (L.At.Where != VariablePlace::Memory)
      return userError("'" + read() +
                       "': it is of a virtual base, and the object is not in "
                       "memory here");
    auto Addr = baseAddress(V, L.At.Addr + L.Offset + V.Bits / 8);
    if (!Addr)
      return Addr.takeError();
    Base.At.Addr = *Addr;
    // By each way it is the same one.
    if (Only && Only->At.Addr != *Addr)
      return userError("'" + read() +
                       "' is ambiguous: several virtual bases have it");
    Only = std::move(Base);
  }
  return Only;
}

} // namespace rw
