//===- TarmacGoldenTest.cpp - Lines seen in the wild ----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tarmac Trace Utilities keep a collection of lines from many producers, and
// what their parser makes of each. Every line is parsed here and compared with
// that, but for a list of lines where we differ on purpose.
//
//===----------------------------------------------------------------------===//

#include "core/arch/RegisterFile.h"
#include "core/formats/tarmac/LineParser.h"
#include "test/unit/formats/Collect.h"
#include "gtest/gtest.h"

using namespace rw;
using namespace rw::tarmac;

namespace {

struct Reference {
  std::string Line;
  std::vector<std::string> Events;
};

std::vector<Reference> loadReference() {
  std::vector<Reference> Out;
  auto Buffer = llvm::MemoryBuffer::getFile(ttuFile("parsertest.ref"));
  if (!Buffer)
    return Out;
  llvm::SmallVector<llvm::StringRef> Lines;
  (*Buffer)->getBuffer().split(Lines, '\n');
  for (llvm::StringRef L : Lines) {
    if (L.consume_front("--- Tarmac line: "))
      Out.push_back({L.str(), {}});
    else if (L.consume_front("* "))
      Out.back().Events.push_back(L.str());
  }
  return Out;
}

/// The value of "key=..." up to the next blank.
std::string field(llvm::StringRef Event, llvm::StringRef Key) {
  size_t At = Event.find((" " + Key + "=").str());
  if (At == llvm::StringRef::npos)
    return "";
  Event = Event.drop_front(At + Key.size() + 2);
  return Event.take_until([](char C) { return C == ' '; }).str();
}
uint64_t hexField(llvm::StringRef Event, llvm::StringRef Key) {
  uint64_t V = 0;
  EXPECT_FALSE(llvm::StringRef(field(Event, Key)).getAsInteger(16, V))
      << Event.str();
  return V;
}

/// Lines that we understand otherwise, and why.
const std::pair<const char *, const char *> Differences[] = {
    {"R psr xx0xxXxx", "x digits are not known; the reference says 0"},
    {"R fpscr xXX000Xx", "x digits are not known; the reference says 0"},
    {"R XPSR f9000000", "the M profile's cpsr; not read there"},
    {"R SPSR_EL3", "kept as a named register; not read there"},
    {"R SCTLR (AARCH32)", "kept as a named register; not read there"},
    {"EXC [0x00] Reset", "with 'ES  Reset' before it, one event"},
};

bool isDifferent(llvm::StringRef Line) {
  for (auto &[Text, Why] : Differences)
    if (Line.contains(Text) && !Line.contains("ES"))
      return true;
  return false;
}

/// One line's items. The line stands twice in the chunk: the second time its
/// unit and names are known, and the fast path may take it.
class LineChecker {
public:
  LineChecker() : Parser({}, Names) {}

  void check(const Reference &R, const std::string &Before) {
    SCOPED_TRACE(R.Line);
    // Without a mode, a banked register is taken for the current one, as the
    // reference has it.
    bool Is32 = llvm::any_of(
        R.Events, [](llvm::StringRef E) { return field(E, "reg")[0] == 'r'; });
    llvm::StringRef L = R.Line;
    std::string Context = "0 clk ";
    for (const char *Cpu : {"cpu0 ", "cpu1 "})
      if (L.contains(Cpu))
        Context += Cpu;
    Context += Is32 ? "IT (0) 00000000 e1a00000 A NOP\n"
                    : "IT (0) 00000000 d503201f O NOP\n";
    std::string Text =
        Context + Before + R.Line + "\n" + Context + Before + R.Line + "\n";
    Chunk C;
    C.reserve(Text.size());
    std::copy(Text.begin(), Text.end(), C.Text.get());
    C.Size = Text.size();
    C.seal();
    Parser.parse(C);
    const ItemBatch &B = C.Parsed.Batch;

    // Items of the first and of the second copy.
    ItemBatch Copy[2];
    size_t Reg = 0, Mem = 0;
    unsigned Contexts = 0;
    for (const InsnItem &I : B.Insns) {
      bool IsContext =
          I.PC == 0 && (I.Opcode == 0xe1a00000 || I.Opcode == 0xd503201f);
      Contexts += IsContext;
      ItemBatch &T = Copy[Contexts - 1];
      if (!IsContext)
        T.Insns.push_back(I);
      T.Regs.insert(T.Regs.end(), B.Regs.begin() + Reg,
                    B.Regs.begin() + Reg + I.NumRegs);
      T.Mems.insert(T.Mems.end(), B.Mems.begin() + Mem,
                    B.Mems.begin() + Mem + I.NumMems);
      Reg += I.NumRegs;
      Mem += I.NumMems;
    }
    ASSERT_EQ(Contexts, 2u);
    for (const EventItem &E : B.Events)
      Copy[E.Before > B.Insns.size() / 2].Events.push_back(E);

    EXPECT_EQ(C.Parsed.NumMalformed, 0u)
        << (C.Parsed.Malformed.empty() ? "" : C.Parsed.Malformed[0].What);
    compareCopies(Copy[0], Copy[1]);
    if (!Before.empty()) { // the line's own items are the last of them
      keepLast(Copy[0], R);
    }
    if (!isDifferent(R.Line))
      compare(Copy[0], R, Is32, C.Parsed);
  }

private:
  static void compareCopies(const ItemBatch &A, const ItemBatch &B) {
    ASSERT_EQ(A.Insns.size(), B.Insns.size());
    for (size_t I = 0; I < A.Insns.size(); ++I) {
      EXPECT_EQ(A.Insns[I].PC, B.Insns[I].PC);
      EXPECT_EQ(A.Insns[I].Opcode, B.Insns[I].Opcode);
      EXPECT_EQ(A.Insns[I].Size, B.Insns[I].Size);
      EXPECT_EQ(A.Insns[I].Flags, B.Insns[I].Flags);
      EXPECT_EQ(A.Insns[I].Isa, B.Insns[I].Isa);
    }
    ASSERT_EQ(A.Regs.size(), B.Regs.size());
    for (size_t I = 0; I < A.Regs.size(); ++I) {
      EXPECT_EQ(A.Regs[I].Lane, B.Regs[I].Lane);
      EXPECT_EQ(A.Regs[I].Value, B.Regs[I].Value);
      EXPECT_EQ(A.Regs[I].Written, B.Regs[I].Written);
      EXPECT_EQ(A.Regs[I].Unknown, B.Regs[I].Unknown);
    }
    ASSERT_EQ(A.Mems.size(), B.Mems.size());
    for (size_t I = 0; I < A.Mems.size(); ++I) {
      EXPECT_EQ(A.Mems[I].Addr, B.Mems[I].Addr);
      EXPECT_EQ(A.Mems[I].Value, B.Mems[I].Value);
      EXPECT_EQ(A.Mems[I].Real, B.Mems[I].Real);
      EXPECT_EQ(A.Mems[I].Size, B.Mems[I].Size);
      EXPECT_EQ(A.Mems[I].Flags, B.Mems[I].Flags);
      EXPECT_EQ(A.Mems[I].Known, B.Mems[I].Known);
    }
  }

