//===- PieceDecoder.cpp - From packets to executions of blocks ------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/intelpt/PieceDecoder.h"
#include "core/formats/intelpt/Resume.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace llvm;

namespace rw::intelpt {

/// More instructions than this without a decision are a loop that cannot end.
static constexpr uint32_t MaxUndecided = 1 << 20;

Expected<PieceDecoder> PieceDecoder::create(const Recording &R,
                                            const Image &Code, CodeBook &Book) {
  auto View = Code.view();
  if (!View)
    return View.takeError();
  PieceDecoder D(Code, std::move(*View), Book);
  pt_config_init(&D.Config);
  D.Config.cpu = R.Cpu;
  if (R.Cpu.vendor != pcv_unknown)
    if (int Status = pt_cpu_errata(&D.Config.errata, &D.Config.cpu); Status < 0)
      return createStringError(
          std::make_error_code(std::errc::invalid_argument),
          formatv("'{0}': libipt does not know the CPU that it was recorded "
                  "on: {1}",
                  R.Path, pt_errstr(pt_errcode(Status))));
  D.Config.cpuid_0x15_eax = R.TscCtcDenominator;
  D.Config.cpuid_0x15_ebx = R.TscCtcNumerator;
  D.Config.mtc_freq = R.MtcFrequency;
  D.Config.nom_freq = R.NominalFrequency;
  D.Slots.resize(1024);
  return D;
}

void PieceDecoder::grow() {
  std::vector<Slot> Old(Slots.size() * 2);
  Old.swap(Slots);
  for (const Slot &S : Old)
    if (S.Key)
      slot(S.Key) = S;
}

/// One decoding of one piece, or of a part of it.
class PieceDecoder::Run {
public:
  /// \p Begin is where Packets are in the buffer.
  Run(PieceDecoder &D, ArrayRef<uint8_t> Packets, size_t Begin, Piece &Out)
      : D(D), Packets(Packets), Begin(Begin), Out(Out) {
    D.Config.begin = const_cast<uint8_t *>(Packets.begin());
    D.Config.end = const_cast<uint8_t *>(Packets.end());
    Block = pt_blk_alloc_decoder(&D.Config);
  }
  ~Run() { pt_blk_free_decoder(Block); }

  void decode(const SyncPoint *Next) {
    size_t LastSync = 0;
    for (bool First = true; sync(); First = false) {
      if (!First && SyncOffset <= LastSync)
        break;
      LastSync = SyncOffset;
      if (Status < 0) {
        fail(Piece::Happening::Failed, Status);
        continue;
      }
      Failed = false;
      stretch();
      if (lostWay())
        skip(Next);
    }
    if (Next)
      join(*Next);
  }

private:
  /// To the next PSB. False: there is none, or no decoder.
  bool sync() {
    if (!Block || pt_blk_set_image(Block, D.View.get()) < 0) {
      fail(Piece::Happening::Failed, -pte_nomem);
      return false;
    }
    Status = pt_blk_sync_forward(Block);
    uint64_t Offset = 0;
    if (Status == -pte_eos || pt_blk_get_sync_offset(Block, &Offset) < 0)
      return false;
    SyncOffset = Offset;
    return true;
  }

  /// The packets are good, but the code is not there, or it returns to where
  /// only the lost part of the trace could tell.
  bool lostWay() const {
    return Failed && (Status == -pte_nomap || Status == -pte_retstack_empty);
  }

  size_t offset() const {
    uint64_t Offset = 0;
    pt_blk_get_offset(Block, &Offset);
    return Offset;
  }

