//===- EventText.h - libipt's events as items -------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_INTELPT_EVENTTEXT_H
#define REWIND_FORMATS_INTELPT_EVENTTEXT_H

#include "core/model/ItemBatch.h"
#include <intel-pt.h>
#include <optional>

namespace rw::intelpt {

/// Turns the events of one stream into items. What only repeats what is known
/// (a PSB tells the state again) is no item.
class EventTranslator {
public:
  /// Before and Thread are left to the caller.
  std::optional<EventItem> item(const pt_event &E);
  /// The core to bus ratio at the beginning, if it was told.
  std::optional<unsigned> firstRatio() const { return FirstRatio; }

private:
  std::optional<uint64_t> OffAt; ///< interrupted before this instruction
  std::optional<unsigned> Ratio, FirstRatio, Mode;
  std::optional<uint64_t> Cr3, Vmcs;
  bool Speculative = false;
};

} // namespace rw::intelpt

#endif // REWIND_FORMATS_INTELPT_EVENTTEXT_H
