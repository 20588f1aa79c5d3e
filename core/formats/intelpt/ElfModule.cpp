//===- ElfModule.cpp - Code and build id of an ELF file -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/intelpt/ElfModule.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELF.h"

using namespace llvm;

namespace rw::intelpt {

using Elf = object::ELFFile<object::ELF64LE>;

static Error bad(const std::string &Path, const Twine &Why) {
  return createStringError(std::make_error_code(std::errc::invalid_argument),
                           "module '" + Path + "': " + Why);
}

static std::string buildId(const Elf &File) {
  auto fromNotes = [&](auto &&Notes) -> std::string {
    for (const auto &Note : Notes)
      if (Note.getType() == ELF::NT_GNU_BUILD_ID && Note.getName() == "GNU")
        return toHex(Note.getDesc(4));
    return "";
  };
  std::string Id;
  auto Headers = File.program_headers();
  if (!Headers) {
    consumeError(Headers.takeError());
    return Id;
  }
  for (const auto &P : *Headers)
    if (P.p_type == ELF::PT_NOTE && Id.empty()) {
      Error E = Error::success();
      Id = fromNotes(File.notes(P, E));
      consumeError(std::move(E));
    }
  return Id;
}

uint64_t ElfModule::lowestPage() const {
  uint64_t Lowest = ~uint64_t(0);
  for (const Segment &S : Segments)
    Lowest = std::min(Lowest, S.Address);
  return Lowest & ~uint64_t(0xfff);
}

Expected<ElfModule> ElfModule::read(const std::string &Path) {
  // Read, not mapped: it may be replaced while it is being looked at.
  auto Data = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false,
                                    /*IsVolatile=*/true);
  if (!Data)
    return bad(Path, "cannot be read: " + Data.getError().message());
  ElfModule M;
  M.Data = std::move(*Data);
  StringRef Bytes = M.Data->getBuffer();
  if (Bytes.size() < sizeof(Elf::Elf_Ehdr) || !Bytes.starts_with("\177ELF"))
    return bad(Path, "is not an ELF file");
  if (Bytes[ELF::EI_CLASS] != ELF::ELFCLASS64 ||
      Bytes[ELF::EI_DATA] != ELF::ELFDATA2LSB)
    return bad(Path, "is not a 64-bit little-endian ELF file");
  auto File = Elf::create(Bytes);
  if (!File)
    return bad(Path, toString(File.takeError()));
  if (File->getHeader().e_machine != ELF::EM_X86_64)
    return bad(Path, "is not for x86-64");
  auto Headers = File->program_headers();
  if (!Headers)
    return bad(Path, toString(Headers.takeError()));
  for (const auto &P : *Headers) {
    if (P.p_type != ELF::PT_LOAD)
      continue;
    if (P.p_offset > Bytes.size() || P.p_filesz > Bytes.size() - P.p_offset)
      return bad(Path, "is cut short: a segment ends at byte " +
                           Twine(P.p_offset + P.p_filesz) + " of " +
                           Twine(Bytes.size()));
    if (P.p_vaddr + P.p_memsz < P.p_vaddr)
      return bad(Path, "has a segment that goes around the end of memory");
    Segment S;
    S.Address = P.p_vaddr;
    S.MemorySize = P.p_memsz;
    S.FileOffset = P.p_offset;
    S.Executable = P.p_flags & ELF::PF_X;
    S.Contents = Bytes.substr(P.p_offset, std::min(P.p_filesz, P.p_memsz));
    M.Segments.push_back(S);
  }
  if (M.Segments.empty())
    return bad(Path, "has nothing to load");
  M.BuildId = buildId(*File);
  return M;
}

} // namespace rw::intelpt
