//===- ExportTest.cpp -----------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A small program in a hand-written trace, exported to every format, and the
// result read again by a reader of that format.
//
//===----------------------------------------------------------------------===//

#include "core/calls/CallRecogniser.h"
#include "core/calls/FunctionProfile.h"
#include "core/export/CallExport.h"
#include "core/export/Gzip.h"
#include "core/export/ProfileExport.h"
#include "core/export/Vcd.h"
#include "core/formats/tarmac/Truncate.h"
#include "core/store/Indexer.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "gtest/gtest.h"
#include <map>
#include <set>

using namespace rw;

namespace {

/// Names for the program below.
class ProgramNames final : public FunctionNames {
protected:
  Function lookup(uint64_t PC) override {
    switch (PC >> 12) {
    case 1:
      return {"start", 0x1000, "prog.s", 1};
    case 2:
      return {"main", 0x2000, "prog.c", 10};
    case 3:
      return {"work<a, b>", 0x3000, "prog.c", 20};
    case 4:
      return {"tail;end", 0x4000, "prog.c", 30};
    default:
      return {"", PC, "", 0};
    }
  }
};

/// start calls main, which never returns; main calls work three times, which
/// calls itself once and ends with a jump to tail; an exception in between.
std::string programTrace() {
  std::string T;
  uint64_t Time = 100;
  unsigned N = 0;
  auto Insn = [&](uint64_t PC, uint32_t Op, llvm::StringRef Text) {
    Time += 5;
    T += llvm::formatv("{0} ns IT ({1}) {2} {3} O EL1h_s : {4}\n", Time, ++N,
                       llvm::format_hex_no_prefix(PC, 8),
                       llvm::format_hex_no_prefix(Op, 8), Text)
             .str();
  };
  auto Reg = [&](llvm::StringRef Name, uint64_t Value) {
    T += llvm::formatv("{0} ns R {1} {2}\n", Time, Name,
                       llvm::format_hex_no_prefix(Value, 16))
             .str();
  };
  auto Nop = [&](uint64_t PC) { Insn(PC, 0xd503201f, "NOP"); };
  auto Call = [&](uint64_t PC, uint64_t) {
    Insn(PC, 0x94000400, "BL {pc}+0x1000");
    Reg("X30", PC + 4);
  };
  Nop(0x1000);
  Reg("SP_EL1", 0x8000);
  Call(0x1004, 0x2000);
  Nop(0x2000);
  Reg("SP_EL1", 0x7ff0);
  for (unsigned I = 0; I < 3; ++I) {
    Call(0x2004, 0x3000);
    Nop(0x3000);
    Reg("SP_EL1", 0x7fe0);
    Call(0x3004, 0x3000);
    Nop(0x3000);
    Insn(0x3004, 0xb4000040, "CBZ x0,{pc}+8");
    Insn(0x3010, 0xd65f03c0, "RET");
    Nop(0x3008);
    Reg("SP_EL1", 0x7ff0);
    Reg("X30", 0x2008);
    Nop(0x300c);
    Nop(0x3010);
    Nop(0x3014);
    Nop(0x3018);
    Nop(0x301c);
    Nop(0x3020);
    Nop(0x3024);
    Insn(0x3028, 0x14000000, "B {pc}+0xfd8");
    Nop(0x4000);
    Insn(0x4004, 0xd65f03c0, "RET");
    Insn(0x2008, 0x17ffffff, "B {pc}-4");
  }
  Nop(0x2004);
  T += llvm::formatv("{0} ns E 00002008 00000081 CoreEvent_CURRENT_SPx_IRQ\n",
                     Time)
           .str();
  Nop(0x5000);
  Insn(0x5004, 0xd69f03e0, "ERET");
  Nop(0x2008);
  return T;
}

class Export : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("rewind-export", Folder));
    Path = (Folder + "/prog.tarmac").str();
    std::error_code EC;
    llvm::raw_fd_ostream(Path, EC) << programTrace();
    ASSERT_FALSE(EC);
    IndexOptions Options;
    CallRecogniser Calls;
    Options.Observers = {&Calls};
    Options.Sections = {"calls"};
    auto S = openOrBuildStore(Path, Options);
    ASSERT_TRUE(bool(S)) << llvm::toString(S.takeError());
    Store = std::move(*S);
    auto I = CallIndex::open(*Store);
    ASSERT_TRUE(bool(I)) << llvm::toString(I.takeError());
    Index = std::move(*I);
  }
  void TearDown() override { llvm::sys::fs::remove_directories(Folder); }

  std::string
  text(llvm::function_ref<llvm::Error(const CallQuery &, llvm::raw_ostream &)>
           Write) {
    std::string S;
    llvm::raw_string_ostream OS(S);
    llvm::Error E = Write(CallQuery(*Store, *Index, Names), OS);
    EXPECT_FALSE(bool(E)) << llvm::toString(std::move(E));
    return S;
  }

  llvm::SmallString<128> Folder;
  std::string Path;
  std::unique_ptr<TraceStore> Store;
  std::unique_ptr<CallIndex> Index;
  ProgramNames Names;
};

