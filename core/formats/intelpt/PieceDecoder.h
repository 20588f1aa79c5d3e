//===- PieceDecoder.h - From packets to executions of blocks ----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What lies between two sync points is decoded on its own. The parts fit
// together because
//  1. a PSB empties the processor's stack of compressed returns and its last
//     IP, so nothing after it refers to anything before it;
//  2. the code between the last decision that a part tells (a branch, an event)
//     and the next PSB takes no decision. So the part goes on to the *first*
//     time that the code is about to execute the address that the PSB tells,
//     and no further: it may be there already.
// A part joins the next one only if all its packets were used up, to the last
// bit, and its code gets to that address. Anything else is a gap, and the part
// is in doubt from its sync point on: its packets contradict each other or the
// code, and that shows later than where they are wrong.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_INTELPT_PIECEDECODER_H
#define REWIND_FORMATS_INTELPT_PIECEDECODER_H

#include "core/formats/intelpt/CodeBook.h"
#include "core/formats/intelpt/SyncPoint.h"
#include "core/support/Golden.h"

namespace rw::intelpt {

/// What a piece tells, in order. Everything of one stream comes after
/// everything of the pieces before it.
struct Piece {
  struct TimePoint {
    uint32_t Block = 0; ///< from this one on
    uint64_t Tsc = 0;
  };
  struct Happening {
    enum Kind : uint8_t {
      Event,     ///< PT
      Tick,      ///< a TSC packet told Tsc
      Sync,      ///< a PSB at Offset; what follows are gaps
      Failed,    ///< libipt's Error at Offset, after Address if not 0
      Other,     ///< the code at Address is not what libipt takes it for
      Endless,   ///< the code goes round at Address without a decision
      Cut,       ///< a packet is cut off, or branches are left over, at Offset
      Elsewhere, ///< the PSB at Offset is at Address: the code does not get
                 ///< there
      WasOn,     ///< the PSB at Offset says that tracing is off: it was on
      WasOff,    ///< the other way round
      Mode,      ///< the code at Address is not 64-bit code; it is left out
      Skipped,   ///< there are packets before the first PSB, which is at Offset
      Ends,      ///< the packets end at Offset, but tracing was on
      Doubt,     ///< what follows, up to what the packets at Offset caused
      Inside, ///< the packets up to Offset lead to Address, which is inside the
              ///< instruction at From
    };
    Kind What = Event;
    /// Something is missing here.
    bool isGap() const { return What > Sync && What < Doubt; }
    /// The packets are not what they should be.
    bool isDamage() const {
      return (What > Sync && What < Skipped) || What == Inside;
    }
    uint32_t Before = 0; ///< number of blocks
    int Error = 0;       ///< pt_error_code
    uint64_t Offset = 0; ///< in the buffer
    uint64_t Address = 0;
    uint64_t From = 0; ///< offset of the sync point: what is in doubt
    uint64_t Tsc = 0;
    pt_event PT = {};
  };
  std::vector<uint32_t> Blocks; ///< sequences of the CodeBook
  std::vector<TimePoint> Times;
  std::vector<Happening> Events;
  bool FineTime = false; ///< MTC or CYC packets told some of Times
  /// Some were not used: what they count is not known.
  bool LostMtc = false, LostCyc = false;
};

/// What libipt does differently for this processor. False: libipt does not know
/// it, and goes by the manual.
bool findErrata(const pt_cpu &Cpu, pt_errata &Errata);

/// Decodes pieces of any recording one after the other. Not thread-safe: one
/// for each thread.
class PieceDecoder {
public:
  static llvm::Expected<PieceDecoder> create(const Recording &R,
                                             const Image &Code, CodeBook &Book);
  /// \p Bytes is the whole buffer; \p Next where the piece after it begins, if
  /// there is one.
  void decode(llvm::ArrayRef<uint8_t> Bytes, const SyncPoint &From,
              const SyncPoint *Next, Piece &Out);

private:
  PieceDecoder(const Image &Code, Image::View View, CodeBook &Book)
      : Code(&Code), View(std::move(View)), Book(&Book) {}

  struct Slot {
    uint64_t Key = 0; ///< IP << 16 | count; 0: empty
    uint32_t Sequence = 0;
    bool Decides = false;
    bool Jumps = false;
    bool Checked = false; ///< Key's IP is no place inside an instruction
  };
  static size_t hash(uint64_t Key) { return size_t(golden(Key) >> 32); }
  Slot &slot(uint64_t Key) {
    size_t I = hash(Key) & (Slots.size() - 1);
    while (Slots[I].Key != Key && Slots[I].Key)
      I = (I + 1) & (Slots.size() - 1);
    return Slots[I];
  }
  void grow();
  /// libipt keeps blocks by their address alone, whatever mode they were
  /// decoded in.
  void renewCache();

  class Run;
  pt_config Config;
  const Image *Code;
  Image::View View;
  CodeBook *Book;
  std::vector<Slot> Slots; ///< open addressing; a power of two
  size_t Used = 0;
  bool CacheIsOff = false; ///< has blocks that are not 64-bit code
};

} // namespace rw::intelpt

#endif // REWIND_FORMATS_INTELPT_PIECEDECODER_H
