//===- PprofMerge.cpp - Profiles of many traces in one --------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/export/PprofMerge.h"
#include "core/export/Gzip.h"
#include "core/export/PprofFields.h"
#include "core/export/ProtoReader.h"
#include "core/export/ProtoWriter.h"
#include "core/export/StringTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace rw {

using namespace pprof;

namespace {

/// Things that are written once, under the number by which they are referred
/// to. What makes them different is their message without its id.
class Numbered {
public:
  uint64_t id(const std::string &Message) {
    return Ids.try_emplace(Message, Ids.size() + 1).first->second;
  }
  /// By id: the program's mapping must stay the first one.
  std::vector<std::pair<llvm::StringRef, uint64_t>> inOrder() const {
    std::vector<std::pair<llvm::StringRef, uint64_t>> All(Ids.size());
    for (const auto &[Message, Id] : Ids)
      All[size_t(Id - 1)] = {Message, Id};
    return All;
  }

private:
  std::map<std::string, uint64_t> Ids;
};

struct ProfileType {
  uint64_t Name = 0, Unit = 0; ///< strings
  bool operator==(const ProfileType &) const = default;
};

} // namespace

struct PprofMerger::Impl {
  StringTable Strings;
  std::vector<ProfileType> Types;
  Numbered Functions, Mappings, Locations;
  /// By stack and labels, as they are written.
  std::map<std::string, std::vector<int64_t>> Samples;
  std::vector<uint64_t> Comments;
  int64_t Duration = 0, Time = 0;
  uint64_t DefaultType = 0;
  unsigned Files = 0;
};

PprofMerger::PprofMerger() : I(std::make_unique<Impl>()) {}
PprofMerger::~PprofMerger() = default;

namespace {

/// One profile on its way into the others.
class OneProfile {
public:
  OneProfile(llvm::StringRef Name, PprofMerger::Impl &To)
      : Name(Name), To(To) {}

  llvm::Error add(llvm::StringRef Message) {
    if (llvm::Error E = split(Message))
      return E;
    if (Texts.empty() || !Texts[0].empty())
      return wrong("it has no table of strings");
    for (llvm::StringRef T : Texts)
      String.push_back(To.Strings.id(T.str()));
    if (llvm::Error E = types())
      return E;
    if (llvm::Error E = numbered(Functions, FunctionId, Function, To.Functions,
                                 &OneProfile::function))
      return E;
    if (llvm::Error E = numbered(Mappings, MappingId, Mapping, To.Mappings,
                                 &OneProfile::mapping))
      return E;
    if (llvm::Error E = numbered(Locations, LocationId, Location, To.Locations,
                                 &OneProfile::location))
      return E;
    for (llvm::StringRef S : Samples)
      if (llvm::Error E = sample(S))
        return E;
    ++To.Files;
    return llvm::Error::success();
  }

private:
  using Ids = std::map<uint64_t, uint64_t>; ///< here, in all

  llvm::Error wrong(const llvm::Twine &What) const {
    return llvm::createStringError(Name + ": " + What);
  }
  llvm::Error malformed(const llvm::Twine &What) const {
    return wrong(What + " is malformed; expected a profile of pprof");
  }

  llvm::Error split(llvm::StringRef Message) {
    ProtoReader R(Message);
    while (R.next()) {
      bool IsMessage = R.Field <= ProfileStringTable;
      if (R.Field == 0 || (IsMessage && !R.IsBytes))
        return malformed("field " + llvm::Twine(R.Field));
      switch (R.Field) {
      case ProfileSampleType:
        Types.push_back(R.Bytes);
        break;
      case ProfileSample:
        Samples.push_back(R.Bytes);
        break;
      case ProfileMapping:
        Mappings.push_back(R.Bytes);
        break;
      case ProfileLocation:
        Locations.push_back(R.Bytes);
        break;
      case ProfileFunction:
        Functions.push_back(R.Bytes);
        break;
      case ProfileStringTable:
        Texts.push_back(R.Bytes);
        break;
      case ProfileTimeNanos:
        Time = int64_t(R.Value);
        break;
      case ProfileDurationNanos:
        Duration = int64_t(R.Value);
        break;
      case ProfileComment:
        if (!R.numbers([&](uint64_t C) { Comments.push_back(C); }))
          return malformed("a comment");
        break;
      case ProfileDefaultSampleType:
        DefaultType = R.Value;
        break;
      default: // what it was sampled by, what a viewer should leave out
        break;
      }
    }
    return R.malformed() ? malformed("it") : llvm::Error::success();
  }

  llvm::Expected<uint64_t> string(uint64_t N) const {
    if (N >= String.size())
      return wrong("there is no string " + llvm::Twine(N));
    return String[N];
  }
  /// Fills in a string's number in all.
  llvm::Error string(uint64_t &To, uint64_t N) const {
    auto S = string(N);
    if (!S)
      return S.takeError();
    To = *S;
    return llvm::Error::success();
  }

