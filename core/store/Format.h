//===- Format.h - The bytes of a store --------------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The on-disk structures, all little endian and naturally aligned, so that they
// are used where they are mapped. docs/store.md describes the whole format.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_FORMAT_H
#define REWIND_STORE_FORMAT_H

#include <compare>
#include <cstddef>
#include <cstdint>

namespace rw::format {

constexpr char Magic[8] = {'R', 'e', 'w', 'i', 'n', 'd', '\r', '\n'};
constexpr uint32_t Version = 11;

/// A block ends at the first end of a run at or after MinBlock instructions, so
/// that runs are not torn apart; it never has more than MaxBlock.
constexpr unsigned MaxRun = 32;
constexpr unsigned MinBlock = 481;
constexpr unsigned MaxBlock = MinBlock + MaxRun - 1;
/// A segment ends with the block that reaches this many instructions.
constexpr unsigned SegmentInsns = 1u << 19;
/// Upper bound of blocks in a segment (segment 0 has an empty one in front).
constexpr unsigned MaxBlocks = SegmentInsns / MinBlock + 2;

/// Memory is indexed by granules of 8 bytes, and these by pages.
constexpr unsigned GranuleBits = 3, PageBits = 12;
constexpr unsigned GranulesPerPage = 1u << (PageBits - GranuleBits);

/// Values and addresses are predicted from the first so many lanes of the
/// thread's registers; NoLane predicts a constant.
constexpr unsigned PredictorLanes = 40;
/// Data of memory accesses is also predicted from floating-point and vector
/// lanes; those are the lanes from PredictorLanes on (see arch/RegisterFile.h).
constexpr unsigned DataLanes = 104;
constexpr uint16_t NoLane = 0xffff;
constexpr uint8_t SameThread = 0xff;
constexpr uint32_t NeverFrozen = ~uint32_t(0);

struct FileHeader {
  char Magic[8];
  uint32_t Version;
  uint32_t HeaderBytes;
  uint64_t FileBytes;
  uint64_t TocOffset;
  uint64_t TocBytes; ///< a multiple of sizeof(TocEntry)
  uint64_t TocChecksum;
  uint64_t HeaderChecksum; ///< of all that comes before it
};

struct TocEntry {
  char Name[24]; ///< NUL padded
  uint64_t Offset;
  uint64_t Bytes;
  uint64_t Checksum; ///< XXH3 of the section
};

/// One instruction with the shape of its effects. What varies from one
/// execution to the next is in the blocks.
struct Template {
  uint64_t PC;
  uint64_t Opcode;
  uint32_t FirstReg; ///< in the array of RegShape
  uint32_t FirstMem; ///< in the array of MemShape
  uint32_t Lines;
  /// The predictions of the shapes hold in segments from this one on.
  uint32_t FrozenFrom;
  uint16_t NumRegs;
  uint16_t NumMems;
  uint8_t Size;
  uint8_t Isa;
  uint8_t Flags; ///< InsnItem flags
  /// 1 if of some register effect something is known, and so has a bit among
  /// the register bits of a block.
  uint8_t TellsRegs;
};
static_assert(sizeof(Template) == 40);

/// RegShape::Source of values that are not needed to decode others (of lanes
/// from PredictorLanes on), so that a reader may leave them out: what a read of
/// the instruction found in memory that was known already (Offset: which
/// access), or arithmetic on lanes (Offset: a FloatOp).
constexpr uint16_t FromMemory = 0xfffe;
constexpr uint16_t FromFloats = 0xfffd;

/// One register effect and how its value is predicted: lane Source + Offset.
struct RegShape {
  int64_t Offset;
  uint32_t FirstConst; ///< in the array of constants
  uint16_t Lane;
  uint16_t Source; ///< a lane, or NoLane: Offset itself; or one of the above
  uint8_t Written;
  uint8_t Unknown;
  uint8_t Thread; ///< or SameThread
  uint8_t NumConsts;
  uint8_t Flags; ///< RegItem flags
  uint8_t Pad[3];
};
static_assert(sizeof(RegShape) == 24);

/// One memory access: its address is lane AddrSource + AddrOffset, its value
/// the low bytes of lane DataSource (or the high half of the lane).
struct MemShape {
  int64_t AddrOffset;
  int64_t RealOffset; ///< real address minus effective address
  uint16_t AddrSource;
  uint16_t DataSource; ///< lane * 2 + half; NoLane: zero
  uint8_t Size;
  uint8_t Flags; ///< MemItem flags
  uint8_t Known;
  uint8_t HasReal;
};
static_assert(sizeof(MemShape) == 24);

struct Segment {
  uint64_t Offset; ///< in the file
  uint64_t Bytes;
  uint64_t Checksum;
  uint64_t FirstMoment;
  uint64_t FirstTime;
  uint64_t FirstLine; ///< 1-based
};

/// At the start of a segment; all offsets count from there.
struct SegmentHeader {
  uint32_t NumBlocks;
  uint32_t NumThreads;    ///< known by the end of this segment
  uint32_t NumLanes;      ///< per thread, in the snapshot
  uint32_t NumChanged;    ///< entries of the list of changed lanes
  uint32_t BlockStarts;   ///< u32[NumBlocks + 1]: instruction, from the segment
  uint32_t BlockOffsets;  ///< u32[NumBlocks + 1]: byte, from the segment
  uint32_t BlockTimes;    ///< u64[NumBlocks]
  uint32_t BlockLines;    ///< u32[NumBlocks]: from the segment's FirstLine
  uint32_t ThreadStarts;  ///< u32[NumBlocks + 1][NumThreads], if several
  uint32_t SnapshotValue; ///< u64[NumThreads][NumLanes]
  uint32_t SnapshotKnown; ///< u8[NumThreads][NumLanes]
  uint32_t Changed;       ///< u32[NumChanged]: thread * 65536 + lane, ascending
};

/// A page of real memory that was accessed at an effective page (page numbers:
/// address >> 12), some time.
struct RealPage {
  uint64_t Real;
  uint64_t Effective;
  auto operator<=>(const RealPage &) const = default;
};

/// A line of the trace file whose place is known.
struct FilePlace {
  uint64_t Line;
  uint64_t Offset;
};

/// Bytes of the program, in the section "code".
struct CodePlace {
  uint64_t Address;
  uint64_t Offset;
  uint64_t Bytes;
};

/// A key's place in one segment; see "postings" in docs/store.md.
struct Posting {
  uint32_t Segment;
  uint32_t Offset;
};

struct Event {
  uint64_t Before;
  uint64_t PC;
  uint64_t Value;
  uint32_t Text; ///< in the text section, NUL-terminated
  uint8_t Kind;
  uint8_t Thread;
  uint16_t Pad;
};
static_assert(sizeof(Event) == 32);

// Codes of values that were not predicted. Register values:
enum RegCode : uint8_t {
  RegPredicted = 0,
  RegConst0 = 1, ///< 1..3: the shape's constants
  RegDelta1 = 4, ///< signed difference to the lane's value, in so many bytes
  RegDelta2 = 5,
  RegDelta3 = 6,
  RegDelta4 = 7,
  RegRaw1 = 8, ///< zero-extended
  RegRaw2 = 9,
  RegRaw4 = 10,
  RegRecent = 11, ///< a value written before in the block: index of 1 byte
  RegRaw6 = 12,
  RegRaw8 = 13,
  RegTop = 14, ///< only bits 24..31 differ from the lane's value (flags)
  RegZero = 15,
};
// Lanes from PredictorLanes on hold floating-point numbers, which end in zeros
// rather than begin with them. Between the constants and zero:
enum FloatCode : uint8_t {
  FloatHigh1 = 4, ///< 4..11: the 1..8 highest bytes, the others are 0
  FloatRecent = 12,
  FloatLow2 = 13, ///< the high half of the low 4 bytes (a short float)
  FloatLow4 = 14, ///< the low 4 bytes
};
// Addresses:
enum AddrCode : uint8_t {
  AddrPredicted = 0,
  AddrNear1 = 1, ///< signed difference to the prediction
  AddrNear2 = 2,
  AddrNear3 = 3,
  AddrNear4 = 4,
  AddrLast1 = 5, ///< signed difference to the access before in the block
  AddrLast2 = 6,
  AddrLast3 = 7,
  AddrLast4 = 8,
  AddrRaw4 = 9,
  AddrRaw6 = 10,
  AddrRaw8 = 11,
};
// Data of accesses, and real addresses (as difference to the effective one):
enum DataCode : uint8_t {
  DataPredicted = 0,
  DataZero = 1,
  DataRaw1 = 2,
  DataRaw2 = 3,
  DataRaw3 = 4,
  DataRaw4 = 5,
  DataRaw5 = 6,
  DataRaw6 = 7,
  DataRaw8 = 8,
};

} // namespace rw::format

#endif // REWIND_STORE_FORMAT_H
