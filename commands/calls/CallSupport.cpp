//===- CallSupport.cpp - What the call commands have in common ------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/calls/CallSupport.h"
#include "commands/support/Listing.h"
#include "commands/support/PositionExpr.h"
#include "core/store/TraceStore.h"

using namespace llvm;

namespace rw {

namespace {

/// Names from the image, demangled, with source lines.
class SessionNames final : public FunctionNames {
public:
  explicit SessionNames(SymbolSource &Symbols) : Symbols(Symbols) {}

protected:
  Function lookup(uint64_t PC) override {
    auto Sym = Symbols.symbolizeCode(PC);
    if (!Sym)
      return {"", PC, "", 0};
    Function F{Sym->Function, Sym->Start, "", 0};
    if (!Sym->Frames.empty()) {
      F.File = Sym->Frames.back().File;
      F.Line = Sym->Frames.back().Line;
    }
    return F;
  }

private:
  SymbolSource &Symbols;
};

} // namespace

std::unique_ptr<FunctionNames> sessionNames(Session &S) {
  if (!S.Symbols)
    return std::make_unique<NoNames>();
  return std::make_unique<SessionNames>(*S.Symbols);
}

Expected<std::unique_ptr<CallsOfSession>>
CallsOfSession::open(Session &S, bool Ttu, bool Offsets) {
  std::unique_ptr<CallsOfSession> C(new CallsOfSession(S));
  auto Index = CallIndex::open(S.Store);
  if (!Index)
    return Index.takeError();
  if ((*Index)->size() == 0 && S.Store.numInstructions() > 0)
    return userError("the store of this trace was made without its calls; "
                     "index the trace again (--force-index)");
  C->Index = std::move(*Index);
  if (S.Symbols && Ttu)
    C->Names = std::make_unique<TtuNames>(S.Symbols->symbolTable(), Offsets);
  else
    C->Names = sessionNames(S);
  return C;
}

CallQuery CallsOfSession::query() {
  CallQuery Q(S.Store, *Index, *Names);
  Q.Watch = S.Watch;
  return Q;
}

Expected<bool> ttuStyle(const ParsedOptions &O) {
  auto Style = O.value("style");
  if (!Style)
    return false;
  if (*Style == "tarmac")
    return true;
  return usageError("there is no style '" + *Style + "', only tarmac");
}

std::string formatActivation(const TraceStore &Store, const Activation &A) {
  std::string Text = "@" + std::to_string(A.Number);
  return Store.numThreads() > 1 ? std::to_string(A.Thread + 1) + ":" + Text
                                : Text;
}

Expected<Activation> parseActivation(Session &S, const CallIndex &Index,
                                     StringRef Text) {
  ThreadIndex T = S.Here.Thread;
  StringRef Rest = Text;
  if (Text.contains(':')) {
    auto [Thread, Number] = Text.rsplit(':');
    auto Parsed = parseThread(S.Store, Thread);
    if (!Parsed)
      return Parsed.takeError();
    T = *Parsed;
    Rest = Number;
  }
  Rest.consume_front("@");
  auto N = parseNumber(Rest);
  if (!N)
    return usageError("'" + Text +
                      "' is no activation; 'calls tree' shows "
                      "their ids, such as @12");
  return Index.activation(T, *N);
}

std::string activationRemarks(const Activation &A, bool TailCall) {
  std::string Text;
  auto Say = [&](StringRef What) {
    Text += (Text.empty() ? "" : ", ") + What.str();
  };
  if (TailCall)
    Say("tail call");
  if (A.Kind == ActivationKind::Exception)
    Say("exception");
  if (A.Kind == ActivationKind::Root) {
    Say("running when the trace begins");
    return Text;
  }
  if (A.Flags & Activation::BeforeTrace)
    Say("called before the trace begins or in a gap");
  if (A.Flags & Activation::Truncated)
    Say("still running at the end");
  else if (A.Flags & Activation::EndedByGap)
    Say("cut off by a gap");
  else if (!A.returned())
    Say("never returned");
  return Text;
}

Expected<PositionRange> positionRange(Session &S, const ParsedOptions &O,
                                      ThreadIndex T) {
  auto Span = searchSpan(S, O);
  if (!Span)
    return Span.takeError();
  auto From = S.Store.positionOf(T, Span->From);
  auto To = S.Store.positionOf(T, Span->To);
  if (!From || !To)
    return joinErrors(From.takeError(), To.takeError());
  return PositionRange{*From, *To};
}

Expected<std::vector<ThreadIndex>> selectedThreads(const Session &S,
                                                   const ParsedOptions &O) {
  std::vector<ThreadIndex> Threads;
  if (auto Text = O.value("thread")) {
    auto T = parseThread(S.Store, *Text);
    if (!T)
      return T.takeError();
    Threads.push_back(*T);
    return Threads;
  }
  for (ThreadIndex T = 0; T < S.Store.numThreads(); ++T)
    if (S.Store.numInstructions(T))
      Threads.push_back(T);
  return Threads;
}

Expected<Place> placeAsked(Session &S, const ParsedOptions &O) {
  if (O.arguments().empty())
    return askedAt(S, O, Looks::Back);
  return positionAsked(S, O, O.text());
}

Expected<Position> positionThere(Session &S, Place Where) {
  auto P = S.Store.positionOf(Where.Thread, Where.When);
  if (!P)
    return P.takeError();
  uint64_t N = S.Store.numInstructions(Where.Thread);
  if (N == 0)
    return userError("that thread has no instructions");
  return std::min<Position>(*P, N - 1);
}

} // namespace rw
