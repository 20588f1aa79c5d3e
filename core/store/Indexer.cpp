//===- Indexer.cpp - The store that belongs to a trace --------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/Indexer.h"
#include "core/store/CheckedSink.h"
#include "core/store/Checksum.h"
#include "core/store/Format.h"
#include "core/store/TraceStore.h"
#include "core/support/Coding.h"
#include "core/support/InputFile.h"
#include "core/support/Printable.h"
#include "core/support/Temporary.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <unistd.h>

using namespace rw;

static std::string fingerprint(const IndexOptions &Options) {
  return Options.Format + "|" + Options.Reader.Settings.fingerprint();
}

/// The settings in a fingerprint.
static FormatSettings settingsOf(llvm::StringRef Fingerprint) {
  return FormatSettings::fromFingerprint(Fingerprint.split('|').second);
}

llvm::Expected<SourceStamp> SourceStamp::of(llvm::StringRef Path,
                                            llvm::StringRef Options) {
  SourceStamp S;
  S.Options = Options.str();
  llvm::SmallString<256> Absolute(Path);
  llvm::sys::fs::make_absolute(Absolute);
  S.Path = std::string(Absolute);
  auto fail = [&](std::error_code EC) {
    return llvm::createStringError(EC, "cannot open '%s': %s",
                                   printable(Path).c_str(),
                                   EC.message().c_str());
  };
  llvm::sys::fs::file_status Status;
  if (std::error_code EC = llvm::sys::fs::status(Path, Status))
    return fail(EC);
  S.Size = Status.getSize();
  S.MTimeNs =
      uint64_t(Status.getLastModificationTime().time_since_epoch().count());
  // Sizes and times of the files that belong to it.
  std::vector<uint64_t> Others;
  for (const std::string &File : companionFiles(Path, settingsOf(Options))) {
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
  auto File = openRegular(Path);
  if (!File)
    return File.takeError();
  constexpr uint64_t Part = 64 << 10;
  std::vector<char> Buffer(Part * 2);
  size_t Used = 0;
  for (uint64_t At : {uint64_t(0), S.Size > Part ? S.Size - Part : S.Size}) {
    llvm::MutableArrayRef<char> To(Buffer.data() + Used, Part);
    llvm::Expected<size_t> N =
        llvm::sys::fs::readNativeFileSlice(File->get(), To, At);
    if (!N)
      return fail(llvm::errorToErrorCode(N.takeError()));
    Used += *N;
  }
  Buffer.resize(Used);
  Buffer.insert(Buffer.end(), OtherBytes.begin(), OtherBytes.end());
  S.Digest =
      checksum({reinterpret_cast<uint8_t *>(Buffer.data()), Buffer.size()});
  return S;
}

/// The digest of every byte of the trace and what belongs to it; never 0.
static llvm::Expected<uint64_t> wholeDigest(llvm::StringRef Trace,
                                            const ReaderOptions &Options) {
  std::vector<std::string> Files = companionFiles(Trace, Options.Settings);
  // A module is in one of several places.
  llvm::erase_if(Files, [](const std::string &File) {
    return !llvm::sys::fs::exists(File);
  });
  if (!llvm::sys::fs::is_directory(Trace))
    Files.push_back(Trace.str());
  std::vector<uint8_t> Piece(1 << 20);
  std::vector<uint64_t> Digests; // of pieces
  for (const std::string &Path : Files) {
    uint64_t Size = 0, At = 0;
    auto File = openRegular(Path, &Size);
    if (!File)
      return File.takeError();
    for (;;) {
      if (Options.Cancel && Options.Cancel->load(std::memory_order_relaxed))
        return llvm::createStringError(
            std::make_error_code(std::errc::interrupted), "interrupted");
      if (Options.Progress)
        Options.Progress(At, Size);
      ssize_t N = ::pread(File->get(), Piece.data(), Piece.size(), off_t(At));
      if (N < 0 && errno == EINTR)
        continue;
      if (N < 0) {
        const std::error_code EC = llvm::errnoAsErrorCode();
        return llvm::createStringError(EC, "cannot read '" + Path +
                                               "': " + EC.message());
      }
      if (N == 0)
        break;
      Digests.push_back(checksum({Piece.data(), size_t(N)}));
      At += uint64_t(N);
    }
    Digests.push_back(At);
  }
  uint64_t Digest = checksum({reinterpret_cast<const uint8_t *>(Digests.data()),
                              Digests.size() * sizeof(uint64_t)});
  return Digest ? Digest : 1;
}

/// "dir/" and "dir" are the same trace.
static llvm::StringRef withoutEnd(llvm::StringRef Trace) {
  while (Trace.size() > 1 && llvm::sys::path::is_separator(Trace.back()))
    Trace = Trace.drop_back();
  return Trace;
}

static bool canWriteBeside(llvm::StringRef Path) {
  llvm::StringRef Folder = llvm::sys::path::parent_path(Path);
  return !llvm::sys::fs::access(Folder.empty() ? "." : Folder,
                                llvm::sys::fs::AccessMode::Write);
}

/// Named by where the trace is; empty if the user has no such folder.
static std::string cachedIndexPath(llvm::StringRef Trace) {
  llvm::SmallString<256> Path, Real;
  if (!llvm::sys::path::cache_directory(Path) ||
      llvm::sys::fs::real_path(Trace, Real))
    return "";
  llvm::sys::path::append(
      Path, "rewind",
      llvm::sys::path::filename(Real) + "-" +
          llvm::utohexstr(
              checksum({reinterpret_cast<const uint8_t *>(Real.data()),
                        Real.size()}),
              /*LowerCase=*/true, /*Width=*/16) +
          ".rewind");
  return Path.str().str();
}

/// Whether what would lie at \p Beside is at \p Cached. Where the folder could
/// not be written once, layers and bookmarks are in the cache: there they stay,
/// whether it can be written now or not.
static bool isInCache(llvm::StringRef Cached, llvm::StringRef Beside) {
  return !Cached.empty() &&
         (llvm::sys::fs::exists(Cached) || !canWriteBeside(Beside));
}

std::string rw::indexPath(llvm::StringRef Trace, const IndexOptions &Options) {
  if (!Options.IndexPath.empty())
    return Options.IndexPath;
  std::string Beside = (withoutEnd(Trace) + ".rewind").str();
  if (llvm::sys::fs::exists(Beside) || !llvm::sys::fs::exists(Trace))
    return Beside;
  std::string Cached = cachedIndexPath(Trace);
  return isInCache(Cached, Beside) ? Cached : Beside;
}

/// How \p Now differs from \p Then; empty if it does not.
static std::string change(const SourceStamp &Then, const SourceStamp &Now) {
  if (Then.Size != Now.Size)
    return "the trace has another size than when it was indexed";
  if (Then.MTimeNs != Now.MTimeNs)
    return "the trace was modified since it was indexed";
  if (Then.Digest != Now.Digest)
    return "the trace is not the one that was indexed";
  return "";
}

llvm::Error rw::checkUnchanged(const TraceStore &Store, llvm::StringRef Trace) {
  auto Now = SourceStamp::of(Trace, Store.source().Options);
  if (!Now)
    return Now.takeError();
  std::string How = change(Store.source(), *Now);
  return How.empty() ? llvm::Error::success()
                     : llvm::createStringError("'" + Trace + "': " + How);
}

/// Why \p Store is not a store of \p Trace as it is now; empty if it is.
static llvm::Expected<std::string> whyStale(const TraceStore &Store,
                                            llvm::StringRef Trace,
                                            const IndexOptions &Options) {
  auto Now = SourceStamp::of(Trace, fingerprint(Options));
  if (!Now)
    return Now.takeError();
  const SourceStamp &Then = Store.source();
  if (std::string How = change(Then, *Now); !How.empty())
    return How;
  if (Then.Options != Now->Options)
    return "it was made with other options";
  if (Options.Verify) {
    if (!Then.Whole)
      return "it was made without --verify";
    auto Whole = wholeDigest(Trace, Options.Reader);
    if (!Whole)
      return Whole.takeError();
    if (Then.Whole != *Whole)
      return "the trace is not the one that was indexed, though its size, time "
             "and ends are the same";
  }
  for (const std::string &Name : Options.Sections) {
    auto S = Store.section(Name);
    if (!S)
      return S.takeError();
    if (!S->data())
      return "it lacks the section '" + Name + "'";
  }
  return std::string();
}

/// What is there but is none of ours must not be lost: only stores, and what
/// may be the beginning of one, are replaced.
static llvm::Error checkReplaceable(llvm::StringRef Path,
                                    llvm::StringRef Trace) {
  bool IsTrace = false;
  if (!llvm::sys::fs::equivalent(Path, Trace, IsTrace) && IsTrace)
    return llvm::createStringError("the index cannot be the trace itself ('" +
                                   Path + "')");
  if (!llvm::sys::fs::exists(Path))
    return llvm::Error::success();
  auto File = openRegular(Path);
  if (!File)
    return llvm::createStringError("the index: " +
                                   llvm::toString(File.takeError()));
  char Head[sizeof(format::Magic)];
  ssize_t N = ::pread(File->get(), Head, sizeof(Head), 0);
  if (N >= 0 && std::memcmp(Head, format::Magic, size_t(N)) == 0)
    return llvm::Error::success();
  return llvm::createStringError(
      "'" + Path +
      "' is there and is not a Rewind index; it is not replaced. Move it away, "
      "or name another place with --index");
}

std::string rw::unnamedStorePath() {
  llvm::SmallString<128> Path;
  llvm::sys::fs::createUniquePath("rewind-%%%%%%%%%%%%", Path,
                                  /*MakeAbsolute=*/true);
  return Path.str().str();
}

static llvm::Error build(llvm::StringRef Trace, const IndexOptions &Options,
                         const SourceStamp &Stamp, llvm::StringRef Path,
                         bool Private) {
  std::vector<CodePage> Pages;
  ReaderOptions ForReader = Options.Reader;
  ForReader.CodePages = &Pages;
  auto Reader = openTrace(Trace, Options.Format, ForReader);
  if (!Reader)
    return Reader.takeError();
  StoreBuilder::Options B;
  B.Threads = Options.Reader.Threads;
  B.CodePages = &Pages;
  B.Private = Private;
  auto Builder = StoreBuilder::create(Path, Stamp, B);
  if (!Builder)
    return Builder.takeError();
  for (StreamObserver *O : Options.Observers)
    (*Builder)->addObserver(*O);
  return CheckedSink::read(**Reader, **Builder);
}

/// An Error if \p Trace lost something while it was read. One that is still
/// being written grows: what was read of it is good.
static llvm::Error checkKept(const SourceStamp &Before, llvm::StringRef Trace,
                             IndexReport &R) {
  auto Now = SourceStamp::of(Trace, Before.Options);
  if (!Now)
    return Now.takeError();
  const bool Same = Now->Size == Before.Size;
  if (Same ? Now->Digest == Before.Digest : Now->Size > Before.Size) {
    if (!Same)
      R.Note += (R.Note.empty() ? "'" : "; '") + Trace.str() +
                "' grew while it was read: what came later is not in the index";
    return llvm::Error::success();
  }
  return llvm::createStringError(
      "'" + Trace + "' " +
      (Same ? "was changed"
            : "was cut from " + llvm::Twine(Before.Size) + " to " +
                  llvm::Twine(Now->Size) + " bytes") +
      " while it was read; nothing is known of it");
}

/// Standard input can be read only once, and nobody can ask later whether an
/// index is of it.
static llvm::Expected<std::unique_ptr<TraceStore>>
readStandardInput(const IndexOptions &Options, IndexReport &R) {
  if (!Options.IndexPath.empty() || Options.Never)
    return llvm::createStringError("standard input has no index that could be "
                                   "used again; store the trace in a file");
  SourceStamp Stamp;
  Stamp.Path = "<standard input>";
  std::string Path = unnamedStorePath();
  if (llvm::Error E = build("-", Options, Stamp, Path, /*Private=*/true))
    return E;
  R.Built = true;
  R.Why = "it is read from standard input";
  auto Store = TraceStore::open(Path);
  llvm::sys::fs::remove(Path);
  return Store;
}

/// The store at \p R's path, if it is good; else null, and R.Why.
static std::unique_ptr<TraceStore>
findStore(llvm::StringRef Trace, const IndexOptions &Options, IndexReport &R) {
  if (!llvm::sys::fs::exists(R.Path)) {
    R.Why = "there was none";
    return nullptr;
  }
  if (Options.Force) {
    R.Why = "asked to";
    return nullptr;
  }
  auto Store = TraceStore::open(R.Path);
  if (!Store) {
    R.Why = llvm::toString(Store.takeError());
    R.Note = "the index could not be used and was built again; opening it "
             "had said: " +
             R.Why;
    return nullptr;
  }
  auto Stale = whyStale(**Store, Trace, Options);
  R.Why = Stale ? *Stale : llvm::toString(Stale.takeError());
  if (R.Why.empty())
    return std::move(*Store);
  R.Why = "stale: " + R.Why;
  return nullptr;
}

/// The user's cache is made when it is needed, for nobody else.
static llvm::Error makeFolderFor(llvm::StringRef Trace, IndexReport &R) {
  llvm::StringRef Folder = llvm::sys::path::parent_path(R.Path);
  if (std::error_code EC = llvm::sys::fs::create_directories(
          Folder, /*IgnoreExisting=*/true, llvm::sys::fs::owner_all))
    return llvm::createStringError(
        EC, "cannot make '" + Folder + "' for the index of '" + Trace +
                "', whose folder cannot be written: " + EC.message() +
                "; name a place with --index");
  if (!R.Note.empty())
    R.Note += "; ";
  R.Note += (canWriteBeside(Trace)
                 ? "the index of '" + Trace +
                       "' stays where it was when the folder could not be "
                       "written: '" +
                       R.Path + "'"
                 : "the folder of '" + Trace +
                       "' cannot be written: its index is '" + R.Path + "'")
                .str();
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<TraceStore>>
rw::openOrBuildStore(llvm::StringRef Trace, const IndexOptions &Options,
                     IndexReport *Report) {
  IndexReport Local;
  IndexReport &R = Report ? *Report : Local;
  if (Trace == "-")
    return readStandardInput(Options, R);
  auto Stamp = SourceStamp::of(Trace, fingerprint(Options));
  if (!Stamp)
    return Stamp.takeError();
  R.Path = indexPath(Trace, Options);
  for (;;) {
    if (llvm::Error E = checkReplaceable(R.Path, Trace))
      return E;
    removeLeftTemporaries(llvm::sys::path::parent_path(R.Path));
    R.Note.clear();
    auto Store = findStore(Trace, Options, R);
    if (Store)
      return Store;
    // One that is of no use, and cannot be replaced, or has not been before.
    if (!Options.IndexPath.empty())
      break;
    std::string Cached = cachedIndexPath(Trace);
    if (Cached == R.Path || !isInCache(Cached, R.Path))
      break;
    R.Path = Cached;
  }
  if (Options.Never)
    return llvm::createStringError("no usable index '" + R.Path + "' (" +
                                   R.Why +
                                   "), and --no-index forbids to build one");

  if (Options.Verify) {
    auto Whole = wholeDigest(Trace, Options.Reader);
    if (!Whole)
      return Whole.takeError();
    Stamp->Whole = *Whole;
  }
  if (Options.IndexPath.empty() && R.Path == cachedIndexPath(Trace))
    if (llvm::Error E = makeFolderFor(Trace, R))
      return E;
  if (llvm::Error E = build(Trace, Options, *Stamp, R.Path, /*Private=*/false))
    return E;
  if (llvm::Error E = checkKept(*Stamp, Trace, R)) {
    llvm::sys::fs::remove(R.Path);
    return E;
  }
  R.Built = true;
  return TraceStore::open(R.Path);
}
