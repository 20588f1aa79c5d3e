//===- HtrLayers.cpp - rewind htr layers ----------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/htr/HtrLayers.h"
#include "commands/Command.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

static std::string factor(uint64_t Whole, uint64_t Part) {
  if (!Part)
    return "-";
  double F = double(Whole) / Part;
  return formatv(F < 100 ? "{0:f1}" : "{0:f0}", F).str();
}

Error printLayers(Session &S, const HtrFile &File, bool Json) {
  if (Json) {
    json::Array Items;
    for (unsigned L = 0; L < File.numLayers(); ++L) {
      const htr::LayerInfo &I = File.layer(L);
      json::Object O{{"layer", int64_t(L)},
                     {"pass", I.Pass},
                     {"units", I.Units},
                     {"top_units", I.TopUnits},
                     {"distinct", I.Distinct},
                     {"new_blocks", uint64_t(I.EndBlock - I.FirstBlock)}};
      if (I.Units)
        O["reduction"] = double(File.layer(0).Units) / I.Units;
      if (L) {
        O["bytes"] = I.Bytes;
        O["position_bytes"] = I.PositionBytes;
      }
      Items.push_back(std::move(O));
    }
    json::Array Notes;
    for (const std::string &N : File.header().Notes)
      Notes.push_back(N);
    printJson(S.Out, json::Object{{"layers", std::move(Items)},
                                  {"pipeline", File.header().Pipeline},
                                  {"notes", std::move(Notes)},
                                  {"file_bytes", File.fileBytes()}});
    return Error::success();
  }
  S.Out << formatv("{0,5}  {1,-12} {2,14} {3,14} {4,12} {5,9} {6,13} {7,14}\n",
                   "layer", "pass", "units", "at the top", "distinct",
                   "reduction", "bytes", "of positions");
  for (unsigned L = 0; L < File.numLayers(); ++L) {
    const htr::LayerInfo &I = File.layer(L);
    S.Out << formatv(
        "{0,5}  {1,-12} {2,14} {3,14} {4,12} {5,9} {6,13} {7,14}\n", L, I.Pass,
        grouped(I.Units), grouped(I.TopUnits), grouped(I.Distinct),
        factor(File.layer(0).Units, I.Units), L ? grouped(I.Bytes) : "store",
        L ? grouped(I.PositionBytes) : "store");
  }
  S.Out << "-- " << File.header().Pipeline << " over "
        << grouped(File.numInstructions())
        << (File.numInstructions() == 1 ? " instruction, " : " instructions, ")
        << grouped(File.fileBytes()) << " bytes in all\n";
  return Error::success();
}

static Error runHtrLayers(Session &S, const ParsedOptions &Options) {
  auto File = openHtr(S);
  if (!File)
    return File.takeError();
  for (const std::string &Note : (*File)->header().Notes)
    S.warn(Note);
  return printLayers(S, **File, Options.has("json"));
}

static constexpr OptionSpec HtrLayersOptions[] = {opt::Json};

extern const Command HtrLayersCommand = {
    .Name = "htr layers",
    .Summary = "List the layers of the hierarchical trace representation",
    .Help = R"(
For every layer: the pass that made it, its units (those inside of functions,
told once per distinct activation, included), the units at the top of the
threads, how many of them are distinct, the reduction from instructions to
units, and the bytes that the layer and its positions take on disk. If no passes
were run yet, the usual ones are (see htr run).

  rewind htr layers
)",
    .Options = HtrLayersOptions,
    .MaxArguments = 0,
    .Run = runHtrLayers,
    .OnlyAsks = true,
};

} // namespace rw
