//===- ExpressionParser.cpp - Compiling expressions of C ------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/expr/Expression.h"
#include "core/expr/StandardTypes.h"
#include "core/support/Reals.h"
#include "core/support/Words.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace rw;
using llvm::Expected;
using llvm::StringLiteral;
using llvm::StringRef;

namespace rw {

/// Descends recursively; every function returns the index of a node.
class ExpressionParser {
public:
  ExpressionParser(StringRef Text, const ExpressionContext &Context)
      : Text(Text), Rest(Text), Context(Context) {}
  Expected<Expression> run();

private:
  using Op = Expression::Op;
  using Node = Expression::Node;
  using Index = Expected<uint32_t>;
  struct Binary {
    StringRef Spelling;
    Op What;
    unsigned Level; ///< the higher, the tighter it binds
  };
  static const Binary Operators[];

  Index conditional();
  Index binary(unsigned Level);
  Index unary();
  Index primary();
  Index number();
  Index real(StringRef Digits);
  Index character();
  Index size();
  Index named();
  Index variable(StringRef Name);
  Index castRecord(const DataType &Record);
  std::optional<DataType> recordPointerAhead();
  Index path(DataType T, uint32_t Where, bool Held, bool IsAddress);
  Index bitField(const DataType &T, uint32_t Where);
  Index load();
  Index operand();
  Index evaluated(Expected<OperandSource::Operand> O);
  bool isLvalueInParentheses() const;
  bool isTyped(uint32_t I) const;
  Expected<std::optional<DataType>> typeInParentheses(bool Pointer);
  Expected<bool> hasSignedChar() const;
  std::optional<DataType> namedType();
  std::optional<DataType> typeCalled(StringRef Name) {
    return Context.Operands ? Context.Operands->type(Name)
           : Context.Names  ? Context.Names->type(Name)
                            : std::nullopt;
  }
  const Binary *operatorAhead() const;

  uint32_t add(Node N) {
    E.Nodes.push_back(N);
    return uint32_t(E.Nodes.size() - 1);
  }
  uint32_t unaryNode(Op What, NumberType T, uint32_t A) {
    Node N;
    N.What = What;
    N.Type = T;
    N.A = A;
    return add(N);
  }
  uint32_t addressConstant(uint64_t Value) {
    Node N;
    N.Type = {uint8_t(Context.AddressBytes), false};
    N.Value = Value;
    return add(N);
  }
  uint32_t addressNode(Op What, uint32_t A, uint32_t B) {
    Node N;
    N.What = What;
    N.Type = {uint8_t(Context.AddressBytes), false};
    N.A = A;
    N.B = B;
    return add(N);
  }
  NumberType typeOf(uint32_t I) const { return E.Nodes[I].Type; }
  /// \p I as a value of type \p T.
  uint32_t converted(uint32_t I, NumberType T) {
    return typeOf(I) == T ? I : unaryNode(Op::Cast, T, I);
  }
  static NumberType promoted(NumberType T) {
    return T.Bytes < 4 ? NumberType() : T;
  }
  /// What both operands of an arithmetic operator become.
  static NumberType common(NumberType A, NumberType B);

  void skipSpace() { Rest = Rest.ltrim(" \t\n"); }
  bool eat(StringRef Token) {
    skipSpace();
    return Rest.consume_front(Token);
  }
  StringRef word() {
    skipSpace();
    StringRef W = Rest.take_while(isWord);
    return W;
  }
  llvm::Error unknown(StringRef What) const {
    return llvm::createStringError(
        "column " + llvm::Twine(Text.size() - Rest.size() + 1) + ": " + What);
  }

  /// The parser nests as the text does; false: too deep.
  struct Deeper {
    unsigned &Depth;
    explicit Deeper(unsigned &D) : Depth(D) { ++Depth; }
    ~Deeper() { --Depth; }
    explicit operator bool() const { return Depth <= 100; }
  };

  const StringRef Text;
  StringRef Rest;
  const ExpressionContext &Context;
  Expression E;
  unsigned Depth = 0;
  bool LastIsBits = false; ///< the last variable is a bit-field
};

const ExpressionParser::Binary ExpressionParser::Operators[] = {
    // Longer spellings first.
    {"<<", Op::ShiftLeft, 8},  {">>", Op::ShiftRight, 8},
    {"<=", Op::LessEqual, 7},  {">=", Op::GreaterEqual, 7},
    {"==", Op::Equal, 6},      {"!=", Op::Unequal, 6},
    {"&&", Op::LogicalAnd, 2}, {"||", Op::LogicalOr, 1},
    {"*", Op::Multiply, 10},   {"/", Op::Divide, 10},
    {"%", Op::Remainder, 10},  {"+", Op::Add, 9},
    {"-", Op::Subtract, 9},    {"<", Op::Less, 7},
    {">", Op::Greater, 7},     {"&", Op::And, 5},
    {"^", Op::Xor, 4},         {"|", Op::Or, 3},
};

} // namespace rw

