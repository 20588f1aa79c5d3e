//===- statics.cpp - Static data that C++ names at length -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

template <class A, class B> struct Pair {};

template <class T> struct Counter {
  static int total;
  static short small;
  static T last;
};
template <class T> int Counter<T>::total = 0;
template <class T> short Counter<T>::small = 0;
template <class T> T Counter<T>::last{};

namespace shop {
namespace {
int hidden = 0;
}
struct Item {
  static char tag;
  bool operator<(const Item &) const { return false; }
  int weigh() const {
    static int weighed = 1;
    return ++weighed;
  }
};
char Item::tag = 'a';
} // namespace shop

static int next(int) {
  static int count = 10;
  return ++count;
}
static int next(char) {
  static short count = 20;
  return ++count;
}

template <class T> static int made(T) {
  static unsigned char times = 3;
  return ++times;
}

static int work() {
  Counter<int>::total = 5;
  Counter<Pair<int, char>>::total = 6;
  Counter<int>::small = 7;
  Counter<int>::last = 8;
  Counter<char>::last = 'b';
  shop::hidden = 9;
  shop::Item::tag = 'c';
  return next(1) + next('x') + made(2) + shop::Item().weigh();
}

// Without a C++ library, there is none for every target.
extern "C" void _start() {
  register long status asm("x0") = work() > 0 ? 0 : 1;
  register long call asm("x8") = 93; // exit
  asm volatile("svc #0" : : "r"(status), "r"(call));
}