TEST_F(Export, FlameGraph) {
  // 61 instructions. Recursion, tail calls and the handler have their place.
  EXPECT_EQ(text([&](const CallQuery &Q, llvm::raw_ostream &Out) {
              return exportFlameGraph(Q, CostUnit::Instructions, Out);
            }),
            "start 2\n"
            "start;main 9\n"
            "start;main;[exception] 0x5000 2\n"
            "start;main;work<a, b> 33\n"
            "start;main;work<a, b>;tail:end 6\n"
            "start;main;work<a, b>;work<a, b> 9\n");
}

TEST_F(Export, ProfileCountsRecursionOnce) {
  CallQuery Q(*Store, *Index, Names);
  auto Costs = profileFunctions(Q, SweepOptions());
  ASSERT_TRUE(bool(Costs));
  uint64_t Own = 0;
  for (const FunctionCost &C : *Costs) {
    Own += C.Own;
    if (C.Function.Start != 0x3000)
      continue;
    EXPECT_EQ(C.Calls, 6u);
    EXPECT_TRUE(C.Recursive);
    EXPECT_EQ(C.Instructions, 48u);
    EXPECT_EQ(C.Own, 42u);
  }
  EXPECT_EQ(Own, Store->numInstructions());
}

TEST_F(Export, SpeedscopeIsItsFormat) {
  for (CostUnit Unit : {CostUnit::Instructions, CostUnit::Time}) {
    auto Root =
        llvm::json::parse(text([&](const CallQuery &Q, llvm::raw_ostream &Out) {
          return exportSpeedscope(Q, Unit, "a \"title\"", Out);
        }));
    ASSERT_TRUE(bool(Root)) << llvm::toString(Root.takeError());
    const llvm::json::Object &O = *Root->getAsObject();
    size_t Frames = O.getObject("shared")->getArray("frames")->size();
    EXPECT_EQ(Frames, 5u);
    const llvm::json::Object &P =
        *O.getArray("profiles")->front().getAsObject();
    EXPECT_EQ(P.getString("type"), "evented");
    EXPECT_EQ(P.getString("unit"),
              Unit == CostUnit::Time ? "nanoseconds" : "none");
    // The importer insists on order, nesting and matching frames.
    std::vector<int64_t> Open;
    int64_t Last = *P.getInteger("startValue");
    for (const llvm::json::Value &V : *P.getArray("events")) {
      const llvm::json::Object &E = *V.getAsObject();
      int64_t At = *E.getInteger("at"), Frame = *E.getInteger("frame");
      EXPECT_GE(At, Last);
      EXPECT_LT(Frame, int64_t(Frames));
      Last = At;
      if (E.getString("type") == "O") {
        Open.push_back(Frame);
        continue;
      }
      ASSERT_FALSE(Open.empty());
      EXPECT_EQ(Open.back(), Frame);
      Open.pop_back();
    }
    EXPECT_TRUE(Open.empty());
    EXPECT_LE(Last, *P.getInteger("endValue"));
  }
}

