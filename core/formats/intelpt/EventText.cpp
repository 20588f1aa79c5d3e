//===- EventText.cpp - libipt's events as items ---------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/intelpt/EventText.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw::intelpt {

static EventItem make(EventKind Kind, std::string Text, uint64_t Value = 0,
                      uint64_t PC = ~uint64_t(0)) {
  EventItem I;
  I.Kind = Kind;
  I.Text = std::move(Text);
  I.Value = Value;
  I.PC = PC;
  return I;
}

template <typename T> static bool changes(std::optional<T> &Known, T Now) {
  return std::exchange(Known, Now) != Now;
}

/// As the manual numbers what MWAIT and the power packets encode: 15 is C0 (or
/// a sub-state 0).
static unsigned powerState(unsigned Encoded) { return (Encoded + 1) & 0xf; }

static std::string wakeReason(bool Interrupt, bool Store, bool Autonomous) {
  if (Interrupt)
    return ", woken by an interrupt";
  if (Store)
    return ", woken by a store to the monitored address";
  return Autonomous ? ", woken by the hardware" : "";
}

static const char *modeName(unsigned Mode) {
  switch (Mode) {
  case ptem_16bit:
    return "16-bit code";
  case ptem_32bit:
    return "32-bit code";
  case ptem_64bit:
    return "64-bit code";
  }
  return "code of unknown size";
}

std::optional<EventItem> EventTranslator::item(const pt_event &E) {
  auto at = [&](uint64_t IP) { return E.ip_suppressed ? ~uint64_t(0) : IP; };
  const auto &V = E.variant;
  switch (E.type) {
  case ptev_enabled: {
    auto From = std::exchange(OffAt, std::nullopt);
    // Interrupted, and continued elsewhere: a signal handler, usually.
    if (!E.status_update && From && *From != V.enabled.ip)
      return make(EventKind::Exception,
                  formatv("interrupted at {0:x}, goes on at {1:x}", *From,
                          V.enabled.ip),
                  V.enabled.ip, *From);
    return std::nullopt;
  }
  case ptev_disabled:
    OffAt.reset();
    return make(EventKind::Pause, "tracing off: left the traced code", 0,
                at(V.disabled.ip));
  case ptev_async_disabled:
    OffAt = V.async_disabled.at;
    return make(
        EventKind::Pause,
        formatv("tracing off: interrupted at {0:x}", V.async_disabled.at), 1,
        V.async_disabled.at);
  case ptev_async_branch:
    return make(EventKind::Exception,
                formatv("interrupted at {0:x}, goes on at {1:x}",
                        V.async_branch.from, V.async_branch.to),
                V.async_branch.to, V.async_branch.from);
  case ptev_paging:
  case ptev_async_paging: {
    uint64_t Base = E.type == ptev_paging ? V.paging.cr3 : V.async_paging.cr3;
    if (!changes(Cr3, Base) || E.status_update)
      return std::nullopt;
    return make(
        EventKind::ModeChange, formatv("address space: cr3 {0:x}", Base), Base,
        E.type == ptev_async_paging ? at(V.async_paging.ip) : ~uint64_t(0));
  }
  case ptev_vmcs:
  case ptev_async_vmcs: {
    uint64_t Base = E.type == ptev_vmcs ? V.vmcs.base : V.async_vmcs.base;
    if (!changes(Vmcs, Base) || E.status_update)
      return std::nullopt;
    return make(EventKind::ModeChange,
                formatv("virtual machine: vmcs {0:x}", Base), Base);
  }
  case ptev_overflow:
    OffAt.reset();
    return make(EventKind::Gap,
                E.ip_suppressed
                    ? std::string("overflow: packets were lost")
                    : formatv("overflow: packets were lost; goes on at {0:x}",
                              V.overflow.ip)
                          .str(),
                0, at(V.overflow.ip));
  case ptev_exec_mode:
    if (!changes(Mode, unsigned(V.exec_mode.mode)) || E.status_update)
      return std::nullopt;
    return make(EventKind::ModeChange, modeName(V.exec_mode.mode),
                V.exec_mode.mode, at(V.exec_mode.ip));
  case ptev_tsx:
    if (bool(V.tsx.speculative) == Speculative && !V.tsx.aborted)
      return std::nullopt;
    Speculative = V.tsx.speculative;
    return make(EventKind::ModeChange,
                V.tsx.aborted        ? "transaction aborted"
                : !V.tsx.speculative ? "transaction committed"
                : E.status_update    ? "in a transaction"
                                     : "transaction begins",
                0, at(V.tsx.ip));
  case ptev_stop:
    return make(EventKind::Pause, "tracing stopped by an address filter");
  case ptev_exstop:
    return make(EventKind::Mark, "the processor stopped executing", 0,
                at(V.exstop.ip));
  case ptev_mwait:
    return make(EventKind::Mark,
                formatv("mwait: hints {0:x}, extensions {1:x}", V.mwait.hints,
                        V.mwait.ext),
                V.mwait.hints, at(V.mwait.ip));
  case ptev_pwre:
    return make(EventKind::Mark,
                formatv("enters power state C{0}.{1}{2}",
                        powerState(V.pwre.state), powerState(V.pwre.sub_state),
                        V.pwre.hw ? " by itself" : ""));
  case ptev_pwrx:
    return make(
        EventKind::Mark,
        formatv("leaves power state C{0} (the deepest was C{1}){2}",
                powerState(V.pwrx.last), powerState(V.pwrx.deepest),
                wakeReason(V.pwrx.interrupt, V.pwrx.store, V.pwrx.autonomous)));
  case ptev_ptwrite: {
    uint64_t Mask = V.ptwrite.size >= 8
                        ? ~uint64_t(0)
                        : (uint64_t(1) << (8 * V.ptwrite.size)) - 1;
    uint64_t Value = V.ptwrite.payload & Mask;
    return make(EventKind::Mark, formatv("ptwrite {0:x}", Value), Value,
                at(V.ptwrite.ip));
  }
  case ptev_cbr:
    if (!changes(Ratio, unsigned(V.cbr.ratio)))
      return std::nullopt;
    if (!FirstRatio) {
      FirstRatio = Ratio;
      return std::nullopt;
    }
    return make(EventKind::Mark,
                formatv("clock: core to bus ratio {0}", V.cbr.ratio),
                V.cbr.ratio);
  case ptev_mnt:
    return make(EventKind::Mark,
                formatv("maintenance packet {0:x}", V.mnt.payload),
                V.mnt.payload);
  case ptev_tick:
    return std::nullopt;
  }
  return make(EventKind::Mark,
              formatv("event {0} of libipt", unsigned(E.type)));
}

} // namespace rw::intelpt
