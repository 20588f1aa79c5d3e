//===- LastWrite.cpp - rewind last-write and its kin ----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "commands/lvalues/SlotOwner.h"
#include "commands/support/Access.h"
#include "commands/support/Listing.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace rw {

namespace {

struct Question {
  StringLiteral Name; ///< of the command
  StringLiteral Noun; ///< "last write"
  AccessKind Kind;
  bool Forward;
  bool FromStart;
};

struct Answers {
  std::vector<AccessAnswer> List;
  bool More = false; ///< there are further ones
  /// Beyond the last one there is what the trace told before its first
  /// instruction.
  bool BeforeTrace = false;
  Ending End;
};

} // namespace

/// Where the search begins: where the session stands, or, when the same
/// question is asked again, at the last answer. That one is the answer if it
/// was only told and one wants to go there now. \p Times: how many came before.
static Moment startOf(Session &S, const Question &Q, Place At,
                      const std::string &Key, bool Goes, bool &Again,
                      unsigned &Times) {
  auto &Memory = S.Memory.Question;
  Again = Memory.Key == Key &&
          (Memory.AskedAt == At || (Q.Forward && Memory.Answer == At.When));
  if (!Again)
    return Q.FromStart ? 0 : At.When;
  const bool Same =
      Goes && !Memory.Gone && Memory.AskedAt == At && Memory.Answer != At.When;
  Times = Memory.Times - Same;
  return Memory.Answer + (Q.Forward != Same);
}

static Expected<Answers> collect(Session &S, const Location &L,
                                 const Question &Q, Moment Start,
                                 uint64_t Limit) {
  Answers A;
  Moment End = S.Store.numInstructions();
  A.End.Searched = Q.Forward ? Span{Start, End} : Span{0, Start};
  Moment Cursor = Start;
  while (true) {
    auto M = Q.Forward ? accessFrom(S.Store, L, Q.Kind, Cursor)
                       : lastAccess(S.Store, L, Q.Kind, Cursor);
    if (!M)
      return M.takeError();
    if (!*M)
      break;
    if (**M == BeforeTrace) {
      A.BeforeTrace = true;
      break;
    }
    if (A.List.size() == Limit || S.cancelled()) {
      A.More = true;
      break;
    }
    auto Answer = explainAccess(S, L, Q.Kind, **M);
    if (!Answer)
      return Answer.takeError();
    A.List.push_back(std::move(*Answer));
    Cursor = Q.Forward ? **M + 1 : **M;
  }
  A.End.Complete = !A.More;
  A.End.Cancelled = S.cancelled();
  return A;
}

/// The newest write of each byte of \p L before \p Start, newest first.
static Expected<Answers> collectPieces(Session &S, const Location &L,
                                       const Question &Q, Moment Start) {
  Answers A;
  A.End.Searched = {0, Start};
  std::vector<uint8_t> Left(L.Size, 1);
  Moment Cursor = Start;
  while (!S.cancelled()) {
    std::optional<Moment> Best;
    for (uint64_t I = 0; I < L.Size; ++I) {
      if (!Left[I])
        continue;
      uint64_t Last = I;
      while (Last + 1 < L.Size && Left[Last + 1])
        ++Last;
      auto M = lastAccess(S.Store, part(L, I, Last + 1 - I), Q.Kind, Cursor);
      if (!M)
        return M.takeError();
      if (*M && **M == BeforeTrace)
        A.BeforeTrace = true;
      else if (*M && (!Best || **M > *Best))
        Best = **M;
      I = Last;
    }
    if (!Best)
      break;
    auto Answer = explainAccess(S, L, Q.Kind, *Best);
    if (!Answer)
      return Answer.takeError();
    bool Progress = false;
    for (uint64_t I = 0; I < L.Size; ++I) {
      // What newer pieces have overwritten is none of this one's.
      Answer->Bytes[I] &= Left[I];
      Progress |= Answer->Bytes[I];
      Left[I] &= !Answer->Bytes[I];
    }
    assert((Progress || L.Real) && "the store named an access of other bytes");
    if (!Progress)
      break;
    A.List.push_back(std::move(*Answer));
    if (llvm::count(Left, 1) == 0)
      break;
    Cursor = *Best;
  }
  A.End.Cancelled = S.cancelled();
  A.End.Complete = !A.End.Cancelled;
  return A;
}

