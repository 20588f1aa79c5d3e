//===- TargetTypes.cpp - Types as LLDB knows them -------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/TargetTypes.h"
#include "core/types/FloatText.h"
#include "lldb/API/LLDB.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace rw;
using namespace lldb;
using llvm::StringRef;

BasicType rw::integerType(uint64_t Size, bool Signed) {
  switch (Size) {
  case 1:
    return Signed ? eBasicTypeSignedChar : eBasicTypeUnsignedChar;
  case 2:
    return Signed ? eBasicTypeShort : eBasicTypeUnsignedShort;
  case 4:
    return Signed ? eBasicTypeInt : eBasicTypeUnsignedInt;
  case 8:
    return Signed ? eBasicTypeLongLong : eBasicTypeUnsignedLongLong;
  }
  llvm_unreachable("no integer has that size");
}

static constexpr unsigned MostDepth = 64;

static TypeRef targetType(SBType Type, rw::Arch Machine, unsigned Depth);

/// \p Alias is the name of the type that the program uses.
static void describeBasic(rw::Type &T, SBType Type, StringRef Alias,
                          rw::Arch Machine) {
  const uint32_t Flags = Type.GetTypeFlags();
  T.Signed = Flags & eTypeIsSigned;
  if (Flags & eTypeIsComplex) {
    const uint64_t Each = T.Size / 2;
    const bool Float = Flags & eTypeIsFloat;
    if (!Each || (Float && Each != 2 && Each != 4 && Each != 8 && Each != 16))
      return;
    rw::Type Part;
    Part.Signed = !Float && !StringRef(T.Name).contains("unsigned");
    Part.Kind = Float         ? TypeKind::Float
                : Part.Signed ? TypeKind::Signed
                              : TypeKind::Unsigned;
    if (Float)
      Part.Float = floatKind(Machine, T.Name, Each);
    makeComplex(T, std::move(Part));
    return;
  }
  if (Flags & eTypeIsFloat) {
    if (T.Size == 2 || T.Size == 4 || T.Size == 8 || T.Size == 16) {
      T.Kind = TypeKind::Float;
      T.Float = floatKind(Machine, T.Name, T.Size);
    }
    return;
  }
  switch (Type.GetBasicType()) {
  case eBasicTypeBool:
    T.Kind = TypeKind::Bool;
    return;
  case eBasicTypeChar:
  case eBasicTypeSignedChar:
  case eBasicTypeUnsignedChar:
  case eBasicTypeWChar:
  case eBasicTypeSignedWChar:
  case eBasicTypeUnsignedWChar:
  case eBasicTypeChar8:
  case eBasicTypeChar16:
  case eBasicTypeChar32:
    // An int8_t is a number, whatever it is made of.
    if ((Alias.empty() || Alias.contains("char")) &&
        (T.Size == 1 || T.Size == 2 || T.Size == 4)) {
      T.Kind = TypeKind::Char;
      return;
    }
    break;
  default:
    break;
  }
  if (Flags & eTypeIsInteger || T.Size)
    T.Kind = T.Signed ? TypeKind::Signed : TypeKind::Unsigned;
  if (!(Flags & (eTypeIsInteger | eTypeIsScalar)))
    T.Kind = TypeKind::Opaque;
}

static void describeMembers(rw::Type &T, SBType Type, rw::Arch Machine,
                            unsigned Depth) {
  T.Kind = TypeKind::Record;
  T.Union = Type.GetTypeClass() == eTypeClassUnion;
  const uint32_t Virtual = Type.GetNumberOfVirtualBaseClasses();
  for (uint32_t I = 0; I < Type.GetNumberOfDirectBaseClasses(); ++I) {
    SBTypeMember Base = Type.GetDirectBaseClassAtIndex(I);
    rw::Type::Member M;
    M.Base = true;
    M.Name = Base.GetName() ? Base.GetName() : "";
    M.Offset = Base.GetOffsetInBits();
    bool IsVirtual = false;
    for (uint32_t V = 0; V < Virtual; ++V) {
      StringRef Its = Type.GetVirtualBaseClassAtIndex(V).GetName();
      IsVirtual |= Its == M.Name;
    }
    // Where a virtual base lies only the object tells.
    if (!IsVirtual)
      M.Is = targetType(Base.GetType(), Machine, Depth + 1);
    T.Members.push_back(std::move(M));
  }
  for (uint32_t I = 0; I < Type.GetNumberOfFields(); ++I) {
    SBTypeMember Field = Type.GetFieldAtIndex(I);
    rw::Type::Member M;
    M.Name = Field.GetName() ? Field.GetName() : "";
    M.Offset = Field.GetOffsetInBits();
    if (Field.IsBitfield()) {
      M.BitWidth = Field.GetBitfieldSizeInBits();
      // LLDB makes up nameless ones, to fill what lies between others.
      if (!M.BitWidth || M.BitWidth > 64 || M.Name.empty())
        continue;
    }
    M.Is = targetType(Field.GetType(), Machine, Depth + 1);
    T.Members.push_back(std::move(M));
  }
}