NumberType ExpressionParser::common(NumberType A, NumberType B) {
  if (A.Float || B.Float)
    return {std::max<uint8_t>(A.Float ? A.Bytes : 0, B.Float ? B.Bytes : 0),
            true, true};
  if (A.Address || B.Address)
    return A.Address ? A : B;
  A = promoted(A);
  B = promoted(B);
  if (A.Bytes != B.Bytes)
    return A.Bytes > B.Bytes ? A : B;
  return {A.Bytes, A.Signed && B.Signed};
}

/// Whether the type of \p I is known, where its value is not.
bool ExpressionParser::isTyped(uint32_t I) const {
  const Node &N = E.Nodes[I];
  switch (N.What) {
  case Op::Unknown:
    return N.Value;
  case Op::Negate:
  case Op::Complement:
  case Op::ShiftLeft:
  case Op::ShiftRight:
    return isTyped(N.A);
  case Op::Multiply:
  case Op::Divide:
  case Op::Remainder:
  case Op::Add:
  case Op::Subtract:
  case Op::And:
  case Op::Xor:
  case Op::Or:
    return isTyped(N.A) && isTyped(N.B);
  case Op::Select:
    return isTyped(N.B) && isTyped(uint32_t(N.Value));
  case Op::Cast:
    return N.Value || isTyped(N.A);
  default:
    return true;
  }
}

ExpressionParser::Index ExpressionParser::conditional() {
  auto Test = binary(1);
  if (!Test || !eat("?"))
    return Test;
  Deeper Here(Depth);
  if (!Here)
    return unknown("it is too long");
  auto Yes = conditional();
  if (!Yes)
    return Yes;
  if (!eat(":"))
    return unknown("':' is missing");
  auto No = conditional();
  if (!No)
    return No;
  const bool Pointers = typeOf(*Yes).Address || typeOf(*No).Address;
  if (Pointers && (typeOf(*Yes).Float || typeOf(*No).Float))
    return unknown("'?:' needs two numbers, or two pointers");
  Node N;
  N.What = isTyped(*Yes) && isTyped(*No) ? Op::Select : Op::Unknown;
  N.Type = common(typeOf(*Yes), typeOf(*No));
  N.A = *Test;
  if (N.What == Op::Select) {
    N.B = converted(*Yes, N.Type);
    N.Value = converted(*No, N.Type);
  }
  return add(N);
}

/// Null at what ends an operand; assignments are no operators of ours.
const ExpressionParser::Binary *ExpressionParser::operatorAhead() const {
  StringRef Ahead = Rest.ltrim(" \t\n");
  for (const Binary &B : Operators) {
    if (!Ahead.starts_with(B.Spelling))
      continue;
    StringRef After = Ahead.drop_front(B.Spelling.size());
    bool Comparison = B.Level == 6 || B.Level == 7;
    // "+=", "<<=", "++", "->"
    if ((!Comparison && After.starts_with("=")) ||
        (B.Level == 9 && (After.starts_with(B.Spelling) ||
                          (B.What == Op::Subtract && After.starts_with(">")))))
      return nullptr;
    return &B;
  }
  return nullptr;
}

ExpressionParser::Index ExpressionParser::binary(unsigned Level) {
  skipSpace();
  const StringRef Begin = Rest;
  auto Left = unary();
  if (Left && Context.Operands && typeOf(*Left).Address)
    if (const Binary *B = operatorAhead(); B && B->Level == 9 && Level <= 9) {
      const StringRef End = std::exchange(Rest, Begin);
      auto Sum = evaluated(Context.Operands->sumOf(Rest));
      if (Sum) {
        Left = std::move(Sum);
      } else { // the operator says so
        consumeError(Sum.takeError());
        Rest = End;
      }
    }
  while (Left) {
    const Binary *B = operatorAhead();
    if (!B || B->Level < Level)
      return Left;
    eat(B->Spelling);
    auto Right = binary(B->Level + 1);
    if (!Right)
      return Right;
    Node N;
    N.What = B->What;
    N.A = *Left;
    N.B = *Right;
    if (B->Level > 2) {
      bool Shift = B->Level == 8;
      const bool OfReals = (B->Level >= 9 && N.What != Op::Remainder) ||
                           B->Level == 6 || B->Level == 7;
      const bool Pointers = typeOf(N.A).Address || typeOf(N.B).Address;
      if (Pointers && ((B->Level != 6 && B->Level != 7) || typeOf(N.A).Float ||
                       typeOf(N.B).Float))
        return unknown("pointers are only compared here, with pointers and "
                       "integers: '" +
                       B->Spelling.str() + "' needs numbers");
      if (!OfReals && (typeOf(N.A).Float || typeOf(N.B).Float))
        return unknown("'" + B->Spelling.str() + "' needs integers");
      NumberType T =
          Shift ? promoted(typeOf(N.A)) : common(typeOf(N.A), typeOf(N.B));
      N.A = converted(N.A, T);
      N.B = converted(N.B, Shift ? promoted(typeOf(N.B)) : T);
      if (B->Level != 6 && B->Level != 7)
        N.Type = T;
    }
    Left = add(N);
  }
  return Left;
}

