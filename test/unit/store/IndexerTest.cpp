//===- IndexerTest.cpp - The store that belongs to a trace ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/Indexer.h"
#include "Reseal.h"
#include "StoreTestSupport.h"
#include "core/store/TraceStore.h"
#include "llvm/Support/FormatVariadic.h"

using namespace rw;
using namespace llvm;

namespace {

class Indexer : public StoreTest {
protected:
  /// A trace of \p N instructions at \p PC and after.
  static std::string trace(unsigned N, unsigned PC) {
    std::string Text;
    for (unsigned I = 0; I < N; ++I)
      Text += formatv("{0} clk IT ({0}) {1:x-8} d503201f O EL1h_n : NOP\n"
                      "{0} clk R X0 {2:x-16}\n",
                      I, PC + 4 * I, I * 3)
                  .str();
    return Text;
  }

  void SetUp() override {
    StoreTest::SetUp();
    Trace = path("t.tarmac");
    write(Trace, trace(100, 0x1000));
  }

  /// The number of instructions of the store; 0 and \p Message for an error.
  uint64_t openIt(IndexOptions Options = {}) {
    Report = IndexReport();
    auto Store = openOrBuildStore(Trace, Options, &Report);
    if (!Store) {
      Message = toString(Store.takeError());
      EXPECT_NE(Message, "");
      return 0;
    }
    return (*Store)->numInstructions();
  }

  sys::TimePoint<> modified() {
    sys::fs::file_status S;
    EXPECT_FALSE(sys::fs::status(Trace, S));
    return S.getLastModificationTime();
  }
  void setModified(sys::TimePoint<> Time) {
    int FD;
    ASSERT_FALSE(sys::fs::openFileForReadWrite(
        Trace, FD, sys::fs::CD_OpenExisting, sys::fs::OF_None));
    EXPECT_FALSE(sys::fs::setLastAccessAndModificationTime(FD, Time));
    sys::fs::closeFile(FD);
  }

