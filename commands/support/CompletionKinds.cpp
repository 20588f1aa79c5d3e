//===- CompletionKinds.cpp - What arguments and values may be -------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/Bookmarks.h"
#include "commands/support/Completion.h"
#include "commands/support/Format.h"
#include "commands/support/PositionExpr.h"
#include "core/arch/SystemCalls.h"
#include "core/calls/FunctionNames.h"
#include "core/store/TraceStore.h"
#include "core/support/Printable.h"
#include "core/support/SymbolPattern.h"
#include "core/support/Words.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace rw {

namespace {
enum class Kind {
  Nothing, ///< a number, a pattern, a word of the user's
  Position,
  Thread,
  Location,
  Expression,
  Function,
  File,
  Bookmark,
  Layer,
  Pass,
  SystemCall,
};
/// What a command calls an argument or an option's value.
struct NamedKind {
  StringLiteral Name;
  Kind Is;
};
} // namespace

static constexpr NamedKind Kinds[] = {
    {"@addr", Kind::Nothing},     {"address", Kind::Nothing},
    {"block", Kind::Function},    {"bookmark", Kind::Bookmark},
    {"bytes", Kind::Nothing},     {"depth", Kind::Nothing},
    {"elf[@addr]", Kind::File},   {"expression", Kind::Expression},
    {"file", Kind::File},         {"folder", Kind::File},
    {"format", Kind::Nothing},    {"function", Kind::Function},
    {"glob", Kind::Function},     {"id", Kind::Nothing},
    {"iteration", Kind::Nothing}, {"k", Kind::Nothing},
    {"key", Kind::Nothing},       {"kind", Kind::Nothing},
    {"layer", Kind::Layer},       {"letter", Kind::Nothing},
    {"list", Kind::Nothing},      {"location", Kind::Location},
    {"loop", Kind::Nothing},      {"mode", Kind::Nothing},
    {"n", Kind::Nothing},         {"name", Kind::Nothing},
    {"operand", Kind::Nothing},   {"other trace", Kind::File},
    {"pass", Kind::Pass},         {"path", Kind::File},
    {"pattern", Kind::Nothing},   {"place", Kind::Function},
    {"position", Kind::Position}, {"profile", Kind::File},
    {"regex", Kind::Nothing},     {"syscall", Kind::SystemCall},
    {"text", Kind::Nothing},      {"thread", Kind::Thread},
    {"trace", Kind::File},        {"units", Kind::Nothing},
    {"v", Kind::Nothing},         {"what", Kind::Function},
    {"where", Kind::Location},    {"which", Kind::Nothing},
};

static const NamedKind *findKind(StringRef Name) {
  const auto *K = find_if(
      Kinds, [&](const NamedKind &Known) { return Known.Name == Name; });
  return K == std::end(Kinds) ? nullptr : K;
}

bool Completion::knows(StringRef Name) { return findKind(Name); }

bool Completion::isFile(StringRef Name) {
  const NamedKind *K = findKind(Name);
  return !Name.empty() && (!K || K->Is == Kind::File);
}

void Completion::named(const Command &C, StringRef Name) {
  const NamedKind *K = findKind(Name);
  if (!K)
    return;
  // Two families have a word in common, and HTR's blocks have numbers.
  if (K->Name == "block" && C.Name.starts_with("htr"))
    return;
  if (K->Is == Kind::File) {
    Files = true;
    return;
  }
  if (K->Is == Kind::Pass)
    return passes();
  if (K->Is == Kind::SystemCall)
    return eachSystemCallName([&](StringRef Known) { add(Known); });
  if (!S)
    return;
  switch (K->Is) {
  case Kind::Nothing:
  case Kind::File:
  case Kind::Pass:
  case Kind::SystemCall:
    return;
  case Kind::Position:
    return position();
  case Kind::Thread:
    return threads();
  case Kind::Location:
  case Kind::Expression:
    return expression();
  case Kind::Function:
    return symbols(SymbolsOf::Code, rest());
  case Kind::Bookmark:
    return bookmarks();
  case Kind::Layer:
    return layers();
  }
}

void Completion::position() {
  for (StringRef Name : positionWords())
    add(Name);
  bookmarks();
}

void Completion::bookmarks() {
  Session Quiet = *S;
  Quiet.Warn = nullptr;
  auto Marks = loadBookmarks(Quiet);
  if (!Marks)
    return consumeError(Marks.takeError());
  for (const Bookmark &B : *Marks) {
    auto P = S->Store.positionOf(B.Where.Thread, B.Where.When);
    if (!P) {
      consumeError(P.takeError());
      continue;
    }
    add(B.Name, formatPlace(S->Store, B.Where.Thread, *P) +
                    (B.Old ? ", of an earlier recording" : "") +
                    (B.Note.empty() ? "" : "  " + printable(B.Note)));
  }
}

void Completion::threads() {
  for (ThreadIndex T = 0; T < S->Store.numThreads(); ++T)
    add(std::to_string(T + 1), S->Store.header().Threads[T].Name);
}

void Completion::registers() {
  // As it was typed: "$x" or "x".
  const StringRef Sign = rest().starts_with("$") ? "$" : "";
  for (const RegisterInfo &R : S->Store.registerFile().registers())
    add((Sign + R.Name).str(), "register");
}

