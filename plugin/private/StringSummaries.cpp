//===- StringSummaries.cpp - Strings of which bytes are unknown -----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/private/StringSummaries.h"
#include "commands/support/Format.h"
#include "core/support/Guarded.h"
#include "lldb/API/LLDB.h"
#include "lldb/Breakpoint/Watchpoint.h"
#include "lldb/DataFormatters/TypeSummary.h"
#include "plugin/LoadedTrace.h"
#include "plugin/private/DebuggerState.h"
#include "plugin/private/PrivateLLDB.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

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
struct Bytes {
  std::vector<uint8_t> Value, Known; // of one size
};
} // namespace

namespace {
/// LLDB's own.
struct Summaries {
  std::shared_ptr<TypeSummaryImpl> Pointer, Array;
};
} // namespace

/// Never destroyed: LLDB may ask while static objects are.
static Summaries &theirs() {
  static auto *S = new Summaries;
  return *S;
}

static llvm::Expected<Bytes> readBytes(LoadedTrace &Trace, uint64_t Addr,
                                       uint64_t Size) {
  Bytes B;
  B.Value.resize(Size);
  B.Known.resize(Size);
  if (llvm::Error E = Trace.memory().read(Trace.engine().here().When, Addr,
                                          B.Value, B.Known))
    return E;
  return B;
}

/// The bytes up to the one that ends the text, or to the first unknown one.
static llvm::Expected<Bytes> readText(LoadedTrace &Trace, uint64_t Addr,
                                      uint64_t Most) {
  constexpr uint64_t Part = 64;
  Bytes All;
  while (All.Value.size() < Most) {
    uint64_t From = Addr + All.Value.size();
    uint64_t Size = std::min(Part, Most - All.Value.size());
    if (From + Size < From)
      break;
    auto B = readBytes(Trace, From, Size);
    if (!B)
      return B.takeError();
    for (size_t I = 0; I < Size; ++I) {
      All.Value.push_back(B->Value[I]);
      All.Known.push_back(B->Known[I]);
      if (!B->Known[I] || !B->Value[I])
        return All;
    }
  }
  return All;
}

static std::string quoted(llvm::ArrayRef<uint8_t> Text) {
  std::string Out = "\"";
  for (uint8_t C : Text) {
    constexpr auto Special =
        llvm::StringLiteral::withInnerNUL("\"\\\n\t\r\0\a\b\f\v\x1b");
    constexpr llvm::StringLiteral Letters = "\"\\ntr0abfve";
    size_t At = Special.find(char(C));
    if (At != llvm::StringRef::npos)
      Out += {'\\', Letters[At]};
    else if (llvm::isPrint(char(C)))
      Out += char(C);
    else
      Out += llvm::formatv("\\x{0:x-2}", C);
  }
  return Out + '"';
}

/// "<2 unknown> "qr" <12 unknown>".
static std::string describe(const Bytes &B, bool ToEnd) {
  constexpr unsigned MostRuns = 8;
  std::string Out;
  unsigned Runs = 0;
  for (size_t I = 0, End; I < B.Value.size(); I = End, ++Runs) {
    for (End = I; End < B.Value.size() && B.Known[End] == B.Known[I];)
      ++End;
    if (Runs)
      Out += ' ';
    if (Runs == MostRuns)
      return Out + "...";
    if (B.Known[I])
      Out += quoted(llvm::ArrayRef(B.Value).slice(I, End - I));
    else if (ToEnd && (I || End != B.Value.size()))
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
  auto B =
      Pointer ? readText(Trace, Addr, MostText)
              : readBytes(Trace, Addr, std::min(Type.GetByteSize(), MostArray));
  if (!B)
    return B.takeError();
  if (Pointer && B->Known.size() == 1 && !B->Known[0])
    return whyUnknown(Trace, Addr);
  // LLDB shows only the beginning of a longer string.
  if (llvm::all_of(B->Known, [](uint8_t K) { return K != 0; }))
    return "";
  return describe(*B, !Pointer) +
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
  if (!otherLLDB().empty())
    return nullptr;
  return zeroValue(Target, "watched",
                   Target.GetBasicType(eBasicTypeChar).GetArrayType(Size));
}

ValueObjectSP rw::objectOf(SBValue Value) {
  return (Value.*memberOf(ImplOfValue()))();
}

std::string rw::describeKnown(llvm::ArrayRef<uint8_t> Value,
                              llvm::ArrayRef<uint8_t> Known) {
  Bytes B;
  B.Value = Value.vec();
  B.Known = Known.vec();
  return ::describe(B, true);
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
    const auto &Its = Value.GetType().GetCanonicalType().IsArrayType()
                          ? theirs().Array
                          : theirs().Pointer;
    if (!V || !Its ||
        !Its->FormatObject(V.get(), Text,
                           (Options.*memberOf(ImplOfOptions()))()))
      return false;
  }
  Out.Print(Text.c_str());
  return true;
}

void rw::showUnknownStrings(SBDebugger Debugger) {
  Summaries &Their = theirs();
  if (!otherLLDB().empty() || Their.Pointer)
    return;
  SBTypeCategory System = Debugger.GetCategory("system"),
                 Ours = Debugger.CreateCategory("rewind");
  for (uint32_t I = 0; I < System.GetNumSummaries(); ++I) {
    SBTypeSummary S = System.GetSummaryAtIndex(I);
    const llvm::StringRef Format =
        S.IsSummaryString() && S.GetData() ? S.GetData() : "";
    auto *Place = Format == "${var%s}"        ? &Their.Pointer
                  : Format == "${var%char[]}" ? &Their.Array
                                              : nullptr;
    if (!Place)
      continue;
    *Place = (S.*memberOf(ImplOfSummary()))();
    Ours.AddTypeSummary(System.GetTypeNameSpecifierForSummaryAtIndex(I),
                        SBTypeSummary::CreateWithCallback(
                            summarize, S.GetOptions(),
                            "C strings, and what is unknown of them"));
  }
  Ours.SetEnabled(true);
}
