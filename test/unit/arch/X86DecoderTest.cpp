//===- X86DecoderTest.cpp - Tables against hand and processor -------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/arch/X86Decoder.h"
#include "test/unit/support/TestData.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"
#include <array>
#include <map>
#include <random>
#include <set>

#if defined(__x86_64__) && defined(__linux__)
#include "test/tools/pt-record/Cpuid.h"
#include <cmath>
#include <cpuid.h>
#include <cstring>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace rw;

namespace {

const RegisterFile &file() {
  static const RegisterFile File(Arch::X86_64, {});
  return File;
}

std::string bytes(llvm::StringRef Hex) {
  std::string Out;
  EXPECT_TRUE(llvm::tryGetFromHex(Hex, Out));
  return Out;
}

llvm::ArrayRef<uint8_t> view(const std::string &S) {
  return {reinterpret_cast<const uint8_t *>(S.data()), S.size()};
}

/// "rax rflags:03": lanes with their masks, where not all of the lane.
template <typename T> std::string lanes(const T &List) {
  std::string Out;
  for (const auto &B : List) {
    uint8_t Mask;
    if constexpr (std::is_same_v<std::decay_t<decltype(B)>, RegItem>) {
      EXPECT_EQ(B.Written, B.Unknown);
      Mask = B.Written;
    } else {
      Mask = B.Mask;
    }
    if (!Out.empty())
      Out += ' ';
    llvm::StringRef Name = file().laneName(B.Lane);
    Out += Name;
    if (Name.starts_with("zmm"))
      Out += "." + llvm::utostr((B.Lane - x86::ZMM0) % 8);
    else if (Name.starts_with("st"))
      Out += "." + llvm::utostr((B.Lane - x86::ST0) % 2);
    if (Mask != 0xff)
      Out += ":" + llvm::utohexstr(Mask, true, 2);
  }
  return Out;
}

struct Fact {
  const char *Hex;
  unsigned Size;
  InsnClass Class;
  const char *Writes, *Reads;
};

const Fact Facts[] = {
    {"4889d8", 3, InsnClass::None, "rax", "rbx"},
    {"89d8", 2, InsnClass::None, "rax", "rbx:0f"},
    {"6689d8", 3, InsnClass::None, "rax:03", "rbx:03"},
    {"88e0", 2, InsnClass::None, "rax:01", "rax:02"},
    {"4801f8", 3, InsnClass::None, "rax rflags:03", "rax rdi"},
    {"48b8efcdab8967452301", 10, InsnClass::None, "rax", ""},
    {"488b44f308", 5, InsnClass::None, "rax", "rbx rsi"},
    {"55", 1, InsnClass::None, "rsp", "rbp rsp"},
    {"5d", 1, InsnClass::None, "rbp rsp", "rsp"},
    {"c9", 1, InsnClass::None, "rbp rsp", "rbp rsp"},
    {"48f7e1", 3, InsnClass::None, "rax rdx rflags:03", "rax rcx"},
    {"4899", 2, InsnClass::None, "rdx", "rax"},
    {"0fa2", 2, InsnClass::None, "rax rbx rcx rdx", "rax:0f rcx:0f"},
    {"0f31", 2, InsnClass::None, "rax rdx", ""},
    {"9d", 1, InsnClass::None, "rsp rflags", "rsp"},
    {"fc", 1, InsnClass::None, "rflags:02", ""},
    {"f348a5", 3, InsnClass::None, "rcx rdi rsi", "rcx rdi rsi rflags:02"},
    {"48a5", 2, InsnClass::None, "rdi rsi", "rdi rsi rflags:02"},
    {"e8fbffffff", 5, InsnClass::Call, "rsp", "rsp"},
    {"ff15aabbcc00", 6, InsnClass::IndirectCall, "rsp", "rsp"},
    {"41ffd3", 3, InsnClass::IndirectCall, "rsp", "rsp r11"},
    {"f2ff25aabbcc00", 7, InsnClass::IndirectBranch, "", ""},
    {"c3", 1, InsnClass::Return, "rsp", "rsp"},
    {"f3c3", 2, InsnClass::Return, "rsp", "rsp"},
    {"75fe", 2, InsnClass::CondBranch, "", "rflags:03"},
    {"0f8f10000000", 6, InsnClass::CondBranch, "", "rflags:03"},
    {"ebfe", 2, InsnClass::Branch, "", ""},
    {"e2fe", 2, InsnClass::CondBranch, "rcx", "rcx"},
    {"e1fe", 2, InsnClass::CondBranch, "rcx", "rcx rflags:03"},
    {"0fa1", 2, InsnClass::None, "rsp fs", "rsp"},
    {"0f05", 2, InsnClass::SystemCall, "rax rcx r11", "rax"},
    {"480f07", 3, InsnClass::ExceptionReturn, "rflags", "rcx r11"},
    {"48cf", 2, InsnClass::ExceptionReturn, "rsp rflags", "rsp"},
    {"f30f58c1", 4, InsnClass::None, "mxcsr:01 zmm0.0 zmm0.1",
     "mxcsr:0f zmm0.0 zmm0.1 zmm1.0 zmm1.1"},
    {"c5f877", 3, InsnClass::None, nullptr, nullptr},
    {"c5f96fc1", 4, InsnClass::None,
     "zmm0.0 zmm0.1 zmm0.2 zmm0.3 zmm0.4 zmm0.5 zmm0.6 zmm0.7",
     "zmm1.0 zmm1.1"},
    // EVEX: vpternlogd zmm17 {k1}, zmm2, zmm3, 1
    {"62e36d4925cb01", 7, InsnClass::None,
     "zmm17.0 zmm17.1 zmm17.2 zmm17.3 zmm17.4 zmm17.5 zmm17.6 zmm17.7",
     nullptr},
    {"d9442408", 4, InsnClass::None, nullptr, "rsp fctrl:03"},
    {"d8c1", 2, InsnClass::None, "fstat:03 st0.0 st0.1:03", nullptr},
    {"dfe9", 2, InsnClass::None, nullptr, nullptr},
    {"dfe0", 2, InsnClass::None, "rax:03", nullptr},
    {"f30f1efa", 4, InsnClass::None, "", ""},           // endbr64
    {"f00fb113", 4, InsnClass::None, nullptr, nullptr}, // lock cmpxchg
    {"f04883052e02000001", 9, InsnClass::None, nullptr, nullptr},
    {"f2f00fb113", 5, InsnClass::None, nullptr, nullptr}, // xacquire
    {"66662e0f1f840000000000", 11, InsnClass::None, "", nullptr},
};

TEST(X86Decoder, Facts) {
  X86Decoder D;
  for (const Fact &F : Facts) {
    SCOPED_TRACE(F.Hex);
    std::string B = bytes(F.Hex);
    X86Insn I = D.decode(view(B + "\x90\x90\x90"));
    EXPECT_EQ(I.Size, F.Size);
    EXPECT_EQ(int(I.Class), int(F.Class));
    if (F.Writes) {
      EXPECT_EQ(lanes(I.Writes), F.Writes);
    }
    if (F.Reads) {
      EXPECT_EQ(lanes(I.Reads), F.Reads);
    }
    // All of it is needed, and nothing else.
    EXPECT_EQ(D.decode(view(B)).Size, F.Size);
    EXPECT_EQ(D.decode(view(B).drop_back()).Size, 0u);
  }
}

TEST(X86Decoder, OpcodeAndTarget) {
  X86Decoder D;
  std::string Long = bytes("48b8efcdab8967452301");
  EXPECT_EQ(D.decode(view(Long)).Opcode, 0x456789abcdefb848u);
  EXPECT_EQ(D.decode(view(bytes("c3cc"))).Opcode, 0xc3u);
  EXPECT_EQ(D.decode(view(bytes("e8fbffffff"))).Displacement, -5);
  EXPECT_EQ(D.decode(view(bytes("0f8f10000000"))).Displacement, 16);
  EXPECT_EQ(D.decode(view(bytes("ebfe"))).Displacement, -2);
  EXPECT_EQ(D.decode(view(bytes("e3fe"))).Displacement, -2);
  EXPECT_FALSE(D.decode(view(bytes("c3"))).Displacement);
  EXPECT_FALSE(D.decode(view(bytes("ff15aabbcc00"))).Displacement);
  EXPECT_EQ(D.decode({}).Size, 0u);
  EXPECT_EQ(D.decode(view(bytes("06"))).Size, 0u); // none in 64-bit mode
}

TEST(X86Decoder, AnyBytes) {
  X86Decoder D;
  std::mt19937 Random(3);
  unsigned Good = 0;
  for (unsigned N = 0; N < 100000; ++N) {
    std::string B(Random() % 18, 0);
    for (char &C : B)
      C = char(Random());
    X86Insn I = D.decode(view(B));
    ASSERT_LE(I.Size, std::min<size_t>(B.size(), 15));
    Good += I.Size != 0;
    for (const auto &L : I.Writes) {
      ASSERT_LT(L.Lane, x86::FirstNamed);
      ASSERT_NE(L.Written, 0);
    }
    for (size_t K = 1; K < I.Reads.size(); ++K)
      ASSERT_LT(I.Reads[K - 1].Lane, I.Reads[K].Lane);
    for (size_t K = 1; K < I.Writes.size(); ++K)
      ASSERT_LT(I.Writes[K - 1].Lane, I.Writes[K].Lane);
  }
  EXPECT_GT(Good, 10000u);
}

#if defined(__x86_64__) && defined(__linux__)

/// Where a component of the extended state is; 0: there is none. A virtual
/// machine takes long to answer, and so is asked once.
size_t component(unsigned Number) {
  static const auto At = [] {
    std::array<size_t, 8> At = {};
    unsigned A, B, C, D;
    for (unsigned N = 2; N < At.size(); ++N)
      if (__get_cpuid_count(0xd, N, &A, &B, &C, &D) && A)
        At[N] = B;
    return At;
  }();
  return At[Number];
}

/// The registers of a stopped process by lane.
struct Snapshot {
  user_regs_struct General;
  alignas(64) uint8_t Extended[16384] = {};
  size_t ExtendedSize = 0;

