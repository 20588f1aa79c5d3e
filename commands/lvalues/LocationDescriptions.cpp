//===- LocationDescriptions.cpp - What descriptions of places say ---------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/lvalues/FrameState.h"
#include "commands/support/DwarfAttributes.h"
#include "commands/support/Format.h"
#include "core/store/TraceStore.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/DebugInfo/DWARF/DWARFUnit.h"
#include "llvm/DebugInfo/DWARF/LowLevel/DWARFExpression.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace rw {

static constexpr unsigned MostSteps = 10000;

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
  bool Converted = false; // to an integer that is not an address's size
  // POWER keeps a float as a double.
  const Arch Its = S.Store.header().Architecture;
  const bool KeepsBits = Its != Arch::PPC64 && Its != Arch::PPC64LE;
  for (auto It = Program.begin(); It != Program.end(); ++It) {
    const DWARFExpression::Operation &Op = *It;
    const uint8_t Code = Op.getCode();
    if (Typed && (Code != DW_OP_stack_value || !KeepsBits))
      return Unused(DW_OP_regval_type);
    if (Converted && Code != DW_OP_stack_value && Code != DW_OP_convert)
      return Unused(DW_OP_convert);
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
    const uint64_t Takes =
        is_contained({DW_OP_plus, DW_OP_minus, DW_OP_mul, DW_OP_and, DW_OP_or,
                      DW_OP_xor, DW_OP_shl, DW_OP_shr, DW_OP_shra, DW_OP_swap,
                      DW_OP_div, DW_OP_mod, DW_OP_over, DW_OP_eq, DW_OP_ne,
                      DW_OP_lt, DW_OP_le, DW_OP_gt, DW_OP_ge},
                     Code)
            ? 2
        : is_contained({DW_OP_dup, DW_OP_drop, DW_OP_neg, DW_OP_not, DW_OP_abs,
                        DW_OP_plus_uconst, DW_OP_deref, DW_OP_deref_size,
                        DW_OP_convert, DW_OP_bra, DW_OP_stack_value},
                       Code)
            ? 1
        : Code == DW_OP_rot  ? 3
        : Code == DW_OP_pick ? A + 1
                             : 0;
    if (Stack.size() < Takes)
      return Broken();
    uint64_t *Top = Stack.empty() ? nullptr : &Stack.back();
    NeedsUpper |= is_contained({DW_OP_shr, DW_OP_shra, DW_OP_div, DW_OP_mod,
                                DW_OP_abs, DW_OP_eq, DW_OP_ne, DW_OP_lt,
                                DW_OP_le, DW_OP_gt, DW_OP_ge, DW_OP_bra},
                               Code);
    auto Binary = [&](auto F) {
      uint64_t Y = Stack.pop_back_val();
      Stack.back() = F(Stack.back(), Y) & Mask;
    };
    auto asSigned = [&](uint64_t N) {
      return SignExtend64(N & Mask, 8 * Unit.getAddressByteSize());
    };
    auto Compare = [&](auto Holds) {
      Binary([&](uint64_t X, uint64_t Y) -> uint64_t {
        return Holds(asSigned(X), asSigned(Y));
      });
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
        return uint64_t(asSigned(X) >> std::min<uint64_t>(Y, 63));
      });
      break;
    case DW_OP_div:
    case DW_OP_mod:
      if ((Stack.back() & Mask) == 0)
        return userError("where it is depends on a division by zero");
      Binary([&](uint64_t X, uint64_t Y) {
        // Only the quotient has a sign (DWARF 5, 2.5.1.4). What does not fit
        // wraps around.
        if (Code == DW_OP_mod)
          return (X & Mask) % (Y & Mask);
        return asSigned(Y) == -1 ? 0 - X : uint64_t(asSigned(X) / asSigned(Y));
      });
      break;
    case DW_OP_eq:
      Compare(std::equal_to<>());
      break;
    case DW_OP_ne:
      Compare(std::not_equal_to<>());
      break;
    case DW_OP_lt:
      Compare(std::less<>());
      break;
    case DW_OP_le:
      Compare(std::less_equal<>());
      break;
    case DW_OP_gt:
      Compare(std::greater<>());
      break;
    case DW_OP_ge:
      Compare(std::greater_equal<>());
      break;
    case DW_OP_abs:
      if (asSigned(*Top) < 0)
        *Top = (0 - *Top) & Mask;
      break;
    case DW_OP_over:
      Stack.push_back(uint64_t(Stack[Stack.size() - 2]));
      break;
    case DW_OP_pick:
      Stack.push_back(uint64_t(Stack[Stack.size() - 1 - A]));
      break;
    case DW_OP_rot:
      std::rotate(Stack.end() - 3, Stack.end() - 1, Stack.end());
      break;
    case DW_OP_skip:
    case DW_OP_bra: {
      if (Code == DW_OP_bra && !Stack.pop_back_val())
        break;
      const uint64_t To = Op.getEndOffset() + uint64_t(int64_t(int16_t(A)));
      if (To == Op.getEndOffset())
        break;
      // On to the operation before the one there.
      std::optional<DWARFExpression::iterator> Previous;
      uint64_t At = 0;
      for (auto I = Program.begin(); I != Program.end() && !I->isError(); ++I) {
        if (I->getEndOffset() == To)
          Previous = I;
        At = I->getEndOffset();
      }
      if (To == 0 || !Previous || To > At)
        return Unused(Code);
      It = *Previous;
      break;
    }
    case DW_OP_convert: {
      if (!A) {
        Converted = false;
        break;
      }
      const DWARFDie T = Unit.getDIEForOffset(Unit.getOffset() + A);
      const uint64_t Encoding =
          T ? dwarfConstant(T, DW_AT_encoding).value_or(0) : 0;
      const uint64_t Size =
          T ? dwarfConstant(T, DW_AT_byte_size).value_or(0) : 0;
      const bool Signed =
          is_contained({DW_ATE_signed, DW_ATE_signed_char}, Encoding);
      if (!Size || Size > 8 ||
          (!Signed && !is_contained({DW_ATE_unsigned, DW_ATE_unsigned_char,
                                     DW_ATE_boolean, DW_ATE_address},
                                    Encoding)))
        return Unused(Code);
      *Top = Signed ? uint64_t(SignExtend64(*Top, 8 * Size))
                    : *Top & maskTrailingOnes<uint64_t>(8 * Size);
      Converted = true;
      break;
    }
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
      Stack.push_back(SignsLower && Size == 4 ? uint64_t(SignExtend64<32>(*N))
                                              : *N);
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
      Stack.push_back(SignsLower ? uint64_t(SignExtend64<32>(*N)) : *N);
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
