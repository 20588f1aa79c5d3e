//===- Pass.h - From a layer to a more condensed one ------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass is one file in passes/ and one line in the registry (Pass.cpp). It
// reads the top layer of a hierarchy and puts a layer, or several, on top.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_HTR_PASS_H
#define REWIND_HTR_PASS_H

#include "core/htr/Hierarchy.h"
#include "core/support/Watch.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace rw::htr {

/// An activation of a function, as the functions pass needs it.
struct Call {
  Position Start = 0, End = 0; ///< in its thread, half open
  uint64_t EntryPC = 0;
};

/// Where the functions pass takes activations from: calls \p F with those of a
/// thread, in order of Start, outer before inner, properly nested, until it
/// returns false.
using CallSource = std::function<llvm::Error(
    ThreadIndex T, llvm::function_ref<bool(const Call &)> F)>;

struct PassOptions {
  bool Once = false;    ///< one round, for passes that repeat
  bool Similar = false; ///< loops: also fold iterations that differ
  /// loops: the longest body, in units.
  unsigned MaxBody = 64;
  /// functions: how many activations of one function may be nested in each
  /// other as blocks; what is called deeper belongs to the innermost of them.
  unsigned Recursion = 1000;
};

struct PassContext {
  PassOptions Options;
  CallSource Calls; ///< null: the trace has no call index
  rw::Watch Watch;  ///< is told units done
};

struct Pass {
  llvm::StringLiteral Name;
  llvm::StringLiteral Description; ///< one line
  /// Adds layers to \p H. No layer is added where nothing could be condensed.
  llvm::Error (*Run)(Hierarchy &H, const PassContext &Context);
};

llvm::ArrayRef<Pass> passes();

/// The passes named by a comma-separated list. The error for an unknown name
/// lists the known ones.
llvm::Expected<std::vector<const Pass *>> parsePipeline(llvm::StringRef Names);

} // namespace rw::htr

#endif // REWIND_HTR_PASS_H
