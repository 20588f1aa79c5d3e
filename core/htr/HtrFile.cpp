//===- HtrFile.cpp - Questions to finished layers -------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/htr/HtrFile.h"
#include "core/htr/HtrCheck.h"
#include "core/htr/HtrFormat.h"
#include "core/support/Json.h"
#include "llvm/ADT/StringExtras.h"
#include <cassert>

using namespace llvm;
using namespace llvm::support::endian;

namespace rw::htr {

constexpr SectionFileKind LayersKind = {format::Magic, format::Version,
                                        "a file of HTR layers",
                                        "make it again with rewind htr run"};

Expected<std::unique_ptr<HtrFile>>
HtrFile::checked(Expected<std::unique_ptr<MappedSections>> From) {
  if (!From)
    return From.takeError();
  std::unique_ptr<HtrFile> File(new HtrFile);
  File->Sections = std::move(*From);
  if (Error E = File->load())
    return E;
  if (Error E = HtrCheck(*File).run())
    return E;
  return File;
}

Expected<std::unique_ptr<HtrFile>> HtrFile::open(StringRef Path) {
  return checked(MappedSections::open(Path, LayersKind));
}

Expected<std::unique_ptr<HtrFile>>
HtrFile::open(std::unique_ptr<MemoryBuffer> Buffer) {
  return checked(MappedSections::open(std::move(Buffer), LayersKind));
}

Error HtrFile::load(const Twine &Name, PackedArray &Out, uint64_t &Bytes) {
  auto Section = Sections->array<uint8_t>(Name.str());
  if (!Section)
    return Section.takeError();
  auto A = PackedArray::open(*Section);
  if (!A)
    return damaged("section '" + Name + "' is no packed array");
  Out = *A;
  Bytes += Section->size();
  return Error::success();
}

Error HtrFile::load() {
  auto MetaBytes = Sections->array<uint8_t>("meta");
  if (!MetaBytes)
    return MetaBytes.takeError();
  auto Meta = parseJson(toStringRef(*MetaBytes));
  if (!Meta) {
    consumeError(Meta.takeError());
    return damaged("its description cannot be read");
  }
  const json::Object *M = Meta->getAsObject();
  const json::Array *Threads = M ? M->getArray("threads") : nullptr;
  const json::Array *LayerList = M ? M->getArray("layers") : nullptr;
  if (!Threads || !LayerList || Threads->empty() || LayerList->empty())
    return damaged("its description is incomplete");
  bool Numbers = true;
  auto asNumber = [&](const json::Value *V) -> uint64_t {
    auto N = V ? V->getAsUINT64() : std::nullopt;
    Numbers &= N.has_value();
    return N.value_or(0);
  };
  auto number = [&](const json::Object &O, StringRef Key) {
    return asNumber(O.get(Key));
  };
  Header.Store = {number(*M, "store_bytes"), number(*M, "store_checksum")};
  Header.Pipeline = M->getString("pipeline").value_or("").str();
  HasTime = M->getBoolean("time").value_or(false);
  for (const json::Value &V : *Threads)
    ThreadBase.push_back(asNumber(&V));
  if (!is_sorted(ThreadBase) || ThreadBase[0] != 0 || ThreadBase.size() < 2)
    return damaged("its threads are out of order");
  if (const json::Array *A = M->getArray("notes"))
    for (const json::Value &V : *A)
      Header.Notes.push_back(V.getAsString().value_or("").str());
  if (const json::Array *A = M->getArray("handlers"))
    for (const json::Value &V : *A)
      Header.Handlers.push_back(asNumber(&V));
  if (const json::Array *A = M->getArray("entries"))
    for (const json::Value &V : *A)
      Header.FunctionEntries.push_back(asNumber(&V));

  const std::pair<const char *, PackedArray *> Columns[] = {
      {"kind", &Kind},     {"value", &Value},
      {"first", &First},   {"count", &Count},
      {"length", &Length}, {"entry", &Entry},
      {"exit", &Exit},     {"occurrences", &Occurrences}};
  uint64_t DictionaryBytes = 0, PlaceBytes = 0, Other = 0;
  bool Even = true;
  for (auto [Name, Column] : Columns) {
    if (Error E = load(Name, *Column, DictionaryBytes))
      return E;
    Even &= Column->size() == Kind.size();
  }
  if (Error E = load("time", Time, Other))
    return E;
  if (Error E = load("first_place", FirstPlace, Other))
    return E;
  if (Error E = load("places", Places, PlaceBytes))
    return E;
  if (!Even || FirstPlace.size() != Kind.size() + 1 ||
      Time.size() != (HasTime ? Kind.size() : 0) || Kind.size() >= ~0u)
    return damaged("its tables are not equally long");

  for (const json::Value &V : *LayerList) {
    const json::Object *O = V.getAsObject();
    if (!O)
      return damaged("a layer has no description");
    LayerData &L = Layers.emplace_back();
    L.Info.Pass = O->getString("pass").value_or("").str();
    L.Info.Units = number(*O, "units");
    L.Info.TopUnits = number(*O, "top_units");
    L.Info.Distinct = number(*O, "distinct");
    uint64_t First = number(*O, "first"), End = number(*O, "end");
    L.Info.FirstBlock = First;
    L.Info.EndBlock = End;
    if (End > Kind.size() || First > End)
      return damaged("a layer's blocks are not in the dictionary");
    uint32_t I = Layers.size() - 1;
    if (I == 0)
      continue;
    const std::pair<const char *, PackedArray *> Parts[] = {
        {".begin", &L.Begin}, {".elements", &L.Elements}, {".sums", &L.Sums}};
    for (auto [Name, Part] : Parts)
      if (Error E = load(Twine(I) + Name, *Part, L.Info.Bytes))
        return E;
    if (Kind.size())
      L.Info.Bytes +=
          DictionaryBytes * (L.Info.EndBlock - L.Info.FirstBlock) / Kind.size();
    // Not checked yet: no share is more than all.
    if (Places.size())
      L.Info.PositionBytes =
          PlaceBytes *
          std::min(1.0, double(FirstPlace[End] - FirstPlace[First]) /
                            double(Places.size()));
  }
  if (!Numbers)
    return damaged("its description has something else than a number");
  return Error::success();
}

std::pair<ThreadIndex, Position> HtrFile::positionOf(Place P) const {
  ThreadIndex T = 0;
  while (T + 2 < ThreadBase.size() && P >= ThreadBase[T + 1])
    ++T;
  return {T, P - ThreadBase[T]};
}

BlockKind HtrFile::kind(BlockId B) const { return BlockKind(Kind[B] & 7); }

BlockInfo HtrFile::block(BlockId B) const {
  BlockInfo I;
  I.Id = B;
  I.Kind = kind(B);
  I.Home = Kind[B] >> 3;
  I.Value = Value[B];
  I.Length = Length[B];
  I.Entry = BlockId(Entry[B]) - 1;
  I.Exit = BlockId(Exit[B]) - 1;
  I.Occurrences = Occurrences[B];
  if (HasTime)
    I.Time = Time[B];
  return I;
}

std::optional<BlockId> HtrFile::instructionAt(uint64_t PC) const {
  for (BlockId B = 0; B < Layers[0].Info.EndBlock; ++B)
    if (Value[B] == PC && kind(B) == BlockKind::Instruction)
      return B;
  return std::nullopt;
}

UnitRange HtrFile::sequence(unsigned Layer, ThreadIndex T) const {
  const LayerData &L = Layers[Layer];
  return {Layer, L.Begin[T], L.Begin[T + 1], 1};
}

UnitRange HtrFile::parts(BlockId B, unsigned Layer) const {
  BlockInfo I = block(B);
  UnitRange R;
  switch (I.Kind) {
  case BlockKind::Instruction:
  case BlockKind::Break:
    return R;
  case BlockKind::Function: {
    const LayerData &L = Layers[std::max(Layer, I.Home)];
    uint64_t S = numThreads() + First[B];
    R = {std::max(Layer, I.Home), L.Begin[S], L.Begin[S + 1], 1};
    break;
  }
  case BlockKind::Repeat:
    R = {I.Home, First[B], First[B] + 1, I.Value};
    break;
  case BlockKind::Sequence:
  case BlockKind::Iterations:
    R = {I.Home, First[B], First[B] + Count[B], 1};
  }
  return R;
}

BlockId HtrFile::unit(const UnitRange &R, uint64_t Index) const {
  return Layers[R.Layer].Elements[R.Begin + Index];
}

uint64_t HtrFile::sumBefore(const LayerData &L, uint64_t Element) const {
  uint64_t At = Element / format::SumEvery * format::SumEvery;
  uint64_t Sum = L.Sums[Element / format::SumEvery];
  if (At == L.Elements.size() && At) { // one past the end
    At -= format::SumEvery;
    Sum = L.Sums[At / format::SumEvery];
  }
  for (; At < Element; ++At)
    Sum += Length[L.Elements[At]];
  return Sum;
}

uint64_t HtrFile::offsetOf(const UnitRange &R, uint64_t Index) const {
  const LayerData &L = Layers[R.Layer];
  return sumBefore(L, R.Begin + Index) - sumBefore(L, R.Begin);
}

UnitAt HtrFile::unitAt(const UnitRange &R, uint64_t Offset) const {
  const LayerData &L = Layers[R.Layer];
  uint64_t Start = sumBefore(L, R.Begin);
  uint64_t Target = Start + Offset;
  // The last sum that is not beyond the target, within the range.
  uint64_t Low = R.Begin / format::SumEvery;
  uint64_t High = (R.End + format::SumEvery - 1) / format::SumEvery;
  while (High - Low > 1) {
    uint64_t Mid = (Low + High) / 2;
    (L.Sums[Mid] <= Target ? Low : High) = Mid;
  }
  uint64_t E = Low * format::SumEvery, Sum = L.Sums[Low];
  while (E < R.End) {
    uint64_t Size = Length[L.Elements[E]];
    if (Sum + Size > Target)
      break;
    Sum += Size;
    ++E;
  }
  assert(E < R.End && "the offset is not inside");
  return {E - R.Begin, unit(R, E - R.Begin), Sum - Start};
}

Place HtrFile::occurrence(BlockId B, uint64_t K) const {
  return std::min<uint64_t>(Places[FirstPlace[B] + K], numInstructions());
}

uint64_t HtrFile::occurrencesBefore(BlockId B, Place P) const {
  uint64_t Begin = FirstPlace[B], Low = Begin, High = FirstPlace[B + 1];
  while (Low < High) {
    uint64_t Mid = Low + (High - Low) / 2;
    if (Places[Mid] < P)
      Low = Mid + 1;
    else
      High = Mid;
  }
  return Low - Begin;
}

void HtrFile::forEachRounds(BlockId Loop,
                            function_ref<bool(const Rounds &)> F) const {
  const UnitRange R = parts(Loop, 0);
  if (kind(Loop) == BlockKind::Repeat) {
    F({unit(R, 0), R.Times, 0, 0});
    return;
  }
  if (kind(Loop) != BlockKind::Iterations)
    return;
  const bool Flow = loopFacts(Loop).has_value();
  Rounds Some;
  for (uint64_t I = 0; I < R.size(); ++I) {
    const BlockId B = unit(R, I);
    Some.Id = B;
    Some.Times = 1;
    if (Flow && kind(B) == BlockKind::Repeat) {
      Some.Times = Value[B];
      Some.Id = unit(parts(B, 0), 0);
    }
    if (!F(Some))
      return;
    Some.Before += Some.Times;
    Some.Offset += Length[B];
  }
}

uint64_t HtrFile::numRounds(BlockId B) const {
  uint64_t N = 0;
  forEachRounds(B, [&](const Rounds &R) {
    N += R.Times;
    return true;
  });
  return N;
}

std::vector<uint64_t> HtrFile::timesIn(BlockId B) const {
  // Parts have smaller ids than the whole, where the home layer tells them.
  std::vector<uint64_t> Times(B + 1);
  Times[B] = 1;
  for (BlockId I = B + 1; I-- > 0;) {
    if (!Times[I] || kind(I) == BlockKind::Instruction)
      continue;
    UnitRange R = parts(I, 0);
    for (uint64_t K = 0; K < R.size(); ++K)
      if (BlockId P = unit(R, K); P < I)
        Times[P] += Times[I] * R.Times;
  }
  return Times;
}

std::map<uint64_t, uint64_t> HtrFile::callsIn(BlockId B) const {
  std::map<uint64_t, uint64_t> Calls;
  const std::vector<uint64_t> Times = timesIn(B);
  for (BlockId I = 0; I <= B; ++I)
    if (Times[I] && kind(I) == BlockKind::Instruction &&
        binary_search(Header.FunctionEntries, uint64_t(Value[I])))
      Calls[Value[I]] += Times[I];
  if (kind(B) == BlockKind::Function)
    if (auto It = Calls.find(Value[B]); It != Calls.end() && --It->second == 0)
      Calls.erase(It);
  return Calls;
}

} // namespace rw::htr
