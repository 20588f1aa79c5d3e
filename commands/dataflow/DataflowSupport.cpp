//===- DataflowSupport.cpp - What the dataflow commands share -------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/dataflow/DataflowSupport.h"
#include "core/store/ExecutionCursor.h"
#include "core/store/TraceStore.h"
#include "core/support/BriefName.h"
#include "core/support/NumberMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace rw {

/// Whether any instruction that was executed accesses memory, as its encoding
/// tells.
static bool accessesMemory(const TraceStore &Store) {
  dataflow::StepCodes Codes(Store, {});
  const size_t Templates = ExecutionCursor::numTemplates(Store);
  for (uint32_t T = 0; T < Templates; ++T) {
    const Instruction I = ExecutionCursor::describe(Store, T, 0);
    const dataflow::TemplateEffects &E = Codes.effects(I.Insn);
    if (!E.Known || any_of(E.Effects, [](const dataflow::Effect &F) {
          return F.Load || F.Store;
        }))
      return true;
  }
  return false;
}

bool placesMissing(const TraceStore &Store) {
  return !Store.header().Can.MemAddresses && accessesMemory(Store);
}

std::vector<std::string> dataflowLimits(const TraceStore &Store) {
  std::vector<std::string> Lines;
  const TraceHeader &H = Store.header();
  if (!H.Can.MemAddresses) {
    if (placesMissing(Store))
      Lines.push_back("the trace tells no accesses to memory: dependences "
                      "through memory are missing, and what is measured is a "
                      "lower bound");
  } else if (!H.Can.MemValues)
    Lines.push_back("the trace tells no values: whether a conditional store "
                    "(stcx.) was done, and the lengths that registers give, "
                    "are not known; such instructions count as done");
  const auto Counts = Store.countEvents();
  auto Missing = [&](EventKind K) {
    if (const uint64_t N = Counts[unsigned(K)])
      Lines.push_back(grouped(N) + " " + eventName(K) + (N == 1 ? "" : "s") +
                      " (find --event " + eventName(K) +
                      "): what ran there is missing, and what it made is "
                      "taken for what was there before");
  };
  Missing(EventKind::Gap);
  Missing(EventKind::Pause);
  return Lines;
}

std::string formatPlace(const Session &S, const dataflow::CellMap &Cells,
                        const dataflow::DataPlace &P) {
  if (!P.Memory.Size)
    return Cells.name(P.Cells);
  std::string Text = "[" + hex(P.Memory.Addr) + ", " +
                     std::to_string(P.Memory.Size) +
                     (P.Memory.Size == 1 ? " byte]" : " bytes]");
  if (std::string Name = formatData(S, P.Memory.Addr); !Name.empty())
    Text += " " + Name;
  return Text;
}

std::vector<dataflow::DataPlace> joined(ArrayRef<dataflow::DataPlace> Places) {
  std::vector<dataflow::DataPlace> All(Places);
  llvm::stable_sort(All, [](const auto &A, const auto &B) {
    if (!A.Memory.Size != !B.Memory.Size)
      return !A.Memory.Size;
    return A.Memory.Size ? A.Memory.Addr < B.Memory.Addr
                         : A.Cells.First < B.Cells.First;
  });
  std::vector<dataflow::DataPlace> Out;
  for (const dataflow::DataPlace &P : All) {
    if (!Out.empty()) {
      dataflow::DataPlace &L = Out.back();
      if (!P.Memory.Size && !L.Memory.Size && P.Cells.First <= L.Cells.end()) {
        L.Cells.Count =
            uint16_t(std::max(L.Cells.end(), P.Cells.end()) - L.Cells.First);
        continue;
      }
      if (P.Memory.Size && L.Memory.Size &&
          P.Memory.Addr - L.Memory.Addr <= L.Memory.Size) {
        L.Memory.Size =
            std::max(L.Memory.Size, uint32_t(P.Memory.end() - L.Memory.Addr));
        continue;
      }
    }
    Out.push_back(P);
  }
  return Out;
}

std::string formatPlaces(const Session &S, const dataflow::CellMap &Cells,
                         ArrayRef<dataflow::DataPlace> Places) {
  std::string Text;
  for (const dataflow::DataPlace &P : joined(Places)) {
    Text += Text.empty() ? "" : ", ";
    if (P.Memory.Size) {
      Text += formatPlace(S, Cells, P);
      continue;
    }
    // Registers that happen to lie side by side are still several.
    std::string Whole = Cells.name(P.Cells);
    if (!Whole.empty()) {
      Text += Whole;
      continue;
    }
    for (unsigned C = P.Cells.First; C < P.Cells.end(); ++C)
      Text +=
          (C > P.Cells.First ? ", " : "") + Cells.name(dataflow::Cell(C)).str();
  }
  return Text;
}

