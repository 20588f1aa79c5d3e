//===- DebugInfo.cpp - Debug information of an image ----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/DebugInfo.h"
#include "commands/support/DebugNames.h"
#include "commands/support/DwarfAttributes.h"
#include "commands/support/EntryBounds.h"
#include "core/support/InputFile.h"
#include "core/support/Printable.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugArangeSet.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugAranges.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace rw {

/// Whether LLVM may open the files that split debug info is in: if they are
/// there, they are regular files. It would wait for the writer of a pipe.
static bool canOpenSplitFiles(DWARFContext &D, StringRef Path) {
  auto isOdd = [](const Twine &File) {
    return sys::fs::exists(File) && errorToBool(checkRegular(File.str()));
  };
  if (isOdd(Path + ".dwp"))
    return false;
  return none_of(D.compile_units(), [&](const std::unique_ptr<DWARFUnit> &U) {
    DWARFDie Die = U->getUnitDIE();
    auto Name = dwarf::toString(Die.find({DW_AT_dwo_name, DW_AT_GNU_dwo_name}));
    if (!Name)
      return false;
    SmallString<128> File(*Name);
    if (const char *Folder = U->getCompilationDir();
        Folder && sys::path::is_relative(File))
      sys::path::make_absolute(Folder, File);
    return isOdd(File);
  });
}

DebugInfo::DebugInfo(const object::ObjectFile &Of, StringRef Path,
                     std::function<void(const std::string &)> Warn)
    : Path(Path), Warn(std::move(Warn)) {
  auto Keep = [this](Error E) {
    std::string Text = toString(std::move(E));
    if (Complaint.empty())
      Complaint = std::move(Text);
  };
  for (const object::SectionRef &S : Of.sections())
    if (S.isText())
      Code.push_back({S.getAddress(), S.getAddress() + S.getSize()});
  Dwarf =
      DWARFContext::create(Of, DWARFContext::ProcessDebugRelocations::Ignore,
                           nullptr, "", Keep, Keep);
  for (const auto &U : Dwarf->normal_units())
    if (Unreadable.empty()) {
      UnreadableAt = U->getOffset();
      Unreadable = damageOfFirstBounds(*U);
    }
  if (!Unreadable.empty() || !canOpenSplitFiles(*Dwarf, Path))
    Dwarf = DWARFContext::create(StringMap<std::unique_ptr<MemoryBuffer>>(),
                                 Of.getBytesInAddress(), Of.isLittleEndian(),
                                 Keep, Keep);
}

/// What is wrong with the tree that LLVM made of a unit: it ends where LLVM
/// understands no more.
static std::string damageOfTree(DWARFUnit &U) {
  // Sources nest less; LLVM walks through it by recursion.
  constexpr unsigned MostDepth = 1000;
  auto At = [&](const DWARFDebugInfoEntry &D) {
    return " at .debug_info+0x" + utohexstr(D.getOffset(), true);
  };
  auto Entries = U.dies();
  if (Entries.empty())
    return "it has no entry that its abbreviations (.debug_abbrev+0x" +
           utohexstr(U.getAbbreviationsOffset(), true) + ") describe";
  if (!isUnitType(Entries.begin()->getTag()))
    return "its first entry," + At(*Entries.begin()) + ", is none of a unit";
  unsigned Depth = 0;
  for (const DWARFDebugInfoEntry &D : Entries) {
    if (D.getTag() == DW_TAG_null) {
      if (!Depth)
        return "it ends twice," + At(D);
      --Depth;
    } else if (D.hasChildren() && ++Depth > MostDepth) {
      return "its entries nest deeper than any program's," + At(D);
    }
  }
  const DWARFDebugInfoEntry &Last = *std::prev(Entries.end());
  if (Depth)
    return "its entries break off behind the one" + At(Last);
  // Zeros may fill the unit up.
  StringRef Rest =
      U.getInfoSection().Data.slice(Last.getOffset(), U.getNextUnitOffset());
  if (Last.getTag() == DW_TAG_null && !Rest.ltrim('\0').empty())
    return "its entries end" + At(Last) + ", before the unit does";
  return {};
}

