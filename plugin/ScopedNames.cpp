//===- ScopedNames.cpp - What names of variables mean in a frame ----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/ScopedNames.h"
#include "commands/support/Format.h"
#include "lldb/API/LLDB.h"
#include "plugin/FoldedExpression.h"
#include "plugin/LoadedTrace.h"
#include "plugin/Navigation.h"
#include "plugin/UnknownVariables.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace rw;
using namespace lldb;
using llvm::StringRef;

std::vector<ScopedNames::Meant> ScopedNames::candidates(SBFrame Frame,
                                                        StringRef Name) {
  constexpr uint32_t Most = 256;
  std::vector<Meant> All;
  SBTarget Target = Frame.GetThread().GetProcess().GetTarget();
  const std::string Last = Name.substr(Name.rfind(':') + 1).str();
  SBValueList Found = Target.FindGlobalVariables(Last.c_str(), Most);
  for (uint32_t I = 0; I < Found.GetSize(); ++I) {
    SBValue V = Found.GetValueAtIndex(I);
    V.SetPreferDynamicValue(eNoDynamicValues);
    V.SetPreferSyntheticValue(false);
    // LLDB tells no address of what it could not read where it stands.
    uint64_t Addr = V.GetLoadAddress();
    if (Addr == LLDB_INVALID_ADDRESS)
      Addr = unreadAt(V).value_or(LLDB_INVALID_ADDRESS);
    if (Addr != LLDB_INVALID_ADDRESS &&
        llvm::none_of(All, [&](const Meant &Its) { return Its.Addr == Addr; }))
      All.push_back({V, Addr});
  }
  return All;
}

static bool isOfC(SBFrame Frame) {
  SBCompileUnit Unit = Frame.GetCompileUnit();
  if (!Unit.IsValid())
    return false;
  const auto Language = llvm::dwarf::SourceLanguage(Unit.GetLanguage());
  return llvm::dwarf::isC(Language) || llvm::dwarf::isCPlusPlus(Language);
}

/// How many calls deep in its function \p Frame is inlined.
static unsigned inlinedDepth(SBFrame Frame) {
  unsigned Depth = 0;
  for (SBBlock B = Frame.GetBlock().GetContainingInlinedBlock(); B.IsValid();
       B = B.GetParent().GetContainingInlinedBlock())
    ++Depth;
  return Depth;
}

/// A place in the code of \p Frame: a return address may be that of other code.
static uint64_t placeOf(SBFrame Frame) {
  const uint64_t PC = Frame.GetPC();
  SBThread Thread = Frame.GetThread();
  for (uint32_t I = Frame.GetFrameID(); I-- > 0;)
    if (!Thread.GetFrameAtIndex(I).IsInlined())
      return PC - 1;
  return PC;
}

ImageLvalues &ScopedNames::lvalues(SBTarget Target) {
  if (auto Now = loadedImages(Target); !Lvalues || Now != Images) {
    Images = std::move(Now);
    Lvalues =
        std::make_unique<ImageLvalues>(Target, Trace.store(), Modules, Memory);
  }
  return *Lvalues;
}

llvm::Expected<std::optional<uint64_t>> ScopedNames::addressOf(SBFrame Frame,
                                                               StringRef Name) {
  SBTarget Target = Frame.GetThread().GetProcess().GetTarget();
  std::lock_guard<std::mutex> Lock(Mutex);
  return lvalues(Target).fixedVariable(Name, placeOf(Frame),
                                       inlinedDepth(Frame));
}

std::optional<std::string>
ScopedNames::askImages(SBFrame Frame, StringRef Operand, ImageQuestion Ask) {
  if (!isOfC(Frame) || !meansAsInnermost(Frame, Operand))
    return std::nullopt;
  const Place Here = placeOfThread(Frame.GetThread(), Trace);
  std::lock_guard<std::mutex> Lock(Mutex);
  return (lvalues(Frame.GetThread().GetProcess().GetTarget()).*Ask)(Operand,
                                                                    Here);
}

