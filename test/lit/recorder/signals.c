#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
static volatile int hits, alarms;
static sigjmp_buf jb;
static volatile double fp = 1.5;
static void usr(int s) {
  hits++;
  fp *= 2;
}
static void info(int s, siginfo_t *i, void *u) {
  printf("info %d code %d pid ok %d\n", s, i->si_code, i->si_pid == getpid());
  fflush(stdout);
}
static void segv(int s, siginfo_t *i, void *u) {
  printf("fault at %p code %d\n", i->si_addr, i->si_code);
  fflush(stdout);
  siglongjmp(jb, 1);
}
static void skip(int s, siginfo_t *i, void *v) {
  ucontext_t *u = v;
#ifdef __aarch64__
  u->uc_mcontext.pc += 4;
  u->uc_mcontext.regs[0] = 42;
#else
  u->uc_mcontext.arm_pc +=
#ifdef __thumb__
      2
#else
      4
#endif
      ;
  u->uc_mcontext.arm_r0 = 42;
#endif
}
static void alrm(int s) { alarms++; }
static void *other(void *p) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  int sig;
  sigwait(&set, &sig);
  printf("sigwait %d\n", sig);
  return 0;
}
int main() {
  signal(SIGUSR1, usr);
  raise(SIGUSR1);
  kill(getpid(), SIGUSR1);
  printf("hits %d fp %g\n", hits, fp);
  struct sigaction a;
  memset(&a, 0, sizeof a);
  a.sa_sigaction = info;
  a.sa_flags = SA_SIGINFO;
  sigaction(SIGUSR2, &a, 0);
  sigset_t s, o;
  sigemptyset(&s);
  sigaddset(&s, SIGUSR2);
  sigprocmask(SIG_BLOCK, &s, &o);
  raise(SIGUSR2);
  sigpending(&o);
  printf("pending %d\n", sigismember(&o, SIGUSR2));
  sigprocmask(SIG_UNBLOCK, &s, 0);
  stack_t st = {.ss_sp = malloc(65536), .ss_size = 65536};
  sigaltstack(&st, 0);
  a.sa_sigaction = segv;
  a.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &a, 0);
  sigaction(SIGBUS, &a, 0);
  if (!sigsetjmp(jb, 1))
    *(volatile int *)16 = 1;
  puts("after 1");
  if (!sigsetjmp(jb, 1))
    *(volatile char *)(long)main = 1;
  puts("after 2");
  a.sa_sigaction = skip;
  a.sa_flags = SA_SIGINFO;
  sigaction(SIGILL, &a, 0);
  sigaction(SIGTRAP, &a, 0);
  register long r asm("r0") = 7;
#ifdef __aarch64__
  register long x asm("x0") = 7;
  asm volatile("udf #0" : "+r"(x));
  r = x;
#elif defined(__thumb__)
  asm volatile(".short 0xde00" : "+r"(r));
#else
  asm volatile(".word 0xe7f000f0" : "+r"(r));
#endif
  printf("skipped %ld\n", r);
  signal(SIGALRM, alrm);
  struct itimerval it = {{0, 1000}, {0, 1000}};
  setitimer(ITIMER_REAL, &it, 0);
  while (alarms < 5)
    ;
  struct timespec ts = {1, 0}, rem;
  int e = nanosleep(&ts, &rem);
  printf("alarms>5 %d nanosleep %d %s left %d\n", alarms >= 6, e,
         strerror(errno), rem.tv_nsec > 900000000);
  memset(&it, 0, sizeof it);
  setitimer(ITIMER_REAL, &it, 0);
  alarm(1);
  sigset_t none;
  sigemptyset(&none);
  sigsuspend(&none);
  printf("suspend %s\n", strerror(errno));
  sigprocmask(SIG_BLOCK, &s, 0);
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  struct timespec sh = {0, 10000000};
  nanosleep(&sh, 0);
  pthread_kill(t, SIGUSR2);
  pthread_join(t, 0);
  signal(SIGABRT, SIG_DFL);
  fflush(stdout);
  abort();
}
