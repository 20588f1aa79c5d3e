//===- AnswersRows.cpp - Rows, folds, registers, memory -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/view/Answers.h"
#include "core/store/StateCursor.h"
#include "core/store/TraceStore.h"
#include "core/support/Digits.h"
#include "core/view/States.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace rw {

static constexpr uint64_t MaxRows = 400, MaxMemory = 4096, MaxEventsOfRow = 20;
static constexpr size_t MaxFolds = 1 << 15; ///< bytes of their text

Expected<TraceRows> ViewAnswers::rowsOf(const ViewFields &F, ThreadIndex T,
                                        Folds &Hidden) const {
  auto Text = F.textOr("folds", "", MaxFolds);
  if (!Text)
    return Text.takeError();
  auto Parsed = Folds::parse(*Text);
  if (!Parsed)
    return Parsed.takeError();
  Hidden = std::move(*Parsed);
  return TraceRows(Calls.get(), Hidden, T, S.Store.numInstructions(T));
}

Expected<json::Array> ViewAnswers::happened(const Instruction &I,
                                            bool &More) const {
  Moment From = 0;
  if (I.Pos) {
    auto Last = S.Store.momentOf(I.Thread, I.Pos - 1);
    if (!Last)
      return Last.takeError();
    From = *Last + 1;
  }
  auto Index = S.Store.firstEventFrom(From);
  if (!Index)
    return Index.takeError();
  json::Array All;
  for (uint64_t E = *Index; E < S.Store.numEvents(); ++E) {
    auto Event = S.Store.event(E);
    if (!Event)
      return Event.takeError();
    if (Event->Before > I.When)
      break;
    if (Event->Thread != I.Thread)
      continue;
    More = All.size() == MaxEventsOfRow;
    if (More)
      break;
    All.push_back(InstructionJson::tell(*Event));
  }
  return All;
}

Error ViewAnswers::appendRow(std::string &Out, const TraceRow &R,
                             const Instruction &I) {
  bool MoreEvents = false;
  auto Events = happened(I, MoreEvents);
  if (!Events)
    return Events.takeError();
  if (Error E = Lines->json(Out, I, std::move(*Events)))
    return E;
  // As a line of its own; ours are added to it.
  assert(StringRef(Out).ends_with("}\n") && "the end of an object");
  Out.resize(Out.size() - 2);
  auto add = [&](StringRef Name, uint64_t Number) {
    Out += ",\"";
    Out += Name;
    Out += "\":";
    appendDecimal(Out, Number);
  };
  add("next", R.Next);
  add("depth", R.Depth);
  if (R.Opens)
    add("opens", *R.Opens);
  const auto &File = FileOfCode.of(I.Insn, [&](const InsnItem &Insn) {
    auto Sym = S.Symbols ? S.Symbols->symbolizeCode(Insn.PC) : std::nullopt;
    return Sym && !Sym->Frames.empty() && Sym->Frames[0].Line
               ? std::optional<int64_t>(fileNumber(Sym->Frames[0].File))
               : std::nullopt;
  });
  if (File)
    add("file_number", uint64_t(*File));
  if (MoreEvents)
    Out += ",\"more_events\":true";
  Out += '}';
  return Error::success();
}

