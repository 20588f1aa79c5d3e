//===- Screen.cpp ---------------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/view/terminal/Screen.h"
#include "commands/support/Options.h"
#include "core/support/Temporary.h"
#include <atomic>
#include <chrono>
#include <clocale>
#include <csignal>
#include <cstring>
#include <cwchar>
#include <deque>
#include <fcntl.h>
#include <langinfo.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>
// What <term.h> calls so is none of ours.
#undef columns
#undef lines

using namespace llvm;

namespace rw::term {

//===----------------------------------------------------------------------===//
// Giving the terminal back
//===----------------------------------------------------------------------===//

// For handlers of signals, which may do little.
static std::atomic<bool> Drawing{false};
static std::atomic<int> Ended{0};
static termios Saved;
static char RestoreText[256];
static size_t RestoreSize = 0;

static void restoreAtOnce() {
  if (!Drawing.exchange(false))
    return;
  // A terminal that takes nothing more must not keep the process from ending.
  const int Flags = fcntl(STDOUT_FILENO, F_GETFL);
  fcntl(STDOUT_FILENO, F_SETFL, Flags | O_NONBLOCK);
  for (size_t Done = 0; Done < RestoreSize;) {
    ssize_t N = write(STDOUT_FILENO, RestoreText + Done, RestoreSize - Done);
    if (N <= 0)
      break;
    Done += N;
  }
  fcntl(STDOUT_FILENO, F_SETFL, Flags);
  tcsetattr(STDIN_FILENO, TCSANOW, &Saved);
}

extern "C" void rewindBrowseEnds(int Signal) {
  // Whoever sends it twice means it.
  if (!Ended.exchange(Signal))
    return;
  restoreAtOnce();
  endBySignal(Signal);
}

extern "C" void rewindBrowseDies(int Signal) {
  restoreAtOnce();
  std::signal(Signal, SIG_DFL);
  raise(Signal);
}

static constexpr int EndingSignals[] = {SIGTERM, SIGHUP, SIGINT};
/// All others that end a process.
static constexpr int DeadlySignals[] = {
    SIGSEGV,   SIGBUS,  SIGFPE,  SIGILL,    SIGABRT, SIGQUIT, SIGTRAP, SIGSYS,
    SIGXCPU,   SIGALRM, SIGPROF, SIGVTALRM, SIGUSR1, SIGUSR2, SIGIO,   SIGPWR,
#ifdef SIGSTKFLT
    SIGSTKFLT,
#endif
};

/// Puts handlers in place, and the old ones back.
class SignalGuard {
public:
  SignalGuard() {
    size_t N = 0;
    for (int Signal : EndingSignals)
      set(Signal, rewindBrowseEnds, Old[N++]);
    for (int Signal : DeadlySignals)
      set(Signal, rewindBrowseDies, Old[N++]);
  }
  ~SignalGuard() {
    size_t N = 0;
    for (int Signal : EndingSignals)
      sigaction(Signal, &Old[N++], nullptr);
    for (int Signal : DeadlySignals)
      sigaction(Signal, &Old[N++], nullptr);
  }

private:
  struct sigaction Old[std::size(EndingSignals) + std::size(DeadlySignals)];
  static void set(int Signal, void (*Handler)(int), struct sigaction &Old) {
    struct sigaction Action = {};
    Action.sa_handler = Handler;
    sigemptyset(&Action.sa_mask);
    sigaction(Signal, &Action, &Old);
  }
};

static void noteRestoring() {
  RestoreSize = 0;
  auto Add = [](const char *Name) {
    const char *Text = tigetstr(const_cast<char *>(Name));
    if (!Text || Text == reinterpret_cast<const char *>(-1))
      return;
    size_t Size = std::strlen(Text);
    if (RestoreSize + Size <= sizeof RestoreText) {
      std::memcpy(RestoreText + RestoreSize, Text, Size);
      RestoreSize += Size;
    }
  };
  Add("sgr0");
  Add("rmkx");
  Add("cnorm");
  Add("rmcup");
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

/// What terminals send besides what terminfo says of them.
static constexpr struct {
  const char *Sent;
  Key Meant;
} Sequences[] = {
    {"\033[A", key::Up},         {"\033[B", key::Down},
    {"\033[C", key::Right},      {"\033[D", key::Left},
    {"\033OA", key::Up},         {"\033OB", key::Down},
    {"\033OC", key::Right},      {"\033OD", key::Left},
    {"\033[H", key::Home},       {"\033[F", key::End},
    {"\033OH", key::Home},       {"\033OF", key::End},
    {"\033[1~", key::Home},      {"\033[4~", key::End},
    {"\033[7~", key::Home},      {"\033[8~", key::End},
    {"\033[5~", key::PageUp},    {"\033[6~", key::PageDown},
    {"\033[3~", key::Delete},    {"\033[Z", key::BackTab},
    {"\033[1;3D", key::AltLeft}, {"\033[1;3C", key::AltRight},
    {"\033[1;9D", key::AltLeft}, {"\033[1;9C", key::AltRight},
    {"\033OP", key::F1},         {"\033[11~", key::F1},
    {"\033[[A", key::F1},        {"\033[17~", key::F6},
    {"\033[18~", key::F6 + 1},   {"\033[19~", key::F6 + 2},
    {"\033[21~", key::F10},
};
/// ncurses numbers what terminfo has besides the usual keys from KEY_MAX on.
static constexpr int FirstSequence = 0x4000;

static Key keyOf(int Code) {
  if (Code >= FirstSequence && Code < FirstSequence + int(std::size(Sequences)))
    return Sequences[Code - FirstSequence].Meant;
  if (Code >= KEY_F(1) && Code <= KEY_F(12))
    return key::F1 + (Code - KEY_F(1));
  switch (Code) {
  case KEY_UP:
    return key::Up;
  case KEY_DOWN:
    return key::Down;
  case KEY_LEFT:
    return key::Left;
  case KEY_RIGHT:
    return key::Right;
  case KEY_PPAGE:
    return key::PageUp;
  case KEY_NPAGE:
    return key::PageDown;
  case KEY_HOME:
    return key::Home;
  case KEY_END:
    return key::End;
  case KEY_BACKSPACE:
    return key::Backspace;
  case KEY_DC:
    return key::Delete;
  case KEY_BTAB:
    return key::BackTab;
  case KEY_ENTER:
    return key::Return;
  case KEY_RESIZE:
    return key::Resize;
  default:
    return key::None;
  }
}

//===----------------------------------------------------------------------===//
// The screen
//===----------------------------------------------------------------------===//

struct Screen::Impl {
  SCREEN *Terminal = nullptr;
  SignalGuard Signals;
  Options O;
  std::optional<Canvas> Shown;
  std::deque<Key> Waiting;
  /// Read, and not understood yet: what follows a byte that is no character.
  std::deque<int> Codes;
  bool Interrupted = false, BottomIsOther = false;
  std::chrono::steady_clock::time_point NextLook;
  attr_t Attributes[NumStyles] = {};
  short Pairs[NumStyles] = {};

  void chooseLooks();
  std::optional<int> takeCode(int Milliseconds);
  std::optional<Key> take(int Milliseconds);
  bool skipUnknownKey();
  Key character(char First);
  void draw(int X, int Y, uint32_t Code, bool Wide, attr_t Attribute,
            short Pair);
};

void Screen::Impl::chooseLooks() {
  auto Set = [&](Style S, attr_t Attribute) {
    Attributes[unsigned(S)] = Attribute;
  };
  Set(Style::Dim, A_DIM);
  Set(Style::Current, A_BOLD);
  Set(Style::Rule, A_BOLD);
  Set(Style::Status, A_REVERSE);
  Set(Style::Focus, A_REVERSE | A_BOLD);
  Set(Style::Changed, A_BOLD | A_UNDERLINE);
  Set(Style::Unknown, A_DIM);
  Set(Style::Write, A_BOLD);
  Set(Style::Event, A_BOLD);
  Set(Style::Fold, A_BOLD);
  Set(Style::Error, A_BOLD);
  if (!O.Colour || !has_colors() || start_color() == ERR)
    return;
  use_default_colors();
  auto Colour = [&](Style S, short Foreground, attr_t Attribute) {
    short Pair = short(S) + 1;
    if (init_pair(Pair, Foreground, -1) == ERR)
      return;
    Pairs[unsigned(S)] = Pair;
    Set(S, Attribute);
  };
  Colour(Style::Changed, COLOR_CYAN, A_BOLD);
  Colour(Style::Read, COLOR_YELLOW, A_NORMAL);
  Colour(Style::Write, COLOR_CYAN, A_NORMAL);
  Colour(Style::Event, COLOR_MAGENTA, A_BOLD);
  Colour(Style::Error, COLOR_RED, A_BOLD);
}

Screen::Screen() : I(std::make_unique<Impl>()) {}

bool Screen::localeIsUtf8() {
  std::setlocale(LC_CTYPE, "");
  return std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

Expected<std::unique_ptr<Screen>> Screen::open(Options O) {
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
    return userError("this is no terminal: rewind list and its kin print what "
                     "rewind browse shows");
  std::setlocale(LC_CTYPE, "");
  if (tcgetattr(STDIN_FILENO, &Saved))
    return userError("the terminal does not tell its settings");
  const char *Name = std::getenv("TERM");
  int Status = 0;
  if (setupterm(nullptr, STDOUT_FILENO, &Status) == ERR)
    return userError("the terminal '" + Twine(Name ? Name : "") +
                     "' (TERM) is not known to ncurses");
  const char *Moves = tigetstr(const_cast<char *>("cup"));
  if (!Moves || Moves == reinterpret_cast<const char *>(-1))
    return userError("the terminal '" + Twine(Name ? Name : "") +
                     "' (TERM) has no cursor that can be moved");
  Ended = 0;
  std::unique_ptr<Screen> S(new Screen);
  S->I->O = O;
  noteRestoring();
  S->I->Terminal = newterm(nullptr, stdout, stdin);
  if (!S->I->Terminal)
    return userError("ncurses cannot use this terminal");
  Drawing = true;
  raw();
  noecho();
  nonl();
  keypad(stdscr, TRUE);
  meta(stdscr, TRUE);
  set_escdelay(25);
  for (size_t N = 0; N < std::size(Sequences); ++N)
    define_key(Sequences[N].Sent, FirstSequence + int(N));
  S->I->chooseLooks();
  return S;
}

Screen::~Screen() {
  if (!I->Terminal)
    return;
  endwin();
  Drawing = false;
  delscreen(I->Terminal);
}

int Screen::width() const { return getmaxx(stdscr); }
int Screen::height() const { return getmaxy(stdscr); }
int Screen::ended() const { return Ended; }

/// A byte, or a key by its number, as ncurses has it.
std::optional<int> Screen::Impl::takeCode(int Milliseconds) {
  if (!Codes.empty()) {
    const int Code = Codes.front();
    Codes.pop_front();
    return Code;
  }
  wtimeout(stdscr, Milliseconds);
  const int Code = wgetch(stdscr);
  return Code == ERR ? std::nullopt : std::optional(Code);
}

/// The character of the locale that begins with \p First, or none. ncurses
/// itself (wget_wch) would throw away what is typed behind a wrong byte.
Key Screen::Impl::character(char First) {
  std::string Text(1, First);
  while (true) {
    std::mbstate_t State{};
    wchar_t Wide;
    const size_t Size = std::mbrtowc(&Wide, Text.data(), Text.size(), &State);
    if (Size == size_t(-1)) {
      for (char C : reverse(StringRef(Text).drop_front()))
        Codes.push_front(uint8_t(C));
      return key::None;
    }
    if (Size != size_t(-2))
      return Key(Wide);
    const auto Next = takeCode(50);
    if (!Next)
      return key::None;
    if (*Next > 0xff) {
      Codes.push_front(*Next);
      return key::None;
    }
    Text += char(*Next);
  }
}

/// What follows an Escape at once, if that is a key that nobody knows (ECMA-48,
/// 5.4), is not typed.
bool Screen::Impl::skipUnknownKey() {
  std::string Text;
  auto Next = [&]() -> int {
    auto Code = takeCode(0);
    if (Code && *Code < 0x80) {
      Text += char(*Code);
      return *Code;
    }
    if (Code)
      Codes.push_front(*Code);
    return 0;
  };
  int Last = Next();
  if (Last == 'O')
    Last = Next();
  else if (Last == '[')
    do
      Last = Next();
    while (Last >= 0x20 && Last < 0x40);
  else
    Last = 0;
  if (Last >= 0x40)
    return true;
  for (char C : reverse(Text))
    Codes.push_front(C);
  return false;
}

std::optional<Key> Screen::Impl::take(int Milliseconds) {
  const auto Code = takeCode(Milliseconds);
  if (!Code)
    return std::nullopt;
  if (*Code > 0xff)
    return keyOf(*Code);
  if (*Code == 0x7f || *Code == 0x08)
    return key::Backspace;
  if (*Code == int(key::ctrl('Z'))) {
    // As a terminal does it: whoever waits for this process stops, too.
    ::kill(0, SIGTSTP);
    return key::Resize; // draws again
  }
  if (*Code == int(key::Escape) && skipUnknownKey())
    return key::None;
  return *Code < 0x80 ? Key(*Code) : character(char(*Code));
}

Key Screen::read(int Milliseconds) {
  I->Interrupted = false;
  if (!I->Waiting.empty()) {
    Key K = I->Waiting.front();
    I->Waiting.pop_front();
    return K;
  }
  auto K = I->take(Milliseconds);
  if (K)
    return *K;
  // A terminal that is gone has no more keys.
  pollfd P = {STDIN_FILENO, POLLIN, 0};
  if (poll(&P, 1, 0) > 0 && (P.revents & (POLLHUP | POLLERR | POLLNVAL)))
    Ended = SIGHUP;
  // LLDB sets the terminal its own way when it is continued after Ctrl-Z.
  termios Now;
  if (!tcgetattr(STDIN_FILENO, &Now) && (Now.c_lflag & ICANON)) {
    endwin();
    return key::Resize; // draws again, with our settings
  }
  return key::None;
}

bool Screen::interrupted() {
  if (I->Interrupted || Ended)
    return true;
  auto Now = std::chrono::steady_clock::now();
  if (Now < I->NextLook)
    return false;
  I->NextLook = Now + std::chrono::milliseconds(50);
  while (auto K = I->take(0)) {
    if (*K == key::ctrl('C') || *K == key::Escape) {
      // What was typed ahead was not typed for what comes instead.
      I->Waiting.clear();
      I->Interrupted = true;
      return true;
    }
    if (I->Waiting.size() < 4096)
      I->Waiting.push_back(*K);
  }
  return false;
}

void Screen::forget() {
  I->Shown.reset();
  clearok(stdscr, TRUE);
}

/// What LLVM and the C library do not take for equally wide would shift the
/// rest of the line.
void Screen::Impl::draw(int X, int Y, uint32_t Code, bool Wide,
                        attr_t Attribute, short Pair) {
  const bool Known = !O.Utf8 || ::wcwidth(wchar_t(Code)) == (Wide ? 2 : 1);
  wchar_t Text[] = {Known ? wchar_t(Code) : L'?', 0};
  cchar_t Char;
  setcchar(&Char, Text, Attribute, Pair, nullptr);
  mvwadd_wch(stdscr, Y, X, &Char);
  if (!Known && Wide)
    draw(X + 1, Y, ' ', /*Wide=*/false, Attribute, Pair);
}

void Screen::show(const Canvas &C) {
  const bool All = !I->Shown || I->Shown->width() != C.width() ||
                   I->Shown->height() != C.height();
  if (All)
    werase(stdscr);
  std::vector<int> Changed;
  for (int Y = 0; Y < C.height(); ++Y)
    for (int X = 0; X < C.width(); ++X) {
      const Cell &To = C.at(X, Y);
      // Both halves of a wide character are drawn with the first.
      const bool Half = X + 1 < C.width() && !C.at(X + 1, Y).Code;
      if (!To.Code)
        continue;
      const bool Other = I->BottomIsOther && Y + 1 == C.height();
      if (!All && !Other && I->Shown->at(X, Y) == To &&
          (!Half || I->Shown->at(X + 1, Y) == C.at(X + 1, Y)))
        continue;
      if (Changed.empty() || Changed.back() != Y)
        Changed.push_back(Y);
      attr_t Attribute = I->Attributes[unsigned(To.Look)];
      if (To.Reverse)
        Attribute ^= A_REVERSE;
      I->draw(X, Y, To.Code, Half, Attribute, I->Pairs[unsigned(To.Look)]);
    }
  // Where lines have moved, ncurses would scroll a part of the screen by
  // several lines, which not every program that is a terminal can do (SU, SD).
  if (All)
    redrawwin(stdscr);
  else if (Changed.size() > 1)
    for (int Y : Changed)
      wredrawln(stdscr, Y, 1);
  if (C.Cursor) {
    wmove(stdscr, C.Cursor->second, C.Cursor->first);
    curs_set(1);
  } else {
    curs_set(0);
  }
  wrefresh(stdscr);
  I->Shown = C;
  I->BottomIsOther = false;
}

void Screen::showBottom(StringRef Text) {
  Canvas Line(width(), 1, I->O.Utf8);
  Area(Line, {0, 0, width(), 1}).put(0, 0, fitted(Text, width(), Line.more()));
  for (int X = 0; X < Line.width(); ++X) {
    const Cell &To = Line.at(X, 0);
    if (To.Code)
      I->draw(X, height() - 1, To.Code,
              X + 1 < Line.width() && !Line.at(X + 1, 0).Code, A_NORMAL, 0);
  }
  wrefresh(stdscr);
  I->BottomIsOther = true;
}

} // namespace rw::term
