//===- Expression.cpp - Evaluating expressions of C -----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/expr/Expression.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <limits>

using namespace rw;

using Value = ExpressionInput::Value;

struct Expression::Frame {
  ExpressionInput &Input;
  llvm::SmallVector<std::optional<uint64_t>, 4> Registers; ///< for each leaf
};

static double number(uint64_t Bits) { return llvm::bit_cast<double>(Bits); }

/// A double has more than twice the digits of a float: what is computed in it
/// and then rounded is what would have been computed in float.
static uint64_t bits(double V, NumberType T) {
  return llvm::bit_cast<uint64_t>(T.Bytes == 4 ? double(float(V)) : V);
}

/// \p V as a value of type \p T, extended as its sign says.
static uint64_t wrap(uint64_t V, NumberType T) {
  if (T.Float)
    return bits(number(V), T);
  if (T.Bytes == 8)
    return V;
  unsigned Bits = 8 * T.Bytes;
  return T.Signed ? uint64_t(llvm::SignExtend64(V, Bits))
                  : V & llvm::maskTrailingOnes<uint64_t>(Bits);
}

/// The value of what lies in memory, or in a register.
static uint64_t stored(uint64_t V, NumberType T) {
  return T.Float && T.Bytes == 4 ? bits(llvm::bit_cast<float>(uint32_t(V)), T)
                                 : wrap(V, T);
}

static bool isTrue(uint64_t V, NumberType T) {
  return T.Float ? number(V) != 0 : V != 0;
}

/// Nothing for what C does not define: a number that the integer cannot hold.
static std::optional<uint64_t> converted(uint64_t V, NumberType From,
                                         NumberType To) {
  if (From.Float && !To.Float) {
    const double D = std::trunc(number(V));
    const int Bits = 8 * To.Bytes - To.Signed;
    if (!(D < std::ldexp(1.0, Bits) &&
          D >= (To.Signed ? -std::ldexp(1.0, Bits) : 0.0)))
      return std::nullopt;
    return wrap(To.Signed ? uint64_t(int64_t(D)) : uint64_t(D), To);
  }
  if (!From.Float && To.Float) {
    // Rounded once.
    if (To.Bytes == 4)
      return bits(From.Signed ? float(int64_t(V)) : float(V), To);
    return bits(From.Signed ? double(int64_t(V)) : double(V), To);
  }
  return wrap(V, To);
}

uint64_t Expression::real(const Node &N, double A, double B) const {
  // The sign of what is no number is the processor's that computes it here.
  auto result = [&](double V) {
    return bits(std::isnan(V) ? std::numeric_limits<double>::quiet_NaN() : V,
                N.Type);
  };
  switch (N.What) {
  case Op::Multiply:
    return result(A * B);
  case Op::Divide:
    return result(A / B);
  case Op::Add:
    return result(A + B);
  case Op::Subtract:
    return result(A - B);
  case Op::Less:
    return A < B;
  case Op::LessEqual:
    return A <= B;
  case Op::Greater:
    return A > B;
  case Op::GreaterEqual:
    return A >= B;
  case Op::Equal:
    return A == B;
  case Op::Unequal:
    return A != B;
  default:
    llvm_unreachable("not an operator of floating-point numbers");
  }
}

