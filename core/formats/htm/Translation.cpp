//===- Translation.cpp - Address translation in a dump --------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/htm/Translation.h"
#include "core/support/Golden.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

using namespace llvm;

namespace rw::htm {

namespace {
using Key = std::pair<uint64_t, uint64_t>;

constexpr unsigned ProcessTable = 7;
constexpr uint64_t ExceptionBit = uint64_t(1) << 62;

/// The index into a radix table: bits [Low, Low + Width) of the address.
struct Geometry {
  unsigned Low, Width;
  constexpr unsigned high() const { return Low + Width; }
  constexpr uint64_t offset(uint64_t Addr) const {
    return ((Addr >> Low) & ((uint64_t(1) << Width) - 1)) * 8;
  }
  constexpr uint64_t tableMask() const { return (uint64_t(8) << Width) - 1; }
};
/// Geometry of the tables of level 6, 4, 2, 0; level 0 has two, by page size.
constexpr Geometry geometry(unsigned Level, bool Pages64K = false) {
  switch (Level) {
  case 6:
    return {39, 13};
  case 4:
    return {30, 9};
  case 2:
    return {21, 9};
  default:
    return Pages64K ? Geometry{16, 5} : Geometry{12, 9};
  }
}
constexpr unsigned leafShift(unsigned Level) {
  return Level == 0 ? 12 : geometry(Level).Low;
}
/// Tables are aligned to their size, so an entry's place in its table is known.
bool entryFits(uint64_t Entry, unsigned Level, uint64_t Addr,
               bool Pages64K = false) {
  Geometry G = geometry(Level, Pages64K);
  return (Entry & G.tableMask()) == G.offset(Addr);
}

/// A map that forgets everything when it is full: the hardware's caches are
/// far smaller, so what it still relies on has been seen again since.
template <typename V> class BoundedMap {
public:
  explicit BoundedMap(unsigned Limit) : Limit(Limit) {}
  void set(Key K, V Value) {
    if (Map.size() >= Limit)
      Map.clear();
    Map[K] = Value;
  }
  const V *get(Key K) const {
    auto It = Map.find(K);
    return It == Map.end() ? nullptr : &It->second;
  }

private:
  DenseMap<Key, V> Map;
  unsigned Limit;
};

/// How the accesses of an instruction are translated.
enum class Mode : uint8_t { Guest, GuestReal, Host, Real, Unknown };
enum class Side : bool { Insn, Data };
Mode modeOf(const Instruction &I, uint16_t Relocation) {
  if (!I.has(Instruction::MsrKnown))
    return Mode::Unknown;
  if (I.Msr & MsrHV)
    return I.Msr & Relocation ? Mode::Host : Mode::Real;
  return I.Msr & Relocation ? Mode::Guest : Mode::GuestReal;
}

constexpr unsigned PageShifts[] = {30, 21, 16, 12};

/// A guest's entry (or the access itself) with the host entries that lead to
/// its host-real address.
struct Step {
  std::optional<uint64_t> Guest, Host;
  std::optional<unsigned> Level; ///< of the guest's entry; none: the access
  bool Final = false;
  unsigned GuestShift = 0, HostShift = 0; ///< of a final one
  SmallVector<std::pair<unsigned, uint64_t>, 4> HostEntries;
};

struct Table {
  uint64_t Base = 0;
  bool Pages64K = false; ///< level 0 only
  bool operator==(const Table &) const = default;
};

/// The last entry of a walk tells the real address that it found.
bool finalMatches(const Walk &W, uint64_t RA) {
  uint64_t Last = W.Entry[W.Size - 1];
  if (!walk::isFinal(Last) || !walk::isHost(Last))
    return false;
  uint64_t Found = walk::address(Last);
  if (Found >> 12 == RA >> 12)
    return true;
  // Some cores report the page's beginning instead.
  unsigned Shift = walk::pageShift(Last);
  return Shift && (Found & ((uint64_t(1) << Shift) - 1)) == 0 &&
         Found >> Shift == RA >> Shift;
}
bool matchesExactly(const Walk &W, uint64_t RA) {
  uint64_t Last = W.Entry[W.Size - 1];
  return walk::isFinal(Last) && walk::isHost(Last) &&
         walk::address(Last) >> 12 == RA >> 12;
}
} // namespace

struct Translator::Impl {
  explicit Impl(Statistics &Stats) : Stats(Stats) {}
  Statistics &Stats;