ExpressionParser::Index ExpressionParser::unary() {
  // The evaluation nests as the nodes do.
  const Deeper Here(Depth);
  if (!Here || E.Nodes.size() > 1000)
    return unknown("it is too long");

  skipSpace();
  if (Rest.starts_with("++") || Rest.starts_with("--"))
    return unknown("it changes something");
  if (Rest.starts_with("*"))
    return load();
  if (Rest.starts_with("&") && Context.Operands)
    return operand();
  static constexpr struct {
    char Spelling;
    Op What;
  } Signs[] = {{'-', Op::Negate}, {'~', Op::Complement}, {'!', Op::Not}};
  for (auto [Spelling, What] : Signs) {
    if (!eat(StringRef(&Spelling, 1)))
      continue;
    auto A = unary();
    if (!A || What == Op::Not)
      return A ? Index(unaryNode(What, NumberType(), *A)) : std::move(A);
    NumberType T = promoted(typeOf(*A));
    if (T.Address)
      return unknown("pointers are only compared here");
    if (T.Float && What == Op::Complement)
      return unknown("'~' needs an integer");
    return unaryNode(What, T, converted(*A, T));
  }
  if (eat("+")) {
    auto A = unary();
    // A number also of what was a bool.
    return A ? Index(unaryNode(Op::Cast, promoted(typeOf(*A)), *A))
             : std::move(A);
  }
  if (word() == "sizeof")
    return size();
  if (Rest.starts_with("(") && Context.Operands &&
      Context.Operands->castsAhead(Rest))
    return operand();
  auto Type = typeInParentheses(/*Pointer=*/false);
  if (!Type)
    return Type.takeError();
  if (*Type) {
    auto A = unary();
    if (!A)
      return A;
    // As an int, which is what a bool becomes in any operator.
    if ((*Type)->What == DataType::Truth)
      return unaryNode(Op::Not, NumberType(),
                       unaryNode(Op::Not, NumberType(), *A));
    if (typeOf(*A).Address && (*Type)->Number.Float)
      return unknown("a pointer becomes no floating-point number");
    const uint32_t Cast = unaryNode(Op::Cast, (*Type)->Number, *A);
    E.Nodes[Cast].Value = true;
    return Cast;
  }
  return primary();
}

/// A value that the context finds.
ExpressionParser::Index ExpressionParser::operand() {
  return evaluated(Context.Operands->operand(Rest));
}

ExpressionParser::Index
ExpressionParser::evaluated(Expected<OperandSource::Operand> O) {
  if (!O)
    return O.takeError();
  Rest = Rest.drop_front(O->Length);
  LastIsBits = O->IsBits;
  Node N;
  N.What = O->Value ? Op::Constant : Op::Unknown;
  N.Type = O->Type;
  N.Value = O->Value.value_or(O->Typed);
  return add(N);
}

/// "(*p).a": a bracket that a member or an element follows.
bool ExpressionParser::isLvalueInParentheses() const {
  unsigned Open = 0;
  for (size_t I = 0; I < Rest.size(); ++I) {
    Open += Rest[I] == '(';
    if (Rest[I] != ')' || --Open)
      continue;
    const StringRef After = Rest.drop_front(I + 1).ltrim();
    return After.starts_with("->") || After.starts_with(".") ||
           After.starts_with("[");
  }
  return false;
}

/// A '*', a cast to a pointer, and the address.
ExpressionParser::Index ExpressionParser::load() {
  const StringRef Before = Rest;
  eat("*");
  auto Type = typeInParentheses(/*Pointer=*/true);
  if (!Type)
    return Type.takeError();
  if (!*Type && Context.Operands) {
    Rest = Before;
    return operand();
  }
  if (!*Type)
    return unknown("'*' needs a pointer to a number's type");
  auto A = unary();
  if (!A && Context.Operands) {
    // It may be computed of pointers.
    const StringRef There = std::exchange(Rest, Before);
    auto Whole = operand();
    if (Whole) {
      consumeError(A.takeError());
      return Whole;
    }
    consumeError(Whole.takeError());
    Rest = There;
  }
  if (!A)
    return A;
  if (typeOf(*A).Float)
    return unknown("an address is an integer");
  uint32_t Addr = converted(*A, {uint8_t(Context.AddressBytes), false});
  if ((*Type)->What == DataType::Truth)
    return unaryNode(Op::Truth, {1, false},
                     unaryNode(Op::Load, {1, false}, Addr));
  return unaryNode(Op::Load, (*Type)->Number, Addr);
}

