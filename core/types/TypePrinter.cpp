//===- TypePrinter.cpp - Values as the program would write them -----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/types/TypePrinter.h"
#include "core/support/Printable.h"
#include "core/types/FloatText.h"
#include "core/types/LibraryValue.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace rw {

static constexpr StringLiteral Unknown = "<unknown>";
static constexpr unsigned MostElements = 32;  ///< of one array
static constexpr unsigned MostScalars = 200;  ///< of one value
static constexpr unsigned MostDepth = 12;     ///< of records in records
static constexpr unsigned FewestRepeats = 10; ///< that are counted
static constexpr unsigned MostText = 200;     ///< units of a text

std::optional<ValueFormat> parseValueFormat(StringRef Letter) {
  if (Letter.size() == 1 && StringRef("xdufcsb").contains(Letter[0]))
    return ValueFormat(Letter[0]);
  return std::nullopt;
}

bool KnownBytes::all() const {
  return llvm::all_of(Known, [](uint8_t K) { return K; });
}

bool KnownBytes::any() const {
  return llvm::any_of(Known, [](uint8_t K) { return K; });
}

namespace {

class Printer {
public:
  Printer(const PrinterContext &C, raw_ostream &OS) : C(C), OS(OS) {}

  void print(const Type &T, KnownBytes V, unsigned Depth = 0);
  void printBits(const Type &T, uint64_t N, unsigned Bits);
  void printField(const Type &T, uint64_t N, unsigned Bits);
  void printAs(ValueFormat Format, KnownBytes V, bool Text);

private:
  void printScalar(const Type &T, KnownBytes V);
  void printRecord(const Type &T, KnownBytes V, unsigned Depth);
  void printMembers(const Type &T, KnownBytes V, unsigned Depth,
                    ListSeparator &Comma);
  void printElements(const Type &T, KnownBytes V, unsigned Depth,
                     bool More = false);
  void printLibrary(const LibraryValue &L, KnownBytes V, unsigned Depth);
  void printPart(const LibraryValue::Part &P, KnownBytes V, unsigned Depth,
                 bool Mapped = false);
  void printPointer(uint64_t Addr, const Type *Characters);
  void printEnum(const Type &T, uint64_t N, unsigned Bits);
  void printCharacter(const Type &T, uint64_t N, unsigned Bits);
  void printText(KnownBytes V, unsigned Unit, bool Whole, uint64_t Least = 0);
  void printTextAt(uint64_t Addr, unsigned Unit);
  void printPartly(KnownBytes V);
  uint64_t number(KnownBytes V) const;
  SmallVector<uint8_t, 16> lowestFirst(KnownBytes V) const;

  const PrinterContext &C;
  raw_ostream &OS;
  unsigned Scalars = 0;
  bool Plain = false; ///< members of bases as if they were its own
};

} // namespace

uint64_t Printer::number(KnownBytes V) const {
  uint64_t N = 0;
  for (size_t I = 0; I < V.size(); ++I)
    N |= uint64_t(V.Bytes[I]) << 8 * (C.BigEndian ? V.size() - 1 - I : I);
  return N;
}

SmallVector<uint8_t, 16> Printer::lowestFirst(KnownBytes V) const {
  SmallVector<uint8_t, 16> Bytes(V.Bytes);
  if (C.BigEndian)
    std::reverse(Bytes.begin(), Bytes.end());
  return Bytes;
}

/// As a number, with "??" for what is not known.
void Printer::printPartly(KnownBytes V) {
  if (!V.any()) {
    OS << Unknown;
    return;
  }
  OS << "0x";
  for (size_t N = V.size(), I = 0; I < N; ++I) {
    size_t At = C.BigEndian ? I : N - 1 - I;
    if (V.Known[At])
      OS << format_hex_no_prefix(V.Bytes[At], 2);
    else
      OS << "??";
  }
}

