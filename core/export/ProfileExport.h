//===- ProfileExport.h - Profiles as files ----------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_EXPORT_PROFILEEXPORT_H
#define REWIND_EXPORT_PROFILEEXPORT_H

#include "core/model/CodeMapping.h"
#include "core/profile/ProfileSweep.h"
#include "llvm/Support/raw_ostream.h"

namespace rw {

/// A profile to be written, and what its numbers mean.
struct ProfileExport {
  const TraceStore &Store;
  const ContextProfile &Profile;
  ProfileBlocks &Blocks;
  llvm::ArrayRef<Metric> Metrics;
  /// If the threads have roots of their own: whose they are.
  llvm::ArrayRef<ThreadIndex> Threads;
  std::string Title;
  std::vector<CodeMapping> Mappings;
};

/// pprof's profile.proto, gzip-compressed: a sample for each node of the tree
/// that cost anything, a sample type for each metric.
llvm::Error writePprof(const ProfileExport &E, const Watch &Watch,
                       llvm::raw_ostream &Out);

/// The tree with all its nodes, parents first (docs/profile.md).
llvm::Error writeProfileJson(const ProfileExport &E, const Watch &Watch,
                             llvm::raw_ostream &Out);

} // namespace rw

#endif // REWIND_EXPORT_PROFILEEXPORT_H
