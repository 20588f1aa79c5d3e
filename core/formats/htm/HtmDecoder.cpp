//===- HtmDecoder.cpp - Core HTM dumps as instructions --------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/htm/HtmDecoder.h"
#include "core/formats/htm/FastGroups.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw::htm {

namespace {
/// Words without a single record or stamp after which it is not a dump.
constexpr uint64_t HopelessWords = 131072;
} // namespace

const char *describe(Damage D) {
  switch (D) {
  case Damage::UndefinedStamp:
    return "undefined stamp";
  case Damage::ReservedBits:
    return "reserved bits set";
  case Damage::UnknownWords:
    return "words that belong to no record";
  case Damage::LostWords:
    return "words of a record lost";
  case Damage::SurplusWords:
    return "surplus words in a record";
  case Damage::InvalidHeader:
    return "invalid record type";
  case Damage::InvalidOpcode:
    return "opcode 0";
  case Damage::ZeroWords:
    return "zero words between records";
  case Damage::InvalidRecord:
    return "record marked invalid";
  case Damage::BadPageSize:
    return "undefined page size";
  case Damage::LongWalk:
    return "radix walk without end";
  case Damage::NoAddress:
    return "instructions without address";
  case Damage::Truncated:
    return "dump ends inside a record";
  case Damage::NumKinds:
    break;
  }
  return "";
}

uint64_t Summary::numDamages() const {
  uint64_t N = 0;
  for (uint64_t D : Damages)
    N += D;
  return N;
}

void expand(const Batch &B, const Execution &E, std::vector<Instruction> &Out) {
  const DataPlace *Place = B.Data.data() + E.FirstData;
  const ppc::RealAddress *Line = nullptr;
  if (!B.Lines.empty())
    Line = &B.Lines[E.FirstLine];
  const uint64_t First = E.Block->Insns->EA;
  for (Instruction I : E.Block->insns()) {
    if (Line) {
      const bool P10 = I.has(Instruction::P10);
      Line += P10 && I.EA != First && I.has(Instruction::FromIEARA);
      I.Walk = Line->Walk;
      I.PageShift = Line->PageShift;
      if (!P10 && Line->RA != NoAddress)
        I.RA = Line->RA + (I.EA - First);
    }
    I.Offset += E.Offset;
    I.Time = E.Time;
    I.Context = E.Context;
    I.Flags |= E.ContextKnown ? Instruction::ContextKnown : 0;
    for (unsigned N = 0; N < I.NumData; ++N, ++Place) {
      I.Data[N] = Place->EA;
      I.DataRA[N] = Place->RA;
      I.DataPageShift[N] = Place->PageShift;
      I.DataWalk[N] = Place->Walk;
    }
    Out.push_back(I);
  }
}

HtmDecoder::HtmDecoder(ByteSource Source, BatchSink &Sink,
                       const DecoderOptions &Options)
    : Window(std::move(Source), Options.WindowWords, Options.ReadAhead),
      Sink(Sink), Options(Options), Insns(new Instruction[BatchSize]) {
  if (Sink.takesBlocks()) {
    Blocks = std::make_unique<BlockCache>();
    Data.reset(new DataPlace[MaxData]);
    Executions.reserve(MaxExecutions);
  }
}

HtmDecoder::~HtmDecoder() = default;

void HtmDecoder::report(Damage D, uint64_t Offset, const Twine &What) {
  ++Sum.Damages[unsigned(D)];
  if (Sum.Problems.size() < Options.MaxProblems)
    Sum.Problems.push_back({D, Offset, What.str()});
}

void HtmDecoder::reportUnplaced() {
  report(Damage::NoAddress, UnplacedOffset,
         formatv("the address of {0} instructions is not known",
                 std::exchange(Unplaced, 0)));
}

