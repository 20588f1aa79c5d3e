//===- CheckedSink.cpp ----------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/CheckedSink.h"
#include "core/arch/RegisterFile.h"
#include "core/formats/TraceReader.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace llvm;

namespace rw {

static Error atFault(const Twine &Text) {
  return createStringError("the reader of this format is at fault: " + Text);
}

Error CheckedSink::consume(ItemBatch &B) {
  // What a CodeTable has is checked where it is added.
  const uint64_t First = NumInsns;
  uint64_t Regs = B.LeadRegs, Mems = B.LeadMems;
  for (const InsnItem &I : B.Insns) {
    Regs += I.NumRegs;
    Mems += I.NumMems;
    NumThreads = std::max(NumThreads, I.Thread + 1u);
    if (I.Size - 1u >= 15)
      return atFault("instruction " + Twine(First + (&I - B.Insns.data())) +
                     " has " + Twine(unsigned(I.Size)) +
                     " bytes, and can have 1 to 15");
  }
  NumInsns += B.Insns.size();
  if (B.Flow.empty() && (Regs != B.Regs.size() || Mems != B.Mems.size()))
    return atFault("the instructions from " + Twine(First) + " on count " +
                   Twine(Regs) + " register effects and " + Twine(Mems) +
                   " accesses, and their batch has " + Twine(B.Regs.size()) +
                   " and " + Twine(B.Mems.size()));
  for (const RegItem &R : B.Regs) {
    NumLanes = std::max(NumLanes, R.Lane + 1u);
    NumThreads = std::max(NumThreads, R.Thread + 1u);
  }
  for (const MemItem &M : B.Mems)
    if (M.Size - 1u >= 8)
      return atFault("an access to 0x" + utohexstr(M.Addr) + " has " +
                     Twine(unsigned(M.Size)) +
                     " bytes, and can have 1 to 8 (larger ones are joined)");
  return To.consume(B);
}

Error CheckedSink::finish(const TraceHeader &Header) {
  Finished = true;
  const unsigned Lanes =
      RegisterFile(Header.Architecture, Header.NamedRegisters).numLanes();
  if (NumLanes > Lanes)
    return atFault("it tells of lane " + Twine(NumLanes - 1) +
                   " of the registers, and this architecture has " +
                   Twine(Lanes));
  if (!Header.Threads.empty() && NumThreads > Header.Threads.size())
    return atFault("it tells of thread " + Twine(NumThreads - 1) +
                   ", counted from 0, and names " +
                   Twine(Header.Threads.size()));
  return To.finish(Header);
}

Error CheckedSink::checkFinished() const {
  return Finished ? Error::success()
                  : atFault("it returned without TraceSink::finish()");
}

Error CheckedSink::read(TraceReader &Reader, TraceSink &To) {
  CheckedSink Checked(To);
  if (Error E = Reader.read(Checked))
    return E;
  return Checked.checkFinished();
}

} // namespace rw
