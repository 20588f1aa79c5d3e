//===- OriginTree.cpp - A value followed back to where it was made --------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/dataflow/OriginTree.h"
#include "commands/questions/SystemCallMade.h"
#include "core/calls/CallIndex.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
#include <queue>
#include <set>

using namespace llvm;

namespace rw {

std::vector<size_t> OriginTree::order() const {
  std::vector<size_t> Order, Left = {0};
  while (!Left.empty()) {
    const size_t N = Left.back();
    Left.pop_back();
    Order.push_back(N);
    const std::vector<size_t> &Forks = Branches[N].Branches;
    Left.insert(Left.end(), Forks.rbegin(), Forks.rend());
  }
  return Order;
}

namespace {

/// Bytes of a location in memory that come from one place.
struct BytesFrom {
  uint64_t Offset = 0, Size = 0;
  std::optional<Moment> Writer;
  ByteOrigin Seen;
};

class Follower {
public:
  Follower(Session &S, const CallIndex *Calls, const OriginOptions &O,
           OriginTree &Tree)
      : S(S), O(O), Tree(Tree), Sources(S, Calls) {}

  Error run(const Location &L, Moment When);

private:
  /// The end of a branch that goes on.
  struct Open {
    Moment When; ///< At is as it was before that
    size_t Branch;
    Location At;
    bool operator<(const Open &Other) const {
      return std::tie(When, Other.Branch) < std::tie(Other.When, Branch);
    }
  };

  Error step(Open Now);
  Error stepMemory(Open Now);
  Error stepBits(Open Now);
  Error stepRegister(Open Now);
  Error writtenAt(Open Now, Moment Write);
  Error goOn(size_t Branch, const Instruction &I, const Location &L,
             ValueSource From);
  Error compute(size_t Branch, const Instruction &I, const Location &L,
                ValueSource From);
  Expected<std::optional<size_t>> choose(const Instruction &I,
                                         const Location &L,
                                         ArrayRef<const ValueOperand *> Data,
                                         std::string &Why);
  bool isChosen(const Instruction &I, const ValueOperand &Operand);
  Expected<bool> isConstant(const Location &L, Moment When);
  Expected<std::vector<BytesFrom>> bytesFrom(const Location &L, Moment When);
  Error endUnwritten(const Open &Now, const ByteOrigin &Seen);
  Error endChanged(const Open &Now, Moment Read);
  Expected<std::optional<std::string>> answerOf(const Instruction &I,
                                                bool Implied, OriginKind &End);
  Expected<size_t> fork(size_t Parent, std::string Of, const Location &L,
                        Moment When);
  Error forkParts(size_t Branch, const Location &L, Moment When,
                  ArrayRef<std::pair<uint64_t, uint64_t>> Parts);
  /// Bytes of a location, by the name of the member that they are.
  static Location namedPart(const Location &L, uint64_t Offset, uint64_t Size);

  void end(size_t Branch, OriginKind Kind, std::string Reason) {
    Tree.Branches[Branch].End = Kind;
    Tree.Branches[Branch].Reason = std::move(Reason);
  }
  /// At the last link.
  void finish(size_t Branch, OriginKind Kind, const std::string &Reason) {
    Tree.Branches[Branch].Links.back().How = Reason;
    end(Branch, Kind, Reason);
  }

