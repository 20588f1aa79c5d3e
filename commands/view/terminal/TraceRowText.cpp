//===- TraceRowText.cpp ---------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/view/terminal/TraceRowText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace rw::term {

static std::optional<std::string> valueIn(const json::Value &V) {
  if (auto Text = V.getAsString())
    return Text->str();
  return std::nullopt;
}

static void addRegisters(std::vector<Effect> &To, const json::Object *From,
                         bool IsWrite, const json::Array *Inferred) {
  if (!From)
    return;
  size_t First = To.size();
  for (const auto &[Name, Value] : *From) {
    Effect E;
    E.Name = Name.str();
    E.IsWrite = IsWrite;
    E.Value = valueIn(Value);
    E.Inferred = Inferred && any_of(*Inferred, [&](const json::Value &V) {
                   return V.getAsString() == std::optional<StringRef>(E.Name);
                 });
    To.push_back(std::move(E));
  }
  // An object has no order of its own.
  std::sort(To.begin() + First, To.end(), [](const Effect &A, const Effect &B) {
    return StringRef(A.Name).compare_numeric(B.Name) < 0;
  });
}

std::vector<Effect> effectsOf(const json::Object &Row) {
  std::vector<Effect> List;
  if (const json::Array *Memory = Row.getArray("memory"))
    for (const json::Value &V : *Memory) {
      const json::Object &M = *V.getAsObject();
      Effect E;
      E.Name = textIn(M, "address");
      E.IsMemory = true;
      E.IsWrite = textIn(M, "access") == "write";
      E.Size = numberIn(M, "size").value_or(0);
      if (const json::Value *Value = M.get("value"))
        E.Value = valueIn(*Value);
      E.Inferred = M.getBoolean("inferred").value_or(false);
      List.push_back(std::move(E));
    }
  const json::Array *Inferred = Row.getArray("inferred");
  addRegisters(List, Row.getObject("registers"), true, Inferred);
  addRegisters(List, Row.getObject("shown"), false, Inferred);
  return List;
}

std::string brief(StringRef Value) {
  if (!Value.consume_front("0x"))
    return Value.str();
  Value = Value.ltrim('0');
  return ("0x" + (Value.empty() ? "0" : Value)).str();
}

static Span spanOf(const Effect &E, const RowStyle &S, bool Marked) {
  Span Text;
  if (E.IsMemory) {
    Text.Text = "[" + E.Name + "]";
    StringRef Arrow =
        S.Utf8 ? (E.IsWrite ? "←" : "→") : (E.IsWrite ? "<-" : "->");
    Text.Text += Arrow;
  } else {
    Text.Text = E.Name + (E.IsWrite ? "=" : " is ");
  }
  Text.Text += E.Value ? brief(*E.Value) : "?";
  Text.Reverse = Marked;
  if (S.Colours)
    Text.Look = !E.Value    ? Style::Unknown
                : E.IsWrite ? Style::Write
                            : Style::Read;
  return Text;
}

/// "b 0x8038 <main+0x10>" without the symbol.
static std::string withoutTarget(StringRef Text) {
  size_t At = Text.find(" <"); // names of templates have more of them
  return (At != StringRef::npos && Text.ends_with(">") ? Text.take_front(At)
                                                       : Text)
      .str();
}

/// The symbol of its target is what gives way, in its middle.
static std::string fittedInstruction(StringRef Text, unsigned Width,
                                     StringRef Mark) {
  if (columns(Text) <= Width)
    return Text.str();
  const size_t At = Text.ends_with(">") ? Text.find(" <") : StringRef::npos;
  if (At == StringRef::npos || columns(Text.take_front(At)) + 8 > Width)
    return fitted(Text, Width, Mark);
  StringRef Before = Text.take_front(At + 2);
  return (Before +
          fittedInside(Text.drop_front(At + 2).drop_back(),
                       Width - columns(Before) - 1, Mark) +
          ">")
      .str();
}

