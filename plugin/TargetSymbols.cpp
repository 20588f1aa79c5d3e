//===- TargetSymbols.cpp - Symbols and lines as LLDB knows them -----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/TargetSymbols.h"
#include "core/calls/FunctionNames.h"
#include "core/support/Printable.h"
#include "lldb/API/LLDB.h"
#include "llvm/ADT/STLExtras.h"

using namespace rw;
using namespace lldb;

static std::string text(const char *S) { return printable(S ? S : ""); }

/// \p S, unless LLDB made it up.
static bool isReal(SBSymbol S) { return S.IsValid() && !S.IsSynthetic(); }

ElfSymbols &TargetSymbols::tables() {
  if (!Tables)
    Tables = &Modules.of(Target);
  return *Tables;
}

static SourceFrame frameOf(const std::string &Function, SBLineEntry Line) {
  SourceFrame F;
  F.Function = Function;
  if (Line.IsValid()) {
    F.File = printable(pathOf(Line.GetFileSpec()));
    F.Line = Line.GetLine();
    F.Column = Line.GetColumn();
  }
  return F;
}

std::optional<CodeSymbol> TargetSymbols::symbolizeCode(uint64_t Addr) {
  // LLDB adds the empty ranges of inlined copies to the blocks around them
  // again and again, and behind its sorted ones, so that it loses frames of
  // addresses that it then does not find in there.
  auto Known = tables().symbolizeCode(Addr);
  if (Known && !Known->Frames.empty())
    return Known;
  SBAddress A = Target.ResolveLoadAddress(Addr);
  if (!A.IsValid() || !A.GetSection().IsValid())
    return std::nullopt;
  SBSymbolContext Context =
      Target.ResolveSymbolContextForAddress(A, eSymbolContextEverything);
  CodeSymbol Result;
  if (Known) {
    Result = std::move(*Known);
  } else if (SBFunction F = Context.GetFunction(); F.IsValid()) {
    Result.Function = text(F.GetDisplayName());
    Result.Start = F.GetStartAddress().GetLoadAddress(Target);
  } else if (SBSymbol S = Context.GetSymbol();
             isReal(S) && !Modules.have(A.GetModule())) {
    Result.Function = text(S.GetDisplayName());
    Result.Start = S.GetStartAddress().GetLoadAddress(Target);
  } else {
    return std::nullopt;
  }
  if (!Context.GetLineEntry().IsValid())
    return Result;
  for (;;) {
    SBBlock Inlined = Context.GetBlock().GetContainingInlinedBlock();
    Result.Frames.push_back(frameOf(
        Inlined.IsValid() ? text(Inlined.GetInlinedName()) : Result.Function,
        Context.GetLineEntry()));
    if (!Inlined.IsValid())
      return Result;
    SBAddress Parent;
    Context = Context.GetParentOfInlinedScope(A, Parent);
    if (!Context.IsValid())
      return Result;
    A = Parent;
  }
}

std::optional<DataSymbol> TargetSymbols::symbolizeData(uint64_t Addr) {
  if (auto Known = tables().symbolizeData(Addr))
    return Known;
  SBAddress A = Target.ResolveLoadAddress(Addr);
  SBSymbol S = A.GetSymbol();
  if (!isReal(S) || Modules.have(A.GetModule()))
    return std::nullopt;
  DataSymbol Result;
  Result.Name = text(S.GetDisplayName());
  Result.Start = S.GetStartAddress().GetLoadAddress(Target);
  Result.Size = S.GetSize();
  return Result;
}

std::vector<DataSymbol> TargetSymbols::findSymbol(llvm::StringRef Name) {
  std::vector<DataSymbol> Found = tables().findSymbol(Name);
  if (!Found.empty())
    return Found;
  // What only the debug information names.
  auto Add = [&](std::string Name, SBAddress Start, uint64_t Size) {
    uint64_t Addr = Start.GetLoadAddress(Target);
    if (Addr == LLDB_INVALID_ADDRESS ||
        llvm::any_of(Found,
                     [&](const DataSymbol &D) { return D.Start == Addr; }))
      return;
    Found.push_back({std::move(Name), Addr, Size});
  };
  std::string Text = Name.str();
  SBSymbolContextList Functions =
      Target.FindFunctions(Text.c_str(), eFunctionNameTypeAuto);
  for (uint32_t I = 0; I < Functions.GetSize(); ++I) {
    SBSymbolContext Context = Functions.GetContextAtIndex(I);
    // Copies that are inlined are no symbols: inlinedCopies().
    if (Context.GetBlock().GetContainingInlinedBlock().IsValid())
      continue;
    SBFunction F = Context.GetFunction();
    if (F.IsValid())
      Add(text(F.GetDisplayName()), F.GetStartAddress(),
          F.GetEndAddress().GetFileAddress() -
              F.GetStartAddress().GetFileAddress());
  }
  SBSymbolContextList Symbols = Target.FindSymbols(Text.c_str());
  for (uint32_t I = 0; I < Symbols.GetSize(); ++I) {
    SBSymbol S = Symbols.GetContextAtIndex(I).GetSymbol();
    if (isReal(S) && S.GetType() != eSymbolTypeUndefined)
      Add(text(S.GetDisplayName()), S.GetStartAddress(), S.GetSize());
  }
  return Found;
}

