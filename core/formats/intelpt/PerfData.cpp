//===- PerfData.cpp - Intel PT as perf record writes it -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/intelpt/ContextSwitches.h"
#include "core/formats/intelpt/PerfFile.h"
#include "core/formats/intelpt/PerfInflate.h"
#include "core/formats/intelpt/PerfModules.h"
#include "core/formats/intelpt/Recording.h"
#include "core/model/LossNotes.h"
#include "core/support/InputFile.h"
#include "core/support/MappedFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>
#include <set>
#include <unistd.h>

using namespace llvm;

namespace rw::intelpt {

using namespace perf;

namespace {

constexpr uint32_t AuxtraceIntelPT = 1, ProtExec = 4, NoThread = ~0u;
constexpr StringLiteral Vdso = "[vdso]";
constexpr uint64_t UsualBufferBytes = 64 << 20;

/// The words of AUXTRACE_INFO, tools/perf/util/intel-pt.h.
enum InfoWord {
  PmuType,
  TimeShift,
  TimeMult,
  TimeZero,
  CapUserTimeZero,
  TscBit,
  NoRetCompBit,
  HaveSchedSwitch,
  SnapshotMode,
  PerCpuMmaps,
  MtcBit,
  MtcFreqBits,
  TscCtcN,
  TscCtcD,
  CycBit,
  MaxNonTurboRatio,
  NumInfoWords
};

class PerfReader {
public:
  PerfReader(std::string Path, ArrayRef<uint8_t> Bytes, StringRef Symfs)
      : Bytes(Bytes), Symfs(Symfs) {
    R.Path = std::move(Path);
  }

  Expected<Recording> read() {
    auto Frame = File::read(Bytes);
    if (!Frame)
      return bad(toString(Frame.takeError()));
    F = std::move(*Frame);
    if (Error E = records())
      return E;
    if (!Info)
      return bad("has no Intel PT in it (no AUXTRACE_INFO record); expected "
                 "what perf record -e intel_pt// wrote");
    if (R.Buffers.empty())
      return bad("has no trace data in it (no AUXTRACE records)");
    processor();
    if (Error E = owners())
      return E;
    modules();
    return std::move(R);
  }

  /// The paths of all modules; nothing of a file that read() does not take.
  std::vector<std::string> modulePaths() {
    WithPackets = false;
    std::set<std::string> Paths;
    if (auto All = read())
      for (const ModuleSpec &M : All->Modules) {
        Paths.insert(M.Path);
        Paths.insert(M.Places.begin(), M.Places.end());
      }
    else
      consumeError(All.takeError());
    return {Paths.begin(), Paths.end()};
  }

private:
  struct Mapping {
    uint64_t Pid, Address, Bytes, FileOffset;
    std::string Path, BuildId;
  };
  struct SwitchRecord {
    uint64_t Time = 0;
    uint32_t Cpu = 0;
    uint64_t Pid = 0, Tid = 0;
    bool Out = false;
  };

  Error bad(const Twine &Text) {
    return createStringError(std::make_error_code(std::errc::invalid_argument),
                             "'" + R.Path + "': " + Text);
  }

  Error records() {
    size_t At = 0;
    while (At < F.Data.size()) {
      FieldReader In(F.Data.drop_front(At));
      RecordHeader H = readHeader(In);
      if (!In.ok() || H.Bytes < RecordHeader::Size ||
          H.Bytes > F.Data.size() - At)
        return bad(formatv("no record at byte {0}: expected one of at most {1} "
                           "bytes, it says {2}",
                           F.DataOffset + At, F.Data.size() - At, H.Bytes));
      auto Record = F.Data.slice(At, H.Bytes);
      Offset = F.DataOffset + At;
      At += H.Bytes;
      if (Error E = record(H, Record, At))
        return E;
    }
    if (Packed && Packed->rest())
      return bad(formatv("the compressed records end inside a record: {0} "
                         "bytes are left over",
                         Packed->rest()));
    return Error::success();
  }

