//===- ProfileView.cpp - The profile that a command line asks for ---------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/profile/ProfileView.h"
#include "core/profile/HtrWalk.h"
#include "core/store/TraceStore.h"

using namespace llvm;

namespace rw {

namespace {

/// Source lines from the image.
class SessionFrames final : public CodeFrames {
public:
  explicit SessionFrames(SymbolSource *Symbols) : Symbols(Symbols) {}
  std::vector<CodeFrame> framesAt(uint64_t PC) override {
    auto Sym = Symbols ? Symbols->symbolizeCode(PC) : std::nullopt;
    if (!Sym)
      return {};
    if (Sym->Frames.empty())
      return {{printable(Sym->Function), "", 0}};
    std::vector<CodeFrame> Frames;
    for (const SourceFrame &F : Sym->Frames)
      Frames.push_back(
          {printable(F.Function.empty() ? Sym->Function : F.Function),
           printable(F.File), F.Line});
    return Frames;
  }

private:
  SymbolSource *Symbols;
};

/// Blocks of layers; names are made as they are asked for.
class HtrBlocks final : public ProfileBlocks {
public:
  HtrBlocks(Session &S, const HtrFile &File, NameLength Length)
      : File(File), Names(S, File, Length) {}
  const ProfileBlock &operator[](ProfileBlockId B) override {
    auto [It, New] = Known.try_emplace(B);
    if (New) {
      BlockInfo I = File.block(B);
      It->second.Name = blockLabel(B) + " " + Names.block(B);
      if (I.Entry != htr::NoBlock)
        It->second.Address = File.block(I.Entry).Value;
    }
    return It->second;
  }

private:
  const HtrFile &File;
  HtrNames Names;
  std::unordered_map<ProfileBlockId, ProfileBlock> Known;
};

} // namespace

ProfileView::~ProfileView() = default;

Expected<std::unique_ptr<ProfileView>>
ProfileView::open(Session &S, const ParsedOptions &O, const Kind &K) {
  std::unique_ptr<ProfileView> V(new ProfileView(S));
  V->Rule = K.Rule;
  V->Request.ThreadsApart = K.ThreadsApart;
  if (Error E = V->readMetrics(O, K.AllMetrics))
    return E;
  auto Range = searchSpan(S, O);
  auto Threads = selectedThreads(S, O);
  if (!Range || !Threads)
    return joinErrors(Range.takeError(), Threads.takeError());
  V->Request.From = Range->From;
  V->Request.To = Range->To;
  V->Request.Threads = std::move(*Threads);
  for (auto [Option, To] :
       {std::pair("select", &V->Selected), std::pair("exclude", &V->Excluded),
        std::pair("fold", &V->Folded)})
    for (StringRef Text : O.values(Option)) {
      auto F = ProfileFilter::parse(S, Text);
      if (!F)
        return F.takeError();
      To->push_back(std::move(*F));
    }
  if (V->Selected.size() > 64)
    return usageError("more than 64 times --select");
  if (Error E = V->readBlocks(O, K))
    return E;
  for (const ProfileFilter &F : V->Folded)
    if (Error E = V->checkFold(F))
      return E;
  if (Error E = V->addGates())
    return E;
  return V;
}

static Expected<Metric> readMetric(const Session &S, StringRef Name) {
  auto M = metricNamed(Name);
  if (!M) {
    std::string All;
    for (const MetricInfo &I : allMetrics())
      All += (All.empty() ? "" : ", ") + I.Name.str();
    return usageError("there is no metric '" + Name + "'; there are " + All +
                      ", and ratios of two of them, time/instructions");
  }
  std::string Why = whyNotTold(*M, S.Store.header());
  if (!Why.empty())
    return userError("'" + Name + "' cannot be counted: " + Why);
  return *M;
}

Error ProfileView::readMetrics(const ParsedOptions &O, bool All) {
  auto Given = O.values("metric");
  if (Given.empty()) {
    if (All)
      Request.Metrics = metricsOf(S.Store.header());
    else
      Request.Metrics = {Metric::Instructions};
    return Error::success();
  }
  if (!All)
    Given = {Given.back()};
  for (StringRef Text : Given) {
    auto [Name, Per] = Text.split('/');
    auto M = readMetric(S, Name);
    if (!M)
      return M.takeError();
    if (!is_contained(Request.Metrics, *M))
      Request.Metrics.push_back(*M);
    if (!Text.contains('/'))
      continue;
    if (All)
      return usageError("a file has the metrics; what reads it makes ratios "
                        "of them");
    auto Second = readMetric(S, Per);
    if (!Second)
      return Second.takeError();
    if (*Second == *M)
      return usageError("the ratio of something to itself is 1");
    Request.Metrics.push_back(*Second);
    Ratio = true;
  }
  return Error::success();
}

Error ProfileView::needsDebugInfo() {
  return userError("lines are known only with an image that has debug "
                   "information (--image)");
}

void ProfileView::openFrames() {
  if (!Frames)
    Frames = std::make_unique<SessionFrames>(S.Symbols);
}

Error ProfileView::openCalls() {
  if (Calls)
    return Error::success();
  auto C = CallsOfSession::open(S, /*Ttu=*/false);
  if (!C)
    return C.takeError();
  Calls = std::move(*C);
  Query.emplace(Calls->query());
  Query->Watch = {}; // the sweep looks at it, and stops in good order
  return Error::success();
}

Error ProfileView::readBlocks(const ParsedOptions &O, const Kind &K) {
  StringRef Text = O.value("by").value_or(K.Lines ? "lines" : "functions");
  if (Text == "htr" || Text.starts_with("htr:")) {
    By = ByWhat::Htr;
    auto File = openHtr(S);
    if (!File)
      return File.takeError();
    Htr = std::move(*File);
    auto L = parseLayer(*Htr, Text == "htr" ? "top" : Text.drop_front(4));
    if (!L)
      return L.takeError();
    if (*L == 0)
      return usageError("layer 0 is the instructions, which are no blocks");
    Layer = *L;
    Blocks = std::make_unique<HtrBlocks>(S, *Htr, nameLength(O));
    return Error::success();
  }
  if (Error E = openCalls())
    return E;
  if (Text == "functions") {
    Blocks = std::make_unique<FunctionBlocks>(Calls->names());
    return Error::success();
  }
  if (Text != "lines")
    return usageError("--by wants functions, lines or htr, not '" + Text + "'");
  if (!S.Symbols && !K.Lines)
    return needsDebugInfo();
  By = ByWhat::Lines;
  openFrames();
  Blocks = std::make_unique<LineBlocks>(*Frames, K.Lines);
  return Error::success();
}

Expected<Moment> ProfileView::sweepInto(ContextProfile &P,
                                        const ProfileRequest &R) {
  auto Walk = [&](ThreadIndex T, Position From, Position To,
                  BlockWalk::Listener &L) -> std::unique_ptr<BlockWalk> {
    switch (By) {
    case ByWhat::Functions:
      return walkFunctions(*Query, static_cast<FunctionBlocks &>(*Blocks), T,
                           From, To, L);
    case ByWhat::Lines:
      return walkLines(*Query, static_cast<LineBlocks &>(*Blocks), T, From, To,
                       L);
    case ByWhat::Htr:
      return walkHtr(*Htr, Layer, T, From, To, L);
    }
    llvm_unreachable("unknown kind of block");
  };
  return sweepProfile(S.Store, R, Walk, S.Watch, P);
}

static uint64_t bits(size_t N) {
  return N == 64 ? ~uint64_t(0) : (uint64_t(1) << N) - 1;
}

Error ProfileView::sweep() {
  if (!Selected.empty() || !Excluded.empty() || !Folded.empty())
    Request.RoleOf = [this](ProfileBlockId B) {
      Pushed.push_back(B);
      return roleOf(B);
    };
  Profile = std::make_unique<ContextProfile>(unsigned(Request.Metrics.size()),
                                             Rule, bits(Selected.size()));
  auto To = sweepInto(*Profile, Request);
  if (!To)
    return To.takeError();
  Reached = *To;
  return Error::success();
}

static Error interruptedError() {
  return createStringError(std::make_error_code(std::errc::interrupted),
                           "interrupted");
}

Error ProfileView::sweepWhole() {
  if (Error E = sweep())
    return E;
  return interrupted() ? interruptedError() : Error::success();
}

Error ProfileView::sweepAndCheck(bool Whole) {
  if (Error E = Whole ? sweepWhole() : sweep())
    return E;
  return checkFilters();
}

Error ProfileView::forEachActivation(const Activations &F) {
  ContextProfile P(unsigned(Request.Metrics.size()), Rule,
                   bits(Selected.size()));
  P.OnActivation = [&](ContextTree::NodeId N, ContextTree::EdgeId E,
                       ActivationSummary::Place Where) { F(P, N, E, Where); };
  ProfileRequest R = Request;
  R.ThreadsTogether = true;
  if (R.RoleOf)
    R.RoleOf = [this](ProfileBlockId B) { return roleOf(B); };
  auto To = sweepInto(P, R);
  if (!To)
    return To.takeError();
  return *To < R.To ? interruptedError() : Error::success();
}

std::string ProfileView::whyEmpty() const {
  if (!Profile->sampled())
    return "no instruction is there";
  std::string All;
  for (size_t I = 0; I < Request.Metrics.size(); ++I)
    if (uint64_t Cost = Profile->leftOut()[I])
      All += (All.empty() ? "" : ", ") + grouped(Cost) + " " +
             unit(Request.Metrics[I]);
  if (!All.empty())
    return "the filters leave nothing of " + All;
  for (Metric M : Request.Metrics)
    All += (All.empty() ? "" : " and no ") + metricInfo(M).Text.str();
  // Lines of what is filtered are not told.
  return (filters().empty() ? "there are no "
                            : "what the filters leave has no ") +
         All;
}

Expected<ProfileBlockId> ProfileView::find(StringRef Text) const {
  auto F = ProfileFilter::parse(S, Text);
  if (!F)
    return F.takeError();
  std::vector<ProfileBlockId> Found;
  for (ProfileBlockId B = 0; B < Profile->numBlocks(); ++B)
    if (Profile->ofBlock(B).Count && isBlock(*F, (*Blocks)[B]))
      Found.push_back(B);
  // A whole name is better than a part of one.
  if (Found.size() > 1)
    for (ProfileBlockId B : Found)
      if ((*Blocks)[B].Name == Text)
        return B;
  if (Found.size() == 1)
    return Found[0];
  if (Found.empty())
    return notFound(*F);
  std::string Which;
  for (ProfileBlockId B : ArrayRef(Found).take_front(5))
    Which += "\n  " + hex((*Blocks)[B].Address) + "  " + (*Blocks)[B].Name;
  if (Found.size() > 5)
    Which += "\n  and " + std::to_string(Found.size() - 5) + " more";
  return userError("'" + Text + "' is more than one " + blockNoun() + ":" +
                   Which);
}

StringRef ProfileView::blockNoun() const {
  return By == ByWhat::Functions ? "function"
         : By == ByWhat::Lines   ? "line"
                                 : "block";
}

std::string ProfileView::unit(Metric M) const {
  return M == Metric::Time ? S.Store.header().TimeUnit
                           : metricInfo(M).Text.str();
}

} // namespace rw
