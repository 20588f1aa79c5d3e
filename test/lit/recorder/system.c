// Signals, timers, contexts, memory, files without names.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
static sigjmp_buf J;
static jmp_buf K;
static volatile sig_atomic_t N, Timer;
static char *Page;
static void onSegv(int S, siginfo_t *I, void *U) {
  if (I->si_addr == Page + 8) {
    mprotect(Page, 4096, PROT_READ | PROT_WRITE);
    ++N;
    return;
  }
  siglongjmp(J, I->si_code);
}
static void onAlarm(int S) { ++N; }
static void onTimer(int S, siginfo_t *I, void *U) {
  Timer += I->si_value.sival_int;
}
static void notify(union sigval V) { N += V.sival_int; }
static void *canceled(void *A) {
  pthread_cleanup_push((void (*)(void *))puts, "cleanup");
  while (1)
    sleep(1);
  pthread_cleanup_pop(0);
  return 0;
}
static ucontext_t Main, Co;
static void co(void) {
  for (int I = 0; I < 3; ++I) {
    printf("co %d\n", I);
    swapcontext(&Co, &Main);
  }
}
static pthread_key_t Key;
static void dtor(void *V) { printf("dtor %ld\n", (long)V); }
static void *keyed(void *A) {
  pthread_setspecific(Key, A);
  return 0;
}
int main(void) {
  setvbuf(stdout, 0, _IOLBF, 0);
  struct sigaction A = {.sa_sigaction = onSegv,
                        .sa_flags = SA_SIGINFO | SA_NODEFER};
  sigaction(SIGSEGV, &A, 0);
  Page = mmap(0, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  Page[8] = 'x';
  printf("fixed %d %c\n", N, Page[8]);
  int C = sigsetjmp(J, 1);
  if (!C)
    *(volatile int *)16 = 1;
  else
    printf("segv code %d\n", C);
  mprotect(Page, 4096, PROT_NONE);
  C = sigsetjmp(J, 1);
  if (!C)
    printf("%c", Page[100]);
  else
    printf("segv code %d\n", C);
  printf("mprotect %d\n", mprotect((void *)8, 4096, 0));
  munmap(Page, 8192);
  C = sigsetjmp(J, 1);
  if (!C)
    Page[9] = 1;
  else
    printf("unmapped %d\n", C);
  C = setjmp(K);
  if (C < 3) {
    printf("jmp %d\n", C);
    longjmp(K, C + 1);
  }
  signal(SIGALRM, onAlarm);
  N = 0;
  alarm(1);
  pause();
  printf("alarm %d\n", N >= 1);
  struct itimerval It = {{0, 2000}, {0, 2000}};
  setitimer(ITIMER_REAL, &It, 0);
  while (N < 6)
    pause();
  It = (struct itimerval){0};
  setitimer(ITIMER_REAL, &It, 0);
  printf("ticks %d\n", N >= 6);
  int R = usleep(10);
  printf("usleep %d\n", R);
  alarm(1);
  R = sleep(3);
  printf("sleep left %d\n", R > 0);
  A.sa_sigaction = onTimer;
  A.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGRTMIN, &A, 0);
  timer_t T;
  struct sigevent E = {.sigev_notify = SIGEV_SIGNAL,
                       .sigev_signo = SIGRTMIN,
                       .sigev_value.sival_int = 3};
  printf("create %d\n", timer_create(CLOCK_MONOTONIC, &E, &T));
  struct itimerspec Is = {{0, 1000000}, {0, 1000000}};
  timer_settime(T, 0, &Is, 0);
  while (Timer < 9)
    pause();
  printf("timer %d\n", Timer >= 9);
  timer_gettime(T, &Is);
  printf("interval %ld\n", Is.it_interval.tv_nsec);
  printf("delete %d\n", timer_delete(T));
  E.sigev_notify = SIGEV_THREAD;
  E.sigev_notify_function = notify;
  E.sigev_notify_attributes = 0;
  N = 0;
  timer_create(CLOCK_MONOTONIC, &E, &T);
  Is = (struct itimerspec){{0, 0}, {0, 1000000}};
  timer_settime(T, 0, &Is, 0);
  while (!N)
    usleep(1000);
  printf("thread timer %d\n", N);
  timer_delete(T);
  sigset_t S;
  sigemptyset(&S);
  sigaddset(&S, SIGUSR1);
  sigprocmask(SIG_BLOCK, &S, 0);
  kill(getpid(), SIGUSR1);
  int G;
  sigwait(&S, &G);
  printf("sigwait %d\n", G);
  pthread_t Th;
  void *V;
  pthread_create(&Th, 0, canceled, 0);
  usleep(2000);
  pthread_cancel(Th);
  pthread_join(Th, &V);
  printf("canceled %d\n", V == PTHREAD_CANCELED);
  char *Stack = malloc(65536);
  getcontext(&Co);
  Co.uc_stack.ss_sp = Stack;
  Co.uc_stack.ss_size = 65536;
  Co.uc_link = &Main;
  makecontext(&Co, co, 0);
  for (int I = 0; I < 4; ++I)
    swapcontext(&Main, &Co);
  pthread_key_create(&Key, dtor);
  pthread_create(&Th, 0, keyed, (void *)7);
  pthread_join(Th, 0);
  pthread_attr_t At;
  pthread_attr_init(&At);
  pthread_attr_setstacksize(&At, 1 << 20);
  pthread_attr_setdetachstate(&At, PTHREAD_CREATE_DETACHED);
  C = pthread_create(&Th, &At, keyed, (void *)8);
  usleep(20000);
  printf("detached %d\n", C);
  pthread_rwlock_t Rw = PTHREAD_RWLOCK_INITIALIZER;
  pthread_rwlock_rdlock(&Rw);
  printf("rw %s\n", strerror(pthread_rwlock_trywrlock(&Rw)));
  pthread_rwlock_unlock(&Rw);
  pthread_spinlock_t Sp;
  pthread_spin_init(&Sp, 0);
  pthread_spin_lock(&Sp);
  printf("spin %s\n", strerror(pthread_spin_trylock(&Sp)));
  struct sched_param Spm;
  int Pol;
  printf("sched %d %d %d\n", pthread_getschedparam(pthread_self(), &Pol, &Spm),
         Pol, Spm.sched_priority);
  char Nm[16];
  pthread_setname_np(pthread_self(), "worker");
  pthread_getname_np(pthread_self(), Nm, 16);
  printf("name %s\n", Nm);
  char *Mm = mmap(0, 1 << 20, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  Mm[5000] = 3;
  Mm = mremap(Mm, 1 << 20, 4 << 20, MREMAP_MAYMOVE);
  printf("mremap %d\n", Mm[5000]);
  madvise(Mm, 4096, MADV_DONTNEED);
  msync(Mm, 4096, MS_SYNC);
  printf("page %ld cpus %ld\n", sysconf(_SC_PAGESIZE),
         sysconf(_SC_NPROCESSORS_ONLN) > 0);
  int Me = memfd_create("m", 0);
  printf("memfd %d", Me >= 0);
  printf(" %d %zd", ftruncate(Me, 100), write(Me, "hello", 5));
  char B[9] = "";
  pread(Me, B, 5, 0);
  printf(" %s\n", B);
  FILE *Tf = tmpfile();
  if (Tf) {
    fprintf(Tf, "temp %d", 9);
    rewind(Tf);
    fgets(B, 9, Tf);
    printf("%s\n", B);
  } else
    printf("no tmpfile %s\n", strerror(errno));
  signal(SIGABRT, SIG_DFL);
  abort();
}
