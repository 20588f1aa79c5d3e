//===- SuppressedList.cpp - rewind critical-path --show-suppressed --------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/dataflow/PathLists.h"
#include "core/store/TraceStore.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

using dataflow::SuppressedAt;

static StringRef kindName(dataflow::Suppressed What) {
  static constexpr StringLiteral Names[] = {"save", "restore", "stack pointer",
                                            "frame pointer", "return address"};
  return Names[size_t(What)];
}

Expected<std::optional<Instruction>> listSuppressed(Session &S,
                                                    dataflow::StepCodes &Codes,
                                                    ArrayRef<SuppressedAt> List,
                                                    PathList To) {
  std::optional<Instruction> First;
  if (!To.Items)
    S.Out << formatv("{0,12}  {1,-14} {2,-8} {3,-10} instruction\n", "times",
                     "kind", "register", "first");
  for (const SuppressedAt &X : List.take_front(To.shown(List.size()))) {
    auto I = S.Store.instruction(X.First);
    if (!I)
      return I.takeError();
    // A call whose return address went to memory names no register.
    std::string Register =
        X.Of.Count ? formatPlaces(S, Codes.cells(), {{I->Thread, X.Of, {}}})
                   : "";
    if (To.Items) {
      json::Object O = placeJson(S, *I);
      O["kind"] = kindName(X.What);
      O["register"] = Register;
      O["instruction"] = formatInstruction(S, I->Insn);
      O["times"] = X.Times;
      To.Items->add(std::move(O));
    } else {
      S.Out << formatv("{0,12}  {1,-14} {2,-8} {3,-10} {4}  {5}\n",
                       grouped(X.Times), kindName(X.What), Register,
                       formatPlace(S.Store, I->Thread, I->Pos),
                       formatInstruction(S, I->Insn),
                       sourcePlace(S, I->Insn.PC, NameLength::Brief));
    }
    if (!First)
      First = std::move(*I);
  }
  To.finish(S, List.size());
  return First;
}

} // namespace rw
