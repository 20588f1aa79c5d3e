//===- FindIf.cpp - rewind find --if --------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/questions/FindTarget.h"
#include "commands/support/AddressExpression.h"
#include "commands/support/CompiledText.h"
#include "commands/support/SessionInput.h"
#include "commands/support/UnknownName.h"
#include "core/expr/Expression.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/DenseSet.h"
#include <chrono>

using namespace llvm;

namespace rw {

namespace {

class IfTarget final : public NarrowedTarget {
public:
  IfTarget(Session &S, std::unique_ptr<FindTarget> Inner,
           CompiledText Condition)
      : NarrowedTarget(S, std::move(Inner)), Condition(std::move(Condition)),
        Near(StateCursor::openRegisters(S.Store)) {}

  Answer last(Moment Before) override {
    return orProblem(NarrowedTarget::last(Before));
  }
  Answer from(Moment First) override {
    return orProblem(NarrowedTarget::from(First));
  }
  Expected<std::string> remark(Moment M, uint64_t Nth,
                               json::Object &Json) override {
    return Inner->remark(M, Nth, Json);
  }

private:
  Expected<bool> wanted(Moment M) override;
  std::string unknownThing() const override {
    const bool Divides =
        Condition.given().find_first_of("/%") != StringRef::npos;
    return std::string("of which it is not known whether the condition holds") +
           (Divides ? ", or for which it divides by zero" : "");
  }
  Expected<std::optional<bool>> ask(StringRef Text, Place At);
  CompiledText Condition;
  const std::unique_ptr<StateCursor> Near;
  std::chrono::steady_clock::duration Spent{}; ///< when that was asked
  std::chrono::steady_clock::duration First{}; ///< the first time: with set-up
  uint64_t NumAsked = 0;
  bool ToldSlow = false;
  /// Nothing was found: it may be the text that is wrong.
  Answer orProblem(Answer A) const {
    if (A && !*A && !Understood && !Problem.empty())
      return usageError(Problem);
    return A;
  }
  bool Understood = false;   ///< the text, at some visit
  std::string Problem;       ///< why it was not, at the first one
  DenseSet<uint64_t> Failed; ///< places of the code
  /// Those that do not know a name of it, at any time.
  DenseSet<uint64_t> Nameless;
};

} // namespace

/// Asks who knows more of the language, and tells who waits why, once.
Expected<std::optional<bool>> IfTarget::ask(StringRef Text, Place At) {
  using namespace std::chrono;
  const auto Began = steady_clock::now();
  auto Is = S.Expressions->test(Text, At);
  Spent += steady_clock::now() - Began;
  if (++NumAsked == 1) {
    First = Spent;
    return Is;
  }
  const auto Each =
      duration_cast<milliseconds>((Spent - First) / (NumAsked - 1)).count();
  if (S.inDebugger() && Spent > milliseconds(500) && Each > 0 &&
      !std::exchange(ToldSlow, true))
    S.warn("LLDB evaluates this condition, which takes " +
           std::to_string(Each) +
           " ms a visit; what is made of registers, memory, variables and "
           "numbers takes microseconds");
  return Is;
}

Expected<bool> IfTarget::wanted(Moment M) {
  if (M >= S.Store.numInstructions())
    return false;
  auto I = Near->placeAt(M);
  if (!I)
    return I.takeError();
  const uint64_t PC = (*I)->Insn.PC;
  const Place At{(*I)->Thread, M, depthAt(PC)};
  if (Nameless.contains(PC)) {
    if (Error E = S.Watch.check())
      return E;
    ++NumUnknown;
    return false;
  }
  const auto &[Text, Compiled] = Condition.at(At, PC);
  auto Is = [&]() -> Expected<std::optional<bool>> {
    if (!Compiled)
      return ask(Text, At);
    SessionInput Input(S, At, Near.get());
    auto V = Compiled->test(Input);
    if (!V)
      return V.takeError();
    return *V ? std::optional<bool>(**V != 0) : std::nullopt;
  }();
  if (!Is && Is.errorIsA<NoSuchName>())
    Nameless.insert(PC);
  // Where none of the places understands it, it is the text that is wrong: of
  // several functions of a name only some may have a variable.
  if (!Is && !Understood && !Compiled) {
    const std::string Why = toString(Is.takeError());
    if (Problem.empty())
      Problem = Why;
    Failed.insert(PC);
    if (Failed.size() >= numPlaces())
      return usageError(Problem);
    ++NumUnknown;
    return false;
  }
  // Elsewhere a variable may have no place, or one that LLDB does not
  // understand: that takes no other answer away.
  if (!Is && !Compiled) {
    consumeError(Is.takeError());
    Is = std::nullopt;
  }
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
  if (Error E = checkQuoted(S, Condition))
    return E;
  CompiledText Meant(S, Condition);
  // What a debugger or an image is not asked for is wrong once and for all.
  if (!S.Expressions)
    if (auto E = Meant.withoutNames(); !E)
      return usageError("'" + Condition + "': " + toString(E.takeError()));
  return std::make_unique<IfTarget>(S, std::move(Inner), std::move(Meant));
}

} // namespace rw