/// \p Name, or what is left of it without namespaces and classes, that begins
/// with \p Begin, which the questions take, too; empty if neither does.
static StringRef meantBy(StringRef Name, StringRef Begin) {
  if (Name.starts_with(Begin))
    return Name;
  unsigned Depth = 0;
  for (size_t I = 0; I + 1 < Name.size(); ++I) {
    Depth += Name[I] == '<';
    Depth -= Name[I] == '>' && Depth;
    if (!Depth && Name.substr(I).starts_with("::") &&
        Name.substr(I + 2).starts_with(Begin))
      return Name.substr(I + 2);
  }
  return "";
}

void Completion::symbols(SymbolsOf Kind, StringRef Begin) {
  if (!S->Symbols)
    return;
  // A linked library has thousands.
  constexpr size_t MostAtOnce = 60;
  const std::vector<CodeMapping> Code = S->Symbols->codeMappings();
  std::vector<std::string> Names;
  StringSet<> Seen;
  for (const ImageSymbol &Symbol : S->Symbols->symbolTable()) {
    const bool IsCode = any_of(Code, [&](const CodeMapping &M) {
      return Symbol.Start >= M.Start && Symbol.Start < M.End;
    });
    if (IsCode != (Kind == SymbolsOf::Code))
      continue;
    const StringRef Raw = Symbol.Name;
    // Only names that are mangled differ from what is read.
    if (!Raw.starts_with("_Z") && !Raw.starts_with(Begin))
      continue;
    std::string Name = Raw.starts_with("_Z")
                           ? nameWithoutParameters(readableName(Symbol.Name))
                           : Raw.str();
    // Linkers may lay constants beside the code.
    const auto Section = IsCode ? S->Symbols->sectionAt(Symbol.Start)
                                : std::optional<ImageSection>();
    if (Section && StringRef(Section->Name).starts_with(".rodata"))
      continue;
    Name = meantBy(Name, Begin).str();
    if (!Name.empty() && printable(Name) == Name &&
        StringRef(Name).find_first_of(" $") == StringRef::npos &&
        Seen.insert(Name).second)
      Names.push_back(std::move(Name));
    if (Begin.empty() && Names.size() > MostAtOnce)
      return;
  }
  for (const std::string &Name : Names)
    add(Name, Kind == SymbolsOf::Code ? "function" : "symbol");
}

/// Where the operand begins that \p Text ends with: "p->a[0].b" of
/// "1+p->a[0].b", "(*p).b" of "1+(*p).b".
static size_t lastOperand(StringRef Text) {
  size_t Depth = 0, I = Text.size();
  for (; I; --I) {
    const char C = Text[I - 1];
    // Behind a cast or a condition another operand begins.
    if (C == ']' ||
        (C == ')' &&
         (Depth || (I < Text.size() && StringRef(".-[").contains(Text[I])))))
      ++Depth;
    else if ((C == '[' || C == '(') && Depth)
      --Depth;
    else if (Depth || isWord(C) || C == '.' || C == ':')
      continue;
    else if (C == '>' && I > 1 && Text[I - 2] == '-')
      --I;
    else
      break;
  }
  return I;
}

/// The names of \p T's members, those of base classes and unnamed ones too.
static void memberNames(const Type &T,
                        function_ref<void(StringRef, StringRef)> F,
                        unsigned Depth = 0) {
  constexpr unsigned MostDepth = 32;
  for (const Type::Member &M : T.Members)
    if ((M.Base || M.Name.empty()) && M.Is && Depth < MostDepth)
      memberNames(*M.Is, F, Depth + 1);
    else if (!M.Name.empty() && all_of(M.Name, isWord)) // not "_vptr.Base"
      F(M.Name, M.Is ? StringRef(M.Is->Name) : "");
}

void Completion::members(StringRef Base, StringRef Arrow, StringRef Begin) {
  if (!S->Expressions)
    return;
  const TypeRef T = S->Expressions->lvalueType(
      Arrow == "->" ? ("*" + Base).str() : Base.str(), S->Here);
  if (!T)
    return;
  Prefix += (Base + Arrow).str();
  memberNames(*T, [&](StringRef Name, StringRef Type) {
    if (Name.starts_with(Begin))
      add(Name, printable(Type));
  });
}

void Completion::expression() {
  const StringRef W = rest();
  const size_t Start = lastOperand(W);
  const StringRef Operand = W.drop_front(Start);
  Prefix += W.take_front(Start).str();
  size_t Dot = Operand.size();
  while (Dot && isWord(Operand[Dot - 1]))
    --Dot;
  const StringRef Base = Operand.take_front(Dot);
  if (Base.ends_with("->"))
    return members(Base.drop_back(2), "->", Operand.drop_front(Dot));
  if (Base.ends_with("."))
    return members(Base.drop_back(1), ".", Operand.drop_front(Dot));
  if (S->Expressions) {
    const auto Variables = S->Expressions->variables(S->Here);
    for (const std::string &Name : Variables)
      if (printable(Name) == Name)
        add(Name, "variable");
    if (is_contained(Variables, "this")) { // its members need no "this->"
      if (const TypeRef T = S->Expressions->lvalueType("*this", S->Here))
        memberNames(*T, [&](StringRef Name, StringRef Type) {
          add(Name, printable(Type));
        });
    }
  }
  registers();
  symbols(SymbolsOf::Data, Operand);
}

} // namespace rw