/// Whether a table of directories or files may have that column: LLVM takes the
/// value for one of these forms without looking.
static bool isColumn(uint64_t What, uint64_t As) {
  const bool Text =
      is_contained({DW_FORM_string, DW_FORM_line_strp, DW_FORM_strp,
                    DW_FORM_strp_sup, DW_FORM_strx, DW_FORM_strx1,
                    DW_FORM_strx2, DW_FORM_strx3, DW_FORM_strx4},
                   As);
  const bool Number = is_contained({DW_FORM_udata, DW_FORM_data1, DW_FORM_data2,
                                    DW_FORM_data4, DW_FORM_data8},
                                   As);
  switch (What) {
  case DW_LNCT_path:
  case DW_LNCT_LLVM_source:
    return Text;
  case DW_LNCT_directory_index:
  case DW_LNCT_size:
    return Number;
  case DW_LNCT_timestamp:
    return Number || As == DW_FORM_block;
  case DW_LNCT_MD5:
    return As == DW_FORM_data16;
  default:
    return Text || Number || As == DW_FORM_block || As == DW_FORM_data16;
  }
}

/// What LLVM does not survive in the header of a unit's lines.
static std::string damageOfLines(DWARFUnit &U) {
  DWARFDie Die = U.getUnitDIE();
  auto Start = toSectionOffset(Die.find(DW_AT_stmt_list));
  if (!Start)
    return {};
  const StringRef Section = U.getLineSection().Data;
  DataExtractor Data(Section, U.isLittleEndian(), U.getAddressByteSize());
  const std::string Where =
      "its lines at .debug_line+0x" + utohexstr(*Start, true);
  DataExtractor::Cursor At(*Start);
  const unsigned OffsetBytes = Data.getU32(At) == DW_LENGTH_DWARF64 ? 8 : 4;
  const FormParams Params = {5, U.getAddressByteSize(),
                             OffsetBytes == 8 ? DWARF64 : DWARF32};
  if (OffsetBytes == 8)
    Data.getU64(At);
  if (Data.getU16(At) != 5)
    return consumeError(At.takeError()), std::string(); // a fixed format
  constexpr unsigned BeforeOpcodes = 5;
  Data.skip(At, 2 + OffsetBytes + BeforeOpcodes);
  const unsigned FirstSpecial = Data.getU8(At);
  Data.skip(At, FirstSpecial ? FirstSpecial - 1 : 0);
  for (const char *Table : {"directories", "files"}) {
    SmallVector<Form> Columns;
    for (unsigned N = At ? Data.getU8(At) : 0; N && At; --N) {
      const uint64_t Offset = At.tell();
      const uint64_t What = Data.getULEB128(At), As = Data.getULEB128(At);
      if (At && !isColumn(What, As)) {
        consumeError(At.takeError());
        return Where + " have a column of " + Table + " at .debug_line+0x" +
               utohexstr(Offset, true) + " that no table has (content " +
               utostr(What) + ", form " + utostr(As) + ")";
      }
      Columns.push_back(Form(As));
    }
    const uint64_t Rows = At ? Data.getULEB128(At) : 0;
    if (At && Rows && (Columns.empty() || Rows > Section.size())) {
      consumeError(At.takeError());
      return Where + " have " + utostr(Rows) + " " + Table +
             ", more than there is room for";
    }
    for (uint64_t Row = 0; Row < Rows && At; ++Row)
      for (Form F : Columns) {
        const uint64_t Before = At.tell();
        uint64_t Offset = Before;
        if (!DWARFFormValue::skipValue(F, Data, &Offset, Params) ||
            Offset <= Before || Offset > Section.size())
          return Where + " break off among its " + Table +
                 " at .debug_line+0x" + utohexstr(Before, true);
        At.seek(Offset);
      }
  }
  if (Error E = At.takeError())
    return Where + ": " + toString(std::move(E));
  return {};
}

void DebugInfo::warn(uint64_t UnitOffset, const std::string &Damage) {
  if (Warn && !Damaged)
    Warn(printable("image " + Path +
                   ": the debug information of the unit at .debug_info+0x" +
                   utohexstr(UnitOffset, true) + " is damaged and not used: " +
                   Damage + (Complaint.empty() ? "" : " (" + Complaint + ")")));
  Damaged = true;
}

/// LLVM reads units one behind the other, and ends where it does not understand
/// a header.
void DebugInfo::checkHeaders() {
  if (std::exchange(HeadersChecked, true))
    return;
  if (!Unreadable.empty())
    warn(UnreadableAt, Unreadable + ", and nothing of the image's is used");
  Dwarf->getDWARFObj().forEachInfoSections([&](const DWARFSection &S) {
    uint64_t End = 0;
    for (const auto &U : Dwarf->info_section_units()) {
      if (&U->getInfoSection() != &S)
        continue;
      End = std::max(End, U->getNextUnitOffset());
      if (!U->isTypeUnit())
        continue;
      if (const DWARFDie Root = U->getUnitDIE(); !Root)
        isWhole(*U); // says so
      else if (Root.getTag() != DW_TAG_type_unit)
        warn(U->getOffset(), "its header is that of a type, and its entry at "
                             ".debug_info+0x" +
                                 utohexstr(Root.getOffset(), true) + " is not");
    }
    // Zeros may fill the section up.
    if (!S.Data.substr(End).ltrim('\0').empty())
      warn(End, "its header is not understood, and what follows is not found");
  });
  Complaint.clear();
}