  llvm::Error types() {
    std::vector<ProfileType> Here;
    for (llvm::StringRef Message : Types) {
      ProfileType T;
      ProtoReader R(Message);
      while (R.next())
        if (R.Field == ValueTypeType || R.Field == ValueTypeUnit)
          if (llvm::Error E =
                  string(R.Field == ValueTypeType ? T.Name : T.Unit, R.Value))
            return E;
      if (R.malformed())
        return malformed("a sample type");
      Here.push_back(T);
    }
    if (Here.empty())
      return wrong("it counts nothing");
    if (!To.Files) {
      To.Types = Here;
      To.Duration = To.Time = 0;
      if (llvm::Error E = string(To.DefaultType, DefaultType))
        return E;
    }
    for (const ProfileType &T : To.Types) {
      auto It = llvm::find(Here, T);
      if (It == Here.end() || Here.size() != To.Types.size())
        return wrong("it does not count the same as the first profile: " +
                     names(Here) + " here, " + names(To.Types) + " there");
      Column.push_back(size_t(It - Here.begin()));
    }
    To.Duration += Duration;
    if (Time && (!To.Time || Time < To.Time))
      To.Time = Time;
    for (uint64_t C : Comments) {
      auto Text = string(C);
      if (!Text)
        return Text.takeError();
      if (!llvm::is_contained(To.Comments, *Text))
        To.Comments.push_back(*Text);
    }
    return llvm::Error::success();
  }
  std::string names(llvm::ArrayRef<ProfileType> Types) const {
    std::string All;
    for (const ProfileType &T : Types)
      All += (All.empty() ? "" : ", ") + *To.Strings.all()[T.Name] + " (" +
             *To.Strings.all()[T.Unit] + ")";
    return All;
  }

  /// Gives messages their numbers in all. \p Write says the same of one as it
  /// says, in the numbers of all.
  llvm::Error numbered(llvm::ArrayRef<llvm::StringRef> Messages,
                       unsigned IdField, Ids &Of, Numbered &All,
                       llvm::Error (OneProfile::*Write)(ProtoReader &R,
                                                        ProtoWriter &W)) {
    ProtoWriter W;
    for (llvm::StringRef Message : Messages) {
      uint64_t Id = 0;
      W.clear();
      ProtoReader R(Message);
      while (R.next())
        if (R.Field == IdField)
          Id = R.Value;
        else if (llvm::Error E = (this->*Write)(R, W))
          return E;
      if (R.malformed() || !Id)
        return malformed("a function, a mapping or a location");
      Of[Id] = All.id(W.data().str());
    }
    return llvm::Error::success();
  }
  llvm::Error reference(ProtoWriter &W, unsigned Field, uint64_t Id,
                        const Ids &Of) {
    auto It = Of.find(Id);
    if (It == Of.end())
      return wrong("there is no function, mapping or location " +
                   llvm::Twine(Id));
    W.varint(Field, It->second);
    return llvm::Error::success();
  }
  llvm::Error text(ProtoWriter &W, unsigned Field, uint64_t N) {
    auto S = string(N);
    if (!S)
      return S.takeError();
    W.varint(Field, *S);
    return llvm::Error::success();
  }

  llvm::Error function(ProtoReader &R, ProtoWriter &W) {
    if (R.Field != FunctionStartLine)
      return text(W, R.Field, R.Value);
    W.varint(R.Field, R.Value);
    return llvm::Error::success();
  }
  llvm::Error mapping(ProtoReader &R, ProtoWriter &W) {
    if (R.Field == MappingFilename || R.Field == MappingBuildId)
      return text(W, R.Field, R.Value);
    W.varint(R.Field, R.Value);
    return llvm::Error::success();
  }
  llvm::Error location(ProtoReader &R, ProtoWriter &W) {
    if (R.Field == LocationMappingId && R.Value)
      return reference(W, R.Field, R.Value, Mapping);
    if (R.Field != LocationLine) {
      W.varint(R.Field, R.Value);
      return llvm::Error::success();
    }
    ProtoWriter Line;
    ProtoReader L(R.Bytes);
    while (L.next())
      if (L.Field != LineFunctionId || !L.Value)
        Line.varint(L.Field, L.Value);
      else if (llvm::Error E = reference(Line, L.Field, L.Value, Function))
        return E;
    if (L.malformed())
      return malformed("a line");
    W.message(LocationLine, Line);
    return llvm::Error::success();
  }

