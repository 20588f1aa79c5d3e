//===- Dictionary.h - Templates and runs while building ---------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program does again and again is told once. A *template* is an
// instruction together with the shape of its effects (which lanes it writes,
// how many bytes it accesses). A *run* is a sequence of templates at ascending
// addresses. The stream of a trace is then a sequence of run ids, and only
// values that cannot be predicted cost anything.
//
// Predictions are learned from the first executions: a value is a register plus
// a constant (moves, additions, stack pointers, write-backs) or one of a few
// constants; so this needs no knowledge of any instruction set.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_DICTIONARY_H
#define REWIND_STORE_DICTIONARY_H

#include "core/model/ItemBatch.h"
#include "core/model/StableVector.h"
#include "core/store/Format.h"
#include "core/support/Coding.h"
#include "llvm/ADT/ArrayRef.h"
#include <atomic>
#include <memory>

namespace rw {

/// A thread's registers while building. Lanes grow on demand.
struct Lanes {
  std::vector<uint64_t> Value = std::vector<uint64_t>(128);
  std::vector<uint8_t> Known = std::vector<uint8_t>(128);
  bool AnyTold = false; ///< a byte was known once
  void reserve(unsigned N) {
    if (Value.size() < N) {
      Value.resize(N);
      Known.resize(N);
    }
  }
  void apply(unsigned Lane, uint8_t Written, uint8_t Unknown, uint64_t V) {
    uint64_t &L = Value[Lane];
    L = (L & ~expandMask(Written)) | V;
    Known[Lane] = uint8_t((Known[Lane] | Written) & ~Unknown);
    AnyTold |= (Written & ~Unknown) != 0;
  }
};

/// The templates. One thread adds and learns; others may read templates that
/// they were given, and their predictions once frozen.
class TemplateTable {
public:
  TemplateTable();
  ~TemplateTable();

  /// The template of an instruction with these effects, made if new.
  /// \p Hint is the template of the instruction before.
  uint32_t lookup(const InsnItem &Insn, const RegItem *Regs,
                  const MemItem *Mems, uint32_t Hint);

  /// Whether predictions for \p Id are still being learned.
  bool learning(uint32_t Id) const { return Learners[Id] != nullptr; }
  /// Whether another execution could still change what is learned.
  bool stillLearns(uint32_t Id) const;
  /// Learning from one execution, in three steps as effects are applied:
  /// addresses and written data before the registers change, each register
  /// effect before it is applied, read data at the end.
  void learnBefore(uint32_t Id, const MemItem *Mems, const Lanes &State);
  void learnReg(uint32_t Id, unsigned Effect, uint64_t Value,
                const MemItem *Mems, const Lanes &State);
  void learnAfter(uint32_t Id, const MemItem *Mems, const Lanes &State);

  /// At the end of a segment: fixes the predictions of what was seen often
  /// enough, for this segment and all later ones.
  void freeze(uint32_t Segment);

  const format::Template &operator[](uint32_t Id) const {
    return Templates[Id];
  }
  const format::RegShape &reg(size_t I) const { return Regs[I]; }
  const format::MemShape &mem(size_t I) const { return Mems[I]; }
  uint64_t constant(size_t I) const { return Consts[I]; }
  bool frozen(uint32_t Id, uint32_t Segment) const {
    return std::atomic_ref<uint32_t>(
               const_cast<uint32_t &>(Templates[Id].FrozenFrom))
               .load(std::memory_order_acquire) <= Segment;
  }
  size_t size() const { return Templates.size(); }
  size_t numRegs() const { return Regs.size(); }
  size_t numMems() const { return Mems.size(); }
  size_t numConsts() const { return Consts.size(); }

private:
  struct RegLearner;
  struct MemLearner;
  struct Learner;
  /// What lookup() compares, close together: it is asked for every instruction.
  struct Probe {
    uint64_t PC, Opcode;
    uint64_t Counts;   ///< lines, register effects, accesses
    uint32_t Kind;     ///< size, instruction set, flags
    uint32_t FirstKey; ///< in Keys: of the register effects, then the accesses
    uint32_t Succ = ~0u; ///< the template that followed last time
  };
  bool matches(const Probe &P, const InsnItem &Insn, const RegItem *R,
               const MemItem *M) const;
  static void learnData(MemLearner &L, const MemItem &M, const Lanes &State);
  uint32_t add(const InsnItem &Insn, const RegItem *R, const MemItem *M);
  void growTable();

  StableVector<format::Template> Templates;
  StableVector<format::RegShape> Regs;
  StableVector<format::MemShape> Mems;
  StableVector<uint64_t> Consts;
  std::vector<Probe> Probes; ///< by id
  std::vector<uint64_t> Keys;
  std::vector<std::unique_ptr<Learner>> Learners;
  std::vector<uint32_t> Active; ///< templates with a learner
  std::vector<std::pair<uint64_t, uint32_t>> Table; ///< hashes and ids
  /// How often a float operation may still be searched for before the next
  /// segment begins: a trace of noise must not take ten times as long.
  static constexpr unsigned SearchesPerSegment = 1024;
  unsigned FloatSearches = SearchesPerSegment;
};

/// The runs, as a trie of template ids: a run is a node, its path the
/// templates. One thread appends; others may read runs that they were given.
class RunTable {
public:
  RunTable();
  /// Starts a run.
  void begin() { Node = 0, Length = 0; }
  /// Appends a template to the run.
  void append(uint32_t Template);
  unsigned length() const { return Length; }
  /// The run at hand as a number, 0 if it is empty, and back again.
  uint32_t node() const { return Node; }
  void resume(uint32_t N, unsigned L) { Node = N, Length = L; }
  /// Ends it: its id. Ids are given in order of first use.
  uint32_t end();

  size_t size() const { return Paths.size(); }
  /// There may be no place for the runs of another block.
  bool full() const { return !Templates.hasRoom(2 * format::MaxBlock); }
  /// The templates of run \p Id, first to last.
  llvm::ArrayRef<uint32_t> templates(uint32_t Id) const {
    const Path &P = Paths[Id];
    return {&Templates[P.First], P.Length};
  }

private:
  struct TrieNode {
    uint32_t Parent, Template;
    uint32_t Run;       ///< id of the run that ends here, or ~0
    uint32_t LastChild; ///< where the path went on last time
  };
  struct Path {
    uint32_t First, Length; ///< in Templates
  };
  uint32_t child(uint32_t Parent, uint32_t Template);

  std::vector<TrieNode> Nodes;
  StableVector<Path> Paths; ///< by run
  StableVector<uint32_t> Templates;
  std::vector<uint32_t> Table; ///< hash of (parent, template) -> node
  // They change all the time: not in a cache line that readers use.
  alignas(64) uint32_t Node = 0;
  unsigned Length = 0;
};

} // namespace rw

#endif // REWIND_STORE_DICTIONARY_H
