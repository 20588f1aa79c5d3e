//===- FindCall.cpp - Calls of a function, each once ----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/calls/CallSupport.h"
#include "commands/questions/FindTarget.h"
#include "commands/support/Options.h"
#include "core/calls/CallIndex.h"
#include "core/calls/CallSweep.h"
#include "core/calls/SiteReader.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace rw {

static bool isJumpedTo(const CallIndex &Calls, const CodePlace &Entries) {
  return any_of(Entries.Addresses, [&](uint64_t Entry) {
    return std::binary_search(Calls.jumpTargets().begin(),
                              Calls.jumpTargets().end(), Entry);
  });
}

/// Whether any call begins at \p Entries. Stops at the first; false if the user
/// stops it, as will be seen again by whoever asks then.
static Expected<bool> isCalled(const Session &S, const CallIndex &Calls,
                               const CodePlace &Entries) {
  for (Moment M = 0;; ++M) {
    if (S.cancelled())
      return false;
    auto V = visitFrom(S.Store, Entries, M, std::nullopt);
    if (!V)
      return V.takeError();
    if (!*V)
      return false;
    M = **V;
    auto At = S.Store.positionAt(M);
    if (!At)
      return At.takeError();
    auto A = Calls.enclosing(At->first, At->second);
    if (!A)
      return A.takeError();
    if (*A && (*A)->Start == At->second)
      return true;
  }
}

