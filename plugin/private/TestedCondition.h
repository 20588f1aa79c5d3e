//===- TestedCondition.h - Conditions LLDB cannot interpret -----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_PRIVATE_TESTEDCONDITION_H
#define REWIND_PLUGIN_PRIVATE_TESTEDCONDITION_H

#include "lldb/API/SBTarget.h"
#include "lldb/Expression/UserExpression.h"
#include <atomic>

namespace rw {

class LoadedTrace;

/// False and true as LLDB wants the result of a condition: made ahead, since
/// that takes the target's lock.
class TruthValues {
public:
  explicit TruthValues(lldb::SBTarget Target);
  const lldb::ValueObjectSP &operator[](bool B) const { return Values[B]; }

private:
  lldb::ValueObjectSP Values[2];
};

/// What stands for the condition of a breakpoint, compiled. Uses private
/// headers of LLDB.
class ConditionStandIn : public lldb_private::UserExpression {
public:
  bool Parse(lldb_private::DiagnosticManager &,
             lldb_private::ExecutionContext &, lldb_private::ExecutionPolicy,
             bool, bool) override {
    return true;
  }
  bool CanInterpret() override { return true; }
  bool FinalizeJITExecution(lldb_private::DiagnosticManager &,
                            lldb_private::ExecutionContext &,
                            lldb::ExpressionVariableSP &, lldb::addr_t,
                            lldb::addr_t) override {
    return true;
  }

protected:
  ConditionStandIn(lldb_private::ExecutionContextScope &Process,
                   llvm::StringRef Text, const TruthValues &Truth,
                   std::weak_ptr<LoadedTrace> Trace);
  /// LLDB is to go on: the run that it asks for then ends where it begins, as
  /// one that is interrupted.
  lldb::ExpressionResults endHere(lldb::ExpressionVariableSP &Result) const;
  /// LLDB is to go on, too: somebody waits for a stop, which ends that run.
  lldb::ExpressionResults goOn(lldb::ExpressionVariableSP &Result) const;
  /// What the search that stopped here found it to be; nothing if it did not
  /// test it. LLDB, which knows fewer types and casts, is not asked again.
  std::optional<bool> outcome(lldb_private::ExecutionContext &Context) const;
  lldb::ExpressionResults tell(bool Holds,
                               lldb::ExpressionVariableSP &Result) const;

  const TruthValues Truth;
  const std::weak_ptr<LoadedTrace> Trace;
};

/// The condition of a breakpoint, in place of what LLDB would compile and, with
/// `?:` or floating-point numbers in it, could not interpret: is evaluated as
/// `p` would. Uses private headers of LLDB.
class TestedCondition final : public ConditionStandIn {
public:
  TestedCondition(lldb_private::ExecutionContextScope &Process,
                  llvm::StringRef Text, const TruthValues &Truth,
                  std::weak_ptr<LoadedTrace> Trace);

  /// Null if \p E is one of LLDB's own.
  static const TestedCondition *of(const lldb_private::UserExpression *E) {
    return E && E->isA(&ID) ? static_cast<const TestedCondition *>(E) : nullptr;
  }
  bool isA(const void *Class) const override {
    return Class == &ID || UserExpression::isA(Class);
  }

  /// LLDB has interpreted it, as it is: what it compiles is faster.
  bool isPlain() const { return Plain; }

protected:
  lldb::ExpressionResults
  DoExecute(lldb_private::DiagnosticManager &Problems,
            lldb_private::ExecutionContext &Context,
            const lldb_private::EvaluateExpressionOptions &,
            lldb::UserExpressionSP &,
            lldb::ExpressionVariableSP &Result) override;

private:
  static char ID;
  std::atomic<bool> Plain = false;
};

/// A condition as LLDB compiles it, once: a user or a front end may interrupt
/// that and each test of it without that being an error of the condition.
class CompiledCondition final : public ConditionStandIn {
public:
  CompiledCondition(lldb_private::ExecutionContextScope &Process,
                    llvm::StringRef Text, const TruthValues &Truth,
                    std::weak_ptr<LoadedTrace> Trace);

  bool isA(const void *Class) const override {
    return Class == &ID || UserExpression::isA(Class);
  }
  static bool isOne(const lldb_private::UserExpression *E) {
    return E && E->isA(&ID);
  }

protected:
  lldb::ExpressionResults
  DoExecute(lldb_private::DiagnosticManager &Problems,
            lldb_private::ExecutionContext &Context,
            const lldb_private::EvaluateExpressionOptions &Options,
            lldb::UserExpressionSP &,
            lldb::ExpressionVariableSP &Result) override;

private:
  std::optional<lldb::LanguageType>
  languageAt(lldb_private::ExecutionContext &Context) const;
  lldb::UserExpressionSP compile(lldb_private::DiagnosticManager &Problems,
                                 lldb_private::ExecutionContext &Context,
                                 lldb::LanguageType Language) const;

  static char ID;
  lldb::UserExpressionSP Compiled;
};

} // namespace rw

#endif // REWIND_PLUGIN_PRIVATE_TESTEDCONDITION_H
