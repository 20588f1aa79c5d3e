//===- UnwindTables.cpp - Landing pads of an ELF file ---------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// .eh_frame has an entry for each function (FDE), which refers to an entry that
// many share (CIE), and maybe to the function's table of call sites, its
// "language-specific data". Formats: the Linux Standard Base's "DWARF
// Extensions", and the Itanium C++ ABI's exception handling tables.
//
//===----------------------------------------------------------------------===//

#include "core/formats/intelpt/UnwindTables.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/DataExtractor.h"

using namespace llvm;

namespace rw::intelpt {

namespace {

using Cursor = DataExtractor::Cursor;
using dwarf::DW_EH_PE_omit;

/// Bytes that lie at an address.
struct Bytes {
  Bytes(uint64_t Address, StringRef Contents)
      : Address(Address), Data(Contents, /*IsLittleEndian=*/true, 8) {}
  uint64_t Address;
  DataExtractor Data;

  /// A pointer as the encoding tells; 0 is none. Empty if it is encoded in a
  /// way that files on disk cannot be read by.
  std::optional<uint64_t> pointer(Cursor &C, uint8_t Encoding) const {
    uint64_t Here = Address + C.tell(), Value = 0;
    switch (Encoding & 0x0f) {
    case dwarf::DW_EH_PE_absptr:
    case dwarf::DW_EH_PE_udata8:
    case dwarf::DW_EH_PE_sdata8:
      Value = Data.getU64(C);
      break;
    case dwarf::DW_EH_PE_udata4:
      Value = Data.getU32(C);
      break;
    case dwarf::DW_EH_PE_sdata4:
      Value = uint64_t(int64_t(int32_t(Data.getU32(C))));
      break;
    case dwarf::DW_EH_PE_udata2:
      Value = Data.getU16(C);
      break;
    case dwarf::DW_EH_PE_sdata2:
      Value = uint64_t(int64_t(int16_t(Data.getU16(C))));
      break;
    case dwarf::DW_EH_PE_uleb128:
      Value = Data.getULEB128(C);
      break;
    case dwarf::DW_EH_PE_sleb128:
      Value = uint64_t(Data.getSLEB128(C));
      break;
    default:
      return std::nullopt;
    }
    if (!C)
      return std::nullopt;
    switch (Encoding & 0x70) {
    case dwarf::DW_EH_PE_absptr:
      return Value;
    case dwarf::DW_EH_PE_pcrel:
      return Value ? Value + Here : 0;
    default:
      return std::nullopt;
    }
  }
};

/// What of a CIE says how to read its FDEs.
struct Common {
  uint8_t Pointers = dwarf::DW_EH_PE_absptr;
  uint8_t Table = DW_EH_PE_omit;
  bool Usable = false;
  bool Signal = false; ///< of a frame that the kernel made
};

class Parser {
public:
  explicit Parser(const ElfModule &M) : M(M) {}

  UnwindTables run() {
    auto Frame = ehFrame();
    if (!Frame)
      return {};
    const uint64_t Size = Frame->Data.size();
    for (uint64_t At = 0; At < Size;) {
      Cursor C(At);
      uint64_t Length = Frame->Data.getU32(C);
      if (Length == 0xffffffff)
        Length = Frame->Data.getU64(C);
      const uint64_t Begin = C.tell();
      const bool Good = bool(C);
      consumeError(C.takeError());
      if (!Good || Length < 4 || Length > Size - Begin)
        break; // the end, or damaged
      function(*Frame, At, Begin, Begin + Length);
      At = Begin + Length;
    }
    return std::move(Out);
  }

private:
  std::optional<Bytes> at(uint64_t Address) const {
    StringRef Contents = M.contentsFrom(Address);
    if (Contents.empty())
      return std::nullopt;
    return Bytes(Address, Contents);
  }

  /// By the program header, which stripped files have, too.
  std::optional<Bytes> ehFrame() const {
    auto Header = M.EhFrameHeader ? at(*M.EhFrameHeader) : std::nullopt;
    if (!Header)
      return std::nullopt;
    Cursor C(0);
    uint8_t Version = Header->Data.getU8(C), Encoding = Header->Data.getU8(C);
    Header->Data.getU16(C); // encodings of the search table
    auto Address = Header->pointer(C, Encoding);
    consumeError(C.takeError());
    return Version == 1 && Address ? at(*Address) : std::nullopt;
  }

  const Common &common(const Bytes &Frame, uint64_t At) {
    auto [It, New] = Commons.try_emplace(At);
    if (New)
      It->second = readCommon(Frame, At);
    return It->second;
  }