TEST_F(Export, ChromeTraceIsJson) {
  auto Root =
      llvm::json::parse(text([&](const CallQuery &Q, llvm::raw_ostream &Out) {
        return exportChromeTrace(Q, CostUnit::Time, "prog", Out).takeError();
      }));
  ASSERT_TRUE(bool(Root)) << llvm::toString(Root.takeError());
  // Ends have the name and the arguments of their beginnings: speedscope pairs
  // them by these.
  std::vector<const llvm::json::Object *> Open;
  unsigned Begins = 0, Instants = 0;
  for (const llvm::json::Value &V :
       *Root->getAsObject()->getArray("traceEvents")) {
    const llvm::json::Object &E = *V.getAsObject();
    llvm::StringRef Phase = *E.getString("ph");
    Begins += Phase == "B";
    Instants += Phase == "i";
    if (Phase == "B")
      Open.push_back(&E);
    if (Phase == "E") {
      ASSERT_FALSE(Open.empty());
      EXPECT_EQ(*E.get("name"), *Open.back()->get("name"));
      EXPECT_EQ(*E.get("args"), *Open.back()->get("args"));
      Open.pop_back();
    }
    // 100 ns are 0.1 microseconds.
    if (Phase == "B") {
      EXPECT_LT(*E.getNumber("ts"), 1.0);
    }
  }
  EXPECT_TRUE(Open.empty());
  EXPECT_EQ(Begins, 12u);
  EXPECT_EQ(Instants, 1u);
}

/// The fields of a protocol buffer message.
struct Message {
  std::multimap<unsigned, uint64_t> Numbers;
  std::multimap<unsigned, std::string> Bytes;
  bool Good = true;

  explicit Message(llvm::StringRef Data) {
    auto Varint = [&] {
      uint64_t V = 0;
      for (unsigned Shift = 0;; Shift += 7) {
        if (Data.empty() || Shift > 63) {
          Good = false;
          return V;
        }
        uint8_t B = uint8_t(Data.front());
        Data = Data.drop_front();
        V |= uint64_t(B & 0x7f) << Shift;
        if (!(B & 0x80))
          return V;
      }
    };
    while (Good && !Data.empty()) {
      uint64_t Key = Varint();
      if (Key % 8 == 0) {
        Numbers.insert({unsigned(Key / 8), Varint()});
      } else if (Key % 8 == 2) {
        uint64_t Size = Varint();
        Good = Good && Size <= Data.size();
        Bytes.insert({unsigned(Key / 8), Data.take_front(Size).str()});
        Data = Data.drop_front(std::min<uint64_t>(Size, Data.size()));
      } else {
        Good = false;
      }
    }
  }
  std::vector<std::string> all(unsigned Field) const {
    std::vector<std::string> R;
    for (auto [It, End] = Bytes.equal_range(Field); It != End; ++It)
      R.push_back(It->second);
    return R;
  }
  uint64_t number(unsigned Field) const {
    auto It = Numbers.find(Field);
    return It == Numbers.end() ? 0 : It->second;
  }
};

std::vector<uint64_t> packed(llvm::StringRef Data) {
  std::vector<uint64_t> R;
  uint64_t V = 0;
  unsigned Shift = 0;
  for (char C : Data) {
    V |= uint64_t(C & 0x7f) << Shift;
    Shift += 7;
    if (!(C & 0x80)) {
      R.push_back(V);
      V = Shift = 0;
    }
  }
  return R;
}