  // Walks that wait for their access.
  SmallVector<Walk, 4> PendingI, PendingD;
  static constexpr size_t MaxPending = 8;

  // Walks that were interrupted; a ring.
  struct Saved {
    Walk W;
    bool Used = false;
  };
  static constexpr uint32_t MaxSaved = 1024;
  std::vector<Saved> SavedWalks;
  uint32_t NextSaved = 0;
  /// By context, side and last entry; different walks may end alike.
  DenseMap<Key, SmallVector<uint32_t, 2>> SavedByLast;
  DenseMap<Key, uint32_t> SavedByFinal; ///< (kind and shift, page)

  // What was learnt from walks.
  BoundedMap<Table> ProcessTables{1 << 18}; ///< by context, level, EA
  BoundedMap<Table> HostTables{1 << 18};    ///< by LPID, level, guest-real
  struct Mapping {
    uint64_t Host;
    unsigned Shift;
  };
  BoundedMap<Mapping> GuestPages{1 << 18}; ///< by LPID, guest-real page
  BoundedMap<uint64_t> HostPages{1 << 18}; ///< the other way round

  // Translations that are in use: a ring, found by pages.
  struct Entry {
    RadixWalk W;
    Key Where;
    uint32_t Id = 0;
  };
  static constexpr uint32_t MaxEntries = 1 << 16;
  std::vector<Entry> Ring;
  uint32_t LastId = 0;
  DenseMap<Key, uint32_t> ByPage;
  /// What was found for a page, or that nothing was.
  struct Found {
    uint32_t Id = 0;
    uint8_t Shift = 0; ///< of the page
  };
  struct Recent {
    uint64_t EA = NoAddress, RA = 0; ///< pages of 4K
    uint64_t Age = 0;
    Found What;
    Side Of = Side::Insn; ///< if nothing was found
    Mode M = Mode::Unknown;
  };
  static constexpr unsigned NumRecent = 4096;
  std::vector<Recent> RecentPages = std::vector<Recent>(NumRecent);
  // Change when there is a new translation; and when something may be found
  // that was not before.
  uint64_t Translations = 1, Hopes = 0;

  // POWER10: the line that is being executed.
  uint64_t LineRA = NoAddress;
  bool LinePending = false;
  Found Line;

  struct P8Page {
    uint64_t RealPage, Age;
  };
  BoundedMap<P8Page> P8Pages{1 << 16}; ///< by shift, EA page
  uint64_t P8Age = 0;

  bool lookUp(const CodeBlock &B, MutableArrayRef<DataPlace> Data,
              SmallVectorImpl<RealAddress> &Lines);

  static Key tableKey(uint64_t Context, unsigned Level, uint64_t Addr,
                      bool Pages64K = false) {
    unsigned High = geometry(Level, Pages64K).high();
    return {Context << 8 | Level, Addr >> High};
  }
  static Key pageKey(unsigned Shift, uint64_t EA, uint64_t RA) {
    return {EA >> Shift << 6 | Shift, RA >> Shift};
  }

  const RadixWalk *find(uint32_t Id) const {
    if (!Id)
      return nullptr;
    const Entry &E = Ring[(Id - 1) % MaxEntries];
    return E.Id == Id ? &E.W : nullptr;
  }

  //===--------------------------------------------------------------------===//
  // Interrupted walks

  static Key finalKey(const Walk &W, bool Guest, unsigned Shift, uint64_t RA) {
    return {uint64_t(Shift) | uint64_t(Guest) << 8 | uint64_t(W.isData()) << 9,
            RA >> Shift};
  }
  template <typename Fn> static void forKeys(const Walk &W, Fn &&F) {
    uint64_t Last = W.Entry[W.Size - 1];
    if (!walk::isFinal(Last))
      return;
    F(finalKey(W, !walk::isHost(Last), 12, walk::address(Last)));
    unsigned Shift = walk::pageShift(Last);
    uint64_t Low = Shift ? (uint64_t(1) << Shift) - 1 : 0;
    if (Shift > 12 && (walk::address(Last) & Low) == 0)
      F(finalKey(W, !walk::isHost(Last), Shift, walk::address(Last)));
  }

