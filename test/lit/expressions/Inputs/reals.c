/* Floating-point numbers that change between the visits of a place. */
struct point {
  float x, y;
  double weight[3];
  struct point *next;
};

float single;
double twice;
static double share;
static float many[4];
static struct point here, there;
double odd;
int whole;
unsigned natural;
long long wide;

__attribute__((noinline)) static void visit(int step) { whole = step - 9; }

int main(void) {
  volatile float none = 0;
  here.next = &there;
  for (int i = 0; i < 4; ++i)
    many[i] = 0;
  there.y = -0.5f;
  for (int step = 0; step < 18; ++step) {
    single = step * 0.3f - 2;
    share = step / 4.0;
    twice = -single * 2.0;
    natural = 4294967290u + step;
    wide = (1ll << 53) + step;
    if (step > 3)
      many[step & 3] += single;
    if (step > 5)
      here.weight[step % 3] = step * 1e200 * 1e100;
    there.y += 0.125f;
    there.x = step & 1 ? single / none : none / none;
    odd = step % 3 ? -1e308 * step : (double)none;
    visit(step);
  }
  return 0;
}
