//===- VersionTest.cpp - When the store's version must change -------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoreTestSupport.h"
#include "core/arch/RegisterFile.h"
#include "core/store/Checksum.h"
#include "core/store/Format.h"

using namespace rw;

namespace {

class StoreVersion : public StoreTest {
protected:
  /// A little of everything that a store can hold, the same everywhere: no
  /// library's random numbers.
  static void feed(StoreBuilder &B) {
    constexpr unsigned Loop = 37, Insns = 30000, BatchInsns = 1000;
    ItemBatch Items;
    for (unsigned N = 0; N < Insns; ++N) {
      const unsigned K = N % Loop;
      InsnItem I;
      I.PC = 0x400000 + 4 * (N % 997 < 500 ? K : Loop + K);
      I.Opcode = 0xd503201f ^ K << 5;
      I.Time = 3 * N + N % 5;
      I.Size = 4;
      I.Isa = ISA::A64;
      I.Thread = uint8_t(N / 5000 % 2);
      I.Flags = InsnItem::Executed | InsnItem::OpcodeKnown;
      if (K % 3 == 0) {
        RegItem R;
        R.Lane = uint16_t(arm::X0 + K / 3);
        R.Value = K % 2 ? uint64_t(N) * N : N / Loop;
        R.Written = 0xff;
        R.Unknown = N % 1009 ? 0 : 0xf0;
        R.Thread = I.Thread;
        Items.Regs.push_back(R);
        I.NumRegs = 1;
      }
      if (K % 4 == 1) {
        MemItem M;
        M.Addr = 0x10000 + N % 211 * 8;
        M.Value = uint64_t(N) << 20 | K;
        M.Size = 8;
        M.Known = 0xff;
        M.Flags = K % 8 == 1 ? MemItem::Write : 0;
        Items.Mems.push_back(M);
        I.NumMems = 1;
      }
      if (N % 4999 == 4998) {
        EventItem E;
        E.Kind = N % 2 ? EventKind::Exception : EventKind::Mark;
        E.Before = uint32_t(Items.Insns.size());
        E.Thread = I.Thread;
        E.Text = "event " + std::to_string(N);
        Items.Events.push_back(E);
      }
      Items.Insns.push_back(I);
      if (Items.Insns.size() == BatchInsns) {
        EXPECT_FALSE(llvm::errorToBool(B.consume(Items)));
        Items.clear();
      }
    }
    TraceHeader H;
    H.Format = "tarmac";
    H.Architecture = Arch::AArch64;
    H.Can.Registers = H.Can.MemValues = H.Can.MemAddresses = true;
    H.Can.Opcodes = H.Can.Time = true;
    H.TimeUnit = "clk";
    H.Threads.resize(2);
    EXPECT_FALSE(llvm::errorToBool(B.finish(H)));
  }

  uint64_t hashOfStore(unsigned Threads) {
    std::string Path = path("store" + std::to_string(Threads));
    if (auto B = builder(Path, Threads))
      feed(*B);
    std::string Bytes = contents(Path);
    return checksum(
        {reinterpret_cast<const uint8_t *>(Bytes.data()), Bytes.size()});
  }
};

/// Whoever has an index keeps it until its version is another one. So every
/// change of what is written, meant or not, needs a new version: this test
/// tells when.
TEST_F(StoreVersion, OneContentOneVersion) {
  constexpr uint32_t PinnedVersion = 11;
  constexpr uint64_t PinnedHash = 0x5bc24338c068e799;
  const uint64_t Hash = hashOfStore(1);
  EXPECT_EQ(Hash, hashOfStore(2)) << "it must not depend on the threads";
  EXPECT_TRUE(Hash == PinnedHash && format::Version == PinnedVersion)
      << "The store of the same trace has other bytes than before, or another "
         "version. If that is meant, raise format::Version (core/store/"
         "Format.h) and pin here: version "
      << format::Version << ", hash 0x" << std::hex << Hash;
}

} // namespace
