//===- Bundle.cpp - LLDB's description of an Intel PT trace ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/intelpt/ContextSwitches.h"
#include "core/formats/intelpt/Recording.h"
#include "core/support/InputFile.h"
#include "core/support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace rw::intelpt {

namespace {

constexpr const char *Schema = R"({
  "type": "intel-pt",
  "cpuInfo": {
    "vendor": "GenuineIntel" | "unknown",
    "family": integer,
    "model": integer,
    "stepping": integer
  },
  "processes"?: [
    {
      "pid": integer,
      "triple"?: string,
      "threads": [
        {
          "tid": integer,
          "iptTrace"?: string        // its packets; also "traceBuffer"
        }
      ],
      "modules": [
        {
          "systemPath": string,      // where it was when it was traced
          "file"?: string,           // a copy, if it is not there any more
          "loadAddress": integer | string decimal | hex string,
          "uuid"?: string            // its build id, which is checked
        }
      ]
    }
  ],
  "cpus"?: [                         // in place of the threads' "iptTrace"
    {
      "id": integer,
      "iptTrace": string,
      "contextSwitchTrace": string   // records of perf_event_open, with TID
                                     // and TIME samples and sample_id_all
    }
  ],
  "tscPerfZeroConversion"?: {        // necessary with "cpus"
    "timeMult": integer,
    "timeShift": integer,
    "timeZero": integer | string decimal | hex string
  },
  "kernel"?: {                       // only with "cpus", without "processes"
    "loadAddress"?: integer | string decimal | hex string,
    "file": string
  }
}
Paths are absolute or relative to the directory that this file lies in.)";

/// An integer, or a string of one.
struct Number {
  uint64_t Value = 0;
};
struct CpuInfo {
  std::string Vendor;
  uint64_t Family = 0, Model = 0, Stepping = 0;
};
struct Module {
  std::string SystemPath;
  std::optional<std::string> File, Uuid;
  Number LoadAddress;
};
struct Thread {
  uint64_t Tid = 0;
  std::optional<std::string> IptTrace, TraceBuffer;
};
struct Process {
  uint64_t Pid = 0;
  std::optional<std::string> Triple;
  std::vector<Thread> Threads;
  std::vector<Module> Modules;
};
struct CpuBuffer {
  uint64_t Id = 0;
  std::string IptTrace, ContextSwitchTrace;
};
struct ZeroConversion {
  TimeConversion Value;
};
struct Kernel {
  std::optional<Number> LoadAddress;
  std::string File;
};
struct Description {
  std::string Type;
  CpuInfo Cpu;
  std::optional<std::vector<Process>> Processes;
  std::optional<std::vector<CpuBuffer>> Cpus;
  std::optional<ZeroConversion> Time;
  std::optional<Kernel> TheKernel;
};

bool fromJSON(const json::Value &V, Number &N, json::Path P) {
  if (auto I = V.getAsUINT64()) {
    N.Value = *I;
    return true;
  }
  if (auto S = V.getAsString(); S && !S->getAsInteger(0, N.Value))
    return true;
  P.report("expected a number, or a string of one");
  return false;
}

/// fromJSON takes negative numbers for huge ones.
bool natural(const json::Object &O, StringRef Name, uint64_t &Out, json::Path P,
             uint64_t Max) {
  const json::Value *V = O.get(Name);
  if (!V) {
    P.field(Name).report("missing value");
    return false;
  }
  auto I = V->getAsUINT64();
  if (!I || *I > Max) {
    P.field(Name).report("expected an integer, not negative and not too large");
    return false;
  }
  Out = *I;
  return true;
}

constexpr uint64_t MaxId = (uint64_t(1) << 62) - 1;

