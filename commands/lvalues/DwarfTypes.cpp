//===- DwarfTypes.cpp - Types as debug information tells them -------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/lvalues/DwarfTypes.h"
#include "commands/support/DwarfAttributes.h"
#include "core/expr/StandardTypes.h"
#include "core/support/Words.h"
#include "core/types/FloatText.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFUnit.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace rw {

/// Nobody nests deeper; damaged debug information may be a ring.
static constexpr unsigned MostDepth = 64;

DWARFDie typeOf(DWARFDie Entry) {
  auto V = Entry.findRecursively(DW_AT_type);
  return V ? Entry.getAttributeValueAsReferencedDie(*V) : DWARFDie();
}

static bool isAlias(DWARFDie D) {
  switch (D.getTag()) {
  case DW_TAG_typedef:
  case DW_TAG_const_type:
  case DW_TAG_volatile_type:
  case DW_TAG_restrict_type:
  case DW_TAG_atomic_type:
  case DW_TAG_immutable_type:
    return true;
  default:
    return false;
  }
}

DWARFDie inTypeUnit(DWARFDie D) {
  const DWARFDie Found = D.resolveTypeUnitReference();
  return Found ? Found : D;
}

DWARFDie strippedType(DWARFDie D) {
  for (unsigned N = 0; D && isAlias(D) && N < MostDepth; ++N)
    D = typeOf(D);
  return D ? inTypeUnit(D) : D;
}

SmallVector<std::optional<uint64_t>, 2> dimensions(DWARFDie Array) {
  SmallVector<std::optional<uint64_t>, 2> Result;
  for (DWARFDie R : Array.children()) {
    if (R.getTag() != DW_TAG_subrange_type)
      continue;
    auto Count = dwarfConstant(R, DW_AT_count);
    if (!Count)
      if (auto Last = dwarfConstant(R, DW_AT_upper_bound))
        Count = *Last + 1;
    Result.push_back(Count);
  }
  return Result;
}

TypeRef DwarfTypes::describe(DWARFDie D, unsigned Dimension) {
  return describe(D, Dimension, 0);
}

TypeRef DwarfTypes::describe(DWARFDie D, unsigned Dimension, unsigned Depth) {
  if (!D || Depth > MostDepth)
    return std::make_shared<Type>();
  auto [It, New] =
      Known.try_emplace({D.getDebugInfoEntry(), Dimension}, nullptr);
  if (New) {
    // Until it is made: damaged debug information may hold itself.
    It->second = std::make_shared<Type>();
    It->second = make(D, Dimension, Depth);
  }
  return It->second;
}

TypeRef DwarfTypes::pointerTo(const TypeRef &To, unsigned Pointers) const {
  auto T = std::make_shared<Type>();
  T->Kind = TypeKind::Pointer;
  T->Size = PointerBytes;
  T->Name =
      (To->Name.empty() ? "void" : To->Name) + " " + std::string(Pointers, '*');
  if (Pointers == 1 && To->Kind == TypeKind::Char) {
    T->Kind = TypeKind::Text;
    T->Element = To;
  }
  return T;
}

TypeRef DwarfTypes::number(StringRef Name) const {
  const struct {
    StringRef Name;
    TypeKind Kind;
    unsigned Size;
    bool Signed;
  } All[] = {
      {"char", TypeKind::Char, 1, isPlainCharSigned(Machine)},
      {"signed char", TypeKind::Char, 1, true},
      {"unsigned char", TypeKind::Char, 1, false},
      {"short", TypeKind::Signed, 2, true},
      {"unsigned short", TypeKind::Unsigned, 2, false},
      {"int", TypeKind::Signed, 4, true},
      {"unsigned", TypeKind::Unsigned, 4, false},
      {"long", TypeKind::Signed, PointerBytes, true},
      {"unsigned long", TypeKind::Unsigned, PointerBytes, false},
      {"long long", TypeKind::Signed, 8, true},
      {"unsigned long long", TypeKind::Unsigned, 8, false},
      {"float", TypeKind::Float, 4, false},
      {"double", TypeKind::Float, 8, false},
      {"bool", TypeKind::Bool, 1, false},
      {"_Bool", TypeKind::Bool, 1, false},
  };
  auto made = [&](TypeKind Kind, unsigned Size, bool Signed) {
    auto T = std::make_shared<Type>();
    T->Kind = Kind;
    T->Float = Size == 4 ? FloatKind::Single : FloatKind::Double;
    T->Signed = Signed;
    T->Name = Name.str();
    T->Size = Size;
    return T;
  };
  for (const auto &N : All)
    if (Name == N.Name)
      return made(N.Kind, N.Size, N.Signed);
  if (const auto N = standardNumber(Name, PointerBytes))
    return made(N->Signed ? TypeKind::Signed : TypeKind::Unsigned, N->Bytes,
                N->Signed);
  return nullptr;
}

