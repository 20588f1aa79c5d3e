//===- HtrOutline.cpp - Blocks as a page to read --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/htr/HtrOutline.h"
#include "llvm/Support/FormatVariadic.h"
#include <queue>
#include <set>

using namespace llvm;

namespace rw {
namespace {

/// Tells what is alike. Only ever used to sum up, so a hash will do.
class Shapes {
public:
  Shapes(const HtrFile &File, unsigned Layer) : File(File), Layer(Layer) {}

  uint64_t of(BlockId B, unsigned Depth = 0) {
    auto [It, New] = Known.try_emplace(B, 0);
    if (!New)
      return It->second;
    BlockInfo I = File.block(B);
    uint64_t Shape = 0x5bd1e995 + uint64_t(I.Kind);
    UnitRange Parts = File.parts(B, Layer);
    bool Simple = Depth > 16 || Parts.size() > 4096;
    if (I.Kind == BlockKind::Function)
      Shape = mix(Shape, I.Value);
    else if (I.Kind <= BlockKind::Break || Simple)
      Shape = mix(Shape, B);
    else if (I.Kind == BlockKind::Sequence)
      for (uint64_t K = 0; K < Parts.size(); ++K)
        Shape = mix(Shape, of(File.unit(Parts, K), Depth + 1));
    else { // a loop: the set of what it passes through
      std::set<uint64_t> Seen;
      for (uint64_t K = 0; K < Parts.size(); ++K)
        Seen.insert(of(File.unit(Parts, K), Depth + 1));
      for (uint64_t S : Seen)
        Shape = mix(Shape, S);
    }
    return Known[B] = Shape;
  }

private:
  const HtrFile &File;
  unsigned Layer;
  std::map<BlockId, uint64_t> Known;

  static uint64_t mix(uint64_t A, uint64_t B) {
    A = (A ^ B) * 0x9e3779b97f4a7c15ull;
    return A ^ (A >> 29);
  }
};

class Outliner {
public:
  Outliner(const HtrFile &File, const OutlineOptions &Options)
      : File(File), Options(Options), Alike(File, Options.Layer) {}

  std::vector<OutlineRow> run(const UnitRange &Range, uint64_t From,
                              uint64_t To, htr::Place At) {
    std::vector<OutlineRow> Rows =
        list(Range, From, To, At, std::max<uint64_t>(1, Options.MaxRows));
    if (Options.Flat)
      return Rows;
    Left = Options.MaxRows - std::min<uint64_t>(Options.MaxRows, Rows.size());
    for (const OutlineRow &R : Rows)
      Whole += R.Weight;
    for (OutlineRow &R : Rows)
      add(R);
    while (!Queue.empty() && Left) {
      OutlineRow &R = *Queue.top();
      Queue.pop();
      if (R.Weight < Options.Share * Whole)
        break;
      open(R);
    }
    return Rows;
  }

private:
  const HtrFile &File;
  const OutlineOptions &Options;
  Shapes Alike;
  uint64_t Left = 0; ///< lines
  double Whole = 0;  ///< instructions
  /// Parts that are looked at to sum a block up.
  static constexpr uint64_t MaxGrouped = 2000000;
  static constexpr uint64_t MaxGroups = 6;

  struct Smaller {
    bool operator()(const OutlineRow *A, const OutlineRow *B) const {
      return A->Weight != B->Weight ? A->Weight < B->Weight : A->At > B->At;
    }
  };
  // Rows do not move once they are in Inside of their parent.
  std::priority_queue<OutlineRow *, std::vector<OutlineRow *>, Smaller> Queue;

  void add(OutlineRow &R) {
    if (R.Id != htr::NoBlock && R.First == htr::NoBlock &&
        R.Depth < Options.MaxDepth.value_or(MaxOutlineDepth))
      Queue.push(&R);
  }

  bool byDepth() const { return Options.MaxDepth.has_value(); }

