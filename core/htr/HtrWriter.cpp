//===- HtrWriter.cpp - Writes layers to a file ----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/htr/HtrFile.h"
#include "core/htr/HtrFormat.h"
#include "core/support/OutputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <cassert>
#include <unistd.h>

using namespace llvm;

namespace rw::htr {
namespace {

class Sections {
public:
  /// The table comes first: there must be room for all of it.
  Sections(raw_pwrite_stream &Out, size_t MaxSections)
      : Out(Out), MaxSections(MaxSections) {
    Out.write_zeros(format::TableAt + MaxSections * format::EntryBytes);
  }

  void array(format::Tag T, uint32_t Layer, uint64_t Size,
             function_ref<uint64_t(uint64_t)> At) {
    begin(T, Layer);
    packArray(Size, At, Out);
    Table.back().Size = Out.tell() - Table.back().Offset;
  }
  template <typename V>
  void array(format::Tag T, uint32_t Layer, const std::vector<V> &Values) {
    array(T, Layer, Values.size(),
          [&](uint64_t I) { return uint64_t(Values[I]); });
  }
  void text(format::Tag T, StringRef Text) {
    begin(T, 0);
    Out << Text;
    Table.back().Size = Text.size();
  }

  /// Writes everything that comes first, but for the checksum.
  void finish() {
    using namespace support::endian;
    assert(Table.size() <= MaxSections);
    std::vector<uint8_t> Head(format::TableAt +
                              Table.size() * format::EntryBytes);
    memcpy(Head.data(), format::Magic, sizeof(format::Magic));
    write64le(&Head[8], format::Version);
    write64le(&Head[16], Out.tell());
    write64le(&Head[32], Table.size());
    for (size_t I = 0; I < Table.size(); ++I) {
      uint8_t *P = &Head[format::TableAt + I * format::EntryBytes];
      write32le(P, Table[I].Tag);
      write32le(P + 4, Table[I].Layer);
      write64le(P + 8, Table[I].Offset);
      write64le(P + 16, Table[I].Size);
    }
    Out.pwrite(reinterpret_cast<const char *>(Head.data()), Head.size(), 0);
  }

private:
  struct Section {
    uint32_t Tag, Layer;
    uint64_t Offset, Size;
  };
  std::vector<Section> Table;
  raw_pwrite_stream &Out;
  const size_t MaxSections;

