//===- NearNames.cpp - What a misspelled name may have meant --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/NearNames.h"
#include "commands/support/Symbols.h"
#include "core/calls/FunctionNames.h"
#include "core/support/Printable.h"
#include "core/support/SymbolPattern.h"

using namespace llvm;

namespace rw {

static constexpr size_t Most = 3;

NearNames::NearNames(StringRef W) : Wanted(W.trim().ltrim('$').str()) {}

/// The scopes of \p Name: "a::b<c::d>::e" are three.
static size_t scopes(StringRef Name) {
  size_t Count = 1, Depth = 0;
  for (size_t I = 0; I < Name.size(); ++I) {
    Depth += Name[I] == '<' || Name[I] == '(';
    Depth -= Depth && (Name[I] == '>' || Name[I] == ')');
    Count += !Depth && Name.substr(I).starts_with("::");
  }
  return Count;
}

/// The last \p Count scopes of \p Name.
static StringRef lastScopes(StringRef Name, size_t Count) {
  size_t Depth = 0;
  for (size_t I = Name.size(); I-- > 0;) {
    Depth += Name[I] == '>' || Name[I] == ')';
    Depth -= Depth && (Name[I] == '<' || Name[I] == '(');
    if (!Depth && Name.substr(I).starts_with("::") && --Count == 0)
      return Name.drop_front(I + 2);
  }
  return Name;
}

/// Whether they differ in two letters that have changed places.
static bool isSwapped(StringRef A, StringRef B) {
  if (A.size() != B.size())
    return false;
  size_t I = 0;
  while (I < A.size() && A[I] == B[I])
    ++I;
  return I + 1 < A.size() && A[I] == B[I + 1] && A[I + 1] == B[I] &&
         A.drop_front(I + 2) == B.drop_front(I + 2);
}

void NearNames::add(StringRef Name, StringRef Shown) {
  constexpr size_t TooLong = 200;
  // The type whose typeinfo it is, say: that was typed already.
  if (Wanted.empty() || Name.empty() || Wanted.size() > TooLong ||
      Name.size() > TooLong || Shown == Wanted)
    return;
  StringRef Tail = lastScopes(Name, scopes(Wanted));
  // The more a name has that was not typed, the more of the rest must be as it
  // was: of all the "at" and "end" of a library, one is always near.
  const unsigned Far = unsigned(
      Tail.size() == Name.size() ? std::max<size_t>(1, Wanted.size() / 3)
      : Name.contains('<') && Wanted.find('<') == Wanted.npos
          ? Wanted.size() / 4
          : Wanted.size() / 3);
  unsigned Distance =
      Tail.equals_insensitive(Wanted) || isSwapped(Tail, Wanted) ? 1
      : Wanted.size() > 3 && Tail.starts_with(Wanted)
          ? std::min(2u, Far)
          : Tail.edit_distance(Wanted, /*AllowReplacements=*/true, Far);
  if (Distance > Far)
    return;
  Found.insert({Distance, printable(Shown)});
  if (Found.size() > Most)
    Found.erase(std::prev(Found.end()));
}

void NearNames::addSymbols(SymbolSource &Symbols) {
  const auto All = Symbols.symbolTable();
  Stripped = All.empty();
  for (const ImageSymbol &S : All)
    add(S.Name[0] == '_' && StringRef(S.Name).starts_with("_Z")
            ? nameWithoutParameters(readableName(S.Name))
            : S.Name);
}

void NearNames::addRegisters(const RegisterFile &Registers) {
  for (const RegisterInfo &R : Registers.registers())
    add(R.Name);
}

std::string nearFunctions(SymbolSource *Symbols, StringRef Wanted) {
  NearNames Near(Wanted);
  if (Symbols)
    Near.addSymbols(*Symbols);
  return Near.question();
}

std::string NearNames::question() const {
  std::string Text;
  size_t I = 0;
  for (const auto &[Distance, Name] : Found) {
    ++I;
    Text += (I == 1              ? "; did you mean '"
             : I == Found.size() ? " or '"
                                 : ", '") +
            Name + "'";
  }
  if (Text.empty())
    return Stripped ? "; the image was stripped: it has no symbols" : "";
  return Text + "?";
}

} // namespace rw