  void forget(uint32_t N) {
    Saved &S = SavedWalks[N];
    if (!S.Used)
      return;
    S.Used = false;
    auto Last = SavedByLast.find(lastKey(S.W, S.W.Entry[S.W.Size - 1]));
    erase(Last->second, N);
    if (Last->second.empty())
      SavedByLast.erase(Last);
    forKeys(S.W, [&](Key K) {
      auto It = SavedByFinal.find(K);
      if (It != SavedByFinal.end() && It->second == N)
        SavedByFinal.erase(It);
    });
  }

  static Key lastKey(const Walk &W, uint64_t Entry) {
    return {W.context() | uint64_t(W.isData()) << 32, Entry & ~ExceptionBit};
  }

  void save(const Walk &W) {
    ++Hopes;
    if (SavedWalks.size() < MaxSaved)
      SavedWalks.emplace_back();
    uint32_t N = NextSaved;
    NextSaved = (NextSaved + 1) % MaxSaved;
    forget(N);
    SavedWalks[N] = {W, true};
    SavedByLast[lastKey(W, W.Entry[W.Size - 1])].push_back(N);
    forKeys(W, [&](Key K) { SavedByFinal[K] = N; });
  }

  void pend(SmallVectorImpl<Walk> &List, const Walk &W) {
    if (List.size() == MaxPending) {
      save(List.front());
      List.erase(List.begin());
    }
    List.push_back(W);
  }
  void saveAll(SmallVectorImpl<Walk> &List) {
    for (const Walk &W : List)
      save(W);
    List.clear();
  }

  /// Puts what an interrupted walk had before \p W in front of it: the new walk
  /// begins with some of the last entries of the old one. Host entries are much
  /// alike, so there may be several such; \p Try is called with the latest
  /// first until it returns true. Returns the walk that was taken.
  std::optional<uint32_t> join(const Walk &W,
                               function_ref<bool(const Walk &)> Try) {
    auto same = [](uint64_t A, uint64_t B) {
      return ((A ^ B) & ~ExceptionBit) == 0;
    };
    for (unsigned K = 0; K < W.Size && !SavedByLast.empty(); ++K) {
      auto It = SavedByLast.find(lastKey(W, W.Entry[K]));
      if (It == SavedByLast.end())
        continue;
      for (uint32_t N : reverse(It->second)) {
        const Walk &Old = SavedWalks[N].W;
        if (Old.Size < K + 2)
          continue; // it adds nothing
        unsigned At = Old.Size - 1 - K;
        bool Matches = At + W.Size <= walk::MaxEntries;
        for (unsigned L = 0; L < K; ++L)
          Matches &= same(Old.Entry[At + L], W.Entry[L]);
        if (!Matches)
          continue;
        Walk J;
        J.Header = W.Header;
        for (; J.Size < At && !walk::isException(Old.Entry[J.Size]); ++J.Size)
          J.Entry[J.Size] = Old.Entry[J.Size];
        for (uint64_t E : W.entries())
          J.Entry[J.Size++] = E;
        if (Try(J))
          return N;
      }
    }
    return std::nullopt;
  }

  //===--------------------------------------------------------------------===//
  // From entries to a whole walk

  static void split(const Walk &W, SmallVectorImpl<Step> &Steps) {
    bool Open = false;
    auto open = [&]() -> Step & {
      if (!Open)
        Steps.emplace_back();
      Open = true;
      return Steps.back();
    };
    for (uint64_t E : W.entries()) {
      uint64_t Addr = walk::address(E);
      unsigned Level = walk::level(E);
      if (walk::isFinal(E)) {
        if (!walk::isHost(E)) {
          Open = false;
          Step &S = open();
          S.Final = true;
          S.Guest = Addr;
          S.GuestShift = walk::pageShift(E);
          continue;
        }
        Step &S = open();
        S.Final = true;
        S.Host = Addr;
        S.HostShift = walk::pageShift(E);
        Open = false;
      } else if (walk::isGuest(E) && walk::isHost(E)) {
        Step &S = open();
        S.Level = Level;
        S.Host = Addr;
        Open = false;
      } else if (walk::isGuest(E)) {
        Open = false;
        Step &S = open();
        S.Level = Level;
        S.Guest = Addr;
      } else if (walk::isHost(E) && Level != ProcessTable) {
        open().HostEntries.push_back({Level, Addr});
      }
    }
  }