  std::string Trace, Message;
  IndexReport Report;
};

/// Does something to the trace when its first instruction comes.
class Meddler final : public StreamObserver {
public:
  explicit Meddler(std::function<void()> Do) : Do(std::move(Do)) {}
  void instruction(Moment When, const InsnItem &, ArrayRef<RegItem>,
                   ArrayRef<MemItem>, const uint64_t *,
                   const uint8_t *) override {
    if (When == 0)
      Do();
  }
  void event(Moment, const EventItem &) override {}
  Error finish(const TraceHeader &, SectionWriter &) override {
    return Error::success();
  }

private:
  const std::function<void()> Do;
};

TEST_F(Indexer, WhatLosesSomethingWhileItIsReadIsNotBelieved) {
  auto With = [&](std::function<void()> Do) {
    write(Trace, trace(100, 0x1000));
    Meddler Meddles(std::move(Do));
    IndexOptions Options;
    Options.Force = true;
    Options.Observers = {&Meddles};
    return openIt(Options);
  };
  EXPECT_EQ(With([&] { write(Trace, trace(50, 0x1000)); }), 0u);
  EXPECT_NE(Message.find("was cut from"), std::string::npos) << Message;
  EXPECT_FALSE(sys::fs::exists(Trace + ".rewind"));
  EXPECT_EQ(With([&] { write(Trace, trace(100, 0x2000)); }), 0u);
  EXPECT_NE(Message.find("was changed"), std::string::npos) << Message;
  EXPECT_FALSE(sys::fs::exists(Trace + ".rewind"));
  // A simulation that still runs, a copy's time.
  EXPECT_NE(With([&] { write(Trace, trace(150, 0x1000)); }), 0u);
  EXPECT_NE(Report.Note.find("grew while it was read"), std::string::npos);
  EXPECT_EQ(With([&] { setModified(modified() + std::chrono::hours(1)); }),
            100u);
  EXPECT_EQ(Report.Note, "");
}

TEST_F(Indexer, BuildsOnce) {
  EXPECT_EQ(openIt(), 100u);
  EXPECT_TRUE(Report.Built);
  EXPECT_EQ(Report.Path, Trace + ".rewind");
  EXPECT_EQ(openIt(), 100u);
  EXPECT_FALSE(Report.Built) << Report.Why;
  IndexOptions Force;
  Force.Force = true;
  EXPECT_EQ(openIt(Force), 100u);
  EXPECT_TRUE(Report.Built);
  EXPECT_EQ(files(), (std::vector<std::string>{"t.tarmac", "t.tarmac.rewind"}));
}

TEST_F(Indexer, NeverBuilds) {
  IndexOptions Never;
  Never.Never = true;
  EXPECT_EQ(openIt(Never), 0u);
  EXPECT_NE(Message.find("t.tarmac.rewind"), std::string::npos) << Message;
  EXPECT_EQ(files(), std::vector<std::string>{"t.tarmac"});
  EXPECT_EQ(openIt(), 100u);
  EXPECT_EQ(openIt(Never), 100u);
  write(Trace, trace(90, 0x1000));
  EXPECT_EQ(openIt(Never), 0u);
  EXPECT_NE(Message.find("stale"), std::string::npos) << Message;
}

TEST_F(Indexer, TraceHasGrown) {
  EXPECT_EQ(openIt(), 100u);
  write(Trace, trace(120, 0x1000));
  EXPECT_EQ(openIt(), 120u);
  EXPECT_TRUE(Report.Built);
  EXPECT_NE(Report.Why.find("stale"), std::string::npos) << Report.Why;
}

TEST_F(Indexer, TraceWasModified) {
  EXPECT_EQ(openIt(), 100u);
  setModified(modified() + std::chrono::seconds(10));
  EXPECT_EQ(openIt(), 100u);
  EXPECT_TRUE(Report.Built);
}

/// Same size and same time stamp: its bytes tell.
TEST_F(Indexer, TraceIsAnotherOne) {
  EXPECT_EQ(openIt(), 100u);
  auto Time = modified();
  uint64_t Size = contents(Trace).size();
  write(Trace, trace(100, 0x2000));
  ASSERT_EQ(contents(Trace).size(), Size);
  setModified(Time);
  EXPECT_EQ(openIt(), 100u);
  EXPECT_TRUE(Report.Built);
  EXPECT_EQ(open(Report.Path)->distinctPCs().front(), 0x2000u);
}

TEST_F(Indexer, OtherOptions) {
  EXPECT_EQ(openIt(), 100u);
  IndexOptions Big;
  Big.Reader.Settings.set(format_option::BigEndian);
  EXPECT_EQ(openIt(Big), 100u);
  EXPECT_TRUE(Report.Built);
  IndexOptions Threads = Big; // does not change what is read
  Threads.Reader.Threads = 1;
  EXPECT_EQ(openIt(Threads), 100u);
  EXPECT_FALSE(Report.Built) << Report.Why;
}

TEST_F(Indexer, StoreOfAnotherVersion) {
  EXPECT_EQ(openIt(), 100u);
  std::string Store = contents(Report.Path);
  ++Store[offsetof(format::FileHeader, Version)];
  reseal(Store);
  write(Report.Path, Store);
  auto Opened = TraceStore::open(Report.Path);
  ASSERT_FALSE(bool(Opened));
  Message = toString(Opened.takeError());
  EXPECT_NE(Message.find("version"), std::string::npos) << Message;
  EXPECT_EQ(openIt(), 100u);
  EXPECT_TRUE(Report.Built);
}

TEST_F(Indexer, StoreIsCutShort) {
  EXPECT_EQ(openIt(), 100u);
  std::string Store = contents(Report.Path);
  for (size_t Size :
       {size_t(0), size_t(7), Store.size() / 2, Store.size() - 1}) {
    write(Report.Path, StringRef(Store).take_front(Size));
    EXPECT_EQ(openIt(), 100u) << Size;
    EXPECT_TRUE(Report.Built) << Size;
    EXPECT_TRUE(StringRef(Report.Note).contains("built again")) << Report.Note;
    EXPECT_EQ(openIt(), 100u) << Size;
    EXPECT_EQ(Report.Note, "");
  }
}

/// A store lacks what another room puts in: it is built again, once.
TEST_F(Indexer, SectionIsMissing) {
  EXPECT_EQ(openIt(), 100u);
  struct Empty : StreamObserver {
    void instruction(Moment, const InsnItem &, ArrayRef<RegItem>,
                     ArrayRef<MemItem>, const uint64_t *,
                     const uint8_t *) override {}
    void event(Moment, const EventItem &) override {}
    Error finish(const TraceHeader &, SectionWriter &Out) override {
      if (Error E = Out.begin("test.room"))
        return E;
      return Out.end();
    }
  } Room;
  IndexOptions Options;
  Options.Observers = {&Room};
  Options.Sections = {"test.room"};
  EXPECT_EQ(openIt(Options), 100u);
  EXPECT_TRUE(Report.Built);
  EXPECT_EQ(openIt(Options), 100u);
  EXPECT_FALSE(Report.Built) << Report.Why;
}

/// Nobody's file is written over by mistake.
TEST_F(Indexer, DoesNotWriteOverTheTrace) {
  std::string Before = contents(Trace);
  IndexOptions Options;
  Options.IndexPath = Trace;
  EXPECT_EQ(openIt(Options), 0u);
  EXPECT_TRUE(contents(Trace) == Before);
}

TEST_F(Indexer, DoesNotWriteOverWhatIsNoStore) {
  std::string Other = path("precious.txt");
  write(Other, "a file of somebody's that is quite long enough to be a header "
               "of a store, had it the right beginning");
  IndexOptions Options;
  Options.IndexPath = Other;
  EXPECT_EQ(openIt(Options), 0u);
  EXPECT_NE(Message.find("precious.txt"), std::string::npos) << Message;
  EXPECT_EQ(contents(Other).substr(0, 6), "a file");
  Options.Force = true;
  EXPECT_EQ(openIt(Options), 0u);
  EXPECT_EQ(contents(Other).substr(0, 6), "a file");
}

TEST_F(Indexer, NoTrace) {
  Trace = path("missing.tarmac");
  EXPECT_EQ(openIt(), 0u);
  EXPECT_NE(Message.find("missing.tarmac"), std::string::npos) << Message;
  Trace = path("noise");
  std::string Noise(50000, '\0');
  Rng R(1);
  for (char &C : Noise)
    C = char(R.next());
  write(Trace, Noise);
  EXPECT_EQ(openIt(), 0u);
  EXPECT_EQ(files(), (std::vector<std::string>{"noise", "t.tarmac"}));
}

} // namespace
