//===- PeerTree.cpp - The call tree of the Tarmac Trace Utilities ---------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/calls/PeerTree.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

namespace rw {

llvm::Expected<std::vector<PeerNode>> peerTree(const CallIndex &Index,
                                               ThreadIndex T) {
  std::vector<PeerNode> Nodes;
  auto Only = Index.peerOnly(T);
  if (!Only)
    return Only.takeError();
  std::vector<Position> Ends;
  auto Add = [&](Position Start, Position End) {
    Nodes.push_back({Start, End, 0});
    Ends.push_back(End);
  };
  size_t NextOnly = 0;
  llvm::Error E = Index.forEach(T, 0, ~uint64_t(0), [&](const Activation &A) {
    while (NextOnly < Only->size() && (*Only)[NextOnly].Start < A.Start) {
      Add((*Only)[NextOnly].Start, (*Only)[NextOnly].End);
      ++NextOnly;
    }
    if (A.Kind == ActivationKind::Root || (A.Flags & Activation::Peer))
      Add(A.Start, A.End);
    return true;
  });
  if (E)
    return E;
  for (; NextOnly < Only->size(); ++NextOnly)
    Add((*Only)[NextOnly].Start, (*Only)[NextOnly].End);

  // The peer counts depth up at starts and down at ends. Where calls cross,
  // that pairs the ends with other starts than their own.
  std::sort(Ends.begin(), Ends.end());
  std::vector<size_t> Open;
  size_t NextEnd = 0;
  for (size_t I = 0; I < Nodes.size(); ++I) {
    while (NextEnd < Ends.size() && Ends[NextEnd] <= Nodes[I].Start &&
           !Open.empty()) {
      Nodes[Open.back()].End = Ends[NextEnd++];
      Open.pop_back();
    }
    Nodes[I].Depth = uint32_t(Open.size());
    Open.push_back(I);
  }
  while (!Open.empty()) {
    Nodes[Open.back()].End = Ends[NextEnd++];
    Open.pop_back();
  }
  return Nodes;
}

namespace {

/// First, last, caller's and resuming instruction of a node.
struct PeerSites {
  Site Call, Entry, Exit, Resume;
};

/// Sites of all nodes, read in ascending order. Memory: as the text that is
/// made of them.
llvm::Expected<std::vector<PeerSites>>
readSites(const CallQuery &Q, ThreadIndex T,
          const std::vector<PeerNode> &Nodes) {
  std::vector<PeerSites> Sites(Nodes.size());
  SiteReader Reader(Q.Store, T);
  uint64_t N = Q.Store.numInstructions(T);
  auto Read = [&](Position P, Site &To) -> llvm::Error {
    auto S = Reader.at(P);
    if (!S)
      return S.takeError();
    To = *S;
    // The peer's addresses of code have a Thumb bit.
    if (To.Isa == ISA::T32)
      To.PC |= 1;
    return llvm::Error::success();
  };
  std::vector<size_t> Open;
  auto Close = [&](Position Until) -> llvm::Error {
    while (!Open.empty() && Nodes[Open.back()].End <= Until) {
      size_t I = Open.back();
      Open.pop_back();
      if (llvm::Error E = Read(Nodes[I].End - 1, Sites[I].Exit))
        return E;
      if (Nodes[I].End < N)
        if (llvm::Error E = Read(Nodes[I].End, Sites[I].Resume))
          return E;
    }
    return llvm::Error::success();
  };
  for (size_t I = 0; I < Nodes.size(); ++I) {
    if (I % 4096 == 0)
      if (llvm::Error E = Q.Watch.step("reading calls", I, Nodes.size()))
        return E;
    if (llvm::Error E = Close(Nodes[I].Start))
      return E;
    if (Nodes[I].Start > 0)
      if (llvm::Error E = Read(Nodes[I].Start - 1, Sites[I].Call))
        return E;
    if (llvm::Error E = Read(Nodes[I].Start, Sites[I].Entry))
      return E;
    Open.push_back(I);
  }
  if (llvm::Error E = Close(N))
    return E;
  return Sites;
}

void printSite(llvm::raw_ostream &Out, const Site &S) {
  Out << "t:" << S.Time << " l:" << S.Line << " pc:0x";
  Out.write_hex(S.PC);
}

} // namespace

llvm::Error printPeerTree(const CallQuery &Q, ThreadIndex T, uint64_t FirstLine,
                          llvm::raw_ostream &Out) {
  auto Nodes = peerTree(Q.Index, T);
  if (!Nodes)
    return Nodes.takeError();
  auto Sites = readSites(Q, T, *Nodes);
  if (!Sites)
    return Sites.takeError();
  if (FirstLine && !Sites->empty())
    Sites->front().Entry.Line = FirstLine;
  for (size_t I = 0; I < Nodes->size(); ++I) {
    const PeerSites &S = (*Sites)[I];
    unsigned Indent = (*Nodes)[I].Depth * 4;
    if (I > 0) {
      Out.indent(Indent - 2) << "- ";
      printSite(Out, S.Call);
      Out << " - ";
      printSite(Out, S.Resume);
      Out << "\n";
    }
    Out.indent(Indent) << "o ";
    printSite(Out, S.Entry);
    Out << " - ";
    printSite(Out, S.Exit);
    Out << " : " << Q.Names.at(S.Entry.PC).Name << "\n";
  }
  return llvm::Error::success();
}

llvm::Error printPeerProfile(const CallQuery &Q, llvm::raw_ostream &Out) {
  struct Sum {
    uint64_t Count = 0, Time = 0;
  };
  std::map<uint64_t, Sum> Sums;
  for (ThreadIndex T = 0; T < Q.Index.numThreads(); ++T) {
    auto Nodes = peerTree(Q.Index, T);
    if (!Nodes)
      return Nodes.takeError();
    auto Sites = readSites(Q, T, *Nodes);
    if (!Sites)
      return Sites.takeError();
    for (const PeerSites &S : *Sites) {
      Sum &To = Sums[S.Entry.PC];
      ++To.Count;
      To.Time += S.Exit.Time - S.Entry.Time + 1;
    }
  }
  Out << llvm::format("%-12s%-12s%-12s%s\n", "Address", "Count", "Time",
                      "Function name");
  for (const auto &[PC, S] : Sums)
    Out << llvm::format("0x%-9llx %-11llu %-11llu ", (unsigned long long)PC,
                        (unsigned long long)S.Count, (unsigned long long)S.Time)
        << Q.Names.at(PC).Name << "\n";
  return llvm::Error::success();
}

llvm::Error printPeerFlameGraph(const CallQuery &Q, llvm::raw_ostream &Out) {
  std::map<std::string, uint64_t> Stacks;
  for (ThreadIndex T = 0; T < Q.Index.numThreads(); ++T) {
    auto Nodes = peerTree(Q.Index, T);
    if (!Nodes)
      return Nodes.takeError();
    auto Sites = readSites(Q, T, *Nodes);
    if (!Sites)
      return Sites.takeError();
    // Own time of a node: what it took less what its children took. Sums wrap
    // around and come right in the end, as in the original.
    std::vector<size_t> NameEnds;
    std::vector<uint64_t *> Sums;
    std::string Stack;
    for (size_t I = 0; I < Nodes->size(); ++I) {
      uint32_t Depth = (*Nodes)[I].Depth;
      NameEnds.resize(Depth);
      Sums.resize(Depth);
      Stack.resize(Depth ? NameEnds.back() : 0);
      if (Depth)
        Stack += ';';
      const PeerSites &S = (*Sites)[I];
      Stack += Q.Names.nameOr(S.Entry.PC);
      uint64_t Time = S.Exit.Time - S.Entry.Time;
      uint64_t &Sum = Stacks[Stack];
      Sum += Time;
      if (Depth)
        *Sums.back() -= Time;
      NameEnds.push_back(Stack.size());
      Sums.push_back(&Sum);
    }
  }
  for (const auto &[Stack, Time] : Stacks)
    Out << Stack << ' ' << Time << '\n';
  return llvm::Error::success();
}

} // namespace rw
