//===- Collect.h - A whole trace, flattened, for tests ----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_FORMATS_COLLECT_H
#define REWIND_TEST_FORMATS_COLLECT_H

#include "core/formats/tarmac/TarmacReader.h"
#include "test/unit/support/TestData.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace rw {

/// All batches joined to one, with events at their place in the whole trace.
struct Collect final : TraceSink {
  ItemBatch All;
  TraceHeader Header;
  bool Finished = false;

  llvm::Error consume(ItemBatch &B) override {
    if (All.Insns.empty()) {
      All.LeadRegs += B.LeadRegs;
      All.LeadMems += B.LeadMems;
      All.LeadLines += B.LeadLines;
    } else {
      InsnItem &Last = All.Insns.back();
      Last.NumRegs = uint16_t(Last.NumRegs + B.LeadRegs);
      Last.NumMems = uint16_t(Last.NumMems + B.LeadMems);
      Last.Lines += B.LeadLines;
    }
    for (EventItem &E : B.Events) {
      All.Events.push_back(E);
      All.Events.back().Before += uint32_t(All.Insns.size());
    }
    All.Insns.insert(All.Insns.end(), B.Insns.begin(), B.Insns.end());
    All.Regs.insert(All.Regs.end(), B.Regs.begin(), B.Regs.end());
    All.Mems.insert(All.Mems.end(), B.Mems.begin(), B.Mems.end());
    return llvm::Error::success();
  }
  llvm::Error finish(const TraceHeader &H) override {
    Header = H;
    Finished = true;
    return llvm::Error::success();
  }

  /// The effects of instruction \p I; of the lead with -1.
  llvm::ArrayRef<RegItem> regs(int I) const {
    size_t At = 0, N = All.LeadRegs;
    for (int K = 0; K <= I; ++K) {
      At += N;
      N = All.Insns[K].NumRegs;
    }
    return llvm::ArrayRef(All.Regs).slice(At, N);
  }
  llvm::ArrayRef<MemItem> mems(int I) const {
    size_t At = 0, N = All.LeadMems;
    for (int K = 0; K <= I; ++K) {
      At += N;
      N = All.Insns[K].NumMems;
    }
    return llvm::ArrayRef(All.Mems).slice(At, N);
  }

  /// Everything, as text: what must not depend on chunks and threads.
  std::string str() const {
    std::string S;
    llvm::raw_string_ostream OS(S);
    OS << "lead " << All.LeadRegs << ' ' << All.LeadMems << ' ' << All.LeadLines
       << '\n';
    for (const InsnItem &I : All.Insns)
      OS << llvm::formatv("I {0:x} {1:x} t{2} l{3} r{4} m{5} s{6} {7} f{8} "
                          "c{9}\n",
                          I.PC, I.Opcode, I.Time, I.Lines, I.NumRegs, I.NumMems,
                          I.Size, int(I.Isa), I.Flags, I.Thread);
    for (const RegItem &R : All.Regs)
      OS << llvm::formatv("R {0} {1:x} w{2:x} u{3:x} c{4}\n", R.Lane, R.Value,
                          R.Written, R.Unknown, R.Thread);
    for (const MemItem &M : All.Mems)
      OS << llvm::formatv("M {0:x} {1:x} {2:x} s{3} f{4:x} k{5:x}\n", M.Addr,
                          M.Value, M.Real, M.Size, M.Flags, M.Known);
    for (const EventItem &E : All.Events)
      OS << llvm::formatv("E {0} {1} c{2} {3:x} {4:x} {5}\n", E.Before,
                          int(E.Kind), E.Thread, E.PC, E.Value, E.Text);
    OS << "arch " << int(Header.Architecture) << " unit " << Header.TimeUnit
       << " lines " << Header.TotalLines << " malformed " << Header.NumMalformed
       << '\n';
    for (auto &M : Header.Malformed)
      OS << "bad " << M.Line << ' ' << M.Offset << ' ' << M.What << '\n';
    for (auto &N : Header.NamedRegisters)
      OS << "named " << N.Name << ' ' << N.Lane << ' ' << N.Size << '\n';
    for (auto &T : Header.Threads)
      OS << "thread " << T.Name << ' ' << T.Id << '\n';
    for (auto &[K, V] : Header.Ignored)
      OS << "ignored " << K << ' ' << V << '\n';
    for (auto &[K, V] : Header.Notes)
      OS << "note " << K << ": " << V << '\n';
    return S;
  }
};

/// A file that goes away.
struct TempFile {
  llvm::SmallString<128> Path;
  explicit TempFile(llvm::StringRef Text) {
    int FD;
    if (llvm::sys::fs::createTemporaryFile("rewind-test", "trace", FD, Path))
      abort();
    llvm::raw_fd_ostream OS(FD, /*shouldClose=*/true);
    OS << Text;
  }
  ~TempFile() { llvm::sys::fs::remove(Path); }
};

inline llvm::Error readFile(llvm::StringRef Path, Collect &Out,
                            ReaderOptions Options = {}) {
  auto R = openTrace(Path, "tarmac", Options);
  if (!R)
    return R.takeError();
  return (*R)->read(Out);
}
inline llvm::Error readText(llvm::StringRef Text, Collect &Out,
                            ReaderOptions Options = {}) {
  TempFile F(Text);
  return readFile(F.Path, Out, Options);
}

/// A file of the Tarmac Trace Utilities' tests; empty if it is not there.
inline std::string ttuFile(llvm::StringRef Name) {
  return test::otherData(("tarmac/" + Name).str());
}

} // namespace rw

#endif // REWIND_TEST_FORMATS_COLLECT_H
