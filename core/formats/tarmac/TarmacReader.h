//===- TarmacReader.h - Arm Tarmac text traces ------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_TARMAC_TARMACREADER_H
#define REWIND_FORMATS_TARMAC_TARMACREADER_H

#include "core/formats/TraceFormat.h"

namespace rw::tarmac {

/// Instructions without an instruction set state are Thumb.
inline constexpr OptionSpec ImplicitThumb{
    "implicit-thumb", 0, "",
    "instructions without an instruction set state are Thumb"};

/// Tokenizer and parser (LineParser) work on chunks of the text in parallel;
/// the Tracker completes the chunks in order. See docs/tarmac.md for what is
/// read.
extern const TraceFormat Format;

} // namespace rw::tarmac

#endif // REWIND_FORMATS_TARMAC_TARMACREADER_H