void DwarfTypes::base(Type &T, DWARFDie D, StringRef Alias) const {
  StringRef Name = T.Name;
  // An int8_t is a number, whatever it is made of.
  const TypeKind Byte = Alias.empty() || Alias.contains("char")
                            ? TypeKind::Char
                            : TypeKind::Unsigned;
  switch (dwarfConstant(D, DW_AT_encoding).value_or(0)) {
  case DW_ATE_boolean:
    T.Kind = TypeKind::Bool;
    break;
  case DW_ATE_signed:
    T.Kind = TypeKind::Signed;
    T.Signed = true;
    break;
  case DW_ATE_unsigned:
  case DW_ATE_address:
    T.Kind = TypeKind::Unsigned;
    break;
  case DW_ATE_signed_char:
    T.Kind = Byte == TypeKind::Char ? Byte : TypeKind::Signed;
    T.Signed = true;
    break;
  case DW_ATE_unsigned_char:
    T.Kind = Byte;
    break;
  case DW_ATE_UTF:
    T.Kind = TypeKind::Char;
    break;
  case DW_ATE_float:
    if (T.Size == 2 || T.Size == 4 || T.Size == 8 || T.Size == 16) {
      T.Kind = TypeKind::Float;
      T.Float = floatKind(Machine, Name, T.Size);
    }
    break;
  case DW_ATE_complex_float:
    if (const uint64_t Each = T.Size / 2;
        Each == 2 || Each == 4 || Each == 8 || Each == 16) {
      Type Part;
      Part.Kind = TypeKind::Float;
      Part.Float = floatKind(Machine, Name, Each);
      makeComplex(T, std::move(Part));
    }
    break;
  case DW_ATE_lo_user: // GCC's, for which DWARF has no number
    if (Name.consume_front("complex ") && T.Size) {
      Type Part;
      Part.Signed = !Name.contains("unsigned");
      Part.Kind = Part.Signed ? TypeKind::Signed : TypeKind::Unsigned;
      makeComplex(T, std::move(Part));
    }
    break;
  default:
    break;
  }
  if (T.Kind == TypeKind::Char && T.Size != 1 && T.Size != 2 && T.Size != 4)
    T.Kind = TypeKind::Unsigned;
}

void DwarfTypes::enumerators(Type &T, DWARFDie D) const {
  T.Kind = TypeKind::Enum;
  const uint64_t Mask =
      T.Size >= 8 ? ~uint64_t(0) : (uint64_t(1) << (8 * T.Size)) - 1;
  for (DWARFDie E : D.children()) {
    if (E.getTag() != DW_TAG_enumerator)
      continue;
    auto V = E.find(DW_AT_const_value);
    const char *Name = E.getShortName();
    if (!V || !Name)
      continue;
    const auto N = uint64_t(enumeratorValue(*V));
    if (int64_t(N) < 0 && V->getForm() == DW_FORM_sdata)
      T.Signed = true;
    T.Enumerators.push_back({Name, N & Mask});
  }
  DWARFDie Underlying = strippedType(typeOf(D));
  if (Underlying)
    T.Signed |= dwarfConstant(Underlying, DW_AT_encoding) == DW_ATE_signed ||
                dwarfConstant(Underlying, DW_AT_encoding) == DW_ATE_signed_char;
}

