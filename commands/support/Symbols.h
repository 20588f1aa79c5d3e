//===- Symbols.h - Names and lines of the traced program --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_SYMBOLS_H
#define REWIND_COMMANDS_SUPPORT_SYMBOLS_H

#include "core/model/CodeMapping.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rw {

/// One level of the inline chain at a code address.
struct SourceFrame {
  std::string Function; ///< demangled; empty if not known
  std::string File;     ///< path as the debug info tells it; empty if none
  unsigned Line = 0;    ///< 0 if not known
  unsigned Column = 0;
  unsigned Declared = 0; ///< Function's own line in File; 0 if not known
};

/// What is known of a code address.
struct CodeSymbol {
  std::string Function; ///< the real (not inlined) function, demangled
  uint64_t Start = 0;   ///< its first address
  /// Innermost first; the last one is Function itself. Empty without debug
  /// info.
  llvm::SmallVector<SourceFrame, 1> Frames;
};

/// A data object (or any other symbol) that covers an address.
struct DataSymbol {
  std::string Name; ///< demangled
  uint64_t Start = 0;
  uint64_t Size = 0; ///< 0 if the image does not tell
};

/// A copy of a function that is inlined.
struct InlinedCopy {
  uint64_t Start = 0; ///< where control comes to it
  /// If no code of its own begins there: what it has, ascending. Between Start
  /// and that it may be decided whether control goes on there.
  std::vector<std::pair<uint64_t, uint64_t>> Code = {}; ///< [first, end)
  unsigned Depth = 1; ///< how many inlined calls deep its code is
};

/// A section of an image as it lies in memory.
struct ImageSection {
  std::string Name; ///< ".rodata"
  uint64_t Start = 0;
  uint64_t Size = 0;
  bool Writable = false;
};

/// A symbol as the image's symbol table has it (core/calls/FunctionNames.h).
struct ImageSymbol;

/// Symbols, lines and initial memory of the traced program. From ELF files in
/// the shell, from the target in LLDB. Every address is one of the trace (load
/// address, without Thumb bit). Answers may be cached; not thread-safe.
class SymbolSource {
public:
  virtual ~SymbolSource();
  virtual std::optional<CodeSymbol> symbolizeCode(uint64_t Addr) = 0;
  virtual std::optional<DataSymbol> symbolizeData(uint64_t Addr) = 0;
  /// Where a function or an object of that name (mangled or not) begins; more
  /// than one for overloads and static functions. Empty if there is none.
  virtual std::vector<DataSymbol> findSymbol(llvm::StringRef Name) = 0;
  /// The thunks of C++ to the virtual function that begins at \p Start: what is
  /// called of an object whose class has it from a further base.
  virtual std::vector<DataSymbol> thunksTo(uint64_t Start);
  /// The copies of functions of that name, by debug information: of those that
  /// answer to it as well as any symbol. One pass over all of it at the first
  /// question.
  virtual std::vector<InlinedCopy> inlinedCopies(llvm::StringRef Name);
  /// Where all calls of the function that begins at \p Start come to: on
  /// ppc64le (ELFv2) those within a module come to its local entry, behind the
  /// set-up of r2. Elsewhere \p Start.
  virtual uint64_t localEntry(uint64_t Start);
  /// Where a debugger's breakpoint on the function that begins at \p Start
  /// stops: behind its prologue, as far as debug information tells.
  virtual uint64_t behindPrologue(uint64_t Start) = 0;
  /// Whether debug information says where the arguments are at the first
  /// instruction of the function that begins at \p Start, before any prologue.
  virtual bool knowsArgumentsAtEntry(uint64_t Start);
  /// Behind the first row of the lines of the function that begins at \p
  /// Start: compilers begin another row where its variables are there, also in
  /// the same line. \p Start if there is no other row.
  virtual uint64_t behindFirstRow(uint64_t Start);
  /// Where control comes to a source line: linePlaces(). \p File is a path or
  /// its tail. An Error says why there is none: no debug info, no such file, no
  /// such line.
  virtual llvm::Expected<std::vector<uint64_t>> findLine(llvm::StringRef File,
                                                         unsigned Line) = 0;
  /// The whole symbol tables, in the order of the files, names mangled.
  virtual std::vector<ImageSymbol> symbolTable();
  /// The executable segments of the images.
  virtual std::vector<CodeMapping> codeMappings();
  /// What the files put into memory that the program cannot change, by address.
  virtual std::vector<std::pair<uint64_t, llvm::ArrayRef<uint8_t>>> readOnly();
  virtual std::optional<ImageSection> sectionAt(uint64_t Addr) = 0;
  /// Copies image bytes at \p Addr, at most to the end of their section.
  /// Returns how many.
  virtual size_t readImage(uint64_t Addr,
                           llvm::MutableArrayRef<uint8_t> Bytes) = 0;

protected:
  /// Where code of a line begins.
  struct LinePart {
    enum Kind : uint8_t {
      Statement,   ///< a statement begins, with code
      Empty,       ///< a statement begins, the code there is another line's
      Piece,       ///< code of a statement that may begin nowhere
      BehindEmpty, ///< such code right behind an Empty of this line
    };
    uint64_t Addr;
    Kind Is = Statement;
    uint64_t Column = 0; ///< 0: unknown
    /// The compiler tells of each copy that it makes of a statement where that
    /// begins, by the same column.
    bool Copies = false;
  };
  /// A line's parts, in any order, made what findLine() answers, as LLDB's
  /// breakpoints have it: parts in one block of one function (a loop's head and
  /// its increment) are one place, the first; inner blocks (the loop's body),
  /// inlined copies and copies of the first statement are places of their own.
  /// A function, or inlined copy, where no statement begins has its first
  /// piece. Ascending.
  std::vector<uint64_t> linePlaces(std::vector<LinePart> Parts);
  /// What tells the innermost blocks of a function at \p Addr apart.
  virtual uint64_t blockAt(uint64_t Addr);
};

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_SYMBOLS_H
