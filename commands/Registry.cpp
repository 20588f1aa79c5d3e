//===- Registry.cpp - The list of commands --------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"

// The commands, in the order in which help lists them: a line each, ANALYSIS if
// it is in the library rewind_analyses, which plugin/basic does without.
// clang-format off
#define REWIND_COMMANDS(COMMAND, ANALYSIS) \
  COMMAND(Info) \
  COMMAND(List) \
  COMMAND(Where) \
  COMMAND(Goto) \
  COMMAND(Back) \
  COMMAND(Forward) \
  COMMAND(Find) \
  COMMAND(LastWrite) \
  COMMAND(NextWrite) \
  COMMAND(FirstWrite) \
  COMMAND(LastRead) \
  COMMAND(NextRead) \
  COMMAND(History) \
  COMMAND(Diff) \
  ANALYSIS(Origin) \
  COMMAND(Why) \
  COMMAND(Eval) \
  COMMAND(CallsTree) \
  COMMAND(CallsInfo) \
  COMMAND(CallsWhere) \
  COMMAND(CallsParent) \
  COMMAND(CallsEnter) \
  COMMAND(CallsLeave) \
  ANALYSIS(ProfileFunctions) \
  ANALYSIS(ProfileTree) \
  ANALYSIS(ProfileSelf) \
  ANALYSIS(ProfileDominated) \
  ANALYSIS(ProfileBlock) \
  ANALYSIS(ProfileSequences) \
  ANALYSIS(ProfileDiff) \
  ANALYSIS(ProfileMerge) \
  ANALYSIS(ExportFlameGraph) \
  ANALYSIS(ExportSvg) \
  ANALYSIS(ExportSpeedscope) \
  ANALYSIS(ExportPprof) \
  ANALYSIS(ExportProfile) \
  ANALYSIS(ExportPerfetto) \
  ANALYSIS(ExportCtf) \
  ANALYSIS(ExportVcd) \
  ANALYSIS(Truncate) \
  COMMAND(BookmarkAdd) \
  COMMAND(BookmarkList) \
  COMMAND(BookmarkDelete) \
  ANALYSIS(Slice) \
  ANALYSIS(SliceNext) \
  ANALYSIS(SlicePrev) \
  ANALYSIS(Deps) \
  ANALYSIS(DepsLines) \
  ANALYSIS(CriticalPath) \
  ANALYSIS(Parallelism) \
  ANALYSIS(HtrRun) \
  ANALYSIS(HtrLayers) \
  ANALYSIS(HtrDump) \
  ANALYSIS(HtrHot) \
  ANALYSIS(HtrLoop) \
  ANALYSIS(HtrBlock) \
  ANALYSIS(HtrExpand) \
  ANALYSIS(HtrCompare) \
  ANALYSIS(HtrGoto) \
  ANALYSIS(HtrWhere) \
  ANALYSIS(HtrExport) \
  ANALYSIS(HtmStats) \
  ANALYSIS(HtmMix) \
  ANALYSIS(HtmBlocks) \
  ANALYSIS(HtmDump) \
  ANALYSIS(ExportQtrace) \
  ANALYSIS(QtraceDump) \
  ANALYSIS(Serve) \
  ANALYSIS(Mcp)
// clang-format on

namespace rw {

#define REWIND_DECLARE(NAME) extern const Command NAME##Command;
REWIND_COMMANDS(REWIND_DECLARE, REWIND_DECLARE)

#define REWIND_ADDRESS(NAME) &NAME##Command,
#ifdef REWIND_BASIC
#define REWIND_ANALYSIS(NAME)
#else
#define REWIND_ANALYSIS(NAME) REWIND_ADDRESS(NAME)
#endif
static const Command *const All[] = {
    REWIND_COMMANDS(REWIND_ADDRESS, REWIND_ANALYSIS)};

llvm::ArrayRef<const Command *> commands() { return All; }

} // namespace rw