  void begin(format::Tag T, uint32_t Layer) {
    Out.write_zeros((8 - Out.tell() % 8) % 8);
    Table.push_back({T, Layer, Out.tell(), 0});
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
    if (&L == &H.Layers[0]) // whose units are gone; each of its blocks occurs
      Distinct = L.EndBlock - L.FirstBlock;
    else
      for (size_t S = 0; S < L.numSequences(); ++S)
        for (BlockId B : L.sequence(S))
          if (!Seen[B]) {
            Seen[B] = true;
            ++Distinct;
          }
    Layers.push_back(json::Object{{"pass", L.Pass},
                                  {"units", L.Units.size()},
                                  {"top_units", L.Units.before(H.numThreads())},
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

/// A layer's sequences and then the parts of its blocks, one after the other.
class Elements {
public:
  explicit Elements(const Layer &L) : L(L) {}
  uint64_t size() const { return L.Units.size() + L.Bodies.size(); }
  BlockId next() {
    while (!At.left() && Sequence < L.numSequences())
      At = L.sequence(Sequence++).begin();
    if (!At.left())
      return L.Bodies[Body++];
    BlockId B = *At;
    ++At;
    return B;
  }

private:
  const Layer &L;
  UnitSeq::iterator At;
  size_t Sequence = 0, Body = 0;
};

/// Everything but the checksum.
void write(const RunResult &R, raw_pwrite_stream &Stream) {
  const Hierarchy &H = R.H;
  const Statistics &S = R.Stats;
  constexpr size_t Fixed = format::Places + 1, PerLayer = 3;
  Sections Out(Stream, Fixed + PerLayer * H.Layers.size());
  const Dictionary &D = H.Dict;
  Out.text(format::Meta, metaOf(H, S, R.Header));
  Out.array(format::Kind, 0, D.size(), [&](uint64_t I) {
    return uint64_t(D.Kind[I]) | uint64_t(D.Home[I]) << 3;
  });
  Out.array(format::Value, 0, D.Value);
  Out.array(format::First, 0, D.size(), [&](uint64_t I) {
    bool HasBody = D.Home[I] && D.Kind[I] != BlockKind::Function;
    return D.First[I] + (HasBody ? H.Layers[D.Home[I]].Units.size() : 0);
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
  Out.array(format::Places, 0, S.Places.size(),
            [&](uint64_t I) { return S.Places[I]; });
  for (size_t I = 1; I < H.Layers.size(); ++I) {
    const Layer &L = H.Layers[I];
    Out.array(format::LayerBegin, I, L.numSequences() + 1,
              [&](uint64_t S) { return L.Units.before(S); });
    Elements All(L);
    std::vector<uint64_t> Sums;
    uint64_t Sum = 0;
    Out.array(format::LayerElements, I, All.size(), [&](uint64_t E) {
      if (E % format::SumEvery == 0)
        Sums.push_back(Sum);
      BlockId B = All.next();
      Sum += D.Length[B];
      return uint64_t(B);
    });
    Out.array(format::LayerSums, I, Sums);
  }
  Out.finish();
}

uint64_t checksum(StringRef File) {
  return xxh3_64bits(
      arrayRefFromStringRef(File).drop_front(format::HashedFrom));
}

} // namespace

std::unique_ptr<MemoryBuffer> htrBytes(const RunResult &R) {
  SmallVector<char, 0> Bytes;
  raw_svector_ostream Out(Bytes);
  write(R, Out);
  support::endian::write64le(&Bytes[format::ChecksumAt], checksum(Out.str()));
  return std::make_unique<SmallVectorMemoryBuffer>(
      std::move(Bytes), /*RequiresNullTerminator=*/false);
}

static OutputFile::Options fileOptions() {
  OutputFile::Options O;
  O.Regular = O.Derived = true;
  O.What = "the layers ";
  return O;
}

Error checkHtrPlace(StringRef Path) {
  if (sys::fs::exists(Path)) {
    auto File = openRegular(Path);
    if (!File)
      return createStringError("the layers: " + toString(File.takeError()));
    char Head[sizeof(format::Magic)];
    ssize_t N = ::pread(File->get(), Head, sizeof(Head), 0);
    if (N < 0 || memcmp(Head, format::Magic, size_t(N)) != 0)
      return createStringError("'" + Path +
                               "' is there and is not a file of HTR layers; it "
                               "is not replaced. Move it away, or name another "
                               "place for the index with --index");
  }
  return OutputFile::check(Path, fileOptions());
}

Error writeHtrFile(StringRef Path, const RunResult &R) {
  if (Error E = checkHtrPlace(Path))
    return E;
  auto File = OutputFile::create(Path, fileOptions());
  if (!File)
    return File.takeError();
  FileStream &Out = (*File)->os();
  write(R, Out);
  Out.flush();
  if (Error E = (*File)->check())
    return E;
  auto Written = MemoryBuffer::getOpenFile(
      sys::fs::convertFDToNativeFile((*File)->descriptor()), Path, Out.tell(),
      /*RequiresNullTerminator=*/false);
  if (!Written)
    return createStringError(Written.getError(),
                             "cannot read back '" + Path +
                                 "': " + Written.getError().message());
  char Sum[8];
  support::endian::write64le(Sum, checksum((*Written)->getBuffer()));
  Out.pwrite(Sum, sizeof(Sum), format::ChecksumAt);
  return (*File)->commit();
}

} // namespace rw::htr
