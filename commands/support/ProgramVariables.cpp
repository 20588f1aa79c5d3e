//===- ProgramVariables.cpp - Variables that expressions read -------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/ProgramVariables.h"
#include "commands/support/DwarfAttributes.h"
#include "commands/support/LocalPlaces.h"
#include "llvm/DebugInfo/DWARF/DWARFUnit.h"
#include "llvm/DebugInfo/DWARF/LowLevel/DWARFExpression.h"

using namespace llvm;
using namespace llvm::dwarf;
using namespace rw;

static std::optional<uint64_t> number(DWARFDie Die, Attribute Which) {
  return toUnsigned(Die.find(Which));
}

/// The type of \p Die without its names and qualifiers.
static DWARFDie bareType(DWARFDie Die) {
  for (unsigned Steps = 0; Steps < 64; ++Steps) {
    Die = Die.getAttributeValueAsReferencedDie(DW_AT_type);
    if (!Die ||
        (Die.getTag() != DW_TAG_typedef && Die.getTag() != DW_TAG_const_type &&
         Die.getTag() != DW_TAG_volatile_type))
      return Die;
  }
  return DWARFDie();
}

static DWARFDie dieOf(const DataType &T) {
  return DWARFDie(static_cast<DWARFUnit *>(T.Unit),
                  static_cast<const DWARFDebugInfoEntry *>(T.In));
}

/// A number's. Enumerations of C are of type int if their values fit, as LLDB
/// has it and C++, though compilers take them for unsigned.
static std::optional<DataType> scalar(DWARFDie Die) {
  const uint64_t Bytes = number(Die, DW_AT_byte_size).value_or(0);
  DataType T;
  T.Bytes = Bytes;
  if (Die.find(DW_AT_bit_size) || !isPowerOf2_64(Bytes) || Bytes > 8)
    return std::nullopt;
  T.Number.Bytes = uint8_t(Bytes);
  if (Die.getTag() == DW_TAG_enumeration_type) {
    if (Die.find(DW_AT_enum_class) || Bytes != 4 || !Die.hasChildren())
      return std::nullopt;
    bool Negative = false, Large = false;
    for (DWARFDie Child : Die.children()) {
      auto Value = Child.find(DW_AT_const_value);
      if (!Value || Child.getTag() != DW_TAG_enumerator)
        return std::nullopt;
      const int64_t V = enumeratorValue(*Value);
      Negative |= V < 0;
      Large |= V > INT32_MAX;
      if (V < INT32_MIN || V > UINT32_MAX)
        return std::nullopt;
    }
    T.Number.Signed = !Large;
    return Negative && Large ? std::nullopt : std::optional(T);
  }
  switch (number(Die, DW_AT_encoding).value_or(0)) {
  case DW_ATE_boolean:
    T.What = DataType::Truth;
    return Bytes == 1 ? std::optional(T) : std::nullopt;
  case DW_ATE_signed:
  case DW_ATE_signed_char:
    T.Number.Signed = true;
    return T;
  case DW_ATE_unsigned:
  case DW_ATE_unsigned_char:
    T.Number.Signed = false;
    return T;
  case DW_ATE_float:
    T.Number = {uint8_t(Bytes), true, true};
    return Bytes >= 4 ? std::optional(T) : std::nullopt;
  default:
    return std::nullopt;
  }
}

/// What \p Die, a variable or a pointer, is of.
static std::optional<DataType> typeOf(DWARFDie Die);
/// \p Type itself.
static std::optional<DataType> typeOfType(DWARFDie Type);

