//===- ModuleSymbols.cpp - Symbol tables of a target ----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/ModuleSymbols.h"
#include "lldb/API/LLDB.h"

using namespace rw;
using namespace lldb;

std::string rw::pathOf(SBFileSpec File) {
  if (!File.IsValid())
    return "";
  char Path[4096];
  return std::string(Path, File.GetPath(Path, sizeof(Path)));
}

std::optional<uint64_t> rw::slideOf(SBTarget Target, SBModule Module) {
  for (size_t I = 0; I < Module.GetNumSections(); ++I) {
    SBSection S = Module.GetSectionAtIndex(I);
    if (S.GetLoadAddress(Target) != LLDB_INVALID_ADDRESS)
      return S.GetLoadAddress(Target) - S.GetFileAddress();
  }
  return std::nullopt;
}

/// Symbols may be in a file of their own, which LLDB has found.
static std::string symbolFile(SBModule Module) {
  std::string Path = pathOf(Module.GetSymbolFileSpec());
  return Path.empty() ? pathOf(Module.GetFileSpec()) : Path;
}

std::vector<ProgramVariables::Image> rw::loadedImages(SBTarget Target) {
  std::vector<ProgramVariables::Image> Images;
  for (uint32_t I = 0; I < Target.GetNumModules(); ++I) {
    SBModule Module = Target.GetModuleAtIndex(I);
    if (auto Slide = slideOf(Target, Module))
      Images.push_back({symbolFile(Module), *Slide});
  }
  return Images;
}

bool ModuleSymbols::have(SBModule Module) const {
  return Read.count(symbolFile(Module)) != 0;
}

ElfSymbols &ModuleSymbols::of(SBTarget Target) {
  auto Now = loadedImages(Target);
  if (!Symbols || Now != Have) {
    Symbols = std::make_unique<ElfSymbols>();
    Symbols->Warn = [this](const std::string &T) { Damage.push_back(T); };
    Read.clear();
    for (const auto &[Path, Slide] : Now)
      if (llvm::Error E = Symbols->addMoved(Path, Slide))
        llvm::consumeError(std::move(E)); // no file, such as the vdso
      else
        Read.insert(Path);
    Have = std::move(Now);
  }
  return *Symbols;
}
