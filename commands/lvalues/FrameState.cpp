//===- FrameState.cpp - Where variables are at a place --------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/lvalues/FrameState.h"
#include "commands/lvalues/DwarfTypes.h"
#include "commands/support/DwarfAttributes.h"
#include "commands/support/Format.h"
#include "commands/support/LocalPlaces.h"
#include "commands/support/UnknownName.h"
#include "core/calls/CallIndex.h"
#include "core/store/TraceStore.h"
#include "llvm/DebugInfo/DWARF/DWARFUnit.h"
#include "llvm/DebugInfo/DWARF/LowLevel/DWARFExpression.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace rw {

static constexpr unsigned MostFrameBases =
    4; ///< of a frame base's own description

Expected<const RegisterInfo *>
FrameState::registerOf(uint64_t DwarfNumber) const {
  if (const RegisterInfo *R = S.Store.registerFile().findDwarf(DwarfNumber))
    return R;
  return userError("it is in a register that the trace does not have (DWARF "
                   "number " +
                   Twine(DwarfNumber) + ")");
}

Expected<FrameState::Found> FrameState::registerValue(uint64_t DwarfNumber) {
  auto R = registerOf(DwarfNumber);
  if (!R)
    return R.takeError();
  if ((*R)->IsPC && PC)
    return Found{*PC, AddressRecipe::constant(*PC)};
  if (!Registers) {
    auto State = S.Store.registersAt(At.Thread, At.When);
    if (!State)
      return State.takeError();
    Registers = std::move(*State);
  }
  RegisterSlice Slice = (*R)->Slice;
  Slice.Size = std::min<uint16_t>(Slice.Size, 8);
  if (auto N = Registers->get(Slice))
    return SignsLower ? Found{uint64_t(SignExtend64<32>(*N))}
                      : Found{*N, AddressRecipe::registerIs(Slice)};
  return userError("the value of " + (*R)->Name +
                   ", which tells where it is, "
                   "is not known here");
}

Expected<uint64_t> FrameState::entryValue(ArrayRef<uint8_t> Block,
                                          DWARFUnit &Unit, DWARFDie Function) {
  DataExtractor Data(toStringRef(Block), Unit.isLittleEndian(),
                     Unit.getAddressByteSize());
  DWARFExpression Program(Data, Unit.getAddressByteSize(),
                          Unit.getFormParams().Format);
  auto Op = Program.begin();
  if (Op == Program.end() || Op->isError() ||
      Op->getEndOffset() != Block.size())
    return userError("it is what something more than a register was when its "
                     "function was entered");
  uint64_t Number;
  if (Op->getCode() >= DW_OP_reg0 && Op->getCode() <= DW_OP_reg31)
    Number = Op->getCode() - DW_OP_reg0;
  else if (Op->getCode() == DW_OP_regx || Op->getCode() == DW_OP_regval_type)
    Number = Op->getRawOperand(0);
  else
    return userError("it is what something else than a register was when its "
                     "function was entered");
  auto R = registerOf(Number);
  if (!R)
    return R.takeError();
  auto Calls = CallIndex::open(S.Store);
  if (!Calls)
    return Calls.takeError();
  auto P = S.Store.positionOf(At.Thread, At.When);
  if (!P)
    return P.takeError();
  Expected<std::optional<Activation>> A = std::optional<Activation>();
  if (*Calls)
    A = (*Calls)->enclosing(At.Thread, *P);
  if (!A)
    return A.takeError();
  uint64_t Low, High, Section;
  if (!*A || (*A)->Flags & Activation::BeforeTrace ||
      !Function.getLowAndHighPC(Low, High, Section) ||
      (*A)->EntryPC != Low + Slide)
    return userError("it is what " + (*R)->Name +
                     " was when its function was "
                     "entered, and the trace does not tell when that was");
  auto Entry = S.Store.momentOf(At.Thread, (*A)->Start);
  if (!Entry)
    return Entry.takeError();
  auto State = S.Store.registersAt(At.Thread, *Entry);
  if (!State)
    return State.takeError();
  RegisterSlice Slice = (*R)->Slice;
  Slice.Size = std::min<uint16_t>(Slice.Size, 8);
  if (auto N = State->get(Slice))
    return *N;
  return userError("it is what " + (*R)->Name +
                   " was when its function was "
                   "entered, and that is not known");
}

/// \p OfTable: also what the trace does not tell of tables that nothing changes
/// once the program is loaded. Offsets of bases are no addresses: loading
/// leaves them as they are in the file.
Expected<uint64_t> FrameState::memory(uint64_t Addr, uint64_t Size,
                                      bool OfTable) {
  Location L;
  L.Addr = Addr;
  L.Size = Size;
  auto V = readLocation(S, L, At.When);
  if (!V)
    return V.takeError();
  if (OfTable && S.Symbols && !is_contained(V->Known, 1)) {
    const auto Section = S.Symbols->sectionAt(Addr);
    if (Section && StringRef(Section->Name).starts_with(".data.rel.ro") &&
        S.Symbols->readImage(Addr, V->Bytes) == V->Bytes.size())
      std::fill(V->Known.begin(), V->Known.end(), 1);
  }
  if (auto N = V->number())
    return *N;
  if (OfTable)
    return make_error<UnknownValue>("a table of bases is not known");
  return userError("the memory that tells where it is, [" + hex(Addr) + ", " +
                   Twine(Size) + " bytes], is not known here");
}

