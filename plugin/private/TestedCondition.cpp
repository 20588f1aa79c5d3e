//===- TestedCondition.cpp - Conditions LLDB cannot interpret -------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/private/TestedCondition.h"
#include "core/expr/ExpressionSize.h"
#include "core/store/TraceStore.h"
#include "core/support/Backoff.h"
#include "lldb/API/LLDB.h"
#include "lldb/Core/AddressRange.h"
#include "lldb/Expression/DiagnosticManager.h"
#include "lldb/Expression/ExpressionVariable.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Symbol/TypeSystem.h"
#include "lldb/Target/ExecutionContext.h"
#include "lldb/Target/ExecutionContextScope.h"
#include "lldb/Target/Thread.h"
#include "lldb/ValueObject/ValueObject.h"
#include "plugin/FoldedExpression.h"
#include "plugin/InterruptedEvaluation.h"
#include "plugin/LoadedTrace.h"
#include "plugin/ScopedNames.h"
#include "plugin/UnknownVariables.h"
#include "plugin/private/DebuggerState.h"
#include "plugin/private/ExpressionErrors.h"
#include "plugin/private/NamedValue.h"
#include "plugin/private/PrivateLLDB.h"
#include <thread>

using namespace lldb;
using llvm::StringRef;

// What LLDB's library has of these, and does not let us use.
namespace lldb_private {
Expression::Expression(ExecutionContextScope &Scope)
    : m_target_wp(Scope.CalculateTarget()),
      m_jit_process_wp(Scope.CalculateProcess()),
      m_jit_start_addr(LLDB_INVALID_ADDRESS),
      m_jit_end_addr(LLDB_INVALID_ADDRESS) {}
UserExpression::UserExpression(ExecutionContextScope &Scope, StringRef Text,
                               StringRef Prefix, SourceLanguage Language,
                               ResultType Type,
                               const EvaluateExpressionOptions &Options)
    : Expression(Scope), m_expr_text(Text), m_expr_prefix(Prefix),
      m_language(Language), m_desired_type(Type), m_options(Options) {}
UserExpression::~UserExpression() = default;
char UserExpression::ID;
// Options may have some; ours have none.
AddressRange::~AddressRange() = default;
SymbolContext::~SymbolContext() = default;
SymbolContextList::SymbolContextList() = default;
SymbolContextList::~SymbolContextList() = default;
ExpressionVariable::ExpressionVariable() : m_flags(EVNone) {}
char ExpressionVariable::ID;
} // namespace lldb_private

namespace rw {
struct ImplOfResult {
  typedef ValueObjectSP (SBValue::*type)() const;
  friend type memberOf(ImplOfResult);
};
template struct Expose<ImplOfResult, &SBValue::GetSP>;

struct ExecuteOf {
  typedef ExpressionResults (lldb_private::UserExpression::*type)(
      lldb_private::DiagnosticManager &, lldb_private::ExecutionContext &,
      const lldb_private::EvaluateExpressionOptions &, UserExpressionSP &,
      ExpressionVariableSP &);
  friend type memberOf(ExecuteOf);
};
template struct Expose<ExecuteOf, &lldb_private::UserExpression::DoExecute>;
} // namespace rw

using namespace rw;

namespace {
struct TestResult final : lldb_private::ExpressionVariable {
  explicit TestResult(ValueObjectSP Value) { m_frozen_sp = std::move(Value); }
};
} // namespace

ConditionStandIn::ConditionStandIn(lldb_private::ExecutionContextScope &Process,
                                   StringRef Text, const TruthValues &Truth,
                                   std::weak_ptr<LoadedTrace> Trace)
    : UserExpression(Process, Text, "", {}, eResultTypeAny, {}), Truth(Truth),
      Trace(std::move(Trace)) {}

char TestedCondition::ID;

TestedCondition::TestedCondition(lldb_private::ExecutionContextScope &Process,
                                 StringRef Text, const TruthValues &Truth,
                                 std::weak_ptr<LoadedTrace> Trace)
    : ConditionStandIn(Process, Text, Truth, std::move(Trace)) {}

