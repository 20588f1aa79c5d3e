//===- TraceStore.cpp - Opening a store; moments, time, events ------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/TraceStore.h"
#include "core/store/BlockDecoder.h"
#include "core/store/Checksum.h"
#include "core/store/FloatOps.h"
#include "core/store/StoreImpl.h"
#include <algorithm>

using namespace rw;
using namespace rw::format;

TraceStore::TraceStore() : I(std::make_unique<Impl>()) {}
TraceStore::~TraceStore() = default;

// --- Opening -----------------------------------------------------------------

llvm::Expected<std::unique_ptr<TraceStore>>
TraceStore::open(llvm::StringRef Path) {
  std::unique_ptr<TraceStore> S(new TraceStore);
  auto File = MappedSections::open(Path, {Magic, Version, "a Rewind index",
                                          "build it again with --force-index"});
  if (!File)
    return File.takeError();
  S->I->File = std::move(*File);
  if (llvm::Error E = S->I->load())
    return E;
  return S;
}

llvm::Error TraceStore::Impl::damaged(const llvm::Twine &What) const {
  return File->damaged(What);
}

llvm::Error TraceStore::Impl::damagedBlock(const SegmentView &S,
                                           unsigned Block) const {
  return damaged("block " + llvm::Twine(Block) + " of segment " +
                 llvm::Twine(S.Index));
}

/// \p Which is a section's name or number.
template <typename W, typename T>
static llvm::Error get(const MappedSections &F, const W &Which,
                       llvm::ArrayRef<T> &Out) {
  auto A = F.array<T>(Which);
  if (!A)
    return A.takeError();
  Out = *A;
  return llvm::Error::success();
}

llvm::Error TraceStore::Impl::load() {
  auto Json = File->section("meta");
  if (!Json)
    return Json.takeError();
  auto Parsed = metaFromText(
      {reinterpret_cast<const char *>(Json->data()), Json->size()});
  if (!Parsed)
    return damaged("section 'meta': " + llvm::toString(Parsed.takeError()));
  M = std::move(*Parsed);
  NumThreads = unsigned(M.Header.Threads.size());
  Registers = RegisterFile(M.Header.Architecture, M.Header.NamedRegisters);
  if (llvm::Error E = get(*File, "segments", Segments))
    return E;
  if (llvm::Error E = get(*File, "positions", Positions))
    return E;
  if (llvm::Error E = get(*File, "templates", Templates))
    return E;
  if (llvm::Error E = get(*File, "regshapes", Regs))
    return E;
  if (llvm::Error E = get(*File, "memshapes", Mems))
    return E;
  if (llvm::Error E = get(*File, "consts", Consts))
    return E;
  if (llvm::Error E = get(*File, "runs.starts", RunStarts))
    return E;
  if (llvm::Error E = get(*File, "runs.templates", RunTemplates))
    return E;
  if (llvm::Error E = get(*File, "runs.lanes", RunLanes))
    return E;
  if (llvm::Error E = get(*File, "pcs.keys", PCs))
    return E;
  if (llvm::Error E = get(*File, "pcs.starts", PCStarts))
    return E;
  if (llvm::Error E = get(*File, "pcs.runs", PCRuns))
    return E;
  if (llvm::Error E = get(*File, "initial", Initial))
    return E;
  if (llvm::Error E = get(*File, "realpages", RealPages))
    return E;
  if (llvm::Error E = get(*File, "events", Events))
    return E;
  if (llvm::Error E = get(*File, "text", Text))
    return E;
  if (llvm::Error E = get(*File, "code.places", CodePlaces))
    return E;
  if (llvm::Error E = get(*File, "code", Code))
    return E;
  auto find = [&](const llvm::Twine &Name, unsigned &Number) -> llvm::Error {
    Number = File->number(Name.str());
    if (Number == MappedSections::None)
      return damaged("there is no section '" + Name + "'");
    return llvm::Error::success();
  };
  const char *Kinds[] = {"pages", "runposts", "lanes"}; // as PostingKind
  const char *Parts[] = {".keys", ".starts", ".items"};
  for (unsigned K = 0; K < 3; ++K)
    for (unsigned Part = 0; Part < 3; ++Part)
      if (llvm::Error E = find(llvm::Twine(Kinds[K]) + Parts[Part],
                               PostingSections[K][Part]))
        return E;
  if (llvm::Error E = find("backdates.index", BackDateSections[0]))
    return E;
  if (llvm::Error E = find("backdates", BackDateSections[1]))
    return E;
  SegmentChecked = std::make_unique<std::atomic<bool>[]>(Segments.size());
  return checkTables();
}

