//===- TargetSymbols.h - Symbols and lines as LLDB knows them -*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_TARGETSYMBOLS_H
#define REWIND_PLUGIN_TARGETSYMBOLS_H

#include "plugin/ModuleSymbols.h"

namespace rw {

/// The modules of a target, where they are loaded now.
class TargetSymbols final : public SymbolSource {
public:
  TargetSymbols(lldb::SBTarget Target, ModuleSymbols &Modules)
      : Target(Target), Modules(Modules) {}

  std::optional<CodeSymbol> symbolizeCode(uint64_t Addr) override;
  std::optional<DataSymbol> symbolizeData(uint64_t Addr) override;
  std::vector<DataSymbol> findSymbol(llvm::StringRef Name) override;
  std::vector<DataSymbol> thunksTo(uint64_t Start) override;
  std::vector<InlinedCopy> inlinedCopies(llvm::StringRef Name) override;
  uint64_t localEntry(uint64_t Start) override;
  uint64_t behindPrologue(uint64_t Start) override;
  bool knowsArgumentsAtEntry(uint64_t Start) override;
  uint64_t behindFirstRow(uint64_t Start) override;
  llvm::Expected<std::vector<uint64_t>> findLine(llvm::StringRef File,
                                                 unsigned Line) override;
  std::vector<ImageSymbol> symbolTable() override;
  std::vector<CodeMapping> codeMappings() override;
  std::optional<ImageSection> sectionAt(uint64_t Addr) override;
  size_t readImage(uint64_t Addr,
                   llvm::MutableArrayRef<uint8_t> Bytes) override;

private:
  ElfSymbols &tables();

  lldb::SBTarget Target;
  ModuleSymbols &Modules;
  ElfSymbols *Tables = nullptr; ///< from the first question on
};

} // namespace rw

#endif // REWIND_PLUGIN_TARGETSYMBOLS_H
