//===- Indexer.cpp - The store that belongs to a trace --------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/Indexer.h"
#include "core/formats/Companions.h"
#include "core/store/Checksum.h"
#include "core/store/Coding.h"
#include "core/store/Format.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace rw;

llvm::Expected<SourceStamp> SourceStamp::of(llvm::StringRef Path,
                                            llvm::StringRef Options) {
  SourceStamp S;
  S.Options = Options.str();
  llvm::SmallString<256> Absolute(Path);
  llvm::sys::fs::make_absolute(Absolute);
  S.Path = std::string(Absolute);
  auto fail = [&](std::error_code EC) {
    return llvm::createStringError(EC, "cannot open '%s': %s",
                                   Path.str().c_str(), EC.message().c_str());
  };
  llvm::sys::fs::file_status Status;
  if (std::error_code EC = llvm::sys::fs::status(Path, Status))
    return fail(EC);
  S.Size = Status.getSize();
  S.MTimeNs =
      uint64_t(Status.getLastModificationTime().time_since_epoch().count());
  // Sizes and times of the files that belong to it.
  std::vector<uint64_t> Others;
  for (const std::string &File : companionFiles(Path)) {
    llvm::sys::fs::file_status Other;
    bool There = !llvm::sys::fs::status(File, Other);
    Others.push_back(There ? Other.getSize() : ~uint64_t(0));
    Others.push_back(
        There ? uint64_t(
                    Other.getLastModificationTime().time_since_epoch().count())
              : 0);
  }
  llvm::ArrayRef<uint8_t> OtherBytes(
      reinterpret_cast<const uint8_t *>(Others.data()), Others.size() * 8);
  // A directory (a bundle of files) has no bytes of its own, and what happens
  // in it besides them does not matter.
  if (Status.type() == llvm::sys::fs::file_type::directory_file &&
      !Others.empty()) {
    S.Size = S.MTimeNs = 0;
    S.Digest = checksum(OtherBytes);
    return S;
  }
  if (Status.type() != llvm::sys::fs::file_type::regular_file)
    return S;
  llvm::Expected<llvm::sys::fs::file_t> FD =
      llvm::sys::fs::openNativeFileForRead(Path);
  if (!FD)
    return fail(llvm::errorToErrorCode(FD.takeError()));
  constexpr uint64_t Part = 64 << 10;
  std::vector<char> Buffer(Part * 2);
  size_t Used = 0;
  for (uint64_t At : {uint64_t(0), S.Size > Part ? S.Size - Part : S.Size}) {
    llvm::MutableArrayRef<char> To(Buffer.data() + Used, Part);
    llvm::Expected<size_t> N = llvm::sys::fs::readNativeFileSlice(*FD, To, At);
    if (!N) {
      llvm::sys::fs::closeFile(*FD);
      return fail(llvm::errorToErrorCode(N.takeError()));
    }
    Used += *N;
  }
  llvm::sys::fs::closeFile(*FD);
  Buffer.resize(Used);
  Buffer.insert(Buffer.end(), OtherBytes.begin(), OtherBytes.end());
  S.Digest =
      checksum({reinterpret_cast<uint8_t *>(Buffer.data()), Buffer.size()});
  return S;
}

std::string rw::indexPath(llvm::StringRef Trace, const IndexOptions &Options) {
  if (!Options.IndexPath.empty())
    return Options.IndexPath;
  // "dir/" and "dir" are the same trace.
  while (Trace.size() > 1 && llvm::sys::path::is_separator(Trace.back()))
    Trace = Trace.drop_back();
  return (Trace + ".rewind").str();
}

static std::string fingerprint(const IndexOptions &Options) {
  return Options.Format + "|" + Options.Reader.fingerprint();
}

llvm::Expected<std::string> rw::whyStale(const TraceStore &Store,
                                         llvm::StringRef Trace,
                                         const IndexOptions &Options) {
  auto Now = SourceStamp::of(Trace, fingerprint(Options));
  if (!Now)
    return Now.takeError();
  const SourceStamp &Then = Store.source();
  if (Then.Size != Now->Size)
    return "the trace has another size than when it was indexed";
  if (Then.MTimeNs != Now->MTimeNs)
    return "the trace was modified since it was indexed";
  if (Then.Digest != Now->Digest)
    return "the trace is not the one that was indexed";
  if (Then.Options != Now->Options)
    return "it was made with other options";
  for (const std::string &Name : Options.Sections) {
    auto S = Store.section(Name);
    if (!S)
      return S.takeError();
    if (!S->data())
      return "it lacks the section '" + Name + "'";
  }
  return std::string();
}

/// A path given by mistake must not cost anybody a file: only stores, and what
/// may be the beginning of one, are replaced.
static llvm::Error checkReplaceable(llvm::StringRef Path,
                                    llvm::StringRef Trace) {
  bool IsTrace = false;
  if (!llvm::sys::fs::equivalent(Path, Trace, IsTrace) && IsTrace)
    return llvm::createStringError("the index cannot be the trace itself ('" +
                                   Path + "')");
  llvm::Expected<llvm::sys::fs::file_t> FD =
      llvm::sys::fs::openNativeFileForRead(Path);
  if (!FD) {
    llvm::consumeError(FD.takeError()); // writing it will tell
    return llvm::Error::success();
  }
  char Head[sizeof(format::Magic)];
  llvm::Expected<size_t> N = llvm::sys::fs::readNativeFileSlice(*FD, Head, 0);
  llvm::sys::fs::closeFile(*FD);
  if (N && std::memcmp(Head, format::Magic, *N) == 0)
    return llvm::Error::success();
  if (!N)
    llvm::consumeError(N.takeError());
  return llvm::createStringError(
      "'" + Path + "' is there and is not a Rewind index; it is not replaced");
}

llvm::Expected<std::unique_ptr<TraceStore>>
rw::openOrBuildStore(llvm::StringRef Trace, const IndexOptions &Options,
                     IndexReport *Report) {
  IndexReport Local;
  IndexReport &R = Report ? *Report : Local;
  R.Path = indexPath(Trace, Options);
  auto Stamp = SourceStamp::of(Trace, fingerprint(Options));
  if (!Stamp)
    return Stamp.takeError();

  if (!Options.IndexPath.empty())
    if (llvm::Error E = checkReplaceable(R.Path, Trace))
      return E;

  bool Exists = llvm::sys::fs::exists(R.Path);
  if (!Exists) {
    R.Why = "there was none";
  } else if (Options.Force) {
    R.Why = "asked to";
  } else {
    auto Store = TraceStore::open(R.Path);
    if (!Store) {
      R.Why = llvm::toString(Store.takeError());
    } else {
      auto Stale = whyStale(**Store, Trace, Options);
      R.Why = Stale ? *Stale : llvm::toString(Stale.takeError());
      if (R.Why.empty())
        return Store;
      R.Why = "stale: " + R.Why;
    }
  }
  if (Options.Never)
    return llvm::createStringError("no usable index '" + R.Path + "' (" +
                                   R.Why +
                                   "), and --no-index forbids to build one");

  auto Reader = openTrace(Trace, Options.Format, Options.Reader);
  if (!Reader)
    return Reader.takeError();
  StoreBuilder::Options B;
  B.Threads = Options.Reader.Threads;
  auto Builder = StoreBuilder::create(R.Path, *Stamp, B);
  if (!Builder)
    return Builder.takeError();
  for (StreamObserver *O : Options.Observers)
    (*Builder)->addObserver(*O);
  if (llvm::Error E = (*Reader)->read(**Builder))
    return E;
  Builder->reset();
  R.Built = true;
  return TraceStore::open(R.Path);
}
