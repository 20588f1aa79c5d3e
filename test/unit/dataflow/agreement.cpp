//===- agreement.cpp - Whether dependences carry the values they should ---===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Tarmac trace tells values. So each dependence that the engine finds can be
// checked: what its source left in a register or in memory is what its target
// finds there; and a register that was saved and restored has in its caller's
// eyes never changed.
//
//===----------------------------------------------------------------------===//

#include "core/OpenTrace.h"
#include "core/dataflow/Engine.h"
#include "core/dataflow/StepReader.h"
#include "core/store/StateCursor.h"
#include "core/store/TraceStore.h"
#include "core/support/Coding.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace llvm;
using namespace rw;
using namespace rw::dataflow;

namespace {

struct Tally {
  uint64_t Same = 0, Other = 0, NotTold = 0;
  void count(std::optional<bool> Equal) {
    ++(!Equal ? NotTold : *Equal ? Same : Other);
  }
  /// Whether all but one in a thousand agree.
  bool good() const { return Other * 1000 <= Same + Other; }
  void print(StringRef What) const {
    outs() << formatv("{0}: {1} of {2} agree, {3} values not told", What, Same,
                      Same + Other, NotTold);
    if (Same + Other)
      outs() << format(" (%.3f %%)",
                       100.0 * double(Same) / double(Same + Other));
    outs() << "\n";
  }
};

/// What is known of the first 8 bytes of a cell.
struct Content {
  uint64_t Bits = 0;
  uint8_t Known = 0; ///< mask of bytes
  /// Whether both are the same where both are known; none: that is nowhere.
  std::optional<bool> same(const Content &O) const {
    const uint8_t Common = Known & O.Known;
    if (!Common)
      return std::nullopt;
    return ((Bits ^ O.Bits) & expandMask(Common)) == 0;
  }
};

/// A domain (Engine.h) whose stamps are moments, plus 1.
class Agreement {
public:
  using Stamp = uint64_t;
  struct Node {
    Moment When;
    /// What was read in memory, and who wrote it.
    SmallVector<std::pair<Range, SmallVector<Stamp, 2>>, 1> Memory;
  };
  struct Deferred {};

  Agreement(const TraceStore &Store, StepCodes &Codes)
      : Codes(Codes), Cursor(StateCursor::open(Store)),
        Frames(Store.numThreads(), std::vector<Frame>(1)) {
    for (ISA Isa : {ISA::A64, ISA::A32})
      Preserved |= Codes.convention(Isa).Preserved;
  }

