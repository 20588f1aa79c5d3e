//===- StoreBuilder.cpp - From a trace to a store -------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two stages. Collecting (here, on the caller's thread) looks up templates,
// forms runs and keeps the register and memory state; it needs every item in
// order. Encoding a finished segment depends on nothing but the segment and the
// frozen templates, and runs on other threads. The bytes do not depend on how
// many there are.
//
//===----------------------------------------------------------------------===//

#include "core/store/StoreBuilder.h"
#include "core/store/Checksum.h"
#include "core/store/CodePages.h"
#include "core/store/Meta.h"
#include "core/store/RealPages.h"
#include "core/store/SegmentEncoder.h"
#include "core/store/SequenceRuns.h"
#include "core/store/StoreFile.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/ThreadPool.h"
#include <algorithm>
#include <array>
#include <deque>
#include <numeric>

using namespace rw;
using namespace rw::format;

namespace {

/// An instruction whose effects may still go on in the next batch.
struct HeldInsn {
  InsnItem Insn;
  std::vector<RegItem> Regs;
  std::vector<MemItem> Mems;
  std::vector<EventItem> Events; ///< that came after it
  bool Valid = false;
};

struct Job {
  std::unique_ptr<RawSegment> Raw;
  EncodedSegment Encoded;
  std::shared_future<void> Done;
};

/// All keys of one kind with the segments and offsets where they occur.
class Postings {
public:
  /// Adds those of the next segment; they ascend in the offset.
  void add(const EncodedSegment::Keys &Keys, uint32_t Segment) {
    for (auto &[Key, Offset] : Keys) {
      auto [It, New] = Numbers.try_emplace(Key, uint32_t(Found.size()));
      if (New)
        Found.push_back({Key, 0});
      ++Found[It->second].second;
      Items.push_back({It->second, {Segment, Offset}});
    }
  }
  llvm::Error write(StoreFile &File, llvm::StringRef Name);

private:
  llvm::DenseMap<uint64_t, uint32_t> Numbers;       ///< of each key
  std::vector<std::pair<uint64_t, uint32_t>> Found; ///< key, items
  std::vector<std::pair<uint32_t, Posting>> Items;  ///< number of the key
};

} // namespace

llvm::Error Postings::write(StoreFile &File, llvm::StringRef Name) {
  std::vector<uint32_t> Order(Found.size());
  std::iota(Order.begin(), Order.end(), 0u);
  llvm::sort(Order, [&](uint32_t A, uint32_t B) {
    return Found[A].first < Found[B].first;
  });
  std::vector<uint64_t> Keys;
  std::vector<uint32_t> Starts, At(Found.size());
  uint32_t Next = 0;
  for (uint32_t Number : Order) {
    auto [Key, Count] = Found[Number];
    Keys.push_back(Key);
    Starts.push_back(At[Number] = Next);
    Next += Count;
  }
  Starts.push_back(Next);
  std::vector<Posting> Where(Items.size());
  for (auto &[Number, P] : Items)
    Where[At[Number]++] = P;
  if (llvm::Error E = File.arraySection((Name + ".keys").str(), Keys))
    return E;
  if (llvm::Error E = File.arraySection((Name + ".starts").str(), Starts))
    return E;
  return File.arraySection((Name + ".items").str(), Where);
}

struct StoreBuilder::Impl {
  std::unique_ptr<StoreFile> File;
  SourceStamp Source;
  unsigned MaxPending = 2;
  std::vector<StreamObserver *> Observers;

  TemplateTable Templates;
  RunTable Runs;
  SequenceRuns Sequences{Templates, Runs};
  Shadow Memory;
  RealPages Reals;
  std::vector<CodePage> *CodeAt = nullptr; ///< complete when it is finished
  std::vector<Lanes> State;
  std::vector<uint64_t> Positions;    ///< per thread
  std::vector<uint32_t> LastTemplate; ///< per thread
  std::vector<uint64_t> Initial;      ///< lane writes before the trace
  bool MemoryTold = true;             ///< values of memory may be told
  bool Begun = false;
  HeldInsn Held;
  ItemBatch Expanded;
  Moment Next = 0;
  uint64_t Line = 1, FirstLine = 1;
  uint64_t LastTime = 0, FirstTime = 0;
  Moment FirstTimed = BeforeTrace;

