//===- Format.h - How places and values are shown ---------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_FORMAT_H
#define REWIND_COMMANDS_SUPPORT_FORMAT_H

#include "commands/support/Options.h"
#include "commands/support/Session.h"
#include "core/support/Digits.h"
#include "llvm/Support/JSON.h"

namespace rw {

/// Shown wherever a value is not known.
inline constexpr llvm::StringLiteral UnknownText = "<unknown>";

/// "aarch64": as in JSON, and as a user would write it.
llvm::StringRef shortName(Arch A);
std::string formatPosition(Position P); ///< "#1234"
/// "#1234", or "2:#1234" in a trace of several threads.
std::string formatPlace(const TraceStore &Store, ThreadIndex T, Position P);
void appendPlace(std::string &Out, const TraceStore &Store, ThreadIndex T,
                 Position P);
/// Whether a timeline is one of time: the trace has a clock that moves, and
/// --instructions does not ask for something else.
bool byTime(const Session &S, const ParsedOptions &O);
/// Says so if a timeline leaves something out because the clock stands still.
void warnOfFlat(const Session &S, uint64_t Flat, llvm::StringRef What);
/// "7 clk"; "?" if not known.
std::string formatTime(const TraceStore &Store, std::optional<uint64_t> Time);
/// Appends the time, to the right of a column.
void appendTime(std::string &Out, const TraceStore &Store,
                std::optional<uint64_t> Time, size_t Width);
/// The time of an instruction; empty where the trace does not tell it.
std::optional<uint64_t> timeOf(const TraceStore &Store, const Instruction &I);
/// "2", or "2 (cpu1)".
std::string threadLabel(const TraceStore &Store, ThreadIndex T);

llvm::StringRef isaName(ISA Isa); ///< "A64"

/// In text, as briefName() has it; in JSON.
enum class NameLength { Brief, Whole };

/// "quicksort+0x10 at quicksort.c:12", with inlined functions; empty if there
/// is no symbol.
std::string formatCode(const Session &S, uint64_t PC,
                       NameLength Names = NameLength::Brief);
/// The object or function at an address: "array+4"; empty if there is none.
std::string formatData(const Session &S, uint64_t Addr);

/// Bytes of a location with their known mask.
struct Value {
  Value() = default;
  explicit Value(size_t Size) : Bytes(Size), Known(Size) {}

  std::vector<uint8_t> Bytes; ///< in memory (or little-endian lane) order
  std::vector<uint8_t> Known; ///< 0 or 1
  ByteOrder Order = ByteOrder::Little;
  unsigned FieldLo = 0, FieldWidth = 0; ///< if not 0: only these bits count
  TypeRef Type;    ///< in the program's language; null: not known
  Moment When = 0; ///< of the state it is from; for what it points to