  Stamp latest(Stamp A, Stamp B, bool &Both) {
    Both = A != B;
    return A;
  }
  Stamp canonical(Stamp S) { return S; }
  Node begin(const Step &S) { return {S.When, {}}; }
  void add(Node &, const Step &, Stamp, EdgeKind) {}
  void reads(Node &, const Step &S, Cell C, Stamp Of) {
    std::optional<bool> Same =
        Values.lookup({Of, C}).same(value(S.Thread, S.When, C));
    Registers.count(Same);
    if (Same && !*Same)
      ++Causes[{Codes.cells().name(C).str(), S.Code->PC}];
  }
  void reads(Node &N, const Step &, Range R, Stamp Of) {
    if (N.Memory.empty() || !(N.Memory.back().first == R))
      N.Memory.push_back({R, {}});
    N.Memory.back().second.push_back(Of);
  }
  Stamp finish(Node &N, const Step &S, const NodeCode *, bool) {
    for (auto &[R, From] : N.Memory)
      checkMemory(S, R, From);
    return S.When + 1;
  }
  void branched(const Step &, Stamp) {}
  /// What the instruction left behind.
  void end(const Step &S) {
    auto I = Cursor->at(S.When);
    if (!I)
      return fail(I.takeError());
    for (const MemAccess &M : (*I)->Mems)
      if (M.isWrite())
        for (size_t B = 0; B < M.Bytes.size(); ++B)
          Stored[S.When + 1].push_back({M.Addr + B, M.Bytes[B], M.Known[B]});
    for (const NodeCode &N : S.Code->Nodes)
      for (Cell C : S.Code->writes(N))
        Values[{S.When + 1, C}] = value(S.Thread, S.When + 1, C);
    for (Cell C : Restored) {
      std::optional<bool> Same =
          Frames[S.Thread].back().Entry[C].same(value(S.Thread, S.When + 1, C));
      Restores.count(Same);
      if (Same && !*Same)
        ++Causes[{"restored " + Codes.cells().name(C).str(), S.Code->PC}];
      Frames[S.Thread].back().Restored.push_back(C);
    }
    Restored.clear();
    Last = S.When;
  }
  void enter(const Step &S) {
    Frame F;
    for (unsigned C : Preserved.set_bits())
      F.Entry[Cell(C)] = value(S.Thread, S.When + 1, Cell(C));
    Frames[S.Thread].push_back(std::move(F));
  }
  void leave(unsigned Thread) {
    Frame F = std::move(Frames[Thread].back());
    Frames[Thread].pop_back();
    for (Cell C : F.Restored)
      Callers.count(F.Entry[C].same(value(Thread, Last + 1, C)));
  }
  Deferred defer(const Step &, Stamp, unsigned) { return {}; }
  Stamp undefer(const Deferred &, Stamp Made, unsigned, unsigned,
                ArrayRef<Stamp>) {
    return Made;
  }
  bool wantsCompaction() const { return false; }
  template <typename Fn> void compact(Fn) {}
  void suppressed(const StepCode &, Moment, Suppressed What, CellRef Of) {
    if (What == Suppressed::Restore)
      for (unsigned C = Of.First; C < Of.end(); ++C)
        Restored.push_back(Cell(C));
  }

  Tally Registers, Memory, Restores, Callers;
  /// Disagreements by place and address of the reader.
  std::map<std::pair<std::string, uint64_t>, uint64_t> Causes;
  Error Failed = Error::success();

private:
  struct Frame {
    std::map<Cell, Content> Entry; ///< what its caller left
    SmallVector<Cell, 4> Restored;
  };
  struct StoredByte {
    uint64_t Addr;
    uint8_t Value, Known;
  };

  void fail(Error E) { Failed = joinErrors(std::move(Failed), std::move(E)); }

  /// A cell before \p M.
  Content value(ThreadIndex T, Moment M, Cell C) {
    const CellInfo &Info = Codes.cells().info(C);
    if (Info.Slice.Lane == RegisterSlice::NoLane)
      return {};
    RegisterSlice Slice = Info.Slice;
    Slice.Size = std::min<decltype(Slice.Size)>(Slice.Size, 8);
    uint8_t Bytes[8] = {}, Known[8] = {};
    if (Error E = Cursor->readRegister(T, M, Slice,
                                       MutableArrayRef(Bytes, Slice.Size),
                                       MutableArrayRef(Known, Slice.Size))) {
      fail(std::move(E));
      return {};
    }
    Content V;
    for (unsigned B = 0; B < Slice.Size; ++B) {
      const uint8_t Mask = Info.Bits ? uint8_t(Info.Bits >> (8 * B)) : 0xff;
      if (!Mask || !Known[B])
        continue;
      V.Known |= uint8_t(1u << B);
      V.Bits |= uint64_t(Bytes[B] & Mask) << (8 * B);
    }
    return V;
  }

