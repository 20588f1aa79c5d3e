//===- Bundles.h - Recorded bundles and what they must decode to *- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_INTELPT_BUNDLES_H
#define REWIND_TEST_INTELPT_BUNDLES_H

#include "core/formats/intelpt/IntelPTReader.h"
#include "core/model/CodeSequence.h"
#include "test/unit/support/TestData.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>
#include <zlib.h>

namespace rw::intelpt {

/// All that a reader hands over, by thread. Takes flow or not, as told.
struct Trace : TraceSink {
  explicit Trace(bool Flow = true) : Flow(Flow) {}
  bool takesFlow() const override { return Flow; }
  llvm::Error consume(ItemBatch &B) override {
    auto events = [&](size_t Before) {
      for (;
           NextEvent < B.Events.size() && B.Events[NextEvent].Before <= Before;
           ++NextEvent) {
        Events.push_back(B.Events[NextEvent]);
        Events.back().Before = uint32_t(Order.size());
      }
    };
    NextEvent = 0;
    EXPECT_TRUE(Flow || B.Flow.empty());
    EXPECT_TRUE(!Flow || B.Insns.empty());
    for (size_t I = 0; I < B.Flow.size(); ++I) {
      events(I);
      const FlowItem &F = B.Flow[I];
      for (InsnItem X : B.Code->insns(F.Sequence)) {
        X.Thread = F.Thread;
        X.Time = F.Time;
        add(X);
      }
    }
    for (size_t I = 0; I < B.Insns.size(); ++I) {
      events(I);
      add(B.Insns[I]);
    }
    events(std::max(B.Flow.size(), B.Insns.size()));
    EXPECT_EQ(NextEvent, B.Events.size());
    return llvm::Error::success();
  }
  llvm::Error finish(const TraceHeader &H) override {
    Header = H;
    return llvm::Error::success();
  }
  void add(const InsnItem &X) {
    EXPECT_GE(X.Time, LastTime) << "time goes backwards";
    LastTime = X.Time;
    PCs[X.Thread].push_back(X.PC);
    Order.push_back(X);
  }

  bool Flow;
  std::map<unsigned, std::vector<uint64_t>> PCs;
  std::vector<InsnItem> Order;
  std::vector<EventItem> Events; ///< Before counts Order
  TraceHeader Header;
  size_t NextEvent = 0;
  uint64_t LastTime = 0;
};

/// The recorded truth: 8-byte little-endian addresses.
inline std::vector<uint64_t> truth(const std::string &Path) {
  std::vector<uint64_t> PCs;
  gzFile F = gzopen(Path.c_str(), "rb");
  uint64_t Chunk[4096];
  int N;
  while (F && (N = gzread(F, Chunk, sizeof Chunk)) > 0)
    PCs.insert(PCs.end(), Chunk, Chunk + N / 8);
  if (F)
    gzclose(F);
  return PCs;
}

/// A directory that goes away.
struct TempDir {
  llvm::SmallString<128> Path;
  TempDir() {
    if (llvm::sys::fs::createUniqueDirectory("rewind-test", Path))
      abort();
  }
  ~TempDir() { llvm::sys::fs::remove_directories(Path); }
  /// Its path.
  std::string write(llvm::StringRef Name, llvm::StringRef Bytes) const {
    llvm::SmallString<128> File(Path);
    llvm::sys::path::append(File, Name);
    std::error_code EC;
    llvm::raw_fd_ostream OS(File, EC);
    OS << Bytes;
    EXPECT_FALSE(EC || OS.has_error()) << File.c_str();
    return File.str().str();
  }
};

inline llvm::StringRef chars(const std::vector<uint8_t> &Bytes) {
  return {reinterpret_cast<const char *>(Bytes.data()), Bytes.size()};
}

inline void decode(const Recording &R, size_t PieceBytes, Trace &T) {
  ReaderOptions Options;
  Options.ChunkBytes = PieceBytes;
  Options.Threads = 3;
  auto Reader = makeReader(R, Options);
  if (llvm::Error E = Reader->read(T))
    FAIL() << llvm::toString(std::move(E));
}

inline void checkSame(const std::vector<uint64_t> &Got,
                      const std::vector<uint64_t> &Expected) {
  size_t N = std::min(Got.size(), Expected.size()), I = 0;
  while (I < N && Got[I] == Expected[I])
    ++I;
  EXPECT_EQ(Got.size(), Expected.size());
  EXPECT_EQ(I, N) << "differs first at " << I;
}

} // namespace rw::intelpt

#endif // REWIND_TEST_INTELPT_BUNDLES_H
