//===- ElfSymbols.h - Symbols from ELF files --------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_ELFSYMBOLS_H
#define REWIND_COMMANDS_SUPPORT_ELFSYMBOLS_H

#include "commands/support/DebugInfo.h"
#include "commands/support/Symbols.h"
#include "core/model/ItemBatch.h"
#include <memory>

namespace rw {

/// The shell's SymbolSource: the images that --image names. Symbol tables are
/// read when an image is added, debug info at the first question about it.
class ElfSymbols final : public SymbolSource {
public:
  ElfSymbols();
  ~ElfSymbols() override;

  /// Adds an ELF executable or shared object. \p LoadAddress is where its first
  /// loadable segment was; without, where the file says.
  llvm::Error add(llvm::StringRef Path,
                  std::optional<uint64_t> LoadAddress = std::nullopt);
  /// One that lies \p Slide bytes behind where the file says.
  llvm::Error addMoved(llvm::StringRef Path, uint64_t Slide);
  /// A module that the trace names; nothing if its file was added before. An
  /// Error if it is not the build that was traced.
  llvm::Error addModule(const ModuleInfo &M);

  /// Told of debug information that is damaged, when it is asked for.
  std::function<void(const std::string &)> Warn;
  /// The debug information of each image.
  std::vector<DwarfImage> debugInfo();

  bool empty() const { return Images.empty(); }
  std::vector<std::string> files() const;

  /// The function at \p Addr by the symbol tables alone.
  std::optional<CodeSymbol> functionAt(uint64_t Addr) const;

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
  uint64_t blockAt(uint64_t Addr) override;
  std::vector<ImageSymbol> symbolTable() override;
  std::vector<CodeMapping> codeMappings() override;
  std::vector<std::pair<uint64_t, llvm::ArrayRef<uint8_t>>> readOnly() override;
  std::optional<ImageSection> sectionAt(uint64_t Addr) override;
  size_t readImage(uint64_t Addr,
                   llvm::MutableArrayRef<uint8_t> Bytes) override;

private:
  struct Image;
  uint64_t inFunction(uint64_t Start, uint64_t (*Find)(DebugInfo &, uint64_t));
  llvm::Error add(std::unique_ptr<Image> I,
                  std::optional<uint64_t> LoadAddress);
  std::vector<std::unique_ptr<Image>> Images;
};

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_ELFSYMBOLS_H