  /// Host entries for \p Addr, down to the leaf of a page of \p Shift: what the
  /// walk has, and the caches above it. Returns the depth, 0 if one is missing.
  unsigned hostEntries(BoundedMap<Table> &Tables, uint64_t Context,
                       uint64_t Addr,
                       ArrayRef<std::pair<unsigned, uint64_t>> Known,
                       unsigned Shift, uint64_t *Out) {
    unsigned Leaf = Shift >= 30 ? 4 : Shift >= 21 ? 2 : 0;
    unsigned Depth = 0;
    for (int Level = 6; Level >= int(Leaf); Level -= 2) {
      auto It =
          find_if(Known, [&](auto &E) { return E.first == unsigned(Level); });
      if (It != Known.end()) {
        bool Pages64K = Level == 0 && Shift == 16;
        if (!entryFits(It->second, unsigned(Level), Addr, Pages64K))
          return 0;
        Out[Depth++] = It->second;
        Geometry G = geometry(unsigned(Level), Pages64K);
        Table T{It->second & ~G.tableMask(), Pages64K};
        Tables.set(tableKey(Context, unsigned(Level), Addr, Pages64K), T);
        continue;
      }
      const Table *T = Tables.get(tableKey(Context, unsigned(Level), Addr));
      if (!T)
        return 0;
      Out[Depth++] =
          T->Base + geometry(unsigned(Level), T->Pages64K).offset(Addr);
    }
    return Depth;
  }

  std::optional<Mapping> guestPage(uint64_t Lpid, uint64_t Guest) const {
    for (unsigned Shift : PageShifts)
      if (const Mapping *M =
              GuestPages.get({Lpid << 8 | Shift, Guest >> Shift}))
        return *M;
    return std::nullopt;
  }
  void learnPage(uint64_t Lpid, uint64_t Guest, uint64_t Host, unsigned Shift) {
    GuestPages.set({Lpid << 8 | Shift, Guest >> Shift},
                   {Host >> Shift << Shift, Shift});
    HostPages.set({Lpid << 8 | Shift, Host >> Shift}, Guest >> Shift << Shift);
  }
  std::optional<uint64_t> guestOf(uint64_t Lpid, uint64_t Host) const {
    for (unsigned Shift : PageShifts)
      if (const uint64_t *G = HostPages.get({Lpid << 8 | Shift, Host >> Shift}))
        return *G | (Host & ((uint64_t(1) << Shift) - 1));
    return std::nullopt;
  }

  /// Host side of a step whose guest-real address is known.
  bool host(Step &S, uint64_t Lpid, uint64_t Guest, uint64_t *Out,
            unsigned &Depth, uint64_t &HostAddr) {
    std::optional<Mapping> M = guestPage(Lpid, Guest);
    unsigned Shift = 0;
    if (S.Final && S.HostShift)
      Shift = S.HostShift;
    else if (!S.HostEntries.empty()) {
      unsigned Level = S.HostEntries.back().first;
      Shift = leafShift(Level);
      // A table of 64K pages has 32 entries; only the place in it can tell.
      if (Level == 0 && !entryFits(S.HostEntries.back().second, 0, Guest))
        Shift = 16;
    } else if (M)
      Shift = M->Shift;
    if (!Shift)
      return false;
    if (S.Host)
      HostAddr = *S.Host;
    else if (M)
      HostAddr = M->Host | (Guest & ((uint64_t(1) << M->Shift) - 1));
    else
      return false;
    Depth = hostEntries(HostTables, Lpid, Guest, S.HostEntries, Shift, Out);
    if (S.Host)
      learnPage(Lpid, Guest, HostAddr, Shift);
    return Depth != 0;
  }

