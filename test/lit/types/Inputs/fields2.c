static long cache[2];
int other(int n) {
  cache[n] = n;
  return (int)cache[n];
}
