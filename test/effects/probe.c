//===- probe.c - Executes single instructions in given states -----*- C -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

/* A signal's handler may change the registers of what it interrupted: so a
   state is set by returning from one, and read by the next one, which the trap
   behind the instruction raises. What an instruction accesses is mapped when it
   faults. Built for the machine that it runs on, be that an emulator. */

#define _GNU_SOURCE
#include "probe.h"
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__aarch64__)
#include "probe_a64.h"
#elif defined(__arm__)
#include "probe_arm.h"
#elif defined(__powerpc64__)
#include "probe_ppc.h"
#elif defined(__x86_64__)
#include "probe_x86.h"
#endif

enum { PageSize = 65536, MaxPages = 48 };
static uint8_t *Code; /* a page of traps with the instruction in the middle */
static uint8_t *Insn;
static struct ProbeCode Header;
static struct ProbeState *States;
static struct ProbeResult *Results;
static uint32_t Current, Faults;
/* What the instruction reads and writes there, the compiler does not see. */
static struct { volatile uint8_t *Addr; } Pages[MaxPages];
static uint32_t NumPages;
static sigjmp_buf Done;

static void fill(uint32_t P, const struct ProbeState *S) {
  uint64_t Base = (uintptr_t)Pages[P].Addr;
  for (uint64_t I = 0; I < 4096; ++I)
    Pages[P].Addr[I] = probeByte(Base + I, S);
}

static void begin(ucontext_t *C) {
  for (uint32_t P = 0; P < NumPages; ++P)
    fill(P, &States[Current]);
  setState(C, States[Current].Lanes, (uintptr_t)Insn, (int)Header.Thumb);
}

static void collect(ucontext_t *C, int Signal) {
  struct ProbeResult *R = &Results[Current];
  uint64_t PC = getState(C, R->Lanes, Signal);
  R->PC = PC - (uintptr_t)Insn;
  /* A trap behind it, or somewhere that it jumped to. */
  int Ran = R->PC != 0 && Signal != SIGALRM;
  R->Signal = Ran ? 0 : (uint32_t)Signal;
  for (uint32_t P = 0; P < NumPages; ++P) {
    uint64_t Base = (uintptr_t)Pages[P].Addr;
    for (uint64_t I = 0; I < 4096; ++I)
      if (Pages[P].Addr[I] != probeByte(Base + I, &States[Current]) &&
          R->NumChanges < ProbeChanges) {
        R->Changes[R->NumChanges].Addr = Base + I;
        R->Changes[R->NumChanges++].Byte = Pages[P].Addr[I];
      }
  }
}

static void handler(int Signal, siginfo_t *Info, void *Context) {
  restoreThread();
  ucontext_t *C = Context;
  if (Signal == SIGUSR1) {
    begin(C);
    return;
  }
  if ((Signal == SIGSEGV || Signal == SIGBUS) &&
      programCounter(C) == (uintptr_t)Insn && NumPages < MaxPages &&
      ++Faults < 16) {
    uint64_t Addr = (uintptr_t)Info->si_addr;
    if (!Results[Current].FaultAddr)
      Results[Current].FaultAddr = Addr;
    if (Addr - (uintptr_t)Insn > 16 && Addr >> 16 &&
        mmap((void *)(uintptr_t)(Addr & ~(uint64_t)4095), 4096,
             PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
             0) == (void *)(uintptr_t)(Addr & ~(uint64_t)4095)) {
      Pages[NumPages].Addr = (uint8_t *)(uintptr_t)(Addr & ~(uint64_t)4095);
      fill(NumPages++, &States[Current]);
      begin(C);
      return;
    }
  }
  collect(C, Signal);
  Faults = 0;
  // It jumps to itself: nothing is gained by more states.
  for (; Signal == SIGALRM && Current + 1 < Header.Count; ++Current)
    Results[Current + 1].Signal = SIGALRM;
  if (++Current < Header.Count) {
    begin(C);
    return;
  }
  siglongjmp(Done, 1);
}

static int readAll(void *To, size_t Size) {
  for (size_t Have = 0; Have < Size;) {
    ssize_t N = read(0, (char *)To + Have, Size - Have);
    if (N <= 0)
      return 0;
    Have += (size_t)N;
  }
  return 1;
}

static void writeAll(const void *From, size_t Size) {
  for (size_t Have = 0; Have < Size;) {
    ssize_t N = write(1, (const char *)From + Have, Size - Have);
    if (N <= 0)
      _exit(1);
    Have += (size_t)N;
  }
}

int main(void) {
  Code = mmap((void *)CodeAddress, PageSize, PROT_READ | PROT_WRITE | PROT_EXEC,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (Code != (void *)CodeAddress)
    return 2;
  Insn = Code + PageSize / 2;
  saveThread();
  stack_t Stack = {.ss_size = 262144, .ss_sp = malloc(262144)};
  sigaltstack(&Stack, NULL);
  struct sigaction Action = {.sa_sigaction = handler,
                             .sa_flags = SA_SIGINFO | SA_ONSTACK};
  static const int Signals[] = {SIGUSR1, SIGTRAP, SIGSEGV, SIGBUS,
                                SIGILL,  SIGFPE,  SIGALRM};
  for (unsigned I = 0; I < sizeof Signals / sizeof *Signals; ++I)
    sigaction(Signals[I], &Action, NULL);
  static uint32_t Filled = ~0u;
  while (readAll(&Header, sizeof Header) && Header.Magic == ProbeMagic) {
    States = realloc(States, Header.Count * sizeof *States);
    Results = realloc(Results, Header.Count * sizeof *Results);
    if (!readAll(States, Header.Count * sizeof *States))
      break;
    memset(Results, 0, Header.Count * sizeof *Results);
    size_t Around = Filled == Header.Thumb ? 32 : PageSize;
    for (size_t I = 0; I < Around; I += 4)
      memcpy((Around == 32 ? Insn : Code) + I, trap((int)Header.Thumb), 4);
    Filled = Header.Thumb;
    memcpy(Insn, Header.Bytes, Header.Size);
    __builtin___clear_cache((char *)Insn, (char *)Insn + 32);
    Current = Faults = 0;
    /* An instruction that jumps to itself. */
    struct itimerval Limit = {.it_value = {.tv_usec = 200000}}, Off = {0};
    setitimer(ITIMER_REAL, &Limit, NULL);
    if (Header.Count && !sigsetjmp(Done, 1))
      raise(SIGUSR1);
    setitimer(ITIMER_REAL, &Off, NULL);
    for (uint32_t P = 0; P < NumPages; ++P)
      munmap((void *)Pages[P].Addr, 4096);
    NumPages = 0;
    writeAll(Results, Header.Count * sizeof *Results);
  }
  return 0;
}
