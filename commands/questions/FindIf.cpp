//===- FindIf.cpp - rewind find --if --------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/questions/FindTarget.h"
#include "commands/support/Format.h"
#include "core/expr/StoreInput.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace rw {

namespace {

/// What images tell of read-only memory counts as known.
class SessionInput final : public StoreInput {
public:
  SessionInput(const Session &S, Place At)
      : StoreInput(S.Store, At.Thread, At.When), S(S) {}

protected:
  Error bytes(uint64_t Addr, MutableArrayRef<uint8_t> Bytes,
              MutableArrayRef<uint8_t> Known) override {
    Location L;
    L.Addr = Addr;
    L.Size = Bytes.size();
    auto V = readLocation(S, L, M);
    if (!V)
      return V.takeError();
    llvm::copy(V->Bytes, Bytes.begin());
    llvm::copy(V->Known, Known.begin());
    return Error::success();
  }

private:
  const Session &S;
};

/// "lvalue == 5": what the shell understands beside core/expr.
struct Comparison {
  StringRef Left, Operator, Right;
};

class IfTarget final : public FindTarget {
public:
  IfTarget(Session &S, std::unique_ptr<FindTarget> Inner, StringRef Text,
           std::optional<Expression> Compiled)
      : S(S), Inner(std::move(Inner)), Text(Text),
        Compiled(std::move(Compiled)) {}

  bool scans() const override { return Inner->scans(); }
  StringRef scanned() const override { return Inner->scanned(); }
  Answer last(Moment Before) override {
    return lastWanted(
        S, Before, [&](Moment M) { return Inner->last(M); },
        [&](Moment M) { return holds(M); });
  }
  Answer from(Moment First) override {
    return firstWanted(
        S, First, [&](Moment M) { return Inner->from(M); },
        [&](Moment M) { return holds(M); });
  }
  Expected<std::string> remark(Moment M, json::Object &Json) override {
    return Inner->remark(M, Json);
  }

private:
  Expected<bool> holds(Moment M);
  Expected<bool> holdsAsText(Place At);
  Expected<bool> compare(const Comparison &C, Place At);
  /// A value, or the text of one that is no number (an enumerator's name).
  struct Operand {
    std::optional<uint64_t> Number;
    bool Signed = true;
    std::string Text;
  };
  Expected<Operand> operand(StringRef Text, Place At);

  Session &S;
  const std::unique_ptr<FindTarget> Inner;
  const std::string Text;
  const std::optional<Expression> Compiled;
  bool Understood = false; ///< the text, at some visit
};

} // namespace

/// The first comparison outside of brackets; none if there is none.
static std::optional<Comparison> splitComparison(StringRef Text) {
  unsigned Depth = 0;
  for (size_t I = 0; I < Text.size(); ++I) {
    const char C = Text[I];
    Depth += C == '(' || C == '[';
    Depth -= Depth && (C == ')' || C == ']');
    if (C == '-' && Text.substr(I).starts_with("->"))
      ++I;
    else if (!Depth)
      for (StringRef Op : {"==", "!=", "<=", ">=", "<", ">"})
        if (Text.substr(I).starts_with(Op))
          return Comparison{Text.take_front(I).trim(), Op,
                            Text.drop_front(I + Op.size()).trim()};
  }
  return std::nullopt;
}

Expected<IfTarget::Operand> IfTarget::operand(StringRef Text, Place At) {
  Operand R;
  R.Text = Text.str();
  if (int64_t N; !Text.getAsInteger(0, N)) {
    R.Number = uint64_t(N);
    return R;
  }
  if (uint64_t N; !Text.getAsInteger(0, N)) {
    R.Number = N;
    R.Signed = false;
    return R;
  }
  auto L = parseLocation(S, At, Text, std::nullopt);
  if (!L)
    return L.takeError();
  auto V = readLocation(S, *L, At.When);
  if (!V)
    return V.takeError();
  R.Number = V->number();
  R.Signed = V->Type && V->Type->Signed;
  if (R.Number && R.Signed)
    R.Number = uint64_t(SignExtend64(
        *R.Number, V->FieldWidth ? V->FieldWidth : 8 * V->Bytes.size()));
  R.Text = shown(S, *V);
  return R;
}

