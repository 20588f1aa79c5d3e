/* The first thread neither waits nor yields after it has made another one. */
#include <pthread.h>
#include <stdio.h>

static volatile int Done;

static void *work(void *Unused) {
  Done = 1;
  return Unused;
}

int main(void) {
  pthread_t Other;
  unsigned Rounds = 0;
  if (pthread_create(&Other, 0, work, 0))
    return 1;
  while (!Done)
    Rounds++;
  pthread_join(Other, 0);
  printf("waited %d\n", Rounds > 0);
  return 0;
}
