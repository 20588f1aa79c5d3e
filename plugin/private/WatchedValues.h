//===- WatchedValues.h - What watchpoints show ------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_PRIVATE_WATCHEDVALUES_H
#define REWIND_PLUGIN_PRIVATE_WATCHEDVALUES_H

#include "core/store/StoreAnswers.h"
#include "lldb/API/SBTarget.h"
#include "lldb/API/SBValue.h"
#include "lldb/Symbol/CompilerType.h"
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace lldb_private {
class Watchpoint;
}

namespace rw {

class LoadedTrace;

/// The old and new values of watchpoints on what the trace tells only in part:
/// LLDB would read zeros, or show that it could not read. While some of it is
/// unknown, LLDB takes what is watched for a short array, whose text is asked
/// for here. Thread-safe, and takes no lock of LLDB where note() is called,
/// while LLDB waits. Uses private headers of LLDB.
class WatchedValues {
public:
  explicit WatchedValues(lldb::SBTarget Target);

  /// To be called for each watchpoint before a run, and where it \p Ended,
  /// before LLDB is told so. LLDB takes the next write of what is not known for
  /// a change.
  /// Returns whether some of it is unknown here.
  bool note(const std::shared_ptr<lldb_private::Watchpoint> &W,
            LoadedTrace &Trace, bool Ended);

  /// To be called for a new watchpoint, on LLDB's thread. LLDB takes the type
  /// of a pointer to what is watched, if it was given one (\p ByAddress), and
  /// of a whole for that of its part, and reads as much. \p Told is the type of
  /// what is watched, if it is valid. Returns whether LLDB has shown other than
  /// text() or the type tells.
  bool adopt(lldb::SBTarget Target,
             const std::shared_ptr<lldb_private::Watchpoint> &W,
             LoadedTrace &Trace, lldb::SBType Told, bool ByAddress);

  /// What to show for a value that a watchpoint keeps; nothing for any other,
  /// and if LLDB shows it well.
  std::optional<std::string> text(LoadedTrace &Trace, lldb::SBValue Value);

private:
  struct Bytes {
    std::vector<uint8_t> Value, Known; // of one size
    bool all() const;
  };
  struct Entry {
    lldb_private::CompilerType Type; ///< the watchpoint's own
    Bytes Last; ///< before the last run, or before the access that ended it
    lldb::ValueObjectSP Stand; ///< stands for Last as LLDB's old value
  };
  static Bytes read(LoadedTrace &Trace, const lldb_private::Watchpoint &W,
                    Moment At);

  std::mutex Mutex;
  lldb_private::CompilerType Short;
  std::vector<lldb::ValueObjectSP> Free; ///< none of a size that is watched
  std::map<std::weak_ptr<lldb_private::Watchpoint>, Entry, std::owner_less<>>
      Entries;
};

} // namespace rw

#endif // REWIND_PLUGIN_PRIVATE_WATCHEDVALUES_H
