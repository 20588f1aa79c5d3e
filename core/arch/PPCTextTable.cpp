//===- PPCTextTable.cpp - POWER instructions that LLVM lacks --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands, in the order in which they are written:
//   T A B  floating-point registers;  t a b  those of a pair (an even number)
//   V W    vector registers in the places of T and B
//   d e f  general registers in the places of T, A and B;  0  A, 0 if it is 0
//   c      a field of the condition register
//   R M    the R bit, the rounding mode;  E  a number in the place of A
//   s S    the two sign bits of ddedpd, the one of denbcd
//   H      six bits for a shift or a mask;  U  six bits in front of B
//   k  N   the two lowest bits of the place of T, three of A's
//
//===----------------------------------------------------------------------===//

#include "core/arch/PPCTextTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <iterator>

using namespace llvm;

namespace rw::ppc {

namespace {
struct Row {
  uint32_t Mask, Value;
  const char *Name;
  const char *Operands;
};

// Masks: of a 10-bit, 9-bit and 8-bit extended opcode, with or without the Rc
// bit, which ends the mnemonic in a dot where there is one. Reserved bits do
// not matter.
constexpr uint32_t FormX = 0xfc0007fe, Z22 = 0xfc0003fe, Z23 = 0xfc0001fe;
constexpr uint32_t XNoRc = FormX | 1, Z22NoRc = Z22 | 1;
constexpr uint32_t op(unsigned Major, unsigned XO) {
  return Major << 26 | XO << 1;
}

constexpr Row Rows[] = {
    {FormX, op(59, 2), "dadd", "TAB"},
    {FormX, op(63, 2), "daddq", "tab"},
    {FormX, op(59, 34), "dmul", "TAB"},
    {FormX, op(63, 34), "dmulq", "tab"},
    {FormX, op(59, 514), "dsub", "TAB"},
    {FormX, op(63, 514), "dsubq", "tab"},
    {FormX, op(59, 546), "ddiv", "TAB"},
    {FormX, op(63, 546), "ddivq", "tab"},
    {XNoRc, op(59, 130), "dcmpo", "cAB"},
    {XNoRc, op(63, 130), "dcmpoq", "cab"},
    {XNoRc, op(59, 642), "dcmpu", "cAB"},
    {XNoRc, op(63, 642), "dcmpuq", "cab"},
    {XNoRc, op(59, 162), "dtstex", "cAB"},
    {XNoRc, op(63, 162), "dtstexq", "cab"},
    {XNoRc, op(59, 674), "dtstsf", "cAB"},
    {XNoRc, op(63, 674), "dtstsfq", "cAb"},
    {XNoRc, op(59, 675), "dtstsfi", "cUB"},
    {XNoRc, op(63, 675), "dtstsfiq", "cUb"},
    {FormX, op(59, 258), "dctdp", "TB"},
    {FormX, op(63, 258), "dctqpq", "tB"},
    {FormX, op(59, 770), "drsp", "TB"},
    {FormX, op(63, 770), "drdpq", "tb"},
    {FormX, op(59, 802), "dcffix", "TB"},
    {FormX, op(63, 802), "dcffixq", "tB"},
    {FormX, op(59, 290), "dctfix", "TB"},
    {FormX, op(63, 290), "dctfixq", "Tb"},
    {XNoRc | 31u << 16, op(63, 994), "dcffixqq", "tW"},
    {XNoRc | 31u << 16, op(63, 994) | 1u << 16, "dctfixqq", "Vb"},
    {FormX, op(59, 322), "ddedpd", "sTB"},
    {FormX, op(63, 322), "ddedpdq", "stb"},
    {FormX, op(59, 834), "denbcd", "STB"},
    {FormX, op(63, 834), "denbcdq", "Stb"},
    {FormX, op(59, 354), "dxex", "TB"},
    {FormX, op(63, 354), "dxexq", "Tb"},
    {FormX, op(59, 866), "diex", "TAB"},
    {FormX, op(63, 866), "diexq", "tAb"},
    {Z22, op(59, 66), "dscli", "TAH"},
    {Z22, op(63, 66), "dscliq", "taH"},
    {Z22, op(59, 98), "dscri", "TAH"},
    {Z22, op(63, 98), "dscriq", "taH"},
    {Z22NoRc, op(59, 194), "dtstdc", "cAH"},
    {Z22NoRc, op(63, 194), "dtstdcq", "caH"},
    {Z22NoRc, op(59, 226), "dtstdg", "cAH"},
    {Z22NoRc, op(63, 226), "dtstdgq", "caH"},
    {Z23, op(59, 67), "dquai", "ETBM"},
    {Z23, op(63, 67), "dquaiq", "EtbM"},
    {Z23, op(59, 3), "dqua", "TABM"},
    {Z23, op(63, 3), "dquaq", "tabM"},
    {Z23, op(59, 35), "drrnd", "TABM"},
    {Z23, op(63, 35), "drrndq", "tAbM"},
    {Z23, op(59, 99), "drintx", "RTBM"},
    {Z23, op(63, 99), "drintxq", "RtbM"},
    {Z23, op(59, 227), "drintn", "RTBM"},
    {Z23, op(63, 227), "drintnq", "RtbM"},
    {Z23 | 1, op(63, 5), "xsrqpi", "RVWM"},
    {Z23 | 1, op(63, 5) | 1, "xsrqpix", "RVWM"},
    {Z23 | 1, op(63, 37), "xsrqpxp", "RVWM"},
    {XNoRc, op(63, 838), "fmrgow", "TAB"},
    {XNoRc, op(63, 966), "fmrgew", "TAB"},
    {XNoRc, op(31, 310), "eciwx", "d0f"},
    {XNoRc, op(31, 438), "ecowx", "d0f"},
    {XNoRc, op(31, 533), "lswx", "d0f"},
    {XNoRc, op(31, 661), "stswx", "d0f"},
    {XNoRc | 1u << 25, op(31, 342), "dst", "efk"},
    {XNoRc | 1u << 25, op(31, 342) | 1u << 25, "dstt", "efk"},
    {XNoRc | 1u << 25, op(31, 374), "dstst", "efk"},
    {XNoRc | 1u << 25, op(31, 374) | 1u << 25, "dststt", "efk"},
    {XNoRc | 1u << 25, op(31, 822), "dss", "k"},
    {XNoRc | 1u << 25, op(31, 822) | 1u << 25, "dssall", ""},
    {XNoRc | 0x1f << 11, op(31, 154), "prtyw", "ed"},
    {XNoRc | 0x1f << 11, op(31, 186), "prtyd", "ed"},
    {XNoRc | 0x3ff << 16, op(31, 78), "msgsndu", "f"},
    {XNoRc | 0x3ff << 16, op(31, 110), "msgclru", "f"},
    {XNoRc | 0x3ff << 16, op(31, 142), "msgsndp", "f"},
    {XNoRc | 0x3ff << 16, op(31, 174), "msgclrp", "f"},
    {XNoRc | 0x3ff << 16, op(31, 206), "msgsnd", "f"},
    {XNoRc | 0x3ff << 16, op(31, 238), "msgclr", "f"},
    {0xffffffff, op(19, 306), "urfid", ""},
    {0xfc0007ff, 4u << 26 | 1228, "vgnb", "dWN"},
};

/// Special registers that the GNU tools have mnemonics for and LLVM has not
/// (or, with an empty name, the other way round).
struct SprName {
  uint16_t Number;
  enum Direction : uint8_t { From = 1, To = 2, Both = 3 } For;
  const char *Name;
};
constexpr auto From = SprName::From, To = SprName::To, Both = SprName::Both;
constexpr SprName SprNames[] = {
    {20, To, "rtcu"},       {21, To, "rtcl"},       {48, Both, "pidr"},
    {61, Both, "iamr"},     {128, To, "tfhar"},     {129, To, "tfiar"},
    {130, To, "texasr"},    {131, To, "texasru"},   {136, From, "ctrl"},
    {152, To, "ctrl"},      {153, Both, "fscr"},    {157, Both, "uamor"},
    {159, Both, "pspb"},    {176, Both, "dpdes"},   {180, Both, "dawr0"},
    {181, Both, "dawr1"},   {186, Both, "rpr"},     {187, Both, "ciabr"},
    {188, Both, "dawrx0"},  {189, Both, "dawrx1"},  {190, Both, "hfscr"},
    {256, Both, "vrsave"},  {259, From, "usprg3"},  {268, From, "tb"},
    {269, From, "tbu"},     {282, Both, "ear"},     {286, To, "tbu40"},
    {304, Both, "hsprg0"},  {305, Both, "hsprg1"},  {306, Both, "hdisr"},
    {307, Both, "hdar"},    {308, Both, "spurr"},   {309, Both, "purr"},
    {310, Both, "hdec"},    {313, Both, "hrmor"},   {314, Both, "hsrr0"},
    {315, Both, "hsrr1"},   {318, Both, "lpcr"},    {319, Both, "lpidr"},
    {336, Both, "hmer"},    {337, Both, "hmeer"},   {338, Both, "pcr"},
    {339, Both, "heir"},    {349, Both, "amor"},    {446, From, "tir"},
    {464, Both, "ptcr"},    {496, Both, "usprg0"},  {497, Both, "usprg1"},
    {505, Both, "urmor"},   {506, Both, "usrr0"},   {507, Both, "usrr1"},
    {511, Both, "smfctrl"}, {512, Both, ""},        {736, From, "usier2"},
    {737, From, "usier3"},  {738, From, "ummcr3"},  {752, To, "sier2"},
    {753, To, "sier3"},     {754, To, "mmcr3"},     {768, From, "usier"},
    {769, Both, "ummcr2"},  {770, Both, "ummcra"},  {771, Both, "upmc1"},
    {772, Both, "upmc2"},   {773, Both, "upmc3"},   {774, Both, "upmc4"},
    {775, Both, "upmc5"},   {776, Both, "upmc6"},   {779, Both, "ummcr0"},
    {780, From, "usiar"},   {781, From, "usdar"},   {782, From, "ummcr1"},
    {784, To, "sier"},      {786, To, "mmcra"},     {787, To, "pmc1"},
    {788, To, "pmc2"},      {789, To, "pmc3"},      {790, To, "pmc4"},
    {791, To, "pmc5"},      {792, To, "pmc6"},      {795, To, "mmcr0"},
    {796, To, "siar"},      {797, To, "sdar"},      {798, To, "mmcr1"},
    {800, Both, "bescrs"},  {801, Both, "bescrsu"}, {802, Both, "bescrr"},
    {803, Both, "bescrru"}, {804, Both, "ebbhr"},   {805, Both, "ebbrr"},
    {806, Both, "bescr"},   {815, Both, "tar"},     {816, Both, "asdr"},
    {823, Both, "psscr"},   {848, Both, "ic"},      {849, Both, "vtb"},
    {855, Both, "hpsscr"},  {898, Both, "ppr32"},   {980, Both, ""},
    {981, Both, ""},        {986, Both, ""},        {988, Both, ""},
    {989, Both, ""},        {990, Both, ""},        {991, Both, ""},
    {1018, Both, ""},       {1019, Both, ""},       {1023, From, "pir"},
};

/// "mfhsprg0 r5".
std::optional<std::string> special(uint32_t Op) {
  const unsigned XO = Op >> 1 & 0x3ff;
  const bool IsTo = XO == 467;
  if ((!IsTo && XO != 339) || Op & 1)
    return std::nullopt;
  const unsigned Number = (Op >> 16 & 31) | (Op >> 11 & 31) << 5;
  const std::string Register = "r" + utostr(Op >> 21 & 31);
  if (Number >= 272 && Number <= 275) {
    const std::string N = utostr(Number - 272);
    return IsTo ? "mtsprg " + N + "," + Register
                : "mfsprg " + Register + "," + N;
  }
  const SprName *It = std::lower_bound(
      std::begin(SprNames), std::end(SprNames), Number,
      [](const SprName &S, unsigned N) { return S.Number < N; });
  if (It == std::end(SprNames) || It->Number != Number ||
      !(It->For & (IsTo ? To : From)))
    return std::nullopt;
  if (!*It->Name)
    return IsTo ? "mtspr " + utostr(Number) + "," + Register
                : "mfspr " + Register + "," + utostr(Number);
  return (IsTo ? "mt" : "mf") + std::string(It->Name) + " " + Register;
}

std::string name(char Kind, unsigned N) { return Kind + utostr(N); }

std::string operand(char Kind, uint32_t Op) {
  const unsigned T = Op >> 21 & 31, A = Op >> 16 & 31, B = Op >> 11 & 31;
  auto pair = [](unsigned N) { return name('f', N & ~1u); };
  switch (Kind) {
  case 'T':
    return name('f', T);
  case 'A':
    return name('f', A);
  case 'B':
    return name('f', B);
  case 't':
    return pair(T);
  case 'a':
    return pair(A);
  case 'b':
    return pair(B);
  case 'V':
    return name('v', T);
  case 'W':
    return name('v', B);
  case 'd':
    return name('r', T);
  case 'e':
    return name('r', A);
  case 'f':
    return name('r', B);
  case '0':
    return A ? name('r', A) : "0";
  case 'c':
    return "cr" + utostr(T >> 2);
  case 'R':
    return utostr(A & 1);
  case 'M':
    return utostr(Op >> 9 & 3);
  case 'E':
    return itostr(A < 16 ? int(A) : int(A) - 32);
  case 's':
    return utostr(A >> 3);
  case 'N':
    return utostr(A & 7);
  case 'S':
    return utostr(A >> 4);
  case 'H':
    return utostr(Op >> 10 & 63);
  case 'U':
    return utostr(Op >> 16 & 63);
  default:
    return utostr(T & 3);
  }
}
} // namespace

std::optional<std::string> tabledText(uint32_t Op) {
  const unsigned Major = Op >> 26;
  if (Major == 31)
    if (auto Text = special(Op))
      return Text;
  if (Major != 4 && Major != 19 && Major != 31 && Major != 59 && Major != 63)
    return std::nullopt;
  const Row *R = std::find_if(std::begin(Rows), std::end(Rows), [&](auto &Row) {
    return (Op & Row.Mask) == Row.Value;
  });
  if (R == std::end(Rows))
    return std::nullopt;
  if (Op >> 21 & 1 && StringRef(R->Operands).contains('t'))
    return ""; // the result does not fit
  std::string Text = R->Name;
  if (!(R->Mask & 1) && Op & 1)
    Text += '.';
  char Before = ' ';
  for (char Kind : StringRef(R->Operands)) {
    Text += Before + operand(Kind, Op);
    Before = ',';
  }
  return Text;
}

} // namespace rw::ppc
