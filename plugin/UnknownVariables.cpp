//===- UnknownVariables.cpp - Variables that LLDB cannot read -------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/UnknownVariables.h"
#include "core/expr/ExpressionSize.h"
#include "core/support/Words.h"
#include "core/types/Type.h"
#include "lldb/API/LLDB.h"
#include "plugin/InterruptedEvaluation.h"
#include "plugin/ToldRefusals.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace rw;
using namespace lldb;
using llvm::StringRef;

size_t rw::endOfName(StringRef Text, size_t At) {
  const size_t Begin = At;
  for (;;) {
    StringRef Rest = Text.substr(At);
    const bool Scope = Rest.consume_front("::");
    const StringRef Word = Rest.take_while(isWord);
    if (Word.empty() || llvm::isDigit(Word.front()) || Word.contains('$') ||
        (At > Begin && !Scope))
      return At;
    At += Word.size() + (Scope ? 2 : 0);
  }
}

size_t rw::nextOperand(StringRef Text, size_t At) {
  while (At < Text.size()) {
    const char C = Text[At];
    if (C == '(')
      return At;
    if (C == '"' || C == '\'') {
      for (++At; At < Text.size() && Text[At] != C; ++At)
        At += Text[At] == '\\';
      ++At;
    } else if (endOfName(Text, At) > At) {
      const StringRef Before = Text.take_front(At).rtrim();
      if (!Before.ends_with(".") && !Before.ends_with("->"))
        return At;
      At = endOfName(Text, At);
    } else {
      // A number may have letters, "0x1f", "1.5f".
      At += std::max<size_t>(Text.substr(At).take_while(isWord).size(), 1);
    }
  }
  return Text.size();
}

std::string rw::problemOf(SBValue V) {
  SBError Error = V.GetError(); // owns its text
  const char *Text = Error.GetCString();
  return Text ? Text : "no value";
}

bool rw::isGood(SBValue V) { return V.IsValid() && V.GetError().Success(); }

/// The address that \p V could not be read from, if LLDB says so behind \p Of.
static std::optional<uint64_t> unreadAt(SBValue V, StringRef Of) {
  if (!V.IsValid() || isGood(V))
    return std::nullopt;
  const std::string Problem = problemOf(V);
  StringRef Rest = Problem;
  if (!Of.empty()) {
    const size_t At = Rest.find(Of);
    if (At == StringRef::npos)
      return std::nullopt;
    // The name of a variable may have anything in it.
    Rest = Rest.substr(At);
    Rest = Rest.substr(Rest.find("read memory from"));
  }
  uint64_t Addr;
  if (!Rest.consume_front("read memory from 0x") ||
      Rest.consumeInteger(16, Addr))
    return std::nullopt;
  return Addr;
}

std::optional<uint64_t> rw::unreadAt(SBValue V) { return ::unreadAt(V, ""); }

static constexpr StringRef NotMaterialized =
    "couldn't get the value of variable";

static SBValue evaluate(SBFrame Frame, StringRef Text, bool ApplyFixIts) {
  SBExpressionOptions Options;
  Options.SetAllowJIT(false);
  Options.SetIgnoreBreakpoints(true);
  Options.SetTryAllThreads(false);
  Options.SetUnwindOnError(true);
  Options.SetAutoApplyFixIts(ApplyFixIts);
  Options.SetSuppressPersistentResult(true);
  const ToldRefusals Told;
  SBValue V = Frame.EvaluateExpression(Text.str().c_str(), Options);
  if (!isGood(V) &&
      wasInterrupted(Frame.GetThread().GetProcess().GetTarget().GetDebugger(),
                     problemOf(V)))
    InterruptedEvaluation::note();
  return V;
}

/// Whether \p Holds is true of what is in all brackets of \p Path.
static bool allIndexes(StringRef Path,
                       llvm::function_ref<bool(StringRef)> Holds) {
  for (StringRef Rest = Path.split('[').second; !Rest.empty();
       Rest = Rest.split('[').second)
    if (!Holds(Rest.split(']').first.trim()))
      return false;
  return true;
}