  Session &S;
  const OriginOptions &O;
  OriginTree &Tree;
  ValueSources Sources;
  std::priority_queue<Open> Left;
  std::set<StringRef>
      Chosen; ///< those of OriginOptions::Operands that were read
  using Key = std::tuple<Moment, bool, uint64_t, uint64_t, unsigned>;
  std::map<Key, OriginBranch::Elsewhere> Known;
};

} // namespace

Location Follower::namedPart(const Location &L, uint64_t Offset,
                             uint64_t Size) {
  Location P = part(L, Offset, Size);
  if (!L.Type)
    return P;
  TypePart Is = partAt(L.Type, Offset, Size);
  if (Is.Offset == Offset && Is.Is && Is.Is->Size == Size) {
    P.Text += Is.Path;
    P.Type = std::move(Is.Is);
  }
  return P;
}

Expected<size_t> Follower::fork(size_t Parent, std::string Of,
                                const Location &L, Moment When) {
  auto V = readLocation(S, L, When);
  if (!V)
    return V.takeError();
  OriginBranch B;
  B.Parent = Parent;
  B.Of = std::move(Of);
  B.Start = L;
  B.What = std::move(*V);
  const size_t N = Tree.Branches.size();
  Tree.Branches[Parent].Branches.push_back(N);
  Tree.Branches.push_back(std::move(B));
  return N;
}

Error Follower::forkParts(size_t Branch, const Location &L, Moment When,
                          ArrayRef<std::pair<uint64_t, uint64_t>> Parts) {
  for (auto [Offset, Size] : Parts) {
    const Location P = namedPart(L, Offset, Size);
    auto N = fork(Branch, P.Text == L.Text ? byteRange(Offset, Size) : P.Text,
                  P, When);
    if (!N)
      return N.takeError();
    Left.push({When, *N, P});
  }
  return Error::success();
}

/// Each byte's writer, or who saw it, in runs. A newer read that saw something
/// else than was written counts.
Expected<std::vector<BytesFrom>> Follower::bytesFrom(const Location &L,
                                                     Moment When) {
  std::vector<std::optional<Moment>> Writers(L.Size);
  struct Run {
    Moment Write;
    uint64_t Offset, Size;
    bool operator<(const Run &R) const { return Write < R.Write; }
  };
  std::priority_queue<Run> Runs;
  auto Add = [&](uint64_t Offset, uint64_t Size, Moment Before) -> Error {
    auto M =
        S.Store.lastAccess(L.Addr + Offset, Size, AccessKind::Write, Before);
    if (!M)
      return M.takeError();
    if (*M && **M != BeforeTrace)
      Runs.push({**M, Offset, Size});
    return Error::success();
  };
  if (Error E = Add(0, L.Size, When))
    return E;
  while (!Runs.empty()) {
    const Run R = Runs.top();
    Runs.pop();
    auto I = S.Store.instruction(R.Write);
    if (!I)
      return I.takeError();
    bool Any = false;
    for (const MemAccess &M : I->Mems)
      for (size_t B = 0; M.isWrite() && B < M.Bytes.size(); ++B)
        if (const uint64_t At = M.Addr + B - (L.Addr + R.Offset); At < R.Size) {
          Writers[R.Offset + At] = R.Write;
          Any = true;
        }
    if (!Any)
      continue; // a damaged index
    for (uint64_t B = R.Offset, End = B + R.Size; B < End;) {
      const uint64_t First = B;
      while (B < End && !Writers[B])
        ++B;
      if (B > First)
        if (Error E = Add(First, B - First, R.Write))
          return E;
      B += B == First;
    }
  }
  std::vector<BytesFrom> List;
  for (uint64_t B = 0; B < L.Size; ++B) {
    auto Seen = S.Store.memoryOrigin(When, L.Addr + B);
    if (!Seen)
      return Seen.takeError();
    BytesFrom F{B, 1, Writers[B], {}};
    const bool Changed = Seen->From == Provenance::Read &&
                         Seen->Origin != BeforeTrace && F.Writer &&
                         Seen->Origin > *F.Writer;
    if (Changed || !F.Writer)
      F.Seen = *Seen;
    if (!List.empty()) {
      BytesFrom &Last = List.back();
      if (Last.Writer == F.Writer && Last.Seen.From == F.Seen.From &&
          Last.Seen.Origin == F.Seen.Origin) {
        ++Last.Size;
        continue;
      }
    }
    List.push_back(F);
  }
  return List;
}

Error Follower::endUnwritten(const Open &Now, const ByteOrigin &Seen) {
  const Location &L = Now.At;
  auto End = [&](OriginKind Kind, std::string Reason) {
    end(Now.Branch, Kind, std::move(Reason));
    return Error::success();
  };
  const bool Read =
      Seen.From == Provenance::Read || Seen.From == Provenance::LaterRead;
  if (Seen.From != Provenance::Unknown && Seen.Origin == BeforeTrace)
    return End(OriginKind::Initial,
               "told by the trace before its first instruction");
  if (auto Section = S.Symbols ? S.Symbols->sectionAt(L.Addr) : std::nullopt) {
    if (!Section->Writable)
      return End(OriginKind::Image,
                 "a constant in section " + Section->Name + " of the image");
    std::vector<uint8_t> Bytes(L.Size);
    auto V = readLocation(S, L, Now.When);
    if (!V)
      return V.takeError();
    // A section without contents begins as zeros.
    const size_t InFile = S.Symbols->readImage(L.Addr, Bytes);
    if (V->allKnown() && (InFile == L.Size || !InFile) && Bytes == V->Bytes)
      return End(OriginKind::Image, "as section " + Section->Name +
                                        " of the image has it; nothing in the "
                                        "trace wrote it before");
  }
  if (!Read)
    return End(OriginKind::Unknown,
               "no access of the trace tells of " + describe(L));
  auto I = S.Store.instruction(Seen.Origin);
  if (!I)
    return I.takeError();
  return End(OriginKind::Outside,
             describe(L) + " was first seen by the read at " +
                 formatPlace(S.Store, I->Thread, I->Pos) +
                 "; written before the trace or outside it");
}

Error Follower::stepMemory(Open Now) {
  if (Now.At.FieldWidth)
    return stepBits(std::move(Now));
  auto From = bytesFrom(Now.At, Now.When);
  if (!From)
    return From.takeError();
  if (From->size() > 1) {
    std::vector<std::pair<uint64_t, uint64_t>> Parts;
    for (const BytesFrom &F : *From)
      Parts.push_back({F.Offset, F.Size});
    const std::string Reason =
        "written in " + std::to_string(Parts.size()) + " pieces";
    // Who has only part of it may be the last one of a chain.
    end(Now.Branch, OriginKind::Pieces, Reason);
    return forkParts(Now.Branch, Now.At, Now.When, Parts);
  }
  const BytesFrom &F = From->front();
  if (!F.Writer)
    return endUnwritten(Now, F.Seen);
  if (F.Seen.From == Provenance::Read)
    return endChanged(Now, F.Seen.Origin);
  return writtenAt(std::move(Now), *F.Writer);
}

/// Some bits of memory: writes of others among the same bytes did not make
/// them.
Error Follower::stepBits(Open Now) {
  const Location &L = Now.At;
  auto W = lastAccess(S.Store, L, AccessKind::Write, Now.When);
  if (!W)
    return W.takeError();
  const bool Written = *W && **W != BeforeTrace;
  if (!Written) {
    // All that was written there kept them: they are as before the first write.
    Location All = L;
    All.FieldWidth = 0;
    auto Earliest = accessFrom(S.Store, All, AccessKind::Write, 0);
    if (!Earliest)
      return Earliest.takeError();
    if (*Earliest)
      Now.When = std::min(Now.When, **Earliest);
  }
  const uint64_t InUnit = L.FieldLo / 8;
  const bool Big = S.Store.header().Order == ByteOrder::Big;
  auto Seen = S.Store.memoryOrigin(
      Now.When, L.Addr + (Big ? L.Size - 1 - InUnit : InUnit));
  if (!Seen)
    return Seen.takeError();
  if (!Written)
    return endUnwritten(Now, *Seen);
  // A later read may have seen other bits, or only other neighbours.
  if (Seen->From == Provenance::Read && Seen->Origin != BeforeTrace &&
      Seen->Origin > **W) {
    auto Then = readLocation(S, L, **W + 1);
    if (!Then)
      return Then.takeError();
    auto Is = readLocation(S, L, Now.When);
    if (!Is)
      return Is.takeError();
    if (Then->number() && Is->number() && Then->number() != Is->number())
      return endChanged(Now, Seen->Origin);
  }
  return writtenAt(std::move(Now), **W);
}

/// What is there is not what was written last.
Error Follower::endChanged(const Open &Now, Moment Read) {
  auto I = S.Store.instruction(Read);
  if (!I)
    return I.takeError();
  end(Now.Branch, OriginKind::Outside,
      describe(Now.At) +
          " was changed from outside, by a device or "
          "another processor: the read at " +
          formatPlace(S.Store, I->Thread, I->Pos) +
          " saw what no instruction of the trace had written");
  return Error::success();
}

Error Follower::stepRegister(Open Now) {
  if (const OriginBranch &B = Tree.Branches[Now.Branch];
      O.How != OriginOptions::Copies && (B.Parent || !B.Links.empty()) &&
      Sources.isStackPointer(Now.At)) {
    end(Now.Branch, OriginKind::Stack, "the stack pointer is not followed");
    return Error::success();
  }
  auto W = Sources.lastWrite(Now.At, Now.When);
  if (!W)
    return W.takeError();
  if (!*W || **W == BeforeTrace) {
    if (*W)
      end(Now.Branch, OriginKind::Initial,
          "told by the trace before its first instruction");
    else
      end(Now.Branch, OriginKind::Unknown,
          "the trace does not tell of a write of " + Now.At.Text + " before");
    return Error::success();
  }
  auto I = S.Store.instruction(**W);
  if (!I)
    return I.takeError();
  auto Written = Sources.written(*I, Now.At);
  if (!Written)
    return Written.takeError();
  if (!is_contained(*Written, 0) || Now.At.FieldWidth)
    return writtenAt(std::move(Now), **W);
  std::vector<std::pair<uint64_t, uint64_t>> Parts;
  for (uint64_t B = 0; B < Written->size(); ++B) {
    if (!B || (*Written)[B] != (*Written)[B - 1])
      Parts.push_back({B, 0});
    ++Parts.back().second;
  }
  // It wrote nothing of it: the index and the instruction do not agree.
  if (Parts.size() == 1)
    return writtenAt(std::move(Now), **W);
  end(Now.Branch, OriginKind::Pieces, "written in pieces");
  return forkParts(Now.Branch, Now.At, Now.When, Parts);
}

/// If \p I is a system call that the system answered at once: its text.
Expected<std::optional<std::string>>
Follower::answerOf(const Instruction &I, bool Implied, OriginKind &End) {
  SystemCallReader Reader(S);
  auto Call = Reader.at(I.When);
  if (!Call)
    return Call.takeError();
  if (Call->isCall()) {
    auto Answered = Reader.answeredAtOnce(*Call);
    if (!Answered)
      return Answered.takeError();
    if (Implied || *Answered) {
      auto Text = Reader.describe(*Call, nullptr);
      if (!Text)
        return Text.takeError();
      const bool Semihosting = Call->kind() == SystemCallKind::Semihosting;
      End = Semihosting ? OriginKind::Semihosting : OriginKind::System;
      return (Semihosting ? "the answer of this semihosting call: "
                          : "the system's answer: ") +
             *Text;
    }
  }
  if (!Implied)
    return std::nullopt;
  End = OriginKind::Semihosting;
  return "written by this semihosting call";
}

Error Follower::writtenAt(Open Now, Moment Write) {
  auto A = explainAccess(S, Now.At, AccessKind::Write, Write);
  if (!A)
    return A.takeError();
  const Instruction I = A->Insn;
  OriginBranch &Branch = Tree.Branches[Now.Branch];
  const bool IsMemory = Now.At.Where == Location::Memory;
  const Key Which(Write, IsMemory,
                  IsMemory ? Now.At.Addr
                           : Now.At.Slice.Lane * 8u + Now.At.Slice.Offset,
                  Now.At.Size, Now.At.FieldLo);
  auto [It, New] = Known.try_emplace(
      Which, OriginBranch::Elsewhere{Now.Branch, Branch.Links.size()});
  if (!New) {
    Branch.Same = It->second;
    end(Now.Branch, OriginKind::Told, "");
    return Error::success();
  }
  Branch.Links.push_back({Now.At, I, "", A->New});
  ++Tree.Links;
  OriginKind Kind = OriginKind::System;
  auto Answer = answerOf(I, A->Implied, Kind);
  if (!Answer)
    return Answer.takeError();
  if (*Answer) {
    finish(Now.Branch, Kind, **Answer);
    return Error::success();
  }
  Location L = Now.At;
  if (IsMemory && L.FieldWidth) {
    // On with the bytes that it wrote of those that hold the bits.
    const auto End = A->Bytes.end(), First = find(A->Bytes, 1),
               Last = std::find(First, End, 0);
    L = part(L, uint64_t(First - A->Bytes.begin()), uint64_t(Last - First));
  }
  auto From = Sources.of(I, L);
  if (!From)
    return From.takeError();
  return goOn(Now.Branch, I, L, std::move(*From));
}

Error Follower::goOn(size_t Branch, const Instruction &I, const Location &L,
                     ValueSource From) {
  if (From.Copy) {
    OriginBranch &B = Tree.Branches[Branch];
    B.Links.back().How = From.How;
    // It is the same value.
    if (L.Size == From.Copy->Size)
      From.Copy->Type = L.Type;
    Left.push({From.Before, Branch, std::move(*From.Copy)});
    return Error::success();
  }
  if (!From.Parts.empty()) {
    finish(Branch, From.End, From.Reason);
    for (auto [Offset, Size] : From.Parts) {
      const Location P = namedPart(L, Offset, Size);
      auto Of = Sources.of(I, P);
      if (!Of)
        return Of.takeError();
      if (!Of->Copy) {
        auto N = fork(Branch, byteRange(Offset, Size), P, I.When + 1);
        if (!N)
          return N.takeError();
        end(*N, Of->End, Of->Reason);
        continue;
      }
      if (P.Size == Of->Copy->Size)
        Of->Copy->Type = P.Type;
      auto N = fork(Branch, byteRange(Offset, Size) + ", " + Of->How, *Of->Copy,
                    Of->Before);
      if (!N)
        return N.takeError();
      Left.push({Of->Before, *N, std::move(*Of->Copy)});
    }
    return Error::success();
  }
  if (From.End == OriginKind::Computed && O.How != OriginOptions::Copies)
    return compute(Branch, I, L, std::move(From));
  finish(Branch, From.End, From.Reason);
  return Error::success();
}

/// Whether it is what made the value there that tells it.
Expected<bool> Follower::isConstant(const Location &L, Moment When) {
  if (L.Where != Location::Register)
    return false;
  auto W = Sources.lastWrite(L, When);
  if (!W)
    return W.takeError();
  if (!*W || **W == BeforeTrace)
    return false;
  auto I = S.Store.instruction(**W);
  if (!I)
    return I.takeError();
  auto Written = Sources.written(*I, L);
  if (!Written)
    return Written.takeError();
  return !is_contained(*Written, 0) && Sources.isConstant(*I, L);
}

/// "12" of "#12", which begins a comment in a shell.
static std::string plainPlace(StringRef Place) {
  std::string Plain = Place.str();
  erase_if(Plain, [](char C) { return C == '#' || C == ','; });
  return Plain;
}

bool Follower::isChosen(const Instruction &I, const ValueOperand &Operand) {
  const std::string At = plainPlace(formatPlace(S.Store, I.Thread, I.Pos));
  return any_of(O.Operands, [&](StringRef Text) {
    auto [Where, Name] = Text.rsplit(':');
    if (Name.empty()) {
      Name = Where;
      Where = "";
    }
    const bool IsMemory = Operand.At && Operand.At->Where == Location::Memory;
    const bool Is = (Where.empty() || plainPlace(Where) == At) &&
                    (Name == Operand.Name || (IsMemory && Name == "memory"));
    if (Is)
      Chosen.insert(Text);
    return Is;
  });
}

/// Which operand is to be followed; none: \p Why says why it is not clear.
Expected<std::optional<size_t>>
Follower::choose(const Instruction &I, const Location &L,
                 ArrayRef<const ValueOperand *> Data, std::string &Why) {
  SmallVector<size_t, 4> Open;
  for (size_t N = 0; N < Data.size(); ++N)
    if (isChosen(I, *Data[N])) {
      Why = Data[N]->Name + " is followed, as asked";
      return N;
    } else if (Data[N]->At) {
      Open.push_back(N);
    }
  if (Open.size() == 1 && Data.size() == 1)
    return Open[0];
  auto NamesOf = [&](ArrayRef<size_t> List) {
    std::string Names;
    for (size_t N : List)
      Names += (Names.empty() ? "" : ", ") + Data[N]->Name;
    return Names;
  };
  // What is the same in each execution made nothing of it.
  SmallVector<size_t, 4> Constant;
  for (size_t N : Open) {
    auto Is = isConstant(*Data[N]->At, I.When);
    if (!Is)
      return Is.takeError();
    if (*Is)
      Constant.push_back(N);
  }
  if (Constant.size() < Open.size())
    erase_if(Open, [&](size_t N) { return is_contained(Constant, N); });
  if (Open.size() == 1) {
    Why = Data[Open[0]]->Name + " is followed: " +
          (Constant.empty()
               ? "the rest is in no register or memory"
               : NamesOf(Constant) + (Constant.size() == 1 ? " is a constant"
                                                           : " are constants"));
    return Open[0];
  }
  auto Previous = S.Store.lastVisit(I.Insn.PC, I.When, I.Thread);
  if (!Previous)
    return Previous.takeError();
  if (!*Previous) {
    Why = "this is its first execution, so " + NamesOf(Open) +
          " cannot be compared with those of another";
    return std::nullopt;
  }
  auto Then = S.Store.instruction(**Previous);
  if (!Then)
    return Then.takeError();
  auto Before = Sources.operands(*Then, &L);
  if (!Before)
    return Before.takeError();
  SmallVector<const ValueOperand *, 4> Old;
  for (const ValueOperand &V : *Before)
    if (V.Data)
      Old.push_back(&V);
  const std::string Time =
      "the time before (" + formatPlace(S.Store, Then->Thread, Then->Pos) + ")";
  SmallVector<size_t, 4> Differ;
  for (size_t N : Open) {
    const bool Told = Old.size() == Data.size() && Data[N]->Was.allKnown() &&
                      Old[N]->Was.allKnown() &&
                      Old[N]->Was.Bytes.size() == Data[N]->Was.Bytes.size();
    if (!Told) {
      Why = "what " + Data[N]->Name + " was " + Time + " is not known";
      return std::nullopt;
    }
    if (Old[N]->Was.Bytes != Data[N]->Was.Bytes)
      Differ.push_back(N);
  }
  if (Differ.size() == 1) {
    Why = Data[Differ[0]]->Name + " is followed: the rest was the same " + Time;
    return Differ[0];
  }
  Why = Differ.empty()
            ? NamesOf(Open) + " were the same " + Time
            : NamesOf(Differ) + (Differ.size() == 2 ? " both" : " all") +
                  " differ from " + Time;
  return std::nullopt;
}

Error Follower::compute(size_t Branch, const Instruction &I, const Location &L,
                        ValueSource From) {
  SmallVector<const ValueOperand *, 4> Data;
  for (const ValueOperand &V : From.Operands)
    if (V.Data)
      Data.push_back(&V);
  finish(Branch, From.End, From.Reason);
  if (Data.empty())
    return Error::success();
  if (O.How == OriginOptions::Tree && Data.size() > 1) {
    for (const ValueOperand *V : Data) {
      if (!V->At) {
        Location Nowhere = L;
        auto N = fork(Branch, V->Name, Nowhere, I.When);
        if (!N)
          return N.takeError();
        end(*N, OriginKind::Unknown, "no trace tells what it is");
        continue;
      }
      auto N = fork(Branch, V->Name, *V->At, I.When);
      if (!N)
        return N.takeError();
      Left.push({I.When, *N, *V->At});
    }
    return Error::success();
  }
  std::string Why;
  auto Chosen = choose(I, L, Data, Why);
  if (!Chosen)
    return Chosen.takeError();
  if (!*Chosen) {
    if (!Why.empty())
      finish(Branch, OriginKind::Computed,
             From.Reason + "; " + Why + ": --operand " +
                 plainPlace(formatPlace(S.Store, I.Thread, I.Pos)) + ":" +
                 Data[0]->Name + " follows one, --tree all");
    return Error::success();
  }
  const ValueOperand &To = *Data[**Chosen];
  if (!To.At)
    return Error::success();
  OriginBranch &B = Tree.Branches[Branch];
  B.Links.back().How = From.Reason + (Why.empty() ? "" : "; " + Why);
  Left.push({I.When, Branch, *To.At});
  return Error::success();
}

Error Follower::step(Open Now) {
  return Now.At.Where == Location::Memory ? stepMemory(std::move(Now))
                                          : stepRegister(std::move(Now));
}

Error Follower::run(const Location &L, Moment When) {
  OriginBranch Root;
  Root.Start = L;
  auto V = readLocation(S, L, When);
  if (!V)
    return V.takeError();
  Root.What = std::move(*V);
  Tree.Branches.push_back(std::move(Root));
  Left.push({When, 0, L});
  while (!Left.empty()) {
    if (Tree.Links >= O.Limit || S.cancelled())
      break;
    Open Now = Left.top();
    Left.pop();
    if (Error E = step(std::move(Now)))
      return E;
  }
  for (; !Left.empty(); Left.pop()) {
    Tree.Complete = false;
    end(Left.top().Branch, OriginKind::Limit,
        S.cancelled() ? "interrupted" : "cut here: -c sets how far");
  }
  for (const std::string &Text : O.Operands)
    if (!Chosen.count(Text))
      S.warn("--operand " + Text + ": no instruction on the way reads that");
  return Error::success();
}

Expected<OriginTree> followBack(Session &S, const Location &L, Moment When,
                                const OriginOptions &O) {
  if (Error E = checkOnePlace(L, "origin"))
    return E;
  if (L.Where == Location::Memory && L.Size > MostOriginBytes)
    return usageError(describe(L) + " is too large: origin follows at most " +
                      Twine(MostOriginBytes) +
                      " bytes at once; name a part of it");
  auto Calls = CallIndex::open(S.Store);
  if (!Calls)
    return Calls.takeError();
  OriginTree Tree;
  if (Error E = Follower(S, Calls->get(), O, Tree).run(L, When))
    return E;
  return Tree;
}

} // namespace rw
