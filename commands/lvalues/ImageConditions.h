//===- ImageConditions.h - Conditions with what containers hold -*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_LVALUES_IMAGECONDITIONS_H
#define REWIND_COMMANDS_LVALUES_IMAGECONDITIONS_H

#include "commands/support/ProgramVariables.h"
#include "core/replay/StopConditions.h"

namespace rw {

/// Tests conditions by the debug information of images, as the shell's `find
/// --if` does: some 30 us each. For one thread at a time; asks no debugger.
class ImageConditions final : public ConditionTester {
public:
  /// \p Store must outlive this.
  explicit ImageConditions(const TraceStore &Store);
  ~ImageConditions() override;

  /// Those of the program. They are read at the first question.
  void setImages(std::vector<ProgramVariables::Image> New);
  llvm::Expected<std::optional<bool>> test(llvm::StringRef Condition,
                                           ThreadIndex T, Moment M) override;

private:
  struct Program;
  const TraceStore &Store;
  std::vector<ProgramVariables::Image> Images;
  std::unique_ptr<Program> Read; ///< of Images
};

} // namespace rw

#endif // REWIND_COMMANDS_LVALUES_IMAGECONDITIONS_H
