//===- ImageCheck.cpp - Whether an image fits a trace ---------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/ImageCheck.h"
#include "commands/support/ElfSegments.h"
#include "commands/support/Format.h"
#include "core/arch/Disassembler.h"
#include "core/store/TraceStore.h"
#include "core/support/ElfFile.h"
#include "core/support/NumberMap.h"
#include "core/support/Printable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace llvm::object;

namespace rw {

using Code = TraceStore::Code;

namespace {

/// The code in an ELF file, at the addresses that the file says.
struct ImageCode {
  struct Range {
    uint64_t Start;
    StringRef Bytes;
  };
  ElfFile File;
  std::vector<Range> Ranges;
  uint64_t Lowest = 0;
  bool CanMove = false; ///< it has segments, so --image takes an address
  uint16_t Machine = 0;
  bool BigData = false;
  bool BigCode = false;

  Error load(StringRef Path);
};

/// What a comparison found.
struct CodeComparison {
  size_t Compared = 0; ///< instructions that the image has bytes for
  size_t Written = 0;  ///< of these, others than the trace's, which tells why
  std::vector<uint64_t> Others; ///< of these, others for no known reason

  /// Chance makes some instructions equal, patching some different.
  bool fits() const { return 4 * Others.size() <= Compared - Written; }
};

class Checker {
public:
  Checker(const TraceStore &Store, const ImageCode &Image)
      : Store(Store), Image(Image), PCs(Store.somePCs(MostPCs)) {}

  size_t numPCs() const { return PCs.size(); }
  /// Whether any of the trace's instructions is one of AArch32.
  bool seesAArch32() const;
  CodeComparison compare(uint64_t Slide) const;
  /// How far the image would have to be moved for its code to be equal.
  std::optional<uint64_t> findSlide() const;
  StringRef imageBytes(uint64_t FileAddr, size_t Size) const;

private:
  static constexpr size_t MostPCs = 2048;
  /// Nobody believes in a place for less than so many equal instructions.
  static constexpr size_t FewestEqual = 8;
  bool same(Code C, uint64_t FileAddr) const;
  SmallVector<uint8_t, 16> bytesOf(Code C) const;