  bool allKnown() const;
  bool anyKnown() const;
  /// The bytes in that order. Registers have the lowest byte first, wherever
  /// memory has it.
  void setOrder(ByteOrder Wanted);
  /// As a number, if it has at most 8 bytes, all known.
  std::optional<uint64_t> number() const;
  /// Whether the same is known of both.
  bool operator==(const Value &) const;
};

/// Such bytes as a number, if they are all known and at most 8.
std::optional<uint64_t> numberOf(llvm::ArrayRef<uint8_t> Bytes,
                                 llvm::ArrayRef<uint8_t> Known,
                                 ByteOrder Order);

/// "0x000ffbb8"; unknown bytes of a partly known value as "??"; "<unknown>" if
/// all are. More than 16 bytes are listed in memory order.
std::string formatValue(const Value &V);
void appendValue(std::string &Out, const Value &V);
/// Appends formatValue() of such bytes.
void appendValue(std::string &Out, llvm::ArrayRef<uint8_t> Bytes,
                 llvm::ArrayRef<uint8_t> Known, ByteOrder Order);
/// As a person reads it: as its type says, or the session's style (--format,
/// --raw); without, as formatValue() with the decimal number behind it where
/// that says more: "0x2a (42)". What is not known of it is told as unknown.
std::string shown(const Session &S, const Value &V);
void appendShown(std::string &Out, const Session &S, const Value &V);
/// Whether that is formatValue(), with or without the decimal number.
bool showsBytes(const Session &S, const Value &V);
/// For values of types, in the session's style; what they lead to in memory is
/// as it was at \p When.
PrinterContext printerContext(const Session &S, Moment When);
/// Appends shown() of such bytes, whose type is not known.
void appendShown(std::string &Out, const Session &S,
                 llvm::ArrayRef<uint8_t> Bytes, llvm::ArrayRef<uint8_t> Known,
                 ByteOrder Order);
/// Whether anything is known of it that formatValue() would tell.
bool isTold(const Value &V);
/// The text of formatValue(), or null if nothing is known.
llvm::json::Value toJson(const Value &V);
/// O[\p Key] is the bytes, as toJson() has them; O[\p Key + "_text"], if it has
/// a type or there is a --format, what shown() says.
void putValue(const Session &S, llvm::json::Object &O, llvm::StringRef Key,
              const Value &V);
/// --format and --raw, of commands that have them.
llvm::Expected<ValueStyle> valueStyle(const ParsedOptions &O);

/// The value of \p L before the instruction at \p When; what the trace does
/// not tell of memory comes from the image's read-only sections.
llvm::Expected<Value> readLocation(const Session &S, const Location &L,
                                   Moment When);
/// That of a value that lies in pieces, of which \p Read reads those that have
/// a place; what has none is unknown.
llvm::Expected<Value>
joinPieces(const Session &S, const Location &L, Moment When,
           llvm::function_ref<llvm::Expected<Value>(const Location &)> Read);

/// Fills in bytes of memory that are not Known (1 each) from the image's
/// read-only sections.
void fillFromImage(const Session &S, uint64_t Addr,
                   llvm::MutableArrayRef<uint8_t> Bytes,
                   llvm::MutableArrayRef<uint8_t> Known);

/// The instruction as it lies in memory, from the trace or the image; empty if
/// neither tells all of it.
llvm::SmallVector<uint8_t, 16> instructionBytes(Session &S,
                                                const InsnItem &Insn);

/// The opcode as a number; of x86-64 its bytes. Empty if it is not known.
std::string formatOpcode(Session &S, const InsnItem &Insn);

/// The disassembly, in a Thumb IT block with its condition; empty if there is
/// none.
std::string instructionText(Session &S, const InsnItem &Insn);

/// The disassembly, with branch targets as symbols where there are some; the
/// opcode as a number if there is no text; "<unknown>" without an opcode.
std::string formatInstruction(Session &S, const InsnItem &Insn);

/// Whether the instruction was executed. Tarmac tells a branch of A64 that was
/// not taken like an instruction of A32 whose condition failed; it was.
bool wasExecuted(const InsnItem &Insn);

/// "not taken" for a branch, "not executed" for other instructions whose
/// condition failed, else empty.
llvm::StringRef formatOutcome(const InsnItem &Insn);

/// "executed", and "taken" of a branch that was not.
void addOutcome(llvm::json::Object &O, const InsnItem &Insn);

/// {"position":, "thread":, "time":, "line":, "pc":, "function":, "file":,
/// "source_line":} of an instruction.
llvm::json::Object placeJson(Session &S, const Instruction &I);
/// What of that the instruction alone tells: "position", "thread", "time",
/// "line".
void addWhen(llvm::json::Object &O, const TraceStore &Store,
             const Instruction &I);
/// What of that follows from the address: "pc" and what is behind it.
llvm::json::Object codeJson(Session &S, uint64_t PC);

/// A register effect as a person knows it: lanes put together again.
struct RegisterChange {
  ThreadIndex Thread = 0;
  std::string Name; ///< "x0", "s3", "v7[8..15]" for bytes that have no name
  Value NewValue;
  uint8_t Flags = 0; ///< RegItem flags
};

/// How register effects make up registers: the same of all effects that differ
/// only in their values.
struct RegisterLayout {
  /// A byte of a register, lowest first: where it is in the effects.
  struct Byte {
    static constexpr uint16_t None = ~uint16_t(0); ///< it was not written
    uint16_t Item = None;
    uint8_t Shift = 0;
    uint8_t Known = 0; ///< 1 if its value is
  };
  struct Change {
    ThreadIndex Thread = 0;
    std::string Name;
    uint8_t Flags = 0;
    std::vector<Byte> Bytes;

    /// Appends the bytes that \p Regs give it to \p Out, and whether they are
    /// known to \p Known.
    template <typename V>
    void values(llvm::ArrayRef<RegItem> Regs, V &Out, V &KnownOut) const {
      for (const Byte &B : Bytes) {
        Out.push_back(B.Item == Byte::None
                          ? uint8_t(0)
                          : uint8_t(Regs[B.Item].Value >> B.Shift));
        KnownOut.push_back(B.Known);
      }
    }
  };
  std::vector<Change> Changes;
};

/// Names the registers that instructions write. Make one per command, not per
/// instruction.
class RegisterNamer {
public:
  explicit RegisterNamer(const RegisterFile &Registers);
  std::vector<RegisterChange> changes(const Instruction &I) const;
  RegisterLayout layout(llvm::ArrayRef<RegItem> Regs) const;
  /// The registers that no wider one holds, by lane.
  std::vector<const RegisterInfo *> widest() const;

private:
  const RegisterFile &Registers;
  std::vector<const RegisterInfo *> Owner; ///< by lane: the widest there
};

Value toValue(const TraceStore &Store, const MemAccess &M);

/// Writes a JSON value and a newline.
void printJson(llvm::raw_ostream &Out, llvm::json::Value V);
/// Writes a JSON value on one line.
void printJsonLine(llvm::raw_ostream &Out, llvm::json::Value V);

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_FORMAT_H
