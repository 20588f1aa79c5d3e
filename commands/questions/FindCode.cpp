//===- FindCode.cpp - rewind find opcode, mnemonic, syscall ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/questions/FindTarget.h"
#include "commands/support/Format.h"
#include "commands/support/NearNames.h"
#include "core/arch/SystemCalls.h"
#include "core/support/Printable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

namespace {

/// Digits of an opcode, some of which do not matter.
struct OpcodePattern {
  uint64_t Value = 0, Mask = 0;
  unsigned Digits = 0; ///< 0: of any size
};

} // namespace

static Expected<OpcodePattern> parseOpcode(StringRef Text) {
  OpcodePattern P;
  auto Bad = [&] {
    return usageError("'" + Text +
                      "' is no opcode, such as d65f03c0, 0xd4??0001 or "
                      "0xd4000001/0xffe0001f");
  };
  auto [Value, Mask] = Text.split('/');
  auto Digits = [](StringRef T) {
    if (!T.consume_front("0x"))
      T.consume_front("0X");
    return T;
  };
  if (Text.contains('/')) {
    if (Digits(Value).getAsInteger(16, P.Value) ||
        Digits(Mask).getAsInteger(16, P.Mask))
      return Bad();
    return P;
  }
  Value = Digits(Text);
  if (Value.empty() || Value.size() > 16)
    return Bad();
  P.Digits = unsigned(Value.size());
  for (char C : Value) {
    P.Value <<= 4;
    P.Mask <<= 4;
    if (C == '?' || C == '.')
      continue;
    if (!isHexDigit(C))
      return Bad();
    P.Value |= hexDigitValue(C);
    P.Mask |= 15;
  }
  return P;
}

Expected<std::unique_ptr<FindTarget>> findOpcode(Session &S, StringRef Text,
                                                 ThreadFilter T) {
  auto P = parseOpcode(Text.trim());
  if (!P)
    return P.takeError();
  if (!S.Store.header().Can.Opcodes)
    return userError("this trace does not tell opcodes");
  const bool X86 = S.Store.header().Architecture == Arch::X86_64;
  // Of x86-64 the digits are those of bytes in the order of memory.
  auto Wanted = [&S, P = *P, X86](const InsnItem &I) {
    if (!(I.Flags & InsnItem::OpcodeKnown))
      return false;
    if (P.Digits && P.Digits != 2 * I.Size && !X86)
      return false;
    if (!X86)
      return (I.Opcode & P.Mask) == (P.Value & P.Mask);
    auto Bytes = instructionBytes(S, I);
    const unsigned N = P.Digits ? (P.Digits + 1) / 2 : 1;
    if (Bytes.size() < N)
      return false;
    uint64_t Begin = 0;
    for (unsigned B = 0; B < N; ++B)
      Begin = Begin << 8 | Bytes[B];
    return (Begin & P.Mask) == (P.Value & P.Mask);
  };
  return findCode(S, codeWhere(S, Wanted), T);
}

Expected<std::unique_ptr<FindTarget>> findMnemonic(Session &S, StringRef Text,
                                                   ThreadFilter T) {
  Text = Text.trim();
  auto Like = TextPattern::create(Text);
  if (!Like)
    return Like.takeError();
  const bool Whole = Text.contains(' ');
  auto Wanted = [&S, Like = *Like, Whole](const InsnItem &I) {
    std::string Text = S.Memory.Code.text(I.Isa, instructionBytes(S, I), I.PC);
    return !Text.empty() &&
           Like.match(Whole ? StringRef(Text)
                            : StringRef(Text).split(' ').first);
  };
  CodeSet Code = codeWhere(S, Wanted);
  if (Code.Addresses.empty() && !Whole) {
    NearNames Near(Text);
    S.Store.forEachKind([&](const InsnItem &I, ArrayRef<LaneBytes>) {
      std::string Text =
          S.Memory.Code.text(I.Isa, instructionBytes(S, I), I.PC);
      Near.add(StringRef(Text).split(' ').first);
    });
    return userError("no instruction of the trace is a '" + Text + "'" +
                     Near.question());
  }
  return findCode(S, std::move(Code), T);
}

namespace {

class SystemCallTarget final : public FindTarget {
public:
  SystemCallTarget(Session &S, CodeSet Code, std::optional<TextPattern> Like,
                   ThreadFilter T)
      : S(S), Like(std::move(Like)), Inner(findCode(S, std::move(Code), T)) {}

  bool scans() const override { return Inner->scans(); }
  Answer last(Moment Before) override {
    return lastWanted(
        S, Before, [&](Moment M) { return Inner->last(M); },
        [&](Moment M) { return wanted(M); });
  }
  Answer from(Moment First) override {
    return firstWanted(
        S, First, [&](Moment M) { return Inner->from(M); },
        [&](Moment M) { return wanted(M); });
  }
  Expected<std::string> remark(Moment M, json::Object &Json) override;

private:
  struct Call {
    Instruction Insn;
    SystemCallKind Kind = SystemCallKind::None;
    SystemCallRegisters Registers;
    RegisterState State;
    std::optional<uint64_t> Number;
    std::optional<SystemCallInfo> Info;
  };
  Expected<Call> callAt(Moment M) const;
  std::optional<uint64_t> value(const RegisterState &State,
                                StringRef Name) const {
    const RegisterInfo *R = S.Store.registerFile().find(Name);
    return R ? State.get(R->Slice) : std::nullopt;
  }
  Expected<bool> wanted(Moment M) const {
    auto C = callAt(M);
    if (!C)
      return C.takeError();
    if (C->Kind == SystemCallKind::None ||
        !(C->Insn.Insn.Flags & InsnItem::Executed))
      return false;
    if (!Like)
      return true;
    // A number may be asked for as well; what is not known is not it.
    return (C->Info && Like->match(C->Info->Name)) ||
           (C->Number && Like->match(std::to_string(*C->Number)));
  }
  Expected<std::string> text(uint64_t Addr, Moment M) const;
  Expected<std::optional<uint64_t>> result(const Call &C) const;

