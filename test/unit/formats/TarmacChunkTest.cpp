//===- TarmacChunkTest.cpp - The result does not depend on the way --------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// However a trace is cut into chunks, whoever parses them, and however it is
// packed: the items and the header are the same.
//
//===----------------------------------------------------------------------===//

#include "test/unit/formats/Collect.h"
#include "test/unit/formats/Compress.h"
#include "gtest/gtest.h"
#include <random>

using namespace rw;

namespace {

/// A multi-CPU trace with banks, exceptions, modes that change, named
/// registers, missing times, semihosting, continued and malformed lines.
std::string busyTrace() {
  std::string S = "# a comment\nTarmac Text Rev 3t\n"
                  "0 clk cpu0 R SP_EL0 0000000000001000\n"
                  "0 clk cpu1 R r13_svc 00002000\n"
                  "0 clk cpu0 R s3 3f800000\n";
  std::mt19937 Random(1);
  const char *Modes64[] = {"EL0t_ns", "EL1h_ns", "EL3h_s"};
  const char *Modes32[] = {"usr_ns", "svc_ns", "irq_ns", "fiq_ns"};
  uint64_t Time = 0;
  auto R = [&](unsigned N) { return unsigned(Random() % N); };
  for (int I = 0; I < 3000; ++I) {
    bool Is64 = R(2) == 0;
    std::string Cpu = Is64 ? "cpu0" : "cpu1";
    Time += R(3);
    std::string T = std::to_string(Time) + " clk " + Cpu + " ";
    unsigned Which = R(40);
    if (Which == 0)
      T = std::to_string(Time - std::min<uint64_t>(Time, 5)) + " clk " + Cpu +
          " ";
    static unsigned M64 = 0, M32 = 0;
    if (R(10) == 0)
      M64 = R(3);
    if (R(10) == 0)
      M32 = R(4);
    if (Is64)
      S += T + "IT (1) " + llvm::utohexstr(0x8000 + 4 * R(100), true, 8) +
           (R(50) ? " d503201f O " : " d45e0000 O ") + Modes64[M64] +
           " : NOP\n";
    else
      S += T + (R(5) ? "IT (2) " : "IS (2) ") +
           llvm::utohexstr(0x9000 + 2 * R(100), true, 8) + " e1a00000 A " +
           Modes32[M32] + " : NOP\n";
    for (unsigned K = R(4); K-- > 0;) {
      std::string V16 = llvm::utohexstr(Random(), true, 16);
      std::string V8 = llvm::utohexstr(Random() & 0xffffffff, true, 8);
      switch (R(16)) {
      case 0:
        S += T + "R SP_EL" + std::to_string(R(4)) + " " + V16 + "\n";
        break;
      case 1:
        S += T + "R LR_" + (R(2) ? "SVC " : "IRQ ") + V8 + "\n";
        break;
      case 2:
        S += T + "R r8_fiq " + V8 + "\n";
        break;
      case 3:
        S += T + "R r" + std::to_string(R(15)) + " " + V8 + "\n";
        break;
      case 4:
        S += T + "R d" + std::to_string(R(32)) + " " + V16 + "\n";
        break;
      case 5:
        S += T + "R SYSREG" + std::to_string(R(60)) + " " + V16 + "\n";
        break;
      case 6:
        S += T + "MW8 " + llvm::utohexstr(0x1000 + 8 * R(8), true, 8) + " " +
             V16 + "\n";
        break;
      case 7:
        S += T + "ST 00001000 ........ " + V8 +
             " ........ ....1234\n"
             "                    "; // the next is no continuation
        S += "ignored\n";
        break;
      case 8:
        S += "LD 00002000 ........ ........ " + V8 + " " + V8 +
             "\n"
             "   00002010 " +
             V8 + " ........ ........ ........\n";
        break;
      case 9:
        S += T + "R nonsense!\n";
        break;
      case 10:
        S += T + "E 00008000 00000004 CoreEvent_Reset\n";
        break;
      case 11:
        S += "R X" + std::to_string(R(2)) + " " +
             (R(2) ? "0000000000000006" : "0000000000001000") + "\n";
        break;
      case 12:
        S += T + "MW16 00001000 " + V16 + V16 + "\n";
        break;
      case 13:
        S += T + "R sp " + (R(2) ? V16 : V8) + "\n";
        break;
      case 14:
        S += T + "INFO something " + V8 + "\n";
        break;
      default:
        S += T + "R X9 " + V16 + "\n";
        break;
      }
    }
  }
  return S;
}

/// Many lines that no instruction interrupts.
std::string longDump() {
  std::string S = "0 clk IT (1) 00008000 d503201f O EL1h_s : NOP\n";
  for (int I = 0; I < 2000; ++I)
    S += "R SYS" + std::to_string(I % 300) + " " +
         llvm::utohexstr(I, true, 16) +
         "\nR s1 3f800000\n"
         "ST 0000000000001000 ........ ........ ........ 00000001\n"
         "   0000000000001010 ........ ........ ........ 00000002\n";
  S += "5 clk IT (1) 00008004 d503201f O EL0t_s : NOP\n"
       "R SP_EL1 0000000000000001";
  return S;
}

std::string result(llvm::StringRef Path, unsigned Threads, uint64_t Chunk) {
  Collect C;
  ReaderOptions O;
  O.Threads = Threads;
  O.ChunkBytes = Chunk;
  if (llvm::Error E = readFile(Path, C, O))
    return "error: " + toString(std::move(E));
  return C.str();
}

/// The first line where two long texts differ, for a failure one can read.
std::string firstDifference(llvm::StringRef A, llvm::StringRef B) {
  while (!A.empty() || !B.empty()) {
    auto [LA, RA] = A.split('\n');
    auto [LB, RB] = B.split('\n');
    if (LA != LB)
      return (LA + " | " + LB).str();
    A = RA;
    B = RB;
  }
  return "";
}

void checkIndependence(llvm::StringRef Path) {
  std::string Want = result(Path, 1, uint64_t(1) << 30);
  ASSERT_FALSE(llvm::StringRef(Want).starts_with("error")) << Want;
  for (uint64_t Chunk : {1, 40, 64, 100, 333, 1000, 4096, 20000, 100000})
    for (unsigned Threads : {1, 2, 5}) {
      std::string Got = result(Path, Threads, Chunk);
      EXPECT_EQ(firstDifference(Want, Got), "")
          << "chunks of " << Chunk << ", " << Threads << " threads";
    }
}

} // namespace