  /// A compressed record: those that are in it.
  Error unpack(FieldReader In, bool TellsSize) {
    const uint64_t Where = Offset;
    uint64_t Size = TellsSize ? In.u64() : In.left();
    if (!In.ok() || Size > In.left())
      return bad(formatv("the compressed record at byte {0} says that it has "
                         "{1} bytes; only {2} are there",
                         Where, Size, In.left()));
    if (F.Compression && *F.Compression != File::Zstd)
      return bad(formatv("is compressed in a way that is not known (type {0}); "
                         "expected zstd ({1})",
                         *F.Compression, File::Zstd));
    if (!Packed)
      Packed.emplace(F.BufferBytes ? F.BufferBytes : UsualBufferBytes);
    Error E = Packed->add(In.take(Size), [&](ArrayRef<uint8_t> Record) {
      FieldReader R(Record);
      RecordHeader H = readHeader(R);
      if (H.Type == Auxtrace || H.Type == Compressed || H.Type == Compressed2)
        return createStringError(
            std::make_error_code(std::errc::invalid_argument),
            "holds a record of type " + Twine(H.Type) +
                ", which perf does not compress");
      size_t NoEnd = 0;
      return record(H, Record, NoEnd);
    });
    return E ? bad(formatv("the compressed record at byte {0} {1}", Where,
                           toString(std::move(E))))
             : Error::success();
  }

  Error record(const RecordHeader &H, ArrayRef<uint8_t> Record, size_t &At) {
    FieldReader In(Record.drop_front(RecordHeader::Size));
    switch (H.Type) {
    case AuxtraceInfo:
      info(In);
      break;
    case Auxtrace:
      return auxtrace(In, At);
    case Mmap:
    case Mmap2:
      mapping(H, In);
      break;
    case Comm: {
      uint64_t Pid = In.u32(), Tid = In.u32();
      if (In.ok())
        Names[Tid] = In.string(In.left()).str();
      if (H.Misc & CommExec)
        llvm::erase_if(Mappings,
                       [&](const Mapping &M) { return M.Pid == Pid; });
      break;
    }
    case Fork: {
      In.skip(8); // process, and its parent
      uint64_t Tid = In.u32(), Parent = In.u32();
      if (In.ok() && Names.count(Parent))
        Names.try_emplace(Tid, Names[Parent]);
      break;
    }
    case Aux: {
      In.skip(16);
      if (In.u64() & AuxTruncated && In.ok())
        ++Truncated;
      break;
    }
    case ItraceStart: {
      uint64_t Pid = In.u32(), Tid = In.u32();
      if (In.ok())
        Switches.push_back(
            {F.ids(Record).Time, F.ids(Record).Cpu, Pid, Tid, false});
      break;
    }
    case Switch:
    case SwitchCpuWide: {
      SampleIds Ids = F.ids(Record);
      if (Ids.Tid != ~0u)
        Switches.push_back(
            {Ids.Time, Ids.Cpu, Ids.Pid, Ids.Tid, bool(H.Misc & SwitchOut)});
      break;
    }
    case TimeConv: {
      TimeConversion T;
      uint64_t Shift = In.u64(), Mult = In.u64();
      T.Zero = In.u64();
      setTime(T, Shift, Mult, In.ok());
      break;
    }
    case Compressed:
    case Compressed2:
      return unpack(In, H.Type == Compressed2);
    default:
      break;
    }
    return Error::success();
  }

  void setTime(TimeConversion T, uint64_t Shift, uint64_t Mult, bool Ok) {
    if (!Ok || !Mult || Mult > 0xffffffff || Shift > 32)
      return;
    T.Shift = uint16_t(Shift);
    T.Mult = uint32_t(Mult);
    R.Time = T;
  }

  void info(FieldReader In) {
    if (In.u32() != AuxtraceIntelPT)
      return;
    In.u32();
    uint64_t W[NumInfoWords] = {};
    for (uint64_t &Word : W)
      Word = In.left() >= 8 ? In.u64() : 0; // older ones have fewer
    Info = true;
    Pmu = uint32_t(W[PmuType]);
    TimeConversion T;
    T.Zero = W[TimeZero];
    setTime(T, W[TimeShift], W[TimeMult], W[CapUserTimeZero]);
    R.TscCtcNumerator = uint32_t(W[TscCtcN]);
    R.TscCtcDenominator = uint32_t(W[TscCtcD]);
    R.NominalFrequency = uint8_t(std::min<uint64_t>(W[MaxNonTurboRatio], 0xff));
    MtcBits = W[MtcFreqBits];
  }

