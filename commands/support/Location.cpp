//===- Location.cpp - A register or a range of memory ---------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/Location.h"
#include "commands/support/AddressExpression.h"
#include "commands/support/Format.h"
#include "commands/support/NearNames.h"
#include "commands/support/Options.h"
#include "commands/support/UnknownName.h"
#include "core/store/TraceStore.h"
#include "core/support/Words.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace rw {

bool CodeRanges::contains(uint64_t PC) const {
  return any_of(Ranges,
                [PC](auto R) { return R.first <= PC && PC < R.second; });
}

static StringRef archName(Arch A) {
  switch (A) {
  case Arch::AArch64:
    return "AArch64";
  case Arch::Arm:
    return "Arm";
  case Arch::PPC64:
    return "64-bit POWER";
  case Arch::PPC64LE:
    return "little-endian 64-bit POWER";
  case Arch::X86_64:
    return "x86-64";
  case Arch::Unknown:
    break;
  }
  return "unknown";
}

static unsigned wordSize(const TraceStore &Store) {
  return Store.header().Architecture == Arch::Arm ? 4 : 8;
}

static bool isName(StringRef Text) {
  return !Text.empty() && !isDigit(Text[0]) &&
         all_of(Text, [](char C) { return isWord(C) || C == '.'; });
}

/// \p Local: what is said of the variables at the place, of which \p Variables
/// are all.
static Error unknownNameAt(const Session &S, StringRef Name, StringRef Local,
                           ArrayRef<std::string> Variables) {
  NearNames Near(Name);
  Near.addRegisters(S.Store.registerFile());
  for (const std::string &V : Variables)
    Near.add(V);
  if (S.Symbols)
    Near.addSymbols(*S.Symbols);
  return make_error<NoSuchName>(
      "'" + Name + "' is no register of this trace (" +
      archName(S.Store.header().Architecture) + ") and no number, and " +
      (!S.Symbols       ? "there is no image to look up a symbol in (--image)"
       : S.inDebugger() ? "the target has no such symbol"
                        : "the image has no such symbol") +
      Local + Near.question());
}

Error unknownName(const Session &S, StringRef Name) {
  return unknownNameAt(S, Name, "", {});
}

Error checkQuoted(const Session &S, StringRef Text) {
  Text = Text.trim();
  if (S.inDebugger() || Text.size() < 2 || !Text.ends_with("-"))
    return Error::success();
  return usageError("'" + Text +
                    "' ends in '-': an unquoted '>' is the shell's, which "
                    "writes to the file that is named behind it; quote the "
                    "expression: '" +
                    Text + ">...'");
}

static Expected<Location> registerLocation(const Place &At, StringRef Name,
                                           const RegisterInfo &R) {
  if (R.IsPC)
    return userError("every instruction writes the pc: use find or list");
  Location L;
  L.Where = Location::Register;
  L.Text = Name.str();
  L.Thread = At.Thread;
  L.Slice = R.Slice;
  L.RegisterName = R.Name;
  L.Size = R.Slice.Size;
  L.SizeGiven = true;
  return L;
}

