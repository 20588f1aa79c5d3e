//===- Htr.cpp - What the htr commands have in common ---------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/htr/Htr.h"
#include "core/store/TraceStore.h"
#include "core/support/BriefName.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

Expected<std::shared_ptr<HtrFile>>
computeHtr(Session &S, const htr::RunOptions &RunOptions, bool MustKeep) {
  htr::RunOptions Options = RunOptions;
  Options.Watch = S.Watch;
  const std::string Path = htr::layersPath(S.StorePath);
  const bool Keeps = S.MayKeep && !S.StorePath.empty();
  auto place = [&]() -> Error {
    if (htr::isReplaced(S.Store, S.StorePath))
      return userError("'" + S.StorePath +
                       "' is another index than the one that is open: load the "
                       "trace again");
    return htr::checkHtrPlace(Path);
  };
  if (Keeps && MustKeep)
    if (Error E = place())
      return E;
  auto Run = htr::runPasses(S.Store, Options);
  if (!Run)
    return Run.takeError();
  bool Kept = false;
  if (Keeps) {
    Error E = place();
    if (!E)
      E = htr::writeHtrFile(Path, *Run);
    Kept = !E;
    if (E && MustKeep)
      return E;
    if (E)
      S.warn("the layers were not kept: " + toString(std::move(E)));
  }
  // Mapped where it can be: it need not stay in memory then.
  Expected<std::shared_ptr<HtrFile>> File =
      Kept ? HtrFile::open(Path) : htr::openInMemory(*Run);
  if (File)
    for (const std::string &Note : (*File)->header().Notes)
      S.warn(Note);
  return File;
}

Expected<std::shared_ptr<HtrFile>> openHtr(Session &S) {
  if (S.Memory.Layers)
    return S.Memory.Layers;
  std::string Why;
  if (!S.StorePath.empty()) {
    auto File = htr::openLayers(S.Store, S.StorePath, Why);
    if (!File || *File)
      return File;
  } else {
    Why = "the store has no file to keep them by";
  }
  S.warn("computing the layers (" + htr::DefaultPipeline.str() + "): " + Why);
  auto Made = computeHtr(S, {}, /*MustKeep=*/false);
  if (Made && !S.MayKeep)
    S.Memory.Layers = *Made;
  return Made;
}

Expected<BlockId> parseBlock(const HtrFile &File, StringRef Text) {
  StringRef Digits = Text;
  Digits.consume_front_insensitive("b");
  auto N = parseNumber(Digits);
  if (!N)
    return usageError("'" + Text + "' is not a block; blocks are called B17");
  if (*N >= File.numBlocks())
    return userError("there is no block B" + Twine(*N) + "; the last one is B" +
                     Twine(File.numBlocks() - 1));
  return BlockId(*N);
}

Expected<OpenedBlock> openBlock(Session &S, const ParsedOptions &O) {
  auto File = openHtr(S);
  if (!File)
    return File.takeError();
  auto Id = parseBlock(**File, O.arguments()[0]);
  if (!Id)
    return Id.takeError();
  return OpenedBlock{std::move(*File), *Id};
}

Expected<unsigned> parseLayer(const HtrFile &File, StringRef Text) {
  if (Text == "top")
    return File.numLayers() - 1;
  if (auto N = parseNumber(Text)) {
    if (*N < File.numLayers())
      return unsigned(*N);
    return userError("there is no layer " + Twine(*N) + "; the top one is " +
                     Twine(File.numLayers() - 1));
  }
  for (unsigned L = File.numLayers(); L-- > 0;)
    if (File.layer(L).Pass == Text)
      return L;
  return userError("there is no layer '" + Text +
                   "'; see them with htr layers");
}

std::string percent(double Part, double Whole) {
  return Whole > 0 ? formatv("{0:f1}%", 100 * Part / Whole).str() : "-";
}

std::string blockLabel(BlockId B) { return "B" + std::to_string(B); }

StringRef blockKindName(BlockKind Kind) {
  switch (Kind) {
  case BlockKind::Instruction:
    return "instruction";
  case BlockKind::Break:
    return "break";
  case BlockKind::Sequence:
    return "sequence";
  case BlockKind::Repeat:
    return "loop";
  case BlockKind::Iterations:
    return "branching loop";
  case BlockKind::Function:
    return "function";
  }
  return "block";
}

