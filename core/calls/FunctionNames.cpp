//===- FunctionNames.cpp - Names for code addresses -----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/calls/FunctionNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

namespace rw {

static std::string hexAddress(uint64_t A) {
  return "0x" + llvm::utohexstr(A, /*LowerCase=*/true);
}

std::string FunctionNames::nameOr(uint64_t PC) {
  const Function &F = at(PC);
  return F.Name.empty() ? hexAddress(PC) : F.Name;
}

/// Mapping symbols tell a disassembler what is code, and name nothing.
static bool isMappingSymbol(llvm::StringRef Name) {
  return Name.size() >= 2 && Name[0] == '$' &&
         llvm::StringRef("atxd").contains(Name[1]);
}

PeerNames::PeerNames(std::vector<ImageSymbol> All, bool Offsets)
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

FunctionNames::Function PeerNames::lookup(uint64_t PC) {
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
    Name += " + " + hexAddress(PC);
  return {std::move(Name), Best->Start, "", 0};
}

} // namespace rw
