//===- SessionInput.h - What expressions read in a session ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_SESSIONINPUT_H
#define REWIND_COMMANDS_SUPPORT_SESSIONINPUT_H

#include "commands/support/Format.h"
#include "core/expr/StoreInput.h"

namespace rw {

/// What images tell of read-only memory counts as known.
class SessionInput final : public StoreInput {
public:
  SessionInput(const Session &S, Place At)
      : StoreInput(S.Store, At.Thread, At.When), S(S) {}

protected:
  llvm::Error bytes(uint64_t Addr, llvm::MutableArrayRef<uint8_t> Bytes,
                    llvm::MutableArrayRef<uint8_t> Known) override {
    Location L;
    L.Addr = Addr;
    L.Size = Bytes.size();
    auto V = readLocation(S, L, M);
    if (!V)
      return V.takeError();
    llvm::copy(V->Bytes, Bytes.begin());
    llvm::copy(V->Known, Known.begin());
    return llvm::Error::success();
  }

private:
  const Session &S;
};

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_SESSIONINPUT_H
