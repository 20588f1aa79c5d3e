//===- LvalueCasts.cpp - Casts, and pointers that are computed ------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pointer that a cast makes is a constant to what follows: "->", "[" and "*"
// lead on from it. Numbers are cast by Expression.
//
//===----------------------------------------------------------------------===//

#include "commands/lvalues/LvalueParser.h"
#include "commands/support/DebugNames.h"
#include "commands/support/UnknownName.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace rw {

size_t closedAt(StringRef Text, char Open, char Close) {
  unsigned Depth = 1;
  for (size_t I = 0; I < Text.size(); ++I) {
    const bool IsArrow = Close == '>' && I && Text[I - 1] == '-';
    Depth += Text[I] == Open;
    if (Text[I] == Close && !IsArrow && !--Depth)
      return I;
  }
  return StringRef::npos;
}

size_t bracketed(StringRef Text) {
  const char Open = Text.front();
  const char Close = Open == '(' ? ')' : Open == '[' ? ']' : '>';
  const size_t End = closedAt(Text.drop_front(), Open, Close);
  return End == StringRef::npos ? Text.size() : End + 2;
}

StringRef castOperand(StringRef Text) {
  StringRef Left = Text;
  auto skip = [&](size_t N) { Left = Left.drop_front(N).ltrim(" \t"); };
  skip(0);
  for (;;) {
    skip(Left.size() - Left.ltrim("*&-+~! \t").size());
    if (!Left.starts_with("("))
      break;
    skip(bracketed(Left));
    // What follows a cast.
    if (Left.empty() || (!isWord(Left.front()) && Left.front() != '('))
      break;
  }
  for (;;) {
    if (const size_t Word = Left.take_while(isWord).size())
      skip(Word);
    else if (Left.starts_with("::") || Left.starts_with("->"))
      skip(2);
    else if (Left.starts_with("."))
      skip(1);
    else if (Left.starts_with("[") || Left.starts_with("("))
      skip(bracketed(Left));
    else
      break;
  }
  return Text.drop_back(Left.size()).rtrim();
}

/// A constant of type \p To, for what is computed of \p N.
Lvalue LvalueParser::constant(const CastTo &To, uint64_t N,
                              std::optional<AddressRecipe> How) const {
  Lvalue L;
  L.Type = To.Type;
  L.Number = To.Number;
  L.Pointers = To.Pointers;
  L.At.Where = VariablePlace::Constant;
  L.At.How = std::move(How);
  for (unsigned B = 0; B < 8; ++B)
    L.At.Bytes.push_back(uint8_t(N >> 8 * B));
  if (S.Store.header().Order == ByteOrder::Big)
    std::reverse(L.At.Bytes.begin(), L.At.Bytes.end());
  return L;
}

/// The pointer \p P to a class as one to \p To: a base of the class, or derived
/// from it, lies elsewhere in the object.
Expected<uint64_t> LvalueParser::asClass(DWARFDie From, DWARFDie To,
                                         PointerValue &P) const {
  From = strippedType(From);
  To = strippedType(To);
  if (!From || !To || !isClass(From) || !isClass(To) ||
      typeName(From) == typeName(To))
    return P.Value;
  const std::string Wanted = typeName(To);
  const auto Up = Source.Types.bases(From, Wanted);
  const auto Down = Source.Types.bases(To, typeName(From));
  if (Up.size() + Down.size() > 1)
    return userError("'" + Text + "': " + typeName(From) + " and " + Wanted +
                     " are bases of one another in more than one way");
  if (Up.size() + Down.size() == 0)
    return P.Value;
  const auto &Only = Up.empty() ? Down[0] : Up[0];
  if (Only) {
    const uint64_t By = Up.empty() ? 0 - *Only : *Only;
    if (P.How)
      P.How->add(By);
    return P.Value + By;
  }
  P.How.reset();
  if (!Up.empty())
    for (const DwarfTypes::Found &V : Source.Types.virtualBases(From))
      if (typeName(strippedType(typeOf(V.Member))) == Wanted)
        return baseAddress(V, P.Value + V.Bits / 8);
  return userError("'" + Text +
                   "': where a virtual base lies only the object tells; LLDB "
                   "may know it");
}

