        .global _start
        .type _start, %function
_start: mov x19, #5
        bl f
        bl h
        mov x21, x19
        mov x8, #93
        svc #0
        .size _start, . - _start
        .type f, %function
f:      stp x29, x30, [sp, #-32]!
        str x19, [sp, #16]
        mov x19, #1
        ldr x19, [sp, #16]
        ldp x29, x30, [sp], #32
        b g
        .size f, . - f
        .type g, %function
g:      stp x29, x30, [sp, #-32]!
        str x19, [sp, #16]
        mov x19, #2
        ldr x19, [sp, #16]
        ldp x29, x30, [sp], #32
        ret
        .size g, . - g
        .type h, %function
h:      stp x29, x30, [sp, #-32]!
        str x19, [sp, #16]
        mov x19, #3
        ldr x19, [sp, #16]
        ldp x29, x30, [sp], #32
        ret
        .size h, . - h
