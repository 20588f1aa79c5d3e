#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER,
                       b = PTHREAD_MUTEX_INITIALIZER;
static void *dl(void *x) {
  pthread_mutex_lock(&b);
  sched_yield();
  usleep(10);
  pthread_mutex_lock(&a);
  return 0;
}
static void *spin(void *x) {
  for (;;)
    pause();
}
static void nothing(int s) {}
static void again(int s) { *(volatile int *)0 = 1; }
static unsigned long rs = 12345;
static unsigned long rnd(void) {
  rs ^= rs << 13;
  rs ^= rs >> 7;
  rs ^= rs << 17;
  return rs;
}
int main(int n, char **v) {
  setvbuf(stdout, 0, _IONBF, 0);
  switch (atoi(v[1])) {
  case 1: {
    pthread_t t;
    pthread_mutex_lock(&a);
    pthread_create(&t, 0, dl, 0);
    usleep(10);
    pthread_mutex_lock(&b);
  } break;
  case 2: {
    int k = 0;
    pthread_attr_t at;
    pthread_attr_init(&at);
    pthread_attr_setstacksize(&at, 65536);
    for (;; k++) {
      pthread_t t;
      int e = pthread_create(&t, &at, spin, 0);
      if (e) {
        printf("thread %d: %s\n", k, strerror(e));
        return 0;
      }
    }
  }
  case 3: { /* wild calls */
    long base = (long)malloc(65536);
    for (int i = 0; i < 20000; i++) {
      long num = rnd() % 500;
      if (num == 93 || num == 94 || num == 1 || num == 248 || num == 129 ||
          num == 130 || num == 131 || num == 37 || num == 238 || num == 268 ||
          num == 139 || num == 173 || num == 119 || num == 72 || num == 73 ||
          num == 29 || num == 133 || num == 134 || num == 137 || num == 22 ||
          num == 179 || num == 98 || num == 101 || num == 115 || num == 240 ||
          num == 265 || num == 407 || num == 422 || num == 162 || num == 177 ||
          num == 421 || num == 103 || num == 104 || num == 221 || num == 215 ||
          num == 91 || num == 222 || num == 192 || num == 226 || num == 125 ||
          num == 163 || num == 216 || num == 233 || num == 220 || num == 220 ||
          num == 172 || num == 135 || num == 175 || num == 174)
        continue;
      long av[6];
      for (int k = 0; k < 6; k++) {
        switch (rnd() % 6) {
        case 0:
          av[k] = rnd();
          break;
        case 1:
          av[k] = rnd() % 5;
          break;
        case 2:
          av[k] = base + rnd() % 70000;
          break;
        case 3:
          av[k] = -1;
          break;
        case 4:
          av[k] = (long)main;
          break;
        default:
          av[k] = rnd() % 100000;
        }
      }
      syscall(num, av[0], av[1], av[2], av[3], av[4], av[5]);
    }
    write(1, "survived\n", 9);
    _exit(5);
  }
  case 4: {
    signal(SIGSEGV, again);
    *(volatile int *)0 = 1;
  } break;
  case 5: {
    stack_t st = {.ss_sp = (void *)16, .ss_size = 65536};
    sigaltstack(&st, 0);
    struct sigaction s = {0};
    s.sa_handler = nothing;
    s.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR1, &s, 0);
    raise(SIGUSR1);
  } break;
  case 6: {
    sigset_t s;
    sigfillset(&s);
    sigprocmask(SIG_BLOCK, &s, 0);
    struct itimerval it = {{0, 1}, {0, 1}};
    setitimer(ITIMER_REAL, &it, 0);
    pause();
  } break;
  case 7: {
    raise(SIGSTOP);
    raise(SIGTSTP);
    puts("went on");
    pid_t p = fork();
    printf("fork %d %s\n", p, strerror(errno));
    int r = system("ls");
    printf("system %d\n", r);
    execl("/bin/ls", "ls", NULL);
    printf("exec %s\n", strerror(errno));
    printf("wait %d\n", wait(0));
  } break;
  case 8: {
    sleep(2147483647);
    sleep(2147483647);
    for (int i = 0; i < 400; i++) {
      struct timespec t = {0x7fffffffffffffffL >> 1, 0};
      nanosleep(&t, 0);
    }
    puts("slept");
  } break;
  case 9: {
    long x = 0;
    asm volatile("" : "+r"(x));
#ifdef __aarch64__
    asm volatile("mov x9, #0\n mov sp, x9\n mov x8,#139\n svc #0");
#else
    asm volatile("mov r7,#0\n mov sp,r7\n mov r7,#173\n svc #0" ::: "r7");
#endif
  } break;
  case 10: {
    for (int i = 0;; i++) {
      void *p = mmap(0, 1L << 30, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (p == MAP_FAILED) {
        printf("mmap %s after some\n", strerror(errno));
        return 0;
      }
    }
  }
  case 11: {
    syscall(SYS_futex, 3, 0, 0, 0, 0, 0);
    syscall(SYS_futex, (long)main & ~3L, 0, *(int *)((long)main & ~3L), 0, 0,
            0);
  } break;
  case 13: {
    char *p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                   -1, 0);
    munmap(p, 4096);
    p[0] = 1;
  } break;
  case 15:
    kill(getpid(), SIGKILL);
    break;
  }
  return 1;
}