/// "v0.4s": a vector register as lanes. "v0.s[1]": one of them. As Arm writes
/// them, and for its registers. \p Beyond, if any, is told why one has no such
/// lane.
static std::optional<Location> lanesOf(const TraceStore &Store, const Place &At,
                                       StringRef Text,
                                       std::string *Beyond = nullptr) {
  const Arch A = Store.header().Architecture;
  auto [Name, Lanes] = Text.rsplit('.');
  const RegisterInfo *R = Store.registerFile().find(Name);
  if ((A != Arch::AArch64 && A != Arch::Arm) || !R || R->IsPC ||
      (!Name.starts_with_insensitive("v") &&
       !Name.starts_with_insensitive("q") &&
       !Name.starts_with_insensitive("d") &&
       !Name.starts_with_insensitive("$v") &&
       !Name.starts_with_insensitive("$q") &&
       !Name.starts_with_insensitive("$d")))
    return std::nullopt;
  uint64_t Count = 0, Index = 0;
  const bool All = !Lanes.consumeInteger(10, Count);
  const size_t Letter =
      StringRef("bhsdq").find(toLower(Lanes.empty() ? '?' : Lanes[0]));
  if (Letter == StringRef::npos)
    return std::nullopt;
  const uint64_t Size = uint64_t(1) << Letter;
  Lanes = Lanes.drop_front();
  const bool One = !All && Lanes.consume_front("[") &&
                   !Lanes.consumeInteger(10, Index) && Lanes.consume_front("]");
  // "v0.4s[9]"
  if (All && Lanes.consume_front("[") && !Lanes.consumeInteger(10, Index) &&
      Lanes == "]") {
    if (Beyond)
      *Beyond = ("'" + Text + "': a lane is written " + Name + "." +
                 Twine("bhsdq"[Letter]) + "[" + Twine(Index) + "]")
                    .str();
    return std::nullopt;
  }
  if ((!All && !One) || !Lanes.empty())
    return std::nullopt;
  const uint64_t Most = R->Slice.Size / Size;
  if ((All && (!Count || Count > Most)) || (One && Index >= Most)) {
    if (Beyond && Most)
      *Beyond = ("'" + Text + "': " + R->Name + " has " + Twine(Most) +
                 (Most == 1 ? " lane" : " lanes") + " of " + Twine(Size) +
                 (Size == 1 ? " byte" : " bytes"))
                    .str();
    return std::nullopt;
  }
  Location L;
  L.Where = Location::Register;
  L.Text = Text.str();
  L.RegisterName = R->Name;
  L.Thread = At.Thread;
  L.Slice = R->Slice;
  L.Slice.Offset = uint16_t(L.Slice.Offset + Index * Size);
  L.Size = One ? Size : Count * Size;
  L.Slice.Size = uint16_t(L.Size);
  L.SizeGiven = true;
  if (One)
    return L;
  Type Lane;
  Lane.Kind = TypeKind::Unsigned;
  Lane.Size = Size;
  Type Vector;
  Vector.Kind = TypeKind::Vector;
  Vector.Size = L.Size;
  Vector.Count = Count;
  Vector.Element = std::make_shared<const Type>(std::move(Lane));
  L.Type = std::make_shared<const Type>(std::move(Vector));
  return L;
}

bool namesRegister(const TraceStore &Store, StringRef Text) {
  const RegisterFile &Registers = Store.registerFile();
  return Registers.find(Text) || Registers.findField(Text) ||
         lanesOf(Store, {}, Text);
}

/// Not more bytes than anyone asks about: every one is searched.
static constexpr uint64_t MaxSize = 1 << 20;

static Expected<Location> withSize(Location L, std::optional<uint64_t> Size) {
  if (Size) {
    if (*Size == 0 || *Size > MaxSize)
      return usageError("a size from 1 to " + Twine(MaxSize) +
                        " is wanted, not " + Twine(*Size));
    if (L.Where == Location::Register) {
      if (*Size > L.Slice.Size)
        return userError(L.RegisterName + " has only " + Twine(L.Slice.Size) +
                         " bytes");
      L.Slice.Size = uint16_t(*Size);
    } else if (L.Where == Location::InPieces) {
      if (*Size != L.Size)
        return userError("--size: " + describe(L) + " lies in several places");
    } else {
      if (L.FieldWidth)
        L.Type = nullptr;
      L.FieldLo = L.FieldWidth = 0; // they were bits of other bytes
    }
    if (L.Type && L.Type->Size != *Size)
      L.Type = nullptr;
    L.Size = *Size;
    L.SizeGiven = true;
  }
  if (L.Where == Location::Memory) {
    if (L.Size > MaxSize)
      return userError(describe(L) + " is too large: at most " +
                       Twine(MaxSize) + " bytes; use --size");
    if (L.Addr + (L.Size - 1) < L.Addr)
      return userError(describe(L) + " runs past the end of the address space");
  }
  return L;
}

