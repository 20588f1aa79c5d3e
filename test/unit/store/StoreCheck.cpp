//===- StoreCheck.cpp - Asks a store and the naive model ------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoreCheck.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace rw;
using namespace llvm;

//===----------------------------------------------------------------------===//
// Showing and comparing
//===----------------------------------------------------------------------===//

static std::string show(uint64_t V) {
  if (V == BeforeTrace)
    return "~0";
  return formatv("{0} ({0:x})", V).str();
}
static std::string show(uint32_t V) { return show(uint64_t(V)); }
static std::string show(std::optional<uint64_t> V) {
  return V ? show(*V) : "none";
}
static std::string show(const std::vector<uint64_t> &V) {
  std::string Text = formatv("{0} values", V.size()).str();
  for (uint64_t X : ArrayRef(V).take_front(20))
    Text += formatv(" {0:x}", X).str();
  return Text;
}

static std::string show(const RegItem &I) {
  return formatv("[lane {0} of thread {1} value {2:x} written {3:x} unknown "
                 "{4:x} flags {5:x}]",
                 I.Lane, I.Thread, I.Value, I.Written, I.Unknown, I.Flags)
      .str();
}

static std::string show(const MemAccess &A) {
  std::string Text =
      formatv("[{0:x} real {1:x} flags {2:x}", A.Addr, A.Real, A.Flags).str();
  for (auto [Byte, Known] : zip_equal(A.Bytes, A.Known))
    Text += Known ? formatv(" {0:x-2}", Byte).str() : " ##";
  return Text + "]";
}

static std::string show(const Instruction &I) {
  std::string Text =
      formatv("#{0} thread {1} pos {2} pc {3:x} opcode {4:x} size {5} isa {6} "
              "flags {7:x} time {8} line {9} lines {10} counts {11} {12}",
              I.When, I.Thread, I.Pos, I.Insn.PC, I.Insn.Opcode, I.Insn.Size,
              int(I.Insn.Isa), I.Insn.Flags, I.Insn.Time, I.Line, I.Insn.Lines,
              I.Insn.NumRegs, I.Insn.NumMems)
          .str();
  for (const RegItem &R : I.Regs)
    Text += " " + show(R);
  for (const MemAccess &A : I.Mems)
    Text += " " + show(A);
  return Text;
}

/// The bytes of a lane that \p Mask selects.
static uint64_t bytes(uint8_t Mask) {
  uint64_t Bytes = 0;
  for (unsigned K = 0; K < 8; ++K)
    if (Mask >> K & 1)
      Bytes |= uint64_t(0xff) << 8 * K;
  return Bytes;
}

static bool equal(const RegItem &A, const RegItem &B) {
  uint64_t Known = bytes(A.Written & ~A.Unknown);
  return A.Lane == B.Lane && A.Thread == B.Thread && A.Written == B.Written &&
         A.Unknown == B.Unknown && A.Flags == B.Flags &&
         (A.Value & Known) == (B.Value & Known);
}

static bool equal(const MemAccess &A, const MemAccess &B) {
  return A.Addr == B.Addr && A.Real == B.Real && A.Flags == B.Flags &&
         A.Bytes == B.Bytes && A.Known == B.Known;
}

/// \p Effects: whether the effects and their counts are compared.
static bool equal(const Instruction &A, const Instruction &B, bool Lines,
                  bool Effects) {
  if (A.When != B.When || A.Thread != B.Thread || A.Pos != B.Pos ||
      A.Line != B.Line || A.Insn.PC != B.Insn.PC ||
      A.Insn.Opcode != B.Insn.Opcode || A.Insn.Time != B.Insn.Time ||
      A.Insn.Size != B.Insn.Size || A.Insn.Isa != B.Insn.Isa ||
      A.Insn.Flags != B.Insn.Flags || A.Insn.Thread != B.Insn.Thread)
    return false;
  if (Lines && A.Insn.Lines != B.Insn.Lines)
    return false;
  if (!Effects)
    return true;
  auto Same = [](const auto &X, const auto &Y) { return equal(X, Y); };
  return A.Insn.NumRegs == B.Insn.NumRegs && A.Insn.NumMems == B.Insn.NumMems &&
         std::equal(A.Regs.begin(), A.Regs.end(), B.Regs.begin(), B.Regs.end(),
                    Same) &&
         std::equal(A.Mems.begin(), A.Mems.end(), B.Mems.begin(), B.Mems.end(),
                    Same);
}