ViewAnswers::Answer ViewAnswers::rows(const ViewFields &F) {
  auto T = thread(F);
  if (!T)
    return T.takeError();
  auto At = position(F, "at", *T);
  auto Before = F.numberOr("before", MaxRows, 0);
  auto After = F.numberOr("after", MaxRows, 50);
  Folds Hidden;
  auto Rows = rowsOf(F, *T, Hidden);
  if (!At || !Before || !After || !Rows)
    return joinErrors(joinErrors(At.takeError(), Before.takeError()),
                      joinErrors(After.takeError(), Rows.takeError()));
  // The position itself may be hidden: it is shown where it went.
  auto Shown = Rows->rowOf(*At);
  if (!Shown)
    return Shown.takeError();
  auto List = Rows->around(*Shown, *Before, *After);
  if (!List)
    return List.takeError();
  if (!Lines) {
    auto Opened = InstructionRows::open(S);
    if (!Opened)
      return Opened.takeError();
    Lines.emplace(std::move(*Opened));
  }
  auto Near = StateCursor::open(S.Store);
  std::string Items = "[";
  for (const TraceRow &R : *List) {
    auto M = S.Store.momentOf(*T, R.At);
    if (!M)
      return M.takeError();
    auto I = Near->at(*M);
    if (!I)
      return I.takeError();
    if (Items.size() > 1)
      Items += ',';
    if (Error E = appendRow(Items, R, **I))
      return E;
  }
  Items += ']';
  bool AtStart = List->empty() ? *Shown == 0 : List->front().At == 0;
  bool AtEnd =
      List->empty() || List->back().Next >= S.Store.numInstructions(*T);
  Reply Told(json::Object{{"shown", *Shown},
                          {"hidden", *Shown != *At},
                          {"at_start", AtStart},
                          {"at_end", AtEnd}});
  Told.ListName = "rows";
  Told.List = std::move(Items);
  return Told;
}

ViewAnswers::Answer ViewAnswers::fold(const ViewFields &F) {
  auto T = thread(F);
  if (!T)
    return T.takeError();
  auto At = position(F, "at", *T);
  auto Name = F.text("action");
  Folds Hidden;
  auto Rows = rowsOf(F, *T, Hidden);
  if (!At || !Name || !Rows)
    return joinErrors(joinErrors(At.takeError(), Name.takeError()),
                      Rows.takeError());
  static constexpr std::pair<StringLiteral, FoldAction> Actions[] = {
      {"containing", FoldAction::Containing},
      {"unfold", FoldAction::Unfold},
      {"unfold-whole", FoldAction::UnfoldWhole},
      {"callees", FoldAction::Callees},
      {"unfold-inside", FoldAction::UnfoldInside},
      {"all", FoldAction::All},
      {"unfold-all", FoldAction::UnfoldAll},
  };
  Folds To = Hidden;
  Expected<Position> Moved = *At;
  if (*Name == "behind") {
    // The box of a row: the call that begins behind it.
    auto R = Rows->row(*At);
    if (!R)
      return R.takeError();
    if (R->Opens)
      To.set(*R->Opens, *R->Opens + 1, true);
  } else {
    const auto *A =
        find_if(Actions, [&](const auto &A) { return A.first == *Name; });
    if (A == std::end(Actions))
      return userError("there is no way to fold called '" + *Name + "'");
    Moved = Rows->fold(To, *At, A->second);
    if (!Moved)
      return Moved.takeError();
  }
  std::string Text = To.text();
  // The next question would be refused.
  if (Text.size() > MaxFolds || 2 * Folds::DefaultMaxRuns < To.numRuns())
    return userError("too many calls would be folded by themselves: fold the "
                     "calls that contain them");
  return json::Object{{"folds", std::move(Text)}, {"at", *Moved}};
}

Expected<ViewAnswers::Standing>
ViewAnswers::standing(const ViewFields &F) const {
  auto Here = asked(F);
  if (!Here)
    return Here.takeError();
  ThreadIndex T = Here->Thread;
  Position Since = Here->At;
  if (F.has("since")) {
    auto Other = thread(F, "since_thread", T);
    if (!Other)
      return Other.takeError();
    T = *Other;
    auto P = position(F, "since", T);
    if (!P)
      return P.takeError();
    Since = *P;
  } else {
    Folds Hidden;
    auto Rows = rowsOf(F, T, Hidden);
    if (!Rows)
      return Rows.takeError();
    auto Before = Rows->rowBefore(Here->At);
    if (!Before)
      return Before.takeError();
    if (*Before)
      Since = **Before;
  }
  auto SinceWhen = S.Store.momentOf(T, Since);
  if (!SinceWhen)
    return SinceWhen.takeError();
  return Standing{*Here, T, Since, *SinceWhen};
}

