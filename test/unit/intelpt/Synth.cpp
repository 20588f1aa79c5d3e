//===- Synth.cpp - Random programs and the packets of running them --------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Synth.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

using namespace llvm;

namespace rw::intelpt {

static constexpr pt_cpu Cpu = {pcv_intel, 6, 143, 8};

namespace {
/// Straight code between the branches, of all kinds of lengths.
const std::vector<std::vector<uint8_t>> Straight = {
    {0x90},
    {0x48, 0x89, 0xd8},
    {0x48, 0x83, 0xc0, 0x01},
    {0xf0, 0x0f, 0xb1, 0x13},
    {0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0},
    {0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8},
    {0xf3, 0x48, 0xab},
    {0xc5, 0xf9, 0x6f, 0xc1},
    {0x55},
    {0x5d},
};

struct Fixup {
  size_t At;    ///< of the displacement
  uint8_t Size; ///< 1 or 4
  size_t Block; ///< where it goes
  uint64_t Insn;
};
} // namespace

Program Program::random(unsigned Seed, uint64_t Base, unsigned Blocks) {
  std::mt19937 Rng(Seed);
  auto pick = [&](unsigned N) { return unsigned(Rng() % N); };
  Program P;
  P.Base = Base;
  std::vector<Fixup> Fixups;
  auto emit = [&](Kind K, std::initializer_list<uint8_t> Bytes,
                  unsigned Displacement = 0) {
    uint64_t IP = Base + P.Code.size();
    P.Code.insert(P.Code.end(), Bytes);
    Insn I;
    I.What = K;
    I.Size = uint8_t(Bytes.size() + Displacement);
    if (Displacement) {
      Fixups.push_back(
          {P.Code.size(), uint8_t(Displacement), pick(Blocks), IP});
      P.Code.resize(P.Code.size() + Displacement);
    }
    P.Insns[IP] = I;
  };
  unsigned B = 0;
  // Only decisions lead back: a loop without one could not end.
  auto forward = [&](Kind K, uint8_t Op) {
    if (B + 1 == Blocks)
      return;
    emit(K, {Op}, 4);
    Fixups.back().Block = B + 1 + pick(Blocks - B - 1);
  };
  for (; B < Blocks; ++B) {
    P.Entries.push_back(Base + P.Code.size());
    for (unsigned N = pick(5); N; --N) {
      const auto &Bytes = Straight[pick(Straight.size())];
      P.Insns[Base + P.Code.size()] = {Plain, uint8_t(Bytes.size()), 0};
      P.Code.insert(P.Code.end(), Bytes.begin(), Bytes.end());
    }
    switch (pick(16)) {
    case 0: // "loop ." branches to itself
      P.Insns[Base + P.Code.size()] = {CondJump, 2, Base + P.Code.size()};
      P.Code.insert(P.Code.end(), {0xe2, 0xfe});
      break;
    case 1:
    case 2:
      forward(Call, 0xe8);
      break;
    case 3:
      emit(IndirectCall, {0xff, 0xd0});
      break;
    case 4:
      emit(IndirectJump, {0xff, 0xe0});
      break;
    case 5:
    case 6:
    case 7:
      emit(Return, {0xc3});
      break;
    case 8:
      emit(SystemCall, {0x0f, 0x05});
      break;
    case 9:
      emit(PtWrite, {0xf3, 0x48, 0x0f, 0xae, 0xe0});
      break;
    case 10:
      forward(Jump, 0xe9);
      break;
    default:
      emit(CondJump, {0x0f, 0x85}, 4);
    }
  }
  emit(IndirectJump, {0xff, 0xe0});
  for (const Fixup &F : Fixups) {
    Insn &I = P.Insns[F.Insn];
    I.Target = P.Entries[F.Block];
    support::endian::write32le(&P.Code[F.At],
                               uint32_t(I.Target - (F.Insn + I.Size)));
  }
  return P;
}

std::string Program::elf(const std::string &BuildId,
                         const std::vector<uint64_t> &Functions) const {
  std::string Id;
  [[maybe_unused]] bool Hex = tryGetFromHex(BuildId, Id);
  assert(Hex);
  std::string Note(12, 0);
  support::endian::write32le(&Note[0], 4);
  support::endian::write32le(&Note[4], uint32_t(Id.size()));
  support::endian::write32le(&Note[8], ELF::NT_GNU_BUILD_ID);
  Note += StringRef("GNU\0", 4);
  Note += Id;
  const uint64_t NoteAt = sizeof(ELF::Elf64_Ehdr) + 2 * sizeof(ELF::Elf64_Phdr);
  const uint64_t CodeAt = 4096 + Base % 4096;
  ELF::Elf64_Ehdr H = {};
  memcpy(H.e_ident, "\177ELF\2\1\1", 7);
  H.e_type = ELF::ET_EXEC;
  H.e_machine = ELF::EM_X86_64;
  H.e_version = 1;
  H.e_phoff = sizeof H;
  H.e_ehsize = sizeof H;
  H.e_phentsize = sizeof(ELF::Elf64_Phdr);
  H.e_phnum = 2;
  ELF::Elf64_Phdr P[2] = {};
  P[0].p_type = ELF::PT_LOAD;
  P[0].p_flags = ELF::PF_R | ELF::PF_X;
  P[0].p_offset = CodeAt;
  P[0].p_vaddr = Base;
  P[0].p_filesz = P[0].p_memsz = Code.size();
  P[0].p_align = 4096;
  P[1].p_type = ELF::PT_NOTE;
  P[1].p_offset = NoteAt;
  P[1].p_filesz = P[1].p_memsz = Note.size();
  P[1].p_align = 4;
  auto bytes = [](const auto &X) {
    return std::string(reinterpret_cast<const char *>(&X), sizeof X);
  };
  std::string Tables;
  if (!Functions.empty()) {
    const uint64_t SymbolsAt = alignTo(CodeAt + Code.size(), 8);
    ELF::Elf64_Shdr Sections[4] = {};
    Sections[1].sh_type = ELF::SHT_PROGBITS;
    Sections[1].sh_flags = ELF::SHF_ALLOC | ELF::SHF_EXECINSTR;
    Sections[1].sh_addr = Base;
    Sections[1].sh_offset = CodeAt;
    Sections[1].sh_size = Code.size();
    Sections[2].sh_type = ELF::SHT_SYMTAB;
    Sections[2].sh_offset = SymbolsAt;
    Sections[2].sh_link = 3;
    Sections[2].sh_entsize = sizeof(ELF::Elf64_Sym);
    Sections[3].sh_type = ELF::SHT_STRTAB;
    Tables = std::string(SymbolsAt - CodeAt - Code.size(), 0);
    Tables += bytes(ELF::Elf64_Sym());
    for (size_t F = 0; F < Functions.size(); ++F) {
      ELF::Elf64_Sym S = {};
      S.st_name = 1;
      S.st_info = ELF::STB_GLOBAL << 4 | ELF::STT_FUNC;
      S.st_shndx = 1;
      S.st_value = Functions[F];
      S.st_size =
          (F + 1 < Functions.size() ? Functions[F + 1] : Base + Code.size()) -
          Functions[F];
      Tables += bytes(S);
    }
    Sections[2].sh_size = sizeof(ELF::Elf64_Sym) * (1 + Functions.size());
    Sections[3].sh_offset = SymbolsAt + Sections[2].sh_size;
    Sections[3].sh_size = 8;
    Tables += std::string("\0f\0\0\0\0\0\0", 8);
    H.e_shoff = SymbolsAt + Sections[2].sh_size + 8;
    H.e_shentsize = sizeof(ELF::Elf64_Shdr);
    H.e_shnum = 4;
    for (const ELF::Elf64_Shdr &S : Sections)
      Tables += bytes(S);
  }
  std::string File = bytes(H);
  File.append(reinterpret_cast<char *>(P), sizeof P);
  File += Note;
  File.resize(CodeAt);
  File.append(reinterpret_cast<const char *>(Code.data()), Code.size());
  return File + Tables;
}

namespace {
/// Decides which packets to write; libipt's encoder makes the bytes.
class Writer {
public:
  Writer(const RunOptions &O, Execution &Out) : O(O), Out(Out) {}