  // The run at hand.
  uint64_t ExpectedPC = 0;
  unsigned RunThread = 0;

  std::unique_ptr<RawSegment> Raw;
  std::vector<std::unique_ptr<RawSegment>> Spare;
  uint32_t NextSegment = 0;

  std::vector<Segment> Segments;
  std::vector<std::vector<uint64_t>> StartPositions;
  Postings Pages, RunPosts, LanePosts;
  EncodedSegment::Sizes Sizes;
  std::vector<Event> Events;
  Bytes Text;
  std::array<uint32_t, 64> TextAt = {}; ///< in Text, by hash
  std::vector<FilePlace> Places = {{1, 0}};

  // Destroyed first: jobs refer to the tables above.
  std::deque<std::unique_ptr<Job>> Pending;
  std::unique_ptr<llvm::ThreadPoolInterface> Pool;

  ~Impl() {
    if (Pool)
      Pool->wait();
  }

  void needThread(unsigned T);
  void lead(const ItemBatch &Batch);
  void event(const EventItem &E, Moment Before);
  llvm::Error insn(const InsnItem &I, const RegItem *Regs, const MemItem *Mems);
  llvm::Error flow(const FlowItem &F, const CodeTable &Code,
                   FlowCursor &Cursor);
  llvm::Error expand(const FlowItem &F, const CodeTable &Code,
                     const FlowEffects &Effects);
  void apply(const SequenceRuns::Code &S, unsigned Thread,
             const FlowEffects &Effects);
  void setTime(uint64_t Time);
  llvm::Error endRun(uint32_t Run);
  llvm::Error flushHeld();
  void startSegment();
  void startBlock();
  llvm::Error endBlock();
  llvm::Error endSegment();
  llvm::Error drain(size_t Leave);
  llvm::Error writeDictionary();
  llvm::Error writeCodeMap();
  llvm::Error writeCode(llvm::ArrayRef<CodeRange> Code);
};

StoreBuilder::StoreBuilder() : I(std::make_unique<Impl>()) {}
StoreBuilder::~StoreBuilder() = default;

llvm::Expected<std::unique_ptr<StoreBuilder>>
StoreBuilder::create(llvm::StringRef Path, const SourceStamp &Source,
                     const Options &Opts) {
  OutputFile::Options Place;
  Place.Private = Opts.Private;
  Place.What = "the index ";
  llvm::Expected<std::unique_ptr<StoreFile>> File =
      StoreFile::create(Path, Magic, Version, std::move(Place));
  if (!File)
    return File.takeError();
  std::unique_ptr<StoreBuilder> B(new StoreBuilder);
  B->I->File = std::move(*File);
  B->I->Source = Source;
  B->I->CodeAt = Opts.CodePages;
  llvm::ThreadPoolStrategy S = llvm::hardware_concurrency(Opts.Threads);
  B->I->Pool = std::make_unique<llvm::DefaultThreadPool>(S);
  B->I->MaxPending = std::max(1u, S.compute_thread_count());
  B->I->needThread(0);
  B->I->startSegment();
  return B;
}

void StreamObserver::sequence(Moment When, const FlowItem &Flow,
                              const CodeTable &Code, const FlowEffects &Effects,
                              const uint64_t *LaneValue,
                              const uint8_t *LaneKnown) {
  ItemBatch One;
  expandSequence(Code, Flow, Effects, One);
  llvm::ArrayRef<RegItem> Regs = One.Regs;
  llvm::ArrayRef<MemItem> Mems = One.Mems;
  for (const InsnItem &I : One.Insns) {
    instruction(When++, I, Regs.take_front(I.NumRegs),
                Mems.take_front(I.NumMems), LaneValue, LaneKnown);
    Regs = Regs.drop_front(I.NumRegs);
    Mems = Mems.drop_front(I.NumMems);
  }
}

