//===- Session.cpp - What a command runs in -------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/Session.h"
#include "commands/support/LocationAlong.h"
#include "commands/support/Options.h"
#include "commands/support/UnknownName.h"
#include "core/calls/FunctionNames.h"
#include "core/support/Reals.h"
#include "core/types/FloatText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
#include <set>

using namespace llvm;

namespace rw {

SymbolSource::~SymbolSource() = default;
std::vector<DataSymbol> SymbolSource::thunksTo(uint64_t) { return {}; }
std::vector<InlinedCopy> SymbolSource::inlinedCopies(StringRef) { return {}; }
std::vector<ImageSymbol> SymbolSource::symbolTable() { return {}; }
std::vector<CodeMapping> SymbolSource::codeMappings() { return {}; }
std::vector<std::pair<uint64_t, ArrayRef<uint8_t>>> SymbolSource::readOnly() {
  return {};
}

uint64_t SymbolSource::localEntry(uint64_t Start) { return Start; }
bool SymbolSource::knowsArgumentsAtEntry(uint64_t) { return false; }

uint64_t SymbolSource::behindFirstRow(uint64_t Start) {
  return localEntry(Start);
}

ExpressionSource::~ExpressionSource() = default;
LvalueAlong::~LvalueAlong() = default;

std::unique_ptr<LvalueAlong> ExpressionSource::along(StringRef, StateCursor &) {
  return nullptr;
}

TypeRef ExpressionSource::lvalueType(StringRef Expression, Place At) {
  auto L = locate(Expression, At);
  if (L)
    return L->Type;
  consumeError(L.takeError());
  return nullptr;
}

Expected<std::optional<int64_t>> ExpressionSource::enumerator(StringRef,
                                                              Place) {
  return std::nullopt;
}

Expected<std::optional<bool>> ExpressionSource::test(StringRef Condition,
                                                     Place Where) {
  auto V = evaluate(Condition, Where, {});
  if (V.errorIsA<UnknownValue>()) {
    consumeError(V.takeError());
    return std::nullopt;
  }
  if (!V)
    return V.takeError();
  if (V->Scalar) {
    const Type &Its = *V->Scalar->Type;
    if (Its.Kind == TypeKind::Float)
      return !isFloatZero(Its.Float, V->Scalar->Value);
    return any_of(V->Scalar->Value, [](uint8_t Byte) { return Byte != 0; });
  }
  // The debug information knows the place of a number that nobody has a value
  // of.
  if (V->Object && V->Text.empty() && V->Object->Type &&
      V->Object->Type->isScalar() && V->Object->Type->Size > 8)
    return std::nullopt;
  StringRef Its = V->Text;
  if (Its == "true" || Its == "false")
    return Its == "true";
  if (uint64_t N; !Its.getAsInteger(0, N))
    return N != 0;
  if (auto Number = readReal(Its))
    return *Number != 0;
  return userError("'" + Condition + "' is no condition" +
                   (Its.empty() ? Twine() : ": its value is " + Its));
}

char NoSuchName::ID;
char UnknownName::ID;
char NotUnderstood::ID;
char UnknownValue::ID;
char NotDefined::ID;
char OutsideAddressSpace::ID;

void SessionMemory::cameFrom(Place Where) {
  // A breakpoint's commands may go on as often as they like.
  constexpr size_t Most = 4096;
  if (Back.size() == Most)
    Back.pop_front();
  Back.push_back(Where);
  Forward.clear();
}

Error Session::checkMovable() const {
  return Move ? Error::success()
              : usageError(
                    "the shell has no position to move; use this in LLDB");
}

Error Session::moveTo(Place Where, const std::string &Description) {
  if (Error E = checkMovable())
    return E;
  Place From = Here;
  if (Error E = Move(Where, Description))
    return E;
  // Whoever stands there already has nothing to go back to.
  if (Where != From)
    Memory.cameFrom(From);
  Here = Where;
  return Error::success();
}

} // namespace rw
