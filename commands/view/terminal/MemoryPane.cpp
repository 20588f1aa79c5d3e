//===- MemoryPane.cpp -----------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/view/terminal/MemoryPane.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace rw::term {

static uint64_t addressIn(const json::Object &O, StringRef Name) {
  uint64_t N = 0;
  StringRef Text = O.getString(Name).value_or("0");
  Text.getAsInteger(0, N);
  return N;
}

ArrayRef<Scope> MemoryPane::scopes() const {
  static constexpr Scope Scopes[] = {Scope::Memory, Scope::State, Scope::Any};
  return Scopes;
}

const MemoryPane::Dump &MemoryPane::dump() {
  Spot At = standing();
  // A locked pane compares with the moment that it is locked to.
  std::string Key = positionText(At) + "|" + Model.folds() + "|" + Expression +
                    "|" + std::to_string(Scrolled) + "|" +
                    std::to_string(Height) + "|" + std::to_string(PerRow) +
                    "|" + (Since ? std::to_string(*Since) : "");
  return Shown.get(Key, [&] {
    Dump D;
    json::Object Fields{{"thread", int64_t(At.Thread)}, {"at", At.At}};
    if (Since)
      Fields["since"] = *Since;
    json::Object Where = Fields;
    Where["address"] = Expression;
    Where["size"] = 16;
    auto Base = Model.askHere("memory", std::move(Where));
    if (!Base) {
      D.Problem = Model.Status.Text;
      return D;
    }
    D.Base =
        addressIn(*Base, "address") + numberIn(*Base, "offset").value_or(0);
    // Rows begin at multiples of 16, those of 8 bytes at multiples of 8.
    const uint64_t Size =
        std::min<uint64_t>(uint64_t(Height) * PerRow + 16, 4096);
    uint64_t First = (D.Base & ~uint64_t(PerRow - 1)) + Scrolled;
    Fields["address"] = hex(First);
    Fields["size"] = Size;
    auto O = Model.askHere("memory", std::move(Fields));
    if (!O) {
      D.Problem = Model.Status.Text;
      return D;
    }
    uint64_t Told = addressIn(*O, "address");
    size_t Skip = First - Told;
    D.First = First;
    D.Bytes = textIn(*O, "bytes");
    D.Changed = textIn(*O, "changed");
    D.Bytes.erase(0, std::min(2 * Skip, D.Bytes.size()));
    D.Changed.erase(0, std::min(Skip, D.Changed.size()));
    return D;
  });
}

uint64_t MemoryPane::cursorAddress() { return dump().Base + Cursor; }

std::string MemoryPane::subject() {
  return dump().Problem.empty() ? hex(cursorAddress()) : Expression;
}

void MemoryPane::draw(Area On, bool Focused) {
  Height = std::max(On.height(), 1);
  unsigned Digits = 8;
  {
    const Dump &D = dump();
    if (!D.Problem.empty()) {
      On.put(0, 0, D.Problem, Style::Error);
      return;
    }
    Digits = std::max<unsigned>(8, utohexstr(D.First + 4096).size());
  }
  const int Needed = int(Digits) + 3 + 16 * 4 + 1;
  PerRow = On.width() >= Needed ? 16 : 8;
  const Dump &D = dump();
  const uint64_t Here = D.Base + Cursor;
  for (int Y = 0; Y < Height; ++Y) {
    uint64_t Row = D.First + uint64_t(Y) * PerRow;
    if (size_t(Y) * PerRow >= D.Changed.size())
      break;
    std::string Hex = utohexstr(Row, /*LowerCase=*/true);
    Hex.insert(0, Hex.size() < Digits ? Digits - Hex.size() : 0, '0');
    On.put(0, Y, "0x" + Hex, Style::Call);
    for (int I = 0; I < PerRow; ++I) {
      size_t N = size_t(Y) * PerRow + I;
      if (N >= D.Changed.size())
        break;
      StringRef Byte = StringRef(D.Bytes).substr(2 * N, 2);
      unsigned Code = 0;
      const bool Known = !Byte.getAsInteger(16, Code);
      const Style Look = D.Changed[N] == '1' ? Style::Changed
                         : Known             ? Style::Text
                                             : Style::Unknown;
      const bool Mine = Focused && Row + I == Here;
      int X = int(Digits) + 3 + 3 * I;
      On.put(X, Y, Byte, Look, Mine);
      if (Mine)
        On.cursor(X, Y);
      std::string Char(1, !Known                     ? '?'
                          : Code >= 32 && Code < 127 ? char(Code)
                                                     : '.');
      On.put(int(Digits) + 3 + 3 * PerRow + I, Y, Char, Look, Mine);
    }
  }
}

/// "head+0x8", if an image knows.
std::string MemoryPane::symbolAt(uint64_t Address) {
  if (!Model.HasSymbols)
    return "";
  return Symbol.get(hex(Address), [&] {
    auto O = Model.askHere("symbol", {{"address", hex(Address)}});
    return O ? textIn(*O, "name") : std::string();
  });
}

