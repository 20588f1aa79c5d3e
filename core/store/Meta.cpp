//===- Meta.cpp - What a store says of itself -----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/Meta.h"
#include "core/arch/RegisterFile.h"
#include "core/support/Json.h"
#include "core/support/Printable.h"
#include "llvm/Support/FormatVariadic.h"

using namespace rw;
namespace json = llvm::json;

static constexpr std::pair<Arch, const char *> ArchNames[] = {
    {Arch::Unknown, "unknown"},
    {Arch::AArch64, "aarch64"},
    {Arch::Arm, "arm"},
    {Arch::PPC64, "powerpc64"},
    {Arch::PPC64LE, "powerpc64le"},
    {Arch::X86_64, "x86_64"},
};

llvm::StringRef rw::archName(Arch A) {
  for (auto &[Value, Name] : ArchNames)
    if (Value == A)
      return Name;
  return "unknown";
}

/// Text from a trace may hold any bytes; JSON wants UTF-8.
static json::Value text(llvm::StringRef S) { return json::fixUTF8(S); }

std::string rw::metaToText(const Meta &M) {
  const TraceHeader &H = M.Header;
  json::Array Threads, Named, Modules, Ignored, Malformed, Notes;
  for (size_t I = 0; I < H.Threads.size(); ++I)
    Threads.push_back(json::Object{
        {"name", text(H.Threads[I].Name)},
        {"id", H.Threads[I].Id},
        {"instructions",
         I < M.ThreadInstructions.size() ? M.ThreadInstructions[I] : 0}});
  for (const NamedRegister &R : H.NamedRegisters)
    Named.push_back(json::Object{
        {"name", text(R.Name)}, {"lane", R.Lane}, {"size", R.Size}});
  for (const ModuleInfo &L : H.Modules)
    Modules.push_back(json::Object{{"path", text(L.Path)},
                                   {"recorded", text(L.Recorded)},
                                   {"build_id", text(L.BuildId)},
                                   {"address", L.LoadAddress},
                                   {"bytes", L.Bytes}});
  for (auto &[Kind, Count] : H.Ignored)
    Ignored.push_back(json::Object{{"kind", text(Kind)}, {"count", Count}});
  for (const MalformedLine &L : H.Malformed)
    Malformed.push_back(json::Object{
        {"line", L.Line}, {"offset", L.Offset}, {"what", text(L.What)}});
  for (auto &[Key, Value] : H.Notes)
    Notes.push_back(json::Array{text(Key), text(Value)});
  json::Object O{
      {"format", H.Format},
      {"architecture", archName(H.Architecture)},
      {"big_endian", H.Order == ByteOrder::Big},
      {"time_unit", text(H.TimeUnit)},
      {"can", json::Object{{"registers", H.Can.Registers},
                           {"register_writes", H.Can.RegisterWrites},
                           {"memory_addresses", H.Can.MemAddresses},
                           {"memory_values", H.Can.MemValues},
                           {"real_addresses", H.Can.RealAddresses},
                           {"opcodes", H.Can.Opcodes},
                           {"time", H.Can.Time},
                           {"lines", H.Can.Lines}}},
      {"threads", std::move(Threads)},
      {"named_registers", std::move(Named)},
      {"modules", std::move(Modules)},
      {"ignored", std::move(Ignored)},
      {"malformed", std::move(Malformed)},
      {"num_malformed", H.NumMalformed},
      {"total_lines", H.TotalLines},
      {"notes", std::move(Notes)},
      {"source", json::Object{{"path", text(M.Source.Path)},
                              {"size", M.Source.Size},
                              {"mtime_ns", M.Source.MTimeNs},
                              {"digest", M.Source.Digest},
                              {"whole", M.Source.Whole},
                              {"options", text(M.Source.Options)}}},
      {"instructions", M.NumInstructions},
      {"first_timed", M.FirstTimed},
      {"first_time", M.FirstTime},
      {"last_time", M.LastTime},
      {"first_line", M.FirstLine},
      {"end_line", M.EndLine},
      {"bytes", json::Object{{"flow", M.Sizes.Flow},
                             {"time", M.Sizes.Time},
                             {"registers", M.Sizes.Registers},
                             {"memory", M.Sizes.Memory},
                             {"checkpoints", M.Sizes.Checkpoints},
                             {"memory_index", M.Sizes.MemoryIndex},
                             {"flow_index", M.Sizes.FlowIndex},
                             {"other", M.Sizes.Other}}},
  };
  return llvm::formatv("{0:2}", json::Value(std::move(O))).str();
}

namespace {

/// Reads members of an object; remembers the first one that is not there.
struct Members {
  const json::Object *O;
  std::string &Missing;

