//===- Pass.cpp - The registry of passes ----------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/htr/Pass.h"
#include "llvm/ADT/SmallVector.h"
#include <system_error>

using namespace llvm;

namespace rw::htr {

Error runBasicSuperBlocks(Hierarchy &H, const PassContext &Context);
Error runFunctions(Hierarchy &H, const PassContext &Context);
Error runLoops(Hierarchy &H, const PassContext &Context);
Error runFlowLoops(Hierarchy &H, const PassContext &Context);
Error runGrammar(Hierarchy &H, const PassContext &Context);

static constexpr Pass All[] = {
    {"functions", "each activation of a function becomes one block",
     runFunctions},
    {"bsb", "basic super blocks: what always occurs in the same order",
     runBasicSuperBlocks},
    {"flow-loops", "loops by control flow, nested, with every round of them",
     runFlowLoops},
    {"loops", "repetitions become n x (body), nested ones inside out",
     runLoops},
    {"grammar", "whatever occurs more than once becomes a block", runGrammar},
};

ArrayRef<Pass> passes() { return All; }

Expected<std::vector<const Pass *>> parsePipeline(StringRef Names) {
  std::vector<const Pass *> Result;
  SmallVector<StringRef, 4> Words;
  Names.split(Words, ',');
  for (StringRef Word : Words) {
    Word = Word.trim();
    const Pass *Found = nullptr;
    for (const Pass &P : All)
      if (P.Name == Word)
        Found = &P;
    if (!Found) {
      std::string Known;
      for (const Pass &P : All)
        Known += (Known.empty() ? "" : ", ") + P.Name.str();
      return createStringError("there is no pass '" + Word + "'; there are " +
                               Known);
    }
    Result.push_back(Found);
  }
  return Result;
}

} // namespace rw::htr
