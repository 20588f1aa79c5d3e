  .globl _start, odd
  .type _start, @function
  .type odd, @function
_start:
  nop
  call odd
  call odd
  hlt
  .size _start, . - _start
  .balign 16
  nop
odd:
  ret
  .size odd, . - odd
