//===- ImageExpressions.cpp - Lvalues by debug information ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/lvalues/ImageExpressions.h"
#include "commands/lvalues/FrameState.h"
#include "commands/lvalues/LibraryMembers.h"
#include "commands/lvalues/NameScope.h"
#include "commands/support/Format.h"
#include "commands/support/LocalPlaces.h"
#include "commands/support/LocationAlong.h"
#include "commands/support/NearNames.h"
#include "commands/support/PlaceReport.h"
#include "commands/support/SessionInput.h"
#include "commands/support/UnknownName.h"
#include "core/support/Words.h"
#include "core/types/LibraryValue.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace rw {

namespace {

/// An object of the program: its type, and where it is.
struct Lvalue {
  DWARFDie Type;
  unsigned Dimension = 0; ///< of an array: how many indexes it has had
  VariablePlace At;
  uint64_t Offset = 0; ///< of a part, in bytes from the beginning of At
  unsigned FieldLo = 0, FieldWidth = 0;
  uint64_t FieldSize = 0; ///< bytes that hold the field
};

} // namespace

/// Descends recursively.
class LvalueParser final : public OperandSource {
public:
  LvalueParser(ImageExpressions &Source, StringRef Text, Place At)
      : Source(Source), S(Source.S), Text(Text), Rest(Text), At(At) {}

  Expected<Lvalue> run();
  /// See ImageExpressions::fixedVariable(), which tells of \p PC.
  Expected<std::optional<uint64_t>> fixed(uint64_t PC, unsigned Inlined);
  /// What one can name in the frame: see ExpressionSource::variables().
  Expected<std::vector<std::string>> locals();
  Expected<Operand> operand(StringRef Text) override;
  Expected<Location> location(const Lvalue &L) const;
  /// How location()'s address is found again wherever the same is asked at the
  /// same instruction; none if that takes as much as to ask again.
  std::optional<AddressRecipe> recipe(const Lvalue &L, uint64_t Size) const;
  /// Whether all but addresses is the same there.
  bool isFixed() const { return Fixed; }
  Expected<Location> unplaced(const Lvalue &L) const;
  /// Its bytes, from wherever they are.
  Expected<Value> value(const Lvalue &L) const;

private:
  Expected<Lvalue> unary();
  Expected<Lvalue> postfix();
  Expected<Lvalue> pointedMember(Lvalue L);
  Expected<Lvalue> primary();
  Expected<Lvalue> variable(StringRef Name);
  Expected<Lvalue> global(StringRef Name);
  Expected<const VariableIndex::Entry *> findGlobal(StringRef Wanted);
  DWARFDie local(StringRef Name) const;
  std::pair<DWARFDie, DwarfTypes::Members> thisWith(StringRef Name) const;
  Expected<Lvalue> placed(DWARFDie Entry, DWARFDie Function, size_t Image);
  Expected<Lvalue> member(Lvalue L, StringRef Name);
  Expected<Lvalue> staticMember(DWARFDie Declared, size_t Image);
  Expected<Lvalue> element(Lvalue L, int64_t Index);
  Expected<Lvalue> pointee(const Lvalue &L);
  Expected<Lvalue> through(Lvalue L, StringRef Path);
  Expected<Lvalue> libraryElement(const Lvalue &L, const Type &T,
                                  uint64_t Index);
  Expected<std::optional<LibraryValue>> held(const Lvalue &L, const Type &T,
                                             uint64_t Most);
  Expected<uint64_t> number(const Lvalue &L);
  std::optional<AddressRecipe> howToLoad(const Lvalue &L) const;
  Expected<int64_t> index();
  Expected<Operand> valueOf(const Lvalue &L);
  Expected<Operand> addressOf(const Lvalue &L);
  Expected<std::optional<Operand>> ownName(StringRef Name);
  Expected<std::optional<Operand>> otherName(StringRef Name);
  Operand address(uint64_t Addr) const;
  Error findScopes();
  void findScopes(uint64_t PC, std::optional<unsigned> Inlined);
  TypeRef describe(const Lvalue &L) const {
    return Source.Types.describe(L.Type, L.Dimension);
  }

  void skipSpace() { Rest = Rest.ltrim(" \t"); }
  bool eat(StringRef Token) {
    skipSpace();
    return Rest.consume_front(Token);
  }
  StringRef word() {
    skipSpace();
    StringRef W = Rest.take_while(isWord);
    Rest = Rest.drop_front(W.size());
    return W;
  }
  /// "a::b", "::a::b"
  StringRef qualified() {
    skipSpace();
    const StringRef Begin = Rest;
    eat("::");
    while (!word().empty() && eat("::")) {
    }
    return Begin.drop_back(Rest.size()).trim();
  }
  StringRef read() const { return Text.drop_back(Rest.size()).trim(); }

  ImageExpressions &Source;
  const Session &S;
  StringRef Text, Rest;
  const Place At;
  unsigned Depth = 0;
  bool ScopesFound = false;
  bool Fixed = true; ///< no index was computed, no container asked

  std::optional<uint64_t> PC; ///< none at the end of the trace
  size_t Image = 0;           ///< that the pc is in
  DWARFDie Function;          ///< that the pc is in, or that is inlined there
  DWARFDie Unit;
  /// What is visible: the innermost block first.
  std::vector<DWARFDie> Scopes;
};

Error LvalueParser::findScopes() {
  if (std::exchange(ScopesFound, true))
    return Error::success();
  auto I = nextInstruction(S.Store, At);
  if (!I)
    return I.takeError();
  if (*I)
    findScopes((*I)->Insn.PC, std::nullopt);
  return Error::success();
}