void StoreBuilder::addObserver(StreamObserver &O) {
  I->Observers.push_back(&O);
}

void StoreBuilder::Impl::needThread(unsigned T) {
  if (T < State.size())
    return;
  State.resize(T + 1);
  Positions.resize(T + 1);
  LastTemplate.resize(T + 1, ~0u);
}

// --- Collecting --------------------------------------------------------------

void StoreBuilder::Impl::startSegment() {
  if (Spare.empty()) {
    Raw = std::make_unique<RawSegment>();
  } else {
    Raw = std::move(Spare.back());
    Spare.pop_back();
    Raw->recycle();
  }
  Raw->Index = NextSegment++;
  Raw->FirstMoment = Next;
  Raw->Start = State;
  Raw->StartPosition = Positions;
  Raw->MemoryTold = MemoryTold;
  Memory.beginSegment(&Raw->Memory);
  // What was there before the first instruction is in an empty block of its
  // own.
  if (!Raw->Index)
    startBlock();
  startBlock();
}

void StoreBuilder::Impl::startBlock() {
  Raw->Blocks.push_back({Raw->NumInsns, uint32_t(Raw->Runs.size()), Line});
}

llvm::Error StoreBuilder::Impl::endBlock() {
  if (Runs.full())
    return llvm::createStringError(
        "the trace has too many different runs of code (%zu)", Runs.size());
  if (Raw->NumInsns >= SegmentInsns) {
    if (llvm::Error E = endSegment())
      return E;
    startSegment();
  } else {
    startBlock();
  }
  return llvm::Error::success();
}

llvm::Error StoreBuilder::Impl::endSegment() {
  Memory.endSegment();
  Templates.freeze(Raw->Index);
  Raw->NumThreads = unsigned(State.size());
  Raw->NumTemplates = Templates.size();
  auto J = std::make_unique<Job>();
  J->Raw = std::move(Raw);
  Job *P = J.get();
  J->Done = Pool->async(
      [this, P] { P->Encoded = encodeSegment(*P->Raw, Templates, Runs); });
  Pending.push_back(std::move(J));
  return drain(MaxPending);
}

/// Writes finished segments, in order, until at most \p Leave are not.
llvm::Error StoreBuilder::Impl::drain(size_t Leave) {
  while (Pending.size() > Leave) {
    Pending.front()->Done.wait();
    EncodedSegment &E = Pending.front()->Encoded;
    llvm::Expected<uint64_t> At = File->append(E.Data);
    if (!At)
      return At.takeError();
    E.Info.Offset = *At;
    E.Info.Bytes = E.Data.size();
    E.Info.Checksum = checksum(E.Data);
    uint32_t Index = uint32_t(Segments.size());
    Segments.push_back(E.Info);
    StartPositions.push_back(E.StartPosition);
    for (const RealPage &P : E.Reals)
      Reals.add(P);
    Pages.add(E.Pages, Index);
    RunPosts.add(E.Runs, Index);
    LanePosts.add(E.Lanes, Index);
    Sizes.Flow += E.By.Flow;
    Sizes.Time += E.By.Time;
    Sizes.Registers += E.By.Registers;
    Sizes.Memory += E.By.Memory;
    Sizes.Checkpoints += E.By.Checkpoints;
    Sizes.MemoryIndex += E.By.MemoryIndex;
    Sizes.FlowIndex += E.By.FlowIndex;
    Sizes.Other += E.By.Other;
    Pending.front()->Raw->Data.swap(E.Data);
    Spare.push_back(std::move(Pending.front()->Raw));
    Pending.pop_front();
  }
  return llvm::Error::success();
}

llvm::Error StoreBuilder::Impl::endRun(uint32_t Run) {
  Raw->Runs.push_back(Run);
  Raw->RunEnds.push_back(Raw->NumInsns);
  if (Raw->NumInsns - Raw->Blocks.back().Insn >= MinBlock)
    return endBlock();
  return llvm::Error::success();
}

