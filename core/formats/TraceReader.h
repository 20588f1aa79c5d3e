//===- TraceReader.h - Readers of traces ------------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_TRACEREADER_H
#define REWIND_FORMATS_TRACEREADER_H

#include "core/model/CodePage.h"
#include "core/model/ItemBatch.h"
#include "core/support/OptionSpec.h"
#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace rw {

/// The options of formats (TraceFormat::Options) that the user gave.
class FormatSettings {
public:
  void set(const OptionSpec &Option, llvm::StringRef Value = "") {
    Given[Option.Long.str()] = Value.str();
  }
  bool has(const OptionSpec &Option) const {
    return Given.count(Option.Long.str());
  }
  /// Empty for a flag, and for what was not given.
  llvm::StringRef value(const OptionSpec &Option) const {
    auto It = Given.find(Option.Long.str());
    return It == Given.end() ? llvm::StringRef() : It->second;
  }
  /// A stable text of them: a store that was made with other ones is stale.
  std::string fingerprint() const;
  /// Those that a fingerprint is of.
  static FormatSettings fromFingerprint(llvm::StringRef Text);

private:
  std::map<std::string, std::string> Given; ///< by name, without dashes
};

/// What a reader is told besides the trace itself.
struct ReaderOptions {
  FormatSettings Settings;
  unsigned Threads = 0;    ///< for parsing; 0: as many as there are cores
  uint64_t ChunkBytes = 0; ///< 0: the reader's choice (tests set it)
  /// Called now and then with bytes done and bytes in all (0: not known).
  std::function<void(uint64_t, uint64_t)> Progress;
  /// If set, gets where instructions were in real memory, if the trace tells;
  /// complete when the sink's finish() is called.
  std::vector<CodePage> *CodePages = nullptr;
  /// Set from outside (Ctrl-C) to make read() stop with errc::interrupted.
  const std::atomic<bool> *Cancel = nullptr;
};

/// Streams one trace into a TraceSink, once.
class TraceReader {
public:
  virtual ~TraceReader() = default;
  virtual llvm::StringRef formatName() const = 0;
  /// Reads it all into \p Sink, then calls Sink.finish(). A file that is not of
  /// this format at all is an error that says what was expected and found.
  virtual llvm::Error read(TraceSink &Sink) = 0;
};

} // namespace rw

#endif // REWIND_FORMATS_TRACEREADER_H