  uint64_t number(llvm::StringRef Key) {
    if (O)
      if (const json::Value *V = O->get(Key))
        if (auto N = V->getAsUINT64())
          return *N;
    return miss(Key), 0;
  }
  uint16_t number(llvm::StringRef Key, uint16_t Least, uint16_t Most) {
    uint64_t N = number(Key);
    if (N < Least || N > Most)
      return miss(Key), Least;
    return uint16_t(N);
  }
  bool boolean(llvm::StringRef Key) {
    if (O)
      if (auto B = O->getBoolean(Key))
        return *B;
    return miss(Key), false;
  }
  std::string string(llvm::StringRef Key) {
    if (O)
      if (auto S = O->getString(Key))
        return S->str();
    return miss(Key), std::string();
  }
  /// Text from the trace, for people to read.
  std::string shown(llvm::StringRef Key) { return printable(string(Key)); }
  Members object(llvm::StringRef Key) {
    const json::Object *Sub = O ? O->getObject(Key) : nullptr;
    if (!Sub)
      miss(Key);
    return {Sub, Missing};
  }
  template <typename F> void each(llvm::StringRef Key, F Visit) {
    const json::Array *A = O ? O->getArray(Key) : nullptr;
    if (!A)
      return miss(Key);
    for (const json::Value &V : *A)
      Visit(Members{V.getAsObject(), Missing}, V);
  }
  void miss(llvm::StringRef Key) {
    if (Missing.empty())
      Missing = Key.str();
  }
};

} // namespace

llvm::Expected<Meta> rw::metaFromText(llvm::StringRef Text) {
  llvm::Expected<json::Value> V = parseJson(Text);
  if (!V)
    return V.takeError();
  std::string Missing;
  Members Top{V->getAsObject(), Missing};
  Meta M;
  TraceHeader &H = M.Header;
  H.Format = Top.shown("format");
  std::string A = Top.string("architecture");
  for (auto &[Value, Name] : ArchNames)
    if (A == Name)
      H.Architecture = Value;
  H.Order = Top.boolean("big_endian") ? ByteOrder::Big : ByteOrder::Little;
  H.TimeUnit = Top.shown("time_unit");
  Members Can = Top.object("can");
  H.Can = {Can.boolean("registers"),
           Can.boolean("register_writes"),
           Can.boolean("memory_addresses"),
           Can.boolean("memory_values"),
           Can.boolean("real_addresses"),
           Can.boolean("opcodes"),
           Can.boolean("time"),
           Can.boolean("lines")};
  Top.each("threads", [&](Members T, const json::Value &) {
    H.Threads.push_back({T.shown("name"), T.number("id")});
    M.ThreadInstructions.push_back(T.number("instructions"));
  });
  Top.each("named_registers", [&](Members R, const json::Value &) {
    constexpr unsigned End = RegisterSlice::NoLane; // no lane is beyond it
    uint16_t Lane = R.number("lane", 0, End - 1);
    unsigned MostBytes = std::min((End - Lane) * 8u, 0xffffu);
    H.NamedRegisters.push_back(
        {R.shown("name"), Lane, R.number("size", 1, uint16_t(MostBytes))});
  });
  Top.each("modules", [&](Members L, const json::Value &) {
    H.Modules.push_back({L.string("path"), L.string("recorded"),
                         L.string("build_id"), L.number("address"),
                         L.number("bytes")});
  });
  Top.each("ignored", [&](Members I, const json::Value &) {
    H.Ignored.push_back({I.shown("kind"), I.number("count")});
  });
  Top.each("malformed", [&](Members L, const json::Value &) {
    H.Malformed.push_back(
        {L.number("line"), L.number("offset"), L.shown("what")});
  });
  Top.each("notes", [&](Members, const json::Value &N) {
    const json::Array *Pair = N.getAsArray();
    if (Pair && Pair->size() == 2 && (*Pair)[0].getAsString() &&
        (*Pair)[1].getAsString())
      H.Notes.push_back({printable(*(*Pair)[0].getAsString()),
                         printable(*(*Pair)[1].getAsString())});
    else
      Top.miss("notes");
  });
  H.NumMalformed = Top.number("num_malformed");
  H.TotalLines = Top.number("total_lines");
  Members Source = Top.object("source");
  M.Source = {Source.string("path"), Source.number("size"),
              Source.number("mtime_ns"), Source.number("digest"),
              Source.string("options")};
  // Stores that were made before there was one are not worse for it.
  if (const json::Object *O = V->getAsObject()->getObject("source"))
    if (const json::Value *Whole = O->get("whole"))
      M.Source.Whole = Whole->getAsUINT64().value_or(0);
  M.NumInstructions = Top.number("instructions");
  M.FirstTimed = Top.number("first_timed");
  M.FirstTime = Top.number("first_time");
  M.LastTime = Top.number("last_time");
  M.FirstLine = Top.number("first_line");
  M.EndLine = Top.number("end_line");
  Members B = Top.object("bytes");
  M.Sizes = {B.number("flow"),        B.number("time"),
             B.number("registers"),   B.number("memory"),
             B.number("checkpoints"), B.number("memory_index"),
             B.number("flow_index"),  B.number("other")};
  if (!Missing.empty())
    return llvm::createStringError("no valid member '" + Missing + "'");
  return M;
}