/// What can be said of a location that no instruction wrote before \p Before.
static Expected<std::string> unwritten(Session &S, const Location &L,
                                       Moment Before,
                                       std::optional<Moment> &SeenBy) {
  if (L.Where != Location::Memory || L.Real)
    return std::string();
  for (uint64_t B = 0; B < L.Size; ++B) {
    auto O = S.Store.memoryOrigin(Before, L.Addr + B);
    if (!O)
      return O.takeError();
    if (O->From == Provenance::Unknown)
      continue;
    if (O->Origin == BeforeTrace)
      return std::string("the trace tells it before its first instruction");
    if (O->From == Provenance::Read || O->From == Provenance::LaterRead) {
      SeenBy = O->Origin;
      return std::string(
          "first seen by this read; written before the trace or outside it");
    }
  }
  if (S.Symbols)
    if (auto Section = S.Symbols->sectionAt(L.Addr))
      return "it lies in " + Section->Name + " of the image" +
             (Section->Writable ? "" : ", which is read-only");
  return std::string();
}

static Error nothing(Session &S, const Location &L, const Question &Q,
                     const Answers &A, Moment Start) {
  StringRef Done = Q.Kind == AccessKind::Write ? "written" : "read";
  std::string Where =
      Q.FromStart
          ? "in the whole trace"
          : (Twine(Q.Forward ? "from " : "before ") + formatPosition(Start))
                .str();
  if (A.BeforeTrace) {
    auto V = readLocation(S, L, 0);
    if (!V)
      return V.takeError();
    S.Out << describe(L) << " was not " << Done << " " << Where
          << "; the trace tells its value before the first instruction:\n  "
          << shown(S, *V) << "\n";
    return Error::success();
  }
  if (Q.Kind == AccessKind::Write && !Q.Forward) {
    std::optional<Moment> SeenBy;
    auto Why = unwritten(S, L, Start, SeenBy);
    if (!Why)
      return Why.takeError();
    if (SeenBy) {
      S.Out << describe(L) << " was not written " << Where << "; " << *Why
            << ":\n";
      auto Read = explainAccess(S, L, AccessKind::Read, *SeenBy);
      if (!Read)
        return Read.takeError();
      printAnswer(S, *Read);
      return Error::success();
    }
    if (!Why->empty())
      return userError(describe(L) + " was never written " + Where + "; " +
                       *Why);
  }
  return userError(describe(L) + " was never " + Done + " " + Where +
                   " (searched " + formatPosition(A.End.Searched.From) +
                   " to " + formatPosition(A.End.Searched.To) + ")");
}

static Expected<json::Object> answersJson(Session &S, const Location &L,
                                          const Question &Q, const Answers &A,
                                          Moment Start) {
  json::Array Items;
  for (const AccessAnswer &Answer : A.List)
    Items.push_back(toJson(S, Answer));
  json::Object O = listJson(S, std::move(Items), A.End);
  O["question"] = Q.Name;
  O["location"] = toJson(L);
  if (A.BeforeTrace) {
    O["before_trace"] = true;
    S.FoundNothing = false;
  }
  if (A.List.empty() && !A.BeforeTrace && Q.Kind == AccessKind::Write &&
      !Q.Forward) {
    std::optional<Moment> SeenBy;
    auto Why = unwritten(S, L, Start, SeenBy);
    if (!Why)
      return Why.takeError();
    if (!Why->empty())
      O["note"] = *Why;
    if (SeenBy) {
      auto Read = explainAccess(S, L, AccessKind::Read, *SeenBy);
      if (!Read)
        return Read.takeError();
      O["first_seen_by"] = toJson(S, *Read);
      S.FoundNothing = false;
    }
  }
  return O;
}

