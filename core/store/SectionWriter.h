//===- SectionWriter.h - Named sections of a store --------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_SECTIONWRITER_H
#define REWIND_STORE_SECTIONWRITER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace rw {

/// Appends named sections to a store under construction. A section is written
/// front to back between begin() and end(); its start is 8-byte aligned in the
/// file; it gets a checksum.
class SectionWriter {
public:
  virtual ~SectionWriter() = default;
  virtual llvm::Error begin(llvm::StringRef Name) = 0;
  virtual llvm::Error write(llvm::ArrayRef<uint8_t> Bytes) = 0;
  virtual llvm::Error end() = 0;
};

} // namespace rw

#endif // REWIND_STORE_SECTIONWRITER_H
