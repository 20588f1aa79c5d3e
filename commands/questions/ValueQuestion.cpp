//===- ValueQuestion.cpp - The values that rewind find looks for ----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/lvalues/SlotOwner.h"
#include "commands/questions/FindTarget.h"
#include "commands/support/Format.h"
#include "core/support/Reals.h"
#include "core/support/Words.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace rw {

namespace {

/// A value as it is written.
struct WrittenValue {
  enum {
    Decimal, ///< also true, an enumerator
    Bits,    ///< in hexadecimal, a character: the bytes of anything
    Real,
  } What = Decimal;
  uint64_t Number = 0;   ///< negative ones extended
  bool Negative = false; ///< of a Decimal
  StringRef Text;        ///< of a Real, as APFloat reads it
  bool Single = false;   ///< of a Real: a float, as it has an f
  std::string Meaning;
};

/// What --in says of a value that lies there.
struct WantedType {
  const Type *Its = nullptr; ///< null: not known
  bool Float = false;
  uint64_t Size = 0; ///< bytes; 0: not known
  unsigned Bits = 0;
};

} // namespace

/// 'a', '\n', '\0', '\x41', '\101'.
static std::optional<uint64_t> parseCharacter(StringRef Text) {
  if (!Text.consume_front("'") || !Text.consume_back("'") || Text.empty())
    return std::nullopt;
  if (Text.size() == 1)
    return uint8_t(Text[0]);
  if (!Text.consume_front("\\"))
    return std::nullopt;
  constexpr StringLiteral Letters = "abfnrtve\\'\"?",
                          Values = "\a\b\f\n\r\t\v\x1b\\'\"?";
  if (size_t At = Letters.find(Text[0]);
      Text.size() == 1 && At != StringRef::npos)
    return uint8_t(Values[At]);
  const bool Hex = Text.consume_front("x");
  uint64_t N;
  if (Text.getAsInteger(Hex ? 16 : 8, N) || N > 0xff)
    return std::nullopt;
  return N;
}

/// "1.5", "-.5e3", "1.5f", "inf".
static bool isReal(StringRef Text) {
  Text.consume_front("-");
  if (Text == "inf")
    return true;
  if (Text.empty() || !(isDigit(Text[0]) || Text[0] == '.'))
    return false;
  return readReal(Text).has_value();
}

/// "18446744073709551616", "0x1ffff": an integer of any size.
static bool isWhole(StringRef Digits) {
  APInt Number;
  return !Digits.empty() && isDigit(Digits[0]) &&
         Digits.size() <= LongestNumber && !Digits.getAsInteger(0, Number);
}

static Error doesNotFit(StringRef Text, const Twine &Into) {
  return usageError("'" + Text + "' does not fit into " + Into);
}

static std::string kindOf(const Type &T) {
  return T.Name.empty() ? "of another type" : "of type " + T.Name;
}

static Error noValue(const Session &S, StringRef Text, const WantedType &T) {
  if (T.Its && T.Its->Kind == TypeKind::Enum) {
    std::string Names;
    constexpr size_t Most = 8;
    for (const Type::Enumerator &E :
         ArrayRef(T.Its->Enumerators).take_front(Most))
      Names += (Names.empty() ? "" : ", ") + E.Name;
    if (T.Its->Enumerators.size() > Most)
      Names += ", ...";
    return usageError("'" + Text + "' is no value " + kindOf(*T.Its) +
                      ", which has " + Names);
  }
  if (Text.ltrim('-').equals_insensitive("nan"))
    return usageError("'" + Text +
                      "' is many values: give the bytes of one, as 0x7fc00000 "
                      "of a float or 0x7ff8000000000000 of a double");
  const bool IsName =
      all_of(Text, [](char C) { return isWord(C) || C == ':'; }) &&
      !Text.empty() && !isDigit(Text[0]);
  return usageError(
      "'" + Text +
      "' is no value, such as 42, -471, 0x6c00000067, 1.5, \"'x'\"" +
      (!IsName         ? " or an enumerator"
       : S.Expressions ? ", and no enumerator of the program"
                       : ", and enumerators take an image with debug "
                         "information (--image)"));
}

/// The name of an enumerator, without what comes before the last "::" if
/// \p Name has no such part.
static bool isCalled(StringRef Enumerator, StringRef Name) {
  return endsInName(Enumerator, Name) || endsInName(Name, Enumerator);
}