static Error ask(Session &S, const ParsedOptions &Options, const Question &Q) {
  auto Count = Options.number("count");
  if (!Count)
    return Count.takeError();
  auto Asked = askedAbout(S, Options, Q.Forward ? Looks::Ahead : Looks::Back);
  if (!Asked)
    return Asked.takeError();
  auto &[At, L] = *Asked;
  if (Error E = checkQuestion(L, Q.Kind))
    return E;
  L.Real = Options.has("real");
  if (L.Real && L.Where != Location::Memory)
    return usageError("--real is for addresses; " + describe(L) +
                      " is a register");

  std::string Key = (Q.Name + (L.Real ? " real " : " ") + Options.text() + " " +
                     Twine(L.Size))
                        .str();
  bool Again = false;
  unsigned Times = 0;
  const bool Pieces = Options.has("pieces"), Goes = Options.has("goto");
  // A script wants the same answer to the same question.
  bool Remembers = !Pieces && !Options.has("json");
  Moment Start = Q.FromStart ? 0 : At.When;
  if (Remembers)
    Start = startOf(S, Q, At, Key, Goes, Again, Times);
  // To go to where one stands already would be no move.
  if (Q.Forward && !Q.FromStart && !Again && Goes && !Options.has("at") &&
      Start < S.Store.numInstructions()) {
    auto Runs = S.Store.threadAt(Start);
    if (!Runs)
      return Runs.takeError();
    if (*Runs == At.Thread)
      ++Start;
  }
  auto A = Pieces ? collectPieces(S, L, Q, Start)
                  : collect(S, L, Q, Start, Count->value_or(1));
  if (!A)
    return A.takeError();

  if (A->List.empty()) {
    if (Error E = checkCapable(S.Store, L))
      return E;
    if (Again && !Options.has("json") && !A->BeforeTrace) {
      S.Memory.Question = {};
      return userError("no further " + Q.Noun + " of " + describe(L) +
                       "; ask again to begin anew");
    }
    S.Memory.Question = {};
    if (!Options.has("json"))
      return nothing(S, L, Q, *A, Start);
    auto O = answersJson(S, L, Q, *A, Start);
    if (!O)
      return O.takeError();
    printJson(S.Out, std::move(*O));
    return Error::success();
  }

  // The bytes of a local variable were others' before its call, and are after.
  auto Owner = ownerOf(S, At, L);
  if (!Owner)
    return Owner.takeError();
  Moment Answer = A->List.back().Insn.When;
  if (Remembers)
    S.Memory.Question = {Key, At, Answer, Times + unsigned(A->List.size()),
                         Goes};

  if (Options.has("json")) {
    auto O = answersJson(S, L, Q, *A, Start);
    if (!O)
      return O.takeError();
    if (*Owner)
      (*O)["owner"] = toJson(S, **Owner);
    printJson(S.Out, std::move(*O));
  } else {
    std::string Noun = Q.Noun.str();
    if (Times)
      Noun =
          (Twine(Times + 1) + getOrdinalSuffix(Times + 1) + " " + Noun).str();
    S.Out << Noun << " of " << describe(L)
          << (Pieces && A->List.size() > 1 ? ", in pieces:\n" : ": ");
    for (const AccessAnswer &Each : A->List)
      printAnswer(S, Each);
    if (Pieces && A->BeforeTrace)
      S.Out << "the rest as the trace tells before its first instruction\n";
    else if (!Pieces && A->List.size() > 1)
      printEnding(S, A->List.size(),
                  Q.Kind == AccessKind::Write ? "write" : "read", A->End);
    if (!Pieces && !Q.Forward && Q.Kind == AccessKind::Write &&
        A->List.size() == 1 && L.Size > 1 &&
        llvm::count(A->List[0].Bytes, 1) != int64_t(L.Size))
      S.Out << "  the other bytes are older: --pieces lists them\n";
    // What a register has now is the variable's, whoever wrote it: an argument
    // is its caller's.
    const bool IsNow =
        L.Where != Location::Memory && !Q.Forward && Start == At.When;
    bool Own = true;
    for (size_t I = IsNow; *Owner && Own && I < A->List.size(); ++I) {
      auto Its = isOwn(S, **Owner, L, A->List[I].Insn.When);
      if (!Its)
        return Its.takeError();
      Own = *Its;
    }
    if (!Own)
      S.Out << "  the variable is one of " << describe(S, **Owner)
            << whenOthers(L) << "\n";
  }
  if (!Goes)
    return Error::success();
  const Instruction &I = A->List[Pieces ? 0 : A->List.size() - 1].Insn;
  S.TellsPlace = A->List.size() == 1; // of several, the stop says which
  return S.moveTo({I.Thread, I.When}, (Q.Noun + " of " + L.Text).str());
}