void LvalueParser::findScopes(uint64_t At, std::optional<unsigned> Inlined) {
  ScopesFound = true;
  PC = At;
  for (Image = 0; Image < Source.images().size(); ++Image) {
    const DwarfImage &D = Source.images()[Image];
    LocalScopes Found = localScopes(*D.Dwarf, At - D.Slide, Inlined);
    if (!Found.Function)
      continue;
    Function = Found.Function;
    Unit = Function.getDwarfUnit()->getUnitDIE(false);
    Scopes = std::move(Found.Blocks);
    return;
  }
  Image = 0;
}

Expected<Lvalue> LvalueParser::run() {
  if (Error E = findScopes())
    return E;
  auto L = unary();
  if (!L)
    return L.takeError();
  skipSpace();
  if (!Rest.empty())
    return make_error<NotUnderstood>(
        "'" + Text + "': '" + Rest +
        "' is not understood: in the shell there are names, ., "
        "->, [index] and *; LLDB computes");
  return L;
}

Expected<std::vector<std::string>> LvalueParser::locals() {
  if (Error E = findScopes())
    return E;
  std::vector<std::string> Names;
  for (DWARFDie Scope : Scopes)
    for (DWARFDie D : Scope.children())
      if (D.getTag() == DW_TAG_variable ||
          D.getTag() == DW_TAG_formal_parameter)
        if (const char *Its = D.getName(DINameKind::ShortName))
          Names.push_back(Its);
  return Names;
}

Expected<Lvalue> LvalueParser::unary() {
  constexpr unsigned MostDepth = 100;
  if (++Depth > MostDepth)
    return userError("'" + Text + "' is nested too deeply");
  if (!eat("*"))
    return postfix();
  auto L = unary();
  if (!L)
    return L.takeError();
  const DWARFDie T = strippedType(L->Type);
  return T && T.getTag() == DW_TAG_array_type ? element(std::move(*L), 0)
                                              : pointee(*L);
}

Expected<Lvalue> LvalueParser::postfix() {
  auto L = primary();
  while (L) {
    if (eat("->*")) {
      auto To = pointee(*L);
      L = To ? pointedMember(std::move(*To)) : To.takeError();
    } else if (eat(".*")) {
      L = pointedMember(std::move(*L));
    } else if (eat("->")) {
      auto To = pointee(*L);
      L = To ? member(std::move(*To), qualified()) : To.takeError();
    } else if (eat(".")) {
      L = member(std::move(*L), qualified());
    } else if (eat("[")) {
      auto I = index();
      if (!I)
        return I.takeError();
      L = element(std::move(*L), *I);
    } else {
      break;
    }
  }
  return L;
}

/// What is between the brackets, behind the first.
Expected<int64_t> LvalueParser::index() {
  unsigned Open = 1;
  size_t Size = 0;
  for (; Size < Rest.size(); ++Size) {
    Open += Rest[Size] == '[';
    if (Rest[Size] == ']' && !--Open)
      break;
  }
  if (Open)
    return userError("'" + Text + "': a ] is missing");
  const StringRef Its = Rest.take_front(Size).trim();
  int64_t Number = 0;
  if (Its.getAsInteger(0, Number)) {
    auto V = Source.compute(Its, At);
    if (!V)
      return V.takeError();
    if (V->Type.Float || V->Type.Address)
      return userError("'" + Text + "': the index " + Its +
                       " is no whole number");
    if (!V->Value)
      return make_error<UnknownValue>("'" + Text + "': what " + Its +
                                      " is is not known at that place");
    Number = int64_t(*V->Value);
    Fixed = false;
  }
  Rest = Rest.drop_front(Size + 1);
  return Number;
}

/// The member of \p L that the pointer to a member that comes next leads to.
Expected<Lvalue> LvalueParser::pointedMember(Lvalue L) {
  auto M = unary();
  if (!M)
    return M.takeError();
  const DWARFDie T = strippedType(M->Type);
  if (!T || T.getTag() != DW_TAG_ptr_to_member_type)
    return userError("'" + read() + "': that is no pointer to a member");
  auto Offset = number(*M);
  if (!Offset)
    return Offset.takeError();
  if (int64_t(*Offset) < 0 ||
      *Offset >= std::max<uint64_t>(describe(L)->Size, 1))
    return userError("'" + read() + "': it points to no member here");
  Fixed = false;
  L.Type = typeOf(T);
  L.Dimension = 0;
  L.Offset += *Offset;
  return L;
}

Expected<Lvalue> LvalueParser::primary() {
  if (eat("(")) {
    auto L = unary();
    if (L && !eat(")"))
      return userError("'" + Text + "': a ) is missing");
    return L;
  }
  skipSpace();
  const StringRef Begin = Rest, Name = qualified();
  if (Name.empty() || isDigit(Name[0]))
    return make_error<NotUnderstood>("'" + Text +
                                     "': a variable's name is wanted at '" +
                                     Begin.take_front(20) + "'");
  return variable(Name);
}

Expected<Lvalue> LvalueParser::placed(DWARFDie Entry, DWARFDie In,
                                      size_t Where) {
  const DwarfImage &D = Source.images()[Where];
  FrameState Frame(S, At, PC, &D.Dwarf->context(), D.Slide);
  auto P = Frame.place(Entry, In);
  if (!P)
    return P.takeError();
  Lvalue L;
  L.Type = typeOf(Entry);
  L.At = std::move(*P);
  // A reference is what it refers to.
  const DWARFDie T = strippedType(L.Type);
  if (T && (T.getTag() == DW_TAG_reference_type ||
            T.getTag() == DW_TAG_rvalue_reference_type))
    return pointee(L);
  return L;
}

/// Leaves of \p Found those that are in no scope.
static void keepGlobal(std::vector<const VariableIndex::Entry *> &Found,
                       StringRef Name) {
  llvm::erase_if(Found, [&](const VariableIndex::Entry *E) {
    return E->Name != Name && E->Short != Name;
  });
}

