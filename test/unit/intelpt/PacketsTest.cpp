//===- PacketsTest.cpp - Traces of a few packets each ---------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bundles.h"
#include "Synth.h"

using namespace llvm;

namespace rw::intelpt {

namespace {

constexpr uint64_t Base = 0x401000;

using Packets = std::vector<uint8_t>;

Packets encode(const pt_packet &P) {
  uint8_t Bytes[64];
  pt_config C;
  pt_config_init(&C);
  C.begin = Bytes;
  C.end = Bytes + sizeof Bytes;
  pt_encoder *E = pt_alloc_encoder(&C);
  int N = pt_enc_next(E, &P);
  pt_free_encoder(E);
  EXPECT_GT(N, 0);
  return Packets(Bytes, Bytes + std::max(N, 0));
}
Packets plain(pt_packet_type Type) {
  pt_packet P = {};
  P.type = Type;
  return encode(P);
}
Packets mode() {
  pt_packet P = {};
  P.type = ppt_mode;
  P.payload.mode.leaf = pt_mol_exec;
  P.payload.mode.bits.exec = pt_set_exec_mode(ptem_64bit);
  return encode(P);
}
Packets ip(pt_packet_type Type, std::optional<uint64_t> Address) {
  pt_packet P = {};
  P.type = Type;
  P.payload.ip.ipc = Address ? pt_ipc_sext_48 : pt_ipc_suppressed;
  P.payload.ip.ip = Address.value_or(0);
  return encode(P);
}
Packets fup(uint64_t Address) { return ip(ppt_fup, Address); }
/// "tnt": taken, not taken, taken.
Packets tnt(StringRef Bits) {
  pt_packet P = {};
  P.type = ppt_tnt_8;
  P.payload.tnt.bit_size = uint8_t(Bits.size());
  for (char C : Bits)
    P.payload.tnt.payload = P.payload.tnt.payload << 1 | (C == 't');
  return encode(P);
}
Packets ptw(uint64_t Value) {
  pt_packet P = {};
  P.type = ppt_ptw;
  P.payload.ptw = {Value, 1, 0};
  return encode(P);
}
Packets join(std::initializer_list<Packets> All) {
  Packets Out;
  for (const Packets &P : All)
    Out.insert(Out.end(), P.begin(), P.end());
  return Out;
}
Packets psb(std::optional<uint64_t> At) {
  return join(
      {plain(ppt_psb), mode(), At ? fup(*At) : Packets(), plain(ppt_psbend)});
}

/// What the packets mean with this code at Base.
struct Decoded : Trace {
  /// Symbols tell functions that begin at \p Functions.
  Decoded(std::vector<uint8_t> Code, Packets Bytes, pt_cpu Cpu = {},
          const std::vector<uint64_t> &Functions = {}) {
    Program P;
    P.Base = Base;
    P.Code = std::move(Code);
    TempDir Dir;
    Execution X;
    X.Packets = std::move(Bytes);
    Recording R = recording(
        P, Dir.write("program", P.elf("0123456789abcdef", Functions)), {X});
    if (Cpu.vendor)
      R.Cpu = Cpu;
    decode(R, 0, *this);
    for (uint64_t PC : PCs[0])
      Offsets.push_back(PC - Base);
    for (const EventItem &E : Events)
      if (E.Kind != EventKind::SyncPoint)
        Told.push_back(std::to_string(E.Before) + " " + eventName(E.Kind) +
                       ": " + E.Text);
  }
  std::vector<uint64_t> Offsets;
  std::vector<std::string> Told;
};

using Offsets = std::vector<uint64_t>;
using Texts = std::vector<std::string>;

/// je .+1; hlt; nop; nop; je .-5; nop; hlt; jmp .
const std::vector<uint8_t> Branches = {0x74, 0x01, 0xf4, 0x90, 0x90, 0x74,
                                       0xf9, 0x90, 0xf4, 0xeb, 0xfe};

} // namespace

/// What ran after the last packet is not told, however long it could be.
TEST(Packets, EndWhileTracingIsOn) {
  Packets P = join({psb(Base), tnt("t")});
  Decoded Loop({0x74, 0x01, 0xf4, 0x90, 0xeb, 0xfd}, P);
  EXPECT_EQ(Loop.Offsets, Offsets({0}));
  EXPECT_EQ(Loop.Told, Texts({"1 gap: the packets end at byte 28 while tracing "
                              "is on; what ran afterwards is not known"}));
  EXPECT_EQ(Loop.Header.NumMalformed, 0u);
  EXPECT_EQ(Decoded(Branches, P).Offsets, Offsets({0}));
  // A PSB tells how far it came, an interrupt too.
  EXPECT_EQ(Decoded(Branches, join({P, psb(Base + 4)})).Offsets,
            Offsets({0, 3}));
  EXPECT_EQ(
      Decoded(Branches, join({P, fup(Base + 5), ip(ppt_tip_pgd, {})})).Offsets,
      Offsets({0, 3, 4}));
}

TEST(Packets, SyncPointThatAnOverflowEnds) {
  Decoded T(Branches, join({plain(ppt_psb), mode(), plain(ppt_ovf),
                            fup(Base + 3), tnt("n"), psb(Base + 7),
                            fup(Base + 8), ip(ppt_tip_pgd, {})}));
  EXPECT_EQ(T.Offsets, Offsets({3, 4, 5, 7}));
  EXPECT_EQ(T.Told, Texts({"0 gap: overflow: packets were lost; goes on at "
                           "0x401003",
                           "4 pause: tracing off: interrupted at 0x401008"}));
  EXPECT_EQ(T.Header.NumMalformed, 0u);
}

TEST(Packets, EventsWithoutInstructions) {
  pt_packet Mwait = {}, Enter = {}, Sleep = {}, Stop = {}, Leave = {};
  Mwait.type = ppt_mwait;
  Mwait.payload.mwait = {7, 1};
  Enter.type = ppt_pwre;
  Enter.payload.pwre.state = 5;
  Enter.payload.pwre.sub_state = 15;
  Sleep.type = ppt_pwre;
  Sleep.payload.pwre.state = 15;
  Sleep.payload.pwre.sub_state = 1;
  Sleep.payload.pwre.hw = 1;
  Stop.type = ppt_exstop;
  Leave.type = ppt_pwrx;
  Leave.payload.pwrx.last = 15;
  Leave.payload.pwrx.deepest = 5;
  Leave.payload.pwrx.interrupt = 1;
  Decoded T(Branches, join({psb({}), ptw(0xdead), ptw(0xbeef), encode(Enter),
                            encode(Sleep), encode(Stop), encode(Leave)}));
  EXPECT_TRUE(T.Offsets.empty());
  EXPECT_EQ(T.Told,
            Texts({"0 mark: ptwrite 0xdead", "0 mark: ptwrite 0xbeef",
                   "0 mark: enters power state C6.0",
                   "0 mark: enters power state C0.2 by itself",
                   "0 mark: the processor stopped executing",
                   "0 mark: leaves power state C0 (the deepest was C6), "
                   "woken by an interrupt"}));
  // With an address that there is no branch before or after.
  Stop.payload.exstop.ip = 1;
  Decoded U(Branches, join({psb({}), encode(Mwait), encode(Stop), fup(Base)}));
  EXPECT_TRUE(U.Offsets.empty());
  EXPECT_EQ(U.Told, Texts({"0 mark: mwait: hints 0x7, extensions 0x1",
                           "0 mark: the processor stopped executing"}));
  // The address is that of ptwrite in: nop; ptwrite rax; nop; jmp .
  Decoded V({0x90, 0xf3, 0x48, 0x0f, 0xae, 0xe0, 0x90, 0xeb, 0xfe},
            join({psb(Base), ptw(1)}));
  EXPECT_EQ(V.Offsets, Offsets({0, 1}));
  EXPECT_EQ(V.Told[0], "2 mark: ptwrite 0x1");
}

TEST(Packets, UnknownProcessor) {
  Packets P = join({psb(Base), tnt("t"), fup(Base + 5), ip(ppt_tip_pgd, {})});
  for (uint8_t Model : {143, 183, 207, 255}) {
    Decoded T(Branches, P, {pcv_intel, 6, Model, 1});
    EXPECT_EQ(T.Offsets, Offsets({0, 3, 4}));
    EXPECT_EQ(llvm::count_if(T.Header.Notes,
                             [](auto &N) { return N.first == "errata"; }),
              Model == 143 ? 0 : 1);
  }
}

/// That is told where the function shows where its instructions begin. What the
/// packets say stays.
TEST(Packets, IntoAnInstruction) {
  // ret; mov $0x90909090,%eax; je .+1; lock cmpxchg %edx,(%rbx); jmp .
  const std::vector<uint8_t> Code = {0xc3, 0xb8, 0x90, 0x90, 0x90, 0x90, 0x74,
                                     0x01, 0xf0, 0x0f, 0xb1, 0x13, 0xeb, 0xfe};
  // Returns to an instruction and runs it, up to the next one.
  auto marks = [&](uint64_t At, uint64_t Next, const std::vector<uint8_t> &Code,
                   const std::vector<uint64_t> &Functions) {
    Decoded T(Code,
              join({psb(Base), ip(ppt_tip, Base + At), fup(Base + Next),
                    ip(ppt_tip_pgd, {}), psb({})}),
              {}, Functions);
    EXPECT_EQ(T.Offsets, Offsets({0, At}));
    EXPECT_EQ(T.Told.size(), T.Header.NumMalformed ? 3u : 1u);
    return T.Header.NumMalformed;
  };
  using Pair = std::pair<uint64_t, uint64_t>;
  for (auto [At, Next] : {Pair(2, 3), {3, 4}, {5, 6}, {7, 9}, {10, 12}})
    EXPECT_EQ(marks(At, Next, Code, {Base}), 1u) << At;
  for (auto [At, Next] : {Pair(1, 6), {8, 12}})
    EXPECT_EQ(marks(At, Next, Code, {Base}), 0u) << At;
  // The prefix of a locked instruction may be jumped over.
  EXPECT_EQ(marks(9, 12, Code, {Base}), 0u);
  // A function that jumps into an instruction itself, one that is cut, none,
  // and another one.
  std::vector<uint8_t> Both = Code;
  Both[7] = 0x02;
  EXPECT_EQ(marks(3, 4, Both, {Base}), 0u);
  EXPECT_EQ(marks(3, 4, Code, {Base, Base + 13}), 0u);
  EXPECT_EQ(marks(3, 4, Code, {}), 0u);
  EXPECT_EQ(marks(3, 4, Code, {Base + 6}), 0u);
  EXPECT_EQ(marks(3, 4, Code, {Base, Base + 6}), 1u);

  Decoded T(Code,
            join({psb(Base), ip(ppt_tip, Base + 3), fup(Base + 4),
                  ip(ppt_tip_pgd, {}), psb({})}),
            {}, {Base});
  EXPECT_EQ(T.Told,
            Texts({"0 error: in doubt up to byte 42: the packets from byte 0 "
                   "on are damaged somewhere",
                   "1 error: the packets up to byte 42 lead to 0x401003, which "
                   "is inside the instruction at 0x401001: some are damaged",
                   "2 pause: tracing off: interrupted at 0x401004"}));
}

/// Each part must fit the next one.
TEST(Packets, Seams) {
  Packets Begin = join({psb(Base), tnt("t")});
  auto seam = [&](const Packets &Last, std::optional<uint64_t> At) {
    Decoded T(Branches, join({Begin, Last, psb(At)}));
    EXPECT_LE(T.Header.NumMalformed, 1u);
    return T.Header.NumMalformed ? T.Header.Malformed[0].What : std::string();
  };
  EXPECT_EQ(seam({}, Base + 4), "");
  EXPECT_EQ(seam({}, Base + 8), "thread 1: goes on at 0x401008 (byte 28 of "
                                "the packets), which the code before does not "
                                "reach");
  EXPECT_EQ(seam({}, {}), "thread 1: tracing is off from byte 28 of the "
                          "packets on; packets were lost");
  // What is left over is not lost in silence: one branch more would be at 5.
  EXPECT_EQ(seam(tnt("n"), Base + 4),
            "thread 1: goes on at 0x401004 (byte 29 of the packets), which the "
            "code before does not reach");
  EXPECT_EQ(seam(join({fup(Base + 3), ip(ppt_tip_pgd, {})}), Base + 3),
            "thread 1: tracing is on again, at 0x401003 (byte 36 of the "
            "packets); packets were lost");
}

} // namespace rw::intelpt
