//===- DataflowSupport.h - What the dataflow commands share -----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_DATAFLOW_DATAFLOWSUPPORT_H
#define REWIND_COMMANDS_DATAFLOW_DATAFLOWSUPPORT_H

#include "commands/Command.h"
#include "commands/support/Format.h"
#include "commands/support/NameGlob.h"
#include "core/dataflow/Slice.h"

namespace rw {

namespace opt {
inline constexpr OptionSpec NoSuppress{
    "no-suppress", 0, "",
    "count saves, the stack pointer and return addresses, too"};
} // namespace opt

/// Whether instructions accessed memory and the trace does not tell where.
/// Looks at the program's instructions until one does.
bool placesMissing(const TraceStore &Store);

/// What the trace cannot tell of dependences: a line for each, to be shown
/// before the answer. Empty if it tells all.
std::vector<std::string> dataflowLimits(const TraceStore &Store);

/// "x0", "[0x1000, 4 bytes] counter".
std::string formatPlace(const Session &S, const dataflow::CellMap &Cells,
                        const dataflow::DataPlace &P);
/// Those side by side in one: "x0, v1".
std::string formatPlaces(const Session &S, const dataflow::CellMap &Cells,
                         llvm::ArrayRef<dataflow::DataPlace> Places);

/// The cells or bytes of a location.
llvm::Expected<std::vector<dataflow::DataPlace>>
placesOf(const dataflow::CellMap &Cells, const Location &L);

/// Joins cells that are neighbours.
std::vector<dataflow::DataPlace>
joined(llvm::ArrayRef<dataflow::DataPlace> Places);

/// "quicksort.c:12", or the function, or the address.
std::string sourcePlace(Session &S, uint64_t PC,
                        NameLength Names = NameLength::Whole);
/// Equal for instructions of one functionAt(), or sourcePlace(); different
/// where only its name is the same. Not to be shown.
struct CodeKeys {
  std::string Function, Source;
};
CodeKeys codeKeys(Session &S, uint64_t PC);
/// The function at \p PC, or its address.
std::string functionAt(Session &S, uint64_t PC,
                       NameLength Names = NameLength::Whole);

/// Whether the instruction at \p PC is one of a function that \p Of names, also
/// of one that is inlined there.
bool isOf(Session &S, uint64_t PC, const NameGlob &Of);

/// An Error if \p Of matches no function in which anything was executed: looks
/// at every instruction of the program until one is. \p Option is for the
/// message.
llvm::Error checkExecuted(Session &S, llvm::StringRef Option,
                          const NameGlob &Of);

} // namespace rw

#endif // REWIND_COMMANDS_DATAFLOW_DATAFLOWSUPPORT_H
