//===- ListFilter.cpp - Which instructions are listed ---------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/questions/ListFilter.h"
#include "commands/questions/CallDepths.h"
#include "commands/support/Access.h"
#include "commands/support/NameGlob.h"
#include "commands/support/NearNames.h"
#include "core/store/TraceStore.h"
#include "core/support/NumberMap.h"
#include "core/support/SymbolPattern.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace rw {

namespace {

struct DepthRange {
  uint64_t Least = 0, Most = ~uint64_t(0);
  bool holds(uint64_t Depth) const { return Least <= Depth && Depth <= Most; }
};

/// The executed addresses of the functions that a glob names.
class FunctionCode {
public:
  static Expected<std::unique_ptr<FunctionCode>> find(Session &S,
                                                      StringRef Glob);
  bool contains(uint64_t PC) const { return Set.contains(PC); }
  ArrayRef<uint64_t> addresses() const { return List; }

private:
  std::vector<uint64_t> List;
  NumberSet Set;
};

class FilterOf final : public ListFilter {
public:
  FilterOf(Session &S, std::optional<ThreadIndex> T)
      : S(S), T(T), Cursor(S.Store.cursor(/*WithEffects=*/false)) {}

  Error read(const ParsedOptions &O);
  Expected<std::optional<Moment>> next(Moment From, Moment To) override;
  Moment reached() const override { return Reached; }

private:
  Expected<std::optional<Moment>> nextWrite(Moment From, Moment To);
  Expected<std::optional<Moment>> scan(Moment From, Moment To);
  Expected<bool> holds(ThreadIndex Thread, Position Pos, uint64_t PC);
  /// An Error because of Ctrl-C is none.
  Expected<std::optional<Moment>> stopped(Error E) {
    if (!S.cancelled())
      return E;
    consumeError(std::move(E));
    return std::nullopt;
  }
  Expected<Moment> pastOtherDepths(const Instruction &I);
  Expected<Moment> pastOtherCode(Moment From, Moment To);

  Session &S;
  const std::optional<ThreadIndex> T;
  std::optional<AccessSearch> Writes; ///< of the location of --writes
  Location Written;                   ///< that location
  std::optional<DepthRange> Depth;
  std::unique_ptr<CallDepths> Calls;
  std::unique_ptr<FunctionCode> Function;
  std::unique_ptr<InstructionCursor> Cursor;
  Moment CursorAt = ~Moment(0);
  Moment Reached = 0;
};

} // namespace

Expected<std::unique_ptr<FunctionCode>> FunctionCode::find(Session &S,
                                                           StringRef Text) {
  if (!S.Symbols)
    return userError("there is no image to look up the functions '" + Text +
                     "' in (--image)");
  auto Like = NameGlob::create("--" + opt::InFunction.Long, Text);
  if (!Like)
    return Like.takeError();
  auto Code = std::make_unique<FunctionCode>();
  const std::vector<uint64_t> PCs = S.Store.distinctPCs();
  constexpr size_t Often = 64;
  for (size_t N = 0; N < PCs.size(); ++N) {
    if (N % Often == 0)
      if (Error E = S.Watch.step("looking up functions", N, PCs.size()))
        return E;
    auto Sym = S.Symbols->symbolizeCode(PCs[N]);
    if (!Sym)
      continue;
    bool Wanted = Like->match(Sym->Function);
    for (const SourceFrame &F : Sym->Frames)
      Wanted |= Like->match(F.Function);
    if (Wanted) {
      Code->List.push_back(PCs[N]);
      Code->Set.insert(PCs[N]);
    }
  }
  if (!Code->List.empty())
    return Code;
  // One that never ran has no instructions; one that is not there is a mistake.
  for (const ImageSymbol &Sym : S.Symbols->symbolTable())
    if (Like->match(Sym.Name) || Like->match(readableName(Sym.Name)))
      return Code;
  return userError("no function is called '" + Text + "'" +
                   nearFunctions(S.Symbols, Text));
}

static Expected<DepthRange> parseDepth(StringRef Text) {
  DepthRange R;
  auto Bad = [&] {
    return usageError("--depth wants a number or two, as in 3, 2..5, 2.. or "
                      "..5, not '" +
                      Text + "'");
  };
  auto Read = [](StringRef Word, uint64_t &To) {
    auto N = parseNumber(Word);
    if (N)
      To = *N;
    return N.has_value();
  };
  if (!Text.contains("..")) {
    if (!Read(Text, R.Least))
      return Bad();
    R.Most = R.Least;
    return R;
  }
  auto [Least, Most] = Text.split("..");
  if ((Least.empty() && Most.empty()) ||
      (!Least.empty() && !Read(Least, R.Least)) ||
      (!Most.empty() && !Read(Most, R.Most)))
    return Bad();
  if (R.Least > R.Most)
    return usageError("--depth " + Text + " is empty: the lesser one is first");
  return R;
}

