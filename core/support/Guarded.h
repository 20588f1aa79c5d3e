//===- Guarded.h - Exceptions become errors ---------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing of ours throws, but the standard library does: memory that is not
// there, a length that cannot be. LLDB is built without exceptions and would
// end; so would a thread. Whoever is called by either calls on through this.
//
// A thread that others wait for keeps what was thrown (std::exception_ptr) and
// those rethrow it: it then ends here, too.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_SUPPORT_GUARDED_H
#define REWIND_SUPPORT_GUARDED_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <new>
#include <stdexcept>

namespace rw {

/// Runs \p F; what it throws becomes an error.
inline llvm::Error guarded(llvm::function_ref<llvm::Error()> F) {
  try {
    return F();
  } catch (const std::bad_alloc &) {
    return llvm::createStringError("there is not enough memory for this");
  } catch (const std::exception &E) {
    return llvm::createStringError(
        "this should not have happened, please report it: " +
        llvm::StringRef(E.what()));
  } catch (...) {
    return llvm::createStringError(
        "this should not have happened, please report it: an exception");
  }
}

} // namespace rw

#endif // REWIND_SUPPORT_GUARDED_H
