//===- StopConditions.cpp - When a breakpoint stops -----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/replay/StopConditions.h"
#include "core/expr/ExpressionSize.h"
#include "core/expr/StoreInput.h"
#include "core/store/StateCursor.h"
#include "core/store/TraceStore.h"

using namespace rw;

namespace {
/// Memory as the debugger sees it.
class ReplayInput final : public StoreInput {
public:
  ReplayInput(const TraceStore &Store, const MemoryView &Memory,
              StateCursor &Near, ThreadIndex T, Moment M)
      : StoreInput(Store, T, M), Memory(Memory), Near(Near) {}

  Value readRegister(RegisterSlice S) override {
    return Near.getRegister(T, M, S);
  }

  void dividesByZero() override { Divides = true; }
  bool Divides = false;

private:
  llvm::Error bytes(uint64_t Addr, llvm::MutableArrayRef<uint8_t> Bytes,
                    llvm::MutableArrayRef<uint8_t> Known) override {
    return Memory.read(M, Addr, Bytes, Known, &Near);
  }
  const MemoryView &Memory;
  StateCursor &Near;
};
} // namespace

bool ConditionTexts::any() const {
  return llvm::any_of(Breakpoints,
                      [](const auto &Place) {
                        return llvm::any_of(Place.second,
                                            [](const std::string &Text) {
                                              return !Text.empty();
                                            });
                      }) ||
         llvm::any_of(Watchpoints, [](const auto &Place) {
           return llvm::any_of(Place.second, [](const Watch &W) {
             return !W.Condition.empty();
           });
         });
}

std::optional<StopConditions::List>
StopConditions::compile(const ConditionTexts::List &Texts,
                        std::optional<uint64_t> PC) const {
  const auto Seen = Names ? Names->at(PC) : nullptr;
  ExpressionContext Context = expressionContext(Store);
  Context.Names = Seen.get();
  List Result;
  for (const std::string &Text : Texts) {
    if (Text.empty()) {
      Result.emplace_back();
      continue;
    }
    Condition &C = Result.emplace_back();
    C.Text = Text;
    auto E = Expression::compile(Text, Context);
    if (E) {
      C.Test = std::move(*E);
      continue;
    }
    llvm::consumeError(E.takeError());
    if (!Tester)
      return std::nullopt;
    C.TooDeep = llvm::errorToBool(checkExpressionSize(Text));
  }
  return Result;
}

void StopConditions::set(ConditionTexts New, bool NamesChanged) {
  const bool Same = New.sameTexts(Texts) && !NamesChanged;
  Texts = std::move(New);
  if (Same) {
    placeCounts();
    return;
  }
  Breakpoints.clear();
  Watchpoints.clear();
  for (const auto &[PC, Conditions] : Texts.Breakpoints)
    if (auto L = compile(Conditions, PC))
      Breakpoints.emplace(PC, std::move(*L));
  placeCounts();
  // Where an access is made is not known yet.
  for (const auto &[Place, Parts] : Texts.Watchpoints)
    for (const ConditionTexts::Watch &P : Parts) {
      Watch W{P.Addr,
              P.Size,
              P.ChangesOnly,
              std::pair(P.Addr, P.Size) == Place,
              {},
              P.Condition.empty(),
              P.Counted};
      if (!W.Always) {
        auto L = compile({P.Condition}, std::nullopt);
        W.Always = !L;
        if (L)
          W.Conditions = std::move(*L);
      }
      Watchpoints[Place].push_back(std::move(W));
    }
}

void StopConditions::placeCounts() {
  for (auto &[PC, Conditions] : Breakpoints) {
    auto It = Texts.Counted.find(PC);
    for (size_t I = 0; I < Conditions.size(); ++I)
      Conditions[I].Counted = It == Texts.Counted.end()
                                  ? ConditionTexts::NotCounted
                                  : It->second[I];
  }
}