void StoreBuilder::Impl::setTime(uint64_t Time) {
  if (FirstTimed == BeforeTrace) {
    FirstTimed = Next;
    FirstTime = Time;
  }
  LastTime = std::max(LastTime, Time);
}

llvm::Error StoreBuilder::Impl::insn(const InsnItem &I, const RegItem *Regs,
                                     const MemItem *Mems) {
  unsigned Th = I.Thread;
  needThread(Th);
  if (Runs.length() &&
      (I.PC != ExpectedPC || Th != RunThread || Runs.length() == MaxRun))
    if (llvm::Error E = endRun(Runs.end()))
      return E;
  for (StreamObserver *O : Observers)
    O->instruction(Next, I, {Regs, I.NumRegs}, {Mems, I.NumMems},
                   State[Th].Value.data(), State[Th].Known.data());

  uint32_t Id = Templates.lookup(I, Regs, Mems, LastTemplate[Th]);
  LastTemplate[Th] = Id;
  bool Learning = Templates.learning(Id);
  if (Learning)
    Templates.learnBefore(Id, Mems, State[Th]);
  unsigned Block = unsigned(Raw->Blocks.size() - 1);
  unsigned InBlock = Raw->NumInsns - Raw->Blocks.back().Insn;
  for (unsigned M = 0; M < I.NumMems; ++M) {
    Raw->Places.push_back({Mems[M].Addr, Mems[M].Real});
    assert((MemoryTold || !Mems[M].Known) && "a value of memory is told");
    if (!MemoryTold)
      continue;
    Raw->MemValues.push_back(Mems[M].Value & expandMask(Mems[M].Known));
    Raw->Old.push_back(Memory.access(Mems[M], Next, Block, InBlock));
    if (Mems[M].Real != ~uint64_t(0))
      Reals.add(Mems[M].Addr, Mems[M].Real, Mems[M].Size);
  }
  for (unsigned R = 0; R < I.NumRegs; ++R) {
    const RegItem &Reg = Regs[R];
    uint64_t V = Reg.Value & expandMask(Reg.Written & ~Reg.Unknown);
    if (Learning)
      Templates.learnReg(Id, R, V, Mems, State[Th]);
    needThread(Reg.Thread);
    State[Reg.Thread].reserve(Reg.Lane + 1u);
    State[Reg.Thread].apply(Reg.Lane, Reg.Written, Reg.Unknown, V);
    if (Reg.Written & ~Reg.Unknown)
      Raw->RegValues.push_back(V);
  }
  if (Learning)
    Templates.learnAfter(Id, Mems, State[Th]);
  Runs.append(Id);
  RunThread = Th;
  ExpectedPC = I.PC + I.Size;

  if (I.Flags & InsnItem::TimeKnown)
    setTime(I.Time);
  Raw->Times.set(Raw->NumInsns, LastTime);
  Raw->Threads.set(Raw->NumInsns, uint8_t(Th));
  ++Raw->NumInsns;
  ++Positions[Th];
  ++Next;
  Line += I.Lines;
  return llvm::Error::success();
}

llvm::Error StoreBuilder::Impl::expand(const FlowItem &F, const CodeTable &Code,
                                       const FlowEffects &Effects) {
  Expanded.clear();
  expandSequence(Code, F, Effects, Expanded);
  const RegItem *Regs = Expanded.Regs.data();
  const MemItem *Mems = Expanded.Mems.data();
  for (const InsnItem &I : Expanded.Insns) {
    if (llvm::Error E = insn(I, Regs, Mems))
      return E;
    Regs += I.NumRegs;
    Mems += I.NumMems;
  }
  return llvm::Error::success();
}

