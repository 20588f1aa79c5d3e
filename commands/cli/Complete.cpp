//===- Complete.cpp - Completion in the shell -----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/cli/Complete.h"
#include "commands/cli/ShellOptions.h"
#include "commands/lvalues/ImageSession.h"
#include "commands/support/Completion.h"
#include "commands/support/LoadOptions.h"
#include "commands/support/PositionExpr.h"
#include "commands/support/Visits.h"
#include "core/OpenTrace.h"
#include "core/support/Printable.h"
#include "core/support/Words.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace rw {

/// The trace that the words name, and its images, if it has a good index.
class OpenForCompletion {
public:
  explicit OpenForCompletion(ArrayRef<StringRef> Words) {
    // What is wrong with the line so far, the command will tell.
    consumeError(open(Words));
  }
  Session *session() { return Usable ? &Of->session() : nullptr; }

private:
  Error open(ArrayRef<StringRef> Words) {
    auto Line = parseCommandLine(Words);
    if (!Line)
      return Line.takeError();
    if (!Line->What || Line->Trace.empty() || Line->Trace == "-")
      return Error::success();
    SmallString<256> Path;
    sys::fs::expand_tilde(Line->Trace, Path);
    auto Index = indexOptions(Line->Options, showsValues(*Line->What));
    if (!Index)
      return Index.takeError();
    Index->Never = true;
    Index->Force = false;
    auto Trace = openTraceStore(Path, *Index, {});
    if (!Trace)
      return Trace.takeError();
    Opened = std::move(*Trace);
    Of.emplace(*Opened->Store, nulls());
    Session &S = Of->session();
    S.TracePath = Path.str().str();
    S.StorePath = Opened->Report.Path;
    Usable = true;
    auto Images = imageOptions(Line->Options);
    if (!Images)
      return Images.takeError();
    if (Error E = Of->add(std::move(*Images), /*Force=*/true))
      return E;
    auto At = Line->Options.value("at");
    if (!At)
      return Error::success();
    auto Where = parsePosition(S, *At);
    if (Where) {
      S.Here = *Where;
      return Error::success();
    }
    // Some commands take a place of the code.
    if (none_of(Line->What->Options, [](const OptionSpec &O) {
          return O.Long == "at" && O.Value == "place";
        }))
      return Where.takeError();
    consumeError(Where.takeError());
    auto Code = parseCodePlace(S, S.Here, *At, /*Entry=*/false);
    if (!Code)
      return Code.takeError();
    auto M = visitFrom(S.Store, *Code, 0, std::nullopt);
    if (!M || !*M)
      return M.takeError();
    auto T = S.Store.threadAt(**M);
    if (!T)
      return T.takeError();
    S.Here = {*T, **M};
    return Error::success();
  }

  std::optional<OpenedTrace> Opened;
  std::optional<ImageSession> Of;
  bool Usable = false;
};

/// Whether the trace, or what is chosen before it, is what comes next; then
/// that is offered.
static bool completeTrace(const Command &C, size_t Arguments, Completion &Of) {
  if (C.WithoutTrace)
    return false;
  if (!choice(C).empty() && Arguments == 0) {
    for (StringRef Choice : split(choice(C), '|'))
      Of.add(Choice);
    return true;
  }
  if (Arguments > (choice(C).empty() ? 0u : 1u))
    return false;
  Of.Files = true;
  return true;
}

namespace {
/// The words that a shell's own command line is made of.
struct SplitLine {
  std::vector<std::string> Words;
  bool OpenQuote = false;
  /// What the last word is: that of the command; a file that '<' or '>' names;
  /// or one that the '>' of a "->" names which is not quoted.
  enum { Argument, Redirection, Arrow } Last = Argument;
};
} // namespace

static SplitLine splitLine(StringRef Text) {
  SplitLine L;
  std::vector<std::string> &Words = L.Words;
  std::string Word;
  bool Begun = false, Named = false; // behind '>', the file has begun
  char Quote = 0;
  for (size_t I = 0; I < Text.size(); ++I) {
    const char C = Text[I];
    if (L.Last != L.Argument && !isSpace(C) && C != '>' && C != '<')
      Named = true;
    if (Quote == '\'' ? C == '\'' : Quote && C == '"') {
      Quote = 0;
    } else if (!Quote && (C == '\'' || C == '"')) {
      Quote = C;
      Begun = true;
    } else if (C == '\\' && Quote != '\'' && I + 1 < Text.size()) {
      Word += Text[++I];
      Begun = true;
    } else if (!Quote && isSpace(C)) {
      if (Begun)
        Words.push_back(std::exchange(Word, ""));
      Begun = false;
      if (Named)
        L.Last = L.Argument;
      Named &= L.Last != L.Argument;
    } else {
      if (!Quote && (C == '<' || C == '>')) {
        L.Last = C == '>' && StringRef(Word).ends_with("-") ? L.Arrow
                                                            : L.Redirection;
        Named = false;
      }
      Word += C;
      Begun = true;
    }
  }
  Words.push_back(Word);
  L.OpenQuote = Quote;
  return L;
}

