/* A recursive function, and a variable that only its caller has. */
__attribute__((noinline)) static int fact(int n, int depth) {
  char text[6] = "";
  if (n == 3)
    __builtin_strcpy(text, "three");
  if (n <= 1)
    return 1;
  return n * fact(n - 1, depth + 1);
}

int main(void) {
  const char *only = "main's";
  return fact(4, 0) != 24 || !only;
}