/// The variable \p Name of the function; none if it has none.
DWARFDie LvalueParser::local(StringRef Name) const {
  for (DWARFDie Scope : Scopes)
    for (DWARFDie D : Scope.children()) {
      if (D.getTag() != DW_TAG_variable &&
          D.getTag() != DW_TAG_formal_parameter)
        continue;
      const char *Its = D.getName(DINameKind::ShortName);
      if (Its && Name == Its && !D.find(DW_AT_declaration))
        return D;
    }
  return {};
}

/// In a member function, `this`, and what \p Name is in its object.
std::pair<DWARFDie, DwarfTypes::Members>
LvalueParser::thisWith(StringRef Name) const {
  for (DWARFDie Scope : Scopes)
    for (DWARFDie D : Scope.children()) {
      const char *Its = D.getName(DINameKind::ShortName);
      if (D.getTag() != DW_TAG_formal_parameter || !Its ||
          StringRef(Its) != "this")
        continue;
      auto This = strippedType(typeOf(D));
      if (!This)
        break;
      if (auto M = Source.Types.findMember(typeOf(This), Name); !M.empty())
        return {D, M};
      break;
    }
  return {};
}

Expected<Lvalue> LvalueParser::variable(StringRef Name) {
  if (DWARFDie D = local(Name))
    return placed(D, Function, Image);
  if (DWARFDie This = thisWith(Name).first) {
    auto L = placed(This, Function, Image);
    if (!L)
      return L.takeError();
    auto To = pointee(*L);
    if (!To)
      return To.takeError();
    return member(std::move(*To), Name);
  }
  return global(Name);
}

Expected<std::optional<uint64_t>> LvalueParser::fixed(uint64_t At,
                                                      unsigned Inlined) {
  findScopes(At, Inlined);
  if (local(Text))
    return std::nullopt;
  std::string Name = Text.str();
  if (const auto Members = thisWith(Text).second; Members.size() == 1) {
    const DWARFDie M = Members.front().Member;
    if (!DwarfTypes::isStatic(M))
      return std::nullopt;
    Name = "::" + scopeOf(M) + M.getShortName();
  }
  auto E = findGlobal(Name);
  if (!E)
    return E.takeError();
  return *E ? std::optional((*E)->Addr) : std::nullopt;
}

/// Null if no variable of that name has one address everywhere.
Expected<const VariableIndex::Entry *>
LvalueParser::findGlobal(StringRef Wanted) {
  StringRef Name = Wanted;
  const bool Outermost = Name.consume_front("::");
  Name = Name.ltrim();
  auto Found = Source.index().find(Name);
  const NameScope Scope(Scopes);
  bool InScope =
      Scope.unit() && Found.size() == 1 &&
      Found[0]->Die.getDwarfUnit()->getUnitDIE(false) == Scope.unit();
  if (Found.size() > 1)
    if (auto Meant =
            Outermost ? Scope.findGlobal(Name, Found) : Scope.find(Name, Found);
        !Meant.empty()) {
      Found = std::move(Meant);
      InScope = bool(Scope.unit());
    }
  if (Outermost)
    keepGlobal(Found, Name);
  if (Found.size() > 1) {
    std::string All;
    for (const VariableIndex::Entry *E : Found)
      All += (All.empty() ? "" : ", ") + E->Name + " at " + hex(E->Addr);
    return userError("'" + Wanted + "' is ambiguous: " + All);
  }
  // Files without debug information may have one of that name, too.
  if (Found.size() == 1 && S.Symbols && !InScope) {
    const auto Symbols = S.Symbols->findSymbol(Name);
    for (const DataSymbol &D : Symbols)
      if (D.Start != Found[0]->Addr)
        return userError("'" + Name + "' is ambiguous: " + D.Name + " at " +
                         hex(D.Start) + ", " + Found[0]->Name + " at " +
                         hex(Found[0]->Addr));
  }
  return Found.empty() ? nullptr : Found.front();
}

Expected<Lvalue> LvalueParser::global(StringRef Wanted) {
  auto One = findGlobal(Wanted);
  if (!One)
    return One.takeError();
  if (*One)
    return placed((*One)->Die, DWARFDie(), (*One)->Image);
  StringRef Name = Wanted;
  const bool Outermost = Name.consume_front("::");
  Name = Name.ltrim();
  // Those that are nowhere say why, or are constants, or their symbol tells.
  auto Found = Source.index().findUnplaced(Name);
  if (Outermost)
    keepGlobal(Found, Name);
  if (!Found.empty() && S.Symbols && !Found.front()->Die.find(DW_AT_location)) {
    const auto Symbols = S.Symbols->findSymbol(Name);
    if (Symbols.size() == 1) {
      Lvalue L;
      L.Type = typeOf(Found.front()->Die);
      L.At.Addr = Symbols.front().Start;
      return L;
    }
  }
  if (!Found.empty())
    return placed(Found.front()->Die, DWARFDie(), Found.front()->Image);
  NearNames Near(Name);
  for (DWARFDie Scope : Scopes)
    for (DWARFDie D : Scope.children())
      if (D.getTag() == DW_TAG_variable ||
          D.getTag() == DW_TAG_formal_parameter)
        if (const char *Its = D.getName(DINameKind::ShortName))
          Near.add(Its);
  Source.enumerators().addTo(Near);
  if (S.Symbols)
    Near.addSymbols(*S.Symbols);
  return make_error<UnknownName>(
      "'" + Name + "' is no variable here" +
      (PC ? "" : ", at the end of the trace (--at asks from elsewhere)") +
      Near.question());
}

/// A variable that a class declares.
Expected<Lvalue> LvalueParser::staticMember(DWARFDie Declared, size_t Where) {
  const std::string Name = scopeOf(Declared) + Declared.getShortName();
  for (const VariableIndex::Entry *E : Source.index().find(Name))
    if (E->Name == Name)
      return placed(E->Die, DWARFDie(), E->Image);
  return placed(Declared, DWARFDie(), Where);
}