/// Operands have one type, except those of shifts.
std::optional<uint64_t> Expression::binary(const Node &N, uint64_t A,
                                           uint64_t B) const {
  const NumberType T = Nodes[N.A].Type;
  if (T.Float)
    return real(N, number(A), number(B));
  const int64_t SA = int64_t(A), SB = int64_t(B);
  auto Compared = [&](auto Holds) -> uint64_t {
    return T.Signed ? Holds(SA, SB) : Holds(A, B);
  };
  switch (N.What) {
  case Op::Multiply:
    return A * B;
  case Op::Divide:
  case Op::Remainder: {
    if (B == 0)
      return std::nullopt;
    bool Quotient = N.What == Op::Divide;
    if (!T.Signed)
      return Quotient ? A / B : A % B;
    if (SB == -1 && A == wrap(uint64_t(1) << (8 * T.Bytes - 1), T))
      return std::nullopt;
    return uint64_t(Quotient ? SA / SB : SA % SB);
  }
  case Op::Add:
    return A + B;
  case Op::Subtract:
    return A - B;
  case Op::ShiftLeft:
  case Op::ShiftRight:
    if (B >= 8u * T.Bytes) // a negative one, too
      return std::nullopt;
    if (N.What == Op::ShiftLeft)
      return A << B;
    return T.Signed ? uint64_t(SA >> B) : A >> B;
  case Op::Less:
    return Compared([](auto X, auto Y) { return X < Y; });
  case Op::LessEqual:
    return Compared([](auto X, auto Y) { return X <= Y; });
  case Op::Greater:
    return Compared([](auto X, auto Y) { return X > Y; });
  case Op::GreaterEqual:
    return Compared([](auto X, auto Y) { return X >= Y; });
  case Op::Equal:
    return A == B;
  case Op::Unequal:
    return A != B;
  case Op::And:
    return A & B;
  case Op::Xor:
    return A ^ B;
  case Op::Or:
    return A | B;
  default:
    llvm_unreachable("not an operator of two evaluated operands");
  }
}

Value Expression::valueOf(uint32_t Index, Frame &F) const {
  const Node &N = Nodes[Index];
  switch (N.What) {
  case Op::Constant:
    return N.Value;
  case Op::Unknown:
    return std::nullopt;
  case Op::Register:
    return F.Registers[N.A] ? stored(*F.Registers[N.A], N.Type)
                            : std::optional<uint64_t>();
  default:
    break;
  }
  auto A = valueOf(N.A, F);
  if (!A || !*A)
    return A;
  switch (N.What) {
  case Op::Load: {
    auto V = F.Input.readMemory(**A, N.Type.Bytes);
    if (!V || !*V)
      return V;
    return stored(**V, N.Type);
  }
  case Op::Cast:
    return converted(**A, Nodes[N.A].Type, N.Type);
  case Op::Truth:
    return **A < 2 ? **A : std::optional<uint64_t>();
  case Op::Negate:
    return N.Type.Float ? bits(-number(**A), N.Type) : wrap(0 - **A, N.Type);
  case Op::Complement:
    return wrap(~**A, N.Type);
  case Op::Not:
    return uint64_t(!isTrue(**A, Nodes[N.A].Type));
  case Op::Select:
    return valueOf(isTrue(**A, Nodes[N.A].Type) ? N.B : uint32_t(N.Value), F);
  case Op::LogicalAnd:
    if (!isTrue(**A, Nodes[N.A].Type))
      return uint64_t(0);
    break;
  case Op::LogicalOr:
    if (isTrue(**A, Nodes[N.A].Type))
      return uint64_t(1);
    break;
  default:
    break;
  }
  auto B = valueOf(N.B, F);
  if (!B || !*B)
    return B;
  if (N.What == Op::LogicalAnd || N.What == Op::LogicalOr)
    return uint64_t(isTrue(**B, Nodes[N.B].Type));
  if ((N.What == Op::Divide || N.What == Op::Remainder) && !N.Type.Float &&
      **B == 0)
    F.Input.dividesByZero();
  auto V = binary(N, **A, **B); // a comparison is an int
  if (!V) {
    F.Input.isUndefined();
    return V;
  }
  return wrap(*V, N.Type);
}

bool Expression::isTruth() const {
  const Op What = Nodes.back().What;
  return What == Op::Not || (What >= Op::Less && What <= Op::Unequal) ||
         What >= Op::LogicalAnd;
}

bool Expression::hasFloat() const {
  return llvm::any_of(Nodes, [](const Node &N) { return N.Type.Float; });
}

Value Expression::test(ExpressionInput &Input) const {
  auto V = evaluate(Input);
  if (V && *V)
    return uint64_t(isTrue(**V, type()));
  return V;
}

Value Expression::evaluate(ExpressionInput &Input) const {
  Frame F{Input, {}};
  for (const Leaf &L : Leaves) {
    auto V = L.What == Leaf::Lanes ? Input.readRegister(L.Slice)
             : L.What == Leaf::PC  ? Input.pc()
                                   : Input.tracePart(L.Which);
    if (!V || (!*V && !L.OfVariable))
      return V;
    F.Registers.push_back(*V);
  }
  return valueOf(uint32_t(Nodes.size() - 1), F);
}