static bool isVirtualBase(DWARFDie M) {
  return M.getTag() == DW_TAG_inheritance && M.find(DW_AT_virtuality) &&
         dwarfConstant(M, DW_AT_virtuality).value_or(0) != DW_VIRTUALITY_none;
}

std::optional<DwarfTypes::Found> DwarfTypes::place(DWARFDie M) const {
  Found F;
  F.Member = M;
  // Where a virtual base lies only the object tells.
  if (isVirtualBase(M))
    return std::nullopt;
  auto P = memberPlace(M);
  if (!P)
    return std::nullopt;
  F.Bits = P->Bits;
  F.BitWidth = P->BitWidth;
  return F;
}

static bool isDataMember(DWARFDie M) {
  return M.getTag() == DW_TAG_inheritance ||
         (M.getTag() == DW_TAG_member && !M.find(DW_AT_external) &&
          !M.find(DW_AT_declaration) && !M.find(DW_AT_const_value));
}

void DwarfTypes::members(Type &T, DWARFDie D, unsigned Depth) {
  T.Kind = TypeKind::Record;
  T.Union = D.getTag() == DW_TAG_union_type;
  for (DWARFDie M : D.children()) {
    if (!isDataMember(M))
      continue;
    Type::Member Member;
    Member.Base = M.getTag() == DW_TAG_inheritance;
    const DWARFDie Is = typeOf(M);
    if (const char *Name = (Member.Base ? Is : M).getShortName())
      Member.Name = Member.Base ? scopeOf(Is) + Name : Name;
    // What cannot be placed is told as unknown.
    if (auto F = place(M)) {
      Member.Offset = F->Bits;
      Member.BitWidth = F->BitWidth;
      Member.Is = describe(Is, 0, Depth + 1);
    }
    T.Members.push_back(std::move(Member));
  }
}

/// Damaged records hold themselves, more than once.
static constexpr unsigned MostRecords = 10000;

bool DwarfTypes::isStatic(DWARFDie Member) {
  return Member.getTag() != DW_TAG_inheritance && !isDataMember(Member);
}

DwarfTypes::Members DwarfTypes::findMember(DWARFDie D, StringRef Name) const {
  Members All;
  unsigned Records = 0;
  const size_t At = Name.rfind("::");
  if (At == StringRef::npos)
    findMember(D, Name, 0, All, Records, 0);
  else
    findBase(D, Name.take_front(At), Name.drop_front(At + 2), 0, All, Records,
             0);
  if (All.size() > 1 && (Name.starts_with("__") || Name.starts_with("_M_")))
    All = {*llvm::min_element(All, [](const Found &A, const Found &B) {
      return A.Classes < B.Classes;
    })};
  return All;
}

/// Those of unnamed members are its own.
void DwarfTypes::findOwn(DWARFDie D, StringRef Name, uint64_t Bits,
                         Members &All, unsigned &Records,
                         unsigned Depth) const {
  if (Depth > MostDepth || ++Records > MostRecords)
    return;
  for (DWARFDie M : D.children()) {
    // Before version 5, a static member is a member as well.
    if (M.getTag() != DW_TAG_member && M.getTag() != DW_TAG_variable)
      continue;
    const char *Its = M.getShortName();
    if (Its && Name != Its)
      continue;
    if (isStatic(M)) {
      if (Its)
        All.push_back({M});
      continue;
    }
    auto F = place(M);
    if (!F)
      continue;
    F->Bits += Bits;
    if (Its)
      All.push_back(*F);
    else if (DWARFDie Inner = strippedType(typeOf(M)))
      findOwn(Inner, Name, F->Bits, All, Records, Depth + 1);
  }
}

