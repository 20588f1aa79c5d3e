//===- Session.h - What a command runs in -----------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Commands run inside LLDB and from the shell. A session is all that
// they see of the place they run in.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_SESSION_H
#define REWIND_COMMANDS_SUPPORT_SESSION_H

#include "commands/support/Location.h"
#include "commands/support/Symbols.h"
#include "core/arch/Disassembler.h"
#include "core/store/StoreAnswers.h"
#include "core/support/Watch.h"
#include "core/types/TypePrinter.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <deque>
#include <functional>
#include <memory>

namespace rw {
namespace htr {
class HtrFile;
}

/// A thread of the trace at a moment: a stop. `When` may be that of an
/// instruction of another thread; the thread then stands before its next one.
struct Place {
  ThreadIndex Thread = 0;
  Moment When = 0;
  /// Whose variables are meant: those of the function so many inlined calls
  /// deep there; none: of the innermost one.
  std::optional<unsigned> Inlined = std::nullopt;
  bool operator==(const Place &) const = default;
};

class LvalueAlong;
class ProgramNames;
class StateCursor;

/// How values are shown.
struct ValueStyle {
  ValueFormat Format = ValueFormat::None;
  bool Raw = false; ///< as bytes of the trace, whatever their type is
};

/// Understands expressions of the program's language: LLDB, or, in the shell,
/// lvalues by the images' debug information.
class ExpressionSource {
public:
  virtual ~ExpressionSource();
  /// Where the lvalue \p Expression lives. A debugger takes it for one of its
  /// selected frame, where it stands; the shell for one of the innermost frame
  /// at \p At.
  virtual llvm::Expected<Location> locate(llvm::StringRef Expression,
                                          Place At) = 0;
  /// locate() for a listing, whose cursor \p Near is (LocationAlong.h). Null if
  /// it can do no better than to ask at each place.
  virtual std::unique_ptr<LvalueAlong> along(llvm::StringRef Expression,
                                             StateCursor &Near);
  /// A value as text, or, of a struct and its kin, where it is.
  struct Evaluated {
    std::string Text;
    std::optional<Location> Object;
    /// What a number, pointer or character is that no format was asked for.
    /// It is shown as everywhere.
    struct Bytes {
      std::vector<uint8_t> Value;
      ByteOrder Order;
      TypeRef Type;
    };
    std::optional<Bytes> Scalar = {};
    /// Scalar is of the innermost frame: what debug information says may be
    /// compared with it.
    bool Comparable = false;
  };
  /// The value of \p Expression in the innermost frame at \p Where; an
  /// UnknownValue where the trace does not tell it.
  virtual llvm::Expected<Evaluated> evaluate(llvm::StringRef Expression,
                                             Place Where, ValueStyle Style) = 0;
  /// The type of the lvalue \p Expression, wherever it may live and whether
  /// values on the way are known or not; null if it has none.
  virtual TypeRef lvalueType(llvm::StringRef Expression, Place At);
  /// Whether the name is a variable of the innermost function there, or a
  /// member of its object: it reads no more than that function's unit.
  virtual bool isLocal(llvm::StringRef, Place) { return false; }
  /// The value of the enumerator \p Name, as it is seen at \p At; nothing: none
  /// has that name. An Error: several differ.
  virtual llvm::Expected<std::optional<int64_t>>
  enumerator(llvm::StringRef Name, Place At);
  /// The object of the program that has the byte at \p Addr; none if it is not
  /// known to be one, or of no known type.
  struct Object {
    std::string Name;
    uint64_t Start = 0;
    TypeRef Type;
  };
  virtual std::optional<Object> objectAt(uint64_t Addr) = 0;
  /// The names of variables that locate() may know at \p At, for completion:
  /// of the innermost frame, then of the program. Some may be said twice.
  virtual std::vector<std::string> variables(Place At) = 0;
  /// Whether \p Condition holds in the innermost frame at \p Where; nothing
  /// where the trace does not tell it. An Error: it is no condition there.
  virtual llvm::Expected<std::optional<bool>> test(llvm::StringRef Condition,
                                                   Place Where);
  /// For conditions that are compiled (core/expr): those of the program's
  /// variables that can be told without a debugger. Null if there are none.
  virtual ProgramNames *names() { return nullptr; }
};

/// What commands remember from one to the next. One per loaded trace.
struct SessionMemory {
  /// Where jumps came from and go to, as in a browser.
  std::deque<Place> Back, Forward;
  /// One has moved away from \p Where, and left what was ahead.
  void cameFrom(Place Where);
  /// The last question of the last-write kind: asked again, it walks on.
  struct {
    std::string Key; ///< command and location
    Place AskedAt;
    Moment Answer = 0;
    unsigned Times = 0;
    bool Gone = false; ///< one went there
  } Question;
  /// The last slice that was listed.
  struct SliceInstructions {
    std::string Of; ///< "slice of x0 at #12"; empty: there was none
    std::vector<Moment> Moments; ///< ascending
    bool Complete = true; ///< false: the slice has more, which was not listed
    bool has(Moment M) const {
      return std::binary_search(Moments.begin(), Moments.end(), M);
    }
  } Slice;
  Disassembler Code;
  /// The default layers, where they may not be kept in a file.
  std::shared_ptr<htr::HtrFile> Layers;
};

struct Session {
  Session(const TraceStore &Store, llvm::raw_ostream &Out,
          SessionMemory &Memory)
      : Store(Store), Out(Out), Memory(Memory) {}

