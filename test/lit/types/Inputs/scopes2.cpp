// Another file's: seen by no other, but these functions see them.
static int same = 91;
static int own2 = 92;
namespace a {
int far = 93;
}
int file2(int v) { return v + same++ + own2 + a::far; }
