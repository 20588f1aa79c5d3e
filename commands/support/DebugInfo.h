//===- DebugInfo.h - Debug information of an image --------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_DEBUGINFO_H
#define REWIND_COMMANDS_SUPPORT_DEBUGINFO_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/DebugInfo/DWARF/DWARFCompileUnit.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFUnit.h"
#include <vector>

namespace rw {

/// The debug information (DWARF) of an image, without the units that are
/// damaged: LLVM's library crashes on these. A unit is checked when it is asked
/// for first; that is one pass over entries that the question needs anyway.
class DebugInfo {
public:
  /// \p Of must outlive this. \p Warn is told, once, which unit of \p Path is
  /// damaged, and where. Reads nothing of it yet.
  DebugInfo(const llvm::object::ObjectFile &Of, llvm::StringRef Path,
            std::function<void(const std::string &)> Warn);

  /// All units but those of types. Units that LLVM does not find because a
  /// header is damaged are told of.
  llvm::DWARFContext::compile_unit_range units();
  /// Those that have a type each (-fdebug-types-section).
  std::vector<llvm::DWARFUnit *> typeUnits();
  /// Whether something was found damaged.
  bool isDamaged() const { return Damaged; }

  /// The entry of \p Unit, or of the unit in a file of its own that stands for
  /// it, with all that is in it; an invalid one if any of it is damaged.
  llvm::DWARFDie entries(llvm::DWARFUnit &Unit);
  /// The first entry of \p Unit, or of the one that stands for it; nothing else
  /// of it is read.
  llvm::DWARFDie root(llvm::DWARFUnit &Unit);
  /// Whether the entries of \p Unit can be read one by one: for what does
  /// without entries(), which keeps them all.
  bool isInside(llvm::DWARFUnit &Unit);
  /// The unit whose code \p PC is; null if none is, or if it is damaged.
  llvm::DWARFCompileUnit *unitAt(uint64_t PC);
  /// The function around \p PC; where LLVM takes an inlined function for it,
  /// that one.
  llvm::DWARFDie functionAt(uint64_t PC);
  /// Functions and lines at \p PC from the innermost inlined one outwards.
  llvm::DIInliningInfo framesAt(uint64_t PC);

  /// The lines of \p Unit; null if it has none, or if their header is damaged.
  const llvm::DWARFDebugLine::LineTable *linesOf(llvm::DWARFUnit &Unit);

  /// Says, once, that linesOf() has nothing of a function with variables, which
  /// is therefore taken at its first instruction.
  void tellNoLines(llvm::DWARFDie Function);

  /// For what does not walk through units: frame descriptions.
  llvm::DWARFContext &context() { return *Dwarf; }

private:
  using Checked = llvm::DenseMap<const llvm::DWARFUnit *, bool>;
  /// At the first question about a unit; what it was then, later.
  bool check(Checked &Of, llvm::DWARFUnit &Unit,
             llvm::function_ref<std::string(llvm::DWARFUnit &)> DamageOf);
  bool isWhole(llvm::DWARFUnit &Unit);
  bool othersAreInside(llvm::DWARFUnit &Unit);
  void tellMissing(llvm::DWARFUnit &Unit);
  bool hasGoodLines(llvm::DWARFUnit &Unit);
  void checkHeaders();
  void checkRanges();
  void warn(uint64_t UnitOffset, const std::string &Damage);

  const std::string Path;
  const std::function<void(const std::string &)> Warn;
  std::string Complaint;    ///< LLVM's first about what is looked at
  bool MissesFile = false;  ///< that some of it is in
  bool MissesLines = false; ///< of a function
  bool Damaged = false, HeadersChecked = false, RangesChecked = false;
  std::vector<std::pair<uint64_t, uint64_t>> Code; ///< where the image has it
  std::unique_ptr<llvm::DWARFContext> Dwarf;
  Checked Inside, Whole, GoodLines;
  llvm::DenseMap<const llvm::DWARFContext *, bool> OthersInside;
  /// LLVM reads the first entry of each unit, whatever it is asked for: what is
  /// wrong with one that it could not read, and where its unit is.
  std::string Unreadable;
  uint64_t UnreadableAt = 0;
};

/// An image's debug information, and where the image lay.
struct DwarfImage {
  DebugInfo *Dwarf = nullptr;
  uint64_t Slide = 0; ///< address in the trace minus address in the file
  std::string Path;
};

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_DEBUGINFO_H