/// An array's from its dimension \p From on; all of an array is one entry.
static std::optional<DataType> arrayType(DWARFDie Die, unsigned From) {
  if (Die.find(DW_AT_GNU_vector) || Die.find(DW_AT_ordering))
    return std::nullopt;
  SmallVector<std::optional<uint64_t>> Counts;
  for (DWARFDie Child : Die.children()) {
    if (Child.getTag() != DW_TAG_subrange_type ||
        Child.find(DW_AT_byte_stride) ||
        number(Child, DW_AT_lower_bound).value_or(0))
      return std::nullopt;
    auto Count = number(Child, DW_AT_count);
    if (!Count)
      if (auto Last = number(Child, DW_AT_upper_bound))
        Count = uint32_t(*Last) == UINT32_MAX ? 0 : *Last + 1;
    Counts.push_back(Count);
  }
  auto Element = typeOf(Die);
  if (!Element || From > Counts.size())
    return std::nullopt;
  if (From == Counts.size())
    return Element;
  DataType T;
  T.What = DataType::Array;
  T.Unit = Die.getDwarfUnit();
  T.In = Die.getDebugInfoEntry();
  T.Dimension = From;
  T.Bytes = Element->Bytes;
  for (auto Count : ArrayRef(Counts).drop_front(From)) {
    const uint64_t N = Count.value_or(0);
    if (N && T.Bytes > UINT64_MAX / N)
      return std::nullopt;
    T.Bytes *= N;
  }
  return T;
}

static std::optional<DataType> typeOf(DWARFDie Die) {
  return typeOfType(bareType(Die));
}

static std::optional<DataType> typeOfType(DWARFDie Type) {
  // Arrays of arrays of arrays end somewhere.
  static thread_local unsigned Depth = 0;
  struct Deeper {
    Deeper() { ++Depth; }
    ~Deeper() { --Depth; }
  } Here;
  if (!Type || Depth > 32)
    return std::nullopt;
  DataType T;
  T.Unit = Type.getDwarfUnit();
  T.In = Type.getDebugInfoEntry();
  T.Bytes = number(Type, DW_AT_byte_size).value_or(0);
  switch (Type.getTag()) {
  case DW_TAG_base_type:
  case DW_TAG_enumeration_type:
    return scalar(Type);
  case DW_TAG_pointer_type:
    T.What = DataType::Pointer;
    T.Bytes = Type.getDwarfUnit()->getAddressByteSize();
    return T;
  case DW_TAG_array_type:
    return arrayType(Type, 0);
  case DW_TAG_structure_type:
  case DW_TAG_class_type:
  case DW_TAG_union_type:
    T.What = DataType::Record;
    return Type.find(DW_AT_declaration) ? std::nullopt : std::optional(T);
  default:
    return std::nullopt;
  }
}

namespace {
/// A member or a base, and how far inside it lies.
struct Field {
  DWARFDie Die;
  uint64_t Bits = 0;
  unsigned BitWidth = 0; ///< of a bit-field
};
} // namespace

/// Also those of unnamed members and of bases; more than one if it is not clear
/// which is meant. \p Records counts those that were looked into: damaged ones
/// hold themselves, more than once.
static void findFields(DWARFDie Record, StringRef Name, uint64_t Bits,
                       unsigned Depth, SmallVectorImpl<Field> &Found,
                       unsigned &Records) {
  constexpr unsigned MostRecords = 1000;
  if (!Record || Depth > 32)
    return;
  if (++Records > MostRecords) {
    Found.resize(2);
    return;
  }
  SmallVector<Field> Inside;
  const size_t Before = Found.size();
  for (DWARFDie Child : Record.children()) {
    const bool Base = Child.getTag() == DW_TAG_inheritance;
    if (Child.getTag() != DW_TAG_member && !Base &&
        Child.getTag() != DW_TAG_variable)
      continue;
    const char *Its = Child.getName(DINameKind::ShortName);
    const auto At = memberPlace(Child);
    if (Its && *Its) {
      // One that has no place keeps others of the name from being meant.
      if (Name == Its)
        Found.push_back(At ? Field{Child, Bits + At->Bits, At->BitWidth}
                           : Field());
    } else if (Base || Child.getTag() == DW_TAG_member) {
      // A virtual base lies where the object says.
      Inside.push_back(At && !Child.find(DW_AT_virtuality)
                           ? Field{bareType(Child), Bits + At->Bits}
                           : Field());
    }
  }
  if (Found.size() == Before)
    for (const Field &F : Inside)
      findFields(F.Die, Name, F.Bits, Depth + 1, Found, Records);
}