  /// Lists units: runs of plain instructions become one row; what exceeds
  /// \p Max rows becomes "n more".
  std::vector<OutlineRow> list(const UnitRange &Range, uint64_t From,
                               uint64_t To, htr::Place At, uint64_t Max) {
    std::vector<OutlineRow> Rows;
    for (uint64_t I = From; I < To; ++I) {
      BlockId B = File.unit(Range, I);
      uint64_t Length = File.length(B);
      bool Plain = File.kind(B) == BlockKind::Instruction;
      if (Plain && !Options.Flat && !Rows.empty() &&
          Rows.back().First != htr::NoBlock) {
        Rows.back().Last = B;
        Rows.back().Id = htr::NoBlock;
        Rows.back().Length += Length;
      } else if (Rows.size() == Max) {
        OutlineRow R;
        R.Hidden = To - I;
        R.At = At;
        R.Length = File.offsetOf(Range, To) - File.offsetOf(Range, I);
        Rows.push_back(R);
        break;
      } else {
        OutlineRow R;
        R.Id = B;
        if (Plain)
          R.First = R.Last = B;
        R.At = At;
        R.Length = Length;
        Rows.push_back(std::move(R));
      }
      At += Length;
    }
    for (OutlineRow &R : Rows)
      R.Weight = R.Length;
    return Rows;
  }

  /// Sums parts up by what they are, the weightiest first.
  std::vector<OutlineRow> group(const UnitRange &Parts, htr::Place At) {
    std::vector<OutlineRow> Rows;
    std::map<uint64_t, size_t> Seen;
    for (uint64_t K = 0; K < Parts.size(); ++K) {
      BlockId B = File.unit(Parts, K);
      uint64_t Length = File.length(B);
      auto [It, New] = Seen.try_emplace(Alike.of(B), Rows.size());
      if (New) {
        OutlineRow R;
        R.Id = B;
        if (File.kind(B) == BlockKind::Instruction)
          R.First = R.Last = B;
        R.At = At;
        R.Length = Length;
        R.Times = 0;
        R.Grouped = true;
        R.GroupOf = Parts;
        Rows.push_back(std::move(R));
      }
      OutlineRow &R = Rows[It->second];
      ++R.Times;
      R.Weight += Length;
      At += Length;
    }
    stable_sort(Rows, [](const OutlineRow &A, const OutlineRow &B) {
      return A.Weight > B.Weight;
    });
    if (!byDepth() && Rows.size() > MaxGroups + 1) {
      OutlineRow R;
      for (size_t K = MaxGroups; K < Rows.size(); ++K) {
        R.Hidden += Rows[K].Times;
        R.Weight += Rows[K].Weight;
        R.Length += Rows[K].Weight;
      }
      R.At = Rows[MaxGroups].At;
      Rows.resize(MaxGroups);
      Rows.push_back(std::move(R));
    }
    return Rows;
  }

  /// Puts neighbours that hardly matter into one line.
  void leaveOutSmall(std::vector<OutlineRow> &Rows, double Scale) const {
    std::vector<OutlineRow> Kept;
    auto small = [&](const OutlineRow &R) {
      return !R.Hidden && R.Weight * Scale < Options.Share * Whole / 5;
    };
    for (size_t I = 0; I < Rows.size();) {
      size_t End = I;
      while (End < Rows.size() && small(Rows[End]))
        ++End;
      if (End - I < 3) {
        Kept.push_back(std::move(Rows[I++]));
        continue;
      }
      OutlineRow R;
      R.Small = true;
      R.At = Rows[I].At;
      for (; I < End; ++I) {
        ++R.Hidden;
        R.Length += Rows[I].Length;
        R.Weight += Rows[I].Weight;
      }
      Kept.push_back(std::move(R));
    }
    Rows = std::move(Kept);
  }

  /// What a row shows when it is opened; nothing if that says no more.
  std::vector<OutlineRow> inside(const OutlineRow &Row) {
    BlockInfo I = File.block(Row.Id);
    UnitRange Parts = File.parts(Row.Id, Options.Layer);
    uint64_t Times = Parts.Times;
    std::vector<OutlineRow> Rows;
    if (I.Kind == BlockKind::Repeat) {
      BlockId Body = File.unit(Parts, 0);
      if (File.kind(Body) == BlockKind::Sequence)
        Parts = File.parts(Body, Options.Layer);
    }
    // Half of the page for one block at most.
    uint64_t Room =
        byDepth() ? Left : std::min(Left, std::max<uint64_t>(8, Left / 2));
    if (I.Kind == BlockKind::Iterations)
      Rows = group(Parts, Row.At);
    else
      Rows = list(Parts, 0, Parts.size(), Row.At, byDepth() ? Room : 4096);
    if (!byDepth())
      leaveOutSmall(Rows, Row.Length ? Row.Weight / Row.Length : 1);
    bool Cut = !Rows.empty() && Rows.back().Hidden && !Rows.back().Small;
    if (!byDepth() && (Rows.size() > Room || Cut) &&
        I.Kind != BlockKind::Iterations) {
      if (Parts.size() > MaxGrouped)
        return {};
      Rows = group(Parts, Row.At);
    }
    if (Rows.size() == 1 && I.Kind != BlockKind::Iterations) {
      // A run of plain code under a name of its own says nothing new.
      const OutlineRow &Only = Rows[0];
      if (Only.First != htr::NoBlock || Only.Id == htr::NoBlock)
        return {};
      UnitRange In = File.parts(Only.Id, Options.Layer);
      if (File.kind(Only.Id) == BlockKind::Sequence &&
          list(In, 0, In.size(), 0, 1).back().First != htr::NoBlock)
        return {};
    }
    for (OutlineRow &R : Rows) {
      R.Times *= Times;
      R.Weight *= Times;
    }
    return Rows;
  }

