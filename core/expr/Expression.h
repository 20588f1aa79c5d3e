//===- Expression.h - Expressions of C --------------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled once and evaluated at very many places of a trace. What C leaves
// open (a division by zero, a shift by too much) has no value here, and what
// is not understood here does not compile: a debugger knows the rest of the
// language.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_EXPR_EXPRESSION_H
#define REWIND_EXPR_EXPRESSION_H

#include "core/arch/RegisterFile.h"
#include "core/expr/NameSource.h"
#include "llvm/Support/Error.h"

namespace rw {

/// Where one is in a trace, as registers of an expression: $rewind_position.
enum class TracePart : uint8_t { Position, Time, End };
constexpr llvm::StringRef TracePartNames[] = {"rewind_position", "rewind_time",
                                              "rewind_end"};

/// What an expression reads, at one place of a trace. Nothing: it is not known.
class ExpressionInput {
public:
  using Value = llvm::Expected<std::optional<uint64_t>>;
  virtual ~ExpressionInput() = default;
  /// \p S has 8 bytes at most.
  virtual Value readRegister(RegisterSlice S) = 0;
  virtual Value pc() = 0;
  virtual Value tracePart(TracePart Which) = 0;
  /// An integer of \p Size bytes, 8 at most, in the program's byte order.
  virtual Value readMemory(uint64_t Addr, unsigned Size) = 0;
  /// The expression has no value because of that.
  virtual void dividesByZero() {}
  /// As well, because C does not define it: a shift by all of a number's bits
  /// or more, a quotient that is too large.
  virtual void isUndefined() {}
};

/// What the text of an expression means.
struct ExpressionContext {
  const RegisterFile &Registers;
  unsigned AddressBytes = 8;   ///< of the program: 4 or 8
  NameSource *Names = nullptr; ///< null: no variable is known
  /// In place of Names: whatever is no number and no $register.
  OperandSource *Operands = nullptr;
  /// Whether compilers for the machine take plain char for a signed type,
  /// unless told otherwise.
  bool SignedChar = false;
  bool BigEndian = false;
};

class Expression {
public:
  /// Understands integers, floating-point numbers, characters, registers ($x0,
  /// $pc, $rewind_time), memory behind a cast (*(unsigned char *)$x1),
  /// variables that \p Context knows with their members and elements
  /// (m.list[2].next->id), casts to types of numbers, and C's operators without
  /// side effects. The error says what is not understood.
  static llvm::Expected<Expression> compile(llvm::StringRef Text,
                                            const ExpressionContext &Context);

  /// The value in type(), extended to 64 bits as its sign says, or the bits of
  /// a double with the value of a float or double; nothing if it is not known,
  /// or not defined. All registers that the text names must be known; memory
  /// and variables, only where they are looked at.
  ExpressionInput::Value evaluate(ExpressionInput &Input) const;
  /// The value as C asks whether it is true: 1 or 0.
  ExpressionInput::Value test(ExpressionInput &Input) const;
  NumberType type() const { return Nodes.back().Type; }
  /// Whether its operator asks whether something is true: C++ has a bool of it.
  bool isTruth() const;
  /// Whether there are floating-point numbers in it.
  bool hasFloat() const;

private:
  friend class ExpressionParser;
  enum class Op : uint8_t {
    Constant, // Value
    Unknown,  // Value: its type is known
    Register, // A: index into Registers
    Load,     // A: address
    Cast,     // A; Value: the text has it
    Truth,    // A: a bool as it lies in memory; without a value if it is none
    Negate,
    Complement,
    Not,
    Select,   // A ? B : Value
    Multiply, // A and B, as all from here
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    Unequal,
    And,
    Xor,
    Or,
    LogicalAnd,
    LogicalOr,
  };
  /// Operands come before their operator; the last node is the whole.
  struct Node {
    Op What = Op::Constant;
    NumberType Type;
    uint32_t A = 0, B = 0;
    uint64_t Value = 0;
  };
  struct Leaf {
    enum { Lanes, PC, Part } What = Lanes;
    RegisterSlice Slice;
    TracePart Which = TracePart::Position;
    bool OfVariable = false; ///< the text does not name it
  };
  struct Frame;

  Expression() = default;
  ExpressionInput::Value valueOf(uint32_t Index, Frame &F) const;
  std::optional<uint64_t> binary(const Node &N, uint64_t A, uint64_t B) const;
  uint64_t real(const Node &N, double A, double B) const;

  std::vector<Node> Nodes;
  std::vector<Leaf> Leaves;
};

} // namespace rw

#endif // REWIND_EXPR_EXPRESSION_H
