//===- EntryBounds.cpp - Whether entries lie within their unit ------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/EntryBounds.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugAbbrev.h"
#include "llvm/Support/LEB128.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace rw {

namespace {

/// Steps from entry to entry as LLVM does, within a unit.
class EntrySteps {
public:
  explicit EntrySteps(const DWARFUnit &U)
      : U(U), Known(abbreviations(U)), Params(U.getFormParams()) {
    const StringRef Section = U.getInfoSection().Data;
    Begin = Section.bytes_begin();
    End = Begin + std::min<uint64_t>(U.getNextUnitOffset(), Section.size());
    seek(U.getOffset() + U.getHeaderSize());
    if (Known)
      Shapes.resize(std::distance(Known->begin(), Known->end()));
  }

  void seek(uint64_t Offset) {
    At = Begin + std::min<uint64_t>(Offset, End - Begin);
  }

  /// Over an entry; false if LLVM ends there, or if it is damaged.
  bool step();
  /// How many entries were begun and not ended.
  uint64_t depth() const { return Depth; }
  /// What is wrong with the entry that was stepped over last.
  std::string damage() const {
    if (!Wrong)
      return {};
    return "its entry at .debug_info+0x" + utohexstr(Entry - Begin, true) +
           " " + Wrong;
  }

  /// LLVM's, which are null if .debug_abbrev is damaged there.
  static const DWARFAbbreviationDeclarationSet *
  abbreviations(const DWARFUnit &U) {
    const DWARFObject &Of = U.getContext().getDWARFObj();
    const StringRef Section =
        U.isDWOUnit() ? Of.getAbbrevDWOSection() : Of.getAbbrevSection();
    return U.getAbbreviationsOffset() < Section.size() ? U.getAbbreviations()
                                                       : nullptr;
  }

private:
  bool fail(const char *Why) {
    Wrong = Why;
    return false;
  }
  bool beyond() { return fail("reaches beyond the unit"); }
  bool skip(uint64_t Size) {
    if (Size > uint64_t(End - At))
      return beyond();
    At += Size;
    return true;
  }
  bool block(unsigned SizeBytes);
  template <typename T>
  bool number(T &Value, T (&Decode)(const uint8_t *, unsigned *,
                                    const uint8_t *, const char **));
  bool value(Form F);

  /// Bytes of values of fixed sizes, and the form of the value behind them; 0:
  /// it was the last.
  struct Piece {
    uint64_t Bytes;
    Form Behind;
  };
  /// What the entries of an abbreviation are made of. LLVM works that out again
  /// for each entry: that would be a sixth of a question's time.
  struct Shape {
    bool IsKnown = false, HasChildren = false;
    uint8_t CodeSize = 0;
    size_t FirstPiece = 0;
  };
  const Shape *shapeOf(uint32_t Code);
  void learn(Shape &S, const DWARFAbbreviationDeclaration &D);

  const DWARFUnit &U;
  const DWARFAbbreviationDeclarationSet *const Known;
  const FormParams Params;
  const uint8_t *Begin, *End, *At = nullptr, *Entry = nullptr;
  std::vector<Shape> Shapes; ///< in the order of Known
  std::vector<Piece> Pieces;
  uint64_t Depth = 0;
  const char *Wrong = nullptr;
};

} // namespace

template <typename T>
bool EntrySteps::number(T &Value, T (&Decode)(const uint8_t *, unsigned *,
                                              const uint8_t *, const char **)) {
  if (At == End)
    return beyond();
  if (*At < 0x40) {
    Value = *At++;
    return true;
  }
  unsigned Size = 0;
  const char *Error = nullptr;
  Value = Decode(At, &Size, End, &Error);
  if (Error)
    return At + Size == End ? beyond()
                            : fail("has a number of more than 64 bits");
  At += Size;
  return true;
}

bool EntrySteps::block(unsigned SizeBytes) {
  if (SizeBytes > uint64_t(End - At))
    return beyond();
  uint64_t Offset = 0;
  const DataExtractor Data(ArrayRef<uint8_t>(At, SizeBytes), U.isLittleEndian(),
                           0);
  const uint64_t Size = Data.getUnsigned(&Offset, SizeBytes);
  At += SizeBytes;
  return skip(Size);
}

