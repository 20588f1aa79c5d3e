//===- parser.cpp - A parser whose stack overflows into a neighbour -----===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A recursive descent parser of arithmetic, std-free. Bug: unary minus binds
// a slice that aliases the arena's scratch buffer; a template stack overflows
// into the neighbour member when depth > 8.
typedef __SIZE_TYPE__ usize;
extern "C" int printf(const char *, ...);
extern "C" void *malloc(usize);
extern "C" void free(void *);
extern "C" void abort();

template <typename T, int N> class Stack {
  T Items[N];
  int Depth = 0;

public:
  static int Peak;
  void push(const T &V) {
    Items[Depth] = V; // BUG: no check
    ++Depth;
    if (Depth > Peak)
      Peak = Depth;
  }
  T pop() { return Items[--Depth]; }
  T &top() { return Items[Depth - 1]; }
  int depth() const { return Depth; }
};
template <typename T, int N> int Stack<T, N>::Peak = 0;

class Node {
public:
  virtual ~Node() {}
  virtual long eval() const = 0;
  static int Live;
  Node() { ++Live; }
};
int Node::Live = 0;

class Number final : public Node {
  long Value;

public:
  explicit Number(long V) : Value(V) {}
  long eval() const override { return Value; }
};

class Binary : public Node {
protected:
  char Op;
  Node *L, *R;

public:
  Binary(char O, Node *A, Node *B) : Op(O), L(A), R(B) {}
  ~Binary() override {
    delete L;
    delete R;
  }
  long eval() const override {
    long A = L->eval(), B = R->eval();
    switch (Op) {
    case '+':
      return A + B;
    case '-':
      return A - B;
    case '*':
      return A * B;
    default:
      if (B == 0)
        throw "division by zero";
      return A / B;
    }
  }
};

class Negate : public Node {
  Node *Sub;

public:
  explicit Negate(Node *N) : Sub(N) {}
  ~Negate() override { delete Sub; }
  long eval() const override { return -Sub->eval(); }
};

void *operator new(usize N) { return malloc(N); }
void operator delete(void *P) noexcept { free(P); }
void operator delete(void *P, usize) noexcept { free(P); }

class Parser {
  const char *Text;
  usize Pos = 0;
  Stack<char, 8> Open; // overflows into
  int Errors = 0;      // this
  long Depth = 0;

  char peek() const { return Text[Pos]; }
  void skip() {
    while (peek() == ' ')
      ++Pos;
  }
  bool eat(char C) {
    skip();
    if (peek() != C)
      return false;
    ++Pos;
    return true;
  }
  Node *number() {
    skip();
    long V = 0;
    if (peek() < '0' || peek() > '9') {
      ++Errors;
      return new Number(0);
    }
    while (peek() >= '0' && peek() <= '9')
      V = V * 10 + (this->Text[this->Pos++] - '0');
    return new Number(V);
  }
  Node *factor() {
    if (eat('(')) {
      Open.push('(');
      ++Depth;
      Node *N = sum();
      --Depth;
      if (!eat(')'))
        ++Errors;
      Open.pop();
      return N;
    }
    if (eat('-'))
      return new Negate(factor());
    return number();
  }
  Node *product() {
    Node *N = factor();
    for (;;) {
      if (eat('*'))
        N = new Binary('*', N, factor());
      else if (eat('/'))
        N = new Binary('/', N, factor());
      else
        return N;
    }
  }

public:
  explicit Parser(const char *T) : Text(T) {}
  Node *sum() {
    Node *N = product();
    for (;;) {
      if (eat('+'))
        N = new Binary('+', N, product());
      else if (eat('-'))
        N = new Binary('-', N, product());
      else
        return N;
    }
  }
  int errors() const { return Errors; }
};

__attribute__((noinline)) static void report(const char *T, long V,
                                             int Errors) {
  printf("%s = %ld (%d errors)\n", T, V, Errors);
}

template <typename F> static long guarded(F Fn) {
  try {
    return Fn();
  } catch (const char *What) {
    printf("caught %s\n", What);
    return -1;
  }
}

static const char *const Inputs[] = {
    "1+2*3",
    "-(4-10)*7",
    "((((1+1))))*2",
    "((((((((((3))))))))))+1",
    "10/(5-5)",
    "2*(3+4)*(5-(6-7))",
    "1+",
};

int main() {
  long Total = 0;
  for (const char *T : Inputs) {
    Parser P(T);
    Node *N = P.sum();
    long V = guarded([&] { return N->eval(); });
    report(T, V, P.errors());
    delete N;
    Total += V;
  }
  printf("total %ld live %d peak %d\n", Total, Node::Live,
         Stack<char, 8>::Peak);
  return Node::Live;
}
