//===- Access.h - Who wrote or read a location ------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_ACCESS_H
#define REWIND_COMMANDS_SUPPORT_ACCESS_H

#include "commands/support/Format.h"
#include "commands/support/Location.h"
#include "commands/support/OtherBits.h"
#include "core/store/SearchCursor.h"
#include "core/store/StateCursor.h"
#include "core/store/StoredValues.h"

namespace rw {

/// An Error if no trace at all can tell accesses of that kind to \p L.
llvm::Error checkQuestion(const Location &L, AccessKind Kind);

/// For a question without an answer: an Error if this trace lacks what the
/// answer would have been in.
llvm::Error checkCapable(const TraceStore &Store, const Location &L);

/// The last access to any byte of \p L before \p Before. For registers
/// BeforeTrace means: told by the trace before its first instruction. Writes
/// that changed only other bits of a bit-field's bytes, or other lanes of a
/// vector register, are none of it: they are passed over, each at the cost of a
/// look at memory or registers.
llvm::Expected<std::optional<Moment>> lastAccess(const TraceStore &Store,
                                                 const Location &L,
                                                 AccessKind Kind,
                                                 Moment Before);

/// The first access to any byte of \p L by an instruction >= \p From.
llvm::Expected<std::optional<Moment>> accessFrom(const TraceStore &Store,
                                                 const Location &L,
                                                 AccessKind Kind, Moment From);

/// accessFrom() for a listing, which asks for one after the other.
class AccessSearch {
public:
  AccessSearch(const TraceStore &Store, const Location &L, AccessKind Kind);
  llvm::Expected<std::optional<Moment>> from(Moment From);

private:
  void add(const Location &Of);

  const TraceStore &Store;
  const Location L;
  const AccessKind Kind;
  OtherBits Others;
  /// Whose nearest answer it is; none where each is a search of its own.
  std::vector<std::unique_ptr<SearchCursor>> Searches;
};

/// An access, told in full.
struct AccessAnswer {
  Instruction Insn;
  bool Write = false;
  Value Old, New;             ///< of the whole location, before and after
  std::vector<uint8_t> Bytes; ///< 1 for each byte of it that was accessed
  bool NoValue = false;       ///< the trace tells no value of the access
  bool Implied = false;       ///< by a semihosting call, not told by the trace
  bool Inferred = false;      ///< the value, or a part, follows from the code
  /// If the question was about a real address: what it was to the instruction.
  std::optional<uint64_t> Effective;
};
llvm::Expected<AccessAnswer> explainAccess(const Session &S, const Location &L,
                                           AccessKind Kind, Moment When);
/// readLocation() for a listing, whose cursor \p Near is: \p V is written anew.
llvm::Error readLocation(const Session &S, StateCursor &Near, const Location &L,
                         Moment When, Value &V);
/// As the one above, for bytes of memory.
llvm::Error readMemory(const Session &S, StateCursor &Near, uint64_t Addr,
                       Moment When, llvm::MutableArrayRef<uint8_t> Bytes,
                       llvm::MutableArrayRef<uint8_t> Known);

/// explainAccess() for a listing, which asks about one moment after the other.
class AccessTeller {
public:
  /// \p S must stay.
  AccessTeller(const Session &S, Location L, AccessKind Kind);
  /// The first access at or after \p From; none if there is none. To tell of it
  /// then costs little.
  llvm::Expected<std::optional<Moment>> from(Moment From);
  /// Valid until the next call.
  llvm::Expected<const AccessAnswer *> at(Moment When);

private:
  llvm::Error tell(const Location &L, Moment When);
  void tellWritten(const Location &L);
  llvm::Error tellAccessed(const Location &L);
  llvm::Error tellPieces(const Location &L, Moment When);

  const Session &S;
  const Location L;
  const AccessKind Kind;
  std::unique_ptr<StateCursor> Near;
  StoredValues Stored;
  std::optional<AccessSearch> Search; ///< where Near does not find them itself
  AccessAnswer A;
  std::optional<Moment> Before; ///< of which A.Old tells already
};

/// A member or an element of a larger value.
struct ChangedPart {
  std::string Path; ///< ".label[2]"
  Value Old, New;
};
/// What differs between two values of one compound type, as far down as it
/// tells its parts apart; padding does not count. Nothing of other types.
std::vector<ChangedPart> changedParts(const Value &Old, const Value &New);

/// "all 8 bytes", "4 of 8 bytes (0..3)".
std::string formatCoverage(llvm::ArrayRef<uint8_t> Bytes);

/// Place, instruction, values and coverage, in three lines.
void printAnswer(Session &S, const AccessAnswer &A);
llvm::json::Object toJson(Session &S, const AccessAnswer &A);
/// Only "bytes" and, if there is NoValue, "value_unknown".
llvm::json::Array coverageJson(const AccessAnswer &A);
/// The parts that changed: [{"part":, "old":, "new":}].
llvm::json::Array changedJson(const Session &S, const AccessAnswer &A);
llvm::StringRef whyUnknown(const AccessAnswer &A);

/// The location as JSON: {"text":, "register":} or {"text":, "address":,
/// "size":}.
llvm::json::Object toJson(const Location &L);

/// Bytes [Offset, Offset + Size) of \p L in its own byte order.
Location part(const Location &L, uint64_t Offset, uint64_t Size);

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_ACCESS_H