  static void keepLast(ItemBatch &B, const Reference &R) {
    unsigned Bytes = 0;
    for (const std::string &E : R.Events)
      if (llvm::StringRef(E).starts_with("MemoryEvent"))
        Bytes += unsigned(hexField(E, "size"));
    B.Insns.clear();
    size_t From = B.Mems.size();
    for (; From > 0 && Bytes > 0; --From)
      Bytes -= std::min<unsigned>(Bytes, B.Mems[From - 1].Size);
    B.Mems.erase(B.Mems.begin(), B.Mems.begin() + From);
  }

  static void compare(const ItemBatch &B, const Reference &R, bool Is32,
                      const ParsedChunk &P) {
    unsigned Insns = 0, Exceptions = 0;
    std::map<uint64_t, uint8_t> Memory; // what the reference accesses
    std::map<uint64_t, bool> Known;
    bool AnyRead = false, AnyWrite = false;
    for (llvm::StringRef E : R.Events) {
      if (E.starts_with("InstructionEvent")) {
        ASSERT_LT(Insns, B.Insns.size());
        const InsnItem &I = B.Insns[Insns++];
        EXPECT_EQ(I.PC, hexField(E, "pc"));
        EXPECT_EQ(I.Opcode, hexField(E, "instruction"));
        EXPECT_EQ(std::to_string(I.Size * 8), field(E, "width"));
        EXPECT_EQ(std::to_string(I.Time), field(E, "time"));
        std::string Set = field(E, "iset");
        EXPECT_EQ(I.Isa, Set == "ARM"     ? ISA::A32
                         : Set == "Thumb" ? ISA::T32
                                          : ISA::A64);
        std::string Effect = field(E, "effect");
        EXPECT_EQ(bool(I.Flags & InsnItem::Executed), Effect == "executed");
        EXPECT_EQ(bool(I.Flags & InsnItem::OpcodeKnown), Effect != "fetchfail");
      } else if (E.starts_with("ExceptionEvent")) {
        ASSERT_LT(Exceptions, B.Events.size());
        EXPECT_EQ(B.Events[Exceptions++].Kind, EventKind::Exception);
      } else if (E.starts_with("RegisterEvent")) {
        compareRegister(B, E, Is32, P);
      } else if (E.starts_with("MemoryEvent")) {
        uint64_t Addr = hexField(E, "addr"), Size = hexField(E, "size");
        uint64_t Value = hexField(E, "contents");
        bool IsKnown = field(E, "known") == "true";
        (field(E, "read") == "true" ? AnyRead : AnyWrite) = true;
        for (uint64_t I = 0; I < Size; ++I) {
          Memory[Addr + I] = uint8_t(Value >> (8 * I));
          Known[Addr + I] = IsKnown;
        }
      }
    }
    EXPECT_EQ(B.Insns.size(), Insns);
    EXPECT_EQ(B.Events.size(), Exceptions);
    size_t Bytes = 0;
    for (const MemItem &M : B.Mems) {
      EXPECT_EQ(bool(M.Flags & MemItem::Write), AnyWrite);
      EXPECT_NE(AnyRead, AnyWrite);
      Bytes += M.Size;
      for (unsigned I = 0; I < M.Size; ++I) {
        ASSERT_TRUE(Memory.count(M.Addr + I));
        EXPECT_EQ(bool(M.Known >> I & 1), Known[M.Addr + I]);
        if (Known[M.Addr + I]) {
          EXPECT_EQ(uint8_t(M.Value >> (8 * I)), Memory[M.Addr + I]);
        }
      }
    }
    EXPECT_EQ(Bytes, Memory.size());
    if (!llvm::any_of(R.Events, [](llvm::StringRef E) {
          return E.starts_with("RegisterEvent");
        })) {
      EXPECT_TRUE(B.Regs.empty());
    }
  }