Error HtmDecoder::decode() {
  // Blocks that do not lie in the window as a whole are not found there.
  const size_t Enough = Blocks ? std::min<size_t>(BlockCache::MaxWords + 1,
                                                  Options.WindowWords / 2)
                               : Margin;
  for (;;) {
    if (Window.available() < Enough && !Window.atEnd()) {
      if (Options.Cancel && *Options.Cancel)
        return createStringError(std::errc::interrupted, "interrupted");
      if (Options.Progress)
        Options.Progress(Window.offset());
      if (Error E = Window.need(Enough))
        return E;
      if (!Started && Window.offset() / 8 > HopelessWords)
        break;
    }
    if (Blocks)
      if (Error E = knownBlocks())
        return E;
    if (Window.available() && Executions.empty()) {
      const uint64_t From = Window.offset();
      fastRun();
      if (Count == BatchSize)
        if (Error E = flush(false))
          return E;
      // What comes now may be known, from its IEARA on.
      if (Blocks && Window.offset() != From)
        continue;
    }
    if (Window.available() < Enough && !Window.atEnd())
      continue;
    if (Window.available() == 0)
      break;
    if (Error E = decodeRecord(Window[0]))
      return E;
  }
  if (!Started)
    return createStringError(
        std::errc::invalid_argument,
        "not a Core HTM dump: in %llu bytes there is no POWER8 record "
        "(ABCDE in bits 36:55), no POWER10 record (ABCDF) and no stamp "
        "(ACEFF in bits 0:19)",
        (unsigned long long)(Window.offset() + Window.tail()));
  if (Window.tail())
    report(Damage::Truncated, Window.offset(),
           formatv("{0} bytes after the last whole word", Window.tail()));
  Sum.Words = Window.offset() / 8;
  if (Ambiguous)
    resolveAmbiguous(0, false);
  return flush(true);
}

Error HtmDecoder::flush(bool Last) {
  if (UnknownRun && Last) {
    report(Damage::UnknownWords, UnknownOffset,
           formatv("{0} words belong to no record", UnknownRun));
    UnknownRun = 0;
  }
  if (Unplaced && Last)
    reportUnplaced();
  if (!Count && Executions.empty() && Events.empty())
    return Error::success();
  // The last one waits for the address of the next.
  bool Hold = Ambiguous && !Last;
  unsigned N = Count - Hold;
  assert((Executions.empty() || !Count) && "one or the other");
  if (Count && Before) {
    Kept = Insns[Count - 1];
    Before = &Kept;
  }
  auto Kept = find_if(
      Events, [&](const Event &E) { return E.Before > N + Executions.size(); });
  Batch B;
  B.Instructions = ArrayRef(Insns.get(), N);
  B.Executions = Executions;
  B.Data = ArrayRef(Data.get(), NumData);
  B.Lines = Lines;
  B.Events = ArrayRef(Events.data(), size_t(Kept - Events.begin()));
  if (Error E = Sink.batch(B))
    return E;
  Events.erase(Events.begin(), Kept);
  for (Event &E : Events)
    E.Before -= N + uint32_t(Executions.size());
  Executions.clear();
  Lines.clear();
  NumData = 0;
  if (Hold)
    Insns[0] = Insns[N];
  Count = Hold;
  return Error::success();
}

Error HtmDecoder::decodeRecord(uint64_t W) {
  if (LLVM_UNLIKELY(hasStampTag(W)))
    return stampOrRecord(W);
  uint32_t Tag = tagOf(W);
  if (LLVM_LIKELY(Tag == P10Tag)) {
    switch (p10Type(W)) {
    case P10Type::Info:
      return p10Info(W);
    case P10Type::IEARA:
      return ieara();
    case P10Type::Xlate:
      return xlate(W);
    case P10Type::Invalid:
      report(Damage::InvalidHeader, Window.offset(),
             "POWER10 header of type 0: " + hex(W));
      lose();
      Window.advance(1);
      return Error::success();
    }
  }
  if (Tag == P8Tag)
    return p8Info(W);
  if (W == 0) {
    // Buffers are filled up with zeros where nothing was traced.
    if (Sum.Instructions != InstructionsAtEnd) {
      if (Error E = Window.need(Margin))
        return E;
      if (LossPending && realigned())
        return Error::success();
      if (!ZeroRun++) {
        ZeroOffset = Window.offset();
        lose();
      }
    }
    Window.advance(1);
    return Error::success();
  }
  return unknown();
}

/// "lhau r7, -X(r15)" has the tag of a stamp in its opcode.
Error HtmDecoder::stampOrRecord(uint64_t W) {
  uint32_t Tag = tagOf(W);
  if (isP10(W, P10Type::Info) || Tag == P8Tag) {
    if (recordAt(lookAhead(0), 0))
      return Tag == P8Tag ? p8Info(W) : p10Info(W);
  }
  stamp(W, Window.offset(), false);
  Window.advance(1);
  if (Events.size() >= MaxEvents)
    return flush(false);
  return Error::success();
}

void HtmDecoder::startGap() {
  if (std::exchange(CountGap, false) &&
      std::exchange(InstructionsAtGap, Sum.Instructions) != Sum.Instructions)
    ++Sum.Gaps;
  LineKnown = false;
  LineRA = NoAddress;
  NextKnown = false;
  LastRA = NoAddress;
  MustJump = false;
  if (Ambiguous)
    resolveAmbiguous(0, false);
  Before = nullptr;
  if (Options.Translate)
    Options.Translate->gap();
}

