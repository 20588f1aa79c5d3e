//===- Phases.cpp - Where the set of running code changes -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/htr/Phases.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"
#include <array>
#include <cmath>
#include <map>

using namespace llvm;

namespace rw::htr {
namespace {

constexpr unsigned Dimensions = 32;
/// Stretches that are looked at have at least this share of all.
constexpr uint64_t Pieces = 400;
/// Neighbours whose vectors' angle has a larger cosine are alike.
constexpr double Alike = 0.6;
/// A phase has at least the first of these shares of all, or the next one if
/// that makes too many: what takes turns all the time is one.
constexpr double Least[] = {0.02, 0.1, 0.3};
constexpr uint32_t Nothing = ~0u;

using Vector = std::array<float, Dimensions>;

void add(Vector &To, const Vector &V, float Times) {
  for (unsigned I = 0; I < Dimensions; ++I)
    To[I] += V[I] * Times;
}

double cosine(const Vector &A, const Vector &B) {
  double AB = 0, AA = 0, BB = 0;
  for (unsigned I = 0; I < Dimensions; ++I) {
    AB += double(A[I]) * B[I];
    AA += double(A[I]) * A[I];
    BB += double(B[I]) * B[I];
  }
  return AA > 0 && BB > 0 ? AB / std::sqrt(AA * BB) : 1;
}

/// A call or a loop that some stretch is in.
struct Around {
  BlockId Id = NoBlock;
  uint32_t Parent = Nothing;
  uint32_t Depth = 0;
  uint64_t Length = 0;
};

struct Stretch {
  Place At = 0;
  uint64_t Length = 0;
  uint32_t In = Nothing; ///< the innermost call or loop
  Vector Code = {};
};

class PhaseFinder {
public:
  PhaseFinder(const HtrFile &File, unsigned Layer, const Watch &Watch)
      : File(File), Layer(Layer), Watch(Watch) {}

  Expected<std::vector<Phase>> find(const UnitRange &Range, uint64_t From,
                                    uint64_t To, Place At) {
    Whole = File.offsetOf(Range, To) - File.offsetOf(Range, From);
    if (!Whole)
      return std::vector<Phase>();
    if (Error E = vectorsOf(Range, From, To))
      return E;
    split(Range, From, To, At, Nothing);
    std::vector<Phase> Result;
    std::vector<std::pair<size_t, size_t>> Runs;
    for (double Share : Least)
      if (Runs = merged(Share * Whole); Runs.size() <= MaxPhases)
        break;
    for (auto [Begin, End] : Runs)
      Result.push_back(named(ArrayRef(Found).slice(Begin, End - Begin)));
    return Result;
  }

private:
  const HtrFile &File;
  const unsigned Layer;
  const rw::Watch &Watch;
  uint64_t Whole = 0;
  std::vector<uint32_t> VectorOf; ///< by block
  std::vector<Vector> Vectors;
  std::vector<Around> Arounds;
  std::vector<Stretch> Found;

  /// An instruction, as ones and minus ones.
  static Vector unit(uint64_t PC) {
    const uint64_t Bits = xxh3_64bits(
        ArrayRef(reinterpret_cast<const uint8_t *>(&PC), sizeof(PC)));
    Vector V;
    for (unsigned I = 0; I < Dimensions; ++I)
      V[I] = Bits >> I & 1 ? 1 : -1;
    return V;
  }

  const Vector &vector(BlockId B) const { return Vectors[VectorOf[B]]; }

