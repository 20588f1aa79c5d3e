#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#define TRY(x)                                                                 \
  do {                                                                         \
    errno = 0;                                                                 \
    long r = (long)(x);                                                        \
    printf("%s = %ld %s\n", #x, r < 0 ? -1 : r, errno ? strerror(errno) : ""); \
  } while (0)
int main(int n, char **v) {
  char b[256];
  FILE *f = fopen("data/a.txt", "r");
  if (!f) {
    perror("a");
    return 1;
  }
  while (fgets(b, 256, f))
    fputs(b, stdout);
  fclose(f);
  struct stat st;
  TRY(stat("data/a.txt", &st));
  printf("size %ld mode %o\n", (long)st.st_size, st.st_mode & 0170000);
  TRY(lstat("data/link", &st));
  printf("link %d\n", S_ISLNK(st.st_mode));
  memset(b, 0, 256);
  TRY(readlink("data/link", b, 255));
  puts(b);
  TRY(access("data/link", R_OK));
  TRY(access("data/a.txt", W_OK));
  TRY(access("data/out", R_OK));
  TRY(access("data/abs", R_OK));
  TRY(access("../../../../../../etc/passwd", F_OK));
  TRY(access("data/up/etc/passwd", F_OK));
  TRY(open("data/new", O_CREAT | O_WRONLY, 0666));
  TRY(open("data/a.txt", O_RDWR));
  TRY(mkdir("d", 0777));
  TRY(unlink("data/a.txt"));
  TRY(rename("data/a.txt", "x"));
  TRY(truncate("data/a.txt", 0));
  TRY(symlink("a", "zz"));
  TRY(chmod("data/a.txt", 0));
  TRY(open("data/fifo", O_RDONLY));
  TRY(open("data/a.txt/", O_RDONLY));
  TRY(open("data/loop", O_RDONLY));
  TRY(open("", O_RDONLY));
  TRY(chdir("nosuch"));
  DIR *d = opendir("data");
  struct dirent *e;
  while ((e = readdir(d)))
    printf("entry %s %d\n", e->d_name, e->d_type);
  rewinddir(d);
  printf("%s\n", readdir(d)->d_name);
  closedir(d);
  TRY(chdir("data"));
  puts(getcwd(b, 256));
  int fd = open("a.txt", O_RDONLY);
  char *m = mmap(0, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
  printf("%.5s\n", m);
  TRY(lseek(fd, -3, SEEK_END));
  TRY(read(fd, b, 100));
  TRY(pread(fd, b, 4, 1));
  TRY(write(fd, b, 1));
  TRY(ftruncate(fd, 1));
  int g = dup(fd);
  TRY(lseek(g, 0, SEEK_CUR));
  close(fd);
  TRY(read(fd, b, 1));
  TRY(fstat(g, &st));
  int z = open("/dev/zero", O_RDONLY);
  TRY(read(z, b, 8) == 8);
  int nu = open("/dev/null", O_RDWR);
  TRY(write(nu, "x", 1));
  FILE *big = fopen("big", "rb");
  long sum = 0, c;
  char *buf = malloc(1 << 20);
  while ((c = fread(buf, 1, 1 << 20, big)) > 0)
    sum += c;
  printf("big %ld bytes\n", sum);
  puts(realpath("../data/./link", b));
  return 0;
}
