//===- CallLog.cpp - The calls that a program makes -----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/CallLog.h"

using namespace rw::record;

void CallLog::line(const char *What, const Transfer &T) {
  Out.text(What);
  Out.decimal(T.Index);
  Out.text(" 0x");
  Out.hex(T.From, 8);
  Out.text(" 0x");
  Out.hex(T.To, 8);
  Out.text(" ");
  Out.decimal(Stacks[Current].size());
  if (Current) {
    Out.text(" ");
    Out.decimal(Current + 1);
  }
  Out.text("\n");
}

void CallLog::transfer(const Transfer &T) {
  std::vector<Frame> &Stack = Stacks[Current];
  // "mov lr, pc" before a jump is a call, too.
  if (T.Link || (T.Indirect && T.LR == T.Next && T.To != T.Next)) {
    Stack.push_back({T.Next, T.SP});
    line("call ", T);
    return;
  }
  if (!T.Indirect)
    return;
  // A frame whose caller's stack is gone cannot be returned to.
  while (!Stack.empty() && Stack.back().SP < T.SP) {
    line("unwind ", T);
    Stack.pop_back();
  }
  if (Stack.empty() || Stack.back().Return != T.To || Stack.back().SP != T.SP)
    return;
  line("return ", T);
  Stack.pop_back();
}
