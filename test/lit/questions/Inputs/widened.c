#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

volatile int Given;
int64_t Wide;
uint16_t Half;
uint64_t Fixed;

__attribute__((noinline)) void work(void) {
  Wide = Given;
  Half = (uint16_t)Given;
#if __SIZEOF_POINTER__ == 8
  Fixed = 0x123456789abcdef0u;
#else
  *(uint32_t *)&Fixed = 0x12345678u;
#endif
}

int main(void) {
  if (read(0, (void *)&Given, sizeof(Given)) != sizeof(Given))
    return 1;
  work();
  printf("%lld %d\n", (long long)Wide, Half);
  return 0;
}
