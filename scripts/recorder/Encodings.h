//===- Encodings.h - Registers that an encoding can name -------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_RECORDER_ENCODINGS_H
#define REWIND_RECORDER_ENCODINGS_H

#include "scripts/recorder/Decoder.h"
#include <bitset>

namespace rw::record {

using RegMask = std::bitset<NumRegs>;

/// The registers that an instruction of this encoding may write, and its flags.
RegMask classifyA64(StaticInsn &I);
RegMask classifyA32(StaticInsn &I);
RegMask classifyT32(StaticInsn &I);

} // namespace rw::record

#endif // REWIND_RECORDER_ENCODINGS_H
