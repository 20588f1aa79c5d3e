//===- LvalueParts.cpp - Members, elements, what is pointed to ------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/lvalues/LibraryMembers.h"
#include "commands/lvalues/LvalueParser.h"
#include "commands/support/Format.h"
#include "commands/support/NearNames.h"
#include "commands/support/UnknownName.h"
#include "core/store/TraceStore.h"
#include "core/types/LibraryValue.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace rw {

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
  if (TypesOnly)
    return std::nullopt;
  auto V = value(L);
  if (!V)
    return V.takeError();
  if (V->Order != S.Store.header().Order || V->Bytes.size() != T.Size)
    return std::nullopt;
  return libraryValue(T, {V->Bytes, V->Known}, printerContext(S, At.When),
                      unsigned(std::min<uint64_t>(Most, UINT32_MAX)));
}

/// What a map has for the key \p Key, where it has one.
Expected<Lvalue> LvalueParser::mapped(const Lvalue &L, const Type &T,
                                      uint64_t Key) {
  constexpr uint64_t MostElements = 1 << 20;
  Lvalue E;
  E.Type = Source.Types.argument(L.Type, 1);
  if (TypesOnly)
    return E;
  const TypeRef K = Source.Types.describe(Source.Types.argument(L.Type, 0));
  if (!K->isScalar() || K->Kind == TypeKind::Float || !K->Size || K->Size > 8)
    return userError("'" + read() + "': its keys are of type " + K->Name +
                     "; only those that are whole numbers are looked up here, "
                     "eval shows all of it");
  auto Holds = held(L, T, MostElements);
  if (!Holds)
    return Holds.takeError();
  const auto &H = *Holds;
  if (!H || H->What != LibraryValue::Map)
    return make_error<UnknownValue>("'" + read() +
                                    "': what is in it is not known");
  const PrinterContext Memory = printerContext(S, At.When);
  const bool Big = S.Store.header().Order == ByteOrder::Big;
  bool Unknown = H->More || H->Lost;
  for (const LibraryValue::Part &P : H->Parts) {
    const std::vector<Type::Member> &M = P.Is->Members;
    if (P.Inside || M.size() < 2) {
      Unknown = true;
      continue;
    }
    // A pair's base classes, which are empty, are before its members.
    uint8_t Bytes[8] = {}, Known[8] = {};
    if (Memory.Read)
      Memory.Read(P.At + M[M.size() - 2].Offset / 8, {Bytes, K->Size},
                  {Known, K->Size});
    uint64_t Its = 0;
    bool Whole = true;
    for (uint64_t B = 0; B < K->Size; ++B) {
      Its |= uint64_t(Bytes[B]) << 8 * (Big ? K->Size - 1 - B : B);
      Whole &= Known[B] != 0;
    }
    Unknown |= !Whole;
    if (!Whole || Its != (Key & maskTrailingOnes<uint64_t>(8 * K->Size)))
      continue;
    E.At.Addr = P.At + M.back().Offset / 8;
    return E;
  }
  if (Unknown)
    return make_error<UnknownValue>("'" + read() +
                                    "': not all of its keys are known here");
  return make_error<UnknownValue>(
      "'" + read() + "': it has no such key here (" + Twine(H->Parts.size()) +
      (H->Parts.size() == 1 ? " other one)" : " others)"));
}

/// What operator[] would return.
Expected<Lvalue> LvalueParser::libraryElement(const Lvalue &L, const Type &T,
                                              uint64_t Index) {
  const StringRef Library = T.Library;
  if (Library == "map" || Library == "unordered_map")
    return mapped(L, T, Index);
  const StringRef Path = elementsOf(Source.Types, L.Type, T.Library);
  if (Library.ends_with("list") || Library.ends_with("multimap") ||
      (Library.ends_with("set") && Library != "bitset"))
    return userError("'" + read() + "': std::" + T.Library +
                     " has no operator []; eval shows all of it");
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
    return make_error<UnknownValue>("'" + read() + "': there is no element " +
                                    Twine(int64_t(Index)) + ", it has " +
                                    Twine(*H->Count));
  if (!Path.empty()) {
    auto Begin = through(L, Path);
    return Begin ? element(std::move(*Begin), {int64_t(Index)})
                 : Begin.takeError();
  }
  Lvalue E;
  E.Type = Source.Types.argument(L.Type, 0);
  if (TypesOnly)
    return E;
  if (!H || Index >= H->Parts.size() || Index > MostElements)
    return make_error<UnknownValue>("'" + read() +
                                    "': where its elements are is not known");
  E.At.Addr = H->Parts[Index].At;
  return E;
}

