//===- FuzzTarmac.cpp - Any text as a Tarmac trace ------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the text twice, as one chunk and as many small ones. Neither may crash,
// and both must tell the same.
//
//===----------------------------------------------------------------------===//

#include "core/formats/tarmac/TarmacReader.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringExtras.h"
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

using namespace rw;

namespace {

/// A digest of all items, whatever batches they come in.
struct Digest final : TraceSink {
  uint64_t Insns = 0, Regs = 0, Mems = 0, Lines = 0;
  llvm::hash_code Hash = 0;

  llvm::Error consume(ItemBatch &B) override {
    Lines += B.LeadLines;
    for (const InsnItem &I : B.Insns) {
      Hash = llvm::hash_combine(Hash, I.PC, I.Opcode, I.Time, I.Size,
                                unsigned(I.Isa), I.Flags, I.Thread);
      Lines += I.Lines;
    }
    // Between the instructions of two batches nothing may be lost.
    uint64_t R = B.LeadRegs, M = B.LeadMems;
    for (const InsnItem &I : B.Insns) {
      R += I.NumRegs;
      M += I.NumMems;
    }
    if (R != B.Regs.size() || M != B.Mems.size())
      abort();
    Insns += B.Insns.size();
    Regs += R;
    Mems += M;
    return llvm::Error::success();
  }
  llvm::Error finish(const TraceHeader &H) override {
    if (Lines != H.TotalLines)
      abort();
    return llvm::Error::success();
  }
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  int FD = memfd_create("fuzz", 0);
  if (FD < 0 || write(FD, Data, Size) != ssize_t(Size))
    abort();
  std::string Path = "/proc/self/fd/" + llvm::utostr(FD);
  Digest D[2];
  std::string Error[2];
  for (int I = 0; I < 2; ++I) {
    ReaderOptions O;
    O.Threads = 1;
    O.ChunkBytes = I ? 64 : 1 << 20;
    if (Size & 1)
      O.Settings.set(format_option::BigEndian);
    if (Size & 2)
      O.Settings.set(tarmac::ImplicitThumb);
    auto R = openTrace(Path, "tarmac", O);
    llvm::Error E = R ? (*R)->read(D[I]) : R.takeError();
    Error[I] = toString(std::move(E));
  }
  close(FD);
  if (Error[0] != Error[1] || D[0].Insns != D[1].Insns ||
      D[0].Regs != D[1].Regs || D[0].Mems != D[1].Mems ||
      D[0].Hash != D[1].Hash)
    abort();
  return 0;
}
