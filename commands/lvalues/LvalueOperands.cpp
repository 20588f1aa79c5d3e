//===- LvalueOperands.cpp - Lvalues in expressions of C -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/lvalues/LvalueParser.h"
#include "commands/support/AddressExpression.h"
#include "commands/support/Format.h"
#include "commands/support/SessionInput.h"
#include "commands/support/UnknownName.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/bit.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace rw {

OperandSource::Operand LvalueParser::address(uint64_t Addr) const {
  Operand O;
  O.Type.Bytes = S.Store.header().Architecture == Arch::Arm ? 4 : 8;
  O.Type.Signed = false;
  O.Type.Address = true;
  O.Value = Addr;
  return O;
}

/// An unscoped enumeration is an int to an operator if that has all its values.
static bool fitsInt(const Type &T) {
  return T.Kind == TypeKind::Enum && T.Size == 4 &&
         all_of(T.Enumerators, [](const Type::Enumerator &E) {
           return E.Value <= uint64_t(INT32_MAX);
         });
}

Expected<OperandSource::Operand> LvalueParser::addressOf(const Lvalue &L) {
  if (L.FieldWidth)
    return userError("'" + read() + "': a bit-field has no address");
  if (L.At.Where != VariablePlace::Memory)
    return userError("'" + read() +
                     "' has no address here: it is not in memory");
  return address(L.At.Addr + L.Offset);
}

Expected<OperandSource::Operand> LvalueParser::valueOf(const Lvalue &L) {
  const DWARFDie D = L.Pointers ? DWARFDie() : strippedType(L.Type);
  TypeRef T = describe(L);
  // As C has it, an array is where it begins.
  if (T->Kind == TypeKind::Array ||
      (D && D.getTag() == DW_TAG_subroutine_type)) {
    Operand O = address(0);
    O.Value.reset();
    return TypesOnly ? Expected<Operand>(O) : addressOf(L);
  }
  const std::string Named = T->Name.empty() ? "" : " (" + T->Name + ")";
  const bool Real = T->Kind == TypeKind::Float;
  if (!T->isScalar())
    return userError("'" + read() + "'" + Named +
                     " is no number and no pointer: ask for a part of it");
  if (Real && T->Float != FloatKind::Single && T->Float != FloatKind::Double)
    return userError("'" + read() + "'" + Named +
                     ": of floating-point numbers, only float and double are "
                     "computed here");
  if (!T->Size || T->Size > 8)
    return userError("'" + read() + "'" + Named + " has " + Twine(T->Size) +
                     " bytes: at most 8 are computed here");
  Operand O;
  O.IsBits = L.FieldWidth != 0;
  const bool Pointer =
      T->Kind == TypeKind::Pointer || T->Kind == TypeKind::Text;
  const bool Signed = T->Signed || (!L.FieldWidth && fitsInt(*T));
  if (Pointer)
    O.Type = address(0).Type;
  else
    O.Type = {uint8_t(T->Size), Signed || Real, Real};
  unsigned Bits = unsigned(8 * T->Size);
  if (L.FieldWidth) {
    Bits = L.FieldWidth;
    // An int holds all values of a shorter field.
    if (Bits < 32 || (Bits == 32 && Signed))
      O.Type = NumberType();
  }
  if (TypesOnly)
    return O;
  auto V = value(L);
  if (V.errorIsA<UnknownValue>()) {
    consumeError(V.takeError());
    return O;
  }
  if (!V)
    return V.takeError();
  auto N = V->number();
  if (!N)
    return O;
  if (Real)
    O.Value =
        bit_cast<uint64_t>(T->Size == 4 ? double(bit_cast<float>(uint32_t(*N)))
                                        : bit_cast<double>(*N));
  else if (T->Kind == TypeKind::Bool)
    O.Value = *N != 0;
  else
    O.Value = Signed && Bits < 64 ? uint64_t(SignExtend64(*N, Bits)) : *N;
  return O;
}

