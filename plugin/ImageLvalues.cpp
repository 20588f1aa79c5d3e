//===- ImageLvalues.cpp - Lvalues that LLDB has no place for --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/ImageLvalues.h"
#include "commands/support/ElfSymbols.h"
#include "commands/support/Format.h"
#include "commands/support/UnknownName.h"
#include "core/store/TraceStore.h"
#include "core/support/Words.h"
#include "core/types/LibraryValue.h"
#include "lldb/API/LLDB.h"
#include "plugin/FoldedExpression.h"
#include "plugin/UnknownVariables.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace rw;
using namespace lldb;

bool rw::isInnermost(SBFrame Frame) {
  if (Frame.GetFrameID() != 0)
    return false;
  SBBlock Its = Frame.GetBlock().GetContainingInlinedBlock();
  SBBlock There = Frame.GetThread()
                      .GetProcess()
                      .GetTarget()
                      .ResolveSymbolContextForAddress(Frame.GetPCAddress(),
                                                      eSymbolContextBlock)
                      .GetBlock()
                      .GetContainingInlinedBlock();
  if (!Its.IsValid() || !There.IsValid())
    return Its.IsValid() == There.IsValid();
  return llvm::StringRef(Its.GetInlinedName()) == There.GetInlinedName() &&
         Its.GetRangeStartAddress(0) == There.GetRangeStartAddress(0);
}

/// Whether \p Name is a local variable or parameter in \p Frame, or a member of
/// its object.
static bool isLocal(SBFrame Frame, const std::string &Name) {
  SBValue V = Frame.FindVariable(Name.c_str());
  if (V.IsValid())
    return V.GetValueType() != eValueTypeVariableGlobal &&
           V.GetValueType() != eValueTypeVariableStatic;
  SBValue Object = Frame.FindVariable("this");
  return Object.IsValid() &&
         Object.GetChildMemberWithName(Name.c_str()).IsValid();
}

/// Whether \p Expression is about global variables alone, and so means in
/// \p Frame what it means in the innermost one.
static bool isOfGlobals(SBFrame Frame, llvm::StringRef Expression) {
  SBThread Thread = Frame.GetThread();
  SBTarget Target = Thread.GetProcess().GetTarget();
  SBFrame Innermost = Thread.GetFrameAtIndex(0);
  if (Expression.find_first_of("\"'$") != llvm::StringRef::npos)
    return false;
  bool Any = false;
  for (size_t I = nextOperand(Expression, 0), End; I < Expression.size();
       I = nextOperand(Expression, std::max(End, I + 1))) {
    End = endOfName(Expression, I);
    if (End == I)
      continue;
    const std::string Name = Expression.slice(I, End).str();
    if (isLocal(Frame, Name) || isLocal(Innermost, Name) ||
        Target.FindGlobalVariables(Name.c_str(), 2).GetSize() != 1)
      return false;
    Any = true;
  }
  return Any;
}

bool rw::meansAsInnermost(SBFrame Frame, llvm::StringRef Expression) {
  return isInnermost(Frame) || isOfGlobals(Frame, Expression);
}

ImageLvalues::ImageLvalues(SBTarget Target, const TraceStore &Store,
                           ModuleSymbols &Modules, SessionMemory &Memory)
    : Symbols(Target, Modules), S(Store, llvm::nulls(), Memory),
      Expressions(
          S, [Target, &Modules] { return Modules.of(Target).debugInfo(); }) {
  S.Symbols = &Symbols;
}

llvm::Expected<Location> ImageLvalues::locate(llvm::StringRef Expression,
                                              Place At) {
  return Expressions.locate(Expression, At);
}

void ImageLvalues::tellLife(Location &L, llvm::StringRef Expression, Place At) {
  // To look for other variables takes the whole debug information.
  if (!isLocal(Expression.ltrim("*&( ").take_while(isWord), At))
    return;
  auto Ours = locate(Expression, At);
  if (Ours && Ours->Where == L.Where &&
      (L.Where == Location::Memory ? Ours->Addr == L.Addr
                                   : Ours->RegisterName == L.RegisterName))
    L.Lives = std::move(Ours->Lives);
  llvm::consumeError(Ours.takeError());
}

llvm::Expected<ExpressionSource::Evaluated>
ImageLvalues::evaluate(llvm::StringRef Expression, Place At, ValueStyle Style) {
  auto L = Expressions.locate(Expression, At);
  if (L)
    return ExpressionSource::Evaluated{"", std::move(*L)};
  // What no place keeps may be a constant.
  S.Style = Style;
  auto V = Expressions.evaluate(Expression, At, Style);
  if (!V && !V.errorIsA<NotDefined>()) {
    llvm::consumeError(V.takeError());
    return L.takeError();
  }
  llvm::consumeError(L.takeError());
  return V;
}

