//===- HostFolder.h - Files of the host, to be read only -------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_RECORDER_HOSTFOLDER_H
#define REWIND_RECORDER_HOSTFOLDER_H

#include "llvm/Support/Error.h"
#include <string>
#include <sys/stat.h>
#include <utility>
#include <vector>

namespace rw::record {

/// A file descriptor of the host that closes itself.
class HostFd {
public:
  HostFd() = default;
  explicit HostFd(int Fd) : Fd(Fd) {}
  HostFd(HostFd &&O) : Fd(std::exchange(O.Fd, -1)) {}
  HostFd &operator=(HostFd &&O) {
    std::swap(Fd, O.Fd);
    return *this;
  }
  ~HostFd();
  int get() const { return Fd; }

private:
  int Fd = -1;
};

/// A folder of the host that a program sees as "/". Nothing in it is ever
/// written, and neither ".." nor a symbolic link leads out of it: a link to
/// "/etc" goes to "etc" in the folder. Names are looked up one after another
/// from open folders, so it stays so while others rename things.
/// Functions return 0 or a negative errno, as Linux does.
class HostFolder {
public:
  static llvm::Expected<HostFolder> open(llvm::StringRef Path);

  struct Place {
    HostFd Folder;    ///< that it is in; the root is in itself
    std::string Name; ///< in that folder; "." for the root
    std::string Path; ///< as the program sees it, without links
    struct stat Status = {};
  };
  /// \p Path: absolute, as the program sees it. \p Follow: also the last name,
  /// if it is a link.
  int find(llvm::StringRef Path, bool Follow, Place &Out) const;
  /// Opens a regular file. What else is there is refused (-EACCES): devices,
  /// pipes, and the kernel's own files, which are other ones in each run.
  static int openFile(const Place &P, HostFd &Out);
  /// Lists a folder, in the order of names, "." and ".." first.
  struct Entry {
    std::string Name;
    uint64_t Number;
    uint8_t Type; ///< DT_REG and so on
  };
  static int list(const Place &P, std::vector<Entry> &Out);
  static int readLink(const Place &P, std::string &Out);

  /// Where a file of the host is in it; "" if it is elsewhere.
  std::string placeOf(llvm::StringRef Path) const;
  /// Where the host's current folder is in it; "/" if it is elsewhere.
  std::string currentFolder() const;

private:
  std::string Root; ///< its real path
  HostFd Folder;
};

} // namespace rw::record

#endif // REWIND_RECORDER_HOSTFOLDER_H