bool fromJSON(const json::Value &V, CpuInfo &C, json::Path P) {
  json::ObjectMapper M(V, P);
  return M && M.map("vendor", C.Vendor) &&
         natural(*V.getAsObject(), "family", C.Family, P, 0xffff) &&
         natural(*V.getAsObject(), "model", C.Model, P, 0xff) &&
         natural(*V.getAsObject(), "stepping", C.Stepping, P, 0xff);
}
bool fromJSON(const json::Value &V, Module &X, json::Path P) {
  json::ObjectMapper M(V, P);
  return M && M.map("systemPath", X.SystemPath) &&
         M.mapOptional("file", X.File) && M.mapOptional("uuid", X.Uuid) &&
         M.map("loadAddress", X.LoadAddress);
}
bool fromJSON(const json::Value &V, Thread &T, json::Path P) {
  json::ObjectMapper M(V, P);
  return M && natural(*V.getAsObject(), "tid", T.Tid, P, MaxId) &&
         M.mapOptional("iptTrace", T.IptTrace) &&
         M.mapOptional("traceBuffer", T.TraceBuffer);
}
bool fromJSON(const json::Value &V, Process &X, json::Path P) {
  json::ObjectMapper M(V, P);
  return M && natural(*V.getAsObject(), "pid", X.Pid, P, MaxId) &&
         M.mapOptional("triple", X.Triple) && M.map("threads", X.Threads) &&
         M.map("modules", X.Modules);
}
bool fromJSON(const json::Value &V, CpuBuffer &C, json::Path P) {
  json::ObjectMapper M(V, P);
  return M && natural(*V.getAsObject(), "id", C.Id, P, 0xffffffff) &&
         M.map("iptTrace", C.IptTrace) &&
         M.map("contextSwitchTrace", C.ContextSwitchTrace);
}
bool fromJSON(const json::Value &V, ZeroConversion &T, json::Path P) {
  json::ObjectMapper M(V, P);
  uint64_t Mult = 0, Shift = 0;
  Number Zero;
  if (!M || !natural(*V.getAsObject(), "timeMult", Mult, P, 0xffffffff) ||
      !natural(*V.getAsObject(), "timeShift", Shift, P, 32) ||
      !M.map("timeZero", Zero))
    return false;
  T.Value.Mult = uint32_t(Mult);
  T.Value.Shift = uint16_t(Shift);
  T.Value.Zero = Zero.Value;
  return true;
}
bool fromJSON(const json::Value &V, Kernel &K, json::Path P) {
  json::ObjectMapper M(V, P);
  return M && M.mapOptional("loadAddress", K.LoadAddress) &&
         M.map("file", K.File);
}

bool fail(json::Path P, StringLiteral Text) {
  P.report(Text);
  return false;
}

/// What the shape of the single parts does not tell.
bool check(const Description &D, json::Path P) {
  if (D.Type != "intel-pt")
    return fail(P.field("type"), "expected \"intel-pt\"");
  if (D.Cpus && !D.Time)
    return fail(P.field("tscPerfZeroConversion"), "is necessary with \"cpus\"");
  if (D.TheKernel && !D.Cpus)
    return fail(P.field("cpus"), "is necessary with \"kernel\"");
  if (D.TheKernel && D.Processes && !D.Processes->empty())
    return fail(P.field("processes"), "must be empty with \"kernel\"");
  if (!D.TheKernel && (!D.Processes || D.Processes->empty()))
    return fail(P.field("processes"), "expected at least one process");
  if (!D.Processes)
    return true;
  json::Path Processes = P.field("processes"); // paths refer to their parents
  for (auto [I, Proc] : enumerate(*D.Processes)) {
    json::Path Process = Processes.index(I), Threads = Process.field("threads");
    for (auto [J, T] : enumerate(Proc.Threads)) {
      json::Path Thread = Threads.index(J);
      if (!T.Tid)
        return fail(Thread.field("tid"), "expected a number above 0");
      bool Own = T.IptTrace || T.TraceBuffer;
      if (Own && D.Cpus)
        return fail(Thread.field("iptTrace"),
                    "is not possible together with \"cpus\"");
      if (!Own && !D.Cpus)
        return fail(Thread.field("iptTrace"), "missing value");
    }
  }
  return true;
}

bool fromJSON(const json::Value &V, Description &D, json::Path P) {
  json::ObjectMapper M(V, P);
  return M && M.map("type", D.Type) && M.map("cpuInfo", D.Cpu) &&
         M.mapOptional("processes", D.Processes) &&
         M.mapOptional("cpus", D.Cpus) &&
         M.mapOptional("tscPerfZeroConversion", D.Time) &&
         M.mapOptional("kernel", D.TheKernel) && check(D, P);
}

/// Where Linux puts itself without address space randomisation.
constexpr uint64_t DefaultKernelAddress = 0xffffffff81000000;

class BundleReader {
public:
  explicit BundleReader(StringRef Path) { R.Path = Path.str(); }