TEST_F(Export, PprofSumsUpToTheTrace) {
  std::string Zipped = text([&](const CallQuery &Q, llvm::raw_ostream &Out) {
    FunctionBlocks Blocks(Q.Names);
    ProfileRequest R;
    R.Metrics = {Metric::Calls, Metric::Instructions, Metric::Time};
    for (ThreadIndex T = 0; T < Q.Store.numThreads(); ++T)
      R.Threads.push_back(T);
    R.ThreadsApart = true;
    ContextProfile P(3, ContextTree::Rule::KeepEdges);
    auto Walk = [&](ThreadIndex T, Position From, Position To,
                    BlockWalk::Listener &L) {
      return walkFunctions(Q, Blocks, T, From, To, L);
    };
    if (auto Reached = sweepProfile(Q.Store, R, Walk, {}, P); !Reached)
      return Reached.takeError();
    return writePprof({Q.Store, P, Blocks, R.Metrics, R.Threads, "prog", {}},
                      {}, Out);
  });
  auto Unzipped = gunzip(Zipped);
  ASSERT_TRUE(bool(Unzipped)) << llvm::toString(Unzipped.takeError());
  const std::string &Data = *Unzipped;

  Message Profile(Data);
  ASSERT_TRUE(Profile.Good);
  std::vector<std::string> Strings = Profile.all(6);
  ASSERT_FALSE(Strings.empty());
  EXPECT_EQ(Strings[0], "");
  ASSERT_EQ(Profile.all(1).size(), 3u);
  EXPECT_EQ(Strings[Message(Profile.all(1)[2]).number(2)], "nanoseconds");
  std::set<uint64_t> Locations, Functions;
  for (const std::string &F : Profile.all(5)) {
    Message M(F);
    Functions.insert(M.number(1));
    ASSERT_LT(M.number(2), Strings.size());
  }
  for (const std::string &L : Profile.all(4)) {
    Message M(L);
    Locations.insert(M.number(1));
    EXPECT_TRUE(Functions.count(Message(M.all(4)[0]).number(1)));
  }
  uint64_t Calls = 0, Instructions = 0, Time = 0;
  for (const std::string &S : Profile.all(2)) {
    Message M(S);
    for (uint64_t Location : packed(M.all(1)[0]))
      EXPECT_TRUE(Locations.count(Location));
    auto Values = packed(M.all(2)[0]);
    ASSERT_EQ(Values.size(), 3u);
    Calls += Values[0];
    Instructions += Values[1];
    Time += Values[2];
  }
  // The function that the trace begins in was called before.
  EXPECT_EQ(Calls, 11u);
  EXPECT_EQ(Instructions, Store->numInstructions());
  EXPECT_EQ(Time, Store->lastTime() - Store->firstTime());
}

TEST_F(Export, PerfettoPacketsAreWhole) {
  Message Trace(text([&](const CallQuery &Q, llvm::raw_ostream &Out) {
    return exportPerfetto(Q, CostUnit::Time, "prog", Out).takeError();
  }));
  ASSERT_TRUE(Trace.Good);
  std::map<uint64_t, std::string> Names;
  std::vector<std::string> Order;
  int Depth = 0;
  unsigned Instants = 0;
  for (const std::string &P : Trace.all(1)) {
    Message Packet(P);
    ASSERT_TRUE(Packet.Good);
    EXPECT_EQ(Packet.number(10), 1u);
    for (const std::string &I : Packet.all(12))
      for (const std::string &N : Message(I).all(2))
        Names[Message(N).number(1)] = Message(N).all(2)[0];
    for (const std::string &E : Packet.all(11)) {
      Message Event(E);
      EXPECT_EQ(Event.number(11), 1u);
      switch (Event.number(9)) {
      case 1:
        ASSERT_TRUE(Names.count(Event.number(10)));
        Order.push_back(Names[Event.number(10)]);
        ++Depth;
        break;
      case 2:
        --Depth;
        break;
      case 3:
        ++Instants;
        break;
      default:
        ADD_FAILURE() << "type " << Event.number(9);
      }
    }
  }
  EXPECT_EQ(Depth, 0);
  EXPECT_EQ(Instants, 1u);
  ASSERT_EQ(Order.size(), 12u);
  EXPECT_EQ(Order[0], "start");
  EXPECT_EQ(Order[1], "main");
  EXPECT_EQ(Order[4], "tail;end");
  EXPECT_EQ(Order[11], "[exception] 0x5000");
}

TEST_F(Export, SvgEscapesNames) {
  std::string Svg = text([&](const CallQuery &Q, llvm::raw_ostream &Out) {
    return exportSvg(Q, CostUnit::Instructions, "a<b", Out);
  });
  EXPECT_EQ(Svg.find("work<a"), std::string::npos);
  EXPECT_NE(Svg.find("work&lt;a, b&gt;"), std::string::npos);
  EXPECT_NE(Svg.find("a&lt;b: 61"), std::string::npos) << Svg.substr(0, 600);
  EXPECT_EQ(llvm::StringRef(Svg).count("<g "),
            llvm::StringRef(Svg).count("</g>"));
}