/// Whether A is N + 1 ascending numbers from 0 to Total.
static bool areStarts(llvm::ArrayRef<uint32_t> A, size_t N, size_t Total) {
  return A.size() == N + 1 && A.front() == 0 && A.back() == Total &&
         std::is_sorted(A.begin(), A.end());
}

llvm::Error TraceStore::Impl::checkTables() const {
  auto &Lanes = const_cast<unsigned &>(NumLanes);
  Lanes = std::max(128u, Registers.numLanes());
  if (!NumThreads || NumThreads > 256)
    return damaged("the number of threads");
  for (const RegShape &S : Regs) {
    Lanes = std::max(Lanes, S.Lane + 1u);
    if (S.Source == FromFloats
            ? !FloatOp::unpack(uint64_t(S.Offset)).valid(DataLanes)
            : S.Source != NoLane && S.Source != FromMemory &&
                  S.Source >= PredictorLanes)
      return damaged("section 'regshapes'");
    if ((S.Thread != SameThread && S.Thread >= NumThreads) ||
        uint64_t(S.FirstConst) + S.NumConsts > Consts.size() || S.NumConsts > 3)
      return damaged("section 'regshapes'");
  }
  for (const MemShape &S : Mems)
    if ((S.AddrSource != NoLane && S.AddrSource >= PredictorLanes) ||
        (S.DataSource != NoLane && S.DataSource >= 2 * DataLanes) || S.Size > 8)
      return damaged("section 'memshapes'");
  for (const Template &T : Templates)
    if (uint64_t(T.FirstReg) + T.NumRegs > Regs.size() ||
        uint64_t(T.FirstMem) + T.NumMems > Mems.size() ||
        T.Isa > uint8_t(ISA::X86_64))
      return damaged("section 'templates'");
  if (!areStarts(RunStarts, RunLanes.size(), RunTemplates.size()) ||
      !areStarts(PCStarts, PCs.size(), PCRuns.size()))
    return damaged("sections 'runs' and 'pcs'");
  for (uint32_t T : RunTemplates)
    if (T >= Templates.size())
      return damaged("section 'runs.templates'");
  for (uint32_t R : PCRuns)
    if (R >= RunLanes.size())
      return damaged("section 'pcs.runs'");
  uint64_t Before = 0; // who asks for the next event must get ahead
  for (const Event &E : Events) {
    if (E.Text >= Text.size() || Text.back() || E.Thread >= NumThreads ||
        E.Kind >= NumEventKinds || E.Before < Before ||
        E.Before > M.NumInstructions)
      return damaged("section 'events'");
    Before = E.Before;
  }
  uint64_t CodeEnd = 0;
  for (const CodePlace &P : CodePlaces) {
    if (P.Address < CodeEnd || P.Address + P.Bytes < P.Address ||
        P.Offset > Code.size() || P.Bytes > Code.size() - P.Offset)
      return damaged("section 'code.places'");
    CodeEnd = P.Address + P.Bytes;
  }
  if (Segments.empty() || Positions.size() != Segments.size() * NumThreads ||
      M.ThreadInstructions.size() != NumThreads)
    return damaged("section 'positions'");
  uint64_t Size = File->bytes().size(), Last = 0;
  for (const Segment &S : Segments) {
    if (S.Offset % 8 || S.Offset > Size || S.Bytes > Size - S.Offset ||
        S.Bytes < sizeof(SegmentHeader) || S.FirstMoment < Last ||
        S.FirstMoment > M.NumInstructions)
      return damaged("section 'segments'");
    Last = S.FirstMoment;
  }
  if (Segments.front().FirstMoment)
    return damaged("section 'segments'");
  // The positions of a segment's threads add up to its moment.
  llvm::ArrayRef<uint64_t> Here = Positions;
  for (size_t S = 0; S <= Segments.size(); ++S) {
    const bool Ends = S == Segments.size();
    llvm::ArrayRef<uint64_t> Next =
        Ends ? llvm::ArrayRef(M.ThreadInstructions)
             : Positions.slice(S * NumThreads, NumThreads);
    uint64_t Sum = 0;
    for (unsigned T = 0; T < NumThreads; ++T) {
      if (Next[T] < Here[T] || Next[T] > M.NumInstructions)
        return damaged("section 'positions'");
      Sum += Next[T];
    }
    if (Sum != (Ends ? M.NumInstructions : Segments[S].FirstMoment))
      return damaged("section 'positions'");
    Here = Next;
  }
  return llvm::Error::success();
}

