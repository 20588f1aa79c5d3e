// Mutexes whose owners die, and those with priority inheritance.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t M, P, Plain, RP;
static int Step;
static pthread_barrier_t B;
static void *dies(void *A) {
  pthread_mutex_lock(A);
  return 0;
}
static void *waits(void *A) {
  pthread_mutex_t *X = A;
  pthread_barrier_wait(&B);
  int R = pthread_mutex_lock(X);
  printf("waiter %s\n", strerror(R));
  if (R == EOWNERDEAD)
    pthread_mutex_consistent(X);
  if (!R || R == EOWNERDEAD)
    pthread_mutex_unlock(X);
  return 0;
}
static void *diesLater(void *A) {
  pthread_mutex_lock(A);
  pthread_barrier_wait(&B);
  usleep(1000);
  return 0;
}
static void *adds(void *A) {
  for (int I = 0; I < 2000; ++I) {
    pthread_mutex_lock(A);
    int S = Step;
    if (I % 50 == 0)
      sched_yield();
    Step = S + 1;
    pthread_mutex_unlock(A);
  }
  return 0;
}
static void make(pthread_mutex_t *X, int Robust, int Pi, int Kind) {
  pthread_mutexattr_t A;
  pthread_mutexattr_init(&A);
  if (Robust)
    pthread_mutexattr_setrobust(&A, PTHREAD_MUTEX_ROBUST);
  if (Pi)
    printf("pi %d\n", pthread_mutexattr_setprotocol(&A, PTHREAD_PRIO_INHERIT));
  pthread_mutexattr_settype(&A, Kind);
  printf("init %s\n", strerror(pthread_mutex_init(X, &A)));
}
static void run(void *(*F)(void *), void *A) {
  pthread_t T;
  pthread_create(&T, 0, F, A);
  pthread_join(T, 0);
}
static void robust(pthread_mutex_t *X) {
  run(dies, X);
  int R = pthread_mutex_lock(X);
  printf("lock %s\n", strerror(R));
  printf("consistent %s\n", strerror(pthread_mutex_consistent(X)));
  printf("unlock %s\n", strerror(pthread_mutex_unlock(X)));
  printf("lock %s\n", strerror(pthread_mutex_lock(X)));
  pthread_mutex_unlock(X);
  pthread_t T, U;
  pthread_create(&T, 0, diesLater, X);
  pthread_create(&U, 0, waits, X);
  pthread_join(T, 0);
  pthread_join(U, 0);
  run(dies, X);
  R = pthread_mutex_trylock(X);
  printf("try %s\n", strerror(R));
  pthread_mutex_unlock(X);
  R = pthread_mutex_lock(X);
  printf("unrecovered %s\n", strerror(R));
}
static pthread_cond_t C = PTHREAD_COND_INITIALIZER;
static int Go;
static void *signaller(void *A) {
  usleep(500);
  pthread_mutex_lock(&P);
  Go = 1;
  pthread_cond_broadcast(&C);
  pthread_mutex_unlock(&P);
  return 0;
}
static void *awaits(void *A) {
  pthread_mutex_lock(&P);
  while (!Go)
    pthread_cond_wait(&C, &P);
  Step++;
  pthread_mutex_unlock(&P);
  return 0;
}
int main(void) {
  pthread_barrier_init(&B, 0, 2);
  make(&M, 1, 0, PTHREAD_MUTEX_NORMAL);
  make(&P, 0, 1, PTHREAD_MUTEX_NORMAL);
  make(&RP, 1, 1, PTHREAD_MUTEX_ERRORCHECK);
  robust(&M);
  pthread_t T[4];
  for (int I = 0; I < 4; ++I)
    pthread_create(T + I, 0, adds, &P);
  for (int I = 0; I < 4; ++I)
    pthread_join(T[I], 0);
  printf("step %d\n", Step);
  Step = 0;
  for (int I = 0; I < 3; ++I)
    pthread_create(T + I, 0, awaits, 0);
  pthread_create(T + 3, 0, signaller, 0);
  for (int I = 0; I < 4; ++I)
    pthread_join(T[I], 0);
  printf("awaited %d\n", Step);
  struct timespec Ts;
  clock_gettime(CLOCK_REALTIME, &Ts);
  Ts.tv_nsec += 2000000;
  if (Ts.tv_nsec >= 1000000000) {
    Ts.tv_sec++;
    Ts.tv_nsec -= 1000000000;
  }
  pthread_mutex_lock(&P);
  pthread_mutex_t *X = &P;
  void *timed(void *A) {
    printf("timed %s\n", strerror(pthread_mutex_timedlock(X, &Ts)));
    printf("try %s\n", strerror(pthread_mutex_trylock(X)));
    return 0;
  }
  run(timed, 0);
  pthread_mutex_unlock(&P);
  robust(&RP);
  pthread_mutex_t EC;
  make(&EC, 0, 1, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_lock(&EC);
  printf("again %s\n", strerror(pthread_mutex_lock(&EC)));
  pthread_mutex_unlock(&EC);
  printf("not mine %s\n", strerror(pthread_mutex_unlock(&EC)));
  make(&EC, 0, 1, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_lock(&EC);
  printf("deep %s\n", strerror(pthread_mutex_lock(&EC)));
  pthread_mutex_unlock(&EC);
  pthread_mutex_unlock(&EC);
  return 9;
}
