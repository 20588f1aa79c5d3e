//===- ProfileJson.cpp - A profile as JSON --------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/export/ProfileExport.h"
#include "core/store/TraceStore.h"
#include "core/support/Digits.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace rw {

static void placeJson(json::OStream &J, StringRef Key,
                      ActivationSummary::Place P, const uint64_t *Cost) {
  J.attributeObject(Key, [&] {
    J.attribute("thread", P.Thread + 1);
    J.attribute("position", P.Start);
    if (Cost)
      J.attribute("cost", *Cost);
  });
}

static void costsJson(json::OStream &J, StringRef Key,
                      ContextProfile::Costs Costs) {
  J.attributeArray(Key, [&] {
    for (uint64_t C : Costs)
      J.value(C);
  });
}

static void blockJson(json::OStream &J, const ProfileBlock &B) {
  J.object([&] {
    J.attribute("name", json::fixUTF8(B.Name));
    J.attribute("address", hex(B.Address));
    if (!B.Frames.empty() && B.Frames.front().Line) {
      J.attribute("file", json::fixUTF8(B.Frames.front().File));
      J.attribute("source_line", B.Frames.front().Line);
    }
  });
}

Error writeProfileJson(const ProfileExport &E, const Watch &Watch,
                       raw_ostream &Out) {
  const ContextTree &Tree = E.Profile.tree();
  // Blocks that nothing is counted for are not there.
  std::map<ProfileBlockId, size_t> Number;
  for (const ContextTree::Node &N : Tree.nodes())
    if (N.Block != NoProfileBlock)
      Number.try_emplace(N.Block, 0);
  size_t Count = 0;
  for (auto &[Block, N] : Number)
    N = Count++;
  json::OStream J(Out, 1);
  Error Stopped = Error::success();
  J.object([&] {
    J.attribute("title", json::fixUTF8(E.Title));
    J.attributeArray("metrics", [&] {
      for (Metric M : E.Metrics)
        J.object([&] {
          J.attribute("name", metricInfo(M).Name);
          J.attribute("unit", M == Metric::Time
                                  ? StringRef(E.Store.header().TimeUnit)
                                  : StringRef(metricInfo(M).Unit));
        });
    });
    costsJson(J, "total", E.Profile.total());
    J.attributeArray("blocks", [&] {
      for (auto &[Block, N] : Number)
        blockJson(J, E.Blocks[Block]);
    });
    size_t Roots = 0;
    J.attributeArray("nodes", [&] {
      for (ContextTree::NodeId N = 0; N < Tree.nodes().size() && !Stopped;
           ++N) {
        if ((N & 0xfff) == 0)
          Stopped = Watch.check();
        J.object([&] {
          const ContextTree::Node &Node = Tree.nodes()[N];
          if (Tree.isRoot(N)) {
            J.attribute("block", nullptr);
            J.attribute("parent", nullptr);
            if (Roots < E.Threads.size())
              J.attribute("thread", E.Threads[Roots++] + 1);
          } else {
            J.attribute("block", Number[Node.Block]);
            J.attribute("parent", Node.Parent);
          }
          costsJson(J, "self", E.Profile.ofNode(N));
          const ActivationSummary &A = E.Profile.atNode(N);
          J.attribute("activations", A.Count);
          if (A.Count) {
            placeJson(J, "first", A.First, nullptr);
            placeJson(J, "longest", A.Longest, &A.LongestCost);
          }
        });
      }
    });
  });
  Out << "\n";
  return Stopped;
}

} // namespace rw