TEST(TarmacChunks, BusyTrace) {
  TempFile F(busyTrace());
  checkIndependence(F.Path);
}
TEST(TarmacChunks, LongDump) {
  TempFile F(longDump());
  checkIndependence(F.Path);
}
TEST(TarmacChunks, RecordedTraces) {
  std::string Reason = test::whyNotMade("tarmac");
  if (!Reason.empty())
    REWIND_SKIP(Reason);
  for (const std::string &Path : test::tarmacTraces()) {
    SCOPED_TRACE(Path);
    std::string Want = result(Path, 1, uint64_t(1) << 30);
    for (uint64_t Chunk : {200, 5000})
      EXPECT_EQ(firstDifference(Want, result(Path, 2, Chunk)), "");
  }
}

TEST(TarmacChunks, Compressed) {
  std::string Text = busyTrace();
  TempFile F(Text);
  std::string Want = result(F.Path, 1, 0);
  for (auto Codec : {Gzip, Xz, Zstd, Bzip2}) {
    TempFile P(compress(Text, Codec));
    EXPECT_EQ(firstDifference(Want, result(P.Path, 2, 10000)), "");
  }
}

TEST(TarmacChunks, LineEndsDoNotMatter) {
  std::string Text = busyTrace(), WithCR;
  for (char C : Text) {
    if (C == '\n')
      WithCR += '\r';
    WithCR += C;
  }
  auto Items = [](const std::string &T) {
    Collect C;
    EXPECT_FALSE(errorToBool(readText(T, C)));
    for (MalformedLine &M : C.Header.Malformed)
      M.Offset = 0;
    return C.str();
  };
  std::string Want = Items(Text);
  EXPECT_EQ(firstDifference(Want, Items(WithCR)), "");
  Text.pop_back(); // no newline at the end
  EXPECT_EQ(firstDifference(Want, Items(Text)), "");
}

TEST(TarmacChunks, DamagedLinesDoNoHarm) {
  std::string Text = busyTrace().substr(0, 60000);
  for (const std::string &Path :
       {test::madeData("tarmac/quicksort.tarmac"), ttuFile("parsertest.txt")})
    if (auto B = llvm::MemoryBuffer::getFile(Path))
      Text += (*B)->getBuffer().take_front(40000).str();
  std::mt19937 Random(7);
  const char Alphabet[] =
      "0123456789abcdefxX_-.#:()[]<> \t\nRWMITESLDg\r\0\x80";
  for (int Round = 0; Round < 60; ++Round) {
    std::string Bad = Text;
    for (int I = 0; I < 2000; ++I) {
      size_t At = Random() % Bad.size();
      switch (Random() % 4) {
      case 0:
        Bad[At] = Alphabet[Random() % (sizeof(Alphabet) - 1)];
        break;
      case 1:
        Bad.erase(At, Random() % 12);
        break;
      case 2:
        Bad.insert(At, Bad.substr(Random() % Bad.size(), Random() % 30));
        break;
      default:
        Bad.insert(At, std::string(Random() % 20, Bad[At]));
      }
    }
    TempFile F(Bad);
    std::string Whole = result(F.Path, 1, 0);
    EXPECT_FALSE(Whole.empty());
    EXPECT_EQ(firstDifference(Whole, result(F.Path, 2, 3000)), "");
  }
}
