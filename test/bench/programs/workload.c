// What the benchmarks record: sorting, a tree, strings and floating point, over
// and over. The argument is the number of rounds; a recorder's limit may end it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
  struct node *left, *right;
  int key;
  char name[20];
};

static struct node *insert(struct node *n, int key) {
  if (!n) {
    n = calloc(1, sizeof *n);
    n->key = key;
    snprintf(n->name, sizeof n->name, "n%d", key);
  } else if (key < n->key) {
    n->left = insert(n->left, key);
  } else {
    n->right = insert(n->right, key);
  }
  return n;
}

static long sum(const struct node *n) {
  return n ? n->key + sum(n->left) + sum(n->right) + (long)strlen(n->name) : 0;
}

static int compare(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 10;
  enum { N = 300 };
  static int a[N];
  unsigned seed = 1;
  struct node *root = 0;
  double mean = 0;
  for (int r = 0; r < rounds; r++) {
    for (int i = 0; i < N; i++) {
      seed = seed * 1103515245 + 12345;
      a[i] = (int)(seed >> 8);
    }
    qsort(a, N, sizeof a[0], compare);
    for (int i = 0; i < N; i += 7)
      root = insert(root, a[i] & 0xffff);
    for (int i = 0; i < N; i++)
      mean += (a[i] - mean) / (r * N + i + 1);
    printf("%d %ld %g\n", r, sum(root), mean);
  }
  return 0;
}
