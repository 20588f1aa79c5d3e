//===- TinyTrace.h - A hand-made trace to run commands on -------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//  #0 1000 mov x0, #5             x0 = 5
//  #1 1004 add x1, x0, #2         x1 = 7
//  #2 1008 str x1, [sp, #8]       [8008, 8] = 7
//  #3 100c mov x2, x1             x2 = 7
//  #4 1010 ldr w3, [sp, #8]       reads [8008, 4]; x3 = 7
//  #5 1014 stp x2, x0, [sp, #16]  [8010, 8] = 7, [8018, 8] = 5
//  #6 1018 ldrb w4, [sp, #32]     reads [8020, 1] = ab; x4 = ab
//  #7 101c strb w4, [sp, #9]      [8009, 1] = ab
//  #8 1020 b.eq 1000              not executed
//  #9 1024 bl 1000                lr = 1028; an exception before it
// #10 1000 mov x0, #5             x0 = 5
//
// sp is 8000 from the start, as the trace tells; each instruction takes 10 clk
// and two lines, after two lines at the beginning. Nothing else is known.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_TINYTRACE_H
#define REWIND_TEST_TINYTRACE_H

#include "commands/Command.h"
#include "core/store/StoreBuilder.h"
#include "core/store/TraceStore.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

namespace rw {

/// Appends an instruction; it takes 10 clk and two lines.
void addInsn(ItemBatch &B, uint64_t PC, uint32_t Opcode, uint8_t Thread = 0);
/// Effects of the last instruction, or the initial state if there is none.
void addReg(ItemBatch &B, unsigned Lane, uint64_t Value, uint8_t Thread = 0);
void addMem(ItemBatch &B, uint64_t Addr, unsigned Size, uint64_t Value,
            uint8_t Flags);

class TinyTrace : public testing::Test {
protected:
  void SetUp() override;
  /// Makes Store of \p B.
  void build(ItemBatch &B, const TraceHeader &H,
             StreamObserver *Observer = nullptr);
  static TraceHeader header();
  void TearDown() override { llvm::sys::fs::remove_directories(Folder); }

  /// Runs a command as LLDB would; what it prints, or "error: ...".
  std::string run(std::vector<llvm::StringRef> Words);

  std::string path(llvm::StringRef Name) const {
    llvm::SmallString<128> P(Folder);
    llvm::sys::path::append(P, Name);
    return std::string(P);
  }

  llvm::SmallString<128> Folder;
  std::unique_ptr<TraceStore> Store;
  SessionMemory Memory;
  Place Here;
  bool InDebugger = true;
  SymbolSource *Symbols = nullptr;
  ExpressionSource *Expressions = nullptr;
  std::string LastMove; ///< "#2 last write of x0"
  std::string Warnings;
  rw::Watch Watch;
};

} // namespace rw

#endif // REWIND_TEST_TINYTRACE_H
