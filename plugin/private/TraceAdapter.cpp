//===- TraceAdapter.cpp - Our traces behind LLDB's trace API --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Uses private headers of LLDB (as CallUnwind.cpp and HiddenData.cpp do).
// liblldb exports nothing but lldb:: names, but Trace and TraceCursor are
// abstract classes without a key function, so subclasses compile here (with
// -fno-rtti, as LLDB is) and LLDB calls them through their vtables. Everything
// used of the private classes is inline or a data member; the few functions
// that are neither are defined below, hidden.
//
//===----------------------------------------------------------------------===//

#include "plugin/private/TraceAdapter.h"
#include "commands/support/AnswerFile.h"
#include "core/KnownFile.h"
#include "core/model/TimeUnit.h"
#include "core/store/Indexer.h"
#include "core/store/TraceStore.h"
#include "core/support/Guarded.h"
#include "core/support/MappedFile.h"
#include "core/support/Printable.h"
#include "lldb/API/LLDB.h"
#include "lldb/Interpreter/CommandObject.h"
#include "lldb/Target/ExecutionContext.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Trace.h"
#include "lldb/Target/TraceCursor.h"
#include "plugin/LoadedTrace.h"
#include "plugin/private/PrivateLLDB.h"
#include "plugin/private/TraceItems.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <thread>
#include <unistd.h>

using namespace lldb;

namespace rw {
struct TargetTrace {
  typedef TraceSP lldb_private::Target::*type;
  friend type memberOf(TargetTrace);
};
template struct Expose<TargetTrace, &lldb_private::Target::m_trace_sp>;
} // namespace rw

namespace {
struct OpenContext : lldb_private::ExecutionContextRef {
  void set(const ThreadSP &Thread) {
    m_thread_wp = Thread;
    m_tid = Thread->GetID();
    if (ProcessSP Process = Thread->GetProcess()) {
      m_process_wp = Process;
      m_target_wp = Process->GetTarget().shared_from_this();
    }
  }
};
} // namespace

namespace lldb_private {
TraceCursor::TraceCursor(ThreadSP Thread) {
  OpenContext Context;
  Context.set(Thread);
  m_exe_ctx_ref = Context;
}
ExecutionContextRef::ExecutionContextRef() = default;
ExecutionContextRef::~ExecutionContextRef() = default;
ExecutionContextRef &
ExecutionContextRef::operator=(const ExecutionContextRef &Other) {
  m_target_wp = Other.m_target_wp;
  m_process_wp = Other.m_process_wp;
  m_thread_wp = Other.m_thread_wp;
  m_tid = Other.m_tid;
  m_stack_id = Other.m_stack_id;
  return *this;
}
} // namespace lldb_private

namespace {

/// Nanoseconds per unit of the trace's clock; 1 where the unit is not a time
/// (LLDB prints every timestamp as "ns": docs/lldb.md).
double nanosecondsPer(llvm::StringRef Unit) {
  const rw::TimeUnit *U = rw::findTimeUnit(Unit);
  return U && U->Nanoseconds ? U->Nanoseconds : 1;
}

/// Answers accessors of the wrong kind with "nothing" where LLDB's own cursors
/// abort.
class Cursor final : public lldb_private::TraceCursor {
public:
  Cursor(ThreadSP Thread, std::shared_ptr<const rw::TraceItems> I)
      : TraceCursor(std::move(Thread)), Items(std::move(I)), Window(Items),
        Id(int64_t(Items->size()) - 1) {
    load();
  }

  void Next() override {
    Id += m_forwards ? 1 : -1;
    load();
  }
  bool HasValue() const override {
    return Id >= 0 && uint64_t(Id) < Items->size();
  }
  bool GoToId(user_id_t To) override {
    Id = HasId(To) ? int64_t(To) : int64_t(Items->size());
    load();
    return HasValue();
  }
  bool HasId(user_id_t I) const override { return I < Items->size(); }
  user_id_t GetId() const override { return user_id_t(Id); }
  bool Seek(int64_t Offset, TraceCursorSeekType Origin) override {
    switch (Origin) {
    case eTraceCursorSeekTypeBeginning:
      Id = Offset;
      break;
    case eTraceCursorSeekTypeEnd:
      Id = int64_t(Items->size()) - 1 + Offset;
      break;
    case eTraceCursorSeekTypeCurrent:
      Id += Offset;
      break;
    }
    load();
    return HasValue();
  }

