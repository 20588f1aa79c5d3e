//===- ElfModule.cpp - Code and build id of an ELF file -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/intelpt/ElfModule.h"
#include "core/support/InputFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <gelf.h>

using namespace llvm;

namespace rw::intelpt {

static Error bad(const std::string &Path, const Twine &Why) {
  return createStringError(std::make_error_code(std::errc::invalid_argument),
                           "module '" + Path + "': " + Why);
}

/// The build id in the notes of segment \p P, or nothing.
static std::string buildId(Elf *File, const GElf_Phdr &P) {
  Elf_Data *Notes =
      elf_getdata_rawchunk(File, int64_t(P.p_offset), P.p_filesz,
                           P.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
  if (!Notes)
    return "";
  GElf_Nhdr Note;
  size_t Name = 0, Desc = 0;
  for (size_t At = 0;
       (At = gelf_getnote(Notes, At, &Note, &Name, &Desc)) > 0;) {
    auto *Bytes = static_cast<const uint8_t *>(Notes->d_buf);
    if (Note.n_type == NT_GNU_BUILD_ID && Note.n_namesz == 4 &&
        std::memcmp(Bytes + Name, "GNU", 4) == 0)
      return toHex(ArrayRef(Bytes + Desc, Note.n_descsz));
  }
  return "";
}

/// Functions that may return once more later.
static bool returnsAgain(StringRef Name) {
  return StringSwitch<bool>(Name)
      .Cases({"setjmp", "_setjmp", "__setjmp", "sigsetjmp", "__sigsetjmp",
              "getcontext", "__getcontext"},
             true)
      .Default(false);
}

/// A file without section headers has none.
static void readSymbols(Elf *File, ElfModule &Out) {
  for (Elf_Scn *S = nullptr; (S = elf_nextscn(File, S));) {
    GElf_Shdr Header;
    if (!gelf_getshdr(S, &Header) ||
        (Header.sh_type != SHT_SYMTAB && Header.sh_type != SHT_DYNSYM))
      continue;
    Elf_Data *Data = elf_getdata(S, nullptr);
    GElf_Sym Symbol;
    for (int K = 0; Data && gelf_getsym(Data, K, &Symbol); ++K) {
      if (GELF_ST_TYPE(Symbol.st_info) != STT_FUNC ||
          Symbol.st_shndx == SHN_UNDEF)
        continue;
      if (Symbol.st_size)
        Out.Functions.push_back({Symbol.st_value, Symbol.st_size});
      const char *Name = elf_strptr(File, Header.sh_link, Symbol.st_name);
      if (Name && returnsAgain(Name))
        Out.Setjmps.push_back(Symbol.st_value);
    }
  }
}

StringRef ElfModule::contentsFrom(uint64_t Address) const {
  for (const Segment &S : Segments)
    if (Address >= S.Address && Address - S.Address < S.Contents.size())
      return S.Contents.substr(Address - S.Address);
  return {};
}

bool ElfModule::isCode(uint64_t Address) const {
  return llvm::any_of(Segments, [&](const Segment &S) {
    return S.Executable && Address >= S.Address &&
           Address - S.Address < S.Contents.size();
  });
}

uint64_t ElfModule::lowestPage() const {
  uint64_t Lowest = ~uint64_t(0);
  for (const Segment &S : Segments)
    Lowest = std::min(Lowest, S.Address);
  return Lowest & ~uint64_t(0xfff);
}

Expected<ElfModule> ElfModule::read(const std::string &Path) {
  // Read, not mapped: it may be replaced while it is being looked at.
  auto Data = readWritable(Path);
  if (!Data)
    return Data.takeError();
  StringRef Bytes = (*Data)->MemoryBuffer::getBuffer();
  elf_version(EV_CURRENT);
  Elf *File = elf_memory((*Data)->getBufferStart(), Bytes.size());
  if (!File)
    return bad(Path, elf_errmsg(-1));
  llvm::scope_exit End([&] { elf_end(File); });
  GElf_Ehdr Header;
  if (elf_kind(File) != ELF_K_ELF || !gelf_getehdr(File, &Header))
    return bad(Path, "is not an ELF file");
  if (Header.e_ident[EI_CLASS] != ELFCLASS64 ||
      Header.e_ident[EI_DATA] != ELFDATA2LSB)
    return bad(Path, "is not a 64-bit little-endian ELF file");
  if (Header.e_machine != EM_X86_64)
    return bad(Path, "is not for x86-64");
  size_t NumHeaders = 0;
  if (elf_getphdrnum(File, &NumHeaders))
    return bad(Path, elf_errmsg(-1));
  ElfModule M;
  for (size_t K = 0; K < NumHeaders; ++K) {
    GElf_Phdr P;
    if (!gelf_getphdr(File, int(K), &P))
      return bad(Path, elf_errmsg(-1));
    if (P.p_type == PT_NOTE && M.BuildId.empty())
      M.BuildId = buildId(File, P);
    if (P.p_type == PT_GNU_EH_FRAME)
      M.EhFrameHeader = P.p_vaddr;
    if (P.p_type != PT_LOAD)
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
    S.Executable = P.p_flags & PF_X;
    S.Contents = Bytes.substr(P.p_offset, std::min(P.p_filesz, P.p_memsz));
    M.Segments.push_back(S);
  }
  if (M.Segments.empty())
    return bad(Path, "has nothing to load");
  readSymbols(File, M);
  M.Data = std::move(*Data);
  return M;
}

} // namespace rw::intelpt
