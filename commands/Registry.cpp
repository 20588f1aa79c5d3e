//===- Registry.cpp - The list of commands --------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"

namespace rw {

// One line each here and below.
extern const Command InfoCommand;
extern const Command ListCommand;
extern const Command WhereCommand;
extern const Command GotoCommand;
extern const Command BackCommand;
extern const Command ForwardCommand;
extern const Command FindCommand;
extern const Command LastWriteCommand;
extern const Command NextWriteCommand;
extern const Command FirstWriteCommand;
extern const Command LastReadCommand;
extern const Command NextReadCommand;
extern const Command HistoryCommand;
extern const Command DiffCommand;
extern const Command OriginCommand;
extern const Command WhyCommand;
extern const Command EvalCommand;
extern const Command CallsTreeCommand;
extern const Command CallsInfoCommand;
extern const Command CallsWhereCommand;
extern const Command CallsParentCommand;
extern const Command CallsEnterCommand;
extern const Command CallsLeaveCommand;
extern const Command ProfileFunctionsCommand;
extern const Command ProfileTreeCommand;
extern const Command ProfileSelfCommand;
extern const Command ProfileDominatedCommand;
extern const Command ProfileBlockCommand;
extern const Command ProfileSequencesCommand;
extern const Command ProfileDiffCommand;
extern const Command ProfileMergeCommand;
extern const Command ExportFlameGraphCommand;
extern const Command ExportSvgCommand;
extern const Command ExportSpeedscopeCommand;
extern const Command ExportPprofCommand;
extern const Command ExportProfileCommand;
extern const Command ExportPerfettoCommand;
extern const Command ExportCtfCommand;
extern const Command ExportVcdCommand;
extern const Command TruncateCommand;
extern const Command BookmarkAddCommand;
extern const Command BookmarkListCommand;
extern const Command BookmarkDeleteCommand;
extern const Command SliceCommand;
extern const Command DepsCommand;
extern const Command DepsLinesCommand;
extern const Command CriticalPathCommand;
extern const Command ParallelismCommand;
extern const Command HtrRunCommand;
extern const Command HtrLayersCommand;
extern const Command HtrDumpCommand;
extern const Command HtrBlockCommand;
extern const Command HtrExpandCommand;
extern const Command HtrGotoCommand;
extern const Command HtrWhereCommand;
extern const Command HtrExportCommand;
extern const Command HtmStatsCommand;
extern const Command HtmMixCommand;
extern const Command HtmBlocksCommand;
extern const Command HtmDumpCommand;
extern const Command ExportQtraceCommand;
extern const Command QtraceDumpCommand;

// clang-format off
static const Command *const All[] = {
    &InfoCommand,
    &ListCommand,
    &WhereCommand,
    &GotoCommand,
    &BackCommand,
    &ForwardCommand,
    &FindCommand,
    &LastWriteCommand,
    &NextWriteCommand,
    &FirstWriteCommand,
    &LastReadCommand,
    &NextReadCommand,
    &HistoryCommand,
    &DiffCommand,
    &OriginCommand,
    &WhyCommand,
    &EvalCommand,
    &CallsTreeCommand,
    &CallsInfoCommand,
    &CallsWhereCommand,
    &CallsParentCommand,
    &CallsEnterCommand,
    &CallsLeaveCommand,
    &ProfileFunctionsCommand,
    &ProfileTreeCommand,
    &ProfileSelfCommand,
    &ProfileDominatedCommand,
    &ProfileBlockCommand,
    &ProfileSequencesCommand,
    &ProfileDiffCommand,
    &ProfileMergeCommand,
    &ExportFlameGraphCommand,
    &ExportSvgCommand,
    &ExportSpeedscopeCommand,
    &ExportPprofCommand,
    &ExportProfileCommand,
    &ExportPerfettoCommand,
    &ExportCtfCommand,
    &ExportVcdCommand,
    &TruncateCommand,
    &BookmarkAddCommand,
    &BookmarkListCommand,
    &BookmarkDeleteCommand,
    &SliceCommand,
    &DepsCommand,
    &DepsLinesCommand,
    &CriticalPathCommand,
    &ParallelismCommand,
    &HtrRunCommand,
    &HtrLayersCommand,
    &HtrDumpCommand,
    &HtrBlockCommand,
    &HtrExpandCommand,
    &HtrGotoCommand,
    &HtrWhereCommand,
    &HtrExportCommand,
    &HtmStatsCommand,
    &HtmMixCommand,
    &HtmBlocksCommand,
    &HtmDumpCommand,
    &ExportQtraceCommand,
    &QtraceDumpCommand,
};
// clang-format on

llvm::ArrayRef<const Command *> commands() { return All; }

} // namespace rw