bool rw::hasNumberIndexes(StringRef Path) {
  return allIndexes(Path, [](StringRef Index) {
    uint64_t N;
    return !Index.getAsInteger(0, N);
  });
}

bool rw::hasSmallIndexes(StringRef Path) {
  return allIndexes(Path, [](StringRef Index) {
    int32_t N;
    return !Index.getAsInteger(0, N);
  });
}

/// The type of \p V, or of what it refers to.
static SBType meantType(SBValue V) {
  SBType Type = V.GetType().GetCanonicalType();
  return Type.IsReferenceType() ? Type.GetDereferencedType().GetCanonicalType()
                                : Type;
}

/// What C++'s library calls a class; empty if it has none of that name.
static StringRef libraryClass(SBType Type) {
  const char *Name = Type.GetUnqualifiedType().GetName();
  return Name ? libraryName(Name) : StringRef();
}

/// Whether an index in brackets is that of a child of \p V, and not something
/// else, or nothing. (Of a number LLDB takes the bit.)
static bool isIndexed(SBValue V) {
  SBType Type = meantType(V);
  if (Type.GetTypeFlags() & (eTypeIsArray | eTypeIsPointer | eTypeIsVector))
    return true;
  const StringRef Library = libraryClass(Type);
  return !Library.empty() && !Library.ends_with("map") &&
         !Library.ends_with("list") &&
         (!Library.ends_with("set") || Library == "bitset") &&
         Library != "optional" && Library != "tuple" && Library != "pair" &&
         Library != "variant";
}

/// Whether '*' of \p V leads somewhere. (Of a container it is the container to
/// LLDB.)
static bool isPointing(SBValue V) {
  SBType Type = meantType(V);
  if (Type.GetTypeFlags() & (eTypeIsArray | eTypeIsPointer))
    return true;
  const StringRef Library = libraryClass(Type);
  return Library.ends_with("_ptr") || Library.ends_with("iterator") ||
         Library == "optional";
}

bool rw::indexesChildren(SBValue V, StringRef Rest) {
  for (size_t At = Rest.find('['); At != StringRef::npos;
       At = Rest.find('[', At + 1))
    if (!isIndexed(
            At ? V.GetValueForExpressionPath(Rest.take_front(At).str().c_str())
               : V))
      return false;
  return true;
}

/// Whether an '&' or '*' of \p Path is none of the language's: of a reference,
/// to a path, it is about where that keeps the address of what it means.
static bool operatesInItsWay(SBFrame Frame, StringRef Path) {
  Path = Path.trim();
  if (Path.starts_with("(")) {
    size_t Depth = 0, End = 0;
    do
      Depth += (Path[End] == '(') - (Path[End] == ')');
    while (Depth && ++End < Path.size());
    return operatesInItsWay(Frame, Path.slice(1, End));
  }
  const StringRef Operand = Path.ltrim("&* ");
  if (Operand.size() == Path.size())
    return false;
  SBValue V = pathValue(Frame, Operand);
  return V.GetType().GetCanonicalType().IsReferenceType() ||
         (V.IsValid() &&
          Path.drop_back(Operand.size()).rtrim().ends_with("*") &&
          !isPointing(V)) ||
         operatesInItsWay(Frame, Operand);
}

SBValue rw::variableAt(SBFrame Frame, StringRef Path) {
  return Frame.GetValueForVariablePath(plainCasts(Path).c_str(),
                                       eNoDynamicValues);
}

SBValue rw::pathValue(SBFrame Frame, StringRef Path) {
  if (!hasNumberIndexes(Path) || operatesInItsWay(Frame, Path))
    return SBValue();
  if (const size_t At = Path.find('['); At != StringRef::npos)
    if (!indexesChildren(variableAt(Frame, Path.take_front(At)),
                         Path.drop_front(At)))
      return SBValue();
  return variableAt(Frame, Path);
}

namespace {
struct Unread {
  uint64_t Addr;
  bool Unknown;
};
} // namespace

