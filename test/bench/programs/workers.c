// Four threads that take turns at a lock, for as many rounds as the argument
// says: a step of one of them has others between its two ends.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static long table[64], rounds;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static long mix(long a, long b) { return a * 31 + (b ^ (a >> 7)); }

static long walk(long seed, int n) {
  long sum = seed;
  for (int i = 0; i < n; i++) {
    sum = mix(sum, i);
    table[i & 63] += sum;
  }
  return sum;
}

static void *work(void *seed) {
  long sum = (long)seed;
  for (long i = 0; i < rounds; i++) {
    pthread_mutex_lock(&lock);
    sum = walk(sum, 100);
    pthread_mutex_unlock(&lock);
  }
  return (void *)sum;
}

int main(int argc, char **argv) {
  pthread_t workers[4];
  rounds = argc > 1 ? atol(argv[1]) : 600;
  for (long i = 0; i < 4; i++)
    pthread_create(&workers[i], 0, work, (void *)i);
  for (int i = 0; i < 4; i++)
    pthread_join(workers[i], 0);
  printf("%ld\n", table[0]);
  return 0;
}
