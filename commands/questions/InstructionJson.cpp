//===- InstructionJson.cpp ------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/questions/InstructionJson.h"
#include "commands/support/Listing.h"
#include "core/support/Printable.h"

using namespace llvm;

namespace rw {

Expected<InstructionJson> InstructionJson::open(Session &S) {
  auto Pages = CodePages::open(S.Store);
  if (!Pages)
    return Pages.takeError();
  return InstructionJson(S, *Pages);
}

json::Object InstructionJson::tell(const StoredEvent &E) {
  json::Object O{{"kind", eventName(E.Kind)},
                 {"thread", int64_t(E.Thread) + 1},
                 {"text", printable(E.Text)}};
  if (E.PC != ~uint64_t(0))
    O["pc"] = hex(E.PC);
  return O;
}

Expected<Instruction> InstructionJson::infer(const Instruction &Told) {
  Instruction I = Told;
  auto Inferred = Stored.infer(I);
  if (!Inferred)
    return Inferred.takeError();
  return I;
}

Expected<json::Object> InstructionJson::tell(const Instruction &Told) {
  auto I = infer(Told);
  if (!I)
    return I.takeError();
  return tell(*I, Told);
}

json::Object InstructionJson::tell(const Instruction &I,
                                   const Instruction &Told) {
  json::Object O = placeJson(*S, I);
  O["isa"] = isaName(I.Insn.Isa);
  if (std::string Opcode = formatOpcode(*S, I.Insn); !Opcode.empty())
    O["opcode"] = std::move(Opcode);
  else
    O["opcode"] = nullptr;
  O["size"] = int64_t(I.Insn.Size);
  if (auto Real = Pages.realAddress(I.When, I.Insn.PC))
    O["real_address"] = hex(*Real);
  addOutcome(O, I.Insn);
  O["instruction"] = formatInstruction(*S, I.Insn);
  json::Object Registers;
  json::Object Shown;
  json::Array Inferred;
  for (const RegisterChange &C : Namer.changes(I)) {
    std::string Name = C.Thread == I.Thread
                           ? C.Name
                           : std::to_string(C.Thread + 1) + ":" + C.Name;
    if (C.Flags & RegItem::Inferred)
      Inferred.push_back(Name);
    json::Object &To = C.Flags & RegItem::NotWritten ? Shown : Registers;
    To[Name] = toJson(C.NewValue);
  }
  O["registers"] = std::move(Registers);
  if (!Shown.empty())
    O["shown"] = std::move(Shown);
  if (!Inferred.empty())
    O["inferred"] = std::move(Inferred);
  json::Array Memory;
  for (size_t N = 0; N < I.Mems.size(); ++N) {
    const MemAccess &M = I.Mems[N];
    json::Object A = toJson(M);
    A["value"] = toJson(toValue(S->Store, M));
    if (M.Known != Told.Mems[N].Known)
      A["inferred"] = true;
    Memory.push_back(std::move(A));
  }
  O["memory"] = std::move(Memory);
  return O;
}

} // namespace rw
