//===- Diff.cpp - rewind diff ---------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "commands/support/Listing.h"
#include "commands/support/PositionExpr.h"
#include "core/store/TraceStore.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

namespace {

struct RegisterDiff {
  ThreadIndex Thread;
  std::string Name;
  Value Old, New;
};

struct MemoryDiff {
  uint64_t Addr;
  Value Old, New;
  std::string Object; ///< "items[2].quantity" of what has a type
};

/// Finds the objects of the program that bytes belong to.
class Objects {
public:
  explicit Objects(const Session &S) : S(S) {}
  /// The scalar, or other small object, with the byte at \p Addr: its name, its
  /// type and the address it begins at; none if that is not known.
  std::optional<TypePart> at(uint64_t Addr);

private:
  const Session &S;
  std::optional<ExpressionSource::Object> Last;
};

} // namespace

std::optional<TypePart> Objects::at(uint64_t Addr) {
  if (!S.Expressions || S.Style.Raw)
    return std::nullopt;
  if (!Last || Addr < Last->Start || Addr - Last->Start >= Last->Type->Size)
    Last = S.Expressions->objectAt(Addr);
  if (!Last || Addr - Last->Start >= Last->Type->Size)
    return std::nullopt;
  TypePart P = partAt(Last->Type, Addr - Last->Start, 1);
  constexpr uint64_t MostBytes = 64;
  if (!P.Is->isScalar() &&
      (P.Is->Kind != TypeKind::Record || P.Is->Size > MostBytes))
    return std::nullopt;
  // Padding between members is no object.
  if (P.Is->Kind == TypeKind::Record && P.Is->Members.empty())
    return std::nullopt;
  P.Path = Last->Name + P.Path;
  P.Offset += Last->Start;
  return P;
}

static Expected<std::vector<RegisterDiff>> diffRegisters(const Session &S,
                                                         Moment A, Moment B) {
  std::vector<RegisterDiff> Result;
  RegisterNamer Namer(S.Store.registerFile());
  for (ThreadIndex T = 0; T < S.Store.numThreads(); ++T) {
    auto Old = S.Store.registersAt(T, A);
    if (!Old)
      return Old.takeError();
    auto New = S.Store.registersAt(T, B);
    if (!New)
      return New.takeError();
    for (const RegisterInfo *R : Namer.widest()) {
      RegisterDiff D{T, R->Name, Value(R->Slice.Size), Value(R->Slice.Size)};
      Old->read(R->Slice, D.Old.Bytes.data(), D.Old.Known.data());
      New->read(R->Slice, D.New.Bytes.data(), D.New.Known.data());
      if (D.Old != D.New)
        Result.push_back(std::move(D));
    }
  }
  return Result;
}

/// What differs: objects of known type, of which \p Named are looked up, and
/// runs of bytes of at most 16 bytes each, none across the end of an object.
static Expected<std::vector<MemoryDiff>> diffMemory(const Session &S, Moment A,
                                                    Moment B, uint64_t Named) {
  std::vector<MemoryDiff> Result;
  Objects Known(S);
  uint64_t Told = 0; // up to there

  auto Granules = S.Store.writtenGranules(std::min(A, B), std::max(A, B));
  if (!Granules)
    return Granules.takeError();
  for (uint64_t G : *Granules) {
    Value Old(8), New(8);
    if (Error E = S.Store.memoryAt(A, G, Old.Bytes, Old.Known))
      return E;
    if (Error E = S.Store.memoryAt(B, G, New.Bytes, New.Known))
      return E;
    for (unsigned I = 0; I < 8; ++I) {
      if (Old.Known[I] == New.Known[I] &&
          (!Old.Known[I] || Old.Bytes[I] == New.Bytes[I]))
        continue;
      if (G + I < Told)
        continue;
      if (auto Part = Result.size() < Named ? Known.at(G + I) : std::nullopt) {
        Location L;
        L.Addr = Part->Offset;
        L.Size = Part->Is->Size;
        L.Type = Part->Is;
        auto Before = readLocation(S, L, A);
        if (!Before)
          return Before.takeError();
        auto After = readLocation(S, L, B);
        if (!After)
          return After.takeError();
        // What is known from elsewhere (the image) is known at both.
        if (*Before != *After) {
          Result.push_back({L.Addr, std::move(*Before), std::move(*After),
                            std::move(Part->Path)});
          Told = L.Addr + L.Size;
          continue;
        }
      }
      bool Joins =
          !Result.empty() && Result.back().Object.empty() &&
          Result.back().Addr + Result.back().Old.Bytes.size() == G + I &&
          Result.back().Old.Bytes.size() < 16;
      if (Joins && S.Symbols) {
        auto Sym = S.Symbols->symbolizeData(G + I);
        Joins = !Sym || Sym->Start != G + I;
      }
      if (!Joins) {
        Result.push_back({G + I, Value(), Value(), ""});
        Result.back().Old.Order = Result.back().New.Order =
            S.Store.header().Order;
      }
      auto Append = [I](Value &To, const Value &From) {
        To.Bytes.push_back(From.Bytes[I]);
        To.Known.push_back(From.Known[I]);
      };
      Append(Result.back().Old, Old);
      Append(Result.back().New, New);
    }
  }
  return Result;
}

