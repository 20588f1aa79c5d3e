//===- FunctionNames.h - Names for code addresses ---------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_CALLS_FUNCTIONNAMES_H
#define REWIND_CALLS_FUNCTIONNAMES_H

#include "core/support/Printable.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace llvm::object {
class ELFObjectFileBase;
}

namespace rw {

/// What the call tree needs to know of the program's functions. Addresses are
/// those of the trace, without Thumb bit. Answers are kept per address.
class FunctionNames {
public:
  struct Function {
    std::string Name;   ///< empty if there is no symbol
    uint64_t Start = 0; ///< first address of it; the address itself if unknown
    std::string File;   ///< of the source line at the address asked for; or ""
    unsigned Line = 0;
  };
  virtual ~FunctionNames() = default;

  const Function &at(uint64_t PC) {
    auto [It, New] = Known.try_emplace(PC);
    if (New) {
      It->second = lookup(PC);
      It->second.Name = printable(It->second.Name);
      It->second.File = printable(It->second.File);
    }
    return It->second;
  }
  /// The name, or the address in hexadecimal.
  std::string nameOr(uint64_t PC);

protected:
  virtual Function lookup(uint64_t PC) = 0;

private:
  std::unordered_map<uint64_t, Function> Known;
};

/// No image, no names.
class NoNames final : public FunctionNames {
protected:
  Function lookup(uint64_t PC) override { return {"", PC, "", 0}; }
};

/// A symbol as an image's symbol table has it.
struct ImageSymbol {
  std::string Name; ///< mangled
  uint64_t Start = 0, Size = 0;
};

/// All symbols of an ELF file's .symtab that name code or data, in its order,
/// \p Slide bytes further up.
llvm::Expected<std::vector<ImageSymbol>>
readSymbolTable(const llvm::object::ELFObjectFileBase &File,
                uint64_t Slide = 0);
llvm::Expected<std::vector<ImageSymbol>> readSymbolTable(llvm::StringRef Path,
                                                         uint64_t Slide = 0);

/// Names as the Tarmac Trace Utilities (TTU) choose them, for output that must
/// equal theirs: mangled; "f + 0x<address>" (the address, not the offset) off
/// the start; a second symbol of a name is "f#1"; the lowest symbol of all is
/// never found.
class TtuNames final : public FunctionNames {
public:
  /// \p Symbols in the order of the file.
  explicit TtuNames(std::vector<ImageSymbol> Symbols, bool Offsets = true);

protected:
  Function lookup(uint64_t PC) override;

private:
  std::vector<ImageSymbol> Symbols; ///< by address, then order in the file
  bool Offsets;
};

} // namespace rw

#endif // REWIND_CALLS_FUNCTIONNAMES_H