Expected<Lvalue> LvalueParser::pointee(const Lvalue &L) {
  const DWARFDie T = L.Pointers ? DWARFDie() : strippedType(L.Type);
  if (T && T.getTag() == DW_TAG_array_type)
    return element(L, {0});
  const TypeRef Is = describe(L);
  if (!Is->Library.empty()) {
    const StringRef Path = pointedTo(Source.Types, T, Is->Library);
    auto Holds = held(L, *Is, 1);
    if (!Holds)
      return Holds.takeError();
    if (*Holds && (*Holds)->What == LibraryValue::Optional &&
        (*Holds)->Parts.empty())
      return make_error<UnknownValue>("'" + read() +
                                      "': there is no value in it here");
    if (!Path.empty()) {
      auto To = through(L, Path);
      return !To || Is->Library == "optional" ? std::move(To) : pointee(*To);
    }
  }
  if (!L.Pointers && (!T || (T.getTag() != DW_TAG_pointer_type &&
                             T.getTag() != DW_TAG_reference_type &&
                             T.getTag() != DW_TAG_rvalue_reference_type)))
    return userError("'" + read() + "': " +
                     (Is->Name.empty()
                          ? std::string("what is before it")
                          : "what is before it is a " + Is->Name + ", which") +
                     " is no pointer and no array");
  auto Addr = number(L);
  if (!Addr)
    return Addr.takeError();
  Lvalue To;
  To.Type = completed(L.Pointers ? L.Type : typeOf(T));
  To.Number = L.Number;
  To.Pointers = L.Pointers - (L.Pointers != 0);
  To.At.Addr = *Addr;
  To.At.How = howToLoad(L);
  if (!To.Type && !To.Number && !To.Pointers)
    return userError("'" + read() +
                     "': a pointer to void says nothing of "
                     "what is there");
  return To;
}

Expected<Lvalue> LvalueParser::member(Lvalue L, StringRef Name) {
  if (Name.empty())
    return userError("'" + Text + "': a member's name is missing");
  const DWARFDie T = L.Pointers ? DWARFDie() : strippedType(L.Type);
  const DwarfTypes::Members Found = Source.Types.findMember(T, Name);
  if (Found.size() > 1) {
    std::string All;
    for (const DwarfTypes::Found &M : Found)
      All += (All.empty() ? "" : ", ") + scopeOf(M.Member) +
             M.Member.getShortName();
    return userError("'" + read() + "' is ambiguous: " + All);
  }
  const DwarfTypes::Found *F = Found.empty() ? nullptr : Found.begin();
  if (!F) {
    auto Base = virtualBase(L, Name);
    if (!Base)
      return Base.takeError();
    if (*Base)
      return member(std::move(**Base), Name);
  }
  // "c.id": what is before the last '.' or '->'.
  StringRef Whole = read().drop_back(Name.size()).trim();
  if (!Whole.consume_back("->"))
    Whole.consume_back(".");
  if (L.Pointers || (!F && T && T.getTag() == DW_TAG_pointer_type))
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
    return make_error<NoSuchName>(
        "'" + Whole + "'" +
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

/// Where element \p Index begins, from \p Base on, where the elements have
/// \p Each bytes: in the address space.
Expected<uint64_t> LvalueParser::offsetOf(uint64_t Base, int64_t Index,
                                          uint64_t Each) const {
  if (TypesOnly)
    return 0;
  if (auto By = elementOffset(S, Base, Index, Each))
    return *By;
  return make_error<OutsideAddressSpace>(
      "'" + read() + "': element " + Twine(Index) + " of " + Twine(Each) +
      (Each == 1 ? " byte" : " bytes") + " is outside of the address space");
}

Expected<Lvalue> LvalueParser::element(Lvalue L, ElementIndex Which) {
  const int64_t Index = Which.Now;
  const DWARFDie T = L.Pointers ? DWARFDie() : strippedType(L.Type);
  if (const TypeRef Is = describe(L); !Is->Library.empty() &&
                                      Is->Library != "unique_ptr" &&
                                      Is->Library != "shared_ptr")
    return libraryElement(L, *Is, uint64_t(Index));
  if (!T || T.getTag() != DW_TAG_array_type) {
    auto To = pointee(L);
    if (!To)
      return To.takeError();
    const uint64_t Each = describe(*To)->Size;
    if (!Each && !TypesOnly)
      return userError("'" + read() +
                       "': the size of what it points to is not known");
    auto By = offsetOf(To->At.Addr, Index, Each);
    if (!By)
      return By.takeError();
    To->Offset += *By;
    if (!Which.Computed.empty())
      To->Elements.push_back({Which.Computed, Index, Each});
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
      return make_error<UnknownValue>("'" + read() + "': there is no element " +
                                      Twine(Index));
  auto By = offsetOf(L.At.Addr + L.Offset, Index, Each);
  if (!By)
    return By.takeError();
  E.Offset += *By;
  if (!Which.Computed.empty())
    E.Elements.push_back({Which.Computed, Index, Each});
  return E;
}

} // namespace rw
