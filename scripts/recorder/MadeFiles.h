//===- MadeFiles.h - What a program writes, in memory -----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_RECORDER_MADEFILES_H
#define REWIND_RECORDER_MADEFILES_H

#include "scripts/recorder/HostFolder.h"
#include <map>
#include <memory>

namespace rw::record {

/// The bytes of a file in memory, which outlive its name.
struct FileContents {
  static constexpr uint64_t Most = 1 << 30;
  std::string Bytes;
  uint64_t Number = 0; ///< of the inode
  mode_t Mode = 0600;
  struct stat status() const;
};

/// Files and folders that the program has made, written or taken away. They lie
/// over the host's, which stay as they are: a file that is written is a copy.
/// Paths are those that the program sees; "canonical" ones are without links
/// and dots. Functions return 0 or a negative errno.
class MadeFiles {
public:
  /// \p Root: null if the program has no files. \p Everywhere: it may write
  /// wherever it likes, else in /tmp, which there always is.
  MadeFiles(const HostFolder *Root, bool Everywhere);

  struct Node {
    enum Kind { File, Folder, Gone } Is = Gone;
    std::shared_ptr<FileContents> Contents; ///< File; of a Folder: its status
  };
  /// What is at a path: a node, or a place of the host.
  struct Found {
    std::string Path; ///< canonical, also of what is not there (-ENOENT)
    const Node *Made = nullptr;
    HostFolder::Place Host; ///< if Made is null
    bool isFolder() const {
      return Made ? Made->Is == Node::Folder : S_ISDIR(Host.Status.st_mode);
    }
  };
  /// \p Path: absolute. -ENOENT with a Path in \p Out: its folder is there.
  int find(llvm::StringRef Path, bool Follow, Found &Out) const;
  bool mayWrite(llvm::StringRef Canonical) const;

  /// What follows is for canonical paths that may be written.
  std::shared_ptr<FileContents> makeFile(const std::string &Path, mode_t Mode);
  void makeFolder(const std::string &Path, mode_t Mode);
  /// A copy of the host's file, to be written.
  int copy(const Found &Of, std::shared_ptr<FileContents> &Out);
  int remove(const Found &What, bool IsFolder);
  int rename(Found &From, const Found &To, bool Replaces);
  int list(const std::string &Path, const HostFolder::Place *Host,
           std::vector<HostFolder::Entry> &Out) const;

  /// Files that are there now, by path.
  std::vector<std::pair<std::string, const FileContents *>> files() const;
  /// Writes all of them below the host's folder \p Into.
  llvm::Error save(llvm::StringRef Into) const;

private:
  int step(const std::string &Path, bool Follow, Found &Out) const;
  bool isEmpty(const Found &Folder) const;
  void takeAway(const std::string &Path);
  std::shared_ptr<FileContents> newContents(mode_t Mode);

  const HostFolder *Root;
  const bool Everywhere;
  std::map<std::string, Node> Nodes; ///< by canonical path
  uint64_t LastNumber = 0xf0000000;  ///< a host's numbers begin low
};

} // namespace rw::record

#endif // REWIND_RECORDER_MADEFILES_H