/// A reader of value change dumps: declared names, widths, ascending times.
TEST_F(Export, VcdIsWellFormed) {
  VcdOptions Options;
  Options.Date = false;
  Options.Disassemble = [](const Instruction &) { return "a b"; };
  std::string Text = text([&](const CallQuery &Q, llvm::raw_ostream &Out) {
    return exportVcd(Q, Options, Out);
  });
  std::map<std::string, unsigned> Width;
  std::map<std::string, std::string> Code;
  bool Body = false;
  uint64_t Last = 0;
  unsigned Functions = 0;
  llvm::SmallVector<llvm::StringRef, 0> Lines;
  llvm::StringRef(Text).split(Lines, '\n', -1, false);
  for (llvm::StringRef Line : Lines) {
    if (Line.starts_with("$var")) {
      llvm::SmallVector<llvm::StringRef, 6> W;
      Line.split(W, ' ');
      ASSERT_EQ(W.size(), 6u);
      ASSERT_TRUE(Width.insert({W[3].str(), std::stoi(W[2].str())}).second);
      Code[W[4].str()] = W[3].str();
    }
    if (Line == "$dumpvars") {
      Body = true;
      continue;
    }
    if (!Body || Line == "$end")
      continue;
    if (Line[0] == '#') {
      uint64_t Time = std::stoull(Line.drop_front().str());
      EXPECT_GE(Time, Last);
      Last = Time;
    } else if (Line[0] == 'b' || Line[0] == 's') {
      auto [Value, Id] = Line.drop_front().split(' ');
      ASSERT_TRUE(Width.count(Id.str())) << Line.str();
      if (Line[0] == 'b') {
        EXPECT_EQ(Value.size(), Width[Id.str()]);
      }
      Functions += Id == Code["Function"];
    } else {
      EXPECT_TRUE(Width.count(Line.drop_front().str())) << Line.str();
    }
  }
  EXPECT_GT(Functions, 10u);
}

TEST_F(Export, TruncateFindsTheLoop) {
  std::string Trace;
  for (unsigned I = 0; I < 5; ++I)
    Trace +=
        llvm::formatv("{0} clk IT ({0}) 0000{1}000 d503201f O EL1h_s : NOP\n"
                      "{0} clk R X0 000000000000000{0}\n",
                      I, I % 2);
  // It goes round without a change from here on.
  for (unsigned I = 5; I < 50; ++I)
    Trace += llvm::formatv(
        "{0} clk IT ({0}) 0000{1}000 14000000 O EL1h_s : B\n", I, I % 3 + 4);
  std::string File = (Folder + "/loop.tarmac").str();
  std::error_code EC;
  llvm::raw_fd_ostream(File, EC) << Trace;
  std::string Out;
  llvm::raw_string_ostream OS(Out);
  auto Report = truncateTrace(File, OS, {});
  ASSERT_TRUE(bool(Report)) << llvm::toString(Report.takeError());
  EXPECT_TRUE(Report->Cut);
  EXPECT_EQ(Report->Lines, 14u);
  EXPECT_EQ(Out, Trace.substr(0, Out.size()));
  EXPECT_NE(Report->Why.find("0x6000"), std::string::npos) << Report->Why;
}

TEST_F(Export, TruncateFindsTheExceptionLoop) {
  std::string Trace = "1 clk IT (1) 00001000 d503201f O EL1h_s : NOP\n";
  // Said twice, as some do; then for ever.
  Trace += "1 clk INFO: once\n1 clk INFO: once\n1 clk R X0 1\n";
  for (unsigned I = 0; I < 40; ++I)
    Trace += llvm::formatv("{0} clk INFO: raise\n{0} clk INFO: escalate\n", I);
  std::string File = (Folder + "/loop.tarmac").str();
  std::error_code EC;
  llvm::raw_fd_ostream(File, EC) << Trace;
  std::string Out;
  llvm::raw_string_ostream OS(Out);
  auto Report = truncateTrace(File, OS, {});
  ASSERT_TRUE(bool(Report));
  EXPECT_TRUE(Report->Cut);
  EXPECT_EQ(Report->Lines, 4u + 16u);
}

