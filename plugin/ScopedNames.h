//===- ScopedNames.h - What names of variables mean in a frame --*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLDB takes any of several global variables of one name as a variable path,
// and in expressions often one that C++ does not mean: the outermost one where
// a class has a static member, one of another namespace before that of an
// unnamed namespace, the inner one even behind "::". The shell's rules decide.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_SCOPEDNAMES_H
#define REWIND_PLUGIN_SCOPEDNAMES_H

#include "lldb/API/SBFrame.h"
#include "lldb/API/SBValue.h"
#include "plugin/ImageLvalues.h"
#include "llvm/Support/Error.h"
#include <mutex>

namespace rw {

class LoadedTrace;

/// Those of one loaded trace. May be asked by several threads; reads debug
/// information at the first name that several variables have.
class ScopedNames {
public:
  explicit ScopedNames(LoadedTrace &Trace) : Trace(Trace) {}

  /// What the variable path \p Path, "x", "a::x.y[3]", leads to, if its name
  /// could mean several global variables; not valid if it is for LLDB to say.
  /// The Error: none of them is in scope in \p Frame, or several are.
  llvm::Expected<lldb::SBValue> path(lldb::SBFrame Frame, llvm::StringRef Path);
  /// \p Text, an expression of C or C++, with such names as what lies at the
  /// addresses of these variables: LLDB evaluates it to what it means.
  llvm::Expected<std::string> text(lldb::SBFrame Frame, llvm::StringRef Text);
  /// What the images know of an operand for which LLDB would have to run code,
  /// an element of a std::vector, as a constant of C; none if they do not.
  std::optional<std::string> constant(lldb::SBFrame Frame,
                                      llvm::StringRef Operand);
  /// Why the value of such an operand, which the images know, is not known.
  std::optional<std::string> whyUnknown(lldb::SBFrame Frame,
                                        llvm::StringRef Operand);

private:
  using ImageQuestion = std::optional<std::string> (ImageLvalues::*)(
      llvm::StringRef Operand, Place At);
  std::optional<std::string>
  askImages(lldb::SBFrame Frame, llvm::StringRef Operand, ImageQuestion Ask);
  struct Meant {
    lldb::SBValue Variable;
    uint64_t Addr;
  };
  static std::vector<Meant> candidates(lldb::SBFrame Frame,
                                       llvm::StringRef Name);
  llvm::Expected<std::optional<Meant>> find(lldb::SBFrame Frame,
                                            llvm::StringRef Name);
  /// To be called with the mutex.
  ImageLvalues &lvalues(lldb::SBTarget Target);
  llvm::Expected<std::optional<uint64_t>> addressOf(lldb::SBFrame Frame,
                                                    llvm::StringRef Name);

  LoadedTrace &Trace;
  std::mutex Mutex;
  /// Other threads ask those of Trace.
  ModuleSymbols Modules;
  SessionMemory Memory;
  std::vector<ProgramVariables::Image> Images;
  std::unique_ptr<ImageLvalues> Lvalues; ///< of Images
};

} // namespace rw

#endif // REWIND_PLUGIN_SCOPEDNAMES_H
