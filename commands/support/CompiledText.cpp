//===- CompiledText.cpp - An expression at one place after the other ------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/CompiledText.h"
#include "commands/support/AddressExpression.h"
#include "core/expr/StoreInput.h"
#include "core/store/TraceStore.h"
#include "core/support/Words.h"
#include "llvm/ADT/bit.h"

using namespace llvm;

namespace rw {

CompiledText::CompiledText(Session &S, StringRef Text)
    : S(S), Given(Text.str()),
      Names(S.Expressions ? S.Expressions->names() : nullptr) {
  const RegisterFile &File = S.Store.registerFile();
  const StringRef All = Given;
  for (size_t I = 0, End; I < All.size(); I = End) {
    const char C = All[I];
    End = I + 1;
    if (C == '\'' || C == '"')
      while (End < All.size() && All[End++] != C)
        End += All[End - 1] == '\\';
    else if (isWord(C))
      End = std::min(All.find_if_not(isWord, I), All.size());
    const StringRef W = All.slice(I, End);
    const StringRef Before = All.take_front(I).rtrim(),
                    After = All.drop_front(End).ltrim();
    const RegisterInfo *R =
        isWord(C) && !isDigit(C) && C != '$' ? File.find(W) : nullptr;
    const bool IsPart = Before.ends_with(".") || Before.ends_with("->") ||
                        Before.ends_with("::") || After.starts_with("::") ||
                        After.starts_with("(") || After.starts_with(".") ||
                        After.starts_with("->");
    const StringRef Left =
        Before.ends_with("&") ? Before.drop_back().rtrim() : StringRef("x");
    const bool IsAddressed =
        !Before.ends_with("&&") &&
        (Left.empty() || StringRef("(,!~+-*/%&|^<>=?:").contains(Left.back()));
    // Those of numbers that are not whole the program's parser knows as they
    // are.
    if (R && R->Format != RegisterFormat::Float &&
        R->Format != RegisterFormat::Vector && !IsPart && !IsAddressed)
      Words.push_back({I, W.size()});
  }
}

/// With a '$' before each of the words that \p Is.
std::string CompiledText::marked(function_ref<bool(StringRef Name)> Is) const {
  std::string Text;
  size_t Done = 0;
  for (auto [Begin, Size] : Words)
    if (Is(StringRef(Given).substr(Begin, Size))) {
      Text += StringRef(Given).slice(Done, Begin).str() + '$';
      Done = Begin;
    }
  return Text + StringRef(Given).drop_front(Done).str();
}

bool CompiledText::isOfProgram(StringRef Name, Place At) const {
  if (S.Expressions->isLocal(Name, At))
    return true;
  // To look for a variable where there is no symbol reads all images.
  if (S.Symbols && !S.Symbols->findSymbol(Name).empty() &&
      S.Expressions->lvalueType(Name, At))
    return true;
  // Ambiguous ones are the program's, too.
  auto Value = S.Expressions->enumerator(Name, At);
  const bool Its = !Value || *Value;
  consumeError(Value.takeError());
  return Its;
}

const CompiledText::There &CompiledText::at(Place At, uint64_t PC) {
  auto [It, New] = ByCode.try_emplace(PC);
  There &Its = It->second;
  if (!New)
    return Its;
  Its.Text = marked([&](StringRef Name) {
    const bool Theirs = S.Expressions && isOfProgram(Name, At);
    if (Theirs && !std::exchange(Told, true))
      S.warn((Name + " is the program's " + Name + "; $" + Name +
              " is the register")
                 .str());
    return !Theirs;
  });
  ExpressionContext C = expressionContext(S.Store);
  std::unique_ptr<NameSource> Here =
      Names ? Names->at(PC, At.Inlined) : nullptr;
  C.Names = Here.get();
  if (auto E = Expression::compile(Its.Text, C))
    Its.Compiled = std::move(*E);
  else
    consumeError(E.takeError());
  return Its;
}

Expected<Expression> CompiledText::withoutNames() const {
  return Expression::compile(marked([](StringRef) { return true; }),
                             expressionContext(S.Store));
}

/// The quote that ends the character which begins at \p I; \p I if it is one
/// between digits: 1'000.
static size_t endOfCharacter(StringRef Text, size_t I) {
  if (I && isWord(Text[I - 1]))
    return I;
  for (++I; I < Text.size() && Text[I] != '\''; ++I)
    I += Text[I] == '\\';
  return I;
}

/// Where the bracket that \p Text begins with is closed; npos: nowhere.
static size_t closingBracket(StringRef Text) {
  unsigned Depth = 0;
  for (size_t I = 0; I < Text.size(); ++I) {
    if (Text[I] == '\'')
      I = endOfCharacter(Text, I);
    else if (Text[I] == '(')
      ++Depth;
    else if (Text[I] == ')' && !--Depth)
      return I;
  }
  return StringRef::npos;
}

bool isComputed(StringRef Text) {
  // Brackets around all of it say nothing.
  Text = Text.trim();
  while (Text.starts_with("(") && closingBracket(Text) == Text.size() - 1)
    Text = Text.drop_front().drop_back().trim();
  if (Text == "true" || Text == "false" ||
      (Text.starts_with("'") && endOfCharacter(Text, 0) == Text.size() - 1))
    return true;
  if (StringRef Of = Text.ltrim();
      Of.consume_front("sizeof") && Of.find_first_of("( \t") == 0)
    return true;
  unsigned Depth = 0;
  bool Operand = false; // it ends here
  bool Closed = false;  // by ")": it may be a type
  for (size_t I = 0; I < Text.size(); ++I) {
    const char C = Text[I];
    if (C == ' ' || C == '\t')
      continue;
    if (std::exchange(Closed, false) &&
        (isWord(C) || StringRef("($'").contains(C)))
      return true;
    if (C == '\'') {
      I = endOfCharacter(Text, I);
      Operand = true;
    } else if (C == '(' || C == '[') {
      ++Depth;
      Operand = false;
    } else if (C == ')' || C == ']') {
      Depth -= Depth != 0;
      Operand = true;
      Closed = C == ')' && !Depth;
    } else if (C == '-' && Text.substr(I).starts_with("->")) {
      ++I;
    } else if (Depth) {
      Operand |= isWord(C);
    } else if (StringRef("+-*/%&|^<>=!?~").contains(C)) {
      if (Operand || StringRef("!~-+").contains(C))
        return !Text.substr(I + 1).ltrim().empty();
    } else {
      Operand = true;
    }
  }
  return false;
}

Value computedValue(NumberType Type, bool Truth, uint64_t N) {
  auto Its = std::make_shared<rw::Type>();
  Its->Kind = Truth          ? TypeKind::Bool
              : Type.Address ? TypeKind::Pointer
              : Type.Float   ? TypeKind::Float
              : Type.Char    ? TypeKind::Char
              : Type.Signed  ? TypeKind::Signed
                             : TypeKind::Unsigned;
  Its->Size = Truth ? 1 : Type.Bytes;
  Its->Signed = Type.Signed;
  Its->Float = Type.Bytes == 4 ? FloatKind::Single : FloatKind::Double;
  if (Type.Float && !Truth && Type.Bytes == 4)
    N = bit_cast<uint32_t>(float(bit_cast<double>(N)));
  Value V(Its->Size);
  for (size_t B = 0; B < V.Bytes.size(); ++B) {
    V.Bytes[B] = uint8_t(N >> 8 * B);
    V.Known[B] = 1;
  }
  V.Type = std::move(Its);
  return V;
}

} // namespace rw
