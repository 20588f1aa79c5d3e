//===- UnwindTablesTest.cpp - Landing pads --------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/intelpt/UnwindTables.h"
#include "test/unit/support/TestData.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include "gtest/gtest.h"
#include <random>

using namespace rw;
using namespace rw::intelpt;

namespace {

/// A file of one code segment and one with tables, made by hand.
class Tables {
public:
  static constexpr uint64_t CodeAt = 0x1000, DataAt = 0x8000;

  void u8(unsigned V) { Data.push_back(char(V)); }
  void u32(uint64_t V) {
    for (unsigned K = 0; K < 4; ++K)
      u8(unsigned(V >> 8 * K) & 0xff);
  }
  void u64(uint64_t V) {
    u32(V);
    u32(V >> 32);
  }
  uint64_t here() const { return DataAt + Data.size(); }
  void relative(uint64_t Address) { u32(Address - here()); }
  void bytes(std::initializer_list<unsigned> L) {
    for (unsigned V : L)
      u8(V);
  }
  /// Writes an entry of .eh_frame, whose length comes first.
  template <class F> uint64_t entry(F Body) {
    uint64_t At = here();
    size_t Length = Data.size();
    u32(0);
    Body(At);
    while (Data.size() % 4)
      u8(0);
    llvm::support::endian::write32le(&Data[Length],
                                     uint32_t(Data.size() - Length - 4));
    return At;
  }

  ElfModule module() const {
    ElfModule M;
    ElfModule::Segment Code, Rest;
    Code.Address = CodeAt;
    Code.MemorySize = 0x1000;
    Code.Executable = true;
    Code.Contents = Text;
    Rest.Address = DataAt;
    Rest.MemorySize = Data.size();
    Rest.Contents = Data;
    M.Segments = {Code, Rest};
    M.EhFrameHeader = Header;
    return M;
  }

  uint64_t Header = 0;
  std::string Data;

private:
  std::string Text = std::string(0x1000, '\x90');
};

/// What compilers write: addresses relative to where they stand, in four bytes.
Tables compiled() {
  Tables T;
  // The function at 0x1100 has landing pads for the calls in [0x10,0x18) and
  // [0x20,0x30); one call site has none.
  uint64_t First = T.here();
  T.bytes({0xff, 0x9b, 0x15, 0x01, 13});
  T.bytes({0x10, 0x08, 0x80, 0x01, 0x01}); // 0x80 as two bytes
  T.bytes({0x18, 0x08, 0x00, 0x00});
  T.bytes({0x20, 0x10, 0x40, 0x00});
  // The one at 0x1800, whose landing pads are counted from 0x1f00.
  uint64_t Second = T.here();
  T.bytes({0x00});
  T.u64(0x1f00);
  T.bytes({0xff, 0x03, 13});
  T.u32(0);
  T.u32(4);
  T.u32(0x10);
  T.bytes({0x00});
  while (T.Data.size() % 8)
    T.u8(0);

  uint64_t Frame = T.here();
  uint64_t Plain = T.entry([&](uint64_t) {
    T.u32(0);
    T.bytes({1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b});
  });
  uint64_t Common = T.entry([&](uint64_t) {
    T.u32(0);
    T.bytes({1, 'z', 'P', 'L', 'R', 0, 1, 0x78, 16, 7, 0x9b});
    T.u32(0x1234); // personality
    T.bytes({0x1b, 0x1b});
  });
  auto function = [&](uint64_t Cie, uint64_t Start, uint64_t Size,
                      std::optional<uint64_t> Table) {
    T.entry([&](uint64_t At) {
      T.u32(At + 4 - Cie);
      T.relative(Start);
      T.u32(Size);
      T.u8(Table ? 4 : 0);
      if (Table && *Table)
        T.relative(*Table);
      else if (Table)
        T.u32(0);
    });
  };
  function(Plain, 0x1000, 0x100, std::nullopt);
  function(Common, 0x1100, 0x200, First);
  function(Common, 0x1400, 0x10, 0); // has no table
  function(Common, 0x1800, 0x100, Second);
  function(Common, 0x1a00, 0x10, First); // which does not fit it
  T.u32(0);
  T.Header = T.here();
  T.bytes({1, 0x1b, 3, 0x3b});
  T.relative(Frame);
  return T;
}

} // namespace

TEST(UnwindTables, LandingPads) {
  EXPECT_EQ(unwindTables(compiled().module()).Pads,
            (std::vector<LandingPad>{{0x1180, 0x1110, 0x1118},
                                     {0x1140, 0x1120, 0x1130},
                                     {0x1f10, 0x1800, 0x1804}}));
  ElfModule None = compiled().module();
  None.EhFrameHeader.reset();
  EXPECT_TRUE(unwindTables(None).Pads.empty());
  None.EhFrameHeader = 0x123456;
  EXPECT_TRUE(unwindTables(None).Pads.empty());
}

TEST(UnwindTables, DamageIsLeftOut) {
  const Tables Good = compiled();
  std::mt19937_64 Random(7);
  for (unsigned N = 0; N < 20000; ++N) {
    Tables Bad = Good;
    for (unsigned K = Random() % 4 + 1; K-- > 0;)
      Bad.Data[Random() % Bad.Data.size()] ^= char(1 << Random() % 8);
    if (N % 4 == 0)
      Bad.Data.resize(Random() % Bad.Data.size());
    for (const LandingPad &P : unwindTables(Bad.module()).Pads) {
      ASSERT_TRUE(Bad.module().isCode(P.PC)) << N;
      ASSERT_LT(P.CallBegin, P.CallEnd) << N;
    }
  }
}

/// A library that is full of them: each landing pad and its calls are code.
TEST(UnwindTables, OfTheStandardLibrary) {
  auto M = ElfModule::read("/usr/lib/x86_64-linux-gnu/libstdc++.so.6");
  if (!M) {
    llvm::consumeError(M.takeError());
    REWIND_SKIP("no libstdc++.so.6 of x86-64 where Debian has it");
  }
  std::vector<LandingPad> Pads = unwindTables(*M).Pads;
  EXPECT_GT(Pads.size(), 1000u);
  for (const LandingPad &P : Pads)
    ASSERT_TRUE(M->isCode(P.PC) && M->isCode(P.CallBegin) &&
                M->isCode(P.CallEnd - 1));
}
