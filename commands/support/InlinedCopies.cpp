//===- InlinedCopies.cpp - Where functions are inlined --------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/InlinedCopies.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace rw {

/// The offset of the entry that tells more of the function that \p D is of; 0:
/// none.
static uint64_t toldBy(DWARFDie D) {
  const auto V = D.find({DW_AT_abstract_origin, DW_AT_specification});
  if (!V)
    return 0;
  if (auto InUnit = V->getAsRelativeReference())
    return D.getDwarfUnit()->getOffset() + *InUnit;
  return V->getAsDebugInfoReference().value_or(0);
}

/// Where control comes to the copy \p D. LLDB's breakpoints are at its lowest
/// address: before, there may be instructions that were moved in front of it,
/// and its parameters may not yet be where they are told to be.
static std::optional<uint64_t> startOf(DWARFDie D) {
  auto Ranges = D.getAddressRanges();
  if (!Ranges) {
    consumeError(Ranges.takeError());
    return std::nullopt;
  }
  std::optional<uint64_t> Lowest;
  for (const DWARFAddressRange &R : *Ranges)
    if (R.LowPC < R.HighPC)
      Lowest = std::min(R.LowPC, Lowest.value_or(R.LowPC));
  auto Entry = toAddress(D.find(DW_AT_entry_pc));
  if (auto Offset = toUnsigned(D.find(DW_AT_entry_pc)); Offset && Lowest)
    Entry = *Lowest + *Offset;
  // It may be where the copy has no code.
  const bool HasCode = Entry && any_of(*Ranges, [&](const auto &R) {
                         return R.LowPC <= *Entry && *Entry < R.HighPC;
                       });
  return HasCode ? Entry : Lowest;
}

namespace {

/// Reads entries one by one: LLVM would keep all of a unit, which take twice as
/// much room as what they are read from.
class Pass {
public:
  void read(DWARFUnit &Unit);
  std::vector<InlinedCopies::Function> finish();

private:
  /// An entry: a unit in a file of its own refers to nothing else, and all
  /// others to each other.
  using Key = std::pair<const DWARFUnit *, uint64_t>;
  static Key keyOf(const DWARFUnit &U, uint64_t Offset) {
    return {U.isDWOUnit() ? &U : nullptr, Offset};
  }
  struct Function {
    const char *Name = nullptr;
    uint64_t ToldBy = 0; ///< the offset of the entry that has the name, or 0
  };
  const char *nameOf(Key Of) const;

  DenseMap<Key, Function> Known;
  std::vector<std::pair<Key, uint64_t>> Copies; ///< of what, where
};

} // namespace

void Pass::read(DWARFUnit &U) {
  const DWARFDataExtractor Data = U.getDebugInfoExtractor();
  const uint64_t End = U.getNextUnitOffset();
  DWARFDebugInfoEntry E;
  for (uint64_t At = U.getOffset() + U.getHeaderSize();
       At < End && E.extractFast(U, &At, Data, End, 0);) {
    const DWARFDie D(&U, &E);
    if (E.getTag() == DW_TAG_subprogram) {
      Function F{toString(D.find({DW_AT_linkage_name, DW_AT_MIPS_linkage_name}),
                          nullptr),
                 toldBy(D)};
      if (!F.Name && !F.ToldBy)
        F.Name = toString(D.find(DW_AT_name), nullptr);
      Known[keyOf(U, E.getOffset())] = F;
    } else if (E.getTag() == DW_TAG_inlined_subroutine) {
      const uint64_t Of = toldBy(D);
      if (auto Start = startOf(D); Of && Start)
        Copies.push_back({keyOf(U, Of), *Start});
    }
  }
}

const char *Pass::nameOf(Key Of) const {
  constexpr unsigned MostSteps = 8; // damaged entries may go round
  for (unsigned Step = 0; Step < MostSteps; ++Step) {
    const Function F = Known.lookup(Of);
    if (F.Name || !F.ToldBy)
      return F.Name;
    Of.second = F.ToldBy;
  }
  return nullptr;
}

std::vector<InlinedCopies::Function> Pass::finish() {
  llvm::sort(Copies);
  std::vector<InlinedCopies::Function> Found;
  StringMap<size_t> ByName;
  const Key *Last = nullptr;
  const char *Name = nullptr;
  for (auto &[Of, Start] : Copies) {
    if (!Last || Of != *Last)
      Name = nameOf(Of);
    Last = &Of;
    if (!Name)
      continue;
    auto [It, New] = ByName.try_emplace(Name, Found.size());
    if (New)
      Found.push_back({Name, {}});
    Found[It->second].Starts.push_back(Start);
  }
  for (InlinedCopies::Function &F : Found) {
    llvm::sort(F.Starts);
    F.Starts.erase(llvm::unique(F.Starts), F.Starts.end());
  }
  return Found;
}

InlinedCopies::InlinedCopies(DebugInfo &Of) {
  Pass P;
  for (const auto &U : Of.units())
    if (DWARFDie Root = U->getNonSkeletonUnitDIE())
      P.read(*Root.getDwarfUnit());
  Functions = P.finish();
}

} // namespace rw
