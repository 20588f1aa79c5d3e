/* Strings of wide characters, of which some is never written. */
static char8_t none8[4];
static char16_t none16[8], some16[8];
static char32_t none32[8], some32[8];
static wchar_t noneW[8], someW[8];
static const char16_t written[] = u"h\u00e9llo \U0001f600";
const char16_t *to_none16 = none16, *to_some16 = some16, *to_written = written;
const char32_t *to_none32 = none32;
const wchar_t *to_noneW = noneW;
const char8_t *to_none8 = none8;

__attribute__((noinline)) static int look(int i) { return i + 1; }

int main() {
  const volatile void *x = to_none16;
  x = to_some16, x = to_written, x = to_none32, x = to_noneW, x = to_none8;
  volatile char16_t *some = some16;
  some[0] = u'q';
  some[1] = 0xd83d;
  some[2] = 0xde00;
  some[3] = 0xd83d;
  volatile char32_t *more = some32;
  more[2] = U'\u00e9';
  more[3] = 0x1f600;
  more[4] = 0x200b;
  volatile wchar_t *wide = someW;
  wide[0] = L'w';
  wide[1] = 0;
  int n = 0;
  for (const volatile char16_t *c = to_written; *c; ++c)
    ++n;
  return look(n) != 9;
}
