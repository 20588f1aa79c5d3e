// A frame that is set up before the part that is looked at, and used behind a call.
	.globl	_start
	.type	_start, %function
_start:
	sub	sp, sp, #32
	mov	x29, sp
	str	wzr, [x29, #12]
	bl	f
	ldr	w1, [x29, #12]
	add	w1, w1, #1
	mov	x8, #93
	svc	#0
	.size	_start, . - _start
	.type	f, %function
f:
	stp	x29, x30, [sp, #-16]!
	mov	x29, sp
	nop
	nop
	ldp	x29, x30, [sp], #16
	ret
	.size	f, . - f