/// That of an enumeration is not always signed as an int is.
static std::optional<DataType> bitField(const Field &F) {
  const DWARFDie Its = bareType(F.Die);
  const bool Enumeration = Its && Its.getTag() == DW_TAG_enumeration_type;
  if (Enumeration && Its.find(DW_AT_enum_class))
    return std::nullopt;
  auto T = typeOf(Enumeration ? Its : F.Die);
  if (!T || T->Number.Float ||
      (T->What != DataType::Arithmetic && T->What != DataType::Truth) ||
      F.BitWidth > 8 * T->Bytes)
    return std::nullopt;
  T->NumBits = uint8_t(F.BitWidth);
  T->FirstBit = F.Bits % 8;
  return T;
}

/// Where a variable lies all the time, as in the file.
static std::optional<uint64_t> addressOf(DWARFDie Variable) {
  auto Form = Variable.find(DW_AT_location);
  auto Block = Form ? Form->getAsBlock() : std::nullopt;
  if (!Block)
    return std::nullopt;
  DWARFUnit *U = Variable.getDwarfUnit();
  DWARFExpression E(
      DataExtractor(*Block, U->isLittleEndian(), U->getAddressByteSize()),
      U->getAddressByteSize(), U->getFormParams().Format);
  std::optional<uint64_t> Addr;
  for (const DWARFExpression::Operation &Op : E) {
    if (Op.isError() || Addr)
      return std::nullopt;
    if (Op.getCode() == DW_OP_addr) {
      Addr = Op.getRawOperand(0);
    } else if (Op.getCode() == DW_OP_addrx) {
      auto At = U->getAddrOffsetSectionItem(uint32_t(Op.getRawOperand(0)));
      if (!At)
        return std::nullopt;
      Addr = At->Address;
    } else {
      return std::nullopt;
    }
  }
  return Addr;
}

/// Other languages have other names.
static bool isOfC(DWARFDie Die) {
  auto Language =
      number(Die.getDwarfUnit()->getUnitDIE(), DW_AT_language).value_or(0);
  return Language && (isC(SourceLanguage(Language)) ||
                      isCPlusPlus(SourceLanguage(Language)));
}

class ProgramVariables::Source final : public NameSource {
public:
  Source(ProgramVariables &All, std::optional<uint64_t> PC,
         std::optional<unsigned> Inlined)
      : All(All), PC(PC), Inlined(Inlined) {}

  std::optional<Thing> variable(StringRef Name) override {
    const auto *Names = All.names();
    if (!Names)
      return std::nullopt;
    std::optional<Thing> Found;
    for (size_t I = 0; I < Names->size(); ++I) {
      DebugNames &N = *(*Names)[I];
      const uint64_t Slide = All.Images[I].Slide;
      if (PC && N.isLocalAt(*PC - Slide, Name))
        return local(N, Slide, Name);
      if (!PC && N.isLocalSomewhere(Name))
        return std::nullopt;
      for (DWARFDie Die : N.globals(Name)) {
        DWARFDie Declared = Die;
        if (DWARFDie S =
                Die.getAttributeValueAsReferencedDie(DW_AT_specification))
          Declared = S;
        auto Type = typeOf(Die);
        if (!Type)
          Type = typeOf(Declared);
        auto Addr = addressOf(Die);
        if (Found || !Type || !Addr || Die.getTag() != DW_TAG_variable ||
            Declared.getParent().getTag() != DW_TAG_compile_unit ||
            !isOfC(Die) || !N.isData(*Addr, std::max<uint64_t>(Type->Bytes, 1)))
          return std::nullopt;
        Found = Thing{*Addr + Slide, *Type};
      }
    }
    return Found;
  }