/// The character that \p Code is, as in a literal between \p Quote.
static void printUnit(raw_ostream &OS, uint32_t Code, char Quote) {
  static constexpr StringLiteral Letters = "abtnvfr"; // from 7 on
  if (Code == uint32_t(Quote) || Code == '\\')
    OS << '\\' << char(Code);
  else if (Code >= 7 && Code <= 13)
    OS << '\\' << Letters[Code - 7];
  else if (Code == 0)
    OS << "\\0";
  else if (Code < 0x80)
    OS << printable(std::string(1, char(Code)));
  else {
    char Buffer[4], *End = Buffer;
    if (ConvertCodePointToUTF8(Code, End))
      OS << printable(StringRef(Buffer, size_t(End - Buffer)));
    else
      OS << format("\\u%04x", Code);
  }
}

/// The character is what the program would make of \p N: of a bit-field with a
/// sign more bits than it has.
void Printer::printCharacter(const Type &T, uint64_t N, unsigned Bits) {
  const int64_t Value = T.Signed ? SignExtend64(N, Bits) : int64_t(N);
  const unsigned Unit = T.Kind == TypeKind::Char && T.Size
                            ? unsigned(8 * T.Size)
                            : std::max(Bits, 8u);
  const uint64_t Code = uint64_t(Value) & maskTrailingOnes<uint64_t>(Unit);
  OS << Value << " '";
  if (Unit == 8 && Code >= 0x80)
    OS << format("\\x%02x", unsigned(Code));
  else
    printUnit(OS, uint32_t(Code), '\'');
  OS << "'";
}

/// How many units of an array of characters are told at least: one that begins
/// with a zero and goes on with something else holds bytes, no text. 0 if it is
/// a text.
static uint64_t heldUnits(KnownBytes V, unsigned Unit) {
  uint64_t Held = 0;
  for (uint64_t At = 0; At + Unit <= V.size(); At += Unit) {
    KnownBytes U = V.slice(At, Unit);
    const bool Any = any_of(U.Bytes, [](uint8_t B) { return B != 0; });
    if (!U.all())
      continue;
    if (Any && At == 0)
      return 0;
    if (Any)
      Held = At / Unit + 1;
  }
  return Held;
}

/// Up to the end of the text, which is not before \p Least units. If there is
/// none, \p Whole tells whether that is no news: an array may be full.
void Printer::printText(KnownBytes V, unsigned Unit, bool Whole,
                        uint64_t Least) {
  OS << '"';
  std::string Bytes; // of units that are bytes: it may be UTF-8
  bool Ended = false, Cut = false, Lost = false;
  for (uint64_t At = 0; At + Unit <= V.size() && !Ended; At += Unit) {
    KnownBytes U = V.slice(At, Unit);
    if (!U.all()) {
      Lost = true;
      break;
    }
    if (At / Unit == MostText) {
      Cut = true;
      break;
    }
    const uint32_t Code = uint32_t(number(U));
    if (!Code && At / Unit >= Least)
      Ended = true;
    else if (Unit == 1)
      Bytes += char(Code);
    else
      printUnit(OS, Code, '"');
  }
  for (size_t I = 0; I < Bytes.size();) {
    const auto C = uint8_t(Bytes[I]);
    if (C < 0x80) {
      // What follows is no digit of it.
      if (!C && I + 1 < Bytes.size() && isDigit(Bytes[I + 1]))
        OS << "\\000";
      else
        printUnit(OS, C, '"');
      ++I;
      continue;
    }
    const size_t N = std::min<size_t>(getNumBytesForUTF8(C), Bytes.size() - I);
    OS << printable(StringRef(Bytes).substr(I, N));
    I += N;
  }
  OS << '"';
  if (Lost)
    OS << Unknown;
  else if (Cut || (!Ended && !Whole))
    OS << "...";
}

void Printer::printTextAt(uint64_t Addr, unsigned Unit) {
  if (!C.Read || !Addr)
    return;
  std::vector<uint8_t> Bytes((MostText + 1) * Unit), Known(Bytes.size());
  if (Addr + Bytes.size() < Addr)
    return;
  C.Read(Addr, Bytes, Known);
  if (!Known[0])
    return;
  OS << ' ';
  printText({Bytes, Known}, Unit, /*Whole=*/false);
}

void Printer::printPointer(uint64_t Addr, const Type *Characters) {
  OS << format_hex(Addr, 1);
  if (Characters) {
    printTextAt(Addr, unsigned(Characters->Size));
    return;
  }
  std::string Name = C.Symbol && Addr ? C.Symbol(Addr) : std::string();
  if (!Name.empty())
    OS << " <" << Name << ">";
}

