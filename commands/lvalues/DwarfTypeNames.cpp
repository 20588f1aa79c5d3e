//===- DwarfTypeNames.cpp - What types are called -------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/lvalues/DwarfTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include <algorithm>

using namespace llvm;
using namespace llvm::dwarf;

namespace rw {

/// Nobody nests deeper; damaged debug information may be a ring.
static constexpr unsigned MostNesting = 64;

std::string scopeOf(DWARFDie D, bool Inline) {
  std::string Scope;
  for (unsigned N = 0; N < MostNesting && (D = D.getParent()); ++N)
    switch (D.getTag()) {
    case DW_TAG_namespace:
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
      if (const char *Name = D.getShortName();
          Name && (Inline || !D.find(DW_AT_export_symbols)))
        Scope = std::string(Name) + "::" + Scope;
      break;
    default:
      break;
    }
  return Scope;
}

/// GCC's "long unsigned int" is "unsigned long".
static std::string basicName(StringRef Name) {
  SmallVector<StringRef, 4> Words;
  Name.split(Words, ' ');
  const bool Sized =
      is_contained(Words, "long") || is_contained(Words, "short");
  if (!Sized || !all_of(Words, [](StringRef Word) {
        return is_contained({"long", "short", "unsigned", "int"}, Word);
      }))
    return Name.str();
  erase(Words, "int");
  std::stable_partition(Words.begin(), Words.end(),
                        [](StringRef Word) { return Word == "unsigned"; });
  return join(Words, " ");
}

/// "[2][3]"; "[]" where the number is not known.
static std::string sizesText(ArrayRef<std::optional<uint64_t>> Dimensions) {
  std::string Text;
  for (auto N : Dimensions)
    Text += "[" + (N ? std::to_string(*N) : std::string()) + "]";
  return Text;
}

/// \p Of, which is declared as \p Declarator: "int" and "(*)[3]".
static std::string declared(std::string Of, StringRef Declarator) {
  if (Of.empty() || Declarator.empty())
    return Of;
  return Of + (Declarator.starts_with("[") ? "" : " ") + Declarator.str();
}

namespace {
/// Names a type and those that it is made of.
class TypeNamer {
public:
  /// \p D, which is declared as \p Declarator. Empty: it has no name.
  std::string with(DWARFDie D, const std::string &Declarator, unsigned Depth);

private:
  unsigned Left = 1000; ///< types; damaged ones are made of themselves
};
} // namespace

std::string TypeNamer::with(DWARFDie D, const std::string &Declarator,
                            unsigned Depth) {
  if (!D)
    return declared("void", Declarator);
  if (Depth > MostNesting || Left == 0)
    return {};
  --Left;
  D = inTypeUnit(D);
  const DWARFDie To = typeOf(D);
  auto Around = [&](const Twine &Inner) {
    return with(To, Inner.str(), Depth + 1);
  };
  auto Pointer = [&](const Twine &Sign) {
    const bool Binds = To && (To.getTag() == DW_TAG_array_type ||
                              To.getTag() == DW_TAG_subroutine_type);
    const std::string Its = (Sign + Declarator).str();
    return Around(Binds ? "(" + Its + ")" : Its);
  };
  auto Qualified = [&](StringRef Word) {
    if (To && (To.getTag() == DW_TAG_pointer_type ||
               To.getTag() == DW_TAG_ptr_to_member_type))
      return Around(Word + (Declarator.empty() ? "" : " ") + Declarator);
    const std::string Its = with(To, Declarator, Depth + 1);
    if (Word == "volatile" && StringRef(Its).starts_with("const "))
      return "const volatile " + Its.substr(6);
    return Its.empty() ? Its : (Word + " " + Its).str();
  };
  switch (D.getTag()) {
  case DW_TAG_pointer_type:
    return Pointer("*");
  case DW_TAG_reference_type:
    return Pointer("&");
  case DW_TAG_rvalue_reference_type:
    return Pointer("&&");
  case DW_TAG_ptr_to_member_type: {
    const auto Class = D.find(DW_AT_containing_type);
    return Pointer(
        with(Class ? D.getAttributeValueAsReferencedDie(*Class) : DWARFDie(),
             "", Depth + 1) +
        "::*");
  }
  case DW_TAG_const_type:
    return Qualified("const");
  case DW_TAG_volatile_type:
    return Qualified("volatile");
  case DW_TAG_restrict_type:
  case DW_TAG_atomic_type:
  case DW_TAG_immutable_type:
    return Around(Declarator);
  case DW_TAG_array_type:
    return Around(Declarator + sizesText(dimensions(D)));
  case DW_TAG_subroutine_type: {
    SmallVector<std::string, 4> Takes;
    for (DWARFDie P : D.children())
      if (P.getTag() == DW_TAG_unspecified_parameters)
        Takes.push_back("...");
      else if (P.getTag() == DW_TAG_formal_parameter &&
               !P.find(DW_AT_artificial))
        Takes.push_back(with(typeOf(P), "", Depth + 1));
    return Around(Declarator + "(" + join(Takes, ", ") + ")");
  }
  default:
    break;
  }
  const char *Name = D.getShortName();
  if (!Name)
    return {};
  return declared(D.getTag() == DW_TAG_base_type
                      ? basicName(Name)
                      : scopeOf(D, /*Inline=*/false) + Name,
                  Declarator);
}

std::string typeName(DWARFDie D, unsigned Dimension) {
  if (!Dimension)
    return TypeNamer().with(D, "", 0);
  const DWARFDie Array = strippedType(D);
  const auto Sizes = dimensions(Array);
  return TypeNamer().with(typeOf(Array),
                          sizesText(ArrayRef(Sizes).drop_front(
                              std::min<size_t>(Dimension, Sizes.size()))),
                          0);
}

} // namespace rw