llvm::Expected<SegmentView> TraceStore::Impl::segment(uint32_t Index) const {
  if (llvm::Error E = File->check())
    return E;
  if (Index >= Segments.size())
    return damaged("a segment's number");
  const Segment &Info = Segments[Index];
  SegmentView V;
  V.Index = Index;
  V.Info = &Info;
  V.Data = File->bytes().data() + Info.Offset;
  V.H = reinterpret_cast<const SegmentHeader *>(V.Data);
  if (SegmentChecked[Index].load(std::memory_order_acquire))
    return V;

  auto bad = [&] {
    return damaged("segment " + llvm::Twine(Index) + " at byte " +
                   llvm::Twine(Info.Offset));
  };
  if (checksum({V.Data, size_t(Info.Bytes)}) != Info.Checksum)
    return bad();
  const SegmentHeader &H = *V.H;
  auto inside = [&](uint32_t Offset, uint64_t Count, uint64_t Size) {
    return Offset % 8 == 0 && Offset <= Info.Bytes &&
           Count * Size <= Info.Bytes - Offset;
  };
  uint64_t N = H.NumBlocks;
  if (!N || N > 0xffff || H.NumThreads > NumThreads || !H.NumThreads ||
      H.NumLanes > 0x10000 || H.NumLanes < PredictorLanes ||
      !inside(H.BlockStarts, N + 1, 4) || !inside(H.BlockOffsets, N + 1, 4) ||
      !inside(H.BlockTimes, N, 8) || !inside(H.BlockLines, N, 4) ||
      (H.NumThreads > 1 &&
       !inside(H.ThreadStarts, (N + 1) * H.NumThreads, 4)) ||
      !inside(H.SnapshotValue, uint64_t(H.NumLanes) * H.NumThreads, 8) ||
      !inside(H.SnapshotKnown, uint64_t(H.NumLanes) * H.NumThreads, 1) ||
      !inside(H.Changed, H.NumChanged, 4))
    return bad();
  const uint32_t *Starts = V.blockStarts();
  const uint32_t *Offsets = V.array<uint32_t>(H.BlockOffsets);
  const uint32_t *Changed = V.array<uint32_t>(H.Changed);
  if (Starts[0] || !std::is_sorted(Starts, Starts + N + 1) ||
      !std::is_sorted(Offsets, Offsets + N + 1) || Offsets[N] > Info.Bytes)
    return bad();
  for (unsigned B = 0; B < N; ++B)
    if (V.blockSize(B) > MaxBlock)
      return bad();
  for (unsigned C = 0; C < H.NumChanged; ++C)
    if (Changed[C] >> 16 >= H.NumThreads || (Changed[C] & 0xffff) >= NumLanes)
      return bad();
  uint64_t Next = Index + 1 < Segments.size() ? Segments[Index + 1].FirstMoment
                                              : M.NumInstructions;
  if (Info.FirstMoment + Starts[N] != Next)
    return bad();
  SegmentChecked[Index].store(true, std::memory_order_release);
  return V;
}

llvm::Expected<PostingIndex>
TraceStore::Impl::postings(PostingKind Kind) const {
  const unsigned *Numbers = PostingSections[unsigned(Kind)];
  PostingIndex P;
  if (llvm::Error E = get(*File, Numbers[0], P.Keys))
    return E;
  if (llvm::Error E = get(*File, Numbers[1], P.Starts))
    return E;
  if (llvm::Error E = get(*File, Numbers[2], P.Items))
    return E;
  if (P.Starts.size() != P.Keys.size() + 1)
    return damaged("the number of postings");
  return P;
}

llvm::Expected<BackDateTable> TraceStore::Impl::backDates() const {
  auto Index = File->array<BackDateTable::Group>(BackDateSections[0]);
  if (!Index)
    return Index.takeError();
  auto Data = File->array<uint8_t>(BackDateSections[1]);
  if (!Data)
    return Data.takeError();
  return BackDateTable(*Index, *Data);
}

