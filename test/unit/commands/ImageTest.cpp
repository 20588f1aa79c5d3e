//===- ImageTest.cpp - What commands make of an image ---------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyTrace.h"

using namespace llvm;
using namespace rw;

namespace {

/// main at 1000 (main.c:3, then inlined add at main.c:1), a constant at 9000
/// and a variable at 9010.
struct FakeSymbols : SymbolSource {
  std::optional<CodeSymbol> symbolizeCode(uint64_t Addr) override {
    if (Addr < 0x1000 || Addr >= 0x1028)
      return std::nullopt;
    CodeSymbol C;
    C.Function = "main";
    C.Start = 0x1000;
    if (Addr == 0x1004)
      C.Frames.push_back({"add", "/src/main.c", 1, 0});
    C.Frames.push_back({"main", "/src/main.c", 3, 0});
    return C;
  }
  std::optional<DataSymbol> symbolizeData(uint64_t Addr) override {
    if (Addr >= 0x8008 && Addr < 0x8010)
      return DataSymbol{"counter", 0x8008, 8};
    return std::nullopt;
  }
  std::vector<DataSymbol> findSymbol(StringRef Name) override {
    if (Name == "counter")
      return {{"counter", 0x8008, 8}};
    if (Name == "twice")
      return {{"a::twice", 0x1000, 4}, {"b::twice", 0x1008, 4}};
    return {};
  }
  uint64_t behindPrologue(uint64_t Start) override { return Start; }
  Expected<std::vector<uint64_t>> findLine(StringRef File,
                                           unsigned Line) override {
    if (File != "main.c" || Line != 1)
      return createStringError("no such line");
    return std::vector<uint64_t>{0x1004, 0x1010};
  }
  std::optional<ImageSection> sectionAt(uint64_t Addr) override {
    if (Addr >= 0x9000 && Addr < 0x9010)
      return ImageSection{".rodata", 0x9000, 0x10, false};
    if (Addr >= 0x9010 && Addr < 0x9020)
      return ImageSection{".data", 0x9010, 0x10, true};
    return std::nullopt;
  }
  size_t readImage(uint64_t Addr, MutableArrayRef<uint8_t> Bytes) override {
    auto Section = sectionAt(Addr);
    if (!Section)
      return 0;
    size_t N =
        std::min<size_t>(Bytes.size(), Section->Start + Section->Size - Addr);
    std::fill_n(Bytes.begin(), N, uint8_t(0x42));
    return N;
  }
};

class ImageTest : public TinyTrace {
protected:
  void SetUp() override {
    TinyTrace::SetUp();
    Symbols = &Fake;
    Here.When = 11;
  }
  FakeSymbols Fake;
};

} // namespace

TEST_F(ImageTest, NamesAndLines) {
  EXPECT_EQ(run({"where", "#1"}),
            "#1 of 11, 10 clk, line 5: 0x1004 main+0x4 inlined add at "
            "main.c:1\n  add x1, x0, #0x2\n");
  EXPECT_EQ(run({"last-write", "counter"}).substr(0, 50),
            "last write of counter [0x8008, 8 bytes]: #7, 70 cl");
  EXPECT_EQ(run({"find", "main.c:1", "--all"}),
            "#1                10 clk  0x1004  main+0x4 inlined add at "
            "main.c:1\n"
            "#4                40 clk  0x1010  main+0x10 at main.c:3\n"
            "-- 2 visits, searched #0 to #11; that is all\n");
  EXPECT_EQ(run({"find", "main.c:2"}), "error: no such line");
  EXPECT_EQ(run({"last-write", "twice"}),
            "error: 'twice' is ambiguous: a::twice at 0x1000, b::twice at "
            "0x1008; give its address, or ask from a frame in its file");
  // The name of an overloaded function means all of them.
  EXPECT_EQ(run({"find", "twice", "--all", "-c", "9"}).substr(0, 45),
            "#0                 0 clk  0x1000  main at mai");
  EXPECT_EQ(run({"last-write", "nothing"}),
            "error: 'nothing' is no register of this trace (AArch64) and no "
            "number, and the target has no such symbol; the image was "
            "stripped: it has no symbols");
}

TEST_F(ImageTest, ReadOnlySectionsAreKnown) {
  EXPECT_EQ(run({"why", "0x900c", "--size", "6"}),
            "[0x900c, 6 bytes] = 0x????42424242\n"
            "  bytes 0..3: section .rodata of the image, read-only\n"
            "  bytes 4..5: unknown; section .data of the image tells its value "
            "at the program's start, and the trace does not tell whether that "
            "was still so\n");
  EXPECT_EQ(run({"last-write", "0x9000"}),
            "error: [0x9000, 8 bytes] was never written before #11; it lies in "
            ".rodata of the image, which is read-only");
  EXPECT_EQ(run({"origin", "0x9000"}),
            "[0x9000, 8 bytes] = 0x4242424242424242\n"
            "     a constant in section .rodata of the image\n");
}