/// The effects of a whole sequence.
void StoreBuilder::Impl::apply(const SequenceRuns::Code &S, unsigned Th,
                               const FlowEffects &Effects) {
  size_t At = Raw->RegValues.size();
  Raw->RegValues.insert(Raw->RegValues.end(), Effects.Values.begin(),
                        Effects.Values.end());
  if (!S.WholeValues)
    for (uint8_t Bytes : Sequences.valueBytes(S))
      Raw->RegValues[At++] &= expandMask(Bytes);
  Lanes &Own = State[Th];
  Own.reserve(S.NumLanes);
  const bool ForgetsNothing = !Own.AnyTold && !S.NumValues;
  if (!ForgetsNothing)
    for (const SequenceRuns::LaneEffect &L : Sequences.effects(S)) {
      uint64_t Mask = expandMask(L.Written & ~L.Unknown);
      Own.apply(L.Lane, L.Written, L.Unknown,
                Mask ? Effects.Values[L.Value] & Mask : 0);
    }
  Raw->Places.insert(Raw->Places.end(), Effects.Places.begin(),
                     Effects.Places.end());
}

llvm::Error StoreBuilder::Impl::flow(const FlowItem &F, const CodeTable &Code,
                                     FlowCursor &Cursor) {
  unsigned Th = F.Thread;
  needThread(Th);
  SequenceRuns::Code &S = Sequences.at(Code, F.Sequence);
  FlowEffects Effects = Cursor.next(S.NumValues, S.NumAccesses);
  // If the segment ends within it, the effects up to there count.
  if (!Sequences.isSettled(S, Code, F.Sequence) ||
      (MemoryTold && !Effects.Places.empty()) ||
      Raw->NumInsns + S.NumTemplates >= SegmentInsns)
    return expand(F, Code, Effects);
  if (!S.NumTemplates)
    return llvm::Error::success();
  if (Runs.length() && (S.FirstPC != ExpectedPC || Th != RunThread))
    if (llvm::Error E = endRun(Runs.end()))
      return E;
  for (StreamObserver *O : Observers)
    O->sequence(Next, F, Code, Effects, State[Th].Value.data(),
                State[Th].Known.data());
  llvm::ArrayRef<SequenceRuns::Piece> Ended = Sequences.append(S, ExpectedPC);
  RunThread = Th;
  ExpectedPC = S.EndPC;
  if (S.TimeKnown)
    setTime(F.Time);
  apply(S, Th, Effects);
  LastTemplate[Th] = Sequences.templates(S).back();
  // The segment does not end in it, so that they hold to its end.
  Raw->Times.set(Raw->NumInsns, LastTime);
  Raw->Threads.set(Raw->NumInsns, uint8_t(Th));
  const uint32_t First = Raw->NumInsns;
  for (const SequenceRuns::Piece &P : Ended) {
    Raw->NumInsns += P.NumInsns;
    Next += P.NumInsns;
    if (llvm::Error E = endRun(P.Run))
      return E;
  }
  const uint32_t Left = First + S.NumTemplates - Raw->NumInsns;
  Raw->NumInsns += Left;
  Next += Left;
  Positions[Th] += S.NumTemplates;
  return llvm::Error::success();
}

llvm::Error StoreBuilder::Impl::flushHeld() {
  if (Held.Valid) {
    Held.Valid = false;
    // One instruction has at most as many effects as a template can count; a
    // trace that has more of them for one is a register dump of sorts, where
    // only the last values matter.
    constexpr size_t Most = 0xffff;
    if (Held.Regs.size() > Most)
      Held.Regs.erase(Held.Regs.begin(), Held.Regs.end() - Most);
    if (Held.Mems.size() > Most)
      return llvm::createStringError(
          "instruction %llu has %zu memory accesses; at most %zu are supported",
          (unsigned long long)Next, Held.Mems.size(), Most);
    Held.Insn.NumRegs = uint16_t(Held.Regs.size());
    Held.Insn.NumMems = uint16_t(Held.Mems.size());
    if (llvm::Error E = insn(Held.Insn, Held.Regs.data(), Held.Mems.data()))
      return E;
  }
  for (const EventItem &E : Held.Events)
    event(E, Next);
  Held.Events.clear();
  return llvm::Error::success();
}

