//===- Format.cpp - How places and values are shown -----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/Format.h"
#include "core/arch/InstructionClass.h"
#include "core/formats/TraceFormat.h"
#include "core/store/TraceStore.h"
#include "core/support/BriefName.h"
#include "core/support/Printable.h"
#include "core/view/States.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <utility>

using namespace llvm;

namespace rw {

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

void appendPlace(std::string &Out, const TraceStore &Store, ThreadIndex T,
                 Position P) {
  if (Store.numThreads() > 1) {
    appendDecimal(Out, T + 1);
    Out += ':';
  }
  Out += '#';
  appendDecimal(Out, P);
}

std::string formatPlace(const TraceStore &Store, ThreadIndex T, Position P) {
  std::string Text;
  appendPlace(Text, Store, T, P);
  return Text;
}

void appendTime(std::string &Out, const TraceStore &Store,
                std::optional<uint64_t> Time, size_t Width) {
  const size_t Begin = Out.size();
  if (Time) {
    appendDecimal(Out, *Time);
    Out += ' ';
    Out += Store.header().TimeUnit;
  } else {
    Out += '?';
  }
  if (const size_t Has = Out.size() - Begin; Has < Width)
    Out.insert(Begin, Width - Has, ' ');
}

std::string formatTime(const TraceStore &Store, std::optional<uint64_t> Time) {
  std::string Text;
  appendTime(Text, Store, Time, 0);
  return Text;
}

std::optional<uint64_t> timeOf(const TraceStore &Store, const Instruction &I) {
  // One that the trace does not tell repeats an earlier one, if there is any.
  if (!Store.header().Can.Time || I.When < Store.firstTimed())
    return std::nullopt;
  return I.Insn.Time;
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
  // A bit-field that is not known whole may have become so in part.
  if (FieldWidth && (number() || V.number()))
    return number() == V.number();
  if (Known != V.Known)
    return false;
  for (size_t I = 0; I < Bytes.size(); ++I)
    if (Known[I] && Bytes[I] != V.Bytes[I])
      return false;
  return true;
}

void Value::setOrder(ByteOrder Wanted) {
  if (std::exchange(Order, Wanted) == Wanted)
    return;
  std::reverse(Bytes.begin(), Bytes.end());
  std::reverse(Known.begin(), Known.end());
}

std::optional<uint64_t> Value::number() const {
  if (!FieldWidth)
    return numberOf(Bytes, Known, Order);
  if (Bytes.size() > 8)
    return std::nullopt;
  uint64_t N = 0;
  for (size_t I = 0; I < Bytes.size(); ++I) {
    const size_t Place = Order == ByteOrder::Little ? I : Bytes.size() - 1 - I;
    // Only the bytes that a field touches need to be known.
    const bool Matters =
        8 * Place < FieldLo + FieldWidth && 8 * Place + 8 > FieldLo;
    if (Matters && !Known[I])
      return std::nullopt;
    N |= uint64_t(Bytes[I]) << (8 * Place);
  }
  return (N >> FieldLo) & maskTrailingOnes<uint64_t>(FieldWidth);
}

std::optional<uint64_t> numberOf(ArrayRef<uint8_t> Bytes,
                                 ArrayRef<uint8_t> Known, ByteOrder Order) {
  const size_t N = Bytes.size();
  if (N > 8 || is_contained(Known, 0))
    return std::nullopt;
  uint8_t All[8] = {};
  copy(Bytes, Order == ByteOrder::Little ? All : std::end(All) - N);
  return Order == ByteOrder::Little ? support::endian::read64le(All)
                                    : support::endian::read64be(All);
}

void appendValue(std::string &Out, ArrayRef<uint8_t> Bytes,
                 ArrayRef<uint8_t> Known, ByteOrder Order) {
  if (auto Number = numberOf(Bytes, Known, Order); Number && !Bytes.empty()) {
    appendHex(Out, *Number, unsigned(2 * Bytes.size()));
    return;
  }
  if (none_of(Known, [](uint8_t K) { return K; })) {
    Out += UnknownText;
    return;
  }
  auto Append = [&](size_t I) {
    if (Known[I])
      appendHexByte(Out, Bytes[I]);
    else
      Out += "??";
  };
  const size_t N = Bytes.size();
  if (N > 16) {
    for (size_t I = 0; I < N; ++I) {
      if (I)
        Out += ' ';
      Append(I);
    }
    return;
  }
  Out += "0x";
  for (size_t I = 0; I < N; ++I)
    Append(Order == ByteOrder::Little ? N - 1 - I : I);
}

void appendValue(std::string &Out, const Value &V) {
  if (!V.FieldWidth) {
    appendValue(Out, V.Bytes, V.Known, V.Order);
    return;
  }
  if (auto N = V.number())
    appendDecimal(Out, *N);
  else
    Out += UnknownText;
}

std::string formatValue(const Value &V) {
  std::string Text;
  appendValue(Text, V);
  return Text;
}

static void appendUntyped(std::string &Out, ArrayRef<uint8_t> Bytes,
                          ArrayRef<uint8_t> Known, ByteOrder Order) {
  appendValue(Out, Bytes, Known, Order);
  auto N = numberOf(Bytes, Known, Order);
  // Beyond that it is hardly ever a count.
  if (N && *N > 9 && *N <= 0xffffff) {
    Out += " (";
    appendDecimal(Out, *N);
    Out += ')';
  }
}

static void appendUntyped(std::string &Out, const Value &V) {
  if (V.FieldWidth)
    appendValue(Out, V);
  else
    appendUntyped(Out, V.Bytes, V.Known, V.Order);
}

void appendShown(std::string &Out, const Session &S, ArrayRef<uint8_t> Bytes,
                 ArrayRef<uint8_t> Known, ByteOrder Order) {
  if (S.Style.Raw || S.Style.Format == ValueFormat::None) {
    appendUntyped(Out, Bytes, Known, Order);
    return;
  }
  Value V;
  V.Bytes.assign(Bytes.begin(), Bytes.end());
  V.Known.assign(Known.begin(), Known.end());
  V.Order = Order;
  Out += shown(S, V);
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

PrinterContext printerContext(const Session &S, Moment When) {
  const TraceHeader &H = S.Store.header();
  PrinterContext C;
  C.BigEndian = H.Order == ByteOrder::Big;
  C.PointerBytes = H.Architecture == Arch::Arm ? 4 : 8;
  C.Format = S.Style.Raw ? ValueFormat::Hex : S.Style.Format;
  C.Raw = S.Style.Raw;
  C.Symbol = [&S](uint64_t Addr) { return nameOfAddress(S, Addr); };
  C.Read = [&S, When](uint64_t Addr, MutableArrayRef<uint8_t> Bytes,
                      MutableArrayRef<uint8_t> Known) {
    // What cannot be read is not known.
    if (Error E = readBytes(S, When, Addr, Bytes, Known)) {
      consumeError(std::move(E));
      std::fill(Known.begin(), Known.end(), 0);
    }
  };
  return C;
}

/// Most values of listings are integers, which need no printer: appends what it
/// would say of \p V. False if that is something else.
static bool appendInteger(std::string &Out, const Value &V) {
  const size_t Size = V.Bytes.size();
  if ((V.Type->Kind != TypeKind::Signed &&
       V.Type->Kind != TypeKind::Unsigned) ||
      !Size || (!V.FieldWidth && V.Type->Size != Size))
    return false;
  const auto N = V.number();
  if (!N)
    return false;
  const unsigned Bits = V.FieldWidth ? V.FieldWidth : unsigned(8 * Size);
  const int64_t Negative = SignExtend64(*N, Bits);
  if (V.Type->Kind == TypeKind::Signed && Negative < 0) {
    Out += '-';
    appendDecimal(Out, 0 - uint64_t(Negative));
  } else {
    appendDecimal(Out, *N);
  }
  return true;
}

static bool isCompound(const Value &V) {
  return V.Type &&
         (V.Type->Kind == TypeKind::Record || V.Type->Kind == TypeKind::Array);
}

bool showsBytes(const Session &S, const Value &V) {
  return (S.Style.Raw && !isCompound(V)) ||
         (!V.Type && S.Style.Format == ValueFormat::None);
}

void appendShown(std::string &Out, const Session &S, const Value &V) {
  const bool AsIs = S.Style.Format == ValueFormat::None;
  if (showsBytes(S, V)) {
    appendUntyped(Out, V);
    return;
  }
  // As a text it would be an empty one that goes on unknown.
  if (!isCompound(V) && !isTold(V)) {
    Out += UnknownText;
    return;
  }
  if (AsIs && appendInteger(Out, V))
    return;
  const PrinterContext C = printerContext(S, V.When);
  if (V.FieldWidth) {
    if (auto N = V.number())
      Out += typedBits(V.Type ? *V.Type : Type(), *N, V.FieldWidth, C);
    else
      Out += UnknownText;
    return;
  }
  KnownBytes Bytes{V.Bytes, V.Known};
  // Registers have the lowest byte first, wherever memory has it.
  Value Turned;
  if (C.BigEndian && V.Order == ByteOrder::Little) {
    Turned.Bytes.assign(V.Bytes.rbegin(), V.Bytes.rend());
    Turned.Known.assign(V.Known.rbegin(), V.Known.rend());
    Bytes = {Turned.Bytes, Turned.Known};
  }
  if (V.Type && V.Type->Size == V.Bytes.size())
    Out += typedText(*V.Type, Bytes, C);
  else if (AsIs)
    appendUntyped(Out, V);
  else
    Out += formattedText(Bytes, C);
}

std::string shown(const Session &S, const Value &V) {
  std::string Text;
  appendShown(Text, S, V);
  return Text;
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

bool isTold(const Value &V) {
  return V.FieldWidth ? V.number().has_value() : V.anyKnown();
}

json::Value toJson(const Value &V) {
  return isTold(V) ? json::Value(formatValue(V)) : json::Value(nullptr);
}

Expected<Value>
joinPieces(const Session &S, const Location &L, Moment When,
           function_ref<Expected<Value>(const Location &)> Read) {
  Value V(L.Size);
  V.When = When;
  V.FieldLo = L.FieldLo;
  V.FieldWidth = L.FieldWidth;
  V.Type = L.Type;
  V.Order = S.Store.header().Order;
  for (const LocationPiece &P : L.Pieces) {
    Value Part(P.Size);
    if (P.Constant.empty()) {
      auto Its = Read(P.At);
      if (!Its)
        return Its.takeError();
      Part = std::move(*Its);
      Part.setOrder(V.Order);
    } else {
      Part.Bytes = P.Constant;
      Part.Known.assign(P.Size, 1);
    }
    std::copy(Part.Bytes.begin(), Part.Bytes.end(),
              V.Bytes.begin() + ptrdiff_t(P.Offset));
    std::copy(Part.Known.begin(), Part.Known.end(),
              V.Known.begin() + ptrdiff_t(P.Offset));
  }
  return V;
}

Expected<Value> readLocation(const Session &S, const Location &L, Moment When) {
  if (L.Where == Location::InPieces)
    return joinPieces(S, L, When, [&](const Location &P) {
      return readLocation(S, P, When);
    });
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

std::string instructionText(Session &S, const InsnItem &Insn) {
  return S.Memory.Code.text(Insn.Isa, instructionBytes(S, Insn), Insn.PC,
                            S.Store.itCondition(Insn));
}

std::string formatInstruction(Session &S, const InsnItem &Insn) {
  std::string Text = instructionText(S, Insn);
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

void addWhen(json::Object &O, const TraceStore &Store, const Instruction &I) {
  O["position"] = I.Pos;
  O["thread"] = int64_t(I.Thread) + 1;
  if (auto Time = timeOf(Store, I))
    O["time"] = *Time;
  else
    O["time"] = nullptr;
  if (I.Line)
    O["line"] = I.Line;
}

json::Object placeJson(Session &S, const Instruction &I) {
  json::Object O = codeJson(S, I.Insn.PC);
  addWhen(O, S.Store, I);
  return O;
}

json::Object codeJson(Session &S, uint64_t PC) {
  json::Object O{{"pc", hex(PC)}};
  if (!S.Symbols)
    return O;
  if (auto Sym = S.Symbols->symbolizeCode(PC)) {
    O["function"] = Sym->Function;
    O["function_offset"] = PC - Sym->Start;
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

RegisterLayout RegisterNamer::layout(ArrayRef<RegItem> Regs) const {
  SmallVector<uint16_t, 8> Order(Regs.size());
  for (size_t K = 0; K < Regs.size(); ++K)
    Order[K] = uint16_t(K);
  auto ItemAt = [&](size_t K) -> const RegItem & { return Regs[Order[K]]; };
  llvm::sort(Order, [&](uint16_t X, uint16_t Y) {
    const RegItem &A = Regs[X], &B = Regs[Y];
    return std::tie(A.Thread, A.Flags, A.Lane, X) <
           std::tie(B.Thread, B.Flags, B.Lane, Y);
  });
  using Byte = RegisterLayout::Byte;
  RegisterLayout Result;
  for (size_t First = 0; First < Order.size();) {
    const RegItem &Begin = ItemAt(First);
    unsigned Lane = Begin.Lane;
    const RegisterInfo *R = Lane < Owner.size() ? Owner[Lane] : nullptr;
    unsigned Base = R ? R->Slice.Lane + R->Slice.Offset / 8 : Lane;
    unsigned Size = R ? R->Slice.Offset % 8 + R->Slice.Size : 8;
    Size = (Size + 7) / 8 * 8;
    // All bytes of the owner's lanes, as far as they were written.
    std::vector<Byte> Bytes(Size);
    size_t End = First;
    for (; End < Order.size() && ItemAt(End).Thread == Begin.Thread &&
           ItemAt(End).Flags == Begin.Flags &&
           (End == First || ItemAt(End).Lane < Base + Size / 8);
         ++End) {
      const RegItem &Item = ItemAt(End);
      for (unsigned B = 0; B < 8; ++B)
        if (Item.Written >> B & 1)
          Bytes[8 * (Item.Lane - Base) + B] = {
              Order[End], uint8_t(8 * B), uint8_t(!(Item.Unknown >> B & 1))};
    }
    size_t Lo = 0, Hi = Size;
    while (Lo < Hi && Bytes[Lo].Item == Byte::None)
      ++Lo;
    while (Hi > Lo && Bytes[Hi - 1].Item == Byte::None)
      --Hi;
    RegisterLayout::Change C;
    C.Thread = Begin.Thread;
    C.Flags = Begin.Flags;
    C.Bytes.assign(Bytes.begin() + ptrdiff_t(Lo),
                   Bytes.begin() + ptrdiff_t(Hi));
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
    Result.Changes.push_back(std::move(C));
    First = End;
  }
  return Result;
}

std::vector<RegisterChange> RegisterNamer::changes(const Instruction &I) const {
  std::vector<RegisterChange> Result;
  for (RegisterLayout::Change &C : layout(I.Regs).Changes) {
    RegisterChange R;
    R.Thread = C.Thread;
    R.Name = std::move(C.Name);
    R.Flags = C.Flags;
    C.values(I.Regs, R.NewValue.Bytes, R.NewValue.Known);
    Result.push_back(std::move(R));
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
      Out << llvm::format("\\u%04x", unsigned(C));
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