/// Makes \p R, which has a size, the bytes from \p Offset on of \p Place.
static Error place(const Session &S, const VariablePlace &Place,
                   uint64_t Offset, Location &R);

/// Makes \p R those of several pieces.
static Error placePieces(const Session &S, const VariablePlace &Place,
                         uint64_t Offset, Location &R) {
  R.Where = Location::InPieces;
  for (const PlacePiece &P : Place.Pieces) {
    const uint64_t From = std::max(Offset, P.Offset),
                   To = std::min(Offset + R.Size, P.Offset + P.Size);
    if (!P.At || From >= To)
      continue;
    LocationPiece Piece;
    Piece.Offset = From - Offset;
    Piece.Size = To - From;
    if (P.At->Where == VariablePlace::Constant) {
      const auto &Bytes = P.At->Bytes;
      // A number has its lowest bytes last on such a machine.
      const uint64_t Skip =
          S.Store.header().Order == ByteOrder::Big && Bytes.size() > P.Size
              ? Bytes.size() - P.Size
              : 0;
      for (uint64_t B = From; B < To; ++B)
        if (const uint64_t I = Skip + B - P.Offset; I < Bytes.size())
          Piece.Constant.push_back(Bytes[I]);
      Piece.Size = Piece.Constant.size();
      if (!Piece.Size)
        continue;
    } else {
      Piece.At.Text = R.Text;
      Piece.At.Thread = R.Thread;
      Piece.At.Size = Piece.Size;
      Piece.At.SizeGiven = true;
      if (Error E = place(S, *P.At, From - P.Offset, Piece.At))
        return E;
    }
    R.Pieces.push_back(std::move(Piece));
  }
  if (R.Pieces.empty())
    return userError("'" + R.Text +
                     "' has no place here: it was optimised away");
  return Error::success();
}

static Error place(const Session &S, const VariablePlace &Place,
                   uint64_t Offset, Location &R) {
  switch (Place.Where) {
  case VariablePlace::Memory:
    R.Addr = Place.Addr + Offset;
    return Error::success();
  case VariablePlace::Register: {
    R.Where = Location::Register;
    R.Slice = Place.Holder->Slice;
    R.RegisterName = Place.Holder->Name;
    const bool Big = S.Store.header().Order == ByteOrder::Big;
    if (Offset + R.Size > R.Slice.Size || (Big && Offset))
      return userError("'" + R.Text + "' lies in " + R.RegisterName +
                       " and elsewhere");
    R.Slice.Offset = uint16_t(R.Slice.Offset + Offset);
    R.Slice.Size = uint16_t(R.Size);
    return Error::success();
  }
  case VariablePlace::InPieces:
    for (const PlacePiece &P : Place.Pieces)
      if (Offset >= P.Offset && Offset + R.Size <= P.Offset + P.Size) {
        if (P.At)
          return place(S, *P.At, Offset - P.Offset, R);
        return userError("'" + R.Text +
                         "' has no place here: it was optimised away");
      }
    return placePieces(S, Place, Offset, R);
  case VariablePlace::Constant:
    break;
  }
  return userError("'" + R.Text +
                   "' has a value here, but no place that keeps it");
}

Expected<Value> LvalueParser::value(const Lvalue &L) const {
  // A piece may be a constant, which has a value and no place.
  if (L.At.Where == VariablePlace::InPieces) {
    auto R = unplaced(L);
    if (!R)
      return R.takeError();
    if (Error E = placePieces(S, L.At, L.Offset, *R))
      return E;
    return readLocation(S, *R, At.When);
  }
  if (L.At.Where == VariablePlace::Constant) {
    TypeRef T = describe(L);
    Value V(T->Size);
    V.Order = S.Store.header().Order;
    V.Type = T;
    V.When = At.When;
    // A number has 8 bytes, of which its type has the lowest.
    const size_t Have = L.At.Bytes.size();
    const size_t Skip =
        V.Order == ByteOrder::Big && Have == 8 && T->isScalar() && T->Size < 8
            ? 8 - T->Size
            : 0;
    for (size_t I = 0; I < V.Bytes.size(); ++I)
      if (Skip + L.Offset + I < Have) {
        V.Bytes[I] = L.At.Bytes[Skip + L.Offset + I];
        V.Known[I] = 1;
      }
    return V;
  }
  auto Where = location(L);
  if (!Where)
    return Where.takeError();
  return readLocation(S, *Where, At.When);
}

Expected<uint64_t> LvalueParser::number(const Lvalue &L) {
  auto V = value(L);
  if (!V)
    return V.takeError();
  auto N = V->number();
  if (!N && V->Bytes.size() <= 8)
    return make_error<UnknownValue>("'" + read() +
                                    "': what it is is not known at that place");
  if (!N || !V->Type || !V->Type->isScalar() ||
      V->Type->Kind == TypeKind::Float)
    return userError("'" + read() + "': it is no whole number");
  const unsigned Bits =
      V->FieldWidth ? V->FieldWidth : unsigned(8 * V->Bytes.size());
  return V->Type->Signed ? uint64_t(SignExtend64(*N, Bits)) : *N;
}

/// The member that the names in \p Path, one in the other, lead to.
Expected<Lvalue> LvalueParser::through(Lvalue L, StringRef Path) {
  Expected<Lvalue> At = std::move(L);
  for (; At && !Path.empty(); Path = Path.split('.').second)
    At = member(std::move(*At), Path.split('.').first);
  return At;
}

