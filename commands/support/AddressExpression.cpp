//===- AddressExpression.cpp - Addresses as people type them --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/AddressExpression.h"
#include "commands/support/Format.h"
#include "commands/support/Location.h"
#include "commands/support/Options.h"
#include "commands/support/PlaceReport.h"
#include "commands/support/UnknownName.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace rw {

/// The value of a register that an address is computed from.
static Expected<uint64_t> registerValue(const Session &S, const Place &At,
                                        const RegisterInfo &R) {
  if (R.IsPC) {
    auto I = nextInstruction(S.Store, At);
    if (!I)
      return I.takeError();
    if (!*I)
      return userError("there is no pc at the end of the trace");
    return (*I)->Insn.PC;
  }
  auto State = S.Store.registersAt(At.Thread, At.When);
  if (!State)
    return State.takeError();
  if (auto N = State->get(R.Slice))
    return *N;
  auto P = S.Store.positionOf(At.Thread, At.When);
  if (!P)
    return P.takeError();
  return userError("the value of " + R.Name + " is not known at " +
                   formatPlace(S.Store, At.Thread, *P));
}

Expected<DataSymbol> oneSymbol(Session &S, StringRef Name) {
  if (!S.Symbols)
    return unknownName(S, Name);
  std::vector<DataSymbol> Found = S.Symbols->findSymbol(Name);
  if (Found.empty())
    return unknownName(S, Name);
  if (Found.size() == 1)
    return Found.front();
  std::string All;
  for (const DataSymbol &D : Found)
    All += (All.empty() ? "" : ", ") + D.Name + " at " + hex(D.Start);
  return userError("'" + Name + "' is ambiguous: " + All +
                   "; give its address" +
                   (S.inDebugger() ? ", or ask from a frame in its file" : ""));
}

namespace {
/// Numbers, registers and symbols under +, -, *, <<, >> and brackets, as the
/// Tarmac Trace Utilities have them: shifts bind least. What overflows wraps.
class AddressParser {
public:
  AddressParser(Session &S, const Place &At, StringRef Text)
      : S(S), At(At), Text(Text), Rest(Text) {}
  Expected<uint64_t> whole() {
    auto N = shifts();
    Rest = Rest.ltrim();
    if (N && !Rest.empty())
      return usageError("'" + Rest + "' is not understood behind an address");
    return N;
  }

private:
  Session &S;
  const Place &At;
  const StringRef Text;
  StringRef Rest;
  unsigned Depth = 0;

  bool takes(StringRef Operator) {
    Rest = Rest.ltrim();
    return Rest.consume_front(Operator);
  }
  Expected<uint64_t> shifts() {
    auto N = sum();
    while (N) {
      const bool Left = takes("<<");
      if (!Left && !takes(">>"))
        break;
      auto By = sum();
      if (!By)
        return By;
      N = *By >= 64 ? 0 : Left ? *N << *By : *N >> *By;
    }
    return N;
  }
  Expected<uint64_t> sum() {
    auto N = product();
    while (N) {
      const bool Plus = takes("+");
      if (!Plus && !takes("-"))
        break;
      auto M = product();
      if (!M)
        return M;
      N = Plus ? *N + *M : *N - *M;
    }
    return N;
  }
  Expected<uint64_t> product() {
    auto N = factor();
    while (N && takes("*")) {
      auto M = factor();
      if (!M)
        return M;
      N = *N * *M;
    }
    return N;
  }
  Expected<uint64_t> factor();
  StringRef takeTerm();
  Expected<uint64_t> term(StringRef Term);
};
} // namespace

Expected<uint64_t> AddressParser::factor() {
  constexpr unsigned MostBrackets = 100;
  if (Depth == MostBrackets)
    return usageError("there are too many brackets or signs");
  ++Depth;
  auto N = [&]() -> Expected<uint64_t> {
    if (takes("-")) {
      auto N = factor();
      return N ? -*N : std::move(N);
    }
    if (takes("+"))
      return factor();
    if (!takes("("))
      return term(takeTerm());
    auto N = shifts();
    if (N && !takes(")"))
      return usageError("a ')' is missing");
    return N;
  }();
  --Depth;
  return N;
}

/// Up to the next operator. Behind a name, brackets are part of it: those of
/// parameters and of templates.
StringRef AddressParser::takeTerm() {
  Rest = Rest.ltrim();
  size_t N = 0;
  int Open = 0;
  for (; N < Rest.size(); ++N) {
    char C = Rest[N];
    if (Open == 0 &&
        (StringRef("+-*)").contains(C) || Rest.substr(N).starts_with("<<") ||
         Rest.substr(N).starts_with(">>")))
      break;
    if (C == '(' || C == '<')
      ++Open;
    else if (C == ')' || C == '>')
      --Open;
  }
  StringRef Term = Rest.take_front(N).rtrim();
  Rest = Rest.drop_front(N);
  return Term;
}

Expected<uint64_t> AddressParser::term(StringRef Term) {
  if (Term.empty())
    return usageError("'" + Text + "': an operand is missing");
  if (isDigit(Term[0])) {
    if (auto N = parseNumber(Term))
      return *N;
    return usageError("'" + Term + "' is not a number");
  }
  const bool IsRegister = Term.consume_front("reg::");
  const bool IsSymbol = !IsRegister && Term.consume_front("sym::");
  if (!IsSymbol)
    if (const RegisterInfo *R = S.Store.registerFile().find(Term))
      return registerValue(S, At, *R);
  if (IsRegister)
    return userError("there is no register '" + Term + "'");
  Term.consume_front("&");
  auto Sym = oneSymbol(S, Term.trim());
  if (!Sym)
    return Sym.takeError();
  return Sym->Start;
}

Expected<uint64_t> parseAddress(Session &S, const Place &At, StringRef Text) {
  Text = Text.trim();
  // Names such as operator+ are symbols, not sums.
  if (S.Symbols && !Text.empty() && !isDigit(Text[0]) &&
      !S.Store.registerFile().find(Text))
    if (auto Found = S.Symbols->findSymbol(Text); Found.size() == 1)
      return Found.front().Start;
  return AddressParser(S, At, Text).whole();
}

} // namespace rw
