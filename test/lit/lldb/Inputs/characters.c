const struct item {
  char name[4];
  int value;
} items[3] = {{"a1", 1}, {"b2", 2}, {"c 3", 3}};
int use(const struct item *it, char c) { return it->name[0] == c ? it->value : -1; }
int main(void) {
  int sum = 0;
  for (int i = 0; i < 3; i++)
    sum += use(&items[i], 'a' + i);
  return sum;
}