  std::optional<RadixWalk> nested(const Walk &W, uint64_t EA, uint64_t RA) {
    SmallVector<Step, 8> Steps;
    split(W, Steps);
    uint64_t Context = W.context(), Lpid = Context >> 20;
    // Guest tables of the two halves of the address space are different trees.
    uint64_t Tree = Context | (EA >> 62) << 32;

    Step *Last = nullptr, *ByLevel[7] = {};
    int Leaf = -1;
    for (Step &S : Steps) {
      if (S.Final)
        Last = &S;
      else if (S.Level && *S.Level < ProcessTable && *S.Level % 2 == 0) {
        ByLevel[*S.Level] = &S;
        Leaf = int(*S.Level);
      }
    }
    Step Implied;
    if (!Last) {
      // The final address was sent before the interruption, or not at all: the
      // access itself has it.
      Implied.Final = true;
      if (!Steps.empty() && !Steps.back().Level)
        Implied = Steps.back();
      Implied.Final = true;
      Last = &Implied;
    }
    if (!Last->Host)
      Last->Host = RA;

    // Page size and leaf of the guest.
    unsigned GuestShift = Last->GuestShift;
    if (Leaf < 0 && GuestShift)
      Leaf = GuestShift >= 30 ? 4 : GuestShift >= 21 ? 2 : 0;
    if (Leaf < 0) {
      // Only the host part was walked. The lowest table that is known leads to
      // the page.
      for (unsigned Level : {0, 2})
        if (Leaf < 0 && ProcessTables.get(tableKey(Tree, Level, EA)))
          Leaf = int(Level);
      if (Leaf < 0)
        return std::nullopt;
    }
    if (!GuestShift && Leaf == 0) {
      const Table *T = ProcessTables.get(tableKey(Tree, 0, EA));
      GuestShift = T && T->Pages64K ? 16 : 12;
    } else if (!GuestShift) {
      GuestShift = leafShift(unsigned(Leaf));
    }
    bool Pages64K = GuestShift == 16;

    RadixWalk R;
    R.GuestShift = uint8_t(GuestShift);
    unsigned N = 0;
    for (int Level = 6; Level >= Leaf; Level -= 2, ++N) {
      Step None;
      Step &S = ByLevel[Level] ? *ByLevel[Level] : None;
      Geometry G = geometry(unsigned(Level), Pages64K);
      Key K = tableKey(Tree, unsigned(Level), EA, Pages64K && Level == 0);
      uint64_t Guest;
      if (S.Guest) {
        Guest = *S.Guest;
      } else if (const Table *T = ProcessTables.get(K)) {
        Guest = T->Base + G.offset(EA);
      } else if (std::optional<uint64_t> From =
                     S.Host ? guestOf(Lpid, *S.Host) : std::nullopt) {
        Guest = *From;
      } else {
        return std::nullopt;
      }
      if (!entryFits(Guest, unsigned(Level), EA, Pages64K))
        return std::nullopt;
      ProcessTables.set(K, {Guest & ~G.tableMask(), Pages64K && Level == 0});
      unsigned Depth = 0;
      if (!host(S, Lpid, Guest, R.HostPte[N], Depth, R.HostReal[N]))
        return std::nullopt;
      R.GuestReal[N] = Guest;
      R.NumPtes = std::max(R.NumPtes, uint8_t(Depth));
    }
    // The access itself.
    uint64_t Guest;
    if (Last->Guest)
      Guest = *Last->Guest;
    else if (std::optional<uint64_t> From = guestOf(Lpid, RA))
      Guest = *From;
    else
      return std::nullopt;
    // The guest's page may be larger than the host's, and what was told of it
    // only its beginning.
    const uint64_t InPage = (uint64_t(1) << GuestShift) - 1;
    unsigned Depth = 0;
    uint64_t HostAddr;
    if (!host(*Last, Lpid, (Guest & ~InPage) | (EA & InPage), R.HostPte[N],
              Depth, HostAddr))
      return std::nullopt;
    R.GuestReal[N] = Guest;
    R.NumPtes = std::max(R.NumPtes, uint8_t(Depth));
    R.NumWalks = uint8_t(N + 1);
    R.HostShift = uint8_t(Last->HostShift);
    if (!R.HostShift)
      if (std::optional<Mapping> M = guestPage(Lpid, Guest))
        R.HostShift = uint8_t(M->Shift);
    return R;
  }

  std::optional<RadixWalk> single(const Walk &W, uint64_t EA,
                                  RadixWalk::Kind K) {
    SmallVector<Step, 8> Steps;
    split(W, Steps);
    if (Steps.empty() || !Steps.back().Final || !Steps.back().HostShift)
      return std::nullopt;
    Step &S = Steps.back();
    RadixWalk R;
    R.K = K;
    R.NumWalks = 1;
    R.HostShift = uint8_t(S.HostShift);
    bool Bare = K == RadixWalk::Kind::Host;
    // A guest without relocation ignores the top bits of its addresses.
    uint64_t Addr = Bare ? EA : EA & 0x0fffffffffffffff;
    uint64_t Tree = Bare ? uint64_t(W.context()) | (EA >> 62) << 32
                         : uint64_t(W.context()) >> 20;
    unsigned Depth = hostEntries(Bare ? ProcessTables : HostTables, Tree, Addr,
                                 S.HostEntries, S.HostShift, R.HostPte[0]);
    R.NumPtes = uint8_t(Depth);
    R.GuestReal[0] = Bare ? 0 : Addr;
    if (!Depth)
      return std::nullopt;
    return R;
  }

