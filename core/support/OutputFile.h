//===- OutputFile.h - Files that are written --------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that is written to a file goes through an OutputFile, and what is
// written to a descriptor through a FileStream. (The destructor of LLVM's
// raw_fd_ostream ends the process, a debugger perhaps, if it meets an error
// that nobody has asked for.)
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_SUPPORT_OUTPUTFILE_H
#define REWIND_SUPPORT_OUTPUTFILE_H

#include "core/support/InputFile.h"
#include "core/support/Temporary.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <functional>
#include <optional>
#include <sys/stat.h>

namespace rw {

/// A stream to a descriptor. It keeps its first error, and drops what is
/// written after it. Neither a limit of file sizes nor a reader who has gone
/// raises a signal.
class FileStream final : public llvm::raw_pwrite_stream {
public:
  /// \p Cancel ends a wait for the reader of a pipe.
  explicit FileStream(int FD, const std::atomic<bool> *Cancel = nullptr)
      : FD(FD), Cancel(Cancel) {
    SetBufferSize(64 << 10);
  }
  ~FileStream() override { flush(); }
  std::error_code error() const { return Problem; }
  /// Called at the first error: what is still to come is in vain.
  std::function<void()> OnError;

private:
  void write_impl(const char *Data, size_t Size) override;
  void pwrite_impl(const char *Data, size_t Size, uint64_t Offset) override;
  uint64_t current_pos() const override { return Position; }
  void put(const char *Data, size_t Size, std::optional<uint64_t> At);

  const int FD;
  const std::atomic<bool> *Cancel;
  uint64_t Position = 0;
  std::error_code Problem;
};

/// A file that must not be written over, and what it is to the user.
struct ReservedFile {
  std::string Path;
  std::string What; ///< "the trace"
};

/// A file that is written beside its place and put there when it is whole. What
/// was there before stays if anything goes wrong, and gives it its permissions.
/// A symbolic link stays: the file that it leads to is replaced. Pipes, devices
/// and descriptors (/dev/stdout) are written to.
class OutputFile {
public:
  struct Options {
    /// None of these is replaced, whatever it is called.
    std::vector<ReservedFile> Reserved;
    /// Asked what a file is that is there: what it has a name for ("a trace")
    /// is not replaced, nor what it cannot tell. See knownFile().
    std::function<llvm::Expected<std::string>(llvm::StringRef)> Known;
    /// For messages: how to replace it all the same (", or give --force").
    std::string Unless;
    /// Ends a wait for the reader of a pipe; Interrupted is asked only by
    /// create().
    const std::atomic<bool> *Cancel = nullptr;
    std::function<bool()> Interrupted;
    /// Only a regular file will do: it is to be read again.
    bool Regular = false;
    /// It can be made again from the trace at any time. Otherwise, what
    /// replaces a file is on the disk before that goes.
    bool Derived = false;
    /// A new file is nobody else's to read.
    bool Private = false;
    /// For messages: "the index ".
    std::string What;
  };
  /// Fails at once if the place cannot be written.
  static llvm::Expected<std::unique_ptr<OutputFile>>
  create(llvm::StringRef Path, Options O);
  ~OutputFile();
  /// Whether create() would fail, without leaving anything: to be asked before
  /// long work for which the file is not yet needed.
  static llvm::Error check(llvm::StringRef Path, const Options &O);

  /// pwrite() only if it is Regular.
  FileStream &os() { return *Stream; }
  /// Where it is written; readable if it is Regular.
  int descriptor() const { return Temp ? Temp->descriptor() : Direct.get(); }
  /// An error of what was written so far.
  llvm::Error check() const;
  /// Puts it in its place. Without commit() all is as before.
  llvm::Error commit();

private:
  OutputFile() = default;
  llvm::Error open(const Options &O, bool Probe);
  llvm::Error openDirectly(const Options &O);
  llvm::Error makeTemporary(const struct stat *Old, const Options &O);
  llvm::Error failed(std::error_code EC, const llvm::Twine &Why) const;
  llvm::Error failed(std::error_code EC) const;

  std::string Name;    ///< as the user gave it
  std::string Place;   ///< with its last link followed
  std::string Subject; ///< "the index "
  bool Sync = false;   ///< on the disk before it gets its name
  std::optional<Temporary> Temp;
  FileHandle Direct;
  std::unique_ptr<FileStream> Stream;
};

/// Writes the contents of a regular file to a stream.
llvm::Error copyFile(llvm::StringRef From, llvm::raw_ostream &To);

} // namespace rw

#endif // REWIND_SUPPORT_OUTPUTFILE_H
