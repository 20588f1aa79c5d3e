/*===- threads.c - Threads that wait for each other ----------------------===*
 *
 * Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include <pthread.h>
static int counts[3];
static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *p) {
  int *c = p;
  for (int i = 0; i < 200; i++) {
    pthread_mutex_lock(&mu);
    *c += i & 3;
    pthread_mutex_unlock(&mu);
  }
  return 0;
}
int main(void) {
  pthread_t t[3];
  for (int i = 0; i < 3; i++)
    pthread_create(&t[i], 0, work, &counts[i]);
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], 0);
  return 0;
}
