//===- Meta.h - What a store says of itself ---------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_META_H
#define REWIND_STORE_META_H

#include "core/store/SegmentEncoder.h"
#include "core/store/StoreBuilder.h"
#include "llvm/Support/JSON.h"

namespace rw {

/// The "meta" section: JSON, so that it can be looked at with any tool.
struct Meta {
  TraceHeader Header;
  SourceStamp Source;
  uint64_t NumInstructions = 0;
  std::vector<uint64_t> ThreadInstructions;
  Moment FirstTimed = 0; ///< no instruction before it has a time
  uint64_t FirstTime = 0, LastTime = 0;
  uint64_t FirstLine = 1; ///< of the first instruction
  uint64_t EndLine = 1;   ///< after the last one's effects
  EncodedSegment::Sizes Sizes;
};

std::string metaToText(const Meta &M);
llvm::Expected<Meta> metaFromText(llvm::StringRef Text);

llvm::StringRef archName(Arch A); ///< "aarch64", "arm", "powerpc64le"...

} // namespace rw

#endif // REWIND_STORE_META_H