void DwarfTypes::findMember(DWARFDie D, StringRef Name, uint64_t Bits,
                            Members &All, unsigned &Records,
                            unsigned Depth) const {
  D = strippedType(D);
  const size_t Before = All.size();
  if (!D)
    return;
  findOwn(D, Name, Bits, All, Records, Depth);
  for (Found &F : drop_begin(All, Before))
    F.Classes = Depth;
  if (All.size() != Before || Depth > MostDepth || Records > MostRecords)
    return;
  for (DWARFDie M : D.children())
    if (M.getTag() == DW_TAG_inheritance)
      if (auto F = place(M))
        findMember(typeOf(M), Name, Bits + F->Bits, All, Records, Depth + 1);
  // A static member is the same one by each way.
  if (All.size() > Before + 1 && isStatic(All[Before].Member) &&
      all_of(drop_begin(All, Before),
             [&](const Found &F) { return F.Member == All[Before].Member; }))
    All.truncate(Before + 1);
}

/// \p Name in the class \p Class: \p D or a base of it.
void DwarfTypes::findBase(DWARFDie D, StringRef Class, StringRef Name,
                          uint64_t Bits, Members &All, unsigned &Records,
                          unsigned Depth) const {
  D = strippedType(D);
  if (!D || Depth > MostDepth || ++Records > MostRecords)
    return;
  const char *Its = D.getShortName();
  if (Its && endsInName(Class, Its))
    return findMember(D, Name, Bits, All, Records, Depth + 1);
  for (DWARFDie M : D.children())
    if (M.getTag() == DW_TAG_inheritance)
      if (auto F = place(M))
        findBase(typeOf(M), Class, Name, Bits + F->Bits, All, Records,
                 Depth + 1);
}

void DwarfTypes::findVirtual(DWARFDie D, uint64_t Bits, Members &All,
                             unsigned &Records, unsigned Depth) const {
  D = strippedType(D);
  if (!D || Depth > MostDepth || ++Records > MostRecords)
    return;
  for (DWARFDie M : D.children())
    if (isVirtualBase(M)) {
      Found F;
      F.Member = M;
      F.Bits = Bits;
      All.push_back(F);
    } else if (M.getTag() == DW_TAG_inheritance) {
      if (auto F = place(M))
        findVirtual(typeOf(M), Bits + F->Bits, All, Records, Depth + 1);
    }
}

SmallVector<std::optional<uint64_t>, 1>
DwarfTypes::bases(DWARFDie D, const std::string &Base, unsigned Depth) const {
  SmallVector<std::optional<uint64_t>, 1> All;
  D = strippedType(D);
  if (!D || Depth > MostDepth)
    return All;
  for (DWARFDie M : D.children()) {
    if (M.getTag() != DW_TAG_inheritance)
      continue;
    const auto Place = place(M);
    const DWARFDie Is = strippedType(typeOf(M));
    auto Its = bases(Is, Base, Depth + 1);
    if (Is && typeName(Is) == Base)
      Its.push_back(0);
    // A virtual base is the same one by each way.
    for (const std::optional<uint64_t> &B : Its)
      if (Place && B)
        All.push_back(Place->Bits / 8 + *B);
      else if (!is_contained(All, std::nullopt))
        All.push_back(std::nullopt);
    if (All.size() > MostRecords)
      break;
  }
  return All;
}

DwarfTypes::Members DwarfTypes::virtualBases(DWARFDie D) const {
  Members All;
  unsigned Records = 0;
  findVirtual(D, 0, All, Records, 0);
  return All;
}

bool DwarfTypes::hasMember(DWARFDie D, StringRef Name, unsigned Depth) const {
  constexpr unsigned MostVirtual = 8;
  return !findMember(D, Name).empty() ||
         (Depth < MostVirtual && any_of(virtualBases(D), [&](const Found &V) {
            return hasMember(typeOf(V.Member), Name, Depth + 1);
          }));
}

/// The name of a class in namespace std, without arguments; else empty.
static std::string libraryClass(DWARFDie D) {
  const char *Name = D.getShortName();
  DWARFDie In = D.getParent();
  // Versions of the library lie in namespaces of their own.
  for (unsigned N = 0; In && In.getTag() == DW_TAG_namespace && N < MostDepth;
       ++N, In = In.getParent()) {
    const StringRef Its = In.getShortName() ? In.getShortName() : "";
    if (Name && Its == "std" && In.getParent() &&
        In.getParent().getTag() != DW_TAG_namespace)
      return libraryName(("std::" + Twine(Name)).str()).str();
    if (!Its.starts_with("__"))
      break;
  }
  return {};
}