void Printer::printEnum(const Type &T, uint64_t N, unsigned Bits) {
  // A bit-field may be too small for some: then none of them reads as it does.
  const uint64_t Mask =
      maskTrailingOnes<uint64_t>(unsigned(std::min<uint64_t>(8 * T.Size, 64)));
  N &= maskTrailingOnes<uint64_t>(Bits);
  const uint64_t Read = (T.Signed ? uint64_t(SignExtend64(N, Bits)) : N) & Mask;
  uint64_t All = 0;
  bool Flags = true; // each stands for bits of its own
  for (const Type::Enumerator &E : T.Enumerators) {
    const uint64_t V = E.Value;
    if (V == Read) {
      OS << E.Name;
      return;
    }
    Flags &= !V || isPowerOf2_64(V);
    All |= V;
  }
  if (!Flags || !N || (N & ~All)) {
    OS << (T.Signed ? SignExtend64(N, Bits) : int64_t(N));
    return;
  }
  ListSeparator Or(" | ");
  for (const Type::Enumerator &E : T.Enumerators)
    if (const uint64_t V = E.Value; V & N) {
      OS << Or << E.Name;
      N &= ~V;
    }
}

void Printer::printBits(const Type &T, uint64_t N, unsigned Bits) {
  ++Scalars;
  switch (C.Format) {
  case ValueFormat::Hex:
    OS << format_hex(N, 2 + (Bits + 3) / 4);
    return;
  case ValueFormat::Binary:
    OS << "0b";
    for (unsigned I = Bits; I-- > 0;)
      OS << (N >> I & 1);
    return;
  case ValueFormat::Decimal:
    OS << SignExtend64(N, Bits);
    return;
  case ValueFormat::Unsigned:
    OS << N;
    return;
  case ValueFormat::Character:
    printCharacter(T, N, Bits);
    return;
  case ValueFormat::None:
  case ValueFormat::Float:
  case ValueFormat::Text:
    break;
  }
  switch (T.Kind) {
  case TypeKind::Signed:
    OS << SignExtend64(N, Bits);
    return;
  case TypeKind::Bool:
    if (N > 1)
      OS << N;
    else
      OS << (N ? "true" : "false");
    return;
  case TypeKind::Char:
    printCharacter(T, N, Bits);
    return;
  case TypeKind::Enum:
    printEnum(T, N, Bits);
    return;
  case TypeKind::Pointer:
    printPointer(N, nullptr);
    return;
  case TypeKind::Text:
    printPointer(N, T.Element.get());
    return;
  default:
    OS << N;
  }
}

/// A whole number in decimal is one with a sign, whatever its type is. A field
/// of an unsigned type has none: its highest bit is one like the others.
void Printer::printField(const Type &T, uint64_t N, unsigned Bits) {
  if (C.Format == ValueFormat::Decimal && !T.Signed) {
    ++Scalars;
    OS << N;
    return;
  }
  printBits(T, N, Bits);
}

/// Whatever its type is. \p Text: a text may be behind it, if it is an address.
void Printer::printAs(ValueFormat Format, KnownBytes V, bool Text) {
  if (Format == ValueFormat::Text) {
    if (Text && V.size() == C.PointerBytes && V.all()) {
      OS << format_hex(number(V), 1);
      printTextAt(number(V), 1);
    } else {
      printText(V, 1, /*Whole=*/true);
    }
    return;
  }
  if (!V.all()) {
    printPartly(V);
    return;
  }
  if (Format == ValueFormat::Float) {
    static constexpr std::pair<unsigned, FloatKind> Kinds[] = {
        {2, FloatKind::Half},
        {4, FloatKind::Single},
        {8, FloatKind::Double},
        {16, FloatKind::Quad}};
    for (auto [Size, Kind] : Kinds)
      if (Size == V.size()) {
        OS << floatText(Kind, lowestFirst(V));
        return;
      }
  }
  if (V.size() <= 8 && Format != ValueFormat::Float) {
    printBits(Type(), number(V), unsigned(8 * V.size()));
    return;
  }
  const SmallVector<uint8_t, 16> Bytes = lowestFirst(V);
  const bool Bits = Format == ValueFormat::Binary;
  if (Format == ValueFormat::Decimal || Format == ValueFormat::Unsigned) {
    SmallVector<uint64_t> Words((Bytes.size() + 7) / 8);
    for (size_t I = 0; I < Bytes.size(); ++I)
      Words[I / 8] |= uint64_t(Bytes[I]) << 8 * (I % 8);
    OS << toString(APInt(unsigned(8 * Bytes.size()), Words), 10,
                   Format == ValueFormat::Decimal);
    return;
  }
  OS << (Bits ? "0b" : "0x");
  for (size_t I = Bytes.size(); I-- > 0;)
    if (!Bits)
      OS << format_hex_no_prefix(Bytes[I], 2);
    else
      for (unsigned B = 8; B-- > 0;)
        OS << (Bytes[I] >> B & 1);
}

