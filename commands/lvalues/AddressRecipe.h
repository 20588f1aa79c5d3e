//===- AddressRecipe.h - Finds an address again -----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_LVALUES_ADDRESSRECIPE_H
#define REWIND_COMMANDS_LVALUES_ADDRESSRECIPE_H

#include "commands/support/Access.h"
#include "core/expr/Expression.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>

namespace rw {

/// How an address came about at an instruction of the program, to be found
/// again at other visits of the same instruction: a register or a number, and
/// then sums, loads and elements, one after the other.
class AddressRecipe {
public:
  static AddressRecipe constant(uint64_t N) {
    AddressRecipe R;
    R.Steps.push_back({Step::Add, N, {}, {}});
    return R;
  }
  static AddressRecipe registerIs(RegisterSlice Slice) {
    AddressRecipe R;
    R.Steps.push_back({Step::Register, 0, Slice, {}});
    return R;
  }
  void add(uint64_t N) { Steps.push_back({Step::Add, N, {}, {}}); }
  void mask(uint64_t Bits) { Steps.push_back({Step::Mask, Bits, {}, {}}); }
  /// What memory has there, \p Size bytes as a number without a sign.
  void load(uint64_t Size) { Steps.push_back({Step::Load, Size, {}, {}}); }
  /// The element that \p Index is the number of; each has so many bytes.
  void element(Expression Index, uint64_t Each) {
    Steps.push_back({Step::Element,
                     Each,
                     {},
                     std::make_shared<const Expression>(std::move(Index))});
  }

  /// The address in thread \p T before \p When; none if something is not known
  /// then, or it would be outside of the address space. \p Near is the cursor
  /// of a listing.
  llvm::Expected<std::optional<uint64_t>>
  find(const Session &S, StateCursor &Near, ThreadIndex T, Moment When) const;

private:
  struct Step {
    enum Kind : uint8_t { Register, Add, Mask, Load, Element } What;
    uint64_t Operand;
    RegisterSlice Slice;                     ///< of Register
    std::shared_ptr<const Expression> Index; ///< of Element
  };
  llvm::SmallVector<Step, 4> Steps;
};

/// How far from \p Base an element is, each of which has \p Each bytes; none
/// outside of the address space.
std::optional<uint64_t> elementOffset(const Session &S, uint64_t Base,
                                      int64_t Index, uint64_t Each);

} // namespace rw

#endif // REWIND_COMMANDS_LVALUES_ADDRESSRECIPE_H
