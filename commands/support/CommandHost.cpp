//===- CommandHost.cpp - Commands for those without a terminal ------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/CommandHost.h"
#include "commands/support/CommandNames.h"
#include "commands/support/Completion.h"
#include "core/support/LineWords.h"
#include "core/support/Printable.h"
#include "core/support/Shortened.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

namespace {
/// Hands on whole lines, made printable.
class LineStream final : public raw_ostream {
public:
  explicit LineStream(function_ref<void(StringRef)> Print) : Print(Print) {}
  ~LineStream() override {
    flush();
    if (!Pending.empty())
      Print(printableLines(Pending));
  }

private:
  function_ref<void(StringRef)> Print;
  std::string Pending; ///< the beginning of a line
  uint64_t Written = 0;

  void write_impl(const char *Text, size_t Size) override {
    Written += Size;
    StringRef New(Text, Size);
    const size_t Whole = New.rfind('\n') + 1;
    Pending += New.take_front(Whole ? Whole : Size);
    if (!Whole)
      return;
    Print(printableLines(Pending));
    Pending = New.drop_front(Whole);
  }
  uint64_t current_pos() const override { return Written; }
};
} // namespace

Error CommandHost::allows(const Command &C, const ParsedOptions &O) const {
  if (C.ShellOnly)
    return userError("'" + C.Name + "' is for the shell");
  if (Allowed == All)
    return Error::success();
  constexpr StringLiteral Why =
      ": only questions about this trace are answered here";
  if (!C.OnlyAsks)
    return userError("'" + C.Name + "' would make or read other files" + Why);
  for (const OptionSpec &Option : C.Options)
    if (Completion::isFile(Option.Value) && O.has(Option.Long))
      return userError("--" + Option.Long + " names another file" + Why);
  return Error::success();
}

Error CommandHost::run(const Command &C, ArrayRef<StringRef> Words,
                       raw_ostream &Out,
                       std::function<void(const std::string &)> Warn) {
  auto Parsed = parseOptions({C.Options}, Words);
  if (!Parsed)
    return Parsed.takeError();
  if (Error E = allows(C, *Parsed))
    return E;
  if (Alone) {
    Memory.Back.clear();
    Memory.Forward.clear();
    Memory.Question = {};
    Memory.Slice = {};
  }
  Session S(Base.Store, Out, Memory);
  S.TracePath = Base.TracePath;
  S.StorePath = Base.StorePath;
  S.MayKeep = Allowed == All;
  S.Images = Base.Images;
  S.Symbols = Base.Symbols;
  S.Expressions = Base.Expressions;
  S.Here = Where ? Where() : Here;
  S.Watch.Cancel = Base.Watch.Cancel;
  S.Watch.Interrupted = Interrupted;
  S.Watch.Progress = Progress;
  S.Warn = std::move(Warn);
  if (!Alone)
    S.Move = [&](Place To, const std::string &Why) -> Error {
      if (Move)
        return Move(To, Why);
      Here = To;
      return Error::success();
    };
  return runCommand(C, S, *Parsed);
}

void CommandHost::runLine(StringRef Line, function_ref<void(StringRef)> Print) {
  LineStream Out(Print);
  auto Complain = [&](const Twine &Text) {
    Out << "error: " << shortened(Text.str()) << '\n';
  };
  auto Split = splitWords(Line);
  if (!Split)
    return Complain(toString(Split.takeError()));
  SmallVector<StringRef> Words(Split->begin(), Split->end());
  if (!Words.empty() && Words.front() == "rewind")
    Words.erase(Words.begin());
  const bool Help = Words.empty() || Words.front() == "help";
  if (Help && Words.size() < 2) {
    for (const Command *C : commands())
      if (!C->ShellOnly)
        Out << formatv("  {0,-17} {1}\n", C->Name, C->Summary);
    return;
  }
  if (Help)
    Words.erase(Words.begin());
  const NamedCommand Named = nameCommand(commands(), Words);
  const Command *C = Named.What;
  if (!C)
    return Complain(Named.Wrong + " ('help' lists them)");
  if (Help) {
    Out << helpText(*C, /*InShell=*/false);
    return;
  }
  if (Error E = run(
          *C, ArrayRef(Words).drop_front(Named.Used), Out,
          [&](const std::string &Text) { Out << "warning: " << Text << '\n'; }))
    Complain(toString(std::move(E)));
}

} // namespace rw
