//===- EffectsTest.cpp - What instructions read and write -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions of which LLVM's tables do not tell enough, one of each kind. The
// bytes are in the order of memory (POWER: big endian).
//
//===----------------------------------------------------------------------===//

#include "test/effects/EffectsCheck.h"
#include "llvm/ADT/StringExtras.h"
#include <gtest/gtest.h>
#include <thread>

using namespace llvm;

namespace rw::dataflow {
namespace {

struct Known {
  const char *Text, *Bytes, *Effects;
};

constexpr Known OfA64[] = {
    {"mov x0, x1", "e00301aa", "x0 <- x1 copy x0"},
    {"mov v0.16b, v1.16b", "201ca14e", "v0 <- v1 copy v0"},
    {"add x29, sp, #16", "fd430091", "x29 <- sp plus 16"},
    {"sub sp, sp, #4096", "ff0740d1", "sp <- sp plus -4096"},
    {"ldr w0, [x1, w2, uxtw #2]", "205862b8",
     "x0 <- (of x2 bytes 0xf) load @ x1,x2 copy x0"},
    {"stp x29, x30, [sp, #-32]!", "fd7bbea9",
     "store+0:8 <- x29 @ sp copy x29; "
     "store+8:8 <- x30 @ sp copy x30; "
     "sp <- sp plus -32 writeback"},
    {"ldp d8, d9, [sp], #16", "e827c16c",
     "v8 <- load+0:8 @ sp copy d8; "
     "v9 <- load+8:8 @ sp copy d9; "
     "sp <- sp plus 16 writeback"},
    {"b.ls .+8", "49000054", "flow <- cpsr.z,cpsr.c"},
    {"csel x0, x1, x2, ge", "20a0829a", "x0 <- x1,x2 cpsr.n cpsr.v"},
    {"adc x0, x1, x2", "2000029a", "x0 <- x1,x2 cpsr.c"},
    {"ccmp x0, x1, #0, ne", "001041fa", "cpsr.nzcv <- x0,x1 cpsr.z"},
    {"mrs x0, nzcv", "00423bd5", "x0 <- cpsr.nzcv"},
    {"msr nzcv, x0", "00421bd5", "cpsr.nzcv <- x0"},
    {"cbz w0, .+8", "40000034", "flow <- x0 (of x0 bytes 0xf)"},
    {"tbz x0, #44, .+8", "400060b6", "flow <- x0 (of x0 bytes 0x20)"},
    {"lsr x0, x1, #32", "20fc60d3", "x0 <- x1 (of x1 bytes 0xf0)"},
    {"and x0, x1, #0xff00", "201c7892", "x0 <- x1 (of x1 bytes 0x2)"},
    {"add x0, x1, w1, sxtw", "20c0218b", "x0 <- x1"},
    {"fcvt s0, h1", "2040e21e", "v0 <- s1 (of s1 bytes 0x3)"},
    {"bl .+8", "02000094", "x30 <- return address"},
    {"blr x8", "00013fd6",
     "flow <- x8; "
     "x30 <- return address"},
    {"ret", "c0035fd6", "flow <- x30"},
    {"svc #0", "010000d4", "x0 <- x0,x1,x2,x3,x4,x5 x8 system"},
    {"mov v0.s[1], w1", "201c0c4e",
     "v0.s[1] <- x1 (of x1 bytes 0xf) copy v0.s[1]"},
    {"mov v0.d[1], v1.d[0]", "2004186e",
     "v0.s[2],v0.s[3] <- d1 copy v0.s[2],v0.s[3]"},
    {"mov v0.b[5], w1", "201c0b4e", "v0.s[1] <- x1 v0.s[1] (of x1 bytes 0xf)"},
    {"fmov d0, x1", "2000679e", "v0 <- x1 copy d0"},
    {"fmov x0, v1.d[1]", "2000ae9e", "x0 <- v1.s[2],v1.s[3] copy x0"},
    {"mov w0, v1.s[2]", "203c140e", "x0 <- v1.s[2] copy x0"},
    {"smov x0, v1.h[5]", "202c164e", "x0 <- v1.s[2]"},
    {"dup v0.4s, v1.s[3]", "20041c4e", "v0 <- v1.s[3]"},
    {"mov d0, v1.d[1]", "2004185e",
     "d0 <- v1.s[2],v1.s[3] copy d0; "
     "v0.s[2],v0.s[3] <-"},
    {"zip1 v0.2d, v1.2d, v2.2d", "2038c24e",
     "d0 <- d1 copy d0; "
     "v0.s[2],v0.s[3] <- d2 copy v0.s[2],v0.s[3]"},
    {"zip2 v0.8h, v1.8h, v2.8h", "2078424e",
     "d0 <- v1.s[2] v2.s[2]; "
     "v0.s[2],v0.s[3] <- v1.s[3] v2.s[3]"},
    {"uzp1 v0.4s, v1.4s, v2.4s", "2018824e",
     "s0 <- s1 copy s0; "
     "v0.s[1] <- v1.s[2] copy v0.s[1]; "
     "v0.s[2] <- s2 copy v0.s[2]; "
     "v0.s[3] <- v2.s[2] copy v0.s[3]"},
    {"trn2 v0.2s, v1.2s, v2.2s", "2068820e",
     "s0 <- v1.s[1] copy s0; "
     "v0.s[1] <- v2.s[1] copy v0.s[1]; "
     "v0.s[2],v0.s[3] <-"},
    {"ext v0.16b, v1.16b, v2.16b, #6", "2030026e",
     "s0 <- v1.s[1],v1.s[2]; "
     "v0.s[1] <- v1.s[2],v1.s[3]; "
     "v0.s[2] <- v1.s[3],v2.s[0]; "
     "v0.s[3] <- d2"},
    {"rev64 v0.4s, v1.4s", "2008a04e",
     "s0 <- v1.s[1] copy s0; "
     "v0.s[1] <- s1 copy v0.s[1]; "
     "v0.s[2] <- v1.s[3] copy v0.s[2]; "
     "v0.s[3] <- v1.s[2] copy v0.s[3]"},
    {"add v0.4s, v1.4s, v2.4s", "2084a24e", "v0 <- v1,v2 lanes of 4"},
    {"mul v0.2s, v1.2s, v2.2s", "209ca20e", "v0 <- d1 d2 lanes of 4"},
    {"fmla v0.2d, v1.2d, v2.2d", "20cc624e", "v0 <- v0,v1,v2 lanes of 8"},
    {"addp v0.4s, v1.4s, v2.4s", "20bca24e", "v0 <- v1,v2"},
    {"shl v0.4s, v1.4s, #3", "2054234f", "v0 <- v1 lanes of 4"},
    {"shrn v0.4h, v1.4s, #3", "20841d0f", "v0 <- v1"},
    {"orr v0.16b, v1.16b, v2.16b", "201ca24e", "v0 <- v1,v2 lanes of 4"},
    {"fmla v0.4s, v1.4s, v2.4s", "20cc224e", "v0 <- v0,v1,v2 lanes of 4"},
    {"fadd d0, d1, d2", "2028621e", "v0 <- d1 d2"},
    {"fcvtn2 v0.4s, v1.2d", "2068614e", "v0 <- v0,v1"},
    {"adds x0, xzr, x1", "e00301ab",
     "x0 <- x1; "
     "cpsr.nzcv <- x1"},
    // To a zero register: what is read is read all the same.
    {"ldr wzr, [x1]", "3f0040b9", "<- load @ x1"},
    {"ldp xzr, x2, [x1]", "3f0840a9",
     "<- load+0:8 @ x1; "
     "x2 <- load+8:8 @ x1 copy x2"},
    {"ldr wzr, .+8", "5f000018", "<- load"},
    {"stadd x0, [x1]", "3f0020f8",
     "<- load @ x1; "
     "store <- x0 load @ x1"},
    {"add xzr, x1, x2", "3f00028b", "<- x1,x2"},
    {"mov xzr, #0", "1f0080d2", ""},
    {"prfm pldl1keep, [x1, x2]", "2068a2f8", "<- @ x1,x2"},
    {"dc cvau, x3", "237b0bd5", "<- @ x3"},
    {"cmp x0, x1", "1f0001eb", "cpsr.nzcv <- x0,x1"},
    {"casal x0, x1, [x2]", "41fce0c8",
     "x0 <- load @ x2; "
     "store <- x0,x1 load @ x2"},
    {"swp x0, x1, [x2]", "418020f8",
     "x1 <- load @ x2 copy x1; "
     "store <- x0 @ x2"},
    {"ldxr x0, [x1]", "207c5fc8",
     "x0 <- load @ x1 copy x0; "
     "exclusive monitor <- @ x1"},
    {"stxr w0, x1, [x2]", "417c00c8",
     "store <- x1 exclusive monitor @ x2; "
     "x0 <- exclusive monitor @ x2; "
     "exclusive monitor <-"},
    {"ld1 {v0.16b, v1.16b}, [x0], #32", "00a0df4c",
     "v0 <- load+0:16 @ x0 copy v0; "
     "v1 <- load+16:16 @ x0 copy v1; "
     "x0 <- x0 plus 32 writeback"},
    {"ld1 {v0.h}[5], [x0]", "0048404d", "v0.s[2] <- v0.s[2] load+0:2 @ x0"},
    {"dmb ish", "bf3b03d5", "barrier"},
    {"eor x0, x1, x1", "200001ca", "x0 <-"},
    {"movk x0, #1, lsl 16", "2000a0f2", "x0 <- x0"},
    {"dc zva, x0", "20740bd5", "store <- @ x0"},
    {"st2b {z0.b, z1.b}, p1, [x22]", "c0e630e4", "store <- p1 v0,v1 @ x22"},
    {"stnt1d {z0.d}, p3, [x10, x13, lsl #3]", "406d8de5",
     "store <- p3 v0 @ x10 x13"},
    {"cpye [x0]!, [x1]!, x2!", "4004811d",
     "x0,x1,x2 <- x0,x1,x2 cpsr.nzcv; "
     "store <- cpsr.nzcv load @ x0,x1,x2"},
    {"sete [x0]!, x1!, x2", "2084c219",
     "x0,x1 <- x0,x1,x2 cpsr.nzcv; "
     "store <- x2 cpsr.nzcv @ x0,x1"},
    {"mrs x0, tpidr_el0", "40d03bd5", "x0 <- tpidr_el0"},
    {"stlxp w0, x1, x2, [x3]", "618820c8",
     "store+0:8 <- x1 exclusive monitor @ x3; "
     "store+8:8 <- x2 exclusive monitor @ x3; "
     "x0 <- exclusive monitor @ x3; "
     "exclusive monitor <-"},
    {"ldar x0, [x1]", "20fcdfc8", "x0 <- load @ x1 copy x0"},
    {"stlr x0, [x1]", "20fc9fc8", "store <- x0 @ x1 copy x0"},
};

constexpr Known OfA32[] = {
    {"pld [r1, r2]", "02f0d1f7", "<- @ r1,r2"},
    {"pli [r1, #4]", "04f0d1f4", "<- @ r1"},
    {"addeq r0, r1, r2", "02008100",
     "if cpsr.z; "
     "r0 <- r1,r2"},
    {"adcs r0, r1, r2", "0200b1e0",
     "r0 <- r1,r2 cpsr.c; "
     "cpsr.nzcv <- r1,r2 cpsr.c"},
    {"movs r0, r1, lsl #3", "8101b0e1",
     "r0 <- r1; "
     "cpsr.n,cpsr.z <- r1; "
     "cpsr.c <- r1"},
    {"ands r0, r1, r2", "020011e0",
     "r0 <- r1,r2; "
     "cpsr.n,cpsr.z <- r1,r2"},
    {"ands r0, r1, r2, lsr #32", "220011e0",
     "r0 <- r1,r2; "
     "cpsr.n,cpsr.z <- r1,r2; "
     "cpsr.c <- r2"},
    {"orrs r0, r1, r2, rrx", "620091e1",
     "r0 <- r1,r2 cpsr.c; "
     "cpsr.n,cpsr.z <- r1,r2 cpsr.c; "
     "cpsr.c <- r2"},
    {"tst r1, r2, ror r3", "720311e1",
     "cpsr.n,cpsr.z <- r1,r2,r3; "
     "cpsr.c <- r2,r3 cpsr.c"},
    {"movs r0, #200", "c800b0e3",
     "r0 <-; "
     "cpsr.n,cpsr.z <-"},
    {"teq r1, #200", "c80031e3", "cpsr.n,cpsr.z <- r1"},
    {"bics r0, r1, #0x80000000", "0201d1e3",
     "r0 <- r1; "
     "cpsr.n,cpsr.z <- r1; "
     "cpsr.c <-"},
    {"mvns r0, r1", "0100f0e1",
     "r0 <- r1; "
     "cpsr.n,cpsr.z <- r1"},
    {"muls r0, r1, r2", "910210e0",
     "r0 <- r1,r2; "
     "cpsr.n,cpsr.z <- r1,r2"},
    {"qadd r0, r1, r2", "510002e1",
     "r0 <- r1,r2; "
     "cpsr.q <- r1,r2 cpsr.q sticky"},
    {"sadd8 r0, r1, r2", "920f11e6",
     "r0 <- r1,r2; "
     "cpsr.ge <- r1,r2"},
    {"sel r0, r1, r2", "b20f81e6", "r0 <- r1,r2 cpsr.ge"},
    {"push {r4, r5, lr}", "30402de9",
     "store+0:4 <- r4 @ r13 copy r4; "
     "store+4:4 <- r5 @ r13 copy r5; "
     "store+8:4 <- r14 @ r13 copy r14; "
     "r13 <- r13 plus -12 writeback"},
    {"pop {r4, pc}", "1080bde8",
     "r4 <- load+0:4 @ r13 copy r4; "
     "flow <- load+4:4 @ r13; "
     "r13 <- r13 plus 8 writeback"},
    {"ldm r0!, {r1, r2}", "0600b0e8",
     "r1 <- load+0:4 @ r0 copy r1; "
     "r2 <- load+4:4 @ r0 copy r2; "
     "r0 <- r0 plus 8 writeback"},
    {"strd r0, r1, [r2, #8]!", "f800e2e1",
     "store+0:4 <- r0 @ r2 copy r0; "
     "store+4:4 <- r1 @ r2 copy r1; "
     "r2 <- r2 plus 8 writeback"},
    {"ldr r0, [r1], #4", "040091e4",
     "r0 <- load @ r1 copy r0; "
     "r1 <- r1 plus 4 writeback"},
    {"str r0, [r1, #-4]!", "040021e5",
     "store <- r0 @ r1 copy r0; "
     "r1 <- r1 plus -4 writeback"},
    {"ldr r0, [r1, r2, rrx]", "620091e7", "r0 <- load @ r1,r2 cpsr.c copy r0"},
    {"bne .+16", "0200001a",
     "if cpsr.z; "
     "flow <- cpsr.z"},
    {"blne .+16", "0200001b",
     "if cpsr.z; "
     "r14 <- return address; "
     "flow <- cpsr.z"},
    {"bxeq lr", "1eff2f01",
     "if cpsr.z; "
     "flow <- r14 cpsr.z"},
    {"svc 0", "000000ef", "r0 <- r0,r1,r2,r3,r4,r5,r6,r7 system"},
    {"vcmp.f64 d0, d1", "410bb4ee", "fpscr.nzcv <- q0"},
    {"vmrs apsr_nzcv, fpscr", "10faf1ee",
     "cpsr.nzcv <- fpscr.nzcv copy cpsr.nzcv"},
    {"vadd.f32 s0, s1, s2", "810a30ee", "s0 <- s1,s2"},
    {"vld1.8 {d0, d1, d2, d3}, [r0]!", "0d0220f4",
     "d0 <- load+0:8 @ r0 copy d0; "
     "d1 <- load+8:8 @ r0 copy d1; "
     "d2 <- load+16:8 @ r0 copy d2; "
     "d3 <- load+24:8 @ r0 copy d3; "
     "r0 <- r0 plus 32 writeback"},
    {"vmov.32 d0[1], r0", "100b20ee", "d0 <- r0 d0"},
    {"mrs r0, cpsr", "00000fe1", "r0 <- cpsr.nzcv,cpsr.q,cpsr.ge,cpsr"},
    {"msr cpsr_f, r0", "00f028e1", "cpsr.nzcv,cpsr.q <- r0"},
    {"add r11, sp, #4", "04b08de2", "r11 <- r13 plus 4"},
    {"sub sp, sp, #256", "01dc4de2", "r13 <- r13 plus -256"},
    {"ldrex r0, [r1]", "9f0f91e1",
     "r0 <- load @ r1 copy r0; "
     "exclusive monitor <- @ r1"},
    {"strex r0, r1, [r2]", "910f82e1",
     "store <- r1 exclusive monitor @ r2; "
     "exclusive monitor <-; "
     "r0 <- exclusive monitor @ r2"},
    {"eor r0, r1, r1", "010021e0", "r0 <-"},
};

constexpr Known OfT32[] = {
    {"fldmiax r0!, {d0, d1}", "b0ec050b",
     "d0 <- load+0:8 @ r0 copy d0; "
     "d1 <- load+8:8 @ r0 copy d1; "
     "r0 <- r0 plus 20 writeback"},
    {"fstmiax r0!, {d0, d1}", "a0ec050b",
     "store+0:8 <- d0 @ r0 copy d0; "
     "store+8:8 <- d1 @ r0 copy d1; "
     "r0 <- r0 plus 20 writeback"},
    {"pld [r1, r2]", "11f802f0", "<- @ r1,r2"},
    {"pli [r1, #4]", "91f904f0", "<- @ r1"},
    {"movs r0, r1", "0800",
     "r0 <- r1 copy r0; "
     "cpsr.n,cpsr.z <- r1"},
    {"movs r0, #200", "c820",
     "r0 <-; "
     "cpsr.n,cpsr.z <-"},
    {"mvns r3, r2", "d343",
     "r3 <- r2; "
     "cpsr.n,cpsr.z <- r2"},
    {"lsrs r0, r1, #32", "0808",
     "r0 <- r1; "
     "cpsr.n,cpsr.z <- r1; "
     "cpsr.c <- r1"},
    {"eors r0, r1, #0x00ff00ff", "91f0ff10",
     "r0 <- r1; "
     "cpsr.n,cpsr.z <- r1"},
    {"tst r1, #0x80000000", "11f0004f",
     "cpsr.n,cpsr.z <- r1; "
     "cpsr.c <-"},
    {"orns r0, r1, r2", "71ea0200",
     "r0 <- r1,r2; "
     "cpsr.n,cpsr.z <- r1,r2"},
    {"ands r0, r1, r2, lsl #4", "11ea0210",
     "r0 <- r1,r2; "
     "cpsr.n,cpsr.z <- r1,r2; "
     "cpsr.c <- r2"},
    {"rrxs r0, r1", "5fea3100",
     "r0 <- r1 cpsr.c; "
     "cpsr.n,cpsr.z <- r1 cpsr.c; "
     "cpsr.c <- r1"},
    {"rors r0, r1, r2", "71fa02f0",
     "r0 <- r1,r2; "
     "cpsr.n,cpsr.z <- r1,r2; "
     "cpsr.c <- r1,r2 cpsr.c"},
    {"lsls r0, r1", "8840",
     "r0 <- r0,r1; "
     "cpsr.n,cpsr.z <- r0,r1; "
     "cpsr.c <- r0,r1 cpsr.c"},
    {"adds r0, r1, r2", "8818",
     "r0 <- r1,r2; "
     "cpsr.nzcv <- r1,r2"},
    {"push {r7, lr}", "80b5",
     "store+0:4 <- r7 @ r13 copy r7; "
     "store+4:4 <- r14 @ r13 copy r14; "
     "r13 <- r13 plus -8 writeback"},
    {"pop {r7, pc}", "80bd",
     "r7 <- load+0:4 @ r13 copy r7; "
     "flow <- load+4:4 @ r13; "
     "r13 <- r13 plus 8 writeback"},
    {"ldm r0!, {r1, r2}", "06c8",
     "r1 <- load+0:4 @ r0 copy r1; "
     "r2 <- load+4:4 @ r0 copy r2; "
     "r0 <- r0 plus 8 writeback"},
    {"ldm r0, {r0, r1}", "03c8",
     "r0 <- load+0:4 @ r0 copy r0; "
     "r1 <- load+4:4 @ r0 copy r1"},
    {"tbb [r0, r1]", "d0e801f0", "flow <- load @ r0,r1"},
    {"add r7, sp, #8", "02af", "r7 <- r13 plus 8"},
    {"sub sp, #16", "84b0", "r13 <- r13 plus -16"},
    // Instructions that only M profiles have.
    {"tt r2, r1", "41e800f2", "r2 <- r1"},
    {"vstrw.32 q0, [r1, #16]", "81ed041f", "store <- q0 @ r1"},
    {"vldrw.u32 q0, [r1], #16", "b1ec041f",
     "q0 <- load @ r1; r1 <- r1 writeback"},
    {"vldrw.u32 q1, [r0, q2]", "90fc442f", "q1 <- load @ r0 q2"},
    {"vstrd.64 q3, [q1, #8]!", "a2fd017f",
     "store <- q3 @ q1; q1 <- q1 writeback"},
    {"vst21.8 {q0, q1}, [r2]!", "a2fc201e",
     "store <- q0,q1 @ r2; r2 <- r2 writeback"},
    {"vld40.32 {q0, q1, q2, q3}, [r3]", "93fc011f",
     "q0,q1,q2,q3 <- q0,q1,q2,q3 load @ r3"},
};

constexpr Known OfPPC64[] = {
    {"add 3, 4, 5", "7c642a14", "r3 <- r4,r5"},
    {"add. 3, 4, 5", "7c642a15",
     "r3 <- r4,r5; "
     "cr0 <- r4,r5 xer.so"},
    {"addo 3, 4, 5", "7c642e14",
     "r3 <- r4,r5; "
     "xer.ov <- r4,r5; "
     "xer.so <- r4,r5 xer.so sticky"},
    {"adde 3, 4, 5", "7c642914",
     "r3 <- r4,r5 xer.ca; "
     "xer.ca <- r4,r5 xer.ca"},
    {"addic 3, 4, 1", "30640001",
     "r3 <- r4; "
     "xer.ca <- r4"},
    {"subfe 3, 3, 3", "7c631910",
     "r3 <- r3 xer.ca; "
     "xer.ca <- r3 xer.ca"},
    {"cmpd 1, 3, 4", "7ca32000", "cr1 <- r3,r4 xer.so"},
    {"beq .+8", "41820008", "flow <- cr0"},
    {"bdnz .+8", "42000008",
     "ctr <- ctr plus -1; "
     "flow <- ctr"},
    {"bdnzt 2, .+8", "41020008",
     "ctr <- ctr plus -1; "
     "flow <- ctr,cr0"},
    {"blr", "4e800020", "flow <- lr"},
    {"beqlr", "4d820020", "flow <- lr cr0"},
    {"bctrl", "4e800421",
     "flow <- ctr; "
     "lr <- return address"},
    {"bl .+8", "48000009", "lr <- return address"},
    {"mfcr 3", "7c600026", "r3 <- cr"},
    {"mfocrf 3, 64", "7c740026", "r3 <- cr1"},
    {"mtcrf 0x18, 3", "7c618120",
     "cr3 <- r3; "
     "cr4 <- r3"},
    {"mflr 0", "7c0802a6", "r0 <- lr copy r0"},
    {"mtctr 12", "7d8903a6", "ctr <- r12 copy ctr"},
    {"crxor 6, 6, 6", "4cc63182", "cr1 <- cr1"},
    {"cror 0, 1, 6", "4c013382", "cr0 <- cr0,cr1"},
    {"isel 3, 4, 5, 6", "7c64299e", "r3 <- r4,r5 cr1"},
    {"ldu 3, 8(4)", "e8640009",
     "r3 <- load @ r4 copy r3; "
     "r4 <- r4 plus 8 writeback"},
    {"stdu 1, -32(1)", "f821ffe1",
     "store <- r1 copy r1; "
     "r1 <- r1 plus -32 writeback"},
    {"stdux 3, 4, 5", "7c64296a",
     "store <- r3 @ r4,r5 copy r3; "
     "r4 <- r4,r5 writeback"},
    {"ldarx 3, 0, 5", "7c6028a8",
     "r3 <- load @ r5 copy r3; "
     "reservation <- @ r5"},
    {"stdcx. 3, 0, 5", "7c6029ad",
     "store <- r3 reservation @ r5; "
     "cr0 <- xer.so reservation @ r5; "
     "reservation <-"},
    {"fadd. 1, 2, 3", "fc22182b",
     "vs1 <- f2 f3; "
     "cr1 <- fpscr f2 f3"},
    {"xsadddp 33, 34, 35", "f0221907", "vs33 <- vs34.d[0] vs35.d[0]"},
    {"xxpermdi 33, 34, 35, 1", "f0221957", "vs33 <- vs34,vs35"},
    {"xxlxor 33, 33, 33", "f0210cd7", "vs33 <-"},
    {"lxvl 33, 4, 5", "7c242a1b", "vs33 <- r5 load @ r4"},
    {"mr 3, 4", "7c832378", "r3 <- r4 copy r3"},
    {"addi 31, 1, 64", "3be10040", "r31 <- r1 plus 64"},
    {"sc", "44000002",
     "r3 <- r0 r3,r4,r5,r6,r7,r8 system; "
     "cr0 <- r0 r3,r4,r5,r6,r7,r8 system"},
    {"pld 3, 8(4), 0", "04000000e4640008", "r3 <- load @ r4 copy r3"},
};

constexpr Known OfX86_64[] = {
    {"prefetcht0 8(%rax,%rcx)", "0f184c0808", "<- @ rax rcx"},
    {"movq %rax, %rbx", "4889c3", "rbx <- rax copy rbx"},
    {"movb %al, %bh", "88c7", "rbx[1] <- rax[0] copy rbx[1]"},
    {"movw %ax, %bx", "6689c3",
     "rbx[0],rbx[1] <- rax[0],rax[1] copy rbx[0],rbx[1]"},
    {"movl %eax, %ebx", "89c3", "rbx <- rax copy rbx"},
    {"xorl %eax, %eax", "31c0",
     "rax <-; "
     "rflags.status <-"},
    {"sbbl %eax, %eax", "19c0",
     "rax <- rflags.cf; "
     "rflags.status <- rflags.cf"},
    {"pxor %xmm1, %xmm1", "660fefc9", "xmm1 <-"},
    {"addq %rax, %rbx", "4801c3",
     "rbx <- rax,rbx; "
     "rflags.status <- rax,rbx"},
    {"adcq %rax, %rbx", "4811c3",
     "rbx <- rax,rbx rflags.cf; "
     "rflags.status <- rax,rbx rflags.cf"},
    {"incl %eax", "ffc0",
     "rax <- rax; "
     "rflags.zf,rflags.pf,af,sf,rflags.of <- rax"},
    {"roll %cl, %eax", "d3c0",
     "rax <- rax rcx[0]; "
     "rflags.cf rflags.of <- rax rcx[0] rflags.cf rflags.of"},
    {"shll %cl, %eax", "d3e0",
     "rax <- rax rcx[0]; "
     "rflags.status <- rax rcx[0] rflags.status"},
    {"btl %eax, %ebx", "0fa3c3", "rflags.cf <- rax,rbx"},
    {"cmpq %rax, 8(%rbx)", "48394308", "rflags.status <- rax load @ rbx"},
    {"addq %rax, 8(%rbx)", "48014308",
     "store <- rax load @ rbx; "
     "rflags.status <- rax load @ rbx"},
    {"jl .+8", "7c06", "flow <- rflags.pf,af,sf,rflags.of"},
    {"setbe %al", "0f96c0", "rax[0] <- rflags.cf,rflags.zf"},
    {"cmovs %rax, %rbx", "480f48d8", "rbx <- rax,rbx rflags.pf,af,sf"},
    {"pushq $1", "6801000000",
     "store <- @ rsp; "
     "rsp <- rsp plus -8 writeback"},
    {"stosb", "aa",
     "store <- rax[0] @ rdi; "
     "rdi <- rdi rflags.df writeback"},
    {"rep movsq", "f348a5",
     "store <- rcx rflags.df load @ rdi,rsi; "
     "rsi <- rcx rsi rflags.df writeback; "
     "rdi <- rcx rdi rflags.df writeback; "
     "rcx <- rcx"},
    {"maskmovdqu %xmm1, %xmm2", "660ff7d1", "store <- xmm1 xmm2 load @ rdi"},
    {"insb", "6c",
     "store <- @ rdi; "
     "rdi <- rdi rflags.df writeback"},
    {"outsl", "6f",
     "<- load @ rsi; "
     "rsi <- rsi rflags.df writeback"},
    {"pushq %rbx", "53",
     "store <- rbx @ rsp copy rbx; "
     "rsp <- rsp plus -8 writeback"},
    {"popq %rbx", "5b",
     "rbx <- load @ rsp copy rbx; "
     "rsp <- rsp plus 8 writeback"},
    {"call .+8", "e803000000",
     "store+0:8 <- @ rsp return address; "
     "rsp <- rsp plus -8 writeback"},
    {"callq *8(%rax)", "ff5008",
     "flow <- load @ rax; "
     "store+0:8 <- @ rsp return address; "
     "rsp <- rsp plus -8 writeback"},
    {"ret", "c3",
     "flow <- load @ rsp; "
     "rsp <- rsp plus 8 writeback"},
    {"leave", "c9",
     "rbp <- load @ rbp copy rbp; "
     "rsp <- rbp plus 8"},
    {"rep movsb", "f3a4",
     "store <- rcx rflags.df load @ rdi,rsi; "
     "rsi <- rcx rsi rflags.df writeback; "
     "rdi <- rcx rdi rflags.df writeback; "
     "rcx <- rcx"},
    {"repe cmpsb", "f3a6",
     "rflags.status <- rcx rflags.status,rflags.df load @ rdi,rsi; "
     "rsi <- rcx rsi rflags.df load @ rdi writeback; "
     "rdi <- rcx rdi rflags.df load @ rsi writeback; "
     "rcx <- rcx rflags.df load @ rdi,rsi"},
    {"cmpxchgq %rcx, (%rdi)", "480fb10f",
     "rax <- rax rcx load @ rdi; "
     "rflags.status <- rax rcx load @ rdi; "
     "store <- rax rcx load @ rdi"},
    {"lock xaddq %rax, (%rdi)", "f0480fc107",
     "rax <- load @ rdi copy rax; "
     "store <- rax load @ rdi; "
     "rflags.status <- rax load @ rdi"},
    {"xchgq %rax, %rbx", "4893",
     "rax <- rbx copy rax; "
     "rbx <- rax copy rbx"},
    {"mulq %rcx", "48f7e1",
     "rax <- rax rcx; "
     "rdx <- rax rcx; "
     "rflags.zf,rflags.pf,af,sf <- rax rcx rflags.zf,rflags.pf,af,sf; "
     "rflags.cf rflags.of <- rax rcx"},
    {"cqto", "4899", "rdx <- rax"},
    {"movq %fs:40, %rax", "64488b042528000000",
     "rax <- load @ fs_base copy rax"},
    {"leaq 8(%rsp), %rbp", "488d6c2408", "rbp <- rsp plus 8"},
    {"addsd %xmm1, %xmm0", "f20f58c1",
     "zmm0[0:3],zmm0[4:7] <- zmm0[0:3],zmm0[4:7] zmm1[0:3],zmm1[4:7]"},
    {"cvtsi2sdq %rax, %xmm0", "f2480f2ac0", "zmm0[0:3],zmm0[4:7] <- rax"},
    {"movss (%rdi), %xmm0", "f30f1007", "xmm0 <- load @ rdi copy zmm0[0:3]"},
    {"vaddps %ymm2, %ymm1, %ymm0", "c5f458c2", "zmm0 <- ymm1 ymm2"},
    {"vmovdqu8 (%rdi), %zmm0{%k1}", "62f17f496f07",
     "zmm0 <- k1 zmm0 load @ rdi"},
    {"fldt (%rdi)", "db2f",
     "st0 <- load @ rdi; "
     "st1 <- st0 copy st1 rename; "
     "st2 <- st1 copy st2 rename; "
     "st3 <- st2 copy st3 rename; "
     "st4 <- st3 copy st4 rename; "
     "st5 <- st4 copy st5 rename; "
     "st6 <- st5 copy st6 rename; "
     "st7 <- st6 copy st7 rename"},
    {"faddp", "dec1",
     "st0 <- st0,st1; "
     "st7 <- st0 copy st7 rename; "
     "st1 <- st2 copy st1 rename; "
     "st2 <- st3 copy st2 rename; "
     "st3 <- st4 copy st3 rename; "
     "st4 <- st5 copy st4 rename; "
     "st5 <- st6 copy st5 rename; "
     "st6 <- st7 copy st6 rename"},
    {"fxch %st(2)", "d9ca",
     "st0 <- st2 copy st0 rename; "
     "st2 <- st0 copy st2 rename"},
    {"syscall", "0f05",
     "rax <- rax rdx,rdi,rsi r8,r9,r10 system; "
     "rcx <- system; "
     "r11 <- rflags.status,rflags.df,rflags system"},
    {"sahf", "9e", "rflags.cf,rflags.zf,rflags.pf,af,sf <- rax[1]"},
    {"std", "fd", "rflags.df <-"},
};

Sample sampleOf(ISA Isa, StringRef Hex, uint8_t It = NoItCondition) {
  std::string Bytes;
  EXPECT_TRUE(tryGetFromHex(Hex, Bytes)) << Hex.str();
  return {Isa, It, std::vector<uint8_t>(Bytes.begin(), Bytes.end())};
}

/// In one line.
std::string told(EffectsTable &Table, const Sample &S) {
  const TemplateEffects &T =
      Table.find(S.Isa, logicalOpcode(S), unsigned(S.Bytes.size()),
                 S.ItCondition, S.Bytes);
  SmallVector<StringRef, 8> Lines;
  std::string Text = effectsText(Table.cells(), T);
  StringRef(Text).split(Lines, '\n', -1, false);
  for (StringRef &L : Lines)
    L = L.trim();
  return join(Lines, "; ");
}

void compare(Arch A, ISA Isa, ArrayRef<Known> List) {
  EffectsTable Table(A);
  for (const Known &K : List)
    EXPECT_EQ(told(Table, sampleOf(Isa, K.Bytes)), K.Effects) << K.Text;
}

TEST(Effects, A64) { compare(Arch::AArch64, ISA::A64, OfA64); }
TEST(Effects, A32) { compare(Arch::Arm, ISA::A32, OfA32); }
TEST(Effects, T32) { compare(Arch::Arm, ISA::T32, OfT32); }
TEST(Effects, Power) { compare(Arch::PPC64LE, ISA::PPC64, OfPPC64); }
TEST(Effects, X86) { compare(Arch::X86_64, ISA::X86_64, OfX86_64); }

/// A damaged index may tell of code that its trace cannot have: its registers
/// would be others, or none.
TEST(Effects, OfAnotherMachine) {
  const std::pair<ISA, uint64_t> Codes[] = {{ISA::A64, 0x8b020020},
                                            {ISA::A32, 0xe0810002},
                                            {ISA::PPC64, 0x7c642a14},
                                            {ISA::X86_64, 0xc30148}};
  for (Arch A : {Arch::AArch64, Arch::PPC64, Arch::X86_64, Arch::Unknown}) {
    EffectsTable Table(A);
    unsigned Known = 0;
    for (auto [Isa, Opcode] : Codes) {
      const unsigned Size = Isa == ISA::X86_64 ? 3 : 4;
      const TemplateEffects &E = Table.find(Isa, Opcode, Size);
      EXPECT_EQ(E.Known, Table.cells().has(Isa));
      Known += E.Known;
      for (CellRef R : E.Writes)
        EXPECT_LE(R.end(), Table.cells().size());
      for (CellRef R : {Table.cells().sp(Isa), Table.cells().fp(Isa),
                        Table.cells().link(Isa)})
        EXPECT_LE(R.end(), Table.cells().size());
    }
    EXPECT_EQ(Known, A == Arch::AArch64 ? 2u : A == Arch::Unknown ? 0u : 1u);
  }
}

TEST(Effects, InItBlocks) {
  EffectsTable Table(Arch::Arm);
  // "adds" outside, "addeq" inside: it leaves the flags alone.
  EXPECT_EQ(told(Table, sampleOf(ISA::T32, "8818")),
            "r0 <- r1,r2; cpsr.nzcv <- r1,r2");
  EXPECT_EQ(told(Table, sampleOf(ISA::T32, "8818", 0)),
            "if cpsr.z; r0 <- r1,r2");
  // "cmpge" does write them.
  EXPECT_EQ(told(Table, sampleOf(ISA::T32, "8842", 10)),
            "if cpsr.n cpsr.v; cpsr.nzcv <- r0,r1");
  // "bxne lr"
  EXPECT_EQ(told(Table, sampleOf(ISA::T32, "7047", 1)),
            "if cpsr.z; flow <- r14 cpsr.z");
}

TEST(Effects, ItCondition) {
  // itte ne at 100, then instructions of 4, 2 and 2 bytes, and one more.
  auto CodeAt = [](uint64_t PC) -> T32Code {
    switch (PC) {
    case 100:
      return {0xbf1a, 2};
    case 102:
      return {0xeb010002, 4};
    case 106:
    case 108:
    case 110:
      return {0x1888, 2};
    default:
      return {};
    }
  };
  EXPECT_EQ(itCondition(100, CodeAt), NoItCondition);
  EXPECT_EQ(itCondition(102, CodeAt), 1); // ne
  EXPECT_EQ(itCondition(106, CodeAt), 1);
  EXPECT_EQ(itCondition(108, CodeAt), 0); // eq
  EXPECT_EQ(itCondition(110, CodeAt), NoItCondition);
  // What was between is not known.
  auto Holes = [&](uint64_t PC) { return PC == 102 ? T32Code() : CodeAt(PC); };
  EXPECT_EQ(itCondition(108, Holes), NoItCondition);
  EXPECT_EQ(itCondition(0, Holes), NoItCondition);
}

TEST(Effects, Classes) {
  EffectsTable Table(Arch::PPC64);
  auto find = [&](uint64_t Opcode, unsigned Size) -> const TemplateEffects & {
    return Table.find(ISA::PPC64, Opcode, Size);
  };
  EXPECT_EQ(find(0x4d820020, 4).Class, InsnClass::Return); // beqlr
  EXPECT_TRUE(find(0x7c0004ac, 4).Barrier);                // sync
  EXPECT_FALSE(find(0, 4).Known);
  EXPECT_TRUE(find(0x7c642c2a, 4).Varies) << "lswx";
  // An opcode has one object, however often it is asked for.
  EXPECT_EQ(&find(0x7c642a14, 4), &find(0x7c642a14, 4));
  // All reads and writes together.
  const TemplateEffects &T = find(0x7c642a15, 4); // add. r3, r4, r5
  EXPECT_EQ(T.Reads,
            ArrayRef<CellRef>({{ppccell::R0 + 4, 2}, {ppccell::SO, 1}}));
  EXPECT_EQ(T.Writes,
            ArrayRef<CellRef>({{ppccell::R0 + 3, 1}, {ppccell::CR0, 1}}));
}

TEST(Effects, LongInstructionsNeedTheirBytes) {
  EffectsTable Table(Arch::X86_64);
  const Sample S = sampleOf(ISA::X86_64, "64488b042528000000");
  EXPECT_FALSE(Table.find(S.Isa, logicalOpcode(S), 9).Known);
  EXPECT_EQ(told(Table, S), "rax <- load @ fs_base copy rax");
}

TEST(Effects, AskedFromSeveralThreads) {
  EffectsTable Table(Arch::AArch64);
  std::atomic<unsigned> Known = 0;
  auto ask = [&] {
    for (uint32_t R = 0; R < 1024; ++R) // add xD, xN, #1
      Known += Table.find(ISA::A64, 0x91000400 | R, 4).Known;
  };
  std::thread One(ask), Two(ask);
  One.join();
  Two.join();
  EXPECT_EQ(Known, 2048u);
}

TEST(Cells, EveryByteHasOne) {
  for (Arch A : {Arch::AArch64, Arch::Arm, Arch::PPC64, Arch::X86_64}) {
    CellMap Map(A);
    RegisterFile File(A, {});
    for (const RegisterInfo &R : File.registers()) {
      if (R.IsPC)
        continue;
      auto Cells = Map.cellsOf(R.Slice);
      ASSERT_FALSE(Cells.empty()) << R.Name;
      for (CellRef C : Cells)
        for (Cell K = C.First; K < C.end(); ++K) {
          ASSERT_LT(K, Map.size()) << R.Name;
          EXPECT_FALSE(Map.name(K).empty()) << R.Name;
        }
    }
    for (Cell C = 0; C < Map.size(); ++C)
      EXPECT_FALSE(Map.name(C).empty()) << C;
  }
}

TEST(Cells, PartsOfRegisters) {
  CellMap A64(Arch::AArch64);
  RegisterFile File(Arch::AArch64, {});
  auto cells = [&](StringRef Name) {
    std::string Text;
    for (CellRef R : A64.cellsOf(File.find(Name)->Slice))
      Text += A64.name(R) + " ";
    return Text;
  };
  EXPECT_EQ(cells("w3"), "x3 ");
  EXPECT_EQ(cells("d7"), "d7 ");
  EXPECT_EQ(cells("v7"), "v7 ");
  EXPECT_EQ(cells("sp"), "sp ");
  CellMap X86(Arch::X86_64);
  RegisterFile Intel(Arch::X86_64, {});
  EXPECT_EQ(X86.name(X86.cellsOf(Intel.find("ah")->Slice)[0]), "rax[1]");
  EXPECT_EQ(X86.name(X86.cellsOf(Intel.find("ymm3")->Slice)[0]), "ymm3");
  CellMap Power(Arch::PPC64);
  RegisterFile IBM(Arch::PPC64, {});
  EXPECT_EQ(Power.name(Power.cellsOf(IBM.find("f5")->Slice)[0]), "f5");
  EXPECT_EQ(Power.name(Power.cellsOf(IBM.find("cr")->Slice)[0]), "cr");
}

} // namespace
} // namespace rw::dataflow