static ExpressionResults fail(lldb_private::DiagnosticManager &Problems,
                              std::string Text) {
  lldb_private::DiagnosticDetail Why;
  Why.severity = eSeverityError;
  Why.message = Why.rendered = std::move(Text);
  Problems.AddDiagnostic(std::make_unique<lldb_private::Diagnostic>(
      lldb_private::eDiagnosticOriginLLDB,
      lldb_private::LLDB_INVALID_COMPILER_ID, std::move(Why)));
  return eExpressionSetupError;
}

TruthValues::TruthValues(SBTarget Target) {
  for (const bool B : {false, true}) {
    const uint8_t Byte = B;
    SBError Error;
    SBData Data;
    Data.SetDataWithOwnership(Error, const_cast<uint8_t *>(&Byte), 1,
                              Target.GetByteOrder(),
                              uint8_t(Target.GetAddressByteSize()));
    SBValue V = Target.CreateValueFromData(
        "condition", Data, Target.GetBasicType(eBasicTypeUnsignedChar));
    Values[B] = (V.*memberOf(ImplOfResult()))();
  }
}

/// LLDB takes this lock when it is asked for a value. SBProcess::Stop and
/// lldb-dap, which runs `process interrupt`, hold it until the process has
/// stopped: nothing is to wait for it then. False if so.
static bool lockTarget(std::unique_lock<SBMutex> &API,
                       const std::weak_ptr<LoadedTrace> &Trace) {
  for (Backoff Look(std::chrono::microseconds(256)); !API.try_lock();
       Look.pause()) {
    auto T = Trace.lock();
    auto LLDB = T ? T->debuggerState() : nullptr;
    if (LLDB && (T->stopWanted() || LLDB->stopWanted()))
      return false;
  }
  return true;
}

ExpressionResults
ConditionStandIn::endHere(ExpressionVariableSP &Result) const {
  if (auto T = Trace.lock())
    T->wantStop(true);
  return tell(false, Result);
}

ExpressionResults ConditionStandIn::goOn(ExpressionVariableSP &Result) const {
  return tell(false, Result);
}

ExpressionResults ConditionStandIn::tell(bool Holds,
                                         ExpressionVariableSP &Result) const {
  Result = std::make_shared<TestResult>(Truth[Holds]);
  return eExpressionCompleted;
}

std::optional<bool>
ConditionStandIn::outcome(lldb_private::ExecutionContext &Context) const {
  auto T = Trace.lock();
  const ThreadSP &Thread = Context.GetThreadSP();
  if (!T || !Thread)
    return std::nullopt;
  const ReplayStop Stop = T->engine().lastStop();
  const auto &Threads = T->store().header().Threads;
  if (Stop.What != ReplayStop::Breakpoint || Stop.Thread >= Threads.size() ||
      Threads[Stop.Thread].Id != Thread->GetID())
    return std::nullopt;
  for (const auto &[Text, Holds] : Stop.Reason.Outcomes)
    if (Text == m_expr_text)
      return Holds;
  return std::nullopt;
}

ExpressionResults
TestedCondition::DoExecute(lldb_private::DiagnosticManager &Problems,
                           lldb_private::ExecutionContext &Context,
                           const lldb_private::EvaluateExpressionOptions &,
                           UserExpressionSP &, ExpressionVariableSP &Result) {
  if (const auto Known = outcome(Context))
    return tell(*Known, Result);
  if (llvm::Error E = checkExpressionSize(m_expr_text))
    return fail(Problems, llvm::toString(std::move(E)));
  const SBTarget Target = publicTarget(Context.GetTargetSP());
  SBMutex Mutex = Target.GetAPIMutex();
  std::unique_lock<SBMutex> API(Mutex, std::defer_lock);
  if (!lockTarget(API, Trace))
    return goOn(Result);
  const InterruptedEvaluation Interrupted;
  SBFrame Frame = publicFrame(Context.GetFrameSP());
  std::string Meaning = m_expr_text;
  if (auto T = Trace.lock()) {
    auto Text = T->names().text(Frame, m_expr_text);
    if (!Text)
      return fail(Problems, llvm::toString(Text.takeError()));
    Meaning = std::move(*Text);
  }
  SBValue V = interpret(Frame, Meaning);
  const bool Interpreted = isGood(V);
  const std::string Problem = Interpreted ? "" : problemOf(V);
  std::optional<std::string> Why; // it has no value with what LLDB did not know
  if (needsConstants(Problem))
    if (SBValue Folded = interpretFolded(Frame, Meaning); Folded.IsValid()) {
      V = Folded;
      if (!isGood(V))
        Why = plainReason(Frame, m_expr_text, problemOf(V));
    }
  const bool Divides = dividesByZero(Frame, Meaning);
  const std::string Reason =
      Divides     ? "division by zero"
      : isGood(V) ? ""
      : Why       ? *Why
                  : plainReason(Frame, m_expr_text, Problem).value_or(Problem);
  if (!isGood(V) && Interrupted.any())
    return endHere(Result);
  if (!Reason.empty())
    return fail(Problems, Reason);
  const auto Recording = Trace.lock();
  const std::optional<bool> Holds =
      Recording ? isNotZero(V, Recording->store().header().Architecture)
                : std::nullopt;
  if (!Holds)
    return fail(Problems, "it is neither true nor false");
  // LLDB's interpreter gives a division by zero a value, reads variables that
  // it does not need, and takes 0.5 for false.
  Plain = Interpreted && Meaning == m_expr_text &&
          !(V.GetType().GetCanonicalType().GetTypeFlags() & eTypeIsFloat) &&
          !placeUnread(Frame, m_expr_text) &&
          StringRef(m_expr_text).find_first_of("/%") == StringRef::npos;
  return tell(*Holds, Result);
}

