//===- InlinedCopies.cpp - Where functions are inlined --------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/InlinedCopies.h"
#include "commands/support/EntryBounds.h"
#include <map>

using namespace llvm;
using namespace llvm::dwarf;

namespace rw {

/// Reads the entry at \p Offset, which is then behind it, into \p E: LLVM would
/// keep all entries of the unit, which take twice as much room as what they are
/// read from. False at the end of what is understood.
static bool read(DWARFUnit &U, const DWARFDataExtractor &Data, uint64_t &Offset,
                 DWARFDebugInfoEntry &E) {
  // What breaks off at the end of the section is read as an entry without
  // bytes.
  const uint64_t Before = Offset;
  return E.extractFast(U, &Offset, Data, U.getNextUnitOffset(), 0) &&
         Offset > Before;
}

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

/// Where control comes to the copy \p D: its parameters have values there. Its
/// lowest address, where LLDB's breakpoints are, may be of an instruction that
/// was moved out of a loop. It may have no code at all.
static std::optional<InlinedCopy> copyAt(DWARFDie D) {
  auto Ranges = D.getAddressRanges();
  if (!Ranges)
    consumeError(Ranges.takeError());
  InlinedCopy C;
  if (Ranges)
    for (const DWARFAddressRange &R : *Ranges)
      if (R.LowPC < R.HighPC)
        C.Code.push_back({R.LowPC, R.HighPC});
  llvm::sort(C.Code);
  if (auto Start = toAddress(D.find(DW_AT_entry_pc)))
    C.Start = *Start;
  else if (C.Code.empty())
    return std::nullopt;
  else
    C.Start = C.Code[0].first + toUnsigned(D.find(DW_AT_entry_pc)).value_or(0);
  if (any_of(C.Code, [&](const auto &R) {
        return R.first <= C.Start && C.Start < R.second;
      }))
    C.Code.clear();
  return C;
}

std::vector<InlinedCopy> InlinedCopies::Function::copies() const {
  std::vector<InlinedCopy> Found;
  for (const Entry &Its : Entries) {
    DWARFDebugInfoEntry E;
    uint64_t Offset = Its.Offset;
    if (!read(*Its.Unit, Its.Unit->getDebugInfoExtractor(), Offset, E))
      continue;
    const DWARFDie D(Its.Unit, &E);
    // GCC splits functions: the rest of one is "inlined" in its beginning,
    // called where it is declared.
    if (Its.InItself && Line && toUnsigned(D.find(DW_AT_call_line)) == Line)
      continue;
    if (auto C = copyAt(D)) {
      C->Depth = Its.Depth;
      Found.push_back(*C);
    }
  }
  auto Key = [](const InlinedCopy &C) { return C.Start; };
  llvm::sort(Found, [&](auto &A, auto &B) { return Key(A) < Key(B); });
  Found.erase(
      llvm::unique(Found, [&](auto &A, auto &B) { return Key(A) == Key(B); }),
      Found.end());
  return Found;
}

/// Goes through all entries once, and then to those of functions that have
/// copies.
class InlinedCopies::Pass {
public:
  explicit Pass(DebugInfo &Of);
  std::vector<Function> finish();

private:
  /// An entry: a unit in a file of its own refers to nothing else, and all
  /// others to each other.
  using Key = std::pair<const DWARFUnit *, uint64_t>;
  static Key keyOf(const DWARFUnit &U, uint64_t Offset) {
    return {U.isDWOUnit() ? &U : nullptr, Offset};
  }
  /// An entry that others are in.
  struct Scope {
    std::string Prefix; ///< of names in it: "ns::Class::"
    /// The function that it is, or is a copy of.
    std::optional<Key> Of;
    unsigned Depth = 0; ///< of inlined calls
  };
  void go(DWARFUnit &Unit);
  DWARFUnit *unitOf(Key Entry) const;
  Function functionOf(Key Of) const;

