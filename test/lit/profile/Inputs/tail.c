volatile int N;
__attribute__((noinline)) int leaf(int A) { N = A; return A + 1; }
__attribute__((noinline)) int jumps(int A) { N = 2; return leaf(A * 2); }
__attribute__((noinline)) int both(int A) { return jumps(A) + leaf(A) + 1; }
int main(void) { return both(1) + both(2) == 0; }