static std::string differ(const Twine &Query, const Twine &Want,
                          const Twine &Got) {
  return (Query + "\n  expected " + Want + "\n  got      " + Got).str();
}

std::string StoreCheck::failed(const Twine &Query, Error E) {
  std::string Text = toString(std::move(E));
  ++Errors;
  if (Damaged && !Text.empty())
    return "";
  return differ(Query, "an answer", "the error \"" + Text + "\"");
}

template <typename T>
std::string StoreCheck::same(const Twine &Query, const T &Want,
                             Expected<T> Got) {
  if (!Got)
    return failed(Query, Got.takeError());
  if (*Got == Want)
    return "";
  return differ(Query, show(Want), show(*Got));
}

//===----------------------------------------------------------------------===//
// Picking questions
//===----------------------------------------------------------------------===//

StoreCheck::StoreCheck(const TraceStore &Store, const NaiveModel &Model,
                       uint64_t Seed, bool Damaged)
    : Store(Store), Model(Model), R(Seed), Damaged(Damaged) {}

Moment StoreCheck::anyMoment() {
  uint64_t N = Model.numInstructions();
  switch (R.below(6)) {
  case 0:
    return R.below(std::min<uint64_t>(N + 1, 4));
  case 1:
    return N - R.below(std::min<uint64_t>(N + 1, 4));
  case 2: { // around the borders of whatever the store is cut into
    uint64_t Unit = uint64_t(1) << R.between(6, 19);
    uint64_t M = R.below(N / Unit + 1) * Unit + R.below(3);
    return std::min(N, M ? M - 1 : 0);
  }
  default:
    return R.below(N + 1);
  }
}

Moment StoreCheck::anyInstruction() {
  return std::min(anyMoment(), Model.numInstructions() - 1);
}

Moment StoreCheck::anyBound() {
  if (R.chance(0.03))
    return BeforeTrace;
  if (R.chance(0.03))
    return Model.numInstructions() + R.below(1000);
  return anyMoment();
}

uint64_t StoreCheck::anyAddress() {
  if (Model.mems().empty() || R.chance(0.05))
    return R.next();
  uint64_t Addr = R.pick(Model.mems()).Addr;
  switch (R.below(4)) {
  case 0:
    return Addr + R.below(32) - 16;
  case 1:
    return Addr & ~uint64_t(7);
  case 2:
    return R.chance(0.1) ? Addr + R.below(8192) - 4096 : Addr + R.below(8);
  default:
    return Addr;
  }
}

std::string StoreCheck::randomQuestions(unsigned Count) {
  for (unsigned I = 0; I < Count; ++I) {
    std::string Text = randomQuestion();
    if (!Text.empty())
      return Text;
  }
  return "";
}

std::string StoreCheck::randomQuestion() {
  switch (R.below(16)) {
  case 0:
    return positions();
  case 1:
    return timesAndLines();
  case 2:
    return instruction();
  case 3:
    return walk(anyMoment(), R.below(40), R.chance(0.5));
  case 4:
  case 5:
    return registers();
  case 6:
  case 7:
  case 8:
    return memory();
  case 9:
  case 10:
    return registerWrites();
  case 11:
  case 12:
    return accesses();
  case 13:
    return writtenGranules();
  default:
    return visits();
  }
}

