//===- ExpressionErrors.cpp - Why an expression has no value --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/private/ExpressionErrors.h"
#include "plugin/ExpressionSize.h"
#include "plugin/FoldedExpression.h"
#include "plugin/LoadedTrace.h"
#include "plugin/private/PrivateCommands.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <list>

using namespace lldb;
using llvm::StringRef;

namespace rw {
using lldb_private::CommandObject;

struct OverrideOf {
  typedef lldb_private::CommandOverrideCallbackWithResult CommandObject::*type;
  friend type memberOf(OverrideOf);
};
template struct Expose<OverrideOf, &CommandObject::m_command_override_callback>;

struct BatonOf {
  typedef void *CommandObject::*type;
  friend type memberOf(BatonOf);
};
template struct Expose<BatonOf, &CommandObject::m_command_override_baton>;
} // namespace rw

using namespace rw;

/// The ends of the parts of a path that begins at \p I: "item", "item->list",
/// "item->list[3]".
static llvm::SmallVector<size_t> endsOfPath(StringRef Text, size_t I) {
  auto Word = [&](size_t From) {
    for (StringRef Rest = Text.substr(From); !Rest.empty();
         Rest = Text.substr(From)) {
      if (Rest.starts_with("::"))
        From += 2;
      else if (llvm::isAlnum(Rest.front()) || Rest.front() == '_')
        ++From;
      else
        break;
    }
    return From;
  };
  llvm::SmallVector<size_t> Ends = {Word(I)};
  for (;;) {
    StringRef Rest = Text.substr(Ends.back());
    size_t Close = Rest.find(']');
    if (Rest.starts_with("->"))
      Ends.push_back(Word(Ends.back() + 2));
    else if (Rest.starts_with("."))
      Ends.push_back(Word(Ends.back() + 1));
    else if (Rest.starts_with("[") && Close != StringRef::npos)
      Ends.push_back(Ends.back() + Close + 1);
    else
      return Ends;
  }
}

/// What has a place in memory of which nothing is known, whether all of it is
/// asked for or it leads to more: its address.
static std::optional<uint64_t> unknownAt(SBFrame Frame, StringRef Path,
                                         bool Whole) {
  SBExpressionOptions Options;
  Options.SetAllowJIT(false);
  Options.SetSuppressPersistentResult(true);
  SBValue Place =
      Frame.EvaluateExpression(("&(" + Path + ")").str().c_str(), Options);
  if (!Place.IsValid() || Place.GetError().Fail())
    return std::nullopt;
  SBType Type = Place.GetType().GetPointeeType();
  if (!Whole && !Type.IsPointerType())
    return std::nullopt;
  std::vector<uint8_t> Bytes(Type.GetByteSize());
  SBError Error;
  const uint64_t Addr = Place.GetValueAsUnsigned();
  size_t Read = Frame.GetThread().GetProcess().ReadMemory(Addr, Bytes.data(),
                                                          Bytes.size(), Error);
  return Read < Bytes.size() ? std::optional(Addr) : std::nullopt;
}

/// The first variable in \p Expression whose value is not known, in words.
static std::optional<std::string> unknownPart(SBFrame Frame,
                                              StringRef Expression) {
  for (size_t I = 0; I < Expression.size();) {
    if (!llvm::isAlpha(Expression[I]) && Expression[I] != '_') {
      ++I;
      continue;
    }
    auto Ends = endsOfPath(Expression, I);
    for (size_t End : Ends) {
      StringRef Path = Expression.slice(I, End);
      if (auto Addr = unknownAt(Frame, Path, End == Ends.back()))
        return ("unknown: the trace does not tell " + Path +
                " here (address 0x" + llvm::utohexstr(*Addr, true) + ")")
            .str();
    }
    I = Ends.back();
  }
  return std::nullopt;
}

bool rw::needsCode(StringRef Text) {
  return Text.contains("without a running target") ||
         Text.contains("there is no JIT compiled function");
}

/// What in \p Expression LLDB would have to run code for, if it can be told.
static std::optional<std::string> whatNeedsCode(StringRef Expression) {
  if (Expression.contains('"'))
    return "a string literal has no place in memory";
  for (size_t I = 1; I < Expression.size(); ++I)
    if (Expression[I] == '(' &&
        (llvm::isAlnum(Expression[I - 1]) || Expression[I - 1] == '_') &&
        !Expression.take_front(I).ends_with("sizeof"))
      return "no function of the program can be called";
  return std::nullopt;
}