/// What the program calls a type, before ')' or '*', with that left to read.
std::optional<DataType> ExpressionParser::namedType() {
  const StringRef Before = Rest, W = word();
  Rest = Rest.drop_front(W.size());
  const StringRef After = Rest.ltrim();
  std::optional<DataType> T;
  if (!W.empty() && !llvm::isDigit(W.front()) && !W.starts_with("$") &&
      (After.starts_with(")") || After.starts_with("*"))) {
    T = typeCalled(W);
    if (!T && (Context.Names || Context.Operands))
      if (const auto N = standardNumber(W, Context.AddressBytes)) {
        T.emplace();
        T->Number = *N;
        T->Bytes = N->Bytes;
      }
  }
  if (!T)
    Rest = Before;
  return T;
}

/// "(unsigned char)", "(const int *)"; nothing, and nothing consumed, if there
/// is no type here.
Expected<std::optional<DataType>>
ExpressionParser::typeInParentheses(bool Pointer) {
  StringRef Before = Rest;
  if (!eat("("))
    return std::nullopt;
  unsigned Words = 0, Longs = 0;
  bool Unsigned = false, Signed = false, Char = false, Short = false;
  bool Int = false, Float = false, Double = false, Bool = false;
  for (;; ++Words) {
    StringRef W = word();
    if (W == "unsigned")
      Unsigned = true;
    else if (W == "signed")
      Signed = true;
    else if (W == "char")
      Char = true;
    else if (W == "short")
      Short = true;
    else if (W == "long")
      ++Longs;
    else if (W == "int")
      Int = true;
    else if (W == "float")
      Float = true;
    else if (W == "double")
      Double = true;
    else if (W == "_Bool")
      Bool = true;
    else if (W != "const" && W != "volatile")
      break;
    Rest = Rest.drop_front(W.size());
  }
  const bool Integer = Unsigned || Signed || Char || Short || Longs || Int;
  std::optional<DataType> Named;
  if (!Integer && !Float && !Double && !Bool) {
    Named = namedType();
    // C++ has the word, and so do programs of C that do not say otherwise.
    if (!Named && (Context.Names || Context.Operands) && word() == "bool") {
      const StringRef After = Rest.drop_front(4).ltrim();
      Bool = After.starts_with(")") || After.starts_with("*");
      if (Bool)
        Rest = After;
    }
  }
  if (const StringRef W = word();
      !Named && !Context.Operands &&
      (W == "enum" || W == "struct" || W == "union"))
    return unknown("not a number's type that is understood");
  if (Words == 0 && !Named && !Bool) {
    Rest = Before;
    return std::nullopt;
  }
  bool Wrong = (Unsigned && Signed) || (Char && (Short || Longs || Int)) ||
               (Short && Longs) || Longs > 2 ||
               ((Float || Double) && (Integer || (Float && Double))) ||
               (Bool && (Integer || Float || Double)) ||
               !(Integer || Float || Double || Bool || Named);
  if (Wrong || (Pointer && !eat("*")) || !eat(")"))
    return unknown("not a number's type that is understood");
  if (Named)
    return Named;
  DataType T;
  NumberType &N = T.Number;
  if (Bool)
    T.What = DataType::Truth;
  else if (Float || Double)
    N = {uint8_t(Float ? 4 : 8), true, true};
  else {
    N.Signed = !Unsigned;
    N.Char = Char;
    if (Char && !Unsigned && !Signed) {
      auto Plain = hasSignedChar();
      if (!Plain)
        return Plain.takeError();
      N.Signed = *Plain;
    }
    N.Bytes = Char         ? 1
              : Short      ? 2
              : Longs == 2 ? 8
              : Longs == 1 ? uint8_t(Context.AddressBytes)
                           : 4;
  }
  T.Bytes = Bool ? 1 : N.Bytes;
  return T;
}

/// Whether plain char is a signed type.
Expected<bool> ExpressionParser::hasSignedChar() const {
  const std::optional<bool> Own = Context.Operands
                                      ? Context.Operands->signedChar()
                                  : Context.Names ? Context.Names->signedChar()
                                                  : std::nullopt;
  // A debugger, which may be asked as well, goes by the machine.
  if (!Context.Operands && Own && *Own != Context.SignedChar)
    return unknown("the program has another char than its machine");
  return Own.value_or(Context.SignedChar);
}

