//===- RegisterPane.cpp ---------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/view/terminal/RegisterPane.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace rw::term {

StringRef kindName(RegisterKind K) {
  switch (K) {
  case RegisterKind::Core:
    return "Core registers";
  case RegisterKind::Single:
    return "Single precision";
  case RegisterKind::Double:
    return "Double precision";
  case RegisterKind::Vector:
    return "Vectors";
  case RegisterKind::Mve:
    return "MVE";
  case RegisterKind::System:
    return "System registers";
  }
  return "";
}

bool ShownRegister::anyKnown() const {
  return StringRef(Value).find_first_not_of("? ") != StringRef::npos;
}

/// "1.5" of the digits "3fc00000"; empty if some are unknown.
static std::string meaningOf(StringRef Digits) {
  uint64_t Bits = 0;
  if (Digits.getAsInteger(16, Bits))
    return "";
  std::string Text;
  raw_string_ostream OS(Text);
  if (Digits.size() == 8)
    OS << llvm::format("%.9g", double(bit_cast<float>(uint32_t(Bits))));
  else
    OS << llvm::format("%.17g", bit_cast<double>(Bits));
  return Text;
}

/// Digits of the register, the highest byte first, whichever way they are told.
static std::string digitsOf(StringRef Value, size_t Bytes) {
  if (Value.consume_front("0x"))
    return Value.str();
  // More than 8 bytes may come in the order of memory, with blanks.
  SmallVector<StringRef> Parts;
  Value.split(Parts, ' ', -1, /*KeepEmpty=*/false);
  std::string Text;
  for (StringRef Part : reverse(Parts))
    Text += Part;
  return Text.empty() ? std::string(2 * Bytes, '?') : Text;
}

/// The number in "v12"; nothing of other names.
static std::optional<unsigned> numberOf(StringRef Name) {
  unsigned N = 0;
  StringRef Digits = Name.ltrim("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST"
                                "UVWXYZ_");
  if (Digits.empty() || Digits.getAsInteger(10, N))
    return std::nullopt;
  return N;
}

/// s0 and d0 of a vector. \p Changed has '1' for each byte that was, the lowest
/// first.
static void addNumbers(std::vector<ShownRegister> &To, StringRef Name,
                       StringRef Digits, StringRef Changed, bool Single) {
  auto N = numberOf(Name);
  const size_t Size = Single ? 8 : 16; // digits
  if (!N || Digits.size() < Size)
    return;
  const bool Arm32 = Name.starts_with("q") || Name.starts_with("d");
  const size_t Lanes = Arm32 ? Digits.size() / Size : 1;
  for (size_t L = 0; L < Lanes; ++L) {
    size_t Index = Arm32 ? *N * Lanes + L : *N;
    if (Single && Arm32 && Index > 31)
      return; // there are no more
    ShownRegister R;
    const bool HasName = Arm32 || Name.starts_with("v");
    R.Name =
        HasName ? (Single ? "s" : "d") + std::to_string(Index) : Name.str();
    R.Location = R.Name;
    R.Value = Digits.substr(Digits.size() - (L + 1) * Size, Size).str();
    R.Meaning = meaningOf(R.Value);
    R.Changed = Changed.substr(L * Size / 2, Size / 2).contains('1');
    To.push_back(std::move(R));
  }
}

std::vector<ShownRegister> registersOf(const json::Object &Answer,
                                       RegisterKind K) {
  std::vector<ShownRegister> List;
  const json::Array *All = Answer.getArray("registers");
  if (!All)
    return List;
  for (const json::Value &V : *All) {
    const json::Object &O = *V.getAsObject();
    std::string Name = textIn(O, "name"), Set = textIn(O, "set");
    const size_t Bytes = numberIn(O, "size").value_or(8);
    // No value at all is as many unknown bytes.
    std::string Digits = digitsOf(O.getString("value").value_or(""), Bytes);
    const bool Changed = O.getBoolean("changed").value_or(false);
    std::string ChangedBytes = textIn(O, "changed_bytes");
    if (Changed && ChangedBytes.empty())
      ChangedBytes.assign(std::max(Bytes, Digits.size() / 2), '1');
    const bool IsVector = Set == "float" && Bytes >= 8 && numberOf(Name);
    ShownRegister R{Name, Name, Digits, "", textIn(O, "symbol"), Changed};
    switch (K) {
    case RegisterKind::Core:
      if (Set.empty())
        List.push_back(std::move(R));
      break;
    case RegisterKind::System:
      if (Set == "system" && R.anyKnown())
        List.push_back(std::move(R));
      break;
    case RegisterKind::Single:
    case RegisterKind::Double:
      if (IsVector)
        addNumbers(List, Name, Digits, ChangedBytes, K == RegisterKind::Single);
      break;
    case RegisterKind::Vector:
      if (Set == "float")
        List.push_back(std::move(R));
      break;
    case RegisterKind::Mve:
      // q0 to q7, and the predicates.
      if (Name == "vpr" || Name == "fpscr" ||
          (Name[0] == 'q' && numberOf(Name).value_or(8) < 8))
        List.push_back(std::move(R));
      break;
    }
  }
  return List;
}

ArrayRef<Scope> RegisterPane::scopes() const {
  static constexpr Scope Scopes[] = {Scope::Registers, Scope::State,
                                     Scope::Any};
  return Scopes;
}

