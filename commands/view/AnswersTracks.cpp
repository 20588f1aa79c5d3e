//===- AnswersTracks.cpp - What timelines show ----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/Access.h"
#include "commands/support/Visits.h"
#include "commands/view/Answers.h"
#include "core/store/TraceStore.h"
#include <charconv>

using namespace llvm;

namespace rw {

static constexpr uint64_t MaxBuckets = 4096, MaxDepths = 256, MaxLayers = 4;
/// Answers stay below a quarter of a megabyte; what does not fit is told.
static constexpr size_t MaxSlices = 6000;

Expected<const CallPyramid *> ViewAnswers::pyramid(ThreadIndex T) {
  auto It = Pyramids.find(T);
  if (It != Pyramids.end())
    return &It->second;
  auto P = CallPyramid::build(*Calls, T, S.Watch);
  if (!P)
    return P.takeError();
  return &Pyramids.emplace(T, std::move(*P)).first->second;
}

/// "from", "to" and "buckets" of a question.
static Expected<BucketGrid> grid(const ViewFields &F, uint64_t End) {
  auto From = F.number("from", End);
  auto To = F.number("to", End);
  auto Buckets = F.numberOr("buckets", MaxBuckets, 1024);
  if (!From || !To || !Buckets)
    return joinErrors(joinErrors(From.takeError(), To.takeError()),
                      Buckets.takeError());
  return BucketGrid(*From, *To, *Buckets);
}

static json::Object gridJson(const BucketGrid &G) {
  return json::Object{{"width", uint64_t(1) << G.Log2},
                      {"from", G.begin(G.First)},
                      {"to", G.begin(G.End)}};
}

/// What a call is a call of. An entry that is not where a function begins may
/// be a stub that jumps to one at once.
std::string ViewAnswers::callName(ThreadIndex T, Position Start,
                                  uint64_t EntryPC) {
  const FunctionNames::Function &Entered = Names->at(EntryPC);
  if (Entered.Start == EntryPC)
    return Names->nameOr(EntryPC);
  static constexpr Position LongestStub = 4;
  for (Position P = Start + 1, End = S.Store.numInstructions(T);
       P < End && P <= Start + LongestStub; ++P) {
    auto M = S.Store.momentOf(T, P);
    auto I = M ? S.Store.instruction(*M) : Expected<Instruction>(M.takeError());
    if (!I) {
      // A name is not worth an error; whoever asks for the place gets it.
      consumeError(I.takeError());
      break;
    }
    uint64_t PC = I->Insn.PC;
    if (Names->at(PC).Start == PC)
      return Names->nameOr(PC);
  }
  return Names->nameOr(EntryPC);
}

ViewAnswers::Answer ViewAnswers::timeline(const ViewFields &F) {
  auto T = thread(F);
  if (!T)
    return T.takeError();
  auto G = grid(F, S.Store.numInstructions(*T));
  auto From = F.numberOr("depth", uint64_t(1) << 31, 0);
  auto Depths = F.numberOr("depths", MaxDepths, 64);
  if (!G || !From || !Depths)
    return joinErrors(joinErrors(G.takeError(), From.takeError()),
                      Depths.takeError());
  std::vector<CallSlice> Slices;
  bool Complete = true;
  if (Calls) {
    auto P = pyramid(*T);
    if (!P)
      return P.takeError();
    auto Picture = (*P)->picture(
        *Calls, {*G, uint32_t(*From), uint32_t(*From + *Depths)}, MaxSlices);
    if (!Picture)
      return Picture.takeError();
    *G = Picture->Grid;
    Slices = std::move(Picture->Slices);
    Complete = Picture->Complete;
  }
  json::Object O = gridJson(*G);
  if (Calls) {
    O["complete"] = Complete;
    // Six numbers each, to the base 36: depth, start (from the one before on),
    // length, activation (likewise), name, count. A text: thousands of JSON's
    // values cost more than finding them did.
    std::string Flat;
    Flat.reserve(Slices.size() * 24);
    int64_t LastStart = 0, LastNumber = 0;
    auto Add = [&](int64_t N) {
      char Digits[20];
      if (!Flat.empty())
        Flat += ' ';
      Flat.append(Digits, std::to_chars(Digits, std::end(Digits), N, 36).ptr);
    };
    json::Array Words;
    std::map<std::pair<uint64_t, bool>, int64_t> Known;
    for (const CallSlice &C : Slices) {
      bool IsException = C.Kind == ActivationKind::Exception;
      auto [It, New] =
          Known.try_emplace({C.EntryPC, IsException}, Words.size());
      if (New)
        Words.push_back((IsException ? "[exception] " : "") +
                        callName(*T, C.Start, C.EntryPC));
      Add(int64_t(C.Depth));
      Add(int64_t(C.Start) - std::exchange(LastStart, int64_t(C.Start)));
      Add(int64_t(C.Length));
      Add(int64_t(C.Number) - std::exchange(LastNumber, int64_t(C.Number)));
      Add(It->second);
      Add(int64_t(C.Count));
    }
    O["slices"] = std::move(Flat);
    O["names"] = std::move(Words);
    O["max_depth"] = int64_t(Calls->maxDepth(*T));
  }
  if (!Events) {
    auto Track = EventTrack::build(S.Store, S.Watch);
    if (!Track)
      return Track.takeError();
    Events = std::move(*Track);
  }
  json::Array Happened;
  for (const EventCell &C : Events->cells(*T, *G)) {
    if (Happened.size() == MaxSlices)
      break;
    Happened.push_back(json::Object{
        {"kind", eventName(C.Kind)}, {"at", C.First}, {"count", C.Count}});
  }
  O["events"] = std::move(Happened);
  O["all_events"] = Events->complete();
  return O;
}

ViewAnswers::Answer ViewAnswers::layers(const ViewFields &F) {
  auto T = thread(F);
  if (!T)
    return T.takeError();
  auto G = grid(F, S.Store.numInstructions(*T));
  auto Compute = F.flag("compute");
  if (!G || !Compute)
    return joinErrors(G.takeError(), Compute.takeError());
  if (!Htr && *Compute) {
    auto File = openHtr(S);
    if (!File)
      return File.takeError();
    Htr = std::move(*File);
  }
  json::Object O = gridJson(*G);
  if (!Htr) {
    O["missing"] = WhyNoHtr;
    return O;
  }
  HtrNames Spoken(S, *Htr);
  json::Array Layers;
  Position Last = std::min(G->begin(G->End), Htr->numInstructions(*T));
  for (unsigned L = Htr->numLayers() - 1; L > 0 && Layers.size() < MaxLayers;
       --L) {
    htr::UnitRange Range = Htr->sequence(L, *T);
    json::Array Flat, Words;
    std::map<BlockId, int64_t> Known;
    // The unit in the middle of each bucket: start, length, name, block.
    for (uint64_t B = G->First; B < G->End;) {
      Position P = G->begin(B) + (uint64_t(1) << G->Log2) / 2;
      if (P >= Last)
        P = Last ? Last - 1 : 0;
      if (P < G->begin(B) || !Range.size())
        break;
      htr::UnitAt U = Htr->unitAt(Range, P);
      uint64_t Length = std::max<uint64_t>(Htr->length(U.Id), 1);
      auto [It, New] = Known.try_emplace(U.Id, Words.size());
      if (New)
        Words.push_back(Spoken.block(U.Id));
      Flat.push_back(U.Offset);
      Flat.push_back(Length);
      Flat.push_back(It->second);
      Flat.push_back(int64_t(U.Id));
      B = std::max(B + 1, (U.Offset + Length) >> G->Log2);
    }
    Layers.push_back(json::Object{{"layer", int64_t(L)},
                                  {"pass", Htr->layer(L).Pass},
                                  {"units", std::move(Flat)},
                                  {"names", std::move(Words)}});
  }
  O["layers"] = std::move(Layers);
  return O;
}

/// Visits of a place, or accesses of a location: one of each bucket.
ViewAnswers::Answer ViewAnswers::marks(const ViewFields &F) {
  auto T = thread(F);
  if (!T)
    return T.takeError();
  auto G = grid(F, S.Store.numInstructions(*T));
  auto Text = F.text("of");
  auto Reads = F.flag("reads");
  auto At = position(F, "at", *T);
  if (!G || !Text || !Reads || !At)
    return joinErrors(joinErrors(G.takeError(), Text.takeError()),
                      joinErrors(Reads.takeError(), At.takeError()));
  auto When = S.Store.momentOf(*T, *At);
  if (!When)
    return When.takeError();
  Place Here{*T, *When};
  std::function<Expected<std::optional<Moment>>(Moment)> From;
  std::optional<CodePlace> Code;
  std::optional<Location> Where;
  std::string Kind;
  if (F.has("location")) {
    auto Size = F.numberOr("size", 4096, 0);
    auto L = parseLocation(S, Here, *Text,
                           Size && *Size ? std::optional(*Size) : std::nullopt);
    if (!Size || !L)
      return joinErrors(Size.takeError(), L.takeError());
    Where = std::move(*L);
    auto Which = *Reads ? AccessKind::Any : AccessKind::Write;
    if (Error E = checkQuestion(*Where, Which))
      return E;
    From = [&, Which](Moment M) {
      return accessFrom(S.Store, *Where, Which, M);
    };
  } else {
    auto P = parseCodePlace(S, Here, *Text, /*Entry=*/false);
    if (!P)
      return P.takeError();
    Code = std::move(*P);
    From = [&](Moment M) { return visitFrom(S.Store, *Code, M, *T); };
  }
  json::Array Places;
  Position End = std::min(G->begin(G->End), S.Store.numInstructions(*T));
  for (Position P = G->begin(G->First); P < End;) {
    auto M = S.Store.momentOf(*T, P);
    if (!M)
      return M.takeError();
    auto Next = From(*M);
    if (!Next)
      return Next.takeError();
    if (!*Next)
      break;
    auto Found = S.Store.positionOf(*T, **Next);
    if (!Found)
      return Found.takeError();
    if (*Found >= End)
      break;
    Places.push_back(*Found);
    P = std::max(P + 1, G->begin((*Found >> G->Log2) + 1));
  }
  json::Object O = gridJson(*G);
  O["marks"] = std::move(Places);
  return O;
}

/// One activation, and those of the same function around it.
ViewAnswers::Answer ViewAnswers::activation(const ViewFields &F) {
  auto T = thread(F);
  if (!T)
    return T.takeError();
  if (!Calls)
    return userError("the store of this trace has no calls");
  uint64_t Size = Calls->size(*T);
  auto Number = F.number("number", Size ? Size - 1 : 0);
  if (!Number)
    return Number.takeError();
  auto A = Calls->activation(*T, *Number);
  if (!A)
    return A.takeError();
  json::Object O{{"number", A->Number},
                 {"start", A->Start},
                 {"end", A->End},
                 {"depth", int64_t(A->Depth)},
                 {"name", callName(*T, A->Start, A->EntryPC)},
                 {"remarks", activationRemarks(*A, false)}};
  addCode(O, A->EntryPC);
  for (bool Ahead : {false, true}) {
    auto P = neighbour(*A, Ahead);
    if (!P)
      return P.takeError();
    if (*P)
      O[Ahead ? "next" : "last"] = **P;
  }
  return O;
}

/// Where the next or last activation with the same entry begins.
Expected<std::optional<Position>> ViewAnswers::neighbour(const Activation &A,
                                                         bool Ahead) const {
  auto M = S.Store.momentOf(A.Thread, A.Start);
  if (!M)
    return M.takeError();
  // A loop may lead back to a function's first instruction: that is no call.
  for (unsigned Tries = 0; Tries < 10000; ++Tries) {
    auto Found = Ahead ? S.Store.nextVisit(A.EntryPC, *M, A.Thread)
                       : S.Store.lastVisit(A.EntryPC, *M, A.Thread);
    if (!Found)
      return Found.takeError();
    if (!*Found)
      return std::nullopt;
    *M = **Found;
    auto P = S.Store.positionOf(A.Thread, *M);
    if (!P)
      return P.takeError();
    auto Number = Calls->firstFrom(A.Thread, *P);
    if (!Number)
      return Number.takeError();
    if (*Number >= Calls->size(A.Thread))
      continue;
    auto Other = Calls->activation(A.Thread, *Number);
    if (!Other)
      return Other.takeError();
    if (Other->Start == *P)
      return *P;
  }
  return userError("no call in 10,000 visits of " + Names->nameOr(A.EntryPC));
}

} // namespace rw
