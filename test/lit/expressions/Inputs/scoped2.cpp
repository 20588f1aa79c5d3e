extern int seen;
static int twice = -9;
namespace {
int hidden = 1000;
}
void theirs(int step) {
  seen = twice;
  twice -= step; // here twice
  seen = hidden;
  hidden += step; // here hidden
}
