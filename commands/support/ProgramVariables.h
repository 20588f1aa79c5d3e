//===- ProgramVariables.h - Variables that expressions read -----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_PROGRAMVARIABLES_H
#define REWIND_COMMANDS_SUPPORT_PROGRAMVARIABLES_H

#include "commands/support/DebugNames.h"
#include "core/expr/NameSource.h"

namespace rw {

/// The global variables of the images of a program, by their debug information,
/// and those of functions where one register tells where they are. Only names
/// that can mean but one thing are known: a debugger knows better what the
/// others mean. Images are read at the first name that is asked for.
class ProgramVariables final : public ProgramNames {
public:
  struct Image {
    std::string Path;
    uint64_t Slide = 0; ///< address in the trace minus address in the file
    bool operator==(const Image &) const = default;
  };
  /// \p Registers outlive this; without, variables of functions are not known.
  explicit ProgramVariables(const RegisterFile *Registers = nullptr)
      : Registers(Registers) {}
  /// True if they are not those that were set before.
  bool setImages(std::vector<Image> New);
  std::unique_ptr<NameSource>
  at(std::optional<uint64_t> PC,
     std::optional<unsigned> Inlined = std::nullopt) override;

private:
  class Source;
  /// Null if the names of some image are not known.
  const std::vector<DebugNames *> *names();

  const RegisterFile *const Registers;
  std::vector<Image> Images;
  std::map<std::string, std::unique_ptr<DebugNames>> Read; ///< by path
  std::vector<DebugNames *> Names; ///< of Images, once they are asked for
};

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_PROGRAMVARIABLES_H
