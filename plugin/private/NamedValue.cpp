//===- NamedValue.cpp - A name for a value --------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/private/NamedValue.h"
#include "lldb/API/SBType.h"
#include "lldb/Symbol/CompilerType.h"
#include "lldb/Symbol/Type.h"
#include "lldb/Symbol/TypeSystem.h"
#include "lldb/ValueObject/ValueObject.h"
#include "plugin/private/PrivateLLDB.h"
#include "plugin/private/StringSummaries.h"

using namespace lldb;

namespace rw {
struct SystemOfType {
  typedef TypeSystemWP lldb_private::CompilerType::*type;
  friend type memberOf(SystemOfType);
};
template struct Expose<SystemOfType,
                       &lldb_private::CompilerType::m_type_system>;

struct TypeOfNamed {
  typedef lldb_private::CompilerType (lldb_private::ValueObject::*type)();
  friend type memberOf(TypeOfNamed);
};
template struct Expose<TypeOfNamed,
                       &lldb_private::ValueObject::GetCompilerTypeImpl>;
} // namespace rw

using namespace rw;

namespace {
struct LiveVariable final : lldb_private::ExpressionVariable {
  explicit LiveVariable(ValueObjectSP Value) { m_frozen_sp = std::move(Value); }
};
} // namespace

TypeSystemSP rw::typeSystemOf(const ValueObjectSP &Value) {
  if (!Value)
    return nullptr;
  const auto Type = ((*Value).*memberOf(TypeOfNamed()))();
  return (Type.*memberOf(SystemOfType())).lock();
}

llvm::StringRef NamedValue::name() { return "$rewind_part"; }

NamedValue::NamedValue(SBTarget Target, SBValue Value) {
  ValueObjectSP V = Value.IsValid() ? objectOf(Value) : nullptr;
  // It has the name, and a type of those that the user's own variables are of.
  ValueObjectSP Other = zeroValue(Target, name().str().c_str(),
                                  Target.GetBasicType(eBasicTypeUnsignedChar));
  if (!V || !Other)
    return;
  const auto System = typeSystemOf(Other);
  State = System ? System->GetPersistentExpressionState() : nullptr;
  if (!State)
    return;
  Variable = std::make_shared<LiveVariable>(std::move(V));
  ItsName = Variable->GetName();
  Variable->SetName(Other->GetName());
  State->AddVariable(Variable);
}

NamedValue::~NamedValue() {
  if (!Variable)
    return;
  State->RemoveVariable(Variable);
  Variable->SetName(ItsName);
}
