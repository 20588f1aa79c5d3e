//===- ElfSegments.cpp - What an ELF file puts into memory ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/ElfSegments.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/BuildID.h"

using namespace llvm;
using namespace llvm::object;

namespace rw {

template <class ELFT>
static Expected<std::vector<ElfSegment>>
segmentsOf(const ELFObjectFile<ELFT> &File) {
  auto Headers = File.getELFFile().program_headers();
  if (!Headers)
    return Headers.takeError();
  std::vector<ElfSegment> Found;
  StringRef Data = File.getData();
  for (const auto &P : *Headers)
    if (P.p_type == ELF::PT_LOAD)
      Found.push_back({P.p_vaddr, P.p_memsz, P.p_flags,
                       Data.substr(P.p_offset, P.p_filesz)});
  return Found;
}

Expected<std::vector<ElfSegment>>
loadableSegments(const ELFObjectFileBase &File) {
  if (auto *E = dyn_cast<ELF64LEObjectFile>(&File))
    return segmentsOf(*E);
  if (auto *E = dyn_cast<ELF32LEObjectFile>(&File))
    return segmentsOf(*E);
  if (auto *E = dyn_cast<ELF64BEObjectFile>(&File))
    return segmentsOf(*E);
  return segmentsOf(cast<ELF32BEObjectFile>(File));
}

Expected<std::vector<CodeMapping>>
codeMappings(const ELFObjectFileBase &File, StringRef Path, uint64_t Slide) {
  auto Segments = loadableSegments(File);
  if (!Segments)
    return Segments.takeError();
  std::vector<CodeMapping> Found;
  for (const ElfSegment &S : *Segments)
    if (S.Flags & ELF::PF_X)
      Found.push_back({Path.str(), toHex(getBuildID(&File), /*LowerCase=*/true),
                       S.Start + Slide, S.Start + Slide + S.Size,
                       uint64_t(S.Contents.data() - File.getData().data())});
  return Found;
}

uint64_t lowestAddress(ArrayRef<ElfSegment> Segments) {
  uint64_t Lowest = ~uint64_t(0);
  for (const ElfSegment &S : Segments)
    Lowest = std::min(Lowest, S.Start);
  return Lowest;
}

} // namespace rw
