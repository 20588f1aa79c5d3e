//===- FoldedExpression.cpp - What LLDB cannot interpret ------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/FoldedExpression.h"
#include "core/store/TraceStore.h"
#include "core/support/Digits.h"
#include "core/support/Words.h"
#include "lldb/API/LLDB.h"
#include "plugin/LoadedTrace.h"
#include "plugin/ScopedNames.h"
#include "plugin/UnknownVariables.h"
#include "plugin/private/ExpressionErrors.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace rw;
using namespace lldb;
using llvm::StringRef;

namespace {

using Tokens = llvm::ArrayRef<StringRef>;

/// Splits an operation into its operands, asks LLDB for those, and splits what
/// LLDB cannot interpret.
class Folder {
public:
  Folder(SBFrame Frame, StringRef Text)
      : Frame(Frame), Text(Text),
        Trace(traceOf(Frame.GetThread().GetProcess().GetTarget())) {}
  std::optional<std::string> run();
  bool dividesByZero();
  SBValue wide();

private:
  /// What binds loosest in an expression, and where.
  struct Operator {
    enum { None, Comma, Assignment, Conditional, Binary } What = None;
    size_t At = 0;
    size_t Colon = 0; ///< of a Conditional; the size if there is none
  };
  Operator loosest(Tokens T);
  bool dividesByZero(Tokens T, unsigned Depth);
  bool isZeroBy(Tokens T, size_t I);
  std::optional<bool> holds(Tokens T);
  std::string fold(Tokens T, unsigned Depth);
  std::string split(Tokens T, unsigned Depth);
  std::string splitAt(Tokens T, size_t I, unsigned Depth) {
    return fold(T.take_front(I), Depth) + " " + T[I].str() + " " +
           fold(T.drop_front(I + 1), Depth);
  }
  std::optional<std::string> constant(StringRef Part);
  std::optional<std::string> constantByImages(StringRef Part) {
    return Trace ? Trace->names().constant(Frame, Part) : std::nullopt;
  }
  bool isType(StringRef Part);
  SBValue evaluate(StringRef Part);
  SBValue foldedValue(StringRef Part);
  std::optional<uint64_t> numberOf(const std::string &Part);
  SBValue wideInteger();
  SBValue wideFloat();
  SBValue valueOf(std::vector<uint8_t> Bytes, BasicType Type);
  std::optional<Arch> machine() const {
    return Trace ? std::optional(Trace->store().header().Architecture)
                 : std::nullopt;
  }
  StringRef textOf(Tokens T) const {
    return T.empty() ? StringRef()
                     : Text.slice(T.front().begin() - Text.begin(),
                                  T.back().end() - Text.begin());
  }

  SBFrame Frame;
  const StringRef Text;
  const std::shared_ptr<LoadedTrace> Trace; ///< may be null
  bool Changed = false, Assigns = false;
};

} // namespace

/// Empty if \p Text is no expression alone.
static llvm::SmallVector<StringRef> tokens(StringRef Text) {
  static constexpr StringRef Long[] = {
      "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
      "&&",  "||",  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "::"};
  llvm::SmallVector<StringRef> All;
  for (StringRef Rest = Text.ltrim(); !Rest.empty(); Rest = Rest.ltrim()) {
    size_t Size = 1;
    const char C = Rest.front();
    if (llvm::isDigit(C) ||
        (C == '.' && Rest.size() > 1 && llvm::isDigit(Rest[1]))) {
      const bool Hex = Rest.starts_with_insensitive("0x");
      for (; Size < Rest.size(); ++Size) {
        const char Last = llvm::toLower(Rest[Size - 1]);
        if (!isWord(Rest[Size]) && Rest[Size] != '.' &&
            !((Rest[Size] == '+' || Rest[Size] == '-') &&
              Last == (Hex ? 'p' : 'e')))
          break;
      }
    } else if (isWord(C)) {
      Size = Rest.take_while(isWord).size();
    } else if (C == '"' || C == '\'') {
      for (; Size < Rest.size() && Rest[Size] != C; ++Size)
        Size += Rest[Size] == '\\';
      if (++Size > Rest.size())
        return {};
    } else if (C == ';' || C == '{' || C == '}') {
      return {};
    } else {
      for (StringRef L : Long)
        if (Rest.starts_with(L)) {
          Size = L.size();
          break;
        }
    }
    All.push_back(Rest.take_front(Size));
    Rest = Rest.drop_front(Size);
  }
  return All;
}