void Printer::printScalar(const Type &T, KnownBytes V) {
  ++Scalars;
  const bool AsType = C.Format == ValueFormat::None;
  if (!V.all()) {
    printPartly(V);
    return;
  }
  if (T.Kind == TypeKind::Float && (AsType || C.Format == ValueFormat::Float)) {
    OS << floatText(T.Float, lowestFirst(V));
    return;
  }
  if (V.size() > 8 || V.size() == 0 || T.Kind == TypeKind::Float ||
      C.Format == ValueFormat::Float || C.Format == ValueFormat::Text) {
    if (AsType && (T.Kind == TypeKind::Signed || T.Kind == TypeKind::Unsigned))
      printAs(T.Kind == TypeKind::Signed ? ValueFormat::Decimal
                                         : ValueFormat::Unsigned,
              V, false);
    else
      printAs(AsType ? ValueFormat::Hex : C.Format, V,
              T.Kind == TypeKind::Pointer || T.Kind == TypeKind::Text);
    return;
  }
  printBits(T, number(V), unsigned(8 * V.size()));
}

void Printer::printRecord(const Type &T, KnownBytes V, unsigned Depth) {
  OS << "{";
  ListSeparator Comma;
  // How the library makes up its classes is nobody's business.
  const bool Outer = Plain;
  const StringRef Name = T.Name;
  const bool Its = Name.starts_with("_") || Name.contains("::_");
  Plain = !C.Raw && (!T.Library.empty() || (Outer && Its));
  printMembers(T, V, Depth, Comma);
  Plain = Outer;
  OS << "}";
}

/// Whether \p T has no data: a base class that is but a name, perhaps.
static bool isEmpty(const Type &T) {
  return T.Kind == TypeKind::Record &&
         all_of(T.Members, [](const Type::Member &M) {
           return M.Base && M.Is && isEmpty(*M.Is);
         });
}

void Printer::printMembers(const Type &T, KnownBytes V, unsigned Depth,
                           ListSeparator &Comma) {
  for (const Type::Member &M : T.Members) {
    if (Plain && M.Base && M.Is && M.Offset / 8 + M.Is->Size <= V.size()) {
      if (!isEmpty(*M.Is) && Depth < MostDepth)
        printMembers(*M.Is, V.slice(M.Offset / 8, M.Is->Size), Depth + 1,
                     Comma);
      continue;
    }
    OS << Comma;
    if (Scalars >= MostScalars) {
      OS << "...";
      break;
    }
    if (M.Base)
      OS << "<" << printable(M.Name) << "> = ";
    else if (!M.Name.empty())
      OS << printable(M.Name) << " = ";
    if (!M.Is) {
      OS << Unknown;
      continue;
    }
    if (!M.BitWidth) {
      const uint64_t At = M.Offset / 8;
      if (At + M.Is->Size > V.size())
        OS << Unknown; // a virtual base, which is elsewhere
      else
        print(*M.Is, V.slice(At, M.Is->Size), Depth + 1);
      continue;
    }
    const FieldBytes F = fieldBytes(M, C.BigEndian);
    if (F.First + F.Size > V.size() || F.Size > 8) {
      OS << Unknown;
      continue;
    }
    KnownBytes Holds = V.slice(F.First, F.Size);
    if (Holds.all())
      printField(*M.Is,
                 number(Holds) >> F.Lo & maskTrailingOnes<uint64_t>(F.Width),
                 F.Width);
    else
      OS << Unknown;
  }
}

