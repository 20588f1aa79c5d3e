int other(int *a) {
  int sum = 0;
  for (int i = 0; i < 6; ++i)
    sum += a[i] += 1;
  return sum;
}
