//===- Harvest.cpp - The distinct instructions of a program ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/arch/X86Decoder.h"
#include "test/effects/EffectsCheck.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include <map>

using namespace llvm;
using namespace llvm::object;

namespace rw::dataflow {
namespace {

/// Bytes of one instruction set, from a mapping symbol to the next.
void sweepFixed(ISA Isa, ArrayRef<uint8_t> Code, std::set<Sample> &Out) {
  const bool Power = Isa == ISA::PPC64;
  for (size_t At = 0; At + 4 <= Code.size();) {
    size_t Size = Power && Code[At + 3] >> 2 == 1 ? 8 : 4;
    if (At + Size > Code.size())
      return;
    Sample S;
    S.Isa = Isa;
    S.Bytes.assign(&Code[At], &Code[At] + Size);
    if (Power) // each word is little endian; ours are big
      for (size_t W = 0; W < Size; W += 4)
        std::reverse(S.Bytes.begin() + W, S.Bytes.begin() + W + 4);
    Out.insert(S);
    At += Size;
  }
}

void sweepT32(ArrayRef<uint8_t> Code, std::set<Sample> &Out) {
  auto half = [&](size_t At) { return uint32_t(Code[At] | Code[At + 1] << 8); };
  for (size_t At = 0; At + 2 <= Code.size();) {
    auto codeAt = [&](uint64_t A) {
      T32Code C;
      // Addresses begin at 16, so that there is room before the first one.
      if (A < 16 || A - 16 + 2 > Code.size())
        return C;
      C.Opcode = half(A - 16);
      C.Size = C.Opcode >> 11 >= 0x1d ? 4 : 2;
      return C;
    };
    size_t Size = half(At) >> 11 >= 0x1d ? 4 : 2;
    if (At + Size > Code.size())
      return;
    Sample S;
    S.Isa = ISA::T32;
    S.Bytes.assign(&Code[At], &Code[At] + Size);
    S.ItCondition = itCondition(At + 16, codeAt);
    Out.insert(S);
    At += Size;
  }
}

void sweepX86(ArrayRef<uint8_t> Code, std::set<Sample> &Out) {
  static X86Decoder Decoder;
  while (!Code.empty()) {
    X86Insn I = Decoder.decode(Code);
    size_t Size = std::max<size_t>(I.Size, 1);
    if (I.Size) {
      Sample S;
      S.Isa = ISA::X86_64;
      S.Bytes.assign(Code.begin(), Code.begin() + Size);
      Out.insert(S);
    }
    Code = Code.drop_front(Size);
  }
}

} // namespace

Error harvest(StringRef Path, std::set<Sample> &Out) {
  auto Owned = ObjectFile::createObjectFile(Path);
  if (!Owned)
    return Owned.takeError();
  const ObjectFile &File = *Owned->getBinary();
  // By section and offset: 'x', 'a', 't' or 'd'.
  std::map<uint64_t, char> Mapping;
  for (const SymbolRef &S : File.symbols()) {
    auto Name = S.getName();
    if (!Name) {
      consumeError(Name.takeError());
      continue;
    }
    if (Name->size() < 2 || (*Name)[0] != '$')
      continue;
    if (auto Addr = S.getAddress())
      Mapping[*Addr & ~uint64_t(1)] = (*Name)[1];
    else
      consumeError(Addr.takeError());
  }
  for (const SectionRef &Section : File.sections()) {
    if (!Section.isText() || Section.isVirtual())
      continue;
    auto Text = Section.getContents();
    if (!Text)
      return Text.takeError();
    ArrayRef<uint8_t> Code = arrayRefFromStringRef(*Text);
    const uint64_t From = Section.getAddress(), To = From + Code.size();
    auto sweep = [&](char Kind, uint64_t A, uint64_t B) {
      ArrayRef<uint8_t> Part = Code.slice(A - From, B - A);
      if (Kind == 'x')
        sweepFixed(ISA::A64, Part, Out);
      else if (Kind == 'a')
        sweepFixed(ISA::A32, Part, Out);
      else if (Kind == 't')
        sweepT32(Part, Out);
      else if (Kind == 'p')
        sweepFixed(ISA::PPC64, Part, Out);
      else if (Kind == '6')
        sweepX86(Part, Out);
    };
    switch (File.getArch()) {
    case Triple::ppc64le:
      sweep('p', From, To);
      break;
    case Triple::x86_64:
      sweep('6', From, To);
      break;
    default:
      for (auto It = Mapping.lower_bound(From);
           It != Mapping.end() && It->first < To; ++It) {
        auto Next = std::next(It);
        sweep(It->second, It->first,
              Next == Mapping.end() ? To : std::min(Next->first, To));
      }
    }
  }
  return Error::success();
}

} // namespace rw::dataflow
