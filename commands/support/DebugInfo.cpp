//===- DebugInfo.cpp - Debug information of an image ----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/DebugInfo.h"
#include "core/support/InputFile.h"
#include "core/support/Printable.h"
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
  auto Keep = [this](Error E) { Complaint = toString(std::move(E)); };
  Dwarf =
      DWARFContext::create(Of, DWARFContext::ProcessDebugRelocations::Ignore,
                           nullptr, "", Keep, Keep);
  if (!canOpenSplitFiles(*Dwarf, Path))
    Dwarf = DWARFContext::create(StringMap<std::unique_ptr<MemoryBuffer>>(),
                                 Of.getBytesInAddress(), Of.isLittleEndian(),
                                 Keep, Keep);
}

/// What is wrong with the tree that LLVM made of a unit: it ends where LLVM
/// understands no more.
static std::string damageOf(DWARFUnit &U) {
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

bool DebugInfo::isWhole(DWARFUnit &U) {
  auto [It, New] = Whole.try_emplace(&U, true);
  if (!New)
    return It->second;
  Complaint.clear();
  const std::string Damage = damageOf(U);
  if (Damage.empty())
    return true;
  It->second = false;
  if (Warn && !Warned)
    Warn(printable("image " + Path +
                   ": the debug information of the unit at "
                   ".debug_info+0x" +
                   utohexstr(U.getOffset(), true) +
                   " is damaged and not used: " + Damage +
                   (Complaint.empty() ? "" : " (" + Complaint + ")")));
  Warned = true;
  return false;
}

DWARFDie DebugInfo::entries(DWARFUnit &U) {
  if (!isWhole(U))
    return {};
  DWARFDie Die = U.getNonSkeletonUnitDIE(/*ExtractUnitDIEOnly=*/false);
  return Die && isWhole(*Die.getDwarfUnit()) ? Die : DWARFDie();
}

DWARFCompileUnit *DebugInfo::unitAt(uint64_t PC) {
  DWARFCompileUnit *U = Dwarf->getCompileUnitForCodeAddress(PC);
  return U && entries(*U) ? U : nullptr;
}

DWARFDie DebugInfo::functionAt(uint64_t PC) {
  if (!unitAt(PC))
    return {};
  return Dwarf->getDIEsForAddress(PC, /*CheckDWO=*/true).FunctionDIE;
}

DIInliningInfo DebugInfo::framesAt(uint64_t PC) {
  using LI = DILineInfoSpecifier;
  if (!unitAt(PC))
    return {};
  return Dwarf->getInliningInfoForAddress(
      {PC, object::SectionedAddress::UndefSection},
      LI(LI::FileLineInfoKind::AbsoluteFilePath,
         LI::FunctionNameKind::LinkageName));
}

} // namespace rw