  Error auxtrace(FieldReader In, size_t &At) {
    uint64_t Size = In.u64(), Begin = In.u64();
    In.u64();
    uint32_t Index = In.u32(), Tid = In.u32(), Cpu = In.u32();
    if (!In.ok() || Size > F.Data.size() - At)
      return bad(formatv("the AUXTRACE record at byte {0} announces {1} bytes "
                         "of trace; only {2} are there",
                         Offset, Size, F.Data.size() - At));
    auto Packets = F.Data.slice(At, Size);
    uint64_t Where = F.DataOffset + At;
    At += Size;
    if (Packets.empty())
      return Error::success();
    auto [It, New] = Last.try_emplace({Index, Tid, Cpu}, R.Buffers.size(), 0);
    auto &[Number, End] = It->second;
    if (!New && Begin < End) { // snapshots may overlap
      uint64_t Known = std::min<uint64_t>(End - Begin, Packets.size());
      Packets = Packets.drop_front(Known);
      Where += Known;
      Begin += Known;
    }
    if (Packets.empty())
      return Error::success();
    // Pieces that do not touch are on their own: nothing goes on from one to
    // the other.
    if (New || Begin != End) {
      Buffer B;
      if (Tid != NoThread && Cpu == NoThread) {
        B.Tid = Tid;
        B.Name = formatv("thread {0}", Tid);
      } else {
        B.Cpu = Cpu == NoThread ? Index : Cpu;
        B.Name = formatv("cpu {0}", *B.Cpu);
      }
      B.FileOffset = Where;
      Number = R.Buffers.size();
      R.Buffers.push_back(std::move(B));
    }
    std::vector<uint8_t> &Bytes = R.Buffers[Number].Bytes;
    if (WithPackets)
      Bytes.insert(Bytes.end(), Packets.begin(), Packets.end());
    End = Begin + Packets.size();
    return Error::success();
  }

  void mapping(const RecordHeader &H, FieldReader In) {
    Mapping M;
    M.Pid = In.u32();
    In.u32();
    M.Address = In.u64();
    M.Bytes = In.u64();
    M.FileOffset = In.u64();
    bool Executable = !(H.Misc & MmapData);
    if (H.Type == Mmap2) {
      ArrayRef<uint8_t> Id = In.take(24);
      if (H.Misc & MmapBuildId && Id.size() == 24)
        M.BuildId = toHex(Id.slice(4, std::min<size_t>(Id[0], 20)));
      Executable = In.u32() & ProtExec;
      In.u32();
    }
    M.Path = In.string(In.left()).str();
    if (!In.ok() || !Executable || M.Path.empty() || !M.Bytes)
      return;
    // What has no file: its addresses are gaps.
    StringRef Path = M.Path;
    const bool IsVdso = Path == Vdso;
    if (!IsVdso && (Path[0] != '/' || Path.starts_with("//") ||
                    Path.starts_with("/dev/") || Path.starts_with("/memfd:"))) {
      if ((H.Misc & CpuModeMask) == CpuModeUser)
        NoFile.insert({M.Path, M.Address});
      return;
    }
    if ((H.Misc & CpuModeMask) == CpuModeKernel)
      return;
    size_t Before = Mappings.size();
    llvm::erase_if(Mappings, [&](const Mapping &O) {
      return O.Pid == M.Pid && O.Address < M.Address + M.Bytes &&
             M.Address < O.Address + O.Bytes;
    });
    Replaced += Before - Mappings.size();
    Mappings.push_back(std::move(M));
  }

  void processor() {
    SmallVector<StringRef, 4> Part;
    StringRef(F.CpuId).split(Part, ',');
    unsigned Family = 0, Model = 0, Stepping = 0;
    if (Part.size() >= 4 && Part[0] == "GenuineIntel" &&
        !Part[1].getAsInteger(10, Family) && !Part[2].getAsInteger(10, Model) &&
        !Part[3].getAsInteger(10, Stepping) && Family <= 0xffff &&
        Model <= 0xff && Stepping <= 0xff)
      R.Cpu = {pcv_intel, uint16_t(Family), uint8_t(Model), uint8_t(Stepping)};
    if (!F.CpuId.empty())
      R.Notes.push_back({"processor", F.CpuId});
    for (const Attribute &A : F.Attributes)
      if (A.Type == Pmu && MtcBits)
        R.MtcFrequency =
            uint8_t((A.Config & MtcBits) >> llvm::countr_zero(MtcBits));
  }

