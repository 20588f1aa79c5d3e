//===- FindTarget.cpp - What one can look for in a trace ------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/questions/FindTarget.h"
#include "commands/support/Format.h"
#include "core/store/TraceStore.h"
#include "core/support/Printable.h"
#include "core/support/SymbolPattern.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace llvm;

namespace rw {

FindTarget::~FindTarget() = default;
Expected<std::string> FindTarget::remark(Moment, uint64_t, json::Object &) {
  return std::string();
}

Expected<TextPattern> TextPattern::create(StringRef Text, bool PlainBrackets) {
  TextPattern P;
  P.Lower = std::make_shared<const std::string>(
      withPlainBrackets(Text.lower(), PlainBrackets));
  auto Glob = GlobPattern::create(*P.Lower);
  if (!Glob)
    return usageError("'" + Text + "': " + toString(Glob.takeError()));
  P.Glob = std::move(*Glob);
  return P;
}

/// \p Behind: how far behind an answer that is not wanted the next question
/// begins.
FindTarget::Answer FindTarget::wantedFrom(const Session &S, Moment At,
                                          Step Next, Filter Wanted,
                                          Moment Behind) {
  Cut.reset();
  constexpr unsigned Often = 1 << 6;
  const Moment All = S.Store.numInstructions();
  for (unsigned Looked = 0; !S.cancelled(); ++Looked) {
    auto M = Next(At);
    if (!M || !*M)
      return M;
    if (Looked % Often == 0 && S.Watch.Progress)
      S.Watch.Progress("looking for visits", Behind ? **M : All - **M, All);
    auto Is = Wanted(**M);
    if (!Is) {
      if (!S.cancelled())
        return Is.takeError();
      consumeError(Is.takeError());
      At = **M + 1 - Behind;
      break;
    }
    if (*Is)
      return M;
    At = **M + Behind;
  }
  Cut = At;
  return std::nullopt;
}

FindTarget::Answer FindTarget::lastWanted(const Session &S, Moment Before,
                                          Step Next, Filter Wanted) {
  return wantedFrom(S, Before, Next, Wanted, 0);
}

FindTarget::Answer FindTarget::firstWanted(const Session &S, Moment First,
                                           Step Next, Filter Wanted) {
  return wantedFrom(S, First, Next, Wanted, 1);
}

std::string NarrowedTarget::leftOut() const {
  std::string Text = Inner->leftOut();
  if (NumUnknown)
    Text += (Text.empty() ? "without " : ", ") + std::to_string(NumUnknown) +
            " " + unknownThing();
  return Text;
}

FindTarget::Answer NarrowedTarget::last(Moment Before) {
  return lastWanted(
      S, Before, [&](Moment M) { return Inner->last(M); },
      [&](Moment M) { return wanted(M); });
}

FindTarget::Answer NarrowedTarget::from(Moment First) {
  return firstWanted(
      S, First, [&](Moment M) { return Inner->from(M); },
      [&](Moment M) { return wanted(M); });
}

FindTarget::Answer InstructionScan::within(Moment From, Moment To, bool Last,
                                           Filter Wanted) {
  constexpr unsigned Often = 1 << 14; // looks for Ctrl-C
  std::optional<Moment> Found;
  Cursor->seek(From);
  for (Moment M = From; M < To; ++M) {
    if (M == From || M % Often == 0) {
      if (S.cancelled()) {
        Cut = Last ? To : M;
        return std::nullopt;
      }
      if (const Moment All = S.Store.numInstructions(); S.Watch.Progress)
        S.Watch.Progress("looking for instructions", Last ? All - M : M, All);
    }
    const Instruction *I = Cursor->next();
    if (!I)
      break;
    auto Is = Wanted(*I);
    if (!Is)
      return Is.takeError();
    if (!*Is)
      continue;
    Found = M;
    if (!Last)
      break;
  }
  if (Error E = Cursor->takeError())
    return E;
  return Found;
}

FindTarget::Answer InstructionScan::from(Moment First, Filter Wanted) {
  Cut.reset();
  return within(First, S.Store.numInstructions(), false, Wanted);
}

FindTarget::Answer InstructionScan::last(Moment Before, Filter Wanted) {
  constexpr uint64_t Least = 1 << 10, Most = 1 << 18;
  Cut.reset();
  for (uint64_t Stretch = Least; Before > 0;
       Stretch = std::min(2 * Stretch, Most)) {
    const Moment From = Before - std::min(Before, Stretch);
    auto M = within(From, Before, true, Wanted);
    if (!M || *M || Cut)
      return M;
    Before = From;
  }
  return std::nullopt;
}

namespace {

class VisitTarget final : public FindTarget {
public:
  VisitTarget(const TraceStore &Store, CodePlace Code, ThreadFilter T)
      : Store(Store), Code(std::move(Code)), T(T),
        Forward(Store, this->Code, T) {}
  Answer last(Moment Before) override {
    return lastVisit(Store, Code, Before, T);
  }
  Answer from(Moment First) override { return Forward.from(First); }
  std::optional<unsigned> depthAt(uint64_t PC) const override {
    return Code.depthAt(PC);
  }
  size_t numPlaces() const override { return Code.Addresses.size(); }

private:
  const TraceStore &Store;
  const CodePlace Code;
  const ThreadFilter T;
  VisitSearch Forward;
};

/// Events are few beside instructions, but those of other kinds lie between.
class EventTarget final : public FindTarget {
public:
  EventTarget(const TraceStore &Store, EventKind Kind,
              std::optional<TextPattern> Like, ThreadFilter T)
      : Store(Store), Kind(Kind), Like(std::move(Like)), T(T) {}