/// What \p L, of a class of the C++ library, holds.
Expected<std::optional<LibraryValue>>
LvalueParser::held(const Lvalue &L, const Type &T, uint64_t Most) {
  // How many there are, and whether there is one, changes.
  Fixed = false;
  auto V = value(L);
  if (!V)
    return V.takeError();
  if (V->Order != S.Store.header().Order || V->Bytes.size() != T.Size)
    return std::nullopt;
  return libraryValue(T, {V->Bytes, V->Known}, printerContext(S, At.When),
                      unsigned(std::min<uint64_t>(Most, UINT32_MAX)));
}

/// What operator[] would return.
Expected<Lvalue> LvalueParser::libraryElement(const Lvalue &L, const Type &T,
                                              uint64_t Index) {
  const StringRef Path = elementsOf(Source.Types, L.Type, T.Library);
  if (Path.empty() && T.Library != "deque")
    return userError("'" + read() + "': std::" + T.Library +
                     " finds its elements by code of the program, which "
                     "cannot run; eval shows all of it");
  constexpr uint64_t MostElements = 1 << 20;
  auto Holds = held(L, T, Path.empty() ? Index + 1 : 0);
  if (!Holds)
    return Holds.takeError();
  const auto &H = *Holds;
  if (H && H->What == LibraryValue::Bits)
    return userError("'" + read() +
                     "': its elements are bits, which have no "
                     "place of their own; eval shows all of it");
  // A text's end may be asked for, too.
  if (H && H->Count && Index >= *H->Count &&
      (H->What != LibraryValue::Text || Index > *H->Count))
    return userError("'" + read() + "': there is no element " + Twine(Index) +
                     ", it has " + Twine(*H->Count));
  if (!Path.empty()) {
    auto Begin = through(L, Path);
    return Begin ? element(std::move(*Begin), int64_t(Index))
                 : Begin.takeError();
  }
  if (!H || Index >= H->Parts.size() || Index > MostElements)
    return userError("'" + read() + "': where its elements are is not known");
  Lvalue E;
  E.Type = Source.Types.argument(L.Type, 0);
  E.At.Addr = H->Parts[Index].At;
  return E;
}

Expected<Lvalue> LvalueParser::pointee(const Lvalue &L) {
  const DWARFDie T = strippedType(L.Type);
  const TypeRef Is = describe(L);
  if (!Is->Library.empty()) {
    const StringRef Path = pointedTo(Source.Types, T, Is->Library);
    auto Holds = held(L, *Is, 1);
    if (!Holds)
      return Holds.takeError();
    if (*Holds && (*Holds)->What == LibraryValue::Optional &&
        (*Holds)->Parts.empty())
      return userError("'" + read() + "': there is no value in it here");
    if (!Path.empty()) {
      auto To = through(L, Path);
      return !To || Is->Library == "optional" ? std::move(To) : pointee(*To);
    }
  }
  if (!T || (T.getTag() != DW_TAG_pointer_type &&
             T.getTag() != DW_TAG_reference_type &&
             T.getTag() != DW_TAG_rvalue_reference_type))
    return userError("'" + read() + "': " +
                     (Is->Name.empty()
                          ? std::string("what is before it")
                          : "what is before it is a " + Is->Name + ", which") +
                     " is no pointer and no array");
  auto Addr = number(L);
  if (!Addr)
    return Addr.takeError();
  Lvalue To;
  To.Type = typeOf(T);
  To.At.Addr = *Addr;
  To.At.How = howToLoad(L);
  if (!To.Type)
    return userError("'" + read() +
                     "': a pointer to void says nothing of "
                     "what is there");
  return To;
}

Expected<Lvalue> LvalueParser::member(Lvalue L, StringRef Name) {
  if (Name.empty())
    return userError("'" + Text + "': a member's name is missing");
  DWARFDie T = strippedType(L.Type);
  const DwarfTypes::Members Found = Source.Types.findMember(T, Name);
  if (Found.size() > 1) {
    std::string All;
    for (const DwarfTypes::Found &M : Found)
      All += (All.empty() ? "" : ", ") + scopeOf(M.Member) +
             M.Member.getShortName();
    return userError("'" + read() + "' is ambiguous: " + All);
  }
  const DwarfTypes::Found *F = Found.empty() ? nullptr : Found.begin();
  // "c.id": what is before the last '.' or '->'.
  StringRef Whole = read().drop_back(Name.size()).trim();
  if (!Whole.consume_back("->"))
    Whole.consume_back(".");
  if (!F && T && T.getTag() == DW_TAG_pointer_type)
    return userError("'" + Whole + "' is a pointer: did you mean '" + Whole +
                     "->" + Name + "'?");
  if (!F) {
    const char *Its = T ? T.getShortName() : nullptr;
    if (T && T.find(DW_AT_declaration))
      return userError("'" + read() +
                       "': the debug information does not tell "
                       "the members of " +
                       Twine(Its ? Its : "it") + " here");
    NearNames Near(Name);
    if (T)
      for (DWARFDie M : T.children()) {
        const char *N = M.getShortName();
        if (N && M.getTag() == DW_TAG_subprogram && Name == N)
          return userError("'" + read() + "': '" + Name +
                           "' is a function, and no code can run");
        if (N && M.getTag() != DW_TAG_subprogram)
          Near.add(N);
      }
    return userError("'" + Whole + "'" +
                     (Its ? " (" + std::string(Its) + ")" : std::string()) +
                     " has no member '" + Name + "'" + Near.question());
  }
  if (DwarfTypes::isStatic(F->Member))
    return staticMember(F->Member, Image);
  L.Type = typeOf(F->Member);
  L.Dimension = 0;
  if (!F->BitWidth) {
    L.Offset += F->Bits / 8;
    const DWARFDie Is = strippedType(L.Type);
    if (Is && (Is.getTag() == DW_TAG_reference_type ||
               Is.getTag() == DW_TAG_rvalue_reference_type))
      return pointee(L);
    return L;
  }
  Type::Member M;
  M.Offset = F->Bits;
  M.BitWidth = F->BitWidth;
  const FieldBytes B = fieldBytes(M, S.Store.header().Order == ByteOrder::Big);
  L.Offset += B.First;
  L.FieldLo = B.Lo;
  L.FieldWidth = B.Width;
  L.FieldSize = B.Size;
  return L;
}

