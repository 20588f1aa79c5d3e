//===- HtmReports.cpp - What the HTM commands share -----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/power/HtmReports.h"
#include "commands/support/Listing.h"
#include "core/formats/htm/HtmText.h"
#include "core/formats/ppc/PPCItems.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw::htm {

Error decodeFile(StringRef Path, BatchSink &Sink, DecoderOptions Options,
                 Summary &Sum) {
  auto Stream = InputStream::open(Path, Options.Cancel);
  if (!Stream)
    return Stream.takeError();
  Options.ReadAhead = (*Stream)->isRegular();
  auto Source = openBytes(std::move(*Stream));
  if (!Source)
    return Source.takeError();
  HtmDecoder Decoder(std::move(*Source), Sink, Options);
  Error E = Decoder.run();
  Sum = Decoder.summary();
  if (E)
    return createStringError(std::errc::invalid_argument, "%s: %s",
                             Path.str().c_str(),
                             toString(std::move(E)).c_str());
  return Error::success();
}

static double percent(uint64_t Part, uint64_t Whole) {
  return Whole ? 100.0 * double(Part) / double(Whole) : 0;
}

static void numbers(raw_ostream &OS, const std::map<uint64_t, uint64_t> &By,
                    const char *What) {
  for (auto &[Number, Count] : By) {
    OS << "    " << What << ' ';
    if (Number == ~uint64_t(0))
      OS << "unknown";
    else
      OS << Number;
    OS << ": " << Count << '\n';
  }
}

void printStatistics(raw_ostream &OS, const Statistics &S, const Summary &Sum) {
  auto row = [&](const char *Name, uint64_t N) {
    OS << formatv("  {0,-16} {1} ({2:f2}%)\n", Name, N, percent(N, S.Total));
  };
  OS << "Instructions:\n";
  OS << "  Total            " << S.Total << '\n';
  row("System", S.System);
  row("OPAL", S.Opal);
  row("User", S.user());
  row("  Bin", S.Bin);
  row("  Lib", S.Lib);
  row("Idle", S.Idle);
  if (S.Unplaced)
    row("No address", S.Unplaced);
  OS << "Events:\n";
  OS << "  Context switches " << S.ContextSwitches << '\n';
  OS << "  Exceptions       " << S.Exceptions << '\n';
  for (auto &[Vector, Count] : S.ExceptionVectors)
    OS << formatv("    {0:x} {1}: {2}\n", Vector, ppc::vectorName(Vector),
                  Count);
  OS << "  Syscalls         " << S.SystemCalls << '\n';
  numbers(OS, S.SystemCallNumbers, "number");
  OS << "  OPAL calls       " << S.OpalCalls << '\n';
  OS << "  Hcalls           " << S.HyperCalls << '\n';
  numbers(OS, S.HyperCallNumbers, "number");
  OS << "Dump:\n";
  OS << "  Records Scanned  " << Sum.Words << " words\n";
  OS << "  Cycles           ";
  if (Sum.Stamps[unsigned(StampKind::Time)])
    OS << Sum.Cycles << '\n';
  else
    OS << "unknown (no time stamps)\n";
  OS << "  Marks            " << Sum.Stamps[unsigned(StampKind::Mark)] << '\n';
  OS << "  Gaps             " << Sum.Gaps << '\n';
  OS << "  Radix walks      " << Sum.Walks << '\n';
  OS << "  Invalid records  " << Sum.numDamages() << '\n';
}

/// The envelope of lists, with the number of instructions counted.
static void printItems(raw_ostream &OS, json::Array Items, size_t All,
                       uint64_t Total) {
  Ending End;
  End.Complete = Items.size() == All;
  End.Searched.To = Total;
  json::Object O = listJson(std::move(Items), End);
  O["total"] = Total;
  printJson(OS, std::move(O));
}

void printMix(raw_ostream &OS, InstructionMix &Mix, uint64_t Limit, bool Json) {
  // Mnemonics from opcodes: there are far fewer of them than instructions.
  Disassembler Code;
  StringMap<uint64_t> ByName;
  for (auto &[Opcode, Count] : Mix.counts()) {
    unsigned Size = Opcode >> 32 ? 8 : 4;
    std::string Text =
        Code.text(ISA::PPC64, opcodeBytes(ISA::PPC64, Opcode, Size), 0);
    StringRef Name = StringRef(Text).split(' ').first;
    ByName[Name.empty() ? formatv(".long {0:x-8}", Opcode).str()
                        : Name.str()] += Count;
  }
  std::vector<std::pair<uint64_t, StringRef>> Rows;
  for (auto &E : ByName)
    Rows.push_back({E.second, E.first()});
  sort(Rows, [](auto &A, auto &B) {
    return A.first != B.first ? A.first > B.first : A.second < B.second;
  });
  if (Json) {
    json::Array Items;
    for (auto &[Count, Name] : Rows)
      if (Items.size() < Limit)
        Items.push_back(json::Object{{"mnemonic", Name}, {"count", Count}});
    return printItems(OS, std::move(Items), Rows.size(), Mix.Total);
  }
  OS << "Instruction mix:\n";
  for (auto &[Count, Name] : Rows) {
    if (!Limit--)
      break;
    OS << formatv("  {0,-16} {1,12} {2,6:f2}%\n", Name, Count,
                  percent(Count, Mix.Total));
  }
  OS << formatv("  {0,-16} {1,12}\n", "Total", Mix.Total);
}

