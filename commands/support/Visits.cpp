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

static bool decides(Session &S, const InsnItem &Insn) {
  const InsnClass Class = Insn.Isa == ISA::X86_64
                              ? classifyX86(instructionBytes(S, Insn))
                              : classify(Insn.Isa, Insn.Opcode);
  return Class == InsnClass::CondBranch;
}

/// Calls \p Sees with the instructions from the first visit of \p Addr on, of
/// its thread and at most \p Most, until it returns false.
static Error eachFrom(Session &S, uint64_t Addr, Moment Most,
                      function_ref<bool(const InsnItem &)> Sees) {
  auto First = S.Store.visitAtOrAfter(Addr, 0);
  if (!First || !*First)
    return First.takeError();
  std::optional<ThreadIndex> T;
  const Moment End = std::min(**First + Most, S.Store.numInstructions());
  for (Moment M = **First; M < End; ++M) {
    auto I = S.Store.instruction(M);
    if (!I)
      return I.takeError();
    if (I->Thread != T.value_or(I->Thread))
      continue;
    T = I->Thread;
    if (!Sees(I->Insn))
      break;
  }
  return Error::success();
}

/// Whether it is decided, where control comes to \p C, whether it goes on to
/// the copy's code: at the first visit.
static Expected<bool> isDecided(Session &S, const InlinedCopy &C) {
  constexpr Moment Most = 64; // of straight code that is another function's
  bool Decided = false;
  if (Error E = eachFrom(S, C.Start, Most, [&](const InsnItem &Insn) {
        const bool Its = any_of(C.Code, [&](const auto &R) {
          return R.first <= Insn.PC && Insn.PC < R.second;
        });
        Decided = !Its && decides(S, Insn);
        return !Its && !Decided;
      }))
    return E;
  return Decided;
}

/// Adds to \p Found the thunks that have the function's code, instead of going
/// on to it.
static Error addThunks(Session &S, std::vector<DataSymbol> &Found) {
  constexpr Moment Most = 8; // of one that adds something and jumps
  std::vector<DataSymbol> More;
  for (const DataSymbol &D : Found)
    for (DataSymbol &Thunk : S.Symbols->thunksTo(D.Start)) {
      bool Jumps = false;
      if (Error E = eachFrom(S, Thunk.Start, Most, [&](const InsnItem &Insn) {
            Jumps = Insn.PC == D.Start;
            return !Jumps;
          }))
        return E;
      if (!Jumps)
        More.push_back(std::move(Thunk));
    }
  for (DataSymbol &D : More)
    if (none_of(Found, [&](const DataSymbol &F) { return F.Start == D.Start; }))
      Found.push_back(std::move(D));
  return Error::success();
}

static Error addCopies(Session &S, StringRef Function, CodePlace &To) {
  size_t Elsewhere = 0; // copies that begin in the code of something else
  for (InlinedCopy C : S.Symbols->inlinedCopies(Function)) {
    if (!C.Code.empty()) {
      auto Decided = isDecided(S, C);
      if (!Decided)
        return Decided.takeError();
      const auto Behind =
          find_if(C.Code, [&](const auto &R) { return R.first >= C.Start; });
      if (*Decided)
        C.Start = (Behind == C.Code.end() ? C.Code.front() : *Behind).first;
      Elsewhere += !*Decided;
    }
    To.Addresses.push_back(C.Start);
    To.Depths.push_back(C.Depth);
  }
  if (Elsewhere)
    S.warn(std::to_string(Elsewhere) +
           (Elsewhere == 1 ? " inlined copy of " : " inlined copies of ") +
           Function.str() +
           (Elsewhere == 1 ? " begins, by its" : " begin, by their") +
           " debug information, where other code is: that may be reached more "
           "often");
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
    if (Error E = addThunks(S, Found))
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