  static void compareRegister(const ItemBatch &B, llvm::StringRef E, bool Is32,
                              const ParsedChunk &P) {
    std::string Name = field(E, "reg"), Hex = field(E, "bytes");
    unsigned Offset = 0;
    llvm::StringRef(field(E, "offset")).getAsInteger(0, Offset);
    llvm::SmallVector<llvm::StringRef> Parts;
    llvm::StringRef(Hex).split(Parts, ':');
    std::vector<uint8_t> Want;
    for (llvm::StringRef H : llvm::reverse(Parts)) {
      unsigned V = 0;
      H.getAsInteger(16, V);
      Want.push_back(uint8_t(V));
    }
    // Where each byte must have gone: lane and byte in it.
    auto Place = [&](unsigned Byte) -> std::pair<unsigned, unsigned> {
      auto InNamed = [&](llvm::StringRef N, unsigned At) {
        for (auto &New : P.NewNames)
          if (New.Name == N)
            return std::pair(unsigned(New.Lane + At / 8), At % 8);
        ADD_FAILURE() << "no lane for " << N.str();
        return std::pair(0u, 0u);
      };
      if (Name[0] == 'p' && isDigit(Name[1]))
        return InNamed(Name, Byte);
      if (Name[0] == 'z' && Byte >= 16)
        return InNamed(Name + "_q" + std::to_string(Byte / 16), Byte % 16);
      RegisterFile F(Is32 || Name == "fpscr" ? Arch::Arm : Arch::AArch64, {});
      const RegisterInfo *R =
          F.find(Name[0] == 'z' ? "v" + Name.substr(1) : Name);
      if (!R) {
        ADD_FAILURE() << "no register " << Name;
        return {0, 0};
      }
      unsigned At = R->Slice.Offset + Byte;
      return {R->Slice.Lane + At / 8, At % 8};
    };
    std::map<std::pair<unsigned, unsigned>, uint8_t> Expected;
    for (unsigned I = 0; I < Want.size(); ++I)
      Expected[Place(Offset + I)] = Want[I];
    for (auto &[At, Byte] : Expected) {
      int Found = -1;
      for (const RegItem &R : B.Regs)
        if (R.Lane == At.first && (R.Written >> At.second & 1)) {
          EXPECT_FALSE(R.Unknown >> At.second & 1);
          Found = uint8_t(R.Value >> (8 * At.second));
        }
      EXPECT_EQ(Found, Byte) << "lane " << At.first << " byte " << At.second;
    }
    // Whatever else was written is the zero that the architecture puts above a
    // narrow write, or the bank's own register.
    for (const RegItem &R : B.Regs)
      for (unsigned I = 0; I < 8; ++I)
        if ((R.Written >> I & 1) && !Expected.count({R.Lane, I}) &&
            R.Lane < arm::FirstNamed) {
          EXPECT_EQ(uint8_t(R.Value >> (8 * I)), 0) << "lane " << R.Lane;
        }
  }

  SharedNames Names;
  LineParser Parser;
};

} // namespace

TEST(TarmacGolden, LinesSeenInTheWild) {
  std::vector<Reference> References = loadReference();
  if (References.empty())
    REWIND_SKIP(test::whyNoOther("tarmac/parsertest.ref"));
  EXPECT_GE(References.size(), 150u);
  std::string Previous; // LD and ST lines that the next may continue
  for (const Reference &R : References) {
    llvm::StringRef L(R.Line);
    bool Continues =
        L.starts_with("                       ") && !Previous.empty();
    LineChecker().check(R, Continues ? Previous : "");
    llvm::StringRef Trimmed = L.trim();
    if (Trimmed.starts_with("ST ") || Trimmed.starts_with("LD "))
      Previous = R.Line + "\n";
    else if (Continues)
      Previous += R.Line + "\n";
    else
      Previous.clear();
  }
}

TEST(TarmacGolden, EveryDifferenceIsUsed) {
  std::vector<Reference> References = loadReference();
  if (References.empty())
    REWIND_SKIP(test::whyNoOther("tarmac/parsertest.ref"));
  for (auto &[Text, Why] : Differences)
    EXPECT_TRUE(llvm::any_of(References, [&](const Reference &R) {
      return llvm::StringRef(R.Line).contains(Text);
    })) << Text;
}
