//===- Info.cpp - rewind info ---------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "commands/support/Format.h"
#include "core/store/StoreBuilder.h"
#include "core/store/TraceStore.h"
#include "core/support/Printable.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace rw {

struct Ability {
  StringLiteral Key, Text;
  bool Capabilities::*Member;
};
static constexpr Ability Abilities[] = {
    {"registers", "register values", &Capabilities::Registers},
    {"register_writes", "which registers are written",
     &Capabilities::RegisterWrites},
    {"memory_addresses", "addresses of memory accesses",
     &Capabilities::MemAddresses},
    {"memory_values", "values of memory accesses", &Capabilities::MemValues},
    {"real_addresses", "real addresses of memory accesses",
     &Capabilities::RealAddresses},
    {"opcodes", "opcodes", &Capabilities::Opcodes},
    {"time", "time", &Capabilities::Time},
    {"lines", "text lines", &Capabilities::Lines},
};

/// What was read from standard input has no path any more.
static std::string nameOfTrace(const Session &S) {
  return S.TracePath.empty() ? S.Store.source().Path : S.TracePath;
}

static json::Object toJson(const Session &S) {
  const TraceStore &Store = S.Store;
  const TraceHeader &H = Store.header();
  json::Object O{{"trace", nameOfTrace(S)},
                 {"format", H.Format},
                 {"architecture", shortName(H.Architecture)},
                 {"byte_order", H.Order == ByteOrder::Big ? "big" : "little"},
                 {"instructions", Store.numInstructions()},
                 {"store", S.StorePath},
                 {"store_bytes", Store.storeBytes()},
                 {"events", Store.numEvents()}};
  json::Object Kinds;
  auto Counts = Store.countEvents();
  for (unsigned K = 0; K < NumEventKinds; ++K)
    if (Counts[K])
      Kinds[eventName(EventKind(K))] = Counts[K];
  O["events_by_kind"] = std::move(Kinds);
  json::Array Threads;
  for (ThreadIndex T = 0; T < Store.numThreads(); ++T) {
    json::Object Thread{{"thread", int64_t(T) + 1},
                        {"instructions", Store.numInstructions(T)}};
    if (T < H.Threads.size()) {
      Thread["name"] = H.Threads[T].Name;
      Thread["id"] = H.Threads[T].Id;
    }
    Threads.push_back(std::move(Thread));
  }
  O["threads"] = std::move(Threads);
  if (H.Can.Time) {
    O["time_unit"] = H.TimeUnit;
    O["first_time"] = Store.firstTime();
    O["last_time"] = Store.lastTime();
  } else {
    O["time_unit"] = O["first_time"] = O["last_time"] = nullptr;
  }
  if (H.Can.Lines)
    O["lines"] = H.TotalLines;
  json::Object Ignored;
  for (const auto &[Kind, Count] : H.Ignored)
    Ignored[Kind] = Count;
  O["ignored_lines"] = std::move(Ignored);
  json::Array Malformed;
  for (const MalformedLine &M : H.Malformed) {
    json::Object Line{{"offset", M.Offset}, {"what", M.What}};
    if (M.Line)
      Line["line"] = M.Line;
    Malformed.push_back(std::move(Line));
  }
  O["malformed_lines"] = std::move(Malformed);
  O["malformed_count"] = H.NumMalformed;
  json::Object Can;
  for (const Ability &A : Abilities)
    Can[A.Key] = H.Can.*A.Member;
  Can["register_writes"] = H.Can.Registers || H.Can.RegisterWrites;
  O["capabilities"] = std::move(Can);
  json::Object Notes;
  for (const auto &[Key, Text] : H.Notes) {
    json::Value &All = Notes[Key];
    // "missing" and "left out" may be said several times.
    const auto Before = All.getAsString();
    All = Before ? (*Before + "; " + Text).str() : Text;
  }
  O["notes"] = std::move(Notes);
  return O;
}

static void print(const Session &S) {
  const TraceStore &Store = S.Store;
  const TraceHeader &H = Store.header();
  raw_ostream &Out = S.Out;
  Out << "Trace:         " << printable(nameOfTrace(S)) << "\n"
      << "Format:        " << H.Format << ", " << shortName(H.Architecture)
      << (H.Order == ByteOrder::Big ? ", big-endian data" : "") << "\n"
      << "Instructions:  " << Store.numInstructions() << "\n";
  if (Store.numThreads() > 1)
    for (ThreadIndex T = 0; T < Store.numThreads(); ++T)
      Out << "  thread " << threadLabel(Store, T) << ": "
          << Store.numInstructions(T) << "\n";
  if (H.Can.Time)
    Out << "Time:          " << formatTime(Store, Store.firstTime()) << " to "
        << formatTime(Store, Store.lastTime()) << "\n";
  if (H.Can.Lines)
    Out << "Lines:         " << H.TotalLines << "\n";
  if (Store.numEvents()) {
    std::string Kinds;
    auto Counts = Store.countEvents();
    for (unsigned K = 0; K < NumEventKinds; ++K)
      if (Counts[K])
        Kinds += (Kinds.empty() ? "" : ", ") + std::to_string(Counts[K]) + " " +
                 eventName(EventKind(K)) + (Counts[K] == 1 ? "" : "s");
    Out << "Events:        " << Store.numEvents() << " (" << Kinds << ")\n";
  }
  std::string Tells, Lacks;
  for (const Ability &A : Abilities) {
    // Where the values are, the writes are.
    if (A.Member == &Capabilities::RegisterWrites && H.Can.Registers)
      continue;
    std::string &List = H.Can.*A.Member ? Tells : Lacks;
    List += (List.empty() ? "" : ", ") + A.Text.str();
  }
  Out << "It tells:      " << Tells << "\n";
  if (!Lacks.empty())
    Out << "It lacks:      " << Lacks << "\n";
  for (const auto &[Key, Text] : H.Notes)
    Out << "Note:          " << Key << ": " << Text << "\n";
  for (const auto &[Kind, Count] : H.Ignored)
    Out << "Ignored:       " << Count << " " << Kind << "\n";
  if (H.NumMalformed) {
    Out << "Malformed:     " << H.NumMalformed << "\n";
    for (const MalformedLine &M : H.Malformed) {
      Out << "  ";
      if (M.Line)
        Out << "line " << M.Line;
      else
        Out << "byte " << M.Offset;
      Out << ": " << M.What << "\n";
    }
    if (H.NumMalformed > H.Malformed.size())
      Out << "  and " << H.NumMalformed - H.Malformed.size() << " more\n";
  }
  Out << "Store:         " << printable(S.StorePath) << ", "
      << Store.storeBytes() << " bytes";
  if (uint64_t N = Store.numInstructions())
    Out << llvm::format(" (%.2f per instruction)",
                        double(Store.storeBytes()) / N);
  Out << "\n";
}

static Error runInfo(Session &S, const ParsedOptions &Options) {
  if (Options.has("json"))
    printJson(S.Out, toJson(S));
  else
    print(S);
  return Error::success();
}

static constexpr OptionSpec InfoOptions[] = {opt::Json};

extern const Command InfoCommand = {
    .Name = "info",
    .Summary = "Tell what the trace is and what it can tell",
    .Help = R"(
Format, architecture, threads, how many instructions, from when to when, which
questions the trace can answer at all, what lines were ignored or malformed,
and how large the store is.

  rewind info
)",
    .Options = InfoOptions,
    .MaxArguments = 0,
    .Run = runInfo,
    .OnlyAsks = true,
};

} // namespace rw