  TraceItemKind GetItemKind() const override { return Kind; }
  llvm::StringRef GetError() const override {
    return Kind == eTraceItemKindError ? llvm::StringRef(Text)
                                       : llvm::StringRef();
  }
  TraceEvent GetEventType() const override { return Event; }
  addr_t GetLoadAddress() const override {
    return Insn ? Insn->PC : LLDB_INVALID_ADDRESS;
  }
  cpu_id_t GetCPU() const override {
    if (HasValue())
      if (auto CPU = Items->cpu(uint64_t(Id)))
        return cpu_id_t(*CPU);
    return LLDB_INVALID_CPU_ID;
  }
  std::optional<uint64_t> GetHWClock() const override {
    return !HasValue() ? std::nullopt : Tick ? Tick : Time;
  }
  std::optional<double> GetWallClockTime() const override {
    if (!HasValue() || !Time)
      return std::nullopt;
    return double(*Time) * nanosecondsPer(Items->store().header().TimeUnit);
  }
  std::optional<std::string> GetSyncPointMetadata() const override {
    if (Kind == eTraceItemKindEvent && Event == eTraceEventSyncPoint)
      return Text;
    return std::nullopt;
  }

private:
  void load() {
    if (llvm::Error E = rw::guarded([&] { return loadItem(); }))
      fail(llvm::toString(std::move(E)));
    Text = rw::printable(Text);
  }
  llvm::Error loadItem();
  llvm::Error loadEvent(const rw::StoredEvent &E);
  void fail(std::string Why) {
    Kind = eTraceItemKindError;
    Text = std::move(Why);
  }

  std::shared_ptr<const rw::TraceItems> Items;
  rw::InstructionWindow Window;
  int64_t Id;
  TraceItemKind Kind = eTraceItemKindInstruction;
  TraceEvent Event = eTraceEventSyncPoint;
  const rw::InsnItem *Insn = nullptr; ///< in Window's block
  std::optional<uint64_t> Time;       ///< in the trace's unit
  std::optional<uint64_t> Tick;       ///< of a clock tick: the clock itself
  std::string Text;
};

llvm::Error Cursor::loadItem() {
  Kind = eTraceItemKindInstruction;
  Insn = nullptr;
  Time.reset();
  Tick.reset();
  Text.clear();
  if (!HasValue())
    return llvm::Error::success();
  const rw::TraceStore &Store = Items->store();
  auto Item = Items->item(uint64_t(Id));
  if (Item.Event) {
    auto E = Store.event(*Item.Event);
    if (!E)
      return E.takeError();
    return loadEvent(*E);
  }
  Insn = Window.at(Item.Pos);
  if (!Insn)
    return llvm::createStringError("the index is damaged here");
  if (Store.header().Can.Time)
    Time = Insn->Time;
  return llvm::Error::success();
}

llvm::Error Cursor::loadEvent(const rw::StoredEvent &E) {
  const rw::TraceStore &Store = Items->store();
  if (Store.header().Can.Time && E.Before < Store.numInstructions()) {
    auto T = Store.timeAt(E.Before);
    if (!T)
      return T.takeError();
    Time = *T;
  }
  Kind = eTraceItemKindEvent;
  Text = E.Text;
  switch (E.Kind) {
  case rw::EventKind::Gap:
    fail("instructions are missing here" +
         (E.Text.empty() ? "" : ": " + E.Text));
    break;
  case rw::EventKind::Error:
    fail(E.Text.empty() ? "the trace could not be understood here" : E.Text);
    break;
  case rw::EventKind::Pause:
    // As LLDB tells them apart: leaving the code, being interrupted.
    Event = E.Value ? eTraceEventDisabledSW : eTraceEventDisabledHW;
    break;
  case rw::EventKind::CpuChange:
    Event = eTraceEventCPUChanged;
    break;
  case rw::EventKind::ClockTick:
    Event = eTraceEventHWClockTick;
    Tick = E.Value;
    break;
  case rw::EventKind::SyncPoint:
    Event = eTraceEventSyncPoint;
    Text = llvm::formatv("offset = {0:x}", E.Value);
    break;
  // LLDB has no kinds for these; this one is printed with its text.
  case rw::EventKind::Exception:
  case rw::EventKind::Mark:
  case rw::EventKind::ModeChange:
    Event = eTraceEventSyncPoint;
    break;
  }
  return llvm::Error::success();
}

class ReplayTrace final : public lldb_private::Trace {
public:
  ReplayTrace(lldb_private::Process &P, std::shared_ptr<rw::LoadedTrace> T)
      : Trace(P), Loaded(std::move(T)) {}