//===----------------------------------------------------------------------===//
// The whole trace
//===----------------------------------------------------------------------===//

std::string StoreCheck::wholeTrace() {
  for (auto Check : {&StoreCheck::header, &StoreCheck::touchedRanges,
                     &StoreCheck::events, &StoreCheck::code}) {
    std::string Text = (this->*Check)();
    if (!Text.empty())
      return Text;
  }
  return "";
}

template <typename T, typename Fn>
static bool sameList(const std::vector<T> &A, const std::vector<T> &B, Fn F) {
  return std::equal(A.begin(), A.end(), B.begin(), B.end(), F);
}

std::string StoreCheck::header() {
  const TraceHeader &A = Model.header(), &B = Store.header();
  if (A.Format != B.Format || A.Architecture != B.Architecture ||
      A.Order != B.Order || A.TimeUnit != B.TimeUnit ||
      A.Ignored != B.Ignored || A.NumMalformed != B.NumMalformed ||
      A.TotalLines != B.TotalLines || A.Notes != B.Notes)
    return "header: a scalar, Ignored or Notes differ";
  auto Can = [](const Capabilities &C) {
    return std::vector<bool>{C.Registers,     C.MemAddresses, C.MemValues,
                             C.RealAddresses, C.Opcodes,      C.Time,
                             C.Lines};
  };
  if (Can(A.Can) != Can(B.Can))
    return "header: capabilities differ";
  if (!sameList(A.Threads, B.Threads,
                [](const ThreadInfo &X, const ThreadInfo &Y) {
                  return X.Name == Y.Name && X.Id == Y.Id;
                }))
    return "header: threads differ";
  if (!sameList(A.NamedRegisters, B.NamedRegisters,
                [](const NamedRegister &X, const NamedRegister &Y) {
                  return X.Name == Y.Name && X.Lane == Y.Lane &&
                         X.Size == Y.Size;
                }))
    return "header: named registers differ";
  if (!sameList(A.Malformed, B.Malformed,
                [](const MalformedLine &X, const MalformedLine &Y) {
                  return X.Line == Y.Line && X.Offset == Y.Offset &&
                         X.What == Y.What;
                }))
    return "header: malformed lines differ";

  uint64_t N = Model.numInstructions();
  if (Store.numInstructions() != N)
    return differ("numInstructions()", show(N), show(Store.numInstructions()));
  if (Store.numThreads() != A.Threads.size())
    return differ("numThreads()", show(A.Threads.size()),
                  show(Store.numThreads()));
  for (ThreadIndex T = 0; T < Store.numThreads(); ++T)
    if (Store.numInstructions(T) != Model.numInstructions(T))
      return differ("numInstructions(" + Twine(T) + ")",
                    show(Model.numInstructions(T)),
                    show(Store.numInstructions(T)));
  uint64_t First = 0, Last = 0;
  for (Moment M = N; M-- > 0;)
    if (std::optional<uint64_t> Time = Model.timeAt(M))
      First = *Time, Last = std::max(Last, *Time);
  if (Store.firstTime() != First)
    return differ("firstTime()", show(First), show(Store.firstTime()));
  if (Store.lastTime() != Last)
    return differ("lastTime()", show(Last), show(Store.lastTime()));

  RegisterFile Want(A.Architecture, A.NamedRegisters);
  if (Store.registerFile().numLanes() != Want.numLanes())
    return differ("registerFile().numLanes()", Twine(Want.numLanes()),
                  Twine(Store.registerFile().numLanes()));
  return "";
}