  Session &S;
  const std::optional<TextPattern> Like;
  const std::unique_ptr<FindTarget> Inner;
};

} // namespace

Expected<SystemCallTarget::Call> SystemCallTarget::callAt(Moment M) const {
  Call C;
  auto I = S.Store.instruction(M);
  if (!I)
    return I.takeError();
  C.Insn = std::move(*I);
  C.Kind = systemCallKind(C.Insn.Insn.Isa, C.Insn.Insn.Opcode,
                          instructionBytes(S, C.Insn.Insn));
  C.Registers = systemCallRegisters(C.Insn.Insn.Isa, C.Kind);
  auto State = S.Store.registersAt(C.Insn.Thread, M);
  if (!State)
    return State.takeError();
  C.State = std::move(*State);
  C.Number = value(C.State, C.Registers.Number);
  if (C.Number)
    C.Info = systemCall(C.Insn.Insn.Isa, C.Kind, *C.Number);
  return C;
}

/// The text at an address, in quotes, as far as it is known.
Expected<std::string> SystemCallTarget::text(uint64_t Addr, Moment M) const {
  Location L;
  L.Text = "text";
  L.Addr = Addr;
  constexpr uint64_t Most = 64;
  L.Size = std::min<uint64_t>(Most, 0 - Addr);
  if (!L.Size)
    return std::string();
  auto V = readLocation(S, L, M);
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

/// What the call gave back: known if the program goes on behind it.
Expected<std::optional<uint64_t>>
SystemCallTarget::result(const Call &C) const {
  auto P = S.Store.positionOf(C.Insn.Thread, C.Insn.When);
  if (!P)
    return P.takeError();
  if (*P + 1 >= S.Store.numInstructions(C.Insn.Thread))
    return std::nullopt;
  auto Next = S.Store.momentOf(C.Insn.Thread, *P + 1);
  if (!Next)
    return Next.takeError();
  auto I = S.Store.instruction(*Next);
  if (!I)
    return I.takeError();
  if (I->Insn.PC != C.Insn.Insn.PC + C.Insn.Insn.Size)
    return std::nullopt;
  auto State = S.Store.registersAt(C.Insn.Thread, *Next);
  if (!State)
    return State.takeError();
  return value(*State, C.Registers.Result);
}

Expected<std::string> SystemCallTarget::remark(Moment M, json::Object &Json) {
  auto C = callAt(M);
  if (!C)
    return C.takeError();
  const bool Wide = S.Store.header().Architecture != Arch::Arm;
  std::string Text = C->Info     ? C->Info->Name.str()
                     : C->Number ? "call " + std::to_string(*C->Number)
                                 : "call <unknown>";
  Json["call"] = C->Info ? json::Value(C->Info->Name) : nullptr;
  Json["number"] = C->Number ? json::Value(*C->Number) : nullptr;
  StringRef Kinds = C->Info ? C->Info->Arguments : "?";
  if (Kinds == "?")
    Kinds = "xxxxxx";
  json::Array Arguments;
  Text += "(";
  for (size_t I = 0; I < Kinds.size() && I < C->Registers.Arguments.size();
       ++I) {
    auto V = value(C->State, C->Registers.Arguments[I]);
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
        auto Its = text(*V, M);
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
  Json["arguments"] = std::move(Arguments);
  auto R = result(*C);
  if (!R)
    return R.takeError();
  Json["result"] = nullptr;
  if (*R) {
    // Errors are small and negative.
    const int64_t N = Wide ? int64_t(**R) : int32_t(**R);
    std::string Its = N > -4096 && N < 0x1000000 ? std::to_string(N) : hex(**R);
    Json["result"] = Its;
    Text += " = " + Its;
  }
  return Text;
}

Expected<std::unique_ptr<FindTarget>>
findSystemCalls(Session &S, StringRef Name, ThreadFilter T) {
  std::optional<TextPattern> Like;
  if (!Name.empty()) {
    auto P = TextPattern::create(Name);
    if (!P)
      return P.takeError();
    if (Name.find_first_of("*?[0123456789") == StringRef::npos &&
        !isSystemCallName(Name))
      return userError("there is no system call '" + Name + "'");
    Like = std::move(*P);
  }
  CodeSet Code = codeWhere(S, [&S](const InsnItem &I) {
    return (I.Flags & InsnItem::OpcodeKnown || I.Isa == ISA::X86_64) &&
           systemCallKind(I.Isa, I.Opcode, instructionBytes(S, I)) !=
               SystemCallKind::None;
  });
  return std::make_unique<SystemCallTarget>(S, std::move(Code), std::move(Like),
                                            T);
}

} // namespace rw