std::string formatHtrPlace(const Session &S, const HtrFile &File,
                           htr::Place P) {
  auto [T, Pos] = File.positionOf(P);
  return formatPlace(S.Store, T, Pos);
}

std::string asCall(std::string Name) {
  // C++ names have parameters, and may have something behind these: "f()
  // const", "f(int) (.isra.0)".
  const StringRef Text = Name;
  if (Text.ends_with(")") || Text.contains("(...)") || Text.contains(") "))
    return Name;
  return Name + "()";
}

const std::optional<CodeSymbol> &HtrNames::symbol(uint64_t PC) {
  auto [It, New] = Known.try_emplace(PC);
  if (New && S.Symbols) {
    It->second = S.Symbols->symbolizeCode(PC);
    if (It->second && Length == NameLength::Brief)
      It->second->Function = briefName(It->second->Function);
  }
  return It->second;
}

std::string HtrNames::pc(uint64_t PC) {
  const auto &Sym = symbol(PC);
  if (!Sym || Sym->Function.empty())
    return hex(PC);
  return PC == Sym->Start ? Sym->Function
                          : Sym->Function + "+" + hex(PC - Sym->Start);
}

std::string HtrNames::header(BlockId Loop) {
  const auto F = File.loopFacts(Loop);
  const BlockId Header = F ? F->Header : File.block(Loop).Entry;
  return Header == htr::NoBlock ? "(nothing)" : pc(File.block(Header).Value);
}

std::string HtrNames::symbolName(uint64_t PC) {
  const auto &Sym = symbol(PC);
  return Sym && !Sym->Function.empty() ? Sym->Function : hex(PC);
}

std::string HtrNames::function(uint64_t EntryPC) {
  if (FunctionAt.empty())
    for (BlockId B = File.layer(0).EndBlock; B < File.numBlocks(); ++B)
      if (File.kind(B) == BlockKind::Function)
        FunctionAt.try_emplace(File.block(B).Value, B);
  auto It = FunctionAt.find(EntryPC);
  return It == FunctionAt.end() ? entered(EntryPC, EntryPC) : call(It->second);
}

BlockId HtrNames::entry(BlockId Function) {
  const BlockInfo I = File.block(Function);
  if (const auto &Sym = symbol(I.Value); !Sym || Sym->Start == I.Value)
    return I.Entry;
  const UnitRange R = File.parts(Function, I.Home);
  for (uint64_t K = 0; K < std::min<uint64_t>(R.size(), 4); ++K) {
    const BlockInfo First = File.block(File.unit(R, K));
    if (First.Kind != BlockKind::Instruction)
      break;
    if (const auto &Sym = symbol(First.Value);
        Sym && !Sym->Function.empty() && Sym->Start == First.Value)
      return First.Id;
  }
  return I.Entry;
}

std::string HtrNames::call(BlockId Function) {
  const BlockId Entry = entry(Function);
  const uint64_t PC = File.block(Function).Value;
  return entered(PC, Entry == htr::NoBlock ? PC : File.block(Entry).Value);
}

std::string HtrNames::entered(uint64_t EntryPC, uint64_t Named) {
  const bool Handler = binary_search(File.header().Handlers, EntryPC);
  return (Handler ? "[exception] " : "") + symbolName(Named);
}

std::string HtrNames::code(BlockId First, BlockId Last) {
  if (First == htr::NoBlock)
    return "(nothing)";
  uint64_t From = File.block(First).Value, To = File.block(Last).Value;
  if (From == To)
    return pc(From);
  const auto &A = symbol(From), &B = symbol(To);
  if (A && B && A->Start == B->Start && To >= A->Start)
    // A loop that was entered in its middle has no range: it wraps around.
    return To > From ? pc(From) + "..+" + hex(To - A->Start) : pc(From);
  return pc(From) + ".." + pc(To);
}

std::string HtrNames::step(htr::PathStep Step) {
  if (Step.At == htr::NoBlock)
    return Step.What == htr::PathStep::Begin ? "the beginning" : "the end";
  const uint64_t PC = File.block(Step.At).Value;
  if (Step.What == htr::PathStep::Loop)
    return "loop " + pc(PC);
  if (Step.What != htr::PathStep::Call)
    return pc(PC);
  return asCall(function(PC));
}

