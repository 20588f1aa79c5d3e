//===- LvaluePlaces.cpp - Where lvalues are, and their bytes --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/lvalues/LvalueParser.h"
#include "commands/support/AddressExpression.h"
#include "commands/support/Format.h"
#include "commands/support/SessionInput.h"
#include "commands/support/UnknownName.h"
#include "core/store/TraceStore.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace rw {

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
    R.Holds = true;
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
  if (TypesOnly)
    return 0;
  auto V = value(L);
  if (!V)
    return V.takeError();
  auto N = V->number();
  if (!N && V->Bytes.size() <= 8) {
    auto P = S.Store.positionOf(At.Thread, At.When);
    if (!P)
      return P.takeError();
    return make_error<UnknownValue>("'" + read() + "': what it is at " +
                                    formatPlace(S.Store, At.Thread, *P) +
                                    " is not known (--at names another place)");
  }
  if (!N || !V->Type || !V->Type->isScalar() ||
      V->Type->Kind == TypeKind::Float)
    return userError("'" + read() + "': it is no whole number");
  const unsigned Bits =
      V->FieldWidth ? V->FieldWidth : unsigned(8 * V->Bytes.size());
  return V->Type->Signed ? uint64_t(SignExtend64(*N, Bits)) : *N;
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
  if (!R)
    return R;
  R->Lives = L.At.Lives;
  if (Error E = place(S, L.At, L.Offset, *R))
    return E;
  return R;
}

std::optional<AddressRecipe> LvalueParser::recipe(const Lvalue &L,
                                                  uint64_t Size) const {
  const VariablePlace *At = &L.At;
  uint64_t Offset = L.Offset;
  if (At->Where == VariablePlace::InPieces) {
    // Another element may be in another piece.
    if (!L.Elements.empty())
      return std::nullopt;
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
  for (const Lvalue::Element &E : L.Elements)
    Offset -= uint64_t(E.Index) * E.Each;
  R.add(Offset);
  for (const Lvalue::Element &E : L.Elements) {
    auto Index = compiledIndex(E);
    if (!Index)
      return std::nullopt;
    R.element(std::move(*Index), E.Each);
  }
  return R;
}

/// What is an index at other visits of the instruction, if its names mean one
/// thing there, and none of them a register's.
std::optional<Expression>
LvalueParser::compiledIndex(const Lvalue::Element &E) const {
  for (StringRef Left = E.Computed; !Left.empty();) {
    const StringRef Word = Left.take_while(isWord);
    if (S.Store.registerFile().find(Word))
      return std::nullopt;
    Left = Left.drop_front(std::max<size_t>(Word.size(), 1));
  }
  ExpressionContext C = expressionContext(S.Store);
  const auto Names = PC ? Source.names()->at(PC, At.Inlined) : nullptr;
  C.Names = Names.get();
  auto Index = Expression::compile(E.Computed, C);
  if (!Index) {
    consumeError(Index.takeError());
    return std::nullopt;
  }
  SessionInput Input(S, At);
  auto Now = Index->evaluate(Input);
  const bool Same = Now && *Now && int64_t(**Now) == E.Index;
  consumeError(Now.takeError());
  if (!Same || Index->type().Float || Index->type().Address)
    return std::nullopt;
  return std::move(*Index);
}

/// How number() of a pointer is found again.
std::optional<AddressRecipe> LvalueParser::howToLoad(const Lvalue &L) const {
  if (L.At.Where == VariablePlace::Constant)
    return L.At.How;
  auto Where = location(L);
  if (!Where) {
    consumeError(Where.takeError());
    return std::nullopt;
  }
  if (Where->FieldWidth || Where->Size > 8 || Where->Type->Signed)
    return std::nullopt;
  if (Where->Where == Location::Register && L.Elements.empty())
    return AddressRecipe::registerIs(Where->Slice);
  auto R = recipe(L, Where->Size);
  if (R)
    R->load(Where->Size);
  return R;
}

} // namespace rw