  Expected<Recording> read() {
    if (Error E = parse())
      return E;
    R.Cpu.vendor = D.Cpu.Vendor == "GenuineIntel" ? pcv_intel : pcv_unknown;
    R.Cpu.family = uint16_t(D.Cpu.Family);
    R.Cpu.model = uint8_t(D.Cpu.Model);
    R.Cpu.stepping = uint8_t(D.Cpu.Stepping);
    R.Notes.push_back(
        {"processor",
         formatv("{0} family {1} model {2} stepping {3}", D.Cpu.Vendor,
                 D.Cpu.Family, D.Cpu.Model, D.Cpu.Stepping)});
    if (D.Time) {
      R.Time = D.Time->Value;
      R.NominalFrequency = nominalRatio(*R.Time);
      R.FrequencyFrom = Recording::Implied;
    }
    if (D.Processes)
      for (const Process &P : *D.Processes)
        if (Error E = process(P))
          return E;
    if (D.TheKernel)
      kernel(*D.TheKernel);
    if (D.Cpus)
      for (const CpuBuffer &C : *D.Cpus)
        if (Error E = cpu(C))
          return E;
    return std::move(R);
  }

private:
  Error bad(const Twine &Text) {
    return createStringError(std::make_error_code(std::errc::invalid_argument),
                             "'" + R.Path + "': " + Text);
  }

  Error parse() {
    auto File = readWholeFile(R.Path, MaxDescriptionBytes);
    if (!File)
      return File.takeError();
    auto Json = parseJson((*File)->getBuffer());
    if (!Json)
      return bad("not valid JSON: " + toString(Json.takeError()));
    json::Path::Root Root("traceBundle");
    if (fromJSON(*Json, D, Root))
      return Error::success();
    std::string Text;
    raw_string_ostream OS(Text);
    OS << toString(Root.getError()) << "\n\nContext:\n";
    Root.printErrorContext(*Json, OS);
    OS << "\n\nSchema:\n" << Schema;
    return bad(Text);
  }

  std::string resolve(StringRef Path) const {
    if (sys::path::is_absolute(Path))
      return Path.str();
    SmallString<128> Full(sys::path::parent_path(R.Path));
    sys::path::append(Full, Path);
    return Full.str().str();
  }

  Expected<std::vector<uint8_t>> contents(const std::string &Path) {
    auto File = readWholeFile(Path);
    if (!File)
      return bad(toString(File.takeError()));
    StringRef Bytes = (*File)->getBuffer();
    return std::vector<uint8_t>(Bytes.bytes_begin(), Bytes.bytes_end());
  }

  Error process(const Process &P) {
    R.Processes.push_back(P.Pid);
    for (const Module &M : P.Modules) {
      ModuleSpec S;
      S.Recorded = M.SystemPath;
      S.Path = M.File ? resolve(*M.File) : M.SystemPath;
      S.BuildId = normalBuildId(M.Uuid.value_or(""));
      S.LoadAddress = M.LoadAddress.Value;
      S.Pid = P.Pid;
      R.Modules.push_back(std::move(S));
    }
    for (const Thread &T : P.Threads) {
      R.Threads.push_back({P.Pid, T.Tid, ""});
      if (D.Cpus)
        continue;
      Buffer B;
      B.Name = resolve(T.IptTrace ? *T.IptTrace : *T.TraceBuffer);
      B.Tid = T.Tid;
      if (llvm::any_of(R.Buffers,
                       [&](const Buffer &O) { return O.Tid == T.Tid; }))
        return bad("thread " + Twine(T.Tid) + " is there twice");
      auto Bytes = contents(B.Name);
      if (!Bytes)
        return Bytes.takeError();
      B.Bytes = std::move(*Bytes);
      R.Buffers.push_back(std::move(B));
    }
    return Error::success();
  }

  void kernel(const Kernel &K) {
    R.KernelOnly = true;
    ModuleSpec S;
    S.Recorded = "[kernel]";
    S.Path = resolve(K.File);
    S.LoadAddress = K.LoadAddress ? K.LoadAddress->Value : DefaultKernelAddress;
    S.Kernel = true;
    R.Modules.push_back(std::move(S));
  }

  Error cpu(const CpuBuffer &C) {
    Buffer B;
    B.Name = resolve(C.IptTrace);
    B.Cpu = uint32_t(C.Id);
    auto Bytes = contents(B.Name);
    if (!Bytes)
      return Bytes.takeError();
    B.Bytes = std::move(*Bytes);
    if (R.KernelOnly) {
      B.Tid = C.Id + 1;
      R.Threads.push_back({0, B.Tid, ""});
    } else {
      std::string Path = resolve(C.ContextSwitchTrace);
      auto Records = contents(Path);
      if (!Records)
        return Records.takeError();
      auto Switches = readContextSwitches(*Records, Path, *R.Time);
      if (!Switches)
        return Switches.takeError();
      B.Switches = std::move(*Switches);
    }
    R.Buffers.push_back(std::move(B));
    return Error::success();
  }

  Recording R;
  Description D;
};
} // namespace

Expected<Recording> readBundle(StringRef Path) {
  SmallString<128> File(Path);
  if (sys::fs::is_directory(File))
    sys::path::append(File, "trace.json");
  return BundleReader(File).read();
}

} // namespace rw::intelpt