ExpressionParser::Index ExpressionParser::primary() {
  skipSpace();
  if (Rest.starts_with("(") && Context.Operands && isLvalueInParentheses())
    return operand();
  if (Rest.starts_with("(") && Context.Names && !Context.Operands)
    if (auto Record = recordPointerAhead())
      return castRecord(*Record);
  if (eat("(")) {
    auto A = conditional();
    if (A && !eat(")"))
      return unknown("')' is missing");
    return A;
  }
  if (Rest.starts_with("'"))
    return character();
  if (Rest.starts_with("\""))
    return unknown("texts are not compared, as C does not: ask for their "
                   "characters (name[0] == 'a')");
  if (!Rest.empty() &&
      (llvm::isDigit(Rest.front()) ||
       (Rest.size() > 1 && Rest.front() == '.' && llvm::isDigit(Rest[1]))))
    return number();
  return named();
}

/// The number that an escape stands for, behind its backslash, and with that
/// consumed; nothing: it is none.
static std::optional<unsigned> escaped(StringRef &Rest) {
  static constexpr StringLiteral Letters = "abtnvfr", Selves = "'\"?\\";
  if (Rest.empty())
    return std::nullopt;
  const char C = Rest.front();
  if (const size_t Letter = Letters.find(C); Letter != StringRef::npos) {
    Rest = Rest.drop_front();
    return 7 + Letter;
  }
  if (Selves.contains(C)) {
    Rest = Rest.drop_front();
    return C;
  }
  const bool Hex = Rest.consume_front("x");
  const StringRef Digits =
      Hex ? Rest.take_while(llvm::isHexDigit)
          : Rest.take_while([](char D) { return D >= '0' && D < '8'; })
                .take_front(3);
  unsigned N;
  if (Digits.getAsInteger(Hex ? 16 : 8, N) || N > 0xff)
    return std::nullopt;
  Rest = Rest.drop_front(Digits.size());
  return N;
}

/// 'a', '\n'; what is not ASCII is left to a compiler.
ExpressionParser::Index ExpressionParser::character() {
  StringRef After = Rest.drop_front();
  std::optional<unsigned> C;
  if (After.consume_front("\\")) {
    C = escaped(After);
  } else if (!After.empty() && llvm::isPrint(After.front()) &&
             After.front() != '\'') {
    C = After.front();
    After = After.drop_front();
  }
  if (!C || !After.consume_front("'"))
    return unknown("not a character that is understood");
  Node N;
  N.Value = *C;
  if (*C >= 0x80) {
    auto Signed = hasSignedChar();
    if (!Signed)
      return Signed.takeError();
    if (*Signed)
      N.Value = uint64_t(int64_t(int8_t(*C)));
  }
  Rest = After;
  return add(N);
}

/// "sizeof(int)", "sizeof x": of a type or of a variable, a number both. What
/// has other types in C and in C++ (a comparison, 'a') is not understood.
ExpressionParser::Index ExpressionParser::size() {
  Rest = Rest.drop_front(StringLiteral("sizeof").size());
  const size_t Nodes = E.Nodes.size(), Leaves = E.Leaves.size();
  auto Type = typeInParentheses(/*Pointer=*/false);
  if (!Type)
    return Type.takeError();
  Node Size;
  Size.Type = {uint8_t(Context.AddressBytes), false};
  if (*Type) {
    Size.Value = (*Type)->Bytes;
    return add(Size);
  }
  if (Context.Operands) {
    const StringRef Of = Rest.ltrim();
    auto Its = Context.Operands->sizeOf(Of);
    if (Its) {
      Rest = Of.drop_front(Its->Length);
      Size.Value = *Its->Value;
      return add(Size);
    }
    consumeError(Its.takeError()); // something else may be there
  }
  const bool Character = Rest.ltrim(" \t\n(").starts_with("'");
  LastIsBits = false;
  auto Of = unary();
  if (!Of)
    return Of;
  // It is not looked at: what it names need not be known.
  const Node N = E.Nodes[*Of];
  const bool Plain = N.What <= Op::Cast || N.What == Op::Truth;
  // An operand that is an array is its address.
  const bool MayBeArray = Context.Operands && N.Type.Address;
  if (Character || !Plain || MayBeArray || LastIsBits || !isTyped(*Of))
    return unknown("'sizeof' needs a type or a variable that is a number");
  E.Nodes.resize(Nodes);
  E.Leaves.resize(Leaves);
  Size.Value = N.Type.Bytes;
  return add(Size);
}