std::vector<Line> linesOf(const json::Object &Row, const RowStyle &S) {
  std::vector<Line> Lines;
  const StringRef More = S.Utf8 ? "…" : "~";
  auto Coloured = [&](Style Wanted) {
    return S.Colours ? Wanted : Style::Text;
  };
  if (const json::Array *Events = Row.getArray("events"))
    for (const json::Value &V : *Events) {
      const json::Object &E = *V.getAsObject();
      std::string Text = "  * " + textIn(E, "kind");
      if (std::string Said = textIn(E, "text"); !Said.empty())
        Text += ": " + Said;
      Lines.push_back({{fitted(Text, S.Width, More), Coloured(Style::Event)}});
    }
  Position At = numberIn(Row, "position").value_or(0);
  Position Next = numberIn(Row, "next").value_or(At + 1);
  const bool Executed = Row.getBoolean("executed").value_or(true);
  const Style Plain = S.Current   ? Style::Current
                      : !Executed ? Coloured(Style::Dim)
                                  : Style::Text;
  Line Head;
  Head.push_back({Next > At + 1      ? "+ "
                  : Row.get("opens") ? "- "
                                     : "  ",
                  Coloured(Style::Fold)});
  Head.push_back(
      {leftPadded("#" + std::to_string(At), S.PositionWidth) + " ", Plain});
  if (S.HasTime) {
    auto Time = numberIn(Row, "time");
    Head.push_back(
        {leftPadded(Time ? std::to_string(*Time) : "?", S.TimeWidth) + " ",
         Coloured(Style::Dim)});
  }
  Head.push_back({padded(textIn(Row, "pc"), S.PCWidth) + " ", Plain});
  if (S.HasSymbols) {
    const unsigned Room = S.Width >= 120 ? 28 : 18;
    std::string Name = textIn(Row, "function"), Offset;
    if (uint64_t N = numberIn(Row, "function_offset").value_or(0);
        N && !Name.empty())
      Offset = "+0x" + utohexstr(N, /*LowerCase=*/true);
    Name =
        fitted(Name, Room - std::min<unsigned>(Offset.size(), Room - 4), More) +
        Offset;
    Head.push_back({padded(Name, Room) + " ", Coloured(Style::Call)});
  }
  const unsigned InsnAt = columns(Head);
  if (S.Indent) {
    uint32_t Depth = numberIn(Row, "depth").value_or(0);
    Depth = Depth > S.BaseDepth ? Depth - S.BaseDepth : 0;
    Head.push_back({std::string(std::min(Depth, 12u), ' ')});
  }
  // What happened is never cut: the names that stand before it give way.
  Line Happened;
  if (!Executed)
    Happened.push_back({" (not executed)", Coloured(Style::Dim)});
  else if (auto Taken = Row.getBoolean("taken"); Taken && !*Taken)
    Happened.push_back({" (not taken)", Coloured(Style::Dim)});
  if (Next > At + 1)
    Happened.push_back(
        {" [" + grouped(Next - At - 1) + " hidden]", Coloured(Style::Fold)});
  std::string Insn = textIn(Row, "instruction");
  if (!S.Targets)
    Insn = withoutTarget(Insn);
  const unsigned Taken = columns(Head) + columns(Happened);
  Head.push_back(
      {fittedInstruction(Insn, S.Width > Taken + 8 ? S.Width - Taken : 8, More),
       Plain});
  for (Span &Part : Happened)
    Head.push_back(std::move(Part));

  // Effects stand in a column of their own where there is room for one.
  std::vector<Effect> Effects = effectsOf(Row);
  const unsigned Column = S.Width >= InsnAt + 60 ? InsnAt + 36 : InsnAt + 4;
  unsigned Used = columns(Head);
  for (size_t I = 0; I < Effects.size(); ++I) {
    Span Text = spanOf(Effects[I], S, int(I) == S.Marked);
    unsigned Needed = columns(Text.Text);
    if (Needed > S.Width - std::min(Column, S.Width / 2)) {
      Text.Text =
          fitted(Text.Text, S.Width - std::min(Column, S.Width / 2), More);
      Needed = columns(Text.Text);
    }
    unsigned Gap = Used < Column ? std::max(Column - Used, 2u) : 2;
    if (I == 0 && Column < InsnAt + 36)
      Gap = 2; // right behind the instruction
    if (Used + Gap + Needed > S.Width) {
      Lines.push_back(std::move(Head));
      Head = {};
      Used = 0;
      Gap = std::min(Column, S.Width / 2);
    }
    Head.push_back({std::string(Gap, ' ')});
    Head.push_back(std::move(Text));
    Used += Gap + Needed;
  }
  Lines.push_back(std::move(Head));
  return Lines;
}

} // namespace rw::term
