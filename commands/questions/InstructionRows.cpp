//===- InstructionRows.cpp - Instructions as `list` prints them -----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/questions/InstructionRows.h"
#include "commands/support/Listing.h"
#include "core/store/TraceStore.h"
#include "core/support/BriefName.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;

namespace rw {

Expected<InstructionRows> InstructionRows::open(Session &S) {
  auto Teller = InstructionJson::open(S);
  if (!Teller)
    return Teller.takeError();
  return InstructionRows(S, std::move(*Teller));
}

static bool sameShape(ArrayRef<RegItem> A, ArrayRef<RegItem> B) {
  return A.size() == B.size() &&
         std::equal(A.begin(), A.end(), B.begin(),
                    [](const RegItem &X, const RegItem &Y) {
                      return X.Lane == Y.Lane && X.Written == Y.Written &&
                             X.Unknown == Y.Unknown && X.Thread == Y.Thread &&
                             X.Flags == Y.Flags;
                    });
}

/// \p Text as a string of JSON.
static std::string quoted(const std::string &Text) {
  std::string Out;
  raw_string_ostream OS(Out);
  printJsonLine(OS, Text);
  Out.pop_back();
  return Out;
}

void InstructionRows::layOut(Code &C, const Instruction &I) const {
  C.Shape.assign(I.Regs.begin(), I.Regs.end());
  C.Layout = Teller.names().layout(I.Regs);
  C.Written.clear();
  C.Shown.clear();
  C.Inferred.clear();
  std::map<std::string, uint16_t> Written, Shown;
  for (const auto &[N, Change] : enumerate(C.Layout.Changes)) {
    const std::string Name = InstructionJson::nameIn(I, Change);
    // What is told twice is as it was told last.
    (Change.Flags & RegItem::NotWritten ? Shown : Written)[Name] = uint16_t(N);
    if (Change.Flags & RegItem::Inferred)
      C.Inferred += (C.Inferred.empty() ? "" : ",") + quoted(Name);
  }
  for (const auto &[Name, N] : Written)
    C.Written.push_back({quoted(Name) + ":", N});
  for (const auto &[Name, N] : Shown)
    C.Shown.push_back({quoted(Name) + ":", N});
}

const InstructionRows::Code &InstructionRows::textOf(const Instruction &I) {
  Code &C = codeOf(I);
  if (!sameShape(C.Shape, I.Regs))
    layOut(C, I);
  if (!C.What.empty())
    return C;
  C.What = hex(I.Insn.PC) + "  " + formatInstruction(*S, I.Insn);
  if (StringRef Outcome = formatOutcome(I.Insn); !Outcome.empty())
    C.What += ("   (" + Outcome + ")").str();
  auto Sym = S->Symbols ? S->Symbols->symbolizeCode(I.Insn.PC) : std::nullopt;
  if (!Sym)
    return C;
  C.Source = briefName(Sym->Function);
  if (Sym->Frames.empty() || !Sym->Frames[0].Line)
    return C;
  const SourceFrame &F = Sym->Frames[0];
  if (Sym->Frames.size() > 1)
    C.Source += " inlined " + briefName(F.Function);
  C.Source += " at " + F.File.substr(F.File.rfind('/') + 1) + ":" +
              std::to_string(F.Line);
  C.SourceText = Sources.line(S->sourceFile(F.File), F.Line).str();
  return C;
}

InstructionRows::Code &InstructionRows::jsonOf(const Instruction &I) {
  Code &C = codeOf(I);
  if (!sameShape(C.Shape, I.Regs))
    layOut(C, I);
  if (C.Fields.empty())
    C.Fields = Rows.prepare(Teller.ofCode(I.Insn));
  return C;
}

/// Appends the value, or null.
static void appendJson(std::string &Out, ArrayRef<uint8_t> Bytes,
                       ArrayRef<uint8_t> Known, ByteOrder Order) {
  if (none_of(Known, [](uint8_t K) { return K; })) {
    Out += "null";
    return;
  }
  Out += '"';
  appendValue(Out, Bytes, Known, Order);
  Out += '"';
}

void InstructionRows::registersJson(
    std::string &Out, const Instruction &I,
    ArrayRef<std::pair<std::string, uint16_t>> Names,
    const RegisterLayout &Layout) const {
  Out += '{';
  SmallVector<uint8_t, 32> Bytes, Known;
  for (const auto &[Name, N] : Names) {
    if (Out.back() != '{')
      Out += ',';
    Out += Name;
    Bytes.clear();
    Known.clear();
    Layout.Changes[N].values(I.Regs, Bytes, Known);
    appendJson(Out, Bytes, Known, ByteOrder::Little);
  }
  Out += '}';
}

void InstructionRows::memoryJson(std::string &Out, const Instruction &I,
                                 const Instruction &Told) const {
  Out += '[';
  for (size_t N = 0; N < I.Mems.size(); ++N) {
    const MemAccess &M = I.Mems[N];
    Out += N ? ",{" : "{";
    Out += M.isWrite() ? "\"access\":\"write\"" : "\"access\":\"read\"";
    Out += ",\"address\":\"";
    appendHex(Out, M.Addr);
    Out += '"';
    if (M.Flags & MemItem::Exclusive)
      Out += ",\"exclusive\":true";
    if (M.Flags & MemItem::Implied)
      Out += ",\"implied\":true";
    if (M.Known != Told.Mems[N].Known)
      Out += ",\"inferred\":true";
    if (M.Real != ~uint64_t(0)) {
      Out += ",\"real_address\":\"";
      appendHex(Out, M.Real);
      Out += '"';
    }
    Out += ",\"size\":";
    appendDecimal(Out, M.Bytes.size());
    Out += ",\"value\":";
    appendJson(Out, M.Bytes, M.Known, S->Store.header().Order);
    Out += '}';
  }
  Out += ']';
}

Error InstructionRows::json(std::string &Out, const Instruction &Told,
                            json::Array Events) {
  auto Full = Teller.infer(Told);
  if (!Full)
    return Full.takeError();
  const Instruction &I = **Full;
  Code &C = jsonOf(I);
  Rows.begin(Out, C.Fields);
  if (!Events.empty())
    Rows.field("events", std::move(Events));
  if (!C.Inferred.empty())
    Rows.field("inferred").append("[" + C.Inferred + "]");
  if (I.Line)
    Rows.field("line", I.Line);
  memoryJson(Rows.field("memory"), I, Told);
  Rows.field("position", I.Pos);
  if (auto Real = Teller.pages().realAddress(I.When, I.Insn.PC))
    Rows.plainField("real_address", hex(*Real));
  registersJson(Rows.field("registers"), I, C.Written, C.Layout);
  if (!C.Shown.empty())
    registersJson(Rows.field("shown"), I, C.Shown, C.Layout);
  if (S->Memory.Slice.has(I.When))
    Rows.field("slice").append("true");
  Rows.field("thread", I.Thread + 1);
  if (auto Time = timeOf(S->Store, I))
    Rows.field("time", *Time);
  else
    Rows.field("time").append("null");
  Rows.end();
  Out += '\n';
  return Error::success();
}

/// Whether the debugger stands before it.
bool InstructionRows::isHere(const Instruction &I) const {
  if (I.Thread != S->Here.Thread || !S->Move || I.When < S->Here.When)
    return false;
  auto P = S->Store.positionOf(S->Here.Thread, S->Here.When);
  if (P)
    return *P == I.Pos;
  consumeError(P.takeError());
  return false;
}

const std::string &InstructionRows::dataName(uint64_t Addr) {
  constexpr size_t Most = 1 << 16;
  if (DataNames.size() == Most)
    DataNames.clear();
  auto [It, New] = DataNames.try_emplace(Addr);
  if (New)
    It->second = formatData(*S, Addr);
  return It->second;
}

static void padTo(std::string &Out, size_t Begin, size_t Width) {
  if (const size_t Has = Out.size() - Begin; Has < Width)
    Out.append(Width - Has, ' ');
}

Error InstructionRows::row(std::string &Out, const Instruction &Told) {
  auto Full = Teller.infer(Told);
  if (!Full)
    return Full.takeError();
  appendRow(Out, **Full, Told);
  return Error::success();
}

Error InstructionRows::text(std::string &Out, const Instruction &Told) {
  const Code &C = textOf(Told);
  if (!C.Source.empty() && C.Source != LastSource) {
    LastSource = C.Source;
    Out += C.Source + "\n";
    if (!C.SourceText.empty())
      Out += "      | " + C.SourceText + "\n";
  }
  Out += isHere(Told) ? "->" : "  ";
  Out += S->Memory.Slice.has(Told.When) ? '*' : ' ';
  return row(Out, Told);
}

void InstructionRows::appendRow(std::string &Out, const Instruction &I,
                                const Instruction &Told) {
  const Code &C = textOf(I);
  const size_t Begin = Out.size();
  appendPlace(Out, S->Store, I.Thread, I.Pos);
  padTo(Out, Begin, 9);
  if (S->Store.header().Can.Time) {
    appendTime(Out, S->Store, timeOf(S->Store, I), 12);
    Out += "  ";
  }
  Out += C.What;
  // That memory is mapped to where it is says nothing.
  if (auto Real = Teller.pages().realAddress(I.When, I.Insn.PC);
      Real && *Real != I.Insn.PC)
    Out += "   (real " + hex(*Real) + ")";
  Out += '\n';
  constexpr unsigned Margin = 14;
  for (size_t N = 0; N < I.Mems.size(); ++N) {
    const MemAccess &M = I.Mems[N];
    Out.append(Margin, ' ');
    Out += M.isWrite() ? "write " : "read  ";
    appendHex(Out, M.Addr);
    Out += " (";
    appendDecimal(Out, M.Bytes.size());
    Out += ')';
    if (const std::string &Name = dataName(M.Addr); !Name.empty())
      Out += " " + Name;
    Out += " = ";
    appendShown(Out, *S, M.Bytes, M.Known, S->Store.header().Order);
    if (M.Known != Told.Mems[N].Known)
      Out += "   (inferred)";
    if (M.Flags & MemItem::Implied)
      Out += "   (semihosting)";
    if (M.Real != ~uint64_t(0) && M.Real != M.Addr)
      Out += "   (real " + hex(M.Real) + ")";
    Out += '\n';
  }
  SmallVector<uint8_t, 32> Bytes, Known;
  for (const RegisterLayout::Change &R : C.Layout.Changes) {
    Out.append(Margin, ' ');
    Out += R.Name;
    Out += R.Flags & RegItem::NotWritten ? " is " : " = ";
    Bytes.clear();
    Known.clear();
    R.values(I.Regs, Bytes, Known);
    appendShown(Out, *S, Bytes, Known, ByteOrder::Little);
    if (R.Flags & RegItem::Inferred)
      Out += "   (inferred)";
    else if (R.Flags & RegItem::NotWritten)
      Out += "   (not known any more)";
    if (R.Thread != I.Thread)
      Out += "   (thread " + threadLabel(S->Store, R.Thread) + ")";
    Out += '\n';
  }
}

} // namespace rw
