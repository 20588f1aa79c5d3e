//===- StringSummaries.cpp - Strings of which bytes are unknown -----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/private/StringSummaries.h"
#include "commands/support/Format.h"
#include "core/store/TraceStore.h"
#include "core/support/Guarded.h"
#include "lldb/API/LLDB.h"
#include "lldb/Breakpoint/Watchpoint.h"
#include "lldb/DataFormatters/TypeSummary.h"
#include "plugin/LoadedTrace.h"
#include "plugin/private/DebuggerState.h"
#include "plugin/private/PrivateLLDB.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Unicode.h"
#include <array>

using namespace lldb;
using lldb_private::TypeSummaryImpl;

namespace rw {
struct ImplOfSummary {
  typedef std::shared_ptr<TypeSummaryImpl> (SBTypeSummary::*type)();
  friend type memberOf(ImplOfSummary);
};
template struct Expose<ImplOfSummary, &SBTypeSummary::GetSP>;

struct ImplOfValue {
  typedef ValueObjectSP (SBValue::*type)() const;
  friend type memberOf(ImplOfValue);
};
template struct Expose<ImplOfValue, &SBValue::GetSP>;

struct ImplOfShown {
  typedef WatchpointSP (SBWatchpoint::*type)() const;
  friend type memberOf(ImplOfShown);
};
template struct Expose<ImplOfShown, &SBWatchpoint::GetSP>;

struct NewValue {
  typedef ValueObjectSP lldb_private::Watchpoint::*type;
  friend type memberOf(NewValue);
};
template struct Expose<NewValue, &lldb_private::Watchpoint::m_new_value_sp>;

struct ImplOfOptions {
  typedef lldb_private::TypeSummaryOptions &(SBTypeSummaryOptions::*type)();
  friend type memberOf(ImplOfOptions);
};
template struct Expose<ImplOfOptions, &SBTypeSummaryOptions::ref>;
} // namespace rw

using namespace rw;

namespace {
/// Characters, one a unit: of a char16_t half of one, perhaps.
struct Units {
  std::vector<uint32_t> Value;
  std::vector<uint8_t> Known; // as many; 0 if a byte of the unit is unknown
};

/// A type of characters, and LLDB's own summaries of strings of them.
struct Characters {
  llvm::StringRef Name, Prefix;
  std::shared_ptr<TypeSummaryImpl> Pointer, Array;
};
} // namespace

/// Never destroyed: LLDB may ask while static objects are.
static llvm::MutableArrayRef<Characters> allCharacters() {
  static auto *All =
      new std::array<Characters, 5>{{{"char", "", nullptr, nullptr},
                                     {"char8_t", "u8", nullptr, nullptr},
                                     {"char16_t", "u", nullptr, nullptr},
                                     {"char32_t", "U", nullptr, nullptr},
                                     {"wchar_t", "L", nullptr, nullptr}}};
  return *All;
}

/// What \p Text, a pointer or an array, is made of.
static SBType elementOf(SBType Text) {
  Text = Text.GetCanonicalType();
  return (Text.IsPointerType() ? Text.GetPointeeType()
                               : Text.GetArrayElementType())
      .GetCanonicalType()
      .GetUnqualifiedType();
}

static const Characters &charactersOf(SBType Element) {
  const llvm::StringRef Name = Element.GetName() ? Element.GetName() : "";
  for (const Characters &C : allCharacters().drop_front())
    if (Name == C.Name)
      return C;
  return allCharacters().front(); // of chars, with a sign or without
}