  std::vector<DWARFUnit *> Units; ///< those of one file, ascending
  DenseMap<Key, std::vector<Function::Entry>> Copies; ///< by origin
  /// Where names have other prefixes from there on, by offset.
  std::map<Key, std::string> Prefixes;
};

InlinedCopies::Pass::Pass(DebugInfo &Of) {
  for (const auto &U : Of.units())
    if (DWARFDie Root = Of.root(*U)) {
      DWARFUnit &Has = *Root.getDwarfUnit();
      if (!Of.isInside(Has))
        continue;
      if (!Has.isDWOUnit())
        Units.push_back(&Has);
      go(Has);
    }
  llvm::sort(Units, [](const DWARFUnit *A, const DWARFUnit *B) {
    return A->getOffset() < B->getOffset();
  });
}

void InlinedCopies::Pass::go(DWARFUnit &U) {
  const DWARFDataExtractor Data = U.getDebugInfoExtractor();
  constexpr size_t MostDepth = 1000; // damaged debug information
  std::vector<Scope> In = {{}};
  DWARFDebugInfoEntry E;
  const uint64_t First = U.getOffset() + U.getHeaderSize();
  uint64_t At = First;
  auto BeginPrefix = [&] { Prefixes[keyOf(U, At)] = In.back().Prefix; };
  BeginPrefix();
  // The unit's last entry ends the first one: what follows was not looked at.
  while ((In.size() > 1 || At == First) && In.size() < MostDepth &&
         At < U.getNextUnitOffset() && read(U, Data, At, E)) {
    const DWARFDie D(&U, &E);
    Scope Inner;
    Inner.Depth = In.back().Depth;
    switch (E.getTag()) {
    case DW_TAG_null: {
      if (In.size() == 1) // the first entry is none
        return;
      const bool Named = !In.back().Prefix.empty();
      In.pop_back();
      if (Named)
        BeginPrefix();
      continue;
    }
    case DW_TAG_namespace:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
      if (!E.hasChildren())
        break;
      In.push_back(std::move(Inner));
      In.back().Prefix = In[In.size() - 2].Prefix +
                         toString(D.find(DW_AT_name), "(anonymous namespace)") +
                         "::";
      BeginPrefix();
      continue;
    case DW_TAG_subprogram:
      if (E.hasChildren())
        Inner.Of = keyOf(U, toldBy(D) ? toldBy(D) : E.getOffset());
      Inner.Depth = 0;
      break;
    case DW_TAG_inlined_subroutine: {
      const uint64_t Origin = toldBy(D);
      if (!Origin)
        break;
      Inner.Of = keyOf(U, Origin);
      ++Inner.Depth;
      auto Around = find_if(llvm::reverse(In),
                            [](const Scope &S) { return S.Of.has_value(); });
      Copies[*Inner.Of].push_back(
          {&U, E.getOffset(), Inner.Depth,
           Around != In.rend() && Around->Of == Inner.Of});
      break;
    }
    default:
      break;
    }
    if (E.hasChildren())
      In.push_back(std::move(Inner));
  }
}

DWARFUnit *InlinedCopies::Pass::unitOf(Key Entry) const {
  if (Entry.first)
    return const_cast<DWARFUnit *>(Entry.first);
  const auto It = llvm::partition_point(Units, [&](const DWARFUnit *U) {
    return U->getNextUnitOffset() <= Entry.second;
  });
  return It != Units.end() && (*It)->getOffset() < Entry.second ? *It : nullptr;
}

InlinedCopies::Function InlinedCopies::Pass::functionOf(Key Of) const {
  constexpr unsigned MostSteps = 8; // damaged entries may go round
  Function F;
  for (unsigned Step = 0; Of.second && Step < MostSteps; ++Step) {
    DWARFUnit *U = unitOf(Of);
    DWARFDebugInfoEntry E;
    uint64_t Offset = Of.second;
    if (!U || !isReadableEntry(*U, Offset) ||
        !read(*U, U->getDebugInfoExtractor(), Offset, E) ||
        E.getTag() != DW_TAG_subprogram)
      break;
    const DWARFDie D(U, &E);
    if (!F.Line)
      F.Line = toUnsigned(D.find(DW_AT_decl_line));
    const uint64_t Other = toldBy(D);
    if (const char *Linked = toString(
            D.find({DW_AT_linkage_name, DW_AT_MIPS_linkage_name}), nullptr)) {
      F.Name = Linked;
      break;
    }
    if (const char *Name = toString(D.find(DW_AT_name), nullptr);
        Name && !Other) {
      const auto Prefix = Prefixes.upper_bound(Of);
      F.Name =
          (Prefix == Prefixes.begin() ? "" : std::prev(Prefix)->second) + Name;
    }
    Of.second = Other;
  }
  return F;
}

std::vector<InlinedCopies::Function> InlinedCopies::Pass::finish() {
  std::vector<Function> Found;
  StringMap<size_t> ByName;
  for (auto &[Of, Entries] : Copies) {
    Function F = functionOf(Of);
    if (F.Name.empty())
      continue;
    auto [It, New] = ByName.try_emplace(F.Name, Found.size());
    if (New)
      Found.push_back(std::move(F));
    append_range(Found[It->second].Entries, Entries);
  }
  return Found;
}

InlinedCopies::InlinedCopies(DebugInfo &Of) : Functions(Pass(Of).finish()) {}

} // namespace rw
