//===- Blocks.cpp - What a profile is by ----------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/profile/Blocks.h"
#include "core/support/Digits.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

namespace rw {

ProfileBlockId FunctionBlocks::of(const CallNode &N) {
  auto &Entries = ByEntry[N.Call.Kind == ActivationKind::Exception];
  auto [It, New] = Entries.try_emplace(N.Call.EntryPC, NoProfileBlock);
  if (!New)
    return It->second;
  FunctionKey F = functionOf(Names, N);
  auto [Known, NewFunction] =
      ByFunction.try_emplace(F, ProfileBlockId(Blocks.size()));
  if (NewFunction) {
    const FunctionNames::Function &Place = Names.at(F.Start);
    Blocks.push_back({functionLabel(Names, F),
                      F.Start,
                      {{Names.nameOr(F.Start), Place.File, Place.Line}}});
  }
  return It->second = Known->second;
}

ProfileBlockId LineBlocks::lookUp(uint64_t PC) {
  auto [It, New] = ByPC.try_emplace(PC, NoProfileBlock);
  if (!New)
    return It->second;
  std::vector<CodeFrame> Frames = Code.framesAt(PC);
  if (!Frames.empty())
    It->second = intern(std::move(Frames), PC);
  return It->second;
}

ProfileBlockId LineBlocks::somewhereIn(uint64_t Entry) {
  auto [It, New] = ByEntry.try_emplace(Entry, NoProfileBlock);
  if (New) {
    CodeFrame F;
    if (std::vector<CodeFrame> Frames = Code.framesAt(Entry); !Frames.empty())
      F = std::move(Frames.back());
    else
      F.Function = hex(Entry);
    F.Line = 0;
    It->second = intern({std::move(F)}, Entry);
  }
  return It->second;
}

ProfileBlockId LineBlocks::intern(std::vector<CodeFrame> Frames, uint64_t PC) {
  std::string Key;
  auto Add = [&](const CodeFrame &F) {
    Key += F.File + '\0' + std::to_string(F.Line) + '\0';
    if (Apart || !F.Line)
      Key += F.Function + '\0';
  };
  if (Apart)
    for (const CodeFrame &F : Frames)
      Add(F);
  else
    Add(Frames.front());
  auto [It, New] = ByText.try_emplace(Key, ProfileBlockId(Blocks.size()));
  if (New) {
    const CodeFrame &F = Frames.front();
    std::string Name =
        F.Line ? (llvm::sys::path::filename(F.File) + ":" + llvm::Twine(F.Line))
                     .str()
               : F.Function;
    Blocks.push_back({std::move(Name), PC, std::move(Frames)});
  }
  return It->second;
}

} // namespace rw