static llvm::Expected<Units> readUnits(LoadedTrace &Trace, uint64_t Addr,
                                       uint64_t Count, unsigned UnitSize) {
  std::vector<uint8_t> Value(Count * UnitSize), Known(Count * UnitSize);
  if (llvm::Error E =
          Trace.memory().read(Trace.engine().here().When, Addr, Value, Known))
    return E;
  const bool Big = Trace.store().header().Order == rw::ByteOrder::Big;
  Units U;
  for (size_t I = 0; I < Value.size(); I += UnitSize) {
    uint32_t V = 0;
    bool All = true;
    for (unsigned B = 0; B < UnitSize; ++B) {
      V |= uint32_t(Value[I + B]) << 8 * (Big ? UnitSize - 1 - B : B);
      All &= Known[I + B] != 0;
    }
    U.Value.push_back(V);
    U.Known.push_back(All);
  }
  return U;
}

/// The units up to the one that ends the text, or to the first unknown one.
static llvm::Expected<Units> readText(LoadedTrace &Trace, uint64_t Addr,
                                      uint64_t Most, unsigned UnitSize) {
  constexpr uint64_t Part = 64;
  Units All;
  while (All.Value.size() < Most) {
    uint64_t From = Addr + All.Value.size() * UnitSize;
    uint64_t Count = std::min(Part, Most - All.Value.size());
    if (From + Count * UnitSize < From)
      break;
    auto U = readUnits(Trace, From, Count, UnitSize);
    if (!U)
      return U.takeError();
    for (size_t I = 0; I < Count; ++I) {
      All.Value.push_back(U->Value[I]);
      All.Known.push_back(U->Known[I]);
      if (!U->Known[I] || !U->Value[I])
        return All;
    }
  }
  return All;
}

/// \p C as it is, or as C++ escapes it.
static std::string shown(uint32_t C, unsigned UnitSize) {
  constexpr auto Special =
      llvm::StringLiteral::withInnerNUL("\"\\\n\t\r\0\a\b\f\v\x1b");
  constexpr llvm::StringLiteral Letters = "\"\\ntr0abfve";
  size_t At = C < 0x80 ? Special.find(char(C)) : llvm::StringRef::npos;
  if (At != llvm::StringRef::npos)
    return {'\\', Letters[At]};
  if (C < 0x80 && llvm::isPrint(char(C)))
    return {char(C)};
  if (UnitSize == 1)
    return llvm::formatv("\\x{0:x-2}", C);
  char UTF8[UNI_MAX_UTF8_BYTES_PER_CODE_POINT], *End = UTF8;
  if (llvm::sys::unicode::isPrintable(int(C)) &&
      llvm::ConvertCodePointToUTF8(C, End))
    return std::string(UTF8, End);
  return C < 0x10000 ? llvm::formatv("\\u{0:x-4}", C).str()
                     : llvm::formatv("\\U{0:x-8}", C).str();
}

static std::string quoted(llvm::ArrayRef<uint32_t> Text, unsigned UnitSize,
                          llvm::StringRef Prefix) {
  std::string Out = Prefix.str() + '"';
  for (size_t I = 0; I < Text.size(); ++I) {
    uint32_t C = Text[I];
    // Two halves of one character.
    if (UnitSize == 2 && I + 1 < Text.size() && C >> 10 == 0xd800 >> 10 &&
        Text[I + 1] >> 10 == 0xdc00 >> 10)
      C = 0x10000 + ((C & 0x3ff) << 10 | (Text[++I] & 0x3ff));
    Out += shown(C, UnitSize);
  }
  return Out + '"';
}

/// "<2 unknown> "qr" <12 unknown>".
static std::string describe(const Units &U, bool ToEnd, unsigned UnitSize = 1,
                            llvm::StringRef Prefix = "") {
  constexpr unsigned MostRuns = 8;
  std::string Out;
  unsigned Runs = 0;
  for (size_t I = 0, End; I < U.Value.size(); I = End, ++Runs) {
    for (End = I; End < U.Value.size() && U.Known[End] == U.Known[I];)
      ++End;
    if (Runs)
      Out += ' ';
    if (Runs == MostRuns)
      return Out + "...";
    if (U.Known[I])
      Out +=
          quoted(llvm::ArrayRef(U.Value).slice(I, End - I), UnitSize, Prefix);
    else if (ToEnd && (I || End != U.Value.size()))
      Out += llvm::formatv("<{0} unknown>", End - I);
    else
      Out += UnknownText;
  }
  return Out;
}

