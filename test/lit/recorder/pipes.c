// Pipes and connected sockets, between threads: ends, full and empty ones,
// signals meanwhile.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
static int P[2];
static long Total;
static void *reader(void *A) {
  char B[700];
  ssize_t N;
  while ((N = read(P[0], B, sizeof B)) > 0)
    for (int I = 0; I < N; ++I)
      Total += B[I];
  printf("eof %zd\n", N);
  return 0;
}
static volatile int Got;
static void onPipe(int S) { Got = S; }
static void *closes(void *A) {
  usleep(1000);
  close(*(int *)A);
  return 0;
}
static void *shoots(void *A) {
  usleep(1000);
  pthread_kill(*(pthread_t *)A, SIGUSR1);
  return 0;
}
int main(void) {
  setvbuf(stdout, 0, _IOLBF, 0);
  printf("pipe %d\n", pipe(P));
  printf("fds %d %d\n", P[0], P[1]);
  struct stat S;
  fstat(P[0], &S);
  printf("fifo %d\n", S_ISFIFO(S.st_mode));
  printf("seek %ld %s\n", (long)lseek(P[0], 0, SEEK_SET), strerror(errno));
  printf("size %d\n", fcntl(P[1], F_GETPIPE_SZ));
  pthread_t T;
  pthread_create(&T, 0, reader, 0);
  char Big[5000];
  memset(Big, 1, sizeof Big);
  long W = 0;
  for (int I = 0; I < 60; ++I)
    W += write(P[1], Big, sizeof Big);
  close(P[1]);
  pthread_join(T, 0);
  printf("wrote %ld read %ld\n", W, Total);
  close(P[0]);
  pipe2(P, O_NONBLOCK | O_CLOEXEC);
  printf("flags %x %x fd %x\n", fcntl(P[0], F_GETFL), fcntl(P[1], F_GETFL),
         fcntl(P[0], F_GETFD));
  char B[64];
  printf("empty %zd %s\n", read(P[0], B, 64), strerror(errno));
  long N = 0, R;
  while ((R = write(P[1], Big, 4096)) > 0)
    N += R;
  printf("full %ld %s\n", N, strerror(errno));
  int Left;
  ioctl(P[0], FIONREAD, &Left);
  printf("fionread %d\n", Left);
  struct pollfd F[2] = {{P[0], POLLIN}, {P[1], POLLOUT}};
  printf("poll %d %x %x\n", poll(F, 2, 0), F[0].revents, F[1].revents);
  while (read(P[0], Big, 4096) > 0)
    ;
  printf("poll %d %x %x\n", poll(F, 2, 0), F[0].revents, F[1].revents);
  close(P[1]);
  printf("poll %d %x\n", poll(F, 1, 0), F[0].revents);
  printf("eof %zd\n", read(P[0], B, 64));
  close(P[0]);
  signal(SIGPIPE, onPipe);
  pipe(P);
  close(P[0]);
  printf("broken %zd %s got %d\n", write(P[1], "x", 1), strerror(errno), Got);
  F[0].fd = P[1];
  F[0].events = POLLOUT;
  printf("poll %d %x\n", poll(F, 1, 0), F[0].revents);
  close(P[1]);
  // iovec, dup, fdopen
  pipe(P);
  struct iovec V[2] = {{"hello ", 6}, {"world\n", 6}};
  printf("writev %zd\n", writev(P[1], V, 2));
  FILE *In = fdopen(P[0], "r");
  char L[100];
  fgets(L, 100, In);
  printf("line %s", L);
  int D = dup(P[1]);
  close(P[1]);
  write(D, "more\n", 5);
  fgets(L, 100, In);
  printf("line %s", L);
  close(D);
  printf("end %d\n", fgets(L, 100, In) == 0);
  fclose(In);
  // the read end is closed, while the writer waits.
  pipe(P);
  memset(Big, 2, sizeof Big);
  pthread_create(&T, 0, closes, &P[0]);
  N = 0;
  Got = 0;
  while ((R = write(P[1], Big, 5000)) > 0) {
    N += R;
  }
  printf("closed %d %s %d\n", N >= 45000, strerror(errno), Got);
  pthread_join(T, 0);
  close(P[1]);
  // EINTR
  signal(SIGUSR1, onPipe);
  siginterrupt(SIGUSR1, 1);
  pipe(P);
  pthread_t Me = pthread_self();
  pthread_create(&T, 0, shoots, &Me);
  printf("read %zd %s got %d\n", read(P[0], B, 1), strerror(errno), Got);
  pthread_join(T, 0);
  siginterrupt(SIGUSR1, 0);
  void *later(void *A) {
    usleep(1000);
    pthread_kill(Me, SIGUSR1);
    usleep(1000);
    write(P[1], "!", 1);
    return 0;
  }
  pthread_create(&T, 0, later, 0);
  printf("restarted %zd %c\n", read(P[0], B, 1), B[0]);
  pthread_join(T, 0);
  close(P[0]);
  close(P[1]);
  // socketpair
  int K[2];
  printf("socketpair %d\n", socketpair(AF_UNIX, SOCK_STREAM, 0, K));
  printf("w %zd\n", write(K[0], "abc", 3));
  printf("w %zd\n", send(K[0], "def", 3, 0));
  R = read(K[1], B, 64);
  printf("r %ld %.*s\n", R, (int)R, B);
  write(K[1], "back", 4);
  R = recv(K[0], B, 2, 0);
  printf("r %ld %.*s\n", R, (int)R, B);
  R = recv(K[0], B, 64, MSG_DONTWAIT);
  printf("r %ld %.*s\n", R, (int)R, B);
  printf("r %zd %s\n", recv(K[0], B, 64, MSG_DONTWAIT), strerror(errno));
  shutdown(K[0], SHUT_WR);
  printf("eof %zd\n", read(K[1], B, 64));
  write(K[1], "still", 5);
  printf("r %zd\n", read(K[0], B, 64));
  close(K[1]);
  printf("eof %zd\n", read(K[0], B, 64));
  printf("e %zd %s\n", send(K[0], "x", 1, MSG_NOSIGNAL), strerror(errno));
  close(K[0]);
  socketpair(AF_UNIX, SOCK_DGRAM, 0, K);
  send(K[0], "one", 3, 0);
  send(K[0], "three", 5, 0);
  R = recv(K[1], B, 2, 0);
  printf("dgram %ld\n", R);
  R = recv(K[1], B, 64, 0);
  printf("dgram %ld %.*s\n", R, (int)R, B);
  close(K[0]);
  close(K[1]);
  return 5;
}
