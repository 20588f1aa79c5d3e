//===- FoldedExpression.cpp - What LLDB cannot interpret ------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/FoldedExpression.h"
#include "lldb/API/LLDB.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
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
  Folder(SBFrame Frame, StringRef Text) : Frame(Frame), Text(Text) {}
  std::optional<std::string> run();
  bool dividesByZero();

private:
  std::string fold(Tokens T, unsigned Depth);
  std::string split(Tokens T, unsigned Depth);
  std::string splitAt(Tokens T, size_t I, unsigned Depth) {
    return fold(T.take_front(I), Depth) + " " + T[I].str() + " " +
           fold(T.drop_front(I + 1), Depth);
  }
  std::optional<std::string> constant(StringRef Part);
  bool isType(StringRef Part);
  SBValue evaluate(StringRef Part);
  StringRef textOf(Tokens T) const {
    return T.empty() ? StringRef()
                     : Text.slice(T.front().begin() - Text.begin(),
                                  T.back().end() - Text.begin());
  }

  SBFrame Frame;
  const StringRef Text;
  bool Changed = false, Assigns = false;
};

} // namespace

static bool isWord(char C) { return llvm::isAlnum(C) || C == '_' || C == '$'; }

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
  SBExpressionOptions Options;
  Options.SetAllowJIT(false);
  Options.SetIgnoreBreakpoints(true);
  Options.SetTryAllThreads(false);
  Options.SetAutoApplyFixIts(false);
  Options.SetSuppressPersistentResult(true);
  return Frame.EvaluateExpression(Part.str().c_str(), Options);
}

bool Folder::isType(StringRef Part) {
  SBValue Null = evaluate(("(" + Part + ")0").str());
  return Null.IsValid() && Null.GetError().Success();
}

/// The value of \p Part as a constant of its type.
std::optional<std::string> Folder::constant(StringRef Part) {
  SBValue V = evaluate(Part);
  if (!V.IsValid() || V.GetError().Fail())
    return std::nullopt;
  SBType Type = V.GetType().GetCanonicalType().GetUnqualifiedType();
  const TypeClass Class = Type.GetTypeClass();
  SBError Error;
  std::string Out;
  llvm::raw_string_ostream OS(Out);
  if (Class == eTypeClassBuiltin && (Type.GetTypeFlags() & eTypeIsFloat)) {
    SBData Data = V.GetData();
    double Value;
    if (Data.GetByteSize() == sizeof(double))
      Value = Data.GetDouble(Error, 0);
    else if (Data.GetByteSize() == sizeof(float))
      Value = Data.GetFloat(Error, 0);
    else
      return std::nullopt;
    if (Error.Fail())
      return std::nullopt;
    OS << "((" << Type.GetName() << ")";
    if (std::isnan(Value))
      OS << "(0.0/0.0))";
    else if (std::isinf(Value))
      OS << (Value < 0 ? "(-1.0/0.0))" : "(1.0/0.0))");
    else
      OS << llvm::format("%a", Value) << ")";
    return Out;
  }
  const bool Integer =
      Class == eTypeClassBuiltin && (Type.GetTypeFlags() & eTypeIsInteger);
  if (!Integer && Class != eTypeClassEnumeration && Class != eTypeClassPointer)
    return std::nullopt;
  if (V.GetByteSize() > 8)
    return std::nullopt;
  const uint64_t Bits = V.GetValueAsUnsigned(Error);
  if (Error.Fail())
    return std::nullopt;
  // Some types have no name that could be written here.
  if (Integer || !StringRef(Type.GetName()).contains('('))
    OS << "((" << Type.GetName() << ")";
  else
    OS << "((__typeof__(" << Part << "))";
  OS << llvm::format_hex(Bits, 1) << (Bits >> 31 ? "ull)" : ")");
  return Out;
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

std::string Folder::split(Tokens T, unsigned Depth) {
  const StringRef Part = textOf(T);
  // The loosest operator at this level. Assignments and ?: group to the right,
  // all others to the left.
  std::optional<size_t> Best, Question;
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
      return Part.str();
    if (Binary && isAssignment(T[I]))
      return textOf(T.take_front(I + 1)).str() + " " +
             fold(T.drop_front(I + 1), Depth);
    if (T[I] == "?" && !Question)
      Question = I;
    // "x / (int)-1": the brackets may hold a type.
    if (Binary && levelOf(T[I]) && T[I - 1] == ")" &&
        (Opened == 0 || !endsOperand(T[Opened - 1])) &&
        isType(textOf(T.slice(Opened + 1, I - Opened - 2))))
      continue;
    if (unsigned Level = levelOf(T[I]); Binary && Level && Level <= BestLevel) {
      Best = I;
      BestLevel = Level;
    }
  }
  if (Question) {
    unsigned Nested = 0;
    for (size_t I = *Question + 1; I < T.size(); ++I) {
      if (T[I] == "(" || T[I] == "[")
        I = closing(T, I);
      else if (T[I] == "?")
        ++Nested;
      else if (T[I] == ":" && Nested-- == 0)
        return fold(T.take_front(*Question), Depth) + " ? " +
               splitAt(T.drop_front(*Question + 1), I - *Question - 1, Depth);
    }
    return Part.str();
  }
  if (Best)
    return splitAt(T, *Best, Depth);

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
  std::string Folded = split(All, 0);
  if (!Changed)
    return std::nullopt;
  return Folded;
}

