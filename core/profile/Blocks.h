//===- Blocks.h - What a profile is by --------------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PROFILE_BLOCKS_H
#define REWIND_PROFILE_BLOCKS_H

#include "core/calls/CallContexts.h"
#include "core/profile/ContextTree.h"
#include <deque>
#include <unordered_map>

namespace rw {

/// One level of the inline chain at a code address.
struct CodeFrame {
  std::string Function; ///< empty if not known
  std::string File;     ///< empty without debug info
  unsigned Line = 0;    ///< 0 if not known
};

/// Source lines of code addresses.
class CodeFrames {
public:
  virtual ~CodeFrames() = default;
  /// Innermost first, the last one being the function that the address is in.
  /// Empty if nothing is known of it.
  virtual std::vector<CodeFrame> framesAt(uint64_t PC) = 0;
};

struct ProfileBlock {
  std::string Name; ///< "quicksort", "quicksort.c:12", "B17 main+0x10"
  uint64_t Address = 0;
  /// Where it is in the source; of a line, with what it is inlined into.
  std::vector<CodeFrame> Frames;
};

/// The blocks of a profile by their numbers. Memory: the code.
class ProfileBlocks {
public:
  virtual ~ProfileBlocks() = default;
  virtual const ProfileBlock &operator[](ProfileBlockId B) = 0;
};

/// Functions, and handlers of exceptions apart from them.
class FunctionBlocks final : public ProfileBlocks {
public:
  explicit FunctionBlocks(FunctionNames &Names) : Names(Names) {}
  ProfileBlockId of(const CallNode &N);
  const ProfileBlock &operator[](ProfileBlockId B) override {
    return Blocks[B];
  }

private:
  FunctionNames &Names;
  std::unordered_map<uint64_t, ProfileBlockId> ByEntry[2]; ///< and exception
  std::map<FunctionKey, ProfileBlockId> ByFunction;
  std::deque<ProfileBlock> Blocks;
};

/// Lines of source files; where there is no line, functions.
class LineBlocks final : public ProfileBlocks {
public:
  /// If \p Apart, a line is another block in each function that has code of it:
  /// as formats with functions and lines want it. Else it is where the
  /// innermost frame is.
  LineBlocks(CodeFrames &Code, bool Apart) : Code(Code), Apart(Apart) {}
  /// \p Entry names the function that runs there, if nothing else does.
  ProfileBlockId at(uint64_t PC, uint64_t Entry) {
    Recent &R = Cache[(PC >> 1) % std::size(Cache)];
    if (R.PC != PC || R.Block == NoProfileBlock)
      R = {PC, lookUp(PC)};
    return R.Block != NoProfileBlock ? R.Block : somewhereIn(Entry);
  }
  /// The function that begins at \p Entry; which of its lines is not known.
  ProfileBlockId somewhereIn(uint64_t Entry);
  const ProfileBlock &operator[](ProfileBlockId B) override {
    return Blocks[B];
  }

private:
  ProfileBlockId lookUp(uint64_t PC); ///< none if nothing is known of it
  ProfileBlockId intern(std::vector<CodeFrame> Frames, uint64_t PC);
  struct Recent {
    uint64_t PC = 0;
    ProfileBlockId Block = NoProfileBlock;
  };
  CodeFrames &Code;
  const bool Apart;
  Recent Cache[4096];
  std::unordered_map<uint64_t, ProfileBlockId> ByPC, ByEntry;
  std::map<std::string, ProfileBlockId> ByText;
  std::deque<ProfileBlock> Blocks;
};

} // namespace rw

#endif // REWIND_PROFILE_BLOCKS_H
