//===- TarmacWriter.h - Writers of Tarmac text -----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format is described in the Tarmac Trace Utilities' documentation,
// appendix "Tarmac file format".
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_RECORDER_TARMACWRITER_H
#define REWIND_RECORDER_TARMACWRITER_H

#include "scripts/recorder/Guest.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>
#include <memory>
#include <string>

namespace rw::record {

struct InsnLine {
  uint64_t Index; ///< from 0
  uint64_t PC;
  uint32_t Opcode;
  uint8_t Size;
  char State;         ///< 'O' AArch64, 'A' Arm, 'T' Thumb
  bool ConditionHeld; ///< AArch32: clear if it had no effect
  bool FellThrough;   ///< an A64 conditional branch that was not taken
  llvm::StringRef Text;
};

struct Access {
  uint64_t Addr;
  uint64_t Value; ///< the byte at Addr is the lowest
  uint8_t Size;   ///< 1 to 8
  bool IsWrite;
  bool IsExclusive;
};

/// Lines of text on their way to a file.
class TextFile {
public:
  explicit TextFile(llvm::raw_ostream &Out) : Out(Out) {}
  ~TextFile() { flush(); }

  void text(llvm::StringRef S) {
    if (Used + S.size() > sizeof(Buffer))
      flush();
    if (S.size() > sizeof(Buffer))
      return writeOut(S);
    memcpy(Buffer + Used, S.data(), S.size());
    Used += S.size();
  }
  void hex(uint64_t Value, unsigned Digits, bool Upper = false);
  void decimal(uint64_t Value, unsigned Width = 0);
  void flush();

private:
  void writeOut(llvm::StringRef S);

  llvm::raw_ostream &Out;
  size_t Used = 0;
  char Buffer[1 << 16];
};

enum class Style {
  FastModel, ///< "53 clk IT (53) 002109f0 f94003e1 O EL3h_s : LDR ..."
  Cycle,     ///< "0 tic ES  (002109f0:f94003e1) O el3h_s:   LDR ..."
};

/// One dialect. The order of calls is: initial registerWrites; then for each
/// instruction instruction(), memory(), registerWrite()..., branch().
class TarmacWriter {
public:
  static std::unique_ptr<TarmacWriter> create(Style S, const Guest &G,
                                              TextFile &Out);
  virtual ~TarmacWriter() = default;

  virtual void instruction(const InsnLine &I) = 0;
  virtual void memory(llvm::ArrayRef<Access> Accesses) = 0;
  virtual void registerWrite(uint8_t R, RegValue V) = 0;
  /// The lines that follow are of this CPU; "" has no name.
  void setCpu(llvm::StringRef Name) {
    Cpu = Name.empty() ? "" : (Name + " ").str();
  }
  /// What comes between two instructions; it will go on at \p PC.
  virtual void signal(int Number, llvm::StringRef Name, uint64_t PC) = 0;
  /// The instruction went elsewhere than to the one behind it.
  virtual void branch(uint64_t /*Target*/, char /*State*/) {}

protected:
  TarmacWriter(const Guest &G, TextFile &Out)
      : Out(Out), Is64(G.is64()), Bare(G.isBare()) {}

  TextFile &Out;
  const bool Is64, Bare;
  std::string Cpu; ///< with a blank behind it
};

} // namespace rw::record

#endif // REWIND_RECORDER_TARMACWRITER_H
