/*===- quicksort.S - A bare-metal program for AArch64 --------------------===*
 *
 * Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sorts the characters of a text, prints it and exits, by semihosting. It is
 * written in assembly so that tests may count on every address and position,
 * whatever compiler there is. See test/tools/make_test_data.py.
 *===----------------------------------------------------------------------===*/

        .macro  function name
        .globl  \name
        .type   \name, %function
\name:
        .endm

        .text
        function _start
        movz    x9, #0x2, lsl #16
        mov     sp, x9
        bl      c_entry
        b       .
        .size   _start, . - _start

        function c_entry
        stp     x29, x30, [sp, #-16]!
        mov     x29, sp
        adr     x0, array
        mov     x1, #0
        mov     x2, #(text_end - array - 1)
        bl      quicksort
        adr     x0, array
        bl      sys_write0
        ldp     x29, x30, [sp], #16
        mov     w0, #0
        b       sys_exit
        .size   c_entry, . - c_entry

// quicksort(x0: bytes, x1: first index, x2: last index)
        function quicksort
        cmp     x1, x2
        b.ge    5f
        stp     x29, x30, [sp, #-48]!
        mov     x29, sp
        stp     x19, x20, [sp, #16]
        stp     x21, x22, [sp, #32]
        mov     x19, x0
        mov     x20, x1
        mov     x21, x2
        mov     x22, x1                 // where the next smaller byte goes
        ldrb    w9, [x0, x2]            // the pivot
1:      cmp     x1, x2
        b.ge    4f
        ldrb    w10, [x0, x1]
        cmp     w10, w9
        b.hs    3f
2:      ldrb    w11, [x0, x22]
        strb    w10, [x0, x22]
        strb    w11, [x0, x1]
        add     x22, x22, #1
3:      add     x1, x1, #1
        b       1b
4:      ldrb    w10, [x0, x22]
        strb    w9, [x0, x22]
        strb    w10, [x0, x2]
        mov     x1, x20
        sub     x2, x22, #1
        bl      quicksort
        mov     x0, x19
        add     x1, x22, #1
        mov     x2, x21
        bl      quicksort
        ldp     x21, x22, [sp, #32]
        ldp     x19, x20, [sp, #16]
        ldp     x29, x30, [sp], #48
5:      ret
        .size   quicksort, . - quicksort

        function sys_write0
        mov     x1, x0
        mov     w0, #0x04
        hlt     #0xf000
        ret
        .size   sys_write0, . - sys_write0

        function sys_exit
        sub     sp, sp, #16
        movz    x9, #0x2, lsl #16
        movk    x9, #0x26               // ADP_Stopped_ApplicationExit
        uxtw    x10, w0
        stp     x9, x10, [sp]
        mov     x1, sp
        mov     w0, #0x18
        hlt     #0xf000
        .size   sys_exit, . - sys_exit

        .data
        .globl  array
        .type   array, %object
array:  .ascii  "packmyboxwithfivedozenliquorjugs"
text_end:
        .asciz  "\n"
        .size   array, . - array
