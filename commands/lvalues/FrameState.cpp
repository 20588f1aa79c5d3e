//===- FrameState.cpp - Where variables are at a place --------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/lvalues/FrameState.h"
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
static constexpr unsigned MostSteps = 10000;

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
    return Found{*N, AddressRecipe::registerIs(Slice)};
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

static constexpr StringLiteral ThreadLocal =
    " is thread_local: each thread has its own, and debug information does not "
    "tell where; give its address";

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
  auto P = compose(L->Expr, *Entry.getDwarfUnit(), Function);
  if (!P)
    return make_error<UnknownValue>(Who + ": " + toString(P.takeError()));
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

Expected<VariablePlace> FrameState::compose(ArrayRef<uint8_t> Expr,
                                            DWARFUnit &Unit,
                                            DWARFDie Function) {
  DataExtractor Data(toStringRef(Expr), Unit.isLittleEndian(),
                     Unit.getAddressByteSize());
  DWARFExpression Program(Data, Unit.getAddressByteSize(),
                          Unit.getFormParams().Format);
  VariablePlace Whole;
  Whole.Where = VariablePlace::InPieces;
  uint64_t Begin = 0, Operation = 0, Offset = 0;
  for (const DWARFExpression::Operation &Op : Program) {
    if (Op.isError())
      break; // evaluate() says so
    const uint8_t Code = Op.getCode();
    if (Code == DW_OP_piece || Code == DW_OP_bit_piece) {
      uint64_t Size = Op.getRawOperand(0);
      if (Code == DW_OP_bit_piece) {
        if (Size % 8 || Op.getRawOperand(1))
          return userError("it lies in pieces that are no whole bytes");
        Size /= 8;
      }
      PlacePiece Piece{Offset, Size, std::nullopt};
      if (Operation > Begin) {
        auto At =
            evaluate(Expr.slice(Begin, Operation - Begin), Unit, Function, 0);
        if (!At)
          return At.takeError();
        Piece.At = std::move(*At);
      }
      Whole.Pieces.push_back(std::move(Piece));
      Offset += Size;
      Begin = Op.getEndOffset();
    }
    Operation = Op.getEndOffset();
  }
  if (Whole.Pieces.empty())
    return evaluate(Expr, Unit, Function, 0);
  return Whole;
}