  void branch(bool Taken) {
    Tnt = Tnt << 1 | Taken;
    if (++TntBits == (O.LongTnt ? 47u : 6u))
      flush();
  }
  void jump(uint64_t Target) {
    flush();
    ip(ppt_tip, Target);
  }
  void call(uint64_t ReturnTo) {
    if (!O.CompressReturns)
      return;
    if (Stack.size() == 64)
      Stack.erase(Stack.begin());
    Stack.push_back(ReturnTo);
  }
  void ret(uint64_t Target) {
    if (O.CompressReturns && !Stack.empty() && Stack.back() == Target) {
      Stack.pop_back();
      return branch(true);
    }
    Stack.clear(); // a decoder does not pop either
    jump(Target);
  }
  void ptwrite(uint64_t At, uint64_t Value) {
    flush();
    pt_packet P = {};
    P.type = ppt_ptw;
    P.payload.ptw = {Value, 1, 1};
    put(P);
    ip(ppt_fup, At);
  }
  void enable(uint64_t At) {
    if (due() || Out.Packets.empty())
      psb(nullptr);
    mode();
    ip(ppt_tip_pge, At);
    On = true;
  }
  void disable(const uint64_t *Interrupted) {
    flush();
    if (Interrupted)
      ip(ppt_fup, *Interrupted);
    none(ppt_tip_pgd);
    Stack.clear();
    On = false;
  }
  void overflow(uint64_t ResumeAt) {
    Tnt = TntBits = LastIP = 0;
    Stack.clear();
    pt_packet P = {};
    P.type = ppt_ovf;
    put(P);
    ip(ppt_fup, ResumeAt);
  }
  /// After each instruction, with the one that comes next. True: it wrote a
  /// PSB.
  bool retired(uint64_t Next) {
    ++Retired;
    if (O.MtcEvery && Retired % O.MtcEvery == 0) {
      flush();
      pt_packet P = {};
      P.type = ppt_mtc;
      P.payload.mtc.ctc = uint8_t(tsc() >> 9);
      put(P);
    }
    if (O.CycEvery && Retired % O.CycEvery == 0) {
      flush();
      pt_packet P = {};
      P.type = ppt_cyc;
      P.payload.cyc.value = cycles() - LastCycles;
      LastCycles = cycles();
      put(P);
    }
    if (!On || !due() || Late++ < O.PsbDelay)
      return false;
    flush();
    psb(&Next);
    return true;
  }
  void pass(uint64_t Instructions) { Retired += Instructions; }
  void time() {
    pt_packet P = {};
    P.type = ppt_tsc;
    P.payload.tsc.tsc = tsc();
    put(P);
  }
  uint64_t tsc() const {
    return O.FirstTsc + uint64_t(double(Retired) * O.TscPerInsn);
  }
  uint64_t cycles() const { return tsc() * O.CbrRatio / O.NominalRatio; }
  void flush() {
    if (!TntBits)
      return;
    pt_packet P = {};
    P.type = TntBits > 6 ? ppt_tnt_64 : ppt_tnt_8;
    P.payload.tnt.bit_size = uint8_t(TntBits);
    P.payload.tnt.payload = Tnt;
    Tnt = TntBits = 0;
    put(P);
  }

private:
  bool due() const { return Out.Packets.size() - LastPsb >= O.PsbBytes; }
  void ip(pt_packet_type Type, uint64_t Address) {
    pt_packet P = {};
    P.type = Type;
    uint64_t Differs = Address ^ LastIP;
    P.payload.ip.ipc = !(Differs >> 16)   ? pt_ipc_update_16
                       : !(Differs >> 32) ? pt_ipc_update_32
                                          : pt_ipc_sext_48;
    P.payload.ip.ip = LastIP = Address;
    put(P);
  }
  void none(pt_packet_type Type) {
    pt_packet P = {};
    P.type = Type;
    P.payload.ip.ipc = pt_ipc_suppressed;
    put(P);
  }
  void mode() {
    pt_packet P = {};
    P.type = ppt_mode;
    P.payload.mode.leaf = pt_mol_exec;
    P.payload.mode.bits.exec = pt_set_exec_mode(ptem_64bit);
    put(P);
  }
  void psb(const uint64_t *At) {
    LastPsb = Out.Packets.size();
    Late = 0;
    LastIP = 0;
    Stack.clear();
    ++Out.Psbs;
    pt_packet P = {};
    P.type = ppt_psb;
    put(P);
    if (O.Timing) {
      time();
      if (O.MtcEvery) {
        P = {};
        P.type = ppt_tma;
        P.payload.tma.ctc = uint16_t(tsc() >> 9);
        P.payload.tma.fc = uint16_t(tsc() & 511);
        put(P);
      }
      P = {};
      P.type = ppt_cbr;
      P.payload.cbr.ratio = uint8_t(O.CbrRatio);
      put(P);
    }
    mode();
    if (At)
      ip(ppt_fup, *At);
    none(ppt_psbend);
  }
  void put(const pt_packet &P) {
    uint8_t Bytes[64];
    pt_config C;
    pt_config_init(&C);
    C.cpu = Cpu;
    C.begin = Bytes;
    C.end = Bytes + sizeof Bytes;
    pt_encoder *E = pt_alloc_encoder(&C);
    int N = pt_enc_next(E, &P);
    pt_free_encoder(E);
    if (N <= 0)
      abort(); // the test is wrong
    Out.Packets.insert(Out.Packets.end(), Bytes, Bytes + N);
  }