/// Where .debug_aranges has the addresses of the unit at \p UnitOffset.
static std::string rangesOf(DWARFContext &D, uint64_t UnitOffset) {
  DWARFDataExtractor Data(D.getDWARFObj().getArangesSection(),
                          D.isLittleEndian(), 0);
  DWARFDebugArangeSet Set;
  for (uint64_t Next = 0; Data.isValidOffset(Next);) {
    const uint64_t At = Next;
    if (errorToBool(Set.extract(Data, &Next,
                                [](Error E) { consumeError(std::move(E)); })) ||
        Next <= At)
      return " (damaged at .debug_aranges+0x" + utohexstr(At, true) + ")";
    if (Set.getCompileUnitDIEOffset() == UnitOffset)
      return " (of the unit: at .debug_aranges+0x" + utohexstr(At, true) + ")";
  }
  return " (it has nothing of that unit)";
}

/// Which unit an address is of, LLVM takes from .debug_aranges; a unit tells it
/// itself, too.
void DebugInfo::checkRanges() {
  if (std::exchange(RangesChecked, true))
    return;
  checkHeaders();
  auto isCode = [&](uint64_t Addr) {
    return any_of(Code, [&](const auto &C) {
      return C.first <= Addr && Addr < C.second;
    });
  };
  Complaint.clear();
  const DWARFDebugAranges *Known = Dwarf->getDebugAranges();
  for (const auto &U : units()) {
    if (Damaged)
      return;
    if (const DWARFDie Root = U->getUnitDIE();
        !Root || !isUnitType(Root.getTag())) {
      isWhole(*U); // says so
      return;
    }
    auto Ranges = U->collectAddressRanges();
    if (!Ranges) {
      warn(U->getOffset(), "where its code is, is not understood: " +
                               toString(Ranges.takeError()));
      return;
    }
    for (const DWARFAddressRange &R : *Ranges) {
      // Functions that the linker took away have ranges that are nowhere.
      if (R.LowPC >= R.HighPC || !isCode(R.LowPC) || !isCode(R.HighPC - 1))
        continue;
      for (uint64_t Addr : {R.LowPC, R.HighPC - 1}) {
        const uint64_t At = Known->findAddress(Addr);
        if (At == U->getOffset())
          continue;
        // Units share functions: thousands, of templates.
        DWARFUnit *Other = Dwarf->getCompileUnitForOffset(At);
        if (Other && Other->getOffset() == At)
          continue;
        warn(U->getOffset(), "it has the code at 0x" + utohexstr(Addr, true) +
                                 ", and .debug_aranges does not say so" +
                                 rangesOf(*Dwarf, U->getOffset()));
        return;
      }
    }
  }
}

DWARFContext::compile_unit_range DebugInfo::units() {
  checkHeaders();
  return Dwarf->compile_units();
}

bool DebugInfo::check(Checked &Of, DWARFUnit &U,
                      function_ref<std::string(DWARFUnit &)> DamageOf) {
  auto [It, New] = Of.try_emplace(&U, true);
  if (!New)
    return It->second;
  Complaint.clear();
  const std::string Damage = DamageOf(U);
  if (Damage.empty())
    return true;
  warn(U.getOffset(), Damage);
  return It->second = false;
}

bool DebugInfo::hasGoodLines(DWARFUnit &U) {
  return check(GoodLines, U, damageOfLines);
}

bool DebugInfo::isInside(DWARFUnit &U) {
  return check(Inside, U, damageOfBounds);
}

bool DebugInfo::othersAreInside(DWARFUnit &U) {
  if (!mayReferToOthers(U))
    return true;
  auto areInside = [&](DWARFContext::unit_iterator_range Units) {
    return all_of(Units, [&](const auto &Other) { return isInside(*Other); });
  };
  DWARFContext &All = U.getContext();
  auto [It, New] = OthersInside.try_emplace(&All, false);
  if (New)
    It->second =
        areInside(U.isDWOUnit() ? All.dwo_units() : All.normal_units());
  return It->second;
}

bool DebugInfo::isWhole(DWARFUnit &U) {
  return isInside(U) && othersAreInside(U) &&
         check(Whole, U, [&](DWARFUnit &First) {
           tellMissing(First);
           return damageOfTree(First);
         });
}

