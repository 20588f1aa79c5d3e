//===- Access.cpp - Who wrote or read a location --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/Access.h"
#include "commands/support/Listing.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace llvm;

namespace rw {

Error checkQuestion(const Location &L, AccessKind Kind) {
  for (const LocationPiece &P : L.Pieces)
    if (P.Constant.empty())
      if (Error E = checkQuestion(P.At, Kind))
        return E;
  if (L.Where == Location::Register && Kind != AccessKind::Write)
    return usageError(
        "a trace tells which registers are written, not which are "
        "read; ask for a memory location");
  return Error::success();
}

Error checkCapable(const TraceStore &Store, const Location &L) {
  for (const LocationPiece &P : L.Pieces)
    if (P.Constant.empty())
      if (Error E = checkCapable(Store, P.At))
        return E;
  const TraceHeader &H = Store.header();
  if (L.Where == Location::Register && !H.Can.Registers &&
      !H.Can.RegisterWrites)
    return userError("this trace (" + H.Format +
                     ") does not tell what is written to registers");
  if (L.Real && !H.Can.RealAddresses)
    return userError("this trace (" + H.Format +
                     ") does not tell real addresses");
  if (L.Where == Location::Memory && !H.Can.MemAddresses)
    return userError("this trace (" + H.Format +
                     ") does not tell what memory is accessed");
  return Error::success();
}

/// Calls \p F with each lane that \p L lies in and the mask of its bytes.
static Error forEachLane(const Location &L,
                         function_ref<Error(unsigned Lane, uint8_t Mask)> F) {
  unsigned Lo = L.Slice.Offset, Hi = Lo + L.Slice.Size;
  if (L.FieldWidth) {
    Hi = Lo + (L.FieldLo + L.FieldWidth + 7) / 8;
    Lo += L.FieldLo / 8;
  }
  for (unsigned Word = Lo / 8; Word * 8 < Hi; ++Word) {
    uint8_t Mask = 0;
    for (unsigned B = 0; B < 8; ++B)
      if (Word * 8 + B >= Lo && Word * 8 + B < Hi)
        Mask |= uint8_t(1u << B);
    if (Error E = F(L.Slice.Lane + Word, Mask))
      return E;
  }
  return Error::success();
}

/// Whether \p A is later than \p B. BeforeTrace is the earliest of all, though
/// the largest number.
static bool isLater(std::optional<Moment> A, std::optional<Moment> B) {
  return A && (!B || *B == BeforeTrace || (*A != BeforeTrace && *A > *B));
}

static Expected<std::optional<Moment>> lastOfBytes(const TraceStore &Store,
                                                   const Location &L,
                                                   AccessKind Kind,
                                                   Moment Before) {
  if (L.Real)
    return Store.lastRealAccess(L.Addr, L.Size, Kind, Before);
  if (L.Where == Location::Memory)
    return Store.lastAccess(L.Addr, L.Size, Kind, Before);
  std::optional<Moment> Best;
  for (const LocationPiece &P : L.Pieces)
    if (P.Constant.empty()) {
      auto M = lastOfBytes(Store, P.At, Kind, Before);
      if (!M)
        return M.takeError();
      if (isLater(*M, Best))
        Best = *M;
    }
  if (L.Where == Location::InPieces)
    return Best;
  Error E = forEachLane(L, [&](unsigned Lane, uint8_t Mask) -> Error {
    auto M = Store.lastRegisterWrite(L.Thread, Lane, Mask, Before);
    if (!M)
      return M.takeError();
    if (isLater(*M, Best))
      Best = **M;
    return Error::success();
  });
  if (E)
    return E;
  return Best;
}

static Expected<std::optional<Moment>> nextOfBytes(const TraceStore &Store,
                                                   const Location &L,
                                                   AccessKind Kind,
                                                   Moment From) {
  if (From == 0) {
    // The store answers only "after"; whether the very first instruction did it
    // is the question what was last before the second.
    auto M = lastOfBytes(Store, L, Kind, 1);
    if (!M || (*M && **M == 0))
      return M;
    From = 1;
  }
  if (L.Real)
    return Store.nextRealAccess(L.Addr, L.Size, Kind, From - 1);
  if (L.Where == Location::Memory)
    return Store.nextAccess(L.Addr, L.Size, Kind, From - 1);
  std::optional<Moment> Best;
  for (const LocationPiece &P : L.Pieces)
    if (P.Constant.empty()) {
      auto M = nextOfBytes(Store, P.At, Kind, From);
      if (!M)
        return M.takeError();
      if (*M && (!Best || **M < *Best))
        Best = *M;
    }
  if (L.Where == Location::InPieces)
    return Best;
  Error E = forEachLane(L, [&](unsigned Lane, uint8_t Mask) -> Error {
    auto M = Store.nextRegisterWrite(L.Thread, Lane, Mask, From - 1);
    if (!M)
      return M.takeError();
    if (*M && (!Best || **M < *Best))
      Best = **M;
    return Error::success();
  });
  if (E)
    return E;
  return Best;
}

Expected<std::optional<Moment>> lastAccess(const TraceStore &Store,
                                           const Location &L, AccessKind Kind,
                                           Moment Before) {
  OtherBits Others(Store, L, Kind);
  while (true) {
    auto M = lastOfBytes(Store, L, Kind, Before);
    if (!M || !*M || **M == BeforeTrace)
      return M;
    auto Skip = Others.wrote(**M);
    if (!Skip)
      return Skip.takeError();
    if (!*Skip)
      return M;
    Before = **M;
  }
}

/// What \p Next finds from \p From on, without writes of other bits.
static Expected<std::optional<Moment>>
fromWithoutOthers(OtherBits &Others, Moment From,
                  function_ref<Expected<std::optional<Moment>>(Moment)> Next) {
  while (true) {
    auto M = Next(From);
    if (!M || !*M)
      return M;
    auto Skip = Others.wrote(**M);
    if (!Skip)
      return Skip.takeError();
    if (!*Skip)
      return M;
    From = **M + 1;
  }
}

Expected<std::optional<Moment>> accessFrom(const TraceStore &Store,
                                           const Location &L, AccessKind Kind,
                                           Moment From) {
  OtherBits Others(Store, L, Kind);
  return fromWithoutOthers(
      Others, From, [&](Moment M) { return nextOfBytes(Store, L, Kind, M); });
}

AccessSearch::AccessSearch(const TraceStore &Store, const Location &L,
                           AccessKind Kind)
    : Store(Store), L(L), Kind(Kind), Others(Store, this->L, Kind) {
  if (L.Real)
    return;
  add(L);
}

void AccessSearch::add(const Location &Of) {
  for (const LocationPiece &P : Of.Pieces)
    if (P.Constant.empty())
      add(P.At);
  if (Of.Where == Location::Memory)
    Searches.push_back(SearchCursor::accesses(Store, Of.Addr, Of.Size, Kind));
  if (Of.Where == Location::Register)
    cantFail(forEachLane(Of, [&](unsigned Lane, uint8_t Mask) {
      Searches.push_back(
          SearchCursor::registerWrites(Store, Of.Thread, Lane, Mask));
      return Error::success();
    }));
}

Expected<std::optional<Moment>> AccessSearch::from(Moment From) {
  if (Searches.empty())
    return accessFrom(Store, L, Kind, From);
  return fromWithoutOthers(Others, From,
                           [&](Moment M) { return firstOf(Searches, M); });
}

/// What the location was to the instruction \p When.
static Expected<Location> effective(const Session &S, const Location &L,
                                    AccessKind Kind, Moment When) {
  auto Addr = S.Store.realAccess(When, L.Addr, L.Size, Kind);
  if (!Addr)
    return Addr.takeError();
  assert(*Addr && "the store named an instruction that does not access it");
  Location E = L;
  E.Real = false;
  E.Addr = Addr->value_or(L.Addr);
  return E;
}

/// Makes \p V one of that location then, of which nothing is known yet.
static void beginValue(const Session &S, const Location &L, Moment When,
                       Value &V) {
  V.Bytes.assign(L.Size, 0);
  V.Known.assign(L.Size, 0);
  V.When = When;
  V.FieldLo = L.FieldLo;
  V.FieldWidth = L.FieldWidth;
  // Counting who refers to a type costs as much as the rest.
  if (V.Type != L.Type)
    V.Type = L.Type;
  V.Order = L.Where == Location::Register ? ByteOrder::Little
                                          : S.Store.header().Order;
}

Error readLocation(const Session &S, StateCursor &Near, const Location &L,
                   Moment When, Value &V) {
  if (L.Where == Location::InPieces) {
    auto Joined =
        joinPieces(S, L, When, [&](const Location &P) -> Expected<Value> {
          Value Its;
          if (Error E = readLocation(S, Near, P, When, Its))
            return E;
          return Its;
        });
    if (!Joined)
      return Joined.takeError();
    V = std::move(*Joined);
    return Error::success();
  }
  beginValue(S, L, When, V);
  if (L.Where == Location::Register)
    return Near.readRegister(L.Thread, When, L.Slice, V.Bytes, V.Known);
  return readMemory(S, Near, L.Addr, When, V.Bytes, V.Known);
}

Error readMemory(const Session &S, StateCursor &Near, uint64_t Addr,
                 Moment When, MutableArrayRef<uint8_t> Bytes,
                 MutableArrayRef<uint8_t> Known) {
  if (Error E = Near.readMemory(When, Addr, Bytes, Known))
    return E;
  fillFromImage(S, Addr, Bytes, Known);
  return Error::success();
}

Expected<AccessAnswer> explainAccess(const Session &S, const Location &L,
                                     AccessKind Kind, Moment When) {
  AccessTeller Teller(S, L, Kind);
  auto A = Teller.at(When);
  if (!A)
    return A.takeError();
  return **A;
}

AccessTeller::AccessTeller(const Session &S, Location At, AccessKind Kind)
    : S(S), L(std::move(At)), Kind(Kind), Near(StateCursor::open(S.Store)),
      Stored(S.Store) {
  if (L.Where != Location::Memory || L.Real ||
      OtherBits(S.Store, L, Kind).any())
    Search.emplace(S.Store, L, Kind);
}

Expected<std::optional<Moment>> AccessTeller::from(Moment From) {
  if (Search)
    return Search->from(From);
  Before.reset();
  beginValue(S, L, From, A.Old);
  auto M = Near->nextAccess(L.Addr, Kind, From, A.Old.Bytes, A.Old.Known);
  if (M && *M) {
    fillFromImage(S, L.Addr, A.Old.Bytes, A.Old.Known);
    A.Old.When = **M;
    Before = *M;
  }
  return M;
}

Expected<const AccessAnswer *> AccessTeller::at(Moment When) {
  A.Write = A.NoValue = A.Implied = A.Inferred = false;
  A.Effective.reset();
  if (!L.Real) {
    if (Error E = tell(L, When))
      return E;
    return &A;
  }
  auto There = effective(S, L, Kind, When);
  if (!There)
    return There.takeError();
  if (Error E = tell(*There, When))
    return E;
  A.Effective = There->Addr;
  return &A;
}

Error AccessTeller::tell(const Location &L, Moment When) {
  // In the order in which the cursor goes.
  if (Before != When)
    if (Error E = readLocation(S, *Near, L, When, A.Old))
      return E;
  auto I = Near->at(When);
  if (!I)
    return I.takeError();
  A.Insn = **I;
  if (Error E = readLocation(S, *Near, L, When + 1, A.New))
    return E;
  A.Bytes.assign(L.Size, 0);
  if (L.Where == Location::InPieces)
    return tellPieces(L, When);
  if (L.Where != Location::Register)
    return tellAccessed(L);
  tellWritten(L);
  return Error::success();
}

Error AccessTeller::tellPieces(const Location &L, Moment When) {
  for (const LocationPiece &P : L.Pieces) {
    if (!P.Constant.empty())
      continue;
    auto Its = explainAccess(S, P.At, Kind, When);
    if (!Its)
      return Its.takeError();
    A.Write |= Its->Write && is_contained(Its->Bytes, 1);
    A.NoValue |= Its->NoValue;
    A.Implied |= Its->Implied;
    A.Inferred |= Its->Inferred;
    // The answer is in the order of its own place.
    if (Its->New.Order != A.New.Order)
      std::reverse(Its->Bytes.begin(), Its->Bytes.end());
    Its->New.setOrder(A.New.Order);
    const auto To = ptrdiff_t(P.Offset);
    llvm::copy(Its->Bytes, A.Bytes.begin() + To);
    llvm::copy(Its->New.Bytes, A.New.Bytes.begin() + To);
    llvm::copy(Its->New.Known, A.New.Known.begin() + To);
  }
  return Error::success();
}

void AccessTeller::tellWritten(const Location &L) {
  A.Write = true;
  for (const RegItem &R : A.Insn.Regs) {
    if (R.Thread != L.Thread || (R.Flags & RegItem::NotWritten))
      continue;
    for (uint64_t B = 0; B < L.Size; ++B) {
      unsigned At = L.Slice.Offset + B;
      if (L.Slice.Lane + At / 8 != R.Lane || !(R.Written >> (At % 8) & 1))
        continue;
      A.Bytes[B] = 1;
      A.NoValue |= R.Unknown >> (At % 8) & 1;
      A.Inferred |= bool(R.Flags & RegItem::Inferred);
    }
  }
}

Error AccessTeller::tellAccessed(const Location &L) {
  SmallVector<MemAccess, 2> Told;
  if (Stored.mayInfer()) {
    Told = A.Insn.Mems;
    auto Inferred = Stored.infer(A.Insn);
    if (!Inferred)
      return Inferred.takeError();
  }
  for (size_t N = 0; N < A.Insn.Mems.size(); ++N) {
    const MemAccess &M = A.Insn.Mems[N];
    bool Wanted =
        M.isWrite() ? Kind != AccessKind::Read : Kind != AccessKind::Write;
    if (!Wanted || !overlaps(M, L))
      continue;
    A.Write |= M.isWrite();
    A.Implied |= bool(M.Flags & MemItem::Implied);
    for (size_t B = 0; B < M.Bytes.size(); ++B) {
      const uint64_t At = M.Addr + B - L.Addr;
      if (At >= L.Size)
        continue;
      A.Bytes[At] = 1;
      A.NoValue |= M.Flags & MemItem::NoValue && !M.Known[B];
      if (!Told.empty() && M.Known[B] && !Told[N].Known[B]) {
        A.Inferred = true;
        A.New.Bytes[At] = M.Bytes[B];
        A.New.Known[At] = 1;
      }
    }
  }
  return Error::success();
}

/// Some bytes of a value, which are of that type.
static Value partOfValue(const Value &V, uint64_t First, uint64_t Size,
                         TypeRef Is) {
  Value P(Size);
  std::copy_n(V.Bytes.begin() + ptrdiff_t(First), Size, P.Bytes.begin());
  std::copy_n(V.Known.begin() + ptrdiff_t(First), Size, P.Known.begin());
  P.Order = V.Order;
  P.When = V.When;
  P.Type = std::move(Is);
  return P;
}

std::vector<ChangedPart> changedParts(const Value &Old, const Value &New) {
  std::vector<ChangedPart> Parts;
  const TypeRef &T = New.Type;
  const size_t Size = New.Bytes.size();
  if (!T || New.FieldWidth || Old.Bytes.size() != Size || T->Size != Size ||
      (T->Kind != TypeKind::Record && T->Kind != TypeKind::Array &&
       T->Kind != TypeKind::Vector))
    return Parts;
  auto Same = [&](uint64_t B) {
    return Old.Known[B] == New.Known[B] &&
           (!Old.Known[B] || Old.Bytes[B] == New.Bytes[B]);
  };
  auto Add = [&](ChangedPart P) {
    if (!(P.Old == P.New) && (Parts.empty() || Parts.back().Path != P.Path))
      Parts.push_back(std::move(P));
  };
  for (uint64_t B = 0; B < Size; ++B) {
    if (Same(B))
      continue;
    TypePart P = partAt(T, B, 1);
    if (const TypeRef Vector = P.Is; Vector->Kind == TypeKind::Vector &&
                                     Vector->Element && Vector->Element->Size) {
      const uint64_t Lane = (B - P.Offset) / Vector->Element->Size;
      P.Path += "[" + std::to_string(Lane) + "]";
      P.Offset += Lane * Vector->Element->Size;
      P.Is = Vector->Element;
    }
    const uint64_t Own = P.Is->Size;
    // A union without a name has none in the path either.
    if (const StringRef Name = P.Is->Name;
        P.Is->Union && (Name.empty() || Name.contains("(anonymous") ||
                        Name.contains("(unnamed")))
      P.Path += ".(union)";
    const bool IsString = P.Is->Library == "basic_string";
    // The two values tell all of a string, or union, that was asked about.
    if ((IsString || P.Is->Union) && P.Path.empty())
      return {};
    if (P.Is->Kind != TypeKind::Record || P.Is->Union || IsString) {
      Add({P.Path, partOfValue(Old, P.Offset, Own, P.Is),
           partOfValue(New, P.Offset, Own, P.Is)});
      B = std::max(B, P.Offset + Own - 1);
      continue;
    }
    // Bit-fields; what none of them has is padding.
    for (const Type::Member &M : P.Is->Members) {
      if (!M.BitWidth)
        continue;
      const FieldBytes F = fieldBytes(M, New.Order == ByteOrder::Big);
      const uint64_t First = P.Offset + F.First;
      if (B < First || B >= First + F.Size)
        continue;
      ChangedPart C{P.Path + "." + M.Name,
                    partOfValue(Old, First, F.Size, M.Is),
                    partOfValue(New, First, F.Size, M.Is)};
      for (Value *V : {&C.Old, &C.New}) {
        V->FieldLo = F.Lo;
        V->FieldWidth = F.Width;
      }
      if (none_of(Parts,
                  [&](const ChangedPart &O) { return O.Path == C.Path; }))
        Add(std::move(C));
    }
  }
  return Parts;
}

std::string formatCoverage(ArrayRef<uint8_t> Bytes) {
  size_t N = llvm::count(Bytes, 1);
  if (N == Bytes.size())
    return N == 1 ? "its byte" : "all " + std::to_string(N) + " bytes";
  std::string Ranges;
  for (size_t I = 0; I < Bytes.size(); ++I) {
    if (!Bytes[I])
      continue;
    size_t End = I;
    while (End + 1 < Bytes.size() && Bytes[End + 1])
      ++End;
    Ranges += (Ranges.empty() ? "" : ", ") + std::to_string(I);
    if (End != I)
      Ranges += ".." + std::to_string(End);
    I = End;
  }
  return std::to_string(N) + " of " + std::to_string(Bytes.size()) +
         " bytes (" + Ranges + ")";
}

void printAnswer(Session &S, const AccessAnswer &A) {
  const Instruction &I = A.Insn;
  S.Out << formatPlace(S.Store, I.Thread, I.Pos);
  if (S.Store.header().Can.Time)
    S.Out << ", " << formatTime(S.Store, timeOf(S.Store, I));
  if (I.Line)
    S.Out << ", line " << I.Line;
  S.Out << ": " << hex(I.Insn.PC);
  if (std::string Code = formatCode(S, I.Insn.PC); !Code.empty())
    S.Out << " " << Code;
  S.Out << "\n  " << formatInstruction(S, I.Insn) << "\n  ";
  const std::vector<ChangedPart> Parts =
      A.Write ? changedParts(A.Old, A.New) : std::vector<ChangedPart>();
  if (A.Write) {
    // A person can read only what changed of a large value.
    constexpr size_t MostText = 200;
    std::string Both = shown(S, A.Old) + " -> " + shown(S, A.New);
    S.Out << (Parts.empty() || Both.size() <= MostText ? Both + ", wrote "
                                                       : "wrote ");
  } else {
    S.Out << shown(S, A.New) << ", read ";
  }
  S.Out << formatCoverage(A.Bytes);
  if (A.Effective)
    S.Out << " at the effective address " << hex(*A.Effective);
  if (A.Implied)
    S.Out << " (a semihosting call: the trace does not tell what it wrote)";
  else if (A.Inferred)
    S.Out << (A.NoValue ? " (what is known is inferred from the code)"
                        : " (inferred from the code)");
  else if (A.NoValue)
    S.Out << " (the trace does not tell the value)";
  S.Out << "\n";
  constexpr size_t Most = 8;
  for (size_t N = 0; N < std::min(Parts.size(), Most); ++N)
    S.Out << (N ? ", " : "  changed: ") << Parts[N].Path << " "
          << shown(S, Parts[N].Old) << " -> " << shown(S, Parts[N].New);
  if (Parts.size() > Most)
    S.Out << " and " << Parts.size() - Most << " more";
  if (!Parts.empty())
    S.Out << "\n";
}

json::Array coverageJson(const AccessAnswer &A) {
  json::Array Bytes;
  for (size_t B = 0; B < A.Bytes.size(); ++B)
    if (A.Bytes[B])
      Bytes.push_back(int64_t(B));
  return Bytes;
}

json::Array changedJson(const Session &S, const AccessAnswer &A) {
  json::Array List;
  if (!A.Write)
    return List;
  for (const ChangedPart &P : changedParts(A.Old, A.New)) {
    json::Object O{{"part", json::fixUTF8(P.Path)}};
    putValue(S, O, "old", P.Old);
    putValue(S, O, "new", P.New);
    List.push_back(std::move(O));
  }
  return List;
}

StringRef whyUnknown(const AccessAnswer &A) {
  return A.Implied ? "written by a semihosting call"
                   : "the trace does not tell the value";
}

json::Object toJson(Session &S, const AccessAnswer &A) {
  json::Object O = placeJson(S, A.Insn);
  O["instruction"] = formatInstruction(S, A.Insn.Insn);
  O["access"] = A.Write ? "write" : "read";
  if (A.Write) {
    putValue(S, O, "old", A.Old);
    putValue(S, O, "new", A.New);
  } else {
    putValue(S, O, "value", A.New);
  }
  O["bytes"] = coverageJson(A);
  if (auto Parts = changedJson(S, A); !Parts.empty())
    O["parts"] = std::move(Parts);
  if (A.NoValue)
    O["value_unknown"] = whyUnknown(A);
  if (A.Inferred)
    O["inferred"] = true;
  if (A.Effective)
    O["effective_address"] = hex(*A.Effective);
  return O;
}

json::Object toJson(const Location &L) {
  json::Object O{{"text", L.Text}, {"size", L.Size}};
  if (L.Where == Location::Register) {
    O["register"] = L.RegisterName;
    O["thread"] = int64_t(L.Thread) + 1;
  } else if (L.Where == Location::InPieces) {
    json::Array Pieces;
    for (const LocationPiece &P : L.Pieces) {
      json::Object Its{{"offset", P.Offset}, {"size", P.Size}};
      if (!P.Constant.empty())
        Its["constant"] = true;
      else if (P.At.Where == Location::Register)
        Its["register"] = P.At.RegisterName;
      else
        Its["address"] = hex(P.At.Addr);
      Pieces.push_back(std::move(Its));
    }
    O["pieces"] = std::move(Pieces);
  } else {
    O[L.Real ? "real_address" : "address"] = hex(L.Addr);
    if (L.FieldWidth)
      O["bits"] = bitsOf(L);
  }
  if (L.Type && !L.Type->Name.empty())
    O["type"] = json::fixUTF8(L.Type->Name);
  return O;
}

Location part(const Location &L, uint64_t Offset, uint64_t Size) {
  Location P = L;
  P.Size = Size;
  P.SizeGiven = true;
  if (L.Where == Location::Memory) {
    P.Addr += Offset;
  } else if (L.Where == Location::InPieces) {
    P.Pieces.clear();
    for (const LocationPiece &Of : L.Pieces) {
      const uint64_t From = std::max(Offset, Of.Offset),
                     To = std::min(Offset + Size, Of.Offset + Of.Size);
      if (From >= To || !Of.Constant.empty())
        continue;
      P.Pieces.push_back({From - Offset,
                          To - From,
                          part(Of.At, From - Of.Offset, To - From),
                          {}});
    }
  } else {
    P.Slice.Offset = uint16_t(P.Slice.Offset + Offset);
    P.Slice.Size = uint16_t(Size);
  }
  P.FieldLo = P.FieldWidth = 0;
  P.Type = nullptr;
  return P;
}

} // namespace rw
