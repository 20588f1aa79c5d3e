//===- ElfSymbols.cpp - Symbols from ELF files ----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/ElfSymbols.h"
#include "commands/support/ElfSegments.h"
#include "commands/support/InlinedCopies.h"
#include "commands/support/LocalPlaces.h"
#include "commands/support/Options.h"
#include "commands/support/Prologue.h"
#include "core/arch/CodeAddress.h"
#include "core/arch/Targets.h"
#include "core/calls/FunctionNames.h"
#include "core/formats/Decompressor.h"
#include "core/support/ElfFile.h"
#include "core/support/InputFile.h"
#include "core/support/Printable.h"
#include "core/support/SymbolPattern.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/BuildID.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include <algorithm>
#include <map>

using namespace llvm;
using namespace llvm::object;

namespace rw {

struct ElfSymbols::Image {
  struct Symbol {
    uint64_t Start = 0, Size = 0;
    std::string Name; ///< as in the file
    bool IsCode = false;
    bool Typed = false;     ///< a function or an object, not a mere label
    uint8_t LocalEntry = 0; ///< of ppc64le: bytes behind Start
  };
  struct Section {
    ImageSection Info;
    StringRef Contents; ///< empty for .bss
  };

  std::string Path;
  ElfFile File;
  uint64_t Slide = 0; ///< address in the trace minus address in the file
  std::vector<Symbol> Symbols;   ///< by Start; slid
  std::vector<Section> Sections; ///< by Start; slid
  std::optional<DebugInfo> Dwarf;
  std::optional<InlinedCopies> Inlined;
  /// Those of virtual functions, in Symbols, by the function's name without
  /// "_Z"; made at first need.
  std::optional<StringMap<std::vector<size_t>>> Thunks;

