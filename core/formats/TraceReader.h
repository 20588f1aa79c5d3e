//===- TraceReader.h - Readers of trace formats -----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A trace format is one folder here and one line in the registry
// (TraceReader.cpp). A reader streams a file into a TraceSink.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_TRACEREADER_H
#define REWIND_FORMATS_TRACEREADER_H

#include "core/model/CodePage.h"
#include "core/model/ItemBatch.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <atomic>
#include <functional>
#include <memory>

namespace rw {

struct ReaderOptions {
  bool BigEndian = false;      ///< data byte order of the traced CPU
  bool ImplicitThumb = false;  ///< Tarmac without instruction set states
  bool MissingModules = false; ///< Intel PT: what ran in modules that are not
                               ///< there or of another build becomes gaps
  unsigned Threads = 0;        ///< for parsing; 0: as many as there are cores
  uint64_t ChunkBytes = 0;     ///< 0: the reader's choice (tests set it)
  /// Called now and then with bytes done and bytes in all (0: not known).
  std::function<void(uint64_t, uint64_t)> Progress;
  /// If set, gets where instructions were in real memory, if the trace tells;
  /// complete when the sink's finish() is called.
  std::vector<CodePage> *CodePages = nullptr;
  /// Set from outside (Ctrl-C) to make read() stop with errc::interrupted.
  const std::atomic<bool> *Cancel = nullptr;
  /// Those of the above that change what is read, as a stable text.
  std::string fingerprint() const;
};

class TraceReader {
public:
  virtual ~TraceReader() = default;
  virtual llvm::StringRef formatName() const = 0;
  /// Reads it all into \p Sink, then calls Sink.finish(). A file that is not of
  /// this format at all is an error that says what was expected and found.
  virtual llvm::Error read(TraceSink &Sink) = 0;
};

/// What a format tells of itself.
struct TraceFormat {
  llvm::StringRef Name;        ///< for --format
  llvm::StringRef Description; ///< one line
  /// Whether a file looks like this format, from its (decompressed) beginning:
  /// 0 no, 100 certainly.
  unsigned (*Sniff)(llvm::StringRef Path, llvm::ArrayRef<uint8_t> Head);
  llvm::Expected<std::unique_ptr<TraceReader>> (*Open)(
      llvm::StringRef Path, const ReaderOptions &Options);
};
llvm::ArrayRef<TraceFormat> traceFormats();

/// Opens \p Path with the named format, or the best guess if \p Format is
/// empty. The error for an unknown kind of file lists what was looked for.
llvm::Expected<std::unique_ptr<TraceReader>>
openTrace(llvm::StringRef Path, llvm::StringRef Format,
          const ReaderOptions &Options);

} // namespace rw

#endif // REWIND_FORMATS_TRACEREADER_H
