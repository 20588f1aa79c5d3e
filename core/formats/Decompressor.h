//===- Decompressor.h - One way to unpack a stream --------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_DECOMPRESSOR_H
#define REWIND_FORMATS_DECOMPRESSOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <memory>

namespace rw {

/// Unpacks a byte stream step by step, with bounded memory. Concatenated
/// members (gzip, xz, bzip2) and frames (zstd) are one stream, as their own
/// tools see them.
class Decompressor {
public:
  /// The codec whose magic \p Head begins with; null: the data is plain.
  static std::unique_ptr<Decompressor> recognise(llvm::ArrayRef<uint8_t> Head);
  virtual ~Decompressor() = default;
  virtual llvm::StringRef name() const = 0;

  struct Step {
    size_t Consumed = 0, Produced = 0;
    bool Finished = false;         ///< the stream has ended properly
    const char *Problem = nullptr; ///< what is wrong with the data
  };
  /// Goes on with \p In. \p Last: the file has no more than that.
  virtual Step run(llvm::ArrayRef<uint8_t> In, bool Last,
                   llvm::MutableArrayRef<uint8_t> Out) = 0;
};

} // namespace rw

#endif // REWIND_FORMATS_DECOMPRESSOR_H
