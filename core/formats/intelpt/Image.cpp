//===- Image.cpp - The code that was traced -------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/intelpt/Image.h"
#include "core/formats/TraceFormat.h"
#include "core/formats/intelpt/UnwindTables.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <sys/mman.h>
#include <unistd.h>

using namespace llvm;

namespace rw::intelpt {

/// The anonymous file and its mapping.
struct Image::Storage {
  int Fd = -1;
  uint8_t *Base = nullptr;
  size_t Size = 0;
  ~Storage() {
    if (Base)
      munmap(Base, Size);
    if (Fd >= 0)
      close(Fd);
  }
};

Image::Image() = default;
Image::~Image() = default;
Image::Image(Image &&) noexcept = default;
Image &Image::operator=(Image &&) noexcept = default;

namespace {
/// A segment of a module, before it is copied.
struct Segment {
  uint64_t Address = 0, Size = 0;
  StringRef Contents;
  bool Executable = false;
  size_t Module = 0;
};
} // namespace

static Error system(const Twine &What) {
  const std::error_code EC = llvm::errnoAsErrorCode();
  return createStringError(EC, What + ": " + EC.message());
}

/// A checksum of the file in place of a build id (four bytes) cannot be
/// compared with one.
static bool isOtherBuild(StringRef Recorded, StringRef Found) {
  return Recorded.size() > 8 && Recorded != Found;
}

static Error checkBuild(const ModuleSpec &S, const ElfModule &M) {
  if (!isOtherBuild(S.BuildId, M.BuildId))
    return Error::success();
  return badTrace("module '" + S.Path +
                  "' is not the one that was traced: its " + "build id is " +
                  (M.BuildId.empty() ? "missing" : M.BuildId) +
                  ", the trace was recorded with " + S.BuildId +
                  (S.Recorded == S.Path ? "" : " ('" + S.Recorded + "')"));
}

/// At canonical addresses, and not in the last page of memory: so sums of
/// addresses do not go around.
static bool fits(uint64_t Address, uint64_t Size) {
  uint64_t End = Address + Size;
  return uint64_t(SignExtend64<48>(Address)) == Address &&
         Size < uint64_t(1) << 47 && End >= Address && End < ~uint64_t(0xfff) &&
         uint64_t(SignExtend64<48>(End)) == End;
}
static Error doesNotFit(const ModuleSpec &S) {
  return badTrace(
      formatv("module '{0}' does not fit at {1:x}", S.Path, S.LoadAddress));
}

static Error addPieces(const ModuleSpec &S, const ElfModule &M, size_t Index,
                       std::vector<Segment> &Out) {
  if (S.Only) {
    // A mapping tells file offsets; what is beyond the segments is padding.
    for (const ElfModule::Segment &G : M.Segments) {
      uint64_t Begin = std::max(G.FileOffset, S.Only->FileOffset);
      uint64_t End = std::min(G.FileOffset + G.Contents.size(),
                              S.Only->FileOffset + S.Only->Bytes);
      if (Begin >= End || !G.Executable)
        continue;
      if (!fits(S.LoadAddress, End - S.Only->FileOffset))
        return doesNotFit(S);
      Out.push_back({S.LoadAddress + (Begin - S.Only->FileOffset), End - Begin,
                     G.Contents.substr(Begin - G.FileOffset, End - Begin), true,
                     Index});
    }
    return Error::success();
  }
  uint64_t Slide = S.LoadAddress - M.lowestPage();
  for (const ElfModule::Segment &G : M.Segments) {
    if (!G.MemorySize)
      continue;
    if (!fits(G.Address + Slide, G.MemorySize))
      return doesNotFit(S);
    Out.push_back(
        {G.Address + Slide, G.MemorySize, G.Contents, G.Executable, Index});
  }
  return Error::success();
}

/// Sorts; takes out what is there twice because processes share it.
static Error checkOverlaps(std::vector<Segment> &Segments,
                           ArrayRef<ModuleSpec> Modules) {
  llvm::stable_sort(Segments, [](const Segment &A, const Segment &B) {
    return A.Address < B.Address;
  });
  std::vector<Segment> Kept;
  for (const Segment &P : Segments) {
    if (!Kept.empty() && P.Address < Kept.back().Address + Kept.back().Size) {
      const Segment &Q = Kept.back();
      const ModuleSpec &A = Modules[Q.Module], &B = Modules[P.Module];
      if (P.Address == Q.Address && P.Contents == Q.Contents)
        continue;
      if (P.Module == Q.Module)
        return badTrace("module '" + B.Path + "' has segments that overlap");
      if (A.Pid != B.Pid)
        return badTrace(
            formatv("processes {0} and {1} have different code at {2:x} "
                    "('{3}' and '{4}'); Rewind reads traces of one "
                    "address space",
                    A.Pid, B.Pid, P.Address, A.Path, B.Path));
      return badTrace(formatv("modules '{0}' (at {1:x}) and '{2}' (at {3:x}) "
                              "overlap at {4:x}",
                              A.Path, A.LoadAddress, B.Path, B.LoadAddress,
                              P.Address));
    }
    Kept.push_back(P);
  }
  Segments = std::move(Kept);
  return Error::success();
}

/// \p M lies \p Slide bytes further up than it was linked.
void Image::addTables(const ElfModule &M, uint64_t Slide) {
  UnwindTables Tables = unwindTables(M);
  addNonlocalTargets(M, Tables, Slide, Nonlocal);
  for (ArrayRef<FunctionRange> From :
       {ArrayRef(Tables.Functions), ArrayRef(M.Functions)})
    for (FunctionRange F : From)
      if (M.isCode(F.Begin) && F.Size <= M.contentsFrom(F.Begin).size())
        Functions.push_back({F.Begin + Slide, F.Size});
}

/// The first and longest of functions that overlap is kept.
static void makeDisjoint(std::vector<FunctionRange> &Functions) {
  llvm::sort(Functions, [](const FunctionRange &A, const FunctionRange &B) {
    return A.Begin != B.Begin ? A.Begin < B.Begin : A.Size > B.Size;
  });
  std::vector<FunctionRange> Kept;
  for (const FunctionRange &F : Functions)
    if (Kept.empty() || F.Begin - Kept.back().Begin >= Kept.back().Size)
      Kept.push_back(F);
  Functions = std::move(Kept);
}

/// Reads the file of a module: the first one of the recorded build of where it
/// may be. \p S is told which it is.
static Expected<ElfModule> readModule(ModuleSpec &S) {
  auto Read = [&]() -> Expected<ElfModule> {
    auto M = ElfModule::read(S.Path);
    if (!M)
      return M.takeError();
    if (Error E = checkBuild(S, *M))
      return E;
    return M;
  };
  auto M = Read();
  if (M || S.Places.empty())
    return M;
  std::string Problems = toString(M.takeError());
  const std::string First = S.Path;
  for (const std::string &Place : S.Places) {
    if (!sys::fs::is_regular_file(Place))
      continue;
    S.Path = Place;
    auto Other = Read();
    if (Other)
      return Other;
    Problems += "\n" + toString(Other.takeError());
  }
  S.Path = First;
  return badTrace(Problems);
}

Expected<Image> Image::load(ArrayRef<ModuleSpec> Recorded, bool Tolerate) {
  std::vector<ModuleSpec> Specs = Recorded.vec();
  Image I;
  std::vector<ElfModule> Files; // keep the contents that Segments refer to
  std::vector<Segment> Segments;
  std::string Problems;
  for (auto [Index, S] : enumerate(Specs)) {
    auto M = readModule(S);
    Error E = M ? Error::success() : M.takeError();
    if (!E)
      E = addPieces(S, *M, Index, Segments);
    if (E) {
      std::string Text = toString(std::move(E));
      if (Tolerate)
        I.Missing.push_back(Text);
      else
        Problems += (Problems.empty() ? "" : "\n") + Text;
      continue;
    }
    ModuleInfo Info{S.Path, S.Recorded, S.BuildId, S.LoadAddress, 0};
    if (Info.BuildId.empty())
      Info.BuildId = M->BuildId;
    uint64_t End = S.LoadAddress;
    for (const Segment &P : Segments)
      if (P.Module == Index)
        End = std::max(End, P.Address + P.Size);
    Info.Bytes = End - S.LoadAddress;
    bool Placed = !S.Only;
    if (S.Only)
      for (const ElfModule::Segment &G : M->Segments)
        if (G.Executable && S.Only->FileOffset >= (G.FileOffset & ~0xfffull) &&
            S.Only->FileOffset < G.FileOffset + G.Contents.size()) {
          // From the one mapping to where the whole file lies.
          uint64_t Linked = G.Address - G.FileOffset + S.Only->FileOffset;
          Info.LoadAddress = S.LoadAddress - (Linked - M->lowestPage());
          Info.Bytes = End - Info.LoadAddress;
          Placed = true;
        }
    if (Placed)
      I.addTables(*M, Info.LoadAddress - M->lowestPage());
    I.Modules.push_back(std::move(Info));
    Files.push_back(std::move(*M));
  }
  if (!Problems.empty())
    return badTrace(Problems +
                    "\n(--missing-modules goes on without them: what "
                    "ran there becomes gaps)");
  if (Error E = checkOverlaps(Segments, Specs))
    return E;
  makeDisjoint(I.Functions);

  uint64_t Total = 0;
  for (const Segment &P : Segments)
    if (P.Executable && !P.Contents.empty()) {
      I.Sections.push_back({P.Address, P.Contents.size(), Total});
      Total += alignTo(P.Contents.size(), 4096);
    }
  if (!Total)
    return I;
  I.Code = std::make_unique<Storage>();
  Storage &S = *I.Code;
  S.Fd = memfd_create("rewind-code", MFD_CLOEXEC);
  if (S.Fd < 0 || ftruncate(S.Fd, off_t(Total)) != 0)
    return system("cannot hold the traced code in memory");
  void *Base =
      mmap(nullptr, Total, PROT_READ | PROT_WRITE, MAP_SHARED, S.Fd, 0);
  if (Base == MAP_FAILED)
    return system("cannot map the traced code");
  S.Base = static_cast<uint8_t *>(Base);
  S.Size = Total;
  size_t N = 0;
  for (const Segment &P : Segments)
    if (P.Executable && !P.Contents.empty())
      memcpy(S.Base + I.Sections[N++].FileOffset, P.Contents.data(),
             P.Contents.size());
  return I;
}

ArrayRef<uint8_t> Image::bytes(uint64_t Address, size_t Size) const {
  auto It =
      llvm::upper_bound(Sections, Address, [](uint64_t A, const Section &S) {
        return A < S.Address;
      });
  if (It == Sections.begin())
    return {};
  const Section &S = *std::prev(It);
  uint64_t Offset = Address - S.Address;
  if (Offset >= S.Size)
    return {};
  return {Code->Base + S.FileOffset + Offset,
          size_t(std::min<uint64_t>(Size, S.Size - Offset))};
}

const FunctionRange *Image::functionAt(uint64_t Address) const {
  auto It = llvm::partition_point(
      Functions, [&](const FunctionRange &F) { return F.Begin <= Address; });
  if (It == Functions.begin())
    return nullptr;
  const FunctionRange &F = *std::prev(It);
  return Address - F.Begin < F.Size ? &F : nullptr;
}

bool Image::isNear(uint64_t Address) const {
  constexpr uint64_t Bytes = 1 << 16;
  uint64_t Begin = Address & ~(Bytes - 1);
  auto It = llvm::partition_point(
      Sections, [&](const Section &S) { return S.Address + S.Size <= Begin; });
  return It != Sections.end() && It->Address - Begin < Bytes;
}

Image::View::~View() {
  pt_image_free(I);
  pt_iscache_free(Cache);
}
Image::View::View(View &&O) noexcept
    : Cache(std::exchange(O.Cache, nullptr)), I(std::exchange(O.I, nullptr)) {}

Expected<Image::View> Image::view() const {
  View V;
  V.Cache = pt_iscache_alloc(nullptr);
  V.I = pt_image_alloc(nullptr);
  if (!V.Cache || !V.I)
    return badTrace("libipt: out of memory");
  if (!Code)
    return V;
  // Keep all sections mapped: their caches of blocks go with the mapping.
  pt_iscache_set_limit(V.Cache, ~uint64_t(0));
  std::string Path = "/proc/self/fd/" + std::to_string(Code->Fd);
  for (const Section &S : Sections) {
    int Id = pt_iscache_add_file(V.Cache, Path.c_str(), S.FileOffset, S.Size,
                                 S.Address);
    int Status = Id < 0 ? Id : pt_image_add_cached(V.I, V.Cache, Id, nullptr);
    if (Status < 0)
      return badTrace(formatv("libipt cannot use the code at {0:x}: {1}",
                              S.Address, pt_errstr(pt_errcode(Status))));
  }
  return V;
}

} // namespace rw::intelpt