  /// Gives the buffers of CPUs their context switches.
  Error owners() {
    std::map<uint64_t, uint64_t> Traced; // thread to process
    for (const SwitchRecord &S : Switches)
      if (S.Tid)
        Traced[S.Tid] = S.Pid;
    for (Buffer &B : R.Buffers) {
      if (B.Tid) {
        Traced.try_emplace(B.Tid, 0);
        continue;
      }
      if (Traced.size() == 1) {
        B.Switches.push_back(
            {0, Traced.begin()->second, Traced.begin()->first});
        continue;
      }
      if (Traced.empty() && Names.size() == 1) {
        B.Switches.push_back({0, 0, Names.begin()->first});
        continue;
      }
      if (!R.Time)
        return bad("has traces of several threads, but no conversion of time "
                   "that could tell them apart");
      SwitchList List(*R.Time);
      for (const SwitchRecord &S : Switches)
        if (S.Cpu == *B.Cpu)
          List.add(S.Time, S.Pid, S.Tid, S.Out);
      B.Switches = List.take();
      if (B.Switches.empty())
        R.Notes.push_back(
            lossNote(Loss::LeftOut,
                     B.Name + ": no record tells which thread ran there"));
    }
    for (auto [Tid, Pid] : Traced)
      R.Threads.push_back(
          {Pid, Tid, Names.count(Tid) ? Names[Tid] : std::string()});
    return Error::success();
  }

  static bool anyExists(ArrayRef<std::string> Paths) {
    return llvm::any_of(Paths, [](const std::string &P) {
      return sys::fs::is_regular_file(P);
    });
  }

  void modules() {
    for (const Mapping &M : Mappings) {
      std::string BuildId = M.BuildId;
      if (auto It = F.BuildIds.find(M.Path);
          BuildId.empty() && It != F.BuildIds.end())
        BuildId = It->second;
      std::vector<std::string> Places = placesOf(M.Path, BuildId, Symfs);
      if (M.Path == Vdso && !anyExists(Places)) {
        NoFile.insert({M.Path, M.Address});
        continue;
      }
      ModuleSpec S;
      S.Recorded = M.Path;
      S.Path = std::move(Places.front());
      Places.erase(Places.begin());
      S.Places = std::move(Places);
      S.BuildId = std::move(BuildId);
      S.Pid = M.Pid;
      S.LoadAddress = M.Address;
      S.Only = ModuleSpec::Mapping{M.Bytes, M.FileOffset};
      R.Modules.push_back(std::move(S));
    }
    for (const auto &[Path, Address] : NoFile)
      R.Notes.push_back(lossNote(
          Loss::CodeWithoutFile,
          formatv("{0} at {1:x}: what ran there is a gap", Path, Address)));
    if (Replaced)
      R.Notes.push_back(
          lossNote(Loss::MappedOver,
                   formatv("{0} modules, whose code is not known", Replaced)));
    if (Truncated)
      R.Notes.push_back(lossNote(
          Loss::PerfCouldNotKeepUp,
          formatv("{0} times; instructions are missing there", Truncated)));
  }

  ArrayRef<uint8_t> Bytes;
  StringRef Symfs;
  File F;
  std::optional<Inflater> Packed;
  Recording R;
  uint64_t Offset = 0; ///< of the record that is looked at
  bool Info = false;
  bool WithPackets = true;
  uint32_t Pmu = 0;
  uint64_t MtcBits = 0, Truncated = 0, Replaced = 0;
  /// The buffer of an index, thread and CPU that was added to last, and where
  /// its data ends in perf's count.
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>,
           std::pair<size_t, uint64_t>>
      Last;
  std::vector<Mapping> Mappings;
  std::vector<SwitchRecord> Switches;
  std::map<uint64_t, std::string> Names; ///< by thread
  std::set<std::pair<std::string, uint64_t>> NoFile;
};
} // namespace

Expected<Recording> readPerfData(StringRef Path, ArrayRef<uint8_t> Bytes,
                                 StringRef Symfs) {
  return PerfReader(Path.str(), Bytes, Symfs).read();
}

bool isPerfData(StringRef Path) {
  auto File = openRegular(Path);
  if (!File) {
    consumeError(File.takeError()); // the reader will tell
    return false;
  }
  char Magic[8] = {};
  ssize_t N = ::pread(File->get(), Magic, sizeof(Magic), 0);
  return N > 0 && perf::isPerfData(arrayRefFromStringRef({Magic, size_t(N)}));
}

std::vector<std::string> perfModules(StringRef Path, StringRef Symfs) {
  auto Data = MappedFile::open(Path);
  if (!Data) {
    consumeError(Data.takeError()); // the reader will tell
    return {};
  }
  StringRef Bytes = (*Data)->getBuffer();
  return PerfReader(Path.str(), arrayRefFromStringRef(Bytes), Symfs)
      .modulePaths();
}

Expected<Recording> readPerfData(StringRef Path, StringRef Symfs) {
  auto Data = readWholeFile(Path);
  if (!Data)
    return Data.takeError();
  StringRef Bytes = (*Data)->getBuffer();
  return readPerfData(Path, arrayRefFromStringRef(Bytes), Symfs);
}

} // namespace rw::intelpt
