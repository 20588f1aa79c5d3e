//===- PerfFile.cpp - The frame of a perf.data file -----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/intelpt/PerfFile.h"
#include "core/formats/TraceFormat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw::intelpt::perf {

namespace {
/// Byte and bit numbers of perf's tools/perf/util/header.h.
enum Feature {
  FeatureBuildId = 2,
  FeatureCpuId = 9,
  FeatureCompressed = 27,
  NumFeatures = 256
};
constexpr size_t HeaderBytes = 104, PipeHeaderBytes = 16;
/// Up to the flags of perf_event_attr, whose bit 18 is sample_id_all.
constexpr size_t MinAttributeBytes = 48;
constexpr uint64_t SampleIdAllFlag = 1 << 18;
constexpr uint16_t BuildIdHasSize = 1 << 15;

struct Section {
  uint64_t Offset = 0, Size = 0;
};

Section section(FieldReader &F) {
  Section S;
  S.Offset = F.u64();
  S.Size = F.u64();
  return S;
}

Expected<ArrayRef<uint8_t>> slice(ArrayRef<uint8_t> Bytes, const Section &S,
                                  const Twine &What) {
  if (S.Offset > Bytes.size() || S.Size > Bytes.size() - S.Offset)
    return badTrace(
        formatv("{0} is at bytes {1} to {2}, but the file has only {3}", What,
                S.Offset, S.Offset + S.Size, Bytes.size()));
  return Bytes.slice(S.Offset, S.Size);
}

Error readAttributes(ArrayRef<uint8_t> Bytes, const Section &Where,
                     uint64_t EachBytes, std::vector<Attribute> &Out) {
  auto All = slice(Bytes, Where, "the table of events");
  if (!All)
    return All.takeError();
  if (EachBytes < MinAttributeBytes + 16)
    return badTrace(formatv("the header says that an event takes {0} bytes; "
                            "expected at least {1}",
                            EachBytes, MinAttributeBytes + 16));
  for (; All->size() >= EachBytes; *All = All->drop_front(EachBytes)) {
    FieldReader F(All->take_front(EachBytes));
    Attribute A;
    A.Type = F.u32();
    F.u32();
    A.Config = F.u64();
    F.u64();
    A.SampleType = F.u64();
    F.u64();
    A.SampleIdAll = F.u64() & SampleIdAllFlag;
    FieldReader Tail(All->slice(EachBytes - 16, 16));
    auto Ids = slice(Bytes, section(Tail), "a list of event ids");
    if (!Ids)
      return Ids.takeError();
    for (FieldReader I(*Ids); I.left() >= 8;)
      A.Ids.push_back(I.u64());
    Out.push_back(std::move(A));
  }
  return Error::success();
}

void readBuildIds(ArrayRef<uint8_t> Bytes, StringMap<std::string> &Out) {
  while (Bytes.size() >= RecordHeader::Size) {
    FieldReader F(Bytes);
    RecordHeader H = readHeader(F);
    if (H.Bytes < RecordHeader::Size || H.Bytes > Bytes.size())
      return;
    F = FieldReader(
        Bytes.slice(RecordHeader::Size, H.Bytes - RecordHeader::Size));
    Bytes = Bytes.drop_front(H.Bytes);
    F.u32(); // pid
    ArrayRef<uint8_t> Id = F.take(24);
    StringRef Name = F.string(F.left());
    if (!F.ok())
      continue;
    size_t Size = H.Misc & BuildIdHasSize ? std::min<size_t>(Id[20], 20) : 20;
    Out[Name] = toHex(Id.take_front(Size));
  }
}
} // namespace

Expected<File> File::read(ArrayRef<uint8_t> Bytes) {
  FieldReader F(Bytes);
  F.skip(8);
  uint64_t Size = F.u64();
  if (F.ok() && Size == PipeHeaderBytes)
    return badTrace(
        "was written to a pipe (perf record -o -); record to a file");
  if (Bytes.size() < HeaderBytes || Size < HeaderBytes)
    return badTrace(
        formatv("has no complete header: it takes {0} bytes, there are "
                "{1}",
                HeaderBytes, std::min<uint64_t>(Size, Bytes.size())));
  uint64_t AttributeBytes = F.u64();
  Section Attributes = section(F), Data = section(F);
  section(F); // event types, of old
  ArrayRef<uint8_t> Features = F.take(NumFeatures / 8);
  File Result;
  if (!Data.Size)
    return badTrace("holds no records: perf record was not ended properly");
  auto Records = slice(Bytes, Data, "the part with the records");
  if (!Records)
    return Records.takeError();
  Result.Data = *Records;
  Result.DataOffset = Data.Offset;
  if (Error E =
          readAttributes(Bytes, Attributes, AttributeBytes, Result.Attributes))
    return E;
  FieldReader Sections(Bytes.drop_front(Data.Offset + Data.Size));
  for (unsigned Bit = 0; Bit < NumFeatures; ++Bit) {
    if (!(Features[Bit / 8] >> (Bit % 8) & 1))
      continue;
    Section S = section(Sections);
    if (!Sections.ok())
      break; // all of them are extras
    if (Bit != FeatureBuildId && Bit != FeatureCpuId &&
        Bit != FeatureCompressed)
      continue;
    auto Part = slice(Bytes, S, "a part after the records");
    if (!Part)
      return Part.takeError();
    if (Bit == FeatureBuildId) {
      readBuildIds(*Part, Result.BuildIds);
    } else if (Bit == FeatureCompressed) {
      FieldReader C(*Part);
      C.u32(); // version
      Result.Compression = C.u32();
      C.skip(8); // level, ratio
      Result.BufferBytes = C.u32();
      if (!C.ok())
        return badTrace(
            formatv("the part about compression has {0} bytes; expected "
                    "20",
                    Part->size()));
    } else {
      FieldReader C(*Part);
      Result.CpuId = C.string(C.u32()).str();
    }
  }
  return Result;
}

SampleIds File::ids(ArrayRef<uint8_t> Record) const {
  const Attribute *Of = nullptr;
  // With several events, those that differ tell which one it is at the end.
  if (Record.size() >= 8) {
    FieldReader F(Record.take_back(8));
    uint64_t Id = F.u64();
    for (const Attribute &A : Attributes)
      if (A.SampleType & SampleIdentifier && is_contained(A.Ids, Id))
        Of = &A;
  }
  for (const Attribute &A : Attributes)
    if (!Of && A.SampleIdAll)
      Of = &A;
  return Of && Of->SampleIdAll ? SampleIds::read(Record, Of->SampleType)
                               : SampleIds();
}

} // namespace rw::intelpt::perf
