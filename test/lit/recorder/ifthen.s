        .syntax unified
        .thumb
        .globl  _start
        .thumb_func
_start: movs    r0, #5
        movs    r7, #223        @ there is no such call: ENOSYS
        cmp     r0, #5
        itete   eq
        moveq   r1, #1
        movne   r1, #2
        svceq   #0
        movne   r2, #2
        movs    r3, #1
        itt     ne
        addne   r3, #1
        bne     over
        movs    r3, #77
over:   cmp     r3, #2
        itt     ne
        movne   r3, #99
        addne.w r3, r3, #99
        mov     r0, r3
        movs    r7, #1
        svc     #0