/// \p L at the symbol or the address that \p Text is. \p Fixed is told whether
/// it is always the same.
static Expected<Location> addressLocation(Session &S, const Place &At,
                                          Location L, StringRef Text,
                                          bool &Fixed) {
  // Names in C++ have more than letters: whatever a symbol is called is one.
  bool Numeric = isDigit(Text.empty() ? '0' : Text[0]);
  bool IsSymbol = !Numeric && S.Symbols && !S.Symbols->findSymbol(Text).empty();
  Fixed = IsSymbol || (S.Symbols && isName(Text));
  if (Fixed) {
    auto Sym = oneSymbol(S, Text);
    if (!Sym)
      return Sym.takeError();
    L.Addr = Sym->Start;
    if (Sym->Size) {
      L.Size = Sym->Size;
      L.SizeGiven = true;
    }
    // The symbol of an object of the program tells its type.
    if (auto Object =
            S.Expressions ? S.Expressions->objectAt(L.Addr) : std::nullopt;
        Object && Object->Start == L.Addr && Object->Type->Size == L.Size)
      L.Type = Object->Type;
    return L;
  }
  auto Addr = parseAddress(S, At, Text);
  if (!Addr)
    return Addr.takeError();
  L.Addr = *Addr;
  uint64_t Number;
  Fixed = !Text.getAsInteger(0, Number);
  return L;
}

Expected<Location> parseLocation(Session &S, const Place &At, StringRef Text,
                                 std::optional<uint64_t> Size, Holds *Where) {
  Holds Unwanted;
  Holds &Answer = Where ? *Where : Unwanted;
  Answer = Holds::Everywhere;
  Text = Text.trim();
  if (Text.empty())
    return usageError(
        "a location is missing: a register, an address, a symbol" +
        Twine(S.Expressions ? " or an expression" : ""));
  if (Error E = checkQuoted(S, Text))
    return E;
  const RegisterFile &Registers = S.Store.registerFile();
  if (const RegisterInfo *R = Registers.find(Text)) {
    auto L = registerLocation(At, Text, *R);
    if (!L)
      return L.takeError();
    const bool IsLocal = S.Expressions && S.Expressions->isLocal(Text, At);
    if (IsLocal || (S.Symbols && !S.Symbols->findSymbol(Text).empty()))
      S.warn((Text + " is the register " + R->Name + "; " +
              (IsLocal ? "(" + Text + ")" : "&" + Text) + " is the program's " +
              Text)
                 .str());
    return withSize(std::move(*L), Size);
  }
  if (auto F = Registers.findField(Text)) {
    auto L = registerLocation(At, Text, *F->Register);
    if (!L)
      return L.takeError();
    L->FieldLo = F->Lo;
    L->FieldWidth = F->Width;
    return L;
  }
  std::string Beyond;
  if (auto Lanes = lanesOf(S.Store, At, Text, &Beyond))
    return withSize(std::move(*Lanes), Size);
  // The program may have a variable of that name.
  if (!Beyond.empty() &&
      !(S.Expressions && S.Expressions->lvalueType(Text, At)))
    return userError(Beyond);
  if (Text.starts_with("$"))
    return unknownName(S, Text);

  Location L;
  L.Text = Text.str();
  L.Size = wordSize(S.Store);
  StringRef Name = Text;
  bool AddressOf = Name.consume_front("&");
  Name = Name.trim();

  // Names and C expressions are the debugger's, where there is one; it says
  // best what was wrong with them.
  bool Numeric = isDigit(Text[0]), Fixed = false;
  Answer = Holds::Here;
  if (S.Expressions && !Numeric) {
    auto Found = S.Expressions->locate(AddressOf ? Name : Text, At);
    if (Found) {
      Found->Text = Text.str();
      return withSize(std::move(*Found), Size);
    }
    // What is at the symbol of a reference is not what it refers to.
    if (!AddressOf && Found.errorIsA<UnknownValue>() &&
        S.Expressions->lvalueType(Text, At))
      return Found.takeError();
    // Symbols that no debug information tells of, and register arithmetic
    // ("sp+16"), are ours.
    auto Ours = addressLocation(S, At, L, Name, Fixed);
    // We say most about a name that nobody knows.
    const bool OursSaysBest =
        (S.Symbols && S.Symbols->findSymbol(Name).size() > 1) ||
        (Found.errorIsA<UnknownName>() && isName(Name));
    if (!Ours && !OursSaysBest) {
      consumeError(Ours.takeError());
      return Found.takeError();
    }
    // Other names may be visible elsewhere.
    if (Fixed && Found.errorIsA<UnknownName>())
      Answer = Holds::AtCode;
    std::string Local, Said;
    handleAllErrors(
        Found.takeError(),
        [&](const UnknownName &E) {
          Local = E.In;
          Said = E.message();
        },
        [](const ErrorInfoBase &) {});
    if (!Local.empty() && Ours.errorIsA<NoSuchName>()) {
      consumeError(Ours.takeError());
      // It says which name of "a.b" nobody knows.
      if (Name.contains('.'))
        return make_error<NoSuchName>(Said);
      return unknownNameAt(S, Name, "; it is no variable " + Local,
                           S.Expressions->variables(At));
    }
    if (!Ours)
      return Ours.takeError();
    return withSize(std::move(*Ours), Size);
  }

  auto Ours = addressLocation(S, At, L, Name, Fixed);
  if (Fixed)
    Answer = Holds::Everywhere;
  if (!Ours) {
    if (!Numeric && Text.find_first_of("[]()*/>") != Text.npos) {
      consumeError(Ours.takeError());
      return userError("'" + Text +
                       "' needs an image with debug information (--image) or "
                       "LLDB: without, there are registers, numbers, symbols, "
                       "+ and -");
    }
    return Ours.takeError();
  }
  return withSize(std::move(*Ours), Size);
}

