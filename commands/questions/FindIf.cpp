//===- FindIf.cpp - rewind find --if --------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/questions/FindTarget.h"
#include "commands/support/AddressExpression.h"
#include "commands/support/SessionInput.h"
#include "core/expr/Expression.h"
#include "core/store/TraceStore.h"
#include "core/support/Words.h"
#include <chrono>
#include <unordered_map>

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
  std::optional<bool> signedChar() override { return Names->signedChar(); }

private:
  const std::unique_ptr<NameSource> Names;
  const RegisterFile &Registers;
};

/// A condition as commands understand names: a register's means the register,
/// "(x0)" the program's x0.
struct MeantCondition {
  MeantCondition(const RegisterFile &Registers, StringRef Text);
  std::string Text;                ///< with '$' before registers
  std::vector<std::string> Marked; ///< names that have got one
};

class IfTarget final : public NarrowedTarget {
public:
  IfTarget(Session &S, std::unique_ptr<FindTarget> Inner, MeantCondition Meant)
      : NarrowedTarget(S, std::move(Inner)), Text(std::move(Meant.Text)),
        Marked(std::move(Meant.Marked)),
        Names(S.Expressions ? S.Expressions->names() : nullptr),
        Near(StateCursor::openRegisters(S.Store)) {}

  Answer last(Moment Before) override {
    return orProblem(NarrowedTarget::last(Before));
  }
  Answer from(Moment First) override {
    return orProblem(NarrowedTarget::from(First));
  }
  uint64_t unknown() const override { return NumUnknown; }
  bool divides() const override {
    return StringRef(Text).find_first_of("/%") != StringRef::npos;
  }
  Expected<std::string> remark(Moment M, uint64_t Nth,
                               json::Object &Json) override {
    return Inner->remark(M, Nth, Json);
  }

private:
  Expected<bool> wanted(Moment M) override;
  const Expression *compiledAt(uint64_t PC);
  Expected<std::optional<bool>> ask(Place At);
  const std::string Text;
  std::vector<std::string> Marked; ///< until they have been looked at
  ProgramNames *const Names;
  const std::unique_ptr<StateCursor> Near;
  /// What a name means, and where it is, depends on the place in the code; none
  /// where it takes ExpressionSource::test().
  std::unordered_map<uint64_t, std::optional<Expression>> ByCode;
  std::chrono::steady_clock::duration Spent{}; ///< when that was asked
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
  uint64_t NumUnknown = 0;
};

} // namespace

MeantCondition::MeantCondition(const RegisterFile &Registers, StringRef Given) {
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
        isWord(C) && !isDigit(C) && C != '$' ? Registers.find(W) : nullptr;
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

const Expression *IfTarget::compiledAt(uint64_t PC) {
  auto [It, New] = ByCode.try_emplace(PC);
  std::optional<Expression> &Its = It->second;
  if (New) {
    ExpressionContext C = expressionContext(S.Store);
    std::optional<CommandNames> Seen;
    if (Names) {
      for (const std::string &Name : std::exchange(Marked, {}))
        if (Names->at(PC, depthAt(PC))->variable(Name))
          S.warn(Name + " is the register " + Name + "; (" + Name +
                 ") is the program's " + Name);
      C.Names =
          &Seen.emplace(Names->at(PC, depthAt(PC)), S.Store.registerFile());
    }
    if (auto E = Expression::compile(Text, C))
      Its = std::move(*E);
    else
      consumeError(E.takeError());
  }
  return Its ? &*Its : nullptr;
}

/// Asks who knows more of the language, and tells who waits why, once.
Expected<std::optional<bool>> IfTarget::ask(Place At) {
  using namespace std::chrono;
  const auto Began = steady_clock::now();
  auto Is = S.Expressions->test(Text, At);
  Spent += steady_clock::now() - Began;
  const auto Each = duration_cast<milliseconds>(Spent / ++NumAsked).count();
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
  const Expression *Compiled = compiledAt(PC);
  auto Is = [&]() -> Expected<std::optional<bool>> {
    if (!Compiled)
      return ask(At);
    SessionInput Input(S, At, Near.get());
    auto V = Compiled->test(Input);
    if (!V)
      return V.takeError();
    return *V ? std::optional<bool>(**V != 0) : std::nullopt;
  }();
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
  MeantCondition Meant(S.Store.registerFile(), Condition);
  // What a debugger or an image is not asked for is wrong once and for all.
  if (!S.Expressions)
    if (auto E = Expression::compile(Meant.Text, expressionContext(S.Store));
        !E)
      return usageError("'" + Condition + "': " + toString(E.takeError()));
  return std::make_unique<IfTarget>(S, std::move(Inner), std::move(Meant));
}

} // namespace rw