  bool read(pid_t Pid) {
    if (ptrace(PTRACE_GETREGS, Pid, nullptr, &General))
      return false;
    iovec V{Extended, sizeof(Extended)};
    if (ptrace(PTRACE_GETREGSET, Pid, 0x202 /*NT_X86_XSTATE*/, &V))
      return false;
    ExtendedSize = V.iov_len;
    return true;
  }

  void put(std::vector<uint64_t> &Lanes, unsigned Lane, size_t At,
           size_t Size) const {
    if (At + Size <= ExtendedSize)
      memcpy(&Lanes[Lane], Extended + At, Size);
  }

  /// \p Offset bytes into a component, if there is one.
  void put(std::vector<uint64_t> &Lanes, unsigned Lane, size_t Component,
           size_t Offset, size_t Size) const {
    if (ExtendedSize > 576 && Component)
      put(Lanes, Lane, Component + Offset, Size);
  }

  std::vector<uint64_t> lanes() const {
    std::vector<uint64_t> L(x86::FirstNamed);
    const user_regs_struct &G = General;
    const uint64_t General16[] = {G.rax, G.rbx, G.rcx, G.rdx, G.rdi, G.rsi,
                                  G.rbp, G.rsp, G.r8,  G.r9,  G.r10, G.r11,
                                  G.r12, G.r13, G.r14, G.r15};
    std::copy(std::begin(General16), std::end(General16), L.begin());
    // Without the flags that stepping sets.
    L[x86::RFLAGS] = G.eflags & ~uint64_t(0x10100);
    L[x86::FSBase] = G.fs_base;
    L[x86::GSBase] = G.gs_base;
    put(L, x86::FCtrl, 0, 2);
    put(L, x86::FStat, 2, 2);
    put(L, x86::FTag, 4, 1);
    put(L, x86::MXCSR, 24, 4);
    for (unsigned N = 0; N < 8; ++N)
      put(L, x86::ST0 + 2 * N, 32 + 16 * N, 10);
    for (unsigned N = 0; N < 16; ++N)
      put(L, x86::ZMM0 + 8 * N, 160 + 16 * N, 16);
    for (unsigned N = 0; N < 16; ++N) {
      put(L, x86::ZMM0 + 8 * N + 2, component(2), 16 * N, 16);
      put(L, x86::ZMM0 + 8 * N + 4, component(6), 32 * N, 32);
    }
    put(L, x86::K0, component(5), 0, 64);
    put(L, x86::ZMM0 + 128, component(7), 0, 16 * 64);
    return L;
  }
};

/// Something of everything that compilers and libraries make.
[[gnu::noinline]] void work() {
  char Text[256];
  volatile long double Long = 1.5L;
  volatile double Double = 2.25;
  for (int N = 1; N < 4; ++N) {
    Long = Long * N + std::sqrt(Long) / 3 - std::fmod(Long, 0.7L);
    Double = std::sin(Double) * N + std::exp(-Double) + std::cbrt(Double);
    snprintf(Text, sizeof(Text), "%Lg %g %d %s %x", (long double)Long,
             (double)Double, N, "text", 255);
  }
  std::map<std::string, int> Words;
  for (const char *P = "to be or not to be"; *P;) {
    const char *End = strchrnul(P, ' ');
    ++Words[std::string(P, End)];
    P = *End ? End + 1 : End;
  }
  std::vector<unsigned> Numbers(200);
  std::mt19937 Random(7);
  for (unsigned &N : Numbers)
    N = unsigned(Random());
  std::sort(Numbers.begin(), Numbers.end());
  std::vector<char> Big(5000, 'x'), Copy(Big);
  if (memcmp(Big.data(), Copy.data(), Big.size()) || strlen(Text) > 200)
    _exit(2);
  unsigned A, B, C, D;
  __cpuid(0, A, B, C, D);
  asm volatile("rep movsb"
               : "+S"(B = 0), "+D"(A = 0), "+c"(C = 0)
               :
               : "memory");
  asm volatile("fldpi; fldl2e; fxch; fyl2x; fstp %%st(0); emms" ::: "st");
  (void)D;
}

// Whatever register a processor changes must be among those that the decoder
// says are written, and the next pc as size and class tell.
TEST(X86Decoder, AgreesWithTheProcessor) {
  pid_t Child = fork();
  if (Child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr))
      _exit(3);
    raise(SIGSTOP);
    work();
    _exit(0);
  }
  int Status = 0;
  waitpid(Child, &Status, 0);
  if (!WIFSTOPPED(Status))
    REWIND_SKIP("this machine does not let a process trace another");

  X86Decoder D;
  Snapshot Now;
  ASSERT_TRUE(Now.read(Child));
  std::vector<uint64_t> Before = Now.lanes();
  std::set<std::string> Seen;
  std::map<std::string, unsigned> Wrong;
  unsigned Steps = 0;
  for (; Steps < 150000; ++Steps) {
    const uint64_t PC = Now.General.rip;
    std::string Code(16, 0);
    for (unsigned K = 0; K < 16; K += 8) {
      errno = 0;
      long Word = ptrace(PTRACE_PEEKTEXT, Child, PC + K, nullptr);
      if (errno)
        Code.resize(K);
      else
        memcpy(&Code[K], &Word, 8);
      if (errno)
        break;
    }
    X86Insn I = D.decode(view(Code));
    if (llvm::StringRef(Code).starts_with("\x0f\xa2")) {
      ASSERT_TRUE(ptrecord::executeCpuid(Child, 2));
    } else {
      if (ptrace(PTRACE_SINGLESTEP, Child, nullptr, nullptr))
        break;
      waitpid(Child, &Status, 0);
      if (!WIFSTOPPED(Status))
        break;
      ASSERT_EQ(WSTOPSIG(Status), SIGTRAP);
    }
    ASSERT_TRUE(Now.read(Child));
    std::vector<uint64_t> After = Now.lanes();
    std::string Hex = llvm::toHex(view(Code).take_front(I.Size), true);
    Seen.insert(Hex);
    if (!I.Size) {
      ++Wrong["not decoded: " + llvm::toHex(view(Code), true)];
    } else {
      uint64_t Next = Now.General.rip;
      if (I.Class == InsnClass::None && Next != PC + I.Size && Next != PC)
        ++Wrong[Hex + " went elsewhere"];
      if (I.Displacement && Next != PC + I.Size + uint64_t(*I.Displacement) &&
          !(I.Class == InsnClass::CondBranch && Next == PC + I.Size))
        ++Wrong[Hex + " did not go to its target"];
    }
    for (unsigned L = 0; L < After.size(); ++L) {
      uint64_t Changed = Before[L] ^ After[L];
      if (!Changed)
        continue;
      uint8_t Mask = 0;
      for (unsigned K = 0; K < 8; ++K)
        if (Changed >> 8 * K & 0xff)
          Mask |= uint8_t(1u << K);
      for (const RegItem &R : I.Writes)
        if (R.Lane == L)
          Mask &= uint8_t(~R.Written);
      if (Mask)
        ++Wrong[Hex + " wrote " + file().laneName(L).str() + " lane " +
                llvm::utostr(L)];
    }
    Before = std::move(After);
  }
  if (!WIFEXITED(Status)) {
    kill(Child, SIGKILL);
    waitpid(Child, &Status, 0);
  } else {
    EXPECT_EQ(WEXITSTATUS(Status), 0);
  }
  for (auto &[What, Count] : Wrong)
    ADD_FAILURE() << What << ", " << Count << " times";
  EXPECT_GT(Seen.size(), 500u) << Steps << " steps";
  RecordProperty("distinct_instructions", int(Seen.size()));
}