  std::optional<Thing> member(const DataType &Of, StringRef Name) override {
    SmallVector<Field> Found;
    unsigned Records = 0;
    findFields(dieOf(Of), Name, 0, 0, Found, Records);
    if (Found.size() != 1 || !Found[0].Die ||
        Found[0].Die.getTag() != DW_TAG_member ||
        Found[0].Die.find(DW_AT_external))
      return std::nullopt;
    const Field &F = Found[0];
    auto Type = F.BitWidth ? bitField(F) : typeOf(F.Die);
    if (!Type)
      return std::nullopt;
    return Thing{F.Bits / 8, *Type};
  }

  std::optional<DataType> type(StringRef Name) override;
  std::optional<DataType> record(StringRef Name, bool Tag) override;
  std::optional<uint64_t> enumerator(StringRef Name) override;
  std::optional<bool> signedChar() override;
  std::optional<DataType> element(const DataType &Of) override {
    return Of.What == DataType::Array ? arrayType(dieOf(Of), Of.Dimension + 1)
                                      : typeOf(dieOf(Of));
  }

private:
  DWARFDie unitOfCode() const;
  std::optional<Thing> local(DebugNames &N, uint64_t Slide, StringRef Name);

  ProgramVariables &All;
  const std::optional<uint64_t> PC;
  const std::optional<unsigned> Inlined;
};

/// One of an enumeration without a class, outside of all namespaces, whose name
/// means nothing else in any image.
std::optional<uint64_t> ProgramVariables::Source::enumerator(StringRef Name) {
  const auto *Names = All.names();
  std::optional<int64_t> Found;
  for (size_t I = 0; Names && I < Names->size(); ++I) {
    DebugNames &N = *(*Names)[I];
    if (PC ? N.isLocalAt(*PC - All.Images[I].Slide, Name)
           : N.isLocalSomewhere(Name))
      return std::nullopt;
    for (DWARFDie Die : N.globals(Name)) {
      const DWARFDie Enum = Die.getParent();
      auto Value = Die.find(DW_AT_const_value);
      if (Die.getTag() != DW_TAG_enumerator || !Value || !isOfC(Die) ||
          Enum.find(DW_AT_enum_class) ||
          Enum.getParent().getTag() != DW_TAG_compile_unit)
        return std::nullopt;
      const int64_t V = enumeratorValue(*Value);
      if (!isInt<32>(V) || (Found && *Found != V))
        return std::nullopt;
      Found = V;
    }
  }
  return Found ? std::optional(uint64_t(*Found)) : std::nullopt;
}

std::optional<NameSource::Thing>
ProgramVariables::Source::local(DebugNames &N, uint64_t Slide, StringRef Name) {
  if (!All.Registers)
    return std::nullopt;
  const LocalScopes Scopes = localScopes(N.dwarf(), *PC - Slide, Inlined);
  DWARFDie Die = findLocal(Scopes, Name), Typed = Die;
  // What is inlined has its type elsewhere.
  while (Typed && !Typed.find(DW_AT_type))
    Typed = Typed.getAttributeValueAsReferencedDie(DW_AT_abstract_origin);
  auto Type = Typed ? typeOf(Typed) : std::nullopt;
  if (!Type || !isOfC(Die))
    return std::nullopt;
  if (auto Addr = addressOf(Die)) {
    if (!N.isData(*Addr, std::max<uint64_t>(Type->Bytes, 1)))
      return std::nullopt;
    return Thing{*Addr + Slide, *Type};
  }
  auto At = localPlace(N.dwarf(), *PC - Slide, Die, Scopes.Function);
  const RegisterInfo *R = At ? All.Registers->findDwarf(At->Register) : nullptr;
  if (!R || R->IsPC || R->Slice.Size > 8)
    return std::nullopt;
  Thing T{uint64_t(At->Offset), *Type, R->Slice, At->Held};
  if (!T.Held)
    return T;
  if (Type->Bytes > R->Slice.Size || Type->What == DataType::Record ||
      Type->What == DataType::Array ||
      (Type->What == DataType::Arithmetic && Type->Number.Float))
    return std::nullopt;
  // The rest of the register need not be known.
  T.Base->Size = uint16_t(Type->Bytes);
  return T;
}