std::optional<std::string> ImageLvalues::whyUnknown(llvm::StringRef Expression,
                                                    Place At) {
  auto L = Expressions.locate(Expression, At);
  if (!L) {
    const bool Unknown = L.errorIsA<UnknownValue>();
    std::string Why = llvm::toString(L.takeError());
    return Unknown ? std::optional(std::move(Why)) : std::nullopt;
  }
  auto V = readLocation(S, *L, At.When);
  if (!V) {
    llvm::consumeError(V.takeError());
    return std::nullopt;
  }
  if (!L->Type || !L->Type->isScalar() || V->number() || V->allKnown())
    return std::nullopt;
  return ("unknown: the trace does not tell " + Expression + " here").str();
}

std::optional<std::string> ImageLvalues::wideConstant(const Type &T, Value V) {
  V.setOrder(ByteOrder::Little);
  if (T.Kind == TypeKind::Float)
    return floatConstant("long double", T.Float, V.Bytes,
                         S.Store.header().Architecture);
  if (T.Kind != TypeKind::Signed && T.Kind != TypeKind::Unsigned)
    return std::nullopt;
  return integerConstant(T.Kind == TypeKind::Signed ? "__int128"
                                                    : "unsigned __int128",
                         llvm::support::endian::read64le(V.Bytes.data()),
                         llvm::support::endian::read64le(V.Bytes.data() + 8));
}

std::optional<std::string> ImageLvalues::constant(llvm::StringRef Expression,
                                                  Place At) {
  auto L = Expressions.locate(Expression, At);
  if (!L) {
    llvm::consumeError(L.takeError());
    return std::nullopt;
  }
  const TypeRef &T = L->Type;
  // LLDB shows what is there, if it can be told by the type's name.
  if (T && T->Kind == TypeKind::Record && L->Where == Location::Memory &&
      !T->Name.empty() && T->Name.find_first_of("<(") == std::string::npos)
    return "(*" + integerConstant(T->Name + "*", L->Addr) + ")";
  auto V = readLocation(S, *L, At.When);
  if (!V) {
    llvm::consumeError(V.takeError());
    return std::nullopt;
  }
  auto Number = V->number();
  if (T && T->isScalar() && L->Size == 16 && V->allKnown())
    return wideConstant(*T, *V);
  if (!T || !T->isScalar() || !Number)
    return std::nullopt;
  const unsigned Bits = V->FieldWidth ? V->FieldWidth : 8 * unsigned(L->Size);
  switch (T->Kind) {
  case TypeKind::Pointer:
  case TypeKind::Text:
    return integerConstant("void*", *Number);
  case TypeKind::Float:
    if (T->Float == FloatKind::Single)
      return floatConstant("float", llvm::bit_cast<float>(uint32_t(*Number)));
    if (T->Float == FloatKind::Double)
      return floatConstant("double", llvm::bit_cast<double>(*Number));
    return std::nullopt;
  default:
    break;
  }
  // An enum class is compared with its own enumerators only.
  if (T->Kind == TypeKind::Enum && !V->FieldWidth && !T->Name.empty() &&
      T->Name.find_first_of("<(") == std::string::npos)
    return integerConstant(T->Name, *Number);
  const bool Sign = T->Kind == TypeKind::Signed || T->Signed;
  if (Sign)
    *Number = uint64_t(llvm::SignExtend64(*Number, Bits));
  // A bit-field is an int where it fits.
  const uint64_t Size = V->FieldWidth && L->Size < 4 ? 4 : L->Size;
  const llvm::StringRef Type = Size == 1   ? "char"
                               : Size == 2 ? "short"
                               : Size == 4 ? "int"
                                           : "long long";
  const std::string Name = T->Kind == TypeKind::Bool
                               ? "bool"
                               : (Sign ? "signed " : "unsigned ") + Type.str();
  return integerConstant(Name, *Number);
}

bool ImageLvalues::isLibraryObject(const Location &L, Place At) {
  if (!L.Type || L.Type->Library.empty())
    return false;
  auto V = readLocation(S, L, At.When);
  if (!V) {
    llvm::consumeError(V.takeError());
    return false;
  }
  return libraryValue(*L.Type, {V->Bytes, V->Known}, printerContext(S, At.When),
                      0)
      .has_value();
}
