//===- Why.cpp - rewind why -----------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "commands/support/Access.h"
#include "commands/support/Listing.h"
#include "core/store/StoredValues.h"
#include "core/store/TraceStore.h"

using namespace llvm;

namespace rw {

namespace {

/// Where a byte's value comes from.
struct Source {
  enum Kind : uint8_t {
    Unknown,
    Write,
    WriteUnknown,  ///< written, but the trace does not tell what
    WriteInferred, ///< written; what follows from the code
    Shown,         ///< inferred from what an instruction did with it
    Forgotten,     ///< nothing is certain since a gap
    Read,
    LaterRead,
    Semihosting,
    Initial,       ///< told by the trace before its first instruction
    Image,         ///< a read-only section
    ImageWritable, ///< as the image has it, if nothing changed it unseen
  };
  Kind From = Unknown;
  Moment Origin = 0;
  std::string Section;
  /// WriteInferred, of memory: the byte.
  std::optional<uint8_t> Stored;
  bool sameAs(const Source &O) const {
    return From == O.From && Origin == O.Origin && Section == O.Section &&
           Stored.has_value() == O.Stored.has_value();
  }
};

struct Run {
  uint64_t First = 0, Last = 0; ///< bytes of the location
  Source From;
  std::vector<uint8_t> Stored; ///< WriteInferred, of memory: these
};

} // namespace

/// A write of a trace that tells no values: what was stored may follow from the
/// code.
static Expected<Source> addressOnly(const Session &S, uint64_t Addr,
                                    Moment When) {
  auto I = S.Store.instruction(When);
  if (!I)
    return I.takeError();
  auto Inferred = StoredValues(S.Store).infer(*I);
  if (!Inferred)
    return Inferred.takeError();
  Source F{Source::WriteUnknown, When, {}, {}};
  for (const MemAccess &M : I->Mems)
    if (M.isWrite() && Addr - M.Addr < M.Bytes.size() &&
        M.Known[Addr - M.Addr]) {
      F.From = Source::WriteInferred;
      F.Stored = M.Bytes[Addr - M.Addr];
    }
  return F;
}

static Expected<Source> memorySource(const Session &S, uint64_t Addr,
                                     Moment When) {
  auto O = S.Store.memoryOrigin(When, Addr);
  if (!O)
    return O.takeError();
  uint8_t Byte, Known = 0;
  if (Error E = S.Store.memoryAt(When, Addr, Byte, Known))
    return E;
  if (O->From != Provenance::Unknown && O->Origin == BeforeTrace)
    return Source{Source::Initial, 0, {}, {}};
  switch (O->From) {
  case Provenance::Write:
    return Source{
        Known ? Source::Write : Source::WriteUnknown, O->Origin, {}, {}};
  case Provenance::Read:
    return Source{Source::Read, O->Origin, {}, {}};
  case Provenance::LaterRead:
    return Source{Source::LaterRead, O->Origin, {}, {}};
  case Provenance::Semihosting:
    return Source{Source::Semihosting, O->Origin, {}, {}};
  case Provenance::Unknown:
    break;
  }
  if (!S.Store.header().Can.MemValues) {
    auto Last = S.Store.lastAccess(Addr, 1, AccessKind::Write, When);
    if (!Last)
      return Last.takeError();
    if (*Last)
      return addressOnly(S, Addr, **Last);
  }
  if (S.Symbols)
    if (auto Section = S.Symbols->sectionAt(Addr))
      if (Section->Writable || S.Symbols->readImage(Addr, Byte) == 1)
        return Source{Section->Writable ? Source::ImageWritable : Source::Image,
                      0,
                      Section->Name,
                      {}};
  return Source();
}

/// As memorySource(), without writes of other bits than those of the bit-field
/// \p L.
static Expected<Source> fieldSource(const Session &S, const Location &L,
                                    uint64_t Addr, Moment When) {
  OtherBits Others(S.Store, L, AccessKind::Write);
  while (true) {
    auto From = memorySource(S, Addr, When);
    if (!From || From->From != Source::Write)
      return From;
    auto Skip = Others.wrote(From->Origin);
    if (!Skip)
      return Skip.takeError();
    if (!*Skip)
      return From;
    When = From->Origin;
  }
}

static Expected<Source> registerSource(const Session &S, const Location &L,
                                       uint64_t Offset, Moment When) {
  unsigned At = L.Slice.Offset + unsigned(Offset);
  uint16_t Lane = uint16_t(L.Slice.Lane + At / 8);
  uint8_t Mask = uint8_t(1u << (At % 8));
  auto M = S.Store.lastRegisterWrite(L.Thread, Lane, Mask, When,
                                     /*OrTold=*/true);
  if (!M)
    return M.takeError();
  if (!*M)
    return Source();
  auto V = readLocation(S, part(L, Offset, 1), When);
  if (!V)
    return V.takeError();
  bool Known = V->allKnown();
  if (**M == BeforeTrace)
    return Source{Known ? Source::Initial : Source::Unknown, 0, {}, {}};
  auto I = S.Store.instruction(**M);
  if (!I)
    return I.takeError();
  uint8_t Flags = 0;
  for (const RegItem &R : I->Regs)
    if (R.Thread == L.Thread && R.Lane == Lane && (R.Written & Mask))
      Flags = R.Flags;
  if (Flags & RegItem::NotWritten)
    return Source{Known ? Source::Shown : Source::Forgotten, **M, {}, {}};
  if (!Known)
    return Source{Source::WriteUnknown, **M, {}, {}};
  return Source{Flags & RegItem::Inferred ? Source::WriteInferred
                                          : Source::Write,
                **M,
                {},
                {}};
}

static StringRef kindName(Source::Kind K) {
  switch (K) {
  case Source::Write:
    return "write";
  case Source::WriteUnknown:
    return "write of unknown value";
  case Source::WriteInferred:
    return "write, inferred";
  case Source::Shown:
    return "inferred";
  case Source::Forgotten:
    return "forgotten at a gap";
  case Source::Read:
    return "read";
  case Source::LaterRead:
    return "later read";
  case Source::Semihosting:
    return "semihosting";
  case Source::Initial:
    return "initial state";
  case Source::Image:
    return "image";
  case Source::ImageWritable:
    return "image, writable";
  case Source::Unknown:
    break;
  }
  return "unknown";
}

static bool hasOrigin(Source::Kind K) {
  switch (K) {
  case Source::Write:
  case Source::WriteUnknown:
  case Source::WriteInferred:
  case Source::Shown:
  case Source::Forgotten:
  case Source::Read:
  case Source::LaterRead:
  case Source::Semihosting:
    return true;
  case Source::Initial:
  case Source::Image:
  case Source::ImageWritable:
  case Source::Unknown:
    break;
  }
  return false;
}

static std::string sentence(const Session &S, const Location &L,
                            const Source &F) {
  switch (F.From) {
  case Source::Write:
    return "written by ";
  case Source::WriteUnknown:
    return "unknown: written, without telling what, by ";
  case Source::WriteInferred:
    if (F.Stored)
      return "stored, as inferred from the code (the trace does not tell it, "
             "nor whether it stayed so), by ";
    return "inferred from the code, not told by the trace; written by ";
  case Source::Shown:
    return "inferred from where this accessed or jumped, not told by the "
           "trace: ";
  case Source::Forgotten:
    return "unknown: the trace has a gap after ";
  case Source::Read:
    return "seen by a read; written before the trace or outside it: ";
  case Source::LaterRead:
    return "seen by a read later on, not written in between: ";
  case Source::Semihosting:
    return "written by a semihosting call, known from a later read: ";
  case Source::Initial:
    return "told by the trace before its first instruction";
  case Source::Image:
    return "section " + F.Section + " of the image, read-only";
  case Source::ImageWritable:
    return "unknown; section " + F.Section +
           " of the image tells its value at the program's start, and the "
           "trace does not tell whether that was still so";
  case Source::Unknown:
    break;
  }
  if (L.Where == Location::Register)
    return "unknown: the trace does not tell of a write before";
  return S.Symbols ? "unknown: no access of the trace tells it, nor a section "
                     "of the image"
                   : "unknown: no access of the trace tells it, and there is "
                     "no image (--image)";
}

static Expected<std::vector<Run>> explain(const Session &S, const Location &L,
                                          Moment When) {
  std::vector<Run> Runs;
  for (uint64_t B = 0; B < L.Size && !S.cancelled(); ++B) {
    auto F = L.Where == Location::Register
                 ? registerSource(S, L, B, When)
                 : fieldSource(S, L, L.Addr + B, When);
    if (!F)
      return F.takeError();
    if (!Runs.empty() && Runs.back().From.sameAs(*F))
      Runs.back().Last = B;
    else
      Runs.push_back({B, B, *F, {}});
    if (F->Stored)
      Runs.back().Stored.push_back(*F->Stored);
  }
  return Runs;
}

static Value storedValue(const Session &S, const Run &R) {
  Value V(R.Stored.size());
  V.Bytes = R.Stored;
  V.Known.assign(R.Stored.size(), 1);
  V.Order = S.Store.header().Order;
  return V;
}

static Error runWhy(Session &S, const ParsedOptions &Options) {
  auto Limit = listLimit(S, Options, 100);
  if (!Limit)
    return Limit.takeError();
  auto Question = askedAbout(S, Options, Looks::Back);
  if (!Question)
    return Question.takeError();
  const auto &[At, L] = *Question;
  if (Error E = checkOnePlace(L, "why"))
    return E;
  auto Runs = explain(S, L, At.When);
  if (!Runs)
    return Runs.takeError();
  auto V = readLocation(S, L, At.When);
  if (!V)
    return V.takeError();

  bool Json = Options.has("json");
  Ending End;
  End.Searched = {0, S.Store.numInstructions()};
  End.Cancelled = S.cancelled();
  End.Complete = Runs->size() <= *Limit && !End.Cancelled;
  if (!Json)
    S.Out << describe(L) << " = " << shown(S, *V) << "\n";
  json::Array Items;
  for (size_t I = 0; I < Runs->size() && I < *Limit; ++I) {
    const Run &R = (*Runs)[I];
    std::optional<Instruction> Origin;
    if (hasOrigin(R.From.From)) {
      auto Insn = S.Store.instruction(R.From.Origin);
      if (!Insn)
        return Insn.takeError();
      Origin = std::move(*Insn);
    }
    if (Json) {
      json::Object O;
      if (Origin)
        O = placeJson(S, *Origin);
      O["first"] = R.First;
      O["last"] = R.Last;
      O["from"] = kindName(R.From.From);
      if (!R.From.Section.empty())
        O["section"] = R.From.Section;
      if (Origin)
        O["instruction"] = formatInstruction(S, Origin->Insn);
      if (!R.Stored.empty())
        O["stored"] = toJson(storedValue(S, R));
      Items.push_back(std::move(O));
      continue;
    }
    S.Out << (R.First == R.Last ? "  byte " + std::to_string(R.First)
                                : "  bytes " + std::to_string(R.First) + ".." +
                                      std::to_string(R.Last))
          << ": ";
    if (!R.Stored.empty())
      S.Out << shown(S, storedValue(S, R)) << ", ";
    S.Out << sentence(S, L, R.From);
    if (Origin) {
      S.Out << formatPlace(S.Store, Origin->Thread, Origin->Pos) << " "
            << hex(Origin->Insn.PC);
      if (std::string Code = formatCode(S, Origin->Insn.PC); !Code.empty())
        S.Out << " " << Code;
      S.Out << ": " << formatInstruction(S, Origin->Insn);
    }
    S.Out << "\n";
  }
  if (!Json) {
    if (!End.Complete)
      printEnding(S, std::min<uint64_t>(*Limit, Runs->size()), "piece", End);
    return Error::success();
  }
  json::Object O = listJson(S, std::move(Items), End);
  O["location"] = toJson(L);
  putValue(S, O, "value", *V);
  printJson(S.Out, std::move(O));
  return Error::success();
}

static constexpr OptionSpec WhyOptions[] = {
    opt::Size,   opt::At,  opt::Thread, opt::Count,
    opt::Format, opt::Raw, opt::Json};

extern const Command WhyCommand = {
    .Name = "why",
    .Summary = "Tell byte by byte where a known value comes from",
    .Arguments = "<location>",
    .Help = R"(
For each run of bytes of a location: written by which instruction, seen by which
read, told by the trace at its start, taken from a section of the image, or
unknown, and why. A register value that the trace does not tell but that follows
from the code (POWER traces) is said to be inferred.

  rewind why 0x41fff0 --size 16
  rewind why x0 --at 100
)",
    .Options = WhyOptions,
    .MinArguments = 1,
    .Run = runWhy,
    .OnlyAsks = true,
};

} // namespace rw