/// Effects at the front of a batch belong to the instruction before; at the
/// front of the trace they are the initial state.
void StoreBuilder::Impl::lead(const ItemBatch &Batch) {
  if (Held.Valid) {
    Held.Regs.insert(Held.Regs.end(), Batch.Regs.begin(),
                     Batch.Regs.begin() + Batch.LeadRegs);
    Held.Mems.insert(Held.Mems.end(), Batch.Mems.begin(),
                     Batch.Mems.begin() + Batch.LeadMems);
    Held.Insn.Lines += Batch.LeadLines;
    return;
  }
  if (Next) {
    assert(!Batch.LeadRegs && !Batch.LeadMems && !Batch.LeadLines &&
           "what a sequence does is not told");
    return;
  }
  for (uint32_t R = 0; R < Batch.LeadRegs; ++R) {
    const RegItem &Reg = Batch.Regs[R];
    needThread(Reg.Thread);
    State[Reg.Thread].reserve(Reg.Lane + 1u);
    State[Reg.Thread].apply(Reg.Lane, Reg.Written, Reg.Unknown,
                            Reg.Value & expandMask(Reg.Written & ~Reg.Unknown));
    Initial.push_back(uint64_t(Reg.Thread) << 24 | uint64_t(Reg.Lane) << 8 |
                      Reg.Written);
  }
  for (uint32_t M = 0; M < Batch.LeadMems; ++M)
    Memory.access(Batch.Mems[M], BeforeTrace, 0, 0);
  Line += Batch.LeadLines;
  FirstLine = Line;
  Raw->Start = State;
  Raw->StartPosition = Positions;
  for (RawSegment::Block &B : Raw->Blocks)
    B.Line = Line;
}

void StoreBuilder::Impl::event(const EventItem &E, Moment Before) {
  // Most say the same as one not long ago.
  uint32_t &At = TextAt[llvm::hash_value(E.Text) % TextAt.size()];
  if (At >= Text.size() || E.Text.size() >= Text.size() - At ||
      memcmp(&Text[At], E.Text.c_str(), E.Text.size() + 1)) {
    At = uint32_t(Text.size());
    putRaw(Text, E.Text.data(), E.Text.size());
    Text.push_back(0);
  }
  needThread(E.Thread);
  Events.push_back({Before, E.PC, E.Value, At, uint8_t(E.Kind), E.Thread, 0});
  for (StreamObserver *O : Observers)
    O->event(Before, E);
}

llvm::Error StoreBuilder::consume(ItemBatch &Batch) {
  Impl &B = *I;
  if (!std::exchange(B.Begun, true)) {
    B.MemoryTold = !Batch.Code;
    B.Raw->MemoryTold = B.MemoryTold;
  }
  B.lead(Batch);
  const RegItem *Regs = Batch.Regs.data() + Batch.LeadRegs;
  const MemItem *Mems = Batch.Mems.data() + Batch.LeadMems;
  size_t NextEvent = 0, N = Batch.Insns.size();
  assert((Batch.Flow.empty() || !N) && "flow instead of instructions");
  if (N || !Batch.Flow.empty()) {
    if (llvm::Error E = B.flushHeld())
      return E;
    // A reader that does not know offsets leaves them 0.
    if (Batch.FileOffset > B.Places.back().Offset)
      B.Places.push_back({B.Line - Batch.LeadLines, Batch.FileOffset});
  }
  auto eventsUpTo = [&](size_t Item) {
    for (; NextEvent < Batch.Events.size() &&
           Batch.Events[NextEvent].Before <= Item;
         ++NextEvent)
      B.event(Batch.Events[NextEvent], B.Next);
  };
  FlowCursor Effects(Batch);
  for (size_t F = 0; F < Batch.Flow.size(); ++F) {
    eventsUpTo(F);
    if (llvm::Error E = B.flow(Batch.Flow[F], *Batch.Code, Effects))
      return E;
  }
  for (size_t Insn = 0; Insn < N; ++Insn) {
    eventsUpTo(Insn);
    const InsnItem &It = Batch.Insns[Insn];
    if (Insn + 1 == N) {
      B.Held.Insn = It;
      B.Held.Regs.assign(Regs, Regs + It.NumRegs);
      B.Held.Mems.assign(Mems, Mems + It.NumMems);
      B.Held.Valid = true;
    } else if (llvm::Error E = B.insn(It, Regs, Mems)) {
      return E;
    }
    Regs += It.NumRegs;
    Mems += It.NumMems;
  }
  B.Held.Events.insert(B.Held.Events.end(), Batch.Events.begin() + NextEvent,
                       Batch.Events.end());
  return llvm::Error::success();
}

