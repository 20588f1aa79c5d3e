//===- ExpressionErrors.cpp - Why an expression has no value --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/private/ExpressionErrors.h"
#include "core/store/TraceStore.h"
#include "core/support/ReadOnlyMessage.h"
#include "core/support/Words.h"
#include "lldb/ValueObject/ValueObject.h"
#include "plugin/FoldedExpression.h"
#include "plugin/LoadedTrace.h"
#include "plugin/ScopedNames.h"
#include "plugin/ToldRefusals.h"
#include "plugin/UnknownVariables.h"
#include "plugin/private/CommandContext.h"
#include "plugin/private/NamedValue.h"
#include "plugin/private/PrivateCommands.h"
#include "plugin/private/StringSummaries.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
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
} // namespace rw

using namespace rw;

/// The index behind the bracket that closes the one at \p I; the size if none
/// does.
static size_t behindBracket(StringRef Text, size_t I) {
  unsigned Depth = 0;
  for (; I < Text.size(); ++I) {
    Depth += Text[I] == '(' || Text[I] == '[';
    if ((Text[I] == ')' || Text[I] == ']') && --Depth == 0)
      return I + 1;
  }
  return I;
}

/// The ends of the parts of a path that begins at \p I, with a name or a
/// bracket: "item", "item->list", "item->list[3]"; "(*p)", "(*p).list".
static llvm::SmallVector<size_t> endsOfPath(StringRef Text, size_t I) {
  llvm::SmallVector<size_t> Ends = {Text[I] == '(' ? behindBracket(Text, I)
                                                   : endOfName(Text, I)};
  for (;;) {
    StringRef Rest = Text.substr(Ends.back());
    if (Rest.starts_with("->"))
      Ends.push_back(endOfName(Text, Ends.back() + 2));
    else if (Rest.starts_with("."))
      Ends.push_back(endOfName(Text, Ends.back() + 1));
    else if (Rest.starts_with("["))
      Ends.push_back(behindBracket(Text, Ends.back()));
    else
      return Ends;
  }
}

