//===- LinePlaces.cpp - Where a source line is in the code ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/Symbols.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
#include <set>

using namespace llvm;

namespace rw {

uint64_t SymbolSource::blockAt(uint64_t) { return 0; }

/// Tells functions, and inlined copies of one, apart.
static std::string functionKey(SymbolSource &Symbols, uint64_t Addr) {
  auto Sym = Symbols.symbolizeCode(Addr);
  if (!Sym)
    return utohexstr(Addr);
  std::string Key = Sym->Function + utohexstr(Sym->Start);
  for (const SourceFrame &F : drop_begin(Sym->Frames, !Sym->Frames.empty()))
    Key += F.Function + ":" + std::to_string(F.Line) + ":" +
           std::to_string(F.Column) + ";";
  return Key;
}

std::vector<uint64_t> SymbolSource::linePlaces(std::vector<LinePart> Parts) {
  llvm::stable_sort(Parts, [](const LinePart &A, const LinePart &B) {
    return A.Addr < B.Addr;
  });
  const bool AnyStatement = any_of(
      Parts, [](const LinePart &P) { return P.Is == LinePart::Statement; });
  auto IsPiece = [&](const LinePart &P) {
    return P.Is == LinePart::Piece ||
           (P.Is == LinePart::BehindEmpty && AnyStatement);
  };
  std::vector<std::string> Keys;
  std::set<StringRef> HaveCode;
  for (const LinePart &P : Parts)
    Keys.push_back(functionKey(*this, P.Addr));
  for (auto [P, Key] : zip_equal(Parts, Keys))
    if (P.Is == LinePart::Statement || IsPiece(P))
      HaveCode.insert(Key);
  std::vector<uint64_t> Places;
  // By function, the first part of each block.
  std::map<StringRef, std::map<uint64_t, const LinePart *>> Blocks;
  for (auto [P, Key] : zip_equal(Parts, Keys)) {
    // Whose code an empty statement's address is says little of who has it.
    if (P.Is != LinePart::Statement &&
        (P.Is != LinePart::Empty || (AnyStatement && !HaveCode.count(Key))))
      continue;
    auto [It, New] = Blocks[Key].try_emplace(blockAt(P.Addr), &P);
    const LinePart &First = *It->second;
    if (New || (P.Copies && P.Is <= First.Is && P.Column &&
                P.Column == First.Column && P.Addr != First.Addr))
      Places.push_back(P.Addr);
  }
  for (auto [P, Key] : zip_equal(Parts, Keys))
    if (IsPiece(P) && Blocks.try_emplace(Key).second)
      Places.push_back(P.Addr);
  llvm::sort(Places);
  Places.erase(llvm::unique(Places), Places.end());
  return Places;
}

} // namespace rw
