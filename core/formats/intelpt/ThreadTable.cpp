//===- ThreadTable.cpp - Who ran what a buffer tells ----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/intelpt/ThreadTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw::intelpt {

/// What InsnItem::Thread can tell apart.
static constexpr size_t MaxThreads = 256;

Error ThreadTable::add(const Recording &R, const ThreadSpec &T) {
  if (!T.Tid || !ByTid.try_emplace(T.Tid, uint8_t(Infos.size())).second)
    return Error::success();
  if (Infos.size() == MaxThreads)
    return createStringError(
        std::make_error_code(std::errc::value_too_large),
        formatv("'{0}' has more than {1} threads; record fewer of them", R.Path,
                MaxThreads));
  ThreadInfo I;
  I.Id = T.Tid;
  I.Name = R.KernelOnly ? formatv("cpu {0}", T.Tid - 1).str()
                        : formatv("tid {0}", T.Tid).str();
  if (!T.Name.empty())
    I.Name += " (" + T.Name + ")";
  Infos.push_back(std::move(I));
  return Error::success();
}

Expected<ThreadTable> ThreadTable::make(const Recording &R) {
  ThreadTable T;
  for (const ThreadSpec &S : R.Threads)
    if (Error E = T.add(R, S))
      return E;
  for (const Buffer &B : R.Buffers) {
    if (B.Tid)
      if (Error E = T.add(R, {0, B.Tid, ""}))
        return E;
    for (const ContextSwitch &S : B.Switches)
      if (R.Processes.empty() || llvm::is_contained(R.Processes, S.Pid))
        if (Error E = T.add(R, {S.Pid, S.Tid, ""}))
          return E;
  }
  return T;
}

ThreadCursor::ThreadCursor(const Buffer &B, const ThreadTable &Table)
    : B(B), Table(Table) {
  if (B.Tid)
    Now = Table.index(B.Tid);
  else if (!B.Switches.empty())
    Now = Table.index(B.Switches[Next++].Tid);
}

std::optional<uint8_t> ThreadCursor::at(uint64_t Tsc) {
  while (Next < B.Switches.size() && B.Switches[Next].Tsc <= Tsc)
    Now = Table.index(B.Switches[Next++].Tid);
  return Now;
}

} // namespace rw::intelpt