DWARFDie DwarfTypes::argument(DWARFDie D, unsigned I) {
  D = strippedType(D);
  if (!D)
    return D;
  SmallVector<DWARFDie, 8> All;
  auto Add = [&](DWARFDie In, auto &Again) -> void {
    for (DWARFDie C : In.children())
      if (C.getTag() == DW_TAG_template_type_parameter ||
          C.getTag() == DW_TAG_template_value_parameter)
        All.push_back(C);
      else if (C.getTag() == DW_TAG_GNU_template_parameter_pack && In == D)
        Again(C, Again);
  };
  Add(D, Add);
  return I < All.size() && All[I].getTag() == DW_TAG_template_type_parameter
             ? typeOf(All[I])
             : DWARFDie();
}

TypeRef DwarfTypes::make(DWARFDie D, unsigned Dimension, unsigned Depth) {
  auto T = std::make_shared<Type>();
  T->Name = typeName(D, Dimension);
  std::string Alias;
  DWARFDie A = D;
  for (unsigned N = 0; A && isAlias(A) && N < MostDepth; ++N, A = typeOf(A))
    if (A.getTag() == DW_TAG_typedef && A.getShortName()) {
      Alias = A.getShortName();
      break;
    }
  D = strippedType(D);
  if (!D)
    return T;
  T->Size = dwarfConstant(D, DW_AT_byte_size).value_or(0);
  switch (D.getTag()) {
  case DW_TAG_base_type:
    base(*T, D, Alias);
    break;
  case DW_TAG_enumeration_type:
    enumerators(*T, D);
    break;
  case DW_TAG_pointer_type:
  case DW_TAG_reference_type:
  case DW_TAG_rvalue_reference_type: {
    T->Kind = TypeKind::Pointer;
    if (!T->Size)
      T->Size = PointerBytes;
    DWARFDie To = typeOf(D);
    // Only characters are looked at: what a record points to may be itself.
    DWARFDie Plain = strippedType(To);
    if (D.getTag() != DW_TAG_pointer_type || !Plain ||
        Plain.getTag() != DW_TAG_base_type)
      break;
    TypeRef Element = describe(To, 0, Depth + 1);
    if (Element->Kind == TypeKind::Char) {
      T->Kind = TypeKind::Text;
      T->Element = Element;
    }
    break;
  }
  case DW_TAG_ptr_to_member_type:
    // Where the member lies in an object, or -1.
    if (DWARFDie To = strippedType(typeOf(D));
        To && To.getTag() != DW_TAG_subroutine_type) {
      T->Kind = TypeKind::Signed;
      T->Signed = true;
      T->Size = PointerBytes;
    } else {
      // A function's is two words: where it or its entry in the table is, and
      // what is added to the object.
      T->Size = 2 * PointerBytes;
    }
    break;
  case DW_TAG_structure_type:
  case DW_TAG_class_type:
  case DW_TAG_union_type:
    members(*T, D, Depth);
    T->Library = libraryClass(D);
    if (!T->Library.empty())
      T->Argument = [this, D](unsigned I) -> TypeRef {
        const DWARFDie Its = argument(D, I);
        return Its ? describe(Its) : nullptr;
      };
    break;
  case DW_TAG_array_type: {
    const auto Dims = dimensions(D);
    if (Dimension >= Dims.size())
      return describe(typeOf(D), 0, Depth + 1);
    T->Kind = D.find(DW_AT_GNU_vector) ? TypeKind::Vector : TypeKind::Array;
    T->Count = Dims[Dimension].value_or(0);
    T->Element = describe(D, Dimension + 1, Depth + 1);
    T->Size = T->Element->Size * T->Count;
    if (T->Element->Size && T->Size / T->Element->Size != T->Count)
      T->Size = 0;
    break;
  }
  default:
    break;
  }
  return T;
}

} // namespace rw
