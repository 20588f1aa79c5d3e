//===- Pprof.cpp - pprof's profile.proto ----------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/export/CallExport.h"
#include "core/export/Gzip.h"
#include "core/export/PprofFields.h"
#include "core/export/ProfileExport.h"
#include "core/export/ProtoWriter.h"
#include "core/export/StringTable.h"
#include "core/model/TimeUnit.h"
#include "core/store/TraceStore.h"

namespace rw {

using namespace pprof;

namespace {

class PprofWriter {
public:
  PprofWriter(const ProfileExport &E, llvm::raw_ostream &Out)
      : E(E), Zip(Out) {}

  llvm::Error write(const Watch &Watch) {
    types();
    const ContextTree &Tree = E.Profile.tree();
    size_t Roots = 0;
    for (ContextTree::NodeId N = 0; N < Tree.nodes().size(); ++N) {
      if ((N & 0xfff) == 0)
        if (llvm::Error Stop = Watch.check())
          return Stop;
      RootOf.push_back(Tree.isRoot(N) ? Roots++
                                      : RootOf[Tree.nodes()[N].Parent]);
      sample(N);
      flush();
    }
    mappings();
    for (auto [Block, Id] : LocationOf) {
      location(Block, Id);
      flush();
    }
    for (auto &[Key, Id] : FunctionOf) {
      function(Key, Id);
      flush();
    }
    for (const std::string *S : Strings.all())
      Profile.bytes(ProfileStringTable, *S);
    if (!(Good && Zip.write(Profile.data(), /*Last=*/true)))
      return llvm::createStringError("the profile could not be compressed");
    return llvm::Error::success();
  }

private:
  void flush() {
    Good = Good && Zip.write(Profile.data());
    Profile.clear();
  }

  void types() {
    for (Metric M : E.Metrics) {
      Part.clear();
      Part.varint(ValueTypeType, Strings.id(metricInfo(M).Name.str()));
      Part.varint(ValueTypeUnit, Strings.id(unitOf(M)));
      Profile.message(ProfileSampleType, Part);
    }
    Profile.varint(ProfileDefaultSampleType,
                   Strings.id(metricInfo(E.Metrics.front()).Name.str()));
    Profile.varint(ProfileComment, Strings.id(E.Title));
  }
  std::string unitOf(Metric M) const {
    if (M != Metric::Time)
      return metricInfo(M).Unit.str();
    // pprof knows no picoseconds and shows the name as it is.
    const TimeUnit *Unit = findTimeUnit(E.Store.header().TimeUnit);
    return !Unit || !Unit->Nanoseconds ? "count"
           : Unit->Nanoseconds < 1     ? Unit->Name.str()
                                       : Unit->Long.str();
  }

  void sample(ContextTree::NodeId N) {
    ContextProfile::Costs Costs = E.Profile.ofNode(N);
    if (llvm::all_of(Costs, [](uint64_t C) { return C == 0; }))
      return;
    const auto &Nodes = E.Profile.tree().nodes();
    Part.clear();
    Inner.clear();
    if (E.Profile.tree().isRoot(N)) // all that ran there is folded
      Inner.raw(locationOf(NoProfileBlock));
    for (ContextTree::NodeId I = N; !E.Profile.tree().isRoot(I);
         I = Nodes[I].Parent)
      Inner.raw(locationOf(Nodes[I].Block));
    Part.message(SampleLocationId, Inner);
    Inner.clear();
    for (uint64_t C : Costs)
      Inner.raw(C);
    Part.message(SampleValue, Inner);
    if (E.Threads.size() > 1)
      label(E.Threads[RootOf[N]]);
    Profile.message(ProfileSample, Part);
  }
  void label(ThreadIndex T) {
    const auto &Infos = E.Store.header().Threads;
    std::string Name = T < Infos.size() ? Infos[T].Name : "";
    Inner.clear();
    Inner.varint(LabelKey, Strings.id("thread"));
    Inner.varint(LabelStr,
                 Strings.id(Name.empty() ? std::to_string(T + 1) : Name));
    Part.message(SampleLabel, Inner);
  }

  uint64_t locationOf(ProfileBlockId B) {
    return LocationOf.try_emplace(B, LocationOf.size() + 1).first->second;
  }

  void mappings() {
    for (size_t I = 0; I < E.Mappings.size(); ++I) {
      const CodeMapping &M = E.Mappings[I];
      Part.clear();
      Part.varint(MappingId, I + 1);
      Part.varint(MappingStart, M.Start);
      Part.varint(MappingLimit, M.End);
      Part.varint(MappingOffset, M.Offset);
      Part.varint(MappingFilename, Strings.id(M.Path));
      Part.varint(MappingBuildId, Strings.id(M.BuildId));
      // All is told here that is known: nobody need look for symbols.
      Part.varint(MappingHasFunctions, 1);
      Part.varint(MappingHasFilenames, 1);
      Part.varint(MappingHasLineNumbers, 1);
      Part.varint(MappingHasInlineFrames, 1);
      Profile.message(ProfileMapping, Part);
    }
  }

  void location(ProfileBlockId B, uint64_t Id) {
    Part.clear();
    Part.varint(LocationId, Id);
    if (B == NoProfileBlock) {
      line("(all folded)", "", 0);
    } else {
      const ProfileBlock &Block = E.Blocks[B];
      for (size_t I = 0; I < E.Mappings.size(); ++I)
        if (E.Mappings[I].Start <= Block.Address &&
            Block.Address < E.Mappings[I].End)
          Part.varint(LocationMappingId, I + 1);
      Part.varint(LocationAddress, Block.Address);
      // A handler of exceptions is another function than the one that it is.
      if (Block.Frames.size() == 1)
        line(Block.Frames[0].Line && Block.Frames[0].Function.empty()
                 ? Block.Name
                 : Block.Frames[0].Function,
             Block.Frames[0].File, Block.Frames[0].Line);
      else
        for (const CodeFrame &F : Block.Frames)
          line(F.Function, F.File, F.Line);
      if (Block.Frames.empty())
        line(Block.Name, "", 0);
    }
    Profile.message(ProfileLocation, Part);
  }
  void line(const std::string &Name, const std::string &File, unsigned Line) {
    Inner.clear();
    Inner.varint(LineFunctionId,
                 FunctionOf.try_emplace({Name, File}, FunctionOf.size() + 1)
                     .first->second);
    Inner.varint(LineLine, Line);
    Part.message(LocationLine, Inner);
  }
  void function(const std::pair<std::string, std::string> &Key, uint64_t Id) {
    Part.clear();
    Part.varint(FunctionId, Id);
    Part.varint(FunctionName, Strings.id(Key.first));
    Part.varint(FunctionSystemName, Strings.id(Key.first));
    Part.varint(FunctionFilename, Strings.id(Key.second));
    Profile.message(ProfileFunction, Part);
  }

  const ProfileExport &E;
  GzipStream Zip;
  StringTable Strings;
  ProtoWriter Profile, Part, Inner;
  bool Good = true;
  std::vector<size_t> RootOf; ///< by node
  std::map<ProfileBlockId, uint64_t> LocationOf;
  std::map<std::pair<std::string, std::string>, uint64_t> FunctionOf;
};

} // namespace

llvm::Error writePprof(const ProfileExport &E, const Watch &Watch,
                       llvm::raw_ostream &Out) {
  return PprofWriter(E, Out).write(Watch);
}

} // namespace rw