namespace {

/// A call is told where it first comes to the place behind the function's
/// prologue: a loop may begin there. One that does not come there (what is in
/// the line that opens the function may return or throw) is told behind the
/// first row of the function's lines, and else where it begins.
class CallTarget final : public FindTarget {
public:
  /// \p Functions: functions begin at \p Entries, as far as is known. \p
  /// Places: these three, or fewer, the one that is preferred first.
  CallTarget(Session &S, CodePlace Entries, bool Functions,
             std::vector<CodePlace> Places,
             std::unique_ptr<CallsOfSession> OfSession, ThreadFilter T)
      : S(S), Entries(std::move(Entries)), Functions(Functions),
        Places(std::move(Places)), OfSession(std::move(OfSession)),
        Query(this->OfSession->query()), T(T),
        JumpedTo(isJumpedTo(Query.Index, this->Entries)) {
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
  /// Where \p A makes tail calls of the function, ascending: where it comes to
  /// that from another one without calling it.
  Expected<ArrayRef<Position>> tailCalls(const Activation &A) {
    if (!JumpedTo)
      return ArrayRef<Position>();
    constexpr size_t Kept = 1024;
    if (Tails.size() == Kept)
      Tails.clear();
    auto [It, New] = Tails.try_emplace({A.Thread, A.Number});
    if (!New)
      return It->second;
    std::optional<SiteReader> Sites; // dear, and most make none
    Activation Behind = A;           // it began by a call
    ++Behind.Start;
    Error E =
        eachOwn(Entries, Behind, [&](Moment, Position P) -> Expected<bool> {
          if (!Sites)
            Sites.emplace(S.Store, A.Thread);
          auto At = Sites->at(P);
          if (!At)
            return At.takeError();
          if (Query.Names.at(At->PC).Name.empty())
            return true; // perhaps the function itself
          auto Caller = tailCallIn(Query, A.Thread, *Sites, At->PC, P);
          if (!Caller)
            return Caller.takeError();
          if (*Caller == A.Number)
            It->second.push_back(P);
          return true;
        });
    if (E) {
      Tails.erase(It);
      return E;
    }
    return It->second;
  }

  /// The call that runs at \p P; none if it is of another function. A tail call
  /// is the part of its caller's activation up to the next one.
  Expected<std::optional<Activation>> callAt(ThreadIndex Thread, Position P) {
    auto A = Query.Index.enclosing(Thread, P);
    if (!A || !*A)
      return A;
    auto Tail = tailCalls(**A);
    if (!Tail)
      return Tail.takeError();
    const Position *Next = llvm::upper_bound(*Tail, P);
    const bool Called = is_contained(Entries.Addresses, (*A)->EntryPC);
    if (Next == Tail->begin() && !Called)
      return std::nullopt;
    if (Next != Tail->begin())
      (*A)->Start = Next[-1];
    if (Next != Tail->end())
      (*A)->End = *Next;
    return A;
  }

  /// Calls \p F with each place where \p A itself comes to \p Place, until it
  /// returns false.
  Error eachOwn(const CodePlace &Place, const Activation &A,
                function_ref<Expected<bool>(Moment, Position)> F) {
    for (Position P = A.Start; P < A.End;) {
      auto From = S.Store.momentOf(A.Thread, P);
      if (!From)
        return From.takeError();
      auto V = visitFrom(S.Store, Place, *From, A.Thread);
      if (!V)
        return V.takeError();
      if (!*V)
        break;
      auto Its = S.Store.positionOf(A.Thread, **V);
      if (!Its)
        return Its.takeError();
      if (*Its >= A.End)
        break;
      auto Called = Query.Index.calledAt(A, *Its);
      if (!Called)
        return Called.takeError();
      P = *Called ? (*Called)->End : *Its + 1;
      if (*Called)
        continue;
      auto More = F(**V, *Its);
      if (!More)
        return More.takeError();
      if (!*More)
        break;
    }
    return Error::success();
  }

  /// Where \p A itself first comes to \p Place.
  Answer firstOwn(const CodePlace &Place, const Activation &A) {
    std::optional<Moment> First;
    if (Error E = eachOwn(Place, A, [&](Moment M, Position) {
          First = M;
          return false;
        }))
      return E;
    return First;
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
    // Where no call of a function was recognised, each visit is told.
    if (!*A)
      return Functions && Level == 0;
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
  const bool Functions;    ///< functions begin there
  const std::vector<CodePlace> Places;
  const std::unique_ptr<CallsOfSession> OfSession;
  const CallQuery Query;
  const ThreadFilter T;
  const bool JumpedTo; ///< there may be tail calls
  std::map<std::pair<ThreadIndex, uint64_t>, std::vector<Position>> Tails;
  std::vector<std::unique_ptr<VisitSearch>> Forward; ///< one per place
  /// Where the last call that was told begins, and which of Places it came to.
  std::pair<ThreadIndex, Position> LastTold = {0, ~Position(0)};
  size_t ToldAt = 0;
};

} // namespace

/// Has \p Bodies be where all calls come to, if they are where functions begin,
/// \p Entries both of what calls may come to, and \p Rows what is behind the
/// first rows of their lines. An Error: \p Text is in the middle of a function.
/// False: an address is where nothing says that a function begins.
static Expected<bool> meetFunctions(SymbolSource &Symbols, StringRef Text,
                                    CodePlace &Entries, CodePlace &Bodies,
                                    CodePlace &Rows) {
  for (uint64_t &Addr : Bodies.Addresses)
    Addr = Symbols.localEntry(Addr);
  const size_t End = Entries.Addresses.size();
  size_t Named = 0;
  for (size_t I = 0; I < End; ++I) {
    const uint64_t Addr = Entries.Addresses[I];
    auto Sym = Symbols.symbolizeCode(Addr);
    if (!Sym)
      continue;
    const uint64_t Local = Symbols.localEntry(Sym->Start);
    if (Addr != Sym->Start && Addr != Local) {
      const auto Covers = Symbols.symbolizeData(Addr);
      if (isDigit(Text.trim().front()) &&
          (!Covers || Addr >= Covers->Start + Covers->Size))
        continue;
      return userError("'" + Text + "' is in " + Sym->Function +
                       ", not where that begins: 'find " + Text +
                       "' finds visits, 'find call " + Sym->Function +
                       "' calls");
    }
    ++Named;
    Rows.Addresses.push_back(Symbols.behindFirstRow(Sym->Start));
    Rows.Depths.push_back(0);
    if (Local != Sym->Start)
      Entries.Addresses.push_back(Addr == Local ? Sym->Start : Local);
  }
  return Named == End;
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
  auto Calls = CallsOfSession::open(S, /*Ttu=*/false);
  if (!Calls)
    return Calls.takeError();
  // At their first instruction the arguments are as the caller gave them, what
  // the line that opens the function does with them comes behind it.
  Entry |= S.Symbols && all_of(Entries->Addresses, [&](uint64_t Addr) {
             return S.Symbols->knowsArgumentsAtEntry(Addr);
           });
  auto Bodies = Entry ? Expected<CodePlace>(*Entries)
                      : parseCodePlace(S, At, Function, /*Entry=*/false,
                                       /*Copies=*/false);
  if (!Bodies)
    return Bodies.takeError();
  const CodePlace Begin = *Entries;
  CodePlace Rows;
  bool Functions = false;
  if (S.Symbols) {
    auto Met = meetFunctions(*S.Symbols, Function, *Entries, *Bodies, Rows);
    if (!Met)
      return Met.takeError();
    Functions = *Met;
  }
  if (!Functions) {
    auto Called = isCalled(S, (*Calls)->index(), *Entries);
    if (!Called)
      return Called.takeError();
    Functions = *Called;
    if (Functions && isJumpedTo((*Calls)->index(), *Entries))
      S.warn("no symbol says where the function at " + Function.str() +
             " ends: jumps to its beginning count as loops in a call of it, "
             "and else as calls");
  }
  std::vector<CodePlace> Places;
  for (const CodePlace *P : {static_cast<const CodePlace *>(&*Bodies),
                             static_cast<const CodePlace *>(&Rows), &Begin})
    // All calls come to their entry: nothing else is needed beside it.
    if (!P->Addresses.empty() && !(Entry && !Places.empty()) &&
        none_of(Places, [&](const CodePlace &Have) {
          return Have.Addresses == P->Addresses;
        }))
      Places.push_back(*P);
  return std::make_unique<CallTarget>(S, std::move(*Entries), Functions,
                                      std::move(Places), std::move(*Calls), T);
}

} // namespace rw