/// cpu0 polls at 0x2000; cpu1 works, then polls, too, unless it releases cpu0,
/// which then ends.
std::string twoCpus(bool Released, unsigned Work) {
  std::string Trace = "0 clk cpu0 IT (0) 00001000 d503201f O EL1h_s : NOP\n";
  auto Poll = [&](unsigned Cpu, unsigned I) {
    Trace += llvm::formatv("{0} clk cpu{1} IT ({0}) 0000{2}000 b9400001 O "
                           "EL1h_s : LDR w1,[x0]\n"
                           "{0} clk cpu{1} R X1 0000000000000000\n",
                           I, Cpu, 2 + Cpu);
  };
  for (unsigned I = 0; I < Work; ++I) {
    Poll(0, I);
    Trace += llvm::formatv("{0} clk cpu1 IT ({0}) 00004000 91000400 O EL1h_s : "
                           "ADD x0,x0,#1\n{0} clk cpu1 R X0 {1}\n",
                           I, llvm::format_hex_no_prefix(I, 16));
  }
  for (unsigned I = Work; I < Work + 10; ++I) {
    Poll(0, I);
    Poll(1, I);
  }
  if (Released) {
    Trace += "900 clk cpu0 IT (900) 00001004 d503201f O EL1h_s : NOP\n";
    return Trace;
  }
  for (unsigned I = Work; I < Work + 100; ++I) {
    Poll(0, I);
    Poll(1, I);
  }
  return Trace;
}

TEST_F(Export, TruncateWaitsForAllCpus) {
  std::string File = (Folder + "/two.tarmac").str();
  auto Cut = [&](const std::string &Trace) {
    std::error_code EC;
    llvm::raw_fd_ostream(File, EC) << Trace;
    std::string Out;
    llvm::raw_string_ostream OS(Out);
    auto Report = truncateTrace(File, OS, {});
    EXPECT_TRUE(bool(Report)) << llvm::toString(Report.takeError());
    EXPECT_EQ(Out, Trace.substr(0, Out.size()));
    return std::move(*Report);
  };
  // Both poll from line 1 + 4 * 200 on, and hear of each other in 32 lines.
  TruncateReport Both = Cut(twoCpus(false, 200));
  EXPECT_TRUE(Both.Cut);
  EXPECT_GT(Both.Lines, 1u + 4 * 200 + 64);
  EXPECT_LT(Both.Lines, 1u + 4 * 200 + 120);
  EXPECT_EQ(Both.Why, "cpu0: a loop at 0x2000 that changes no register; "
                      "cpu1: a loop at 0x3000 that changes no register");
  EXPECT_FALSE(Cut(twoCpus(true, 200)).Cut);

  // One that has nothing to do for a while, or begins later, is awaited; one
  // that has ended is not.
  std::string Late = twoCpus(false, 0) +
                     "999 clk cpu2 IT (1) 00005000 d503201f O EL1h_s : NOP\n";
  TruncateReport Last = Cut(Late);
  EXPECT_FALSE(Last.Cut);
  std::string Early = "0 clk cpu2 IT (1) 00005000 d503201f O EL1h_s : NOP\n" +
                      twoCpus(false, 0);
  EXPECT_TRUE(Cut(Early).Cut);
  // One alone is cut at once, whatever its name.
  std::string One = "# made by hand\n";
  for (unsigned I = 0; I < 50; ++I)
    One += llvm::formatv("{0} clk core-a IT ({0}) 00002000 14000000 O EL1h_s : "
                         "B\n",
                         I);
  EXPECT_EQ(Cut(One).Lines, 3u);
}

TEST_F(Export, TruncateLeavesGoodTracesAlone) {
  std::string Out;
  llvm::raw_string_ostream OS(Out);
  std::string Trace;
  for (unsigned I = 0; I < 100; ++I)
    Trace +=
        llvm::formatv("{0} clk IT ({0}) 0000{1}000 d503201f O EL1h_s : NOP\n"
                      "{0} clk R X0 {2}\n",
                      I, I % 2, llvm::format_hex_no_prefix(I, 16));
  std::string File = (Folder + "/good.tarmac").str();
  std::error_code EC;
  llvm::raw_fd_ostream(File, EC) << Trace;
  auto Report = truncateTrace(File, OS, {});
  ASSERT_TRUE(bool(Report));
  EXPECT_FALSE(Report->Cut);
  EXPECT_EQ(Out, Trace);
  std::string Empty = (Folder + "/empty.tarmac").str();
  llvm::raw_fd_ostream(Empty, EC) << "";
  auto Bad = truncateTrace(Empty, OS, {});
  ASSERT_FALSE(bool(Bad));
  EXPECT_NE(llvm::toString(Bad.takeError()).find("no Tarmac trace"),
            std::string::npos);
}

} // namespace