  std::optional<RadixWalk> complete(const Walk &W, uint64_t EA, uint64_t RA,
                                    Mode M) {
    ++Hopes;
    switch (M) {
    case Mode::Guest:
      return nested(W, EA, RA);
    case Mode::GuestReal:
      return single(W, EA, RadixWalk::Kind::GuestReal);
    case Mode::Host:
      return single(W, EA, RadixWalk::Kind::Host);
    case Mode::Unknown: {
      // The MSR was lost. Only a guest's walk has guest entries.
      bool Guest = any_of(W.entries(), [](uint64_t E) {
        return walk::isGuest(E) && !walk::isHost(E) &&
               walk::level(E) != ProcessTable;
      });
      return complete(W, EA, RA, Guest ? Mode::Guest : Mode::Host);
    }
    case Mode::Real:
      break;
    }
    return std::nullopt;
  }

  /// What is left of a walk that cannot be completed: the page size.
  static std::optional<RadixWalk> pageOnly(const Walk &W, Mode M) {
    uint64_t Last = W.Entry[W.Size - 1];
    if (!walk::isFinal(Last) || !walk::isHost(Last) || !walk::pageShift(Last))
      return std::nullopt;
    RadixWalk R;
    R.K = M == Mode::GuestReal ? RadixWalk::Kind::GuestReal
          : M == Mode::Guest   ? RadixWalk::Kind::Nested
                               : RadixWalk::Kind::Host;
    R.HostShift = uint8_t(walk::pageShift(Last));
    return R;
  }

  //===--------------------------------------------------------------------===//
  // Accesses

  uint32_t remember(const RadixWalk &W, uint64_t EA, uint64_t RA) {
    unsigned Shift = W.HostShift;
    if (W.GuestShift && W.GuestShift < Shift)
      Shift = W.GuestShift;
    if (!Shift)
      Shift = 12;
    Key K = pageKey(Shift, EA, RA);
    auto [It, New] = ByPage.try_emplace(K, 0);
    // What is known of a walk is not given up for less. Another one has another
    // number: what was before keeps the old one.
    if (!New && (!W.NumPtes || *find(It->second) == W))
      return It->second;
    ++Translations;
    uint32_t Id = ++LastId ? LastId : ++LastId;
    It->second = Id;
    size_t Place = (Id - 1) % MaxEntries;
    if (Place >= Ring.size())
      Ring.resize(Place + 1);
    Entry &E = Ring[Place];
    if (E.Id) {
      auto Old = ByPage.find(E.Where);
      if (Old != ByPage.end() && Old->second == E.Id)
        ByPage.erase(Old);
    }
    E.W = W;
    E.Where = K;
    E.Id = Id;
    return Id;
  }

  Recent &recent(uint64_t EA) {
    return RecentPages[(golden(EA >> 12) >> 40) % NumRecent];
  }
  void note(uint64_t EA, uint64_t RA, Found What, Side Of, Mode M) {
    const uint64_t Age = Translations + (What.Id ? 0 : Hopes);
    recent(EA) = {EA >> 12, RA >> 12, Age, What, Of, M};
  }

  /// What is known of an access for which no walk waits. None: it must be
  /// looked for.
  std::optional<Found> known(uint64_t EA, uint64_t RA, Side Of, Mode M) {
    const Recent &R = recent(EA);
    if (LLVM_UNLIKELY(R.EA != EA >> 12 || R.RA != RA >> 12))
      return std::nullopt;
    const bool Good =
        R.What.Id ? R.Age == Translations
                  : R.Age == Translations + Hopes && R.Of == Of && R.M == M;
    if (LLVM_UNLIKELY(!Good))
      return std::nullopt;
    return R.What;
  }

  uint32_t lookup(uint64_t EA, uint64_t RA) const {
    for (unsigned Shift : PageShifts) {
      auto It = ByPage.find(pageKey(Shift, EA, RA));
      if (It != ByPage.end())
        return It->second;
    }
    return 0;
  }

