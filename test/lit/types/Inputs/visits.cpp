// Lvalues whose places differ from visit to visit: frames at several depths,
// pointers, references, members of *this, elements, bit-fields.
struct Node {
  int Id;
  unsigned Low : 3, High : 5;
  Node *Next;
  Node &Twin;
  double Weights[3];
  const char *Name;
  int sum(int Times);
};

static Node Last = {9, 1, 2, nullptr, Last, {1, 2, 3}, "last"};
static Node Ring[4] = {{0, 0, 3, &Ring[1], Ring[2], {0.5, 1.5, 2.5}, "zero"},
                       {1, 1, 4, &Ring[2], Ring[3], {3.5, 4.5, 5.5}, "one"},
                       {2, 2, 5, &Ring[3], Last, {6.5, 7.5, 8.5}, "two"},
                       {3, 3, 6, &Last, Ring[0], {9.5, 1.25, 2.25}, "three"}};
int Total;

__attribute__((noinline)) int Node::sum(int Times) {
  Id += Times; // member
  return Id * Times + Low;
}

__attribute__((noinline)) static int walk(Node *At, int Depth,
                                          const Node &Other, int (&Row)[4]) {
  int Here = Depth * 3;
  Node **Hand = &At;
  Row[Depth & 3] = Here + At->Id; // walked
  if (Depth == 0 || !At->Next)
    return At->sum(Here + 1);
  {
    long Inner = (*Hand)->Id + Other.Id;
    Total += int(Inner); // inner
    int Below = walk(At->Next, Depth - 1, At->Twin, Row);
    At->Low = unsigned(Below);
    return Below + Here; // back
  }
}

int main() {
  int Row[4] = {1, 2, 3, 4};
  for (int I = 0; I < 12; ++I)
    Row[3] ^= walk(&Ring[I & 3], I % 5, Ring[(I + 1) & 3], Row); // called
  return Row[3] & 1;
}
