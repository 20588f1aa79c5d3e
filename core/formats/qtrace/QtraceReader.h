//===- QtraceReader.h - Reads Qtrace files ----------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_QTRACE_QTRACEREADER_H
#define REWIND_FORMATS_QTRACE_QTRACEREADER_H

#include "core/formats/TarMember.h"
#include "core/formats/TraceFormat.h"
#include "core/formats/ppc/RadixWalk.h"
#include "core/formats/qtrace/QtraceFormat.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <optional>

namespace rw::qtrace {

/// A page, and how it was found.
struct PlaceInfo {
  std::optional<uint32_t> Rpn;
  std::optional<uint8_t> PageShift, GuestShift;
  bool HasWalk = false;
  ppc::RadixWalk Walk;

  unsigned hostShift() const { return PageShift.value_or(DefaultShift); }
  /// Bytes from an effective address on that are next to each other in real
  /// memory, too: log2 of what they are aligned to.
  unsigned commonShift() const {
    return std::min<unsigned>(hostShift(), GuestShift.value_or(60));
  }
  /// Real address of \p EA. Where in a host page a smaller guest page lies,
  /// only the guest's real address tells.
  std::optional<uint64_t> real(uint64_t EA) const {
    if (!Rpn)
      return std::nullopt;
    const unsigned Shift = hostShift();
    uint64_t Low = EA;
    if (commonShift() < Shift) {
      if (!HasWalk || Walk.K != ppc::RadixWalk::Kind::Nested || !Walk.NumWalks)
        return std::nullopt;
      const uint64_t InGuestPage = (uint64_t(1) << *GuestShift) - 1;
      Low = (Walk.GuestReal[Walk.NumWalks - 1] & ~InGuestPage) |
            (EA & InGuestPage);
    }
    return uint64_t(*Rpn) << Shift | (Low & ((uint64_t(1) << Shift) - 1));
  }
};

struct RegisterValue {
  enum class File : uint8_t { Gpr, Fpr, Vmx, Vsx, Spr } Which;
  uint16_t Index = 0;
  uint64_t Value[2] = {}; ///< Vmx and Vsx: upper half first
};

/// One instruction of a Qtrace file, prefix and suffix put together.
struct ReadInsn {
  uint64_t Offset = 0; ///< of its record
  uint64_t EA = 0;
  uint32_t Opcode = 0, Prefix = 0;
  bool Prefixed = false;
  Termination Ends = Termination::None;
  uint8_t TerminationNode = 0; ///< if it ends
  std::optional<uint8_t> Node;
  bool IarChange = false; ///< the next instruction is elsewhere
  bool TellsNext = false; ///< it tells the page of the next instruction
  std::optional<uint32_t> NextRpn;
  std::optional<uint8_t> NextPageShift;
  std::optional<uint64_t> DataEA;
  PlaceInfo Data, Insn;
  /// Real address of the instruction, if its page was told: what was told last
  /// goes for the page that it was told of.
  std::optional<uint64_t> Real;
  llvm::SmallVector<uint8_t, 16> Value; ///< in memory order
  llvm::SmallVector<RegisterValue, 0> In, Out;
};

/// Takes a file apart, instruction by instruction, in constant memory.
class QtraceParser {
public:
  explicit QtraceParser(ByteSource Source);
  ~QtraceParser();

  /// False at the end of the file. An error tells the offset and what was
  /// expected; there is no way to go on after one.
  llvm::Expected<bool> next(ReadInsn &I);
  uint64_t offset() const { return Base + At; }
  /// Where the instruction after the one that next() gave is, as told last, and
  /// its address.
  const PlaceInfo &nextPlace() const { return Place; }
  uint64_t nextEA() const { return Iar; }

  // What the headers told.
  std::optional<uint32_t> version() const { return FileVersion; }
  std::optional<uint32_t> pid() const { return Pid; }
  std::optional<uint64_t> lpid() const { return Lpid; }
  llvm::StringRef comment() const { return Comment; }

private:
  llvm::Error fail(uint64_t Offset, const llvm::Twine &What) const;
  /// Makes \p N bytes available; false if the file ends before.
  llvm::Expected<bool> need(size_t N);
  template <typename T> T take();
  llvm::Error takeRadix(PlaceInfo &P, Translation Host, Translation Guest);
  llvm::Error takePlace(PlaceInfo &P, uint16_t Flags3, Role Host, Role Guest,
                        bool Ext);
  llvm::Error takeHeader();
  llvm::Error takeRegisters(ReadInsn &I);
  llvm::Expected<bool> takeRecord(ReadInsn &I, bool Suffix);
  llvm::Error check(size_t N);

  ByteSource Source;
  std::unique_ptr<uint8_t[]> Buffer;
  size_t At = 0, End = 0;
  uint64_t Base = 0;
  bool Eof = false;

  bool HaveIar = false;
  uint64_t Iar = 0;
  PlaceInfo Place;      ///< of the next instruction
  uint64_t PlaceEA = 0; ///< which it was told of
  std::optional<uint32_t> FileVersion, Pid;
  std::optional<uint64_t> Lpid;
  std::string Comment;
};

std::unique_ptr<TraceReader> makeReader(ByteSource Source, uint64_t Bytes,
                                        const ReaderOptions &Options);

} // namespace rw::qtrace

#endif // REWIND_FORMATS_QTRACE_QTRACEREADER_H