void printBlocks(raw_ostream &OS, BasicBlocks &Blocks, uint64_t Limit,
                 bool Json) {
  std::vector<BasicBlocks::Block> List = Blocks.blocks();
  if (Json) {
    json::Array Items;
    for (const BasicBlocks::Block &B : List)
      if (Items.size() < Limit)
        Items.push_back(json::Object{{"first", hex(B.First)},
                                     {"last", hex(B.Last)},
                                     {"instructions", B.Instructions},
                                     {"hits", B.Hits}});
    return printItems(OS, std::move(Items), List.size(), Blocks.Total);
  }
  OS << formatv("Basic blocks: {0}\n", List.size());
  OS << "  first            last                 insns         hits percent\n";
  for (const BasicBlocks::Block &B : List) {
    if (!Limit--)
      break;
    OS << formatv("  {0:x-16} {1:x-16} {2,9} {3,12} {4,6:f2}%\n", B.First,
                  B.Last, B.Instructions, B.Hits,
                  percent(B.Instructions * B.Hits, Blocks.Total));
  }
}

void printProblems(raw_ostream &OS, const Summary &Sum) {
  for (const Problem &P : Sum.Problems)
    OS << (P.Kind == Damage::Truncated ? "Truncated" : "Invalid record")
       << formatv(": at byte {0}: {1}\n", P.Offset, P.What);
  // A dump may end anywhere: its buffer did.
  if (uint64_t More = Sum.numDamages() - Sum.Problems.size())
    OS << formatv("Invalid record: {0} more\n", More);
}

void warnOfDamage(const FileRequest &Request, const Summary &Sum) {
  if (!Sum.numDamages())
    return;
  const Problem &First = Sum.Problems.front();
  Request.Warn(formatv("the dump is damaged in {0} places, first at byte {1}: "
                       "{2}",
                       Sum.numDamages(), First.Offset, First.What));
}

Error decodeFile(const FileRequest &Request, BatchSink &Sink, Summary &Sum,
                 DecoderOptions Options) {
  Options.Cancel = Request.Watch.Cancel;
  if (Error E = decodeFile(Request.Path, Sink, Options, Sum))
    return E;
  warnOfDamage(Request, Sum);
  return Error::success();
}

Error Listing::batch(const Batch &B) {
  size_t NextEvent = 0;
  auto events = [&](size_t Before) {
    for (; NextEvent < B.Events.size() && B.Events[NextEvent].Before <= Before;
         ++NextEvent)
      if (Stamps && Left)
        printEvent(OS, B.Events[NextEvent]);
  };
  for (size_t I = 0; I < B.Instructions.size(); ++I) {
    events(I);
    if (!Left) {
      Cut = true;
      return Error::success();
    }
    --Left;
    printInstruction(OS, B.Instructions[I], {Everything});
  }
  events(B.Instructions.size());
  return Error::success();
}

static json::Object toJson(const Instruction &I) {
  const bool Known = I.has(Instruction::AddressKnown);
  json::Object O{{"address", nullptr}, {"opcode", hex(I.Opcode, 8)}};
  if (Known)
    O["address"] = hex(I.EA);
  if (I.has(Instruction::Prefixed))
    O["prefix"] = I.Prefix ? json::Value(hex(I.Prefix, 8)) : nullptr;
  if (Known && I.RA != NoAddress) {
    O["real_address"] = hex(I.RA);
    if (I.PageShift)
      O["page_shift"] = I.PageShift;
  }
  json::Array Memory;
  for (unsigned N = 0; N < I.NumData; ++N) {
    json::Object M{{"address", nullptr}};
    if (I.Data[N] != NoAddress)
      M["address"] = hex(I.Data[N]);
    if (I.DataRA[N] != NoAddress)
      M["real_address"] = hex(I.DataRA[N]);
    if (I.DataPageShift[N])
      M["page_shift"] = I.DataPageShift[N];
    Memory.push_back(std::move(M));
  }
  O["memory"] = std::move(Memory);
  if (I.has(Instruction::Slb)) {
    O["esid"] = hex(I.Data[0]);
    O["vsid"] = hex(I.DataRA[0]);
  }
  if (I.has(Instruction::MsrKnown)) {
    json::Array Msr;
    for (StringRef Bit : msrBits(I))
      Msr.push_back(Bit);
    O["msr"] = std::move(Msr);
  }
  if (I.has(Instruction::ContextKnown)) {
    O["lpid"] = I.Context >> 20;
    O["pid"] = I.Context & 0xfffff;
  }
  if (I.has(Instruction::Damaged))
    O["damaged"] = true;
  return O;
}

Error JsonListing::batch(const Batch &B) {
  size_t NextEvent = 0;
  auto Events = [&](size_t Before) {
    for (; NextEvent < B.Events.size() && B.Events[NextEvent].Before <= Before;
         ++NextEvent)
      if (Stamps && Left)
        OS << json::Value(
                  json::Object{{"stamp", describe(B.Events[NextEvent].What)},
                               {"cycles", B.Events[NextEvent].Time}})
           << "\n";
  };
  for (size_t I = 0; I < B.Instructions.size(); ++I) {
    Events(I);
    if (!Left)
      return Error::success();
    --Left;
    OS << json::Value(toJson(B.Instructions[I])) << "\n";
  }
  Events(B.Instructions.size());
  return Error::success();
}

} // namespace rw::htm