  const TraceStore &Store;
  llvm::raw_ostream &Out;
  SessionMemory &Memory;
  std::string TracePath; ///< as the user gave it
  std::string StorePath; ///< empty if the store has no file to keep things by
  bool MayKeep = true;   ///< may make files beside the store
  std::vector<std::string> Images;         ///< files of the program
  SymbolSource *Symbols = nullptr;         ///< null: no image
  ExpressionSource *Expressions = nullptr; ///< null: no image
  ValueStyle Style;                        ///< by the command's options
  /// Where a source that was compiled at \p Path is now; null: it is there.
  std::function<std::string(llvm::StringRef Path)> MovedSource;
  /// The selected thread and the moment it stands at; the start in the shell.
  Place Here;
  unsigned Width = 80; ///< columns of the terminal
  /// Ctrl-C, and how far a long command is. A listing that is stopped says that
  /// it is partial; what makes no sense in part fails with "interrupted".
  rw::Watch Watch;
  /// Moves the debugger there; \p Description becomes the stop reason ("last
  /// write of x0"). Null in the shell.
  std::function<llvm::Error(Place, const std::string &Description)> Move;
  /// For warnings and remarks that are not part of the answer (stderr in the
  /// shell).
  std::function<void(const std::string &)> Warn;

  /// The command listed what there is of what was asked for, and that is
  /// nothing: no error, but the shell's exit status tells it.
  bool FoundNothing = false;
  /// The command prints the place that it moves to, or has JSON: a debugger
  /// that tells of the stop need not say it once more. Set before Move.
  bool TellsPlace = false;

  /// Inside a debugger, which always stands somewhere, and where lists have a
  /// modest default length.
  bool inDebugger() const { return bool(Move); }
  bool cancelled() const { return Watch.cancelled(); }
  std::string sourceFile(llvm::StringRef Path) const {
    return MovedSource ? MovedSource(Path) : Path.str();
  }
  void warn(const std::string &Text) const {
    if (Warn)
      Warn(Text);
  }
  /// For --goto and its kin: moves, and remembers where from. An error in the
  /// shell, which has nothing to move.
  llvm::Error moveTo(Place Where, const std::string &Description);
  /// That error: a command that only moves is misused there.
  llvm::Error checkMovable() const;
};

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_SESSION_H
