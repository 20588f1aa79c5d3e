//===- WholePlugin.cpp - That nothing is left out -------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/WhatIsLeftOut.h"

llvm::StringRef rw::whatIsLeftOut() { return ""; }