/// What a name means before it is a variable's.
std::optional<OperandSource::Operand>
LvalueParser::ownName(StringRef Name) const {
  if (Name == "true" || Name == "false") {
    Operand O;
    O.Type = {1, false};
    O.Value = Name == "true";
    return O;
  }
  if (Name == "NULL" || Name == "nullptr")
    return address(0);
  return std::nullopt;
}

Expected<std::optional<OperandSource::Operand>>
LvalueParser::registerNamed(StringRef Name) {
  const RegisterInfo *R = S.Store.registerFile().find(Name);
  if (!R)
    return std::nullopt;
  const bool Real = R->Format == RegisterFormat::Float;
  if (R->Format == RegisterFormat::Vector || R->Slice.Size > 8 ||
      (Real && R->Slice.Size < 4))
    return userError("the register " + Name +
                     " is no number of at most 8 bytes");
  Operand O;
  O.Type = {uint8_t(R->Slice.Size), Real, Real};
  SessionInput Input(S, At);
  auto V = R->IsPC ? Input.pc() : Input.readRegister(R->Slice);
  if (!V)
    return V.takeError();
  O.Value = *V;
  if (Real && O.Value && R->Slice.Size == 4)
    O.Value = bit_cast<uint64_t>(double(bit_cast<float>(uint32_t(*O.Value))));
  return O;
}

Expected<const TypeIndex::Enumerator *>
LvalueParser::enumerator(StringRef Name) {
  if (Error E = findScopes())
    return E;
  auto Found = Source.types().enumerators(Name);
  // Those of the file come first.
  if (Unit)
    if (auto Here = llvm::find_if(Found,
                                  [&](const TypeIndex::Enumerator *E) {
                                    return E->Enum.getDwarfUnit()->getUnitDIE(
                                               false) == Unit;
                                  });
        Here != Found.end())
      Found = {*Here};
  for (const TypeIndex::Enumerator *E : Found)
    if (E->Value != Found[0]->Value)
      return userError("'" + Name + "' is ambiguous: " + Found[0]->Name +
                       " is " + Twine(Found[0]->Value) + ", " + E->Name +
                       " is " + Twine(E->Value));
  return Found.empty() ? nullptr : Found[0];
}

/// What a name means that no variable has.
Expected<std::optional<OperandSource::Operand>>
LvalueParser::otherName(StringRef Name) {
  auto Found = enumerator(Name);
  if (!Found)
    return Found.takeError();
  if (const TypeIndex::Enumerator *E = *Found) {
    Operand O;
    O.Value = uint64_t(E->Value);
    if (!isInt<32>(E->Value)) {
      TypeRef T = Source.Types.describe(E->Enum);
      O.Type = {uint8_t(T->Size > 4 ? 8 : 4), T->Signed};
    }
    return O;
  }
  if (auto Register = registerNamed(Name); !Register || *Register)
    return Register;
  if (!S.Symbols)
    return std::nullopt;
  const auto Symbols = S.Symbols->findSymbol(Name);
  if (Symbols.size() > 1)
    return userError("'" + Name + "' is ambiguous: " + Twine(Symbols.size()) +
                     " symbols have that name");
  if (Symbols.empty())
    return std::nullopt;
  // An object without a type has no value that is known here.
  if (!S.Symbols->symbolizeCode(Symbols[0].Start))
    return userError("'" + Name +
                     "': the debug information does not tell its type");
  // A pointer to a function of Thumb has its lowest bit set, or not: which the
  // symbol does not tell.
  if (S.Store.header().Architecture == Arch::Arm)
    return userError("'" + Name +
                     "': functions of Arm are not compared here, as the state "
                     "of the processor is in the lowest bit of their pointers; "
                     "compare with a number");
  return address(Symbols[0].Start);
}

