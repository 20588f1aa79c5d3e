//===- TargetExpressions.cpp - Expressions as LLDB evaluates them ---------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/TargetExpressions.h"
#include "commands/support/Format.h"
#include "commands/support/NearNames.h"
#include "commands/support/UnknownName.h"
#include "core/expr/ExpressionSize.h"
#include "core/store/TraceStore.h"
#include "core/support/Words.h"
#include "lldb/API/LLDB.h"
#include "plugin/FoldedExpression.h"
#include "plugin/LoadedTrace.h"
#include "plugin/Navigation.h"
#include "plugin/ScopedNames.h"
#include "plugin/TargetSymbols.h"
#include "plugin/TargetTypes.h"
#include "plugin/UnknownVariables.h"
#include "plugin/private/CommandContext.h"
#include "plugin/private/ContainerParts.h"
#include "plugin/private/ExpressionErrors.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"

using namespace rw;
using namespace lldb;

TargetExpressions::TargetExpressions(SBTarget Target, LoadedTrace &Trace,
                                     bool FromFrame)
    : Target(Target), Trace(Trace), Program(&Trace.store().registerFile()),
      FromFrame(FromFrame) {}

ProgramNames *TargetExpressions::names() {
  Program.setImages(loadedImages(Target));
  return &Program;
}

llvm::Expected<SBValue> TargetExpressions::valueOf(SBFrame Frame,
                                                   llvm::StringRef Expression,
                                                   std::string &Meaning) {
  Meaning = Expression.str();
  const llvm::StringRef Name = Expression.trim().ltrim('$');
  if (Trace.store().registerFile().find(Name))
    if (SBValue R = Frame.FindRegister(Name.str().c_str()); R.IsValid())
      return R;
  auto Scoped = Trace.names().path(Frame, Expression);
  if (!Scoped)
    return Scoped.takeError();
  if (isGood(*Scoped))
    return *Scoped;
  auto Text = Trace.names().text(Frame, Expression);
  if (!Text) {
    // A path needs no name of its type.
    if (!Scoped->IsValid())
      return Text.takeError();
    llvm::consumeError(Text.takeError());
    return *Scoped;
  }
  Meaning = std::move(*Text);
  if (Meaning == Expression) {
    if (llvm::Error E = checkUnique(Frame, Expression.trim()))
      return E;
    SBValue V = pathValue(Frame, Meaning);
    if (V.IsValid() && V.GetError().Success())
      return V;
    V = Frame.FindRegister(Meaning.c_str());
    if (V.IsValid())
      return V;
  }
  SBValue V = interpret(Frame, Meaning);
  SBError Error = V.GetError();
  if (!Error.GetCString() || !needsConstants(Error.GetCString()))
    return V;
  SBValue F = interpretFolded(Frame, Meaning);
  return F.IsValid() && F.GetError().Success() ? F : V;
}

/// What is between \p Before and the next quote.
static llvm::StringRef quotedAfter(llvm::StringRef Text,
                                   llvm::StringRef Before) {
  size_t At = Text.find(Before);
  return At == llvm::StringRef::npos
             ? llvm::StringRef()
             : Text.drop_front(At + Before.size()).split('\'').first;
}

/// The name alone: for that of a value's synthetic children, or of its dynamic
/// type, LLDB reads types, and falls over those of some globals.
static llvm::StringRef nameOf(SBValue V) {
  if (!V.IsValid())
    return "";
  V.SetPreferDynamicValue(eNoDynamicValues);
  V.SetPreferSyntheticValue(false);
  const char *Name = V.GetName(); // LLDB keeps it
  return llvm::StringRef(Name ? Name : "").ltrim(':');
}

static void addVariables(NearNames &Near, SBFrame Frame) {
  SBVariablesOptions Options;
  Options.SetIncludeArguments(true);
  Options.SetIncludeLocals(true);
  Options.SetIncludeStatics(true);
  Options.SetInScopeOnly(true);
  Options.SetUseDynamic(eNoDynamicValues);
  SBValueList Variables = Frame.GetVariables(Options);
  for (uint32_t I = 0; I < Variables.GetSize(); ++I)
    if (auto Known = nameOf(Variables.GetValueAtIndex(I)); !Known.empty())
      Near.add(Known);
}