/// A cast of what comes next. \p Converts: not as reinterpret_cast.
Expected<Lvalue> LvalueParser::cast(CastTo To, StringRef Its, bool Converts) {
  const StringRef After = Rest.drop_front(Its.end() - Rest.begin());
  const DWARFDie Plain = To.Pointers ? DWARFDie() : strippedType(To.Type);
  if (Plain && isClass(Plain))
    return userError("'" + Text +
                     "': only numbers, enumerations and pointers are cast; "
                     "of an object, ask for its base's members");
  if (Its.empty())
    return userError("'" + Text + "': what is cast is missing");
  // A typedef of a pointer.
  if (Plain && Plain.getTag() == DW_TAG_pointer_type) {
    To.Type = typeOf(Plain);
    To.Pointers = 1;
  }
  if (TypesOnly) {
    Rest = After;
    return constant(To, 0, std::nullopt);
  }
  const StringRef Begin = Rest;
  const bool Address = eat("&");
  const bool Explains = std::exchange(Suggests, false);
  auto L = unary();
  Suggests = Explains;
  if (L && Rest.ltrim().size() == After.ltrim().size()) {
    auto P = pointer(*L, Address);
    if (!P)
      return P.takeError();
    if (Converts && To.Pointers == 1 && P->Value) {
      auto Class = asClass(P->To, To.Type, *P);
      if (!Class)
        return Class.takeError();
      P->Value = *Class;
    }
    return constant(To, P->Value, std::move(P->How));
  }
  // A value of its own, or what is known is where it is.
  if (!L && L.errorIsA<UnknownValue>())
    return L.takeError();
  Rest = Begin;
  auto V = Source.compute(Its, At);
  Rest = After;
  // A register may be called as a variable that is not there.
  if (!L && L.errorIsA<NoSuchName>() && V && V->Type.Float)
    return L.takeError();
  consumeError(L.takeError());
  if (!V)
    return V.takeError();
  if (V->Type.Float)
    return userError("'" + Text + "': " + Its + " is no whole number");
  if (!V->Value)
    return make_error<UnknownValue>("'" + Text + "': what " + Its +
                                    " is is not known at that place");
  return constant(To, *V->Value, std::nullopt);
}

/// What \p L is as a number, or its address; of an array, where it begins.
Expected<LvalueParser::PointerValue> LvalueParser::pointer(const Lvalue &L,
                                                           bool Address) {
  PointerValue P;
  const DWARFDie T = L.Pointers ? DWARFDie() : strippedType(L.Type);
  const bool Array = T && T.getTag() == DW_TAG_array_type;
  if (!Address && !Array) {
    auto N = number(L);
    if (!N)
      return N.takeError();
    P.Value = *N;
    P.How = howToLoad(L);
    if (L.Pointers) {
      P.To = L.Type;
      P.Number = L.Number;
      P.More = L.Pointers - 1;
    } else if (T && T.getTag() == DW_TAG_pointer_type) {
      P.To = typeOf(T);
    } else {
      P.IsNumber = true;
    }
    return P;
  }
  auto O = addressOf(L);
  if (!O)
    return O.takeError();
  P.Value = *O->Value;
  P.How = recipe(L, 0);
  P.To = L.Type;
  P.Number = L.Number;
  P.More = L.Pointers;
  if (Array && !Address) {
    const bool Last = L.Dimension + 1 >= dimensions(T).size();
    P.To = Last ? typeOf(T) : L.Type;
    P.Dimension = Last ? 0 : L.Dimension + 1;
  } else {
    P.Dimension = L.Dimension;
  }
  return P;
}

/// The address of what comes next, behind its '&'.
Expected<Lvalue> LvalueParser::addressed() {
  auto L = unary();
  if (!L)
    return L.takeError();
  auto P = TypesOnly ? Expected<PointerValue>(PointerValue())
                     : pointer(*L, /*Address=*/true);
  if (!P)
    return P.takeError();
  if (L->Dimension)
    return make_error<NotUnderstood>(
        "'" + read() +
        "': the address of a part of an array of arrays has a "
        "type that is not known here");
  CastTo To;
  To.Type = L->Type;
  To.Number = L->Number;
  To.Pointers = L->Pointers + 1;
  return constant(To, P->Value, std::move(P->How));
}

