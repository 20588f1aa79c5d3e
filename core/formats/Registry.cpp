//===- Registry.cpp - The list of formats ---------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formats.def is written by CMake (rewind_formats): a line for each folder.
//
//===----------------------------------------------------------------------===//

#include "core/formats/TraceFormat.h"

namespace rw {

#define REWIND_FORMAT(FOLDER)                                                  \
  namespace FOLDER {                                                           \
  extern const TraceFormat Format;                                             \
  }
#include "Formats.def"
#undef REWIND_FORMAT

static const TraceFormat *const All[] = {
#define REWIND_FORMAT(FOLDER) &FOLDER::Format,
#include "Formats.def"
#undef REWIND_FORMAT
};

llvm::ArrayRef<const TraceFormat *> traceFormats() { return All; }

} // namespace rw