// --- Finishing ---------------------------------------------------------------

llvm::Error StoreBuilder::Impl::writeDictionary() {
  std::vector<Template> T(Templates.size());
  std::vector<RegShape> Regs(Templates.numRegs());
  std::vector<MemShape> Mems(Templates.numMems());
  std::vector<uint64_t> Consts(Templates.numConsts());
  for (size_t I = 0; I < T.size(); ++I)
    T[I] = Templates[uint32_t(I)];
  // Unused places at the end of a chunk of the table may not be allocated.
  for (const Template &Tm : T) {
    for (unsigned R = 0; R < Tm.NumRegs; ++R)
      Regs[Tm.FirstReg + R] = Templates.reg(Tm.FirstReg + R);
    for (unsigned M = 0; M < Tm.NumMems; ++M)
      Mems[Tm.FirstMem + M] = Templates.mem(Tm.FirstMem + M);
  }
  for (size_t I = 0; I < Consts.size(); ++I)
    Consts[I] = Templates.constant(I);
  if (llvm::Error E = File->arraySection("templates", T))
    return E;
  if (llvm::Error E = File->arraySection("regshapes", Regs))
    return E;
  if (llvm::Error E = File->arraySection("memshapes", Mems))
    return E;
  return File->arraySection("consts", Consts);
}

/// The runs, and for each pc the runs that contain it.
llvm::Error StoreBuilder::Impl::writeCodeMap() {
  std::vector<uint32_t> Starts, All;
  std::vector<uint64_t> LaneMasks;
  std::vector<std::pair<uint64_t, uint32_t>> PCRuns;
  for (uint32_t R = 0; R < Runs.size(); ++R) {
    Starts.push_back(uint32_t(All.size()));
    llvm::ArrayRef<uint32_t> Path = Runs.templates(R);
    uint64_t Mask = 0;
    for (uint32_t Id : Path) {
      const Template &T = Templates[Id];
      PCRuns.emplace_back(T.PC, R);
      for (unsigned S = 0; S < T.NumRegs; ++S)
        Mask |= uint64_t(1) << (Templates.reg(T.FirstReg + S).Lane % 64);
    }
    LaneMasks.push_back(Mask);
    All.insert(All.end(), Path.begin(), Path.end());
  }
  Starts.push_back(uint32_t(All.size()));
  std::sort(PCRuns.begin(), PCRuns.end());
  PCRuns.erase(std::unique(PCRuns.begin(), PCRuns.end()), PCRuns.end());
  std::vector<uint64_t> PCs;
  std::vector<uint32_t> PCStarts, PCList;
  for (auto &[PC, R] : PCRuns) {
    if (PCs.empty() || PCs.back() != PC) {
      PCs.push_back(PC);
      PCStarts.push_back(uint32_t(PCList.size()));
    }
    PCList.push_back(R);
  }
  PCStarts.push_back(uint32_t(PCList.size()));
  if (llvm::Error E = File->arraySection("runs.starts", Starts))
    return E;
  if (llvm::Error E = File->arraySection("runs.templates", All))
    return E;
  if (llvm::Error E = File->arraySection("runs.lanes", LaneMasks))
    return E;
  if (llvm::Error E = File->arraySection("pcs.keys", PCs))
    return E;
  if (llvm::Error E = File->arraySection("pcs.starts", PCStarts))
    return E;
  return File->arraySection("pcs.runs", PCList);
}