  llvm::StringRef GetPluginName() override { return "rewind"; }
  void Dump(lldb_private::Stream *S) const override;
  llvm::Expected<lldb_private::FileSpec>
  SaveToDisk(lldb_private::FileSpec Directory, bool Compact) override;
  CommandObjectSP
  GetProcessTraceStartCommand(lldb_private::CommandInterpreter &) override {
    return nullptr;
  }
  CommandObjectSP
  GetThreadTraceStartCommand(lldb_private::CommandInterpreter &) override {
    return nullptr;
  }
  llvm::StringRef GetSchema() override {
    return "Rewind traces are not described by JSON: see 'help rewind load'.";
  }
  llvm::Expected<TraceCursorSP>
  CreateNewCursor(lldb_private::Thread &Thread) override;
  void DumpTraceInfo(lldb_private::Thread &Thread, lldb_private::Stream &S,
                     bool Verbose, bool JSON) override;
  bool IsTraced(tid_t Id) override { return threadOf(Id).has_value(); }
  const char *GetStartConfigurationHelp() override {
    return "A recording cannot be started: see 'help rewind load'.";
  }
  llvm::Error Start(lldb_private::StructuredData::ObjectSP) override {
    return noStart();
  }
  llvm::Error Start(llvm::ArrayRef<tid_t>,
                    lldb_private::StructuredData::ObjectSP) override {
    return noStart();
  }

protected:
  llvm::Error DoRefreshLiveProcessState(lldb_private::TraceGetStateResponse,
                                        llvm::StringRef) override {
    return llvm::Error::success();
  }

private:
  static llvm::Error noStart() {
    return llvm::createStringError("this is a recording: it cannot be traced");
  }
  std::optional<rw::ThreadIndex> threadOf(tid_t Id) const {
    const auto &Threads = Loaded->store().header().Threads;
    for (rw::ThreadIndex T = 0; T < Loaded->store().numThreads(); ++T)
      if ((T < Threads.size() ? Threads[T].Id : T + 1) == Id)
        return T;
    return std::nullopt;
  }
  llvm::Expected<std::shared_ptr<const rw::TraceItems>> items(tid_t Id);