  /// Sequences that are alike have equally many parts: weighs the rows of one
  /// by the parts of all of them. False if the rows are not one for each part.
  bool weighAll(const OutlineRow &Group, std::vector<OutlineRow> &Rows) {
    UnitRange One = File.parts(Group.Id, Options.Layer);
    if (!Group.Grouped || Rows.size() != One.size() ||
        File.kind(Group.Id) != BlockKind::Sequence ||
        Group.Times * One.size() > MaxGrouped)
      return false;
    for (OutlineRow &R : Rows)
      R.Weight = 0;
    uint64_t Shape = Alike.of(Group.Id);
    for (uint64_t K = 0; K < Group.GroupOf.size(); ++K) {
      BlockId B = File.unit(Group.GroupOf, K);
      UnitRange Parts = File.parts(B, Options.Layer);
      if (Alike.of(B) == Shape && Parts.size() == Rows.size())
        for (uint64_t I = 0; I < Rows.size(); ++I)
          Rows[I].Weight += File.length(File.unit(Parts, I));
    }
    return true;
  }

  void open(OutlineRow &R) {
    std::vector<OutlineRow> Rows = inside(R);
    if (Rows.size() > Left || Rows.empty())
      return;
    Left -= Rows.size();
    R.Inside = std::move(Rows);
    // The rows add up to the block once, or to all that are in the group.
    double Sum = R.Length;
    if (weighAll(R, R.Inside)) {
      Sum = 0;
      for (const OutlineRow &C : R.Inside)
        Sum += C.Weight;
    }
    double Scale = Sum > 0 ? R.Weight / Sum : 1;
    for (OutlineRow &C : R.Inside) {
      C.Depth = R.Depth + 1;
      C.Weight *= Scale;
      add(C);
    }
  }
};

} // namespace

Expected<std::optional<unsigned>> outlineDepth(const ParsedOptions &O,
                                               unsigned Least) {
  auto Depth = O.number("depth");
  if (!Depth)
    return Depth.takeError();
  if (*Depth && (**Depth < Least || **Depth > MaxOutlineDepth))
    return usageError("--depth must be from " + Twine(Least) + " to " +
                      grouped(MaxOutlineDepth));
  return *Depth;
}

std::vector<OutlineRow> outline(const HtrFile &File, UnitRange Range,
                                uint64_t From, uint64_t To, htr::Place At,
                                const OutlineOptions &Options) {
  return Outliner(File, Options).run(Range, From, To, At);
}

namespace {

/// What both forms of output say of a row.
class RowPrinter {
public:
  RowPrinter(Session &S, const HtrFile &File)
      : S(S), File(File), Names(S, File), Clock(S, File) {}

  Error start() {
    auto T = Clock.total();
    if (!T)
      return T.takeError();
    TotalTime = *T;
    return Error::success();
  }

  Error print(const OutlineRow &R) {
    std::string Indent(2 * R.Depth, ' ');
    if (R.Hidden) {
      S.Out << formatv("{0,12}  {1,-9} {2,8}  {3,14} {4,6} {5,6}  {6}... {7} "
                       "{8}\n",
                       R.Small ? formatHtrPlace(S, File, R.At) : "", "", "",
                       grouped(R.Length), share(R), "", Indent,
                       grouped(R.Hidden), R.Small ? "small ones" : "more");
      return Error::success();
    }
    auto Time = timeOf(R);
    if (!Time)
      return Time.takeError();
    std::string Source = source(R);
    S.Out << formatv(
        "{0,12}  {1,-9} {2,8}  {3,14} {4,6} {5,6}  {6}{7}{8}{9}\n",
        formatHtrPlace(S, File, R.At),
        R.Id == htr::NoBlock ? "" : blockLabel(R.Id), times(R),
        grouped(R.Length), share(R),
        *Time && TotalTime ? percent(**Time, *TotalTime) : "", Indent,
        R.Grouped && R.Times > 1 ? grouped(R.Times) + " times " : "", name(R),
        Source.empty() ? "" : "  " + Source);
    for (const OutlineRow &C : R.Inside)
      if (Error E = print(C))
        return E;
    return Error::success();
  }

