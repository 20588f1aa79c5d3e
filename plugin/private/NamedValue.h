//===- NamedValue.h - A name for a value ------------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_PRIVATE_NAMEDVALUE_H
#define REWIND_PLUGIN_PRIVATE_NAMEDVALUE_H

#include "lldb/API/SBTarget.h"
#include "lldb/API/SBValue.h"
#include "lldb/Expression/ExpressionVariable.h"
#include "llvm/ADT/StringRef.h"

namespace rw {

/// While this lives, `dwim-print` knows a value by a name, as one of the user's
/// own variables: so it is printed with all options of that command, and read
/// only as far as it is printed. Uses private headers of LLDB.
class NamedValue {
public:
  NamedValue(lldb::SBTarget Target, lldb::SBValue Value);
  ~NamedValue();
  NamedValue(const NamedValue &) = delete;
  NamedValue &operator=(const NamedValue &) = delete;

  /// False if there is no value.
  explicit operator bool() const { return Variable != nullptr; }
  static llvm::StringRef name();

private:
  lldb_private::PersistentExpressionState *State = nullptr;
  lldb::ExpressionVariableSP Variable;
  lldb_private::ConstString ItsName; ///< its own
};

/// The one that the type of \p Value is of; null if there is none.
lldb::TypeSystemSP typeSystemOf(const lldb::ValueObjectSP &Value);

} // namespace rw

#endif // REWIND_PLUGIN_PRIVATE_NAMEDVALUE_H
