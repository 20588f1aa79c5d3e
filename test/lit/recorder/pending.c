// Signals that are pending: when, in which order and whether they come.
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static char letters[200];
static volatile int count, runs, depth, deepest, moved;
static unsigned long first;

static void again(int s, siginfo_t *i, void *v) {
  ucontext_t *u = v;
#ifdef __aarch64__
  unsigned long pc = u->uc_mcontext.pc;
#else
  unsigned long pc = u->uc_mcontext.arm_pc;
#endif
  if (!runs)
    first = pc;
  moved += pc != first;
  runs++;
  if (++depth > deepest)
    deepest = depth;
  if (runs < 20)
    raise(s);
  depth--;
}

static void note(int s) {
  letters[count++] = s == SIGUSR1   ? '1'
                     : s == SIGUSR2 ? '2'
                     : s == SIGHUP  ? 'h'
                     : s == SIGTERM ? 't'
                     : s == SIGCHLD ? 'c'
                                    : (char)('a' + s - SIGRTMIN);
}

static void value(int s, siginfo_t *i, void *u) {
  letters[count++] = (char)('A' + i->si_value.sival_int);
}

static void show(const char *what) {
  letters[count] = 0;
  count = 0;
  printf("%s %s\n", what, letters);
  fflush(stdout);
}

static sigset_t all, none;
static void block(void) { sigprocmask(SIG_SETMASK, &all, 0); }
static void unblock(void) { sigprocmask(SIG_SETMASK, &none, 0); }

static void *thread(void *p) {
  unblock();
  show("of a thread");
  return 0;
}

static sigjmp_buf outside;
static void leave(int s) { siglongjmp(outside, 1); }

int main(void) {
  struct sigaction a;
  memset(&a, 0, sizeof a);
  a.sa_sigaction = again;
  a.sa_flags = SA_SIGINFO;
  sigaction(SIGUSR1, &a, 0);
  raise(SIGUSR1);
  printf("again %d deepest %d moved %d\n", runs, deepest, moved);
  fflush(stdout);

  static const int kinds[] = {SIGUSR1, SIGUSR2, SIGHUP, SIGTERM, SIGCHLD};
  const int first_queued = SIGRTMIN + 1, second_queued = SIGRTMIN + 2;
  sigfillset(&all);
  memset(&a, 0, sizeof a);
  a.sa_handler = note;
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < 5; k++)
      sigaction(kinds[k], &a, 0);
    sigaction(first_queued, &a, 0);
    sigaction(second_queued, &a, 0);
    block();
    raise(second_queued);
    raise(first_queued);
    for (int k = 4; k >= 0; k--)
      raise(kinds[k]);
    raise(SIGHUP);
    unblock();
    // Each handler is begun on top of the one before, unless that blocks it.
    show(pass ? "one by one" : "stacked");
    sigfillset(&a.sa_mask);
  }
  block();
  kill(getpid(), SIGHUP);
  raise(SIGTERM);
  kill(getpid(), SIGUSR1);
  raise(SIGUSR2);
  unblock();
  show("program and thread");

  a.sa_sigaction = value;
  a.sa_flags = SA_SIGINFO;
  sigaction(first_queued, &a, 0);
  block();
  for (int k = 0; k < 5; k++)
    sigqueue(getpid(), first_queued, (union sigval){.sival_int = k});
  raise(SIGUSR2);
  unblock();
  show("queued");

  siginfo_t info;
  block();
  raise(SIGUSR2);
  raise(SIGUSR1);
  printf("wait %d\n", sigwaitinfo(&all, &info));
  printf("wait %d\n", sigwaitinfo(&all, &info));
  unblock();
  show("nothing");

  // What is ignored for a moment is gone.
  sigset_t set;
  block();
  raise(SIGUSR1);
  kill(getpid(), SIGUSR2);
  signal(SIGUSR1, SIG_IGN);
  signal(SIGUSR2, SIG_IGN);
  signal(SIGUSR1, note);
  signal(SIGUSR2, note);
  sigpending(&set);
  printf("gone %d %d\n", sigismember(&set, SIGUSR1),
         sigismember(&set, SIGUSR2));
  unblock();
  show("nothing");

  // What is blocked is kept, ignored or not.
  signal(SIGCHLD, SIG_DFL);
  block();
  raise(SIGCHLD);
  sigpending(&set);
  printf("kept %d\n", sigismember(&set, SIGCHLD));
  printf("wait %d\n", sigwaitinfo(&all, &info));
  raise(SIGCHLD);
  struct timespec moment = {0, 1000000};
  sigset_t but = all;
  sigdelset(&but, SIGCHLD);
  printf("poll %d\n", pselect(0, 0, 0, 0, &moment, &but));
  signal(SIGCHLD, note);
  sigpending(&set);
  printf("dropped %d\n", !sigismember(&set, SIGCHLD));
  unblock();
  show("nothing");

  block();
  kill(getpid(), SIGTERM);
  kill(getpid(), SIGUSR1);
  pthread_t t;
  pthread_create(&t, 0, thread, 0);
  pthread_join(t, 0);
  unblock();
  show("nothing");

  // A loop of one branch can be left.
  signal(SIGALRM, leave);
  struct itimerval soon = {{0, 0}, {0, 1000}};
  setitimer(ITIMER_REAL, &soon, 0);
  if (!sigsetjmp(outside, 1))
    for (;;)
      ;
  show("left");
  return 0;
}
