//===- AnswersPlaces.cpp - Where things are -------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/Damage.h"
#include "commands/support/PlaceReport.h"
#include "commands/support/PositionExpr.h"
#include "commands/support/Visits.h"
#include "commands/view/Answers.h"
#include "core/store/StoreBuilder.h"
#include "core/store/TraceStore.h"
#include "core/support/InputFile.h"
#include "core/support/Printable.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace rw {

int64_t ViewAnswers::fileNumber(StringRef Path) {
  auto [It, New] = FileNumbers.try_emplace(Path, Files.size());
  if (New)
    Files.push_back(Path.str());
  return It->second;
}

void ViewAnswers::addCode(json::Object &To, uint64_t PC) {
  To["pc"] = hex(PC);
  if (!S.Symbols)
    return;
  auto Sym = S.Symbols->symbolizeCode(PC);
  if (!Sym || Sym->Frames.empty() || !Sym->Frames[0].Line)
    return;
  const SourceFrame &Frame = Sym->Frames[0];
  To["file"] = printable(Frame.File);
  To["file_number"] = fileNumber(printable(Frame.File));
  To["source_line"] = int64_t(Frame.Line);
}

const json::Array &ViewAnswers::lacks() {
  if (Lacks)
    return *Lacks;
  Lacks.emplace();
  for (const Damage &D : damageOf(S.Store)) {
    json::Array First;
    for (const Damage::Place &P : D.First) {
      json::Object O{{"text", printable(P.Text)}};
      if (P.Line)
        O["line"] = P.Line;
      First.push_back(std::move(O));
    }
    json::Object O{{"text", printable(D.Text)}, {"first", std::move(First)}};
    if (D.Event)
      O["event"] = eventName(*D.Event);
    Lacks->push_back(std::move(O));
  }
  return *Lacks;
}

/// What a page needs to know at once, and what it can ask for at all.
ViewAnswers::Answer ViewAnswers::hello(const ViewFields &) {
  const TraceHeader &H = S.Store.header();
  json::Array Threads;
  for (ThreadIndex T = 0; T < S.Store.numThreads(); ++T)
    Threads.push_back(
        json::Object{{"thread", int64_t(T) + 1},
                     {"name", printable(H.Threads[T].Name)},
                     {"instructions", S.Store.numInstructions(T)},
                     {"calls", Calls ? int64_t(Calls->size(T)) : 0}});
  json::Object Can{{"registers", H.Can.Registers},
                   {"memory_addresses", H.Can.MemAddresses},
                   {"memory_values", H.Can.MemValues},
                   {"time", H.Can.Time},
                   {"lines", H.Can.Lines},
                   {"calls", bool(Calls)},
                   {"symbols", S.Symbols != nullptr},
                   {"bookmarks", !S.StorePath.empty()}};
  // Which trace this is: a link made for another one says so.
  const SourceStamp &Source = S.Store.source();
  json::Object O{
      {"trace", printable(sys::path::filename(
                    S.TracePath.empty() ? StringRef("-") : S.TracePath))},
      {"stamp", hex(Source.Digest ^ Source.Size ^ S.Store.numInstructions())},
      {"format", H.Format},
      {"architecture", shortName(H.Architecture)},
      {"byte_order", H.Order == ByteOrder::Little ? "little" : "big"},
      {"time_unit", printable(H.TimeUnit)},
      {"threads", std::move(Threads)},
      {"can", std::move(Can)},
      {"lacks", json::Array(lacks())}};
  if (const RegisterInfo *SP = S.Store.registerFile().sp())
    O["sp"] = SP->Name;
  if (H.Can.Time) {
    O["first_time"] = S.Store.firstTime();
    O["last_time"] = S.Store.lastTime();
  }
  if (Debugger)
    O["debugger"] = Debugger->State();
  return O;
}

/// The debugger is to go there.
ViewAnswers::Answer ViewAnswers::go(const ViewFields &F) {
  auto Here = asked(F);
  auto Revision = F.number("revision", uint64_t(1) << 53);
  auto By = F.number("by", uint64_t(1) << 53);
  if (!Here || !Revision || !By)
    return joinErrors(Here.takeError(),
                      joinErrors(Revision.takeError(), By.takeError()));
  if (!Debugger)
    return userError("this page belongs to no debugger");
  if (Error E = Debugger->Go({Here->Thread, Here->When}, *Revision, *By))
    return E;
  return json::Object();
}