/// "1.5", "2e-3f", "0x1p3": \p Digits with its suffix.
ExpressionParser::Index ExpressionParser::real(StringRef Digits) {
  const StringRef All = Digits;
  const bool Hex = Digits.starts_with_insensitive("0x");
  // A letter of hexadecimal digits, before the exponent.
  const bool Single = (!Hex || Digits.contains_insensitive('p')) &&
                      Digits.consume_back_insensitive("f");
  llvm::APFloat V(Single ? llvm::APFloat::IEEEsingle()
                         : llvm::APFloat::IEEEdouble());
  const char Last = Digits.back();
  if (!(Hex ? llvm::isHexDigit(Last) : llvm::isDigit(Last)) && Last != '.')
    return unknown("not a number that is understood"); // "1e+"
  const auto Done = readReal(Digits, V);
  if (!Done)
    return unknown("not a number that is understood");
  if (*Done & llvm::APFloat::opOverflow)
    return unknown("the number is too large");
  Node N;
  N.Type = {uint8_t(Single ? 4 : 8), true, true};
  N.Value = llvm::bit_cast<uint64_t>(Single ? double(V.convertToFloat())
                                            : V.convertToDouble());
  Rest = Rest.drop_front(All.size());
  return add(N);
}

ExpressionParser::Index ExpressionParser::number() {
  size_t Size = 1;
  const bool Hex = Rest.starts_with_insensitive("0x");
  bool Real = Rest.front() == '.';
  for (; Size < Rest.size(); ++Size) {
    const bool Exponent = llvm::toLower(Rest[Size - 1]) == (Hex ? 'p' : 'e');
    Real |= Exponent || Rest[Size] == '.';
    if (!isWord(Rest[Size]) && Rest[Size] != '.' &&
        !(Exponent && (Rest[Size] == '+' || Rest[Size] == '-')))
      break;
  }
  if (Real)
    return real(Rest.take_front(Size));
  StringRef W = word();
  StringRef Suffix = W.ltrim("0123456789");
  unsigned Radix = 10;
  StringRef Digits = W.drop_back(Suffix.size());
  if (W.starts_with_insensitive("0x")) {
    Radix = 16;
    StringRef Body = W.drop_front(2);
    Suffix = Body.ltrim("0123456789abcdefABCDEF");
    Digits = Body.drop_back(Suffix.size());
  } else if (W.starts_with_insensitive("0b")) {
    Radix = 2;
    Digits = W.drop_front(2);
    Suffix = Digits.ltrim("01");
    Digits = Digits.drop_back(Suffix.size());
  } else if (Digits.size() > 1 && Digits.front() == '0') {
    Radix = 8;
  }
  std::string Lower = Suffix.lower();
  bool Unsigned = Lower == "u" || Lower == "ul" || Lower == "ull" ||
                  Lower == "lu" || Lower == "llu";
  bool Long = Lower == "l" || Lower == "ul" || Lower == "lu";
  bool LongLong = Lower == "ll" || Lower == "ull" || Lower == "llu";
  StringRef After = Rest.drop_front(W.size());
  Node N;
  if ((!Lower.empty() && !Unsigned && !Long && !LongLong) ||
      After.starts_with(".") || After.starts_with("'") ||
      Digits.getAsInteger(Radix, N.Value))
    return unknown("not an integer that is understood");
  // Too large for long, but not for unsigned long: older C has that one, newer
  // C and C++ have long long.
  if (Radix == 10 && !Unsigned && !LongLong && Context.AddressBytes == 4 &&
      !llvm::isUInt<31>(N.Value) && llvm::isUInt<32>(N.Value))
    return unknown("the number's type depends on the language; write " +
                   Digits.str() + "u or " + Digits.str() + "ll");
  // The first of int, unsigned, long, ... that can hold it.
  unsigned Least = LongLong ? 8 : Long ? Context.AddressBytes : 4;
  std::optional<NumberType> Type;
  for (uint8_t Bytes : {uint8_t(4), uint8_t(8)}) {
    if (Type || Bytes < Least)
      continue;
    unsigned Bits = 8 * Bytes;
    if (!Unsigned && llvm::isUIntN(Bits - 1, N.Value))
      Type = NumberType{Bytes, true};
    else if ((Unsigned || Radix != 10) && llvm::isUIntN(Bits, N.Value))
      Type = NumberType{Bytes, false};
  }
  if (!Type)
    return unknown("the number is too large");
  N.Type = *Type;
  Rest = After;
  return add(N);
}

