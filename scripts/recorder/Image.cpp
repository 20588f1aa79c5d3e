//===- Image.cpp - A static Arm ELF file ----------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/Image.h"
#include "core/support/InputFile.h"
#include "core/support/Printable.h"
#include "core/support/SymbolPattern.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Object/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include <algorithm>
#include <map>

using namespace llvm;
using namespace rw;
using namespace rw::record;

template <class... Ts> static Error imageError(const char *Format, Ts... Args) {
  return createStringError(inconvertibleErrorCode(), Format, Args...);
}

template <class ELFT> Error Image::parse() {
  Expected<object::ELFFile<ELFT>> File =
      object::ELFFile<ELFT>::create(Buffer->getBuffer());
  if (!File)
    return File.takeError();
  const auto &Header = File->getHeader();
  if (Header.e_machine != (Is64 ? ELF::EM_AARCH64 : ELF::EM_ARM))
    return imageError("it is for machine %u; AArch64 (183) and Arm (40) can be "
                      "recorded",
                      unsigned(Header.e_machine));
  if (Header.e_type != ELF::ET_EXEC && Header.e_type != ELF::ET_DYN)
    return imageError("it is not an executable (ELF type %u)",
                      unsigned(Header.e_type));
  auto Headers = File->program_headers();
  if (!Headers)
    return Headers.takeError();
  // A fixed place keeps traces of a static PIE the same from run to run.
  if (Header.e_type == ELF::ET_DYN)
    Bias = 0x400000;
  // As the kernel takes a program that does not say.
  RunsOnStack = !Is64;
  HeaderSize = Header.e_phentsize;
  HeaderCount = Header.e_phnum;
  for (const auto &P : *Headers) {
    if (P.p_type == ELF::PT_INTERP)
      return imageError("it is dynamically linked; link it with -static");
    if (P.p_type == ELF::PT_NOTE || P.p_type == ELF::PT_TLS)
      IsLinux = true;
    if (P.p_type == ELF::PT_GNU_STACK)
      RunsOnStack = P.p_flags & ELF::PF_X;
    if (P.p_type != ELF::PT_LOAD)
      continue;
    uint64_t Offset = P.p_offset, FileSize = P.p_filesz, Size = P.p_memsz;
    uint64_t Addr = P.p_vaddr + Bias;
    bool IsInFile = Offset <= Buffer->getBufferSize() &&
                    FileSize <= Buffer->getBufferSize() - Offset;
    if ((FileSize && !IsInFile) || FileSize > Size)
      return imageError("the file is cut: a segment should have %llu bytes at "
                        "offset %llu",
                        (unsigned long long)FileSize,
                        (unsigned long long)Offset);
    if (Size > (1ull << 30) || Addr + Size < Addr ||
        (!Is64 && Addr + Size > (1ull << 32)))
      return imageError("a segment at 0x%llx has an absurd size",
                        (unsigned long long)Addr);
    Segments.push_back(
        {Addr, Size,
         FileSize ? Buffer->getBuffer().substr(Offset, FileSize) : "",
         uint32_t(P.p_flags)});
    End = std::max(End, Addr + Size);
    if (Header.e_phoff >= Offset && Header.e_phoff < Offset + FileSize)
      HeaderAddr = Addr + (Header.e_phoff - Offset);
  }
  if (Segments.empty())
    return imageError("it has nothing to load");
  Entry = Header.e_entry + Bias;
  if (!Is64 && (Entry & 1)) {
    IsThumb = true;
    --Entry;
  }
  return Error::success();
}

Expected<Image> Image::load(StringRef Path) {
  Image I;
  I.Path = Path.str();
  auto File = readWholeFile(Path);
  if (!File)
    return File.takeError();
  I.Buffer = std::move(*File);
  auto Kind = object::getElfArchType(I.Buffer->getBuffer());
  Error E = Error::success();
  cantFail(std::move(E));
  if (Kind.first == ELF::ELFCLASSNONE ||
      !I.Buffer->getBuffer().starts_with(ELF::ElfMagic))
    E = imageError("it is not an ELF file");
  else if (Kind.second != ELF::ELFDATA2LSB)
    E = imageError("it is big-endian; only little-endian programs can run");
  else if ((I.Is64 = Kind.first == ELF::ELFCLASS64))
    E = I.parse<object::ELF64LE>();
  else
    E = I.parse<object::ELF32LE>();
  if (E)
    return createStringError(inconvertibleErrorCode(), "%s: %s", I.Path.c_str(),
                             toString(std::move(E)).c_str());
  return I;
}

Expected<std::vector<uint64_t>> Image::functions(StringRef Name) const {
  uint64_t Address;
  if (Name.starts_with("0x") && !Name.getAsInteger(0, Address))
    return std::vector<uint64_t>{Address};
  auto File = object::ObjectFile::createELFObjectFile(*Buffer);
  if (!File)
    return File.takeError();
  // The better a symbol answers to the name, the lower its rank: only the best
  // are meant.
  const SymbolPattern Pattern(Name);
  std::map<unsigned, std::vector<uint64_t>> ByRank;
  bool Any = false;
  for (const object::ELFSymbolRef S :
       cast<object::ELFObjectFileBase>(**File).symbols()) {
    Expected<StringRef> Symbol = S.getName();
    Expected<uint64_t> At = S.getValue();
    bool Usable = Symbol && At && S.getELFType() == ELF::STT_FUNC && *At;
    if (!Symbol)
      consumeError(Symbol.takeError());
    if (!At)
      consumeError(At.takeError());
    Any |= Usable;
    if (!Usable)
      continue;
    if (auto Rank = Pattern.rank(*Symbol))
      ByRank[*Rank].push_back((*At & ~uint64_t(!Is64)) + Bias);
  }
  if (ByRank.empty())
    return imageError(Any ? "%s: it has no function '%s'"
                          : "%s: it has no symbols, so '%s' has to be an "
                            "address (0x...)",
                      Path.c_str(), printable(Name).c_str());
  std::vector<uint64_t> Found = std::move(ByRank.begin()->second);
  llvm::sort(Found);
  Found.erase(llvm::unique(Found), Found.end());
  return Found;
}

std::string Image::functionAt(uint64_t Addr) const {
  auto File = object::ObjectFile::createELFObjectFile(*Buffer);
  if (!File) {
    consumeError(File.takeError());
    return "";
  }
  StringRef Best;
  for (const object::ELFSymbolRef S :
       cast<object::ELFObjectFileBase>(**File).symbols()) {
    if (S.getELFType() != ELF::STT_FUNC)
      continue;
    Expected<StringRef> Name = S.getName();
    Expected<uint64_t> Value = S.getValue();
    if (!Name || !Value) {
      consumeError(Name.takeError());
      consumeError(Value.takeError());
      continue;
    }
    uint64_t At = (*Value & ~uint64_t(!Is64)) + Bias;
    // The name that programs use, if there are several.
    if (At <= Addr && Addr - At < S.getSize() &&
        (Best.empty() || (Best.starts_with("_") && !Name->starts_with("_"))))
      Best = *Name;
  }
  return Best.starts_with("_Z") ? demangle(Best) : Best.str();
}