/// Where \p Value is, or was copied from: a watchpoint keeps its value.
static uint64_t placeOf(SBValue Value) {
  if (uint64_t Addr = Value.GetLoadAddress(); Addr != LLDB_INVALID_ADDRESS)
    return Addr;
  const ValueObjectSP Copy = objectOf(Value);
  SBTarget Target = Value.GetTarget();
  for (uint32_t I = 0; Copy && I < Target.GetNumWatchpoints(); ++I) {
    WatchpointSP W =
        (Target.GetWatchpointAtIndex(I).*memberOf(ImplOfShown()))();
    if (W && ((*W).*memberOf(NewValue())).get() == Copy.get())
      return Target.GetWatchpointAtIndex(I).GetWatchAddress();
  }
  return LLDB_INVALID_ADDRESS;
}

/// What to say of a text at \p Addr of which nothing is known. A pointer that
/// was freed, or never set, mostly leads to where the program never was.
static llvm::Expected<std::string> whyUnknown(LoadedTrace &Trace,
                                              uint64_t Addr) {
  constexpr uint64_t Page = 4096;
  const TraceStore &Store = Trace.store();
  if (!Store.header().Can.MemAddresses)
    return UnknownText.str();
  auto Any = Store.nextAccess(Addr / Page * Page, Page, AccessKind::Any, 0);
  if (!Any)
    return Any.takeError();
  return *Any ? UnknownText.str() : "<unknown: never accessed>";
}

/// What to say of \p Value; empty if all of it is known, or it has no place.
static llvm::Expected<std::string> unknownString(LoadedTrace &Trace,
                                                 SBValue Value) {
  SBType Type = Value.GetType().GetCanonicalType();
  constexpr uint64_t MostText = 1024, MostArray = 1 << 20;
  const bool Pointer = Type.IsPointerType();
  uint64_t Addr;
  if (Pointer) {
    SBError Error;
    Addr = Value.GetValueAsUnsigned(Error);
    if (Error.Fail() || !Addr)
      return "";
  } else {
    Addr = placeOf(Value);
    if (Addr == LLDB_INVALID_ADDRESS)
      return "";
  }
  const SBType Element = elementOf(Type);
  const unsigned UnitSize = unsigned(SBType(Element).GetByteSize());
  if (UnitSize != 1 && UnitSize != 2 && UnitSize != 4)
    return "";
  const uint64_t Size = std::min(Type.GetByteSize(), MostArray);
  auto U = Pointer ? readText(Trace, Addr, MostText, UnitSize)
                   : readUnits(Trace, Addr, Size / UnitSize, UnitSize);
  if (!U)
    return U.takeError();
  if (Pointer && U->Known.size() == 1 && !U->Known[0])
    return whyUnknown(Trace, Addr);
  // LLDB shows only the beginning of a longer string.
  if (llvm::all_of(U->Known, [](uint8_t K) { return K != 0; }))
    return "";
  return describe(*U, !Pointer, UnitSize, charactersOf(Element).Prefix) +
         (!Pointer && Type.GetByteSize() > MostArray ? "..." : "");
}

ValueObjectSP rw::zeroValue(SBTarget Target, const char *Name, SBType Type) {
  std::vector<uint8_t> Bytes(Type.GetByteSize());
  SBError Error;
  SBData Data;
  Data.SetDataWithOwnership(Error, Bytes.data(), Bytes.size(),
                            Target.GetByteOrder(),
                            uint8_t(Target.GetAddressByteSize()));
  return objectOf(Target.CreateValueFromData(Name, Data, Type));
}

ValueObjectSP rw::arrayValue(SBTarget Target, uint64_t Size) {
  if (!privateLLDB())
    return nullptr;
  return zeroValue(Target, "watched",
                   Target.GetBasicType(eBasicTypeChar).GetArrayType(Size));
}