static Expected<WrittenValue> readWritten(Session &S, const Place &At,
                                          StringRef Text, const WantedType &T) {
  WrittenValue W;
  if (auto C = parseCharacter(Text)) {
    // Those from 0x80 on are negative to a signed char.
    if (*C >= 0x80)
      W.What = WrittenValue::Bits;
    W.Number = *C;
    return W;
  }
  StringRef Digits = Text;
  W.Negative = Digits.consume_front("-");
  if (auto N = parseNumber(Digits)) {
    if (!W.Negative && Digits.starts_with_insensitive("0x"))
      W.What = WrittenValue::Bits;
    W.Number = W.Negative ? 0 - *N : *N;
    if (W.Negative && *N > uint64_t(1) << 63)
      return doesNotFit(Text, "8 bytes");
    return W;
  }
  W.Negative = false;
  // What is whole in C is never taken for a number with a fraction.
  if (!T.Float && isWhole(Digits))
    return doesNotFit(Text, "8 bytes");
  if (Text == "true" || Text == "false") {
    W.Number = Text == "true";
    return W;
  }
  auto Named = [&](uint64_t Value) {
    W.Number = Value;
    W.Negative = int64_t(Value) < 0;
    W.Meaning =
        " (" + (W.Negative ? itostr(int64_t(Value)) : utostr(Value)) + ")";
    return W;
  };
  if (T.Its && T.Its->Kind == TypeKind::Enum) {
    for (const Type::Enumerator &E : T.Its->Enumerators)
      if (isCalled(E.Name, Text))
        return Named(
            T.Its->Signed && T.Its->Size < 8
                ? uint64_t(SignExtend64(E.Value, unsigned(8 * T.Its->Size)))
                : E.Value);
    return noValue(S, Text, T);
  }
  StringRef Number = Text;
  if (!Number.starts_with_insensitive("0x"))
    Number.consume_back_insensitive("f");
  if (isReal(Text) || isReal(Number)) {
    W.What = WrittenValue::Real;
    W.Single = !isReal(Text);
    W.Text = W.Single ? Number : Text;
    return W;
  }
  if (S.Expressions) {
    auto Value = S.Expressions->enumerator(Text, At);
    if (!Value)
      return Value.takeError();
    if (*Value)
      return Named(uint64_t(**Value));
  }
  return noValue(S, Text, T);
}

/// The bits of \p W as a floating-point number of \p Size bytes; none if it is
/// too large for one, or so small that nothing of it is left.
static std::optional<uint64_t> realBits(const WrittenValue &W, uint64_t Size) {
  APFloat V(Size == 2   ? APFloat::IEEEhalf()
            : Size == 4 ? APFloat::IEEEsingle()
                        : APFloat::IEEEdouble());
  const std::string Decimal =
      W.Negative ? itostr(int64_t(W.Number)) : utostr(W.Number);
  const StringRef Text = W.What == WrittenValue::Real ? W.Text : Decimal;
  const auto Done = readReal(Text, V);
  if (!Done || (*Done & APFloat::opOverflow) ||
      ((*Done & APFloat::opUnderflow) && V.isZero()))
    return std::nullopt;
  return V.bitcastToAPInt().getZExtValue();
}

/// The number \p W in \p Bits bits.
static Expected<uint64_t> wholeBits(StringRef Text, const WrittenValue &W,
                                    const WantedType &T, unsigned Bits) {
  const std::string Into =
      T.Its && !T.Its->Name.empty()
          ? (Bits % 8 ? std::to_string(Bits) + " bits of " : std::string()) +
                T.Its->Name
      : Bits % 8 ? std::to_string(Bits) + (Bits == 1 ? " bit" : " bits")
                 : std::to_string(Bits / 8) + (Bits == 8 ? " byte" : " bytes");
  // A number of a type that has a sign is never so large; its bytes may be.
  const bool Signed = T.Its && T.Its->Signed && W.What == WrittenValue::Decimal;
  const bool Fits =
      W.Negative ? isIntN(Bits, int64_t(W.Number))
                 : isUIntN(Signed && Bits > 1 ? Bits - 1 : Bits, W.Number) ||
                       (W.What == WrittenValue::Bits &&
                        isIntN(Bits, int64_t(W.Number)));
  if (!Fits || (T.Its && T.Its->Kind == TypeKind::Bool && W.Number > 1))
    return doesNotFit(Text, Into);
  return W.Number & maskTrailingOnes<uint64_t>(Bits);
}

/// The place that --in names, into \p Q. Its size, if it has one.
static Expected<WantedType> readPlace(Session &S, const Place &At, StringRef In,
                                      ValueQuestion &Q) {
  WantedType T;
  if (In == "reg" || In == "registers") {
    Q.Memory = false;
    return T;
  }
  if (In == "mem" || In == "memory") {
    Q.Registers = false;
    return T;
  }
  if (auto [First, Last] = In.split(".."); In.contains("..")) {
    auto From = parseAddress(S, At, First);
    if (!From)
      return From.takeError();
    auto To = parseAddress(S, At, Last);
    if (!To)
      return To.takeError();
    if (*To <= *From)
      return usageError("--in " + In + " is an empty range");
    Location L;
    L.Text = In.str();
    L.Addr = *From;
    L.Size = *To - *From;
    Q.Where = L;
  } else {
    auto L = parseLocation(S, At, In, std::nullopt);
    if (!L)
      return L.takeError();
    Q.Where = std::move(*L);
  }
  const Location &L = *Q.Where;
  if (Error E = checkOnePlace(L, "that"))
    return E;
  auto Owner = ownerOf(S, At, L);
  if (!Owner)
    return Owner.takeError();
  if (*Owner)
    S.warn(describe(L) + " is a variable of " + describe(S, **Owner) +
           whenOthers(L));
  (L.Where == Location::Register ? Q.Memory : Q.Registers) = false;
  const Type *Its = L.Type.get();
  while (Its &&
         (Its->Kind == TypeKind::Array || Its->Kind == TypeKind::Vector ||
          Its->Kind == TypeKind::Complex))
    Its = Its->Element.get();
  if (Its && Its->isScalar())
    T.Its = Its;
  T.Float = T.Its && T.Its->Kind == TypeKind::Float;
  if (L.FieldWidth) {
    T.Bits = L.FieldWidth;
    return T;
  }
  T.Size = T.Its ? T.Its->Size : L.Size;
  if (L.Where == Location::Register && !T.Its) {
    const RegisterInfo *R = S.Store.registerFile().find(L.RegisterName);
    T.Float = R && R->Format == RegisterFormat::Float &&
              L.Size == R->Slice.Size && !L.Slice.Offset && L.Size > 1;
  }
  return T;
}