llvm::Error TargetExpressions::failure(SBFrame Frame, SBValue V,
                                       llvm::StringRef Expression) {
  SBError E = V.GetError();
  llvm::StringRef Text = E.GetCString() ? E.GetCString() : "not understood";
  if (auto Reason = plainReason(Frame, Expression, Text)) {
    if (llvm::StringRef(*Reason).starts_with("unknown: "))
      return llvm::make_error<UnknownValue>(*Reason);
    return llvm::createStringError(*Reason);
  }
  llvm::StringRef Name = quotedAfter(Text, "use of undeclared identifier '");
  if (Name.empty())
    Name = quotedAfter(Text, "no template named '");
  if (!Name.empty()) {
    // "Counter::hits": it may be part of a longer name.
    llvm::StringRef Whole = Expression.trim();
    if (!llvm::all_of(Whole, [](char C) {
          return isWord(C) || llvm::StringRef(":<>,~").contains(C);
        }))
      Whole = Name;
    NearNames Near(Whole);
    addVariables(Near, Frame);
    Near.addRegisters(Trace.store().registerFile());
    TargetSymbols Symbols(Target, Trace.symbols());
    Near.addSymbols(Symbols);
    return llvm::make_error<NoSuchName>(
        "'" + Whole + "' is no variable, symbol or register here" +
        Near.question());
  }
  // A note on the language that LLDB took it for comes before the error, and
  // behind it a picture of where it is.
  if (Text.contains("error: "))
    Text = Text.split("error: ").second;
  if (size_t At = Text.find("<user expression "); At == 0) {
    llvm::StringRef Message = Text.split(": ").second;
    Text = Message.split('\n').first;
  }
  std::string Question;
  if (llvm::StringRef Member = quotedAfter(Text, "no member named '");
      !Member.empty()) {
    NearNames Near(Member);
    SBType Type = Target.FindFirstType(
        quotedAfter(Text, ("'" + Member + "' in '").str()).str().c_str());
    for (uint32_t I = 0; I < Type.GetNumberOfFields(); ++I)
      if (const char *Known = Type.GetFieldAtIndex(I).GetName())
        Near.add(Known);
    Question = Near.question();
    if (Question.empty()) {
      TargetSymbols Symbols(Target, Trace.symbols());
      NearNames Static(Expression);
      Static.addSymbols(Symbols);
      Question = Static.question();
    }
  }
  return llvm::createStringError("'" + Expression + "': " + Text.trim() +
                                 Question);
}

/// The member \p Name of \p Type, also one of a base class or an unnamed
/// member, and where it begins, in bits.
static std::optional<std::pair<SBTypeMember, uint64_t>>
findMember(SBType Type, llvm::StringRef Name) {
  Type = Type.GetCanonicalType();
  auto Inside = [&](SBTypeMember Outer)
      -> std::optional<std::pair<SBTypeMember, uint64_t>> {
    auto Found = findMember(Outer.GetType(), Name);
    if (Found)
      Found->second += Outer.GetOffsetInBits();
    return Found;
  };
  for (uint32_t I = 0; I < Type.GetNumberOfFields(); ++I) {
    SBTypeMember M = Type.GetFieldAtIndex(I);
    llvm::StringRef Its = M.GetName() ? M.GetName() : "";
    if (Its == Name)
      return std::pair(M, M.GetOffsetInBits());
    if (Its.empty())
      if (auto Found = Inside(M))
        return Found;
  }
  for (uint32_t I = 0; I < Type.GetNumberOfDirectBaseClasses(); ++I)
    if (auto Found = Inside(Type.GetDirectBaseClassAtIndex(I)))
      return Found;
  return std::nullopt;
}