ValueObjectSP rw::objectOf(SBValue Value) {
  return (Value.*memberOf(ImplOfValue()))();
}

std::string rw::describeKnown(llvm::ArrayRef<uint8_t> Value,
                              llvm::ArrayRef<uint8_t> Known) {
  Units U;
  U.Value.assign(Value.begin(), Value.end());
  U.Known = Known.vec();
  return ::describe(U, true);
}

/// A value that LLDB could not read, and keeps: what a watchpoint's was.
static bool couldNotRead(SBValue Value) {
  SBError E = Value.GetError();
  return E.GetCString() &&
         llvm::StringRef(E.GetCString()).contains("read memory");
}

static bool summarize(SBValue Value, SBTypeSummaryOptions Options,
                      SBStream &Out) {
  std::string Text;
  auto Trace = traceOf(Value.GetTarget());
  if (auto State = Trace ? Trace->debuggerState() : nullptr)
    if (auto Watched = State->watchedText(Value))
      Text = std::move(*Watched);
  if (Text.empty() && couldNotRead(Value))
    Text = UnknownText;
  if (Trace && Text.empty()) {
    llvm::Error E = guarded([&]() -> llvm::Error {
      auto Found = unknownString(*Trace, Value);
      if (!Found)
        return Found.takeError();
      Text = std::move(*Found);
      return llvm::Error::success();
    });
    if (E)
      Text = "<" + llvm::toString(std::move(E)) + ">";
  }
  if (Text.empty()) {
    ValueObjectSP V = objectOf(Value);
    SBType Type = Value.GetType();
    const Characters &C = charactersOf(elementOf(Type));
    const auto &Its =
        Type.GetCanonicalType().IsArrayType() ? C.Array : C.Pointer;
    if (!V || !Its ||
        !Its->FormatObject(V.get(), Text,
                           (Options.*memberOf(ImplOfOptions()))()))
      return false;
  }
  Out.Print(Text.c_str());
  return true;
}

/// Where LLDB's summary \p S of what \p Name stands for belongs; null if it is
/// not of strings.
static std::shared_ptr<TypeSummaryImpl> *placeFor(SBTypeSummary S,
                                                  llvm::StringRef Name) {
  const llvm::StringRef Format =
      S.IsSummaryString() && S.GetData() ? S.GetData() : "";
  llvm::MutableArrayRef<Characters> All = allCharacters();
  if (Format == "${var%s}")
    return &All.front().Pointer;
  if (Format == "${var%char[]}")
    return &All.front().Array;
  for (Characters &C : All.drop_front()) {
    llvm::StringRef Rest = Name;
    if (!Rest.consume_front(C.Name))
      continue;
    if (Rest == " *")
      return &C.Pointer;
    if (Rest.starts_with(" ?\\["))
      return &C.Array;
  }
  return nullptr;
}

void rw::showUnknownStrings(SBDebugger Debugger) {
  if (!privateLLDB() || allCharacters().front().Pointer)
    return;
  SBTypeCategory Ours = Debugger.CreateCategory("rewind");
  // LLDB makes the category of a language when it is asked for.
  for (SBTypeCategory From : {Debugger.GetCategory("system"),
                              Debugger.GetCategory(eLanguageTypeC_plus_plus)})
    for (uint32_t I = 0; I < From.GetNumSummaries(); ++I) {
      SBTypeSummary S = From.GetSummaryAtIndex(I);
      SBTypeNameSpecifier Name = From.GetTypeNameSpecifierForSummaryAtIndex(I);
      auto *Place = placeFor(S, Name.GetName() ? Name.GetName() : "");
      if (!Place)
        continue;
      *Place = (S.*memberOf(ImplOfSummary()))();
      Ours.AddTypeSummary(Name, SBTypeSummary::CreateWithCallback(
                                    summarize, S.GetOptions(),
                                    "strings, and what is unknown of them"));
    }
  Ours.SetEnabled(true);
}
