//===- Encode.h - Makes dumps for tests -------------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_HTM_ENCODE_H
#define REWIND_TEST_HTM_ENCODE_H

#include "core/formats/htm/HtmDecoder.h"
#include "core/formats/htm/Translation.h"
#include <vector>

namespace rw::htm::test {

/// What the core's predecoder makes of a branch (b, bc, bclr, bcctr, bctar).
uint32_t mungeP8(uint32_t Opcode, uint64_t EA);
uint32_t mungeP10(uint32_t Opcode, uint64_t EA);
bool isRecoded(uint32_t Opcode);

using Words = std::vector<uint64_t>;

inline uint64_t ieara() { return 0x3abcdf00; }
inline uint64_t p10Info(uint32_t Op, uint64_t EA, unsigned Data = 0,
                        bool Prefixed = false) {
  bool Branch = !Prefixed && isRecoded(Op);
  return uint64_t(Branch ? mungeP10(Op, EA) : Op) << 32 |
         uint64_t(Branch) << 31 | uint64_t(Prefixed) << 30 | 2u << 28 |
         uint64_t(P10Tag) << 8 | (EA & 0x7c) | Data;
}
inline void line(Words &W, uint64_t EA, uint64_t RA) {
  W.insert(W.end(), {ieara(), EA & ~uint64_t(0x7f), RA >> 12 << 24});
}
constexpr uint64_t Msr = uint64_t(0xf8c0) << 48;
inline void insn(Words &W, uint32_t Op, uint64_t EA) {
  W.insert(W.end(), {p10Info(Op, EA), Msr});
}
inline uint64_t dra(uint64_t RA) { return RA >> 12 << 23; }
inline void load(Words &W, uint32_t Op, uint64_t EA, uint64_t Dea,
                 uint64_t RA) {
  W.insert(W.end(), {p10Info(Op, EA, 1), Msr, Dea, dra(RA)});
}
inline uint64_t time(uint32_t Cycles) {
  return uint64_t(0xACEFF8) << 40 | Cycles;
}

struct P8Words {
  bool Iea = false, Ira = false, Dea = false, Dra = false;
};
inline uint64_t p8Info(uint32_t Op, uint64_t EA, P8Words Has = {}) {
  bool Branch = isRecoded(Op);
  return uint64_t(Branch ? mungeP8(Op, EA) : Op) << 32 |
         uint64_t(Branch) << 31 | uint64_t(P8Tag) << 8 | 0x80 |
         uint64_t(Has.Iea) << 6 | uint64_t(Has.Ira) << 5 |
         uint64_t(Has.Dea) << 4 | uint64_t(Has.Dra) << 3;
}

/// A decoded dump, kept whole.
struct Decoded : BatchSink {
  std::vector<Instruction> Insns;
  std::vector<std::pair<uint64_t, Event>> Events; ///< with instruction before
  Summary Sum;
  std::string Failure;
  uint64_t ByBlocks = 0; ///< instructions decoded as blocks, at best

  llvm::Error batch(const Batch &B) override {
    for (const Event &E : B.Events)
      Events.push_back({Insns.size() + E.Before, E});
    Insns.insert(Insns.end(), B.Instructions.begin(), B.Instructions.end());
    return llvm::Error::success();
  }
  uint64_t damages(Damage D) const { return Sum.Damages[unsigned(D)]; }
};

std::vector<uint8_t> bytesOf(const Words &W);
/// \p Window 0: the default. Without \p T, checks that it is the same when
/// decoded by blocks.
Decoded decode(llvm::ArrayRef<uint8_t> Bytes, size_t Window = 0,
               Translator *T = nullptr);
Decoded decode(const Words &W, size_t Window = 0, Translator *T = nullptr);

} // namespace rw::htm::test

#endif // REWIND_TEST_HTM_ENCODE_H
