//===- MemoryView.cpp - Memory as a replay process sees it ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/replay/MemoryView.h"
#include "core/arch/Disassembler.h"
#include "core/store/StateCursor.h"
#include "core/store/TraceStore.h"

using namespace rw;

void MemoryView::addReadOnly(uint64_t Addr, std::vector<uint8_t> Bytes) {
  std::lock_guard<std::mutex> Lock(Mutex);
  ReadOnly[Addr] = std::move(Bytes);
}

/// The bytes of an opcode as they lie in memory.
static llvm::SmallVector<uint8_t, 16> codeBytes(const TraceStore::Code &C,
                                                Arch A) {
  auto Bytes = opcodeBytes(C.Isa, C.Opcode, C.Size);
  if (A == Arch::PPC64LE)
    for (size_t I = 0; I + 4 <= Bytes.size(); I += 4)
      std::reverse(Bytes.begin() + I, Bytes.begin() + I + 4);
  return Bytes;
}

llvm::Error MemoryView::read(Moment M, uint64_t Addr,
                             llvm::MutableArrayRef<uint8_t> Bytes,
                             llvm::MutableArrayRef<uint8_t> Known,
                             StateCursor *Near) const {
  if (Bytes.empty())
    return llvm::Error::success();
  std::fill(Known.begin(), Known.end(), 0);
  if (llvm::Error E = Near ? Near->readMemory(M, Addr, Bytes, Known)
                           : Store->memoryAt(M, Addr, Bytes, Known))
    return E;
  auto Offer = [&](uint64_t From, llvm::ArrayRef<uint8_t> Data) {
    for (uint64_t At = Addr > From ? Addr - From : 0; At < Data.size(); ++At) {
      const uint64_t Place = From + At - Addr;
      if (Place >= Bytes.size())
        return;
      if (!Known[Place]) {
        Bytes[Place] = Data[At];
        Known[Place] = 1;
      }
    }
  };
  const uint64_t Last = Addr + (Bytes.size() - 1);
  if (!llvm::is_contained(Known, 0))
    return llvm::Error::success();

  std::lock_guard<std::mutex> Lock(Mutex);
  if (Store->header().Can.Opcodes) {
    if (!PCs)
      PCs = Store->distinctPCs();
    // An instruction may begin up to 7 bytes before the range.
    for (auto It = llvm::lower_bound(*PCs, Addr < 7 ? 0 : Addr - 7);
         It != PCs->end() && *It <= Last; ++It)
      if (auto C = Store->codeAt(*It))
        Offer(*It, codeBytes(*C, Store->header().Architecture));
  }
  // What ran is one range after the other, with gaps.
  for (uint64_t Done = 0; Done < Bytes.size();) {
    llvm::ArrayRef<uint8_t> Code =
        Store->codeBytes(Addr + Done, Bytes.size() - Done);
    Offer(Addr + Done, Code);
    Done += std::max<uint64_t>(Code.size(), 1);
  }
  auto It = ReadOnly.upper_bound(Addr);
  if (It != ReadOnly.begin())
    --It;
  for (; It != ReadOnly.end() && It->first <= Last; ++It)
    Offer(It->first, It->second);
  return llvm::Error::success();
}

llvm::Expected<MemoryView::Around>
MemoryView::around(Moment When, uint64_t Addr, uint64_t Size) const {
  Around A;
  for (unsigned I = 0; I < 2; ++I) {
    A.Bytes[I].resize(Size);
    A.Known[I].resize(Size);
    if (llvm::Error E = read(When + I, Addr, A.Bytes[I], A.Known[I]))
      return E;
  }
  return A;
}