std::optional<std::string> ScopedNames::constant(SBFrame Frame,
                                                 StringRef Operand) {
  return askImages(Frame, Operand, &ImageLvalues::constant);
}

std::optional<std::string> ScopedNames::whyUnknown(SBFrame Frame,
                                                   StringRef Operand) {
  return askImages(Frame, Operand, &ImageLvalues::whyUnknown);
}

llvm::Expected<std::optional<ScopedNames::Meant>>
ScopedNames::find(SBFrame Frame, StringRef Name) {
  if (Name.empty() || endOfName(Name, 0) != Name.size() || !isOfC(Frame) ||
      Frame.FindVariable(Name.str().c_str()).IsValid())
    return std::nullopt;
  const auto All = candidates(Frame, Name);
  // LLDB takes a local one for "::x", too.
  const bool Hidden =
      Name.starts_with("::") &&
      Frame.FindVariable(Name.drop_front(2).str().c_str()).IsValid();
  if (All.size() < (Hidden ? 1 : 2))
    return std::nullopt;
  auto Addr = addressOf(Frame, Name);
  if (!Addr)
    return Addr.takeError();
  if (!*Addr)
    return std::nullopt;
  for (const Meant &M : All)
    if (M.Addr == **Addr)
      return M;
  return llvm::createStringError("'" + Name + "' means the variable at " +
                                 hex(**Addr) +
                                 " here, which LLDB does not know");
}

/// The variable \p V at \p Addr as an expression that names no variable; none
/// if its type has no name to write.
static std::optional<std::string> placedAt(SBValue V, uint64_t Addr) {
  const char *Its = V.GetTypeName();
  const StringRef Type = Its ? Its : "";
  if (Type.empty() || V.GetType().IsReferenceType() ||
      Type.contains("(anonymous ") || Type.contains("(unnamed ") ||
      Type.contains("(lambda"))
    return std::nullopt;
  return "(*" + integerConstant("__typeof__(" + Type.str() + ")*", Addr) + ")";
}

/// The name that the variable path \p Path begins with; empty if it is none.
static StringRef headOf(StringRef Path) {
  const StringRef Head = Path.take_front(endOfName(Path, 0)),
                  Rest = Path.drop_front(Head.size());
  return Rest.empty() || Rest.starts_with(".") || Rest.starts_with("->") ||
                 Rest.starts_with("[")
             ? Head
             : "";
}

llvm::Expected<SBValue> ScopedNames::path(SBFrame Frame, StringRef Path) {
  Path = Path.trim();
  const StringRef Head = headOf(Path), Rest = Path.drop_front(Head.size());
  auto M = find(Frame, Head);
  if (!M)
    return M.takeError();
  if (!*M || Rest.empty())
    return *M ? (*M)->Variable : SBValue();
  SBValue Part =
      hasNumberIndexes(Rest) && indexesChildren((*M)->Variable, Rest)
          ? (*M)->Variable.GetValueForExpressionPath(Rest.str().c_str())
          : SBValue();
  return isGood(Part) ? Part : SBValue();
}

llvm::Expected<std::string> ScopedNames::text(SBFrame Frame, StringRef Text) {
  std::string Out;
  size_t Done = 0;
  for (size_t I = nextOperand(Text, 0); I < Text.size();
       I = nextOperand(Text, I)) {
    const size_t End = std::max(endOfName(Text, I), I + 1);
    const StringRef Name = Text.slice(I, End);
    auto M = find(Frame, Name);
    if (!M)
      return M.takeError();
    if (*M) {
      auto Placed = placedAt((*M)->Variable, (*M)->Addr);
      if (!Placed)
        return llvm::createStringError(
            "'" + Name + "' means the variable at " + hex((*M)->Addr) +
            " here, which LLDB takes for another one in expressions: its type "
            "has no name that could be written");
      Out += Text.slice(Done, I).str() + *Placed;
      Done = End;
    }
    I = End;
  }
  return Out + Text.substr(Done).str();
}