std::optional<std::string> rw::plainReason(SBFrame Frame, StringRef Expression,
                                           StringRef Text) {
  if (needsCode(Text)) {
    const auto What = whatNeedsCode(Expression);
    // Values would have taken the place of what is known.
    if (auto Unknown = What ? std::nullopt : unknownPart(Frame, Expression))
      return Unknown;
    return "this is a recording, which runs no code: " +
           What.value_or("LLDB cannot interpret this expression, only run it");
  }
  if (Text.contains("couldn't write to memory") ||
      Text.contains("couldn't write the value of register"))
    return "this is a recording: it cannot be changed";
  constexpr StringRef Register = "couldn't read the value of register ";
  if (size_t At = Text.find(Register); At != StringRef::npos)
    return ("unknown: the trace does not tell $" +
            Text.substr(At + Register.size()).take_while(llvm::isAlnum) +
            " here")
        .str();
  if (!Text.contains("couldn't read its memory") &&
      !Text.contains("couldn't read from memory") &&
      !Text.contains("couldn't read the contents of") &&
      !Text.contains("memory read failed") &&
      !Text.contains("read memory from"))
    return std::nullopt;
  if (auto Unknown = unknownPart(Frame, Expression))
    return Unknown;
  return ("unknown: the trace does not tell the memory of '" +
          Expression.trim() + "' here")
      .str();
}

namespace {
/// A command of LLDB that we call in its place.
struct Wrapped {
  CommandObject *Command;
  StringRef Name;
  lldb_private::CommandOverrideCallbackWithResult
      Before; ///< who was called before the command
  void *Baton;
  int Debugger;
};
} // namespace

static bool runExplained(void *Baton, const char **Words,
                         lldb_private::CommandReturnObject &Result) {
  static thread_local bool Inside = false;
  const auto &W = *static_cast<const Wrapped *>(Baton);
  if (Inside)
    return false;
  if (W.Before && W.Before(W.Baton, Words, Result))
    return true;
  SBDebugger D = SBDebugger::FindDebuggerWithID(W.Debugger);
  SBTarget Target = D.GetSelectedTarget();
  if (!traceOf(Target))
    return false;
  // The name of the command, and all the rest.
  StringRef Args = StringRef(*Words).ltrim();
  Args.consume_front(W.Name);
  Args = Args.ltrim();
  if (llvm::Error E = checkExpressionSize(Args)) {
    OpenResult(Result).SetError(llvm::toString(std::move(E)).c_str());
    return true;
  }
  auto Execute = [&](const std::string &Text) {
    Inside = true;
    W.Command->Execute(Text.c_str(), Result);
    Inside = false;
  };
  Execute(Args.str());
  OpenResult R(Result);
  StringRef Options;
  if (size_t End = Args.find("-- ");
      Args.starts_with("-") && End != StringRef::npos) {
    Options = Args.take_front(End + 3);
    Args = Args.drop_front(End + 3);
  }
  SBFrame Frame = Target.GetProcess().GetSelectedThread().GetSelectedFrame();
  auto Fail = [&](const std::string &Text) {
    R.Clear();
    R.SetError(Text.c_str());
    return true;
  };
  if (dividesByZero(Frame, Args))
    return Fail("division by zero");
  if (R.Succeeded() || !R.GetError())
    return true;
  const std::string Problem = R.GetError();
  if (needsCode(Problem))
    if (auto Folded = foldOperands(Frame, Args)) {
      R.Clear();
      Execute(Options.str() + *Folded);
      if (R.Succeeded() || !R.GetError())
        return true;
    }
  const auto Reason = plainReason(Frame, Args, Problem);
  if (!Reason)
    return true;
  // A structure may have parts that are known.
  SBStream Parts;
  if (SBValue V = Frame.GetValueForVariablePath(Args.trim().str().c_str());
      !needsCode(Problem) && V.IsValid() && V.GetNumChildren() > 0 &&
      !V.GetType().IsPointerType() && V.GetDescription(Parts)) {
    R.Clear();
    R.AppendMessage(
        StringRef(Parts.GetData(), Parts.GetSize()).rtrim().str().c_str());
    R.SetStatus(eReturnStatusSuccessFinishResult);
    return true;
  }
  return Fail(*Reason);
}

void rw::explainExpressionErrors(SBDebugger Debugger) {
  if (!otherLLDB().empty())
    return;
  // LLDB keeps the pointers until it ends.
  static std::list<Wrapped> *const All = new std::list<Wrapped>;
  SBCommandInterpreter Interpreter = Debugger.GetCommandInterpreter();
  const auto &Commands =
      (Interpreter.*memberOf(InterpreterOf()))->GetCommands();
  for (const char *Name : {"expression", "dwim-print"}) {
    auto It = Commands.find(Name);
    if (It == Commands.end())
      continue;
    CommandObject &C = *It->second;
    All->push_back({&C, Name, C.*memberOf(OverrideOf()), C.*memberOf(BatonOf()),
                    int(Debugger.GetID())});
    C.SetOverrideCallback(runExplained, &All->back());
  }
}
