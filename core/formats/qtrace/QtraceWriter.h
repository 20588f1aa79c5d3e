//===- QtraceWriter.h - Writes Qtrace files ---------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_QTRACE_QTRACEWRITER_H
#define REWIND_FORMATS_QTRACE_QTRACEWRITER_H

#include "core/formats/WriteBehind.h"
#include "core/formats/qtrace/RadixBlock.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

namespace rw::qtrace {

struct Access {
  uint64_t EA = 0;
  ppc::RealAddress Real;
};

struct Insn {
  uint64_t EA = 0;
  uint32_t Opcode = 0;
  uint32_t Prefix = 0; ///< if Prefixed
  bool Prefixed = false;
  bool Branch = false, Conditional = false;
  bool HasData = false;
  ppc::RealAddress Real;
  Access Data; ///< if HasData

  uint64_t next() const { return EA + (Prefixed ? 8 : 4); }
};

/// A real address as a record tells it.
struct RealPage {
  bool Has = false, HasBlock = false;
  uint8_t Shift = 0;
  uint32_t Rpn = 0;

  /// Whether it goes without saying after \p Before.
  bool follows(const RealPage &Before) const {
    return Before.Has && Rpn == Before.Rpn && Shift == Before.Shift &&
           HasBlock == Before.HasBlock;
  }
};

/// Instructions that follow each other in memory, made ready to be written many
/// times, each time with other data addresses. QtraceWriter::prepare() makes
/// it.
class InsnRun {
  friend class QtraceWriter;
  /// Bytes as they are, and then the record of an access.
  struct Step {
    uint32_t Size;
    uint32_t Opcode;
  };
  /// All but the last instruction, and after that some bytes that mean nothing.
  llvm::SmallVector<Step, 4> Steps;
  llvm::SmallVector<uint8_t, 64> Bytes;
  uint32_t Rest = 0; ///< bytes after the last step
  /// The last one, if what comes next is next in memory, on the same page. 0:
  /// it has data, or a prefix.
  uint8_t EndSize = 0;
  uint8_t End[16];
  /// What comes before it, if that jumps here: its flags, and, after how it
  /// ended, where it went.
  uint8_t HeadSize = 0;
  uint8_t Head[8];
  uint32_t ArrivalSize = 0;
  llvm::SmallVector<uint8_t, 32> Arrival;
  Insn Last;
  uint64_t FirstEA = 0;
  ppc::RealAddress FirstReal;
  RealPage First, Page; ///< of the first one, and what was told until the last
  uint32_t Dropped = 0; ///< real addresses of instructions
  size_t MaxSize = 0;
};

/// Streams instructions into a Qtrace file, in constant memory, some
/// nanoseconds each. What is more than a buffer is written on another thread:
/// use the stream again after close(). Errors of the stream are the stream's.
class QtraceWriter {
public:
  /// \p Walks finds those that real addresses tell of.
  explicit QtraceWriter(llvm::raw_ostream &OS,
                        RadixBlocks::Finder Walks = nullptr);
  ~QtraceWriter();
  void add(const Insn &I);

  /// Makes \p R of \p Insns. False, and \p R must not be added, if how they are
  /// written depends on more than their data and what comes before and after.
  bool prepare(InsnRun &R, llvm::ArrayRef<Insn> Insns);
  /// Adds the instructions of a run. \p Data tells the access of the nth of
  /// those that have one. The run must live until something else is added.
  template <typename Fn> void add(const InsnRun &R, Fn &&Data);

  /// Writes what is held back. Without it the file lacks its last instruction.
  void close();
  /// Real addresses left out: a page number has 32 bits.
  uint64_t droppedRealAddresses() const { return Dropped; }
  /// Whether some were told in the smallest pages, for want of a page size.
  bool assumedPageSizes() const { return Assumed; }

private:
  /// What a record tells of a place.
  struct Place {
    uint64_t EA = 0;
    RealPage Page;
    const RadixBlock *Block = nullptr; ///< valid until the next is made
  };
  static constexpr unsigned CopyStep = 16;
  static uint8_t *copy(uint8_t *Out, const uint8_t *From, unsigned Size);
  static uint8_t *record(uint8_t *Out, const Insn &I, const Place &Data,
                         const RealPage &Told, const Place *Next);
  Place placeOf(uint64_t EA, const ppc::RealAddress &R);
  uint8_t *access(uint8_t *Out, uint32_t Opcode, const Access &A);
  void header(const Place &First);
  void goTo(const Place &P);
  void goTo(const InsnRun &R);
  void hold(const Insn &I);
  void settle();
  void room(size_t Size) {
    if (LLVM_UNLIKELY(size_t(End - At) < Size))
      nextBuffer();
  }
  void nextBuffer();

