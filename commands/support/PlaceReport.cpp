//===- PlaceReport.cpp - What is at a place -------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/PlaceReport.h"
#include "commands/support/Listing.h"
#include "core/store/CodePages.h"
#include "core/store/TraceStore.h"

using namespace llvm;

namespace rw {

Expected<std::optional<Instruction>>
nextInstruction(const TraceStore &Store, Place Where, Position *At) {
  auto P = Store.positionOf(Where.Thread, Where.When);
  if (!P)
    return P.takeError();
  if (At)
    *At = *P;
  if (*P >= Store.numInstructions(Where.Thread))
    return std::nullopt;
  auto M = Store.momentOf(Where.Thread, *P);
  if (!M)
    return M.takeError();
  auto I = Store.instruction(*M);
  if (!I)
    return I.takeError();
  return std::move(*I);
}

static Expected<std::optional<uint64_t>> realAddress(const TraceStore &Store,
                                                     const Instruction &I) {
  auto Pages = CodePages::open(Store);
  if (!Pages)
    return Pages.takeError();
  return Pages->realAddress(I.When, I.Insn.PC);
}

Error printPlace(Session &S, Place Where, raw_ostream &Out) {
  Position Pos;
  auto I = nextInstruction(S.Store, Where, &Pos);
  if (!I)
    return I.takeError();
  Out << formatPlace(S.Store, Where.Thread, Pos) << " of "
      << S.Store.numInstructions(Where.Thread);
  if (S.Store.numThreads() > 1)
    Out << " in thread " << threadLabel(S.Store, Where.Thread);
  if (!*I) {
    Out << (Where.When < S.Store.numInstructions()
                ? ", its end\n"
                : ", the end of the trace\n");
    return Error::success();
  }
  const Instruction &Insn = **I;
  if (S.Store.header().Can.Time)
    Out << ", " << formatTime(S.Store, timeOf(S.Store, Insn));
  if (Insn.Line)
    Out << ", line " << Insn.Line;
  Out << ": " << hex(Insn.Insn.PC);
  if (std::string Code = formatCode(S, Insn.Insn.PC); !Code.empty())
    Out << " " << Code;
  auto Real = realAddress(S.Store, Insn);
  if (!Real)
    return Real.takeError();
  if (*Real)
    Out << ", real " << hex(**Real);
  Out << "\n  " << formatInstruction(S, Insn.Insn);
  // Only branches have conditions in A64: others fault.
  if (StringRef Outcome = formatOutcome(Insn.Insn); !Outcome.empty())
    Out << "   (" << Outcome
        << (Insn.Insn.Isa == ISA::A64 && !wasExecuted(Insn.Insn)
                ? ": it did not complete)"
                : ": its condition failed)");
  Out << "\n";
  for (const MemAccess &M : Insn.Mems)
    if (M.Real != ~uint64_t(0))
      Out << "  " << (M.isWrite() ? "writes " : "reads ") << hex(M.Addr) << " ("
          << M.Bytes.size() << "), real " << hex(M.Real) << "\n";
  return Error::success();
}

json::Object endJson(ThreadIndex T, Position Pos) {
  return llvm::json::Object{{"position", Pos}, {"thread", int64_t(T) + 1}};
}

Expected<json::Object> placeToJson(Session &S, Place Where) {
  Position Pos;
  auto I = nextInstruction(S.Store, Where, &Pos);
  if (!I)
    return I.takeError();
  json::Object O;
  if (*I) {
    O = placeJson(S, **I);
    O["instruction"] = formatInstruction(S, (*I)->Insn);
    addOutcome(O, (*I)->Insn);
    auto Real = realAddress(S.Store, **I);
    if (!Real)
      return Real.takeError();
    if (*Real)
      O["real_address"] = hex(**Real);
    json::Array Memory;
    for (const MemAccess &M : (*I)->Mems)
      Memory.push_back(toJson(M));
    O["memory"] = std::move(Memory);
  } else {
    O = endJson(Where.Thread, Pos);
  }
  O["of"] = S.Store.numInstructions(Where.Thread);
  O["at_end"] = !*I;
  return O;
}

Error tellPlace(Session &S, const ParsedOptions &O, Place Where) {
  if (!O.has("json"))
    return printPlace(S, Where, S.Out);
  auto Told = placeToJson(S, Where);
  if (!Told)
    return Told.takeError();
  printJson(S.Out, std::move(*Told));
  return Error::success();
}

Error printArrival(Session &S, Place Where, StringRef What) {
  auto O = placeToJson(S, Where);
  if (!O)
    return O.takeError();
  (*O)["what"] = json::fixUTF8(What);
  printJson(S.Out, std::move(*O));
  return Error::success();
}

Error moveAndTell(Session &S, const ParsedOptions &O, Place Where,
                  const std::string &What) {
  Error E = S.moveTo(Where, What);
  if (E || !O.has("json"))
    return E;
  return printArrival(S, Where, What);
}

} // namespace rw
