#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static int queue[4], head, tail, total;
static __thread int mine;
static pthread_barrier_t bar;
static void put(int v) {
  pthread_mutex_lock(&m);
  while (tail - head == 4)
    pthread_cond_wait(&c, &m);
  queue[tail++ % 4] = v;
  pthread_cond_broadcast(&c);
  pthread_mutex_unlock(&m);
}
static int get(void) {
  pthread_mutex_lock(&m);
  while (tail == head)
    pthread_cond_wait(&c, &m);
  int v = queue[head++ % 4];
  pthread_cond_broadcast(&c);
  pthread_mutex_unlock(&m);
  return v;
}
static void *consumer(void *a) {
  int v;
  while ((v = get()) >= 0) {
    mine += v;
    __atomic_add_fetch(&total, v, __ATOMIC_SEQ_CST);
  }
  pthread_barrier_wait(&bar);
  return (void *)(long)mine;
}
static void *waiter(void *a) {
  sem_wait(&sem);
  return a;
}
int main() {
  pthread_t t[3], w;
  sem_init(&sem, 0, 0);
  pthread_barrier_init(&bar, 0, 3);
  for (int i = 0; i < 3; i++)
    pthread_create(&t[i], 0, consumer, 0);
  pthread_create(&w, 0, waiter, (void *)77);
  for (int i = 1; i <= 200; i++)
    put(i);
  for (int i = 0; i < 3; i++)
    put(-1);
  long s = 0;
  void *r;
  for (int i = 0; i < 3; i++) {
    pthread_join(t[i], &r);
    s += (long)r;
  }
  struct timespec ts = {0, 5000000};
  nanosleep(&ts, 0);
  sem_post(&sem);
  pthread_join(w, &r);
  struct timespec ab;
  clock_gettime(CLOCK_REALTIME, &ab);
  ab.tv_nsec += 1000;
  if (ab.tv_nsec >= 1000000000) {
    ab.tv_nsec -= 1000000000;
    ab.tv_sec++;
  }
  pthread_mutex_lock(&m);
  int e = pthread_cond_timedwait(&c, &m, &ab);
  pthread_mutex_unlock(&m);
  printf("sum %ld total %d waiter %ld timed %d\n", s, total, (long)r, e);
  for (int i = 0; i < 260; i++) {
    pthread_create(&t[0], 0, waiter, (void *)(long)i);
    sem_post(&sem);
    pthread_join(t[0], &r);
    s += (long)r;
  }
  printf("many %ld\n", s);
  return 3;
}