std::string StoreCheck::touchedRanges() {
  std::vector<std::pair<uint64_t, uint64_t>> Ranges; // first and last byte
  std::string Problem;
  Error E = Store.forEachTouchedRange([&](uint64_t Addr, uint64_t Size) {
    if (!Size || Addr + (Size - 1) < Addr)
      Problem = differ("forEachTouchedRange", "a range",
                       formatv("{0:x} size {1:x}", Addr, Size).str());
    else if (!Ranges.empty() && Addr <= Ranges.back().second)
      Problem = differ("forEachTouchedRange", "ascending ranges",
                       formatv("{0:x} after one that ends at {1:x}", Addr,
                               Ranges.back().second)
                           .str());
    Ranges.push_back({Addr, Addr + (Size - 1)});
    return Problem.empty();
  });
  if (E)
    return failed("forEachTouchedRange", std::move(E));
  if (!Problem.empty())
    return Problem;

  // Every known byte is in a range...
  auto Range = Ranges.begin();
  for (uint64_t Byte : Model.knownBytes()) {
    while (Range != Ranges.end() && Range->second < Byte)
      ++Range;
    if (Range == Ranges.end() || Range->first > Byte)
      return differ("forEachTouchedRange", formatv("byte {0:x}", Byte).str(),
                    "no range with it");
  }
  // ... and every range has nothing but granules that were touched.
  std::vector<uint64_t> Granules = Model.touchedGranules();
  for (auto [First, Last] : Ranges)
    for (uint64_t G = First & ~uint64_t(7);; G += 8) {
      if (!std::binary_search(Granules.begin(), Granules.end(), G))
        return differ(
            "forEachTouchedRange", "touched granules only",
            formatv("granule {0:x} in {1:x}..{2:x}", G, First, Last).str());
      if (Last - G < 8)
        break;
    }

  // A callback that returns false ends it.
  unsigned Calls = 0;
  if (Error E = Store.forEachTouchedRange([&](uint64_t, uint64_t) {
        ++Calls;
        return false;
      }))
    return failed("forEachTouchedRange", std::move(E));
  if (Calls != !Ranges.empty())
    return differ("forEachTouchedRange stopped at once",
                  Twine(!Ranges.empty()) + " calls", Twine(Calls));
  return "";
}

std::string StoreCheck::events() {
  const std::vector<StoredEvent> &Want = Model.events();
  if (Store.numEvents() != Want.size())
    return differ("numEvents()", Twine(Want.size()), Twine(Store.numEvents()));
  for (uint64_t I = 0; I < Want.size(); ++I) {
    Expected<StoredEvent> Got = Store.event(I);
    if (!Got) {
      std::string Text = failed("event " + Twine(I), Got.takeError());
      if (!Text.empty())
        return Text;
      continue;
    }
    const StoredEvent &A = Want[I];
    if (A.Before != Got->Before || A.Thread != Got->Thread ||
        A.Kind != Got->Kind || A.PC != Got->PC || A.Value != Got->Value ||
        A.Text != Got->Text)
      return differ("event " + Twine(I),
                    formatv("before {0} thread {1} kind {2} pc {3:x} value "
                            "{4:x} '{5}'",
                            A.Before, A.Thread, int(A.Kind), A.PC, A.Value,
                            A.Text)
                        .str(),
                    formatv("before {0} thread {1} kind {2} pc {3:x} value "
                            "{4:x} '{5}'",
                            Got->Before, Got->Thread, int(Got->Kind), Got->PC,
                            Got->Value, Got->Text)
                        .str());
  }
  for (unsigned I = 0; I < 20; ++I) {
    Moment M = anyBound();
    std::string Text = same("firstEventFrom " + show(M),
                            Model.firstEventFrom(M), Store.firstEventFrom(M));
    if (!Text.empty())
      return Text;
  }
  return "";
}