Expected<bool> IfTarget::compare(const Comparison &C, Place At) {
  auto L = operand(C.Left, At);
  if (!L)
    return L.takeError();
  // What has no value is in no relation.
  if (!L->Number)
    return false;
  auto R = operand(C.Right, At);
  if (!R) {
    // RED: the name of a value of an enum, or true.
    const bool IsName = !C.Right.empty() && all_of(C.Right, [](char Letter) {
      return isAlnum(Letter) || Letter == '_';
    });
    if (!IsName || (C.Operator != "==" && C.Operator != "!="))
      return R.takeError();
    consumeError(R.takeError());
    return (L->Text == C.Right) == (C.Operator == "==");
  }
  if (!R->Number)
    return false;
  const bool Signed = L->Signed && R->Signed;
  const uint64_t A = *L->Number, B = *R->Number;
  const bool Less = Signed ? int64_t(A) < int64_t(B) : A < B;
  if (C.Operator == "==")
    return A == B;
  if (C.Operator == "!=")
    return A != B;
  if (C.Operator == "<")
    return Less;
  if (C.Operator == "<=")
    return Less || A == B;
  if (C.Operator == ">")
    return !Less && A != B;
  return !Less;
}

Expected<bool> IfTarget::holds(Moment M) {
  if (M >= S.Store.numInstructions())
    return false;
  auto T = S.Store.threadAt(M);
  if (!T)
    return T.takeError();
  const Place At{*T, M};
  if (Compiled) {
    SessionInput Input(S, At);
    auto V = Compiled->test(Input);
    if (!V)
      return V.takeError();
    return *V && **V != 0;
  }
  if (S.inDebugger()) {
    auto V = S.Expressions->evaluate(Text, At, {});
    if (!V)
      return V.takeError();
    StringRef Its = V->Text;
    double Number;
    if (Its == "true" || Its == "false")
      return Its == "true";
    if (uint64_t N; !Its.getAsInteger(0, N))
      return N != 0;
    if (!Its.getAsDouble(Number))
      return Number != 0;
    return userError("'" + Text + "' is no condition: its value is " + Its);
  }
  auto Is = holdsAsText(At);
  // Where it is looked at first, it is the text that is wrong.
  if (!Is && !std::exchange(Understood, true))
    return usageError(toString(Is.takeError()));
  Understood = true;
  return Is;
}

Expected<bool> IfTarget::holdsAsText(Place At) {
  // All of them must hold.
  SmallVector<StringRef, 2> Parts;
  StringRef(Text).split(Parts, "&&");
  for (StringRef Part : Parts) {
    auto C = splitComparison(Part.trim());
    Comparison Truth{Part.trim(), "!=", "0"};
    auto Is = compare(C ? *C : Truth, At);
    if (!Is || !*Is)
      return Is;
  }
  return true;
}

Expected<std::unique_ptr<FindTarget>>
findIf(Session &S, std::unique_ptr<FindTarget> Inner, StringRef Condition) {
  // What is of registers and memory only is evaluated in the store.
  auto Compiled = Expression::compile(
      Condition, {S.Store.registerFile(),
                  S.Store.header().Architecture == Arch::Arm ? 4u : 8u});
  if (Compiled)
    return std::make_unique<IfTarget>(S, std::move(Inner), Condition,
                                      std::move(*Compiled));
  if (!S.Expressions)
    return usageError("'" + Condition + "': " + toString(Compiled.takeError()));
  consumeError(Compiled.takeError());
  return std::make_unique<IfTarget>(S, std::move(Inner), Condition,
                                    std::nullopt);
}

} // namespace rw
