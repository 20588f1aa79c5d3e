//===- TraceFormat.h - What a format of traces is ---------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A format is a folder with a constant `TraceFormat Format` in a namespace of
// the folder's name, and the folder's name in the list of CMakeLists.txt. All
// else follows from the object: --format, recognition, options and their helps,
// standard input, what makes a store stale.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_TRACEFORMAT_H
#define REWIND_FORMATS_TRACEFORMAT_H

#include "core/formats/InputStream.h"
#include "core/formats/TraceReader.h"

namespace rw {

struct TraceFormat {
  using Reader = llvm::Expected<std::unique_ptr<TraceReader>>;

  llvm::StringLiteral Name;        ///< for --format
  llvm::StringLiteral Description; ///< one line
  /// Options that change how it is read; those of one name are the same option
  /// in all formats.
  llvm::ArrayRef<OptionSpec> Options = {};
  /// How much a file looks like this format: 0 not at all, 100 certainly. \p
  /// Head is its (decompressed) beginning, of 64 KiB or more if it has them;
  /// empty for a directory.
  unsigned (*Sniff)(llvm::StringRef Path, llvm::ArrayRef<uint8_t> Head);
  /// One of these two. A format that is one stream of bytes can be read from
  /// standard input, too; one of several files cannot.
  Reader (*OpenStream)(std::unique_ptr<InputStream> In,
                       const ReaderOptions &Options) = nullptr;
  Reader (*OpenFiles)(llvm::StringRef Path,
                      const ReaderOptions &Options) = nullptr;
  /// The files that belong to a trace besides the one that \p Path names (all
  /// of them, if that is a directory), whether they are there or not. None for
  /// a path that is not of this format or not understood. Null: there are none
  /// in this format. Called whenever a trace is opened: it must not take long.
  std::vector<std::string> (*Companions)(
      llvm::StringRef Path, const FormatSettings &Settings) = nullptr;

  bool streams() const { return OpenStream != nullptr; }
};

/// Options that several formats have.
namespace format_option {
inline constexpr OptionSpec BigEndian{"big-endian", 0, "",
                                      "the traced CPU's data was big-endian"};
} // namespace format_option

/// All formats, in the order in which help lists them.
llvm::ArrayRef<const TraceFormat *> traceFormats();
/// Null if there is none of that name.
const TraceFormat *findFormat(llvm::StringRef Name);
/// The options of all formats, each once.
std::vector<OptionSpec> formatOptions();

/// Opens \p Path ("-" is standard input) with the named format, or the best
/// guess if \p Format is empty. The error for an unknown kind of file lists
/// what was looked for.
llvm::Expected<std::unique_ptr<TraceReader>>
openTrace(llvm::StringRef Path, llvm::StringRef Format,
          const ReaderOptions &Options);

/// That a trace, or what belongs to it, cannot be read; \p Text says why.
llvm::Error badTrace(const llvm::Twine &Text);

/// What recogniseFormat() wants to see of a file.
inline constexpr size_t SniffedBytes = 64 << 10;
/// The format that a file would be opened with, by its name and its
/// (decompressed) beginning; null: it looks like none.
const TraceFormat *recogniseFormat(llvm::StringRef Path,
                                   llvm::ArrayRef<uint8_t> Head);

/// What makes an index of \p Path stale when it changes, besides the file of
/// that name itself: see TraceFormat::Companions.
std::vector<std::string> companionFiles(llvm::StringRef Path,
                                        const FormatSettings &Settings = {});

} // namespace rw

#endif // REWIND_FORMATS_TRACEFORMAT_H