llvm::ArrayRef<Posting> PostingIndex::find(uint64_t Key) const {
  // Run ids are dense, so that their keys are their indices.
  size_t I = Key;
  if (I >= Keys.size() || Keys[I] != Key) {
    I = size_t(std::lower_bound(Keys.begin(), Keys.end(), Key) - Keys.begin());
    if (I == Keys.size() || Keys[I] != Key)
      return {};
  }
  uint32_t From = Starts[I], To = Starts[I + 1];
  if (From > To || To > Items.size())
    return {};
  return Items.slice(From, To - From);
}

BlockList::BlockList(const uint8_t *Begin, const uint8_t *End, unsigned N)
    : In(Begin, End), NumBlocks(N) {
  Count = In.varint();
  bool IsBitmap = Count & 1;
  Count >>= 1;
  if (!IsBitmap)
    return;
  const uint8_t *P = In.position();
  In.skip((N + 7) / 8);
  if (!In.failed())
    Bitmap = P;
  Count = 0;
}

int BlockList::last(int Block) const {
  if (Bitmap) {
    for (int B = std::min(Block, int(NumBlocks) - 1); B >= 0; --B) {
      if (!Bitmap[B / 8]) {
        B &= ~7; // the whole byte is empty
        continue;
      }
      if (Bitmap[B / 8] >> (B % 8) & 1)
        return B;
    }
    return -1;
  }
  ByteReader R = In;
  int Found = -1;
  int64_t At = 0;
  for (uint64_t I = 0; I < Count && !R.failed(); ++I) {
    At += int64_t(R.varint());
    if (At > Block || At >= NumBlocks || R.failed())
      break;
    Found = int(At);
  }
  return Found;
}

int BlockList::first(int Block) const {
  if (Bitmap) {
    for (int B = std::max(Block, 0); B < int(NumBlocks); ++B) {
      if (!Bitmap[B / 8]) {
        B |= 7;
        continue;
      }
      if (Bitmap[B / 8] >> (B % 8) & 1)
        return B;
    }
    return -1;
  }
  ByteReader R = In;
  int64_t At = 0;
  for (uint64_t I = 0; I < Count && !R.failed(); ++I) {
    At += int64_t(R.varint());
    if (At >= NumBlocks || R.failed())
      break;
    if (At >= Block)
      return int(At);
  }
  return -1;
}

llvm::ArrayRef<uint32_t> TraceStore::Impl::runsOf(uint64_t PC) const {
  auto It = std::lower_bound(PCs.begin(), PCs.end(), PC);
  if (It == PCs.end() || *It != PC)
    return {};
  size_t K = size_t(It - PCs.begin());
  return PCRuns.slice(PCStarts[K], PCStarts[K + 1] - PCStarts[K]);
}

llvm::Expected<BlockPlace> TraceStore::Impl::locate(Moment Mo) const {
  Mo = std::min(Mo, M.NumInstructions);
  auto It = std::upper_bound(
      Segments.begin(), Segments.end(), Mo,
      [](Moment L, const Segment &R) { return L < R.FirstMoment; });
  auto S = segment(uint32_t(It - Segments.begin()) - 1);
  if (!S)
    return S.takeError();
  uint32_t Insn = uint32_t(Mo - S->Info->FirstMoment);
  const uint32_t *Starts = S->blockStarts();
  const uint32_t *B =
      std::upper_bound(Starts, Starts + S->H->NumBlocks, Insn) - 1;
  return BlockPlace{*S, uint32_t(B - Starts), Insn - *B};
}

// --- Extent ------------------------------------------------------------------

const TraceHeader &TraceStore::header() const { return I->M.Header; }
const RegisterFile &TraceStore::registerFile() const { return I->Registers; }
const SourceStamp &TraceStore::source() const { return I->M.Source; }
uint64_t TraceStore::storeBytes() const { return I->File->bytes().size(); }
llvm::ArrayRef<uint8_t> TraceStore::bytes() const { return I->File->bytes(); }
StoreIdentity TraceStore::identity() const { return I->File->identity(); }
uint64_t TraceStore::numInstructions() const { return I->M.NumInstructions; }
unsigned TraceStore::numThreads() const { return I->NumThreads; }
uint64_t TraceStore::numInstructions(ThreadIndex T) const {
  return T < I->NumThreads ? I->M.ThreadInstructions[T] : 0;
}
Moment TraceStore::firstTimed() const { return I->M.FirstTimed; }
uint64_t TraceStore::firstTime() const { return I->M.FirstTime; }
uint64_t TraceStore::lastTime() const { return I->M.LastTime; }