std::string StoreCheck::code() {
  std::vector<uint64_t> PCs = Model.distinctPCs(), Got = Store.distinctPCs();
  // It has no way to tell of damage but to leave pcs out.
  bool Same =
      Damaged ? std::includes(PCs.begin(), PCs.end(), Got.begin(), Got.end())
              : PCs == Got;
  if (!Same)
    return differ("distinctPCs()", show(PCs), show(Got));

  for (unsigned I = 0; I < 20; ++I) {
    uint64_t PC = PCs.empty() ? R.next() : R.pick(PCs) + R.below(2);
    std::optional<TraceStore::Code> Code = Store.codeAt(PC);
    bool Executed = false, Told = false, Right = false;
    for (const NaiveModel::Insn &N : Model.insns()) {
      if (N.Item.PC != PC)
        continue;
      Executed = true;
      Told |= bool(N.Item.Flags & InsnItem::OpcodeKnown);
      Right |= Code && N.Item.Opcode == Code->Opcode &&
               N.Item.Size == Code->Size && N.Item.Isa == Code->Isa;
    }
    if (Damaged ? Code && !Right : Code ? !Executed || !Right : Told)
      return differ(
          formatv("codeAt {0:x}", PC).str(),
          Executed ? "an opcode executed there" : "none",
          Code ? formatv("{0:x} size {1}", Code->Opcode, Code->Size).str()
               : std::string("none"));
  }
  return "";
}

std::string StoreCheck::walk(Moment From, uint64_t Count, bool WithEffects) {
  std::unique_ptr<InstructionCursor> &C = Cursors[WithEffects];
  std::string Query = formatv("cursor({0}) from #{1}", WithEffects, From).str();
  if (!C || R.chance(0.1))
    C = Store.cursor(WithEffects);
  C->seek(From);
  uint64_t N = Model.numInstructions();
  for (Moment M = From; M < From + Count; ++M) {
    const Instruction *Got = C->next();
    if (!Got) {
      if (Error E = C->takeError()) {
        C.reset();
        return failed(Query, std::move(E));
      }
      if (M == N)
        return "";
      return differ(Query, "#" + Twine(M), "the end");
    }
    if (M >= N)
      return differ(Query, "the end", show(*Got));
    Instruction Want = Model.instruction(M);
    if (!equal(Want, *Got, Model.header().Can.Lines, WithEffects))
      return differ(Query, show(Want), show(*Got));
  }
  return walkExecutions(From, Count, WithEffects);
}

/// Executions are the same instructions, at the same places.
static bool equal(const Instruction &Want, const Execution &Got,
                  const Instruction &Described, bool Places) {
  auto SameHead = [](const InsnItem &A, const InsnItem &B) {
    return A.PC == B.PC && A.Opcode == B.Opcode && A.Size == B.Size &&
           A.Isa == B.Isa && A.Flags == B.Flags && A.Thread == B.Thread;
  };
  if (Got.When != Want.When || Got.Pos != Want.Pos ||
      Got.Thread != Want.Thread || Got.Flags != Want.Insn.Flags ||
      !SameHead(Want.Insn, Described.Insn) ||
      Described.Regs.size() != Want.Regs.size() ||
      Described.Mems.size() != Want.Mems.size() ||
      Got.Places.size() != (Places ? Want.Mems.size() : 0))
    return false;
  for (size_t K = 0; K < Want.Regs.size(); ++K) {
    const RegItem &A = Want.Regs[K], &B = Described.Regs[K];
    if (A.Lane != B.Lane || A.Written != B.Written || A.Unknown != B.Unknown ||
        A.Thread != B.Thread || A.Flags != B.Flags)
      return false;
  }
  for (size_t K = 0; K < Got.Places.size(); ++K) {
    const AccessPlace &P = Got.Places[K];
    const MemAccess &A = Want.Mems[K];
    if (P.Addr != A.Addr || P.Size != A.Bytes.size() ||
        P.Write != A.isWrite() || A.Flags != Described.Mems[K].Flags)
      return false;
  }
  return true;
}

