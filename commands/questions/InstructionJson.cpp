//===- InstructionJson.cpp ------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/questions/InstructionJson.h"
#include "commands/support/Listing.h"
#include "core/store/TraceStore.h"
#include "core/support/Printable.h"

using namespace llvm;

namespace rw {

InstructionJson::InstructionJson(Session &S, CodePages Pages)
    : S(&S), Namer(S.Store.registerFile()), Stored(S.Store), Pages(Pages) {}

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

Expected<const Instruction *> InstructionJson::infer(const Instruction &Told) {
  if (!Stored.mayInfer())
    return &Told;
  Full = Told;
  auto Inferred = Stored.infer(Full);
  if (!Inferred)
    return Inferred.takeError();
  return &Full;
}

json::Object InstructionJson::ofCode(const InsnItem &I) {
  json::Object O = codeJson(*S, I.PC);
  O["isa"] = isaName(I.Isa);
  if (std::string Opcode = formatOpcode(*S, I); !Opcode.empty())
    O["opcode"] = std::move(Opcode);
  else
    O["opcode"] = nullptr;
  O["size"] = int64_t(I.Size);
  addOutcome(O, I);
  O["instruction"] = formatInstruction(*S, I);
  return O;
}

Expected<json::Object> InstructionJson::tell(const Instruction &Told) {
  auto With = infer(Told);
  if (!With)
    return With.takeError();
  const Instruction &I = **With;
  json::Object O = ofCode(I.Insn);
  addWhen(O, S->Store, I);
  if (auto Real = Pages.realAddress(I.When, I.Insn.PC))
    O["real_address"] = hex(*Real);
  json::Object Registers;
  json::Object Shown;
  json::Array Inferred;
  for (const RegisterChange &C : Namer.changes(I)) {
    std::string Name = nameIn(I, C);
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
