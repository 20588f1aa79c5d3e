//===- Engine.h - Dependences, one instruction after the other --*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps a stamp for each cell of each thread and each byte of memory, and tells
// a *domain*, node by node, which stamps the node depends on; the domain says
// which stamp the node has. What stamps are (times, instructions) the domain
// knows alone. No graph is stored.
//
// Suppression (Embla notes, 2.2): what calls do to registers by convention is
// no dependence.
//  - The stack pointer and return addresses are always there (stamp 0), and so
//    is the frame pointer while it is one: it was set to the stack pointer or
//    itself plus a constant, or restored when it was one.
//  - A save is a store, addressed by the stack or frame pointer, of a register
//    that functions must preserve and that was not written since its function
//    was called. A restore loads that register from there, in the same call,
//    while nothing else has written or read the place. Then the register has
//    the stamp again that it had at the save, and neither of the two depends on
//    it. A save whose place is read by something else, or is overwritten or
//    left without a restore, is an ordinary store.
//
// Which locations are the current frame is told by the base register, not by
// the extent of the frame: so it works where a trace tells no stack pointer.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_DATAFLOW_ENGINE_H
#define REWIND_DATAFLOW_ENGINE_H

#include "core/dataflow/Granules.h"
#include "core/dataflow/Readers.h"
#include "core/dataflow/SaveSlots.h"
#include <array>
#include <deque>

