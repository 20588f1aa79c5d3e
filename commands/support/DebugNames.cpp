//===- DebugNames.cpp - Where debug information has names -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/DebugNames.h"
#include "llvm/Object/ELFObjectFile.h"

using namespace llvm;
using namespace llvm::dwarf;
using namespace rw;

/// Debug information nests as the source does.
static constexpr unsigned MostDepth = 200;

static StringRef shortNameOf(DWARFDie Die) {
  const char *Name = Die.getName(DINameKind::ShortName);
  return Name ? Name : "";
}

bool rw::isClass(DWARFDie Die) {
  return Die.getTag() == DW_TAG_structure_type ||
         Die.getTag() == DW_TAG_class_type || Die.getTag() == DW_TAG_union_type;
}

DWARFDie rw::declarationOf(DWARFDie Die) {
  for (unsigned Steps = 0; Steps < 8; ++Steps) {
    DWARFDie Next = Die.getAttributeValueAsReferencedDie(DW_AT_abstract_origin);
    if (!Next)
      Next = Die.getAttributeValueAsReferencedDie(DW_AT_specification);
    if (!Next)
      break;
    Die = Next;
  }
  return Die;
}

/// Whether a variable has one place all the time, rather than one on the stack.
static bool isStatic(DWARFDie Variable) {
  auto Location = Variable.find(DW_AT_location);
  auto Block = Location ? Location->getAsBlock() : std::nullopt;
  return Block && !Block->empty() &&
         (Block->front() == DW_OP_addr || Block->front() == DW_OP_addrx);
}

std::unique_ptr<DebugNames> DebugNames::read(StringRef Path) {
  // A walk takes some seconds for so much, and three times the memory.
  constexpr uint64_t MostBytes = 64 << 20;
  auto Opened = openElf(Path);
  if (!Opened) {
    consumeError(Opened.takeError());
    return nullptr;
  }
  auto Names = std::make_unique<DebugNames>();
  Names->File = std::move(*Opened);
  uint64_t Bytes = 0;
  for (const object::SectionRef &S : Names->File.getBinary()->sections()) {
    auto Name = S.getName();
    if (!Name) {
      consumeError(Name.takeError());
      return nullptr;
    }
    if (Name->starts_with(".debug_info") || Name->starts_with(".zdebug_info"))
      Bytes += S.getSize();
    if (*Name == ".gnu_debugaltlink")
      return nullptr;
  }
  if (Bytes > MostBytes)
    return nullptr;
  // Who asks then asks LLDB, which tells of damage.
  Names->Dwarf.emplace(*Names->File.getBinary(), Path, nullptr);
  for (const auto &Unit : Names->Dwarf->units()) {
    if (Unit->getDWOId())
      return nullptr;
    DWARFDie Die = Names->Dwarf->entries(*Unit);
    if (!Die || Die.getTag() == DW_TAG_skeleton_unit ||
        !Names->walk(Die, false, false, 0))
      return nullptr;
  }
  if (Names->Dwarf->isDamaged())
    return nullptr;
  return Names;
}

/// False if it nests too deep.
bool DebugNames::walk(DWARFDie Die, bool InFunction, bool InClass,
                      unsigned Depth) {
  if (Depth > MostDepth)
    return false;
  for (DWARFDie Child : Die.children()) {
    const StringRef Name = shortNameOf(Child);
    const Tag T = Child.getTag();
    bool Global = false, Local = false;
    switch (T) {
    case DW_TAG_variable:
      // "extern int x;" says nothing that its definition does not say.
      Global = !InClass && (!InFunction || isStatic(Child)) &&
               !(Child.find(DW_AT_declaration) && !Child.find(DW_AT_location));
      Local = InFunction || InClass;
      break;
    case DW_TAG_subprogram:
      Global = !InFunction && !InClass && !Child.find(DW_AT_declaration) &&
               !isClass(declarationOf(Child).getParent());
      Local = InFunction || InClass;
      break;
    case DW_TAG_typedef:
    case DW_TAG_enumerator:
      (InFunction || InClass ? Local : Global) = true;
      break;
    case DW_TAG_formal_parameter:
    case DW_TAG_member:
    case DW_TAG_template_value_parameter:
    case DW_TAG_imported_declaration:
    case DW_TAG_constant:
      Local = true;
      break;
    default:
      Local = InFunction;
      break;
    }
    if (!Name.empty() && !InFunction && !InClass && isClass(Child) &&
        !Child.find(DW_AT_declaration))
      Records[Name].push_back(Child);
    if (!Name.empty() && Global)
      Globals[Name].push_back(Child);
    if (!Name.empty() && Local)
      Locals.insert(Name);
    if (T == DW_TAG_imported_declaration)
      if (DWARFDie What = Child.getAttributeValueAsReferencedDie(DW_AT_import))
        Locals.insert(shortNameOf(What));
    if (Child.hasChildren() &&
        !walk(Child, InFunction || T == DW_TAG_subprogram,
              isClass(Child) || (InClass && T == DW_TAG_enumeration_type),
              Depth + 1))
      return false;
  }
  return true;
}