/// Whether element \p B of \p V is told as element \p A is.
static bool sameElement(KnownBytes V, uint64_t Each, uint64_t A, uint64_t B) {
  KnownBytes X = V.slice(A * Each, Each), Y = V.slice(B * Each, Each);
  return X.Bytes == Y.Bytes && X.Known == Y.Known;
}

/// \p More: there are others behind these.
void Printer::printElements(const Type &T, KnownBytes V, unsigned Depth,
                            bool More) {
  const Type &E = *T.Element;
  // A text of which the beginning is not known is told by its elements.
  const bool Begins = V.Known.empty() || V.slice(0, E.Size).all();
  if (E.Kind == TypeKind::Char && T.Kind == TypeKind::Array &&
      (C.Format == ValueFormat::None || C.Format == ValueFormat::Text) &&
      (Begins || !is_contained(V.Known, 1))) {
    ++Scalars;
    if (!Begins) {
      OS << Unknown;
      return;
    }
    const uint64_t Held = heldUnits(V, unsigned(E.Size));
    printText(V, unsigned(E.Size), /*Whole=*/!More, Held);
    if (!Held && !V.all() && number(V.slice(0, E.Size)) == 0)
      OS << Unknown;
    return;
  }
  OS << "{";
  ListSeparator Comma;
  unsigned Shown = 0;
  for (uint64_t I = 0; I < T.Count; ++Shown) {
    OS << Comma;
    if (Shown == MostElements || Scalars >= MostScalars) {
      OS << "...";
      break;
    }
    uint64_t End = I + 1;
    while (End < T.Count && sameElement(V, E.Size, I, End))
      ++End;
    print(E, V.slice(I * E.Size, E.Size), Depth + 1);
    if (End - I >= FewestRepeats && T.Kind == TypeKind::Array) {
      OS << " <repeats " << (End - I) << " times>";
      I = End;
    } else {
      ++I;
    }
    if (I >= T.Count && More)
      OS << ", ...";
  }
  OS << "}";
}

/// An object that the value \p V holds. \p Mapped: one of a map's pairs.
void Printer::printPart(const LibraryValue::Part &P, KnownBytes V,
                        unsigned Depth, bool Mapped) {
  std::vector<uint8_t> Bytes, Known;
  if (P.Inside) {
    V = V.slice(P.At, P.Is->Size);
  } else {
    Bytes.resize(P.Is->Size);
    Known.resize(P.Is->Size);
    if (C.Read && P.At + Bytes.size() >= P.At)
      C.Read(P.At, Bytes, Known);
    V = {Bytes, Known};
  }
  const std::vector<Type::Member> &M = P.Is->Members;
  auto IsMember = [&](size_t I) {
    return M[I].Is && !M[I].BitWidth &&
           M[I].Offset / 8 + M[I].Is->Size <= V.size();
  };
  // A pair's members are behind its base classes, which are empty.
  if (Mapped && M.size() >= 2 && IsMember(M.size() - 1) &&
      IsMember(M.size() - 2)) {
    auto One = [&](const Type::Member &Its) {
      print(*Its.Is, V.slice(Its.Offset / 8, Its.Is->Size), Depth + 1);
    };
    OS << '[';
    One(M[M.size() - 2]);
    OS << "] = ";
    One(M.back());
    return;
  }
  print(*P.Is, V, Depth + 1);
}