/// How large the values are; nothing: as the number says.
static Expected<std::optional<uint64_t>>
readSize(const ParsedOptions &O, const ValueQuestion &Q, const WantedType &T) {
  auto Given = O.number("size");
  if (!Given)
    return Given.takeError();
  if (T.Bits && *Given)
    return usageError("--size: " + Q.Where->Text + " is a field of " +
                      Twine(T.Bits) + (T.Bits == 1 ? " bit" : " bits"));
  std::optional<uint64_t> Size = *Given;
  if (Size && (*Size > 8 || !isPowerOf2_64(*Size)))
    return usageError("--size of a value is 1, 2, 4 or 8, not " + Twine(*Size));
  if (!Q.Where || T.Bits)
    return Size;
  if (Q.Where->Where == Location::Register) {
    if (!Size)
      Size = T.Size;
    if (*Size > 8 || *Size > Q.Where->Size)
      return usageError("--size: of " + Q.Where->Text + ", which has " +
                        Twine(Q.Where->Size) +
                        " bytes, at most 8 can be compared");
    return Size;
  }
  if (!Size && T.Its && T.Size > 8)
    return usageError("--in: " + Q.Where->Text + " is " + kindOf(*T.Its) +
                      ", of " + Twine(T.Size) +
                      " bytes; at most 8 can be compared: --size");
  // In a range, a structure or a union values have the size that the number
  // says, if that fits.
  if (!Size && T.Its && isPowerOf2_64(T.Size))
    Size = T.Size;
  else if (!Size && !T.Its && Q.Where->Size < 4)
    Size = Q.Where->Size == 2 ? 2 : 1;
  return Size;
}

Expected<ValueQuestion> parseValueQuestion(Session &S, const Place &At,
                                           StringRef Text,
                                           const ParsedOptions &O) {
  ValueQuestion Q;
  Text = Text.trim();
  WantedType T;
  if (auto In = O.value("in")) {
    auto Read = readPlace(S, At, *In, Q);
    if (!Read)
      return Read.takeError();
    T = *Read;
  }
  auto Size = readSize(O, Q, T);
  if (!Size)
    return Size.takeError();
  if (T.Size && *Size != T.Size) // bytes of it, or several: another type
    T = {};
  auto W = readWritten(S, At, Text, T);
  if (!W)
    return W.takeError();
  Q.Meaning = W->Meaning;
  const bool Real = W->What == WrittenValue::Real;
  // The lanes of a vector register are numbers of either kind.
  if (Real && Q.Where && Q.Where->Where == Location::Register && T.Its &&
      T.Its->Name.empty())
    T = {};
  if (Real && (T.Bits || (T.Its && !T.Float)))
    return usageError("'" + Text + "' is no value of " + Q.Where->Text +
                      (T.Its ? ", which is " + kindOf(*T.Its)
                             : ", which is a field of bits"));
  if (Real && *Size == 1)
    return usageError("'" + Text +
                      "' in 1 byte? A floating-point number has "
                      "2, 4 or 8");
  if (Real || (T.Float && W->What == WrittenValue::Decimal)) {
    if (T.Its && T.Its->Float == FloatKind::BFloat)
      return usageError("numbers " + kindOf(*T.Its) +
                        " are not compared; give the bytes, as 0x3fc0");
    SmallVector<uint64_t, 2> Sizes{4, 8};
    if (*Size)
      Sizes = {**Size};
    else if (W->Single)
      Sizes = {4};
    for (uint64_t Bytes : Sizes)
      if (auto N = realBits(*W, Bytes))
        Q.Forms.push_back({*N, Bytes});
    if (Q.Forms.empty())
      return doesNotFit(Text, "a floating-point number of " +
                                  Twine(Sizes.back()) + " bytes");
    return Q;
  }
  if (!T.Bits && !*Size) {
    Q.Forms.push_back({W->Number, std::nullopt});
    return Q;
  }
  auto N = wholeBits(Text, *W, T, T.Bits ? T.Bits : unsigned(8 * **Size));
  if (!N)
    return N.takeError();
  Q.Forms.push_back({*N, *Size});
  return Q;
}

} // namespace rw