/// Bytes in memory order: a run of changed bytes is no number.
static std::string bytesText(const Value &V) {
  std::string Text;
  for (size_t I = 0; I < V.Bytes.size(); ++I)
    Text += (I ? " " : "") +
            (V.Known[I] ? formatv("{0:x-2}", V.Bytes[I]).str() : "??");
  return Text;
}

static Error runDiff(Session &S, const ParsedOptions &Options) {
  const TraceHeader &H = S.Store.header();
  if (!H.Can.Registers && !H.Can.MemValues)
    return userError("this trace (" + H.Format +
                     ") tells no values that could differ");
  auto A = parsePosition(S, Options.arguments()[0]);
  if (!A)
    return A.takeError();
  Expected<Place> B = S.Here;
  if (Options.arguments().size() > 1)
    B = parsePosition(S, Options.arguments()[1]);
  if (!B)
    return B.takeError();
  auto Limit = listLimit(S, Options, 100);
  if (!Limit)
    return Limit.takeError();
  auto Registers = diffRegisters(S, A->When, B->When);
  if (!Registers)
    return Registers.takeError();
  auto Memory = diffMemory(S, A->When, B->When, *Limit);
  if (!Memory)
    return Memory.takeError();

  uint64_t All = Registers->size() + Memory->size();
  Ending End;
  End.Searched = {A->When, B->When};
  End.Complete = All <= *Limit;
  uint64_t Left = *Limit;
  bool Json = Options.has("json");
  json::Array Items;
  if (!Json && !Registers->empty())
    S.Out << "Registers:\n";
  for (const RegisterDiff &D : *Registers) {
    if (!Left--)
      break;
    if (Json) {
      Items.push_back(json::Object{{"register", D.Name},
                                   {"thread", int64_t(D.Thread) + 1},
                                   {"old", toJson(D.Old)},
                                   {"new", toJson(D.New)}});
      continue;
    }
    std::string Name = D.Name;
    if (S.Store.numThreads() > 1)
      Name = std::to_string(D.Thread + 1) + ":" + Name;
    S.Out << formatv("  {0,-10} {1} -> {2}\n", Name, shown(S, D.Old),
                     shown(S, D.New));
  }
  Left = *Limit - std::min<uint64_t>(*Limit, Registers->size());
  if (!Json && !Memory->empty() && Left)
    S.Out << "Memory:\n";
  for (const MemoryDiff &D : *Memory) {
    if (!Left--)
      break;
    std::string Name = formatData(S, D.Addr);
    if (Json) {
      json::Object O{{"address", hex(D.Addr)},
                     {"size", int64_t(D.Old.Bytes.size())},
                     {"old", bytesText(D.Old)},
                     {"new", bytesText(D.New)}};
      if (!Name.empty())
        O["symbol"] = Name;
      if (!D.Object.empty()) {
        O["object"] = D.Object;
        O["old_text"] = shown(S, D.Old);
        O["new_text"] = shown(S, D.New);
      }
      Items.push_back(std::move(O));
      continue;
    }
    if (!D.Object.empty()) {
      S.Out << "  " << hex(D.Addr) << " " << D.Object << ": " << shown(S, D.Old)
            << " -> " << shown(S, D.New) << "\n";
      continue;
    }
    S.Out << "  " << hex(D.Addr);
    if (!Name.empty())
      S.Out << " " << Name;
    S.Out << ": " << bytesText(D.Old) << " -> " << bytesText(D.New) << "\n";
  }
  if (Json) {
    json::Object O = listJson(std::move(Items), End);
    O["from"] = A->When;
    O["to"] = B->When;
    printJson(S.Out, std::move(O));
    return Error::success();
  }
  printEnding(S, std::min(All, *Limit), "difference", End);
  S.FoundNothing = false; // that nothing differs is an answer
  return Error::success();
}

static constexpr OptionSpec DiffOptions[] = {opt::Count, opt::Format, opt::Raw,
                                             opt::Json};

extern const Command DiffCommand = {
    .Name = "diff",
    .Summary = "List registers and memory that differ between two positions",
    .Arguments = "<position> [<position>]",
    .Help = R"(
The state before the one instruction against that before the other (without a
second position: before where you are). Only what differs is listed; memory as
the variables that it holds, as far as debug information tells, else in runs of
bytes, in the order of memory, ?? for a byte that is not known there.

  rewind diff start 100
  (lldb) rewind diff -1
)",
    .Options = DiffOptions,
    .MinArguments = 1,
    .MaxArguments = 2,
    .Run = runDiff,
    .OnlyAsks = true,
};

} // namespace rw
