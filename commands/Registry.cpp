//===- Registry.cpp - The list of commands --------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"

// The commands, in the order in which help lists them: a line each.
// clang-format off
#define REWIND_COMMANDS(COMMAND) \
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
  COMMAND(Origin) \
  COMMAND(Why) \
  COMMAND(Eval) \
  COMMAND(CallsTree) \
  COMMAND(CallsInfo) \
  COMMAND(CallsWhere) \
  COMMAND(CallsParent) \
  COMMAND(CallsEnter) \
  COMMAND(CallsLeave) \
  COMMAND(ProfileFunctions) \
  COMMAND(ProfileTree) \
  COMMAND(ProfileSelf) \
  COMMAND(ProfileDominated) \
  COMMAND(ProfileBlock) \
  COMMAND(ProfileSequences) \
  COMMAND(ProfileDiff) \
  COMMAND(ProfileMerge) \
  COMMAND(ExportFlameGraph) \
  COMMAND(ExportSvg) \
  COMMAND(ExportSpeedscope) \
  COMMAND(ExportPprof) \
  COMMAND(ExportProfile) \
  COMMAND(ExportPerfetto) \
  COMMAND(ExportCtf) \
  COMMAND(ExportVcd) \
  COMMAND(Truncate) \
  COMMAND(BookmarkAdd) \
  COMMAND(BookmarkList) \
  COMMAND(BookmarkDelete) \
  COMMAND(Slice) \
  COMMAND(SliceNext) \
  COMMAND(SlicePrev) \
  COMMAND(Deps) \
  COMMAND(DepsLines) \
  COMMAND(CriticalPath) \
  COMMAND(Parallelism) \
  COMMAND(HtrRun) \
  COMMAND(HtrLayers) \
  COMMAND(HtrDump) \
  COMMAND(HtrHot) \
  COMMAND(HtrLoop) \
  COMMAND(HtrBlock) \
  COMMAND(HtrExpand) \
  COMMAND(HtrCompare) \
  COMMAND(HtrGoto) \
  COMMAND(HtrWhere) \
  COMMAND(HtrExport) \
  COMMAND(HtmStats) \
  COMMAND(HtmMix) \
  COMMAND(HtmBlocks) \
  COMMAND(HtmDump) \
  COMMAND(ExportQtrace) \
  COMMAND(QtraceDump) \
  COMMAND(Serve) \
  COMMAND(Mcp)
// clang-format on

namespace rw {

#define REWIND_DECLARE(NAME) extern const Command NAME##Command;
REWIND_COMMANDS(REWIND_DECLARE)

#define REWIND_ADDRESS(NAME) &NAME##Command,
static const Command *const All[] = {REWIND_COMMANDS(REWIND_ADDRESS)};

llvm::ArrayRef<const Command *> commands() { return All; }

} // namespace rw
