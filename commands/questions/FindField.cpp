//===- FindField.cpp - When some bits became a value ----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/questions/FindTarget.h"
#include "commands/support/Access.h"

using namespace llvm;

namespace rw {

namespace {

/// "Became", as for whole values: it is known to be the number, and before the
/// instruction it was not.
class FieldTarget final : public FindTarget {
public:
  FieldTarget(Session &S, Location Where, uint64_t Number, ThreadFilter T)
      : S(S), Where(std::move(Where)), Number(Number), T(T),
        Near(StateCursor::open(S.Store)),
        Writes(S.Store, this->Where, AccessKind::Write) {}

  Answer from(Moment First) override {
    return firstWanted(
        S, First, [&](Moment M) { return Writes.from(M); },
        [&](Moment M) { return became(M); });
  }
  Answer last(Moment Before) override {
    return lastWanted(
        S, Before,
        [&](Moment M) -> Answer {
          auto Last = lastAccess(S.Store, Where, AccessKind::Write, M);
          if (Last && *Last == BeforeTrace)
            return std::nullopt;
          return Last;
        },
        [&](Moment M) { return became(M); });
  }
  Expected<std::string> remark(Moment, uint64_t, json::Object &Json) override {
    Json["holders"] = json::Array{toJson(Where)};
    return describe(Where);
  }

private:
  Expected<bool> became(Moment M) {
    if (T) {
      auto Whose = S.Store.threadAt(M);
      if (!Whose || *Whose != *T)
        return Whose ? Expected<bool>(false) : Whose.takeError();
    }
    Value Old, New;
    if (Error E = readLocation(S, *Near, Where, M, Old))
      return E;
    if (Error E = readLocation(S, *Near, Where, M + 1, New))
      return E;
    return New.number() == Number && Old.number() != Number;
  }

  Session &S;
  const Location Where;
  const uint64_t Number;
  const ThreadFilter T;
  const std::unique_ptr<StateCursor> Near;
  AccessSearch Writes;
};

/// Remembers what each one found: a search need not be repeated until one walks
/// past its answer.
class EitherTarget final : public FindTarget {
public:
  EitherTarget(std::unique_ptr<FindTarget> A, std::unique_ptr<FindTarget> B)
      : Of{{std::move(A)}, {std::move(B)}} {}

  Answer from(Moment First) override {
    return nearest(
        First, [&](FindTarget &F) { return F.from(First); }, /*Ahead=*/true);
  }
  Answer last(Moment Before) override {
    return nearest(
        Before, [&](FindTarget &F) { return F.last(Before); }, /*Ahead=*/false);
  }
  Expected<std::string> remark(Moment M, uint64_t,
                               json::Object &Json) override {
    std::string Text;
    json::Array Holders;
    for (Side &One : Of) {
      json::Object Its;
      auto Told = One.Target->remark(M, 0, Its);
      if (!Told)
        return Told.takeError();
      if (!Text.empty() && !Told->empty())
        Text += ", ";
      Text += *Told;
      if (json::Array *More = Its.getArray("holders"))
        for (json::Value &V : *More)
          Holders.push_back(std::move(V));
    }
    Json["holders"] = std::move(Holders);
    return Text;
  }
  bool scans() const override {
    return Of[0].Target->scans() || Of[1].Target->scans();
  }
  StringRef scanned() const override {
    return Of[Of[0].Target->scans() ? 0 : 1].Target->scanned();
  }

private:
  struct Side {
    std::unique_ptr<FindTarget> Target;
    /// From where it was asked in which direction, and its answer.
    std::optional<Moment> Asked = std::nullopt, Found = std::nullopt;
    bool Ahead = true;

    bool knows(Moment From, bool To) const {
      if (!Asked || Ahead != To)
        return false;
      return Ahead ? *Asked <= From && (!Found || From <= *Found)
                   : From <= *Asked && (!Found || *Found < From);
    }
  };

  Answer nearest(Moment At, function_ref<Answer(FindTarget &)> Ask,
                 bool Ahead) {
    std::optional<Moment> Best;
    for (Side &One : Of) {
      if (!One.knows(At, Ahead)) {
        auto M = Ask(*One.Target);
        if (!M)
          return M;
        if (!*M && (Cut = One.Target->cut()))
          return std::nullopt;
        One.Asked = At;
        One.Found = *M;
        One.Ahead = Ahead;
      }
      if (One.Found &&
          (!Best || (Ahead ? *One.Found < *Best : *Best < *One.Found)))
        Best = One.Found;
    }
    return Best;
  }

  Side Of[2];
};

} // namespace

std::unique_ptr<FindTarget> findFieldValue(Session &S, Location Where,
                                           uint64_t Number, ThreadFilter T) {
  return std::make_unique<FieldTarget>(S, std::move(Where), Number, T);
}

std::unique_ptr<FindTarget> findEither(std::unique_ptr<FindTarget> A,
                                       std::unique_ptr<FindTarget> B) {
  return std::make_unique<EitherTarget>(std::move(A), std::move(B));
}

} // namespace rw
