//===- BlockCodes.cpp - A trace of blocks, written in few bytes -----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockCodes.h"
#include "core/htr/InstructionLayer.h"
#include "core/htr/Pass.h"
#include "core/store/RunTokens.h"
#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <zstd.h>

using namespace llvm;
using Numbers = std::vector<uint32_t>;

namespace rw::codes {

BlockTrace findBlocks(ArrayRef<Insn> Trace) {
  std::unordered_set<uint64_t> Entries, Exits;
  for (size_t I = 1; I < Trace.size(); ++I)
    if (Trace[I - 1].PC + Trace[I - 1].Size != Trace[I].PC) {
      Exits.insert(Trace[I - 1].PC);
      Entries.insert(Trace[I].PC);
    }
  // A block is known by its contents: code may change.
  auto Less = [](const std::vector<Insn> &A, const std::vector<Insn> &B) {
    return std::lexicographical_compare(
        A.begin(), A.end(), B.begin(), B.end(), [](Insn X, Insn Y) {
          return std::pair(X.PC, X.Size) < std::pair(Y.PC, Y.Size);
        });
  };
  std::map<std::vector<Insn>, uint32_t, decltype(Less)> Number(Less);
  std::vector<decltype(Number)::iterator> Order;
  for (size_t I = 0, Begin = 0; I < Trace.size(); ++I)
    if (I + 1 == Trace.size() || Exits.contains(Trace[I].PC) ||
        Entries.contains(Trace[I + 1].PC)) {
      Order.push_back(
          Number.try_emplace({Trace.begin() + Begin, Trace.begin() + I + 1})
              .first);
      Begin = I + 1;
    }
  BlockTrace Out;
  for (auto &[Block, N] : Number) {
    N = uint32_t(Out.Blocks.size());
    Out.Blocks.push_back(Block);
  }
  for (auto It : Order)
    Out.Sequence.push_back(It->second);
  return Out;
}

std::vector<Insn> expand(const BlockTrace &Trace) {
  std::vector<Insn> Out;
  for (uint32_t B : Trace.Sequence)
    Out.insert(Out.end(), Trace.Blocks[B].begin(), Trace.Blocks[B].end());
  return Out;
}

/// A block is its distance from the end of the one before, then pairs of a
/// size and how many instructions in a row have it; a size of 0 ends it.
Bytes encodeDescriptors(ArrayRef<std::vector<Insn>> Blocks) {
  Bytes Out;
  uint64_t End = 0;
  for (const std::vector<Insn> &B : Blocks) {
    putVarint(Out, zigzag(int64_t(B.front().PC - End)));
    for (size_t I = 0, Next; I < B.size(); I = Next) {
      for (Next = I; Next < B.size() && B[Next].Size == B[I].Size;)
        ++Next;
      putVarint(Out, B[I].Size);
      putVarint(Out, Next - I);
    }
    putVarint(Out, 0);
    End = B.back().PC + B.back().Size;
  }
  return Out;
}

static ByteReader readerOf(const Bytes &In) {
  return {In.data(), In.data() + In.size()};
}

std::vector<std::vector<Insn>> decodeDescriptors(const Bytes &In) {
  std::vector<std::vector<Insn>> Out;
  ByteReader R = readerOf(In);
  for (uint64_t PC = 0; !R.atEnd();) {
    PC += uint64_t(unzigzag(R.varint()));
    Out.emplace_back();
    while (uint8_t Size = uint8_t(R.varint()))
      for (uint64_t Count = R.varint(); Count; --Count, PC += Size)
        Out.back().push_back({PC, Size});
  }
  return Out;
}

//===----------------------------------------------------------------------===//
// Numbers, differences, ranks
//===----------------------------------------------------------------------===//

static Bytes putNumbers(ArrayRef<uint32_t> In, uint32_t) {
  Bytes Out;
  for (uint32_t B : In)
    putVarint(Out, B);
  return Out;
}
static Numbers getNumbers(const Bytes &In, uint32_t) {
  Numbers Out;
  for (ByteReader R = readerOf(In); !R.atEnd();)
    Out.push_back(uint32_t(R.varint()));
  return Out;
}

static Bytes putDifferences(ArrayRef<uint32_t> In, uint32_t) {
  Bytes Out;
  uint32_t Last = 0;
  for (uint32_t B : In) {
    putVarint(Out, zigzag(int64_t(B) - int64_t(Last)));
    Last = B;
  }
  return Out;
}
static Numbers getDifferences(const Bytes &In, uint32_t) {
  Numbers Out;
  uint32_t Last = 0;
  for (ByteReader R = readerOf(In); !R.atEnd(); Out.push_back(Last))
    Last += uint32_t(unzigzag(R.varint()));
  return Out;
}

namespace {
/// Blocks by when they were last seen. One that is new has the rank behind the
/// last, and its number follows.
class Recent {
public:
  void put(Bytes &Out, uint32_t Block) {
    auto It = std::find(List.begin(), List.end(), Block);
    putVarint(Out, uint64_t(It - List.begin()));
    if (It == List.end()) {
      putVarint(Out, Block);
      List.insert(List.begin(), Block);
    } else {
      std::rotate(List.begin(), It, It + 1);
    }
  }
  uint32_t get(ByteReader &R) {
    uint64_t Rank = R.varint();
    if (Rank >= List.size())
      List.insert(List.begin(), uint32_t(R.varint()));
    else
      std::rotate(List.begin(), List.begin() + ptrdiff_t(Rank),
                  List.begin() + ptrdiff_t(Rank) + 1);
    return List.front();
  }

private:
  Numbers List;
};
} // namespace

static Bytes putRanks(ArrayRef<uint32_t> In, uint32_t) {
  Bytes Out;
  Recent All;
  for (uint32_t B : In)
    All.put(Out, B);
  return Out;
}
static Numbers getRanks(const Bytes &In, uint32_t) {
  Numbers Out;
  Recent All;
  for (ByteReader R = readerOf(In); !R.atEnd();)
    Out.push_back(All.get(R));
  return Out;
}

static Bytes putFollowers(ArrayRef<uint32_t> In, uint32_t NumBlocks) {
  Bytes Out;
  std::vector<Recent> After(NumBlocks + 1);
  uint32_t Last = NumBlocks;
  for (uint32_t B : In)
    After[std::exchange(Last, B)].put(Out, B);
  return Out;
}
static Numbers getFollowers(const Bytes &In, uint32_t NumBlocks) {
  Numbers Out;
  std::vector<Recent> After(NumBlocks + 1);
  uint32_t Last = NumBlocks;
  for (ByteReader R = readerOf(In); !R.atEnd(); Out.push_back(Last))
    Last = After[Last].get(R);
  return Out;
}

static Bytes putRunsOfStore(ArrayRef<uint32_t> In, uint32_t) {
  Bytes Out;
  putRunTokens(Out, In);
  return Out;
}
static Numbers getRunsOfStore(const Bytes &In, uint32_t) {
  Numbers Out;
  RunTokenReader R(In.data(), In.data() + In.size());
  for (uint32_t B; (B = R.next()) != ~0u;)
    Out.push_back(B);
  return Out;
}

//===----------------------------------------------------------------------===//
// The tree of all repetitions ever seen
//===----------------------------------------------------------------------===//

/// Node 0 is the root. A step is the deepest node that the blocks to come lead
/// to, and the block after it, which becomes a new leaf there. (It is the code
/// of Ziv and Lempel of 1978.)
static Bytes putTree(ArrayRef<uint32_t> In, uint32_t) {
  Bytes Out;
  DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Child;
  uint32_t Node = 0, NumNodes = 1;
  for (uint32_t B : In) {
    auto [It, New] = Child.try_emplace({Node, B}, NumNodes);
    if (New) {
      putVarint(Out, Node);
      putVarint(Out, B);
      ++NumNodes;
    }
    Node = New ? 0 : It->second;
  }
  if (Node)
    putVarint(Out, Node);
  return Out;
}
static Numbers getTree(const Bytes &In, uint32_t) {
  Numbers Out, Path;
  std::vector<std::pair<uint32_t, uint32_t>> Nodes{{0, 0}}; // parent, block
  for (ByteReader R = readerOf(In); !R.atEnd();) {
    uint32_t Node = uint32_t(R.varint());
    Path.clear();
    for (uint32_t N = Node; N; N = Nodes[N].first)
      Path.push_back(Nodes[N].second);
    Out.insert(Out.end(), Path.rbegin(), Path.rend());
    if (R.atEnd())
      break;
    Nodes.emplace_back(Node, uint32_t(R.varint()));
    Out.push_back(Nodes.back().second);
  }
  return Out;
}

//===----------------------------------------------------------------------===//
// Repetitions, pairs, grammars: rules, then what remains
//===----------------------------------------------------------------------===//

namespace {
/// Symbol NumBlocks + i is what Rules[i] says: its parts, so many times.
struct Grammar {
  struct Rule {
    uint64_t Times = 1;
    Numbers Parts;
  };
  std::vector<Rule> Rules;
  Numbers Rest;

