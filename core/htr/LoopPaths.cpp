//===- LoopPaths.cpp - The ways through a loop's body ---------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/htr/LoopPaths.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include <unordered_map>

using namespace llvm;

namespace rw::htr {
namespace {

BlockId headerOf(const HtrFile &File, BlockId Loop) {
  const auto F = File.loopFacts(Loop);
  return F ? F->Header : File.block(Loop).Entry;
}

/// A step in a word, for lists of many.
uint64_t packed(PathStep S) { return uint64_t(S.At) << 3 | S.What; }
PathStep unpacked(uint64_t P) {
  return {PathStep::Kind(P & 7), BlockId(P >> 3)};
}

class PathFinder {
public:
  PathFinder(const HtrFile &File, const Watch &Watch)
      : File(File), Watch(Watch) {}

  Error add(const BlockTimes &Stay) {
    const auto Facts = File.loopFacts(Stay.Id);
    // A round is known to be the last one when no other follows.
    HtrFile::Rounds Held;
    Error Stop = Error::success();
    File.forEachRounds(Stay.Id, [&](const HtrFile::Rounds &R) {
      if (Held.Times)
        take(Stay, Held, Held.Times, 0);
      Held = R;
      if ((++Done & 0xfff) == 0)
        Stop = Watch.check();
      return !Stop;
    });
    if (Stop)
      return Stop;
    if (!Held.Times)
      return Error::success();
    if (Facts && Facts->EndsInTest) {
      take(Stay, Held, Held.Times - 1, 0);
      addOwn(roundOf(Held.Id), Stay.Times);
      const uint64_t Each = File.length(Held.Id);
      All.FirstTest = std::min(All.FirstTest,
                               Stay.At + Held.Offset + (Held.Times - 1) * Each);
      All.Tests += Stay.Times;
      All.TestInstructions += Stay.Times * Each;
    } else {
      take(Stay, Held, Held.Times, 1);
    }
    return Error::success();
  }

  LoopPaths finish() {
    std::vector<uint32_t> Order;
    for (uint32_t I = 0; I < All.Paths.size(); ++I)
      if (All.Paths[I].Rounds) { // not only last tests
        All.Rounds += All.Paths[I].Rounds;
        Order.push_back(I);
      }
    llvm::sort(Order, [&](uint32_t A, uint32_t B) {
      return std::pair(All.Paths[B].Rounds, All.Paths[A].First) <
             std::pair(All.Paths[A].Rounds, All.Paths[B].First);
    });
    // Where rounds that came to the same step part. They may come there again
    // and again, for a loop with several entries has cycles without its header.
    struct Way {
      uint64_t To, Rounds;
      uint32_t LastPath;
    };
    MapVector<Key, std::vector<Way>> After;
    for (uint32_t I : Order)
      forEachStep(*Steps[I], [&](Key From, uint64_t To) {
        const uint64_t Rounds = All.Paths[I].Rounds;
        auto &Ways = After[From];
        auto It = find_if(Ways, [&](const Way &W) { return W.To == To; });
        if (It == Ways.end()) {
          Ways.push_back({To, Rounds, I});
        } else if (It->LastPath != I) {
          It->Rounds += Rounds;
          It->LastPath = I;
        }
      });
    for (auto &[From, Ways] : After) {
      if (Ways.size() < 2)
        continue;
      LoopChoice C;
      C.After = unpacked(From.second);
      for (const Way &W : Ways)
        C.Ways.push_back({unpacked(W.To), W.Rounds});
      stable_sort(C.Ways, [](const auto &A, const auto &B) {
        return A.second > B.second;
      });
      All.Choices.push_back(std::move(C));
    }
    std::vector<LoopPath> Sorted;
    for (uint32_t I : Order) {
      forEachStep(*Steps[I], [&](Key From, uint64_t To) {
        if (After.find(From)->second.size() > 1)
          All.Paths[I].Choices.push_back({unpacked(From.second), unpacked(To)});
      });
      Sorted.push_back(std::move(All.Paths[I]));
    }
    All.Paths = std::move(Sorted);
    return std::move(All);
  }

private:
  /// What one execution of a block does as a round.
  struct Round {
    uint32_t Path = 0;
    uint64_t Own = 0, InLoops = 0, InCalls = 0;
  };
  const HtrFile &File;
  const rw::Watch &Watch;
  uint64_t Done = 0;
  LoopPaths All;
  DenseMap<BlockId, Round> Rounds;
  /// By path; they live in Known.
  std::vector<const std::vector<uint64_t> *> Steps;
  struct Hash {
    size_t operator()(const std::vector<uint64_t> &V) const {
      return hash_combine_range(V.begin(), V.end());
    }
  };
  std::unordered_map<std::vector<uint64_t>, uint32_t, Hash> Known;
  std::vector<std::pair<UnitRange, uint64_t>> Stack;

