//===- Damage.cpp - What of a trace is not there --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/Damage.h"
#include "core/model/LossNotes.h"
#include "core/store/TraceStore.h"

using namespace llvm;

namespace rw {

static std::string malformedCount(const TraceHeader &H) {
  return std::to_string(H.NumMalformed) + (H.TotalLines ? " line" : " record") +
         (H.NumMalformed == 1 ? " is" : "s are") + " malformed and left out";
}

static std::string placeOf(const MalformedLine &M) {
  return (M.Line ? "line " + std::to_string(M.Line)
                 : "byte " + std::to_string(M.Offset)) +
         ": " + M.What;
}

std::string malformedRemark(const TraceHeader &H) {
  if (!H.NumMalformed)
    return "";
  std::string Text = malformedCount(H);
  if (H.Malformed.empty())
    return Text;
  Text += ": " + placeOf(H.Malformed.front());
  if (H.NumMalformed > 1)
    Text += " ('rewind info' tells of more)";
  return Text;
}

std::vector<Damage> damageOf(const TraceStore &Store) {
  const TraceHeader &H = Store.header();
  std::vector<Damage> All;
  if (H.NumMalformed) {
    Damage D{malformedCount(H), std::nullopt, {}};
    for (const MalformedLine &M : H.Malformed)
      D.First.push_back({M.Line, placeOf(M)});
    All.push_back(std::move(D));
  }
  const auto Counts = Store.countEvents();
  auto event = [&](EventKind K, const char *Means) {
    if (const uint64_t N = Counts[unsigned(K)])
      All.push_back({std::to_string(N) + " " + eventName(K) +
                         (N == 1 ? "" : "s") + ": " + Means,
                     K,
                     {}});
  };
  event(EventKind::Gap, "instructions are missing there");
  event(EventKind::Error, "what was recorded there is not understood");
  for (const auto &[Key, Text] : H.Notes)
    if (isLossNote(Key))
      All.push_back({Key + ": " + Text, std::nullopt, {}});
  if (!All.empty())
    for (const auto &[Kind, Count] : H.Ignored)
      All.push_back(
          {"ignored: " + std::to_string(Count) + " " + Kind, std::nullopt, {}});
  return All;
}

} // namespace rw