/// Where the variable \p Name has its value, if an expression cannot read it.
static std::optional<Unread> unread(SBFrame Frame, StringRef Name) {
  if (Name.empty() || endOfName(Name, 0) < Name.size())
    return std::nullopt;
  SBValue V = pathValue(Frame, Name);
  if (!V.IsValid())
    return std::nullopt;
  V.SetPreferSyntheticValue(false); // a pointer, not what it leads to
  std::optional<Unread> Outer;
  if (auto Addr = unreadAt(V, ""))
    Outer = {*Addr, true};
  const ValueType Kind = V.GetValueType();
  const bool Global =
      Kind == eValueTypeVariableGlobal || Kind == eValueTypeVariableStatic;
  // In a namespace a path finds the outer variable of a name, an expression the
  // inner one: even where "::" says that the outer one is meant.
  if (Outer ? Name.starts_with("::") : !Global)
    return Outer;
  SBValue E = evaluate(Frame, Name, /*ApplyFixIts=*/false);
  if (isGood(E))
    return std::nullopt;
  if (const auto Inner = unreadAt(E, NotMaterialized))
    return Unread{*Inner, true};
  const uint64_t Addr = V.GetLoadAddress();
  if (!Outer && needsPlaces(problemOf(E)) && Addr != LLDB_INVALID_ADDRESS)
    return Unread{Addr, false};
  return Outer;
}

std::optional<uint64_t> rw::unknownVariable(SBFrame Frame, StringRef Name) {
  const auto U = unread(Frame, Name);
  return U && U->Unknown ? std::optional(U->Addr) : std::nullopt;
}

/// The pointer to what the variable \p Name keeps at \p Addr, in C.
static void printPointer(llvm::raw_ostream &OS, SBFrame Frame, StringRef Name,
                         uint64_t Addr) {
  SBValue V = pathValue(Frame, Name);
  const StringRef Type = V.GetTypeName();
  // A reference is kept as an address, and has no pointer to itself. Some types
  // have no name that could be written here.
  if (V.GetType().GetCanonicalType().IsReferenceType())
    OS << "*(__typeof__(&" << Name << ")*)";
  else if ((unreadAt(V, "") != Addr && V.GetLoadAddress() != Addr) ||
           Type.empty() || Type.contains('('))
    OS << "(__typeof__(" << Name << ")*)";
  else
    OS << '(' << Type << "*)";
  OS << llvm::format_hex(Addr, 1) << (Addr >> 31 ? "ull" : "");
}

std::optional<std::string> rw::placeUnread(SBFrame Frame, StringRef Text) {
  std::string Placed;
  llvm::raw_string_ostream OS(Placed);
  size_t Done = 0;
  for (size_t I = nextOperand(Text, 0); I < Text.size();
       I = nextOperand(Text, I)) {
    const size_t End = endOfName(Text, I);
    if (End == I) {
      ++I;
      continue;
    }
    const StringRef Name = Text.slice(I, End);
    if (auto U = unread(Frame, Name)) {
      OS << Text.slice(Done, I) << "(*";
      printPointer(OS, Frame, Name, U->Addr);
      OS << ')';
      Done = End;
    }
    I = End;
  }
  if (!Done)
    return std::nullopt;
  OS << Text.substr(Done);
  return Placed;
}

bool rw::needsPlaces(StringRef Problem) {
  // A static member of a class LLDB does not even try to read.
  return Problem.contains(NotMaterialized) ||
         Problem.contains("doesn't handle one of the expression's operands");
}

SBValue rw::interpret(SBFrame Frame, StringRef Text, bool ApplyFixIts) {
  SBValue V = evaluate(Frame, Text, ApplyFixIts);
  if (isGood(V) || !needsPlaces(problemOf(V)))
    return V;
  auto Placed = placeUnread(Frame, Text);
  if (!Placed)
    return V;
  SBValue P = evaluate(Frame, *Placed, ApplyFixIts);
  // What cannot be compiled has a name that the expression declares.
  return isGood(P) || StringRef(problemOf(P)).contains("memory") ? P : V;
}