Expected<Lvalue> LvalueParser::element(Lvalue L, int64_t Index) {
  const DWARFDie T = strippedType(L.Type);
  if (const TypeRef Is = describe(L); !Is->Library.empty() &&
                                      Is->Library != "unique_ptr" &&
                                      Is->Library != "shared_ptr")
    return libraryElement(L, *Is, uint64_t(Index));
  if (!T || T.getTag() != DW_TAG_array_type) {
    auto To = pointee(L);
    if (!To)
      return To.takeError();
    const uint64_t By = uint64_t(Index) * describe(*To)->Size;
    To->At.Addr += By;
    if (To->At.How)
      To->At.How->add(By);
    return To;
  }
  const auto Dims = dimensions(T);
  const bool Last = L.Dimension + 1 >= Dims.size();
  Lvalue E = L;
  E.Dimension = L.Dimension + 1;
  if (Last) {
    E.Type = typeOf(T);
    E.Dimension = 0;
  }
  const uint64_t Each = describe(E)->Size;
  if (!Each)
    return userError("'" + read() + "': the size of its elements is not known");
  if (auto N = L.Dimension < Dims.size() ? Dims[L.Dimension] : std::nullopt;
      Index < 0 || (N && *N && uint64_t(Index) >= *N))
    // As in C: what is beyond the end is some other object's, if memory's.
    if (L.At.Where != VariablePlace::Memory)
      return userError("'" + read() + "': there is no element " + Twine(Index));
  E.Offset += uint64_t(Index) * Each;
  return E;
}

/// A location that is nowhere yet.
Expected<Location> LvalueParser::unplaced(const Lvalue &L) const {
  Location R;
  R.Text = Text.str();
  R.Thread = At.Thread;
  R.Type = describe(L);
  R.Size = L.FieldWidth ? L.FieldSize : R.Type->Size;
  R.SizeGiven = true;
  R.FieldLo = L.FieldLo;
  R.FieldWidth = L.FieldWidth;
  if (!R.Size)
    return userError("'" + Text + "': its size is not known" +
                     (R.Type->Name.empty() ? "" : " (" + R.Type->Name + ")"));
  return R;
}

Expected<Location> LvalueParser::location(const Lvalue &L) const {
  auto R = unplaced(L);
  if (R)
    if (Error E = place(S, L.At, L.Offset, *R))
      return E;
  return R;
}

std::optional<AddressRecipe> LvalueParser::recipe(const Lvalue &L,
                                                  uint64_t Size) const {
  const VariablePlace *At = &L.At;
  uint64_t Offset = L.Offset;
  if (At->Where == VariablePlace::InPieces) {
    auto P = llvm::find_if(At->Pieces, [&](const PlacePiece &Its) {
      return Offset >= Its.Offset && Offset + Size <= Its.Offset + Its.Size;
    });
    if (P == At->Pieces.end() || !P->At)
      return std::nullopt;
    At = &*P->At;
    Offset -= P->Offset;
  }
  if (At->Where != VariablePlace::Memory || !At->How)
    return std::nullopt;
  AddressRecipe R = *At->How;
  R.add(Offset);
  return R;
}

/// How number() of a pointer is found again.
std::optional<AddressRecipe> LvalueParser::howToLoad(const Lvalue &L) const {
  auto Where = location(L);
  if (!Where) {
    consumeError(Where.takeError());
    return std::nullopt;
  }
  if (Where->FieldWidth || Where->Size > 8 || Where->Type->Signed)
    return std::nullopt;
  if (Where->Where == Location::Register)
    return AddressRecipe::registerIs(Where->Slice);
  auto R = recipe(L, Where->Size);
  if (R)
    R->load(Where->Size);
  return R;
}

OperandSource::Operand LvalueParser::address(uint64_t Addr) const {
  Operand O;
  O.Type.Bytes = S.Store.header().Architecture == Arch::Arm ? 4 : 8;
  O.Type.Signed = false;
  O.Type.Address = true;
  O.Value = Addr;
  return O;
}

Expected<OperandSource::Operand> LvalueParser::addressOf(const Lvalue &L) {
  if (L.FieldWidth)
    return userError("'" + read() + "': a bit-field has no address");
  if (L.At.Where != VariablePlace::Memory)
    return userError("'" + read() +
                     "' has no address here: it is not in memory");
  return address(L.At.Addr + L.Offset);
}

Expected<OperandSource::Operand> LvalueParser::valueOf(const Lvalue &L) {
  const DWARFDie D = strippedType(L.Type);
  TypeRef T = describe(L);
  // As C has it, an array is where it begins.
  if (T->Kind == TypeKind::Array || (D && D.getTag() == DW_TAG_subroutine_type))
    return addressOf(L);
  const std::string Named = T->Name.empty() ? "" : " (" + T->Name + ")";
  const bool Real = T->Kind == TypeKind::Float;
  if (!T->isScalar())
    return userError("'" + read() + "'" + Named +
                     " is no number and no pointer: ask for a part of it");
  if (Real && T->Float != FloatKind::Single && T->Float != FloatKind::Double)
    return userError("'" + read() + "'" + Named +
                     ": of floating-point numbers, only float and double are "
                     "computed here");
  if (!T->Size || T->Size > 8)
    return userError("'" + read() + "'" + Named + " has " + Twine(T->Size) +
                     " bytes: at most 8 are computed here");
  Operand O;
  const bool Pointer =
      T->Kind == TypeKind::Pointer || T->Kind == TypeKind::Text;
  if (Pointer)
    O.Type = address(0).Type;
  else
    O.Type = {uint8_t(T->Size), T->Signed || Real, Real};
  unsigned Bits = unsigned(8 * T->Size);
  if (L.FieldWidth) {
    Bits = L.FieldWidth;
    // An int holds all values of a shorter field.
    if (Bits < 32 || (Bits == 32 && T->Signed))
      O.Type = NumberType();
  }
  auto V = value(L);
  if (V.errorIsA<UnknownValue>()) {
    consumeError(V.takeError());
    return O;
  }
  if (!V)
    return V.takeError();
  auto N = V->number();
  if (!N)
    return O;
  if (Real)
    O.Value =
        bit_cast<uint64_t>(T->Size == 4 ? double(bit_cast<float>(uint32_t(*N)))
                                        : bit_cast<double>(*N));
  else if (T->Kind == TypeKind::Bool)
    O.Value = *N != 0;
  else
    O.Value = T->Signed && Bits < 64 ? uint64_t(SignExtend64(*N, Bits)) : *N;
  return O;
}