  Error load(std::optional<uint64_t> LoadAddress);
  DebugInfo &dwarf(const ElfSymbols &Of);
  const Symbol *symbolAt(uint64_t Addr, bool Code) const;
  const Section *sectionAt(uint64_t Addr) const;
};

/// The ELF file with more symbols that some distributions pack into a stripped
/// one; none if there is none.
static Expected<OwningBinary<ObjectFile>>
minimalDebugInfo(const ELFObjectFileBase &Elf) {
  constexpr size_t MostBytes = 1 << 28;
  for (const SectionRef &S : Elf.sections()) {
    auto Name = S.getName();
    if (!Name || *Name != ".gnu_debugdata") {
      consumeError(Name.takeError());
      continue;
    }
    auto Packed = S.getContents();
    if (!Packed)
      return Packed.takeError();
    ArrayRef<uint8_t> In = arrayRefFromStringRef(*Packed);
    auto Unpacker = Decompressor::recognise(In);
    if (!Unpacker)
      return userError(".gnu_debugdata is not compressed in a known way");
    SmallVector<char, 0> Bytes;
    for (Decompressor::Step Step; !Step.Finished;) {
      constexpr size_t Part = 1 << 20;
      size_t Before = Bytes.size();
      if (Before > MostBytes)
        return userError(".gnu_debugdata is larger than any we know");
      Bytes.resize(Before + Part);
      Step = Unpacker->run(
          In, true, {reinterpret_cast<uint8_t *>(Bytes.data()) + Before, Part});
      Bytes.resize(Before + Step.Produced);
      if (Step.Problem)
        return userError(Twine(".gnu_debugdata: ") + Step.Problem);
      if (!Step.Finished && !Step.Consumed && !Step.Produced)
        return userError(".gnu_debugdata is cut short");
      In = In.drop_front(Step.Consumed);
    }
    auto Buffer = std::make_unique<SmallVectorMemoryBuffer>(
        std::move(Bytes), /*RequiresNullTerminator=*/false);
    auto Object = ObjectFile::createELFObjectFile(Buffer->getMemBufferRef());
    if (!Object)
      return Object.takeError();
    return OwningBinary<ObjectFile>(std::move(*Object), std::move(Buffer));
  }
  return OwningBinary<ObjectFile>();
}

namespace {
/// What a relocation of the loaded program puts somewhere.
struct Relocation {
  uint64_t Slot = 0; ///< the address
  std::string Symbol;
  std::optional<int64_t> Addend;
};
} // namespace

/// LLVM's iterators end the program where a section is damaged; here such a
/// section has none.
template <class ELFT>
static std::vector<Relocation> relocationsOf(const ELFFile<ELFT> &File) {
  std::vector<Relocation> Found;
  auto Known = [](auto Expected) {
    if (Expected)
      return std::optional(*Expected);
    consumeError(Expected.takeError());
    return decltype(std::optional(*Expected))();
  };
  auto Sections = Known(File.sections());
  if (!Sections)
    return Found;
  for (const auto &S : *Sections) {
    const bool WithAddend = S.sh_type == ELF::SHT_RELA;
    if (!(S.sh_flags & ELF::SHF_ALLOC) ||
        (!WithAddend && S.sh_type != ELF::SHT_REL))
      continue;
    const auto Symbols = Known(File.getSection(S.sh_link));
    const auto Names =
        Symbols ? Known(File.getStringTableForSymtab(**Symbols)) : std::nullopt;
    auto Add = [&](const auto &R, std::optional<int64_t> Addend) {
      Relocation Its{R.r_offset, "", Addend};
      const auto Symbol =
          Names ? Known(File.getRelocationSymbol(R, *Symbols)) : std::nullopt;
      if (Symbol && *Symbol)
        if (auto Name = Known((*Symbol)->getName(*Names)))
          Its.Symbol = Name->str();
      Found.push_back(std::move(Its));
    };
    if (WithAddend) {
      if (auto List = Known(File.relas(S)))
        for (const auto &R : *List)
          Add(R, int64_t(R.r_addend));
    } else if (auto List = Known(File.rels(S))) {
      for (const auto &R : *List)
        Add(R, std::nullopt);
    }
  }
  return Found;
}

static std::vector<Relocation> relocationsOf(const ELFObjectFileBase &Elf) {
  if (auto *E = dyn_cast<ELF64LEObjectFile>(&Elf))
    return relocationsOf(E->getELFFile());
  if (auto *E = dyn_cast<ELF64BEObjectFile>(&Elf))
    return relocationsOf(E->getELFFile());
  if (auto *E = dyn_cast<ELF32LEObjectFile>(&Elf))
    return relocationsOf(E->getELFFile());
  return relocationsOf(cast<ELF32BEObjectFile>(Elf).getELFFile());
}

/// The word at \p Addr as the file has it: a relocation without an addend of
/// its own keeps it there.
static uint64_t wordAt(const ELFObjectFileBase &Elf, uint64_t Addr) {
  for (const SectionRef &S : Elf.sections()) {
    if (Addr < S.getAddress() || Addr - S.getAddress() >= S.getSize() ||
        ELFSectionRef(S).getType() == ELF::SHT_NOBITS)
      continue;
    auto Bytes = S.getContents();
    if (!Bytes)
      consumeError(Bytes.takeError());
    else if (unsigned Size = Elf.getBytesInAddress();
             Addr - S.getAddress() + Size <= Bytes->size()) {
      const char *At = Bytes->data() + (Addr - S.getAddress());
      const auto Order =
          Elf.isLittleEndian() ? endianness::little : endianness::big;
      return Size == 8 ? support::endian::read<uint64_t>(At, Order)
                       : support::endian::read<uint32_t>(At, Order);
    }
  }
  return 0;
}

/// The stubs through which a program calls its libraries, and functions that
/// it has several of for machines to choose from. No symbol table has them:
/// address and "puts@plt". Without a name of what is called, it is
/// "*ABS*+0x4004a0@plt" by the address of the code that chooses, as GNU objdump
/// has it. \p Choosers are names of such code by address.
static std::vector<std::pair<uint64_t, std::string>>
stubs(const ELFObjectFileBase &Elf,
      const std::map<uint64_t, std::string> &Choosers) {
  std::vector<std::pair<uint64_t, std::string>> Found;
  std::unique_ptr<MCSubtargetInfo> Subtarget;
  std::unique_ptr<MCInstrInfo> Instructions;
  std::unique_ptr<MCInstrAnalysis> Analysis;
  std::map<uint64_t, std::vector<uint64_t>> BySlot; // stubs, all for one slot
  for (const SectionRef &S : Elf.sections()) {
    auto Name = S.getName();
    if (!Name) {
      consumeError(Name.takeError());
      continue;
    }
    if (!is_contained({".plt", ".plt.sec", ".plt.got", ".iplt"}, *Name))
      continue;
    auto Code = S.getContents();
    if (!Code) {
      consumeError(Code.takeError());
      continue;
    }
    if (!Analysis) {
      initializeTargets();
      std::string Problem;
      const Triple T = Elf.makeTriple();
      const Target *Machine = TargetRegistry::lookupTarget(T, Problem);
      if (!Machine)
        return Found;
      Subtarget.reset(Machine->createMCSubtargetInfo(T, "", ""));
      Instructions.reset(Machine->createMCInstrInfo());
      if (Instructions)
        Analysis.reset(Machine->createMCInstrAnalysis(Instructions.get()));
      if (!Subtarget || !Analysis)
        return Found;
    }
    for (auto [Stub, Slot] : Analysis->findPltEntries(
             S.getAddress(), arrayRefFromStringRef(*Code), *Subtarget))
      BySlot[Slot].push_back(Stub);
  }
  if (BySlot.empty())
    return Found;

  auto calledThrough = [&](const Relocation &R) -> std::string {
    if (!R.Symbol.empty())
      return readableName(R.Symbol);
    const uint64_t Pointer =
        R.Addend ? uint64_t(*R.Addend) : wordAt(Elf, R.Slot);
    const uint64_t Chooser = Elf.getArch() == Triple::arm
                                 ? codeAddress(Arch::Arm, Pointer)
                                 : Pointer;
    if (auto It = Choosers.find(Chooser); It != Choosers.end())
      return readableName(It->second);
    return Chooser ? "*ABS*+0x" + utohexstr(Chooser, /*LowerCase=*/true) : "";
  };
  for (const Relocation &R : relocationsOf(Elf)) {
    auto It = BySlot.find(R.Slot);
    if (It == BySlot.end())
      continue;
    if (const std::string Name = calledThrough(R); !Name.empty())
      for (uint64_t Stub : It->second)
        Found.push_back({Stub, Name + "@plt"});
    BySlot.erase(It);
  }
  return Found;
}

Error ElfSymbols::Image::load(std::optional<uint64_t> LoadAddress) {
  auto Opened = openElf(Path);
  if (!Opened)
    return Opened.takeError();
  File = std::move(*Opened);
  const ELFObjectFileBase *Elf = File.getBinary();

  auto Segments = loadableSegments(*Elf);
  if (!Segments)
    return Segments.takeError();
  if (LoadAddress) {
    if (Segments->empty())
      return userError("it has no loadable segment to place at an address");
    Slide = *LoadAddress - lowestAddress(*Segments);
  }

  for (const SectionRef &Ref : Elf->sections()) {
    ELFSectionRef S(Ref);
    if (!(S.getFlags() & ELF::SHF_ALLOC) || (S.getFlags() & ELF::SHF_TLS) ||
        !S.getSize())
      continue;
    auto Name = S.getName();
    if (!Name)
      return Name.takeError();
    StringRef Contents;
    if (S.getType() != ELF::SHT_NOBITS) {
      auto C = S.getContents();
      if (!C)
        return C.takeError();
      Contents = *C;
    }
    Sections.push_back({{Name->str(), S.getAddress(), S.getSize(),
                         bool(S.getFlags() & ELF::SHF_WRITE)},
                        Contents});
  }
  // There may be no section headers.
  if (Sections.empty())
    for (const ElfSegment &G : *Segments)
      Sections.push_back({{"segment " + std::to_string(Sections.size()),
                           G.Start, G.Size, bool(G.Flags & ELF::PF_W)},
                          G.Contents});
  for (Section &S : Sections)
    S.Info.Start += Slide;
  llvm::sort(Sections, [](const Section &A, const Section &B) {
    return A.Info.Start < B.Info.Start;
  });

  const bool IsArm = Elf->getEMachine() == ELF::EM_ARM;
  const bool HasLocalEntries =
      Elf->getEMachine() == ELF::EM_PPC64 && Elf->isLittleEndian();
  std::map<uint64_t, std::string> Choosers; // by address in the file
  auto AddSymbol = [&](const ELFSymbolRef &S) -> Error {
    auto Name = S.getName();
    auto Addr = S.getAddress();
    // None for a symbol that is not defined here.
    auto Where = S.getSection();
    if (!Name || !Addr || !Where)
      return joinErrors(joinErrors(Name ? Error::success() : Name.takeError(),
                                   Addr ? Error::success() : Addr.takeError()),
                        Where ? Error::success() : Where.takeError());
    uint8_t Type = S.getELFType();
    // Mapping symbols ($x, $d) and file names are no names of anything.
    if (Name->empty() || Name->starts_with("$") || Type == ELF::STT_FILE ||
        Type == ELF::STT_SECTION || Type == ELF::STT_TLS ||
        *Where == Elf->section_end())
      return Error::success();
    uint64_t Start = *Addr;
    if (IsArm && (Type == ELF::STT_FUNC || Type == ELF::STT_GNU_IFUNC))
      Start = codeAddress(Arch::Arm, Start);
    if (Type == ELF::STT_GNU_IFUNC) {
      // The name for everybody is chosen: strlen, not __strlen.
      std::string &Known = Choosers[Start];
      if (Known.empty() ||
          (StringRef(Known).starts_with("_") && !Name->starts_with("_")))
        Known = Name->str();
    }
    bool Code = ELFSectionRef(**Where).getFlags() & ELF::SHF_EXECINSTR;
    Symbols.push_back(
        {Start + Slide, S.getSize(), Name->str(), Code,
         Type == ELF::STT_FUNC || Type == ELF::STT_OBJECT ||
             Type == ELF::STT_GNU_IFUNC,
         HasLocalEntries
             ? uint8_t(ELF::decodePPC64LocalEntryOffset(S.getOther()))
             : uint8_t(0)});
    return Error::success();
  };
  for (const ELFSymbolRef &S : Elf->symbols())
    if (Error E = AddSymbol(S))
      return E;
  if (Symbols.empty()) {
    for (const ELFSymbolRef &S : Elf->getDynamicSymbolIterators())
      if (Error E = AddSymbol(S))
        return E;
    auto More = minimalDebugInfo(*Elf);
    if (!More)
      return More.takeError();
    if (More->getBinary())
      for (const ELFSymbolRef &S :
           cast<ELFObjectFileBase>(More->getBinary())->symbols())
        if (Error E = AddSymbol(S))
          return E;
  }
  for (auto &[Start, Name] : stubs(*Elf, Choosers))
    Symbols.push_back({Start + Slide, 0, std::move(Name), true, true});
  // The last symbol of an address wins: one with a type, else main, else one
  // with a size, and among aliases the first in the file, as in LLDB. (What
  // linkers put in front of main, such as --wrap, often lies where it does.)
  std::reverse(Symbols.begin(), Symbols.end());
  auto rank = [](const Symbol &S) {
    return std::tuple(S.Start, S.Typed, S.Name == "main", S.Size);
  };
  llvm::stable_sort(Symbols, [&](const Symbol &A, const Symbol &B) {
    return rank(A) < rank(B);
  });
  return Error::success();
}

DebugInfo &ElfSymbols::Image::dwarf(const ElfSymbols &Of) {
  if (!Dwarf)
    Dwarf.emplace(*File.getBinary(), Path, [&Of](const std::string &Text) {
      if (Of.Warn)
        Of.Warn(Text);
    });
  return *Dwarf;
}

const ElfSymbols::Image::Section *
ElfSymbols::Image::sectionAt(uint64_t Addr) const {
  auto It = llvm::upper_bound(Sections, Addr, [](uint64_t A, const Section &S) {
    return A < S.Info.Start;
  });
  if (It == Sections.begin() ||
      Addr - std::prev(It)->Info.Start >= std::prev(It)->Info.Size)
    return nullptr;
  return &*std::prev(It);
}

const ElfSymbols::Image::Symbol *ElfSymbols::Image::symbolAt(uint64_t Addr,
                                                             bool Code) const {
  const Section *Where = sectionAt(Addr);
  if (!Where)
    return nullptr;
  auto It = llvm::upper_bound(
      Symbols, Addr, [](uint64_t A, const Symbol &S) { return A < S.Start; });
  // A label without a size reaches to the next symbol; a function with one
  // covers the labels inside it.
  const Symbol *Label = nullptr;
  for (unsigned Steps = 0; It != Symbols.begin() && Steps < 64; ++Steps) {
    const Symbol &S = *--It;
    if (S.Start < Where->Info.Start)
      break;
    if (S.IsCode != Code)
      continue;
    if (S.Size && Addr - S.Start < S.Size)
      return &S;
    if (!S.Size && !Label)
      Label = &S;
  }
  return Label;
}

ElfSymbols::ElfSymbols() = default;
ElfSymbols::~ElfSymbols() = default;

Error ElfSymbols::add(std::unique_ptr<Image> I,
                      std::optional<uint64_t> LoadAddress) {
  if (Error E = I->load(LoadAddress))
    return userError("image " + printable(I->Path) + ": " +
                     toString(std::move(E)));
  Images.push_back(std::move(I));
  return Error::success();
}

Error ElfSymbols::add(StringRef Path, std::optional<uint64_t> LoadAddress) {
  auto I = std::make_unique<Image>();
  I->Path = Path.str();
  return add(std::move(I), LoadAddress);
}

Error ElfSymbols::addMoved(StringRef Path, uint64_t Slide) {
  auto I = std::make_unique<Image>();
  I->Path = Path.str();
  I->Slide = Slide;
  return add(std::move(I), std::nullopt);
}

Error ElfSymbols::addModule(const ModuleInfo &M) {
  if (any_of(Images, [&](auto &I) { return I->Path == M.Path; }))
    return Error::success();
  auto I = std::make_unique<Image>();
  I->Path = M.Path;
  if (Error E = I->load(M.LoadAddress))
    return userError("module " + printable(M.Path) + ": " +
                     toString(std::move(E)));
  std::string Found = toHex(getBuildID(I->File.getBinary()));
  if (!M.BuildId.empty() && !StringRef(M.BuildId).equals_insensitive(Found))
    return userError("module " + printable(M.Path) +
                     " is not the build that was traced: its build id is " +
                     (Found.empty() ? "missing" : Found) + ", not " +
                     M.BuildId);
  Images.push_back(std::move(I));
  return Error::success();
}

std::vector<std::string> ElfSymbols::files() const {
  std::vector<std::string> Files;
  for (auto &I : Images)
    Files.push_back(I->Path);
  return Files;
}

std::vector<DwarfImage> ElfSymbols::debugInfo() {
  std::vector<DwarfImage> All;
  for (auto &I : Images)
    All.push_back({&I->dwarf(*this), I->Slide, I->Path});
  return All;
}

std::vector<ImageSymbol> ElfSymbols::symbolTable() {
  std::vector<ImageSymbol> All;
  for (auto &I : Images) {
    // What is damaged names nothing.
    auto Symbols = readSymbolTable(*I->File.getBinary(), I->Slide);
    if (Symbols)
      append_range(All, *Symbols);
    else
      consumeError(Symbols.takeError());
  }
  return All;
}

std::vector<CodeMapping> ElfSymbols::codeMappings() {
  std::vector<CodeMapping> All;
  for (auto &I : Images) {
    auto Found = rw::codeMappings(*I->File.getBinary(), I->Path, I->Slide);
    if (Found)
      append_range(All, *Found);
    else // what is damaged was never mapped
      consumeError(Found.takeError());
  }
  return All;
}

std::optional<CodeSymbol> ElfSymbols::functionAt(uint64_t Addr) const {
  for (auto &I : Images)
    if (const Image::Symbol *S = I->symbolAt(Addr, true))
      return CodeSymbol{printable(readableName(S->Name)), S->Start, {}};
  return std::nullopt;
}

std::optional<CodeSymbol> ElfSymbols::symbolizeCode(uint64_t Addr) {
  for (auto &I : Images) {
    const Image::Symbol *S = I->symbolAt(Addr, true);
    if (!S)
      continue;
    CodeSymbol C;
    C.Function = printable(readableName(S->Name));
    C.Start = S->Start;
    DIInliningInfo Info = I->dwarf(*this).framesAt(Addr - I->Slide);
    for (unsigned F = 0; F < Info.getNumberOfFrames(); ++F) {
      const DILineInfo &L = Info.getFrame(F);
      SourceFrame Frame;
      if (L.FunctionName != DILineInfo::BadString)
        Frame.Function = printable(readableName(L.FunctionName));
      if (L.FileName != DILineInfo::BadString)
        Frame.File = printable(L.FileName);
      Frame.Line = L.Line;
      Frame.Column = L.Column;
      if (L.StartFileName == L.FileName)
        Frame.Declared = L.StartLine;
      C.Frames.push_back(std::move(Frame));
    }
    return C;
  }
  return std::nullopt;
}

std::optional<DataSymbol> ElfSymbols::symbolizeData(uint64_t Addr) {
  for (auto &I : Images)
    for (bool Code : {false, true})
      if (const Image::Symbol *S = I->symbolAt(Addr, Code))
        return DataSymbol{printable(readableName(S->Name)), S->Start, S->Size};
  return std::nullopt;
}

std::vector<DataSymbol> ElfSymbols::findSymbol(StringRef Name) {
  // The better the match, the lower the rank; only the best are returned.
  std::map<unsigned, std::vector<DataSymbol>> ByRank;
  SymbolPattern Pattern(Name);
  for (auto &I : Images)
    for (const Image::Symbol &S : I->Symbols) {
      auto Rank = Pattern.rank(S.Name);
      if (!Rank)
        continue;
      std::vector<DataSymbol> &List = ByRank[2 * *Rank + !S.Typed];
      if (none_of(List,
                  [&](const DataSymbol &D) { return D.Start == S.Start; }))
        List.push_back({printable(readableName(S.Name)), S.Start, S.Size});
    }
  return ByRank.empty() ? std::vector<DataSymbol>() : ByRank.begin()->second;
}

/// What the thunk \p Name goes to, without "_Z": mangled names are
/// _ZTh<offset>_<function> and _ZTv<offset>_<offset>_<function>. Empty if it is
/// none.
static StringRef thunkTarget(StringRef Name) {
  unsigned Offsets = Name.consume_front("_ZTh")   ? 1
                     : Name.consume_front("_ZTv") ? 2
                                                  : 0;
  if (!Offsets)
    return {};
  for (; Offsets; --Offsets) {
    Name = Name.ltrim("n0123456789");
    if (!Name.consume_front("_"))
      return {};
  }
  return Name;
}

std::vector<DataSymbol> ElfSymbols::thunksTo(uint64_t Start) {
  std::vector<DataSymbol> Found;
  for (auto &I : Images) {
    const Image::Symbol *To = I->symbolAt(Start, true);
    if (!To || To->Start != Start)
      continue;
    StringRef Name = To->Name;
    if (!Name.consume_front("_Z"))
      continue;
    if (!I->Thunks) {
      I->Thunks.emplace();
      for (const auto &[N, S] : enumerate(I->Symbols))
        if (const StringRef Target = thunkTarget(S.Name); !Target.empty())
          (*I->Thunks)[Target].push_back(N);
    }
    for (const size_t N : I->Thunks->lookup(Name)) {
      const Image::Symbol &S = I->Symbols[N];
      Found.push_back({printable(readableName(S.Name)), S.Start, S.Size});
    }
  }
  return Found;
}

std::vector<InlinedCopy> ElfSymbols::inlinedCopies(StringRef Name) {
  SymbolPattern Pattern(Name);
  std::optional<unsigned> Best;
  std::vector<InlinedCopy> Found;
  auto isBest = [&](StringRef Symbol) {
    auto Rank = Pattern.rank(Symbol);
    if (!Rank || (Best && *Rank > *Best))
      return false;
    if (!Best || *Rank < *Best)
      Found.clear();
    Best = Rank;
    return true;
  };
  for (auto &I : Images) {
    for (const Image::Symbol &S : I->Symbols)
      isBest(S.Name);
    if (!I->Inlined)
      I->Inlined.emplace(I->dwarf(*this));
    for (const InlinedCopies::Function &F : I->Inlined->functions())
      if (isBest(F.name()))
        for (InlinedCopy C : F.copies()) {
          for (auto &[First, End] : C.Code) {
            First += I->Slide;
            End += I->Slide;
          }
          // What the linker took away is nowhere.
          if (I->sectionAt(C.Start += I->Slide))
            Found.push_back(C);
        }
  }
  return Found;
}

uint64_t ElfSymbols::localEntry(uint64_t Start) {
  for (auto &I : Images) {
    auto It = llvm::lower_bound(
        I->Symbols, Start,
        [](const Image::Symbol &S, uint64_t A) { return S.Start < A; });
    for (; It != I->Symbols.end() && It->Start == Start; ++It)
      if (It->LocalEntry)
        return Start + It->LocalEntry;
  }
  return Start;
}

uint64_t ElfSymbols::behindPrologue(uint64_t Start) {
  return inFunction(Start, rw::behindPrologue);
}

/// GCC then writes where variables are at each instruction, the first one of a
/// function too, and where each copy of a statement begins (and that of nothing
/// else). It records its options.
static bool isOptimisedByGCC(DWARFUnit &Unit) {
  const StringRef Producer =
      dwarf::toStringRef(Unit.getUnitDIE().find(dwarf::DW_AT_producer));
  return Producer.starts_with("GNU ") && Producer.contains(" -O") &&
         !Producer.contains(" -O0");
}

bool ElfSymbols::knowsArgumentsAtEntry(uint64_t Start) {
  for (auto &I : Images)
    if (I->sectionAt(Start))
      if (DWARFUnit *Unit = I->dwarf(*this).unitAt(Start - I->Slide))
        return isOptimisedByGCC(*Unit);
  return false;
}

uint64_t ElfSymbols::behindFirstRow(uint64_t Start) {
  return inFunction(Start, rw::behindFirstRow);
}

/// The address that \p Find tells of the function, or its local entry if that
/// is behind it.
uint64_t ElfSymbols::inFunction(uint64_t Start,
                                uint64_t (*Find)(DebugInfo &, uint64_t)) {
  for (auto &I : Images)
    if (I->sectionAt(Start))
      return std::max(Find(I->dwarf(*this), Start - I->Slide) + I->Slide,
                      localEntry(Start));
  return Start;
}

uint64_t ElfSymbols::blockAt(uint64_t Addr) {
  for (auto &I : Images)
    if (I->sectionAt(Addr)) {
      const LocalScopes Scopes = localScopes(I->dwarf(*this), Addr - I->Slide);
      return Scopes.Blocks.empty() ? 0 : Scopes.Blocks.front().getOffset();
    }
  return 0;
}

static bool endsIn(StringRef Path, StringRef Tail) {
  return Path == Tail ||
         (Path.ends_with(Tail) && Path.drop_back(Tail.size()).ends_with("/"));
}

/// A compiler writes "dir/../file.c" as it was called; debuggers make it plain.
static bool pathMatches(StringRef Path, StringRef Tail) {
  SmallString<128> Plain(Path);
  sys::path::remove_dots(Plain, /*remove_dot_dot=*/true);
  return endsIn(Path, Tail) || endsIn(Plain, Tail);
}

/// Whether a row has no code, as the next ones begin where it does: the last of
/// them says what line it is.
static bool isEmpty(const DWARFDebugLine::LineTable &Table,
                    const DWARFDebugLine::Row &Row) {
  const auto *End = Table.Rows.data() + Table.Rows.size();
  const auto *Last = &Row;
  while (!Last->EndSequence && Last + 1 != End &&
         Last[1].Address.Address == Row.Address.Address)
    ++Last;
  return Last != &Row && (Last->EndSequence || Last->Line != Row.Line ||
                          Last->File != Row.File);
}

Expected<std::vector<uint64_t>> ElfSymbols::findLine(StringRef File,
                                                     unsigned Line) {
  // Debuggers stop where a statement begins. Optimised ones may begin nowhere,
  // or have nothing but rows without code.
  std::vector<LinePart> Found;
  bool DebugInfo = false, FileSeen = false;
  unsigned NextLine = ~0u;
  for (auto &I : Images) {
    auto &Info = I->dwarf(*this);
    for (const auto &Unit : Info.units()) {
      DebugInfo = true;
      const auto *Table = Info.linesOf(*Unit);
      if (!Table)
        continue;
      std::map<uint64_t, bool> Matches; // by file index
      bool Inside = false;              // a statement of this line goes on
      std::optional<uint64_t> LastEmpty, LastCode;
      std::optional<bool> Copies;
      for (const auto &Row : Table->Rows) {
        auto [It, New] = Matches.try_emplace(Row.File, false);
        std::string Path;
        if (New &&
            Table->getFileNameByIndex(
                Row.File, Unit->getCompilationDir(),
                DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath, Path))
          It->second = pathMatches(Path, File);
        FileSeen |= It->second;
        bool Here = It->second && !Row.EndSequence && Row.Line == Line;
        if (Here && !Copies)
          Copies = isOptimisedByGCC(*Unit);
        auto Add = [&](LinePart::Kind Is) {
          Found.push_back(
              {Row.Address.Address + I->Slide, Is, Row.Column, *Copies});
        };
        if (isEmpty(*Table, Row)) {
          if (Here && Row.IsStmt) {
            Add(LinePart::Empty);
            LastEmpty = Row.Address.Address;
          }
          continue;
        }
        if (Here && Row.IsStmt)
          Add(LinePart::Statement);
        else if (Here && !Inside) // else control comes from there
          Add(LastEmpty && LastEmpty == LastCode ? LinePart::BehindEmpty
                                                 : LinePart::Piece);
        LastCode = Row.Address.Address;
        if (It->second && !Row.EndSequence && Row.Line > Line)
          NextLine = std::min(NextLine, Row.Line);
        Inside = Here && (Inside || Row.IsStmt);
      }
    }
  }
  if (Found.empty()) {
    if (!DebugInfo)
      return userError("no image has debug info, so " + File + ":" +
                       Twine(Line) + " cannot be found");
    if (!FileSeen)
      return userError("no source file '" + File + "' in the debug info");
    return userError("no code for " + File + ":" + Twine(Line) +
                     (NextLine == ~0u
                          ? Twine()
                          : "; the next line with code is " + Twine(NextLine)));
  }
  return linePlaces(std::move(Found));
}

std::vector<std::pair<uint64_t, ArrayRef<uint8_t>>> ElfSymbols::readOnly() {
  std::vector<std::pair<uint64_t, ArrayRef<uint8_t>>> All;
  for (const auto &I : Images)
    for (const Image::Section &S : I->Sections)
      if (!S.Info.Writable && !S.Contents.empty())
        All.push_back({S.Info.Start, arrayRefFromStringRef(S.Contents)});
  return All;
}

std::optional<ImageSection> ElfSymbols::sectionAt(uint64_t Addr) {
  for (auto &I : Images)
    if (const Image::Section *S = I->sectionAt(Addr))
      return S->Info;
  return std::nullopt;
}

size_t ElfSymbols::readImage(uint64_t Addr, MutableArrayRef<uint8_t> Bytes) {
  for (auto &I : Images) {
    const Image::Section *S = I->sectionAt(Addr);
    if (!S)
      continue;
    uint64_t Offset = Addr - S->Info.Start;
    StringRef Part = S->Contents.substr(
        std::min<uint64_t>(Offset, S->Contents.size()), Bytes.size());
    std::copy(Part.bytes_begin(), Part.bytes_end(), Bytes.begin());
    return Part.size();
  }
  return 0;
}

} // namespace rw