  /// Vectors of the units and all blocks in them, those in a block before it.
  Error vectorsOf(const UnitRange &Range, uint64_t From, uint64_t To) {
    VectorOf.assign(File.numBlocks(), Nothing);
    struct Open {
      BlockId Id;
      UnitRange Parts;
      uint64_t Next;
    };
    std::vector<Open> Stack;
    for (uint64_t I = From; I < To; ++I) {
      const BlockId U = File.unit(Range, I);
      if (VectorOf[U] == Nothing)
        Stack.push_back({U, File.parts(U, Layer), 0});
      while (!Stack.empty()) {
        Open &O = Stack.back();
        if (O.Next < O.Parts.size()) {
          const BlockId P = File.unit(O.Parts, O.Next++);
          if (VectorOf[P] == Nothing)
            Stack.push_back({P, File.parts(P, Layer), 0});
          continue;
        }
        if (VectorOf[O.Id] == Nothing) {
          Vector V = {};
          if (File.kind(O.Id) == BlockKind::Instruction)
            V = unit(File.block(O.Id).Value);
          for (uint64_t K = 0; K < O.Parts.size(); ++K)
            add(V, vector(File.unit(O.Parts, K)), O.Parts.Times);
          VectorOf[O.Id] = Vectors.size();
          Vectors.push_back(V);
          if (Vectors.size() % 0x4000 == 0)
            if (Error E = Watch.check())
              return E;
        }
        Stack.pop_back();
      }
    }
    return Error::success();
  }

  uint32_t around(BlockId B, uint32_t In) {
    const BlockKind Kind = File.kind(B);
    if (Kind != BlockKind::Function && Kind != BlockKind::Iterations &&
        Kind != BlockKind::Repeat)
      return In;
    Arounds.push_back(
        {B, In, In == Nothing ? 0 : Arounds[In].Depth + 1, File.length(B)});
    return Arounds.size() - 1;
  }

  /// Cuts units into stretches of about a piece, opening what is larger.
  void split(const UnitRange &Range, uint64_t From, uint64_t To, Place At,
             uint32_t In) {
    struct Level {
      UnitRange Range;
      uint64_t Next, End;
      uint32_t In;
    };
    std::vector<Level> Stack{{Range, From, To, In}};
    const uint64_t Piece = std::max<uint64_t>(1, Whole / Pieces);
    bool Ended = true;
    while (!Stack.empty()) {
      Level &L = Stack.back();
      if (L.Next == L.End) {
        Stack.pop_back();
        Ended = true;
        continue;
      }
      const BlockId B = File.unit(L.Range, L.Next++);
      const uint64_t Length = File.length(B);
      const uint32_t Inside = L.In;
      if (Length > Piece && File.kind(B) != BlockKind::Repeat) {
        const UnitRange Parts = File.parts(B, Layer);
        if (Parts.size()) {
          Stack.push_back({Parts, 0, Parts.size(), around(B, Inside)});
          Ended = true;
          continue;
        }
      }
      if (!Length)
        continue;
      if (Ended || Found.back().Length >= Piece || Length >= Piece) {
        Found.push_back(
            {At, 0, Length >= Piece ? around(B, Inside) : Inside, {}});
        Ended = Length >= Piece;
      }
      Stretch &S = Found.back();
      S.Length += Length;
      add(S.Code, vector(B), 1);
      At += Length;
    }
  }

  /// The innermost one that holds both.
  uint32_t common(uint32_t A, uint32_t B) const {
    while (A != B) {
      if (A == Nothing || B == Nothing)
        return Nothing;
      uint32_t &Deeper = Arounds[A].Depth >= Arounds[B].Depth ? A : B;
      Deeper = Arounds[Deeper].Parent;
    }
    return A;
  }