bool EntrySteps::value(Form F) {
  uint64_t Number;
  int64_t Signed;
  while (true) {
    switch (F) {
    case DW_FORM_block:
    case DW_FORM_exprloc:
      return number(Number, decodeULEB128) && skip(Number);
    case DW_FORM_block1:
      return block(1);
    case DW_FORM_block2:
      return block(2);
    case DW_FORM_block4:
      return block(4);
    case DW_FORM_string: {
      const void *Null = memchr(At, 0, End - At);
      if (!Null)
        return beyond();
      At = static_cast<const uint8_t *>(Null) + 1;
      return true;
    }
    case DW_FORM_sdata:
      return number(Signed, decodeSLEB128);
    case DW_FORM_udata:
    case DW_FORM_ref_udata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
    case DW_FORM_GNU_addr_index:
    case DW_FORM_GNU_str_index:
      return number(Number, decodeULEB128);
    case DW_FORM_LLVM_addrx_offset:
      return number(Number, decodeULEB128) && skip(4);
    case DW_FORM_strx3:
    case DW_FORM_addrx3:
      return skip(3);
    case DW_FORM_indirect:
      if (!number(Number, decodeULEB128))
        return false;
      F = Form(Number);
      continue;
    default:
      if (auto Size = getFixedFormByteSize(F, Params))
        return skip(*Size);
      return fail("has a value of an unknown form");
    }
  }
}

const EntrySteps::Shape *EntrySteps::shapeOf(uint32_t Code) {
  if (!Known)
    return nullptr;
  const uint32_t First = Known->getFirstAbbrCode();
  const bool Consecutive = First != std::numeric_limits<uint32_t>::max();
  const DWARFAbbreviationDeclaration *D = nullptr;
  if (!Consecutive && !(D = Known->getAbbreviationDeclaration(Code)))
    return nullptr;
  const uint64_t Index =
      Consecutive ? uint64_t(Code) - First : D - &*Known->begin();
  if (Index >= Shapes.size())
    return nullptr;
  Shape &Its = Shapes[Index];
  if (!Its.IsKnown)
    learn(Its, *std::next(Known->begin(), Index));
  return &Its;
}

void EntrySteps::learn(Shape &S, const DWARFAbbreviationDeclaration &D) {
  S = {true, D.hasChildren(), D.getCodeByteSize(), Pieces.size()};
  uint64_t Bytes = 0;
  if (auto Size = D.getFixedAttributesByteSize(U))
    Bytes = *Size;
  else
    for (const auto &A : D.attributes())
      if (auto One = A.getByteSize(U))
        Bytes += *One;
      else
        Pieces.push_back({std::exchange(Bytes, 0), A.Form});
  Pieces.push_back({Bytes, Form(0)});
}

bool EntrySteps::step() {
  Entry = At;
  Wrong = nullptr;
  if (At == End)
    return false;
  uint64_t Code;
  if (!number(Code, decodeULEB128))
    return false;
  if (!Code) {
    // What follows the unit's last entry is none.
    if (!Depth)
      return false;
    --Depth;
    return true;
  }
  const Shape *Its = shapeOf(Code); // LLVM drops what is above 32 bits, too
  if (!Its)
    return false;
  // LLVM looks for an entry's values so many bytes behind its beginning.
  if (At - Entry != Its->CodeSize)
    return fail("has a code of another size than its abbreviation");
  Depth += Its->HasChildren;
  for (const Piece *P = &Pieces[Its->FirstPiece]; skip(P->Bytes); ++P)
    if (!P->Behind || !value(P->Behind))
      return !P->Behind;
  return false;
}

std::string damageOfBounds(const DWARFUnit &U) {
  EntrySteps Steps(U);
  while (Steps.step() && Steps.depth())
    ;
  return Steps.damage();
}

std::string damageOfFirstBounds(const DWARFUnit &U) {
  EntrySteps Steps(U);
  Steps.step();
  return Steps.damage();
}

bool isReadableEntry(const DWARFUnit &U, uint64_t Offset) {
  if (Offset < U.getOffset() + U.getHeaderSize())
    return false;
  EntrySteps Steps(U);
  Steps.seek(Offset);
  return Steps.step();
}

bool mayReferToOthers(const DWARFUnit &U) {
  auto refersToOthers =
      [](const DWARFAbbreviationDeclaration::AttributeSpec &A) {
        return is_contained({DW_FORM_ref_addr, DW_FORM_ref_sig8,
                             DW_FORM_indirect, DW_FORM_ref_sup4,
                             DW_FORM_ref_sup8, DW_FORM_GNU_ref_alt},
                            A.Form);
      };
  const auto *Known = EntrySteps::abbreviations(U);
  return Known && any_of(*Known, [&](const DWARFAbbreviationDeclaration &D) {
           return any_of(D.attributes(), refersToOthers);
         });
}

} // namespace rw
