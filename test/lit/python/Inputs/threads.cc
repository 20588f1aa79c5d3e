// Three threads with variables of all kinds of numbers, which become negative.
#include <pthread.h>

struct Bits {
  int Small : 4;
  unsigned Big : 5;
};
enum Mood { Bad = -2, Good = 3 };
struct Job {
  int Id, Sum;
  short Low;
  signed char Tiny;
  unsigned Wide;
  Mood How;
  Bits Packed;
  float Real;
  long long Far;
};
Job Jobs[3];

__attribute__((noinline)) int step(Job *job, int i) {
  int old = job->Sum;
  job->Sum = old - i * job->Id;
  job->Low = job->Sum;
  job->Tiny = -i;
  job->Wide = job->Sum;
  job->How = i & 1 ? Bad : Good;
  job->Packed.Small = -(i & 7);
  job->Packed.Big = i;
  job->Real = -i;
  job->Far = -(1LL << 33) * i;
  return job->Sum;
}

__attribute__((noinline)) void *run(void *p) {
  for (int i = 0; i < 60; ++i)
    step((Job *)p, i);
  return nullptr;
}

int main() {
  pthread_t t[2];
  for (int i = 0; i < 3; ++i)
    Jobs[i].Id = i + 1;
  for (int i = 0; i < 2; ++i)
    pthread_create(&t[i], nullptr, run, &Jobs[i + 1]);
  run(&Jobs[0]);
  for (pthread_t &x : t)
    pthread_join(x, nullptr);
  return 0;
}
