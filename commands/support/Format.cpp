//===- Format.cpp - How places and values are shown -----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/Format.h"
#include "commands/support/BriefName.h"
#include "core/arch/InstructionClass.h"
#include "core/formats/TraceFormat.h"
#include "core/support/Printable.h"
#include "core/view/States.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace llvm;

namespace rw {

std::string grouped(uint64_t N) {
  std::string S = std::to_string(N);
  for (size_t I = S.size(); I > 3;)
    S.insert(I -= 3, 1, ',');
  return S;
}

StringRef shortName(Arch A) {
  switch (A) {
  case Arch::AArch64:
    return "aarch64";
  case Arch::Arm:
    return "arm";
  case Arch::PPC64:
    return "ppc64";
  case Arch::PPC64LE:
    return "ppc64le";
  case Arch::X86_64:
    return "x86_64";
  case Arch::Unknown:
    break;
  }
  return "unknown";
}

std::string hex(uint64_t Value, unsigned Digits) {
  std::string Result;
  raw_string_ostream(Result) << format_hex(Value, Digits + 2);
  return Result;
}

std::string formatPosition(Position P) { return "#" + std::to_string(P); }

void warnOfFlat(const Session &S, uint64_t Flat, StringRef What) {
  if (Flat)
    S.warn((grouped(Flat) + " " + What +
            " take no time by the trace's clock and are left out; "
            "--instructions shows them")
               .str());
}

bool byTime(const Session &S, const ParsedOptions &O) {
  if (!S.Store.header().Can.Time || O.has(opt::ByInstructions.Long))
    return false;
  if (S.Store.firstTime() < S.Store.lastTime())
    return true;
  S.warn("the trace's clock never moves: laid out by instructions");
  return false;
}

std::string formatPlace(const TraceStore &Store, ThreadIndex T, Position P) {
  return Store.numThreads() > 1
             ? std::to_string(T + 1) + ":" + formatPosition(P)
             : formatPosition(P);
}

std::string formatTime(const TraceStore &Store, std::optional<uint64_t> Time) {
  if (!Time)
    return "?";
  return (Twine(*Time) + " " + Store.header().TimeUnit).str();
}

std::optional<uint64_t> timeOf(const TraceStore &Store, const Instruction &I) {
  if (!Store.header().Can.Time || (I.Insn.Flags & InsnItem::TimeKnown))
    return Store.header().Can.Time ? std::optional(I.Insn.Time) : std::nullopt;
  // It repeats an earlier one, if there is an earlier one.
  auto Time = Store.timeAt(I.When);
  if (Time)
    return *Time;
  consumeError(Time.takeError());
  return std::nullopt;
}

std::string threadLabel(const TraceStore &Store, ThreadIndex T) {
  const auto &Threads = Store.header().Threads;
  std::string Number = std::to_string(T + 1);
  if (T >= Threads.size() || Threads[T].Name.empty())
    return Number;
  return Number + " (" + Threads[T].Name + ")";
}

StringRef isaName(ISA Isa) {
  static constexpr StringLiteral Names[] = {"unknown", "A64",   "A32",
                                            "T32",     "PPC64", "x86-64"};
  return Names[size_t(Isa)];
}

static std::string withOffset(StringRef Name, uint64_t Offset) {
  return Offset ? (Name + "+" + hex(Offset)).str() : Name.str();
}

std::string formatCode(const Session &S, uint64_t PC, NameLength Names) {
  if (!S.Symbols)
    return {};
  auto Sym = S.Symbols->symbolizeCode(PC);
  if (!Sym)
    return {};
  auto NameOf = [&](const std::string &Name) {
    return Names == NameLength::Brief ? briefName(Name) : Name;
  };
  std::string Text = withOffset(NameOf(Sym->Function), PC - Sym->Start);
  for (size_t I = Sym->Frames.size(); I-- > 0;) {
    const SourceFrame &F = Sym->Frames[I];
    if (I + 1 != Sym->Frames.size())
      Text += " inlined " + NameOf(F.Function);
    if (I == 0 && F.Line)
      Text += " at " + F.File.substr(F.File.rfind('/') + 1) + ":" +
              std::to_string(F.Line);
  }
  return Text;
}

std::string formatData(const Session &S, uint64_t Addr) {
  if (!S.Symbols)
    return {};
  auto Sym = S.Symbols->symbolizeData(Addr);
  return Sym ? withOffset(Sym->Name, Addr - Sym->Start) : std::string();
}

/// "main+0x8" for what has a name: a function, an object, a string of the
/// image has none.
static std::string nameOfAddress(const Session &S, uint64_t Addr) {
  if (!S.Symbols)
    return {};
  auto Section = S.Symbols->sectionAt(Addr);
  if (!Section)
    return {};
  auto Sym = S.Symbols->symbolizeData(Addr);
  // What no size tells to belong to it is a guess.
  if (!Sym || (Sym->Size ? Addr - Sym->Start >= Sym->Size : Addr != Sym->Start))
    return {};
  return withOffset(Sym->Name, Addr - Sym->Start);
}

bool Value::allKnown() const {
  return std::all_of(Known.begin(), Known.end(), [](uint8_t K) { return K; });
}

bool Value::anyKnown() const {
  return std::any_of(Known.begin(), Known.end(), [](uint8_t K) { return K; });
}

bool Value::operator==(const Value &V) const {
  if (FieldWidth)
    return number() == V.number();
  if (Known != V.Known)
    return false;
  for (size_t I = 0; I < Bytes.size(); ++I)
    if (Known[I] && Bytes[I] != V.Bytes[I])
      return false;
  return true;
}

std::optional<uint64_t> Value::number() const {
  if (Bytes.size() > 8)
    return std::nullopt;
  uint64_t N = 0;
  for (size_t I = 0; I < Bytes.size(); ++I) {
    // Only the bytes that a field touches need to be known.
    bool Matters =
        !FieldWidth || (8 * I < FieldLo + FieldWidth && 8 * I + 8 > FieldLo);
    if (Matters && !Known[I])
      return std::nullopt;
    size_t Place = Order == ByteOrder::Little ? I : Bytes.size() - 1 - I;
    N |= uint64_t(Bytes[I]) << (8 * Place);
  }
  if (FieldWidth)
    N = (N >> FieldLo) & maskTrailingOnes<uint64_t>(FieldWidth);
  return N;
}

std::string formatValue(const Value &V) {
  if (V.FieldWidth) {
    auto N = V.number();
    return N ? std::to_string(*N) : UnknownText.str();
  }
  if (!V.anyKnown())
    return UnknownText.str();
  std::string Text;
  raw_string_ostream OS(Text);
  auto PrintByte = [&](size_t I) {
    if (V.Known[I])
      OS << format_hex_no_prefix(V.Bytes[I], 2);
    else
      OS << "??";
  };
  size_t N = V.Bytes.size();
  if (N > 16) {
    for (size_t I = 0; I < N; ++I) {
      OS << (I ? " " : "");
      PrintByte(I);
    }
    return Text;
  }
  OS << "0x";
  for (size_t I = 0; I < N; ++I)
    PrintByte(V.Order == ByteOrder::Little ? N - 1 - I : I);
  return Text;
}

static std::string untyped(const Value &V) {
  std::string Text = formatValue(V);
  auto N = V.number();
  // Beyond that it is hardly ever a count.
  if (!V.FieldWidth && N && *N > 9 && *N <= 0xffffff)
    Text += " (" + std::to_string(*N) + ")";
  return Text;
}

/// The bytes of memory at a moment, and of read-only sections of the image.
static Error readBytes(const Session &S, Moment When, uint64_t Addr,
                       MutableArrayRef<uint8_t> Bytes,
                       MutableArrayRef<uint8_t> Known) {
  if (Error E = S.Store.memoryAt(When, Addr, Bytes, Known))
    return E;
  fillFromImage(S, Addr, Bytes, Known);
  return Error::success();
}

static PrinterContext printerContext(const Session &S, const Value &V) {
  const TraceHeader &H = S.Store.header();
  PrinterContext C;
  C.BigEndian = H.Order == ByteOrder::Big;
  C.PointerBytes = H.Architecture == Arch::Arm ? 4 : 8;
  C.Format = S.Style.Format;
  C.Symbol = [&S](uint64_t Addr) { return nameOfAddress(S, Addr); };
  C.Read = [&S, When = V.When](uint64_t Addr, MutableArrayRef<uint8_t> Bytes,
                               MutableArrayRef<uint8_t> Known) {
    // What cannot be read is not known.
    if (Error E = readBytes(S, When, Addr, Bytes, Known)) {
      consumeError(std::move(E));
      std::fill(Known.begin(), Known.end(), 0);
    }
  };
  return C;
}

std::string shown(const Session &S, const Value &V) {
  const bool AsIs = S.Style.Format == ValueFormat::None;
  if (S.Style.Raw || (!V.Type && AsIs))
    return untyped(V);
  const PrinterContext C = printerContext(S, V);
  if (V.FieldWidth) {
    auto N = V.number();
    if (!N)
      return UnknownText.str();
    return typedBits(V.Type ? *V.Type : Type(), *N, V.FieldWidth, C);
  }
  // Registers have the lowest byte first, wherever memory has it.
  Value M = V;
  if (C.BigEndian && V.Order == ByteOrder::Little) {
    std::reverse(M.Bytes.begin(), M.Bytes.end());
    std::reverse(M.Known.begin(), M.Known.end());
  }
  KnownBytes Bytes{M.Bytes, M.Known};
  return V.Type && V.Type->Size == V.Bytes.size() ? typedText(*V.Type, Bytes, C)
         : AsIs                                   ? untyped(V)
                                                  : formattedText(Bytes, C);
}

void putValue(const Session &S, json::Object &O, StringRef Key,
              const Value &V) {
  json::Value Bytes = toJson(V);
  const bool Known = Bytes.getAsNull() == std::nullopt;
  O[Key] = std::move(Bytes);
  if (!S.Style.Raw && (V.Type || S.Style.Format != ValueFormat::None))
    O[(Key + "_text").str()] =
        Known ? json::Value(json::fixUTF8(shown(S, V))) : nullptr;
}

Expected<ValueStyle> valueStyle(const ParsedOptions &O) {
  ValueStyle Style;
  Style.Raw = O.has(opt::Raw.Long);
  for (StringRef Letter : O.values(opt::Format.Long)) {
    if (auto F = parseValueFormat(Letter))
      Style.Format = *F;
    else if (!findFormat(Letter)) // the shell's --format of the trace
      return usageError("--format wants x, d, u, f, c, s or b, not '" + Letter +
                        "'");
  }
  if (Style.Raw && Style.Format != ValueFormat::None)
    return usageError("--raw and --format contradict each other");
  return Style;
}

json::Value toJson(const Value &V) {
  bool Nothing = V.FieldWidth ? !V.number() : !V.anyKnown();
  return Nothing ? json::Value(nullptr) : json::Value(formatValue(V));
}

Expected<Value> readLocation(const Session &S, const Location &L, Moment When) {
  Value V(L.Size);
  V.When = When;
  V.FieldLo = L.FieldLo;
  V.FieldWidth = L.FieldWidth;
  V.Type = L.Type;
  if (L.Where == Location::Register) {
    auto State = S.Store.registersAt(L.Thread, When);
    if (!State)
      return State.takeError();
    State->read(L.Slice, V.Bytes.data(), V.Known.data());
    return V;
  }
  V.Order = S.Store.header().Order;
  if (Error E = readBytes(S, When, L.Addr, V.Bytes, V.Known))
    return E;
  return V;
}

void fillFromImage(const Session &S, uint64_t Addr,
                   MutableArrayRef<uint8_t> Bytes,
                   MutableArrayRef<uint8_t> Known) {
  if (!S.Symbols)
    return;
  for (size_t I = 0; I < Bytes.size(); ++I) {
    if (Known[I])
      continue;
    auto Section = S.Symbols->sectionAt(Addr + I);
    uint8_t Byte;
    if (Section && !Section->Writable &&
        S.Symbols->readImage(Addr + I, Byte) == 1) {
      Bytes[I] = Byte;
      Known[I] = 1;
    }
  }
}

/// The target of a direct branch (or address of an adr), as LLVM prints it: the
/// last operand, a bare hexadecimal number.
static std::optional<uint64_t> printedTarget(StringRef Text) {
  static constexpr StringLiteral Mnemonics[] = {"b",    "cb", "tb",   "adr",
                                                "call", "j",  "loop", "le"};
  if (none_of(Mnemonics, [&](StringRef M) { return Text.starts_with(M); }))
    return std::nullopt;
  StringRef Last = Text.substr(Text.find_last_of(" ,") + 1);
  uint64_t Addr;
  if (!Last.consume_front("0x") || Last.getAsInteger(16, Addr))
    return std::nullopt;
  return Addr;
}

SmallVector<uint8_t, 16> instructionBytes(Session &S, const InsnItem &Insn) {
  const bool Known = Insn.Flags & InsnItem::OpcodeKnown;
  if (Insn.Isa != ISA::X86_64)
    return Known ? opcodeBytes(Insn.Isa, Insn.Opcode, Insn.Size)
                 : SmallVector<uint8_t, 16>();
  ArrayRef<uint8_t> Code = S.Store.codeBytes(Insn.PC, Insn.Size);
  if (Code.size() == Insn.Size)
    return SmallVector<uint8_t, 16>(Code);
  if (Known && Insn.Size <= 8)
    return opcodeBytes(Insn.Isa, Insn.Opcode, Insn.Size);
  // From the image, if that is what ran.
  SmallVector<uint8_t, 16> Image(Insn.Size);
  if (!S.Symbols || S.Symbols->readImage(Insn.PC, Image) < Image.size())
    return {};
  auto Begin = opcodeBytes(Insn.Isa, Insn.Opcode, Insn.Size);
  if (Known && !std::equal(Begin.begin(), Begin.end(), Image.begin()))
    return {};
  return Image;
}

std::string formatOpcode(Session &S, const InsnItem &Insn) {
  if (Insn.Isa != ISA::X86_64)
    return Insn.Flags & InsnItem::OpcodeKnown ? hex(Insn.Opcode, 2 * Insn.Size)
                                              : std::string();
  return toHex(instructionBytes(S, Insn), /*LowerCase=*/true);
}

std::string formatInstruction(Session &S, const InsnItem &Insn) {
  std::string Text =
      S.Memory.Code.text(Insn.Isa, instructionBytes(S, Insn), Insn.PC);
  if (Text.empty()) {
    std::string Opcode = formatOpcode(S, Insn);
    return Opcode.empty() ? UnknownText.str() : "<" + Opcode + ">";
  }
  if (auto Target = printedTarget(Text))
    if (std::string Name = formatCode(S, *Target); !Name.empty())
      Text += " <" + StringRef(Name).split(" at ").first.str() + ">";
  return Text;
}

static bool isUntakenBranch(const InsnItem &Insn) {
  if (Insn.Flags & InsnItem::Executed || !(Insn.Flags & InsnItem::OpcodeKnown))
    return false;
  switch (classify(Insn.Isa, Insn.Opcode)) {
  case InsnClass::CondBranch:
  case InsnClass::Branch:
  case InsnClass::IndirectBranch:
  case InsnClass::Call:
  case InsnClass::IndirectCall:
  case InsnClass::Return:
    return true;
  default:
    return false;
  }
}

bool wasExecuted(const InsnItem &Insn) {
  return Insn.Flags & InsnItem::Executed ||
         (Insn.Isa == ISA::A64 && isUntakenBranch(Insn));
}

StringRef formatOutcome(const InsnItem &Insn) {
  if (Insn.Flags & InsnItem::Executed)
    return "";
  return isUntakenBranch(Insn) ? "not taken" : "not executed";
}

void addOutcome(json::Object &O, const InsnItem &Insn) {
  O["executed"] = wasExecuted(Insn);
  if (isUntakenBranch(Insn))
    O["taken"] = false;
}

json::Object placeJson(Session &S, const Instruction &I) {
  json::Object O{{"position", I.Pos}, {"thread", int64_t(I.Thread) + 1}};
  if (auto Time = timeOf(S.Store, I))
    O["time"] = *Time;
  else
    O["time"] = nullptr;
  if (I.Line)
    O["line"] = I.Line;
  O["pc"] = hex(I.Insn.PC);
  if (!S.Symbols)
    return O;
  if (auto Sym = S.Symbols->symbolizeCode(I.Insn.PC)) {
    O["function"] = Sym->Function;
    O["function_offset"] = I.Insn.PC - Sym->Start;
    if (!Sym->Frames.empty() && Sym->Frames[0].Line) {
      O["file"] = Sym->Frames[0].File;
      O["source_line"] = Sym->Frames[0].Line;
    }
    json::Array Inlined;
    for (size_t F = 0; F + 1 < Sym->Frames.size(); ++F)
      Inlined.push_back(Sym->Frames[F].Function);
    if (!Inlined.empty())
      O["inlined"] = std::move(Inlined);
  }
  return O;
}

RegisterNamer::RegisterNamer(const RegisterFile &Registers)
    : Registers(Registers), Owner(registerOfLane(Registers)) {}

std::vector<const RegisterInfo *> RegisterNamer::widest() const {
  return widestRegisters(Registers);
}

std::vector<RegisterChange> RegisterNamer::changes(const Instruction &I) const {
  std::vector<RegItem> Items(I.Regs.begin(), I.Regs.end());
  llvm::stable_sort(Items, [](const RegItem &A, const RegItem &B) {
    return std::tie(A.Thread, A.Flags, A.Lane) <
           std::tie(B.Thread, B.Flags, B.Lane);
  });
  std::vector<RegisterChange> Result;
  for (size_t First = 0; First < Items.size();) {
    unsigned Lane = Items[First].Lane;
    const RegisterInfo *R = Lane < Owner.size() ? Owner[Lane] : nullptr;
    unsigned Base = R ? R->Slice.Lane + R->Slice.Offset / 8 : Lane;
    unsigned Size = R ? R->Slice.Offset % 8 + R->Slice.Size : 8;
    Size = (Size + 7) / 8 * 8;
    // All bytes of the owner's lanes, as far as they were written.
    std::vector<uint8_t> Bytes(Size), Known(Size), Written(Size);
    size_t End = First;
    for (; End < Items.size() && Items[End].Thread == Items[First].Thread &&
           Items[End].Flags == Items[First].Flags &&
           (End == First || Items[End].Lane < Base + Size / 8);
         ++End) {
      const RegItem &Item = Items[End];
      for (unsigned B = 0; B < 8; ++B) {
        size_t At = 8 * (Item.Lane - Base) + B;
        if (!(Item.Written >> B & 1))
          continue;
        Written[At] = 1;
        Known[At] = !(Item.Unknown >> B & 1);
        Bytes[At] = uint8_t(Item.Value >> (8 * B));
      }
    }
    size_t Lo = 0, Hi = Size;
    while (Lo < Hi && !Written[Lo])
      ++Lo;
    while (Hi > Lo && !Written[Hi - 1])
      --Hi;
    RegisterChange C;
    C.Thread = Items[First].Thread;
    C.Flags = Items[First].Flags;
    for (size_t B = Lo; B < Hi; ++B) {
      C.NewValue.Bytes.push_back(Bytes[B]);
      C.NewValue.Known.push_back(Known[B]);
    }
    for (const RegisterInfo &Part : Registers.registers())
      if (!Part.IsPC &&
          Part.Slice.Lane * 8u + Part.Slice.Offset == Base * 8 + Lo &&
          Part.Slice.Size == Hi - Lo) {
        C.Name = Part.Name;
        break;
      }
    if (C.Name.empty())
      C.Name = ((R ? R->Name : "lane" + std::to_string(Lane)) +
                formatv("[{0}..{1}]", Lo, Hi - 1))
                   .str();
    Result.push_back(std::move(C));
    First = End;
  }
  return Result;
}

Value toValue(const TraceStore &Store, const MemAccess &M) {
  Value V;
  V.Bytes.assign(M.Bytes.begin(), M.Bytes.end());
  V.Known.assign(M.Known.begin(), M.Known.end());
  V.Order = Store.header().Order;
  return V;
}

static void printJsonText(raw_ostream &Out, const std::string &Text) {
  if (isPlain(Text, "\n")) {
    Out << Text;
    return;
  }
  // JSON escapes the control characters of ASCII; a terminal obeys others, too,
  // and they are in strings only.
  for (size_t At = 0; At < Text.size();) {
    const auto *Begin = reinterpret_cast<const UTF8 *>(&Text[At]);
    const UTF8 *Next = Begin;
    UTF32 C = 0;
    if (convertUTF8Sequence(&Next, Begin + (Text.size() - At), &C,
                            strictConversion) != conversionOK)
      Next = Begin + 1; // a json::Value holds nothing else than UTF-8
    const size_t Size = size_t(Next - Begin);
    if (isControl(C) && C != '\n')
      Out << format("\\u%04x", unsigned(C));
    else
      Out << StringRef(Text).substr(At, Size);
    At += Size;
  }
}

void printJson(raw_ostream &Out, json::Value V) {
  printJsonText(Out, formatv("{0:2}\n", V).str());
}

void printJsonLine(raw_ostream &Out, json::Value V) {
  printJsonText(Out, formatv("{0}\n", V).str());
}

} // namespace rw