#endif

TEST(X86Registers, NamesAndNumbers) {
  auto dwarf = [](llvm::StringRef Name) {
    const RegisterInfo *R = file().find(Name);
    EXPECT_TRUE(R) << Name.str();
    return R ? R->Dwarf : -2;
  };
  const std::pair<const char *, int> Numbers[] = {
      {"rax", 0},   {"rdx", 1},     {"rcx", 2},      {"rbx", 3},    {"rsi", 4},
      {"rdi", 5},   {"rbp", 6},     {"rsp", 7},      {"r8", 8},     {"r15", 15},
      {"rip", 16},  {"xmm0", 17},   {"xmm15", 32},   {"xmm16", 67}, {"st0", 33},
      {"mm7", 48},  {"rflags", 49}, {"fs_base", 58}, {"mxcsr", 64}, {"k0", 118},
      {"r16", 130}, {"eax", -1}};
  for (auto [Name, Number] : Numbers)
    EXPECT_EQ(dwarf(Name), Number) << Name;
  EXPECT_EQ(file().pc()->Name, "rip");
  EXPECT_EQ(file().sp()->Name, "rsp");
  EXPECT_EQ(file().lr(), nullptr);
  EXPECT_EQ(file().numLanes(), unsigned(x86::FirstNamed));
  EXPECT_EQ(file().find("ah")->Slice.Offset, 1);
  EXPECT_EQ(file().find("arg1")->Name, "rdi");
  EXPECT_EQ(file().find("arg6")->Name, "r9");
  auto Field = file().findField("eflags.zf");
  ASSERT_TRUE(Field);
  EXPECT_EQ(Field->Lo, 6u);
}

} // namespace