llvm::Expected<llvm::ArrayRef<uint8_t>>
TraceStore::section(llvm::StringRef Name) const {
  return I->File->section(Name);
}

// --- Moments and positions ---------------------------------------------------

llvm::Expected<Position> TraceStore::positionOf(ThreadIndex T, Moment M) const {
  M = std::min(M, numInstructions());
  if (I->NumThreads == 1)
    return M;
  if (T >= I->NumThreads)
    return 0;
  auto P = I->locate(M);
  if (!P)
    return P.takeError();
  const SegmentView &S = P->S;
  uint64_t Pos = I->Positions[size_t(S.Index) * I->NumThreads + T];
  unsigned N = S.H->NumThreads;
  if (T >= N)
    return Pos;
  if (N == 1)
    return Pos + (M - S.Info->FirstMoment);
  Pos += S.array<uint32_t>(S.H->ThreadStarts)[size_t(P->Block) * N + T];
  ThreadSpans Spans(S, P->Block);
  return Pos + Spans.count(T, P->Insn);
}

llvm::Expected<Moment> TraceStore::momentOf(ThreadIndex T, Position Pos) const {
  if (T >= I->NumThreads || Pos >= numInstructions(T))
    return numInstructions();
  if (I->NumThreads == 1)
    return Pos;
  // The last segment, then the last block, that begins at or before Pos.
  unsigned N = I->NumThreads;
  size_t Lo = 0, Hi = I->Segments.size() - 1;
  while (Lo < Hi) {
    size_t Mid = (Lo + Hi + 1) / 2;
    if (I->Positions[Mid * N + T] <= Pos)
      Lo = Mid;
    else
      Hi = Mid - 1;
  }
  auto S = I->segment(uint32_t(Lo));
  if (!S)
    return S.takeError();
  uint64_t Rest = Pos - I->Positions[Lo * N + T];
  unsigned SegThreads = S->H->NumThreads;
  if (T >= SegThreads || Rest >= S->numInsns())
    return I->damaged("section 'positions'");
  if (SegThreads == 1)
    return S->Info->FirstMoment + Rest;
  const uint32_t *Starts = S->array<uint32_t>(S->H->ThreadStarts);
  unsigned B = 0, End = S->H->NumBlocks - 1;
  while (B < End) {
    unsigned Mid = (B + End + 1) / 2;
    if (Starts[size_t(Mid) * SegThreads + T] <= Rest)
      B = Mid;
    else
      End = Mid - 1;
  }
  Rest -= Starts[size_t(B) * SegThreads + T];
  const unsigned Insn = ThreadSpans(*S, B).nth(T, unsigned(Rest));
  if (Insn >= S->blockSize(B))
    return I->damagedBlock(*S, B);
  return I->momentAt(*S, B, Insn);
}

llvm::Expected<ThreadIndex> TraceStore::threadAt(Moment M) const {
  if (I->NumThreads == 1)
    return 0;
  auto P = I->locate(M);
  if (!P)
    return P.takeError();
  return ThreadSpans(P->S, P->Block).at(P->Insn);
}

llvm::Expected<std::pair<ThreadIndex, Position>>
TraceStore::positionAt(Moment M) const {
  auto T = threadAt(M);
  if (!T)
    return T.takeError();
  auto P = positionOf(*T, M);
  if (!P)
    return P.takeError();
  return std::pair(*T, *P);
}

// --- Time and lines ----------------------------------------------------------

llvm::Expected<std::optional<uint64_t>> TraceStore::timeAt(Moment M) const {
  if (!header().Can.Time || !numInstructions() || M < I->M.FirstTimed)
    return std::nullopt;
  if (M >= numInstructions()) {
    if (I->M.FirstTimed == numInstructions())
      return std::nullopt;
    return lastTime();
  }
  auto P = I->locate(M);
  if (!P)
    return P.takeError();
  return BlockTimes(P->S, P->Block).at(P->Insn);
}

