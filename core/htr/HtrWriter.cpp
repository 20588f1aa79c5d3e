//===- HtrWriter.cpp - Writes layers to a file ----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/htr/HtrFile.h"
#include "core/htr/HtrFormat.h"
#include "core/store/StoreFile.h"
#include "core/support/OutputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include <unistd.h>

using namespace llvm;

namespace rw::htr {
namespace {

/// Goes on in vain behind the first error, which take() tells.
class Sections {
public:
  explicit Sections(SectionFile &Out) : Out(Out) {}

  void array(const Twine &Name, uint64_t Size,
             function_ref<uint64_t(uint64_t)> At) {
    if (Failed || (Failed = Out.begin(Name.str())))
      return;
    packArray(Size, At, Out.os());
    Failed = Out.end();
  }
  template <typename V>
  void array(const Twine &Name, const std::vector<V> &Values) {
    array(Name, Values.size(), [&](uint64_t I) { return uint64_t(Values[I]); });
  }
  void text(StringRef Name, StringRef Text) {
    if (!Failed)
      Failed = Out.section(Name, arrayRefFromStringRef(Text));
  }
  Error take() { return std::move(Failed); }

private:
  SectionFile &Out;
  Error Failed = Error::success();
};

std::string metaOf(const Hierarchy &H, const Statistics &S,
                   const FileHeader &Header) {
  json::Array Threads, Layers, Notes, Entries, Handlers;
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
  for (uint64_t E : Header.Handlers)
    Handlers.push_back(E);
  json::Object Meta{{"store_bytes", Header.Store.Bytes},
                    {"store_checksum", Header.Store.Checksum},
                    {"pipeline", Header.Pipeline},
                    {"time", !S.Time.empty()},
                    {"threads", std::move(Threads)},
                    {"layers", std::move(Layers)},
                    {"notes", std::move(Notes)},
                    {"entries", std::move(Entries)},
                    {"handlers", std::move(Handlers)}};
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

Error write(const RunResult &R, SectionFile &File) {
  const Hierarchy &H = R.H;
  const Statistics &S = R.Stats;
  Sections Out(File);
  const Dictionary &D = H.Dict;
  Out.text("meta", metaOf(H, S, R.Header));
  Out.array("kind", D.size(), [&](uint64_t I) {
    return uint64_t(D.Kind[I]) | uint64_t(D.Home[I]) << 3;
  });
  Out.array("value", D.Value);
  // In the elements of the home layer.
  Out.array("first", D.size(), [&](uint64_t I) {
    bool HasBody = D.Home[I] && D.Kind[I] != BlockKind::Function;
    return D.First[I] + (HasBody ? H.Layers[D.Home[I]].Units.size() : 0);
  });
  Out.array("count", D.Count);
  Out.array("length", D.Length);
  // NoBlock is kept as 0, everything else one up: it packs better.
  Out.array("entry", D.size(),
            [&](uint64_t I) { return uint64_t(BlockId(D.Entry[I] + 1)); });
  Out.array("exit", D.size(),
            [&](uint64_t I) { return uint64_t(BlockId(D.Exit[I] + 1)); });
  Out.array("occurrences", S.Occurrences);
  Out.array("time", S.Time);
  Out.array("first_place", S.FirstPlace);
  Out.array("places", S.Places.size(), [&](uint64_t I) { return S.Places[I]; });
  for (size_t I = 1; I < H.Layers.size(); ++I) {
    const Layer &L = H.Layers[I];
    Out.array(Twine(I) + ".begin", L.numSequences() + 1,
              [&](uint64_t S) { return L.Units.before(S); });
    Elements All(L);
    std::vector<uint64_t> Sums;
    uint64_t Sum = 0;
    Out.array(Twine(I) + ".elements", All.size(), [&](uint64_t E) {
      if (E % format::SumEvery == 0)
        Sums.push_back(Sum);
      BlockId B = All.next();
      Sum += D.Length[B];
      return uint64_t(B);
    });
    Out.array(Twine(I) + ".sums", Sums);
  }
  return Out.take();
}

} // namespace

Expected<std::unique_ptr<MemoryBuffer>> htrBytes(const RunResult &R) {
  StoreBuffer File(format::Magic, format::Version);
  if (Error E = write(R, File))
    return E;
  return File.take();
}

Expected<std::unique_ptr<HtrFile>> openInMemory(const RunResult &R) {
  auto Bytes = htrBytes(R);
  if (!Bytes)
    return Bytes.takeError();
  return HtrFile::open(std::move(*Bytes));
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
  auto File =
      StoreFile::create(Path, format::Magic, format::Version, fileOptions());
  if (!File)
    return File.takeError();
  if (Error E = write(R, **File))
    return E;
  return (*File)->commit();
}

} // namespace rw::htr