  static Common readCommon(const Bytes &Frame, uint64_t At) {
    const DataExtractor &D = Frame.Data;
    Common R;
    Cursor C(At);
    if (D.getU32(C) == 0xffffffff)
      D.getU64(C);
    uint32_t Id = D.getU32(C);
    uint8_t Version = D.getU8(C);
    StringRef Augmentation = D.getCStrRef(C);
    D.getULEB128(C);
    D.getSLEB128(C);
    if (Version == 1)
      D.getU8(C);
    else
      D.getULEB128(C);
    bool Good = C && Id == 0 && (Version == 1 || Version == 3) &&
                Augmentation.consume_front("z");
    if (Good)
      D.getULEB128(C);
    for (char What : Good ? Augmentation : StringRef()) {
      if (What == 'L')
        R.Table = D.getU8(C);
      else if (What == 'R')
        R.Pointers = D.getU8(C);
      else if (What == 'P')
        // Where the personality's pointer is does not matter, its size does.
        Frame.pointer(C, D.getU8(C) & 0x0f);
      else if (What == 'S')
        R.Signal = true;
      else if (What != 'B')
        Good = false;
    }
    R.Usable = Good && C;
    consumeError(C.takeError());
    return R;
  }

  /// The entry that begins at \p Entry; what follows its length is at
  /// [Begin, End).
  void function(const Bytes &Frame, uint64_t Entry, uint64_t Begin,
                uint64_t End) {
    Cursor C(Begin);
    uint32_t Back = Frame.Data.getU32(C);
    if (Back && Back <= Begin) {
      const Common &Shared = common(Frame, Begin - Back);
      if (Shared.Usable && Begin - Back < Entry)
        functionOf(Shared, Frame, C, End);
    }
    consumeError(C.takeError());
  }

  void functionOf(const Common &Shared, const Bytes &Frame, Cursor &C,
                  uint64_t End) {
    auto Start = Frame.pointer(C, Shared.Pointers);
    auto Size = Frame.pointer(C, Shared.Pointers & 0x0f);
    if (!Start || !Size || !C || C.tell() > End)
      return;
    if (*Start && *Size && !Shared.Signal)
      Out.Functions.push_back({*Start, *Size});
    if (Shared.Table == DW_EH_PE_omit)
      return;
    Frame.Data.getULEB128(C);
    auto Table = Frame.pointer(C, Shared.Table);
    if (Table && *Table && C.tell() <= End)
      callSites(*Start, *Size, *Table);
  }

  /// The table of call sites of the function at \p Start.
  void callSites(uint64_t Start, uint64_t Size, uint64_t Table) {
    auto B = at(Table);
    if (!B)
      return;
    Cursor C(0);
    uint64_t Base = Start;
    uint8_t Encoding = B->Data.getU8(C);
    bool Good = true;
    if (Encoding != DW_EH_PE_omit) {
      auto P = B->pointer(C, Encoding);
      Good = P.has_value();
      Base = P.value_or(0);
    }
    if (B->Data.getU8(C) != DW_EH_PE_omit)
      B->Data.getULEB128(C); // where the table of types is
    Encoding = B->Data.getU8(C);
    uint64_t Length = B->Data.getULEB128(C);
    const uint64_t End = C.tell() + Length;
    const size_t Before = Out.Pads.size();
    while (Good && C && C.tell() < End) {
      auto First = B->pointer(C, Encoding & 0x0f);
      auto Bytes = B->pointer(C, Encoding & 0x0f);
      auto Pad = B->pointer(C, Encoding & 0x0f);
      B->Data.getULEB128(C);
      Good = First && Bytes && Pad && C && C.tell() <= End && *First <= Size &&
             *Bytes <= Size - *First && (!*Pad || M.isCode(Base + *Pad));
      if (Good && *Pad && *Bytes)
        Out.Pads.push_back(
            {Base + *Pad, Start + *First, Start + *First + *Bytes});
    }
    // Half a table is none: it is something else.
    if (!Good || !C)
      Out.Pads.resize(Before);
    consumeError(C.takeError());
  }

  const ElfModule &M;
  DenseMap<uint64_t, Common> Commons; ///< by offset
  UnwindTables Out;
};

} // namespace

UnwindTables unwindTables(const ElfModule &M) { return Parser(M).run(); }

void addNonlocalTargets(const ElfModule &M, const UnwindTables &Tables,
                        uint64_t Slide, NonlocalTargets &Out) {
  for (LandingPad P : Tables.Pads)
    Out.Pads.push_back({P.PC + Slide, P.CallBegin + Slide, P.CallEnd + Slide});
  for (uint64_t Address : M.Setjmps)
    Out.Setjmps.push_back(Address + Slide);
}

} // namespace rw::intelpt