  const TraceStore &Store;
  const ImageCode &Image;
  const std::vector<uint64_t> PCs;
};

} // namespace

Error ImageCode::load(StringRef Path) {
  auto Opened = openElf(Path);
  if (!Opened)
    return Opened.takeError();
  File = std::move(*Opened);
  const ELFObjectFileBase *Elf = File.getBinary();
  auto Segments = loadableSegments(*Elf);
  if (!Segments)
    return Segments.takeError();
  CanMove = !Segments->empty();
  Lowest = CanMove ? lowestAddress(*Segments) : 0;
  for (const ElfSegment &S : *Segments)
    if (S.Flags & ELF::PF_X)
      Ranges.push_back({S.Start, S.Contents});
  Machine = Elf->getEMachine();
  BigData = !Elf->isLittleEndian();
  // Arm fetches instructions in little-endian order since Armv6 (BE8).
  BigCode = BigData && (Machine == ELF::EM_PPC64 ||
                        (Machine == ELF::EM_ARM &&
                         !(Elf->getPlatformFlags() & ELF::EF_ARM_BE8)));
  return Error::success();
}

StringRef Checker::imageBytes(uint64_t FileAddr, size_t Size) const {
  for (const ImageCode::Range &R : Image.Ranges)
    if (FileAddr >= R.Start && FileAddr - R.Start < R.Bytes.size() &&
        R.Bytes.size() - (FileAddr - R.Start) >= Size)
      return R.Bytes.substr(FileAddr - R.Start, Size);
  return "";
}

/// As the image would have them.
SmallVector<uint8_t, 16> Checker::bytesOf(Code C) const {
  SmallVector<uint8_t, 16> Bytes = opcodeBytes(C.Isa, C.Opcode, C.Size);
  bool Reverse = C.Isa == ISA::PPC64 ? !Image.BigCode : Image.BigCode;
  size_t Unit = C.Isa == ISA::T32 ? 2 : 4;
  if (Reverse)
    for (size_t I = 0; I + Unit <= Bytes.size(); I += Unit)
      std::reverse(Bytes.begin() + I, Bytes.begin() + I + Unit);
  return Bytes;
}

bool Checker::same(Code C, uint64_t FileAddr) const {
  SmallVector<uint8_t, 16> Bytes = bytesOf(C);
  // Overlays: several segments have the address.
  for (const ImageCode::Range &R : Image.Ranges)
    if (FileAddr >= R.Start && FileAddr - R.Start < R.Bytes.size() &&
        R.Bytes.substr(FileAddr - R.Start).starts_with(toStringRef(Bytes)))
      return true;
  return false;
}

bool Checker::seesAArch32() const {
  return any_of(PCs, [&](uint64_t PC) {
    return any_of(Store.codesAt(PC), [](Code C) {
      return C.Isa == ISA::A32 || C.Isa == ISA::T32;
    });
  });
}

CodeComparison Checker::compare(uint64_t Slide) const {
  CodeComparison Result;
  for (uint64_t PC : PCs) {
    uint64_t At = PC - Slide;
    if (imageBytes(At, 2).empty())
      continue;
    SmallVector<Code, 1> All = Store.codesAt(PC);
    ++Result.Compared;
    if (any_of(All, [&](Code C) { return same(C, At); }))
      continue;
    auto Write =
        Store.header().Can.MemAddresses
            ? Store.lastAccess(PC, std::max<unsigned>(All.front().Size, 1),
                               AccessKind::Write, Store.numInstructions())
            : std::optional<Moment>();
    if (!Write)
      consumeError(Write.takeError()); // whoever asks for it will be told
    if (Write && *Write)
      ++Result.Written;
    else
      Result.Others.push_back(PC);
  }
  return Result;
}

std::optional<uint64_t> Checker::findSlide() const {
  // Each opcode that is found somewhere votes for the distance to there; those
  // that are everywhere do not count.
  constexpr unsigned MostPlaces = 16;
  struct Places {
    SmallVector<uint64_t, 4> InTrace;
    unsigned InImage = 0;
  };
  unsigned Width = Store.header().Architecture == Arch::X86_64 ? 8 : 4;
  unsigned Step = Width == 8 ? 1 : seesAArch32() ? 2 : 4;
  auto Key = [&](const void *Bytes) {
    return Width == 8 ? support::endian::read64le(Bytes)
                      : uint64_t(support::endian::read32le(Bytes));
  };
  NumberMap<Places> Wanted;
  for (uint64_t PC : PCs)
    for (Code C : Store.codesAt(PC)) {
      SmallVector<uint8_t, 16> Bytes = bytesOf(C);
      if (Width == 8)
        Bytes.assign(Store.codeBytes(PC, Width).begin(),
                     Store.codeBytes(PC, Width).end());
      if (Bytes.size() == Width)
        Wanted[Key(Bytes.data())].InTrace.push_back(PC);
    }
  NumberMap<unsigned> Votes;
  for (const ImageCode::Range &R : Image.Ranges)
    for (size_t I = 0; I + Width <= R.Bytes.size(); I += Step) {
      auto It = Wanted.find(Key(R.Bytes.data() + I));
      if (It == Wanted.end() || It->second.InTrace.size() > MostPlaces ||
          ++It->second.InImage > MostPlaces)
        continue;
      for (uint64_t PC : It->second.InTrace)
        ++Votes[PC - (R.Start + I)];
    }
  std::vector<std::pair<unsigned, uint64_t>> Ranked;
  for (auto [Slide, N] : Votes)
    if (N >= FewestEqual / 2)
      Ranked.push_back({N, Slide});
  llvm::sort(Ranked, std::greater<>());
  Ranked.resize(std::min<size_t>(Ranked.size(), 4));
  for (auto [N, Slide] : Ranked) {
    CodeComparison C = compare(Slide);
    size_t Equal = C.Compared - C.Written - C.Others.size();
    if (Equal >= FewestEqual && 10 * Equal >= 9 * C.Compared)
      return Slide;
  }
  return std::nullopt;
}

/// Whether \p Image is of a machine that can have run the trace at all.
static bool isOfMachine(uint16_t Machine, Arch A) {
  switch (A) {
  case Arch::AArch64: // part of it may have run in AArch32 state
    return Machine == ELF::EM_AARCH64 || Machine == ELF::EM_ARM;
  case Arch::Arm:
    return Machine == ELF::EM_ARM;
  case Arch::PPC64:
  case Arch::PPC64LE:
    return Machine == ELF::EM_PPC64;
  case Arch::X86_64:
    return Machine == ELF::EM_X86_64;
  case Arch::Unknown:
    break;
  }
  return true;
}

static const char *orderName(bool Big) {
  return Big ? "big-endian" : "little-endian";
}

/// "12 of 340 instructions differ from it, the first one at 0x4002b0
/// (0xd65f03c0 in the trace, 0xd503201f in the image)".
static std::string difference(const TraceStore &Store, const Checker &Check,
                              const CodeComparison &C, uint64_t Slide) {
  uint64_t PC = C.Others.front();
  Code Trace = Store.codesAt(PC).front();
  size_t Size = std::min<size_t>(Trace.Size, 8);
  SmallVector<uint8_t, 16> Bytes =
      opcodeBytes(Trace.Isa, Trace.Opcode, Trace.Size);
  return formatv(
             "{0} of {1} instructions compared differ from the trace, the "
             "first one at {2:x} (bytes {3} in the trace, {4} in the image)",
             C.Others.size(), C.Compared, PC, toHex(Bytes, /*LowerCase=*/true),
             toHex(Check.imageBytes(PC - Slide, Size), /*LowerCase=*/true))
      .str();
}

/// What is wrong, or nothing. \p Remark is what is odd.
static std::string objection(const TraceStore &Store, const Checker &Check,
                             const ImageCode &Code, const ImageOption &Image,
                             std::string &Remark) {
  const TraceHeader &H = Store.header();
  if (H.Architecture == Arch::AArch64 && Code.Machine == ELF::EM_ARM &&
      !Check.seesAArch32())
    return "it is for AArch32, and the trace has instructions of A64 only";
  bool BigTrace = H.Order == ByteOrder::Big || H.Architecture == Arch::PPC64;
  if (H.Architecture != Arch::X86_64 && Code.BigData != BigTrace)
    return formatv("it is {0}, and the trace was read as {1}: {2}",
                   orderName(Code.BigData), orderName(BigTrace),
                   Code.BigData ? "give --big-endian, if that is right"
                                : "leave out --big-endian, if that was wrong")
        .str();
  if (Check.numPCs() == 0)
    return "";
  if (Code.Ranges.empty()) {
    Remark = "it has no executable segment to compare with the trace";
    return "";
  }
  uint64_t Slide = Image.Base ? *Image.Base - Code.Lowest : 0;
  CodeComparison C = Check.compare(Slide);
  if (C.Compared && C.fits()) {
    if (!C.Others.empty())
      Remark = difference(Store, Check, C, Slide);
    return "";
  }
  std::string Where;
  if (Code.CanMove)
    if (auto Better = Check.findSlide())
      Where = "; it fits at " + hex(*Better + Code.Lowest) + ": --image " +
              printable(Image.Path) + "@" + hex(*Better + Code.Lowest);
  if (C.Compared)
    return difference(Store, Check, C, Slide) + Where;
  std::string None =
      formatv("none of the {0} instructions of the trace that were looked up "
              "is in its code, from {1:x} on",
              Check.numPCs(), Slide + Code.Lowest)
          .str();
  if (!Where.empty())
    return None + Where;
  Remark = None;
  return "";
}

Error checkImage(const TraceStore &Store, const ImageOption &Image, bool Force,
                 function_ref<void(const std::string &)> Warn) {
  ImageCode Code;
  if (Error E = Code.load(Image.Path))
    return userError("image " + printable(Image.Path) + ": " +
                     toString(std::move(E)));
  Arch A = Store.header().Architecture;
  if (!isOfMachine(Code.Machine, A))
    return userError("the image " + printable(Image.Path) + " is for " +
                     Code.File.getBinary()->makeTriple().getArchName() +
                     ", the trace is of " + shortName(A));
  Checker Check(Store, Code);
  std::string Remark;
  std::string Wrong = objection(Store, Check, Code, Image, Remark);
  if (!Wrong.empty() && !Force)
    return userError("the image " + printable(Image.Path) +
                     " does not fit the trace: " + Wrong +
                     " (--force takes it all the same)");
  if (!Wrong.empty())
    Warn("the image " + printable(Image.Path) +
         " does not fit the trace: " + Wrong);
  if (!Remark.empty())
    Warn("the image " + printable(Image.Path) + ": " + Remark);
  return Error::success();
}

} // namespace rw