Expected<std::vector<dataflow::DataPlace>>
placesOf(const dataflow::CellMap &Cells, const Location &L) {
  std::vector<dataflow::DataPlace> Places;
  for (const LocationPiece &P : L.Pieces) {
    if (!P.Constant.empty())
      continue;
    auto Its = placesOf(Cells, P.At);
    if (!Its)
      return Its.takeError();
    llvm::append_range(Places, *Its);
  }
  if (L.Where == Location::InPieces)
    return Places;
  if (L.Where == Location::Memory) {
    if (L.Real)
      return usageError("dependences are told of effective addresses; '" +
                        L.Text + "' is a real one");
    if (L.Size == 0 || L.Size > UINT32_MAX)
      return usageError("'" + L.Text + "' has " + Twine(L.Size) + " bytes");
    Places.push_back({0, {}, {L.Addr, uint32_t(L.Size)}});
    return Places;
  }
  for (dataflow::CellRef R : Cells.cellsOf(L.Slice)) {
    dataflow::CellRef Of = R;
    for (unsigned C = Of.First; C < Of.end(); ++C) {
      const dataflow::CellInfo &Info = Cells.info(dataflow::Cell(C));
      uint64_t Field =
          L.FieldWidth ? ((uint64_t(1) << L.FieldWidth) - 1) << L.FieldLo : 0;
      // "cpsr.n" is one of the flags in those bytes.
      if (Field && Info.Bits && !(Info.Bits & Field))
        continue;
      Places.push_back({L.Thread, {dataflow::Cell(C), 1}, {}});
    }
  }
  if (Places.empty())
    return userError("nothing is known of what depends on " + L.Text);
  return Places;
}

static std::string named(std::string Name, NameLength Names) {
  return Names == NameLength::Brief ? briefName(Name) : Name;
}

std::string functionAt(Session &S, uint64_t PC, NameLength Names) {
  if (S.Symbols)
    if (auto Sym = S.Symbols->symbolizeCode(PC))
      return named(Sym->Function, Names);
  return hex(PC);
}

bool isOf(Session &S, uint64_t PC, const NameGlob &Of) {
  if (Of.match(functionAt(S, PC)))
    return true;
  if (S.Symbols)
    if (auto Sym = S.Symbols->symbolizeCode(PC))
      return any_of(Sym->Frames,
                    [&](const SourceFrame &F) { return Of.match(F.Function); });
  return false;
}

Error checkExecuted(Session &S, StringRef Option, const NameGlob &Of) {
  NumberSet Seen;
  const size_t Templates = ExecutionCursor::numTemplates(S.Store);
  for (uint32_t T = 0; T < Templates; ++T) {
    const uint64_t PC = ExecutionCursor::pc(S.Store, T);
    if (!Seen.insert(PC).second)
      continue;
    if (isOf(S, PC, Of))
      return Error::success();
    if (Error Stop = S.Watch.check())
      return Stop;
  }
  return userError(Option + " " + Of.text() +
                   ": no such function was executed");
}

std::string sourcePlace(Session &S, uint64_t PC, NameLength Names) {
  if (S.Symbols)
    if (auto Sym = S.Symbols->symbolizeCode(PC)) {
      if (!Sym->Frames.empty() && Sym->Frames[0].Line) {
        StringRef File = Sym->Frames[0].File;
        return File.substr(File.rfind('/') + 1).str() + ":" +
               std::to_string(Sym->Frames[0].Line);
      }
      return named(Sym->Function, Names);
    }
  return hex(PC);
}

CodeKeys codeKeys(Session &S, uint64_t PC) {
  std::optional<CodeSymbol> Sym;
  if (S.Symbols)
    Sym = S.Symbols->symbolizeCode(PC);
  if (!Sym)
    return {hex(PC), hex(PC)};
  std::string Function = Sym->Function + "@" + hex(Sym->Start);
  if (Sym->Frames.empty() || !Sym->Frames[0].Line)
    return {Function, Function};
  return {Function,
          Sym->Frames[0].File + ":" + std::to_string(Sym->Frames[0].Line)};
}

} // namespace rw
