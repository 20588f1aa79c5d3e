//===- CompletionTest.cpp -------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyTrace.h"
#include "commands/view/Answers.h"
#include "core/calls/CallRecogniser.h"
#include "core/calls/FunctionNames.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace rw;

namespace {

/// Symbols whose names somebody made to exhaust the demangler's stack: a
/// pointer to a pointer to a ...
class DeepNames final : public SymbolSource {
public:
  std::vector<ImageSymbol> symbolTable() override {
    return {{"_Z1fPi", 0x1000, 4},
            {"_Z1g" + std::string(1000000, 'P') + "i", 0x1004, 4}};
  }
  std::optional<CodeSymbol> symbolizeCode(uint64_t) override {
    return std::nullopt;
  }
  std::optional<DataSymbol> symbolizeData(uint64_t) override {
    return std::nullopt;
  }
  std::vector<DataSymbol> findSymbol(StringRef) override { return {}; }
  uint64_t behindPrologue(uint64_t Start) override { return Start; }
  Expected<std::vector<uint64_t>> findLine(StringRef, unsigned) override {
    return std::vector<uint64_t>();
  }
  std::optional<ImageSection> sectionAt(uint64_t) override {
    return std::nullopt;
  }
  size_t readImage(uint64_t, MutableArrayRef<uint8_t>) override { return 0; }
};

class Completion : public TinyTrace {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("rewind-complete", Folder));
    ItemBatch B;
    addInsn(B, 0x1000, 0xd28000a0);
    CallRecogniser Calls;
    build(B, header(), &Calls);
  }
};

} // namespace

TEST_F(Completion, SurvivesNamesWithoutBottom) {
  DeepNames Deep;
  std::string Text;
  raw_string_ostream Out(Text);
  Session S(*Store, Out, Memory);
  S.Symbols = &Deep;
  auto Answers = ViewAnswers::open(S);
  ASSERT_TRUE(bool(Answers)) << toString(Answers.takeError());
  const std::string Answer = (*Answers)->answer(
      R"({"n": 1, "ask": [{"what": "complete", "word": "f("}]})");
  EXPECT_NE(Answer.find("\"f(int*)\""), std::string::npos) << Answer;
  // What is not demangled is completed as the file has it.
  EXPECT_NE((*Answers)
                ->answer(R"({"n": 2, "ask": [{"what": "complete",)"
                         R"( "word": "_Z1gPP"}]})")
                .find("_Z1gPPPP"),
            std::string::npos);
}
