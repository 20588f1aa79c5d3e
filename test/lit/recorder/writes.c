/* A program that works with files as ordinary ones do. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void told(const char *what, long result) {
  printf("%s: %s\n", what, result < 0 ? strerror(errno) : "done");
}

static void show(const char *path) {
  char line[100];
  FILE *f = fopen(path, "r");
  if (!f) {
    printf("%s: %s\n", path, strerror(errno));
    return;
  }
  while (fgets(line, sizeof line, f))
    printf("%s: %s", path, line);
  fclose(f);
}

static void names(const char *path) {
  DIR *d = opendir(path);
  printf("%s has", path);
  for (struct dirent *e; d && (e = readdir(d));)
    printf(" %s", e->d_name);
  printf("\n");
  if (d)
    closedir(d);
}

int main(void) {
  char name[] = "/tmp/work-XXXXXX", more[50];
  int fd = mkstemp(name);
  told("mkstemp", fd);
  told("write", write(fd, "temporary\n", 10));
  struct stat st;
  told("fstat", fstat(fd, &st));
  printf("%ld bytes, mode %o\n", (long)st.st_size, st.st_mode & 0777);
  lseek(fd, 0, SEEK_SET);
  char text[20] = "";
  told("read", read(fd, text, 10));
  printf("%s", text);
  told("unlink", unlink(name));
  told("stat", stat(name, &st));
  told("read on", pread(fd, text, 4, 0));
  close(fd);
  char folder[] = "/tmp/dir-XXXXXX";
  told("mkdtemp", mkdtemp(folder) ? 0 : -1);
  snprintf(more, sizeof more, "%s/a", folder);
  FILE *f = fopen(more, "w");
  fputs("one\n", f);
  fclose(f);
  f = fopen(more, "a");
  fputs("two\n", f);
  fclose(f);
  told("O_EXCL", open(more, O_CREAT | O_EXCL | O_WRONLY, 0600));
  told("rmdir of more", rmdir(folder));
  chdir(folder);
  show("a");
  told("rename", rename("a", "b"));
  names(".");
  show("../../tmp/./nothing");
  told("truncate", truncate("b", 2));
  told("chmod", chmod("b", 0400));
  told("access", access("b", W_OK));
  stat("b", &st);
  printf("%ld bytes\n", (long)st.st_size);
  told("unlink", unlink("b"));
  chdir("/");
  told("rmdir", rmdir(folder));
  names("/tmp");

  f = fopen("/data/out.txt", "w");
  told("fopen", f ? 0 : -1);
  if (f) {
    fputs("output\n", f);
    fclose(f);
  }
  f = fopen("/data/in.txt", "r+");
  told("fopen", f ? 0 : -1);
  if (f) {
    fputs("IN", f);
    fclose(f);
  }
  show("/data/in.txt");
  told("mkdir", mkdir("/data/new", 0755));
  told("rename", rename("/data/in.txt", "/data/new/moved.txt"));
  show("/data/in.txt");
  told("unlink", unlink("/data/old.txt"));
  names("/data");
  told("symlink", symlink("a", "/data/link"));
  return 0;
}
