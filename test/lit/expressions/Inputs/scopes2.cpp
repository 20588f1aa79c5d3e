static int twice = -9;
extern int only;
int theirs() {
  twice += only & 15;
  return twice;
}