std::string RegisterPane::name() const { return kindName(Kind).str(); }

const std::vector<ShownRegister> &RegisterPane::registers() {
  Spot At = standing();
  return Values.get(positionText(At) + "|" + Model.folds(), [&] {
    auto O = Model.askHere("registers",
                           {{"thread", int64_t(At.Thread)}, {"at", At.At}});
    return O ? registersOf(*O, Kind) : std::vector<ShownRegister>();
  });
}

RegisterPane::Grid RegisterPane::gridFor(int Width) {
  Grid G = {1, 1, 1};
  for (const ShownRegister &R : registers()) {
    G.NameWidth = std::max<unsigned>(G.NameWidth, R.Name.size());
    unsigned Extra = Kind == RegisterKind::Single   ? 17
                     : Kind == RegisterKind::Double ? 25
                                                    : 0;
    G.CellWidth = std::max<unsigned>(G.CellWidth, R.Value.size() + Extra);
  }
  G.CellWidth += G.NameWidth + 2;
  G.Columns = std::max(1u, unsigned(std::max(Width, 1) + 1) / G.CellWidth);
  return G;
}

int RegisterPane::wantedHeight(int W) {
  unsigned Columns = gridFor(W).Columns;
  return (registers().size() + Columns - 1) / Columns;
}

void RegisterPane::draw(Area On, bool Focused) {
  Width = On.width();
  Height = std::max(On.height(), 1);
  const auto &List = registers();
  Chosen = std::min(Chosen, List.empty() ? 0 : List.size() - 1);
  if (List.empty()) {
    On.put(0, 0,
           Kind == RegisterKind::System ? "(none is known here)"
                                        : "(this processor has none)",
           Style::Dim);
    return;
  }
  Grid G = gridFor(Width);
  int Row = Chosen / G.Columns, Rows = (List.size() - 1) / G.Columns + 1;
  if (Focused)
    Top = std::clamp(Top, Row - Height + 1, Row);
  Top = std::clamp(Top, 0, std::max(0, Rows - Height));
  for (size_t I = size_t(Top) * G.Columns;
       I < List.size() && int(I / G.Columns) - Top < Height; ++I) {
    const ShownRegister &R = List[I];
    int X = int(I % G.Columns) * int(G.CellWidth), Y = int(I / G.Columns) - Top;
    const bool Here = Focused && I == Chosen;
    const Style Look = R.Changed      ? Style::Changed
                       : R.anyKnown() ? Style::Text
                                      : Style::Unknown;
    X = On.put(X, Y, leftPadded(R.Name, G.NameWidth), Style::Call);
    X = On.put(X, Y, R.Changed ? "*" : "=", Look);
    X = On.put(X, Y, R.Value, Look, Here);
    if (!R.Meaning.empty())
      On.put(X + 1, Y, R.Meaning, Look);
    if (Here)
      On.cursor(X - int(R.Value.size()), Y);
  }
  if (Top + Height < Rows)
    On.put(Width - 1, Height - 1, On.canvas().more(), Style::Event);
}

std::string RegisterPane::status() {
  std::string Text = "at #" + grouped(standing().At) + lockText();
  const auto &List = registers();
  if (Chosen >= List.size())
    return Text;
  const ShownRegister &R = List[Chosen];
  if (Symbols && !R.Symbol.empty())
    Text += "  " + R.Name + " is " + R.Symbol;
  return Text;
}

std::string RegisterPane::subject() {
  const auto &List = registers();
  return Chosen < List.size() ? List[Chosen].Location : "";
}

bool RegisterPane::act(Action A) {
  const auto &List = registers();
  const size_t Columns = gridFor(Width).Columns;
  auto Choose = [&](int64_t By) {
    int64_t To = int64_t(Chosen) + By;
    if (To >= 0 && To < int64_t(List.size()))
      Chosen = To;
  };
  switch (A) {
  case Action::Up:
    Choose(-int64_t(Columns));
    return true;
  case Action::Down:
    Choose(Columns);
    return true;
  case Action::Left:
    Choose(-1);
    return true;
  case Action::Right:
    Choose(1);
    return true;
  case Action::PageUp:
    Chosen -= std::min(Chosen, Columns * Height);
    return true;
  case Action::PageDown:
    Chosen =
        std::min(Chosen + Columns * Height, List.empty() ? 0 : List.size() - 1);
    return true;
  case Action::Enter:
    if (Chosen < List.size()) {
      std::string Of = List[Chosen].Location;
      Spot At = standing();
      if (At.Thread != Model.here().Thread)
        Of = std::to_string(At.Thread) + ":" + Of;
      Model.access("last-write", Of, std::nullopt, At.At);
    }
    return true;
  case Action::Symbol:
    Symbols = !Symbols;
    Model.tell(Symbols ? "values as symbols" : "values without symbols");
    return true;
  case Action::OpenValue:
    if (Chosen < List.size()) {
      const std::string &Value = List[Chosen].Value;
      uint64_t Number = 0;
      if (StringRef(Value).getAsInteger(16, Number))
        Model.complain("the value of " + List[Chosen].Name +
                       " is not known, or too wide for an address");
      else
        Host.openMemory("0x" + StringRef(Value).ltrim('0').str());
    }
    return true;
  default:
    return actOnState(A);
  }
}

} // namespace rw::term