bool ListFilter::given(const ParsedOptions &O) {
  for (const OptionSpec &Option :
       {opt::Depth, opt::InFunction, opt::Writes, opt::Grep})
    if (O.has(Option.Long))
      return true;
  return false;
}

bool ListFilter::takes(StringRef Lines) const {
  if (!Pattern)
    return true;
  while (!Lines.empty()) {
    auto [Line, Rest] = Lines.split('\n');
    if (Pattern->match(Line.ltrim()))
      return true;
    Lines = Rest;
  }
  return false;
}

/// How many parts a pattern has for LLVM, which writes what comes N times down
/// N times. "((a{9}){9}){9}" are 729, which takes 60 bytes each.
static uint64_t writtenOut(StringRef Pattern) {
  struct Group {
    uint64_t Parts = 0, Last = 0; ///< Last: what a repetition is of
    void close() { Parts = SaturatingAdd(Parts, std::exchange(Last, 0)); }
  };
  SmallVector<Group, 16> Open(1);
  for (size_t I = 0; I < Pattern.size(); ++I) {
    Group &G = Open.back();
    const char C = Pattern[I];
    unsigned Low; // of a repetition
    if (C == '(') {
      G.close();
      Open.emplace_back();
    } else if (C == ')' && Open.size() > 1) {
      G.close();
      const uint64_t Parts = SaturatingAdd(G.Parts, uint64_t(1));
      Open.pop_back();
      Open.back().Last = Parts;
    } else if (StringRef Bounds = Pattern.substr(I + 1);
               C == '{' && !Bounds.consumeInteger(10, Low)) {
      unsigned High = Low;
      if (Bounds.consume_front(",") && Bounds.consumeInteger(10, High))
        High = Low + 1; // and no end
      G.Last = SaturatingMultiply(G.Last, uint64_t(std::max({Low, High, 1u})));
      I = Pattern.find('}', I);
      if (I == StringRef::npos)
        break;
    } else if (C == '[') {
      G.close();
      G.Last = 1;
      // "[]a]" and "[^]a]" have the first bracket in them.
      size_t From = I + 1 + (Pattern.substr(I + 1).starts_with("^"));
      I = Pattern.find(']', From + 1);
      if (I == StringRef::npos)
        break;
    } else if (!StringRef("*+?|").contains(C)) {
      G.close();
      G.Last = 1;
      I += C == '\\';
    }
  }
  uint64_t All = 0;
  for (Group &G : Open) {
    G.close();
    All = SaturatingAdd(All, G.Parts);
  }
  return All;
}

Error FilterOf::read(const ParsedOptions &O) {
  if (auto Text = O.value(opt::Grep.Long)) {
    // LLVM takes stack for each bracket.
    constexpr size_t Longest = 4096;
    constexpr uint64_t MostWrittenOut = 1 << 16;
    if (Text->size() > Longest)
      return usageError("--grep: a pattern of " + Twine(Text->size()) +
                        " characters is too long");
    if (uint64_t Size = writtenOut(*Text); Size > MostWrittenOut)
      return usageError("--grep '" + *Text +
                        "': with its repetitions written out it has " +
                        Twine(Size) + " parts; at most " +
                        Twine(MostWrittenOut) + " are looked for");
    std::string Why;
    Pattern.emplace(*Text);
    if (!Pattern->isValid(Why))
      return usageError("--grep '" + *Text + "': " + Why);
  }
  if (auto Text = O.value(opt::Depth.Long)) {
    auto R = parseDepth(*Text);
    if (!R)
      return R.takeError();
    Depth = *R;
    auto Opened = CallDepths::open(S);
    if (!Opened)
      return Opened.takeError();
    Calls = std::move(*Opened);
  }
  if (auto Text = O.value(opt::Writes.Long)) {
    auto At = askedAt(S, O, Looks::Back);
    auto Size = O.number(opt::Size.Long);
    if (!At || !Size)
      return joinErrors(At.takeError(), Size.takeError());
    auto L = parseLocation(S, *At, *Text, *Size);
    if (!L)
      return L.takeError();
    if (Error E = checkQuestion(*L, AccessKind::Write))
      return E;
    if (Error E = checkCapable(S.Store, *L))
      return E;
    auto Whose = ownerOf(S, *At, *L);
    if (!Whose)
      return Whose.takeError();
    Owner = std::move(*Whose);
    Written = *L;
    Writes.emplace(S.Store, *L, AccessKind::Write);
  } else if (O.has(opt::At.Long) || O.has(opt::Size.Long)) {
    return usageError("--at and --size are of the location of --writes");
  }
  if (auto Text = O.value(opt::InFunction.Long)) {
    auto Code = FunctionCode::find(S, *Text);
    if (!Code)
      return Code.takeError();
    Function = std::move(*Code);
  }
  return Error::success();
}

Expected<std::unique_ptr<ListFilter>>
ListFilter::create(Session &S, const ParsedOptions &O,
                   std::optional<ThreadIndex> T) {
  auto F = std::make_unique<FilterOf>(S, T);
  if (Error E = F->read(O))
    return E;
  return std::unique_ptr<ListFilter>(std::move(F));
}