/// The bits of \p T, whose first byte is at the address \p Where, moved to the
/// top of 64 and from there to the bottom. Fewer than an int has are an int.
ExpressionParser::Index ExpressionParser::bitField(const DataType &T,
                                                   uint32_t Where) {
  const unsigned Bytes = unsigned(llvm::divideCeil(T.FirstBit + T.NumBits, 8));
  if (Bytes > 8)
    return unknown("the bit-field lies in more than eight bytes");
  const unsigned Below =
      Context.BigEndian ? 8 * Bytes - T.FirstBit - T.NumBits : T.FirstBit;
  const uint32_t Unit = unaryNode(Op::Load, {uint8_t(Bytes), false}, Where);
  const bool Signed = T.What == DataType::Arithmetic && T.Number.Signed;
  auto Shifted = [&](Op What, uint32_t Value, unsigned By, bool Signed) {
    Node Count;
    Count.Value = By;
    Node N;
    N.What = What;
    N.Type = {8, Signed};
    N.A = converted(Value, N.Type);
    N.B = add(Count);
    return add(N);
  };
  const uint32_t Top =
      Shifted(Op::ShiftLeft, Unit, 64 - Below - T.NumBits, false);
  const uint32_t Bits = Shifted(Op::ShiftRight, Top, 64 - T.NumBits, Signed);
  if (T.What == DataType::Truth)
    return converted(Bits, {1, false});
  const bool IsInt = T.NumBits < 32 || (T.NumBits == 32 && Signed);
  return converted(Bits, IsInt ? NumberType{4, true}
                               : NumberType{T.Number.Bytes, Signed});
}

/// A variable and what is behind it: "m.list[2]->id". The address is made of
/// nodes, from left to right.
ExpressionParser::Index ExpressionParser::variable(StringRef Name) {
  auto V = Context.Names ? Context.Names->variable(Name) : std::nullopt;
  if (!V && Context.Names && (Name == "true" || Name == "false")) {
    Rest = Rest.drop_front(Name.size());
    Node N;
    N.Value = Name == "true";
    return add(N);
  }
  if (!V && Context.Names)
    if (auto Value = Context.Names->enumerator(Name)) {
      Rest = Rest.drop_front(Name.size());
      Node N;
      N.Value = *Value;
      return add(N);
    }
  if (!V)
    return unknown("not a variable that is understood");
  Rest = Rest.drop_front(Name.size());
  const NumberType Address{uint8_t(Context.AddressBytes), false};
  auto Base = [&](NumberType Type) {
    Expression::Leaf L;
    L.Slice = *V->Base;
    L.OfVariable = true;
    Node N;
    N.What = Op::Register;
    N.Type = Type;
    N.A = uint32_t(E.Leaves.size());
    E.Leaves.push_back(L);
    return add(N);
  };
  DataType T = V->Type;
  // What a register has is a value without an address: Where is that value.
  bool Held = V->Held;
  uint32_t Where = 0;
  if (Held)
    Where = Base({uint8_t(V->Base->Size), false});
  else if (V->Base)
    Where = addressNode(Op::Add, Base(Address), addressConstant(V->Where));
  else
    Where = addressConstant(V->Where);
  return path(T, Where, Held, /*IsAddress=*/false);
}

/// "((struct task *)h)->state", whose '(', type and ')' were read: \p Record is
/// what the address leads to.
ExpressionParser::Index ExpressionParser::castRecord(const DataType &Record) {
  auto A = unary();
  if (!A)
    return A;
  if (typeOf(*A).Float)
    return unknown("an address is an integer");
  if (!eat(")") ||
      !(Rest.ltrim().starts_with("->") || Rest.ltrim().starts_with("[")))
    return unknown("a pointer to a structure needs '->'");
  return path(Record, converted(*A, {uint8_t(Context.AddressBytes), false}),
              /*Held=*/false, /*IsAddress=*/true);
}

/// The structure of "((struct task *)", with that consumed; nothing, and
/// nothing consumed, if something else comes.
std::optional<DataType> ExpressionParser::recordPointerAhead() {
  const StringRef Before = Rest;
  std::optional<DataType> T;
  if (eat("(") && eat("(")) {
    bool Tag = false;
    StringRef W = word();
    for (; W == "const" || W == "volatile" || W == "struct" || W == "union";
         W = word()) {
      Tag |= W == "struct" || W == "union";
      Rest = Rest.drop_front(W.size());
    }
    Rest = Rest.drop_front(W.size());
    if (!W.empty() && eat("*") && eat(")"))
      T = Context.Names->record(W, Tag);
  }
  if (!T)
    Rest = Before;
  return T;
}