namespace rw::dataflow {

/// Kinds of location, and what can be between two accesses of one.
enum class Storage : uint8_t { Register, Stack, Memory };
enum class Hazard : uint8_t { RAW, WAR, WAW };
struct EdgeKind {
  Storage Where = Storage::Register;
  Hazard What = Hazard::RAW;
  bool operator==(const EdgeKind &) const = default;
};

/// Which dependences through storage count; RAW always does.
struct StorageModes {
  /// A bit for each Storage.
  uint8_t WAR = 0, WAW = 0;
  bool war(Storage S) const { return WAR >> unsigned(S) & 1; }
  bool waw(Storage S) const { return WAW >> unsigned(S) & 1; }
  /// All three, of stack and other memory.
  static StorageModes memory() { return {6, 6}; }
};

struct EngineOptions {
  unsigned Threads = 1;
  unsigned Cells = 0;
  bool Suppress = true;
  /// False: steps have no Loads and Stores, nobody knows where they were. Then
  /// all that could be a save or a restore is one, and what is restored is
  /// always there: times are lower bounds.
  bool PlacesKnown = true;
  StorageModes Modes;
  /// The cells of stack pointers (CallConvention::SP).
  llvm::SmallVector<CellRef, 2> StackPointers;
};

/// What registers and places had to do with calls when an engine began: of a
/// part of a trace. Activations that were open then are one.
struct EngineStart {
  /// What a cell has to do with calls; Either: nobody knows which.
  enum Tag : uint8_t { NoTag, FrameTag, ReturnTag, EitherTag };
  /// By thread, then by cell.
  std::vector<std::vector<uint8_t>> Tags;
  /// What was saved and not yet restored, or a return address.
  struct Place {
    bool Return = false;
    ThreadIndex Thread = 0;
    Moment When = 0; ///< of the store
    Range Where;
    CellRef Cells;
    std::array<uint8_t, 4> Tags = {};
  };
  std::vector<Place> Places;
};

/// What a trace turned out to do with the conventions of calls.
struct SuppressionCounts {
  uint64_t Saves = 0;    ///< registers saved, whose restore was seen
  uint64_t Restores = 0; ///< registers restored
  uint64_t Undone = 0;   ///< looked like saves and were ordinary stores
};

/// What was no dependence.
enum class Suppressed : uint8_t {
  Save,          ///< a register stored, whose restore was seen
  Restore,       ///< it was loaded
  StackPointer,  ///< made
  FramePointer,  ///< made
  ReturnAddress, ///< made, moved, stored or loaded
};

/// A domain has:
///   using Stamp;                     // 0: no dependence; top bit is free
///   Stamp latest(Stamp, Stamp, bool &Both)  // one that stands for both, or
///                                    // neither: then Both
///   Stamp canonical(Stamp);          // equal for what stands for the same
///   struct Node;
///   Node begin(const Step &);        // before anything else of a step
///   void add(Node &, const Step &, Stamp, EdgeKind);
///   Stamp finish(Node &, const Step &, const NodeCode *, bool Stack);
///   void branched(const Step &, Stamp);
///   void end(const Step &);          // all nodes are finished
///   void enter(const Step &);        // an activation begins after it
///   void leave(unsigned Thread);     // the innermost one ends
///   struct Deferred;                 // what a save is told by
///   Deferred defer(const Step &, Stamp Made, unsigned Node);
///   Stamp undefer(const Deferred &, Stamp Made, unsigned Depth,
///                 unsigned Thread, llvm::ArrayRef<Stamp> Needs);
///                                    // it does depend on these: its stamp
///   bool wantsCompaction();
///   template <F> void compact(F RewriteAll);
/// and may have
///   Stamp canonicalAt(Stamp, Range); // canonical, where it was that granule
///                                    // of memory that was read
///   void suppressed(const StepCode &, Moment, Suppressed, CellRef);
///                                    // a save: once it is known to be one
///   void overwrites(Node &, const Step &, Range, Stamp, EdgeKind);
///                                    // in place of add(): of WAR and WAW of
///                                    // memory; the range that is stored
///   void reads(Node &, const Step &, Cell, Stamp);
///   void reads(Node &, const Step &, Range, Stamp); // once at least for each
///                                    // that wrote a part of the range
template <class Domain> class Engine {
public:
  using Stamp = typename Domain::Stamp;

  Engine(const EngineOptions &O, Domain &D)
      : O(O), D(D), Threads(O.Threads), CellReaders(0) {
    for (Thread &T : Threads) {
      T.Stamps.assign(O.Cells, 0);
      T.Tags.assign(O.Cells, NoTag);
      T.Written.assign(O.Cells, 0);
      for (CellRef R : O.StackPointers)
        std::fill_n(T.Tags.begin() + R.First, R.Count, FrameTag);
      T.Frames.emplace_back();
    }
    if (O.Modes.war(Storage::Register))
      CellReaders.resize(size_t(O.Threads) * O.Cells);
  }

  /// Before the first step.
  void start(const EngineStart &From) {
    for (size_t T = 0; T < From.Tags.size(); ++T)
      Threads[T].Tags = From.Tags[T];
    if (!O.Suppress)
      return;
    for (const EngineStart::Place &P : From.Places) {
      Slot E;
      E.Kind = P.Return ? Slot::Return : Slot::Save;
      E.Before = true;
      E.Where = P.Where;
      E.Thread = P.Thread;
      E.Cells = P.Cells;
      E.Tags = P.Tags;
      Slots.insert(E);
    }
  }
  /// What a second engine starts from that goes on behind the last step.
  EngineStart state() const {
    EngineStart To;
    for (const Thread &T : Threads)
      To.Tags.push_back(T.Tags);
    Slots.each([&](const Slot &E) {
      To.Places.push_back(
          {E.Kind == Slot::Return, E.Thread, E.When, E.Where, E.Cells, E.Tags});
    });
    return To;
  }

  void step(const Step &S) {
    ++Now;
    if (!RestoredHere.empty())
      RestoredHere.clear();
    Thread &T = Threads[S.Thread];
    if (!S.Executed)
      notExecuted(T, S);
    else if (S.isUnit())
      unit(T, S);
    else if (S.Code->isPlain())
      plain(T, S);
    else
      nodes(T, S);
    D.end(S);
    for (unsigned N = 0; N < S.Leaves; ++N)
      leave(S.Thread);
    for (unsigned N = 0; N < S.Enters; ++N) {
      D.enter(S);
      T.Frames.push_back({Now, {}});
    }
    if (D.wantsCompaction())
      compact();
  }

  /// Ends all activations that are open.
  void finish() {
    for (unsigned T = 0; T < Threads.size(); ++T)
      while (!Threads[T].Frames.empty())
        leave(T);
  }

  const SuppressionCounts &suppressed() const { return Counts; }
  size_t memoryBytes() const { return Memory.bytes(); }

private:
  using Tag = EngineStart::Tag;
  static constexpr Tag NoTag = Tag::NoTag, FrameTag = Tag::FrameTag,
                       ReturnTag = Tag::ReturnTag, EitherTag = Tag::EitherTag;
  using Slot = SaveSlot<Domain>;

  struct Frame {
    uint64_t Began = 0; ///< the last step before it
    llvm::SmallVector<uint32_t, 4> Saves;
  };
  struct Thread {
    std::vector<Stamp> Stamps;     ///< by cell
    std::vector<uint8_t> Tags;     ///< by cell
    std::vector<uint64_t> Written; ///< by cell: the step that wrote it
    std::vector<Frame> Frames;
  };

  bool onStack(const Thread &T, const Step &S, const NodeCode &N) const {
    return N.BaseSP || (N.BaseFP && (T.Tags[S.Code->FP] & FrameTag));
  }

  // What a node depends on.

  void readCell(Thread &T, typename Domain::Node &A, const Step &S, Cell C) {
    if (Stamp Of = T.Stamps[C]) {
      if constexpr (requires { D.reads(A, S, C, Of); })
        D.reads(A, S, C, Of);
      D.add(A, S, Of, {Storage::Register, Hazard::RAW});
    }
  }

  /// \p Skip: the cells whose value does not count.
  void readCells(Thread &T, typename Domain::Node &A, const Step &S,
                 llvm::ArrayRef<Cell> Cells, CellRef Skip = {}) {
    for (Cell C : Cells)
      if (!Skip.contains(C))
        readCell(T, A, S, C);
  }

  /// Whether that is a return address, and nothing else.
  bool readMemory(Thread &T, typename Domain::Node &A, const Step &S,
                  const NodeCode &N) {
    EdgeKind Kind{onStack(T, S, N) ? Storage::Stack : Storage::Memory,
                  Hazard::RAW};
    unsigned Parts = 0, Returns = 0;
    forEachPart(N.Load, S.Loads, [&](Range R) {
      ++Parts;
      if (O.Suppress && Slots.any(R)) {
        if (Slots.holdsReturn(R)) {
          ++Returns;
          return;
        }
        undo(R, /*Even Confirmed=*/true);
      }
      Memory.read(R, [&](Stamp Of) {
        if (!Of)
          return;
        if constexpr (requires { D.reads(A, S, R, Of); })
          D.reads(A, S, R, Of);
        D.add(A, S, Of, Kind);
      });
    });
    return Parts == 1 && Returns == 1;
  }

  /// Those that its writes have to wait for. \p Restored: cells that are not
  /// written but restored.
  void addHazards(Thread &T, typename Domain::Node &A, const Step &S,
                  const NodeCode &N, CellRef Restored) {
    {
      bool Waw = O.Modes.waw(Storage::Register),
           War = O.Modes.war(Storage::Register);
      if (Waw || War)
        for (Cell C : S.Code->writes(N)) {
          if (Restored.contains(C))
            continue;
          if (Waw && T.Stamps[C])
            D.add(A, S, T.Stamps[C], {Storage::Register, Hazard::WAW});
          if (War)
            readersOf(S, C).forEach(D, 1, [&](Stamp Of) {
              D.add(A, S, Of, {Storage::Register, Hazard::WAR});
            });
        }
      Storage Where = onStack(T, S, N) ? Storage::Stack : Storage::Memory;
      forEachPart(N.Store, S.Stores, [&](Range R) {
        auto Add = [&](Stamp Of, Hazard What) {
          if constexpr (requires { D.overwrites(A, S, R, Of, EdgeKind()); })
            D.overwrites(A, S, R, Of, {Where, What});
          else
            D.add(A, S, Of, {Where, What});
        };
        if (O.Modes.waw(Where)) {
          if (O.Suppress)
            undo(R, false);
          Memory.read(R, [&](Stamp Of) {
            if (Of)
              Add(Of, Hazard::WAW);
          });
        }
        if (O.Modes.war(Where))
          MemoryReaders.forEach(D, R, [&](Stamp Of) { Add(Of, Hazard::WAR); });
      });
    }
  }

  /// Whether \p N saves registers here: all of Moved as they were at the call.
  /// Not if it is one node with others (an interrupt came after it): these
  /// could not wait until the save turns out to be none.
  bool saves(const Thread &T, const Step &S, const NodeCode &N) const {
    if (!O.Suppress || S.isUnit() || !(N.Flags & NodeCode::Save) ||
        !onStack(T, S, N))
      return false;
    for (unsigned C = N.Moved.First; C < N.Moved.end(); ++C)
      if (T.Written[C] > T.Frames.back().Began || (T.Tags[C] & ReturnTag))
        return false;
    return !O.PlacesKnown || Slots.canBe(onePart(N.Store, S.Stores));
  }

  /// The save that \p N undoes, or null.
  const Slot *restores(const Thread &T, const Step &S, const NodeCode &N) {
    if (!O.Suppress || !(N.Flags & NodeCode::Restore) || !onStack(T, S, N))
      return nullptr;
    if (!O.PlacesKnown) {
      Unseen = {};
      Unseen.Cells = N.Moved;
      Unseen.Tags.fill(EitherTag);
      return &Unseen;
    }
    const Slot *E = Slots.find(onePart(N.Load, S.Loads));
    return E && E->Kind == Slot::Save && E->Thread == S.Thread &&
                   E->Depth == T.Frames.size() - 1 && E->Cells == N.Moved
               ? E
               : nullptr;
  }

  /// What was found out about a node when it read.
  struct Gathered {
    bool Saves = false;
    bool LoadsReturn = false;       ///< a return address, where one was stored
    const Slot *Restored = nullptr; ///< a copy, in RestoredHere
  };
  Gathered gather(Thread &T, typename Domain::Node &A, const Step &S,
                  const NodeCode &N) {
    Gathered G;
    if (const Slot *E = restores(T, S, N)) {
      RestoredHere.push_back(*E);
      G.Restored = &RestoredHere.back();
    }
    G.Saves = saves(T, S, N);
    readCells(T, A, S, S.Code->reads(N), G.Saves ? N.Moved : CellRef());
    if (!G.Restored && N.Load)
      G.LoadsReturn = readMemory(T, A, S, N);
    if (O.Modes.WAR | O.Modes.WAW)
      addHazards(T, A, S, N, G.Restored ? N.Moved : CellRef());
    return G;
  }

  /// It was a reader of what it reads.
  void noteReads(Thread &T, const Step &S, const NodeCode &N, Stamp Made,
                 const Gathered &G) {
    if (O.Modes.war(Storage::Register))
      for (Cell C : S.Code->reads(N))
        if (!(O.Suppress && T.Tags[C]) && !(G.Saves && N.Moved.contains(C)))
          readersOf(S, C).add(D, 1, Made);
    if ((O.Modes.WAR & 6) && N.Load && !G.Restored)
      forEachPart(N.Load, S.Loads,
                  [&](Range R) { MemoryReaders.add(D, R, Made); });
  }
  ReaderList<Stamp> &readersOf(const Step &S, Cell C) {
    return CellReaders[size_t(S.Thread) * O.Cells + C];
  }

  // What it leaves behind.

  void writeCell(Thread &T, unsigned Number, Cell C, Stamp Made, Tag As) {
    T.Stamps[C] = Made;
    T.Tags[C] = As;
    T.Written[C] = Now;
    if (O.Modes.war(Storage::Register))
      CellReaders[size_t(Number) * O.Cells + C].clear(1);
  }

  void leaveBehind(Thread &T, const Step &S, const NodeCode &N, Stamp Made,
                   const Gathered &G) {
    if ((N.Flags & NodeCode::System) && S.Enters)
      return;
    Tag As = NoTag;
    if ((N.Flags & NodeCode::WritesSP) || ((N.Flags & NodeCode::FrameCopy) &&
                                           (T.Tags[N.Source.First] & FrameTag)))
      As = FrameTag;
    else if ((N.Flags & NodeCode::ReturnsTo) && S.calls())
      As = ReturnTag;
    else if ((N.Flags & NodeCode::MovesReg) && tagged(T, N.Source))
      As = ReturnTag;
    else if ((N.Flags & NodeCode::MovesMemory) && N.Load && O.Suppress &&
             (O.PlacesKnown ? G.LoadsReturn : onStack(T, S, N)))
      As = ReturnTag;
    bool Structure = O.Suppress && As != NoTag;
    bool StoresReturn = As == ReturnTag && (N.Flags & NodeCode::ReturnsTo);
    if ((N.Flags & NodeCode::MovesMemory) && N.Store && tagged(T, N.Moved))
      StoresReturn = true;
    forEachPart(N.Store, S.Stores, [&](Range R) {
      if (O.Suppress)
        drop(R);
      Memory.write(R, Made);
      if (O.Modes.WAR & 6)
        MemoryReaders.clear(R);
    });
    if (G.Saves)
      save(T, S, N, Made);
    else if (O.Suppress && StoresReturn && N.Store)
      saveReturn(S, N);
    if (Structure)
      tell(*S.Code, S.When,
           As == ReturnTag                       ? Suppressed::ReturnAddress
           : (N.Flags & NodeCode::WritesSP) != 0 ? Suppressed::StackPointer
                                                 : Suppressed::FramePointer,
           S.Code->whole(N));
    for (Cell C : S.Code->writes(N)) {
      if (G.Restored && N.Moved.contains(C)) {
        unsigned K = C - N.Moved.First;
        writeCell(T, S.Thread, C, G.Restored->Stamps[K],
                  Tag(G.Restored->Tags[K]));
        T.Written[C] = G.Restored->Written[K];
        continue;
      }
      bool Filled = (N.Flags & (NodeCode::MovesReg | NodeCode::MovesMemory)) &&
                    !N.Moved.contains(C);
      writeCell(T, S.Thread, C, Structure && !Filled ? 0 : Made,
                Filled ? NoTag : As);
    }
    if (G.Restored) {
      if (Slot *E = Slots.find(G.Restored->Where))
        E->Confirmed = true;
      ++Counts.Restores;
      tell(*S.Code, S.When, Suppressed::Restore, N.Moved);
    }
  }

  bool tagged(const Thread &T, CellRef R) const {
    for (unsigned C = R.First; C < R.end(); ++C)
      if (!(T.Tags[C] & ReturnTag))
        return false;
    return R.Count != 0;
  }

  void tell(const StepCode &Code, Moment When, Suppressed What, CellRef Of) {
    if constexpr (requires { D.suppressed(Code, When, What, Of); })
      D.suppressed(Code, When, What, Of);
  }
  void countSave(const Slot &E) {
    ++Counts.Saves;
    tell(*E.Code, E.When, Suppressed::Save, E.Cells);
  }

  void save(Thread &T, const Step &S, const NodeCode &N, Stamp Made) {
    Slot E;
    E.Kind = Slot::Save;
    E.Code = S.Code;
    E.When = S.When;
    E.Where = onePart(N.Store, S.Stores);
    E.Thread = S.Thread;
    E.Depth = uint32_t(T.Frames.size() - 1);
    E.Cells = N.Moved;
    for (unsigned K = 0; K < N.Moved.Count; ++K) {
      Cell C = Cell(N.Moved.First + K);
      E.Stamps[K] = T.Stamps[C];
      E.Written[K] = T.Written[C];
      E.Tags[K] = T.Tags[C];
    }
    if (!O.PlacesKnown)
      return countSave(E);
    E.Stored = Made;
    E.Made = D.defer(S, Made, unsigned(&N - S.Code->Nodes.data()));
    T.Frames.back().Saves.push_back(Slots.insert(E));
  }
  void saveReturn(const Step &S, const NodeCode &N) {
    Range R = onePart(N.Store, S.Stores);
    if (!Slots.canBe(R))
      return;
    Slot E;
    E.Kind = Slot::Return;
    E.Thread = S.Thread;
    E.When = S.When;
    E.Where = R;
    Slots.insert(E);
    tell(*S.Code, S.When, Suppressed::ReturnAddress, N.Moved);
  }

  /// The saves in \p R were ordinary stores; \p Always: even if there was a
  /// restore.
  void undo(Range R, bool Always) {
    Slots.forEach(R, [&](Slot &E) {
      if (E.Kind != Slot::Save || (E.Confirmed && !Always))
        return false;
      if (E.Before)
        return true;
      Stamp Now = D.undefer(E.Made, E.Stored, E.Depth, E.Thread,
                            llvm::ArrayRef(E.Stamps.data(), E.Cells.Count));
      Memory.write(E.Where, Now);
      ++Counts.Undone;
      return true;
    });
  }
  /// \p R is about to be overwritten.
  void drop(Range R) {
    if (!Slots.any(R))
      return;
    undo(R, false);
    Slots.forEach(R, [&](Slot &E) {
      if (E.Confirmed && !E.Before)
        countSave(E);
      return true;
    });
  }

  /// The saves of the innermost activation are over.
  void settle(unsigned Number) {
    Thread &T = Threads[Number];
    for (uint32_t Id : T.Frames.back().Saves)
      if (Slot *E = Slots.at(Id, T.Frames.size() - 1, Number)) {
        Range R = E->Where;
        if (!E->Confirmed)
          undo(R, false);
        else
          countSave(*E);
        Slots.erase(R);
      }
    T.Frames.back().Saves.clear();
  }

  void leave(unsigned Number) {
    Thread &T = Threads[Number];
    settle(Number);
    T.Frames.pop_back();
    D.leave(Number);
  }

  // The shapes of steps.

  void notExecuted(Thread &T, const Step &S) {
    typename Domain::Node A = D.begin(S);
    readCells(T, A, S, S.Code->Predicate);
    Stamp Made = D.finish(A, S, nullptr, false);
    if (O.Modes.war(Storage::Register))
      for (Cell C : S.Code->Predicate)
        readersOf(S, C).add(D, 1, Made);
    if (S.Code->Branch)
      D.branched(S, Made);
  }

  void unit(Thread &T, const Step &S) {
    typename Domain::Node A = D.begin(S);
    llvm::SmallVector<Gathered, 4> Found;
    for (const NodeCode &N : S.Code->Nodes)
      Found.push_back(gather(T, A, S, N));
    if (S.Returns) {
      // It waits for all stores of its activation: what they are is known now.
      for (const Gathered &G : Found)
        if (G.Restored)
          if (Slot *E = Slots.find(G.Restored->Where))
            E->Confirmed = true;
      settle(S.Thread);
    }
    Stamp Made = D.finish(A, S, nullptr, false);
    commit(T, S, Found, [&](size_t) { return Made; });
    if (S.Code->Branch)
      D.branched(S, Made);
  }

  /// As nodes(), of the most frequent shape.
  void plain(Thread &T, const Step &S) {
    const NodeCode &N = S.Code->Nodes.front();
    typename Domain::Node A = D.begin(S);
    readCells(T, A, S, S.Code->reads(N));
    if (O.Modes.WAR | O.Modes.WAW)
      addHazards(T, A, S, N, {});
    Stamp Made = D.finish(A, S, &N, onStack(T, S, N));
    if (S.Code->Branch)
      D.branched(S, Made);
    if (O.Modes.WAR)
      noteReads(T, S, N, Made, {});
    for (Cell C : S.Code->writes(N))
      writeCell(T, S.Thread, C, Made, NoTag);
  }

  void nodes(Thread &T, const Step &S) {
    llvm::SmallVector<Gathered, 4> Found;
    llvm::SmallVector<Stamp, 4> Stamps;
    for (const NodeCode &N : S.Code->Nodes) {
      typename Domain::Node A = D.begin(S);
      Found.push_back(gather(T, A, S, N));
      Stamps.push_back(D.finish(A, S, &N, onStack(T, S, N)));
    }
    if (S.Code->Branch)
      for (size_t K = 0; K < Stamps.size(); ++K)
        if (Stamps.size() == 1 || (S.Code->Nodes[K].Flags & NodeCode::Flow))
          D.branched(S, Stamps[K]);
    commit(T, S, Found, [&](size_t K) { return Stamps[K]; });
  }

  /// All reads first, then all writes.
  template <typename StampOf>
  void commit(Thread &T, const Step &S, llvm::ArrayRef<Gathered> Found,
              StampOf Of) {
    llvm::ArrayRef<NodeCode> Nodes = S.Code->Nodes;
    if (O.Modes.WAR)
      for (size_t K = 0; K < Nodes.size(); ++K)
        noteReads(T, S, Nodes[K], Of(K), Found[K]);
    for (size_t K = 0; K < Nodes.size(); ++K)
      leaveBehind(T, S, Nodes[K], Of(K), Found[K]);
  }

  void compact() {
    D.compact([&](auto Rewrite) {
      for (Thread &T : Threads)
        for (Stamp &S : T.Stamps)
          S = Rewrite(S);
      for (auto &L : CellReaders)
        L.rewrite(Rewrite);
      Memory.rewrite(Rewrite);
      MemoryReaders.rewrite(Rewrite);
      Slots.rewrite(Rewrite);
    });
  }

  const EngineOptions O;
  Domain &D;
  uint64_t Now = 0;
  std::vector<Thread> Threads;
  Granules<Stamp> Memory;
  std::vector<ReaderList<Stamp>> CellReaders;
  Readers<Stamp> MemoryReaders;
  SaveSlots<Domain> Slots;
  SuppressionCounts Counts;
  std::deque<Slot> RestoredHere; ///< by the step: as they were when it read
  Slot Unseen;                   ///< what is restored from nobody knows where
};

} // namespace rw::dataflow

#endif // REWIND_DATAFLOW_ENGINE_H
