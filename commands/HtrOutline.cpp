//===- HtrOutline.cpp - Blocks as a page to read --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/HtrOutline.h"
#include "llvm/Support/FormatVariadic.h"
#include <queue>

using namespace llvm;

namespace rw {
namespace {

/// Lists a range: runs of plain instructions become one row; what exceeds
/// \p Max rows becomes "n more".
std::vector<OutlineRow> list(const HtrFile &File, const UnitRange &Range,
                             uint64_t From, uint64_t To, htr::Place At,
                             uint64_t Max, bool Flat) {
  std::vector<OutlineRow> Rows;
  for (uint64_t I = From; I < To; ++I) {
    BlockId B = File.unit(Range, I);
    uint64_t Length = File.length(B);
    bool Plain = File.kind(B) == BlockKind::Instruction;
    if (Plain && !Flat && !Rows.empty() && Rows.back().First != htr::NoBlock) {
      Rows.back().Last = B;
      Rows.back().Id = htr::NoBlock;
      Rows.back().Length += Length;
    } else if (Rows.size() == Max) {
      OutlineRow R;
      R.Hidden = To - I;
      R.At = At;
      R.Length = File.offsetOf(Range, To) - File.offsetOf(Range, I);
      Rows.push_back(R);
      return Rows;
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
  return Rows;
}

/// What a block shows when it is opened.
std::vector<OutlineRow> listInside(const HtrFile &File, const OutlineRow &Row,
                                   unsigned Layer, uint64_t Max) {
  BlockInfo I = File.block(Row.Id);
  UnitRange Parts = File.parts(Row.Id, Layer);
  if (I.Kind == BlockKind::Repeat) {
    BlockId Body = File.unit(Parts, 0);
    std::vector<OutlineRow> Rows;
    if (File.kind(Body) == BlockKind::Sequence) {
      UnitRange In = File.parts(Body, Layer);
      Rows = list(File, In, 0, In.size(), Row.At, Max, false);
    } else {
      Rows = list(File, Parts, 0, 1, Row.At, Max, false);
    }
    for (OutlineRow &R : Rows)
      R.Times = I.Value;
    return Rows;
  }
  if (I.Kind == BlockKind::Iterations) {
    // Alternatives, in the order in which they first come.
    std::vector<OutlineRow> Rows;
    std::map<BlockId, size_t> Seen;
    htr::Place At = Row.At;
    uint64_t Hidden = 0;
    for (uint64_t K = 0; K < Parts.size(); ++K) {
      BlockId B = File.unit(Parts, K);
      auto [It, New] = Seen.try_emplace(B, Rows.size());
      if (!New) {
        if (It->second < Rows.size())
          ++Rows[It->second].Times;
      } else if (Rows.size() < Max) {
        OutlineRow R;
        R.Id = B;
        R.At = At;
        R.Length = File.length(B);
        R.Alternative = true;
        Rows.push_back(R);
      } else {
        It->second = ~size_t(0);
        ++Hidden;
      }
      At += File.length(B);
    }
    if (Hidden) {
      OutlineRow R;
      R.Hidden = Hidden;
      R.At = Row.At;
      Rows.push_back(R);
    }
    return Rows;
  }
  return list(File, Parts, 0, Parts.size(), Row.At, Max, false);
}

/// Whether opening says more than the line itself.
bool worthOpening(const std::vector<OutlineRow> &Inside) {
  return Inside.size() > 1 ||
         (Inside.size() == 1 && Inside[0].Id != htr::NoBlock &&
          Inside[0].First == htr::NoBlock);
}

} // namespace

std::vector<OutlineRow> outline(const HtrFile &File, UnitRange Range,
                                uint64_t From, uint64_t To, htr::Place At,
                                const OutlineOptions &Options) {
  std::vector<OutlineRow> Rows =
      list(File, Range, From, To, At, std::max<uint64_t>(1, Options.MaxRows),
           Options.Flat);
  if (Options.Flat)
    return Rows;
  uint64_t Left = Options.MaxRows - std::min(Options.MaxRows, Rows.size());
  double Whole = 0;
  for (const OutlineRow &R : Rows)
    Whole += R.Length;

  // Rows do not move once they are in Inside of their parent.
  auto smaller = [](const OutlineRow *A, const OutlineRow *B) {
    uint64_t X = A->Length * A->Shown, Y = B->Length * B->Shown;
    return X != Y ? X < Y : A->At > B->At;
  };
  std::priority_queue<OutlineRow *, std::vector<OutlineRow *>,
                      decltype(smaller)>
      Queue(smaller);
  auto add = [&](OutlineRow &R) {
    if (R.Id != htr::NoBlock && R.First == htr::NoBlock &&
        R.Depth < Options.MaxDepth)
      Queue.push(&R);
  };
  for (OutlineRow &R : Rows)
    add(R);
  while (!Queue.empty() && Left) {
    OutlineRow &R = *Queue.top();
    Queue.pop();
    if (R.Length * R.Shown < Options.Share * Whole)
      break;
    // Half of the page for one block at most, unless depth was asked for.
    uint64_t Room =
        Options.MaxDepth != ~0u ? Left : std::max<uint64_t>(8, Left / 2);
    std::vector<OutlineRow> Inside =
        listInside(File, R, Options.Layer, std::min(Left, Room));
    if (Inside.size() > Left || !worthOpening(Inside))
      continue;
    // A long list that does not fit says little in a page.
    if (Options.MaxDepth == ~0u && Inside.back().Hidden)
      continue;
    Left -= Inside.size();
    R.Inside = std::move(Inside);
    for (OutlineRow &C : R.Inside) {
      C.Depth = R.Depth + 1;
      C.Shown = R.Shown * C.Times;
      add(C);
    }
  }
  return Rows;
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
                       "more\n",
                       "", "", "", grouped(R.Length), share(R), "", Indent,
                       grouped(R.Hidden));
      return Error::success();
    }
    auto Time = timeOf(R);
    if (!Time)
      return Time.takeError();
    std::string Source = source(R);
    S.Out << formatv("{0,12}  {1,-9} {2,8}  {3,14} {4,6} {5,6}  {6}{7}{8}{9}\n",
                     formatHtrPlace(S, File, R.At),
                     R.Id == htr::NoBlock ? "" : blockLabel(R.Id), times(R),
                     grouped(R.Length), share(R),
                     *Time && TotalTime ? percent(**Time, *TotalTime) : "",
                     Indent, R.Alternative ? grouped(R.Times) + " times " : "",
                     name(R), Source.empty() ? "" : "  " + Source);
    for (const OutlineRow &C : R.Inside)
      if (Error E = print(C))
        return E;
    return Error::success();
  }

  Expected<json::Value> toJson(const OutlineRow &R) {
    json::Object O;
    if (R.Hidden) {
      O["more"] = R.Hidden;
      O["instructions"] = R.Length;
      return O;
    }
    auto [T, Pos] = File.positionOf(R.At);
    O["thread"] = int64_t(T) + 1;
    O["position"] = Pos;
    O["name"] = name(R);
    O["instructions"] = R.Length;
    O["times"] = R.Times;
    O["share_instructions"] = double(R.Length) * R.Shown /
                              std::max<uint64_t>(1, File.numInstructions());
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
    return percent(double(R.Length) * R.Shown, File.numInstructions());
  }
  /// Of this occurrence; of one time round nothing is said about all.
  Expected<std::optional<uint64_t>> timeOf(const OutlineRow &R) {
    if (R.Shown != 1)
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