  static constexpr size_t BufferSize = 256 * 1024;
  /// No record with its header is longer, with all that put() overwrites.
  static constexpr size_t MaxRecord = 1024;
  /// No record of an access in a run is longer.
  static constexpr size_t MaxAccess = 64 + RadixBlock::MaxSize;
  llvm::raw_ostream &OS;
  WriteBehind Behind;
  WriteBehind::Buffer Buffer;
  uint8_t *At, *End;
  RadixBlocks Blocks;
  bool Started = false, Closed = false;
  uint64_t Dropped = 0;
  bool Assumed = false;
  RealPage Told; ///< the instructions' page, as a reader knows it

  // What was added last is written when it is known what comes next.
  Insn Held;
  Place HeldData;       ///< if it has data
  RadixBlock HeldBlock; ///< HeldData's
  /// If set, it is the last one of this, and these do not hold.
  const InsnRun *HeldRun = nullptr;
  Access HeldAccess;
};

/// Copies in steps: what is beyond \p Size is read and written, too.
inline uint8_t *QtraceWriter::copy(uint8_t *Out, const uint8_t *From,
                                   unsigned Size) {
  for (unsigned I = 0; I < Size; I += CopyStep)
    std::memcpy(Out + I, From + I, CopyStep);
  return Out + Size;
}

template <typename Fn>
inline void QtraceWriter::add(const InsnRun &R, Fn &&Data) {
  room(R.MaxSize);
  goTo(R);
  uint8_t *Out = At;
  const uint8_t *From = R.Bytes.data();
  unsigned N = 0;
  for (const InsnRun::Step &S : R.Steps) {
    Out = copy(Out, From, S.Size);
    From += S.Size;
    Out = access(Out, S.Opcode, Data(N++));
  }
  At = copy(Out, From, R.Rest);
  HeldRun = &R;
  if (R.Last.HasData)
    HeldAccess = Data(N);
  if (R.Page.Has)
    Told = R.Page;
  Dropped += R.Dropped;
}

/// An instruction in a run that goes on to the next.
inline uint8_t *QtraceWriter::access(uint8_t *Out, uint32_t Opcode,
                                     const Access &A) {
  constexpr uint16_t NoInsn =
      translationBits(Translation::Undefined, Role::HostInsn) |
      translationBits(Translation::Undefined, Role::GuestInsn);
  const Place P = placeOf(A.EA, A.Real);
  Out = put<uint32_t>(Out, Opcode);
  if (LLVM_UNLIKELY(!P.Page.Has)) {
    Out = put<uint16_t>(Out, FlagDataAddress | FlagExt);
    Out = put<uint16_t>(Out, 0);
    return put<uint64_t>(Out, A.EA);
  }
  Out = put<uint16_t>(Out, FlagDataAddress | FlagDataRpn | FlagExt);
  if (!P.Block) {
    Out = put<uint16_t>(Out, Flag2DataPageShift);
    Out = put<uint64_t>(Out, A.EA);
    Out = put<uint32_t>(Out, P.Page.Rpn);
    return put<uint8_t>(Out, P.Page.Shift);
  }
  const uint8_t GuestShift = P.Block->guestShift();
  Out = put<uint16_t>(Out, Flag2DataPageShift | Flag2Ext |
                               (GuestShift ? Flag2DataGuestShift : 0));
  Out = put<uint16_t>(Out, P.Block->dataModes() | NoInsn);
  Out = put<uint64_t>(Out, A.EA);
  Out = P.Block->put(Out, A.EA);
  Out = put<uint32_t>(Out, P.Page.Rpn);
  Out = put<uint8_t>(Out, P.Page.Shift);
  return GuestShift ? put<uint8_t>(Out, GuestShift) : Out;
}

inline QtraceWriter::Place QtraceWriter::placeOf(uint64_t EA,
                                                 const ppc::RealAddress &R) {
  Place P;
  P.EA = EA;
  // Without a page size the address is told in the smallest pages there are.
  const uint8_t Shift = R.PageShift ? R.PageShift : 12;
  const uint64_t Rpn = R.RA >> Shift;
  if (R.RA == ~uint64_t(0) || Rpn > 0xffffffff) {
    Dropped += R.RA != ~uint64_t(0);
    return P;
  }
  Assumed |= !R.PageShift;
  P.Block = Blocks.find(R.Walk);
  P.Page = {true, P.Block != nullptr, Shift, uint32_t(Rpn)};
  return P;
}

} // namespace rw::qtrace

#endif // REWIND_FORMATS_QTRACE_QTRACEWRITER_H