/// What a name means before it is a variable's.
Expected<std::optional<OperandSource::Operand>>
LvalueParser::ownName(StringRef Name) {
  if (Name == "true" || Name == "false") {
    Operand O;
    O.Type = {1, false};
    O.Value = Name == "true";
    return O;
  }
  if (Name == "NULL" || Name == "nullptr")
    return address(0);
  const RegisterInfo *R = S.Store.registerFile().find(Name);
  if (!R)
    return std::nullopt;
  const bool Real = R->Format == RegisterFormat::Float;
  if (R->Format == RegisterFormat::Vector || R->Slice.Size > 8 ||
      (Real && R->Slice.Size < 4))
    return userError("the register " + Name +
                     " is no number of at most 8 bytes");
  Operand O;
  O.Type = {uint8_t(R->Slice.Size), Real, Real};
  SessionInput Input(S, At);
  auto V = R->IsPC ? Input.pc() : Input.readRegister(R->Slice);
  if (!V)
    return V.takeError();
  O.Value = *V;
  if (Real && O.Value && R->Slice.Size == 4)
    O.Value = bit_cast<uint64_t>(double(bit_cast<float>(uint32_t(*O.Value))));
  return O;
}

/// What a name means that no variable has.
Expected<std::optional<OperandSource::Operand>>
LvalueParser::otherName(StringRef Name) {
  auto Found = Source.enumerators().find(Name);
  // Those of the file come first.
  if (Unit)
    if (auto Here = llvm::find_if(Found,
                                  [&](const EnumeratorIndex::Entry *E) {
                                    return E->Enum.getDwarfUnit()->getUnitDIE(
                                               false) == Unit;
                                  });
        Here != Found.end())
      Found = {*Here};
  for (const EnumeratorIndex::Entry *E : Found)
    if (E->Value != Found[0]->Value)
      return userError("'" + Name + "' is ambiguous: " + Found[0]->Name +
                       " is " + Twine(Found[0]->Value) + ", " + E->Name +
                       " is " + Twine(E->Value));
  if (!Found.empty()) {
    Operand O;
    O.Value = uint64_t(Found[0]->Value);
    if (!isInt<32>(Found[0]->Value)) {
      TypeRef T = Source.Types.describe(Found[0]->Enum);
      O.Type = {uint8_t(T->Size > 4 ? 8 : 4), T->Signed};
    }
    return O;
  }
  if (!S.Symbols)
    return std::nullopt;
  const auto Symbols = S.Symbols->findSymbol(Name);
  if (Symbols.size() > 1)
    return userError("'" + Name + "' is ambiguous: " + Twine(Symbols.size()) +
                     " symbols have that name");
  if (Symbols.empty())
    return std::nullopt;
  // An object without a type has no value that is known here.
  if (!S.Symbols->symbolizeCode(Symbols[0].Start))
    return userError("'" + Name +
                     "': the debug information does not tell its type");
  // A pointer to a function of Thumb has its lowest bit set, or not: which the
  // symbol does not tell.
  if (S.Store.header().Architecture == Arch::Arm)
    return userError("'" + Name +
                     "': functions of Arm are not compared here, as the state "
                     "of the processor is in the lowest bit of their pointers; "
                     "compare with a number");
  return address(Symbols[0].Start);
}

Expected<OperandSource::Operand> LvalueParser::operand(StringRef Wanted) {
  if (Error E = findScopes())
    return E;
  Text = Rest = Wanted;
  auto Done = [&](Operand O) {
    O.Length = Text.size() - Rest.size();
    return O;
  };
  const bool Address = eat("&");
  skipSpace();
  const StringRef Begin = Rest, Name = qualified(), After = Rest.ltrim();
  const bool Alone = !Name.empty() && !After.starts_with(".") &&
                     !After.starts_with("->") && !After.starts_with("[");
  if (Alone && !Address) {
    auto Own = ownName(Name);
    if (!Own)
      return Own.takeError();
    if (*Own)
      return Done(**Own);
  }
  Rest = Begin;
  auto L = unary();
  if (L.errorIsA<UnknownName>() && Alone) {
    auto Other = otherName(Name);
    if (!Other || *Other)
      consumeError(L.takeError());
    if (!Other)
      return Other.takeError();
    if (*Other) {
      Rest = Begin.drop_front(Name.size());
      return Done(**Other);
    }
  }
  Text = Text.take_front(Text.size() - Rest.size());
  Rest = "";
  if (L.errorIsA<UnknownValue>()) {
    // Where it is, or what it leads to, is not known: its type is not, either.
    consumeError(L.takeError());
    Operand O;
    O.Length = Text.size();
    return O;
  }
  if (!L)
    return L.takeError();
  auto O = Address ? addressOf(*L) : valueOf(*L);
  if (!O)
    return O.takeError();
  O->Length = Text.size();
  return *O;
}