  const std::shared_ptr<rw::LoadedTrace> Loaded;
  std::mutex Mutex;
  std::map<tid_t, std::shared_ptr<const rw::TraceItems>> Items;
};

llvm::Expected<std::shared_ptr<const rw::TraceItems>>
ReplayTrace::items(tid_t Id) {
  auto T = threadOf(Id);
  if (!T)
    return llvm::createStringError("the trace has no such thread");
  std::lock_guard<std::mutex> Lock(Mutex);
  auto &Slot = Items[Id];
  if (!Slot) {
    auto Made = rw::TraceItems::make(Loaded->sharedStore(), *T);
    if (!Made)
      return Made.takeError();
    Slot = std::move(*Made);
  }
  return Slot;
}

llvm::Expected<TraceCursorSP>
ReplayTrace::CreateNewCursor(lldb_private::Thread &Thread) {
  auto I = items(Thread.GetID());
  if (!I)
    return I.takeError();
  return std::make_shared<Cursor>(Thread.shared_from_this(), std::move(*I));
}

void ReplayTrace::Dump(lldb_private::Stream *S) const {
  const rw::TraceStore &Store = Loaded->store();
  S->AsRawOstream() << llvm::formatv(
      "Rewind trace: {0}\n  format: {1}\n  instructions: {2}\n  threads: {3}\n",
      Loaded->tracePath(), Store.header().Format, Store.numInstructions(),
      Store.numThreads());
}

void ReplayTrace::DumpTraceInfo(lldb_private::Thread &Thread,
                                lldb_private::Stream &S, bool, bool JSON) {
  llvm::raw_ostream &OS = S.AsRawOstream();
  auto I = items(Thread.GetID());
  if (!I) {
    OS << "error: " << llvm::toString(I.takeError()) << '\n';
    return;
  }
  const rw::TraceStore &Store = Loaded->store();
  const rw::TraceHeader &H = Store.header();
  if (JSON) {
    llvm::json::Object Kinds;
    for (unsigned K = 0; K < rw::NumEventKinds; ++K)
      if (uint64_t N = (*I)->numEvents(rw::EventKind(K)))
        Kinds[rw::eventName(rw::EventKind(K))] = N;
    llvm::json::Object Stats{{"tid", Thread.GetID()},
                             {"traceItemsCount", (*I)->size()},
                             {"instructions", (*I)->numInstructions()},
                             {"events", (*I)->numEvents()},
                             {"individualCounts", std::move(Kinds)}};
    OS << llvm::formatv("{0:2}", llvm::json::Value(llvm::json::Object{
                                     {"traceTechnology", H.Format},
                                     {"trace", Loaded->tracePath()},
                                     {"index", Loaded->storePath()},
                                     {"indexBytes", Store.storeBytes()},
                                     {"threadStats", std::move(Stats)}}))
       << '\n';
    return;
  }
  OS << llvm::formatv("\nthread: tid = {0}\n\n", Thread.GetID());
  OS << "  Trace technology: " << H.Format << "\n\n";
  OS << "  Trace: " << Loaded->tracePath() << '\n';
  OS << "  Index: " << Loaded->storePath() << " (" << Store.storeBytes()
     << " bytes)\n\n";
  OS << "  Total number of trace items: " << (*I)->size() << '\n';
  OS << "    Instructions: " << (*I)->numInstructions() << '\n';
  OS << "    Events: " << (*I)->numEvents() << '\n';
  for (unsigned K = 0; K < rw::NumEventKinds; ++K)
    if (uint64_t N = (*I)->numEvents(rw::EventKind(K)))
      OS << "      " << rw::eventName(rw::EventKind(K)) << ": " << N << '\n';
  if (H.Can.Time)
    OS << "  Time: " << Store.firstTime() << " to " << Store.lastTime() << ' '
       << H.TimeUnit << '\n';
}

constexpr llvm::StringLiteral ScriptName = "load.lldb";
constexpr llvm::StringLiteral ScriptStart =
    "# Run in this folder: command source load.lldb\n";

/// What \p Path is if "trace save" has not written it; empty if it has.
llvm::Expected<std::string> foreignScript(llvm::StringRef Path) {
  auto File = rw::openRegular(Path);
  if (!File)
    return File.takeError();
  std::string Head(ScriptStart.size(), 0);
  ssize_t N = ::pread(File->get(), Head.data(), Head.size(), 0);
  if (N < 0)
    return llvm::errorCodeToError(llvm::errnoAsErrorCode());
  if (size_t(N) == Head.size() && Head == ScriptStart)
    return "";
  return "a script that 'trace save' has not written";
}

/// Gives \p Copy, all of which is written, the times of \p Original: to the
/// nanosecond where the file system keeps them so.
llvm::Error keepTimes(const std::string &Original, rw::OutputFile &Copy) {
  Copy.os().flush(); // writing would give it a new time
  struct stat St;
  if (::stat(Original.c_str(), &St) == 0) {
    const timespec Times[2] = {St.st_atim, St.st_mtim};
    if (::futimens(Copy.descriptor(), Times) == 0)
      return llvm::Error::success();
  }
  std::error_code EC = llvm::errnoAsErrorCode();
  return llvm::createStringError(EC, "cannot keep the time of '" + Original +
                                         "': " + EC.message());
}

/// "trace save" makes a folder that can be taken elsewhere: the trace, its
/// index, and a script that loads them. The copy keeps the trace's time of
/// modification, by which its index knows it.
llvm::Expected<lldb_private::FileSpec>
ReplayTrace::SaveToDisk(lldb_private::FileSpec Directory, bool) {
  if (Loaded->tracePath().empty())
    return llvm::createStringError(
        "an adopted trace is saved from the target that it comes from");
  if (llvm::sys::path::filename(Loaded->tracePath()) == "trace.json" ||
      llvm::sys::fs::is_directory(Loaded->tracePath()))
    return llvm::createStringError(
        "a bundle is saved by copying its folder, with the index");
  if (llvm::Error E = rw::checkUnchanged(Loaded->store(), Loaded->tracePath()))
    return E;
  // ConstString's other accessors are not inline.
  const char *Folder = Directory.GetDirectory().GetCString();
  const char *Name = Directory.GetFilename().GetCString();
  llvm::SmallString<256> Path(Folder ? Folder : "");
  if (Name)
    llvm::sys::path::append(Path, Name);
  if (std::error_code EC = llvm::sys::fs::create_directories(Path))
    return llvm::createStringError(EC, "cannot save to " + Path + ": " +
                                           EC.message());
  rw::OutputFile::Options Options;
  Options.Reserved =
      rw::reservedFiles(Loaded->tracePath(), Loaded->storePath(), {});
  Options.Known = rw::knownFile;
  Options.Regular = true;
  rw::OutputFile::Options ScriptOptions = Options;
  ScriptOptions.Known = foreignScript;
  auto placeOf = [&](llvm::StringRef Name) {
    llvm::SmallString<256> To(Path);
    llvm::sys::path::append(To, llvm::sys::path::filename(Name));
    return To;
  };
  // All or nothing, as far as can be known.
  const std::pair<llvm::StringRef, const rw::OutputFile::Options &> Wanted[] = {
      {ScriptName, ScriptOptions},
      {Loaded->tracePath(), Options},
      {Loaded->storePath(), Options}};
  for (const auto &[Name, O] : Wanted)
    if (!Name.empty())
      if (llvm::Error E = rw::OutputFile::check(placeOf(Name), O))
        return E;
  auto save = [&](llvm::StringRef Name, const rw::OutputFile::Options &O,
                  llvm::function_ref<llvm::Error(rw::OutputFile &)> Write) {
    auto File = rw::OutputFile::create(placeOf(Name), O);
    if (!File)
      return File.takeError();
    if (llvm::Error E = Write(**File))
      return E;
    return (*File)->commit();
  };
  if (llvm::Error E =
          save(Loaded->tracePath(), Options, [&](rw::OutputFile &File) {
            if (llvm::Error E = rw::copyFile(Loaded->tracePath(), File.os()))
              return E;
            return keepTimes(Loaded->tracePath(), File);
          }))
    return E;
  // The index's file may be another by now, or none.
  if (!Loaded->storePath().empty())
    if (llvm::Error E =
            save(Loaded->storePath(), Options, [&](rw::OutputFile &File) {
              File.os() << llvm::toStringRef(Loaded->store().bytes());
              return rw::checkMapped(Loaded->storePath());
            }))
      return E;
  if (llvm::Error E =
          save(ScriptName, ScriptOptions, [&](rw::OutputFile &File) {
            File.os() << ScriptStart << Loaded->loadCommand() << '\n';
            return llvm::Error::success();
          }))
    return E;
  return Directory;
}

} // namespace

std::string rw::attachTrace(SBTarget Target,
                            std::shared_ptr<LoadedTrace> Trace) {
  if (std::string Other = otherLLDB(); !Other.empty())
    return "`thread trace` is off: " + Other;
  TargetSP T = targetOf(Target);
  ProcessSP P = processOf(Target.GetProcess());
  if (!T || !P)
    return "`thread trace` is off: the target has no process";
  T.get()->*memberOf(rw::TargetTrace()) =
      std::make_shared<ReplayTrace>(*P, std::move(Trace));
  return "";
}
