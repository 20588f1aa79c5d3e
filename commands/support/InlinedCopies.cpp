//===- InlinedCopies.cpp - Where functions are inlined --------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/InlinedCopies.h"
#include <map>

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

/// Where control comes to the copy \p D: its parameters have values there. Its
/// lowest address, where LLDB's breakpoints are, may be of an instruction that
/// was moved out of a loop. It may have no code at all.
static std::optional<InlinedCopy> copyAt(DWARFDie D) {
  auto Ranges = D.getAddressRanges();
  if (!Ranges)
    consumeError(Ranges.takeError());
  InlinedCopy C;
  const auto Lowest = [&](uint64_t From) {
    std::optional<uint64_t> Found;
    if (Ranges)
      for (const DWARFAddressRange &R : *Ranges)
        if (R.LowPC < R.HighPC && R.LowPC >= From)
          Found = std::min(R.LowPC, Found.value_or(R.LowPC));
    return Found;
  };
  auto Start = toAddress(D.find(DW_AT_entry_pc));
  if (!Start) {
    Start = Lowest(0);
    if (auto Offset = toUnsigned(D.find(DW_AT_entry_pc)); Offset && Start)
      Start = *Start + *Offset;
  }
  if (!Start)
    return std::nullopt;
  C.Start = *Start;
  const bool HasCode =
      Ranges && any_of(*Ranges, [&](const DWARFAddressRange &R) {
        return R.LowPC <= C.Start && C.Start < R.HighPC;
      });
  if (!HasCode)
    C.Code = Lowest(C.Start);
  return C;
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
    std::string Name;    ///< mangled, or with the scopes that it is in
    uint64_t ToldBy = 0; ///< the offset of the entry that has the name, or 0
    std::optional<uint64_t> Line; ///< of its declaration
  };
  struct Copy {
    Key Of;
    InlinedCopy Where;
    /// The line, if it is in the function, or in another copy of it.
    std::optional<uint64_t> CalledByItself;
    bool operator<(const Copy &C) const {
      return std::tie(Of, Where.Start) < std::tie(C.Of, C.Where.Start);
    }
  };
  /// An entry that others are in.
  struct Scope {
    std::string Prefix;    ///< of names in it: "ns::Class::"
    std::optional<Key> Of; ///< the function that it is, or is a copy of
    unsigned Depth = 0;    ///< of inlined calls
  };
  void readFunction(DWARFDie D, const Scope &In);
  void readCopy(DWARFDie D, ArrayRef<Scope> In);
  Function functionOf(Key Of) const;

  std::map<Key, Function> Known;
  std::vector<Copy> Copies;
};

} // namespace

void Pass::readFunction(DWARFDie D, const Scope &In) {
  Function F;
  F.ToldBy = toldBy(D);
  F.Line = toUnsigned(D.find(DW_AT_decl_line));
  if (const char *Name = toString(
          D.find({DW_AT_linkage_name, DW_AT_MIPS_linkage_name}), nullptr))
    F.Name = Name;
  else if (Name = toString(D.find(DW_AT_name), nullptr); Name && !F.ToldBy)
    F.Name = In.Prefix + Name;
  Known[keyOf(*D.getDwarfUnit(), D.getOffset())] = std::move(F);
}

void Pass::readCopy(DWARFDie D, ArrayRef<Scope> In) {
  const uint64_t Origin = toldBy(D);
  auto Where = copyAt(D);
  if (!Origin || !Where)
    return;
  Where->Depth = In.back().Depth + 1;
  Copy C{keyOf(*D.getDwarfUnit(), Origin), *Where, {}};
  auto Around = find_if(llvm::reverse(In),
                        [](const Scope &S) { return S.Of.has_value(); });
  if (Around != In.rend() && *Around->Of == C.Of)
    C.CalledByItself = toUnsigned(D.find(DW_AT_call_line));
  Copies.push_back(std::move(C));
}

void Pass::read(DWARFUnit &U) {
  const DWARFDataExtractor Data = U.getDebugInfoExtractor();
  const uint64_t End = U.getNextUnitOffset();
  constexpr size_t MostDepth = 1000; // damaged debug information
  std::vector<Scope> In = {{}};
  DWARFDebugInfoEntry E;
  for (uint64_t At = U.getOffset() + U.getHeaderSize(), Before = 0;
       At < End && In.size() < MostDepth;) {
    // What breaks off at the end of the section is read as an entry without
    // bytes.
    Before = At;
    if (!E.extractFast(U, &At, Data, End, 0) || At <= Before)
      return;
    const DWARFDie D(&U, &E);
    Scope Inner;
    Inner.Depth = In.back().Depth;
    switch (E.getTag()) {
    case DW_TAG_null:
      if (In.size() == 1)
        return;
      In.pop_back();
      continue;
    case DW_TAG_namespace:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
      Inner.Prefix = In.back().Prefix +
                     toString(D.find(DW_AT_name), "(anonymous namespace)") +
                     "::";
      break;
    case DW_TAG_subprogram:
      readFunction(D, In.back());
      Inner.Of = keyOf(U, toldBy(D) ? toldBy(D) : E.getOffset());
      Inner.Depth = 0;
      break;
    case DW_TAG_inlined_subroutine:
      readCopy(D, In);
      Inner.Of = keyOf(U, toldBy(D));
      ++Inner.Depth;
      break;
    default:
      break;
    }
    if (E.hasChildren())
      In.push_back(std::move(Inner));
  }
}

Pass::Function Pass::functionOf(Key Of) const {
  constexpr unsigned MostSteps = 8; // damaged entries may go round
  Function F;
  for (unsigned Step = 0; Step < MostSteps; ++Step) {
    const auto It = Known.find(Of);
    if (It == Known.end())
      break;
    if (F.Name.empty())
      F.Name = It->second.Name;
    if (!F.Line)
      F.Line = It->second.Line;
    Of.second = It->second.ToldBy;
  }
  return F;
}

std::vector<InlinedCopies::Function> Pass::finish() {
  llvm::sort(Copies);
  std::vector<InlinedCopies::Function> Found;
  StringMap<size_t> ByName;
  for (const Copy &C : Copies) {
    const Function F = functionOf(C.Of);
    // GCC splits functions: the rest of one is "inlined" in its beginning,
    // called where it is declared.
    const bool IsRest = C.CalledByItself && C.CalledByItself == F.Line;
    if (F.Name.empty() || IsRest)
      continue;
    auto [It, New] = ByName.try_emplace(F.Name, Found.size());
    if (New)
      Found.push_back({F.Name, {}});
    Found[It->second].Copies.push_back(C.Where);
  }
  for (InlinedCopies::Function &F : Found)
    F.Copies.erase(llvm::unique(F.Copies,
                                [](InlinedCopy A, InlinedCopy B) {
                                  return A.Start == B.Start;
                                }),
                   F.Copies.end());
  return Found;
}

InlinedCopies::InlinedCopies(DebugInfo &Of) {
  Pass P;
  for (const auto &U : Of.units())
    if (DWARFDie Root = Of.root(*U))
      P.read(*Root.getDwarfUnit());
  Functions = P.finish();
}

} // namespace rw