Expected<uint64_t> FrameState::memberAddress(ArrayRef<uint8_t> Expr,
                                             DWARFUnit &Unit, uint64_t Object) {
  auto P = evaluate(Expr, Unit, DWARFDie(), 0, Object);
  if (!P)
    return P.takeError();
  if (P->Where != VariablePlace::Memory)
    return userError("it is not in memory");
  return P->Addr;
}

Expected<FrameState::Found> FrameState::canonicalFrame() {
  if (!PC)
    return userError("there is no frame at the end of the trace");
  auto Rule = frameRule(*Dwarf, *PC - Slide);
  if (!Rule)
    return Rule.takeError();
  if (!*Rule)
    return userError("the image does not tell where the frame of " + hex(*PC) +
                     " is (no .debug_frame or .eh_frame)");
  const UnwindLocation &L = **Rule;
  if (L.getLocation() == UnwindLocation::RegPlusOffset && !L.getDereference()) {
    auto N = registerValue(L.getRegister());
    if (!N)
      return N.takeError();
    N->Number += uint64_t(int64_t(L.getOffset()));
    if (N->How)
      N->How->add(uint64_t(int64_t(L.getOffset())));
    return N;
  }
  return userError("the frame of " + hex(*PC) +
                   " is told in a way that is not understood");
}

const DWARFLocationExpression *
FrameState::current(const DWARFLocationExpressionsVector &Locations,
                    DWARFDie Function) const {
  // GCC writes an empty range for where parameters are when the function is
  // entered; it means its first instruction, as GDB has it, also where that is
  // in the next range, too: what is computed there comes behind it.
  auto IsEntry = [&](const DWARFAddressRange &R) {
    uint64_t Low, High, Section;
    return PC && R.LowPC == R.HighPC && R.LowPC == *PC - Slide && Function &&
           Function.getLowAndHighPC(Low, High, Section) && Low == R.LowPC;
  };
  for (const DWARFLocationExpression &L : Locations)
    if (!L.Range || IsEntry(*L.Range) ||
        (PC && L.Range->LowPC <= *PC - Slide && *PC - Slide < L.Range->HighPC))
      return &L;
  return nullptr;
}

Expected<FrameState::Found> FrameState::frameBase(DWARFDie Function,
                                                  unsigned Depth) {
  if (!Function || Depth > MostFrameBases)
    return userError("its function has no frame");
  auto Locations = Function.getLocations(DW_AT_frame_base);
  if (!Locations)
    return Locations.takeError();
  const DWARFLocationExpression *L = current(*Locations, Function);
  if (!L)
    return userError("its frame is nowhere here");
  auto P = evaluate(L->Expr, *Function.getDwarfUnit(), Function, Depth + 1);
  if (!P)
    return P.takeError();
  if (P->Where == VariablePlace::Memory)
    return Found{P->Addr, std::move(P->How)};
  // "In register x29" means: where x29 points to.
  if (P->Where == VariablePlace::Register)
    return registerValue(uint64_t(P->Holder->Dwarf));
  return userError("its frame is no place");
}

/// Some compilers say nothing of where such a variable is; its symbol does.
static bool isThreadLocal(DWARFContext &Dwarf, DWARFDie Entry) {
  const auto *File = llvm::dyn_cast_or_null<object::ELFObjectFileBase>(
      Dwarf.getDWARFObj().getFile());
  const char *Linkage = Entry.getLinkageName(), *Short = Entry.getShortName();
  if (!File || !Short)
    return false;
  for (const object::ELFSymbolRef S : File->symbols()) {
    if (S.getELFType() != ELF::STT_TLS)
      continue;
    auto Name = S.getName();
    if (!Name)
      consumeError(Name.takeError());
    else if (*Name == (Linkage ? Linkage : Short))
      return true;
  }
  return false;
}

