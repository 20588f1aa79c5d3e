//===- ProfileView.h - The profile that a command line asks for -*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_PROFILE_PROFILEVIEW_H
#define REWIND_COMMANDS_PROFILE_PROFILEVIEW_H

#include "commands/calls/CallSupport.h"
#include "commands/htr/Htr.h"
#include "commands/profile/ProfileFilter.h"
#include "commands/support/Listing.h"
#include "core/profile/ProfileSweep.h"

namespace rw {

namespace opt {
inline constexpr OptionSpec Select{
    "select", 0, "block",
    "count only what runs with that block, function, line (file.c:12) or file "
    "on the stack (several: with all of them)"};
inline constexpr OptionSpec Exclude{
    "exclude", 0, "block", "count nothing that runs with it on the stack"};
inline constexpr OptionSpec Fold{
    "fold", 0, "block", "take it out of the stacks: its cost is its callers'"};
inline constexpr OptionSpec By{
    "by", 0, "kind",
    "blocks are functions (default), lines, or htr[:layer] (htr layers)",
    "functions|lines|htr"};
inline constexpr OptionSpec MetricOption{
    "metric", 0, "name",
    "what is counted: instructions (default), time, calls, reads, writes, "
    "bytes-read, bytes-written, lines, taken-branches, exceptions, "
    "failed-conditions; or a ratio of two, time/instructions",
    "instructions|time|calls|reads|writes|bytes-read|bytes-written|lines|taken-"
    "branches|exceptions|failed-conditions"};
inline constexpr OptionSpec ProfileFrom{"from", 0, "position",
                                        "count from there on"};
inline constexpr OptionSpec ProfileTo{"to", 0, "position", "count up to there"};
} // namespace opt

/// What all commands have that look at a profile, but for --metric.
#define REWIND_PROFILE_OPTIONS                                                 \
  opt::By, opt::Select, opt::Exclude, opt::Fold, opt::ProfileFrom,             \
      opt::ProfileTo, opt::Thread

/// What is shown for what runs where every block is folded.
inline constexpr llvm::StringLiteral AllFolded = "(all folded)";

/// Opens what a profile is made from, makes it, and knows its blocks. What is
/// selected and excluded may be functions and lines, too, whatever the blocks.
class ProfileView {
public:
  struct Kind {
    ContextTree::Rule Rule = ContextTree::Rule::EdgeOnce;
    bool AllMetrics = false; ///< that the trace tells, where --metric is not
                             ///< given
    bool Lines = false;      ///< by lines, apart in each function
    bool ThreadsApart = false;
  };
  /// An Error says what is wrong with the options, or what the trace cannot
  /// tell and why.
  static llvm::Expected<std::unique_ptr<ProfileView>>
  open(Session &S, const ParsedOptions &O, const Kind &K);
  static llvm::Expected<std::unique_ptr<ProfileView>>
  open(Session &S, const ParsedOptions &O) {
    return open(S, O, Kind());
  }
  ~ProfileView();

  /// Ctrl-C ends it, and what is counted by then is right: see span().
  llvm::Error sweep();
  llvm::Error sweepWhole(); ///< Ctrl-C is an error
  bool interrupted() const { return Reached < Request.To; }
  /// An Error if a filter names a block that never runs in the range, nor in
  /// that of \p Other, which has the same filters. Of a sweep that was
  /// interrupted nobody knows.
  llvm::Error checkFilters(const ProfileView *Other = nullptr) const;
  /// Both. \p Whole: "interrupted" is an error.
  llvm::Error sweepAndCheck(bool Whole);
  /// Sweeps once more, threads together, and tells of each activation that
  /// counts, in order of entry within a thread.
  using Activations =
      std::function<void(const ContextProfile &, ContextTree::NodeId,
                         ContextTree::EdgeId, ActivationSummary::Place)>;
  llvm::Error forEachActivation(const Activations &F);

  const ContextProfile &profile() const { return *Profile; }
  llvm::ArrayRef<Metric> metrics() const { return Request.Metrics; }
  bool isRatio() const { return Ratio; }
  llvm::ArrayRef<ThreadIndex> threads() const { return Request.Threads; }
  /// What was counted: all of the range, but for interrupted().
  Span span() const { return {Request.From, Reached}; }
  /// Why nothing has a cost.
  std::string whyEmpty() const;
  const ProfileBlock &block(ProfileBlockId B) const { return (*Blocks)[B]; }
  ProfileBlocks &blocks() { return *Blocks; }
  /// The one block of the profile that \p Text names.
  llvm::Expected<ProfileBlockId> find(llvm::StringRef Text) const;

  bool byFunctions() const { return By == ByWhat::Functions; }
  llvm::StringRef blockNoun() const; ///< "function", "line", "block"
  std::string unit(Metric M) const;  ///< "instructions", "clk", "bytes read"
  /// "selected: sum; folded: compare", as given; empty without filters.
  std::string filters() const;
  void addFilters(llvm::json::Object &To) const;

private:
  explicit ProfileView(Session &S) : S(S) {}
  llvm::Error readMetrics(const ParsedOptions &O, bool All);
  llvm::Error readBlocks(const ParsedOptions &O, const Kind &K);
  llvm::Error checkFold(const ProfileFilter &F) const;
  /// Selected and Excluded, where \p Names of a filter. All of them are asked,
  /// so that each knows that it was of use.
  BlockRole
  rolesBy(llvm::function_ref<bool(const ProfileFilter &)> Names) const;
  BlockRole roleOf(ProfileBlockId B) const;
  bool isBlock(const ProfileFilter &F, const ProfileBlock &B) const;
  bool folds(const ProfileFilter &F, const ProfileBlock &B) const;
  llvm::Error addGates();
  llvm::Error noneRuns(const ProfileFilter &F, bool Any) const;
  /// Why \p F is told of no block: filters, or that none runs.
  llvm::Error notFound(const ProfileFilter &F) const;
  llvm::Error openCalls();
  void openFrames();
  static llvm::Error needsDebugInfo();
  llvm::Expected<Moment> sweepInto(ContextProfile &P, const ProfileRequest &R);

  Session &S;
  ContextTree::Rule Rule = ContextTree::Rule::EdgeOnce;
  ProfileRequest Request;
  Moment Reached = 0;
  std::vector<ProfileBlockId> Pushed; ///< if there are filters: all, once
  bool Ratio = false;
  std::vector<ProfileFilter> Selected, Excluded, Folded;
  std::unique_ptr<CallsOfSession> Calls;
  std::optional<CallQuery> Query;
  std::unique_ptr<CodeFrames> Frames;
  std::shared_ptr<HtrFile> Htr;
  unsigned Layer = 0;
  std::unique_ptr<ProfileBlocks> Blocks;
  std::vector<std::unique_ptr<ProfileBlocks>> GateBlocks;
  enum class ByWhat : uint8_t { Functions, Lines, Htr } By = ByWhat::Functions;
  std::unique_ptr<ContextProfile> Profile;
};

} // namespace rw

#endif // REWIND_COMMANDS_PROFILE_PROFILEVIEW_H