std::string bitsOf(const Location &L) {
  std::string First = std::to_string(L.FieldLo);
  return L.FieldWidth == 1
             ? First
             : First + ".." + std::to_string(L.FieldLo + L.FieldWidth - 1);
}

/// "x0", "x1 bytes 0..3" or "[0x1000, 8 bytes]".
static std::string pieceText(const LocationPiece &P) {
  if (!P.Constant.empty())
    return "a constant";
  if (P.At.Where == Location::Memory)
    return "[" + hex(P.At.Addr) + ", " + std::to_string(P.Size) +
           (P.Size == 1 ? " byte]" : " bytes]");
  const unsigned First = P.At.Slice.Offset;
  std::string Text = P.At.RegisterName;
  if (First || P.Size < 8)
    Text += " byte" + (P.Size == 1 ? " " + std::to_string(First)
                                   : "s " + std::to_string(First) + ".." +
                                         std::to_string(First + P.Size - 1));
  return Text;
}

static std::string piecesText(const Location &L) {
  std::string All;
  for (const LocationPiece &P : L.Pieces)
    All += (All.empty() ? "" : ", ") + pieceText(P);
  return All;
}

Error checkOnePlace(const Location &L, StringRef Question) {
  if (L.Where != Location::InPieces)
    return Error::success();
  return userError("'" + L.Text + "' lies in several places here (" +
                   piecesText(L) + "); ask " + Question +
                   " of one of its members, or of one of these");
}

std::string describe(const Location &L) {
  if (L.Where == Location::Register)
    return L.Holds ? L.Text + " [in " + L.RegisterName + "]" : L.Text;
  if (L.Where == Location::InPieces)
    return L.Text + " [in " + piecesText(L) + "]";
  std::string Range = "[" + hex(L.Addr) + ", " + std::to_string(L.Size) +
                      (L.Size == 1 ? " byte]" : " bytes]");
  if (L.Real)
    Range = "real " + Range;
  if (L.FieldWidth)
    Range += L.FieldWidth == 1 ? ", bit " + bitsOf(L) + " of which holds it"
                               : ", bits " + bitsOf(L) + " of which hold it";
  // A bare number says nothing more.
  return isDigit(L.Text[0]) ? Range : L.Text + " " + Range;
}

} // namespace rw