Expected<VariablePlace> FrameState::place(DWARFDie Entry, DWARFDie Function) {
  const char *Name = Entry.getName(DINameKind::ShortName);
  const std::string Who = Name ? ("'" + Twine(Name) + "'").str() : "it";
  if (auto V = Entry.findRecursively(DW_AT_const_value)) {
    VariablePlace P;
    P.Where = VariablePlace::Constant;
    if (auto Block = V->getAsBlock()) {
      P.Bytes.assign(Block->begin(), Block->end());
      return P;
    }
    uint64_t N = V->getAsUnsignedConstant().value_or(0);
    if (V->getForm() == DW_FORM_sdata || V->getForm() == DW_FORM_implicit_const)
      N = uint64_t(V->getAsSignedConstant().value_or(0));
    for (unsigned I = 0; I < 8; ++I)
      P.Bytes.push_back(uint8_t(
          N >> 8 * (S.Store.header().Order == ByteOrder::Little ? I : 7 - I)));
    return P;
  }
  if (!Entry.find(DW_AT_location) && isThreadLocal(*Dwarf, Entry))
    return userError(Who + ThreadLocal);
  if (!Entry.find(DW_AT_location))
    return userError(
        Who + " has no place: it was optimised away" +
        (Entry.find(DW_AT_declaration)
             ? ", or is defined where there is no debug information"
             : ""));
  auto Locations = Entry.getLocations(DW_AT_location);
  if (!Locations)
    return userError(Who + ": " + toString(Locations.takeError()));
  const DWARFLocationExpression *L = current(*Locations, Function);
  if (!L || L->Expr.empty())
    return make_error<UnknownValue>(
        Who + " has no place here: it was optimised away");
  DWARFUnit &Unit = *Entry.getDwarfUnit();
  auto P = compose(L->Expr, Unit, Function);
  if (!P)
    return make_error<UnknownValue>(Who + ": " + toString(P.takeError()));
  // GCC divides and shifts numbers of 32 bits as if they had 64: what it says
  // holds where the upper half of the register makes no difference.
  const DWARFDie Type = strippedType(typeOf(Entry));
  const uint64_t Size =
      Type ? dwarfConstant(Type, DW_AT_byte_size).value_or(8) : 8;
  if (P->Where != VariablePlace::Constant || !NeedsUpper || Size > 4 ||
      Unit.getAddressByteSize() != 8)
    return P;
  SignsLower = true;
  auto Signed = compose(L->Expr, Unit, Function);
  SignsLower = false;
  if (!Signed)
    return make_error<UnknownValue>(Who + ": " + toString(Signed.takeError()));
  auto number = [&](const VariablePlace &V) {
    const auto &B = V.Bytes;
    return Unit.isLittleEndian() ? ArrayRef(B).take_front(Size)
                                 : ArrayRef(B).take_back(Size);
  };
  if (number(*P) != number(*Signed))
    return make_error<UnknownValue>(
        Who +
        ": the debug information computes it with bits that are not the "
        "number's own, which only holds of numbers that are not negative");
  return P;
}

static bool isSamePlace(const VariablePlace &A, const VariablePlace &B) {
  if (A.Where != B.Where)
    return false;
  switch (A.Where) {
  case VariablePlace::Memory:
    return A.Addr == B.Addr;
  case VariablePlace::Register:
    return A.Holder == B.Holder;
  case VariablePlace::Constant:
  case VariablePlace::InPieces:
    break;
  }
  return false;
}

/// What is in both.
static CodeRanges inBoth(const CodeRanges &A, const CodeRanges &B) {
  CodeRanges Both;
  for (auto [ALow, AHigh] : A.Ranges)
    for (auto [BLow, BHigh] : B.Ranges)
      if (const uint64_t Low = std::max(ALow, BLow),
          High = std::min(AHigh, BHigh);
          Low < High)
        Both.Ranges.push_back({Low, High});
  return Both;
}

/// The code of the block that \p Entry is declared in; nothing if that is the
/// function itself.
static std::optional<CodeRanges> blockOf(DWARFDie Entry) {
  const DWARFDie Block = Entry.getParent();
  if (!Block || (Block.getTag() != DW_TAG_lexical_block &&
                 Block.getTag() != DW_TAG_inlined_subroutine))
    return std::nullopt;
  auto Ranges = Block.getAddressRanges();
  if (!Ranges) {
    consumeError(Ranges.takeError());
    return std::nullopt;
  }
  CodeRanges Code;
  for (const DWARFAddressRange &R : *Ranges)
    Code.Ranges.push_back({R.LowPC, R.HighPC});
  if (Code.Ranges.empty())
    return std::nullopt;
  return Code;
}

std::shared_ptr<const CodeRanges>
FrameState::lives(DWARFDie Entry, DWARFDie Function,
                  const VariablePlace &There) {
  std::optional<CodeRanges> Code = blockOf(Entry);
  auto Locations = Entry.getLocations(DW_AT_location);
  if (!Locations) {
    consumeError(Locations.takeError());
  } else if (const auto *Now = current(*Locations, Function);
             Now && Now->Range) {
    CodeRanges Told;
    for (const DWARFLocationExpression &L : *Locations) {
      if (!L.Range) // wherever no other holds
        continue;
      bool Same = L.Expr == Now->Expr;
      if (!Same) {
        auto P = compose(L.Expr, *Entry.getDwarfUnit(), Function);
        Same = P && isSamePlace(*P, There);
        consumeError(P.takeError());
      }
      if (!Same)
        continue;
      // As current() has it.
      const bool IsEntry = &L == Now && L.Range->HighPC == L.Range->LowPC;
      Told.Ranges.push_back({L.Range->LowPC, L.Range->HighPC + IsEntry});
    }
    Code = Code ? inBoth(*Code, Told) : std::move(Told);
  }
  if (!Code)
    return nullptr;
  for (auto &[Low, High] : Code->Ranges) {
    Low += Slide;
    High += Slide;
  }
  llvm::sort(Code->Ranges);
  return std::make_shared<const CodeRanges>(std::move(*Code));
}

} // namespace rw