  /// A rule is how many parts it has, for one of several times a 0 and how
  /// many times its one part; then the parts.
  Bytes bytes() const {
    Bytes Out;
    putVarint(Out, Rules.size());
    for (const Rule &R : Rules) {
      putVarint(Out, R.Times > 1 ? 0 : R.Parts.size());
      if (R.Times > 1)
        putVarint(Out, R.Times);
      for (uint32_t P : R.Parts)
        putVarint(Out, P);
    }
    for (uint32_t S : Rest)
      putVarint(Out, S);
    return Out;
  }
};
} // namespace

static Numbers getGrammar(const Bytes &In, uint32_t NumBlocks) {
  ByteReader R = readerOf(In);
  std::vector<Numbers> Rules; // in blocks
  Numbers Out;
  auto Append = [&](Numbers &To, uint32_t Symbol) {
    if (Symbol < NumBlocks)
      To.push_back(Symbol);
    else
      To.insert(To.end(), Rules[Symbol - NumBlocks].begin(),
                Rules[Symbol - NumBlocks].end());
  };
  for (uint64_t NumRules = R.varint(); NumRules; --NumRules) {
    uint64_t Count = R.varint(), Times = Count ? 1 : R.varint();
    Numbers Parts, Blocks;
    for (uint64_t I = 0; I < std::max<uint64_t>(Count, 1); ++I)
      Append(Parts, uint32_t(R.varint()));
    for (; Times; --Times)
      Blocks.insert(Blocks.end(), Parts.begin(), Parts.end());
    Rules.push_back(std::move(Blocks));
  }
  while (!R.atEnd())
    Append(Out, uint32_t(R.varint()));
  return Out;
}

/// Several times the same symbol in a row become a rule.
static void collapse(Grammar &G, uint32_t NumBlocks) {
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> Known;
  Numbers Out;
  for (size_t I = 0, Next; I < G.Rest.size(); I = Next) {
    uint32_t S = G.Rest[I];
    for (Next = I; Next < G.Rest.size() && G.Rest[Next] == S;)
      ++Next;
    if (Next - I > 1) {
      auto [It, New] = Known.try_emplace({S, Next - I},
                                         NumBlocks + uint32_t(G.Rules.size()));
      if (New)
        G.Rules.push_back({Next - I, {S}});
      S = It->second;
    }
    Out.push_back(S);
  }
  G.Rest = std::move(Out);
}
static Bytes putRepetitions(ArrayRef<uint32_t> In, uint32_t NumBlocks) {
  Grammar G{{}, In.vec()};
  collapse(G, NumBlocks);
  return G.bytes();
}

/// Repetitions of a symbol first, then the most common pair again and again, as
/// long as it is there more than twice: each time, all pairs are counted anew.
static Bytes putPairs(ArrayRef<uint32_t> In, uint32_t NumBlocks) {
  Grammar G{{}, In.vec()};
  collapse(G, NumBlocks);
  while (true) {
    std::unordered_map<uint64_t, uint32_t> Count;
    uint64_t Best = 0;
    uint32_t Most = 0;
    auto PairAt = [&](size_t I) {
      return uint64_t(G.Rest[I]) << 32 | G.Rest[I + 1];
    };
    for (size_t I = 0; I + 1 < G.Rest.size(); ++I)
      if (uint32_t N = ++Count[PairAt(I)]; N > Most) {
        Most = N;
        Best = PairAt(I);
      }
    if (Most <= 2)
      return G.bytes();
    uint32_t Symbol = NumBlocks + uint32_t(G.Rules.size());
    G.Rules.push_back({1, {uint32_t(Best >> 32), uint32_t(Best)}});
    size_t To = 0;
    for (size_t I = 0; I < G.Rest.size(); ++I)
      if (I + 1 < G.Rest.size() && PairAt(I) == Best) {
        G.Rest[To++] = Symbol;
        ++I;
      } else {
        G.Rest[To++] = G.Rest[I];
      }
    G.Rest.resize(To);
  }
}

/// What a pass of HTR makes of the sequence.
static Bytes putPass(ArrayRef<uint32_t> In, uint32_t NumBlocks,
                     StringRef Name) {
  htr::InstructionLayerBuilder Builder(1, false);
  for (uint32_t B : In)
    Builder.instruction(0, B, 0);
  htr::Hierarchy H = std::move(Builder.finish().first);
  for (const htr::Pass *P : cantFail(htr::parsePipeline(Name)))
    cantFail(P->Run(H, {}));
  Grammar G;
  Numbers SymbolOf;
  for (htr::BlockId B = 0; B < H.Dict.size(); ++B) {
    if (H.Dict.Kind[B] == htr::BlockKind::Instruction) {
      SymbolOf.push_back(uint32_t(H.Dict.Value[B]));
      continue;
    }
    SymbolOf.push_back(NumBlocks + uint32_t(G.Rules.size()));
    G.Rules.emplace_back();
    if (H.Dict.Kind[B] == htr::BlockKind::Repeat)
      G.Rules.back().Times = H.Dict.Value[B];
    for (htr::BlockId Part : H.body(B))
      G.Rules.back().Parts.push_back(SymbolOf[Part]);
  }
  for (htr::BlockId B : H.top().sequence(0))
    G.Rest.push_back(SymbolOf[B]);
  return G.bytes();
}
static Bytes putLoops(ArrayRef<uint32_t> In, uint32_t NumBlocks) {
  return putPass(In, NumBlocks, "loops");
}
static Bytes putSequitur(ArrayRef<uint32_t> In, uint32_t NumBlocks) {
  return putPass(In, NumBlocks, "grammar");
}

ArrayRef<Idea> ideas() {
  static constexpr Idea All[] = {
      {"block numbers", putNumbers, getNumbers},
      {"recency rank", putRanks, getRanks},
      {"differences", putDifferences, getDifferences},
      {"followers", putFollowers, getFollowers},
      {"follower tree", putTree, getTree},
      {"repetitions", putRepetitions, getGrammar},
      {"loops", putLoops, getGrammar},
      {"pair joining", putPairs, getGrammar},
      {"grammar", putSequitur, getGrammar},
      {"the store's run tokens", putRunsOfStore, getRunsOfStore},
  };
  return All;
}

//===----------------------------------------------------------------------===//
// What bytes are worth
//===----------------------------------------------------------------------===//

double orderZeroBits(const Bytes &In) {
  std::array<uint64_t, 256> Count{};
  double Bits = 0;
  for (size_t I = 0; I < In.size(); ++I)
    Bits += std::log2((double(I) + 128) / (double(Count[In[I]]++) + 0.5));
  return Bits;
}

std::optional<Bytes> zstd(const Bytes &In) {
  Bytes Out(ZSTD_compressBound(In.size())), Back(In.size());
  size_t Size = ZSTD_compress(Out.data(), Out.size(), In.data(), In.size(), 19);
  if (ZSTD_isError(Size))
    return std::nullopt;
  Out.resize(Size);
  if (ZSTD_decompress(Back.data(), Back.size(), Out.data(), Size) !=
          In.size() ||
      Back != In)
    return std::nullopt;
  return Out;
}

} // namespace rw::codes
