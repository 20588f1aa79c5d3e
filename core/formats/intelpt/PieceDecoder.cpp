//===- PieceDecoder.cpp - From packets to executions of blocks ------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/intelpt/PieceDecoder.h"
#include "core/formats/intelpt/Resume.h"
#include "llvm/ADT/StringExtras.h"
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
  /// \p Begin is where Packets are in the buffer. \p Made: their PSB is not.
  Run(PieceDecoder &D, ArrayRef<uint8_t> Packets, size_t Begin, Piece &Out,
      bool Made = false)
      : D(D), Packets(Packets), Begin(Begin), Out(Out), Made(Made) {
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
      Last = std::make_unique<Run>(D, Rest, Begin + Shift, Out, true);
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
    if (!Made)
      beginSync();
    follow();
    passSyncs(true);
    settleSyncs(true);
  }

  void follow() {
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
      bool Known = SyncFrom.has_value();
      if (Decided)
        beginTail();
      if (!Passed.empty())
        settleSyncs(Decided && Known);
      if (!Decided && Undecided > MaxUndecided) {
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
      bool Decides = !H.PT.status_update && H.PT.type != ptev_cbr;
      if (H.PT.status_update)
        passSyncs(true);
      settleSyncs(Decides);
      H.Before = uint32_t(Out.Blocks.size());
      Out.Events.push_back(H);
      if (Decides)
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
    uint32_t LostMtc = 0, LostCyc = 0; // libipt tells both or none
    if (pt_blk_time(Block, &Tsc, &LostMtc, &LostCyc) < 0)
      return;
    Out.LostCyc |= LostCyc != 0;
    if (Tsc != LastTsc)
      newTime(Tsc);
  }

  LLVM_ATTRIBUTE_NOINLINE void newTime(uint64_t Tsc) {
    LastTsc = Tsc;
    size_t From = std::exchange(LastOffset, offset());
    Out.Times.push_back({uint32_t(Out.Blocks.size()), Tsc});
    passSyncs(false);
    if (!Passed.empty() || (Ahead && Ahead->Offset < LastOffset))
      return; // the tick has the PSB's place
    if (toldByPacket(Tsc, From))
      happen(Piece::Happening::Tick, Out.Blocks.size(), Out.Events.size()).Tsc =
          Tsc;
    else
      Out.FineTime = true;
  }

  /// By a TSC packet after \p From, that is; MTC and CYC packets tell times,
  /// too.
  bool toldByPacket(uint64_t Tsc, size_t From) const {
    constexpr unsigned PayloadBytes = 7;
    char Packet[1 + PayloadBytes] = {0x19};
    for (unsigned I = 0; I < PayloadBytes; ++I)
      Packet[1 + I] = char(Tsc >> 8 * I);
    return toStringRef(Packets.slice(From, LastOffset - From))
        .contains(StringRef(Packet, sizeof Packet));
  }

  Piece::Happening &happen(Piece::Happening::Kind What, size_t Before,
                           size_t Index) {
    Piece::Happening H;
    H.What = What;
    H.Before = uint32_t(Before);
    return *Out.Events.insert(Out.Events.begin() + Index, H);
  }

  /// The PSB that libipt began at.
  void beginSync() {
    Passed.clear();
    LastOffset = SyncOffset;
    if (auto S = findSync(Packets, SyncOffset); S && S->Offset == SyncOffset) {
      PassedEvents = Out.Events.size();
      placeSync(*S, Out.Blocks.size());
    }
    Ahead = findSync(Packets, SyncOffset + 1);
  }

  /// libipt reads ahead, and over PSBs: it has seen those before offset(). What
  /// they repeat it tells when it comes by them (\p Repeated), and not before
  /// events that it has seen earlier.
  void passSyncs(bool Repeated) {
    while (Ahead && (Repeated || !Ahead->Repeats) && Ahead->Offset < offset()) {
      if (Passed.empty())
        PassedEvents = Out.Events.size();
      Passed.push_back(*Ahead);
      Ahead = findSync(Packets, Ahead->Offset + 1);
    }
  }

  /// The syncs that were passed lie after the last decision, where the code
  /// arrives at their address. \p Now: wherever that is, it is not later.
  void settleSyncs(bool Now) {
    if (Passed.empty())
      return;
    if (!SyncFrom)
      SyncFrom = TailBlocks;
    size_t Done = 0;
    for (; Done < Passed.size(); ++Done) {
      auto Place = Passed[Done].IP ? findInTail(*SyncFrom, *Passed[Done].IP)
                                   : std::pair(Out.Blocks.size(), size_t(0));
      if (Place.first == Out.Blocks.size() && Passed[Done].IP && !Now)
        break;
      placeSync(Passed[Done], split(Place));
    }
    Passed.erase(Passed.begin(), Passed.begin() + Done);
    if (Passed.empty())
      SyncFrom.reset();
  }

  /// The first execution of an instruction: the number of its block, and which
  /// one it is there.
  std::pair<size_t, size_t> findInTail(size_t From, uint64_t IP) const {
    for (size_t N = From; N < Out.Blocks.size(); ++N) {
      ArrayRef<InsnItem> Insns = D.Book->table().insns(Out.Blocks[N]);
      for (size_t I = 0; I < Insns.size(); ++I)
        if (Insns[I].PC == IP)
          return {N, I};
    }
    return {Out.Blocks.size(), 0};
  }

  /// Makes two blocks of one; where the second one is.
  size_t split(std::pair<size_t, size_t> Place) {
    auto [N, I] = Place;
    if (!I)
      return N;
    ArrayRef<InsnItem> Insns = D.Book->table().insns(Out.Blocks[N]);
    BlockInfo Head = D.Book->block({Insns[0].PC, uint32_t(I)});
    BlockInfo Rest = D.Book->block({Insns[I].PC, uint32_t(Insns.size() - I)});
    assert(Head.Count + Rest.Count == Insns.size());
    Out.Blocks[N] = Head.Sequence;
    Out.Blocks.insert(Out.Blocks.begin() + N + 1, Rest.Sequence);
    for (size_t K = Out.Events.size(); K-- && Out.Events[K].Before > N;)
      ++Out.Events[K].Before;
    for (size_t K = Out.Times.size(); K-- && Out.Times[K].Block > N;)
      ++Out.Times[K].Block;
    return N + 1;
  }

  void placeSync(const SyncPoint &S, size_t Before) {
    // libipt ignores those without a word.
    Out.LostMtc |= S.Mtc && !D.Config.cpuid_0x15_eax;
    size_t Index = PassedEvents;
    while (Index < Out.Events.size() && Out.Events[Index].Before < Before)
      ++Index;
    if (S.Tsc)
      happen(Piece::Happening::Tick, Before, Index++).Tsc = *S.Tsc;
    happen(Piece::Happening::Sync, Before, Index++).Offset = Begin + S.Offset;
    PassedEvents = Index;
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
        Out.Events.erase(
            std::remove_if(Tail, Out.Events.end(),
                           [](const Piece::Happening &H) { return H.isGap(); }),
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
  size_t LastOffset = 0; ///< when it was told
  size_t TailBlocks = 0, TailEvents = 0;
  const bool Made;
  std::optional<SyncPoint> Ahead;   ///< the next one
  SmallVector<SyncPoint, 1> Passed; ///< those that have no place yet
  std::optional<size_t> SyncFrom;   ///< block: they are not before it
  size_t PassedEvents = 0;          ///< events before them
};

void PieceDecoder::decode(ArrayRef<uint8_t> Bytes, const SyncPoint &From,
                          const SyncPoint *Next, Piece &Out) {
  size_t End = Next ? Next->Offset : Bytes.size();
  Run(*this, Bytes.slice(From.Offset, End - From.Offset), From.Offset, Out)
      .decode(Next);
}

} // namespace rw::intelpt