/// What has a place in memory of which nothing is known, whether all of it is
/// asked for or it leads to more: its address.
static std::optional<uint64_t> unknownAt(SBFrame Frame, StringRef Path,
                                         bool Whole) {
  if (auto Addr = unknownVariable(Frame, Path))
    return Addr;
  // What has been read already need not be asked for by its address.
  if (endOfName(Path, 0) == Path.size()) {
    SBValue V = pathValue(Frame, Path);
    if (V.IsValid() && V.GetError().Success() && V.GetNumChildren() == 0)
      return std::nullopt;
  }
  SBValue Place = interpret(Frame, ("&(" + Path + ")").str());
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

/// Whether the '&' or '*' that ends \p Text has an operand before it.
static bool isBinary(StringRef Text) {
  Text = Text.drop_back().rtrim();
  return !Text.empty() &&
         (isWord(Text.back()) || StringRef(")]").contains(Text.back()));
}

static std::string unknownText(StringRef Path, uint64_t Addr) {
  return ("unknown: the trace does not tell " + Path + " here (address 0x" +
          llvm::utohexstr(Addr, true) + ")")
      .str();
}

/// The first operand in \p Expression whose value is not known, in words; of
/// what has an '&' before it, if \p Addressed.
static std::optional<std::string>
unknownPart(SBFrame Frame, StringRef Expression, bool Addressed) {
  for (size_t I = nextOperand(Expression, 0); I < Expression.size();
       I = nextOperand(Expression, I)) {
    auto Ends = endsOfPath(Expression, I);
    StringRef Before = Expression.take_front(I).rtrim();
    const bool Skip = !Addressed && Before.ends_with("&") &&
                      !Before.ends_with("&&") && !isBinary(Before);
    auto Check = [&](size_t Begin, size_t End,
                     bool Whole) -> std::optional<std::string> {
      StringRef Path = Expression.slice(Begin, End);
      if (auto Addr = unknownAt(Frame, Path, Whole))
        return unknownText(Path, *Addr);
      return std::nullopt;
    };
    for (size_t End : Ends) {
      const bool Whole = End == Ends.back();
      if (Skip && Whole)
        break;
      // What is in a bracket alone is looked at by itself.
      if (Expression[I] == '(' && End == Ends.front())
        continue;
      if (auto Unknown = Check(I, End, Whole))
        return Unknown;
    }
    for (; Before.ends_with("*") && !isBinary(Before);
         Before = Before.drop_back().rtrim())
      if (auto Unknown = Check(Before.size() - 1, Ends.back(), true))
        return Unknown;
    // What an index or a bracket has in it is asked for, too.
    I = std::max(endOfName(Expression, I), I + 1);
  }
  return std::nullopt;
}

/// The first element that is not known of an array with an index in
/// \p Expression: of which one is asked for only that knows, where it declares
/// the index itself.
static std::optional<std::string> unknownElement(SBFrame Frame,
                                                 StringRef Expression) {
  constexpr uint32_t MaxElements = 4096;
  SBProcess Process = Frame.GetThread().GetProcess();
  for (size_t I = nextOperand(Expression, 0); I < Expression.size();
       I = nextOperand(Expression, I)) {
    for (size_t End : endsOfPath(Expression, I)) {
      if (!Expression.substr(End).starts_with("["))
        continue;
      const StringRef Path = Expression.slice(I, End);
      SBValue Place = interpret(Frame, ("&(" + Path + ")").str());
      if (!Place.IsValid() || Place.GetError().Fail())
        continue;
      SBType Type = Place.GetType().GetPointeeType().GetCanonicalType();
      const uint64_t Size = Type.GetArrayElementType().GetByteSize();
      if (!Type.IsArrayType() || !Size)
        continue;
      const uint64_t Begin = Place.GetValueAsUnsigned();
      const uint64_t Number =
          std::min<uint64_t>(Type.GetByteSize() / Size, MaxElements);
      std::vector<uint8_t> Bytes(Size);
      for (uint64_t N = 0; N < Number; ++N) {
        SBError Error;
        const uint64_t Addr = Begin + N * Size;
        if (Process.ReadMemory(Addr, Bytes.data(), Size, Error) < Size)
          return unknownText((Path + "[" + llvm::Twine(N) + "]").str(), Addr);
      }
    }
    I = std::max(endOfName(Expression, I), I + 1);
  }
  return std::nullopt;
}

static std::optional<std::string> unknownPart(SBFrame Frame,
                                              StringRef Expression) {
  // A reference leads on, so that its address is not known either.
  auto Unknown = unknownPart(Frame, Expression, false);
  return Unknown || !Expression.contains('&')
             ? Unknown
             : unknownPart(Frame, Expression, true);
}

/// The first operand that LLDB would have to run code for, and of which the
/// images say that its value is not known: an element of a std::vector that is
/// not there.
static std::optional<std::string> unknownByImages(SBFrame Frame,
                                                  StringRef Expression) {
  const auto Trace = traceOf(Frame.GetThread().GetProcess().GetTarget());
  if (!Trace)
    return std::nullopt;
  for (size_t I = nextOperand(Expression, 0); I < Expression.size();
       I = nextOperand(Expression, I)) {
    const size_t End = endsOfPath(Expression, I).back();
    size_t Begin = I;
    for (StringRef Before = Expression.take_front(I).rtrim();
         Before.ends_with("*") && !isBinary(Before);
         Before = Before.drop_back().rtrim())
      Begin = Before.size() - 1;
    if (auto Why =
            Trace->names().whyUnknown(Frame, Expression.slice(Begin, End)))
      return Why;
    I = std::max(endOfName(Expression, I), I + 1);
  }
  return std::nullopt;
}

bool rw::needsCode(StringRef Text) {
  return Text.contains("without a running target") ||
         Text.contains("there is no JIT compiled function");
}

bool rw::needsConstants(StringRef Text) {
  return needsCode(Text) || Text.contains("use of undeclared identifier");
}

static bool isMemoryError(StringRef Text) {
  return llvm::any_of(llvm::ArrayRef<StringRef>{"couldn't read its memory",
                                                "couldn't read from memory",
                                                "couldn't read the contents of",
                                                "memory read failed",
                                                "read memory from"},
                      [&](StringRef Part) { return Text.contains(Part); });
}

/// What in \p Expression LLDB would have to run code for, if it can be told.
static std::optional<std::string> whatNeedsCode(StringRef Expression) {
  if (Expression.contains('"'))
    return "a string literal has no place in memory";
  for (size_t I = 1; I < Expression.size(); ++I)
    if (Expression[I] == '(' && isWord(Expression[I - 1]) &&
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
    if (auto Unknown = What ? std::nullopt : unknownByImages(Frame, Expression))
      return Unknown;
    return "this is a recording, which runs no code: " +
           What.value_or("LLDB cannot interpret this expression, only run it");
  }
  if (Text.contains("couldn't write to memory") ||
      Text.contains("couldn't write the value of register"))
    return ReadOnlyMessage.str();
  if (Text.contains("canonical frame address"))
    return "unknown: the trace does not tell where the frame is, in which its "
           "operands are";
  constexpr StringRef Register = "couldn't read the value of register ";
  if (size_t At = Text.find(Register); At != StringRef::npos)
    return ("unknown: the trace does not tell $" +
            Text.substr(At + Register.size()).take_while(llvm::isAlnum) +
            " here")
        .str();
  if (!isMemoryError(Text))
    return std::nullopt;
  if (auto Unknown = unknownPart(Frame, Expression))
    return Unknown;
  if (auto Unknown = unknownElement(Frame, Expression))
    return Unknown;
  return ("unknown: the trace does not tell the memory of '" +
          Expression.trim() + "' here")
      .str();
}

/// The bit-field \p V, if its own bits are known, and not all of the others in
/// the unit that LLDB reads; else no value.
static SBValue knownBits(SBValue V) {
  const auto Addr = unreadAt(V);
  const ValueObjectSP Its = Addr ? objectOf(V) : nullptr;
  auto Trace = Its ? traceOf(V.GetTarget()) : nullptr;
  const unsigned Width = Its ? Its->GetBitfieldBitSize() : 0;
  const size_t Size = V.GetByteSize();
  if (!Trace || !Width || !Size || Size > 8)
    return SBValue();
  uint8_t Bytes[8], Known[8];
  if (llvm::Error E =
          Trace->memory().read(Trace->engine().here().When, *Addr,
                               llvm::MutableArrayRef(Bytes, Size),
                               llvm::MutableArrayRef(Known, Size))) {
    llvm::consumeError(std::move(E));
    return SBValue();
  }
  // LLDB counts the bits from the unit's first byte.
  const bool Big = Trace->store().header().Order == rw::ByteOrder::Big;
  const unsigned First = Its->GetBitfieldBitOffset();
  if (First + Width > 8 * Size)
    return SBValue();
  const unsigned Low = Big ? unsigned(8 * Size) - First - Width : First;
  uint64_t Unit = 0;
  for (unsigned B = 0; B < Size; ++B) { // from the lowest byte
    const size_t At = Big ? Size - 1 - B : B;
    if (8 * B < Low + Width && 8 * (B + 1) > Low && !Known[At])
      return SBValue();
    Unit |= uint64_t(Bytes[At]) << 8 * B;
  }
  uint64_t Field = Unit >> Low & llvm::maskTrailingOnes<uint64_t>(Width);
  SBType Type = V.GetType(), Integer = Type.GetCanonicalType();
  if (Integer.GetTypeFlags() & eTypeIsEnumeration)
    Integer = Integer.GetEnumerationIntegerType().GetCanonicalType();
  if (Integer.GetTypeFlags() & eTypeIsSigned)
    Field = uint64_t(llvm::SignExtend64(Field, Width));
  for (unsigned B = 0; B < Size; ++B)
    Bytes[Big ? Size - 1 - B : B] = uint8_t(Field >> 8 * B);
  SBError Error;
  SBData Data;
  SBTarget Target = V.GetTarget();
  Data.SetDataWithOwnership(Error, Bytes, Size, Target.GetByteOrder(),
                            uint8_t(Target.GetAddressByteSize()));
  return Target.CreateValueFromData(V.GetName(), Data, Type);
}

SBValue rw::knownInPart(SBFrame Frame, StringRef Expression) {
  if (!privateLLDB())
    return SBValue();
  auto IsWhole = [](SBValue V) {
    SBType Type = V.GetType().GetCanonicalType();
    return isGood(V) && V.GetNumChildren() > 0 && !Type.IsPointerType() &&
           !Type.IsReferenceType();
  };
  SBValue V = pathValue(Frame, Expression.trim());
  if (IsWhole(V))
    return V;
  if (SBValue Bits = knownBits(V); Bits.IsValid())
    return Bits;
  const std::string AddressOf = ("&(" + Expression + ")").str();
  SBValue Place = interpret(Frame, AddressOf, /*ApplyFixIts=*/false);
  if (!isGood(Place) && needsConstants(problemOf(Place)))
    if (auto Folded = foldOperands(Frame, AddressOf))
      Place = interpret(Frame, *Folded, /*ApplyFixIts=*/false);
  if (!isGood(Place) || !Place.GetType().IsPointerType())
    return SBValue();
  V = Place.Dereference();
  return IsWhole(V) ? V : SBValue();
}

namespace {
/// A command of LLDB that we call in its place.
struct Wrapped {
  CommandObject *Command;
  CommandObject *Printer; ///< `dwim-print`
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
  SBTarget Target = commandTarget(D);
  if (!traceOf(Target))
    return false;
  // The name of the command, and all the rest.
  StringRef Args = StringRef(*Words).ltrim();
  Args.consume_front(W.Name);
  Args = Args.ltrim();
  auto Execute = [&](const std::string &Text) {
    Inside = true;
    const ToldRefusals Told;
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
  SBFrame Frame = commandFrame(Target);
  auto Fail = [&](const std::string &Text) {
    R.Clear();
    R.SetError(Text.c_str());
    return true;
  };
  if (dividesByZero(Frame, Args))
    return Fail("division by zero");
  if (R.Succeeded() || !R.GetError())
    return true;
  std::string Problem = R.GetError();
  bool Tried = false;
  auto Again = [&](const std::optional<std::string> &Text) {
    if (!Text)
      return false;
    Tried = true;
    R.Clear();
    Execute(Options.str() + *Text);
    return R.Succeeded() || !R.GetError();
  };
  if (needsPlaces(Problem)) {
    if (Again(placeUnread(Frame, Args)))
      return true;
    // What cannot be compiled is not what the user wrote.
    if (StringRef(R.GetError()).contains("memory"))
      Problem = R.GetError();
  }
  auto Print = [&](const NamedValue &V) {
    R.Clear();
    Inside = true;
    W.Printer->Execute((Options + V.name()).str().c_str(), Result);
    Inside = false;
    return true;
  };
  if (needsConstants(Problem)) {
    if (auto Folded = foldOperands(Frame, Args);
        Folded && (Again(Folded) || (needsPlaces(R.GetError()) &&
                                     Again(placeUnread(Frame, *Folded)))))
      return true;
    if (SBValue Wide = interpretFolded(Frame, Args); isGood(Wide))
      if (const NamedValue Its(Target, Wide); Its)
        return Print(Its);
  }
  const auto Reason = plainReason(Frame, Args, Problem);
  if (!Reason) {
    // What LLDB says then is about what the user wrote.
    if (Tried)
      Again(Args.str());
    return true;
  }
  // A structure may have parts that are known.
  if (!isMemoryError(Problem))
    return Fail(*Reason);
  const NamedValue Part(Target, knownInPart(Frame, Args));
  if (!Part)
    return Fail(*Reason);
  return Print(Part);
}

void rw::explainExpressionErrors(SBDebugger Debugger) {
  if (!privateLLDB())
    return;
  // LLDB keeps the pointers until it ends.
  static std::list<Wrapped> *const All = new std::list<Wrapped>;
  SBCommandInterpreter Interpreter = Debugger.GetCommandInterpreter();
  const auto &Commands =
      (Interpreter.*memberOf(InterpreterOf()))->GetCommands();
  const auto Printer = Commands.find("dwim-print");
  if (Printer == Commands.end())
    return;
  for (const char *Name : {"expression", "dwim-print"}) {
    auto It = Commands.find(Name);
    if (It == Commands.end())
      continue;
    CommandObject &C = *It->second;
    All->push_back({&C, Printer->second.get(), Name, C.*memberOf(OverrideOf()),
                    C.*memberOf(OverrideBaton()), int(Debugger.GetID())});
    C.SetOverrideCallback(runExplained, &All->back());
  }
}