/// "p - q", of which the rest is next, behind the '-'; \p Each has one of what
/// they point to.
Expected<Lvalue> LvalueParser::difference(uint64_t From, uint64_t Each) {
  auto L = unary();
  if (!L)
    return L.takeError();
  auto P = pointer(*L, /*Address=*/false);
  if (!P)
    return P.takeError();
  Lvalue Element;
  Element.Type = P->To;
  Element.Number = P->Number;
  Element.Pointers = P->More;
  const int64_t Bytes = int64_t(From - P->Value);
  if (P->IsNumber || P->Dimension || describe(Element)->Size != Each ||
      Bytes % int64_t(Each))
    return make_error<NotUnderstood>(
        "'" + Text +
        "': only pointers to elements of the same array have a "
        "difference");
  CastTo To;
  To.Number = Source.Types.number("long");
  return constant(To, uint64_t(Bytes / int64_t(Each)), std::nullopt);
}

/// "+ i - 1" that comes next, up to an operator that binds less, a bracket that
/// is closed, or the end; empty if no sum comes.
StringRef LvalueParser::sumAhead() {
  skipSpace();
  const StringRef Its = Rest.take_front(closedAt(Rest, '(', ')'));
  if ((!Its.starts_with("+") && !Its.starts_with("-")) || Its.starts_with("->"))
    return {};
  unsigned Depth = 0;
  bool Operand = false; // it ends here: '&' takes no address
  for (size_t I = 0; I < Its.size(); ++I) {
    const char C = Its[I];
    Depth += StringRef("([").contains(C);
    Depth -= StringRef(")]").contains(C) && Depth;
    if (Its.substr(I).starts_with("->") || Its.substr(I).starts_with("::"))
      ++I;
    else if (!Depth && (StringRef("=<>?:|^,").contains(C) ||
                        (StringRef("&!").contains(C) && Operand)))
      return Its.take_front(I).rtrim();
    if (!isSpace(C))
      Operand = isWord(C) || C == ')' || C == ']';
  }
  return Its;
}

/// "p + i": \p L with the sum that comes next, up to \p End.
Expected<Lvalue> LvalueParser::sum(Lvalue L, StringRef Its) {
  const StringRef After = Rest.drop_front(Its.end() - Rest.begin());
  if (!is_contained({TypeKind::Pointer, TypeKind::Text, TypeKind::Array},
                    describe(L)->Kind))
    return notUnderstood(Its);
  auto P = pointer(L, /*Address=*/false);
  if (!P)
    return P.takeError();
  if (P->IsNumber || P->Dimension)
    return notUnderstood(Its);
  CastTo To;
  Lvalue Element;
  To.Type = Element.Type = P->To;
  To.Number = Element.Number = P->Number;
  To.Pointers = P->More + 1;
  Element.Pointers = P->More;
  const uint64_t Each = describe(Element)->Size;
  if (!Each)
    return userError("'" + Text + "': the size of what '" + read() +
                     "' points to is not known");
  if (TypesOnly) {
    Rest = After;
    return constant(To, 0, std::nullopt);
  }
  const StringRef Begin = Rest;
  if (eat("-")) {
    const SaveAndRestore Quietly(Suggests, false);
    auto Between = difference(P->Value, Each);
    if (Between && Rest.ltrim().size() == After.ltrim().size())
      return Between;
    consumeError(Between.takeError());
    Rest = Begin;
  }
  auto V = Source.compute(Its, At);
  if (!V)
    return V.takeError();
  if (V->Type.Float || V->Type.Address)
    return userError("'" + Text + "': " + Its + " is no whole number");
  if (!V->Value)
    return make_error<UnknownValue>("'" + Text + "': what " + Its +
                                    " is is not known at that place");
  auto By = offsetOf(P->Value, int64_t(*V->Value), Each);
  if (!By)
    return By.takeError();
  Rest = After;
  auto Index = compiledIndex({Its, int64_t(*V->Value), Each});
  if (P->How && Index)
    P->How->element(std::move(*Index), Each);
  else
    P->How.reset();
  return constant(To, P->Value + *By, std::move(P->How));
}

/// "static_cast<T>(e)" and its kin, behind its name.
Expected<Lvalue> LvalueParser::namedCast(StringRef Name) {
  if (!eat("<"))
    return userError("'" + Text + "': a type is wanted behind " + Name);
  auto To = castType('>');
  if (!To)
    return To.takeError();
  if (!*To || !Rest.ltrim().starts_with("("))
    return userError("'" + Text + "': " + Name +
                     "<type>(expression) is understood, of types that the "
                     "debug information has");
  eat("(");
  auto L = cast(**To, Rest.take_front(closedAt(Rest, '(', ')')),
                Name != "reinterpret_cast");
  if (L && !eat(")"))
    return userError("'" + Text + "': a ) is missing");
  return L;
}

} // namespace rw
