//===- Bundle.cpp - The files that LLDB and Rewind load -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/tools/pt-record/Recorder.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/BuildID.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <sys/uio.h>

using namespace llvm;
using namespace rw::ptrecord;

static const char Vdso[] = "[vdso]", VdsoFile[] = "modules/vdso.so";

static Error write(const std::string &Path, StringRef Text) {
  std::error_code EC;
  raw_fd_ostream OS(Path, EC);
  OS << Text;
  OS.flush();
  if (!EC)
    EC = OS.error();
  OS.clear_error();
  if (EC)
    return createStringError(EC,
                             "cannot write '" + Path + "': " + EC.message());
  return Error::success();
}

/// The kernel's own module is no file, but it is mapped as one.
Error Recorder::copyVdso() const {
  auto Found = Modules.find(Vdso);
  if (Found == Modules.end())
    return Error::success();
  const auto &[Start, Code] = *Found->second.Code.begin();
  std::vector<char> Bytes(Code.End - Start);
  iovec Local = {Bytes.data(), Bytes.size()};
  iovec Remote = {reinterpret_cast<void *>(Start), Bytes.size()};
  if (process_vm_readv(Pid, &Local, 1, &Remote, 1, 0) <= 0)
    return createStringError("cannot read the vdso");
  return write(path(VdsoFile), StringRef(Bytes.data(), Bytes.size()));
}

/// As LLDB writes it: FFF2B8AE-BA1C-63F2-..., empty if there is none.
static Expected<std::string> buildIdOf(StringRef Path) {
  auto File = object::ObjectFile::createObjectFile(Path);
  if (!File)
    return File.takeError();
  std::string Text;
  object::BuildIDRef Id = object::getBuildID(File->getBinary());
  for (size_t K = 0; K < Id.size(); ++K) {
    if (K == 4 || K == 6 || K == 8 || K == 10 || K == 16)
      Text += '-';
    Text += toHex(Id.slice(K, 1));
  }
  return Text;
}

Error Recorder::writeBundle() const {
  json::Array ModuleList, ThreadList;
  std::string Segments = "# address size file-offset file\n";
  for (const auto &[Path, M] : Modules) {
    json::Object O;
    std::string File; // in the bundle
    if (Path == Vdso) {
      File = VdsoFile;
    } else if (Path == Program || Options.CopyLibraries) {
      File = ("modules/" + sys::path::filename(Path)).str();
      if (std::error_code EC = sys::fs::copy_file(Path, path(File)))
        return createStringError(EC,
                                 "cannot copy '" + Path + "': " + EC.message());
      (void)sys::fs::setPermissions(path(File), sys::fs::all_read |
                                                    sys::fs::all_exe |
                                                    sys::fs::owner_write);
    }
    auto Id = buildIdOf(File.empty() ? Path : path(File));
    if (!Id)
      return Id.takeError();
    O["systemPath"] = Path == Vdso ? "linux-vdso.so.1" : Path;
    if (!File.empty())
      O["file"] = File;
    if (!Id->empty())
      O["uuid"] = *Id;
    O["loadAddress"] = "0x" + utohexstr(M.LoadAddress, /*LowerCase=*/true);
    for (const auto &[Start, Code] : M.Code)
      Segments += formatv("{0:x} {1:x} {2:x} {3}\n", Start, Code.End - Start,
                          Path == Vdso ? 0 : Code.FileOffset,
                          File.empty() ? Path : File);
    ModuleList.push_back(std::move(O));
  }
  for (const auto &[Number, T] : Finished)
    ThreadList.push_back(json::Object{
        {"tid", Number}, {"iptTrace", (Twine(Number) + ".ipt").str()}});
  json::Object Bundle{
      {"type", "intel-pt"},
      {"cpuInfo", json::Object{{"vendor", "GenuineIntel"},
                               {"family", PacketWriter::Family},
                               {"model", PacketWriter::Model},
                               {"stepping", PacketWriter::Stepping}}},
      {"processes",
       json::Array{json::Object{{"pid", Finished.begin()->first},
                                {"triple", "x86_64-*-linux"},
                                {"threads", std::move(ThreadList)},
                                {"modules", std::move(ModuleList)}}}}};
  if (Options.Packets.Timing) // 2.6 ticks are a nanosecond
    Bundle["tscPerfZeroConversion"] = json::Object{
        {"timeMult", 1651910498}, {"timeShift", 32}, {"timeZero", "0"}};
  if (Error E = write(path("segments.txt"), Segments))
    return E;
  return write(path("trace.json"),
               formatv("{0:2}\n", json::Value(std::move(Bundle))).str());
}
