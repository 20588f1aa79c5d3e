        .syntax unified
        .thumb
        .global _start
        .type _start, %function
_start: bl run
        movs r7, #1
        svc #0
        .size _start, . - _start
        .type run, %function
run:    push {r4, lr}
        ldr r4, =out
        movs r0, #1
        bl work
        str r0, [r4]
        movs r0, #2
        bl work
        str r0, [r4, #4]
        pop {r4, pc}
        .size run, . - run
        .type work, %function
work:   push {r3, r4, r5, lr}
        mov r5, r0
        bl twice
        mov r4, r0
        adds r0, r5, #1
        bl twice
        adds r0, r0, r4
        pop {r3, r4, r5, pc}
        .size work, . - work
        .type twice, %function
twice:  lsls r0, r0, #1
        bx lr
        .size twice, . - twice
        .bss
out:    .space 8
