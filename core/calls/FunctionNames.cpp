//===- FunctionNames.cpp - Names for code addresses -----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/calls/FunctionNames.h"
#include "core/support/Digits.h"
#include "core/support/ElfFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/BinaryFormat/ELF.h"

namespace rw {

std::string FunctionNames::nameOr(uint64_t PC) {
  const Function &F = at(PC);
  return F.Name.empty() ? hex(PC) : F.Name;
}

llvm::Expected<std::vector<ImageSymbol>>
readSymbolTable(const llvm::object::ELFObjectFileBase &File, uint64_t Slide) {
  std::vector<ImageSymbol> Symbols;
  for (const llvm::object::ELFSymbolRef &S : File.symbols()) {
    uint8_t Type = S.getELFType(), Binding = S.getBinding();
    if ((Type != llvm::ELF::STT_NOTYPE && Type != llvm::ELF::STT_OBJECT &&
         Type != llvm::ELF::STT_FUNC) ||
        (Binding != llvm::ELF::STB_LOCAL && Binding != llvm::ELF::STB_GLOBAL &&
         Binding != llvm::ELF::STB_WEAK))
      continue;
    auto Name = S.getName();
    auto Value = S.getValue();
    if (!Name || !Value)
      return llvm::createStringError("symbol table: " +
                                     llvm::toString(llvm::joinErrors(
                                         Name.takeError(), Value.takeError())));
    Symbols.push_back({Name->str(), *Value + Slide, S.getSize()});
  }
  return Symbols;
}

llvm::Expected<std::vector<ImageSymbol>> readSymbolTable(llvm::StringRef Path,
                                                         uint64_t Slide) {
  auto File = openElf(Path);
  if (!File)
    return File.takeError();
  return readSymbolTable(*File->getBinary(), Slide);
}

/// Mapping symbols tell a disassembler what is code, and name nothing.
static bool isMappingSymbol(llvm::StringRef Name) {
  return Name.size() >= 2 && Name[0] == '$' &&
         llvm::StringRef("atxd").contains(Name[1]);
}

TtuNames::TtuNames(std::vector<ImageSymbol> All, bool Offsets)
    : Offsets(Offsets) {
  llvm::StringMap<unsigned> Seen;
  for (ImageSymbol &S : All) {
    if (S.Name.empty() || isMappingSymbol(S.Name))
      continue;
    if (unsigned N = Seen[S.Name]++)
      S.Name += "#" + std::to_string(N);
    Symbols.push_back(std::move(S));
  }
  llvm::stable_sort(Symbols, [](const ImageSymbol &A, const ImageSymbol &B) {
    return A.Start < B.Start;
  });
}

FunctionNames::Function TtuNames::lookup(uint64_t PC) {
  if (Symbols.empty())
    return {"", PC, "", 0};
  uint64_t Lowest = Symbols.front().Start;
  const ImageSymbol *Best = nullptr;
  size_t I =
      size_t(llvm::partition_point(
                 Symbols, [&](const ImageSymbol &S) { return S.Start <= PC; }) -
             Symbols.begin());
  // Downwards by address, but within one address in the order of the file; a
  // symbol that contains the address wins, else the nearest one.
  while (I > 0) {
    size_t First = I - 1;
    while (First > 0 && Symbols[First - 1].Start == Symbols[I - 1].Start)
      --First;
    if (Symbols[First].Start == Lowest)
      break;
    for (size_t J = First; J < I; ++J) {
      const ImageSymbol &S = Symbols[J];
      if (S.Size && PC - S.Start < S.Size) {
        Best = &S;
        First = 0;
        break;
      }
      if (!Best)
        Best = &S;
    }
    I = First;
  }
  if (!Best)
    return {"", PC, "", 0};
  std::string Name = Best->Name;
  if (Offsets && PC != Best->Start)
    Name += " + " + hex(PC);
  return {std::move(Name), Best->Start, "", 0};
}

} // namespace rw