json::Object HtrNames::stepJson(htr::PathStep Step) {
  static constexpr StringLiteral Kinds[] = {"instruction", "loop", "call",
                                            "begin", "end"};
  json::Object O{{"kind", Kinds[Step.What]}, {"name", step(Step)}};
  if (Step.At == htr::NoBlock)
    return O;
  O["pc"] = hex(File.block(Step.At).Value);
  if (std::string Source = source(Step.At, Step.At); !Source.empty())
    O["source"] = Source;
  return O;
}

std::string HtrNames::source(BlockId First, BlockId Last) {
  if (First == htr::NoBlock)
    return {};
  const auto &A = symbol(File.block(First).Value);
  const auto &B = symbol(File.block(Last).Value);
  if (!A || !B || A->Frames.empty() || B->Frames.empty())
    return {};
  // What ends in another function (a trace that is cut, a tail call) has no
  // lines from here to there.
  const bool Same = A->Start == B->Start;
  const SourceFrame &From = A->Frames.back(),
                    &To = Same ? B->Frames.back() : From;
  if (!From.Line || !To.Line || From.File != To.File)
    return {};
  std::string Text = From.File.substr(From.File.rfind('/') + 1) + ":" +
                     std::to_string(std::min(From.Line, To.Line));
  if (From.Line != To.Line)
    Text += "-" + std::to_string(std::max(From.Line, To.Line));
  return Text;
}

std::string HtrNames::block(BlockId B) { return blockAt(B, 0); }

std::string HtrNames::blockAt(BlockId B, unsigned Depth) {
  BlockInfo I = File.block(B);
  unsigned Top = File.numLayers() - 1;
  switch (I.Kind) {
  case BlockKind::Instruction:
    return pc(I.Value);
  case BlockKind::Break:
    return I.Value == uint64_t(EventKind::Error)   ? "(error in the trace)"
           : I.Value == uint64_t(EventKind::Pause) ? "(tracing was paused)"
                                                   : "(gap)";
  case BlockKind::Function: {
    return asCall(call(B));
  }
  case BlockKind::Repeat: {
    std::string Body =
        Depth < 3 ? blockAt(File.unit(File.parts(B, Top), 0), Depth + 1)
                  : "...";
    return "loop " + grouped(I.Value) + " x " + Body;
  }
  case BlockKind::Iterations: {
    if (const auto F = File.loopFacts(B))
      return "loop " + grouped(File.numRounds(B) - F->EndsInTest) + " x " +
             header(B);
    UnitRange Parts = File.parts(B, Top);
    std::vector<std::string> Names;
    size_t More = 0;
    for (uint64_t K = 0; K < std::min<uint64_t>(Parts.size(), 256); ++K) {
      std::string Name = Depth < 2 ? blockAt(File.unit(Parts, K), Depth + 1)
                                   : std::string("...");
      if (is_contained(Names, Name))
        continue;
      if (Names.size() < 3)
        Names.push_back(Name);
      else
        ++More;
    }
    std::string Text = join(Names, " | ");
    return "loop " + grouped(Parts.size()) + " x {" + Text +
           (More ? " | ...}" : "}");
  }
  case BlockKind::Sequence:
    break;
  }
  // A sequence: where its code runs from and to, and what it calls.
  std::string Text = code(I.Entry, I.Exit);
  if (Depth > 1)
    return Text;
  UnitRange Parts = File.parts(B, Top);
  std::vector<std::string> Calls;
  for (uint64_t K = 0; K < std::min<uint64_t>(Parts.size(), 512); ++K) {
    BlockInfo P = File.block(File.unit(Parts, K));
    while (P.Kind == BlockKind::Repeat)
      P = File.block(File.unit(File.parts(P.Id, Top), 0));
    if (P.Kind != BlockKind::Function)
      continue;
    std::string Name = function(P.Value);
    if (is_contained(Calls, Name))
      continue;
    if (Calls.size() == 3) {
      Calls.push_back("...");
      break;
    }
    Calls.push_back(std::move(Name));
  }
  return Calls.empty() ? Text : Text + " calling " + join(Calls, ", ");
}

Expected<std::optional<uint64_t>> HtrClock::at(htr::Place P) {
  if (!File.hasTime())
    return std::nullopt;
  auto [T, Pos] = File.positionOf(P);
  auto M = S.Store.momentOf(T, Pos);
  if (!M)
    return M.takeError();
  return S.Store.timeAt(*M);
}