Expected<std::optional<Moment>> FilterOf::next(Moment From, Moment To) {
  Reached = From;
  if (From >= To || (Function && Function->addresses().empty())) {
    Reached = To;
    return std::nullopt;
  }
  auto M = Writes ? nextWrite(From, To) : scan(From, To);
  if (M && !*M && !S.cancelled())
    Reached = To;
  return M;
}

Expected<bool> FilterOf::holds(ThreadIndex Thread, Position Pos, uint64_t PC) {
  if ((T && Thread != *T) || (Function && !Function->contains(PC)))
    return false;
  if (!Depth)
    return true;
  auto D = Calls->at(Thread, Pos);
  if (!D)
    return D.takeError();
  return Depth->holds(*D);
}

Expected<std::optional<Moment>> FilterOf::nextWrite(Moment From, Moment To) {
  // Where most writes are elsewhere, what is looked for next is the right
  // place, and then the write there.
  constexpr unsigned Many = 64;
  for (unsigned Elsewhere = 0; From < To && !S.cancelled(); ++Elsewhere) {
    Reached = From;
    auto M = Writes->from(From);
    if (!M)
      return M;
    if (!*M || **M >= To)
      return std::nullopt;
    if (Owner && **M >= Owner->Life.From && **M < Owner->Life.To) {
      auto Own = isOwn(S, *Owner, Written, **M);
      if (!Own)
        return stopped(Own.takeError());
      if (!*Own) {
        From = **M + 1;
        continue;
      }
    }
    if (!T && !Function && !Depth)
      return M;
    auto I = S.Store.instruction(**M);
    if (!I)
      return I.takeError();
    auto Is = holds(I->Thread, I->Pos, I->Insn.PC);
    if (!Is)
      return stopped(Is.takeError());
    if (*Is)
      return M;
    From = **M + 1;
    if (Elsewhere < Many)
      continue;
    auto Place = scan(From, To);
    if (!Place || !*Place)
      return Place;
    From = **Place;
  }
  return std::nullopt;
}

/// Behind the instructions of I's thread that are as deep as it, if there is no
/// other thread's to look at among them.
Expected<Moment> FilterOf::pastOtherDepths(const Instruction &I) {
  constexpr uint64_t Worthwhile = 1 << 10; // a seek costs part of a block
  if (!T && S.Store.numThreads() > 1)
    return I.When + 1;
  const Position P =
      std::min(Calls->changes(I.Thread), S.Store.numInstructions(I.Thread));
  if (P < I.Pos + Worthwhile)
    return I.When + 1;
  if (P == S.Store.numInstructions(I.Thread))
    return S.Store.numInstructions();
  return S.Store.momentOf(I.Thread, P);
}

Expected<Moment> FilterOf::pastOtherCode(Moment From, Moment To) {
  Moment First = To;
  for (uint64_t PC : Function->addresses()) {
    auto M = S.Store.visitAtOrAfter(PC, From, T);
    if (!M)
      return M.takeError();
    if (*M)
      First = std::min(First, **M);
    if (First == From || S.cancelled())
      return From;
  }
  return First;
}

Expected<std::optional<Moment>> FilterOf::scan(Moment From, Moment To) {
  if (!Function && !Depth && !T)
    return std::optional<Moment>(From);
  constexpr unsigned Often = 1 << 14;
  // A search for an address costs as much as some hundred instructions: they
  // are made where as much has been looked at in vain.
  constexpr uint64_t Dear = 512;
  uint64_t Patience =
      Function
          ? std::max<uint64_t>(1 << 12, Dear * Function->addresses().size())
          : ~uint64_t(0);
  uint64_t InVain = 0;
  for (Moment M = From; M < To; ++InVain) {
    if (InVain && InVain % Often == 0) {
      Reached = M;
      if (S.Watch.Progress)
        S.Watch.Progress("looking for instructions", M, To);
      if (S.cancelled())
        return std::nullopt;
    }
    if (InVain && InVain % Patience == 0) {
      auto Next = pastOtherCode(M, To);
      if (!Next)
        return Next.takeError();
      M = *Next;
      if (M >= To)
        return std::nullopt;
    }
    if (CursorAt != M)
      Cursor->seek(M);
    const Instruction *I = Cursor->next();
    CursorAt = M + 1;
    if (!I)
      break;
    auto Is = holds(I->Thread, I->Pos, I->Insn.PC);
    if (!Is)
      return stopped(Is.takeError());
    if (*Is)
      return std::optional<Moment>(M);
    ++M;
    // Whether it was for its depth.
    if (Depth && (!T || I->Thread == *T) &&
        (!Function || Function->contains(I->Insn.PC))) {
      auto Next = pastOtherDepths(*I);
      if (!Next)
        return Next.takeError();
      M = *Next;
    }
  }
  if (Error E = Cursor->takeError())
    return E;
  return std::nullopt;
}

} // namespace rw
