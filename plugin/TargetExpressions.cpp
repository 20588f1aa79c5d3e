//===- TargetExpressions.cpp - Expressions as LLDB evaluates them
//-----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/TargetExpressions.h"
#include "lldb/API/LLDB.h"
#include "plugin/LoadedTrace.h"
#include "plugin/Navigation.h"

using namespace rw;
using namespace lldb;

static SBExpressionOptions quietOptions() {
  SBExpressionOptions Options;
  Options.SetAllowJIT(false);
  Options.SetIgnoreBreakpoints(true);
  Options.SetTryAllThreads(false);
  Options.SetUnwindOnError(true);
  Options.SetSuppressPersistentResult(true);
  return Options;
}

/// The value of \p Expression, as a variable path if it is one (that also
/// works where the language's expression parser does not).
static SBValue valueOf(SBFrame Frame, const std::string &Expression) {
  SBValue V =
      Frame.GetValueForVariablePath(Expression.c_str(), eNoDynamicValues);
  if (V.IsValid() && V.GetError().Success())
    return V;
  return Frame.EvaluateExpression(Expression.c_str(), quietOptions());
}

static llvm::Error failure(SBValue V, llvm::StringRef Expression) {
  SBError E = V.GetError();
  llvm::StringRef Text = E.GetCString() ? E.GetCString() : "not understood";
  return llvm::createStringError("'" + Expression +
                                 "': " + Text.trim().ltrim("error: "));
}

llvm::Expected<Location> TargetExpressions::locate(llvm::StringRef Expression) {
  SBFrame Frame = Target.GetProcess().GetSelectedThread().GetSelectedFrame();
  if (!Frame.IsValid())
    return llvm::createStringError("no frame is selected");
  SBValue V = valueOf(Frame, Expression.str());
  if (!V.IsValid() || V.GetError().Fail())
    return failure(V, Expression);
  Location L;
  L.Text = Expression.str();
  L.Size = V.GetByteSize();
  L.SizeGiven = true;
  L.Thread = Trace.engine().here().Thread;
  uint64_t Addr = V.GetLoadAddress();
  if (Addr != LLDB_INVALID_ADDRESS && L.Size) {
    L.Where = Location::Memory;
    L.Addr = Addr;
    return L;
  }
  // A variable that lives in a register: LLDB tells its name as the location.
  const char *Where = V.GetLocation();
  const RegisterInfo *R =
      Where ? Trace.store().registerFile().find(Where) : nullptr;
  if (!R || R->IsPC)
    return llvm::createStringError(
        "'" + Expression +
        "' has a value, but no place that keeps it: it is no lvalue");
  if (Frame.GetFrameID() != 0 && !Frame.IsInlined())
    return llvm::createStringError(
        "'" + Expression + "' lives in register " + R->Name +
        " in this frame, which a callee may have saved: select frame 0, or "
        "ask for the register");
  L.Where = Location::Register;
  L.RegisterName = R->Name;
  L.Slice = R->Slice;
  if (L.Size && L.Size < L.Slice.Size)
    L.Slice.Size = uint16_t(L.Size);
  L.Size = L.Slice.Size;
  return L;
}

llvm::Expected<std::string>
TargetExpressions::evaluate(llvm::StringRef Expression, Place Where) {
  if (!Home) {
    Instant Here = Trace.engine().here();
    Home = Place{Here.Thread, Here.When};
  }
  if (llvm::Error E = visitQuietly(Debugger, Target, Trace, Where))
    return E;
  SBFrame Frame = Target.GetProcess().GetSelectedThread().GetFrameAtIndex(0);
  SBValue V = valueOf(Frame, Expression.str());
  if (!V.IsValid() || V.GetError().Fail())
    return failure(V, Expression);
  if (const char *Summary = V.GetSummary())
    return std::string(Summary);
  if (const char *Value = V.GetValue())
    return std::string(Value);
  SBStream Text;
  V.GetDescription(Text);
  return llvm::StringRef(Text.GetData(), Text.GetSize()).trim().str();
}

TargetExpressions::~TargetExpressions() {
  if (Home)
    llvm::consumeError(visitQuietly(Debugger, Target, Trace, *Home));
}
