//===- ModuleSymbols.h - Symbol tables of a target --------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_MODULESYMBOLS_H
#define REWIND_PLUGIN_MODULESYMBOLS_H

#include "commands/support/ElfSymbols.h"
#include "commands/support/ProgramVariables.h"
#include "lldb/API/SBTarget.h"
#include <set>
#include <utility>

namespace rw {

/// The symbol tables of a target's modules, read as the shell reads them, so
/// that an answer is the same in both. LLDB's own tables have symbols that LLDB
/// invented (for the functions of a stripped image, from unwind information).
class ModuleSymbols {
public:
  /// Those of the modules as they are loaded now. Valid until the next call.
  ElfSymbols &of(lldb::SBTarget Target);
  /// Whether \p Module is a file whose tables could be read, so that what they
  /// do not name has no name.
  bool have(lldb::SBModule Module) const;
  /// What was found damaged since this was asked last.
  std::vector<std::string> takeDamage() { return std::exchange(Damage, {}); }

private:
  std::vector<ProgramVariables::Image> Have;
  std::set<std::string> Read; ///< of these files
  std::vector<std::string> Damage;
  std::unique_ptr<ElfSymbols> Symbols;
};

/// How far \p Module was moved from where its file says; none if it is not
/// loaded.
std::optional<uint64_t> slideOf(lldb::SBTarget Target, lldb::SBModule Module);

/// The files of the modules that are loaded. Takes no lock of the target, so
/// that a thread that LLDB waits for may ask.
std::vector<ProgramVariables::Image> loadedImages(lldb::SBTarget Target);

/// "dir/file.c" of a file specification; empty if it has none.
std::string pathOf(lldb::SBFileSpec File);

} // namespace rw

#endif // REWIND_PLUGIN_MODULESYMBOLS_H