/// The place of what \p Pointer, the address of an lvalue, points to; none if
/// it is no such thing.
static std::optional<Location> pointee(SBValue Pointer, rw::Arch Machine) {
  if (!Pointer.IsValid() || Pointer.GetError().Fail())
    return std::nullopt;
  Location L;
  SBType Type = Pointer.GetType().GetPointeeType();
  L.Size = Type.GetByteSize();
  L.Type = describeType(Type, Machine);
  L.SizeGiven = true;
  SBError Error;
  L.Addr = Pointer.GetValueAsUnsigned(Error);
  if (Error.Fail() || !L.Size)
    return std::nullopt;
  return L;
}

/// Whether \p V really lies at \p Addr. LLDB also takes what a value was
/// computed to be for its address.
static bool liesAt(SBValue V, SBProcess Process, uint64_t Addr) {
  const size_t Size = V.GetByteSize();
  llvm::SmallVector<uint8_t, 64> Value(Size), Memory(Size);
  SBError Error;
  SBData Data = V.GetData();
  if (Data.ReadRawData(Error, 0, Value.data(), Size) != Size || Error.Fail())
    return false;
  return Process.ReadMemory(Addr, Memory.data(), Size, Error) == Size &&
         Error.Success() && Value == Memory;
}

/// The bytes that hold the bit-field \p Expression, "object.field" or
/// "pointer->field", which has no address of its own.
static std::optional<Location>
bitField(SBFrame Frame, llvm::StringRef Expression, const TraceHeader &Header) {
  size_t At = Expression.find_last_not_of(
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  if (At == llvm::StringRef::npos || !At)
    return std::nullopt;
  llvm::StringRef Name = Expression.drop_front(At + 1),
                  Object = Expression.take_front(At + 1);
  std::string Address;
  if (Object.consume_back("->"))
    Address = ("(" + Object + ")").str();
  else if (Object.consume_back("."))
    Address = ("&(" + Object + ")").str();
  else
    return std::nullopt;
  // LLDB gives what lies in registers an address of its own.
  if (SBValue O = pathValue(Frame, Object);
      Address.front() == '&' && isGood(O) &&
      O.GetLoadAddress() == LLDB_INVALID_ADDRESS)
    return std::nullopt;
  SBValue Pointer = interpret(Frame, Address);
  auto L = pointee(Pointer, Header.Architecture);
  if (!L)
    return std::nullopt;
  auto Field =
      findMember(Pointer.GetType().GetCanonicalType().GetPointeeType(), Name);
  if (!Field || !Field->first.IsBitfield())
    return std::nullopt;
  auto [Member, Begin] = *Field;
  Type::Member M;
  M.Offset = Begin;
  M.BitWidth = Member.GetBitfieldSizeInBits();
  const FieldBytes B = fieldBytes(M, Header.Order == rw::ByteOrder::Big);
  L->Addr += B.First;
  L->Size = B.Size;
  L->FieldLo = B.Lo;
  L->FieldWidth = B.Width;
  L->Type = describeType(Member.GetType(), Header.Architecture);
  return L;
}

/// Whether \p Frame's function or its compile unit has a variable of which
/// \p Name is all of the name: LLDB takes that before any other. Of members of
/// classes it takes any.
static bool isOfFrame(SBFrame Frame, llvm::StringRef Name) {
  const std::string Text = Name.str();
  if (Frame.FindVariable(Text.c_str()).IsValid())
    return true;
  for (ValueType Kind : {eValueTypeVariableStatic, eValueTypeVariableGlobal}) {
    SBValue V = Frame.FindValue(Text.c_str(), Kind, eNoDynamicValues);
    llvm::StringRef Its = nameOf(V);
    Its.consume_front("(anonymous namespace)::");
    if (Its == Name)
      return true;
  }
  return false;
}

llvm::Error TargetExpressions::checkUnique(SBFrame Frame,
                                           llvm::StringRef Name) {
  if (!llvm::all_of(Name, isWord) || Trace.store().registerFile().find(Name) ||
      isOfFrame(Frame, Name))
    return llvm::Error::success();
  TargetSymbols Symbols(Target, Trace.symbols());
  auto Found = Symbols.findSymbol(Name);
  if (Found.size() < 2)
    return llvm::Error::success();
  std::string All;
  for (const DataSymbol &D : Found)
    All += (All.empty() ? "" : ", ") + D.Name + " at " + hex(D.Start);
  return llvm::createStringError(
      "'" + Name + "' is ambiguous: " + All +
      "; give its address, or ask from a frame in its file");
}

TypeRef TargetExpressions::typeOf(SBType Type) const {
  return describeType(Type, Trace.store().header().Architecture);
}

llvm::Error TargetExpressions::checkDefined(SBFrame Frame,
                                            llvm::StringRef Expression,
                                            Place At) {
  const bool Shifts = Expression.contains("<<") || Expression.contains(">>");
  if ((!Shifts && Expression.find_first_of("/%") == llvm::StringRef::npos) ||
      !meansAsInnermost(Frame, Expression))
    return llvm::Error::success();
  auto V = images().evaluate(Expression, At, {});
  if (V.errorIsA<NotDefined>())
    return V.takeError();
  llvm::consumeError(V.takeError());
  return llvm::Error::success();
}

/// The frame that \p Where means of a thread that stands there.
static SBFrame frameOf(SBThread Thread, Place Where) {
  const uint32_t Inlined = shownInlined(Thread);
  const uint32_t Depth = Where.Inlined.value_or(Inlined);
  return Thread.GetFrameAtIndex(Inlined - std::min(Depth, Inlined));
}

llvm::Expected<Location> TargetExpressions::locate(llvm::StringRef Expression,
                                                   Place At) {
  if (llvm::Error E = checkExpressionSize(Expression))
    return E;
  // Where the debugger stands, its selected frame says what a name means.
  if (!Visit && At == commandPlace(Target, Trace)) {
    SBFrame Frame = commandFrame(Target);
    if (!Frame.IsValid())
      return llvm::createStringError("no frame is selected");
    return placeIn(Frame, Expression, At);
  }
  // evaluate() goes on with the visit of a command that looks at many places.
  const bool Visiting = Visit != nullptr;
  if (!Visiting)
    Visit = std::make_unique<StateVisit>(Target, Trace);
  llvm::scope_exit Leave([&] {
    if (!Visiting)
      Visit.reset();
  });
  auto Thread = Visit->to(At);
  if (!Thread)
    return Thread.takeError();
  return placeIn(frameOf(*Thread, At), Expression, At);
}

llvm::Expected<std::optional<bool>>
TargetExpressions::test(llvm::StringRef Condition, Place Where) {
  auto Ours = images().tryTest(Condition, Where);
  if (Ours && *Ours)
    return Ours;
  const bool Understood = bool(Ours);
  llvm::consumeError(Ours.takeError());
  auto Theirs = ExpressionSource::test(Condition, Where);
  // There is nothing wrong with the text: there is no value here.
  if (!Theirs && Understood) {
    llvm::consumeError(Theirs.takeError());
    return std::nullopt;
  }
  return Theirs;
}

ImageLvalues &TargetExpressions::images() {
  if (!Images)
    Images = std::make_unique<ImageLvalues>(Target, Trace.store(),
                                            Trace.symbols(), Trace.session());
  return *Images;
}

std::unique_ptr<LvalueAlong>
TargetExpressions::along(llvm::StringRef Expression, StateCursor &Near) {
  return images().along(Expression, Near);
}

/// Whether LLDB has the members of \p T; it fails to parse those of some.
static bool isWhole(const rw::Type &T) {
  if (T.Kind == TypeKind::Array || T.Kind == TypeKind::Vector)
    return !T.Element || isWhole(*T.Element);
  if (T.Kind != TypeKind::Record)
    return true;
  return (T.Size <= 1 || !T.Members.empty()) &&
         llvm::all_of(T.Members, [](const rw::Type::Member &M) {
           return !M.Is || isWhole(*M.Is);
         });
}

/// What is wrong, by LLDB and by the images. LLDB knows more of expressions,
/// but not why it would have to run code, nor where a value is that it
/// computes.
static llvm::Error bestReason(llvm::Error ByLLDB, llvm::Error ByImages) {
  bool Ours = !ByImages.isA<UnknownName>() && !ByImages.isA<NotUnderstood>();
  std::string Text = llvm::toString(std::move(ByImages));
  if (ByLLDB.isA<UnknownValue>())
    Ours = false;
  if (!Ours)
    return ByLLDB;
  const std::string Theirs = llvm::toString(std::move(ByLLDB));
  const llvm::StringRef T = Theirs;
  return llvm::createStringError(
      T.contains("runs no code") || T.contains("Couldn't materialize") ||
              T.contains("it is no lvalue") || T.contains("not available") ||
              T.contains("is no variable, symbol")
          ? Text
          : Theirs);
}

llvm::Error TargetExpressions::checkIndexes(SBFrame Frame,
                                            llvm::StringRef Expression,
                                            Place At) {
  if (hasSmallIndexes(Expression) || !meansAsInnermost(Frame, Expression))
    return llvm::Error::success();
  auto Ours = images().locate(Expression, At);
  if (Ours || Ours.errorIsA<OutsideAddressSpace>())
    return Ours.takeError();
  llvm::consumeError(Ours.takeError());
  return llvm::Error::success();
}

llvm::Error TargetExpressions::checkArray(SBFrame Frame,
                                          llvm::StringRef Expression,
                                          Place At) {
  if (!meansAsInnermost(Frame, Expression))
    return llvm::Error::success();
  const TypeRef Its = images().lvalueType(Expression, At);
  if (!Its || Its->Kind != TypeKind::Array || Its->Size)
    return llvm::Error::success();
  auto Ours = images().locate(Expression, At);
  return Ours ? llvm::Error::success() : Ours.takeError();
}

llvm::Expected<Location> TargetExpressions::placeIn(SBFrame Frame,
                                                    llvm::StringRef Expression,
                                                    Place At) {
  if (llvm::Error E = checkIndexes(Frame, Expression, At))
    return E;
  auto L = locateIn(Frame, Expression);
  if (L && L->Type && L->Type->Kind == TypeKind::Array)
    if (llvm::Error E = checkArray(Frame, Expression, At))
      return E;
  const bool Innermost = meansAsInnermost(Frame, Expression);
  if (L && (!L->Type || isWhole(*L->Type))) {
    if (Innermost)
      images().tellLife(*L, Expression, At);
    return L;
  }
  if (!Innermost)
    return L;
  auto Ours = images().locate(Expression, At);
  if (Ours) {
    if (!L)
      llvm::consumeError(L.takeError());
    return Ours;
  }
  if (!L)
    return bestReason(L.takeError(), Ours.takeError());
  llvm::consumeError(Ours.takeError());
  return L;
}

llvm::Expected<ExpressionSource::Evaluated>
TargetExpressions::byImages(SBFrame Frame, llvm::StringRef Expression, Place At,
                            ValueStyle Style, llvm::Error Failed) {
  if (!meansAsInnermost(Frame, Expression))
    return Failed;
  auto V = images().evaluate(Expression, At, Style);
  if (V) {
    llvm::consumeError(std::move(Failed));
    return V;
  }
  return bestReason(std::move(Failed), V.takeError());
}

llvm::Expected<Location>
TargetExpressions::locateIn(SBFrame Frame, llvm::StringRef Expression) {
  std::string Meaning;
  auto Found = valueOf(Frame, Expression, Meaning);
  if (!Found)
    return Found.takeError();
  SBValue V = *Found;
  if (!V.IsValid() || V.GetError().Fail()) {
    // What it holds may be unknown; where it is may not.
    // LLDB takes a symbol without debug information for a pointer.
    const std::string Name = llvm::StringRef(Meaning).trim().str();
    const bool Bare = llvm::all_of(Name, isWord);
    std::string AddressOf = "&(" + Meaning + ")";
    std::optional<Location> L;
    if (!Bare || Frame.FindVariable(Name.c_str()).IsValid() ||
        Target.FindGlobalVariables(Name.c_str(), 1).GetSize())
      L = pointee(interpret(Frame, AddressOf),
                  Trace.store().header().Architecture);
    if (!L)
      L = bitField(Frame, llvm::StringRef(Meaning).trim(),
                   Trace.store().header());
    if (!L)
      return failure(Frame, V, Expression);
    L->Text = Expression.str();
    return *L;
  }
  // A reference is what it refers to, which may be unknown.
  if (V.GetType().GetCanonicalType().IsReferenceType()) {
    if (SBValue To = V.Dereference(); To.IsValid() && To.GetError().Success()) {
      V = To;
    } else if (auto L = pointee(V, Trace.store().header().Architecture)) {
      L->Text = Expression.str();
      return *L;
    } else {
      return llvm::make_error<UnknownValue>(
          "'" + Expression + "': what it refers to is not known at that place");
    }
  }
  Location L;
  L.Text = Expression.str();
  L.Size = V.GetByteSize();
  L.SizeGiven = true;
  L.Thread = Trace.engine().here().Thread;
  L.Type = typeOf(V.GetType());
  uint64_t Addr = V.GetLoadAddress();
  // What is there may be unknown, wholly or in part.
  auto AddressSays = [&] {
    auto To = pointee(interpret(Frame, "&(" + Meaning + ")"),
                      Trace.store().header().Architecture);
    return To && To->Addr == Addr;
  };
  if (Addr != LLDB_INVALID_ADDRESS && L.Size &&
      (liesAt(V, Target.GetProcess(), Addr) || AddressSays())) {
    L.Where = Location::Memory;
    L.Addr = Addr;
    return L;
  }
  // A variable that lives in a register: LLDB tells its name as the location.
  const char *Where = V.GetLocation();
  const RegisterInfo *R =
      Where ? Trace.store().registerFile().find(Where) : nullptr;
  if (!R || R->IsPC) {
    if (auto Bits = bitField(Frame, llvm::StringRef(Meaning).trim(),
                             Trace.store().header())) {
      Bits->Text = Expression.str();
      return *Bits;
    }
    return llvm::createStringError(
        "'" + Expression +
        "' has a value, but no place that keeps it: it is no lvalue");
  }
  if (Frame.GetFrameID() != 0 && !Frame.IsInlined())
    return llvm::createStringError(
        "'" + Expression + "' lives in register " + R->Name +
        " in this frame, which a callee may have saved: select frame 0, or "
        "ask for the register");
  L.Where = Location::Register;
  L.RegisterName = R->Name;
  L.Holds = !namesRegister(Trace.store(), Expression.trim());
  L.Slice = R->Slice;
  if (L.Size && L.Size < L.Slice.Size)
    L.Slice.Size = uint16_t(L.Size);
  L.Size = L.Slice.Size;
  if (L.Type->Size != L.Size)
    L.Type = nullptr;
  return L;
}

std::optional<ExpressionSource::Object>
TargetExpressions::objectAt(uint64_t Addr) {
  TargetSymbols Symbols(Target, Trace.symbols());
  auto Sym = Symbols.symbolizeData(Addr);
  if (!Sym)
    return std::nullopt;
  // LLDB knows variables of functions by their last name.
  const std::string Name = Sym->Name.substr(Sym->Name.rfind(':') + 1);
  constexpr uint32_t Most = 64;
  SBValueList Found = Target.FindGlobalVariables(Name.c_str(), Most);
  for (uint32_t I = 0; I < Found.GetSize(); ++I) {
    SBValue V = Found.GetValueAtIndex(I);
    // LLDB tells no address of what it could not read where it stands.
    if (V.GetLoadAddress() == Sym->Start || unreadAt(V) == Sym->Start)
      return Object{Sym->Name, Sym->Start, typeOf(V.GetType())};
  }
  return std::nullopt;
}

std::vector<std::string> TargetExpressions::variables(Place) {
  std::vector<std::string> Names;
  SBFrame Frame = commandFrame(Target);
  SBValueList All = Frame.GetVariables(/*arguments=*/true, /*locals=*/true,
                                       /*statics=*/true,
                                       /*in_scope_only=*/true);
  for (uint32_t I = 0; I < All.GetSize(); ++I)
    if (const char *Name = All.GetValueAtIndex(I).GetName())
      // LLDB says "::name" of what is the file's.
      Names.push_back(llvm::StringRef(Name).ltrim(':').str());
  return Names;
}

/// As LLDB calls it.
static Format lldbFormat(ValueFormat F) {
  switch (F) {
  case ValueFormat::None:
    return eFormatDefault;
  case ValueFormat::Hex:
    return eFormatHex;
  case ValueFormat::Decimal:
    return eFormatDecimal;
  case ValueFormat::Unsigned:
    return eFormatUnsigned;
  case ValueFormat::Float:
    return eFormatFloat;
  case ValueFormat::Character:
    return eFormatChar;
  case ValueFormat::Text:
    return eFormatCString;
  case ValueFormat::Binary:
    return eFormatBinary;
  }
  llvm_unreachable("all formats are covered");
}

/// The bytes of the number that \p V is, which is shown as everywhere; none if
/// it is none, or not one that is described.
static std::optional<ExpressionSource::Evaluated::Bytes> scalarOf(SBValue V,
                                                                  TypeRef T) {
  if (!T->isScalar() || T->Kind == TypeKind::Text || !T->Size ||
      V.GetByteSize() != T->Size)
    return std::nullopt;
  SBError Error;
  std::vector<uint8_t> Bytes(T->Size);
  if (T->Kind == TypeKind::Float) {
    SBData Data = V.GetData();
    if (Data.ReadRawData(Error, 0, Bytes.data(), Bytes.size()) != Bytes.size())
      return std::nullopt;
    if (Data.GetByteOrder() == eByteOrderBig)
      std::reverse(Bytes.begin(), Bytes.end());
  } else {
    if (T->Size > 8)
      return std::nullopt;
    // The data of a bit-field are those of all its unit; its number is its own.
    const uint64_t N = T->Signed ? uint64_t(V.GetValueAsSigned(Error))
                                 : V.GetValueAsUnsigned(Error);
    for (size_t B = 0; B < Bytes.size(); ++B)
      Bytes[B] = uint8_t(N >> 8 * B);
  }
  if (Error.Fail())
    return std::nullopt;
  return ExpressionSource::Evaluated::Bytes{std::move(Bytes),
                                            rw::ByteOrder::Little, T};
}

static constexpr unsigned MostChildren = 32, MostChildDepth = 4;
static constexpr size_t MostLine = 2000;

static void appendLine(std::string &Out, SBValue V, unsigned Depth);

/// What is between the brackets of \p V.
static void appendChildren(std::string &Out, SBValue V, unsigned Depth) {
  const uint32_t Count = V.GetNumChildren(MostChildren + 1);
  Out += '{';
  for (uint32_t I = 0; I < Count; ++I) {
    Out += I ? ", " : "";
    if (I == MostChildren || Out.size() > MostLine || Depth > MostChildDepth) {
      Out += "...";
      break;
    }
    SBValue Child = V.GetChildAtIndex(I);
    const llvm::StringRef Name = Child.GetName() ? Child.GetName() : "";
    if (!Name.starts_with("["))
      Out += (Name + " = ").str();
    appendLine(Out, Child, Depth + 1);
  }
  Out += '}';
}

static void appendLine(std::string &Out, SBValue V, unsigned Depth) {
  if (!isGood(V)) {
    Out += UnknownText;
    return;
  }
  const char *Summary = lacksMembers(V.GetType()) ? nullptr : V.GetSummary();
  // So say LLDB's summaries of C++'s containers whose memory they cannot read.
  if (Summary && llvm::StringRef(Summary) == "Summary Unavailable") {
    Out += UnknownText;
    return;
  }
  const char *Value = V.GetValue();
  if (Value && (!Summary || V.GetType().IsPointerType()))
    Out += Value;
  if (Summary)
    Out += ((Value && V.GetType().IsPointerType() ? " " : "") +
            llvm::StringRef(Summary).trim())
               .str();
  if (Value || (Summary && !V.IsSynthetic()))
    return;
  if (Summary)
    Out += ' ';
  appendChildren(Out, V, Depth);
}

/// Whether \p V is a pointer to text that no script of the user's shows.
static bool isPlainText(SBValue V, const Type &T) {
  if (T.Kind != TypeKind::Text)
    return false;
  SBTypeSummary S = V.GetTypeSummary();
  return !S.IsValid() ||
         !(S.IsFunctionCode() || S.IsFunctionName() || S.IsSummaryString());
}

/// As LLDB, or a script of the user's, shows \p V, in one line: its summary,
/// and the children that a front end gives it. Empty if it has neither.
static std::optional<std::string> formatterLine(SBValue V) {
  if (lacksMembers(V.GetType()) || (!V.GetSummary() && !V.IsSynthetic()))
    return std::nullopt;
  std::string Out;
  appendLine(Out, V, 0);
  return Out;
}

llvm::Expected<ExpressionSource::Evaluated>
TargetExpressions::evaluate(llvm::StringRef Expression, Place Where,
                            ValueStyle Style) {
  if (llvm::Error E = checkExpressionSize(Expression))
    return E;
  SBFrame Frame;
  if (FromFrame && !Visit && Where == commandPlace(Target, Trace))
    Frame = commandFrame(Target);
  if (!Frame.IsValid() || isInnermost(Frame)) {
    if (!Visit)
      Visit = std::make_unique<StateVisit>(Target, Trace);
    auto Thread = Visit->to(Where);
    if (!Thread)
      return Thread.takeError();
    Frame = frameOf(*Thread, Where);
  }
  if (llvm::Error E = checkIndexes(Frame, Expression, Where))
    return E;
  if (llvm::Error E = checkDefined(Frame, Expression, Where))
    return E;
  std::string Meaning;
  auto Found = valueOf(Frame, Expression, Meaning);
  if (!Found)
    return Found.takeError();
  SBValue V = *Found;
  // A reference is what it refers to.
  if (V.IsValid() && V.GetError().Success() &&
      V.GetType().GetCanonicalType().IsReferenceType())
    V = V.Dereference();
  if (dividesByZero(Frame, Meaning))
    return llvm::make_error<UnknownValue>("division by zero");
  if (!isGood(V)) {
    if (SBValue Part = knownInPart(Frame, Meaning); Part.IsValid())
      V = Part;
    else
      return byImages(Frame, Expression, Where, Style,
                      failure(Frame, V, Expression));
  }
  Location L;
  L.Text = Expression.str();
  L.Addr = V.GetLoadAddress();
  L.Type = typeOf(V.GetType());
  L.Size = L.Type->Size;
  const bool Placed = L.Addr != LLDB_INVALID_ADDRESS && L.Size;
  if (L.Type->Kind == TypeKind::Array)
    if (llvm::Error E = checkArray(Frame, Expression, Where))
      return E;
  if (!L.Type->isScalar() && (!Placed || !isWhole(*L.Type)) &&
      !namesRegister(Trace.store(), Expression.trim())) {
    auto Ours = byImages(Frame, Expression, Where, Style,
                         llvm::createStringError("not known"));
    if (Ours)
      return Ours;
    llvm::consumeError(Ours.takeError());
  }
  if (Style.Raw)
    V.SetFormat(eFormatHex);
  else if (Style.Format != ValueFormat::None)
    V.SetFormat(lldbFormat(Style.Format));
  // LLDB tells the parts of a complex integer without their signs.
  else if (Placed &&
           (L.Type->Kind == TypeKind::Complex || isPlainText(V, *L.Type) ||
            images().isLibraryObject(L, Where)))
    return Evaluated{"", L};
  else if (auto Line = formatterLine(V))
    return Evaluated{std::move(*Line), {}};
  if (const char *Value = V.GetValue()) {
    Evaluated E{Value, {}};
    // Who chose a format for a type wants that.
    if (!Style.Raw && Style.Format == ValueFormat::None &&
        !V.GetTypeFormat().IsValid()) {
      E.Scalar = scalarOf(V, L.Type);
      E.Comparable = E.Scalar && isInnermost(Frame);
    }
    return E;
  }
  // LLDB would need several lines.
  if (Placed)
    return Evaluated{"", L};
  SBStream Text;
  V.GetDescription(Text);
  return Evaluated{llvm::StringRef(Text.GetData(), Text.GetSize()).trim().str(),
                   {}};
}
