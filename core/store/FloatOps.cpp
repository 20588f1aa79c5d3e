//===- FloatOps.cpp - Arithmetic that predicts values ---------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/FloatOps.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

using namespace rw;

static_assert(std::numeric_limits<double>::is_iec559 &&
              std::numeric_limits<float>::is_iec559);

template <typename F> static F compute(uint8_t What, F A, F B, F C) {
  switch (What) {
  case FloatOp::Add:
    return A + B;
  case FloatOp::Sub:
    return A - B;
  case FloatOp::Mul:
    return A * B;
  case FloatOp::Div:
    return A / B;
  case FloatOp::MulAdd:
    return std::fma(A, B, C);
  case FloatOp::MulSub:
    return std::fma(-A, B, C);
  case FloatOp::SubMul:
    return std::fma(A, B, -C);
  default:
    return std::sqrt(A);
  }
}

template <typename F> static F convert(uint8_t What, uint64_t V) {
  switch (What) {
  case FloatOp::FromInt32:
    return F(int32_t(V));
  case FloatOp::FromInt64:
    return F(int64_t(V));
  case FloatOp::FromUInt32:
    return F(uint32_t(V));
  default:
    return F(V);
  }
}

static std::optional<uint32_t> evaluateFloat(uint8_t What, uint32_t A,
                                             uint32_t B, uint32_t C) {
  float R = compute(What, std::bit_cast<float>(A), std::bit_cast<float>(B),
                    std::bit_cast<float>(C));
  if (std::isnan(R))
    return std::nullopt;
  return std::bit_cast<uint32_t>(R);
}

std::optional<uint64_t> FloatOp::evaluate(const uint64_t *Lanes) const {
  uint64_t VA = Lanes[A], VB = Lanes[B], VC = Lanes[C];
  if (What >= FromInt32)
    return Size == Double
               ? std::bit_cast<uint64_t>(convert<double>(What, VA))
               : uint64_t(std::bit_cast<uint32_t>(convert<float>(What, VA)));
  if (Size == Double) {
    double R = compute(What, std::bit_cast<double>(VA),
                       std::bit_cast<double>(VB), std::bit_cast<double>(VC));
    if (std::isnan(R))
      return std::nullopt;
    return std::bit_cast<uint64_t>(R);
  }
  auto Low = evaluateFloat(What, uint32_t(VA), uint32_t(VB), uint32_t(VC));
  if (!Low || Size == Float)
    return Low;
  auto High = evaluateFloat(What, uint32_t(VA >> 32), uint32_t(VB >> 32),
                            uint32_t(VC >> 32));
  if (!High)
    return std::nullopt;
  return uint64_t(*High) << 32 | *Low;
}

// Lanes of each half that are looked at as operands, candidates that are kept,
// and searches before an instruction is given up.
static constexpr unsigned MaxOperands = 20, MaxCandidates = 24, MaxSearches = 3;

/// False if \p Value is certainly not the result of \p Op; much cheaper than
/// the exact answer. Looks at the low half only where there are two.
static bool isNear(const FloatOp &Op, uint64_t Value, const uint64_t *Lanes) {
  if (Op.What >= FloatOp::Div &&
      (Op.What < FloatOp::MulAdd || Op.What > FloatOp::SubMul))
    return true;
  auto number = [&](uint64_t V) {
    return Op.Size == FloatOp::Double
               ? std::bit_cast<double>(V)
               : double(std::bit_cast<float>(uint32_t(V)));
  };
  double A = number(Lanes[Op.A]), B = number(Lanes[Op.B]), C = 0;
  if (Op.What >= FloatOp::Mul)
    A *= B, B = 0;
  if (Op.What >= FloatOp::MulAdd)
    C = number(Lanes[Op.C]);
  double R = Op.What == FloatOp::Sub      ? A - B
             : Op.What == FloatOp::MulSub ? C - A
             : Op.What == FloatOp::SubMul ? A - C
                                          : A + B + C;
  double Scale = std::fabs(A) + std::fabs(B) + std::fabs(C);
  return !(std::fabs(R - number(Value)) > 1e-6 * Scale);
}

void FloatLearner::search(uint64_t Value, unsigned Dest, const uint64_t *Lanes,
                          unsigned FirstFloat, unsigned NumLanes) {
  Candidates.clear();
  uint8_t Size = FloatOp::Double;
  auto attempt = [&](uint8_t What, unsigned A, unsigned B, unsigned C) {
    FloatOp Op{What, Size, uint8_t(A), uint8_t(B), uint8_t(C)};
    if (Candidates.size() < MaxCandidates && isNear(Op, Value, Lanes) &&
        Op.evaluate(Lanes) == Value)
      Candidates.push_back(Op);
  };
  // Operands are in the same half of their registers as the result, but for a
  // second one that is the same for all elements. The destination counts even
  // if it is zero: a sum begins so.
  std::vector<unsigned> Operands, Others;
  for (unsigned L = FirstFloat; L < NumLanes; ++L) {
    std::vector<unsigned> &To = (L - Dest) % 2 ? Others : Operands;
    if (Lanes[L] && L != Dest && To.size() + 1 < MaxOperands)
      To.push_back(L);
  }
  Operands.push_back(Dest);
  const bool IsWide = Value >> 32;
  for (Size = FloatOp::Double; Size < FloatOp::NumWidths; ++Size) {
    if ((Size == FloatOp::Float) == IsWide)
      continue;
    for (unsigned A : Operands) {
      attempt(FloatOp::Sqrt, A, A, A);
      for (unsigned B : Operands) {
        if (A <= B) {
          attempt(FloatOp::Add, A, B, A);
          attempt(FloatOp::Mul, A, B, A);
        }
        attempt(FloatOp::Sub, A, B, A);
        attempt(FloatOp::Div, A, B, A);
        for (unsigned C : Operands) {
          if (A <= B) {
            attempt(FloatOp::MulAdd, A, B, C);
            attempt(FloatOp::MulSub, A, B, C);
            attempt(FloatOp::SubMul, A, B, C);
          }
        }
      }
      for (unsigned B : Others) {
        attempt(FloatOp::Mul, A, B, A);
        attempt(FloatOp::MulAdd, A, B, Dest);
        attempt(FloatOp::MulSub, A, B, Dest);
      }
    }
    if (Size != FloatOp::Floats)
      for (unsigned L = 0; L < NumLanes; ++L)
        if (Lanes[L])
          for (uint8_t W = FloatOp::FromInt32; W < FloatOp::NumKinds; ++W)
            attempt(W, L, L, L);
  }
}

void FloatLearner::observe(uint64_t Value, unsigned Dest, const uint64_t *Lanes,
                           unsigned FirstFloat, unsigned NumLanes,
                           unsigned &Searches) {
  auto differs = [&](const FloatOp &Op) { return Op.evaluate(Lanes) != Value; };
  if (!Candidates.empty()) {
    // The rare result of which nothing is known for certain must not end it.
    if (std::all_of(Candidates.begin(), Candidates.end(), differs)) {
      Hits -= Hits > 0;
      if (Hits)
        return;
    } else {
      Candidates.erase(
          std::remove_if(Candidates.begin(), Candidates.end(), differs),
          Candidates.end());
      ++Hits;
      return;
    }
  }
  Hits = 0;
  Candidates.clear();
  if (!Searches || Searched == MaxSearches)
    return;
  --Searches;
  ++Searched;
  search(Value, Dest, Lanes, FirstFloat, NumLanes);
  Hits = !Candidates.empty();
}