  Expected<json::Value> toJson(const OutlineRow &R) {
    json::Object O;
    if (R.Hidden) {
      O[R.Small ? "small" : "more"] = R.Hidden;
      O["instructions"] = R.Length;
      O["share_instructions"] =
          R.Weight / std::max<uint64_t>(1, File.numInstructions());
      return O;
    }
    auto [T, Pos] = File.positionOf(R.At);
    O["thread"] = int64_t(T) + 1;
    O["position"] = Pos;
    O["name"] = name(R);
    O["instructions"] = R.Length;
    O["times"] = R.Times;
    if (R.Grouped)
      O["grouped"] = true;
    O["share_instructions"] =
        R.Weight / std::max<uint64_t>(1, File.numInstructions());
    if (R.Id != htr::NoBlock) {
      BlockInfo I = File.block(R.Id);
      O["id"] = int64_t(R.Id);
      O["kind"] = blockKindName(I.Kind);
      O["layer"] = int64_t(I.Home);
      O["occurrences"] = I.Occurrences;
      if (I.Kind == BlockKind::Repeat)
        O["count"] = I.Value;
    } else {
      O["kind"] = "instructions";
    }
    auto Time = timeOf(R);
    if (!Time)
      return Time.takeError();
    if (*Time) {
      O["time"] = **Time;
      if (TotalTime && *TotalTime)
        O["share_time"] = double(**Time) / *TotalTime;
    }
    if (std::string Source = source(R); !Source.empty())
      O["source"] = Source;
    if (!R.Inside.empty()) {
      json::Array Inside;
      for (const OutlineRow &C : R.Inside) {
        auto V = toJson(C);
        if (!V)
          return V.takeError();
        Inside.push_back(std::move(*V));
      }
      O["inside"] = std::move(Inside);
    }
    return O;
  }

private:
  Session &S;
  const HtrFile &File;
  HtrNames Names;
  HtrClock Clock;
  std::optional<uint64_t> TotalTime;

  std::string name(const OutlineRow &R) {
    return R.Id == htr::NoBlock ? Names.code(R.First, R.Last)
                                : Names.block(R.Id);
  }
  std::string source(const OutlineRow &R) {
    if (R.Id == htr::NoBlock)
      return Names.source(R.First, R.Last);
    BlockInfo I = File.block(R.Id);
    return I.Kind == BlockKind::Function ? Names.source(I.Entry, I.Entry)
                                         : Names.source(I.Entry, I.Exit);
  }
  std::string times(const OutlineRow &R) const {
    return R.Id == htr::NoBlock ? std::string()
                                : "x" + grouped(File.block(R.Id).Occurrences);
  }
  std::string share(const OutlineRow &R) const {
    return percent(R.Weight, File.numInstructions());
  }
  /// Of this occurrence; of one time round nothing is said about all.
  Expected<std::optional<uint64_t>> timeOf(const OutlineRow &R) {
    if (R.Weight != double(R.Length))
      return std::nullopt;
    return Clock.spent(R.At, R.Length);
  }
};

} // namespace

Error printOutline(Session &S, const HtrFile &File, ArrayRef<OutlineRow> Rows) {
  RowPrinter P(S, File);
  if (Error E = P.start())
    return E;
  S.Out << formatv("{0,12}  {1,-9} {2,8}  {3,14} {4,6} {5,6}  {6}\n",
                   "position", "block", "count", "instructions", "insns",
                   "time", "what");
  for (const OutlineRow &R : Rows)
    if (Error E = P.print(R))
      return E;
  return Error::success();
}

Expected<json::Array> outlineJson(Session &S, const HtrFile &File,
                                  ArrayRef<OutlineRow> Rows) {
  RowPrinter P(S, File);
  if (Error E = P.start())
    return E;
  json::Array Items;
  for (const OutlineRow &R : Rows) {
    auto V = P.toJson(R);
    if (!V)
      return V.takeError();
    Items.push_back(std::move(*V));
  }
  return Items;
}

} // namespace rw