Expected<OperandSource::Operand> ImageExpressions::compute(StringRef Text,
                                                           Place Where) {
  LvalueParser Operands(*this, Text, Where);
  ExpressionContext C{S.Store.registerFile(),
                      S.Store.header().Architecture == Arch::Arm ? 4u : 8u};
  C.Operands = &Operands;
  auto E = Expression::compile(Text, C);
  if (!E)
    return userError("'" + Text + "': " + toString(E.takeError()));
  SessionInput Input(S, Where);
  auto V = E->evaluate(Input);
  if (!V)
    return V.takeError();
  OperandSource::Operand O;
  O.Type = E->type();
  O.Value = *V;
  return O;
}

Expected<std::optional<bool>> ImageExpressions::test(StringRef Condition,
                                                     Place Where) {
  auto V = compute(Condition, Where);
  if (!V)
    return V.takeError();
  if (!V->Value)
    return std::nullopt;
  return V->Type.Float ? bit_cast<double>(*V->Value) != 0 : *V->Value != 0;
}

Expected<std::optional<uint64_t>>
ImageExpressions::fixedVariable(StringRef Name, uint64_t PC, unsigned Inlined) {
  return LvalueParser(*this, Name, Place()).fixed(PC, Inlined);
}

const EnumeratorIndex &ImageExpressions::enumerators() {
  if (!Enums)
    Enums = std::make_unique<EnumeratorIndex>(images());
  return *Enums;
}

ImageExpressions::ImageExpressions(
    const Session &S, std::function<std::vector<DwarfImage>()> Images)
    : S(S), Open(std::move(Images)),
      Types(S.Store.header().Architecture,
            S.Store.header().Architecture == Arch::Arm ? 4 : 8) {}

const std::vector<DwarfImage> &ImageExpressions::images() {
  if (!Opened)
    Opened = Open();
  return *Opened;
}

const VariableIndex &ImageExpressions::index() {
  if (!Index)
    Index = std::make_unique<VariableIndex>(images());
  return *Index;
}

Expected<Location> ImageExpressions::locate(StringRef Expression, Place At) {
  LvalueParser P(*this, Expression.trim(), At);
  auto L = P.run();
  if (!L)
    return L.takeError();
  return P.location(*L);
}

namespace {

/// What an lvalue is at each instruction is found out once.
class ImageLvalue final : public LvalueAlong {
public:
  ImageLvalue(ImageExpressions &Source, const Session &S, StringRef Text,
              StateCursor &Near)
      : Source(Source), S(S), Text(Text), Near(Near) {}
  const Location *at(const Place &At, uint64_t PC) override;

private:
  /// At an instruction.
  struct Known {
    std::optional<Location> Is;
    std::optional<AddressRecipe> How; ///< of memory
    uint64_t Misses = 0;
  };
  void learn(Known &K, const Place &At);

  ImageExpressions &Source;
  const Session &S;
  const std::string Text;
  StateCursor &Near;
  std::unordered_map<uint64_t, Known> ByCode;
};

} // namespace

void ImageLvalue::learn(Known &K, const Place &At) {
  LvalueParser P(Source, Text, At);
  auto L = P.run();
  auto Is = L ? P.location(*L) : L.takeError();
  if (!Is) {
    consumeError(Is.takeError());
    return;
  }
  if (!P.isFixed())
    return;
  if (Is->Where == Location::Memory)
    K.How = P.recipe(*L, Is->Size);
  if (K.How || Is->Where == Location::Register)
    K.Is = std::move(*Is);
}

const Location *ImageLvalue::at(const Place &At, uint64_t PC) {
  Known &K = ByCode[PC];
  // What is on its way may not be known at the first visits.
  if (!K.Is && isPowerOf2_64(++K.Misses))
    learn(K, At);
  if (!K.Is)
    return nullptr;
  if (!K.How) {
    K.Is->Thread = At.Thread;
    return &*K.Is;
  }
  auto Addr = K.How->find(S, Near, At.Thread, At.When);
  if (!Addr || !*Addr) {
    consumeError(Addr.takeError());
    return nullptr;
  }
  K.Is->Addr = **Addr;
  return &*K.Is;
}

std::unique_ptr<LvalueAlong> ImageExpressions::along(StringRef Expression,
                                                     StateCursor &Near) {
  return std::make_unique<ImageLvalue>(*this, S, Expression.trim(), Near);
}

Expected<ExpressionSource::Evaluated>
ImageExpressions::evaluate(StringRef Expression, Place Where, ValueStyle) {
  // An address is a value without a place.
  if (Expression.trim().starts_with("&")) {
    auto O = compute(Expression.trim(), Where);
    if (!O)
      return O.takeError();
    return Evaluated{O->Value ? hex(*O->Value) : UnknownText.str(),
                     std::nullopt};
  }
  LvalueParser P(*this, Expression.trim(), Where);
  auto L = P.run();
  if (!L)
    return L.takeError();
  auto V = P.value(*L);
  if (!V)
    return V.takeError();
  return Evaluated{shown(S, *V), std::nullopt};
}

std::optional<ExpressionSource::Object>
ImageExpressions::objectAt(uint64_t Addr) {
  for (const VariableIndex::Entry *E : index().before(Addr)) {
    TypeRef T = Types.describe(typeOf(E->Die));
    if (T->Size && Addr - E->Addr < T->Size)
      return Object{E->Name, E->Addr, T};
  }
  return std::nullopt;
}

std::vector<std::string> ImageExpressions::variables(Place At) {
  auto Locals = LvalueParser(*this, "", At).locals();
  std::vector<std::string> Names;
  if (Locals)
    Names = std::move(*Locals);
  else
    consumeError(Locals.takeError());
  for (const VariableIndex::Entry &E : index().all())
    Names.push_back(E.Name);
  return Names;
}

} // namespace rw
