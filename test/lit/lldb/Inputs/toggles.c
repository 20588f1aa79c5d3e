/* What is watched: a flag that goes on and off, once without a change, a letter,
   and an array that shares eight bytes with others. */
int door, rounds;
char letter = 'c';
struct {
  short before;
  short list[3];
} s;

__attribute__((noinline)) void set(int v, int n) {
  door = v;
  rounds = n;
}

int main(void) {
  int v[] = {1, 0, 1, 0, 1, 1, 0, 0, 1};
  for (int i = 0; i < 9; ++i) {
    set(v[i], i);
    s.before = i;
    letter += 1;
    if (i > 5)
      s.list[i - 6] = i;
  }
  return 0;
}