Expected<VariablePlace> FrameState::evaluate(ArrayRef<uint8_t> Expr,
                                             DWARFUnit &Unit, DWARFDie Function,
                                             unsigned Depth,
                                             std::optional<uint64_t> Object) {
  const bool Little = Unit.isLittleEndian();
  const uint64_t Mask =
      maskTrailingOnes<uint64_t>(8 * Unit.getAddressByteSize());
  DataExtractor Data(toStringRef(Expr), Little, Unit.getAddressByteSize());
  DWARFExpression Program(Data, Unit.getAddressByteSize(),
                          Unit.getFormParams().Format);
  SmallVector<uint64_t, 8> Stack;
  if (Object)
    Stack.push_back(*Object);
  VariablePlace P;
  bool IsValue = false;
  // How the only number on the stack came about, if in such steps.
  std::optional<AddressRecipe> How;
  unsigned Steps = 0;
  auto Broken = [] { return userError("its description is damaged"); };
  auto Unused = [&](uint8_t Code) {
    StringRef Name = OperationEncodingString(Code);
    return userError("where it is depends on what is not understood here (" +
                     (Name.empty() ? "operation " + Twine(unsigned(Code)).str()
                                   : Name.str()) +
                     ")");
  };
  // What is on the stack has a type: nothing here computes with that.
  bool Typed = false;
  // POWER keeps a float as a double.
  const Arch Its = S.Store.header().Architecture;
  const bool KeepsBits = Its != Arch::PPC64 && Its != Arch::PPC64LE;
  for (auto It = Program.begin(); It != Program.end(); ++It) {
    const DWARFExpression::Operation &Op = *It;
    const uint8_t Code = Op.getCode();
    if (Typed && (Code != DW_OP_stack_value || !KeepsBits))
      return Unused(DW_OP_regval_type);
    // GCC has operations of its own.
    if (Op.isError() && Code && OperationEncodingString(Code).empty())
      return Unused(Code);
    if (Op.isError() || ++Steps > MostSteps)
      return Broken();
    const uint64_t A = Op.getNumOperands() > 0 ? Op.getRawOperand(0) : 0;
    const uint64_t B = Op.getNumOperands() > 1 ? Op.getRawOperand(1) : 0;
    const bool Last = Op.getEndOffset() == Expr.size();
    auto InRegister = [&](uint64_t N) -> Expected<VariablePlace> {
      if (!Last)
        return userError("it lies in pieces");
      auto R = registerOf(N);
      if (!R)
        return R.takeError();
      P.Where = VariablePlace::Register;
      P.Holder = *R;
      return P;
    };
    std::optional<AddressRecipe> Before = std::exchange(How, std::nullopt);
    auto Add = [&](Expected<Found> Base, uint64_t Offset) -> Error {
      if (!Base)
        return Base.takeError();
      Stack.push_back(Base->Number + Offset);
      if (Stack.size() == 1 && Base->How) {
        How = std::move(Base->How);
        How->add(Offset);
      }
      return Error::success();
    };
    if (Code >= DW_OP_lit0 && Code <= DW_OP_lit31) {
      Stack.push_back(Code - DW_OP_lit0);
      continue;
    }
    if (Code >= DW_OP_reg0 && Code <= DW_OP_reg31)
      return InRegister(Code - DW_OP_reg0);
    if (Code >= DW_OP_breg0 && Code <= DW_OP_breg31) {
      if (Error E = Add(registerValue(Code - DW_OP_breg0), A))
        return E;
      continue;
    }
    const unsigned Takes =
        is_contained({DW_OP_plus, DW_OP_minus, DW_OP_mul, DW_OP_and, DW_OP_or,
                      DW_OP_xor, DW_OP_shl, DW_OP_shr, DW_OP_shra, DW_OP_swap},
                     Code)
            ? 2
        : is_contained({DW_OP_dup, DW_OP_drop, DW_OP_neg, DW_OP_not,
                        DW_OP_plus_uconst, DW_OP_deref, DW_OP_deref_size,
                        DW_OP_stack_value},
                       Code)
            ? 1
            : 0;
    if (Stack.size() < Takes)
      return Broken();
    uint64_t *Top = Stack.empty() ? nullptr : &Stack.back();
    auto Binary = [&](auto F) {
      uint64_t Y = Stack.pop_back_val();
      Stack.back() = F(Stack.back(), Y) & Mask;
    };
    switch (Code) {
    case DW_OP_addr:
      if (Error E = Add(Found{A, AddressRecipe::constant(A)}, Slide))
        return E;
      break;
    case DW_OP_addrx:
    case DW_OP_GNU_addr_index: {
      auto Address = Unit.getAddrOffsetSectionItem(uint32_t(A));
      if (!Address)
        return Broken();
      if (Error E = Add(Found{Address->Address,
                              AddressRecipe::constant(Address->Address)},
                        Slide))
        return E;
      break;
    }
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
      Stack.push_back(A);
      break;
    case DW_OP_regx:
      return InRegister(A);
    case DW_OP_bregx:
      if (Error E = Add(registerValue(A), B))
        return E;
      break;
    case DW_OP_fbreg:
      if (Error E = Add(frameBase(Function, Depth), A))
        return E;
      break;
    case DW_OP_call_frame_cfa:
      if (Error E = Add(canonicalFrame(), 0))
        return E;
      break;
    case DW_OP_plus_uconst:
      *Top += A;
      How = std::move(Before);
      if (How)
        How->add(A);
      break;
    case DW_OP_plus:
      Binary([](uint64_t X, uint64_t Y) { return X + Y; });
      break;
    case DW_OP_minus:
      Binary([](uint64_t X, uint64_t Y) { return X - Y; });
      break;
    case DW_OP_mul:
      Binary([](uint64_t X, uint64_t Y) { return X * Y; });
      break;
    case DW_OP_and:
      Binary([](uint64_t X, uint64_t Y) { return X & Y; });
      break;
    case DW_OP_or:
      Binary([](uint64_t X, uint64_t Y) { return X | Y; });
      break;
    case DW_OP_xor:
      Binary([](uint64_t X, uint64_t Y) { return X ^ Y; });
      break;
    case DW_OP_shl:
      Binary([](uint64_t X, uint64_t Y) { return Y < 64 ? X << Y : 0; });
      break;
    case DW_OP_shr:
      Binary(
          [&](uint64_t X, uint64_t Y) { return Y < 64 ? (X & Mask) >> Y : 0; });
      break;
    case DW_OP_shra:
      Binary([&](uint64_t X, uint64_t Y) {
        return uint64_t(SignExtend64(X & Mask, 8 * Unit.getAddressByteSize()) >>
                        std::min<uint64_t>(Y, 63));
      });
      break;
    case DW_OP_neg:
      *Top = (0 - *Top) & Mask;
      break;
    case DW_OP_not:
      *Top = ~*Top & Mask;
      break;
    case DW_OP_dup:
      Stack.push_back(uint64_t(*Top));
      break;
    case DW_OP_drop:
      Stack.pop_back();
      break;
    case DW_OP_swap:
      std::swap(Stack.back(), Stack[Stack.size() - 2]);
      break;
    case DW_OP_deref:
    case DW_OP_deref_size: {
      uint64_t Size = Code == DW_OP_deref ? Unit.getAddressByteSize() : A;
      if (Size == 0 || Size > 8)
        return Broken();
      auto N = memory(Stack.pop_back_val() & Mask, Size, Object.has_value());
      if (!N)
        return N.takeError();
      Stack.push_back(*N);
      How = std::move(Before);
      if (How) {
        How->mask(Mask);
        How->load(Size);
      }
      break;
    }
    case DW_OP_entry_value:
    case DW_OP_GNU_entry_value: {
      // The operations in its block follow as if they were of this program.
      const uint64_t Begin = Op.getEndOffset(), End = Begin + A;
      if (A > Expr.size() || End > Expr.size())
        return Broken();
      auto N = entryValue(Expr.slice(Begin, A), Unit, Function);
      if (!N)
        return N.takeError();
      Stack.push_back(*N);
      Typed = Expr[Begin] == DW_OP_regval_type;
      auto Inner = It;
      for (++Inner; Inner != Program.end() && !Inner->isError() &&
                    Inner->getEndOffset() <= End;
           ++Inner)
        It = Inner;
      break;
    }
    case DW_OP_regval_type:
      if (Error E = Add(registerValue(A), 0))
        return E;
      Typed = true;
      break;
    case DW_OP_stack_value:
      IsValue = true;
      if (!Last)
        return userError("it lies in pieces");
      break;
    case DW_OP_implicit_value: {
      if (!Last || A > Expr.size())
        return Last ? Broken() : userError("it lies in pieces");
      P.Where = VariablePlace::Constant;
      P.Bytes.assign(Expr.end() - A, Expr.end());
      return P;
    }
    case DW_OP_piece:
    case DW_OP_bit_piece:
      return userError("it lies in pieces");
    case DW_OP_nop:
      How = std::move(Before);
      break;
    case DW_OP_form_tls_address:
    case DW_OP_GNU_push_tls_address:
      return userError(ThreadLocal.drop_front());
    default:
      return Unused(Code);
    }
  }
  if (Stack.empty())
    return Broken();
  if (!IsValue) {
    P.Addr = Stack.back() & Mask;
    P.How = std::move(How);
    if (P.How)
      P.How->mask(Mask);
    return P;
  }
  P.Where = VariablePlace::Constant;
  for (unsigned I = 0; I < 8; ++I)
    P.Bytes.push_back(uint8_t(Stack.back() >> 8 * (Little ? I : 7 - I)));
  return P;
}

} // namespace rw