  llvm::Error sample(llvm::StringRef Message) {
    std::vector<uint64_t> Stack, Values;
    ProtoWriter Key, Labels, Packed;
    ProtoReader R(Message);
    while (R.next()) {
      bool Good = true;
      if (R.Field == SampleLocationId)
        Good = R.numbers([&](uint64_t L) { Stack.push_back(L); });
      else if (R.Field == SampleValue)
        Good = R.numbers([&](uint64_t V) { Values.push_back(V); });
      else if (R.Field == SampleLabel) {
        ProtoWriter Label;
        if (llvm::Error E = label(R.Bytes, Label))
          return E;
        Labels.message(SampleLabel, Label);
      }
      if (!Good)
        return malformed("a sample");
    }
    if (R.malformed() || Values.size() != Column.size())
      return malformed("a sample");
    for (uint64_t L : Stack) {
      auto It = Location.find(L);
      if (It == Location.end())
        return wrong("there is no location " + llvm::Twine(L));
      Packed.raw(It->second);
    }
    Key.message(SampleLocationId, Packed);
    auto &Sum = To.Samples[Key.data().str() + Labels.data().str()];
    Sum.resize(Column.size());
    for (size_t I = 0; I < Column.size(); ++I)
      if (llvm::AddOverflow(Sum[I], int64_t(Values[Column[I]]), Sum[I]))
        return wrong("the sums do not fit 64 bits");
    return llvm::Error::success();
  }
  llvm::Error label(llvm::StringRef Message, ProtoWriter &W) {
    ProtoReader R(Message);
    while (R.next())
      if (R.Field == LabelNum)
        W.varint(R.Field, R.Value);
      else if (llvm::Error E = text(W, R.Field, R.Value))
        return E;
    return R.malformed() ? malformed("a label") : llvm::Error::success();
  }

  const llvm::StringRef Name;
  PprofMerger::Impl &To;
  std::vector<llvm::StringRef> Types, Samples, Mappings, Locations, Functions,
      Texts;
  std::vector<uint64_t> Comments;
  int64_t Duration = 0, Time = 0;
  uint64_t DefaultType = 0;
  std::vector<uint64_t> String; ///< here to all
  std::vector<size_t> Column;   ///< of each type of all
  Ids Function, Mapping, Location;
};

} // namespace

llvm::Error PprofMerger::add(llvm::StringRef Name, llvm::StringRef Bytes) {
  if (!Bytes.starts_with("\x1f\x8b"))
    return OneProfile(Name, *I).add(Bytes);
  auto Message = gunzip(Bytes);
  if (!Message)
    return llvm::createStringError(Name + ": " +
                                   llvm::toString(Message.takeError()));
  return OneProfile(Name, *I).add(*Message);
}

uint64_t PprofMerger::numSamples() const { return I->Samples.size(); }

std::vector<PprofMerger::Total> PprofMerger::totals() const {
  std::vector<Total> Totals;
  for (const ProfileType &T : I->Types)
    Totals.push_back({*I->Strings.all()[T.Name], *I->Strings.all()[T.Unit], 0});
  for (auto &[Key, Values] : I->Samples)
    for (size_t K = 0; K < Totals.size(); ++K)
      Totals[K].Value += Values[K];
  return Totals;
}

llvm::Error PprofMerger::write(const Watch &Watch,
                               llvm::raw_ostream &Out) const {
  GzipStream Zip(Out);
  ProtoWriter W, Part, Packed;
  bool Good = true;
  auto Flush = [&] {
    Good = Good && Zip.write(W.data());
    W.clear();
  };
  for (const ProfileType &T : I->Types) {
    Part.clear();
    Part.varint(ValueTypeType, T.Name);
    Part.varint(ValueTypeUnit, T.Unit);
    W.message(ProfileSampleType, Part);
  }
  uint64_t Count = 0;
  for (auto &[Key, Values] : I->Samples) {
    if ((++Count & 0xfff) == 0)
      if (llvm::Error E = Watch.check())
        return E;
    Packed.clear();
    for (int64_t V : Values)
      Packed.raw(uint64_t(V));
    Part.clear();
    Part.message(SampleValue, Packed);
    W.bytes(ProfileSample, Key + Part.data().str());
    Flush();
  }
  auto Write = [&](unsigned Field, unsigned IdField, const Numbered &All) {
    for (const auto &[Message, Id] : All.inOrder()) {
      Part.clear();
      Part.varint(IdField, Id);
      W.bytes(Field, Part.data().str() + Message.str());
      Flush();
    }
  };
  Write(ProfileMapping, MappingId, I->Mappings);
  Write(ProfileLocation, LocationId, I->Locations);
  Write(ProfileFunction, FunctionId, I->Functions);
  for (const std::string *S : I->Strings.all())
    W.bytes(ProfileStringTable, *S);
  W.varint(ProfileTimeNanos, uint64_t(I->Time));
  W.varint(ProfileDurationNanos, uint64_t(I->Duration));
  for (uint64_t C : I->Comments)
    W.varint(ProfileComment, C);
  W.varint(ProfileDefaultSampleType, I->DefaultType);
  if (!(Good && Zip.write(W.data(), /*Last=*/true)))
    return llvm::createStringError("the profile could not be compressed");
  return llvm::Error::success();
}

} // namespace rw
