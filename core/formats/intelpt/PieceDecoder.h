//===- PieceDecoder.h - From packets to executions of blocks ----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Packets are decoded in pieces that begin at sync points, each by a decoder of
// its own. Pieces fit together because
//  1. a PSB empties the processor's stack of compressed returns and its last
//     IP, so nothing after it refers to anything before it;
//  2. the code between the last decision that a piece tells (a branch, an
//     event) and the next piece's PSB takes no decision. So the piece goes on
//     to the *first* time that the code is about to execute the address that
//     the next PSB tells, and no further: it may be there already.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_INTELPT_PIECEDECODER_H
#define REWIND_FORMATS_INTELPT_PIECEDECODER_H

#include "core/formats/intelpt/CodeBook.h"
#include "core/formats/intelpt/SyncPoint.h"

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
      Elsewhere, ///< the next piece begins at Address: this one does not get
                 ///< there
      WasOn,     ///< the next piece begins with tracing off: this one was on
      Mode,      ///< the code at Address is not 64-bit code; it is left out
    };
    Kind What = Event;
    /// Something is missing here.
    bool isGap() const { return What > Sync; }
    uint32_t Before = 0; ///< number of blocks
    int Error = 0;       ///< pt_error_code
    uint64_t Offset = 0; ///< in the buffer
    uint64_t Address = 0;
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
  };
  static size_t hash(uint64_t Key) {
    return size_t((Key * 0x9E3779B97F4A7C15u) >> 32);
  }
  Slot &slot(uint64_t Key) {
    size_t I = hash(Key) & (Slots.size() - 1);
    while (Slots[I].Key != Key && Slots[I].Key)
      I = (I + 1) & (Slots.size() - 1);
    return Slots[I];
  }
  void grow();

  class Run;
  pt_config Config;
  const Image *Code;
  Image::View View;
  CodeBook *Book;
  std::vector<Slot> Slots; ///< open addressing; a power of two
  size_t Used = 0;
};

} // namespace rw::intelpt

#endif // REWIND_FORMATS_INTELPT_PIECEDECODER_H
