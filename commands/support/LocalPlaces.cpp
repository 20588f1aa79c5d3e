//===- LocalPlaces.cpp - Where local variables are ------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/LocalPlaces.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugFrame.h"
#include "llvm/DebugInfo/DWARF/LowLevel/DWARFExpression.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace rw {

/// The block, or inlined function, in \p D that has \p PC; none if it is \p D.
/// \p Entered: or that is entered there, and has no code of its own there.
static DWARFDie blockAt(DWARFDie D, uint64_t PC, bool Entered) {
  DWARFDie Begins;
  for (DWARFDie C : D.children()) {
    const bool Inlined = C.getTag() == DW_TAG_inlined_subroutine;
    if (!Inlined && C.getTag() != DW_TAG_lexical_block)
      continue;
    if (C.addressRangeContainsAddress(PC))
      return C;
    if (Entered && Inlined && toAddress(C.find(DW_AT_entry_pc)) == PC)
      Begins = C;
  }
  return Begins;
}

static bool beginsAt(DWARFDie D, uint64_t PC) {
  auto Ranges = D.getAddressRanges();
  if (!Ranges) {
    consumeError(Ranges.takeError());
    return true;
  }
  return any_of(*Ranges,
                [&](const DWARFAddressRange &R) { return R.LowPC == PC; });
}

LocalScopes localScopes(DebugInfo &Dwarf, uint64_t PC,
                        std::optional<unsigned> Inlined) {
  LocalScopes S;
  // LLVM takes an inlined function for the one it is in.
  S.Function = Dwarf.functionAt(PC);
  while (S.Function && S.Function.getTag() != DW_TAG_subprogram)
    S.Function = S.Function.getParent();
  if (!S.Function)
    return S;
  S.Blocks = {S.Function};
  const bool Asked = Inlined.has_value();
  while (DWARFDie Inner = blockAt(S.Blocks.front(), PC, Asked)) {
    // What is inlined sees nothing of what it is inlined in.
    if (Inner.getTag() == DW_TAG_inlined_subroutine) {
      if (Inlined && !(*Inlined)--)
        break;
      S.Blocks.clear();
      S.BeginsInlined |= !Asked && beginsAt(Inner, PC);
    }
    S.Blocks.insert(S.Blocks.begin(), Inner);
  }
  return S;
}

DWARFDie findLocal(const LocalScopes &Scopes, StringRef Name) {
  // A function in another sees what is declared there.
  for (DWARFDie D = Scopes.Function; D && (D = D.getParent());)
    if (D.getTag() == DW_TAG_subprogram)
      return {};
  if (Scopes.BeginsInlined)
    return {};
  for (DWARFDie Block : Scopes.Blocks) {
    DWARFDie Found;
    for (DWARFDie D : Block.children()) {
      const char *Its = D.getName(DINameKind::ShortName);
      if (!Its || Name != Its)
        continue;
      const bool Variable = (D.getTag() == DW_TAG_variable ||
                             D.getTag() == DW_TAG_formal_parameter) &&
                            !D.find(DW_AT_declaration);
      if (Found || !Variable)
        return {};
      Found = D;
    }
    if (Found)
      return Found;
  }
  return {};
}

/// The only operation of a description; none if there are more.
static std::optional<DWARFExpression::Operation>
onlyOperation(ArrayRef<uint8_t> Expr, DWARFUnit &Unit) {
  const DataExtractor Data(toStringRef(Expr), Unit.isLittleEndian(),
                           Unit.getAddressByteSize());
  const DWARFExpression Program(Data, Unit.getAddressByteSize(),
                                Unit.getFormParams().Format);
  auto It = Program.begin();
  if (It == Program.end() || It->isError() || It->getEndOffset() != Expr.size())
    return std::nullopt;
  return *It;
}

/// The description \p Which that holds at \p PC.
static std::optional<DWARFExpression::Operation>
operationAt(DWARFDie D, Attribute Which, uint64_t PC) {
  if (!D.find(Which))
    return std::nullopt;
  auto Locations = D.getLocations(Which);
  if (!Locations) {
    consumeError(Locations.takeError());
    return std::nullopt;
  }
  for (const DWARFLocationExpression &L : *Locations)
    if (!L.Range || (L.Range->LowPC <= PC && PC < L.Range->HighPC))
      return onlyOperation(L.Expr, *D.getDwarfUnit());
  return std::nullopt;
}

/// A register and what is added to it, or held by it.
static std::optional<LocalPlace>
registerPlace(const DWARFExpression::Operation &Op) {
  const uint8_t Code = Op.getCode();
  if (Code >= DW_OP_reg0 && Code <= DW_OP_reg31)
    return LocalPlace{unsigned(Code - DW_OP_reg0), 0, true};
  if (Code >= DW_OP_breg0 && Code <= DW_OP_breg31)
    return LocalPlace{unsigned(Code - DW_OP_breg0),
                      int64_t(Op.getRawOperand(0)), false};
  return std::nullopt;
}

std::optional<LocalPlace> localPlace(DebugInfo &Dwarf, uint64_t PC,
                                     DWARFDie Variable, DWARFDie Function) {
  auto Op = operationAt(Variable, DW_AT_location, PC);
  if (!Op)
    return std::nullopt;
  if (Op->getCode() != DW_OP_fbreg)
    return registerPlace(*Op);
  const int64_t Offset = int64_t(Op->getRawOperand(0));
  auto Base = operationAt(Function, DW_AT_frame_base, PC);
  if (!Base)
    return std::nullopt;
  std::optional<LocalPlace> Frame;
  if (Base->getCode() == DW_OP_call_frame_cfa) {
    auto Rule = frameRule(Dwarf.context(), PC);
    if (!Rule) {
      consumeError(Rule.takeError());
      return std::nullopt;
    }
    if (*Rule && (*Rule)->getLocation() == UnwindLocation::RegPlusOffset &&
        !(*Rule)->getDereference())
      Frame = LocalPlace{(*Rule)->getRegister(), (*Rule)->getOffset(), false};
  } else {
    // "In register x29" means: where x29 points to.
    Frame = registerPlace(*Base);
  }
  if (Frame)
    Frame = LocalPlace{Frame->Register, Frame->Offset + Offset, false};
  return Frame;
}

static Expected<std::optional<UnwindLocation>>
frameRuleIn(Expected<const DWARFDebugFrame *> Table, uint64_t PC) {
  if (!Table)
    return Table.takeError();
  for (const FrameEntry &E : (*Table)->entries()) {
    const auto *F = llvm::dyn_cast<FDE>(&E);
    if (!F || PC < F->getInitialLocation() ||
        PC - F->getInitialLocation() >= F->getAddressRange())
      continue;
    auto Rows = createUnwindTable(F);
    if (!Rows)
      return Rows.takeError();
    std::optional<UnwindLocation> Rule;
    for (const UnwindRow &R : *Rows)
      if (!R.hasAddress() || R.getAddress() <= PC)
        Rule = R.getCFAValue();
    return Rule;
  }
  return std::optional<UnwindLocation>();
}

Expected<std::optional<UnwindLocation>> frameRule(DWARFContext &Dwarf,
                                                  uint64_t PC) {
  auto Rule = frameRuleIn(Dwarf.getDebugFrame(), PC);
  if (!Rule || *Rule)
    return Rule;
  return frameRuleIn(Dwarf.getEHFrame(), PC);
}

} // namespace rw