llvm::Error StoreBuilder::Impl::writeCode(llvm::ArrayRef<CodeRange> Code) {
  std::vector<CodePlace> Ranges;
  Bytes All;
  for (const CodeRange &C : Code) {
    Ranges.push_back({C.Address, All.size(), C.Bytes.size()});
    putRaw(All, C.Bytes.data(), C.Bytes.size());
  }
  if (llvm::Error E = File->arraySection("code.places", Ranges))
    return E;
  return File->section("code", All);
}

llvm::Error StoreBuilder::finish(const TraceHeader &Header) {
  Impl &B = *I;
  if (llvm::Error E = B.flushHeld())
    return E;
  if (B.Runs.length()) {
    B.Raw->Runs.push_back(B.Runs.end());
    B.Raw->RunEnds.push_back(B.Raw->NumInsns);
  }
  // A trace may end where a segment does.
  if (B.Raw->NumInsns || !B.Raw->Index)
    if (llvm::Error E = B.endSegment())
      return E;
  if (llvm::Error E = B.drain(0))
    return E;

  if (!Header.Threads.empty())
    B.needThread(unsigned(Header.Threads.size() - 1));
  std::vector<uint64_t> StartPositions;
  for (std::vector<uint64_t> &P : B.StartPositions) {
    P.resize(B.State.size());
    StartPositions.insert(StartPositions.end(), P.begin(), P.end());
  }
  std::vector<BackDateTable::Group> BackIndex;
  Bytes Back;
  BackDateTable::encode(B.Memory.takeBackDates(), BackIndex, Back);

  StoreFile &F = *B.File;
  if (llvm::Error E = F.arraySection("segments", B.Segments))
    return E;
  if (llvm::Error E = F.arraySection("positions", StartPositions))
    return E;
  if (llvm::Error E = B.writeDictionary())
    return E;
  if (llvm::Error E = B.writeCodeMap())
    return E;
  if (llvm::Error E = B.Pages.write(F, "pages"))
    return E;
  if (llvm::Error E = B.RunPosts.write(F, "runposts"))
    return E;
  if (llvm::Error E = B.LanePosts.write(F, "lanes"))
    return E;
  if (llvm::Error E = F.arraySection("backdates.index", BackIndex))
    return E;
  if (llvm::Error E = F.section("backdates", Back))
    return E;
  if (llvm::Error E = F.arraySection("realpages", B.Reals.take()))
    return E;
  if (llvm::Error E = F.arraySection("initial", B.Initial))
    return E;
  if (llvm::Error E = F.arraySection("events", B.Events))
    return E;
  if (llvm::Error E = F.section("text", B.Text))
    return E;
  if (llvm::Error E = F.arraySection("places", B.Places))
    return E;
  if (llvm::Error E = B.writeCode(Header.Code))
    return E;
  if (std::vector<CodePage> *Pages = B.CodeAt) {
    llvm::sort(*Pages);
    if (llvm::Error E = F.arraySection(CodePages::Section.data(), *Pages))
      return E;
  }
  for (StreamObserver *O : B.Observers)
    if (llvm::Error E = O->finish(Header, F))
      return E;

  Meta M;
  M.Header = Header;
  for (size_t T = M.Header.Threads.size(); T < B.State.size(); ++T)
    M.Header.Threads.push_back({"", T + 1});
  M.Source = B.Source;
  M.NumInstructions = B.Next;
  M.ThreadInstructions = B.Positions;
  M.FirstTimed = std::min(B.FirstTimed, B.Next);
  M.FirstTime = B.FirstTime;
  M.LastTime = B.LastTime;
  M.FirstLine = B.FirstLine;
  M.EndLine = B.Line;
  M.Sizes = B.Sizes;
  std::string Text = metaToText(M);
  if (llvm::Error E =
          F.section("meta", {reinterpret_cast<const uint8_t *>(Text.data()),
                             Text.size()}))
    return E;
  return F.commit();
}
