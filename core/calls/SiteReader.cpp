//===- SiteReader.cpp - Instructions of a thread, in order ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/calls/SiteReader.h"
#include "core/arch/InstructionClass.h"
#include "core/store/TraceStore.h"

namespace rw {

/// Walking costs some nanoseconds a step, a seek about a microsecond.
static constexpr Position WalkLimit = 200;

static Site siteOf(const Instruction &I) {
  return {I.Pos,  I.When,     I.Insn.PC,   I.Insn.Time,
          I.Line, I.Insn.Isa, I.Insn.Size, isJumpToNext(I.Insn)};
}

SiteReader::SiteReader(const TraceStore &Store, ThreadIndex Thread)
    : Store(Store), Thread(Thread), Cursor(Store.cursor(false)) {}

llvm::Expected<Site> SiteReader::at(Position P) {
  if (Valid && P == Last.Pos)
    return Last;
  if (Valid && HaveBefore && P == BeforeLast.Pos)
    return BeforeLast;
  if (!Valid || P < Last.Pos || P - Last.Pos > WalkLimit) {
    auto M = Store.momentOf(Thread, P);
    if (!M)
      return M.takeError();
    Cursor->seek(*M);
    HaveBefore = false;
  } else {
    BeforeLast = Last;
    HaveBefore = true;
  }
  Valid = false;
  while (const Instruction *I = Cursor->next()) {
    if (I->Thread != Thread)
      continue;
    if (I->Pos < P) {
      BeforeLast = siteOf(*I);
      HaveBefore = true;
      continue;
    }
    Last = siteOf(*I);
    Valid = true;
    return Last;
  }
  if (llvm::Error E = Cursor->takeError())
    return E;
  return llvm::createStringError(
      std::make_error_code(std::errc::invalid_argument),
      "position " + llvm::Twine(P) + " lies beyond the end of the thread");
}

llvm::Expected<uint64_t> SiteReader::timeAt(Position P) {
  uint64_t N = Store.numInstructions(Thread);
  auto S = at(P < N ? P : N - 1);
  if (!S)
    return S.takeError();
  return S->Time;
}

} // namespace rw