  /// The walk of an access, from what waits for it, what was interrupted, or
  /// what was used before.
  Found translate(SmallVectorImpl<Walk> &Pending, uint64_t EA, uint64_t RA,
                  Side Of, Mode M) {
    if (!Pending.empty()) {
      auto It = find_if(Pending,
                        [&](const Walk &W) { return matchesExactly(W, RA); });
      if (It == Pending.end())
        It = find_if(Pending,
                     [&](const Walk &W) { return finalMatches(W, RA); });
      if (It != Pending.end()) {
        Walk W = *It;
        Pending.erase(It);
        std::optional<RadixWalk> R;
        if (std::optional<uint32_t> Old = join(W, [&](const Walk &J) {
              R = complete(J, EA, RA, M);
              return R.has_value();
            })) {
          ++Stats.Joined;
          forget(*Old);
        }
        if (!R)
          R = complete(W, EA, RA, M);
        if (R)
          return found(remember(*R, EA, RA));
        ++Stats.Lost;
        if ((R = pageOnly(W, M)))
          return found(remember(*R, EA, RA));
      }
    }
    if (std::optional<Found> F = known(EA, RA, Of, M)) {
      Stats.NotFound += !F->Id;
      return *F;
    }
    uint32_t Id = lookup(EA, RA);
    if (!Id)
      Id = resumed(EA, RA, Of, M);
    Stats.NotFound += !Id;
    note(EA, RA, found(Id), Of, M);
    return found(Id);
  }
  Found found(uint32_t Id) const {
    const RadixWalk *W = find(Id);
    return {Id, W ? W->HostShift : uint8_t(0)};
  }

