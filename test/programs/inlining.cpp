//===- inlining.cpp - Inlined calls that begin and end together -----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To be optimized. Calls are inlined that begin where the line of their caller
// does, several of them at one instruction, in loops too.
//
//===----------------------------------------------------------------------===//

static volatile int Sink;

#define INLINE inline __attribute__((always_inline))
#define OUT_OF_LINE __attribute__((noinline))

template <class T, int N> struct Ring {
  T Items[N];
  unsigned Head;
  static int Total;
  INLINE void push(T X) {
    Items[Head++ % N] = X;
    ++Total;
  }
  INLINE T at(unsigned I) const { return Items[I % N]; }
};
template <class T, int N> int Ring<T, N>::Total = 0;

struct Guard {
  int &Depth;
  INLINE explicit Guard(int &D) : Depth(D) { ++Depth; }
  INLINE ~Guard() { --Depth; }
};

struct Node {
  Node *Next;
  int Key;
};

static Node Nodes[8];
static int Depth, Used;

static INLINE Node *make(Node *Next, int I) {
  Node *N = &Nodes[Used++ & 7];
  for (int R = 0; R < 2; ++R)
    Sink = I * 10 + R;
  N->Next = Next;
  N->Key = I * -37;
  return N;
}

OUT_OF_LINE static int deep(int N) {
  Guard G(Depth);
  if (N > 2)
    return deep(N - 1) + Sink;
  return Depth;
}

static INLINE int sum(const Node *N) {
  int Result = 0;
  for (; N; N = N->Next)
    Result += N->Key;
  return Result;
}

static INLINE int both(const Node *N, int I) { return sum(N) + deep(I); }

static Ring<int, 4> Ints;
static Ring<double, 3> Doubles;

int main() {
  Node *Head = nullptr;
  for (int I = 0; I < 6; ++I)
    Head = make(Head, I);
  int Total = 0;
  for (int I = 1; I < 9; ++I) {
    int R = deep(I % 5);
    Ints.push(R);
    Doubles.push(R / 2.0);
    Total += both(Head, I);
    Sink = Ints.at(unsigned(I)) + int(Doubles.at(unsigned(I)));
  }
  Sink = Total;
  return 0;
}