/// \p Text as a shell reads it without quotes.
static std::string quoted(StringRef Text) {
  std::string Quoted;
  for (char C : Text) {
    if (C == '$' || (!isWord(C) && !StringRef("-.,:/=+@%^~#").contains(C)))
      Quoted += '\\';
    Quoted += C;
  }
  return Quoted;
}

/// Hands what \p Word may be, behind the others, to \p Done.
static void completeWord(ArrayRef<StringRef> Before, StringRef Word,
                         function_ref<void(const Completion &)> Done) {
  const size_t First = nameIndex(Before);
  const std::vector<ArrayRef<OptionSpec>> Common = {loadOptions(),
                                                    shellOptions()};
  if (First >= Before.size()) {
    Completion Of(nullptr, Word);
    static constexpr Command Nothing = {
        .Name = "", .Summary = "", .Help = "", .MaxArguments = 0};
    if (Completion::isOption(Word) || First > Before.size() ||
        !Completion::sort(Common, Before).Option.empty()) {
      Of.line(Nothing, Common, Before);
    } else {
      Of.commandNames(shellCommands(), {});
      Of.add("help", "Explain a command");
    }
    return Done(Of);
  }
  if (Before[First] == "help") {
    Completion Of(nullptr, Word);
    Of.commandNames(shellCommands(), Before.drop_front(First + 1));
    return Done(Of);
  }
  const NamedCommand Named =
      nameShellCommand(Before.drop_front(First).take_while(
          [](StringRef W) { return !W.starts_with("-"); }));
  if (!Named.What) {
    Completion Of(nullptr, Word);
    if (!Named.Family.empty())
      Of.commandNames(shellCommands(), {Named.Family});
    return Done(Of);
  }
  const Command &C = *Named.What;
  std::vector<ArrayRef<OptionSpec>> Tables = {C.Options};
  append_range(Tables, Common);
  SmallVector<StringRef> Rest(Before.take_front(First));
  append_range(Rest, Before.drop_front(First + Named.Used));
  const Completion::Sorted Known = Completion::sort(Tables, Rest);
  const bool WantsArgument =
      Known.Option.empty() && (Known.Ended || !Completion::isOption(Word));
  if (WantsArgument) {
    Completion Of(nullptr, Word);
    if (completeTrace(C, Known.Arguments.size(), Of)) {
      // A family's command may be a family's name alone, too.
      if (Rest.size() == First && Named.Used == 1)
        Of.commandNames(shellCommands(), {C.Name.split(' ').first});
      return Done(Of);
    }
  }
  SmallVector<StringRef> Given(Before);
  if (!Known.Option.empty())
    Given.pop_back();
  OpenForCompletion Trace(Given);
  // The trace is no argument of the command.
  const size_t Place = choice(C).empty() ? 0 : 1;
  if (!C.WithoutTrace && Known.Arguments.size() > Place)
    Rest.erase(Rest.begin() + Known.Arguments[Place]);
  Completion Of(Trace.session(), Word);
  Of.line(C, Tables, Rest);
  Done(Of);
}

void completeShellLine(ArrayRef<StringRef> Request, raw_ostream &Out) {
  if (Request.size() < 2)
    return;
  const bool IsLine = Request[0] == "line";
  bool OpenQuote = false;
  std::vector<std::string> Words;
  if (IsLine) {
    SplitLine L = splitLine(Request[1]);
    // The shell's file is none of the command's words. What is offered behind
    // an arrow would be the name of a file to write over.
    if (L.Last != L.Argument) {
      Out << (L.Last == L.Redirection ? "files\n" : "\n");
      return;
    }
    OpenQuote = L.OpenQuote;
    Words = std::move(L.Words);
    Words.erase(Words.begin()); // "rewind"
  } else {
    for (StringRef W : Request.drop_front())
      Words.push_back(W.str());
  }
  if (Words.empty())
    return;
  SmallVector<StringRef> Before(Words.begin(), Words.end() - 1);
  // What the shell replaces: it has its own idea of where a word begins.
  size_t Kept = 0;
  if (IsLine && Request.size() > 2) {
    const std::string Replaced = splitLine(Request[2]).Words.back();
    if (StringRef(Words.back()).ends_with(Replaced))
      Kept = Words.back().size() - Replaced.size();
  }
  completeWord(Before, Words.back(), [&](const Completion &Of) {
    Out << (Of.Files ? "files" : "") << '\n';
    for (const Completion::Candidate &C : Of.found()) {
      const StringRef Text = StringRef(C.Text).drop_front(Kept);
      if (!IsLine)
        Out << Text << '\t' << printable(C.Note) << '\n';
      else
        Out << (OpenQuote ? Text.str() : quoted(Text)) << '\n';
    }
  });
}

} // namespace rw