  /// Case 3 of an interrupted walk: it was complete, and is not sent again.
  uint32_t resumed(uint64_t EA, uint64_t RA, Side Of, Mode M) {
    if (SavedByFinal.empty())
      return 0;
    auto Try = [&](bool Guest, unsigned Shift, uint64_t Addr) -> uint32_t {
      auto It = SavedByFinal.find(
          {uint64_t(Shift) | uint64_t(Guest) << 8 | uint64_t(Of) << 9,
           Addr >> Shift});
      if (It == SavedByFinal.end())
        return 0;
      uint32_t N = It->second;
      Walk W = SavedWalks[N].W;
      std::optional<RadixWalk> R = complete(W, EA, RA, M);
      if (!R)
        return 0;
      ++Stats.Resumed;
      forget(N);
      return remember(*R, EA, RA);
    };
    for (unsigned Shift : {12u, 16u, 21u, 30u})
      if (uint32_t Id = Try(false, Shift, RA))
        return Id;
    // Only the guest-real address was sent: of kernel addresses it is known.
    if (M == Mode::Guest && EA >> 62 == 3) {
      uint64_t Guest = EA & ~uint64_t(0xC00000000000000F);
      for (unsigned Shift : {12u, 16u, 21u, 30u})
        if (uint32_t Id = Try(true, Shift, Guest))
          return Id;
    }
    return 0;
  }
};

Translator::Translator() : I(std::make_unique<Impl>(Stats)) {}
Translator::~Translator() = default;

const RadixWalk *Translator::find(uint32_t Id) const { return I->find(Id); }

void Translator::walk(const Walk &W) {
  I->pend(W.isData() ? I->PendingD : I->PendingI, W);
}

void Translator::line(uint64_t RA) {
  // Walks for data belong to an instruction that did not complete.
  I->saveAll(I->PendingD);
  I->LineRA = RA;
  // Whether it is translated at all, the next instruction's MSR tells.
  I->LinePending = true;
  I->Line = {};
}

void Translator::gap() {
  I->saveAll(I->PendingD);
  I->saveAll(I->PendingI);
  I->LinePending = false;
  I->LineRA = NoAddress;
  I->Line = {};
}

void Translator::instruction(Instruction &In) {
  Impl &T = *I;
  if (LLVM_UNLIKELY(T.LinePending)) {
    T.LinePending = false;
    Mode M = modeOf(In, MsrIR);
    if (T.LineRA != NoAddress && M != Mode::Real)
      T.Line = T.translate(T.PendingI, In.EA, In.RA, Side::Insn, M);
    T.saveAll(T.PendingI);
  }
  In.Walk = T.Line.Id;
  In.PageShift = T.Line.Shift;
  Mode M = modeOf(In, MsrDR);
  for (unsigned N = 0; N < In.NumData && M != Mode::Real; ++N) {
    if (In.DataRA[N] == NoAddress)
      continue;
    Impl::Found F =
        T.translate(T.PendingD, In.Data[N], In.DataRA[N], Side::Data, M);
    In.DataWalk[N] = F.Id;
    In.DataPageShift[N] = F.Shift;
  }
  if (LLVM_UNLIKELY(!T.PendingD.empty()))
    T.saveAll(T.PendingD);
}

/// Most executions need nothing but what is known. False if this one does, or
/// perhaps: then nothing has happened.
inline bool Translator::Impl::lookUp(const CodeBlock &B,
                                     MutableArrayRef<DataPlace> Data,
                                     SmallVectorImpl<RealAddress> &Lines) {
  if (!PendingI.empty() || !PendingD.empty() || LinePending)
    return false;
  const size_t Before = Lines.size();
  uint64_t NotFound = 0;
  Found Now = Line;
  for (uint8_t First : B.lines()) {
    const Instruction &In = B.Insns[First];
    if (First || B.OwnAddress) {
      const Mode M = modeOf(In, MsrIR);
      Now = Found();
      if (In.RA != NoAddress && M != Mode::Real) {
        std::optional<Found> F = known(In.EA, In.RA, Side::Insn, M);
        if (LLVM_UNLIKELY(!F)) {
          Lines.truncate(Before);
          return false;
        }
        Now = *F;
        NotFound += !F->Id;
      }
    }
    Lines.push_back({In.RA, Now.Id, Now.Shift});
  }
  // All instructions of a block have the same MSR.
  const Mode M = modeOf(*B.Insns, MsrDR);
  for (unsigned N = 0; N < B.NumData && M != Mode::Real; ++N) {
    DataPlace &D = Data[N];
    std::optional<Found> F = known(D.EA, D.RA, Side::Data, M);
    if (LLVM_UNLIKELY(!F)) {
      Lines.truncate(Before);
      return false;
    }
    D.Walk = F->Id;
    D.PageShift = F->Shift;
    NotFound += !F->Id;
  }
  Line = Now;
  Stats.NotFound += NotFound;
  return true;
}

void Translator::execution(const CodeBlock &B, MutableArrayRef<DataPlace> Data,
                           SmallVectorImpl<RealAddress> &Lines) {
  if (LLVM_LIKELY(I->lookUp(B, Data, Lines)))
    return;
  const uint8_t *Begins = B.lines().begin();
  for (unsigned N = 0; N < B.NumInsns; ++N) {
    Instruction In = B.Insns[N];
    for (unsigned K = 0; K < In.NumData; ++K) {
      In.Data[K] = Data[K].EA;
      In.DataRA[K] = Data[K].RA;
      In.DataWalk[K] = In.DataPageShift[K] = 0;
    }
    const bool First = Begins != B.lines().end() && N == *Begins;
    if (First && (N || B.OwnAddress))
      line(In.RA == NoAddress ? NoAddress : In.RA & ~uint64_t(0xfff));
    instruction(In);
    for (unsigned K = 0; K < In.NumData; ++K) {
      Data[K].Walk = In.DataWalk[K];
      Data[K].PageShift = In.DataPageShift[K];
    }
    Data = Data.drop_front(In.NumData);
    if (First) {
      Lines.push_back({In.RA, In.Walk, In.PageShift});
      ++Begins;
    }
  }
}

void Translator::p8Address(uint64_t EA, uint16_t Msr, uint64_t &RA,
                           uint8_t &PageShift) {
  if (!(Msr & MsrIR)) {
    if (RA == NoAddress) {
      RA = EA & 0x3fffffffffffffff;
      PageShift = 12;
    }
    return;
  }
  if (RA != NoAddress) {
    I->P8Pages.set({PageShift, EA >> PageShift}, {RA >> PageShift, ++I->P8Age});
    return;
  }
  // The page may have been mapped with another size before: the latest counts.
  uint64_t Age = 0;
  for (unsigned Shift : {12u, 16u, 24u}) {
    const Impl::P8Page *Page = I->P8Pages.get({Shift, EA >> Shift});
    if (!Page || Page->Age < Age)
      continue;
    Age = Page->Age;
    RA = Page->RealPage << Shift | (EA & ((uint64_t(1) << Shift) - 1));
    PageShift = uint8_t(Shift);
  }
}

} // namespace rw::htm