/// Whether \p C holds; nothing if that is not known here.
llvm::Expected<std::optional<bool>> StopConditions::test(const Condition &C,
                                                         ExpressionInput &Input,
                                                         ThreadIndex T,
                                                         Moment M) const {
  if (C.Test) {
    auto V = C.Test->test(Input);
    if (!V)
      return V.takeError();
    return *V ? std::optional(**V != 0) : std::nullopt;
  }
  if (C.TooDeep)
    return std::nullopt;
  if (C.Text.empty())
    return true;
  // What the tester does not understand is the debugger's to test.
  auto V = Tester->test(C.Text, T, M);
  if (V)
    return *V;
  llvm::consumeError(V.takeError());
  return std::nullopt;
}

llvm::Expected<bool> StopConditions::noneHolds(const List &Conditions,
                                               StateCursor &Near, ThreadIndex T,
                                               Moment M, StopReason &Reason,
                                               IgnoredHits *Counts) const {
  ReplayInput Input(Store, Memory, Near, T, M);
  llvm::SmallVector<uint32_t, 2> Ignoring;
  auto Stops = [&](const Condition &C,
                   std::optional<bool> Holds) -> llvm::Expected<bool> {
    if (C.TooDeep)
      Reason.What = StopReason::TooDeep;
    else if (!Holds && Input.Divides)
      Reason.What = StopReason::Divides;
    else if (C.Test && C.Test->hasFloat())
      Reason.What = Holds ? StopReason::Holds : StopReason::Unknown;
    else if (!C.Text.empty() && Holds)
      Reason.What = C.Test ? StopReason::True : StopReason::Holds;
    if (Reason.What != StopReason::None)
      Reason.Condition = C.Text;
    // A debugger reports each breakpoint that stops here.
    for (const Condition &Each : Conditions) {
      auto Its = &Each == &C ? llvm::Expected<std::optional<bool>>(Holds)
                             : test(Each, Input, T, M);
      if (!Its)
        return Its.takeError();
      if (*Its)
        Reason.Outcomes.emplace_back(Each.Text, **Its);
    }
    return false;
  };
  for (const Condition &C : Conditions) {
    auto Holds = test(C, Input, T, M);
    if (!Holds)
      return Holds.takeError();
    if (*Holds == std::optional(false))
      continue;
    if (!*Holds || !Counts || C.Counted == ConditionTexts::NotCounted ||
        !Counts->ignores(C.Counted))
      return Stops(C, *Holds);
    Ignoring.push_back(C.Counted);
  }
  for (uint32_t Location : Ignoring)
    Counts->pass(Location);
  return true;
}

/// Whether the bytes are not accessed, or are known to stay what they are.
llvm::Expected<bool> StopConditions::passes(const Watch &W, AccessKind Kind,
                                            Moment Access) const {
  if (!W.Whole) {
    auto Last = Store.lastAccess(W.Addr, W.Size, Kind, Access + 1);
    if (!Last)
      return Last.takeError();
    if (*Last != std::optional(Access))
      return true;
  }
  if (!W.ChangesOnly)
    return false;
  auto A = Memory.around(Access, W.Addr, W.Size);
  if (!A)
    return A.takeError();
  if (llvm::is_contained(A->Known[0], 0) || llvm::is_contained(A->Known[1], 0))
    return false;
  return A->Bytes[0] == A->Bytes[1];
}

llvm::Expected<bool> StopConditions::noneStops(const WatchList &Parts,
                                               AccessKind Kind, Moment Access,
                                               StateCursor &Near, ThreadIndex T,
                                               Moment M, StopReason &Reason,
                                               IgnoredHits *Counts) const {
  for (const Watch &W : Parts) {
    auto Passes = passes(W, Kind, Access);
    if (Passes && !*Passes && Counts && W.Counted != ConditionTexts::NotCounted)
      *Passes = Counts->passAccess(W.Counted, Access);
    if (Passes && !*Passes && !W.Always)
      Passes = noneHolds(W.Conditions, Near, T, M, Reason);
    if (!Passes || !*Passes)
      return Passes;
  }
  return true;
}