  /// A step that is the same wherever it is. Calls of one function from
  /// several places are several: with the step before.
  using Key = std::pair<uint64_t, uint64_t>;

  template <typename F>
  static void forEachStep(const std::vector<uint64_t> &Path, F Tell) {
    Key From = {0, packed({PathStep::Begin, NoBlock})};
    for (uint64_t S : Path) {
      Tell(From, S);
      From = {unpacked(S).What == PathStep::Call ? From.second : 0, S};
    }
    Tell(From, packed({PathStep::End, NoBlock}));
  }

  void addOwn(const Round &R, uint64_t Times) {
    All.Own += R.Own * Times;
    All.InLoops += R.InLoops * Times;
    All.InCalls += R.InCalls * Times;
  }

  /// \p Times rounds of each execution of the stay, of which \p Last end it.
  void take(const BlockTimes &Stay, const HtrFile::Rounds &R, uint64_t Times,
            uint64_t Last) {
    if (!Times)
      return;
    const Round &Each = roundOf(R.Id);
    LoopPath &P = All.Paths[Each.Path];
    const uint64_t N = Times * Stay.Times, Length = File.length(R.Id);
    if (!P.Rounds || Stay.At + R.Offset < P.First)
      P.First = Stay.At + R.Offset;
    P.Rounds += N;
    P.Last += Last * Stay.Times;
    P.Own = Each.Own;
    P.Instructions += N * Length;
    P.Least = std::min(P.Least, Length);
    P.Most = std::max(P.Most, Length);
    addOwn(Each, N);
  }

  const Round &roundOf(BlockId B) {
    auto [It, New] = Rounds.try_emplace(B);
    if (!New)
      return It->second;
    Round R;
    std::vector<uint64_t> Path;
    auto step = [&](BlockId Part) {
      const BlockKind Kind = File.kind(Part);
      const uint64_t Length = File.length(Part);
      switch (Kind) {
      case BlockKind::Instruction:
        ++R.Own;
        Path.push_back(packed({PathStep::Instruction, Part}));
        break;
      case BlockKind::Break:
        break;
      case BlockKind::Repeat:
      case BlockKind::Iterations:
        R.InLoops += Length;
        Path.push_back(packed({PathStep::Loop, headerOf(File, Part)}));
        break;
      case BlockKind::Function:
        R.InCalls += Length;
        Path.push_back(packed({PathStep::Call, File.block(Part).Entry}));
        break;
      case BlockKind::Sequence:
        Stack.push_back({File.parts(Part, 0), 0});
      }
    };
    step(B);
    while (!Stack.empty()) {
      auto &[Range, At] = Stack.back();
      if (At == Range.size())
        Stack.pop_back();
      else
        step(File.unit(Range, At++));
    }
    auto [Entry, NewPath] = Known.try_emplace(std::move(Path), Steps.size());
    if (NewPath) {
      Steps.push_back(&Entry->first);
      All.Paths.emplace_back();
    }
    R.Path = Entry->second;
    return Rounds[B] = R;
  }
};

} // namespace

const LoopChoice *LoopPaths::main() const {
  const LoopChoice *Best = nullptr;
  if (Paths.size() < 2) // a step may come twice in a round
    return Best;
  uint64_t Most = 0;
  for (const LoopChoice &C : Choices) {
    uint64_t Others = 0;
    for (auto [To, Rounds] : ArrayRef(C.Ways).drop_front())
      Others += Rounds;
    if (Others > Most) {
      Most = Others;
      Best = &C;
    }
  }
  return Best;
}

std::vector<BlockTimes> staysOf(const HtrFile &File, BlockId Loop) {
  const BlockId Header = headerOf(File, Loop);
  const bool Flow = File.loopFacts(Loop).has_value();
  std::vector<BlockTimes> Stays;
  for (BlockId B = File.layer(0).EndBlock; B < File.numBlocks(); ++B) {
    const BlockKind Kind = File.kind(B);
    if (B != Loop && (Kind != BlockKind::Iterations || !Flow ||
                      !File.loopFacts(B) || headerOf(File, B) != Header))
      continue;
    if (const uint64_t N = File.block(B).Occurrences)
      Stays.push_back({B, N, File.occurrence(B, 0)});
  }
  return Stays;
}

Expected<LoopPaths> loopPaths(const HtrFile &File, ArrayRef<BlockTimes> Stays,
                              const Watch &Watch) {
  PathFinder Finder(File, Watch);
  for (const BlockTimes &S : Stays)
    if (Error E = Finder.add(S))
      return E;
  return Finder.finish();
}

} // namespace rw::htr
