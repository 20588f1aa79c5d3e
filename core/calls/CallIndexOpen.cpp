//===- CallIndexOpen.cpp - The call index of a store ----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/calls/CallIndex.h"
#include "core/store/TraceStore.h"

namespace rw {

llvm::Expected<std::unique_ptr<CallIndex>>
CallIndex::open(const TraceStore &Store) {
  auto Section = Store.section("calls");
  if (!Section)
    return Section.takeError();
  return open(*Section);
}

} // namespace rw
