// Each way to start another process.
#define _GNU_SOURCE
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
int main(int Count, char **Arguments) {
  if (Count > 1) {
    int Ends[2];
    pipe(Ends);
    read(Ends[0], Ends, 1);
  }
  pid_t P = fork();
  printf("fork %d %s\n", P, strerror(errno));
  if (!P)
    _exit(3);
  printf("system %d %s\n", system("echo hi"), strerror(errno));
  FILE *F = popen("echo hi", "r");
  printf("popen %p %s\n", (void *)F, strerror(errno));
  char *A[] = {"ls", 0};
  printf("spawn %s\n", strerror(posix_spawn(&P, "/bin/ls", 0, 0, A, environ)));
  execv("/bin/ls", A);
  printf("exec %s\n", strerror(errno));
  int S;
  printf("wait %d %s\n", wait(&S), strerror(errno));
  return 1;
}
