//===- libraries.c - A program with much of libc and libm ---------*- C -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

/* Nobody runs it: its instructions are looked at. */

#define _GNU_SOURCE
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

double (*volatile F[])(double) = {
    sin,   cos,   tan,   exp,   log,  sqrt, cbrt,      lgamma, tgamma, erf,
    j0,    asin,  acos,  atan,  sinh, cosh, tanh,      exp2,   exp10,  log2,
    log10, log1p, expm1, floor, ceil, rint, nearbyint, round,  trunc,  logb};
float (*volatile G[])(float) = {sinf,  cosf,  tanf,    expf,    logf,
                                sqrtf, cbrtf, lgammaf, tgammaf, erff,
                                asinf, exp2f, floorf,  roundf,  rintf};
long double (*volatile H[])(long double) = {sinl,  cosl,   expl,  logl,
                                            sqrtl, floorl, roundl};
double complex (*volatile K[])(double complex) = {csin, cexp, clog, csqrt};
double (*volatile P[])(double, double) = {pow,  fmod,      atan2,    hypot,
                                          fdim, remainder, nextafter};
/* Libraries of 32-bit Arm are T32 throughout: some A32. */
struct Bits {
  unsigned A : 5, B : 11, C : 9;
  int D : 7;
};
uint64_t mix(uint64_t H, const uint8_t *P, size_t N) {
  for (size_t At = 0; At < N; ++At)
    H = (H ^ P[At]) * 0x100000001b3u + (H >> 29) - (int64_t)H / (P[At] + 3);
  return H;
}
int32_t pack(struct Bits *B, int32_t X, uint16_t Y, int8_t Z) {
  B->A += (unsigned)X;
  B->B ^= Y;
  B->D = Z >> 2;
  return B->C ? B->D * X + Y : __builtin_clz(X | 1) - __builtin_bswap32(Y);
}
void scale(float *A, const float *B, int16_t *C, int N) {
  for (int At = 0; At < N; ++At) {
    A[At] = A[At] * B[At] + 1.5f;
    C[At] = (int16_t)(C[At] * 3 - At);
  }
}
void sort(int *A, int N) {
  for (int At = 1; At < N; ++At)
    for (int J = At; J && A[J - 1] > A[J]; --J) {
      int T = A[J];
      A[J] = A[J - 1];
      A[J - 1] = T;
    }
}
double poly(const double *C, unsigned N, double X, int64_t *Rounded) {
  double S = 0;
  while (N--)
    S = S * X + C[N];
  *Rounded = (int64_t)S;
  return S < 0 ? -S : (double)(uint32_t)*Rounded;
}

int main(int c, char **v) {
  double s = 0;
  for (unsigned i = 0; i < sizeof F / sizeof *F; ++i)
    s += F[i](c);
  for (unsigned i = 0; i < sizeof G / sizeof *G; ++i)
    s += G[i](c);
  for (unsigned i = 0; i < sizeof P / sizeof *P; ++i)
    s += P[i](c, s);
  s += H[c % 7](s) + creal(K[c % 4](s));
  printf("%f %s\n", s, v[0]);
  return strtol(v[0], 0, 10);
}
