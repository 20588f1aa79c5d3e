struct node {
  struct node *next;
  double weight;
};
struct node nodes[3];
struct node *head;
float share;

__attribute__((noinline)) int scale(int a) {
  int x1 = a + 100;
  volatile int lr = 7;
  x1 = x1 * 2;
  lr++;
  return x1 + lr; // here
}

__attribute__((noinline)) void put(int i) {
  nodes[i].next = head;
  nodes[i].weight = i * 1.5;
  head = &nodes[i];
  share = i + 0.5f;
} // put

int main(void) {
  int sum = 0;
  for (int i = 0; i < 3; ++i) {
    put(i);
    sum += scale(i);
  }
  return sum & 1;
}