Expected<std::optional<uint64_t>> HtrClock::spent(htr::Place P,
                                                  uint64_t Length) {
  if (!File.hasTime() || !Length)
    return std::nullopt;
  auto [T, Pos] = File.positionOf(P);
  Position End = std::min(Pos + Length, File.numInstructions(T) - 1);
  auto From = at(P), To = at(File.placeOf(T, End));
  if (!From || !To)
    return joinErrors(From.takeError(), To.takeError());
  if (!*From || !*To)
    return std::nullopt;
  return std::optional<uint64_t>(**To - **From);
}

Expected<std::optional<uint64_t>> HtrClock::total() {
  if (!File.hasTime())
    return std::nullopt;
  uint64_t Sum = 0;
  for (ThreadIndex T = 0; T < File.numThreads(); ++T) {
    if (!File.numInstructions(T))
      continue;
    auto Time = spent(File.placeOf(T, 0), File.numInstructions(T));
    if (!Time)
      return Time.takeError();
    Sum += Time->value_or(0);
  }
  return std::optional<uint64_t>(Sum);
}

Expected<rw::Place> HtrOccurrences::toPlace(htr::Place P) const {
  auto [T, Pos] = File.positionOf(P);
  auto M = S.Store.momentOf(T, Pos);
  if (!M)
    return M.takeError();
  return rw::Place{T, *M};
}

/// A moment as the place of the thread that runs there.
static Expected<std::optional<rw::Place>>
placeOf(const TraceStore &Store, Expected<std::optional<Moment>> M) {
  if (!M)
    return M.takeError();
  if (!*M)
    return std::nullopt;
  auto T = Store.threadAt(**M);
  if (!T)
    return T.takeError();
  return std::optional<rw::Place>(rw::Place{*T, **M});
}

static Error noPlaces(const BlockInfo &Gap) {
  return userError(Twine("gaps are not indexed; find --event ") +
                   eventName(EventKind(Gap.Value)) + " --all lists them");
}

Expected<rw::Place> HtrOccurrences::get(uint64_t K) {
  if (K >= count())
    return userError("block " + blockLabel(Block.Id) + " occurs " +
                     grouped(count()) + (count() == 1 ? " time" : " times") +
                     " only");
  if (Block.Home)
    return toPlace(File.occurrence(Block.Id, K));
  if (Block.Kind != BlockKind::Instruction)
    return noPlaces(Block);
  Moment From = 0;
  for (;; --K) {
    auto P = placeOf(S.Store, S.Store.visitAtOrAfter(Block.Value, From));
    if (!P)
      return P.takeError();
    if (!*P)
      return userError("the layers do not agree with the store");
    if (K == 0)
      return **P;
    From = (*P)->When + 1;
  }
}

Expected<std::optional<rw::Place>> HtrOccurrences::next(rw::Place After) {
  if (!Block.Home) {
    if (Block.Kind != BlockKind::Instruction)
      return noPlaces(Block);
    return placeOf(S.Store, S.Store.nextVisit(Block.Value, After.When));
  }
  auto Pos = S.Store.positionOf(After.Thread, After.When);
  if (!Pos)
    return Pos.takeError();
  uint64_t K =
      File.occurrencesBefore(Block.Id, File.placeOf(After.Thread, *Pos) + 1);
  if (K >= count())
    return std::nullopt;
  auto P = toPlace(File.occurrence(Block.Id, K));
  if (!P)
    return P.takeError();
  return std::optional<rw::Place>(*P);
}

Expected<std::optional<rw::Place>> HtrOccurrences::previous(rw::Place Before) {
  if (!Block.Home) {
    if (Block.Kind != BlockKind::Instruction)
      return noPlaces(Block);
    return placeOf(S.Store, S.Store.lastVisit(Block.Value, Before.When));
  }
  auto Pos = S.Store.positionOf(Before.Thread, Before.When);
  if (!Pos)
    return Pos.takeError();
  uint64_t K =
      File.occurrencesBefore(Block.Id, File.placeOf(Before.Thread, *Pos));
  if (K == 0)
    return std::nullopt;
  auto P = toPlace(File.occurrence(Block.Id, K - 1));
  if (!P)
    return P.takeError();
  return std::optional<rw::Place>(*P);
}

} // namespace rw
