// What programs of C do all day.
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <regex.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>
static int cmp(const void *A, const void *B) { return *(int *)A - *(int *)B; }
static int icmp(const void *A, const void *B) { return strcmp(A, B); }
static void walk(const void *N, VISIT V, int L) {
  if (V == postorder || V == leaf)
    printf("%s ", *(char **)N);
}
int main(int C, char **V) {
  for (int I = 0; I < C; ++I)
    if (I)
      printf("arg %d '%s'\n", I, V[I]);
  int O;
  while ((O = getopt(C, V, "ab:")) != -1)
    printf("opt %c %s\n", O, optarg ? optarg : "-");
  char L[256];
  int N;
  double D;
  char Wd[50];
  while (fgets(L, sizeof L, stdin)) {
    if (sscanf(L, "%d %lf %49s", &N, &D, Wd) == 3)
      printf("read %d %.3f %s\n", N, D, Wd);
    else
      printf("line %s", L);
  }
  printf("%5d|%-5d|%05d|%+d|%x|%#o|%e|%g|%a|%10.3s|%c|%%|%p\n", 42, 42, 42, 42,
         0xbeef, 8, 12345.678, 1e-10, 1.5, "abcdef", 'x', (void *)0x1234);
  printf("%ld %lld %zu %" PRIu64 " %hhd %La\n", LONG_MAX, LLONG_MIN, sizeof L,
         UINT64_MAX, (signed char)200, (long double)1.25);
  printf("%s\n", setlocale(LC_ALL, "C"));
  printf("%ls %lc\n", L"wide", L'w');
  int A[2000];
  srand(5);
  for (int I = 0; I < 2000; ++I)
    A[I] = rand() % 10000;
  qsort(A, 2000, sizeof *A, cmp);
  for (int I = 0; I < 2000; I += 333)
    printf("%d ", A[I]);
  int K = A[700];
  printf("%d\n", *(int *)bsearch(&K, A, 2000, sizeof *A, cmp) == K);
  regex_t R;
  regmatch_t M[3];
  regcomp(&R, "([a-z]+)=([0-9]+)", REG_EXTENDED);
  printf("regex %d", regexec(&R, "  key=123;", 3, M, 0));
  printf(" %d-%d %d-%d\n", (int)M[1].rm_so, (int)M[1].rm_eo, (int)M[2].rm_so,
         (int)M[2].rm_eo);
  regfree(&R);
  printf("%.10f %.10f %.10f %.10f\n", sin(1), exp(2), pow(2, .5), lgamma(5));
  printf("%f %f %f\n", 0. / 0., 1 / 0., strtod("0x1.8p3", 0));
  time_t T = 86400 * 365;
  struct tm *Tm = gmtime(&T);
  char B[100];
  strftime(B, 100, "%Y-%m-%d %H:%M:%S %a %b", Tm);
  puts(B);
  printf("%ld\n", (long)mktime(localtime(&T)));
  void *Root = 0;
  char *Ws[] = {"pear", "apple", "fig", "kiwi"};
  for (int I = 0; I < 4; ++I)
    tsearch(Ws[I], &Root, icmp);
  twalk(Root, walk);
  puts("");
  char S[] = "a,b;c";
  for (char *P = strtok(S, ",;"); P; P = strtok(0, ",;"))
    printf("<%s>", P);
  puts("");
  char *Mem;
  size_t Sz;
  FILE *F = open_memstream(&Mem, &Sz);
  fprintf(F, "mem %d", 5);
  fclose(F);
  printf("%s %zu\n", Mem, Sz);
  free(Mem);
  F = fmemopen("12 13", 5, "r");
  int X, Y;
  fscanf(F, "%d %d", &X, &Y);
  printf("%d\n", X + Y);
  fclose(F);
  F = fopen("/dev/null", "w");
  fprintf(F, "x");
  printf("null %d\n", fclose(F));
  F = fopen("/dev/zero", "r");
  printf("zero %d\n", fgetc(F));
  fclose(F);
  printf("%s %d\n", getenv("NOSUCH") ? "set" : "unset", setenv("Q", "1", 1));
  printf("%s\n", getenv("Q"));
  char *Big = malloc(200 << 20);
  memset(Big, 1, 5 << 20);
  Big = realloc(Big, 300 << 20);
  long Sum = 0;
  for (long I = 0; I < 5 << 20; I += 4096)
    Sum += Big[I];
  printf("big %ld\n", Sum);
  free(Big);
  atexit((void (*)(void))(void *)fflush);
  puts(strerror(EINTR));
  printf("%s\n", strsignal(11));
  return 17;
}
