//===- FindIf.cpp - rewind find --if --------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/questions/FindTarget.h"
#include "commands/support/SessionInput.h"
#include "core/expr/Expression.h"
#include "core/store/TraceStore.h"

using namespace llvm;

namespace rw {

namespace {

class IfTarget final : public FindTarget {
public:
  IfTarget(Session &S, std::unique_ptr<FindTarget> Inner, StringRef Text,
           std::optional<Expression> Compiled)
      : S(S), Inner(std::move(Inner)), Text(Text),
        Compiled(std::move(Compiled)) {}

  bool scans() const override { return Inner->scans(); }
  uint64_t unknown() const override { return NumUnknown; }
  StringRef scanned() const override { return Inner->scanned(); }
  std::optional<Moment> cut() const override {
    return Cut ? Cut : Inner->cut();
  }
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
  Session &S;
  const std::unique_ptr<FindTarget> Inner;
  const std::string Text;
  const std::optional<Expression> Compiled;
  bool Understood = false; ///< the text, at some visit
  uint64_t NumUnknown = 0;
};

} // namespace

Expected<bool> IfTarget::holds(Moment M) {
  if (M >= S.Store.numInstructions())
    return false;
  auto T = S.Store.threadAt(M);
  if (!T)
    return T.takeError();
  const Place At{*T, M};
  auto Is = [&]() -> Expected<std::optional<bool>> {
    if (!Compiled)
      return S.Expressions->test(Text, At);
    SessionInput Input(S, At);
    auto V = Compiled->test(Input);
    if (!V)
      return V.takeError();
    return *V ? std::optional<bool>(**V != 0) : std::nullopt;
  }();
  // Where it is looked at first, it is the text that is wrong.
  if (!Is && !std::exchange(Understood, true))
    return usageError(toString(Is.takeError()));
  if (!Is)
    return Is.takeError();
  Understood = true;
  // What the user did not wait for may be known.
  if (!*Is)
    if (Error E = S.Watch.check())
      return E;
  // What is not known does not hold, but whoever counts is told.
  NumUnknown += !*Is;
  return Is->value_or(false);
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
