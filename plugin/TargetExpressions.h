//===- TargetExpressions.h - Expressions as LLDB evaluates them -*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_TARGETEXPRESSIONS_H
#define REWIND_PLUGIN_TARGETEXPRESSIONS_H

#include "commands/support/Session.h"
#include "lldb/API/SBDebugger.h"
#include "lldb/API/SBTarget.h"
#include "plugin/ImageLvalues.h"
#include "plugin/private/StateVisit.h"

namespace rw {

class LoadedTrace;

/// Evaluates in the target's selected frame, or, elsewhere than where the
/// debugger stands, in the innermost frame there. Nothing runs: no function of
/// the program is ever called.
class TargetExpressions final : public ExpressionSource {
public:
  /// \p FromFrame: what is evaluated where the debugger stands is about the
  /// frame that is selected, and not about the innermost one.
  TargetExpressions(lldb::SBTarget Target, LoadedTrace &Trace,
                    bool FromFrame = true);

  llvm::Expected<Location> locate(llvm::StringRef Expression,
                                  Place At) override;
  llvm::Expected<Evaluated> evaluate(llvm::StringRef Expression, Place Where,
                                     ValueStyle Style) override;
  /// By the images alone: no expression is parsed.
  TypeRef lvalueType(llvm::StringRef Expression, Place At) override {
    return images().lvalueType(Expression, At);
  }
  bool isLocal(llvm::StringRef Name, Place At) override {
    return images().isLocal(Name, At);
  }
  llvm::Expected<std::optional<int64_t>> enumerator(llvm::StringRef Name,
                                                    Place At) override {
    return images().enumerator(Name, At);
  }
  /// What the images know without LLDB takes a thousandth of the time.
  llvm::Expected<std::optional<bool>> test(llvm::StringRef Condition,
                                           Place Where) override;
  /// As the images' debug information has it.
  std::unique_ptr<LvalueAlong> along(llvm::StringRef Expression,
                                     StateCursor &Near) override;
  std::optional<Object> objectAt(uint64_t Addr) override;
  std::vector<std::string> variables(Place At) override;
  ProgramNames *names() override;
  /// The debugger stands where it stood before evaluate() looked elsewhere:
  /// wanted before it moves, or it would be put back there afterwards.
  void comeBack() { Visit.reset(); }

private:
  llvm::Expected<Location> locateIn(lldb::SBFrame Frame,
                                    llvm::StringRef Expression);
  /// LLDB's place of \p Expression, or what the images' debug information says
  /// of it where LLDB has none, and \p Frame is the innermost one at \p At.
  llvm::Expected<Location> placeIn(lldb::SBFrame Frame,
                                   llvm::StringRef Expression, Place At);
  /// What these say of a value; \p Failed, LLDB's reason why there is none, if
  /// they have none either.
  llvm::Expected<Evaluated> byImages(lldb::SBFrame Frame,
                                     llvm::StringRef Expression, Place At,
                                     ValueStyle Style, llvm::Error Failed);
  ImageLvalues &images();
  /// An Error if \p Expression, which LLDB has as an array, is one of a size
  /// that is computed: LLDB takes the first that it has seen for all.
  llvm::Error checkArray(lldb::SBFrame Frame, llvm::StringRef Expression,
                         Place At);
  /// An Error if an index in \p Expression leads out of the address space: LLDB
  /// takes the element that it comes to by wrapping round.
  llvm::Error checkIndexes(lldb::SBFrame Frame, llvm::StringRef Expression,
                           Place At);
  /// An Error if C does not define the value of \p Expression, of which LLDB
  /// makes one.
  llvm::Error checkDefined(lldb::SBFrame Frame, llvm::StringRef Expression,
                           Place At);
  /// An Error if \p Name, which LLDB would look up in the whole program, is of
  /// several things: LLDB takes any of them.
  llvm::Error checkUnique(lldb::SBFrame Frame, llvm::StringRef Name);
  /// The value of \p Expression, as a variable path if it is one (that also
  /// works where the language's expression parser does not), or as a register:
  /// its name alone will do, and means it also where a variable has it.
  /// \p Meaning becomes what LLDB is to be asked for in its stead. The Error:
  /// a name is ambiguous.
  llvm::Expected<lldb::SBValue> valueOf(lldb::SBFrame Frame,
                                        llvm::StringRef Expression,
                                        std::string &Meaning);
  /// Why \p V, what LLDB made of \p Expression, is no value.
  llvm::Error failure(lldb::SBFrame Frame, lldb::SBValue V,
                      llvm::StringRef Expression);

  TypeRef typeOf(lldb::SBType Type) const;

  lldb::SBTarget Target;
  LoadedTrace &Trace;
  std::unique_ptr<ImageLvalues> Images;
  ProgramVariables Program;
  const bool FromFrame;
  std::unique_ptr<StateVisit> Visit; ///< once evaluate() has looked elsewhere
};

} // namespace rw

#endif // REWIND_PLUGIN_TARGETEXPRESSIONS_H