ViewAnswers::Answer ViewAnswers::where(const ViewFields &F) {
  auto Here = asked(F);
  if (!Here)
    return Here.takeError();
  auto O = placeToJson(S, {Here->Thread, Here->When});
  if (!O)
    return O.takeError();
  if (auto Path = O->getString("file"))
    (*O)["file_number"] = fileNumber(*Path);
  if (Calls) {
    auto A = Calls->enclosing(Here->Thread, Here->At);
    if (!A)
      return A.takeError();
    if (*A) {
      (*O)["activation"] = (*A)->Number;
      (*O)["depth"] = int64_t((*A)->Depth);
    }
  }
  return O;
}

/// What somebody typed: a position in any way that commands know, a place of
/// the code (then its next visit, or the last one), or an address of memory.
ViewAnswers::Answer ViewAnswers::resolve(const ViewFields &F) {
  auto T = thread(F);
  if (!T)
    return T.takeError();
  auto At = position(F, "at", *T);
  auto Text = F.text("text");
  auto Back = F.flag("back");
  // Only a position, or only a place of the code.
  auto OnlyPosition = F.flag("position");
  auto OnlyCode = F.flag("code");
  if (!At || !Text || !Back || !OnlyPosition || !OnlyCode)
    return joinErrors(
        joinErrors(joinErrors(At.takeError(), Text.takeError()),
                   joinErrors(Back.takeError(), OnlyPosition.takeError())),
        OnlyCode.takeError());
  auto When = S.Store.momentOf(*T, *At);
  if (!When)
    return When.takeError();
  Place Here{*T, *When};
  auto AnswerPlace = [&](Place Where,
                         StringRef Kind) -> Expected<json::Object> {
    auto P = S.Store.positionOf(Where.Thread, Where.When);
    if (!P)
      return P.takeError();
    return json::Object{
        {"kind", Kind}, {"thread", int64_t(Where.Thread) + 1}, {"at", *P}};
  };
  // "0x8000" is an address, and no position.
  std::string NoPosition, NoVisit;
  if (!*OnlyCode &&
      (*OnlyPosition || !StringRef(*Text).starts_with_insensitive("0x"))) {
    auto P = parsePosition(S, *Text, std::nullopt, Here);
    if (P)
      return AnswerPlace(*P, "position");
    if (*OnlyPosition || isWrittenAsPosition(*Text))
      return P.takeError();
    NoPosition = toString(P.takeError());
  }
  auto Visit = [&](const CodePlace &Code) -> Expected<json::Object> {
    auto Found = *Back ? lastVisit(S.Store, Code, Here.When, *T)
                       : visitFrom(S.Store, Code, Here.When + 1, *T);
    if (!Found)
      return Found.takeError();
    bool Wrapped = !*Found;
    if (Wrapped) {
      Found = *Back ? lastVisit(S.Store, Code, S.Store.numInstructions(), *T)
                    : visitFrom(S.Store, Code, 0, *T);
      if (!Found)
        return Found.takeError();
    }
    if (!*Found) {
      NoVisit = "this thread never runs '" + *Text + "'";
      return json::Object();
    }
    auto O = AnswerPlace({*T, **Found}, "visit");
    if (O && Wrapped)
      (*O)["wrapped"] = true;
    return O;
  };
  auto Code = parseCodePlace(S, Here, *Text, /*Entry=*/false);
  if (Code) {
    auto O = Visit(*Code);
    if (!O || !O->empty())
      return O;
  } else {
    NoVisit = toString(Code.takeError());
  }
  auto Addr = addressOf(Here, *Text);
  if (Addr && !*OnlyCode)
    return json::Object{{"kind", "memory"}, {"address", hex(*Addr)}};
  if (Addr && !Code) {
    // An expression of registers that is the address of an instruction.
    auto O = Visit({*Text, {*Addr}});
    if (!O || !O->empty())
      return O;
  } else if (!Addr) {
    consumeError(Addr.takeError());
  }
  return userError(NoVisit.empty() ? NoPosition : NoVisit);
}

