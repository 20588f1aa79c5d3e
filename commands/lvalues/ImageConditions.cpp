//===- ImageConditions.cpp - Conditions with what containers hold ---------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/lvalues/ImageConditions.h"
#include "commands/lvalues/ImageExpressions.h"
#include "commands/support/ElfSymbols.h"

using namespace llvm;

namespace rw {

struct ImageConditions::Program {
  Program(const TraceStore &Store, ArrayRef<ProgramVariables::Image> Images)
      : S(Store, nulls(), Memory),
        Expressions(S, [this] { return Symbols.debugInfo(); }) {
    // What is no file, such as the vdso, has no names.
    for (const ProgramVariables::Image &I : Images)
      consumeError(Symbols.addMoved(I.Path, I.Slide));
    S.Symbols = &Symbols;
  }
  ElfSymbols Symbols;
  SessionMemory Memory;
  Session S;
  ImageExpressions Expressions;
};

ImageConditions::ImageConditions(const TraceStore &Store) : Store(Store) {}

ImageConditions::~ImageConditions() = default;

void ImageConditions::setImages(std::vector<ProgramVariables::Image> New) {
  Images = std::move(New);
  Read.reset();
}

Expected<std::optional<bool>> ImageConditions::test(StringRef Condition,
                                                    ThreadIndex T, Moment M) {
  if (!Read)
    Read = std::make_unique<Program>(Store, Images);
  return Read->Expressions.tryTest(Condition, {T, M});
}

} // namespace rw
