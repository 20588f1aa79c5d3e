//===- HtmDecoder.cpp - Core HTM dumps as instructions --------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/htm/HtmDecoder.h"
#include "core/formats/htm/Predecode.h"
#include "core/formats/htm/Translation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw::htm {

namespace {
/// No record but a radix walk is longer, and walks are taken word by word.
constexpr size_t Margin = 64;
/// Words without a single record or stamp after which it is not a dump.
constexpr uint64_t HopelessWords = 131072;
constexpr uint8_t NumDataWords[4] = {0, 2, 4, 2};

std::string hex(uint64_t W) { return formatv("{0:x-16}", W).str(); }
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

/// Where a part of a word is lost, all that follows is shifted. Looks for a
/// record that begins inside the word at the cursor, and goes there.
bool HtmDecoder::realigned() {
  const size_t Whole = Window.available();
  if (Whole < 2)
    return false;
  for (unsigned Bytes = 1; Bytes < sizeof(uint64_t); ++Bytes) {
    if (!hasRecordTag(Window.wordAtByte(Bytes)))
      continue;
    size_t N = std::min(AheadWords.size(), Whole - 1);
    for (size_t I = 0; I < N; ++I)
      AheadWords[I] = Window.wordAtByte(Bytes + 8 * I);
    if (!recordAt({ArrayRef(AheadWords.data(), N), false}, 0))
      continue;
    report(Damage::LostWords, Window.offset(),
           formatv("{0} bytes before a record belong to no word", Bytes));
    Window.dropBytes(Bytes);
    // The beginning of its header may be another one's. Of an IEARA, all are
    // the same.
    if (!isP10(Window[0], P10Type::IEARA)) {
      if (!UnknownRun++)
        UnknownOffset = Window.offset();
      Window.advance(1);
    }
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Words of a record
//===----------------------------------------------------------------------===//

/// \p Keep: so many words are taken as they are, stamps or not.
Lookahead HtmDecoder::lookAhead(size_t From, size_t Keep) {
  size_t N = 0, I = From;
  // Stamps are skipped; of a long run of them, some.
  size_t Limit = From + 4 * LookaheadWords;
  for (; N < AheadWords.size() && I < Window.available() && I < Limit; ++I)
    if (I < From + Keep || !hasStampTag(Window[I]))
      AheadWords[N++] = Window[I];
  return {ArrayRef(AheadWords.data(), N),
          I == Window.available() && Window.atEnd()};
}

/// A data address may look like a stamp. If it is one, taking it out leaves the
/// record a word short.
bool HtmDecoder::stampIsData(size_t I, const Slots &S, size_t Slot) const {
  if (Slot >= S.Size || (S.At[Slot] != Slot::Dea && S.At[Slot] != Slot::Iea &&
                         S.At[Slot] != Slot::Vsid))
    return false;
  size_t J = I + 1;
  for (size_t K = Slot + 1; K < S.Size; ++K, ++J) {
    if (J >= Window.available())
      return false;
    uint64_t W = Window[J];
    if (!fits(S.At[K], W) || (hasStampTag(W) && S.At[K] != Slot::Dea))
      return false;
  }
  if (J >= Window.available())
    return Window.atEnd();
  return mayFollow(Window[J]);
}

/// Takes stamps out of the \p N words from the cursor on, the first of which is
/// the header of a record with slots \p S. \p Got: words that there are.
Error HtmDecoder::gather(size_t N, const Slots &S, size_t &Got) {
  uint64_t Offset = Window.offset();
  for (size_t I = 1; I < N;) {
    if (Window.available() < I + Margin)
      if (Error E = Window.need(I + Margin))
        return E;
    if (I >= Window.available()) {
      Got = I;
      return Error::success();
    }
    uint64_t W = Window[I];
    if (hasStampTag(W)) {
      bool Record = (tagOf(W) == P10Tag || tagOf(W) == P8Tag) &&
                    recordAt(lookAhead(I), 0);
      if (!Record && !stampIsData(I, S, I - 1)) {
        stamp(W, Offset + 8 * I, true);
        Window.remove(I);
        Offset += 8;
        continue;
      }
    }
    ++I;
  }
  Got = N;
  return Error::success();
}

Reading HtmDecoder::recover(uint64_t W, const Slots &S, uint64_t Offset) {
  Lookahead A = lookAhead(1, S.Size);
  Reading R = bestReading(S, A);
  bool AtEnd = A.ToEnd && R.Used == A.Words.size();
  auto lose = [&](unsigned N) {
    R.Index[N] = -1;
    ++R.Lost;
  };
  // Nothing vouches for what could be any word if no record follows, nor for
  // zeros in front of zeros.
  const bool Zero = R.Used < A.Words.size() && A.Words[R.Used] == 0;
  for (unsigned N = S.Size; N-- > 0;) {
    if (R.Index[N] < 0)
      continue;
    const uint64_t Word = A.Words[R.Index[N]];
    if (Zero ? Word != 0
             : R.Bounded || (!isFree(S.At[N]) && fits(S.At[N], Word)))
      break;
    lose(N);
  }
  R.Intact = !R.Lost && !R.Surplus && R.Bounded;
  R.Intact |= AtEnd;
  if (R.Lost)
    report(
        AtEnd ? Damage::Truncated : Damage::LostWords, Offset,
        formatv("{0} of {1} words missing after {2}", R.Lost, S.Size, hex(W)));
  if (R.Surplus)
    report(Damage::SurplusWords, Offset,
           formatv("{0} words too many after {1}", R.Surplus, hex(W)));
  return R;
}

/// Passes over a record's header and its words. The lookahead skipped stamps
/// beyond the words that gather() cleaned; they are handled on the way.
void HtmDecoder::consume(const Reading &R) {
  Window.advance(1);
  for (unsigned Used = 0; Used < R.Used; Window.advance(1)) {
    if (Window[0] == AheadWords[Used])
      ++Used;
    else
      stamp(Window[0], Window.offset(), true);
  }
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

inline Instruction &HtmDecoder::begin(uint64_t W, uint64_t Offset) {
  Instruction &I = Insns[Count];
  I.Offset = Offset;
  I.Time = Time;
  I.Context = Context;
  I.Prefix = 0;
  I.Walk = 0;
  I.DataWalk[0] = I.DataWalk[1] = 0;
  I.PageShift = 0;
  I.DataPageShift[0] = I.DataPageShift[1] = 0;
  I.NumData = 0;
  I.Flags = ContextKnown ? Instruction::ContextKnown : 0;
  if (bit(W, 32))
    I.Flags |= Instruction::BranchForm;
  return I;
}

/// Its address is known by now, so what the one before was is known, too.
inline void HtmDecoder::finish(Instruction &I) {
  Started = true;
  if (LLVM_UNLIKELY(UnknownRun | ZeroRun | uint64_t(LossPending)))
    afterLoss();
  ++Sum.Instructions;
  Before = &I;
  if (LLVM_UNLIKELY(!I.has(Instruction::AddressKnown))) {
    ++Sum.Unplaced;
    if (!Unplaced++)
      UnplacedOffset = I.Offset;
  } else if (LLVM_UNLIKELY(Unplaced)) {
    reportUnplaced();
  }
  ++Count;
  if (LLVM_UNLIKELY(GapAfterRecord)) {
    GapAfterRecord = false;
    startGap();
  }
  GroupEvents = 0;
}

void HtmDecoder::resolveAmbiguous(uint64_t Next, bool Known) {
  Ambiguous = false;
  Instruction &I = Insns[Count - 1];
  // The word as it came is still there: it was taken for an isel.
  std::optional<AmbiguousBranch> A = ambiguousP10(I.Opcode, I.EA);
  if (A && Known && Next == A->Target)
    I.Opcode = A->Opcode;
}

inline void HtmDecoder::setP10Opcode(Instruction &I, uint32_t Word,
                                     bool Branch) {
  I.Opcode = Word;
  if (!Branch)
    return;
  I.Opcode = demungeP10(Word, I.EA);
  if (LLVM_UNLIKELY(isIsel(Word)) && I.has(Instruction::AddressKnown) &&
      ambiguousP10(Word, I.EA))
    Ambiguous = true;
}

/// Decodes a P10 INFO record that is as it should be, at \p Data; the number of
/// its words, or 0 if it is not, or not whole. This is the hot path: everything
/// is loaded before anything is stored, so that no store can alias.
LLVM_ATTRIBUTE_ALWAYS_INLINE unsigned HtmDecoder::p10Fast(uint64_t W,
                                                          const uint64_t *Data,
                                                          size_t Available,
                                                          uint64_t Offset) {
  const unsigned NumWords = NumDataWords[W & 3];
  const unsigned Prefixed = unsigned(bit(W, 33));
  const unsigned At = 2 + Prefixed, Total = At + NumWords;
  const uint32_t Word = uint32_t(W >> 32);
  if (LLVM_UNLIKELY(Available <= Total || (Word == 0 && !Prefixed)))
    return 0;
  auto word = [Data](size_t I) { return WordWindow::word(Data, I); };
  const uint64_t Msr = word(1);
  if (LLVM_UNLIKELY(!fits(Slot::Msr, Msr) || !mayFollow(word(Total))))
    return 0;
  Instruction &I = begin(W, Offset);
  const bool Known = LineKnown;
  const uint64_t EA = Line | (W & 0x7c);
  if (LLVM_UNLIKELY(Known && EA != Follow) && !comesFromBefore(EA, NewLine))
    return 0;
  uint16_t Flags = I.Flags | Instruction::P10 | Instruction::MsrKnown;
  if (Known)
    Flags |= Instruction::AddressKnown;
  if (NewLine)
    Flags |= Instruction::FromIEARA;
  if (NumWords) {
    const uint64_t Dea = word(At), Dra = word(At + 1);
    if (LLVM_UNLIKELY(!isPlain(Dea) || hasStampTag(Dra)))
      return 0;
    I.Data[0] = Dea;
    if (LLVM_LIKELY((W & 3) != 3)) {
      if (LLVM_UNLIKELY(!fits(Slot::Dra, Dra)))
        return 0;
      I.NumData = 1;
      I.DataRA[0] = p10DataRA(Dra, Dea);
      if (NumWords == 4) {
        const uint64_t Dea2 = word(At + 2), Dra2 = word(At + 3);
        if (!isPlain(Dea2) || !fits(Slot::Dra, Dra2) || hasStampTag(Dra2))
          return 0;
        I.NumData = 2;
        I.Data[1] = Dea2;
        I.DataRA[1] = p10DataRA(Dra2, Dea2);
      }
    } else {
      if (!fits(Slot::Esid, Dea) || !isPlain(Dra))
        return 0;
      Flags |= Instruction::Slb;
      I.DataRA[0] = Dra;
    }
  }
  if (Prefixed) {
    const uint64_t Prefix = word(2);
    if (!fits(Slot::Prefix, Prefix))
      return 0;
    Flags |= Instruction::Prefixed;
    I.Prefix = uint32_t(Prefix >> 32);
  }
  if (LLVM_UNLIKELY(Ambiguous))
    resolveAmbiguous(EA, Known);
  NewLine = false;
  Follow = EA + 4 + 4 * Prefixed;
  I.EA = EA;
  I.RA = LineRA == NoAddress ? NoAddress : LineRA | (EA & 0xfff);
  I.Msr = uint16_t(Msr >> 48);
  I.Flags = Flags;
  if (Prefixed)
    I.Opcode = Word;
  else
    setP10Opcode(I, Word, bit(W, 32));
  return Total;
}

/// POWER8: the real address of the next instruction in memory, as long as the
/// page is the same.
inline void HtmDecoder::p8Sequential() {
  if (LastRA == NoAddress)
    return;
  LastRA += 4;
  unsigned Shift = LastPageShift ? LastPageShift : 12;
  if ((NextEA & ((uint64_t(1) << Shift) - 1)) == 0)
    LastRA = NoAddress;
}

/// POWER8: what an IEA tells.
inline void HtmDecoder::p8Jump(uint64_t Iea) {
  NextKnown = P8MsrKnown = true;
  NextEA = Iea & ~uint64_t(3);
  LastRA = NoAddress;
  LastPageShift = 0;
  P8Msr = uint16_t((Iea & 2 ? MsrHV : 0) | (Iea & 1 ? MsrIR : 0));
}

/// A P8 record that is as it should be, without a real address of its own; the
/// number of its words, or 0.
LLVM_ATTRIBUTE_ALWAYS_INLINE unsigned
HtmDecoder::p8Fast(uint64_t W, const uint64_t *Data, uint64_t Offset) {
  // Valid, without IRA and SLB words; of the data words both or none.
  constexpr uint64_t Tested = 0x80 | 0x40 | 0x20 | 0x10 | 0x08 | 0x04;
  const bool Jump = W & 0x40;
  const uint64_t Has = W & Tested & ~uint64_t(0x40);
  uint32_t Word = uint32_t(W >> 32);
  if ((Has != 0x80 && Has != 0x98) || !Word ||
      !((NextKnown && !MustJump) || Jump) || Ambiguous)
    return 0;
  const bool HasData = Has == 0x98;
  const unsigned At = 1 + Jump, Total = At + 2 * HasData;
  if (LLVM_UNLIKELY(!mayFollow(WordWindow::word(Data, Total))))
    return 0;
  uint64_t Iea = 0, Dea = 0, Dra = 0;
  if (Jump) {
    Iea = WordWindow::word(Data, 1);
    if (LLVM_UNLIKELY(!isPlain(Iea) || !fits(Slot::Iea, Iea)))
      return 0;
  }
  if (HasData) {
    Dea = WordWindow::word(Data, At);
    Dra = WordWindow::word(Data, At + 1);
    if (LLVM_UNLIKELY(!isPlain(Dea) || hasStampTag(Dra) ||
                      !fits(Slot::P8Dra, Dra)))
      return 0;
  }
  Instruction &I = begin(W, Offset);
  if (Jump) {
    p8Jump(Iea);
    I.Flags |= Instruction::FromIEARA;
    if (Options.Translate)
      Options.Translate->p8Address(NextEA, P8Msr, LastRA, LastPageShift);
  } else {
    p8Sequential();
  }
  I.EA = NextEA;
  I.RA = LastRA;
  I.PageShift = LastRA == NoAddress ? 0 : LastPageShift;
  I.Msr = P8Msr;
  I.Flags |= Instruction::AddressKnown |
             (P8MsrKnown ? Instruction::MsrKnown : 0) |
             (bit(W, 33) ? Instruction::Microcoded : 0);
  if (HasData) {
    I.NumData = 1;
    I.Data[0] = Dea;
    I.DataPageShift[0] = P8DataShift[Dra >> 62];
    I.DataRA[0] = p8DataRA(Dra, Dea);
  }
  I.Opcode = bit(W, 32) ? demungeP8(Word, I.EA) : Word;
  MustJump = bit(W, 32) && endsFlow(I);
  NextEA += 4;
  ++Sum.P8Instructions;
  return Total;
}

BlockCache::State HtmDecoder::blockState() const {
  BlockCache::State S;
  S.LineKnown = LineKnown && !NewLine;
  S.Line = Line;
  S.LineRA = LineRA;
  S.RealApart = Options.Translate;
  S.P8Known = NextKnown && P8MsrKnown && !MustJump &&
              (S.RealApart || LastRA == NoAddress);
  S.NextEA = NextEA;
  S.Msr = P8Msr;
  return S;
}

/// Executions of blocks that are known, as many as there are in a row. They are
/// handed on unless what comes next is certainly no instruction.
Error HtmDecoder::knownBlocks() {
  // What comes next is not like what came before: it goes another way.
  if (Ambiguous || UnknownRun || ZeroRun || LossPending || GapAfterRecord)
    return Executions.empty() ? Error::success() : flush(false);
  const uint64_t *const Begin = Window.data();
  const uint64_t *const End = Begin + Window.available();
  const uint64_t *At = Begin;
  const uint64_t Offset = Window.offset();
  BlockCache::State S = blockState();
  const CodeBlock *Latest = nullptr; ///< executed here
  while (CodeBlock *B = Blocks->match(At, End, S, LastBlock, &Data[NumData])) {
    if (B->IsP10 && !(LastBlock && LastBlock->leadsTo(B))) {
      if (Latest)
        Before = &Latest->insns().back();
      if (!comesFromBefore(B->Insns->EA, B->OwnAddress))
        break;
      if (LastBlock)
        LastBlock->addSuccessor(B);
    }
    if (Count || Executions.size() == MaxExecutions ||
        NumData > MaxData - BlockCache::MaxData) {
      // The places just found are after those of the batch.
      std::array<DataPlace, BlockCache::MaxData> Places;
      std::copy_n(&Data[NumData], B->NumData, Places.begin());
      if (Error E = flush(false))
        return E;
      std::copy_n(Places.begin(), B->NumData, Data.get());
    }
    Executions.push_back({B, Offset + 8 * uint64_t(At - Begin), Time, NumData,
                          uint32_t(Lines.size()), Context, ContextKnown});
    if (Options.Translate)
      translate(*B);
    else if (!B->IsP10)
      LastRA = NoAddress;
    NumData += B->NumData;
    At += B->NumWords;
    Sum.Instructions += B->NumInsns;
    if (B->IsP10) {
      Line = S.Line = B->EndLine;
      LineRA = S.LineRA = B->EndRA;
      LineKnown = S.LineKnown = true;
      NewLine = false;
    } else {
      NextEA = S.NextEA = B->EndLine;
      P8Msr = S.Msr = B->EndMsr;
      NextKnown = P8MsrKnown = true;
      MustJump = B->EndsFlow;
      S.P8Known = !MustJump;
      Sum.P8Instructions += B->NumInsns;
    }
    LastBlock = B;
    Latest = B;
  }
  if (Latest) {
    Before = &Latest->insns().back();
    Follow = Before->next();
  }
  if (Executions.empty())
    return Error::success();
  Started = true;
  GroupEvents = 0;
  if (LLVM_UNLIKELY(Unplaced))
    reportUnplaced();
  Window.advance(size_t(At - Begin));
  if (Window.available()) {
    const uint64_t W = Window[0];
    if (hasStampTag(W) ? !hasRecordTag(W) : isP10(W, P10Type::Xlate))
      return Error::success();
  }
  return flush(false);
}

/// The execution that was just found: its data addresses are at the end.
inline void HtmDecoder::translate(const CodeBlock &B) {
  if (B.IsP10) {
    Options.Translate->execution(B, {&Data[NumData], B.NumData}, Lines);
    return;
  }
  if (B.OwnAddress) {
    LastRA = NoAddress;
    LastPageShift = 0;
    Options.Translate->p8Address(B.Insns->EA, B.Insns->Msr, LastRA,
                                 LastPageShift);
  } else {
    p8Sequential();
  }
  Lines.push_back(
      {LastRA, 0, LastRA == NoAddress ? uint8_t(0) : LastPageShift});
  if (LastRA != NoAddress)
    LastRA += 4 * (B.NumInsns - 1);
}

/// As many instructions as there are in a row without anything unusual, at most
/// a batch. Without blocks, this is what nearly all of a dump goes through;
/// with them, a block is learned, which ends with a branch.
void HtmDecoder::fastRun() {
  if (Window.available() < Margin)
    return;
  const BlockCache::State Before = blockState();
  const bool Learn = Blocks && !Ambiguous;
  const unsigned First = Count;
  const uint64_t *Ends[BatchSize];
  bool AtBranch = false;
  LastBlock = nullptr;
  const uint64_t *const Begin = Window.data();
  const uint64_t *const Limit = Begin + (Window.available() - Margin);
  const uint64_t *At = Begin;
  const uint64_t Offset = Window.offset();
  Translator *const Translate = Options.Translate;
  while (At < Limit && Count < BatchSize && !AtBranch) {
    const uint64_t W = WordWindow::word(At, 0);
    if (LLVM_UNLIKELY(hasStampTag(W)))
      break;
    if (tagOf(W) == P8Tag) {
      unsigned Used = p8Fast(W, At, Offset + 8 * uint64_t(At - Begin));
      if (!Used)
        break;
      At += Used;
      Ends[Count] = At;
      AtBranch = Learn && bit(W, 32);
      finish(Insns[Count]);
      continue;
    }
    if (LLVM_UNLIKELY(tagOf(W) != P10Tag))
      break;
    if (p10Type(W) == P10Type::Info) {
      unsigned Used = p10Fast(W, At, Margin, Offset + 8 * uint64_t(At - Begin));
      if (LLVM_UNLIKELY(!Used))
        break;
      At += Used;
      if (Translate)
        Translate->instruction(Insns[Count]);
      Ends[Count] = At;
      // What is an isel, or no branch either, does not end a block.
      AtBranch = Learn && bit(W, 32) && Insns[Count].Opcode >> 28 == 4;
      finish(Insns[Count]);
      continue;
    }
    if (p10Type(W) != P10Type::IEARA)
      break;
    const uint64_t EA = WordWindow::word(At, 1), RA = WordWindow::word(At, 2);
    if (LLVM_UNLIKELY((EA & 0x7f) | (RA & 0xffffff)) || !isPlain(EA) ||
        !isLinePage(RA) || hasStampTag(RA) || GapAfterRecord)
      break;
    At += 3;
    Line = EA;
    LineRA = RA >> 24 << 12;
    LineKnown = NewLine = true;
    if (Translate)
      Translate->line(LineRA);
  }
  if (Learn) {
    // What the last one is may depend on the next.
    const unsigned N = Count - First - (Ambiguous && Count > First);
    Blocks->learn(Begin, Before, ArrayRef(&Insns[First], N),
                  ArrayRef(&Ends[First], N));
  }
  Window.advance(size_t(At - Begin));
}

inline Error HtmDecoder::p10Info(uint64_t W) {
  unsigned Used =
      p10Fast(W, Window.data(), Window.available(), Window.offset());
  if (LLVM_UNLIKELY(!Used))
    return p10InfoSlow(W);
  Window.advance(Used);
  if (Options.Translate)
    Options.Translate->instruction(Insns[Count]);
  finish(Insns[Count]);
  if (LLVM_UNLIKELY(Count == BatchSize))
    return flush(false);
  return Error::success();
}

/// Stamps between the words of the record, addresses that look like records,
/// words missing or too many, the end of the dump.
Error HtmDecoder::p10InfoSlow(uint64_t W) {
  uint64_t Offset = Window.offset();
  Slots S = announcedBy(W);
  size_t Got;
  if (Error E = gather(1 + S.Size, S, Got))
    return E;
  if (Error E = Window.need(Margin))
    return E;
  Reading R = recover(W, S, Offset);
  bool Intact = R.Intact;
  uint64_t Word[6];
  bool Have[6];
  for (unsigned N = 0; N < S.Size; ++N) {
    Have[N] = R.Index[N] >= 0;
    Word[N] = Have[N] ? AheadWords[R.Index[N]] : 0;
    if (!Have[N] || S.At[N] != Slot::Msr || fits(Slot::Msr, Word[N]))
      continue;
    report(Damage::ReservedBits, Offset,
           "reserved bits set in the MSR word " + hex(Word[N]));
    Have[N] = Intact = false;
  }
  consume(R);
  uint32_t Opcode = uint32_t(W >> 32);
  if (Opcode == 0 && !bit(W, 33)) {
    report(Damage::InvalidOpcode, Offset, "opcode 0");
    Started = true;
    GroupEvents = 0;
    if (std::exchange(GapAfterRecord, false))
      startGap();
    lose();
    return Error::success();
  }
  if (LineKnown && !comesFromBefore(Line | (W & 0x7c), NewLine)) {
    report(Damage::LostWords, Offset,
           formatv("control cannot come to {0:x-16} from what is before: "
                   "records are missing",
                   Line | (W & 0x7c)));
    lose();
  }

  Instruction &I = begin(W, Offset);
  I.EA = Line | (W & 0x7c);
  if (Ambiguous)
    resolveAmbiguous(I.EA, LineKnown);
  I.Flags |= Instruction::P10 | (LineKnown ? Instruction::AddressKnown : 0) |
             (NewLine ? Instruction::FromIEARA : 0) |
             (R.Lost ? Instruction::Damaged : 0);
  NewLine = false;
  I.RA =
      LineRA == NoAddress || !LineKnown ? NoAddress : LineRA | (I.EA & 0xfff);
  I.Msr = 0;
  I.Opcode = Opcode;
  if (bit(W, 33))
    I.Flags |= Instruction::Prefixed;
  else
    setP10Opcode(I, Opcode, bit(W, 32));
  for (unsigned N = 0; N < S.Size; ++N) {
    switch (S.At[N]) {
    case Slot::Msr:
      if (Have[N]) {
        I.Msr = uint16_t(Word[N] >> 48);
        I.Flags |= Instruction::MsrKnown;
      }
      break;
    case Slot::Prefix:
      // 0 if it was lost
      I.Prefix =
          Have[N] && fits(Slot::Prefix, Word[N]) ? uint32_t(Word[N] >> 32) : 0;
      if (Have[N] && !I.Prefix) {
        report(Damage::SurplusWords, Offset,
               "not the prefix of an instruction: " + hex(Word[N]));
        Intact = false;
      }
      break;
    case Slot::Dea:
      if (!Have[N])
        break;
      I.Data[I.NumData] = Word[N];
      I.DataRA[I.NumData] =
          Have[N + 1] ? p10DataRA(Word[N + 1], Word[N]) : NoAddress;
      ++I.NumData;
      break;
    case Slot::Esid:
      if (Have[N] && Have[N + 1]) {
        I.Flags |= Instruction::Slb;
        I.Data[0] = Word[N];
        I.DataRA[0] = Word[N + 1];
      }
      break;
    default:
      break;
    }
  }
  if (Options.Translate)
    Options.Translate->instruction(I);
  Follow = I.next();
  finish(I);
  if (!Intact)
    lose();
  if (Count == BatchSize)
    return flush(false);
  return Error::success();
}

Error HtmDecoder::ieara() {
  uint64_t Offset = Window.offset();
  size_t Got = 3;
  if (Window.available() < 3 || hasStampTag(Window[1]) ||
      hasStampTag(Window[2]))
    if (Error E = gather(3, Slots(), Got))
      return E;
  uint64_t EA = Got > 1 ? Window[1] : 0, RA = Got > 2 ? Window[2] : 0;
  // An address may look like a record, and a record like an address.
  bool Tagged = tagOf(EA) == P10Tag || tagOf(EA) == P8Tag;
  if (Error E = Window.need(Margin))
    return E;
  Started = true;
  if (LLVM_UNLIKELY(Got < 3 || (EA & 0x7f) || !isLinePage(RA) ||
                    (Tagged && recordAt(lookAhead(1), 0)))) {
    // Of what is left, nobody can tell which word it is.
    report(Got < 3 ? Damage::Truncated : Damage::LostWords, Offset,
           "IEARA without its addresses");
    Window.advance(1);
    if (std::exchange(GapAfterRecord, false))
      startGap();
    lose();
    return Error::success();
  }
  Window.advance(3);
  LineKnown = NewLine = true;
  Line = EA;
  LineRA = RA >> 24 << 12;
  if (GapAfterRecord) {
    // The IEARA itself came after the gap, or around it: it stands.
    GapAfterRecord = false;
    bool Known = LineKnown;
    uint64_t Real = LineRA;
    startGap();
    LineKnown = Known;
    LineRA = Real;
  }
  if (Options.Translate)
    Options.Translate->line(LineRA);
  return Error::success();
}

Error HtmDecoder::xlate(uint64_t Header) {
  uint64_t Offset = Window.offset();
  Window.advance(1);
  Started = true;
  Walk W;
  W.Header = Header;
  Context = W.context();
  ContextKnown = true;
  ++Sum.Walks;
  bool Ended = false, TooLong = false;
  for (;;) {
    if (Window.available() < Margin)
      if (Error E = Window.need(Margin))
        return E;
    if (Window.available() == 0) {
      report(Damage::Truncated, Offset, "radix walk without end");
      break;
    }
    uint64_t Word = Window[0];
    if (hasStampTag(Word)) {
      stamp(Word, Window.offset(), false);
      Window.advance(1);
      if (Events.size() >= MaxEvents)
        if (Error E = flush(false))
          return E;
      continue;
    }
    uint32_t Tag = tagOf(Word);
    if ((Tag == P10Tag || Tag == P8Tag) && recordAt(lookAhead(0), 0)) {
      report(Damage::LostWords, Offset, "radix walk without its last word");
      lose();
      break;
    }
    if (!walk::isTerminator(Word) && !isWalkEntry(Word)) {
      report(Damage::LostWords, Offset,
             "radix walk with a word that is no entry: " + hex(Word));
      lose();
      return Error::success();
    }
    Window.advance(1);
    ++Sum.WalkWords;
    if (walk::isTerminator(Word)) {
      Ended = true;
      break;
    }
    if (W.Size == walk::MaxEntries) {
      if (!TooLong)
        report(
            Damage::LongWalk, Offset,
            formatv("radix walk of more than {0} entries", walk::MaxEntries));
      if (!TooLong)
        lose();
      TooLong = true;
      continue;
    }
    W.Entry[W.Size++] = Word;
  }
  if (Options.Translate && Ended && !TooLong && W.Size)
    Options.Translate->walk(W);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// POWER8
//===----------------------------------------------------------------------===//

Error HtmDecoder::p8Info(uint64_t W) {
  uint64_t Offset = Window.offset();
  Slots S = announcedBy(W);
  bool Good = Window.available() > S.Size;
  uint64_t Word[6];
  bool Have[6];
  if (Good) {
    for (unsigned N = 0; N < S.Size; ++N) {
      Word[N] = Window[1 + N];
      Have[N] = true;
      Good = Good && fits(S.At[N], Word[N]) && isPlain(Word[N]);
    }
    Good = Good && mayFollow(Window[1 + S.Size]);
  }
  bool Lost = false, Intact = true;
  if (LLVM_LIKELY(Good)) {
    Window.advance(1 + S.Size);
  } else {
    size_t Got;
    if (Error E = gather(1 + S.Size, S, Got))
      return E;
    if (Error E = Window.need(Margin))
      return E;
    Reading R = recover(W, S, Offset);
    Lost = R.Lost;
    Intact = R.Intact;
    for (unsigned N = 0; N < S.Size; ++N) {
      Have[N] = R.Index[N] >= 0;
      Word[N] = Have[N] ? AheadWords[R.Index[N]] : 0;
    }
    consume(R);
  }
  uint32_t Opcode = uint32_t(W >> 32);
  bool Valid = bit(W, 56);
  if (LLVM_UNLIKELY(Opcode == 0 || !Valid)) {
    report(Valid ? Damage::InvalidOpcode : Damage::InvalidRecord, Offset,
           Valid ? "opcode 0" : "record marked invalid");
    Started = true;
    GroupEvents = 0;
    if (std::exchange(GapAfterRecord, false))
      startGap();
    // One that is marked invalid takes no place.
    if (Valid || !Intact)
      lose();
    return Error::success();
  }

  const bool HasIea = bit(W, 57);
  if (!HasIea && NextKnown && MustJump) {
    report(Damage::LostWords, Offset,
           "no address after a branch: records are missing");
    lose();
  }
  Instruction &I = begin(W, Offset);
  uint64_t Iea = 0, Ira = 0;
  bool IeaLost = false, HaveIra = false;
  I.DataRA[0] = NoAddress;
  for (unsigned N = 0; N < S.Size; ++N) {
    switch (S.At[N]) {
    case Slot::Iea:
      Iea = Word[N];
      IeaLost = !Have[N] || !Intact || !fits(Slot::Iea, Iea);
      break;
    case Slot::Ira:
      Ira = Word[N];
      HaveIra = Have[N] && fits(Slot::Ira, Ira);
      if (Have[N] && !HaveIra)
        report(Damage::BadPageSize, Offset, "not a real address: " + hex(Ira));
      break;
    case Slot::Dea:
      if (Have[N]) {
        I.Data[0] = Word[N];
        I.NumData = 1;
      }
      break;
    case Slot::P8Dra:
      if (!Have[N] || !I.NumData)
        break;
      if (!fits(Slot::P8Dra, Word[N])) {
        report(Damage::BadPageSize, Offset,
               "not a real address: " + hex(Word[N]));
        break;
      }
      I.DataPageShift[0] = P8DataShift[Word[N] >> 62];
      I.DataRA[0] = p8DataRA(Word[N], I.Data[0]);
      break;
    case Slot::Esid:
      if (Have[N] && N + 1 < S.Size && Have[N + 1]) {
        I.Flags |= Instruction::Slb;
        I.Data[0] = Word[N];
        I.DataRA[0] = Word[N + 1];
      }
      break;
    default:
      break;
    }
  }

  if (HasIea) {
    p8Jump(Iea);
    NextKnown = P8MsrKnown = !IeaLost;
    if (HaveIra && !IeaLost) {
      constexpr uint8_t Shift[4] = {0, 12, 16, 24};
      LastPageShift = Shift[bits(Ira, 38, 39)];
      uint64_t Low = (uint64_t(1) << LastPageShift) - 1;
      LastRA = bits(Ira, 0, 37) << 12 | (NextEA & Low);
    }
    if (Options.Translate && NextKnown)
      Options.Translate->p8Address(NextEA, P8Msr, LastRA, LastPageShift);
  } else {
    p8Sequential();
  }
  I.EA = NextEA;
  I.RA = NextKnown ? LastRA : NoAddress;
  I.PageShift = I.RA == NoAddress ? 0 : LastPageShift;
  I.Msr = P8Msr;
  I.Flags |= (NextKnown ? Instruction::AddressKnown : 0) |
             (P8MsrKnown ? Instruction::MsrKnown : 0) |
             (HasIea ? Instruction::FromIEARA : 0) |
             (bit(W, 33) ? Instruction::Microcoded : 0) |
             (Lost ? Instruction::Damaged : 0);
  if (LLVM_UNLIKELY(Ambiguous))
    resolveAmbiguous(I.EA, NextKnown);
  I.Opcode = bit(W, 32) ? demungeP8(Opcode, I.EA) : Opcode;
  MustJump = bit(W, 32) && endsFlow(I);
  NextEA += 4;
  ++Sum.P8Instructions;
  finish(I);
  if (!Intact || IeaLost)
    lose();
  if (Count == BatchSize)
    return flush(false);
  return Error::success();
}

} // namespace rw::htm
