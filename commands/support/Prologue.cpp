//===- Prologue.cpp - Where the body of a function begins -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/Prologue.h"
#include "commands/support/DebugInfo.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugLine.h"

using namespace llvm;
using Row = DWARFDebugLine::Row;

namespace rw {

/// The rows of \p Table from \p Start on, as many as LLDB looks at. Of several
/// at one address LLDB keeps the last, and takes it for the end of the
/// prologue: gcc has no other mark.
static SmallVector<Row> firstRows(const DWARFDebugLine::LineTable &Table,
                                  object::SectionedAddress Start,
                                  uint64_t End) {
  constexpr size_t Most = 64;
  SmallVector<Row> Rows;
  const uint32_t First = Table.lookupAddress(Start);
  if (First == UINT32_MAX)
    return Rows;
  // It answers the last row of the address.
  uint32_t I = First;
  while (I > 0 && !Table.Rows[I - 1].EndSequence &&
         Table.Rows[I - 1].Address.Address == Table.Rows[First].Address.Address)
    --I;
  for (; I < Table.Rows.size() && Rows.size() < Most; ++I) {
    Row R = Table.Rows[I];
    if (R.EndSequence || R.Address.Address >= End)
      break;
    if (!Rows.empty() && Rows.back().Address.Address == R.Address.Address) {
      R.PrologueEnd = R.File == Rows.back().File;
      Rows.back() = R;
    } else {
      Rows.push_back(R);
    }
  }
  return Rows;
}

/// The rows of the function that begins at \p Start; none if it has none, which
/// is told, or if none is known.
static SmallVector<Row> rowsOf(DebugInfo &Dwarf, uint64_t Start) {
  DWARFDie Function = Dwarf.functionAt(Start);
  uint64_t Low, End, Section;
  if (!Function || !Function.getLowAndHighPC(Low, End, Section) || Low != Start)
    return {};
  const auto *Table = Dwarf.linesOf(*Function.getDwarfUnit());
  auto Rows =
      Table ? firstRows(*Table, {Start, object::SectionedAddress::UndefSection},
                        End)
            : SmallVector<Row>();
  if (Rows.empty())
    Dwarf.tellNoLines(Function);
  return Rows;
}

uint64_t behindFirstRow(DebugInfo &Dwarf, uint64_t Start) {
  const auto Rows = rowsOf(Dwarf, Start);
  return Rows.size() > 1 ? Rows[1].Address.Address : Start;
}

uint64_t behindPrologue(DebugInfo &Dwarf, uint64_t Start) {
  const auto Rows = rowsOf(Dwarf, Start);
  if (Rows.empty())
    return Start;

  constexpr size_t Near = 6;
  auto FirstThat = [&](size_t From, auto Holds) {
    for (size_t I = From; I < std::min(Near, Rows.size()); ++I)
      if (Holds(Rows[I]))
        return I;
    return Rows.size();
  };
  size_t Body = FirstThat(0, [](const Row &R) { return R.PrologueEnd; });
  if (Body == Rows.size())
    Body = FirstThat(1, [&](const Row &R) { return R.Line != Rows[0].Line; });
  // All of it is the first line's: behind its first row.
  if (Body == Rows.size())
    Body = 1;
  // What is inlined may be in a loop. LLDB stops there all the same.
  if (Body > 1 && Body < Rows.size() &&
      Dwarf.framesAt(Rows[Body].Address.Address).getNumberOfFrames() > 1)
    Body = 1;
  // Code of no line belongs to nobody.
  while (Body < Rows.size() && Rows[Body].Line == 0)
    ++Body;
  return Body < Rows.size() ? Rows[Body].Address.Address : Start;
}

} // namespace rw