static constexpr Question LastWrite{"last-write", "last write",
                                    AccessKind::Write, false, false};
static constexpr Question NextWrite{"next-write", "next write",
                                    AccessKind::Write, true, false};
static constexpr Question FirstWrite{"first-write", "first write",
                                     AccessKind::Write, true, true};
static constexpr Question LastRead{"last-read", "last read", AccessKind::Read,
                                   false, false};
static constexpr Question NextRead{"next-read", "next read", AccessKind::Read,
                                   true, false};

template <const Question &Q>
static Error runAccess(Session &S, const ParsedOptions &Options) {
  return ask(S, Options, Q);
}

static constexpr OptionSpec RealOption = {
    "real", 0, "", "the location is a real address, wherever it was mapped"};
static constexpr OptionSpec AccessOptions[] = {
    opt::Size,
    opt::At,
    opt::Thread,
    opt::Goto,
    {"count", 'c', "n", "answer with n of them (default: 1)"},
    RealOption,
    opt::Format,
    opt::Raw,
    opt::Json};
static constexpr OptionSpec WriteOptions[] = {
    opt::Size,
    opt::At,
    opt::Thread,
    opt::Goto,
    {"count", 'c', "n", "answer with n of them (default: 1)"},
    {"pieces", 0, "", "the newest write of every byte"},
    RealOption,
    opt::Format,
    opt::Raw,
    opt::Json};

extern const Command LastWriteCommand = {
    .Name = "last-write",
    .Summary = "Tell which instruction wrote a location last",
    .Arguments = "<location>",
    .Help = R"(
A location is a register (x0, w0, d3, sp, cpsr.n), memory (0x1000 --size 8,
sp+16, &variable, a symbol) or, in LLDB, any lvalue of the program's language
(node->key, array[i]); in a shell it is quoted: 'node->key'. The answer:
position, time, line, pc, function and source line, the instruction, the old and
the new value, and how much of the location it wrote. At a debugger's prompt,
asked again from the same place, it walks further back; with --goto, it first
goes to what it told.

  rewind last-write x0
  (lldb) rewind last-write item->quantity --goto
  rewind last-write 0x41fff0 --size 8 --pieces

Where the trace tells real (physical) addresses, --real takes the location for
one: an access counts at whatever effective address it was made.

  rewind last-write 0x41ffe8 --size 4 --real
)",
    .Options = WriteOptions,
    .MinArguments = 1,
    .Run = runAccess<LastWrite>,
    .OnlyAsks = true,
};

extern const Command NextWriteCommand = {
    .Name = "next-write",
    .Summary = "Tell which instruction will write a location next",
    .Arguments = "<location>",
    .Help = R"(
As last-write, but forward, the instruction about to run included (but for
--goto, by which one moves). At a debugger's prompt, asked again, or from the
place that the last answer led to, it walks on.

  rewind next-write seed --at 5000
)",
    .Options = AccessOptions,
    .MinArguments = 1,
    .Run = runAccess<NextWrite>,
    .OnlyAsks = true,
};

extern const Command FirstWriteCommand = {
    .Name = "first-write",
    .Summary = "Tell which instruction of the trace wrote a location first",
    .Arguments = "<location>",
    .Help = R"(
As last-write, but from the beginning of the trace on.

  (lldb) rewind first-write &seed --goto
)",
    .Options = AccessOptions,
    .MinArguments = 1,
    .Run = runAccess<FirstWrite>,
    .OnlyAsks = true,
};

extern const Command LastReadCommand = {
    .Name = "last-read",
    .Summary = "Tell which instruction read memory last",
    .Arguments = "<location>",
    .Help = R"(
As last-write, for reads of memory. A trace does not tell which registers an
instruction reads.

  rewind last-read items --size 4
)",
    .Options = AccessOptions,
    .MinArguments = 1,
    .Run = runAccess<LastRead>,
    .OnlyAsks = true,
};

extern const Command NextReadCommand = {
    .Name = "next-read",
    .Summary = "Tell which instruction will read memory next",
    .Arguments = "<location>",
    .Help = R"(
As next-write, for reads of memory.

  (lldb) rewind next-read seed --at 5000 --goto
)",
    .Options = AccessOptions,
    .MinArguments = 1,
    .Run = runAccess<NextRead>,
    .OnlyAsks = true,
};

} // namespace rw