void Printer::printLibrary(const LibraryValue &L, KnownBytes V,
                           unsigned Depth) {
  auto Size = [&] {
    if (L.Count)
      OS << "size=" << *L.Count << ' ';
  };
  switch (L.What) {
  case LibraryValue::Text:
  case LibraryValue::Row: {
    const LibraryValue::Part &P = L.Parts.front();
    std::vector<uint8_t> Bytes(P.Is->Size), Known(P.Is->Size);
    KnownBytes Holds{Bytes, Known};
    if (P.Inside)
      Holds = V.slice(P.At, P.Is->Size);
    else if (C.Read && !Bytes.empty() && P.At + Bytes.size() >= P.At)
      C.Read(P.At, Bytes, Known);
    if (L.What == LibraryValue::Row) {
      Size();
      printElements(*P.Is, Holds, Depth, L.More);
      return;
    }
    ++Scalars;
    const auto Unit = unsigned(P.Is->Element->Size);
    if (Bytes.empty() || Holds.slice(0, Unit).all())
      printText(Holds, Unit, /*Whole=*/!L.More, P.Is->Count);
    else
      OS << Unknown;
    return;
  }
  case LibraryValue::Bits: {
    Size();
    OS << '{';
    ListSeparator Comma;
    for (std::optional<bool> B : L.Truths)
      OS << Comma << (!B ? StringRef(Unknown) : *B ? "true" : "false");
    if (L.More)
      OS << Comma << "...";
    OS << '}';
    Scalars += unsigned(L.Truths.size());
    return;
  }
  case LibraryValue::List:
  case LibraryValue::Map:
    Size();
    [[fallthrough]];
  case LibraryValue::Tuple: {
    OS << '{';
    ListSeparator Comma;
    bool Cut = L.More;
    for (const LibraryValue::Part &P : L.Parts) {
      if (Scalars >= MostScalars) {
        Cut = true;
        break;
      }
      OS << Comma;
      printPart(P, V, Depth, L.What == LibraryValue::Map);
    }
    if (Cut)
      OS << Comma << (L.Lost ? StringRef(Unknown) : "...");
    OS << '}';
    return;
  }
  case LibraryValue::Optional:
  case LibraryValue::Variant:
    if (L.Parts.empty()) {
      ++Scalars;
      OS << (L.What == LibraryValue::Optional ? "nullopt" : "valueless");
      return;
    }
    if (L.Number)
      OS << "index=" << *L.Number << ' ';
    OS << '{';
    printPart(L.Parts.front(), V, Depth);
    OS << '}';
    return;
  case LibraryValue::Shared:
  case LibraryValue::Inner:
    printPart(L.Parts.front(), V, Depth);
    if (L.Number)
      OS << " strong=" << *L.Number;
    if (L.Weak)
      OS << " weak=" << *L.Weak;
    return;
  }
}

void Printer::print(const Type &T, KnownBytes V, unsigned Depth) {
  if (T.isScalar()) {
    printScalar(T, V);
    return;
  }
  if (V.size() && !V.any()) {
    ++Scalars;
    OS << Unknown;
    return;
  }
  if (Depth >= MostDepth) {
    OS << "{...}";
    return;
  }
  if (T.Kind == TypeKind::Record) {
    auto Holds = C.Raw ? std::nullopt : libraryValue(T, V, C, MostElements);
    if (Holds)
      printLibrary(*Holds, V, Depth);
    else
      printRecord(T, V, Depth);
    return;
  }
  if (T.Kind == TypeKind::Complex) {
    const uint64_t Each = T.Element->Size;
    print(*T.Element, V.slice(0, Each), Depth + 1);
    OS << " + ";
    print(*T.Element, V.slice(Each, Each), Depth + 1);
    OS << "i";
    return;
  }
  if (T.Kind != TypeKind::Opaque && T.Element && T.Element->Size &&
      T.Element->Size * T.Count <= V.size()) {
    printElements(T, V, Depth);
    return;
  }
  ++Scalars;
  ListSeparator Blank(" ");
  for (size_t I = 0; I < V.size(); ++I) {
    OS << Blank;
    if (V.Known[I])
      OS << format_hex_no_prefix(V.Bytes[I], 2);
    else
      OS << "??";
  }
}

std::string typedText(const Type &T, KnownBytes V, const PrinterContext &C) {
  assert(V.size() == T.Size && "bytes of another type");
  std::string Text;
  raw_string_ostream OS(Text);
  Printer(C, OS).print(T, V);
  return Text;
}

std::string typedBits(const Type &T, uint64_t Bits, unsigned Width,
                      const PrinterContext &C) {
  std::string Text;
  raw_string_ostream OS(Text);
  Printer(C, OS).printField(T, Bits, Width);
  return Text;
}

std::string formattedText(KnownBytes V, const PrinterContext &C) {
  assert(C.Format != ValueFormat::None && "as what?");
  std::string Text;
  raw_string_ostream OS(Text);
  Printer(C, OS).printAs(C.Format, V, /*Text=*/true);
  return Text;
}

} // namespace rw
