//===- HtrTestUtil.cpp - Small hierarchies as text ------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HtrTestUtil.h"
#include <map>
#include <set>

using namespace llvm;

namespace rw::htr {

TestTrace::TestTrace(ArrayRef<std::string> Threads) {
  Layer &L = H.beginLayer("instructions");
  std::map<char, BlockId> Ids;
  for (const std::string &Text : Threads) {
    std::vector<Call> &C = Calls.emplace_back();
    std::vector<size_t> Open;
    Position P = 0;
    for (char Ch : Text) {
      if (Ch == ' ')
        continue;
      if (Ch == '(') {
        Open.push_back(C.size());
        C.push_back({P, 0, 0});
        continue;
      }
      if (Ch == ')') {
        C[Open.back()].End = P;
        Open.pop_back();
        continue;
      }
      auto [It, New] = Ids.try_emplace(Ch, 0);
      if (New)
        It->second = Ch == '!'
                         ? H.addLeaf(BlockKind::Break, uint64_t(EventKind::Gap))
                         : H.addLeaf(BlockKind::Instruction, Ch);
      L.Units.push_back(It->second);
      if (Ch == '!')
        continue;
      for (size_t O : Open)
        if (C[O].Start == P)
          C[O].EntryPC = Ch;
      ++P;
    }
    for (size_t O : Open)
      C[O].End = P;
    L.Units.endSequence();
    H.ThreadBase.push_back(H.ThreadBase.back() + P);
  }
  H.endLayer();
}

TestTrace::TestTrace(ArrayRef<std::vector<BlockId>> Threads, BlockId Distinct) {
  Layer &L = H.beginLayer("instructions");
  for (BlockId B = 0; B < Distinct; ++B)
    H.addLeaf(BlockKind::Instruction, 0x1000 + 4 * B);
  for (const std::vector<BlockId> &T : Threads) {
    L.Units.append(T);
    L.Units.endSequence();
    H.ThreadBase.push_back(H.ThreadBase.back() + T.size());
    Calls.emplace_back();
  }
  H.endLayer();
}

PassContext TestTrace::context() const {
  PassContext C;
  C.Calls = [this](ThreadIndex T, function_ref<bool(const Call &)> F) {
    for (const Call &Call : Calls[T])
      if (!F(Call))
        break;
    return Error::success();
  };
  return C;
}

TestTrace &TestTrace::run(StringRef Passes, const PassOptions &Options) {
  auto Pipeline = parsePipeline(Passes);
  if (!Pipeline) {
    ADD_FAILURE() << toString(Pipeline.takeError());
    return *this;
  }
  PassContext C = context();
  C.Options = Options;
  for (const Pass *P : *Pipeline)
    if (Error E = P->Run(H, C))
      ADD_FAILURE() << toString(std::move(E));
  return *this;
}

std::string text(const Hierarchy &H, BlockId B, const Layer &L) {
  auto all = [&](StringRef Separator) {
    std::string S;
    for (BlockId P : H.parts(B, L))
      S += (S.empty() ? "" : Separator.str()) + text(H, P, L);
    return S;
  };
  switch (H.Dict.Kind[B]) {
  case BlockKind::Instruction:
    return std::string(1, char(H.Dict.Value[B]));
  case BlockKind::Break:
    return "!";
  case BlockKind::Sequence:
    return "(" + all("") + ")";
  case BlockKind::Repeat:
    return std::to_string(H.Dict.Value[B]) + "x" + all("");
  case BlockKind::Iterations:
    return "{" + all("|") + "}";
  case BlockKind::Function:
    return std::string(1, char(H.Dict.Value[B])) + "[" + all("") + "]";
  }
  return "?";
}

std::string text(const Hierarchy &H, size_t Layer, ThreadIndex T) {
  std::string S;
  for (BlockId B : H.Layers[Layer].sequence(T))
    S += (S.empty() ? "" : " ") + text(H, B, H.Layers[Layer]);
  return S;
}

std::string top(const TestTrace &T, ThreadIndex Thread) {
  return text(T.H, T.H.Layers.size() - 1, Thread);
}

static void expandOwn(const Hierarchy &H, BlockId B, size_t L,
                      std::vector<BlockId> &Out) {
  const Layer &Own = H.Layers[L];
  if (H.Dict.Home[B] != L) {
    Out.push_back(B);
    return;
  }
  uint64_t Times = H.Dict.Kind[B] == BlockKind::Repeat ? H.Dict.Value[B] : 1;
  for (uint64_t I = 0; I < Times; ++I)
    for (BlockId P : H.parts(B, Own))
      expandOwn(H, P, L, Out);
}

std::vector<BlockId> expandOne(const Hierarchy &H, size_t L, size_t Sequence) {
  std::vector<BlockId> Out;
  for (BlockId B : H.Layers[L].sequence(Sequence))
    expandOwn(H, B, L, Out);
  return Out;
}

static void expandDown(const Hierarchy &H, BlockId B, const Layer &L,
                       std::vector<BlockId> &Out) {
  if (H.Dict.Home[B] == 0) {
    Out.push_back(B);
    return;
  }
  uint64_t Times = H.Dict.Kind[B] == BlockKind::Repeat ? H.Dict.Value[B] : 1;
  for (uint64_t I = 0; I < Times; ++I)
    for (BlockId P : H.parts(B, L))
      expandDown(H, P, L, Out);
}

std::vector<BlockId> expandAll(const Hierarchy &H, size_t L, ThreadIndex T) {
  std::vector<BlockId> Out;
  for (BlockId B : H.Layers[L].sequence(T))
    expandDown(H, B, H.Layers[L], Out);
  return Out;
}

void expectLossless(const Hierarchy &H) {
  for (size_t L = 1; L < H.Layers.size(); ++L) {
    size_t Common =
        std::min(H.Layers[L].numSequences(), H.Layers[L - 1].numSequences());
    for (size_t S = 0; S < Common; ++S)
      ASSERT_EQ(expandOne(H, L, S), H.Layers[L - 1].sequence(S).vec())
          << "layer " << L << " (" << H.Layers[L].Pass << "), sequence " << S;
    for (ThreadIndex T = 0; T < H.numThreads(); ++T)
      ASSERT_EQ(expandAll(H, L, T), H.Layers[0].sequence(T).vec())
          << "layer " << L << " (" << H.Layers[L].Pass << "), thread " << T;
  }
  for (BlockId B = 0; B < H.Dict.size(); ++B) {
    if (H.Dict.Home[B] == 0 || H.Dict.Kind[B] == BlockKind::Function)
      continue;
    uint64_t Length = 0;
    for (BlockId P : H.parts(B, H.top())) {
      ASSERT_LT(P, B);
      Length += H.Dict.Length[P];
    }
    if (H.Dict.Kind[B] == BlockKind::Repeat)
      Length *= H.Dict.Value[B];
    ASSERT_EQ(H.Dict.Length[B], Length);
  }
}

std::vector<std::vector<size_t>> naiveBsb(const Hierarchy &H, size_t L) {
  std::map<BlockId, std::set<int64_t>> Succ, Pred;
  constexpr int64_t Border = -1;
  for (size_t S = 0; S < H.Layers[L].numSequences(); ++S) {
    auto Seq = H.Layers[L].sequence(S).vec();
    for (size_t I = 0; I < Seq.size(); ++I) {
      Pred[Seq[I]].insert(I ? int64_t(Seq[I - 1]) : Border);
      Succ[Seq[I]].insert(I + 1 < Seq.size() ? int64_t(Seq[I + 1]) : Border);
    }
  }
  std::vector<std::vector<size_t>> Result;
  for (size_t S = 0; S < H.Layers[L].numSequences(); ++S) {
    auto Seq = H.Layers[L].sequence(S).vec();
    auto &Sizes = Result.emplace_back();
    for (size_t I = 0; I < Seq.size(); ++I) {
      bool Boundary = I == 0 || Succ[Seq[I - 1]].size() > 1 ||
                      Pred[Seq[I]].size() > 1 || H.isBreak(Seq[I - 1]) ||
                      H.isBreak(Seq[I]);
      if (Boundary)
        Sizes.push_back(0);
      ++Sizes.back();
    }
  }
  return Result;
}

std::vector<std::vector<size_t>> bsbSizes(const Hierarchy &H, size_t L) {
  std::vector<std::vector<size_t>> Result;
  for (size_t S = 0; S < H.Layers[L].numSequences(); ++S) {
    auto &Sizes = Result.emplace_back();
    for (BlockId B : H.Layers[L].sequence(S))
      Sizes.push_back(L && H.Dict.Home[B] == L ? H.Dict.Count[B] : 1);
  }
  return Result;
}

std::unique_ptr<HtrFile> fileOf(const Hierarchy &H) {
  TimeTable Times;
  for (ThreadIndex T = 0; T < H.numThreads(); ++T) {
    uint64_t Now = 100;
    for (BlockId B : H.Layers[0].sequence(T))
      if (H.Dict.Length[B]) {
        Times.push(Now);
        Now += H.Dict.Value[B];
      }
  }
  auto S = collect(H, Times, countLeaves(H, Times));
  if (!S) {
    ADD_FAILURE() << llvm::toString(S.takeError());
    return nullptr;
  }
  auto File = openInMemory({H, std::move(*S), {}});
  if (!File) {
    ADD_FAILURE() << llvm::toString(File.takeError());
    return nullptr;
  }
  return std::move(*File);
}

static void randomRun(std::mt19937 &Random, std::string &S, unsigned Depth,
                      unsigned Calls) {
  for (unsigned I = 1 + Random() % 3; I > 0; --I)
    switch (Random() % (Depth ? 8 : 2)) {
    case 0:
    case 1: {
      const char From = 'a' + Random() % 15;
      for (unsigned K = 0; K < 1 + Random() % 3; ++K)
        S += From + K;
      break;
    }
    case 2:
    case 3:
    case 4: {
      const char Head = 's' + Random() % 6;
      for (unsigned K = Random() % 5; K > 0; --K) {
        S += Head;
        randomRun(Random, S, Depth - 1, Calls);
      }
      S += Head;
      break;
    }
    case 5:
    case 6:
      if (!Calls)
        break;
      S += std::string("x(") + char('A' + Random() % 3);
      randomRun(Random, S, Depth - 1, Calls - 1);
      S += ")y";
      break;
    case 7:
      if (Random() % 8 == 0)
        S += "!";
    }
}

TestTrace randomProgram(std::mt19937 &Random) {
  std::vector<std::string> Threads;
  for (unsigned I = 1 + Random() % 2; I > 0; --I) {
    std::string &S = Threads.emplace_back();
    randomRun(Random, S, 5, 4);
  }
  return TestTrace(Threads);
}

} // namespace rw::htr