  /// Neighbours that are alike become one, and what is small becomes part of
  /// the more similar one of its neighbours. Stretches [begin, end) of each.
  std::vector<std::pair<size_t, size_t>> merged(double Shortest) const {
    std::vector<std::pair<size_t, size_t>> Runs;
    std::vector<Vector> Code;
    std::vector<uint64_t> Length;
    for (const Stretch &S : Found) {
      Runs.push_back({Runs.size(), Runs.size() + 1});
      Code.push_back(S.Code);
      Length.push_back(S.Length);
    }
    std::vector<double> Next; ///< how much alike a run and the next one are
    for (size_t I = 0; I + 1 < Runs.size(); ++I)
      Next.push_back(cosine(Code[I], Code[I + 1]));
    auto join = [&](size_t I) { // with the next one
      Runs[I].second = Runs[I + 1].second;
      add(Code[I], Code[I + 1], 1);
      Length[I] += Length[I + 1];
      Runs.erase(Runs.begin() + I + 1);
      Code.erase(Code.begin() + I + 1);
      Length.erase(Length.begin() + I + 1);
      Next.erase(Next.begin() + I);
      if (I < Next.size())
        Next[I] = cosine(Code[I], Code[I + 1]);
      if (I)
        Next[I - 1] = cosine(Code[I - 1], Code[I]);
    };
    // Odd ends belong to what they are in.
    const uint64_t Odd = Whole / Pieces / 4;
    for (size_t I = 0; I < Runs.size() && Runs.size() > 1;) {
      if (Length[I] >= Odd) {
        ++I;
        continue;
      }
      auto depth = [&](size_t Right) { // of what holds both sides
        const uint32_t A = common(Found[Right - 1].In, Found[Right].In);
        return A == Nothing ? 0 : Arounds[A].Depth + 1;
      };
      const bool Left = I + 1 == Runs.size() ||
                        (I && depth(Runs[I].first) >= depth(Runs[I].second));
      join(Left ? --I : I);
    }
    while (Runs.size() > 1) {
      const size_t Best =
          std::max_element(Next.begin(), Next.end()) - Next.begin();
      if (Next[Best] > Alike) {
        join(Best);
        continue;
      }
      const size_t Small =
          std::min_element(Length.begin(), Length.end()) - Length.begin();
      if (Length[Small] >= Shortest)
        break;
      const bool Left =
          Small + 1 == Runs.size() || (Small && Next[Small - 1] > Next[Small]);
      join(Left ? Small - 1 : Small);
    }
    return Runs;
  }

  Phase named(ArrayRef<Stretch> Run) const {
    Phase P;
    P.At = Run[0].At;
    // How much of each call and loop is in it.
    std::vector<uint64_t> Here(Arounds.size());
    for (const Stretch &S : Run) {
      P.Instructions += S.Length;
      for (uint32_t A = S.In; A != Nothing; A = Arounds[A].Parent)
        Here[A] += S.Length;
    }
    // The outermost ones most of which are. Of what is cut, the innermost.
    std::map<uint32_t, uint64_t> Named;
    for (const Stretch &S : Run) {
      uint32_t Best = S.In;
      for (uint32_t A = S.In; A != Nothing; A = Arounds[A].Parent)
        if (Here[A] >= Arounds[A].Length / 10 * 8)
          Best = A;
      if (Best == Nothing)
        continue;
      // Not main, if all that main does there is another function's.
      const uint64_t Most = Here[Best] / 20 * 19;
      for (uint32_t A = S.In; A != Best; A = Arounds[A].Parent)
        if (File.kind(Arounds[A].Id) == BlockKind::Function &&
            Here[A] >= Most) {
          Best = A;
          break;
        }
      Named[Best] += S.Length;
    }
    std::vector<std::pair<uint32_t, uint64_t>> Parts(Named.begin(),
                                                     Named.end());
    stable_sort(Parts, [](const auto &A, const auto &B) {
      return A.second > B.second;
    });
    uint64_t Told = 0;
    for (auto [A, Length] : Parts) {
      if (P.In.size() == 3 || (!P.In.empty() && Length < P.Instructions / 10))
        break;
      P.In.push_back(Arounds[A].Id);
      Told += Length;
    }
    P.More = Told < P.Instructions - P.Instructions / 10;
    return P;
  }
};

} // namespace

Expected<std::vector<Phase>> phases(const HtrFile &File, unsigned Layer,
                                    const UnitRange &Range, uint64_t From,
                                    uint64_t To, Place At, const Watch &Watch) {
  return PhaseFinder(File, Layer, Watch).find(Range, From, To, At);
}

} // namespace rw::htr