/// The next or last exception, or another event.
ViewAnswers::Answer ViewAnswers::event(const ViewFields &F) {
  auto T = thread(F);
  if (!T)
    return T.takeError();
  auto At = position(F, "at", *T);
  auto Back = F.flag("back");
  auto Kind = F.textOr("kind", "exception");
  if (!At || !Back || !Kind)
    return joinErrors(joinErrors(At.takeError(), Back.takeError()),
                      Kind.takeError());
  if (!Events) {
    auto Track = EventTrack::build(S.Store, S.Watch);
    if (!Track)
      return Track.takeError();
    Events = std::move(*Track);
  }
  for (unsigned K = 0; K < NumEventKinds; ++K) {
    if (*Kind != eventName(EventKind(K)))
      continue;
    auto Found = *Back ? Events->last(*T, EventKind(K), *At)
                       : Events->next(*T, EventKind(K), *At);
    if (!Found)
      return userError("there is no " + *Kind + (*Back ? " before" : " after") +
                       " here");
    return json::Object{{"at", Found->First}};
  }
  return userError("there is no kind of event called '" + *Kind + "'");
}

ViewAnswers::Answer ViewAnswers::stack(const ViewFields &F) {
  static constexpr size_t MaxFrames = 200;
  auto T = thread(F);
  if (!T)
    return T.takeError();
  auto P = position(F, "at", *T);
  if (!P)
    return P.takeError();
  json::Array Frames;
  if (!Calls)
    return json::Object{{"frames", std::move(Frames)}, {"complete", false}};
  if (*P >= S.Store.numInstructions(*T))
    return json::Object{{"frames", std::move(Frames)}, {"complete", true}};
  auto Stack = Calls->stack(*T, *P);
  if (!Stack)
    return Stack.takeError();
  bool Complete = Stack->size() <= MaxFrames;
  // Each frame stands at the call of the one inside it.
  Position At = *P;
  for (const Activation &A : *Stack) {
    if (Frames.size() == MaxFrames)
      break;
    auto M = S.Store.momentOf(*T, At);
    if (!M)
      return M.takeError();
    auto I = S.Store.instruction(*M);
    if (!I)
      return I.takeError();
    json::Object O{{"number", A.Number},
                   {"name", Names->nameOr(I->Insn.PC)},
                   {"at", At},
                   {"start", A.Start},
                   {"end", A.End},
                   {"depth", int64_t(A.Depth)},
                   {"remarks", activationRemarks(A, false)}};
    addCode(O, I->Insn.PC);
    Frames.push_back(std::move(O));
    if (!A.Start)
      break;
    At = A.Start - 1;
  }
  return json::Object{{"frames", std::move(Frames)}, {"complete", Complete}};
}

/// A source file that an answer has named, by its number.
ViewAnswers::Answer ViewAnswers::source(const ViewFields &F) {
  static constexpr uint64_t MaxBytes = 16 << 20, MaxLines = 2000;
  auto Number = F.number("file", Files.empty() ? 0 : Files.size() - 1);
  auto From = F.numberOr("from", uint64_t(1) << 31, 1);
  auto Count = F.numberOr("count", MaxLines, MaxLines);
  if (!Number || !From || !Count)
    return joinErrors(joinErrors(Number.takeError(), From.takeError()),
                      Count.takeError());
  if (Files.empty())
    return userError("no source file has been named yet");
  const std::string &Path = Files[*Number];
  auto Text = readWholeFile(S.sourceFile(Path), MaxBytes);
  if (!Text)
    return Text.takeError();
  SmallVector<StringRef, 0> All;
  (*Text)->getBuffer().split(All, '\n');
  if (!All.empty() && All.back().empty())
    All.pop_back();
  json::Array Lines;
  uint64_t First = std::max<uint64_t>(*From, 1);
  for (uint64_t L = First; L <= All.size() && Lines.size() < *Count; ++L)
    Lines.push_back(printable(All[L - 1].rtrim('\r').take_front(400), "\t"));
  return json::Object{{"file", Path},
                      {"from", First},
                      {"of", int64_t(All.size())},
                      {"lines", std::move(Lines)}};
}

} // namespace rw
