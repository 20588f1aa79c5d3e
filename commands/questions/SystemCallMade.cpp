//===- SystemCallMade.cpp - A system call and its answer ------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/questions/SystemCallMade.h"
#include "commands/support/Format.h"
#include "core/store/TraceStore.h"
#include "core/support/Printable.h"

using namespace llvm;

namespace rw {

std::optional<uint64_t> SystemCallMade::value(const RegisterState &State,
                                              StringRef Name) const {
  const RegisterInfo *R = S.Store.registerFile().find(Name);
  return R ? State.get(R->Slice) : std::nullopt;
}

Expected<SystemCallMade> SystemCallMade::at(Session &S, Moment M) {
  SystemCallMade C(S);
  auto I = S.Store.instruction(M);
  if (!I)
    return I.takeError();
  C.Insn = std::move(*I);
  C.Kind = systemCallKind(C.Insn.Insn.Isa, C.Insn.Insn.Opcode,
                          instructionBytes(S, C.Insn.Insn));
  if (C.Kind == SystemCallKind::None)
    return C;
  C.Registers = systemCallRegisters(C.Insn.Insn.Isa, C.Kind);
  auto State = S.Store.registersAt(C.Insn.Thread, M);
  if (!State)
    return State.takeError();
  C.State = std::move(*State);
  C.Number = C.value(C.State, C.Registers.Number);
  if (C.Number)
    C.Info = systemCall(C.Insn.Insn.Isa, C.Kind, *C.Number);
  return C;
}

Expected<std::string> SystemCallMade::text(uint64_t Addr) const {
  Location L;
  L.Text = "text";
  L.Addr = Addr;
  constexpr uint64_t Most = 64;
  L.Size = std::min<uint64_t>(Most, 0 - Addr);
  if (!L.Size)
    return std::string();
  auto V = readLocation(S, L, Insn.When);
  if (!V)
    return V.takeError();
  std::string Text;
  for (size_t I = 0; I < V->Bytes.size(); ++I) {
    if (!V->Known[I])
      return Text.empty() ? std::string() : "\"" + printable(Text) + "\"...";
    if (!V->Bytes[I])
      return "\"" + printable(Text) + "\"";
    Text += char(V->Bytes[I]);
  }
  return "\"" + printable(Text) + "\"...";
}

/// The moment at which the thread goes on behind it; none: it does not, or goes
/// on elsewhere.
static Expected<std::optional<Moment>> goesOn(const TraceStore &Store,
                                              const Instruction &From) {
  if (From.Pos + 1 >= Store.numInstructions(From.Thread))
    return std::nullopt;
  auto Next = Store.momentOf(From.Thread, From.Pos + 1);
  if (!Next)
    return Next.takeError();
  auto I = Store.instruction(*Next);
  if (!I)
    return I.takeError();
  if (I->Insn.PC != From.Insn.PC + From.Insn.Size)
    return std::nullopt;
  return *Next;
}

Expected<bool> SystemCallMade::answeredAtOnce() const {
  auto Next = goesOn(S.Store, Insn);
  if (!Next)
    return Next.takeError();
  return Next->has_value();
}

Expected<std::optional<uint64_t>> SystemCallMade::result() const {
  auto Next = goesOn(S.Store, Insn);
  if (!Next)
    return Next.takeError();
  if (!*Next)
    return std::nullopt;
  auto After = S.Store.registersAt(Insn.Thread, **Next);
  if (!After)
    return After.takeError();
  return value(*After, Registers.Result);
}

Expected<std::string> SystemCallMade::describe(json::Object *Json) const {
  const bool Wide = S.Store.header().Architecture != Arch::Arm;
  std::string Text = Info     ? Info->Name.str()
                     : Number ? "call " + std::to_string(*Number)
                              : "call <unknown>";
  StringRef Kinds = Info ? Info->Arguments : "?";
  if (Kinds == "?")
    Kinds = "xxxxxx";
  json::Array Arguments;
  Text += "(";
  for (size_t I = 0; I < Kinds.size() && I < Registers.Arguments.size(); ++I) {
    auto V = value(State, Registers.Arguments[I]);
    std::string One = UnknownText.str();
    if (V) {
      One = hex(*V);
      // Numbers are ints, but for sizes and offsets, which have no sign or
      // are small.
      if (Kinds[I] == 'd')
        One = std::to_string(int32_t(*V));
      else if (Kinds[I] == 'u')
        One = std::to_string(Wide ? *V : uint32_t(*V));
      else if (Kinds[I] == 's') {
        auto Its = text(*V);
        if (!Its)
          return Its.takeError();
        if (!Its->empty())
          One = *Its;
      }
    }
    Text += (I ? ", " : "") + One;
    Arguments.push_back(V ? json::Value(json::fixUTF8(One)) : nullptr);
  }
  Text += ")";
  auto R = result();
  if (!R)
    return R.takeError();
  json::Value Result = nullptr;
  if (*R) {
    // Errors are small and negative.
    const int64_t N = Wide ? int64_t(**R) : int32_t(**R);
    std::string Its = N > -4096 && N < 0x1000000 ? std::to_string(N) : hex(**R);
    Result = Its;
    Text += " = " + Its;
  }
  if (Json) {
    (*Json)["call"] = Info ? json::Value(Info->Name) : nullptr;
    (*Json)["number"] = Number ? json::Value(*Number) : nullptr;
    (*Json)["arguments"] = std::move(Arguments);
    (*Json)["result"] = std::move(Result);
  }
  return Text;
}

} // namespace rw
