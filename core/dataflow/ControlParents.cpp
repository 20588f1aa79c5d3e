//===- ControlParents.cpp - Why an instruction was reached ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/dataflow/ControlParents.h"
#include "core/store/TraceStore.h"

using namespace llvm;

namespace rw::dataflow {

/// Calls \p F with each step before \p To.
Error followControl(const TraceStore &Store, const CallIndex *Calls,
                    StepCodes &Codes, const Watch &W, ControlFlow &Flow) {
  if (Error E = forEachStep(Store, Calls, Codes, {}, "following control", W,
                            [&](const Step &S) { Flow.step(S); }))
    return E;
  Flow.finish();
  return Error::success();
}

Expected<std::unique_ptr<ControlTable>>
ControlTable::make(const TraceStore &Store, const CallIndex *Calls,
                   StepCodes &Codes, ControlMode Mode, const ControlFlow *Flow,
                   Moment To, const Watch &W) {
  if (std::min<Moment>(To, Store.numInstructions()) >= ~uint32_t(0))
    return createStringError("control dependences can be told of 4,294,967,294 "
                             "instructions at the most");
  auto Table = std::make_unique<ControlTable>();
  ControlParents<uint32_t> Parents(Mode, Flow, Store.numThreads());
  if (Error E = forEachStep(Store, Calls, Codes, {0, To, std::nullopt},
                            "looking for branches", W, [&](const Step &S) {
                              Table->Log.add(S.When, 1,
                                             Parents.before(S).value_or(0));
                              Parents.after(S, uint32_t(S.When + 1));
                            }))
    return E;
  if (Error E = Table->Log.finish())
    return E;
  return Table;
}

Expected<std::optional<Moment>> ControlTable::parent(Moment M) {
  auto N = Log.at(uint32_t(M + 1));
  if (!N)
    return N.takeError();
  if (!N->After)
    return std::nullopt;
  return Moment(N->After - 1);
}

} // namespace rw::dataflow
