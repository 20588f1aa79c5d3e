//===- States.h - Registers and memory between two rows ---------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a pane shows of the state at a moment, and what is different from
// another one: usually that of the row before. Where a fold is in between, that
// is all that the call did.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_VIEW_STATES_H
#define REWIND_VIEW_STATES_H

#include "core/store/StoreAnswers.h"

namespace rw {

/// A byte as a pane shows it.
struct ViewByte {
  uint8_t Value = 0; ///< 0 where it is not known
  bool Known = false;
  /// Its value differs from the one at the other moment, or it was known at one
  /// of them only.
  bool Changed = false;
  bool operator==(const ViewByte &) const = default;
};

/// A register that no wider one holds.
struct RegisterRow {
  const RegisterInfo *Register = nullptr;
  std::vector<ViewByte> Bytes; ///< byte 0 lowest
  bool changed() const;
  bool anyKnown() const;
};

/// The registers that no wider one holds, by lane. The pc is none of them.
std::vector<const RegisterInfo *> widestRegisters(const RegisterFile &F);
/// The widest register over each lane; null where there is none.
std::vector<const RegisterInfo *> registerOfLane(const RegisterFile &F);

/// All registers of \p T at \p At, against \p Since. Costs two queries of the
/// store.
llvm::Expected<std::vector<RegisterRow>>
registerRows(const TraceStore &Store, ThreadIndex T, Moment At, Moment Since);

/// Fills in what no trace tells of memory: read-only sections of an image.
using ImageBytes =
    llvm::function_ref<void(uint64_t Addr, llvm::MutableArrayRef<uint8_t> Bytes,
                            llvm::MutableArrayRef<uint8_t> Known)>;

/// \p Size bytes from \p Addr on at \p At, against \p Since.
llvm::Expected<std::vector<ViewByte>> memoryBytes(const TraceStore &Store,
                                                  uint64_t Addr, size_t Size,
                                                  Moment At, Moment Since,
                                                  ImageBytes Image);

} // namespace rw

#endif // REWIND_VIEW_STATES_H