std::vector<DataSymbol> TargetSymbols::thunksTo(uint64_t Start) {
  return tables().thunksTo(Start);
}

std::vector<InlinedCopy> TargetSymbols::inlinedCopies(llvm::StringRef Name) {
  return tables().inlinedCopies(Name);
}

uint64_t TargetSymbols::localEntry(uint64_t Start) {
  return tables().localEntry(Start);
}

uint64_t TargetSymbols::behindPrologue(uint64_t Start) {
  if (uint64_t Body = tables().behindPrologue(Start); Body != Start)
    return Body;
  // Debug information that is in no file.
  SBFunction F = Target.ResolveLoadAddress(Start).GetFunction();
  return F.IsValid() && F.GetStartAddress().GetLoadAddress(Target) == Start
             ? Start + F.GetPrologueByteSize()
             : Start;
}

bool TargetSymbols::knowsArgumentsAtEntry(uint64_t Start) {
  return tables().knowsArgumentsAtEntry(Start);
}

uint64_t TargetSymbols::behindFirstRow(uint64_t Start) {
  return tables().behindFirstRow(Start);
}

/// Whether \p Path is \p Wanted or ends in it at a directory border.
static bool sameFile(llvm::StringRef Path, llvm::StringRef Wanted) {
  return Path.consume_back(Wanted) && (Path.empty() || Path.ends_with("/"));
}

llvm::Expected<std::vector<uint64_t>>
TargetSymbols::findLine(llvm::StringRef File, unsigned Line) {
  auto InFiles = tables().findLine(File, Line);
  if (InFiles)
    return InFiles;
  // Debug information that is in no file.
  std::vector<LinePart> Found;
  for (uint32_t M = 0; M < Target.GetNumModules(); ++M) {
    SBModule Module = Target.GetModuleAtIndex(M);
    if (Modules.have(Module))
      continue;
    for (uint32_t U = 0; U < Module.GetNumCompileUnits(); ++U) {
      SBCompileUnit Unit = Module.GetCompileUnitAtIndex(U);
      bool InLine = false;
      for (uint32_t I = 0; I < Unit.GetNumLineEntries(); ++I) {
        SBLineEntry E = Unit.GetLineEntryAtIndex(I);
        bool Match =
            E.GetLine() == Line && sameFile(pathOf(E.GetFileSpec()), File);
        // A line's code may be several rows of the table in a row.
        uint64_t Addr = E.GetStartAddress().GetLoadAddress(Target);
        if (Match && !InLine && Addr != LLDB_INVALID_ADDRESS)
          Found.push_back({Addr});
        InLine = Match;
      }
    }
  }
  if (Found.empty())
    return InFiles.takeError();
  llvm::consumeError(InFiles.takeError());
  return linePlaces(std::move(Found));
}

std::vector<ImageSymbol> TargetSymbols::symbolTable() {
  std::vector<ImageSymbol> All;
  for (uint32_t I = 0; I < Target.GetNumModules(); ++I) {
    SBModule Module = Target.GetModuleAtIndex(I);
    // The order of the file decides, so it is read again.
    auto Symbols = readSymbolTable(pathOf(Module.GetFileSpec()),
                                   slideOf(Target, Module).value_or(0));
    if (Symbols)
      llvm::append_range(All, *Symbols);
    else // a module that is no file, such as the vdso
      llvm::consumeError(Symbols.takeError());
  }
  return All;
}

std::vector<CodeMapping> TargetSymbols::codeMappings() {
  return tables().codeMappings();
}

std::optional<ImageSection> TargetSymbols::sectionAt(uint64_t Addr) {
  SBSection S = Target.ResolveLoadAddress(Addr).GetSection();
  if (!S.IsValid())
    return std::nullopt;
  return ImageSection{text(S.GetName()), S.GetLoadAddress(Target),
                      S.GetByteSize(),
                      (S.GetPermissions() & ePermissionsWritable) != 0};
}

size_t TargetSymbols::readImage(uint64_t Addr,
                                llvm::MutableArrayRef<uint8_t> Bytes) {
  SBAddress A = Target.ResolveLoadAddress(Addr);
  SBSection S = A.GetSection();
  if (!S.IsValid() || A.GetOffset() >= S.GetFileByteSize())
    return 0;
  uint64_t Size =
      std::min<uint64_t>(Bytes.size(), S.GetFileByteSize() - A.GetOffset());
  SBData Data = S.GetSectionData(A.GetOffset(), Size);
  SBError Error;
  return Data.ReadRawData(Error, 0, Bytes.data(), Size);
}
