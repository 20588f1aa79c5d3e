//===- Type.cpp - What bytes mean in the program's language ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/types/Type.h"

namespace rw {

void makeComplex(Type &T, Type Part) {
  Part.Size = T.Size / 2;
  T.Kind = TypeKind::Complex;
  T.Count = 2;
  T.Element = std::make_shared<const Type>(std::move(Part));
}

FieldBytes fieldBytes(const Type::Member &M, bool BigEndian) {
  const uint64_t End = M.Offset + M.BitWidth;
  FieldBytes F;
  F.First = M.Offset / 8;
  F.Size = (End + 7) / 8 - F.First;
  F.Lo = unsigned(BigEndian ? (End + 7) / 8 * 8 - End : M.Offset % 8);
  F.Width = M.BitWidth;
  return F;
}

llvm::StringRef libraryName(llvm::StringRef Name) {
  if (!Name.consume_front("std::"))
    return {};
  // What lies in a class is none: "vector<int>::_Guard".
  unsigned Depth = 0;
  const size_t Begin = Name.find('<');
  for (size_t I = Begin; I < Name.size(); ++I) {
    Depth += Name[I] == '<';
    Depth -= Name[I] == '>' && Depth;
    if (!Depth && I + 1 < Name.size())
      return {};
  }
  Name = Name.take_front(Begin);
  // Versions of the library lie in namespaces of their own.
  while (Name.starts_with("__") && Name.contains("::"))
    Name = Name.split("::").second;
  return Name.contains("::") ? llvm::StringRef() : Name;
}

/// The member that has all of [Offset, Offset + Size); null if there is none,
/// or if it is not the only one.
static const Type::Member *memberAt(const Type &T, uint64_t Offset,
                                    uint64_t Size) {
  if (T.Union)
    return nullptr;
  for (const Type::Member &M : T.Members)
    if (M.Is && !M.BitWidth && M.Offset / 8 <= Offset && M.Is->Size &&
        Offset + Size <= M.Offset / 8 + M.Is->Size)
      return &M;
  return nullptr;
}

TypePart partAt(TypeRef T, uint64_t Offset, uint64_t Size) {
  TypePart P{"", std::move(T), 0};
  while (P.Is) {
    const uint64_t Inside = Offset - P.Offset;
    if (P.Is->Kind == TypeKind::Record) {
      // The members of a string tell nobody anything.
      if (P.Is->Library == "basic_string")
        break;
      const Type::Member *M = memberAt(*P.Is, Inside, Size);
      if (!M)
        break;
      if (!M->Base && !M->Name.empty())
        P.Path += "." + M->Name;
      P.Offset += M->Offset / 8;
      P.Is = M->Is;
      continue;
    }
    if (P.Is->Kind != TypeKind::Array || !P.Is->Element || !P.Is->Element->Size)
      break;
    const uint64_t Each = P.Is->Element->Size, I = Inside / Each;
    if (I >= P.Is->Count || Inside + Size > (I + 1) * Each)
      break;
    P.Path += "[" + std::to_string(I) + "]";
    P.Offset += I * Each;
    P.Is = P.Is->Element;
  }
  return P;
}

} // namespace rw