  bool atEnd() const override { return true; }
  Answer last(Moment Before) override {
    auto Index = Before > Store.numInstructions()
                     ? llvm::Expected<uint64_t>(Store.numEvents())
                     : Store.firstEventFrom(Before);
    if (!Index)
      return Index.takeError();
    for (uint64_t I = *Index; I-- > 0;) {
      auto E = Store.event(I);
      if (!E)
        return E.takeError();
      if (wanted(*E))
        return std::optional<Moment>(E->Before);
    }
    return std::nullopt;
  }

  Answer from(Moment First) override {
    auto Index = Store.firstEventFrom(First);
    if (!Index)
      return Index.takeError();
    for (uint64_t I = *Index; I < Store.numEvents(); ++I) {
      auto E = Store.event(I);
      if (!E)
        return E.takeError();
      if (wanted(*E))
        return std::optional<Moment>(E->Before);
    }
    return std::nullopt;
  }

  Expected<uint64_t> together(Moment M) override {
    uint64_t N = 0;
    if (Error E = forEachAt(M, [&](const StoredEvent &) { ++N; }))
      return E;
    return N;
  }

  Expected<std::string> remark(Moment M, uint64_t Nth,
                               json::Object &Json) override {
    std::optional<ThreadIndex> Of;
    if (M < Store.numInstructions()) {
      auto Its = Store.threadAt(M);
      if (!Its)
        return Its.takeError();
      Of = *Its;
    }
    std::string Text;
    Error Failed = forEachAt(M, [&](const StoredEvent &E) {
      if (Nth-- != 0)
        return;
      // The instruction that follows may be another thread's.
      if (Of ? E.Thread != *Of : Store.numThreads() > 1)
        Text = "thread " + threadLabel(Store, E.Thread) + ": ";
      Text += E.Text.empty() ? eventName(Kind) : printable(E.Text);
    });
    if (Failed)
      return Failed;
    Json["text"] = json::fixUTF8(Text);
    return Text;
  }

private:
  /// Those of the answer \p M.
  Error forEachAt(Moment M, function_ref<void(const StoredEvent &)> F) {
    auto Index = Store.firstEventFrom(M);
    if (!Index)
      return Index.takeError();
    for (uint64_t I = *Index; I < Store.numEvents(); ++I) {
      auto E = Store.event(I);
      if (!E)
        return E.takeError();
      if (E->Before != M)
        break;
      if (wanted(*E))
        F(*E);
    }
    return Error::success();
  }

