//===- HtrWalk.h - Stacks of HTR blocks -------------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PROFILE_HTRWALK_H
#define REWIND_PROFILE_HTRWALK_H

#include "core/htr/HtrFile.h"
#include "core/profile/ProfileSweep.h"

namespace rw {

/// By the blocks of a layer and what they are made of, down to instructions,
/// which are no blocks of their own. A block's number is its id. \p File must
/// stay.
std::unique_ptr<BlockWalk> walkHtr(const htr::HtrFile &File, unsigned Layer,
                                   ThreadIndex T, Position From, Position To,
                                   BlockWalk::Listener &L);

} // namespace rw

#endif // REWIND_PROFILE_HTRWALK_H
