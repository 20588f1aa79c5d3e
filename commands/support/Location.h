//===- Location.h - A register or a range of memory -------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_LOCATION_H
#define REWIND_COMMANDS_SUPPORT_LOCATION_H

#include "core/arch/RegisterFile.h"
#include "core/types/Type.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rw {

struct Place;
struct Session;
class TraceStore;

struct LocationPiece;

/// Code [Low, High), in ascending order, as in the trace.
struct CodeRanges {
  std::vector<std::pair<uint64_t, uint64_t>> Ranges;
  bool contains(uint64_t PC) const;
};

/// What a question is about: (part of) a register of one thread, bytes of
/// memory, or a value of optimised code that lies in several of these.
struct Location {
  enum Kind : uint8_t { Register, Memory, InPieces };
  Kind Where = Memory;
  std::string Text; ///< as the user wrote it

  // Register.
  ThreadIndex Thread = 0;
  RegisterSlice Slice;
  std::string RegisterName;
  bool Holds = false; ///< the register has a variable, for a while

  // Memory.
  uint64_t Addr = 0;
  bool Real = false;      ///< Addr is a real address, not an effective one
  uint64_t Size = 0;      ///< bytes; also that of a register
  bool SizeGiven = false; ///< the user or a type told it; else it is a default
  /// If not 0, it is about bits [Lo, Lo + Width): a field of a status register
  /// ("cpsr.n"), or a bit-field and the bytes of memory that hold it.
  unsigned FieldLo = 0, FieldWidth = 0;
  /// What is there in the program's language; of a bit-field the type of the
  /// field. Null: not known.
  TypeRef Type;
  /// In which code a local variable is there. Null: in all of its function, or
  /// it is none.
  std::shared_ptr<const CodeRanges> Lives;

  // In pieces: those that are somewhere, in order.
  std::vector<LocationPiece> Pieces;
};

/// Bytes [Offset, Offset + Size) of a value.
struct LocationPiece {
  uint64_t Offset = 0, Size = 0;
  Location At;                   ///< a register or memory, if Constant is empty
  std::vector<uint8_t> Constant; ///< of Size bytes: no place keeps them
};

/// Where else a text means the location that it means at one place.
enum class Holds : uint8_t {
  Here,       ///< for all that is known
  AtCode,     ///< wherever a thread comes to the same instruction
  Everywhere, ///< a register is always that of the thread that is there
};

/// Understands a location: a register ("x0", "$sp", "w0", "cpsr.n"), an address
/// ("0x1000", "sp+16", "&array", "array+4"), or whatever the session's
/// ExpressionSource makes of it. Registers in it are those of \p At and have
/// their value there. \p Size overrides what the text says. \p Where, if given,
/// is told how far the answer holds.
llvm::Expected<Location> parseLocation(Session &S, const Place &At,
                                       llvm::StringRef Text,
                                       std::optional<uint64_t> Size,
                                       Holds *Where = nullptr);

/// Whether \p Text is a register of the trace, a field or lanes of one:
/// whatever the program calls so, that is meant.
bool namesRegister(const TraceStore &Store, llvm::StringRef Text);

/// An address: a number, a symbol, or sums and differences of those and of
/// registers, which have their value at \p At.
llvm::Expected<uint64_t> parseAddress(Session &S, const Place &At,
                                      llvm::StringRef Text);

/// "3..7" of a location that has a field.
std::string bitsOf(const Location &L);

/// An Error if \p L lies in several places, which \p Question is not asked of.
llvm::Error checkOnePlace(const Location &L, llvm::StringRef Question);

/// "x0", "[0x1000, 8 bytes]", "p [in x0, x1]", with the user's words where they
/// say more.
std::string describe(const Location &L);

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_LOCATION_H
