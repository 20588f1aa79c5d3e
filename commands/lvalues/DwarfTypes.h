//===- DwarfTypes.h - Types as debug information tells them -----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_LVALUES_DWARFTYPES_H
#define REWIND_COMMANDS_LVALUES_DWARFTYPES_H

#include "core/model/Types.h"
#include "core/types/Type.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/DebugInfo/DWARF/DWARFDie.h"
#include <map>

namespace rw {

/// Where a type unit has what \p Declared, which must be valid, stands for;
/// itself if there is none: damaged units have it elsewhere.
llvm::DWARFDie inTypeUnit(llvm::DWARFDie Declared);
/// The type behind typedefs and qualifiers.
llvm::DWARFDie strippedType(llvm::DWARFDie Type);

/// The type that an entry names (DW_AT_type), or what it is an instance or the
/// definition of; none: void.
llvm::DWARFDie typeOf(llvm::DWARFDie Entry);

/// "ns::Class::" of where an entry is declared; what has no name adds nothing.
/// With \p Inline, inline namespaces as well.
std::string scopeOf(llvm::DWARFDie Entry, bool Inline = true);

/// What a type is called, as LLDB would say it: "const ns::Item *", "int
/// (*)(int)". Of an array, it is the type of what its first \p Dimension
/// indices lead to. Empty, if the program does not call it anything.
std::string typeName(llvm::DWARFDie Type, unsigned Dimension = 0);

/// The elements of each dimension of an array; nothing where it depends on the
/// program's run.
llvm::SmallVector<std::optional<uint64_t>, 2> dimensions(llvm::DWARFDie Array);

/// Describes types of one program. Remembers them.
class DwarfTypes {
public:
  DwarfTypes(Arch Machine, unsigned PointerBytes)
      : Machine(Machine), PointerBytes(PointerBytes) {}

  /// Never null; what cannot be described is Opaque, of size 0 if that is not
  /// known. Of an array without its first \p Dimension dimensions.
  TypeRef describe(llvm::DWARFDie Type, unsigned Dimension = 0);

  /// A pointer to a pointer ... to \p Type, \p Pointers of them.
  TypeRef pointerTo(const TypeRef &Type, unsigned Pointers) const;
  /// The number that C calls \p Name, as spelling() has it; null if none.
  TypeRef number(llvm::StringRef Name) const;

  /// Where a member lies.
  struct Found {
    llvm::DWARFDie Member;
    uint64_t Bits = 0; ///< see Type::Member::Offset
    unsigned BitWidth = 0;
    unsigned Classes = 0; ///< it is so many bases away
  };
  /// Whether a member is only declared in its class, and lies elsewhere.
  static bool isStatic(llvm::DWARFDie Member);
  using Members = llvm::SmallVector<Found, 1>;
  /// What \p Name means in \p Type: a member of its own, or of an unnamed
  /// member's, and only if it has none, one of a base class. It may be
  /// "Base::member". More than one: it is ambiguous. Names that are reserved
  /// for libraries, which have them more than once, mean the nearest.
  Members findMember(llvm::DWARFDie Type, llvm::StringRef Name) const;

  /// The virtual bases of \p Type, and of its bases that are none: where one
  /// lies only the object tells. Bits is that of the class that has it.
  Members virtualBases(llvm::DWARFDie Type) const;
  /// How many bytes each of the bases of \p Type that are called \p Base lies
  /// from its beginning, by whatever way; nothing of one that is virtual, or of
  /// such a class.
  llvm::SmallVector<std::optional<uint64_t>, 1>
  bases(llvm::DWARFDie Type, const std::string &Base, unsigned Depth = 0) const;
  /// Whether findMember() would find one in \p Type or in a virtual base.
  bool hasMember(llvm::DWARFDie Type, llvm::StringRef Name,
                 unsigned Depth = 0) const;

  /// The type that is argument \p I of the template \p Type; none if it is
  /// none.
  static llvm::DWARFDie argument(llvm::DWARFDie Type, unsigned I);

private:
  void findOwn(llvm::DWARFDie Type, llvm::StringRef Name, uint64_t Bits,
               Members &All, unsigned &Records, unsigned Depth) const;
  void findMember(llvm::DWARFDie Type, llvm::StringRef Name, uint64_t Bits,
                  Members &All, unsigned &Records, unsigned Depth) const;
  void findBase(llvm::DWARFDie Type, llvm::StringRef Class,
                llvm::StringRef Name, uint64_t Bits, Members &All,
                unsigned &Records, unsigned Depth) const;
  void findVirtual(llvm::DWARFDie Type, uint64_t Bits, Members &All,
                   unsigned &Records, unsigned Depth) const;
  TypeRef make(llvm::DWARFDie Type, unsigned Dimension, unsigned Depth);
  TypeRef describe(llvm::DWARFDie Type, unsigned Dimension, unsigned Depth);
  void base(Type &T, llvm::DWARFDie D, llvm::StringRef Alias) const;
  void enumerators(Type &T, llvm::DWARFDie D) const;
  void members(Type &T, llvm::DWARFDie D, unsigned Depth);
  std::optional<Found> place(llvm::DWARFDie Member) const;

  const Arch Machine;
  const unsigned PointerBytes;
  std::map<std::pair<const void *, unsigned>, TypeRef> Known;
};

} // namespace rw

#endif // REWIND_COMMANDS_LVALUES_DWARFTYPES_H
