/* This one's do not. */
extern volatile int cell;
__attribute__((noinline)) static int helper(int x) { return x + cell; }
int other(int x) { return helper(x) + 1; }