std::string MemoryPane::status() {
  std::string Text = "at #" + grouped(standing().At) + lockText();
  if (Since)
    Text += ", changes since #" + grouped(*Since);
  if (!dump().Problem.empty())
    return Text;
  uint64_t Here = cursorAddress();
  Text += "  " + hex(Here);
  std::string Name = symbolAt(Here);
  if (!Name.empty())
    Text += " " + Name;
  return Text;
}

void MemoryPane::move(int64_t By) { goTo(cursorAddress() + By); }

void MemoryPane::goTo(uint64_t Address) {
  const Dump &D = dump();
  if (!D.Problem.empty())
    return;
  Cursor = int64_t(Address - D.Base);
  const int64_t Row = int64_t((Address & ~uint64_t(PerRow - 1)) -
                              (D.Base & ~uint64_t(PerRow - 1)));
  const int64_t Last = Scrolled + int64_t(Height - 1) * PerRow;
  if (Row < Scrolled)
    Scrolled = Row;
  else if (Row > Last)
    Scrolled = Row - int64_t(Height - 1) * PerRow;
}

void MemoryPane::lastWrite(unsigned Size) {
  if (!dump().Problem.empty())
    return;
  Spot At = standing();
  Model.access("last-write", hex(cursorAddress() & ~uint64_t(Size - 1)), Size,
               At.At);
}

/// The changes are those between the row before and the position, or since what
/// is compared with.
void MemoryPane::findChange(bool Next) {
  Spot At = standing();
  json::Object Fields{{"thread", int64_t(At.Thread)},
                      {"at", At.At},
                      {"address", Expression},
                      {"size", 16}};
  if (Since)
    Fields["since"] = *Since;
  auto Where = Model.askHere("memory", std::move(Fields));
  if (!Where)
    return;
  Position From = numberIn(*Where, "since").value_or(At.At);
  auto O = Model.ask("diff", {{"from", positionText({At.Thread, From})},
                              {"to", positionText(At)},
                              {"count", "100000"}});
  if (!O)
    return;
  const uint64_t Here = cursorAddress();
  std::optional<uint64_t> Best;
  for (const json::Value &V : *O->getArray("items")) {
    const json::Object &Item = *V.getAsObject();
    if (!Item.getString("address"))
      continue;
    uint64_t First = addressIn(Item, "address"),
             End = First + numberIn(Item, "size").value_or(1);
    if (Next) {
      uint64_t Candidate = std::max(First, Here + 1);
      if (Candidate < End && (!Best || Candidate < *Best))
        Best = Candidate;
    } else {
      uint64_t Candidate = std::min(End, Here) - 1;
      if (First < Here && Candidate >= First && (!Best || Candidate > *Best))
        Best = Candidate;
    }
  }
  if (!Best)
    return Model.complain(Twine("nothing ") + (Next ? "behind" : "before") +
                          " it has changed since #" + Twine(From));
  goTo(*Best);
}

bool MemoryPane::act(Action A) {
  switch (A) {
  case Action::Left:
    move(-1);
    return true;
  case Action::Right:
    move(1);
    return true;
  case Action::Up:
    move(-PerRow);
    return true;
  case Action::Down:
    move(PerRow);
    return true;
  case Action::PageUp:
    move(-int64_t(PerRow) * Height);
    return true;
  case Action::PageDown:
    move(int64_t(PerRow) * Height);
    return true;
  case Action::Enter:
  case Action::Write1:
    lastWrite(1);
    return true;
  case Action::Write2:
    lastWrite(2);
    return true;
  case Action::Write4:
    lastWrite(4);
    return true;
  case Action::Write8:
    lastWrite(8);
    return true;
  case Action::LastChange:
    findChange(false);
    return true;
  case Action::NextChange:
    findChange(true);
    return true;
  case Action::Compare:
    Host.prompt(Model.HasLines ? "Compare with line (empty: the row before): "
                               : "Compare with position (empty: the row "
                                 "before): ",
                "", [this](const std::string &Text) {
                  if (Text.empty())
                    Since.reset();
                  else if (auto To =
                               Model.place(Model.HasLines ? "l" : "", Text))
                    Since = To->At;
                });
    return true;
  case Action::Fix:
    if (dump().Problem.empty()) {
      Expression = hex(dump().Base);
      Model.tell("stays at " + Expression);
    }
    return true;
  case Action::Address:
    Host.prompt("Memory at: ", Expression, [this](const std::string &Text) {
      if (!Model.askHere("memory", {{"address", Text}, {"size", 16}}))
        return;
      Expression = Text;
      Scrolled = Cursor = 0;
    });
    return true;
  default:
    return actOnState(A);
  }
}

} // namespace rw::term
