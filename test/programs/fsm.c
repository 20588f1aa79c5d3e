/*===- fsm.c - A state machine with a watcher that outlives its frame -===*
 *
 * Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

/* Events, callbacks through function pointers, setjmp for errors.  The bug:
   a handler registered on a stack frame (struct watcher local) stays in the
   table after a longjmp, and its storage is reused. */
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum state { IDLE, ARMED, RUN, FAULT, NSTATES };
enum event { EV_TICK, EV_BUTTON, EV_TIMEOUT, EV_ERROR, NEVENTS };

struct machine;
typedef void (*handler)(struct machine *, enum event, void *);

struct watcher {
  handler fn;
  void *arg;
  int hits;
};

struct machine {
  enum state state;
  int ticks;
  int budget[4];
  struct watcher *watchers[4];
  int nwatchers;
  jmp_buf recover;
  int faults;
  uint16_t log[16];
  unsigned char logpos;
};

static struct machine m;
static volatile uint32_t pending;
static int total_hits;

static void note(struct machine *s, enum event e) {
  s->log[s->logpos & 15] = (uint16_t)(s->state << 8 | e);
  s->logpos++;
}

static void on_idle(struct machine *s, enum event e, void *arg) {
  (void)arg;
  if (e == EV_BUTTON)
    s->state = ARMED;
}
static void on_armed(struct machine *s, enum event e, void *arg) {
  (void)arg;
  if (e == EV_TICK && ++s->ticks >= 3) {
    s->ticks = 0;
    s->state = RUN;
  }
}
static void on_run(struct machine *s, enum event e, void *arg) {
  (void)arg;
  if (e == EV_ERROR)
    longjmp(s->recover, 7);
  if (e == EV_TIMEOUT)
    s->state = IDLE;
  s->budget[e & 3]--;
}
static void on_fault(struct machine *s, enum event e, void *arg) {
  (void)arg;
  if (e == EV_BUTTON)
    s->state = IDLE;
}
static const handler table[NSTATES] = {on_idle, on_armed, on_run, on_fault};

static void count_hit(struct machine *s, enum event e, void *arg) {
  (void)s;
  (void)e;
  int *p = arg;
  ++*p;
  ++total_hits;
}

static void dispatch(struct machine *s, enum event e) {
  note(s, e);
  for (int i = 0; i < s->nwatchers; ++i) {
    struct watcher *w = s->watchers[i];
    w->hits++;
    if (w->fn)
      w->fn(s, e, w->arg);
  }
  table[s->state](s, e, NULL);
}

static void raise_irq(int n) { pending |= 1u << n; }

static void irq(struct machine *s) {
  while (pending) {
    uint32_t p = pending;
    int n = __builtin_ctz(p);
    pending = p & (p - 1);
    dispatch(s, (enum event)n);
  }
}

/* The bug: the watcher w is local; on longjmp nobody removes it. */
static int session(struct machine *s, int noise) {
  struct watcher w = {count_hit, NULL, 0};
  int local = 0;
  w.arg = &local;
  s->watchers[s->nwatchers++] = &w;
  for (int i = 0; i < 6; ++i) {
    if (i == 0 && s->state == IDLE)
      raise_irq(EV_BUTTON);
    raise_irq(EV_TICK);
    if (i == noise)
      raise_irq(EV_ERROR);
    irq(s);
  }
  raise_irq(EV_TIMEOUT);
  irq(s);
  s->nwatchers--;
  return local;
}

__attribute__((noinline)) static int compute(int seed) {
  int a[24];
  for (int i = 0; i < 24; ++i)
    a[i] = seed * i + 3;
  irq(&m); /* the stale watcher writes into this frame */
  int sum = 0;
  for (int i = 0; i < 24; ++i)
    sum += a[i];
  return sum;
}

__attribute__((noinline)) static void verdict(int got, int want) {
  printf("%s: got %d want %d\n", got == want ? "ok" : "WRONG", got, want);
}

int main(void) {
  memset(&m, 0, sizeof m);
  for (int i = 0; i < 4; ++i)
    m.budget[i] = 100 + i;
  int r = setjmp(m.recover);
  if (r) {
    m.faults += r;
    m.state = FAULT;
    pending = 0;
    raise_irq(EV_BUTTON);
    raise_irq(EV_TICK);
    int s = compute(5);
    verdict(s, 5 * (23 * 24 / 2) + 24 * 3);
  } else {
    printf("first %d\n", session(&m, -1));
    printf("second %d\n", session(&m, 4));
  }
  printf("hits %d faults %d\n", total_hits, m.faults);
  return 0;
}