std::string StoreCheck::walkExecutions(Moment From, uint64_t Count,
                                       bool Places) {
  std::string Query = formatv("executions({0}) from #{1}", Places, From).str();
  auto C = ExecutionCursor::open(Store, Places ? ExecutionCursor::Places
                                               : ExecutionCursor::Flow);
  C->seek(From);
  uint64_t N = Model.numInstructions();
  for (Moment M = From; M < From + Count; ++M) {
    const Execution *Got = C->next();
    if (!Got) {
      if (Error E = C->takeError())
        return failed(Query, std::move(E));
      if (M == N)
        return "";
      return differ(Query, "#" + Twine(M), "the end");
    }
    if (M >= N)
      return differ(Query, "the end", "#" + Twine(Got->When));
    Instruction Want = Model.instruction(M);
    Instruction Is =
        ExecutionCursor::describe(Store, Got->Template, Got->Thread);
    if (!equal(Want, *Got, Is, Places))
      return differ(Query, show(Want), show(Is));
  }
  return Places ? "" : walkRuns(From, Count);
}

/// Runs are the executions that the cursor tells one by one, however both are
/// mixed.
std::string StoreCheck::walkRuns(Moment From, uint64_t Count) {
  std::string Query = formatv("runs from #{0}", From).str();
  auto Runs = ExecutionCursor::open(Store, ExecutionCursor::Flow);
  auto Each = ExecutionCursor::open(Store, ExecutionCursor::Flow);
  Runs->seek(From);
  Each->seek(From);
  for (Moment M = From; M < From + Count;) {
    ExecutionRun Run;
    uint32_t One = 0;
    if (R.chance(0.2)) {
      if (const Execution *E = Runs->next()) {
        One = E->Template;
        Run = {E->When, E->Thread, One};
      }
    } else {
      Run = Runs->nextRun();
    }
    if (Run.Templates.empty()) {
      if (Error E = Runs->takeError())
        return failed(Query, std::move(E));
      return M >= Model.numInstructions()
                 ? ""
                 : differ(Query, "#" + Twine(M), "the end");
    }
    if (Run.First != M)
      return differ(Query, "#" + Twine(M), "#" + Twine(Run.First));
    for (uint32_t T : Run.Templates) {
      const Execution *E = Each->next();
      if (!E || E->When != M || E->Thread != Run.Thread || E->Template != T)
        return differ(Query, "another execution", "#" + Twine(M));
      ++M;
    }
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Single questions
//===----------------------------------------------------------------------===//

std::string StoreCheck::positions() {
  ThreadIndex T = anyThread();
  if (R.chance(0.3)) {
    Moment M = anyMoment();
    return same("positionOf thread " + Twine(T) + " at " + show(M),
                Model.positionOf(T, M), Store.positionOf(T, M));
  }
  if (uint64_t N = Model.numInstructions(T); N && R.chance(0.5)) {
    Position P = R.chance(0.2) ? N - 1 : R.below(N);
    return same("momentOf thread " + Twine(T) + " position " + show(P),
                Model.momentOf(T, P), Store.momentOf(T, P));
  }
  if (!Model.numInstructions())
    return "";
  Moment M = anyInstruction();
  return same("threadAt " + show(M), Model.threadAt(M), Store.threadAt(M));
}

std::string StoreCheck::timesAndLines() {
  uint64_t N = Model.numInstructions();
  switch (R.below(N ? 4 : 2)) {
  case 0: {
    uint64_t Time = R.chance(0.1) ? R.next() : R.below(3) - 1;
    if (N && R.chance(0.9))
      Time = Model.timeAt(anyInstruction()).value_or(0) + R.below(3) - 1;
    return same("momentAtTime " + show(Time), Model.momentAtTime(Time),
                Store.momentAtTime(Time));
  }
  case 1: {
    if (!Model.header().Can.Lines)
      return "";
    uint64_t Line = R.chance(0.1) ? R.next() : R.below(30);
    if (N && R.chance(0.8))
      Line = Model.lineAt(anyInstruction()) + R.below(5) - 2;
    return same("momentAtLine " + show(Line), Model.momentAtLine(Line),
                Store.momentAtLine(Line));
  }
  case 2: {
    Moment M = anyInstruction();
    return same("timeAt " + show(M), Model.timeAt(M), Store.timeAt(M));
  }
  default: {
    Moment M = anyInstruction();
    return same("lineAt " + show(M), Model.lineAt(M), Store.lineAt(M));
  }
  }
}

std::string StoreCheck::instruction() {
  if (!Model.numInstructions())
    return "";
  Moment M = anyInstruction();
  std::string Query = ("instruction " + Twine(M)).str();
  Expected<Instruction> Got = Store.instruction(M);
  if (!Got)
    return failed(Query, Got.takeError());
  Instruction Want = Model.instruction(M);
  if (equal(Want, *Got, Model.header().Can.Lines, true))
    return "";
  return differ(Query, show(Want), show(*Got));
}

std::string StoreCheck::registers() {
  ThreadIndex T = anyThread();
  Moment M = anyMoment();
  std::string Query = formatv("registersAt thread {0} #{1}", T, M).str();
  Expected<RegisterState> Got = Store.registersAt(T, M);
  if (!Got)
    return failed(Query, Got.takeError());
  unsigned Lanes = Store.registerFile().numLanes();
  RegisterState Want = Model.registersAt(T, M, Lanes);
  if (Got->Value.size() != Got->Known.size() || Got->Value.size() < Lanes)
    return differ(Query, Twine(Lanes) + " lanes", Twine(Got->Value.size()));
  for (unsigned L = 0; L < Got->Value.size(); ++L) {
    uint8_t Known = L < Want.Known.size() ? Want.Known[L] : 0;
    uint64_t Value = L < Want.Known.size() ? Want.Value[L] : 0;
    if (Got->Known[L] != Known || (Got->Value[L] & bytes(Known)) != Value)
      return differ(
          Query + " lane " + Twine(L),
          formatv("{0:x} known {1:x}", Value, Known).str(),
          formatv("{0:x} known {1:x}", Got->Value[L], Got->Known[L]).str());
  }
  return "";
}

std::string StoreCheck::memory() {
  Moment M = anyMoment();
  uint64_t Addr = anyAddress();
  if (R.chance(0.4)) {
    std::string Query = formatv("memoryOrigin #{0} {1:x}", M, Addr).str();
    Expected<ByteOrigin> Got = Store.memoryOrigin(M, Addr);
    if (!Got)
      return failed(Query, Got.takeError());
    NaiveModel::Byte Want = Model.memoryAt(M, Addr, 1)[0];
    if (Got->From == Want.From && (!Want.Known || Got->Origin == Want.Origin))
      return "";
    auto Show = [](Provenance From, Moment Origin) {
      static const char *const Names[] = {"Unknown", "Write", "Read",
                                          "LaterRead", "Semihosting"};
      return Names[unsigned(From)] + (" " + show(Origin));
    };
    return differ(Query, Show(Want.From, Want.Origin),
                  Show(Got->From, Got->Origin));
  }

  size_t Size = R.chance(0.1)   ? R.below(2000)
                : R.chance(0.5) ? 8
                                : R.between(1, 64);
  std::string Query =
      formatv("memoryAt #{0} {1:x} size {2}", M, Addr, Size).str();
  std::vector<uint8_t> Bytes(Size, 0xa5), Known(Size, 0x5a);
  if (Error E = Store.memoryAt(M, Addr, Bytes, Known))
    return failed(Query, std::move(E));
  std::vector<NaiveModel::Byte> Want = Model.memoryAt(M, Addr, Size);
  for (size_t I = 0; I < Size; ++I) {
    uint8_t Byte = Want[I].Known ? Want[I].Value : 0xa5; // left alone
    if (Bytes[I] != Byte || Known[I] != Want[I].Known)
      return differ(Query + formatv(" byte {0:x}", Addr + I).str(),
                    formatv("{0:x} known {1}", Byte, Want[I].Known).str(),
                    formatv("{0:x} known {1}", Bytes[I], int(Known[I])).str());
  }
  return "";
}

std::string StoreCheck::registerWrites() {
  ThreadIndex T = anyThread();
  unsigned Lane = R.below(450);
  if (!Model.regs().empty() && R.chance(0.9))
    Lane = R.pick(Model.regs()).Lane;
  uint8_t Mask = R.chance(0.5) ? 0xff : R.between(1, 255);
  Moment M = anyBound();
  std::string Query =
      formatv("RegisterWrite thread {0} lane {1} mask {2:x} #", T, Lane, Mask)
          .str() +
      show(M);
  bool OrTold = R.chance(0.3);
  if (R.chance(0.5))
    return same((OrTold ? "told or last" : "last") + Query,
                Model.lastRegisterWrite(T, Lane, Mask, M, OrTold),
                Store.lastRegisterWrite(T, Lane, Mask, M, OrTold));
  return same("next" + Query, Model.nextRegisterWrite(T, Lane, Mask, M),
              Store.nextRegisterWrite(T, Lane, Mask, M));
}

std::string StoreCheck::accesses() {
  uint64_t Addr = anyAddress();
  uint64_t Size = R.chance(0.7)   ? uint64_t(1) << R.below(5)
                  : R.chance(0.1) ? uint64_t(1) << R.below(20)
                                  : R.below(100);
  AccessKind Kind = AccessKind(R.between(1, 3));
  Moment M = anyBound();
  std::string Query =
      formatv("Access {0:x} size {1} kind {2} #", Addr, Size, int(Kind)).str() +
      show(M);
  if (R.chance(0.2)) {
    uint64_t Real = Addr ^ 0x8000000000 ^ (R.chance(0.3) ? 0x10000 : 0);
    Query = "real " + Query;
    if (R.chance(0.5))
      return same("last " + Query, Model.lastRealAccess(Real, Size, Kind, M),
                  Store.lastRealAccess(Real, Size, Kind, M));
    return same("next " + Query, Model.nextRealAccess(Real, Size, Kind, M),
                Store.nextRealAccess(Real, Size, Kind, M));
  }
  if (R.chance(0.5))
    return same("last" + Query, Model.lastAccess(Addr, Size, Kind, M),
                Store.lastAccess(Addr, Size, Kind, M));
  return same("next" + Query, Model.nextAccess(Addr, Size, Kind, M),
              Store.nextAccess(Addr, Size, Kind, M));
}

std::string StoreCheck::writtenGranules() {
  Moment From = anyMoment(), To = anyMoment();
  if (R.chance(0.7))
    To = std::min(Model.numInstructions(), From + R.below(200));
  if (To < From)
    std::swap(From, To);
  return same(formatv("writtenGranules #{0} #{1}", From, To).str(),
              Model.writtenGranules(From, To), Store.writtenGranules(From, To));
}

std::string StoreCheck::visits() {
  uint64_t PC = R.next();
  if (Model.numInstructions() && R.chance(0.95))
    PC = R.pick(Model.insns()).Item.PC + (R.chance(0.05) ? R.below(4) : 0);
  std::optional<ThreadIndex> T;
  if (R.chance(0.5))
    T = anyThread();
  Moment M = anyBound();
  std::string Query =
      formatv(" pc {0:x} thread {1} #", PC, T ? std::to_string(*T) : "any")
          .str() +
      show(M);
  switch (R.below(3)) {
  case 0:
    return same("lastVisit" + Query, Model.lastVisit(PC, M, T),
                Store.lastVisit(PC, M, T));
  case 1:
    return same("nextVisit" + Query, Model.nextVisit(PC, M, T),
                Store.nextVisit(PC, M, T));
  default:
    return same("visitAtOrAfter" + Query, Model.visitAtOrAfter(PC, M, T),
                Store.visitAtOrAfter(PC, M, T));
  }
}