const DWARFDebugLine::LineTable *DebugInfo::linesOf(DWARFUnit &U) {
  // What is split off has no lines of its own.
  DWARFUnit *Has = U.getLinkedUnit();
  return Has && hasGoodLines(*Has) ? Dwarf->getLineTableForUnit(Has) : nullptr;
}

void DebugInfo::tellNoLines(DWARFDie Function) {
  const bool HasValues = llvm::any_of(Function.children(), [](DWARFDie D) {
    return D.getTag() == DW_TAG_formal_parameter ||
           D.getTag() == DW_TAG_variable;
  });
  if (!HasValues || !Warn || std::exchange(MissesLines, true))
    return;
  const char *Name = Function.getName(DINameKind::ShortName);
  Warn(printable(
      "image " + Path + ": its debug information has no lines of " +
      (Name ? "'" + std::string(Name) + "'" : "a function") +
      ", which is taken at its first instruction: its parameters and variables "
      "may not be there yet"));
}

/// Says, once, that \p U stands for one in a file that is not there.
void DebugInfo::tellMissing(DWARFUnit &U) {
  if (MissesFile || !Warn || U.isDWOUnit())
    return;
  const char *Name = dwarf::toString(
      U.getUnitDIE().find({DW_AT_dwo_name, DW_AT_GNU_dwo_name}), nullptr);
  MissesFile = Name && U.getNonSkeletonUnitDIE().getDwarfUnit() == &U;
  if (MissesFile)
    Warn(printable("image " + Path + ": some of its debug information is in " +
                   Name + ", which is not there"));
}

DWARFDie DebugInfo::root(DWARFUnit &U) {
  tellMissing(U);
  return U.getNonSkeletonUnitDIE();
}

std::vector<DWARFUnit *> DebugInfo::typeUnits() {
  checkHeaders();
  std::vector<DWARFUnit *> Found;
  for (const auto &U : Dwarf->info_section_units())
    if (U->isTypeUnit())
      Found.push_back(U.get());
  for (const auto &U : Dwarf->types_section_units())
    Found.push_back(U.get());
  return Found;
}

DWARFDie DebugInfo::entries(DWARFUnit &U) {
  if (!isWhole(U))
    return {};
  if (!isWhole(U))
    return {};
  const DWARFDie First = U.getNonSkeletonUnitDIE();
  if (!First || !isWhole(*First.getDwarfUnit()))
    return {};
  return U.getNonSkeletonUnitDIE(/*ExtractUnitDIEOnly=*/false);
}

DWARFCompileUnit *DebugInfo::unitAt(uint64_t PC) {
  checkRanges();
  DWARFCompileUnit *U = Dwarf->getCompileUnitForCodeAddress(PC);
  return U && hasGoodLines(*U) && entries(*U) ? U : nullptr;
}

DWARFDie DebugInfo::functionAt(uint64_t PC) {
  if (!unitAt(PC))
    return {};
  return Dwarf->getDIEsForAddress(PC, /*CheckDWO=*/true).FunctionDIE;
}

DIInliningInfo DebugInfo::framesAt(uint64_t PC) {
  using LI = DILineInfoSpecifier;
  constexpr auto FullPath = LI::FileLineInfoKind::AbsoluteFilePath;
  DWARFCompileUnit *Unit = unitAt(PC);
  if (!Unit)
    return {};
  DIInliningInfo Info = Dwarf->getInliningInfoForAddress(
      {PC, object::SectionedAddress::UndefSection},
      LI(FullPath, LI::FunctionNameKind::LinkageName));
  SmallVector<DWARFDie, 4> Chain;
  for (unsigned F = 0; F < Info.getNumberOfFrames(); ++F) {
    DILineInfo &Its = *Info.getMutableFrame(F);
    if (Its.StartLine && !Its.StartFileName.empty())
      continue;
    if (Chain.empty())
      Unit->getInlinedChainForAddress(PC, Chain);
    if (Chain.size() != Info.getNumberOfFrames())
      break;
    // GCC does not tell where the function of a lambda is declared, only where
    // its class is.
    const DWARFDie Function = declarationOf(Chain[F]);
    const DWARFDie D = Its.StartLine ? Function : Function.getParent();
    if (!D || (!Its.StartLine && D.getTag() != DW_TAG_structure_type))
      continue;
    Its.StartLine = unsigned(D.getDeclLine());
    Its.StartFileName = declaredIn(D, FullPath);
  }
  return Info;
}

} // namespace rw