char CompiledCondition::ID;

CompiledCondition::CompiledCondition(
    lldb_private::ExecutionContextScope &Process, StringRef Text,
    const TruthValues &Truth, std::weak_ptr<LoadedTrace> Trace)
    : ConditionStandIn(Process, Text, Truth, std::move(Trace)) {}

/// Nothing if whoever holds the target's lock waits for the process to stop.
std::optional<LanguageType>
CompiledCondition::languageAt(lldb_private::ExecutionContext &Context) const {
  SBMutex Mutex = publicTarget(Context.GetTargetSP()).GetAPIMutex();
  std::unique_lock<SBMutex> API(Mutex, std::defer_lock);
  if (!lockTarget(API, Trace))
    return std::nullopt;
  return publicFrame(Context.GetFrameSP()).GetCompileUnit().GetLanguage();
}

/// As BreakpointLocation compiles it, which would test it at once, too. Null if
/// \p Problems say why not.
UserExpressionSP
CompiledCondition::compile(lldb_private::DiagnosticManager &Problems,
                           lldb_private::ExecutionContext &Context,
                           LanguageType Language) const {
  const TypeSystemSP Types = typeSystemOf(Truth[false]);
  if (!Types)
    return nullptr;
  UserExpressionSP E(Types->GetUserExpression(
      m_expr_text, "",
      lldb_private::SourceLanguage(
          llvm::dwarf::toDW_LNAME(llvm::dwarf::SourceLanguage(Language))),
      eResultTypeAny, {}, nullptr));
  if (E &&
      !E->Parse(Problems, Context, lldb_private::eExecutionPolicyOnlyWhenNeeded,
                /*keep_result_in_memory=*/true,
                /*generate_debug_info=*/false))
    E = nullptr;
  return E;
}

ExpressionResults CompiledCondition::DoExecute(
    lldb_private::DiagnosticManager &Problems,
    lldb_private::ExecutionContext &Context,
    const lldb_private::EvaluateExpressionOptions &Options, UserExpressionSP &,
    ExpressionVariableSP &Result) {
  if (const auto Known = outcome(Context))
    return tell(*Known, Result);
  if (!Compiled) {
    const auto Language = languageAt(Context);
    if (!Language)
      return goOn(Result);
    Compiled = compile(Problems, Context, *Language);
  }
  const ExpressionResults Done =
      Compiled ? ((*Compiled).*memberOf(ExecuteOf()))(Problems, Context,
                                                      Options, Compiled, Result)
               : eExpressionParseError;
  SBDebugger Debugger = publicTarget(Context.GetTargetSP()).GetDebugger();
  if (Done != eExpressionCompleted &&
      (wasInterrupted(Debugger, "") ||
       llvm::any_of(Problems.Diagnostics(), [&](const auto &Problem) {
         return wasInterrupted(Debugger, Problem->GetMessage());
       }))) {
    // It keeps the memory of its result, and would refuse to run again.
    Compiled = nullptr;
    return endHere(Result);
  }
  return Done;
}