std::optional<std::string> rw::foldOperands(SBFrame Frame, StringRef Text) {
  return Folder(Frame, Text.trim()).run();
}

/// The end of the operand that begins at \p I: prefixes, a word or brackets,
/// and what is behind it.
static size_t endOfOperand(Tokens T, size_t I) {
  while (I < T.size() && !endsOperand(T[I]) && T[I] != "(")
    ++I;
  for (bool First = true; I < T.size(); First = false) {
    if (T[I] == "(" || T[I] == "[")
      I = closing(T, I) + 1;
    else if (T[I] == "." || T[I] == "->" || T[I] == "::")
      I += 2;
    else if (First || (isWord(T[I].front()) && T[I - 1] == ")"))
      ++I;
    else
      break;
  }
  return std::min(I, T.size());
}

/// The first operand of the operator at \p I, and all that binds as tight.
static size_t beginOfOperands(Tokens T, size_t I) {
  unsigned Depth = 0;
  for (; I > 0; --I) {
    StringRef Before = T[I - 1];
    Depth += Before == ")" || Before == "]";
    if ((Before == "(" || Before == "[") && !Depth--)
      break;
    const unsigned Level = levelOf(Before);
    if (!Depth &&
        ((Level && Level < 10) || Before == "," || isAssignment(Before)))
      break;
  }
  return I;
}

bool Folder::dividesByZero() {
  const auto All = tokens(Text);
  const Tokens T = All;
  // What is behind these may not be evaluated.
  if (llvm::any_of(T, [](StringRef X) {
        return X == "&&" || X == "||" || X == "?" || isAssignment(X);
      }))
    return false;
  for (size_t I = 1; I + 1 < T.size(); ++I) {
    if ((T[I] != "/" && T[I] != "%") || !endsOperand(T[I - 1]))
      continue;
    SBValue By =
        evaluate(textOf(T.slice(I + 1, endOfOperand(T, I + 1) - I - 1)));
    SBError Error;
    if (!By.IsValid() || By.GetError().Fail() ||
        (By.GetType().GetTypeFlags() & eTypeIsFloat) ||
        By.GetValueAsUnsigned(Error) != 0 || Error.Fail())
      continue;
    const size_t Begin = beginOfOperands(T, I);
    SBValue What = evaluate(textOf(T.slice(Begin, I - Begin)));
    if (What.IsValid() && What.GetError().Success() &&
        !(What.GetType().GetTypeFlags() & eTypeIsFloat))
      return true;
  }
  return false;
}

bool rw::dividesByZero(SBFrame Frame, StringRef Text) {
  return Text.find_first_of("/%") != StringRef::npos &&
         Folder(Frame, Text.trim()).dividesByZero();
}
