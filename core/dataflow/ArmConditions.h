//===- ArmConditions.h - Flags that a condition looks at --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_DATAFLOW_ARMCONDITIONS_H
#define REWIND_DATAFLOW_ARMCONDITIONS_H

#include "core/dataflow/EffectsDraft.h"

namespace rw::dataflow {

/// \p Condition as in encodings; of "always" none.
inline CellList conditionCells(unsigned Condition) {
  using namespace armcell;
  switch (Condition >> 1) {
  case 0: // eq ne
    return {{Z, 1}};
  case 1: // cs cc
    return {{C, 1}};
  case 2: // mi pl
    return {{N, 1}};
  case 3: // vs vc
    return {{V, 1}};
  case 4: // hi ls
    return {{Z, 2}};
  case 5: // ge lt
    return {{N, 1}, {V, 1}};
  case 6: // gt le
    return {{N, 2}, {V, 1}};
  default:
    return {};
  }
}

} // namespace rw::dataflow

#endif // REWIND_DATAFLOW_ARMCONDITIONS_H