/// What is behind a variable or a cast: "->next->id", "[2].x". \p Where is the
/// address of \p T, or, if \p Held, the value; \p IsAddress: "->" and "[" lead
/// there, not on from there.
ExpressionParser::Index ExpressionParser::path(DataType T, uint32_t Where,
                                               bool Held, bool IsAddress) {
  const NumberType Address{uint8_t(Context.AddressBytes), false};
  auto Loaded = [&](NumberType Type) {
    return std::exchange(Held, false) ? converted(Where, Type)
                                      : unaryNode(Op::Load, Type, Where);
  };
  for (;;) {
    const bool Pointer = T.What == DataType::Pointer;
    if (eat("[")) {
      auto I = conditional();
      if (!I)
        return I;
      if (typeOf(*I).Float)
        return unknown("an index is an integer");
      auto Element = IsAddress ? std::optional(T)
                     : Pointer || T.What == DataType::Array
                         ? Context.Names->element(T)
                         : std::nullopt;
      if (!Element || !Element->Bytes || !eat("]"))
        return unknown("not an element that is understood");
      if (const Node &N = E.Nodes[*I];
          N.What == Op::Constant &&
          N.Value > llvm::maskTrailingOnes<uint64_t>(8 * Address.Bytes) /
                        Element->Bytes)
        return unknown("the index leads out of the address space");
      if (Pointer)
        Where = Loaded(Address);
      IsAddress = false;
      Where = addressNode(Op::Add, Where,
                          addressNode(Op::Multiply, converted(*I, Address),
                                      addressConstant(Element->Bytes)));
      T = *Element;
      continue;
    }
    const bool Arrow = eat("->");
    if (!Arrow && !eat("."))
      break;
    if (Arrow && !std::exchange(IsAddress, false)) {
      auto Object = Pointer ? Context.Names->element(T) : std::nullopt;
      if (!Object)
        return unknown("'->' needs a pointer to a structure");
      Where = Loaded(Address);
      T = *Object;
    }
    StringRef Part = word();
    auto M = T.What == DataType::Record && !Held
                 ? Context.Names->member(T, Part)
                 : std::nullopt;
    if (!M)
      return unknown("not a member that is understood");
    Rest = Rest.drop_front(Part.size());
    Where = addressNode(Op::Add, Where, addressConstant(M->Where));
    T = M->Type;
  }
  LastIsBits = T.NumBits;
  if (T.NumBits)
    return bitField(T, Where);
  if (T.What == DataType::Truth)
    return unaryNode(Op::Truth, {1, false}, Loaded({1, false}));
  if (T.What == DataType::Pointer)
    return Loaded({Address.Bytes, false, false, true});
  if (T.What != DataType::Arithmetic || (Held && T.Number.Float))
    return unknown("the variable is no number");
  return Loaded(T.Number);
}

/// A register.
ExpressionParser::Index ExpressionParser::named() {
  StringRef W = word();
  if (Context.Operands && !W.starts_with("$") &&
      (!W.empty() || Rest.starts_with("::")))
    return operand();
  if (W.empty())
    return unknown("a value is missing");
  if (!W.starts_with("$"))
    return variable(W);
  StringRef Name = W.drop_front();
  if (Name.empty())
    return unknown("no such register");
  Expression::Leaf L;
  Node N;
  N.What = Op::Register;
  N.Type = {8, false};
  auto Part = llvm::find(TracePartNames, Name);
  if (Part != std::end(TracePartNames)) {
    L.What = Expression::Leaf::Part;
    L.Which = TracePart(Part - TracePartNames);
  } else {
    // As LLDB looks for them: a register's role comes before its name.
    const RegisterInfo *R = nullptr;
    std::string Role = Name.equals_insensitive("lr") ? "ra" : Name.lower();
    for (const RegisterInfo &Each : Context.Registers.registers())
      if (!R && Each.Generic == Role)
        R = &Each;
    for (const RegisterInfo &Each : Context.Registers.registers())
      if (!R && (Name.equals_insensitive(Each.Name) ||
                 Name.equals_insensitive(Each.AltName)))
        R = &Each;
    if (!R)
      return unknown("no such register");
    if (R->Format == RegisterFormat::Vector)
      return unknown("the register is no number");
    if (R->Format == RegisterFormat::Float)
      N.Type.Signed = N.Type.Float = true;
    N.Type.Bytes = uint8_t(R->IsPC ? Context.AddressBytes : R->Slice.Size);
    if (N.Type.Bytes != 4 && N.Type.Bytes != 8)
      return unknown("the register is no number of 4 or 8 bytes");
    L.What = R->IsPC ? Expression::Leaf::PC : Expression::Leaf::Lanes;
    L.Slice = R->Slice;
  }
  Rest = Rest.drop_front(W.size());
  N.A = uint32_t(E.Leaves.size());
  E.Leaves.push_back(L);
  return add(N);
}

Expected<Expression> ExpressionParser::run() {
  auto Whole = conditional();
  if (!Whole)
    return Whole.takeError();
  skipSpace();
  if (!Rest.empty())
    return unknown("'" + Rest.take_front(10).str() + "' is not understood");
  assert(*Whole == E.Nodes.size() - 1 && "the last node is the whole");
  return std::move(E);
}

Expected<Expression> Expression::compile(StringRef Text,
                                         const ExpressionContext &Context) {
  return ExpressionParser(Text, Context).run();
}