  /// Goes on wherever the trace tells an address in code that is there, up to
  /// the next PSB.
  void skip(const SyncPoint *Next) {
    size_t At = offset(), End = Packets.size();
    auto Psb = findSync(Packets, At);
    if (Psb)
      End = Psb->Offset;
    ResumeFinder Finder(Packets.slice(SyncOffset, End - SyncOffset), *D.Code);
    std::vector<uint8_t> Rest; // what Last looks at
    std::unique_ptr<Run> Last; // empty: this one
    while (auto P = Finder.next(At - SyncOffset)) {
      size_t Head = 0;
      Last.reset();
      Rest = Finder.packets(*P, End - SyncOffset, LastTsc, Head);
      // So that offsets are those of the buffer again.
      size_t Shift = SyncOffset + P->Offset - Head;
      Last = std::make_unique<Run>(D, Rest, Begin + Shift, Out);
      Last->LastTsc = LastTsc;
      if (!Last->sync() || Last->Status < 0)
        break;
      Last->stretch();
      LastTsc = Last->LastTsc;
      if (!Last->lostWay())
        break;
      At = std::max(Last->offset() + Shift, SyncOffset + P->Offset);
    }
    if (Psb)
      (Last ? *Last : *this).join(*Psb);
    else if (Last && Next)
      Last->join(*Next);
    else
      return; // decode() joins this one
    Failed = true;
    beginTail();
  }

  /// Up to an error or the end.
  void stretch() {
    On = !(Status & pts_ip_suppressed);
    beginTail();
    for (;;) {
      if (Status & pts_event_pending && !events())
        return;
      pt_block B;
      Status = pt_blk_next(Block, &B, sizeof B);
      if (B.ninsn && !add(B)) {
        Status = 0;
        return;
      }
      if (Status < 0)
        break;
      On = !(Status & pts_ip_suppressed);
      if (Decided)
        beginTail();
      else if (Undecided > MaxUndecided) {
        fail(Piece::Happening::Endless, 0, B.ip);
        return;
      }
    }
    if (Status != -pte_eos)
      fail(Piece::Happening::Failed, Status);
  }

  bool events() {
    do {
      Piece::Happening H;
      Status = pt_blk_event(Block, &H.PT, sizeof H.PT);
      if (Status < 0) {
        if (Status != -pte_eos)
          fail(Piece::Happening::Failed, Status);
        return false;
      }
      On = !(Status & pts_ip_suppressed);
      if (H.PT.type == ptev_tick)
        continue;
      H.Before = uint32_t(Out.Blocks.size());
      Out.Events.push_back(H);
      if (!H.PT.status_update && H.PT.type != ptev_cbr)
        beginTail();
    } while (Status & pts_event_pending);
    time();
    return true;
  }

  /// What comes now takes no decision before its end.
  void beginTail() {
    TailBlocks = Out.Blocks.size();
    TailEvents = Out.Events.size();
    Undecided = 0;
  }

  void time() {
    uint64_t Tsc;
    uint32_t LostMtc, LostCyc;
    if (pt_blk_time(Block, &Tsc, &LostMtc, &LostCyc) < 0 || Tsc == LastTsc)
      return;
    LastTsc = Tsc;
    Out.Times.push_back({uint32_t(Out.Blocks.size()), Tsc});
  }

  /// False: the trace cannot be followed from here.
  bool add(const pt_block &B) {
    time();
    Undecided += B.ninsn;
    if (B.mode != ptem_64bit) {
      if (Out.Events.empty() ||
          Out.Events.back().What != Piece::Happening::Mode ||
          Out.Events.back().Before != Out.Blocks.size())
        fail(Piece::Happening::Mode, 0, B.ip);
      Failed = false; // libipt can follow it
      Decided = true;
      return true;
    }
    uint64_t Key = B.ip << 16 | B.ninsn;
    Slot *S = &D.slot(Key);
    if (S->Key != Key)
      S = define(B, S);
    if (!S)
      return addOdd(B);
    Out.Blocks.push_back(S->Sequence);
    Decided = S->Decides;
    return true;
  }

