//===- FindCode.cpp - rewind find opcode, mnemonic, syscall ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/questions/FindTarget.h"
#include "commands/questions/SystemCallMade.h"
#include "commands/support/Format.h"
#include "commands/support/NearNames.h"
#include "core/store/TraceStore.h"
#include "core/support/Printable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <set>

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
  // Digits of x86-64 are those of bytes in the order of memory.
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
  CodeSet Code = codeWhere(S, Wanted);
  if (Code.Addresses.empty() && P->Digits && !X86) {
    std::set<unsigned> Digits;
    S.Store.forEachKind([&](const InsnItem &I, ArrayRef<LaneBytes>) {
      if (I.Flags & InsnItem::OpcodeKnown)
        Digits.insert(2 * I.Size);
    });
    if (!Digits.empty() && !Digits.count(P->Digits))
      return userError(
          "'" + Text.trim() + "' has " + Twine(P->Digits) +
          " digits, and opcodes of this trace have " +
          join(map_range(Digits, [](unsigned N) { return std::to_string(N); }),
               " or "));
  }
  return findCode(S, std::move(Code), T);
}

Expected<std::unique_ptr<FindTarget>> findMnemonic(Session &S, StringRef Text,
                                                   ThreadFilter T) {
  Text = Text.trim();
  const bool Whole = Text.contains(' ');
  // Operands have brackets.
  auto Like = TextPattern::create(Text, /*PlainBrackets=*/Whole);
  if (!Like)
    return Like.takeError();
  auto Wanted = [&S, Like = *Like, Whole](const InsnItem &I) {
    std::string Text = instructionText(S, I);
    return !Text.empty() &&
           Like.match(Whole ? StringRef(Text)
                            : StringRef(Text).split(' ').first);
  };
  CodeSet Code = codeWhere(S, Wanted);
  if (Code.Addresses.empty() && !Whole) {
    NearNames Near(Text);
    S.Store.forEachKind([&](const InsnItem &I, ArrayRef<LaneBytes>) {
      std::string Text = instructionText(S, I);
      Near.add(StringRef(Text).split(' ').first);
    });
    return userError("no instruction of the trace is a '" + Text + "'" +
                     Near.question());
  }
  return findCode(S, std::move(Code), T);
}

namespace {

class SystemCallTarget final : public NarrowedTarget {
public:
  SystemCallTarget(Session &S, CodeSet Code, std::optional<TextPattern> Like,
                   ThreadFilter T)
      : NarrowedTarget(S, findCode(S, std::move(Code), T)), Reader(S),
        Like(std::move(Like)) {}
  Expected<std::string> remark(Moment M, uint64_t, json::Object &Json) override;

private:
  Expected<bool> wanted(Moment M) override {
    auto C = Reader.at(M);
    if (!C)
      return C.takeError();
    if (!C->isCall())
      return false;
    if (!Like)
      return true;
    if (!C->number() && !C->info()) {
      ++NumUnknown;
      return false;
    }
    // A number may be asked for as well.
    return (C->info() && Like->match(C->info()->Name)) ||
           (C->number() && Like->match(std::to_string(*C->number())));
  }

  std::string unknownThing() const override {
    return "whose number is not known";
  }

  SystemCallReader Reader;
  const std::optional<TextPattern> Like;
};

} // namespace

Expected<std::string> SystemCallTarget::remark(Moment M, uint64_t,
                                               json::Object &Json) {
  auto C = Reader.at(M);
  return C ? Reader.describe(*C, &Json) : C.takeError();
}

Expected<std::unique_ptr<FindTarget>>
findSystemCalls(Session &S, StringRef Name, ThreadFilter T) {
  std::optional<TextPattern> Like;
  if (!Name.empty()) {
    auto P = TextPattern::create(Name);
    if (!P)
      return P.takeError();
    if (Name.find_first_of("*?[0123456789") == StringRef::npos &&
        !isSystemCallName(Name)) {
      NearNames Near(Name);
      eachSystemCallName([&](StringRef Known) { Near.add(Known); });
      return userError("there is no system call '" + Name + "'" +
                       Near.question());
    }
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
