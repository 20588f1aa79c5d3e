//===- PprofFields.h - Field numbers of profile.proto -----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_EXPORT_PPROFFIELDS_H
#define REWIND_EXPORT_PPROFFIELDS_H

/// github.com/google/pprof/proto/profile.proto.
namespace rw::pprof {

enum : unsigned {
  ProfileSampleType = 1,
  ProfileSample = 2,
  ProfileMapping = 3,
  ProfileLocation = 4,
  ProfileFunction = 5,
  ProfileStringTable = 6,
  ProfileDropFrames = 7,
  ProfileKeepFrames = 8,
  ProfileTimeNanos = 9,
  ProfileDurationNanos = 10,
  ProfilePeriodType = 11,
  ProfilePeriod = 12,
  ProfileComment = 13,
  ProfileDefaultSampleType = 14,
  ValueTypeType = 1,
  ValueTypeUnit = 2,
  SampleLocationId = 1,
  SampleValue = 2,
  SampleLabel = 3,
  LabelKey = 1,
  LabelStr = 2,
  LabelNum = 3,
  LabelNumUnit = 4,
  MappingId = 1,
  MappingStart = 2,
  MappingLimit = 3,
  MappingOffset = 4,
  MappingFilename = 5,
  MappingBuildId = 6,
  MappingHasFunctions = 7,
  MappingHasFilenames = 8,
  MappingHasLineNumbers = 9,
  MappingHasInlineFrames = 10,
  LocationId = 1,
  LocationMappingId = 2,
  LocationAddress = 3,
  LocationLine = 4,
  LocationIsFolded = 5,
  LineFunctionId = 1,
  LineLine = 2,
  LineColumn = 3,
  FunctionId = 1,
  FunctionName = 2,
  FunctionSystemName = 3,
  FunctionFilename = 4,
  FunctionStartLine = 5,
};

} // namespace rw::pprof

#endif // REWIND_EXPORT_PPROFFIELDS_H