  Slot *define(const pt_block &B, Slot *Free) {
    BlockInfo I = D.Book->block({B.ip, B.ninsn});
    if (I.Wrong || I.Count != B.ninsn)
      return nullptr;
    *Free = {B.ip << 16 | B.ninsn, I.Sequence, I.Decides};
    if (++D.Used * 2 > D.Slots.size()) {
      D.grow();
      return &D.slot(B.ip << 16 | B.ninsn);
    }
    return Free;
  }

  /// A block of more than one sequence, or one whose code is in doubt.
  bool addOdd(const pt_block &B) {
    uint64_t IP = B.ip;
    uint32_t Left = B.ninsn;
    while (Left) {
      BlockInfo I = D.Book->block({IP, Left});
      if (I.Count)
        Out.Blocks.push_back(I.Sequence);
      IP = I.Next;
      Left -= I.Count;
      Decided = I.Decides;
      if (I.Wrong) {
        fail(Piece::Happening::Other, 0, IP);
        return false;
      }
    }
    return true;
  }

  void fail(Piece::Happening::Kind What, int Status, uint64_t Address = 0) {
    Piece::Happening H;
    H.What = What;
    H.Before = uint32_t(Out.Blocks.size());
    H.Error = Status < 0 ? pt_errcode(Status) : 0;
    H.Offset = Begin + (Block ? offset() : 0);
    H.Address = Address;
    if (!Address && TailBlocks < Out.Blocks.size())
      if (auto I = D.Book->table().insns(Out.Blocks.back()); !I.empty())
        H.Address = I.back().PC;
    Out.Events.push_back(H);
    Failed = true;
  }

  /// Ends where the next piece begins.
  void join(const SyncPoint &Next) {
    const CodeTable &Code = D.Book->table();
    if (!Next.IP) {
      if (On && !Failed)
        fail(Piece::Happening::WasOn, 0);
      return;
    }
    for (size_t N = TailBlocks; N < Out.Blocks.size(); ++N) {
      ArrayRef<InsnItem> Insns = Code.insns(Out.Blocks[N]);
      for (size_t I = 0; I < Insns.size(); ++I) {
        if (Insns[I].PC != *Next.IP)
          continue;
        uint64_t First = Insns[0].PC;
        Out.Blocks.resize(N);
        if (I)
          Out.Blocks.push_back(D.Book->block({First, uint32_t(I)}).Sequence);
        // What went wrong after this place did not happen.
        auto Tail = Out.Events.begin() + TailEvents;
        Out.Events.erase(std::remove_if(Tail, Out.Events.end(),
                                        [](const Piece::Happening &H) {
                                          return H.What !=
                                                 Piece::Happening::Event;
                                        }),
                         Out.Events.end());
        for (; Tail != Out.Events.end(); ++Tail)
          Tail->Before = std::min(Tail->Before, uint32_t(Out.Blocks.size()));
        while (!Out.Times.empty() && Out.Times.back().Block > Out.Blocks.size())
          Out.Times.pop_back();
        return;
      }
    }
    if (Failed || TailBlocks == Out.Blocks.size())
      return;
    fail(Piece::Happening::Elsewhere, 0, *Next.IP);
  }

  PieceDecoder &D;
  ArrayRef<uint8_t> Packets;
  size_t Begin;
  Piece &Out;
  pt_block_decoder *Block = nullptr;
  size_t SyncOffset = 0;
  int Status = 0;
  bool On = false, Decided = false, Failed = false;
  uint32_t Undecided = 0;
  uint64_t LastTsc = 0;
  size_t TailBlocks = 0, TailEvents = 0;
};

void PieceDecoder::decode(ArrayRef<uint8_t> Bytes, const SyncPoint &From,
                          const SyncPoint *Next, Piece &Out) {
  size_t End = Next ? Next->Offset : Bytes.size();
  Run(*this, Bytes.slice(From.Offset, End - From.Offset), From.Offset, Out)
      .decode(Next);
}

} // namespace rw::intelpt
