// select, poll, epoll, and files of events: what they leave behind.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
static int P[2];
static void *later(void *A) {
  usleep(3000);
  write(P[1], "x", 1);
  return 0;
}
static void *adds(void *A) {
  uint64_t V = 5;
  usleep(2000);
  write(*(int *)A, &V, 8);
  return 0;
}
static long ms(void) {
  struct timespec T;
  clock_gettime(CLOCK_MONOTONIC, &T);
  return T.tv_sec * 1000 + T.tv_nsec / 1000000;
}
static volatile int Got;
static void on(int S) { Got = S; }
int main(void) {
  pipe(P);
  char B[64];
  uint64_t V;
  pthread_t T;
  fd_set R, W;
  struct timeval Tv = {0, 20000};
  FD_ZERO(&R);
  FD_ZERO(&W);
  FD_SET(P[0], &R);
  long M = ms();
  int N = select(P[1] + 1, &R, &W, 0, &Tv);
  M = ms() - M;
  printf("select %d in %d late %d left %ld\n", N, FD_ISSET(P[0], &R) != 0,
         M >= 20, (long)Tv.tv_usec);
  FD_SET(P[0], &R);
  FD_SET(P[1], &W);
  N = select(P[1] + 1, &R, &W, 0, 0);
  printf("select %d %d %d\n", N, FD_ISSET(P[0], &R) != 0,
         FD_ISSET(P[1], &W) != 0);
  FD_ZERO(&R);
  FD_SET(P[0], &R);
  pthread_create(&T, 0, later, 0);
  N = select(P[0] + 1, &R, 0, 0, 0);
  printf("select %d %d\n", N, FD_ISSET(P[0], &R) != 0);
  pthread_join(T, 0);
  read(P[0], B, 1);
  Tv.tv_sec = 1;
  Tv.tv_usec = 0;
  FD_ZERO(&R);
  FD_SET(P[0], &R);
  pthread_create(&T, 0, later, 0);
  N = select(P[0] + 1, &R, 0, 0, &Tv);
  printf("select %d %d left %d\n", N, FD_ISSET(P[0], &R) != 0,
         Tv.tv_sec == 0 && Tv.tv_usec > 500000);
  pthread_join(T, 0);
  read(P[0], B, 1);
  FD_ZERO(&R);
  // Linux looks at no descriptor beyond its table, whose least size is 64.
  FD_SET(37, &R);
  Tv.tv_sec = 0;
  N = select(38, &R, 0, 0, &Tv);
  printf("select %d %s\n", N, strerror(errno));
  struct pollfd F[3] = {{P[0], POLLIN, 7}, {-1, POLLIN, 7}, {99, POLLIN, 7}};
  printf("poll %d", poll(F, 2, 10));
  printf(" %d %d\n", F[0].revents, F[1].revents);
  printf("poll %d", poll(F, 3, 10));
  printf(" %d %d %d\n", F[0].revents, F[1].revents, F[2].revents);
  pthread_create(&T, 0, later, 0);
  printf("poll %d", poll(F, 1, -1));
  printf(" %d\n", F[0].revents);
  pthread_join(T, 0);
  read(P[0], B, 1);
  struct timespec Ts = {0, 5000000};
  sigset_t Set;
  sigemptyset(&Set);
  printf("ppoll %d", ppoll(F, 1, &Ts, &Set));
  printf(" %d\n", F[0].revents);
  signal(SIGALRM, on);
  {
    timer_t Tm;
    struct sigevent Ev = {0};
    Ev.sigev_notify = SIGEV_SIGNAL;
    Ev.sigev_signo = SIGALRM;
    int Rc = timer_create(CLOCK_MONOTONIC, &Ev, &Tm);
    printf("timer_create %d\n", Rc);
    if (!Rc) {
      struct itimerspec I = {{0, 0}, {0, 3000000}};
      timer_settime(Tm, 0, &I, 0);
      F[0].revents = 7;
      int Pr = poll(F, 1, 1000);
      printf("poll %d %s got %d\n", Pr, strerror(errno), Got);
      timer_delete(Tm);
    }
  }
  int E = eventfd(3, EFD_NONBLOCK);
  printf("eventfd %d", E >= 0);
  N = read(E, &V, 8);
  printf(" read %d %llu", N, (unsigned long long)V);
  N = read(E, &V, 8);
  printf(" read %d %s\n", N, strerror(errno));
  V = 2;
  write(E, &V, 8);
  V = 7;
  write(E, &V, 8);
  read(E, &V, 8);
  printf("sum %llu\n", (unsigned long long)V);
  N = read(E, &V, 4);
  printf("short %d %s\n", N, strerror(errno));
  V = ~0ull;
  N = write(E, &V, 8);
  printf("most %d %s\n", N, strerror(errno));
  close(E);
  E = eventfd(0, 0);
  pthread_create(&T, 0, adds, &E);
  N = read(E, &V, 8);
  printf("waited %d %llu\n", N, (unsigned long long)V);
  pthread_join(T, 0);
  close(E);
  E = eventfd(2, EFD_SEMAPHORE);
  read(E, &V, 8);
  printf("sem %llu", (unsigned long long)V);
  read(E, &V, 8);
  printf(" %llu\n", (unsigned long long)V);
  int Ep = epoll_create1(0);
  struct epoll_event Ev = {EPOLLIN, {.u64 = 0x1234567890}}, Out[4];
  printf("add %d\n", epoll_ctl(Ep, EPOLL_CTL_ADD, P[0], &Ev));
  printf("again %d %s\n", epoll_ctl(Ep, EPOLL_CTL_ADD, P[0], &Ev),
         strerror(errno));
  Ev.events = EPOLLIN;
  Ev.data.u64 = 5;
  epoll_ctl(Ep, EPOLL_CTL_ADD, E, &Ev);
  M = ms();
  printf("wait %d", epoll_wait(Ep, Out, 4, 20));
  printf(" late %d\n", ms() - M >= 20);
  pthread_create(&T, 0, later, 0);
  N = epoll_wait(Ep, Out, 4, -1);
  printf("wait %d %x %llx\n", N, Out[0].events,
         (unsigned long long)Out[0].data.u64);
  pthread_join(T, 0);
  N = epoll_wait(Ep, Out, 4, 0);
  printf("level %d\n", N);
  read(P[0], B, 1);
  N = epoll_wait(Ep, Out, 4, 0);
  printf("none %d\n", N);
  Ev.events = EPOLLIN | EPOLLET;
  Ev.data.fd = 8;
  printf("mod %d\n", epoll_ctl(Ep, EPOLL_CTL_MOD, P[0], &Ev));
  write(P[1], "ab", 2);
  N = epoll_wait(Ep, Out, 4, 0);
  printf("edge %d", N);
  N = epoll_wait(Ep, Out, 4, 0);
  printf(" then %d", N);
  write(P[1], "c", 1);
  N = epoll_wait(Ep, Out, 4, 0);
  printf(" new %d\n", N);
  Ev.events = EPOLLIN | EPOLLONESHOT;
  epoll_ctl(Ep, EPOLL_CTL_MOD, P[0], &Ev);
  N = epoll_wait(Ep, Out, 4, 0);
  printf("once %d", N);
  N = epoll_wait(Ep, Out, 4, 0);
  printf(" then %d\n", N);
  printf("del %d", epoll_ctl(Ep, EPOLL_CTL_DEL, P[0], 0));
  printf(" %d %s\n", epoll_ctl(Ep, EPOLL_CTL_DEL, P[0], 0), strerror(errno));
  printf("bad %d %s\n", epoll_ctl(Ep, EPOLL_CTL_ADD, 500, &Ev),
         strerror(errno));
  printf("self %d %s\n", epoll_ctl(Ep, EPOLL_CTL_ADD, Ep, &Ev),
         strerror(errno));
  read(P[0], B, 3);
  int Tf = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  struct itimerspec I = {{0, 10000000}, {0, 5000000}};
  printf("timerfd %d %d\n", Tf >= 0, timerfd_settime(Tf, 0, &I, 0));
  N = read(Tf, &V, 8);
  printf("early %d %s\n", N, strerror(errno));
  struct pollfd Pt = {Tf, POLLIN};
  printf("poll %d %d\n", poll(&Pt, 1, 1000), Pt.revents);
  N = read(Tf, &V, 8);
  printf("fired %d %d\n", N, V > 0);
  timerfd_gettime(Tf, &I);
  printf("left %d interval %ld\n",
         I.it_value.tv_nsec > 0 && I.it_value.tv_nsec <= 10000000,
         (long)I.it_interval.tv_nsec);
  close(Tf);
  Tf = timerfd_create(CLOCK_REALTIME, 0);
  I = (struct itimerspec){{0, 0}, {0, 2000000}};
  timerfd_settime(Tf, 0, &I, 0);
  N = read(Tf, &V, 8);
  printf("blocked %d %llu\n", N, (unsigned long long)V);
  close(Tf);
  sigemptyset(&Set);
  sigaddset(&Set, SIGUSR1);
  sigaddset(&Set, SIGUSR2);
  sigprocmask(SIG_BLOCK, &Set, 0);
  int Sf = signalfd(-1, &Set, SFD_NONBLOCK);
  struct signalfd_siginfo Si;
  printf("signalfd %d", Sf >= 0);
  N = read(Sf, &Si, sizeof Si);
  printf(" %d %s\n", N, strerror(errno));
  raise(SIGUSR1);
  kill(getpid(), SIGUSR2);
  Pt.fd = Sf;
  printf("poll %d %d\n", poll(&Pt, 1, 1000), Pt.revents);
  N = read(Sf, &Si, sizeof Si);
  printf("read %d signo %d\n", N, Si.ssi_signo);
  N = read(Sf, &Si, sizeof Si);
  printf("read %d signo %d pid %d\n", N, Si.ssi_signo, Si.ssi_pid == getpid());
  N = read(Sf, &Si, sizeof Si);
  printf("read %d\n", N);
  return 0;
}