  bool wanted(const StoredEvent &E) const {
    return E.Kind == Kind && (!T || E.Thread == *T) &&
           (!Like || Like->match(E.Text));
  }
  const TraceStore &Store;
  const EventKind Kind;
  const std::optional<TextPattern> Like;
  const ThreadFilter T;
};

/// Few places are looked up, of many all instructions are looked at.
class CodeTarget final : public FindTarget {
public:
  CodeTarget(Session &S, CodeSet Code, ThreadFilter T)
      : S(S), Code(std::move(Code)), T(T), Scan(S, /*WithEffects=*/false) {
    if (scans())
      return;
    Places.Addresses = this->Code.Addresses;
    Forward.emplace(S.Store, Places, T);
  }
  bool scans() const override {
    constexpr size_t Few = 24;
    return Code.Addresses.size() > Few;
  }
  std::optional<Moment> cut() const override {
    return scans() ? Scan.cut() : Cut;
  }
  Answer last(Moment Before) override {
    if (scans())
      return Scan.last(Before, filter());
    return lastWanted(
        S, Before, [&](Moment M) { return lastVisit(S.Store, Places, M, T); },
        [&](Moment M) { return wanted(M); });
  }
  Answer from(Moment First) override {
    if (scans())
      return Scan.from(First, filter());
    return firstWanted(
        S, First, [&](Moment M) { return Forward->from(M); },
        [&](Moment M) { return wanted(M); });
  }

private:
  Expected<bool> wanted(Moment M) {
    if (!Code.Wanted)
      return true;
    auto I = S.Store.instruction(M);
    if (!I)
      return I.takeError();
    return Code.Wanted(I->Insn);
  }
  std::function<Expected<bool>(const Instruction &)> filter() {
    return [this](const Instruction &I) -> Expected<bool> {
      return (!T || I.Thread == *T) &&
             std::binary_search(Code.Addresses.begin(), Code.Addresses.end(),
                                I.Insn.PC) &&
             (!Code.Wanted || Code.Wanted(I.Insn));
    };
  }
  Session &S;
  const CodeSet Code;
  const ThreadFilter T;
  CodePlace Places;
  std::optional<VisitSearch> Forward;
  InstructionScan Scan;
};

} // namespace

std::unique_ptr<FindTarget> findVisits(Session &S, CodePlace Code,
                                       ThreadFilter T) {
  return std::make_unique<VisitTarget>(S.Store, std::move(Code), T);
}

std::unique_ptr<FindTarget> findCode(Session &S, CodeSet Code, ThreadFilter T) {
  return std::make_unique<CodeTarget>(S, std::move(Code), T);
}

Expected<std::unique_ptr<FindTarget>>
findEvents(Session &S, EventKind Kind, StringRef Text, ThreadFilter T) {
  std::optional<TextPattern> Like;
  if (!Text.empty()) {
    // A word alone may stand anywhere in it.
    std::string Glob = Text.find_first_of("*?[") == StringRef::npos
                           ? ("*" + Text + "*").str()
                           : Text.str();
    auto P = TextPattern::create(Glob);
    if (!P)
      return P.takeError();
    Like = std::move(*P);
  }
  return std::make_unique<EventTarget>(S.Store, Kind, std::move(Like), T);
}

CodeSet codeWhere(Session &S, std::function<bool(const InsnItem &)> Wanted) {
  CodeSet Code;
  std::vector<uint64_t> Others; // places that are not always wanted
  S.Store.forEachKind([&](const InsnItem &I, ArrayRef<LaneBytes>) {
    (Wanted(I) ? Code.Addresses : Others).push_back(I.PC);
  });
  auto Sort = [](std::vector<uint64_t> &List) {
    llvm::sort(List);
    List.erase(std::unique(List.begin(), List.end()), List.end());
  };
  Sort(Code.Addresses);
  Sort(Others);
  std::vector<uint64_t> Both;
  std::set_intersection(Code.Addresses.begin(), Code.Addresses.end(),
                        Others.begin(), Others.end(), std::back_inserter(Both));
  if (!Both.empty())
    Code.Wanted = std::move(Wanted);
  return Code;
}

} // namespace rw
