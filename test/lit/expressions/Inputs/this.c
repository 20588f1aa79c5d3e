struct stack {
  int top;
  int size;
};
int top = 77;
__attribute__((noinline)) int push(struct stack *this, int v) {
  this->top += v;
  return this->top + top;
}
int main(void) {
  struct stack s = {1, 2};
  int r = 0;
  for (int i = 0; i < 5; i++)
    r += push(&s, i);
  return r == 0;
}
