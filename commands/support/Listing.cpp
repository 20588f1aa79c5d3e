//===- Listing.cpp - What all commands that list have in common -----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/Listing.h"
#include "commands/support/PlaceRows.h"
#include "commands/support/PositionExpr.h"
#include "core/store/TraceStore.h"

using namespace llvm;

namespace rw {

Expected<uint64_t> listLimit(const Session &S, const ParsedOptions &O,
                             uint64_t DebuggerDefault) {
  auto N = O.number("count");
  if (!N)
    return N.takeError();
  return N->value_or(S.inDebugger() ? DebuggerDefault : ~uint64_t(0));
}

Expected<std::optional<ThreadIndex>> threadAsked(const Session &S,
                                                 const ParsedOptions &O) {
  auto Text = O.value("thread");
  if (!Text)
    return std::nullopt;
  auto T = parseThread(S.Store, *Text);
  if (!T)
    return T.takeError();
  return *T;
}

Expected<Place> positionAsked(const Session &S, const ParsedOptions &O,
                              StringRef Text, std::optional<Place> From) {
  auto Of = threadAsked(S, O);
  if (!Of)
    return Of.takeError();
  return parsePosition(S, Text, *Of, From);
}

Expected<Span> searchSpan(const Session &S, const ParsedOptions &O,
                          std::optional<Place> From) {
  Span R{0, S.Store.numInstructions()};
  if (auto Text = O.value("from")) {
    auto P = positionAsked(S, O, *Text, From);
    if (!P)
      return P.takeError();
    R.From = P->When;
  }
  if (auto Text = O.value("to")) {
    auto P = positionAsked(S, O, *Text, From);
    if (!P)
      return P.takeError();
    R.To = P->When;
  }
  if (R.From > R.To)
    return usageError("--from lies after --to");
  return R;
}

Expected<Place> askedAt(const Session &S, const ParsedOptions &O,
                        Looks Direction) {
  Place Where = S.Here;
  if (!S.inDebugger() && Direction == Looks::Back)
    Where.When = S.Store.numInstructions();
  if (auto Text = O.value("at")) {
    auto P = positionAsked(S, O, *Text);
    if (!P)
      return P.takeError();
    Where = *P;
  }
  auto T = threadAsked(S, O);
  if (!T)
    return T.takeError();
  Where.Thread = T->value_or(Where.Thread);
  return Where;
}

Expected<Asked> askedAbout(Session &S, const ParsedOptions &O,
                           Looks Direction) {
  auto At = askedAt(S, O, Direction);
  if (!At)
    return At.takeError();
  auto Size = O.number("size");
  if (!Size)
    return Size.takeError();
  auto L = parseLocation(S, *At, O.text(), *Size);
  if (!L)
    return L.takeError();
  return Asked{*At, std::move(*L)};
}

bool Ending::before(const Session &S, uint64_t Count, uint64_t Limit,
                    Moment Next) {
  constexpr uint64_t Often = 1 << 6; // LLDB takes milliseconds for one
  if (Count % Often == 0 && S.Watch.Progress)
    S.Watch.Progress("searching", Next - Searched.From,
                     Searched.To - Searched.From);
  Cancelled = S.cancelled();
  if (Count != Limit && !Cancelled)
    return false;
  Complete = false;
  Searched.To = Next;
  return true;
}

json::Object listJson(Session &S, json::Array Items, const Ending &End) {
  S.FoundNothing |= Items.empty();
  return listJson(std::move(Items), End);
}

json::Object listJson(json::Array Items, const Ending &End) {
  json::Object O{{"items", std::move(Items)},
                 {"complete", End.Complete},
                 {"searched", json::Object{{"from", End.Searched.From},
                                           {"to", End.Searched.To}}}};
  if (End.Cancelled)
    O["cancelled"] = true;
  return O;
}

StringRef completeness(bool Complete) {
  return Complete ? "that is all" : "there are more (--count)";
}

void printEnding(Session &S, uint64_t Count, StringRef What,
                 const Ending &End) {
  S.FoundNothing |= !Count;
  S.Out << "-- " << Count << " " << What
        << (Count == 1            ? ""
            : What.ends_with("s") ? "es"
                                  : "s")
        << ", searched " << formatPosition(End.Searched.From) << " to "
        << formatPosition(End.Searched.To);
  if (S.Store.numThreads() > 1)
    S.Out << " of all threads together";
  S.Out << "; " << (End.Cancelled ? "interrupted" : completeness(End.Complete))
        << "\n";
}

json::Object toJson(const MemAccess &M) {
  json::Object A{{"access", M.isWrite() ? "write" : "read"},
                 {"address", hex(M.Addr)},
                 {"size", int64_t(M.Bytes.size())}};
  if (M.Real != ~uint64_t(0))
    A["real_address"] = hex(M.Real);
  if (M.Flags & MemItem::Exclusive)
    A["exclusive"] = true;
  if (M.Flags & MemItem::Implied)
    A["implied"] = true;
  return A;
}

std::string instructionRow(Session &S, const Instruction &I) {
  std::string Row;
  PlaceRows(S).text(Row, I);
  return Row;
}

} // namespace rw
