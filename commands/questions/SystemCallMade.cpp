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

SystemCallReader::SystemCallReader(Session &S)
    : S(S), Places(StateCursor::openPlaces(S.Store)),
      Near(StateCursor::open(S.Store)) {}

Expected<std::optional<uint64_t>>
SystemCallReader::value(const SystemCallMade &C, Moment When,
                        StringRef Register) {
  const RegisterInfo *R = S.Store.registerFile().find(Register);
  if (!R)
    return std::nullopt;
  return Near->getRegister(C.Thread, When, R->Slice);
}

Expected<SystemCallMade> SystemCallReader::at(Moment M) {
  SystemCallMade C;
  auto I = Places->placeAt(M);
  if (!I)
    return I.takeError();
  C.When = M;
  C.Thread = (*I)->Thread;
  C.Pos = (*I)->Pos;
  C.Insn = (*I)->Insn;
  C.Kind =
      systemCallKind(C.Insn.Isa, C.Insn.Opcode, instructionBytes(S, C.Insn));
  if (C.Kind == SystemCallKind::None)
    return C;
  if (C.Kind == SystemCallKind::Other) {
    C.Number = numberInSvc(C.Insn.Isa, C.Insn.Opcode);
    return C;
  }
  C.Registers = systemCallRegisters(C.Insn.Isa, C.Kind);
  auto Number = value(C, M, C.Registers.Number);
  if (!Number)
    return Number.takeError();
  C.Number = *Number;
  if (C.Number)
    C.Info = systemCall(C.Insn.Isa, C.Kind, *C.Number);
  return C;
}

Expected<std::string> SystemCallReader::text(const SystemCallMade &C,
                                             uint64_t Addr) {
  constexpr uint64_t Most = 64;
  const uint64_t Size = std::min<uint64_t>(Most, 0 - Addr);
  if (!Size)
    return std::string();
  uint8_t Bytes[Most] = {}, Known[Most] = {};
  if (Error E =
          readMemory(S, *Near, Addr, C.When, {Bytes, Size}, {Known, Size}))
    return E;
  std::string Text;
  for (size_t I = 0; I < Size; ++I) {
    if (!Known[I])
      return Text.empty() ? std::string() : "\"" + printable(Text) + "\"...";
    if (!Bytes[I])
      return "\"" + printable(Text) + "\"";
    Text += char(Bytes[I]);
  }
  return "\"" + printable(Text) + "\"...";
}

/// The moment at which the thread goes on behind it; none: it does not, or goes
/// on elsewhere.
Expected<std::optional<Moment>>
SystemCallReader::goesOn(const SystemCallMade &C) {
  if (C.Pos + 1 >= S.Store.numInstructions(C.Thread))
    return std::nullopt;
  auto Next = S.Store.momentOf(C.Thread, C.Pos + 1);
  if (!Next)
    return Next.takeError();
  auto I = Places->placeAt(*Next);
  if (!I)
    return I.takeError();
  if ((*I)->Insn.PC != C.Insn.PC + C.Insn.Size)
    return std::nullopt;
  return *Next;
}

Expected<bool> SystemCallReader::answeredAtOnce(const SystemCallMade &C) {
  auto Next = goesOn(C);
  if (!Next)
    return Next.takeError();
  return Next->has_value();
}

Expected<std::optional<uint64_t>>
SystemCallReader::result(const SystemCallMade &C) {
  auto Next = goesOn(C);
  if (!Next)
    return Next.takeError();
  if (!*Next)
    return std::nullopt;
  return value(C, **Next, C.Registers.Result);
}

Expected<std::string> SystemCallReader::describe(const SystemCallMade &C,
                                                 json::Object *Json) {
  const std::optional<SystemCallInfo> &Info = C.Info;
  const std::optional<uint64_t> &Number = C.Number;
  const SystemCallRegisters &Registers = C.Registers;
  const bool Wide = S.Store.header().Architecture != Arch::Arm;
  if (C.Kind == SystemCallKind::Other) {
    const std::string Text = "svc #" + std::to_string(*Number);
    if (Json) {
      (*Json)["call"] = Text;
      (*Json)["number"] = *Number;
      (*Json)["arguments"] = nullptr;
      (*Json)["result"] = nullptr;
    }
    return Text;
  }
  std::string Text = Info     ? Info->Name.str()
                     : Number ? "call " + std::to_string(*Number)
                              : "call <unknown>";
  StringRef Kinds = Info ? Info->Arguments : "?";
  if (Kinds == "?")
    Kinds = "xxxxxx";
  json::Array Arguments;
  Text += "(";
  for (size_t I = 0; I < Kinds.size() && I < Registers.Arguments.size(); ++I) {
    auto Its = value(C, C.When, Registers.Arguments[I]);
    if (!Its)
      return Its.takeError();
    const std::optional<uint64_t> V = *Its;
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
        auto Named = text(C, *V);
        if (!Named)
          return Named.takeError();
        if (!Named->empty())
          One = *Named;
      }
    }
    Text += (I ? ", " : "") + One;
    Arguments.push_back(V ? json::Value(json::fixUTF8(One)) : nullptr);
  }
  Text += ")";
  auto R = result(C);
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