void ViewAnswers::printRegister(json::OStream &J, const RegisterRow &R) {
  Value V(R.Bytes.size());
  for (size_t I = 0; I < R.Bytes.size(); ++I) {
    V.Bytes[I] = R.Bytes[I].Value;
    V.Known[I] = R.Bytes[I].Known;
  }
  J.attribute("name", R.Register->Name);
  J.attribute("size", int64_t(R.Bytes.size()));
  J.attribute("value", toJson(V));
  switch (R.Register->Set) {
  case RegisterSet::General:
    break;
  case RegisterSet::Float:
    J.attribute("set", "float");
    break;
  case RegisterSet::System:
    J.attribute("set", "system");
    break;
  }
  if (R.changed()) {
    J.attribute("changed", true);
    // Which bytes changed, the lowest first: d7 is not d6, both are of q3.
    if (!all_of(R.Bytes, [](const ViewByte &B) { return B.Changed; })) {
      std::string Bytes;
      for (const ViewByte &B : R.Bytes)
        Bytes += B.Changed ? '1' : '0';
      J.attribute("changed_bytes", Bytes);
    }
  }
  if (auto N = V.number(); N && *N >= 4096) {
    std::string Name = formatData(S, *N);
    if (!Name.empty())
      J.attribute("symbol", Name);
  }
}

ViewAnswers::Answer ViewAnswers::registers(const ViewFields &F) {
  auto W = standing(F);
  if (!W)
    return W.takeError();
  auto Rows = registerRows(S.Store, W->Thread, W->When, W->SinceWhen);
  if (!Rows)
    return Rows.takeError();
  Reply Told(json::Object{{"at", W->At},
                          {"since", W->Since},
                          {"since_thread", int64_t(W->SinceThread) + 1}});
  Told.ListName = "registers";
  raw_string_ostream OS(Told.List);
  OS.SetBufferSize(1 << 12); // without one, each token is appended by itself
  json::OStream J(OS);
  J.array([&] {
    for (const RegisterRow &R : *Rows)
      J.object([&] { printRegister(J, R); });
  });
  OS.flush();
  return Told;
}

ViewAnswers::Answer ViewAnswers::memory(const ViewFields &F) {
  auto W = standing(F);
  if (!W)
    return W.takeError();
  auto Text = F.text("address");
  auto Size = F.numberOr("size", MaxMemory, 256);
  if (!Text || !Size)
    return joinErrors(Text.takeError(), Size.takeError());
  // Registers in it have their value now: the pane follows them.
  auto Addr = addressOf({W->Thread, W->When}, *Text);
  if (!Addr)
    return Addr.takeError();
  // A row begins at a multiple of 16; where the address is, "offset" tells.
  uint64_t First = *Addr & ~uint64_t(15);
  // None above the end of memory.
  uint64_t Bytes = std::min<uint64_t>(*Size, ~First + 1 ? ~First + 1 : *Size);
  auto Image = [&](uint64_t From, MutableArrayRef<uint8_t> To,
                   MutableArrayRef<uint8_t> Known) {
    fillFromImage(S, From, To, Known);
  };
  auto Row = memoryBytes(S.Store, First, Bytes, W->When, W->SinceWhen, Image);
  if (!Row)
    return Row.takeError();
  std::string Hex, Changed;
  for (const ViewByte &B : *Row) {
    Hex += B.Known ? toHex(ArrayRef(B.Value), /*LowerCase=*/true) : "??";
    Changed += B.Changed ? '1' : '0';
  }
  json::Array Symbols;
  for (uint64_t I = 0; I < Bytes; I += 16) {
    std::string Name = formatData(S, First + I);
    Symbols.push_back(Name);
  }
  return json::Object{{"at", W->At},
                      {"since", W->Since},
                      {"since_thread", int64_t(W->SinceThread) + 1},
                      {"address", hex(First)},
                      {"offset", *Addr - First},
                      {"bytes", Hex},
                      {"changed", Changed},
                      {"symbols", std::move(Symbols)}};
}

} // namespace rw