  void checkMemory(const Step &S, Range R, ArrayRef<Stamp> From) {
    auto I = Cursor->at(S.When);
    if (!I)
      return fail(I.takeError());
    std::map<uint64_t, std::optional<uint8_t>> Read;
    for (const MemAccess &M : (*I)->Mems)
      if (!M.isWrite())
        for (size_t B = 0; B < M.Bytes.size(); ++B)
          Read[M.Addr + B] =
              M.Known[B] ? std::optional(M.Bytes[B]) : std::nullopt;
    // A byte is of the latest of those that wrote it.
    std::map<uint64_t, std::pair<Stamp, std::optional<uint8_t>>> Of;
    for (Stamp W : From)
      for (const StoredByte &B : Stored[W])
        if (R.overlaps({B.Addr, 1}) && W >= Of[B.Addr].first)
          Of[B.Addr] = {W, B.Known ? std::optional(B.Value) : std::nullopt};
    std::map<Stamp, std::optional<bool>> Same;
    for (auto &[Addr, Byte] : Of) {
      auto &[W, Value] = Byte;
      auto At = Read.find(Addr);
      if (!Value || At == Read.end() || !At->second) {
        Same.try_emplace(W, std::nullopt);
        continue;
      }
      bool Equal = *Value == *At->second;
      auto [It, New] = Same.try_emplace(W, Equal);
      if (!New)
        It->second = It->second.value_or(true) && Equal;
    }
    for (auto &[W, Equal] : Same) {
      Memory.count(Equal);
      if (Equal && !*Equal)
        ++Causes[{"memory", S.Code->PC}];
    }
  }

  StepCodes &Codes;
  std::unique_ptr<StateCursor> Cursor;
  BitVector Preserved; ///< cells
  std::vector<std::vector<Frame>> Frames;
  DenseMap<std::pair<uint64_t, unsigned>, Content> Values;
  DenseMap<uint64_t, SmallVector<StoredByte, 8>> Stored;
  SmallVector<Cell, 4> Restored; ///< by the step
  Moment Last = 0;
};

/// Whether the dependences of a trace are good.
Expected<bool> check(StringRef Path) {
  IndexOptions Options;
  Options.IndexPath = unnamedStorePath();
  const scope_exit Remove([&] { sys::fs::remove(Options.IndexPath); });
  auto Opened = openTraceStore(Path, Options, {});
  if (!Opened)
    return Opened.takeError();
  const TraceStore &Store = *Opened->Store;
  auto Calls = CallIndex::open(Store);
  if (!Calls)
    return Calls.takeError();
  StepCodes Codes(Store, {});
  Agreement D(Store, Codes);
  EngineOptions E;
  E.Threads = Store.numThreads();
  E.Cells = Codes.cells().size();
  E.PlacesKnown = Store.header().Can.MemAddresses;
  for (CellRef R : Codes.stackPointers())
    E.StackPointers.push_back(R);
  Engine<Agreement> Eng(E, D);
  StepReader Reader(Store, Calls->get(), Codes, {});
  while (const Step *S = Reader.next())
    Eng.step(*S);
  Eng.finish();
  if (Error Bad = joinErrors(Reader.takeError(), std::move(D.Failed)))
    return Bad;
  outs() << Path << ": " << Store.numInstructions() << " instructions\n";
  D.Registers.print("registers");
  D.Memory.print("memory");
  D.Restores.print("restored as at the call");
  D.Callers.print("still so after the return");
  std::vector<std::pair<uint64_t, std::pair<std::string, uint64_t>>> Causes;
  for (auto &[Where, Times] : D.Causes)
    Causes.push_back({Times, Where});
  sort(Causes, std::greater<>());
  for (auto &[Times, Where] :
       ArrayRef(Causes).take_front(std::min<size_t>(Causes.size(), 10)))
    outs() << formatv("  {0} times {1} at {2:x}\n", Times, Where.first,
                      Where.second);
  return D.Registers.good() && D.Memory.good() && !D.Restores.Other &&
         !D.Callers.Other;
}

} // namespace

int main(int Count, char **Words) {
  bool Good = Count > 1;
  for (int N = 1; N < Count; ++N) {
    auto Is = check(Words[N]);
    if (!Is)
      errs() << "dataflow-agreement: " << toString(Is.takeError()) << "\n";
    Good &= Is && *Is;
  }
  return Good ? 0 : 1;
}
