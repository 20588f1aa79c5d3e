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

namespace {

/// Names of the program, and those of registers that it does not have.
class CommandNames final : public NameSource {
public:
  CommandNames(std::unique_ptr<NameSource> Names, const RegisterFile &Registers)
      : Names(std::move(Names)), Registers(Registers) {}
  std::optional<Thing> variable(StringRef Name) override {
    if (auto Its = Names ? Names->variable(Name) : std::nullopt)
      return Its;
    const RegisterInfo *R = Registers.find(Name);
    if (!R)
      return std::nullopt;
    const unsigned Bytes = R->Slice.Size;
    if (R->IsPC || R->Format == RegisterFormat::Float ||
        R->Format == RegisterFormat::Vector || (Bytes != 4 && Bytes != 8))
      return std::nullopt;
    DataType T;
    T.Bytes = Bytes;
    T.Number = {uint8_t(Bytes), false};
    return Thing{0, T, R->Slice, /*Held=*/true};
  }
  std::optional<Thing> member(const DataType &Of, StringRef Name) override {
    return Names->member(Of, Name);
  }
  std::optional<DataType> element(const DataType &Of) override {
    return Names->element(Of);
  }
  std::optional<DataType> type(StringRef Name) override {
    return Names->type(Name);
  }
  std::optional<uint64_t> enumerator(StringRef Name) override {
    return Names->enumerator(Name);
  }
  std::optional<bool> signedChar() override { return Names->signedChar(); }

private:
  const std::unique_ptr<NameSource> Names;
  const RegisterFile &Registers;
};

} // namespace

CompiledText::CompiledText(Session &S, StringRef Given, Registers Named)
    : S(S), Names(S.Expressions ? S.Expressions->names() : nullptr) {
  if (Named == Registers::AsDebugger) {
    Text = Given.str();
    return;
  }
  const RegisterFile &File = S.Store.registerFile();
  for (size_t I = 0, End; I < Given.size(); I = End) {
    const char C = Given[I];
    End = I + 1;
    if (C == '\'' || C == '"')
      while (End < Given.size() && Given[End++] != C)
        End += Given[End - 1] == '\\';
    else if (isWord(C))
      End = std::min(Given.find_if_not(isWord, I), Given.size());
    const StringRef W = Given.slice(I, End);
    const StringRef Before = Given.take_front(I).rtrim(),
                    After = Given.drop_front(End).ltrim();
    const RegisterInfo *R =
        isWord(C) && !isDigit(C) && C != '$' ? File.find(W) : nullptr;
    // In letters of another size it may be the program's.
    if (R && !isRegisterFirst(*R, W))
      R = nullptr;
    // Those of numbers that are not whole the program's parser knows as they
    // are.
    const bool IsWhole = R && R->Format != RegisterFormat::Float &&
                         R->Format != RegisterFormat::Vector;
    const bool IsPart = Before.ends_with(".") || Before.ends_with("->") ||
                        Before.ends_with("::") || After.starts_with("::") ||
                        After.starts_with("(") || After.starts_with(".") ||
                        After.starts_with("->");
    const bool IsAlone = Before.ends_with("(") && After.starts_with(")");
    const StringRef Left =
        Before.ends_with("&") ? Before.drop_back().rtrim() : StringRef("x");
    const bool IsAddressed =
        !Before.ends_with("&&") &&
        (Left.empty() || StringRef("(,!~+-*/%&|^<>=?:").contains(Left.back()));
    if (IsWhole && !IsPart && !IsAlone && !IsAddressed) {
      Text += '$';
      Marked.push_back(W.str());
    }
    Text += W;
  }
}

const Expression *CompiledText::at(uint64_t PC,
                                   std::optional<unsigned> Inlined) {
  auto [It, New] = ByCode.try_emplace(PC);
  std::optional<Expression> &Its = It->second;
  if (New) {
    ExpressionContext C = expressionContext(S.Store);
    std::optional<CommandNames> Seen;
    if (Names) {
      for (const std::string &Name : std::exchange(Marked, {}))
        if (Names->at(PC, Inlined)->variable(Name))
          S.warn(Name + " is the register " + Name + "; (" + Name +
                 ") is the program's " + Name);
      C.Names = &Seen.emplace(Names->at(PC, Inlined), S.Store.registerFile());
    }
    if (auto E = Expression::compile(Text, C))
      Its = std::move(*E);
    else
      consumeError(E.takeError());
  }
  return Its ? &*Its : nullptr;
}

bool isComputed(StringRef Text) {
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
    if (C == '(' || C == '[') {
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
  Its->Kind = Truth         ? TypeKind::Bool
              : Type.Float  ? TypeKind::Float
              : Type.Signed ? TypeKind::Signed
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