/// Words were lost or are damaged: no instruction has a place until the next
/// address. At the end of a dump this means nothing.
void HtmDecoder::lose() {
  LineKnown = false;
  LineRA = NoAddress;
  NextKnown = false;
  LastRA = NoAddress;
  MustJump = false;
  Before = nullptr;
  LossPending = true;
  if (Ambiguous)
    resolveAmbiguous(0, false);
  if (Options.Translate)
    Options.Translate->gap();
}

/// An instruction comes after damage between records.
LLVM_ATTRIBUTE_NOINLINE void HtmDecoder::afterLoss() {
  if (UnknownRun)
    report(Damage::UnknownWords, UnknownOffset,
           formatv("{0} words belong to no record", UnknownRun));
  if (ZeroRun)
    report(Damage::ZeroWords, ZeroOffset,
           formatv("{0} zero words between records", ZeroRun));
  UnknownRun = ZeroRun = 0;
  if (!std::exchange(LossPending, false) || !Sum.Instructions)
    return;
  if (std::exchange(InstructionsAtGap, Sum.Instructions) != Sum.Instructions)
    ++Sum.Gaps;
  Event E;
  E.Before = Count + uint32_t(Executions.size());
  E.What.Kind = StampKind::Loss;
  E.What.Gap = true;
  E.Offset = Window.offset();
  E.Time = Time;
  Events.push_back(E);
}

/// Whether the next instruction can be at \p EA: without an IEARA, where the
/// instruction before leads; with one, anywhere else, but not beside it.
bool HtmDecoder::comesFromBefore(uint64_t EA, bool Addressed) const {
  if (Addressed)
    return !Before || Ambiguous || !missesInLine(*Before, EA);
  if (!Before)
    return false;
  if (canLeadTo(*Before, EA))
    return true;
  if (!Ambiguous)
    return false;
  std::optional<AmbiguousBranch> A = ambiguousP10(Before->Opcode, Before->EA);
  return A && A->Target == EA;
}

void HtmDecoder::stamp(uint64_t W, uint64_t Offset, bool InGroup) {
  Stamp S = parseStamp(W);
  if (S.Kind == StampKind::Undefined) {
    report(Damage::UndefinedStamp, Offset, "undefined stamp " + hex(W));
    return;
  }
  if (!S.WellFormed)
    report(Damage::ReservedBits, Offset,
           "reserved bits set in the stamp " + hex(W));
  ++Sum.Stamps[unsigned(S.Kind)];
  if (S.Kind == StampKind::Time) {
    Time += S.Cycles;
    Sum.Cycles += S.Cycles;
  }
  // What comes first cannot be a gap: there is nothing before it.
  if (S.Kind == StampKind::Record)
    S.Gap = Sum.Instructions != 0;
  else if (!Sum.Instructions)
    S.Gap = false;
  Started = true;
  // Where tracing ended or paused, and goes on, nothing was lost.
  if (S.Kind != StampKind::Record)
    CountGap |=
        S.Gap && S.Kind != StampKind::Complete && S.Kind != StampKind::Pause;
  else
    CountGap |= S.Gap && Sum.Instructions != InstructionsAtEnd;
  if (S.Kind == StampKind::Record)
    ZeroRun = 0;
  else if (S.Kind == StampKind::Complete || S.Kind == StampKind::Pause)
    InstructionsAtEnd = Sum.Instructions + InGroup;
  if (S.Gap) {
    if (InGroup) {
      GapAfterRecord = true;
    } else {
      LossPending = false;
      startGap();
    }
  }
  // Nobody wants a list of all clock ticks.
  if (S.Kind == StampKind::Time && !S.Gap && S.WellFormed &&
      !Options.KeepTimeStamps)
    return;
  if (InGroup && ++GroupEvents > MaxEvents) {
    ++Sum.DroppedEvents;
    return;
  }
  Event E;
  E.Before = Count + uint32_t(Executions.size()) + (InGroup && S.Gap);
  E.What = S;
  E.Offset = Offset;
  E.Time = Time;
  Events.push_back(E);
}

Error HtmDecoder::unknown() {
  lose();
  if (Error E = Window.need(Margin))
    return E;
  if (realigned())
    return Error::success();
  if (!UnknownRun++)
    UnknownOffset = Window.offset();
  Window.advance(1);
  return Error::success();
}

} // namespace rw::htm
