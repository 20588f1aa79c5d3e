//===- HtrWriter.cpp - Writes layers to a file ----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/htr/HtrFile.h"
#include "core/htr/HtrFormat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <cassert>

using namespace llvm;

namespace rw::htr {
namespace {

class Sections {
public:
  /// The table comes first: there must be room for all of it.
  explicit Sections(size_t MaxSections)
      : MaxSections(MaxSections),
        Data(format::TableAt + MaxSections * format::EntryBytes) {}

  template <typename F>
  void array(format::Tag T, uint32_t Layer, uint64_t Size, F At) {
    begin(T, Layer);
    packArray(Size, At, Data);
    Table.back().Size = Data.size() - Table.back().Offset;
  }
  template <typename V>
  void array(format::Tag T, uint32_t Layer, const std::vector<V> &Values) {
    array(T, Layer, Values.size(),
          [&](uint64_t I) { return uint64_t(Values[I]); });
  }
  void text(format::Tag T, StringRef Text) {
    begin(T, 0);
    Data.insert(Data.end(), Text.bytes_begin(), Text.bytes_end());
    Table.back().Size = Text.size();
  }

  std::vector<uint8_t> finish() && {
    using namespace support::endian;
    assert(Table.size() <= MaxSections);
    memcpy(Data.data(), format::Magic, sizeof(format::Magic));
    write64le(&Data[8], format::Version);
    write64le(&Data[16], Data.size());
    write64le(&Data[32], Table.size());
    for (size_t I = 0; I < Table.size(); ++I) {
      uint8_t *P = &Data[format::TableAt + I * format::EntryBytes];
      write32le(P, Table[I].Tag);
      write32le(P + 4, Table[I].Layer);
      write64le(P + 8, Table[I].Offset);
      write64le(P + 16, Table[I].Size);
    }
    write64le(&Data[24],
              xxh3_64bits(ArrayRef(Data).drop_front(format::HashedFrom)));
    return std::move(Data);
  }

private:
  struct Section {
    uint32_t Tag, Layer;
    uint64_t Offset, Size;
  };
  std::vector<Section> Table;
  const size_t MaxSections;
  std::vector<uint8_t> Data;

  void begin(format::Tag T, uint32_t Layer) {
    Data.resize((Data.size() + 7) / 8 * 8);
    Table.push_back({T, Layer, Data.size(), 0});
  }
};

std::string metaOf(const Hierarchy &H, const Statistics &S,
                   const FileHeader &Header) {
  json::Array Threads, Layers, Notes, Entries;
  for (Place P : H.ThreadBase)
    Threads.push_back(P);
  for (const Layer &L : H.Layers) {
    std::vector<bool> Seen(H.Dict.size());
    uint64_t Distinct = 0;
    for (BlockId B : L.Units)
      if (!Seen[B]) {
        Seen[B] = true;
        ++Distinct;
      }
    if (&L == &H.Layers[0]) // whose units are gone; each of its blocks occurs
      Distinct = L.EndBlock - L.FirstBlock;
    Layers.push_back(json::Object{{"pass", L.Pass},
                                  {"units", L.Begin.back()},
                                  {"top_units", L.Begin[H.numThreads()]},
                                  {"distinct", Distinct},
                                  {"first", L.FirstBlock},
                                  {"end", L.EndBlock}});
  }
  for (const std::string &N : Header.Notes)
    Notes.push_back(N);
  for (uint64_t E : Header.FunctionEntries)
    Entries.push_back(E);
  json::Object Meta{{"store_size", Header.Store.Size},
                    {"store_digest", Header.Store.Digest},
                    {"store_mtime", Header.Store.MTimeNs},
                    {"pipeline", Header.Pipeline},
                    {"time", !S.Time.empty()},
                    {"threads", std::move(Threads)},
                    {"layers", std::move(Layers)},
                    {"notes", std::move(Notes)},
                    {"entries", std::move(Entries)}};
  return formatv("{0}", json::Value(std::move(Meta))).str();
}

} // namespace

std::vector<uint8_t> serialize(const Hierarchy &H, const Statistics &S,
                               const FileHeader &Header) {
  constexpr size_t Fixed = format::Places + 1, PerLayer = 3;
  Sections Out(Fixed + PerLayer * H.Layers.size());
  const Dictionary &D = H.Dict;
  Out.text(format::Meta, metaOf(H, S, Header));
  Out.array(format::Kind, 0, D.size(), [&](uint64_t I) {
    return uint64_t(D.Kind[I]) | uint64_t(D.Home[I]) << 3;
  });
  Out.array(format::Value, 0, D.Value);
  Out.array(format::First, 0, D.size(), [&](uint64_t I) {
    bool Scope = D.Kind[I] == BlockKind::Function;
    return D.First[I] + (Scope ? 0 : H.Layers[D.Home[I]].Units.size());
  });
  Out.array(format::Count, 0, D.Count);
  Out.array(format::Length, 0, D.Length);
  // NoBlock is kept as 0, everything else one up: it packs better.
  Out.array(format::Entry, 0, D.size(),
            [&](uint64_t I) { return uint64_t(BlockId(D.Entry[I] + 1)); });
  Out.array(format::Exit, 0, D.size(),
            [&](uint64_t I) { return uint64_t(BlockId(D.Exit[I] + 1)); });
  Out.array(format::Occurrences, 0, S.Occurrences);
  Out.array(format::Time, 0, S.Time);
  Out.array(format::FirstPlace, 0, S.FirstPlace);
  Out.array(format::Places, 0, S.Places);
  for (size_t I = 1; I < H.Layers.size(); ++I) {
    const Layer &L = H.Layers[I];
    size_t Units = L.Units.size(), All = Units + L.Bodies.size();
    auto element = [&](uint64_t E) {
      return E < Units ? L.Units[E] : L.Bodies[E - Units];
    };
    Out.array(format::LayerBegin, I, L.Begin);
    Out.array(format::LayerElements, I, All,
              [&](uint64_t E) { return uint64_t(element(E)); });
    std::vector<uint64_t> Sums;
    uint64_t Sum = 0;
    for (uint64_t E = 0; E < All; ++E) {
      if (E % format::SumEvery == 0)
        Sums.push_back(Sum);
      Sum += D.Length[element(E)];
    }
    Out.array(format::LayerSums, I, Sums);
  }
  return std::move(Out).finish();
}

Error writeHtrFile(StringRef Path, ArrayRef<uint8_t> Bytes) {
  auto Temp = sys::fs::TempFile::create(Path + ".%%%%%%");
  if (!Temp)
    return createStringError("cannot write " + Path + ": " +
                             toString(Temp.takeError()));
  raw_fd_ostream Out(Temp->FD, /*shouldClose=*/false);
  Out.write(reinterpret_cast<const char *>(Bytes.data()), Bytes.size());
  Out.flush();
  if (std::error_code Code = Out.error()) {
    Out.clear_error();
    consumeError(Temp->discard());
    return createStringError("cannot write " + Path + ": " + Code.message());
  }
  if (Error E = Temp->keep(Path)) {
    consumeError(Temp->discard());
    return createStringError("cannot write " + Path + ": " +
                             toString(std::move(E)));
  }
  return Error::success();
}

} // namespace rw::htr
