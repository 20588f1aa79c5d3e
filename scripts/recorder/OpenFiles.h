//===- OpenFiles.h - What a program has open -------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_RECORDER_OPENFILES_H
#define REWIND_RECORDER_OPENFILES_H

#include "scripts/recorder/HostFolder.h"
#include "scripts/recorder/KernelObject.h"
#include "scripts/recorder/MadeFiles.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <memory>
#include <optional>
#include <set>

namespace rw::record {

/// An open file, which several descriptors may share.
struct OpenFile {
  enum Kind {
    Input,
    Output,
    Null,
    Zero,
    Random,
    File,
    Folder,
    Memory,
    Special
  };
  Kind Is;
  std::string Path; ///< as the program sees it
  uint64_t Flags = 0;
  uint64_t At = 0;         ///< File: offset; Folder: next entry
  HostFd Fd;               ///< File
  HostFolder::Place Place; ///< File, Folder: no place if it is a made one
  bool Listed = false;
  std::vector<HostFolder::Entry> Entries; ///< Folder, once Listed
  std::shared_ptr<FileContents> Held;     ///< Memory: not on the host
  std::shared_ptr<KernelObject> Object;   ///< Special

  /// What fstat says. Times and owners that the host has are left out where
  /// they differ from run to run.
  struct stat status() const;
};

/// An inode's number in 32 bits: an A32 program that has no 64-bit file offsets
/// gets EOVERFLOW for more.
uint32_t steadyNumber(uint64_t Inode);
/// Keeps what of the host's answer is the same each time.
struct stat steadyStatus(const struct stat &Host);
/// What fstat says of what is no file of the host.
struct stat deviceStatus(OpenFile::Kind Is);
/// "/dev/null" and its like.
/// The events that are there: a file is always ready.
uint32_t readiness(const OpenFile &F, const Asker &A);
std::optional<OpenFile::Kind> deviceOf(llvm::StringRef Path);

/// The descriptors of a program.
class OpenFiles {
public:
  /// \p Root: null if the program has no files.
  explicit OpenFiles(const HostFolder *Root);

  static constexpr int Max = 1024;
  /// The lowest free one from \p From on, or -EMFILE.
  int add(std::shared_ptr<OpenFile> F, int From = 0);
  std::shared_ptr<OpenFile> get(uint64_t Fd) const;
  bool close(uint64_t Fd);
  void put(int Fd, std::shared_ptr<OpenFile> F);
  /// Whether another program would not get it: FD_CLOEXEC.
  bool closesOnExec(int Fd) const { return ClosedOnExec.count(Fd) != 0; }
  void setClosesOnExec(int Fd, bool Closes);

  const HostFolder *root() const { return Root; }
  std::string Current = "/"; ///< the program's current folder

private:
  const HostFolder *Root;
  std::map<int, std::shared_ptr<OpenFile>> Open;
  std::set<int> ClosedOnExec;
};

} // namespace rw::record

#endif // REWIND_RECORDER_OPENFILES_H
