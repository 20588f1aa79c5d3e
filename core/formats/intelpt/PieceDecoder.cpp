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

bool findErrata(const pt_cpu &Cpu, pt_errata &Errata) {
  Errata = {};
  return Cpu.vendor == pcv_unknown || pt_cpu_errata(&Errata, &Cpu) >= 0;
}

Expected<PieceDecoder> PieceDecoder::create(const Recording &R,
                                            const Image &Code, CodeBook &Book) {
  auto View = Code.view();
  if (!View)
    return View.takeError();
  PieceDecoder D(Code, std::move(*View), Book);
  pt_config_init(&D.Config);
  D.Config.cpu = R.Cpu;
  findErrata(R.Cpu, D.Config.errata);
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

/// Decodes what lies between two sync points.
class PieceDecoder::Run {
public:
  /// \p Begin is where Packets are in the buffer.
  Run(PieceDecoder &D, ArrayRef<uint8_t> Packets, size_t Begin, Piece &Out)
      : D(D), Whole(Packets), WholeBegin(Begin), Out(Out) {}

  /// \p From is where it begins, \p Next what comes after it, if anything.
  void decode(const SyncPoint &From, const SyncPoint *Next) {
    placeSync(From);
    Start = From.Offset;
    StartBlocks = Out.Blocks.size();
    StartEvents = Out.Events.size();
    for (size_t At = 0;;) {
      begin(Whole.drop_front(At), WholeBegin + At);
      std::optional<SyncPoint> Psb;
      follow(Next);
      if (lostWay())
        Psb = resume(At, Next);
      else if (Failed && !Eos)
        Psb = nextSync(At);
      if (!Psb)
        break;
      finish(&*Psb);
      At = Psb->Offset - WholeBegin;
      placeSync(*Psb);
    }
    finish(Next);
  }

private:
  /// A new decoder at the PSB that these packets begin with.
  void begin(ArrayRef<uint8_t> NewPackets, size_t NewBegin) {
    Packets = NewPackets;
    Begin = NewBegin;
    D.Config.begin = const_cast<uint8_t *>(Packets.begin());
    D.Config.end = const_cast<uint8_t *>(Packets.end());
    Block.reset(pt_blk_alloc_decoder(&D.Config));
    Made.clear();
    On = Decided = Failed = Eos = Contradicts = false;
    Jumped = true;
    LastOffset = 0;
    beginTail();
    if (!Block || pt_blk_set_image(Block.get(), D.View.get()) < 0) {
      Status = -pte_nomem;
      return;
    }
    Status = pt_blk_sync_set(Block.get(), 0);
    noteStatus();
  }

  /// In the buffer. libipt reads ahead.
  size_t position() const { return Begin + offset(); }
  size_t offset() const {
    uint64_t Offset = 0;
    if (Block)
      pt_blk_get_offset(Block.get(), &Offset);
    return Offset;
  }

  void noteStatus() {
    if (Status < 0)
      return;
    On = !(Status & pts_ip_suppressed);
    Eos = Status & pts_eos;
  }

  /// The packets are good, but the code is not there, or it returns to where
  /// only the lost part of the trace could tell.
  bool lostWay() const {
    return Failed && !Eos && !Contradicts &&
           (Status == -pte_nomap || Status == -pte_retstack_empty);
  }

  /// The PSB after the error. Only those that are no seams lie within a run.
  std::optional<SyncPoint> nextSync(size_t At) const {
    auto Psb = findSync(Whole, std::max(At + 1, position() - WholeBegin));
    if (Psb)
      Psb->Offset += WholeBegin;
    return Psb;
  }

  /// Goes on wherever the trace tells an address in code that is there, up to
  /// the next PSB, which is the result.
  std::optional<SyncPoint> resume(size_t At, const SyncPoint *Next) {
    auto Psb = nextSync(At);
    size_t End = Psb ? Psb->Offset - WholeBegin : Whole.size();
    ResumeFinder Finder(Whole.slice(At, End - At), *D.Code);
    for (size_t From = position() - WholeBegin - At; lostWay();) {
      auto P = Finder.next(From);
      if (!P)
        break;
      size_t Head = 0;
      std::vector<uint8_t> Rest = Finder.packets(*P, End - At, LastTsc, Head);
      // So that offsets are those of the buffer again.
      begin(Rest, WholeBegin + At + P->Offset - Head);
      Made = std::move(Rest);
      LastOffset = Head;
      follow(Psb ? &*Psb : Next);
      From = std::max(position() - WholeBegin - At, P->Offset);
    }
    return Psb;
  }

  /// Up to an error or the end of the packets.
  void follow(const SyncPoint *Next) {
    for (int Error = Status;; Error = Status) {
      if (Error >= 0 && Status & pts_event_pending)
        Error = events();
      if (Error < 0)
        return fail(Error, 0);
      placeInner();
      if (Eos && isThere(Next))
        return;
      pt_block B = {};
      Status = pt_blk_next(Block.get(), &B, sizeof B);
      bool WasEos = Eos;
      noteStatus();
      if (B.ninsn && !add(B))
        return;
      if (Status < 0)
        return fail(Status, &B);
      if (Decided)
        beginTail();
      if (!Decided && Undecided > MaxUndecided) {
        if (!WasEos)
          contradict(Piece::Happening::Endless, B.ip);
        return;
      }
    }
  }

  /// Nothing more is to be known of the way to \p Next.
  bool isThere(const SyncPoint *Next) const {
    return !Next || !On || !Next->IP || findInTail(*Next->IP);
  }

  int events() {
    do {
      Piece::Happening H;
      Status = pt_blk_event(Block.get(), &H.PT, sizeof H.PT);
      if (Status < 0)
        return Status;
      noteStatus();
      if (H.PT.type == ptev_tick)
        continue;
      if (H.PT.type == ptev_exec_mode &&
          H.PT.variant.exec_mode.mode != ptem_64bit)
        D.CacheIsOff = true;
      H.Before = uint32_t(Out.Blocks.size());
      Out.Events.push_back(H);
      if (!H.PT.status_update && H.PT.type != ptev_cbr) {
        Jumped = true;
        beginTail();
      }
    } while (Status & pts_event_pending);
    time();
    return Status;
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
    if (pt_blk_time(Block.get(), &Tsc, &LostMtc, &LostCyc) < 0)
      return;
    Out.LostCyc |= LostCyc != 0;
    if (Tsc != LastTsc)
      newTime(Tsc);
  }

  LLVM_ATTRIBUTE_NOINLINE void newTime(uint64_t Tsc) {
    LastTsc = Tsc;
    size_t From = std::exchange(LastOffset, offset());
    Out.Times.push_back({uint32_t(Out.Blocks.size()), Tsc});
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

  /// A PSB that waits for what libipt tells of an overflow before it.
  void placeInner() {
    if (!Inner || Inner->Offset >= position())
      return;
    placeSync(*std::exchange(Inner, std::nullopt));
  }

  void placeSync(const SyncPoint &S) {
    size_t Before = Out.Blocks.size();
    // libipt ignores those without a word.
    Out.LostMtc |= S.Mtc && !D.Config.cpuid_0x15_eax;
    if (S.Tsc)
      happen(Piece::Happening::Tick, Before, Out.Events.size()).Tsc = *S.Tsc;
    happen(Piece::Happening::Sync, Before, Out.Events.size()).Offset = S.Offset;
    Inner = findSync(Whole, S.Offset - WholeBegin + 1);
    if (Inner)
      Inner->Offset += WholeBegin;
  }

  /// The first execution of an instruction after the last decision: the number
  /// of its block, and which one it is there.
  std::optional<std::pair<size_t, size_t>> findInTail(uint64_t IP) const {
    for (size_t N = TailBlocks; N < Out.Blocks.size(); ++N) {
      ArrayRef<InsnItem> Insns = D.Book->table().insns(Out.Blocks[N]);
      for (size_t I = 0; I < Insns.size(); ++I)
        if (Insns[I].PC == IP)
          return std::pair(N, I);
    }
    return std::nullopt;
  }

  /// False: the trace cannot be followed from here.
  bool add(const pt_block &B) {
    time();
    Undecided += B.ninsn;
    if (B.mode != ptem_64bit) {
      D.CacheIsOff = true;
      if (Out.Events.empty() ||
          Out.Events.back().What != Piece::Happening::Mode ||
          Out.Events.back().Before != Out.Blocks.size())
        gap(Piece::Happening::Mode).Address = B.ip; // libipt can follow it
      Decided = true;
      return true;
    }
    uint64_t Key = B.ip << 16 | B.ninsn;
    Slot *S = &D.slot(Key);
    if (S->Key != Key)
      S = define(B, S);
    if (!S)
      return addOdd(B);
    if (Jumped && !S->Checked)
      check(*S, B.ip);
    Out.Blocks.push_back(S->Sequence);
    Decided = S->Decides;
    Jumped = S->Jumps;
    return true;
  }

  /// Packets alone led to \p IP. They are damaged if it is inside an
  /// instruction; what they tell fits all the same, and stays.
  LLVM_ATTRIBUTE_NOINLINE void check(Slot &S, uint64_t IP) {
    auto Around = D.Book->around(IP);
    S.Checked = !Around;
    if (!Around || std::exchange(ToldInside, true))
      return;
    doubt();
    Piece::Happening &H = gap(Piece::Happening::Inside);
    H.Address = IP;
    H.From = *Around;
  }

  Slot *define(const pt_block &B, Slot *Free) {
    BlockInfo I = D.Book->block({B.ip, B.ninsn});
    if (I.Wrong || I.Count != B.ninsn)
      return nullptr;
    *Free = {B.ip << 16 | B.ninsn, I.Sequence, I.Decides, I.Jumps, false};
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
        beginTail(); // what is before it is known
        contradict(Piece::Happening::Other, IP);
        return false;
      }
    }
    return true;
  }

  Piece::Happening &gap(Piece::Happening::Kind What) {
    Piece::Happening &H = happen(What, Out.Blocks.size(), Out.Events.size());
    H.Offset = position();
    return H;
  }

  /// libipt does not go on, in or after \p B.
  void fail(int Error, const pt_block *B) {
    Status = Error;
    if (Error == -pte_eos) {
      // At a PSB that nothing follows libipt does not say so before.
      Eos |= !On && offset() == Packets.size();
      if (!Eos)
        contradict(Piece::Happening::Cut);
      return;
    }
    if (Error != -pte_nomap && Error != -pte_retstack_empty) {
      contradict(Piece::Happening::Failed).Error = pt_errcode(Error);
      return;
    }
    if (Error == -pte_nomap ? B && D.Code->isNear(B->ip) : Made.empty())
      doubt();
    uint64_t Last = lastAddress();
    Piece::Happening &H = gap(Piece::Happening::Failed);
    H.Error = pt_errcode(Error);
    H.Address = Last;
    Failed = true;
  }

  uint64_t lastAddress() const {
    if (TailBlocks < Out.Blocks.size())
      if (auto I = D.Book->table().insns(Out.Blocks.back()); !I.empty())
        return I.back().PC;
    return 0;
  }

  /// The packets may be wrong. Code that is not there is nothing unusual, but
  /// in the middle of code that is there its address has some wrong bits; a
  /// return beyond the first call is where the trace was not followed before.
  void doubt() {
    if (Out.Blocks.size() == StartBlocks)
      return;
    if (Doubted) {
      // It goes as far as the damage is seen.
      Out.Events[StartEvents].Offset = position();
      return;
    }
    Piece::Happening &H =
        happen(Piece::Happening::Doubt, StartBlocks, StartEvents);
    H.From = Start;
    H.Offset = position();
    Doubted = true;
    ++TailEvents;
  }

  /// A gap where the packets do not fit the code, or each other. What the code
  /// did after the last decision that fits is not known, and the reason may be
  /// any packet since the sync point.
  Piece::Happening &contradict(Piece::Happening::Kind What,
                               uint64_t Address = 0) {
    if (!Address)
      Address = lastAddress();
    cut({TailBlocks, 0});
    doubt();
    Piece::Happening &H = gap(What);
    H.Address = Address;
    Failed = Contradicts = true;
    return H;
  }

  /// Ends before this instruction. What went wrong after it did not happen.
  void cut(std::pair<size_t, size_t> Place) {
    auto [N, I] = Place;
    if (N < Out.Blocks.size()) {
      uint64_t First = D.Book->table().insns(Out.Blocks[N])[0].PC;
      Out.Blocks.resize(N);
      if (I)
        Out.Blocks.push_back(D.Book->block({First, uint32_t(I)}).Sequence);
    }
    auto Tail = Out.Events.begin() + TailEvents;
    Out.Events.erase(
        std::remove_if(Tail, Out.Events.end(),
                       [](const Piece::Happening &H) { return H.isGap(); }),
        Out.Events.end());
    for (; Tail != Out.Events.end(); ++Tail)
      Tail->Before = std::min(Tail->Before, uint32_t(Out.Blocks.size()));
    while (!Out.Times.empty() && Out.Times.back().Block > Out.Blocks.size())
      Out.Times.pop_back();
  }

  /// Ends where the next sync point is, or with the packets.
  void finish(const SyncPoint *Next) {
    if (Failed && !Eos)
      return;
    if (!Next) {
      if (!On)
        return;
      cut({TailBlocks, 0});
      gap(Piece::Happening::Ends).Offset = WholeBegin + Whole.size();
      return;
    }
    if (Next->IP && On)
      if (auto Place = findInTail(*Next->IP))
        return cut(*Place);
    if (Failed || (!On && !Next->IP))
      return;
    contradict(!On        ? Piece::Happening::WasOff
               : Next->IP ? Piece::Happening::Elsewhere
                          : Piece::Happening::WasOn,
               Next->IP.value_or(0))
        .Offset = Next->Offset;
  }

  PieceDecoder &D;
  const ArrayRef<uint8_t> Whole;
  const size_t WholeBegin;
  Piece &Out;
  ArrayRef<uint8_t> Packets; ///< that Block decodes: some of Whole, or Made
  size_t Begin = 0;          ///< of them in the buffer
  std::vector<uint8_t> Made; ///< their PSB is not in the trace
  std::unique_ptr<pt_block_decoder, decltype(&pt_blk_free_decoder)> Block{
      nullptr, pt_blk_free_decoder};
  int Status = 0;
  bool On = false, Decided = false, Failed = false;
  bool Eos = false; ///< all packets were used up, to the last bit
  bool Contradicts = false, Doubted = false;
  bool Jumped = true;      ///< code does not tell where it went on
  bool ToldInside = false; ///< in this run
  uint32_t Undecided = 0;
  uint64_t LastTsc = 0;
  size_t LastOffset = 0; ///< when it was told
  size_t TailBlocks = 0, TailEvents = 0;
  size_t Start = 0, StartBlocks = 0, StartEvents = 0;
  std::optional<SyncPoint> Inner; ///< the next one, no seam
};

void PieceDecoder::renewCache() {
  if (!std::exchange(CacheIsOff, false))
    return;
  if (auto New = Code->view())
    View = std::move(*New);
  else
    consumeError(New.takeError()); // out of memory: the old one is no worse
}

void PieceDecoder::decode(ArrayRef<uint8_t> Bytes, const SyncPoint &From,
                          const SyncPoint *Next, Piece &Out) {
  size_t End = Next ? Next->Offset : Bytes.size();
  std::optional<SyncPoint> S = From;
  while (S) {
    auto After = findSeam(Bytes.take_front(End), S->Offset + 1);
    size_t Stop = After ? After->Offset : End;
    Run(*this, Bytes.slice(S->Offset, Stop - S->Offset), S->Offset, Out)
        .decode(*S, After ? &*After : Next);
    S = After;
    renewCache();
  }
}

} // namespace rw::intelpt