ArrayRef<DWARFDie> DebugNames::globals(StringRef Name) const {
  auto It = Globals.find(Name);
  return It == Globals.end() ? ArrayRef<DWARFDie>() : It->second;
}

ArrayRef<DWARFDie> DebugNames::records(StringRef Tag) const {
  auto It = Records.find(Tag);
  return It == Records.end() ? ArrayRef<DWARFDie>() : It->second;
}

/// Also those of what it is derived from, or lies in.
void DebugNames::addMembers(Scope &S, DWARFDie Class, unsigned Depth) {
  // A lambda's variables are members of a class without a name.
  if (Depth > MostDepth || shortNameOf(Class).empty() ||
      Class.find(DW_AT_declaration)) {
    S.Any = true;
    return;
  }
  if (!S.Classes.insert(Class.getOffset()).second)
    return;
  for (DWARFDie Child : Class.children()) {
    if (!shortNameOf(Child).empty())
      S.Names.insert(shortNameOf(Child));
    const bool Unnamed = shortNameOf(Child).empty();
    if (Child.getTag() == DW_TAG_enumeration_type ||
        (isClass(Child) && Unnamed))
      for (DWARFDie Inside : Child.children())
        if (!shortNameOf(Inside).empty())
          S.Names.insert(shortNameOf(Inside));
    if (Child.getTag() == DW_TAG_inheritance) {
      DWARFDie Base = Child.getAttributeValueAsReferencedDie(DW_AT_type);
      // A damaged typedef may be its own.
      for (unsigned N = 0;
           N < MostDepth && Base && Base.getTag() == DW_TAG_typedef; ++N)
        Base = Base.getAttributeValueAsReferencedDie(DW_AT_type);
      addMembers(S, Base, Depth + 1);
    }
  }
  if (DWARFDie Outer = declarationOf(Class).getParent(); isClass(Outer))
    addMembers(S, Outer, Depth + 1);
}

void DebugNames::addScope(Scope &S, DWARFDie Die, unsigned Depth) {
  if (Depth > MostDepth) {
    S.Any = true;
    return;
  }
  const Tag T = Die.getTag();
  if (T == DW_TAG_subprogram || T == DW_TAG_inlined_subroutine)
    if (DWARFDie Outer = declarationOf(Die).getParent(); isClass(Outer))
      addMembers(S, Outer, Depth + 1);
  for (DWARFDie Child : Die.children()) {
    if (!shortNameOf(Child).empty())
      S.Names.insert(shortNameOf(Child));
    if (Child.getTag() == DW_TAG_imported_declaration)
      if (DWARFDie What = Child.getAttributeValueAsReferencedDie(DW_AT_import))
        S.Names.insert(shortNameOf(What));
    addScope(S, Child, Depth + 1);
  }
}

const DebugNames::Scope &DebugNames::scopeOf(DWARFDie Function) {
  auto [It, New] = Scopes.try_emplace(Function.getOffset());
  if (New)
    addScope(It->second, Function, 0);
  return It->second;
}

bool DebugNames::isLocalAt(uint64_t PC, StringRef Name) {
  DWARFDie Function = Dwarf->functionAt(PC);
  // A function in another sees what is declared there.
  for (DWARFDie D = Function; D; D = D.getParent())
    if (D.getTag() == DW_TAG_subprogram)
      Function = D;
  if (!Function)
    return false;
  const Scope &S = scopeOf(Function);
  return S.Any || S.Names.contains(Name);
}

bool DebugNames::isData(uint64_t Addr, uint64_t Size) const {
  for (const object::SectionRef &Ref : File.getBinary()->sections()) {
    object::ELFSectionRef S(Ref);
    if ((S.getFlags() & ELF::SHF_ALLOC) && !(S.getFlags() & ELF::SHF_TLS) &&
        Addr >= S.getAddress() && Size <= S.getSize() &&
        Addr - S.getAddress() <= S.getSize() - Size)
      return true;
  }
  return false;
}
