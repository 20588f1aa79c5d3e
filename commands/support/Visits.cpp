//===- Visits.cpp - Places of the code and when they were reached ---------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/Visits.h"
#include "commands/support/Format.h"
#include "commands/support/Options.h"
#include "core/arch/InstructionClass.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace rw {

/// Whether what is at \p Addr decides where the program goes on.
static Expected<bool> decides(Session &S, uint64_t Addr) {
  auto M = S.Store.visitAtOrAfter(Addr, 0);
  if (!M || !*M)
    return M ? Expected<bool>(false) : M.takeError();
  auto I = S.Store.instruction(**M);
  if (!I)
    return I.takeError();
  const InsnItem &Insn = I->Insn;
  const InsnClass Class = Insn.Isa == ISA::X86_64
                              ? classifyX86(instructionBytes(S, Insn))
                              : classify(Insn.Isa, Insn.Opcode);
  return Class == InsnClass::CondBranch;
}

static Error addCopies(Session &S, StringRef Function, CodePlace &To) {
  for (InlinedCopy C : S.Symbols->inlinedCopies(Function)) {
    if (C.Code) {
      auto Decides = decides(S, C.Start);
      if (!Decides)
        return Decides.takeError();
      if (*Decides)
        C.Start = *C.Code;
    }
    To.Addresses.push_back(C.Start);
    To.Depths.push_back(C.Depth);
  }
  return Error::success();
}

/// How many inlined calls deep the function is that \p Line is in: code of
/// another, which is called there, may begin at \p Addr, too. The innermost one
/// if nothing tells.
static unsigned depthOfLine(SymbolSource &Symbols, uint64_t Addr,
                            unsigned Line) {
  const auto Sym = Symbols.symbolizeCode(Addr);
  if (!Sym || Sym->Frames.empty())
    return 0;
  const auto &Frames = Sym->Frames; // the innermost one first
  const size_t Size = Frames.size();
  // A call of a function in itself has the line twice.
  for (size_t N = Frames[0].Line == Line ? Size : 1; N < Size; ++N)
    if (Frames[N].Line == Line)
      return unsigned(Size - 1 - N);
  size_t Best = 0;
  unsigned Declared = 0; // of the functions that begin before, the last one
  for (size_t N = 0; N < Size; ++N)
    if (Frames[N].Declared > Declared && Frames[N].Declared <= Line &&
        Frames[N].File == Frames[0].File) {
      Best = N;
      Declared = Frames[N].Declared;
    }
  return unsigned(Size - 1 - Best);
}

/// Leaves what can be executed of \p Found. An Error if that is nothing.
static Error dropData(Session &S, StringRef Name,
                      std::vector<DataSymbol> &Found) {
  const std::vector<CodeMapping> Code = S.Symbols->codeMappings();
  const bool Any = !Found.empty();
  if (!Code.empty())
    erase_if(Found, [&](const DataSymbol &D) {
      return none_of(Code, [&](const CodeMapping &M) {
        return M.Start <= D.Start && D.Start < M.End;
      });
    });
  if (Any && Found.empty())
    return userError("'" + Name + "' is data, not code: 'history " + Name +
                     "' lists its writes");
  return Error::success();
}

Expected<CodePlace> parseCodePlace(Session &S, const Place &At, StringRef Text,
                                   bool Entry, bool Copies) {
  CodePlace P;
  Text = Text.trim();
  P.Text = Text.str();
  if (Text.empty())
    return usageError(
        "a place is missing: an address, a function or file:line");
  auto [File, LineText] = Text.rsplit(':');
  unsigned Line;
  if (Text.contains(':') && !File.ends_with(":") &&
      !LineText.getAsInteger(10, Line)) {
    if (!S.Symbols)
      return userError("there is no image to look up '" + Text +
                       "' in (--image)");
    auto Found = S.Symbols->findLine(File, Line);
    if (!Found)
      return Found.takeError();
    P.Addresses = std::move(*Found);
    // The line that opens a function is meant behind its prologue, as the
    // function is: before, its variables are not yet where they are told to be.
    for (uint64_t &Addr : P.Addresses)
      if (auto Sym = S.Symbols->symbolizeCode(Addr); Sym && Sym->Start == Addr)
        Addr = Entry ? S.Symbols->localEntry(Addr)
                     : S.Symbols->behindPrologue(Addr);
    for (const uint64_t Addr : P.Addresses)
      P.Depths.push_back(depthOfLine(*S.Symbols, Addr, Line));
    return P;
  }
  if (S.Symbols && !isDigit(Text[0])) {
    std::vector<DataSymbol> Found = S.Symbols->findSymbol(Text);
    // "end()" says that no position is meant, also where C has no brackets.
    if (StringRef Name = Text; Found.empty() && Name.consume_back("()"))
      Found = S.Symbols->findSymbol(Name);
    if (Error E = dropData(S, Text, Found))
      return E;
    for (const DataSymbol &D : Found)
      P.Addresses.push_back(Entry ? S.Symbols->localEntry(D.Start)
                                  : S.Symbols->behindPrologue(D.Start));
    P.Depths.resize(P.Addresses.size());
    if (Copies)
      if (Error E = addCopies(S, Text, P))
        return E;
  }
  if (!P.Addresses.empty())
    return P;
  auto Addr = parseAddress(S, At, Text);
  if (!Addr)
    return Addr.takeError();
  // A pointer to Thumb code has its lowest bit set.
  const bool Thumb = S.Store.header().Architecture == Arch::Arm && *Addr & 1;
  P.Addresses.push_back(Thumb ? *Addr - 1 : *Addr);
  return P;
}

std::optional<unsigned> CodePlace::depthAt(uint64_t Addr) const {
  const auto It = find(Addresses, Addr);
  const size_t N = size_t(It - Addresses.begin());
  return N < Depths.size() ? std::optional(Depths[N]) : std::nullopt;
}

Expected<std::optional<Moment>> lastVisit(const TraceStore &Store,
                                          const CodePlace &P, Moment Before,
                                          std::optional<ThreadIndex> T) {
  std::optional<Moment> Best;
  for (uint64_t Addr : P.Addresses) {
    auto M = Store.lastVisit(Addr, Before, T);
    if (!M)
      return M.takeError();
    if (*M && (!Best || **M > *Best))
      Best = **M;
  }
  return Best;
}

Expected<std::optional<Moment>> visitFrom(const TraceStore &Store,
                                          const CodePlace &P, Moment From,
                                          std::optional<ThreadIndex> T) {
  std::optional<Moment> Best;
  for (uint64_t Addr : P.Addresses) {
    auto M = Store.visitAtOrAfter(Addr, From, T);
    if (!M)
      return M.takeError();
    if (*M && (!Best || **M < *Best))
      Best = **M;
  }
  return Best;
}

VisitSearch::VisitSearch(const TraceStore &Store, const CodePlace &P,
                         std::optional<ThreadIndex> T)
    : Addresses(P.Addresses) {
  for (uint64_t Addr : Addresses)
    Searches.push_back(SearchCursor::visits(Store, Addr, T));
}

Expected<std::optional<Moment>> VisitSearch::from(Moment From) {
  return firstOf(Searches, From, &Found);
}

} // namespace rw