  const RunOptions &O;
  Execution &Out;
  std::vector<uint64_t> Stack;
  uint64_t Tnt = 0, LastIP = 0, Retired = 0, LastPsb = 0, LastCycles = cycles();
  unsigned TntBits = 0, Late = 0;
  bool On = false;
};
} // namespace

Execution run(const Program &P, const RunOptions &O) {
  Execution Out;
  Writer W(O, Out);
  std::mt19937_64 Rng(O.Seed);
  auto anywhere = [&] { return P.Entries[Rng() % P.Entries.size()]; };
  struct Context {
    uint64_t IP;
    std::vector<uint64_t> Stack;
  };
  std::vector<Context> Contexts(O.Threads, {P.Entries[0], {}});
  unsigned Thread = 0;
  std::vector<uint64_t> Stack;
  uint64_t IP = P.Entries[0];
  Out.Switches.push_back({W.tsc(), 1, 1});
  // What follows the last decision is not told if packets are lost then.
  size_t Told = 0;
  W.enable(IP);
  for (size_t N = 0; N < O.Instructions; ++N) {
    const Program::Insn &I = P.Insns.at(IP);
    uint64_t Next = IP + I.Size;
    bool Decides = true;
    Out.PCs.push_back(IP);
    Out.Owners.push_back(Thread);
    switch (I.What) {
    case Program::Plain:
      Decides = false;
      break;
    case Program::Jump:
      Next = I.Target;
      Decides = false;
      break;
    case Program::Call:
      if (I.Target != Next) // that is no call, but a way to learn the pc
        W.call(Next);
      Stack.push_back(Next);
      Next = I.Target;
      Decides = false;
      break;
    case Program::CondJump:
      if (bool Taken = Rng() % 3; Taken || I.Target == IP) {
        Taken = I.Target == IP ? Rng() % 8 != 0 : true;
        W.branch(Taken);
        if (Taken)
          Next = I.Target;
      } else {
        W.branch(false);
      }
      break;
    case Program::IndirectCall:
      W.call(Next);
      Stack.push_back(Next);
      [[fallthrough]];
    case Program::IndirectJump:
      Next = anywhere();
      W.jump(Next);
      break;
    case Program::Return:
      if (Stack.empty()) {
        Next = anywhere();
      } else {
        Next = Stack.back();
        Stack.pop_back();
      }
      W.ret(Next);
      break;
    case Program::SystemCall:
      W.disable(nullptr);
      ++Out.SystemCalls;
      break;
    case Program::PtWrite: {
      uint64_t Value = Rng();
      W.ptwrite(IP, Value);
      Out.PtWrites.push_back(Value);
      break;
    }
    }
    if (Decides)
      Told = Out.PCs.size();
    IP = Next;
    if (W.retired(IP)) // a PSB tells how far it came
      Told = Out.PCs.size();
    if (I.What == Program::SystemCall)
      W.enable(IP);
    if (O.InterruptEvery && (N + 1) % O.InterruptEvery == 0) {
      W.disable(&IP);
      W.enable(IP);
      Told = Out.PCs.size();
      ++Out.Interrupts;
    }
    if (O.SwitchEvery && (N + 1) % O.SwitchEvery == 0) {
      W.disable(&IP);
      Contexts[Thread] = {IP, Stack};
      Thread = unsigned(Rng() % O.Threads);
      IP = Contexts[Thread].IP;
      Stack = Contexts[Thread].Stack;
      W.pass(50);
      Out.Switches.push_back({W.tsc(), 1, Thread + 1});
      W.pass(50);
      W.time();
      W.enable(IP);
      Told = Out.PCs.size();
    }
    if (O.OverflowEvery && (N + 1) % O.OverflowEvery == 0) {
      W.flush();
      Out.PCs.resize(Told);
      Out.Owners.resize(Told);
      IP = anywhere();
      Stack.clear();
      W.overflow(IP);
      ++Out.Overflows;
    }
  }
  W.disable(&IP);
  Out.EndTsc = W.tsc();
  return Out;
}

Recording recording(const Program &P, const std::string &Elf,
                    const std::vector<Execution> &Threads) {
  Recording R;
  R.Path = "synthetic";
  R.Cpu = Cpu;
  ModuleSpec M;
  M.Recorded = M.Path = Elf;
  M.LoadAddress = P.Base & ~uint64_t(0xfff);
  R.Modules.push_back(M);
  for (size_t T = 0; T < Threads.size(); ++T) {
    Buffer B;
    B.Name = "thread " + std::to_string(T + 1);
    B.Tid = T + 1;
    B.Bytes = Threads[T].Packets;
    R.Threads.push_back({1, B.Tid, ""});
    R.Buffers.push_back(std::move(B));
  }
  return R;
}

} // namespace rw::intelpt