llvm::Expected<Moment> TraceStore::momentAtTime(uint64_t Time) const {
  if (!header().Can.Time || !numInstructions() || Time > lastTime())
    return numInstructions();
  if (Time <= firstTime())
    return I->M.FirstTimed;
  // The last segment and block that begin before that time.
  auto It = std::lower_bound(
      I->Segments.begin(), I->Segments.end(), Time,
      [](const Segment &L, uint64_t R) { return L.FirstTime < R; });
  auto S = I->segment(uint32_t(It - I->Segments.begin()) - 1);
  if (!S)
    return S.takeError();
  const uint64_t *Times = S->array<uint64_t>(S->H->BlockTimes);
  unsigned B =
      unsigned(std::lower_bound(Times, Times + S->H->NumBlocks, Time) - Times);
  B = B ? B - 1 : 0;
  unsigned Insn = BlockTimes(*S, B).firstFrom(Time, S->blockSize(B));
  return I->momentAt(*S, B, Insn);
}

llvm::Expected<uint64_t> TraceStore::lineAt(Moment M) const {
  if (!header().Can.Lines)
    return 0;
  auto P = I->locate(M);
  if (!P)
    return P.takeError();
  const SegmentView &S = P->S;
  uint64_t Line =
      S.Info->FirstLine + S.array<uint32_t>(S.H->BlockLines)[P->Block];
  FlowReader Flow(*I, S, P->Block);
  for (unsigned K = 0; K < P->Insn && Flow.next(); ++K)
    Line += Flow.insn().Lines;
  return Line;
}

llvm::Expected<std::optional<Moment>>
TraceStore::momentAtLine(uint64_t Line) const {
  if (!header().Can.Lines || Line < I->M.FirstLine || Line >= I->M.EndLine)
    return std::nullopt;
  auto It = std::upper_bound(
      I->Segments.begin(), I->Segments.end(), Line,
      [](uint64_t L, const Segment &R) { return L < R.FirstLine; });
  auto S = I->segment(uint32_t(It - I->Segments.begin()) - 1);
  if (!S)
    return S.takeError();
  const uint32_t *Lines = S->array<uint32_t>(S->H->BlockLines);
  uint64_t Rest = Line - S->Info->FirstLine;
  const uint32_t *After =
      std::upper_bound(Lines, Lines + S->H->NumBlocks, Rest);
  if (After == Lines)
    return I->damagedBlock(*S, 0);
  unsigned B = unsigned(After - Lines) - 1;
  uint64_t At = Lines[B];
  FlowReader Flow(*I, *S, B);
  unsigned Insn = 0;
  for (; Flow.next(); ++Insn) {
    At += Flow.insn().Lines;
    if (Rest < At)
      break;
  }
  return I->momentAt(*S, B, Insn);
}

llvm::Expected<TraceStore::FilePlace>
TraceStore::filePlaceNear(Moment M) const {
  auto Line = lineAt(M);
  if (!Line)
    return Line.takeError();
  auto A = I->File->array<format::FilePlace>("places");
  if (!A)
    return A.takeError();
  auto It = std::upper_bound(
      A->begin(), A->end(), *Line,
      [](uint64_t L, const format::FilePlace &R) { return L < R.Line; });
  FilePlace P;
  if (It != A->begin())
    P = {It[-1].Line, It[-1].Offset};
  return P;
}

// --- Events ------------------------------------------------------------------

uint64_t TraceStore::numEvents() const { return I->Events.size(); }

std::array<uint64_t, NumEventKinds> TraceStore::countEvents() const {
  std::array<uint64_t, NumEventKinds> Counts = {};
  for (const Event &E : I->Events)
    ++Counts[E.Kind];
  return Counts;
}

llvm::Expected<StoredEvent> TraceStore::event(uint64_t Index) const {
  const Event &E = I->Events[Index];
  return StoredEvent{E.Before, E.Thread, EventKind(E.Kind),
                     E.PC,     E.Value,  I->Text.data() + E.Text};
}

llvm::Expected<uint64_t> TraceStore::firstEventFrom(Moment M) const {
  if (M == BeforeTrace)
    return 0;
  return uint64_t(
      std::lower_bound(I->Events.begin(), I->Events.end(), M,
                       [](const Event &L, Moment R) { return L.Before < R; }) -
      I->Events.begin());
}