/// A typedef of which there is no other one.
std::optional<DataType> ProgramVariables::Source::type(StringRef Name) {
  const auto *Names = All.names();
  if (!Names)
    return std::nullopt;
  std::optional<DataType> Found;
  for (size_t I = 0; I < Names->size(); ++I) {
    DebugNames &N = *(*Names)[I];
    if (PC ? N.isLocalAt(*PC - All.Images[I].Slide, Name)
           : N.isLocalSomewhere(Name))
      return std::nullopt;
    for (DWARFDie Die : N.globals(Name)) {
      auto T = Die.getTag() == DW_TAG_typedef && isOfC(Die) ? typeOf(Die)
                                                            : std::nullopt;
      if (!T || (T->What != DataType::Arithmetic && T->What != DataType::Truth))
        return std::nullopt;
      if (Found && (Found->What != T->What || Found->Number != T->Number))
        return std::nullopt;
      Found = T;
    }
  }
  return Found;
}

/// The unit of the function that PC is in.
DWARFDie ProgramVariables::Source::unitOfCode() const {
  const auto *Names = PC ? All.names() : nullptr;
  for (size_t I = 0; Names && I < Names->size(); ++I)
    if (DWARFDie Function =
            (*Names)[I]->dwarf().functionAt(*PC - All.Images[I].Slide))
      return Function.getDwarfUnit()->getUnitDIE(false);
  return {};
}

/// One that all files of the program have alike. A pointer to a class of C++
/// may become another address.
std::optional<DataType> ProgramVariables::Source::record(StringRef Name,
                                                         bool Tag) {
  const DWARFDie Unit = unitOfCode();
  if (!Unit || !isC(SourceLanguage(number(Unit, DW_AT_language).value_or(0))))
    return std::nullopt;
  const auto &Names = *All.names();
  DWARFDie First;
  for (size_t I = 0; I < Names.size(); ++I) {
    DebugNames &N = *Names[I];
    // Those in units of their own are not among the names.
    if (N.isLocalAt(*PC - All.Images[I].Slide, Name) ||
        !N.dwarf().typeUnits().empty())
      return std::nullopt;
    for (DWARFDie Die : Tag ? N.records(Name) : N.globals(Name)) {
      const DWARFDie Is = Tag ? Die : bareType(Die);
      if ((!Tag && Die.getTag() != DW_TAG_typedef) || !Is || !isOfC(Die) ||
          (First &&
           (number(Is, DW_AT_byte_size) != number(First, DW_AT_byte_size) ||
            Is.getDeclLine() != First.getDeclLine())))
        return std::nullopt;
      if (!First)
        First = Is;
    }
  }
  auto T = First ? typeOfType(First) : std::nullopt;
  return T && T->What == DataType::Record && T->Bytes ? T : std::nullopt;
}

std::optional<bool> ProgramVariables::Source::signedChar() {
  const DWARFDie Unit = unitOfCode();
  if (!Unit)
    return std::nullopt;
  for (DWARFDie D : Unit.children())
    if (const char *Its = D.getTag() == DW_TAG_base_type
                              ? D.getName(DINameKind::ShortName)
                              : nullptr;
        Its && StringRef(Its) == "char")
      return number(D, DW_AT_encoding) == DW_ATE_signed_char;
  return std::nullopt;
}

bool ProgramVariables::setImages(std::vector<Image> New) {
  if (New == Images)
    return false;
  Images = std::move(New);
  Names.clear();
  return true;
}

const std::vector<DebugNames *> *ProgramVariables::names() {
  if (Names.empty())
    for (const Image &I : Images) {
      auto [It, IsNew] = Read.try_emplace(I.Path);
      if (IsNew)
        It->second = DebugNames::read(I.Path);
      Names.push_back(It->second.get());
    }
  return is_contained(Names, nullptr) ? nullptr : &Names;
}

std::unique_ptr<NameSource>
ProgramVariables::at(std::optional<uint64_t> PC,
                     std::optional<unsigned> Inlined) {
  return std::make_unique<Source>(*this, PC, Inlined);
}
