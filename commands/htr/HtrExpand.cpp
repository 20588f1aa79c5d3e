//===- HtrExpand.cpp - rewind htr expand ----------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "commands/htr/HtrOutline.h"

using namespace llvm;

namespace rw {

static Error runHtrExpand(Session &S, const ParsedOptions &Options) {
  auto Opened = openBlock(S, Options);
  if (!Opened)
    return Opened.takeError();
  const HtrFile &File = *Opened->File;
  const BlockId B = Opened->Id;
  BlockInfo I = File.block(B);
  if (I.Kind == BlockKind::Instruction || I.Kind == BlockKind::Break)
    return userError(blockLabel(B) + " is " +
                     (I.Kind == BlockKind::Break ? "a gap" : "an instruction") +
                     ": there is nothing in it");
  unsigned Layer = File.numLayers() - 1;
  if (auto L = Options.value("layer")) {
    auto Parsed = parseLayer(File, *L);
    if (!Parsed)
      return Parsed.takeError();
    Layer = *Parsed;
    if (Layer < I.Home)
      return userError(blockLabel(B) + " is a block of layer " + Twine(I.Home) +
                       "; below that it does not exist");
  }
  auto Depth = outlineDepth(Options, 1);
  auto Count = Options.number("count"),
       Occurrence = Options.number("occurrence");
  if (!Depth || !Count || !Occurrence)
    return joinErrors(joinErrors(Depth.takeError(), Count.takeError()),
                      Occurrence.takeError());
  uint64_t K = Occurrence->value_or(1);
  if (!I.Occurrences)
    return userError("block " + blockLabel(B) + " does not occur");
  if (!K || K > I.Occurrences)
    return userError("block " + blockLabel(B) + " has occurrences 1 to " +
                     grouped(I.Occurrences));

  OutlineOptions Outline;
  Outline.Layer = Layer;
  Outline.MaxDepth = Depth->value_or(1) - 1;
  Outline.MaxRows = std::max<uint64_t>(1, Count->value_or(S.Move ? 60 : ~0u));
  UnitRange Parts = File.parts(B, Layer);
  Outline.Stop = &S.Watch;
  htr::Outliner Outliner(File, Outline);
  std::vector<OutlineRow> Rows = Outliner.list(
      Parts, 0, Parts.size(), File.occurrence(B, K - 1), Parts.Times);
  if (Error E = S.Watch.check())
    return E;
  const bool Rest = !Rows.empty() && Rows.back().What == OutlineRow::Rest;
  HtrNames Names(S, File, nameLength(Options));
  if (Options.has("json")) {
    auto Items = outlineJson(S, File, Rows);
    if (!Items)
      return Items.takeError();
    printJson(S.Out, json::Object{{"id", int64_t(B)},
                                  {"name", Names.block(B)},
                                  {"occurrence", K},
                                  {"occurrences", I.Occurrences},
                                  {"count", Parts.Times},
                                  {"parts", Parts.size()},
                                  {"items", std::move(*Items)},
                                  {"complete", !Rest && !Outliner.isCut()}});
    return Error::success();
  }
  S.Out << blockLabel(B) << "  " << Names.block(B) << ", occurrence "
        << grouped(K) << " of " << grouped(I.Occurrences) << ", "
        << grouped(I.Length) << " instructions\n";
  if (Error E = printOutline(S, File, Rows))
    return E;
  if (Outliner.isCut())
    S.Out << "-- not opened as deep as --depth says (see more with --count)\n";
  return Error::success();
}

static constexpr OptionSpec HtrExpandOptions[] = {
    opt::Json,
    {"depth", 'd', "n", "levels to open, up to 1000 (1)"},
    {"occurrence", 'k', "n", "positions of the n-th occurrence (the first)"},
    {"layer", 0, "layer",
     "what it is made of in this layer (default: the top one)"},
    {"count", 'c', "n", "at most n lines (60 in LLDB, else all)"},
};

extern const Command HtrExpandCommand = {
    .Name = "htr expand",
    .Summary = "Show what a block is made of",
    .Arguments = "<block>",
    .Help = R"(
Lists the parts of a block, with the positions that they have in its first
occurrence (or another one), and with --depth their parts in turn. What a
function is made of every layer tells anew; the top layer's telling is shown
unless --layer names another one.

  rewind htr expand B746
  rewind htr expand B682 --depth 3 --occurrence 2
)",
    .Options = HtrExpandOptions,
    .MinArguments = 1,
    .MaxArguments = 1,
    .Run = runHtrExpand,
    .OnlyAsks = true,
};

} // namespace rw