static TypeRef targetType(SBType Type, rw::Arch Machine, unsigned Depth) {
  auto T = std::make_shared<rw::Type>();
  if (!Type.IsValid() || Depth > MostDepth)
    return T;
  T->Name = Type.GetName() ? Type.GetName() : "";
  StringRef Plain = T->Name;
  while (Plain.consume_front("const ") || Plain.consume_front("volatile ")) {
  }
  SBType Real = Type.GetCanonicalType().GetUnqualifiedType();
  const StringRef Basic = Real.GetName() ? Real.GetName() : "";
  const StringRef Alias = Plain == Basic ? StringRef() : Plain;
  T->Size = Real.GetByteSize();
  const uint32_t Flags = Real.GetTypeFlags();
  if (Flags & eTypeIsEnumeration) {
    T->Kind = TypeKind::Enum;
    T->Signed = Flags & eTypeIsSigned;
    const uint64_t Mask = llvm::maskTrailingOnes<uint64_t>(
        unsigned(8 * std::min<uint64_t>(T->Size, 8)));
    SBTypeEnumMemberList List = Real.GetEnumMembers();
    for (uint32_t I = 0; I < List.GetSize(); ++I) {
      SBTypeEnumMember E = List.GetTypeEnumMemberAtIndex(I);
      const uint64_t V = E.GetValueAsUnsigned();
      T->Signed |= E.GetValueAsSigned() < 0;
      T->Enumerators.push_back({E.GetName() ? E.GetName() : "", V & Mask});
    }
    return T;
  }
  if (Flags & (eTypeIsPointer | eTypeIsReference)) {
    T->Kind = TypeKind::Pointer;
    if (!(Flags & eTypeIsPointer))
      return T;
    SBType To = Real.GetPointeeType();
    if (To.GetCanonicalType().GetTypeFlags() & eTypeIsBuiltIn) {
      // The name that the program uses tells texts from bytes.
      SBType Named = Type.GetPointeeType();
      TypeRef Element =
          targetType(Named.IsValid() ? Named : To, Machine, Depth + 1);
      if (Element->Kind == TypeKind::Char) {
        T->Kind = TypeKind::Text;
        T->Element = Element;
      }
    }
    return T;
  }
  if (Flags & (eTypeIsArray | eTypeIsVector)) {
    SBType Element = Flags & eTypeIsVector ? Real.GetVectorElementType()
                                           : Type.GetArrayElementType();
    if (!Element.IsValid())
      Element = Real.GetArrayElementType();
    T->Element = targetType(Element, Machine, Depth + 1);
    if (T->Element->Size) {
      T->Kind = Flags & eTypeIsVector ? TypeKind::Vector : TypeKind::Array;
      T->Count = T->Size / T->Element->Size;
    }
    return T;
  }
  if (Flags & (eTypeIsStructUnion | eTypeIsClass)) {
    describeMembers(*T, Real, Machine, Depth);
    T->Library = libraryName(Basic).str();
    if (!T->Library.empty())
      // What it found it keeps: an index of elements asks for each of them.
      T->Argument = [Real, Machine,
                     Known = std::make_shared<std::map<unsigned, TypeRef>>()](
                        unsigned I) mutable -> TypeRef {
        auto [It, New] = Known->try_emplace(I);
        if (New)
          if (SBType Its = Real.GetTemplateArgumentType(I); Its.IsValid())
            It->second = targetType(Its, Machine, 0);
        return It->second;
      };
    return T;
  }
  describeBasic(*T, Real, Alias, Machine);
  return T;
}

TypeRef rw::describeType(SBType Type, rw::Arch Machine) {
  return targetType(Type, Machine, 0);
}
