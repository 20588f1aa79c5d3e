//===- Pprof.cpp - pprof's profile.proto ----------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/calls/CallContexts.h"
#include "core/export/CallExport.h"
#include "core/export/ProtoWriter.h"
#include "core/model/TimeUnit.h"
#include <zlib.h>

namespace rw {

namespace {

/// Field numbers of github.com/google/pprof/proto/profile.proto.
enum : unsigned {
  ProfileSampleType = 1,
  ProfileSample = 2,
  ProfileLocation = 4,
  ProfileFunction = 5,
  ProfileStringTable = 6,
  ProfileComment = 13,
  ProfileDefaultSampleType = 14,
  ValueTypeType = 1,
  ValueTypeUnit = 2,
  SampleLocationId = 1,
  SampleValue = 2,
  SampleLabel = 3,
  LabelKey = 1,
  LabelStr = 2,
  LocationId = 1,
  LocationAddress = 3,
  LocationLine = 4,
  LineFunctionId = 1,
  LineLine = 2,
  FunctionId = 1,
  FunctionName = 2,
  FunctionSystemName = 3,
  FunctionFilename = 4,
  FunctionStartLine = 5,
};

/// Compresses what is written, gzip format.
class GzipStream {
public:
  explicit GzipStream(llvm::raw_ostream &Out) : Out(Out) {
    Good = deflateInit2(&Z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
                        Z_DEFAULT_STRATEGY) == Z_OK;
  }
  ~GzipStream() { deflateEnd(&Z); }
  GzipStream(const GzipStream &) = delete;
  GzipStream &operator=(const GzipStream &) = delete;

  bool write(llvm::StringRef Bytes, bool Last = false) {
    Z.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(Bytes.data()));
    Z.avail_in = uInt(Bytes.size());
    char Buffer[1 << 15];
    do {
      Z.next_out = reinterpret_cast<Bytef *>(Buffer);
      Z.avail_out = sizeof(Buffer);
      if (!Good || deflate(&Z, Last ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR)
        return Good = false;
      Out.write(Buffer, sizeof(Buffer) - Z.avail_out);
    } while (Z.avail_out == 0);
    return true;
  }

private:
  llvm::raw_ostream &Out;
  z_stream Z = {};
  bool Good = false;
};

/// Strings by number; 0 is the empty one.
class StringTable {
public:
  uint64_t id(const std::string &S) {
    auto [It, New] = Ids.try_emplace(S, Ids.size());
    if (New)
      InOrder.push_back(&It->first);
    return It->second;
  }
  StringTable() { id(""); }
  llvm::ArrayRef<const std::string *> all() const { return InOrder; }

private:
  std::map<std::string, uint64_t> Ids;
  std::vector<const std::string *> InOrder;
};

} // namespace

llvm::Error exportPprof(const CallQuery &Q, llvm::StringRef Title,
                        llvm::raw_ostream &Out) {
  SweepOptions Options;
  Options.Times = Q.Store.header().Can.Time;
  auto Contexts = CallContexts::collect(Q, Options);
  if (!Contexts)
    return Contexts.takeError();
  GzipStream Zip(Out);
  StringTable Strings;
  ProtoWriter Profile, Part, Inner;
  bool Good = true;
  auto Flush = [&] {
    Good = Good && Zip.write(Profile.data());
    Profile.clear();
  };

  auto SampleType = [&](const char *Type, const std::string &Unit) {
    Part.clear();
    Part.varint(ValueTypeType, Strings.id(Type));
    Part.varint(ValueTypeUnit, Strings.id(Unit));
    Profile.message(ProfileSampleType, Part);
  };
  SampleType("calls", "count");
  SampleType("instructions", "count");
  if (Options.Times) {
    const TimeUnit *Unit = findTimeUnit(Q.Store.header().TimeUnit);
    // pprof knows no picoseconds and shows the name as it is.
    SampleType("time", !Unit || !Unit->Nanoseconds ? "count"
                       : Unit->Nanoseconds < 1     ? Unit->Name.str()
                                                   : Unit->Long.str());
  }
  Profile.varint(ProfileDefaultSampleType, Strings.id("instructions"));
  Profile.varint(ProfileComment, Strings.id(Title.str()));

  // A location for each function: the index does not keep more.
  std::map<FunctionKey, uint64_t> Locations;
  bool Threads = Contexts->roots().size() > 1;
  uint64_t Count = 0;
  for (const CallContext &C : Contexts->all()) {
    if ((++Count & 0xfff) == 0)
      if (llvm::Error E = Q.Watch.check())
        return E;
    Part.clear();
    Inner.clear();
    for (const CallContext *I = &C; I; I = I->Parent)
      Inner.raw(Locations.try_emplace(I->Function, Locations.size() + 1)
                    .first->second);
    Part.message(SampleLocationId, Inner);
    Inner.clear();
    Inner.raw(C.Calls);
    Inner.raw(C.Own);
    if (Options.Times)
      Inner.raw(C.OwnTime);
    Part.message(SampleValue, Inner);
    if (Threads) {
      const auto &Infos = Q.Store.header().Threads;
      Inner.clear();
      Inner.varint(LabelKey, Strings.id("thread"));
      Inner.varint(LabelStr, Strings.id(C.Thread < Infos.size() &&
                                                !Infos[C.Thread].Name.empty()
                                            ? Infos[C.Thread].Name
                                            : std::to_string(C.Thread + 1)));
      Part.message(SampleLabel, Inner);
    }
    Profile.message(ProfileSample, Part);
    Flush();
  }
  for (const auto &[Key, Id] : Locations) {
    const FunctionNames::Function &F = Q.Names.at(Key.Start);
    Part.clear();
    Part.varint(LocationId, Id);
    Part.varint(LocationAddress, Key.Start);
    Inner.clear();
    Inner.varint(LineFunctionId, Id);
    Inner.varint(LineLine, F.Line);
    Part.message(LocationLine, Inner);
    Profile.message(ProfileLocation, Part);
    Part.clear();
    Part.varint(FunctionId, Id);
    uint64_t Name = Strings.id(functionLabel(Q.Names, Key));
    Part.varint(FunctionName, Name);
    Part.varint(FunctionSystemName, Name);
    Part.varint(FunctionFilename, Strings.id(F.File));
    Part.varint(FunctionStartLine, F.Line);
    Profile.message(ProfileFunction, Part);
    Flush();
  }
  for (const std::string *S : Strings.all())
    Profile.bytes(ProfileStringTable, *S);
  if (!(Good && Zip.write(Profile.data(), /*Last=*/true)))
    return llvm::createStringError("the profile could not be compressed");
  return llvm::Error::success();
}

} // namespace rw
