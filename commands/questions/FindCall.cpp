//===- FindCall.cpp - Calls of a function, each once ----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/questions/FindTarget.h"
#include "commands/support/Options.h"
#include "core/calls/CallIndex.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace rw {

namespace {

/// A call is told where it first comes to the place behind the function's
/// prologue: a loop may begin there. One that does not come there (what is in
/// the line that opens the function may return or throw) is told behind the
/// first row of the function's lines, and else where it begins.
class CallTarget final : public FindTarget {
public:
  /// \p Places: these three, or fewer, the one that is preferred first.
  CallTarget(Session &S, CodePlace Entries, std::vector<CodePlace> Places,
             std::unique_ptr<CallIndex> Calls, ThreadFilter T)
      : S(S), Entries(std::move(Entries)), Places(std::move(Places)),
        Calls(std::move(Calls)), T(T) {
    for (const CodePlace &P : this->Places)
      Forward.push_back(std::make_unique<VisitSearch>(S.Store, P, T));
  }

  Answer last(Moment Before) override {
    std::optional<Moment> Best;
    for (size_t Level = 0; Level < Places.size(); ++Level) {
      auto M = lastWanted(
          S, Before,
          [&](Moment M) -> Answer {
            auto V = lastVisit(S.Store, Places[Level], M, T);
            if (V && *V && Best && **V < *Best)
              return std::nullopt;
            return V;
          },
          [&](Moment M) { return isTold(Level, M, M); });
      if (!M || Cut)
        return M;
      if (*M && (!Best || **M > *Best))
        Best = **M;
    }
    return Best;
  }

  Answer from(Moment First) override {
    std::optional<Moment> Best;
    Moment Since = First;
    for (size_t Level = 0; Level < Places.size(); ++Level) {
      auto M = firstWanted(
          S, First,
          [&](Moment M) -> Answer {
            Since = M;
            auto V = Forward[Level]->from(M);
            if (V && *V && Best && **V > *Best)
              return std::nullopt;
            return V;
          },
          [&](Moment M) { return isTold(Level, M, Since); });
      if (!M || Cut)
        return M;
      if (*M && (!Best || **M < *Best))
        Best = **M;
    }
    return Best;
  }

  std::optional<unsigned> depthAt(uint64_t PC) const override {
    for (const CodePlace &P : Places)
      if (auto Depth = P.depthAt(PC))
        return Depth;
    return std::nullopt;
  }
  size_t numPlaces() const override { return Places.front().Addresses.size(); }

  Expected<std::string> remark(Moment M, uint64_t,
                               json::Object &Json) override {
    if (Places.size() == 1)
      return std::string();
    auto I = S.Store.instruction(M);
    if (!I)
      return I.takeError();
    if (is_contained(Places.front().Addresses, I->Insn.PC))
      return std::string();
    Json["reaches_body"] = false;
    return std::string("(does not come to its body)");
  }

private:
  /// The call that runs at \p P; none if it is of another function. One that
  /// began by a jump has its activation from there on.
  Expected<std::optional<Activation>> callAt(ThreadIndex Thread, Position P) {
    auto A = Calls->enclosing(Thread, P);
    if (!A || !*A || is_contained(Entries.Addresses, (*A)->EntryPC))
      return A;
    for (Position Before = P + 1; Before > (*A)->Start;) {
      auto M = S.Store.momentOf(Thread, Before - 1);
      if (!M)
        return M.takeError();
      auto V = lastVisit(S.Store, Entries, *M + 1, Thread);
      if (!V)
        return V.takeError();
      if (!*V)
        break;
      auto Its = S.Store.positionOf(Thread, **V);
      if (!Its)
        return Its.takeError();
      if (*Its < (*A)->Start)
        break;
      auto Called = Calls->calledAt(**A, *Its);
      if (!Called)
        return Called.takeError();
      if (!*Called) {
        (*A)->Start = *Its;
        return A;
      }
      Before = (*Called)->Start;
    }
    return std::nullopt;
  }

  /// Where \p A itself first comes to \p Place.
  Answer firstOwn(const CodePlace &Place, const Activation &A) {
    for (Position P = A.Start; P < A.End;) {
      auto From = S.Store.momentOf(A.Thread, P);
      if (!From)
        return From.takeError();
      auto V = visitFrom(S.Store, Place, *From, A.Thread);
      if (!V || !*V)
        return V;
      auto Its = S.Store.positionOf(A.Thread, **V);
      if (!Its)
        return Its.takeError();
      if (*Its >= A.End)
        break;
      auto Called = Calls->calledAt(A, *Its);
      if (!Called)
        return Called.takeError();
      if (!*Called)
        return V;
      P = (*Called)->End;
    }
    return std::nullopt;
  }