Expected<OperandSource::Operand> LvalueParser::sizeOf(StringRef Wanted) {
  if (Error E = findScopes())
    return E;
  const SaveAndRestore Only(TypesOnly, true);
  Text = Rest = Wanted;
  Operand O;
  auto L = typeAlone();
  if (!L)
    return L.takeError();
  if (!*L) {
    auto Its = unary();
    if (!Its)
      return Its.takeError();
    *L = std::move(*Its);
  }
  O.Length = Text.size() - Rest.size();
  const uint64_t Size = describe(**L)->Size;
  if ((*L)->FieldWidth)
    return userError("'" + read() + "': a bit-field has no size in bytes");
  if (!Size)
    return userError("'" + read() +
                     "': the debug information does not tell its size");
  O.Value = Size;
  return O;
}

Expected<OperandSource::Operand> LvalueParser::operand(StringRef Wanted) {
  if (Error E = findScopes())
    return E;
  Text = Rest = Wanted;
  auto Done = [&](Operand O) {
    O.Length = Text.size() - Rest.size();
    return O;
  };
  const bool Address = eat("&");
  skipSpace();
  const StringRef Begin = Rest, Name = qualified(), After = Rest.ltrim();
  const bool Alone = !Name.empty() && !After.starts_with(".") &&
                     !After.starts_with("->") && !After.starts_with("[");
  if (Alone && !Address) {
    if (auto Own = ownName(Name))
      return Done(*Own);
  }
  Rest = Begin;
  const bool Explains = std::exchange(Suggests, Suggests && !Alone);
  auto L = unary();
  Suggests = Explains;
  if (L.errorIsA<UnknownName>() && Alone) {
    auto Other = otherName(Name);
    if (!Other || *Other || Suggests)
      consumeError(L.takeError());
    if (!Other)
      return Other.takeError();
    if (*Other) {
      Rest = Begin.drop_front(Name.size());
      return Done(**Other);
    }
    if (Suggests) {
      Rest = Begin;
      L = unary();
    }
  }
  if (L.errorIsA<UnknownValue>()) {
    // Where it is, or what it leads to, is not known: its type may be. What is
    // behind that was not read yet.
    consumeError(L.takeError());
    const StringRef End = Rest;
    const SaveAndRestore Only(TypesOnly, true);
    Rest = Begin;
    L = unary();
    if (L && !Address) {
      auto O = valueOf(*L);
      return O ? Done(*O) : std::move(O);
    }
    if (!L)
      Rest = End;
    consumeError(L.takeError());
    Operand O;
    O.Typed = false;
    return Done(O);
  }
  Text = Text.take_front(Text.size() - Rest.size());
  Rest = "";
  if (!L)
    return L.takeError();
  auto O = Address ? addressOf(*L) : valueOf(*L);
  if (!O)
    return O.takeError();
  O->Length = Text.size();
  return *O;
}

Expected<OperandSource::Operand> LvalueParser::sumOf(StringRef Wanted) {
  if (Error E = findScopes())
    return E;
  auto read = [&]() -> Expected<Lvalue> {
    Text = Rest = Wanted;
    auto L = unary();
    if (!L)
      return L;
    const StringRef Its = sumAhead();
    if (Its.empty())
      return make_error<NotUnderstood>("'" + Wanted + "' is no sum");
    return sum(std::move(*L), Its);
  };
  Operand O = address(0);
  O.Value.reset();
  auto L = read();
  if (L.errorIsA<UnknownValue>()) {
    consumeError(L.takeError());
    const SaveAndRestore Only(TypesOnly, true);
    L = read();
    O.Length = Text.size() - Rest.size();
    return L ? Expected<Operand>(O) : L.takeError();
  }
  if (!L)
    return L.takeError();
  const size_t Length = Text.size() - Rest.size();
  auto V = valueOf(*L);
  if (V)
    V->Length = Length;
  return V;
}

std::optional<DataType> LvalueParser::type(StringRef Name) {
  consumeError(findScopes());
  return Source.names()->at(PC)->type(Name);
}

std::optional<bool> LvalueParser::signedChar() {
  consumeError(findScopes());
  return Source.names()->at(PC)->signedChar();
}

} // namespace rw
