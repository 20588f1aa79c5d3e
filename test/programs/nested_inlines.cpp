//===- nested_inlines.cpp - Inlined calls whose ranges are empty too ------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To be optimized. Of a container's layers that are inlined into each other,
// some have no code left where others are: GCC gives them empty ranges.
//
//===----------------------------------------------------------------------===//

#include <vector>

static volatile unsigned Sink;

int main() {
  std::vector<int> Values;
  unsigned X = 12345;
  for (int I = 0; I < 20; ++I) {
    X = X * 1103515245 + 12345;
    Values.push_back(X >> 16 & 1023);
  }
  for (int Value : Values)
    Sink = Value;
  return 0;
}