  /// \p M comes to Places[\p Level], as nothing does in [\p Since, M).
  Expected<bool> isTold(size_t Level, Moment M, Moment Since) {
    auto At = S.Store.positionAt(M);
    if (!At)
      return At.takeError();
    // Most come to their body soon, which was found before.
    if (Level > ToldAt && *At == LastTold)
      return false;
    auto A = callAt(At->first, At->second);
    if (!A)
      return A.takeError();
    // Where no call was recognised, each visit is told.
    if (!*A)
      return Level == 0;
    for (size_t Better = 0; Better < Level; ++Better) {
      auto First = firstOwn(Places[Better], **A);
      if (!First || *First)
        return First ? Expected<bool>(false) : First.takeError();
    }
    auto Start = S.Store.momentOf(At->first, (*A)->Start);
    if (!Start)
      return Start.takeError();
    if (*Start < Since) {
      auto First = firstOwn(Places[Level], **A);
      if (!First || *First != M)
        return First ? Expected<bool>(false) : First.takeError();
    }
    LastTold = {At->first, (*A)->Start};
    ToldAt = Level;
    return true;
  }

  Session &S;
  const CodePlace Entries; ///< where calls begin
  const std::vector<CodePlace> Places;
  const std::unique_ptr<CallIndex> Calls;
  const ThreadFilter T;
  std::vector<std::unique_ptr<VisitSearch>> Forward; ///< one per place
  /// Where the last call that was told begins, and which of Places it came to.
  std::pair<ThreadIndex, Position> LastTold = {0, ~Position(0)};
  size_t ToldAt = 0;
};

} // namespace

/// Has \p Bodies be where all calls come to, if they are where functions begin,
/// \p Entries both of what calls may come to, and \p Rows what is behind the
/// first rows of their lines. An Error: \p Text is in the middle of a function.
/// An address may be of one that has no symbol.
static Error meetFunctions(SymbolSource &Symbols, StringRef Text,
                           CodePlace &Entries, CodePlace &Bodies,
                           CodePlace &Rows) {
  for (uint64_t &Addr : Bodies.Addresses)
    Addr = Symbols.localEntry(Addr);
  for (size_t I = 0, End = Entries.Addresses.size(); I < End; ++I) {
    const uint64_t Addr = Entries.Addresses[I];
    auto Sym = Symbols.symbolizeCode(Addr);
    if (!Sym)
      continue;
    const uint64_t Local = Symbols.localEntry(Sym->Start);
    const bool Begins = Addr == Sym->Start || Addr == Local;
    if (!Begins && isDigit(Text.trim().front()))
      continue;
    if (!Begins)
      return userError("'" + Text + "' is in " + Sym->Function +
                       ", not where that begins: 'find " + Text +
                       "' finds visits, 'find call " + Sym->Function +
                       "' calls");
    Rows.Addresses.push_back(Symbols.behindFirstRow(Sym->Start));
    Rows.Depths.push_back(0);
    if (Local != Sym->Start)
      Entries.Addresses.push_back(Addr == Local ? Sym->Start : Local);
  }
  return Error::success();
}

Expected<std::unique_ptr<FindTarget>> findCalls(Session &S, const Place &At,
                                                StringRef Function, bool Entry,
                                                ThreadFilter T) {
  auto Entries =
      parseCodePlace(S, At, Function, /*Entry=*/true, /*Copies=*/false);
  if (!Entries) {
    if (!S.Symbols || S.Symbols->inlinedCopies(Function).empty())
      return Entries.takeError();
    consumeError(Entries.takeError());
    return userError("'" + Function +
                     "' is never called, only inlined: 'find " + Function +
                     "' finds its copies");
  }
  auto Bodies = parseCodePlace(S, At, Function, Entry, /*Copies=*/false);
  if (!Bodies)
    return Bodies.takeError();
  auto Calls = CallIndex::open(S.Store);
  if (!Calls)
    return Calls.takeError();
  if (!*Calls)
    return userError("the index of this trace has no calls");
  const CodePlace Begin = *Entries;
  CodePlace Rows;
  if (S.Symbols)
    if (Error E = meetFunctions(*S.Symbols, Function, *Entries, *Bodies, Rows))
      return E;
  std::vector<CodePlace> Places;
  for (const CodePlace *P : {static_cast<const CodePlace *>(&*Bodies),
                             static_cast<const CodePlace *>(&Rows), &Begin})
    // All calls come to their entry: nothing else is needed beside it.
    if (!P->Addresses.empty() && !(Entry && !Places.empty()) &&
        none_of(Places, [&](const CodePlace &Have) {
          return Have.Addresses == P->Addresses;
        }))
      Places.push_back(*P);
  return std::make_unique<CallTarget>(S, std::move(*Entries), std::move(Places),
                                      std::move(*Calls), T);
}

} // namespace rw
