//===- SessionInput.h - What expressions read in a session ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_SESSIONINPUT_H
#define REWIND_COMMANDS_SUPPORT_SESSIONINPUT_H

#include "commands/support/Access.h"
#include "core/expr/StoreInput.h"
#include "core/store/StateCursor.h"

namespace rw {

/// What images tell of read-only memory counts as known. \p Near: the cursor of
/// who asks at one place after the other.
class SessionInput final : public StoreInput {
public:
  SessionInput(const Session &S, Place At, StateCursor *Near = nullptr)
      : StoreInput(S.Store, At.Thread, At.When), S(S), Near(Near) {}
  Value readRegister(RegisterSlice Slice) override {
    return Near ? Near->getRegister(T, M, Slice)
                : StoreInput::readRegister(Slice);
  }

  void dividesByZero() override { Divides = true; }
  bool divides() const { return Divides; }
  void isUndefined() override { Undefined = true; }
  bool undefined() const { return Undefined; }

protected:
  llvm::Error bytes(uint64_t Addr, llvm::MutableArrayRef<uint8_t> Bytes,
                    llvm::MutableArrayRef<uint8_t> Known) override {
    Location L;
    L.Addr = Addr;
    L.Size = Bytes.size();
    if (Near) {
      if (llvm::Error E = readLocation(S, *Near, L, M, Read))
        return E;
    } else {
      auto V = readLocation(S, L, M);
      if (!V)
        return V.takeError();
      Read = std::move(*V);
    }
    llvm::copy(Read.Bytes, Bytes.begin());
    llvm::copy(Read.Known, Known.begin());
    return llvm::Error::success();
  }

private:
  const Session &S;
  StateCursor *const Near;
  rw::Value Read;
  bool Divides = false;
  bool Undefined = false;
};

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_SESSIONINPUT_H