/// How tight a binary operator binds; 0 if it is none, or none of ours.
static unsigned levelOf(StringRef Token) {
  static constexpr std::pair<StringRef, unsigned> Levels[] = {
      {"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4},  {"&", 5},  {"==", 6},
      {"!=", 6}, {"<", 7},  {">", 7}, {"<=", 7}, {">=", 7}, {"<<", 8},
      {">>", 8}, {"+", 9},  {"-", 9}, {"*", 10}, {"/", 10}, {"%", 10}};
  for (auto [Spelling, Level] : Levels)
    if (Token == Spelling)
      return Level;
  return 0;
}

static bool isAssignment(StringRef Token) {
  return Token.ends_with("=") && levelOf(Token) == 0;
}

static bool endsOperand(StringRef Token) {
  return isWord(Token.back()) || Token == ")" || Token == "]" ||
         Token.back() == '"' || Token.back() == '\'' || Token == "++" ||
         Token == "--" || Token.back() == '.';
}

/// The index of the bracket that closes the one at \p I; the size if none does.
static size_t closing(Tokens T, size_t I) {
  unsigned Depth = 0;
  for (; I < T.size(); ++I) {
    Depth += T[I] == "(" || T[I] == "[";
    if ((T[I] == ")" || T[I] == "]") && --Depth == 0)
      break;
  }
  return I;
}

SBValue Folder::evaluate(StringRef Part) {
  return interpret(Frame, Part, /*ApplyFixIts=*/false);
}

/// evaluate(), with the operands folded if LLDB cannot do without.
SBValue Folder::foldedValue(StringRef Part) {
  SBValue V = evaluate(Part);
  if (V.IsValid() && V.GetError().Success())
    return V;
  auto Folded = foldOperands(Frame, Part);
  return Folded ? evaluate(*Folded) : SBValue();
}

bool Folder::isType(StringRef Part) {
  SBValue Null = evaluate(("(" + Part + ")0").str());
  return Null.IsValid() && Null.GetError().Success();
}

std::string rw::integerConstant(StringRef Type, uint64_t Bits) {
  return ("((" + Type + ")" + hex(Bits) + (Bits >> 31 ? "ull)" : ")")).str();
}

std::string rw::integerConstant(StringRef Type, uint64_t Low, uint64_t High) {
  return ("((" + Type + ")((unsigned __int128)" + hex(High) + "ull << 64 | " +
          hex(Low) + "ull))")
      .str();
}

std::optional<std::string> rw::floatConstant(StringRef Type, FloatKind Kind,
                                             llvm::ArrayRef<uint8_t> Bytes,
                                             Arch Machine) {
  if (floatBytes(Kind) > 8 && Kind != floatKind(Machine, "long double", 16))
    return std::nullopt;
  const std::string Text = floatLiteral(Kind, Bytes);
  const StringRef Value = Text;
  return ("((" + Type + ")" +
          (Value.ends_with("nan")   ? "(0.0/0.0)"
           : Value.ends_with("inf") ? Value.drop_back(3).str() + "(1.0/0.0)"
                                    : Text) +
          ")")
      .str();
}

std::string rw::floatConstant(StringRef Type, double Value) {
  std::string Out;
  llvm::raw_string_ostream OS(Out);
  OS << "((" << Type << ")";
  if (std::isnan(Value))
    OS << "(0.0/0.0))";
  else if (std::isinf(Value))
    OS << (Value < 0 ? "(-1.0/0.0))" : "(1.0/0.0))");
  else
    OS << llvm::format("%a", Value) << ")";
  return Out;
}

/// The lowest byte first; empty if LLDB does not have them all.
static std::vector<uint8_t> bytesOf(SBValue V) {
  SBData Data = V.GetData();
  SBError Error;
  std::vector<uint8_t> Bytes(V.GetByteSize());
  if (Data.ReadRawData(Error, 0, Bytes.data(), Bytes.size()) != Bytes.size() ||
      Error.Fail())
    return {};
  if (Data.GetByteOrder() == eByteOrderBig)
    std::reverse(Bytes.begin(), Bytes.end());
  return Bytes;
}

static std::optional<FloatKind> floatKindOf(SBValue V, Arch Machine) {
  SBType Type = V.GetType().GetCanonicalType().GetUnqualifiedType();
  if (!(Type.GetTypeFlags() & eTypeIsFloat))
    return std::nullopt;
  const FloatKind Kind = floatKind(Machine, Type.GetName(), V.GetByteSize());
  return floatBytes(Kind) <= V.GetByteSize() ? std::optional(Kind)
                                             : std::nullopt;
}

std::optional<bool> rw::isNotZero(SBValue V, Arch Machine) {
  SBError Error;
  const bool Float =
      V.GetType().GetCanonicalType().GetTypeFlags() & eTypeIsFloat;
  if (!Float && V.GetByteSize() <= 8) {
    const bool Result = V.GetValueAsUnsigned(Error) != 0;
    return Error.Success() ? std::optional(Result) : std::nullopt;
  }
  const auto Bytes = bytesOf(V);
  if (Bytes.empty() || (!Float && V.GetNumChildren() != 0))
    return std::nullopt;
  if (!Float)
    return llvm::any_of(Bytes, [](uint8_t Byte) { return Byte != 0; });
  const auto Kind = floatKindOf(V, Machine);
  return Kind ? std::optional(!isFloatZero(*Kind, Bytes)) : std::nullopt;
}

/// The value of \p Part as a constant of its type.
std::optional<std::string> Folder::constant(StringRef Part) {
  SBValue V = evaluate(Part);
  if (!isGood(V))
    return needsConstants(problemOf(V)) ? constantByImages(Part) : std::nullopt;
  SBType Type = V.GetType().GetCanonicalType().GetUnqualifiedType();
  const TypeClass Class = Type.GetTypeClass();
  SBError Error;
  if (Class == eTypeClassBuiltin && (Type.GetTypeFlags() & eTypeIsFloat)) {
    SBData Data = V.GetData();
    double Value;
    if (Data.GetByteSize() == sizeof(double))
      Value = Data.GetDouble(Error, 0);
    else if (Data.GetByteSize() == sizeof(float))
      Value = Data.GetFloat(Error, 0);
    else {
      const auto Bytes = bytesOf(V);
      const auto Machine = machine();
      const auto Kind = Machine ? floatKindOf(V, *Machine) : std::nullopt;
      return Kind && !Bytes.empty()
                 ? floatConstant(Type.GetName(), *Kind, Bytes, *Machine)
                 : std::nullopt;
    }
    if (Error.Fail())
      return std::nullopt;
    return floatConstant(Type.GetName(), Value);
  }
  const bool Integer =
      Class == eTypeClassBuiltin && (Type.GetTypeFlags() & eTypeIsInteger);
  if (!Integer && Class != eTypeClassEnumeration && Class != eTypeClassPointer)
    return std::nullopt;
  if (V.GetByteSize() == 16) {
    const auto Bytes = bytesOf(V);
    if (Bytes.empty())
      return std::nullopt;
    return integerConstant(Type.GetName(),
                           llvm::support::endian::read64le(Bytes.data()),
                           llvm::support::endian::read64le(Bytes.data() + 8));
  }
  if (V.GetByteSize() > 8)
    return std::nullopt;
  const uint64_t Bits = V.GetValueAsUnsigned(Error);
  if (Error.Fail())
    return std::nullopt;
  // Some types have no name that could be written here.
  const StringRef Name = Type.GetName();
  return integerConstant(Integer || !Name.contains('(')
                             ? Name.str()
                             : ("__typeof__(" + Part + ")").str(),
                         Bits);
}

std::string Folder::fold(Tokens T, unsigned Depth) {
  constexpr unsigned MostDepth = 32;
  const StringRef Part = textOf(T);
  if (T.empty() || Depth > MostDepth)
    return Part.str();
  // What is a constant already; what an assignment may change.
  if (T.size() == 1 && !isWord(T[0].front()))
    return Part.str();
  if (T.size() == 1 && llvm::isDigit(T[0].front()))
    return Part.str();
  const bool Mine = Part.contains('$');
  if (!(Assigns && Mine))
    if (auto C = constant(Part)) {
      Changed = true;
      return *C;
    }
  return split(T, Depth + 1);
}

/// Assignments and ?: group to the right, all others to the left.
Folder::Operator Folder::loosest(Tokens T) {
  Operator Best;
  std::optional<size_t> Question;
  unsigned BestLevel = ~0u;
  size_t Opened = 0; // the brackets before
  for (size_t I = 0; I < T.size(); ++I) {
    if (T[I] == "(" || T[I] == "[") {
      Opened = I;
      I = closing(T, I);
      continue;
    }
    const bool Binary = I > 0 && endsOperand(T[I - 1]);
    if (Binary && T[I] == ",")
      return {Operator::Comma, I, 0};
    if (Binary && isAssignment(T[I]))
      return {Operator::Assignment, I, 0};
    if (T[I] == "?" && !Question)
      Question = I;
    // "x / (int)-1": the brackets may hold a type.
    if (Binary && levelOf(T[I]) && T[I - 1] == ")" &&
        (Opened == 0 || !endsOperand(T[Opened - 1])) &&
        isType(textOf(T.slice(Opened + 1, I - Opened - 2))))
      continue;
    if (unsigned Level = levelOf(T[I]); Binary && Level && Level <= BestLevel) {
      Best = {Operator::Binary, I, 0};
      BestLevel = Level;
    }
  }
  if (!Question)
    return Best;
  unsigned Nested = 0;
  for (size_t I = *Question + 1; I < T.size(); ++I) {
    if (T[I] == "(" || T[I] == "[")
      I = closing(T, I);
    else if (T[I] == "?")
      ++Nested;
    else if (T[I] == ":" && Nested-- == 0)
      return {Operator::Conditional, *Question, I};
  }
  return {Operator::Conditional, *Question, T.size()};
}

std::string Folder::split(Tokens T, unsigned Depth) {
  const StringRef Part = textOf(T);
  const Operator O = loosest(T);
  switch (O.What) {
  case Operator::Comma:
    return Part.str();
  case Operator::Assignment:
    return textOf(T.take_front(O.At + 1)).str() + " " +
           fold(T.drop_front(O.At + 1), Depth);
  case Operator::Conditional:
    if (O.Colon == T.size())
      return Part.str();
    return fold(T.take_front(O.At), Depth) + " ? " +
           splitAt(T.drop_front(O.At + 1), O.Colon - O.At - 1, Depth);
  case Operator::Binary:
    return splitAt(T, O.At, Depth);
  case Operator::None:
    break;
  }

  const StringRef First = T.front();
  if (First == "-" || First == "+" || First == "!" || First == "~" ||
      First == "*")
    return First.str() + " " + fold(T.drop_front(), Depth);
  if (First == "(") {
    const size_t End = closing(T, 0);
    if (End >= T.size())
      return Part.str();
    if (End + 1 == T.size())
      return "(" + fold(T.slice(1, End - 1), Depth) + ")";
    StringRef Inside = textOf(T.slice(1, End - 1));
    if (isType(Inside))
      return "(" + Inside.str() + ")" + fold(T.drop_front(End + 1), Depth);
    return Part.str();
  }
  if (T.back() == "]")
    for (size_t I = 1; I < T.size(); ++I)
      if (T[I] == "[" && closing(T, I) + 1 == T.size())
        return textOf(T.take_front(I)).str() + "[" +
               fold(T.slice(I + 1, T.size() - I - 2), Depth) + "]";
  return Part.str();
}

std::optional<std::string> Folder::run() {
  const auto All = tokens(Text);
  for (StringRef T : All)
    Assigns |= isAssignment(T) || T == "++" || T == "--";
  if (All.empty())
    return std::nullopt;
  // LLDB has been asked about all of it.
  if (auto Whole = Assigns ? std::nullopt : constantByImages(Text))
    return Whole;
  std::string Folded = split(All, 0);
  if (!Changed)
    return std::nullopt;
  return Folded;
}

/// The number that \p Part, of constants, is.
std::optional<uint64_t> Folder::numberOf(const std::string &Part) {
  SBValue V = evaluate(Part);
  SBError Error;
  if (!isGood(V))
    return std::nullopt;
  const uint64_t N = V.GetValueAsUnsigned(Error);
  return Error.Success() ? std::optional(N) : std::nullopt;
}

SBValue Folder::valueOf(std::vector<uint8_t> Bytes, BasicType Type) {
  SBTarget Target = Frame.GetThread().GetProcess().GetTarget();
  SBType Its = Target.GetBasicType(Type);
  Bytes.resize(Its.GetByteSize());
  if (Target.GetByteOrder() == eByteOrderBig)
    std::reverse(Bytes.begin(), Bytes.end());
  SBError Error;
  SBData Data;
  Data.SetDataWithOwnership(Error, Bytes.data(), Bytes.size(),
                            Target.GetByteOrder(),
                            uint8_t(Target.GetAddressByteSize()));
  return Target.CreateValueFromData("result", Data, Its);
}

SBValue Folder::wideInteger() {
  const std::string E = ("(" + Text + ")").str();
  const auto Low = numberOf("(unsigned long long)" + E);
  const auto High =
      numberOf("(unsigned long long)((unsigned __int128)" + E + " >> 64)");
  const auto Signed = numberOf("((__typeof__(" + E + "))-1 < 0) ? 1 : 0");
  if (!Low || !High || !Signed)
    return SBValue();
  std::vector<uint8_t> Bytes(16);
  llvm::support::endian::write64le(Bytes.data(), *Low);
  llvm::support::endian::write64le(Bytes.data() + 8, *High);
  return valueOf(std::move(Bytes),
                 *Signed ? eBasicTypeInt128 : eBasicTypeUnsignedInt128);
}

/// In doubles: what one leaves is the next one's.
SBValue Folder::wideFloat() {
  const std::string E = ("(" + Text + ")").str();
  const auto Machine = machine();
  std::vector<double> Parts;
  std::string Rest = E;
  // Three have as many digits as any kind.
  for (unsigned I = 0; I < 3; ++I) {
    SBValue V = evaluate("(double)(" + Rest + ")");
    SBError Error;
    SBData Data = V.GetData();
    const double Part = Data.GetDouble(Error, 0);
    if (!isGood(V) || Error.Fail() || Data.GetByteSize() != sizeof(double))
      return SBValue();
    Parts.push_back(Part);
    if (!std::isfinite(Part))
      break;
    Rest += " - (long double)" + floatConstant("double", Part);
  }
  // A number may be too large for a double, or too small.
  const bool NaN = std::isnan(Parts.front());
  const std::string Whole =
      std::isinf(Parts.front())
          ? E + " == " + floatConstant("long double", Parts.front())
          : "(" + Rest + ") == 0";
  if (!Machine || (!NaN && numberOf("(" + Whole + ") ? 1 : 0") != 1))
    return SBValue();
  return valueOf(floatOfParts(floatKind(*Machine, "long double", 16), Parts),
                 eBasicTypeLongDouble);
}

/// Text, of constants, if that is a number of 16 bytes.
SBValue Folder::wide() {
  const auto All = tokens(Text);
  if (All.empty() || llvm::any_of(All, [](StringRef T) {
        return isAssignment(T) || T == "++" || T == "--";
      }))
    return SBValue();
  const std::string E = ("(" + Text + ")").str();
  if (numberOf("sizeof" + E) != 16)
    return SBValue();
  // What GCC calls an integer, and a real number.
  const auto Class = numberOf("__builtin_classify_type" + E);
  return Class == 1 ? wideInteger() : Class == 8 ? wideFloat() : SBValue();
}

SBValue rw::interpretFolded(SBFrame Frame, StringRef Text) {
  const auto Folded = foldOperands(Frame, Text);
  SBValue V = Folded ? interpret(Frame, *Folded) : SBValue();
  if (V.IsValid() && (isGood(V) || !needsCode(problemOf(V))))
    return V;
  const std::string Constants = Folded.value_or(Text.str());
  SBValue Wide = Folder(Frame, Constants).wide();
  return Wide.IsValid() ? Wide : V;
}

std::optional<std::string> rw::foldOperands(SBFrame Frame, StringRef Text) {
  return Folder(Frame, Text.trim()).run();
}

/// Whether the operator at \p I divides an integer by an integer that is 0.
bool Folder::isZeroBy(Tokens T, size_t I) {
  auto Integer = [&](Tokens Operand) {
    SBValue V = foldedValue(textOf(Operand));
    if (!V.IsValid() || V.GetError().Fail() ||
        (V.GetType().GetCanonicalType().GetTypeFlags() & eTypeIsFloat))
      return SBValue();
    return V;
  };
  SBError Error;
  SBValue By = Integer(T.drop_front(I + 1));
  return By.IsValid() && By.GetValueAsUnsigned(Error) == 0 && Error.Success() &&
         Integer(T.take_front(I)).IsValid();
}

/// Whether a condition holds; nothing if that is not known.
std::optional<bool> Folder::holds(Tokens T) {
  const std::string Test = ("(" + textOf(T) + ") ? 1 : 0").str();
  SBValue V = foldedValue(Test);
  if (!V.IsValid() || V.GetError().Fail())
    return std::nullopt;
  return V.GetValueAsUnsigned() != 0;
}

/// In the order in which C evaluates, as far as it does.
bool Folder::dividesByZero(Tokens T, unsigned Depth) {
  constexpr unsigned MostDepth = 32;
  auto In = [&](Tokens Part) { return dividesByZero(Part, Depth + 1); };
  if (llvm::none_of(T, [](StringRef X) { return X == "/" || X == "%"; }) ||
      Depth > MostDepth)
    return false;
  const Operator O = loosest(T);
  const Tokens Left = T.take_front(O.At);
  switch (O.What) {
  case Operator::Comma:
  case Operator::Assignment:
    return false;
  case Operator::Conditional: {
    if (O.Colon == T.size())
      return false;
    if (In(Left))
      return true;
    auto First = holds(Left);
    return First && In(*First ? T.slice(O.At + 1, O.Colon - O.At - 1)
                              : T.drop_front(O.Colon + 1));
  }
  case Operator::Binary: {
    const Tokens Right = T.drop_front(O.At + 1);
    if (In(Left))
      return true;
    if (T[O.At] == "&&" || T[O.At] == "||")
      return holds(Left) == (T[O.At] == "&&") && In(Right);
    return In(Right) ||
           ((T[O.At] == "/" || T[O.At] == "%") && isZeroBy(T, O.At));
  }
  case Operator::None:
    break;
  }
  // Behind a sign or a cast, in brackets, in an index.
  for (size_t I = 0; I < T.size(); ++I) {
    if (T[I] != "(" && T[I] != "[")
      continue;
    const size_t End = closing(T, I);
    if (End >= T.size() || (I > 0 && T[I - 1] == "sizeof"))
      return false;
    if (In(T.slice(I + 1, End - I - 1)))
      return true;
    I = End;
  }
  return false;
}

bool Folder::dividesByZero() {
  const auto All = tokens(Text);
  // What an assignment has changed is not what it was.
  if (llvm::any_of(All, [](StringRef X) {
        return isAssignment(X) || X == "++" || X == "--";
      }))
    return false;
  return dividesByZero(All, 0);
}

bool rw::dividesByZero(SBFrame Frame, StringRef Text) {
  return Text.find_first_of("/%") != StringRef::npos &&
         Folder(Frame, Text.trim()).dividesByZero();
}
