//===- CompressionBench.cpp - What ways to write a trace reach ------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// compression-bench STORE...: writes which instructions each trace executed in
// the ways of BlockCodes.h, and prints a table of the bits for an instruction:
// by an adaptive count of order 0, and by zstd -19. The last column is 10,000
// blocks at random. What was written is read again and compared.
//
//===----------------------------------------------------------------------===//

#include "BlockCodes.h"
#include "core/store/ExecutionCursor.h"
#include "core/store/TraceStore.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <random>

using namespace rw;
using namespace rw::codes;

/// The threads' instructions, one thread after the other.
static llvm::Expected<std::vector<Insn>> read(const char *Path) {
  auto Store = TraceStore::open(Path);
  if (!Store)
    return Store.takeError();
  std::vector<Insn> Templates(ExecutionCursor::numTemplates(**Store));
  std::vector<std::vector<Insn>> Threads((*Store)->numThreads());
  auto Cursor = ExecutionCursor::open(**Store, ExecutionCursor::Flow);
  while (const Execution *E = Cursor->next()) {
    Insn &I = Templates[E->Template];
    if (!I.Size) {
      Instruction Whole =
          ExecutionCursor::describe(**Store, E->Template, E->Thread);
      I = {Whole.Insn.PC, Whole.Insn.Size};
      if (!I.Size)
        return llvm::createStringError(
            "%s: the size of the instruction at #%llu is not known", Path,
            static_cast<unsigned long long>(E->When));
    }
    Threads[E->Thread].push_back(I);
  }
  if (llvm::Error E = Cursor->takeError())
    return E;
  std::vector<Insn> All;
  for (const std::vector<Insn> &T : Threads)
    All.insert(All.end(), T.begin(), T.end());
  return All;
}

/// 10,000 blocks of 5 instructions, each one of 128 with the same chance.
static std::vector<Insn> randomTrace() {
  std::mt19937 Random(1);
  std::vector<Insn> Out;
  for (unsigned I = 0; I < 10'000; ++I)
    for (uint64_t PC = Random() % 128 * 64, End = PC + 20; PC < End; PC += 4)
      Out.push_back({PC, 4});
  return Out;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    llvm::errs() << "usage: compression-bench STORE...\n";
    return 2;
  }
  std::vector<std::string> Rows(ideas().size() + 5);
  Rows[0] = "| |";
  Rows[1] = "|---|";
  Rows[2] = "| instructions; blocks; distinct ones |";
  Rows[3] = "| addresses |";
  Rows[4] = "| block descriptors |";
  for (size_t I = 0; I < ideas().size(); ++I)
    Rows[I + 5] = "| " + ideas()[I].Name.str() + " |";

  for (int A = 1; A <= argc; ++A) {
    std::vector<Insn> Trace;
    if (A == argc) {
      Trace = randomTrace();
    } else if (auto Read = read(argv[A])) {
      Trace = std::move(*Read);
    } else {
      llvm::errs() << llvm::toString(Read.takeError()) << "\n";
      return 1;
    }
    llvm::StringRef Name = A == argc ? llvm::StringRef("random")
                                     : llvm::sys::path::filename(argv[A]);
    auto Wrong = [&](llvm::StringRef What) {
      llvm::errs() << "compression-bench: " << Name << ", " << What
                   << ": what was read again differs\n";
      return 1;
    };
    if (Trace.empty()) {
      llvm::errs() << "compression-bench: " << Name << " has no instructions\n";
      return 1;
    }
    auto Cell = [&](std::string &Row, const Bytes &Code) {
      std::optional<Bytes> Small = zstd(Code);
      if (!Small)
        return false;
      double N = double(Trace.size());
      Row += llvm::formatv(" {0:f4} / {1:f4} |", orderZeroBits(Code) / N,
                           double(Small->size()) * 8 / N);
      return true;
    };

    BlockTrace B = findBlocks(Trace);
    if (expand(B) != Trace)
      return Wrong("blocks");
    Rows[0] += llvm::formatv(" {0} |",
                             Name.take_until([](char C) { return C == '.'; }));
    Rows[1] += "---|";
    Rows[2] += llvm::formatv(" {0:n}; {1:n}; {2:n} |", Trace.size(),
                             B.Sequence.size(), B.Blocks.size());
    Bytes Addresses;
    for (Insn I : Trace)
      putBytes(Addresses, I.PC, 8);
    if (!Cell(Rows[3], Addresses))
      return Wrong("zstd of addresses");
    Bytes Descriptors = encodeDescriptors(B.Blocks);
    if (decodeDescriptors(Descriptors) != B.Blocks ||
        !Cell(Rows[4], Descriptors))
      return Wrong("block descriptors");
    for (size_t I = 0; I < ideas().size(); ++I) {
      const Idea &Way = ideas()[I];
      Bytes Code = Way.Encode(B.Sequence, uint32_t(B.Blocks.size()));
      if (Way.Decode(Code, uint32_t(B.Blocks.size())) != B.Sequence ||
          !Cell(Rows[I + 5], Code))
        return Wrong(Way.Name);
    }
  }
  for (const std::string &Row : Rows)
    llvm::outs() << Row << "\n";
  return 0;
}
